"""Run the benchmarks, print a table and say which targets are missed."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from rich.table import Column, Table

from .build_speed import builds
from .checks_speed import checks
from .cores_speed import cores
from .deep_speed import deep
from .elementwise_speed import elementwise
from .hau_speed import sorts, topks
from .host_speed import host
from .kernels_speed import adds, instructions, logspaces, scalars, segments
from .launch_speed import isolation, replays
from .measure import Figure, missed
from .memory_use import memory
from .report_speed import reports
from .startup_speed import startup
from .tensors_speed import tensors
from .threads_speed import threads
from .tpu_speed import tpu

BENCHMARKS = {
    "logspace": logspaces,
    "add": adds,
    "checks": checks,
    "cores": cores,
    "deep": deep,
    "elementwise": elementwise,
    "instruction": instructions,
    "tensors": tensors,
    "scalar": scalars,
    "segment": segments,
    "sort": sorts,
    "topk": topks,
    "replay": replays,
    "isolation": isolation,
    "host": host,
    "build": builds,
    "startup": startup,
    "memory": memory,
    "threads": threads,
    "tpu": tpu,
    "report": reports,
}


def main(arguments: list[str] | None = None) -> int:
    """The command line; 1 when a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"what to measure, by default all: {', '.join(BENCHMARKS)}"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--page", type=Path, metavar="PATH", help="write the first table of a page of Markdown anew")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    try:
        page = chosen.page.read_text(encoding="utf-8") if chosen.page else ""
    except OSError as error:  # before minutes of measuring
        parser.error(f"--page: {chosen.page} is to be a page that has the table: {error.strerror}")
    figures, lacking = [], []
    for name in chosen.names or BENCHMARKS:
        try:
            figures += BENCHMARKS[name]()
        except pytest.skip.Exception as reason:
            lacking.append(f"{name} is left out: it {reason}")
            print(lacking[-1], file=sys.stderr)
    if chosen.page and lacking:
        print(f"{chosen.page} stays as it is: it would lose figures", file=sys.stderr)
    elif chosen.page:
        chosen.page.write_text(renewed(page, figures), encoding="utf-8")
    if chosen.json:
        print(json.dumps({"machine": machine(), "figures": [asdict(figure) for figure in figures]}, indent=1))
    else:
        _show(figures)
    return 1 if missed(figures) else 0


def renewed(page: str, figures: Sequence[Figure]) -> str:
    """A page with these figures in its first table, and the machine in the line above it."""
    before, _, rest = page.partition("Measured on: ")
    _, head, table = rest.partition("\n\n| what |")
    columns, rule, *rows = table.splitlines(keepends=True)
    after = "".join(rows[next((at for at, row in enumerate(rows) if not row.startswith("|")), len(rows)) :])
    written = "".join(f"| {' | '.join(_cells(figure))} |\n" for figure in figures)
    where = f"{machine()}; other work may have been running on the machine."
    return f"{before}Measured on: {where}{head}{columns}{rule}{written}{after}"


def _cells(figure: Figure) -> list[str]:
    limit, verdict = "", ""
    if figure.limit is not None:
        limit, verdict = f"at most {figure.limit:g}", "missed" if figure.missed else "met"
    value = f"{figure.value:,.0f}" if figure.value >= 1000 else f"{figure.value:.3g}"
    return [figure.name, value, figure.unit, limit, verdict]


def machine() -> str:
    """The machine in a line."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} CPUs, Python {platform.python_version()}, NumPy {np.__version__}"


def _show(figures: list[Figure]) -> None:
    console = Console(width=120)
    table = Table("what", Column("measured", justify="right"), "unit", "target", "", title=machine())
    for figure in figures:
        target = "" if figure.limit is None else f"<= {figure.limit:g}"
        verdict = "" if figure.limit is None else "[red]missed" if figure.missed else "[green]met"
        table.add_row(figure.name, f"{figure.value:.3g}", figure.unit, target, verdict)
    console.print(table)
