"""Columns of text that are declared to hold numbers or dates: the same values on every engine and face."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mandoline_core as md
from mandoline_core.cli.main import main
from mandoline_core.data import guess_types
from mandoline_core.project import dump_project, parse_project
from tests.german import german_export

AMOUNTS = {  # as written: as read
    "1.234,50": 1234.5,
    "12,5": 12.5,
    " 7 ": 7.0,
    "\u22123": -3.0,
    "+4": 4.0,
    "1\u00a0234,5": 1234.5,
    "1.234": 1234.0,
    "12.5": 12.5,
    "1'234,5": 1234.5,
    "1e3": 1000.0,
    ",5": 0.5,
    "k.A.": None,
    "12a": None,
    "NA": None,
    "": None,
}
DAYS = {
    "31.12.2024": date(2024, 12, 31),
    "1.2.2023": date(2023, 2, 1),
    "2024-03-01": date(2024, 3, 1),
    "29.02.2024": date(2024, 2, 29),
    "29.02.2023": None,
    "unbekannt": None,
}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "Polars", "PyArrow"])
def test_numbers_and_dates_are_read_as_they_are_written_in_german(make: type) -> None:
    amounts = md.Sample(make({"a": list(AMOUNTS)}), types={"a": "number"})
    read = [None if value != value else value for value in amounts.series("a").to_list()]
    assert dict(zip(AMOUNTS, read, strict=True)) == AMOUNTS
    assert amounts.readings["a"].n_unread == 2
    days = md.Sample(make({"d": list(DAYS)}), types={"d": "date"})
    assert [value if isinstance(value, date) else None for value in days.series("d").to_list()] == list(DAYS.values())


def test_a_point_is_the_decimal_sign_where_a_comma_separates_thousands() -> None:
    sample = md.Sample(pd.DataFrame({"a": ["1,234.50", "12.5", "2,000", "n/a?"]}), types={"a": "number"})
    assert sample.series("a").drop_nulls().to_list() == [1234.5, 12.5, 2000.0]


def test_slashes_tell_day_from_month_or_are_refused() -> None:
    us = md.Sample(pd.DataFrame({"d": ["01/02/2024", "12/31/2024 10:30"]}), types={"d": "date"})
    assert [f"{value:%m-%d %H:%M}" for value in us.series("d").to_list()] == ["01-02 00:00", "12-31 10:30"]
    with pytest.raises(md.DataError, match="could start with the day or the month, such as '01/02/2024'"):
        md.Sample(pd.DataFrame({"d": ["01/02/2024"]}), types={"d": "date"})


def _project(folder: Path, **engines: str) -> md.Project:
    for name, rows in zip(("alt", "neu"), german_export(), strict=True):
        rows.to_csv(folder / f"{name}.csv", sep=";", index=False, encoding="cp1252")
        pq.write_table(pa.Table.from_pandas(rows, preserve_index=False), folder / f"{name}.parquet")
    types = {"Alter": "number", "Betrag (EUR)": "number", "Datum": "date"}
    suffix = engines.pop("suffix", "csv")
    place = {"path": f"neu.{suffix}", "types": types, **engines}
    return parse_project(
        {
            "version": 1,
            "source": {**place, "path": f"alt.{suffix}"},
            "target": place,
            "task": {"label": "Ergebnis"},
            "models": [{"name": "m", "prediction": "Vorhersage"}],
            "slices": [
                {"name": "jung", "kind": "expression", "text": "Alter < 30"},
                {"name": "teuer", "kind": "threshold", "column": "Betrag (EUR)", "above": 200},
                {"name": "sommer", "kind": "expression", "text": "month(Datum) in [6, 7, 8]"},
            ],
        },
        folder,
    )


def test_estimates_are_the_same_on_all_engines_and_say_what_became_missing(tmp_path: Path) -> None:
    reports = [
        md.estimate(_project(tmp_path, engine=engine, suffix=suffix))
        for engine, suffix in (("pandas", "csv"), ("polars", "csv"), ("duckdb", "parquet"))
    ]
    found = {(report.estimate, report.interval) for report in reports}
    assert len(found) == 1, found
    for report in reports:
        (unread,) = [
            one.text for one in report.findings if one.code == "values_unread" and one.numbers["column"] == "Alter"
        ]
        assert unread.startswith("Alter is read as numbers: ")
        assert "(such as 'k.A.') and count as missing" in unread
    young = next(line for line in reports[0].slices() if line.name == "jung")
    assert 0.1 < young.source < 0.3


def test_types_are_kept_in_the_project_file(tmp_path: Path) -> None:
    project = _project(tmp_path)
    text = dump_project(project)
    assert 'types = { Alter = "number", "Betrag (EUR)" = "number", Datum = "date" }' in text
    path = tmp_path / "project.toml"
    path.write_text(text, encoding="utf-8")
    assert md.load_project(path).target_types == project.target_types


def test_wrong_types_are_refused(tmp_path: Path) -> None:
    rows = pd.DataFrame({"n": [1, 2], "t": ["a", "b"]})
    with pytest.raises(md.DataError, match="Did you mean 't'"):
        md.Sample(rows, types={"T": "number"})
    with pytest.raises(md.DataError, match="only text can be read as dates"):
        md.Sample(rows, types={"n": "date"})
    with pytest.raises(md.MandolineError, match="types"):
        parse_project({"version": 1, "source": {"path": "a", "types": {"n": "int"}}, "target": {"path": "b"}}, tmp_path)


def test_types_are_guessed_where_nearly_all_texts_read_as_one() -> None:
    source, _ = german_export()
    source["Hausnummer"] = [f"{number}{'a' if number % 3 else ''}" for number in range(len(source))]
    found = guess_types(md.Sample(source).frame)
    assert {column: reading.type for column, reading in found.items()} == {
        "Alter": "number",
        "Betrag (EUR)": "number",
        "Datum": "date",
        "Score": "number",
    }
    assert found["Alter"].examples == ("k.A.",)


def test_init_writes_the_types_it_guessed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _project(tmp_path)
    files = [str(tmp_path / name) for name in ("alt.csv", "neu.csv", "p.toml")]
    assert main(["init", *files[:2], "--out", files[2], "--label", "Ergebnis", "--prediction", "Vorhersage"]) == 0
    assert "column Alter: text read as numbers; " in capsys.readouterr().out
    text = Path(files[2]).read_text(encoding="utf-8")
    assert "# Alter: stored as text; 97" in text
    assert 'Alter = "number"' in text
    assert main(["estimate", files[2], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["estimate"] > 0


def test_one_score_column_of_two_classes_is_enough_to_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(tmp_path / name) for name in ("alt.csv", "neu.csv", "p.toml")]
    for rows, path in zip(german_export(400), files, strict=False):
        chance = [0.8 if answer == "ja" else 0.3 for answer in rows["Vorhersage"]]
        rows.assign(Score=chance).drop(columns="Vorhersage").to_csv(path, index=False)
    assert main(["init", *files[:2], "--out", files[2], "--label", "Ergebnis"]) == 0
    assert "higher where Ergebnis is ja" in capsys.readouterr().out
    assert 'probabilities]\nja = "Score"' in Path(files[2]).read_text(encoding="utf-8")
