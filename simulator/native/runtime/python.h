// What Python calls of the runtime; what it shares with kernel images is in mlusim_rt.h.
#pragma once
#include "mlusim_rt.h"
#include "ports.h"

extern "C" {

extern struct mlusim_fault mlusim_last;
extern int64_t (**mlusim_port)(void);              // the issue ports, by number; NULL for what no image calls
extern struct mlusim_native_ports* mlusim_native;  // those that need no Python, by number
extern uint64_t mlusim_port_count;
extern int mlusim_native_on;        // the running task may use them
extern int mlusim_native_late;      // and effects that wait come when they are asked for, not before
extern int mlusim_native_timed;     // how long they take is asked for
extern volatile int mlusim_status;  // not 0: the running task has to end
extern int mlusim_strict;           // runs are watched: each keeps to one stride
extern int mlusim_seen;             // runs are looked at, one after the other

// A launch begins; what an earlier one has left on the heap is given back. `recorder`: sites have other numbers in
// another one.
void mlusim_connect(const struct mlusim_callbacks* answers, struct mlusim_range* ranges, uint64_t count, int pipe,
                    int operation, int recorder);
// Runs the current task; returns 0 when the kernel has returned, 1 when it was ended.
int mlusim_run_task(void (*entry)(void**), void** arguments);
// Begins tasks one after the other and runs each to its end, for as long as Python need not know of them; returns how
// many are done. Where Python was told of the last one, which is Python's to finish, 0, or -1 where it was ended.
// `part`: the first argument has so many bytes for each task. No core runs two, but where `reused`: what nothing has
// been written to for the first time is as it was. `seen`: a bit for each role whose scalar accesses checks look at.
int mlusim_run_tasks(void (*entry)(void**), void** arguments, const struct mlusim_start* starts, int count,
                     uint64_t part, int reused, int seen, uint64_t* slots, uint64_t slot_count);
extern int mlusim_begun;  // how many of them have begun
// This thread runs kernels from now on. The bounds of a stack are slow to find, so that a thread asks for them once;
// the last 256 KiB are left to the simulator.
int mlusim_set_stack(void);
// Ends the running kernel after so many seconds; 0 takes the limit away.
void mlusim_time_limit(double seconds);

// Loads an image. NULL when that fails: `mlusim_last` says what its initialisers did, or (kind -1) what the loader
// says.
void* mlusim_load(const char* path);
// The image that is being loaded: a sandboxed worker opens nothing itself.
void mlusim_use_image_file(int descriptor);
const struct mlusim_range* mlusim_newest_image(void);
// The file-scope variables announced since the last call; good until the next image is loaded.
const struct mlusim_variable* mlusim_take_slots(int* count);

// Installs the handlers of a process that does nothing else but run kernels.
void mlusim_guard_process(void);
// From now on the system calls of kernels, and only theirs, become faults. Not 0: the host cannot do that.
int mlusim_watch_system_calls(void);
}
