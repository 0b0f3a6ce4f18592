"""Scalar accesses of C kernels: runs of one source position stay apart where the arrays do, and sizes have 64 bits."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, Program, Run, load

from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "scalar_accesses.mlu"
N = 16


def test_one_store_instruction_writes_to_two_arrays(program: Program) -> None:
    out = np.zeros(2, np.float32)
    run = program.launch("two_arrays", args=[out])
    assert out.tolist() == [1.0, 2.0]
    assert run.findings == []
    stores = [i for i, record in enumerate(run.log.records) if run.log.ops[record["op"]].name == "scalar.store"]
    assert [region.bytes for i in stores for _, _, region in run.log.regions(i)] == [4, 4]


def test_stores_around_a_copy_do_not_touch_it(program: Program) -> None:
    out, source = np.zeros(N, np.float32), np.arange(N, dtype=np.float32)
    assert program.launch("around_a_copy", args=[out, source]).findings == []
    assert out.tolist() == source.tolist()


def test_stores_around_a_copy_into_a_part_of_their_array(program: Program) -> None:
    out, source = np.zeros(N, np.float32), np.arange(N, dtype=np.float32)
    run = program.launch("around_a_part", args=[out, source])
    assert [finding.rule for finding in run.findings] == ["uninitialized"]  # the last copy reads all of the array
    assert [out[0], *out[4:8].tolist(), out[12]] == [1.0, 0.0, 1.0, 2.0, 3.0, 2.0]


def test_a_store_into_a_copy_does(program: Program) -> None:
    with pytest.raises(KernelError) as caught:
        program.launch("into_a_copy", args=[np.zeros(N, np.float32)])
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    assert caught.value.finding.rule == "order"
    # The line of the store itself: it stands in a helper.
    assert "*where = value" in lines[caught.value.finding.location.line - 1]


@pytest.mark.parametrize("size", [4 * N + 1, 2**31, 2**32 + 8, 2**40, -1, -64, -(2**31), -(2**63)])
@pytest.mark.parametrize("kernel", ["fill", "move"])
def test_a_block_of_any_size_is_checked_before_a_byte_moves(program: Program, kernel: str, size: int) -> None:
    arrays = [program.device.array(np.arange(N, dtype=np.float32) + i) for i in range(3)]
    with pytest.raises(KernelError) as caught:
        program.launch(kernel, args=[*arrays[: 2 - (kernel == "fill")], size])
    finding = caught.value.finding
    assert (finding.rule, finding.location.file) == ("bounds", str(SOURCE))
    assert str(size % 2**64) in finding.message
    assert [array.numpy().tolist() for array in arrays] == [[i + x for x in range(N)] for i in range(3)]


@pytest.mark.parametrize("size", [0, 1, 4 * N])
def test_a_block_that_fits_is_moved(program: Program, size: int) -> None:
    out, source = np.full(N, 7.0, np.float32), np.arange(N, dtype=np.float32)
    program.launch("move", args=[out, source, size])
    assert out.tobytes() == source.tobytes()[:size] + np.full(N, 7.0, np.float32).tobytes()[size:]


def test_a_constant_index_does_not_reach_the_next_array(program: Program) -> None:
    with pytest.raises(KernelError, match="byte 1220 of 'front' passes its end by 200"):
        program.launch("past_the_gap", args=[np.zeros(1, np.int32)])


@pytest.fixture(scope="module")
def runs() -> Program:
    return load([SOURCE.with_name("scalar_runs.mlu")], device=Device.load("mlu370-x4"))


def scalars(run: Run) -> list[tuple[str, int, int, int]]:
    """Name, accesses, offset and bytes of every record of scalar accesses."""
    found = []
    for i, record in enumerate(run.log.records):
        name = run.log.ops[record["op"]].name
        if name in ("scalar.load", "scalar.store"):
            ((_, _, region),) = run.log.regions(i)
            found.append((name, int(record["work"]), region.offset, region.bytes))
    return found


def test_a_loop_nest_is_a_record_for_each_position_and_array(runs: Program) -> None:
    n, k = 9, 3
    image, weight = (np.random.default_rng(seed).random((s, s), np.float32) for seed, s in ((1, n + k - 1), (2, k)))
    out = np.zeros((n, n), np.float32)
    run = runs.launch("convolve", args=[out, image, weight, n, k])
    windows = np.lib.stride_tricks.sliding_window_view(image.astype(np.float64), (k, k))
    np.testing.assert_allclose(out, (windows * weight).sum((2, 3)), rtol=1e-5)
    assert sorted((name, work, bytes_) for name, work, _, bytes_ in scalars(run)) == [
        ("scalar.load", n * n * k * k, weight.nbytes),
        ("scalar.load", n * n * k * k, image.nbytes),
        ("scalar.store", n * n, out.nbytes),
    ]


def test_what_a_loop_has_just_written_may_be_read(runs: Program) -> None:
    out = np.zeros(1, np.float32)
    assert runs.launch("running_sum", args=[out, 1000]).findings == []
    assert out[0] == 1000


@pytest.mark.parametrize("missing", [0, 7, 999])
def test_one_element_that_is_never_written(runs: Program, missing: int) -> None:
    out = np.zeros(1000, np.float32)
    (finding,) = runs.launch("broken_sum", args=[out, 1000, missing], on_finding="collect").findings
    assert (finding.rule, finding.region.offset, finding.region.bytes, finding.count) == (
        "uninitialized",
        4 * missing,
        4,
        1,
    )
    assert np.isnan(out[missing])


@pytest.mark.parametrize("left_out", [-1, 1, 511, 1023])
def test_an_instruction_sees_what_scalars_have_written(runs: Program, left_out: int) -> None:
    run = runs.launch("scattered", args=[np.zeros(1024, np.float32), left_out], on_finding="collect")
    assert [(f.rule, f.region.offset, f.region.bytes) for f in run.findings] == (
        [] if left_out < 0 else [("uninitialized", 4 * left_out, 4)]
    )


@pytest.mark.parametrize("upto", [512, 513])
def test_scalars_see_what_instructions_have_written(runs: Program, upto: int) -> None:
    """Twice on the same device: the second task of a core begins with fresh variables."""
    for _ in range(2):
        run = runs.launch("by_parts", args=[np.zeros(1, np.float32), np.ones(256, np.float32), upto])
        assert [f.region.offset for f in run.findings] == ([] if upto == 512 else [4 * 512])


@pytest.mark.parametrize(("picks", "found"), [(40, []), (0, ["partial"])])
def test_elements_that_scalar_code_picks_say_how_long_a_tile_is(runs: Program, picks: int, found: list[str]) -> None:
    args = [np.zeros(64, np.float32), np.ones(64, np.float32), picks]
    run = runs.launch("put_together", args=args, on_finding="collect")
    assert [(f.rule, f.severity) for f in run.findings] == [(rule, "advice") for rule in found]
