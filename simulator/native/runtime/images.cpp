#include "images.h"

#include <dlfcn.h>
#include <stdio.h>

#include "heap.h"
#include "process.h"
#include "python.h"
#include "ranges.h"

namespace mlusim {

Images images;

}  // namespace mlusim

using namespace mlusim;

void* mlusim_slot(const char* name, const char* space, int line, const char* file, const void* initial,
                  uint64_t bytes) {
  images.slots.push_back(mlusim_variable{name, space, file, initial, nullptr, bytes, line});
  return (void*)(uintptr_t)images.slots.size();
}

const mlusim_variable* mlusim_take_slots(int* count) {
  images.taken.swap(images.slots);
  images.slots.clear();
  *count = (int)images.taken.size();
  return images.taken.data();
}

void mlusim_begin_image(const void* begin, const void* end) {
  images.loaded.push_back(mlusim_range{(uint64_t)begin, (uint64_t)end, nullptr, 0, 0, 0, 0, 0});
  if (process.loading) process.in_kernel = 1;
}

const mlusim_range* mlusim_newest_image() { return &images.loaded.back(); }

void* mlusim_load(const char* path) {
  void* volatile handle = nullptr;
  sigjmp_buf jump;
  mlusim_current = no_task();
  memory.last = nullptr;
  mlusim_last = mlusim_fault{};
  mlusim_last.kind = -1;
  images.slots.clear();
  heap.empty();
  process.loading = &jump;
  if (sigsetjmp(jump, 1) == 0) handle = dlopen(path, RTLD_LAZY);
  process.in_kernel = 0;
  process.loading = nullptr;
  heap.keep();
  const char* error = handle || mlusim_last.kind >= 0 ? nullptr : dlerror();
  if (error) snprintf(mlusim_last.text, sizeof mlusim_last.text, "%s", error);
  return handle;
}
