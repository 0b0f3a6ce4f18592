"""The commands that put measured times beside simulated ones: correlate, calibrate."""

from __future__ import annotations

import argparse
import io
import math
from collections import defaultdict
from pathlib import Path

from ..files import write_atomically
from ..study.calibration import Cases, Correlation, Measurement, calibrate, read_cases, read_table
from ..study.calibration.cases import OUR_KERNELS
from ..study.calibration.correlation import GROUPS, MODELS, compare, percent_error, simulate
from ..study.calibration.families import families_of, fitted_files, free_numbers, with_left_out
from ..study.calibration.family_fit import can_fit
from ..study.calibration.fit import percent
from ..study.calibration.page import FIGURE_HEADS, figure_rows, markdown
from ..study.calibration.plot import write_plot
from .outputs import print_written
from .paths import check_paths
from .screen import Screen

TABLE = OUR_KERNELS / "measured.csv"


def correlate_table(options: argparse.Namespace, screen: Screen) -> bool:
    """Simulate a table of measured cases and show how far off the simulator is."""
    options.table, outputs = options.table or TABLE, [*options.plot, options.markdown]
    check_paths(*outputs, read=[options.table])
    rows, cases = _read(options)
    with screen.busy(f"simulating {len(rows)} cases"):
        simulated, skipped = simulate(rows, cases)
    found, fit = compare(simulated, skipped), None
    if cases.left_out and not options.no_left_out and not can_fit():
        screen.say("fitting without each case in turn is left out: it needs SciPy (pip install scipy)")
    elif cases.left_out and not options.no_left_out:
        with screen.busy("fitting without each case in turn"):
            found, fit = with_left_out(found, simulated, skipped, cases)
    if screen.json:
        screen.document(found.to_dict())
    else:
        _show(screen, found)
    for path in options.plot:
        write_plot(found, path)
    if options.markdown:
        _write(options.markdown, markdown(found, _command(options), fit, _pictures(options), cases.notes))
    if not screen.json:
        print_written(screen, [str(path) for path in outputs if path])
    return bool(found.cases)


def calibrate_table(options: argparse.Namespace, screen: Screen) -> bool:
    """Fit the free rates of the devices of a table, show what it brings, and write device files."""
    options.table = options.table or TABLE
    check_paths(options.markdown, *options.plot, read=[options.table])
    rows, cases = _read(options)
    if options.out and not options.out.is_dir():
        raise ValueError(f"{options.out} is no folder; make it first, device files are written there")
    with screen.busy(f"simulating {len(rows)} cases"):
        found, skipped = simulate(rows, cases)
    if not found:
        raise ValueError(f"no row of {options.table} can be simulated; of the first, {skipped[0].reason}")
    families = families_of(found)
    free = free_numbers(options.fit, cases, families)
    with screen.busy("fitting"):
        fit = calibrate(found, skipped, families, free, left_out=cases.left_out)
    if options.out and not any(p.fitted for p in fit.parameters):
        raise ValueError(
            f"{options.table} has too few rows: the {len(found)} that can be simulated tell none of the "
            f"{len(fit.parameters)} free numbers, so no device file is written"
        )
    written = []
    for name, text in fitted_files(fit, families, options.table.name) if options.out else ():
        _write(options.out / name, text)
        written.append(str(options.out / name))
    for path in options.plot:
        write_plot(fit.after, path)
    if options.markdown:
        _write(options.markdown, markdown(fit.after, _command(options), fit, _pictures(options), cases.notes))
    if screen.json:
        screen.document(fit.to_dict() | {"written": written})
        return True
    screen.table(
        [("FITTED", False), ("family", False), ("centre", True), ("after", True), ("error", True), ("", False)],
        (
            (
                ", ".join(p.paths), p.family, f"{p.centre:,.4g}", f"{p.after:,.4g}",
                percent(p.error) if p.fitted else "", "fitted" if p.fitted else "assumed",
            )
            for p in fit.parameters
        ),
    )  # fmt: skip
    screen.line()
    _show(screen, fit.after, fit.before)
    print_written(screen, [*written, *(str(path) for path in [*options.plot, options.markdown] if path)])
    return True


def _command(options: argparse.Namespace) -> str:
    return f"mlusim {options.command} {options.table.name} --markdown {options.markdown.name}"


def _pictures(options: argparse.Namespace) -> list[str]:
    """The drawings that lie beside the report."""
    return [plot.name for plot in options.plot if plot.parent.resolve() == options.markdown.parent.resolve()]


def _read(options: argparse.Namespace) -> tuple[list[Measurement], Cases]:
    return read_table(options.table), read_cases(options.kernels or OUR_KERNELS)


def _show(screen: Screen, found: Correlation, before: Correlation | None = None) -> None:
    models = [model for model in MODELS if model and found.figures(model)]
    rows = []
    for number, case in enumerate(found.cases):
        row = case.measurement
        cells = [row.operator, row.platform, f"{row.us:,.6g}", f"{case.predicted_us:,.6g}"]
        if before is not None:
            cells.append(f"{before.cases[number].error:+.1f} %")
        cells.append(f"{case.error:+.1f} %")
        for us in map(case.said, models):
            cells.append("" if math.isnan(us) else f"{percent_error(us, row.us):+.1f} %")
        rows.append(cells)
    screen.table(
        [("OPERATOR", False), ("platform", False), ("measured us", True), ("simulated", True),
         *([("before", True)] if before is not None else []), ("error", True),
         *((f"without {model}" if model in GROUPS else model, True) for model in models)],
        rows,
    )  # fmt: skip
    screen.line()
    if found.cases:
        screen.table(
            [(head, head not in FIGURE_HEADS[:2]) for head in FIGURE_HEADS],
            (row for kind in ("", *found.kinds) for row in figure_rows(found, kind)),
        )
    reasons = defaultdict[str, list[Measurement]](list)
    for entry in found.skipped:
        reasons[entry.reason].append(entry.measurement)
    for reason, rows_skipped in reasons.items():
        row, others = rows_skipped[0], len(rows_skipped) - 1
        more = f" and {others} more" if others else ""
        screen.line(f"skipped: {row.operator} on {row.platform}, {row.shape}{more}: {reason}")


def _write(path: Path, text: str) -> None:
    with write_atomically(path) as binary, io.TextIOWrapper(binary, "utf-8", newline="\n") as file:
        file.write(text)
