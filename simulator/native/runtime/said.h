// The call that is under way, of an overload whose calls may be carried out here when they are made again.
#pragma once
#include "ports.h"

namespace [[gnu::visibility("hidden")]] mlusim {

struct Said {
  uint64_t port = UINT64_MAX;        // its number; UINT64_MAX: no such call is under way
  uint64_t words[MLUSIM_MOST_SAID];  // but for the address in system memory
  uint64_t address;
};
extern Said said;

// Carries out the call that is under way as one like it; or does nothing, where the port in Python has to.
bool issue_again(const mlusim_native_ports& ports, int64_t pc);

}  // namespace mlusim
