"""Draws simulated against measured times: PNG and SVG by matplotlib."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from ...files import write_atomically
from .correlation import Correlation

_FORMATS = (".png", ".svg")


def write_plot(found: Correlation, path: Path) -> None:
    """Write the drawing to a .png or .svg file, all of it or nothing.

    ValueError for another kind of file and without matplotlib.
    """
    if path.suffix not in _FORMATS:
        raise ValueError(f"cannot draw to {path}; name a file that ends in {', '.join(_FORMATS)}")
    data = _drawing(found, path.suffix[1:])
    with write_atomically(path) as file:
        file.write(data)


def figure(width: float, height: float) -> Any:
    """An empty figure of matplotlib; ValueError that says how to get it."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ValueError("drawing needs matplotlib: pip install matplotlib") from None
    drawn = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(drawn)
    return drawn


def saved(drawn: Any, kind: str) -> bytes:
    """A figure as the bytes of a file; equal figures give equal bytes."""
    import matplotlib as mpl

    out = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "mlusim", "svg.fonttype": "none"}):
        drawn.savefig(out, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else {"Software": None})
    return out.getvalue()


def _drawing(found: Correlation, kind: str) -> bytes:
    drawn = figure(7, 5.5)
    axes = drawn.add_subplot()
    times = [time for case in found.cases for time in (case.measurement.us, case.predicted_us)]
    low, high = (min(times) / 2, max(times) * 2) if times else (1.0, 10.0)
    axes.plot([low, high], [low, high], color="black", linewidth=0.8, label="equal")
    axes.fill_between([low, high], [low * 0.8, high * 0.8], [low * 1.2, high * 1.2], alpha=0.15, label="20 % off")
    for operator in dict.fromkeys(case.measurement.operator for case in found.cases):
        mine = [case for case in found.cases if case.measurement.operator == operator]
        axes.plot([c.measurement.us for c in mine], [c.predicted_us for c in mine], "o", label=operator)
    axes.plot(
        [case.measurement.us for case in found.cases], [case.roofline_us for case in found.cases], "x", color="grey",
        label="roofline",
    )  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="measured, us", ylabel="simulated, us")
    if found.cases:
        axes.set_title(f"mean error {found.figures()['mean']:.1f} % over {len(found.cases)} cases")
    axes.legend(fontsize=8)
    return saved(drawn, kind)
