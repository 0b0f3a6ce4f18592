"""The commands that put measured times beside simulated ones: correlate, calibrate."""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from ..files import write_atomically
from ..study.calibration import Cases, Correlation, Measurement, calibrate, read_cases, read_table
from ..study.calibration.correlation import compare, percent_error, simulate
from ..study.calibration.families import families_of, fitted_files, free_numbers, with_left_out
from ..study.calibration.page import markdown
from ..study.calibration.plot import write_plot
from .outputs import print_written
from .paths import check_paths
from .screen import Screen

#: The kernels of the project's own table, which lie beside the packages in a checkout.
KERNELS = Path(__file__).resolve().parents[2] / "benchmarks" / "hardware"


def correlate_table(options: argparse.Namespace, screen: Screen) -> bool:
    """Simulate a table of measured cases and show how far off the simulator is."""
    outputs = [*options.plot, options.markdown]
    check_paths(*outputs, read=[options.table])
    rows, cases = _read(options)
    with screen.busy(f"simulating {len(rows)} cases"):
        simulated, skipped = simulate(rows, cases)
    found, fit = compare(simulated, skipped), None
    if not options.no_left_out:
        with screen.busy("fitting without each case in turn"):
            found, fit = with_left_out(found, simulated, skipped, cases)
    if screen.json:
        screen.document(found.to_dict())
    else:
        _show(screen, found)
    for path in options.plot:
        write_plot(found, path)
    if options.markdown:
        _write(options.markdown, markdown(found, _command(options), fit, _pictures(options)))
    if not screen.json:
        print_written(screen, [str(path) for path in outputs if path])
    return bool(found.cases)


def calibrate_table(options: argparse.Namespace, screen: Screen) -> bool:
    """Fit the free rates of the devices of a table, show what it brings, and write device files."""
    check_paths(options.markdown, *options.plot, read=[options.table])
    rows, cases = _read(options)
    if options.out and not options.out.is_dir():
        raise ValueError(f"{options.out} is no folder; make it first, device files are written there")
    with screen.busy(f"simulating {len(rows)} cases"):
        found, skipped = simulate(rows, cases)
    families = families_of(found)
    free = free_numbers(options.fit, cases, families)
    with screen.busy("fitting"):
        fit = calibrate(found, skipped, families, free)
    written = []
    for name, text in fitted_files(fit, families, options.table.name) if options.out else ():
        _write(options.out / name, text)
        written.append(str(options.out / name))
    for path in options.plot:
        write_plot(fit.after, path)
    if options.markdown:
        _write(options.markdown, markdown(fit.after, _command(options), fit, _pictures(options)))
    if screen.json:
        screen.document(fit.to_dict() | {"written": written})
        return True
    screen.table(
        [("FITTED", False), ("family", False), ("before", True), ("after", True), ("least", True), ("most", True)],
        (
            (", ".join(p.paths), p.family, *(f"{value:,.4g}" for value in (p.before, p.after, p.low, p.high)))
            for p in fit.parameters
        ),
    )
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
    folder = options.kernels or KERNELS
    if options.kernels is None and not folder.is_dir():
        raise ValueError("pass the folder of the kernels with --kernels; only a checkout of mlusim has some of its own")
    return read_table(options.table), read_cases(folder)


def _show(screen: Screen, found: Correlation, before: Correlation | None = None) -> None:
    unseen = found.left_out_mape is not None
    rows = []
    for number, case in enumerate(found.cases):
        row = case.measurement
        cells = [row.operator, row.platform, f"{row.us:,.6g}", f"{case.predicted_us:,.6g}"]
        if before is not None:
            cells.append(f"{before.cases[number].error:+.1f} %")
        cells.append(f"{case.error:+.1f} %")
        if unseen:
            left = case.left_out_us
            cells.append("" if left is None else f"{percent_error(left, row.us):+.1f} %")
        rows.append([*cells, f"{percent_error(case.roofline_us, row.us):+.1f} %"])
    screen.table(
        [("OPERATOR", False), ("platform", False), ("measured us", True), ("simulated", True),
         *([("before", True)] if before is not None else []), ("error", True),
         *([("left out", True)] if unseen else []), ("roofline", True)],
        rows,
    )  # fmt: skip
    data = found.to_dict()
    screen.line()
    if found.cases:
        screen.line(
            f"mean error {data['mape']:.1f} %, median {data['median']:.1f} %, largest {data['max']:.1f} %, "
            + ("" if data["correlation"] is None else f"correlation {data['correlation']:.4f}; ")
            + f"roofline {data['roofline_mape']:.1f} %"
        )
    if found.left_out_mape is not None:
        screen.line(f"mean error of each case by rates fitted without it: {found.left_out_mape:.1f} %")
    for entry in found.skipped:
        row = entry.measurement
        screen.line(f"skipped: {row.operator} on {row.platform}, {row.shape}: {entry.reason}")


def _write(path: Path, text: str) -> None:
    with write_atomically(path) as binary, io.TextIOWrapper(binary, "utf-8", newline="\n") as file:
        file.write(text)
