// Functions of integers: bits, products, and numbers of 8 and 16 bits that lie in one word.
#pragma once

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1) << (31 - bit);
  return reversed;
}
inline unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
// The place of a set bit, from `base` on upwards (the count is positive) or downwards; all ones where there is none.
inline unsigned __fns(unsigned mask, unsigned base, int count) {
  int step = count < 0 ? -1 : 1, wanted = count < 0 ? -count : count ? count : 1;
  for (int bit = (int)base; bit >= 0 && bit < 32; bit += step) {
    if (mask >> bit & 1 && --wanted == 0) return (unsigned)bit;
    if (count == 0) break;
  }
  return ~0u;
}
// Four of the eight bytes of two words, each chosen by three bits.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned choice) {
  unsigned long long bytes = (unsigned long long)high << 32 | low;
  unsigned chosen = 0;
  for (int i = 0; i < 4; ++i) chosen |= (unsigned)(bytes >> 8 * (choice >> 4 * i & 7) & 0xff) << 8 * i;
  return chosen;
}
// One word of two that are shifted as one; by at most 31, or, in the forms that end in c, at most 32.
#define MLUSIM_FUNNEL(name, word)                                            \
  inline unsigned name(unsigned low, unsigned high, unsigned shift) {            \
    unsigned long long both = (unsigned long long)high << 32 | low;              \
    return (unsigned)(word);                                                     \
  }
MLUSIM_FUNNEL(__funnelshift_l, both << (shift & 31) >> 32)
MLUSIM_FUNNEL(__funnelshift_lc, both << (shift < 32 ? shift : 32) >> 32)
MLUSIM_FUNNEL(__funnelshift_r, both >> (shift & 31))
MLUSIM_FUNNEL(__funnelshift_rc, both >> (shift < 32 ? shift : 32))
#undef MLUSIM_FUNNEL

inline int __mul24(int x, int y) { return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8)); }
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
inline long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}
inline unsigned __usad(unsigned x, unsigned y, unsigned sum) { return (x < y ? y - x : x - y) + sum; }
inline unsigned __sad(int x, int y, unsigned sum) {
  return (x < y ? (unsigned)y - (unsigned)x : (unsigned)x - (unsigned)y) + sum;
}
inline int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
inline int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
inline unsigned __uhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y) >> 1); }
inline unsigned __urhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y + 1) >> 1); }

// Products of the numbers in two words, added to a third one.
#define MLUSIM_DOT(T, Byte, Short, byte4, short2)                                                          \
  inline T __dp4a(T a, T b, T sum) {                                                                       \
    for (int i = 0; i < 32; i += 8) sum += (T)((Byte)(a >> i) * (Byte)(b >> i));                           \
    return sum;                                                                                            \
  }                                                                                                        \
  inline T __dp2a_lo(T a, T b, T sum) {                                                                    \
    return sum + (T)((Short)a * (Byte)b) + (T)((Short)(a >> 16) * (Byte)(b >> 8));                         \
  }                                                                                                        \
  inline T __dp2a_hi(T a, T b, T sum) { return __dp2a_lo(a, (T)((unsigned)b >> 16), sum); }                \
  inline T __dp4a(byte4 a, byte4 b, T sum) {                                                               \
    return __dp4a(mlusim::same_bits<T>(a), mlusim::same_bits<T>(b), sum);                                  \
  }                                                                                                        \
  inline T __dp2a_lo(short2 a, byte4 b, T sum) {                                                           \
    return __dp2a_lo(mlusim::same_bits<T>(a), mlusim::same_bits<T>(b), sum);                               \
  }                                                                                                        \
  inline T __dp2a_hi(short2 a, byte4 b, T sum) {                                                           \
    return __dp2a_hi(mlusim::same_bits<T>(a), mlusim::same_bits<T>(b), sum);                               \
  }
MLUSIM_DOT(int, signed char, short, char4, short2)
MLUSIM_DOT(unsigned, unsigned char, unsigned short, uchar4, ushort2)
#undef MLUSIM_DOT

// --- two numbers of 16 bits or four of 8 in a word: x and y are those at one place -------------------------------------

namespace mlusim {

template <class T, class F>
inline unsigned packed(unsigned a, unsigned b, F function) {
  constexpr int width = 8 * sizeof(T);
  unsigned result = 0;
  for (int i = 0; i < 32; i += width) result |= ((unsigned)function((int)(T)(a >> i), (int)(T)(b >> i)) & ((1u << width) - 1)) << i;
  return result;
}
template <class T>
inline int saturated(int x) {
  constexpr int most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  return x > most ? most : x < least ? least : x;
}

}  // namespace mlusim

#define MLUSIM_PACKED_IN(name, T, expression)                                         \
  inline unsigned name(unsigned a, unsigned b) {                                      \
    using Number = T;                                                                 \
    (void)sizeof(Number);                                                             \
    return mlusim::packed<T>(a, b, [](int x, int y) { return (void)y, expression; }); \
  }
#define MLUSIM_SIGNED(name, expression)                 \
  MLUSIM_PACKED_IN(__v##name##2, int16_t, expression)   \
  MLUSIM_PACKED_IN(__v##name##4, int8_t, expression)
#define MLUSIM_UNSIGNED(name, expression)               \
  MLUSIM_PACKED_IN(__v##name##2, uint16_t, expression)  \
  MLUSIM_PACKED_IN(__v##name##4, uint8_t, expression)
#define MLUSIM_ALONE(name, expression)                                                \
  MLUSIM_SIGNED(name##_with, expression)                                              \
  inline unsigned __v##name##2(unsigned a) { return __v##name##_with2(a, 0); }        \
  inline unsigned __v##name##4(unsigned a) { return __v##name##_with4(a, 0); }
#define MLUSIM_COMPARED(name, op)                       \
  MLUSIM_SIGNED(cmp##name##s, x op y ? -1 : 0)          \
  MLUSIM_SIGNED(set##name##s, x op y)                   \
  MLUSIM_UNSIGNED(cmp##name##u, x op y ? -1 : 0)        \
  MLUSIM_UNSIGNED(set##name##u, x op y)
MLUSIM_UNSIGNED(add, x + y)
MLUSIM_UNSIGNED(sub, x - y)
MLUSIM_SIGNED(addss, mlusim::saturated<Number>(x + y))
MLUSIM_SIGNED(subss, mlusim::saturated<Number>(x - y))
MLUSIM_UNSIGNED(addus, mlusim::saturated<Number>(x + y))
MLUSIM_UNSIGNED(subus, mlusim::saturated<Number>(x - y))
MLUSIM_SIGNED(absdiffs, x < y ? y - x : x - y)
MLUSIM_UNSIGNED(absdiffu, x < y ? y - x : x - y)
MLUSIM_SIGNED(avgs, (x + y + (x + y >= 0)) >> 1)
MLUSIM_UNSIGNED(avgu, (x + y + 1) >> 1)
MLUSIM_UNSIGNED(haddu, (x + y) >> 1)
MLUSIM_SIGNED(maxs, x < y ? y : x)
MLUSIM_UNSIGNED(maxu, x < y ? y : x)
MLUSIM_SIGNED(mins, x < y ? x : y)
MLUSIM_UNSIGNED(minu, x < y ? x : y)
MLUSIM_ALONE(neg, -x)
MLUSIM_ALONE(negss, mlusim::saturated<Number>(-x))
MLUSIM_ALONE(abs, x < 0 ? -x : x)
MLUSIM_ALONE(absss, mlusim::saturated<Number>(x < 0 ? -x : x))
MLUSIM_UNSIGNED(cmpeq, x == y ? -1 : 0)
MLUSIM_UNSIGNED(seteq, x == y)
MLUSIM_UNSIGNED(cmpne, x != y ? -1 : 0)
MLUSIM_UNSIGNED(setne, x != y)
MLUSIM_COMPARED(lt, <)
MLUSIM_COMPARED(le, <=)
MLUSIM_COMPARED(gt, >)
MLUSIM_COMPARED(ge, >=)
#undef MLUSIM_COMPARED
#undef MLUSIM_ALONE
#undef MLUSIM_UNSIGNED
#undef MLUSIM_SIGNED
#undef MLUSIM_PACKED_IN
// The sum of the differences.
#define MLUSIM_DIFFERENCES(ending)                                                       \
  inline unsigned __vsad##ending##2(unsigned a, unsigned b) {                            \
    unsigned each = __vabsdiff##ending##2(a, b);                                         \
    return (each & 0xffff) + (each >> 16);                                               \
  }                                                                                      \
  inline unsigned __vsad##ending##4(unsigned a, unsigned b) {                            \
    return __dp4a(__vabsdiff##ending##4(a, b), 0x01010101u, 0u);                         \
  }
MLUSIM_DIFFERENCES(s)
MLUSIM_DIFFERENCES(u)
#undef MLUSIM_DIFFERENCES
