"""The operations of scalar code are counted in the assembly of either processor."""

from __future__ import annotations

import pytest
from mlusim.simulator.kernelc.scalar_work import counted
from mlusim.simulator.native.machine import AARCH64, X86_64

MARK = {X86_64: "\tcall\t__sanitizer_cov_trace_pc@PLT\n", AARCH64: "\tbl\t__sanitizer_cov_trace_pc\n"}
#: A sum, a product, a comparison and a branch; a division; what is the host's alone; code behind the end of a block.
CODE = {
    X86_64: """\taddl\t$1, %ecx
\timulq\t%rdx, %rcx
\tcmpq\t%rcx, %rbx
\tdivss\t%xmm1, %xmm0
\tmovq\t8(%rsp), %rbx
\tsubq\t$16, %rsp
\tleaq\t4(%rbx), %rdi
\tcall\t__tsan_read4@PLT
\tjmp\t.L3
\taddl\t$1, %ecx
""",
    AARCH64: """\tadd\tw1, w1, 1
\tmul\tx1, x1, x2
\tcmp\tx1, x2
\tfdiv\ts0, s0, s1
\tldr\tx19, [sp, 8]
\tsub\tsp, sp, #16
\tadrp\tx3, .LC0
\tadd\tx3, x3, :lo12:.LC0
\tadd\tx0, x19, 4
\tbl\t__tsan_read4
\tb\t.L3
\tadd\tw1, w1, 1
""",
}
WORK = 3 + 8 + 1


@pytest.mark.parametrize("processor", MARK)
def test_a_block_is_worth_what_it_computes(processor):
    """A block without work loses its mark, and a large one has its whole count."""
    many = CODE[processor].splitlines(keepends=True)[0] * 5000
    text = "".join([MARK[processor], CODE[processor], MARK[processor], MARK[processor], many])
    found = counted(text.encode(), processor).decode()
    assert "cov_trace_pc" not in found
    assert found.count("mlusim_scalar_work") == 2 * (1 if processor == X86_64 else 2)
    if processor == X86_64:
        assert found.count(f"\taddq\t${WORK}, (%rax)\n") == found.count("\taddq\t$5000, (%rax)\n") == 1
    else:
        low, high = 5000 & 0xFFF, 5000 >> 12
        assert f"\tadd\tx17, x17, #{WORK}\n\tadd\tx17, x17, #0, lsl #12\n" in found
        assert f"\tadd\tx17, x17, #{low}\n\tadd\tx17, x17, #{high}, lsl #12\n" in found
