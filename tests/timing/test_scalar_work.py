"""Scalar code costs what it computes, and what a loop keeps in memory is memory traffic."""

import numpy as np
import pytest
from mlusim.simulator import Device, load
from mlusim.simulator.kernelc.scalar_work import counted

SOURCE = """
#include <bang.h>
__mlu_global__ void sum_in_memory(float *out, float *in, int n) {
  for (int i = 0; i < n; i++) out[0] += in[i];
}
__mlu_global__ void sum_in_register(float *out, float *in, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += in[i];
  out[0] = sum;
}
__mlu_global__ void no_memory(int *out, int n) {
  unsigned x = 1;
  for (int i = 0; i < n; i++) x = x * 1664525u + 1013904223u;
  out[0] = x;
}
__mlu_global__ void divisions(float *out, float divisor, int n) {
  float x = 1e30f;
  for (int i = 0; i < n; i++) x = x / divisor;
  out[0] = x;
}
__mlu_global__ void products(float *out, float *left, float *right, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += left[i] * right[i];
  out[0] = sum;
}
__mlu_global__ void halves(float *out, float *left, float *right, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++) {
    sum += left[i];
    if (sum < 0) break;
    sum += right[i];
  }
  out[0] = sum;
}
__mlu_global__ void two_memories(float *out, float *in, int n) {
  __nram__ float a[64];
  __bang_write_value(a, 64, 1.0f);
  float sum = 0;
  for (int i = 0; i < n; i++) sum += in[i] * a[i % 64];
  out[0] = sum;
}
__mlu_global__ void before_an_add(float *out, int n) {
  __nram__ float a[64];
  unsigned x = 1;
  for (int i = 0; i < n; i++) x = x * 1664525u + 1013904223u;
  __bang_write_value(a, 64, (float)x);
  __memcpy(out, a, 256, NRAM2GDRAM);
}
__mlu_global__ void behind_all(int *out, int n) {
  out[0] = 1;
  unsigned x = 1;
  for (int i = 0; i < n; i++) x = x * 1664525u + 1013904223u;
  if (x == 1) out[0] = x;
}
template <typename T>
__mlu_global__ void behind_all_of(T *out, T n) {
  out[0] = 1;
  unsigned x = 1;
  for (int i = 0; i < n; i++) x = x * 1664525u + 1013904223u;
  if (x == 1) out[0] = x;
}
__mlu_global__ void turns(int *out, int n) {
  unsigned x = taskId;
  for (int phase = 0; phase < 3; phase++) {
    for (int i = 0; i < (taskId == 2 ? 10 * n : n); i++) x = x * 1664525u + 1013904223u;
    __sync_all();
  }
  out[taskId] = x;
}
"""


def work(run):
    """Work of every instruction of a log by its name."""
    total = dict.fromkeys((op.name for op in run.log.ops), 0)
    for row in run.log.records:
        total[run.log.ops[row["op"]].name] += int(row["work"])
    return total


def test_a_sum_in_memory_stays_there(program):
    arrays = np.zeros(1, np.float32), np.ones(1000, np.float32)
    kept = work(program.launch("sum_in_memory", args=[*arrays, 1000]))
    assert (kept["scalar.load"], kept["scalar.store"]) == (2000, 1000)
    local = work(program.launch("sum_in_register", args=[*arrays, 1000]))
    assert (local["scalar.load"], local["scalar.store"]) == (1000, 1)
    # An addition, the index, a comparison and a branch, or the one or other more.
    assert 4000 <= kept["scalar.compute"] <= 6100


def together(run):
    """How many loads are waited for together with the one before."""
    loads = [number for number, op in enumerate(run.log.ops) if op.name == "scalar.load"]
    return int(run.log.records["gaps"][np.isin(run.log.records["op"], loads)].sum())


def test_loads_of_one_block_are_waited_for_together(program):
    out, ones = np.zeros(1, np.float32), np.ones(1000, np.float32)
    run = program.launch("products", args=[out, ones, ones.copy(), 1000])
    assert (work(run)["scalar.load"], together(run)) == (2000, 1000)
    part_us = run.rates.engines["scalar_gdram"].part_cycles / run.rates.clock_mhz
    assert run.timeline.end.max() == pytest.approx(1000 * part_us, rel=0.1)  # 1000 waits, not 2000


def test_loads_are_waited_for_one_by_one_between_branches_stores_and_memories(program):
    out, ones = np.zeros(1, np.float32), np.ones(1000, np.float32)
    assert together(program.launch("halves", args=[out, ones, ones.copy(), 1000])) == 0
    assert together(program.launch("two_memories", args=[out, ones, 1000])) == 0


def test_a_loop_without_memory_takes_its_time(program):
    short, long = (program.launch("no_memory", args=[np.zeros(1, np.int32), n]) for n in (10_000, 20_000))
    # A product, a sum, the index, a comparison, a branch: 4 or 5 operations of 2 cycles at 1 GHz.
    assert 80 <= long.timeline.end.max() - short.timeline.end.max() <= 100.001
    assert work(short)["scalar.compute"] < work(long)["scalar.compute"]


def test_a_division_costs_eight_operations(program):
    runs = [program.launch("divisions", args=[np.zeros(1, np.float32), 1.001, n]) for n in (1000, 3000)]
    more = work(runs[1])["scalar.compute"] - work(runs[0])["scalar.compute"]
    assert 2000 * (8 + 3) <= more <= 2000 * (8 + 4)


def test_work_comes_before_the_instruction_that_follows_it(program):
    run = program.launch("before_an_add", args=[np.zeros(64, np.float32), 5000])
    names = [run.log.ops[row["op"]].name for row in run.log.records]
    assert names.index("scalar.compute") < names.index("__bang_write_value")
    assert run.timeline.start[names.index("__bang_write_value")] > 30


def test_work_between_barriers_belongs_to_its_task(program):
    """Whether it is a record before the barrier or too little for one."""
    for n in (20, 1000):
        log = program.launch("turns", (4, 1, 1), args=[np.zeros(4, np.int32), n], type="union1").log
        computed = log.records[[log.ops[row["op"]].name == "scalar.compute" for row in log.records]]
        done = np.bincount(computed["core"], computed["work"])  # the memory core is another
        assert done[0] == done[1] == done[3] >= 3 * n * 3
        assert done[2] == pytest.approx(10 * done[0], rel=0.2)


def test_equal_launches_give_equal_logs(program):
    arrays = np.zeros(1, np.float32), np.ones(1000, np.float32)
    first, second = (program.launch("sum_in_memory", args=[*arrays, 1000]).log for _ in range(2))
    assert first == second


def test_what_another_source_computes_counts_too(tmp_path):
    (tmp_path / "a.mlu").write_text(
        "#include <bang.h>\n__mlu_func__ unsigned turned(unsigned x, int n);\n"
        "__mlu_global__ void outside(int *out, int n) { out[0] = turned(1, n); }\n"
    )
    (tmp_path / "b.mlu").write_text(
        "#include <bang.h>\n__mlu_func__ unsigned turned(unsigned x, int n) {\n"
        "  for (int i = 0; i < n; i++) x = x * 1664525u + 1013904223u;\n  return x;\n}\n"
    )
    outside = load([tmp_path / "a.mlu", tmp_path / "b.mlu"], device=Device.load("mlu370-x4"))
    short, long = (work(outside.launch("outside", args=[np.zeros(1, np.int32), n])) for n in (10_000, 20_000))
    assert 40_000 <= long["scalar.compute"] - short["scalar.compute"] <= 50_000


def test_work_belongs_to_its_line(program):
    run = program.launch("before_an_add", args=[np.zeros(64, np.float32), 5000])
    lines = SOURCE.splitlines()
    names = [run.log.ops[row["op"]].name for row in run.log.records]
    at = run.log.locations[run.log.records["loc"][names.index("scalar.compute")]]
    assert "__bang_write_value" in lines[at.line - 1]


MARK = "\tcall\t__sanitizer_cov_trace_pc@PLT\n"


@pytest.mark.parametrize(
    ("code", "operations"),
    [
        ("\taddl\t$1, %ebx\n\tcmpl\t%ebx, %ebp\n\tjne\t.L4\n", 3),
        ("\tmovq\t%rbx, %rdi\n\tcall\t__tsan_read4@PLT\n\tmovss\t(%rbx), %xmm0\n", 0),
        ("\tdivss\t%xmm1, %xmm0\n\tmulss\t%xmm1, %xmm0\n", 9),
        ("\tcall\texpf@PLT\n\tcall\t_Z6helperi@PLT\n", 9),
        ("\tsubq\t$88, %rsp\n\txorl\t%eax, %eax\n\txorl\t%ebx, %eax\n", 1),
        ("\tcall\t__extendhfsf2@PLT\n\taddss\t%xmm1, %xmm0\n\tcall\t__truncsfhf2@PLT\n", 1),
        ("\tret\n\taddl\t$1, %ebx\n", 1),
    ],
)
def test_weights(code, operations):
    text = counted((MARK + code).encode()).decode()
    addition = f"\taddq\t${operations}, (%rax)\n"
    assert text.endswith(code)
    assert (addition in text) == (operations > 0)
    assert "trace_pc" not in text
    assert text.count("mlusim_scalar_work") == (operations > 0)


def test_every_block_counts_its_own():
    text = counted((MARK + "\taddl\t$1, %ebx\n" + MARK + "\tincl\t%eax\n\tincl\t%eax\n").encode()).decode()
    assert "addq\t$1, (%rax)" in text
    assert "addq\t$2, (%rax)" in text


@pytest.mark.parametrize("kernel", ["behind_all", "behind_all_of<int>"])
def test_work_behind_all_accesses_is_shown_at_the_kernel(program, kernel):
    log = program.launch(kernel, args=[np.zeros(1, np.int32), 10_000]).log
    places = [log.locations[row["loc"]] for row in log.records if log.ops[row["op"]].name == "scalar.compute"]
    assert f"__mlu_global__ void {kernel.partition('<')[0]}(" in SOURCE.splitlines()[places[-1].line - 1]


@pytest.mark.parametrize(("suffix", "device"), [("c", "bm1690"), ("cpp", "bm1688")])
def test_work_behind_all_of_a_tpu_kernel_is_shown_where_it_is_registered(suffix, device, tmp_path):
    source = tmp_path / f"loop.{suffix}"
    source.write_text(
        '#include "tpu_kernel.h"\n'
        "typedef struct { unsigned count; } __attribute__((packed)) args_t;\n"
        "int loop(const void *raw) {\n"
        "  volatile unsigned x = 1;\n"
        "  for (unsigned i = 0; i < ((const args_t *)raw)->count; i++) x = x * 1664525u + 1013904223u;\n"
        "  return 0;\n"
        "}\n"
        "\n"
        "TPUKERNEL_FUNC_REGISTER(loop);\n"
    )
    log = load([source], device=Device.load(device)).launch("loop", args={"count": 10_000}).log
    places = [log.locations[row["loc"]] for row in log.records if log.ops[row["op"]].name == "scalar.compute"]
    assert [(place.file, place.line) for place in places[-1:]] == [(str(source), 9)]
