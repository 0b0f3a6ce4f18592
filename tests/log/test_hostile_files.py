"""Logs and device files that a stranger made: what each check of the reader is for, and limits of size and shape."""

from __future__ import annotations

import io
import json
import os
import resource
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.lib.recfunctions as rfn
import pytest
from mlusim.simulator import Device, Log, launch, replay
from mlusim.simulator.chip.shape import MAX_BYTES, MAX_OWN_BYTES, MAX_OWNERS
from mlusim.simulator.log import OPERAND, RECORD
from mlusim.simulator.log.log import FORMAT
from mlusim.traces import summarise

from tests.support.paths import CHIPS

DEVICE = Device.load("mlu370-x4")


def kernel(mlu: Any, x: Any) -> None:
    tile = mlu.nram("float", 64)
    mlu.__memcpy(tile, x, 256, mlu.GDRAM2NRAM)
    mlu.__memcpy(tile, x, 32, mlu.GDRAM2NRAM, 64, 64, 2)
    mlu.__sync_cluster()
    mlu.__sync_cluster()


@pytest.fixture(scope="module")
def log() -> Log:
    return launch(kernel, (4, 1, 1), "union1", [np.zeros(64, np.float32)], device=DEVICE).log


TABLES = ("records", "operands", "runs")


def saved(path: Path, log: Log, edit: Callable[[dict[str, Any]], object]) -> Path:
    """A log with parts that ``edit`` has changed: the keys of the header, and the tables."""
    log.save(path)
    with np.load(path) as file:
        parts = {**json.loads(file["header"].tobytes()), **{name: file[name] for name in TABLES}}
    edit(parts)
    arrays = {name: parts.pop(name) for name in TABLES}
    header = np.frombuffer(json.dumps(parts).encode(), np.uint8)
    with path.open("wb") as file:
        np.savez(file, header=header, **arrays)
    return path


def put(field: str, value: int, table: str = "records", row: int = 3) -> Callable[[dict[str, Any]], object]:
    return lambda parts: parts[table][field].__setitem__(row, value)


EDITS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "instruction": (put("op", 60000), "record 3 has op"),
    "pipe": (put("pipe", 250), "record 3 has pipe"),
    "line": (put("loc", 1 << 31), "record 3 has loc"),
    "core": (put("core", 40), "record 3 has core"),
    "flags": (put("flags", 64), "record 3 has unknown flags"),
    "work": (put("work", 1 << 60), "the work of record 3"),
    "first": (put("first", 0), "record 3 does not have the operands after"),
    "space": (put("key", 9 << 56, "operands"), "operand 3 lies in no memory"),
    "owner": (put("key", (2 << 56) | (60 << 40), "operands"), "operand 3 lies in no memory"),
    "end": (put("bytes", 1 << 41, "operands"), "operand 3 passes the end"),
    "huge": (put("bytes", (1 << 64) - 1, "operands"), "operand 3 passes the end"),
    "lane": (put("lane", 1, "operands"), "operand 3 lies in lanes"),
    "lanes": (put("lanes", 64, "operands"), "operand 3 lies in lanes"),
    "run of no operand": (put("operand", 99, "runs", 0), "run 0 belongs to no operand"),
    "run before": (put("operand", 0, "runs", 1), "run 1 belongs to no operand after the last one"),
    "run too long": (put("run", 65, "runs", 0), "run 0 passes the end"),
    "run too late": (put("start", (1 << 64) - 1, "runs", 0), "run 0 passes the end"),
    "runs too many": (put("count", (9, 1, 1), "runs", 0), "run 0 passes the end"),
    "runs of none": (put("count", (1, 0, 1), "runs", 0), "run 0 passes the end"),
    "runs in lanes": (put("lane", 1, "runs", 0), "run 0 lies in lanes"),
    "fewer operands": (lambda p: p.update(operands=p["operands"][:-1]), "the table has"),
    "two axes": (lambda p: p.update(records=p["records"][None]), "no array of one dimension"),
    "objects": (lambda p: p["pipes"].append(None), "pipes of the header cannot be"),
    "names": (lambda p: p.update(device=[1]), "device of the header cannot be"),
    "writes": (lambda p: p["ops"][0]["writes"].append(True), "instruction 0 has . operands and does not say"),
    "key": (lambda p: p["ops"][0].update(x=1), "instruction 0 does not have the keys"),
    "granule": (lambda p: p["ops"][0].update(granule=0), "granule of instruction 0 cannot be 0"),
    "places": (lambda p: p["locations"].append(["x", -1]), "locations of the header cannot be"),
    "dim": (lambda p: p["launch"].update(dim=[1, 1]), "launch of the header cannot be"),
    "cores": (lambda p: p["shape"].update(clusters=1 << 30), "both together: 4096"),
    "bytes": (lambda p: p["shape"]["spaces"]["nram"].update(bytes=0), "bytes of space 'nram' cannot be 0"),
    "scope": (lambda p: p["shape"]["spaces"]["nram"].update(scope="x"), "scope of space 'nram' cannot be 'x'"),
    "isa": (lambda p: p["shape"].update(isa="alloc"), "isa is 'alloc'; the dialects are bang"),
    "nan": (lambda p: p["shape"].update(arch=float("nan")), "arch of the shape cannot be nan"),
    "version": (lambda p: p.update(format=1), "another version of mlusim"),
    "rows": (lambda p: p.update(records=np.zeros(3, [("op", "<u2")])), "another version of mlusim"),
}


@pytest.mark.parametrize("name", EDITS)
def test_every_index_of_a_log_is_checked(tmp_path, log, name):
    edit, words = EDITS[name]
    with pytest.raises(ValueError, match=words):
        Log.load(saved(tmp_path / "l", log, edit))


def test_an_unchanged_log_is_the_same(tmp_path, log):
    assert Log.load(saved(tmp_path / "l", log, lambda parts: None)) == log


def test_a_log_whose_runs_have_no_lanes_yet(tmp_path, log):
    def older(parts: dict[str, Any]) -> None:
        names = [name for name in parts["runs"].dtype.names if name not in ("lane", "lanes")]
        parts.update(format=5, runs=rfn.repack_fields(parts["runs"][names]))

    path = saved(tmp_path / "l", log, older)
    assert len(log.runs)
    assert Log.load(path) == log


def test_barriers_that_wait_for_each_other(tmp_path, log):
    """Two barriers that two cores pass in opposite order: the log is well-formed, and cannot be timed."""

    def crossed(parts: dict[str, Any]) -> None:
        records = parts["records"]
        barrier = [i for i, op in enumerate(parts["ops"]) if op["barrier"]]
        mine = np.flatnonzero(np.isin(records["op"], barrier) & (records["core"] == 0))
        records["work"][mine] = records["work"][mine][::-1]

    with pytest.raises(ValueError, match=r"its barriers let core . wait for ever"):
        replay(Log.load(saved(tmp_path / "l", log, crossed)), DEVICE.rates)


def bomb(path: Path, rows: int, dtype: np.dtype, name: str) -> None:
    """A log of which one array is very long, and short when packed."""
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive, archive.open(f"{name}.npy", "w") as member:
        head = io.BytesIO()
        descr = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (rows,)}
        np.lib.format.write_array_header_1_0(head, descr)
        member.write(head.getvalue())
        for _ in range(rows // (1 << 20)):
            member.write(bytes(dtype.itemsize << 20))


@pytest.mark.slow
def test_bombs_take_no_memory(tmp_path, log):
    path = tmp_path / "l"
    header = np.frombuffer(json.dumps(log._tables() | {"format": FORMAT}).encode(), np.uint8)
    with path.open("wb") as file:
        np.savez(file, header=header, operands=log.operands)
    bomb(path, 16 << 20, RECORD, "records")
    assert path.stat().st_size < 2 << 20
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match="record 1 does not have the operands"):
        Log.load(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
    with pytest.raises(ValueError, match="16777216 rows, too many for max_bytes"):
        Log.load(path, max_bytes=100 << 20)


def test_nothing_is_unpickled(tmp_path, log):
    class Trap:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "trap"),)

    path = tmp_path / "l"
    with path.open("wb") as file:
        np.savez(file, header=np.array([Trap()]), records=np.zeros(0, RECORD), operands=np.zeros(0, OPERAND))
    with pytest.raises(ValueError, match="is not a log"):
        Log.load(path)
    assert not (tmp_path / "trap").exists()


@pytest.mark.parametrize("load", [Log.load, Device.load])
def test_what_is_no_ordinary_file(tmp_path, load):
    pipe, folder = tmp_path / "pipe.toml", tmp_path / "folder.toml"
    os.mkfifo(pipe)  # it never gets a writer
    folder.mkdir()
    for path in (pipe, folder):
        with pytest.raises(ValueError, match="it is no ordinary file"):
            load(path)


CHIP = (CHIPS / "mlu370-x4.toml").read_text(encoding="utf-8")


def changed(old: str, new: str) -> bytes:
    """The device file with some text exchanged."""
    assert old in CHIP
    return CHIP.replace(old, new).encode()


FILES: dict[str, tuple[bytes, str]] = {
    "binary": (bytes(range(256)), "no UTF-8 text"),
    "UTF-16": (CHIP.encode("utf-16"), "no UTF-8 text"),
    "JSON": (b'{"name": "x"}', "line 1"),
    "empty": (b"", "name: is missing"),
    "large": (b"# \n" * (1 << 20), "more than 1048576 bytes"),
    "nested": (b"a = " + b"[" * 200_000, "nested too deeply"),
    "space twice": (changed("[shape.spaces.wram]", "[shape.spaces.nram]"), "nram"),
    "no memory of the device": (changed('scope = "device"\nbytes', 'scope = "core"\nbytes'), "at most"),
    "no nram": (changed("[shape.spaces.nram]", "[shape.spaces.sram2]"), "no space sram2"),
    "no registers": (changed(CHIP[CHIP.index("[shape.spaces.vreg]") : CHIP.index("[clock]")], ""), "vreg is missing"),
    "shared registers": (changed('vreg]\nscope = "core"', 'vreg]\nscope = "cluster"'), "a core of bang has its own"),
    "engine": (changed("[engines.compute]", "[engines.compote]"), "no engine compote .did you mean 'comp"),
    "clusters": (changed("clusters = { value = 8", "clusters = { value = 1099511627776"), "cores in"),
    "a digit more": (changed("value = 8,", "value = 0x" + "f" * 9000 + ","), "not a number of 36000 bits"),
    "half a cluster": (changed("value = 8,", "value = 0.5,"), "must be a whole number"),
    "memory cores": (changed("cores_per_cluster = { value = 1", "cores_per_cluster = { value = 2"), "must be 0 or 1"),
    "rate": (changed("value = 307.2", "value = 1e-300"), "from 1e-12 to 1e.30"),
    "unit": (changed("value = 307.2", 'value = "307.2 GB/s"'), "must be a number, not '307.2 GB/s'"),
    "near name": (changed("gb_per_s", "gbps"), "unknown key 'gbps' .did you mean 'gb_per_s'"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_device_files(tmp_path, name):
    data, words = FILES[name]
    path = tmp_path / "mine.toml"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=words) as caught:
        Device.load(path)
    assert str(caught.value).startswith(f"device file {path}")
    assert len(str(caught.value)) < 3000


ABSURD = [
    {"shape.clusters": MAX_OWNERS // 5},
    {"shape.clusters": 1, "shape.cores_per_cluster": 300},
    {"shape.spaces.gdram.bytes": MAX_BYTES},
    {f"shape.spaces.{space}.bytes": MAX_OWN_BYTES for space in ("nram", "ldram", "vreg")},
]  # fmt: skip


@pytest.mark.parametrize("changes", ABSURD, ids=str)
def test_a_device_of_legal_and_absurd_size_takes_little_memory(changes):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    device = DEVICE.replace(changes)
    data = np.ones(64, np.float32)
    run = launch(kernel, (device.shape.cores_per_cluster, 1, 1), "union1", [data], device=device)
    assert summarise(run.timeline).cores == device.shape.cores_per_cluster + 1  # with the memory core
    device.machine.close()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"shape.clusters": MAX_OWNERS}, "both together"),
        ({"shape.spaces.gdram.bytes": MAX_BYTES + 1}, "a device has at most"),
        ({"shape.spaces.nram.bytes": MAX_OWN_BYTES + 1}, "a core has at most"),
        ({"shape.clusters": 800, **{f"shape.spaces.{space}.bytes": 1 << 32 for space in ("nram", "wram")}}, "limit is"),
        ({"shape.arch": 1 << 31}, "must be below"),
    ],
)  # fmt: skip
def test_shapes_beyond_the_limits(changes, words):
    with pytest.raises(ValueError, match=words):
        DEVICE.replace(changes)


def test_logs_of_an_empty_launch_and_of_lanes(tmp_path, log):
    empty = Log.empty(DEVICE.shape, DEVICE.name, {})
    empty.save(tmp_path / "l")
    assert Log.load(tmp_path / "l") == empty
    assert replay(Log.load(tmp_path / "l"), DEVICE.rates).total_us == 0
    tpu = Device.load("bm1684x")

    def tensors(unit: Any, x: Any) -> None:
        unit.tpu_gdma_cpy_S2L(0, x, (1, 64, 1, 16), None, None, unit.DT_FP32)

    lanes = launch(tensors, args=[np.ones(1024, np.float32)], device=tpu).log
    lanes.save(tmp_path / "l")
    assert Log.load(tmp_path / "l") == lanes
    assert lanes.operands["lanes"].max() == 64
    assert replace(lanes, launch={}) != lanes
