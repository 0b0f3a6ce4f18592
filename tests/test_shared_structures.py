"""What C++ and Python share has one source: the reader of C declarations sees them as the compiler does."""

import ctypes
import subprocess

import numpy as np
import pytest
from mlusim.simulator import Device, structures
from mlusim.simulator.log import OPERAND, RECORD
from mlusim.simulator.log.recorder import operand_packer, pack_record
from mlusim.simulator.native import INCLUDE
from mlusim.simulator.native.compiler import Compiler

NATIVE = INCLUDE.parent
#: What Python reads: structures and enumerations (with the prefix of its names) of each header.
SHARED = {
    "log_rows.h": (["mlusim_record", "mlusim_operand", "mlusim_runs", "mlusim_shape"], {"mlusim_flag": "MLUSIM_"}),
    "runtime/mlusim_rt.h": (
        [
            "mlusim_range",
            "mlusim_run",
            "mlusim_rows",
            "mlusim_start",
            "mlusim_task",
            "mlusim_variable",
            "mlusim_callbacks",
            "mlusim_fault",
        ],
        {"mlusim_fault_kind": "MLUSIM_", "mlusim_touched": "MLUSIM_"},
    ),
    "passes/flow/flow.h": (["Cause", "Instruction", "Work"], dict.fromkeys(["Kind", "Step", "Way", "Outcome"], "")),
    "passes/timing/walk.h": (["mlusim_walk"], {"mlusim_reason": "MLUSIM_"}),
    "threads/simt.h": (
        ["simt_range", "simt_launch", "simt_fault", "simt_row", "simt_stored"],
        {"simt_fault_kind": "SIMT_", "simt_access": "SIMT_", "simt_space": "SIMT_"},
    ),
}


@pytest.mark.parametrize("name", SHARED)
def test_the_reader_and_the_compiler_agree(name, tmp_path):
    compare(NATIVE / name, *SHARED[name], tmp_path)


def test_both_follow_another_order_of_fields(tmp_path):
    orders = {
        "log_rows.h": ("uint64_t key, bytes;", "uint64_t bytes, key;"),
        "runtime/mlusim_rt.h": ("  int32_t kind;\n  uint64_t address,", "  uint64_t kind;\n  uint32_t address,"),
    }
    for name, (old, new) in orders.items():
        text = (NATIVE / name).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text.replace(old, new), encoding="utf-8")
    rows, runtime = (structures.Header(tmp_path / name) for name in ("log_rows.h", "runtime/mlusim_rt.h"))
    assert rows.dtype("mlusim_operand").names == ("bytes", "key", "lane", "lanes")
    assert [kind for _, kind in runtime.fields("mlusim_fault")][:2] == [ctypes.c_uint64, ctypes.c_uint32]
    compare(tmp_path / "log_rows.h", ["mlusim_operand", "mlusim_record"], {}, tmp_path)
    compare(tmp_path / "runtime/mlusim_rt.h", ["mlusim_fault"], {}, tmp_path)


def compare(path, kinds, enumerations, folder):
    """Sizes, places and values, as a program prints them that the compiler builds with the header."""
    header, asked, expected = structures.Header(path), [], []
    for kind in kinds:
        size, members = layout_of(header, kind)
        asked.append(f"sizeof({kind})")
        expected.append(size)
        for member, place in members.items():
            asked += [f"offsetof({kind}, {member})", f"sizeof({kind}::{member})"]
            expected += place
    for enumeration, prefix in enumerations.items():
        for member in header.enumeration(enumeration, prefix):
            asked.append(prefix + member.name)
            expected.append(member.value)
    source, program = folder / "probe.cpp", folder / "probe"
    lines = [f'  printf("%zu ", size_t({text}));' for text in asked]
    source.write_text(
        "\n".join(["#include <stddef.h>", "#include <stdio.h>", f'#include "{path}"', "int main() {", *lines, "}", ""])
    )
    subprocess.run([*Compiler().command, "-std=c++17", "-o", program, source], check=True)
    found = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert [int(number) for number in found.split()] == expected


def layout_of(header, kind):
    """Bytes of a structure, and offset and bytes of its members, of ctypes where it can have it."""
    try:
        made = type(kind, (ctypes.Structure,), {"_fields_": header.fields(kind)})
    except ValueError:  # packed
        dtype = header.dtype(kind)
        return dtype.itemsize, {name: (dtype.fields[name][1], dtype[name].itemsize) for name in dtype.names}
    members = {name: (getattr(made, name).offset, getattr(made, name).size) for name, _ in made._fields_}
    if kind != "mlusim_callbacks":
        dtype = header.dtype(kind)
        assert members == {name: (dtype.fields[name][1], dtype[name].itemsize) for name in dtype.names}
        assert ctypes.sizeof(made) == dtype.itemsize
    return ctypes.sizeof(made), members


def test_rows_are_written_in_the_order_of_the_header():
    """What packs a row by place would put numbers into the wrong fields if the header had another order."""
    numbers = {"flags": 3, "core": 4, "task": 5, "loc": 6, "work": 7, "gaps": 8}
    pages = bytearray(RECORD.itemsize)
    pack_record(pages, 0, *numbers.values())
    row = np.frombuffer(pages, RECORD)[0]
    assert {name: int(row[name]) for name in RECORD.names} == {"op": 0, "pipe": 0, "first": 0} | numbers
    operands = {"lanes": [(1, 2, 3, 4), (5, 6, 7, 8)], "no lanes": [(1, 2, 0, 0), (3, 4, 0, 0)]}
    for lanes, rows in operands.items():
        pages = bytearray(2 * OPERAND.itemsize)
        given = rows if lanes == "lanes" else [row[:2] for row in rows]
        operand_packer(2, lanes == "lanes")(pages, 0, *[number for row in given for number in row])
        found = np.frombuffer(pages, OPERAND)
        assert [tuple(map(int, (row["key"], row["bytes"], row["lane"], row["lanes"]))) for row in found] == rows


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ("struct s { int a; };", r"h\.h: s has a member that is no plain one, 'int a'"),
        ("struct s { uint32_t a : 3; };", r"'uint32_t a : 3'"),
        ("struct s { uint32_t a = 1; };", r"'uint32_t a = 1'"),
        ("struct s { uint32_t a[2][3]; };", r"'uint32_t a \[ 2 \] \[ 3 \]'"),
        ("struct s { uint32_t a[SIZE]; };", r"SIZE is declared as no plain number"),
        ("struct s { other a; };", r"other is not declared plainly"),
        ("struct s { struct { uint8_t b; } a; };", r"s is not declared plainly"),
        ("struct s { uint8_t a; uint64_t f() const { return 1; } };", r"s is not declared plainly"),
        ("struct t { uint8_t a; };", r"s is not declared plainly"),
    ],
)
def test_what_is_not_plain_is_an_error(declared, problem, tmp_path):
    path = tmp_path / "h.h"
    path.write_text(declared)
    with pytest.raises(ValueError, match=problem):
        structures.Header(path).fields("s")


def test_an_enumeration_with_more_than_numbers_is_an_error(tmp_path):
    path = tmp_path / "h.h"
    path.write_text("enum e { A, B = 1 << 3, C };\nenum f { P_X = 4, P_Y, P_Z = 9 };\nconstexpr int SIZE = 12;\n")
    found = structures.Header(path)
    with pytest.raises(ValueError, match=r"e has 'B = 1 < < 3', which is no plain number"):
        found.enumeration("e")
    assert {kind.name: kind.value for kind in found.enumeration("f", "P_")} == {"X": 4, "Y": 5, "Z": 9}
    assert found.constant("SIZE") == 12


def test_a_warp_has_as_many_threads_in_c_as_on_the_device():
    shape = Device.load("cuda-sm80").shape
    assert structures.header("threads/simt.h").constant("SIMT_WARP") == shape.threads.warp
