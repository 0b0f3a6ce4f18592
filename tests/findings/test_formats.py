"""Reports in the formats of editors and CI, read back by what others wrote for them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from mlusim.simulator import Finding, Region
from mlusim.simulator.findings.reports import Checked, Report
from mlusim.simulator.findings.reports.formats import FORMATS
from mlusim.simulator.log import Location


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """An error with all there is, a warning without a place, advice, a suppressed error, and a kernel without any."""
    monkeypatch.chdir(tmp_path)
    inside, outside = str(tmp_path / "src" / "a b.mlu"), "/elsewhere/100%,x:y.h"
    error = Finding(
        "order", "memory\x1b[2J <is> & 50% used,\nagain", instruction="__bang_add", operand="src0", kernel="add<float>",
        region=Region("nram", 3, 64, 128), limit="none", suggestion="call __sync_io()", core=3, task=3, count=4,
        cores=(3, 5), tasks=(3, 5), location=Location(inside, 7), related=Location(outside, 5),
        origin=Location(inside, 2),
    )  # fmt: skip
    return Report((
        Checked("kernel add", (error, Finding("empty", "nothing ran"), Finding("suppression", "unused")), kernel="add"),
        Checked("kernel mul", ()),
        Checked("kernel div", (Finding("race", "m", location=Location(outside, 9), reason="known ]]>"),)),
    ))  # fmt: skip


def test_sarif(report):
    document = json.loads(FORMATS["sarif"](report))
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert (document["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "mlusim")
    assert [rule["id"] for rule in rules] == ["empty", "order", "race", "suppression"]
    error, warning, advice, suppressed = run["results"]
    assert [result["level"] for result in run["results"]] == ["error", "warning", "note", "error"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    (place,) = error["locations"]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "src/a%20b.mlu"}
    assert place["physicalLocation"]["region"] == {"startLine": 7}
    other, origin = error["relatedLocations"]
    assert other["physicalLocation"]["artifactLocation"]["uri"] == "file:///elsewhere/100%25%2Cx%3Ay.h"
    assert origin["physicalLocation"]["region"]["startLine"] == 2
    assert error["occurrenceCount"] == 4
    assert (error["properties"]["cores"], error["properties"]["region"]["offset"]) == ([3, 5], 64)
    assert "\x1b" not in error["message"]["text"]
    assert "fix: call __sync_io()" in error["message"]["text"]
    assert "locations" not in warning
    assert advice["ruleId"] == "suppression"
    assert suppressed["suppressions"] == [{"kind": "external", "justification": "known ]]>"}]
    assert "suppressions" not in error


def test_a_comment_is_a_suppression_in_the_source(report):
    at = Location("k.mlu", 3)
    finding = Finding("race", "m", location=at, reason="why", suppressed_at=Location("k.mlu", 2))
    (result,) = json.loads(FORMATS["sarif"](Report((Checked("k", (finding,)),))))["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "inSource", "justification": "why"}]


def test_junit(report):
    suites = ElementTree.fromstring(FORMATS["junit"](report))
    (suite,) = suites
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5", "failures": "2", "errors": "0", "skipped": "1",
    }  # fmt: skip
    good, error, warning, advice, suppressed = suite
    assert (good.get("name"), len(good)) == ("kernel mul", 0)
    assert (error.get("classname"), error.get("name")) == ("mlusim.add<float>", "order at src/a b.mlu:7")
    assert (error.get("file"), error.get("line")) == ("src/a b.mlu", "7")
    (failure,) = error
    assert failure.get("type") == "error: order"
    assert failure.get("message") == r"memory\x1b[2J <is> & 50% used,\nagain"
    assert "seen 4 times, on cores 3 and 5 by tasks 3 and 5" in failure.text
    assert [child.tag for child in (*warning, *advice, *suppressed)] == ["failure", "system-out", "skipped"]


def test_annotations(report):
    first, second, third = FORMATS["github"](report).splitlines()
    command, _, message = first.removeprefix("::").partition("::")
    assert command == "error file=src/a b.mlu,line=7,title=mlusim order"
    assert message.startswith(r"error: order: memory\x1b[2J <is> & 50%25 used,%0Aagain%0A  operand src0 = nram[3]")
    assert second.startswith("::warning title=mlusim empty::")
    assert third.startswith("::notice title=mlusim suppression::")
    path = Finding("race", "m", location=Location("/elsewhere/100%,x:y.h", 9))
    assert "file=/elsewhere/100%25%2Cx%3Ay.h,line=9," in FORMATS["github"](Report((Checked("k", (path,)),)))


def test_json(report):
    document = json.loads(FORMATS["json"](report))
    assert [finding["rule"] for finding in document["findings"]] == ["order", "empty", "suppression"]
    assert [finding["reason"] for finding in document["suppressed"]] == ["known ]]>"]
    assert document["findings"][0]["origin"]["line"] == 2
    assert document["checked"] == ["kernel add", "kernel mul", "kernel div"]


def test_text(report):
    text = FORMATS["text"](report)
    assert text.startswith("error: order: memory")
    assert "suppressed: race at /elsewhere/100%,x:y.h:9: known ]]>" in text
    assert text.endswith("the kernel broke rules: 1 error, 1 warning, 1 piece of advice and 1 suppressed\n")
    assert FORMATS["text"](Report(())) == "no findings: every rule was kept\n"


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ((0, 1, 2, 3, 4, 5, 6, 7), "tasks 0 to 7"), ((0, 7), "tasks 0 and 7"), ((3, 5), "tasks 3 and 5"),
        ((0, 3, 5, 6, 7, 8, 9), "tasks 0, 3 and 5 to 9"),
        (tuple(range(0, 40, 2)), "tasks 0, 2, 4, 6, 8, 10, 12, 14 and 12 more"),
    ],
)  # fmt: skip
def test_tasks_are_named_in_short(tasks, said):
    assert str(Finding("order", "m", tasks=tasks, cores=(1,), count=9)).endswith(f"on core 1 by {said}")


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_of_nothing(name):
    text = FORMATS[name](Report((Checked("kernel k", ()),)))
    if name == "sarif":
        assert json.loads(text)["runs"][0]["results"] == []
    if name == "junit":
        assert ElementTree.fromstring(text)[0].get("failures") == "0"


def test_one_cause_in_several_launches_is_one_finding():
    one = Finding("order", "m", kernel="k", core=1, task=4, location=Location("k.mlu", 1), related=Location("k.mlu", 2))
    other = Finding(
        "order", "n", kernel="k", core=2, task=9, location=Location("k.mlu", 1), related=Location("k.mlu", 2)
    )
    apart = Finding(
        "order", "n", kernel="k", core=2, task=9, location=Location("k.mlu", 1), related=Location("k.mlu", 3)
    )
    found = Report((Checked("a", (one, apart)), Checked("b", (other,)))).findings
    assert [(f.message, f.count, f.cores, f.tasks) for f in found] == [("m", 2, (1, 2), (4, 9)), ("n", 1, (2,), (9,))]
