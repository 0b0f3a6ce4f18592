// Waits of engines for each other, made of messages: the processor goes on. Findings tell of the kernel's own line.
#pragma once

#define MLUSIM_INLINE static inline __attribute__((always_inline))

// Each engine of the core waits until all of them have come so far.
MLUSIM_INLINE void tpu_sync_core(void) {
  const int id = tpu_get_local_msg_id(), engines = MLUSIM_ARCH >= 1690 ? 4 : 3;
  tpu_bdc_send_msg(id, engines);
  tpu_gdma_send_msg(id, engines);
  tpu_hau_send_msg(id, engines);
  if (MLUSIM_ARCH >= 1690) tpu_sdma_send_msg(id, engines);
  tpu_bdc_wait_msg(id, engines);
  tpu_gdma_wait_msg(id, engines);
  tpu_hau_wait_msg(id, engines);
  if (MLUSIM_ARCH >= 1690) tpu_sdma_wait_msg(id, engines);
}

// One engine of each core waits until those of all cores have come so far.
#define MLUSIM_SYNC_ALL(send, wait)                               \
  const int id = tpu_get_global_msg_id(), cores = tpu_core_num(); \
  send(id, cores);                                                \
  wait(id, cores)
MLUSIM_INLINE void tpu_sync_all_bdc(void) { MLUSIM_SYNC_ALL(tpu_bdc_send_msg, tpu_bdc_wait_msg); }
MLUSIM_INLINE void tpu_sync_all_gdma(void) { MLUSIM_SYNC_ALL(tpu_gdma_send_msg, tpu_gdma_wait_msg); }
MLUSIM_INLINE void tpu_sync_all_hau(void) { MLUSIM_SYNC_ALL(tpu_hau_send_msg, tpu_hau_wait_msg); }
MLUSIM_INLINE void tpu_sync_all_sdma(void) { MLUSIM_SYNC_ALL(tpu_sdma_send_msg, tpu_sdma_wait_msg); }

// They stand around messages and send no command: outside of sections messages keep the order of the program anyway.
static inline void tpu_sync_start(void) {}
static inline void tpu_sync_end(void) {}
