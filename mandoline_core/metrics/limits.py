"""Limits of a metric: what is worse, whichever way the metric is better, and numbers told apart from their limit."""

from __future__ import annotations

import math

from mandoline_core.errors import MandolineError
from mandoline_core.formatting import show_value
from mandoline_core.metrics.metric import Metric

BEYOND = {"higher": "below", "lower": "above", "near 0": "farther from 0 than"}  # what is worse, by what is better
_MOST_DIGITS = 12


def is_worse(value: float, worst: float, metric: Metric) -> bool:
    """Tell whether a score is worse than the worst acceptable one, whichever way the metric is better.

    >>> from mandoline_core.metrics import get_metric
    >>> [is_worse(0.2, 0.1, get_metric(name)) for name in ("accuracy", "error", "bias")]
    [False, True, True]
    """
    return not badness(value, metric) <= badness(worst, metric)  # so that no number (NaN) is worse, too


def badness(value: float, metric: Metric) -> float:
    """Turn a score into a number that is larger if the score is worse."""
    return {"higher": -value, "lower": value, "near 0": abs(value)}[metric.better]


def check_worst(option: str, worst: float, metric: Metric) -> None:
    """Refuse a bound outside the range of the metric.

    >>> from mandoline_core.metrics import get_metric
    >>> check_worst("--min", 80, get_metric("accuracy"))
    Traceback (most recent call last):
    ...
    mandoline_core.errors.MandolineError: --min must be between 0 and 1. Got 80. Did you mean 0.8?
    """
    least, most = metric.bounds or (-math.inf, math.inf)
    least = max(least, 0.0) if metric.better == "near 0" else least
    if math.isfinite(worst) and least <= worst <= most:
        return
    if not math.isfinite(most):
        expected = "a number" if math.isinf(least) else f"a number, {least:g} or more"
        raise MandolineError(f"{option} must be {expected}. Got {worst:g}.")
    hint = f" Did you mean {worst / 100:g}?" if 1 < worst <= 100 else ""
    raise MandolineError(f"{option} must be between {least:g} and {most:g}. Got {worst:g}.{hint}")


def show_limit(bound: float, metric: Metric) -> str:
    """Write a limit with all of its digits."""
    return f"{exact(100 * bound)}%" if metric.share else show_value(bound, share=False)


def exact(number: float) -> str:
    """Write a limit in points with one decimal, or with more if it has more.

    >>> exact(90), exact(85.55)
    ('90.0', '85.55')
    """
    shown = f"{number:.1f}"
    return shown if float(shown) == round(number, 9) else f"{number:.9g}"


def apart(value: float, bound: float, metric: Metric) -> tuple[str, str]:
    """Write two scores with enough digits to distinguish them.

    >>> from mandoline_core.metrics import METRICS
    >>> apart(92017.4, 90000, METRICS["mae"]), apart(90000.4, 90000, METRICS["mae"])
    (('92,017', '90,000'), ('90000.4', '90000'))
    """
    if not metric.share:
        return digits_apart(value, bound, share=False)
    found, limit = digits_apart(100 * value, 100 * bound, share=True)
    return f"{found}%", f"{limit}%"


def digits_apart(value: float, bound: float, *, share: bool) -> tuple[str, str]:
    """Write two numbers with enough digits to distinguish them.

    >>> digits_apart(79.41234, 90, share=True), digits_apart(89.99996, 90, share=True)
    (('79.4', '90.0'), ('89.99996', '90.00000'))
    """
    if not share:
        plain = show_value(value, share=False), show_value(bound, share=False)
        if plain[0] != plain[1] or value == bound:
            return plain
    for digits in range(1 if share else 4, _MOST_DIGITS):
        shown = tuple(f"{number:.{digits}{'f' if share else 'g'}}" for number in (value, bound))
        if shown[0] != shown[1] or value == bound:
            break
    return shown[0], shown[1]
