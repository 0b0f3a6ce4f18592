"""Times of a sweep, drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...files import write_atomically
from ..calibration.plot import figure, saved
from .table import Column


def write_plot(columns: Iterable[Column], rows: Iterable[Mapping[str, Any]], path: Path) -> None:
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
