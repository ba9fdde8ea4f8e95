"""What goes wrong with files beyond memory: each gets one sentence, and nothing half-done stays behind."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import mandoline_core as md
from mandoline_core.data import Table, cancelled_by, open_data

ENGINES = ("polars", "duckdb")
RULES = (md.Threshold("large", column="n", above=5), md.Keyword("not", column="text", words=("not",)))


class InterruptedCount(Exception):  # noqa: N818 - nothing went wrong
    """Say that nobody waits any more."""


def rows(n: int = 100) -> pa.Table:
    """Make a few rows."""
    return pa.table({"n": [i % 10 for i in range(n)], "text": [("not" if i % 3 else "so") for i in range(n)]})


def parts(folder: Path, n_files: int = 3) -> Path:
    """Write them in several files, and return the pattern that names all."""
    for number in range(n_files):
        pq.write_table(rows(), folder / f"part{number}.parquet")
    return folder / "part*.parquet"


def count(data: object) -> int:
    """Count the rows with a large number and a not."""
    assert isinstance(data, Table)
    found = data.count_by({rule.name: rule.compile_codes(data.schema) for rule in RULES})
    return int(
        sum(
            n
            for large, no, n in zip(*(found[c].to_pylist() for c in ("large", "not", "n")), strict=True)
            if large == no == 1
        )
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_many_files_are_one_table(engine: str, tmp_path: Path) -> None:
    table = open_data(parts(tmp_path, 40), engine=engine)
    assert isinstance(table, Table)
    assert table.n_rows == 4_000
    assert count(table) == 40 * sum(i % 10 > 5 and i % 3 > 0 for i in range(100))


@pytest.mark.parametrize("engine", ENGINES)
def test_packed_text_is_read_like_any(engine: str, tmp_path: Path) -> None:
    lines = "n,text\n" + "".join(f"{i % 10},{'not' if i % 3 else 'so'}\n" for i in range(100))
    for name in ("a", "b"):
        with gzip.open(tmp_path / f"{name}.csv.gz", "wt", encoding="utf-8") as file:
            file.write(lines)
    assert count(open_data(tmp_path / "*.csv.gz", engine=engine)) == 2 * sum(
        i % 10 > 5 and i % 3 > 0 for i in range(100)
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_text_that_is_not_packed_as_its_name_says_is_refused(engine: str, tmp_path: Path) -> None:
    packed = gzip.compress(b"n,text\n" + b"1,so\n" * 10_000)
    (tmp_path / "a.csv.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(md.DataError, match=r"a\.csv\.gz"):
        open_data(tmp_path / "a.csv.gz", engine=engine)


@pytest.mark.parametrize("engine", ["pandas", *ENGINES])
def test_columns_that_differ_between_files_are_named(engine: str, tmp_path: Path) -> None:
    path = parts(tmp_path)
    pq.write_table(rows().set_column(0, "n", pa.array([1.5] * 100)), tmp_path / "part1.parquet")
    with pytest.raises(md.DataError, match=r"Column 'n' holds int64 in part0\.parquet but double in part1\.parquet"):
        open_data(path, engine=engine)
    pq.write_table(rows().drop_columns(["n"]), tmp_path / "part1.parquet")
    with pytest.raises(md.DataError, match=r"Column 'n' is in part0\.parquet but not in part1\.parquet"):
        open_data(path, engine=engine)


@pytest.mark.parametrize("engine", ["pandas", *ENGINES])
def test_a_file_that_is_cut_off_is_named(engine: str, tmp_path: Path) -> None:
    path = parts(tmp_path)
    whole = (tmp_path / "part1.parquet").read_bytes()
    (tmp_path / "part1.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(md.DataError, match=r"part1\.parquet cannot be read as Parquet"):
        open_data(path, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_whose_middle_is_broken_is_one_sentence(engine: str, tmp_path: Path) -> None:
    path = parts(tmp_path)
    pq.write_table(rows(20_000), tmp_path / "part1.parquet", compression="zstd", use_dictionary=False)
    whole = bytearray((tmp_path / "part1.parquet").read_bytes())
    whole[40:-2_000] = bytes(len(whole) - 2_040)  # columns, but not the end, which says where they are
    (tmp_path / "part1.parquet").write_bytes(whole)
    table = open_data(path, engine=engine)
    with pytest.raises(md.DataError) as raised:
        count(table)
    assert "\n" not in str(raised.value)
    assert "part" in str(raised.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_that_disappears_is_one_sentence(engine: str, tmp_path: Path) -> None:
    table = open_data(parts(tmp_path), engine=engine)
    assert isinstance(table, Table)
    assert table.n_rows == 300
    (tmp_path / "part1.parquet").unlink()
    with pytest.raises(md.DataError) as raised:
        count(table)
    assert "part1.parquet" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_that_changes_meanwhile_is_noticed(engine: str, tmp_path: Path) -> None:
    table = open_data(parts(tmp_path), engine=engine)
    assert isinstance(table, Table)
    assert table.n_rows == 300
    pq.write_table(rows(), tmp_path / "part1.parquet")
    os.utime(tmp_path / "part1.parquet", (1, 1))
    with pytest.raises(md.DataError, match=r"part1\.parquet changed while it was being read"):
        count(table)


@pytest.mark.parametrize("engine", ENGINES)
def test_whoever_asks_may_stop_a_count(engine: str, tmp_path: Path) -> None:
    table = open_data(parts(tmp_path), engine=engine)

    def stop() -> None:
        raise InterruptedCount

    with pytest.raises(InterruptedCount), cancelled_by(stop):
        count(table)
    assert count(table) == 3 * sum(i % 10 > 5 and i % 3 > 0 for i in range(100))


FULL = """
import resource, sys
from pathlib import Path
import pyarrow as pa
import numpy as np
from mandoline_core import MandolineError
from mandoline_core.data import open_data
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    table = open_data(Path(sys.argv[1]), engine=sys.argv[2])
    table.write(Path(sys.argv[3]), ["x"], lambda batch: pa.table({"weight": batch["x"]}))
except MandolineError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("engine", "name"), [("polars", "rows.parquet"), ("duckdb", "rows.parquet"), ("polars", "rows.csv")]
)
def test_a_full_disk_leaves_nothing_half_written(engine: str, name: str, tmp_path: Path) -> None:
    numbers = pa.table({"x": np.random.default_rng(0).standard_normal(200_000)})
    pq.write_table(numbers, tmp_path / "rows.parquet")
    numbers.to_pandas().to_csv(tmp_path / "rows.csv", index=False)
    out, scratch = tmp_path / "out", tmp_path / "scratch"
    out.mkdir()
    scratch.mkdir()
    command = [sys.executable, "-c", FULL, str(tmp_path / name), engine, str(out / "weights.parquet")]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "File too large" in done.stdout
    assert done.stdout.count("\n") == 1
    assert list(out.iterdir()) == list(scratch.iterdir()) == []


MISSING = """
import sys
sys.modules[sys.argv[2]] = None
from pathlib import Path
from mandoline_core import MandolineError
from mandoline_core.data import open_data
try:
    open_data(Path(sys.argv[1]), engine=sys.argv[3])
except MandolineError as error:
    print(error)
"""


@pytest.mark.parametrize(("package", "engine"), [("polars", "polars"), ("duckdb", "duckdb"), ("pyspark", "spark")])
def test_an_engine_that_is_not_installed_says_how_to_install_it(package: str, engine: str, tmp_path: Path) -> None:
    pq.write_table(rows(), tmp_path / "rows.parquet")
    command = [sys.executable, "-c", MISSING, str(tmp_path / "rows.parquet"), package, engine]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == (
        f"Engine '{engine}' needs the package {package}, which is not installed. "
        f"Install it with: pip install 'mandoline-estimator[{engine}]'.\n"
    ), done.stderr


PROJECT = """
version = 1
name = "interrupted"
[source]
path = "source.csv"
engine = "{engine}"
[target]
path = "source.csv"
engine = "{engine}"
[task]
label = "label"
[[models]]
name = "m"
prediction = "pred"
[[slices]]
name = "large"
kind = "threshold"
column = "n"
above = 5
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_ctrl_c_ends_a_count_and_leaves_nothing(engine: str, tmp_path: Path) -> None:
    """The text file is being unpacked when the signal comes: its folder goes, too."""
    lines = ("1,0,1\n7,1,1\n" * 500_000).encode()
    with (tmp_path / "source.csv").open("wb") as file:
        file.write(b"n,label,pred\n")
        for _ in range(8):
            file.write(lines)
    (tmp_path / "project.toml").write_text(PROJECT.format(engine=engine), encoding="utf-8")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-m", "mandoline_core.cli", "estimate", str(tmp_path / "project.toml")]
    environment = {**os.environ, "TMPDIR": str(scratch)}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    until = time.monotonic() + 60
    while not list(scratch.glob("mandoline-*/rows.parquet")) and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said.endswith("mandoline: cancelled.\n")
    assert "Traceback" not in said
    assert list(scratch.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
