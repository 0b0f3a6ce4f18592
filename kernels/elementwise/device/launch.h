// What the host tells the kernel, and where a core is in its work. The host's side of the structures is launching.py.
#pragma once
#include <mlu.h>

#if __BANG_ARCH__ < 322
#error "elementwise needs __bang_pow2 and __bang_recip, which exist from BANG architecture 322 on; choose a newer device"
#endif

#define MAX_DIMS 7
#define MAX_INPUTS 2

enum Type { FLOAT, HALF, BFLOAT16, INT32, INT8, BOOL };

// One array. Offsets in NRAM count from the start of nram_buffer, in bytes; those of buffers that are not there are 0.
struct Operand {
  int64_t address;            // of the element at index 0 ... 0
  int64_t strides[MAX_DIMS];  // bytes; 0 where the array is broadcast
  int32_t type, element;      // Type, and its bytes
  int32_t stage[2];           // elements as they lie in GDRAM: buffers that copies take turns in, or one twice
  int32_t expanded;           // broadcast elements repeated
  int32_t values;             // elements in the type of the computation; the stage or the expanded ones where it is theirs
  int32_t one_row;            // every row of the output reads the same elements
  int32_t repeats;            // elements are repeated within a tile
};

// The output as rows of cols elements: the last axis makes the columns, all others together the rows.
struct Launch {
  Operand in[MAX_INPUTS], out;
  int64_t shape[MAX_DIMS];             // of the merged axes, from the outermost on; two at least
  int64_t rows, cols;
  int64_t slices, slices_across;       // slices in all, and side by side in a row
  int32_t slice_rows, slice_cols;      // at most 65535 elements
  int32_t tile_rows, tile_cols;        // what NRAM holds of a slice
  int32_t tiles, tiles_across;         // in a slice
  int32_t dims, inputs;
  int32_t compute, result;             // Type of the computation (FLOAT or INT32), and the type it is rounded to
  int32_t scratch, room;               // offset of the operator's own buffers, and elements in each
  int32_t scaled;                      // int8 with scales
  float scale[MAX_INPUTS + 1];         // of the inputs and of the output
  float doubt;                         // results so near the middle between two integers are rounded by the scalar unit
  float limits[2];                     // of clip; the first is the tolerance of equal, 0 without one
  int32_t whole_limits[2];             // of clip, in int32
};

// Part of the output: rows of cols elements each.
struct Box {
  int64_t row, col;
  int32_t rows, cols;
};

// The boxes of a core: of every taskDim-th slice all tiles.
struct Walk {
  int64_t slice;
  int32_t tile;
};

// Sets box to the next tile that has elements; false when there is none.
__mlu_func__ bool nextBox(const Launch &launch, Walk *walk, Box *box) {
  for (; walk->slice < launch.slices; walk->slice += taskDim, walk->tile = 0) {
    const int64_t slice_row = walk->slice / launch.slices_across * launch.slice_rows;
    const int64_t slice_col = walk->slice % launch.slices_across * launch.slice_cols;
    for (; walk->tile < launch.tiles; walk->tile++) {
      const int32_t down = walk->tile / launch.tiles_across * launch.tile_rows;
      const int32_t across = walk->tile % launch.tiles_across * launch.tile_cols;
      const int64_t row = slice_row + down, col = slice_col + across;
      const int64_t rows = std::min<int64_t>(launch.rows - row, std::min(launch.slice_rows - down, launch.tile_rows));
      const int64_t cols = std::min<int64_t>(launch.cols - col, std::min(launch.slice_cols - across, launch.tile_cols));
      if (rows > 0 && cols > 0) {
        *box = {row, col, (int32_t)rows, (int32_t)cols};
        walk->tile++;
        return true;
      }
    }
  }
  return false;
}
