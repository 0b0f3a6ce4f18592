"""Memory accesses of compiled code that its compiler has not announced: each gets a call that shows it to the runtime.

The compiler calls a hook before most accesses. It does so not for what it takes for private or makes late: a structure
that a function returns through a hidden pointer or takes by value, a copy or fill that it expands, an element of a
local array at an index that varies. This pass reads the assembly of x86-64, follows what is in registers from one label
to the next, and asks of each access to memory whether it is

- announced: a hook was called with its address before, and nothing but hooks since;
- in the frame of its function, or in a variable that it names, at a constant distance;
- the runtime's: in one of its functions, or reached from one of its variables.

Whatever is left is shown. The call keeps all registers and flags.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import count
from typing import NamedTuple

from .assembly import CALLER_SAVED, REGISTERS, WIDE, Access, AsmPlace, accesses, operands, place_of

_INSTRUCTION = re.compile(r"\t(?:(?:lock|notrack|data16)[; \t]+)*([a-z]\w*)(?:[ \t]+([^#]*?))?[ \t]*(?:#.*)?")
#: A label that no jump goes to.
_QUIET_LABEL = re.compile(r"\.L(?:V[LU]|B[BEI]|F[BES]|EH[BE]|tmp|SFDE|func|cfi|text|COLD|HOT|FSB)")
_LABEL = re.compile(r"([\w.$]+):")
_HOOK = re.compile(r"__tsan_(?:unaligned_)?(?:volatile_)?(read|write)(\d+|_range)(?:@PLT)?")
#: The same with the bytes as an argument: what they announce, a load and a store or a load alone.
_SIZED = {"mlusim_atomic@PLT": (False, True), "mlusim_atomic": (False, True), "mlusim_structure@PLT": (False,)}
#: Calls of hooks, and of what the compiler makes of arithmetic: an access is still the one that was announced.
_NO_CHANGE = re.compile(
    r"__tsan_|__sanitizer_|__(?:extend|trunc|float|fix|add|sub|mul|div|neg|pow|u?div|u?mod|eq|ne|[lg][te]|unord|clz|ctz|ffs"
    r"|popcount|parity|bswap|ash|lsh)[a-z]*\d"
)
#: Functions of ours, which read the arguments of a launch on the host.
_ENTRY = re.compile(r"mlusim_entry_(\d+)")
#: The hook before a reference is loaded: it says where a variable lies, and is no access of the kernel's.
_READS_SLOT = ("__tsan_read8@PLT", "__tsan_read8")
#: What begins a section of the assembly, and names in it.
_IN_SECTIONS = re.compile(
    r"^(?:\t\.(?P<section>(?:section|text|data|bss|(?:push|pop)section|previous)\b.*)|(?P<label>[A-Za-z_$][\w.$]*):)$",
    re.M,
)
#: The address of a symbol, put into a register that calls keep; what changes such a register, but for its return to
#: the caller.
_KEEPS = re.compile(r"^\tleaq\t([\w.$]+)\(%rip\), %(rbx|r1[2-5])$", re.M)
_CHANGED = re.compile(
    r"^\t(?!push|pop|cmp[bwlq]?\t|test|call|j)[^#\n]*%(rbx|ebx|bx|b[lh]|r1[2-5][dwb]?)[ \t]*(?:#.*)?$"
    r"|^\tx(?:chg|add)\w*\t%(rbx|ebx|bx|b[lh]|r1[2-5][dwb]?),", re.M
)  # fmt: skip
_SIZE = re.compile(r"^\t\.(?:size|comm)\t([\w.$]+), ?(\d+)", re.M)
#: Tables that the compiler makes, and looks into where it knows that they have an element.
_TABLE = re.compile(r"@(?:\.L|CSWTCH\.)")
_MOVES = ("movq", "mov", "movabsq")
_NO_RESULT = re.compile(r"cmp(?!xchg)|test|push|call|jmp|j|v?u?comis|bt[wlq]?$|nop|ret|prefetch|[ml]fence|v?ptest")
_FIXED_RESULTS = (
    (re.compile(r"(?:i?mul|i?div)[bwlq]$|cmpxchg|rdtsc|xgetbv"), ("rax", "rdx")),
    (re.compile(r"cltq|cwtl|cbtw|lahf|xlat"), ("rax",)),
    (re.compile(r"cltd|cqto|cwtd"), ("rdx",)),
    (re.compile(r"rep|stos|movs[bwlq]?$|cmps|scas|lods"), ("rax", "rcx", "rsi", "rdi")),
    (re.compile(r"cpuid|syscall|int$"), WIDE[:4]),
)
#: Bytes from the frame's registers within which a constant distance stays on the stack.
_FRAME = 1 << 16
#: Bytes of a variable that another file defines.
_ELSEWHERE = 4096
_STACK, _OWN = "%", "!"
_SHOW = "\tpushq\t%rax\n\tleaq\t{address}, %rax\n\tpushq\t${how}\n\tcall\t*mlusim_show@GOTPCREL(%rip)\n\tpopq\t%rax\n"
_SHOW_MANY = (
    "\tpushq\t%rax\n\tleaq\t0(,%rcx,{unit}), %rax\n\tpushq\t%rax\n\tmovq\t%{base}, %rax\n\tpushq\t${how}\n"
    "\tcall\t*mlusim_show@GOTPCREL(%rip)\n\tpopq\t%rax\n\tpopq\t%rax\n"
)


class Value(NamedTuple):
    """A number and unknowns with their factors, all in all the sum that is in a register.

    Of an unknown's name the first letter says what it is: on the stack, the runtime's, the address of a symbol (`@`),
    or anything.
    """

    number: int
    terms: tuple[tuple[str, int], ...] = ()

    def plus(self, other: Value, factor: int = 1) -> Value:
        """The sum of this and another one times a factor."""
        if not other.terms:
            return Value(self.number + other.number * factor, self.terms)
        terms = dict(self.terms)
        for name, times in other.terms:
            terms[name] = terms.get(name, 0) + times * factor
        kept = tuple(sorted((name, times) for name, times in terms.items() if times))
        return Value(self.number + other.number * factor, kept)

    @property
    def base(self) -> str:
        """The only unknown, "" where there is not just one."""
        return self.terms[0][0] if len(self.terms) == 1 and self.terms[0][1] == 1 else ""


class _Mark(NamedTuple):
    address: Value
    bytes: int
    stores: tuple[bool, ...]  # what of loads and stores it announces


class _Block:
    """What is known since the last label."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        """``sizes``: bytes of the variables and functions of the file."""
        self._names, self._sizes = count(), sizes
        self.kept: dict[str, Value] = {}
        self.begin()

    def begin(self) -> None:
        """A label: only the frame is known, and what registers hold in all of the function."""
        self.values = {name: self.unknown() for name in WIDE}
        self.values |= {name: self.unknown(_STACK) for name in ("rsp", "rbp")} | self.kept
        self.slots: dict[Value, Value] = {}
        self.marks: list[_Mark] = []

    def unknown(self, kind: str = "") -> Value:
        """What nothing is known of."""
        return Value(0, ((f"{kind}{next(self._names)}", 1),))

    def address(self, place: AsmPlace) -> Value:
        """Where a place is."""
        if place.symbol.endswith("@GOTPCREL"):
            return self.unknown(_OWN)
        value = Value(place.number, ((f"@{place.symbol}", 1),) if place.symbol else ())
        if place.base and place.base != "rip":
            value = value.plus(self.values[REGISTERS[place.base][0]])
        return value.plus(self.values[REGISTERS[place.index][0]], place.scale) if place.index else value

    def step(self, name: str, text: str) -> None:
        """An instruction has been carried out."""
        parts = operands(text)
        if name.startswith("call"):
            return self._call(text)
        for pattern, registers in _FIXED_RESULTS:
            if pattern.match(name):
                self.values.update({register: self.unknown() for register in registers})
        if name.startswith(("push", "pop")):
            self.values["rsp"] = self.values["rsp"].plus(Value(-8 if name[1] == "u" else 8))
        if not parts or _NO_RESULT.match(name):
            return None
        if name.startswith(("xchg", "xadd")):
            self._write(parts[0], self.unknown())
        target = parts[-1]
        if target[:1] == "%":
            self._write(target, self._result(name, parts))
        elif (place := place_of(target)) and not place.segment:
            self._keep(self.address(place), name, parts)
        return None

    def _write(self, target: str, value: Value) -> None:
        if target[1:] in REGISTERS:
            register = REGISTERS[target[1:]][0]
            lost = register in ("rsp", "rbp") and not value.base.startswith(_STACK)
            self.values[register] = self.unknown(_STACK) if lost else value

    def _keep(self, address: Value, name: str, parts: tuple[str, ...]) -> None:
        """Something is stored: a register that is spilled is found again."""
        if address.base.startswith(_STACK):
            for near in range(-7, 16):
                self.slots.pop(address.plus(Value(near)), None)
            if name in _MOVES and parts[0][1:] in WIDE:
                self.slots[address] = self.values[parts[0][1:]]

    def _result(self, name: str, parts: tuple[str, ...]) -> Value:
        """What an instruction leaves in a register, as far as that is simple."""
        target, size = REGISTERS.get(parts[-1][1:], ("", 0))
        source, value = place_of(parts[0]), self._value(parts[0], size)
        if size == 8 and source and name.startswith("lea"):
            return self.address(source)
        if size == 8 and source and name in _MOVES:
            return self._load(source)
        if name.startswith("xor") and parts[0] == parts[-1]:
            return Value(0)
        if value is None or size < 4 or len(parts) != 2:
            return self.unknown()
        if name in _MOVES or (name == "movl" and not value.terms):
            return value
        old = self.values[target]
        if name in ("addq", "subq"):
            return old.plus(value, 1 if name == "addq" else -1)
        if name in ("salq", "shlq") and not value.terms and 0 <= value.number < 64:
            return Value(0).plus(old, 1 << value.number)
        return self.unknown()

    def _value(self, operand: str, size: int) -> Value | None:
        if operand[:1] == "%":
            return self.values.get(operand[1:]) if size == 8 else None
        text = operand[1:]
        return Value(int(text)) if operand[:1] == "$" and text.lstrip("-").isdigit() else None

    def _load(self, place: AsmPlace) -> Value:
        if place.symbol.endswith("@GOTPCREL"):
            return _symbol(place.symbol[:-9])
        address = self.address(place)
        if address.base.startswith(("@mlusim_", _OWN)):
            return self.unknown(_OWN)
        if not address.base.startswith(_STACK):
            return self.unknown()
        return self.slots.setdefault(address, self.unknown())

    def _call(self, text: str) -> None:
        hook, sized = _HOOK.fullmatch(text), _SIZED.get(text)
        if hook or sized:
            size = Value(int(hook[2])) if hook and hook[2] != "_range" else self.values["rsi"]
            stores = (hook[1] == "write",) if hook else sized or ()
            if not size.terms:
                self.marks.append(_Mark(self.values["rdi"], size.number, stores))
        elif not _NO_CHANGE.match(text):
            self.marks.clear()
            self.slots.clear()
        self.values.update({register: self.unknown() for register in CALLER_SAVED})

    def is_plain(self, access: Access) -> bool:
        """Whether the runtime need not be shown an access: it was, or its place is known."""
        place, size = access.place, access.bytes
        if place.segment or place.symbol.endswith("@GOTPCREL"):
            return True
        if not size:
            many = self.values["rcx"]
            size = 0 if many.terms else many.number * access.unit
        address = self.address(place)
        if not access.store and any(_TABLE.match(name) for name, _ in address.terms):
            return True
        return size > 0 and (self._is_known(address, size, access.store) or self._is_announced(address, size, access))

    def _is_known(self, address: Value, size: int, store: bool) -> bool:
        base, number = address.base, address.number
        if base[:1] == _STACK:
            return -_FRAME <= number < _FRAME - size
        if base[:1] == "@":
            whole = self._sizes.get(base[1:], 0 if store and not base.startswith("@mlusim_") else _ELSEWHERE)
            return 0 <= number <= whole - size
        return base[:1] == _OWN

    def _is_announced(self, address: Value, size: int, access: Access) -> bool:
        return any(
            access.store in mark.stores
            and mark.address.terms == address.terms
            and 0 <= address.number - mark.address.number <= mark.bytes - size
            for mark in self.marks
        )


def shown(assembly: str, entries: int = 0) -> str:
    """The assembly with a call before each access that is neither announced nor known.

    ``entries`` is the number of kernel entries, which are ours: no source can define one of them a second time.
    """
    lines: list[str] = []
    block, slots = _Block({name: int(size) for name, size in _SIZE.findall(assembly)}), _slots(assembly)
    function, inside, ours, at = "", False, False, 0
    for line in assembly.splitlines(keepends=True):
        at += len(line)
        if line.startswith("\t.cfi_startproc"):
            entry = _ENTRY.fullmatch(function)
            inside, ours = True, entry is not None and int(entry[1]) < entries
            block.kept = _kept(assembly[at : assembly.find("\t.cfi_endproc", at)], slots) if slots else {}
            block.begin()
        elif line.startswith("\t.cfi_endproc"):
            inside = False
        elif not inside:
            label = _LABEL.match(line)
            function = label[1] if label and not label[1].startswith(".L") else function
        elif line[:1] == "\t" and not ours and (found := _INSTRUCTION.fullmatch(line[:-1])):
            name, text = found[1], found[2] or ""
            lines += [_call(access) for access in accesses(name, text) if not block.is_plain(access)]
            of_slot = name.startswith("call") and text in _READS_SLOT and block.values["rdi"] in slots
            block.step(name, text)
            if of_slot:
                continue
        elif line.startswith("#NO_APP") or (_LABEL.match(line) and not _QUIET_LABEL.match(line)):
            block.begin()
        lines.append(line)
    return "".join(lines)


def _slots(assembly: str) -> frozenset[Value]:
    """The addresses of the references that stand for variables in simulated memory, see `storage`."""
    found, inside = [], False
    for line in _IN_SECTIONS.finditer(assembly):
        if line["section"]:
            inside = "\tmlusim_slots," in line["section"]
        elif inside:
            found.append(_symbol(line["label"]))
    return frozenset(found)


def _kept(body: str, slots: frozenset[Value]) -> dict[str, Value]:
    """The registers of a function that hold the address of a slot wherever they are in use."""
    found = {register: _symbol(name) for name, register in _KEEPS.findall(body)}
    if not found or "#APP" in body:  # what inline assembly changes is not told
        return {}
    changed = Counter(REGISTERS[register][0] for pair in _CHANGED.findall(body) for register in pair if register)
    return {name: value for name, value in found.items() if value in slots and changed[name] == 1}


def _symbol(name: str) -> Value:
    """The address of a symbol."""
    return Value(0, ((f"@{name}", 1),))


def _call(access: Access) -> str:
    """The lines that show an access."""
    place, store = access.place, int(access.store)
    if not access.bytes:
        return _SHOW_MANY.format(unit=access.unit, base=place.base, how=store)
    address = place.text
    if place.base == "rsp":  # a word has been pushed
        symbol = f"{place.symbol}+" if place.symbol else ""
        address = f"{symbol}{place.number + 8}({address.partition('(')[2]}"
    return _SHOW.format(address=address, how=2 * access.bytes + store)
