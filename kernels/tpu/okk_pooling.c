// The largest element or the mean of every window, on the BM1684.
#define OKK
#include "pooling.h"

static void compute(const void *job, int step) {
  const windows_t *p = job;
  const windows_args_t *a = &p->args;
  const window_t t = window_of(p, step);
  const dim4 input = {1, t.outs, t.h, t.w};
  const dim2 stride = {a->stride_h, a->stride_w};
  const Padding padding = {t.top, t.bottom, t.left, t.right};
  if (a->largest)
    okk_bdc_max_pool2d(output_tile(step), input_tile(step), &input, a->kernel_h, a->kernel_w, &padding, &stride);
  else
    okk_bdc_avg_pool2d(output_tile(step), input_tile(step), &input, a->kernel_h, a->kernel_w, &padding, &stride);
}

void pooling(const void *arguments) {
  okk_initialize();
  const windows_t job = plan_pooling((const windows_args_t *)arguments, 4);
  const stages_t stages = {load_pooling, compute, store_pooling};
  run_pipeline(&stages, &job, job.steps);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(pooling);
