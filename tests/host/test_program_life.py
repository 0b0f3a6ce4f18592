"""A program and its device process: how both live and end, `programs/life.mlu` in a toolkit's build."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from tests.soak_programs import Soak
from tests.support.processes import Marked
from tests.support.sources import line_of

SOURCE = Path(__file__).parent / "programs" / "life.mlu"
MLUSIM = (sys.executable, "-m", "mlusim.simulator")
#: Seconds in which all has to end that does.
SOON = 20


@pytest.fixture(scope="module")
def program(sdk, tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("life") / "life"
    subprocess.run([sdk / "bin" / "cncc", "-g", SOURCE, "-o", made, "-lpthread"], check=True)
    return made


class Started:
    """A program of these words in a folder, with its standard streams in files."""

    def __init__(self, folder: Path, *words: object, **variables: str) -> None:
        self.marked = Marked(**variables)
        self.paths = folder / "out", folder / "err"
        with self.paths[0].open("w") as out, self.paths[1].open("w") as err:
            self.process = subprocess.Popen(
                [*map(str, words)], env=self.marked.environment, stdout=out, stderr=err, cwd=folder,
                start_new_session=True,
            )  # fmt: skip

    def until(self, text: str) -> None:
        """Wait until it has said something."""
        while text not in self.paths[1].read_text():
            assert self.process.poll() is None
            time.sleep(0.01)

    def ended(self) -> tuple[int, str, str]:
        """Its exit code, and what was written when that was seen; nothing of it is left."""
        code = self.process.wait(SOON)
        written = tuple(path.read_text() for path in self.paths)
        assert not self.marked.left()
        return code, *written


@pytest.fixture
def start(tmp_path):
    """Start a program; what a test that fails has left is ended."""
    found = []

    def begin(*words: object, **variables: str) -> Started:
        found.append(Started(tmp_path, *words, **variables))
        return found[-1]

    yield begin
    for one in found:
        for process in one.marked.alive():
            os.kill(process, signal.SIGKILL)
        one.process.wait()


def line(mark: str) -> str:
    return f"{SOURCE}:{line_of(SOURCE, f'// {mark}$')}"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_endless_kernel_ends_with_its_program(program, start, number):
    started = start(program, "endless")
    started.until("queued")
    os.killpg(started.process.pid, number)
    code, _, err = started.ended()
    assert code == -number
    cut = f"mlusim: Endless, launched at {line('endless')}, was under way and was ended with the program\n"
    if number != signal.SIGKILL:  # whose exit nothing can hold up
        assert f"the program was ended by {number.name} (" in err
        assert cut in err
        assert "1 warning" not in err, "leaks are no matter of a program that was ended"
    assert cut in started.paths[1].read_text()


@pytest.mark.slow
@pytest.mark.parametrize("group", [True, False])
def test_an_interrupt_of_mlusim_run_ends_all_and_reports(program, start, group):
    started = start(*MLUSIM, "run", program, "--", "endless")
    started.until("queued")
    if group:
        os.killpg(started.process.pid, signal.SIGINT)
    else:
        started.process.send_signal(signal.SIGTERM)
    code, _, err = started.ended()
    assert code == 128 + (signal.SIGINT if group else signal.SIGTERM)
    assert f"Endless, launched at {line('endless')}, was under way" in err


@pytest.mark.slow
def test_a_killed_mlusim_run_leaves_nothing(start, program, tmp_path):
    started = start(*MLUSIM, "run", program, "--", "endless", TMPDIR=str(tmp_path))
    started.until("queued")
    os.killpg(started.process.pid, signal.SIGKILL)
    started.ended()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["err", "out"]


@pytest.mark.parametrize(
    ("way", "number", "place", "cause"),
    [
        (
            "free",
            signal.SIGSEGV,
            "freed",
            "used device memory through a device pointer; copy with cnrtMemcpy, free with",
        ),
        ("follow", signal.SIGSEGV, "followed", "it used device memory through a device pointer"),
        ("null", signal.SIGSEGV, "null", "it used a null pointer"),
        ("abort", signal.SIGABRT, "aborted", "abort() was called"),
        ("deep", signal.SIGSEGV, "deep", "more variables than the stack has room for"),
        ("raise", signal.SIGSEGV, "", "a pointer that is wrong or freed"),
    ],
)
def test_the_report_of_a_program_that_dies_is_there_when_it_is_dead(program, start, way, number, place, cause):
    code, _, err = start(program, way).ended()
    assert code == -number
    (sentence,) = [text for text in err.splitlines() if text.startswith("mlusim: the program was ended by")]
    assert number.name in sentence
    assert cause in sentence
    assert f" at {line(place)}: " in sentence if place else " at " not in sentence
    assert ("error: host-pointer" in err) == (way in ("free", "follow"))
    assert err.endswith("us simulated; 1 error\n" if way in ("free", "follow") else "us simulated; no findings\n")


def test_an_exit_without_a_goodbye_is_said(program, start):
    code, _, err = start(program, "_exit", MLUSIM_STRICT="1").ended()
    assert (code, err) == (0, ""), "it has done nothing"


@pytest.mark.slow
@pytest.mark.parametrize(("way", "wanted"), [("handler", 3), ("watchdog", 4)])
def test_exit_while_a_thread_waits_for_an_endless_kernel(program, start, way, wanted):
    code, _, err = start(program, way).ended()
    assert code == wanted
    assert f"Endless, launched at {line('endless')}, was under way" in err


@pytest.mark.slow
def test_a_forked_child_does_not_keep_the_device_process(program, start):
    started = start(program, "child")
    assert started.process.wait(SOON) == -signal.SIGKILL
    left = started.marked.left(2)
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert len(left) == 1, "the child alone"
    assert "Endless, launched at" in started.paths[1].read_text()


def device_flags(process: int) -> list[list[str]]:
    """The flags of what a process has mapped of device memory."""
    parts = Path(f"/proc/{process}/smaps").read_text().split("\nVmFlags:")
    pairs = pairwise(parts)
    return [after.partition("\n")[0].split() for part, after in pairs if "mlusim-device-memory" in part]


@pytest.mark.slow
def test_a_core_dump_does_not_contain_the_card(program, start):
    """None of the three processes has device memory among what a dump contains (dd: not to be dumped)."""
    started = start(program, "endless")
    started.until("queued")
    end = time.monotonic() + SOON
    while len(flags := {own: device_flags(own) for own in started.marked.alive()}) != 3 or not all(flags.values()):
        assert time.monotonic() < end, flags
        time.sleep(0.05)
    assert all("dd" in mapped for own in flags.values() for mapped in own)
    os.killpg(started.process.pid, signal.SIGKILL)
    started.ended()


@pytest.mark.slow
def test_what_a_kernel_prints_comes_after_what_the_program_has_printed(program, start):
    code, out, err = start(program, "talk", 3).ended()
    assert (code, out.split("\n")) == (0, ["before", "kernel 0", "kernel 1", "kernel 2", "after 0", ""])
    assert "error" not in err


@pytest.mark.slow
def test_a_reader_that_goes_away(program, tmp_path):
    """./program | head -2: the program ends as every program does, and without a message."""
    text = f'"{program}" talk 20000 2>err | head -2; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:3] == ["before", "kernel 0", str(128 + signal.SIGPIPE)]
    err = (tmp_path / "err").read_text()
    assert "Traceback" not in err
    assert "error" not in err
    assert "mlusim: Talks: 1 launch" in err


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", ">/dev/full"])
def test_streams_that_are_closed_fail_no_kernel(program, tmp_path, closed):
    text = f'"{program}" talk 3 {closed}; echo "code $?" >code'
    done = subprocess.run(["sh", "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (tmp_path / "code").read_text() == "code 0\n"
    assert "Traceback" not in done.stderr
    assert "error" not in done.stderr
    assert ("1 launch" in done.stderr) == ("2>&-" not in closed)


def test_a_program_fails_by_its_findings_if_that_is_asked(start, program, tmp_path):
    code, _, err = start(program, "leak", MLUSIM_STRICT="1", MLUSIM_REPORT="%n-%p.sarif").ended()
    assert code == 1
    assert "warning: leak" in err
    (report,) = tmp_path.glob("life-*.sarif")
    (run,) = json.loads(report.read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["leak"]
    code, _, _ = start(program, "leak", MLUSIM_STRICT="0").ended()
    assert code == 0
    code, _, _ = start(program, "", MLUSIM_STRICT="1", MLUSIM_REPORT="clean.json").ended()
    assert code == 0
    assert json.loads((tmp_path / "clean.json").read_text())["findings"] == []


def test_a_report_that_cannot_be_written_fails_what_is_strict(start, program, tmp_path):
    code, _, err = start(program, "", MLUSIM_STRICT="1", MLUSIM_REPORT="none/r.sarif").ended()
    assert code == 1
    assert f"mlusim: cannot write none/r.sarif: the folder {tmp_path}/none does not exist" in err


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (
            {"MLUSIM_REPORT": "r.doc"},
            "MLUSIM_REPORT is 'r.doc'; the name of the file ends in .sarif, .json, .xml, .txt",
        ),
        ({"MLUSIM_TIME_LIMIT": "-1"}, "MLUSIM_TIME_LIMIT is '-1'; set it to seconds above 0"),
    ],
)
def test_variables_that_make_no_sense(program, start, variables, said):
    code, _, err = start(program, "", **variables).ended()
    assert code == 9
    assert err.startswith(f"mlusim: {said}\n")


@pytest.mark.slow
def test_a_time_limit_ends_an_endless_kernel(program, start):
    code, _, err = start(program, "endless", MLUSIM_TIME_LIMIT="0.5").ended()
    assert code == 632015 % 256
    assert "error: time: the kernel ran longer" in err
    assert f"at {line('turns')}" in err


@pytest.mark.slow
def test_a_little_of_the_soak_of_programs(tmp_path):
    """`python -m tests.soak_programs` in short: launches, programs at once, interrupts; nothing is left over."""
    soak = Soak(tmp_path)
    soak.launches(300)
    soak.programs(3, 20)
    soak.interrupts(2)
    assert not soak.wrong
