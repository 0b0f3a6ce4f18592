// What calls return that are wrong: pools, captures, topologies and other parts that fewer programs use.
#include <cnrt.h>
#include <string.h>

#include "errors.h"
#include "kernels.h"

// By which the libraries of other vendors launch.
extern "C" cnrtRet_t mlusim_launch_named(void* library, const char* name, uint64_t cores, const void* arguments,
                                         size_t bytes, cnrtQueue_t queue);

static char text[4096];
static int number;

static void orders_of_axes() {
  int sizes[] = {2, -1}, order[] = {0, 1}, twice[] = {0, 0};
  INVALID(cnrtTransDataOrder(text, CNRT_FLOAT32, text, 2, sizes, order));
  INVALID(cnrtTransDataOrder(text, CNRT_FLOAT32, text + 64, 2, sizes, order));
  sizes[1] = 2;
  INVALID(cnrtTransDataOrder(text, CNRT_FLOAT32, text + 64, 2, sizes, twice));
}

static void copies(float* data) {
  orders_of_axes();
  cnrtMemcpy3dParam_t p = {};
  cnrtPointerAttributes_t attributes;
  void* host;
  INVALID(cnrtMemcpy3D(nullptr));
  p.src = text, p.dst = data, p.srcPtr.pitch = p.dstPtr.pitch = 4, p.srcPtr.ysize = p.dstPtr.ysize = 1;
  p.extent = {1, 1, 8}, p.dir = cnrtMemcpyHostToDev;
  INVALID(cnrtMemcpy3D(&p));
  p.extent = {1, 2, 4};
  INVALID(cnrtMemcpy3DAsync(&p, nullptr));
  INVALID(cnrtMemcpy2DAsync(data, 4, text, 8, 8, 2, cnrtMemcpyHostToDev, nullptr));
  NOTHING(cnrtMemcpy2DAsync(data, 8, text, 8, 4, 2, cnrtMemcpyHostToDev, (cnrtQueue_t)text));
  INVALID(cnrtHostRegister(nullptr, 4, 0));
  INVALID(cnrtHostRegister(data, 4, 0));
  INVALID(cnrtHostUnregister(text));
  INVALID(cnrtMmap(data, nullptr, 4));
  INVALID(cnrtMmapCached(text, &host, 4));
  INVALID(cnrtMunmap(nullptr, 4));
  INVALID(cnrtMcacheOperation(data, nullptr, 4, CNRT_FLUSH_CACHE));
  GIVES(cnrtSuccess, cnrtPointerGetAttributes(&attributes, text));
}

static void pools(float* data) {
  cnrtMemPool_t pool, gone, standard;
  cnrtMemPoolProps_t properties = {};
  cnrtMemPoolAttr_t used = cnrtMemPoolAttrUsedMemCurrent;
  void* pointer;
  uint64_t value = 0;
  INVALID(cnrtMemPoolCreate(nullptr, &properties));
  properties.location.id = 7;
  GIVES(cnrtErrorDeviceInvalid, cnrtMemPoolCreate(&pool, &properties));
  properties.location.id = 0, properties.requestedHandleTypes = cnrtMemHandleTypePosixFileDescriptor;
  GIVES(cnrtErrorNotSupport, cnrtMemPoolCreate(&pool, &properties));
  properties.requestedHandleTypes = cnrtMemHandleTypeNone, properties.maxSize = 64;
  cnrtMemPoolCreate(&pool, &properties), cnrtMemPoolCreate(&gone, &properties), cnrtMemPoolDestroy(gone);
  INVALID(cnrtMemPoolDestroy(gone));
  INVALID(cnrtMemAllocFromPoolAsync(&pointer, 4, gone, nullptr));
  INVALID(cnrtMemAllocAsync(nullptr, 4, nullptr));
  INVALID(cnrtMemAllocAsync(&pointer, 0, nullptr));
  GIVES(cnrtErrorNoMem, cnrtMemAllocFromPoolAsync(&pointer, 65, pool, nullptr));
  NOTHING(cnrtMemAllocAsync(&pointer, 4, (cnrtQueue_t)text));
  INVALID(cnrtMemFreeAsync(data + 1, nullptr));
  INVALID(cnrtDeviceGetMemPool(nullptr, 0));
  GIVES(cnrtErrorDeviceInvalid, cnrtDeviceGetDefaultMemPool(&standard, 7));
  INVALID(cnrtDeviceSetMemPool(7, pool));
  GIVES(cnrtSuccess, cnrtDeviceGetDefaultMemPool(&standard, 0));
  INVALID(cnrtMemPoolDestroy(standard));
  INVALID(cnrtMemPoolGetAccess(nullptr, pool, nullptr));
  INVALID(cnrtMemPoolGetAttribute(pool, used, nullptr));
  INVALID(cnrtMemPoolSetAttribute(pool, used, nullptr));
  INVALID(cnrtMemPoolSetAttribute(pool, used, &value));
  cnrtMemPoolDestroy(pool);
}

static void captures() {
  cnrtQueue_t queue, other;
  cnrtNotifier_t notifier;
  cnrtTaskTopo_t topology;
  cnrtQueueCreate(&queue), cnrtQueueCreate(&other), cnrtNotifierCreate(&notifier);
  INVALID(cnrtQueueBeginCapture(nullptr, cnrtQueueCaptureModeRelaxed));
  INVALID(cnrtQueueEndCapture(queue, nullptr));
  INVALID(cnrtQueueIsCapturing(queue, nullptr));
  INVALID(cnrtThreadExchangeQueueCaptureMode(nullptr));
  GIVES(cnrtErrorIllegalState, cnrtQueueEndCapture(queue, &topology));
  cnrtQueueBeginCapture(queue, cnrtQueueCaptureModeRelaxed);
  GIVES(cnrtErrorIllegalState, cnrtQueueBeginCapture(queue, cnrtQueueCaptureModeRelaxed));
  cnrtInvokeHostFunc(queue, [](void*) {}, nullptr);
  cnrtPlaceNotifier(notifier, queue), cnrtQueueWaitNotifier(notifier, other, 0);
  cnrtInvokeHostFunc(other, [](void*) {}, nullptr);
  GIVES(cnrtErrorQueueCaptureUnmatched, cnrtQueueEndCapture(other, &topology));
  GIVES(cnrtErrorQueueCaptureUnjoined, cnrtQueueEndCapture(queue, &topology));
  cnrtQueueBeginCapture(queue, cnrtQueueCaptureModeRelaxed);
  GIVES(cnrtErrorQueueCaptureUnsupported, cnrtQueueSync(queue));
  GIVES(cnrtErrorQueueCaptureInvalidated, cnrtQueueEndCapture(queue, &topology));
  GIVES(0, topology);
  GIVES(cnrtErrorIllegalState, cnrtQueueUpdateCaptureDependencies(queue, nullptr, 0, 0));
  INVALID(cnrtQueueUpdateCaptureDependencies(queue, nullptr, 1, 0));
  INVALID(cnrtQueueGetCaptureInfo(queue, nullptr, nullptr, nullptr, nullptr, nullptr));
  cnrtQueueDestroy(queue), cnrtQueueDestroy(other), cnrtNotifierDestroy(notifier);
}

static void notifiers() {
  cnrtNotifier_t notifier;
  cnrtIpcNotifierHandle handle = {};
  cnrtNotifierCreate(&notifier);
  INVALID(cnrtIpcGetNotifierHandle(nullptr, notifier));
  INVALID(cnrtIpcGetNotifierHandle(&handle, notifier));
  NOTHING(cnrtIpcGetNotifierHandle(&handle, (cnrtNotifier_t)text));
  INVALID(cnrtIpcOpenNotifierHandle(&notifier, handle));
  cnrtNotifierDestroy(notifier);
}

static void nodes(float* data) {
  cnrtTaskTopo_t made, child;
  cnrtTaskTopoEntity_t entity;
  cnrtTaskTopoNode_t empty, fill, inner, place;
  cnrtNotifier_t notifier;
  cnrtUserObject_t object;
  cnrtKernelNodeAttrValue_t value = {};
  cnrtKernelNodeAttr_t window = cnrtKernelNodeAttributeAccessPolicyWindow;
  cnrtMemsetParams_t eight = {data, 0, 0, 1, 8, 1};
  cnrtKernelNodeParams_t found;
  int many = 64;
  void* arguments[] = {&data, &many, &many};
  cnrtKernelNodeParams_t kernel = {(void*)AddScalar, {1, 1, 1}, cnrtFuncTypeBlock, 0, arguments, nullptr};
  cnrtTaskTopoNode_t launch;
  cnrtTaskTopoCreate(&made, 0), cnrtTaskTopoCreate(&child, 0), cnrtNotifierCreate(&notifier);
  cnrtTaskTopoAddEmptyNode(&empty, made, nullptr, 0), cnrtTaskTopoAddMemsetNode(&fill, made, nullptr, 0, &eight);
  cnrtTaskTopoAddKernelNode(&launch, made, nullptr, 0, &kernel);
  GIVES(cnrtSuccess, cnrtTaskTopoAddChildTopoNode(&inner, made, nullptr, 0, child));
  GIVES(cnrtSuccess, cnrtTaskTopoAddNotifierPlaceNode(&place, made, nullptr, 0, notifier));
  INVALID(cnrtTaskTopoMemsetNodeGetParams(empty, &eight));
  INVALID(cnrtTaskTopoMemsetNodeGetParams(fill, nullptr));
  INVALID(cnrtTaskTopoKernelNodeGetParams(launch, nullptr));
  INVALID(cnrtTaskTopoKernelNodeGetParams(nullptr, &found));
  INVALID(cnrtTaskTopoKernelNodeGetAttribute(launch, window, nullptr));
  INVALID(cnrtTaskTopoKernelNodeSetAttribute(launch, window, nullptr));
  INVALID(cnrtTaskTopoKernelNodeCopyAttributes(launch, fill));
  INVALID(cnrtTaskTopoChildTopoNodeGetTopo(inner, nullptr));
  INVALID(cnrtTaskTopoChildTopoNodeGetTopo(fill, &child));
  INVALID(cnrtTaskTopoNotifierPlaceNodeGetNotifier(place, nullptr));
  INVALID(cnrtTaskTopoNotifierWaitNodeSetNotifier(place, notifier));
  NOTHING(cnrtTaskTopoAddNotifierWaitNode(&place, made, nullptr, 0, (cnrtNotifier_t)text));
  cnrtTaskTopoInstantiate(&entity, made, nullptr, nullptr, 0);
  INVALID(cnrtTaskTopoEntityChildTopoNodeSetParams(entity, inner, made));
  INVALID(cnrtTaskTopoEntityNotifierWaitNodeSetNotifier(entity, place, notifier));
  cnrtTaskTopo_t within;
  cnrtTaskTopoChildTopoNodeGetTopo(inner, &within);
  INVALID(cnrtTaskTopoDestroy(within));
  INVALID(cnrtUserObjectCreate(&object, nullptr, nullptr, 1, 1));
  cnrtUserObjectCreate(&object, nullptr, [](void*) {}, 1, 1);
  INVALID(cnrtUserObjectAcquire(object, 0));
  INVALID(cnrtTaskTopoReleaseUserObject(made, object, 1));
  cnrtUserObjectRelease(object, 1), cnrtNotifierDestroy(notifier);
  NOTHING(cnrtTaskTopoEntityInvoke(entity, nullptr));
  cnrtTaskTopoEntityDestroy(entity), cnrtTaskTopoDestroy(made), cnrtTaskTopoDestroy(child);
}

static void topologies(float* data) {
  cnrtTaskTopo_t made, gone;
  cnrtTaskTopoEntity_t entity;
  cnrtTaskTopoNode_t first, second;
  cnrtTaskTopoNodeType_t type;
  cnrtMemcpy3dParam_t copy = {};
  cnrtMemsetParams_t fill = {data, 0, 0, 3, 4, 1};
  cnrtHostNodeParams_t nothing = {nullptr, nullptr};
  size_t count;
  copy.extent.height = 2;
  INVALID(cnrtTaskTopoCreate(nullptr, 0));
  cnrtTaskTopoCreate(&made, 0), cnrtTaskTopoCreate(&gone, 0), cnrtTaskTopoDestroy(gone);
  INVALID(cnrtTaskTopoDestroy(gone));
  INVALID(cnrtTaskTopoAddEmptyNode(nullptr, made, nullptr, 0));
  INVALID(cnrtTaskTopoAddHostNode(&first, made, nullptr, 0, nullptr));
  INVALID(cnrtTaskTopoAddHostNode(&first, made, nullptr, 0, &nothing));
  INVALID(cnrtTaskTopoAddKernelNode(&first, made, nullptr, 0, nullptr));
  GIVES(cnrtErrorNotSupport, cnrtTaskTopoAddMemcpyNode(&first, made, nullptr, 0, &copy));
  GIVES(cnrtErrorNotSupport, cnrtTaskTopoAddMemsetNode(&first, made, nullptr, 0, &fill));
  cnrtTaskTopoAddEmptyNode(&first, made, nullptr, 0), cnrtTaskTopoAddEmptyNode(&second, made, &first, 1);
  INVALID(cnrtTaskTopoAddDependencies(made, nullptr, nullptr, 1));
  INVALID(cnrtTaskTopoGetNodes(made, nullptr, nullptr));
  INVALID(cnrtTaskTopoNodeGetDependencies(nullptr, nullptr, &count));
  INVALID(cnrtTaskTopoNodeGetType(first, nullptr));
  INVALID(cnrtTaskTopoInstantiate(nullptr, made, nullptr, nullptr, 0));
  cnrtTaskTopoInstantiate(&entity, made, nullptr, nullptr, 0), cnrtTaskTopoEntityDestroy(entity);
  INVALID(cnrtTaskTopoEntityInvoke(entity, nullptr));
  cnrtTaskTopoAddDependencies(made, &second, &first, 1);
  INVALID(cnrtTaskTopoInstantiate(&entity, made, nullptr, text, 64));
  cnrtTaskTopoDestroy(made);
  GIVES(cnrtSuccess, cnrtTaskTopoCreate(&made, 0) || cnrtTaskTopoAddEmptyNode(&first, made, nullptr, 0));
  GIVES(cnrtSuccess, cnrtTaskTopoNodeGetType(first, &type) || type != cnrtTaskTopoNodeTypeEmpty);
  cnrtTaskTopoDestroy(made);
}

static void changes_of_topologies() {
  cnrtTaskTopo_t made, other;
  cnrtTaskTopoEntity_t entity;
  cnrtTaskTopoNode_t first, second;
  cnrtHostNodeParams_t nothing = {nullptr, nullptr};
  size_t count = 0;
  cnrtTaskTopoCreate(&made, 0), cnrtTaskTopoCreate(&other, 0);
  cnrtTaskTopoAddEmptyNode(&first, made, nullptr, 0), cnrtTaskTopoAddEmptyNode(&second, made, &first, 1);
  cnrtTaskTopoInstantiate(&entity, made, nullptr, nullptr, 0);
  INVALID(cnrtTaskTopoHostNodeSetParams(first, &nothing));
  INVALID(cnrtTaskTopoEntityHostNodeSetParams(entity, first, &nothing));
  INVALID(cnrtTaskTopoRemoveDependencies(made, &second, &first, 1));
  INVALID(cnrtTaskTopoDestroyNode(nullptr));
  INVALID(cnrtTaskTopoGetEdges(made, &first, nullptr, &count));
  INVALID(cnrtTaskTopoClone(nullptr, made));
  INVALID(cnrtTaskTopoNodeFindInClone(nullptr, first, made));
  INVALID(cnrtTaskTopoNodeFindInClone(&second, first, made));
  GIVES(cnrtErrorTaskTopoEntityUpdateFailure, cnrtTaskTopoEntityUpdate(entity, other, nullptr, nullptr));
  cnrtTaskTopoEntityDestroy(entity), cnrtTaskTopoDestroy(made), cnrtTaskTopoDestroy(other);
}

static void handles(float* data) {
  cnrtIpcMemHandle handle = nullptr;
  void* mapped = nullptr;
  INVALID(cnrtAcquireMemHandle(nullptr, data));
  INVALID(cnrtAcquireMemHandle(&handle, data + 1));
  GIVES(cnrtSuccess, cnrtAcquireMemHandle(&handle, data));
  INVALID(cnrtMapMemHandle(&mapped, handle, 1));
  INVALID(cnrtMapMemHandle(nullptr, handle, 0));
  INVALID(cnrtMapMemHandle(&mapped, handle, 0));  // an array of its own
  INVALID(cnrtUnMapMemHandle(data));
}

static void by_name() {
  INVALID(mlusim_launch_named(nullptr, nullptr, 1, nullptr, 0, nullptr));
  GIVES(cnrtErrorNoKernel, mlusim_launch_named(nullptr, "none", 1, nullptr, 0, nullptr));
  INVALID(mlusim_launch_named(nullptr, "AddScalar", 1, nullptr, 4, nullptr));
}

static void settings() {
  cnrtQueueAttrValue_t value = {};
  cnrtQueueAttrID_t window = cnrtQueueAttributeAccessPolicyWindow;
  INVALID(cnrtDeviceGetConfig(nullptr, cnrtDeviceConfigPrintfFifoNum));
  INVALID(cnrtDeviceSetLimit((cnrtDeviceLimit_t)9, 1));
  INVALID(cnrtQueueGetPriority(nullptr, nullptr));
  NOTHING(cnrtQueueGetPriority((cnrtQueue_t)text, &number));
  INVALID(cnrtQueueSetAttribute(nullptr, window, nullptr));
  INVALID(cnrtQueueSetAttribute(nullptr, window, &value));
  INVALID(cnrtQueueGetAttribute(nullptr, window, nullptr));
}

void further(float* data) {
  copies(data), handles(data), pools(data), captures(), topologies(data), changes_of_topologies(), notifiers(), nodes(data), by_name(), settings();
}
