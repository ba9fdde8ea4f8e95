"""Write the sample projects, byte for byte the same every time.

python sample_data/generate.py [--out DIR]
"""

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

import _digits
import _reviews

SAMPLES = {"digits": (_digits.PROJECT, _digits.generate), "reviews": (_reviews.PROJECT, _reviews.generate)}


def write_samples(out: Path) -> None:
    """Write one folder per sample, with its project file and its tables."""
    for name, (project, generate) in SAMPLES.items():
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "project.toml").write_text(project, encoding="utf-8", newline="\n")
        for file, rows in generate().items():
            (folder / file).parent.mkdir(exist_ok=True)
            with (folder / file).open("w", encoding="utf-8", newline="") as handle:
                csv.writer(handle, lineterminator="\n").writerows(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and write the samples."""
    parser = argparse.ArgumentParser(description="Write the sample projects.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder to write to (default: here)")
    write_samples(parser.parse_args(arguments).out)


if __name__ == "__main__":
    main()
