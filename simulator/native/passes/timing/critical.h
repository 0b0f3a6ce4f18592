// The critical path of a timeline.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
// Fills in the records of the path to the record `last`, from the end of the path to its beginning, and how many
// microseconds of it each takes; how many there are.
int64_t mlusim_critical_path(int64_t last, int64_t count, const double* start, const double* end, const int64_t* cause,
                             int64_t* records, double* us);
#ifdef __cplusplus
}
#endif
