"""Result: what hidden changes could do, what theory promises, and whether the meaning changed."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app import compute
from app.project import state, visit
from app.views import parts
from app.words import trust as trust_words
from app.words import wording
from mandoline_core import MandolineError, ModelReport
from mandoline_core.checks import SliceStrength, crossing, theorem_bound
from mandoline_core.pipeline import is_share
from mandoline_core.report import charts
from mandoline_core.report.words import TOOLTIPS
from mandoline_core.report.words import evidence as facts

STEP = 0.05


@st.fragment
def hidden() -> None:
    """Let the user suppose a hidden change, and see how far it could move the estimate."""
    with parts.answer(TOOLTIPS["hidden change"]):
        workspace = compute.current()
        report, instead = compute.weighted(workspace)
        share = is_share(report)
        curve = compute.hidden_shift_curve(workspace)
        if instead:
            said = facts.instead(workspace.project.estimator.name, report.estimate, share=share)
            st.caption(wording.tell(said))
        left, right = st.columns([3, 2])
        with left:
            gamma = st.slider(
                "Strength of the hidden change",
                1.0,
                compute.MOST_GAMMA,
                step=STEP,
                key=visit.bind("gamma", visit.typed("gamma") or 1.25),
                format="%.2f",
                help=TOOLTIPS["strength of a hidden change"],
            )
        with right:
            threshold = _threshold(report)
        with st.spinner("Leaving out each slice ..."):
            strengths = _strengths(workspace)
        point = compute.hidden_shift(workspace, round(float(gamma), 2))
        crosses = crossing(report, threshold)
        st.markdown(wording.tell(facts.crossing(report, threshold, crosses, strengths)))
        figure = charts.hidden_shift_curve(
            *curve,
            point,
            strengths,
            metric=report.problem.metric.spoken,
            share=share,
            threshold=threshold,
            crossing=crosses,
            dark=parts.is_dark(),
        )
        parts.chart(figure, "hidden", alt="Where the truth could be, by the strength of a hidden change")
        st.caption(trust_words.strengths_caption(strengths))


def _threshold(report: ModelReport) -> float:
    """Let the user say which value would change a decision."""
    share = is_share(report)
    scale = 100.0 if share else 1.0
    first = scale * trust_words.default_threshold(report)
    bounds = report.problem.metric.bounds
    low, high = (None, None) if bounds is None else tuple(scale * end if abs(end) < 1e300 else None for end in bounds)
    name = f"threshold:{report.model}:{report.metric}"
    typed = visit.typed(name)
    value = st.number_input(
        f"Decision threshold{' (%)' if share else ''}",
        min_value=low,
        max_value=high,
        step=1.0 if share else None,
        format="%.1f" if share else "%g",
        key=visit.bind(name, first if typed is None else typed),
        help="For example, the lowest acceptable score.",
    )
    return float(value) / scale


def _strengths(workspace: state.Workspace) -> tuple[SliceStrength, ...]:
    try:
        return compute.strengths(workspace)
    except MandolineError:  # without slices to compare with, the curve still says something
        return ()


@st.fragment
def theory() -> None:
    """Show the paper's bound under assumptions that the user sets."""
    with parts.answer(TOOLTIPS["theorem"]):
        workspace = compute.current()
        report, instead = compute.weighted(workspace)
        share = is_share(report)
        failure = 1 - workspace.project.estimator.confidence
        first = theorem_bound(report, failure=failure)  # refuses before any slider is shown
        if instead:
            said = facts.instead(workspace.project.estimator.name, report.estimate, share=share)
            st.caption(wording.tell(said))
        if not trust_words.is_of_use(first, report):
            st.markdown(facts.TOO_WIDE)
            return
        st.caption("You assume the hatched terms. The others come from the data.")
        left, right = st.columns(2)
        scale: dict[str, Any] = {"min_value": 0.0, "max_value": 20.0, "step": 0.5, "format": "%.1f"}
        key = visit.bind("unknown", visit.typed("unknown") or 0.0)
        unknown = left.slider("Assumed hidden change (%)", key=key, help=TOOLTIPS["hidden term"], **scale)
        noisy = any(term.name == "corrections" and not term.known for term in first.terms)
        key = visit.bind("correction_error", visit.typed("correction_error") or 0.0)
        tip = TOOLTIPS["correction error"] + ("" if noisy else " No slice is noisy here.")
        error = right.slider("Assumed error of the corrections (%)", disabled=not noisy, key=key, help=tip, **scale)
        assumed = {"correction_error": float(error) / 100 if noisy else 0.0, "unknown": float(unknown) / 100}
        bound = theorem_bound(report, failure=failure, **assumed)
        if not trust_words.is_of_use(bound, report):
            st.markdown(facts.TOO_WIDE)
            return
        st.markdown(wording.tell(facts.promise(bound, report, failure)))
        half = (report.interval[1] - report.interval[0]) / 2
        figure = charts.bound_bars(bound, half_interval=half, share=share, dark=parts.is_dark())
        parts.chart(figure, "theory", alt="The paper's bound on the error, term by term")
        with st.expander("Terms", type="compact"):
            st.markdown(
                "\n".join(
                    f"- **{charts.TERM_NAMES.get(term.name, term.name)}** "
                    f"({'from the data' if term.known else 'assumed'}): {wording.tell(term.words)}"
                    for term in bound.terms
                )
            )


def meaning() -> None:
    """Look for signs that classes or their meaning changed."""
    with parts.answer(TOOLTIPS["drift"]):
        found = compute.report(state.workspace()).evidence.drift
        st.markdown("\n".join(f"- {wording.tell(sentence)}" for sentence in found.words))
        left, right = st.columns(2)
        if found.predicted:
            with left:
                figure = charts.predicted_classes(found.predicted, dark=parts.is_dark())
                parts.chart(
                    figure, "predicted", alt="How often each class is predicted: labelled, reweighted and new rows"
                )
        if found.calibration:
            with right:
                figure = charts.calibration(found.calibration, dark=parts.is_dark())
                parts.chart(figure, "calibration", alt="Confidence and accuracy on the labelled rows, by slice")
        elif found.predicted:
            right.caption("To compare confidence, add the model's probabilities on the Data page.")
