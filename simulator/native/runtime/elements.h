// Casts of elements, as NumPy has them, choices between elements, and elements of tables.
#pragma once
#include <stdint.h>

namespace [[gnu::visibility("hidden")]] mlusim {

// Casts `count` elements; a stride of 0 bytes repeats the one that is read.
using Cast = void (*)(const char* from, intptr_t stride, char* to, intptr_t count);

// The cast from one `mlusim_element` to another.
Cast cast_of(int from, int to);

// `count` elements of so many bytes: where `holds` one of the first, else one of the others; a stride as above.
struct Choice {
  const char *one, *other;
  intptr_t one_stride, other_stride;
};
void choose(const char* holds, const Choice& choice, char* to, intptr_t count, int width);

// `count` elements of a table at places, natural numbers of so many bytes; its first one in place of those it lacks.
struct Table {
  const char* first;
  uint64_t elements;
  int width;
};
void look_up(const Table& table, const char* places, int place_width, char* to, intptr_t count);

}  // namespace mlusim
