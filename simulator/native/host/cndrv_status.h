// What functions of the driver share: they are those of the runtime by other names.
#pragma once
#include "cn_api.h"
#include "cnrt.h"
#include "host_operation.h"

#define CNDRV_API extern "C" __attribute__((visibility("default")))

// The driver's name of a status of the runtime.
CNresult status(cnrtRet_t found);
