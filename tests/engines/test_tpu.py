"""TPU-KERNEL sources and Python kernels: the rules of HAU, its order, the cache, and cores that meet."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import BuildError, Device, DeviceArray, Finding, KernelError, Program, Run, launch, load

from tests.support.paths import KERNELS_C

CHIP = "bm1684x"
SOURCE = KERNELS_C / "hau.c"
POLL, INVALIDATE, BEYOND, STORE, FLUSH, EARLY_STORE, SORT_AGAIN = (1 << bit for bit in range(7))
FP32, FP16 = 5, 3


class CallArguments(ctypes.Structure):
    _fields_ = [("a", ctypes.c_uint64 * 10), ("function", ctypes.c_int)]


class SortArguments(ctypes.Structure):
    _fields_ = [("out", ctypes.c_uint64), ("input", ctypes.c_uint64), *((n, ctypes.c_int) for n in ("n", "k", "flags"))]


# --- one rule broken at a time ---------------------------------------------------------------------------------------

#: The legal arguments of a call of every function, in order; texts name arrays.
LEGAL: dict[str, dict[str, Any]] = {
    "tpu_hau_sort": {"output_addr": "out", "input_addr": "in", "len": 64, "K": 8, "descended": 1, "dtype": FP32},
    "tpu_hau_sort_natural_index": {
        "output_data_addr": "out", "output_idx_addr": "out2", "input_addr": "in",
        "len": 64, "K": 8, "descended": 1, "dtype": FP32,
    },
    "tpu_hau_sort_specific_index": {
        "output_data_addr": "out", "output_idx_addr": "out2", "input_data_addr": "in", "input_idx_addr": "in2",
        "len": 64, "K": 8, "descended": 1, "dtype": FP32,
    },
    "tpu_hau_sort_general": {
        "src_data_addr": "in", "src_idx_addr": "in2", "dst_data_addr": "out", "dst_idx_addr": "out2",
        "dtype_flags": 0, "len": 64, "is_descend": 1, "idx_enable": 1, "idx_auto": 0, "topk": 8,
    },
    "tpu_hau_line_gather": {
        "output_addr": "out", "param_addr": "in", "index_addr": "in2",
        "line_num": 16, "line_len": 4, "index_len": 16, "start": 0, "end": 15, "dtype": FP32, "fill_const": 1,
    },
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """A call with one argument changed, and what its finding says."""

    function: str
    argument: str
    value: Any  # a number, or ("+", bytes) for an address
    rule: str
    says: str

    def __str__(self) -> str:
        return f"{self.function}-{self.argument}-{self.value}"


def faults() -> list[Fault]:
    found = []
    for function, legal in LEGAL.items():
        gather = function.endswith("gather")
        for name in (name for name, value in legal.items() if isinstance(value, str)):
            step, multiple = (32, 64) if gather else (2, 4)
            found.append(Fault(function, name, ("+", step), "alignment", f"not a multiple of {multiple}"))
            span = 64 if name == "index_addr" else 256
            found.append(Fault(function, name, ("+", 256 - span + 64), "bounds", "passes its end by 64"))
        code, count = ("dtype_flags", "topk") if function.endswith("general") else ("dtype", "K")
        found.append(Fault(function, code, 99, "dtype", f"{code} is 99"))
        if gather:
            found += [
                Fault(function, "line_num", 0, "length", "line_num = 0"),
                Fault(function, "line_len", 0, "length", "line_len = 0"),
                Fault(function, "index_len", 0, "length", "index_len = 0"),
                Fault(function, "start", -1, "argument", "start = -1"),
                Fault(function, "end", 16, "argument", "end = 16"),
                Fault(function, "end", -1, "argument", "end = -1"),
            ]
        else:
            if code == "dtype":
                found.append(Fault(function, code, FP16, "dtype", "dtype is DT_FP16"))
            found += [Fault(function, count, k, "length", f"{count} = {k}") for k in (0, -1, 65)]
            found += [Fault(function, "len", n, "length", f"len = {n}") for n in (0, -1)]
    return found


Caller = Callable[[Fault, list[DeviceArray]], Run]


def arguments(fault: Fault, arrays: list[DeviceArray]) -> list[tuple[int | None, int]]:
    """The arguments of a faulty call: the number of an array and bytes from its start, or None and a number."""
    names = ["out", "out2", "in", "in2"]
    given: list[tuple[int | None, int]] = []
    for name, value in LEGAL[fault.function].items():
        moved = name == fault.argument
        if isinstance(value, str):
            given.append((names.index(value), fault.value[1] if moved else 0))
        else:
            given.append((None, fault.value if moved else value))
    return given


def call_from_c(program: Program, fault: Fault, arrays: list[DeviceArray]) -> Run:
    values = [(0 if at is None else arrays[at].address) + n for at, n in arguments(fault, arrays)]
    packed = (ctypes.c_uint64 * 10)(*(value % 2**64 for value in values))
    return program.launch("call", args=CallArguments(packed, list(LEGAL).index(fault.function)))


def call_from_python(device: Device, fault: Fault, arrays: list[DeviceArray]) -> Run:
    def kernel(t: Any, *pointers: Any) -> None:
        values = [n if at is None else pointers[at].cast("int8") + n for at, n in arguments(fault, arrays)]
        if fault.function.endswith("gather"):
            values.insert(3, 0)
        getattr(t, fault.function)(*values)

    return launch(kernel, args=arrays, device=device)


@pytest.mark.parametrize("fault", faults(), ids=str)
@pytest.mark.parametrize("language", ["C", "Python"])
def test_a_broken_rule_is_named_and_nothing_is_written(
    device: Device, program: Program, fault: Fault, language: str
) -> None:
    rng = np.random.default_rng(0)
    arrays = [device.array(rng.integers(0, 16, 64).astype(np.int32)) for _ in range(4)]
    before = [array.numpy().tobytes() for array in arrays]
    with pytest.raises(KernelError) as caught:
        call_from_c(program, fault, arrays) if language == "C" else call_from_python(device, fault, arrays)
    finding = caught.value.finding
    named = finding.operand or finding.message
    assert (finding.rule, finding.instruction) == (fault.rule, fault.function)
    assert fault.argument in named
    assert fault.says in finding.message
    assert finding.location.file.endswith("hau.c" if language == "C" else "test_tpu.py")
    assert [array.numpy().tobytes() for array in arrays] == before


@pytest.mark.parametrize("function", LEGAL)
def test_the_legal_call_itself_is_silent(device: Device, program: Program, function: str) -> None:
    arrays = [device.array(np.zeros(64, np.int32)) for _ in range(4)]
    nothing = Fault(function, "", 0, "", "")
    assert call_from_c(program, nothing, arrays).findings == []
    alone = call_from_python(device, nothing, arrays)  # nothing waits for it
    assert [finding.rule for finding in alone.findings] == ["unwaited"]


# --- order and cache -------------------------------------------------------------------------------------------------


def read_result(program: Program, device: Device, flags: int) -> list[Finding]:
    out, source = device.array(np.zeros(64, np.float32)), device.array(np.arange(64, dtype=np.float32) - 5)
    run = program.launch(
        "read_result", args=SortArguments(out.address, source.address, 64, 8, flags), on_finding="collect"
    )
    return run.findings


@pytest.mark.parametrize(
    ("flags", "rule", "fix"),
    [
        (INVALIDATE, "order", "tpu_hau_poll"),
        (POLL, "cache", "tpu_invalidate_cache"),
        (POLL | INVALIDATE | STORE, "cache", "tpu_flush_cache"),
        (POLL | INVALIDATE | EARLY_STORE, "order", "tpu_hau_poll"),
        (POLL | INVALIDATE | BEYOND, "uninitialized", "write the memory"),
    ],
)
def test_a_missing_wait_or_cache_operation_is_found(
    program: Program, device: Device, flags: int, rule: str, fix: str
) -> None:
    (finding,) = read_result(program, device, flags)
    assert finding.rule == rule
    assert fix in finding.suggestion


@pytest.mark.parametrize("flags", [0, STORE | FLUSH, SORT_AGAIN], ids=["plain", "flushed store", "second sort"])
def test_with_all_of_them_nothing_is_found(program: Program, device: Device, flags: int) -> None:
    assert read_result(program, device, flags | POLL | INVALIDATE) == []


def test_an_unfinished_sort_has_not_written_yet(
    program: Program, device: Device, capfd: pytest.CaptureFixture[str]
) -> None:
    read_result(program, device, INVALIDATE)
    read_result(program, device, INVALIDATE | POLL)
    assert capfd.readouterr().out.split("\n")[:2] == ["first 0", "first -5"]


def test_order_in_a_python_kernel(device: Device) -> None:
    def kernel(t: Any, out: Any, source: Any, wait: bool) -> None:
        t.tpu_hau_sort(out, source, 8, 8, False, t.DT_FP32)
        if wait:
            t.tpu_hau_poll()
        t.tpu_invalidate_cache(out, 32)
        out[0]

    arrays = [np.zeros(8, np.float32), np.ones(8, np.float32)]
    rules = [
        [f.rule for f in launch(kernel, args=[*arrays, wait], device=device, on_finding="collect").findings]
        for wait in (False, True)
    ]
    assert rules == [["order"], []]


# --- assertions, cores, languages ------------------------------------------------------------------------------------


def test_an_assertion_of_the_kernel(program: Program) -> None:
    assert [f.rule for f in program.launch("check", args=SortArguments(0, 0, 4, 4, 0)).findings] == ["empty"]
    with pytest.raises(KernelError, match="s->k <= s->n") as caught:
        program.launch("check", args=SortArguments(0, 0, 4, 5, 0))
    assert caught.value.finding.rule == "assert"


def test_the_heap_belongs_to_the_kernel(program: Program, capfd: pytest.CaptureFixture[str]) -> None:
    assert [f.rule for f in program.launch("use_heap", args=SortArguments(0, 0, 100, 100, 0)).findings] == []
    assert capfd.readouterr().out == f"sum {2 * sum(range(100))}\n"
    with pytest.raises(KernelError) as caught:
        program.launch("use_heap", args=SortArguments(0, 0, 100, 101, 0))
    assert (caught.value.finding.rule, caught.value.finding.instruction) == ("bounds", "scalar.load")


@pytest.mark.parametrize(("name", "cores"), [("bm1684x", 1), ("bm1688", 2), ("bm1690", 8)])
def test_every_core_takes_its_part_and_all_meet(name: str, cores: int) -> None:
    device = Device.load(name)
    x = np.random.default_rng(1).standard_normal(64).astype(np.float32)
    out, source = device.array(x * 0), device.array(x)
    run = load([SOURCE], device=device).launch("meet", args=SortArguments(out.address, source.address, 64, 0, -1))
    assert run.findings == []
    assert sorted(set(run.log.records["core"].tolist())) == list(range(cores))
    assert (out.numpy() == np.sort(x.reshape(cores, -1), axis=1).reshape(-1)).all()


def test_a_core_that_never_arrives() -> None:
    device = Device.load("bm1690")
    out, source = (device.array(np.zeros(64, np.float32)) for _ in range(2))
    with pytest.raises(KernelError, match=r"task 5 \(has ended\)") as caught:
        load([SOURCE], device=device).launch("meet", args=SortArguments(out.address, source.address, 64, 0, 5))
    assert caught.value.finding.rule == "barrier"


def test_a_function_that_is_known_and_not_modelled(program: Program) -> None:
    with pytest.raises(KernelError) as caught:
        program.launch("sign_of", args=SortArguments())
    finding = caught.value.finding
    assert (finding.rule, finding.instruction) == ("not-modelled", "tpu_bdc_sign")


CPP = """
#include "tpu_kernel.h"
template <typename T>
static T *at(global_addr_t address) { return static_cast<T *>(tpu_global_mem_addr(address)); }
struct Arguments { global_addr_t out, in; int n, k, flags; };
void kernel(const void *p) {
  auto a = static_cast<const Arguments *>(p);
  tpu_hau_sort(a->out, a->in, a->n, a->n, true, DT_FP32);
  tpu_hau_poll();
  tpu_invalidate_cache(a->out, 64);
  at<float>(a->out)[0] *= 2;
}
TPUKERNEL_FUNC_REGISTER(kernel);
"""


def test_a_source_in_cpp(tmp_path: Path, device: Device) -> None:
    path = tmp_path / "kernel.cpp"
    path.write_text(CPP)
    out, source = device.array(np.zeros(4, np.float32)), device.array(np.array([3, 9, 1, 5], np.float32))
    run = load([path], device=device).launch("kernel", args=SortArguments(out.address, source.address, 4, 4, 0))
    assert run.findings == []
    assert out.numpy().tolist() == [18, 5, 3, 1]


def test_c_is_compiled_as_c(tmp_path: Path, device: Device) -> None:
    path = tmp_path / "hau.cpp"
    path.write_text(SOURCE.read_text())
    with pytest.raises(BuildError):
        load([path], device=device)


@pytest.mark.parametrize("suffix", [".c", ".cpp"])
def test_an_unknown_function_names_the_nearest(tmp_path: Path, device: Device, suffix: str) -> None:
    path = tmp_path / f"kernel{suffix}"
    path.write_text(
        '#include "tpu_kernel.h"\nvoid kernel(const void *p) { tpu_hau_sort_natural_indx(p); }\n'
        "TPUKERNEL_FUNC_REGISTER(kernel);\n"
    )
    with pytest.raises(
        BuildError, match=r"no instruction tpu_hau_sort_natural_indx.*tpu_hau_sort_natural_index"
    ) as caught:
        load([path], device=device)
    assert caught.value.finding.location.line == 2


def test_an_unknown_function_of_a_python_kernel(device: Device) -> None:
    with pytest.raises(AttributeError, match="tpu_hau_sort_natural_index"):
        launch(lambda t: t.tpu_hau_sort_natural_indx(), device=device)


def test_memory_of_dropped_arrays_is_used_again() -> None:
    device = Device.load("bm1684x")
    kept, dropped = device.array(np.zeros(4)), device.array(np.zeros(100))
    address = dropped.address
    del dropped
    assert device.array(np.ones(100)).address == address
    assert kept.numpy().tolist() == [0] * 4


def test_the_cache_of_one_core_is_not_that_of_another() -> None:
    device = Device.load("bm1690")

    def kernel(t: Any, out: Any, source: Any, flushes: bool) -> None:
        if t.taskId == 0:
            source[0] = 1.0
        t.tpu_sync_all()
        if t.taskId == 1 and flushes:
            t.tpu_flush_cache(source, 64)  # its own cache holds nothing of it
        t.tpu_sync_all()
        if t.taskId == 2:
            t.tpu_hau_sort(out, source, 16, 16, False, t.DT_FP32)
            t.tpu_hau_poll()

    arrays = [device.array(np.zeros(16, np.float32)) for _ in range(2)]
    for flushes in (False, True):
        run = launch(kernel, args=[*arrays, flushes], device=device, on_finding="collect")
        assert [f.rule for f in run.findings] == ["cache"], f"core 1 flushes: {flushes}"


def test_a_launch_that_executes_nothing_says_so(device: Device) -> None:
    (finding,) = launch(lambda t: None, args=[], device=device).findings
    assert (finding.rule, finding.severity, finding.core) == ("empty", "warning", -1)
    assert launch(lambda t: t.tpu_poll(), args=[], device=device).findings == []


def test_a_launch_that_executes_only_what_is_not_modelled_says_so(device: Device) -> None:
    found = launch(lambda t: t.tpu_bdc_sign(0, 0), args=[], device=device, on_finding="collect").findings
    assert [f.rule for f in found] == ["not-modelled", "empty"]


@pytest.mark.parametrize(("chip", "registered"), [("bm1690", ["several"]), ("bm1688", ["one"])])
def test_only_one_chip_has_the_bodies_for_several_cores(chip: str, registered: list[str], tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(
        '#include "tpu_kernel.h"\n#ifdef ENABLE_MULTI_CORE\n#define NAME several\n#else\n#define NAME one\n#endif\n'
        "#define REGISTER(name) TPUKERNEL_FUNC_REGISTER(name)\n"
        "void NAME(const void *arguments) { (void)arguments; tpu_initialize(); }\nREGISTER(NAME);\n"
    )
    assert list(load([path], device=Device.load(chip)).kernels) == registered
