"""The functions that the vendor's public kernels call are there, in C and in the tables of tests."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from mlusim.isa import DIALECTS
from mlusim.simulator import Device, load
from mlusim.simulator.cli import main
from mlusim.simulator.native import INCLUDE

from tests.isa.facts.fact_table import FACTS
from tests.isa.tpu import MESSAGES, NAMES

#: Called by the kernels of sophgo/torch-tpu (firmware_core/src) that need nothing but public sources (tpu_api.md, 6).
CALLED = """
    poll initialize data_type_size local_mem_size_per_npu npu_num parallel_end parallel_start bank_num core_index
    core_num is_parallel_state aligned_feature_size eu_num continuous_stride aligned_stride gdma_shape_limit cast
    fp_cast global_mem_addr sync_all flush_cache fp_to_int_cast invalidate_cache channle_num_per_npu hau_poll
    hau_sort_natural_index print_local_mem_data compact_stride data_type_bits is_data_type_int bdc_set_C bdc_cpy
    bdc_and bdc_and_C bdc_abs bdc_max bdc_min bdc_or bdc_max_C bdc_min_C bdc_neg bdc_not bdc_prelu bdc_equal_C
    bdc_equal_select bdc_not_equal_C bdc_less_C bdc_greater_C bdc_greater bdc_less bdc_less_select
    bdc_greater_select bdc_equal bdc_greater_equal bdc_less_equal bdc_not_equal bdc_greater_equal_C bdc_less_equal_C
    bdc_fp_mul bdc_fp_add bdc_fp_add_C bdc_fp32_rsqrt bdc_fp_mul_C bdc_fp_sub bdc_fp32_div bdc_fp32_sqrt
    bdc_fp32_C_div bdc_fp_C_sub bdc_fp32_div_C bdc_cast bdc_int_add_C bdc_int_sub_C bdc_int_mul bdc_int_C_sub
    bdc_arithmetic_shift bdc_arithmetic_shift_C bdc_logical_shift bdc_logical_shift_C bdc_int_mul_C bdc_int_add
    bdc_fp_avg_pool2d bdc_fp_max_pool2d bdc_int8_avg_pool2d bdc_npu_bcast bdc_wc_trans bdc_cw_trans
    bdc_arithmetic_sequence_bcast bdc_arithmetic_sequence_distribute bdc_load_fp32_exp_coeff bdc_load_fp32_exp_table
    bdc_load_fp32_log_coeff bdc_fp32_pow_C bdc_fp32_arcsin bdc_load_fp32_arcsin_coeff bdc_fp32_pow bdc_fp_exp
    bdc_load_fp_exp_coeff bdc_fp32_log bdc_fp32_C_pow bdc_fp32_erf bdc_fp32_exp bdc_fp_erf bdc_load_fp32_erf_coeff
    bdc_load_fp_erf_coeff bdc_fp32_log1p bdc_fp32_logx bdc_fp_log bdc_load_fp_log_coeff gdma_cpy_L2S gdma_cpy_S2L
    gdma_matrix_L2S gdma_matrix_S2L gdma_cpy_S2S gdma_set_C_system gdma_cpy_cw_trans_L2S gdma_cpy_L2L
    gdma_cpy_cw_trans_S2L gdma_cpy_cw_trans_S2S gdma_cpy_nc_trans_L2S gdma_cpy_nc_trans_S2S gdma_general_cpy_S2L
    gdma_system_set gdma_h_gather_S2L gdma_h_scatter_L2S gdma_h_gather_S2S gdma_get_filter_num gdma_h_scatter_S2S
    gdma_nonzero_S2S
"""
TPU = DIALECTS["tpu"]


def test_they_are_modelled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The list that users see has all of them: commands, and C of the header, which compiles."""
    names = [f"tpu_{name}" for name in CALLED.split()]
    assert len(names) == 128
    assert main(["isa", "--dialect", "tpu", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    commands = {row["name"] for row in listed["instructions"]}
    assert set(names) <= commands | set(listed["computed"])
    assert {name for name in names if name.split("_")[1] in ("bdc", "gdma", "hau")} - commands == {
        "tpu_gdma_shape_limit"
    }
    assert set(listed["computed"]) == _written()
    path = tmp_path / "kernel.c"
    calls = " ".join(f"(void){name};" for name in {*names, *listed["computed"]})
    path.write_text(
        f'#include "tpu_kernel.h"\nint kernel(const void *arguments) {{ (void)arguments; {calls} return 0; }}\n'
        "TPUKERNEL_FUNC_REGISTER(kernel);\n"
    )
    assert list(load([path], device=Device.load("bm1690")).kernels) == ["kernel"]


_WRITTEN = ("tpu_kernel.h", "tpu_layout.h", "tpu_scalar.h", "tpu_sync.h")


def _written() -> set[str]:
    """The functions that the header has as C."""
    texts = "".join((INCLUDE / "tpu" / name).read_text() for name in _WRITTEN)
    return set(re.findall(r"\b(?:MLUSIM_OP|MLUSIM_INLINE|static inline) [\w *]+\b(tpu_\w+)\(", texts))


def test_every_function_on_tensors_has_a_reference() -> None:
    facts = {fact.name for fact in FACTS["tpu"]}
    assert {entry.name for entry in TPU.instructions} - NAMES - MESSAGES - facts == set()
    assert {entry.name for entry in TPU.instructions} >= NAMES


def test_a_function_is_shown_with_types_layouts_and_rules(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")  # no line is wrapped
    shown = {
        "tpu_bdc_cw_trans": ("types float half", "dst_addr out local T aligned [shape]", "lane the start lane of"),
        "okk_bdc_conv2d": (
            "output_addr inout local float aligned", "input_addr in local float at strides; null: aligned",
            "weight_addr in local float2 at strides", "bias_addr in local float compact", "alignment output_addr is a",
        ),
        "okk_bdc_matmul": ("left_addr in local float matrix: columns dealt to channels",),
        "tpu_gdma_cpy_S2L": ("src_addr in system T at strides; null: continuous",),
        "tpu_bdc_equal_select": ("src0 in local S aligned; of a vector compact",),
    }  # fmt: skip
    for name, parts in shown.items():
        assert main(["isa", name]) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert [part for part in parts if part not in text] == []


#: Functions that the three headers of the vendor's kits declare (tpu_api.md, "How many").
DECLARED = 709


def test_every_other_name_compiles_and_ends_a_task_that_uses_its_result(tmp_path: Path) -> None:
    """What gives a result ends the task; what does not is told and left out."""
    device = Device.load("bm1690")
    typed = set(re.findall(r"MLUSIM_KNOWN_TYPE\(\w+, (tpu_\w+)\)", (INCLUDE / "tpu/tpu_kernel.h").read_text()))
    modelled = {entry.name for entry in TPU.instructions}
    assert len(modelled | _written() | typed | set(TPU.known)) >= DECLARED
    names = [*sorted(set(TPU.known) - TPU.giving), *sorted(TPU.giving)]
    going_on = len(names) - len(TPU.giving)
    calls = "\n".join(f"    case {number}: {name}(); break;" for number, name in enumerate(names))
    path = tmp_path / "kernel.c"
    path.write_text(
        '#include "tpu_kernel.h"\ntypedef struct { int first, step, end; } range;\n'
        f"static void call(int number) {{\n  switch (number) {{\n{calls}\n  }}\n}}\n"
        "void kernel(const void *p) {\n  const range *a = (const range *)p;\n"
        "  for (int number = a->first + tpu_core_index(); number < a->end; number += a->step) call(number);\n"
        "  tpu_poll();\n}\nTPUKERNEL_FUNC_REGISTER(kernel);\n"
    )
    program = load([path], device=device)

    def told(first: int, step: int, end: int, cores: int) -> tuple[list[str], int]:
        """The names that findings tell of, and how many cores have come to the end."""
        run = program.launch(
            "kernel", (cores, 1, 1), args={"first": first, "step": step, "end": end}, on_finding="collect"
        )
        found = [f for f in run.findings if f.rule == "not-modelled"]
        ends = sum(run.log.ops[record["op"]].name == "tpu_poll" for record in run.log.records)
        return [name for f in found for name in re.findall(r"\btpu_\w+", f.message)[:1]], ends

    few = names[3:going_on:29]  # of all of them a launch would take seconds for the lines of findings
    assert told(3, 29, going_on, 1) == (few, 1)
    assert told(going_on, 1, len(names), 8) == (names[going_on : going_on + 8], 0)
