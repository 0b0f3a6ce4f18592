"""The call that the build puts before accesses which the compiler has not announced keeps all registers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from mlusim.simulator.native.build import RUNTIME
from mlusim.simulator.native.compiler import Compiler

#: What is called leaves no register of a vector as it was, as functions of the C library may.
SOURCE = """
#include <stdio.h>
#include <string.h>
#include "show.h"
MLUSIM_SHOW("", "%rbp");
mlusim_announced mlusim_last_announced[2];
static uint64_t seen[4];
extern "C" __attribute__((target("avx"))) void mlusim_shown(uint64_t address, uint64_t how, uint64_t many, int64_t) {
  seen[0] = address, seen[1] = how, seen[2]++;
  if (mlusim_wide) __asm__ volatile("vzeroall" ::: "memory");
}
alignas(32) char before[512], after[512];
int main() {
  for (int i = 0; i < 512; i++) before[i] = (char)(i * 7 + 1);
  long kept = 5;
  if (mlusim_wide)
    __asm__ volatile(
        "leaq before(%%rip), %%rax\\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\\nvmovups 32*\\\\n(%%rax), %%ymm\\\\n\\n.endr\\n"
        "subq $128, %%rsp\\npushq %%rax\\nmovq %0, %%rax\\npushq $9\\ncall mlusim_show\\npopq %%rax\\n"
        "addq $128, %%rsp\\n"
        "leaq after(%%rip), %%rax\\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\\nvmovups %%ymm\\\\n, 32*\\\\n(%%rax)\\n.endr\\nvzeroupper"
        : : "r"(&seen[3]) : "rax", "memory", "cc");
  printf("%d %d %ld %lu\\n", mlusim_wide, memcmp(before, after, 512), seen[0] - (uint64_t)&seen[3], seen[1] + seen[2]);
}
"""


def test_the_upper_halves_of_vectors_survive(tmp_path: Path) -> None:
    (tmp_path / "show.cpp").write_text(SOURCE, encoding="utf-8")
    made = Compiler().run(
        [f"-I{RUNTIME}", "-O1", "-no-pie", "-o", str(tmp_path / "show"), str(tmp_path / "show.cpp")], tmp_path
    )
    assert made.returncode == 0, made.messages
    said = subprocess.run([tmp_path / "show"], capture_output=True, text=True, check=True).stdout
    if said.startswith("0"):
        pytest.skip("this processor has no registers of more than 128 bits")
    assert said == "1 0 0 10\n"
