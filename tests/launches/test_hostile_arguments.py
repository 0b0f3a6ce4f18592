"""Arguments that may be passed by mistake: the right result, or a sentence before anything runs."""

from __future__ import annotations

import functools
import math
import struct
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from mlusim.simulator import Device, launch, load, replay

from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "arguments.mlu"


#: Of the parameters of `scalars`: where, values that they hold, and values that they do not.
RANGES: dict[str, tuple[int, list[Any], list[Any]]] = {
    "half": (0, [65504, 65519, -65504.0, 2**-24, math.inf, -math.inf], [65520, 70000, -1e5, 10**400, np.float64(1e30)]),
    "bfloat16_t": (1, [3.3e38, 1e-38, math.inf], [3.4e38, -3.4e38, 1e300, 10**400]),
    "float": (2, [3.4028235e38, 1e-45, -math.inf, np.float16(2)], [3.5e38, 1e39, -1e39, 10**400, np.float64(1e200)]),
    "double": (3, [1e308, 2**1000, np.longdouble(3)], [10**400, -(10**309)]),
    "int8": (4, [-128, 127, True, np.uint64(3), 5.0], [128, -129, 0.5, math.nan, math.inf, 1e30, 10**400]),
    "uint16": (5, [0, 65535, np.int8(1)], [-1, 65536, -0.5]),
    "int32": (6, [-(2**31), 2**31 - 1], [2**31, -(2**31) - 1]),
    "uint64": (7, [0, 2**53], [-1, 2**64]),
    "bool": (8, [0, 1, False, np.True_], [2, -1, 256, 0.5, math.nan]),
}
SECOND = np.timedelta64(1, "s")
NO_NUMBERS = [
    None,
    "1",
    b"1",
    1j,
    np.complex64(1),
    [1],
    np.ones(1),
    np.timedelta64(1, "s"),
    np.datetime64(1, "s"),
    object(),
]


@pytest.mark.parametrize("name", RANGES)
def test_values_that_a_parameter_holds_arrive(program, name):
    at, held, _ = RANGES[name]
    kinds = {"half": np.float16, "bfloat16_t": ml_dtypes.bfloat16, "float": np.float32}
    for value in held:
        out, given = np.zeros(9), [0] * 9
        given[at] = value
        program.launch("scalars", args=[out, *given])
        with np.errstate(all="ignore"):
            wanted = float(np.array(float(value)).astype(kinds.get(name, np.float64)))
        assert out[at] == wanted, value


@pytest.mark.parametrize("name", RANGES)
def test_values_that_a_parameter_cannot_hold_are_refused(program, name):
    at, _, refused = RANGES[name]
    for value in [*refused, *NO_NUMBERS]:
        given = [0] * 9
        given[at] = value
        with pytest.raises(TypeError, match=f"argument {at + 1} of scalars is of type {name}"):
            program.launch("scalars", args=[np.zeros(9), *given])


def test_pointers_to_pointers_are_arrays_of_addresses(program, device):
    arrays = [device.array(np.full(4, value, np.float32)) for value in (2, 5)]
    out = np.zeros(1, np.float32)
    program.launch("through", args=[np.array([array.address for array in arrays], np.uint64), out])
    assert out[0] == 7
    for wrong in (np.zeros(2, np.float32), [1, 2], "x"):
        with pytest.raises(TypeError, match=r"argument 0 of through .*device\.array\(x\)\.address\], np\.uint64\)"):
            program.launch("through", args=[wrong, out])


def test_the_dtype_of_bfloat16_is_named_with_its_module(program):
    with pytest.raises(TypeError, match=r"is of type bfloat16_t\*; .* dtype uint16, pass ml_dtypes\.bfloat16"):
        program.launch("narrow", args=[np.zeros(4, np.uint16)])


def test_nan_arrives(program):
    out = np.zeros(9)
    program.launch("scalars", args=[out, *[math.nan] * 4, 0, 0, 0, 0, 0])
    assert np.isnan(out[:4]).all()


@pytest.mark.parametrize("value", [-1, 1 << 64, 10**400, -(1 << 63), True, 1.0, "x", b"x", [1], 1j, SECOND])
def test_addresses(program, value):
    with pytest.raises(TypeError, match=r"argument 1 of bytes is of type void\*; "):
        program.launch("bytes", args=[np.zeros(1, np.uint64), value])


@pytest.mark.parametrize("value", [None, 0, (1 << 64) - 1, np.uint64(7), np.int32(7)])
def test_addresses_that_are_some(program, value):
    out = np.zeros(1, np.uint64)
    program.launch("bytes", args=[out, value])
    assert int(out[0]) == (value or 0)


PAIR = struct.pack("if", 7, 0.5)


@pytest.mark.parametrize(
    "value", [PAIR, bytearray(PAIR), memoryview(PAIR), np.array([(7, 0.5)], "i4,f4"), [7, 0.5], (7, 0.5)]
)
def test_structures(program, value):
    out = np.zeros(2)
    program.launch("structure", args=[out, value])
    assert out.tolist() == [7, 0.5]


@pytest.mark.parametrize("value", [b"1234567", b"", 8, 10**12, None, "12345678", 1.0])
def test_no_structures(program, value):
    with pytest.raises(TypeError, match="argument 1 of structure is a structure of 8 bytes"):
        program.launch("structure", args=[np.zeros(2), value])


def test_members_in_their_order(program):
    """As in C, those that are left out at the end are zero."""
    out = np.zeros(2)
    program.launch("structure", args=[out, [7]])
    assert out.tolist() == [7, 0]
    with pytest.raises(TypeError, match=r"argument 1 of structure is Pair {int first; float second}; 3 members"):
        program.launch("structure", args=[out, [7, 0.5, 1]])
    with pytest.raises(TypeError, match="second in argument 1 of structure is of type float; pass a number"):
        program.launch("structure", args=[out, [7, "x"]])


ARRAYS = {
    "objects": (np.array([None, 1]), "Python objects"),
    "structures of objects": (np.zeros(3, [("a", "O")]), "Python objects"),
    "strings": (np.array(["a"]), "dtype <U1"),
    "bytes": (np.array([b"ab"]), "dtype .S2"),
    "dates": (np.zeros(3, "M8[s]"), "dtype datetime64"),
    "differences": (np.zeros(3, "m8[s]"), "dtype timedelta64"),
    "nothing": (np.zeros(3, "V0"), "dtype .V0"),
    "foreign bytes": (np.zeros(3, ">f4"), r"foreign byte order; pass .astype\('float32'\)"),
    "foreign structures": (np.zeros(3, [("a", ">f4")]), "foreign byte order"),
    "masks": (np.ma.masked_array(np.ones(3, np.float32), [1, 0, 0]), r"masked array.*\.filled"),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_no_device_holds(device, program, name):
    array, words = ARRAYS[name]
    for action in (
        lambda: device.array(array),
        lambda: program.launch("bytes", args=[np.zeros(1, np.uint64), array]),
        lambda: launch(lambda mlu, x: None, args=[array], device=device),
    ):
        with pytest.raises(TypeError, match=words):
            action()


def test_arrays_of_any_kind_of_memory(device, program, tmp_path):
    """Views, matrices, files in memory: what can be written is, what cannot be stays as it is."""
    mapped = np.memmap(tmp_path / "m", np.float32, "w+", shape=(64,))
    frozen = np.zeros(64, np.float32)
    frozen.flags.writeable = False
    views = [np.zeros(128, np.float32)[::2], np.zeros(64, np.float32)[::-1], np.zeros((64, 1), "f4").view(np.matrix)]
    for array in (mapped, *views):
        program.launch("increment", args=[array, 64])
        assert (np.asarray(array) == 1).all()
    program.launch("increment", args=[frozen, 64])
    assert (frozen == 0).all()
    assert device.array(np.zeros((0, 3), np.float32)).numpy().shape == (0, 3)
    assert device.array(np.float32(3)).numpy() == 3
    assert device.array([1, 2]).numpy().tolist() == [1, 2]
    assert device.array(np.array([1 + 2j])).numpy() == 1 + 2j
    assert device.array(np.longdouble([3])).numpy() == 3


NO_DIMENSIONS = [
    0, True, 1.5, "4", "444", b"444", "4,1,1", (), (4, 1, 1, 1), (0, 1, 1), (-1, 1, 1), (-1, -1, 1), (1.0, 1, 1),
    (1.5, 1, 1), ("4", 1, 1), (None, 1, 1), (True, 1, 1), (1 << 31, 1, 1), (1 << 16, 1 << 15, 1), (10**400, 1, 1),
    {1, 2, 3}, range(1, 4), np.array([2.0, 1, 1]), np.array(3), (math.nan, 1, 1), object(),
]  # fmt: skip


@pytest.mark.parametrize("dim", NO_DIMENSIONS, ids=lambda dim: type(dim).__name__)
def test_dimensions_that_are_none(device, program, dim):
    with pytest.raises(ValueError, match=r"dim is .*(pass one to three whole numbers|at most 2147483647 tasks)"):
        program.launch("increment", dim, args=[np.zeros(1, np.float32), 1], on_finding="collect")
    with pytest.raises(ValueError, match="dim is"):
        launch(lambda mlu: None, dim, device=device)


@pytest.mark.parametrize("dim", [(2, 1, 1), [2, 1, 1], np.array([2, 1, 1]), (np.int8(2), np.uint64(1), 1)])
def test_dimensions_that_are_some(program, dim):
    run = program.launch("increment", dim, args=[np.zeros(1, np.float32), 1], on_finding="collect")
    assert run.log.launch["dim"] == [2, 1, 1]


@pytest.mark.parametrize("limit", [0, -1, math.nan, "1", True, 1j, [1], np.timedelta64(1, "s"), -math.inf])
def test_time_limits_that_are_none(program, limit):
    with pytest.raises(ValueError, match=r"time_limit is .*; pass a number above 0, or None"):
        program.launch("increment", args=[np.zeros(1, np.float32), 1], time_limit=limit)


@pytest.mark.parametrize("limit", [math.inf, 1e30, 10**400, 1e9, np.float32(9), np.int8(9)])
def test_time_limits_that_are_long(program, limit):
    out = np.zeros(1, np.float32)
    program.launch("increment", args=[out, 1], time_limit=limit)
    assert out[0] == 1


@pytest.mark.slow
def test_a_time_limit_of_a_billionth_is_no_none(program):
    args = [np.zeros(4096, np.float32), 4096]
    run = program.launch("increment", (5000, 1, 1), args=args, time_limit=1e-9, on_finding="collect")
    assert [finding.rule for finding in run.errors] == ["time"]


async def coroutine(mlu: Any) -> None:
    """Never runs."""


def generator(mlu: Any) -> Any:
    yield mlu


@pytest.mark.parametrize("kernel", [generator, coroutine, functools.partial(generator), lambda mlu: (n for n in ())])
def test_kernels_that_would_not_run(device, kernel):
    with pytest.raises(TypeError, match="is a generator or a coroutine: a call of it runs nothing"):
        launch(kernel, device=device)


class Seven:
    """An object that is a kernel."""

    def __call__(self, mlu: Any, x: Any) -> None:
        x[0] = 7.0

    method = __call__


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        (Seven(), "Seven"),
        (Seven().method, "__call__"),
        (functools.partial(Seven.method, None), "__call__"),
        (lambda mlu, x: x.__setitem__(0, 7.0), "<lambda>"),
    ],
)
def test_kernels_of_other_kinds(device, kernel, name):
    out = np.zeros(1, np.float32)
    run = launch(kernel, args=[out], device=device)
    assert (run.log.launch["kernel"], out[0]) == (name, 7)


def test_a_builtin_is_a_kernel(device, capsys):
    launch(print, args=["hello"], device=device)
    assert capsys.readouterr().out.endswith("hello\n")


def test_one_argument_needs_no_list(device):
    out = np.zeros(3, np.float32)
    launch(lambda mlu, x: x.__setitem__(2, 1.0), args=out, device=device)
    assert out.tolist() == [0, 0, 1]


WRONG: list[tuple[str, type[Exception], str]] = [
    ("load('k.mlu', device=device)", TypeError, "sources is 'k.mlu'; pass a list of paths"),
    ("load(None, device=device)", TypeError, "sources is None; pass a list"),
    ("load([5], device=device)", TypeError, "5 among sources is no path"),
    ("load([b'k.mlu'], device=device)", TypeError, "among sources is no path"),
    ("load([''], device=device)", ValueError, "'' among sources is no path"),
    ("load(['a' + chr(0)], device=device)", ValueError, "among sources is no path"),
    ("load([SOURCE], 'include', device=device)", TypeError, "include is 'include'; pass a list"),
    ("load([SOURCE], device='mlu370-x4')", TypeError, "device is 'mlu370-x4'; pass a Device"),
    ("load([SOURCE], device=None)", TypeError, "device is None; pass a Device"),
    ("program.launch(5)", TypeError, "kernel is 5; pass its name"),
    ("program.launch([])", TypeError, "kernel is .*; pass its name"),
    ("program.launch('fill')", ValueError, "template; name its arguments"),
    ("program.launch('x' * 10**6)", ValueError, "no kernel 'xxx"),
    ("program.launch('increment', type=5)", TypeError, "type is 5; pass one of block"),
    ("program.launch('increment', type='')", ValueError, "type is ''; pass one of block"),
    ("program.launch('increment', on_finding=[])", ValueError, "on_finding is"),
    ("program.launch('increment', progress=5)", TypeError, "progress is 5; pass a function"),
    ("program.launch('increment', args={})", TypeError, "no value for data and count"),
    ("launch(5, device=device)", TypeError, "kernel is 5; pass a function"),
    ("launch(print, device='x')", TypeError, "device is 'x'; pass a Device"),
    ("launch(print, device=device, progress=1)", TypeError, "progress is 1"),
    ("replay(None, device.rates)", TypeError, "log is None; pass a Log"),
    ("replay(log, device)", TypeError, "rates is <Device .*; pass Rates"),
    ("Device.load(None)", TypeError, "name is None; pass the name"),
    ("Device.load(b'mlu590')", TypeError, "name is b'mlu590'"),
    ("Device.load('')", ValueError, "unknown device ''"),
    ("Device.load('x' * 300 + '.toml')", ValueError, "File name too long"),
    ("Device.load(chr(0) + '.toml')", ValueError, "null characters"),
    ("device.watched(5)", TypeError, "5 is no check"),
    ("device.watched(int)", TypeError, "is no check"),
    ("device.replace([])", TypeError, "changes is .*; pass a mapping"),
    ("device.replace({5: 1})", ValueError, "there is no number 5 here"),
    ("device.replace({'clock.core_mhz': 'x'})", ValueError, "must be a finite number, above zero, not 'x'"),
    ("device.replace({'clock.core_mhz': 10**400})", ValueError, "from 1e-12 to 1e.30, not a number of 1329 bits"),
    ("device.replace({'shape.clusters': 10**6})", ValueError, "4000000 cores in 1000000 clusters"),
    ("device.rates.kind(5)", ValueError, "there is no number 5 here"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "error", "words"), WRONG)
def test_wrong_calls(device, program, text, error, words):
    names = {
        "Device": Device,
        "device": device,
        "program": program,
        "replay": replay,
        "load": load,
        "log": launch(lambda mlu: None, device=device).log,
    }
    with pytest.raises(error, match=words) as caught:
        eval(text, globals(), names)
    assert type(caught.value) is error
    assert len(str(caught.value)) < 1000


KERNEL_CALLS: list[tuple[str, type[Exception], str]] = [
    ("mlu.nram('float', -1)", ValueError, "nram: count is -1"),
    ("mlu.nram('float', 2.5)", TypeError, "nram: count is 2.5; pass a whole number"),
    ("mlu.nram('float', '4')", TypeError, "nram: count is '4'"),
    ("mlu.nram('float', 1 << 70)", ValueError, "nram: count is 1180591620717411303424"),
    ("mlu.nram(None, 4)", TypeError, "None is no element type"),
    ("mlu.nram('<f3', 4)", TypeError, "'<f3' is no element type"),
    ("tile.cast({'a': 1})", TypeError, "is no element type"),
    ("tile + 1.5", TypeError, "1.5 elements from <float"),
    ("tile - 'a'", TypeError, "'a' elements from"),
    ("tile['a']", TypeError, "'a' elements from"),
    ("tile.__setitem__(0, 'a')", TypeError, "'a' cannot be stored"),
    ("tile.__setitem__(0, 1j)", TypeError, "1j cannot be stored"),
    ("mlu.__bang_add(tile, tile, tile, '64')", TypeError, "__bang_add: elem_count is '64'; pass a whole number"),
    ("mlu.__bang_add(tile, tile, tile, 64.0)", TypeError, "__bang_add: elem_count is 64.0; pass a whole number"),
    ("mlu.__bang_add(tile, tile, tile, None)", TypeError, "__bang_add: elem_count is None"),
    ("mlu.__bang_write_value(tile, 64, 'a')", TypeError, "__bang_write_value: value is 'a'; pass a number"),
    ("mlu.__bang_add(tile, tile, tile)", TypeError, r"__bang_add\(float\*, float\*, float\*\) matches no form"),
]


@pytest.mark.parametrize(("text", "error", "words"), KERNEL_CALLS)
def test_wrong_calls_in_a_kernel(device, text, error, words):
    def kernel(mlu: Any) -> None:
        eval(text, {}, {"mlu": mlu, "tile": mlu.nram("float", 64)})

    with pytest.raises(error, match=words):
        launch(kernel, device=device)


WIDTHS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, int]


@pytest.mark.parametrize("kind", WIDTHS)
def test_whole_numbers_of_every_width(device, kind):
    out = np.zeros(64, np.float32)

    def kernel(mlu: Any, x: Any) -> None:
        tile = mlu.nram("float", kind(64))
        mlu.__bang_write_value(tile, kind(64), np.float16(2.5))
        mlu.__memcpy(tile + kind(1), tile, kind(4), mlu.NRAM2NRAM)
        mlu.__memcpy(x, tile, kind(100), mlu.NRAM2GDRAM)

    launch(kernel, args=[out], device=device)
    assert out.tolist() == [2.5] * 25 + [0.0] * 39
