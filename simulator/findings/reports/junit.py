"""JUnit's XML, as CI systems read it: a test case for every finding, and for everything that had none."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

from ...text import printable
from .. import ADVICE, Finding
from .places import shown_path
from .report import Report


def junit(report: Report) -> str:
    """The report as one test suite; advice does not fail."""
    suite = Xml.Element("testsuite", name="mlusim")
    for one in report.checked:
        if not one.findings:
            Xml.SubElement(suite, "testcase", classname="mlusim", name=printable(one.name, keep=""))
    for finding in report.findings:
        case = _case(suite, finding)
        if finding.severity == ADVICE:
            Xml.SubElement(case, "system-out").text = printable(str(finding))
        else:
            failure = Xml.SubElement(
                case, "failure", type=f"{finding.severity}: {finding.rule}", message=printable(finding.message, keep="")
            )
            failure.text = printable(str(finding))
    for finding in report.suppressed:
        Xml.SubElement(_case(suite, finding), "skipped", message=printable(f"suppressed: {finding.reason}", keep=""))
    failed = sum(finding.severity != ADVICE for finding in report.findings)
    totals = {"tests": len(suite), "failures": failed, "errors": 0, "skipped": len(report.suppressed)}
    suite.attrib |= {name: str(count) for name, count in totals.items()}
    suites = Xml.Element("testsuites")
    suites.append(suite)
    Xml.indent(suites)
    return Xml.tostring(suites, encoding="unicode", xml_declaration=False) + "\n"


def _case(suite: Xml.Element, finding: Finding) -> Xml.Element:
    file, line = shown_path(finding.location.file), finding.location.line
    kernel = f"mlusim.{finding.kernel}" if finding.kernel else "mlusim"
    name = f"{finding.rule} at {file}:{line}" if line else finding.rule
    case = Xml.SubElement(suite, "testcase", classname=printable(kernel, keep=""), name=printable(name, keep=""))
    if line:
        case.attrib |= {"file": printable(file, keep=""), "line": str(line)}
    return case
