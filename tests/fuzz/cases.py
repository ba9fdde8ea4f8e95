"""What once failed, kept: each with a line that says what it did.

Cases with a sentence of their own to check are beside what they are about: tests/core/cli/test_extremes.py (numbers of
400 and 4,400 digits, lists 600 deep, chains of comparisons, a name of 300 characters, a header beyond 64 KB, `rmse` on
1e200), tests/core/data/test_damaged_parquet.py, tests/core/project/test_archive.py.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz import seeds
from tests.fuzz.inputs import Input

SIDES = ("source", "target")
ESTIMATE = ("estimate", "project.toml", "--json")


def _rule(engine: str = "", **settings: str) -> Input:
    rule = '[[slices]]\nname = "s"\n' + "".join(f"{key} = {value}\n" for key, value in settings.items())
    return Input(seeds.csv_files() | {"project.toml": seeds.project(rule, engine=engine).encode()}, ESTIMATE)


def _source(content: bytes | str) -> Input:
    source = content.encode() if isinstance(content, str) else content
    files = seeds.csv_files() | {"source.csv": source, "project.toml": seeds.project().encode()}
    return Input(files, ESTIMATE)


def _zip(more: dict[str, bytes], method: int = zipfile.ZIP_STORED, *, damaged: bool = False) -> Input:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in (seeds.csv_files() | {"project.toml": seeds.project().encode()} | more).items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    content = bytearray(packed.getvalue())
    if damaged:
        content[60:90] = bytes(30)
    return Input({"project.zip": bytes(content)}, ("estimate", "project.zip"))


def _nameless_entry() -> Input:
    found = _zip({"x": b""})
    content = bytearray(found.files["project.zip"])
    place = content.rfind(b"PK\x01\x02")  # the entry of x, which is the last
    content[place + 28 : place + 30] = struct.pack("<H", 0)
    del content[place + 46]
    end = content.rfind(b"PK\x05\x06")
    size = struct.unpack("<I", content[end + 12 : end + 16])[0]
    content[end + 12 : end + 16] = struct.pack("<I", size - 1)
    return Input({"project.zip": bytes(content)}, found.arguments)


def _nameless_column(name: str) -> Input:
    file = io.BytesIO()
    table = seeds.tables()[0]
    pq.write_table(table.append_column(name, pa.array([1] * len(table))), file)
    names = {"source": "source.parquet", "target": "target.parquet"}
    files = {"source.parquet": file.getvalue(), "target.parquet": seeds.parquet(1, "none", pages=False)}
    text = seeds.project(engine="duckdb", **names)
    return Input({**files, "project.toml": text.encode(), "labels.csv": seeds.LABELS.encode()}, ESTIMATE)


def _damaged_text(side: str, old: bytes, new: bytes, engine: str = "") -> Input:
    files = {f"{name}.parquet": seeds.parquet(place, "none", pages=False) for place, name in enumerate(SIDES)}
    files[f"{side}.parquet"] = files[f"{side}.parquet"].replace(old, new)
    text = seeds.project(engine=engine, **{name: f"{name}.parquet" for name in SIDES})
    return Input({**files, "project.toml": text.encode(), "labels.csv": seeds.LABELS.encode()}, ESTIMATE)


SOURCE_OF_CLASSES = "y,p,a,b,n,text\n0,CLASS,0.5,0.5,1,a\n1,CLASS,0.5,0.5,3,b\n"
HEADER = seeds.SOURCE.splitlines()[0] + "\n"

CASES: dict[str, Callable[[], Input]] = {
    # true/false with gaps were Python's own values, which no Parquet file holds: ArrowTypeError
    "true, false and gaps on another engine": lambda: _rule("polars", kind='"missing"', column='"x"'),
    # KeyError: DuckDB names such a column by itself
    "a column without a name on another engine": lambda: _nameless_column(""),
    # the same: DuckDB ends a name at a null character
    "a column that is a null character on another engine": lambda: _nameless_column("\0"),
    # UnicodeDecodeError: the name of a column within a column
    "a damaged name in Parquet": lambda: _damaged_text("source", b"element", b"el\x8bment"),
    # narwhals.exceptions.ComputeError, which is none of Polars' own: a note of pandas' that PyArrow does not look at
    "a damaged note in Parquet on another engine": lambda: _damaged_text(
        "target", b'"numpy_type": "', b'"numpy_type": \xff', "polars"
    ),
    # two lines: U+2028 ends one, in a class that a message lists ...
    "a class that ends a line": lambda: _source(SOURCE_OF_CLASSES.replace("CLASS", "\u2028")),
    # ... and in a pattern that the engine's own message repeats
    "a pattern that ends a line": lambda: _rule(kind='"regex"', column='"text"', pattern='"a)(\u2028"'),
    # pandas tried Python's re first, which warned of a nested set
    "a set within a set": lambda: _rule(kind='"regex"', column='"text"', pattern="'[[a]'"),
    # ColumnNotFoundError: the search by word boundaries came before the check of columns
    "word boundaries in no column": lambda: _rule(kind='"expression"', text="'matches(nope, \"\\bso\")'"),
    # TypeError: a table cannot be looked up among the units
    "a table for a unit": lambda: _rule(kind='"length"', column='"text"', below="3", unit="{ a = 1 }"),
    # KeyError: the column of gold labels was looked for among what had been counted
    "a gold column that is not there on another engine": lambda: _rule(
        "polars", kind='"threshold"', column='"a"', above="0.2", gold='"nope"'
    ),
    # messages of several lines
    "a pattern with line breaks": lambda: _rule(kind='"regex"', column='"text"', pattern='"a\\n(b\\nc"'),
    # "Cannot write the output": a file in the place of a folder
    "an entry below a file": lambda: _zip({"project.toml/x": b""}),
    # the same: a name longer than the system's names
    "an entry with a long name": lambda: _zip({"a" * 300 + ".csv": b""}),
    # LZMAError
    "a damaged entry of another packing": lambda: _zip({}, zipfile.ZIP_LZMA, damaged=True),
    # IndexError in the library that reads zips
    "an entry without a name": _nameless_entry,
    # a control character from a file went to the terminal as it is
    "a class that is a control character": lambda: _source(seeds.SOURCE.replace("\n1,1,", "\n1,\x85,")),
    # csv.Error: a field longer than the module reads
    "a file of quotes": lambda: _source('"' * 300_000),
    # minutes and 14 GB: pandas took ten million fields for an index
    "a first row of a million fields": lambda: _source(HEADER + "a," * 1_000_000),
    # 20 MB of it took 10 s to be taken apart
    "a header of millions of commas": lambda: _source("," * 6_000_000),
    # 2.4 GB: short rows were filled before they were looked at
    "a million short rows": lambda: _source(seeds.SOURCE + "1\n" * 1_000_000),
    # a text of 20 MB was read as a label, and printed as a class
    "a last row that is one long text": lambda: _source(seeds.SOURCE + "'" * 300_000),
}
