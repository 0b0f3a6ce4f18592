// The boundary between native kernel code and the simulator. Shared by the runtime and every kernel image.
#pragma once
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A range of addresses that the running task may use for scalar accesses.
struct mlusim_range {
  uint64_t start, end;
  uint64_t unpoisoned;  // its uninitialized bytes have to be filled before a load
};

// A run of scalar accesses of one source position at one stride, and the operations of the scalar unit before them;
// without accesses where `count` is 0.
struct mlusim_run {
  int64_t pc;
  uint64_t low, high, last;
  int64_t stride;
  uint64_t count;
  uint64_t size;
  int64_t store;
  uint64_t operations;
};

// What native code needs of the running task. The built-in variables come first.
struct mlusim_task {
  int32_t taskId, taskIdX, taskIdY, taskIdZ;
  int32_t taskDim, taskDimX, taskDimY, taskDimZ;
  int32_t clusterId, clusterDim, coreId, coreDim;
  int32_t section;                  // a parallel section is open
  sigjmp_buf* jump;                 // where an ended task unwinds to
  struct mlusim_range* ranges;      // on-chip memory, sorted
  uint64_t range_count;
  uint64_t registers, register_bytes;  // vector registers: next free address, bytes of one
};

// A variable in on-chip memory: where it is declared, and what it begins with (or NULL).
struct mlusim_variable {
  const char *name, *space, *file;
  const void* initial;
  const void* type;  // differs from type to type: a template has a variable for each
  uint64_t bytes;
  int32_t line;
};

// What the simulator answers; every entry is a function of Python's.
struct mlusim_callbacks {
  void (*drain)(const struct mlusim_run* runs, uint64_t count);
  void (*fault)(int32_t kind, uint64_t address, uint64_t size, int32_t store, int64_t pc);
  uint64_t (*local)(const struct mlusim_variable* variable, int64_t pc);
  void (*release)(uint64_t address, int64_t pc);
  void (*not_modelled)(const char* name, int64_t pc);
  void (*assertion)(const char* text, int64_t pc);
  void (*fill_poison)(uint64_t address);
  void (*exception)(const char* text, int64_t pc);
};

enum mlusim_fault_kind { MLUSIM_ACCESS = 0, MLUSIM_STACK = 1, MLUSIM_SIGNAL = 2, MLUSIM_TIME = 3, MLUSIM_EXIT = 4 };

extern struct mlusim_task* mlusim_current;
extern int64_t (**mlusim_port)(void);  // the issue ports, by number
extern volatile int mlusim_status;  // not 0: the running task has to end
extern uint64_t mlusim_scalar_work;  // operations of the scalar unit; kernels are built to count them

void mlusim_leave(void);  // before a call into Python
void mlusim_leave_at(int64_t pc);  // the same before an instruction, with the scalar operations that came before it
void mlusim_back(int64_t pc);  // after it; does not return when the task has to end
uint64_t mlusim_local(const struct mlusim_variable* variable, int64_t pc);
void mlusim_release(uint64_t address, int64_t pc);
void mlusim_not_modelled(const char* name, int64_t pc);
void mlusim_end_task(void);  // what comes next has no meaning; does not return
void mlusim_structure(const void* address, uint64_t size, int64_t pc);  // is read; a wild address is a finding
void mlusim_failed_assertion(const char* text, int64_t pc);
void mlusim_throw(int64_t pc);  // an exception is thrown here
void* mlusim_slot(const char* name, const char* space, int line, const char* file, const void* initial, uint64_t bytes);
uint64_t mlusim_take_register(void);
void mlusim_give_register(void);

#ifdef __cplusplus
}
#endif

// Puts the number of a port into a section of the image, so that only the ports in use are made.
#define MLUSIM_PORT(number) __asm__ volatile(".pushsection mlusim_ports,\"a\"\n.long " #number "\n.popsection")
#define MLUSIM_PC ((int64_t)__builtin_return_address(0))
#if defined(__clang__)
#define MLUSIM_UNCOUNTED no_sanitize("coverage")
#elif __GNUC__ >= 12
#define MLUSIM_UNCOUNTED no_sanitize_coverage
#else
#define MLUSIM_UNCOUNTED unused
#endif
#define MLUSIM_OP static __attribute__((noinline, unused, no_sanitize("thread"), MLUSIM_UNCOUNTED))
