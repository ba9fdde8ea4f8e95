"""JUnit XML, which build servers read: a test case for each model and rule."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from mandoline_core.monitoring.demands import Held


def junit_xml(name: str, held: Sequence[Held], seconds: float = 0.0) -> str:
    """Write what is met as JUnit XML.

    Parameters
    ----------
    name : str
        The project's.
    seconds : float
        How long it took.

    Examples
    --------
    >>> print(junit_xml("a", [Held("lr", "min", False, "at least 90%", "80%", "lr: <80%.")]).splitlines()[4].strip())
    <failure message="lr: &lt;80%." type="min">lr: &lt;80%.</failure>
    """
    failures = sum(not one.met for one in held)
    counts = {"tests": str(len(held)), "failures": str(failures), "errors": "0", "time": f"{seconds:.3f}"}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": _allowed(f"mandoline: {name}"), "skipped": "0", **counts})
    for one in held:
        case = ET.SubElement(
            suite,
            "testcase",
            # Build servers split a class name at its dots into packages; a name of ours is no package.
            {
                "classname": _allowed(f"mandoline.{name.replace('.', '_')}"),
                "name": _allowed(f"{one.model}: {one.rule}, {one.demand}"),
                "time": "0",
            },
        )
        if not one.met:
            ET.SubElement(case, "failure", {"message": _allowed(one.sentence), "type": one.rule}).text = _allowed(
                one.sentence
            )
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _allowed(text: str) -> str:
    """Replace the characters that XML 1.0 cannot hold, not even escaped."""
    return "".join(letter if _is_allowed(ord(letter)) else "\ufffd" for letter in text)


def _is_allowed(code: int) -> bool:
    return code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
