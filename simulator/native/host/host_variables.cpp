#include "host_variables.h"

#include <stdlib.h>
#include <string.h>

#include <map>
#include <vector>

#include "host_link.h"
#include "host_lock.h"
#include "host_status.h"

namespace mlusim {
namespace {

struct Variable {
  std::string key;
  size_t bytes;
  const void* initial;  // null for zeros
  bool managed, functions;
  std::map<int, void*> places = {};  // by device
};

struct Variables {
  Lock mutex;
  std::map<const void*, Variable> by_shadow;
};

// Never destroyed; made before the first variable.
Variables& variables() {
  static Variables& made = *new Variables;
  return made;
}

void* place(const Device& device, Variable& variable) {
  void*& at = variable.places[device.ordinal];
  if (at || !(at = allocate_variable(device, variable.key, variable.bytes, variable.managed, variable.functions)))
    return at;
  char* alias = device.alias + ((uint64_t)at - device.address);
  if (variable.initial && !variable.functions)
    memcpy(alias, variable.initial, variable.bytes);
  else
    memset(alias, 0, variable.bytes);
  return at;
}

}  // namespace

cnrtRet_t place_variables(const Device& device) {
  Variables& all = variables();
  Locked lock(all.mutex);
  for (auto& entry : all.by_shadow)
    if (!place(device, entry.second)) return last_status(false);
  return cnrtSuccess;
}

void forget_variables(int ordinal) {
  Variables& all = variables();
  Locked lock(all.mutex);
  for (auto& entry : all.by_shadow) entry.second.places.erase(ordinal);
}

}  // namespace mlusim

using namespace mlusim;

MLUSIM_API void* mlusim_device_variable(const char* name, const char* space, const char* file, int line, size_t bytes,
                                        const void* initial, bool functions) {
  Variables& all = variables();
  Locked lock(all.mutex);
  Variable made = {std::string(file) + ':' + std::to_string(line) + ':' + name, bytes, initial,
                   !strcmp(space, "managed"), functions};
  Device* first = made.managed ? device(0) : nullptr;
  void* shadow = first ? place(*first, made) : calloc(1, bytes);
  if (!first && initial) memcpy(shadow, initial, bytes);
  all.by_shadow[shadow] = std::move(made);
  return shadow;
}

MLUSIM_API void* mlusim_variable_place(const void* shadow, size_t* bytes) {
  Device* own = device(current_device());
  if (!own) return no_device(), nullptr;
  Variables& all = variables();
  Locked lock(all.mutex);
  auto found = all.by_shadow.find(shadow);
  if (found == all.by_shadow.end())
    return failed(cnrtErrorInvalidSymbol, "what is named is no variable of the device at file scope"), nullptr;
  *bytes = found->second.bytes;
  return place(*own, found->second);
}
