"""`mandoline check`: whether every estimate meets your rules, in formats for CI."""

from __future__ import annotations

import argparse
import json
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

HELP = "Check the estimates against your rules, for CI."
NOT_MET, BAD_INPUT = 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, the rules, and the output files."""
    rules = {
        "--min X": "worst acceptable score: a minimum; a maximum where lower is better (error, rmse); the largest "
        "distance from 0 for bias",
        "--max-drop P": "largest acceptable drop from the score on labelled data, in percentage points (3 for 3%%) or "
        "in the metric's unit",
        "--verdict LEVEL": "worst acceptable verdict: confirmed, green, amber or red (default without other rules: "
        "amber)",
        "--against WHAT=estimate": "apply --min and --max-drop to the estimate (default), or to the worse end of the "
        "interval",
    }
    outputs = {
        "--junit FILE": "write JUnit XML, one test case per model and rule",
        "--markdown FILE": "write a Markdown summary",
        "--quiet": "print only the rules that are not met, on standard error",
        "--log text|jsonl": "format of standard error: text, or one JSON object per line",
    }
    take(parser, {**PROJECT, **JSON, **rules, **outputs})


def run(options: argparse.Namespace) -> int:
    """Estimate, check the rules, write the output files, and print the rules that are not met."""
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
    from mandoline_core.monitoring import Demands, check_demands, check_worst, drop_hint, junit_xml, markdown_summary
    from mandoline_core.report import estimate

    start = time.monotonic()
    demands = Demands(worst=options.min, max_drop=options.max_drop, verdict=options.verdict, against=options.against)
    project = load(options, options.junit, options.markdown)
    metric = get_metric(project.metric)
    if options.min is not None:
        check_worst("--min", options.min, metric)
    log.event("started", project=project.name, models=[model.name for model in project.models])
    if hint := drop_hint("--max-drop", options.max_drop, metric):
        log.hint(hint)
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
    lines = [["model", "rule", "required", "found", ""]]
    for result in results:
        met = "met" if result.met else "NOT MET"
        lines.append([one_line(result.model), result.rule, result.demand, result.found, met])
    end = f"{counted(missed, 'rule')} not met." if missed else "Every rule is met."
    head = f"{one_line(report.name)}: {report.first.problem.metric.spoken} on the new data"
    return f"{head}\n\n{table(lines, '<<<<<')}\n\n{end}"


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
    """Write to standard error: sentences, or one JSON object per line."""

    def __init__(self, *, lines: bool, quiet: bool) -> None:
        super().__init__(quiet=quiet)
        self._lines, self._quiet = lines, quiet
        self._step = ("", -1.0)

    def event(self, event: str, **facts: Any) -> None:
        """Log an event as JSON."""
        if self._lines and not (self._quiet and event in ("started", "progress")):
            when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            line = json.dumps({"time": when, "event": event, **facts}, ensure_ascii=False)
            print(line, file=sys.stderr, flush=True)

    def hint(self, sentence: str) -> None:
        """Write a hint about an option."""
        if self._lines:
            self.event("hint", message=sentence)
        else:
            complain(sentence)

    def results(self, results: Sequence[DemandResult]) -> None:
        """Write the rules that are not met; as JSON, all rules."""
        for result in results:
            if self._lines:
                if not (self._quiet and result.met):
                    self.event("rule", **result.as_dict())
            elif not result.met:
                complain(result.message)

    def __call__(self, what: str, share: float) -> None:
        """Show the current step and the share that is done; as JSON, every tenth."""
        if not self._lines:
            super().__call__(what, share)
            return
        step = (what, int(share * 10) / 10)
        if step != self._step:
            self.event("progress", what=what, share=step[1])
        self._step = step
