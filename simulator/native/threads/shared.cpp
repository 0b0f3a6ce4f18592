#include "shared.h"

#include <string.h>
#include <sys/mman.h>

namespace simt {

namespace {

uint64_t behind(uint64_t end) { return (end + 2 * APART - 1) / APART * APART; }
bool same(const char* a, const char* b) { return a == b || !strcmp(a, b); }

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

void Shared::begin_launch(uint64_t dynamic_bytes) {
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
    if (found->end <= start + ARENA) memset((void*)found->start, 0xff, found->end - found->start);
  }
  return true;
}

Clash Shared::access(uint64_t address, uint64_t size, simt_access kind, uint16_t thread, uint32_t place) {
  Clash clash{Clash::NONE, 0, 0, 0};
  Shadow* byte = shadow_ + (address - start);
  for (uint64_t i = 0; i < size; ++i, ++byte) {
    bool recent = byte->written == span_, excused = kind == SIMT_ATOMIC && byte->atomic;
    bool many = byte->read == span_ && byte->another != NO_THREAD;
    if (clash.what == Clash::NONE) {
      if (recent && byte->writer != thread && !excused)
        clash = {Clash::RACE, address + i, byte->write_place, byte->writer};
      else if (kind != SIMT_LOAD && byte->read == span_ && (byte->reader != thread || many))
        clash = {Clash::RACE, address + i, byte->read_place, byte->reader != thread ? byte->reader : byte->another};
      else if (kind != SIMT_STORE && byte->written < first_)
        clash = {Clash::UNINITIALIZED, address + i, 0, 0};
    }
    if (kind == SIMT_LOAD) {
      if (byte->read != span_)
        *byte = {byte->written, span_, byte->write_place, place, byte->writer, thread, NO_THREAD, byte->atomic};
      else if (byte->reader != thread)
        byte->another = thread;
    } else {
      byte->writer = recent && excused && byte->writer != thread ? SEVERAL : thread;
      byte->written = span_;
      byte->write_place = place;
      byte->atomic = kind == SIMT_ATOMIC;
    }
  }
  return clash;
}

}  // namespace simt
