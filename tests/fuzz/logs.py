"""Mutated logs: each is read, timed, summed up, written as a trace and examined, or a ValueError with a sentence."""

from __future__ import annotations

import io
import json
import random
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from mlusim.simulator import Device, Log, launch, load, replay
from mlusim.simulator.checks.after_run import dispensable, examine
from mlusim.simulator.log import OPERAND, RECORD, RUNS
from mlusim.traces import summarise, write_trace

from .search import Tally, command, mutated

#: The arrays of a log.
TABLES = ("records", "operands", "runs")

#: Rows that a bomb claims, or has.
MANY = 1 << 22
VALUES = (
    None,
    True,
    0,
    -1,
    1.5,
    float("nan"),
    float("inf"),
    1 << 40,
    1 << 70,
    "",
    "\x1b[31m",
    "\u202e",
    [],
    {},
    [[]],
    "alloc",
    [0],
)


def sources() -> dict[Path, tuple[str, Callable[..., None], Device]]:
    """Kernels whose logs are mutated: barriers, shared memory, variables; lanes and queues."""
    return {
        Path("mlu"): ("union1", _mlu, Device.load("mlu370-x4")),
        Path("tpu"): ("cores", _tpu, Device.load("bm1684x")),
    }


def _mlu(mlu: Any, x: Any) -> None:
    tile, shared = mlu.nram("float", 64), mlu.sram("float", 64)
    mlu.__memcpy(tile, x, 256, mlu.GDRAM2NRAM)
    mlu.__memcpy(tile, x, 16, mlu.GDRAM2NRAM, 32, 64, 1)
    mlu.__bang_add(tile, tile, tile, 64)
    mlu.__sync_cluster()
    mlu.__memcpy(shared, x, 256, mlu.GDRAM2SRAM)
    mlu.__sync_cluster()
    if mlu.taskId == 0:
        mlu.__memcpy_async(x, tile, 256, mlu.NRAM2GDRAM)
        mlu.__sync()
        x[0] = x[1]


def _tpu(tpu: Any, x: Any) -> None:
    shape = (1, 64, 1, 16)
    tpu.tpu_gdma_cpy_S2L(0, x, shape, None, None, tpu.DT_FP32)
    tpu.tpu_bdc_fp_add(4096, 0, 0, shape, None, None, None, tpu.DT_FP32)
    tpu.tpu_poll()
    x[0] = x[1]


def made(kind: str, kernel: Callable[..., None], device: Device) -> Log:
    """The log of one of the kernels."""
    data = np.ones(4096, np.float32)
    dim = (device.shape.cores_per_cluster if kind == "union1" else 1, 1, 1)
    return launch(kernel, dim, kind, [data], device=device, on_finding="collect").log


def threads(folder: Path) -> tuple[Log, Device]:
    """The log of a kernel of thread blocks, and its device."""
    source, device = folder / "turn.cu", Device.load("cuda-sm80")
    source.write_text(
        "__global__ void turn(float* x) {\n  __shared__ float s[64];\n  s[threadIdx.x] = x[3 * threadIdx.x];\n"
        "  __syncthreads();\n  x[threadIdx.x] = s[63 - threadIdx.x];\n}\n",
        encoding="utf-8",
    )
    data = np.ones(256, np.float32)
    return load([source], device=device).launch("turn", 3, args=[data], block=64).log, device


def parts(path: Path) -> dict[str, Any]:
    """A log as plain data: its header and its tables."""
    with np.load(path) as file:
        return {
            "header": json.loads(file["header"].tobytes()),
            **{name: file[name] for name in TABLES},
        }


def packed(log: dict[str, Any], rng: random.Random) -> bytes:
    """The bytes of a log, whatever its parts are."""
    out = io.BytesIO()
    header = log["header"] if isinstance(log["header"], bytes) else json.dumps(log["header"]).encode()
    members = {"header": np.frombuffer(header, np.uint8), **{name: log[name] for name in TABLES}}
    names = [name for name in members if name != log.get("without")]
    rng.shuffle(names)
    with (
        zipfile.ZipFile(out, "w", log.get("packing", zipfile.ZIP_DEFLATED)) as archive,
        warnings.catch_warnings(action="ignore", category=UserWarning),  # of a name that is there twice
    ):
        for name in [*names, *log.get("again", ())]:
            data = io.BytesIO()
            np.lib.format.write_array(data, members[name], allow_pickle=True)
            archive.writestr(f"{name}.npy", log.get("raw", {}).get(name, data.getvalue()))
    return out.getvalue()


def edited(value: Any, rng: random.Random) -> Any:
    """JSON data with one value of it exchanged, dropped, doubled or moved."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        changed = {**value, key: edited(value[key], rng)}
        if rng.random() < 0.1:
            changed.pop(key)
        if rng.random() < 0.05:
            changed["x\x1b"] = value[key]
        return changed
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        match rng.randrange(8):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return [*value, value[at]]
            case 2:
                return value[::-1]
            case _:
                return [*value[:at], edited(value[at], rng), *value[at + 1 :]]
    return rng.choice(VALUES)


def rows(array: np.ndarray, rng: random.Random) -> np.ndarray:
    """A table with some numbers exchanged, or rows dropped, doubled, moved or of another type."""
    array = array.copy()
    kind = rng.randrange(9)
    at = rng.randrange(len(array))
    if kind == 0:
        return np.delete(array, at)
    if kind == 1:
        return np.insert(array, at, array[at])
    if kind == 2:
        return array[rng.sample(range(len(array)), len(array))]
    if kind == 3:
        return array[: at + 1] if rng.random() < 0.5 else array[:0]
    if kind == 4:
        strange = (
            array[array.dtype.names[0]],
            np.zeros((2, 2)),
            np.array(["a"]),
            np.array([{}]),
            array.astype(object),
            array[None],
            array[..., None],
        )
        return np.asarray(rng.choice(strange))  # fmt: skip
    for _ in range(rng.choice((1, 1, 2, 5))):
        column = array[rng.choice(list(array.dtype.names))].reshape(len(array), -1)  # some have three numbers
        at, axis = rng.randrange(len(array)), rng.randrange(column.shape[1])
        top = np.iinfo(column.dtype).max
        numbers = (0, 1, 2, 3, 7, 8, top, top - 1, top // 2, rng.randrange(top), column[at - 1, axis])
        column[at, axis] = rng.choice(numbers)
    return array


def variant(log: dict[str, Any], whole: bytes, rng: random.Random) -> bytes:
    """The bytes of a log with something else in it."""
    log = dict(log)
    match rng.randrange(10):
        case 0 | 1:
            return mutated(whole, rng)
        case 2 | 3:
            log["header"] = edited(log["header"], rng)
        case 4 | 5 | 6:
            name = rng.choice([name for name in TABLES if len(log[name])])
            log[name] = rows(log[name], rng)
        case 7:
            name = rng.choice(("header", *TABLES))
            log.update(
                rng.choice(
                    (
                        {"without": name},
                        {"again": [name]},
                        {"packing": zipfile.ZIP_LZMA},
                        {"packing": zipfile.ZIP_STORED},
                    )
                )
            )
        case 8:
            text = rng.choice(
                (b"", b"{", b"[" * 100_000, b"null", b"[1]", b'{"format": 3}', b"\xff\xfe", b"{" + b'"a":{' * 100_000)
            )
            log["header"] = text
        case _:
            name = rng.choice(("header", *TABLES))
            log["raw"] = {name: claimed(name, rng)}
    return packed(log, rng)


def claimed(name: str, rng: random.Random) -> bytes:
    """An array that claims more rows than it has, or has very many equal ones, or a header that is none."""
    dtype = {"header": np.dtype(np.uint8), "records": RECORD, "operands": OPERAND, "runs": RUNS}[name]
    head = io.BytesIO()
    count = rng.choice((MANY, 1 << 60, 10**11, 0))
    np.lib.format.write_array_header_1_0(
        head, {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (count,)}
    )
    if rng.random() < 0.3:
        return mutated(head.getvalue(), rng)
    return head.getvalue() + bytes(dtype.itemsize * (count if count == MANY and rng.random() < 0.2 else 3))


def use(path: Path, trace: Path, device: Device) -> None:
    """Read a log, time it, sum it up, write its trace, and look for hazards."""
    log = Log.load(path, max_bytes=1 << 29)
    timeline = replay(log, device.rates)
    summarise(timeline).to_dict()
    write_trace(timeline, trace)
    json.loads(trace.read_text(encoding="utf-8"), parse_constant=_refuse)
    examine(log, [], "collect")
    dispensable(log)
    for index in range(0, len(log), 7):
        list(log.regions(index))
        log.location(index)


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def run(count: int, seed: int) -> Tally:
    """Try so many logs."""
    rng, tally = random.Random(seed), Tally()
    with tempfile.TemporaryDirectory(prefix="logs-") as folder:
        path, trace = Path(folder) / "l.mlulog", Path(folder) / "t.json"
        originals = []
        logs = [(made(kind, kernel, device), device) for kind, kernel, device in sources().values()]
        for log, device in [*logs, threads(Path(folder))]:
            log.save(path)
            use(path, trace, device)
            originals.append((parts(path), path.read_bytes(), device))
        for number in range(count):
            log, whole, device = rng.choice(originals)
            path.write_bytes(variant(log, whole, rng))
            tally.attempt(f"log {number} of seed {seed}", (ValueError,), partial(use, path, trace, device))
    return tally


if __name__ == "__main__":
    sys.exit(command("logs", 5000, run))
