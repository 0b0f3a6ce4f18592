"""A form of an instruction with its reference, and the calls on which the two are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .memory import Memory, Pointer

#: What a reference computes: ``compute(memory, *arguments)``, the arguments in the order of the prototype; it returns
#: what the instruction returns.
Compute = Callable[..., Any]


@dataclass(frozen=True)
class Call:
    """Arguments in the order of the prototype, pointers among them, and what memory holds before."""

    arguments: tuple[Any, ...]
    contents: tuple[tuple[Pointer, bytes], ...] = ()
    label: str = ""
    length: int = 1024  # bytes that every space has at least


@dataclass(frozen=True)
class Form:
    """One argument list of an instruction: ``roles`` names the parameters; dst* are written, src* are read."""

    name: str
    roles: tuple[str, ...]  # but for dst_stride and src_stride, which are values
    compute: Compute
    calls: Callable[[tuple[str, ...]], Iterable[Call]]  # from the element type of every parameter

    @property
    def shape(self) -> str:
        """The kind of every parameter: w written memory, r read memory, - a value."""
        kinds = {"dst": "w", "src": "r"}
        return "".join("-" if role.endswith("_stride") else kinds.get(role[:3], "-") for role in self.roles)


def run(form: Form, memory: Memory, call: Call) -> Any:
    """Let the reference do a call; what the instruction returns, None for nothing."""
    return form.compute(memory, *call.arguments)
