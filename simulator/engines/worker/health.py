"""What of a host mlusim uses: what is there, and what a kernel is kept from."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from ...findings import BuildError
from ...native.build import tasks_runtime
from ...native.cache import BuildCache
from ...native.compiler import Compiler
from ...native.machine import PROCESSOR, X86_64
from .pool import Worker, WorkerDied

#: The layers of the sandbox, and what holds by each.
_LAYERS = {
    "seccomp": "the worker opens no file, uses no network, starts no process or thread",
    "dispatch": "a kernel's system calls are told from the simulator's own: the memory, the messages and the timers of "
    "the worker are out of its reach",
    "landlock": "files, the network and other processes, a second time",
}
GOOD, POOR, BAD = "ok", "lacking", "missing"


@dataclass(frozen=True)
class Looked:
    """One thing of the host that was looked at: what state it is in, and what there is to say."""

    name: str
    state: str
    text: str


def looked_at() -> list[Looked]:
    """The host, one thing after the other; kernels in C cannot run where one is `BAD`."""
    return [Looked("mlusim", GOOD, version("mlusim")), _python(), *_build_tools()]


def _python() -> Looked:
    cores = len(os.sched_getaffinity(0))
    host = f"{platform.system()} {platform.release()} {platform.machine()}, {cores} of {os.cpu_count()} processors"
    return Looked("python", GOOD, f"{platform.python_version()} ({sys.executable or 'no interpreter'}), {host}")


def _build_tools() -> list[Looked]:
    rows = [_cache()]
    tool = shutil.which("addr2line") or shutil.which("llvm-addr2line")
    rows.append(
        Looked("lines", GOOD, tool) if tool else Looked("lines", BAD, "install binutils: findings have no lines")
    )
    try:
        compiler = Compiler()
        runtime = tasks_runtime(compiler)
    except (BuildError, OSError) as error:
        return [*rows, Looked("compiler", BAD, str(error))]
    return [*rows, Looked("compiler", GOOD, f"{compiler.title}: {compiler.says}"), *_worker(runtime)]


def _cache() -> Looked:
    cache = BuildCache()
    if cache.problem:
        text = f"{cache.folder} {cache.problem}: builds are lost at the end; set MLUSIM_CACHE to a folder of your own"
        return Looked("cache", POOR, text)
    return Looked("cache", GOOD, str(cache.folder))


def _worker(runtime: Path) -> list[Looked]:
    begin = time.perf_counter()
    try:
        worker = Worker(runtime, frozenset())
        missing = worker.missing()
    except (WorkerDied, RuntimeError, OSError) as error:
        return [Looked("worker", BAD, f"the process that runs C kernels {error}; isolate=False does without it")]
    worker.close()
    rows = [Looked("worker", GOOD, f"started in {(time.perf_counter() - begin) * 1e3:.0f} ms")]
    if PROCESSOR != X86_64:
        text = f"on {PROCESSOR} accesses that the compiler does not announce are not checked (docs/install.md)"
        rows.append(Looked("accesses", POOR, text))
    for name, holds in _LAYERS.items():
        reason = missing.get(name)
        rows.append(Looked(name, POOR, f"{reason}; else: {holds}") if reason else Looked(name, GOOD, holds))
    return rows
