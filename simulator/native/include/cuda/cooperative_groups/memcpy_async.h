// Copies that go on beside the threads: known, not modelled.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {

MLUSIM_GROUPS(memcpy_async)
MLUSIM_GROUPS(wait)
MLUSIM_GROUPS(wait_prior)

}  // namespace cooperative_groups
