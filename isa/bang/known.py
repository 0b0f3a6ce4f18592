"""Names of the ISA that compile and are not modelled yet: a kernel that executes one gets a `NotModelled` finding."""

from __future__ import annotations

KNOWN = {
    "__bang_argmax": "largest element and its index",
    "__bang_argmin": "smallest element and its index",
    "__bang_atomic_reduce_max": "atomic maximum of NRAM elements onto GDRAM",
    "__bang_atomic_reduce_min": "atomic minimum of NRAM elements onto GDRAM",
    "__bang_collect": "keep the elements that a mask selects",
    "__bang_conv": "convolution with weights in WRAM",
    "__bang_expand_channel_mul": "multiply every row by its own scalar",
    "__bang_expand_channel_mul_add": "multiply every row by its own scalar and add",
    "__bang_filter": "keep the elements that a mask selects",
    "__bang_filter_bitindex": "keep the elements that a bit mask selects",
    "__bang_findlast1": "index of the last non-zero element",
    "__bang_gather_async": "masked gather from GDRAM",
    "__bang_maxpool_value_index": "maximum pooling with indices",
    "__bang_mirror": "reverse each row",
    "__bang_mlp": "matrix times vector with weights in WRAM",
    "__bang_pad": "pad an HWC tensor",
    "__bang_rotate180": "rotate a matrix by 180 degrees",
    "__bang_rotate270": "rotate a matrix by 270 degrees",
    "__bang_rotate90": "rotate a matrix by 90 degrees",
    "__bang_select": "keep the elements that a mask selects",
    "__bang_sum": "sum of all elements",
    "__bang_sumpool": "sum pooling",
    "__bang_transpose": "transpose a matrix",
    "__extension": "masked expanding copy",
    "__gather": "gather by byte offsets",
    "__gather_async": "gather by byte offsets, asynchronous",
    "__is_dram": "whether a pointer is one to GDRAM or LDRAM",
    "__is_nram": "whether a pointer is one to NRAM",
    "__is_sram": "whether a pointer is one to SRAM",
    "__is_wram": "whether a pointer is one to WRAM",
    "__scatter": "scatter by byte offsets",
    "__scatter_async": "scatter by byte offsets, asynchronous",
}

#: Forms of modelled names that compile and are not modelled, by their number of arguments.
FORMS = {"__bang_atomic_reduce_add": 9}
