// Threads that do what no card could: each kernel tries one thing, and the line at fault ends in a mark that names it.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

__global__ void healthy(float* x) {
  __shared__ float part[64];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = 2 * part[63 - threadIdx.x];
}

__global__ void file_open(int* x) { x[0] = open("/etc/passwd", O_RDONLY); }  // ^ file_open
__global__ void file_after_barrier(int* x) {
  __syncthreads();
  if (threadIdx.x == 33) x[0] = open("/tmp/mlusim-escaped", O_CREAT | O_WRONLY, 0600);  // ^ file_after_barrier
}
__global__ void file_stdio(int* x) { x[0] = fopen("/etc/passwd", "r") != NULL; }  // ^ file_stdio
__global__ void network(int* x) { x[0] = socket(AF_INET, SOCK_STREAM, 0); }  // ^ network
__global__ void process_fork(int* x) { x[0] = fork(); }  // ^ process_fork
__global__ void process_shell(int* x) { x[0] = system("touch /tmp/mlusim-escaped"); }  // ^ process_shell
__global__ void message_forged(int* x) { x[0] = write(3, x, 4); }  // ^ message_forged
__global__ void parent_kill(int* x) { x[0] = kill(getppid(), SIGKILL); }  // ^ parent_kill
__global__ void self_signal(int* x) { x[0] = raise(SIGUSR1); }  // ^ self_signal
__global__ void handler_change(int* x) { x[0] = signal(SIGSEGV, SIG_IGN) == SIG_ERR; }  // ^ handler_change
__global__ void timer_stopped(int* x) {
  struct itimerval none = {};
  x[0] = setitimer(ITIMER_REAL, &none, NULL);  // ^ timer_stopped
}
__global__ void memory_protect(float* x) {
  mprotect((void*)((uintptr_t)x & ~4095ull), 4096, PROT_NONE);  // ^ memory_protect
}

// --- stores that the checks see
__global__ void store_anywhere(int* x, int64_t address) { *(int*)address = x[0]; }  // ^ store_anywhere
__global__ void store_into_libraries(int* x) { *(volatile char**)environ = NULL; }  // ^ store_into_libraries
__global__ void store_into_a_thread(int* x) {
  __shared__ uintptr_t other;
  int own = 0;
  if (threadIdx.x == 0) other = (uintptr_t)&own;
  __syncthreads();
  if (threadIdx.x == 1) *(int*)other = 1;  // ^ store_into_a_thread
  __syncthreads();
  x[threadIdx.x] = own;
}
extern "C" char __start_simt_state[];
__global__ void store_into_the_runtime(int* x) { __start_simt_state[8] = 1; }  // ^ store_into_the_runtime

// --- what does not end, and what ends too much
__global__ void loop_for_ever(int* x) {
  for (volatile int i = 0; i >= 0; i = 1 - i) continue;  // ^ loop_for_ever
}
__global__ void sleep_for_ever(int* x) {
  while (true) sleep(100);  // ^ sleep_for_ever
}
__global__ void wait_for_ever(int* x) {
  while (true) __syncthreads();  // ^ wait_for_ever
}
__device__ int deep(int n) {
  volatile int kept[64];
  kept[n % 64] = n;
  return n < 0 ? 0 : deep(n + 1) + kept[n % 64];
}
__global__ void recurse_for_ever(int* x) { x[0] = deep(0); }
__global__ void stack_for_ever(int* x) {
  for (int i = 0; x[1] == 0; i++) ((volatile char*)alloca(1 << 16))[0] = i;  // ^ stack_for_ever
}
__global__ void beside_memory(int* x) { ((volatile int*)new int[4])[x[1] + (1 << 26)] = 1; }  // ^ beside_memory
__global__ void end_process(int* x) { exit(3); }  // ^ end_process
__global__ void end_at_once(int* x) { _exit(4); }  // ^ end_at_once
__global__ void end_by_abort(int* x) { abort(); }  // ^ end_by_abort
__global__ void end_by_library(int* x) { std::terminate(); }  // ^ end_by_library
__global__ void throw_number(int* x) { throw 5; }  // ^ throw_number
__global__ void throw_in_library(int* x) {
  std::array<int, 4> few{};
  x[0] = few.at(threadIdx.x + x[1] + 4);  // ^ throw_in_library
}
__global__ void nothing(int* x) {}
__global__ void jump_nowhere(int* x) { ((void (*)())8)(); }  // ^ jump_nowhere
