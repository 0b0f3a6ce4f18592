// What the library of cards says of simulated devices; all of it is asked of the runtime.
#include "cndev.h"

#include <unistd.h>

#include "cnrt.h"

#define CNDEV_API extern "C" __attribute__((visibility("default")))

static cndevRet_t value(int* to, cnrtDeviceAttr_t attribute, cndevDevice_t device) {
  return cnrtDeviceGetAttribute(to, attribute, device) == cnrtSuccess ? CNDEV_SUCCESS : CNDEV_ERROR_NOT_SUPPORTED;
}

static unsigned int devices() {
  unsigned int count = 0;
  return cnrtGetDeviceCount(&count) == cnrtSuccess ? count : 0;
}

static bool known(cndevDevice_t device) { return device >= 0 && (unsigned int)device < devices(); }

CNDEV_API cndevRet_t cndevInit(int) { return devices() ? CNDEV_SUCCESS : CNDEV_ERROR_NO_DRIVER; }
CNDEV_API cndevRet_t cndevRelease(void) { return CNDEV_SUCCESS; }

CNDEV_API const char* cndevGetErrorString(cndevRet_t error) {
  switch (error) {
    case CNDEV_SUCCESS:
      return "success";
    case CNDEV_ERROR_NO_DRIVER:
      return "there is no device";
    case CNDEV_ERROR_NOT_SUPPORTED:
      return "this is not simulated, or the device file does not say it";
    case CNDEV_ERROR_INVALID_ARGUMENT:
      return "an argument is invalid";
    case CNDEV_ERROR_INVALID_DEVICE_ID:
      return "there is no device of this number";
    default:
      return "unknown error";
  }
}

CNDEV_API cndevRet_t cndevGetDeviceCount(cndevCardInfo_t* info) {
  if (!info) return CNDEV_ERROR_INVALID_ARGUMENT;
  info->number = devices();
  return CNDEV_SUCCESS;
}

CNDEV_API cndevRet_t cndevGetDeviceHandleByIndex(int index, cndevDevice_t* device) {
  if (!device) return CNDEV_ERROR_INVALID_ARGUMENT;
  if (!known(index)) return CNDEV_ERROR_INVALID_DEVICE_ID;
  *device = index;
  return CNDEV_SUCCESS;
}

CNDEV_API cndevRet_t cndevGetFrequencyInfo(cndevFrequencyInfo_t* info, cndevDevice_t device) {
  if (!info) return CNDEV_ERROR_INVALID_ARGUMENT;
  if (!known(device)) return CNDEV_ERROR_INVALID_DEVICE_ID;
  int kilohertz = 0;
  cndevRet_t status = value(&kilohertz, cnrtAttrIpuClockRate, device);
  if (status != CNDEV_SUCCESS) return status;
  info->boardFreq = kilohertz / 1000;
  info->ddrFreq = value(&kilohertz, cnrtAttrMemClockRate, device) == CNDEV_SUCCESS ? kilohertz / 1000 : 0;
  info->overtempDfsFlag = info->fastDfsFlag = 0;
  return CNDEV_SUCCESS;
}

CNDEV_API cndevRet_t cndevGetDDRInfo(cndevDDRInfo_t* info, cndevDevice_t device) {
  if (!info) return CNDEV_ERROR_INVALID_ARGUMENT;
  if (!known(device)) return CNDEV_ERROR_INVALID_DEVICE_ID;
  int kilohertz = 0, bits = 0;
  cndevRet_t status = value(&kilohertz, cnrtAttrMemClockRate, device);
  if (status == CNDEV_SUCCESS) status = value(&bits, cnrtAttrGmemBusWidth, device);
  if (status != CNDEV_SUCCESS) return status;
  double rate = 2.0 * kilohertz * 1e3 * bits / 8 / 1e9;
  info->dataWidth = bits;
  info->bandWidth = (double)(int64_t)rate;
  info->bandWidthDecimal = (double)(int64_t)((rate - info->bandWidth) * 100);
  return CNDEV_SUCCESS;
}

CNDEV_API cndevRet_t cndevGetDeviceMaxPerformance(cndevDeviceMaxPerformance_t* info, cndevDevice_t device) {
  if (!info) return CNDEV_ERROR_INVALID_ARGUMENT;
  if (!known(device)) return CNDEV_ERROR_INVALID_DEVICE_ID;
  constexpr uint64_t beat = 128;  // bytes of a vector that a core works on in a cycle, see engines.compute of devices
  *info = {info->version};
  info->fp32Vector = 2 * beat / 4;
  info->fp16Vector = info->bf16Vector = info->int16Vector = 2 * beat / 2;
  info->int8Vector = 2 * beat;
  return CNDEV_SUCCESS;
}

CNDEV_API cndevRet_t cndevGetCardName(cndevCardName_t* info, cndevDevice_t device) {
  if (!info) return CNDEV_ERROR_INVALID_ARGUMENT;
  if (!known(device)) return CNDEV_ERROR_INVALID_DEVICE_ID;
  const struct {
    cnrtCoreVersion_t core;
    cndevNameEnum_t card;
  } names[] = {{CNRT_MLU220, MLU220_EVB},
               {CNRT_MLU270, MLU270},
               {CNRT_MLU290, MLU290},
               {CNRT_MLU370, MLU370},
               {CNRT_MLU590, MLU590}};
  cnrtDeviceInfo_t found;
  if (cnrtGetDeviceInfo(&found, device) != cnrtSuccess) return CNDEV_ERROR_UNKNOWN;
  for (auto& each : names)
    if (each.core == found.core_version) return info->id = each.card, CNDEV_SUCCESS;
  return CNDEV_ERROR_NOT_SUPPORTED;
}

CNDEV_API cndevRet_t cndevGetClusterCount(cndevCardClusterCount_t* info, cndevDevice_t device) {
  if (!info) return CNDEV_ERROR_INVALID_ARGUMENT;
  return known(device) ? value(&info->count, cnrtAttrClusterCount, device) : CNDEV_ERROR_INVALID_DEVICE_ID;
}

CNDEV_API cndevRet_t cndevGetCoreCount(cndevCardCoreCount_t* info, cndevDevice_t device) {
  cndevCardClusterCount_t clusters = {};
  cndevRet_t status = cndevGetClusterCount(info ? &clusters : nullptr, device);
  if (status == CNDEV_SUCCESS) status = value(&info->count, cnrtAttrMcorePerCluster, device);
  if (status == CNDEV_SUCCESS) info->count *= clusters.count;
  return status;
}

// What a simulated device has no value of.
template <class T>
static cndevRet_t nothing(const T* info, cndevDevice_t device) {
  if (!info) return CNDEV_ERROR_INVALID_ARGUMENT;
  return known(device) ? CNDEV_ERROR_NOT_SUPPORTED : CNDEV_ERROR_INVALID_DEVICE_ID;
}
CNDEV_API cndevRet_t cndevGetTemperatureInfo(cndevTemperatureInfo_t* info, cndevDevice_t device) {
  return nothing(info, device);
}
CNDEV_API cndevRet_t cndevGetPowerInfo(cndevPowerInfo_t* info, cndevDevice_t device) { return nothing(info, device); }
CNDEV_API cndevRet_t cndevGetDeviceUtilizationInfo(cndevUtilizationInfo_t* info, cndevDevice_t device) {
  return nothing(info, device);
}

CNDEV_API cndevRet_t cndevGetMemoryUsage(cndevMemoryInfo_t* info, cndevDevice_t device) {
  if (!info) return CNDEV_ERROR_INVALID_ARGUMENT;
  if (!known(device)) return CNDEV_ERROR_INVALID_DEVICE_ID;
  int before = 0;
  size_t free = 0, total = 0;
  bool asked = cnrtGetDevice(&before) == cnrtSuccess && cnrtSetDevice(device) == cnrtSuccess &&
               cnrtMemGetInfo(&free, &total) == cnrtSuccess;
  cnrtSetDevice(before);
  if (!asked) return CNDEV_ERROR_UNKNOWN;
  *info = {info->version};
  info->physicalMemoryTotal = info->virtualMemoryTotal = (int64_t)(total >> 20);
  info->physicalMemoryUsed = info->virtualMemoryUsed = (int64_t)((total - free + (1 << 20) - 1) >> 20);
  return CNDEV_SUCCESS;
}

CNDEV_API cndevRet_t cndevGetProcessInfo(unsigned int* count, cndevProcessInfo_t* info, cndevDevice_t device) {
  if (!count || !info) return CNDEV_ERROR_INVALID_ARGUMENT;
  if (!known(device)) return CNDEV_ERROR_INVALID_DEVICE_ID;
  size_t free = 0, total = 0;
  if (cnrtMemGetInfo(&free, &total) != cnrtSuccess) return CNDEV_ERROR_UNKNOWN;
  *count = 1;  // no other process has it
  info->pid = (unsigned int)getpid();
  info->physicalMemoryUsed = info->virtualMemoryUsed = (total - free) >> 10;
  return CNDEV_SUCCESS;
}
