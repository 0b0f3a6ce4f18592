"""Mistakes that tests on a card pass by luck, each beside a kernel that is like it and right."""

from __future__ import annotations

from typing import Any

import pytest
from mlusim.simulator import Device, launch

from tests.checks.after_run.launched import BYTES, N, device, rules, run, store, zeros

# --- pairs of pipes ----------------------------------------------------------------------------------------------


#: What each pipe does to a piece of NRAM: (reads it, writes it).
def io_reads(m: Any, piece: Any, other: Any, far: Any, shared: Any) -> None:
    m.__memcpy_async(far, piece, BYTES, m.NRAM2GDRAM)


def io_writes(m: Any, piece: Any, other: Any, far: Any, shared: Any) -> None:
    m.__memcpy_async(piece, far, BYTES, m.GDRAM2NRAM)


def move_reads(m: Any, piece: Any, other: Any, far: Any, shared: Any) -> None:
    m.__memcpy_async(shared, piece, BYTES, m.NRAM2SRAM)


def move_writes(m: Any, piece: Any, other: Any, far: Any, shared: Any) -> None:
    m.__memcpy_async(piece, shared, BYTES, m.SRAM2NRAM)


def compute_reads(m: Any, piece: Any, other: Any, far: Any, shared: Any) -> None:
    m.__bang_add(other, piece, piece, N)


def compute_writes(m: Any, piece: Any, other: Any, far: Any, shared: Any) -> None:
    m.__bang_add(piece, other, other, N)


def scalar_reads(m: Any, piece: Any, other: Any, far: Any, shared: Any) -> None:
    piece[N // 2]


def scalar_writes(m: Any, piece: Any, other: Any, far: Any, shared: Any) -> None:
    piece[N // 2] = 1.0


WORK = {
    "io": (io_reads, io_writes), "move": (move_reads, move_writes), "compute": (compute_reads, compute_writes),
    "scalar": (scalar_reads, scalar_writes),
}  # fmt: skip
WAITS = {"io": "__sync_io", "move": "__sync_move", "compute": "__sync_compute", "scalar": ""}
#: The scalar unit is the front end: what it has done is done; and it waits for the vector unit itself.
ORDERED = {("compute", "scalar")} | {("scalar", pipe) for pipe in WORK} | {(pipe, pipe) for pipe in WORK}


@pytest.mark.parametrize("later", WORK)
@pytest.mark.parametrize("earlier", WORK)
@pytest.mark.parametrize("writes", [(False, True), (True, False), (True, True), (False, False)], ids=str)
@pytest.mark.parametrize("waits", [False, True])
def test_every_pair_of_pipes(earlier: str, later: str, writes: tuple[bool, bool], waits: bool) -> None:
    def kernel(m: Any, far: Any) -> None:
        if m.coreId:
            return
        piece, other, spare = (m.nram("float", N) for _ in range(3))
        shared = m.sram("float", N)
        for target in (piece, other):
            m.__bang_write_value(target, N, 1.0)
        m.__memcpy(shared, piece, BYTES, m.NRAM2SRAM)
        m.__sync()
        WORK[earlier][writes[0]](m, piece, other, far, shared)
        if waits and WAITS[earlier]:
            getattr(m, WAITS[earlier])()
        WORK[later][writes[1]](m, piece, spare if not writes[1] else other, far + N, shared)
        m.__sync()

    hazard = any(writes) and not waits and (earlier, later) not in ORDERED
    found = rules(run(kernel, zeros(2 * N), tasks=4, kind="union1"))
    assert [rule for rule in found if rule != "unused"] == ["order"] * hazard  # one load over the other


def test_a_blocking_copy_waits_for_what_it_needs_and_for_no_more() -> None:
    def kernel(m: Any, far: Any, joins: bool) -> None:
        piece, other = m.nram("float", N), m.nram("float", N)
        m.__bang_write_value(piece, N, 1.0)
        m.__memcpy(far, piece if joins else other, BYTES, m.NRAM2GDRAM)
        m.__memcpy_async(far + N, piece, BYTES, m.NRAM2GDRAM)
        m.__sync()

    given = [zeros(2 * N)]
    for joins in (True, False):
        found = launch(kernel, (1, 1, 1), args=[*given, joins], device=device(), on_finding="collect")
        assert [f.rule for f in found.findings if f.rule != "uninitialized"] == ["order"] * (not joins)


@pytest.mark.parametrize("arch", ["mlu270", "mlu370-x4", "mlu590"])
def test_a_copy_inside_of_nram_is_in_order_with_the_vector_unit_alone(arch: str) -> None:
    def kernel(m: Any, out: Any, sends: bool) -> None:
        piece, other = m.nram("float", N), m.nram("float", N)
        m.__bang_write_value(piece, N, 1.0)
        m.__memcpy_async(other, piece, BYTES, m.NRAM2NRAM)
        m.__bang_add(piece, other, other, N)
        if not sends:
            m.__sync_compute()
        m.__memcpy(out + N, piece, BYTES, m.NRAM2GDRAM)
        m.__memcpy_async(other, piece, BYTES, m.NRAM2NRAM)
        if not sends:
            m.__sync_compute()
        m.__memcpy_async(out, other, BYTES, m.NRAM2GDRAM)
        m.__sync()

    for sends in (False, True):
        out = zeros(2 * N)
        found = launch(kernel, args=[out, sends], device=Device.load(arch), on_finding="collect")
        assert rules(found) == ["order"] * sends
        assert (out == 2).all()


def test_a_result_that_the_core_has_is_done() -> None:
    def kernel(m: Any, far: Any) -> None:
        piece = m.nram("float", N)
        m.__bang_write_value(piece, N, 1.0)
        m.__bang_count(piece, N)
        m.__memcpy_async(far, piece, BYTES, m.NRAM2GDRAM)
        m.__sync()

    assert rules(run(kernel, zeros(N))) == []


def test_halves_of_a_buffer_that_overlap_by_one() -> None:
    def kernel(m: Any, far: Any, half: int) -> None:
        buffer = m.nram("float", 2 * N)
        m.__bang_write_value(buffer, 2 * N, 1.0)
        m.__sync()
        m.__memcpy_async(buffer + half, far, BYTES, m.GDRAM2NRAM)
        m.__bang_add(buffer, buffer, buffer, N)
        m.__sync()

    for half, expected in ((N, []), (N - 1, ["order"])):
        found = launch(kernel, (1, 1, 1), args=[zeros(N), half], device=device(), on_finding="collect")
        assert rules(found) == expected
        assert all("`mlusim isa __bang_add` says what" in finding.suggestion for finding in found.findings)


def test_segments_that_pass_each_other() -> None:
    """Columns of a matrix: the hulls overlap, the bytes do not."""

    def kernel(m: Any, far: Any, columns: int) -> None:
        buffer, sums = m.nram("float", 8 * 16), m.nram("float", 8 * 16)
        m.__bang_write_value(buffer, 8 * 16, 1.0)
        m.__sync()
        m.__memcpy_async(buffer + 8, far, 32, m.GDRAM2NRAM, 64, 32, 7)
        m.__memcpy(sums, buffer, 4 * columns, m.NRAM2NRAM, 32, 64, 7)
        m.__memcpy_async(far, buffer, 4 * columns, m.NRAM2GDRAM, 64, 64, 7)
        m.__memcpy_async(buffer, buffer + 4, 16, m.NRAM2NRAM, 64, 64, 7)
        m.__sync()

    found = launch(kernel, (1, 1, 1), args=[zeros(128), 8], device=device(), on_finding="collect")
    assert rules(found) == ["order"]  # the last one alone: it overwrites what is still sent off


# --- tasks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "count", "expected"), [(0, N, True), (N, N, False), (N - 1, N, True), (N, N - 1, False)]
)
def test_tasks_that_write_the_same_bytes(step: int, count: int, expected: bool) -> None:
    def kernel(m: Any, out: Any) -> None:
        store(m, out + m.taskId * step, m.taskId, count)

    found = run(kernel, zeros(4 * N), tasks=4)
    assert ("race" in rules(found)) == expected
    if expected:
        (race,) = (f for f in found.findings if f.rule == "race")
        assert (race.severity, race.count, race.tasks) == ("error", 3, (0, 1, 2, 3))
        assert "atomic" in race.suggestion
        assert "__sync" not in race.suggestion  # Block tasks have no barrier


@pytest.mark.parametrize("begin", [1, 2 * N, 64 * N, 128 * N - 1])
def test_a_task_that_reads_what_another_writes(begin: int) -> None:
    """A long store, that begins anywhere, and a load of its first element, of any, of its last, of those beside it."""

    def kernel(m: Any, far: Any, begin: int, at: int) -> None:
        tile = m.nram("float", 128 * N)
        if m.taskId == 0:
            m.__bang_write_zero(tile, 128 * N)
            m.__memcpy(far + begin, tile, 128 * BYTES, m.NRAM2GDRAM)
        else:
            m.__memcpy(tile, far + at, 4, m.GDRAM2NRAM)

    inside, beside = (begin, begin + 100 * N + 3, begin + 128 * N - 1), (begin - 1, begin + 128 * N)
    for at in (*inside, *beside):
        found = launch(kernel, (2, 1, 1), args=[zeros(300 * N), begin, at], device=device(), on_finding="collect")
        assert ("race" in rules(found)) == (at in inside), at


def test_a_fault_of_all_tasks_names_them_all() -> None:
    def kernel(m: Any, source: Any) -> None:
        tile = m.nram("float", N)
        for _ in range(0 if m.taskId == 3 else 50):
            m.__memcpy_async(tile, source, BYTES, m.GDRAM2NRAM)
            m.__bang_mul_scalar(tile, tile, 2.0, N)
            m.__sync_io()

    orders = [f for f in run(kernel, zeros(N), tasks=8).findings if f.rule == "order"]
    assert {(order.tasks, order.cores) for order in orders} == {((0, 1, 2, 4, 5, 6, 7),) * 2}
    assert str(orders[0]).endswith("seen 350 times, on cores 0 to 2 and 4 to 7 by tasks 0 to 2 and 4 to 7")


def test_columns_that_tasks_write_side_by_side() -> None:
    def kernel(m: Any, out: Any, width: int) -> None:
        piece = m.nram("float", N)
        m.__bang_write_value(piece, N, 1.0)
        m.__memcpy(out + m.taskId * 4, piece, 4 * width, m.NRAM2GDRAM, 64, 16, 7)

    for width, expected in ((4, []), (5, ["race"])):
        found = launch(kernel, (4, 1, 1), args=[zeros(8 * 16 + 4), width], device=device(), on_finding="collect")
        assert [rule for rule in rules(found) if rule != "unwritten"] == expected


def test_a_counter_of_all_tasks() -> None:
    def kernel(m: Any, counter: Any, atomic: bool) -> None:
        if atomic:
            m.__bang_atomic_reduce_add(counter, 1.0)
        else:
            counter[0] += 1.0

    for atomic, expected in ((True, []), (False, ["race"] * 1)):
        found = launch(kernel, (4, 1, 1), args=[zeros(1), atomic], device=device(), on_finding="collect")
        assert sorted(set(rules(found))) == expected


def test_an_atomic_beside_a_plain_load() -> None:
    def kernel(m: Any, counter: Any, out: Any) -> None:
        m.__bang_atomic_reduce_add(counter, 1.0)
        out[m.taskId] = counter[0]

    assert rules(run(kernel, zeros(1), zeros(4), tasks=4)) == ["race"]


def test_scalar_stores_at_strides_keep_apart() -> None:
    def kernel(m: Any, out: Any, step: int) -> None:
        for i in range(16):
            out[i * 4 + m.taskId * step] = 1.0

    for step, expected in ((1, []), (4, ["race"])):
        found = launch(kernel, (4, 1, 1), args=[zeros(76), step], device=device(), on_finding="collect")
        assert [rule for rule in rules(found) if rule != "unwritten"] == expected


@pytest.mark.parametrize("barrier", ["", "__sync_all_ipu_within_cluster", "__sync_all_ipu"])
def test_sram_between_the_cores_of_a_cluster(barrier: str) -> None:
    def kernel(m: Any, out: Any) -> None:
        if m.coreId == 0x80:
            return
        piece, shared = m.nram("float", N), m.sram("float", 4 * N)
        m.__bang_write_value(piece, N, m.taskId)
        m.__memcpy(shared + m.coreId * N, piece, BYTES, m.NRAM2SRAM)
        if barrier:
            getattr(m, barrier)()
        m.__memcpy(piece, shared + (m.coreId + 1) % 4 * N, BYTES, m.SRAM2NRAM)
        m.__memcpy(out + m.taskId * N, piece, BYTES, m.NRAM2GDRAM)

    found = run(kernel, zeros(4 * N), tasks=4, kind="union1")
    assert ("race" in rules(found)) == (not barrier)
    if not barrier:
        race = next(f for f in found.findings if f.rule == "race")
        assert "__sync_cluster()" in race.suggestion


@pytest.mark.parametrize(("barrier", "expected"), [("__sync_all_ipu", []), ("__sync_all_ipu_within_cluster", ["race"])])
def test_a_barrier_of_the_cluster_does_not_order_the_union(barrier: str, expected: list[str]) -> None:
    def kernel(m: Any, parts: Any, out: Any) -> None:
        if m.coreId == 0x80:
            return
        parts[m.taskId] = 1.0
        getattr(m, barrier)()
        out[m.taskId] = parts[(m.taskId + 4) % 8]

    assert rules(run(kernel, zeros(8), zeros(8), tasks=8, kind="union2")) == expected


def test_unions_that_run_one_after_the_other_share_a_cluster_and_no_order() -> None:
    def kernel(m: Any, out: Any, step: int) -> None:
        if m.coreId == 0x80:
            return
        piece, shared = m.nram("float", N), m.sram("float", N)
        if m.coreId == 0:
            m.__bang_write_value(piece, N, 1.0)
            m.__memcpy(shared, piece, BYTES, m.NRAM2SRAM)
        if m.coreId == 0:
            out[m.taskId // 4 * step] = 1.0

    for step, expected in ((1, []), (0, ["race"])):
        tasks = device().shape.cores * 2
        found = launch(
            kernel, (tasks, 1, 1), "union1", [zeros(tasks), step], device=device(), on_finding="collect"
        )  # fmt: skip
        assert [rule for rule in rules(found) if rule not in ("unwritten", "unused")] == expected


def test_a_deadlock_is_told_as_a_chain() -> None:
    def kernel(m: Any) -> None:
        if m.coreId == 1:
            m.__sync_all_ipu()
        elif m.coreId != 0x80:
            m.__sync_all_ipu_within_cluster()

    (finding,) = run(kernel, tasks=4, kind="union1").findings
    assert finding.rule == "barrier"
    assert "task 0 waits in a cluster_ipu barrier for task 1 (waits in union_ipu), and task 1 waits in a union_ipu" in (
        finding.message
    )
    assert finding.related is not None
    assert finding.location.line != finding.related.line


# --- ends --------------------------------------------------------------------------------------------------------


def test_a_copy_without_a_wait() -> None:
    def kernel(m: Any, out: Any, waits: bool) -> None:
        piece = m.nram("float", N)
        m.__bang_write_value(piece, N, 1.0)
        m.__sync_compute()
        m.__memcpy_async(out, piece, BYTES, m.NRAM2GDRAM)
        if waits:
            m.__sync_io()

    for waits in (True, False):
        found = launch(kernel, (1, 1, 1), args=[zeros(N), waits], device=device(), on_finding="collect")
        assert rules(found) == ["unwaited"] * (not waits)


def test_an_error_that_ends_the_launch_says_nothing_of_what_did_not_happen() -> None:
    def kernel(m: Any, out: Any) -> None:
        piece = m.nram("float", N)
        m.__bang_write_value(piece, N, 1.0)
        m.__sync()
        m.__memcpy_async(out, piece, BYTES, m.NRAM2GDRAM)
        if m.taskId == 1:
            m.__bang_add(piece, piece, piece, N + 1)
        m.__sync()

    with pytest.raises(Exception, match="bounds") as caught:
        launch(kernel, (2, 1, 1), args=[zeros(2 * N)], device=device())
    assert [f.rule for f in caught.value.run.findings if f.severity != "warning"] == ["bounds"]  # type: ignore[attr-defined]


def test_levels_of_checks() -> None:
    def kernel(m: Any, out: Any) -> None:
        piece = m.nram("float", N)
        m.__bang_add(piece, piece, piece, N)
        m.__memcpy_async(out, piece, BYTES, m.NRAM2GDRAM)
        m.__sync()

    found = {
        level: rules(launch(kernel, args=[zeros(N)], device=device().checked(level), on_finding="collect"))
        for level in ("all", "fast", "none")
    }
    assert found == {"all": ["order", "uninitialized"], "fast": ["uninitialized"], "none": []}
    with pytest.raises(ValueError, match="'some'; pass one of all, fast, none"):
        device().checked("some")
