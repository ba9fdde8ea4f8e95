"""Tables of the command line, as text."""

from __future__ import annotations

from collections.abc import Mapping

from mandoline_core.formatting import show_interval, table, wrapped
from mandoline_core.labels import FewLabels
from mandoline_core.pipeline import Ablation, SliceTable


def slices_text(model: str, rows: SliceTable) -> str:
    """Write the slice table."""
    text = [f"Slices for model {model} (shares of rows, shift in points)", "", table(rows.cells(), "<>>>><<<")]
    for row in rows:
        if row.source_abstains or row.target_abstains:
            text.append(
                f"{row.name} abstains on {row.source_abstains:.1%} of the source "
                f"and {row.target_abstains:.1%} of the target."
            )
        if row.overlap is not None and row.overlap >= 0.5:
            text.append(f"{row.name} shares {row.overlap:.0%} of its rows with {row.most_like}.")
        if row.gold is not None:
            said = [
                f"{n} {'-' if v is None else f'{v:.3f}'}"
                for n, v in (("precision", row.gold.precision), ("recall", row.gold.recall), ("F1", row.gold.f1))
            ]
            text.append(f"{row.name} against its gold column, {row.gold.n:,} source rows: {', '.join(said)}.")
    return "\n".join(text)


def ablation_text(model: str, curves: Ablation) -> str:
    """Write both ablation curves as one table."""
    lines = [["slice", "adding slices in order", "effective rows", "without this slice", "effective rows"]]
    for point, without in zip(curves.cumulative, (None, *curves.leave_one_out), strict=True):
        line = [point.slice or "(source score)"]
        for entry in (point, without):
            if entry is None:
                line += ["", ""]
            elif entry.estimate is None or entry.interval is None or entry.effective_sample_size is None:
                line += ["no estimate", "-"]
            else:
                share = entry.interval[0] >= 0 and entry.interval[1] <= 1
                line += [
                    show_interval(entry.estimate, entry.interval, share=share),
                    f"{entry.effective_sample_size:,.0f}",
                ]
        lines.append(line)
    reasons = [f"{p.slice}: {p.reason}" for p in (*curves.cumulative, *curves.leave_one_out) if p.reason]
    return "\n".join([f"Ablation for model {model}", "", table(lines, "<<><>"), *dict.fromkeys(reasons)])


def labels_text(found: Mapping[str, FewLabels], *, share: bool) -> str:
    """Write what a few labels say: alone, the estimate, and both together, by model."""
    lines = [["model", "labels alone", "estimate", "both"]]
    lines += [
        [name, *(show_interval(*said, share=share) for said in (one.labels_only, one.mandoline, one.combined))]
        for name, one in found.items()
    ]
    said: dict[str, list[str]] = {}
    for name, one in found.items():
        for text in _labels_notes(one):
            said.setdefault(text, []).append(name)
    notes = [text if len(names) == len(found) else f"{', '.join(names)}: {text}" for text, names in said.items()]
    first = next(iter(found.values()))
    head = f"{first.n_labelled:,} of {first.n_target:,} new rows have a label"
    return "\n".join([head, "", table(lines, "<<<<"), "", *(wrapped(text, "") for text in notes)])


def _labels_notes(one: FewLabels) -> list[str]:
    """List what is to be said of one model, each thing once: findings may repeat what the test says."""
    notes = [f"{note.message} {note.remedy}" for note in one.findings]
    if one.test is not None and not any(note.startswith(one.test.words) for note in notes):
        notes.insert(0, one.test.words)
    return list(dict.fromkeys(notes))
