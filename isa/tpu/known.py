"""Names of TPU-KERNEL that compile and are not modelled yet: executing one is a `not-modelled` finding."""

from __future__ import annotations

_NAMES = {
    "": """
        any_range_overlapped bank_index bd_rand_seed_gen bd_set_random_gen_seed cache_line_size chip_id chip_num
        conv_kernel_size conv_kernel_size_per_oc core_barrier core_context_setup debug_cmd disable_check_id_node
        disable_pmu dump_global_layer_data dump_registered_kernel_funcs enable_check_id_node enable_pmu engine_num
        get_base_msg_id get_ccl_msg_id get_ic_parallel get_id_node
        get_parallel_id_node get_schedule_msg_id global_mem_real_addr is_cdma_busy is_descriptor_mode is_last_workitem
        is_sync_state local_shape_5d_to_4d mem_check_matrix mem_check_range mem_check_tensor mem_record_add
        mem_record_del nop npu_c_offset npu_index physical_core_id physical_core_num poll_empty print_global_mem_data
        range_overlapped rank register_kernel_func reset_base_addr run_commands sccl_init set_base_addr set_base_msg_id
        set_bd_id set_cdma_defered_barrier_msg_id set_gdma_id set_id_node set_mem_guard set_parallel_id_node sr_setup
        start_physical_core_id static_mem_get_start_addr sync_all_with_msg_id sync_core_innner
        sync_core_with_external_engine sync_finish tpuv7_env unified_c_offset use_ring
    """,
    "bdc_": """
        arithmetic_sequence_bcast_with_dtype arithmetic_sequence_distribute_aligned
        arithmetic_sequence_distribute_aligned_with_dtype arithmetic_sequence_distribute_with_dtype
        arithmetic_sequence_general arithmetic_sequence_general_with_dtype bf16_dequant bf16_gelu_fast2 bf16_pc_dequant
        bf16_sigmoid_fast busy clamp conv2d_requant_C conv2d_requant_C_asym_C conv2d_requant_C_asym_pc
        conv2d_requant_pc conv2d_requant_pc_asym_C conv2d_requant_pc_asym_pc cpy_cross_npu depthwise2d_requant_C_sym_C
        depthwise2d_requant_pc_asym_C end f16_dequant f16_group_dequant f16_pc_dequant fp16_dequant fp16_pc_dequant
        fp32_arccosh fp32_arcsinh fp32_arctanh fp32_compensate_reciprocal fp32_cosh fp32_cot fp32_elu fp32_gelu_fast
        fp32_gelu_fast2 fp32_log_sigmoid fp32_mac fp32_mac_C fp32_mish fp32_mm_L_const fp32_selu fp32_sinh
        fp32_softsign fp32_swish fp32_tunable_C_div fp32_tunable_compensate_reciprocal fp32_tunable_div
        fp32_tunable_div_C fp32_vc_div fp8_C_sub fp8_add_C fp8_avg_pool2d fp8_bq_mm2_nt fp8_bq_mm2_wblock_nt fp8_mm
        fp8_mm_R_trans fp8_mm_R_trans_with_bias fp8_mm_all_trans fp8_mm_all_trans_with_bias fp8_mm_with_bias fp8_mul_C
        fp_C_div fp_C_div2 fp_add_C_sqr fp_add_bias_sqr fp_arccos fp_arcsin fp_arctan fp_arctanh fp_avg_pool2d_ex
        fp_bias fp_conv2d_backward fp_conv2d_for_deconv2d fp_conv2d_for_deconv2d_without_rotate
        fp_conv2d_kernel_const fp_conv2d_long_instr fp_conv2d_rescale_C fp_conv2d_rescale_pc fp_conv2d_with_ins
        fp_conv2d_with_relu fp_conv2d_with_rescale fp_conv_bw fp_cos fp_cosh fp_depthwise2d_with_scale
        fp_depthwise_for_deconv2d fp_diff_abs fp_diff_abs_C fp_div2 fp_div2_C fp_div_C fp_dq2_mm2_nt
        fp_dq2_mm2_nt_requant fp_dq2_mm2_tt fp_dq2_mm2_tt_requant fp_elu fp_exp_for_neg_arg fp_exponent_part
        fp_fast_exp fp_frexp fp_gelu fp_gelu_fast fp_gelu_fast2 fp_hsigmoid fp_hswish fp_hw_reduce_mean
        fp_ins_avg_pool2d fp_ins_depthwise fp_isfinite fp_log_sigmoid fp_min_pool2d fp_mm_L_const fp_mm_L_const_R_trans
        fp_mm_L_const_R_trans_with_bias fp_mm_L_const_all_trans fp_mm_L_const_all_trans_with_bias
        fp_mm_L_const_with_bias fp_mm_R_const fp_mm_R_const_all_trans fp_mm_R_const_all_trans_with_bias
        fp_mm_R_const_with_bias fp_reciprocal fp_roi_avg_pool2d fp_roi_depthwise2d fp_roi_max_pool2d fp_roi_min_pool2d
        fp_scale fp_scale_bias fp_scale_bias_C fp_sfu_reciprocal fp_sigmoid fp_silu fp_sin fp_sinh fp_softplus
        fp_sub_C_sqr fp_sub_bias_sqr fp_tanh fp_tunable_C_div fp_tunable_div fp_tunable_div_C fp_tunable_reciprocal
        fp_tunable_rsqrt fp_tunable_sqrt fp_vc_add fp_vc_mul fp_vc_sub fuse_exp fuse_exp_with_range fuse_madd
        fuse_mul_cast fuse_sub_clamp fuse_taylor_mul generate_arithmetic_sequence int8_asym_pc_quant_conv2d
        int8_asym_pc_quant_conv2d_for_deconv2d int8_asym_quant_conv2d int8_asym_quant_conv2d_for_deconv2d
        int8_asym_quant_conv2d_for_deconv2d_without_rotate int8_asym_quant_conv2d_kernel_const int8_depthwise2d
        int8_depthwise2d_kernel_const int8_depthwise_for_deconv2d int8_ins_avg_pool2d int8_mac int8_mac_C
        int8_max_pool2d int8_min_pool2d int8_mm_L_const int8_pc_pad_depthwise2d int8_pc_pad_depthwise_for_deconv2d
        int8_pc_zp_mm int8_pc_zp_mm_L_const int8_pc_zp_mm_L_const_R_trans int8_pc_zp_mm_L_const_all_trans
        int8_pc_zp_mm_R_const int8_pc_zp_mm_R_const_all_trans int8_pc_zp_mm_R_trans int8_pc_zp_mm_all_trans
        int8_roi_avg_pool2d int8_roi_depthwise2d int8_roi_max_pool2d int8_roi_min_pool2d int8_sym_quant_conv2d
        int8_sym_quant_conv2d_for_deconv2d int8_zp_mm int8_zp_mm_L_const int8_zp_mm_L_const_R_trans
        int8_zp_mm_L_const_all_trans int8_zp_mm_R_const int8_zp_mm_R_const_all_trans int8_zp_mm_R_trans
        int8_zp_mm_all_trans int_max_C int_max_pool2d int_min_C int_min_pool2d int_mm int_mm_L_const int_mm_L_trans
        int_pcs_C_sub int_pcs_add int_pcs_add_C int_pcs_mm int_pcs_mm_L_const int_pcs_mm_L_trans int_pcs_mul
        int_pcs_mul_C int_pcs_sub int_pcs_sub_C int_square int_vc_add int_vc_mul int_vc_sub load_div_lut
        load_fp_arcsin_coeff load_fp_arctan_coeff load_fp_cos_coeff load_fp_sin_coeff load_fuse_exp_coeff
        maximum_greater_select minimum_less_select qt0_quant quant_mm random_gen random_gen_init random_gen_load_state
        random_gen_store_state reduce sign srch_bin_select table_lookup vc_and vc_equal vc_greater vc_greater_equal
        vc_less vc_less_equal vc_max vc_min vc_not_equal vc_or vc_xor
    """,
    "gdma_": """
        busy c_gather_L2L c_gather_L2S c_gather_S2L c_gather_S2S c_scatter_L2L c_scatter_L2S c_scatter_S2L
        c_scatter_S2S channel_bcast_L2L cmd_overflow compact_L2S compact_S2L compact_nc_trans_L2S compact_nc_trans_S2L
        compress_RACU_L2S compress_RACU_max_meta_bytes compress_RACU_max_racu_bytes compress_normal_L2S
        compress_normal_max_bytes cpy_reduce_L22L2 cpy_reduce_L2S cpy_reduce_S2L2 cpy_reduce_S2S cpy_reduce_mac_L2S
        cpy_reduce_mac_S2S decompress_RACU_S2L decompress_normal_S2L h_gather_S2S_ext h_scatter_L2S_with_inplace_add
        h_scatter_S2L_with_inplace_add h_scatter_S2S_ext lossy_compress lossy_compress_L2S lossy_compress_S2S
        lossy_compress_reduce_L12L2 lossy_compress_reduce_L22L2 lossy_compress_reduce_S2L2 lossy_decompress
        lossy_decompress_S2L lossy_decompress_S2S lossy_decompress_reduce_L22L2 lossy_decompress_reduce_S2L2
        mask_select_S2S_with_ret matrix_trans_L2S matrix_trans_S2L move_max_wstride_byte_len random_mask_S2L
        random_mask_init_seed_S2L random_mask_set_seed system_bcast vector_L2S vector_S2L
    """,
    "hau_": """
        hard_nms soft_nms sort_busy sort_cmd_overflow
    """,
    "sdma_": """
        busy cmd_overflow cpy_S2S_with_thread cpy_reduce_L22L2 cpy_reduce_S2L2 lossy_compress
        lossy_compress_reduce_L22L2 lossy_compress_reduce_S2L2 lossy_decompress lossy_decompress_reduce_L22L2
        lossy_decompress_reduce_S2L2
    """,
    "vsdma_": """
        cpy_S2S cpy_cw_trans_S2S cpy_nc_trans_S2S get_filter_num h_gather_S2S h_scatter_S2S initialize mask_select_S2S
        nonzero_S2S poll port_initialize port_poll reverse_S2S send_msg set_C_system system_cpy system_set wait_msg
    """,
    "cdma_": """
        all_port_nop fake_all_reduce fake_p2p get_port get_used_port_num initialize lossy_compress lossy_decompress nop
        nop_sync perf_poll perf_port_poll poll port_initialize port_poll port_set_base_msg_id read recv remote_msgsend
        rx_send_msg rx_wait_msg scatter send send_msg tx_rx_debug tx_send_msg tx_wait_msg wait_msg write
    """,
}
_MEANING = {
    "bdc_": "operation of the compute engine",
    "gdma_": "operation of the copy engine",
    "hau_": "operation of the sort and gather engine",
    "sdma_": "operation of the system copy engine",
    "vsdma_": "operation of a virtual system copy engine",
    "cdma_": "operation of the chip-to-chip copy engine",
    "": "function of the kernel's processor",
}

KNOWN = {f"tpu_{engine}{name}": _MEANING[engine] for engine, names in _NAMES.items() for name in names.split()}
_GIVING = """
    any_range_overlapped bank_index bdc_busy cache_line_size cdma_get_port cdma_get_used_port_num chip_id chip_num
    conv_kernel_size conv_kernel_size_per_oc core_barrier engine_num gdma_busy gdma_cmd_overflow
    gdma_compress_RACU_max_meta_bytes gdma_compress_RACU_max_racu_bytes gdma_compress_normal_max_bytes
    gdma_mask_select_S2S_with_ret gdma_move_max_wstride_byte_len get_base_msg_id get_ccl_msg_id get_ic_parallel
    get_schedule_msg_id global_mem_real_addr hau_sort_busy
    hau_sort_cmd_overflow is_cdma_busy is_descriptor_mode is_last_workitem is_sync_state npu_c_offset npu_index
    physical_core_id physical_core_num range_overlapped rank sdma_busy sdma_cmd_overflow start_physical_core_id
    static_mem_get_start_addr tpuv7_env unified_c_offset use_ring vsdma_get_filter_num
"""
#: Those whose result a kernel goes on with: executing one ends the task, because nothing can stand for it.
GIVING = frozenset(f"tpu_{name}" for name in _GIVING.split())
