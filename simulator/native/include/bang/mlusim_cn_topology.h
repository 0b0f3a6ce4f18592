// Attributes of launches, captures and task topologies of the driver, see cn_api.h.
#pragma once

typedef enum CNaccessProperty_enum {
  CN_ACCESS_PROPERTY_NORMAL,
  CN_ACCESS_PROPERTY_STREAMING,
  CN_ACCESS_PROPERTY_PERSISTING,
} CNaccessProperty;
typedef struct CNaccessPolicyWindow_st {
  CNaddr baseAddr;
  size_t numBytes;
  float hitRatio;
  CNaccessProperty hitProp, missProp;
} CNaccessPolicyWindow;
typedef struct CNTCDPKernelInfo_st {
  cn_uint64_t handle;
  cn_uint32_t mask, flag;
} CNTCDPKernelInfo;
typedef enum CNinvokeAttributeID_enum {
  CN_INVOKE_ATTRIBUTE_EMPTY,
  CN_INVOKE_ATTRIBUTE_ACCESS_POLICY_WINDOW,
  CN_INVOKE_ATTRIBUTE_TCDP_HANDLE_INFO,
  CN_INVOKE_ATTRIBUTE_KERNEL_PRELOAD,
  CN_INVOKE_ATTRIBUTE_PROGRAMMATIC_QUEUE_SERIALIZATION,
} CNinvokeAttributeID;
typedef union CNinvokeAttrValue_union {
  char pad[64];
  CNaccessPolicyWindow accessPolicyWindow;
  CNTCDPKernelInfo tcdpKernelInfo;
  int kernelPreloadAllowed;
  int programmaticQueueSerializationAllowed;
} CNinvokeAttrValue;
typedef CNinvokeAttributeID CNqueueAttrID, CNkernelNodeAttrID;
typedef CNinvokeAttrValue CNqueueAttrValue, CNkernelNodeAttrValue;
#define CN_QUEUE_ATTRIBUTE_ACCESS_POLICY_WINDOW CN_INVOKE_ATTRIBUTE_ACCESS_POLICY_WINDOW
#define CN_KERNEL_NODE_ATTRIBUTE_ACCESS_POLICY_WINDOW CN_INVOKE_ATTRIBUTE_ACCESS_POLICY_WINDOW
#define CN_KERNEL_NODE_ATTRIBUTE_TCDP_HANDLE_INFO CN_INVOKE_ATTRIBUTE_TCDP_HANDLE_INFO
typedef struct {
  CNinvokeAttributeID id;
  CNinvokeAttrValue value;
} CNinvokeAttribute;
typedef struct {
  unsigned int dimx, dimy, dimz;
  KernelClass c;
  unsigned int reserved;
  CNqueue hqueue;
  CNinvokeAttribute* attrs;
  unsigned int numAttrs;
} CNinvokeConfig;

typedef struct CN_HOST_NODE_PARAMS_st {
  CNhostFn fn;
  void* userData;
} CN_HOST_NODE_PARAMS;
typedef struct CN_KERNEL_NODE_PARAMS_st {
  CNkernel hkernel;
  unsigned int dimx, dimy, dimz;
  KernelClass c;
  unsigned int reserve;
  void **kernelParams, **extra;
} CN_KERNEL_NODE_PARAMS;
typedef struct CN_MEMSET_NODE_PARAMS_st {
  CNaddr dst;
  size_t pitch;
  unsigned int value, elementSize;
  size_t width, height;
} CN_MEMSET_NODE_PARAMS;
typedef enum CNtaskTopoNodeType_enum {
  CN_TASK_TOPO_NODE_TYPE_EMPTY,
  CN_TASK_TOPO_NODE_TYPE_KERNEL,
  CN_TASK_TOPO_NODE_TYPE_HOST,
  CN_TASK_TOPO_NODE_TYPE_MEMCPY,
  CN_TASK_TOPO_NODE_TYPE_MEMSET,
  CN_TASK_TOPO_NODE_TYPE_TASK_TOPO,
  CN_TASK_TOPO_NODE_TYPE_NOTIFIER_PLACE,
  CN_TASK_TOPO_NODE_TYPE_NOTIFIER_WAIT,
  CN_TASK_TOPO_NODE_TYPE_NUM,
} CNtaskTopoNodeType;
typedef enum CNtaskTopoDebugDot_flags_enum {
  CN_TASK_TOPO_DEBUG_DOT_FLAGS_VERBOSE = 1 << 0,
  CN_TASK_TOPO_DEBUG_DOT_FLAGS_RUNTIME_TYPES = 1 << 1,
  CN_TASK_TOPO_DEBUG_DOT_FLAGS_HANDLES = 1 << 2,
  CN_TASK_TOPO_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS = 1 << 3,
  CN_TASK_TOPO_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS = 1 << 4,
  CN_TASK_TOPO_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS = 1 << 5,
  CN_TASK_TOPO_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS = 1 << 6,
  CN_TASK_TOPO_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES = 1 << 7,
  CN_TASK_TOPO_DEBUG_DOT_FLAGS_NOTIFIER_NODE_PARAMS = 1 << 8,
} CNtaskTopoDebugDotFlags;
typedef enum CNuserObjectAcquire_flags_enum { CN_TASK_TOPO_USER_OBJECT_MOVE = 1 } CNuserObjectAcquireFlags;
typedef enum CNtaskTopoEntityUpdateResult_enum {
  CN_TASK_TOPO_ENTITY_UPDATE_SUCCESS,
  CN_TASK_TOPO_ENTITY_UPDATE_ERROR,
  CN_TASK_TOPO_ENTITY_UPDATE_ERROR_TOPOLOGY_CHANGED,
  CN_TASK_TOPO_ENTITY_UPDATE_ERROR_NODE_TYPE_CHANGED,
  CN_TASK_TOPO_ENTITY_UPDATE_ERROR_PARAMETERS_CHANGED,
  CN_TASK_TOPO_ENTITY_UPDATE_ERROR_NOT_SUPPORTED,
  CN_TASK_TOPO_ENTITY_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE,
  CN_TASK_TOPO_ENTITY_UPDATE_ERROR_ATTRIBUTES_CHANGED,
} CNtaskTopoEntityUpdateResult;
typedef enum CNqueueCaptureStatus_enum {
  CN_QUEUE_CAPTURE_STATUS_NONE,
  CN_QUEUE_CAPTURE_STATUS_ACTIVE,
  CN_QUEUE_CAPTURE_STATUS_INVALIDATED,
} CNqueueCaptureStatus;
typedef enum CNqueueCaptureMode_enum {
  CN_QUEUE_CAPTURE_MODE_GLOBAL,
  CN_QUEUE_CAPTURE_MODE_THREAD_LOCAL,
  CN_QUEUE_CAPTURE_MODE_RELAXED,
} CNqueueCaptureMode;
typedef enum CNqueueUpdateCaptureDependenciesFlags_enum {
  CN_QUEUE_ADD_CAPTURE_DEPENDENCIES,
  CN_QUEUE_SET_CAPTURE_DEPENDENCIES,
} CNqueueUpdateCaptureDependenciesFlags;
