// The boundary between CUDA kernels, the runtime that runs their threads, and Python. The runtime is linked into each
// kernel image, so that its hooks are those of the image alone.
#pragma once
#include <stddef.h>
#include <stdint.h>

constexpr uint32_t SIMT_WARP = 32;  // threads of a warp

#ifdef __cplusplus
extern "C" {
#endif

// A range of addresses: an array of the device, or the image.
struct simt_range {
  uint64_t start, end;
};

// A variable of the module that host code names, and where it lies in the device's memory: the key is its file, line
// and name.
struct simt_placed {
  const char* key;
  uint64_t address;
  int32_t functions, unused;  // it holds pointers to functions, which are set where it holds zeros
};

// What a launch is given.
struct simt_launch {
  uint32_t grid[3], block[3];
  uint64_t dynamic_bytes, static_limit;  // bytes of shared memory a block asks for, and may declare
  const struct simt_range* arrays;       // global memory, sorted
  uint64_t array_count;
  struct simt_range image;
  struct simt_range parameters;  // what the host has passed
  int32_t collect;               // go on after an error
  int32_t order;                 // of its blocks, warps and threads: 0 for that of their numbers, above for another one
  int32_t exact;                 // keep which bytes of the arrays are touched
  int32_t unchecked;             // look for no races, nor for uninitialized values
  int32_t stored;                // keep what becomes of words of shared memory
  int32_t poison;                // what every byte of fresh shared memory holds
  uint64_t focus;                // keep the events of the blocks that write the byte at this address; 0 for none
  const struct simt_placed* placed;
  uint64_t placed_count;
};

enum simt_fault_kind {
  SIMT_BOUNDS,
  SIMT_ALIGNMENT,
  SIMT_RACE,
  SIMT_UNINITIALIZED,
  SIMT_ORDER,  // a thread accesses what a copy of `other` may still be at work on
  SIMT_BARRIER_ENDED,
  SIMT_BARRIER_APART,
  SIMT_WARP_APART,   // a thread waits for `other` of its warp, which does not come; itself: it is not in its mask
  SIMT_WARP_ABSENT,  // a thread takes the value of one, `other`, that its mask (`size`) names and that has ended
  SIMT_PROCESS,      // what a kernel did to its process: `other` is an mlusim_fault_kind
  SIMT_NOT_MODELLED,
  SIMT_ASSERT,
  SIMT_BUDGET,
  SIMT_CONSTANT,
  SIMT_UPDATE,  // a thread updates what `other` of the block `size` has updated, in no order
  SIMT_FENCE,   // a thread loads what the block `size` has stored for it, without a fence; `other`: it alone does so
  SIMT_GLOBAL_RACE  // a thread loads what `other` of the block `size` has stored, or the other way round, in no order
};

// What went wrong at one place, with the first time that it did.
struct simt_fault {
  int64_t pc, related;  // `related` is the other instruction involved, or 0
  uint64_t address, size, count, block;
  const char* text;  // the name of a variable, an instruction or an assertion, or NULL
  uint32_t thread, other;
  int32_t kind, store;
};

// SIMT_EXCHANGE is no access to memory: a thread takes what threads of its warp give.
enum simt_access { SIMT_LOAD, SIMT_STORE, SIMT_ATOMIC, SIMT_EXCHANGE };
enum simt_space { SIMT_GLOBAL, SIMT_SHARED };

// What the warps of one block did at one place of the source.
struct simt_row {
  int64_t pc;
  uint64_t block, address, requested;  // the lowest address; bytes that the threads asked for
  uint64_t units[3];                   // transactions of 32, 64 and 128 bytes; of shared memory: passes
  int32_t space, access;
};

// Bytes of the arrays that the warps of one block touched at one place: `run` of them at `start` and at every further
// `stride`, so many times.
struct simt_piece {
  uint64_t row, start, run, stride, count;
};

// What one thread did. In shared memory, `address` is the place in it, whatever the variable; of an exchange `size` is
// the mask of the lanes that the thread takes values of.
struct simt_event {
  int64_t pc;
  uint64_t address, size, block;
  uint32_t thread;
  int32_t space, access;
};

// What became of the words of shared memory that one place of the source has stored. `lost`: they were never loaded,
// though they were stored more than once; `some`: not always.
struct simt_stored {
  int64_t pc;
  uint64_t words, lost, some;
  int32_t differ, ends;  // what was lost were different numbers; the first word and the last one are lost
};

#define SIMT_EXPORTED __attribute__((visibility("default")))
// What Python calls. A launch begins:
SIMT_EXPORTED void simt_begin(const struct simt_launch* launch, void (*kernel)(void**), void** values);
// Runs some blocks of it; 0 when it has ended.
SIMT_EXPORTED int simt_run(uint64_t first, uint64_t last);
SIMT_EXPORTED const struct simt_row* simt_rows(uint64_t* count);
// The pieces of all rows in their order, if they are kept; NULL where there are too many.
SIMT_EXPORTED const struct simt_piece* simt_pieces(uint64_t* count);
// The events that are kept, in their order.
SIMT_EXPORTED const struct simt_event* simt_events(uint64_t* count);
// What is kept of words that are stored, by their places.
SIMT_EXPORTED const struct simt_stored* simt_stored_words(uint64_t* count);
SIMT_EXPORTED const struct simt_fault* simt_faults(uint64_t* count);
// Most bytes of declared shared memory that a block has used.
SIMT_EXPORTED uint64_t simt_declared(void);
// The place of an address in the shared memory of its block, or all ones. What a launch asks for is counted by itself.
SIMT_EXPORTED uint64_t simt_shared_offset(uint64_t address);
// The name of the variable that an address lies in or behind, and where it is; NULL for none.
SIMT_EXPORTED const char* simt_variable(uint64_t address, struct simt_range* range);

// What kernels call.
void mlusim_begin_image(void);  // see mlusim_rt.h
uint64_t mlusim_shared(const char* name, const char* file, int line, uint64_t bytes, const void* type);
uint64_t mlusim_dynamic_shared(void);
uint64_t mlusim_variable_in(const char* name, const char* space, const char* file, int line, uint64_t bytes,
                            const void* initial);
void mlusim_barrier(int site);
uint32_t mlusim_vote(int site, int predicate);  // the same, and for how many threads a condition holds
// Waits for the threads of the warp in `mask` (0: those that come), all of which give a value to the function `name`;
// those that have.
uint32_t mlusim_warp(const char* name, uint32_t mask, uint64_t value, int64_t pc);
// The same, and the value of one of its threads.
uint64_t mlusim_shuffle(const char* name, uint32_t mask, uint64_t value, uint32_t lane, int64_t pc);
uint64_t mlusim_given(uint32_t lane);  // what a thread gave to the function that the running one has called last
uint32_t mlusim_lane(void);            // the place of the thread in its warp
void mlusim_atomic(const void* address, uint64_t size, int64_t pc);
void mlusim_fence(void);  // what the thread has stored before comes before what it stores later, to all
// Starts a copy to shared memory whose last bytes are zeros; closes a batch of them; waits for all batches but the
// last.
void mlusim_copy_async(void* to, const void* from, uint64_t size, uint64_t zeros, int64_t pc);
void mlusim_copies_commit(void);
void mlusim_copies_wait(uint64_t batches);
int mlusim_is_shared(const void* address);
void mlusim_not_modelled(const char* name, int64_t pc);
void mlusim_end_task(void);  // what comes next has no meaning: the thread ends

#ifdef __cplusplus
}
#endif
