"""Findings that may stay: comments and files, with reasons; those that are none or suppress nothing are reported."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, Finding, KernelError, Program, Run, launch
from mlusim.simulator.findings.reports import Report, report_of
from mlusim.simulator.findings.reports.suppression_files import read_suppressions
from mlusim.simulator.findings.reports.suppressions import comments
from mlusim.simulator.launches.watchers import checked
from mlusim.simulator.log import Location

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

SOURCE = KERNELS_C / "reports.mlu"


line = partial(line_of, SOURCE)


def run(program: Program, kernel: str, size: int = 128) -> Run:
    return program.launch(kernel, args=[np.zeros(size, np.float32)], on_finding="collect")


def said(report: Report) -> list[tuple[str, str, int]]:
    return [(f.rule, f.severity, f.location.line) for f in report.findings]


def test_comments_on_the_line_and_above_it(program):
    done = run(program, "allowed")
    assert done.findings == []
    assert [(f.location.line, f.reason.partition(" ^")[0], f.suppressed_at.line) for f in done.suppressed] == [
        (line(r"\^ allowed"), "the count of padding is not used", line(r"\^ allowed")),
        (line(r"\^ below"), "as above", line(r"\^ below") - 1),
    ]
    report = report_of([checked(done)])
    assert (said(report), len(report.suppressed), report.failed) == ([], 2, False)


def test_a_comment_at_the_declaration(program):
    (finding,) = run(program, "at_declaration").suppressed
    assert (finding.reason, finding.location.line) == ("it is not looked at", finding.suppressed_at.line + 1)


def test_what_suppresses_nothing_is_reported(program):
    report = report_of([checked(run(program, "useless"))])
    where = line(r"allow\(order\) long fixed")
    assert sorted(said(report)) == [
        ("suppression", "advice", where),
        ("suppression", "warning", where + 2),
        ("suppression", "warning", where + 3),
        ("uninitialized", "warning", where + 2),
    ]
    by_line = {f.location.line: f.message for f in report.findings if f.rule == "suppression"}
    assert "nothing breaks order here" in by_line[where]
    assert "has no reason" in by_line[where + 2]
    assert "did you mean 'uninitialized'?" in by_line[where + 3]


def test_a_suppression_in_a_kernel_that_did_not_run_is_not_missed(program):
    assert not [f for f in report_of([checked(run(program, "part"))]).findings if f.severity == "advice"]


def test_an_error_that_ends_a_launch_is_raised_all_the_same(program):
    x = np.zeros(64, np.float32)
    with pytest.raises(KernelError, match="bounds"):
        program.launch("error_allowed", args=[x])
    assert x[0] == 0
    done = program.launch("error_allowed", args=[x], on_finding="collect")
    assert ([f.rule for f in done.suppressed], done.errors, x[0]) == (["bounds"], [], 1)


def test_a_comment_in_a_python_kernel():
    def kernel(mlu, x):
        tile = mlu.nram("float", 4)
        x[0] = tile[0]  # mlusim: allow(uninitialized) a test of comments
        x[1] = tile[1]

    done = launch(kernel, args=[np.zeros(4, np.float32)], device=Device.load("mlu370-x4"))
    assert [f.reason for f in done.suppressed] == ["a test of comments"]
    assert [f.location.line for f in done.findings] == [done.suppressed[0].location.line + 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a(); // mlusim: allow(order) why", [(("order",), "why", 1)]),
        ("a(); /* mlusim: allow(order) why */ b();", [(("order",), "why", 1)]),
        ("# mlusim: allow(order,race) why\n\n# a comment\n\nx = 1", [(("order", "race"), "why", 5)]),
        (
            "// mlusim: allow(order) one\n// mlusim: allow(race) two\na();",
            [(("order",), "one", 3), (("race",), "two", 3)],
        ),
        ("// mlusim: allow(order) at\n#pragma unroll\na();", [(("order",), "at", 2)]),
        ("// mlusim: allow(order)", [(("order",), "", 1)]),
        ("a(); // mlusim: allow() why", [((), "why", 1)]),
        ("// mlusim:allow( order )why", [(("order",), "why", 1)]),
        ("mlusim: allow(order) no comment", []),
        ("// mlusim: allow order", []),
    ],
)
def test_forms_of_comments(tmp_path, text, expected):
    (tmp_path / "k.mlu").write_text(text + "\n", encoding="utf-8")
    found = comments(str(tmp_path / "k.mlu"))
    assert [(s.rules, s.reason, s.line) for s in found] == expected


def test_sources_that_cannot_be_read_have_no_comments(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00 // mlusim: allow(order) \x80\n")
    assert comments(str(tmp_path / "absent")) == comments(str(tmp_path)) == comments("") == []
    assert [s.rules for s in comments(str(tmp_path / "bytes"))] == [("order",)]


# --- files -----------------------------------------------------------------------------------------------------------


def allowed(tmp_path: Path, text: str, *findings: Finding, kernel: str = "k") -> Report:
    """The report of findings at lines that ran, by a file of suppressions."""
    path = tmp_path / "allowed.toml"
    path.write_text(text, encoding="utf-8")
    one = checked(Run.empty(Device.load("mlu370-x4")))
    ran = frozenset(finding.location for finding in findings)
    return report_of([replace(one, findings=findings, ran=ran, kernel=kernel)], read_suppressions(path))


HERE = Location("/project/src/k.mlu", 7)
FOUND = Finding("order", "m", location=HERE, kernel="k")


@pytest.mark.parametrize(
    "given",
    [
        'file = "k.mlu"',
        'file = "src/k.mlu"',
        'file = "src/*.mlu"',
        "line = 7",
        'kernel = "k*"',
        "",
        'file = "/project/*"',
    ],
)
def test_a_file_of_suppressions(tmp_path, given):
    report = allowed(tmp_path, f'[[allow]]\nrule = "order"\nreason = "because"\n{given}\n', FOUND)
    assert (report.findings, [f.reason for f in report.suppressed]) == ([], ["because"])


@pytest.mark.parametrize("given", ['file = "m.mlu"', "line = 8", 'kernel = "other"'])
def test_entries_about_something_else_are_neither_used_nor_missed(tmp_path, given):
    report = allowed(tmp_path, f'[[allow]]\nrule = "order"\nreason = "because"\n{given}\n', FOUND)
    assert (report.findings, report.suppressed) == ([FOUND], [])


def test_an_entry_that_suppresses_nothing_is_reported_at_its_line(tmp_path):
    text = '# a file\n[[allow]]\nrule = "order"\nreason = "a"\n\n[[allow]]\nrule = ["race", "bounds"]\nreason = "b"\n'
    report = allowed(tmp_path, text, FOUND)
    (finding,) = report.findings
    assert (finding.rule, finding.severity, finding.location.line) == ("suppression", "advice", 6)
    assert (finding.location.file, report.failed) == (str(tmp_path / "allowed.toml"), False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[allow]]\nrule = 'order'\n", "allow.0.reason"),
        ("[[allow]]\nrule = 'order'\nreason = ' '\n", ":1: this suppression has no reason"),
        (
            "\n[[allow]]\nrule = 'ordr'\nreason = 'x'\n",
            ":2: this suppression names no rule: 'ordr' (did you mean 'order'?)",
        ),
        ("[[allow]]\nrule = 'order'\nreason = 'x'\nfiles = 'y'\n", "allow.0.files"),
        ("[[allow]]\nrule = 'order'\nreason = 'x'\nline = '7'\n", "allow.0.line"),
        ("[[allow\n", "cannot be read as a file of suppressions"),
        ("[[alow]]\nrule = 'order'\nreason = 'x'\n", "alow"),
    ],
)
def test_files_that_make_no_sense(tmp_path, text, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        allowed(tmp_path, text, FOUND)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="does not exist"):
        read_suppressions(tmp_path / "absent.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xff")
    with pytest.raises(ValueError, match="cannot be read"):
        read_suppressions(tmp_path / "bytes.toml")
