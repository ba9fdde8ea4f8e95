"""Reading tables: what a person hands in, and what they are told when it cannot be read."""

from __future__ import annotations

import contextlib
import gzip
import io
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mandoline_core.data import PANDAS_READS_RE2, Sample, delimited, open_data, read_table
from mandoline_core.errors import DataError


def refusal(path) -> str:
    """Return what a person is told."""
    with pytest.raises(DataError) as caught:
        read_table(path)
    return str(caught.value)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_delimiters_and_encodings_are_found_out(tmp_path, delimiter, encoding):
    """The same table comes out whatever it was written with, with newlines and delimiters inside quotes."""
    file = tmp_path / "a.csv"
    rows = [["text", "n"], ['"l\'été, oui;\tnon|\n""là"""', "1"], ["plain", "2"]]
    file.write_bytes("\n".join(delimiter.join(row) for row in rows).encode(encoding))
    table = read_table(file)
    assert table["text"].tolist() == ['l\'été, oui;\tnon|\n"là"', "plain"]
    assert table["n"].tolist() == [1, 2]


@pytest.mark.parametrize("engine", ["pandas", "polars", "duckdb"])
def test_decimal_commas_are_numbers(tmp_path, engine):
    """Where another delimiter leaves them free; not where 1,234 may be a thousand, or where points are there, too."""
    cells = {
        "commas": ["0,5", "-12,25", "", "1,234"],
        "thousands": ["1,234", "5,678", "", "12"],
        "both": ["0,5", "0.5", "", "1"],
    }
    for name, values in cells.items():
        lines = [f"{value};14.02.2024;a, b" for value in values]
        (tmp_path / f"{name}.csv").write_text("\n".join(["x;day;text", *lines]), encoding="utf-8")
    found = {name: Sample(open_data(tmp_path / f"{name}.csv", engine=engine)) for name in cells}
    assert {name: str(sample.schema["x"]) for name, sample in found.items()} == {
        "commas": "Float64",
        "thousands": "String",
        "both": "String",
    }
    values = open_data(tmp_path / "commas.csv", engine="pandas")["x"]
    assert values.dropna().tolist() == [0.5, -12.25, 1.234]
    assert str(found["commas"].schema["day"]) == "String"


def test_gzip_and_parquet_are_read(tmp_path):
    """The same table again."""
    table = pd.DataFrame({"text": ["a", "b"], "n": [1, 2]})
    with gzip.open(tmp_path / "a.csv.gz", "wt") as file:
        file.write(table.to_csv(index=False))
    table.to_parquet(tmp_path / "a.parquet")
    table.set_index("text").to_parquet(tmp_path / "b.pq")
    for name in ("a.csv.gz", "a.parquet", "b.pq"):
        assert read_table(tmp_path / name)[["text", "n"]].to_dict("list") == table.to_dict("list")


def test_bytes_that_are_no_known_text_are_read_all_the_same(tmp_path):
    """The last resort takes any byte."""
    (tmp_path / "a.csv").write_bytes(b"text,n\n\x81\xe9,1\n")
    assert read_table(tmp_path / "a.csv")["text"].tolist() == ["\x81é"]


def test_na_is_missing_among_numbers_and_a_word_among_texts(tmp_path):
    """Namibia stays in its column, and a class called None in its own; an empty cell is missing everywhere."""
    text = "country,n,flag,label\nNA,NA,true,None\nFR,1.5,N/A,yes\n,2,false,\n"
    (tmp_path / "a.csv").write_text(text)
    table = read_table(tmp_path / "a.csv")
    sample = Sample(table)
    assert sample.series("country").to_list()[:2] == ["NA", "FR"]
    assert sample.series("country").is_null().to_list() == [False, False, True]
    assert sample.series("n").is_null().to_list() == [True, False, False]
    assert sample.series("flag").is_null().to_list() == [False, True, False]
    assert sample.series("label").to_list()[:2] == ["None", "yes"]


def test_one_column_is_a_table(tmp_path):
    """A file of labels has no delimiter; an empty line in it is a missing label."""
    (tmp_path / "labels.csv").write_text("label\na\n\nb\n")
    labels = read_table(tmp_path / "labels.csv")["label"]
    assert labels.isna().tolist() == [False, True, False]


def test_missing_files_are_named_with_what_is_near(tmp_path):
    """A typing mistake in a name is one look away from its correction."""
    (tmp_path / "source.csv").write_text("a\n1\n")
    assert refusal(tmp_path / "sorce.csv") == f"File 'sorce.csv' is not in {tmp_path}. Did you mean 'source.csv'?"
    nowhere = tmp_path / "no" / "a.csv"
    assert refusal(nowhere) == f"File 'a.csv' is not in {nowhere.parent}, a folder that does not exist."
    assert refusal(tmp_path) == f"{tmp_path} is a folder. Expected a CSV or Parquet file. Choose one in it."


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "a.csv is empty. Expected a header line and at least one row."),
        ("a.csv", b"\n \n", "a.csv is empty. Expected a header line and at least one row."),
        ("a.csv", b'\r\r\n"', "a.csv is empty. Expected a header line and at least one row."),
        ("a.csv", b"x,y\n", "a.csv has a header but no rows. Add at least one row."),
        ("a.csv", b"x,y,x\n1,2,3\n", "a.csv has duplicate columns: 'x'. Give each column its own name."),
        (
            "a.csv",
            b'x,y\n1,"two\nlines"\n1,2,3\n',
            "Line 4 of a.csv has 3 fields, but the header has 2. Check its delimiters and quotes.",
        ),
        (
            "a.csv",
            b"x,y\n1,2\n3\n",
            "Line 3 of a.csv has 1 field, but the header has 2. Check its delimiters and quotes.",
        ),
        (
            "a.csv",
            b"x,y\n1,2,3\n1,2,3\n",
            "Line 2 of a.csv has 3 fields, but the header has 2. Check its delimiters and quotes.",
        ),
        (
            "a.csv",
            b'x,y\n1,"never closed\n2,3\n',
            "The quote opened on line 2 of a.csv is never closed. Close it, or double the quotes inside a text.",
        ),
        (
            "a.xlsx",
            b"PK",
            (
                "a.xlsx has an unknown file type. Expected CSV (.csv, .tsv, .txt, also .gz) or Parquet "
                "(.parquet, .pq). Save it as one of these."
            ),
        ),
        (
            "a.csv.gz",
            b"not gzip",
            "a.csv.gz is damaged or not a gzip file. Compress it again, or save it without .gz.",
        ),
    ],
)
def test_unreadable_files_say_why(tmp_path, name, content, message):
    """One sentence on what is wrong and one on what to do."""
    (tmp_path / name).write_bytes(content)
    assert refusal(tmp_path / name) == message


def picture() -> bytes:
    """Return how a JPEG starts."""
    return b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(range(256)) * 9


def packed() -> bytes:
    """Return a zip archive with a table in it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.csv", "x,y\n1,2\n")
    return file.getvalue()


def parquet() -> bytes:
    """Return a table as Parquet."""
    file = io.BytesIO()
    pd.DataFrame({"x": range(100)}).to_parquet(file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (picture(), "it starts like a JPEG picture"),
        (packed(), "it starts like a zip archive or an Excel workbook"),
        (parquet(), "it starts like Parquet, whose name should end in .parquet"),
        (gzip.compress(b"x,y\n1,2\n"), "it starts like a gzip file, whose name should end in .gz"),
        (b"%PDF-1.4\n1 0 obj\n<<\n>>\nendobj\n", "it starts like a PDF"),
        (b"\x01\x02\x00\x00weights\x00,\n" * 20, "it contains null bytes"),
    ],
    ids=["picture", "zip", "parquet", "gzip", "pdf", "unknown"],
)
@pytest.mark.parametrize("name", ["photo.csv", "photo.csv.gz"])
def test_a_file_of_another_kind_in_disguise_is_refused(tmp_path, name, content, what):
    """Whatever its name, what is no text is not taken for a table, packed or not."""
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert refusal(tmp_path / name) == f"{name} is not a text file: {what}. Save the table as CSV or Parquet."


@pytest.mark.parametrize("header", ["PAR1,GIF8", "PK,id", "GIF89a,x"])
def test_a_column_may_be_called_as_another_kind_of_file_starts(tmp_path, header):
    """Letters that begin a Parquet file or a picture begin a word, too."""
    (tmp_path / "a.csv").write_text(f"{header}\n1,2\n")
    assert read_table(tmp_path / "a.csv").columns.tolist() == header.split(",")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x,y\n1,2\n".encode("utf-16-le"), "a.csv looks like UTF-16 text without a byte order mark. "),
        ("x,y\n1,2\n".encode("utf-16-be"), "a.csv looks like UTF-16 text without a byte order mark. "),
        ("x,y\n1,2\n".encode("utf-32"), "a.csv is UTF-32 text, which is not supported. "),
        ("x,y\n1,2\n".encode("utf-16") + b"\n", "a.csv starts as UTF-16 text but contains invalid bytes. "),
        (b"\xef\xbb\xbfx,y\n\xff,2\n", "a.csv starts as UTF-8 text but contains invalid bytes. "),
    ],
    ids=["utf-16-le", "utf-16-be", "utf-32", "cut", "damaged"],
)
def test_text_that_cannot_be_read_says_what_it_is(tmp_path, content, message):
    """The way out is the same for each: UTF-8."""
    (tmp_path / "a.csv").write_bytes(content)
    told = refusal(tmp_path / "a.csv")
    assert told.startswith(message)
    assert told.endswith("as UTF-8.")


@given(
    content=st.binary(min_size=1, max_size=200)
    | st.text(",;|\t\r\n\"' a1é", min_size=1, max_size=60).map(lambda text: text.encode())
)
def test_any_bytes_are_a_table_or_one_sentence(tmp_path_factory, content):
    """Nothing that could be called .csv makes the reader fail in any other way."""
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(content)
    with contextlib.suppress(DataError):
        assert len(read_table(path)) > 0


def test_unreadable_parquet_says_why(tmp_path):
    """Arrow's reason is passed on in one line."""
    (tmp_path / "a.parquet").write_bytes(b"not parquet at all")
    message = refusal(tmp_path / "a.parquet")
    assert message.startswith("a.parquet cannot be read as Parquet: ")
    assert message.endswith(". Write it again, or save it as CSV.")
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "b.parquet")
    assert refusal(tmp_path / "b.parquet").startswith("b.parquet has duplicate columns: 'a'.")


def test_missing_values_in_the_last_column_are_no_short_rows(tmp_path):
    """An empty cell at the end is a cell."""
    (tmp_path / "a.csv").write_text("x,y\n1,\n2,3\n")
    assert read_table(tmp_path / "a.csv")["y"].isna().tolist() == [True, False]


@pytest.mark.parametrize("end", [b"", b"\xe9", b"\x81\xe9"])
def test_a_line_that_nobody_wrote_is_not_read(tmp_path, monkeypatch, end):
    """A small gzip file may unpack to one, and its commas alone take gigabytes, whatever its encoding."""
    monkeypatch.setattr(delimited, "_LONGEST_LINE", 5_000_000)
    path = tmp_path / "long.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n3,4\n" + b"," * 10_000_000 + end, compresslevel=1))
    with pytest.raises(DataError) as refused:
        read_table(path)
    assert str(refused.value) == ("long.csv.gz has a line of more than 5 million characters. Check its line endings.")
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 3_000_000, compresslevel=1))
    assert len(read_table(path)) == 3_000_000


def test_columns_of_numbers_go_through_the_door_untouched():
    """Thousands of them took seconds, and as much memory again; before pandas 3, only a copy is safe."""
    frame = pd.DataFrame({"a": [1.5, None], "b": [1, 2], "c": [True, False]})
    sample = Sample(frame)
    inside = sample.frame.to_native()
    shared = [np.shares_memory(inside[name].to_numpy(), frame[name].to_numpy()) for name in frame]
    assert shared == [PANDAS_READS_RE2] * 3
    frame.loc[0, "b"] = 7
    assert sample.series("b").to_list() == [1, 2]
    narrow = Sample(frame.astype({"a": "float32"}))
    assert str(narrow.frame.to_native()["a"].dtype) == "float64"


def test_readers_of_long_texts_do_not_disturb_each_other(tmp_path: Path) -> None:
    """What one sets for the csv module, another must not find gone in the middle of its file."""
    path = tmp_path / "long.csv"
    path.write_text("a,b\n" + f'1,"{"x" * 200_000}"\n' * 2)
    first, second = (delimited._Delimited(path).records() for _ in range(2))
    assert next(first) == next(second) == (1, ["a", "b"])
    assert [len(row) for _, row in first] == [2, 2]
    assert [len(row) for _, row in second] == [2, 2]
