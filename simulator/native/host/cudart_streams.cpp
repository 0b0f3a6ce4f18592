// Streams and events, and in which order the default stream and others run.
#include <atomic>
#include <map>
#include <memory>

#include "cudart_status.h"
#include "host_kernels.h"
#include "host_lock.h"

namespace {

// A stream that waits for the default stream and that it waits for, or the default stream itself.
struct Stream {
  cnrtNotifier_t mark = nullptr;
  bool is_ahead = false;   // it has work that the default stream has not waited for
  bool is_behind = false;  // the default stream has work that it has not waited for
};

struct Streams {
  mlusim::Lock mutex;
  std::map<cnrtQueue_t, Stream> blocking;
  cnrtNotifier_t mark = nullptr;  // of the default stream
  bool is_used = false;           // the default stream
};

// Never destroyed: threads may call while the process ends.
Streams& streams() {
  static Streams& made = *new Streams;
  return made;
}

// Let what comes in a queue wait for what is in another one.
void follow(cnrtQueue_t queue, cnrtNotifier_t& mark, cnrtQueue_t other) {
  if (!mark) cnrtNotifierCreateWithFlags(&mark, CNRT_NOTIFIER_DISABLE_TIMING_ALL);
  cnrtPlaceNotifier(mark, other);
  cnrtQueueWaitNotifier(mark, queue, 0);
}

bool is_default(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy; }

cnrtQueue_t handle(cudaStream_t stream) {
  if (is_default(stream)) return cnrtQueueLegacy;
  return stream == cudaStreamPerThread ? cnrtQueuePerThread : (cnrtQueue_t)stream;
}

cnrtNotifier_t notifier(cudaEvent_t event) { return (cnrtNotifier_t)event; }

cudaError_t create(cudaStream_t* stream, unsigned flags) {
  cnrtRet_t made = cnrtQueueCreate((cnrtQueue_t*)stream);
  if (made != cnrtSuccess || flags & cudaStreamNonBlocking) return status(made);
  mlusim::Locked lock(streams().mutex);
  streams().blocking[(cnrtQueue_t)*stream].is_behind = streams().is_used;
  return cudaSuccess;
}

std::atomic<int> captures{0};  // that have begun and not ended

struct Callback {
  cudaStreamCallback_t function;
  cudaStream_t stream;
  void* data;
};

void call_back(void* given) {
  std::unique_ptr<Callback> callback((Callback*)given);
  callback->function(callback->stream, cudaSuccess, callback->data);
}

}  // namespace

bool is_captured(cnrtQueue_t queue) {
  cnrtQueueCaptureStatus_t state = cnrtQueueCaptureStatusNone;
  if (captures) cnrtQueueIsCapturing(queue, &state);
  return state != cnrtQueueCaptureStatusNone;
}

cnrtQueue_t queue_of(cudaStream_t stream) {
  Streams& all = streams();
  mlusim::Locked lock(all.mutex);
  cnrtQueue_t queue = handle(stream);
  if (is_captured(queue)) return queue;
  if (is_default(stream)) {
    for (auto& entry : all.blocking) {
      if (entry.second.is_ahead) follow(queue, entry.second.mark, entry.first);
      entry.second.is_ahead = false, entry.second.is_behind = true;
    }
    all.is_used = true;
  } else if (auto found = all.blocking.find(queue); found != all.blocking.end()) {
    if (found->second.is_behind) follow(queue, all.mark, cnrtQueueLegacy);
    found->second.is_ahead = true, found->second.is_behind = false;
  }
  return queue;
}

cudaError_t wait_for_default() {
  {
    mlusim::Locked lock(streams().mutex);
    bool is_idle = !streams().is_used;
    for (auto& entry : streams().blocking) is_idle = is_idle && !entry.second.is_ahead;
    if (is_idle) return status(cnrtSuccess);
  }
  return status(cnrtQueueSync(queue_of(nullptr)));
}

void forget_streams() {
  mlusim::Locked lock(streams().mutex);
  streams().blocking.clear();
  streams().mark = nullptr, streams().is_used = false;
}

CUDA_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  FROM_CALLER;
  return create(stream, cudaStreamDefault);
}
CUDA_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  FROM_CALLER;
  return create(stream, flags);
}
CUDA_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  FROM_CALLER;
  return create(stream, flags);
}
CUDA_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  {
    mlusim::Locked lock(streams().mutex);
    streams().blocking.erase((cnrtQueue_t)stream);
  }
  FROM_CALLER;
  return status(cnrtQueueDestroy((cnrtQueue_t)stream));
}
CUDA_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  cnrtQueue_t queue = is_default(stream) ? queue_of(stream) : handle(stream);
  FROM_CALLER;
  return status(cnrtQueueSync(queue));
}
CUDA_API cudaError_t cudaStreamQuery(cudaStream_t stream) {
  cnrtQueue_t queue = is_default(stream) ? queue_of(stream) : handle(stream);
  FROM_CALLER;
  return status(cnrtQueueQuery(queue));
}
// Both runtimes have the same numbers and the same layout of a value.
static_assert(sizeof(cudaStreamAttrValue) == sizeof(cnrtQueueAttrValue_t), "");
CUDA_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID id,
                                            const cudaStreamAttrValue* value) {
  FROM_CALLER;
  return status(cnrtQueueSetAttribute(handle(stream), (cnrtQueueAttrID_t)id, (const cnrtQueueAttrValue_t*)value));
}
CUDA_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID id, cudaStreamAttrValue* value) {
  FROM_CALLER;
  return status(cnrtQueueGetAttribute(handle(stream), (cnrtQueueAttrID_t)id, (cnrtQueueAttrValue_t*)value));
}
CUDA_API cudaError_t cudaCtxResetPersistingL2Cache(void) { return status(cnrtDeviceResetPersistingL2Cache()); }
CUDA_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  cnrtQueue_t queue = queue_of(stream);
  FROM_CALLER;
  return status(cnrtQueueWaitNotifier(notifier(event), queue, 0));
}
CUDA_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  cnrtQueue_t queue = queue_of(stream);
  FROM_CALLER;
  return status(cnrtInvokeHostFunc(queue, function, data));
}
CUDA_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned) {
  if (!function) return failed(cudaErrorInvalidValue, "the function is null");
  cnrtQueue_t queue = queue_of(stream);
  FROM_CALLER;
  return status(cnrtInvokeHostFunc(queue, call_back, new Callback{function, stream, data}));
}
CUDA_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) { return status(cnrtSuccess); }

CUDA_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  cnrtRet_t begun = cnrtQueueBeginCapture(handle(stream), (cnrtQueueCaptureMode_t)mode);
  captures += begun == cnrtSuccess;
  return status(begun);
}
CUDA_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  cnrtRet_t ended = cnrtQueueEndCapture(handle(stream), (cnrtTaskTopo_t*)graph);
  captures -= ended == cnrtSuccess;
  return status(ended);
}
CUDA_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* state) {
  return status(cnrtQueueIsCapturing(handle(stream), (cnrtQueueCaptureStatus_t*)state));
}
CUDA_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return status(cnrtTaskTopoGetNodes((cnrtTaskTopo_t)graph, (cnrtTaskTopoNode_t*)nodes, count));
}
CUDA_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* instance, cudaGraph_t graph, unsigned long long) {
  return status(cnrtTaskTopoInstantiate((cnrtTaskTopoEntity_t*)instance, (cnrtTaskTopo_t)graph, nullptr, nullptr, 0));
}
CUDA_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* instance, cudaGraph_t graph,
                                                   unsigned long long flags) {
  return cudaGraphInstantiate(instance, graph, flags);
}
CUDA_API cudaError_t cudaGraphLaunch(cudaGraphExec_t instance, cudaStream_t stream) {
  cnrtQueue_t queue = queue_of(stream);
  FROM_CALLER;
  return status(cnrtTaskTopoEntityInvoke((cnrtTaskTopoEntity_t)instance, queue));
}
CUDA_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t instance) {
  return status(cnrtTaskTopoEntityDestroy((cnrtTaskTopoEntity_t)instance));
}
CUDA_API cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return status(cnrtTaskTopoDestroy((cnrtTaskTopo_t)graph)); }

CUDA_API cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  FROM_CALLER;
  return cudaEventCreateWithFlags(event, flags);
}
CUDA_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (flags & cudaEventInterprocess)
    return failed(cudaErrorNotSupported, "events of several programs are not modelled");
  FROM_CALLER;
  unsigned timing = flags & cudaEventDisableTiming ? CNRT_NOTIFIER_DISABLE_TIMING_ALL : 0;
  return status(cnrtNotifierCreateWithFlags((cnrtNotifier_t*)event, timing));
}
CUDA_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  FROM_CALLER;
  return status(cnrtNotifierDestroy(notifier(event)));
}
CUDA_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  cnrtQueue_t queue = queue_of(stream);
  FROM_CALLER;
  return status(cnrtPlaceNotifier(notifier(event), queue));
}
CUDA_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  FROM_CALLER;
  return status(cnrtWaitNotifier(notifier(event)));
}
CUDA_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  FROM_CALLER;
  return status(cnrtQueryNotifier(notifier(event)));
}
CUDA_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  FROM_CALLER;
  cnrtRet_t found = cnrtNotifierElapsedTime(notifier(start), notifier(end), milliseconds);
  return found == cnrtErrorCndrvFuncCall ? status((cnrtRet_t)(CUDA_ERRORS + cudaErrorInvalidResourceHandle))
                                         : status(found);
}

CUDA_API void mlusim_configure_grid(const dim3* grid, const dim3* block, size_t shared, cudaStream_t stream) {
  cnrtQueue_t queue = queue_of(stream);
  FROM_CALLER;
  mlusim_configure_blocks({grid->x, grid->y, grid->z}, {block->x, block->y, block->z}, shared, queue);
}
