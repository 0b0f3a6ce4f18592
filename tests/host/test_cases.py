"""Test cases of operators: how they are read, run and measured."""

import json
import math
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from mlusim.simulator import Device
from mlusim.simulator.cli import main
from mlusim.simulator.host.cases import read_case
from mlusim.simulator.host.cases.binding import bind
from mlusim.simulator.host.cases.measures import measure
from mlusim.simulator.host.cases.native_reference import NativeReference
from mlusim.simulator.host.cases.textformat import Word, parse
from mlusim.simulator.host.operators.declarations import CParameter, Function, Type
from mlusim.simulator.host.operators.tensors import HostTensor
from mlusim.simulator.kernelc.options import Options

from tests.support.documents import document
from tests.support.paths import ROOT
from tests.traces.report.reading import read

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent / "operators"
SCALE = """
op_name: "scale"  # a comment
input { id: "first" shape { dims: 3 dims: 5 } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT
        random_data: { seed: 23 upper_bound: 4 lower_bound: -4 distribution: UNIFORM } }
output { id: "result" shape: { dims: [3, 5] } layout: LAYOUT_ARRAY dtype: DTYPE_FLOAT }
scale_param: { factor: 2.5 }
test_param { error_func: DIFF1 error_func: DIFF3 error_threshold: 1e-6 error_threshold: 1e-6 baseline_device: CPU }
"""


def test_the_text_format():
    message = parse(
        """a: 1 a: -2, b { c: "x\\n" 'y' d: 1.5e3 e: true } f <g: NAME> h: [1, 2];
        # nothing
        [some.extension]: 0x1F i: inf j: -infinity k: 017 l: 3f m: "\\x41\\102" """
    )
    assert message["a"] == [1, -2]
    assert message.one("b") == {"c": ["x\ny"], "d": [1500.0], "e": [True]}
    assert message.one("f") == {"g": [Word("NAME")]}
    assert (message["h"], message["some.extension"], message["k"]) == ([1, 2], [31], [15])
    assert (message.one("i"), message.one("j"), message.one("l"), message.one("m")) == (math.inf, -math.inf, 3, "AB")
    assert message.one("nothing", 7) == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a {\n b: 1\n", "line 3: '}' is missing"),
        ("a 1", "line 1: a colon is missing after a"),
        ("\na: }", "line 2: '}' is no value"),
        ("a: 1 }", "line 1: '}' is no name"),
        ("a: \x01", "line 1: '\\x01' begins nothing"),
        ("a:", "line 1: the text ends"),
        ("a{" * 100, "too deep"),
    ],
)
def test_text_that_is_no_message(text, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        parse(text)


def case_of(tmp_path, text, name="case.prototxt"):
    path = tmp_path / name
    path.write_text(text)
    return read_case(path)


def test_a_case(tmp_path):
    case = case_of(tmp_path, SCALE)
    assert (case.operator, dict(case.params)) == ("scale", {"factor": 2.5})
    assert [(entry.measure, entry.limit) for entry in case.criteria[0]] == [("diff1", 1e-6), ("diff3", 1e-6)]
    array = case.inputs[0].array(tmp_path, 0)
    assert (array.shape, array.dtype) == ((3, 5), np.float32)
    assert -4 <= array.min() < 0 < array.max() <= 4
    np.testing.assert_array_equal(array, case.inputs[0].array(tmp_path, 0))
    assert (array != case.inputs[0].array(tmp_path, 1)).all()


def tensor(tmp_path, body):
    text = f'input {{ id: "x" {body} }} output {{ id: "y" shape {{ dims: 1 }} dtype: DTYPE_FLOAT }}'
    return case_of(tmp_path, text).inputs[0].array(tmp_path, 0)


def test_thresholds_of_an_output_and_outputs_of_one_id(tmp_path):
    text = SCALE.replace("error_threshold: 1e-6 error_threshold: 1e-6", "")
    with pytest.raises(ValueError, match="result has 0 thresholds for 2 measures"):
        case_of(tmp_path, text)
    own = "dtype: DTYPE_FLOAT thresholds { evaluation_threshold: 0.1 evaluation_threshold: 0.2 }"
    case = case_of(tmp_path, text.replace("dtype: DTYPE_FLOAT }\nscale", f"{own} }}\nscale"))
    assert [[entry.limit for entry in each] for each in case.criteria] == [[0.1, 0.2]]
    case = case_of(tmp_path, SCALE + 'output { id: "result" shape { dims: 1 } }')
    assert [spec.id for spec in case.outputs] == ["result", "result_2"]


def test_values_of_a_case(tmp_path):
    given = "shape { dims: 2 } dtype: DTYPE_"
    assert tensor(tmp_path, f"{given}HALF value_h: '3c00' value_h: 'c000'").tolist() == [1.0, -2.0]
    assert tensor(tmp_path, f"{given}INT64 value_l: 9007199254740993 value_l: -1").tolist() == [9007199254740993, -1]
    assert tensor(tmp_path, f"{given}COMPLEX_FLOAT value_f: [1, 2, 3, 4]").tolist() == [1 + 2j, 3 + 4j]
    (tmp_path / "x.bin").write_bytes(np.array([5, 6], np.int32).tobytes())
    assert tensor(tmp_path, f"{given}INT32 path: 'x.bin'").tolist() == [5, 6]
    drawn = tensor(
        tmp_path, "shape { dims: 999 } dtype: DTYPE_INT32 random_data { seed: 1 lower_bound: 0 upper_bound: 3 }"
    )
    assert set(drawn.tolist()) == {0, 1, 2}
    strided = tensor(
        tmp_path, "shape { dims: 2 dims: 2 dim_stride: 1 dim_stride: 3 } dtype: DTYPE_INT8 value_i: [0, 1, 2, 3, 4]"
    )
    assert strided.tolist() == [[0, 3], [1, 4]]
    with pytest.raises(ValueError, match="x has 1 values for 2 elements"):
        tensor(tmp_path, f"{given}FLOAT value_f: 1")
    with pytest.raises(ValueError, match="dtype COLOUR"):
        tensor(tmp_path, f"{given}COLOUR")
    with pytest.raises(ValueError, match="the distribution ODD is not known"):
        tensor(tmp_path, f"{given}FLOAT random_data {{ distribution: ODD }}")


def test_measures():
    result, reference = np.array([1.0, 2.5, -4.0], np.float32), np.array([1.0, 2.0, -3.0], np.float32)
    assert measure("diff1", result, reference) == pytest.approx(1.5 / 6)
    assert measure("diff2", result, reference) == pytest.approx(math.sqrt(1.25 / 14))
    assert measure("diff3", result, reference) == pytest.approx(1 / 3)
    assert measure("diff3_2", result, reference) == 1
    assert measure("diff4", np.arange(1000.0), np.arange(1000.0) + 1) == 0.5
    # Below a small number the difference itself counts; it is larger for halves.
    small = np.array([2e-5], np.float32)
    assert measure("diff3", small, small * 2) == pytest.approx(0.5, rel=1e-3)
    assert measure("diff3", small.astype(np.float16), (small * 2).astype(np.float16)) == pytest.approx(2e-5, rel=0.01)


def test_measures_of_what_is_not_finite():
    bad, good = np.array([np.nan, 1.0]), np.array([2.0, 1.0])
    assert measure("diff1", bad, good) == math.inf
    assert measure("diff1", good, bad) == math.inf
    assert measure("diff1", bad, bad) == 0
    assert measure("diff3", np.array([np.inf, 1.0]), np.array([np.inf, 1.0])) == 0
    assert measure("diff3", np.array([np.inf]), np.array([-np.inf])) == math.inf
    with pytest.raises(ValueError, match=r"shape \[1\], the result \[2\]"):
        measure("diff1", good, np.zeros(1))


def run(tmp_path, capsys, *more, files=(), text=SCALE, entry="vecScale", reference="right", folder=FOLDER):
    (tmp_path / "case.prototxt").write_text(text)
    place = reference if ":" in reference else f"{tmp_path / 'refs.py'}:{reference}"
    (tmp_path / "refs.py").write_text(
        "def right(inputs, params, outputs): return inputs['first'] * params['factor']\n"
        "def wrong(inputs, params, outputs): return {'result': inputs['first'] * 2}\n"
        "def near(inputs, params, outputs): return {'result': inputs['first'] * params['factor'] * 1.00001}\n"
        "def broken(inputs, params, outputs): return 1 / 0\n"
        "def own(inputs, outputs, params):\n"
        "    return {'x': inputs['first'], 'y': outputs['result'], 'factor': params['factor']}\n"
    )
    sources = [str(folder / name) for name in ("vec.cpp", "vec_kernels.mlu")]
    code = main(
        ["cases", str(tmp_path / "case.prototxt"), *map(str, files), "--sources", *sources, "-I", str(folder),
         "--entry", entry, "--reference", place, "--json", *more]
    )  # fmt: skip
    return code, document(capsys.readouterr().out, "cases")


def test_a_case_passes(tmp_path, capsys):
    code, found = run(tmp_path, capsys, "--junit", str(tmp_path / "junit.xml"))
    (case,) = found["cases"]
    assert (code, case["result"], found["summary"]) == (0, "passed", {"passed": 1})
    assert [(entry["output"], entry["measure"], entry["value"]) for entry in case["diffs"]] == [
        ("result", "diff1", 0.0), ("result", "diff3", 0.0),
    ]  # fmt: skip
    assert case["time_us"] > 0
    assert case["findings"] == []
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite[0].get("classname")) == ("1", "0", "scale")


def test_a_result_that_is_too_far_off_fails(tmp_path, capsys):
    files = ["--junit", str(tmp_path / "junit.xml"), "--report", str(tmp_path / "r.html")]
    code, found = run(tmp_path, capsys, *files, reference="wrong")
    (case,) = found["cases"]
    head = read(tmp_path / "r.html").head
    assert [launch["name"].partition(":")[0] for launch in head["launches"]] == ["case"]
    assert (head["tables"][0][0], head["tables"][0][2][0][0]) == ("Cases", "scale/case")
    assert [finding["rule"] for finding in head["findings"]] == ["wrong-result"]
    assert (code, case["result"]) == (1, "failed")
    assert case["why"] == "diff1 of result is 0.25, the limit 1e-06"
    failure = ElementTree.parse(tmp_path / "junit.xml").getroot()[0][0]
    assert (failure.tag, failure.get("message")) == ("failure", case["why"])
    assert [finding["rule"] for finding in case["findings"]] == ["wrong-result"]
    assert case["findings"][0]["message"].startswith("15 wrong elements among the 15 of y: y[0, 0] is ")
    steps = [(step["instruction"], step["taken"]) for step in case["findings"][0]["trail"]]
    assert steps[:2] == [("__bang_mul_scalar", []), ("__memcpy", ["x[0, 0]"])]
    assert {instruction for instruction, _ in steps[2:]} == {"scalar code"}


def test_warnings_fail_a_case_if_that_is_asked(tmp_path, capsys):
    for file in FOLDER.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    kernels, slip = tmp_path / "vec_kernels.mlu", "__bang_count(tile + TILE - 64, 64);\n  __bang_mul_scalar("
    kernels.write_text(kernels.read_text().replace("__bang_mul_scalar(", slip, 1))
    assert run(tmp_path, capsys, folder=tmp_path)[0] == 0
    code, found = run(tmp_path, capsys, "--strict", folder=tmp_path)
    (case,) = found["cases"]
    assert (code, case["result"]) == (1, "failed")
    assert case["why"].startswith("uninitialized: reads ")
    assert run(tmp_path, capsys, "--strict")[0] == 0  # without the slip


def test_small_differences_of_all_elements_are_traced_too(tmp_path, capsys):
    code, found = run(tmp_path, capsys, reference="near")
    (case,) = found["cases"]
    assert (code, case["result"], len(case["findings"])) == (1, "failed", 1)
    assert case["findings"][0]["limit"].startswith("1e-06 ")


@pytest.mark.parametrize(
    ("text", "reference", "result", "why"),
    [
        (SCALE, "broken", "error", "the reference failed: ZeroDivisionError"),
        (SCALE.replace("DTYPE_FLOAT", "DTYPE_INT32"), "right", "failed", "vecScale returned VEC_STATUS_BAD_PARAM"),
        (SCALE.replace("factor", "share"), "right", "error", "vecScale needs factor"),
        (SCALE + 'input { id: "more" shape { dims: 1 } } input { id: "much" shape { dims: 1 } }', "right", "error",
         "no parameter left for it"),
        (SCALE.partition("test_param")[0], "right", "error", "the case names no measure"),
        (SCALE.replace("DIFF3", "DIFF9"), "right", "error", "the measure diff9 is not known"),
    ],
)  # fmt: skip
def test_a_case_that_cannot_pass_says_why(tmp_path, capsys, text, reference, result, why):
    code, found = run(tmp_path, capsys, text=text, reference=reference)
    (case,) = found["cases"]
    assert (code, case["result"]) == (1, result)
    assert why in case["why"]


def test_a_reference_in_cpp(tmp_path, capsys):
    source = FOLDER / "references.cpp"
    code, found = run(tmp_path, capsys, reference=f"{source}:right")
    assert (code, found["cases"][0]["result"]) == (0, "passed")
    code, found = run(tmp_path, capsys, "--set", "factor=4", reference=f"{source}:wrong")
    assert (code, found["cases"][0]["why"]) == (1, "diff1 of result is 1, the limit 1e-06")
    code, found = run(tmp_path, capsys, reference=f"{source}:dies")
    assert (code, found["cases"][0]["why"]) == (1, "the reference failed: RuntimeError: dies ended with SIGSEGV")
    code, found = run(tmp_path, capsys, reference=f"{source}:own")
    assert code == 2
    assert "has no function 'own' that others can call; it has changes, dies, minus, pairs, right" in json.dumps(found)


def test_the_cpu_function_of_a_class_as_a_reference(tmp_path, capsys):
    """The example of docs/operators.md: a file of a test frame, unchanged, and a header in the frame's place."""
    example = ROOT / "docs" / "examples" / "cpu_reference"
    assert (example / "right.cpp").read_text() in (ROOT / "docs" / "operators.md").read_text()
    code, found = run(tmp_path, capsys, "-I", str(example), reference=f"{example / 'right.cpp'}:right")
    assert (code, found["cases"][0]["result"], found["cases"][0]["diffs"][0]["value"]) == (0, "passed", 0)


@pytest.fixture(scope="module")
def reference():
    device = Device.load("mlu370-x4")

    def made(name, names=(), **more):
        source, options = FOLDER / "references.cpp", Options.of([], [], [], None)
        return NativeReference(source, name, options, device, dict(names), more)

    return made


def test_arguments_of_a_reference_in_cpp(reference):
    x = np.array([[1, -2, 4], [0.5, 1, 2]], np.float16)
    signs = np.array([[1, -1, 1], [1, 1, 1]], np.float16)
    outputs = {"total": np.ones(2, np.float32), "any": np.ones(2, bool)}
    rows = reference("rows", {"up": "way"}, scales=[10, 100])
    found = rows({"first": x, "second": signs}, {"up": "WAY_DOWN"}, outputs)
    assert found["total"].tolist() == [300, 350]
    assert found["any"].tolist() == [True, False]
    assert found["any"].dtype == bool
    halves = reference("rows", way=0, scales=[1, 1])({"first": x, "second": signs}, {}, {**outputs, "total": x[:, 0]})
    assert (halves["total"].dtype, halves["total"].tolist()) == (np.float32, [3, 3.5])
    z = np.array([1 + 2j, 3 - 4j], np.complex64)
    assert reference("pairs")({"other": z[::-1]}, {}, {"w": z})["w"].tolist() == [3 + 4j, 1 - 2j]
    both = reference("minus")(
        {"b": np.float32([1, 2]), "other": np.float32([5, 7])}, {}, {"out": np.zeros(2, np.float32)}
    )
    assert both["out"].tolist() == [4, 5], "what has a name goes before what comes in order"


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("right", {}, "the case has no number factor; --set factor=VALUE gives one: void right("),
        ("three", {}, "the case has no tensor left for argument_1: void three("),
        ("wide", {}, "first points to const int8_t, and the case's tensor is of float32"),
        ("right", {"factor": "fast"}, "factor is 'fast'; pass a number"),
        ("wrong", {"second": 1}, "no parameter is for the output second: int wrong("),
        ("changes", {}, "first is an input, and not const: void changes("),
    ],
)
def test_a_reference_in_cpp_that_does_not_fit(reference, name, given, said):
    x = np.ones(3, np.float32)
    outputs = {"result": x, **{key: x for key in given if key == "second"}}
    with pytest.raises((ValueError, TypeError), match=re.escape(said)):
        reference(name)({"first": x}, given, outputs)


def test_an_input_without_elements_needs_no_parameter(tmp_path, capsys):
    code, found = run(tmp_path, capsys, text=SCALE + 'input { id: "NULL" shape { dims: 0 } }')
    assert (code, found["cases"][0]["result"]) == (0, "passed")


def test_tensors_without_a_descriptor_come_last(tmp_path):
    """The place of a count of results has none in many libraries; a workspace is no tensor of the case."""
    void = Type("other", "void", constant=True)
    desc, data, place = Type("opaque", "vecTensorDescriptor_t"), Type("pointer", to=void), Type("pointer")
    kinds = {"size": place, "workspace": place, "x_desc": desc, "x": data, "kept_desc": desc, "kept": place}
    function = Function("vecKeep", "vecKeep", None, tuple(CParameter(name, kind) for name, kind in kinds.items()))
    (tmp_path / "case.prototxt").write_text(SCALE + 'output { id: "more" shape { dims: 1 } }')
    case = read_case(tmp_path / "case.prototxt")
    x, *outputs = (HostTensor(np.zeros(3), "ARRAY") for _ in range(3))
    given = bind(case, function, [x], outputs)
    assert [given[name] for name in ("x", "kept", "size")] == [x, *outputs]


@pytest.mark.parametrize("id", ["x", "other"])
def test_a_tensor_that_is_changed_in_place_is_an_input_and_an_output(tmp_path, id):
    desc, data = Type("opaque", "vecTensorDescriptor_t"), Type("pointer")
    function = Function("vecStep", "vecStep", None, (CParameter("x_desc", desc), CParameter("x", data)))
    (tmp_path / "case.prototxt").write_text(SCALE.replace('"first"', f'"{id}"'))
    case = read_case(tmp_path / "case.prototxt")
    before, after = HostTensor(np.arange(3.0), "ARRAY"), HostTensor(np.zeros(3), "ARRAY")
    assert bind(case, function, [before], [after])["x"] is after
    assert after.array.tolist() == [0, 1, 2], "the function begins with what the input holds"
    with pytest.raises(ValueError, match=r"has a tensor (result|other) and the function no parameter left"):
        bind(case, function, [before], [HostTensor(np.zeros(4), "ARRAY")])


def test_what_kernels_print_is_not_in_the_document(tmp_path, capsys):
    code, found = run(tmp_path, capsys, "-D", "SAYS")
    assert (code, found["summary"]) == (0, {"passed": 1})


def test_cases_in_several_processes_come_to_the_same(tmp_path, capsys):
    """A case that ends its process is an error; the others, before and behind it, are not."""
    files = [tmp_path / f"{name}.prototxt" for name in ("good", "deadly", "late")]
    for path, factor in zip(files, (2.5, 13, 4), strict=True):
        path.write_text(SCALE.replace("2.5", str(factor)))
    (tmp_path / "deadly.py").write_text(
        "import multiprocessing, os\n"
        "def right(inputs, params, outputs):\n"
        "    if params['factor'] == 13 and multiprocessing.parent_process(): os._exit(1)\n"
        "    return inputs['first'] * params['factor']\n"
    )

    def outcomes(*more):
        code, found = run(tmp_path, capsys, *more, files=files, reference=f"{tmp_path / 'deadly.py'}:right")
        return code, [{**case, "wall_s": 0, "time_us": round(case["time_us"], 6)} for case in found["cases"]]

    code, one = outcomes()
    assert (code, [Path(case["case"]).stem for case in one]) == (0, ["case", "good", "deadly", "late"])
    code, two = outcomes("--workers", "2", "--report", str(tmp_path / "r.html"))
    assert code == 1
    assert [*two[:2], two[3]] == [*one[:2], one[3]]
    assert (two[2]["result"], two[2]["why"]) == ("error", "its process died 3 times")
    launches = [launch["name"].partition(":")[0] for launch in read(tmp_path / "r.html").head["launches"]]
    assert launches == ["case", "good", "late"]


def test_names_that_differ_are_bound(tmp_path, capsys):
    text = SCALE.replace("factor", "share")
    code, found = run(tmp_path, capsys, "--bind", "share=factor", text=text, reference="wrong")
    assert (code, found["cases"][0]["result"]) == (1, "failed")
    code, found = run(tmp_path, capsys, "--set", "factor=2.0", text=text, reference="wrong")
    assert (code, found["cases"][0]["result"]) == (0, "passed")
    code, found = run(tmp_path, capsys, "--arguments", f"{tmp_path / 'refs.py'}:own")
    assert (code, found["cases"][0]["result"]) == (0, "passed")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--entry", "vecScal"], "no source defines vecScal (did you mean 'vecScale'?)"),
        (["--reference", "nowhere.py:f"], "nowhere.py: no such file"),
        (["--bind", "x"], "--bind x is no NAME=PARAMETER"),
        (["--set", "=1"], "--set =1 is no PARAMETER=VALUE"),
        (["--workers", "0"], "--workers must be above zero"),
    ],
)
def test_wrong_use_is_one_sentence(tmp_path, capsys, more, said):
    code, found = run(tmp_path, capsys, *more)
    assert code == 2
    assert said in found["error"]["message"] if isinstance(found["error"], dict) else said in found["error"]


def test_a_file_that_is_no_case(tmp_path, capsys):
    code, found = run(tmp_path, capsys, text="op_name: 'x'")
    assert code == 2
    assert "it is no test case" in json.dumps(found)
