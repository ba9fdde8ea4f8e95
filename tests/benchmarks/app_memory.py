"""Memory of the app's server over many edits: flat, because answers are kept by their bytes.

python -m tests.benchmarks.app_memory [ROWS] [EDITS] [ENGINE]
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

ROWS, EDITS, EVERY = 1_000_000, 200, 10
_PROJECT = """version = 1
name = "edits"
[source]
path = "source.parquet"
engine = "{engine}"
[target]
path = "target.parquet"
engine = "{engine}"
[task]
label = "label"
[[models]]
name = "m"
prediction = "pred"
[[slices]]
name = "old"
kind = "threshold"
column = "age"
at_least = 60
[[slices]]
name = "web"
kind = "category"
column = "channel"
values = ["web"]
"""


def megabytes() -> float:
    """Return what this process holds."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def write(folder: Path, n: int, engine: str) -> Path:
    """Write a project on half as many rows each."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(40)])
    for side in ("source", "target"):
        size = n // 2
        text = pd.Series(words[rng.integers(len(words), size=(size, 6))].tolist()).str.join(" ")
        label = rng.integers(2, size=size)
        frame = pd.DataFrame({"text": text, "age": rng.integers(18, 90, size=size), "label": label})
        frame["channel"] = np.array(["web", "app", "shop"])[rng.integers(3, size=size)]
        frame["pred"] = np.where(rng.random(size) < 0.85, label, 1 - label)
        frame.to_parquet(folder / f"{side}.parquet")
    (folder / "project.toml").write_text(_PROJECT.format(engine=engine))
    return folder / "project.toml"


def main(n: int, edits: int, engine: str) -> list[float]:
    """Edit a slice again and again on the Slices page; return what the server holds after every few edits."""
    folder = Path(tempfile.mkdtemp())
    os.environ["MANDOLINE_DATA_DIR"] = str(folder / "store")
    from app.project import state
    from mandoline_core import load_project
    from tests.app.pages import MAIN, run
    from tests.app.tables import settle

    app = AppTest.from_file(str(MAIN), default_timeout=600)
    app.switch_page("views/slices/slices.py")
    app.query_params["project"] = state.store().create(state._document(load_project(write(folder, n, engine))))
    app.session_state["kept:editing"] = "old"
    settle(run(app))
    found, start = [megabytes()], time.monotonic()
    print(f"{n:,} rows, {engine}: {found[0]:.0f} MB before the first edit", flush=True)
    for number in range(1, edits + 1):
        key = next(one.key for one in app.number_input if "at_least" in str(one.key) or "old" in str(one.key))
        app.number_input(key=key).set_value(20.0 + number / 4)
        settle(run(app))
        if number % EVERY == 0:
            found.append(megabytes())
            each = (time.monotonic() - start) / number
            print(f"{number:4d} edits: {found[-1]:.0f} MB, {each:.2f} s an edit", flush=True)
    return found


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else ROWS, int(given[1]) if len(given) > 1 else EDITS, (given + ["auto"] * 3)[2])
