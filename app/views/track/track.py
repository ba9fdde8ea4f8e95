"""Track: how the estimate moves from one batch of new data to the next, and when to look."""

from __future__ import annotations

from functools import partial

import streamlit as st

from app import compute
from app.project import Workspace, track_plan
from app.views import parts
from app.views.track import alerts, batches
from app.words import track as words
from app.words import wording
from mandoline_core.formatting import file_stem
from mandoline_core.monitoring import Track
from mandoline_core.report.words import TOOLTIPS


def main() -> None:
    """Show the page."""
    st.title("Track")
    workspace = compute.current()
    if not track_plan.plan_of(workspace.revision.document).given:
        nothing_yet(workspace)
        return
    with st.spinner("Loading batches ..."):
        compute.ask_track(workspace)
        drawn = seen(workspace)  # before it is drawn: what comes in the meantime is new
        found = compute.track_state(workspace)
    model = shown_model(workspace, found.track)
    headline(found, model)
    progress(workspace, drawn)
    problems(found)
    if model in found.track.models:
        figure = found.track.draw(model, dark=parts.is_dark())
        parts.chart(figure, "track", alt="The estimate on each batch of new data, with its interval")
    alerts.show(workspace)
    table(found, model)
    if model in found.track.models and found.track.shares(model):
        figure = found.track.draw_shares(model, dark=parts.is_dark())
        parts.chart(figure, "track_shares", alt="The share of rows in each slice, batch by batch")
    take_home(workspace, found)
    batches.look_into(workspace)
    batches.show(workspace)


def seen(workspace: Workspace) -> tuple[object, ...]:
    """Say what makes a page another: one more estimate, or a job that has begun or ended."""
    job = compute.track_job(workspace)
    return (len(compute.track_state(workspace).waiting), *(() if job is None else (job.running, job.stopping)))


def progress(workspace: Workspace, drawn: tuple[object, ...]) -> None:
    """Show how far it is while it runs, and offer to resume where it was cancelled."""
    job = compute.track_job(workspace)
    parts.show_job_error(job)
    if drawn != seen(workspace) or (job is not None and (job.running or job.stopping)):
        parts.job_panel(lambda: compute.track_job(workspace), "track", seen=lambda: seen(workspace), drawn=drawn)
    waiting = len(compute.track_state(workspace).waiting)
    if waiting and not (job is not None and job.running):
        left = "1 batch has" if waiting == 1 else f"{waiting} batches have"
        parts.offer_job(job, "Resume", "track", partial(compute.start_track, workspace), f"{left} no estimate yet.")


def nothing_yet(workspace: Workspace) -> None:
    """Say what the page is for, and offer the first step."""
    st.markdown(words.EMPTY, width=parts.HEADING_WIDTH)
    if workspace.view_only:
        st.info("No batches yet.", icon=":material/info:")
        return
    batches.show(workspace, first=True)
    st.button(
        "Try the reviews sample",
        key="track_sample",
        icon=":material/science:",
        on_click=batches.use_sample,
        args=(workspace,),
        help="Six weekly batches of generated reviews.",
    )


def shown_model(workspace: Workspace, track: Track) -> str:
    """Choose the model on show; a metric without models has one score."""
    return workspace.model if workspace.model or not track.models else track.models[0]


def headline(found: compute.TrackState, model: str) -> None:
    """Say the estimate of the newest batch, before anything else."""
    track = found.track
    if not track.targets:
        return
    if found.waiting:
        n = len(track.targets) + len(found.waiting)
        st.markdown(f"#### {len(track.targets)} of {n} batches are done.", width=parts.HEADING_WIDTH)
        return
    st.markdown(f"#### {words.newest_sentence(track, model)}", width=parts.HEADING_WIDTH)
    st.markdown(words.light_sentence(track, model), width=parts.HEADING_WIDTH)
    if track.alerts:
        sentences = map(wording.tell, track.alert_sentences)
        st.warning("  \n".join(sentences), icon=":material/notifications_active:")
    if track.hits is not None:
        st.caption(wording.plain(f"By later labels: {track.hits.message}"))


def problems(found: compute.TrackState) -> None:
    """Say what is wrong with some batches."""
    for error in found.wrong:
        parts.show_error(error)
    for said in words.error_sentences(found.track):
        st.error(said, icon=":material/error:")


def table(found: compute.TrackState, model: str) -> None:
    """Show the numbers, the newest first."""
    name = f" of model {wording.plain(model)}" if model else ""
    st.markdown(f"**Every batch**{name}")
    st.dataframe(
        words.track_table(found.track, model, [batch.name for batch in found.waiting]),
        hide_index=True,
        height="content" if len(found.track.targets) < 15 else 560,
        placeholder="",
        column_config={
            "batch": st.column_config.TextColumn(pinned=True, width=120),
            "estimate": st.column_config.TextColumn(width=150),
            "by labels": st.column_config.TextColumn(help="The score on labels that arrived later", width=190),
            "change": st.column_config.TextColumn(help="From the score on the labelled data", width=100),
            "verdict": st.column_config.TextColumn(help=TOOLTIPS["verdict"], width=130),
            "alert": st.column_config.TextColumn(width=60),
            "new rows": st.column_config.NumberColumn(format="localized", width=90),
        },
    )


def take_home(workspace: Workspace, found: compute.TrackState) -> None:
    """Offer the numbers of all models as the command line writes them, and its page of charts."""
    if not found.track.targets:
        return
    name = f"{file_stem(workspace.project.name)}-track"
    with st.container(horizontal=True):
        for title, ending, content in (
            ("Download as CSV", "csv", found.track.to_csv()),
            ("Download as JSON", "json", compute.track_json(found)),
            ("Download charts (HTML)", "html", found.track.to_html),
        ):
            parts.download(title, content, f"{name}.{ending}", f"download_track_{ending}")
    st.caption("All models. Same as `mandoline track`.")


main()
