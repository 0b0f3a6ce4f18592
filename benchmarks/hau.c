// A sort in one command of HAU.
#include "tpu_kernel.h"

typedef struct {
  global_addr_t out, in;
  int len;
} sort_args_t;

int sort(const void *arguments) {
  const sort_args_t a = *(const sort_args_t *)arguments;
  tpu_initialize();
  tpu_hau_sort(a.out, a.in, a.len, a.len, false, DT_FP32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(sort);
