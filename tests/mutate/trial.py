"""Runs the tests on mutants, each in a process of its own, a few at a time."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

import pytest
from mlusim.isa import DIALECTS, DeclarationError

from tests.support.paths import ROOT

from .mutants import Mutant, install_copies

#: How the verdict on a mutant begins that no test has to find.
_ITSELF = "the declaration itself: "


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant; of None, declarations that are equal to those that there are."""

    mutant: Mutant | None
    killer: str  # the test that failed, or what went wrong before any could; "" = survived
    node: str  # what to run to see it fail; "" where that is not known, or the declaration contradicts itself
    seconds: float


class _Plugin:
    """Chooses the tests and their order, limits their time, and keeps the first failure."""

    def __init__(self, names: Set[str], limit: int) -> None:
        self.names, self.limit, self.killer, self.node, self.ran = names, limit, "", "", 0
        self.nodes: dict[str, str] = {}  # the tests by the ids in their reports, as pytest takes them from anywhere

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """First the tests that name an instruction of interest, enough for most mutants; then the general ones.

        A test that names others only would take its time and know nothing of this one.
        """
        modelled = {entry.name for dialect in DIALECTS.values() for entry in dialect.instructions}
        named = {item.nodeid: modelled.intersection(re.findall(r"\w+", item.name)) for item in items}
        wanted = [item for item in items if not named[item.nodeid] or named[item.nodeid] & self.names]
        items[:] = sorted(wanted, key=lambda item: not named[item.nodeid])
        self.nodes |= {item.nodeid: f"{item.path}::{item.nodeid.partition('::')[2]}" for item in items}

    def pytest_runtest_setup(self) -> None:
        signal.alarm(self.limit)  # nothing catches it: the process ends

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran += report.when == "call"
        self._failed(report, f"{report.nodeid} ({report.when})" if report.when != "call" else report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._failed(report, f"{report.nodeid} (collection)")

    def _failed(self, report: Any, what: str) -> None:
        if report.failed and not self.killer:
            self.killer, self.node = what, self.nodes.get(report.nodeid, "")


def _no_interpreter(start: Callable[..., None]) -> Callable[..., None]:
    """Skip the test that starts a Python process: that would import the declarations without the mutant."""

    def started(self: Any, args: Any, *rest: Any, **options: Any) -> None:
        if not isinstance(args, str) and os.fspath(args[0]) == sys.executable:
            pytest.skip("a new process does not have the mutant")
        start(self, args, *rest, **options)

    return started


def _child(mutant: Mutant | None, names: Set[str], tests: Sequence[str], limit: int, answer: Connection) -> None:
    os.setsid()  # what a test starts ends with this process
    if "mlusim.simulator" in sys.modules:
        raise RuntimeError("mlusim.simulator was imported before the mutant: it may have derived facts already")
    try:
        if mutant:
            mutant.install()
        else:
            install_copies()
    except DeclarationError as error:
        answer.send((f"{_ITSELF}{error}", ""))
        return
    plugin = _Plugin(names, limit)
    subprocess.Popen.__init__ = _no_interpreter(subprocess.Popen.__init__)  # type: ignore[method-assign]
    output = io.StringIO()
    # A test that is skipped half-way leaves sockets behind, which is no fault.
    quiet = ["--tb=no", "-p", "no:cacheprovider", "-p", "no:unraisableexception"]
    # Most mutants end with the first of the folders: the others, which take as long to collect, are not asked then.
    for part in filter(None, (tests[:1], tests[1:])):
        with redirect_stdout(output), redirect_stderr(output):
            code = pytest.main(["-x", "--assert=plain", *quiet, f"--rootdir={ROOT}", *part], plugins=[plugin])
        if code and not plugin.killer:
            plugin.killer = f"pytest ended with {code!r}: {output.getvalue()[-500:]}"
        if plugin.killer:
            break
    answer.send((plugin.killer if plugin.ran or plugin.killer else "no test ran", plugin.node))


def trials(mutants: Sequence[Mutant], tests: Sequence[str], jobs: int, limit: int) -> Iterator[Verdict]:
    """The verdict on each mutant, as it comes, and at last on equal declarations: the tests that killed must pass.

    A mutant with which a test takes ``limit`` seconds is killed.
    """
    failed = []
    for verdict in _verdicts(mutants, mutants, tests, jobs, limit):
        yield verdict
        if verdict.killer and not verdict.killer.startswith(_ITSELF):
            failed.append(verdict.node)
    if failed:
        yield from _verdicts([None], mutants, list(dict.fromkeys(failed)) if all(failed) else tests, jobs, limit)


def _verdicts(
    tried: Sequence[Mutant | None], mutants: Sequence[Mutant], tests: Sequence[str], jobs: int, limit: int
) -> Iterator[Verdict]:
    """The verdicts on some of the mutants, or on None."""
    context = get_context("fork")
    waiting = list(tried)
    running: dict[Any, tuple[Any, Connection, Mutant | None, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant = waiting.pop(0)
                names = {one.entry.name for one in ([mutant] if mutant else mutants)}
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_child, args=(mutant, names, tests, limit, theirs))
                process.start()
                theirs.close()
                running[process.sentinel] = process, ours, mutant, time.monotonic()
            for sentinel in wait(list(running)):
                process, answer, mutant, start = running.pop(sentinel)
                _end(process)
                hung = process.exitcode == -signal.SIGALRM
                failure = f"a test took {limit} s" if hung else f"the process ended with {process.exitcode}"
                told = answer.poll() and process.exitcode == 0
                killer, node = answer.recv() if told else (failure, "")
                yield Verdict(mutant, killer, node, time.monotonic() - start)
    finally:
        for process, *_ in running.values():
            process.kill()
            _end(process)


def _end(process: Any) -> None:
    """Collect a process that has ended, and end what it started."""
    process.join()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
