"""`mandoline track`: the estimate on one target after the other, those done before kept."""

from __future__ import annotations

import argparse

from mandoline_core.cli.command import JSON, PROJECT, Progress, check_outputs, complain, load, show, take, write

HELP = "Estimate on one target after the other; what was done before is kept, and alerts say when to look."
ALERT, BAD_TARGET = 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take a project, the targets, where to write, and when to alert."""
    own = {
        "--csv FILE": "write a line for each target and model",
        "--html FILE": "write one HTML file with charts",
        "--alert-drop P": "exit with 1 when the last target's estimate is more than P worse: in points for shares",
        "--alert-under X": "exit with 1 when the last target's estimate is worse than X: below it, or above it where "
        "less is better",
        "--alert-against source|first|previous": "worse than what: the score on the source (default), the first "
        "target's estimate, or the one before",
        "--memory FILE": "what was done before (<project file>.track.json, beside it)",
    }
    targets = "the files to estimate on, such as 'weekly/*.parquet'; numbers in their names are their order"
    take(parser, {**PROJECT, **JSON})
    take(parser, {"--targets PATTERN": targets}, required=True)
    take(parser, own)


def run(options: argparse.Namespace) -> int:
    """Estimate on what is new, write what was asked for, print, and alert."""
    from mandoline_core.metrics import get_metric
    from mandoline_core.monitoring import AlertRule, check_worst, find_targets, track_targets

    project = load(options)
    rule = None
    if options.alert_under is not None:
        check_worst("--alert-under", options.alert_under, get_metric(project.metric.name))
    if options.alert_drop is not None or options.alert_under is not None:
        rule = AlertRule(options.alert_drop, options.alert_against, options.alert_under)
    targets = find_targets(options.targets)
    memory = options.memory or options.project.with_name(f"{options.project.stem}.track.json")
    check_outputs(project, options.csv, options.html, memory)
    with Progress() as progress:
        track = track_targets(project, targets, memory=memory, alert=rule, progress=progress)
        write(options.csv, track.to_csv())
        if options.html is not None:
            write(options.html, track.to_html())
    show(track, options)
    for alert in track.newest_alerts:
        complain(alert)
    failed = [target for target in track.targets if target.error is not None]
    for target in failed:
        complain(f"{target.target}: {target.error}")
    if failed:
        return BAD_TARGET
    return ALERT if track.newest_alerts else 0
