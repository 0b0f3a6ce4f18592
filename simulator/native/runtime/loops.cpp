#include "loops.h"

#include <math.h>
#include <string.h>

#include "elements.h"
#include "exponential.h"

namespace mlusim {

namespace {

alignas(64) char parts[MLUSIM_MOST_PARTS + 1][MLUSIM_PART_ELEMENTS * 8];

// The bits of a number as a half; false where it is none.
bool as_half(double value, uint16_t& bits) {
  constexpr int BIAS = 15, FRACTION = 10;
  const double size = fabs(value);
  if (!(size < 65536)) return false;
  int exponent = size < 0x1p-14 ? 1 - BIAS : ilogb(size);
  const double fraction = ldexp(size, FRACTION - exponent);
  if (fraction != floor(fraction)) return false;
  const int normal = size < 0x1p-14 ? 0 : (exponent + BIAS - 1) << FRACTION;
  bits = (uint16_t)((signbit(value) ? 0x8000 : 0) | (normal + (int)fraction));
  return true;
}

// A number as an element; false where the element's type does not have it.
bool as_element(const mlusim_value& wanted, int64_t number, char* element) {
  double value;
  memcpy(&value, &number, sizeof value);
  if (wanted.element == MLUSIM_FLOAT64) {
    memcpy(element, &value, sizeof value);
  } else if (wanted.element == MLUSIM_FLOAT32) {
    float narrow = (float)value;
    memcpy(element, &narrow, sizeof narrow);
  } else if (wanted.element == MLUSIM_FLOAT16) {
    uint16_t bits;
    if (!as_half(value, bits)) return false;
    memcpy(element, &bits, sizeof bits);
  } else if (wanted.element == MLUSIM_BOOL) {
    const bool holds = number != 0;
    memcpy(element, &holds, sizeof holds);
  } else {
    const int bits = 8 * wanted.width;
    const bool natural = wanted.element >= MLUSIM_UINT8;
    if (bits < 64 &&
        (natural ? number < 0 || number >> bits : number < -(1ll << (bits - 1)) || number >= 1ll << (bits - 1)))
      return false;
    memcpy(element, &number, wanted.width);
  }
  return true;
}

}  // namespace

bool plan_loops(mlusim_native_port& port) {
  mlusim_native_plan& plan = port.plan;
  plan.tests = 0;
  for (int i = 0; i < port.loop_count; i++)
    if (port.loops[i].kind == MLUSIM_TEST) plan.tests = (uint64_t)i + 1;
  for (int i = 0; i < port.value_count; i++) {
    const mlusim_value& value = port.values[i];
    if (value.kind == MLUSIM_AXIS) continue;
    plan.strides[i] = value.kind < MLUSIM_NUMBER ? value.width : 0;
    plan.places[i] = (uint64_t)&plan.elements[i];
    if (value.kind == MLUSIM_OPERAND)
      plan.places[i] = plan.found[value.at].address;
    else if (value.kind == MLUSIM_PART)
      plan.places[i] = (uint64_t)parts[value.at];
    else if (value.kind == MLUSIM_CONSTANT)
      plan.elements[i] = (uint64_t)port.numbers[value.at];
    else if (!as_element(value, port.numbers[value.at], (char*)&plan.elements[i]))
      return false;
  }
  return true;
}

namespace {

// One loop over `count` elements from one of a row on. `to`: where they go, if not to the operand.
[[gnu::always_inline]] inline void run(const mlusim_native_port& port, const mlusim_loop& loop, intptr_t row,
                                       intptr_t from, intptr_t count, char* to) {
  char* places[5];
  intptr_t strides[5];
  const int inputs = loop.input_count;
  for (int i = 0; i <= inputs; i++) {
    const int at = i < inputs ? loop.inputs[i] : loop.output;
    const mlusim_value& value = port.values[at];
    strides[i] = port.plan.strides[at];
    places[i] = (char*)port.plan.places[at];
    if ((row | from) && value.kind == MLUSIM_OPERAND) places[i] += (from + (value.repeated ? 0 : row)) * strides[i];
  }
  if (to) places[inputs] = to;
  const mlusim_value &made = port.values[loop.output], &taken = port.values[loop.inputs[0]];
  if (loop.kind == MLUSIM_NUMPY)
    ((NumpyLoop)loop.function)(places, &count, strides, (void*)loop.data);
  else if (loop.kind == MLUSIM_EXP)
    exp_for_floats((NumpyLoop)loop.function, (void*)loop.data, places, count);
  else if (loop.kind == MLUSIM_CAST)
    cast_of(taken.element, made.element)(places[0], strides[0], places[1], count);
  else if (loop.kind == MLUSIM_LOOK_UP)
    look_up({(const char*)port.plan.places[loop.inputs[0]], port.plan.found[taken.at].bytes / taken.width, taken.width},
            places[1], port.values[loop.inputs[1]].width, places[2], count);
  else
    choose(places[0], {places[1], places[2], strides[1], strides[2]}, places[3], count, made.width);
}

// All loops but tests, over elements that fit into a part.
void run_part(const mlusim_native_port& port, intptr_t row, intptr_t from, intptr_t count) {
  const mlusim_loop& last = port.loops[port.loop_count - 1];
  for (const mlusim_loop* loop = port.loops + port.plan.tests; loop < &last; loop++)
    run(port, *loop, row, from, count, nullptr);
  run(port, last, row, from, count, port.plan.staged ? parts[MLUSIM_MOST_PARTS] : nullptr);
  if (!port.plan.staged) return;
  const size_t size = port.operands[0].size;
  memcpy((char*)port.plan.found[0].address + (size_t)(row + from) * size, parts[MLUSIM_MOST_PARTS],
         (size_t)count * size);
}

// Tests, over elements that fit into a part.
bool test_part(const mlusim_native_port& port, intptr_t row, intptr_t from, intptr_t count) {
  for (const mlusim_loop* loop = port.loops; loop < port.loops + port.plan.tests; loop++) {
    if (loop->kind != MLUSIM_TEST)
      run(port, *loop, row, from, count, nullptr);
    else if (memchr((const char*)port.plan.places[loop->output], 0, (size_t)count))
      return false;
  }
  return true;
}

// What is done with parts, one after the other, for as long as it says yes.
template <typename Part>
bool each_part(const mlusim_native_port& port, const Part& part) {
  const intptr_t count = (intptr_t)port.numbers[port.elements], whole = count * (intptr_t)port.numbers[port.rows];
  for (intptr_t row = 0; row < whole; row += count)
    for (intptr_t from = 0; from < count; from += MLUSIM_PART_ELEMENTS)
      if (!part(row, from, count - from < MLUSIM_PART_ELEMENTS ? count - from : (intptr_t)MLUSIM_PART_ELEMENTS))
        return false;
  return true;
}

}  // namespace

bool is_table(const mlusim_native_port& port, int operand) {
  for (int i = 0; i < port.loop_count; i++) {
    const mlusim_loop& loop = port.loops[i];
    if (loop.kind == MLUSIM_LOOK_UP && port.values[loop.inputs[0]].at == operand) return true;
  }
  return false;
}

bool pass_tests(const mlusim_native_port& port) {
  return each_part(port,
                   [&](intptr_t row, intptr_t from, intptr_t count) { return test_part(port, row, from, count); });
}

void run_loops(const mlusim_native_port& port) {
  if (port.loop_count > 1 || port.plan.staged) {
    each_part(port, [&](intptr_t row, intptr_t from, intptr_t count) {
      run_part(port, row, from, count);
      return true;
    });
    return;
  }
  const intptr_t count = (intptr_t)port.numbers[port.elements], whole = count * (intptr_t)port.numbers[port.rows];
  for (intptr_t row = 0; row < whole; row += count) run(port, port.loops[0], row, 0, count, nullptr);
}

}  // namespace mlusim
