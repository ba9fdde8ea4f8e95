"""The pool: every slice worth a look, with what it says of a draw of rows. No score is looked at to make it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest

import numpy as np
from scipy.sparse import csr_matrix

from mandoline_core.arrays import Bools, CodeArray, Floats, Index
from mandoline_core.data import SAMPLE_CACHE, Model, Sample
from mandoline_core.discovery.column_rules import (
    FEWEST_SOURCE,
    FEWEST_TARGET,
    Samples,
    WordLists,
    rule_families,
)
from mandoline_core.discovery.phrases import has_function_word
from mandoline_core.discovery.rule_table import RuleTable, column_sums, sparse_columns
from mandoline_core.domain_classifier import A_DATE, EncodedColumn
from mandoline_core.errors import MandolineError
from mandoline_core.pipeline import HARMLESS, DrawnColumns, Fit
from mandoline_core.slices import Confidence, Entropy, Keyword, Prediction, Slice, codes, free_name, resolve

_BUCKETS = 6  # of the entropy, as in the paper


@dataclass(frozen=True, eq=False)
class Pool:
    """Hold rules with what they say of the rows drawn from both samples.

    Parameters
    ----------
    rules : tuple of Slice
        As a project would hold them; some are families of slices.
    rule_of : array of int, shape (n_columns,)
        The rule that each column belongs to.
    source, target : csr_matrix, shape (n_drawn, n_columns)
        1 inside, 0 outside; where a slice abstains, its share among the rows where it does not.
    source_rows, target_rows : array of int
        The rows that were drawn, among the scored source rows and the target rows.
    last : array of bool, shape (n_columns,)
        Slices on function words, which come last.
    """

    rules: tuple[Slice, ...]
    rule_of: Index
    source: csr_matrix
    target: csr_matrix
    source_rows: Index
    target_rows: Index
    last: Bools


def make_pools(fits: Sequence[Fit], taken: Sequence[Slice]) -> tuple[Pool, ...]:
    """List candidates for each model, with what they say of the drawn rows; none on columns marked as irrelevant.

    Parameters
    ----------
    taken : sequence of Slice
        Rules that are there already; the model's own predictions are offered if no rule reads them.
    """
    pools = []
    for fit in fits:
        cells = fit.cells
        rows, drawn = cells.rows, cells.drawn
        if rows is None or drawn is None:
            raise MandolineError("Suggestions need rows, and only slice codes are available. Use samples.")
        drawn = drawn.without(fit.trust.harmless, HARMLESS)
        samples = (
            _take_rows(rows.source, np.flatnonzero(rows.scored)[drawn.source_rows]),
            _take_rows(rows.target, drawn.target_rows),
        )
        # Models that score the same rows have the same columns, and so has the next search.
        key = "column rules", rows.scored.tobytes(), drawn.source_rows.tobytes(), drawn.target_rows.tobytes()
        of_columns: RuleTable = SAMPLE_CACHE.of(
            (rows.source, rows.target), (*key, *drawn.encoded), partial(_column_table, drawn, samples)
        )
        own = [(rule, None) for rule in model_rules(rows.model, taken)]
        table = of_columns.joined(_evaluate(own, rows.model, samples))
        # Keep what has rows inside and outside, in both samples, under names that are free.
        keep = has_support(table.source, table.target)
        rule_of = np.array(table.rule_of, dtype=np.intp)[keep]
        names = {*(rule.name for rule in taken), *cells.origins}
        last = [isinstance(rule, Keyword) and has_function_word(rule.words[0]) for rule in table.rules]
        pools.append(
            Pool(
                tuple(replace(rule, name=free_name(rule.name, names)) for rule in table.rules),
                rule_of,
                csr_matrix(table.source[:, keep]),
                csr_matrix(table.target[:, keep]),
                drawn.source_rows,
                drawn.target_rows,
                np.array(last, dtype=bool)[rule_of],
            )
        )
    return tuple(pools)


def _take_rows(sample: Sample, rows: Index) -> Sample:
    if len(rows) == sample.n_rows:
        return sample
    return Sample(sample.frame[rows], label=sample.label, models=sample.models, name=sample.name)


def _column_table(drawn: DrawnColumns, samples: Samples) -> RuleTable:
    """Evaluate the rules on all columns; words, and what was encoded, come with their rows."""
    columns: dict[str, EncodedColumn | str] = dict(drawn.encoded)
    columns |= {column: why for column, why in drawn.left_out.items() if why == A_DATE}
    families = [family for column, encoded in columns.items() for family in rule_families(column, encoded, samples)]
    rules = [pair for family in families for pair in zip_longest(family.rules(), family.shown())]
    table = _evaluate(rules, None, samples)
    for family in families:
        if isinstance(family, WordLists):
            table = table.joined(family.table())
    return table


def model_rules(model: Model | None, taken: Sequence[Slice]) -> Iterator[Slice]:
    """List rules on what the model predicts: families where no rule of their kind is there, and cuts of confidence."""
    kinds = {rule.kind for rule in taken}
    if model is None:
        return
    if model.prediction is not None and "prediction" not in kinds:
        yield Prediction("predicted")
    if len(model.probabilities) < 2:
        return
    if "entropy" not in kinds:
        yield Entropy("entropy", buckets=_BUCKETS)
    lowest = 1 / len(model.probabilities)
    for cut in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99):
        if cut > lowest:
            yield Confidence(f"confidence above {cut:g}", above=cut)


def _evaluate(
    rules: Sequence[tuple[Slice, tuple[Floats, Floats] | None]], model: Model | None, samples: Samples
) -> RuleTable:
    """Evaluate rules on the rows of both samples, unless they are known; without those that the data do not allow."""
    allowed: list[Slice] = []
    members: list[tuple[Slice, tuple[Floats, Floats] | None]] = []
    rule_of: list[int] = []
    for rule, known in rules:
        try:
            resolved = resolve([rule], *samples, model)
        except MandolineError:
            continue
        rule_of += [len(allowed)] * len(resolved)
        members += [(member, known) for member in resolved]
        allowed.append(rule)
    tables = []
    for side, sample in enumerate(samples):
        answers = iter(codes(sample, [member for member, known in members if known is None]).T)
        columns = [inside_shares(next(answers)) if known is None else known[side] for _, known in members]
        tables.append(sparse_columns(columns, sample.n_rows))
    return RuleTable(allowed, rule_of, *tables)


def inside_shares(code: CodeArray) -> Floats:
    """Turn a slice's codes into the probability of being inside: its share where it abstains.

    >>> inside_shares(np.array([1, -1, 0, 1, -1], dtype=np.int8)).tolist()
    [1.0, 0.0, 0.5, 1.0, 0.0]
    """
    inside = (code == 1).astype(float)
    decided = code != 0
    if decided.all() or not decided.any():
        return inside
    return np.where(decided, inside, inside[decided].mean())


def has_support(source: csr_matrix, target: csr_matrix) -> Bools:
    """Tell which columns have enough rows inside and outside, in both samples."""
    enough = np.ones(source.shape[1], dtype=bool)
    for table, fewest in ((source, FEWEST_SOURCE), (target, FEWEST_TARGET)):
        inside = column_sums(table)
        enough &= (inside >= fewest) & (inside <= table.shape[0] - fewest)
    return enough
