// Shared memory of the block that runs: its variables, and a shadow for every byte. Part of simt_rt.cpp.
//
// A span is the time between two barriers of a block. Within one, two threads must not touch the same byte when one of
// them writes, unless both do it atomically.
#pragma once
#include <string.h>
#include <sys/mman.h>

#include <vector>

#include "simt.h"

namespace simt {

constexpr uint64_t ARENA = 64 << 20, DYNAMIC = 48 << 20;  // bytes; where dynamic shared memory begins
constexpr uint64_t APART = 128;                           // alignment of variables, and what lies between two
constexpr uint16_t NOBODY = 0xffff, SEVERAL = 0xfffe;

struct Shadow {
  uint32_t written, read;              // the span of the last write, and of the last read
  uint32_t write_place, read_place;    // of those
  uint16_t writer, reader, another;    // threads: two that read in that span
  bool atomic;                         // how it was written
};

struct Variable {
  uint64_t start, end;
  const char *name, *file;
  const void* type;
  int line;
  uint64_t block;  // the last block that has accessed it, plus 1
};

// What is wrong with an access.
struct Clash {
  enum { NONE, RACE, UNINITIALIZED } what;
  uint64_t address;
  uint32_t place, thread;  // of the other access
};

class Shared {
 public:
  Shared() {
    start = (uint64_t)reserve(ARENA);
    shadow_ = (Shadow*)reserve(ARENA * sizeof(Shadow));
    free_ = start;
  }

  // The variable that is declared at a place, the same in every block.
  uint64_t variable(const char* name, const char* file, int line, uint64_t bytes, const void* type) {
    for (const Variable& entry : variables_)
      if (entry.type == type && entry.line == line && same(entry.name, name) && same(entry.file, file)) return entry.start;
    variables_.push_back({free_, free_ + bytes, name, file, type, line, 0});
    free_ = behind(free_ + bytes);
    return variables_.back().start;
  }

  // What has been declared up to now is at file scope, and stays. Variables in functions find their places in each launch
  // anew, so that those do not depend on what ran before.
  void loaded() { fixed_ = variables_.size(); }

  void begin_launch(uint64_t dynamic_bytes) {
    variables_.resize(fixed_);
    free_ = start;
    for (Variable& entry : variables_) {
      entry.block = 0;
      free_ = behind(entry.end);
    }
    dynamic_ = {dynamic_start(), dynamic_start() + dynamic_bytes, "dynamic shared memory", "", nullptr, 0, 0};
  }

  void begin_block(uint64_t block) {
    block_ = block + 1;
    bytes = 0;
    first_ = ++span_;
    last_ = {};
  }

  void barrier() { ++span_; }

  bool holds(uint64_t address) const { return address - start < ARENA; }
  uint64_t dynamic_start() const { return start + DYNAMIC; }

  // The variable that an address lies in or behind, or nullptr.
  Variable* find(uint64_t address) {
    if (address >= dynamic_start()) return &dynamic_;
    Variable* found = nullptr;
    for (Variable& entry : variables_)
      if (entry.start <= address) found = &entry;  // they are in order
    return found;
  }

  // Whether an access lies in one variable. The first one in a block finds NaN patterns.
  bool inside(uint64_t address, uint64_t size) {
    if (address >= last_.start && address < last_.end && size <= last_.end - address) return true;
    Variable* found = find(address);
    if (!found || address >= found->end || size > found->end - address) return false;
    last_ = {found->start, found->end};
    if (found->block != block_) {
      found->block = block_;
      if (found != &dynamic_) bytes += found->end - found->start;
      if (found->end <= start + ARENA) memset((void*)found->start, 0xff, found->end - found->start);
    }
    return true;
  }

  // Note an access of a thread, and say what is wrong with it.
  Clash access(uint64_t address, uint64_t size, simt_access kind, uint16_t thread, uint32_t place) {
    Clash clash{Clash::NONE, 0, 0, 0};
    Shadow* byte = shadow_ + (address - start);
    for (uint64_t i = 0; i < size; ++i, ++byte) {
      bool recent = byte->written == span_, excused = kind == SIMT_ATOMIC && byte->atomic;
      bool many = byte->read == span_ && byte->another != NOBODY;
      if (clash.what == Clash::NONE) {
        if (recent && byte->writer != thread && !excused)
          clash = {Clash::RACE, address + i, byte->write_place, byte->writer};
        else if (kind != SIMT_LOAD && byte->read == span_ && (byte->reader != thread || many))
          clash = {Clash::RACE, address + i, byte->read_place, byte->reader != thread ? byte->reader : byte->another};
        else if (kind != SIMT_STORE && byte->written < first_)
          clash = {Clash::UNINITIALIZED, address + i, 0, 0};
      }
      if (kind == SIMT_LOAD) {
        if (byte->read != span_) *byte = {byte->written, span_, byte->write_place, place, byte->writer, thread, NOBODY, byte->atomic};
        else if (byte->reader != thread) byte->another = thread;
      } else {
        byte->writer = recent && excused && byte->writer != thread ? SEVERAL : thread;
        byte->written = span_;
        byte->write_place = place;
        byte->atomic = kind == SIMT_ATOMIC;
      }
    }
    return clash;
  }

  uint64_t start, bytes = 0;  // bytes: of the declared variables that the running block has accessed

 private:
  static uint64_t behind(uint64_t end) { return (end + 2 * APART - 1) / APART * APART; }
  static bool same(const char* a, const char* b) { return a == b || !strcmp(a, b); }

  static void* reserve(uint64_t bytes) {
    void* found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) __builtin_trap();
    return found;
  }

  std::vector<Variable> variables_;
  size_t fixed_ = 0;  // of them are at file scope
  Variable dynamic_{};
  Shadow* shadow_;
  uint64_t free_, block_ = 0;
  simt_range last_{};
  uint32_t span_ = 0, first_ = 0;  // the running span, and the first one of the running block
};

}  // namespace simt
