"""What a launch is repeated with, to be compared with itself: orders, splits, smaller counts, numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypedDict

import numpy as np

from ...isa.cached import cached_property
from ..checks import SHAPE_ENTRIES
from ..chip.launch_kinds import KINDS
from ..core.execution import Launch
from ..core.memory.global_memory import DeviceArray
from ..text import nearest, quoted
from .structures import members_of

#: Other orders of one launch at most, other splits at most.
MOST_ORDERS, MOST_SPLITS = 1000, 100
#: What ``resplit`` takes: numbers of tasks, each with a kind or without, or the word "few".
Splits = int | Sequence[int | tuple[int, str]] | str
#: The word for splits that are chosen for the launch, as few as find most.
FEW = "few"
#: How long a further run may take: so many times as long as the launch itself, or so many seconds if that is more.
_TIMES, _SECONDS = 20, 10.0


class Split(NamedTuple):
    """So many tasks, and their kind; "" for that of the launch."""

    tasks: int
    kind: str = ""


class Repeating(TypedDict, total=False):
    """The keywords of a launch that compare it with further runs, from the same bytes."""

    #: All of these: two other orders, splits that are chosen for the launch, and the others.
    deep: bool
    #: So many other orders of its tasks; arrays that end up otherwise are reported.
    orders: int
    #: Other numbers of tasks, each with a kind or without, ``(1, 3, (8, "union2"))``; "few": chosen for the launch.
    #: Elements that both runs write have to agree within rounding.
    resplit: Splits
    #: Smaller counts: whole-number arguments that divide the size of an array. Elements have to agree as above.
    smaller: bool
    #: Smaller tiles: built anew with half of each constant that its arrays on the chip have as their size.
    retile: bool
    #: Other floating-point numbers, in arguments and arrays: those that make no difference are reported.
    vary: bool
    #: Other bytes in memory that it reads uninitialized, and in local variables that nothing sets.
    poison: bool
    #: The function that the kernel is named after; or the one of this name, such as "softmax".
    named: bool | str
    #: Other functions of its source with its parameters: a reference on the host, or another version of it. Also the
    #: kernel itself as the last commit has it, if the source has been changed.
    references: bool


@dataclass(frozen=True)
class Repeats:
    """Which further runs of a launch are compared with it, as `Repeating` says.

    ``deep``: those that a launch cannot have are left out. ValueError or TypeError for what says nothing sensible.
    """

    orders: int = 0
    resplit: Any = ()
    smaller: bool = False
    retile: bool = False
    vary: bool = False
    poison: bool = False
    named: bool | str = False
    references: bool = False
    deep: bool = False

    def __post_init__(self) -> None:
        if not whole(self.orders) or not 0 <= self.orders <= MOST_ORDERS:
            raise ValueError(f"orders is {self.orders!r}; pass a whole number from 0 to {MOST_ORDERS}")
        if isinstance(self.named, str):
            from ..checks.functions import check_function  # they are many, and few launches ask for one

            check_function(self.named)
        else:
            _check_bool("named", self.named)
        for name in ("smaller", "retile", "vary", "poison", "references", "deep"):
            _check_bool(name, getattr(self, name))
        object.__setattr__(self, "resplit", FEW if _is_few(self.resplit) else _splits(self.resplit))

    def __bool__(self) -> bool:
        return bool(self.orders or self.with_changes)

    @cached_property
    def with_changes(self) -> bool:
        """Whether any of them is of something else than the launch in another order."""
        inputs = self.smaller or self.vary or self.poison
        return bool(self.resplit or self.retile or inputs or self.named or self.references)


def _check_bool(name: str, value: Any) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {quoted(value)}; pass True or False")


def further(launch: Launch, took: float) -> Launch:
    """A launch for a further run, which may take many times the seconds that it ``took`` first.

    In another order or split, a task may wait forever: for tasks that come after it, or that are not there.
    """
    return launch._replace(time_limit=min(max(_TIMES * took, _SECONDS), launch.time_limit or math.inf))


def repeats_of(given: Repeating) -> Repeats:
    """`Repeats` of keywords; one object for launches that are run once. TypeError for a keyword that is none."""
    if not given:
        return NONE
    for name in given:
        if name not in Repeating.__annotations__:
            raise TypeError(f"unexpected keyword argument {quoted(name)}{nearest(name, Repeating.__annotations__)}")
    own = Repeats(**given)
    if not own.deep:
        return own
    return replace(
        DEEP, orders=own.orders or DEEP.orders, resplit=own.resplit or DEEP.resplit, named=own.named or DEEP.named
    )


def whole(value: Any) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def counts_among(values: Sequence[Any]) -> frozenset[int]:
    """The whole numbers of 2 or more among arguments, and the products of two or three that follow each other.

    The members of a structure count as arguments. A short array of whole numbers may be a shape: all products of its
    entries that follow each other count.
    """
    passed = plain_values(values)
    found = _products([int(value) if whole(value) else 0 for value in passed], 3)
    for entries in filter(None, map(_entries, passed)):
        found |= _products(entries, len(entries))
    return frozenset(found)


def _products(numbers: Sequence[int], most: int) -> set[int]:
    """The products of up to so many numbers that follow each other, those of 2 or more."""
    runs = (numbers[at : at + length] for length in range(1, most + 1) for at in range(len(numbers) - length + 1))
    return {count for count in map(math.prod, runs) if count > 1}


def _entries(value: Any) -> list[int]:
    """The entries of a short array of whole numbers; none of anything else."""
    held = value.held() if isinstance(value, DeviceArray) and math.prod(value.shape) <= SHAPE_ENTRIES else value
    if isinstance(held, np.ndarray) and held.dtype.kind in "iu":
        return [int(entry) for entry in held.ravel()] if held.size <= SHAPE_ENTRIES else []
    is_list = isinstance(held, (list, tuple)) and len(held) <= SHAPE_ENTRIES and all(map(whole, held))
    return [int(entry) for entry in held] if is_list else []


def passes_zero(values: Sequence[Any]) -> bool:
    """Whether one of the numbers among arguments, members of structures too, is 0 or False."""
    return any(isinstance(value, (int, float, np.number, np.bool_)) and not value for value in plain_values(values))


def plain_values(values: Sequence[Any]) -> list[Any]:
    """Arguments, with the members of structures in their places."""
    return [one for value in values for one in members_of(value).values() or [value]]


def numbers_among(values: Sequence[Any], names: Sequence[str] = ()) -> dict[str, float]:
    """The numbers that a launch passes, by the names of parameters and members; entries of short arrays, too.

    Members that several structures have are named after these, too: ``x.strides[0]``.
    """
    found: dict[str, float] = {}
    shared = Counter(member for value in values for member in members_of(value))
    for at, value in enumerate(values):
        name = names[at] if at < len(names) else f"argument {at}"
        for own, one in (members_of(value) or {name: value}).items():
            member = f"{name}.{own}" if shared[own] > 1 and members_of(value) else own
            if isinstance(one, (float, np.floating)):
                found[member] = float(one)
            elif whole(one):
                found[member] = int(one)
            else:
                found |= {f"{member}[{place}]": entry for place, entry in enumerate(_entries(one))}
    return found


def flags_among(values: Sequence[Any], names: Sequence[str]) -> frozenset[str]:
    """The parameters and members for which a launch passes true, or 1."""
    passed = (members_of(value) or {name: value} for name, value in zip(names, values, strict=False))
    return frozenset(
        name for one in passed for name, value in one.items() if value is True or (whole(value) and value == 1)
    )


def _is_few(value: Any) -> bool:
    return isinstance(value, str) and value == FEW


def _splits(given: Any) -> tuple[Split, ...]:
    """Task counts, each with a kind or without; one alone may be given as it is."""
    entries = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
    if len(entries) > MOST_SPLITS:
        raise ValueError(f"resplit has {len(entries)} entries; pass at most {MOST_SPLITS}")
    found = []
    for entry in entries:
        tasks, kind = entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, "")
        if not whole(tasks) or tasks < 1 or not isinstance(kind, str) or (kind and kind not in KINDS):
            raise ValueError(
                f"resplit has {quoted(entry)}; pass numbers of tasks, pairs such as (8, 'union2'), or {FEW!r}; "
                f"the kinds are {', '.join(KINDS)}"
            )
        found.append(Split(int(tasks), kind))
    return tuple(dict.fromkeys(found))


def splits_of(text: str, name: str) -> str | list[int | tuple[int, str]]:
    """Numbers of tasks such as ``1,3,8:union2``, or a word; none for no text. ValueError for what is no number.

    ``name`` is what users call the setting.
    """
    if text.isalpha() or not text:
        return text or []
    found: list[int | tuple[int, str]] = []
    for part in text.split(","):
        tasks, _, kind = part.strip().partition(":")
        if not tasks.isdecimal() or len(tasks) > 19:
            raise ValueError(f"{name} is {quoted(text)}; write numbers of tasks such as 1,3 or 1,8:union2, or few")
        found.append((int(tasks), kind) if kind else int(tasks))
    return found


#: A launch that is run once, and what `mlusim check --deep` compares launches with: all there is.
NONE = Repeats()
DEEP = Repeats(
    2, FEW, smaller=True, retile=True, vary=True, poison=True, named=True, references=True, deep=True
)  # fmt: skip
