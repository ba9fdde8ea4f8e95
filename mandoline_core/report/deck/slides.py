"""The slides of one model's report: the question, what changed, the slices, the estimate, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mandoline_core.checks import Experience, ModelReport, SecondOpinionOn, blind_spot
from mandoline_core.formatting import listed, show_effect, show_ends, show_points, show_value
from mandoline_core.pipeline import Attribution, AttributionPart, SliceRow, is_share
from mandoline_core.project import DecisionSettings
from mandoline_core.report import charts
from mandoline_core.report.charts.style import clean
from mandoline_core.report.deck import figures, paper
from mandoline_core.report.deck.examples import Example
from mandoline_core.report.gathering import HiddenChange
from mandoline_core.report.markup import Html, tag
from mandoline_core.report.words import TOOLTIPS, Decision, about, decide, evidence, facts, headline, title_of

MOST_PARTS = 7  # of the waterfall
MOST_STEPS = 3  # of it that have a slide each
_SMALL = 0.001  # of a share: a tenth of a point
_GAP = 60
_HALF = (paper.LEFT + paper.RIGHT) / 2
_STATES = {"met": "green", "missed": "red", "open": "amber", "barred": "red"}  # of a decision, as colours of verdicts
_TRACK = "Estimate again on every new batch, and alert when it drops too far: see Track."


@dataclass(frozen=True, eq=False)
class Story:
    """Hold what slides tell of one model.

    Parameters
    ----------
    name : str
        Of the project.
    rows : sequence of SliceRow
        The slice table.
    rules : mapping of str to str
        The rules in words, by name.
    effects : Attribution, optional
        What each slice adds, where that can be said.
    hidden : HiddenChange, optional
        How far a hidden change could move the estimate.
    """

    name: str
    report: ModelReport
    rows: Sequence[SliceRow] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    effects: Attribution | None = None
    examples: Sequence[Example] = ()
    opinion: SecondOpinionOn | None = None
    experience: Experience | None = None
    hidden: HiddenChange | None = None
    decision: DecisionSettings = field(default_factory=DecisionSettings)
    note: str = ""

    @property
    def share(self) -> bool:
        """Whether the metric is a share of rows."""
        return is_share(self.report)

    @property
    def metric(self) -> str:
        """What the metric is called."""
        return self.report.problem.metric.spoken

    def show(self, value: float) -> str:
        """Write a value of the metric."""
        return show_value(value, share=self.share)

    @property
    def answer(self) -> Decision | None:
        """Whether the estimate meets the threshold."""
        return decide(self.report, self.decision.threshold)


@dataclass(frozen=True)
class Slide:
    """Hold one slide.

    Parameters
    ----------
    name : str
        What it is about, in a word or two.
    title, foot : str
        The sentences above and below the figure.
    figure : sequence of Html
        Marks and text on the stage.
    says : sequence of str
        What the figure shows, in words.
    notes : sequence of str
        For who presents.
    badge : pair of str, optional
        A verdict in words, and its level.
    """

    name: str
    title: str
    figure: Sequence[Html]
    foot: str = ""
    says: Sequence[str] = ()
    notes: Sequence[str] = ()
    badge: tuple[str, str] | None = None

    @property
    def lines(self) -> list[str]:
        """All that the slide says below its title, in words."""
        return [said for said in (self.badge[0] if self.badge else "", *self.says, self.foot) if said]

    @property
    def svg(self) -> Html:
        """The slide as a picture."""
        # Next to the name, above the title, is room for the verdict.
        title = paper.fit(self.title, paper.RIGHT - paper.LEFT, 134, (56, 52, 48, 44, 40, 36, 32, 28), bold=True)
        foot = paper.fit(self.foot, paper.RIGHT - paper.LEFT, 62, (28, 26, 24, 22)) if self.foot else None
        inner = [
            paper.text(paper.LEFT, 76, paper.cut(self.name, 1000, 28), 28, ink=paper.QUIET),
            *(paper.badge(*self.badge, paper.RIGHT, 40) if self.badge else []),
            *paper.written(paper.LEFT, 100, title, bold=True),
            *self.figure,
            *([] if foot is None else paper.written(paper.LEFT, 822, foot, ink=paper.QUIET)),
        ]
        return tag(
            "svg",
            *inner,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {paper.WIDTH} {paper.HEIGHT}",
            font_family=paper.TYPEFACE,
            role="img",
            aria_label=clean(" ".join([f"{self.name}:", self.title, *self.lines])),
        )


def make_slides(story: Story, *, truth: bool = False) -> list[Slide]:
    """Write the slides of a report; the true value comes last, as a moment of its own, and only if asked for."""
    report = story.report
    told = replace(story, report=replace(report, truth=None))
    slides = [_start(told), *_changed(told), *_steps(told), _estimate(told)]
    if report.converged:
        slides += [_sure(told), *_wrong(told), *_decision(told)]
    slides.append(_next(told))
    if truth and report.truth is not None:
        slides.append(_truth(story))
    return slides


def _start(story: Story) -> Slide:
    report, metric = story.report, story.metric
    of = story.decision.model or report.model
    version = f" {story.decision.version}" if story.decision.version else ""
    known = "" if report.rests_on_labels else " without labels"
    question = f"How well does {of}{version} do on {report.n_target:,} new rows{known}? First, on labelled rows:"
    below = f"{metric} on {report.n_source:,} labelled rows"
    ends = f"({show_ends(report.source_interval, share=story.share)})"
    said = about(replace(story.decision, model="", version=""))
    foot = ". ".join(f"{title}: {words}" for title, words in said)
    return Slide(
        story.name,
        question,
        figures.number(story.show(report.source), ends, below[:1].upper() + below[1:], quoted=True),
        foot=f"{foot}." if foot else "",
        says=[f"On {report.n_source:,} labelled rows the {metric} is {facts.labelled(report)}."],
        notes=[story.note, TOOLTIPS["labelled data"], TOOLTIPS["new data"]],
    )


def _changed(story: Story) -> Iterator[Slide]:
    """Show the slices before and after, and two rows; nothing where no slice moved."""
    most = facts.moved_most(story.rows)
    if most is None or abs(most.shift) < 0.001:
        return
    right = _HALF + 60 if story.examples else paper.RIGHT
    figure = figures.shares(story.rows, right - _GAP)
    if story.examples:
        figure += figures.examples(story.examples, right)
    shown = sorted(story.rows, key=lambda row: -abs(row.shift))[: figures.MOST_SHARES]
    said = [f"{row.name}: {facts.coverage(row)}." for row in shown]
    both = "The two rows differ most on these slices." if story.examples else ""
    yield Slide(
        "What changed",
        f"{most.name}: {facts.coverage(most)}",
        figure,
        foot=" ".join(filter(None, (f"{most.name}: {most.rule}.", both))),
        says=said,
        notes=[TOOLTIPS["shift"]],
    )


def _steps(story: Story) -> Iterator[Slide]:
    """Walk from the labelled score to the estimate: the largest effects one by one, then all at once."""
    report, share = story.report, story.share
    if story.effects is None or not story.effects.parts or not report.converged:
        return
    by_slices = report.without or report  # labels of new rows move the estimate further, on its own slide
    parts = charts.fold_parts(story.effects.parts, share, MOST_PARTS, small=_SMALL)
    end = ("raw result" if report.is_red else "estimate", by_slices.estimate)
    walked = [*range(1, min(MOST_STEPS, len(parts) - 1) + 1), len(parts) + 1]
    for step in walked:
        last = step > len(parts)
        effects = [f"{one.rule} {show_points(one.value, share=share)}" for one in parts[:step]]
        ending = f", {end[0]} {story.show(end[1])}" if last else ""
        yield Slide(
            "What the slices do",
            _all_effects(story, story.effects, parts) if last else _effect(parts[step - 1], share),
            figures.waterfall(
                parts, step, source=report.source, end=end, share=share, metric=story.metric, quoted=not report.is_red
            ),
            foot=_folded(story.effects, parts) if last else _rule(story, parts[step - 1].rule),
            says=[f"From labelled data, {story.show(report.source)}: {', '.join(effects)}{ending}."],
            notes=[TOOLTIPS["attribution"]],
            badge=_warning(report),
        )


def _effect(part: AttributionPart, share: bool) -> str:
    return f"{part.rule}: {show_effect(part.value, part.interval, share=share)}"


def _all_effects(story: Story, effects: Attribution, parts: Sequence[AttributionPart]) -> str:
    """Say what all slices do together; where the estimate must not be quoted, not in large type."""
    if story.report.is_red:
        return charts.parts_title(effects, parts, story.share)
    return evidence.attribution(effects, story.report.source, share=story.share)


def _folded(effects: Attribution, parts: Sequence[AttributionPart]) -> str:
    """Name the slices that are shown as one."""
    names = {part.rule for part in parts}
    folded = [part.rule for part in effects.parts if part.rule not in names]
    return f"{parts[-1].rule}: {listed(folded)}." if folded else ""


def _rule(story: Story, name: str) -> str:
    """Say what a rule is, and how it shifted."""
    origins = story.report.fit.cells.origins
    moved = facts.moved_most([row for row in story.rows if origins.get(row.name, row.name) == name])
    said = [story.rules.get(name, "")]
    if moved is not None:
        said.append(facts.coverage(moved) if moved.name == name else f"{moved.name}: {facts.coverage(moved)}")
    return " · ".join(filter(None, said))


def _estimate(story: Story) -> Slide:
    """Write the estimate as the verdict allows, with the verdict in words."""
    report, said = story.report, headline(story.report)
    known = story.experience.message if story.experience else ""
    notes = [known, facts.new_rows({report.model: report}), f"{facts.basis(report)}.", facts.left_out(report)]
    badge = (report.verdict.meaning, report.verdict.level) if report.verdict else None
    if not report.converged:
        return Slide("Estimate", said.sentence, figures.bullets([said.obstacle]), notes=notes, badge=badge)
    ends = f"({show_ends(report.interval, share=story.share)})"
    change = f"{facts.change(report)}."
    if not said.can_be_quoted:
        below = f"Raw result. {change}"
        figure = figures.number(said.number, ends, below, quoted=False)
        return Slide("Estimate", said.obstacle or said.sentence, figure, said.way_on, (said.sentence,), notes, badge)
    doubt = said.obstacle or facts.without_labels(report)
    figure = figures.number(said.number, ends, doubt or change, quoted=True)
    return Slide("Estimate", said.sentence, figure, said.measured, tuple(filter(None, (doubt,))), notes, badge)


def _sure(story: Story) -> Slide:
    """Show the interval, and how far estimates with this verdict were off."""
    report, share = story.report, story.share
    known = story.experience
    title = known.message if known else facts.covers(report)
    rows = [*charts.strip_rows(report, reveal=False, ink="")]
    band = next((band for band in known.bands), None) if known else None
    if band is not None:
        off = band.nine_of_ten / 100
        around = max(report.estimate - off, 0.0), min(report.estimate + off, 1.0)
        name = f"9 of 10 with this verdict ({band.shift} shifts)"
        rows.append(charts.IntervalRow(name, report.estimate, around, "diamond-open", "", bold=False))
    if report.prediction_interval is not None:
        name = f"exactly these {report.n_target:,} new rows"
        rows.append(
            charts.IntervalRow(name, report.estimate, report.prediction_interval, "diamond-open", "", bold=False)
        )
    return Slide(
        "How sure",
        title,
        figures.intervals(rows, share=share, metric=story.metric),
        foot=f"{facts.basis(report)}.",
        says=[f"{row.name}: {row.number(share)}." for row in rows],
        notes=[TOOLTIPS["interval"], TOOLTIPS["effective rows"], facts.new_rows({report.model: report})],
        badge=_warning(report),
    )


def _wrong(story: Story) -> Iterator[Slide]:
    """Show what a hidden change could do, and what other methods say."""
    report, share, change, opinion = story.report, story.share, story.hidden, story.opinion
    if change is None and opinion is None:
        return
    methods = (
        []
        if opinion is None
        else [(title_of(name).partition(" (")[0], value, False) for name, value in opinion.methods.items()]
    )
    own = title_of(report.estimator).partition(" (")[0]
    others = [one for one in methods if one[0] != own]
    figure, title = list[Html](), ""
    right = _HALF + 20 if others else paper.RIGHT
    own_weights = change is None or change.report.estimator == report.estimator
    if change is not None:
        figure += figures.hidden(
            change.bounds,
            (change.chosen.gamma, change.chosen.low, change.chosen.high),
            change.report.estimate,
            name="estimate" if own_weights else "Mandoline's weights",
            share=share,
            right=right - _GAP,
            threshold=story.decision.threshold,
        )
        title = f"{evidence.hidden(change.chosen, share=share)}."
    if others:
        by_slices = (report.without or report).estimate
        figure += figures.opinions([(own, by_slices, True), *others][:8], right, share=share)
    told = opinion.message if opinion else ""
    if change is not None and not own_weights:
        told = f"{evidence.instead(report.estimator, change.report.estimate, share=share)} {told}".strip()
    yield Slide(
        "What could be wrong",
        title or told or blind_spot(report),
        figure,
        foot=told if title else "",
        notes=[blind_spot(report), TOOLTIPS["hidden change"], TOOLTIPS["strength of a hidden change"]],
        badge=_warning(report),
    )


def _decision(story: Story) -> Iterator[Slide]:
    """Hold the estimate against the threshold, where there is one."""
    answer, report, threshold = story.answer, story.report, story.decision.threshold
    if answer is None or threshold is None:
        return
    rows = [row for row in charts.strip_rows(report, reveal=False, ink="") if row.name != facts.WITHOUT]
    figure = figures.intervals(
        rows,
        share=story.share,
        metric=story.metric,
        threshold=(threshold, f"threshold {story.show(threshold)}"),
        top=figures.TOP + 60,
    )
    yield Slide(
        "Decision",
        answer.words,
        figure,
        foot=f"Required: {answer.rule}.",
        says=[f"{row.name}: {row.number(story.share)}." for row in rows],
        notes=["The whole interval must be on one side of the threshold; an estimate alone decides nothing."],
        badge=(answer.title, _STATES[answer.state]),
    )


def _next(story: Story) -> Slide:
    """Say what to do: about the worst check, with labels, and from now on."""
    report, said = story.report, headline(story.report)
    points = [said.way_on, blind_spot(report), "" if report.is_red or not report.converged else _TRACK]
    points = list(dict.fromkeys(filter(None, points)))
    return Slide("Next step", "What to do next", figures.bullets(points), says=points)


def _truth(story: Story) -> Slide:
    """Tell the true value, and how far off the estimate is."""
    rows = charts.strip_rows(story.report, reveal=True, ink="")
    return Slide(
        "True value",
        facts.truth(story.report),
        figures.intervals(rows, share=story.share, metric=story.metric),
        says=[f"{row.name}: {row.number(story.share)}." for row in rows],
    )


def _warning(report: ModelReport) -> tuple[str, str] | None:
    """Say on every slide with a number from the weights that it must not be quoted, where it must not."""
    return (report.verdict.meaning, "red") if report.verdict is not None and report.is_red else None
