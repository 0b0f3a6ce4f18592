// Copies that a queue orders through memory of the host, and a look at it without a wait.
#include <cnrt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int last(const char* place, size_t bytes) { return place[bytes - 1]; }

static void look(void* data) { printf("%d ", last(*(char**)data, 4096)); }

int main(int count, char** words) {
  const char* way = count > 1 ? words[1] : "";
  size_t bytes = count > 2 ? (size_t)atoi(words[2]) : 65536;
  bool pinned = count < 4;
  cnrtQueue_t queue;
  char *first, *second, *host = (char*)malloc(bytes), *seen = host;
  CNRT_CHECK(cnrtQueueCreate(&queue));
  CNRT_CHECK(cnrtMalloc((void**)&first, bytes));
  CNRT_CHECK(cnrtMalloc((void**)&second, bytes));
  if (pinned) CNRT_CHECK(cnrtHostMalloc((void**)&seen, bytes));
  CNRT_CHECK(cnrtMemset(first, 7, bytes));
  for (int i = 0; i < 2; i++) CNRT_CHECK(cnrtMemcpyAsync(seen, first, bytes, queue, cnrtMemcpyDevToHost));
  CNRT_CHECK(cnrtMemcpyAsync(second, seen, bytes, queue, cnrtMemcpyHostToDev));
  if (!strcmp(way, "early")) printf("%d ", last(seen, bytes));
  if (!strcmp(way, "called")) CNRT_CHECK(cnrtInvokeHostFunc(queue, look, &seen));
  if (!strcmp(way, "joined")) {
    cnrtQueue_t other;
    cnrtNotifier_t copied;
    CNRT_CHECK(cnrtQueueCreate(&other));
    CNRT_CHECK(cnrtNotifierCreate(&copied));
    CNRT_CHECK(cnrtPlaceNotifier(copied, queue));
    CNRT_CHECK(cnrtQueueWaitNotifier(copied, other, 0));
    CNRT_CHECK(cnrtMemcpyAsync(first, seen, bytes, other, cnrtMemcpyHostToDev));
    CNRT_CHECK(cnrtQueueSync(other));
    printf("%d ", last(seen, bytes));
  }
  CNRT_CHECK(cnrtQueueSync(queue));
  CNRT_CHECK(cnrtMemcpy(host, second, bytes, cnrtMemcpyDevToHost));
  printf("%d %d\n", host[0], host[bytes - 1]);
  CNRT_CHECK(cnrtFree(first));
  CNRT_CHECK(cnrtFree(second));
  if (pinned) CNRT_CHECK(cnrtFreeHost(seen));
  free(host);
}
