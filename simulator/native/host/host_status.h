// How calls fail: the status of a thread, and the sentence that goes with it.
#pragma once
#include <string>

#include "cnrt.h"

namespace mlusim {

// Remember a status and say why, once for each sentence; returns the status.
cnrtRet_t failed(cnrtRet_t status, const std::string& why);
cnrtRet_t no_device();
// A function that is declared and not modelled.
cnrtRet_t not_modelled(const char* function);
cnrtRet_t last_status(bool clear);

}  // namespace mlusim
