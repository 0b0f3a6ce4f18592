"""The files that a command writes, and the report of a run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..files import write_atomically
from ..findings.reports import Report, Suppression, report_of
from ..findings.reports.formats import FORMATS, report_document, verdict
from ..launches.run import Run
from ..launches.watchers import checked
from ..log import Log
from ..spent import phase
from ..text import size
from ..timing import Timeline
from .profile import print_profile, profile_document
from .report import Seen, kernel_of, write_page
from .screen import Screen

#: Elements of an array that a report shows from each end.
_EDGE = 3
#: Elements of an array that a JSON document holds.
_HEAD = 16
#: Bytes of JSON that trace viewers do not open any more.
_LARGEST_TRACE = 250_000_000


def write_arrays(arrays: Mapping[str, np.ndarray], path: Path) -> None:
    """Write arrays by name to a .npz file, or one array as .npy: all of it, or nothing and the old file stays."""
    with write_atomically(path) as file:
        if path.suffix == ".npz":
            np.savez(file, **arrays)  # type: ignore[arg-type]
        else:
            (array,) = arrays.values()
            np.save(file, array, allow_pickle=False)


def report_run(
    options: argparse.Namespace,
    screen: Screen,
    run: Run,
    results: Mapping[str, np.ndarray],
    saved: Mapping[Path, Sequence[str]],
) -> bool:
    """Write the files and the report of a run; whether it was without errors.

    ``results`` are arrays by the name that the report gives them, ``saved`` says which of them go to which file. A run
    that ended early has none.
    """
    report = report_of([checked(run)], suppressions_of(options))
    written = [str(path) for path in saved]
    for path, names in saved.items():
        write_arrays({name: results[name] for name in names}, path)
    with phase("trace, report and log files"):
        written += write_records(options, screen, run.log, run.timeline)
        written += write_page(options, screen, kernel_of(run.log), [Seen.of(run.timeline)], report)
    written += write_formatted(options, report)
    plan = str(run.plan) if getattr(options, "plan", False) and hasattr(run, "plan") else None
    if screen.json:
        from ...traces import summarise  # who is shown no times need not wait for them

        document = {
            **({"plan": plan.splitlines()} if plan else {}),
            "results": {name: _array_dict(array) for name, array in results.items()},
            "findings": [finding.to_dict() for finding in report.findings],
            "suppressed": [finding.to_dict() for finding in report.suppressed],
            "time_us": run.time_us,
            "summary": summarise(run.timeline).to_dict(),
            "written": written,
            **profile_document(),
        }
        screen.document(document | why_document(options, run.timeline))
    elif options.format and not options.output:
        screen.write(FORMATS[options.format](report))
    else:
        if plan:
            screen.line(plan)
            screen.line()
        for name, array in results.items():
            screen.line(f"{name}: {array_text(array)}")
        if not report.findings:
            screen.line(_suppressed(report) or _kept(options))
        if results:
            print_report(screen, run.timeline)
            print_reasons(options, screen, run.timeline)
            screen.line()
        print_written(screen, written)
        print_profile(screen)
    if report.findings:
        screen.say(verdict(report))
        screen.findings(report.findings)
    return not report.errors


def _kept(options: argparse.Namespace) -> str:
    """What it means that nothing was found, by how much was checked."""
    unchecked = {"none": "rules were not checked", "fast": "the order of accesses was not checked"}
    checks = getattr(options, "checks", "")
    kept = f"{unchecked[checks]} (--checks {checks})" if checks in unchecked else "every rule was kept"
    return f"no findings: {kept}"


def show_report(
    options: argparse.Namespace,
    screen: Screen,
    report: Report,
    written: Sequence[str],
    more: Mapping[str, Any],
    fine: str = "",
) -> None:
    """Write a report that is all that a command was asked for, besides files that it has ``written``.

    A document has ``more`` keys; ``fine`` is said where there is nothing to report, if it is not what rules were kept.
    """
    written = [*written, *write_formatted(options, report)]
    if report.findings:
        screen.say(verdict(report))
    if screen.json:
        screen.document(report_document(report) | {"written": written} | dict(more))
    elif options.format and not options.output:
        screen.write(FORMATS[options.format](report))
    else:
        screen.findings(report.findings, asked=True)
        if not report.findings:
            screen.line(_suppressed(report) or fine or _kept(options))
        print_written(screen, written)


def write_formatted(options: argparse.Namespace, report: Report) -> list[str]:
    """Write the file of findings that the options ask for; its path."""
    if not options.output:
        return []
    text = FORMATS[options.format or "text"](report)
    with write_atomically(options.output) as file:
        file.write(text.encode("utf-8", "backslashreplace"))
    return [str(options.output)]


def suppressions_of(options: argparse.Namespace) -> list[Suppression]:
    """The suppressions of the files that the options name."""
    if not options.suppressions:
        return []
    from ..findings.reports.suppression_files import read_suppressions  # most commands need none

    return [entry for path in options.suppressions for entry in read_suppressions(path)]


def write_records(options: argparse.Namespace, screen: Screen, log: Log, timeline: Timeline) -> list[str]:
    """Write the trace and the log that the options ask for; their paths."""
    written = []
    if options.trace:
        from ...traces import write_trace

        with screen.busy("writing the trace"):
            write_trace(timeline, options.trace)
        written.append(str(options.trace))
    if getattr(options, "log", None):
        log.save(options.log)
        written.append(str(options.log))
    return written


def print_report(screen: Screen, timeline: Timeline) -> None:
    """Print the summary of a timeline."""
    from ...traces import print_summary, summarise

    with phase("summary"):
        print_summary(summarise(timeline), screen.out)


def print_reasons(options: argparse.Namespace, screen: Screen, timeline: Timeline) -> None:
    """Print why a timeline takes as long as it does, where the options ask for it."""
    if options.why:
        from ...traces.why import explain, print_why

        screen.line()
        print_why(explain(timeline), screen.out)


def why_document(options: argparse.Namespace, timeline: Timeline) -> dict[str, Any]:
    """The same for a JSON document."""
    if not options.why:
        return {}
    from ...traces.why import explain

    return {"why": explain(timeline).to_dict()}


def print_written(screen: Screen, paths: list[str]) -> None:
    """Print the files that a command has written."""
    for path in paths:
        screen.line(f"wrote {path}{_hint(Path(path))}")


def _hint(path: Path) -> str:
    """How a file is looked at."""
    if path.suffix == ".html":
        return "  (open it in a browser)"
    if path.suffix not in (".json", ".pftrace"):
        return ""
    if path.suffix == ".json" and path.stat().st_size >= _LARGEST_TRACE:
        large = size(path.stat().st_size)
        return f"  (viewers of JSON do not open {large}; name a file that ends in .pftrace, or write a --report)"
    return "  (open it at https://ui.perfetto.dev)"


def array_text(array: np.ndarray) -> str:
    """Element type, shape and the ends of an array in one line."""
    shape = "x".join(map(str, array.shape)) or "scalar"
    flat = array.reshape(-1)
    kept = flat if len(flat) <= 2 * _EDGE else np.concatenate([flat[:_EDGE], flat[-_EDGE:]])
    shown = [f"{float(value):.6g}" if array.dtype.kind not in "iub" else str(value) for value in kept]
    if len(flat) > 2 * _EDGE:
        shown.insert(_EDGE, "...")
    return f"{array.dtype.name}[{shape}] = [{', '.join(shown)}]"


def _array_dict(array: np.ndarray) -> dict[str, Any]:
    head = array.reshape(-1)[:_HEAD]
    values = head.astype(np.float64) if array.dtype.kind not in "iub" else head
    return {"dtype": array.dtype.name, "shape": list(array.shape), "head": values.tolist()}


def _suppressed(report: Report) -> str:
    return f"no findings but {len(report.suppressed)} suppressed" if report.suppressed else ""
