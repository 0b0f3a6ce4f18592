#include "repeats.h"

#include <string.h>

#include "again.h"
#include "flushed.h"
#include "late.h"
#include "process.h"
#include "python.h"
#include "ranges.h"
#include "runs.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // loops in vectors
#endif

static_assert(sizeof(mlusim_repeat::said) == sizeof(uint64_t) * MLUSIM_MOST_SAID, "as many words as a call has");

namespace mlusim {

Said said;
Broken broken;

void Broken::add(mlusim_repeat& repeat) {
  if (!repeat.broken++) repeats_[count_++] = &repeat;
}

void Broken::hand_over() {
  if (!count_) return;
  const int count = count_;
  count_ = 0;
  process.answers.broken(repeats_, (uint64_t)count);
}

namespace {

constexpr unsigned NEAR = 8;  // places in which a call may be

// The places of a call in the table of its overload, one after the other.
uint64_t home_of(const mlusim_native_ports& ports) {
  uint64_t mixed = (uint64_t)mlusim_current->core;
  for (int64_t i = 0; i < ports.argument_count; i++) {
    mixed = (mixed ^ said.words[i]) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 32;
  }
  return mixed;
}

bool is_said(const mlusim_repeat& repeat, const mlusim_native_ports& ports) {
  return repeat.core == (uint64_t)mlusim_current->core &&
         !memcmp(repeat.said, said.words, sizeof *said.words * (size_t)ports.argument_count);
}

template <bool FLUSHES>
void widen(const mlusim_move& move) {
  auto* to = (double*)move.to;
  const auto* from = (const float*)move.from;
  for (uint64_t i = 0; i < move.count; i++) to[i] = flushed<FLUSHES>(from[i]);
}

// The range of system memory that holds the operand there, all of it written; or nullptr.
const mlusim_range* outside(const mlusim_repeat& repeat, const mlusim_tensor& operand, uint64_t low) {
  const mlusim_range* range = range_of(memory.common, memory.common_count, low, operand.bytes);
  const bool is_there = range && range->key >= repeat.first_key && range->key < repeat.end_key;
  return is_there && !is_doubtful(*range, low, operand.bytes) ? range : nullptr;
}

// Carries out a call as `carry_out` in ports.cpp does.
bool carry_out(mlusim_repeat& repeat, int64_t pc) {
  uint64_t keys[MLUSIM_MOST_TENSORS];
  for (int i = 0; i < repeat.operand_count; i++) {
    const mlusim_tensor& operand = repeat.operands[i];
    keys[i] = operand.key;
    if (operand.age) {
      if (*operand.age != operand.settled) return false;
      continue;
    }
    const uint64_t low = said.address + operand.key;
    const mlusim_range* range = outside(repeat, operand, low);
    if (!range) return false;
    keys[i] = range->key + (low - range->start);
  }
  if (!mlusim_native_late || late.is_full()) return false;
  if (repeat.broken_at && (repeat.broken_at != pc || broken.is_full())) return false;
  const bool serial = !mlusim_current->section;
  leave_kernel();
  if (serial && !late.turn()) {
    process.in_kernel = 1;
    return false;
  }
  if (mlusim_status) return true;
  if (repeat.broken_at) broken.add(repeat);
  runs.issued(repeat.op, repeat.pipe, (uint8_t)(repeat.flags | (serial ? MLUSIM_SERIAL : 0)), pc, repeat.work,
              repeat.gaps);
  runs.leave_out(repeat.runs, repeat.run_count);
  for (int i = 0; i < repeat.operand_count; i++) {
    const mlusim_tensor& operand = repeat.operands[i];
    runs.operand(keys[i], operand.bytes, operand.lane, operand.lanes);
  }
  late.add({0, said.address, 0, repeat.pipe, &repeat});
  return true;
}

}  // namespace

bool issue_again(const mlusim_native_ports& ports, int64_t pc) {
  const uint64_t home = home_of(ports);
  for (unsigned step = 0; step < NEAR; step++) {
    mlusim_repeat* repeat = ports.repeats[(home + step) & (MLUSIM_PLACES - 1)];
    if (!repeat) return false;
    if (is_said(*repeat, ports)) return carry_out(*repeat, pc);
  }
  return false;
}

}  // namespace mlusim

using namespace mlusim;

void mlusim_keep(mlusim_repeat* repeat) {
  for_python_alone();
  if (said.port >= mlusim_port_count) return;
  const mlusim_native_ports& ports = mlusim_native[said.port];
  repeat->core = (uint64_t)mlusim_current->core;
  memcpy(repeat->said, said.words, sizeof *said.words * (size_t)ports.argument_count);
  const uint64_t home = home_of(ports);
  mlusim_repeat** place = nullptr;
  for (unsigned step = 0; step < NEAR; step++) {
    mlusim_repeat*& held = ports.repeats[(home + step) & (MLUSIM_PLACES - 1)];
    if (held && !is_said(*held, ports)) continue;
    place = &held;
    break;
  }
  *(place ? place : &ports.repeats[home & (MLUSIM_PLACES - 1)]) = repeat;
}

void mlusim_repeat_effect(const mlusim_repeat* given, uint64_t address) {
  const mlusim_repeat& repeat = *given;
  for (uint64_t i = 0; i < repeat.move_count; i++) {
    const mlusim_move& move = repeat.moves[i];
    memcpy((char*)move.to, (const char*)(address + move.from), move.count);
  }
  for (const mlusim_factor& factor : repeat.factors)
    for (uint64_t i = 0; i < factor.count; i++)
      factor.flushes ? widen<true>(factor.moves[i]) : widen<false>(factor.moves[i]);
  for (uint64_t i = 0; i < repeat.sum_count; i++) mlusim_store_sums(&repeat.sums[i]);
}
