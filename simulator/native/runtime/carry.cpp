#include "carry.h"

#include <string.h>

#include "ranges.h"
#include "segments.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // loops in vectors
#endif

namespace mlusim {

namespace {

bool is_poisoned(const mlusim_native_place& found) {
  const mlusim_holes* holes = found.range->holes;
  return holes && found.address >= holes->poisoned && found.address + found.bytes <= holes->poison_end;
}

uint8_t* flags_at(const mlusim_native_port& port, int operand) {
  const mlusim_native_place& found = port.plan.found[operand];
  return flags_of(*found.range, found.address);
}

// The flags of an element of so many bytes as one number, all of them set.
template <typename Flags>
constexpr Flags ALL = (Flags)0x0101010101010101ull;

// Of elements, those stay whole of which all bytes are initialized.
template <typename Flags>
void keep_whole(const uint8_t* flags, intptr_t count, uint8_t* whole) {
  for (intptr_t i = 0; i < count; i++) {
    Flags element;
    memcpy(&element, flags + i * (intptr_t)sizeof element, sizeof element);
    whole[i] &= element == ALL<Flags> ? 1 : 0;
  }
}

// All bytes of an element become what it is.
template <typename Flags>
void spread(const uint8_t* whole, intptr_t count, uint8_t* flags) {
  for (intptr_t i = 0; i < count; i++) {
    const Flags element = (Flags)(whole[i] * ALL<Flags>);
    memcpy(flags + i * (intptr_t)sizeof element, &element, sizeof element);
  }
}

// Calls what takes the flags of elements of so many bytes.
template <typename Function>
void of_size(int size, const Function& function) {
  switch (size) {
    case 1:
      return function(uint8_t());
    case 2:
      return function(uint16_t());
    case 4:
      return function(uint32_t());
    default:
      return function(uint64_t());
  }
}

void carry_elements(const mlusim_native_port& port, uint64_t partly) {
  uint8_t whole[MLUSIM_PART_ELEMENTS];
  const intptr_t row = (intptr_t)port.numbers[port.elements], all = row * (intptr_t)port.numbers[port.rows];
  const int width = port.operands[0].size;
  for (intptr_t begin = 0; begin < all; begin += row)
    for (intptr_t from = 0; from < row; from += MLUSIM_PART_ELEMENTS) {
      const intptr_t count = row - from < MLUSIM_PART_ELEMENTS ? row - from : (intptr_t)MLUSIM_PART_ELEMENTS;
      memset(whole, 1, (size_t)count);
      for (int i = 0; i < port.operand_count; i++) {
        if (!(partly >> i & 1)) continue;
        const mlusim_native_operand& operand = port.operands[i];
        const uint8_t* flags = flags_at(port, i) + (from + (operand.repeated ? 0 : begin)) * operand.size;
        of_size(operand.size, [&](auto kind) { keep_whole<decltype(kind)>(flags, count, whole); });
      }
      uint8_t* flags = flags_at(port, 0) + (begin + from) * width;
      of_size(width, [&](auto kind) { spread<decltype(kind)>(whole, count, flags); });
    }
}

void carry_segments(const mlusim_native_port& port) {
  const mlusim_native_place &target = port.plan.found[0], &source = port.plan.found[1];
  Segments to(port, 0, target.address), from(port, 1, source.address);
  for (uint64_t i = 0; i < to.count(); i++) {
    const uint64_t address = to.next();
    memcpy(flags_of(*target.range, address), flags_of(*source.range, from.next()), to.run());
  }
}

}  // namespace

bool passes_on(const mlusim_native_port& port, int operand) {
  return port.operands[operand].carried != MLUSIM_NOTHING && !port.operands[0].shared &&
         is_poisoned(port.plan.found[operand]) && is_poisoned(port.plan.found[0]);
}

void carry(const mlusim_native_port& port, uint64_t partly) {
  const mlusim_native_place& target = port.plan.found[0];
  memory.note_change(*target.range, target.address, target.bytes);
  if (port.effect == MLUSIM_LOOPS)
    carry_elements(port, partly);
  else if (port.effect == MLUSIM_STRIDED_COPY)
    carry_segments(port);
  else
    memmove(flags_at(port, 0), flags_at(port, 1), target.bytes);
}

}  // namespace mlusim
