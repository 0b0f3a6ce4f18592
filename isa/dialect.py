"""A dialect: all instructions of one ISA family, its address spaces, and the names that are known but not modelled."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .cached import cached_property
from .space import AddressSpace

if TYPE_CHECKING:  # who looks at the spaces of a dialect need not wait for its instructions
    from .instruction import Instruction, Overload
    from .prototype import Parameter


class Instructions(Sequence["Instruction"]):
    """The ``INSTRUCTIONS`` of a module of a dialect, which is imported when one of them is asked for."""

    def __init__(self, module: str) -> None:
        self.module = module

    @cached_property
    def _all(self) -> tuple[Instruction, ...]:
        found: tuple[Instruction, ...] = import_module(self.module).INSTRUCTIONS
        return found

    def __getitem__(self, at: Any) -> Any:
        return self._all[at]

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


@dataclass(frozen=True)
class Dialect:
    """The instruction set that kernels of one vendor are written in."""

    name: str
    title: str
    instructions: Sequence[Instruction]
    listed: Mapping[str, str]  # name -> what it does, for names that compile
    spaces: Mapping[str, AddressSpace]
    pipes: tuple[str, ...]  # that a wait can name
    language: str = "bang-c"  # of its kernels, as the compiler front end knows it
    prefix: str = "__"  # of the names that C kernels call
    constants: Mapping[str, int] = field(default_factory=dict)  # named values that Python kernels use
    queries: Mapping[str, str] = field(default_factory=dict)  # function -> the built-in variable that it returns
    giving: frozenset[str] = frozenset()  # known names whose result a kernel goes on with
    computed: Mapping[str, str] = field(
        default_factory=dict
    )  # functions of the kernel's own processor -> what they give
    launch_type: str = "block"  # how kernels are launched unless told otherwise; "grid": as blocks of threads
    queues: tuple[str, ...] = ()  # pipes that run one after the other unless a section is open
    classes: frozenset[str] = frozenset()  # engines by which instructions are paid for, also ones that none has yet
    scalar_waits: tuple[str, ...] = ()  # pipes that a scalar access waits for
    in_order: tuple[str, ...] = ()  # pipes without waits: even a deferred effect is complete in order there
    register_bytes: int = 0  # of one vector register
    flushes: bool = False  # its arithmetic takes subnormal floats for 0, and gives none

    @property
    def threads(self) -> bool:
        """Whether its kernels run as grids of blocks of threads."""
        return self.launch_type == "grid"

    @cached_property
    def known(self) -> dict[str, str]:
        """What the names do that compile and are not declared."""
        declared = {entry.name for entry in self.instructions}
        return {name: doc for name, doc in self.listed.items() if name not in declared}

    @cached_property
    def overloads(self) -> tuple[Overload, ...]:
        """Every overload; the position is its number at the C boundary."""
        return tuple(overload for entry in self.instructions for overload in entry.overloads())

    @cached_property
    def values(self) -> dict[str, int]:
        """Every named value that a kernel may pass: constants, and what the arguments of instructions are called."""
        labels: dict[str, int] = {}
        for entry in self.instructions:
            labels.update(entry.labels)
        return {**labels, **self.constants}

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """Name (or mnemonic of inline assembly) -> numbers of its overloads."""
        table: dict[str, list[int]] = {}
        for number, overload in enumerate(self.overloads):
            table.setdefault(overload.instruction.asm or overload.name, []).append(number)
        return table

    @cached_property
    def engines(self) -> frozenset[str]:
        """What a device file may give the cost of: what pays for instructions, and the scalar unit on every space.

        Where kernels run as blocks of threads, a space itself pays for the transactions to it.
        """
        if self.threads:
            return frozenset({"scalar", *self.spaces})
        from .instruction import TENSOR, TENSOR_ENGINES

        paid = {"scalar", *(f"scalar_{space}" for space in self.spaces), *self.classes}
        for entry in self.instructions:
            pipes = [case.pipe for case in entry.select.cases.values()] if entry.select else [entry.pipe]
            paid.update([entry.engine] if entry.engine else pipes)
        if TENSOR in paid:
            paid.update(TENSOR_ENGINES)
        return frozenset(paid)

    @cached_property
    def needed_spaces(self) -> frozenset[str]:
        """The spaces that a device must have, as instructions name them whatever their arguments are."""
        if self.threads:
            return frozenset(self.spaces)
        named = {entry.space_of(p) for entry in self.instructions if not entry.select for p in entry.prototype.memory}
        return frozenset(name for name in named if not self.spaces[name].members) | {next(iter(self.spaces))}

    @cached_property
    def cached_space(self) -> str:
        """The space that the scalar unit sees through a cache, or ""."""
        return next((name for name, space in self.spaces.items() if space.cached), "")

    def named(self, name: str) -> list[Instruction]:
        """All declarations under a vendor's name (several when the argument lists differ)."""
        return list(self._named.get(name, ()))

    @cached_property
    def _named(self) -> dict[str, list[Instruction]]:
        table: dict[str, list[Instruction]] = {}
        for entry in self.instructions:
            table.setdefault(entry.name, []).append(entry)
        return table

    def cache_instruction(self, action: str) -> str:
        """The name of the instruction that does this to the scalar unit's cache, or ""."""
        from .effects import Cache

        entries = (e for e in self.instructions if isinstance(e.effect, Cache) and e.effect.action == action)
        return next((entry.name for entry in entries), "")

    def wait_for(self, pipe: str) -> str:
        """The narrowest instruction that waits for a pipe and does nothing else, or ""."""
        from .effects import Wait

        waits = [
            entry
            for entry in self.instructions
            if pipe in entry.waits and isinstance(entry.effect, Wait) and entry.prototype.returns == "void"
        ]
        return min(waits, key=lambda entry: len(entry.waits)).name if waits else ""

    def c_type(self, overload: Overload, parameter: Parameter, spelled: str) -> str:
        """The C type of a parameter, of which the target or the bare value is ``spelled`` so: ``const half*``."""
        from .types import UNIONS, VARIABLES

        entry = overload.instruction
        if entry.select is not None and parameter.name == entry.select.argument:
            return entry.select.c_type
        if parameter.kind == "struct":
            return f"const {parameter.type}*" if parameter.pointer else parameter.type
        if parameter.kind == "variable":
            c_type = VARIABLES[parameter.form][0]
            return f"const {c_type.removesuffix(' *')}*" if c_type.endswith("*") else c_type
        if parameter.kind == "bits":
            return UNIONS[parameter.form][0]
        if not parameter.is_memory:
            return spelled
        const = "" if parameter.writes else "const "
        if parameter.register:
            return f"{const}vv_{overload.element(parameter).name}&"
        space = self.spaces.get(entry.space_of(parameter))
        address = space.address_type if space else ""
        return address or f"{const}{spelled}*"

    def nearest(self, name: str, count: int = 3) -> list[str]:
        """The names most like a misspelt one."""
        return list(_nearest(name, self._names, count))

    def containing(self, part: str) -> list[str]:
        """The names that a part is in."""
        return [name for name in self._names if part in name]

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(sorted({entry.name for entry in self.instructions} | set(self.known) | set(self.computed)))


#: Parts of names that mean the same, in the words of older and newer toolkits.
_SAME = {"const": "scalar", "short": "int16", "int": "int32", "uchar": "uint8", "char": "int8", "eq": "equal"}
#: How alike two names have to be, in letters or in parts.
_LEAST = 0.6
_CONVERSION = re.compile(r"(u?int(?:8|16|32|64)?|half|float|bfloat16|short|u?char)2(\w+)")


@lru_cache(maxsize=1024)  # a kernel may execute the same unknown instruction over and over
def _nearest(name: str, names: tuple[str, ...], count: int) -> tuple[str, ...]:
    wanted, found = _parts(name), []
    for other in names:
        parts = _parts(other)
        # What all names of a family begin with says nothing.
        skip = wanted[0] == parts[0] and min(len(wanted), len(parts)) > 1
        one, two = ("_".join(words[skip:]) for words in (wanted, parts))
        letters = difflib.SequenceMatcher(None, one, two).ratio()
        # The operation stands first: another one is another meaning, however its letters look.
        meaning = (difflib.SequenceMatcher(None, wanted, parts).ratio() + (wanted[:2] == parts[:2])) / 2
        if max(letters, meaning) >= _LEAST:
            found.append((letters + meaning, other))
    return tuple(other for _, other in sorted(found, key=lambda entry: -entry[0])[:count])


def _parts(name: str) -> list[str]:
    """What a name is made of: family, operation, and the rest, by one word for each meaning."""
    words = _CONVERSION.sub(r"\1_2_\2", name.strip("_")).split("_")
    return [_SAME.get(word, word) for word in words]
