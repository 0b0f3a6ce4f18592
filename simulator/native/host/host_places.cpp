#include "host_places.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <map>

#include "host_lock.h"

namespace mlusim {
namespace {

thread_local const void* on_behalf = nullptr;

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

bool in_program(const void* address) {
  struct dl_find_object found, own;
  if (_dl_find_object(const_cast<void*>(address), &found) || _dl_find_object((void*)&in_program, &own)) return false;
  std::string name = found.dlfo_link_map->l_name;
  bool system = name.find("/libc.so") != name.npos || name.find("/libstdc++.so") != name.npos ||
                name.find("/libm.so") != name.npos || name.find("/ld-linux") != name.npos ||
                name.find("/libasan.so") != name.npos || name.find("vdso") != name.npos;
  return found.dlfo_link_map != own.dlfo_link_map && !system;
}

void tell(const char* fault, const Used& used, Place where, Place related) {
  post(TellFault{fault, used.what, used.address, used.size, used.distance, used.whole, where, related});
}

}  // namespace mlusim

MLUSIM_API void mlusim_called_from(const void* return_address) { mlusim::on_behalf = return_address; }
