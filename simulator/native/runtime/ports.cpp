// Carries out instructions as their tables say. Whatever is out of the ordinary is left to the port in Python, which
// finds everything as it was.
#include "ports.h"

#include <time.h>

#include <utility>

#include "access.h"
#include "again.h"
#include "blocks.h"
#include "carry.h"
#include "late.h"
#include "loops.h"
#include "process.h"
#include "python.h"
#include "ranges.h"
#include "runs.h"
#include "segments.h"

mlusim_native_ports* mlusim_native;
int mlusim_native_on, mlusim_native_late, mlusim_native_timed;

extern "C" bool mlusim_issue_natively(uint64_t call, const int64_t* passed, const int64_t* on_stack)
    __attribute__((visibility("hidden")));

namespace mlusim {

void leave_kernel() {
  mlusim_last_announced[0] = mlusim_last_announced[1] = {};
  process.in_kernel = 0;
}

namespace {

using Found = mlusim_native_place;

uint64_t end_of(const Found& found) { return found.address + found.bytes; }

bool meet(const Found& one, const Found& other) { return one.address < end_of(other) && other.address < end_of(one); }

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

// Finds the memory of an operand, aligned, all of it in one variable or array.
bool find(const mlusim_native_operand& operand, const int64_t* numbers, Found& found) {
  const int64_t bytes = numbers[operand.bytes];
  found.address = (uint64_t)numbers[operand.address];
  found.bytes = (uint64_t)bytes;
  if (bytes <= 0 || found.address % operand.size) return false;
  found.range = operand.shared ? range_of(memory.common, memory.common_count, found.address, found.bytes)
                               : own_range(found.address, found.bytes);
  return found.range && found.range->key >= operand.first_key && found.range->key < operand.end_key;
}

bool is_strided(const mlusim_native_port& port) { return port.effect == MLUSIM_STRIDED_COPY; }

// The range of an operand has flags from now on; false where it can have none.
bool get_flags(const Found& found) {
  if (!has_flags(*found.range)) keep_flags(found.address);
  return has_flags(*found.range);
}

// Whether what is read of an operand has been written, or `partly` has a bit for it from now on; and what is written
// can be noted.
bool is_written(const mlusim_native_port& port, int number, uint64_t& partly) {
  const mlusim_native_operand& operand = port.operands[number];
  const Found& found = port.plan.found[number];
  if (!is_doubtful(*found.range, found.address, found.bytes)) return true;
  if (!has_flags(*found.range)) {
    if (!is_strided(port) && memory.in_order(*found.range, found.address, found.bytes, !operand.reads)) return true;
    if (operand.reads && operand.carried == MLUSIM_NOTHING) return false;
    if (!get_flags(found)) return false;
  }
  if (!operand.reads) return true;
  if (is_strided(port) ? are_written(port, number) : all_written(flags_of(*found.range, found.address), found.bytes))
    return true;
  partly |= 1ull << number;
  return passes_on(port, number);
}

// Who does not wait reads what fresh memory holds: it comes to the uninitialized bytes of an operand.
void poison(const Found& found) {
  const mlusim_range& range = *found.range;
  const auto fresh = (uint8_t)range.holes->poison;
  if (!has_flags(range)) {
    if (found.address >= range.touched && end_of(found) <= range.until) return;
    const uint64_t low = found.address < range.holes->lo ? range.holes->lo : found.address;
    const uint64_t high = end_of(found) > range.holes->hi ? range.holes->hi : end_of(found);
    memset((char*)low, fresh, high - low);
    return;
  }
  const uint8_t* flags = flags_of(range, found.address);
  for (uint64_t i = 0; i < found.bytes; i++)
    if (!flags[i]) ((uint8_t*)found.address)[i] = fresh;
}

// Notes that all of an operand has been written, or is going to be.
void note_written(const mlusim_native_port& port, int number) {
  const Found& found = port.plan.found[number];
  if (!is_doubtful(*found.range, found.address, found.bytes)) return;
  if (is_strided(port)) return note_segments(port, number);
  if (port.effect == MLUSIM_LATE_COPY) poison(found);
  if (!has_flags(*found.range))
    memory.note_in_order(*found.range, found.address, found.bytes);
  else if (!all_written(flags_of(*found.range, found.address), found.bytes))
    memory.note_first_write(*found.range, found.address, found.bytes);
}

// Whether no order of elements matters: operands coincide where an output meets others, no table among them; or, of one
// row of elements, what is written is never ahead of what is read, and goes by way of a stage.
bool are_apart(mlusim_native_port& port) {
  const Found* found = port.plan.found;
  for (int i = 0; i < port.operand_count; i++)
    for (int k = 0; k < port.operand_count && port.operands[i].writes; k++) {
      if (k == i || !meet(found[i], found[k])) continue;
      if (is_table(port, k) || is_strided(port)) return false;
      if (found[i].address == found[k].address && found[i].bytes == found[k].bytes) continue;
      if (port.effect != MLUSIM_LOOPS || port.numbers[port.rows] != 1) return false;
      if (found[i].address > found[k].address || port.operands[i].size > port.operands[k].size) return false;
      port.plan.staged = true;
    }
  return true;
}

// Whether the operands of a copy have as many segments of as many bytes.
bool fit_together(const mlusim_native_port& port) {
  const Segments to(port, 0, 0), from(port, 1, 0);
  return to.count() == from.count() && to.run() == from.run();
}

// Works out what a call comes to; false where it is not the plain way.
bool make_plan(mlusim_native_port& port) {
  mlusim_native_plan& plan = port.plan;
  plan.launch = 0;
  plan.staged = false;
  if (!compute(port) || port.numbers[port.work] < 0) return false;
  for (int i = 0; i < port.operand_count; i++)
    if (!find(port.operands[i], port.numbers, plan.found[i])) return false;
  if ((port.operand_count > 1 && !are_apart(port)) || !plan_loops(port)) return false;
  if (is_strided(port) && !fit_together(port)) return false;
  plan.launch = memory.launch;
  plan.generation = mlusim_current->generation;
  return true;
}

bool has_plan(const mlusim_native_port& port) {
  return port.plan.launch == memory.launch && port.plan.generation == mlusim_current->generation;
}

void note_row(const mlusim_native_port& port, const Found* found, int64_t pc) {
  runs.issued(port.op, port.pipe, port.flags, pc, (uint64_t)port.numbers[port.work]);
  if (is_strided(port)) note_shape(port, runs.shape());
  for (int i = 0; i < port.operand_count; i++)
    runs.operand(found[i].range->key + (found[i].address - found[i].range->start), found[i].bytes);
}

uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// Lets the effects happen that an instruction waits for.
void settle(const mlusim_native_port& port, const Found* found) {
  uint64_t pipes = port.waits;
  if (!(port.flags & MLUSIM_ATOMIC))
    for (int i = 0; i < port.operand_count; i++)
      pipes |= late.pipes_on(found[i].address, found[i].bytes, port.operands[i].writes);
  late.drain(pipes);
}

// A copy now, or when a wait asks for it.
void copy(const mlusim_native_port& port, const Found& to, const Found& from) {
  if (port.effect == MLUSIM_LATE_COPY)
    late.add({to.address, from.address, to.bytes, port.pipe, nullptr});
  else
    memmove((char*)to.address, (const char*)from.address, to.bytes);
}

// Whether effects that wait stand in the way of an instruction: those that Python keeps, or one more.
bool has_to_wait(const mlusim_native_port& port) {
  if (port.waits && mlusim_current->pending) return true;
  return port.effect == MLUSIM_LATE_COPY && (!mlusim_native_late || late.is_full());
}

// The running core has no part in the instruction.
bool skip(int64_t pc) {
  leave_kernel();
  runs.close(WORTH, pc);
  return true;
}

// Opens or closes the section in which queues run side by side.
bool move_section(const mlusim_native_port& port, int64_t pc) {
  const bool opens = port.effect == MLUSIM_OPEN;
  if (!mlusim_native_late || (mlusim_current->section != 0) == opens) return false;
  leave_kernel();
  if (!late.turn()) {
    process.in_kernel = 1;
    return false;
  }
  if (mlusim_status) return true;
  late.move_section(opens, port.op, pc);
  note_row(port, nullptr, pc);
  return true;
}

// Carries out an instruction, and is out of the kernel then; or does nothing, and leaves it where it was. `known`: its
// numbers are those of the last call.
bool carry_out(mlusim_native_port& port, bool known, int64_t pc) {
  if (!known) port.plan.launch = 0;
  const bool planned = has_plan(port);  // its table of ranges is of this core
  if (!planned) {
    if (port.python_for >> mlusim_current->role & 1) return false;
    if (port.skipped_by >> mlusim_current->role & 1) return skip(pc);
    if (port.effect == MLUSIM_OPEN || port.effect == MLUSIM_CLOSE) return compute(port) && move_section(port, pc);
  }
  if (has_to_wait(port)) return false;
  if (!planned && !make_plan(port)) return false;
  const Found* found = port.plan.found;
  const int count = port.operand_count;
  bool doubtful = false;
  for (int i = 0; i < count; i++) doubtful |= is_doubtful(*found[i].range, found[i].address, found[i].bytes);
  uint64_t partly = 0;
  for (int i = 0; i < count && doubtful; i++)
    if (!is_written(port, i, partly)) return false;
  if (partly && !get_flags(found[0])) return false;
  if (port.plan.tests && !pass_tests(port)) return false;
  // Nothing stands in its way.
  leave_kernel();
  note_row(port, found, pc);
  if (port.waits) settle(port, found);
  if (partly) carry(port, partly);
  for (int i = 0; i < count && doubtful && !partly; i++)
    if (port.operands[i].writes) note_written(port, i);
  if (port.effect == MLUSIM_COPY || port.effect == MLUSIM_LATE_COPY)
    copy(port, found[0], found[1]);
  else if (is_strided(port))
    copy_segments(port);
  else if (port.effect == MLUSIM_LOOPS)
    run_loops(port);
  return true;
}

// The native port that a call takes.
template <typename Argument>
bool issue(mlusim_native_ports& ports, const Argument& argument, int64_t pc) {
  const int64_t chosen = ports.selected_by < 0 ? 0 : (int32_t)argument(ports.selected_by);
  if (chosen < 0 || chosen >= ports.count || !ports.cases[chosen]) return false;
  mlusim_native_port& port = *ports.cases[chosen];
  bool known = true;
  for (int i = 0; i < port.argument_count; i++) {
    const int64_t number = argument(port.arguments[i]);
    known &= port.numbers[i] == number;
    port.numbers[i] = number;
  }
  return carry_out(port, known, pc);
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
  said.port = UINT64_MAX;
  if (number >= mlusim_port_count) return false;
  const auto argument = [&](int64_t at) { return at < IN_REGISTERS ? passed[at] : on_stack[at - IN_REGISTERS]; };
  mlusim_native_ports& ports = mlusim_native[number];
  if (ports.repeats) {
    said.port = number;
    for (int64_t i = 0; i < ports.argument_count; i++) said.words[i] = (uint64_t)argument(ports.arguments[i]);
    said.address = ports.outside >= 0 ? std::exchange(said.words[ports.outside], 0) : 0;
  }
  if (!mlusim_native_on || !process.in_kernel || process.loading || process.time_is_up) return false;
  if (blocks.is_busy() || muted.waits() || (mlusim_seen && runs.are_open())) return false;
  const int64_t pc = (int64_t)(call & ((1ull << MLUSIM_NUMBER_SHIFT) - 1));
  const uint64_t begun = mlusim_native_timed ? now() : 0;
  if (!(ports.repeats ? issue_again(ports, pc) : issue(ports, argument, pc))) return false;
  if (mlusim_native_timed) {
    ports.nanoseconds += now() - begun;
    ports.times++;
  }
  if (process.time_is_up || mlusim_status) back(pc);
  process.in_kernel = 1;
  return true;
}
