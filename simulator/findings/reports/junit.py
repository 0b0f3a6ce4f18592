"""JUnit's XML, as CI systems read it; of findings a test case for each, and for everything that had none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

from ...text import printable
from .. import ADVICE, Finding
from .places import shown_path
from .report import Report


@dataclass(frozen=True)
class JUnitCase:
    """A test case, and what has come of it: an element ("failure", "error", "skipped", "system-out"), or nothing."""

    attributes: dict[str, str]
    element: str = ""
    of_element: dict[str, str] | None = None  # its attributes
    text: str = ""


def junit_suite(name: str, cases: Iterable[JUnitCase], **more: str) -> Xml.Element:
    """A test suite with its totals and ``more`` attributes; what XML cannot hold is escaped."""
    suite = Xml.Element("testsuite", _shown({"name": name}))
    for one in cases:
        case = Xml.SubElement(suite, "testcase", _shown(one.attributes))
        if one.element:
            Xml.SubElement(case, one.element, _shown(one.of_element or {})).text = printable(one.text) or None
    found = [case[0].tag for case in suite if len(case)]
    totals = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    suite.attrib |= {"tests": str(len(suite))} | {total: str(found.count(tag)) for total, tag in totals.items()} | more
    return suite


def xml_text(root: Xml.Element) -> str:
    """A document as text."""
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def junit(report: Report) -> str:
    """The report as one test suite; advice does not fail."""
    suites = Xml.Element("testsuites")
    suites.append(junit_suite("mlusim", _cases(report)))
    return xml_text(suites)


def _cases(report: Report) -> Iterator[JUnitCase]:
    for one in report.checked:
        if not one.findings:
            yield JUnitCase({"classname": "mlusim", "name": one.name})
    for finding in report.findings:
        if finding.severity == ADVICE:
            yield JUnitCase(_named(finding), "system-out", text=str(finding))
        else:
            broken = {"type": f"{finding.severity}: {finding.rule}", "message": finding.message}
            yield JUnitCase(_named(finding), "failure", broken, str(finding))
    for finding in report.suppressed:
        yield JUnitCase(_named(finding), "skipped", {"message": f"suppressed: {finding.reason}"})


def _named(finding: Finding) -> dict[str, str]:
    file, line = shown_path(finding.location.file), finding.location.line
    kernel = f"mlusim.{finding.kernel}" if finding.kernel else "mlusim"
    if not line:
        return {"classname": kernel, "name": finding.rule}
    return {"classname": kernel, "name": f"{finding.rule} at {file}:{line}", "file": file, "line": str(line)}


def _shown(attributes: dict[str, str]) -> dict[str, str]:
    return {name: printable(value, keep="") for name, value in attributes.items()}
