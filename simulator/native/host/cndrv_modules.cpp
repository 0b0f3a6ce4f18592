// Modules of the driver: shared libraries that hold images of kernels, as cncc writes them.
#include <dlfcn.h>
#include <stdint.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cndrv_status.h"
#include "host_modules.h"
#include "host_operation.h"

struct CNkernel_st {
  const void* address;  // of the host's function
};
struct CNmodule_st {
  void* library;
  std::map<std::string, CNkernel_st> kernels;
};

namespace {

struct Modules {
  std::mutex mutex;
  std::map<CNmodule, std::unique_ptr<CNmodule_st>> loaded;
};

// Never destroyed: threads may call while the process ends.
Modules& modules() {
  static Modules& made = *new Modules;
  return made;
}

CNresult keep(mlusim_module_problem problem, void* library, CNmodule* module) {
  if (problem == MLUSIM_NO_FILE) return CN_ERROR_FILE_NOT_FOUND;
  if (problem != MLUSIM_LOADED)
    return problem == MLUSIM_NO_MODULE ? CN_FATBIN_INVALID_IMAGE : CN_ERROR_OPERATING_SYSTEM;
  auto made = std::make_unique<CNmodule_st>(CNmodule_st{library, {}});
  *module = made.get();
  std::lock_guard<std::mutex> lock(modules().mutex);
  modules().loaded[*module] = std::move(made);
  return CN_SUCCESS;
}

bool known(CNkernel kernel) {
  std::lock_guard<std::mutex> lock(modules().mutex);
  for (auto& module : modules().loaded)
    for (auto& entry : module.second->kernels)
      if (&entry.second == kernel) return true;
  return false;
}

CNresult invoke(CNkernel kernel, cnrtDim3_t dim, KernelClass type, CNqueue queue, void** arguments, void** extra) {
  if (extra) {
    mlusim_not_modelled("the parameter extra of cnInvokeKernel");
    return CN_OPS_ERROR_NOT_SUPPORTED;
  }
  return status(cnrtInvokeKernel(kernel->address, dim, (cnrtFunctionType_t)type, arguments, 0, queue));
}

}  // namespace

CNDRV_API CNresult cnModuleLoadFatBinary(const void* binary, CNmodule* module) {
  if (!binary || !module) return CN_ERROR_INVALID_VALUE;
  void* library = nullptr;
  mlusim_module_problem problem = mlusim_load_bytes(binary, SIZE_MAX, &library);
  return keep(problem, library, module);
}

CNDRV_API CNresult cnModuleLoad(const char* path, CNmodule* module) {
  if (!path || !module) return CN_ERROR_INVALID_VALUE;
  void* library = nullptr;
  mlusim_module_problem problem = mlusim_load_file(path, &library);
  return keep(problem, library, module);
}

CNDRV_API CNresult cnModuleUnload(CNmodule module) {
  std::unique_ptr<CNmodule_st> gone;
  {
    std::lock_guard<std::mutex> lock(modules().mutex);
    auto entry = modules().loaded.find(module);
    if (entry == modules().loaded.end()) return CN_ERROR_INVALID_VALUE;
    gone = std::move(entry->second);
    modules().loaded.erase(entry);
  }
  dlclose(gone->library);
  return CN_SUCCESS;
}

CNDRV_API CNresult cnModuleGetKernel(CNmodule module, const char* name, CNkernel* kernel) {
  if (!name || !kernel) return CN_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(modules().mutex);
  auto entry = modules().loaded.find(module);
  if (entry == modules().loaded.end()) return CN_ERROR_INVALID_VALUE;
  const void* address = dlsym(entry->first->library, name);
  if (!address || cnrtInitKernelMemory(address, nullptr) != cnrtSuccess) return CN_ERROR_NOT_FOUND;
  *kernel = &(entry->second->kernels[name] = {address});
  return CN_SUCCESS;
}

CNDRV_API CNresult cnInvokeKernel(CNkernel kernel, unsigned int x, unsigned int y, unsigned int z, KernelClass type,
                                  unsigned int, CNqueue queue, void** arguments, void** extra) {
  if (!known(kernel)) return CN_ERROR_INVALID_HANDLE;
  FROM_CALLER;
  return invoke(kernel, {x, y, z}, type, queue, arguments, extra);
}

CNDRV_API CNresult cnInvokeKernelEx(const CNinvokeConfig* given, CNkernel kernel, void** arguments, void** extra) {
  if (!given) return CN_ERROR_INVALID_VALUE;
  if (!known(kernel)) return CN_ERROR_INVALID_HANDLE;
  FROM_CALLER;
  return invoke(kernel, {given->dimx, given->dimy, given->dimz}, given->c, given->hqueue, arguments, extra);
}

static cnrtKernelNodeParams_t of_runtime(const CN_KERNEL_NODE_PARAMS& given) {
  void* function = const_cast<void*>(given.hkernel->address);
  return {function, {given.dimx, given.dimy, given.dimz}, (cnrtFunctionType_t)given.c, 0, given.kernelParams, nullptr};
}

CNDRV_API CNresult cnTaskTopoAddKernelNode(CNtaskTopoNode* node, CNtaskTopo topology, const CNtaskTopoNode* before,
                                           size_t count, const CN_KERNEL_NODE_PARAMS* params) {
  if (!params || !known(params->hkernel)) return CN_ERROR_INVALID_HANDLE;
  FROM_CALLER;
  cnrtKernelNodeParams_t given = of_runtime(*params);
  return status(cnrtTaskTopoAddKernelNode(node, topology, before, count, &given));
}

CNDRV_API CNresult cnTaskTopoKernelNodeSetParams(CNtaskTopoNode node, const CN_KERNEL_NODE_PARAMS* params) {
  if (!params || !known(params->hkernel)) return CN_ERROR_INVALID_HANDLE;
  FROM_CALLER;
  cnrtKernelNodeParams_t given = of_runtime(*params);
  return status(cnrtTaskTopoKernelNodeSetParams(node, &given));
}

CNDRV_API CNresult cnTaskTopoEntityKernelNodeSetParams(CNtaskTopoEntity entity, CNtaskTopoNode node,
                                                       const CN_KERNEL_NODE_PARAMS* params) {
  if (!params || !known(params->hkernel)) return CN_ERROR_INVALID_HANDLE;
  FROM_CALLER;
  cnrtKernelNodeParams_t given = of_runtime(*params);
  return status(cnrtTaskTopoEntityKernelNodeSetParams(entity, node, &given));
}

CNDRV_API CNresult cnTaskTopoKernelNodeGetParams(CNtaskTopoNode node, CN_KERNEL_NODE_PARAMS* params) {
  cnrtKernelNodeParams_t found;
  if (!params) return CN_ERROR_INVALID_VALUE;
  FROM_CALLER;
  cnrtRet_t asked = cnrtTaskTopoKernelNodeGetParams(node, &found);
  if (asked != cnrtSuccess) return status(asked);
  std::lock_guard<std::mutex> lock(modules().mutex);
  for (auto& module : modules().loaded)
    for (auto& entry : module.second->kernels)
      if (entry.second.address == found.func) {
        *params = {&entry.second,           found.dim.x, found.dim.y,        found.dim.z,
                   (KernelClass)found.type, 0,           found.kernelParams, nullptr};
        return CN_SUCCESS;
      }
  return CN_ERROR_NOT_FOUND;  // a kernel of the program itself, which has no handle
}
