// What host programs call. Kernels that include it use nothing of it.
#pragma once
