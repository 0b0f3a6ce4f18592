"""An access lies inside one variable or array, in words for operands, scalar accesses, threads and host code."""

from collections.abc import Sequence

from ...log.region import Region
from ..finding import Finding
from ..rule import declare_rule, meaning_of

BOUNDS = declare_rule("bounds", "an access lies inside one variable or array")
_LOOK = "check the pointer and its index"
_COMPARE = "compare the index with the number of elements (index >= count ends the thread)"
#: What a launch gives its blocks, by the name that `native/threads/shared.cpp` has for it.
DYNAMIC = "dynamic shared memory"
_LAUNCH = "launch it with as many bytes as the block needs (--shared BYTES, shared=BYTES), or compare the index"
#: Addresses below stand for a null pointer and an index.
_NULL = 4096
_NOWHERE = "belongs to no memory of the device"


def is_outside_memory(finding: Finding) -> bool:
    """Whether a finding is of an access that lies in no memory at all."""
    return finding.rule == BOUNDS and finding.region is None


def _address_in(space: str) -> str:
    return f"an address in {space}"


def may_be_for(finding: Finding, space: str) -> bool:
    """Whether an access that lies in no memory may be meant for a space; scalar code names none."""
    return finding.limit in ("", _address_in(space))


def null_operand(space: str) -> Finding:
    """The pointer of an operand is null."""
    need = _address_in(space)
    return Finding(BOUNDS, "the pointer is null", limit=need, suggestion=f"pass {need}")


def nowhere(address: int, space: str) -> Finding:
    """The address of an operand lies in no memory."""
    need = _address_in(space)
    advice = f"pass {need}; a local variable lies on the stack unless it is declared in a memory"
    return Finding(BOUNDS, f"address {address:#x} {_NOWHERE}", limit=need, suggestion=advice, slip=_NOWHERE)


def unallocated(writes: bool, bytes: int, region: Region) -> Finding:
    """An operand lies where nothing is allocated."""
    verb = "write" if writes else "read"
    return Finding(BOUNDS, f"{verb} of {bytes} bytes where nothing is allocated", region=region)


def outside(writes: bool, bytes: int, region: Region, name: str, at: int, size: int, instruction: str = "") -> Finding:
    """An operand begins ``at`` so many bytes of a variable of a ``size`` and passes its end, or begins before it.

    ``instruction`` is the one that counts its bytes by its arguments; a scalar access has none.
    """
    verb, before, past = "write" if writes else "read", at < 0, at + bytes - size
    smaller = "make the variable larger or the count smaller" + (f"; {meaning_of(instruction)}" if instruction else "")
    return Finding(
        BOUNDS,
        f"{verb} of {bytes} bytes "
        + (f"begins {-at} bytes before {name!r}" if before
           else f"at byte {at} of {name!r} passes its end by {past}"),
        region=region,
        limit=f"{name!r} has {size} bytes",
        suggestion=_LOOK if before else smaller,
        slip=f"{bytes} bytes, " + (f"{-at} before it" if before else f"{past} past its end"),
    )  # fmt: skip


def outside_lane(shape: Sequence[int], address: int, past: int, size: int, instruction: str) -> Finding:
    """A tensor passes the end of a lane of a ``size`` by ``past`` bytes, or begins before it."""
    what = f"the tensor [{', '.join(map(str, shape))}] at {address:#x} passes the end of a lane by {past} bytes"
    if past <= 0:
        what = f"the tensor at {address:#x} begins before its lane"
    return Finding(
        BOUNDS,
        what,
        limit=f"a lane has {size} bytes",
        suggestion=f"work in smaller tiles, or start lower; {meaning_of(instruction)}",
        slip=what,
    )


def in_no_lane(address: int, space: str, lanes: int, size: int) -> Finding:
    """The address of a tensor lies in none of the lanes."""
    what = f"is not in {space} memory"
    return Finding(BOUNDS, f"address {address:#x} {what}", limit=f"{lanes} lanes of {size} bytes", slip=what)


def scalar_nowhere(store: bool, size: int, address: int) -> Finding:
    """A scalar access lies in no memory."""
    null = address < _NULL
    what = "the pointer is null" if null else f"address {address:#x} {_NOWHERE}"
    message = f"{'store' if store else 'load'} of {size} bytes: {what}"
    return Finding(BOUNDS, message, suggestion=_LOOK, slip="" if null else _NOWHERE)


def scalar(address: int) -> Finding:
    """A scalar access of which no more is known."""
    return Finding(BOUNDS, f"scalar access to {address:#x}")


def by_thread(
    store: bool, size: int, address: int, who: str, variable: tuple[str, int, int], region: Region | None
) -> Finding:
    """A thread's access lies in no array, or passes its end; ``variable`` is its name, and from where to where it lies.

    The name is empty where there is none.
    """
    what, (name, start, end) = "store" if store else "load", variable
    if address < _NULL:
        message = f"{what} of {size} bytes by {who}: the pointer is null"
    elif not name:
        message = f"{what} of {size} bytes by {who}: address {address:#x} belongs to no array of the device"
    else:
        past = address + size - end
        message = f"{what} of {size} bytes at byte {address - start} of {name!r} by {who} passes its end by {past}"
    return Finding(
        BOUNDS,
        message,
        instruction=what,
        limit=f"{name!r} has {end - start} bytes" if name else "",
        region=region,
        suggestion=_LOOK if not name else _LAUNCH if name == DYNAMIC else _COMPARE,
    )


def past_array(what: str, address: int, size: int, past: int, array: int) -> Finding:
    """Host code uses ``size`` bytes of which some lie ``past`` an array of so many bytes, or begins that far behind it.

    ``size`` is 0 for what begins behind it.
    """
    end = f"past the end of {_bytes(array)} of device memory"
    beyond = f"{_bytes(past)} {end}"
    how = f": {_bytes(size)} go {beyond}" if size else f" lies {beyond}"
    return Finding(BOUNDS, f"{what} at {address:#x}{how}", suggestion="copy less, or allocate more", slip=end)


def past_host_memory(address: int, size: int, past: int, held: int) -> Finding:
    """A copy of ``size`` bytes to memory of the host goes ``past`` its end; it has been given so many."""
    beyond = f"{_bytes(past)} past the end of {_bytes(held)} of host memory"
    message = f"a copy to the host at {address:#x}: {_bytes(size)} go {beyond}"
    return Finding(BOUNDS, message, suggestion="copy less, or allocate more")


def _bytes(count: int) -> str:
    return f"{count} byte{'s' * (count != 1)}"
