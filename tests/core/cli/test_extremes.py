"""Input beyond what anyone would write: one sentence, exit code 2, and no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mandoline_core.cli import main

SOURCE = "y,p,t,n\n1,1,a b,1\n0,1,c,2\n1,0,d,3\n0,0,e,4\n"
TARGET = "p,t,n\n1,a b,1\n0,c,9\n"
THRESHOLD = '[[slices]]\nname = "s"\nkind = "threshold"\ncolumn = "n"\nabove = {}\n'
EXPRESSION = '[[slices]]\nname = "s"\nkind = "expression"\ntext = "{}"\n'


def write(
    folder: Path, slices: str = THRESHOLD.format(2), *, source: str = SOURCE, top: str = "", more: str = ""
) -> Path:
    """Write a small project with something extreme in it."""
    (folder / "s.csv").write_text(source)
    (folder / "t.csv").write_text(TARGET)
    path = folder / "p.toml"
    path.write_text(
        f'version = 1\n{top}\n[source]\npath = "s.csv"\n[target]\npath = "t.csv"\n[task]\nlabel = "y"\n'
        f'[[models]]\nname = "m"\nprediction = "p"\n{more}\n{slices}'
    )
    return path


@pytest.mark.parametrize(
    ("said", "project"),
    [
        ("above has 401 digits", {"slices": THRESHOLD.format("1" + "0" * 400)}),
        ("has a number with too many digits", {"slices": THRESHOLD.format("1" + "0" * 4400)}),
        ("nested too deep", {"top": "note = " + "[" * 600 + "]" * 600}),
        ("more than 100 comparisons and operators", {"slices": EXPRESSION.format(" and ".join(["n > 1"] * 200))}),
        (
            "differ by up to 1e+200, too much for metric 'rmse'",
            {"source": "y,p,t,n\n1e200,1,a,1\n-1e200,1,c,2\n1,0,d,3\n", "more": '[metric]\nname = "rmse"'},
        ),
    ],
)
def test_extreme_projects_are_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], said: str, project: dict[str, str]
) -> None:
    """What is wrong is named; nothing is computed, and nothing printed as an answer."""
    assert main(["estimate", str(write(tmp_path, **project))]) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert not out
    assert len(err.strip().splitlines()) == 1


def test_a_name_longer_than_any_file_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The system would raise an error of its own."""
    assert main(["estimate", "a" * 300 + ".toml"]) == 2
    assert "The limit is 255 characters" in capsys.readouterr().err


def test_a_header_longer_than_what_is_looked_at_first_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name cut in half would look like another that is there."""
    extra = [f"{'column' * 30}_{number}" for number in range(400)]
    rows = SOURCE.splitlines()
    assert len(",".join(extra)) > 2**16
    wide = "\n".join([",".join([rows[0], *extra]), *(",".join([row, *["1"] * len(extra)]) for row in rows[1:])])
    assert main(["slices", str(write(tmp_path, source=wide))]) == 0
    assert "duplicate" not in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_an_answer_that_cannot_be_written_is_said() -> None:
    """Standard output on a full disk is one sentence on standard error."""
    with Path("/dev/full").open("w") as full:
        found = subprocess.run(
            [sys.executable, "-m", "mandoline_core.cli", "schema", "project"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert found.returncode == 2
    assert found.stderr.strip() == "mandoline: Cannot write the output: No space left on device. Free some disk space."


def test_closed_standard_output_is_no_error() -> None:
    """Whoever closes it does not want the answer."""
    found = subprocess.run(
        [sys.executable, "-m", "mandoline_core.cli", "schema", "project"],
        preexec_fn=lambda: os.close(1),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "")
