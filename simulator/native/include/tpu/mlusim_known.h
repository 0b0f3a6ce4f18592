// Functions of a TPU's languages that are known and not modelled.
#pragma once
#include <string.h>

#ifdef __cplusplus
#define MLUSIM_ANY template <class... A>
#define MLUSIM_ANYTHING A&&...
#else
#define MLUSIM_ANY
#define MLUSIM_ANYTHING
#endif
#define MLUSIM_KNOWN(name)                         \
  MLUSIM_ANY MLUSIM_OP int name(MLUSIM_ANYTHING) { \
    mlusim_not_modelled(#name, MLUSIM_PC);         \
    return 0;                                      \
  }
// The same of one whose result a kernel goes on with: it ends the task, since nothing stands for that.
#define MLUSIM_KNOWN_TYPE(type, name)               \
  MLUSIM_ANY MLUSIM_OP type name(MLUSIM_ANYTHING) { \
    type nothing;                                   \
    mlusim_not_modelled(#name, MLUSIM_PC);          \
    mlusim_end_task();                              \
    memset(&nothing, 0, sizeof nothing);            \
    return nothing;                                 \
  }
#define MLUSIM_KNOWN_VALUE(name) MLUSIM_KNOWN_TYPE(int, name)
