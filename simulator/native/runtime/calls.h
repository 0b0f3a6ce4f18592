// The system calls of kernels: some are made for them, any other ends what runs.
#pragma once
#include <signal.h>
#include <stdint.h>

namespace [[gnu::visibility("hidden")]] mlusim {

int64_t system_call(int64_t number, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f);

// A launch begins: nothing is printed or mapped yet.
void begin_calls();
// What runs ends by itself: no call that was refused has to end it.
void forget_refused_call();
// The handler of SIGSYS.
void on_system_call(int number, siginfo_t* info, void* context);

}  // namespace mlusim
