// Casts of elements, as NumPy has them, and choices between elements.
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

}  // namespace mlusim
