"""A worker that a command starts before it imports what it needs itself."""

import gc
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from mlusim.isa.dialects import home
from mlusim.simulator import __main__ as command
from mlusim.simulator.engines.worker import pool as pools
from mlusim.simulator.engines.worker import start
from mlusim.simulator.native.build import tasks_runtime
from mlusim.simulator.native.compiler import Compiler


def test_a_process_that_was_started_ahead_becomes_the_next_worker():
    start.start_ahead()
    (ahead,) = start._ahead(os.getpid())
    environment = Path(f"/proc/{ahead.process.pid}/environ")
    while not (told := environment.read_bytes()):  # the system shows it a moment after it has started the program
        time.sleep(0.001)
    variables = dict(word.split(b"=", 1) for word in told.split(b"\0") if word)
    assert b"OPENBLAS_THREAD_TIMEOUT" in variables
    assert variables[b"OPENBLAS_NUM_THREADS"] == os.environb.get(b"OPENBLAS_NUM_THREADS", b"1")
    worker = pools.Worker(tasks_runtime(Compiler()), frozenset())
    try:
        assert worker._process is ahead.process
        assert worker.missing() == pools.pool(os.getpid()).missing(tasks_runtime(Compiler()))
        assert start._ahead(os.getpid()) == []
    finally:
        worker.close()


def test_a_command_leaves_no_process_that_it_started_ahead():
    script = """
    import atexit, sys
    from mlusim.simulator import __main__ as command
    from mlusim.simulator.engines.worker import start
    begun = []
    def started(*modules, _start=start._start):
        begun.append(_start(*modules))
        return begun[-1]
    start._start = started
    sys.argv = ["mlusim", "run", "--help"]
    atexit.register(lambda: print("ended by", begun[0].process.returncode))
    command.main()
    """
    words = [sys.executable, "-X", "dev", "-c", textwrap.dedent(script)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    assert re.search(r"ended by (-9|0)\n\Z", done.stdout)  # 0: it has seen before that its end was closed
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "ahead"),
    [("run a.mlu", True), ("op topk k=5", True), ("check a.mlu --kernel scale", True), ("check a.mlulog", False),
     ("view a.mlulog", False), ("", False)],
)  # fmt: skip
def test_commands_that_launch_start_their_worker_first(words, ahead, monkeypatch):
    begun = []
    monkeypatch.setattr(start, "start_ahead", begun.append)
    monkeypatch.setattr(command, "let_idle_threads_sleep", lambda: 1 / 0)  # behind it the command itself begins
    monkeypatch.setattr(sys, "argv", ["mlusim", *words.split()])
    with pytest.raises(ZeroDivisionError):
        command.main()
    gc.enable()
    assert bool(begun) == ahead


def test_a_fork_that_has_closed_all_files_ends_in_silence():
    script = """
    import os, sys
    from mlusim.simulator.engines.worker import start
    start.start_ahead()
    if not os.fork():
        os.closerange(3, 256)
        sys.exit(0)
    print(os.wait()[1], start._ahead(os.getpid())[0].process.poll())
    """
    words = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    assert (done.stdout, done.stderr) == ("0 None\n", "")


def test_a_launch_takes_a_worker_that_has_its_dialect():
    pool, runtime = pools._Pool(), tasks_runtime(Compiler())
    pool.begin(runtime, "cuda")
    try:
        with pool._worker(runtime, {home("cuda")}) as first:
            assert first.missing() == pools.pool(os.getpid()).missing(runtime)
        with pool._worker(runtime, {home("okk")}) as second:
            assert second is not first
            assert second.missing() == first.missing()
        assert pool._idle == [first, second]
    finally:
        pool.let_go()


def test_a_worker_imports_no_dialect_by_itself():
    script = "import sys, mlusim.simulator.engines.worker.process\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    assert not {home(name) for name in ("bang", "tpu", "okk", "cuda")} & set(done.stdout.split())


def test_what_a_command_needs_behind_its_launch_is_imported_while_that_runs(tmp_path):
    kernel = tmp_path / "nothing.mlu"
    kernel.write_text("__mlu_entry__ void nothing() {}")
    script = f"""
    import sys
    from mlusim.simulator import __main__ as command
    from mlusim.simulator.engines.worker.pool import Worker
    def answer(*given, _answer=Worker._answer):
        print("there:", *[name in sys.modules for name in {[home("bang"), "rich.console"]}])
        return _answer(*given)
    Worker._answer = answer
    sys.argv = ["mlusim", "run", {str(kernel)!r}, "--kernel", "nothing"]
    command.main()
    """
    words = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    assert "there: True True" in done.stdout
