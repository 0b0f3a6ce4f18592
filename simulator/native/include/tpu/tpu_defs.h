// Types of TPU-KERNEL.
#pragma once
#include <stdint.h>

#include "mlusim_types.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;  // as the vendor has it: kernels bring headers that say so too
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;
typedef long long i64;

typedef uint32_t local_addr_t;
typedef uint32_t static_addr_t;
typedef unsigned long long l2_sram_addr_t;
typedef unsigned long long system_addr_t;
typedef unsigned long long global_addr_t;
typedef unsigned long long addr_t;

typedef struct { uint16_t bits; } float16;
typedef struct { uint16_t bits; } bfloat16;

typedef union {
  float f32;
  int32_t s32;
  uint32_t u32;
  int16_t s16;
  uint16_t u16;
  int8_t s8;
  uint8_t u8;
  float16 f16;
  bfloat16 bf16;
} scalar_t;

typedef struct { int n, c, h, w; } dim4;
typedef struct { int h, w; } dim2;
typedef struct { int d, h, w; } dim3;
typedef struct { int n, c, d, h, w; } dim5;
typedef struct { int top, bottom, left, right; } padding_t;
typedef struct { int front, back, top, bottom, left, right; } padding3d_t;
typedef struct { int start, end; } range_t;
typedef enum { TENSOR = 0, SCALAR = 1, VECTOR = 2 } variable_type_t;
typedef union {
  scalar_t scalar;
  local_addr_t addr;
} var_context_t;
typedef struct {
  variable_type_t type;
  var_context_t context;
} variable_t;

typedef enum { TENSOR_N_DIM = 0, TENSOR_C_DIM = 1, TENSOR_H_DIM = 2, TENSOR_W_DIM = 3 } tensor_dim_t;
typedef enum { REDUCE_MEAN = 0, REDUCE_SUM = 1, REDUCE_MAX = 2, REDUCE_MIN = 3, REDUCE_PROD = 4 } reduce_method_t;

// Stands for a rounding mode where nothing is rounded.
#define NO_USE RM_HALF_TO_EVEN

// The shape of a core: lanes, bytes of a lane's memory, its banks.
#define NPU_NUM MLUSIM_LANES
#define EU_NUM (MLUSIM_EU_BYTES / 4)  // elements of 4 bytes that a lane computes in a cycle
#define ALIGN_BYTES MLUSIM_EU_BYTES
#define LOCAL_MEM_SIZE MLUSIM_LANE_BYTES
#define LOCAL_MEM_BANKS MLUSIM_BANKS
#define BANK_SIZE (LOCAL_MEM_SIZE / LOCAL_MEM_BANKS)
#define LOCAL_BANK_SIZE BANK_SIZE

// Bits of one and of the largest finite number, and of their negatives, by type.
#define MLUSIM_FP(dtype, fp32, bfp16, e4m3, e5m2, fp16)               \
  ((dtype) == DT_FP32 ? fp32 : (dtype) == DT_BFP16 ? bfp16 : (dtype) == DT_FP8E4M3 ? e4m3 \
   : (dtype) == DT_FP8E5M2 ? e5m2 : fp16)
#define FP_ONE(dtype) MLUSIM_FP(dtype, 0x3f800000u, 0x3f80u, 0x38u, 0x3cu, 0x3c00u)
#define FP_NEG_ONE(dtype) MLUSIM_FP(dtype, 0xbf800000u, 0xbf80u, 0xb8u, 0xbcu, 0xbc00u)
#define FP_MAX(dtype) MLUSIM_FP(dtype, 0x7f7fffffu, 0x7f7fu, 0x7eu, 0x7bu, 0x7bffu)
#define FP_NEG_MAX(dtype) MLUSIM_FP(dtype, 0xff7fffffu, 0xff7fu, 0xfeu, 0xfbu, 0xfbffu)

#define ALIGN(x, a) ((((x) + (a)-1) / (a)) * (a))
#define DIV_UP(x, a) (((x) + (a)-1) / (a))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
