"""Expressions that cannot be used: each mistake has its sentence and its place, and nothing hostile runs."""

from __future__ import annotations

import pickle
import re
import sys

import narwhals as nw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mandoline_core.errors import SliceError
from mandoline_core.slices import Expression
from mandoline_core.slices.expression.compiler import compile_expression_code
from mandoline_core.slices.expression.syntax import ExpressionError
from mandoline_core.slices.expression.tree import parse_expression

SCHEMA = {
    "text": nw.String(),
    "country": nw.Categorical(),
    "age": nw.Int64(),
    "n": nw.Int64(),
    "x": nw.Float64(),
    "member": nw.Boolean(),
    "flag": nw.Boolean(),
    "class": nw.Int8(),
    "when": nw.Date(),
    "lasted": nw.Duration(),
    "two words": nw.Float64(),
}


def problem(text: str) -> str:
    """Return the message of the error that an expression raises."""
    with pytest.raises(ExpressionError) as caught:
        compile_expression_code(text, SCHEMA)
    assert isinstance(caught.value, SliceError)
    assert 0 <= caught.value.position <= len(text)
    assert caught.value.text == text
    return str(caught.value).removeprefix("Expression, ")


MESSAGES = {
    "": "position 1: the expression is empty. Write a condition, such as age >= 65.",
    "  \n": "position 1: the expression is empty. Write a condition, such as age >= 65.",
    # In the middle of typing
    "age >= 65 and": "position 11: something is missing after 'and'.",
    "age >= ": "position 5: something is missing after '>='.",
    "not": "position 1: something is missing after 'not'.",
    "contains(text,": "position 14: something is missing after ','.",
    "contains(text": "position 9: this '(' is never closed.",
    'contains(text, "no': "position 16: this quote is never closed.",
    "matches(text, r'no": "position 15: this quote is never closed.",
    "and age": "position 1: something is missing before 'and'.",
    "age > and": "position 7: something is missing after '>' and before 'and'.",
    "age > 5)": "position 8: this ')' has no opening bracket.",
    "(age > 5]": "position 9: ']' closes '('. Write ')'.",
    "age 5": "position 5: an operator, such as 'and', is missing between 'age' and '5'.",
    # From other languages
    "age = 5": "position 5: '=' is not part of the language. Write == to compare.",
    "age > 5 && member": "position 9: '&&' is not part of the language. Write and.",
    "age \u2265 5": "position 5: '\u2265' is not part of the language. Write >=.",
    "country == \u201cFR\u201d": (
        "position 12: '\u201c' is not part of the language. Write straight quotes, as in \"text\"."
    ),
    "age > 5 AND member": (
        "position 9: an operator, such as 'and', is missing between '5' and 'AND'. Write 'and' in lower case."
    ),
    "age is None": (
        "position 5: an operator, such as 'and', is missing between 'age' and 'is'. "
        "Write == to compare, or is_missing(column)."
    ),
    "age > 1,5": (
        'position 8: a comma is only allowed in brackets, as in country in ("FR", "DE"). Write decimals with a '
        "point: 0.5."
    ),
    "age > 10_000": ("position 7: '10_000' is not a number. Write digits, a decimal point and an exponent only."),
    "member == not flag": "position 11: 'not' after '==' needs brackets, as in (not ...).",
    # Names
    'member and cuntry == "FR"': "position 12: unknown column 'cuntry'. Did you mean 'country'?",
    "zebra == 1": (
        "position 1: unknown column 'zebra'. Columns: text, country, age, n, x, member, flag, class, when, "
        "lasted, two words. "
        'A text goes in quotes: "zebra".'
    ),
    'col("two word") > 1': "position 1: unknown column 'two word'. Did you mean 'two words'?",
    "is_missing(zebra)": (
        "position 12: unknown column 'zebra'. Columns: text, country, age, n, x, member, flag, class, when, "
        "lasted, two words."
    ),
    "age == null": "position 8: unknown column 'null'. For missing values, write is_missing(column).",
    "length > 3": "position 1: unknown column 'length'. The function is written length(text).",
    "words > 3": "position 1: unknown column 'words'. The function is written words(text).",
    "two > 3": "position 1: unknown column 'two'. Did you mean 'two words'? Write col(\"two words\").",
    "Betrag (EUR) > 200": ("position 1: unknown function 'Betrag'. If it is a column, write col(\"Betrag (EUR)\")."),
    "country < 30": (
        "position 11: 'country' is text but '30' is a number, so '<' cannot compare them. If it holds numbers, choose "
        'its type on the Data page, or set types = { country = "number" } in the project file.'
    ),
    "lenght(text) > 3": "position 1: unknown function 'lenght'. Did you mean 'length'?",
    "exit()": (
        "position 1: unknown function 'exit'. Functions: abs, col, contains, ends_with, hour, is_missing, length, "
        "lower, matches, max, min, month, starts_with, weekday, words, year."
    ),
    "abs() > 1": "position 1: 'abs' is written abs(number). Got 0 arguments.",
    "min(age) > 1": "position 1: 'min' is written min(number, number, ...). Got 1 argument.",
    "col(age) > 1": "position 1: 'col' needs a name in quotes, as in col(\"any column name\").",
    # Types
    "age": ("position 1: the expression must be true or false, but 'age' is a number. Compare it, as in age > 0."),
    "member and age": (
        "position 12: 'and' needs true or false on both sides, but 'age' is a number. Compare it, as in age > 0."
    ),
    "not country": (
        "position 5: 'not' needs true or false, but 'country' is text. Compare it, as in country == \"FR\"."
    ),
    "country == 5": (
        "position 12: 'country' is text but '5' is a number, so '==' cannot compare them. Put it in quotes: \"5\"."
    ),
    'age >= "65"': (
        "position 8: 'age' is a number but '\"65\"' is text, so '>=' cannot compare them. Remove the quotes: 65."
    ),
    'age == "old"': (
        "position 8: 'age' is a number but '\"old\"' is text, so '==' cannot compare them. Compare it with a number."
    ),
    "member == 1": (
        "position 11: 'member' is true or false but '1' is a number, so '==' cannot compare them. "
        "Compare it with true or false."
    ),
    "age == true": (
        "position 8: 'age' is a number but 'true' is true or false, so '==' cannot compare them. "
        "Compare it with a number, such as 1 or 0."
    ),
    "age == country": "position 8: 'age' is a number but 'country' is text, so '==' cannot compare them.",
    "member > false": "position 1: '>' needs numbers, text or dates, but 'member' is true or false.",
    "age in (1, '2')": (
        "position 12: 'age' is a number but ''2'' is text, so it cannot be in the list. Remove the quotes: 2."
    ),
    "length(age) > 3": "position 8: 'length' needs text, but 'age' is a number.",
    "age + text > 3": (
        "position 7: '+' needs numbers, but 'text' is text. "
        "For its number of characters or words, write length(text) or words(text)."
    ),
    '"a" * 3 == text': "position 1: '*' needs numbers, but '\"a\"' is text. Write a number.",
    'contains("text", "a")': (
        "position 10: 'contains' needs a column, but '\"text\"' is text in quotes. Remove the quotes."
    ),
    "contains(text, age)": "position 16: 'contains' needs text in quotes, as in contains(text, \"word\", ...).",
    'contains(text, "")': "position 16: 'contains' needs text in quotes, as in contains(text, \"word\", ...).",
    'matches(text, "(")': "position 15: Pattern '(' is not a valid regular expression: missing ): (.",
    "is_missing(age + 1)": "position 12: 'is_missing' needs the name of a column, as in is_missing(age).",
    "when > 3": (
        "position 8: 'when' is a date but '3' is a number, so '>' cannot compare them. Compare it with a date: "
        '"2024-03-01".'
    ),
    "when > 2024-03-01": (
        "position 8: 'when' is a date but '2024-03-01' is a number, so '>' cannot compare them. Put it in quotes: "
        '"2024-03-01".'
    ),
    'when > "March"': (
        'position 8: \'"March"\' is not a date. Write it as in "2024-03-01", or with a time as in "2024-03-01 09:30".'
    ),
    "month(age) == 3": "position 7: 'month' needs dates, but 'age' is a number.",
    "month(text) == 3": "position 7: 'month' needs dates, but 'text' is text. Write every date as in 2024-03-01.",
    'text >= "2024-03-01"': (
        "position 1: 'text' is text, so '>=' compares characters, not dates. Write every date of the column as in "
        "2024-03-01."
    ),
    '"01.03.2024 09:30" > text': (
        "position 22: 'text' is text, so '>' compares characters, not dates. Write every date of the column as in "
        "2024-03-01."
    ),
    "when + 1 > 3": (
        "position 1: '+' needs numbers, but 'when' is a date. "
        "For a part of it, write year(when), month, weekday or hour."
    ),
    "when and age > 3": (
        "position 1: 'and' needs true or false on both sides, but 'when' is a date. Compare it, as in when >= "
        '"2024-03-01".'
    ),
    "lasted > 3": (
        "position 1: column 'lasted' holds Duration(time_unit='us'), which expressions cannot read. They read numbers, "
        "text, dates and true/false. is_missing(lasted) reads any column."
    ),
    # Lists
    'country in "FR"': 'position 12: \'in\' needs a list in brackets, as in country in ("FR", "DE").',
    '"FR" in country': (
        'position 9: \'in\' needs a list in brackets, as in country in ("FR", "DE"). '
        'To look for words in a text, write contains(country, "word").'
    ),
    "country in ()": 'position 12: the list is empty. Add at least one value, as in ("FR", "DE").',
    "age in (n, 1)": "position 9: the list after 'in' takes only numbers, or texts and dates in quotes.",
    "(age, 3) == 5": 'position 1: a list is only allowed after \'in\', as in country in ("FR", "DE").',
    "age in (1, 2) == member": (
        "position 1: 'in' next to another comparison needs brackets, as in (country in (...)) == member."
    ),
    # Sense
    "1 < 2": "position 1: the expression reads no column, so it is the same for every row. Name a column.",
    "age / (1 - 1) > 1": "position 8: division by zero. Use another divisor.",
    "n % 3 % 2 == 1": "position 1: a remainder of a remainder is not supported. Use '%' once.",
    "1e308 * 10 > age": "position 1: this number is too large.",
    "1e999 > age": "position 1: the number '1e999' is too large.",
    "age < 99999999999999999999": (
        "position 7: whole numbers beyond 9007199254740992 are not exact. Write 1e+20 if an approximation is enough."
    ),
}


@pytest.mark.parametrize("text", MESSAGES)
def test_message_says_where_what_and_what_to_do(text):
    """Every mistake has its own sentence and place."""
    assert problem(text) == MESSAGES[text]


HOSTILE = [
    '__import__("os").system("false")',
    '__import__("os")',
    "().__class__.__bases__",
    "text.__class__",
    "(lambda: 1)()",
    "lambda x: x",
    "[n for n in age]",
    "{n: 1 for n in age}",
    'f"{age}" == text',
    'b"a" == text',
    "(n := 5) > 3",
    "age if member else n",
    "member[0]",
    "abs(*age) > 1",
    "abs(number=age) > 1",
    "await age",
    "(yield age)",
    "age ** 9 > 1",
    "9**9**9 > age",
    '"a" * 999999999 == text',
    "age; exit()",
    "age > 1 # comment",
    "age > 1\\\n",
    "age > ...",
    "1j > age",
    "age > \x00 1",
    "age > \ud800",
    'text == "\ud800"',
    'text == "\x00"',
    "age\u200b > 1",
    "age @ n > 1",
    "age << 3 > 1",
    "~age > 1",
    "9" * 4999 + ">age",
    "age > " + "9" * 4500,
    "(" * 2500 + "age" + ")" * 2490,
    "[" * 5000,
    "not " * 1200 + "member",
    "-" * 4000 + "age > 1",
    "age" + "+age" * 1200 + " > 1",
    "age" + "-(age" * 900,
    "abs(" * 1200 + "age" + ")" * 190,
    "age > 1 or " * 400 + "member",
    "age < " * 800 + "age",
    "age == 1 and " * 380 + "member",
    "x" * 5001,
    None,
    3,
    b"age > 1",
]


listeners: list[list[str]] = []


def _listen(event: str, _: object) -> None:
    if event in ("exec", "import", "open", "os.system", "subprocess.Popen"):
        for heard in listeners:
            heard.append(event)


# Python's own account of what runs. A hook cannot be removed, so there is one, and it has listeners only in the test.
sys.addaudithook(_listen)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text)[:30])
def test_hostile_text_is_refused_and_nothing_runs(text):
    """Nothing of Python beyond the language gets through, and the refusal is one short sentence."""
    events: list[str] = []
    listeners.append(events)
    try:
        with pytest.raises(ExpressionError) as caught:
            compile_expression_code(text, SCHEMA)
    finally:
        listeners.clear()
    assert events == []
    assert len(str(caught.value)) < 400


def refusal(text: str) -> ExpressionError | None:
    """Return the error that the parser raises on a text, if it does."""
    try:
        parse_expression(text)
    except ExpressionError as error:
        return error
    return None


@given(
    st.text(alphabet=st.characters(), max_size=40) | st.text(alphabet="an(x)[], .\"'\\<=>!*/%+-09eror\n", max_size=40)
)
@settings(max_examples=500)
def test_any_text_is_read_or_refused_with_an_expression_error(text):
    """No text makes the parser fail in a way of its own, and the place is always in the text."""
    error = refusal(text)
    if error:
        assert 0 <= error.position <= len(text)
        assert error.with_caret().endswith("^")


@given(st.integers(0, 60))
def test_every_beginning_of_an_expression_has_a_helpful_error(length):
    """While someone types, each step is either right or says what is missing."""
    whole = 'contains(text, "not") and (length(text) > 200 or country not in ("FR", "DE"))'
    error = refusal(whole[:length])
    if error:
        assert re.search("missing|never closed|empty|unknown function|Got|comes a list|list is empty", error.problem)


def test_error_points_under_the_text():
    """The caret stands under the piece, also on a later line, behind wide characters and in a long line."""
    with pytest.raises(ExpressionError) as caught:
        compile_expression_code("age > 1\n\tand agee > 2", SCHEMA)
    assert caught.value.with_caret() == " and agee > 2\n     ^"
    assert ExpressionError("no.", 6, '"日本" == 5').with_caret() == '"日本" == 5\n        ^'
    shown, caret = ExpressionError("no.", 500, "a" * 500 + "b" + "a" * 500).with_caret().split("\n")
    assert shown[caret.index("^")] == "b"
    assert len(shown) == 100
    assert ExpressionError("no.", 3, "a >").with_caret() == "a >\n   ^"


def test_error_survives_pickling():
    """An error raised in a worker arrives whole."""
    error = pickle.loads(pickle.dumps(ExpressionError("no.", 2, "a b")))  # noqa: S301 - bytes we have just made
    assert (str(error), error.position, error.text) == ("Expression, position 3: no.", 2, "a b")


def test_a_rule_that_is_copied_from_a_page_comes_with_invisible_characters():
    """They are no part of it, in an expression or in the line."""
    assert Expression("old", text="age >\u2060= 65").text == "age >= 65"
