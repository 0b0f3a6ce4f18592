// Threads of the host that queue work and end; a callback goes on with it. Kernels with large parameters.
#include <stdio.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

constexpr int COUNT = 16384, WORKERS = 8;

struct Large {
  int values[6000];
};
__global__ void add(Large large, const int* in, int* out) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  out[at] = in[at] + large.values[at % 6000];
}

__global__ void longest(int* most) {
  int seen = *most;
  while (seen < (int)threadIdx.x) seen = atomicCAS_system(most, seen, threadIdx.x);
  atomicCAS_block(most + 1, 0, 7);
}

__global__ void count(int* total) {
  for (int each = 0; each < 200; each++) atomicAdd_system(total, 1);
}

// Threads of the host and a kernel count together.
void together() {
  constexpr int MOST = 40000000;
  int* total;
  cudaMallocManaged(&total, sizeof(int));
  *total = 0;
  count<<<16, 256>>>(total);
  for (int each = 0; each < MOST; each++) __atomic_fetch_add(total, 1, __ATOMIC_RELAXED);
  cudaDeviceSynchronize();
  printf("%d\n", *total - MOST);
  cudaFree(total);
}

// How a stream uses the cache is kept.
void attributes() {
  int found[2] = {}, *device;
  cudaSetDeviceFlags(cudaDeviceBlockingSync);
  cudaStream_t stream;
  cudaStreamCreate(&stream), cudaMalloc(&device, sizeof found);
  cudaMemcpy(device, found, sizeof found, cudaMemcpyHostToDevice);
  cudaStreamAttrValue value = {}, back = {};
  value.accessPolicyWindow = {device, sizeof found, 0.5f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
  bool set = !cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
  longest<<<1, 64, 0, stream>>>(device);
  cudaStreamSynchronize(stream);
  bool got = !cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &back);
  cudaMemcpy(found, device, sizeof found, cudaMemcpyDeviceToHost);
  bool same = back.accessPolicyWindow.base_ptr == device && back.accessPolicyWindow.hitProp == cudaAccessPropertyPersisting;
  printf("%d %d %d %d %d %d\n", set, got, same, cudaCtxResetPersistingL2Cache(), found[0], found[1]);
  cudaFree(device), cudaStreamDestroy(stream);
}

struct Work {
  cudaStream_t stream;
  int *host, *device;
};
std::mutex mutex;
std::condition_variable over;
int ended = 0, wrong = 0;

void finish(Work* work) {
  int differing = 0;
  for (int at = 0; at < COUNT; at++) differing += work->host[at] != at + at % 6000;
  cudaFree(work->device), cudaFreeHost(work->host), cudaStreamDestroy(work->stream);
  std::lock_guard<std::mutex> lock(mutex);
  wrong += differing, ended++;
  over.notify_all();
}

void CUDART_CB go_on(cudaStream_t, cudaError_t, void* work) { std::thread(finish, (Work*)work).detach(); }

void begin(Work* work, const Large* large) {
  const size_t bytes = COUNT * sizeof(int);
  cudaStreamCreate(&work->stream), cudaMalloc(&work->device, bytes), cudaMallocHost(&work->host, bytes);
  for (int at = 0; at < COUNT; at++) work->host[at] = at;
  cudaMemcpyAsync(work->device, work->host, bytes, cudaMemcpyHostToDevice, work->stream);
  add<<<COUNT / 256, 256, 0, work->stream>>>(*large, work->device, work->device);
  cudaMemcpyAsync(work->host, work->device, bytes, cudaMemcpyDeviceToHost, work->stream);
  cudaStreamAddCallback(work->stream, go_on, work, 0);
}

int main() {
  attributes();
  together();
  static Large large;
  for (int at = 0; at < 6000; at++) large.values[at] = at;
  std::vector<Work> works(3 * WORKERS);
  for (int round = 0; round < 3; round++) {
    for (int each = 0; each < WORKERS; each++)
      std::thread(begin, &works[round * WORKERS + each], &large).detach();
    std::unique_lock<std::mutex> lock(mutex);
    over.wait(lock, [&] { return ended == (round + 1) * WORKERS; });
  }
  printf("%d %d\n", ended, wrong);
}
