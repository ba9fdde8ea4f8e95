"""The looks of verdicts and checks, and the tables of their evidence: data in, pandas frames out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import pandas as pd

from app.words.tables import shift_columns
from app.words.wording import plain
from mandoline_core.checks import BalanceLine, ModelReport, SliceStrength, TheoremBound
from mandoline_core.comparison.backtests import ModelBacktest
from mandoline_core.findings import MEANINGS
from mandoline_core.formatting import is_nothing
from mandoline_core.labels import LabelPlan
from mandoline_core.pipeline import CorrectionSlope
from mandoline_core.report.charts import MOST_SLICES, effect, method_order
from mandoline_core.report.words import evidence, facts, title_of


class Light(NamedTuple):
    """Hold how a level or a state shows: a word, an icon and a colour, never the colour alone."""

    word: str
    icon: str
    colour: Literal["green", "orange", "red", "gray"]


LIGHTS = {
    "confirmed": Light(MEANINGS["confirmed"], ":material/verified:", "green"),
    "green": Light(MEANINGS["green"], ":material/check_circle:", "green"),
    "amber": Light(MEANINGS["amber"], ":material/warning:", "orange"),
    "red": Light(MEANINGS["red"], ":material/dangerous:", "red"),
}
STATES = {
    "passed": Light(facts.STATES["passed"], ":material/check:", "green"),
    "doubtful": Light(facts.STATES["doubtful"], ":material/warning:", "orange"),
    "failed": Light(facts.STATES["failed"], ":material/close:", "red"),
    "not run": Light(facts.STATES["not run"], ":material/remove:", "gray"),
}


def unmodelled_table(lines: Sequence[BalanceLine]) -> pd.DataFrame:
    """List everything compared, at full precision."""
    return pd.DataFrame(
        [
            {
                "what": line.name,
                "kind": line.kind,
                **shift_columns(line),
                "z": line.z,
                "significant": line.stands_out,
                "effect on the estimate": line.measured and line.measured.effect,
                "could move the estimate by": line.measured and line.measured.most,
            }
            for line in lines
        ]
    )


def slope_table(slopes: Sequence[CorrectionSlope]) -> pd.DataFrame:
    """List how the estimate moves with every correction."""
    return pd.DataFrame(
        [
            {
                "slice": slope.slice,
                "where": {"source": "labelled data", "target": "new data"}[slope.side],
                "correction": slope.key,
                "now": slope.value,
                "effect of one point less": effect(slope),
                "in words": slope.words,
            }
            for slope in slopes
        ]
    )


def telling_slopes(slopes: Sequence[CorrectionSlope], *, share: bool, most: int = 4) -> list[CorrectionSlope]:
    """List the corrections worth a sentence: those that decide what can be estimated, then those that move it most."""
    worth = [slope for slope in slopes if (value := effect(slope)) is None or not is_nothing(value, share=share)]
    return sorted(worth, key=lambda slope: -abs(effect(slope) or math.inf))[:most]


def strengths_caption(strengths: Sequence[SliceStrength]) -> str:
    """Explain the marks of the figure of hidden changes."""
    band = "Grey band: sampling error."
    known = len(evidence.strongest(strengths))
    if not known:
        return band
    shown = f"the {MOST_SLICES} strongest of {known} slices" if known > MOST_SLICES else "each slice"
    return f"Squares: the hidden change that leaving out {shown} would make (triangles: beyond the axis). {band}"


def default_threshold(report: ModelReport) -> float:
    """Propose a round number on the bad side of an estimate, as far off as people would mind."""
    metric = report.problem.metric
    worse = -1 if metric.better == "higher" else 1
    if metric.share:
        step = 0.05
        found = (math.floor if worse < 0 else math.ceil)(report.estimate / step + worse * 0.2) * step
        return min(max(round(found, 2), 0.0), 1.0)
    off = report.estimate * (1 + worse * 0.1)
    digits = 1 - math.floor(math.log10(abs(off))) if off else 0
    return round(off, digits)


def is_of_use(bound: TheoremBound, report: ModelReport) -> bool:
    """Tell whether the paper's bound rules out at least half of what the metric could be."""
    low, high = report.problem.metric.bounds or (0.0, math.inf)
    return bound.total < (high - low) / 2


def plan_table(plan: LabelPlan, *, most: int) -> pd.DataFrame:
    """List the slice patterns that a plan draws most rows of; names are escaped."""
    planned = [one for one in plan.by_pattern if one.planned]
    return pd.DataFrame(
        [
            {
                "in slices": plain(one.in_slices),
                "to label": f"{one.planned:,}",
                "new rows": f"{one.n_target:,}",
                "labelled rows": f"{one.n_source:,}",
            }
            for one in planned[:most]
        ]
    )


def backtest_table(found: ModelBacktest) -> pd.DataFrame:
    """List how every method did by kind of shift, at full precision."""
    lines = []
    for name in method_order(found):
        line: dict[str, object] = {"method": title_of(name), "average error": found.expected_error(name)}
        for kind, judged in found.kinds.items():
            one = judged.get(name)
            line[f"{kind}: error"] = None if one is None else one.mean_absolute_error
            line[f"{kind}: coverage"] = None if one is None else one.coverage
        line["failed"] = sum(judged[name].failures for judged in found.kinds.values() if name in judged)
        lines.append(line)
    return pd.DataFrame(lines)
