"""What a kernel can observe of a chip."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...isa.cached import cached_property

if TYPE_CHECKING:
    from .device_file import Quantity, Scope


#: What the simulator can hold: units that own a memory, bytes of a device's own memory and
#: of one that a core or cluster owns (addresses have 40 bits), address space of all on-chip memories together, lanes.
MAX_OWNERS, MAX_BYTES, MAX_OWN_BYTES, MAX_RESERVED, MAX_LANES = (
    1 << 12,
    (1 << 39) - (1 << 20),
    1 << 32,
    1 << 44,
    1 << 10,
)


@dataclass(frozen=True)
class Space:
    """A memory space: bytes that each owner has, the part the vendor's compiler keeps, and who the owners are."""

    name: str
    bytes: int
    reserved: int
    scope: Scope

    @property
    def budget(self) -> int:
        """Bytes that the variables of a kernel may take: all of them.

        The reserved part is a convention of kernels, not a limit: public ones that the vendor's compiler takes use it.
        """
        return self.bytes


@dataclass(frozen=True)
class Threads:
    """Limits of a device whose kernels run as blocks of threads; a cluster is a multiprocessor, a core a place in it.

    ``static_shared`` are the bytes of shared memory that a block may declare; the space ``shared`` says what it may
    have in all, and ``shared_per_cluster`` what the blocks of a multiprocessor have together.
    """

    warp: int
    per_block: int
    per_cluster: int
    static_shared: int
    shared_per_cluster: int


@dataclass(frozen=True)
class Shape:
    """What a kernel can observe of a device: a kernel runs alike on two devices of equal shape.

    ``memory_core_stores`` is 0 where scalar stores of the memory core to the device's memory have no effect, else 1;
    ``memory_core_task`` says which task of its cluster, from 0, the memory core has the number of.
    ``lanes``, ``banks`` and ``eu_bytes`` (bytes a lane computes in a cycle) are None where a core has no lanes.
    """

    isa: str
    arch: int
    clusters: int
    cores_per_cluster: int
    memory_cores_per_cluster: int
    spaces: dict[str, Space]
    memory_core_stores: int = 1
    memory_core_task: int = 0
    lanes: int | None = None
    banks: int | None = None
    eu_bytes: int | None = None
    threads: Threads | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _shape_of, (self._text,)

    def __hash__(self) -> int:
        return hash(self._text)

    @cached_property
    def _text(self) -> str:
        return json.dumps(self.to_dict())

    @property
    def cores(self) -> int:
        """Cores of the device, memory cores not counted."""
        return self.clusters * self.cores_per_cluster

    def owners(self, scope: str) -> int:
        """How many units own a memory of a scope; memory cores are numbered after the cores."""
        return {"device": 1, "cluster": self.clusters, "core": self.cores + self.clusters}[scope]

    def to_dict(self) -> dict[str, Any]:
        """The shape as plain JSON data; `from_dict` takes it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Shape:
        """The shape that `to_dict` wrote."""
        spaces = {name: Space(**space) for name, space in data["spaces"].items()}
        threads = data.get("threads")
        return cls(**{**data, "spaces": spaces, "threads": Threads(**threads) if threads else None})


@lru_cache(maxsize=64)
def _shape_of(text: str) -> Shape:
    """The shape that was sent as this text: the same again and again, and one object."""
    return Shape.from_dict(json.loads(text))


def build_shape(isa: str, scopes: Mapping[str, Scope], facts: Mapping[str, Quantity]) -> Shape:
    """A shape from its numbers and the scope of each space; ValueError where they do not fit."""
    numbers = {path: int(fact.value) for path, fact in facts.items() if path.startswith("shape.")}
    spaces = {}
    for name, scope in scopes.items():
        path = f"shape.spaces.{name}"
        size, reserved = numbers.pop(f"{path}.bytes"), numbers.pop(f"{path}.reserved", 0)
        if reserved >= size:
            raise ValueError(f"{path}.bytes must be above {path}.reserved, {reserved}, and is {size}")
        spaces[name] = Space(name, size, reserved, scope)
    plain = {path.removeprefix("shape."): number for path, number in numbers.items()}
    of_threads = {name: plain.pop(f"threads.{name}") for name in Threads.__annotations__ if f"threads.{name}" in plain}
    shape = Shape(isa=isa, spaces=spaces, **plain, threads=Threads(**of_threads) if of_threads else None)
    check_shape(shape)
    return shape


def check_shape(shape: Shape) -> None:
    """ValueError for a shape that the simulator cannot hold."""
    if shape.memory_cores_per_cluster > 1:
        raise ValueError(f"shape.memory_cores_per_cluster is {shape.memory_cores_per_cluster}; it must be 0 or 1")
    if shape.memory_core_stores > 1:
        raise ValueError(f"shape.memory_core_stores is {shape.memory_core_stores}; it must be 0 or 1")
    if shape.memory_core_task >= shape.cores_per_cluster:
        raise ValueError(
            f"shape.memory_core_task is {shape.memory_core_task}; a cluster has {shape.cores_per_cluster} tasks, from 0"
        )
    if shape.cores + shape.clusters > MAX_OWNERS:
        raise ValueError(f"the shape has {shape.cores} cores in {shape.clusters} clusters; both together: {MAX_OWNERS}")
    if shape.arch >= 1 << 31:
        raise ValueError(f"shape.arch is {shape.arch}; it must be below {1 << 31}")
    for name in ("lanes", "banks", "eu_bytes"):
        if (number := getattr(shape, name)) is not None and number > MAX_LANES:
            raise ValueError(f"shape.{name} is {number}; it must be at most {MAX_LANES}")
    reserved = 0
    for name, space in shape.spaces.items():
        limit = MAX_BYTES if space.scope == "device" else MAX_OWN_BYTES
        if space.bytes > limit:
            raise ValueError(f"shape.spaces.{name}.bytes is {space.bytes}; a {space.scope} has at most {limit}")
        reserved += shape.owners(space.scope) * space.bytes if space.scope != "device" else 0
    if reserved > MAX_RESERVED:
        raise ValueError(f"the memories of all cores and clusters take {reserved} bytes; the limit is {MAX_RESERVED}")
    if not any(space.scope == "device" for space in shape.spaces.values()):
        raise ValueError("shape.spaces has no memory of the scope 'device', where arrays of the host lie")
