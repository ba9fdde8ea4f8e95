"""A summary in Markdown, as build servers show it beside a job or a change."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mandoline_core.formatting import show_interval, show_value
from mandoline_core.monitoring.demands import Held
from mandoline_core.report import Report

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$@:])")


def markdown_summary(report: Report, held: Sequence[Held]) -> str:
    """Write what is met, the estimates, and every sentence; every name in it is escaped."""
    missed = [one for one in held if not one.met]
    said = "every rule is met" if not missed else f"{len(missed)} of {len(held)} rules not met"
    lines = [
        f"### {in_markdown(report.name)}: {in_markdown(report.first.metric)} on the target, {said}",
        "",
        "| model | on the target | on the source | verdict | rules |",
        "|---|---|---|---|---|",
    ]
    for name, model in report.models.items():
        share = model.problem.metric.share
        of_model = [one for one in held if one.model == name]
        cells = (
            in_markdown(name),
            show_interval(model.estimate, model.interval, share=share) if model.converged else "no estimate",
            show_value(model.source, share=share),
            "" if model.verdict is None else model.verdict.level,
            ", ".join(f"{one.rule} {'met' if one.met else '**not met**'}" for one in of_model),
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"- {'' if one.met else '**Not met.** '}{in_markdown(one.sentence)}" for one in held), ""]
    return "\n".join(lines)


def in_markdown(text: str) -> str:
    r"""Write text so that Markdown shows it as it is: on one line, with nothing in it that takes effect.

    >>> print(in_markdown("*a* <b> | c"))
    \*a\* &lt;b&gt; \| c
    """
    line = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", line)
