// Functions of the device: a thread takes the numbers at its place, and leaves a row with the result of each function.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define PUT(value) out[at++] = (value)
#define ROW(functions)                                 \
  const int i = blockIdx.x * blockDim.x + threadIdx.x; \
  if (i >= n) return;                                  \
  int at = i * (functions)

// half and half2, bfloat16 and bfloat162: the same functions of another type.
template <typename T, typename T2>
__global__ void arithmetic(const T* in, T* out, int n) {
  ROW(19);
  const T a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  T2 u(a, b), v(b, c);
  PUT(__hadd(a, b));
  PUT(__hsub_sat(a, b));
  PUT(__hmul_rn(a, b));
  PUT(__hdiv(a, b));
  PUT(__hfma(a, b, c));
  PUT(__hfma_sat(a, b, c));
  PUT(__hfma_relu(a, b, c));
  PUT(__hmax(a, b));
  PUT(__hmin_nan(a, b));
  PUT(__hfma2(u, v, u).y);
  PUT(__hcmadd(u, v, u).x);
  PUT(__hcmadd(u, v, u).y);
  u += v;
  PUT(u.x);
  u = -u * v;
  PUT(u.y);
  PUT(hsqrt(a));
  PUT(h2floor(v).x);
  PUT(hrcp(a));
  PUT(T(htanh(a) > T(0.5f)));
  PUT(T2(a, c) == T2(a, c) ? T(1) : T(0));
}
template __global__ void arithmetic<half, half2>(const half*, half*, int);
template __global__ void arithmetic<__nv_bfloat16, __nv_bfloat162>(const __nv_bfloat16*, __nv_bfloat16*, int);

template <typename T, typename T2>
__global__ void compared(const T* in, unsigned* out, int n) {
  ROW(9);
  const T a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  const T2 u(a, b), v(b, c);
  PUT(__hlt(a, b));
  PUT(__hltu(a, b));
  PUT(__hne(a, b));
  PUT(__hneu(a, b));
  PUT(__hbge2(u, v));
  PUT(__hbgeu2(u, v));
  PUT(__hle2_mask(u, v));
  PUT(__half2uint_rz(__float2half(float(__heq2(u, v).x))));
  PUT(__hisinf(a));
}
template __global__ void compared<half, half2>(const half*, unsigned*, int);
template __global__ void compared<__nv_bfloat16, __nv_bfloat162>(const __nv_bfloat16*, unsigned*, int);

__global__ void narrowed(const double* in, half* halves, __nv_bfloat16* out, int n) {
  ROW(4);
  const float x = float(in[i]);
  int h = at;
  halves[h++] = __float2half_rz(x);
  halves[h++] = __float2half_rd(x);
  halves[h++] = __float2half_ru(x);
  halves[h++] = __double2half(in[i]);
  PUT(__float2bfloat16_rz(x));
  PUT(__float2bfloat16_rd(x));
  PUT(__float2bfloat16_ru(x));
  PUT(__double2bfloat16(in[i]));
}

__global__ void paired(const float2* in, float* out, int n) {
  ROW(10);
  const half2 h = __float22half2_rn(in[i]);
  const __nv_bfloat162 b = __float22bfloat162_rn(in[i]);
  PUT(__half22float2(__lowhigh2highlow(h)).x);
  PUT(__bfloat1622float2(b).y);
  PUT(__low2float(b));
  PUT(__high2float(h));
  PUT(__bfloat162float(__low2bfloat16(__highs2bfloat162(b, __bfloat162bfloat162(__low2bfloat16(b))))));
  PUT(__half2float(__high2half(__lows2half2(h, __half2half2(__high2half(h))))));
  PUT(__low2float(make_bfloat162(CUDART_ONE_BF16, CUDART_ZERO_BF16)));
  PUT(__half2float(CUDART_MAX_NORMAL_FP16));
  PUT(__bfloat162float(__short_as_bfloat16(__bfloat16_as_short(b.x))));
  PUT(__half2float(__half_raw{0x3555}));
}

__global__ void to_integers(const float* in, long long* out, int n) {
  ROW(12);
  const float x = in[i];
  PUT(__float2int_rn(x));
  PUT(__float2uint_ru(x));
  PUT(__float2ll_rd(x));
  PUT((long long)__float2ull_rz(x));
  PUT(__double2int_rz(x));
  PUT(__double2uint_rn(x));
  PUT(__double2ll_ru(x));
  PUT(__half2int_rn(__float2half(x)));
  PUT(__half2short_rd(__float2half(x)));
  PUT(__half2uchar_rz(__float2half(x)));
  PUT(__bfloat162int_ru(__float2bfloat16(x)));
  PUT(__bfloat162ll_rz(__float2bfloat16(x)));
}

__global__ void of_integers(const long long* in, double* out, int n) {
  ROW(10);
  const long long x = in[i];
  PUT(__ll2float_rn(x));
  PUT(__ll2float_rz(x));
  PUT(__ll2float_rd(x));
  PUT(__ll2float_ru(x));
  PUT(__ll2double_ru(x));
  PUT(__ull2double_rz((unsigned long long)x));
  PUT(__int2float_ru((int)x));
  PUT((float)__int2half_rz((int)x));
  PUT((float)__ll2bfloat16_rn(x));
  PUT(__hiloint2double(__double2hiint(1.0 / x), __double2loint(1.0 / x)));
}

__global__ void directed(const float* in, float* out, int n) {
  ROW(12);
  const float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  PUT(__fadd_rz(a, b));
  PUT(__fsub_rd(a, b));
  PUT(__fmul_ru(a, b));
  PUT(__fdiv_rz(a, b));
  PUT(__frcp_rd(a));
  PUT(__fsqrt_ru(fabsf(a)));
  PUT(__fmaf_rd(a, b, c));
  PUT(__fadd_rn(a, b));
  PUT(__double2float_rd(__dadd_ru(a, b)));
  PUT(__double2float_ru(__fma_rz(a, b, c)));
  PUT(__double2float_rz(__dmul_rn(a, b)));
  PUT(a + b);
}

__global__ void words(const unsigned* in, unsigned* out, int n) {
  ROW(22);
  const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  const unsigned long long wide = (unsigned long long)a << 32 | b, other = (unsigned long long)b << 32 | c;
  PUT(__byte_perm(a, b, c));
  PUT(__funnelshift_l(a, b, c));
  PUT(__funnelshift_lc(a, b, c & 63));
  PUT(__funnelshift_r(a, b, c));
  PUT(__funnelshift_rc(a, b, c & 63));
  PUT((unsigned)(__brevll(wide) >> 32));
  PUT((unsigned)(__umul64hi(wide, other) >> 32));
  PUT((unsigned)((unsigned long long)__mul64hi((long long)wide, (long long)other) >> 32));
  PUT(__umul24(a, b));
  PUT(__sad((int)a, (int)b, c));
  PUT(__usad(a, b, c));
  PUT((unsigned)__hadd((int)a, (int)b));
  PUT((unsigned)__rhadd((int)a, (int)b));
  PUT(__uhadd(a, b));
  PUT(__urhadd(a, b));
  PUT((unsigned)__dp4a((int)a, (int)b, (int)c));
  PUT(__dp4a(a, b, c));
  PUT((unsigned)__dp2a_lo((int)a, (int)b, (int)c));
  PUT(__dp2a_hi(a, b, c));
  PUT(umin(a, b));
  PUT(__fns(a, 0, 3));
  PUT(__dp4a(uchar4{1, 2, 3, 4}, uchar4{255, 1, 1, 1}, c));
}

__global__ void packed(const unsigned* in, unsigned* out, int n) {
  ROW(22);
  const unsigned a = in[3 * i], b = in[3 * i + 1];
  PUT(__vadd4(a, b));
  PUT(__vsub2(a, b));
  PUT(__vaddss4(a, b));
  PUT(__vsubus2(a, b));
  PUT(__vabsdiffu4(a, b));
  PUT(__vabsdiffs2(a, b));
  PUT(__vavgu4(a, b));
  PUT(__vhaddu2(a, b));
  PUT(__vmaxs4(a, b));
  PUT(__vminu2(a, b));
  PUT(__vneg4(a));
  PUT(__vabs2(a));
  PUT(__vnegss4(a));
  PUT(__vabsss2(a));
  PUT(__vcmpeq4(a, b & 0xff00ffff | a & 0x00ff0000));
  PUT(__vcmplts2(a, b));
  PUT(__vcmpgtu4(a, b));
  PUT(__vsetges4(a, b));
  PUT(__vsetleu2(a, b));
  PUT(__vsadu4(a, b));
  PUT(__vsads2(a, b));
  PUT(__vavgs4(a, b));
}
