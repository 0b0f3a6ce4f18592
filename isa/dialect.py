"""A dialect: all instructions of one ISA family, with the names that are known but not modelled."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any

from .declare import Instruction, Overload
from .prototype import Parameter


@dataclass(frozen=True)
class Dialect:
    """The instruction set that kernels of one vendor are written in."""

    name: str
    title: str
    instructions: tuple[Instruction, ...]
    known: Mapping[str, str]  # name -> what it does, for names that compile and are not modelled
    source: str = "bang-c"  # the language of its kernels, as the compiler front end knows it
    prefix: str = "__"  # of the names that C kernels call
    address_types: Mapping[str, str] = field(default_factory=dict)  # space -> C type of addresses, if no pointer
    constants: Mapping[str, int] = field(default_factory=dict)  # named values that Python kernels use
    queries: Mapping[str, str] = field(default_factory=dict)  # function -> the built-in variable that it returns
    cached_space: str = ""  # the space that the scalar unit sees through a cache
    launch_type: str = "block"  # how kernels are launched unless told otherwise

    @cached_property
    def overloads(self) -> tuple[Overload, ...]:
        """Every overload; the position is its number at the C boundary."""
        return tuple(overload for entry in self.instructions for overload in entry.overloads())

    @cached_property
    def values(self) -> dict[str, int]:
        """Every named value that a kernel may pass: constants, and the cases of selecting arguments."""
        selects = [entry.select for entry in self.instructions if entry.select is not None]
        labels = {case.label: value for select in selects for value, case in select.cases.items()}
        return {**labels, **self.constants}

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """Name (or mnemonic of inline assembly) -> numbers of its overloads."""
        table: dict[str, list[int]] = {}
        for number, overload in enumerate(self.overloads):
            table.setdefault(overload.instruction.asm or overload.name, []).append(number)
        return table

    def named(self, name: str) -> list[Instruction]:
        """All declarations under a vendor's name (several when the argument lists differ)."""
        return [entry for entry in self.instructions if entry.name == name]

    def c_type(self, overload: Overload, parameter: Parameter, spelled: str) -> str:
        """The C type of a parameter whose element type (or type of a bare value) is ``spelled`` so: ``const half*``."""
        select = overload.instruction.select
        if select is not None and parameter.name == select.argument:
            return select.c_type
        if not parameter.is_memory:
            return spelled
        const = "" if parameter.writes else "const "
        if parameter.register:
            return f"{const}vv_{overload.element(parameter).name}&"
        space = parameter.space or overload.instruction.space
        return self.address_types.get(space) or f"{const}{'void' if parameter.opaque else spelled}*"

    def nearest(self, name: str, count: int = 3) -> list[str]:
        """The names most like a misspelt one."""
        names = {entry.name for entry in self.instructions} | set(self.known)
        return difflib.get_close_matches(name, names, count, 0.6)


def collect(*modules: ModuleType) -> tuple[Instruction, ...]:
    """Every `Instruction` (or tuple of them) that the modules define, in the order of definition."""

    def flatten(value: Any) -> Iterator[Instruction]:
        if isinstance(value, Instruction):
            yield value
        elif isinstance(value, tuple):
            for entry in value:
                yield from flatten(entry)

    return tuple(entry for module in modules for value in vars(module).values() for entry in flatten(value))
