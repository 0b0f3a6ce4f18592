// The element types, handles, pools and topologies of the runtime; see cnrt.h.
#pragma once
#include "mlusim_cnrt_types.h"

// Element types, by their first names and by those of newer toolkits.
typedef enum cnrtDataType {
  cnrtInvalid = 0x00,
  cnrtFloat16 = 0x12,
  cnrtFloat32 = 0x13,
  cnrtFloat64 = 0x14,
  cnrtInt4 = 0x20,
  cnrtInt8 = 0x21,
  cnrtInt16 = 0x22,
  cnrtInt32 = 0x23,
  cnrtInt64 = 0x24,
  cnrtAuto = 0x25,
  cnrtUInt8 = 0x31,
  cnrtUInt16 = 0x32,
  cnrtUInt32 = 0x33,
  cnrtFix8 = 0x41,
  cnrtQuant8 = 0x51,
  cnrtBool = 0x61,
} cnrtDataType_t;
#define CNRT_INVALID cnrtInvalid
#define CNRT_FLOAT16 cnrtFloat16
#define CNRT_FLOAT32 cnrtFloat32
#define CNRT_FLOAT64 cnrtFloat64
#define CNRT_INT4 cnrtInt4
#define CNRT_INT8 cnrtInt8
#define CNRT_INT16 cnrtInt16
#define CNRT_INT32 cnrtInt32
#define CNRT_INT64 cnrtInt64
#define CNRT_AUTO cnrtAuto
#define CNRT_UINT8 cnrtUInt8
#define CNRT_UINT16 cnrtUInt16
#define CNRT_UINT32 cnrtUInt32
#define CNRT_FIX8 cnrtFix8
#define CNRT_QUANT8 cnrtQuant8
#define CNRT_BOOL cnrtBool
typedef enum cnrtDataType_V2 {
  cnrtUnknown = 0,
  cnrtDouble = 0x1,
  cnrtFloat = 0x2,
  cnrtHalf = 0x3,
  cnrtBfloat = 0x4,
  cnrtUlonglong = 0x11,
  cnrtUint = 0x12,
  cnrtUshort = 0x13,
  cnrtUchar = 0x14,
  cnrtLonglong = 0x21,
  cnrtInt = 0x22,
  cnrtShort = 0x23,
  cnrtChar = 0x24,
  cnrtBoolean = 0x31,
} cnrtDataType_V2_t;
typedef enum cnrtRoundingMode {
  cnrtRounding_rn,
  cnrtRounding_rz,
  cnrtRounding_rd,
  cnrtRounding_ru,
  cnrtRounding_ro,
  cnrtRounding_rm,
  cnrtRounding_max,
} cnrtRoundingMode_t;
typedef struct cnrtQuantizedParam* cnrtQuantizedParam_t;
typedef enum {
  CNRT_CHANNEL_TYPE_DUPLICATE = -2,
  CNRT_CHANNEL_TYPE_NONE = -1,
  CNRT_CHANNEL_TYPE_0,
  CNRT_CHANNEL_TYPE_1,
  CNRT_CHANNEL_TYPE_2,
  CNRT_CHANNEL_TYPE_3,
} cnrtChannelType_t;
typedef enum cnrtDimOrder {
  CNRT_NCHW = 0x0123,
  CNRT_NHWC = 0x0231,
  CNRT_HWCN = 0x2310,
  CNRT_TNC = 0x401,
  CNRT_NTC = 0x041,
  CNRT_NCDHW = 0x01523,
  CNRT_NDHWC = 0x05231,
  CNRT_DHWCN = 0x52310,
} cnrtDimOrder_t;
// What CNRT 4 passes to a launch: the clusters that may run it, which are not simulated.
typedef enum { CNRT_INVOKE_PARAM_TYPE_0 } cnrtInvokeParamType_t;
typedef struct {
  unsigned int* affinity;
} cnrtClusterAffinity_t;
typedef struct {
  cnrtInvokeParamType_t invoke_param_type;
  cnrtClusterAffinity_t cluster_affinity;
} cnrtInvokeParam_t;
typedef struct {
  int* data_parallelism;
  unsigned int* affinity;
  void* end;
} cnrtInvokeFuncParam_t;
#define CNRT_PARAM_END ((void*)0xFFFFFFFF)
typedef enum {
  CNRT_NOTIFIER_DEFAULT = 0,
  CNRT_NOTIFIER_DISABLE_TIMING_SW = 2,
  CNRT_NOTIFIER_DISABLE_TIMING = CNRT_NOTIFIER_DISABLE_TIMING_SW,
  CNRT_NOTIFIER_DISABLE_TIMING_ALL = 4,
  CNRT_NOTIFIER_INTERPROCESS = 8,
} cnrtNotifierFlags_t;
typedef enum {
  cnrtDeviceScheduleSpin,
  cnrtDeviceScheduleBlock,
  cnrtDeviceScheduleYield,
  cnrtDeviceScheduleAuto,
  cnrtDeviceFlagsMaxNum,
} cnrtDeviceFlags_t;
typedef enum cnrtNotifierPlaceFlags { CNRT_NOTIFIER_PLACE_DEFAULT, CNRT_NOTIFIER_PLACE_EXTERNAL } cnrtNotifierPlaceFlags_t;
typedef enum cnrtNotifierWaitFlags { CNRT_NOTIFIER_WAIT_DEFAULT, CNRT_NOTIFIER_WAIT_EXTERNAL } cnrtNotifierWaitFlags_t;
typedef enum { CNRT_FLUSH_CACHE = 1, CNRT_INVALID_CACHE } cnrtCacheOps_t;
typedef enum { cnrtHostAllocDefault, cnrtHostAllocMapped } cnrtHostAllocFlags_t;
typedef enum { cnrtMemRangeAttributePreferredLocation, cnrtMemRangeAttributeAccessedBy } cnrtMemRangeAttribute_t;

// How queues use a cache that simulated devices do not have.
typedef enum cnrtAccessProperty {
  cnrtAccessPolicyNormal,
  cnrtAccessPolicyStreaming,
  cnrtAccessPolicyPersisting,
} cnrtAccessProperty_t;
typedef struct cnrtAccessPolicyWindow {
  void* baseAddr;
  size_t numBytes;
  float hitRatio;
  enum cnrtAccessProperty hitProp, missProp;
} cnrtAccessPolicyWindow_t;
typedef enum cnrtInvokeAttrID { cnrtInvokeAttributeEmpty, cnrtInvokeAttributeAccessPolicyWindow } cnrtInvokeAttrID_t;
typedef union cnrtInvokeAttrValue {
  char pad[64];
  cnrtAccessPolicyWindow_t accessPolicyWindow;
} cnrtInvokeAttrValue_t;
typedef cnrtInvokeAttrID_t cnrtQueueAttrID_t, cnrtKernelNodeAttr_t;
typedef cnrtInvokeAttrValue_t cnrtQueueAttrValue_t, cnrtKernelNodeAttrValue_t;
#define cnrtQueueAttributeAccessPolicyWindow cnrtInvokeAttributeAccessPolicyWindow
#define cnrtKernelNodeAttributeAccessPolicyWindow cnrtInvokeAttributeAccessPolicyWindow

// Handles; those of queues and notifiers are the driver's too.
#define cnrtQueue CNqueue_st
#define cnrtNotifier CNnotifier_st
typedef struct cnrtQueue* cnrtQueue_t;
typedef struct cnrtNotifier* cnrtNotifier_t;
#define cnrtQueuePerThread ((cnrtQueue_t)1)
#define cnrtQueueLegacy ((cnrtQueue_t)2)
typedef void* cnrtIpcMemHandle;
#define CNRT_IPC_HANDLE_SIZE 8
#define CNRT_IPC_HANDLE_SIZE_BYTES (CNRT_IPC_HANDLE_SIZE * sizeof(uint64_t))
typedef struct cnrtIpcNotifierHandle_st {
  uint64_t res[CNRT_IPC_HANDLE_SIZE];
} cnrtIpcNotifierHandle_v1;
typedef cnrtIpcNotifierHandle_v1 cnrtIpcNotifierHandle;

// Memory pools.
typedef struct CNmemoryPool_st* cnrtMemPool_t;
typedef enum cnrtMemAllocationType { cnrtMemAllocationTypeInvalid, cnrtMemAllocationTypeDefault } cnrtMemAllocationType_t;
typedef enum cnrtMemAllocationHandleType {
  cnrtMemHandleTypeNone,
  cnrtMemHandleTypePosixFileDescriptor,
} cnrtMemAllocationHandleType_t;
typedef enum cnrtMemLocationType { cnrtMemLocationTypeInvalid, cnrtMemLocationTypeDevice } cnrtMemLocationType_t;
typedef struct cnrtMemLocation {
  cnrtMemLocationType_t type;
  uint32_t id;
} cnrtMemLocation_t;
typedef struct cnrtMemPoolProps {
  cnrtMemAllocationType_t type;
  cnrtMemAllocationHandleType_t requestedHandleTypes;
  cnrtMemLocation_t location;
  size_t maxSize;
  unsigned char reserved[64];
} cnrtMemPoolProps_t;
typedef enum cnrtMemoryAccessFlags { cnrtMemAccessFlagsProtReadWrite, cnrtMemAccessFlagsProtReadOnly } cnrtMemoryAccessFlags_t;
typedef enum cnrtMemPoolAttr {
  cnrtMemPoolAttrReuseFollowNotifierDependencies = 1,
  cnrtMemPoolAttrReuseAllowOpportunistic,
  cnrtMemPoolAttrReuseAllowInternalDependencies,
  cnrtMemPoolAttrReleaseThreshold,
  cnrtMemPoolAttrReservedMemCurrent,
  cnMemPoolAttrReservedMemHigh,
  cnrtMemPoolAttrUsedMemCurrent,
  cnrtMemPoolAttrUsedMemHigh,
} cnrtMemPoolAttr_t;
typedef struct cnrtKernelParamsBuffer* cnrtKernelParamsBuffer_t;
typedef struct cnrtKernelInitParam* cnrtKernelInitParam_t;
typedef int cnrtDev_t;
typedef void (*cnrtHostFn_t)(void* data);

// Captures and task topologies.
typedef struct CNtaskTopo_st* cnrtTaskTopo_t;
typedef struct CNtaskTopoNode_st* cnrtTaskTopoNode_t;
typedef struct CNtaskTopoEntity_st* cnrtTaskTopoEntity_t;
typedef struct CNuserObject_st* cnrtUserObject_t;
typedef enum cnrtUserObjectAcquireflags { cnrtTaskTopoUserObjectMove = 1 } cnrtUserObjectAcquireflags_t;
typedef enum cnrtQueueCaptureStatus {
  cnrtQueueCaptureStatusNone,
  cnrtQueueCaptureStatusActive,
  cnrtQueueCaptureStatusInvalidated,
} cnrtQueueCaptureStatus_t;
typedef enum cnrtQueueCaptureMode {
  cnrtQueueCaptureModeGlobal,
  cnrtQueueCaptureModeThreadLocal,
  cnrtQueueCaptureModeRelaxed,
} cnrtQueueCaptureMode_t;
typedef enum cnrtUpdateQueueCaptureDependenciesFlags {
  cnrtQueueAddCaptureDependencies,
  cnrtQueueSetCaptureDependencies,
} cnrtUpdateQueueCaptureDependenciesFlags_t;
typedef enum cnrtTaskTopoNodeType {
  cnrtTaskTopoNodeTypeEmpty,
  cnrtTaskTopoNodeTypeKernel,
  cnrtTaskTopoNodeTypeHost,
  cnrtTaskTopoNodeTypeMemcpy,
  cnrtTaskTopoNodeTypeMemset,
  cnrtTaskTopoNodeTypeTaskTopo,
  cnrtTaskTopoNodeTypeNotifierPlace,
  cnrtTaskTopoNodeTypeNotifierWait,
} cnrtTaskTopoNodeType_t;
typedef enum cnrtTaskTopoEntityUpdateResult {
  cnrtTaskTopoEntityUpdateSuccess,
  cnrtTaskTopoEntityUpdateError,
  cnrtTaskTopoEntityUpdateErrorTopologyChanged,
  cnrtTaskTopoEntityUpdateErrorNodeTypeChanged,
  cnrtTaskTopoEntityUpdateErrorParametersChanged,
  cnrtTaskTopoEntityUpdateErrorNotSupported,
  cnrtTaskTopoEntityUpdateErrorUnsupportedFunctionChange,
  cnrtTaskTopoEntityUpdateErrorAttributesChanged,
} cnrtTaskTopoEntityUpdateResult_t;
typedef enum cnrtTaskTopoDebugDotFlags {
  cnrtTaskTopoDebugDotFlagsVerbose = 1 << 0,
  cnrtTaskTopoDebugDotFlagsRuntimeTypes = 1 << 1,
  cnrtTaskTopoDebugDotFlagsHandles = 1 << 2,
  cnrtTaskTopoDebugDotFlagsKernelNodeParams = 1 << 3,
  cnrtTaskTopoDebugDotFlagsMemcpyNodeParams = 1 << 4,
  cnrtTaskTopoDebugDotFlagsMemsetNodeParams = 1 << 5,
  cnrtTaskTopoDebugDotFlagsHostNodeParams = 1 << 6,
  cnrtTaskTopoDebugDotFlagsKernelNodeAttribute = 1 << 7,
  cnrtTaskTopoDebugDotFlagsNotifierNodeParams = 1 << 8,
} cnrtTaskTopoDebugDotFlags_t;
typedef struct cnrtHostNodeParams_st {
  cnrtHostFn_t fn;
  void* userData;
} cnrtHostNodeParams_t;
typedef struct cnrtKernelNodeParams_st {
  void* func;
  cnrtDim3_t dim;
  cnrtFunctionType_t type;
  unsigned int reserve;
  void** kernelParams;
  void** extra;
} cnrtKernelNodeParams_t;
