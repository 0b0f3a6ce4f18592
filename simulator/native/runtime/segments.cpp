#include "segments.h"

#include <string.h>

#include "ranges.h"

namespace mlusim {

Segments::Segments(const mlusim_native_port& port, int operand, uint64_t low) : address_(low) {
  for (int i = 0; i < port.value_count; i++) {
    const mlusim_value& axis = port.values[i];
    if (axis.kind != MLUSIM_AXIS || axis.width != operand) continue;
    const int64_t count = port.numbers[axis.at], stride = port.numbers[axis.element];
    axes_[outer_++] = {count, stride, 0};
    run_ = (uint64_t)count;
    if (stride < 0) address_ -= (uint64_t)((count - 1) * stride);
    count_ *= (uint64_t)count;
  }
  outer_--;
  count_ /= run_;
}

uint64_t Segments::next() {
  const uint64_t address = address_;
  for (int i = outer_; i-- > 0;) {
    Axis& axis = axes_[i];
    address_ += (uint64_t)axis.stride;
    if (++axis.at < axis.count) break;
    address_ -= (uint64_t)(axis.count * axis.stride);
    axis.at = 0;
  }
  return address;
}

void copy_segments(const mlusim_native_port& port) {
  Segments to(port, 0, port.plan.found[0].address), from(port, 1, port.plan.found[1].address);
  for (uint64_t i = 0; i < to.count(); i++) {
    const uint64_t target = to.next();
    memcpy((char*)target, (const char*)from.next(), to.run());
  }
}

bool are_written(const mlusim_native_port& port, int operand) {
  const mlusim_native_place& found = port.plan.found[operand];
  Segments segments(port, operand, found.address);
  for (uint64_t i = 0; i < segments.count(); i++)
    if (!all_written(flags_of(*found.range, segments.next()), segments.run())) return false;
  return true;
}

void note_segments(const mlusim_native_port& port, int operand) {
  const mlusim_native_place& found = port.plan.found[operand];
  Segments segments(port, operand, found.address);
  for (uint64_t i = 0; i < segments.count(); i++)
    memory.note_first_write(*found.range, segments.next(), segments.run());
}

void note_shape(const mlusim_native_port& port, mlusim_shape& shape) {
  shape.made_by = (uint64_t)port.numbers[port.elements];
  int at = 0;
  for (int i = 0; i < port.value_count; i++) {
    const mlusim_value& axis = port.values[i];
    shape.numbers[at++] = port.numbers[axis.at];
    if (axis.repeated) shape.numbers[at++] = port.numbers[axis.element];
  }
}

}  // namespace mlusim
