"""The command that simulates many variants: rates, devices, parameters of an operator."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...kernels import DEFAULT_DEVICES, OPERATORS
from ..chip.device_file import require_known
from ..launches.device import Device
from ..log import Log
from ..study.sweep import Column, Journal, carry_out, every_point, points_of, run_all, run_on_cluster, write_table
from ..study.sweep.carried import Run
from ..study.sweep.plot import write_plot
from ..study.sweep.runners import Work
from ..text import between, nearest
from ..timing import interval, replay
from .outputs import print_written
from .paths import check_paths
from .screen import Screen
from .values import is_number, literal, operator_arguments, pairs


def sweep(options: argparse.Namespace, screen: Screen) -> bool:
    """Simulate every combination of the values; whether all of them worked."""
    check_paths(options.out, options.plot)
    run = runner(options, measure)
    target, columns = _columns(options)
    points = points_of(columns)
    rows: dict[int, dict[str, Any]] = {}
    name = options.out or Path(f"{Path(target['target']).name}.sweep.csv")
    with Journal(name, {"target": target["target"], "digest": target["digest"], "columns": columns}) as journal:
        with screen.progress(f"sweeping {len(points)} points") as progress:
            carry_out(every_point(len(points)), points, target, journal, run, rows, counted(progress, len(points)))
        finished = [rows[number] for number in sorted(rows)]
        written = []
        if options.out:
            write_table(finished, options.out)
            written.append(str(options.out))
        if options.plot:
            write_plot(columns, finished, options.plot)
            written.append(str(options.plot))
        journal.finish()
    failed = [row for row in finished if row.get("error")]
    if screen.json:
        screen.document({"points": finished, "failed": len(failed), "written": written})
        return not failed
    names = [column for column, _ in columns]
    screen.table(
        [*((column, False) for column in names), ("us", True), ("90 %", True), ("", False)],
        (
            (
                *(str(row[column]) for column in names),
                f"{row['us']:,.3f}" if "us" in row else "",
                between(row["low_us"], row["high_us"]) if "low_us" in row else "",
                row.get("error", ""),
            )
            for row in finished
        ),
    )
    print_written(screen, written)
    return not failed


def runner(options: argparse.Namespace, work: Work) -> Run:
    """What measures points: the processes of this machine, or the cluster of the options."""
    if options.workers < 1:
        raise ValueError("--workers must be above zero")
    if options.scheduler:
        return lambda points: run_on_cluster(work, points, options.scheduler)
    return lambda points: run_all(work, points, options.workers)


def counted(progress: Callable[[int, int], None] | None, count: int) -> Callable[[int], None]:
    """Shows how many of so many points there are."""
    return lambda done: progress(done, count) if progress is not None else None


def measure(point: Mapping[str, Any]) -> dict[str, Any]:
    """The time of one point: of a log at other rates, or of an operator. Runs in a process of its own."""
    values = dict(point["point"])
    device = Device.load(values.pop("device"))
    rates = {path: values.pop(path) for path in point["rates"]}
    if point["log"]:
        log = Log.load(point["target"])
        if log.shape != device.shape:
            raise ValueError(f"{device.name} has another shape than the log's {log.device}")
    else:
        log = OPERATORS[point["target"]](device, **values).log
    timeline = replay(log, device.rates.replace(rates))
    sure = interval(timeline)
    return {
        "us": timeline.total_us, "records": len(log), "assumed_share": timeline.assumed_share,
        **({"low_us": sure.low, "high_us": sure.high} if sure else {}),
    }  # fmt: skip


def _columns(options: argparse.Namespace) -> tuple[dict[str, Any], list[Column]]:
    """What is swept, and the values of every name."""
    is_log = options.target not in OPERATORS
    if is_log:
        path = Path(options.target)
        if not path.exists():
            raise ValueError(
                f"{options.target} is no log and no operator{nearest(options.target, OPERATORS)}; "
                f"the operators are {', '.join(OPERATORS)}"
            )
        if options.arguments:
            raise ValueError("a log has no parameters; sweep rates with --set and devices with --device")
        log, digest = Log.load(path), hashlib.sha256(path.read_bytes()).hexdigest()
        devices = options.device or [log.device]
        given: dict[str, list[str]] = {}
    else:
        digest, devices = "", options.device or [DEFAULT_DEVICES[options.target]]
        given = {name: text.split(",") for name, text in pairs(options.arguments, "steps=1024,2048").items()}
        for texts in zip(*given.values(), strict=False):
            operator_arguments(
                options.target, OPERATORS[options.target], [f"{n}={t}" for n, t in zip(given, texts, strict=True)]
            )
    devices = [name for text in devices for name in text.split(",")]
    rates = {name: _numbers(name, text) for name, text in pairs(options.set, "channels.dram.gb_per_s=300,600").items()}
    for name in devices:
        facts = Device.load(name).rates.facts
        for path_of_rate in rates:
            require_known(path_of_rate, facts)
    columns: list[Column] = [("device", devices)]
    columns += [(name, [literal(text) for text in texts]) for name, texts in given.items()]
    columns += list(rates.items())
    target = str(Path(options.target).absolute()) if is_log else options.target
    return {"target": target, "digest": digest, "log": is_log, "rates": list(rates)}, columns


def _numbers(name: str, text: str) -> list[float]:
    values = [literal(part) for part in text.split(",")]
    if not all(map(is_number, values)):
        raise ValueError(f"{name} is {text!r}; pass numbers with commas between them")
    return values
