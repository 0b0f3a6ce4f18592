"""The accuracy report as Markdown: docs/accuracy.md is made by `mlusim correlate` with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .correlation import Comparison, Correlation, percent_error
from .fit import Fit

_HEAD = """# How far off the simulator is

Made by `{command}`; do not edit. Times are microseconds; an error is (simulated - measured) / measured. "Left out" is
the error of a case when the rates are fitted to all other cases of its family, "roofline" that of the plain roofline
model: all operations at the peak of the whole device, or all bytes at its bandwidth, whichever is longer.
"""


def markdown(found: Correlation, command: str, fit: Fit | None = None, plots: Sequence[str] = ()) -> str:
    """The report that ``command`` made: with a fit, its parameters; ``plots`` are pictures that it shows."""
    lines = [_HEAD.format(command=command)]
    for plot in plots:
        lines += [f"![simulated against measured times]({plot})", ""]
    data = found.to_dict()
    if found.cases:
        unseen = [] if found.left_out_mape is None else [("mean, left out", f"{found.left_out_mape:.1f} %")]
        correlation = "" if data["correlation"] is None else f"{data['correlation']:.5f}"
        lines += _table(
            ("figure", "value"),
            [
                ("cases", str(len(found.cases))), ("mean error", f"{data['mape']:.1f} %"),
                ("median", f"{data['median']:.1f} %"), ("largest", f"{data['max']:.1f} %"), *unseen,
                ("roofline, mean error", f"{data['roofline_mape']:.1f} %"),
                ("correlation of the logarithms", correlation),
            ],
        )  # fmt: skip
        lines += ["", "## Cases", ""]
        lines += _table(
            ("operator", "platform", "shape", "measured", "simulated", "error", "left out", "roofline"),
            [_case(case) for case in found.cases],
        )
    if found.skipped:
        lines += ["", "## Skipped", ""]
        lines += _table(
            ("operator", "platform", "shape", "why"),
            [(s.measurement.operator, s.measurement.platform, s.measurement.shape, s.reason) for s in found.skipped],
        )
    if fit:
        lines += ["", "## What is fitted", ""]
        lines += [
            "These numbers alone; each is one number for all devices of a family, held within its bounds. All others",
            "are as `mlusim devices NAME` says.",
            "",
        ]
        lines += _table(
            ("family", "number", "before", "fitted", "least", "most"),
            [
                (
                    p.family,
                    ", ".join(f"`{path}`" for path in p.paths),
                    *(f"{value:.4g}" for value in (p.before, p.after, p.low, p.high)),
                )
                for p in fit.parameters
            ],
        )
    return "\n".join(lines) + "\n"


def _case(case: Comparison) -> Sequence[str]:
    row = case.measurement
    left = "" if case.left_out_us is None else f"{percent_error(case.left_out_us, row.us):+.1f} %"
    return (
        row.operator, row.platform, row.shape, f"{row.us:,.6g}", f"{case.predicted_us:,.6g}", f"{case.error:+.1f} %",
        left, f"{percent_error(case.roofline_us, row.us):+.1f} %",
    )  # fmt: skip


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    cells = [[cell.replace("|", "/") for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *cells)]
