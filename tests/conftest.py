"""What all tests share: repeatable examples, which come first, and which are left out of the quick check."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# The same examples on every run: a red test is a change in the code, never in the luck of the draw.
# A quarter of the usual number of examples, for time; `make calibrate` tries 500 of each.
# No deadline: the first call of a numerical library may take long.
EXAMPLES = int(os.environ.get("EXAMPLES", "25"))
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=EXAMPLES)
settings.load_profile("repeatable")

# Modules that take more than a few seconds each. `make check` leaves them out, `make test` runs them.
SLOW_MODULES = {
    "test_backtest",
    "test_bbse",
    "test_bootstrap",
    "test_compare_cli",
    "test_methods",
    "test_comparison",
    "test_comparison_pairs",
    "test_confidence_estimators",
    "test_conformance",
    "test_data_page",
    "test_history",
    "test_projects_page",
    "test_elasticity",
    "test_result_page",
    "test_estimators",
    "test_faults",
    "test_fuzz",
    "test_html_report",
    "test_influence",
    "test_kliep",
    "test_measured_corrections",
    "test_metric_estimates",
    "test_pseudo_targets",
    "test_reach",
    "test_readme",
    "test_share_page",
    "test_sensitivity",
    "test_slices_page",
    "test_store",
    "test_tables",
    "test_trimming",
    "test_trust_cli",
    "test_checks",
    "test_verdict",
    "test_weighting_estimators",
    "test_weighting_influence",
    "test_workbench",
}

# Single tests that take about a second of a processor or more, in modules that are quick otherwise.
SLOW_TESTS = {
    "test_a_change_that_the_slices_explain_is_not_found",
    "test_a_closed_pipe_is_no_error",
    "test_a_real_process_refuses_in_one_line",
    "test_any_number_of_edges_is_cheap_without_noise",
    "test_comparing_without_a_folder_meets_neither_library",
    "test_deepest_and_longest_expressions_run",
    "test_engines_agree_on_any_keyword",
    "test_entropy_is_that_of_the_definition",
    "test_fingerprints_are_the_same_in_every_engine_and_chunking",
    "test_luck_is_told_from_shift",
    "test_parts_sum_on_any_small_problem",
    "test_the_command_line_starts_without_the_apps_libraries",
}

# The longest tests of the suite start first, or one process would still be at them when the others have ended.
LONG = ("test_many_visitors", "test_own_data")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow modules, slow tests and everything that needs a browser; put the browser first, and side by side."""
    items.sort(key=lambda item: ("browser" not in item.path.parts, item.path.stem not in LONG))
    for item in items:
        name = getattr(item, "originalname", item.name)
        if item.path.stem in SLOW_MODULES or name in SLOW_TESTS or "browser" in item.path.parts:
            item.add_marker(pytest.mark.slow)
