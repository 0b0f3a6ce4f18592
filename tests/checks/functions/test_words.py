"""Which function the name of a kernel says."""

from __future__ import annotations

import pytest
from mlusim.simulator.checks.functions.words import functions_of


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("softmax", "softmax"),
        ("matmul_smem_padding", "matmul"),  # how it works
        ("zero_padding", "pad"),
        ("softmax_rows_kernel", "softmax"),
        ("_warpSoftmaxKernel", "softmax"),
        ("vecAdd", "add"),
        ("scalarProdGPU", "dot"),
        ("MLUBlockKernel3StagePipelineLogHalf<half, false>", "log"),
        ("tpu_kernel_api_log2_multi_core", "log2"),
        ("ns::gelu::cuda::gelu_forward<float>", "gelu"),
        ("RMSNormKernel", "rms norm"),
        ("layernorm_f32x4", "layer norm"),
        ("sgemm_tiled_v2", "matmul"),
        ("matrix_multiply", "matmul"),
        ("conv2d_naive", "conv"),
        ("maxpool3d", "max pool"),
        ("atan2_f32", "atan2"),
        ("leakyReLUKernel", "leaky relu"),
        ("block_reduce_max", "max"),
        ("logicalOr", "logical or"),
        ("rgb2gray_kernel1", "grayscale"),
        ("SiluAndMulKernel<float>", "silu and mul"),
        ("imageBlurKernel", "mean filter"),
        ("matrixVecMulKernel", "gemv"),
        ("softmax_bwd_kernel", "softmax backward"),
        ("grad_relu", "relu backward"),
        ("d_tanh", "tanh backward"),
        ("flash_attention_causal", "attention"),
        ("fused_add_rms_norm", "add rms norm"),
        ("tiledMatMulKernel", "matmul"),
        ("safe_softmax_f32_per_token", "softmax"),
        ("tpu_kernel_api_mulc", "mul"),
        ("batch_normalised", "batch norm"),
        ("row_sums", "sum"),
        ("naivetranspose", "transpose"),
        ("matadd_row_major", "add"),
        ("LogfloatFast", "log"),
        ("GEMMv2", "matmul"),
        ("conv_backward_input_kernel", "conv backward"),
        ("carafe_naive_backward", "carafe backward"),
        ("MLUKernelPsroipoolForward", "ps roi pool"),
        ("roi_align_rotated_cuda_backward", "roi align rotated backward"),
    ],
)
def test_a_name_says_one_function(name: str, function: str) -> None:
    assert [(said.function, said.alone) for said in functions_of(name)] == [(function, True)]


@pytest.mark.parametrize(
    ("name", "functions"),
    [
        ("pool_softmax", ["softmax"]),  # another function, which only ends so
        ("softmax_crop_window", ["softmax", "crop"]),
        ("grad_embedding_bag", ["embedding backward"]),
        ("d_group_norm", ["group norm"]),
        ("mul_rms_norm", ["mul", "rms norm"]),  # two
        ("exclusive_scan", ["scan"]),  # of each block, or of all
        ("warp_cumsum", ["cumsum"]),
        ("merge_sort", ["sort"]),  # one step of it, or all
        ("reduce_v3", ["reduce"]),
        ("triplet", []),
        ("subgrid", []),  # no difference
        ("zero_copy", ["copy"]),
        ("one_block", []),
        ("normals", []),
        ("kernel", []),
        ("", []),
    ],
)
def test_a_name_says_more_or_nothing(name: str, functions: list[str]) -> None:
    said = functions_of(name)
    assert [one.function for one in said] == functions
    assert not any(one.alone and not one.step for one in said)
