"""The commands that show what the simulator knows: devices, isa."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby

from rich.text import Text

from ...isa import DIALECTS, Dialect, Instruction
from ...isa.docs import InstructionRow, instruction_row, instruction_rows, markdown, types_text
from ..chip.device_file import Quantity, spread_of
from ..launches.device import Device
from ..text import size
from .screen import Screen

#: Names that an error lists at most.
_MOST_NAMES = 8
_KINDS = {"measured": "green", "documented": "cyan", "derived": "yellow", "fitted": "magenta", "assumed": "red"}
_SOURCES = {"documented": "cyan", "inferred": "yellow"}
#: Last part of a number's name -> its unit.
_UNITS = {
    "core_mhz": "MHz", "gb_per_s": "GB/s", "core_gb_per_s": "GB/s", "latency_ns": "ns", "overhead_us": "us",
    "write_latency_ns": "ns", "startup_cycles": "cycles", "part_cycles": "cycles", "dependent_cycles": "cycles",
    "per_cycle": "a cycle", "task_us": "us", "host_us": "us",
    "bus_bits": "bits", "granule": "bytes",
}  # fmt: skip


def devices(options: argparse.Namespace, screen: Screen) -> bool:
    """List the devices; with a name, every number of one."""
    if options.name:
        return _device(Device.load(options.name), screen)
    found = [Device.load(name) for name in Device.names()]
    if screen.json:
        screen.document({"devices": [_device_dict(device) for device in found]})
        return True
    for number, (isa_name, group) in enumerate(groupby(sorted(found, key=lambda d: d.isa), key=lambda d: d.isa)):
        if number:
            screen.line()
        _device_table(isa_name, list(group), screen)
    return True


def isa(options: argparse.Namespace, screen: Screen) -> bool:
    """List the instructions; with a name, everything its declarations say."""
    if options.markdown and screen.json:
        raise ValueError("--markdown and --json exclude each other; pass one of them")
    if options.markdown:
        print(markdown(list(DIALECTS.values())), end="")
        return True
    if options.name:
        return _instruction(_dialect_of(options.name, options.dialect), options.name, options.arch, screen)
    dialect = DIALECTS[options.dialect or "bang"]
    rows = instruction_rows(dialect, options.arch)
    if screen.json:
        found = {"instructions": [row.to_dict() for row in rows], "computed": dict(dialect.computed)}
        screen.document({**found, "not_modelled": dict(dialect.known)})
        return True
    others = {"of the kernel's own processor": dialect.computed, "known, not modelled": dialect.known}
    wide = max(map(len, [*(row.name for row in rows), *(name for names in others.values() for name in names)]))
    for facts, group in groupby(rows, key=_facts):
        screen.line(facts, "bold")
        screen.table([("", False), ("", False)], ((f"  {row.name:{wide}}", row.doc) for row in group))
    for title, names in others.items():
        if names:
            screen.line(title, "bold")
            screen.table([("", False), ("", False)], ((f"  {name:{wide}}", does) for name, does in names.items()))
    return True


def _dialect_of(name: str, wanted: str | None) -> Dialect:
    """The dialect asked for, else the one that has the name, else the one that has names like it."""
    if wanted:
        return DIALECTS[wanted]
    dialects = list(DIALECTS.values())
    having = [d for d in dialects if name in d.known or name in d.computed or name in d.by_name or d.named(name)]
    alike = [dialect for dialect in dialects if dialect.containing(name)]
    return (having or alike or [dialect for dialect in dialects if dialect.nearest(name)] or dialects)[0]


def _facts(row: InstructionRow) -> str:
    """What neighbouring instructions of the list have in common."""
    pipes = " or ".join(dict.fromkeys(case.pipe for case in row.cases)) or row.pipe
    archs = "" if row.archs == "all" else f"arch {row.archs}"
    return " · ".join(part for part in (pipes, types_text(row), archs, row.provenance) if part)


def _instruction(dialect: Dialect, name: str, arch: int | None, screen: Screen) -> bool:
    """Everything about the declarations of a name; ValueError for a name that is not known."""
    entries = [entry for entry in dialect.instructions if name in (entry.name, entry.asm)]
    other = dialect.known.get(name) or dialect.computed.get(name)
    if not entries and other is None:
        near = dialect.nearest(name)
        within = dialect.containing(name)
        listed = ", ".join(within[:_MOST_NAMES]) + (
            f" and {len(within) - _MOST_NAMES} more" if within[_MOST_NAMES:] else ""
        )
        hint = (
            f"the nearest names are {', '.join(near)}"
            if near
            else f"`mlusim isa --dialect {dialect.name}` lists all names"
        )
        hint = f"it is part of {listed}" if within else hint
        raise ValueError(f"{dialect.title} has no instruction {name} that mlusim knows; {hint}")
    rows = [instruction_row(dialect, entry, arch) for entry in entries]
    ports = [_ports(dialect, entry) for entry in entries]
    if screen.json:
        screen.document(
            {
                "name": name,
                "modelled": bool(rows) or name in dialect.computed,
                "doc": rows[0].doc if rows else other,
                "declarations": [row.to_dict() | {"simulated": kinds} for row, kinds in zip(rows, ports, strict=True)],
            }
        )
    elif not rows:
        screen.line(name, "bold")
        screen.line(other or "", indent=2)
        if name in dialect.known:
            screen.line("known, not modelled: it compiles, and a kernel that executes it gets a finding", indent=2)
        else:
            screen.line("the kernel's own processor computes it: C of the header", indent=2)
    else:
        for number, (entry, row, kinds) in enumerate(zip(entries, rows, ports, strict=True)):
            if number:
                screen.line()
            _declaration(row, kinds, screen, "" if arch is None or arch in entry.archs else f", so not on {arch}")
    return True


def _ports(dialect: Dialect, entry: Instruction) -> dict[str, list[str]]:
    """What carries it out on the first device that has it, natively or why not: which types or cases."""
    devices = (Device.load(name) for name in Device.names(dialect.name))
    device = next((device for device in devices if device.shape.arch in entry.archs), None)
    found: dict[str, list[str]] = {}
    for number, overload in enumerate(dialect.overloads if device else ()):
        if device and overload.instruction is entry:
            for value, port in device.machine.native_ports(number).items():
                reason = f"by Python ({port})" if isinstance(port, str) else "natively"
                found.setdefault(reason, []).append(
                    entry.select.cases[value].label if entry.select else overload.dtypes
                )
    return found


def _declaration(row: InstructionRow, ports: dict[str, list[str]], screen: Screen, missing: str) -> None:
    screen.line(row.name, "bold")
    screen.line(row.doc, indent=2)
    screen.line()
    for prototype in row.prototypes:
        screen.line(f"{prototype};", "green", indent=2)
    screen.line()
    lines: list[tuple[str, str | Text]] = [
        ("source", _source(row.provenance)),
        ("types", " ".join(row.types) + (f", named by {row.type_arguments}" if row.type_arguments else "")),
        ("inferred types", " ".join(row.inferred_types)),
        ("architectures", row.archs + missing),
        ("pipe", f"by {row.selector}" if row.cases else row.pipe),
        *(
            (f"  {pipe}", " ".join(c.label for c in row.cases if c.pipe == pipe))
            for pipe in dict.fromkeys(c.pipe for c in row.cases)
        ),
        ("cost of", row.engine),
        ("work", row.work),
        ("issue", _issue(row)),
        ("waits for", ", ".join(row.waits)),
        ("barrier of", row.barrier),
        ("written as asm", row.asm),
        *_simulated(ports),
    ]
    screen.table([("", False), ("", False)], ((f"  {name}", text) for name, text in lines if text))
    places = [[o.name, o.direction, o.space or f"by {row.selector}"] for o in row.operands]
    layouts = [[o.type, o.layout] for o in row.operands] if any(o.layout for o in row.operands) else []
    _titled(
        screen,
        ["OPERAND", "", "space", *(["of", "layout"] if layouts else []), "spans"],
        (
            [*place, *layout, operand.span]
            for place, layout, operand in zip(places, layouts or [[]] * len(places), row.operands, strict=True)
        ),
    )
    _titled(
        screen,
        ["RULE", "", "on", "source"],
        [
            *((rule.rule, rule.text, rule.archs, _source(rule.provenance)) for rule in row.rules),
            *([("overlap", row.overlap, "all", "")] if row.overlap else []),
        ],
    )


def _simulated(ports: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    for number, (how, which) in enumerate(ports.items()):
        of = f": {' '.join(which)}" if len(ports) > 1 else ""
        yield "" if number else "simulated", how + of


def _titled(screen: Screen, heads: list[str], lines: Iterable[Sequence[str | Text]]) -> None:
    """A table below an empty line, indented; nothing without lines."""
    rows = [[f"  {name}", *rest] for name, *rest in lines]
    if rows:
        screen.line()
        screen.table([(f"  {heads[0]}", False), *((head, False) for head in heads[1:])], rows)


def _source(provenance: str) -> Text:
    return Text(provenance, _SOURCES.get(provenance, ""))


def _issue(row: InstructionRow) -> str:
    if row.effect in ("wait", "barrier"):
        return "the core waits for its end"
    return {
        "blocking": "the core waits for its end",
        "deferred": "the core goes on at once; takes effect when a wait on its pipe asks for it",
        "queued": "the core goes on at once; comes after all earlier commands of the queues unless a section is open",
    }.get(row.completion, "the core goes on at once; later instructions of its pipe queue behind it")


def _device_table(isa_name: str, group: list[Device], screen: Screen) -> None:
    """The devices of one instruction set, a line each."""
    named = dict.fromkeys(name for device in group for name in device.shape.spaces)
    spaces = [name for name in named if not DIALECTS[isa_name].spaces[name].hidden]
    columns = ["arch", "cores", *(name.upper() for name in spaces), "MHz", "GB/s", "assumed"]
    screen.table(
        [(isa_name.upper(), False), *((column, True) for column in columns)],
        (
            (
                device.name,
                str(device.shape.arch),
                f"{device.shape.clusters} x {device.shape.cores_per_cluster}",
                *(size(held[name].bytes) if name in (held := device.shape.spaces) else "-" for name in spaces),
                f"{device.rates.clock_mhz:,g}",
                next((f"{c.gb_per_s:,.4g}" for c in device.rates.channels.values() if c.scope == "device"), "-"),
                f"{sum(fact.kind == 'assumed' for fact in device.facts.values())} of {len(device.facts)}",
            )
            for device in group
        ),
    )


def _device(device: Device, screen: Screen) -> bool:
    if screen.json:
        screen.document(_device_dict(device))
        return True
    screen.line(f"{device.name}: {device.title}", "bold")
    for part, facts in groupby(device.facts.items(), key=lambda item: item[0].partition(".")[0]):
        screen.line()
        screen.line(part.upper(), "bold")
        for path, fact in facts:
            kind = Text(fact.kind, _KINDS[fact.kind])
            sure = f" within {100 * (spread_of(fact) - 1):.2g} %" if spread_of(fact) > 1 and _uncertain(path) else ""
            screen.line(Text.assemble(f"{path:38} {_quantity(path, fact):>16}  ", kind, sure))
            screen.line(fact.source, "dim", indent=4)
    return True


def _uncertain(path: str) -> bool:
    """Whether a time's interval rests on how well a number is known."""
    name = path.rpartition(".")[2]
    return not path.startswith(("shape.", "bus.", "model.")) and name not in ("quantum", "granule", "bus_bits")


def _quantity(path: str, fact: Quantity) -> str:
    name = path.rpartition(".")[2]
    if name in ("bytes", "reserved"):
        return size(int(fact.value))
    return f"{fact.value:,g} {_UNITS[name]}" if name in _UNITS else str(fact.value)


def _device_dict(device: Device) -> dict[str, object]:
    facts = {
        path: asdict(fact)
        | {"unit": "bytes" if path.endswith((".bytes", ".reserved")) else _UNITS.get(path.rpartition(".")[2], "")}
        for path, fact in device.facts.items()
    }
    return {
        "name": device.name,
        "title": device.title,
        "isa": device.isa,
        "shape": device.shape.to_dict(),
        "facts": facts,
    }
