"""The command that compiles kernels: build."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from ..findings import BuildError
from ..kernelc.inputs import KERNELS
from ..kernelc.options import Options
from ..launches.compiled import CompiledSources
from ..launches.device import Device
from ..text import percent, size
from .screen import Screen


def build(options: argparse.Namespace, screen: Screen) -> bool:
    """Compile source files; show their kernels and what of the on-chip memory they take."""
    device = Device.load(options.device)
    silent: list[Path] = []  # whose launches are unknown
    with screen.busy(f"building {' '.join(map(str, options.files))}"):
        program = CompiledSources(
            options.files, compile_options(options), device,
            launched=lambda path: _launched(options, path, device, silent),
        )  # fmt: skip
    compiled = program.instances
    templates = [name for name in program.kernels if name.endswith("<...>")]
    left = [name for name in templates if not any(i.startswith(name.removesuffix("...>")) for i in compiled)]
    budget = program.budget.values()
    if screen.json:
        rows = [{"space": b.space, "declared": b.declared, "limit": b.limit, "reserved": b.reserved} for b in budget]
        kernels, signatures = program.kernels, program.signatures
        about = {"device": device.name, "kernels": kernels, "signatures": signatures, "budget": rows}
        screen.document(about | {"instances": compiled, "not_compiled": left})
        return True
    screen.table([(f"KERNELS FOR {device.name}", False)], ([shown] for shown in program.signatures.values()))
    _tell_templates(screen, compiled, left, silent)
    if not budget:
        return True
    screen.line()
    screen.table(
        [("ON-CHIP MEMORY", False), ("at file scope", True), ("limit", True), ("used", True)],
        (
            (b.space.upper(), size(b.declared), size(b.limit), percent(b.declared / b.limit) if b.limit else "")
            for b in budget
        ),
    )
    for b in budget:
        if b.declared > b.limit - b.reserved:
            rest, kept = size(b.limit - b.declared), size(b.reserved)
            screen.line(f"{b.space.upper()}: {rest} left; by convention kernels leave {kept} to the compiler")
    return True


def _launched(options: argparse.Namespace, path: Path, device: Device, silent: list[Path]) -> list[str]:
    """The instances that a source launches; one whose host code does not compile by itself joins the silent ones."""
    from ..host.programs.build import launched_instances  # a source without templates need not wait for it

    try:
        return launched_instances(path, compile_options(options), device) if path.suffix in KERNELS else []
    except BuildError:
        silent.append(path)
        return []


def _tell_templates(screen: Screen, compiled: Sequence[str], left: Sequence[str], silent: Sequence[Path]) -> None:
    """Which instances of templates have been compiled, and which templates have not."""
    if compiled:
        screen.line(f"compiled, as host code launches them: {', '.join(compiled)}")
    if left:
        names = ", ".join(name.removesuffix("<...>") for name in left)
        screen.line(f"not compiled, since nothing here launches them: {names}; a launch by name compiles its instance")
    for path in silent:
        screen.line(f"the host code of {path} does not compile by itself, so that its launches are not known")


def compile_options(options: argparse.Namespace) -> Options:
    """How the sources of a command line are compiled."""
    return Options.of(options.include, options.define, options.headers, options.std)
