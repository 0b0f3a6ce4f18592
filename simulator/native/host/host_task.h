// What is put into a queue: work, and what it would be as a node of a topology.
#pragma once
#include <stdint.h>

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cnrt.h"

namespace mlusim {

// Work of the queue that it is given.
using Work = std::function<void(uint64_t queue)>;

// Besides the values of cnrtFunctionType_t: a grid of blocks of threads.
constexpr int IN_BLOCKS = 2;

// How a kernel is launched. The last two are of a grid: the threads of a block, and bytes of shared memory besides its
// own.
struct Extent {
  cnrtDim3_t dim;
  int type;
  cnrtDim3_t block = {1, 1, 1};
  uint64_t shared = 0;
};

struct KernelNode {
  const void* function = nullptr;  // null for an operation of a library
  cnrtDim3_t dim = {};
  int type = 0;
  std::vector<std::string> values = {};      // of the arguments
  std::vector<void*> pointers = {};          // to them, once they are asked for
  cnrtKernelNodeAttrValue_t attribute = {};  // the window of its accesses to a cache that there is not
};
struct ChildNode {
  std::shared_ptr<CNtaskTopo_st> topology;
};
struct PlaceNode {
  cnrtNotifier_t notifier;
};
struct WaitNode {
  cnrtNotifier_t notifier;
};

// In the order of cnrtTaskTopoNodeType_t.
using Node = std::variant<std::monostate, KernelNode, cnrtHostNodeParams_t, cnrtMemcpy3dParam_t, cnrtMemsetParams_t,
                          ChildNode, PlaceNode, WaitNode>;

struct Task {
  Node node = {};
  Work work = {};

  cnrtTaskTopoNodeType_t type() const { return (cnrtTaskTopoNodeType_t)node.index(); }
};

}  // namespace mlusim
