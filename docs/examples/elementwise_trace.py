"""Draws what one core does in three elementwise launches: ``python elementwise_trace.py elementwise.svg``."""

import sys
from pathlib import Path

import numpy as np
from mlusim.kernels import elementwise as ew
from mlusim.simulator import Device, Run

CORE = 0
WIDTH, LEFT, ROW, GAP, TICK = 1000, 70, 18, 34, 50
COLOURS = {"load": "#4c78a8", "repeat": "#f2a93b", "compute": "#54a24b", "store": "#b24a6e"}
PIPES = {"io": ("load", "store"), "compute": ("repeat", "compute")}
KINDS = {"GDRAM2NRAM": "load", "NRAM2GDRAM": "store", "NRAM2NRAM": "repeat"}


def spans(run: Run) -> list[tuple[str, float, float]]:
    """Kind, start and end in microseconds of everything that the core's pipes do."""
    found = []
    for index in np.flatnonzero(run.log.records["core"] == CORE):
        op = run.log.ops[run.log.records["op"][index]]
        kind = KINDS.get(op.dtypes) or ("compute" if op.engine == "compute" else None)
        if kind:
            found.append((kind, run.timeline.start[index], run.timeline.end[index]))
    return found


def kernel_us(run: Run) -> float:
    """The time without the launch."""
    return float(run.time_us - run.rates.launch_overhead_us)


def panel(title: str, run: Run, top: float, scale: float) -> list[str]:
    """A launch as rows of boxes, one row for each pipe."""
    lines = [f'<text x="4" y="{top - 6}" font-weight="bold">{title}: {kernel_us(run):.1f} us</text>']
    for row, (pipe, kinds) in enumerate(PIPES.items()):
        y = top + row * ROW
        lines.append(f'<text x="4" y="{y + 12}">{pipe}</text>')
        lines.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT}" height="{ROW - 4}" fill="#f0f0f0"/>')
        for kind, start, end in spans(run):
            if kind in kinds:
                x, width = LEFT + start * scale, max((end - start) * scale, 0.6)
                lines.append(
                    f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 4}" fill="{COLOURS[kind]}"/>'
                )
    return lines


def main(path: Path) -> None:
    """Run the three launches and write the picture."""
    device = Device.load("mlu370-x4")
    x = np.ones((16, 64, 64, 64), np.float32)
    runs = {
        "add of two arrays": ew.add(device, x, x.copy()),
        "add of one value for each channel": ew.add(device, x, np.ones((64, 1, 1), np.float32)),
        "gelu": ew.gelu(device, x),
    }
    scale = (WIDTH - LEFT) / max(map(kernel_us, runs.values()))
    lines, top = [], 22.0
    for title, run in runs.items():
        lines += panel(f"{title}, core {CORE}", run, top, scale)
        top += len(PIPES) * ROW + GAP
    for time in range(0, int((WIDTH - LEFT) / scale) + 1, TICK):
        x = LEFT + time * scale
        lines.append(f'<line x1="{x:.1f}" y1="12" x2="{x:.1f}" y2="{top - 26:.0f}" stroke="#999" stroke-width="0.5"/>')
        lines.append(f'<text x="{x + 3:.1f}" y="{top - 24:.0f}">{time} us</text>')
    top += 20
    for number, (kind, colour) in enumerate(COLOURS.items()):
        lines.append(f'<rect x="{LEFT + number * 110}" y="{top - 16}" width="12" height="12" fill="{colour}"/>')
        lines.append(f'<text x="{LEFT + number * 110 + 18}" y="{top - 5}">{kind}</text>')
    box = f'viewBox="0 0 {WIDTH} {top:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="12">'
    path.write_text("\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *lines, "</svg>\n"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
