#include "host_blocks.h"

#include <map>

#include "host_cuda_errors.h"
#include "host_lock.h"
#include "host_status.h"

namespace mlusim {
namespace {

struct Allowed {
  Lock mutex;
  std::map<const void*, uint64_t> shared;  // bytes besides a block's own, by kernel
};

Allowed& allowed() {
  static Allowed& made = *new Allowed;
  return made;
}

uint64_t allowed_to(const Device& device, const void* kernel) {
  Locked lock(allowed().mutex);
  auto found = allowed().shared.find(kernel);
  return found == allowed().shared.end() ? device.facts.threads.declared : found->second;
}

std::string three(const cnrtDim3_t& dim) {
  return std::to_string(dim.x) + " x " + std::to_string(dim.y) + " x " + std::to_string(dim.z);
}

cnrtRet_t misfit(cudaError_t error, const char* name, const std::string& asked, const std::string& limit) {
  return failed((cnrtRet_t)(CUDA_ERRORS + error), std::string(name) + " is launched with " + asked + "; " + limit);
}

}  // namespace

cnrtRet_t check_blocks(const Device& device, const Extent& extent, const void* kernel, const char* name) {
  const ThreadFacts& most = device.facts.threads;
  const cnrtDim3_t &grid = extent.dim, &block = extent.block;
  uint64_t threads = (uint64_t)block.x * block.y * block.z;
  if (!most.block) return misfit(cudaErrorInvalidDeviceFunction, name, "blocks of threads", "the device has none");
  if (!threads || !grid.x || !grid.y || !grid.z)
    return misfit(cudaErrorInvalidConfiguration, name, three(grid) + " blocks of " + three(block) + " threads",
                  "each of these numbers is 1 at least");
  if (threads > most.block)
    return misfit(cudaErrorInvalidConfiguration, name, std::to_string(threads) + " threads in a block",
                  "a block has " + std::to_string(most.block) + " at most");
  if (block.x > most.block_x || block.y > most.block_y || block.z > most.block_z)
    return misfit(cudaErrorInvalidConfiguration, name, three(block) + " threads in a block",
                  "the most is " + three({(unsigned)most.block_x, (unsigned)most.block_y, (unsigned)most.block_z}));
  if (grid.x > most.grid_x || grid.y > most.grid_y || grid.z > most.grid_z)
    return misfit(cudaErrorInvalidConfiguration, name, three(grid) + " blocks",
                  "the most is " + three({(unsigned)most.grid_x, (unsigned)most.grid_y, (unsigned)most.grid_z}));
  uint64_t shared = allowed_to(device, kernel);
  if (extent.shared <= shared) return cnrtSuccess;
  std::string limit = "a block may have " + std::to_string(shared);
  if (extent.shared <= most.shared) limit += ", and more if cudaFuncSetAttribute has said so of the kernel";
  return misfit(cudaErrorInvalidValue, name, std::to_string(extent.shared) + " bytes of shared memory a block", limit);
}

cnrtRet_t allow_shared(const Device& device, const void* kernel, uint64_t bytes) {
  uint64_t most = device.facts.threads.shared;
  if (bytes > most)
    return failed((cnrtRet_t)(CUDA_ERRORS + cudaErrorInvalidValue), std::to_string(bytes) +
                                                                        " bytes of shared memory are asked for; a "
                                                                        "block has " +
                                                                        std::to_string(most) + " at most");
  Locked lock(allowed().mutex);
  allowed().shared[kernel] = bytes;
  return cnrtSuccess;
}

}  // namespace mlusim
