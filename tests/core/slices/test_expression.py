"""What expressions answer, missing values included: the same on every engine and as worked out row by row."""

from __future__ import annotations

import ast
import math
import operator
import re
from datetime import date, datetime, timedelta

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, reject, settings
from hypothesis import strategies as st

from mandoline_core.data import PANDAS_READS_RE2
from mandoline_core.slices.expression.compiler import compile_expression_code
from mandoline_core.slices.expression.syntax import ExpressionError
from mandoline_core.slices.expression.tree import FUNCTIONS, expression_columns, parse_expression

NAN, INF = math.nan, math.inf
ROWS = {
    "text": ["Not a word", "never", None, "", "knot; Été 2020", "fine\nnot", "a b  c", None, "ÉTÉ", "no-one"],
    "country": ["FR", "DE", None, "fr", "", "FR", "IT", "DE", "FR", None],
    "age": [70, 3, None, -7, 0, 65, None, 10, 1, 2],
    "n": [1, 2, 3, -4, 0, 6, 7, 0, 9, 1],
    "x": [0.5, NAN, None, -0.0, INF, -INF, 2.0, 1.5, -3.25, 65.0],
    "member": [True, False, None, True, False, None, True, False, None, True],
    "when": [date(2024, 2, 29 - day) if day != 3 else None for day in range(10)],
    "at": [datetime(1969, 12, 31, 23, 30) + timedelta(days=30, hours=n) if n else None for n in range(10)],
    "flag": [True, True, True, False, False, False, True, False, True, False],
}
TABLE = pa.table({**ROWS, "x": pa.array(ROWS["x"], from_pandas=False)})
POLARS = pl.DataFrame(ROWS, strict=False)
PANDAS = pd.DataFrame(ROWS).astype({"when": pd.ArrowDtype(pa.date32()), "member": "boolean"})
with np.errstate(invalid="ignore"):  # pandas before 3.1 asks of infinity whether it is a whole number
    NULLABLE = pd.DataFrame(ROWS).convert_dtypes().astype({"when": pd.ArrowDtype(pa.date32())})
ENGINES = {
    "pandas": PANDAS,
    "pandas objects": PANDAS.astype({"text": object, "country": "category"}),
    "pandas nullable": NULLABLE,
    "pandas on Arrow": TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "Polars": POLARS,
    "Polars categories": POLARS.cast({"country": pl.Categorical, "age": pl.Int8, "x": pl.Float32}),
    "Polars lazy": POLARS.lazy(),
    "PyArrow": TABLE,
}
if not PANDAS_READS_RE2:  # then rules on a frame of pandas are evaluated in PyArrow
    ENGINES |= {name: pa.Table.from_pandas(frame) for name, frame in ENGINES.items() if isinstance(frame, pd.DataFrame)}
SCHEMA = dict(nw.from_native(TABLE).schema) | {"class": nw.Int8(), "two words": nw.Float64()}


def codes(text: str, engine: str) -> list[int]:
    """Compile an expression for one engine's frame and run it there."""
    frame = nw.from_native(ENGINES[engine])
    result = frame.lazy().select(compile_expression_code(text, frame.collect_schema()).alias("code")).collect()
    assert result["code"].dtype == nw.Int8
    return result["code"].to_list()


# --- what it answers ---------------------------------------------------------------------------------------------

ANSWERS = {
    'contains(text, "not", "never")': [1, 1, 0, -1, -1, 1, -1, 0, -1, -1],
    'contains(text, "été")': [-1, -1, 0, -1, 1, -1, -1, 0, 1, -1],
    "length(text) > 6": [1, -1, 0, -1, 1, 1, -1, 0, -1, -1],
    "words(text) >= 2": [1, -1, 0, -1, 1, 1, 1, 0, -1, -1],
    'lower(country) == "fr"': [1, -1, 0, 1, -1, 1, -1, -1, 1, 0],
    'country in ("FR", "DE")': [1, 1, 0, -1, -1, 1, -1, 1, 1, 0],
    'country not in ("FR")': [-1, 1, 0, 1, 1, -1, 1, 1, -1, 0],
    'country < "G"': [1, 1, 0, -1, 1, 1, -1, 1, 1, 0],
    'starts_with(text, "n", "N")': [1, 1, 0, -1, -1, -1, -1, 0, -1, 1],
    'ends_with(text, "not")': [-1, -1, 0, -1, -1, 1, -1, 0, -1, -1],
    r'matches(text, "\d+$")': [-1, -1, 0, -1, 1, -1, -1, 0, -1, -1],
    "age >= 65": [1, -1, 0, -1, -1, 1, 0, -1, -1, -1],
    "0 < age <= 10": [-1, 1, 0, -1, -1, -1, 0, 1, 1, 1],
    "x > 1": [-1, 0, 0, -1, 1, -1, 1, 1, -1, 1],
    "x - x == 0": [1, 0, 0, 1, 0, 0, 1, 1, 1, 1],
    "age / n >= 1": [1, 1, 0, 1, 0, 1, 0, 0, -1, 1],
    "1 / (1 / n) > 0": [1, 1, 1, -1, 0, 1, 1, 0, 1, 1],
    "n % 2 == 0": [-1, 1, -1, 1, 1, 1, -1, 1, -1, -1],
    "n % -5 == -4": [1, -1, -1, 1, -1, 1, -1, -1, -1, 1],
    "abs(age) == 7": [-1, -1, 0, 1, -1, -1, 0, -1, -1, -1],
    'col("x") > 1': [-1, 0, 0, -1, 1, -1, 1, 1, -1, 1],
    "max(n, x - x) == n": [1, 0, 0, -1, 0, 0, 1, 1, 1, 1],
    "min(age, x, 2) == 2": [-1, 0, 0, -1, -1, -1, 0, -1, -1, 1],
    "is_missing(x)": [-1, 1, 1, -1, -1, -1, -1, -1, -1, -1],
    "is_missing(text)": [-1, -1, 1, -1, -1, -1, -1, 1, -1, -1],
    "is_missing(member)": [-1, -1, 1, -1, -1, 1, -1, -1, 1, -1],
    "member": [1, -1, 0, 1, -1, 0, 1, -1, 0, 1],
    "not member": [-1, 1, 0, -1, 1, 0, -1, 1, 0, -1],
    "member == flag": [1, -1, 0, -1, 1, 0, 1, 1, 0, -1],
    "member != False": [1, -1, 0, 1, -1, 0, 1, -1, 0, 1],
    "member in (TRUE, false)": [1, 1, 0, 1, 1, 0, 1, 1, 0, 1],
    "member and flag": [1, -1, 0, -1, -1, -1, 1, -1, 0, -1],
    "member or flag": [1, 1, 1, 1, -1, 0, 1, -1, 1, 1],
    "member or true": [1] * 10,
    "member and 1 < 2": [1, -1, 0, 1, -1, 0, 1, -1, 0, 1],
    "(1 < 2) == member or not true": [1, -1, 0, 1, -1, 0, 1, -1, 0, 1],
    "\n  age > 0\n  and\t(n > 0) ": [1, 1, 0, -1, -1, 1, 0, -1, 1, 1],
    'when >= "2024-02-25"': [1, 1, 1, 0, 1, -1, -1, -1, -1, -1],
    '"2024-02-22" < when <= "2024-02-25 12:00"': [-1, -1, -1, 0, 1, 1, 1, -1, -1, -1],
    'when in ("2024-02-29", "2024-02-27")': [1, -1, 1, 0, -1, -1, -1, -1, -1, -1],
    'at > "1970-01-30"': [0, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    'at == "1970-01-31"': [0, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    'at != "1970-01-31 02:30"': [0, 1, 1, -1, 1, 1, 1, 1, 1, 1],
    "at < when": [0, 1, 1, 0, 1, 1, 1, 1, 1, 1],
    "hour(at) >= 3 or hour(when) > 0": [0, -1, -1, 0, 1, 1, 1, 1, 1, 1],
    "year(when) == 2024 and month(at) == 1": [0, 1, 1, 0, 1, 1, 1, 1, 1, 1],
    "weekday(when) >= 6": [-1, -1, -1, 0, 1, 1, -1, -1, -1, -1],
    "not age > 2 * 5 + 2": [-1, 1, 0, 1, 1, -1, 0, 1, 1, 1],
}


@pytest.mark.parametrize("text", ANSWERS)
def test_answer_is_the_same_on_every_engine(text):
    """Each construct gives the codes worked out by hand, missing values included."""
    assert {engine: codes(text, engine) for engine in ENGINES} == dict.fromkeys(ENGINES, ANSWERS[text])


def test_decimal_enum_and_unsigned_columns_are_read():
    """Numbers of any width and texts of a closed set behave as numbers and texts."""
    frame = nw.from_native(
        pl.DataFrame(
            {"d": ["1.5", None], "e": ["a", "b"], "u": [0, 255]},
            schema_overrides={"e": pl.Enum(["b", "a"]), "u": pl.UInt8},
        ).with_columns(pl.col("d").cast(pl.Decimal(10, 2)))
    )
    code = compile_expression_code('d > 1 or (e < "b" and u - 1 < 0)', frame.schema)
    assert frame.select(code.alias("code"))["code"].to_list() == [1, 0]
    assert frame.select(compile_expression_code("u + 1 == 256", frame.schema).alias("code"))["code"].to_list() == [
        -1,
        1,
    ]


def test_empty_frame_gives_no_codes():
    """A frame without rows is no special case."""
    for native in (TABLE, POLARS, ENGINES["pandas"]):
        frame = nw.from_native(native).head(0)
        code = compile_expression_code('contains(text, "a") or x / n > 1 or member', frame.schema)
        assert frame.select(code.alias("code"))["code"].to_list() == []


def test_backslash_stands_for_itself_except_before_a_quote():
    """A pattern is written as it is, with or without Python's r."""
    frame = nw.from_native(pa.table({"text": ['say "no"', "\\d", "7"]}))
    for text, expected in {
        r'text == "say \"no\""': [1, -1, -1],
        """text == 'say "no"'""": [1, -1, -1],
        r'text == "\d"': [-1, 1, -1],
        r'matches(text, "^\d")': [-1, -1, 1],
        r'matches(text, r"\bno\b")': [1, -1, -1],
    }.items():
        assert frame.select(compile_expression_code(text, frame.schema).alias("code"))["code"].to_list() == expected


def test_columns_are_listed_in_order_of_first_use():
    """Bare names, quoted names and Python's reserved words are all columns."""
    text = 'class == 1 or col("two words") > 2 and is_missing(été) or lambda < class or col("true")'
    assert expression_columns(text) == ("class", "two words", "été", "lambda", "true")
    assert parse_expression(text).text == text
    assert compile_expression_code('class == 1 or col("two words") > class', SCHEMA) is not None


@pytest.mark.parametrize("engine", ["pandas", "Polars", "PyArrow"])
def test_deepest_and_longest_expressions_run(engine):
    """What the limits let through does not exhaust an engine."""
    deep = "not (" * 19 + "member" + ")" * 19
    assert codes(deep, engine) == [-code for code in ANSWERS["member"]]
    # A chain of equalities reads each side once, so the work grows with the length, not with its power.
    assert codes("(" * 35 + "member" + " == true)" * 35, engine) == ANSWERS["member"]
    assert codes(" or ".join(["age >= 65"] * 50), engine) == ANSWERS["age >= 65"]  # 99 operators, one below the limit
    assert codes("0" + " + age" * 38 + " > 0", engine) == [1, 1, 0, -1, -1, 1, 0, 1, 1, 1]
    assert codes("x" + " / n" * 20 + " > 0", engine) == [1, 0, 0, -1, 0, -1, 1, 0, -1, 1]


def test_every_function_is_tried_above():
    """A new function must come with an answer worked out by hand."""
    written = " ".join(ANSWERS)
    assert [name for name in FUNCTIONS if f"{name}(" not in written] == []


# --- an oracle: Python's own parser, one row at a time, None for what is not known ------------------------------------

COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def oracle(node: ast.expr, row: dict[str, object]) -> object:
    """Evaluate a Python tree on one row; None means unknown."""
    match node:
        case ast.Constant(value=value):
            return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
        case ast.Name(id=name):
            value = {"true": True, "false": False}.get(name, row.get(name))
            return known(float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value)
        case ast.UnaryOp(op=ast.Not()):
            value = oracle(node.operand, row)
            return None if value is None else not value
        case ast.UnaryOp():
            value = oracle(node.operand, row)
            return None if value is None else -value
        case ast.BoolOp(op=sign, values=parts):
            values = [oracle(part, row) for part in parts]
            decisive = isinstance(sign, ast.Or)
            return decisive if decisive in values else None if None in values else not decisive
        case ast.BinOp():
            return arithmetic(node.op, oracle(node.left, row), oracle(node.right, row))
        case ast.Compare(ops=[ast.In() | ast.NotIn() as sign]):
            item, choices = oracle(node.left, row), [oracle(choice, row) for choice in node.comparators[0].elts]
            return None if item is None else (item in choices) == isinstance(sign, ast.In)
        case ast.Compare():
            values = [oracle(value, row) for value in (node.left, *node.comparators)]
            answers = [
                None if a is None or b is None else COMPARE[type(sign)](a, b)
                for sign, a, b in zip(node.ops, values, values[1:], strict=False)
            ]
            return False if False in answers else None if None in answers else True
        case ast.Call(func=ast.Name(id="is_missing")):
            return oracle(node.args[0], row) is None
        case ast.Call(func=ast.Name(id=function)):
            values = [oracle(argument, row) for argument in node.args]
            return None if None in values else CALLS[function](*values)
    raise AssertionError(ast.dump(node))


def arithmetic(sign: ast.operator, left: float | None, right: float | None) -> float | None:
    """Apply a sign to two numbers; dividing by zero and infinity minus infinity give nothing known."""
    if left is None or right is None or (isinstance(sign, (ast.Div, ast.Mod)) and right == 0):
        return None
    with np.errstate(all="ignore"):
        a, b = np.float64(left), np.float64(right)
        signs = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide}
        result = a - np.floor(a / b) * b if isinstance(sign, ast.Mod) else signs[type(sign)](a, b)
    return known(float(result))


def known(value: object) -> object:
    """Read NaN as missing."""
    return None if isinstance(value, float) and math.isnan(value) else value


CALLS = {
    "abs": abs,
    "min": min,
    "max": max,
    "lower": str.lower,
    "length": lambda text: float(len(text)),
    "words": lambda text: float(len(text.split())),
    "contains": lambda text, *words: any(re.search(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", text) for word in words),
    "starts_with": lambda text, *starts: text.startswith(starts),
    "ends_with": lambda text, *ends: text.endswith(ends),
    "matches": lambda text, pattern: re.search(pattern, text) is not None,
}

texts = st.sampled_from(["text", "country", "lower(text)", "lower(country)"])
strings = st.sampled_from(['"FR"', "'fr'", '"not"', '"never"', '"é"', '"a"', '"no-one"', "'2020'"])
signs = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])


def call(name: str, *arguments: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Write a call."""
    return st.tuples(*arguments).map(lambda parts: f"{name}({', '.join(parts)})")


def joined(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Write parts side by side."""
    return st.tuples(*parts).map(" ".join)


def bracketed(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Write a part in brackets."""
    return part.map("({})".format)


some_strings = st.lists(strings, min_size=1, max_size=3).map(", ".join)
atoms = st.sampled_from(["age", "n", "x", "0", "1", "2.5", "65", ".5", "1e3", "length(text)", "words(text)"])
numbers = st.recursive(
    atoms,
    lambda inner: (
        joined(inner, st.sampled_from(["+", "-", "*", "/", "%"]), inner)
        | bracketed(inner)
        | inner.map("-{}".format)
        | call("abs", inner)
        | call("min", inner, inner)
        | call("max", inner, inner, inner)
    ),
    max_leaves=6,
)
simple = (
    joined(numbers, signs, numbers)
    | joined(numbers, signs, numbers, signs, numbers)
    | joined(texts, signs, strings | texts)
    | joined(atoms, st.sampled_from(["in", "not in"]), st.sampled_from(["(1, 2.5)", "[65]", "(-7, 0,)"]))
    | joined(texts, st.sampled_from(["in", "not in"]), some_strings.map("[{}]".format))
    | st.sampled_from(["contains", "starts_with", "ends_with"]).flatmap(lambda name: call(name, texts, some_strings))
    | call("matches", texts, st.sampled_from([r'"^n"', r'"[a-z]+"', r'"2|F"']))
    | st.sampled_from([f"is_missing({name})" for name in ROWS])
    | st.sampled_from(["member", "flag", "true", "False"])
)
conditions = st.recursive(
    simple,
    lambda inner: (
        joined(inner, st.sampled_from(["and", "or"]), inner)
        | joined(bracketed(inner), st.sampled_from(["==", "!="]), bracketed(inner))
        | bracketed(inner).map("not {}".format)
        | bracketed(inner)
        | inner.map("not {}".format)
    ),
    max_leaves=6,
)
REFUSED = (
    "division by zero",
    "this number is too large",
    "a remainder of a remainder",
    "the expression reads no column",
)


@given(conditions)
@example("1 / (n - n) > 0 or member")
@example("max(x - x, 1) == 1")
@example("x in (0, 1)")
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@pytest.mark.slow
def test_codes_equal_a_row_by_row_evaluation_in_python(text):
    """On any expression, each engine gives 1 for True, -1 for False and 0 for None."""
    try:
        compile_expression_code(text, SCHEMA)
    except ExpressionError as error:
        if not error.problem.startswith(REFUSED):
            raise
        reject()
    tree = ast.parse(text, mode="eval").body
    rows = [dict(zip(ROWS, values, strict=True)) for values in zip(*ROWS.values(), strict=True)]
    expected = [{True: 1, False: -1, None: 0}[oracle(tree, row)] for row in rows]
    for engine in ENGINES:
        assert codes(text, engine) == expected, engine
