"""CUDA kernels on a grid of thread blocks: what they compute, what they break, at which line."""

import numpy as np
import pytest
from mlusim.simulator import BuildError, Device, KernelError, Program, launch, load

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "threads.cu"
ISOLATED = pytest.mark.parametrize("isolate", [False, True], ids=["inside", "isolated"])


def zeros(count: int, dtype: str = "int32") -> np.ndarray:
    return np.zeros(count, dtype)


def marked(word: str) -> int:
    """The line of the source that a comment marks."""
    return line_of(SOURCE, f"// line: {word}$")


def findings(program: Program, kernel: str, dim, block, *args, **options) -> list[tuple[str, int]]:
    """Rule and line of everything that a launch finds."""
    run = program.launch(kernel, dim, args=args, block=block, on_finding="collect", **options)
    return [(finding.rule, finding.location.line) for finding in run.findings]


def message(program: Program, kernel: str, dim, block, *args, **options) -> str:
    """The message of the finding that ends a launch."""
    with pytest.raises(KernelError) as caught:
        program.launch(kernel, dim, args=args, block=block, **options)
    return caught.value.finding.message


# --- results ---------------------------------------------------------------------------------------------------------


@ISOLATED
@pytest.mark.parametrize("count", [1, 31, 256, 1000, 65536])
def test_add(program, isolate, count):
    a, b = np.arange(count, dtype=np.float32), np.full(count, 0.5, np.float32)
    c = zeros(count, "float32")
    run = program.launch("add<float>", -(-count // 256), args=[a, b, c, count], block=256, isolate=isolate)
    assert not run.findings
    assert c.tolist() == [n + 0.5 for n in range(count)]


def test_coordinates_of_all_axes(program):
    out = zeros(2 * 3 * 2 * 2 * 2 * 3, "uint32")
    assert findings(program, "coordinates", (2, 3, 2), (2, 2, 3), out) == []
    expected = [
        bx + 10 * by + 100 * bz + 1000 * tx + 10000 * ty + 100000 * tz
        for bz in range(2) for by in range(3) for bx in range(2)
        for tz in range(3) for ty in range(2) for tx in range(2)
    ]  # fmt: skip
    assert out.tolist() == expected


@ISOLATED
def test_barriers_between_spans(program, isolate):
    data, out = np.arange(1024, dtype=np.int32), zeros(1024)
    assert findings(program, "turn", 4, 256, data, out, isolate=isolate) == []
    assert out.tolist() == [block * 256 + 255 - i for block in range(4) for i in range(256)]


@pytest.mark.parametrize(("kernel", "dtype"), [("sum<int>", "int32"), ("sum<double>", "float64")])
def test_dynamic_shared_memory_and_barriers_in_a_loop(program, kernel, dtype):
    data, out = np.arange(500).astype(dtype), zeros(4, dtype)
    run = program.launch(kernel, 4, args=[data, out, 500], block=128, shared=128 * data.itemsize)
    assert not run.findings
    assert out.tolist() == [sum(range(128 * n, min(128 * n + 128, 500))) for n in range(4)]


def test_atomics(program):
    count, most, total = zeros(1), zeros(1, "uint32"), zeros(1, "float32")
    assert findings(program, "counted", 4, 96, count, most, total) == []
    assert (count[0], most[0], total[0]) == (384, 383, 192.0)


def test_constants_and_variables_of_the_module(program):
    data = np.arange(64, dtype=np.float32) ** 2
    out = zeros(62, "float32")
    assert findings(program, "smooth", 1, 62, data, out) == []
    expected = [0.25 * (i * i) + 0.5 * (i + 1) ** 2 + 0.25 * (i + 2) ** 2 + 7 + (i % 4 + 1) for i in range(62)]
    assert out.tolist() == expected


def test_halves_are_rounded_once(program):
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal(32).astype(np.float16), rng.standard_normal(64).astype(np.float16)
    out = zeros(32, "float16")
    assert findings(program, "halves", 1, 32, a, b, out) == []
    low, high = (b[0::2] * np.float16(2)).astype(np.float64), (b[1::2] * np.float16(2)).astype(np.float64)
    fused = (a.astype(np.float64) * low + high).astype(np.float16)
    assert out.tolist() == (fused.astype(np.float32) + 1).astype(np.float16).tolist()


def test_deep_recursion_on_the_stack_of_a_thread(program):
    out = zeros(4)
    assert findings(program, "recursive", 1, 4, out, 500) == []
    assert out.tolist() == [500] * 4


# --- bounds and alignment ---------------------------------------------------------------------------------------------


def test_an_element_too_many(program):
    a, c = zeros(100, "float32"), zeros(100, "float32")
    assert findings(program, "one_too_many", 1, 128, a, c, 99) == []
    assert findings(program, "one_too_many", 1, 128, a, c, 100) == [("bounds", marked("one_too_many"))]
    found = message(program, "one_too_many", 2, 64, a, c, 100)
    assert found == (
        "load of 4 bytes at byte 400 of 'argument 0 of one_too_many' by thread (36,0,0) of block (1,0,0) "
        "passes its end by 4"
    )


def test_an_access_in_a_function_of_our_headers_has_the_line_of_its_call(program):
    assert findings(program, "through_header", 1, 8, zeros(8), zeros(16)) == []
    assert findings(program, "through_header", 1, 9, zeros(8), zeros(16)) == [("bounds", marked("through_header"))]


def test_other_threads_go_on_where_findings_are_collected(program):
    a, c = np.ones(100, np.float32), zeros(100, "float32")
    run = program.launch("one_too_many", 1, args=[a, c, 110], block=128, on_finding="collect")
    assert [finding.count for finding in run.findings] == [11]
    assert c.tolist() == [1.0] * 100


@pytest.mark.parametrize(
    ("kernel", "threads", "shared", "word"),
    [("shared_overrun", 32, 0, "shared_overrun"), ("dynamic_overrun", 17, 64, "dynamic_overrun")],
)
def test_shared_memory_ends_where_a_variable_does(program, kernel, threads, shared, word):
    assert findings(program, kernel, 1, threads - 1, zeros(32), shared=shared) == []
    assert findings(program, kernel, 1, threads, zeros(32), shared=shared) == [("bounds", marked(word))]


def test_a_null_pointer_and_a_variable_of_the_module(program):
    assert "the pointer is null" in message(program, "add<float>", 1, 1, None, None, None, 1)
    assert findings(program, "table_overrun", 1, 1, zeros(1), 3) == []
    assert findings(program, "table_overrun", 1, 1, zeros(1), 4) == [("bounds", marked("table_overrun"))]
    assert findings(program, "change_constant", 1, 1, zeros(1)) == [("space", marked("change_constant"))]


def test_vectors_are_aligned(program):
    data, out = np.arange(64, dtype=np.float32), zeros(32, "float32")
    for offset in (0, 4):
        assert findings(program, "vectors", 1, 8, data, out, offset) == []
        assert out.tolist() == [n + offset + (n % 4 == 0) for n in range(32)]
    for offset in (1, 2, 3):
        assert findings(program, "vectors", 1, 8, data, out, offset) == [("alignment", marked("misaligned"))]


# --- shared memory between threads -----------------------------------------------------------------------------------


def test_a_missing_barrier_is_a_race(program):
    found = findings(program, "turn_without_barrier", 1, 256, zeros(256), zeros(256))
    assert found == [("race", marked("race_store"))]  # with that of the load: one barrier ends both
    # A thread alone has none to race with.
    assert findings(program, "turn_without_barrier", 1, 1, zeros(1), zeros(1)) == []


def test_a_race_names_both_lines_and_threads(program):
    with pytest.raises(KernelError) as caught:
        program.launch("turn_without_barrier", 1, args=[zeros(256), zeros(256)], block=256)
    finding = caught.value.finding
    assert finding.message == (
        "thread (128,0,0) of block (0,0,0) stores to byte 512 of 'part', which thread (127,0,0) of block (0,0,0) "
        "has accessed since the last barrier"
    )
    assert (finding.location.line, finding.related.line) == (marked("race_store"), marked("race_load"))


def test_a_loop_without_its_barrier(program):
    assert findings(program, "sum_without_barrier", 1, 64, zeros(64), zeros(1), shared=256) == [
        ("race", marked("sum_race"))
    ]


def test_atomics_race_with_plain_accesses_only(program):
    found = findings(program, "atomic_and_plain", 1, 8, zeros(8))
    assert {rule for rule, _ in found} == {"race"}
    assert {line for _, line in found} <= {marked("atomic"), marked("plain")}


def test_uninitialized_shared_memory(program):
    out = zeros(64, "float32")
    assert findings(program, "never_written", 3, 32, zeros(96, "float32")) == []
    run = program.launch("never_written", 1, args=[out], block=64)
    assert [(f.rule, f.severity, f.count, f.location.line) for f in run.findings] == [
        ("uninitialized", "warning", 32, marked("never_written"))
    ]
    assert out[:32].tolist() == [1.0] * 32
    assert np.isnan(out[32:]).all()


def test_what_a_block_wrote_is_gone_in_the_next(program):
    # All 64 threads of block 0 write in `turn`; the blocks of `never_written` reuse the same bytes.
    findings(program, "turn", 1, 64, zeros(64), zeros(64))
    run = program.launch("never_written", 2, args=[zeros(128, "float32")], block=64)
    assert [f.count for f in run.findings] == [64]


def test_without_checks_only_what_cannot_be_carried_out_is_said():
    unchecked = load([SOURCE], device=Device.load(CHIP).checked("none"))
    for kernel in ("turn_without_barrier", "turn"):
        data, out = np.arange(256, dtype=np.int32), zeros(256)
        assert findings(unchecked, kernel, 1, 256, data, out) == []
        assert (out.tolist() == [255 - i for i in range(256)]) == (kernel == "turn")
    assert findings(unchecked, "never_written", 1, 64, zeros(64, "float32")) == []
    assert findings(unchecked, "add<float>", 1, 32, *(zeros(32, "float32") for _ in "abc"), 33) == []
    assert [rule for rule, _ in findings(unchecked, "add<float>", 2, 32, *[zeros(32, "float32")] * 3, 33)] == ["bounds"]


# --- barriers --------------------------------------------------------------------------------------------------------


def test_a_barrier_that_ended_threads_skip(program):
    out = zeros(64)
    assert findings(program, "early_return", 1, 64, out, 64) == []
    assert out.tolist() == list(range(63, -1, -1))
    assert findings(program, "early_return", 1, 64, out, 48) == [("barrier", marked("early_return"))]
    assert "16 threads of its block skip, thread (48,0,0)" in message(program, "early_return", 1, 64, out, 48)


def test_barriers_in_two_branches(program):
    assert findings(program, "two_barriers", 1, 1, zeros(1)) == []
    with pytest.raises(KernelError) as caught:
        program.launch("two_barriers", 1, args=[zeros(2)], block=2)
    finding = caught.value.finding
    assert (finding.rule, finding.location.line, finding.related.line) == ("barrier", marked("even"), marked("odd"))


def test_a_block_may_skip_a_barrier_as_a_whole(program):
    assert findings(program, "skip_alike", 2, 64, zeros(128), 1) == []


# --- what ends a kernel ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "args", "options", "rule", "word"),
    [
        ("timed", [], {}, "not-modelled", "timed"),
        ("lane", [], {}, "not-modelled", "lane"),
        ("large_static", [], {}, "budget", "large_static"),
        ("divides", [0], {}, "crash", "divides"),
        ("endless", [], {"time_limit": 0.1}, "time", "endless"),
        ("recursive", [10**6], {}, "stack", None),
    ],
)
def test_ends_with(program, kernel, args, options, rule, word):
    with pytest.raises(KernelError) as caught:
        program.launch(kernel, 1, args=[zeros(32), *args], block=32, **options)
    finding = caught.value.finding
    assert finding.rule == rule
    assert word is None or finding.location.line == marked(word)
    assert findings(program, "skip_alike", 1, 64, zeros(64), 1) == []  # the simulator goes on


def test_an_assertion(program):
    assert "thread (3,0,0) of block (0,0,0): out[threadIdx.x] == 0" in message(
        program, "asserts", 1, 8, np.array([0, 0, 0, 1, 0, 0, 0, 0], np.int32)
    )


@pytest.mark.parametrize(
    ("dim", "block", "shared", "text"),
    [
        (1, None, 0, "needs block"),
        (1, 1025, 0, "the most is"),
        (1, (32, 33), 0, "1056 threads; a block has 1024 at most"),
        (1, (1, 1, 65), 0, "the most is"),
        (1, 0, 0, "pass one to three whole numbers"),
        ((1, 2, 3, 4), 32, 0, "dim is"),
        ((1, 65536), 32, 0, "the most is"),
        (1, 32, 166913, "pass 0 to 166912 bytes"),
        (1, 32, -1, "pass 0 to 166912 bytes"),
        (1, 32, 1.5, "pass 0 to 166912 bytes"),
        (1, 32, None, "pass 0 to 166912 bytes"),
        (1, True, 0, "pass one to three whole numbers"),
        (1, "32", 0, "pass one to three whole numbers"),
        (1, float("nan"), 0, "pass one to three whole numbers"),
        (0, 32, 0, "dim is 0; pass one to three whole numbers"),
        ((2**31 - 1, 3, 1), 32, 0, "at most 4294967295 blocks"),
    ],
)
def test_launches_that_the_device_cannot_run(program, dim, block, shared, text):
    with pytest.raises(ValueError, match=text.replace("(", r"\(")):
        program.launch("skip_alike", dim, args=[zeros(1), 0], block=block, shared=shared)


def test_wrong_use(device, program, tmp_path):
    with pytest.raises(ValueError, match="leave type out"):
        program.launch("skip_alike", 1, "union1", [zeros(1), 0], block=1)
    with pytest.raises(ValueError, match=r"load a \.cu file"):
        launch(lambda context: None, device=device)
    plain = tmp_path / "plain.mlu"
    plain.write_text("__mlu_global__ void nothing() {}\n")
    with pytest.raises(ValueError, match="has no blocks of threads"):
        load([plain], device=Device.load("mlu370-x4")).launch("nothing", block=32)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("__global__ void k(int* p) { p[blockId.x] = 1; }", "did you mean 'blockIdx'"),
        ("__global__ void k(const int* p) { p[threadIdx.x] = 1; }", "read-only"),
        ("#include <mma.h>\n", "tensor cores are not modelled"),
        ("__global__ void k(int* p) { __shared__ int s = 1; *p = s; }", "cannot have an initialiser"),
        (
            "__global__ void k(int* p) { __shared__ int n, (*s)[4]; s[0][0] = n; }",
            "a __shared__ pointer to an array or a function",
        ),
    ],
)
def test_what_does_not_compile(device, tmp_path, text, said):
    source = tmp_path / "wrong.cu"
    source.write_text(text)
    with pytest.raises(BuildError, match=said):
        load([source], device=device)


def test_a_function_without_a_body_is_named_at_its_call(device, tmp_path):
    source = tmp_path / "bodiless.cu"
    source.write_text("template <class T> __device__ T f(T x);\n__global__ void k(int* p) {\n  *p = f(*p);\n}\n")
    run = load([source], device=device).launch("k", args=[zeros(1)], block=1, on_finding="collect")
    (found,) = run.findings
    assert (found.rule, found.location.line) == ("not-modelled", 3)
    assert "f<int>(int)" in found.message


@ISOLATED
def test_two_runs_give_equal_logs(program, isolate):
    def once():
        return program.launch("turn", 4, args=[zeros(1024), zeros(1024)], block=256, isolate=isolate).log

    first = once()
    findings(program, "never_written", 1, 64, zeros(64, "float32"))
    assert once() == first
