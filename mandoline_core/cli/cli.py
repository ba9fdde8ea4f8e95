"""The command line: the same project file, the same numbers, in a terminal or a pipeline."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from mandoline_core.backtesting import backtest
from mandoline_core.cli.tables import ablation_text, labels_text, slices_text
from mandoline_core.comparing import compare
from mandoline_core.errors import MandolineError
from mandoline_core.estimating import ModelProblem, Request, ablation, slice_table, state_project
from mandoline_core.labelling import plan_labels, read_plan, use_labels
from mandoline_core.metrics import get_metric
from mandoline_core.project import Project, load_project
from mandoline_core.report import Report, estimate, render_page
from mandoline_core.samples import Sample, read_table

DONE, BELOW, BAD_INPUT = 0, 1, 2

_EPILOG = """\
a first session:
  mandoline slices reviews.toml       what the slices cover, how far they shift
  mandoline estimate reviews.toml     the estimate, its interval, and what to know before quoting it
  mandoline ablation reviews.toml     which slice moved the number
  mandoline compare reviews.toml      what other methods say, and how they rank the models
  mandoline backtest reviews.toml     how methods do on shifts made of your own labelled data
  mandoline app reviews.toml          the same, in the browser

exit codes:
  0  done
  1  the estimate is below --fail-under
  2  bad input; one sentence on standard error says what, where and what to do
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    options = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    code = DONE
    try:
        code = run(options)
        sys.stdout.flush()  # here, where a reader that has gone is met with silence
    except MandolineError as error:
        print(f"mandoline: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        print("mandoline: stopped.", file=sys.stderr)
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mandoline",
        description=(
            "Estimate how well a model does on data without labels. Write slices for the ways the data changed; "
            "Mandoline reweights your labelled data so that its slices look like the new data's."
        ),
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"mandoline {version('mandoline-estimator')}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run)
        return sub

    def on_project(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        sub = command(name, run, text)
        sub.add_argument("project", metavar="PROJECT.toml", type=Path, help="the project file")
        sub.add_argument("--json", action="store_true", help="print one JSON object, numbers in full precision")
        return sub

    app = command("app", _app, "Start the app in the browser, on the sample project when none is given.")
    app.add_argument("project", metavar="PROJECT.toml", type=Path, nargs="?", help="the project file")
    app.add_argument(
        "--port", type=_port, metavar="N", help="port to listen on (8501 unless Streamlit is told otherwise)"
    )
    app.add_argument("--data-dir", metavar="D", type=Path, help="where projects and uploads are kept")
    app.add_argument("--host", metavar="H", help="address to listen on (this machine only, unless told otherwise)")

    sub = on_project("estimate", _estimate, "Estimate each model's score on the target.")
    sub.add_argument("--reveal", action="store_true", help="show the truth from the project's file of target labels")
    sub.add_argument("--html", metavar="FILE", type=Path, help="write the report as a web page")
    sub.add_argument("--weights", metavar="FILE", type=Path, help="write one weight a source row and model, as CSV")
    sub.add_argument(
        "--fail-under", metavar="X", type=float, help="exit with 1 when the first model's estimate is below X (0 to 1)"
    )
    sub = on_project("compare", _compare, "Estimate each model with every method that applies, and rank the models.")
    sub.add_argument("--reveal", action="store_true", help="judge the methods by the project's file of target labels")
    sub = on_project("backtest", _backtest, "Try every method on pseudo-targets made of the labelled data.")
    sub.add_argument("--draws", metavar="N", type=int, default=100, help="pseudo-targets of each kind (100)")
    sub = on_project("labels", _labels, "Combine the estimate with labels of a few new rows, and test the slices.")
    sub.add_argument(
        "--plan",
        metavar="FILE",
        type=Path,
        help="the plan that these rows were chosen by, as CSV; its column row counts the new rows from 1",
    )
    sub = on_project("plan", _plan, "Say which new rows to label next; the column row counts them from 1.")
    sub.add_argument("--rows", metavar="N", type=_rows, default=50, help="how many rows to label (50)")
    sub.add_argument("--out", metavar="FILE", type=Path, help="write the plan as CSV instead of printing it")
    on_project("slices", _slices, "Show what each slice covers, how far it shifts and how the model does inside it.")
    on_project("ablation", _ablation, "Show how the estimate moves as slices are added, and without each of them.")
    return parser


def _estimate(options: argparse.Namespace) -> int:
    project = load_project(options.project)
    _check_least(options.fail_under, project)
    with _Progress() as progress:
        report = estimate(project, reveal=options.reveal, progress=progress)
    if options.weights is not None:
        _write(options.weights, pd.DataFrame({n: m.weights for n, m in report.models.items()}).to_csv(index=False))
    if options.html is not None:
        _write(options.html, render_page(report))
    print(_json(report.as_dict()) if options.json else report)
    return _verdict(report, options.fail_under)


def _compare(options: argparse.Namespace) -> int:
    project = load_project(options.project)
    with _Progress() as progress:
        found = compare(project, reveal=options.reveal, progress=progress)
    print(_json(found.as_dict()) if options.json else found)
    return DONE


def _backtest(options: argparse.Namespace) -> int:
    project = load_project(options.project)
    with _Progress() as progress:
        found = backtest(project, draws=options.draws, progress=progress)
    print(_json(found.as_dict()) if options.json else found)
    return DONE


def _labels(options: argparse.Namespace) -> int:
    project = load_project(options.project)
    with _Progress() as progress:
        stated = state_project(project, reveal=True)
        prepared, target, plan = _each(stated, progress), stated.revealed, None
        if options.plan is not None:
            plan = read_plan(Sample(read_table(options.plan), name=options.plan.name), target.n_rows)
        found = {name: use_labels(one, project.estimator, target, plan=plan) for name, one in prepared}
    if options.json:
        print(_json({"models": {name: one.as_dict() for name, one in found.items()}}))
        return DONE
    print(labels_text(found, share=get_metric(project.metric.name).share))
    return DONE


def _plan(options: argparse.Namespace) -> int:
    project = load_project(options.project)
    with _Progress() as progress:
        stated = state_project(project, reveal=project.target_labels is not None)
        _, prepared = _each(stated, progress)[0]
        # A file with a label for every row is the truth put aside, and not a start that a plan would go on from.
        labelled = stated.revealed
        some = project.label in labelled.columns and labelled.series(project.label).is_null().any()
        target = labelled if some else stated.target
        plan = plan_labels(prepared, project.estimator, options.rows, target)
    if options.out is not None:
        _write(options.out, plan.to_csv())
    if options.json:
        print(_json(plan.as_dict()))
    elif options.out is None:
        print(plan.to_csv(), end="")
    return DONE


def _check_least(least: float | None, project: Project) -> None:
    """Refuse a bound that no estimate, or every estimate, would meet."""
    bounds = get_metric(project.metric.name).bounds
    if least is None or bounds is None or bounds[0] <= least <= bounds[1]:
        return
    hint = f" Did you mean {least / 100:g}?" if 1 < least <= 100 else ""
    raise MandolineError(f"--fail-under must be between {bounds[0]:g} and {bounds[1]:g}. Got {least:g}.{hint}")


def _verdict(report: Report, least: float | None) -> int:
    if least is None:
        return DONE
    if report.first.converged and report.estimate >= least:
        return DONE
    said = (
        f"the estimate {report.estimate:.4f} is below {least:g}" if report.first.converged else "there is no estimate"
    )
    print(f"mandoline: {said}.", file=sys.stderr)
    return BELOW


def _slices(options: argparse.Namespace) -> int:
    project = load_project(options.project)
    with _Progress() as progress:
        found = {
            name: slice_table(p, confidence=project.estimator.confidence)
            for name, p in _each(state_project(project), progress)
        }
    if options.json:
        print(_json({"models": {name: [row.as_dict() for row in rows] for name, rows in found.items()}}))
        return DONE
    print("\n\n".join(slices_text(name, rows) for name, rows in found.items()))
    return DONE


def _ablation(options: argparse.Namespace) -> int:
    project = load_project(options.project)
    with _Progress() as progress:
        found = {
            name: ablation(prepared, project.estimator, progress=partial(progress, f"ablation of {name}"))
            for name, prepared in _each(state_project(project), progress)
        }
    if options.json:
        first = next(iter(found.values())).as_dict()
        print(_json({**first, "models": {name: curves.as_dict() for name, curves in found.items()}}))
    else:
        print("\n\n".join(ablation_text(name, curves) for name, curves in found.items()))
    return DONE


def _each(stated: Request, progress: _Progress) -> list[tuple[str, ModelProblem]]:
    """Prepare every model of a project."""
    return [(prepared.model, prepared) for prepared, _ in stated.each_model(progress, need_slices=True)]


def _app(options: argparse.Namespace) -> int:
    root = bundle_root()
    command = [sys.executable, "-m", "streamlit", "run", str(root / "app" / "main.py")]
    command += ["--server.address", options.host or _address(), "--server.showEmailPrompt", "false"]
    if options.port is not None:
        command += ["--server.port", str(options.port)]
    project = options.project or root / "sample_data" / "reviews" / "project.toml"
    load_project(project)  # say what is wrong here, not in the browser
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    if options.data_dir is not None:
        environment["MANDOLINE_DATA_DIR"] = str(options.data_dir.resolve())
    return subprocess.run([*command, "--", str(project.resolve())], env=environment, check=False).returncode


def _rows(text: str) -> int:
    """Read a number of rows, before any work is done for it."""
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number, 1 or above. Got {text!r}.")
    return int(text)


def _port(text: str) -> int:
    """Read a port; argparse says what is wrong with any other text."""
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 to 65535. Got {text!r}.")
    return int(text)


def _address() -> str:
    """Find the address that Streamlit's own settings name; this machine only when they name none."""
    if "STREAMLIT_SERVER_ADDRESS" in os.environ:
        return os.environ["STREAMLIT_SERVER_ADDRESS"]
    for folder in (Path.cwd(), Path.home()):
        try:
            settings = tomllib.loads((folder / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
            return str(settings["server"]["address"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # absent or not for us to judge: Streamlit reads it again and complains itself
    return "127.0.0.1"


def bundle_root() -> Path:
    """Find the folder that holds the app and the samples: inside the installed package, or the checkout."""
    package = Path(__file__).resolve().parents[1]
    bundled = package / "_bundled"
    return bundled if bundled.is_dir() else package.parent


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise MandolineError(f"{path} could not be written: {error.strerror}. Choose another place.") from None


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


class _Progress:
    """Show progress on standard error once work has taken more than a second; on a terminal, in one line."""

    def __init__(self, after: float = 1.0) -> None:
        self._start, self._after, self._shown = time.monotonic(), after, ""
        self._terminal = sys.stderr.isatty()

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and self._terminal:
            print("\r" + " " * len(self._shown) + "\r", end="", file=sys.stderr)

    def __call__(self, what: str, share: float) -> None:
        """Say what is being done, and how much of it is done."""
        if time.monotonic() - self._start < self._after:
            return
        text = f"{what}: {share:.0%}"
        if self._terminal:
            print("\r" + text.ljust(len(self._shown)), end="", file=sys.stderr, flush=True)
        elif text != self._shown:
            print(text, file=sys.stderr, flush=True)
        self._shown = text
