"""Names of TPU-KERNEL that compile and are not modelled yet: executing one is a `not-modelled` finding."""

from __future__ import annotations

_NAMES = {
    "": "print_local_mem_data sync_all_hau",
    "bdc_": """
        abs and and_C arithmetic_sequence_bcast arithmetic_sequence_distribute arithmetic_shift
        arithmetic_shift_C batch_bcast_w_scatter cpy cw_trans equal equal_C equal_select fp32_C_div
        fp32_C_pow fp32_arcsin fp32_div fp32_div_C fp32_erf fp32_exp fp32_gelu fp32_log fp32_log1p fp32_logx
        fp32_pow_C fp32_reciprocal fp32_rsqrt fp32_sigmoid fp32_silu fp32_sqrt
        fp32_tunable_reciprocal fp32_tunable_rsqrt fp32_tunable_sqrt fp_C_sub fp_add_C fp_avg_pool2d
        fp_conv2d fp_conv2d_for_deconv2d fp_depthwise2d fp_div fp_erf fp_erfc fp_exp fp_expm1 fp_log
        fp_max_pool2d fp_mul_C fp_round fp_rsqrt fp_sqrt fp_square fp_sub_C greater greater_C
        greater_equal greater_equal_C greater_select int8_avg_pool2d int_C_sub int_add int_add_C int_mul
        int_mul_C int_sub_C less less_C less_equal less_equal_C less_select load_fp32_arcsin_coeff
        load_fp32_erf_coeff load_fp32_exp_coeff load_fp32_exp_table load_fp32_log_coeff load_fp_erf_coeff
        load_fp_exp_coeff load_fp_log_coeff logical_shift logical_shift_C max max_C min min_C neg not
        not_equal not_equal_C npu_bcast or prelu relu set_C wc_trans
    """,
    "gdma_": """
        channel_bcast_S2L cpy_L2L cpy_S2S cpy_cw_trans_L2S cpy_cw_trans_S2L cpy_cw_trans_S2S
        cpy_nc_trans_L2S cpy_nc_trans_S2L cpy_nc_trans_S2S cpy_reduce_L12L2 general_cpy_S2L get_filter_num
        h_gather_S2L h_gather_S2S h_scatter_L2S h_scatter_L2S_with_inplace_add h_scatter_S2L
        h_scatter_S2L_with_inplace_add h_scatter_S2S matrix_L2S matrix_S2L nonzero_S2S set_C_local
        set_C_system system_set
    """,
    "hau_": """
        hard_nms send_msg soft_nms sort_busy sort_cmd_overflow wait_msg
    """,
    "sdma_": """
        cpy_S2S set_C_system
    """,
}
_MEANING = {
    "bdc_": "operation of the compute engine",
    "gdma_": "operation of the copy engine",
    "hau_": "operation of the sort and gather engine",
    "sdma_": "operation of the system copy engine",
    "cdma_": "operation of the chip-to-chip copy engine",
    "": "function of the kernel's processor",
}

KNOWN = {f"tpu_{engine}{name}": _MEANING[engine] for engine, names in _NAMES.items() for name in names.split()}
#: Those whose result a kernel goes on with: executing one ends the task, because nothing can stand for it.
GIVING = frozenset({"tpu_gdma_get_filter_num", "tpu_hau_sort_busy", "tpu_hau_sort_cmd_overflow"})
