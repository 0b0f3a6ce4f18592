// What a TPU-KERNEL source sees: types, queries and, generated from the declarations, the functions of the engines.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../runtime/mlusim_rt.h"
#include "tpu_defs.h"

// Registers a kernel: a function that takes one pointer to its arguments.
#define TPUKERNEL_FUNC_REGISTER(f) \
  __attribute__((unused)) static void mlusim_register_##f(void) { (void)&f; }

#define TPUKERNEL_ASSERT(condition) \
  do {                              \
    if (!(condition)) mlusim_assert(#condition); \
  } while (0)
#define TPUKERNEL_ASSERT_INFO(condition, ...) TPUKERNEL_ASSERT(condition)
#define TPUKERNEL_LOG(...) printf(__VA_ARGS__)
#define TPUKERNEL_DBG(...) ((void)0)
#define TPUKERNEL_ERR(...) printf(__VA_ARGS__)
#define TPUKERNEL_TRACE(...) ((void)0)

MLUSIM_OP void mlusim_assert(const char* text) { mlusim_failed_assertion(text, MLUSIM_PC); }

// Several cores run the same kernel; each asks which one it is.
MLUSIM_OP int tpu_core_index(void) { return mlusim_current->taskId; }
MLUSIM_OP int tpu_core_num(void) { return mlusim_current->taskDim; }
MLUSIM_OP int tpu_workitem_index(void) { return mlusim_current->taskId; }
MLUSIM_OP int tpu_workitem_num(void) { return mlusim_current->taskDim; }
MLUSIM_OP int tpu_group_index(void) { return 0; }
MLUSIM_OP int tpu_group_num(void) { return 1; }

// Numbers of messages: 24 of each core's own in turn, and 8 a core that all count alike, of 48 that a core has.
static int mlusim_messages[2][64];
MLUSIM_OP int tpu_get_local_msg_id(void) { return tpu_core_index() * 48 + mlusim_messages[0][tpu_core_index()]++ % 24; }
MLUSIM_OP int tpu_next_msg_id(void) { return tpu_get_local_msg_id(); }
MLUSIM_OP int tpu_get_global_msg_id(void) {
  const int number = mlusim_messages[1][tpu_core_index()]++ % (tpu_core_num() * 8);
  return number / 8 * 48 + 32 + number % 8;
}

static inline int tpu_npu_num(void) { return NPU_NUM; }
static inline int tpu_bank_num(void) { return LOCAL_MEM_BANKS; }
static inline int tpu_local_mem_size_per_npu(void) { return LOCAL_MEM_SIZE; }
static inline int tpu_data_type_bits(data_type_t dtype) {
  switch (dtype) {
    case DT_INT4: case DT_UINT4: return 4;
    case DT_INT8: case DT_UINT8: case DT_FP8E5M2: case DT_FP8E4M3: return 8;
    case DT_INT16: case DT_UINT16: case DT_FP16: case DT_BFP16: return 16;
    default: return 32;
  }
}
static inline int tpu_data_type_size(data_type_t dtype) {
  TPUKERNEL_ASSERT(dtype != DT_INT4 && dtype != DT_UINT4);
  return tpu_data_type_bits(dtype) / 8;
}
static inline int tpu_eu_num(data_type_t dtype) { return MLUSIM_EU_BYTES * 8 / tpu_data_type_bits(dtype); }
static inline bool tpu_is_data_type_signed(data_type_t dtype) { return dtype & 1; }
static inline bool tpu_is_data_type_fp(data_type_t dtype) {
  return dtype == DT_FP32 || dtype == DT_FP16 || dtype == DT_BFP16 || dtype == DT_FP20 || dtype == DT_TF32 ||
         dtype == DT_FP8E5M2 || dtype == DT_FP8E4M3;
}
static inline bool tpu_is_data_type_fp8(data_type_t dtype) { return dtype == DT_FP8E5M2 || dtype == DT_FP8E4M3; }
static inline bool tpu_is_data_type_int(data_type_t dtype) { return !tpu_is_data_type_fp(dtype); }
static inline bool tpu_is_data_type_signed_int(data_type_t dtype) {
  return tpu_is_data_type_int(dtype) && tpu_is_data_type_signed(dtype);
}
static inline bool tpu_is_data_type_unsigned_int(data_type_t dtype) {
  return tpu_is_data_type_int(dtype) && !tpu_is_data_type_signed(dtype);
}
static inline bool tpu_is_data_type_int4(data_type_t dtype) { return dtype == DT_INT4 || dtype == DT_UINT4; }
static inline bool tpu_is_data_type_int8(data_type_t dtype) { return dtype == DT_INT8 || dtype == DT_UINT8; }
static inline bool tpu_is_data_type_int16(data_type_t dtype) { return dtype == DT_INT16 || dtype == DT_UINT16; }
static inline bool tpu_is_data_type_int32(data_type_t dtype) { return dtype == DT_INT32 || dtype == DT_UINT32; }

MLUSIM_OP bool tpu_is_parallel_state(void) { return mlusim_current->section; }

// Global memory as the kernel's processor sees it, through its cache.
static inline void* tpu_global_mem_addr(global_addr_t address) { return (void*)(uintptr_t)address; }

// Where memories lie as the engines address them. A chip without a memory of the second level has none at 0.
#ifndef MLUSIM_L2_START
#define MLUSIM_L2_START 0
#define MLUSIM_L2_BYTES 0
#endif
#if MLUSIM_ARCH >= 1690
#define MLUSIM_LOCAL_START 0x1f0000000000ull
#define MLUSIM_GLOBAL_START 0ull
#elif MLUSIM_ARCH >= 1688
#define MLUSIM_LOCAL_START 0x1f000000000ull
#define MLUSIM_GLOBAL_START 0x8000000000ull
#else
#define MLUSIM_LOCAL_START 0x8000000ull
#define MLUSIM_GLOBAL_START 0x100000000ull
#endif
#define LOCAL_MEM_START_ADDR tpu_local_mem_get_start_addr()
#define L2_SRAM_START_ADDR tpu_l2_sram_get_start_addr()
#define L2_SRAM_SIZE tpu_l2_sram_size()
static inline unsigned long long tpu_l2_sram_get_start_addr(void) { return MLUSIM_L2_START; }
static inline int tpu_l2_sram_size(void) { return MLUSIM_L2_BYTES; }
static inline unsigned long long tpu_local_mem_get_start_addr(void) { return MLUSIM_LOCAL_START; }
static inline unsigned long long tpu_global_mem_get_start_addr(void) { return MLUSIM_GLOBAL_START; }
// The processor reaches global memory alone: an access to another one is a finding.
static inline void* tpu_l2_sram_addr(l2_sram_addr_t address) { return (void*)(uintptr_t)address; }
static inline void* tpu_local_mem_addr(int lane, local_addr_t address) {
  return (void*)(uintptr_t)(MLUSIM_LOCAL_START + (uint64_t)lane * LOCAL_MEM_SIZE + address);
}

#include "mlusim_known.h"
typedef void* mlusim_pointer;
typedef int* mlusim_numbers;
MLUSIM_KNOWN_TYPE(range_t, tpu_bank_range)
MLUSIM_KNOWN_TYPE(dim2, tpu_cube_shape)
MLUSIM_KNOWN_TYPE(dim4, tpu_gdma_compress_RACU_meta_stride)
MLUSIM_KNOWN_TYPE(dim4, tpu_gdma_compress_RACU_racu_stride)
MLUSIM_KNOWN_TYPE(mlusim_pointer, tpu_local_mem_addr_unified)
MLUSIM_KNOWN_TYPE(mlusim_numbers, tpu_cdma_get_used_ports)
MLUSIM_KNOWN_TYPE(mlusim_numbers, tpu_chip_map)
#define tpu_kernel_memcpy memcpy
#define tpu_kernel_memset memset

#include "mlusim_ops.h"
#include "tpu_layout.h"
#include "tpu_sync.h"
#include "tpu_scalar.h"
