#include "elements.h"

#include <math.h>
#include <string.h>

#include <type_traits>

#include "ports.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("O3")  // loops in vectors
#endif

namespace mlusim {

namespace {

template <typename To, typename From>
To bits_of(From value) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// A half, whose NaN keep the upper bits of theirs.
struct Half {
  uint16_t bits;

  static Half of(float value) {
    const uint32_t all = bits_of<uint32_t>(value), sign = all >> 16 & 0x8000;
    uint32_t size = all & 0x7fffffff, found;
    if (size > 0x7f800000) {
      found = 0x7c00 + (size >> 13 & 0x3ff);
      if (found == 0x7c00) found++;
    } else if (size >= 0x47800000) {
      found = 0x7c00;
    } else if (size < 0x38800000) {  // subnormal: the sum is rounded to its last place
      found = bits_of<uint32_t>(bits_of<float>(size) + 0.5f) - bits_of<uint32_t>(0.5f);
    } else {
      size += 0xc8000fff + (size >> 13 & 1);
      found = size >> 13;
    }
    return {(uint16_t)(sign | found)};
  }
  static Half of(double value) {
    if (value != value) {
      const uint64_t all = bits_of<uint64_t>(value);
      const uint32_t found = 0x7c00 + (uint32_t)(all >> 42 & 0x3ff);
      return {(uint16_t)((all >> 48 & 0x8000) | (found == 0x7c00 ? found + 1 : found))};
    }
    // In two steps: a last bit that says whether anything was cut off makes the second one right.
    float near = (float)value;
    if ((double)near != value) {
      uint32_t all = bits_of<uint32_t>(near);
      if (fabs((double)near) > fabs(value)) all--;
      near = bits_of<float>(all | 1);
    }
    return of(near);
  }
  template <typename Whole>
  static Half of(Whole value) {
    return of((float)value);
  }
  operator float() const {
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, rest = bits & 0x7fff;
    if (rest >= 0x7c00) return bits_of<float>(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest < 0x400) return bits_of<float>(sign | bits_of<uint32_t>((float)rest * 0x1p-24f));
    return bits_of<float>(sign | ((rest << 13) + 0x38000000));
  }
};

// The upper half of a float.
struct BrainHalf {
  uint16_t bits;

  static BrainHalf of(float value) {
    const uint32_t all = bits_of<uint32_t>(value);
    if (value != value) return {(uint16_t)((all >> 16 & 0x8000) | 0x7fc0)};
    return {(uint16_t)((all + 0x7fff + (all >> 16 & 1)) >> 16)};
  }
  template <typename Other>
  static BrainHalf of(Other value) {
    return of((float)value);
  }
  operator float() const { return bits_of<float>((uint32_t)bits << 16); }
};

struct Truth {
  uint8_t holds;

  template <typename Other>
  static Truth of(Other value) {
    return {(uint8_t)(value != 0)};
  }
  operator uint8_t() const { return holds; }
};

template <typename To>
struct Into {
  template <typename From>
  static To of(From value) {
    return (To)value;
  }
};
template <>
struct Into<Half> : Half {};
template <>
struct Into<BrainHalf> : BrainHalf {};
template <>
struct Into<Truth> : Truth {};

// What C computes with in place of an element.
inline float plain(Half value) { return value; }
inline float plain(BrainHalf value) { return value; }
inline uint8_t plain(Truth value) { return value; }
template <typename T>
T plain(T value) {
  return value;
}

template <typename From, typename To>
struct One {
  static To cast(From value) { return Into<To>::of(plain(value)); }
};
template <typename T>
struct One<T, T> {
  static T cast(T value) { return value; }
};

// NaN of halves keep their bits in doubles, those of upper halves of floats keep none in halves.
template <>
struct One<Half, double> {
  static double cast(Half value) {
    const uint64_t sign = (uint64_t)(value.bits & 0x8000) << 48, rest = value.bits & 0x7fff;
    return rest > 0x7c00 ? bits_of<double>(sign | 0x7ff0000000000000u | (rest & 0x3ff) << 42) : (double)(float)value;
  }
};
template <>
struct One<BrainHalf, Half> {
  static Half cast(BrainHalf value) {
    const float wide = value;
    return wide == wide ? Half::of(wide) : Half{(uint16_t)((value.bits & 0x8000) | 0x7e00)};
  }
};

// The first of `count` elements, in all of them.
template <int WIDTH>
[[gnu::noinline]] void repeat_first(char* to, intptr_t count) {
  if (count < 2) return;
  char first[WIDTH];
  memcpy(first, to, WIDTH);
  for (intptr_t i = 1; i < count; i++) memcpy(to + i * WIDTH, first, WIDTH);
}

template <typename From, typename To>
void cast(const char* from, intptr_t stride, char* to, intptr_t count) {
  const intptr_t different = stride ? count : count > 0;
  for (intptr_t i = 0; i < different; i++) {
    From one;
    memcpy(&one, from + i * (intptr_t)sizeof one, sizeof one);
    const To made = One<From, To>::cast(one);
    memcpy(to + i * (intptr_t)sizeof made, &made, sizeof made);
  }
  if (!stride) repeat_first<sizeof(To)>(to, count);
}

// Integers lose their upper bits, whatever their signs: one cast for several of them compiles in half the time.
template <typename T, bool UNSIGNED>
using Made = typename std::conditional_t<UNSIGNED, std::make_unsigned<T>, std::common_type<T>>::type;
template <typename From, typename To>
constexpr Cast cast_between() {
  constexpr bool integers = std::is_integral<From>::value && std::is_integral<To>::value;
  return cast<Made<From, integers && sizeof(To) <= sizeof(From)>, Made<To, integers>>;
}

template <typename From, typename... To>
Cast chosen(int to) {
  static constexpr Cast casts[] = {cast_between<From, To>()...};
  return casts[to];
}

template <typename... Types>
struct Casts {
  static Cast find(int from, int to) {
    static constexpr Cast (*rows[])(int) = {chosen<Types, Types...>...};
    return rows[from](to);
  }
};

template <typename T, bool ONE_FOR_ALL, bool OTHER_FOR_ALL>
void choose_all(const char* holds, const Choice& choice, char* to, intptr_t count) {
  const T *one = (const T*)choice.one, *other = (const T*)choice.other;
  for (intptr_t i = 0; i < count; i++) {
    const T first = one[ONE_FOR_ALL ? 0 : i], second = other[OTHER_FOR_ALL ? 0 : i];
    ((T*)to)[i] = holds[i] ? first : second;
  }
}

template <typename T>
void choose_of(const char* holds, const Choice& choice, char* to, intptr_t count) {
  if (choice.one_stride)
    (choice.other_stride ? choose_all<T, false, false> : choose_all<T, false, true>)(holds, choice, to, count);
  else
    (choice.other_stride ? choose_all<T, true, false> : choose_all<T, true, true>)(holds, choice, to, count);
}

template <typename T, typename Place>
void look_up_in(const Table& table, const char* places, char* to, intptr_t count) {
  for (intptr_t i = 0; i < count; i++) {
    const Place at = ((const Place*)places)[i];
    ((T*)to)[i] = ((const T*)table.first)[at < table.elements ? at : 0];
  }
}

template <typename T>
void look_up_of(const Table& table, const char* places, int place_width, char* to, intptr_t count) {
  if (place_width == 1) look_up_in<T, uint8_t>(table, places, to, count);
  if (place_width == 2) look_up_in<T, uint16_t>(table, places, to, count);
  if (place_width == 4) look_up_in<T, uint32_t>(table, places, to, count);
  if (place_width == 8) look_up_in<T, uint64_t>(table, places, to, count);
}

}  // namespace

void look_up(const Table& table, const char* places, int place_width, char* to, intptr_t count) {
  if (table.width == 1) look_up_of<uint8_t>(table, places, place_width, to, count);
  if (table.width == 2) look_up_of<uint16_t>(table, places, place_width, to, count);
  if (table.width == 4) look_up_of<uint32_t>(table, places, place_width, to, count);
  if (table.width == 8) look_up_of<uint64_t>(table, places, place_width, to, count);
}

void choose(const char* holds, const Choice& choice, char* to, intptr_t count, int width) {
  if (width == 1) choose_of<uint8_t>(holds, choice, to, count);
  if (width == 2) choose_of<uint16_t>(holds, choice, to, count);
  if (width == 4) choose_of<uint32_t>(holds, choice, to, count);
  if (width == 8) choose_of<uint64_t>(holds, choice, to, count);
}

// In the order of `mlusim_element`.
Cast cast_of(int from, int to) {
  return Casts<Truth, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Half, BrainHalf, float,
               double>::find(from, to);
}

}  // namespace mlusim

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif
