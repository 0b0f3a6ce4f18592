// What Python calls of a library of passes. It is one unit, all else of which is its own: a compiler that is told so
// puts functions of one file into another.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#define MLUSIM_ENTRY __attribute__((externally_visible))
#else
#define MLUSIM_ENTRY
#endif
