"""Options that several commands have, and what parsers are made of."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from ..checks.at_issue import LEVELS
from ..chip.launch_kinds import KINDS
from ..findings.reports.formats import FORMATS
from .screen import Screen

DEVICE = "mlu370-x4"
VALUES = (
    "VALUE: a number, inf, nan, true, false, none (null), a file such as x.npy (copied to the device and back), or "
    "zeros:float32:64x1024; all in the order of the parameters, or all with their names: n=8192. What starts with a "
    "minus and is no plain number is written --arg=-inf."
)
Commands = argparse._SubParsersAction  # argparse has no public name for it


class Parser(argparse.ArgumentParser):
    """A parser whose refusals are messages of ours, and a document with --json; names are written in full."""

    json = False

    def __init__(self, *names: Any, **options: Any) -> None:
        super().__init__(*names, **{**options, "allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, how it is used, and end with the code of wrong use."""
        self.print_usage(sys.stderr)
        Screen(self.prog.removeprefix("mlusim").strip(), json=self.json).fail(message)
        self.exit(2)


def later(module: str, name: str) -> Callable[[argparse.Namespace, Screen], bool | int]:
    """A handler whose module is imported when its command runs: the others need not wait for it."""

    def handler(options: argparse.Namespace, screen: Screen) -> bool | int:
        command = getattr(import_module(f".{module}", __package__), name)
        if not gc.isenabled():  # what was imported is no garbage: collections pass over it from now on
            gc.freeze()
            gc.enable()
        done: bool | int = command(options, screen)
        return done

    return handler


def add_rates(command: Parser) -> None:
    command.add_argument("--device", metavar="D", help="a device with the shape of the log's, or its .toml file")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="change a rate, such as channels.dram.gb_per_s=600 (`mlusim devices D` names them)",
    )


def add_launch(command: Parser) -> None:
    command.add_argument("--dim", metavar="X,Y,Z", help="number of tasks (default: what the device's kernels expect)")
    command.add_argument("--block", metavar="X,Y,Z", help="threads of each of the --dim blocks of a CUDA kernel")
    command.add_argument("--shared", type=int, default=0, metavar="BYTES", help="dynamic shared memory of each block")
    kinds = ", ".join(KINDS)
    command.add_argument("--type", choices=tuple(KINDS), metavar="TYPE", help=f"how tasks are grouped: {kinds}")
    command.add_argument(
        "--arg", nargs="+", action="extend", default=[], metavar="VALUE", help="the arguments of the kernel"
    )
    command.add_argument(
        "--orders",
        type=int,
        default=0,
        metavar="N",
        help="run it N times more, in other orders of its tasks, and compare",
    )
    command.add_argument(
        "--expect", nargs="+", action="extend", default=[], metavar="NAME=FILE.npy",
        help="what an argument holds when all is right, by name or number; what is wrong is traced back",
    )  # fmt: skip
    command.add_argument(
        "--against", type=Path, metavar="FILE",
        help="a source with another version of the kernel: arrays are to hold what it leaves in them",
    )  # fmt: skip
    command.add_argument(
        "--tolerance", type=float, metavar="E", help="relative difference from it (default: half of the digits)"
    )
    command.add_argument("--time-limit", type=float, metavar="S", help="end the kernel after S seconds")
    command.add_argument("--no-isolate", action="store_true", help="run in this process, for a debugger")


def add_findings(command: Parser) -> None:
    command.add_argument(
        "--checks",
        choices=LEVELS,
        default=LEVELS[0],
        help="all (default); fast: not what the order of accesses breaks; none: only what cannot be carried out",
    )
    command.add_argument(
        "--format", choices=FORMATS, help=f"write the findings, and nothing else, as {', '.join(FORMATS)}"
    )
    command.add_argument("--output", type=Path, metavar="FILE", help="write the findings there, besides the usual")
    command.add_argument(
        "--suppressions", type=Path, action="append", default=[], metavar="FILE", help="findings that may stay, and why"
    )


def add_watching(command: Parser) -> None:
    command.add_argument("--values", action="store_true", help="report NaN born, division by zero, saturation")
    command.add_argument("--precise", action="store_true", help="carry float64 beside all floats; report lost digits")
    command.add_argument(
        "--precise-limit", type=float, metavar="E", help="relative error to report (default: half of the digits)"
    )


def add_sources(command: Parser, files: str = "kernel sources") -> None:
    command.add_argument("files", nargs="+", type=Path, metavar="FILE", help=files)
    command.add_argument(
        "-I", dest="include", action="append", default=[], type=Path, metavar="DIR", help="look for headers in DIR"
    )
    command.add_argument(
        "-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro"
    )
    command.add_argument(
        "-include",
        dest="headers",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="include FILE before each source",
    )
    command.add_argument("-std", metavar="STANDARD", help="the language standard, such as c++20 (default: c++17)")


def add_device(command: Parser) -> None:
    command.add_argument("--device", default=DEVICE, metavar="D", help=f"name or .toml file (default: {DEVICE})")


def add_outputs(command: Parser) -> None:
    add_trace(command)
    command.add_argument("--log", type=Path, metavar="FILE.mlulog", help="write the log, for `mlusim replay`")
    command.add_argument("--collect", action="store_true", help="go on after an error where possible, report all")


def add_trace(command: Parser) -> None:
    command.add_argument("--trace", type=Path, metavar="FILE.json", help="write a trace for https://ui.perfetto.dev")
