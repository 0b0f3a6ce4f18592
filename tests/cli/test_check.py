"""mlusim check: kernels, programs in Python, logs; formats, files, suppressions, exit codes; the plugin of pytest."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, testing
from mlusim.simulator.cli import main
from mlusim.simulator.launches.watchers import Launches, watchers

from tests.support.documents import document
from tests.support.paths import KERNELS_C, ROOT

pytest_plugins = ["pytester"]
SOURCE = str(KERNELS_C / "reports.mlu")
X = "zeros:float32:64"

SCRIPT = f"""
import sys
import numpy as np
from mlusim.simulator import Device, load
assert sys.argv == [__file__] and __name__ == "__main__"
program = load([{SOURCE!r}], device=Device.load("mlu370-x4"))
print("the script speaks")
for kernel in sys.modules.get("given", ["part", "part", "fine"]):
    arrays = [np.zeros(64, np.float32) for _ in range(2 if kernel == "fine" else 1)]
    program.launch(kernel, args=arrays)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def call(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of ``mlusim check``."""
    code = main(["check", *arguments])
    out, err = capfd.readouterr()
    return code, out, err


def findings_of(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict]:
    code, out, _ = call(capfd, *arguments, "--format", "json")
    return code, json.loads(out)


def test_a_kernel_without_a_fault(capfd):
    code, out, err = call(capfd, SOURCE, "--kernel", "fine", "--arg", f"in={X}", f"out={X}")
    assert (code, out, err) == (0, "no findings: every rule was kept\n", "")


def test_a_broken_kernel(capfd, folder):
    code, out, err = call(
        capfd, SOURCE, "--kernel", "often", "--dim", "2", "--arg", X, "2", "--format", "sarif", "--output", "f.sarif"
    )
    assert code == 1
    assert "error: bounds: write of 512 bytes at byte 0 of 'tile' passes its end by 256" in out
    assert "on cores 0 to 1 by tasks 0 to 1" in out
    assert "wrote f.sarif" in out
    assert err.startswith("mlusim check: the kernel broke rules: ")
    results = json.loads((folder / "f.sarif").read_text())["runs"][0]["results"]
    assert {result["ruleId"] for result in results} >= {"bounds", "uninitialized"}


@pytest.mark.parametrize("name", ["json", "sarif", "junit", "github"])
def test_only_the_report_is_on_standard_output(capfd, folder, name):
    (folder / "s.py").write_text(SCRIPT)
    code, out, err = call(capfd, "s.py", "--format", name)
    assert code == 1
    assert "the script speaks" not in out
    assert "the script speaks" in err
    assert out[0] in "{<:"


def test_a_kernel_that_prints_leaves_the_document_alone(capfd, folder):
    Path("k.mlu").write_text(
        '#include <mlu.h>\n#include <stdio.h>\n__mlu_entry__ void k(float *x) { x[0] = 1; printf("hello\\n"); }\n'
    )
    assert main(["check", "k.mlu", "--kernel", "k", "--arg", "zeros:float32:1", "--json"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["schema"] == "mlusim/check"
    assert "hello" in err


def test_a_program_in_python(capfd, folder):
    (folder / "s.py").write_text(SCRIPT)
    code, found = findings_of(capfd, "s.py")
    (finding,) = found["findings"]
    assert (code, found["checked"]) == (1, ["kernel part", "kernel fine"])
    assert (finding["rule"], finding["count"]) == ("uninitialized", 2)


LAUNCH = f"""
import numpy as np
from mlusim.simulator import Device, load
load([{SOURCE!r}], device=Device.load("mlu370-x4")).launch("KERNEL", args=[np.zeros(64, np.float32)])
"""


@pytest.mark.parametrize(
    ("program", "code", "words"),
    [
        (LAUNCH.replace("KERNEL", "error_allowed"), 1, "KernelError: error: bounds"),
        (LAUNCH.replace("KERNEL", "before"), 1, "error: bounds"),
        (LAUNCH.replace("KERNEL", "part") + "raise SystemExit(0)", 1, "warning: uninitialized"),
        (LAUNCH.replace("KERNEL", "allowed") + "raise SystemExit(0)", 0, "no findings but 2 suppressed"),
        (LAUNCH.replace("KERNEL", "allowed") + "raise SystemExit(3)", 1, "no findings but 2 suppressed"),
        (LAUNCH.replace("KERNEL", "allowed") + "1 / 0", 1, "ZeroDivisionError"),
        ("x = 1", 2, "s.py has launched no kernel"),
        ("x = (", 1, "SyntaxError"),
    ],
)
def test_how_a_program_in_python_ends(capfd, folder, program, code, words):
    (folder / "s.py").write_text(program)
    found, out, err = call(capfd, "s.py")
    assert found == code, err
    assert words in out + err


def test_a_log(capfd, folder):
    assert main(["run", SOURCE, "--kernel", "fine", "--arg", X, X, "--log", "l.mlulog"]) == 0
    capfd.readouterr()
    assert call(capfd, "l.mlulog")[:2] == (0, "no findings: every rule was kept\n")


def test_a_source_by_itself_is_compiled(capfd):
    code, out, err = call(capfd, SOURCE)
    assert (code, out) == (0, "no findings: every rule was kept\n")
    assert "ran nothing; name one of its kernels with --kernel: fine, part," in err


def test_suppressions(capfd, folder):
    arguments = (SOURCE, "--kernel", "part", "--arg", X, "--suppressions", "a.toml")
    (folder / "a.toml").write_text("[[allow]]\nrule = 'uninitialized'\nreason = 'why'\nfile = 'reports.mlu'\n")
    code, found = findings_of(capfd, *arguments)
    assert (code, found["findings"], [f["reason"] for f in found["suppressed"]]) == (0, [], ["why"])
    assert call(capfd, *arguments)[1] == "no findings but 1 suppressed\n"
    (folder / "a.toml").write_text("[[allow]]\nrule = 'race'\nreason = 'why'\n")
    code, found = findings_of(capfd, *arguments)
    assert (code, [f["rule"] for f in found["findings"]]) == (1, ["uninitialized", "suppression"])
    assert main(["run", *arguments, "--format", "github"]) == 0
    assert capfd.readouterr().out.startswith("::warning file=")


def test_an_unused_suppression_alone_is_no_failure(capfd, folder):
    (folder / "a.toml").write_text("[[allow]]\nrule = 'race'\nreason = 'why'\n")
    code, found = findings_of(capfd, SOURCE, "--kernel", "fine", "--arg", X, X, "--suppressions", "a.toml")
    assert (code, [f["severity"] for f in found["findings"]]) == (0, ["advice"])


@pytest.mark.parametrize(("level", "rules"), [("all", ["uninitialized"]), ("none", [])])
def test_levels(capfd, level, rules):
    code, found = findings_of(capfd, SOURCE, "--kernel", "part", "--arg", X, "--checks", level)
    assert ([f["rule"] for f in found["findings"]], code) == (rules, len(rules))


@pytest.mark.parametrize(
    ("level", "words"),
    [
        ("none", "rules were not checked (--checks none)"),
        ("fast", "the order of accesses was not checked (--checks fast)"),
        ("all", "every rule was kept"),
    ],
)
def test_that_nothing_was_found_says_how_much_was_checked(capfd, level, words):
    _, out, _ = call(capfd, SOURCE, "--kernel", "fine", "--arg", f"in={X}", f"out={X}", "--checks", level)
    assert out == f"no findings: {words}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["s.py", "--kernel", "fine"], "--kernel, --arg, --expect and --against are of a kernel source"),
        ([SOURCE, "--kernel", "fine", "--arg", f"in={X}"], "no value for out"),
        ([SOURCE, "--kernel", "fine", "--arg", f"in={X}", X], "is not of the form name=value"),
        ([SOURCE, "--output", SOURCE], "which this command reads"),
        (["absent.mlu"], "absent.mlu does not exist"),
    ],
)
def test_wrong_use(capfd, folder, arguments, words):
    (folder / "s.py").write_text("")
    code, _, err = call(capfd, *arguments)
    assert code == 2
    assert words in err


# --- the plugin of pytest --------------------------------------------------------------------------------------------

TESTS = f"""
import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, load

@pytest.fixture(scope="module")
def launch():
    program = load([{SOURCE!r}], device=Device.load("mlu370-x4"))
    arrays = lambda kernel: [np.zeros(64, np.float32) for _ in range(2 if kernel == "fine" else 1)]
    return lambda kernel, **options: program.launch(kernel, args=arrays(kernel), **options)

def test_silent(mlusim, launch):
    launch("fine")
    assert mlusim.findings == []

def test_warned(mlusim, launch):
    launch("part")

def test_collected(mlusim, launch):
    launch("before", on_finding="collect")

def test_raised(mlusim, launch):
    with pytest.raises(KernelError):
        launch("before")

def test_failed_by_itself(mlusim, launch):
    launch("part")
    assert 1 == 2

def test_allowed(mlusim, launch):
    mlusim.allow("uninitialized", "it is what is tested", kernel="par*")
    launch("part")
    with pytest.raises(ValueError, match="has no reason"):
        mlusim.allow("order", " ")

def test_allowed_by_a_file(mlusim, launch):
    launch("of_function")

def test_that_does_not_ask(launch):
    launch("part")
"""


def test_a_table_of_devices(capfd):
    given = [SOURCE, "--kernel", "fine", "--arg", f"in={X}", f"out={X}", "--device", "mlu270,mlu590,mlu59"]
    code, out, _ = call(capfd, *given)
    rows = [line.split() for line in out.splitlines()[1:4]]
    assert [row[:4] for row in rows[:2]] == [["mlu270", "0", "0", "0"], ["mlu590", "0", "0", "0"]]
    assert float(rows[0][4]) > float(rows[1][4]) > 0
    assert rows[0][5] == "NRAM"
    assert " ".join(rows[2]).startswith("mlu59 unknown device 'mlu59' (did you mean mlu590")
    assert out.endswith("no findings, but nothing was looked at on mlu59\n")
    assert code == 1
    code = main(["check", *given, "--json"])
    found = document(capfd.readouterr().out, "check")["devices"]
    assert [one["device"] for one in found] == ["mlu270", "mlu590", "mlu59"]
    assert [bool(one["problem"]) for one in found] == [False, False, True]


def test_findings_that_several_devices_share_are_one(capfd):
    code, out, _ = call(capfd, SOURCE, "--kernel", "part", "--arg", X, "--device", "mlu270,mlu590")
    assert code == 1
    assert [line.split()[:3] for line in out.splitlines()[1:3]] == [["mlu270", "0", "1"], ["mlu590", "0", "1"]]
    assert out.count("warning: uninitialized") == 1


@pytest.mark.slow
@pytest.mark.usefixtures("usual_cache")  # pytester has a home of its own
def test_the_fixture_fails_tests_by_their_findings(pytester):
    pytester.makepyfile(TESTS)
    pytester.makefile(".toml", allowed="[[allow]]\nrule = 'uninitialized'\nreason = 'why'\nkernel = 'of_function'\n")
    pytester.makeini("[pytest]\nmlusim_suppressions = allowed.toml\n")
    loaded = any(plugin is testing for plugin in pytester._request.config.pluginmanager.get_plugins())
    done = pytester.runpytest_inprocess(*([] if loaded else ["-p", "mlusim.simulator.testing"]))
    done.assert_outcomes(passed=5, failed=3)
    text = done.stdout.str()
    for name in ("warned", "collected", "failed_by_itself"):
        assert f"FAILED test_the_fixture_fails_tests_by_their_findings.py::test_{name}" in text
    assert text.count("warning: uninitialized: reads 128 uninitialized bytes of 'tile', from byte 128 of 256") >= 2
    assert "error: bounds: read of 4 bytes begins 8 bytes before 'other'" in text
    assert "Captured mlusim call" in text


@pytest.mark.slow
@pytest.mark.usefixtures("usual_cache")  # pytester has a home of its own
def test_a_raised_finding_fails_a_test_with_the_finding_alone_and_its_report_is_kept(pytester):
    body = TESTS.partition("def test_silent")[0] + "def test_one(launch):\n    launch('before')\n"
    pytester.makepyfile(body + "def test_two(launch):\n    launch('fine')\ndef test_three():\n    assert 0\n")
    loaded = any(plugin is testing for plugin in pytester._request.config.pluginmanager.get_plugins())
    done = pytester.runpytest_inprocess(*([] if loaded else ["-p", "mlusim.simulator.testing"]), "--mlusim-report", "r")
    done.assert_outcomes(passed=1, failed=2)
    shown = done.stdout.str()
    assert "error: bounds: read of 4 bytes begins 8 bytes before 'other'" in shown
    assert "launch('before')" in shown
    assert "launching.py" not in shown  # none of mlusim's own frames
    assert "simulator/launches" not in shown
    (report,) = (pytester.path / "r").iterdir()  # nothing was launched in test_three
    assert report.name.endswith("test_one.html")
    assert "report: r/" in shown


def test_the_plugin_is_installed_with_the_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["entry-points"]["pytest11"] == {"mlusim": testing.__name__}


def test_watchers_come_and_go():
    import os

    from mlusim.simulator import launch

    def kernel(mlu, x):
        x[0] = 1

    device, watching = Device.load("mlu370-x4"), watchers(os.getpid()).watching
    first, second = Launches(), Launches(raised=False)
    with watching(first), watching(second):
        launch(kernel, args=[np.zeros(1, np.float32)], device=device)
    launch(kernel, args=[np.zeros(1, np.float32)], device=device)
    assert [one.name for one in first.checked] == [one.name for one in second.checked] == ["kernel kernel"]
