"""The options of the commands that are about time: replay, sweep, why, diff, correlate, calibrate."""

from __future__ import annotations

import os
from pathlib import Path

from .options import Commands, Parser, add_rates, add_trace, later

_CORES = os.cpu_count() or 1


def replay(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "replay",
        help="time a saved log again",
        description="Time a saved log at the rates of its device, of another with the same shape, or at changed rates.",
    )
    command.set_defaults(handler=later("replay", "replay_log"))
    command.add_argument("log_file", type=Path, metavar="LOG", help="a file made with --log")
    add_rates(command)
    add_trace(command)
    return command


def sweep(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "sweep",
        help="simulate many variants",
        description="Simulate every combination of values: rates and devices of a saved log or of an operator, and the "
        "operator's parameters. A sweep that was interrupted goes on where it was.",
        epilog="Values stand with commas between them: --set channels.dram.gb_per_s=300,600 steps=1024,2048",
    )
    command.set_defaults(handler=later("sweep", "sweep"))
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


def why(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "why",
        help="say why a run is slow",
        description="The critical path of a saved log, its pipes and lines, how near it comes to the device's peaks, "
        "and what would make it faster: each cause of waiting is taken away in turn and the log timed again.",
    )
    command.set_defaults(handler=later("why", "why"))
    command.add_argument("log_file", type=Path, metavar="LOG", help="a file made with --log")
    command.add_argument("--baseline-us", type=float, metavar="US", help="a time to compare with, in microseconds")
    add_rates(command)
    return command


def diff(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "diff",
        help="compare two logs or traces",
        description="What takes longer in the second of two saved launches, by pipe and by line, and what held it up.",
    )
    command.set_defaults(handler=later("why", "diff"))
    command.add_argument("before", type=Path, metavar="A", help="a file made with --log or --trace")
    command.add_argument("after", type=Path, metavar="B", help="another one")
    add_rates(command)
    return command


def correlate(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "correlate",
        help="compare with measured times",
        description="Simulate the cases of a table of measured times; show how far off the simulator is.",
    )
    command.set_defaults(handler=later("accuracy", "correlate_table"))
    _add_table(command)
    command.add_argument(
        "--no-left-out",
        action="store_true",
        help="do not fit the rates without each case in turn, which takes time",
    )
    return command


def calibrate(commands: Commands[Parser]) -> Parser:
    command = commands.add_parser(
        "calibrate",
        help="fit rates to measured times",
        description="Fit the free rates of the devices of a table of measured times, one number for all devices of a "
        "family; without --fit, those that cases.toml names.",
    )
    command.set_defaults(handler=later("accuracy", "calibrate_table"))
    _add_table(command)
    command.add_argument(
        "--fit", action="append", default=[], metavar="[FAMILY:]NAME", help="a free rate, such as launch.overhead_us"
    )
    command.add_argument("--out", type=Path, metavar="DIR", help="write the device files with the fitted rates there")
    return command


def _add_table(command: Parser) -> None:
    command.add_argument("table", type=Path, metavar="TABLE", help="a .csv file of measured times")
    command.add_argument("--kernels", type=Path, metavar="DIR", help="kernels and their cases.toml (default: our own)")
    command.add_argument("--plot", type=Path, action="append", default=[], metavar="FILE", help=".png or .svg")
    command.add_argument("--markdown", type=Path, metavar="FILE.md", help="write the report")
