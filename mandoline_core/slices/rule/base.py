"""The rule: what every kind of slice shares, its settings checked as they come in, and what a kind may say."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import narwhals as nw

from mandoline_core.data import Model, Sample
from mandoline_core.errors import SliceError, did_you_mean
from mandoline_core.findings import Finding
from mandoline_core.slices.audit import SliceAudit
from mandoline_core.slices.expression.tree import Predicate
from mandoline_core.slices.noise import Noise
from mandoline_core.slices.rule.codes import Measure
from mandoline_core.slices.rule.needs import NUMBERS, TEXT, Control, Schema
from mandoline_core.slices.rule.survey import Survey

LARGEST_WHOLE = 2**63  # no column of whole numbers holds more


@dataclass(frozen=True)
class Slice:
    """What every slice has beside its rule.

    A kind is a subclass in `kinds`: its fields, what it needs and compiles to, how it reads, and whatever else below
    is not as for most.

    Parameters
    ----------
    name : str
        The slice's name.
    noise : Noise, optional
        How far to trust the slice; entirely when left out.
    gold : str, optional
        A column that holds the true answer, read as `Flag` reads its column.
    audit : SliceAudit, optional
        What a person answered about single rows; it goes before the gold column.
    enabled : bool
        A disabled slice can be named by others but is not modelled.
    note : str
        Why the slice is there, in a person's own words.
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
            raise SliceError(f"A slice's name must be a text that is not empty. Got {self.name!r}.")
        if self.noise is not None and not isinstance(self.noise, Noise):
            raise self._wrong("noise", "a Noise with corrections", self.noise)
        self._check_types()
        if self.audit is not None and not isinstance(self.audit, SliceAudit):
            raise self._wrong("audit", "a SliceAudit", self.audit)
        if self.gold is not None and self.is_family:
            raise SliceError(
                f"Slice {self.name!r} stands for several slices, so one gold column cannot be the truth of each. "
                "Write the slices out, each with its own."
            )
        if self.audit is not None and self.is_family:
            raise SliceError(
                f"Slice {self.name!r} stands for several slices, so an answer cannot be the truth of each. "
                "Write the slices out, and audit each."
            )
        if not isinstance(self.note, str):
            raise self._wrong("note", "a text", self.note)
        if self.noise is not None and self.noise.measured and self.gold is None and self.audit is None:
            raise SliceError(
                f"Slice {self.name!r} asks for measured corrections but has no gold column to measure against. "
                "Add gold."
            )
        if self.noise is not None and self.noise.target_measured and self.audit is None:
            raise SliceError(
                f"Slice {self.name!r} asks for measured corrections of the target but has no audit. Audit target rows."
            )
        self._check()

    def _check(self) -> None:
        """Refuse settings of this kind that contradict themselves; they have the types they are declared with."""

    # What the rule says and reads.

    def describe(self) -> str:
        """Say the rule in plain words."""
        raise NotImplementedError

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

    def remedy(self, need: str, dtype: nw.dtypes.DType) -> str:
        """Say what to do about a column that does not hold what the rule needs."""
        if need == NUMBERS and dtype == nw.String:
            return "For the length of a text use kind 'length'; else make the column numbers."
        if need == NUMBERS and dtype == nw.Boolean:
            return "For true/false use kind 'flag'."
        if need == TEXT and dtype.is_numeric():
            return "For numbers use kind 'threshold', 'range' or 'category'."
        return "Choose another column or another kind."

    @property
    def findings(self) -> Iterable[Finding]:
        """What to know about a resolved rule on the data it was resolved for; nothing, for most."""
        return ()

    def marks(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Find what the rule matches in each text, to show it: the start and the end of each place."""
        return [[] for _ in texts]

    # What becomes of it on data.

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Compile a resolved rule whose columns have been checked to an expression of codes."""
        raise NotImplementedError

    def measure(self, _schema: Schema) -> Measure | None:
        """Say what the rule computes of a row before it compares; most compare what is there."""
        return None

    @property
    def is_family(self) -> bool:
        """Tell whether the rule stands for several slices."""
        return False

    def for_model(self, _source: Sample, _model: Model | None) -> Slice:
        """Put the model that the rule speaks of in the place of its name."""
        return self

    def members(self, _source: Sample, _target: Sample) -> Sequence[Slice]:
        """Write a family out, and decide what only both samples together can tell."""
        return [self]

    def settle(self, _sample: Sample) -> Slice:
        """Check the rule against the values of one sample, and decide what these can tell."""
        return self

    # What it is made of: the other slices of a combination.

    @property
    def made_of(self) -> tuple[str | Slice, ...]:
        """The other slices that the rule is made of: by name, or themselves once resolved."""
        return ()

    def made_again(self, _of: tuple[str | Slice, ...]) -> Slice:
        """Make the same rule of other slices."""
        return self

    @property
    def parts(self) -> tuple[Slice, ...]:
        """The other slices themselves; `resolve` puts them in the place of their names."""
        parts = tuple(other for other in self.made_of if isinstance(other, Slice))
        if len(parts) < len(self.made_of):
            raise self._not_resolved()
        return parts

    @property
    def leaves(self) -> Iterator[Slice]:
        """The rules at the bottom of a combination; the rule itself if it is none."""
        if not self.made_of:
            yield self
        for part in self.parts:
            yield from part.leaves

    # How it is made and changed by hand.

    @classmethod
    def start(cls, _survey: Survey) -> Slice | None:
        """Make a rule to start from; None where the data do not allow it, an error where a person can mend it."""
        return None

    @classmethod
    def from_predicate(cls, name: str, predicate: Predicate, survey: Survey) -> Slice | None:
        """Make a rule of what a person typed, if this kind can say it; None leaves it to the others."""
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
        """What to call the rule when nobody gave it a name."""
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
            Bounds and values that start anew are this sample's.
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
                    raise self._wrong(item.name, "a text that is not empty", value)
                case "bool" if not isinstance(value, bool):
                    raise self._wrong(item.name, "true or false", value)
                case "float" if value is not None:  # the kind says what to do without one
                    self._check_number(item.name, value)

    def _check_number(self, name: str, value: object) -> None:
        # To Python a bool is a number; to a person who writes it, it is a mistake.
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._wrong(name, "a number", value)
        if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
            raise SliceError(f"Slice {self.name!r}: {name} is a number of {len(str(value))} digits. Use a smaller one.")
        if not math.isfinite(value):
            raise self._wrong(name, "a finite number", value)

    def _check_whole(self, name: str, low: int, high: int | None = None) -> None:
        """Refuse what is not a whole number within limits; None passes."""
        value = getattr(self, name)
        if value is None:
            return
        if isinstance(value, bool) or not isinstance(value, int) or value < low or (high is not None and value > high):
            limits = f", {low} or above" if high is None else f" from {low} to {high}"
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
            raise SliceError(f"Slice {self.name!r}: {name} is empty. Expected at least one of its {what}.")
        self._set(name, items)
        return items


def free_name(name: str, taken: Collection[str]) -> str:
    """Put a number behind a name that is taken.

    >>> free_name("long", ["long", "long (2)"])
    'long (3)'
    """
    numbered = itertools.chain([name], (f"{name} ({n})" for n in itertools.count(2)))
    return next(candidate for candidate in numbered if candidate not in taken)


def _key(value: object) -> object:
    if isinstance(value, Slice):
        return value.key
    return tuple(_key(item) for item in value) if isinstance(value, tuple) else value
