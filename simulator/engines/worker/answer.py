"""What a launch gave, as bytes: written by the worker, and believed by the parent only as far as it makes sense."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...chip import Shape
from ...core.memory import Allocation, Memory, Shadow
from ...findings import RULES, SEVERITIES, Finding
from ...frames import BrokenPeer, Buffer
from ...log import MESSAGE_KINDS, OPERAND, RECORD, RUNS, SHORT, Location, Log, Op, Region
from ...log.rows import Rows
from ...spent import Phases
from .. import plain
from .request import LaunchRequest

_LENGTH = struct.Struct("<Q")
_MOST_HEAD = 1 << 24  # bytes of the text of an answer
_MOST_SHARED = 1 << 40  # bytes of shared memory of a block
_BLOCK = 1 << 16  # rows that are looked at together: what is worked out of them stays in the processor's caches
_OP_FIELDS = frozenset(field.name for field in fields(Op))


class Answer(NamedTuple):
    """What a launch gave. ``uninitialized``: those bytes of each device array, by address;
    ``last``: the worker cannot be used again; ``spent``: where the time of the worker went, if that was asked."""

    log: Log
    findings: list[Finding]
    uninitialized: dict[int, Shadow]
    last: bool
    spent: Phases


def encode_answer(log: Log, findings: Sequence[Finding], memory: Memory, last: bool, spent: Phases) -> list[Buffer]:
    """The parts of the message."""
    by = encode_answer, log.launch.get("shared", 0), log.left_out, tuple(findings), last
    holes = [entry for entry in memory.allocations() if entry.uninitialized.hi]
    usual = not holes and not spent and log.nbytes <= SHORT
    if usual and by in log.kept:
        known: list[Buffer] = log.kept[by]
        return known
    pieces = [np.array(list(entry.uninitialized), np.int64) for entry in holes]
    tables = log.records, log.operands, log.runs
    encode = _known_head if log.nbytes <= SHORT else _encoded_head
    head = encode(
        log.ops, log.pipes, log.locations, (log.launch.get("shared", 0), log.left_out), tuple(map(len, tables)),
        tuple(findings), tuple([(entry.start, len(found)) for entry, found in zip(holes, pieces, strict=True)]), last,
        tuple([(name, seconds, times) for name, (seconds, times) in spent.items()]),
    )  # fmt: skip
    bodies = [np.ascontiguousarray(part).view(np.uint8).data for part in tables if len(part)]
    parts: list[Buffer] = [_LENGTH.pack(len(head)), head, *bodies, *(piece.tobytes() for piece in pieces)]
    if usual:
        log.kept[by] = parts = [b"".join(parts)]
    return parts


def _encoded_head(
    ops: tuple[Op, ...], pipes: tuple[str, ...], places: tuple[Location, ...], counts: tuple[int, int],
    rows: tuple[int, ...], findings: tuple[Finding, ...], holes: tuple[tuple[int, int], ...], last: bool,
    spent: tuple[tuple[str, float, int], ...],
) -> bytes:  # fmt: skip
    """The text of an answer; ``counts`` are bytes of shared memory and records left out, ``rows`` those of tables."""
    tables = {
        "ops": [_op_text(op) for op in ops], "pipes": pipes, "places": [place.line for place in places],
        "shared": counts[0], "left_out": counts[1], "records": rows[0], "operands": rows[1], "runs": rows[2],
        "findings": [_finding_table(finding) for finding in findings], "holes": holes, "last": last, "spent": spent,
    }  # fmt: skip
    return json.dumps(tables).encode()


#: Launch after launch has the same.
_known_head = lru_cache(maxsize=64)(_encoded_head)


def decode_answer(body: memoryview, request: LaunchRequest, allocations: Sequence[Allocation]) -> Answer:
    """The answer to a request; `BrokenPeer` unless all of it makes sense."""
    try:
        return _decode(body, request, {entry.start: entry for entry in allocations})
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError, struct.error) as error:
        raise BrokenPeer(f"its answer makes no sense ({type(error).__name__}: {error})") from None


class _Head(NamedTuple):
    """The text of an answer, checked."""

    ops: tuple[Op, ...]
    pipes: tuple[str, ...]
    places: tuple[Location, ...]
    records: int
    operands: int
    runs: int
    holes: tuple[tuple[int, int], ...]  # start of an allocation, number of pieces
    findings: tuple[Finding, ...]
    shared: int
    left_out: int
    last: bool
    spent: Phases


class _Tables(NamedTuple):
    """An answer, checked."""

    head: _Head
    log: Log  # of no launch yet
    pieces: tuple[np.ndarray, ...]


def _decode(body: memoryview, request: LaunchRequest, allocations: dict[int, Allocation]) -> Answer:
    shape, device, _ = request.target
    found = _known_tables(bytes(body), shape, device) if len(body) <= SHORT else _tables(body, shape, device)
    head, header = found.head, request.launch.header
    if "shared" in header:  # what blocks declare is known afterwards
        header["shared"] = head.shared
    if head.left_out:
        header["left_out"] = head.left_out
    uninitialized = {}
    for (start, _), piece in zip(head.holes, found.pieces, strict=True):
        uninitialized[start] = _intervals(piece.reshape(-1, 2), allocations[start])
    return Answer(found.log.sharing(launch=header), list(head.findings), uninitialized, head.last, head.spent)


def _tables(body: Buffer, shape: Shape, device: str) -> _Tables:
    (length,) = _LENGTH.unpack_from(body)
    at = _LENGTH.size + length
    plain.require(length <= _MOST_HEAD and at <= len(body), "lengths")
    head = _head(bytes(body[_LENGTH.size : at]))
    sizes = [(RECORD, head.records), (OPERAND, head.operands), (RUNS, head.runs)]
    sizes += [(np.dtype((np.int64, 2)), count) for _, count in head.holes]
    arrays = []
    for dtype, count in sizes:
        end = at + count * dtype.itemsize
        plain.require(end <= len(body), "lengths")
        arrays.append(np.frombuffer(body, dtype, count, at) if count else np.zeros(0, dtype))
        at = end
    plain.require(at == len(body), "lengths")
    records, operands, runs, *pieces = arrays
    rows = Rows(head.ops, head.pipes, head.places, shape)
    for check, table in ((rows.check_records, records), (rows.check_operands, operands), (rows.check_runs, runs)):
        for at in range(0, len(table), _BLOCK):
            check(table[at : at + _BLOCK], at)
    plain.require(rows.operands == len(operands), "operands")
    log = Log(records, operands, head.ops, head.pipes, head.places, shape, device, {}, runs)
    return _Tables(head, log, tuple(pieces))


#: Launch after launch gives the same bytes.
_known_tables = lru_cache(maxsize=64)(_tables)


def _head(text: bytes) -> _Head:
    tables = json.loads(text)
    shared = plain.count(tables["shared"])
    plain.require(shared <= _MOST_SHARED, "shared memory")
    return _Head(
        tuple(_op(op) for op in plain.texts(tables["ops"])), plain.texts(tables["pipes"]),
        tuple(Location("", plain.number(place)) for place in tables["places"]),
        plain.count(tables["records"]), plain.count(tables["operands"]), plain.count(tables["runs"]),
        tuple((plain.number(start), plain.count(count)) for start, count in tables["holes"]),
        tuple(_finding(table) for table in tables["findings"]),
        shared, plain.count(tables["left_out"]), bool(tables["last"]),
        {plain.text(name): (_seconds(seconds), plain.count(times)) for name, seconds, times in tables["spent"]},
    )  # fmt: skip


#: What the simulator itself may raise in a worker and the user sees as it is; anything else is a RuntimeError.
_RAISED = (MemoryError, NotImplementedError, RuntimeError, ValueError, TypeError, ArithmeticError, LookupError, OSError)


def encode_failure(error: BaseException, finding: Finding | None = None) -> bytes:
    """The message that the simulator, or the loading of an image (then with a finding), has failed."""
    found = _finding_table(finding) if finding else None
    return json.dumps({"type": type(error).__name__, "text": str(error), "finding": found}).encode()


def decode_failure(body: Buffer) -> tuple[BaseException, Finding | None]:
    """The exception, and the finding that it is about."""
    try:
        tables = json.loads(bytes(body))
        name, text = plain.text(tables["type"]), plain.text(tables["text"])
        finding = _finding(tables["finding"]) if tables["finding"] else None
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BrokenPeer(f"its failure makes no sense ({error})") from None
    found = next((kind for kind in _RAISED if kind.__name__ == name), None)
    return (found(text) if found else RuntimeError(f"{name}: {text}")), finding


def _finding_table(finding: Finding) -> dict[str, Any]:
    table = finding.to_dict()
    places = {"related": finding.related, "origin": finding.origin}
    lines = {name: place and place.line for name, place in places.items()}
    return table | lines | {"location": finding.location.line}


def _finding(table: dict[str, Any]) -> Finding:
    region = table["region"]
    found: dict[str, Any] = {name: plain.number(table[name]) for name in ("core", "task", "count")}
    names = ("message", "instruction", "operand", "limit", "suggestion", "kernel", "provenance", "slip")
    found |= {name: plain.text(table[name]) for name in names}
    found |= {name: tuple(map(plain.number, table[name])) for name in ("cores", "tasks")}
    found |= {name: _place(table[name]) for name in ("related", "origin")}
    plain.require(table["rule"] in RULES and table["severity"] in SEVERITIES, "rule")
    where = {name: plain.number(value) for name, value in region.items() if name != "space"} if region else {}
    found |= {
        "rule": table["rule"],
        "severity": table["severity"],
        "location": Location("", plain.number(table["location"])),
        "carried_out": table["carried_out"] is True,
    }
    return Finding.from_dict(found | {"region": Region(plain.text(region["space"]), **where) if region else None})


@lru_cache(maxsize=4096)
def _op_text(op: Op) -> str:
    return json.dumps(asdict(op))


@lru_cache(maxsize=4096)
def _op(text: str) -> Op:
    """An instruction from its text; the same few come again and again."""
    table = json.loads(text)
    plain.require(table.keys() == _OP_FIELDS, "instructions")
    found: dict[str, Any] = {
        name: plain.text(table[name]) for name in ("name", "dtypes", "engine", "barrier", "provenance", "message")
    }
    found |= {name: plain.texts(table[name]) for name in ("operands", "waits", "queues")}
    plain.require(found["message"] in MESSAGE_KINDS, "instructions")
    writes = tuple(bool(entry) for entry in table["writes"])
    return Op(**found, writes=writes, granule=plain.count(table["granule"]))


def _intervals(pieces: np.ndarray, entry: Allocation) -> Shadow:
    """A set of intervals inside of an allocation, in order and apart."""
    flat = pieces.reshape(-1)
    plain.require(len(flat) > 0 and flat[0] >= entry.start and flat[-1] <= entry.end, "intervals")
    plain.require(bool((pieces[:, 0] < pieces[:, 1]).all() and (pieces[1:, 0] >= pieces[:-1, 1]).all()), "intervals")
    return Shadow.of(entry.start, entry.end, pieces.tolist())


def _place(value: object) -> Location | None:
    return None if value is None else Location("", plain.number(value))


def _seconds(value: object) -> float:
    plain.require(isinstance(value, float) and 0 <= value < 1e9, "times")
    return value  # type: ignore[return-value]
