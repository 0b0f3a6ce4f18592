// How calls fail: the status of a thread, and the sentence that goes with it.
#pragma once
#include <string>

#include "cnrt.h"

namespace mlusim {

// A call fails: a finding says which one and why. Returns the status.
cnrtRet_t failed(cnrtRet_t status, const std::string& why);
// A call fails, and a finding of its own has said why. Returns the status.
cnrtRet_t refused(cnrtRet_t status);
// A call fails for what has happened before it, which is said at once, and once. Returns the status.
cnrtRet_t say(cnrtRet_t status, const std::string& why);
cnrtRet_t no_device();
// A function that is declared and not modelled.
cnrtRet_t not_modelled(const char* function);
cnrtRet_t last_status(bool clear);

}  // namespace mlusim
