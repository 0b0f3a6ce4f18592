// Accesses that the compiler did not announce: what the build has put before each of them (see kernelc/unmarked.py).
#pragma once
#include <stdint.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

// The access of an announcement, by whether it is a store: what is shown and lies in it has been seen.
struct mlusim_announced {
  uint64_t address, size;
  bool holds(uint64_t at, uint64_t bytes) const {
    return at >= address && bytes <= size && at - address <= size - bytes;
  }
};

// The last load and the last store that were announced; each runtime has its own.
extern "C" mlusim_announced mlusim_last_announced[2] __attribute__((visibility("hidden")));

// How an access is shown: 1 for a store, and twice its bytes. Of no bytes, `many` says how many they are.
inline uint64_t mlusim_shown_bytes(uint64_t how, uint64_t many) { return how > 1 ? how >> 1 : many; }

// What `mlusim_show` calls; each runtime has its own.
extern "C" void mlusim_shown(uint64_t address, uint64_t how, uint64_t many, int64_t pc)
    __attribute__((visibility("hidden")));

#if defined(__x86_64__)
// Whether the processor, and the system, have registers of more than 128 bits.
inline int mlusim_find_wide() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0, low = 0, high = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & 0x18000000) != 0x18000000) return 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & 6) == 6;
}

// All that the processor keeps for a program up to zmm31, or xmm alone. The words of `xsave`'s own header must be 0.
#define MLUSIM_SAVE                                                  \
  "cmpb $0, mlusim_wide(%rip)\nje 2f\nxorl %eax, %eax\n"             \
  ".irp n, 64,65,66,67,68,69,70,71\nmovq %rax, 8*\\n(%rsp)\n.endr\n" \
  "movl $0xe7, %eax\nxorl %edx, %edx\nxsave64 (%rsp)\njmp 3f\n2:\n"  \
  ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nmovups %xmm\\n, 16*\\n(%rsp)\n.endr\n3:\n"
#define MLUSIM_RESTORE                                               \
  "cmpb $0, mlusim_wide(%rip)\nje 4f\n"                              \
  "movl $0xe7, %eax\nxorl %edx, %edx\nxrstor64 (%rsp)\njmp 5f\n4:\n" \
  ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nmovups 16*\\n(%rsp), %xmm\\n\n.endr\n5:\n"

// A call that keeps registers and flags. The address is in rax, `how` lies on the stack and is taken off it, `many` (or
// anything) lies above. What is on the stack up to `end` needs no look, nor does what has just been announced (as
// `holds` says): a loop often has one register for the announcement and another for the access.
#define MLUSIM_SHOW(visibility, end)                                                                            \
  extern "C" __attribute__((__visibility__("hidden"), used)) const char mlusim_wide = (char)mlusim_find_wide(); \
  __asm__(".pushsection .text\n.globl mlusim_show\n.type mlusim_show, @function\n" visibility                   \
          "mlusim_show:\n"                                                                                      \
          ".cfi_startproc\n"                                                                                    \
          "pushq %rcx\n.cfi_adjust_cfa_offset 8\n"                                                              \
          "movq %rax, %rcx\nlahf\nseto %al\n"                                                                   \
          "cmpq %rsp, %rcx\njb 1f\ncmpq " end                                                                   \
          ", %rcx\njae 1f\ncmpq $2, 16(%rsp)\njb 1f\n"                                                          \
          "addb $127, %al\nsahf\npopq %rcx\n.cfi_adjust_cfa_offset -8\nret $8\n"                                \
          "1: .cfi_adjust_cfa_offset 8\n"                                                                       \
          "pushq %rdx\n.cfi_adjust_cfa_offset 8\n"                                                              \
          "pushq %rsi\n.cfi_adjust_cfa_offset 8\n"                                                              \
          "leaq mlusim_last_announced(%rip), %rsi\nmovq 32(%rsp), %rdx\n"                                       \
          "testb $1, %dl\nje 6f\naddq $16, %rsi\n6:\n"                                                          \
          "subq (%rsi), %rcx\njb 7f\nshrq %rdx\nje 7f\n"                                                        \
          "addq %rcx, %rdx\njc 7f\ncmpq 8(%rsi), %rdx\nja 7f\n"                                                 \
          "popq %rsi\n.cfi_adjust_cfa_offset -8\npopq %rdx\n.cfi_adjust_cfa_offset -8\n"                        \
          "addb $127, %al\nsahf\npopq %rcx\n.cfi_adjust_cfa_offset -8\nret $8\n"                                \
          "7: .cfi_adjust_cfa_offset 24\n"                                                                      \
          "addq (%rsi), %rcx\n"                                                                                 \
          "popq %rsi\n.cfi_adjust_cfa_offset -8\npopq %rdx\n.cfi_adjust_cfa_offset -8\n"                        \
          "pushq %rax\n.cfi_adjust_cfa_offset 8\n"                                                              \
          "pushq %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_offset %rbp, -32\n"                                       \
          "movq %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"                                                       \
          "pushq %rdx\npushq %rsi\npushq %rdi\npushq %r8\npushq %r9\npushq %r10\npushq %r11\n"                  \
          "subq $2816, %rsp\nandq $-64, %rsp\n" MLUSIM_SAVE                                                     \
          "movq %rcx, %rdi\nmovq 32(%rbp), %rsi\nmovq 40(%rbp), %rdx\nmovq 24(%rbp), %rcx\n"                    \
          "call mlusim_shown\n" MLUSIM_RESTORE                                                                  \
          "leaq -56(%rbp), %rsp\n"                                                                              \
          "popq %r11\npopq %r10\npopq %r9\npopq %r8\npopq %rdi\npopq %rsi\npopq %rdx\n"                         \
          "popq %rbp\n.cfi_def_cfa %rsp, 24\n.cfi_restore %rbp\n"                                               \
          "popq %rax\n.cfi_adjust_cfa_offset -8\n"                                                              \
          "addb $127, %al\nsahf\npopq %rcx\n.cfi_adjust_cfa_offset -8\nret $8\n"                                \
          ".cfi_endproc\n.size mlusim_show, .-mlusim_show\n.popsection\n")
#else  // nothing is put before accesses: the build reads the assembly of x86-64 alone
#define MLUSIM_SHOW(visibility, end) static_assert(true, "")
#endif
