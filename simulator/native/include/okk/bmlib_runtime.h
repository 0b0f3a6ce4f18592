// Kernels that include it use nothing of it.
#include "../sophgo/bmlib_runtime.h"
