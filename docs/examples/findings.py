"""Breaks every rule once and prints the findings: `python findings.py`, or only some: `python findings.py bounds`."""

import ctypes
import shutil
import sys
from pathlib import Path

import numpy as np
from mlusim.simulator import BuildError, Device, Finding, load
from mlusim.simulator.frontend.options import Options
from mlusim.simulator.host.program import build_program, run_program

HERE = Path(__file__).parent
#: What a launch takes besides one Block task on an MLU370-X4.
SPECIAL = {
    "alignment": {"device": "mlu270"},
    "length": {"device": "mlu270"},
    "barrier": {"dim": (4, 1, 1), "type": "union1"},
    "memory_core": {"dim": (4, 1, 1), "type": "union1"},
    "endless": {"time_limit": 0.2},
}
#: Rules by kernel; kernels that are not listed are called like their rule.
RULES = {
    "endless": "time",
    "not_modelled": "not-modelled",
    "memory_core": "memory-core",
    "assertion": "assert",
    "misfit": "build",
}
BANG = [
    "bounds", "space", "alignment", "length", "overlap", "arch", "argument", "value", "uninitialized", "order",
    "budget", "barrier", "memory_core", "empty", "not_modelled", "crash", "forbidden",
    "stack", "endless",
]  # fmt: skip
CUDA = ["race"]
HOST = ["queue-order", "host-pointer", "use-after-free", "double-free", "leak"]
TPU = ["dtype", "lane", "section", "cache", "assertion"]


class Arguments(ctypes.Structure):
    """`arguments_t` of faults.c."""

    _fields_ = [("out", ctypes.c_uint64), ("input", ctypes.c_uint64)]


def bang_finding(kernel: str) -> Finding:
    """The first finding of a kernel of faults.mlu."""
    options = dict(SPECIAL.get(kernel, {}))
    program = load([HERE / "faults.mlu"], device=Device.load(options.pop("device", "mlu370-x4")))
    x = np.zeros(257, np.float32)
    return program.launch(kernel, args=[x], on_finding="collect", **options).findings[0]


def tpu_finding(kernel: str) -> Finding:
    """The first finding of a kernel of faults.c."""
    device = Device.load("bm1684x")
    out, source = (device.array(np.zeros(64, np.float32)) for _ in range(2))
    arguments = Arguments(out.address, source.address)
    return load([HERE / "faults.c"], device=device).launch(kernel, args=arguments, on_finding="collect").findings[0]


def cuda_finding(kernel: str) -> Finding:
    """The first finding of a kernel of faults.cu, on one block of 128 threads."""
    program = load([HERE / "faults.cu"], device=Device.load("cuda-sm80"))
    run = program.launch(kernel, 1, args=[np.zeros(128, np.float32)], block=128, on_finding="collect")
    return next(finding for finding in run.findings if finding.rule == kernel)


def build_finding(name: str) -> Finding:
    """The finding of a source that does not compile."""
    try:
        load([HERE / f"{name}.mlu"], device=Device.load("mlu370-x4"))
    except BuildError as error:
        if error.finding is not None:
            return error.finding
    raise SystemExit(f"{name}.mlu compiles")


def host_findings() -> dict[str, Finding]:
    """The findings of host_faults.mlu, a program with a host of its own, by rule."""
    device = Device.load("mlu370-x4")
    program = build_program([HERE / "host_faults.mlu"], Options(), device)
    try:
        _, (report,) = run_program(program, [], [device])
        return {finding.rule: finding for finding in report.findings}
    finally:
        shutil.rmtree(program.parent)


def rules() -> list[str]:
    """Every rule that is broken here."""
    return [RULES.get(kernel, kernel) for kernel in (*BANG, *TPU, *CUDA, *HOST, "misfit")]


def findings() -> dict[str, Finding]:
    """Every rule with a finding."""
    found = {kernel: bang_finding(kernel) for kernel in BANG}
    found |= {kernel: tpu_finding(kernel) for kernel in TPU}
    found |= {kernel: cuda_finding(kernel) for kernel in CUDA}
    found["misfit"] = build_finding("misfit")
    found |= host_findings()
    return {RULES.get(kernel, kernel): finding for kernel, finding in found.items()}


if __name__ == "__main__":
    for rule, finding in findings().items():
        if rule in sys.argv[1:] or not sys.argv[1:]:
            print(str(finding).replace(f"{HERE.absolute()}/", "").replace(f"{HERE}/", ""), end="\n\n")
