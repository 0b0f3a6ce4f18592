"""A launch compared with itself: in other splits of its work, and with smaller counts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Finding, Run, launch, load
from mlusim.simulator.cli import main
from mlusim.simulator.launches.repeats import Repeats
from mlusim.simulator.launches.watchers import Launches, watchers

from tests.launches.added import N, add, even, launched, rest_twice
from tests.support.devices import device
from tests.support.documents import document

pytest_plugins = ["pytester"]


def tail_twice(m: Any, out: Any, source: Any, n: int) -> None:
    """A tail of a tile is computed in another way, which is wrong."""
    for begin in range(0, n, 60):
        add(m, out, source, begin, min(60, n - begin), 1.0 if n - begin >= 60 else 2.0)


def for_each_task(m: Any, out: Any, source: Any, n: int) -> None:
    out[m.taskId] = float(m.taskDim)


def four_tasks(m: Any, out: Any, source: Any, n: int) -> None:
    """Only four tasks have tiles that are large enough."""
    tile = m.nram("float", N // 4)
    each = n // m.taskDim
    m.__memcpy(tile, source + m.taskId * each, each * 4, m.GDRAM2NRAM)
    m.__memcpy(out + m.taskId * each, tile, each * 4, m.NRAM2GDRAM)


def of(run: Run, rule: str) -> list[Finding]:
    return [finding for finding in run.findings if finding.rule == rule]


@pytest.mark.parametrize("how", [{"resplit": (1, 3, 7)}, {"smaller": True}, {"resplit": "few", "orders": 2}])
def test_a_right_kernel_agrees_with_itself(how: dict[str, Any]) -> None:
    run, out = launched(even, **how)
    assert run.findings == []
    assert run.variants.done
    assert np.array_equal(out, np.arange(N) + 1)


def test_the_contents_are_those_of_the_launch_itself() -> None:
    run, out = launched(for_each_task, resplit=(1, 2, 8))
    assert of(run, "split-dependent")
    assert out[:9].tolist() == [4, 4, 4, 4, 0, 0, 0, 0, 0]


def test_a_difference_names_both_values_and_both_ways() -> None:
    run, _ = launched(rest_twice, tasks=3, resplit=4)
    (found,) = run.findings
    assert (found.rule, found.severity, found.operand) == ("split-dependent", "error", "out")
    assert found.message == (
        "1 of the 1000 elements of out differs with 4 tasks: out[999] is 1001 with 3 tasks and 1000 with 4 tasks"
    )
    assert found.other is not None
    assert (found.task, found.other.said, found.other.steps[0].task) == (2, "with 4 tasks", 3)
    assert found.trail[-1].taken == found.other.steps[-1].taken == ("source[999]",)
    assert f"with 4 tasks: __memcpy at {found.location}\n    from __bang_add_scalar" in str(found)


@pytest.mark.parametrize(("least", "said"), [(1.5e-4, 0), (4e-4, 1)])
def test_sums_may_differ_by_rounding(least: float, said: int) -> None:
    def kernel(m: Any, out: Any, source: Any, n: int) -> None:
        if m.taskId == 0:
            add(m, out, source, 0, n, 1.0 + least * (m.taskDim - 1))

    run, _ = launched(kernel, tasks=1, n=1, resplit=2)
    assert len(of(run, "split-dependent")) == said


def test_a_rule_that_another_split_breaks_counts_and_says_which_it_was() -> None:
    run, out = launched(four_tasks, resplit=(8, 3))
    (found,) = run.errors
    assert found.rule == "bounds"
    assert found.message.startswith("with 3 tasks: write of 1332 bytes")
    assert found.suggestion.endswith("leave this one out of resplit")
    assert np.array_equal(out, np.arange(N))


def test_a_launch_that_breaks_a_rule_is_compared_with_nothing() -> None:
    run, _ = launched(four_tasks, tasks=3, resplit=(1, 4))
    assert [found.rule for found in run.errors if "with" in found.message] == []
    assert not run.variants.done
    assert "not with 1 task, with 4 tasks: the launch itself breaks rules" in run.variants.tried


@pytest.mark.parametrize(("n", "said"), [(960, "with n = 959"), (N, "")])
def test_a_smaller_count_leaves_the_same(n: int, said: str) -> None:
    """Of 960 a tail of 59 is wrong with one element less: 94 % agree. With 1000 - 1 the tail is that of 1000."""
    run, _ = launched(tail_twice, tasks=1, n=n, smaller=True)
    found = of(run, "count-dependent")
    assert bool(found) == (n == N)  # 960 does not divide the size of an array
    for finding in found:
        assert finding.severity == "warning"
        assert finding.other is not None
        assert finding.other.said in ("with n = 857", "with n = 501")


def test_a_count_without_a_relation_is_no_finding() -> None:
    def kernel(m: Any, out: Any, source: Any, n: int) -> None:
        add(m, out, source, 0, n, float(n))

    assert launched(kernel, tasks=1, smaller=True)[0].findings == []


@pytest.mark.parametrize(
    ("shape", "tried"), [((20, 50), 3), ((50, 20), 0), ((1000,), 3), ((40, 25), 3), ((1, 20, 50), 3)]
)
def test_a_number_that_is_the_length_of_an_inner_axis_is_no_count(shape: tuple[int, ...], tried: int) -> None:
    args = [np.zeros(shape, np.float32), 20]
    run = launch(lambda m, out, n: add(m, out, out, 0, n), args=args, device=device(), smaller=True)
    assert len(run.variants.chosen) == tried


def test_zeros_say_nothing_of_a_count() -> None:
    """Nine of ten are 0 in any case; of the others all differ."""

    def kernel(m: Any, out: Any, source: Any, n: int) -> None:
        tile = m.nram("float", N)
        m.__bang_write_value(tile, N, 0.0)
        m.__bang_write_value(tile, 50, float(n))
        m.__memcpy(out, tile, N * 4, m.NRAM2GDRAM)

    assert launched(kernel, tasks=1, smaller=True)[0].findings == []


def test_a_mean_of_half_as_many_is_not_nearly_the_same() -> None:
    """In half precision it is within the rounding of most elements."""

    def kernel(m: Any, out: Any, source: Any, n: int) -> None:
        tile = m.nram("half", N)
        m.__memcpy(tile, source, N * 2, m.GDRAM2NRAM)
        m.__bang_mul_scalar(tile, tile, 1.0 + 0.04 * n / N, N)
        m.__memcpy(out, tile, N * 2, m.NRAM2GDRAM)

    out, source = np.zeros(N, np.float16), np.linspace(0.3, 1, N).astype(np.float16)
    run = launch(kernel, args=[out, source, N], device=device(), smaller=True, on_finding="collect")
    assert run.findings == []


def test_elements_of_other_places_are_advice() -> None:
    """The second row begins elsewhere with a smaller stride."""

    def rows(m: Any, out: Any, source: Any, n: int) -> None:
        add(m, out, source, 0, 480)
        tile = m.nram("float", 20)
        m.__memcpy(tile, source + n - 20, 80, m.GDRAM2NRAM)
        m.__memcpy(out + 480, tile, 80, m.NRAM2GDRAM)

    assert {f.severity for f in of(launched(rows, tasks=1, smaller=True)[0], "count-dependent")} == {"advice"}


def test_an_array_with_room_for_each_task_is_no_advice() -> None:
    def sums(m: Any, out: Any, source: Any, n: int) -> None:
        out[m.taskId] = source[m.taskId]

    def more(m: Any, out: Any, source: Any, n: int) -> None:
        source[N // 2 * m.taskId] = 1.0
        sums(m, out, source, n)

    for kernel, said in ((sums, []), (more, ["advice bounds"])):
        args = [np.zeros(2, np.float32), np.ones(N, np.float32), N]
        run = launch(kernel, (2, 1, 1), args=args, device=device(), resplit="few", on_finding="collect")
        assert [f"{f.severity} {f.rule}" for f in run.findings] == said


def test_kinds_are_launched_as_they_are_named() -> None:
    run, _ = launched(even, resplit=((4, "union1"), (8, "union2"), 4))
    assert [variant.said for variant in run.variants.chosen] == ["with 4 union1 tasks", "with 8 union2 tasks"]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"resplit": 0}, "resplit has 0"),
        ({"resplit": (1, "3")}, "resplit has '3'"),
        ({"resplit": ((4, "union3"),)}, r"resplit has \(4, 'union3'\)"),
        ({"resplit": "many"}, "resplit has 'many'"),
        (
            {"resplit": ((3, "union1"),)},
            r"resplit: with 3 union1 tasks: dim\[0\] is 3; a union1 launch needs a multiple of 4",
        ),
        ({"resplit": range(1, 102)}, "resplit has"),
        ({"smaller": 2}, "smaller is 2"),
        ({"vary": 1.5}, "vary is 1.5"),
    ],
)
def test_what_says_nothing_sensible_is_refused_before_anything_runs(how: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        launched(lambda m, *args: pytest.fail("it runs"), **how)


def test_watchers_ask_for_launches_that_say_nothing() -> None:
    asked = Repeats(resplit=(4, (3, "union1")))  # the second cannot be launched, and is left out
    with watchers(os.getpid()).watching(watching := Launches(repeats=asked)):
        launched(rest_twice, tasks=3)
    assert [f.rule for one in watching.checked for f in one.findings] == ["split-dependent"]
    run, _ = launched(rest_twice, tasks=3)
    assert run.findings == []


def test_check_deep_says_what_it_has_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "add.py"
    source.write_text(
        "import numpy as np\n"
        "from mlusim.simulator import Device, launch\n"
        "def parts(m, out, n):\n"
        "    for at in range(m.taskId, n, m.taskDim):\n"
        "        out[at] = 1.0 if at < n - n % m.taskDim else 2.0\n"
        "launch(parts, (4, 1, 1), args=[np.zeros(250, np.float32), 250], device=Device.load('mlu370-x4'))\n"
    )
    assert main(["check", "--deep", str(source)]) == 1
    out = capsys.readouterr()
    assert "split-dependent" in out.out
    said = "run again in 2 other orders of its tasks, with 1 task, with 3 tasks, with n = 249"
    assert f"kernel parts: {said}" in out.err
    assert main(["check", "--deep", "--json", str(source)]) == 1
    (tried,) = document(capsys.readouterr().out, "check")["tried"]
    assert tried["checked"] == "kernel parts"
    assert tried["tried"].startswith(said)
    assert main(["check", "--json", str(source)]) == 0
    assert "tried" not in document(capsys.readouterr().out, "check")


def test_other_orders_are_not_run_of_a_launch_that_breaks_a_rule(tmp_path: Path) -> None:
    path = tmp_path / "past.mlu"
    path.write_text(
        "#include <bang.h>\n__mlu_entry__ void past(float *x, int n) {\n  __nram__ float a[64];\n"
        "  __memcpy(a, x, (n + 1) * sizeof(float), GDRAM2NRAM);\n"
        "  __memcpy(x, a, n * sizeof(float), NRAM2GDRAM);\n}\n"
    )
    x, program = np.zeros(32, np.float32), load([path], device=device("mlu370-x4"))
    tried = []
    for count in (31, 32):
        args = {"x": x, "n": count}
        run = program.launch("past", (1, 1, 1), args=args, orders=2, resplit=(2,), on_finding="collect")
        tried.append(run.variants.tried)
    broken = "the launch itself breaks rules"
    assert tried == [
        "run again in 2 other orders of its tasks, with 2 tasks",
        f"run once; not in 2 other orders of its tasks, with 2 tasks: {broken}",
    ]


def test_the_fixture_repeats_launches(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import numpy as np
        from mlusim.simulator import Device, launch

        def each(m, out):
            out[m.taskId] = float(m.taskDim)

        def run():
            launch(each, (2, 1, 1), args=[np.zeros(2, np.float32)], device=Device.load("mlu370-x4"))

        def test_once(mlusim):
            run()

        def test_twice(mlusim):
            mlusim.repeat(resplit=1)
            run()
        """
    )
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*split-dependent*"])


def scaled(m: Any, out: Any, source: Any, n: int, scale: float, limit: float) -> None:
    tile = m.nram("float", N)
    m.__memcpy(tile, source, N * 4, m.GDRAM2NRAM)
    if scale:
        m.__bang_mul_scalar(tile, tile, scale, N)
    m.__bang_mineq_scalar(tile, tile, limit, N)
    m.__memcpy(out, tile, N * 4, m.NRAM2GDRAM)


@pytest.mark.parametrize(
    ("scale", "limit", "said"),
    [(2.0, 500.0, []), (6.0, 0.5, []), (1e-5, float("inf"), []), (0.0, 1.0, [])],
)
def test_numbers_that_make_a_difference_are_not_told(scale: float, limit: float, said: list[str]) -> None:
    assert varied(scaled, scale, limit) == said


def test_a_number_that_makes_no_difference_is_advice() -> None:
    def without_its_step(m: Any, out: Any, source: Any, n: int, scale: float, limit: float) -> None:
        scaled(m, out, source, n, 2.0, limit)

    said = "scale = 2 makes no difference: the results are the same with scale = -2 and with scale = 4"
    assert varied(without_its_step, 2.0, 500.0) == [f"advice {said}"]


def test_a_number_without_which_a_rule_is_broken_makes_a_difference() -> None:
    def kernel(m: Any, out: Any, source: Any, n: int, scale: float, limit: float) -> None:
        add(m, out, source, 0, N if limit > 0 else N + 1)

    assert varied(kernel, 1.0, 2.0) == ["advice " + "scale = 1 makes no difference: the results are the same "
                                        "with scale = 1.5 and with scale = -1.5"]  # fmt: skip


def varied(kernel: Any, *numbers: float) -> list[str]:
    """What is said of the numbers that a kernel is given; its results are those of the first run."""
    out, source = np.zeros(N, np.float32), np.arange(N, dtype=np.float32)
    args = [out, source, N, *numbers]
    run = launch(kernel, args=args, device=device(), on_finding="collect", vary=True)
    again = np.zeros(N, np.float32)
    launch(kernel, args=[again, *args[1:]], device=device(), on_finding="collect")
    assert np.array_equal(out, again)
    assert {f.rule for f in run.findings} <= {"ignored"}
    return [f"{f.severity} {f.message}" for f in run.findings]


def test_what_only_another_split_writes_is_put_back() -> None:
    def kernel(m: Any, one: Any, other: Any) -> None:
        if m.taskId == m.taskDim - 1:
            (one if m.taskDim == 2 else other)[0] = 5.0

    arrays = [np.zeros(1, np.float32) for _ in range(2)]
    launch(kernel, (2, 1, 1), args=arrays, device=device(), on_finding="collect", resplit=(1, 3))
    assert [array[0] for array in arrays] == [5.0, 0.0]


TPU = """
#include <tpu_kernel.h>
typedef struct { unsigned long long out, in; int n, axes, size[5]; float factor; } args_t;
int scaled(const void *arguments) {
  const args_t *a = arguments;
  const dim4 shape = {a->size[0], 1, 1, a->n};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(0, 0, (scalar_t){.f32 = a->factor}, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(scaled);
"""


def test_members_of_a_structure_are_made_smaller(tmp_path: Path) -> None:
    path = tmp_path / "scaled.c"
    path.write_text(TPU)
    out, source = np.zeros(64, np.float32), np.arange(64, dtype=np.float32)
    size = np.ones(5, np.int32)  # within the structure: it has no memory of its own, and no count
    given = {"out": out, "in": source, "n": 64, "axes": 5, "size": size, "factor": 2.0}
    run = load([path], device=device("bm1690")).launch(
        "scaled", (1, 1, 1), args=given, smaller=True, vary=True, orders=1, on_finding="collect"
    )
    more = "with places along axes exchanged"
    smaller = "with n = 63, with n = 54, with n = 33"
    assert run.variants.tried == f"run again in 1 other order of its tasks, {smaller}, {more}"
    assert (run.findings, out.tolist()) == ([], (2 * source).tolist())
