"""Names of OKK that compile and are not modelled: executing one is a finding. No public kernel uses any of them."""

from __future__ import annotations

_PACKED = """
    add add_C sub sub_C C_sub mul mul_C mac mac_C max max_C min min_C 16bit_arithmetic_shift 16bit_logical_shift
    16bit_arithmetic_shift_C 16bit_logical_shift_C 16bit_C_arithmetic_shift 16bit_C_logical_shift 16bit_split_high_8bit
    16bit_split_low_8bit 16bit_mul_8bit s16_mul_u8_to_s16
"""
_BYTES = "operation on bytes that are packed into words"
KNOWN = {
    **{f"okk_bdc_fixed_point_packed_{name}": _BYTES for name in _PACKED.split()},
    "okk_bdc_4N_int8_to_fp32": _BYTES,
    "okk_bdc_int8_to_fp32": _BYTES,
}
