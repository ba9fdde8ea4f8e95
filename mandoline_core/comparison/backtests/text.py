"""A backtest as text for a terminal, and in words what it proves and what not."""

from __future__ import annotations

from collections.abc import Sequence

from mandoline_core.comparison.backtests.pseudo_targets import CLASS, COLUMN, HELD_OUT, SLICES
from mandoline_core.comparison.backtests.results import Backtest, MethodRecord, ModelBacktest
from mandoline_core.formatting import Sentence, listed, show_points, table, wrapped

_ABOUT_KINDS = {
    SLICES: Sentence(
        "'slices' shifts the slices as far as in the real {target}. Slices carry all of this shift, so methods on "
        "slices have an easy life: it shows how much is luck, and whether intervals are long enough."
    ),
    HELD_OUT: (
        "'held-out slice' shifts one slice that methods do not get to see, each in turn: so far off can methods on "
        "slices be if one as important was forgotten. What is luck of the labelled rows counts as real here, so that a "
        "slice without any effect may seem to have a little."
    ),
    CLASS: Sentence(
        "'class' shifts how frequent classes are and nothing else, as predicted classes shift in the real {target}, or "
        "at random where there are no predictions."
    ),
    COLUMN: (
        "'column' foretells one part of the labelled rows from the others, such as later rows from earlier ones: the "
        "only shifts here that nobody designed. Each is tried once, and its truth is the score of these very rows, "
        "whose luck intervals do not count: fewer of them may hold it."
    ),
}


def say_what_it_proves(
    kinds: Sequence[str], sizes: tuple[int, int], *, capped: bool = False, noisy: bool = False
) -> tuple[str, ...]:
    """Say in plain sentences what a backtest proves and what not.

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
    >>> say_what_it_proves(["slices"], (600, 100))[1]
    'It shows how methods do when the shift is of this kind and strength.'
    """
    drawn = f"each draw has {sizes[0]:,} labelled rows and {sizes[1]:,} new ones"
    drawn += ", fewer than the real samples, so that errors are larger than theirs" if capped else ""
    population = (
        "The labelled rows are taken for the whole population: pseudo-sources are drawn from them as they are, "
        f"pseudo-targets with a shift, so that the true score is known exactly; {drawn}."
    )
    shows = "It shows how methods do when the shift is of this kind and strength."
    hides = (
        "It cannot show a shift that the labelled data hold no trace of, such as rows unlike any labelled one, or "
        "labels that have come to mean something else."
    )
    about = [_ABOUT_KINDS[kind] for kind in kinds]
    if noisy and (SLICES in kinds or HELD_OUT in kinds):
        about.append(
            "Noisy slices are shifted by what they say, because the truth behind it is not known. That favours methods "
            "that take slices at their word over those that correct them, such as 'denoised'."
        )
    return population, shows, hides, *about


def render_backtest(backtest: Backtest) -> str:
    """Write a backtest for a terminal: for each model a table of methods, then parts of kinds, then words."""
    models = list(backtest.models.values())
    parts = [_model_text(backtest.name, model) for model in models]
    words = dict.fromkeys(sentence for model in models for sentence in model.words)
    return "\n\n".join([*parts, "\n".join(wrapped(sentence, "- ") for sentence in words)])


def _model_text(name: str, model: ModelBacktest) -> str:
    unit = "points" if model.metric.share else "the metric's units"
    lines = [
        f"{name}: how methods do for {model.metric.name} of {model.model} where the truth is known",
        "",
        _methods_table(model),
        "",
        wrapped(
            f"Mean absolute errors in {unit}, with the share of {model.confidence:.0%} intervals that hold the truth. "
            "'to expect' averages over tilts of the source, columns aside; 'right way' is how often the estimate "
            "lies on the truth's side of the source score, where there is a change to see.",
            "",
        ),
    ]
    for kind in (HELD_OUT, COLUMN):
        if kind in model.kinds:
            lines += ["", _details_table(model, kind)]
    missing = [wrapped(f"Not tried by {kind}: {why}", "- ") for kind, why in model.skipped.items()]
    for why in dict.fromkeys(model.left_out.values()):
        names = [method for method, reason in model.left_out.items() if reason == why]
        missing.append(wrapped(f"Left out {listed(names)}: {why}", "- "))
    return "\n".join([*lines, "", *missing] if missing else lines)


def _methods_table(model: ModelBacktest) -> str:
    methods = list(dict.fromkeys(method for records in model.kinds.values() for method in records))
    rows = [["method", "to expect", *model.kinds, "right way", "failed"]]
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
    return f"{_size(record.mean_absolute_error, model)} ({record.coverage:.0%})"


def _sides(records: Sequence[MethodRecord]) -> str:
    n = sum(record.n_directions for record in records)
    right = sum(record.n_directions * (record.direction_right or 0.0) for record in records)
    return f"{right / n:.0%}" if n else "-"
