// What a kernel may ask of the operating system. The outer wall is the sandbox of the worker; this one names the line.
#include "calls.h"

#include "process.h"
#include "python.h"
#if defined(__x86_64__)
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "frames.h"
#include "images.h"
#include "ranges.h"

// Where a library's function returns to that has been told no.
extern "C" char mlusim_stop[] __attribute__((visibility("hidden")));
extern "C" void mlusim_stopped(void) __attribute__((visibility("hidden")));

namespace mlusim {

namespace {

constexpr uint64_t OUTPUT_LIMIT = 64u << 20;  // bytes that a launch may print
constexpr uint64_t MAPPED_LIMIT = 1ull << 30;
constexpr int X32 = 0x40000000, HOST_ABI = (int)0xC000003E;
constexpr int64_t TCGETS_CALL = 0x5401, MAP_NOREPLACE = 0x100000;

// A call with its six arguments.
struct Call {
  int64_t number;
  int64_t a[6];
};

struct Mapping {
  uint64_t start, end;  // end 0: free
};

struct Calls {
  int64_t refused, refused_pc;  // a call after which the task ends: its number + 1, and where it was made
  uint64_t printed, mapped;     // bytes
  uint64_t break_begin;         // where the host's heap ended before the kernel ran
  Mapping mappings[256];        // what the running kernel has taken from the host directly
  int image_file = -1;          // the image that is being loaded: a sandboxed worker opens nothing itself
} calls;

int64_t made(const Call& call) {
  return system_call(call.number, call.a[0], call.a[1], call.a[2], call.a[3], call.a[4], call.a[5]);
}

int64_t map(const Call& call) {
  Mapping* room = nullptr;
  for (Mapping& mapping : calls.mappings)
    if (!mapping.end) room = &mapping;
  uint64_t bytes = (uint64_t)call.a[1];
  if (!room || bytes > MAPPED_LIMIT || calls.mapped + bytes > MAPPED_LIMIT) return -ENOMEM;
  int64_t found = system_call(SYS_mmap, 0, call.a[1], call.a[2], call.a[3], call.a[4], call.a[5]);
  if (found < 0 && found > -4096) return found;
  *room = {(uint64_t)found, (uint64_t)found + bytes};
  calls.mapped += bytes;
  return found;
}

bool may_map(const Call& call) {
  const int64_t anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  return (call.a[3] & anonymous) == anonymous && !(call.a[3] & (MAP_FIXED | MAP_SHARED | MAP_STACK | MAP_NOREPLACE)) &&
         !(call.a[2] & ~(PROT_READ | PROT_WRITE));
}

// Gives a mapping back to the account; whether the bytes are one of the kernel's.
bool unmap(uint64_t address, uint64_t size) {
  for (Mapping& mapping : calls.mappings)
    if (mapping.end && address >= mapping.start && holds(mapping.end, address, size)) {
      calls.mapped -= mapping.end - mapping.start;
      mapping.end = 0;
      return true;
    }
  return false;
}

// The heap of the host grows for what the C library takes by itself, and no less is left than was there.
int64_t move_break(uint64_t end) {
  bool fits = end >= calls.break_begin && end - calls.break_begin <= MAPPED_LIMIT;
  return system_call(SYS_brk, fits ? (int64_t)end : 0, 0, 0, 0, 0, 0);  // 0: says where it is
}

// Carries out the calls that the C library makes for a kernel that computes, takes memory or prints. False: it is none.
bool permitted(const Call& call, int64_t& result) {
  const bool standard = call.a[0] >= 0 && call.a[0] <= 2;  // a stream
  switch (call.number) {
    case SYS_brk:
      result = move_break((uint64_t)call.a[0]);
      return true;
    case SYS_futex:
    case SYS_clock_gettime:
    case SYS_gettimeofday:
    case SYS_time:
    case SYS_getrandom:
    case SYS_sysinfo:
    case SYS_sched_yield:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_getpid:
    case SYS_gettid:
      break;
    case SYS_rt_sigprocmask:  // what is blocked does not change
      result = system_call(call.number, SIG_BLOCK, 0, call.a[2], call.a[3], 0, 0);
      return true;
    case SYS_write:
      if (call.a[0] != 1 && call.a[0] != 2) return false;
      result = call.a[2];
      if (process.loading) return true;
      calls.printed += (uint64_t)call.a[2];
      break;
    case SYS_fstat:
      if (!standard) return false;
      break;
    case SYS_newfstatat:
      if (!standard) return false;
      result = system_call(SYS_fstat, call.a[0], call.a[2], 0, 0, 0, 0);
      return true;
    case SYS_ioctl:
      if (!standard || call.a[1] != TCGETS_CALL) return false;  // is it a terminal?
      break;
    case SYS_mmap:
      if (!may_map(call)) return false;
      result = map(call);
      return true;
    case SYS_munmap:
      if (!unmap((uint64_t)call.a[0], (uint64_t)call.a[1])) return false;
      break;
    default:
      return false;
  }
  result = made(call);
  return true;
}

// The simulator itself, at the wall of its sandbox: it is told no, but opens what it was given.
int64_t own_call(const Call& call, bool host) {
  if (host && process.loading && call.number == SYS_openat && calls.image_file >= 0)
    return system_call(SYS_dup, calls.image_file, 0, 0, 0, 0, 0);
  if (host && call.number == SYS_newfstatat) return system_call(SYS_fstat, call.a[0], call.a[2], 0, 0, 0, 0);
  return -EPERM;
}

// These hold no locks that Python needs, and some do not return.
bool ends_at_once(int64_t number) {
  return number == SYS_vfork || number == SYS_exit || number == SYS_exit_group || number == SYS_kill ||
         number == SYS_tkill || number == SYS_tgkill;
}

// A kernel makes a call that it may not make: what runs ends here, or where the library's function returns to.
void refuse(const Call& call, bool host, uint64_t pc) {
  mlusim_last.abi = !host;
  memcpy(mlusim_last.arguments, call.a, sizeof call.a);
  read_text((uint64_t)call.a[0], mlusim_last.text, sizeof mlusim_last.text);
  read_text((uint64_t)call.a[1], mlusim_last.second, sizeof mlusim_last.second);
  Frame frame = find_frame(0);
  // A library may hold locks here that Python needs: it goes on to its end, and the task ends there.
  if (images.hold(pc) || !frame.slot || *frame.slot != frame.pc || ends_at_once(call.number))
    end_task(MLUSIM_CALL, 0, (uint64_t)call.number, frame.pc);
  *frame.slot = (int64_t)mlusim_stop;
  calls.refused = call.number + 1;
  calls.refused_pc = frame.pc;
}

}  // namespace

int64_t system_call(int64_t number, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) {
  register int64_t r10 __asm__("r10") = d;
  register int64_t r8 __asm__("r8") = e;
  register int64_t r9 __asm__("r9") = f;
  int64_t result = number;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

void begin_calls() {
  calls.printed = calls.mapped = 0;
  calls.break_begin = (uint64_t)system_call(SYS_brk, 0, 0, 0, 0, 0, 0);
  memset(calls.mappings, 0, sizeof calls.mappings);
}

void forget_refused_call() { calls.refused = 0; }

void on_system_call(int, siginfo_t* info, void* context) {
  greg_t* r = ((ucontext_t*)context)->uc_mcontext.gregs;
  const Call call = {info->si_syscall, {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]}};
  bool host = (int)info->si_arch == HOST_ABI && !(call.number & X32);
  if (!process.in_kernel) {
    r[REG_RAX] = own_call(call, host);
    return;
  }
  process.in_kernel = 0;
  int64_t result;
  if (host && permitted(call, result)) {
    if (calls.printed > OUTPUT_LIMIT) end_task(MLUSIM_OUTPUT, 0, OUTPUT_LIMIT, find_frame(0).pc);
    if (process.time_is_up && !process.loading) end_task(MLUSIM_TIME, 0, 0, find_frame(0).pc);
    r[REG_RAX] = result;
  } else if (host && process.loading && (call.number == SYS_openat || call.number == SYS_open)) {
    r[REG_RAX] = -EACCES;  // a variable of the host, which opens its file in the host's program
  } else {
    r[REG_RAX] = -EPERM;
    if (!calls.refused) refuse(call, host, (uint64_t)r[REG_RIP]);
  }
  process.in_kernel = 1;
}

}  // namespace mlusim

using namespace mlusim;

void mlusim_stopped() { end_task(MLUSIM_CALL, 0, (uint64_t)(calls.refused - 1), calls.refused_pc); }

void mlusim_use_image_file(int descriptor) {
  for_python_alone();
  calls.image_file = descriptor;
}

#else  // nothing here tells a kernel's calls from the simulator's own

namespace mlusim {

void begin_calls() {}
void forget_refused_call() {}
void on_system_call(int, siginfo_t*, void*) {}

}  // namespace mlusim

void mlusim_use_image_file(int) { mlusim::for_python_alone(); }

#endif
