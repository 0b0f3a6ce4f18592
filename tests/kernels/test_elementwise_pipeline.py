"""How elementwise kernels go through their tiles: what NRAM holds, what is loaded and stored, how long it takes."""

import numpy as np
import pytest
from mlusim.kernels import elementwise as ew
from mlusim.kernels.elementwise.launching import launch
from mlusim.kernels.elementwise.operators import OPERATORS
from mlusim.kernels.elementwise.planner import Chip, OperandView, make_plan
from mlusim.kernels.elementwise.types import operator_types

from tests.kernels.elementwise_cases import LIMITS, run, values
from tests.kernels.elementwise_reference import BFLOAT16, INT8, INT32, check

FLOAT = np.dtype(np.float32)


@pytest.fixture(scope="module")
def random():
    return np.random.default_rng(1)


# --- tiles -----------------------------------------------------------------------------------------------------------


def test_tiles_of_every_form(device, random):
    # Rows longer than a tile, rows of which a tile has many, and both with a shorter input, on all cores.
    for shapes in (
        ((3, 90001), (3, 1)), ((3, 90001), (90001,)), ((5003, 37), (37,)), ((5003, 37), (5003, 1)),
        ((40, 25, 61), (25, 1)), ((40, 25, 61), (40, 1, 61)), ((2, 70001), (2, 70001)), ((3, 1, 30001), (1, 2, 1)),
    ):  # fmt: skip
        for dtype in (FLOAT, BFLOAT16):
            a, b = (values(random, shape, dtype) for shape in shapes)
            check("add", run(device, "add", a, b).output, (a, b))


def test_results_of_several_tiles_go_while_the_next_are_computed(device, random):
    # An output of two stages: the results of each tile are stored a turn later, those of the last after it.
    for count in (700_001, 40_000):
        a = values(random, (count,), FLOAT)
        found = run(device, "gelu", a)
        assert [buffer.name for buffer in found.plan.nram if buffer.name.startswith("out")][:2] == [
            "out stage 0", "out stage 1",
        ]  # fmt: skip
        assert (found.plan.tiles > 1) == (count == 700_001)
        check("gelu", found.output, (a,))


def test_what_nram_holds_of_an_input_is_used_again_only_where_the_next_tile_has_the_same(device, random):
    # A number beside rows that end in a shorter tile: core 12 of 32 begins with one, and goes on with a full one.
    a = values(random, (5, 14_003), FLOAT)[:, :14_000]
    found = run(device, "add", a, 2.5)
    assert (found.plan.variant, found.plan.slices) == ("stride", 65)
    assert a.shape[1] % found.plan.tile_shape[1]
    check("add", found.output, (a, np.array(2.5, np.float32)))
    # A row for each of two images, and tiles that end between the two: the first element is the same as before.
    a, b = (random.standard_normal(shape).astype(np.float32) for shape in ((2, 3001, 61), (2, 1, 61)))
    found = run(device, "div", a, b)
    assert (found.plan.variant, found.plan.tiles) == ("one_broadcast", 2)
    check("div", found.output, (a, b))


def test_strides_of_more_than_2_gigabytes(device, random):
    step, types = 2**31 + 64, operator_types(OPERATORS["neg"], (FLOAT,), None, False)
    memory = device.memory.allocate(2 * step + 64, "far")  # untouched pages cost nothing
    for shape, strides in (((3, 4), (step, 4)), ((3,), (step,)), ((2, 3), (8, step)), ((3, 2), (-step, 4))):
        offset = 2 * step if strides[0] < 0 else 0
        far = np.ndarray(shape, FLOAT, memory.view(np.dtype(np.uint8)).data, offset, strides)
        near = device.array(np.zeros(shape, np.float32))
        of_far = OperandView(shape, strides, FLOAT, (memory.start + offset) % 64)
        of_near = OperandView(shape, near.numpy().strides, FLOAT, near.address % 64)
        there, here = memory.start + offset, near.address
        far[...] = wanted = random.standard_normal(shape).astype(np.float32)
        for out, source, addresses in ((of_near, of_far, (here, there)), (of_far, of_near, (there, here))):
            plan = make_plan(OPERATORS["neg"], Chip.of(device), out, (source,), types)
            done = launch(device, plan, "elementwise_neg", addresses[0], addresses[1:], None, (0, 0), "raise")
            assert done.findings == []
            np.testing.assert_array_equal(near.numpy(), -wanted)
            np.testing.assert_array_equal(far, wanted)
            far[...] = 0 if out is of_near else far
    device.memory.dropped.append(memory)


# --- NRAM and loads --------------------------------------------------------------------------------------------------


def operands_of(found, space):
    """First byte, bytes, and whether it is written, of every operand that an instruction has in a memory."""
    log = found.log
    mine = log.operand_spaces == list(log.shape.spaces).index(space)
    names = np.array([op.name for op in log.ops])[log.records["op"]][log.owners]
    mine &= (names != "alloc") & (names != "free")
    return log.operands["key"][mine].astype(np.int64) % 2**40, log.operand_bytes[mine], log.operand_written[mine]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_use_the_scratch_that_the_table_says(device, name):
    # The scratch is the last in NRAM: a buffer too few is used behind the map, a buffer too many not at all.
    operator = OPERATORS[name]
    arrays = {dtype: [np.ones(64, dtype)] * operator.inputs for dtype in (FLOAT, INT32, INT8)}
    calls = [(FLOAT, {})]
    if operator.whole_scratch is not None:
        calls += [(INT32, {})]
    if operator.scalable:
        calls += [(INT8, {"scales": (1.0,) * (operator.inputs + 1)})]
    for dtype, more in calls:
        operands = [*arrays[dtype], np.float32] if name == "cast" else [*arrays[dtype], *LIMITS.get(name, ())]
        if name == "cast" and dtype == INT32:
            operands[-1] = np.int32
        if name == "clip" and dtype == INT32:
            operands[1:] = [-1, 1]
        found = getattr(ew, name)(device, *operands, **more)
        start, size, _ = operands_of(found, "nram")
        reached = (start + size).max()
        assert reached == found.plan.nram_bytes, (dtype, reached, found.plan.nram)


def loaded(found):
    """Bytes that copies read from the DRAM."""
    _, size, written = operands_of(found, "gdram")
    return size[~written].sum()


def test_what_is_broadcast_is_loaded_once_a_core(device):
    a = np.ones((64, 3, 2000), np.float32)
    for b, each in ((np.ones((), np.float32), 4), (np.ones(2000, np.float32), 8000)):
        found = run(device, "div", a, b)
        assert found.plan.cores * found.plan.tiles > found.plan.cores
        assert loaded(found) == a.nbytes + found.plan.cores * each
    found = run(device, "div", a, np.ones((3, 1), np.float32))
    assert loaded(found) <= a.nbytes + 4 * 192  # a value for each of 192 rows


def test_zeros_are_divided_by_the_vector_unit(device):
    assert len(run(device, "div", np.zeros(5000, np.float32), np.ones(5000, np.float32)).log) < 200


# --- time ------------------------------------------------------------------------------------------------------------


def kernel_us(run):
    """Time without the launch."""
    assert run.findings == []
    return run.timeline.total_us - run.rates.launch_overhead_us


def test_time_of_an_addition_is_that_of_the_dram(device):
    # Three times 2^24 floats at what all users together reach of 307.2 GB/s: its cores' shares of the ports add up to
    # three times as much, and all else, such as the set-up and latency of the first load, is 1 us of 822.
    zeros = device.array(np.broadcast_to(np.float32(0), (1 << 24,)))
    found = ew.add(device, zeros, zeros, out=zeros)
    reached = 307.2e3 * found.rates.channels["dram"].efficiency
    assert kernel_us(found) == pytest.approx(3 * 2**26 / reached, rel=0.005)


def test_broadcast_inputs_are_read_once(device):
    image = np.zeros((8, 32, 64, 64), np.float32)
    full = kernel_us(ew.add(device, image, image.copy()))
    for shape in ((), (64,), (64, 64), (32, 1, 1), (8, 1, 64, 64)):
        ratio = kernel_us(ew.add(device, image, np.zeros(shape, np.float32))) / full
        assert 0.65 < ratio < 0.8, shape


def test_half_the_bytes_take_half_the_time(device):
    image = np.zeros(1 << 22, np.float32)
    halfs = image.astype(np.float16)
    ratio = kernel_us(ew.add(device, halfs, halfs.copy())) / kernel_us(ew.add(device, image, image.copy()))
    assert ratio == pytest.approx(0.5, rel=0.05)


def test_copies_hide_behind_computation(device):
    # While a tile of gelu is computed the next one is copied: the cores compute nearly all the time. A third of that
    # goes to its quotient and its power, which have an engine of their own. The copies last 0.28 of the time: if they
    # took turns with the computation, that would have 0.77 of it.
    run = ew.gelu(device, np.zeros((1 << 21,), np.float32))
    engines = ("compute", "compute_function")
    computes = np.array([op.engine in engines for op in run.log.ops])[run.log.records["op"]]
    on_core = run.log.records["core"] == 3
    start, end = run.timeline.start[on_core], run.timeline.end[on_core]
    assert (end - start)[computes[on_core]].sum() / (end.max() - start.min()) > 0.9
