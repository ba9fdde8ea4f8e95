"""A backtest as text for a terminal, and what it shows and does not show."""

from __future__ import annotations

from collections.abc import Sequence

from mandoline_core.comparison.backtests.pseudo_targets import CLASS, COLUMN, HELD_OUT, SLICES
from mandoline_core.comparison.backtests.results import Backtest, MethodRecord, ModelBacktest
from mandoline_core.formatting import listed, show_percent, show_points, table, wrapped

_ABOUT_KINDS = {
    SLICES: (
        "'slices' shifts the slices as much as in the new data. Your slices explain this shift fully, so it shows "
        "sampling error and interval coverage only."
    ),
    HELD_OUT: (
        "'held-out slice' shifts one slice that the methods do not see, each in turn. It shows the error from a "
        "missing slice. Sampling error in the labelled rows adds to it, so a slice without effect may show one."
    ),
    CLASS: (
        "'class' shifts class frequencies only (label shift): as predictions shift in the new data, or at random "
        "without predictions."
    ),
    COLUMN: (
        "'column' estimates one part of the labelled rows from the others, such as later from earlier rows. These "
        "shifts are real, with one try each."
    ),
}


def say_what_it_proves(
    kinds: Sequence[str], sizes: tuple[int, int], *, capped: bool = False, noisy: bool = False
) -> tuple[str, ...]:
    """Say what a backtest shows and what it does not.

    Parameters
    ----------
    kinds : sequence of str
        The kinds of shift that were made.
    sizes : pair of int
        Rows drawn for a pseudo-source and a pseudo-target.
    capped : bool
        Whether the real samples have more rows.
    noisy : bool
        Whether slices have corrections.

    Examples
    --------
    >>> say_what_it_proves(["slices"], (600, 100))[1][:65]
    'It shows how methods perform under shifts of this kind and size, '
    """
    smaller = ", fewer than in your data, so errors are larger" if capped else ""
    population = (
        "Labelled and new data are simulated by drawing labelled rows, the new data with a known shift, so the true "
        f"score is known. Each draw has {sizes[0]:,} labelled and {sizes[1]:,} new rows{smaller}."
    )
    shows = (
        "It shows how methods perform under shifts of this kind and size, not what to expect: natural shifts are often "
        "larger."
    )
    hides = (
        "It cannot show shifts that the labelled data do not contain, such as new kinds of rows or labels with a "
        "changed meaning."
    )
    about = [_ABOUT_KINDS[kind] for kind in kinds]
    if noisy and (SLICES in kinds or HELD_OUT in kinds):
        about.append(
            "Noisy slices are shifted as observed, since true membership is unknown. This favours methods without "
            "corrections over methods such as 'denoised'."
        )
    return population, shows, hides, *about


def render_backtest(backtest: Backtest) -> str:
    """Write a backtest for a terminal: tables by model, then explanations."""
    models = list(backtest.models.values())
    parts = [_model_text(backtest.name, model) for model in models]
    words = dict.fromkeys(sentence for model in models for sentence in model.words)
    return "\n\n".join([*parts, "\n".join(wrapped(sentence, "- ") for sentence in words)])


def _model_text(name: str, model: ModelBacktest) -> str:
    unit = "points" if model.metric.share else "the metric's units"
    lines = [
        f"{name}: backtest of {model.metric.spoken} of {model.model}, by method",
        "",
        _methods_table(model),
        "",
        wrapped(
            f"Mean absolute error in {unit} on shifts made from the labelled data (coverage of "
            f"{100 * model.confidence:g}% intervals for exactly the rows drawn). Natural shifts are often larger. "
            "'average' is over the kinds of shift except 'column'. 'direction' is how often the sign of the change is "
            "right.",
            "",
        ),
    ]
    for kind in (HELD_OUT, COLUMN):
        if kind in model.kinds:
            lines += ["", _details_table(model, kind)]
    missing = [wrapped(f"No shift by {kind}: {why}", "- ") for kind, why in model.skipped.items()]
    for why in dict.fromkeys(model.left_out.values()):
        names = [method for method, reason in model.left_out.items() if reason == why]
        missing.append(wrapped(f"Left out {listed(names)}: {why}", "- "))
    return "\n".join([*lines, "", *missing] if missing else lines)


def _methods_table(model: ModelBacktest) -> str:
    methods = list(dict.fromkeys(method for records in model.kinds.values() for method in records))
    rows = [["method", "average", *model.kinds, "direction", "failed"]]
    for method in methods:
        records = [kind[method] for kind in model.kinds.values() if method in kind]
        expected = model.expected_error(method)
        tried = sum(record.n + record.failures for record in records)
        failed = sum(record.failures for record in records)
        rows.append(
            [
                method,
                "-" if expected is None else _size(expected, model),
                *(_cell(kind.get(method), model) for kind in model.kinds.values()),
                _sides(records),
                f"{failed} of {tried}" if failed else "",
            ]
        )
    return table(rows, "<>" + "<" * len(model.kinds) + ">>")


def _details_table(model: ModelBacktest, kind: str) -> str:
    """Show the parts of a kind one by one, by the project's own method and by the source score."""
    details = model.details(kind)
    tried = {method for part in details.values() for method in part}
    methods = [method for method in dict.fromkeys((model.estimator, "source")) if method in tried]
    rows = [[f"{kind}:", *methods]]
    rows += [
        [f"  {detail}", *(_cell(part.get(method), model) for method in methods)] for detail, part in details.items()
    ]
    return table(rows, "<" * len(rows[0]))


def _size(error: float, model: ModelBacktest) -> str:
    return show_points(error, share=model.metric.share, sign=False, unit=False)


def _cell(record: MethodRecord | None, model: ModelBacktest) -> str:
    if record is None or record.mean_absolute_error is None or record.coverage is None:
        return "-"
    return f"{_size(record.mean_absolute_error, model)} ({show_percent(record.coverage)})"


def _sides(records: Sequence[MethodRecord]) -> str:
    n = sum(record.n_directions for record in records)
    right = sum(record.n_directions * (record.direction_right or 0.0) for record in records)
    return show_percent(right / n) if n else "-"
