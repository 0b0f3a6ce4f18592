// The record that the pass is at, and what whoever looks at it may ask.
#pragma once
#include "causes.h"
#include "writers.h"

namespace mlusim {

// Bytes that a record touches with one of its operands, in one piece.
struct Piece {
  uint64_t start, end;
  bool on_device;
  int64_t operand;
  Access now;
};

struct Scene {
  const Log& log;
  Ranges& ranges;
  Causes& causes;
  const Record* record = nullptr;  // none after the last
  int64_t index = -1;
  Operands operands{};
  const Operand* far = nullptr;  // its operand on the device
  bool scalar = false;           // it is of the scalar unit
  bool stores = false;           // it takes bytes out of the core

  void set(int64_t at) {
    record = &log.record(at);
    index = at;
    operands = log.operands(*record);
    far = log.far_operand(*record);
    scalar = log.is_scalar(*record);
    stores = scalar || (far && operands.writes(static_cast<uint32_t>(far - operands.begin())));
  }
  void note(Kind kind, int64_t earlier, uint64_t key, uint64_t bytes, int64_t operand) const {
    causes.note(kind, index, earlier, key, bytes, operand);
  }
};

}  // namespace mlusim
