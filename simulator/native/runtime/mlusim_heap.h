// The heap of a kernel: memory of its processor, which it may use as far as it has taken it. Images are linked so that
// these take the place of the functions of the C and C++ libraries. Part of mlusim_rt.cpp, and inside its extern "C".
#pragma once

static const uint64_t HEAP_LIMIT = 1ull << 30;  // bytes that a kernel may have taken

// Between the two, the library's allocator works and must not be interrupted by the end of the task.
static char enter_library(void) {
  char was = in_kernel;
  in_kernel = 0;
  return was;
}
static void leave_library(char was, int64_t pc) {
  in_kernel = was;
  if (was && time_is_up && !loading) {
    mlusim_leave();
    mlusim_back(pc);
  }
}

static int forget_block(uint64_t block) {
  auto found = heap.find(block);
  if (found == heap.end()) return lasting.erase(block) > 0;
  heap_bytes -= found->second - found->first;
  heap.erase(found);
  return 1;
}

// `alignment` 0: the usual one.
static void* take(void* old, size_t bytes, int zero, int64_t pc, size_t alignment = 0) {
  char was = enter_library();
  void* block = NULL;
  if (bytes <= HEAP_LIMIT && heap_bytes + bytes <= HEAP_LIMIT) {
    uint64_t before = (uint64_t)old;
    block = alignment ? aligned_alloc(alignment, bytes)
            : old     ? realloc(old, bytes)
            : zero    ? calloc(1, bytes)
                      : malloc(bytes);
    if (before && (block || !bytes)) forget_block(before);
    if (block) {
      heap[(uint64_t)block] = (uint64_t)block + bytes;
      heap_bytes += bytes;
    }
  }
  leave_library(was, pc);
  return block;
}
static void give(void* block, int64_t pc) {
  char was = enter_library();
  if (forget_block((uint64_t)block)) free(block);  // nothing twice, and nothing that is not the kernel's
  leave_library(was, pc);
}
static void* take_or_throw(size_t bytes, int64_t pc) {
  void* block = take(NULL, bytes ? bytes : 1, 0, pc);
  if (!block) {
    mlusim_throw_pc = pc;
    throw std::bad_alloc();
  }
  return block;
}

void* __wrap_malloc(size_t bytes) { return take(NULL, bytes, 0, MLUSIM_PC); }
void* __wrap_realloc(void* block, size_t bytes) { return take(block, bytes, 0, MLUSIM_PC); }
void* __wrap_calloc(size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? NULL : take(NULL, bytes, 1, MLUSIM_PC);
}
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) { return take(NULL, bytes, 0, MLUSIM_PC, alignment); }
void __wrap_free(void* block) { give(block, MLUSIM_PC); }
void* __wrap__Znwm(size_t bytes) { return take_or_throw(bytes, MLUSIM_PC); }
void* __wrap__Znam(size_t bytes) { return take_or_throw(bytes, MLUSIM_PC); }
void __wrap__ZdlPv(void* block) { give(block, MLUSIM_PC); }
void __wrap__ZdaPv(void* block) { give(block, MLUSIM_PC); }
void __wrap__ZdlPvm(void* block, size_t) { give(block, MLUSIM_PC); }
void __wrap__ZdaPvm(void* block, size_t) { give(block, MLUSIM_PC); }
