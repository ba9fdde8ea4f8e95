"""The rule: what every kind of slice shares, its settings checked as they come in, and what a kind may say."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from datetime import date
from typing import Any, ClassVar, Self

import narwhals as nw

from mandoline_core.data import Model, Sample, declare_type, is_date, read_date
from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.findings import Finding
from mandoline_core.formatting import show_date
from mandoline_core.slices.audit import SliceAudit
from mandoline_core.slices.expression.tree import Predicate
from mandoline_core.slices.noise import Noise
from mandoline_core.slices.rule.codes import Measure
from mandoline_core.slices.rule.needs import DATES, NUMBERS, TEXT, WRITTEN, Control, Schema
from mandoline_core.slices.rule.survey import Survey

Bound = float | date | str  # a rule keeps a date as text, "2024-03-01" or "2024-03-01 09:30"
LARGEST_WHOLE = 2**63  # no column of whole numbers holds more


@dataclass(frozen=True)
class Slice:
    """What every slice has in addition to its rule.

    A kind is a subclass in `kinds`, which overrides what differs from the defaults below.

    Parameters
    ----------
    name : str
        The slice's name.
    noise : Noise, optional
        How reliable the slice is. By default, always right.
    gold : str, optional
        A column of gold labels: whether a row truly belongs to the slice.
    audit : SliceAudit, optional
        Your answers about single rows. They override the gold column.
    enabled : bool
        Whether to use the slice. Others can still combine a disabled one.
    note : str
        Your note about the slice.
    """

    kind: ClassVar[str] = ""
    title: ClassVar[str] = ""
    purpose: ClassVar[str] = ""
    functions: ClassVar[tuple[str, ...]] = ()  # that a line may call to get a rule of the kind
    learns: ClassVar[bool] = False  # from rows in memory, and says nothing of others
    sees_all: ClassVar[bool] = False  # columns, whatever it makes of them
    unwritable: ClassVar[str] = ""  # why no project file can hold it, and what to do instead
    name: str
    _: KW_ONLY
    noise: Noise | None = None
    gold: str | None = None
    audit: SliceAudit | None = None
    enabled: bool = True
    note: str = field(default="", repr=False)  # no number depends on it

    def __init_subclass__(cls, *, kind: str = "", title: str = "", purpose: str = "", **more: Any) -> None:
        """Take what a kind is called in a project file, and its title and what it is for where it is offered."""
        super().__init_subclass__(**more)
        cls.kind, cls.title, cls.purpose = kind, title, purpose

    def __post_init__(self) -> None:
        """Refuse what no data could make right."""
        name: object = self.name
        if not isinstance(name, str) or not name.strip():
            raise SliceError(f"A slice's name must be a non-empty text. Got {self.name!r}.")
        if self.noise is not None and not isinstance(self.noise, Noise):
            raise self._wrong("noise", "a Noise with corrections", self.noise)
        self._check_types()
        if self.audit is not None and not isinstance(self.audit, SliceAudit):
            raise self._wrong("audit", "a SliceAudit", self.audit)
        if self.gold is not None and self.is_family:
            raise SliceError(
                f"Slice {self.name!r} is a family of slices, so it cannot have one gold column. Write out its "
                "slices, each with its own."
            )
        if self.audit is not None and self.is_family:
            raise SliceError(
                f"Slice {self.name!r} is a family of slices, so it cannot have one audit. Write out its slices, "
                "and audit each."
            )
        if not isinstance(self.note, str):
            raise self._wrong("note", "a text", self.note)
        if self.noise is not None and self.noise.measured and self.gold is None and self.audit is None:
            raise SliceError(
                f"Slice {self.name!r} needs a gold column or an audit to measure its corrections. Set gold, or "
                "audit some rows."
            )
        if self.noise is not None and self.noise.target_measured and self.audit is None:
            raise SliceError(
                f"Slice {self.name!r} needs an audit of new rows to measure its corrections in new data. Audit "
                "some new rows."
            )
        self._check()

    def _check(self) -> None:
        """Refuse settings of this kind that contradict themselves; they have the types they are declared with."""

    # What the rule says and reads.

    def describe(self) -> str:
        """Say the rule in plain words."""
        raise NotImplementedError

    @property
    def in_full(self) -> str:
        """The rule with all its values and digits, as in a project file.

        >>> from mandoline_core.slices import Threshold
        >>> Threshold("old", column="age", above=64.999999935).in_full
        'column = "age", above = 64.999999935'
        """
        common = {item.name for item in fields(Slice)}
        given = [(item, getattr(self, item.name)) for item in fields(self) if item.name not in common]
        own = {item.name: _written(value) for item, value in given if value != item.default}
        column_first = sorted(own, key=lambda name: name != "column")
        return ", ".join(f"{name} = {own[name]}" for name in column_first if own[name])

    @property
    def needs(self) -> Mapping[str, str]:
        """What the rule asks of each column whose type matters: one of the words in `needs`."""
        return {}

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns that decide the slice's codes, as far as the rule is resolved; its gold column does not."""
        return tuple(self.needs)

    @property
    def key(self) -> tuple[object, ...]:
        """What decides the slice's codes: its rule, without name, noise, gold, audit, enabled and note."""
        # Two slices with one key have the same codes, whatever else is said of them: caches ask for it.
        common = {item.name for item in fields(Slice)}
        values = (getattr(self, item.name) for item in fields(self) if item.name not in common)
        return (self.kind, *(_key(value) for value in values))

    def remedy(self, column: str, need: str, dtype: nw.dtypes.DType) -> str:
        """Say what to do about a column that does not hold what the rule needs."""
        if need == NUMBERS and is_date(dtype):
            return 'Compare it with a date, such as "2024-03-01".'
        if need == DATES and dtype == nw.String:
            return f"Write every date as in 2024-03-01. {declare_type(column, 'date')}"
        if need == NUMBERS and dtype == nw.String:
            return f"Use kind 'length' for the length of a text. {declare_type(column, 'number')}"
        if need == NUMBERS and dtype == nw.Boolean:
            return "Use kind 'flag' for true/false."
        if need in (TEXT, WRITTEN) and dtype.is_numeric():
            return "Use kind 'threshold', 'range' or 'category' for numbers."
        return "Choose another column or another kind."

    @property
    def findings(self) -> Iterable[Finding]:
        """Findings about a resolved rule; none for most."""
        return ()

    def marks(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Find what the rule matches in each text, to show it: the start and the end of each place."""
        return [[] for _ in texts]

    # What becomes of it on data.

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Compile a resolved rule whose columns have been checked to an expression of codes."""
        raise NotImplementedError

    def measure(self, _schema: Schema) -> Measure | None:
        """Say what the rule computes for a row before it compares; None for most."""
        return None

    @property
    def is_family(self) -> bool:
        """Tell whether the rule makes several slices."""
        return False

    def for_model(self, _source: Sample, _model: Model | None) -> Slice:
        """Replace the name of a model by the model."""
        return self

    def members(self, _source: Sample, _target: Sample) -> Sequence[Slice]:
        """List the slices of a family, and decide what depends on both samples."""
        return [self]

    def settle(self, _sample: Sample) -> Slice:
        """Check the rule against the values of one sample, and decide what depends on them."""
        return self

    # What it is made of: the other slices of a combination.

    @property
    def made_of(self) -> tuple[str | Slice, ...]:
        """The other slices of a combination: their names, or themselves once resolved."""
        return ()

    def made_again(self, _of: tuple[str | Slice, ...]) -> Slice:
        """Make the same rule of other slices."""
        return self

    @property
    def parts(self) -> tuple[Slice, ...]:
        """The other slices themselves, once resolved."""
        parts = tuple(other for other in self.made_of if isinstance(other, Slice))
        if len(parts) < len(self.made_of):
            raise self._not_resolved()
        return parts

    @property
    def leaves(self) -> Iterator[Slice]:
        """The rules that a combination is made of in the end; otherwise the rule itself."""
        if not self.made_of:
            yield self
        for part in self.parts:
            yield from part.leaves

    # How it is made and changed by hand.

    @classmethod
    def start(cls, _survey: Survey) -> Slice | None:
        """Make a rule to start from; None if the data does not allow it, an error if the user can fix it."""
        return None

    @classmethod
    def from_predicate(cls, name: str, predicate: Predicate, survey: Survey) -> Slice | None:
        """Make a rule from typed text; None if this kind cannot express it."""
        settings = cls._settings(predicate, survey) if predicate.function in cls.functions else None
        return None if settings is None else cls(name, **settings)

    @classmethod
    def _settings(cls, _condition: Predicate, _survey: Survey) -> dict[str, Any] | None:
        """Find the settings of the rule that says the same as a condition on one of the kind's functions."""
        return None

    def as_expression(self) -> str | None:
        """Write the rule as an expression; None where the language cannot say it."""
        return None

    @property
    def short_name(self) -> str:
        """The rule's default name."""
        return self.describe()

    def form(self) -> tuple[Control, ...]:
        """Describe the controls that the rule is edited with: those that its fields are `shown` with."""
        shown = {item.name: item.metadata["control"] for item in fields(self) if "control" in item.metadata}
        return tuple(Control(field=name, value=getattr(self, name), **control) for name, control in shown.items())

    def edited(self, field: str, value: Any, _source: Sample) -> Self:
        """Return the rule with what a control of its form now holds.

        Parameters
        ----------
        field : str
            The control's.
        source : Sample
            Where new bounds and values come from.
        """
        return replace(self, **{field: value})

    # What kinds check themselves with.

    def _control(self, type_: str, field: str, label: str, **settings: Any) -> Control:
        """Describe a control that shows one of the rule's own settings."""
        return Control(type_, field, label, getattr(self, field), **settings)

    def _not_resolved(self) -> SliceError:
        return SliceError(f"Slice {self.name!r} is not resolved. Call resolve() on the rules first.")

    def _wrong(self, field: str, expected: str, value: object, hint: str = "") -> SliceError:
        """Build the message for a setting of the wrong type."""
        return SliceError(f"Slice {self.name!r}: {field} must be {expected}. Got {value!r}.{hint}")

    def _set(self, field: str, value: object) -> None:
        """Replace a setting by its canonical form, while the slice is being made."""
        object.__setattr__(self, field, value)

    def _check_types(self) -> None:
        """Refuse texts, numbers and answers of yes or no that are not what their field is declared as."""
        for item in fields(self):
            # Annotations are texts here, and types where a kind is written without postponing them.
            declared, value = getattr(item.type, "__name__", str(item.type)), getattr(self, item.name)
            if item.name in ("name", "note") or (value is None and declared.endswith(" | None")):
                continue
            options = list(item.metadata.get("control", {}).get("options", ()))  # a list: a value may have no hash
            if options and declared == "str" and value not in options:
                hint = did_you_mean(str(value), options)
                raise self._wrong(item.name, " or ".join(map(repr, options)), value, hint)
            match declared.removesuffix(" | None"):
                case "str" if not isinstance(value, str) or not value:
                    raise self._wrong(item.name, "a non-empty text", value)
                case "bool" if not isinstance(value, bool):
                    raise self._wrong(item.name, "true or false", value)
                case "float" if value is not None:  # the kind says what to do without one
                    self._check_number(item.name, value)
                case "Bound" if value is not None:
                    self._check_bound(item.name, value)

    def _check_number(self, name: str, value: object) -> None:
        # To Python a bool is a number; to a person who writes it, it is a mistake.
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._wrong(name, "a number", value)
        if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
            raise SliceError(f"Slice {self.name!r}: {name} has {len(str(value))} digits. Use a smaller number.")
        if not math.isfinite(value):
            raise self._wrong(name, "a finite number", value)

    def _check_bound(self, name: str, value: object) -> None:
        """Refuse what is neither a number nor a date; store a date as text."""
        if not isinstance(value, (str, date)):
            self._check_number(name, value)
            return
        found = read_date(value if isinstance(value, str) else value.isoformat())
        if found is None:
            raise self._wrong(name, 'a number, or a date such as "2024-03-01"', value)
        self._set(name, show_date(found))

    def _check_whole(self, name: str, low: int, high: int | None = None) -> None:
        """Refuse what is not a whole number within limits; None passes."""
        value = getattr(self, name)
        if value is None:
            return
        if isinstance(value, bool) or not isinstance(value, int) or value < low or (high is not None and value > high):
            limits = f", {low} or more" if high is None else f" from {low} to {high}"
            raise self._wrong(name, f"a whole number{limits}", value)

    def _check_list(self, name: str, what: str) -> tuple[object, ...]:
        """Refuse what is not a list with something in it; store it as a tuple."""
        value = getattr(self, name)
        if isinstance(value, str):
            raise self._wrong(name, f"a list of {what}", value, f" Did you mean [{value!r}]?")
        if not isinstance(value, Iterable):
            raise self._wrong(name, f"a list of {what}", value)
        items = tuple(value)
        if not items:
            raise SliceError(f"Slice {self.name!r}: {name} is empty. Add at least one of its {what}.")
        self._set(name, items)
        return items


def free_name(name: str, taken: Collection[str]) -> str:
    """Append a number to a name that is taken.

    >>> free_name("long", ["long", "long (2)"])
    'long (3)'
    """
    numbered = itertools.chain([name], (f"{name} ({n})" for n in itertools.count(2)))
    return next(candidate for candidate in numbered if candidate not in taken)


def _written(value: object) -> str:
    """Write a setting as a project file has it; nothing for what it cannot hold."""
    match value:
        case str() | bool() | int() | float():
            return json.dumps(value, ensure_ascii=False)
        case Slice() | Model():
            return json.dumps(value.name, ensure_ascii=False)
        case tuple():
            return f"[{', '.join(map(_written, value))}]"
    return ""


def _key(value: object) -> object:
    if isinstance(value, Slice):
        return value.key
    return tuple(_key(item) for item in value) if isinstance(value, tuple) else value
