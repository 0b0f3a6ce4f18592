"""A launch that is compared with itself: the same arrays in other splits, tiles, with smaller counts, other numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ..checks.results import Beside, Count, TileSize
from ..chip.launch_kinds import BLOCK, GRID, KINDS, LaunchKind, ThreadGrid, Three, Union
from ..chip.shape import Shape
from ..core.execution import Launch
from ..findings import Finding
from ..log import Location
from .anew import BuiltReference
from .grids import OtherGrid, other_grids
from .repeats import FEW, Repeats, Split, flags_among, numbers_among, whole
from .structures import members_of, with_member

#: What launches cannot be compared with, and why those of thread blocks are not.
IN_TILES = "in smaller tiles"
NO_TILES = (f"{IN_TILES}: the tiles of thread blocks go with the threads that they are launched with",)
#: A count below this leaves too little to be compared.
_SMALLEST = 4
#: How many of the smallest groups of tasks of a kind are tried, two that the launch has not.
_FEW = 1, 3, 2


@dataclass(frozen=True)
class Variant:
    """A launch that is to leave what another leaves, where both write."""

    #: How the launch itself is: "with 4 tasks", "with n = 1024".
    base: str
    #: How this one is: "with 3 tasks", "with n = 1023".
    said: str
    launch: Launch
    values: Sequence[Any]
    #: The smaller count that it passes. It does a part of the work, and agrees nearly everywhere; if it does not, the
    #: number is no count.
    count: Count | None = None
    #: The kernel, if it is built anew.
    kernel: Any = None
    #: The constant of the source that is smaller in it, and that may say how large tiles are.
    tile: TileSize | None = None
    #: Whether the user says that the kernel takes so many tasks. It may be written for those of the launch alone.
    asked: bool = True
    #: The grid, if it runs on another grid of thread blocks.
    grid: OtherGrid | None = None
    #: Whether local variables that nothing sets hold other bytes in it.
    poisoned: bool = False
    #: The other function of the source that it runs in the kernel's place.
    reference: Beside | None = None


@dataclass(frozen=True)
class Varied:
    """A floating-point argument, and launches that are to leave something else, since another number is passed."""

    said: str  # "scale = 2.5"
    variants: tuple[Variant, ...]


class Meant(NamedTuple):
    """The function that results are compared with, "": that of the kernel's name; and the numbers that are passed.

    ``flags`` are those for which the launch passes true, or 1.
    """

    function: str
    numbers: Mapping[str, float]
    flags: frozenset[str]


@dataclass(frozen=True)
class Variants:
    """What a launch is compared with, and then what came of it."""

    chosen: tuple[Variant, ...] = ()
    varied: tuple[Varied, ...] = ()
    #: What the text of the kernel shows.
    static: tuple[Finding, ...] = ()
    #: What cannot be launched, and why.
    refused: tuple[str, ...] = ()
    #: How many other orders of ``what`` are run, and whether they have been.
    orders: int = 0
    ordered: bool = False
    what: str = "its tasks"
    #: Gives the variants whose kernels are not built yet.
    built: Callable[[], Iterable[Variant]] | None = None
    #: Whether the launch has been compared, and how often it was run again for that.
    done: bool = False
    runs: int = 0
    #: The variants that say nothing, and why.
    unfit: Mapping[str, str] = field(default_factory=dict)
    #: Whether its inputs hold other numbers, too, and whether places along their axes are exchanged.
    elements: bool = False
    places: bool = False
    #: Whether memory that it reads uninitialized holds other bytes, too.
    poison: bool = False
    #: The function that its results are compared with, and what was found to be equal to it, in words.
    named: Meant | None = None
    equal: tuple[str, ...] = ()
    #: The lines of waits that had something to wait for in one of the variants.
    needed: frozenset[Location] = frozenset()

    def __bool__(self) -> bool:
        others = self.chosen or self.varied or self.elements or self.built or self.poison
        return bool(others) or self.named is not None

    def completed(self) -> Variants:
        """With those that have to be built, which the launch itself shows to be worth it."""
        return replace(self, chosen=(*self.chosen, *(self.built() if self.built else ())), built=None, done=True)

    @property
    def tried(self) -> str:
        """What was tried besides the launch, and what could not be."""
        orders = [f"in {self.orders} other order{'s' * (self.orders > 1)} of {self.what}"] if self.orders else []
        tried = [*orders] if self.ordered else []
        if self.done:
            tried += [variant.said for variant in self.chosen if variant.said not in self.unfit]
            tried += [f"with other numbers than {one.said}" for one in self.varied]
            tried += ["with other numbers in its inputs"] * self.elements
            tried += ["with places along axes exchanged"] * self.places
            tried += ["with other bytes in uninitialized memory"] * self.poison
        said = f"run again {', '.join(tried)}" if tried else "run once"
        left = [] if self.ordered else orders
        left += [] if self.done else [variant.said for variant in self.chosen]
        left += ["built anew"] * (self.built is not None)
        missing = [f"{', '.join(left)}: the launch itself breaks rules"] if left else []
        missing += [f"{said}: {why}" for said, why in self.unfit.items()]
        return "; ".join([said, *self.equal, *(f"not {text}" for text in (*missing, *self.refused))])


NO_VARIANTS = Variants()


def variants_of(
    repeats: Repeats, shape: Shape, launch: Launch, values: Sequence[Any], names: Sequence[str],
    shapes: Sequence[tuple[int, ...]], sizes: Collection[int] = (),
) -> Variants:  # fmt: skip
    """The variants of a launch; ``names`` are those of its parameters, ``shapes`` those of its arrays.

    ``sizes`` are the numbers that its source defines.
    """
    smaller = _smaller(launch, values, names, shapes) if repeats.smaller else ()
    varied = tuple(_varied(launch, values, names)) if repeats.vary else ()
    function = repeats.named if isinstance(repeats.named, str) else ""
    named = Meant(function, numbers_among(values, names), flags_among(values, names)) if repeats.named else None
    found = Variants(varied=varied, orders=repeats.orders, elements=repeats.vary, poison=repeats.poison, named=named)
    asked = repeats.resplit != FEW
    chosen: list[Variant] = []
    if isinstance(launch.kind, ThreadGrid):
        for grid in other_grids(repeats, shape, launch, sizes) if repeats.resplit else ():
            other = launch._replace(dim=grid.dim, kind=grid.kind)
            chosen.append(Variant(grid.base, grid.said, other, values, asked=asked, grid=grid))
        no_tiles = NO_TILES if repeats.retile else ()
        return replace(found, chosen=(*chosen, *smaller), refused=no_tiles, what="its blocks and threads")
    refused: list[str] = []
    for tasks, kind in _splits(repeats, shape, launch):
        dim = _dim(launch.dim, tasks) if kind == launch.kind else (tasks, 1, 1)
        said = _said(dim, kind)
        try:
            kind.check(shape, dim)
        except ValueError as error:
            refused.append(f"{said}: {error}")
        else:
            other = launch._replace(dim=dim, kind=kind)
            chosen.append(Variant(_said(launch.dim, launch.kind), said, other, values, asked=asked))
    return replace(found, chosen=(*chosen, *smaller), refused=tuple(refused))


def _splits(repeats: Repeats, shape: Shape, launch: Launch) -> Iterator[tuple[int, LaunchKind]]:
    """Numbers of tasks with their kinds, but for those of the launch."""
    kind, own = launch.kind, math.prod(launch.dim)
    for tasks, name in _few(shape, kind, own) if repeats.resplit == FEW else repeats.resplit:
        other = KINDS[name] if name else kind
        if (tasks, other) != (own, kind):
            yield tasks, other


def _dim(own: Three, tasks: int) -> Three:
    """So many tasks along the last axis that a launch uses, or along the first if the others have another number.

    Kernels that are launched with the cores of a cluster along one axis and clusters along the next may rest on it.
    """
    x, y, z = own
    if z > 1 and tasks % (x * y) == 0:
        return x, y, tasks // (x * y)
    if y > 1 and z == 1 and tasks % x == 0:
        return x, tasks // x, 1
    return tasks, 1, 1


def _few(shape: Shape, kind: LaunchKind, own: int) -> list[Split]:
    """Two numbers of tasks that suit a kind, of which a launch has its own.

    A launch of one union may rest on there being one, as its clusters have numbers in it alone: wider and narrower
    ones are tried, and more of them are not.
    """
    if not isinstance(kind, Union):
        return [Split(tasks) for tasks in _FEW if tasks != own][:2]
    cores = shape.cores_per_cluster
    if own != kind.clusters * cores:
        return [Split(kind.clusters * cores * times) for times in _FEW if kind.clusters * cores * times != own][:2]
    others = (other for other in KINDS.values() if isinstance(other, Union) and other != kind)
    widths = sorted(others, key=lambda other: abs(math.log2(other.clusters / kind.clusters)))
    return [Split(other.clusters * cores, other.name) for other in widths if other.clusters <= shape.clusters][:2]


def _smaller(
    launch: Launch, values: Sequence[Any], names: Sequence[str], shapes: Sequence[tuple[int, ...]]
) -> Iterator[Variant]:
    """The launch with one whole number less, for each that says how long an array is."""
    for name, value, with_another in (*_passed(values, names), *_members(values)):
        if not whole(value) or value < _SMALLEST or not _says_how_long(int(value), shapes):
            continue
        for less in dict.fromkeys((value - 1, value * 6 // 7, value // 2 + 1)):
            changed = with_another(type(value)(less))
            yield Variant(
                f"with {name} = {value}", f"with {name} = {less}", launch, changed, Count(int(value), int(less))
            )


#: An argument or a member of one: its name, what it is, and all arguments with another one in its place.
_Passed = tuple[str, Any, Callable[[Any], Sequence[Any]]]


def _passed(values: Sequence[Any], names: Sequence[str]) -> Iterator[_Passed]:
    """The arguments of a launch."""
    for at, value in enumerate(values):

        def replaced(other: Any, at: int = at) -> list[Any]:
            return [*values[:at], other, *values[at + 1 :]]

        yield names[at] if at < len(names) else f"argument {at}", value, replaced


def _members(values: Sequence[Any]) -> Iterator[_Passed]:
    """The members of structures among the arguments of a launch."""
    for _, structure, replaced in _passed(values, ()):
        for name, value in members_of(structure).items():

            def changed(
                other: Any, name: str = name, whole: Any = structure,
                replaced: Callable[[Any], Sequence[Any]] = replaced,
            ) -> Sequence[Any]:  # fmt: skip
                return replaced(with_member(whole, name, other))

            yield name, value, changed


def _says_how_long(value: int, shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether a number divides the length of an array, or its first axis, or is the product of its first axes.

    One that is the length of another axis moves all that lies behind the first row when it is less.
    """
    products = [list(accumulate(shape, operator.mul)) for shape in shapes if shape]
    return any(value in product or (product[0] > 0 and product[0] % value == 0) for product in products)


def _varied(launch: Launch, values: Sequence[Any], names: Sequence[str]) -> Iterator[Varied]:
    """The launch with two other numbers for each floating-point argument.

    Not for members of structures, which kernels share: one may well have no use for some.
    """
    for name, value, with_another in _passed(values, names):
        if isinstance(value, (float, np.floating)) and np.isfinite(value):
            number = float(value)
            others = [other for other in (number / 2 + 1, -number / 2 - 1, number / 2 + 3) if other != number][:2]
            variants = (Variant("", f"{name} = {o:.9g}", launch, with_another(type(value)(o))) for o in others)
            yield Varied(f"{name} = {number:.9g}", tuple(variants))


def _said(dim: Three, kind: LaunchKind) -> str:
    """How a launch is split."""
    tasks = dim[0] * dim[1] * dim[2]
    named = f"{kind.name} " if isinstance(kind, Union) else ""
    return f"with {tasks} {named}task{'s' * (tasks > 1)}"


def in_tiles(launch: Launch, values: Sequence[Any], kernels: Iterable[tuple[TileSize, Any]]) -> Iterator[Variant]:
    """The launch with a kernel built anew for each size of tiles."""
    for tile, kernel in kernels:
        yield Variant(
            f"with {tile.name} = {tile.value}", f"with {tile.name} = {tile.less}", launch, values, None, kernel, tile
        )


def poisoned(launch: Launch, values: Sequence[Any], kernel: Any) -> Iterator[Variant]:
    """The launch of a kernel with other bytes in local variables that nothing sets, if it has such."""
    if kernel is not None:
        yield Variant(
            "as it is", "with other bytes in its local variables", launch, values, None, kernel, poisoned=True
        )


def by_references(
    launch: Launch, values: Sequence[Any], references: Iterable[tuple[BuiltReference, Any]]
) -> Iterator[Variant]:
    """The launch with other functions of the source in the kernel's place; one of the host is a kernel of one task."""
    for reference, kernel in references:
        name, host = reference.name, reference.host
        other = launch._replace(kernel=name)
        if host:
            other = other._replace(dim=(1, 1, 1), kind=GRID if launch.kind.transactions else BLOCK)
        beside = Beside(name, host, reference.alike, reference.committed)
        said = f"with {name}{' of the last commit' if reference.committed else ''} in its place"
        yield Variant("", said, other, reference.passed(values), kernel=kernel, reference=beside)
