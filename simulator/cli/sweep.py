"""The command that simulates many variants: rates, devices, parameters of an operator."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...kernels import DEFAULT_DEVICES, OPERATORS
from ..chip.device_file import require_known
from ..files import write_atomically
from ..launches.device import Device
from ..log import Log
from ..study.calibration.plot import figure, saved
from ..study.sweep import Column, Journal, points_of, run_all, run_on_cluster, write_table
from ..text import nearest
from ..timing import replay
from .outputs import print_written
from .paths import check_paths
from .screen import Screen
from .values import literal, operator_arguments, pairs


def sweep(options: argparse.Namespace, screen: Screen) -> bool:
    """Simulate every combination of the values; whether all of them worked."""
    check_paths(options.out, options.plot)
    if options.workers < 1:
        raise ValueError("--workers must be above zero")
    target, columns = _columns(options)
    points = points_of(columns)
    rows: list[dict[str, Any] | None] = [None] * len(points)
    name = options.out or Path(f"{Path(target['target']).name}.sweep.csv")
    with Journal(name, {"target": target["target"], "digest": target["digest"], "columns": columns}) as journal:
        for number, result in journal.done.items():
            rows[number] = {**points[number], **result}
        left = [number for number in range(len(points)) if rows[number] is None]
        work = [{**target, "point": points[number]} for number in left]
        with screen.progress(f"sweeping {len(points)} points") as progress:
            results = run_on_cluster(measure, work, options.scheduler) if options.scheduler else run_all(
                measure, work, options.workers
            )  # fmt: skip
            for place, result in results:
                journal.add(left[place], result)
                rows[left[place]] = {**points[left[place]], **result}
                if progress is not None:
                    progress(sum(row is not None for row in rows), len(points))
        finished = [row for row in rows if row is not None]
        written = []
        if options.out:
            write_table(finished, options.out)
            written.append(str(options.out))
        if options.plot:
            _plot(columns, finished, options.plot)
            written.append(str(options.plot))
        journal.finish()
    failed = [row for row in finished if row.get("error")]
    if screen.json:
        screen.document({"points": finished, "failed": len(failed), "written": written})
        return not failed
    names = [column for column, _ in columns]
    screen.table(
        [*((column, False) for column in names), ("us", True), ("", False)],
        (
            (*(str(row[column]) for column in names), f"{row['us']:,.3f}" if "us" in row else "", row.get("error", ""))
            for row in finished
        ),
    )
    print_written(screen, written)
    return not failed


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
    return {"us": timeline.total_us, "records": len(log), "assumed_share": timeline.assumed_share}


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
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"{name} is {text!r}; pass numbers with commas between them")
    return values


def _plot(columns: Iterable[Column], rows: Iterable[Mapping[str, Any]], path: Path) -> None:
    """The time over the first swept name that has several numbers, a line for each combination of the others."""
    if path.suffix not in (".png", ".svg"):
        raise ValueError(f"cannot draw to {path}; name a file that ends in .png or .svg")
    several = [
        name for name, values in columns if len(values) > 1 and all(isinstance(value, (int, float)) for value in values)
    ]
    across = several[0] if several else next(name for name, _ in columns)
    others = [name for name, values in columns if name != across and len(values) > 1]
    lines: dict[str, list[tuple[Any, float]]] = {}
    for row in rows:
        if "us" in row:
            label = ", ".join(f"{name.rpartition('.')[2]} {row[name]}" for name in others)
            lines.setdefault(label, []).append((row[across], row["us"]))
    drawn = figure(7, 4.5)
    axes = drawn.add_subplot()
    for label, points in lines.items():
        axes.plot(*zip(*points, strict=True), "o-", label=label or None)
    axes.set(xlabel=across, ylabel="simulated, us")
    axes.set_ylim(bottom=0)
    if any(lines):
        axes.legend(fontsize=8)
    with write_atomically(path) as file:
        file.write(saved(drawn, path.suffix[1:]))
