#include "host_places.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <map>
#include <vector>

#include "host_lock.h"

namespace mlusim {
namespace {

thread_local const void* on_behalf = nullptr;
thread_local std::vector<Called> parts;  // what the calls of this thread are parts of

struct Modules {
  Lock mutex;
  std::map<std::string, uint64_t> numbers;
};

// Never destroyed: threads may call while the process ends.
Modules& modules() {
  static Modules& made = *new Modules;
  return made;
}

}  // namespace

Place place_of(const void* return_address) {
  if (on_behalf) return_address = on_behalf, on_behalf = nullptr;
  struct dl_find_object found;
  if (_dl_find_object(const_cast<void*>(return_address), &found)) return {};
  Modules& made = modules();
  Locked lock(made.mutex);
  std::string name = found.dlfo_link_map->l_name;
  if (name.empty()) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    name.assign(path, length > 0 ? (size_t)length : 0);
  }
  uint64_t& number = made.numbers[name];
  if (!number) {
    number = made.numbers.size();
    post(NameModule{number}, {name.data(), name.size()});
  }
  return {number, (uint64_t)return_address - found.dlfo_link_map->l_addr};
}

// The name of the module that holds an address ends, but for a version, in one of these.
static bool in_module(const void* address, std::initializer_list<const char*> names) {
  struct dl_find_object found;
  if (_dl_find_object(const_cast<void*>(address), &found)) return false;
  std::string name = found.dlfo_link_map->l_name;
  for (const char* each : names)
    if (name.find(each) != name.npos) return true;
  return false;
}

static bool in_runtime(const void* address) {
  struct dl_find_object found, own;
  if (_dl_find_object(const_cast<void*>(address), &found) || _dl_find_object((void*)&in_runtime, &own)) return false;
  return found.dlfo_link_map == own.dlfo_link_map ||
         in_module(address, {"/libcndrv.so", "/libcndev.so", "/libcnnl.so"});
}

bool in_program(const void* address) {
  struct dl_find_object found;
  return !_dl_find_object(const_cast<void*>(address), &found) && !in_runtime(address) &&
         !in_module(address, {"/libc.so", "/libstdc++.so", "/libm.so", "/ld-linux", "/libasan.so", "vdso"});
}

Called called() {
  if (!parts.empty()) return parts.back();
  void* frames[64];
  int count = backtrace(frames, 64), at = 0;
  while (at < count && in_runtime((char*)frames[at] - 1)) at++;
  Called found;
  Dl_info info;
  if (at && dladdr((char*)frames[at - 1] - 1, &info) && info.dli_sname) found.function = info.dli_sname;
  while (at < count && !in_program((char*)frames[at] - 1)) at++;
  if (at < count) found.where = place_of(frames[at]);
  return found;
}

PartOf::PartOf(const char* function, Place where) { parts.push_back({function, where}); }
PartOf::~PartOf() { parts.pop_back(); }

void tell(const char* fault, const Used& used, Place where, Place related) {
  post(TellFault{fault, used.what, used.address, used.size, used.distance, used.whole, where, related});
}

}  // namespace mlusim

MLUSIM_API void mlusim_called_from(const void* return_address) { mlusim::on_behalf = return_address; }
