// The errors, devices and structures of the runtime; see cnrt.h.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef enum {
  cnrtSuccess = 0,
  cnrtErrorNotReady = 1,
  cnrtErrorInit = 100002,
  cnrtErrorNoDevice = 100004,
  cnrtErrorDeviceInvalid = 100005,
  cnrtErrorArgsInvalid = 100006,
  cnrtErrorSys = 100007,
  cnrtErrorSysNoMem = 100010,
  cnrtErrorInvalidResourceHandle = 100014,
  cnrtErrorIllegalState = 100015,
  cnrtErrorNotSupport = 100050,
  cnrtErrorOpsNotPermitted = 100051,
  cnrtErrorQueue = 100060,
  cnrtErrorNoMem = 100100,
  cnrtErrorAssert = 100128,
  cnrtErrorKernelTrap = 100132,
  cnrtErrorKernelUserTrap = 100133,
  cnrtErrorNotFound = 100301,
  cnrtErrorInvalidKernel = 100302,
  cnrtErrorUnsupportedKernelVersion = 100303,
  cnrtErrorQueueCaptureUnsupported = 100360,
  cnrtErrorQueueCaptureInvalidated = 100361,
  cnrtErrorQueueCaptureWrongThread = 100362,
  cnrtErrorQueueCaptureMerged = 100363,
  cnrtErrorQueueCaptureUnjoined = 100364,
  cnrtErrorQueueCaptureIsolation = 100365,
  cnrtErrorQueueCaptureUnmatched = 100366,
  cnrtErrorTaskTopoEntityUpdateFailure = 100400,
  cnrtErrorNoKernel = 101312,
  cnrtErrorNoModule = 101315,
  cnrtErrorSetOnActiveProcess = 632002,
  cnrtErrorDevice = 632006,
  cnrtErrorNoAttribute = 632009,
  cnrtErrorMemcpyDirectionInvalid = 632013,
  cnrtErrorBusy = 632014,
  cnrtErrorCndrvFuncCall = 632015,
  cnrtErrorCndevFuncCall = 632017,
  cnrtErrorNoCnrtContext = 632019,
  cnrtErrorCndrvFuncNotFound = 632020,
  cnrtErrorInvalidSymbol = 632100,
  cnrtErrorUnknown = 999991,
  cnrtErrorMax
} cnrtRet_t;
#define CNRT_RET_SUCCESS cnrtSuccess
#define CNRT_RET_ERR_NOT_READY cnrtErrorNotReady
#define CNRT_RET_ERR_INVALID cnrtErrorArgsInvalid
#define CNRT_RET_ERR_NOMEM cnrtErrorNoMem
#define CNRT_RET_ERR_NODEV cnrtErrorNoDevice
#define CNRT_RET_ERR_SYS cnrtErrorSys
#define CNRT_RET_ERR_BUSY cnrtErrorBusy
#define CNRT_RET_ERR_UNSUPPORTED cnrtErrorNotSupport
#define CNRT_RET_ERR_INIT cnrtErrorInit
#define CNRT_RET_ERR_QUEUE cnrtErrorQueue
#define CNRT_RET_ERR_MLU cnrtErrorCndrvFuncCall
#define CNRT_RET_ERR_UNKNOWN cnrtErrorUnknown
#define CNRT_RET_ERR_STREAM cnrtErrorQueue
#define CNRT_RET_ERR_INVALID_POINTER cnrtErrorArgsInvalid
#define CNRT_RET_ERR_FUNC_CALL cnrtErrorCndrvFuncCall
// Errors of CNRT 4 that nothing gives any more.
enum {
  CNRT_RET_WARNING_FAKE_DEVICE = 1,
  CNRT_RET_ERR_IO = 632010,
  CNRT_RET_ERR_ACCES = 632012,
  CNRT_RET_ERR_FAULT = 632013,
  CNRT_RET_ERR_TIMEOUT = 632015,
  CNRT_RET_ERR_EXIST = 632016,
  CNRT_RET_ERR_NOSYS = 632017,
  CNRT_RET_ERR_AGAIN = 632018,
  CNRT_RET_ERR_NORES = 632019,
  CNRT_RET_ERR_NO_EXIST = 632022,
  CNRT_RET_ERR_BROKEN = 632023,
  CNRT_RET_ERR_OUT_RANGE = 632026,
  CNRT_RET_ERR_MATH_OVERFLOW = 632027,
  CNRT_RET_ERR_UNHANDLED = 632029,
  CNRT_RET_ERR_INVALID_TYPE = 632030,
  CNRT_RET_ERR_INVALID_OP = 632031,
  CNRT_RET_ERR_ONCHIP_CORE = 632033,
  CNRT_RET_ERR_EVENT = 632034,
  CNRT_RET_ERR_NOTIFIER = CNRT_RET_ERR_EVENT,
  CNRT_RET_ERR_RESHAPE = 632035,
  CNRT_RET_ERR_MEMCPY = 632036,
  CNRT_RET_ERR_ENCRYPT = 632037,
  CNRT_RET_ERR_INVALID_DATADESC = 632038,
  CNRT_RET_ERR_MAP = 632039,
  CNRT_RET_ERR_UNMAP = 632040,
  CNRT_RET_ERR_CACHE = 632041,
  CNRT_RET_ERR_FIND_DEV_ADDR = 632042,
  CNRT_RET_ERR_KERNEL_VERSION_TOO_HIGH = 632043,
};
#define CNRT_QUEUE_SYNC_SPIN cnrtDeviceScheduleSpin
#define CNRT_QUEUE_SYNC_BLOCK cnrtDeviceScheduleBlock
#define CNRT_QUEUE_SYNC_YIELD cnrtDeviceScheduleYield

typedef enum {
  cnrtFuncTypeBlock = 1,
  cnrtFuncTypeBlock0 = 1,
  cnrtFuncTypeBlock1 = 2,
  cnrtFuncTypeUnion1 = 4,
  cnrtFuncTypeUnion2 = 8,
  cnrtFuncTypeUnion4 = 16,
  cnrtFuncTypeUnion8 = 32,
  cnrtFuncTypeUnion16 = 64,
  cnrtFuncTypeMutable = -1,
  cnrtJobTypeBlock = 1,
  cnrtJobTypeUnion1 = 4,
  cnrtJobTypeUnion2 = 8,
  cnrtJobTypeUnion4 = 16,
} cnrtFunctionType_t;
typedef cnrtFunctionType_t cnrtJobType_t;
#define CNRT_FUNC_TYPE_BLOCK cnrtFuncTypeBlock
#define CNRT_FUNC_TYPE_BLOCK0 cnrtFuncTypeBlock0
#define CNRT_FUNC_TYPE_BLOCK1 cnrtFuncTypeBlock1
#define CNRT_FUNC_TYPE_UNION1 cnrtFuncTypeUnion1
#define CNRT_FUNC_TYPE_UNION2 cnrtFuncTypeUnion2
#define CNRT_FUNC_TYPE_UNION4 cnrtFuncTypeUnion4
#define CNRT_FUNC_TYPE_UNION8 cnrtFuncTypeUnion8
#define CNRT_FUNC_TYPE_UNION16 cnrtFuncTypeUnion16
#define CNRT_FUNC_TYPE_MUTABLE cnrtFuncTypeMutable
#define CNRT_JOB_TYPE_BLOCK cnrtJobTypeBlock
#define CNRT_JOB_TYPE_UNION1 cnrtJobTypeUnion1
#define CNRT_JOB_TYPE_UNION2 cnrtJobTypeUnion2
#define CNRT_JOB_TYPE_UNION4 cnrtJobTypeUnion4

typedef enum {
  cnrtAttrComputeCapabilityMajor = 0x01,
  cnrtAttrComputeCapabilityMinor,
  cnrtAttrSparseComputingSupported,
  cnrtAttrFP16ComputingSupported,
  cnrtAttrINT4ComputingSupported,
  cnrtAttrINT8ComputingSupported,
  cnrtAttrBF16ComputingSupported,
  cnrtAttrTF32ComputingSupported,
  cnrtAttrComputeMode,
  cnrtAttrQueueSize = 0x101,
  cnrtAttrNotifierSize,
  cnrtAttrSupportQueuePriorities,
  cnrtAttrTinyCoreSupported,
  cnrtAttrCodecJPEGSupported,
  cnrtAttrCodecH264Supported,
  cnrtAttrCodecH265Supported,
  cnrtAttrAIIspCoreSupported,
  cnrtAttrMultiCtxNotifierWaitSupported,
  cnrtAttrIPCNotifierSupported,
  cnrtAttrMaxDimX = 0x201,
  cnrtAttrMaxDimY,
  cnrtAttrMaxDimZ,
  cnrtAttrMaxClusterCountPerUnionTask,
  cnrtAttrClusterCount,
  cnrtAttrMcorePerCluster,
  cnrtAttrMaxQuadrantCount,
  cnrtAttrMaxUnionTypePerQuadrant,
  cnrtAttrMaxClusterPerUnionLimitTask,
  cnrtAttrISAVersion,
  cnrtAttrIsMultipleTensorProcessor,
  cnrtAttrMaxL2CacheSize = 0x301,
  cnrtAttrNramSizePerMcore,
  cnrtAttrWramSizePerMcore,
  cnrtAttrTotalConstMemorySize,
  cnrtAttrLmemSizePerMcore,
  cnrtAttrSramSizePerMcore,
  cnrtAttrGlobalMemoryNodeCount,
  cnrtAttrMaxPersistingL2CacheSize = 0x309,
  cnrtAttrAvailableGlobalMemorySize = 0x312,
  cnrtAttrEccEnable = 0x401,
  cnrtAttrIpuClockRate,
  cnrtAttrMemClockRate,
  cnrtAttrGmemBusWidth,
  cnrtAttrTotalMemSize,
  cnrtAttrPciBusID,
  cnrtAttrPciDeviceID,
  cnrtAttrPciDomainID,
  cnrtAttrMDRMemorySize,
  cnrtAttrUnsupportedFlag = 0xffffff,
  cnrtAttrCanMapHostMemory,
  cnrtAttrCanSetQueueSize,
  cnrtAttrCanSetNotifierSize,
  cnrtAttrConcurrentKernels,
  cnrtAttrSupportUnifiedAddr,
  cnrtAttrSupportManagedMem,
  cnrtAttrSupportNativeAtomic,
  cnrtAttrSupportPageableMemAccess,
  cnrtAttrCanUseHostPointer,
  cnrtAttrSupportHostRegsiter,
  cnrtAttrCacheSize,
  cnrtAttrMaxNum,
} cnrtDeviceAttr_t;
typedef enum { cnrtDevP2PAttrAccessSupported, cnrtDevP2PAttrNativeAtomicSupported, cnrtDevP2PAttrMaxNum } cnrtDeviceP2PAttr_t;
typedef enum { cnrtComputeModeDefault, cnrtComputeModeExclusiveProcess } cnrtComputeMode_t;
typedef enum { cnrtDevLimitStackSize, cnrtDevLimitPrintfFifoSize, cnrtDevLimitMaxNum } cnrtDeviceLimit_t;
typedef enum {
  cnrtDeviceConfigReserved,
  cnrtDeviceConfigPrintfFifoNum,
  cnrtDeviceConfigMaxPersistingL2CacheSize,
  cnrtDeviceConfigPrintfFifoSize,
  cnrtDeviceConfigMaxNum,
} cnrtDeviceConfig_t;

typedef enum {
  cnrtMemcpyHostToDev,
  cnrtMemcpyDevToDev,
  cnrtMemcpyDevToHost,
  cnrtMemcpyHostToHost,
  cnrtMemcpyPeerToPeer,
  cnrtMemcpyNoDirection,
} cnrtMemTransDir_t;
#define CNRT_MEM_TRANS_DIR_HOST2DEV cnrtMemcpyHostToDev
#define CNRT_MEM_TRANS_DIR_DEV2DEV cnrtMemcpyDevToDev
#define CNRT_MEM_TRANS_DIR_DEV2HOST cnrtMemcpyDevToHost
#define CNRT_MEM_TRANS_DIR_HOST2HOST cnrtMemcpyHostToHost
#define CNRT_MEM_TRANS_DIR_PEER2PEER cnrtMemcpyPeerToPeer
#define CNRT_MEM_TRANS_DIR_NODIR cnrtMemcpyNoDirection

typedef enum { cnrtMemTypeUnregistered, cnrtMemTypeHost, cnrtMemTypeDevice } cnrtMemType_t;
#define CNRT_MEMTYPE_DEFAULT cnrtMemTypeUnregistered
#define CNRT_MEMTYPE_LOCKED cnrtMemTypeHost
#define CNRT_MEMTYPE_DEV cnrtMemTypeDevice
typedef enum { cnrtUvaNotSupport = -1, cnrtUvaUnknown, cnrtUvaUnCached, cnrtUvaCached } cnrtUvaCacheMode_t;
typedef struct {
  cnrtMemType_t type;
  int device;
  size_t size;
  void* devicePointer;
  void* hostPointer;
  cnrtUvaCacheMode_t cacheMode;
  void* deviceBasePointer;
} cnrtPointerAttributes_t;

typedef struct cnrtUUID_st {
  char uuid[16];
} cnrtUUID_t;
// Sizes are in bytes where no other unit is said.
typedef struct cnrtDeviceProp_V3 {
  char name[256];
  int totalMem;  // MB
  int maxDim[3];
  int ipuClockRate, memClockRate;  // kHz
  int totalConstMem;               // MB
  int major, minor;
  int ECCEnabled;
  int pciBusID, pciDeviceID, pciDomainID;
  int maxL2CacheSize, persistingL2CacheMaxSize;
  int queuePrioritiesSupported;
  int sparseComputingSupported, FP16ComputingSupported, INT4ComputingSupported, INT8ComputingSupported;
  int BF16ComputingSupported, TF32ComputingSupported;
  int maxQueueSize, maxNotifierSize;
  int tinyCoreSupported, codecJPEGSupported, codecH264Supported, codecH265Supported;
  int maxClusterCountPerUnionTask, clusterCount, McorePerCluster;
  int maxQuadrantCount, maxUnionTypePerQuadrant, maxClusterPerUnionLimitTask;
  int ISAVersion, isMultipleTensorProcessor;
  int NramSizePerMcore, WramSizePerMcore;
  int LmemSizePerMcore;  // MB
  int SramSizePerMcore;
  int globalMemoryNodeCount, cacheSize;
  int GmemBusWidth;  // bits
  int computeMode;
  int MDRMemorySize, availableGlobalMemorySize;  // MB
  cnrtUUID_t uuid;
  uint64_t totalGlobalMemSize;
  int reserved[30];
} cnrtDeviceProp_t;
#define cnrtGetDeviceProperties_V2 cnrtGetDeviceProperties
#define cnrtGetDeviceProperties_V3 cnrtGetDeviceProperties
typedef enum { CNRT_MLU220 = 6, CNRT_MLU270 = 5, CNRT_MLU290 = 7, CNRT_MLU370 = 8, CNRT_MLU590 = 9 } cnrtCoreVersion_t;
typedef struct {
  char device_name[64];
  cnrtCoreVersion_t core_version;
  int core_num;
} cnrtDeviceInfo_t;
typedef struct {
  unsigned int x, y, z;
} cnrtDim3_t;

// A block of rows in slices; of an address, `pitch` bytes lie between rows and `ysize` rows between slices.
typedef struct {
  size_t x, y, z;
} cnrtPos_t;
typedef struct {
  size_t pitch;
  void* ptr;
  size_t xsize, ysize;
} cnrtPitchedPtr_t;
typedef struct {
  size_t depth, height, width;
} cnrtExtent_t;
typedef struct cnrtMemcpy3dParam_st {
  void* dst;
  cnrtPos_t dstPos;
  cnrtPitchedPtr_t dstPtr;
  cnrtExtent_t extent;
  cnrtMemTransDir_t dir;
  void* src;
  cnrtPos_t srcPos;
  cnrtPitchedPtr_t srcPtr;
} cnrtMemcpy3dParam_t;
typedef struct cnrtMemsetParams {
  void* dst;
  size_t pitch;
  unsigned int value, elementSize;
  size_t width, height;
} cnrtMemsetParams_t;
