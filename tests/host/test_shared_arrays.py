"""Arrays that two programs share by a handle, `programs/shared.mlu` in a toolkit's build."""

import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "programs" / "shared.mlu"


@pytest.fixture(scope="module")
def program(sdk, tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("shared") / "shared"
    subprocess.run([sdk / "bin" / "cncc", "-g", SOURCE, "-o", made], check=True)
    return made


def run(program: Path, what: str) -> tuple[list[str], str]:
    done = subprocess.run([program, what], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


def test_what_one_program_writes_the_other_reads(program):
    out, err = run(program, "share")
    assert out == [
        "acquire 0 0", "same 1", "map 0 0", "child 1 1501 3000", "launch 0", "child 2 3002 6000", "free 100006",
        "unmap 0 0", "launch 0", "unmap 100006", "parent 1 1501 3000", "parent 2 3002 6000", "parent 1 1501 3000",
        "launch 0",
    ]  # fmt: skip
    assert "another program's: cnrtUnMapMemHandle gives it back" in err
    assert "uninitialized" not in err
    assert "leak" not in err


def test_the_end_of_a_shared_array_is_that_of_the_others(program):
    out, err = run(program, "past")
    assert "error: bounds" in err
    assert "passes its end by 4" in err
    assert "of another program" in err
    assert out[-2] == "parent 1 1501 3000"  # the array behind it is as it was


def test_handles_that_name_nothing(program):
    out, err = run(program, "wrong")
    assert out.count("map 100006") == 2
    assert out.count("own 100006") == 2
    for reason in (
        "is no handle of an array",
        "this program's own",
        "not the beginning of an array",
        "neither 0 nor 2",
    ):
        assert reason in err
    out, err = run(program, "late")
    assert "map 100006" in out
    assert "it has been freed, or its program has ended" in err


def test_a_queue_waits_for_what_another_program_has_placed(program):
    out, err = run(program, "wait")
    assert sorted(out) == sorted([
        "open 0 0", "not ready 1", "waited 0 3002", "ready 0, no time 100006", "wait 0", "parent 4 6004 12000",
        "late 100006",
    ])  # fmt: skip
    assert err.count("failed-call") == 2
    assert "only a notifier made with CNRT_NOTIFIER_INTERPROCESS" in err
    assert "no notifier has this handle: it has been destroyed, or its program has ended" in err


def test_who_waits_for_a_program_that_ends_is_told(program):
    out, err = run(program, "ends")
    assert "wait 632015" in out
    assert "the program that has placed the notifier ended before it came there" in err
