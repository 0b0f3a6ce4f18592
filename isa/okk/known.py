"""Names of OKK that compile and are not modelled: executing one is a finding. No public kernel uses any of them."""

from __future__ import annotations

_PACKED = """
    add add_C sub sub_C C_sub mul mul_C mac mac_C max max_C min min_C 16bit_arithmetic_shift 16bit_logical_shift
    16bit_arithmetic_shift_C 16bit_logical_shift_C 16bit_C_arithmetic_shift 16bit_C_logical_shift 16bit_split_high_8bit
    16bit_split_low_8bit 16bit_mul_8bit s16_mul_u8_to_s16
"""
_BYTES = "operation on bytes that are packed into words"
_PROCESSOR = "function of the kernel's processor"
#: Those whose result a kernel goes on with: executing one ends the task.
GIVING = frozenset({"okk_lookup_table_start_addr", "okk_lookup_table_size"})
_OTHERS = """
    set_id_node get_id_node enable_check_id_node disable_check_id_node dump_registered_kernel_funcs register_kernel_func
"""
KNOWN = {
    **{f"okk_{name}": _PROCESSOR for name in _OTHERS.split()},
    **dict.fromkeys(sorted(GIVING), _PROCESSOR),
    **{f"okk_bdc_fixed_point_packed_{name}": _BYTES for name in _PACKED.split()},
    "okk_bdc_4N_int8_to_fp32": _BYTES,
    "okk_bdc_int8_to_fp32": _BYTES,
}
