// The way from a host program to its device process: one socket, messages of numbers and bytes, places in the program.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace mlusim {

// What a message is; the other side is simulator/host/programs/wire.py, which has the same numbers.
enum Kind : uint32_t {
  HELLO = 1,     // version, process; the command -> number of devices
  OPEN,          // device -> address, reach, capacity, the numbers of Facts; its name; the memory's descriptor
  ALLOCATE,      // device, bytes, place -> address, or 0 and why
  FREE,          // address, place
  COPY,          // queue, to, from, bytes, direction, place
  FILL,          // queue, to, bytes, place
  IMAGE,         // image; its digest -> whether its bytes are wanted
  IMAGE_BYTES,   // image; the bytes
  LAUNCH,        // queue, image, kernel, x, y, z, type, place, sizes of the arguments; the arguments
  SETTLE,        // -> when all before it is done
  SYNC,          // queue, or all of a device -> status; what went wrong
  QUERY,         // queue or notifier -> status
  NOTIFY,        // queue, notifier
  WAIT,          // queue, notifier
  ELAPSED,       // two notifiers -> status, the nanoseconds between them
  QUEUE,         // queue, device; or the queue goes
  MODULE,        // module; its path
  FINDING,       // two places, address, bytes; rule, text and advice with zeros between
  MEMORY,        // device -> free and total bytes
  BYE,           // status of the program
  OPERATION = 40,  // queue, place; a library's function in JSON -> status; what went wrong
  REPLY = 100,
};
// What tells these messages from those of another version: simulator/host/programs/wire.py takes it from these headers.
constexpr uint64_t VERSION = MLUSIM_MESSAGES;

// A place in the program: a module, counted from 1, and the offset of a return address in it.
struct Place {
  uint64_t module = 0, offset = 0;
};

struct Reply {
  std::vector<uint64_t> numbers;
  std::string bytes;
  int descriptor = -1;
  bool lost = false;  // there is no device process, or it has gone
  uint64_t operator[](size_t at) const { return at < numbers.size() ? numbers[at] : 0; }
};

// Connects at the first use in a process. A forked child begins anew if its parent had not begun.
bool connected();
int device_count();
// Why there is no connection, in a sentence.
const char* why_lost();

// Send without waiting; what the device process finds is told by the next call that waits.
void post(Kind kind, std::initializer_list<uint64_t> numbers, const void* bytes = nullptr, size_t size = 0);
void post(Kind kind, const std::vector<uint64_t>& numbers, const void* bytes = nullptr, size_t size = 0);
// Send and wait for the reply.
Reply call(Kind kind, std::initializer_list<uint64_t> numbers, const void* bytes = nullptr, size_t size = 0);
// Wait until no kernel that was launched is running.
void settle();

// The place of a return address: `place_of(__builtin_return_address(0))` in a function of the interface.
Place place_of(const void* return_address);
// Whether an address is code of the program and its libraries, not of the runtime nor of the system.
bool in_program(const void* address);
// Tell of a broken rule.
void finding(const char* rule, const std::string& text, const char* advice, Place where, Place related = {},
             uint64_t address = 0, uint64_t bytes = 0);

}  // namespace mlusim

#define MLUSIM_API extern "C" __attribute__((visibility("default")))
// The caller of a function of the interface.
#define MLUSIM_HERE ::mlusim::place_of(__builtin_return_address(0))
// The next call of this thread is on behalf of who returns there: a library above this one has been called by the program.
MLUSIM_API void mlusim_called_from(const void* return_address);
