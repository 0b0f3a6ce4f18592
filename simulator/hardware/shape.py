"""What a kernel can observe of a chip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .device_file import Quantity, Scope


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

    ``lanes``, ``banks`` and ``eu_bytes`` (bytes a lane computes in a cycle) are None where a core has no lanes.
    """

    isa: str
    arch: int
    clusters: int
    cores_per_cluster: int
    memory_cores_per_cluster: int
    spaces: dict[str, Space]
    lanes: int | None = None
    banks: int | None = None
    eu_bytes: int | None = None
    threads: Threads | None = None

    @property
    def cores(self) -> int:
        """Cores of the device, memory cores not counted."""
        return self.clusters * self.cores_per_cluster

    def to_dict(self) -> dict[str, Any]:
        """The shape as plain JSON data; `from_dict` takes it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Shape:
        """The shape that `to_dict` wrote."""
        spaces = {name: Space(**space) for name, space in data["spaces"].items()}
        threads = data.get("threads")
        return cls(**{**data, "spaces": spaces, "threads": Threads(**threads) if threads else None})


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
    return Shape(isa=isa, spaces=spaces, **plain, threads=Threads(**of_threads) if of_threads else None)
