"""Counts the operations of scalar code: what the host's compiler marks in its assembly becomes an addition.

The compiler marks the beginning of every basic block with a call. Its weight is what the block computes, in simple
operations (add, multiply, compare, branch, call: 1 to 3 cycles each by mlu-ops docs/BANG-C-OPS-Develop-Guide.md). Moves
between registers and stack are the host's own business and count nothing, loads and stores are seen elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from ..native.machine import AARCH64, PROCESSOR, X86_64

#: The guide's 16 cycles of a float division in operations of 2 cycles; logarithms and roots are of the same class.
_DIVISION = 8


class _Assembly(NamedTuple):
    """How a processor's assembly is counted."""

    mark: re.Pattern[bytes]
    #: A call changes the same registers and flags, so that nothing that is in use is lost.
    addition: Callable[[int], bytes]
    weights: tuple[tuple[re.Pattern[bytes], int], ...]
    calls: tuple[bytes, ...]
    ends: tuple[bytes, ...]  # what ends a block for sure
    is_hosts: Callable[[bytes, bytes], bool]  # whether an instruction and its operands are the host's business


def _is_hosts_x86(name: bytes, operands: bytes) -> bool:
    """Its stack, the argument of a hook, a zero."""
    source, _, target = operands.rpartition(b",")
    if target.strip() == b"%rsp" or (name.startswith(b"lea") and target.strip() == b"%rdi"):
        return True
    return b"xor" in name and source.strip() == target.strip()


def _is_hosts_arm(name: bytes, operands: bytes) -> bool:
    """Its stack, the argument of a hook, the address of a variable."""
    target = operands.partition(b",")[0].strip()
    return target == b"sp" or (name in (b"add", b"sub") and target == b"x0") or b":lo12:" in operands


_X86_64 = _Assembly(
    mark=re.compile(rb"^\tcall\t__sanitizer_cov_trace_pc(?:@PLT)?\n", re.M),
    addition=lambda work: b"\tmovq\tmlusim_scalar_work@GOTPCREL(%%rip), %%rax\n\taddq\t$%d, (%%rax)\n" % work,
    weights=(
        (re.compile(rb"v?(?:div|sqrt|idiv)[a-z]*"), _DIVISION),
        (re.compile(rb"(?:v?p?(?:add|sub|mul|and|or|xor|min|max|cmp)|v?u?comis|v?cvt|vfn?m|imul|inc|dec|neg|not|adc|sbb"
                    rb"|test|sh|sa[lr]|ro[lr]|set|cmov|bs[fr]|bt|[tl]zcnt|popcnt|lea|j|ret)[a-z0-9]*"), 1),
    ),
    calls=(b"call",),
    ends=(b"jmp", b"ret"),
    is_hosts=_is_hosts_x86,
)  # fmt: skip
_AARCH64 = _Assembly(
    mark=re.compile(rb"^\tbl\t__sanitizer_cov_trace_pc\n", re.M),
    addition=lambda work: b"\tadrp\tx16, :got:mlusim_scalar_work\n\tldr\tx16, [x16, :got_lo12:mlusim_scalar_work]\n"
    b"\tldr\tx17, [x16]\n\tadd\tx17, x17, #%d\n\tadd\tx17, x17, #%d, lsl #12\n\tstr\tx17, [x16]\n"
    % (work & 0xFFF, work >> 12),
    weights=(
        (re.compile(rb"[su]div|f(?:div|sqrt)"), _DIVISION),
        (re.compile(rb"cbn?z|tbn?z|[su]?m(?:add|sub)l?|cinc|csinc"), 2),  # two instructions where x86-64 is the host
        (re.compile(rb"(?:add|sub|adc|sbc|neg|ngc|[su]?mul|[su]?mnegl?|and|orr|orn|eo[rn]|bic|mvn|ls[lr]|asr|ror|cm[pn]"
                    rb"|ccm[pn]|tst|cs(?:el|et|inv|neg)|cneg|cinv|f(?:add|sub|n?mul|abd|min|max|abs|neg|cmp|ccmp|csel|cvt"
                    rb"|rint)|[su]cvtf|rbit|rev|cl[sz]|[su]bf|bf|[su]min|[su]max|cnt|ret|br?$|b\.)[a-z0-9]*"), 1),
    ),
    calls=(b"bl", b"blr"),
    ends=(b"b", b"br", b"ret"),
    is_hosts=_is_hosts_arm,
)  # fmt: skip
#: By processor.
_ASSEMBLIES = {X86_64: _X86_64, AARCH64: _AARCH64}
_INSTRUCTION = re.compile(rb"^\t([a-z][\w.]*)(?:[ \t]+(\S.*?))?[ \t]*$", re.M)
_CALLED = re.compile(rb"\*|[\w.$]+")
#: What calls do on the host alone: the hooks, and the conversions by which it computes in half.
_OURS = re.compile(rb"__tsan_|mlusim_|__sanitizer_|__extendhf|__truncsfhf")
_MATH = re.compile(rb"(?:exp|log|pow|sqrt|sin|cos|tan|tanh|erf|cbrt|exp2|log2|log10|expm1|log1p)[fl]?$")


def counted(assembly: bytes, processor: str = PROCESSOR) -> bytes:
    """The assembly with every mark replaced by the count of what follows it; others stay calls of a hook."""
    code = _ASSEMBLIES[processor]
    marks = list(code.mark.finditer(assembly))
    pieces, at = [], 0
    for number, mark in enumerate(marks):
        limit = marks[number + 1].start() if number + 1 < len(marks) else len(assembly)
        work = _operations(assembly, mark.end(), limit, code)
        pieces += [assembly[at : mark.start()], code.addition(work) if work else b""]
        at = mark.end()
    return b"".join([*pieces, assembly[at:]])


def _operations(assembly: bytes, begin: int, end: int, code: _Assembly) -> int:
    """The operations from one mark to the next, or to where the code does not go on."""
    total = 0
    for found in _INSTRUCTION.finditer(assembly, begin, end):
        name, operands = found[1], found[2] or b""
        total += _weight(name, operands, code)
        if name in code.ends:
            break
    return total


def _weight(name: bytes, operands: bytes, code: _Assembly) -> int:
    if name in code.calls:
        called = _CALLED.match(operands)
        if called and _OURS.match(called[0]):
            return 0
        return _DIVISION if called and _MATH.match(called[0]) else 1
    if code.is_hosts(name, operands):
        return 0
    return next((weight for names, weight in code.weights if names.fullmatch(name)), 0)
