"""The options of every command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

from ...isa import DIALECTS
from ..execution.tasks import TYPES
from . import doctor, launch, replay, show
from .screen import Screen

_DEVICE = "mlu370-x4"
_CORES = os.cpu_count() or 1


class _Parser(argparse.ArgumentParser):
    """A parser whose refusals are messages of ours, and a document with --json; names are written in full."""

    json = False

    def __init__(self, *names: Any, **options: Any) -> None:
        super().__init__(*names, **{**options, "allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, how it is used, and end with the code of wrong use."""
        self.print_usage(sys.stderr)
        Screen(self.prog.removeprefix("mlusim").strip(), json=self.json).fail(message)
        self.exit(2)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line, with the ``handler`` of its command; SystemExit when argparse refuses them."""
    parser = _Parser("mlusim", description="Run accelerator kernels without the accelerator.")
    parser.json = "--json" in arguments
    parser.add_argument("--version", action="version", version=f"mlusim {version('mlusim')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    parsers = {
        "op": _op(commands), "run": _run(commands), "build": _build(commands),
        "replay": _replay(commands), "devices": _devices(commands), "isa": _isa(commands),
        "doctor": _doctor(commands), "toolkit": _toolkit(commands), "cases": _cases(commands),
        "sweep": _sweep(commands), "why": _why(commands), "diff": _diff(commands),
        "correlate": _correlate(commands), "calibrate": _calibrate(commands),
    }  # fmt: skip
    for command in parsers.values():
        command.json = parser.json
        command.add_argument("--json", action="store_true", help="write one JSON document instead of tables")
    given, own = _own_arguments(arguments)
    options, rest = parser.parse_known_args(given)
    options.own_arguments = own
    if options.command in ("op", "sweep"):  # argparse takes no name=value after an option
        options.arguments += [text for text in rest if not text.startswith("-")]
        rest = [text for text in rest if text.startswith("-")]
    if rest:
        parsers[options.command].error(f"unrecognized arguments: {' '.join(rest)}")
    return options


def _own_arguments(arguments: Sequence[str]) -> tuple[Sequence[str], list[str]]:
    """The words before a `--`, and those after it, which are the arguments of the program that `run` runs."""
    words = list(arguments)
    if "run" not in words[:2] or "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def _later(module: str, name: str) -> Callable[[argparse.Namespace, Screen], bool | int]:
    """A handler whose module is imported when its command runs: the others need not wait for it."""

    def handler(options: argparse.Namespace, screen: Screen) -> bool | int:
        done: bool | int = getattr(import_module(f".{module}", __package__), name)(options, screen)
        return done

    return handler


_Commands = argparse._SubParsersAction  # argparse has no public name for it


def _op(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "op",
        help="run an operator",
        description="Run an operator; without NAME, list the operators.",
        epilog="VALUE: a number, several as 1,2,3, inf, nan, true, false, none, a file such as x.npy, or text.",
    )
    command.set_defaults(handler=launch.run_operator)
    command.add_argument("name", metavar="NAME", nargs="?")
    command.add_argument("arguments", metavar="key=VALUE", nargs="*")
    command.add_argument("--out", type=Path, metavar="FILE.npy", help="write the result (several results: FILE.npz)")
    command.add_argument("--plan", action="store_true", help="show how an elementwise operator is carried out as well")
    command.add_argument(
        "--device", metavar="D", help="name or .toml file (default: one that the operator is made for)"
    )
    _add_outputs(command)
    return command


def _run(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "run",
        help="run a program, or launch a kernel of a source file",
        usage="mlusim run FILE... [--kernel NAME [--arg VALUE...]] [options] [-- ARGUMENTS OF THE PROGRAM]",
        description="Build sources and run the program that they make; with --kernel, launch one of their kernels.",
        epilog="VALUE: a number, inf, nan, true, false, none (null), a file such as x.npy (copied to the device and "
        "back), or zeros:float32:64x1024. What starts with a minus and is no plain number is written --arg=-inf.",
    )
    command.set_defaults(handler=_run_handler)
    _add_sources(command)
    command.add_argument("--kernel", metavar="NAME", help="with template arguments if it is a template")
    command.add_argument("--dim", metavar="X,Y,Z", help="number of tasks (default: what the device's kernels expect)")
    command.add_argument("--block", metavar="X,Y,Z", help="threads of each of the --dim blocks of a CUDA kernel")
    command.add_argument("--shared", type=int, default=0, metavar="BYTES", help="dynamic shared memory of each block")
    command.add_argument("--type", choices=TYPES, metavar="TYPE", help=f"how tasks are grouped: {', '.join(TYPES)}")
    command.add_argument(
        "--arg", nargs="+", action="extend", default=[], metavar="VALUE", help="the arguments of the kernel, in order"
    )
    command.add_argument(
        "--save",
        action="append",
        default=[],
        metavar="N=FILE.npy",
        help="write array argument N (from 0) after the run",
    )
    command.add_argument("--time-limit", type=float, metavar="S", help="end the kernel after S seconds")
    command.add_argument("--no-isolate", action="store_true", help="run in this process, for a debugger")
    _add_device(command)
    _add_outputs(command)
    return command


def _run_handler(options: argparse.Namespace, screen: Screen) -> bool | int:
    """A kernel, or a program with a `main` of its own."""
    if options.kernel is not None:
        return launch.run_kernel(options, screen)
    return _later("program", "run_program")(options, screen)


def _build(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "build",
        help="compile only",
        description="Compile sources; show their kernels and what of the on-chip memory they take.",
    )
    command.set_defaults(handler=launch.build)
    _add_sources(command)
    _add_device(command)
    return command


def _replay(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "replay",
        help="time a saved log again",
        description="Time a saved log at the rates of its device, of another with the same shape, or at changed rates.",
    )
    command.set_defaults(handler=replay.replay_log)
    command.add_argument("log_file", type=Path, metavar="LOG", help="a file made with --log")
    _add_rates(command)
    _add_trace(command)
    return command


def _sweep(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "sweep",
        help="simulate many variants",
        description="Simulate every combination of values: rates and devices of a saved log or of an operator, and the "
        "operator's parameters. A sweep that was interrupted goes on where it was.",
        epilog="Values stand with commas between them: --set channels.dram.gb_per_s=300,600 steps=1024,2048",
    )
    command.set_defaults(handler=_later("sweep", "sweep"))
    command.add_argument("target", metavar="TARGET", help="a file made with --log, or the name of an operator")
    command.add_argument("arguments", metavar="key=V,V", nargs="*", help="parameters of the operator")
    command.add_argument(
        "--device", action="append", metavar="D,D", help="devices (default: the log's, the operator's)"
    )
    command.add_argument("--set", action="append", default=[], metavar="NAME=V,V", help="values of a rate")
    command.add_argument("--out", type=Path, metavar="FILE", help="write the table: .csv or .parquet")
    command.add_argument("--plot", type=Path, metavar="FILE", help="draw the times: .png or .svg")
    command.add_argument("--workers", type=int, default=_CORES, metavar="N", help=f"processes (default: {_CORES})")
    command.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, such as tcp://host:8786")
    return command


def _why(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "why",
        help="say why a run is slow",
        description="The critical path of a saved log, its pipes and lines, how near it comes to the device's peaks, "
        "and what would make it faster: each cause of waiting is taken away in turn and the log timed again.",
    )
    command.set_defaults(handler=_later("why", "why"))
    command.add_argument("log_file", type=Path, metavar="LOG", help="a file made with --log")
    command.add_argument("--baseline-us", type=float, metavar="US", help="a time to compare with, in microseconds")
    _add_rates(command)
    return command


def _diff(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "diff",
        help="compare two logs",
        description="What takes longer in the second of two saved logs, by pipe and by line, and what held it up.",
    )
    command.set_defaults(handler=_later("why", "diff"))
    command.add_argument("before", type=Path, metavar="A", help="a file made with --log")
    command.add_argument("after", type=Path, metavar="B", help="another one")
    _add_rates(command)
    return command


def _correlate(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "correlate",
        help="compare with measured times",
        description="Simulate the cases of a table of measured times; show how far off the simulator is.",
    )
    command.set_defaults(handler=_later("accuracy", "correlate_table"))
    _add_table(command)
    command.add_argument(
        "--no-left-out",
        action="store_true",
        help="do not fit the rates without each case in turn, which takes time",
    )
    return command


def _calibrate(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "calibrate",
        help="fit rates to measured times",
        description="Fit the free rates of the devices of a table of measured times, one number for all devices of a "
        "family; without --fit, those that cases.toml names.",
    )
    command.set_defaults(handler=_later("accuracy", "calibrate_table"))
    _add_table(command)
    command.add_argument(
        "--fit", action="append", default=[], metavar="[FAMILY:]NAME", help="a free rate, such as launch.overhead_us"
    )
    command.add_argument("--out", type=Path, metavar="DIR", help="write the device files with the fitted rates there")
    return command


def _add_table(command: _Parser) -> None:
    command.add_argument("table", type=Path, metavar="TABLE", help="a .csv file of measured times")
    command.add_argument("--kernels", type=Path, metavar="DIR", help="kernels and their cases.toml (default: our own)")
    command.add_argument("--plot", type=Path, action="append", default=[], metavar="FILE", help=".png, .svg or .html")
    command.add_argument("--markdown", type=Path, metavar="FILE.md", help="write the report")


def _devices(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "devices", help="list the devices", description="List the devices; with NAME, every number and its source."
    )
    command.set_defaults(handler=show.devices)
    command.add_argument("name", metavar="NAME", nargs="?", help="a built-in device, or a .toml file")
    return command


def _isa(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "isa", help="list the instructions", description="List the instructions; with NAME, its whole declaration."
    )
    command.set_defaults(handler=show.isa)
    command.add_argument("name", metavar="NAME", nargs="?")
    command.add_argument("--arch", type=int, metavar="N", help="only what exists and is in force on an architecture")
    command.add_argument("--dialect", choices=list(DIALECTS), help="(default: bang; of NAME, the one that has it)")
    command.add_argument("--markdown", action="store_true", help="write docs/isa.md")
    return command


def _doctor(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "doctor",
        help="look at this host",
        description="Show what of this host mlusim uses, and what a kernel is kept from.",
    )
    command.set_defaults(handler=doctor.doctor)
    return command


def _toolkit(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "toolkit",
        help="write an SDK to build projects with",
        description="Write a folder like the vendor's SDK: compiler, headers, libraries. With NEUWARE_HOME=DIR a "
        "project's own build makes programs that run on simulated devices.",
    )
    command.set_defaults(handler=_later("program", "write_toolkit"))
    command.add_argument("folder", type=Path, metavar="DIR")
    _add_device(command)
    return command


def _cases(commands: _Commands[_Parser]) -> _Parser:
    command = commands.add_parser(
        "cases",
        help="run test cases of an operator",
        usage="mlusim cases FILE... --sources SOURCE... --entry FUNCTION [--reference FILE.py:FUNCTION] [options]",
        description="Run test cases in protobuf's text format through an operator's own host code, and measure the "
        "results against a reference.",
        epilog="A reference is called with the inputs by id, the numbers by name and outputs to fill; it returns the "
        "outputs, or an array for each in order.",
    )
    command.set_defaults(handler=_later("cases", "cases"))
    _add_sources(command)
    command.add_argument(
        "--sources", nargs="+", type=Path, required=True, metavar="SOURCE", help="kernels and host code of the operator"
    )
    command.add_argument("--entry", required=True, metavar="FUNCTION", help="the function of the host code to call")
    command.add_argument("--reference", metavar="FILE.py:FUNCTION", help="a Python function that says what is right")
    command.add_argument(
        "--arguments",
        metavar="FILE.py:FUNCTION",
        help="a Python function that makes the arguments of the call by name, from inputs, outputs and numbers",
    )
    command.add_argument(
        "--bind", action="append", default=[], metavar="NAME=PARAMETER", help="which parameter something is for"
    )
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PARAMETER=VALUE",
        help="a number or name that the cases do not give",
    )
    command.add_argument("--junit", type=Path, metavar="FILE.xml", help="write the results as JUnit")
    _add_device(command)
    return command


def _add_rates(command: _Parser) -> None:
    command.add_argument("--device", metavar="D", help="a device with the shape of the log's, or its .toml file")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="change a rate, such as channels.dram.gb_per_s=600 (`mlusim devices D` names them)",
    )


def _add_sources(command: _Parser) -> None:
    command.add_argument("files", nargs="+", type=Path, metavar="FILE", help="kernel sources")
    command.add_argument(
        "-I", dest="include", action="append", default=[], metavar="DIR", help="look for headers in DIR"
    )
    command.add_argument(
        "-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro"
    )
    command.add_argument(
        "-include", dest="headers", action="append", default=[], metavar="FILE", help="include FILE before each source"
    )
    command.add_argument("-std", metavar="STANDARD", help="the language standard, such as c++20 (default: c++17)")


def _add_device(command: _Parser) -> None:
    command.add_argument("--device", default=_DEVICE, metavar="D", help=f"name or .toml file (default: {_DEVICE})")


def _add_outputs(command: _Parser) -> None:
    _add_trace(command)
    command.add_argument("--log", type=Path, metavar="FILE.mlulog", help="write the log, for `mlusim replay`")
    command.add_argument("--collect", action="store_true", help="go on after an error where possible, report all")


def _add_trace(command: _Parser) -> None:
    command.add_argument("--trace", type=Path, metavar="FILE.json", help="write a trace for https://ui.perfetto.dev")
