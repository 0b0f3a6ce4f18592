// The rows of a log, under the names that the passes use.
#pragma once
#include "../log_rows.h"

typedef struct mlusim_record Record;
enum {
  BLOCKING = MLUSIM_BLOCKING, SERIAL = MLUSIM_SERIAL, ATOMIC = MLUSIM_ATOMIC, ASYNC = MLUSIM_ASYNC, RESULT = MLUSIM_RESULT
};
