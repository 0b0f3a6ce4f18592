"""The commands that run kernels: op, run."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import numpy as np

from ..findings import KernelError, MlusimError
from ..launches.device import Device
from ..launches.program import Program
from ..launches.repeats import Repeating, Repeats, repeats_of, splits_of
from ..launches.run import Run
from ..launches.watchers import Launches, watchers
from ..text import nearest
from .build import compile_options
from .outputs import report_run
from .paths import check_paths
from .screen import Screen
from .values import (
    array_files,
    dimensions,
    expected_arrays,
    kernel_arguments,
    operator_arguments,
    operator_signature,
    pairs,
)

#: What stands before a commit where files of another version may be named.
_COMMIT = "git:"


def run_operator(options: argparse.Namespace, screen: Screen) -> bool:
    """Run an operator of `mlusim.kernels`; without a name, list them."""
    from ...kernels import DEFAULT_DEVICES, OPERATORS, PLANNED  # other commands need not wait for them

    if not options.name:
        return _list_operators(screen)
    if options.name not in OPERATORS:
        raise ValueError(
            f"no operator {options.name!r}{nearest(options.name, OPERATORS)}; the operators are:\n"
            + "\n".join(f"  {operator_signature(name, function)}" for name, function in OPERATORS.items())
        )
    function = OPERATORS[options.name]
    if options.plan and options.name not in PLANNED:
        raise ValueError(f"{options.name} has no plan; elementwise operators such as add have one")
    arguments = operator_arguments(options.name, function, options.arguments)
    wanted = options.device or DEFAULT_DEVICES[options.name]
    device = watched(options, wanted)
    given = [value for _, equals, value in (text.partition("=") for text in options.arguments) if equals]
    check_paths(
        options.out, options.trace, options.report, options.log, options.output, read=[wanted, *array_files(given)]
    )
    try:
        launches = Launches(repeats=asked_repeats(options))
        asked = watchers(os.getpid()).watching(launches)
        with screen.busy(f"running {options.name} on {device.name}"), asked:
            run = function(device, **arguments, on_finding=_on_finding(options))
        say_tried(launches, screen)
    except KernelError as error:
        say_tried(launches, screen)
        if error.run is None:
            raise
        return report_run(options, screen, error.run, {}, {})
    results = _results(run.output)
    saved = {options.out: tuple(results)} if options.out and results else {}
    if saved and len(results) > 1 and options.out.suffix != ".npz":
        listed = ", ".join(results)
        raise ValueError(f"cannot write {options.out}: {options.name} has the results {listed}; name a .npz file")
    return report_run(options, screen, run, results, saved)


def run(options: argparse.Namespace, screen: Screen) -> bool | int:
    """Launch a kernel, or run a program with a `main` of its own."""
    if options.kernel is not None:
        return run_kernel(options, screen)
    from .program import run_program  # kernels alone need none of it

    return run_program(options, screen)


def run_kernel(options: argparse.Namespace, screen: Screen) -> bool:
    """Launch a kernel of source files."""
    device = watched(options, options.device)
    values = kernel_arguments(options.arg)
    arrays = {f"argument {name}": value for name, value in _arrays(values)}
    with screen.busy(f"building {' '.join(map(str, options.files))}"):
        program = Program(options.files, compile_options(options), device)
    saved = _saved(options.save, arrays, [] if isinstance(values, dict) else program.parameters(options.kernel))
    check_paths(*saved, options.trace, options.report, options.log, options.output, read=files_read(options))
    try:
        run = start_kernel(options, screen, program, values, _on_finding(options))
    except KernelError as error:
        if error.run is None:
            raise
        run, arrays, saved = error.run, {}, {}
    if asked_repeats(options):
        screen.say(f"kernel {options.kernel}: {run.variants.tried}")
    return report_run(options, screen, run, arrays, saved)


def files_read(options: argparse.Namespace) -> list[Path | str]:
    """The files that a launch of a kernel is made from."""
    named = array_files([*options.arg, *options.expect])
    versions = [path for path in options.against if not str(path).startswith(_COMMIT)]
    return [*options.files, *versions, options.device, *named]


def watched(options: argparse.Namespace, name: str) -> Device:
    """The device of a name with the checks that the options ask for; ValueError for a limit that is none."""
    limit = options.precise_limit
    if limit is not None and not 0 <= limit < float("inf"):
        raise ValueError(f"--precise-limit is {limit}; pass a relative error, such as 1e-3")
    device = Device.load(name).checked(options.checks)
    precise = options.precise or limit is not None
    if not options.values and not precise:
        return device
    from ..checks.at_issue.standard import optional  # other launches run in a process that imports the checks itself

    asked = [optional("values")] if options.values else []
    return device.watched(*asked, *([optional("precise", limit=limit)] if precise else []))


def asked_repeats(options: argparse.Namespace) -> Repeats:
    """What launches are to be compared with; ValueError for what says nothing sensible."""
    given = {name: getattr(options, name, None) for name in Repeating.__annotations__}
    given["resplit"] = splits_of(options.resplit or "", "--resplit") or None
    return repeats_of(cast(Repeating, {name: value for name, value in given.items() if value not in (None, False)}))


def say_tried(launches: Launches, screen: Screen) -> None:
    """What the launches of each kernel were compared with."""
    for kernel, tried in launches.tried.items():
        screen.say(f"{kernel}: {tried}")


def _asked(repeats: Repeats) -> dict[str, Any]:
    return {field.name: getattr(repeats, field.name) for field in fields(repeats)}


def start_kernel(
    options: argparse.Namespace, screen: Screen, program: Program, values: Sequence[Any] | Mapping[str, Any],
    on_finding: str,
) -> Run:  # fmt: skip
    """Launch the kernel that the options name."""
    if options.optimize:
        raise ValueError("-O is of host code; leave it out, or name no kernel")
    expect = expected_arrays(options.expect, _by_name(program, options.kernel, values)) if options.expect else {}
    if options.against:
        expect = _left_by(options, screen, program, values) | expect
    with screen.progress(f"running {options.kernel} on {program.device.name}") as progress:
        return _launched(
            options, program, values, on_finding=on_finding, progress=progress, expect=expect or None,
            tolerance=options.tolerance, **_asked(asked_repeats(options)),
        )  # fmt: skip


def _by_name(program: Program, kernel: str, values: Sequence[Any] | Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a launch by the names of the kernel's parameters."""
    return values if isinstance(values, Mapping) else dict(zip(program.parameters(kernel), values, strict=False))


def _launched(options: argparse.Namespace, program: Program, values: Any, **more: Any) -> Run:
    dim = dimensions(options.dim) if options.dim else None
    block = dimensions(options.block, "--block") if options.block else None
    return program.launch(
        options.kernel, dim, options.type, values, block=block, shared=options.shared, time_limit=options.time_limit,
        isolate=not options.no_isolate, **more,
    )  # fmt: skip


def _left_by(
    options: argparse.Namespace, screen: Screen, program: Program, values: Sequence[Any] | Mapping[str, Any]
) -> dict[str | int, np.ndarray]:
    """What another version of the kernel, or a function for the host with its parameters, leaves in its arrays.

    ValueError if it fails.
    """
    given, other = deepcopy(values), " ".join(map(str, options.against))
    try:
        with screen.busy(f"running {options.kernel} of {other}"), _other_version(options, other) as version:
            reference = Program(version.files, compile_options(version), program.device)
            if reference.defines(options.kernel):
                _launched(options, reference, given)
            else:
                limit, isolate = options.time_limit, not options.no_isolate
                reference.launch_reference(options.kernel, program, given, time_limit=limit, isolate=isolate)
    except (MlusimError, ValueError) as error:
        raise ValueError(f"--against {other}: {error}") from None
    left: dict[str | int, np.ndarray] = dict(_arrays(given))
    return left


def _other_version(options: argparse.Namespace, other: str) -> AbstractContextManager[argparse.Namespace]:
    """The options with the files of another version: those that are named, or the same ones in a commit."""
    if other.startswith(_COMMIT):
        from .revision import at_revision  # which few launches need

        return at_revision(options, other.removeprefix(_COMMIT))
    return nullcontext(argparse.Namespace(**{**vars(options), "files": options.against}))


def _list_operators(screen: Screen) -> bool:
    from ...kernels import OPERATORS

    rows = [
        {
            "name": name,
            "doc": (function.__doc__ or "").partition("\n")[0].replace("``", ""),
            "usage": operator_signature(name, function),
        }
        for name, function in OPERATORS.items()
    ]
    if screen.json:
        screen.document({"operators": rows})
        return True
    for row in rows:
        screen.line(row["name"], "bold")
        screen.line(f"  {row['doc']}")
        screen.line(f"  {row['usage']}")
    return True


def _results(output: Any) -> dict[str, np.ndarray]:
    """The arrays that an operator gave, by the name that reports give them: one, or those of a named tuple."""
    if output is None:
        return {}
    return output._asdict() if isinstance(output, tuple) else {"result": output}  # type: ignore[attr-defined]


def _on_finding(options: argparse.Namespace) -> str:
    return "collect" if options.collect else "raise"


def _arrays(values: Sequence[Any] | Mapping[str, Any], within: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """The arrays among arguments, and among the members of structures, by names or numbers: ``0``, ``args.out``."""
    for name, value in values.items() if isinstance(values, Mapping) else enumerate(values):
        if isinstance(value, np.ndarray):
            yield f"{within}{name}", value
        elif isinstance(value, Mapping):
            yield from _arrays(value, f"{within}{name}.")


def _saved(texts: list[str], arrays: Mapping[str, np.ndarray], parameters: Sequence[str]) -> dict[Path, tuple[str]]:
    """The files of --save with the names of the arguments that go there; ValueError for what is no array.

    ``parameters`` are the names of arguments that are given in order.
    """
    found = {}
    for given, path in pairs(texts, "0=out.npy").items():
        first, dot, member = given.partition(".")
        number = str(parameters.index(first)) if first in parameters else first
        name = f"argument {number}{dot}{member}"
        if name not in arrays:
            listed = ", ".join(n.removeprefix("argument ") for n in arrays) or "none"
            raise ValueError(f"--save {given}={path}: argument {given} is no array; the arrays are {listed}")
        if Path(path) in found:
            raise ValueError(f"two outputs have the path {path}; pass two paths")
        found[Path(path)] = (name,)
    return found
