// Sums of what the threads before one give: known, not modelled.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {

MLUSIM_GROUPS(inclusive_scan)
MLUSIM_GROUPS(exclusive_scan)

}  // namespace cooperative_groups
