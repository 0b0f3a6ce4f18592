"""Arguments by name: parameters, structures and their members, enumerations, and templates that arguments tell."""

import re

import ml_dtypes
import numpy as np
import pytest
from mlusim.simulator import Device, load
from mlusim.simulator.cli import main

from tests.support.paths import KERNELS_C, ROOT

SOURCE = KERNELS_C / "structures.mlu"
MEMBERS = r"int base; int n; float \*data; Inner inner\[2\]; Mode mode; Kind kind"
KERNEL = "by_value(double *out, ns::Param<float> p, Mode m, Kind k, half h)"


def test_members_parameters_and_enumerators_by_name(program):
    out = np.zeros(16)
    data = np.array([1, 2.5], np.float32)
    param = {
        "base": 11, "n": np.int64(12), "data": data, "inner": [{}, {"h": 1.5, "b": -3, "v": [1, 2, 3]}],
        "mode": "SLOW", "kind": "Kind::B", "real": 0.25, "name": "hi", "flag": True, "d": 0.1,
        "list": {"value": 5, "next": {"value": 6}},
    }  # fmt: skip
    expected = [11, 12, 2.5, 1.5, -3, 3, -1, 200, 0.25, ord("i"), 1, 0.1, 6, 3, 0, 0.5]
    program.launch("by_value", args={"h": 0.5, "k": "A", "m": "FAST", "p": param, "out": out})
    assert out.tolist() == expected
    made = program.structs["ns::Param<float>"](**param)
    program.launch("by_value", args=[out, made, -1, 200, 2])
    assert out.tolist() == [*expected[:13], -1, 200, 2]


def test_members_that_are_not_given_are_zero(program):
    out = np.full(16, np.nan)
    program.launch("by_value", args=[out, {}, 0, 0, 0])
    assert out.tolist() == [0, 0, -7, 0, 0, 0, 0, 0, 0, 0, 0, 0, -7, 0, 0, 0]


def test_structures_by_pointer(program):
    nodes = np.zeros(2, program.structs.Node.dtype)
    nodes["value"] = 7
    out, data = np.zeros(1, np.float32), np.array([2], np.float32)
    program.launch("by_pointer", args=[{"n": 4, "data": data}, out, nodes])
    assert (out[0], nodes["value"].tolist()) == (8, [7, 8])
    held = program.device.array(data)
    before = [entry.start for entry in program.device.memory.memory.allocations()]
    program.launch("by_pointer", args=[{"n": 5, "data": held}, out, [{"value": 3}, {}]])
    assert out[0] == 10
    assert [entry.start for entry in program.device.memory.memory.allocations()] == before


def test_a_structure_is_an_array_type_of_numpy(program):
    kind = program.structs["Param<float>"]
    dtype = kind.dtype
    assert dtype.itemsize == kind.layout.bytes
    assert dtype["inner"].subdtype == (program.structs.Inner.dtype, (2,))
    assert program.structs.Inner.dtype["b"] == ml_dtypes.bfloat16
    assert (dtype["kind"], dtype["mode"], dtype["data"]) == (np.uint8, np.int32, np.uint64)
    value = np.zeros((), dtype)
    value["n"], value["real"] = 3, 0.5
    out = np.zeros(16)
    program.launch("by_value", args=[out, value.tobytes(), 0, 0, 0])
    assert (out[1], out[8]) == (3, 0.5)


def test_a_pointer_to_bytes_takes_any_array(program):
    source, target = np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
    program.launch("bytes", args=[target, source, 24])
    np.testing.assert_array_equal(target, source)


WRONG = [
    ("by_value", [1], "takes 5 arguments; 1 were given"),
    ("by_value", {"p": {}}, "no value for out and m and k and h"),
    ("by_value", {"q": {}}, "no parameter 'q'"),
    ("by_value", [None, {"m": 1}, 0, 0, 0], rf"has no member 'm'; it is Param<float> {{{MEMBERS}"),
    ("by_value", [None, {"modes": 1}, 0, 0, 0], "did you mean 'mode'"),
    ("by_value", [None, {"bits": 1}, 0, 0, 0], "Param<float>.bits is a bit-field"),
    ("by_value", [None, {"inner": [{}, {}, {}]}, 0, 0, 0], "an array of 2; 3 elements"),
    ("by_value", [None, {"inner": 3}, 0, 0, 0], "an array of 2; pass a list, not int"),
    ("by_value", [None, {"inner": [{"v": [1 << 15]}]}, 0, 0, 0], "element 0 of v in element 0 of inner in argument 1"),
    (
        "by_value",
        [None, {"data": np.zeros(1, np.int32)}, 0, 0, 0],
        "data in argument 1 .* has dtype int32, pass float32",
    ),
    ("by_value", [None, {"data": {}}, 0, 0, 0], "data in argument 1 of by_value is a pointer"),
    ("by_value", [None, b"123", 0, 0, 0], "a structure of 80 bytes; 3 were given"),
    ("by_value", [None, {}, "SLOWW", 0, 0], "is one of FAST, SLOW; 'SLOWW' is none"),
    ("by_value", [None, {}, 0, 256, 0], "argument 3 of .* is of type uint8, which cannot hold 256; pass 0 to 255"),
    ("by_value", [None, {}, 0, 0, "x"], "argument 4 of by_value is of type half; pass a number, not 'x'"),
]


@pytest.mark.parametrize(("kernel", "args", "words"), WRONG)
def test_wrong_arguments_print_what_is_expected(program, kernel, args, words):
    with pytest.raises(TypeError, match=words) as caught:
        program.launch(kernel, args=args)
    assert KERNEL in str(caught.value)


def test_another_structure_is_refused(program):
    with pytest.raises(TypeError, match=r"argument 1 .* is Param<float> .*; ns::Node was given"):
        program.launch("by_value", args=[None, program.structs.Node(value=1), 0, 0, 0])
    with pytest.raises(TypeError, match=r"ns::Node has no member 'valu' \(did you mean 'value'"):
        program.structs.Node(valu=1)
    with pytest.raises(AttributeError, match=r"no structure 'Nod' .*ns::Node"):
        _ = program.structs.Nod


def test_signatures(program):
    assert program.signatures["by_value"] == KERNEL
    assert program.signatures["fill<...>"] == "fill<typename T, int N = 4>(T *out, T value)"
    assert list(program.signatures) == program.kernels


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.int32, np.uint8, np.int64])
def test_a_template_is_deduced_from_its_arrays(program, dtype):
    out = np.zeros(6, dtype)
    program.launch("fill", args=[out, 3])
    assert out.tolist() == [3, 3, 3, 3, 0, 0]


def test_templates_that_arguments_tell(program):
    arrays = [np.zeros(2, dtype) for dtype in (np.float32, np.int8, np.float16)]
    program.launch("fill_all", args=[9, *arrays])
    assert [array.tolist() for array in arrays] == [[9, 0]] * 3
    source = program.device.array(np.arange(4, dtype=np.int16))
    for name in ("scaled", "scaled<float>", "scaled<float, int16_t>"):
        out = np.zeros(4, np.float32)
        program.launch(name, args={"out": out, "in": source, "factor": 0.5, "n": 4})
        assert out.tolist() == [0, 0.5, 1, 1.5]


@pytest.mark.parametrize(
    ("kernel", "args", "words"),
    [
        ("fixed", [None], r"name its arguments, as in fixed<64>: .* do not tell N"),
        ("fill", [None, None], r"name its arguments, as in fill<float>: .* do not tell T"),
        ("fill", [np.zeros(4, np.float16), np.float32(1)], r"half \(argument 0\) and float \(argument 1\)"),
    ],
)
def test_templates_that_arguments_do_not_tell(program, kernel, args, words):
    with pytest.raises(ValueError, match=words):
        program.launch(kernel, args=args)


def test_the_example_of_the_documentation():
    page = (ROOT / "docs" / "kernels.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```python\n(import numpy as np\n[^`]*window.mlu[^`]*)```", page)
    folder = ROOT / "docs" / "examples"
    found: dict = {}
    exec(text.replace('"window.mlu"', f'"{folder / "window.mlu"}"'), found)
    (shown,) = re.findall(r"y\[:4\]  # (.*)", text)
    assert shown == "[4, 6, 8, 0]"
    assert found["y"].tolist() == [0, 6, 8, 0, 0, 0, 0, 0]  # the second launch has changed the first element
    (signatures,) = re.findall(r"program.signatures  # (.*)", text)
    assert found["program"].signatures == eval(signatures)


HOSTILE = """\
#include <bang.h>
struct Param { int n; };
__mlu_entry__ void k(float *out, Param p) { out[0] = p.n; }
asm(".section .debug_abbrev\\n .zero 64, 0x55\\n .section .debug_info\\n .zero 256, 0xaa\\n .text");
"""


def test_debug_information_that_makes_no_sense(program, tmp_path):
    path = tmp_path / "hostile.mlu"
    path.write_text(HOSTILE)
    hostile, out = load([path], device=program.device), np.zeros(1, np.float32)
    hostile.launch("k", args=[out, np.int32(3).tobytes()])
    assert out[0] == 3
    assert list(hostile.structs) == []
    with pytest.raises(
        TypeError, match="argument 1 of k is a structure of 4 bytes whose members are unknown; pass bytes"
    ):
        hostile.launch("k", args=[out, {"n": 3}])


#: Headers beside the vendor's name types that its own has too.
BLOCK = """\
typedef unsigned long long u64;
typedef long long s64, i64;
#include "tpu_kernel.h"
typedef struct { unsigned long long out, in; int n; } args_t;
typedef struct { unsigned short before; unsigned long long out, in; int n; } __attribute__((packed)) packed_t;
static void add_one(const args_t *a) {
  const int *from = (const int *)tpu_global_mem_addr(a->in);
  int *to = (int *)tpu_global_mem_addr(a->out);
  for (int i = 0; i < a->n; ++i) to[i] = from[i] + 1;
}
void copy(const void *data);  /* declared first, (const dim4 *)data is not its */
void copy(const void *data) { add_one((const args_t *)data); }
void implicit(const void *args) { const packed_t *const a = args; args_t b = {a->out, a->in, a->n}; add_one(&b); }
int by_value(const void *args) { const args_t a = *(args_t *)args; add_one(&a); return 0; }
void elsewhere(const void *args) { add_one(args); }
TPUKERNEL_FUNC_REGISTER(copy);
TPUKERNEL_FUNC_REGISTER(implicit);
TPUKERNEL_FUNC_REGISTER(by_value);
TPUKERNEL_FUNC_REGISTER(elsewhere);
"""


def test_a_block_of_arguments_of_a_tpu(tmp_path):
    """A source of functions alone need not include the vendor's header."""
    path, beside = tmp_path / "copy.c", tmp_path / "next.c"
    path.write_text("int next(int);\n" + BLOCK.replace("from[i] + 1", "next(from[i])"))
    beside.write_text("int next(int value) { return value + 1; }\n")
    program = load([path, beside], device=Device.load("bm1684x"))
    source, out = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    run = program.launch("copy", args=program.structs.args_t(out=out, **{"in": source}, n=4), on_finding="collect")
    assert [finding.rule for finding in run.findings if finding.rule not in ("cache", "empty")] == []
    assert out.tolist() == [1, 2, 3, 4]


def test_a_block_of_arguments_is_given_by_the_names_of_its_members(tmp_path, capsys):
    path, source, out = tmp_path / "copy.c", np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    path.write_text(BLOCK)
    program = load([path], device=Device.load("bm1690"))
    for kernel in ("copy", "implicit", "by_value"):
        out[:] = 0
        args = {"out": out, "in": source, "n": 4}
        program.launch(kernel, dim=(1, 1, 1), args=args, on_finding="collect", expect={"out": source + 1})
        assert out.tolist() == [1, 2, 3, 4]
        program.launch(kernel, dim=(1, 1, 1), args=[{key: args[key] for key in ("out", "in")}])  # n is 0
    assert program.signatures["implicit"] == "implicit(const packed_t *)"
    with pytest.raises(TypeError, match=r"args_t has no member 'm'; it is args_t \{uint64_t out"):
        program.launch("copy", args={"m": 1})
    with pytest.raises(TypeError, match=r"'elsewhere' does not say .*pass one by its name, as in program.structs"):
        program.launch("elsewhere", args={"n": 1})
    with pytest.raises(ValueError, match="no kernel 'cop'; the kernels of this program are copy, implicit"):
        program.launch("cop", args={"n": 1})
    np.save(tmp_path / "in.npy", source)
    saved = tmp_path / "out.npy"
    command = ["run", str(path), "--device", "bm1690", "--dim", "1", "--kernel", "implicit", "--save", f"out={saved}"]
    main([*command, "--arg", "out=zeros:int32:4", f"in={tmp_path / 'in.npy'}", "n=4", "--collect"])
    assert np.load(saved).tolist() == [1, 2, 3, 4]


def test_the_command_takes_a_value_of_an_enumeration_by_its_name(tmp_path, capsys):
    path, saved = tmp_path / "mode.mlu", tmp_path / "x.npy"
    path.write_text("enum Way { SUM, PRODUCT = 5 };\n__mlu_entry__ void mode(int *x, Way m) { x[0] = m; }\n")
    command = ["run", str(path), "--kernel", "mode", "--save", f"x={saved}", "--arg", "x=zeros:int32:1"]
    assert main([*command, "m=PRODUCT"]) == 0
    assert np.load(saved).tolist() == [5]
    capsys.readouterr()
    assert main([*command, "m=PRODUCTS"]) == 2
    assert "argument 1 of mode is one of SUM, PRODUCT; 'PRODUCTS' is none" in capsys.readouterr().err


def test_an_integer_takes_the_name_of_a_value_that_its_source_uses(tmp_path):
    path = tmp_path / "kind.mlu"
    path.write_text("""
        namespace types { enum Kind { HALF = 3, FLOAT = 7, BOTH = 1 }; enum class Other { BOTH = 2 }; }
        struct Job { int kind; };
        __mlu_entry__ void kind(int *x, int k, Job job) {
          x[0] = k == types::FLOAT ? k : types::Kind::BOTH;
          x[1] = job.kind + (int)types::Other::BOTH;
        }
    """)
    program, out = load([path], device=Device.load("mlu370-x4")), np.zeros(2, np.int32)
    program.launch("kind", args=[out, "FLOAT", {"kind": "types::HALF"}])
    assert out.tolist() == [7, 5]
    for name in ("BOTH", "DOUBLE"):  # there are two, and none
        with pytest.raises(TypeError, match=f"pass a number, not '{name}'"):
            program.launch("kind", args=[out, name, {"kind": 1}])
