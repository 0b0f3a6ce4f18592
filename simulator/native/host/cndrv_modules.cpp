// Modules of the driver: shared libraries that hold images of kernels, as cncc writes them.
#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cndrv_status.h"
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

// How many bytes a library in memory has; 0 for what is none.
size_t size_of(const void* binary) {
  Elf64_Ehdr header;
  memcpy(&header, binary, SELFMAG);
  if (memcmp(&header, ELFMAG, SELFMAG) != 0) return 0;
  memcpy(&header, binary, sizeof header);
  if (header.e_type != ET_DYN) return 0;
  size_t end = header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
  for (size_t i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr part;
    memcpy(&part, (const char*)binary + header.e_phoff + i * header.e_phentsize, sizeof part);
    end = std::max<size_t>(end, part.p_offset + part.p_filesz);
  }
  return end;
}

// Each load has a file of its own: the loader would give the same library for the same one.
CNresult load(const std::string& bytes, CNmodule* module) {
  char path[] = "/tmp/mlusim-module-XXXXXX";
  int file = mkstemp(path);
  if (file < 0) return CN_ERROR_OPERATING_SYSTEM;
  bool written = write(file, bytes.data(), bytes.size()) == (ssize_t)bytes.size();
  close(file);
  void* library = written ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : nullptr;
  unlink(path);
  if (!library) return written ? CN_FATBIN_INVALID_IMAGE : CN_ERROR_OPERATING_SYSTEM;
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
  size_t bytes = size_of(binary);
  return bytes ? load({(const char*)binary, bytes}, module) : CN_FATBIN_INVALID_IMAGE;
}

CNDRV_API CNresult cnModuleLoad(const char* path, CNmodule* module) {
  if (!path || !module) return CN_ERROR_INVALID_VALUE;
  std::ifstream file(path, std::ios::binary);
  if (!file) return CN_ERROR_FILE_NOT_FOUND;
  return load({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}, module);
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
