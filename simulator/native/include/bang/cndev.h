// The library that asks for the state of cards: what of it a simulated device has an answer to. libcndev.so has the functions.
#ifndef MLUSIM_CNDEV_H
#define MLUSIM_CNDEV_H
#include <stdint.h>
#include <stdio.h>

typedef enum {
  CNDEV_SUCCESS = 0,
  CNDEV_ERROR_NO_DRIVER = 1,
  CNDEV_ERROR_INVALID_ARGUMENT = 5,
  CNDEV_ERROR_INVALID_DEVICE_ID = 6,
  CNDEV_ERROR_UNKNOWN = 7,
  CNDEV_ERROR_NOT_SUPPORTED = 10,
} cndevRet_t;
#define CNDEV_VERSION_5 5
#define CNDEV_VERSION_6 6
typedef int cndevDevice_t;

typedef struct {
  int version;
  int boardFreq;  // MHz
  int ddrFreq;
  uint8_t overtempDfsFlag, fastDfsFlag;
} cndevFrequencyInfo_t;

typedef struct {
  int version;
  int dataWidth;
  double bandWidth;  // GB/s
  double bandWidthDecimal;
} cndevDDRInfo_t;

typedef struct {
  int version;
  unsigned int pid;
  uint64_t physicalMemoryUsed;  // KB
  uint64_t virtualMemoryUsed;
} cndevProcessInfo_t;

typedef struct {
  int version;
  int64_t physicalMemoryTotal, physicalMemoryUsed;  // MB
  int64_t virtualMemoryTotal, virtualMemoryUsed;
  int64_t channelNumber;  // 0: not told here
  int64_t channelMemoryUsed[20];
  uint64_t globalMemory;
} cndevMemoryInfo_t;

typedef struct {
  int version;
  unsigned int number;
} cndevCardInfo_t;

typedef enum {
  MLU100 = 0,
  MLU270 = 1,
  MLU220_M2 = 16,
  MLU220_EDGE = 17,
  MLU220_EVB = 18,
  MLU220_M2i = 19,
  MLU290 = 20,
  MLU370 = 23,
  MLU590 = 26,
} cndevNameEnum_t;
typedef struct {
  int version;
  cndevNameEnum_t id;
} cndevCardName_t;
typedef struct {
  int version;
  int count;
} cndevCardClusterCount_t, cndevCardCoreCount_t;

// Of what is not simulated.
typedef struct {
  int version;
  int board;
  int cluster[20];
} cndevTemperatureInfo_t;
typedef struct {
  int version;
  int usage, cap;
} cndevPowerInfo_t;
typedef struct {
  int version;
  int averageCoreUtilization;
  int coreUtilization[80];
} cndevUtilizationInfo_t;

// At most in a cycle of a core: multiply-adds of tensors (0: not told here), and operations of vectors, of which a
// multiply-add is two.
typedef struct {
  uint32_t version;
  uint64_t int4Tensor, int8Tensor, int16Tensor, fp16Tensor, bf16Tensor, fp32Tensor;
  uint64_t fp16Vector, bf16Vector, fp32Vector, int8Vector, int16Vector;
} cndevDeviceMaxPerformance_t;

#ifdef __cplusplus
extern "C" {
#endif
cndevRet_t cndevInit(int reserved);
cndevRet_t cndevRelease(void);
const char* cndevGetErrorString(cndevRet_t error);
cndevRet_t cndevGetDeviceCount(cndevCardInfo_t* info);
cndevRet_t cndevGetDeviceHandleByIndex(int index, cndevDevice_t* device);
cndevRet_t cndevGetFrequencyInfo(cndevFrequencyInfo_t* info, cndevDevice_t device);
cndevRet_t cndevGetDDRInfo(cndevDDRInfo_t* info, cndevDevice_t device);
cndevRet_t cndevGetDeviceMaxPerformance(cndevDeviceMaxPerformance_t* info, cndevDevice_t device);
cndevRet_t cndevGetMemoryUsage(cndevMemoryInfo_t* info, cndevDevice_t device);
cndevRet_t cndevGetCardName(cndevCardName_t* info, cndevDevice_t device);
cndevRet_t cndevGetClusterCount(cndevCardClusterCount_t* info, cndevDevice_t device);
cndevRet_t cndevGetCoreCount(cndevCardCoreCount_t* info, cndevDevice_t device);
cndevRet_t cndevGetTemperatureInfo(cndevTemperatureInfo_t* info, cndevDevice_t device);
cndevRet_t cndevGetPowerInfo(cndevPowerInfo_t* info, cndevDevice_t device);
cndevRet_t cndevGetDeviceUtilizationInfo(cndevUtilizationInfo_t* info, cndevDevice_t device);
cndevRet_t cndevGetProcessInfo(unsigned int* count, cndevProcessInfo_t* info, cndevDevice_t device);
#ifdef __cplusplus
}
#endif

// Says so where a call fails.
#define cndevCheckErrors(call)                                                                     \
  do {                                                                                             \
    cndevRet_t mlusim_status_ = (call);                                                            \
    if (mlusim_status_ != CNDEV_SUCCESS)                                                           \
      fprintf(stderr, "%s:%d: %s from %s\n", __FILE__, __LINE__, cndevGetErrorString(mlusim_status_), #call); \
  } while (0)
#endif
