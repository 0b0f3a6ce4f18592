// A topology of three nodes as Graphviz draws it.
#include <cnrt.h>

int main() {
  cnrtTaskTopo_t topology;
  cnrtTaskTopoNode_t first, second, third;
  CNRT_CHECK(cnrtTaskTopoCreate(&topology, 0));
  CNRT_CHECK(cnrtTaskTopoAddEmptyNode(&first, topology, nullptr, 0));
  CNRT_CHECK(cnrtTaskTopoAddEmptyNode(&second, topology, &first, 1));
  CNRT_CHECK(cnrtTaskTopoAddEmptyNode(&third, topology, &first, 1));
  cnrtTaskTopoDebugDotPrint(topology, "/dev/stdout", 0);
  CNRT_CHECK(cnrtTaskTopoDestroy(topology));
}
