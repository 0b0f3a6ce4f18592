// Memory of the driver: its attributes, copies of blocks, addresses that are reserved, pools; see cn_api.h.
#pragma once

enum CN_memory_type { CN_MEMORYTYPE_UNKNOWN, CN_MEMORYTYPE_HOST, CN_MEMORYTYPE_DEVICE };
typedef enum CN_host_cache_type {
  CN_HOSTMEMORY_NOT_SUPPORT = -1,
  CN_HOSTMEMORY_CACHE_UNKNOWN,
  CN_HOSTMEMORY_NONCACHE,
  CN_HOSTMEMORY_CACHEABLE,
} CNHostMemCachingType;
typedef enum CNipcMemFlags { CN_IPC_MEM_DEFAULT = 0, CN_IPC_MEM_NEED_PEER_ACCESS = 2 } CNIpcMemFlags_t;
typedef enum CNmem_attribute_enum {
  CN_MEM_ATTRIBUTE_TYPE = 0x1,
  CN_MEM_ATTRIBUTE_DEVICE_POINTER,
  CN_MEM_ATTRIBUTE_HOST_POINTER,
  CN_MEM_ATTRIBUTE_IS_CACHE_OPS,
  CN_MEM_ATTRIBUTE_CACHE_OPS,
  CN_MEM_ATTRIBUTE_CONTEXT,
  CN_MEM_ATTRIBUTE_DEVICE_ORDINAL,
  CN_MEM_ATTRIBUTE_RANGE_START_ADDR = 0x11,
  CN_MEM_ATTRIBUTE_RANGE_SIZE,
  CN_MEM_ATTRIBUTE_MAPPING_TYPE,
  CN_MEM_ATTRIBUTE_ACCESS_FLAGS = CN_MEM_ATTRIBUTE_MAPPING_TYPE,
  CN_MEM_ATTRIBUTE_CACHE_CONFIG,
  CN_MEM_ATTRIBUTE_HOST_CACHE_TYPE,
  CN_MEM_ATTRIBUTE_MAPPED,
  CN_MEM_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
  CN_MEM_ATTRIBUTE_ISLINEAR,
  CN_MEM_ATTRIBUTE_IS_LEGACY_IPC_CAPABLE,
  CN_MEM_ATTRIBUTE_MAX,
} CNmem_attribute;
typedef enum cn_cache_ops { CN_FLUSH_CACHE = 1, CN_INVALID_CACHE } CNCacheOps;
typedef enum cn_mem_range_handle_type {
  CN_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD = 0x1,
  CN_MEM_RANGE_HANDLE_TYPE_MAX = 0x7FFFFFFF,
} CNmemRangeHandleType;

typedef struct {
  cn_uint64_t x, y, z;
} CNpos;
typedef struct {
  cn_uint64_t pitch;
  void* ptr;
  cn_uint64_t xsize, ysize;
} CNpitchedPtr;
typedef struct {
  cn_uint64_t depth, height, width;
} CNextent;
typedef struct CNmemcpy3dParam_st {
  void* dst;
  CNpos dstPos;
  CNpitchedPtr dstPtr;
  CNextent extent;
  cn_uint32_t dir;
  void* src;
  CNpos srcPos;
  CNpitchedPtr srcPtr;
} CNmemcpy3dParam;

typedef enum cn_mapping_type { CN_MEM_MAPPING_READWRITE, CN_MEM_MAPPING_READONLY } CNMemoryMappingType;
typedef enum cn_memory_access_flags {
  CN_MEM_ACCESS_FLAGS_PROT_READWRITE,
  CN_MEM_ACCESS_FLAGS_PROT_READONLY,
} CNMemoryAccessFlags;
typedef enum cn_caching_type {
  CN_MEM_NON_CACHEABLE,
  CN_MEM_CACHEABLE_READONLY,
  CN_MEM_CACHEABLE_WRITEONLY,
  CN_MEM_CACHEABLE_READWRITE,
} CNMemoryCachingType;
typedef enum cn_caching_pinned { CN_MEM_CACHE_NON_PINNED, CN_MEM_CACHE_PINNED } CNMemoryCachePinnedType;
typedef enum cn_mem_location_type { CN_MEM_LOCATION_TYPE_INVALID, CN_MEM_LOCATION_TYPE_DEVICE } CNmemLocationType;
typedef enum cn_mem_allocation_comp_type {
  CN_MEM_ALLOCATION_COMP_NONE,
  CN_MEM_ALLOCATION_COMP_GENERIC,
} CNmemAllocationCompType;
typedef enum cn_mem_allocation_security_type {
  CN_MEM_ALLOCATION_SECUR_NONE,
  CN_MEM_ALLOCATION_SECUR_GENERIC,
} CNmemAllocationSecurType;
typedef enum cn_mem_allocation_type {
  CN_MEM_ALLOCATION_TYPE_INVALID,
  CN_MEM_ALLOCATION_TYPE_DEFAULT,
} CNmemAllocationType;
typedef enum cn_mem_allocation_granularity {
  CN_MEM_ALLOC_GRANULARITY_MINIMUM,
  CN_MEM_ALLOC_GRANULARITY_RECOMMENDED,
} CNmemAllocationGranularity;
typedef enum cn_mem_allocation_handle_type {
  CN_MEM_HANDLE_TYPE_NONE,
  CN_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
} CNmemAllocationHandleType;
typedef struct cn_mem_location {
  CNmemLocationType type;
  cn_uint32_t id;
} CNmemLocation;
typedef struct cn_mem_access_desc {
  CNmemLocation location;
  CNMemoryAccessFlags accessFlags;
  CNMemoryCachingType cacheType;
  CNMemoryCachePinnedType pinnedType;
} CNmemAccessDesc;
typedef struct cn_mem_allocation_prop {
  CNmemAllocationType type;
  CNmemAllocationHandleType requestedHandleTypes;
  CNmemLocation location;
  struct {
    unsigned char compressionType, securityType;
  } allocFlags;
} CNmemAllocationProp;

typedef struct CNmemPoolProps_st {
  CNmemAllocationType type;
  CNmemAllocationHandleType requestedHandleTypes;
  CNmemLocation location;
  size_t maxSize;
  unsigned char reserved[64];
} CNmemPoolProps;
typedef enum CNmemPool_attribute {
  CN_MEMPOOL_ATTR_REUSE_FOLLOW_NOTIFIER_DEPENDENCIES = 1,
  CN_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
  CN_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
  CN_MEMPOOL_ATTR_RELEASE_THRESHOLD,
  CN_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
  CN_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
  CN_MEMPOOL_ATTR_USED_MEM_CURRENT,
  CN_MEMPOOL_ATTR_USED_MEM_HIGH,
} CNmemPoolAttribute;
