// What functions of the driver share: they are those of the runtime by other names.
#pragma once
#include "cn_api.h"
#include "cnrt.h"

#define CNDRV_API extern "C" __attribute__((visibility("default")))
// The next call of the runtime is on behalf of who has called this function.
#define FROM_CALLER mlusim_called_from(__builtin_return_address(0))

extern "C" void mlusim_called_from(const void* return_address);

// The driver's name of a status of the runtime.
CNresult status(cnrtRet_t found);
