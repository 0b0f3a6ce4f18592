// The door to the issue ports. A kernel is outside of its own code from here to the end of the call and never else:
// what it could call to get there by itself does not exist.
#include <signal.h>

#include "process.h"
#include "python.h"
#include "runs.h"

using Port = int64_t (*)(void);

extern "C" {
Port mlusim_begin_issue(uint64_t call) __attribute__((visibility("hidden")));
void mlusim_end_issue(uint64_t call) __attribute__((visibility("hidden")));
}

// Keeps the arguments, in registers and on the stack, for the port, and its result for the kernel.
#if defined(__aarch64__)
__asm__(
    ".text\n"
    ".globl mlusim_issue\n"
    ".type mlusim_issue, %function\n"
    "mlusim_issue:\n"
    "  .cfi_startproc\n"
    "  stp x29, x30, [sp, #-32]!\n"
    "  .cfi_def_cfa_offset 32\n"
    "  .cfi_offset 29, -32\n"
    "  .cfi_offset 30, -24\n"
    "  str x19, [sp, #16]\n"
    "  .cfi_offset 19, -16\n"
    "  mov x29, sp\n"
    "  .cfi_def_cfa_register 29\n"
    "  sub sp, sp, #128\n"
    "  mov x19, x0\n"
    "  stp x1, x2, [sp]\n"
    "  stp x3, x4, [sp, #16]\n"
    "  stp x5, x6, [sp, #32]\n"
    "  str x7, [sp, #48]\n"
    "  stp d0, d1, [sp, #56]\n"
    "  stp d2, d3, [sp, #72]\n"
    "  stp d4, d5, [sp, #88]\n"
    "  stp d6, d7, [sp, #104]\n"
    "  mov x1, sp\n"
    "  add x2, x29, #32\n"
    "  bl mlusim_issue_natively\n"
    "  tst w0, #255\n"
    "  b.ne 1f\n"
    "  mov x0, x19\n"
    "  bl mlusim_begin_issue\n"
    "  mov x16, x0\n"
    "  mov x9, sp\n"
    "  sub sp, sp, #256\n"  // MLUSIM_MOST_WORDS
    ".set mlusim_at, 0\n"
    ".rept 16\n"
    "  ldp x10, x11, [x29, #32 + mlusim_at]\n"
    "  stp x10, x11, [sp, #mlusim_at]\n"
    "  .set mlusim_at, mlusim_at + 16\n"
    ".endr\n"
    "  ldp x1, x2, [x9]\n"
    "  ldp x3, x4, [x9, #16]\n"
    "  ldp x5, x6, [x9, #32]\n"
    "  ldr x7, [x9, #48]\n"
    "  ldp d0, d1, [x9, #56]\n"
    "  ldp d2, d3, [x9, #72]\n"
    "  ldp d4, d5, [x9, #88]\n"
    "  ldp d6, d7, [x9, #104]\n"
    "  ubfx x0, x19, #0, #48\n"  // the number of the port goes
    "  blr x16\n"
    "  str x0, [sp]\n"
    "  str d0, [sp, #8]\n"
    "  mov x0, x19\n"
    "  bl mlusim_end_issue\n"
    "  ldr x0, [sp]\n"
    "  ldr d0, [sp, #8]\n"
    "1:\n"
    "  mov sp, x29\n"
    "  .cfi_def_cfa_register 31\n"
    "  ldr x19, [sp, #16]\n"
    "  ldp x29, x30, [sp], #32\n"
    "  .cfi_def_cfa_offset 0\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size mlusim_issue, .-mlusim_issue\n");
#else
__asm__(
    ".text\n"
    ".globl mlusim_issue\n"
    ".type mlusim_issue, @function\n"
    "mlusim_issue:\n"
    "  .cfi_startproc\n"
    "  push %rbp\n"
    "  .cfi_def_cfa_offset 16\n"
    "  .cfi_offset %rbp, -16\n"
    "  mov %rsp, %rbp\n"
    "  .cfi_def_cfa_register %rbp\n"
    "  push %rbx\n"
    "  push %r12\n"
    "  sub $112, %rsp\n"
    "  mov %rdi, %rbx\n"
    "  mov %rsi, (%rsp)\n"
    "  mov %rdx, 8(%rsp)\n"
    "  mov %rcx, 16(%rsp)\n"
    "  mov %r8, 24(%rsp)\n"
    "  mov %r9, 32(%rsp)\n"
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "  movsd %xmm\\n, 40 + 8 * \\n(%rsp)\n"
    ".endr\n"
    "  mov %rsp, %rsi\n"
    "  lea 16(%rbp), %rdx\n"
    "  call mlusim_issue_natively\n"
    "  test %al, %al\n"
    "  jne 1f\n"
    "  mov %rbx, %rdi\n"
    "  call mlusim_begin_issue\n"
    "  mov (%rsp), %rsi\n"
    "  mov 8(%rsp), %rdx\n"
    "  mov 16(%rsp), %rcx\n"
    "  mov 24(%rsp), %r8\n"
    "  mov 32(%rsp), %r9\n"
    ".irp n, 1, 2, 3, 4, 5, 6, 7\n"
    "  movsd 40 + 8 * \\n(%rsp), %xmm\\n\n"
    ".endr\n"
    "  mov %rsp, %r11\n"
    "  sub $256, %rsp\n"  // MLUSIM_MOST_WORDS
    ".set mlusim_at, 0\n"
    ".rept 16\n"
    "  movups 16 + mlusim_at(%rbp), %xmm0\n"
    "  movups %xmm0, mlusim_at(%rsp)\n"
    "  .set mlusim_at, mlusim_at + 16\n"
    ".endr\n"
    "  movsd 40(%r11), %xmm0\n"
    "  mov %rbx, %rdi\n"
    "  shl $16, %rdi\n"  // the number of the port goes
    "  shr $16, %rdi\n"
    "  call *%rax\n"
    "  mov %rax, %r12\n"
    "  movsd %xmm0, (%rsp)\n"
    "  mov %rbx, %rdi\n"
    "  call mlusim_end_issue\n"
    "  mov %r12, %rax\n"
    "  movsd (%rsp), %xmm0\n"
    "1:\n"
    "  lea -16(%rbp), %rsp\n"
    "  pop %r12\n"
    "  pop %rbx\n"
    "  pop %rbp\n"
    "  .cfi_def_cfa %rsp, 8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size mlusim_issue, .-mlusim_issue\n");
#endif
static_assert(MLUSIM_MOST_WORDS * 8 == 256 && MLUSIM_NUMBER_SHIFT == 64 - 16, "the code above knows them");

using namespace mlusim;

Port* mlusim_port;
uint64_t mlusim_port_count;

namespace {

int64_t pc_of(uint64_t call) { return (int64_t)(call & ((1ull << MLUSIM_NUMBER_SHIFT) - 1)); }

}  // namespace

Port mlusim_begin_issue(uint64_t call) {
  uint64_t number = call >> MLUSIM_NUMBER_SHIFT;
  leave(WORTH, pc_of(call));
  if (number >= mlusim_port_count || !mlusim_port[number]) end_task(MLUSIM_SIGNAL, 0, SIGSEGV, pc_of(call));
  return mlusim_port[number];
}

void mlusim_end_issue(uint64_t call) { back(pc_of(call)); }
