#include "host_kernels.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <vector>

#include "host_blocks.h"
#include "host_lock.h"
#include "host_memory.h"
#include "host_order.h"
#include "host_queues.h"
#include "host_status.h"
#include "host_topology.h"
#include "host_transfers.h"
#include "host_variables.h"

struct cnrtKernelParamsBuffer {
  std::vector<std::string> values;
};
struct cnrtKernelInitParam {
  int unused;
};

namespace mlusim {
namespace {

struct Known {
  const mlusim_image* image;
  uint64_t kernel;
};

struct Kernels {
  Lock mutex;
  std::map<const void*, Known> table;              // by the address of the host's function
  std::multimap<std::string, Known> named;         // by the kernel's name
  std::map<const mlusim_image*, uint64_t> images;  // those that the device process knows
  uint64_t sent = 0;
};

// Never destroyed; made before the first constructor that registers an image.
Kernels& kernels() {
  static Kernels& made = *new Kernels;
  return made;
}

// Besides the values of cnrtFunctionType_t: the tasks take a core each and run all at once.
constexpr int ON_CORES = 0;

struct Configuration {
  Extent extent;
  cnrtQueue_t queue;
  bool given;
  Place where;
};
thread_local Configuration next_launch = {};

// The number of an image at the device process, which is sent its bytes if it has not kept them.
uint64_t number_of(const mlusim_image* image) {
  Kernels& all = kernels();
  Locked lock(all.mutex);
  uint64_t& number = all.images[image];
  if (number) return number;
  number = ++all.sent;
  std::string about = std::string(image->digest) + '\n' + image->about;
  auto announced = call(AnnounceImage{number}, {about.data(), about.size()});
  if (announced.wanted) call(BringImage{number}, {image->bytes, image->size});
  return number;
}

KernelNode node_of(const Known& kernel, const Extent& extent, const mlusim_argument* arguments, uint64_t count) {
  KernelNode node;
  node.function = kernel.image->table[kernel.kernel].address, node.dim = extent.dim, node.type = extent.type;
  for (uint64_t i = 0; i < count; i++) node.values.emplace_back((const char*)arguments[i].value, arguments[i].bytes);
  return node;
}

cnrtRet_t launch(const Known& kernel, const Extent& extent, cnrtQueue_t handle, const mlusim_argument* arguments,
                 uint64_t count, Place where) {
  Queue queue;
  if (!queue_of(handle, queue)) return last_status(false);
  Device* own = device(queue.device);
  if (!own) return no_device();
  if (extent.type == IN_BLOCKS) {
    const mlusim_kernel& found = kernel.image->table[kernel.kernel];
    cnrtRet_t misfit = check_blocks(*own, extent, found.address, found.name);
    if (misfit != cnrtSuccess) return misfit;
  }
  if (has_failed(queue.number)) return refused(cnrtErrorCndrvFuncCall);
  if (cnrtRet_t status = place_variables(*own)) return status;
  const cnrtDim3_t &dim = extent.dim, &block = extent.block;
  LaunchKernel message = {queue.number, 0,       kernel.kernel, dim.x,         dim.y, dim.z, (uint64_t)extent.type,
                          block.x,      block.y, block.z,       extent.shared, where, {}};
  std::string bytes;
  for (uint64_t i = 0; i < count; i++) {
    message.sizes.push_back(arguments[i].bytes);
    bytes.append((const char*)arguments[i].value, arguments[i].bytes);
  }
  message.image = number_of(kernel.image);  // now: what holds the image may go before the kernel runs
  Task task = {{}, [=](uint64_t queue) mutable {
                 message.queue = queue;
                 keep_all();
                 post(message, {bytes.data(), bytes.size()});
               }};
  if (is_captured(queue.number)) task.node = node_of(kernel, extent, arguments, count);
  in_order(queue.number, std::move(task));
  return cnrtSuccess;
}

// Whether an image lies in what `dlopen` has given.
bool lies_in(const void* image, void* library) {
  Dl_info found;
  return dladdr(image, &found) && (uint64_t)found.dli_fbase == static_cast<struct link_map*>(library)->l_addr;
}

// A kernel of a library by its name, of the whole program for null. Its image is null (and the status is set) where
// there is none.
Known kernel_named(void* library, const char* name) {
  Kernels& all = kernels();
  Locked lock(all.mutex);
  auto [first, end] = all.named.equal_range(name);
  for (auto entry = first; entry != end; entry++) {
    if (!library || lies_in(entry->second.image, library)) return entry->second;
  }
  std::string known;
  for (auto& entry : all.named) known += (known.empty() ? "" : ", ") + entry.first;
  const char* where = library ? "the module" : "the program";
  failed(cnrtErrorNoKernel,
         std::string(where) + " has no kernel " + name + (known.empty() ? "" : "; there are " + known));
  return {};
}

const Known* kernel_at(const void* address) {
  Kernels& all = kernels();
  Locked lock(all.mutex);
  auto entry = all.table.find(address);
  return entry == all.table.end() ? nullptr : &entry->second;
}

cnrtRet_t launch_buffer(const void* function, cnrtDim3_t dim, cnrtKernelParamsBuffer_t buffer, int type,
                        cnrtQueue_t queue, Place where) {
  const Known* kernel = kernel_at(function);
  if (!kernel) return failed(cnrtErrorNoKernel, "the address is that of no kernel");
  if (!buffer) return failed(cnrtErrorArgsInvalid, "the buffer of parameters is null");
  std::vector<mlusim_argument> arguments;
  for (auto& value : buffer->values) arguments.push_back({value.data(), value.size()});
  return launch(*kernel, {dim, type}, queue, arguments.data(), arguments.size(), where);
}

// A launch with a list of pointers to arguments.
cnrtRet_t launch_list(const void* function, const Extent& extent, void** arguments, cnrtQueue_t queue, Place where) {
  const Known* kernel = kernel_at(function);
  if (!kernel) return failed(cnrtErrorNoKernel, "the address is that of no kernel");
  // The sizes of the arguments are not given here: the description of the image has them, "name bytes,bytes,..." a
  // line.
  std::vector<mlusim_argument> found;
  const char* line = kernel->image->about;
  for (uint64_t i = 0; i < kernel->kernel && line; i++) line = strchr(line, '\n') ? strchr(line, '\n') + 1 : nullptr;
  for (const char* at = line; at && *at && *at != '\n';) {
    char* end;
    uint64_t bytes = strtoull(at, &end, 10);
    if (end == at) break;
    if (!arguments) return failed(cnrtErrorArgsInvalid, "the list of arguments is null");
    found.push_back({arguments[found.size()], bytes});
    at = *end == ',' ? end + 1 : end;
  }
  return launch(*kernel, extent, queue, found.data(), found.size(), where);
}

}  // namespace
}  // namespace mlusim

using namespace mlusim;

MLUSIM_API void mlusim_register_image(const mlusim_image* image) {
  Kernels& all = kernels();
  Locked lock(all.mutex);
  for (uint64_t i = 0; i < image->kernels; i++) {
    const mlusim_kernel& kernel = image->table[i];
    all.named.insert({kernel.name, {image, i}});
    if (!kernel.body) continue;  // no function of the program stands for it
    // Of templates that several sources define alike by name, the linker keeps the first.
    all.table.insert({kernel.address, {image, i}});
    all.table.insert({kernel.body, {image, i}});
  }
}

// What holds it goes: a library that is closed, whose addresses another may have later.
MLUSIM_API void mlusim_forget_image(const mlusim_image* image) {
  Kernels& all = kernels();
  Locked lock(all.mutex);
  all.images.erase(image);
  auto forget = [&](auto& kept) {
    for (auto entry = kept.begin(); entry != kept.end();)
      entry = entry->second.image == image ? kept.erase(entry) : std::next(entry);
  };
  forget(all.table);
  forget(all.named);
}

MLUSIM_API void mlusim_configure(cnrtDim3_t dim, int type, cnrtQueue_t queue) {
  next_launch = {{dim, type}, queue, true, MLUSIM_HERE};
}

MLUSIM_API void mlusim_configure_blocks(cnrtDim3_t grid, cnrtDim3_t block, uint64_t shared, cnrtQueue_t queue) {
  next_launch = {{grid, IN_BLOCKS, block, shared}, queue, true, MLUSIM_HERE};
}

MLUSIM_API void mlusim_enter_kernel(const mlusim_argument* arguments, uint64_t count) {
  // The return address lies in the body of the kernel, which begins at the last registered address before it.
  const void* inside = __builtin_return_address(0);
  Kernels& all = kernels();
  Known kernel = {};
  {
    Locked lock(all.mutex);
    auto after = all.table.upper_bound(inside);
    if (after != all.table.begin()) kernel = std::prev(after)->second;
  }
  Configuration now = next_launch;
  next_launch = {};
  if (!now.given) {
    tell("called", {}, MLUSIM_HERE);
    refused(cnrtErrorArgsInvalid);
    return;
  }
  PartOf launching("a launch", now.where);
  if (!kernel.image) {
    failed(cnrtErrorNoKernel, "the program has no image of the kernel that it launches");
    return;
  }
  launch(kernel, now.extent, now.queue, arguments, count, now.where);
}

MLUSIM_API cnrtRet_t mlusim_launch_named(void* library, const char* name, uint64_t cores, const void* arguments,
                                         size_t bytes, cnrtQueue_t queue) {
  if (!name) return failed(cnrtErrorArgsInvalid, "the name of the kernel is null");
  Known kernel = kernel_named(library, name);
  if (!kernel.image) return last_status(false);
  if (bytes && !arguments) return failed(cnrtErrorArgsInvalid, "the structure of arguments is null");
  mlusim_argument argument = {arguments, bytes};
  return launch(kernel, {{(unsigned int)cores, 1, 1}, ON_CORES}, queue, &argument, 1, MLUSIM_HERE);
}

MLUSIM_API bool mlusim_has_kernel(void* library, const char* name) { return kernel_named(library, name).image; }

bool mlusim_has_own_kernels() {
  Kernels& all = kernels();
  Locked lock(all.mutex);
  void* program = dlopen(nullptr, RTLD_LAZY);
  return std::any_of(all.named.begin(), all.named.end(),
                     [&](const auto& entry) { return lies_in(entry.second.image, program); });
}

MLUSIM_API cnrtRet_t cnrtInvokeKernel(const void* function, cnrtDim3_t dim, cnrtFunctionType_t type, void** arguments,
                                      size_t, cnrtQueue_t queue) {
  return launch_list(function, {dim, type}, arguments, queue, MLUSIM_HERE);
}

MLUSIM_API cnrtRet_t mlusim_launch_blocks(const void* function, cnrtDim3_t grid, cnrtDim3_t block, void** arguments,
                                          uint64_t shared, cnrtQueue_t queue) {
  return launch_list(function, {grid, IN_BLOCKS, block, shared}, arguments, queue, MLUSIM_HERE);
}

MLUSIM_API cnrtRet_t mlusim_allow_shared(const void* function, uint64_t bytes) {
  const Known* kernel = kernel_at(function);
  Device* own = device(current_device());
  if (!own) return no_device();
  if (!kernel) return failed(cnrtErrorNoKernel, "the address is that of no kernel");
  return allow_shared(*own, kernel->image->table[kernel->kernel].address, bytes);
}

MLUSIM_API cnrtRet_t cnrtInvokeKernel_V2(const void* function, cnrtDim3_t dim, cnrtKernelParamsBuffer_t arguments,
                                         cnrtFunctionType_t type, cnrtQueue_t queue) {
  return launch_buffer(function, dim, arguments, type, queue, MLUSIM_HERE);
}

MLUSIM_API cnrtRet_t cnrtInvokeKernel_V3(const void* function, cnrtKernelInitParam_t, cnrtDim3_t dim,
                                         cnrtKernelParamsBuffer_t arguments, cnrtFunctionType_t type, cnrtQueue_t queue,
                                         void*) {
  return launch_buffer(function, dim, arguments, type, queue, MLUSIM_HERE);
}

MLUSIM_API cnrtRet_t cnrtGetKernelParamsBuffer(cnrtKernelParamsBuffer_t* buffer) {
  if (!buffer) return failed(cnrtErrorArgsInvalid, "the pointer to the buffer is null");
  *buffer = new cnrtKernelParamsBuffer;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtKernelParamsBufferAddParam(cnrtKernelParamsBuffer_t buffer, void* value, size_t bytes) {
  if (!buffer || !value) return failed(cnrtErrorArgsInvalid, "a buffer of parameters, or a parameter, is null");
  buffer->values.emplace_back((const char*)value, bytes);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtCopyKernelParamsBuffer(cnrtKernelParamsBuffer_t to, cnrtKernelParamsBuffer_t from) {
  if (!to || !from) return failed(cnrtErrorArgsInvalid, "a buffer of parameters is null");
  to->values = from->values;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtDestroyKernelParamsBuffer(cnrtKernelParamsBuffer_t buffer) {
  if (!buffer) return failed(cnrtErrorArgsInvalid, "the buffer of parameters is null");
  delete buffer;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtCreateKernelInitParam(cnrtKernelInitParam_t* param) {
  if (!param) return failed(cnrtErrorArgsInvalid, "the pointer to the result is null");
  *param = new cnrtKernelInitParam{};
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtInitKernelMemory(const void* function, cnrtKernelInitParam_t) {
  return kernel_at(function) ? cnrtSuccess : failed(cnrtErrorNoKernel, "the address is that of no kernel");
}

MLUSIM_API cnrtRet_t cnrtDestroyKernelInitParamAndMemory(cnrtKernelInitParam_t param) {
  delete param;
  return cnrtSuccess;
}
