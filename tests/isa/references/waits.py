"""What waits, barriers and cache maintenance promise: which effects are visible after them, and who meets whom."""

from __future__ import annotations

from collections.abc import Callable

from tests.isa.tpu import MESSAGES

ALL_PIPES = frozenset({"compute", "io", "move"})

#: Wait -> the pipes of the core that are idle after it. The six flags of public kernels mean nothing known: all three.
WAITS: dict[str, frozenset[str]] = {
    "__sync": ALL_PIPES,
    "__asm_sync": ALL_PIPES,
    "__sync_io_move_compute": ALL_PIPES,
    "__sync_compute": frozenset({"compute"}),
    "__sync_io": frozenset({"io"}),
    "__sync_move": frozenset({"move"}),
    "__sync_copy_dram_to_nram": frozenset({"io"}),
    "__sync_copy_nram_to_dram": frozenset({"io"}),
    "__sync_copy_nram_to_nram": frozenset({"compute"}),
    "__sync_copy_dram_to_wram": frozenset({"io"}),
    "__sync_copy_wram_to_dram": frozenset({"io"}),
    "__sync_copy_dram_to_sram": frozenset({"io"}),
    "__sync_copy_sram_to_dram": frozenset({"io"}),
    "__sync_copy_nram_to_sram": frozenset({"move"}),
    "__sync_copy_sram_to_nram": frozenset({"move"}),
    "__sync_copy_wram_to_sram": frozenset({"move"}),
    "__sync_copy_sram_to_wram": frozenset({"move"}),
    "__bang_lock": frozenset({"io", "move"}),
    "__bang_unlock": frozenset({"io", "move"}),
}

#: Number of a cluster's memory core.
MEMORY_CORE = 0x80

#: Barrier -> the group that a core (cluster, number in it) meets, None if it takes no part.
BARRIERS: dict[str, Callable[[int, int], object]] = {
    "__sync_cluster": lambda cluster, core: cluster,
    "__sync_all_ipu_within_cluster": lambda cluster, core: None if core == MEMORY_CORE else cluster,
    "__sync_all_ipu": lambda cluster, core: None if core == MEMORY_CORE else "all",
    "__sync_all_mpu": lambda cluster, core: "all" if core == MEMORY_CORE else None,
    "__sync_all": lambda cluster, core: "all",
    "__sync_copy_sram_to_sram": lambda cluster, core: "all",
}

#: Waits of TPU-KERNEL after which the results of HAU may be read.
HAU_WAITS = frozenset({"tpu_initialize", "tpu_poll", "tpu_poll_descriptor", "tpu_hau_poll", "tpu_sync_all"})

#: The waits of TPU-KERNEL for GDMA and SDMA, which return a number: tests/isa/tpu/test_counts.py has which.
COUNTS = frozenset({"tpu_gdma_get_filter_num", "tpu_sdma_get_filter_num"})

#: Cache maintenance of the processor: it moves no data here; what it makes legal is tested.
CACHE = frozenset({"tpu_flush_cache", "tpu_invalidate_cache"})

#: Sections of TPU-KERNEL: which of the two opens it. tests/checks/test_tensors.py has what is legal inside.
SECTIONS = {"tpu_parallel_start": True, "tpu_parallel_end": False}

#: Everything whose reference is a behaviour; tests/isa/tpu/test_messages.py has what messages order.
BEHAVIOURS = frozenset({*WAITS, *BARRIERS, *HAU_WAITS, *COUNTS, *CACHE, *SECTIONS, *MESSAGES})
