// The layer below OKK, of which public kernels include the header and call nothing.
#pragma once
#include "okk.h"
