"""Names and parts that no kernel may have: refused when it is built, with the name and the line."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import BuildError, Device, KernelError, Program, load
from mlusim.simulator.kernelc.trust import problem_of_image, problem_of_object
from mlusim.simulator.native.build import threads_runtime
from mlusim.simulator.native.compiler import Compiler
from mlusim.simulator.native.elf import Elf

OWN, USED = "a name of the simulator's own; call what you define otherwise", "own, which kernels may not use"
PORTS = 'asm(".pushsection mlusim_ports, \\"a\\"\\n{}\\n.popsection");'

#: Object -> what is wrong with it, and the name that is to blame.
OBJECTS = {
    'extern "C" void __tsan_write4(void*) {}': (OWN, "__tsan_write4"),
    'extern "C" { static __attribute__((used)) void __tsan_read8(void*) {} }': (OWN, "__tsan_read8"),
    'extern "C" void* __wrap_malloc(unsigned long) { return nullptr; }': (OWN, "__wrap_malloc"),
    'extern "C" void mlusim_issue() {}': (OWN, "mlusim_issue"),
    'int mine asm("mlusim_current");': (OWN, "mlusim_current"),
    'asm(".globl __tsan_write1\\n.set __tsan_write1, 0");': (OWN, "__tsan_write1"),
    'extern "C" void mlusim_connect(...); void k() { mlusim_connect(); }': (USED, "mlusim_connect"),
    'extern "C" void mlusim_time_limit(double); void k() { mlusim_time_limit(0); }': (USED, "mlusim_time_limit"),
    'extern "C" void* mlusim_share(); void* k() { return mlusim_share(); }': (USED, "mlusim_share"),
    'extern int x asm("mlusim_status"); int k() { return x; }': (USED, "mlusim_status"),
    'extern "C" __attribute__((weak)) void mlusim_load(); bool k() { return mlusim_load; }': (USED, "mlusim_load"),
    'extern "C" void simt_begin(); void k() { simt_begin(); }': (USED, "simt_begin"),
    'extern "C" int (*w())() { return 0; } int f() __attribute__((ifunc("w"))); int k() { return f(); }': (
        "is an ifunc", "_Z1fv"),
    'extern "C" void mlusim_release(long, long); void k() { mlusim_release(0, 0); }': ("", ""),
    'extern "C" { int mlusim_mine() { return 1; } void __tsan_init(); void k() { __tsan_init(); } }': ("", ""),
}  # fmt: skip
#: The same where blocks of threads run, whose runtime is in the image.
OF_THREADS = {
    'extern "C" void simt_begin(); void k() { simt_begin(); }': (USED, "simt_begin"),
    "namespace simt { void leave(bool); } void k() { simt::leave(true); }": (USED, "_ZN4simt5leaveEb"),
    'extern "C" void* mlusim_share(); void* k() { return mlusim_share(); }': (USED, "mlusim_share"),
    'extern "C" void mlusim_barrier(int) {}': (OWN, "mlusim_barrier"),
    'extern "C" void mlusim_barrier(int); void k() { mlusim_barrier(0); }': ("", ""),
}
NOWHERE = "PyRun_SimpleString is defined nowhere"
#: Image -> what is wrong with it; all but the last print, and thus use the C library.
IMAGES = {
    'extern "C" int PyRun_SimpleString(const char*); auto k = &PyRun_SimpleString;': NOWHERE,
    'extern "C" __attribute__((weak)) int PyRun_SimpleString(const char*); auto k = &PyRun_SimpleString;': NOWHERE,
    "char big[(1ul << 30) + 1];": "its variables take 1.0 GiB, more than the 1 GiB of a kernel",
    PORTS.format(".byte 1"): "the sections mlusim_ports and mlusim_slots are the simulator's own",
    PORTS.format(".long 1000"): "the sections mlusim_ports and mlusim_slots are the simulator's own",
    PORTS.format(".long 999"): "",
    "char large[1 << 29];": "",
}


def compiled(folder: Path, text: str, *options: str) -> Path:
    source, made = folder / "k.cpp", folder / "k.o"
    source.write_text(text, encoding="utf-8")
    subprocess.run([*Compiler().command, "-O1", "-fPIC", *options, "-o", str(made), str(source)], check=True)
    return made


@pytest.mark.parametrize("text", OBJECTS)
def test_an_object_with_names_of_the_runtime(tmp_path, text):
    problem, name = problem_of_object(compiled(tmp_path, text, "-c"), None)
    what, blamed = OBJECTS[text]
    assert (name, what in problem, bool(problem)) == (blamed, True, bool(what))


@pytest.mark.parametrize("text", OF_THREADS)
def test_an_object_with_names_of_the_runtime_of_threads(tmp_path, text):

    problem, name = problem_of_object(compiled(tmp_path, text, "-c"), threads_runtime(Compiler()))
    what, blamed = OF_THREADS[text]
    assert (name, what in problem, bool(problem)) == (blamed, True, bool(what))


@pytest.mark.parametrize("text", IMAGES)
def test_an_image_with_parts_that_none_may_have(tmp_path, text):
    say = '\n#include <stdio.h>\nvoid say() { puts("a"); }'
    problem = problem_of_image(compiled(tmp_path, text + say, "-shared"), 1000)
    assert problem.startswith(IMAGES[text])
    assert bool(problem) == bool(IMAGES[text])


def test_what_is_no_object_is_a_value_error(tmp_path):
    (tmp_path / "none").write_bytes(b"\x7fELF" + bytes(100))
    with pytest.raises(ValueError, match="is no ELF file"):
        Elf(tmp_path / "none")


HOOK = """#include <bang.h>
extern "C" void __tsan_write4(void *) {}
__mlu_entry__ void k(int *x) { x[5000] = 7; }
"""
UNCHECKED = """#include <bang.h>
#define QUIET __attribute__((no_sanitize("thread")))
QUIET __mlu_func__ void store(int *x) { x[5000] = 7; }
[[gnu::no_sanitize_thread]] __mlu_func__ void store_too(int *x) { x[5001] = 7; }
__mlu_entry__ void k(int *x) { store(x); }
__mlu_entry__ QUIET void j(int *x) { store_too(x); }
"""


def built(device: Device, path: Path, text: str) -> Program:
    path.write_text(text, encoding="utf-8")
    return load([path], device=device)


def test_a_hook_that_a_source_defines_is_named_at_its_line(device, tmp_path):
    with pytest.raises(BuildError, match="__tsan_write4 is a name of the simulator's own") as caught:
        built(device, tmp_path / "k.mlu", HOOK)
    assert caught.value.finding is not None
    where = caught.value.finding.location
    assert (where.file, where.line) == (str(tmp_path / "k.mlu"), 2)


def test_checks_cannot_be_switched_off_by_attributes(device, tmp_path):
    program = built(device, tmp_path / "k.mlu", UNCHECKED)
    for kernel, line in (("k", 3), ("j", 4)):
        with pytest.raises(KernelError, match="bounds: write of 4 bytes at byte 2000") as caught:
            program.launch(kernel, args=[np.zeros(64, np.int32)])
        assert caught.value.finding.location.line == line


def test_no_instruction_has_more_arguments_than_pass_its_door(device):
    from mlusim.isa import DIALECTS, wires

    for dialect in DIALECTS.values():
        for overload in dialect.overloads:
            kinds = [wire.is_float for wire in wires(overload)]
            on_stack = max(0, 1 + kinds.count(False) - 6) + max(0, kinds.count(True) - 8)
            assert on_stack <= 32, overload.name
