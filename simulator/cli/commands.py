"""Every command with its options: one table.

An option is written as it is used: ``--device D``; ``--collect`` (a switch); ``--checks {all,fast}`` (one of these);
``FILE+`` (one or more), ``NAME?`` (one or none), ``key=VALUE*`` (any number). An option that ends in ``*`` may be given
several times, one that ends in ``+`` takes several values at a time as well. Behind it stand its help, its type, and
what else argparse is to know.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...isa import DIALECTS
from ..checks.at_issue.checking import LEVELS
from ..chip.launch_kinds import KINDS
from ..findings.reports.formats import FORMATS

DEVICE = "mlu370-x4"
_CORES = os.cpu_count() or 1


@dataclass(frozen=True)
class Option:
    """One option or positional argument of a command."""

    usage: str
    help: str
    type: type = str
    more: Mapping[str, Any] = field(default_factory=dict)
    group: str = ""  #: what help lists it under

    @property
    def settings(self) -> tuple[str, dict[str, Any]]:
        """The flag, or the name of a positional argument, and the keywords that argparse takes."""
        flag, _, value = self.usage.rpartition(" ")
        if not flag and value.startswith("-"):
            return value, {"action": "store_true", "help": self.help}
        name = value.rstrip("*+?")
        several = value[len(name) :]
        found: dict[str, Any] = {"metavar": name, "help": self.help, "type": self.type}
        if name.startswith("{"):
            found |= {"metavar": None, "choices": name.strip("{}").split(",")}
        if not flag:
            return name.lower(), found | ({"nargs": several} if several else {}) | dict(self.more)
        if several:
            found |= {"action": "append" if several == "*" else "extend", "default": []}
        return flag, found | ({"nargs": "+"} if several == "+" else {}) | dict(self.more)


def _option(usage: str, help: str, type: type = str, **more: Any) -> Option:
    return Option(usage, help, type, more)


def _group(title: str, *options: Option) -> tuple[Option, ...]:
    return tuple(replace(option, group=title) for option in options)


def _any(names: Iterable[str]) -> str:
    return f"{{{','.join(names)}}}"


@dataclass(frozen=True)
class Command:
    """A command: the function ``module.name`` of this package that carries it out, its options, its help."""

    handler: str
    help: str
    description: str
    options: tuple[Option, ...] = ()
    usage: str | None = None
    epilog: str | None = None


_VALUES = (
    "VALUE: a number, inf, nan, true, false, none (null), a file such as x.npy (copied to the device and back), "
    "zeros:float32:64x1024 or random:float32:1000, or a structure {n=4,shape=[2,3]}; all in the order of the "
    "parameters, or with their names: n=8192. What starts with a minus and is no plain number is written --arg=-inf."
)


def _files(help: str = "kernel sources", *others: Option) -> tuple[Option, ...]:
    return (
        _option("FILE+", help, Path, dest="files"),
        *_group(
            "compiler",
            _option("-I DIR*", "look for headers in DIR", Path, dest="include"),
            _option("-D NAME[=VALUE]*", "define a macro", dest="define"),
            _option("-include FILE*", "include FILE before each source", Path, dest="headers"),
            _option("-std STANDARD", "the language standard, such as c++20 (default: c++17)"),
            *others,
        ),
    )


_OPTIMIZE = _option(
    "-O LEVEL", "optimize host code, 0 (default) to 3", int, dest="optimize", default=0, choices=range(4)
)
_ON = _option("--device D", f"name or .toml file (default: {DEVICE})", default=DEVICE)
_TRACE = _option(
    "--trace FILE", "write a trace for https://ui.perfetto.dev: .json, or .pftrace, a third of the size", Path
)
_REPORT = _option("--report FILE.html", "write a report for the browser: one file that needs no network", Path)
_LOG = _option("LOG", "a file made with --log", Path, dest="log_file")
_PROFILE = _option("--profile", "show where the simulator's own time went, by phase and instruction")
_OUTPUTS = (
    _TRACE,
    _REPORT,
    _option("--log FILE.mlulog", "write the log, for `mlusim why`, `replay`, `diff` and `view`", Path),
    _option("--why", "also say why it takes so long, as `mlusim why` does"),
    _PROFILE,
)
_RATES = (
    _option("--device D", "a device with the shape of the log's, or its .toml file"),
    _option("--set NAME=NUMBER*", "change a rate, such as channels.dram.gb_per_s=600 (`mlusim devices D` names them)"),
)
_DEEP = _option("--deep", "all: --orders 2 --resplit few --smaller --retile --vary --poison --named --references")
_REPEATS = (
    _option("--orders N", "run it N more times, with its tasks in other orders", int, default=0),
    _option("--resplit T,T:TYPE", "run it with T tasks (blocks along x), of another type if named; few: chosen for it"),
    _option("--smaller", "run it with smaller counts as well"),
    _option("--vary", "run it with other numbers as well, and with places along axes exchanged, to find odd inputs"),
    _option("--retile", "build it with smaller tiles as well; not for CUDA kernels"),
    _option("--poison", "run it with other bytes in uninitialized memory that it reads, and in local variables"),
    _option("--named", "compare its results with the function that it is named after, such as softmax or matmul"),
    _option("--references", "compare its results with those of other functions in its source, and of the last commit"),
    _option("--function NAME", "compare its results with this function, whatever the kernel is called", dest="named"),
)
_EXPECTED = (
    _option(
        "--expect NAME=VALUE+",
        "what an argument must hold in the end: a .npy file, or an expression, 'out=maximum(x, 0)'; traces what is not",
    ),
    _option(
        "--against FILE+", "another version, a function for the host, or git:COMMIT, whose results are right", Path
    ),
    _option("--tolerance E", "relative difference that is allowed (default: half of the digits)", float),
)
_ARGUMENTS = _option("--arg VALUE+", "the arguments of the kernel")
_LIMIT = _option("--time-limit S", "end the kernel after S seconds (check --deep: after 60)", float)
_LAUNCH = (
    _option("--kernel NAME", "the kernel to launch, with its template arguments if it has any"),
    _option("--dim X,Y,Z", "number of tasks (default: what kernels of the device expect)"),
    _option("--block X,Y,Z", "threads of each of the --dim blocks of a CUDA kernel"),
    _option("--shared BYTES", "dynamic shared memory of each block", int, default=0),
    _option("--type TYPE", f"how tasks are grouped: {', '.join(KINDS)}", choices=tuple(KINDS)),
    _ARGUMENTS,
    _LIMIT,
    _option("--no-isolate", "run it in this process, for a debugger"),
    _option("--require-sandbox", "refuse to run it where this host lacks a layer of the sandbox (see `mlusim doctor`)"),
)
_FINDINGS = _group(
    "findings",
    _option("--collect", "continue after an error where possible, and report all of them"),
    _option(f"--checks {_any(LEVELS)}",
            "all (default); fast: without checks of the order of accesses; none: only what cannot be executed",
            default=LEVELS[0]),
    _option("--values", "report where NaN appears, division by zero, saturation"),
    _option("--precise", "compute in float64 as well, and report lost digits"),
    _option("--precise-limit E", "relative error to report (default: half of the digits)", float),
    _option("--suppressions FILE*", "findings to leave out, each with its reason", Path),
    _option(f"--format {_any(FORMATS)}", "write the findings, and nothing else, in this format"),
    _option("--output FILE", "write the findings to FILE, besides the usual output", Path),
)  # fmt: skip
_WORKERS = (
    _option("--workers N", f"processes (default: {_CORES})", int, default=_CORES),
    _option("--scheduler ADDRESS", "a Dask scheduler, such as tcp://host:8786"),
)
_TABLE = (
    _option("TABLE?", "a .csv file of measured times (default: our own)", Path),
    _option("--kernels DIR", "kernels and their cases.toml (default: our own)", Path),
    _option("--plot FILE*", ".png or .svg", Path),
    _option("--markdown FILE.md", "write the report", Path),
)
_COMPARE, _LAUNCHED, _WRITTEN = "compare the launch with itself, or with what is right", "launch", "timing and files"

COMMANDS = {
    "op": Command(
        "launch.run_operator", "run an operator", "Run an operator; without NAME, list the operators.",
        (
            _option("NAME?", "the operator"),
            _option("key=VALUE*", "its parameters", dest="arguments"),
            _option("--device D", "name or .toml file (default: one that the operator is made for)"),
            _option("--plan", "also show how an elementwise operator is executed"),
            *_group(_COMPARE, _DEEP, *_REPEATS),
            *_FINDINGS,
            *_group(_WRITTEN, _option("--out FILE.npy", "write the result (several results: FILE.npz)", Path),
                    *_OUTPUTS),
        ),
        usage="mlusim op [NAME [key=VALUE...]] [options]",
        epilog="VALUE: a number, several as 1,2,3, inf, nan, true, false, none, a file such as x.npy, or text.",
    ),
    "run": Command(
        "launch.run", "run a program, or launch a kernel of a source file",
        "Build sources and run the program that they make; with --kernel, launch one of their kernels.",
        (
            *_files("kernel sources, host code beside them, or an already built program", _OPTIMIZE),
            *_group(_LAUNCHED, _ON, *_LAUNCH),
            *_group(_COMPARE, *_REPEATS, *_EXPECTED),
            *_FINDINGS,
            *_group(_WRITTEN, _option("--save N=FILE.npy*", "write array argument N (from 0, or its name) afterwards"),
                    *_OUTPUTS),
        ),
        usage="mlusim run FILE... [--kernel NAME [--arg VALUE...]] [options] [-- ARGUMENTS OF THE PROGRAM]",
        epilog=_VALUES,
    ),
    "check": Command(
        "check.check", "look for broken rules",
        "Run a kernel, or a program (in Python, or sources with a main) with all that it launches, or read a saved "
        "log, and report every broken rule; exit code 1 if there is any. Sources without a main are only compiled "
        "unless --kernel names a kernel.",
        (
            *_files("kernel sources, programs in Python (.py), logs", _OPTIMIZE),
            *_group(_LAUNCHED, _option("--device D,D", f"name or .toml file (default: {DEVICE}); for a kernel several, "
                    "and the findings are a table", default=DEVICE), *_LAUNCH),
            *_group(_COMPARE, _DEEP, *_REPEATS, *_EXPECTED),
            *_FINDINGS,
            _REPORT,
        ),
        usage="mlusim check FILE... [--kernel NAME [--arg VALUE...]] [options] [-- ARGUMENTS OF THE PROGRAM]",
        epilog=_VALUES,
    ),
    "build": Command(
        "build.build", "compile only",
        "Compile sources; show their kernels and how much of the on-chip memory they take.",
        (*_files(), _ON),
    ),
    "replay": Command(
        "replay.replay_log", "time a saved log again",
        "Time a saved log at the rates of its device, of another with the same shape, or at changed rates.",
        (_LOG, *_RATES, _TRACE, _REPORT),
    ),
    "view": Command(
        "replay.view", "look at a saved log or trace in a browser",
        "Write a report of a saved log or trace to a temporary file and open it in the browser: timeline, memory, "
        "source, bandwidth, advice.",
        (_option("LOG", "a file made with --log, or with --trace as JSON", Path, dest="log_file"), *_RATES,
         _option("--report FILE.html", "write it to this file instead", Path),
         _option("--no-browser", "write the file, but open nothing")),
    ),
    "devices": Command(
        "show.devices", "list the devices", "List the devices; with NAME, every number and its source.",
        (_option("NAME?", "a built-in device, or a .toml file"),),
    ),
    "isa": Command(
        "show.isa", "list the instructions", "List the instructions; with NAME, all that is declared of one.",
        (
            _option("NAME?", "an instruction, such as __bang_add"),
            _option("--arch N", "only what exists and is in force on an architecture", int),
            _option(f"--dialect {_any(DIALECTS)}", "(default: bang; of NAME, the one that has it)"),
            _option("--markdown", "print all as one Markdown table"),
        ),
    ),
    "rules": Command(
        "rules.show_rules", "list the rules",
        "List the rules that kernels can break; with ID, what one is about, broken and fixed.",
        (_option("ID?", "a rule, such as order", dest="name"),),
    ),
    "completion": Command(
        "completion.completion", "write completion for a shell",
        "Write a script that completes commands, options and names: source <(mlusim completion bash), the same in zsh, "
        "mlusim completion fish | source.",
        (_option("{bash,zsh,fish}", "the shell", dest="shell"),),
    ),
    "schema": Command(
        "documents.show_schema", "describe the documents of --json",
        "Write the JSON Schema of what commands write with --json.",
    ),
    "doctor": Command(
        "doctor.doctor", "check this host",
        "Show what mlusim finds on this host, and what it keeps a kernel from doing.",
    ),
    "examples": Command(
        "examples.copy_examples", "copy the examples of the documentation",
        "Copy the examples that the README and the documentation run to a new folder.",
        (_option("DIR", "a folder that does not exist yet", Path, dest="folder"),),
    ),
    "toolkit": Command(
        "program.write_toolkit", "write an SDK to build projects with",
        "Write a folder like the vendor's SDK: compiler, headers, libraries. With NEUWARE_HOME=DIR (of a TPU: "
        "CC=DIR/bin/cc CXX=DIR/bin/c++) a project's own build makes programs that run on simulated devices.",
        (_option("DIR", "a folder, new or written by this command before", Path, dest="folder"), _ON),
    ),
    "cases": Command(
        "cases.cases", "run test cases of an operator",
        "Run test cases in protobuf's text format through an operator's own host code, and compare the results with a "
        "reference.",
        (
            *_files("test cases in protobuf's text format (.prototxt)"),
            _option("--sources SOURCE", "kernels and host code of the operator", Path, nargs="+", required=True),
            _option("--entry FUNCTION", "the function of the host code to call", required=True),
            _option("--reference FILE:FUNCTION", "a function that says what is right: Python (.py), C or C++"),
            _option("--arguments FILE.py:FUNCTION", "a Python function that makes the arguments of the call, by name, "
                    "from inputs, outputs and numbers"),
            _option("--bind NAME=PARAMETER*", "pass what the cases call NAME as this parameter"),
            _option("--set PARAMETER=VALUE*", "a number or name that the cases do not give"),
            *_group("compare each launch with itself", _DEEP, *_REPEATS),
            _option("--strict", "let a case fail by warnings, too, and not by errors alone"),
            _option("--workers N", "processes that run cases side by side (default: 1)", int, default=1),
            _option("--junit FILE.xml", "write the results as JUnit", Path),
            _REPORT,
            _ON,
        ),
        usage="mlusim cases FILE... --sources SOURCE... --entry FUNCTION [--reference FILE:FUNCTION] [options]",
        epilog="A reference in Python is called with the inputs by id, the numbers by name and outputs to fill; it "
        "returns the outputs, or an array for each in order. One in C or C++ is called by its declaration: pointers "
        "are tensors by id or in order, those to const the inputs; numbers go by name; x_count, x_dims and x_rank are "
        "the elements and the shape of tensor x.",
    ),
    "sweep": Command(
        "sweep.sweep", "simulate many variants",
        "Simulate every combination of values: rates and devices of a saved log or of an operator, and the operator's "
        "parameters. A sweep that was interrupted goes on where it stopped.",
        (
            _option("TARGET", "a file made with --log, or the name of an operator"),
            _option("key=V,V*", "parameters of the operator", dest="arguments"),
            _option("--device D,D*", "devices (default: the log's, the operator's)", default=None),
            _option("--set NAME=V,V*", "values of a rate"),
            _option("--out FILE", "write the table: .csv or .parquet", Path),
            _option("--plot FILE", "draw the times: .png or .svg", Path),
            *_WORKERS,
        ),
        usage="mlusim sweep TARGET [key=V,V...] [--set NAME=V,V] [options]",
        epilog="Values have commas between them: --set channels.dram.gb_per_s=300,600 steps=1024,2048",
    ),
    "tune": Command(
        "tune.tune", "search the variants of a kernel for the fastest",
        "Simulate a kernel with other macros, template arguments and numbers of tasks, and show the variants that take "
        "least time and keep every rule. A search that was interrupted goes on where it stopped.",
        (
            *_files(),
            _option("--kernel NAME", "the kernel, without template arguments", required=True),
            _option("--define NAME=VALUES*", "a macro and its values", dest="swept"),
            _option("--stages VALUES", "the same as --define STAGES=VALUES"),
            _option("--template VALUES*", "the values of a template argument, of the first, the second, ..."),
            _option("--dim N,N", "numbers of tasks; in several dimensions 4x2,8x2"),
            _option("--block N,N", "threads of a block of a CUDA kernel; in several dimensions 16x16,32x8"),
            _option("--shared VALUES", "bytes of dynamic shared memory of a block"),
            _option("--type TYPE,TYPE", f"how tasks are grouped: {', '.join(KINDS)}"),
            _ARGUMENTS,
            _option("--expect [NAME=]FILE.npy+",
                    "what an argument (the first, if none is named) must hold in the end; other variants do not count"),
            _option("--tolerance E", "relative difference that is allowed (default: half of the digits)", float),
            _LIMIT,
            _option("--device D,D*", f"devices (default: {DEVICE})"),
            _option("--trials N", "most variants to simulate; where there are more, Optuna chooses (default: 100)", int,
                    default=100),
            _option("--seed N", "of that choice: the same seed chooses the same variants (default: 0)", int, default=0),
            _option("--out FILE", "write a table of all variants: .csv or .parquet", Path),
            *_WORKERS,
        ),
        usage="mlusim tune FILE... --kernel NAME [--define NAME=VALUES] [--arg VALUE...] [options]",
        epilog="VALUES: with commas between them, or a range: 512:8192:2 doubles, 8:64:+8 adds, 1:4 counts. "
        + _VALUES,
    ),
    "why": Command(
        "why.why", "say why a run is slow",
        "Show the critical path of a saved log, its pipes and lines, how near it comes to the device's peaks, and what "
        "would make it faster: each cause of waiting is taken away in turn, and the log timed again.",
        (_LOG, _option("--baseline-us US", "a time to compare with, in microseconds", float), *_RATES, _REPORT),
    ),
    "diff": Command(
        "why.diff", "compare two logs or traces",
        "Show what takes longer in the second of two saved launches, by pipe and by line, and what it waited for.",
        (
            _option("A", "a file made with --log or --trace", Path, dest="before"),
            _option("B", "another one", Path, dest="after"),
            *_RATES,
            _REPORT,
        ),
    ),
    "correlate": Command(
        "accuracy.correlate_table", "compare with measured times",
        "Simulate the cases of a table of measured times; show how far off the simulator is.",
        (*_TABLE, _option("--no-left-out", "skip the fits that leave out each case in turn, which take time")),
    ),
    "calibrate": Command(
        "accuracy.calibrate_table", "fit rates to measured times",
        "Fit the free rates of the devices of a table of measured times, one number for all devices of a family; "
        "without --fit, the rates that cases.toml names.",
        (
            *_TABLE,
            _option("--fit [FAMILY:]NAME*", "a free rate, such as launch.overhead_us"),
            _option("--out DIR", "write the device files with the fitted rates to DIR", Path),
        ),
    ),
}  # fmt: skip

#: The commands by what they are for, as help lists them.
GROUPS = {
    "run": ("run", "op", "cases", "build"),
    "find what is wrong": ("check", "rules"),
    "make it faster": ("why", "view", "diff", "replay", "sweep", "tune"),
    "look something up": ("devices", "isa", "schema"),
    "set up": ("doctor", "examples", "toolkit", "completion"),
    "compare with hardware": ("correlate", "calibrate"),
}
