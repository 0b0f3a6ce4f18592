"""NaN and infinity born, division by zero, saturated conversions: each found, and near misses silent."""

import json

import numpy as np
import pytest
from mlusim.simulator import Device, launch, load
from mlusim.simulator.checks.at_issue.values import Values
from mlusim.simulator.cli import main

DEVICE = Device.load("mlu590").watched(Values)
PLAIN = Device.load("mlu590")
N = 64
KINDS = {"half": "float16", "float": "float32"}


def kernel(mlu, x, y, out, name, source, target, more):
    a, b, c = mlu.nram(source, N), mlu.nram(source, N), mlu.nram(target, N)
    size, out_size = (np.dtype(KINDS.get(kind, kind)).itemsize for kind in (source, target))
    mlu.__memcpy(a, x, size * N, mlu.GDRAM2NRAM)
    mlu.__memcpy(b, y, size * N, mlu.GDRAM2NRAM)
    getattr(mlu, name)(c, a, *[b if argument == "y" else argument for argument in more])
    mlu.__memcpy(out, c, out_size * N, mlu.NRAM2GDRAM)


def found(name, x, y=1, *, source="float", target="", more=("y", N), device=DEVICE):
    kind, made = (KINDS.get(name, name) for name in (source, target or source))
    arrays = [np.broadcast_to(np.asarray(v, kind), N).copy() for v in (x, y)]
    out = np.zeros(N, made)
    run = launch(kernel, args=[*arrays, out, name, source, target or source, more], device=device)
    return [(f.rule, f.severity, f.operand) for f in run.findings]


ZEROS = np.r_[np.ones(N - 2), 0, 0]


@pytest.mark.parametrize(
    ("name", "x", "y", "options", "rules"),
    [
        ("__bang_div", 1, ZEROS, {}, ["division"]),
        ("__bang_div", 1, -1, {}, []),
        ("__bang_div", 1, ZEROS, {"source": "int32"}, ["division"]),
        ("__bang_rem", 1, 0, {"source": "int32", "more": (0, N)}, ["division"]),
        ("__bang_rem", 1, 0, {"source": "int32", "more": (3, N)}, []),
        ("__bang_recip", ZEROS, 1, {"more": (N,)}, ["number"]),
        ("__bang_sqrt", -ZEROS, 1, {"more": (N,)}, ["number"]),
        ("__bang_sqrt", ZEROS, 1, {"more": (N,)}, []),
        ("__bang_sqrt", [np.nan] + [1] * (N - 1), 1, {"more": (N,)}, []),
        ("__bang_sqrt", [np.nan] + [-1] * (N - 1), 1, {"more": (N,)}, ["number"]),
        ("__bang_mul", 300, 300, {"source": "half"}, ["number"]),
        ("__bang_mul", 200, 300, {"source": "half"}, []),
        ("__bang_sub", np.inf, np.inf, {}, []),
        ("__bang_add_scalar", 1, 1, {"more": (float("inf"), N)}, []),
        ("__bang_float2half_rn", 1e5, 1, {"target": "half", "more": (N,)}, ["number"]),
        ("__bang_float2int16_rn", 32767.4, 1, {"target": "int16", "more": (N, 0)}, []),
        ("__bang_float2int16_rn", 32767.6, 1, {"target": "int16", "more": (N, 0)}, ["conversion"]),
        ("__bang_float2int16_rn", 32767.6, 1, {"target": "int16", "more": (N, 1)}, []),
        ("__bang_float2int8_rn", -128.4, 1, {"target": "int8", "more": (N, 0)}, []),
        ("__bang_float2int8_rn", -129.0, 1, {"target": "int8", "more": (N, 0)}, ["conversion"]),
        ("__bang_float2int_rn", 3e9, 1, {"target": "int32", "more": (N, 0)}, ["conversion"]),
        ("__bang_int2short", 40000, 1, {"source": "int32", "target": "int16", "more": (N, 0, 0)}, ["conversion"]),
        ("__bang_int2short", 40000, 1, {"source": "int32", "target": "int16", "more": (N, 1, 0)}, []),
    ],
)
def test_what_is_found(name, x, y, options, rules):
    blamed = {"division": "src1" if "y" in options.get("more", "y") else "value"}
    expected = [(rule, "warning", blamed.get(rule, "dst")) for rule in rules]
    assert found(name, x, y, **options) == expected
    assert found(name, x, y, **options, device=PLAIN) == [], "off unless asked for"


def test_only_the_instruction_that_makes_it():
    def chain(mlu, x, out):
        a = mlu.nram("float", N)
        mlu.__memcpy(a, x, 4 * N, mlu.GDRAM2NRAM)
        for name in ("__bang_abs", "__bang_log2", "__bang_log2", "__bang_square"):
            getattr(mlu, name)(a, a, N)
        mlu.__memcpy(out, a, 4 * N, mlu.NRAM2GDRAM)

    run = launch(chain, args=[np.full(N, 0.5, np.float32), np.zeros(N, np.float32)], device=DEVICE)
    assert [(f.rule, f.instruction, f.count) for f in run.findings] == [("number", "__bang_log2", 1)]


def test_kernels_in_c_from_a_process_of_their_own(tmp_path):
    source = tmp_path / "half.mlu"
    source.write_text(
        "#include <bang.h>\n"
        "__nram__ float t[64];\n__nram__ half h[64];\n"
        "__mlu_entry__ void narrow(float *x, half *y) {\n"
        "  __memcpy(t, x, sizeof(t), GDRAM2NRAM);\n"
        "  __bang_float2half_rn(h, t, 64);\n"
        "  __memcpy(y, h, sizeof(h), NRAM2GDRAM);\n"
        "}\n"
    )
    program = load([source], device=DEVICE)
    for value, lines in ((65519.0, []), (65520.0, [6])):
        run = program.launch("narrow", args=[np.full(N, value, np.float32), np.zeros(N, np.float16)])
        assert [f.location.line for f in run.findings if f.rule == "number"] == lines


@pytest.mark.parametrize(
    ("options", "rules", "code"),
    [
        ([], set(), 0),
        (["--values"], {"number"}, 1),
        (["--precise"], {"precision"}, 1),
        (["--precise-limit", "inf"], None, 2),
    ],
)
def test_the_options_of_the_command_line(options, rules, code, tmp_path, capsys):
    source = tmp_path / "root.mlu"
    source.write_text(
        "#include <bang.h>\n__nram__ half t[64];\n__mlu_entry__ void grow(half *y) {\n"
        "  __bang_write_value(t, 64, (half)300);\n  __bang_mul(t, t, t, 64);\n"
        "  __memcpy(y, t, sizeof(t), NRAM2GDRAM);\n}\n"
    )
    command = ["check", str(source), "--kernel", "grow", "--arg", "zeros:float16:64", "--format", "json", *options]
    assert main(command) == code
    if rules is not None:
        found = json.loads(capsys.readouterr().out)
        assert {f["rule"] for f in found["findings"]} == rules
