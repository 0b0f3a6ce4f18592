"""Launches the kernel of scale.mlu from Python, looks at its findings and its time, and writes a trace."""

import sys
from pathlib import Path

import numpy as np
from mlusim.simulator import Device, KernelError, load
from mlusim.traces import write_trace

HERE = Path(__file__).parent


def main(trace: str | None = None) -> None:
    device = Device.load("mlu370-x4")
    x = np.arange(100_000, dtype=np.float32)
    y = np.zeros_like(x)

    broken = load([HERE / "scale_broken.mlu"], device=device)
    try:
        broken.launch("scale", (4, 1, 1), "union1", [y, x, 3.0, x.size])
    except KernelError as error:
        found = error.finding
        print(f"{found.rule} in line {found.location.line}: {found.suggestion}")

    program = load([HERE / "scale.mlu"], device=device)
    run = program.launch("scale", (4, 1, 1), "union1", [y, x, 3.0, x.size])
    print("equal:", np.array_equal(y, 3 * x))
    print(f"{len(run.log)} records, {run.time_us:.3f} us")
    if trace:
        write_trace(run.timeline, trace)


if __name__ == "__main__":
    main(*sys.argv[1:])
