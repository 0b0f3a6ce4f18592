"""Address spaces: what an ISA says of each, whatever its size on a chip."""

from __future__ import annotations

from dataclasses import dataclass

#: Names that every dialect gives to its vector registers and to what a system address may point to.
REGISTERS, SYSTEM = "vreg", "system"


@dataclass(frozen=True)
class AddressSpace:
    """A kind of memory. A device file that names it gives its size and who owns one."""

    name: str
    address_type: str = ""  # C type of its addresses where they are no pointers
    offsets: bool = False  # addresses count bytes from the owner's first one
    lanes: bool = False  # tensors lie across the lanes of a core, a slice of the memory in each
    registers: bool = False  # the simulator hands out its parts; no alignment rule applies
    variables: bool = False  # kernels declare variables in it, within its size
    whole: bool = False  # kernels use all of it without declaring anything
    memory_core: bool = True  # a cluster's memory core has it too
    slices: int = 0  # parts of equal size, each read by a unit of its own; copies can address them
    cached: bool = False  # the scalar unit sees it through a cache
    hidden: bool = False  # of no interest to who chooses a device: stacks, registers
    alike: str = ""  # the space beside it that the same engine reaches: a copy may name either
    members: tuple[str, ...] = ()  # stands for any of these; the address tells which
    #: The addresses at which kernels see it, where they are fixed, with the architecture of each.
    windows: tuple[tuple[int, int], ...] = ()

    def window(self, arch: int) -> int:
        """The address at which kernels of an architecture see it; 0 where it has none of its own."""
        return dict(self.windows).get(arch, 0)
