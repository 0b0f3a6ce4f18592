#include "host_status.h"

#include <stdio.h>

#include <set>

#include "host_link.h"
#include "host_lock.h"

namespace mlusim {
namespace {
thread_local cnrtRet_t last = cnrtSuccess;
}

cnrtRet_t failed(cnrtRet_t status, const std::string& why) {
  static Lock& mutex = *new Lock;
  static std::set<std::string>& said = *new std::set<std::string>;
  last = status;
  Locked lock(mutex);
  if (!why.empty() && said.insert(why).second)
    fprintf(stderr, "mlusim: %s: %s\n", cnrtGetErrorName(status), why.c_str());
  return status;
}

cnrtRet_t no_device() { return failed(cnrtErrorNoDevice, why_lost()); }

cnrtRet_t not_modelled(const char* function) {
  return failed(cnrtErrorNotSupport, std::string(function) + " is not modelled");
}

cnrtRet_t last_status(bool clear) {
  cnrtRet_t found = last;
  if (clear) last = cnrtSuccess;
  return found;
}

}  // namespace mlusim

#define MLUSIM_ERRORS(entry)                                                                                           \
  entry(cnrtSuccess, "no error") entry(cnrtErrorNotReady, "work is still under way")                                   \
      entry(cnrtErrorInit, "the runtime could not begin") entry(cnrtErrorNoDevice, "there is no device")               \
          entry(cnrtErrorDeviceInvalid, "there is no device of this number") entry(                                    \
              cnrtErrorArgsInvalid, "an argument is invalid") entry(cnrtErrorSys, "a call of the system failed")       \
              entry(cnrtErrorSysNoMem, "the host has no memory left")                                                  \
                  entry(cnrtErrorInvalidResourceHandle, "a queue, notifier or buffer is invalid") entry(               \
                      cnrtErrorIllegalState, "a resource is in no state for this")                                     \
                      entry(cnrtErrorNotSupport, "this is not supported") entry(                                       \
                          cnrtErrorOpsNotPermitted, "this is not permitted") entry(cnrtErrorQueue, "a queue failed")   \
                          entry(cnrtErrorNoMem, "the device has no memory left")                                       \
                              entry(cnrtErrorInvalidSymbol, "there is no such symbol")                                 \
                                  entry(cnrtErrorNoKernel, "there is no such kernel") entry(                           \
                                      cnrtErrorNoModule, "kernels could not be loaded")                                \
                                      entry(cnrtErrorSetOnActiveProcess, "flags are set too late") entry(              \
                                          cnrtErrorDevice, "a resource belongs to another device")                     \
                                          entry(cnrtErrorNoAttribute, "the attribute does not exist") entry(           \
                                              cnrtErrorMemcpyDirectionInvalid, "the direction of the copy is invalid") \
                                              entry(cnrtErrorBusy, "a resource is busy")                               \
                                                  entry(cnrtErrorCndrvFuncCall, "the device reported an error") entry( \
                                                      cnrtErrorCndevFuncCall, "a call of the device library failed")   \
                                                      entry(cnrtErrorNoCnrtContext, "there is no context")             \
                                                          entry(cnrtErrorCndrvFuncNotFound,                            \
                                                                "a function of the driver is missing")                 \
                                                              entry(cnrtErrorUnknown, "unknown error")

MLUSIM_API const char* cnrtGetErrorStr(cnrtRet_t error) {
  switch (error) {
#define MLUSIM_TEXT(name, text) \
  case name:                    \
    return text;
    MLUSIM_ERRORS(MLUSIM_TEXT)
    default:
      return "unknown error";
  }
}

MLUSIM_API const char* cnrtGetErrorName(cnrtRet_t error) {
  switch (error) {
#define MLUSIM_NAME(name, text) \
  case name:                    \
    return #name;
    MLUSIM_ERRORS(MLUSIM_NAME)
    default:
      return "cnrtErrorUnknown";
  }
}

MLUSIM_API cnrtRet_t cnrtGetLastError(void) { return mlusim::last_status(true); }
MLUSIM_API cnrtRet_t cnrtPeekAtLastError(void) { return mlusim::last_status(false); }
MLUSIM_API cnrtRet_t cnrtGetLastErr(void) { return mlusim::last_status(true); }
