#include "critical.h"

#include <algorithm>

#include "../../entry.h"

MLUSIM_ENTRY int64_t mlusim_critical_path(int64_t last, int64_t count, const double* start, const double* end,
                                          const int64_t* cause, int64_t* records, double* us) {
  int64_t steps = 0;
  double until = count ? end[last] : 0.0;
  for (int64_t record = count ? last : -1; record >= 0 && steps < count; record = cause[record]) {
    const double begun = std::min(start[record], until);
    records[steps] = record;
    us[steps++] = until - begun;
    until = begun;
  }
  return steps;
}
