// Functions of the driver that are declared and not modelled: each says so and fails.
#include "cn_api.h"
#include "host_operation.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define MLUSIM_UNMODELLED(name, ...)                                             \
  extern "C" __attribute__((visibility("default"))) CNresult name(__VA_ARGS__) { \
    mlusim_not_modelled(#name);                                                  \
    return CN_OPS_ERROR_NOT_SUPPORTED;                                           \
  }
#include "mlusim_cn_unmodelled.h"
