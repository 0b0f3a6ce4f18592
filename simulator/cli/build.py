"""The command that compiles kernels: build."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from ..kernelc.options import Options
from ..launches import Program
from ..launches.device import Device
from ..text import percent, size
from .screen import Screen


def build(options: argparse.Namespace, screen: Screen) -> bool:
    """Compile source files; show their kernels and what of the on-chip memory they take."""
    device = Device.load(options.device)
    with screen.busy(f"building {' '.join(map(str, options.files))}"):
        program = load_program(options, options.files, device)
    budget = program.budget.values()
    if screen.json:
        rows = [{"space": b.space, "declared": b.declared, "limit": b.limit, "reserved": b.reserved} for b in budget]
        kernels, signatures = program.kernels, program.signatures
        screen.document({"device": device.name, "kernels": kernels, "signatures": signatures, "budget": rows})
        return True
    screen.table([(f"KERNELS FOR {device.name}", False)], ([shown] for shown in program.signatures.values()))
    if not budget:
        return True
    screen.line()
    screen.table(
        [("ON-CHIP MEMORY", False), ("declared", True), ("limit", True), ("used", True)],
        (
            (b.space.upper(), size(b.declared), size(b.limit), percent(b.declared / b.limit) if b.limit else "")
            for b in budget
        ),
    )
    for b in budget:
        if b.declared > b.limit - b.reserved:
            left, kept = size(b.limit - b.declared), size(b.reserved)
            screen.line(f"{b.space.upper()}: {left} left; by convention kernels leave {kept} to the compiler")
    return True


def load_program(options: argparse.Namespace, files: Sequence[Path], device: Device) -> Program:
    """The program of some sources."""
    return Program(files, Options.of(options.include, options.define, options.headers, options.std), device)
