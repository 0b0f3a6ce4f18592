"""The command that looks at the host: what mlusim needs of it, what is there, and what a kernel is kept from."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from ..engines.worker.pool import Worker, WorkerDied
from ..findings import BuildError
from ..native.build import tasks_runtime
from ..native.cache import Cache
from ..native.compiler import Compiler
from .screen import Screen

#: The layers of the cage, and what holds by each.
_LAYERS = {
    "seccomp": "the worker opens no file, uses no network, starts no process or thread",
    "dispatch": "a kernel's system calls are told from the simulator's own: the memory, the messages and the timers of "
    "the worker are out of its reach",
    "landlock": "files, the network and other processes, a second time",
}
_GOOD, _POOR, _BAD = "ok", "lacking", "missing"
_STYLES = {_GOOD: "green", _POOR: "yellow", _BAD: "red"}


@dataclass(frozen=True)
class Row:
    """One thing that was looked at."""

    name: str
    state: str
    text: str


def doctor(options: argparse.Namespace, screen: Screen) -> bool:
    """Show what of the host mlusim uses; false when kernels in C cannot run."""
    del options
    rows = [Row("mlusim", _GOOD, version("mlusim")), _python(), *_build_tools()]
    if screen.json:
        screen.document([asdict(row) for row in rows])
    else:
        for row in rows:
            screen.line(f"{row.state:7}  {row.name:9}  {row.text}", _STYLES[row.state])
    return all(row.state != _BAD for row in rows)


def _python() -> Row:
    cores = len(os.sched_getaffinity(0))
    host = f"{platform.system()} {platform.release()} {platform.machine()}, {cores} of {os.cpu_count()} processors"
    return Row("python", _GOOD, f"{platform.python_version()} ({sys.executable or 'no interpreter'}), {host}")


def _build_tools() -> list[Row]:
    rows = [_cache()]
    tool = shutil.which("addr2line") or shutil.which("llvm-addr2line")
    rows.append(Row("lines", _GOOD, tool) if tool else Row("lines", _BAD, "install binutils: findings have no lines"))
    try:
        compiler = Compiler()
        runtime = tasks_runtime(compiler)
    except (BuildError, OSError) as error:
        return [*rows, Row("compiler", _BAD, str(error))]
    return [*rows, Row("compiler", _GOOD, f"{compiler.title}: {compiler.says}"), *_worker(runtime)]


def _cache() -> Row:
    cache = Cache()
    if cache.problem:
        text = f"{cache.folder} {cache.problem}: builds are lost at the end; set MLUSIM_CACHE to a folder of your own"
        return Row("cache", _POOR, text)
    return Row("cache", _GOOD, str(cache.folder))


def _worker(runtime: Path) -> list[Row]:
    begin = time.perf_counter()
    try:
        worker = Worker(runtime, frozenset())
        missing = worker.missing()
    except (WorkerDied, RuntimeError, OSError) as error:
        return [Row("worker", _BAD, f"the process that runs C kernels {error}; isolate=False does without it")]
    worker.close()
    rows = [Row("worker", _GOOD, f"started in {(time.perf_counter() - begin) * 1e3:.0f} ms")]
    for name, holds in _LAYERS.items():
        reason = missing.get(name) or missing.get("cage")
        rows.append(Row(name, _POOR, f"{reason}; else: {holds}") if reason else Row(name, _GOOD, holds))
    return rows
