"""The command that searches the variants of a kernel for the quickest one."""

from __future__ import annotations

import argparse
import hashlib
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...traces import summarise
from ..chip.launch_kinds import KINDS
from ..findings import BuildError, KernelError
from ..kernelc.build import Builder
from ..kernelc.options import Options
from ..launches.device import Device
from ..launches.program import Program
from ..study.sweep import Column, Journal, best_points, carry_out, check_table, every_point, points_of, write_table
from ..text import between, percent, quoted
from ..timing import Interval, change, interval, resting
from .build import compile_options
from .commands import DEVICE
from .endings import INTERRUPTED
from .outputs import print_written
from .paths import check_paths
from .screen import Screen
from .sweep import counted, runner
from .values import array_files, dimensions, expected_arrays, kernel_arguments, literal, pairs

#: Variants and reasons that are shown; values of a name at most.
_SHOWN, _MOST_VALUES = 10, 10_000
_RANGE = re.compile(r"(-?\d{1,18}):(-?\d{1,18})(?::(\+?)(\d{1,18}))?")
_MACRO = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"[-+]?\d+")
_DIM = re.compile(r"\d+(?:x\d+){0,2}")


def tune(options: argparse.Namespace, screen: Screen) -> bool | int:
    """Simulate variants of a kernel; whether one of them works."""
    check_paths(options.out, read=_files_read(options))
    if options.out:
        check_table(options.out)
    if options.trials < 1:
        raise ValueError("--trials must be above zero")
    run, columns, target = runner(options, measure), _columns(options), _target(options)
    points = points_of(columns)
    few = len(points) <= options.trials
    search = every_point(len(points)) if few else best_points(columns, options.trials, options.seed)
    rows: dict[int, dict[str, Any]] = {}
    wanted, name = min(len(points), options.trials), options.out or Path(f"{options.files[0].name}.tune.csv")
    what = {"target": target, "columns": columns, "search": None if few else [options.trials, options.seed]}
    interrupted = False
    with Journal(name, what) as journal:
        try:
            with screen.progress(f"simulating {wanted} of {len(points)} variants") as progress:
                carry_out(search, points, target, journal, run, rows, counted(progress, wanted))
        except KeyboardInterrupt:
            interrupted = True
        found = [rows[number] for number in sorted(rows)]
        written = []
        if options.out and not interrupted:
            write_table(list(map(_shown, found)), options.out)
            written.append(str(options.out))
        if not interrupted:
            journal.finish()
    _report(screen, columns, found, len(points), written, interrupted=interrupted)
    for macro in _without_effect(options, columns):
        screen.say(f"--define {macro} makes no difference: the sources do not use {macro}, or define it themselves")
    if interrupted:
        screen.say(f"interrupted; the same command goes on with what {journal.path} has")
        return INTERRUPTED
    return any("us" in row for row in found)


def measure(point: Mapping[str, Any]) -> dict[str, Any]:
    """The time of a variant, and which pipe is busiest. Runs in a process of its own."""
    values = dict(point["point"])
    device, kind, shared = Device.load(values.pop("device")), values.pop("type", None), int(values.pop("shared", 0))
    dim, block = (
        dimensions(text.replace("x", ","), f"--{name}") if (text := values.pop(name, None)) else None
        for name in ("dim", "block")
    )
    template = ", ".join(str(values.pop(name)) for name in list(values) if name.startswith("template "))
    kernel = f"{point['kernel']}<{template}>" if template else point["kernel"]
    macros = [*point["define"], *(f"{name}={value}" for name, value in values.items())]
    warnings.simplefilter("ignore", RuntimeWarning)  # `tune` says itself which macros make no difference
    settings = Options.of(map(Path, point["include"]), macros, map(Path, point["headers"]), point["std"])
    try:
        run = Program(list(map(Path, point["files"])), settings, device).launch(
            kernel, dim, kind, kernel_arguments(point["arg"]), block=block, shared=shared,
            expect=expected_arrays(point["expect"]) or None, tolerance=point["tolerance"],
            time_limit=point["time_limit"],
        )  # fmt: skip
    except (BuildError, KernelError) as error:
        raise ValueError(_reason(error)) from None
    busiest = max(summarise(run.timeline).pipes, key=lambda pipe: pipe.max, default=None)
    sure = interval(run.timeline)
    return {
        "us": run.time_us, **({"low_us": sure.low, "high_us": sure.high} if sure else {}),
        "busiest": f"{busiest.pipe} {percent(busiest.max)}" if busiest else "",
        "rests": {" ".join(numbers): us for numbers, us in resting(run.timeline).items()},
    }  # fmt: skip


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row without what its time rests on."""
    return {name: value for name, value in row.items() if name != "rests"}


def _behind(best: Mapping[str, Any], other: Mapping[str, Any]) -> Interval | None:
    """The interval of how much longer another variant takes on the device of the best one, by the same draws."""
    before, after = ({tuple(names.split()): us for names, us in row.get("rests", {}).items()} for row in (best, other))
    return change(before, after, Device.load(best["device"]).rates.facts)


def _reason(error: BuildError | KernelError) -> str:
    """Why a variant does not work, in a line."""
    if error.finding is not None:
        return f"{error.finding.rule}: {error.finding.message}".partition("\n")[0]
    lines = str(error).splitlines() or [type(error).__name__]
    return "build: " + next((line for line in lines if "error:" in line), lines[0]).rpartition("error: ")[2].strip()


def _target(options: argparse.Namespace) -> dict[str, Any]:
    """What all variants have in common, as plain data; ValueError for what is wrong with it."""
    for path in [*options.files, *map(Path, array_files([*options.arg, *options.expect]))]:
        if not path.exists():
            raise ValueError(f"{path} does not exist; pass kernel sources and .npy files")
    kernel_arguments(options.arg)
    expect = [text if "=" in text else f"0={text}" for text in options.expect]
    expected_arrays(expect)
    compile_options(options)
    digest = hashlib.sha256(b"".join(Path(path).read_bytes() for path in _files_read(options)))
    return {
        "files": [str(path.absolute()) for path in options.files], "kernel": options.kernel,
        "include": [str(path.absolute()) for path in options.include], "define": options.define,
        "headers": [str(path.absolute() if path.is_file() else path) for path in options.headers],
        "std": options.std, "arg": [_absolute(text) for text in options.arg],
        "expect": [_absolute(text) for text in expect], "tolerance": options.tolerance,
        "time_limit": options.time_limit, "digest": digest.hexdigest(),
    }  # fmt: skip


def _files_read(options: argparse.Namespace) -> list[Path | str]:
    devices = [name for text in options.device for name in text.split(",") if name.endswith(".toml")]
    return [*options.files, *devices, *array_files([*options.arg, *options.expect])]


def _absolute(text: str) -> str:
    """A value with the path of its file, if it names one, from the root."""
    name, equals, value = text.rpartition("=")
    return f"{name}{equals}{Path(value).absolute()}" if value.endswith(".npy") else text


def _columns(options: argparse.Namespace) -> list[Column]:
    """What differs between variants, with its values; ValueError for values that cannot be."""
    columns: list[Column] = [("device", (options.device and _split("--device", ",".join(options.device))) or [DEVICE])]
    for name in columns[0][1]:
        Device.load(name)
    if options.stages:
        options.swept = [*options.swept, f"STAGES={options.stages}"]
    for name, text in pairs(options.swept, "TILE=512:8192:2").items():
        if not _MACRO.fullmatch(name):
            raise ValueError(f"--define {name}={text}: {quoted(name)} is no name of a macro")
        columns.append((name, _values(f"--define {name}", text)))
    columns += [(f"template {n}", _values("--template", text)) for n, text in enumerate(options.template, 1)]
    for name, of in (("dim", "tasks"), ("block", "threads")):
        if not (text := getattr(options, name)):
            continue
        sizes = _split(f"--{name}", text)
        for size in sizes:
            if not _DIM.fullmatch(size) or 0 in map(int, size.split("x")):
                raise ValueError(f"--{name} has {quoted(size)}; write numbers of {of} such as 4,8,16 or 4x2,8x2")
        columns.append((name, sizes))
    if options.shared:
        columns.append(("shared", _values("--shared", options.shared)))
        for size in columns[-1][1]:
            if not isinstance(size, int):
                raise ValueError(f"--shared has {quoted(size)}; write numbers of bytes")
    if options.type:
        types = _split("--type", options.type)
        for kind in types:
            if kind not in KINDS:
                raise ValueError(f"--type has {quoted(kind)}; the types are {', '.join(KINDS)}")
        columns.append(("type", types))
    return columns


def _without_effect(options: argparse.Namespace, columns: Sequence[Column]) -> list[str]:
    """The macros of which the first value and the last make the same of every source."""
    shape, swept = Device.load(columns[0][1][0]).shape, pairs(options.swept, "")
    values = {name: found for name, found in columns if name in swept}
    first = {name: found[0] for name, found in values.items()}

    def texts(macros: Mapping[str, Any]) -> list[str]:
        defined = [*options.define, *(f"{name}={value}" for name, value in macros.items())]
        builder = Builder(shape, Options.of(options.include, defined, options.headers, options.std))
        return [builder.read(path).text for path in options.files]

    try:
        plain = texts(first) if first else []
        return [n for n, found in values.items() if len(found) > 1 and texts({**first, n: found[-1]}) == plain]
    except BuildError:
        return []  # the variants have said so


def _split(option: str, text: str) -> list[str]:
    values = [part.strip() for part in text.split(",")]
    if not all(values):
        raise ValueError(f"{option} is {quoted(text)}; write values with commas between them")
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise ValueError(f"{option} has {twice} twice")
    return values


def _values(option: str, text: str) -> list[Any]:
    """Values with commas between them, or a range: 512:8192:2 doubles, 8:64:+8 adds, 1:4 counts."""
    match = _RANGE.fullmatch(text)
    if match is None:
        return [literal(value) if _NUMBER.fullmatch(value) else value for value in _split(option, text)]
    low, high, adds = int(match[1]), int(match[2]), match[3] or match[4] is None
    step = int(match[4] or 1)
    if low > high or step < 1 or (not adds and (low < 1 or step < 2)):
        raise ValueError(
            f"{option}={text} is no range; write LOW:HIGH:FACTOR such as 512:8192:2, or LOW:HIGH:+STEP such as 8:64:+8"
        )
    values = [low]
    while (following := values[-1] + step if adds else values[-1] * step) <= high:
        values.append(following)
        if len(values) > _MOST_VALUES:
            raise ValueError(f"{option}={text} has more than {_MOST_VALUES:,} values")
    return values


def _report(
    screen: Screen, columns: Sequence[Column], rows: Sequence[Mapping[str, Any]], there: int, written: list[str], *,
    interrupted: bool,
) -> None:  # fmt: skip
    """Show the best variant of each device, the quickest ones, and why others do not work."""
    timed = sorted((row for row in rows if "us" in row), key=lambda row: float(row["us"]))
    best = {name: next((row for row in timed if row["device"] == name), None) for name in columns[0][1]}
    if screen.json:
        screen.document({
            "best": [
                _shown(row) | {"not_told_apart": [_shown(other) for other in _rivals(row, timed)]}
                for row in best.values() if row
            ],
            "variants": list(map(_shown, rows)), "there": there,
            "failed": len(rows) - len(timed), "interrupted": interrupted, "written": written,
        })  # fmt: skip
        return
    screen.line(
        f"{len(rows):,} of {there:,} variants simulated: {len(timed):,} work, {len(rows) - len(timed):,} do not"
    )
    names = [name for name, values in columns if len(values) > 1] or [columns[0][0]]
    if timed:
        screen.line()
        screen.table(
            [*((name, False) for name in names), ("us", True), ("of the best", True), ("busiest", False)],
            (
                (*(str(row[name]) for name in names), f"{row['us']:,.3f}", percent(row["us"] / timed[0]["us"]),
                 row["busiest"])
                for row in timed[:_SHOWN]
            ),
        )  # fmt: skip
    reasons: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if "us" not in row:
            reasons.setdefault(row["error"], []).append(row)
    if reasons:
        screen.line()
        screen.table(
            [("DOES NOT WORK", False), ("variants", True), ("such as", False)],
            ((reason, f"{len(those):,}", _said(names, those[0])) for reason, those in list(reasons.items())[:_SHOWN]),
        )
    for row in filter(None, best.values()):
        slowest = max(float(other["us"]) for other in timed if other["device"] == row["device"])
        screen.line()
        screen.line(f"best: {_flags(columns, row)}", "bold")
        sure = f" ({between(row['low_us'], row['high_us'])})" if "low_us" in row else ""
        screen.line(
            f"{row['us']:,.3f} us{sure}, {row['busiest']} busy; "
            f"the slowest takes {slowest / row['us']:.2f} times as long"
        )
        _say_lead(screen, names, row, [other for other in timed if other["device"] == row["device"]])
    print_written(screen, written)


def _rivals(best: Mapping[str, Any], timed: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Variants on the device of the best one that may be as quick: the interval of what they take longer holds 0."""
    others = (row for row in timed if row is not best and row["device"] == best["device"])
    return [row for row in others if (found := _behind(best, row)) is not None and 0.0 in found]


def _say_lead(
    screen: Screen, names: Sequence[str], best: Mapping[str, Any], timed: Sequence[Mapping[str, Any]]
) -> None:
    """Say how much the next variant is behind, and which are not told apart from the best."""
    if len(timed) < 2 or (found := _behind(best, timed[1])) is None:
        return
    behind = f"behind by {timed[1]['us'] - best['us']:,.3f} us ({between(found.low, found.high)})"
    equal = found.low == found.high == 0
    screen.line(f"the next, {_said(names, timed[1])}, is {'as quick' if equal else behind}")
    if rivals := _rivals(best, timed):
        more = f" and {len(rivals) - 1} others" if len(rivals) > 1 else ""
        screen.line(f"not told apart from the best: {_said(names, rivals[0])}{more}")


def _said(names: Sequence[str], row: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={row[name]}" for name in names)


def _flags(columns: Sequence[Column], row: Mapping[str, Any]) -> str:
    """A variant as options of `mlusim run`."""
    flags = [f"--device {row['device']}"]
    for name, _ in columns[1:]:
        if name in ("dim", "type", "block", "shared"):
            flags.append(f"--{name} {str(row[name]).replace('x', ',')}")
        elif not name.startswith("template "):
            flags.append(f"-D {name}={row[name]}")
    template = ", ".join(str(row[name]) for name, _ in columns if name.startswith("template "))
    return " ".join(flags) + (f" with template arguments <{template}>" if template else "")
