"""Breaks every rule once and prints the findings: `python findings.py`, or only some: `python findings.py bounds`.

faults.mlu, faults_in_tiles.mlu, faults.c, faults.cu and host_faults.mlu break the rules; what begins with fixed is the
same without a fault.
"""

import ctypes
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from mlusim.simulator import BuildError, Device, Finding, HostProgram, Precision, Values, load, report

HERE = Path(__file__).parent
#: What a launch takes besides one Block task on an MLU370-X4.
SPECIAL = {
    "alignment": {"device": "mlu270"},
    "conversion": {"watched": Values},
    "division": {"device": "mlu590", "watched": Values},
    "number": {"watched": Values},
    "precision": {"watched": Precision},
    "length": {"device": "mlu270"},
    "barrier": {"dim": (4, 1, 1), "type": "union1"},
    "memory_core": {"dim": (4, 1, 1), "type": "union1"},
    "endless": {"time_limit": 0.2},
    "order_dependent": {"dim": (4, 1, 1), "orders": 4},
    "split_dependent": {"dim": (4, 1, 1), "resplit": 1},
    "count_dependent": {"further": [257], "smaller": True},
    "place_dependent": {"x": np.sin(np.arange(256, dtype=np.float32)), "further": [256], "vary": True},
    "sigmoid": {"x": np.sin(np.arange(256, dtype=np.float32)), "named": True},
    "tile_dependent": {"retile": True},
    "unlike_reference": {"references": True},
    "suspicious": {"further": [256], "vary": True},
    "loaded_twice": {"further": [np.zeros(256, np.float32)]},
    "log_limit": {"records": 1024},
    "ignored": {"further": [0.5], "vary": True},
    "wrong_result": {"expect": {"x": np.array([3.0] * 256 + [0.0])}},
}
#: Rules by kernel; kernels that are not listed are called like their rule.
RULES = {
    "endless": "time",
    "not_modelled": "not-modelled",
    "memory_core": "memory-core",
    "fill_width": "fill-width",
    "assertion": "assert",
    "misfit": "build",
    "double_free": "double-free",
    "failed_call": "failed-call",
    "host_function": "host-function",
    "loaded_twice": "loaded-twice",
    "log_limit": "log-limit",
    "host_pointer": "host-pointer",
    "order_dependent": "order-dependent",
    "split_dependent": "split-dependent",
    "count_dependent": "count-dependent",
    "place_dependent": "place-dependent",
    "tile_dependent": "tile-dependent",
    "queue_order": "queue-order",
    "read_only": "read-only",
    "redundant_sync": "redundant-sync",
    "sigmoid": "unlike-name",
    "unlike_reference": "unlike-reference",
    "use_after_free": "use-after-free",
    "wrong_result": "wrong-result",
}
BANG = [
    "bounds", "space", "alignment", "length", "overlap", "arch", "argument", "value", "uninitialized", "order",
    "budget", "barrier", "memory_core", "fill_width", "meaning", "empty", "not_modelled", "crash", "forbidden",
    "stack", "endless", "conversion", "division", "number", "precision", "partial", "unread", "leftover", "unused",
    "shifted", "overrun", "order_dependent", "split_dependent", "count_dependent", "place_dependent", "tile_dependent",
    "sigmoid", "unlike_reference", "ignored", "read_only", "redundant_sync", "suppression", "suspicious", "unwaited",
    "unwritten", "use_after_free", "wrong_result", "loaded_twice", "log_limit",
]  # fmt: skip
CUDA = ["race"]
HOST = ["queue_order", "host_pointer", "host_function", "failed_call", "double_free", "leak"]
TPU = ["dtype", "lane", "section", "bank", "cache", "assertion"]


class Arguments(ctypes.Structure):
    """`arguments_t` of faults.c."""

    _fields_ = [("out", ctypes.c_uint64), ("input", ctypes.c_uint64)]


def bang_findings(kernel: str, source: str) -> list[Finding]:
    """What a kernel of faults.mlu or fixed.mlu breaks."""
    options = dict(SPECIAL.get(kernel, {}))
    if source == "fixed":
        options.pop("time_limit", None)  # it comes to its end, in its own time
    device = Device.load(options.pop("device", "mlu370-x4"))
    if "watched" in options:
        device = device.watched(options.pop("watched"))
    program = load([HERE / f"{source}{'_in_tiles' if 'retile' in options else ''}.mlu"], device=device)
    x = options.pop("x", np.zeros(257, np.float32)).copy()
    x.flags.writeable = kernel != "read_only"
    held = device.array(x) if kernel == "use_after_free" else None
    args = [held.address] if held else [x, *options.pop("further", [])]
    if source == "faults":
        del held
    if records := options.pop("records", 0):
        os.environ["MLUSIM_LOG_LIMIT"] = str(records)
    try:
        return report(program.launch(kernel, args=args, on_finding="collect", **options)).findings
    finally:
        os.environ.pop("MLUSIM_LOG_LIMIT", None)


def tpu_findings(kernel: str, source: str) -> list[Finding]:
    """What a kernel of faults.c or fixed.c breaks."""
    device = Device.load("bm1684x")
    out, given = (device.array(np.zeros(65536, np.float32)) for _ in range(2))
    program = load([HERE / f"{source}.c"], device=device)
    run = program.launch(kernel, args=Arguments(out.address, given.address), on_finding="collect")
    return report(run).findings


def cuda_findings(kernel: str, source: str) -> list[Finding]:
    """What a kernel of faults.cu or fixed.cu breaks, on one block of 128 threads."""
    program = load([HERE / f"{source}.cu"], device=Device.load("cuda-sm80"))
    return report(program.launch(kernel, 1, args=[np.zeros(128, np.float32)], block=128, on_finding="collect")).findings


def build_finding(name: str) -> Finding:
    """The finding of a source that does not compile."""
    try:
        load([HERE / f"{name}.mlu"], device=Device.load("mlu370-x4"))
    except BuildError as error:
        if error.finding is not None:
            return error.finding
    raise SystemExit(f"{name}.mlu compiles")


def host_findings(source: str) -> list[Finding]:
    """What the host code of host_faults.mlu or host_fixed.mlu breaks: programs with a main function."""
    device = Device.load("mlu370-x4")
    return HostProgram([HERE / f"host_{source}.mlu"], device=device).run().findings


def rules() -> list[str]:
    """Every rule that is broken here."""
    return [RULES.get(kernel, kernel) for kernel in (*BANG, *TPU, *CUDA, *HOST, "misfit")]


def all_findings(source: str) -> dict[str, Sequence[Finding]]:
    """What every kernel of faults.* or fixed.* breaks, by the rule that it is about."""
    found = {kernel: bang_findings(kernel, source) for kernel in BANG}
    found |= {kernel: tpu_findings(kernel, source) for kernel in TPU}
    found |= {kernel: cuda_findings(kernel, source) for kernel in CUDA}
    found["misfit"] = [build_finding("misfit")] if source == "faults" else bang_findings("misfit", source)
    found |= dict.fromkeys(HOST, host_findings(source))
    return {RULES.get(kernel, kernel): findings for kernel, findings in found.items()}


def findings() -> dict[str, Finding]:
    """Every rule with a finding."""
    return {
        rule: next(finding for finding in found if finding.rule == rule)
        for rule, found in all_findings("faults").items()
    }


if __name__ == "__main__":
    for rule, finding in findings().items():
        if rule in sys.argv[1:] or not sys.argv[1:]:
            print(str(finding).replace(f"{HERE.absolute()}/", "").replace(f"{HERE}/", ""), end="\n\n")
