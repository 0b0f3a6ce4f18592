// A TPU-KERNEL source in C: HAU functions called as the host asks, and small kernels that are right or wrong in one thing.
#include "tpu_kernel.h"

typedef struct {
  uint64_t a[10];  // the arguments of the function, in its order; addresses included
  int function;
} call_t;

// One call of one function, whose arguments are whatever the host passed.
int call(const void *arguments) {
  const call_t *c = arguments;  // C converts void *; C++ does not
  const uint64_t *a = c->a;
  tpu_initialize();
  switch (c->function) {
    case 0: tpu_hau_sort(a[0], a[1], a[2], a[3], a[4], a[5]); break;
    case 1: tpu_hau_sort_natural_index(a[0], a[1], a[2], a[3], a[4], a[5], a[6]); break;
    case 2: tpu_hau_sort_specific_index(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]); break;
    case 3: tpu_hau_sort_general(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]); break;
    case 4: {
      const scalar_t C = {.u32 = 0};
      tpu_hau_line_gather(a[0], a[1], a[2], C, a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
      break;
    }
  }
  tpu_hau_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(call);

typedef struct {
  global_addr_t out, in;
  int n, k;
  int flags;
} sort_t;

enum { POLL = 1, INVALIDATE = 2, BEYOND = 4, STORE = 8, FLUSH = 16, STORE_TO_INPUT_TOO_EARLY = 32, SORT_AGAIN = 64 };

// Sorts and reads the first result, with or without the waits and the cache maintenance that this takes.
int read_result(const void *arguments) {
  const sort_t s = *(const sort_t *)arguments;
  float *out = tpu_global_mem_addr(s.out), *in = tpu_global_mem_addr(s.in);
  tpu_initialize();
  if (s.flags & STORE) in[0] = -100;
  if (s.flags & FLUSH) tpu_flush_cache(s.in, 64);
  tpu_hau_sort(s.out, s.in, s.n, s.k, false, DT_FP32);
  if (s.flags & STORE_TO_INPUT_TOO_EARLY) in[0] = 1;
  if (s.flags & SORT_AGAIN) tpu_hau_sort(s.in, s.out, s.k, s.k, true, DT_FP32);
  if (s.flags & POLL) tpu_hau_poll();
  if (s.flags & INVALIDATE) tpu_invalidate_cache(s.out, ALIGN(s.n * sizeof(float), 64));
  printf("first %g\n", out[0]);
  if (s.flags & BEYOND) printf("beyond %g\n", out[s.k]);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(read_result);

// Reads more of a block of the heap (of n elements) than was taken, if k is larger than n.
int use_heap(const void *arguments) {
  const sort_t *s = arguments;
  int *block = malloc(s->n * sizeof(int)), sum = 0;
  for (int i = 0; i < s->n; ++i) block[i] = i;
  block = realloc(block, 2 * s->n * sizeof(int));
  for (int i = s->n; i < 2 * s->n; ++i) block[i] = block[i - s->n];
  for (int i = 0; i < 2 * s->k; ++i) sum += block[i];
  printf("sum %d\n", sum);
  free(block);
  return 0;
}
TPUKERNEL_FUNC_REGISTER(use_heap);

int check(const void *arguments) {
  const sort_t *s = arguments;
  TPUKERNEL_ASSERT(s->k <= s->n);
  return 0;
}
TPUKERNEL_FUNC_REGISTER(check);

// Every core sorts a part of its own; then all cores but one (flags: its number, or -1) meet.
int meet(const void *arguments) {
  const sort_t *s = arguments;
  const int part = s->n / tpu_core_num(), first = part * tpu_core_index();
  tpu_initialize();
  tpu_hau_sort(s->out + first * sizeof(float), s->in + first * sizeof(float), part, part, false, DT_FP32);
  tpu_hau_poll();
  if (tpu_core_index() != s->flags) tpu_sync_all();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(meet);

int sign_of(const void *arguments) {
  (void)arguments;
  const dim4 shape = {.w = 16, .h = 1, .c = 1, .n = 1};  // C++ wants the fields in their order
  tpu_bdc_sign(0, 0, &shape, DT_FP32);
  return 0;
}
TPUKERNEL_FUNC_REGISTER(sign_of);
