// Devices and their memories as the host sees them: what is allocated where, and copies.
#pragma once
#include <stdint.h>

#include <map>
#include <string>

#include "cnrt.h"
#include "host_places.h"

namespace mlusim {

struct Device {
  int ordinal = 0;
  uint64_t address = 0, reach = 0, capacity = 0;  // of its memory; it may not be touched at these addresses
  char* alias = nullptr;                          // where the runtime may
  DeviceFacts facts;
  std::string name;
};

// Memory of the host has one of these for a device: it came from the runtime, or is the program's own.
constexpr int PINNED = -1, REGISTERED = -2;

struct Allocation {
  uint64_t bytes = 0;
  int device = 0;
  Place made, freed;
  uint64_t pages = 0, pages_bytes = 0;  // of an array that is another program's: those that hold it
  bool managed = false;                 // the host uses it as its own
};

// What a host pointer of a device stands for.
struct Found {
  Device* device = nullptr;
  uint64_t start = 0, bytes = 0;
  char* alias = nullptr;  // of the pointer itself
};

// A device by its number, opened at its first use; null when there is none.
Device* device(int ordinal);
// The device of this thread.
int current_device();
void set_current_device(int ordinal);

cnrtRet_t allocate(void** pointer, size_t bytes, Place where, bool managed = false);
// A place on a device for a variable of kernels; null (and the status is set) where it has none.
void* allocate_variable(const Device& device, const std::string& key, size_t bytes, bool managed, bool functions);
// Whether a pointer is one to memory of a device that the host uses as its own.
bool is_managed(const void* pointer);
// Free device memory in the order of a queue; 0 is the host's own.
cnrtRet_t release(void* pointer, Place where, uint64_t queue = 0);
cnrtRet_t allocate_host(void** pointer, size_t bytes, Place where);
cnrtRet_t release_host(void* pointer, Place where);
cnrtRet_t register_host(void* pointer, size_t bytes, Place where);
cnrtRet_t unregister_host(void* pointer);
// A handle by which other programs map an array, and what they do with it.
cnrtRet_t share(void* pointer, uint64_t& handle);
cnrtRet_t borrow(void** pointer, uint64_t handle, Place where);
cnrtRet_t return_borrowed(void* pointer, Place where);
// Free everything of a device.
void reset_memory(int ordinal, Place where);

// The allocation that a range of device memory lies in; tells of what is wrong with it.
bool look_up(const void* pointer, uint64_t bytes, const char* what, Place where, Found& found);
bool on_device(const void* pointer);
// What is known of a pointer, without a finding.
bool known(const void* pointer, uint64_t& start, Allocation& found);

// Copy and fill; `queue` 0 is the host's own, which waits until it is done.
cnrtRet_t copy(void* to, const void* from, size_t bytes, cnrtMemTransDir_t direction, uint64_t queue, Place where);
cnrtRet_t fill(void* to, uint64_t value, size_t count, size_t width, uint64_t queue, Place where);

}  // namespace mlusim
