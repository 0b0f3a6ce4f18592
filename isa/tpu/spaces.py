"""The address spaces of a TPU, and the engines of its cores."""

from __future__ import annotations

from ..space import SYSTEM, AddressSpace

#: The engines of a core; the kernel's processor is the scalar pipe.
ENGINES = ("bdc", "gdma", "hau", "sdma")
#: Every space by name. ``system`` is what a system address may point to.
SPACES = {
    space.name: space
    for space in (
        AddressSpace("global", "system_addr_t", cached=True),
        AddressSpace("l2", "system_addr_t", whole=True, windows=((1684, 0x10000000), (1690, 0x6980000000))),
        AddressSpace(SYSTEM, "system_addr_t", members=("global", "l2")),
        AddressSpace("local", "local_addr_t", offsets=True, lanes=True, whole=True),
        AddressSpace("static", "static_addr_t", offsets=True, whole=True, hidden=True),
    )
}
