"""The commands that time a saved log again, and show it."""

from __future__ import annotations

import argparse
import os
import tempfile
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...traces import summarise
from ...traces.difference import is_trace
from ...traces.reading import read_trace
from ..chip import Shape
from ..launches.device import Device
from ..log import Log
from ..timing import Timeline, replay
from .outputs import print_report, print_written, write_records
from .paths import check_paths
from .report import Seen, kernel_of, write_page
from .screen import Screen
from .values import numbers


def replay_log(options: argparse.Namespace, screen: Screen) -> bool:
    """Replay a log at the rates of its device or of one with the same shape, with changes."""
    check_paths(options.trace, options.report, read=[options.log_file, *filter(None, [options.device])])
    changes = numbers(options.set)
    log = load_log(options.log_file)
    device = device_of(options, log)
    rates = device.rates.replace(changes)
    with screen.busy(f"replaying {len(log):,} records"):
        before = replay(log, device.rates)
        timeline = replay(log, rates) if changes else before
    written = write_records(options, screen, log, timeline)
    written += write_page(options, screen, kernel_of(log), [Seen.of(timeline)])
    if screen.json:
        screen.document(
            {
                "device": device.name,
                "changes": changes,
                "time_us": timeline.total_us,
                "unchanged_time_us": before.total_us,
                "summary": summarise(timeline).to_dict(),
                "written": written,
            }
        )
        return True
    if changes:
        facts = device.rates.facts
        screen.table(
            [("SET", False), ("from", True), ("to", True)],
            ((name, f"{facts[name].value:,g}", f"{value:,g}") for name, value in changes.items()),
        )
        change = timeline.total_us / before.total_us - 1 if before.total_us else 0.0
        screen.line(f"\n{before.total_us:,.3f} us before, {timeline.total_us:,.3f} us after ({100 * change:+.1f} %)\n")
    print_report(screen, timeline)
    screen.line()
    print_written(screen, written)
    return True


def view(options: argparse.Namespace, screen: Screen) -> bool:
    """Write the report of a log or a trace to a file of its own, and open it in a browser."""
    check_paths(options.report, read=[options.log_file, *filter(None, [options.device])])
    traced = traced_timeline(options, options.log_file)
    log = traced.log if traced else load_log(options.log_file)
    if options.report is None:
        handle, name = tempfile.mkstemp(prefix="mlusim-", suffix=".html")
        os.close(handle)
        options.report = Path(name)
    with screen.busy(f"replaying {len(log):,} records"):
        timeline = traced or replay(log, device_of(options, log).rates.replace(numbers(options.set)))
    name = options.log_file.name if traced else kernel_of(log)
    written = write_page(options, screen, name, [Seen(name, timeline, fixed=bool(traced))])
    opened = not options.no_browser and webbrowser.open(options.report.absolute().as_uri())
    if screen.json:
        screen.document({"written": written, "opened": bool(opened)})
    else:
        screen.line(f"wrote {options.report}" + ("" if opened else "  (open it in a browser)"))
    return True


def traced_timeline(options: argparse.Namespace, path: Path) -> Timeline | None:
    """The timeline of a trace, None for other files; ValueError for a damaged one, and for options of a replay."""
    if not is_trace(path):
        return None
    check_as_traced(options, path)
    return read_trace(path)


def check_as_traced(options: argparse.Namespace, path: Path) -> None:
    """ValueError where the options ask for other rates than those of a trace."""
    if options.set or options.device:
        raise ValueError(f"{path} is a trace, whose times are fixed; pass its log with --set or --device")


def load_log(path: Path) -> Log:
    """The log in a file; ValueError when there is none."""
    if path.suffix == ".pftrace":
        raise ValueError(f"{path} is a trace for viewers; pass a log, made with --log, or a trace in JSON")
    try:
        return Log.load(path)
    except FileNotFoundError:
        raise ValueError(f"{path} does not exist; pass a file made with --log") from None


def device_of(options: argparse.Namespace, log: Log) -> Device:
    """The device whose rates are used; ValueError when its shape is not the log's."""
    if options.device is None and log.device not in Device.names():
        raise ValueError(f"the log is of {log.device}, which is not built in; pass its file with --device")
    device = Device.load(options.device or log.device)
    if device.shape != log.shape:
        listed = "; ".join(_differences(log.shape, device.shape))
        raise ValueError(
            f"the log of {log.device} cannot be replayed on {device.name}, whose shape differs ({listed}); "
            f"run the kernel again with --device {options.device or device.name}"
        )
    return device


def _differences(log: Shape, device: Shape) -> Iterator[str]:
    yield from _differing("", log.to_dict(), device.to_dict())


def _differing(name: str, log: Any, device: Any) -> Iterator[str]:
    if isinstance(log, dict) and isinstance(device, dict):
        for key in dict.fromkeys([*log, *device]):
            yield from _differing(f"{name}.{key}".strip("."), log.get(key), device.get(key))
    elif log != device:
        yield f"{name} {log}, not {device}"
