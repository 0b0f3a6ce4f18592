// What an OKK source sees: types, queries and, generated from the declarations, the functions of the engines.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef USING_CMODEL
#include <assert.h>
#include <stdio.h>
#endif

#include "../../runtime/mlusim_rt.h"

typedef void (*okk_kernel_func_t)(const void*);
typedef unsigned int local_addr_t;
typedef unsigned long long system_addr_t;
typedef unsigned long long global_addr_t;

typedef struct { int n, c, h, w; } dim4;
typedef struct { int h, w; } dim2;
typedef struct { int top, bottom, left, right; } Padding;

typedef char s8x4[4];
typedef unsigned char u8x4[4];
typedef short s16x2[2];
typedef unsigned short u16x2[2];

typedef union {
  float fp32;
  int s32;
  unsigned int u32;
  s8x4 _4N_s8;
  u8x4 _4N_u8;
  s16x2 _2N_s16;
  u16x2 _2N_u16;
} x32;
typedef union { short s16; unsigned short u16; } x16;
typedef union { char s8; unsigned char u8; } x8;

typedef struct {
  bool is_addr;
  union { float val; local_addr_t addr; } context;
} fp32_or_addr_t;
typedef struct {
  bool is_addr;
  union { x32 val; local_addr_t addr; } context;
} x32_or_addr_t;

// Types of the operations on packed bytes, which are not modelled: operands and results, signed or not.
#define OP_TYPE(src_bit, src0_sign, src1_sign, dst_bit, dst_sign) \
  ((src_bit) | ((src0_sign) << 1) | ((src1_sign) << 2) | ((dst_bit) << 3) | ((dst_sign) << 4))
typedef enum {
  S8_OP_S8_TO_S8 = 31, S8_OP_S8_TO_S16 = 23, S8_OP_U8_TO_S8 = 27, S8_OP_U8_TO_S16 = 19, U8_OP_S8_TO_S8 = 29,
  U8_OP_S8_TO_S16 = 21, U8_OP_U8_TO_S8 = 25, U8_OP_U8_TO_S16 = 17, U8_OP_U8_TO_U8 = 9, U8_OP_U8_TO_U16 = 1,
  S16_OP_S16_TO_S8 = 30, S16_OP_S16_TO_S16 = 22, S16_OP_U16_TO_S8 = 26, S16_OP_U16_TO_S16 = 18,
  U16_OP_S16_TO_S8 = 28, U16_OP_S16_TO_S16 = 20, U16_OP_U16_TO_S8 = 24, U16_OP_U16_TO_S16 = 16,
  U16_OP_U16_TO_U8 = 8, U16_OP_U16_TO_U16 = 0
} op_type_t;
#define MUL_TYPE(src0_sign, src1_sign, dst_sign) ((src0_sign) | ((src1_sign) << 1) | ((dst_sign) << 2))
typedef enum {
  S16_MUL_S8_TO_S16 = 7, U16_MUL_S8_TO_S16 = 6, U16_MUL_U8_TO_U16 = 0, S16_MUL_U8_TO_S16 = 5
} mul_type_t;

// Registers a kernel: a function that takes one pointer to its arguments.
#define OKKERNEL_FUNC_REGISTER(f) \
  __attribute__((unused)) static void mlusim_register_##f(void) { (void)&f; }
#define OKKERNEL_LOG(...) printf(__VA_ARGS__)
#define OKKERNEL_ASSERT(condition) \
  do {                             \
    if (!(condition)) mlusim_assert(#condition); \
  } while (0)
MLUSIM_OP void mlusim_assert(const char* text) { mlusim_failed_assertion(text, MLUSIM_PC); }

static inline int okk_npu_num(void) { return MLUSIM_LANES; }
static inline unsigned int okk_eu_num(void) { return MLUSIM_EU_BYTES / 4; }
static inline unsigned int okk_local_mem_size_per_npu(void) { return MLUSIM_LANE_BYTES; }
static inline unsigned int okk_local_mem_bank_per_npu(void) { return MLUSIM_BANKS; }
MLUSIM_OP bool okk_is_parallel_state(void) { return mlusim_current->section; }

// Where memories lie as the engines address them.
static inline unsigned long long okk_global_mem_start_addr(void) { return 0x100000000ull; }
static inline unsigned int okk_local_mem_start_addr(void) { return 0x8000000u; }
static inline unsigned int okk_l2_sram_start_addr(void) { return MLUSIM_L2_START; }
static inline unsigned int okk_l2_sram_size(void) { return MLUSIM_L2_BYTES; }
static inline unsigned int okk_dtcm_start_addr(void) { return MLUSIM_DTCM_START; }
static inline unsigned int okk_dtcm_size(void) { return MLUSIM_DTCM_BYTES; }
// Memories as the kernel's processor sees them. It reaches global memory; an access to another one is a finding.
static inline unsigned char* okk_global_mem_addr(unsigned long long address) {
  return (unsigned char*)(uintptr_t)address;
}
static inline unsigned char* okk_local_mem_addr(unsigned int lane, unsigned int address) {
  return (unsigned char*)(uintptr_t)(okk_local_mem_start_addr() + lane * MLUSIM_LANE_BYTES + address);
}
static inline unsigned char* okk_l2_sram_addr(unsigned int address) { return (unsigned char*)(uintptr_t)address; }
static inline unsigned char* okk_dtcm_addr(unsigned int address) { return (unsigned char*)(uintptr_t)address; }

static inline int okk_start_npu_index(local_addr_t address) { return (int)(address / MLUSIM_LANE_BYTES); }
// Rows of lanes that channels take from a start lane on.
static inline int okk_channle_num_per_npu(int start_idx, int num_channels) {
  return (start_idx + num_channels + MLUSIM_LANES - 1) / MLUSIM_LANES;
}
static inline void mlusim_strides(dim4* stride, int start_idx, const dim4* shape, int multiple) {
  stride->w = 1;
  stride->h = shape->w;
  stride->c = (shape->h * shape->w + multiple - 1) / multiple * multiple;
  stride->n = okk_channle_num_per_npu(start_idx, shape->c) * stride->c;
}
static inline void okk_128_byte_aligned_stride_for_32bit(dim4* stride, int start_idx, const dim4* shape) {
  mlusim_strides(stride, start_idx, shape, MLUSIM_EU_BYTES / 4);
}
static inline void okk_128_byte_aligned_stride_for_16bit(dim4* stride, int start_idx, const dim4* shape) {
  mlusim_strides(stride, start_idx, shape, MLUSIM_EU_BYTES / 2);
}
static inline void okk_128_byte_aligned_stride_for_8bit(dim4* stride, int start_idx, const dim4* shape) {
  mlusim_strides(stride, start_idx, shape, MLUSIM_EU_BYTES);
}
static inline void okk_compact_stride(dim4* stride, int start_idx, const dim4* shape) {
  mlusim_strides(stride, start_idx, shape, 1);
}
static inline void okk_continuous_stride(dim4* stride, const dim4* shape) {
  stride->w = 1;
  stride->h = shape->w;
  stride->c = shape->h * shape->w;
  stride->n = shape->c * stride->c;
}

#include "../tpu/mlusim_known.h"
#include "mlusim_ops.h"
