"""A worker that a command starts before it imports what it needs itself."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

from mlusim.simulator.engines.worker import pool as pools
from mlusim.simulator.engines.worker import start
from mlusim.simulator.native.build import tasks_runtime
from mlusim.simulator.native.compiler import Compiler


def test_a_process_that_was_started_ahead_becomes_the_next_worker():
    start.start_ahead()
    (ahead,) = start._ahead(os.getpid())
    assert b"OPENBLAS_THREAD_TIMEOUT=" in Path(f"/proc/{ahead.process.pid}/environ").read_bytes()
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
    def started(_start=start._start):
        begun.append(_start())
        return begun[-1]
    start._start = started
    sys.argv = ["mlusim", "run", "--help"]
    atexit.register(lambda: print("ended by", begun[0].process.returncode))
    command.main()
    """
    words = [sys.executable, "-X", "dev", "-c", textwrap.dedent(script)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.endswith("ended by -9\n")
    assert done.stderr == ""
