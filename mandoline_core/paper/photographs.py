"""Handwritten digits, photographed sharp or out of focus."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Bools, Floats

Integers = NDArray[np.int64]
SIGMA = (0.5, 2.0)  # of the blur, in pixels: the weakest blur still looks like a soft photograph


@dataclass(frozen=True, eq=False)
class Photographs:
    """Hold photographs of some images.

    Parameters
    ----------
    image : array of int, shape (n,)
        Which image each photograph shows.
    blurry : array of bool, shape (n,)
    pixels : array of float, shape (n, 8, 8)
        Intensities, 0 (paper) to about 16 (ink).
    """

    image: Integers
    blurry: Bools
    pixels: Floats


def photograph(
    rng: np.random.Generator,
    images: Floats,
    pool: Integers,
    *,
    n: int,
    blurred: float,
    sigma: tuple[float, float] = SIGMA,
) -> Photographs:
    """Photograph every image of a pool about equally often, an exact share of the time out of focus.

    Each photograph has its own exposure and sensor noise; a blurred one also its own amount of blur.

    Parameters
    ----------
    images : array of float, shape (n_images, 8, 8)
    pool : array of int
        The images to photograph.
    blurred : float
        The share that is out of focus.
    sigma : pair of float
        The least and the largest blur, in pixels.
    """
    from scipy.ndimage import gaussian_filter  # takes a while to import

    image = rng.permutation(np.resize(pool, n))
    blurry = rng.permutation(np.arange(n) < round(blurred * n))
    exposure = rng.uniform(0.7, 1.1, size=n)
    widths = rng.uniform(*sigma, size=n)
    noise = rng.normal(scale=1.0, size=(n, 8, 8))
    pixels = images[image] * exposure[:, None, None]
    for row in np.flatnonzero(blurry):
        pixels[row] = gaussian_filter(pixels[row], widths[row])
    return Photographs(image, blurry, np.round(np.clip(pixels + noise, 0, None), 2))
