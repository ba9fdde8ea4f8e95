"""Function: a Python function of the whole frame. A project file cannot store it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, overload

import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc

from mandoline_core.data import Sample
from mandoline_core.errors import SliceError
from mandoline_core.slices.audit import SliceAudit
from mandoline_core.slices.noise import Noise
from mandoline_core.slices.rule import Measure, Schema, Slice


@dataclass(frozen=True, kw_only=True)
class FunctionSlice(Slice, kind="function"):
    """Ask a Python function of the whole frame; made by `slicing_function`."""

    unwritable: ClassVar[str] = (
        "is a Python function, which a project file cannot store. Write its result to a column and use kind 'flag'."
    )
    sees_all: ClassVar[bool] = True
    function: Callable[..., object]

    def _check(self) -> None:
        if not callable(self.function):
            raise self._wrong("function", "a function", self.function)

    def describe(self) -> str:
        """Say the rule in plain words: the first line of the function's docstring, else its name."""
        lines = (getattr(self.function, "__doc__", None) or "").strip().splitlines()
        return lines[0] if lines else f"Python function {getattr(self.function, '__name__', self.name)}"

    def measure(self, _schema: Schema) -> Measure:
        """Call the function each time: its result may depend on more than the sample."""
        return Measure(f"\0function\0{self.name}\0{id(self.function)}", self._answers, keep=False)

    def compile_codes(self, schema: Schema) -> nw.Expr:
        """Take the function's values, which are codes."""
        return self.measure(schema).value(schema)

    def _answers(self, sample: Sample) -> pa.Array:
        """Ask the function and check its answer."""
        answer = self.function(nw.to_native(sample.frame))
        answer = nw.from_native(answer, series_only=True, pass_through=True)
        try:
            array = answer.to_arrow() if isinstance(answer, nw.Series) else pa.array(answer, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            raise SliceError(
                f"Slicing function {self.name!r} returned {type(answer).__name__}. Expected one value for each row."
            ) from None
        if len(array) != sample.n_rows:
            raise SliceError(
                f"Slicing function {self.name!r} returned {len(array)} values for {sample.n_rows} rows of "
                f"{sample.name}. Return one value for each row, in the same order."
            )
        return self._as_codes(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array)

    def _as_codes(self, answers: pa.Array) -> pa.Array:
        """Turn true and false into codes, and refuse what is neither these nor codes."""
        if pa.types.is_boolean(answers.type):
            answers = pc.if_else(answers, pa.scalar(1, pa.int8()), pa.scalar(-1, pa.int8()))
        # pandas turns whole numbers beside a missing one into floats.
        if pa.types.is_floating(answers.type):
            answers = pc.if_else(pc.is_nan(answers), None, answers)
        if pa.types.is_integer(answers.type) or pa.types.is_floating(answers.type):
            strange = set(answers.unique().to_pylist()) - {1, -1, 0, None}
        else:
            strange = {str(value.as_py()) for value in answers.drop_null()[:1]}
        if strange:
            raise SliceError(
                f"Slicing function {self.name!r} returned {min(map(str, strange))!r}. "
                "Expected true or false, or 1, -1 and 0, for each row."
            )
        return answers.cast(pa.int8()).fill_null(0)


Rule = Callable[..., object]  # of a frame, one answer per row


@overload
def slicing_function(
    function: Rule,
    *,
    name: str | None = None,
    noise: Noise | None = None,
    gold: str | None = None,
    audit: SliceAudit | None = None,
    enabled: bool = True,
    note: str = "",
) -> FunctionSlice: ...
@overload
def slicing_function(
    function: None = None,
    *,
    name: str | None = None,
    noise: Noise | None = None,
    gold: str | None = None,
    audit: SliceAudit | None = None,
    enabled: bool = True,
    note: str = "",
) -> Callable[[Rule], FunctionSlice]: ...
def slicing_function(
    function: Rule | None = None, *, name: str | None = None, **settings: Any
) -> FunctionSlice | Callable[[Rule], FunctionSlice]:
    """Make a slice of a function that takes the frame and answers for every row.

    The answer is true or false per row, or 1, -1 and 0 for inside, outside and abstaining; a missing answer
    abstains too.

    Parameters
    ----------
    function : callable
        Takes the frame in its own engine's type; of a table beyond memory, batches of rows in pandas.
    name : str, optional
        The slice's name. By default, the function's.
    **settings
        noise, gold, audit, enabled and note, as for every slice.

    Examples
    --------
    >>> @slicing_function
    ... def shouting(frame):
    ...     return frame["text"].str.isupper()
    >>> shouting.name
    'shouting'
    """
    if function is None:
        return lambda later: slicing_function(later, name=name, **settings)
    if not callable(function):
        raise SliceError(
            f"slicing_function takes a function. Got {function!r}. To set a name, write name={function!r}."
        )
    own: str = getattr(function, "__name__", "function")
    return FunctionSlice(name or own, function=function, **settings)
