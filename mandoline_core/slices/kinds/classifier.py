"""Classifier: rows that a domain classifier takes for new data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import narwhals as nw
import pyarrow as pa

from mandoline_core.data import Sample
from mandoline_core.domain_classifier import RowScores, name_features, score_samples
from mandoline_core.errors import DataError, SliceError
from mandoline_core.findings import Finding
from mandoline_core.formatting import listed
from mandoline_core.slices.resolution import check_columns
from mandoline_core.slices.rule import ANYTHING, Control, Measure, Predicate, Schema, Slice, Survey, row_code

PERFECT = 0.995  # AUC: hardly a source row is left that could stand for a target row
_BUCKETS = 4


@dataclass(frozen=True, kw_only=True)
class Classifier(Slice, kind="classifier", title="Classifier", purpose="rows that look new to a classifier"):
    """Match the rows that a domain classifier takes for new data; with buckets, cut its score into slices.

    The classifier learns to distinguish new rows from labelled rows, with equal weight on both samples. It is
    cross-fitted: the fits that score a row did not see it.

    Parameters
    ----------
    columns : list of str, optional
        The columns that the classifier uses. By default, all without a role.
    buckets : int, optional
        Make this number of slices from the score.
    seed : int
        The random seed of the folds.

    Examples
    --------
    >>> Classifier("new", columns=("age", "text")).describe()
    'looks new to a classifier on age, text'
    """

    functions = ("classifier",)

    learns: ClassVar[bool] = True
    columns: tuple[str, ...] | None = None
    buckets: int | None = None
    seed: int = 0

    def _check(self) -> None:
        if self.columns is not None:
            for column in self._check_list("columns", "columns"):
                if not isinstance(column, str) or not column:
                    raise self._wrong("columns", "a list of columns", column)
        self._check_whole("buckets", 2, 50)
        self._check_whole("seed", 0)

    def describe(self) -> str:
        """Say the rule in plain words."""
        on = "all columns" if self.columns is None else listed(self.columns, most=4)
        how = "looks new" if self.buckets is None else f"how new a row looks, in {self.buckets} buckets,"
        return f"{how} to a classifier on {on}"

    @property
    def needs(self) -> dict[str, str]:
        """The columns that are named."""
        return dict.fromkeys(self.columns or (), ANYTHING)

    @property
    def is_family(self) -> bool:
        """Tell whether the rule makes several slices."""
        return self.buckets is not None

    def members(self, source: Sample, target: Sample) -> Sequence[Slice]:
        """Fit the classifier, and make one slice, or one for each bucket of its score."""
        for sample in (source, target):
            check_columns(self, sample.schema, sample.name, sample)
        try:
            scores = score_samples(source, target, self.columns, self.seed)
        except DataError as error:
            raise SliceError(f"Slice {self.name!r}: {error!s}") from None
        # Weights on such a slice would rest on no source row, and the estimate on nothing.
        if scores.auc >= PERFECT:
            raise self._separated(scores)
        common = {item.name: getattr(self, item.name) for item in fields(Classifier) if item.name != "name"}
        common |= {"columns": scores.columns, "buckets": None, "lookup": ScoreLookup(source, target, scores)}
        if self.buckets is None:
            return [ScoreSlice(self.name, low=0.5, **common)]
        cuts = scores.cuts(self.buckets)
        bounds = zip((None, *cuts), (*cuts, None), strict=True)
        return [
            ScoreSlice(f"{self.name}_{number}", low=low, high=high, **common)
            for number, (low, high) in enumerate(bounds, start=1)
        ]

    def _separated(self, scores: RowScores) -> SliceError:
        first = scores.top_features[0].column
        others = [column for column in scores.columns if column != first]
        action = (
            f"Leave {first!r} out: set columns to others, such as {listed(others, 4)}."
            if others
            else "Remove the slice."
        )
        return SliceError(
            f"Slice {self.name!r}: the classifier separates labelled rows from new rows perfectly "
            f"(AUC {scores.auc:.3f}), by {name_features(scores.top_features)}. No labelled row is like a new one. "
            f"{action}"
        )

    def compile_codes(self, _schema: Schema) -> nw.Expr:
        """Refuse: what it says is known once both samples are."""
        raise self._not_resolved()

    @classmethod
    def _settings(cls, predicate: Predicate, _survey: Survey) -> dict[str, Any] | None:
        """Take `classifier`, with or without columns in brackets."""
        return None if predicate.constants or predicate.bounds else {"columns": predicate.columns or None}

    @classmethod
    def start(cls, survey: Survey) -> Self | None:
        """Use all columns, if any is without a role."""
        return cls("looks new") if survey.free else None

    def form(self) -> tuple[Control, ...]:
        """Offer columns, and buckets of the score."""
        family = Control("switch", "family", "One slice for each bucket of its score", self.is_family)
        columns = Control("columns", "columns", "Columns (none: all)", self.columns or ())
        more = (self._control("number", "buckets", "Buckets", low=2, high=50),) if self.is_family else ()
        return columns, family, *more

    def edited(self, field: str, value: Any, source: Sample) -> Self:
        """Change a setting, or go from the decision to buckets and back."""
        if field == "family":
            return replace(self, buckets=_BUCKETS if value else None)
        if field == "columns":
            return replace(self, columns=tuple(value) or None)
        return super().edited(field, value, source)


class ScoreLookup:
    """Hold the scores of two samples, to be asked for either.

    Equal if they hold the same scores. Written as the fingerprints of both samples, since the scores of one sample
    depend on the other.
    """

    def __init__(self, source: Sample, target: Sample, scores: RowScores) -> None:
        self.source, self.target, self.scores = source, target, scores

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScoreLookup) and other.scores is self.scores

    def __hash__(self) -> int:
        return id(self.scores)

    def __repr__(self) -> str:
        return f"ScoreLookup({self.source.fingerprint}, {self.target.fingerprint})"

    def of(self, sample: Sample) -> pa.Array:
        """Return the scores of the rows of one of the two samples."""
        # The same object first: two samples with the same rows have scores of their own.
        pairs = ((self.source, self.scores.source), (self.target, self.scores.target))
        for scores in (
            *(scores for scored, scores in pairs if sample is scored),
            *(scores for scored, scores in pairs if sample.fingerprint == scored.fingerprint),
        ):
            return pa.array(scores)
        raise SliceError(
            f"The classifier scored the rows of {self.source.name} and {self.target.name} only, not those of "
            f"{sample.name}. Resolve the slices for these samples."
        )


@dataclass(frozen=True, kw_only=True)
class ScoreSlice(Classifier, kind="classifier"):
    """Match the rows whose score is in [low, high); made by `Classifier`."""

    lookup: ScoreLookup
    low: float | None = None
    high: float | None = None

    def describe(self) -> str:
        """Say the rule in plain words."""
        if (self.low, self.high) == (0.5, None):
            return super().describe()
        low, high = (None if end is None else f"{end:.3g}" for end in (self.low, self.high))
        bounds = f"below {high}" if low is None else f"{low} or more" if high is None else f"from {low} up to {high}"
        return f"probability of being new {bounds}, by a classifier on {listed(self.columns or (), most=4)}"

    def members(self, _source: Sample, _target: Sample) -> Sequence[Slice]:
        """Stay as it is: it is made for two samples."""
        return [self]

    @property
    def findings(self) -> Iterator[Finding]:
        """Say how well the classifier distinguishes the samples, by what, and what it was trained on."""
        scores = self.lookup.scores
        sides = (self.lookup.source.n_rows, self.lookup.target.n_rows)
        features = name_features(scores.top_features) or "nothing in particular"
        draw = (
            f", trained on a random draw of {scores.trained[0]:,} of {sides[0]:,} labelled rows and "
            f"{scores.trained[1]:,} of {sides[1]:,} new rows"
        )
        yield Finding(
            "slices",
            "classifier_slice",
            "info",
            f"The classifier of slice {self.name!r} can tell labelled rows from new rows (AUC {scores.auc:.2f}), "
            f"mainly by {features}.",
            f"Nothing to do: an AUC of 0.5 means no difference, and one of {PERFECT} or more is refused.",
            f"Each row is scored by fits that did not see it{draw if scores.trained != sides else ''}.",
            slices=(self.name,),
            numbers={
                "name": self.name,
                "auc": scores.auc,
                "features": features,
                "source": scores.trained[0],
                "target": scores.trained[1],
            },
        )

    def measure(self, _schema: Schema) -> Measure:
        """Look the score up, which depends on both samples: it is kept with them, and not with the one asked for."""
        return Measure(f"\0classifier\0{id(self.lookup.scores)}", self.lookup.of, keep=False)

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Compare the score with the interval."""
        value = self.measure(schema).value(schema)
        inside = value >= (0.0 if self.low is None else self.low)
        return row_code(value.is_null(), inside if self.high is None else inside & (value < self.high))
