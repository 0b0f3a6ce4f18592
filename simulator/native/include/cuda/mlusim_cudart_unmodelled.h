// Functions of the CUDA runtime that compile and are not modelled: a call is a finding, and an error.
#pragma once

typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
typedef struct cudaArray* cudaArray_t;
typedef const struct cudaArray* cudaArray_const_t;
typedef struct CUmemPoolHandle_st* cudaMemPool_t;
typedef struct cudaGraphicsResource* cudaGraphicsResource_t;
enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone
};
enum cudaTextureAddressMode {
  cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaResourceType {
  cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D
};
struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct { cudaArray_t array; } array;
    struct { void* devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
    struct { void* devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
  } res;
};
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
};
struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};
struct cudaMemsetParams {
  void* dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};

#define MLUSIM_NOT_MODELLED(name)                                          \
  template <class... A>                                                    \
  __attribute__((always_inline)) inline cudaError_t name(A&&...) {         \
    return mlusim_cuda_not_modelled(#name);                                \
  }
MLUSIM_NOT_MODELLED(cudaGraphCreate)
MLUSIM_NOT_MODELLED(cudaGraphAddKernelNode)
MLUSIM_NOT_MODELLED(cudaGraphAddMemcpyNode)
MLUSIM_NOT_MODELLED(cudaGraphAddMemcpyNode1D)
MLUSIM_NOT_MODELLED(cudaGraphAddMemsetNode)
MLUSIM_NOT_MODELLED(cudaGraphAddHostNode)
MLUSIM_NOT_MODELLED(cudaGraphAddDependencies)
MLUSIM_NOT_MODELLED(cudaGraphNodeGetDependencies)
MLUSIM_NOT_MODELLED(cudaGraphGetEdges)
MLUSIM_NOT_MODELLED(cudaGraphGetRootNodes)
MLUSIM_NOT_MODELLED(cudaGraphNodeGetType)
MLUSIM_NOT_MODELLED(cudaGraphKernelNodeGetParams)
MLUSIM_NOT_MODELLED(cudaGraphKernelNodeSetParams)
MLUSIM_NOT_MODELLED(cudaGraphClone)
MLUSIM_NOT_MODELLED(cudaGraphUpload)
MLUSIM_NOT_MODELLED(cudaGraphExecUpdate)
MLUSIM_NOT_MODELLED(cudaGraphExecKernelNodeSetParams)
MLUSIM_NOT_MODELLED(cudaGraphDebugDotPrint)
MLUSIM_NOT_MODELLED(cudaMallocArray)
MLUSIM_NOT_MODELLED(cudaMalloc3DArray)
MLUSIM_NOT_MODELLED(cudaFreeArray)
MLUSIM_NOT_MODELLED(cudaMemcpyToArray)
MLUSIM_NOT_MODELLED(cudaMemcpy2DToArray)
MLUSIM_NOT_MODELLED(cudaMemcpy2DFromArray)
MLUSIM_NOT_MODELLED(cudaMemcpy3D)
MLUSIM_NOT_MODELLED(cudaMemcpy3DAsync)
MLUSIM_NOT_MODELLED(cudaMemset3D)
MLUSIM_NOT_MODELLED(cudaCreateTextureObject)
MLUSIM_NOT_MODELLED(cudaDestroyTextureObject)
MLUSIM_NOT_MODELLED(cudaCreateSurfaceObject)
MLUSIM_NOT_MODELLED(cudaDestroySurfaceObject)
MLUSIM_NOT_MODELLED(cudaBindTexture)
MLUSIM_NOT_MODELLED(cudaBindTexture2D)
MLUSIM_NOT_MODELLED(cudaUnbindTexture)
MLUSIM_NOT_MODELLED(cudaMemPoolCreate)
MLUSIM_NOT_MODELLED(cudaMemPoolSetAttribute)
MLUSIM_NOT_MODELLED(cudaDeviceGetDefaultMemPool)
MLUSIM_NOT_MODELLED(cudaMallocFromPoolAsync)
MLUSIM_NOT_MODELLED(cudaLaunchKernelEx)
MLUSIM_NOT_MODELLED(cudaLaunchKernelExC)
MLUSIM_NOT_MODELLED(cudaIpcGetMemHandle)
MLUSIM_NOT_MODELLED(cudaIpcOpenMemHandle)
MLUSIM_NOT_MODELLED(cudaIpcCloseMemHandle)
MLUSIM_NOT_MODELLED(cudaGraphicsGLRegisterBuffer)
MLUSIM_NOT_MODELLED(cudaGraphicsMapResources)
MLUSIM_NOT_MODELLED(cudaGraphicsUnmapResources)
MLUSIM_NOT_MODELLED(cudaGraphicsResourceGetMappedPointer)
MLUSIM_NOT_MODELLED(cudaGraphicsUnregisterResource)
#undef MLUSIM_NOT_MODELLED

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  return {8 * (int)sizeof(T), 0, 0, 0, std::is_floating_point_v<T> ? cudaChannelFormatKindFloat : cudaChannelFormatKindSigned};
}
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
