// A topology of three nodes: how many come after the first.
#include <cnrt.h>
#include <stdio.h>

int main() {
  cnrtTaskTopo_t topology;
  cnrtTaskTopoNode_t first, second, third;
  size_t after = 0;
  CNRT_CHECK(cnrtTaskTopoCreate(&topology, 0));
  CNRT_CHECK(cnrtTaskTopoAddEmptyNode(&first, topology, nullptr, 0));
  CNRT_CHECK(cnrtTaskTopoAddEmptyNode(&second, topology, &first, 1));
  CNRT_CHECK(cnrtTaskTopoAddEmptyNode(&third, topology, &first, 1));
  cnrtTaskTopoNodeGetDependentNodes(first, nullptr, &after);
  printf("%zu after the first\n", after);
  CNRT_CHECK(cnrtTaskTopoDestroy(topology));
}
