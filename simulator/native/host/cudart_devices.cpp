// Devices: what a program is told of them, and their settings.
#include <stdio.h>
#include <string.h>

#include "cudart_status.h"
#include "host_memory.h"

namespace {

// What no device file says: the same for all devices of compute capability 5.0 and later (CUDA C++ Programming Guide,
// technical specifications).
constexpr int REGISTERS = 65536, CONSTANT_BYTES = 65536, RESERVED_SHARED = 1024, ALIGNMENT = 512;

const mlusim::Device* device(int number) {
  if (number >= 0) {
    const mlusim::Device* found = mlusim_device(number);
    if (found) return found;
  }
  failed(cudaErrorInvalidDevice, ("there is no device " + std::to_string(number)).c_str());
  return nullptr;
}

cudaDeviceProp properties_of(const mlusim::Device& device) {
  const mlusim::DeviceFacts& facts = device.facts;
  const mlusim::ThreadFacts& threads = facts.threads;
  cudaDeviceProp found = {};
  snprintf(found.name, sizeof found.name, "%s", device.name.c_str());
  found.totalGlobalMem = device.capacity, found.totalConstMem = CONSTANT_BYTES, found.memPitch = INT32_MAX;
  found.sharedMemPerBlock = threads.declared, found.sharedMemPerBlockOptin = threads.shared;
  found.sharedMemPerMultiprocessor = threads.shared_multiprocessor, found.reservedSharedMemPerBlock = RESERVED_SHARED;
  found.textureAlignment = found.texturePitchAlignment = ALIGNMENT;
  found.major = (int)facts.arch / 10, found.minor = (int)facts.arch % 10, found.warpSize = (int)threads.warp;
  found.maxThreadsPerBlock = (int)threads.block, found.maxThreadsPerMultiProcessor = (int)threads.multiprocessor;
  const uint64_t block[] = {threads.block_x, threads.block_y, threads.block_z};
  const uint64_t grid[] = {threads.grid_x, threads.grid_y, threads.grid_z};
  for (int i = 0; i < 3; i++) found.maxThreadsDim[i] = (int)block[i], found.maxGridSize[i] = (int)grid[i];
  found.regsPerBlock = found.regsPerMultiprocessor = REGISTERS;
  found.multiProcessorCount = (int)facts.clusters, found.maxBlocksPerMultiProcessor = (int)facts.cores_per_cluster;
  found.clockRate = (int)facts.clock_khz, found.memoryClockRate = (int)facts.memory_khz;
  found.memoryBusWidth = (int)facts.bus_bits, found.l2CacheSize = (int)facts.l2;
  found.managedMemory = found.concurrentManagedAccess = found.cooperativeLaunch = found.concurrentKernels = 1;
  found.unifiedAddressing = found.canMapHostMemory = found.asyncEngineCount = found.deviceOverlap = 1;
  found.pciDeviceID = device.ordinal;
  return found;
}

struct Attribute {
  cudaDeviceAttr attribute;
  int (*value)(const cudaDeviceProp& of);
};
#define ATTRIBUTE(name, member) {cudaDevAttr##name, [](const cudaDeviceProp& of) { return (int)of.member; }}
const Attribute attributes[] = {
    ATTRIBUTE(MaxThreadsPerBlock, maxThreadsPerBlock),
    ATTRIBUTE(MaxBlockDimX, maxThreadsDim[0]),
    ATTRIBUTE(MaxBlockDimY, maxThreadsDim[1]),
    ATTRIBUTE(MaxBlockDimZ, maxThreadsDim[2]),
    ATTRIBUTE(MaxGridDimX, maxGridSize[0]),
    ATTRIBUTE(MaxGridDimY, maxGridSize[1]),
    ATTRIBUTE(MaxGridDimZ, maxGridSize[2]),
    ATTRIBUTE(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    ATTRIBUTE(TotalConstantMemory, totalConstMem),
    ATTRIBUTE(WarpSize, warpSize),
    ATTRIBUTE(MaxPitch, memPitch),
    ATTRIBUTE(MaxRegistersPerBlock, regsPerBlock),
    ATTRIBUTE(ClockRate, clockRate),
    ATTRIBUTE(TextureAlignment, textureAlignment),
    ATTRIBUTE(GpuOverlap, deviceOverlap),
    ATTRIBUTE(MultiProcessorCount, multiProcessorCount),
    ATTRIBUTE(KernelExecTimeout, kernelExecTimeoutEnabled),
    ATTRIBUTE(Integrated, integrated),
    ATTRIBUTE(CanMapHostMemory, canMapHostMemory),
    ATTRIBUTE(ComputeMode, computeMode),
    ATTRIBUTE(ConcurrentKernels, concurrentKernels),
    ATTRIBUTE(EccEnabled, ECCEnabled),
    ATTRIBUTE(PciBusId, pciBusID),
    ATTRIBUTE(PciDeviceId, pciDeviceID),
    ATTRIBUTE(TccDriver, tccDriver),
    ATTRIBUTE(MemoryClockRate, memoryClockRate),
    ATTRIBUTE(GlobalMemoryBusWidth, memoryBusWidth),
    ATTRIBUTE(L2CacheSize, l2CacheSize),
    ATTRIBUTE(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    ATTRIBUTE(AsyncEngineCount, asyncEngineCount),
    ATTRIBUTE(UnifiedAddressing, unifiedAddressing),
    ATTRIBUTE(ComputeCapabilityMajor, major),
    ATTRIBUTE(ComputeCapabilityMinor, minor),
    ATTRIBUTE(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
    ATTRIBUTE(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    ATTRIBUTE(ManagedMemory, managedMemory),
    ATTRIBUTE(ConcurrentManagedAccess, concurrentManagedAccess),
    ATTRIBUTE(CooperativeLaunch, cooperativeLaunch),
    ATTRIBUTE(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    ATTRIBUTE(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
};
#undef ATTRIBUTE

// Settings that are kept and have no effect.
size_t limits[cudaLimitPersistingL2CacheSize + 1] = {1024, 1 << 20, 8 << 20};
cudaFuncCache cache = cudaFuncCachePreferNone;
cudaSharedMemConfig banks = cudaSharedMemBankSizeFourByte;
unsigned device_flags = cudaDeviceScheduleAuto;

template <class Value>
cudaError_t give(Value* result, Value value) {
  if (!result) return failed(cudaErrorInvalidValue, "the pointer to the result is null");
  *result = value;
  return status(cnrtSuccess);
}
cudaError_t kept() { return status(cnrtSuccess); }

}  // namespace

CUDA_API cudaError_t cudaGetDeviceCount(int* count) { return status(cnrtGetDeviceCount((unsigned*)count)); }
CUDA_API cudaError_t cudaGetDevice(int* device) { return status(cnrtGetDevice(device)); }
CUDA_API cudaError_t cudaSetDevice(int device) { return status(cnrtSetDevice(device)); }
CUDA_API cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return status(cnrtSetDevice(device)); }
CUDA_API cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return give(device, 0); }
CUDA_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
  const mlusim::Device* found = device(number);
  return found ? give(properties, properties_of(*found)) : cudaPeekAtLastError();
}
CUDA_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  const mlusim::Device* found = device(number);
  if (!found) return cudaPeekAtLastError();
  for (const Attribute& each : attributes)
    if (each.attribute == attribute) return give(value, each.value(properties_of(*found)));
  return failed(cudaErrorInvalidValue, "the attribute is none that is known here");
}
CUDA_API cudaError_t cudaDeviceSynchronize(void) {
  FROM_CALLER;
  return status(cnrtSyncDevice());
}
CUDA_API cudaError_t cudaThreadSynchronize(void) {
  FROM_CALLER;
  return status(cnrtSyncDevice());
}
CUDA_API cudaError_t cudaDeviceReset(void) {
  forget_streams();
  FROM_CALLER;
  cnrtRet_t reset = cnrtDeviceReset();
  forget_failure();
  return status(reset);
}
CUDA_API cudaError_t cudaThreadExit(void) {
  FROM_CALLER;
  return cudaDeviceReset();
}

CUDA_API cudaError_t cudaSetDeviceFlags(unsigned flags) { return device_flags = flags, kept(); }
CUDA_API cudaError_t cudaGetDeviceFlags(unsigned* flags) { return give(flags, device_flags); }
CUDA_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if ((size_t)limit >= sizeof limits / sizeof *limits)
    return failed(cudaErrorUnsupportedLimit, "there is no such limit");
  return limits[limit] = value, kept();
}
CUDA_API cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  if ((size_t)limit >= sizeof limits / sizeof *limits)
    return failed(cudaErrorUnsupportedLimit, "there is no such limit");
  return give(value, limits[limit]);
}
CUDA_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) { return cache = config, kept(); }
CUDA_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) { return give(config, cache); }
CUDA_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) { return banks = config, kept(); }
CUDA_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) { return give(config, banks); }
CUDA_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return status(cnrtDeviceGetQueuePriorityRange(least, greatest));
}
CUDA_API cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return status(cnrtDeviceCanAccessPeer(can, device, peer));
}
CUDA_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return device(peer) ? kept() : cudaPeekAtLastError();
}
CUDA_API cudaError_t cudaDeviceDisablePeerAccess(int peer) { return device(peer) ? kept() : cudaPeekAtLastError(); }
CUDA_API cudaError_t cudaDriverGetVersion(int* version) { return give(version, CUDART_VERSION); }
CUDA_API cudaError_t cudaRuntimeGetVersion(int* version) { return give(version, CUDART_VERSION); }
CUDA_API cudaError_t cudaProfilerStart(void) { return kept(); }
CUDA_API cudaError_t cudaProfilerStop(void) { return kept(); }
