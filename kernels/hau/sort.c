// Sorts the rows of matrices in global memory, each core rows of its own. Elements have 4 bytes.
#include "../tpu/share.h"

typedef struct {
  // Results: [cores, room] elements each. A core puts the first k of its rows one after the other into its part.
  global_addr_t values, indices;
  global_addr_t input, input_indices;  // [rows, len] each; input_indices only for hau_sort_by_key
  int rows, len, k;
  int room;  // at least k for every row of a core, and len - k
  int descended;
  int dtype;
} sort_args_t;

// Addresses of the operands of one row.
typedef struct {
  global_addr_t values, indices, input, input_indices;
} row_t;

// HAU's results are as long as its input, and all but their first k elements become undefined. Commands run in order,
// so that the next row's results may lie there.
static row_t row_of(const sort_args_t *a, int row, int first_row) {
  const uint64_t size = sizeof(uint32_t);
  const uint64_t in = (uint64_t)row * a->len * size;
  const uint64_t out = ((uint64_t)tpu_core_index() * a->room + (uint64_t)(row - first_row) * a->k) * size;
  return (row_t){a->values + out, a->indices + out, a->input + in, a->input_indices + in};
}

// values, indices = the first k of every row in order and their positions in the row; equal values by position.
int hau_topk(const void *arguments) {
  const sort_args_t a = *(const sort_args_t *)arguments;
  tpu_initialize();
  const share_t mine = share_of_core(a.rows, 1);
  for (int row = mine.begin; row < mine.end; ++row) {
    const row_t at = row_of(&a, row, mine.begin);
    tpu_hau_sort_natural_index(at.values, at.indices, at.input, a.len, a.k, a.descended, a.dtype);
  }
  tpu_hau_poll();
  tpu_sync_all();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(hau_topk);

// values, indices = the first k of every row in order and the indices given with them; equal values by index.
int hau_sort_by_key(const void *arguments) {
  const sort_args_t a = *(const sort_args_t *)arguments;
  tpu_initialize();
  const share_t mine = share_of_core(a.rows, 1);
  for (int row = mine.begin; row < mine.end; ++row) {
    const row_t at = row_of(&a, row, mine.begin);
    tpu_hau_sort_specific_index(at.values, at.indices, at.input, at.input_indices, a.len, a.k, a.descended, a.dtype);
  }
  tpu_hau_poll();
  tpu_sync_all();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(hau_sort_by_key);
