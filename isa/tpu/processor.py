"""What the kernel's own processor computes by itself: C of the header, not commands."""

from __future__ import annotations

#: Name -> what it gives.
COMPUTED = {
    **{f"tpu_{name}": f"the {name.partition('_')[0]}'s number, or how many there are" for name in
       ["core_index", "core_num", "workitem_index", "workitem_num", "group_index", "group_num"]},
    **{f"tpu_{name}_msg_id": "a number for a message" for name in ("next", "get_local", "get_global")},
    "tpu_sync_core": "messages by which all engines of a core wait for each other",
    **{f"tpu_sync_all_{engine}": f"messages by which {engine.upper()} waits for that of all cores"
       for engine in ("bdc", "gdma", "hau", "sdma")},
    **{f"tpu_sync_{edge}": "stands around messages; sends no command" for edge in ("start", "end")},
    "tpu_is_parallel_state": "whether a section is open",
    "tpu_npu_num": "lanes of a core",
    "tpu_bank_num": "banks of a lane",
    "tpu_eu_num": "elements of a type that a lane computes at once",
    "tpu_local_mem_size_per_npu": "bytes of a lane",
    **{f"tpu_{name}_get_start_addr": "where a memory begins" for name in ("global_mem", "local_mem", "l2_sram")},
    "tpu_l2_sram_size": "bytes of the second level",
    **{f"tpu_{name}_addr": "a pointer; the processor reaches global memory alone"
       for name in ("global_mem", "local_mem", "l2_sram")},
    **{f"tpu_{layout}_stride": f"strides of the {layout.replace('_', ' ')} layout"
       for layout in ("aligned", "compact", "line_aligned", "continuous")},
    "tpu_aligned_feature_size": "bytes of a channel in the aligned layout",
    **{f"tpu_get_local_{part}": f"{what} in a lane, in either layout"
       for part, what in (("cstride", "the stride of channels"), ("nstride", "that of batches"), ("size", "bytes"))},
    "tpu_channle_num_per_npu": "rows of lanes that channels take",
    "tpu_gdma_shape_limit": "the largest size of a dimension in a copy",
    "tpu_data_type_size": "bytes of an element",
    "tpu_data_type_bits": "bits of an element",
    **{f"tpu_is_data_type_{kind}": f"whether a type is {what}" for kind, what in {
        "signed": "signed", "fp": "a float", "fp8": "a float of 8 bits", "int": "an integer",
        "signed_int": "a signed integer", "unsigned_int": "an unsigned integer", "int4": "an integer of 4 bits",
        "int8": "an integer of 8 bits", "int16": "an integer of 16 bits", "int32": "an integer of 32 bits",
    }.items()},
    **{f"tpu_{name}": "a scalar as another type"
       for name in ("cast", "fp_cast", "int_cast", "fp_to_int_cast", "int_to_fp_cast")},
    "tpu_print_local_mem_data": "prints where a tensor lies",
}  # fmt: skip
