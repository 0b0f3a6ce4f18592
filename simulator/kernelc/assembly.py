"""What instructions of x86-64 do to memory, in the words of the assembler (AT&T syntax)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

WIDE = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", *(f"r{n}" for n in range(8, 16)))
#: The registers that a call may change.
CALLER_SAVED = ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")
#: Names of registers of the processor's core, with the whole that they are of and their bytes.
REGISTERS: dict[str, tuple[str, int]] = {
    **{name: (name, 8) for name in WIDE},
    **{"e" + name[1:]: (name, 4) for name in WIDE[:8]},
    **{name[1:]: (name, 2) for name in WIDE[:8]},
    **{f"{letter}{part}": (f"r{letter}x", 1) for letter in "abcd" for part in "lh"},
    **{f"{name}l": (f"r{name}", 1) for name in ("si", "di", "bp", "sp")},
    **{f"{name}{part}": (name, size) for name in WIDE[8:] for part, size in (("d", 4), ("w", 2), ("b", 1))},
}
_PLACE = re.compile(
    r"\*?(?:%(?P<segment>[fg]s):)?(?P<symbol>[A-Za-z_.$][\w.$]*(?:@\w+)?)?(?P<number>(?:[-+]?\d+)*)"
    r"(?P<inside>\((?:%(?P<base>\w+))?(?:,(?:%(?P<index>\w+))?(?:,(?P<scale>[1248]))?)?\))?"
)
_COMMA = re.compile(r",(?![^()]*\))")
_BYTES = {"b": 1, "w": 2, "l": 4, "q": 8}
_STRING = re.compile(r"(?:rep[a-z]*[; \t]+)?(stos|movs|cmps|scas|lods)([bwlq])$")
_UNTOUCHED = re.compile(r"lea|nop|prefetch|clflush|invlpg|j(?!mp)")
_READ_ONLY = re.compile(
    r"cmp[bwlq]?$|test|v?u?comis|bt[wlq]?$|push|call|jmp|i?(?:mul|div)[bwlq]$|f(?!n?st|ist|xsave)|v?ptest|ldmxcsr|fxrstor"
)
_CHANGES = re.compile(
    r"(?:add|sub|and|or|xor|adc|sbb|inc|dec|neg|not|sh[lr]|sa[lr]|ro[lr]|rc[lr]|sh[lr]d|xadd|xchg|cmpxchg|bt[src])[bwlq]?$"
)
#: The only function of the C library that nothing can stand for: it stores a `jmp_buf`, 200 bytes.
_SETJMP = re.compile(r"_?setjmp(?:@PLT)?$|__sigsetjmp(?:@PLT)?$")
_SIZES = tuple(
    (re.compile(pattern), size)
    for pattern, size in (
        (r"cmpxchg16b", 16), (r"cmpxchg8b", 8), (r"fxsave|fxrstor", 512), (r"set|movzb|movsb[wlq]", 1),
        (r"movzw|movsw[lq]|f?n?st[cs]w|fldcw", 2), (r"movslq|movsxd", 4),
        (r"v?cvtsi2s[sd]l|v?cvtt?ss2|v?movss|v?movd$|[lv]?[ds]t?mxcsr|movntil?$", 4),
        (r"v?cvtsi2s[sd]q|v?cvtt?sd2|v?cvt(?:ps|dq)2pd|v?mov[lh]p[sd]|v?movq|v?movsd|v?movddup|movntiq", 8),
        (r"fi\w*ll$|fi\w*q$", 8), (r"fi\w*s$", 2), (r"fi\w*l$", 4), (r"f\w*t$", 10), (r"f\w*s$", 4), (r"f\w*l$", 8),
        (r"v?p(?:ins|ext)rb", 1), (r"v?p(?:ins|ext)rw", 2), (r"v?p(?:ins|ext)rd", 4), (r"v?p(?:ins|ext)rq", 8),
        (r"v?p?mov[sz]x\w*", 8), (r"v?[a-z0-9]+ss$", 4), (r"v?[a-z0-9]+sd$", 8), (r"pushq?|popq?|call|jmp", 8),
        (r"v?[a-z0-9]+p[sd]$|v?mov(?:nt)?dq|v?lddqu|v?p[a-z]{2,}\w*$|v?aes|v?mov[au]p", 16),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AsmPlace:
    """A place in memory as it is written; names of registers are of whole ones."""

    text: str
    segment: str
    symbol: str
    number: int
    base: str
    index: str
    scale: int


class Access(NamedTuple):
    """A load or store of an instruction: its operand, and its bytes (0: as many elements of ``unit`` as rcx says)."""

    place: AsmPlace
    bytes: int
    store: bool
    unit: int = 0


_SOURCE, _TARGET = AsmPlace("(%rsi)", "", "", 0, "rsi", "", 1), AsmPlace("(%rdi)", "", "", 0, "rdi", "", 1)


@lru_cache(maxsize=1 << 14)
def operands(text: str) -> tuple[str, ...]:
    """The operands of an instruction."""
    return tuple(part.strip() for part in _COMMA.split(text)) if text else ()


@lru_cache(maxsize=1 << 14)
def place_of(text: str) -> AsmPlace | None:
    """The place in memory that an operand names, None where it is a register, a constant or what cannot be read."""
    found = _PLACE.fullmatch(text) if text[:1] != "$" else None
    if found is None or text[:2] == "*%" or (text[:1] == "%" and not found["segment"]):
        return None
    number = sum(map(int, re.findall(r"[-+]?\d+", found["number"])))
    segment, symbol, base, index = (found[name] or "" for name in ("segment", "symbol", "base", "index"))
    return AsmPlace(text.lstrip("*"), segment, symbol, number, base, index, int(found["scale"] or 1))


@lru_cache(maxsize=1 << 14)
def accesses(name: str, text: str) -> tuple[Access, ...]:
    """What an instruction loads and stores; nothing of what it pushes or pops by itself."""
    string = _STRING.match(f"{name} {text}" if name[:3] == "rep" else name) if not text or name[:3] == "rep" else None
    if string:
        return _string(string[1], _BYTES[string[2]], name[:3] == "rep")
    if name.endswith("maskmovdqu"):
        return (Access(_TARGET, 16, True),)
    if name.startswith("call") and _SETJMP.match(text):
        return (Access(_TARGET, 200, True),)
    parts = operands(text)
    direct = name.startswith(("call", "jmp")) and text[:1] != "*"
    found = [(at, place) for at, part in enumerate(parts) if (place := place_of(part))]
    if not found or direct or _UNTOUCHED.match(name):
        return ()
    at, place = found[-1]
    size = _size(name, parts)
    if at < len(parts) - 1 or _READ_ONLY.match(name):
        return (Access(place, size, False),)
    if _CHANGES.match(name):
        return Access(place, size, False), Access(place, size, True)
    return (Access(place, size, True),)


def _string(kind: str, unit: int, repeated: bool) -> tuple[Access, ...]:
    size = 0 if repeated and kind != "scas" else unit
    to, source = Access(_TARGET, size, kind in ("stos", "movs"), unit), Access(_SOURCE, size, False, unit)
    return {"stos": (to,), "scas": (to,), "lods": (source,)}.get(kind, (source, to))


def _size(name: str, parts: tuple[str, ...]) -> int:
    if any(part.startswith("%ymm") for part in parts):
        return 32
    for pattern, size in _SIZES:
        if pattern.match(name):
            return size
    return _BYTES.get(name[-1], 1)
