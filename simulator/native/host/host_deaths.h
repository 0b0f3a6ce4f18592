// The end of a program by a signal: it waits until the device process has been told and has said what it has found.
#pragma once
#include <signal.h>

namespace mlusim {

// Let unhandled signals that end the program be seen first.
void watch_deaths();
// A signal ends the program, unless it had a handler before, which is called again: by what has raised it.
void die(int kind, siginfo_t* info, void* context, const struct sigaction& before);
// Where the program was when a signal came, as a return address: in its own code, or where that has called a library.
const void* culprit(void* context);

}  // namespace mlusim
