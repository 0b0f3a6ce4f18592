"""What a C kernel sees and does when it is compiled unchanged: variables, types, scopes, accesses, waits, output."""

import struct
from concurrent.futures import ThreadPoolExecutor

import ml_dtypes
import numpy as np
import pytest
from mlusim.simulator import BuildError, Device, KernelError, Log, Program, load

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

SOURCE = KERNELS_C / "front_end.mlu"
SOURCES = (SOURCE, KERNELS_C / "second_source.mlu")
N = 64


def marked(name: str) -> int:
    """The line of the source that carries a mark."""
    return line_of(SOURCE, rf"// \^ {name}$")


def ramp(count: int = N) -> np.ndarray:
    return np.arange(count, dtype=np.float32)


def rows(program: Program, dim: tuple[int, int, int], type: str, count: int) -> list[list[int]]:
    """The built-in variables that each of ``count`` tasks and memory cores saw."""
    out = np.full((count, 12), -1, np.int32)
    program.launch("variables", dim, type, [out])
    return out.tolist()


def test_built_in_variables_of_block_tasks_more_than_cores(program):
    assert program.device.shape.cores == 32
    expected = [
        [x + 5 * (y + 3 * z), x, y, z, 45, 5, 3, 3, (x + 5 * (y + 3 * z)) % 32 // 4, 0, 0, 1]
        for z in range(3)
        for y in range(3)
        for x in range(5)
    ]
    assert rows(program, (5, 3, 3), "block", 45) == expected


def test_built_in_variables_of_a_union_of_two_clusters_and_their_memory_cores(program):
    seen = rows(program, (8, 1, 1), "union2", 10)
    assert seen[:8] == [[i, i, 0, 0, 8, 8, 1, 1, i // 4, 2, i % 4, 4] for i in range(8)]
    # clusterId, clusterDim and coreId of the memory cores.
    assert [row[8:11] for row in seen[8:]] == [[0, 2, 0x80], [1, 2, 0x80]]


def test_tasks_of_a_union_count_along_x_first(program):
    seen = rows(program, (4, 2, 2), "union1", 20)
    assert [row[1:4] for row in seen[:16]] == [[x, y, z] for z in range(2) for y in range(2) for x in range(4)]
    assert {tuple(row[8:10]) for row in seen} == {(0, 1)}


def test_variables_of_every_scope(program):
    out = np.zeros(12, np.int32)
    program.launch("scopes", args=[out])
    # A local initialiser acts on every entry (6, 6), a preset of the file once in a launch.
    assert out.tolist() == [6, 6, 1 + 4, 80, 42, 250, 2, 6, 7, 8, 4 * N, 4]


def test_presets_are_fresh_in_every_launch(program):
    first, again = np.zeros(12, np.int32), np.zeros(12, np.int32)
    program.launch("scopes", args=[first])
    program.launch("scopes", args=[again])
    assert first.tolist() == again.tolist()


def test_a_variable_that_is_declared_before_it_is_defined(program):
    x = ramp()
    program.launch("declared_before", args=[x])
    assert x.tolist() == [3.0 * i for i in range(N)]


def test_sources_of_one_program_keep_their_names_apart(program):
    out = np.zeros(2, np.int32)
    program.launch("second", args=[out])
    assert out.tolist() == [-2, 8]


def test_a_variable_that_is_defined_nowhere_is_named(tmp_path):
    path = tmp_path / "mine.mlu"
    path.write_text("#include <bang.h>\nextern __nram__ int nowhere[4];\n__mlu_entry__ void k() { nowhere[0] = 1; }\n")
    with pytest.raises(BuildError, match="nowhere"):
        load([path], device=Device.load("mlu370-x4"))


def test_a_structure_as_an_argument(program):
    out = np.zeros(3, np.float32)
    packed = struct.pack("<h6xd3f4x", -3, 2.5, 1.0, 2.0, 3.5)
    program.launch("structure", args=[packed, out])
    assert out.tolist() == [-3.0, 2.5, 6.5]
    with pytest.raises(TypeError, match="structure of 32 bytes; 31 were given"):
        program.launch("structure", args=[packed[:-1], out])


@pytest.mark.parametrize(
    ("name", "dtype", "large"), [("half", np.float16, 60000), ("bfloat16_t", ml_dtypes.bfloat16, 3e38)]
)
def test_arithmetic_of_16_bit_floats_rounds_every_operation(program, name, dtype, large):
    given = np.array([large, 1, 2, 3, 0.7, 5, 1 / 3, 1], dtype)
    x = given.copy()
    program.launch(f"narrow<{name}>", args=[x, 3.0, 8])
    expected = np.empty(8, dtype)
    with np.errstate(over="ignore"):
        for i, sign in ((0, 1), (4, -1)):
            twice = dtype(np.float32(given[i]) + np.float32(given[i]))
            expected[i] = dtype(np.float32(twice) - np.float32(given[i]))
            expected[i + 1] = max(float(given[i + 1]), 3.0)
            expected[i + 2] = dtype(np.float32(dtype(np.float32(given[i + 2]) * 3)) / np.float32(7))
            expected[i + 3] = float(given[i + 3]) + sign * 3.0
    assert np.isinf(expected[0].astype(np.float32))
    assert x.tobytes() == expected.tobytes()


def test_mathematics_on_half(program):
    x = np.array([1, 2, 1, np.nan, -2, 7], np.float16)
    program.launch("half_math", args=[x])
    assert x.tolist() == [float(np.float16(np.sin(1.0))), float(np.float16(np.sqrt(2.0))), 2.0, 1.0, 2.0, 7.0]


def test_integers_of_32_and_64_bits(program):
    wide, words = np.array([0, 0, 5], np.int64), np.array([4_000_000_000, 0], np.uint32)
    program.launch("integers", args=[wide, words, 2**40])
    assert wide.tolist() == [2**40 + 1, 4_000_000_000**2 - 2**64, -5]
    assert words.tolist() == [8_000_000_000 - 2**32, 2**8]


def test_scalar_accesses_are_records_with_line_count_and_region(program):
    x = np.arange(N, dtype=np.int32)
    log = program.launch("accesses", args=[x]).log
    counts: dict[tuple[str, int, str], int] = {}
    spans: dict[tuple[str, int, str], list[int]] = {}
    for i, record in enumerate(log.records):
        name = log.ops[record["op"]].name
        if name in ("scalar.load", "scalar.store"):
            (_, _, region), *_ = log.regions(i)
            key = (name, log.location(i).line, region.space)
            counts[key] = counts.get(key, 0) + int(record["work"])
            spans.setdefault(key, []).extend((region.offset, region.offset + region.bytes))
    loads, stores, store = (
        ("scalar.load", marked("loads"), "gdram"),
        ("scalar.store", marked("stores"), "nram"),
        ("scalar.store", marked("store"), "gdram"),
    )
    assert counts == {loads: N, stores: 8, store: 1}
    assert {key: max(span) - min(span) for key, span in spans.items()} == {loads: 4 * N, stores: 16, store: 4}
    assert x[0] == sum(range(N))


def test_what_a_kernel_prints_reaches_standard_output(program, capsys):
    assert program.launch("prints", (2, 1, 1), args=[6]).findings == []  # to print is to do something
    assert capsys.readouterr().out == "".join(f"plain 6\nvendor 1.50, task {task}\n" for task in range(2))


def test_a_copy_without_a_wait_is_late(program):
    x = ramp()
    # The sum is made of the old contents, and the copy then overwrites it.
    run = program.launch("no_wait", args=[x], on_finding="collect")
    assert x.tolist() == ramp().tolist()
    assert run.errors
    with pytest.raises(KernelError):
        program.launch("no_wait", args=[ramp()])


def test_a_copy_that_is_waited_for_is_in_time(program):
    x = ramp()
    assert not program.launch("wait", args=[x]).findings
    assert x.tolist() == [2.0 * i for i in range(N)]


def test_cores_of_a_cluster_share_its_memory(program):
    out = np.zeros(16, np.int32)
    program.launch("neighbours", (16, 1, 1), "union4", [out])
    assert out.tolist() == [100 * cluster + (core + 1) % 4 for cluster in range(4) for core in range(4)]


def test_cores_of_a_cluster_share_the_variables_of_a_block(program):
    out, whole = np.zeros((8, 2), np.float32), np.zeros((8, 2), np.int32)
    source, whole_source = np.arange(16, dtype=np.float32) * 3, np.arange(16, dtype=np.int32) * 5
    run = program.launch("exchanges", (8, 1, 1), "union2", [out, whole, source, whole_source])
    assert run.findings == []
    neighbours = [10 * cluster + (core + 1) % 4 for cluster in range(2) for core in range(4)]
    assert out.tolist() == [[neighbour, 3 * task] for task, neighbour in enumerate(neighbours)]
    assert whole.tolist() == [[neighbour, 5 * task] for task, neighbour in enumerate(neighbours)]
    assert allocations(run.log, "sram") == [64] * 8, "each of the two variables once a cluster, for each type"


def allocations(log: Log, space: str) -> list[int]:
    """Bytes of the variables that the tasks of a launch have allocated in a space."""
    records = (i for i, record in enumerate(log.records) if log.ops[record["op"]].name == "alloc")
    return [region.bytes for i in records for _, _, region in log.regions(i) if region.space == space]


def test_vector_registers(program):
    out = np.zeros(N, np.float32)
    program.launch("registers", args=[out])
    assert out.tolist() == [11.0 * (1 + 2 * i) for i in range(N)]


def test_a_copied_register_is_an_instruction_and_keeps_its_lanes(program):
    out = np.zeros(N, np.float32)
    run = program.launch("copied_registers", args=[out])
    assert out.tolist() == [2.0 * (1 + 2 * i) for i in range(N)]
    assert run.findings == []
    moves = [op for op in run.log.records["op"] if run.log.ops[op].name == "__vv_move"]
    assert len(moves) == 2


def test_block_copies_of_the_c_library_are_seen(program):
    out = np.ones(N, np.float32)
    log = program.launch("block_copies", args=[out, 4 * N]).log
    assert out.tolist() == [0.0, 5.0, *[0.0] * (N - 2)]
    sizes = [
        (log.ops[r["op"]].name, region.bytes) for i, r in enumerate(log.records) for _, _, region in log.regions(i)
    ]
    assert ("scalar.store", 4 * N) in sizes
    assert ("scalar.load", 4 * N) in sizes
    with pytest.raises(KernelError) as caught:
        program.launch("block_copies", args=[out, 4 * N + 1])
    assert (caught.value.finding.rule, caught.value.finding.instruction) == ("bounds", "scalar.load")


def test_inline_assembly(program):
    out = np.zeros(N, np.float32)
    log = program.launch("assembly", args=[out, 1.0, 0.5]).log
    assert out.tolist() == [1 + 0.5 * i for i in range(N)]
    assert {"__asm_index_vvr", "__asm_sync"} <= {op.name for op in log.ops}


def sums(program: Program, count: int = 1000, **options) -> Log:
    """The log of a launch that doubles an array, after a look at the result."""
    x, out = ramp(count), np.zeros(count, np.float32)
    log = program.launch("sums", (7, 1, 1), args=[out, x, count], **options).log
    assert out.tolist() == [2.0 * i for i in range(count)]
    return log


def test_runs_are_equal_in_the_worker_and_in_this_process(program):
    first = sums(program)
    assert len(first) > 3 * 1000 / N
    assert sums(program) == first
    assert sums(program, isolate=False) == first
    assert sums(program, 1001) != first


def test_a_saved_log_loads_equal(program, tmp_path):
    log = sums(program)
    log.save(tmp_path / "run.npz")
    assert Log.load(tmp_path / "run.npz") == log


def test_devices_of_equal_builds_do_not_share_variables(program):
    # Nothing in this source depends on the architecture, so both devices may run the same image.
    other = load([SOURCE], device=Device.load("mlu370-x8"))
    for one in (program, other, program):
        x = ramp()
        one.launch("declared_before", args=[x])
        assert x.tolist() == [3.0 * i for i in range(N)]


def test_device_arrays_stay_between_launches(program):
    x = program.device.array(ramp(100))
    out = program.device.array(np.zeros(100, np.float32))
    program.launch("sums", args=[out, x, 100])
    program.launch("sums", args=[x, out, 100])
    assert x.numpy().tolist() == [4.0 * i for i in range(100)]
    assert out.numpy().tolist() == [2.0 * i for i in range(100)]


def test_launches_from_several_threads(program):
    with ThreadPoolExecutor(4) as threads:
        logs = list(threads.map(lambda count: (count, sums(program, count)), [100, 200, 300, 100, 200, 300]))
    again = {count: sums(program, count).records["work"].tolist() for count in (100, 200, 300)}
    assert all(log.records["work"].tolist() == again[count] for count, log in logs)


def test_programs_loaded_from_several_threads_keep_their_variables_apart(tmp_path):
    def declared(number: int) -> int:
        path = tmp_path / f"source_{number}.mlu"
        arrays = "".join(f"__nram__ char a{i}[{number}];\n" for i in range(100))
        path.write_text(f"#include <bang.h>\n{arrays}__mlu_entry__ void k() {{ a0[0] = 1; }}\n")
        return load([path], device=Device.load("mlu370-x4")).budget["nram"].declared

    sizes = [100, 200, 300, 400]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(declared, sizes)) == [100 * size for size in sizes]


def test_host_code_compiles_and_is_no_kernel(program):
    assert "host" not in program.kernels
    assert {"variables", "narrow<...>", "second"} <= set(program.kernels)
