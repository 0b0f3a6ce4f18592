"""The address spaces of the BM1684, and the engines of its core."""

from __future__ import annotations

from ..space import SYSTEM, AddressSpace

#: The engines of the core; the kernel's processor is the scalar pipe.
ENGINES = ("bdc", "gdma")
#: Every space by name: that of TPU-KERNEL's, at other addresses.
SPACES = {
    space.name: space
    for space in (
        AddressSpace("global", "system_addr_t", cached=True),
        AddressSpace("l2", "system_addr_t", whole=True, windows=((1684, 0x100A2000),)),
        AddressSpace("dtcm", "system_addr_t", whole=True, windows=((1684, 0x2020000),)),
        AddressSpace(SYSTEM, "system_addr_t", members=("global", "l2", "dtcm")),
        AddressSpace("local", "local_addr_t", offsets=True, lanes=True, whole=True),
    )
}
