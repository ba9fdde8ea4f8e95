"""Reading tables: what a person hands in, and what they are told when it cannot be read."""

from __future__ import annotations

import gzip

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mandoline_core.data import Sample, read_table
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


def test_gzip_and_parquet_are_read(tmp_path):
    """The same table again."""
    table = pd.DataFrame({"text": ["a", "b"], "n": [1, 2]})
    with gzip.open(tmp_path / "a.csv.gz", "wt") as file:
        file.write(table.to_csv(index=False))
    table.to_parquet(tmp_path / "a.parquet")
    table.set_index("text").to_parquet(tmp_path / "b.pq")
    for name in ("a.csv.gz", "a.parquet", "b.pq"):
        pd.testing.assert_frame_equal(read_table(tmp_path / name), table)


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
    assert refusal(tmp_path) == f"{tmp_path} is a folder, not a file. Name the CSV or Parquet file in it."


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "a.csv is empty. Expected a header line and at least one row."),
        ("a.csv", b"\n \n", "a.csv is empty. Expected a header line and at least one row."),
        ("a.csv", b"x,y\n", "a.csv has a header but no rows. Put at least one row of data in it."),
        ("a.csv", b"x,y,x\n1,2,3\n", "a.csv has more than one column called 'x'. Give each column its own name."),
        (
            "a.csv",
            b'x,y\n1,"two\nlines"\n1,2,3\n',
            "Line 4 of a.csv has 3 fields, and the header has 2. Check its delimiters and quotes.",
        ),
        (
            "a.csv",
            b"x,y\n1,2\n3\n",
            "Line 3 of a.csv has 1 field, and the header has 2. Check its delimiters and quotes.",
        ),
        (
            "a.csv",
            b"x,y\n1,2,3\n1,2,3\n",
            "Line 2 of a.csv has 3 fields, and the header has 2. Check its delimiters and quotes.",
        ),
        (
            "a.csv",
            b'x,y\n1,"never closed\n2,3\n',
            "A quote that opens on line 2 of a.csv is never closed. Close it, or double the quotes inside a text.",
        ),
        (
            "a.xlsx",
            b"PK",
            (
                "a.xlsx is not a table that can be read here. Expected CSV (.csv, .tsv, .txt, also .gz) or Parquet "
                "(.parquet, .pq). Save it as one of these."
            ),
        ),
        (
            "a.csv.gz",
            b"not gzip",
            "a.csv.gz is not a whole gzip file. Compress it again, or save it without .gz.",
        ),
    ],
)
def test_unreadable_files_say_why(tmp_path, name, content, message):
    """One sentence on what is wrong and one on what to do."""
    (tmp_path / name).write_bytes(content)
    assert refusal(tmp_path / name) == message


def test_unreadable_parquet_says_why(tmp_path):
    """Arrow's reason is passed on in one line."""
    (tmp_path / "a.parquet").write_bytes(b"not parquet at all")
    message = refusal(tmp_path / "a.parquet")
    assert message.startswith("a.parquet cannot be read as Parquet: ")
    assert message.endswith(". Write it again, or save it as CSV.")
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "b.parquet")
    assert refusal(tmp_path / "b.parquet").startswith("b.parquet has more than one column called 'a'.")


def test_missing_values_in_the_last_column_are_no_short_rows(tmp_path):
    """An empty cell at the end is a cell."""
    (tmp_path / "a.csv").write_text("x,y\n1,\n2,3\n")
    assert read_table(tmp_path / "a.csv")["y"].isna().tolist() == [True, False]
