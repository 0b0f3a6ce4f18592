"""Which accesses of compiled code are shown to the runtime, told from its assembly."""

from __future__ import annotations

import re

import pytest
from mlusim.simulator.kernelc.unmarked import shown

_SHOWN = re.compile(r"leaq\t(\S+), %rax\n\tpushq\t\$(\d+)\n\tcall\t\*mlusim_show@")
_MANY = re.compile(r"leaq\t0\(,%rcx,(\d)\), %rax\n\tpushq\t%rax\n\tmovq\t%(\w+), %rax\n\tpushq\t\$([01])\n")


def of(code: str, name: str = "f", after: str = "") -> list[str]:
    """What is shown of a function: the place, with its bytes and "store" or "load"."""
    lines = "".join(f"{line}\n" if line.endswith(":") else f"\t{line}\n" for line in code.split("; "))
    text = shown(f"{name}:\n\t.cfi_startproc\n{lines}\t.cfi_endproc\n{after}")
    kept = re.sub(r"\tpushq\t%rax\n(?:.*\n)+?\tcall\t\*mlusim_show.*\n(?:\tpopq\t%rax\n)+", "", text)
    assert kept == f"{name}:\n\t.cfi_startproc\n{lines}\t.cfi_endproc\n{after}"
    found = [f"{'store' if int(how) % 2 else 'load'} {int(how) // 2} {place}" for place, how in _SHOWN.findall(text)]
    return found + [
        f"{'store' if how == '1' else 'load'} many {unit} {base}" for unit, base, how in _MANY.findall(text)
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("movl\t%eax, (%rdi)", ["store 4 (%rdi)"]),
        ("movups\t%xmm0, 16(%rsi)", ["store 16 16(%rsi)"]),
        ("vmovups\t%ymm0, (%rsi)", ["store 32 (%rsi)"]),
        ("addss\t(%rax,%rbx,4), %xmm0", ["load 4 (%rax,%rbx,4)"]),
        ("movzbl\t(%rax), %edx", ["load 1 (%rax)"]),
        ("movq\t%xmm0, (%rax)", ["store 8 (%rax)"]),
        ("cvtsi2sdl\t(%r14), %xmm7", ["load 4 (%r14)"]),
        ("fstpt\t(%rdx)", ["store 10 (%rdx)"]),
        ("addl\t$1, (%rdi)", ["load 4 (%rdi)", "store 4 (%rdi)"]),
        ("cmpl\t$1, (%rdi)", ["load 4 (%rdi)"]),
        ("cmpl\t(%rdi), %eax", ["load 4 (%rdi)"]),
        ("incw\t(%rdi)", ["load 2 (%rdi)", "store 2 (%rdi)"]),
        ("sete\t(%rdi)", ["store 1 (%rdi)"]),
        ("lock xaddl\t%eax, (%rdi)", ["load 4 (%rdi)", "store 4 (%rdi)"]),
        ("call\t*16(%rax)", ["load 8 16(%rax)"]),
        ("pushq\t(%rax)", ["load 8 (%rax)"]),
        ("rep stosq", ["store many 8 rdi"]),
        ("rep movsb", ["load many 1 rsi", "store many 1 rdi"]),
        ("movntps\t%xmm0, (%rax)", ["store 16 (%rax)"]),
        ("maskmovdqu\t%xmm1, %xmm0", ["store 16 (%rdi)"]),
        # the call has pushed a word when it computes the address
        ("movl\t%eax, 4(%rsp,%rbx,4)", ["store 4 12(%rsp,%rbx,4)"]),
        ("movl\t%eax, (%rsp,%rbx,4)", ["store 4 8(%rsp,%rbx,4)"]),
        ("movl\t%eax, -64(%rbp,%rbx,4)", ["store 4 -64(%rbp,%rbx,4)"]),
        ("movl\t%eax, -100000(%rbp)", ["store 4 -100000(%rbp)"]),
    ],
)  # fmt: skip
def test_what_nothing_is_known_of_is_shown(code, expected):
    assert of(code) == expected


@pytest.mark.parametrize(
    "code",
    [
        "movl\t%eax, -64(%rbp)",
        "leaq\t-64(%rbp), %rbx; movl\t%eax, 4(%rbx)",
        "pushq\t%rbx; movq\t8(%rsp), %rbx",
        "movq\t%fs:40, %rax",
        "leaq\t(%rdi,%rax,4), %rbx",
        "jmp\t.L3; je\t.L3; call\tg@PLT; ret; nopw\t0(%rax,%rax)",
        "movq\tmlusim_current@GOTPCREL(%rip), %rax; movq\t(%rax), %rax; movl\t4(%rax), %eax",
        "movq\tmlusim_scalar_work@GOTPCREL(%rip), %rax; addq\t$3, (%rax)",
        "leaq\t.L5(%rip), %rdx; movslq\t(%rdx,%rax,4), %rax",
        "movl\ttable+4(%rip), %eax",
        "movl\t%eax, table+4(%rip)",
    ],
)
def test_what_is_the_frames_the_files_or_the_runtimes_is_not(code):
    assert of(code, after="\t.size\ttable, 8\n") == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("movl\ttable+8(%rip), %eax", ["load 4 table+8(%rip)"]),
        ("movl\t%eax, table-4(%rip)", ["store 4 table-4(%rip)"]),
        ("leaq\ttable(%rip), %rax; movl\t(%rax,%rdx,4), %eax", ["load 4 (%rax,%rdx,4)"]),
        ("movq\tother@GOTPCREL(%rip), %rax; movl\t%edx, (%rax)", ["store 4 (%rax)"]),
    ],
)
def test_a_variable_ends_where_it_does(code, expected):
    assert of(code, after="\t.size\ttable, 8\n") == expected


HOOK = "call\t__tsan_{}@PLT"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"movq\t%rbx, %rdi; {HOOK.format('write4')}; movl\t%eax, (%rbx)", []),
        (f"leaq\t8(%rbx), %rdi; {HOOK.format('unaligned_read8')}; movq\t8(%rbx), %rax", []),
        (f"leaq\t(%rbx,%r12,4), %rdi; {HOOK.format('volatile_write4')}; movl\t%eax, (%rbx,%r12,4)", []),
        (f"movq\t%rbx, %rdi; addq\t$4, %rbx; {HOOK.format('read4')}; addss\t-4(%rbx), %xmm0", []),
        (f"movq\t-8(%rbp), %rdi; {HOOK.format('read4')}; movq\t-8(%rbp), %rax; movl\t(%rax), %eax", []),
        (f"movq\t%r8, -8(%rbp); movq\t%r8, %rdi; {HOOK.format('read4')}; movq\t-8(%rbp), %rax; movl\t(%rax), %eax", []),
        (f"movl\t$48, %esi; movq\t%rbx, %rdi; {HOOK.format('write_range')}; movups\t%xmm0, 32(%rbx)", []),
        (f"movq\t%rbx, %rdi; {HOOK.format('write4')}; call\t__extendhfsf2@PLT; movl\t%eax, (%rbx)", []),
        (f"movq\t%rbx, %rdi; {HOOK.format('read4')}; {HOOK.format('func_exit')}; jle\t.L2; movl\t(%rbx), %eax", []),
        # another size, kind, place, or what may have come between
        (f"movq\t%rbx, %rdi; {HOOK.format('write4')}; movq\t%rax, (%rbx)", ["store 8 (%rbx)"]),
        (f"movq\t%rbx, %rdi; {HOOK.format('read4')}; movl\t%eax, (%rbx)", ["store 4 (%rbx)"]),
        (f"movq\t%rbx, %rdi; {HOOK.format('write4')}; movl\t%eax, 4(%rbx)", ["store 4 4(%rbx)"]),
        (f"movl\t$48, %esi; movq\t%rbx, %rdi; {HOOK.format('write_range')}; movups\t%xmm0, 40(%rbx)",
         ["store 16 40(%rbx)"]),
        (f"movq\t%rbx, %rdi; {HOOK.format('write4')}; call\tg@PLT; movl\t%eax, (%rbx)", ["store 4 (%rbx)"]),
        (f"movq\t%rbx, %rdi; {HOOK.format('write4')}; .L7:; movl\t%eax, (%rbx)", ["store 4 (%rbx)"]),
        (f"movq\t%rbx, %rdi; {HOOK.format('write4')}; addq\t%rcx, %rbx; movl\t%eax, (%rbx)", ["store 4 (%rbx)"]),
        (f"movq\t%rcx, %rdi; {HOOK.format('write4')}; movl\t%eax, (%rcx)", ["store 4 (%rcx)"]),  # the hook changes it
        (f"movl\t%ebx, %edi; {HOOK.format('write4')}; movl\t%eax, (%rbx)", ["store 4 (%rbx)"]),  # half of the address
        (f"movq\t-8(%rbp), %rdi; {HOOK.format('read4')}; movl\t%edx, -4(%rbp); movq\t-8(%rbp), %rax; movb\t(%rax), %al",
         ["load 1 (%rax)"]),
    ],
)  # fmt: skip
def test_what_a_hook_has_announced_is_not(code, expected):
    assert of(code) == expected


def test_an_entry_of_an_image_reads_the_arguments_on_the_host():
    lines = ":\n\t.cfi_startproc\n\tmovq\t(%rsi), %rdi\n\t.cfi_endproc\n"
    assert shown(f"mlusim_entry_3{lines}", 4) == f"mlusim_entry_3{lines}"
    for other in ("mlusim_entry_4", "mlusim_entrance", "_ZN6mlusim6invokeEv"):
        assert "mlusim_show" in shown(other + lines, 4)


def test_data_is_no_code():
    text = "table:\n\t.long\t1\n\tmovl\t(%rax), %eax\n"
    assert shown(text) == text


_LOOP = "leaq\ttile(%rip), %rbx; .L2:; movq\t%rbx, %rdi; call\t__tsan_read8@PLT"
_SLOTS = """\t.section\tmlusim_slots,"aw"
\t.align 8
\t.type\ttile, @object
\t.size\ttile, 8
tile:
\t.zero\t8
\t.bss
\t.size\tcount, 8
count:
\t.zero\t8
"""


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("leaq\ttile(%rip), %rdi; call\t__tsan_read8@PLT", False),
        ("leaq\ttile(%rip), %rbx; movq\t%rbx, %rdi; call\t__tsan_read8@PLT", False),
        ("leaq\ttile(%rip), %rdi; callq\t__tsan_read8@PLT", False),  # as clang spells it
        ("leaq\ttile(%rip), %rdi; call\t__tsan_write8@PLT", True),
        ("leaq\ttile(%rip), %rdi; call\t__tsan_read4@PLT", True),
        ("leaq\t8+tile(%rip), %rdi; call\t__tsan_read8@PLT", True),
        ("leaq\tcount(%rip), %rdi; call\t__tsan_read8@PLT", True),
        ("movq\ttile(%rip), %rdi; call\t__tsan_read8@PLT", True),  # what the variable holds
        # a register that a loop keeps
        (f"pushq\t%rbx; {_LOOP}; popq\t%rbx; ret", False),
        (f"{_LOOP}; movl\t%eax, %ebx", True),
        (f"{_LOOP}; movl\t%eax, %ebx # of the next one", True),
        (f"{_LOOP}; xchgq\t%rbx, %rax", True),
        (f"{_LOOP}; negq\t%rbx", True),
        (f"{_LOOP}; cmpq\t%rax, %rbx; jmp\t*%rbx", False),
        (f"#APP; {_LOOP}", True),
        (_LOOP.replace("%rbx", "%rax"), True),
        (_LOOP.replace("tile", "count"), True),
    ],
)
def test_where_a_variable_lies_is_no_access_of_the_kernel(code, kept):
    code = f"{code}; movq\ttile(%rip), %rax"
    lines = [f"{line}\n" if line.endswith(":") or line[0] == "#" else f"\t{line}\n" for line in code.split("; ")]
    text = shown("f:\n\t.cfi_startproc\n" + "".join(lines) + "\t.cfi_endproc\n" + _SLOTS)
    without = [line for line in lines if "__tsan_read8" not in line]
    expected = lines if kept else without
    assert text == "f:\n\t.cfi_startproc\n" + "".join(expected) + "\t.cfi_endproc\n" + _SLOTS
