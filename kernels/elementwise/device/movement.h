// How the elements of a box come to NRAM, are repeated there, and go back.
#pragma once
#include "launch.h"

__nram__ int8_t nram_buffer[(__MLU_NRAM_SIZE__ - 128) * 1024];  // the vendor's compiler keeps 128 KB

// What NRAM holds of an input.
struct Held {
  int64_t address;  // of the box's first element
  int32_t rows, cols;
  int32_t turn;     // the stage that it lies in
  bool fresh;       // it came with this box, and is still to be repeated and converted
};

__mlu_func__ bool fits(int64_t stride) { return stride == (int32_t)stride; }

// Copies rows of cols elements from one place with strides (bytes) to another, in one instruction where strides allow.
template <mluMemcpyDirection_t DIRECTION>
__mlu_func__ void copyBox(int64_t dst, int64_t dst_row, int64_t dst_col, int64_t src, int64_t src_row, int64_t src_col,
                          int32_t rows, int32_t cols, int32_t element) {
  if (rows > 1 && !(fits(dst_row) && fits(src_row))) {
    for (int32_t row = 0; row < rows; row++) {
      copyBox<DIRECTION>(dst + row * dst_row, 0, dst_col, src + row * src_row, 0, src_col, 1, cols, element);
    }
  } else if (cols == 1 || (dst_col == element && src_col == element)) {
    const int32_t size = cols * element;
    if (rows == 1) {
      __memcpy_async((void *)dst, (const void *)src, size, DIRECTION);
    } else {
      __memcpy_async((void *)dst, (const void *)src, size, DIRECTION, dst_row, src_row, rows - 1);
    }
  } else if (fits(dst_col) && fits(src_col)) {
    __memcpy_async((void *)dst, (const void *)src, element, DIRECTION, dst_col, cols - 1, rows > 1 ? dst_row : 0,
                   rows - 1, src_col, cols - 1, rows > 1 ? src_row : 0, rows - 1);
  } else {
    for (int32_t col = 0; col < cols; col++) {
      copyBox<DIRECTION>(dst + col * dst_col, dst_row, 0, src + col * src_col, src_row, 0, rows, 1, element);
    }
  }
}

// Calls part(address, first, rows, stride) for the parts of a box that an array has at a constant distance from row to
// row: address of the part's first element, its first row in the box, its rows, bytes from one to the next.
template <typename Part>
__mlu_func__ void forParts(const Launch &launch, const Operand &operand, const Box &box, Part part) {
  const int32_t last = launch.dims - 2;
  const int64_t begin = operand.address + box.col * operand.strides[launch.dims - 1];
  for (int32_t done = 0; done < box.rows;) {
    int64_t rest = box.row + done, address = begin;
    const int64_t at = rest % launch.shape[last];
    for (int32_t dim = last; dim >= 0; dim--) {
      address += rest % launch.shape[dim] * operand.strides[dim];
      rest /= launch.shape[dim];
    }
    const int32_t left = box.rows - done;
    const int32_t rows = operand.one_row ? left : (int32_t)std::min<int64_t>(left, launch.shape[last] - at);
    part(address, done, rows, operand.strides[last]);
    done += rows;
  }
}

// The distinct elements of a part: what is broadcast is copied once.
__mlu_func__ int32_t distinct(int32_t count, int64_t stride) { return stride == 0 ? 1 : count; }

// Begins to copy an input's elements of a box to its stage, unless NRAM holds them since the box before.
__mlu_func__ Held load(const Launch &launch, const Operand &input, const Box &box, const Held &before) {
  const int64_t col_stride = input.strides[launch.dims - 1];
  const int32_t cols = distinct(box.cols, col_stride);
  Held held = {0, box.rows, box.cols, 1 - before.turn, true};
  int64_t stage = (int64_t)nram_buffer + input.stage[held.turn];
  forParts(launch, input, box, [&](int64_t address, int32_t first, int32_t count, int64_t row_stride) {
    const int32_t rows = distinct(count, row_stride);
    if (first == 0) {
      held.address = address;
      if ((input.one_row || box.rows == 1) && before.address == address && before.rows == box.rows &&
          before.cols == box.cols) {
        held.turn = before.turn;
        held.fresh = false;
      }
    }
    if (!held.fresh) return;
    copyBox<GDRAM2NRAM>(stage, cols * input.element, input.element, address, row_stride, col_stride, rows, cols,
                        input.element);
    stage += rows * cols * input.element;
  });
  return held;
}

// Repeats the elements that are broadcast within the box.
__mlu_func__ void repeat(const Launch &launch, const Operand &input, const Box &box, const Held &held) {
  const bool one_col = input.strides[launch.dims - 1] == 0;
  const int32_t element = input.element, cols = one_col ? 1 : box.cols;
  int64_t stage = (int64_t)nram_buffer + input.stage[held.turn];
  forParts(launch, input, box, [&](int64_t, int32_t first, int32_t count, int64_t row_stride) {
    const int64_t target = (int64_t)nram_buffer + input.expanded + (int64_t)first * box.cols * element;
    copyBox<NRAM2NRAM>(target, box.cols * element, element, stage, row_stride == 0 ? 0 : cols * element,
                       one_col ? 0 : element, count, box.cols, element);
    stage += distinct(count, row_stride) * cols * element;
  });
  __sync_move();  // for a chip that copies from NRAM to NRAM in its move pipe
}

// Begins to copy a box of results from the stage to the output.
__mlu_func__ void store(const Launch &launch, const Box &box, int32_t turn) {
  const Operand &out = launch.out;
  const int64_t stage = (int64_t)nram_buffer + out.stage[turn];
  forParts(launch, out, box, [&](int64_t address, int32_t first, int32_t rows, int64_t row_stride) {
    copyBox<NRAM2GDRAM>(address, row_stride, out.strides[launch.dims - 1],
                        stage + (int64_t)first * box.cols * out.element, box.cols * out.element, out.element, rows,
                        box.cols, out.element);
  });
}
