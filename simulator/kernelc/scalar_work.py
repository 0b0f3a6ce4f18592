"""Counts the operations of scalar code: what the host's compiler marks in its assembly becomes an addition.

The compiler marks the beginning of every basic block with a call. Its weight is what the block computes, in simple
operations (add, multiply, compare, branch, call: 1 to 3 cycles each by mlu-ops docs/BANG-C-OPS-Develop-Guide.md). Moves
between registers and stack are the host's own business and count nothing, loads and stores are seen elsewhere.
"""

from __future__ import annotations

import re

_MARK = re.compile(rb"^\tcall\t__sanitizer_cov_trace_pc(?:@PLT)?\n", re.M)
_INSTRUCTION = re.compile(rb"^\t([a-z]\w*)(?:[ \t]+(\S.*?))?[ \t]*$", re.M)
#: A call changes the same register and flags, so that nothing that is in use is lost.
_ADDITION = b"\tmovq\tmlusim_scalar_work@GOTPCREL(%%rip), %%rax\n\taddq\t$%d, (%%rax)\n"
#: The guide's 16 cycles of a float division in operations of 2 cycles; logarithms and roots are of the same class.
_DIVISION = 8
_WEIGHTS = (
    (re.compile(rb"v?(?:div|sqrt|idiv)[a-z]*"), _DIVISION),
    (re.compile(rb"(?:v?p?(?:add|sub|mul|and|or|xor|min|max|cmp)|v?u?comis|v?cvt|vfn?m|imul|inc|dec|neg|not|adc|sbb|test"
                rb"|sh|sa[lr]|ro[lr]|set|cmov|bs[fr]|bt|[tl]zcnt|popcnt|lea|j|ret)[a-z0-9]*"), 1),
)  # fmt: skip
_CALLED = re.compile(rb"\*|[\w.$]+")
#: What calls do on the host alone: the hooks, and the conversions by which it computes in half.
_OURS = re.compile(rb"__tsan_|mlusim_|__sanitizer_|__extendhf|__truncsfhf")
_MATH = re.compile(rb"(?:exp|log|pow|sqrt|sin|cos|tan|tanh|erf|cbrt|exp2|log2|log10|expm1|log1p)[fl]?$")
#: What ends a block for sure.
_END = (b"jmp", b"ret")


def counted(assembly: bytes) -> bytes:
    """The assembly of x86-64 with every mark replaced by the count of what follows it; others stay calls of a hook."""
    marks = list(_MARK.finditer(assembly))
    pieces, at = [], 0
    for number, mark in enumerate(marks):
        limit = marks[number + 1].start() if number + 1 < len(marks) else len(assembly)
        work = _operations(assembly, mark.end(), limit)
        pieces += [assembly[at : mark.start()], _ADDITION % work if work else b""]
        at = mark.end()
    return b"".join([*pieces, assembly[at:]])


def _operations(assembly: bytes, begin: int, end: int) -> int:
    """The operations from one mark to the next, or to where the code does not go on."""
    total = 0
    for found in _INSTRUCTION.finditer(assembly, begin, end):
        name, operands = found[1], found[2] or b""
        total += _weight(name, operands)
        if name in _END:
            break
    return total


def _weight(name: bytes, operands: bytes) -> int:
    if name == b"call":
        called = _CALLED.match(operands)
        if called and _OURS.match(called[0]):
            return 0
        return _DIVISION if called and _MATH.match(called[0]) else 1
    source, _, target = operands.rpartition(b",")
    if target.strip() == b"%rsp" or (name.startswith(b"lea") and target.strip() == b"%rdi"):
        return 0  # the host's stack, the argument of a hook
    if b"xor" in name and source.strip() == target.strip():  # zero
        return 0
    return next((weight for names, weight in _WEIGHTS if names.fullmatch(name)), 0)
