"""The rules of an instruction on its arguments, and the architectures they hold on."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from .errors import DeclarationError

DOCUMENTED = "documented"
INFERRED = "inferred"

_COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "!=": operator.ne, "==": operator.eq,
}  # fmt: skip
_ARCH = re.compile(r"(>=|<=|>|<|!=|==)\s*(\d+)")


@dataclass(frozen=True)
class Archs:
    """A set of architectures such as ``>=322 !=372``; empty text means all."""

    text: str = ""

    def __post_init__(self) -> None:
        if self.text and _ARCH.sub("", self.text).strip():
            raise DeclarationError(f"not a set of architectures: {self.text!r}")

    def __contains__(self, arch: int) -> bool:
        return all(_COMPARE[op](arch, int(number)) for op, number in _ARCH.findall(self.text))

    def meets(self, other: Archs) -> bool:
        """Whether an architecture can be in both."""
        return _meet(self.text, other.text)

    def __str__(self) -> str:
        return self.text or "all"


@lru_cache(maxsize=1024)  # most declarations share their sets
def _meet(one: str, other: str) -> bool:
    both = Archs(f"{one} {other}")
    bounds = {int(number) for _, number in _ARCH.findall(both.text)} or {0}
    return any(bound + step in both for bound in bounds for step in (-1, 0, 1))


@dataclass(frozen=True)
class Align:
    """The addresses of memory operands are multiples of ``multiple`` bytes, a power of two."""

    multiple: int
    operands: tuple[str, ...] = ()  # empty: all
    archs: Archs = Archs()
    provenance: str = DOCUMENTED


@dataclass(frozen=True)
class Require:
    """``condition`` holds (where ``when`` does): expressions over the names of the prototype and of ``let``.

    An operand's name is its address; ``sizeof_x``, ``lane_x``, ``space_x``, ``order_x``, ``placed_x`` say more of it.
    """

    condition: str
    archs: Archs = Archs()
    provenance: str = DOCUMENTED
    rule: str = "argument"
    when: str = ""
    needed: bool = False  # the semantics has no meaning without it


Rule = Align | Require
