// Operands of segments at strides.
#pragma once
#include "ports.h"

namespace [[gnu::visibility("hidden")]] mlusim {

// The segments of an operand, one after the other, the outermost axis being the slowest.
class Segments {
 public:
  // Those of an operand of the call whose numbers a port has; `low` is the first byte of all.
  Segments(const mlusim_native_port& port, int operand, uint64_t low);

  uint64_t run() const { return run_; }  // bytes of each
  uint64_t count() const { return count_; }

  // The address of a segment; then it is the turn of the next.
  uint64_t next();

 private:
  struct Axis {
    int64_t count, stride, at;
  };

  Axis axes_[MLUSIM_MOST_AXES];  // those outside of a segment
  int outer_ = 0;
  uint64_t address_, run_ = 0, count_ = 1;
};

// Copies the segments of the second operand of a port to those of the first, in order.
void copy_segments(const mlusim_native_port& port);

// Whether what an operand touches has been written, by flags.
bool are_written(const mlusim_native_port& port, int operand);

// Notes that it has been.
void note_segments(const mlusim_native_port& port, int operand);

// The numbers of the operands of a port at strides, as they were given.
void note_shape(const mlusim_native_port& port, mlusim_shape& shape);

}  // namespace mlusim
