"""The options of every command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ...isa import DIALECTS
from .options import (
    VALUES,
    Commands,
    Parser,
    add_device,
    add_findings,
    add_launch,
    add_outputs,
    add_sources,
    add_watching,
    later,
)
from .screen import Screen
from .time_options import calibrate, correlate, diff, replay, sweep, why


class _Version(argparse.Action):
    """Prints the version, which is looked up when it is asked for: that takes a while."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        print(f"mlusim {import_module('importlib.metadata').version('mlusim')}")
        parser.exit()


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command line, with the ``handler`` of its command; SystemExit when argparse refuses them."""
    parser = Parser("mlusim", description="Run accelerator kernels without the accelerator.")
    parser.json = "--json" in arguments
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    parsers = {
        "op": _op(commands), "run": _run(commands), "check": _check(commands), "build": _build(commands),
        "replay": replay(commands), "devices": _devices(commands), "isa": _isa(commands),
        "rules": _rules(commands), "doctor": _doctor(commands), "toolkit": _toolkit(commands),
        "cases": _cases(commands),
        "sweep": sweep(commands), "why": why(commands), "diff": diff(commands),
        "correlate": correlate(commands), "calibrate": calibrate(commands),
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
    """The words before a `--`, and those after it, which are the arguments of the program that is run."""
    words = list(arguments)
    if not {"run", "check"} & set(words[:2]) or "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


def _op(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "op",
        help="run an operator",
        description="Run an operator; without NAME, list the operators.",
        epilog="VALUE: a number, several as 1,2,3, inf, nan, true, false, none, a file such as x.npy, or text.",
    )
    command.set_defaults(handler=later("launch", "run_operator"))
    command.add_argument("name", metavar="NAME", nargs="?")
    command.add_argument("arguments", metavar="key=VALUE", nargs="*")
    command.add_argument("--out", type=Path, metavar="FILE.npy", help="write the result (several results: FILE.npz)")
    command.add_argument("--plan", action="store_true", help="show how an elementwise operator is carried out as well")
    command.add_argument(
        "--device", metavar="D", help="name or .toml file (default: one that the operator is made for)"
    )
    add_outputs(command)
    add_findings(command)
    add_watching(command)
    return command


def _run(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "run",
        help="run a program, or launch a kernel of a source file",
        usage="mlusim run FILE... [--kernel NAME [--arg VALUE...]] [options] [-- ARGUMENTS OF THE PROGRAM]",
        description="Build sources and run the program that they make; with --kernel, launch one of their kernels.",
        epilog=VALUES,
    )
    command.set_defaults(handler=_run_handler)
    add_sources(command)
    command.add_argument("--kernel", metavar="NAME", help="with template arguments if it is a template")
    add_launch(command)
    command.add_argument(
        "--save",
        action="append",
        default=[],
        metavar="N=FILE.npy",
        help="write array argument N (from 0, or its name) after the run",
    )
    add_device(command)
    add_outputs(command)
    add_findings(command)
    add_watching(command)
    return command


def _check(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "check",
        help="look for broken rules",
        usage="mlusim check FILE... [--kernel NAME [--arg VALUE...]] [options] [-- ARGUMENTS OF THE PROGRAM]",
        description="Run a kernel of source files, or a program (in Python, or sources with a main) with all that it "
        "launches, or look into a saved log, and report every broken rule; exit code 1 if there is any. Sources "
        "without a main are compiled where --kernel names none.",
        epilog=VALUES,
    )
    command.set_defaults(handler=later("check", "check"))
    add_sources(command, "kernel sources, programs in Python (.py), logs")
    command.add_argument("--kernel", metavar="NAME", help="with template arguments if it is a template")
    add_launch(command)
    add_device(command)
    add_findings(command)
    add_watching(command)
    return command


def _rules(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "rules",
        help="list the rules",
        description="List the rules that kernels can break; with ID, what one is about, broken and mended.",
    )
    command.set_defaults(handler=later("rules", "show_rules"))
    command.add_argument("name", metavar="ID", nargs="?")
    return command


def _run_handler(options: argparse.Namespace, screen: Screen) -> bool | int:
    """A kernel, or a program with a `main` of its own."""
    if options.kernel is not None:
        return later("launch", "run_kernel")(options, screen)
    return later("program", "run_program")(options, screen)


def _build(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "build",
        help="compile only",
        description="Compile sources; show their kernels and what of the on-chip memory they take.",
    )
    command.set_defaults(handler=later("build", "build"))
    add_sources(command)
    add_device(command)
    return command


def _devices(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "devices", help="list the devices", description="List the devices; with NAME, every number and its source."
    )
    command.set_defaults(handler=later("show", "devices"))
    command.add_argument("name", metavar="NAME", nargs="?", help="a built-in device, or a .toml file")
    return command


def _isa(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "isa", help="list the instructions", description="List the instructions; with NAME, its whole declaration."
    )
    command.set_defaults(handler=later("show", "isa"))
    command.add_argument("name", metavar="NAME", nargs="?")
    command.add_argument("--arch", type=int, metavar="N", help="only what exists and is in force on an architecture")
    command.add_argument("--dialect", choices=list(DIALECTS), help="(default: bang; of NAME, the one that has it)")
    command.add_argument("--markdown", action="store_true", help="write docs/isa.md")
    return command


def _doctor(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "doctor",
        help="look at this host",
        description="Show what of this host mlusim uses, and what a kernel is kept from.",
    )
    command.set_defaults(handler=later("doctor", "doctor"))
    return command


def _toolkit(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "toolkit",
        help="write an SDK to build projects with",
        description="Write a folder like the vendor's SDK: compiler, headers, libraries. With NEUWARE_HOME=DIR a "
        "project's own build makes programs that run on simulated devices.",
    )
    command.set_defaults(handler=later("program", "write_toolkit"))
    command.add_argument("folder", type=Path, metavar="DIR")
    add_device(command)
    return command


def _cases(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "cases",
        help="run test cases of an operator",
        usage="mlusim cases FILE... --sources SOURCE... --entry FUNCTION [--reference FILE:FUNCTION] [options]",
        description="Run test cases in protobuf's text format through an operator's own host code, and measure the "
        "results against a reference.",
        epilog="A reference in Python is called with the inputs by id, the numbers by name and outputs to fill; it "
        "returns the outputs, or an array for each in order. One in C or C++ is called by its declaration: pointers "
        "are tensors by id or in order, those to const the inputs; numbers go by name; x_count, x_dims and x_rank are "
        "the elements and the shape of tensor x.",
    )
    command.set_defaults(handler=later("cases", "cases"))
    add_sources(command, "test cases in protobuf's text format (.prototxt)")
    command.add_argument(
        "--sources", nargs="+", type=Path, required=True, metavar="SOURCE", help="kernels and host code of the operator"
    )
    command.add_argument("--entry", required=True, metavar="FUNCTION", help="the function of the host code to call")
    command.add_argument(
        "--reference", metavar="FILE:FUNCTION", help="a function that says what is right: Python (.py), C or C++"
    )
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
    add_device(command)
    return command
