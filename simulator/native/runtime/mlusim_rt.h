// The boundary between native kernel code and the simulator. Shared by the runtime and every kernel image.
#pragma once
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include "../log_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

// Which bytes of a range are uninitialized, as Python keeps it: all of them lie in [lo, hi).
struct mlusim_holes {
  uint64_t lo, hi;
  uint8_t* written;               // for every byte of the range whether it was written; NULL: none of [lo, hi) is
  uint64_t poisoned, poison_end;  // in between all of them hold the poison, or what has been computed of it
  uint64_t poison;                // what every byte holds that nothing has written
};

// A range of addresses that the running task may use: a variable or an array.
struct mlusim_range {
  uint64_t start, end;
  struct mlusim_holes* holes;  // NULL: there are none
  uint64_t key;                // of its first byte in a log; MLUSIM_UNSEEN: its accesses are no records
  uint64_t load, store;        // numbers in the log of what loads from it and stores to it
  uint64_t touched, until;     // what stores have written for the first time since the last drain lies in between
};
#define MLUSIM_UNSEEN UINT64_MAX
// What has become of flags since the last drain: some have been set; some of them, or others, have been taken away.
enum mlusim_touched { MLUSIM_UNTOUCHED, MLUSIM_WRITTEN, MLUSIM_TAKEN_AWAY };

// A run of scalar accesses of one source position to one range: at one stride, or (loose) anywhere in it; and the
// operations of the scalar unit before them.
struct mlusim_run {
  int64_t pc;
  uint64_t low, high, last;
  int64_t stride;
  uint64_t times;  // accesses
  uint64_t size;
  int64_t store;  // 1, or 0 for loads; 2 more for atomic ones
  uint64_t operations;
  int64_t apart, uneven;  // there are bytes between the accesses; they have more than one size or stride
  uint64_t base;          // the key of an address, less the address
  uint64_t work;          // of its record, as are its instruction and its gaps
  uint32_t op, gaps;
};

// What native code needs of the running task. The built-in variables come first.
struct mlusim_task {
  int32_t taskId, taskIdX, taskIdY, taskIdZ;
  int32_t taskDim, taskDimX, taskDimY, taskDimZ;
  int32_t clusterId, clusterDim, coreId, coreDim;
  int32_t section;              // a parallel section is open
  int32_t core;                 // its number in a log
  int32_t role;                 // what its core is among those that run together
  int32_t mute;                 // its scalar stores to the device's memory have no effect
  int32_t pending;              // effects of it that a wait has to ask for, and that Python keeps
  sigjmp_buf* jump;             // where an ended task unwinds to
  struct mlusim_range* ranges;  // on-chip memory, sorted
  uint64_t range_count;
  uint64_t generation;  // of `ranges`: no two tables of a process have the same
  uint64_t registers, register_bytes, register_start, register_end;  // next free vector register, bytes of one, all
  uint64_t operations;  // of the scalar unit that are in no record yet, while its kernel's code does not run
  uint64_t round;       // of `mlusim_run_tasks`: when a task last began on this core
};

// Which tasks ask what a task has written first: none; those that run together with it, for a finding; the next one,
// which has some of its variables as well.
enum mlusim_asker { MLUSIM_NONE, MLUSIM_GROUP, MLUSIM_NEXT };

// A task that is to begin: its built-in variables come first, then what they come with on its core.
struct mlusim_start {
  int32_t seen[12];
  int32_t core, role;
  int32_t mute;              // as in `mlusim_task`
  int32_t asker;             // an mlusim_asker
  struct mlusim_task* task;  // that of its core
  const uint64_t* slots;     // addresses for the reference slots of the image
  // What a log says of the variables of the image: they come, and behind that they go; each record has one operand.
  const struct mlusim_record* records;
  const struct mlusim_operand* operands;
  uint64_t variables;
};

// Records that are complete, with all of their operands; what operands leave alone, these counted from the first that
// is here; and the shapes of those at strides.
struct mlusim_rows {
  const struct mlusim_record* records;
  const struct mlusim_operand* operands;
  const struct mlusim_runs* runs;
  const struct mlusim_shape* shapes;
  uint64_t record_count, operand_count, run_count, shape_count;
};

// A variable in on-chip memory: where it is declared, and what it begins with (or NULL).
struct mlusim_variable {
  const char *name, *space, *file;
  const void* initial;
  const void* type;  // differs from type to type: a template has a variable for each
  uint64_t bytes;
  int32_t line;
};

struct mlusim_repeat;

// A copy that happens when a wait asks for it; or the effect of a call that was made again, with its address in system
// memory as the source.
struct mlusim_late {
  uint64_t target, source, bytes;
  uint64_t pipe;                       // number in the log
  const struct mlusim_repeat* repeat;  // NULL: a copy
};

// What the simulator answers; every entry is a function of Python's.
struct mlusim_callbacks {
  // Of runs with their records, these come first.
  void (*drain)(const struct mlusim_run* runs, uint64_t count, struct mlusim_rows* rows, int32_t touched);
  uint32_t (*site)(uint32_t op, uint32_t pipe, int64_t pc);                                    // its number in the log
  int32_t (*fault)(int32_t kind, uint64_t address, uint64_t size, int32_t store, int64_t pc);  // 1: the task may go on
  uint64_t (*local)(const struct mlusim_variable* variable, int64_t pc);
  void (*release)(uint64_t address, int64_t pc);
  void (*not_modelled)(const char* name, int64_t pc);
  void (*fill)(const char* name, uint64_t pointed, uint64_t filled, int64_t pc);
  void (*assertion)(const char* text, int64_t pc);
  void (*unwritten)(uint64_t address, uint64_t size, int64_t pc);  // a load of uninitialized bytes
  void (*keep_flags)(uint64_t address);                            // the range of an address gets its flags
  int32_t (*in_space)(uint64_t address, const char* space);
  void (*defer)(const struct mlusim_late* copies, uint64_t count);  // Python keeps them from now on
  void (*begun)(int32_t number);  // of the tasks that were to begin: it runs, and Python is going to hear of it
  void (*turn)(void);             // effects in queues that Python keeps happen
  void (*broken)(struct mlusim_repeat* const* repeats, uint64_t count);  // they have broken rules again
  void (*section)(int32_t opens, int32_t op, int64_t pc);  // an instruction has opened or closed the parallel section
};

enum mlusim_fault_kind {
  MLUSIM_ACCESS,
  MLUSIM_STACK,
  MLUSIM_SIGNAL,
  MLUSIM_TIME,
  MLUSIM_EXIT,
  MLUSIM_CALL,       // a system call: size is its number
  MLUSIM_THROW,      // an uncaught exception
  MLUSIM_JUMP,       // a jump out of the kernel
  MLUSIM_OUTPUT,     // too much was printed
  MLUSIM_EARLY,      // a static initialiser uses the device
  MLUSIM_REGISTERS,  // no vector register is left
};

// What a kernel did to its process, as far as it does not fit into the arguments of `fault`.
struct mlusim_fault {
  int32_t kind;
  uint64_t address, size;
  int64_t pc;
  int32_t abi;  // of a system call: 0, that of the process; 1, another
  int64_t arguments[6];
  char text[256];    // the type of an exception and what it says, the words of the loader, what argument 0 points to
  char second[256];  // what argument 1 points to
};

// What a runtime that images bring along shares with this one, which guards the process of both.
struct mlusim_guest {
  volatile char* in_kernel;  // 1 while a kernel's code runs
  volatile int* time_is_up;
  uint64_t* stack_low;  // end of the usable part of the stack that runs
};

extern struct mlusim_task* mlusim_current;
extern uint64_t mlusim_scalar_work;  // operations of the scalar unit; kernels are built to count them

// Calls an issue port with the arguments that follow, of which MLUSIM_MOST_WORDS may go on the stack. The call is the
// number of the port above the return address that it is said to be made at. Does not return when the task has to end.
void mlusim_issue(void);
uint64_t mlusim_local(const struct mlusim_variable* variable, int64_t pc);
void mlusim_release(uint64_t address, int64_t pc);
void mlusim_not_modelled(const char* name, int64_t pc);
// A fill has elements of so many bytes, and its pointer points to such of others.
void mlusim_fill(const char* name, uint64_t pointed, uint64_t filled, int64_t pc);
void mlusim_end_task(void);  // what comes next has no meaning; does not return
void mlusim_structure(const void* address, uint64_t size, int64_t pc);  // is read; a wild address is a finding
void mlusim_failed_assertion(const char* text, int64_t pc);
extern int64_t mlusim_throw_pc;          // where the latest exception was thrown
void mlusim_uncaught(const char* text);  // it is not caught: ends the task; does not return
int32_t mlusim_in_space(const void* address, const char* space, int64_t pc);  // of whatever core or cluster
// A launch of the guest's begins. `ended` takes the place of a task's end, for every kind of fault but an access; it
// does not return.
void mlusim_invite(void (*ended)(int kind, uint64_t address, uint64_t size, int64_t pc));
struct mlusim_guest mlusim_share(void);
void mlusim_end(int kind, uint64_t address, uint64_t size, int64_t pc);  // ends what runs; does not return
void* mlusim_slot(const char* name, const char* space, int line, const char* file, const void* initial, uint64_t bytes);
void mlusim_begin_image(void);  // the image that calls this is being loaded
uint64_t mlusim_take_register(void);
void mlusim_give_register(void);

#ifdef __cplusplus
}
#endif

// Puts the number of a port into a section of the image, so that only the ports in use are made.
#define MLUSIM_PORT(number) __asm__ volatile(".pushsection mlusim_ports,\"a\"\n.long " #number "\n.popsection")
#define MLUSIM_PC ((int64_t)__builtin_return_address(0))
#define MLUSIM_NUMBER_SHIFT 48
#define MLUSIM_CALL(number) (MLUSIM_PC | (int64_t)(number) << MLUSIM_NUMBER_SHIFT)
#define MLUSIM_MOST_WORDS 32
#if defined(__clang__)
#define MLUSIM_UNCOUNTED no_sanitize("coverage")
#elif __GNUC__ >= 12
#define MLUSIM_UNCOUNTED no_sanitize_coverage
#else
#define MLUSIM_UNCOUNTED unused
#endif
#define MLUSIM_OP static __attribute__((noinline, unused, no_sanitize("thread"), MLUSIM_UNCOUNTED))
