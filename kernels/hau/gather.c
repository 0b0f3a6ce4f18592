// Gathers lines of a table in global memory by index, each core indices of its own.
#include "../tpu/share.h"

// Pieces of so many indices start at a multiple of 64 bytes in the indices and, whatever a line's length, in the output.
#define INDICES_PER_STEP 64

typedef struct {
  global_addr_t output;   // [index_num, line_len]
  global_addr_t table;    // [line_num, line_len]
  global_addr_t indices;  // [index_num], uint32
  int line_num, line_len, index_num;
  int dtype;
  uint32_t fill;  // the bits of one element, in the low bytes
} gather_args_t;

// output[i] = table[indices[i]] where 0 <= indices[i] < line_num, elsewhere fill.
int hau_gather(const void *arguments) {
  const gather_args_t a = *(const gather_args_t *)arguments;
  tpu_initialize();
  const share_t mine = share_of_core(a.index_num, INDICES_PER_STEP);
  if (mine.begin < mine.end) {
    const uint64_t line_bytes = (uint64_t)a.line_len * tpu_data_type_size(a.dtype);
    tpu_hau_line_gather(a.output + mine.begin * line_bytes, a.table, a.indices + mine.begin * sizeof(uint32_t),
                        (scalar_t){.u32 = a.fill}, a.line_num, a.line_len, mine.end - mine.begin, 0,
                        a.line_num - 1, a.dtype, true);
  }
  tpu_hau_poll();
  tpu_sync_all();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(hau_gather);
