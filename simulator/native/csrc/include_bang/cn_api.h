// Driver names that kernel files mention; see cnrt.h.
#pragma once
#include <stdint.h>

typedef int CNresult;
typedef int CNdev;
typedef void* CNcontext;
typedef void* CNmodule;
typedef void* CNkernel;
typedef void* CNqueue;
typedef uint64_t CNaddr;
#define CN_SUCCESS 0
typedef enum {
  CN_KERNEL_CLASS_BLOCK = 1,
  CN_KERNEL_CLASS_UNION = 4,
  CN_KERNEL_CLASS_UNION2 = 8,
  CN_KERNEL_CLASS_UNION4 = 16,
  CN_KERNEL_CLASS_UNION8 = 32,
  CN_KERNEL_CLASS_UNION16 = 64,
} KernelClass;
#define CN_KERNEL_CLASS_UNION1 CN_KERNEL_CLASS_UNION
typedef enum { CN_CTX_CONFIG_UNION_LIMIT = 1, CN_CTX_CONFIG_VISIBLE_CLUSTER, CN_CTX_CONFIG_VISIBLE_CLUSTER_NUM } CNctxConfigParamType;
typedef struct {
  KernelClass unionLimit;
  uint64_t visibleCluster;
  int visibleClusterNumber;
} CNctxConfigParam;

#ifdef __cplusplus
extern "C" {
#endif
CNresult cnCtxGetCurrent(CNcontext*);
CNresult cnGetCtxConfigParam(CNcontext, CNctxConfigParamType, CNctxConfigParam*);
CNresult cnSetCtxConfigParam(CNcontext, CNctxConfigParamType, CNctxConfigParam*);
CNresult cnGetCtxMaxParallelUnionTasks(CNcontext, KernelClass, int*);
#ifdef __cplusplus
}
#endif
