// What a kernel may do to its process, and what becomes a fault: signals, system calls, exceptions that nobody catches.
// Part of mlusim_rt.cpp, and inside its extern "C". The outer wall is native/cage.py; this one names the line.
#pragma once
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unwind.h>


// A kernel is entered by a frame that says nothing of how to unwind it: the search for who catches an exception ends
// here, with the kernel's stack as it was at the throw. The end of a signal handler is ours, because the host's kernel
// must know where it is.
__asm__(
    ".text\n"
    ".type mlusim_enter, @function\n"
    "mlusim_enter:\n"
    "  push %rbp\n"
    "  mov %rsp, %rbp\n"
    "  mov %rdi, %rax\n"
    "  mov %rsi, %rdi\n"
    "  call *%rax\n"
    "  pop %rbp\n"
    "  ret\n"
    ".size mlusim_enter, .-mlusim_enter\n"
    "mlusim_stop:\n"  // where a library's function returns to that has been told no
    "  call mlusim_stopped\n"
    "  nop\n"
    "mlusim_restore:\n"  // an unwinder knows it by its bytes
    "  mov $15, %rax\n"
    "  syscall\n"
    "  nop\n"
    "mlusim_restore_end:\n");
extern char mlusim_stop[] __attribute__((visibility("hidden")));
extern char mlusim_restore[] __attribute__((visibility("hidden")));
extern char mlusim_restore_end[] __attribute__((visibility("hidden")));

static const uint64_t OUTPUT_LIMIT = 64u << 20;  // bytes that a launch may print
static const uint64_t MAPPED_LIMIT = 1ull << 30;
enum { MAPPINGS = 256, X32 = 0x40000000, HOST_ABI = (int)0xC000003E };
enum { DISPATCH = 59, DISPATCH_ON = 1, BY_DISPATCH = 2 };  // PR_SET_SYSCALL_USER_DISPATCH, SYS_USER_DISPATCH

static int64_t refused, refused_pc;  // a system call after which the task ends: its number + 1, and where it was made
static int image_file = -1;  // the image that is being loaded: a worker in its cage opens nothing itself
static uint64_t printed, mapped_bytes;
static struct mlusim_range mappings[MAPPINGS];  // what the running kernel has taken from the host directly
static sigjmp_buf* volatile probe;              // memory is looked at that may not be there
static char alternate_stack[1 << 20];           // Python runs on it

static void mlusim_begin_guard(void) {
  printed = mapped_bytes = 0;
  memset(mappings, 0, sizeof mappings);
}

void mlusim_use_image_file(int descriptor) { image_file = descriptor; }

static int64_t system_call(int64_t number, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) {
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

// --- where a kernel is ----------------------------------------------------------------------------------------

struct search {
  int skip;
  int64_t pc;
  int64_t* slot;  // that holds the address to which the library returns
};

static _Unwind_Reason_Code look(struct _Unwind_Context* context, void* given) {
  struct search* found = (struct search*)given;
  int before = 0;
  uint64_t pc = _Unwind_GetIPInfo(context, &before);
  if (!in_image(pc) || found->skip-- > 0) return _URC_NO_REASON;
  found->pc = (int64_t)pc + before;
  found->slot = (int64_t*)_Unwind_GetCFA(context) - 1;
  return _URC_END_OF_STACK;
}

// The innermost address of an image on the stack, as a return address, past so many others; 0 if there is none.
static struct search find_frame(int skip) {
  static struct search found;
  sigjmp_buf lost;
  found = (struct search){skip, 0, NULL};
  probe = &lost;
  if (sigsetjmp(lost, 1) == 0) _Unwind_Backtrace(look, &found);
  probe = NULL;
  return found;
}
static int64_t image_frame(int skip) { return find_frame(skip).pc; }

// Copies a text that may lie anywhere; what cannot be read ends it.
static void read_text(uint64_t address, char* out, size_t room) {
  volatile size_t length = 0;
  sigjmp_buf lost;
  probe = &lost;
  if (sigsetjmp(lost, 1) == 0)
    while (length + 1 < room && ((volatile char*)address)[length]) {
      out[length] = ((volatile char*)address)[length];
      length = length + 1;
    }
  probe = NULL;
  out[length] = 0;
}

static void end_task(int kind, uint64_t address, uint64_t size, int64_t pc) {
  in_kernel = 0;
  refused = 0;
  if (loading) {
    mlusim_last.kind = kind;
    mlusim_last.address = address;
    mlusim_last.size = size;
    mlusim_last.pc = pc;
    siglongjmp(*loading, 1);
  }
  if (guest_ended) guest_ended(kind, address, size, pc);
  drain();
  callbacks.fault(kind, address, size, 0, pc);
  mlusim_status = 1;
  siglongjmp(*mlusim_current->jump, 1);
}

static void mlusim_too_early(void) { end_task(MLUSIM_EARLY, 0, 0, image_frame(1)); }

// --- system calls -----------------------------------------------------------------------------------------------

static struct mlusim_range* mapping_of(uint64_t address, uint64_t size) {
  for (struct mlusim_range& range : mappings)
    if (range.end && address >= range.start && holds(range.end, address, size)) return &range;
  return NULL;
}

static int64_t map(const int64_t* a) {
  struct mlusim_range* room = NULL;
  for (struct mlusim_range& range : mappings)
    if (!range.end) room = &range;
  uint64_t bytes = (uint64_t)a[1];
  if (!room || bytes > MAPPED_LIMIT || mapped_bytes + bytes > MAPPED_LIMIT) return -ENOMEM;
  int64_t found = system_call(SYS_mmap, 0, a[1], a[2], a[3], a[4], a[5]);
  if (found < 0 && found > -4096) return found;
  *room = mlusim_range{(uint64_t)found, (uint64_t)found + bytes};
  mapped_bytes += bytes;
  return found;
}

// Carries out the calls that the C library makes for a kernel that computes, takes memory or prints. 0: it is none.
static int permitted(int64_t number, const int64_t* a, int64_t* result) {
  const int64_t anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  struct mlusim_range* own;
  switch (number) {
    case SYS_brk: case SYS_futex: case SYS_clock_gettime: case SYS_gettimeofday: case SYS_time:
    case SYS_getrandom: case SYS_sysinfo: case SYS_sched_yield: case SYS_nanosleep: case SYS_clock_nanosleep:
    case SYS_getpid: case SYS_gettid:
      break;
    case SYS_rt_sigprocmask:  // what is blocked does not change
      *result = system_call(number, SIG_BLOCK, 0, a[2], a[3], 0, 0);
      return 1;
    case SYS_write:
      if (a[0] != 1 && a[0] != 2) return 0;
      printed += (uint64_t)a[2];
      break;
    case SYS_fstat:
      if (a[0] < 0 || a[0] > 2) return 0;
      break;
    case SYS_newfstatat:
      if (a[0] < 0 || a[0] > 2) return 0;
      *result = system_call(SYS_fstat, a[0], a[2], 0, 0, 0, 0);
      return 1;
    case SYS_ioctl:
      if (a[0] < 0 || a[0] > 2 || a[1] != 0x5401) return 0;  // TCGETS: is it a terminal?
      break;
    case SYS_mmap:
      if ((a[3] & anonymous) != anonymous || (a[3] & (MAP_FIXED | MAP_SHARED | MAP_STACK | 0x100000)) ||
          (a[2] & ~(PROT_READ | PROT_WRITE)))
        return 0;
      *result = map(a);
      return 1;
    case SYS_munmap:
      own = mapping_of((uint64_t)a[0], (uint64_t)a[1]);
      if (!own) return 0;
      mapped_bytes -= own->end - own->start;
      own->end = 0;
      break;
    default:
      return 0;
  }
  *result = system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return 1;
}

static void on_system_call(int, siginfo_t* info, void* context) {
  greg_t* r = ((ucontext_t*)context)->uc_mcontext.gregs;
  int64_t number = info->si_syscall, result;
  const int64_t a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
  int host = (int)info->si_arch == HOST_ABI && !(number & X32);
  if (!in_kernel) {  // the simulator itself, at the wall of its cage: it is told no, but opens what it was given
    int open = host && loading && number == SYS_openat && image_file >= 0, status = host && number == SYS_newfstatat;
    r[REG_RAX] = open ? system_call(SYS_dup, image_file, 0, 0, 0, 0, 0)
                      : status ? system_call(SYS_fstat, a[0], a[2], 0, 0, 0, 0) : -EPERM;
    return;
  }
  in_kernel = 0;
  if (host && permitted(number, a, &result)) {
    if (printed > OUTPUT_LIMIT) end_task(MLUSIM_OUTPUT, 0, OUTPUT_LIMIT, image_frame(0));
    if (time_is_up && !loading) end_task(MLUSIM_TIME, 0, 0, image_frame(0));
    r[REG_RAX] = result;
    in_kernel = 1;
    return;
  }
  r[REG_RAX] = -EPERM;
  if (!refused) {
    mlusim_last.abi = !host;
    memcpy(mlusim_last.arguments, a, sizeof a);
    read_text((uint64_t)a[0], mlusim_last.text, sizeof mlusim_last.text);
    read_text((uint64_t)a[1], mlusim_last.second, sizeof mlusim_last.second);
    struct search frame = find_frame(0);
    // A library may hold locks here that Python needs: it goes on to its end, and the task ends there. These hold none,
    // and some do not return.
    if (in_image((uint64_t)r[REG_RIP]) || !frame.slot || *frame.slot != frame.pc || number == SYS_vfork ||
        number == SYS_exit || number == SYS_exit_group || number == SYS_kill || number == SYS_tkill ||
        number == SYS_tgkill)
      end_task(MLUSIM_CALL, 0, (uint64_t)number, frame.pc);
    *frame.slot = (int64_t)mlusim_stop;
    refused = number + 1;
    refused_pc = frame.pc;
  }
  in_kernel = 1;
}

void mlusim_stopped(void) { end_task(MLUSIM_CALL, 0, (uint64_t)(refused - 1), refused_pc); }

// --- signals and exceptions ---------------------------------------------------------------------------------------

static void on_signal(int number, siginfo_t* info, void* context) {
  if (probe && (number == SIGSEGV || number == SIGBUS)) siglongjmp(*probe, 1);
  // The first alarm leaves the end to an access or an instruction, which know their source line. A loop without any
  // meets the next alarm.
  if (number == SIGALRM && (!in_kernel || !time_is_up)) {
    time_is_up = 1;
    return;
  }
  if (!in_kernel) {
    signal(number, SIG_DFL);
    return;
  }
  in_kernel = 0;
  const greg_t* r = ((ucontext_t*)context)->uc_mcontext.gregs;
  int64_t pc = (int64_t)r[REG_RIP];
  uint64_t address = (uint64_t)info->si_addr, frame = (uint64_t)r[REG_RSP];
  if (loading && address - (uint64_t)NO_TASK < sizeof(struct mlusim_task)) mlusim_too_early();
  int stack = number == SIGSEGV && frame < stack_low;
  if (!stack && !in_image((uint64_t)pc)) {
    // A jump to nowhere leaves the caller's address on top of the stack; a library's function has a frame of its own.
    int64_t caller = in_image(*(uint64_t*)frame) ? *(int64_t*)frame : image_frame(0);
    if (caller) pc = caller - 1;
  }
  end_task(number == SIGALRM ? MLUSIM_TIME : stack ? MLUSIM_STACK : MLUSIM_SIGNAL, address, (uint64_t)number, pc + 1);
}

// An exception that nobody catches, or one where none may be: the stack is still that of the throw.
int64_t mlusim_throw_pc;
void mlusim_say(char* text, size_t room, const char* what) {
  size_t length = strlen(text);
  if (length + 3 >= room) return;
  memcpy(text + length, ": ", 3);
  read_text((uint64_t)what, text + length + 2, room - length - 2);
}
void mlusim_uncaught(const char* text) {
  if (!in_kernel) abort();
  snprintf(mlusim_last.text, sizeof mlusim_last.text, "%s", text);
  end_task(MLUSIM_THROW, 0, 0, mlusim_throw_pc);
}

static void handle(int number, void (*handler)(int, siginfo_t*, void*)) {
  struct {
    void (*handler)(int, siginfo_t*, void*);
    uint64_t flags;
    char* restorer;
    uint64_t mask;
  } action = {handler, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | 0x04000000, mlusim_restore, 0};
  system_call(SYS_rt_sigaction, number, (int64_t)&action, 0, 8, 0, 0);
}

// Installs the handlers of a process that does nothing else but run kernels.
void mlusim_guard_process(void) {
  stack_t stack = {};
  stack.ss_sp = alternate_stack;
  stack.ss_size = sizeof alternate_stack;
  sigaltstack(&stack, NULL);
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) handle(number, on_signal);
  handle(SIGSYS, on_system_call);
  mlusim_terminate();
}

// From now on the system calls of kernels, and only theirs, come to `on_system_call`. Not 0: the host cannot do that.
int mlusim_watch_system_calls(void) {
  return (int)system_call(SYS_prctl, DISPATCH, DISPATCH_ON, (int64_t)mlusim_restore,
                          mlusim_restore_end - mlusim_restore, (int64_t)&in_kernel, 0);
}
