"""Parts of the runtime that fewer programs use: `programs/further.mlu`, one scenario for each test."""

import re
import subprocess
from pathlib import Path

import pytest
from mlusim.simulator.host.programs.cncc import main
from mlusim.simulator.host.programs.program import build_program, run_program
from mlusim.simulator.host.programs.runtime import host_libraries
from mlusim.simulator.host.programs.toolkit import write_toolkit
from mlusim.simulator.kernelc.options import Options
from mlusim.simulator.native import INCLUDE
from mlusim.simulator.native.compiler import Compiler

from tests.support.sources import line_of

HERE = Path(__file__).parent / "programs"
SOURCE = HERE / "further.mlu"
HEADERS = INCLUDE / "bang"
#: cnrtRet_t
ARGUMENT, UNSUPPORTED, NO_MEMORY, CAPTURING, INVALIDATED = 100006, 100050, 100100, 100360, 100361


@pytest.fixture(scope="module")
def program(device) -> Path:
    return build_program([SOURCE, HERE / "kernels.mlu"], Options.of([], [], [], None), device)


#: The last of each run of numbers of the driver's names, as the public header has them.
NUMBERS = {
    "CN_ERROR_ECC_UNCORRECTABLE": 100016, "CN_OPS_ERROR_OUT_OF_RESOURCES": 100053, "CN_INVOKE_ERROR_ASSERT": 100128,
    "CN_INVOKE_ERROR_NEGATIVE_INF": 100138, "CN_FATBIN_INVALID_ARCH": 101315, "CN_NCS_ACK_DESC_NOT_MATCH": 101427,
    "CN_ERROR_QUEUE_CAPTURE_UNMATCHED": 100366, "CN_TCDP_ACK_TCDP_FATAL_ERROR": 101455, "CN_NCS_DESC_INVALID": 101805,
    "CN_NCS_QP_IS_INJECTING_ERROR": 101626, "CN_TCDP_UNSUPPORT": 101706, "CN_DEVICE_ATTRIBUTE_COMPUTE_MODE": 9,
    "CN_DEVICE_ATTRIBUTE_IPCNOTIFIER_SUPPORTED": 0x10A, "CN_DEVICE_ATTRIBUTE_IPCRESOURCE_PER_CTX": 0x20C,
    "CN_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED": 0x313, "CN_DEVICE_ATTRIBUTE_PCI_MRRS": 0x40B,
    "CN_MEM_ATTRIBUTE_IS_LEGACY_IPC_CAPABLE": 0x19, "CN_MEMPOOL_ATTR_USED_MEM_HIGH": 8, "sizeof(CNdev)": 8,
    "cnrtErrorInvalidSymbol": 632100,
    "CN_INVOKE_ATTRIBUTE_PROGRAMMATIC_QUEUE_SERIALIZATION": 4, "CN_KERNEL_ATTRIBUTE_BINARY_VERSION": 4,
}  # fmt: skip

#: What each scenario prints, and the rules and marks of its findings.
SCENARIOS = {
    "copies": ("0 0 0 1 32 0 1 0 1 32 0 0 0 1", []),
    "devices": ("0 1 1 0 0 4096 0 0 1 1", []),
    "pools": (
        f"0 0 0 0 0 1 0 0 {NO_MEMORY} 0 0 0 4096 4096 0 0 0 0 {ARGUMENT}",
        [("failed-call", "too much"), ("failed-call", "the default one")],
    ),
    "queues": ("0 0 0 0 3", []),
    "host": (
        f"0 {ARGUMENT} 1 {ARGUMENT} 0 0 0 8 0",
        [("failed-call", "registered twice"), ("host-pointer", "the program's own")],
    ),
    "driver": ("0 0 0 0 0 0 0 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0 101 100014", [("failed-call", "after its end")]),
    "memory": (
        f"0 1 0 0 0 0 0 0 0 0 0 0 7 -1 0 7 -1 0 0 7 0 0 0 0 0 0 0 {CAPTURING} 1 {INVALIDATED} 0 0 0 0 0 0 0 0 0 9 0 0",
        [("failed-call", "while it is captured"), ("failed-call", "after that")],
    ),
    "first": (
        f"0 0 2 {ARGUMENT} 0 0 8 0 1 0 4 8 1 21 0 4 21 0 1 {ARGUMENT} 0 0 1.5 2 0 0 0 0 0 0 0 2",
        [("failed-call", "of channels"), ("failed-call", "of an axis")],
    ),
    "absent": (
        f"{UNSUPPORTED} {UNSUPPORTED} {UNSUPPORTED}",
        [("not-modelled", "by its name"), ("not-modelled", "of topologies"), ("not-modelled", "of the driver")],
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_further_parts(program, device, capfd, name):
    out, expected = SCENARIOS[name]
    code, (report,) = run_program(program, [name], [device])
    assert (code, capfd.readouterr().out.split()) == (0, out.split())
    found = [(finding.rule, finding.location.line) for finding in report.findings]
    assert found == [(rule, line_of(SOURCE, f"// {re.escape(mark)}$")) for rule, mark in expected]
    if name == "absent":
        assert report.findings[0].message == "cnrtGetSymbolSize is declared but not modelled"
        assert report.findings[2].message == "cnMemCreate is declared but not modelled"


def test_kernels_of_modules(program, device, capfd, tmp_path):
    write_toolkit(tmp_path / "sdk", [device.name])
    module = tmp_path / "kernels.cnfatbin"
    words = ["--bang-fatbin-only", "-o", str(module), str(HERE / "kernels.mlu")]
    assert main([device.name, str(tmp_path / "sdk" / "lib64"), *words]) == 0
    code, (report,) = run_program(program, ["modules", str(module)], [device])
    out = "1 0 100012 101313 0 0 100301 0 0 0 0 0 0 0 100200 0 100050 "
    out += "0 0 0 0 0 0 0 0 0 1 0 0 0 0 100006 0 0 0 100014 0 0 0 6 0 27 1 1"
    assert (code, capfd.readouterr().out.split()) == (0, out.split())
    found = [(finding.rule, finding.location.line) for finding in report.findings]
    marks = [("argument", "three of four"), ("not-modelled", "packed")]
    assert found == [(rule, line_of(SOURCE, f"// {mark}$")) for rule, mark in marks]


def test_headers_are_c_and_every_function_has_a_body(tmp_path):
    """All that is declared is defined: each function of the headers is taken, and a C compiler reads them."""
    headers = ("cnrt.h", "mlusim_cnrt_unmodelled.h", "cn_api.h", "mlusim_cn_unmodelled.h", "cndev.h")
    twins = re.findall(r"^MLUSIM_TWIN\((\w+), ", (HEADERS / "mlusim_topologies.h").read_text(), re.M)
    text = "".join((HEADERS / name).read_text() for name in headers)
    names = set(re.findall(r"\b((?:cnrt|cn|cndev)[A-Z]\w*)\(", text)) | set(re.findall(r"UNMODELLED\((\w+), ", text))
    names |= {f"{library}{name}" for name in twins for library in ("cnrt", "cn")}
    names -= {"cndevCheckErrors", "name"}
    assert len(names) > 370
    source = tmp_path / "all.c"
    listed = "\n".join(f"(void*){name}," for name in sorted(names))
    includes = '#include "cnrt.h"\n#include "cn_api.h"\n#include "cndev.h"\n#include <stdlib.h>\n'
    numbers = "".join(f'_Static_assert({name} == {number}, "");\n' for name, number in NUMBERS.items())
    source.write_text(f"{includes}{numbers}void* all[] = {{{listed}}};\n")
    done = Compiler().run(["-x", "c", "-std=c11", "-fsyntax-only", f"-I{HEADERS}", str(source)], tmp_path)
    assert not done.returncode, done.messages
    libraries = [path for name, path in host_libraries(Compiler()).items() if name != "libcnnl.so"]
    shown = subprocess.run(["nm", "-D", "--defined-only", *libraries], capture_output=True, text=True, check=True)
    assert names - {line.split()[-1] for line in shown.stdout.splitlines() if line} == set()
