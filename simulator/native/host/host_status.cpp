#include "host_status.h"

#include <stdio.h>
#include <string.h>

#include <set>

#include "host_cuda_errors.h"
#include "host_link.h"
#include "host_lock.h"
#include "host_order.h"
#include "host_places.h"

namespace mlusim {
namespace {
thread_local cnrtRet_t last = cnrtSuccess;
}

// Whether a function is of a library above the runtime that has statuses of its own.
static bool has_own_statuses(const std::string& function) {
  for (const char* prefix : {"bm_", "okkernel_", "tpu"})
    if (!function.compare(0, strlen(prefix), prefix)) return true;
  return false;
}

// What a program knows a status by that a function returns.
static const char* name_of(cnrtRet_t status, const std::string& function) {
  bool is_cuda = is_of_cuda(status) || !function.compare(0, 4, "cuda");
  return is_cuda ? cudaGetErrorName(mlusim_cuda_error(status)) : cnrtGetErrorName(status);
}

cnrtRet_t say(cnrtRet_t status, const std::string& why) {
  static Lock& mutex = *new Lock;
  static std::set<std::string>& said = *new std::set<std::string>;
  Locked lock(mutex);
  if (!said.insert(why).second) return refused(status);
  Called call = called();
  bool own = has_own_statuses(call.function);
  fprintf(stderr, "mlusim: %s: %s\n", own ? call.function.c_str() : name_of(status, call.function), why.c_str());
  return refused(status);
}

cnrtRet_t refused(cnrtRet_t status) { return last = status; }

cnrtRet_t failed(cnrtRet_t status, const std::string& why) {
  if (in_host_function()) return no_device();
  if (!connected()) return say(status, why);
  Called call = called();
  tell(
      "call",
      {0, call.function +
              (has_own_statuses(call.function) ? " fails" : std::string(" returns ") + name_of(status, call.function)) +
              ": " + why},
      call.where);
  return refused(status);
}

cnrtRet_t no_device() {
  if (!in_host_function()) return say(cnrtErrorNoDevice, why_lost());
  Called call = called();
  tell("called by host function", {0, call.function}, call.where);
  return refused(cnrtErrorCndrvFuncCall);
}

cnrtRet_t not_modelled(const char* function) {
  tell("not modelled", {0, function}, called().where);
  return refused(cnrtErrorNotSupport);
}

cnrtRet_t last_status(bool clear) {
  cnrtRet_t found = last;
  if (clear) last = cnrtSuccess;
  return found;
}

}  // namespace mlusim

static const struct {
  cnrtRet_t status;
  const char *name, *text;
} errors[] = {
#define ERROR(name, text) {name, #name, text}
    ERROR(cnrtSuccess, "no error"),
    ERROR(cnrtErrorNotReady, "work is still under way"),
    ERROR(cnrtErrorInit, "the runtime could not begin"),
    ERROR(cnrtErrorNoDevice, "there is no device"),
    ERROR(cnrtErrorDeviceInvalid, "there is no device of this number"),
    ERROR(cnrtErrorArgsInvalid, "an argument is invalid"),
    ERROR(cnrtErrorSys, "a call of the system failed"),
    ERROR(cnrtErrorSysNoMem, "the host has no memory left"),
    ERROR(cnrtErrorInvalidResourceHandle, "a queue, notifier or buffer is invalid"),
    ERROR(cnrtErrorIllegalState, "a resource is in no state for this"),
    ERROR(cnrtErrorNotSupport, "this is not supported"),
    ERROR(cnrtErrorOpsNotPermitted, "this is not permitted"),
    ERROR(cnrtErrorQueue, "a queue failed"),
    ERROR(cnrtErrorNoMem, "the device has no memory left"),
    ERROR(cnrtErrorAssert, "an assertion of a kernel failed"),
    ERROR(cnrtErrorKernelTrap, "a kernel ran into a trap"),
    ERROR(cnrtErrorKernelUserTrap, "a kernel ran into a trap of its own"),
    ERROR(cnrtErrorNotFound, "what was asked for was not found"),
    ERROR(cnrtErrorInvalidKernel, "the handle is that of no kernel"),
    ERROR(cnrtErrorUnsupportedKernelVersion, "the kernel was built by another toolkit"),
    ERROR(cnrtErrorQueueCaptureUnsupported, "a queue that is being captured does not take this"),
    ERROR(cnrtErrorQueueCaptureInvalidated, "the capture of the queue has failed before"),
    ERROR(cnrtErrorQueueCaptureWrongThread, "another thread has begun the capture"),
    ERROR(cnrtErrorQueueCaptureMerged, "two captures are joined"),
    ERROR(cnrtErrorQueueCaptureUnjoined, "a queue of the capture is not joined with its first one"),
    ERROR(cnrtErrorQueueCaptureIsolation, "a captured queue depends on work outside of the capture"),
    ERROR(cnrtErrorQueueCaptureUnmatched, "the capture began in another queue"),
    ERROR(cnrtErrorTaskTopoEntityUpdateFailure, "the change does not fit the topology"),
    ERROR(cnrtErrorNoKernel, "there is no such kernel"),
    ERROR(cnrtErrorNoModule, "kernels could not be loaded"),
    ERROR(cnrtErrorSetOnActiveProcess, "flags are set too late"),
    ERROR(cnrtErrorDevice, "a resource belongs to another device"),
    ERROR(cnrtErrorNoAttribute, "the attribute does not exist"),
    ERROR(cnrtErrorMemcpyDirectionInvalid, "the direction of the copy is invalid"),
    ERROR(cnrtErrorBusy, "a resource is busy"),
    ERROR(cnrtErrorCndrvFuncCall, "the device reported an error"),
    ERROR(cnrtErrorCndevFuncCall, "a call of the device library failed"),
    ERROR(cnrtErrorNoCnrtContext, "there is no context"),
    ERROR(cnrtErrorCndrvFuncNotFound, "a function of the driver is missing"),
    ERROR(cnrtErrorInvalidSymbol, "there is no such symbol"),
    ERROR(cnrtErrorUnknown, "unknown error"),
#undef ERROR
};

MLUSIM_API const char* cnrtGetErrorStr(cnrtRet_t status) {
  for (auto& each : errors)
    if (each.status == status) return each.text;
  return "unknown error";
}

MLUSIM_API const char* cnrtGetErrorName(cnrtRet_t status) {
  for (auto& each : errors)
    if (each.status == status) return each.name;
  return "cnrtErrorUnknown";
}

MLUSIM_API cnrtRet_t cnrtGetLastError(void) { return mlusim::last_status(true); }
MLUSIM_API cnrtRet_t cnrtPeekAtLastError(void) { return mlusim::last_status(false); }
MLUSIM_API cnrtRet_t cnrtGetLastErr(void) { return mlusim::last_status(true); }
