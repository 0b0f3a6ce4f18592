// Carries out instructions as their tables say. Whatever is out of the ordinary is left to the port in Python, which
// finds everything as it was.
#include "ports.h"

#include <math.h>
#include <time.h>

#include "access.h"
#include "blocks.h"
#include "late.h"
#include "process.h"
#include "python.h"
#include "ranges.h"
#include "runs.h"

mlusim_native_ports* mlusim_native;
int mlusim_native_on, mlusim_native_late, mlusim_native_timed;

extern "C" bool mlusim_issue_natively(uint64_t call, const int64_t* passed, const int64_t* on_stack)
    __attribute__((visibility("hidden")));

namespace mlusim {

namespace {

constexpr int POISON = 0xff;  // of every byte: NaN

using Loop = void (*)(char** arguments, const intptr_t* counts, const intptr_t* strides, void* data);

// An operand that has been found.
struct Found {
  mlusim_range* range;
  uint64_t address, bytes;

  uint64_t end() const { return address + bytes; }
  bool meets(const Found& other) const { return address < other.end() && other.address < end(); }
};

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b && (a < 0) != (b < 0)); }

// Computes counts and conditions; false where one does not hold, or a number is too large for a register.
bool compute(const mlusim_native_port& port) {
  int64_t* numbers = port.numbers;
  const mlusim_step* end = port.steps + port.step_count;
  for (const mlusim_step* step = port.steps; step != end; step++) {
    const int64_t a = numbers[step->a], b = numbers[step->b];
    int64_t& to = numbers[step->to];
    switch (step->kind) {
      case MLUSIM_ADD:
        if (__builtin_add_overflow(a, b, &to)) return false;
        break;
      case MLUSIM_SUBTRACT:
        if (__builtin_sub_overflow(a, b, &to)) return false;
        break;
      case MLUSIM_MULTIPLY:
        if (__builtin_mul_overflow(a, b, &to)) return false;
        break;
      case MLUSIM_DIVIDE:
      case MLUSIM_REMAINDER:
        if (b == 0 || (a == INT64_MIN && b == -1)) return false;
        to = step->kind == MLUSIM_DIVIDE ? floor_divide(a, b) : a - floor_divide(a, b) * b;
        break;
      case MLUSIM_MASK:
        to = a & b;
        break;
      case MLUSIM_LESS:
        to = a < b;
        break;
      case MLUSIM_LESS_EQUAL:
        to = a <= b;
        break;
      case MLUSIM_EQUAL:
        to = a == b;
        break;
      case MLUSIM_UNEQUAL:
        to = a != b;
        break;
      case MLUSIM_BOTH:
        to = a && b;
        break;
      case MLUSIM_EITHER:
        to = a || b;
        break;
      case MLUSIM_NOT:
        to = !a;
        break;
      case MLUSIM_SMALLER:
        to = a < b ? a : b;
        break;
      case MLUSIM_LARGER:
        to = a > b ? a : b;
        break;
      default:
        if (!a) return false;
    }
  }
  return true;
}

// Finds the memory of an operand, aligned, all of it in one variable or array, and what is read of it written.
bool find(const mlusim_native_operand& operand, const int64_t* numbers, Found& found) {
  const int64_t bytes = numbers[operand.bytes];
  found.address = (uint64_t)numbers[operand.address];
  found.bytes = (uint64_t)bytes;
  if (bytes <= 0 || found.address % operand.size) return false;
  found.range = operand.shared ? range_of(memory.common, memory.common_count, found.address, found.bytes)
                               : own_range(found.address, found.bytes);
  if (!found.range || found.range->key < operand.first_key || found.range->key >= operand.end_key) return false;
  if (!is_doubtful(*found.range, found.address, found.bytes)) return true;
  if (!has_flags(*found.range)) return memory.in_order(*found.range, found.address, found.bytes, !operand.reads);
  return !operand.reads || all_written(flags_of(*found.range, found.address), found.bytes);
}

// NaN is what one reads who does not wait: it comes to those bytes of an operand that nobody has written.
void poison(const Found& found) {
  const mlusim_range& range = *found.range;
  if (!has_flags(range)) {
    if (found.address >= range.touched && found.end() <= range.until) return;
    const uint64_t low = found.address < range.holes->lo ? range.holes->lo : found.address;
    const uint64_t high = found.end() > range.holes->hi ? range.holes->hi : found.end();
    memset((char*)low, POISON, high - low);
    return;
  }
  const uint8_t* flags = flags_of(range, found.address);
  for (uint64_t i = 0; i < found.bytes; i++)
    if (!flags[i]) ((uint8_t*)found.address)[i] = POISON;
}

// Notes that all of an operand has been written, or is going to be.
void note_written(const Found& found, bool late) {
  if (!is_doubtful(*found.range, found.address, found.bytes)) return;
  if (late) poison(found);
  if (!has_flags(*found.range))
    memory.note_in_order(*found.range, found.address, found.bytes);
  else if (!all_written(flags_of(*found.range, found.address), found.bytes))
    memory.note_first_write(*found.range, found.address, found.bytes);
}

// Whether operands coincide where an output meets others, so that no order of elements matters.
bool are_apart(const mlusim_native_port& port, const Found* found) {
  for (int i = 0; i < port.operand_count; i++)
    for (int k = 0; k < port.operand_count && port.operands[i].writes; k++)
      if (k != i && found[i].meets(found[k]) &&
          (found[i].address != found[k].address || found[i].bytes != found[k].bytes))
        return false;
  return true;
}

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
bool as_element(const mlusim_native_input& input, int64_t number, char* element) {
  double value;
  memcpy(&value, &number, sizeof value);
  if (input.type == MLUSIM_DOUBLE) {
    memcpy(element, &value, sizeof value);
  } else if (input.type == MLUSIM_FLOAT) {
    float narrow = (float)value;
    memcpy(element, &narrow, sizeof narrow);
  } else if (input.type == MLUSIM_HALF) {
    uint16_t bits;
    if (!as_half(value, bits)) return false;
    memcpy(element, &bits, sizeof bits);
  } else {
    const int bits = 8 * input.width;
    const bool natural = input.type == MLUSIM_NATURAL;
    if (bits < 64 &&
        (natural ? number < 0 || number >> bits : number < -(1ll << (bits - 1)) || number >= 1ll << (bits - 1)))
      return false;
    memcpy(element, &number, input.width);
  }
  return true;
}

// What a loop of NumPy's is called with.
struct LoopCall {
  char* arguments[MLUSIM_MOST_OPERANDS + 1];
  intptr_t strides[MLUSIM_MOST_OPERANDS + 1];
  alignas(16) char values[MLUSIM_MOST_OPERANDS][8];

  // False where a number does not fit.
  bool prepare(const mlusim_native_port& port, const Found* found) {
    for (int i = 0; i < port.input_count; i++) {
      const mlusim_native_input& input = port.inputs[i];
      strides[i] = input.operand < 0 ? 0 : input.width;
      arguments[i] = input.operand < 0 ? values[i] : (char*)found[input.operand].address;
      if (input.operand < 0 && !as_element(input, port.numbers[input.number], values[i])) return false;
    }
    return true;
  }

  void run(const mlusim_native_port& port, char* output, intptr_t count) {
    const int last = port.input_count;
    arguments[last] = output;
    strides[last] = port.effect == MLUSIM_TRUTH ? 1 : port.operands[0].size;
    ((Loop)port.loop)(arguments, &count, strides, (void*)port.data);
  }

  // Elements that are 1 where a condition holds, else 0.
  void run_truths(const mlusim_native_port& port, char* output, intptr_t count) {
    constexpr intptr_t MOST = 4096;
    static uint8_t truths[MOST];
    const size_t size = port.operands[0].size;
    LoopCall part = *this;
    for (intptr_t from = 0; from < count; from += MOST) {
      const intptr_t many = count - from < MOST ? count - from : MOST;
      part.run(port, (char*)truths, many);
      for (intptr_t i = 0; i < many; i++, output += size) {
        const uint64_t element = truths[i] ? port.one : 0;
        memcpy(output, &element, size);
      }
      for (int i = 0; i < port.input_count; i++) part.arguments[i] += many * strides[i];
    }
  }

  void run_rows(const mlusim_native_port& port, const Found* found) {
    const intptr_t count = (intptr_t)port.numbers[port.elements];
    char* output = (char*)found[0].address;
    for (int64_t row = 0; row < port.numbers[port.rows]; row++, output += count * port.operands[0].size) {
      if (port.effect == MLUSIM_TRUTH)
        run_truths(port, output, count);
      else
        run(port, output, count);
      for (int i = 0; i < port.input_count; i++)
        if (!port.inputs[i].repeated) arguments[i] += count * strides[i];
    }
  }
};

void note_row(const mlusim_native_port& port, const Found* found, int64_t pc) {
  mlusim_row& row = runs.issued(port.op, port.pipe, port.flags, pc, (uint64_t)port.numbers[port.work]);
  for (int i = 0; i < port.operand_count; i++) {
    row.operands[i].key = found[i].range->key + (found[i].address - found[i].range->start);
    row.operands[i].bytes = found[i].bytes;
  }
}

uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// Lets the effects happen that an instruction waits for.
void settle(const mlusim_native_port& port, const Found* found) {
  uint64_t pipes = port.waits;
  for (int i = 0; i < port.operand_count; i++)
    pipes |= late.pipes_on(found[i].address, found[i].bytes, port.operands[i].writes);
  late.drain(pipes);
}

// A copy now, or when a wait asks for it.
void copy(const mlusim_native_port& port, const Found& to, const Found& from) {
  if (port.effect == MLUSIM_LATE_COPY)
    late.add({to.address, from.address, to.bytes, port.pipe});
  else
    memmove((char*)to.address, (const char*)from.address, to.bytes);
}

// Whether effects that wait stand in the way of an instruction: those that Python keeps, or one more.
bool has_to_wait(const mlusim_native_port& port) {
  if (port.waits && mlusim_current->pending) return true;
  return port.effect == MLUSIM_LATE_COPY && (!mlusim_native_late || late.is_full());
}

// The kernel's code is left as far as an instruction is carried out here.
void leave_kernel() {
  announced[0] = announced[1] = {};
  process.in_kernel = 0;
}

// The running core has no part in the instruction.
bool skip(int64_t pc) {
  leave_kernel();
  runs.interrupt(pc);
  return true;
}

// Carries out an instruction, and is out of the kernel then; or does nothing, and leaves it where it was.
bool carry_out(const mlusim_native_port& port, int64_t pc) {
  if (port.python_for >> mlusim_current->role & 1) return false;
  if (port.skipped_by >> mlusim_current->role & 1) return skip(pc);
  if (has_to_wait(port)) return false;
  if (!compute(port) || port.numbers[port.work] < 0) return false;
  Found found[MLUSIM_MOST_OPERANDS];
  for (int i = 0; i < port.operand_count; i++)
    if (!find(port.operands[i], port.numbers, found[i])) return false;
  if (port.operand_count > 1 && !are_apart(port, found)) return false;
  LoopCall loop;
  if (!loop.prepare(port, found)) return false;
  // Nothing stands in its way.
  leave_kernel();
  note_row(port, found, pc);
  if (port.waits) settle(port, found);
  for (int i = 0; i < port.operand_count; i++)
    if (port.operands[i].writes) note_written(found[i], port.effect == MLUSIM_LATE_COPY);
  if (port.effect == MLUSIM_COPY || port.effect == MLUSIM_LATE_COPY)
    copy(port, found[0], found[1]);
  else if (port.effect != MLUSIM_WAIT)
    loop.run_rows(port, found);
  return true;
}

}  // namespace

}  // namespace mlusim

using namespace mlusim;

bool mlusim_issue_natively(uint64_t call, const int64_t* passed, const int64_t* on_stack) {
#if defined(__aarch64__)
  constexpr int IN_REGISTERS = 15;  // see issue.cpp
#else
  constexpr int IN_REGISTERS = 13;
#endif
  const uint64_t number = call >> MLUSIM_NUMBER_SHIFT;
  if (!mlusim_native_on || !process.in_kernel || process.loading || process.time_is_up) return false;
  if (number >= mlusim_port_count || blocks.is_busy() || muted.waits()) return false;
  if (mlusim_seen && runs.are_open()) return false;
  const auto argument = [&](int64_t at) { return at < IN_REGISTERS ? passed[at] : on_stack[at - IN_REGISTERS]; };
  mlusim_native_ports& ports = mlusim_native[number];
  const int64_t chosen = ports.selected_by < 0 ? 0 : (int32_t)argument(ports.selected_by);
  if (chosen < 0 || chosen >= ports.count || !ports.cases[chosen]) return false;
  const mlusim_native_port& port = *ports.cases[chosen];
  for (int i = 0; i < port.argument_count; i++) port.numbers[i] = argument(port.arguments[i]);
  const int64_t pc = (int64_t)(call & ((1ull << MLUSIM_NUMBER_SHIFT) - 1));
  const uint64_t begun = mlusim_native_timed ? now() : 0;
  if (!carry_out(port, pc)) return false;
  if (mlusim_native_timed) {
    ports.nanoseconds += now() - begun;
    ports.times++;
  }
  runs.pause();
  back(pc);
  return true;
}
