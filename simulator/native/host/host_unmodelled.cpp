// Functions that are declared and not modelled: each says so and fails.
#include "cnrt.h"
#include "host_link.h"
#include "host_status.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define MLUSIM_UNMODELLED(name, ...) \
  MLUSIM_API cnrtRet_t name(__VA_ARGS__) { return mlusim::not_modelled(#name); }
#include "mlusim_cnrt_unmodelled.h"
