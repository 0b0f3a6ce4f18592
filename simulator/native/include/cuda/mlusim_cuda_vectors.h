// Vector types, with the alignment that CUDA gives them: a thread loads and stores one at a time.
#pragma once

#define MLUSIM_VECTORS(name, T, align1, align2, align4)                                       \
  struct alignas(align1) name##1 { T x; };                                                    \
  struct alignas(align2) name##2 { T x, y; };                                                 \
  struct alignas(align1) name##3 { T x, y, z; };                                              \
  struct alignas(align4) name##4 { T x, y, z, w; };                                           \
  inline name##1 make_##name##1(T x) { return {x}; }                                          \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                  \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                          \
  inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

MLUSIM_VECTORS(char, signed char, 1, 2, 4)
MLUSIM_VECTORS(uchar, unsigned char, 1, 2, 4)
MLUSIM_VECTORS(short, short, 2, 4, 8)
MLUSIM_VECTORS(ushort, unsigned short, 2, 4, 8)
MLUSIM_VECTORS(int, int, 4, 8, 16)
MLUSIM_VECTORS(uint, unsigned, 4, 8, 16)
MLUSIM_VECTORS(long, long, 8, 16, 16)
MLUSIM_VECTORS(ulong, unsigned long, 8, 16, 16)
MLUSIM_VECTORS(longlong, long long, 8, 16, 16)
MLUSIM_VECTORS(ulonglong, unsigned long long, 8, 16, 16)
MLUSIM_VECTORS(float, float, 4, 8, 16)
MLUSIM_VECTORS(double, double, 8, 16, 16)
#undef MLUSIM_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
