// Devices, contexts and versions.
#include <string.h>

#include "host_memory.h"
#include "host_queues.h"
#include "host_status.h"
#include "host_variables.h"

namespace mlusim {

// The value of an attribute; false for one that the device file says nothing of.
bool attribute(const Device& device, int number, int& value) {
  const DeviceFacts& facts = device.facts;
  auto known = [&](uint64_t fact) { return value = (int)fact, fact != 0; };
  switch (number) {
    case cnrtAttrComputeCapabilityMajor:
      return value = (int)facts.arch / 100, true;
    case cnrtAttrComputeCapabilityMinor:
      return value = (int)facts.arch / 10 % 10, true;
    case cnrtAttrMaxDimX:
    case cnrtAttrMaxDimY:
    case cnrtAttrMaxDimZ:
      return known(facts.largest_dim);
    case cnrtAttrClusterCount:
      return known(facts.clusters);
    case cnrtAttrMaxClusterCountPerUnionTask:
    case cnrtAttrMaxClusterPerUnionLimitTask:
      return known(facts.largest_union);
    case cnrtAttrMcorePerCluster:
      return known(facts.cores_per_cluster);
    case cnrtAttrISAVersion:
      return known(facts.arch);
    case cnrtAttrNramSizePerMcore:
      return known(facts.nram);
    case cnrtAttrWramSizePerMcore:
      return known(facts.wram);
    case cnrtAttrSramSizePerMcore:
      return known(facts.sram);
    case cnrtAttrIpuClockRate:
      return known(facts.clock_khz);
    case cnrtAttrMemClockRate:
      return known(facts.memory_khz);
    case cnrtAttrGmemBusWidth:
      return known(facts.bus_bits);
    case cnrtAttrMaxL2CacheSize:
    case cnrtAttrMaxPersistingL2CacheSize:
      return value = (int)facts.l2, true;  // 0: the simulated device has none
    case cnrtAttrTotalMemSize:
      return value = (int)(device.capacity >> 20), true;
    case cnrtAttrIPCNotifierSupported:
    case cnrtAttrGlobalMemoryNodeCount:
      return value = 1, true;
    case cnrtAttrEccEnable:
    case cnrtAttrPciBusID:
    case cnrtAttrPciDomainID:
    case CN_DEVICE_ATTRIBUTE_LINEAR_MAPPING_SUPPORTED:
      return value = 0, true;
    case cnrtAttrPciDeviceID:
      return value = device.ordinal, true;
    default:
      return false;
  }
}

}  // namespace mlusim

using namespace mlusim;

MLUSIM_API const Device* mlusim_device(int ordinal) { return device(ordinal); }

static cnrtRet_t set_device(int ordinal) {
  if (!connected()) return no_device();
  if (ordinal < 0 || ordinal >= device_count()) {
    std::string many = device_count() == 1 ? "there is one" : "there are " + std::to_string(device_count());
    return failed(cnrtErrorDeviceInvalid, "there is no device " + std::to_string(ordinal) + "; " + many);
  }
  set_current_device(ordinal);
  return cnrtSuccess;
}

static cnrtRet_t with_device(int ordinal, const void* result, Device*& found) {
  if (!result) return failed(cnrtErrorArgsInvalid, "the pointer to the result is null");
  if (!connected()) return no_device();
  found = device(ordinal);
  return found ? cnrtSuccess : failed(cnrtErrorDeviceInvalid, "there is no device " + std::to_string(ordinal));
}

MLUSIM_API cnrtRet_t cnrtInit(unsigned int) { return connected() ? cnrtSuccess : no_device(); }

MLUSIM_API void cnrtDestroy(void) {
  Place where = MLUSIM_HERE;
  for (int ordinal = 0; connected() && ordinal < device_count(); ordinal++) reset_memory(ordinal, where);
}

MLUSIM_API cnrtRet_t cnrtGetDeviceCount(unsigned int* count) {
  if (!count) return failed(cnrtErrorArgsInvalid, "the pointer to the count is null");
  *count = 0;
  if (!connected()) return no_device();
  *count = (unsigned)device_count();
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtGetDevice(int* ordinal) {
  if (!ordinal) return failed(cnrtErrorArgsInvalid, "the pointer to the device is null");
  if (!connected()) return no_device();
  *ordinal = current_device();
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtSetDevice(int ordinal) { return set_device(ordinal); }
MLUSIM_API cnrtRet_t cnrtSetCurrentDevice(cnrtDev_t device) { return set_device(device); }
MLUSIM_API cnrtRet_t cnrtGetCurrentDevice(cnrtDev_t* device) { return cnrtGetDevice(device); }

MLUSIM_API cnrtRet_t cnrtGetDeviceHandle(cnrtDev_t* handle, int ordinal) {
  Device* found;
  cnrtRet_t status = with_device(ordinal, handle, found);
  if (status == cnrtSuccess) *handle = ordinal;
  return status;
}

MLUSIM_API cnrtRet_t cnrtDeviceGetAttribute(int* value, cnrtDeviceAttr_t number, int ordinal) {
  Device* found;
  cnrtRet_t status = with_device(ordinal, value, found);
  if (status != cnrtSuccess) return status;
  return attribute(*found, number, *value) ? cnrtSuccess
                                           : failed(cnrtErrorNoAttribute, "attribute " + std::to_string(number) +
                                                                              " of " + found->name + " is not known");
}

MLUSIM_API cnrtRet_t cnrtGetDeviceProperties(cnrtDeviceProp_t* properties, int ordinal) {
  Device* found;
  cnrtRet_t status = with_device(ordinal, properties, found);
  if (status != cnrtSuccess) return status;
  memset(properties, 0, sizeof *properties);  // what the device file does not say
  snprintf(properties->name, sizeof properties->name, "%s", found->name.c_str());
  const struct {
    int attribute;
    int* value;
  } members[] = {{cnrtAttrTotalMemSize, &properties->totalMem},
                 {cnrtAttrTotalMemSize, &properties->availableGlobalMemorySize},
                 {cnrtAttrMaxDimX, &properties->maxDim[0]},
                 {cnrtAttrMaxDimY, &properties->maxDim[1]},
                 {cnrtAttrMaxDimZ, &properties->maxDim[2]},
                 {cnrtAttrIpuClockRate, &properties->ipuClockRate},
                 {cnrtAttrMemClockRate, &properties->memClockRate},
                 {cnrtAttrComputeCapabilityMajor, &properties->major},
                 {cnrtAttrComputeCapabilityMinor, &properties->minor},
                 {cnrtAttrPciBusID, &properties->pciBusID},
                 {cnrtAttrPciDeviceID, &properties->pciDeviceID},
                 {cnrtAttrMaxL2CacheSize, &properties->maxL2CacheSize},
                 {cnrtAttrMaxClusterCountPerUnionTask, &properties->maxClusterCountPerUnionTask},
                 {cnrtAttrClusterCount, &properties->clusterCount},
                 {cnrtAttrMcorePerCluster, &properties->McorePerCluster},
                 {cnrtAttrMaxClusterPerUnionLimitTask, &properties->maxClusterPerUnionLimitTask},
                 {cnrtAttrISAVersion, &properties->ISAVersion},
                 {cnrtAttrNramSizePerMcore, &properties->NramSizePerMcore},
                 {cnrtAttrWramSizePerMcore, &properties->WramSizePerMcore},
                 {cnrtAttrSramSizePerMcore, &properties->SramSizePerMcore},
                 {cnrtAttrGlobalMemoryNodeCount, &properties->globalMemoryNodeCount},
                 {cnrtAttrGmemBusWidth, &properties->GmemBusWidth}};
  for (auto& each : members) attribute(*found, each.attribute, *each.value);
  properties->isMultipleTensorProcessor = found->facts.clusters > 0;
  properties->totalGlobalMemSize = found->capacity;
  snprintf(properties->uuid.uuid, sizeof properties->uuid.uuid, "MLU-sim-%d", ordinal);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtGetDeviceInfo(cnrtDeviceInfo_t* info, int ordinal) {
  Device* found;
  cnrtRet_t status = with_device(ordinal, info, found);
  if (status != cnrtSuccess) return status;
  snprintf(info->device_name, sizeof info->device_name, "%s", found->name.c_str());
  uint64_t arch = found->facts.arch;
  info->core_version = arch >= 500   ? CNRT_MLU590
                       : arch >= 300 ? CNRT_MLU370
                       : arch == 290 ? CNRT_MLU290
                       : arch == 270 ? CNRT_MLU270
                                     : CNRT_MLU220;
  info->core_num = (int)(found->facts.clusters * found->facts.cores_per_cluster);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtDeviceGetPCIBusId(char* id, int length, int ordinal) {
  Device* found;
  cnrtRet_t status = with_device(ordinal, id, found);
  if (status != cnrtSuccess) return status;
  return length > 0 && snprintf(id, (size_t)length, "0000:00:%02x.0", ordinal) < length
             ? cnrtSuccess
             : failed(cnrtErrorArgsInvalid, "the room for the PCI bus id is too small");
}

MLUSIM_API cnrtRet_t cnrtDeviceGetByPCIBusId(int* ordinal, const char* id) {
  unsigned number;
  if (!ordinal || !id || sscanf(id, "0000:00:%x.0", &number) != 1 || !device((int)number))
    return failed(cnrtErrorArgsInvalid, "no device has this PCI bus id");
  *ordinal = (int)number;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtDeviceReset(void) {
  Place where = MLUSIM_HERE;
  if (!device(current_device())) return no_device();
  sync_device(where);
  reset_memory(current_device(), where);
  forget_variables(current_device());
  reset_queues(current_device());
  return cnrtSuccess;
}

// Settings that are kept and have no effect.
static int64_t settings[2][cnrtDeviceConfigMaxNum] = {};
template <class Value>
static cnrtRet_t setting(int table, int number, int end, Value* out, const Value* in) {
  if (!connected()) return no_device();
  if (number < 0 || number >= end || (!out && !in)) return failed(cnrtErrorArgsInvalid, "there is no such setting");
  if (in) settings[table][number] = (int64_t)*in;
  if (out) *out = (Value)settings[table][number];
  return cnrtSuccess;
}
MLUSIM_API cnrtRet_t cnrtDeviceGetConfig(int64_t* value, cnrtDeviceConfig_t number) {
  return setting<int64_t>(0, number, cnrtDeviceConfigMaxNum, value, nullptr);
}
MLUSIM_API cnrtRet_t cnrtDeviceSetConfig(cnrtDeviceConfig_t number, int64_t value) {
  return setting<int64_t>(0, number, cnrtDeviceConfigMaxNum, nullptr, &value);
}
MLUSIM_API cnrtRet_t cnrtDeviceGetLimit(size_t* value, cnrtDeviceLimit_t number) {
  return setting<size_t>(1, number, cnrtDevLimitMaxNum, value, nullptr);
}
MLUSIM_API cnrtRet_t cnrtDeviceSetLimit(cnrtDeviceLimit_t number, size_t value) {
  return setting<size_t>(1, number, cnrtDevLimitMaxNum, nullptr, &value);
}
MLUSIM_API cnrtRet_t cnrtDeviceResetPersistingL2Cache(void) { return connected() ? cnrtSuccess : no_device(); }
MLUSIM_API cnrtRet_t cnrtProfilerStart(void) { return connected() ? cnrtSuccess : no_device(); }
MLUSIM_API cnrtRet_t cnrtProfilerStop(void) { return connected() ? cnrtSuccess : no_device(); }

// Local memory of a core, in MB: one of the settings that have no effect.
MLUSIM_API cnrtRet_t cnrtSetLocalMem(unsigned int megabytes) {
  return cnrtDeviceSetLimit(cnrtDevLimitStackSize, (size_t)megabytes << 20);
}
MLUSIM_API cnrtRet_t cnrtGetLocalMem(unsigned int* megabytes) {
  size_t bytes = 0;
  cnrtRet_t status = cnrtDeviceGetLimit(megabytes ? &bytes : nullptr, cnrtDevLimitStackSize);
  if (status == cnrtSuccess) *megabytes = (unsigned int)(bytes >> 20);
  return status;
}
MLUSIM_API cnrtRet_t cnrtSetStackMem(unsigned int megabytes) { return cnrtSetLocalMem(megabytes); }
MLUSIM_API cnrtRet_t cnrtGetStackMem(unsigned int* megabytes) { return cnrtGetLocalMem(megabytes); }

// The channel of the memory is kept for each thread: where arrays lie is not simulated.
static thread_local cnrtChannelType_t channel = CNRT_CHANNEL_TYPE_NONE;
MLUSIM_API cnrtRet_t cnrtSetCurrentChannel(cnrtChannelType_t number) {
  if (!connected()) return no_device();
  if (number < CNRT_CHANNEL_TYPE_DUPLICATE || number > CNRT_CHANNEL_TYPE_3)
    return failed(cnrtErrorArgsInvalid, "there is no channel " + std::to_string(number));
  channel = number;
  return cnrtSuccess;
}
MLUSIM_API cnrtRet_t cnrtGetCurrentChannel(cnrtChannelType_t* number) {
  if (!number) return failed(cnrtErrorArgsInvalid, "the pointer to the channel is null");
  *number = channel;
  return cnrtSuccess;
}

static thread_local unsigned int schedule = 0;
MLUSIM_API cnrtRet_t cnrtSetDeviceFlag(unsigned int flags) {
  schedule = flags;  // how the host waits, which is not simulated
  return connected() ? cnrtSuccess : no_device();
}
MLUSIM_API cnrtRet_t cnrtGetDeviceFlag(unsigned int* flags) {
  if (!flags) return failed(cnrtErrorArgsInvalid, "the pointer to the flags is null");
  *flags = schedule;
  return cnrtSuccess;
}

// Queues share the device by their order alone: there is one priority.
MLUSIM_API cnrtRet_t cnrtDeviceGetQueuePriorityRange(int* least, int* greatest) {
  if (!connected()) return no_device();
  if (least) *least = 0;
  if (greatest) *greatest = 0;
  return cnrtSuccess;
}

static cnrtRet_t peer(unsigned int* can, int one, int other) {
  Device* found;
  cnrtRet_t status = with_device(one, can, found);
  if (status == cnrtSuccess) status = with_device(other, can, found);
  if (status == cnrtSuccess) *can = one != other;
  return status;
}
MLUSIM_API cnrtRet_t cnrtDeviceCanAccessPeer(int* can, int device, int other) {
  return peer((unsigned*)can, device, other);
}
MLUSIM_API cnrtRet_t cnrtGetPeerAccessibility(unsigned int* can, int device, int other) {
  return peer(can, device, other);
}

static cnrtRet_t version(int* major, int* minor, int* patch) {
  if (!major || !minor || !patch) return failed(cnrtErrorArgsInvalid, "a pointer to a number of the version is null");
  *major = CNRT_MAJOR_VERSION, *minor = CNRT_MINOR_VERSION, *patch = CNRT_PATCH_VERSION;
  return cnrtSuccess;
}
MLUSIM_API cnrtRet_t cnrtGetLibVersion(int* major, int* minor, int* patch) { return version(major, minor, patch); }
MLUSIM_API cnrtRet_t cnrtDriverGetVersion(int* major, int* minor, int* patch) { return version(major, minor, patch); }
MLUSIM_API cnrtRet_t cnrtGetVersion(unsigned int* number) {
  if (!number) return failed(cnrtErrorArgsInvalid, "the pointer to the version is null");
  *number = CNRT_VERSION;
  return cnrtSuccess;
}
