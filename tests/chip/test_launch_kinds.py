"""Kinds of launch: which tasks run together, where, and which dimensions are legal."""

from __future__ import annotations

import pytest
from mlusim.simulator import Device
from mlusim.simulator.chip.launch_kinds import BLOCK, CORES, GRID, KINDS, UNIONS, WARP, Role, kind_named, whole_dim
from mlusim.simulator.log import Log
from mlusim.simulator.structures import header

MLU = Device.load("mlu370-x4").shape  # 8 clusters of 4 cores
TPU = Device.load("bm1690").shape


def test_block_tasks_take_the_cores_in_turn() -> None:
    groups = list(BLOCK.groups(MLU, 34))
    assert [len(group) for group in groups] == [1] * 34
    assert [group[0].core for group in groups] == [*range(32), 0, 1]
    assert [group[0].cluster_id for group in groups[:5]] == [0, 0, 0, 0, 1]
    assert {(p.role, p.cluster_dim, p.core_id, p.core_dim) for (p,) in groups} == {(Role.ALONE, 0, 0, 1)}


def test_the_tasks_of_cores_run_all_together() -> None:
    (group,) = CORES.groups(TPU, 3)
    assert [(p.task, p.core, p.core_id, p.core_dim, p.cluster_dim) for p in group] == [
        (n, n, n, 3, 1) for n in range(3)
    ]
    assert CORES.default_dim(TPU) == (TPU.cores, 1, 1)
    assert CORES.together(TPU) == 0


@pytest.mark.parametrize("kind", UNIONS, ids=lambda kind: kind.name)
def test_a_union_takes_whole_clusters_and_their_memory_cores(kind) -> None:
    if kind.clusters > MLU.clusters:
        with pytest.raises(ValueError, match=f"needs {kind.clusters} clusters; this device has 8"):
            kind.check(MLU, (4 * kind.clusters, 1, 1))
        return
    width = 4 * kind.clusters
    assert kind.together(MLU) == width
    groups = list(kind.groups(MLU, 3 * width))
    assert len(groups) == 3
    for number, group in enumerate(groups):
        members = [place for place in group if place.role == Role.MEMBER]
        memory = [place for place in group if place.role == Role.MEMORY]
        assert [place.task for place in members] == [*range(number * width, (number + 1) * width)]
        assert len({place.cluster for place in members}) == len(memory) == kind.clusters
        assert [place.core - MLU.cores for place in memory] == [place.cluster for place in memory]
        assert {place.core_id for place in memory} == {0x80}
        assert {(place.cluster_dim, place.core_dim) for place in group} == {(kind.clusters, 4)}


@pytest.mark.parametrize(
    ("name", "dim", "problem"),
    [
        ("union1", (6, 1, 1), r"dim\[0\] is 6; a union1 launch needs a multiple of 4 \(a cluster of 4 cores\)"),
        ("union2", (12, 1, 1), r"needs a multiple of 8 \(2 clusters of 4 cores\)"),
        ("cores", (33, 1, 1), "run at once, and there are 32 cores"),
    ],
)
def test_dimensions_that_a_device_cannot_launch(name: str, dim: tuple[int, int, int], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        kind_named(name).check(MLU, dim)


def test_dimensions_are_one_to_three_whole_numbers() -> None:
    assert whole_dim([2, 3, 4]) == (2, 3, 4)
    assert whole_dim((2, 3)) == (2, 3, 1)
    assert whole_dim(4) == whole_dim([4]) == (4, 1, 1)
    for dim in ((), (1, 2, 3, 4), (0, 1, 1), (1.0, 1, 1), 4.0, True, (True, 1, 1)):
        with pytest.raises(ValueError, match="pass one to three whole numbers of 1 or more"):
            whole_dim(dim)
    with pytest.raises(ValueError, match="a launch has at most 2147483647 tasks"):
        whole_dim((1 << 20, 1 << 20, 1))


def test_names_and_what_a_log_says() -> None:
    with pytest.raises(ValueError, match="type is 'union3'; pass one of block, cores, union1"):
        kind_named("union3")
    for kind in (*KINDS.values(), GRID):
        assert Log.empty(MLU, "", {"type": kind.name}).kind == kind
    assert Log.empty(MLU, "", {}).kind == BLOCK
    assert [kind.name for kind in (*KINDS.values(), GRID) if kind.transactions] == ["grid"]


def test_a_warp_has_as_many_threads_in_native_code() -> None:
    assert header("threads/simt.h").constant("SIMT_WARP") == WARP
