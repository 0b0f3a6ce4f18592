#include "images.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

#include <algorithm>

#include "calls.h"
#include "heap.h"
#include "process.h"
#include "python.h"
#include "ranges.h"

namespace mlusim {

Images images;

namespace {

constexpr size_t MOST_SLOTS = 1 << 16;

// Finds the library in which an address, the key of a range, lies.
int find_image(dl_phdr_info* library, size_t, void* given) {
  mlusim_range& image = *(mlusim_range*)given;
  uint64_t start = UINT64_MAX, end = 0;
  for (int i = 0; i < library->dlpi_phnum; i++) {
    const ElfW(Phdr) & segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    start = std::min<uint64_t>(start, library->dlpi_addr + segment.p_vaddr);
    end = std::max<uint64_t>(end, library->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  if (image.key < start || image.key >= end) return 0;
  image.start = start & ~(uint64_t)4095;  // with its header, which a loaded image begins with
  image.end = end;
  return 1;
}

}  // namespace

}  // namespace mlusim

using namespace mlusim;

void* mlusim_slot(const char* name, const char* space, int line, const char* file, const void* initial,
                  uint64_t bytes) {
  if (!process.loading || images.slots.size() == MOST_SLOTS) end_task(MLUSIM_SIGNAL, 0, SIGABRT, MLUSIM_PC);
  images.slots.push_back(mlusim_variable{name, space, file, initial, nullptr, bytes, line});
  return (void*)(uintptr_t)images.slots.size();
}

const mlusim_variable* mlusim_take_slots(int* count) {
  for_python_alone();
  images.taken.swap(images.slots);
  images.slots.clear();
  *count = (int)images.taken.size();
  return images.taken.data();
}

void mlusim_begin_image() {
  if (!process.loading || process.in_kernel) return;
  mlusim_range image{};
  image.key = (uint64_t)MLUSIM_PC;
  dl_iterate_phdr(find_image, &image);
  images.loaded.push_back(image);
  process.in_kernel = 1;
}

const mlusim_range* mlusim_newest_image() { return &images.loaded.back(); }

void* mlusim_load(const char* path) {
  for_python_alone();
  void* volatile handle = nullptr;
  sigjmp_buf jump;
  mlusim_current = no_task();
  memory.last = nullptr;
  mlusim_last = mlusim_fault{};
  mlusim_last.kind = -1;
  images.slots.clear();
  heap.empty();
  begin_calls();
  fflush(nullptr);
  process.loading = &jump;
  if (sigsetjmp(jump, 1) == 0) handle = dlopen(path, RTLD_LAZY);
  fflush(nullptr);  // what static initialisers print goes nowhere: they are the host's, which prints it too
  process.in_kernel = 0;
  process.loading = nullptr;
  heap.keep();
  const char* error = handle || mlusim_last.kind >= 0 ? nullptr : dlerror();
  if (error) snprintf(mlusim_last.text, sizeof mlusim_last.text, "%s", error);
  return handle;
}
