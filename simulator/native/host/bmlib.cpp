// bmlib, by which host programs use Sophgo's chips: the runtime by other names.
#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "bmlib_runtime.h"
#include "cnrt.h"
#include "host_kernels.h"
#include "host_modules.h"
#include "host_operation.h"

#define BM_API extern "C" __attribute__((visibility("default")))

// Launches of a handle follow each other. The host's own copies do not come after them: see bm_memcpy_d2s_normal in
// sophgo/libsophon, bmlib_memory.cpp, which asks the driver at once.
struct bm_context {
  int device;
  cnrtQueue_t queue = nullptr;  // from its first launch on
};
struct bm_module {
  void* library;
};

namespace {

struct Function {
  bm_module* module;
  std::string name;
};

struct Handles {
  std::mutex mutex;
  std::map<bm_handle_t, std::unique_ptr<bm_context>> contexts;
  std::map<tpu_kernel_module_t, std::unique_ptr<bm_module>> modules;
  std::vector<Function> functions;  // by their numbers
};

// Never destroyed: threads may call while the process ends.
Handles& handles() {
  static Handles& made = *new Handles;
  return made;
}

bm_status_t status(cnrtRet_t found) {
  switch (found) {
    case cnrtSuccess:
      return BM_SUCCESS;
    case cnrtErrorNoMem:
    case cnrtErrorSysNoMem:
      return BM_ERR_NOMEM;
    case cnrtErrorArgsInvalid:
    case cnrtErrorDeviceInvalid:
    case cnrtErrorInvalidResourceHandle:
    case cnrtErrorNoKernel:
      return BM_ERR_PARAM;
    case cnrtErrorNoDevice:
      return BM_ERR_DEVNOTREADY;
    case cnrtErrorNotSupport:
      return BM_NOT_SUPPORTED;
    default:
      return BM_ERR_FAILURE;
  }
}

bm_status_t refused(const char* why) { return status(mlusim_call_failed(cnrtErrorArgsInvalid, why)); }

// The device of a handle becomes that of this thread.
bm_status_t use(bm_handle_t handle) {
  int device;
  {
    std::lock_guard<std::mutex> lock(handles().mutex);
    if (!handles().contexts.count(handle)) handle = nullptr;
    device = handle ? handle->device : 0;
  }
  return handle ? status(cnrtSetDevice(device)) : refused("the handle is none that bm_dev_request has given");
}

bm_status_t allocate(bm_handle_t handle, bm_device_mem_t* memory, uint64_t bytes, const void* caller) {
  if (bm_status_t found = use(handle)) return found;
  if (!memory) return refused("the pointer to the memory is null");
  if (bytes > UINT32_MAX) return refused("memory of a bm_device_mem_t has less than 4 GiB");
  void* address = nullptr;
  mlusim_called_from(caller);
  if (bm_status_t found = status(cnrtMalloc(&address, bytes))) return found;
  *memory = bm_mem_from_device((unsigned long long)address, (unsigned int)bytes);
  return BM_SUCCESS;
}

bm_status_t copy(bm_handle_t handle, void* to, const void* from, size_t bytes, cnrtMemTransDir_t direction,
                 const void* caller) {
  if (bm_status_t found = use(handle)) return found;
  mlusim_called_from(caller);
  return status(cnrtMemcpy(to, const_cast<void*>(from), bytes, direction));
}

char* at(bm_device_mem_t memory, size_t offset = 0) { return (char*)memory.u.device.device_addr + offset; }

// Launch a kernel of a library, or for null of the program; on one core.
bm_status_t launch(bm_handle_t handle, void* library, const char* kernel, const void* arguments, size_t bytes,
                   const void* caller) {
  if (bm_status_t found = use(handle)) return found;
  cnrtQueue_t queue;
  {
    std::lock_guard<std::mutex> lock(handles().mutex);
    mlusim_called_from(caller);
    if (bm_status_t found = handle->queue ? BM_SUCCESS : status(cnrtQueueCreate(&handle->queue))) return found;
    queue = handle->queue;
  }
  mlusim_called_from(caller);
  return status(mlusim_launch_named(library, kernel, 1, arguments, bytes, queue));
}

bm_status_t wait(bm_handle_t handle, const void* caller) {
  if (bm_status_t found = use(handle)) return found;
  mlusim_called_from(caller);
  return status(cnrtSyncDevice());
}

tpu_kernel_module_t keep(mlusim_module_problem problem, void* library) {
  if (problem != MLUSIM_LOADED) return refused(mlusim_why_not_loaded(problem)), nullptr;
  auto made = std::make_unique<bm_module>(bm_module{library});
  bm_module* module = made.get();
  std::lock_guard<std::mutex> lock(handles().mutex);
  handles().modules[module] = std::move(made);
  return module;
}

bm_status_t unload(bm_handle_t handle, tpu_kernel_module_t module) {
  if (bm_status_t found = use(handle)) return found;
  std::unique_ptr<bm_module> gone;
  {
    std::lock_guard<std::mutex> lock(handles().mutex);
    auto entry = handles().modules.find(module);
    if (entry != handles().modules.end()) gone = std::move(entry->second), handles().modules.erase(entry);
  }
  if (!gone) return refused("the module is none that has been loaded");
  dlclose(gone->library);
  return BM_SUCCESS;
}

bm_status_t launch_function(bm_handle_t handle, tpu_kernel_function_t number, const void* arguments, size_t bytes,
                            const void* caller) {
  Function function = {};
  {
    std::lock_guard<std::mutex> lock(handles().mutex);
    if (number >= 0 && (size_t)number < handles().functions.size()) function = handles().functions[number];
    if (!handles().modules.count(function.module)) function = {};
  }
  if (!function.module) return refused("the function is none of a module that is loaded");
  return launch(handle, function.module->library, function.name.c_str(), arguments, bytes, caller);
}

}  // namespace

#define CALLER __builtin_return_address(0)

BM_API bm_status_t bm_dev_getcount(int* count) {
  if (!count) return refused("the pointer to the count is null");
  FROM_CALLER;
  return status(cnrtGetDeviceCount((unsigned int*)count));
}
BM_API bm_status_t bm_dev_query(int device) {
  FROM_CALLER;
  return status(cnrtSetDevice(device));
}
BM_API bm_status_t bm_dev_request(bm_handle_t* handle, int device) {
  if (!handle) return refused("the pointer to the handle is null");
  FROM_CALLER;
  if (bm_status_t found = status(cnrtSetDevice(device))) return found;
  auto made = std::make_unique<bm_context>(bm_context{device, nullptr});
  *handle = made.get();
  std::lock_guard<std::mutex> lock(handles().mutex);
  handles().contexts[*handle] = std::move(made);
  return BM_SUCCESS;
}
BM_API int bm_get_devid(bm_handle_t handle) { return use(handle) ? -1 : handle->device; }
BM_API void bm_dev_free(bm_handle_t handle) {
  if (wait(handle, CALLER)) return;
  std::unique_ptr<bm_context> gone;
  {
    std::lock_guard<std::mutex> lock(handles().mutex);
    auto entry = handles().contexts.find(handle);
    gone = std::move(entry->second);
    handles().contexts.erase(entry);
  }
  FROM_CALLER;
  if (gone->queue) cnrtQueueDestroy(gone->queue);
}

BM_API bm_mem_type_t bm_mem_get_type(bm_mem_desc_t memory) { return memory.flags.u.mem_type; }
BM_API unsigned long long bm_mem_get_device_addr(bm_mem_desc_t memory) { return memory.u.device.device_addr; }
BM_API void bm_mem_set_device_addr(bm_mem_desc_t* memory, unsigned long long address) {
  memory->u.device.device_addr = address;
}
BM_API unsigned int bm_mem_get_device_size(bm_mem_desc_t memory) { return memory.size; }
BM_API void bm_mem_set_device_size(bm_mem_desc_t* memory, unsigned int bytes) { memory->size = bytes; }
BM_API void bm_set_device_mem(bm_device_mem_t* memory, unsigned int bytes, unsigned long long address) {
  *memory = bm_mem_from_device(address, bytes);
}
BM_API bm_device_mem_t bm_mem_from_device(unsigned long long address, unsigned int bytes) {
  bm_device_mem_t made = {};
  made.u.device.device_addr = address;
  made.flags.u.mem_type = BM_MEM_TYPE_DEVICE;
  made.size = bytes;
  return made;
}
BM_API void* bm_mem_get_system_addr(bm_mem_desc_t memory) { return memory.u.system.system_addr; }
BM_API void bm_mem_set_system_addr(bm_mem_desc_t* memory, void* address) { memory->u.system.system_addr = address; }
BM_API bm_system_mem_t bm_mem_from_system(void* address) {
  bm_system_mem_t made = {};
  made.u.system.system_addr = address;
  made.flags.u.mem_type = BM_MEM_TYPE_SYSTEM;
  return made;
}
BM_API bm_device_mem_t bm_mem_null(void) {
  bm_device_mem_t made = bm_mem_from_device(BM_MEM_ADDR_NULL, 0);
  made.flags.u.mem_type = BM_MEM_TYPE_INVALID;
  return made;
}

BM_API bm_status_t bm_malloc_neuron_device(bm_handle_t handle, bm_device_mem_t* memory, int n, int c, int h, int w) {
  if (n < 1 || c < 1 || h < 1 || w < 1) return refused("a dimension of the tensor is below 1");
  return allocate(handle, memory, 4ull * n * c * h * w, CALLER);
}
BM_API bm_status_t bm_malloc_device_dword(bm_handle_t handle, bm_device_mem_t* memory, int count) {
  if (count < 1) return refused("the count is below 1");
  return allocate(handle, memory, 4ull * count, CALLER);
}
BM_API bm_status_t bm_malloc_device_byte(bm_handle_t handle, bm_device_mem_t* memory, unsigned int bytes) {
  return allocate(handle, memory, bytes, CALLER);
}
BM_API void bm_free_device(bm_handle_t handle, bm_device_mem_t memory) {
  if (use(handle)) return;
  FROM_CALLER;
  cnrtFree(at(memory));
}

BM_API bm_status_t bm_memcpy_s2d(bm_handle_t handle, bm_device_mem_t to, void* from) {
  return copy(handle, at(to), from, to.size, cnrtMemcpyHostToDev, CALLER);
}
BM_API bm_status_t bm_memcpy_s2d_partial(bm_handle_t handle, bm_device_mem_t to, void* from, unsigned int bytes) {
  return copy(handle, at(to), from, bytes, cnrtMemcpyHostToDev, CALLER);
}
BM_API bm_status_t bm_memcpy_s2d_partial_offset(bm_handle_t handle, bm_device_mem_t to, void* from, unsigned int bytes,
                                                unsigned int offset) {
  return copy(handle, at(to, offset), from, bytes, cnrtMemcpyHostToDev, CALLER);
}
BM_API bm_status_t bm_memcpy_d2s(bm_handle_t handle, void* to, bm_device_mem_t from) {
  return copy(handle, to, at(from), from.size, cnrtMemcpyDevToHost, CALLER);
}
BM_API bm_status_t bm_memcpy_d2s_partial(bm_handle_t handle, void* to, bm_device_mem_t from, unsigned int bytes) {
  return copy(handle, to, at(from), bytes, cnrtMemcpyDevToHost, CALLER);
}
BM_API bm_status_t bm_memcpy_d2s_partial_offset(bm_handle_t handle, void* to, bm_device_mem_t from, unsigned int bytes,
                                                unsigned int offset) {
  return copy(handle, to, at(from, offset), bytes, cnrtMemcpyDevToHost, CALLER);
}
BM_API bm_status_t bm_memcpy_d2d_byte(bm_handle_t handle, bm_device_mem_t to, size_t to_offset, bm_device_mem_t from,
                                      size_t from_offset, size_t bytes) {
  return copy(handle, at(to, to_offset), at(from, from_offset), bytes, cnrtMemcpyDevToDev, CALLER);
}
BM_API bm_status_t bm_memset_device(bm_handle_t handle, const int value, bm_device_mem_t memory) {
  if (bm_status_t found = use(handle)) return found;
  if (memory.size % 4) return refused("the fill is one of whole words, and the memory is no multiple of 4 bytes");
  FROM_CALLER;
  return status(cnrtMemsetD32(at(memory), (unsigned int)value, memory.size / 4));
}

BM_API bm_status_t bm_device_sync(bm_handle_t handle) { return wait(handle, CALLER); }
BM_API bm_status_t bm_handle_sync(bm_handle_t handle) { return wait(handle, CALLER); }
BM_API bm_status_t bm_thread_sync(bm_handle_t handle) { return wait(handle, CALLER); }

BM_API bm_status_t okkernel_load_firmware(bm_handle_t handle, const char*, const char*) { return use(handle); }
BM_API bm_status_t okkernel_launch_async(bm_handle_t handle, const char* kernel, const void* arguments,
                                         unsigned int bytes) {
  return launch(handle, nullptr, kernel, arguments, bytes, CALLER);
}
BM_API bm_status_t okkernel_launch_sync(bm_handle_t handle, const char* kernel, const void* arguments,
                                        unsigned int bytes) {
  bm_status_t found = launch(handle, nullptr, kernel, arguments, bytes, CALLER);
  return found ? found : wait(handle, CALLER);
}
BM_API bm_status_t okkernel_sync(bm_handle_t handle) { return wait(handle, CALLER); }

BM_API tpu_kernel_module_t tpu_kernel_load_module_file(bm_handle_t handle, const char* path) {
  if (use(handle)) return nullptr;
  void* library = nullptr;
  mlusim_module_problem problem = path ? mlusim_load_file_or_program(path, &library) : MLUSIM_NO_FILE;
  return keep(problem, library);
}
BM_API tpu_kernel_module_t tpu_kernel_load_module(bm_handle_t handle, const char* content, size_t bytes) {
  if (use(handle)) return nullptr;
  void* library = nullptr;
  mlusim_module_problem problem = content ? mlusim_load_bytes(content, bytes, &library) : MLUSIM_NO_MODULE;
  return keep(problem, library);
}
BM_API bm_status_t tpu_kernel_free_module(bm_handle_t handle, tpu_kernel_module_t module) {
  return unload(handle, module);
}
BM_API bm_status_t tpu_kernel_unload_module(bm_handle_t handle, tpu_kernel_module_t module) {
  return unload(handle, module);
}
BM_API tpu_kernel_function_t tpu_kernel_get_function(bm_handle_t handle, tpu_kernel_module_t module, const char* name) {
  if (use(handle)) return -1;
  Handles& all = handles();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (!name || !all.modules.count(module)) return refused("the name is null, or the module is not loaded"), -1;
  if (!mlusim_has_kernel(module->library, name)) return -1;
  all.functions.push_back({module, name});
  return (tpu_kernel_function_t)all.functions.size() - 1;
}
BM_API bm_status_t tpu_kernel_launch_async(bm_handle_t handle, tpu_kernel_function_t function, void* arguments,
                                           size_t bytes) {
  return launch_function(handle, function, arguments, bytes, CALLER);
}
BM_API bm_status_t tpu_kernel_launch_sync(bm_handle_t handle, tpu_kernel_function_t function, void* arguments,
                                          size_t bytes) {
  bm_status_t found = launch_function(handle, function, arguments, bytes, CALLER);
  return found ? found : wait(handle, CALLER);
}
BM_API bm_status_t tpu_kernel_launch(bm_handle_t handle, tpu_kernel_function_t function, void* arguments,
                                     size_t bytes) {
  bm_status_t found = launch_function(handle, function, arguments, bytes, CALLER);
  return found ? found : wait(handle, CALLER);
}
BM_API bm_status_t tpu_kernel_sync(bm_handle_t handle) { return wait(handle, CALLER); }
