// A record of a log, as log.py has it.
#pragma once
#include <stdint.h>

typedef struct __attribute__((packed)) {
  uint16_t op;
  uint8_t pipe, flags;
  uint16_t core;
  uint32_t task, loc;
  uint64_t work;
  uint32_t first, gaps;
} Record;
enum { BLOCKING = 1, SERIAL = 2, ATOMIC = 4, ASYNC = 8, RESULT = 16 };
