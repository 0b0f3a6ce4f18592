// Host code of an older toolkit, in which a half is an unsigned short.
#include "cnrt.h"

typedef unsigned short half;
void add_halves(half *x, half *y, int n);

void invoke_add_halves(void *x, int n, cnrtQueue_t queue) {
  cnrtKernelParamsBuffer_t parameters;
  cnrtGetKernelParamsBuffer(&parameters);
  cnrtKernelParamsBufferAddParam(parameters, &x, sizeof x);
  cnrtKernelParamsBufferAddParam(parameters, &x, sizeof x);
  cnrtKernelParamsBufferAddParam(parameters, &n, sizeof n);
  cnrtInvokeKernel_V2((void *)&add_halves, {1, 1, 1}, parameters, CNRT_FUNC_TYPE_BLOCK, queue);
  cnrtQueueSync(queue);
  cnrtDestroyKernelParamsBuffer(parameters);
}
