#include "lines.h"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "../../entry.h"

namespace {

struct Bytes {
  const void* begin;
  int64_t size;
};

// The text of a number, which is made from its end.
class Number {
 public:
  Bytes of(int64_t kind, int64_t number) {
    if (kind == MLUSIM_US) {
      const double us = static_cast<double>(number) / 1000.0;  // what a reader makes of the exact digits
      if (static_cast<int64_t>(us * 1000.0) < number) {
        return {room_, std::snprintf(room_, sizeof room_, "%.17g", std::nextafter(us, INFINITY))};
      }
    }
    begin_ = room_ + sizeof room_;
    uint64_t rest = static_cast<uint64_t>(number);
    if (kind == MLUSIM_THOUSANDTHS || kind == MLUSIM_US) {
      for (int digit = 0; digit < 3; digit++, rest /= 10) *--begin_ = static_cast<char>('0' + rest % 10);
      *--begin_ = '.';
    }
    const unsigned base = kind == MLUSIM_HEX ? 16 : 10;
    do {
      *--begin_ = "0123456789abcdef"[rest % base];
      rest /= base;
    } while (rest != 0);
    return {begin_, room_ + sizeof room_ - begin_};
  }

 private:
  char room_[40];
  char* begin_ = room_;
};

Bytes of(const mlusim_piece& piece, int64_t line, Number& number) {
  if (piece.kind != MLUSIM_TEXTS) return number.of(piece.kind, piece.first[line]);
  const int64_t first = piece.first != nullptr ? piece.first[line] : 0;
  const int64_t last = piece.first != nullptr ? piece.last[line] : 1;
  return {piece.texts + piece.begins[first], piece.begins[last] - piece.begins[first]};
}

}  // namespace

MLUSIM_ENTRY void mlusim_lines(const mlusim_piece* pieces, int64_t each, int64_t count, int64_t* begins, uint8_t* out) {
  Number number;
  int64_t at = 0;
  for (int64_t line = 0; line < count; line++) {
    begins[line] = at;
    for (int64_t index = 0; index < each; index++) {
      const Bytes bytes = of(pieces[index], line, number);
      if (out != nullptr) std::memcpy(out + at, bytes.begin, bytes.size);
      at += bytes.size;
    }
  }
  begins[count] = at;
}
