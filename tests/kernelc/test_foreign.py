"""Code in an image that no compiler has made is found in the assembly, and data is not taken for it."""

import subprocess

import pytest
from mlusim.simulator.kernelc.foreign import marked
from mlusim.simulator.native import FOREIGN
from mlusim.simulator.native.compiler import Compiler

BYTES = "extern const unsigned char code[] = {0xc3};"
#: Source -> whether it has foreign code.
SOURCES = {
    'int x; int f() { asm volatile("" ::: "memory"); return x; }': False,
    'void f() { asm volatile(".pushsection mlusim_ports,\\"a\\"\\n.long 7\\n.popsection"); }': False,
    'asm(".section .rodata\\n.globl d\\nd: .incbin \\"/dev/null\\"\\n.previous");': False,
    "thread_local int t = 3; extern const double q[2] = {1, 2}; int z = 4; int f(int i) { return z + q[i]; }": False,
    'const char* f(int n) { switch (n) { case 1: return "a"; case 2: return "b"; } return ""; }': False,
    'asm("f: ret");': True,
    'asm(".byte 0xc3");': True,
    'asm(".data\\n.text\\n.long 7");': True,
    'asm(".macro call x\\n.endm");': True,
    'asm(".section own, \\"ax\\"; .incbin \\"/dev/null\\"");': True,
    'void f() { asm volatile("nop"); }': True,
    f'__attribute__((section(".text"))) {BYTES}': True,
    f'__attribute__((section("own,\\"ax\\",@progbits#"))) {BYTES}': True,
}  # fmt: skip


@pytest.mark.parametrize("text", SOURCES)
def test_foreign_code_is_found(tmp_path, text):
    (tmp_path / "k.cpp").write_text(text)
    command = [*Compiler().command, "-O2", "-fPIC", "-fdata-sections", "-S", "-o", "k.s", "k.cpp"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assembly = (tmp_path / "k.s").read_bytes()
    assert (FOREIGN.encode() in marked(assembly)) == SOURCES[text]
