"""Dates and times: the same slices and numbers from CSV and Parquet, on every engine, with gaps and time zones."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mandoline_core as md
from mandoline_core.data import conversion, open_data, read_date, read_table
from mandoline_core.formatting import show_date
from mandoline_core.pipeline.table_count import count_cells
from mandoline_core.project import dump_project, parse_project

NEW_YORK = ZoneInfo("America/New_York")
ENGINES = ("pandas", "polars", "duckdb")
RULES = (
    md.Threshold("from March", column="day", at_least="2024-03-01"),
    md.Threshold("after the 10th", column="at", above=date(2024, 3, 10)),
    md.Threshold("before", column="zoned", below=datetime(2024, 3, 10, 3)),
    md.Range("spring", column="at", low="2024-03-01", high="2024-05-31"),
    md.Category("two days", column="zoned", values=("2024-03-10", "2024-11-03")),
    md.Expression("weekend", text="weekday(day) >= 6"),
    md.Expression("winter", text="month(at) in (12, 1, 2)"),
    md.Expression("early", text="hour(zoned) < 9"),
    md.Expression("this year", text='year(day) == 2024 and zoned <= "2024-06-30"'),
)
Row = tuple[date | None, datetime | None, datetime | None]

DAYS = st.dates(date(2023, 12, 1), date(2024, 12, 31))
# Around the hours that New York skips in March and has twice in November, and anywhere else.
TIMES = st.one_of(
    st.datetimes(datetime(2024, 3, 9, 23), datetime(2024, 3, 10, 12)),
    st.datetimes(datetime(2024, 11, 2, 23), datetime(2024, 11, 3, 12)),
    st.datetimes(datetime(2023, 12, 1), datetime(2024, 12, 31)),
)
ROWS = st.lists(st.tuples(*(st.none() | kind for kind in (DAYS, TIMES, TIMES))), min_size=1, max_size=12)


def _in_new_york(when: datetime | None) -> datetime | None:
    """Take a time in UTC to the clock of New York."""
    return None if when is None else when.replace(tzinfo=UTC).astimezone(NEW_YORK)


def write_rows(rows: Sequence[Row], csv: Path, parquet: Path) -> None:
    """Write the same rows twice; times in New York with the offset of the day, and as instants with their zone."""
    days, times, instants = zip(*rows, strict=True)
    right = [number % 3 > 0 for number in range(len(rows))]
    texts = {
        "day": days,
        "at": times,
        "zoned": map(_in_new_york, instants),
        "label": [1] * len(rows),
        "prediction": map(int, right),
    }
    lines = (
        ",".join("" if cell is None else str(cell) for cell in cells) for cells in zip(*texts.values(), strict=True)
    )
    csv.write_text("\n".join([",".join(texts), *lines]) + "\n")
    columns = {
        "day": pa.array(days, pa.date32()),
        "at": pa.array(times, pa.timestamp("us")),
        "zoned": pa.array(instants, pa.timestamp("us", "America/New_York")),
        "label": pa.array([1] * len(rows)),
        "prediction": pa.array(list(map(int, right))),
    }
    pq.write_table(pa.table(columns), parquet)


def expected_codes(row: Row) -> list[int]:
    """Work the codes of a row out with Python's own dates; 0 where a value is missing."""
    day, at = row[0], row[1]
    local = _in_new_york(row[2])
    zoned = None if local is None else local.replace(tzinfo=None)

    def code(inside: bool | None) -> int:
        return 0 if inside is None else 1 if inside else -1

    in_2024 = None if day is None else day.year == 2024
    until_june = None if zoned is None else zoned.date() <= date(2024, 6, 30)
    both = False if False in (in_2024, until_june) else None if None in (in_2024, until_june) else True
    answers = [
        None if day is None else day >= date(2024, 3, 1),
        None if at is None else at.date() > date(2024, 3, 10),
        None if zoned is None else zoned < datetime(2024, 3, 10, 3),
        None if at is None else date(2024, 3, 1) <= at.date() <= date(2024, 5, 31),
        None if zoned is None else zoned.date() in (date(2024, 3, 10), date(2024, 11, 3)),
        None if day is None else day.isoweekday() >= 6,
        None if at is None else at.month in (12, 1, 2),
        None if zoned is None else zoned.hour < 9,
        both,
    ]
    return [code(answer) for answer in answers]


def counted_codes(sample: md.Sample) -> np.ndarray:
    """Count the codes where the rows are, as an estimate does; one line a row, in the order of the codes."""
    cells = count_cells(sample, RULES, sample.models, sample.label, md.MetricSettings())
    found = np.repeat(cells.code(RULES), cells.rows.astype(int), axis=0)
    return found[np.lexsort(found.T[::-1])]


@cache
def anchors() -> tuple[Row, ...]:
    """Make rows of every month and hour, so that there is always an estimate."""
    times = [datetime(2024, month, 3 + month, 2 * month - 1, 15) for month in range(1, 13)]
    return tuple((when.date(), when, when) for when in times) * 3


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ROWS, ROWS)
def test_files_and_engines_agree(source: list[Row], target: list[Row]) -> None:
    """Codes are those of Python's own dates; estimates are the same to the last digits."""
    given_rows = {"source": [*anchors(), *source], "target": [*anchors()[:20], *target]}
    expected = {side: np.array(sorted(map(expected_codes, rows))) for side, rows in given_rows.items()}
    estimates = {}
    with TemporaryDirectory() as name:
        for side, rows in given_rows.items():
            write_rows(rows, Path(name) / f"{side}.csv", Path(name) / f"{side}.parquet")
        for ending in ("csv", "parquet"):
            for engine in ENGINES:
                opened = {side: open_data(Path(name) / f"{side}.{ending}", engine=engine) for side in given_rows}
                samples = {
                    "source": md.Sample(opened["source"], label="label", prediction="prediction"),
                    "target": md.Sample(opened["target"]),
                }
                for side, sample in samples.items():
                    assert np.array_equal(counted_codes(sample), expected[side]), (ending, engine, side)
                report = md.estimate(*samples.values(), RULES[:4])
                estimates[ending, engine] = (report.estimate, *report.interval)
    for found in estimates.values():
        assert found == pytest.approx(estimates["csv", "pandas"], abs=1e-12)


@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)), st.sampled_from(["", "Z", "+05:30", "-0330", " +01"]))
def test_a_time_stays_the_local_time_as_written(when: datetime, offset: str) -> None:
    """Whatever the offset; and a date or time that is shown is read back."""
    texts = [f"{when.isoformat(sep)}{offset}" for sep in " T"]
    assert [read_date(text) for text in texts] == [when, when]
    assert read_date(show_date(when)) == when
    assert read_date(show_date(when.date())) == when.date()


CELLS = {
    "dates": (["2024-03-01", "2024-02-29", ""], nw.Date),
    "dates, NA": (["2024-03-01", "NA", "null"], nw.Date),
    "times": (["2024-03-01T09:30", "2024-03-01 09:30:00.123456789", ""], nw.Datetime),
    "a time among dates": (["2024-03-01", "2024-03-01 09:30Z", "2024-03-02"], nw.Datetime),
    "offsets": (["2024-03-01 09:30+01:00", "2024-03-01 09:30-0500", "2024-03-01 09:30Z"], nw.Datetime),
    "no such day": (["2024-03-01", "2023-02-29", "2024-03-01"], nw.String),
    "no such hour": (["2024-03-01 09:30", "2024-03-01 25:00", ""], nw.String),
    "months": (["2024-03", "2024-04", "2024-05"], nw.String),
    "other orders": (["01.03.2024", "02.03.2024", "03.03.2024"], nw.String),
    "a word": (["2024-03-01", "soon", "2024-03-02"], nw.String),
    "numbers": (["20240301", "20240302", "20240303"], nw.Int64),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_csv_column_is_of_dates_if_every_value_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    """Also where a file is converted chunk by chunk, whose first rows look like something else."""
    monkeypatch.setattr(conversion, "_CHUNK", 2)
    lines = zip(*(cells for cells, _ in CELLS.values()), strict=True)
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(";".join(line) for line in [[*CELLS], *lines]) + "\n")
    schema = md.Sample(open_data(path, engine=engine)).schema
    assert {name: dtype for name, dtype in schema.items() if dtype != CELLS[name][1]} == {}


def test_a_date_as_a_class_is_matched_in_any_type() -> None:
    """A label that is a date, a time at midnight or text is one class."""
    labels = [date(2024, 3, 1), date(2024, 3, 2)] * 20
    frame = pd.DataFrame({"x": range(40), "label": labels, "guess": [datetime.combine(day, time()) for day in labels]})
    source = md.Sample(frame, label="label", prediction="guess")
    target = md.Sample(frame.assign(guess=[str(day) for day in labels])[["x", "guess"]])
    assert md.estimate(source, target, [md.Prediction("second", value="2024-03-02")]).estimate == 1


def test_a_rule_with_dates_survives_the_project_file() -> None:
    """As text, as a date of TOML, and as a date of Python."""
    head = 'version = 1\n[source]\npath = "a.csv"\n[target]\npath = "b.csv"\n[metric]\nname = "mean"\ncolumn = "x"\n'
    head += '[[slices]]\nname = "s"\n'
    ways = {
        'kind = "threshold"\ncolumn = "day"\nat_least = 2024-03-01': md.Threshold(
            "s", column="day", at_least="2024-03-01"
        ),
        'kind = "threshold"\ncolumn = "day"\nabove = 2024-03-01T09:30:00+01:00': md.Threshold(
            "s", column="day", above=datetime(2024, 3, 1, 9, 30)
        ),
        'kind = "range"\ncolumn = "day"\nlow = "2024-03-01"\nhigh = 2024-03-31': md.Range(
            "s", column="day", low=date(2024, 3, 1), high=date(2024, 3, 31)
        ),
        'kind = "category"\ncolumn = "day"\nvalues = [2024-03-01]': md.Category(
            "s", column="day", values=("2024-03-01",)
        ),
    }
    for text, rule in ways.items():
        project = parse_project(tomllib.loads(head + text), ".")
        assert project.slices == (rule,)
        assert parse_project(tomllib.loads(dump_project(project)), ".").slices == (rule,)


def test_suggestions_find_the_month_and_the_weekend(tmp_path: Path) -> None:
    """The model fails in August and on Sundays, of which there are more in the new data; as CSV and as Parquet."""
    rng = np.random.default_rng(0)
    found = {}
    for side, shares in {"source": (0.1, 0.1), "target": (0.4, 0.35)}.items():
        n = 3000
        month = np.where(rng.random(n) < shares[0], 8, rng.choice([1, 2, 3, 4, 5, 6, 7, 9, 10], n))
        day = pd.to_datetime(pd.DataFrame({"year": 2024, "month": month, "day": rng.integers(1, 22, n)}))
        wanted = np.where(rng.random(n) < shares[1], 6, rng.integers(0, 6, n))
        day += pd.to_timedelta((wanted - day.dt.day_of_week) % 7, unit="D")
        fails = rng.random(n) < 0.05 + 0.4 * (month == 8) + 0.3 * (wanted == 6)
        frame = pd.DataFrame({"day": day.dt.date, "size": rng.normal(size=n), "label": 1, "guess": 1 - fails})
        frame.to_csv(tmp_path / f"{side}.csv", index=False)
        frame.to_parquet(tmp_path / f"{side}.parquet")
    for ending in ("csv", "parquet"):
        source = md.Sample(read_table(tmp_path / f"source.{ending}"), label="label", prediction="guess")
        target = md.Sample(read_table(tmp_path / f"target.{ending}"))
        suggestions = md.suggest(source, target, []).suggestions
        found[ending] = [(one.words, one.first.estimate) for one in suggestions]
    words = [words for words, _ in found["csv"]]
    assert {"day in August", "day on Sunday"} <= set(words[:6]), words
    assert found["csv"] == found["parquet"]
