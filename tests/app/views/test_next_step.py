"""The live panel: the state before the last edit stays in sight, and the next step is one that was tried."""

from __future__ import annotations

import mandoline_core as md
from mandoline_core.formatting import show_value
from tests.app.pages import current, labels, offered, open_app, press, run, said

SLICES = "views/slices/slices.py"


def test_the_next_step_gives_what_it_promises_and_leaves_a_ghost() -> None:
    app = open_app(page=SLICES)
    assert "dashed: before" not in said(app)
    offer = offered(app, "Add: ")
    promised = offer.split()[-1]
    press(app, offer)
    assert show_value(md.estimate(current(app)).estimate, share=True) == promised
    assert said(app).count("dashed: before") == 2  # weights and curve


def test_an_edit_that_fails_a_check_offers_the_way_back() -> None:
    """Undo always works; a remedy may not."""
    app = open_app(page=SLICES)
    for name, is_red in (("slang", False), ("short", True)):
        app.toggle(key=f"on:{name}").set_value(False)
        run(app)
        assert md.estimate(current(app), spread=False).first.is_red == is_red
        assert (f"Undo: {name} off" in labels(app)) == is_red
    press(app, "Undo: short off")
    assert [rule.enabled for rule in current(app).slices] == [True, True, False, True]


def test_the_list_leads_from_the_labelled_score_to_the_estimate() -> None:
    """By effects in any order, and in the order of the list, which ends there as well."""
    app = open_app(page=SLICES)
    report = md.estimate(current(app))
    ends = [
        f"Labelled data {show_value(report.source, share=True)}",
        f"Estimate {show_value(report.estimate, share=True)}",
    ]
    assert all(end in said(app) for end in ends)
    app.session_state["kept:effects_by"] = "order"
    run(app)
    first = report.ablation().cumulative[1]
    assert first.estimate is not None
    assert all(end in said(app) for end in ends)
    assert f"{100 * (first.estimate - report.source):+.1f}" in said(app)
