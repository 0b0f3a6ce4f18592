"""Reads a log that a stranger may have made: all that replay and traces index by is checked, and nothing is executed.

A file is a zip of four arrays, stored or deflated: a JSON header as bytes, the records, the operand table and its runs.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...isa import DIALECTS
from ..chip import Shape
from ..chip.shape import check_shape
from ..files import open_regular
from ..text import printable, quoted
from .log import ALLOC, FORMAT, FREE, MESSAGE_KINDS, OPERAND, RECORD, RUNS, Log, Op
from .region import Location
from .rows import DamagedError, Rows

#: Bytes of a header; one with 100,000 source lines has about a tenth.
_LARGEST_HEADER = 1 << 26
_DIGEST = 16  # characters of what stands for a source line
_BLOCK = 1 << 16  # rows that are read and checked at a time
_MOST_GRANULE = 1 << 12
_ARRAY = re.compile(rb"\{'descr': (.*), 'fortran_order': False, 'shape': \((\d{1,12}),\), \} *\n", re.S)

Kind = Callable[[Any], bool]


class _VersionError(ValueError):
    """The file is a log of another version."""


def read_log(path: Path, max_bytes: int) -> Log:
    """The log in a file; ValueError for a file of another kind, version or content, OSError if it cannot be opened."""
    try:
        opened = open_regular(path)
    except ValueError as error:
        raise ValueError(f"{path} cannot be read: {error}; pass a file made with --log") from None
    with opened as file:
        try:
            with zipfile.ZipFile(file) as archive:
                return _log(archive, max_bytes)
        except _VersionError:
            raise ValueError(f"{path} was written by another version of mlusim; run the kernel again") from None
        except (
            # DamagedError is a ValueError; the others are what a damaged zip or JSON text ends in.
            zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, OverflowError, KeyError,
        ) as error:  # fmt: skip
            said = printable(str(error), keep="")[:300] or type(error).__name__
            raise ValueError(f"{path} is not a log written by mlusim ({said}); pass a file made with --log") from None


def _log(archive: zipfile.ZipFile, max_bytes: int) -> Log:
    limit = max_bytes
    text = _array(archive, "header", np.dtype(np.uint8), min(limit, _LARGEST_HEADER), lambda block, at: None)
    tables = json.loads(text.tobytes())
    if isinstance(tables, dict):
        if tables.get("format", FORMAT) not in (FORMAT, *_RUNS_OF):
            raise _VersionError
        tables.setdefault("digests", [])  # logs had none once
    _table("the header", tables, _HEADER)
    ops = tuple(_op(number, table) for number, table in enumerate(tables["ops"]))
    pipes, shape = tuple(tables["pipes"]), _shape(tables["shape"])
    locations = tuple(Location(file, line) for file, line in tables["locations"])
    rows = Rows(ops, pipes, locations, shape)
    records = _array(archive, "records", RECORD, limit, rows.check_records)
    operands = _array(archive, "operands", OPERAND, limit - records.nbytes, rows.check_operands)
    if rows.operands != len(operands):
        raise DamagedError(f"its records have {rows.operands} operands, the table has {len(operands)}")
    stored = _RUNS_OF.get(tables["format"])
    runs = _array(archive, "runs", RUNS, limit - records.nbytes - operands.nbytes, rows.check_runs, stored)
    device, launch = tables["device"], tables["launch"]
    return Log(records, operands, ops, pipes, locations, shape, device, launch, runs, _digests(tables))


def _digests(tables: Mapping[str, Any]) -> tuple[str, ...]:
    digests, lines = tables["digests"], tables["locations"]
    if len(digests) not in (0, len(lines)):
        raise DamagedError(f"it has {len(digests)} digests of {len(lines)} source lines")
    return tuple(digests) or ("",) * len(lines)


def _array(
    archive: zipfile.ZipFile, name: str, dtype: np.dtype, limit: int, check: Callable[[np.ndarray, int], None],
    stored: np.dtype | None = None,
) -> np.ndarray:  # fmt: skip
    """A member as an array of one dimension; every block of rows is checked before the next one is read.

    ``stored`` has the fields of an older file; the others are 0.
    """
    stored = stored or dtype
    try:
        info = archive.getinfo(f"{name}.npy")
    except KeyError:
        raise DamagedError(f"it has no array {name!r}") from None
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DamagedError(f"{name!r} is packed in another way")
    with archive.open(info) as file:
        magic = file.read(10)
        text = file.read(int.from_bytes(magic[8:], "little"))
        found = _ARRAY.fullmatch(text)
        if magic[:8] != b"\x93NUMPY\1\0" or found is None:
            raise DamagedError(f"{name!r} is no array of one dimension")
        if found[1].decode("latin-1") != repr(np.lib.format.dtype_to_descr(stored)):
            if dtype.names and found[1].startswith(b"["):  # other fields
                raise _VersionError
            raise DamagedError(f"{name!r} has elements of another type")
        count = int(found[2])
        if count * dtype.itemsize > limit:
            raise DamagedError(f"{name!r} has {count} rows, too many for max_bytes")
        if 10 + len(text) + count * stored.itemsize != info.file_size:
            raise DamagedError(f"{name!r} is not as long as it says")
        array = np.zeros(count, dtype)  # takes no memory before rows are read into it
        for at in range(0, count, _BLOCK):
            block = array[at : at + _BLOCK]
            wanted = len(block) * stored.itemsize
            data = file.read(wanted)
            if len(data) != wanted:
                raise DamagedError(f"{name!r} ends early")
            (block if stored == dtype else block[list(stored.names or ())])[:] = np.frombuffer(data, stored)
            check(block, at)
        file.read(1)  # the end: the check sum is compared there
    return array


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _whole(least: int, most: int) -> Kind:
    return lambda value: type(value) is int and least <= value <= most


def _none_or(kind: Kind) -> Kind:
    return lambda value: value is None or kind(value)


def _list(kind: Kind, most: int = 1 << 32) -> Kind:
    return lambda value: isinstance(value, list) and len(value) <= most and all(map(kind, value))


def _place(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and _text(value[0]) and _whole(0, 1 << 31)(value[1])


def _dict(value: Any) -> bool:
    return isinstance(value, dict)


_COUNT = _whole(1, 1 << 40)
#: Rows of the table of runs in older formats that are read: they said nothing of lanes.
_RUNS_OF: Mapping[int, np.dtype] = {5: np.dtype([entry for entry in RUNS.descr if entry[0] not in ("lane", "lanes")])}
_HEADER: Mapping[str, Kind] = {
    "format": _whole(min(_RUNS_OF), FORMAT), "ops": _list(_dict, 1 << 16), "pipes": _list(_text, 1 << 8),
    "locations": _list(_place), "shape": _dict, "device": _text,
    "digests": lambda value: _list(_text)(value) and all(len(entry) <= _DIGEST for entry in value),
    "launch": lambda value: _dict(value) and all(_LAUNCH.get(k, lambda _: False)(v) for k, v in value.items()),
}  # fmt: skip
_LAUNCH: Mapping[str, Kind] = {
    "kernel": _text,
    "type": _text,
    "dim": lambda value: _list(_whole(1, 1 << 32), 3)(value) and len(value) == 3,
    "block": lambda value: _list(_whole(1, 1 << 10), 3)(value) and len(value) == 3,
    "shared": _whole(0, 1 << 40),
    "left_out": _whole(1, 1 << 60),
    "queue": _whole(0, 1 << 40),  # these of a program with host code of its own
    "device_number": _whole(0, 1 << 16),
    "start_us": lambda value: isinstance(value, (int, float)) and 0 <= value < float("inf"),
}
_OP: Mapping[str, Kind] = {
    "name": _text, "dtypes": _text, "operands": _list(_text, 1 << 16), "engine": _text, "barrier": _text,
    "writes": _list(lambda value: isinstance(value, bool), 1 << 16), "waits": _list(_text), "queues": _list(_text),
    "message": lambda value: isinstance(value, str) and value in MESSAGE_KINDS, "provenance": _text,
    "granule": _whole(1, _MOST_GRANULE),
}  # fmt: skip
_SHAPE: Mapping[str, Kind] = {
    "isa": _text, "arch": _COUNT, "clusters": _COUNT, "cores_per_cluster": _COUNT,
    "memory_cores_per_cluster": _whole(0, 1), "memory_core_stores": _whole(0, 1),
    "memory_core_task": _whole(0, 1 << 16), "spaces": _dict,
    "lanes": _none_or(_COUNT), "banks": _none_or(_COUNT), "eu_bytes": _none_or(_COUNT), "threads": _none_or(_dict),
}  # fmt: skip
_THREADS: Mapping[str, Kind] = dict.fromkeys(
    ("warp", "per_block", "per_cluster", "static_shared", "shared_per_cluster"), _COUNT
)
_SPACE: Mapping[str, Kind] = {
    "name": _text, "bytes": _COUNT, "reserved": _whole(0, 1 << 40),
    "scope": lambda value: value in ("device", "cluster", "core"),
}  # fmt: skip


def _table(where: str, value: Mapping[str, Any], kinds: Mapping[str, Kind]) -> None:
    """A table has these keys, each with a value of its kind."""
    if not isinstance(value, dict) or set(value) != set(kinds):
        raise DamagedError(f"{where} does not have the keys {', '.join(kinds)}")
    for key, right in kinds.items():
        if not right(value[key]):
            raise DamagedError(f"{key} of {where} cannot be {quoted(value[key])}")


def _op(number: int, table: dict[str, Any]) -> Op:
    where = f"instruction {number}"
    _table(where, table, _OP)
    operands = len(table["operands"])
    if operands != len(table["writes"]) or (table["name"] in (ALLOC, FREE) and operands != 1):
        raise DamagedError(f"{where} has {operands} operands and does not say which it writes")
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return Op(**values)


def _shape(table: dict[str, Any]) -> Shape:
    _table("the shape", table, _SHAPE)
    for name, space in table["spaces"].items():
        _table(f"space {quoted(name)}", space, _SPACE)
        if space["name"] != name or space["reserved"] >= space["bytes"]:
            raise DamagedError(f"space {quoted(name)} contradicts itself")
    if table["threads"] is not None:
        _table("threads", table["threads"], _THREADS)
    shape = Shape.from_dict(table)
    check_shape(shape)
    if shape.isa not in DIALECTS:
        raise DamagedError(f"isa is {quoted(shape.isa)}; the dialects are {', '.join(DIALECTS)}")
    return shape
