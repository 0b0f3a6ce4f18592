"""The kernel that executes a table of calls, made from the declarations."""

from __future__ import annotations

from collections.abc import Sequence

from mlusim.isa import DIALECTS, TYPES, Barrier, Kind, Overload, Parameter, Wait

BANG = DIALECTS["bang"]
#: Numbers of a row of the table: the call, how often it is repeated, its arguments.
FIELDS = 14
#: The arrays that arguments point into, by their spaces: name, bytes.
ARRAYS = {
    "gdram": (("x", 8192), ("y", 8192)),
    "nram": (("first", 8192), ("second", 4096), ("third", 1000)),
    "wram": (("weights", 4096),),
    "sram": (("shared", 4096),),
}

_HEAD = """#include <bang.h>
__nram__ char first[8192];
__nram__ char second[4096];
__nram__ char third[1000];
__wram__ char weights[4096];
__mlu_shared__ char shared[4096];
__mlu_global__ void calls(char *x, char *y, const int64_t *table, int rows) {
  char *arrays[] = {x, y, first, second, third, weights, shared};
  for (int row = 0; row < rows; ++row) {
    int64_t s[%d];
    for (int i = 0; i < %d; ++i) s[i] = table[row * %d + i];
    for (int again = 0; again < s[1]; ++again)
      switch (s[0]) {
"""
_TAIL = """        default:
          *(float *)(arrays[s[2] >> 32] + (int32_t)s[2]) = *(volatile float *)(arrays[s[3] >> 32] + (int32_t)s[3]);
      }
  }
}
"""
_KINDS = (Kind.PACKED, Kind.STRIDED, Kind.VALUE)
#: An argument that points into an array: its number, and the byte.
_POINTER = "(arrays[s[{at}] >> 32] + (int32_t)s[{at}])"


def callable_overloads(arch: int) -> list[Overload]:
    """Those that the kernel can call: of operands that are packed or at strides and numbers, waits and barriers."""
    return [
        overload
        for overload in BANG.overloads
        if overload.name.startswith("__") and arch in overload.instruction.archs
        and overload.instruction.prototype.returns == "void" and len(overload.parameters) <= FIELDS - 2
        and (isinstance(overload.instruction.effect, (Wait, Barrier)) or overload.instruction.written)
        and not overload.instruction.measured and not overload.instruction.asm
        and all(p.kind in _KINDS and p.type in _names(overload) for p in overload.parameters)
    ]  # fmt: skip


def text(overloads: Sequence[Overload]) -> str:
    """The source of a kernel that can call these."""
    calls = [f"        case {number}: {_call(overload)} break;\n" for number, overload in enumerate(overloads)]
    return "".join([_HEAD % ((FIELDS,) * 3), *calls, _TAIL])


def _names(overload: Overload) -> set[str]:
    return {*overload.binding, *TYPES, *([overload.instruction.select.c_type] if overload.instruction.select else [])}


def _call(overload: Overload) -> str:
    arguments = [_argument(overload, p, at) for at, p in enumerate(overload.parameters, 2)]
    return f"{overload.name}({', '.join(arguments)});"


def _argument(overload: Overload, p: Parameter, at: int) -> str:
    shown = p.passed or p.type
    element = TYPES[overload.binding.get(shown, shown)]
    spelled = (element.spellings if p.is_memory else element.scalar_spellings or element.spellings)[0]
    given = _POINTER.format(at=at) if p.is_memory else f"s[{at}]"
    if not p.is_memory and element.is_float:
        given = f"(float){given} / 8"
    return f"({BANG.c_type(overload, p, spelled)}){given}"
