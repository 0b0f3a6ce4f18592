// Functions of the C library that the program calls with memory which copies of queues still need: the system would
// refuse pages that are watched, and others would get memory that is still to be written.
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host_memory.h"
#include "host_targets.h"
#include "host_transfers.h"

extern "C" {
void __libc_free(void*);              // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void*, size_t);  // NOLINT(bugprone-reserved-identifier)
}

using namespace mlusim;

namespace {

// While it lives, this thread looks at memory, or for the next function of a name: both may allocate and free.
class Looking {
 public:
  Looking() : outer(now) { now = true; }
  ~Looking() { now = outer; }
  static thread_local bool now __attribute__((tls_model("initial-exec")));

 private:
  bool outer;
};
thread_local bool Looking::now = false;

// The function of a name that the program would have without us; null while it is looked for.
template <class Function>
Function next(Function& found, const char* name) {
  if (!found && !Looking::now) {
    Looking looking;
    found = (Function)dlsym(RTLD_NEXT, name);
  }
  return found;
}

void used(const void* start, size_t bytes, bool writes) {
  if (!any_transfer() || !bytes) return;
  touch(start, bytes, writes, [](const void*) { return called().where; }, nullptr);
}

// The allocation of a pointer goes.
void drop(void* pointer) {
  if (!pointer || Looking::now) return;
  Looking looking;
  if (on_device(pointer)) return tell("freed by host", {(uint64_t)pointer}, called().where);
  measure(pointer);
  if (!any_transfer()) return;
  give_back(pointer, 1);  // the words before it may be watched too, which say how large it is
  give_back(pointer, malloc_usable_size(pointer));
}

}  // namespace

MLUSIM_API void free(void* pointer) {
  static void (*real)(void*) = nullptr;
  drop(pointer);
  next(real, "free") ? real(pointer) : __libc_free(pointer);
}

MLUSIM_API void* realloc(void* pointer, size_t bytes) {
  static void* (*real)(void*, size_t) = nullptr;
  drop(pointer);
  return next(real, "realloc") ? real(pointer, bytes) : __libc_realloc(pointer, bytes);
}

MLUSIM_API int munmap(void* start, size_t bytes) {
  static int (*real)(void*, size_t) = nullptr;
  if (any_transfer()) give_back(start, bytes);
  return next(real, "munmap")(start, bytes);
}

#define MLUSIM_USES(result, name, declared, passed, start, bytes, writes) \
  MLUSIM_API result name declared {                                       \
    static result(*real) declared = nullptr;                              \
    used(start, bytes, writes);                                           \
    return next(real, #name) passed;                                      \
  }
MLUSIM_USES(ssize_t, read, (int file, void* to, size_t bytes), (file, to, bytes), to, bytes, true)
MLUSIM_USES(ssize_t, write, (int file, const void* from, size_t bytes), (file, from, bytes), from, bytes, false)
MLUSIM_USES(ssize_t, pread, (int file, void* to, size_t bytes, off_t at), (file, to, bytes, at), to, bytes, true)
MLUSIM_USES(ssize_t, pwrite, (int file, const void* from, size_t bytes, off_t at), (file, from, bytes, at), from, bytes,
            false)
MLUSIM_USES(ssize_t, recv, (int file, void* to, size_t bytes, int flags), (file, to, bytes, flags), to, bytes, true)
MLUSIM_USES(ssize_t, send, (int file, const void* from, size_t bytes, int flags), (file, from, bytes, flags), from,
            bytes, false)
MLUSIM_USES(size_t, fread, (void* to, size_t size, size_t count, FILE* file), (to, size, count, file), to, size* count,
            true)
MLUSIM_USES(size_t, fwrite, (const void* from, size_t size, size_t count, FILE* file), (from, size, count, file), from,
            size* count, false)
