"""`mandoline track`: the estimate on each batch of new data."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import (
    JSON,
    PROJECT,
    Progress,
    check_charts,
    check_outputs,
    complain,
    load,
    show,
    take,
    write,
)
from mandoline_core.errors import MandolineError

HELP = "Estimate on each batch of new data, such as weekly files."
ALERT, BAD_TARGET = 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, the batches, output files, and when to alert."""
    own = {
        "--csv FILE": "write one line per batch and model",
        "--html FILE": "write an HTML page with charts",
        "--labels PATTERN": "labels that arrived later: files named like their batch, or with a key (see the guide)",
        "--alert-drop P": "exit with 1 if an estimate is over P worse (percentage points, or the metric's unit)",
        "--alert-under X": "exit with 1 if an estimate is worse than X (above X, where lower is better; default: the "
        "project's threshold)",
        "--alert-against source|first|previous": "what --alert-drop compares with: the score on labelled data (source, "
        "default), the first estimate, or the previous one",
        "--alert-verdict LEVEL": "exit with 1 if a verdict is LEVEL or worse, such as red",
        "--false-alarms PERCENT": "alert only beyond sampling error: a stable run ever does with this probability, "
        "such as 5%%",
        "--memory FILE": "cache of earlier estimates (default: PROJECT.track.json)",
    }
    targets = "batches of new data, such as 'weekly/*.parquet', in the order of the numbers in their names"
    take(parser, {**PROJECT, **JSON})
    take(parser, {"--targets PATTERN": targets}, required=True)
    take(parser, own)


def run(options: argparse.Namespace) -> int:
    """Estimate on new batches, write the output files, print, and alert."""
    from mandoline_core.metrics import get_metric
    from mandoline_core.monitoring import AlertRule, check_worst, drop_hint, find_targets, track_targets
    from mandoline_core.project import track_memory

    project = load(options)
    metric = get_metric(project.metric)
    worst = project.decision.threshold
    if worst is not None:
        check_worst("threshold", worst, metric)
    if options.alert_under is not None:
        worst = options.alert_under
        check_worst("--alert-under", worst, metric)
    if hint := drop_hint("--alert-drop", options.alert_drop, metric):
        complain(hint)
    rule = AlertRule(
        options.alert_drop,
        options.alert_against,
        worst,
        options.alert_verdict,
        None if options.false_alarms is None else _share(options.false_alarms),
    )
    targets = find_targets(options.targets)
    labels = [] if options.labels is None else find_targets(options.labels)
    memory = options.memory or track_memory(options.project)
    check_outputs(project, options.csv, options.html, memory)
    check_charts(options.html)
    with Progress() as progress:
        track = track_targets(project, targets, labels=labels, memory=memory, alert=rule, progress=progress)
        write(options.csv, track.to_csv())
        if options.html is not None:
            write(options.html, track.to_html())
    show(track, options)
    for alert in track.alert_sentences:
        complain(alert)
    errors = [f"{one.target}: {said}" for one in track.targets for said in (one.error, one.label_error) if said]
    for error in errors:
        complain(error)
    if errors:
        return BAD_TARGET
    return ALERT if track.alerts else 0


def _share(text: str) -> float:
    """Read a probability.

    >>> _share("5%"), _share("0.05")
    (0.05, 0.05)
    """
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise MandolineError(f"--false-alarms must be a percentage, such as 5%. Got {text!r}.") from None
