"""`mandoline check`: whether every model meets what a job demands, said in the formats that jobs read."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from typing import TYPE_CHECKING, Any

from mandoline_core.cli.command import JSON, PROJECT, Progress, as_json, complain, load, say, take, write
from mandoline_core.errors import MandolineError
from mandoline_core.formatting import counted, one_line, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mandoline_core.monitoring import DemandResult
    from mandoline_core.report import Report

HELP = "Check every model's estimate against what a job demands: exit with 1 when a rule is not met."
NOT_MET, BAD_INPUT = 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, the rules, and where to write what came out."""
    rules = {
        "--min X": "the worst score that will do: the least where more is better, the most where less is better "
        "(error, rmse), the furthest from 0 for bias",
        "--max-drop P": "how much worse than on the source it may be: in points (3 is 3%%) for shares, else in the "
        "metric's unit",
        "--verdict LEVEL": "the worst verdict that will do: green, amber or red (amber, where no rule is given)",
        "--against WHAT=estimate": "what --min and --max-drop are held against: the estimate (default), or the "
        "interval: its worse end",
    }
    outputs = {
        "--junit FILE": "write JUnit XML: a test case a model and rule",
        "--markdown FILE": "write a summary in Markdown",
        "--quiet": "print nothing but what is not met, on standard error",
        "--log text|jsonl": "how standard error is written: jsonl is JSON, a line each",
    }
    take(parser, {**PROJECT, **JSON, **rules, **outputs})


def run(options: argparse.Namespace) -> int:
    """Estimate, hold every model against the rules, write what was asked for, and say what is not met."""
    log = _Log(lines=options.log == "jsonl", quiet=options.quiet)
    try:
        return _check(options, log)
    except MandolineError as error:
        if options.log != "jsonl":
            raise
        log.event("error", message=str(error))
        return BAD_INPUT


def _check(options: argparse.Namespace, log: _Log) -> int:
    from mandoline_core.metrics import get_metric
    from mandoline_core.monitoring import Demands, check_demands, check_worst, junit_xml, markdown_summary
    from mandoline_core.report import estimate

    start = time.monotonic()
    demands = Demands(worst=options.min, max_drop=options.max_drop, verdict=options.verdict, against=options.against)
    project = load(options, options.junit, options.markdown)
    if options.min is not None:
        check_worst("--min", options.min, get_metric(project.metric.name))
    log.event("started", project=project.name, models=[model.name for model in project.models])
    with log:
        report = estimate(project, progress=log)
    results = check_demands(report, demands)
    write(options.junit, junit_xml(report.name, results, time.monotonic() - start))
    write(options.markdown, markdown_summary(report, results))
    if options.json:
        say(as_json(_plain(report, results)))
    elif not options.quiet:
        say(_text(report, results))
    log.results(results)
    passed = all(result.met for result in results)
    log.event("finished", passed=passed, seconds=round(time.monotonic() - start, 3))
    return 0 if passed else NOT_MET


def _text(report: Report, results: Sequence[DemandResult]) -> str:
    missed = sum(not result.met for result in results)
    lines = [["model", "rule", "demanded", "found", ""]]
    for result in results:
        met = "met" if result.met else "NOT MET"
        lines.append([one_line(result.model), result.rule, result.demand, result.found, met])
    end = f"{counted(missed, 'rule')} not met." if missed else "Every rule is met."
    return f"{one_line(report.name)}: {report.first.metric} on the target\n\n{table(lines, '<<<<<')}\n\n{end}"


def _plain(report: Report, results: Sequence[DemandResult]) -> dict[str, Any]:
    return {
        "name": report.name,
        "passed": all(result.met for result in results),
        "rules": [result.as_dict() for result in results],
        "models": {
            name: {
                **model.told,
                "source": model.source,
                "converged": model.converged,
                "verdict": None if model.verdict is None else model.verdict.level,
            }
            for name, model in report.models.items()
        },
    }


class _Log(Progress):
    """Write on standard error: sentences for a person, or a JSON object a line for a program."""

    def __init__(self, *, lines: bool, quiet: bool) -> None:
        super().__init__(after=math.inf if quiet else 1.0)
        self._lines, self._quiet = lines, quiet
        self._step = ("", -1.0)

    def event(self, event: str, **facts: Any) -> None:
        """Log an event; a person is told of none but rules."""
        if self._lines and not (self._quiet and event in ("started", "progress")):
            when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            line = json.dumps({"time": when, "event": event, **facts}, ensure_ascii=False)
            print(line, file=sys.stderr, flush=True)

    def results(self, results: Sequence[DemandResult]) -> None:
        """Say what is not met; a program is told what is met, too."""
        for result in results:
            if self._lines:
                if not (self._quiet and result.met):
                    self.event("rule", **result.as_dict())
            elif not result.met:
                complain(result.message)

    def __call__(self, what: str, share: float) -> None:
        """Say what is being done, and how much of it is done; a program is told every tenth."""
        if not self._lines:
            super().__call__(what, share)
            return
        step = (what, int(share * 10) / 10)
        if step != self._step:
            self.event("progress", what=what, share=step[1])
        self._step = step
