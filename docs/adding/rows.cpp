// Copies the left half of a picture to the device and back, row by row, in a queue.
#include <cnrt.h>
#include <stdio.h>

int main() {
  const size_t width = 4, pitch = 9, height = 3;
  char picture[height][pitch] = {"left....", "half....", "only...."}, back[height][width + 1] = {};
  void* rows;
  cnrtQueue_t queue;
  CNRT_CHECK(cnrtMalloc(&rows, height * width));
  CNRT_CHECK(cnrtQueueCreate(&queue));
  CNRT_CHECK(cnrtMemcpy2DAsync(rows, width, picture, pitch, width, height, cnrtMemcpyHostToDev, queue));
  CNRT_CHECK(cnrtMemcpy2DAsync(back, width + 1, rows, width, width, height, cnrtMemcpyDevToHost, queue));
  CNRT_CHECK(cnrtQueueSync(queue));
  for (const char(&row)[width + 1] : back) puts(row);
  CNRT_CHECK(cnrtQueueDestroy(queue));
  CNRT_CHECK(cnrtFree(rows));
}
