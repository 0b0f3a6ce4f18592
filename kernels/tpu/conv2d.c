// Convolutions of images, with sums in 32 bits.
#include "conv2d.h"

static void compute(const void *job, int step) {
  const windows_t *p = job;
  const windows_args_t *a = &p->args;
  const window_t t = window_of(p, step);
  const dim4 input = {1, t.ins, t.h, t.w}, output = {1, t.outs, t.rows, t.cols};
  const dim2 kernel = {a->kernel_h, a->kernel_w}, stride = {a->stride_h, a->stride_w};
  const dim2 dilation = {a->dilation_h, a->dilation_w};
  const padding_t padding = {t.top, t.bottom, t.left, t.right};
  // Sums of several steps are kept in 32 bits.
  const bool several = p->deep > 1, begins = t.in == 0;
  const local_addr_t to = several ? work_part() : output_tile(step);
  tpu_bdc_fp_conv2d(to, input_tile(step), weight_tile(step), bias_tile(step), &input, NULL, t.outs, &kernel, &padding,
                    &stride, &dilation, several ? DT_FP32 : a->dtype, a->dtype, a->bias && begins, !begins);
  if (several && t.last && a->dtype == DT_FP32)
    tpu_bdc_cpy(output_tile(step), to, &output, NULL, NULL, DT_FP32);
  else if (several && t.last)
    tpu_bdc_cast(output_tile(step), to, &output, NULL, NULL, a->dtype, DT_FP32, RM_HALF_TO_EVEN);
}

int conv2d(const void *arguments) {
  const windows_args_t *args = (const windows_args_t *)arguments;
  tpu_initialize();
  const windows_t job = plan_conv(args, tpu_data_type_size(args->dtype));
  const stages_t stages = {load_conv, compute, store_conv};
  run_pipeline(&stages, &job, job.steps);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(conv2d);
