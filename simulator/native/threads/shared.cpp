#include "shared.h"

#include <string.h>
#include <sys/mman.h>

namespace simt {

namespace {

uint64_t behind(uint64_t end) { return (end + 2 * APART - 1) / APART * APART; }
bool same(const char* a, const char* b) { return a == b || !strcmp(a, b); }

// The warp of a thread, or of several; 32 or more for several of different warps.
uint16_t warp_of(uint16_t thread) { return thread < 1024 ? thread / SIMT_WARP : SEVERAL - 1 - thread; }

void* reserve(uint64_t bytes) {
  void* found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) __builtin_trap();
  return found;
}

}  // namespace

Shared::Shared() {
  start = (uint64_t)reserve(ARENA);
  shadow_ = (Shadow*)reserve(ARENA * sizeof(Shadow));
  free_ = start;
}

uint64_t Shared::variable(const char* name, const char* file, int line, uint64_t bytes, const void* type) {
  for (const Variable& entry : variables_)
    if (entry.type == type && entry.line == line && same(entry.name, name) && same(entry.file, file))
      return entry.start;
  variables_.push_back({free_, free_ + bytes, name, file, type, line, 0});
  free_ = behind(free_ + bytes);
  return variables_.back().start;
}

void Shared::begin_launch(uint64_t dynamic_bytes, int poison) {
  poison_ = poison;
  variables_.resize(fixed_);
  free_ = start;
  for (Variable& entry : variables_) {
    entry.block = 0;
    free_ = behind(entry.end);
  }
  dynamic_ = {dynamic_start(), dynamic_start() + dynamic_bytes, "dynamic shared memory", "", nullptr, 0, 0};
}

Variable* Shared::find(uint64_t address) {
  if (address >= dynamic_start()) return &dynamic_;
  Variable* found = nullptr;
  for (Variable& entry : variables_)
    if (entry.start <= address) found = &entry;  // they are in order
  return found;
}

bool Shared::inside_another(uint64_t address, uint64_t size) {
  Variable* found = find(address);
  if (!found || address >= found->end || size > found->end - address) return false;
  last_ = {found->start, found->end};
  if (found->block != block_) {
    found->block = block_;
    if (found != &dynamic_) bytes += found->end - found->start;
    if (found->end <= start + ARENA) memset((void*)found->start, poison_, found->end - found->start);
  }
  return true;
}

Clash Shared::access(uint64_t address, uint64_t size, simt_access kind, uint16_t thread, uint32_t place) {
  Clash clash{Clash::NONE, 0, 0, 0};
  Shadow* byte = shadow_ + (address - start);
  uint16_t warp = thread / SIMT_WARP;
  uint32_t phase = phases_[warp];
  // Whether nothing orders what this thread does and what another one did, in a phase of its warp.
  auto apart = [&](uint16_t other, uint32_t then) {
    return other != thread && (warp_of(other) != warp || then == phase);
  };
  for (uint64_t i = 0; i < size; ++i, ++byte) {
    bool recent = byte->written == span_, excused = kind == SIMT_ATOMIC && byte->atomic;
    bool first = apart(byte->reader, byte->read_phase);
    bool second = byte->another != NO_THREAD && apart(byte->another, byte->read_phase);
    if (clash.what == Clash::NONE) {
      bool again = kind == SIMT_STORE && byte->write_place == place && warp_of(byte->writer) == warp;
      if (recent && apart(byte->writer, byte->write_phase) && !excused)
        clash = {again ? Clash::AGAIN : Clash::RACE, address + i, byte->write_place, byte->writer};
      else if (kind != SIMT_LOAD && byte->read == span_ && (first || second))
        clash = {Clash::RACE, address + i, byte->read_place, first ? byte->reader : byte->another};
      else if (byte->pending && byte->written >= first_)
        clash = {Clash::PENDING, address + i, byte->write_place, byte->writer};
      else if (kind != SIMT_STORE && byte->written < first_)
        clash = {Clash::UNINITIALIZED, address + i, 0, 0};
    }
    if (kind == SIMT_LOAD) {
      // A later read of the same warp stands for an earlier one; readers of two warps are any two of them.
      bool one_warp = byte->another == NO_THREAD || byte->another / SIMT_WARP == byte->reader / SIMT_WARP;
      if (byte->read != span_ || (one_warp && byte->reader / SIMT_WARP == warp && byte->read_phase != phase)) {
        byte->read = span_;
        byte->read_place = place;
        byte->read_phase = phase;
        byte->reader = thread;
        byte->another = NO_THREAD;
      } else if (byte->reader != thread && one_warp) {
        byte->another = thread;
      }
    } else {
      bool joined = recent && excused && byte->writer != thread && apart(byte->writer, byte->write_phase);
      byte->writer = !joined ? thread : warp_of(byte->writer) == warp ? uint16_t(SEVERAL - 1 - warp) : SEVERAL;
      byte->written = span_;
      byte->write_phase = phase;
      byte->write_place = place;
      byte->atomic = kind == SIMT_ATOMIC;
      byte->pending = false;
    }
  }
  return clash;
}

}  // namespace simt
