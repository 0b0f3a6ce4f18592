"""The address spaces of an MLU, its vector registers, and the pipes of its cores."""

from __future__ import annotations

from ..orders import WRAM_SLICES
from ..space import REGISTERS, AddressSpace

#: The pipes of a core that a wait can name.
PIPES = ("compute", "io", "move")
#: Bytes of a vector register (inferred).
VECTOR_REGISTER_BYTES = 256
#: Every space by name.
SPACES = {
    space.name: space
    for space in (
        AddressSpace("gdram", alike="ldram"),
        AddressSpace("ldram", hidden=True, alike="gdram"),
        AddressSpace("nram", variables=True, memory_core=False),
        AddressSpace("wram", variables=True, memory_core=False, slices=WRAM_SLICES),
        AddressSpace("sram", variables=True),
        AddressSpace(REGISTERS, registers=True, whole=True, hidden=True),
    )
}
