"""Type aliases: what arrays hold, and what a pair of numbers means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CodeArray = NDArray[np.int8]
Index = NDArray[np.intp]
Bools = NDArray[np.bool_]
Interval = tuple[float, float]
