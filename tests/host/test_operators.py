"""Operators with host code of their own, called from Python."""

import os
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import BuildError, CallError, Device, KernelError, OperatorProgram, load
from mlusim.simulator.host.operators.arguments import Opaque

from tests.support.forked import in_child

FOLDER = Path(__file__).parent / "operators"
SOURCES = [FOLDER / "vec.cpp", FOLDER / "vec_kernels.mlu"]


@pytest.fixture(scope="module")
def vec():
    with load(SOURCES, [FOLDER], device=Device.load("mlu370-x4")) as program:
        assert isinstance(program, OperatorProgram)
        yield program


def numbers(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape) - 3


def test_folders_are_a_list_for_operators_too():
    with pytest.raises(TypeError, match="pass a list of paths"):
        load(SOURCES, str(FOLDER), device=Device.load("mlu370-x4"))


def test_an_array_becomes_a_descriptor_and_device_memory(vec):
    x, y = numbers(3, 5), np.zeros((3, 5), np.float32)
    done = vec.call("vecScale", factor=2.5, x=x, y=y)
    np.testing.assert_array_equal(y, x * np.float32(2.5))
    assert (done.status, done.findings) == ("VEC_STATUS_SUCCESS", ())
    assert [(launch.kernel, launch.dim) for launch in done.launches] == [("kernelScale", (2, 1, 1))]
    assert done.time_us > 0


def test_an_array_that_is_passed_twice_is_one(vec):
    x = numbers(7)
    vec.call("vecScale", factor=-1, x=x, y=x)
    np.testing.assert_array_equal(x, -numbers(7))


def test_what_the_function_only_reads_does_not_come_back(vec):
    x = numbers(4)
    x.setflags(write=False)
    vec.call("vecScale", factor=3, x=x, y=np.zeros(4, np.float32))
    with pytest.raises(ValueError, match="y is read-only, and vecScale may write it"):
        vec.call("vecScale", factor=3, x=numbers(4), y=x)


def test_strides_reach_the_descriptor_and_gaps_stay(vec):
    whole = np.zeros((4, 6), np.float32)
    vec.call("vecTranspose", permute=[1, 0], x=numbers(3, 4), y=whole[:, ::2])
    np.testing.assert_array_equal(whole[:, ::2], numbers(3, 4).T)
    assert not whole[:, 1::2].any()
    back = np.zeros((3, 4), np.float32)
    vec.call("vecTranspose", permute=[1, 0], x=whole[:, ::2], y=back)
    np.testing.assert_array_equal(back, numbers(3, 4))


def test_a_workspace_is_as_large_as_the_library_says(vec):
    total = np.zeros(1, np.float32)
    vec.call("vecSum", x=numbers(9), y=total)
    assert total[0] == numbers(9).sum()
    with pytest.raises(CallError, match="vecSum returned VEC_STATUS_BAD_PARAM") as caught:
        vec.call("vecSum", x=numbers(9), y=total, workspace=np.zeros(1, np.uint8), workspace_size=1)
    assert caught.value.status == "VEC_STATUS_BAD_PARAM"
    vec.call("vecSum", x=numbers(9), y=total, workspace_size=64)
    for few in (0, 35):
        with pytest.raises(CallError, match="vecSum returned VEC_STATUS_BAD_PARAM"):
            vec.call("vecSum", x=numbers(9), y=total, workspace_size=few)
    with pytest.raises(ValueError, match="workspace_size"):
        vec.call("vecSum", x=numbers(9), y=total, workspace_size=-1)


@pytest.mark.parametrize(
    ("mode", "expected"), [("KEEP_LOW", np.minimum), ("VEC_KEEP_HIGH", np.maximum), (1, np.maximum)]
)
def test_a_descriptor_of_the_operators_own_is_set_by_name(vec, mode, expected):
    y = np.zeros(6, np.float32)
    vec.call("vecClamp", mode=mode, bound=0.5, x=numbers(6), y=y)
    np.testing.assert_array_equal(y, expected(numbers(6), np.float32(0.5)))


def test_a_descriptor_that_a_call_has_made_is_passed_on(vec):
    clamp = vec.call("vecCreateClampDescriptor")["desc"]
    assert isinstance(clamp, Opaque)
    vec.call("vecSetClampDescriptor", desc=clamp, mode="KEEP_HIGH", bound=2)
    y = np.zeros(6, np.float32)
    vec.call("vecClamp", clamp_desc=clamp, x=numbers(6), y=y)
    assert y.min() == 2
    with pytest.raises(TypeError, match="handle is a vecClampDescriptor_t; pass a vecHandle_t"):
        vec.call("vecDestroy", handle=clamp)
    vec.call("vecDestroyClampDescriptor", desc=clamp)


def test_a_forked_child_leaves_the_operators_of_its_parent_alone(vec):
    error = in_child(lambda: vec.call("vecBytes", count=2, wide=True))
    assert isinstance(error, RuntimeError)
    assert f"belong to process {os.getpid()}" in str(error)
    assert vec.call("vecBytes", count=2, wide=True)["return"] == 16


def test_values_that_pointers_lead_to_come_back_by_name(vec):
    assert vec.call("vecBest", x=np.array([1, 7, 3], np.float32))["best"] == 1
    assert dict(vec.call("vecGetRank", x=numbers(2, 3)).results) == {"rank": 2, "dtype": 2}
    assert vec.call("vecBytes", count=200, wide=True)["return"] == 1600


@pytest.mark.parametrize(
    ("name", "given", "error", "message"),
    [
        ("vecScales", {}, ValueError, r"'vecScales' \(did you mean 'vecScale'\?\); it defines"),
        ("vecScale", {"factor": 1.0, "x": numbers(2)}, TypeError, "vecScale needs y: vecStatus_t vecScale"),
        ("vecScale", {"x": numbers(2), "y": numbers(2)}, TypeError, "vecScale needs factor"),
        ("vecScale", {"factor": 1e39, "x": numbers(2), "y": numbers(2)}, ValueError, "a float holds up to"),
        ("vecScale", {"factor": "2", "x": numbers(2), "y": numbers(2)}, TypeError, "pass a number"),
        ("vecScale", {"factor": 1, "x": [1.0], "y": numbers(2)}, TypeError, "x is .*; pass an array"),
        ("vecScale", {"factor": 1, "x": numbers(2), "y": numbers(2), "z": 1}, TypeError, "no parameter z"),
        ("vecScale", {"factor": 1, "x": np.zeros(2), "y": numbers(2)}, ValueError, "no dtype 'DOUBLE'; it has HALF"),
        ("vecBytes", {"count": 256, "wide": False}, ValueError, "count is 256; a uint8_t holds 0 to 255"),
        ("vecBytes", {"count": -1, "wide": False}, ValueError, "count is -1"),
        ("vecBytes", {"count": 1.5, "wide": False}, TypeError, "pass an integer"),
        ("vecBytes", {"count": 1, "wide": 2}, TypeError, "pass True or False"),
        ("vecClamp", {"mode": "KEEP", "bound": 1, "x": numbers(2), "y": numbers(2)}, ValueError, "has VEC_KEEP_LOW"),
    ],
)
def test_what_does_not_fit_is_refused(vec, name, given, error, message):
    with pytest.raises(error, match=message):
        vec.call(name, **given)


def test_a_status_is_an_exception_with_its_name(vec):
    with pytest.raises(CallError, match="vecScale returned VEC_STATUS_BAD_PARAM") as caught:
        vec.call("vecScale", factor=1, x=np.zeros(2, np.int32), y=np.zeros(2, np.int32))
    assert caught.value.called.launches == ()


def test_a_pointer_with_a_descriptor_is_device_memory_and_another_one_a_number(vec):
    y = np.zeros(3, np.float32)
    assert vec.call("vecTyped", x=numbers(3), y=y)["count"] == 3
    np.testing.assert_array_equal(y, 2 * numbers(3))


def test_host_code_that_dies_leaves_python_alive(vec):
    with pytest.raises(KernelError, match="the host code of vecGiveUp ended with exit code 3"):
        vec.call("vecGiveUp", code=3)
    assert vec.call("vecBytes", count=1, wide=False)["return"] == 4


def test_host_code_that_gives_up_after_a_kernel_names_the_kernels_mistake(vec):
    with pytest.raises(KernelError) as caught:
        vec.call("vecGiveUpAfterKernel", x=numbers(2), on_finding="collect")
    assert [finding.rule for finding in caught.value.run.findings][-1] == "crash"
    assert (caught.value.finding.kernel, caught.value.finding.rule) == ("kernelClamp", "bounds")


def test_host_code_that_reads_device_memory_is_a_finding_at_its_line(vec):
    with pytest.raises(KernelError) as caught:
        vec.call("vecPeek", x=numbers(4))
    places = [finding.location for finding in caught.value.run.findings if finding.rule == "host-pointer"]
    line = next(at for at, text in enumerate(SOURCES[0].read_text().splitlines(), 1) if "*(const float*)x" in text)
    assert [(os.path.basename(place.file), place.line) for place in places] == [("vec.cpp", line)]


def test_a_library_function_that_is_not_modelled_says_its_name(vec):
    with pytest.raises(KernelError, match="cnnlAbs is declared but not modelled") as caught:
        vec.call("vecUnsupported", x=numbers(2))
    assert caught.value.finding.location.file.endswith("vec.cpp")


def test_an_undefined_function_is_named_when_it_is_built():
    with pytest.raises(BuildError, match=r"no source defines launchScale\(.*name the sources"):
        load(SOURCES[:1], [FOLDER], device=Device.load("mlu370-x4"))


def test_kernels_can_be_launched_by_themselves(vec):
    y = np.zeros(4, np.float32)
    vec.launch("kernelScale", dim=(1, 1, 1), type="block", args=[numbers(4), y, 2.0, 4])
    np.testing.assert_array_equal(y, numbers(4) * 2)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        vec.nothing  # noqa: B018


def test_kernel_sources_alone_have_no_host_code():
    program = load(SOURCES[1:], [FOLDER], device=Device.load("mlu370-x4"))
    assert not isinstance(program, OperatorProgram)


def test_wrong_elements_are_traced_through_what_host_code_launches(vec):
    x, y = numbers(40), np.zeros(40, np.float32)
    right = 2 * x
    assert vec.call("vecScale", factor=2, x=x, y=y, expect={"y": right}).findings == ()
    right[33] = 0
    with pytest.raises(KernelError, match=r"1 wrong element among the 40 of y: y\[33\] is 60, not 0"):
        vec.call("vecScale", factor=2, x=x, y=y, expect={"y": right})
    (finding,) = vec.call("vecScale", factor=2, x=x, y=y, on_finding="collect", expect={"y": right}).findings
    taken = [step.taken for step in finding.trail if step.taken]
    assert (finding.kernel, finding.task, taken) == ("kernelScale", 1, [("x[33]",)])
    assert Path(finding.location.file).name == "vec_kernels.mlu"
    total = np.zeros(1, np.float32)
    found = vec.call("vecSum", x=x[:9], y=total, on_finding="collect", expect={"y": [1]}, tolerance=1e-3).findings
    assert found[-1].trail[-1].taken[0].startswith("x[")
    with pytest.raises(ValueError, match="expect: no argument 'z' is an array; the arrays are x, y"):
        vec.call("vecScale", factor=2, x=x, y=y, expect={"z": right})
    assert all(launch.log is None for launch in vec.call("vecScale", factor=2, x=x, y=y).launches)
