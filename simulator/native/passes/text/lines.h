// Lines of text from columns: in Python each takes microseconds.
#pragma once
#include <stdint.h>

// What a piece of a line is. No number is negative.
enum mlusim_piece_kind {
  MLUSIM_TEXTS,        // those of a table from `first` to before `last`; the first one of all where there is no `first`
  MLUSIM_NUMBER,       // a whole number
  MLUSIM_HEX,          // the same in hexadecimal digits
  MLUSIM_THOUSANDTHS,  // so many thousandths, with three digits behind the point
  MLUSIM_US,           // nanoseconds as microseconds: who multiplies the double by 1000 and cuts off gets them back
};

struct mlusim_piece {
  int64_t kind;
  const int64_t* first;  // one for each line
  const int64_t* last;
  const uint8_t* texts;
  const int64_t* begins;  // where each text begins, and where the last one ends
};

#ifdef __cplusplus
extern "C" {
#endif
// Each of `count` lines consists of all pieces. Without `out`, fills in where each line begins and the last one ends;
// with it, writes them there.
void mlusim_lines(const struct mlusim_piece* pieces, int64_t each, int64_t count, int64_t* begins, uint8_t* out);
#ifdef __cplusplus
}
#endif
