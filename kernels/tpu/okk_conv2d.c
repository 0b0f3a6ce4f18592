// Convolutions of images on the BM1684.
#define OKK
#include "conv2d.h"

static void compute(const void *job, int step) {
  const windows_t *p = job;
  const windows_args_t *a = &p->args;
  const window_t t = window_of(p, step);
  const dim4 input = {1, t.ins, t.h, t.w}, output = {1, t.outs, t.rows, t.cols};
  const int kernel = a->kernel_h * a->kernel_w, pairs = (t.ins + 1) / 2;
  const dim4 weights = {kernel, pairs * kernel, a->kernel_w, 1};  // in pairs
  const dim2 stride = {a->stride_h, a->stride_w}, dilation = {a->dilation_h, a->dilation_w};
  const Padding padding = {t.top, t.bottom, t.left, t.right};
  const bool several = p->deep > 1, begins = t.in == 0;
  const local_addr_t to = several ? work_part() : output_tile(step);
  okk_bdc_conv2d(to, input_tile(step), weight_tile(step), bias_tile(step), &input, t.outs, a->kernel_h, a->kernel_w,
                 NULL, &weights, a->bias && begins, !begins, &padding, &stride, &dilation);
  if (several && t.last) okk_bdc_32bit_cpy(output_tile(step), to, &output, NULL, NULL);
}

void conv2d(const void *arguments) {
  okk_initialize();
  const windows_t job = plan_conv((const windows_args_t *)arguments, 4);
  const stages_t stages = {load_conv, compute, store_conv};
  run_pipeline(&stages, &job, job.steps);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(conv2d);
