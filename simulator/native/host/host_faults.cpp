#include "host_faults.h"

#include <signal.h>

#include "host_deaths.h"
#include "host_memory.h"
#include "host_places.h"
#include "host_transfers.h"

namespace mlusim {

thread_local sigjmp_buf* way_out = nullptr;

namespace {

const int kinds[2] = {SIGSEGV, SIGBUS};
struct sigaction old[2];
// Bytes before memory of the C library's where free() looks first.
constexpr int HEADER = 16;

bool writes(const void* context) {
#if defined(__x86_64__)
  return ((const ucontext_t*)context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
  return context != nullptr;
#endif
}

void look_at_fault(int kind, siginfo_t* info, void* context) {
  if (way_out) siglongjmp(*way_out, 1);
  char* address = (char*)info->si_addr;
  auto where = [](const void* at) { return place_of(culprit(const_cast<void*>(at))); };
  if (any_transfer() && touch(address, 1, writes(context), where, context)) return;  // it goes on as if it had waited
  if (info->si_code > 0 && (on_device(address) || on_device(address + HEADER)))
    tell("followed", {(uint64_t)address}, where(context));
  die(kind, info, context, old[kind == SIGBUS]);
}

}  // namespace

void watch_faults() {
  struct sigaction action = {};
  action.sa_sigaction = look_at_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int i = 0; i < 2; i++) sigaction(kinds[i], &action, &old[i]);
}

bool are_faults_watched() {
  struct sigaction now;
  return !sigaction(SIGSEGV, nullptr, &now) && now.sa_sigaction == look_at_fault;
}

bool is_writable(char* byte) {
  return carefully([&] { __atomic_fetch_or(byte, 0, __ATOMIC_RELAXED); });
}

}  // namespace mlusim
