"""The accuracy report as Markdown: docs/accuracy.md is made by `mlusim correlate` with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from ...text import between
from .cases import Note
from .correlation import GROUPS, MODELS, Comparison, Correlation, percent_error
from .fit import Fit, percent

_HEAD = """# How far off the simulator is

Made by `{command}`; do not edit. Times are microseconds; an error is (simulated - measured) / measured.

| | |
| --- | --- |
| simulated | by the rates of the device files, which are fitted to these rows |
| without operator | by rates fitted to the other operators of its family: to expect of a kernel without measurements |
| without board | the same, without all rows of the board |
| earlier | the model before this one, whose rates were fitted to ten of the MLU rows, and to none of the others |
| covered | share of measured times within the 90 % interval of the prediction, which stands behind its error |
| roofline | all operations at the peak of the whole device, or all bytes at its bandwidth, whichever is longer |
"""
_TITLES = {
    "": "simulated", "operator": "without operator", "board": "without board", "earlier": "earlier",
    "roofline": "roofline",
}  # fmt: skip
_FIGURES = ("mean", "median", "max", "within_25", "covered")
#: What stands over the texts of `figure_rows`.
FIGURE_HEADS = ("rows", "by", "cases", "mean", "median", "largest", "within 25 %", "covered")
_FITTED = """
Each is one number for all devices of a family. The centre is what is known of it without these rows, the spread the
factor within which that lies with the odds of one standard deviation; the standard error is from the covariance at the
best fit, as wide as fits without each operator in turn ask for. A number that the rows do not tell stays at its centre
and is called assumed. All others are as `mlusim devices NAME` says.
"""


def markdown(
    found: Correlation, command: str, fit: Fit | None = None, plots: Sequence[str] = (), notes: Sequence[Note] = ()
) -> str:
    """The report that ``command`` made: with a fit, its parameters; ``plots`` are pictures that it shows."""
    lines = [_HEAD.format(command=command)]
    for plot in plots:
        lines += [f"![simulated against measured times]({plot})", ""]
    if found.cases:
        lines += ["## Errors by kind of kernel", ""]
        lines += _table(
            FIGURE_HEADS,
            (row for kind in ("", *found.kinds) for row in figure_rows(found, kind)),
        )
        lines += ["", "## Cases", ""]
        models = [model for model in MODELS if found.figures(model)]
        lines += _table(
            ("operator", "platform", "shape", "clock", "measured", *(_TITLES[model] for model in models)),
            (_case(case, models) for case in found.cases),
        )
    for note in notes:
        lines += ["", f"## {note.title}", "", note.text.strip()]
    if found.skipped:
        lines += ["", "## Skipped", ""]
        lines += _table(
            ("operator", "platform", "shape", "why"),
            [(s.measurement.operator, s.measurement.platform, s.measurement.shape, s.reason) for s in found.skipped],
        )
    if fit:
        lines += ["", "## What is fitted", _FITTED]
        lines += _table(
            ("family", "number", "centre", "spread", "value", "standard error", "", "why this centre"),
            (
                (
                    p.family, ", ".join(f"`{path}`" for path in p.paths), f"{p.centre:.4g}", f"{p.spread:.3g}",
                    f"{p.after:.4g}", percent(p.error) if p.fitted else "", "fitted" if p.fitted else "assumed", p.why,
                )
                for p in fit.parameters
            ),
        )  # fmt: skip
    return "\n".join(lines) + "\n"


def figure_rows(found: Correlation, kind: str = "") -> Iterator[Sequence[str]]:
    """The figures of a kind of cases by each model, as texts."""
    for model in MODELS:
        if figures := found.figures(model, kind):
            shares = (f"{figures[name]:.1f} %" if name in figures else "" for name in _FIGURES)
            yield kind or "all", _TITLES[model], f"{figures['cases']:.0f}", *shares


def _case(case: Comparison, models: Sequence[str]) -> Iterator[str]:
    row = case.measurement
    yield from (row.operator, row.platform, row.shape, row.clock, f"{row.us:,.6g}")
    for model in models:
        us, sure = case.said(model), case.interval(model)
        error = "" if math.isnan(us) else f"{percent_error(us, row.us):+.1f} %"
        if sure and model:
            error += f" ({between(*(percent_error(end, row.us) for end in (sure.low, sure.high)))})"
        yield error if model in (*GROUPS, "roofline") or not error else f"{us:,.6g} ({error})"


def _table(heads: Sequence[str], rows: Iterable[Iterable[str]]) -> list[str]:
    cells = [[cell.replace("|", "/") for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *cells)]
