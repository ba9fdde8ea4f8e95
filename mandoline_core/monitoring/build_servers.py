"""Output for CI: JUnit XML with one test case per model and rule, and a Markdown summary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from mandoline_core.formatting import show_interval, show_value
from mandoline_core.monitoring.demands import DemandResult
from mandoline_core.report import Report

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$@:])")


def junit_xml(name: str, results: Sequence[DemandResult], seconds: float = 0.0) -> str:
    """Write the results as JUnit XML.

    Parameters
    ----------
    name : str
        Name of the project.
    seconds : float
        Duration.

    Examples
    --------
    >>> missed = DemandResult("lr", "min", False, "at least 90.0%", "80.0%", "lr: <80%.")
    >>> print(junit_xml("a", [missed]).splitlines()[4].strip())
    <failure message="lr: &lt;80%." type="min">lr: &lt;80%.</failure>
    """
    failures = sum(not result.met for result in results)
    counts = {"tests": str(len(results)), "failures": str(failures), "errors": "0", "time": f"{seconds:.3f}"}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": _allowed(f"mandoline: {name}"), "skipped": "0", **counts})
    for result in results:
        case = ET.SubElement(
            suite,
            "testcase",
            # Build servers split a class name at its dots into packages; a name of ours is no package.
            {
                "classname": _allowed(f"mandoline.{name.replace('.', '_')}"),
                "name": _allowed(f"{result.model}: {result.rule}, {result.demand}"),
                "time": "0",
            },
        )
        if not result.met:
            message = _allowed(result.message)
            ET.SubElement(case, "failure", {"message": message, "type": result.rule}).text = message
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _allowed(text: str) -> str:
    """Replace the characters that XML 1.0 cannot hold, not even escaped."""
    return _NOT_IN_XML.sub("\ufffd", text)


def markdown_summary(report: Report, results: Sequence[DemandResult]) -> str:
    """Write the results and the estimates as Markdown, with every name escaped."""
    missed = [result for result in results if not result.met]
    said = "every rule is met" if not missed else f"{len(missed)} of {len(results)} rules not met"
    lines = [
        f"### {in_markdown(report.name)}: {in_markdown(report.first.problem.metric.spoken)} on the new data, {said}",
        "",
        "| model | estimate on new data | score on labelled data | verdict | rules |",
        "|---|---|---|---|---|",
    ]
    for name, model in report.models.items():
        share = model.problem.metric.share
        of_model = [result for result in results if result.model == name]
        cells = (
            in_markdown(name),
            show_interval(model.estimate, model.interval, share=share) if model.converged else "no estimate",
            show_value(model.source, share=share),
            "" if model.verdict is None else model.verdict.meaning,
            ", ".join(f"{result.rule} {'met' if result.met else '**not met**'}" for result in of_model),
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        *(f"- {'' if result.met else '**Not met.** '}{in_markdown(result.message)}" for result in results),
        "",
    ]
    return "\n".join(lines)


def in_markdown(text: str) -> str:
    r"""Escape text for Markdown, on one line.

    >>> print(in_markdown("*a* <b> | c"))
    \*a\* &lt;b&gt; \| c
    """
    line = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", line)
