"""A source on four cores, and on the host."""

from __future__ import annotations

import ctypes
import random
import subprocess
from pathlib import Path

import numpy as np
from mlusim.simulator import Device, KernelError, load

from .generate import SLICE, SUMS, TASKS, source

_HOST = ("-std=c++17", "-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-fwrapv", "-w", "-shared", "-fPIC")


def differences(seed: int, folder: Path, device: Device, kernels: int = 8) -> list[str]:
    """Where the kernels of a seed do something else than their text on the host."""
    kernel, host, library = folder / "k.mlu", folder / "host.cpp", folder / f"host{seed}.so"
    kernel.write_text(source(random.Random(seed), kernels, False), encoding="utf-8")
    host.write_text(source(random.Random(seed), kernels, True), encoding="utf-8")
    subprocess.run(["g++", *_HOST, "-o", str(library), str(host)], check=True)
    reference, program = ctypes.CDLL(str(library)), load([kernel], device=device)
    texts = []
    for n in range(kernels):
        rng = np.random.default_rng([seed, n])
        given = rng.integers(0, 1 << 20, TASKS * SLICE).astype(np.uint32), rng.integers(0, 9, SUMS).astype(np.uint32)
        expected, found = [a.copy() for a in given], [a.copy() for a in given]
        getattr(reference, f"k{n}")(*(ctypes.c_void_p(a.ctypes.data) for a in expected))
        try:
            run = program.launch(f"k{n}", (TASKS, 1, 1), "union1", args=found)
        except KernelError as error:
            texts.append(f"k{n}: {error}")
            continue
        texts += [f"k{n}: {finding}" for finding in run.findings if finding.severity == "error"]
        for name, mine, right in zip(("x", "sums"), found, expected, strict=True):
            wrong = np.flatnonzero(mine != right)
            if wrong.size:
                at = int(wrong[0])
                texts.append(f"k{n}: {name}[{at}] is {mine[at]}, not {right[at]}; {wrong.size} differ")
    return texts
