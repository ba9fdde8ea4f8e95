"""The list of slices in HTML: a slice in one row of numbers, whose effect is a step of the waterfall down the list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from app.words.markup import bare
from mandoline_core import SliceRow
from mandoline_core.formatting import is_nothing, show_effect, show_interval, show_percent, show_points, show_value
from mandoline_core.pipeline import AttributionPart
from mandoline_core.report.charts import SOURCE, TARGET
from mandoline_core.report.words import TOOLTIPS

KEY = "slice_list"
_NUMBERS = "14.2rem"  # width of the numbers of a row
_MIDDLE = 0.5  # of the waterfall
# Scoped to the list: rows of a switch, a name and numbers, without a container for each, which would cost more than
# what is in it. What is open takes the whole width. A fall is filled and a rise is hollow: colour is no sign here.
STYLE = f"""<style>
.st-key-{KEY} {{ display: grid; grid-template-columns: auto minmax(4rem, 1fr) {_NUMBERS};
  align-items: center; column-gap: 0.5rem; row-gap: 0; }}
.st-key-{KEY} > div {{ width: auto; min-width: 0; }}
.st-key-{KEY} > [data-testid=stLayoutWrapper],
.st-key-{KEY} > div:has(.wide) {{ grid-column: 1 / -1; }}
.st-key-{KEY} > div > .stButton button {{ justify-content: flex-start; text-align: left; padding: 0.1rem 0.3rem;
  min-height: 2.4rem; width: 100%; }}
.st-key-{KEY} > div > .stButton button div {{ justify-content: flex-start; text-align: left; width: 100%;
  min-width: 0; }}
.st-key-{KEY} > div > .stButton button p {{ font-size: 0.75rem; line-height: 1.25; white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; }}
.st-key-{KEY} > div > .stButton strong {{ display: block; font-size: 0.9rem; overflow: hidden;
  text-overflow: ellipsis; }}
.slice {{ display: grid; grid-template-columns: 4.9rem 3.4rem 5.1rem; column-gap: 0.4rem;
  font-size: 0.78rem; line-height: 1.3; align-items: center; height: 2.5rem; }}
.slice > div {{ white-space: nowrap; }}
.slice small {{ opacity: 0.75; }}
.slice.heads {{ margin-left: auto; width: {_NUMBERS}; height: auto; align-items: end; opacity: 0.8; }}
.slice.heads > div {{ white-space: normal; font-size: 0.72rem; line-height: 1.15; }}
.scale {{ position: relative; display: block; height: 4px; margin-top: 2px; background: #8882; }}
.scale i {{ position: absolute; top: 0; bottom: 0; min-width: 2px; }}
.ghost {{ display: grid; grid-template-columns: minmax(3rem, 1fr) 4.3rem 2.2rem; column-gap: 0.4rem;
  font-size: 0.78rem; line-height: 1.3; align-items: center; min-height: 2.4rem; opacity: 0.85; }}
.ghost > div {{ overflow: hidden; }}
.ghost > b {{ text-align: right; }}
.ghost > div:first-child b {{ display: block; }}
.way {{ position: relative; display: block; height: 10px; margin: 2px 5px 0; }}
.way i {{ position: absolute; top: 0; bottom: 0; box-sizing: border-box; border: 2px solid currentColor; }}
.way i.falls {{ background: currentColor; }}
.way i.dot {{ top: 1px; bottom: auto; width: 8px; height: 8px; translate: -50% 0; border: none; }}
.way u {{ position: absolute; top: 100%; height: 1.65rem; border-left: 1px dotted currentColor; opacity: 0.6; }}
.slice-end {{ display: flex; align-items: center; justify-content: space-between; font-size: 0.78rem; height: 1.7rem;
  padding-left: 3.1rem; }}
.slice-end > span {{ overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }}
.slice-end > div {{ flex: none; width: 5.1rem; line-height: 1.3; }}
.slice-end .way {{ margin: 0 5px; }}
.slice-end .way u {{ height: 1.2rem; }}
@media (max-width: 1099px) {{ .way u {{ display: none; }} }}
@media (max-width: 640px) {{
  .st-key-{KEY} {{ grid-template-columns: auto minmax(4rem, 1fr) 12.6rem; }}
  .slice, .slice.heads {{ grid-template-columns: 4.6rem 3.3rem 3.9rem; }}
  .slice.heads {{ width: 12.6rem; }}
  .slice-end > div {{ width: 3.9rem; }}
}}
</style>"""


@dataclass(frozen=True)
class Step:
    """Hold one step of the waterfall; start and end are shares of its width. Without a part, nothing happens here."""

    part: AttributionPart | None
    start: float
    end: float


@dataclass(frozen=True)
class Waterfall:
    """Hold the way from the labelled score to the estimate.

    Parameters
    ----------
    steps : mapping of str to Step
        By rule, in the order of the list; then what belongs to no rule, such as pairs of slices.
    first, last : float
        The labelled score and the estimate.
    start, end : float
        Their places, as shares of the width.
    """

    steps: Mapping[str, Step]
    first: float
    last: float
    start: float
    end: float

    @classmethod
    def of(cls, rules: Sequence[str], effects: Mapping[str, AttributionPart], first: float) -> Waterfall:
        """Place effects end to end, those of the rules first.

        >>> parts = {"b": AttributionPart("b", 1.0, None), "a": AttributionPart("a", -3.0, None)}
        >>> found = Waterfall.of(["a", "off", "b"], parts, first=9.0)
        >>> [(name, step.start, step.end) for name, step in found.steps.items()], found.last
        ([('a', 1.0, 0.0), ('off', 0.0, 0.0), ('b', 0.0, 0.3333333333333333)], 7.0)
        """
        names = [*rules, *(name for name in effects if name not in rules)]
        ends = [0.0]
        for name in names:
            ends.append(ends[-1] + (effects[name].value if name in effects else 0.0))
        low, width = min(ends), (max(ends) - min(ends)) or 1.0
        places = [(end - low) / width for end in ends]
        steps = {name: Step(effects.get(name), *ends) for name, *ends in zip(names, places, places[1:], strict=False)}
        return cls(steps, first, first + ends[-1], places[0], places[-1])


def heads(score: str, found: Waterfall | None, *, share: bool) -> str:
    """Write what the columns of the list are, and the labelled score, where the waterfall starts.

    Parameters
    ----------
    score : str
        What the metric is called.
    """
    names = (
        "labelled \u2192 new rows",
        f"{escape(score)} in | else",
        f'<span title="{escape(TOOLTIPS["attribution"])}">effect on estimate</span>',
    )
    said = f'<div class="slice heads wide">{"".join(f"<div>{name}</div>" for name in names)}</div>'
    if found is None:
        return said
    return said + _end("Labelled data", found.first, found.start, SOURCE, leads=True, share=share)


def foot(found: Waterfall | None, rules: Sequence[str], *, share: bool, labels: bool = False) -> str:
    """Write the effects that belong to no rule, and the estimate, where the waterfall ends.

    Parameters
    ----------
    labels : bool
        Whether the quoted estimate rests on labels of new rows, too.
    """
    if found is None:
        return ""
    others = "".join(
        f'<div class="slice-end wide"><span>{escape(name)}</span>{effect_bar(step, share=share)}</div>'
        for name, step in found.steps.items()
        if name not in rules
    )
    return others + _end(
        "Without labels" if labels else "Estimate", found.last, found.end, "currentColor", leads=False, share=share
    )


def _end(name: str, value: float, place: float, colour: str, *, leads: bool, share: bool) -> str:
    """Write an end of the waterfall: a circle for the labelled score, a diamond for the estimate."""
    shape = "border-radius:50%" if leads else "rotate:45deg"
    line = f'<u style="left:{_across(place)}"></u>' if leads else ""
    dot = f'<i class="dot" style="left:{_across(place)};background:{colour};{shape}"></i>'
    return (
        f'<div class="slice-end wide"><span>{name} <b>{show_value(value, share=share)}</b></span>'
        f'<div><span class="way">{dot}{line}</span></div></div>'
    )


def row(rows: Sequence[SliceRow], *, on: bool, effect: str, note: str, share: bool) -> str:
    """Write the numbers of a rule; a family shows the member that shifts most.

    Parameters
    ----------
    effect : str
        Its effect on the estimate, from `effect_bar`.
    note : str
        Findings about it; shown on hovering.
    """
    shown = max(rows, key=lambda member: abs(member.shift), default=None)
    if shown is None:
        return '<div class="slice"></div>'
    said = escape(note)
    warning = f' <span role="img" aria-label="note: {said}" title="{said}">\u26a0</span>' if note else ""
    faded = "" if on else ' style="opacity:0.6"'
    return (
        f'<div class="slice"><div{faded}>{_cover(shown, len(rows))}</div>'
        f"<div{faded}>{_scores(shown, share=share)}{warning}</div>{effect}</div>"
    )


def ghost(name: str, note: str, shares: tuple[float, float], effect: float, *, title: str, share: bool) -> str:
    """Write a slice that is only suggested.

    Parameters
    ----------
    name, note : str
        Its rule, and what to mind.
    shares : pair of float
        Of the labelled and of the new rows.
    effect : float
        How far it moves the estimate; it was tried.
    title : str
        More about that, shown on hovering.
    """
    source, target = (bare(one, share=True) for one in shares)
    return (
        f'<div class="ghost" title="{escape(title)}"><div><b>{escape(name)}</b><small>{escape(note)}</small></div>'
        f"<div>{source} \u2192 <b>{target}%</b>{_bars(*shares)}</div>"
        f"<b>{show_points(effect, share=share, unit=False)}</b></div>"
    )


def members(rows: Sequence[SliceRow]) -> str:
    """Write the members of a family, each with how much of both samples it matches."""
    lines = "".join(
        f'<div style="margin-bottom:0.4rem"><b>{escape(row.name)}</b> '
        f'<small title="{escape(row.full_rule)}">{escape(row.rule)}</small>{_cover(row, 1)}</div>'
        for row in rows
    )
    return f'<div class="slice" style="display:block;height:auto">{lines}</div>'


def effect_bar(step: Step | None, *, share: bool) -> str:
    """Write the effect of a slice over its step of the waterfall, with a line to where the next one starts."""
    if step is None:
        return "<div>\u2013</div>"
    line = f'<u style="left:{_across(step.end)}"></u>'
    if step.part is None:
        return f'<div>\u2013<span class="way">{line}</span></div>'
    low, high = sorted((step.start, step.end))
    value = step.part.value
    kind = ' class="falls"' if value < 0 else ""
    bar = f'<i{kind} style="left:{_across(low)};width:max(3px,{100 * (high - low):.1f}%)"></i>'
    if is_nothing(value, share=share):
        bar = f'<i style="left:{_across(low)};width:0;border-width:0 0 0 2px"></i>'
    said = show_effect(value, step.part.interval, share=share)
    # On the other side than the line that comes from above.
    side = "" if step.start > _MIDDLE else ' style="text-align:right"'
    number = f"<b>{show_points(value, share=share, unit=False)}</b>"
    return f'<div title="{said}"{side}>{number}<span class="way">{bar}{line}</span></div>'


def _across(place: float) -> str:
    return f"{100 * place:.1f}%"


def _cover(row: SliceRow, n_members: int) -> str:
    """Write how much of both samples a slice matches, over a bar for each; of a family, the member that shifts most."""
    labelled, new, step = (
        show_percent(row.source), show_percent(row.target), show_points(row.shift, share=True, unit=False)
    )  # fmt: skip
    title = f"{labelled} of labelled rows, {new} of new rows ({step} points)"
    if n_members > 1:
        title = f"{n_members} slices. Most shifted, {row.name}: {title}"
    shares = f"{bare(row.source, share=True)} \u2192 <b>{new}</b>"
    return f'<div title="{escape(title)}">{shares}{_bars(row.source, row.target)}</div>'


def _bars(source: float, target: float) -> str:
    return "".join(
        f'<span class="scale"><i style="left:0;width:{100 * rate:.1f}%;background:{colour}"></i></span>'
        for rate, colour in ((source, SOURCE), (target, TARGET))
    )


def _scores(row: SliceRow, *, share: bool) -> str:
    """Write the score in a slice and elsewhere, with intervals on hovering."""
    said, short = [], []
    for side, part in (("in slice", row.inside), ("elsewhere", row.outside)):
        if part.score is None or part.interval is None:
            said.append(f"{side}: no labelled rows")
            short.append("\u2013")
        else:
            said.append(f"{side} {show_interval(part.score, part.interval, share=share)}, {part.n:,} labelled rows")
            short.append(bare(part.score, share=share))
    return f'<span title="{escape("; ".join(said))}">{" | ".join(short)}</span>'
