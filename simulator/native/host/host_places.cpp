#include "host_places.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
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

bool find_site(const void* address, Site& site) {
  struct dl_find_object found;
  if (_dl_find_object(const_cast<void*>(address), &found)) return false;
  const struct link_map& module = *found.dlfo_link_map;
  site.offset = (uint64_t)address - module.l_addr;
  if (*module.l_name) return snprintf(site.module, sizeof site.module, "%s", module.l_name) > 0;
  ssize_t length = readlink("/proc/self/exe", site.module, sizeof site.module - 1);
  site.module[length > 0 ? length : 0] = 0;
  return true;
}

Place place_of(const void* return_address) {
  if (on_behalf) return_address = on_behalf, on_behalf = nullptr;
  Site site;
  if (!find_site(return_address, site)) return {};
  Modules& made = modules();
  Locked lock(made.mutex);
  uint64_t& number = made.numbers[site.module];
  if (!number) {
    number = made.numbers.size();
    post(NameModule{number}, {site.module, strlen(site.module)});
  }
  return {number, site.offset};
}

// Whether the name of the module that holds an address has one of these in it. It allocates nothing: signals ask.
static bool in_module(const void* address, std::initializer_list<const char*> names) {
  struct dl_find_object found;
  if (_dl_find_object(const_cast<void*>(address), &found)) return false;
  for (const char* each : names)
    if (strstr(found.dlfo_link_map->l_name, each)) return true;
  return false;
}

bool in_runtime(const void* address) {
  struct dl_find_object found, own;
  if (_dl_find_object(const_cast<void*>(address), &found) || _dl_find_object((void*)&in_runtime, &own)) return false;
  return found.dlfo_link_map == own.dlfo_link_map ||
         in_module(address,
                   {"/libcndrv.so", "/libcndev.so", "/libcnnl.so", "/libbmlib.so", "/libtpuv7_rt.so", "/libcudart.so"});
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
