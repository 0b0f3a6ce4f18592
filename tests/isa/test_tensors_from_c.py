"""The instructions of test_lanes.py called from C, and what only C has: structures by pointer, unions, helpers."""

from __future__ import annotations

import ctypes
import itertools
import random
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, Finding, KernelError, load

from tests.isa import lane_cases as made
from tests.isa.lane_cases import CODES, LAYOUTS, PLAIN, Case, Room, device, local_memory, rooms, whole
from tests.isa.references import tensors
from tests.isa.references.lanes import Four, Local, Tensor, continuous
from tests.isa.references.numbers import BYTES, encode, size_of
from tests.isa.tensors_from_c import FUNCTIONS, SOURCE, built
from tests.support.sources import line_of

CHIPS = pytest.mark.parametrize("chip", ["bm1690", "bm1688"])
NO_SHAPE, WILD_SHAPE, LATE_SHAPE = 8, 16, 32


class Dim4(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in "nchw"]


class CallArguments(ctypes.Structure):
    _fields_ = [
        ("image", ctypes.c_uint64), ("at", ctypes.c_uint32 * 8), ("shape", Dim4), ("stride", Dim4 * 3),
        ("whole", Dim4), *((name, ctypes.c_int) for name in ("given", "function", "dtype", "source_dtype", "mode")),
        ("system", ctypes.c_uint64),
    ]  # fmt: skip


class LayoutArguments(ctypes.Structure):
    _fields_ = [("out", ctypes.c_uint64), ("shape", Dim4), ("start", ctypes.c_int), ("dtype", ctypes.c_int)]


def run(chip: str, case: Case, flags: int = LATE_SHAPE) -> tuple[list[Finding], str]:
    """The findings of a call from C, and where memory is not what the reference says."""
    first = case.operands[:3]
    image, system = (device(chip).array(np.frombuffer(held, np.uint8)) for held in (case.before, case.system_before))
    offset = case.operands[case.outside].address if case.outside >= 0 else 0
    arguments = CallArguments(
        image.address, (ctypes.c_uint32 * 8)(*(t.address for t in case.inside)), Dim4(*first[0].shape),
        (Dim4 * 3)(*(Dim4(*(t.stride or (0, 0, 0, 0))) for t in first)), Dim4(*whole(case.local)),
        flags | sum(1 << number for number, t in enumerate(first) if t.stride is None), FUNCTIONS.index(case.name),
        CODES[first[0].kind], CODES[first[1].kind], case.mode, system.address + offset,
    )  # fmt: skip
    found = built(device(chip)).launch("call", (1, 1, 1), args=arguments, on_finding="collect").findings
    return found, case.difference(image.numpy().tobytes(), system.numpy().tobytes())


@CHIPS
@pytest.mark.parametrize("name", tensors.BINARY)
def test_binary_functions(chip: str, name: str) -> None:
    layouts = itertools.cycle(itertools.product(PLAIN, LAYOUTS, LAYOUTS))
    for room, shape in rooms(chip, name):
        kind = room.chance.choice(["half", "bfloat16", "float"])
        dst, src0, src1 = (room.tensor(s, shape, kind) for s in next(itertools.islice(layouts, 53, None)))
        assert run(chip, made.binary(name, room.local, dst, src0, src1)) == ([], "")


@pytest.mark.parametrize("mode", range(len(tensors.ROUNDING)))
def test_casts(mode: int) -> None:
    for target, source in (("int8", "half"), ("half", "float"), ("bfloat16", "uint32"), ("uint16", "bfloat16")):
        room = Room(local_memory("bm1690"), random.Random(mode), 60)
        src = room.tensor("apart", (2, 70, 1, 3), source)
        dst = room.tensor("turned" if mode % 2 else "aligned", (2, 70, 1, 3), target)
        assert run("bm1690", made.cast(room.local, dst, src, mode)) == ([], "")


@CHIPS
def test_power(chip: str) -> None:
    assert run(chip, made.power(local_memory(chip), 5, [2.0, 3.0, 0.5], [10.0, -2.5, 0.0, 7.0])) == ([], "")


@CHIPS
@pytest.mark.parametrize("name", made.COPIES)
def test_copies(chip: str, name: str) -> None:
    for (room, shape), kind in zip(rooms(chip, name), itertools.cycle(kind for kind in CODES if kind not in BYTES)):
        case = made.copy(name, room, room.chance.choice(("aligned", "dense", "apart")), shape, kind)
        assert run(chip, case) == ([], "")


# --- what C may get wrong --------------------------------------------------------------------------------------------


def sum_case() -> Case:
    room = Room(local_memory("bm1690"), random.Random(2), 5)
    return made.binary("tpu_bdc_fp_add", room.local, *(room.tensor("aligned", (1, 3, 1, 4), "float") for _ in range(3)))


def test_a_null_shape_is_a_finding_and_the_kernel_goes_on() -> None:
    case = sum_case()
    case.local.load(case.before)  # nothing is added
    (finding,), wrong = run("bm1690", case, NO_SHAPE)
    assert (finding.rule, finding.instruction) == ("argument", "tpu_bdc_fp_add")
    assert finding.message == "shape is null"
    assert (finding.location.file, finding.location.line) == (str(SOURCE), line_of(SOURCE, "^    CASES$"))
    assert wrong == ""
    assert run("bm1690", sum_case()) == ([], "")


def test_a_wild_shape_is_a_finding_and_the_process_lives() -> None:
    (finding,), _ = run("bm1690", sum_case(), WILD_SHAPE)
    assert (finding.rule, finding.severity) == ("bounds", "error")
    assert (finding.location.file, finding.location.line) == (str(SOURCE), line_of(SOURCE, "^    CASES$"))
    assert run("bm1690", sum_case()) == ([], "")


def test_whether_a_section_is_open() -> None:
    out = device("bm1690").array(np.full(4, 9, np.int32))
    arguments = ctypes.c_uint64(out.address)
    assert built(device("bm1690")).launch("sections", (1, 1, 1), args=arguments).findings == []
    assert out.numpy().tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("suffix", [".c", ".cpp"])
def test_nothing_is_divided_by_what_is_not_modelled(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"kernel{suffix}"
    path.write_text(
        '#include "tpu_kernel.h"\nint divide(const void *arguments) {\n'
        "  int *out = (int *)tpu_global_mem_addr(*(const global_addr_t *)arguments);\n  out[0] = 1;\n"
        "  out[1] = 100 / tpu_physical_core_id();\n  out[2] = 3;\n  return 0;\n}\n"
        "TPUKERNEL_FUNC_REGISTER(divide);\n"
    )
    made = load([path], device=device("bm1690"))
    out = device("bm1690").array(np.zeros(4, np.int32))
    found = made.launch("divide", (1, 1, 1), args=ctypes.c_uint64(out.address), on_finding="collect").findings
    assert [(f.rule, f.instruction, f.location.line) for f in found] == [("not-modelled", "tpu_physical_core_id", 5)]
    assert out.numpy().tolist() == [1, 0, 0, 0]
    with pytest.raises(KernelError, match="tpu_physical_core_id"):
        made.launch("divide", (1, 1, 1), args=ctypes.c_uint64(out.address))


@pytest.mark.parametrize(
    ("kind", "value"), [("float", -1.5), ("int16", -7), ("half", 1 + 2**-10), ("uint32", 0xDEADBEEF)]
)
def test_a_scalar_in_a_union(kind: str, value: float) -> None:
    """The bits of the element type count: lines that are not found are filled with them."""
    on, line_bytes = device("bm1690"), 16 * size_of(kind)
    given = encode(kind, range(64)).ljust(512, b"\0") + encode("uint32", [2, 9, 0, 4])
    system, out = on.array(np.frombuffer(given, np.uint8)), on.array(np.zeros(4 * line_bytes, np.uint8))
    arguments = CallArguments(image=out.address, dtype=CODES[kind], system=system.address)
    assert built(device("bm1690")).launch("gather", (1, 1, 1), args=arguments).findings == []
    lines = encode(kind, range(32, 48)), encode(kind, [value]) * 16, encode(kind, range(16)), encode(kind, [value]) * 16
    assert out.numpy().tobytes() == b"".join(lines)


# --- helpers of layouts ----------------------------------------------------------------------------------------------


def ceiling(x: int, step: int) -> int:
    return (x + step - 1) // step * step


def expected_layouts(shape: Four, start: int, kind: str, chip: Device) -> list[int]:
    """What the helpers give: four strides, then sizes."""
    lanes, width = chip.shape.lanes, chip.shape.eu_bytes // size_of(kind)
    local = Local(lanes, chip.shape.spaces["local"].bytes // lanes, chip.shape.eu_bytes)
    n, c, h, w = shape
    rows = len(range(0, start + c, lanes))
    line = ceiling(w, width)
    return [
        *local.aligned(Tensor(start * local.lane_bytes, shape, kind)),
        *(rows * h * w, h * w, w, 1),
        *(rows * h * line, h * line, line, 1),
        *continuous(shape),
        ceiling(h * w * size_of(kind), chip.shape.eu_bytes), rows, *[65535] * 4,
        width, size_of(kind), lanes, local.lane_bytes,
        *(n * rows * channel * size_of(kind) for channel in (h * w, ceiling(h * w, width))),
    ]  # fmt: skip


@pytest.mark.parametrize("chip", [Device.load("bm1690"), Device.load("bm1688")], ids=lambda chip: chip.name)
def test_layouts(chip: Device) -> None:
    chance = random.Random(4)
    for kind in CODES:
        for start in (0, 5, chip.shape.lanes - 1):
            shape = (
                chance.randrange(1, 9),
                chance.choice([1, 27, 32, 64, 65, 500]),
                *chance.choices(range(1, 40), k=2),
            )
            out = np.zeros(28, np.int32)
            held = chip.array(out)
            built(chip).launch(
                "layouts", (1, 1, 1), args=LayoutArguments(held.address, Dim4(*shape), start, CODES[kind])
            )
            assert held.numpy().tolist() == expected_layouts(shape, start, kind, chip), (shape, start, kind)
