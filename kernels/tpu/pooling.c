// The largest element or the mean of every window.
#include "pooling.h"

static void compute(const void *job, int step) {
  const windows_t *p = job;
  const windows_args_t *a = &p->args;
  const window_t t = window_of(p, step);
  const dim4 input = {1, t.outs, t.h, t.w};
  const dim2 kernel = {a->kernel_h, a->kernel_w}, stride = {a->stride_h, a->stride_w}, one = {1, 1};
  const padding_t padding = {t.top, t.bottom, t.left, t.right};
  const scalar_t share = {.f32 = 1.f / (a->kernel_h * a->kernel_w)}, lowest = {.u32 = FP_NEG_MAX(a->dtype)};
  if (a->largest)
    tpu_bdc_fp_max_pool2d(output_tile(step), input_tile(step), &input, &kernel, &padding, &stride, &one, a->dtype,
                          lowest);
  else
    tpu_bdc_fp_avg_pool2d(output_tile(step), input_tile(step), &input, &kernel, &padding, &stride, &one, a->dtype,
                          tpu_fp_cast(share, a->dtype, DT_FP32, RM_HALF_TO_EVEN));
}

int pooling(const void *arguments) {
  const windows_args_t *args = (const windows_args_t *)arguments;
  tpu_initialize();
  const windows_t job = plan_pooling(args, tpu_data_type_size(args->dtype));
  const stages_t stages = {load_pooling, compute, store_pooling};
  run_pipeline(&stages, &job, job.steps);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(pooling);
