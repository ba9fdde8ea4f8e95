"""Offering: the kinds of slice that two samples allow, each with a rule to start from."""

from __future__ import annotations

import logging

from mandoline_core.errors import SliceError
from mandoline_core.slices.kinds import KINDS
from mandoline_core.slices.rule import Ground, Slice

_LOG = logging.getLogger(__name__)


def offer(ground: Ground) -> dict[str, Slice | SliceError]:
    """List the kinds that the data allow, each with a rule to start from, or with what is to be done before.

    A kind that fails is left out, and takes no other with it.

    Examples
    --------
    >>> import pandas as pd
    >>> from mandoline_core import Sample
    >>> from mandoline_core.slices import survey
    >>> sample = Sample(pd.DataFrame({"n": [1, 2, 9]}))
    >>> offered = offer(survey(sample, sample))
    >>> offered["threshold"].describe(), offered["expression"].describe(), "keyword" in offered
    ('n above 2', 'n > 2', False)
    """
    found: dict[str, Slice | SliceError] = {}
    for kind, rule in KINDS.items():
        try:
            start = rule.start(ground)
        except SliceError as error:
            found[kind] = error
        except Exception:  # noqa: BLE001 - a mistake in one kind is ours, and is told in the log
            _LOG.exception("Kind %r cannot be offered.", kind)
        else:
            found |= {} if start is None else {kind: start}
    return found
