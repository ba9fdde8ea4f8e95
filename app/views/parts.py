"""Pieces that pages share: figures and selections in them, jobs, verdicts, findings, errors next to their cause."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

import plotly.graph_objects as go
import streamlit as st

from app import compute
from app.project import Workspace, state, visit
from app.words import trust as trust_words
from app.words import wording
from mandoline_core import Finding, MandolineError, Project, Verdict
from mandoline_core.data import milliseconds, read_date
from mandoline_core.formatting import file_stem
from mandoline_core.pipeline import ROWS_LEFT_OUT, is_share
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS, evidence
from mandoline_core.slices import ExpressionError, compile_expression_code

# Where pages are, for links from one to another.
PROJECTS, DATA, RESULT = (f"views/{name}/{name}.py" for name in ("projects", "data", "result"))
TAB = "result_tab"  # which tab of the result is open, for this visit
ASSETS = Path(__file__).resolve().parents[1] / "assets"
HEADING_WIDTH = 860  # pixels: a longer line is hard to follow
Tool = Literal["points", "box", "lasso"]
_LOOKS_EVERY = 1.0  # seconds
ICONS = {"serious": ":material/error:", "warning": ":material/warning:", "info": ":material/info:"}


@contextmanager
def boundary(said: MandolineError | None = None) -> Iterator[None]:
    """Show a domain error as one sentence, unless it was said already; anything else is our bug and shows itself."""
    try:
        yield
    except MandolineError as error:
        if str(error) != str(said):
            show_error(error)


@contextmanager
def answer(tip: str) -> Iterator[None]:
    """Answer a question; where it has no answer here, say why, and let the other questions be."""
    st.caption(tip)
    try:
        yield
    except MandolineError as error:
        st.info(f"**Not available.** {wording.tell(error)}", icon=":material/block:")


@contextmanager
def stopping() -> Iterator[None]:
    """End the page where a domain error is shown, instead of going on without what failed."""
    try:
        yield
    except MandolineError as error:
        show_error(error)
        st.stop()


def show_error(error: MandolineError) -> None:
    """Show what is wrong and what to do, with people's own words as plain text; in an expression, over its place.

    What is only on its way shows how far it is.
    """
    if isinstance(error, compute.WorkingError):
        show_working(error)
        return
    st.error(wording.tell(error), icon=":material/error:")
    if isinstance(error, ExpressionError):
        st.code(error.with_caret(), language=None)


def show_working(error: compute.WorkingError, name: str = "work") -> None:
    """Show how far work in the background is, with a way to stop it, or to go on where it was stopped."""
    if error.job.running:
        job_panel(lambda: error.job, name, in_line=name == "count")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/stop_circle: Cancelled: {wording.plain(error.job.current)}.", width="content")
        st.button("Resume", key=f"go_on_{name}", icon=":material/play_arrow:", on_click=compute.go_on, args=(error,))


def note_refusal(place: str, error: MandolineError | None, *keys: str) -> None:
    """Keep what is wrong with a control for as long as some widgets hold what they do now; None takes it away."""
    visit.remember(f"refused:{place}", () if error is None else (error, {key: visit.typed(key) for key in keys}))


def change_beside(place: str, label: str, edit: Callable[[Project], Project], *keys: str) -> bool:
    """Change the project, or keep next to a control why that is impossible; return whether the change was made."""
    try:
        compute.change(label, edit)
    except MandolineError as error:
        note_refusal(place, error, *keys)
        return False
    note_refusal(place, None)
    return True


def show_refusal(place: str, *, once: bool = False) -> bool:
    """Show what is wrong with a control, if anything is, and tell whether it was shown."""
    refused = visit.remember(f"refused:{place}")
    if not refused or any(visit.typed(key) != typed for key, typed in refused[1].items()):
        return False
    show_error(refused[0])
    if once:
        note_refusal(place, None)
    return True


def draw_caption(workspace: Workspace) -> None:
    """Say, where rows stay in a table, that what follows looks at a random sample of them."""
    with suppress(MandolineError):
        if said := wording.draw_words(compute.n_looked_at(workspace), compute.n_rows(workspace)):
            st.caption(f"Based on {said}.")


def expression_is_sound(workspace: Workspace, text: str) -> bool:
    """Check an expression against the data; show what is wrong with it."""
    source, _ = compute.samples(workspace)
    try:
        compile_expression_code(text, source.schema)
    except ExpressionError as error:
        show_error(error)
        return False
    return True


def more(tip: str, topic: str) -> str:
    """End a tooltip with a link to a topic of the guide.

    >>> more("The average is 1x.", "weights")
    'The average is 1x. More: [Guide](guide?topic=weights)'
    """
    return f"{tip} More: [Guide](guide?topic={topic})"


def lead_on() -> None:
    """Lead on from where there is no estimate: to the slices, and to the data."""
    st.page_link("views/slices/slices.py", label="Change the slices", icon=":material/content_cut:")
    st.page_link(DATA, label="Change the data", icon=":material/table:")


def style(name: str) -> None:
    """Use one of the app's stylesheets.

    The framework puts styles that come alone where it shows messages, one of which would then be lost.
    """
    text = (ASSETS / name).read_text(encoding="utf-8")
    with st.sidebar:
        st.html(f'<style>{text}</style><i class="style-only" hidden></i>')


def is_dark() -> bool:
    """Tell whether the visitor's theme is dark."""
    return st.context.theme.type == "dark"


def chart(
    figure: go.Figure, key: str, *, alt: str, tools: Mapping[Tool, str] | None = None, saved_as: str = ""
) -> Selection:
    """Show a figure under a title that fills its line; it is saved under the names of the project and of the figure.

    The figure's own title is broken for a phone, as Plotly breaks no lines itself; it is hidden here and comes along
    when the figure is saved.

    Parameters
    ----------
    tools : mapping of str to str, optional
        Ways to select in it ("points", "box", "lasso"), each with Plotly's name of its button, or none.
    saved_as : str
        Another name to save it under: it is not about the project.

    Returns
    -------
    Selection
        What is selected in it.
    """
    title = figure.layout.title.text
    lines = title.count("<br>") + 1
    st.html(f'<p class="figure-title lines-{lines}">{title.replace("<br>", " ")}</p>')
    # The key keeps zoom and selection while the data change: without one, other data would make another figure.
    name = saved_as or f"{file_stem(state.workspace().project.name)}-{file_stem(key)}"
    image = visit.remember("figure_format") or charts.IMAGE_FORMATS[0]
    config = charts.chart_config(name, image, [tool for tool in (tools or {}).values() if tool])
    if tools is None:
        st.plotly_chart(figure, key=key, theme=None, config=config, alt=alt)
        return Selection()
    found = st.plotly_chart(
        figure, key=key, theme=None, config=config, alt=alt, on_select="rerun", selection_mode=list(tools)
    )
    return Selection.of(found["selection"])


def effects(workspace: Workspace) -> None:
    """Show how each slice moves the score from the labelled data to the estimate."""
    with boundary():
        found, report = compute.effects(workspace), compute.report(workspace)
        metric, share = report.problem.metric.spoken, is_share(report)
        say = st.caption if report.is_red else st.markdown  # then no number is large
        tip = more(TOOLTIPS["attribution"], "good-slices")
        say(wording.tell(evidence.attribution(found, report.source, share=share)), help=tip)
        figure = charts.waterfall(found, report.source, metric=metric, share=share, dark=is_dark())
        chart(figure, "waterfall", alt="From the labelled data's score to the estimate, slice by slice")
        if any(part.rule == ROWS_LEFT_OUT for part in found.parts):
            st.caption(f"{ROWS_LEFT_OUT.capitalize()}: labelled rows that were used for fitting only.")


def show_job_error(job: compute.Job | None) -> None:
    """Show what went wrong in the background, until it is tried again; what is no domain error is our bug."""
    error = None if job is None else job.error
    if isinstance(error, MandolineError):
        show_error(error)
    elif error is not None:
        raise error


def job_panel(
    find: Callable[[], compute.Job | None],
    name: str,
    *,
    seen: Callable[[], object] | None = None,
    drawn: object = None,
    in_line: bool = False,
) -> None:
    """Show how far a job is, with a way to stop it; when it has ended, draw the whole page again.

    Parameters
    ----------
    seen, drawn : optional
        For a page that shows results as they come: says what there is to see, and what it said before the page was
        drawn. The page is drawn again whenever the two differ.
    in_line : bool
        Whether to take no more than a line.
    """
    looks = itertools.count()

    def look() -> None:
        job, is_first = find(), next(looks) == 0
        ended = job is None or not job.running
        # At the first look the rest of the page is yet to be drawn, and is let finish: results may come faster.
        if ended if seen is None else not is_first and seen() != drawn:
            st.rerun()
        if job is None or ended:
            return
        with st.container(border=not in_line, horizontal=in_line, vertical_alignment="center"):
            share = f"{round(100 * job.share)}%, " if job.share else ""  # some work cannot say how far it is
            share = f"{job.done + 1} of {len(job.tasks)}, " if len(job.tasks) > 1 else share
            st.progress(
                min((job.done + job.share) / len(job.tasks), 1.0),
                text=f"{wording.plain(job.current)}: {share}{job.seconds:.0f} s",
            )
            st.button("Cancel", key=f"stop_{name}", icon=":material/stop_circle:", on_click=job.stop)

    # A fragment draws only itself when its time comes: the page around it keeps scroll, focus and half-typed text.
    st.fragment(look, run_every=_LOOKS_EVERY)()


def offer_job(job: compute.Job | None, label: str, name: str, start: Callable[[], object], why: str = "") -> None:
    """Offer to start a job, or to go on with one that was stopped."""

    def begin() -> None:
        start()

    was_stopping = job is not None and job.stopping

    def say() -> None:
        if was_stopping and not (job and job.stopping):
            st.rerun()
        said = why
        if job is not None and job.stopped:
            said = "Cancelling after the current step." if was_stopping else "Cancelled."
            said += " Finished steps are kept." if len(job.tasks) > 1 else ""
        st.caption(said)

    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(label, key=f"run_{name}", icon=":material/play_arrow:", on_click=begin)
        # The step at hand ends while nobody touches the page.
        st.fragment(say, run_every=_LOOKS_EVERY if was_stopping else None)()


def download(label: str, content: str | bytes | Callable[[], str], name: str, key: str, *, main: bool = False) -> None:
    """Offer a file; the page stays as it is while it is fetched."""
    kind = {"csv": "text/csv", "json": "application/json", "html": "text/html"}[name.rsplit(".", 1)[-1]]
    st.download_button(
        label,
        content,
        file_name=name,
        mime=kind,
        key=key,
        icon=":material/download:",
        type="primary" if main else "tertiary",
        on_click="ignore",
    )


def figure_format() -> None:
    """Let the user choose how figures are saved by the button that hovering over them shows."""
    st.segmented_control(
        "Figure format",
        charts.IMAGE_FORMATS,
        key=visit.bind("figure_format", visit.remember("figure_format") or charts.IMAGE_FORMATS[0]),
        format_func=str.upper,
        help="What the camera button of a figure saves, on every page.",
        required=True,
        on_change=visit.keep,
        args=("figure_format", "figure_format"),
    )


def verdict_badge(found: Verdict) -> None:
    """Show a verdict's light with its word, and say what it is."""
    level_badge(found.level, help=more(TOOLTIPS["verdict"], "verdict"))


def level_badge(level: str, **more: Any) -> None:
    """Show the light of a level with its word."""
    light = trust_words.LIGHTS[level]
    st.badge(light.word, icon=light.icon, color=light.colour, **more)


def show_finding(finding: Finding) -> None:
    """Show one finding with its remedy."""
    show = {"serious": st.error, "warning": st.warning, "info": st.info}[finding.severity]
    show(f"{wording.tell(finding.message)} {wording.tell(finding.remedy)}", icon=ICONS[finding.severity])


class Selection(NamedTuple):
    """Hold what is selected.

    Parameters
    ----------
    points : tuple of pairs of int
        The trace of each point, and its place in it.
    stretch : pair of float, optional
        From where to where along the horizontal axis a box was drawn.
    names : tuple of str
        What the figure calls the points that have a name.
    """

    points: tuple[tuple[int, int], ...] = ()
    stretch: tuple[float, float] | None = None
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Selection:
        """Read what the browser says.

        >>> Selection.of({"points": [{"curve_number": 1, "point_index": 7}], "box": [{"x": [3.5, 1.0], "y": [0, 1]}]})
        Selection(points=((1, 7),), stretch=(1.0, 3.5), names=())
        """
        points = sorted({(int(point["curve_number"]), int(point["point_index"])) for point in found.get("points", ())})
        boxes = [box for box in found.get("box", ()) if box.get("x")]
        ends = sorted(map(_place, boxes[-1]["x"])) if boxes else []
        named = [point.get("customdata") for point in found.get("points", ())]
        firsts = [
            name[0] if isinstance(name, Sequence) and not isinstance(name, str) else name for name in named if name
        ]
        return cls(tuple(points), (ends[0], ends[-1]) if ends else None, tuple(dict.fromkeys(map(str, firsts))))

    def of_trace(self, number: int) -> list[int]:
        """List the places of the points of one trace."""
        return [place for trace, place in self.points if trace == number]


def _place(end: float | str) -> float:
    """Return a place on an axis as a number; an axis of dates gives texts, which become milliseconds since 1970."""
    when = read_date(end) if isinstance(end, str) else None
    return float(end if when is None else milliseconds(when))
