#include "host_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <vector>

#include "host_lock.h"
#include "host_order.h"
#include "host_queues.h"
#include "host_status.h"
#include "host_transfers.h"

namespace mlusim {
namespace {

struct Memory {
  Lock mutex;
  std::vector<std::unique_ptr<Device>> devices;
  std::map<uint64_t, Allocation> taken, freed;  // by their first byte
};

std::atomic<uint64_t> low{UINT64_MAX}, high{0};  // where memories of devices lie

// Never destroyed: threads may call while the process ends.
Memory& memory() {
  static Memory& made = *new Memory;
  return made;
}

thread_local int current = 0;

// Bytes that are mapped beyond the end of a device's memory and are never touched. Without them the host's arrays just
// above would have the low bits of addresses that its first arrays have, and processors copy between such at a third of
// their speed (rep movsb).
constexpr uint64_t APART = 0x1235000;

// Map a device's memory twice: where it may be touched, and where a touch is a fault.
bool map(Device& made, int descriptor) {
  void* alias = mmap(nullptr, made.reach + APART, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  close(descriptor);
  void* wanted = (void*)made.address;
  void* fence =
      mmap(wanted, made.reach, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (alias == MAP_FAILED || fence != wanted) return false;
  for (int advice : {MADV_DONTFORK, MADV_DONTDUMP}) madvise(alias, made.reach + APART, advice);
  made.alias = (char*)alias;
  return true;
}

std::map<uint64_t, Allocation>::iterator before(std::map<uint64_t, Allocation>& table, uint64_t address) {
  auto next = table.upper_bound(address);
  return next == table.begin() ? table.end() : std::prev(next);
}

// Forget what was freed where something else lies now.
void forget(Memory& all, uint64_t start, uint64_t bytes) {
  auto entry = before(all.freed, start);
  if (entry == all.freed.end() || entry->first + entry->second.bytes <= start) entry = all.freed.lower_bound(start);
  while (entry != all.freed.end() && entry->first < start + bytes) entry = all.freed.erase(entry);
}

// Let pages of a device's memory be those of a file, which is closed here, from `offset` on.
void back(const Device& own, const Allocation& borrowed, int descriptor, uint64_t offset) {
  char* start = own.alias + (borrowed.pages - own.address);
  size_t bytes = borrowed.pages_bytes;
  if (mmap(start, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, descriptor, (off_t)offset) !=
      start)
    fprintf(stderr, "mlusim: memory of another program cannot be mapped: %s\n", strerror(errno)), abort();
  close(descriptor);
  for (int advice : {MADV_DONTFORK, MADV_DONTDUMP}) madvise(start, bytes, advice);
}

uint64_t whole_pages(uint64_t bytes) {
  static const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  return (bytes ? bytes + page - 1 : page) / page * page;
}

// The host may not touch managed memory any more.
void close_pages(uint64_t address, uint64_t bytes) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (mmap((void*)address, whole_pages(bytes), PROT_NONE, flags, -1, 0) == MAP_FAILED)
    fprintf(stderr, "mlusim: managed memory cannot be unmapped: %s\n", strerror(errno)), abort();
}

// Give a borrowed array back. Its addresses are those of the device's own memory again.
void unmap(uint64_t address, const Allocation& borrowed, Place where) {
  Device* own = device(borrowed.device);
  auto reply = call(ReturnArray{address, where});
  if (!reply.lost) back(*own, borrowed, reply.descriptor, borrowed.pages - own->address);
}

}  // namespace

int current_device() { return current; }
void set_current_device(int ordinal) { current = ordinal; }

Device* device(int ordinal) {
  if (!connected() || ordinal < 0 || ordinal >= device_count()) return nullptr;
  Memory& all = memory();
  Locked lock(all.mutex);
  if (all.devices.size() <= (size_t)ordinal) all.devices.resize((size_t)ordinal + 1);
  auto& entry = all.devices[(size_t)ordinal];
  if (entry) return entry.get();
  auto opened = call(OpenDevice{(uint64_t)ordinal});
  if (opened.lost || opened.descriptor < 0) return nullptr;
  std::unique_ptr<Device> made(new Device);
  made->ordinal = ordinal;
  made->address = opened.address, made->reach = opened.reach, made->capacity = opened.capacity;
  made->facts = opened.facts, made->name = opened.name;
  if (!map(*made, opened.descriptor)) {
    fprintf(stderr, "mlusim: device memory cannot be mapped at %#llx in this program\n",
            (unsigned long long)made->address);
    return nullptr;
  }
  low = std::min(low.load(), made->address);
  high = std::max(high.load(), made->address + made->reach);
  entry = std::move(made);
  return entry.get();
}

bool on_device(const void* pointer) {
  if ((uint64_t)pointer < low || (uint64_t)pointer >= high) return false;
  Memory& all = memory();
  Locked lock(all.mutex);
  for (auto& entry : all.devices)
    if (entry && (uint64_t)pointer - entry->address < entry->reach) return true;
  return false;
}

bool known(const void* pointer, uint64_t& start, Allocation& found) {
  Memory& all = memory();
  Locked lock(all.mutex);
  auto entry = before(all.taken, (uint64_t)pointer);
  if (entry == all.taken.end() || (uint64_t)pointer >= entry->first + entry->second.bytes) return false;
  start = entry->first, found = entry->second;
  return true;
}

// Let the host use an array of a device at its address.
void open_pages(const Device& own, uint64_t address, uint64_t bytes) {
  char* alias = own.alias + (address - own.address);
  void* wanted = (void*)address;
  // Of shared memory, this makes another mapping.
  if (mremap(alias, 0, whole_pages(bytes), MREMAP_MAYMOVE | MREMAP_FIXED, wanted) != wanted)
    fprintf(stderr, "mlusim: managed memory cannot be mapped: %s\n", strerror(errno)), abort();
  madvise(wanted, whole_pages(bytes), MADV_DONTDUMP);
}

cnrtRet_t allocate(void** pointer, size_t bytes, Place where, bool managed) {
  if (!pointer) return failed(cnrtErrorArgsInvalid, "the pointer to the result is null");
  *pointer = nullptr;
  Device* own = device(current);
  if (!own) return no_device();
  Memory& all = memory();
  Locked lock(all.mutex);
  auto reply = call(AllocateArray{(uint64_t)own->ordinal, bytes, managed, where});
  if (reply.lost) return no_device();
  if (!reply.address) return failed(cnrtErrorNoMem, reply.problem);
  forget(all, reply.address, bytes ? bytes : 1);
  Allocation made;
  made.bytes = bytes, made.device = own->ordinal, made.made = where, made.managed = managed;
  if (managed) open_pages(*own, reply.address, bytes);
  all.taken[reply.address] = made;
  *pointer = (void*)reply.address;
  return cnrtSuccess;
}

void* allocate_variable(const Device& own, const std::string& key, size_t bytes, bool managed, bool functions) {
  Memory& all = memory();
  Locked lock(all.mutex);
  auto reply = call(PlaceVariable{(uint64_t)own.ordinal, bytes, managed, functions}, {key.data(), key.size()});
  if (reply.lost) return no_device(), nullptr;
  if (!reply.address) return failed(cnrtErrorNoMem, reply.problem), nullptr;
  forget(all, reply.address, bytes);
  Allocation& made = all.taken[reply.address];
  made.bytes = bytes, made.device = own.ordinal, made.managed = managed;
  if (managed) open_pages(own, reply.address, bytes);
  return (void*)reply.address;
}

bool is_managed(const void* pointer) {
  uint64_t start;
  Allocation found;
  return on_device(pointer) && known(pointer, start, found) && found.managed;
}

cnrtRet_t release(void* pointer, Place where, uint64_t queue) {
  if (!connected()) return no_device();
  if (!pointer) return cnrtSuccess;
  Memory& all = memory();
  Locked lock(all.mutex);
  auto entry = all.taken.find((uint64_t)pointer);
  if (entry != all.taken.end() && entry->second.pages)
    return failed(cnrtErrorArgsInvalid, "the memory is another program's: cnrtUnMapMemHandle gives it back");
  if (entry != all.taken.end() && entry->second.device >= 0) {
    Device* own = device(entry->second.device);
    keep(own->alias + (entry->first - own->address), entry->second.bytes);
    post(FreeArray{entry->first, queue, where});
    if (entry->second.managed) close_pages(entry->first, entry->second.bytes);
    entry->second.freed = where;
    all.freed[entry->first] = entry->second;
    all.taken.erase(entry);
    return cnrtSuccess;
  }
  auto old = all.freed.find((uint64_t)pointer);
  if (old != all.freed.end()) {
    tell("double free", {(uint64_t)pointer, "device memory"}, where, old->second.freed);
    return refused(cnrtErrorArgsInvalid);
  }
  auto inside = before(all.taken, (uint64_t)pointer);
  if (inside != all.taken.end() && (uint64_t)pointer < inside->first + inside->second.bytes)
    tell("freed inside", {(uint64_t)pointer, "", 0, (uint64_t)pointer - inside->first}, where, inside->second.made);
  else
    tell("not allocated", {(uint64_t)pointer}, where);
  return refused(cnrtErrorArgsInvalid);
}

cnrtRet_t allocate_host(void** pointer, size_t bytes, Place where) {
  if (!pointer) return failed(cnrtErrorArgsInvalid, "the pointer to the result is null");
  *pointer = nullptr;
  if (!connected()) return no_device();
  void* made = nullptr;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes / page + 1) * page;  // which belong to it alone
  if (room < bytes || posix_memalign(&made, page, room))
    return failed(cnrtErrorSysNoMem, "the host has no memory left");
  Memory& all = memory();
  Locked lock(all.mutex);
  forget(all, (uint64_t)made, bytes ? bytes : 1);
  Allocation entry;
  entry.bytes = bytes, entry.device = PINNED, entry.made = where;
  all.taken[(uint64_t)made] = entry;
  *pointer = made;
  return cnrtSuccess;
}

cnrtRet_t register_host(void* pointer, size_t bytes, Place where) {
  if (!connected()) return no_device();
  uint64_t start;
  Allocation found;
  if (!pointer || !bytes) return failed(cnrtErrorArgsInvalid, "there is no memory to register");
  if (on_device(pointer) || known(pointer, start, found))
    return failed(cnrtErrorArgsInvalid, "the memory is known already");
  Memory& all = memory();
  Locked lock(all.mutex);
  forget(all, (uint64_t)pointer, bytes);
  Allocation& entry = all.taken[(uint64_t)pointer];
  entry.bytes = bytes, entry.device = REGISTERED, entry.made = where;
  return cnrtSuccess;
}

cnrtRet_t unregister_host(void* pointer) {
  if (!connected()) return no_device();
  Memory& all = memory();
  Locked lock(all.mutex);
  auto entry = all.taken.find((uint64_t)pointer);
  if (entry == all.taken.end() || entry->second.device != REGISTERED)
    return failed(cnrtErrorArgsInvalid, "the memory has not been registered");
  all.taken.erase(entry);
  return cnrtSuccess;
}

cnrtRet_t release_host(void* pointer, Place where) {
  if (!connected()) return no_device();
  Memory& all = memory();
  Locked lock(all.mutex);
  auto entry = all.taken.find((uint64_t)pointer);
  if (entry == all.taken.end() || entry->second.device != PINNED) {
    auto old = all.freed.find((uint64_t)pointer);
    if (old != all.freed.end() && old->second.device == PINNED)
      tell("double free", {(uint64_t)pointer, "pinned host memory"}, where, old->second.freed);
    else
      tell("not pinned", {(uint64_t)pointer}, where);
    return refused(cnrtErrorArgsInvalid);
  }
  settle();
  entry->second.freed = where;
  all.freed[entry->first] = entry->second;
  all.taken.erase(entry);
  free(pointer);
  return cnrtSuccess;
}

cnrtRet_t share(void* pointer, uint64_t& handle) {
  if (!connected()) return no_device();
  Memory& all = memory();
  Locked lock(all.mutex);
  auto entry = all.taken.find((uint64_t)pointer);
  if (entry == all.taken.end() || entry->second.device < 0 || entry->second.pages)
    return failed(cnrtErrorArgsInvalid, "the pointer is not the beginning of an array that this program has allocated");
  auto reply = call(ShareArray{entry->first});
  if (reply.lost) return no_device();
  handle = reply.handle;
  return cnrtSuccess;
}

cnrtRet_t borrow(void** pointer, uint64_t handle, Place where) {
  if (!pointer) return failed(cnrtErrorArgsInvalid, "the pointer to the result is null");
  *pointer = nullptr;
  Device* own = device(current);
  if (!own) return no_device();
  Memory& all = memory();
  Locked lock(all.mutex);
  auto reply = call(BorrowArray{(uint64_t)own->ordinal, handle, where});
  if (reply.lost) return no_device();
  if (!reply.address) return failed(cnrtErrorArgsInvalid, reply.problem);
  forget(all, reply.address, reply.bytes);
  Allocation& made = all.taken[reply.address];
  made.bytes = reply.bytes, made.device = own->ordinal, made.made = where;
  made.pages = reply.pages, made.pages_bytes = reply.pages_bytes;
  back(*own, made, reply.descriptor, reply.offset);
  *pointer = (void*)reply.address;
  return cnrtSuccess;
}

cnrtRet_t return_borrowed(void* pointer, Place where) {
  if (!connected()) return no_device();
  settle();
  Memory& all = memory();
  Locked lock(all.mutex);
  auto entry = all.taken.find((uint64_t)pointer);
  if (entry == all.taken.end() || !entry->second.pages)
    return failed(cnrtErrorArgsInvalid,
                  "the pointer is not the beginning of an array that cnrtMapMemHandle has mapped");
  unmap(entry->first, entry->second, where);
  entry->second.freed = where;
  all.freed[entry->first] = entry->second;
  all.taken.erase(entry);
  return cnrtSuccess;
}

void reset_memory(int ordinal, Place where) {
  Memory& all = memory();
  Locked lock(all.mutex);
  for (auto entry = all.taken.begin(); entry != all.taken.end();) {
    if (entry->second.device != ordinal) {
      ++entry;
      continue;
    }
    if (entry->second.pages)
      unmap(entry->first, entry->second, where);
    else
      post(FreeArray{entry->first, 0, where});
    if (entry->second.managed) close_pages(entry->first, entry->second.bytes);
    entry->second.freed = where;
    all.freed[entry->first] = entry->second;
    entry = all.taken.erase(entry);
  }
}

bool look_up(const void* pointer, uint64_t bytes, const char* what, Place where, Found& found) {
  Memory& all = memory();
  Locked lock(all.mutex);
  uint64_t address = (uint64_t)pointer;
  auto entry = before(all.taken, address);
  bool inside = entry != all.taken.end() && entry->second.device >= 0 && address < entry->first + entry->second.bytes;
  uint64_t left = inside ? entry->first + entry->second.bytes - address : 0;
  if (inside && bytes <= left) {
    found.device = device(entry->second.device);
    found.start = entry->first, found.bytes = entry->second.bytes;
    found.alias = found.device->alias + (address - found.device->address);
    return true;
  }
  if (inside) {
    tell("past array", {address, what, bytes, bytes - left, entry->second.bytes}, where, entry->second.made);
    return false;
  }
  auto old = before(all.freed, address);
  if (old != all.freed.end() && old->second.device >= 0 && address < old->first + old->second.bytes) {
    tell("freed", {address, what}, where, old->second.freed);
    return false;
  }
  if (entry != all.taken.end() && entry->second.device >= 0 && on_device(pointer)) {
    uint64_t end = entry->first + entry->second.bytes;
    tell("past array", {address, what, 0, address - end, entry->second.bytes}, where, entry->second.made);
    return false;
  }
  tell("not on device", {address, what}, where);
  return false;
}

}  // namespace mlusim
