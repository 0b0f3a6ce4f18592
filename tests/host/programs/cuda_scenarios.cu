// CUDA programs: a scenario is chosen by its name. `// mark` at the end of a line is looked for by the tests.
#include <cuda_fp16.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cuda_kernels.cuh"

__constant__ float step = 10;
__constant__ float weights[(1 + 3)];
__device__ int counter = 5;
__managed__ int total;

typedef float (*Function)(float, float);
__device__ float sum_of(float a, float b) { return a + b; }
__device__ float product_of(float a, float b) {
  __shared__ float kept[2];
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  kept[lane & 1] = a;
  return kept[lane & 1] * b;
}
__device__ Function functions[] = {sum_of, product_of};

__global__ void count(const float* in, float* out) {
  out[threadIdx.x] = functions[0](in[threadIdx.x] * weights[threadIdx.x % 4], step);
  atomicAdd(&counter, 1);
  atomicAdd(&total, 2);
}
template <int N>
__global__ void number(int* out) { out[0] = N; }
template <>
__global__ void number<7>(int* out) { out[0] = 70; }
__global__ void increment(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x]++; }
__global__ void moved(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }  // moves
__global__ void past(int* out, int n) { out[blockIdx.x * blockDim.x + threadIdx.x + n] = 1; }  // past the end
__global__ void asserts(const int* in) { assert(in[0] == 1); }
__global__ void reversed(float* values) {
  extern __shared__ float held[];
  held[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = held[blockDim.x - 1 - threadIdx.x];
}
__global__ void launches(int* out) { increment<<<1, 1>>>(out); }  // launches a kernel

int main(int argc, char** argv);

static const char* last() { return cudaGetErrorName(cudaGetLastError()); }

static int* numbers(int n) {
  int* made = nullptr;
  cudaMalloc(&made, n * sizeof(int));
  cudaMemset(made, 0, n * sizeof(int));
  return made;
}

static int results() {
  const int n = 1000;
  std::vector<float> values(n, 1.5f), found(n);
  float *in, *out;
  cudaMalloc(&in, n * sizeof *in);
  cudaMalloc((void**)&out, n * sizeof *out);
  cudaMemcpy(in, values.data(), n * sizeof *in, cudaMemcpyHostToDevice);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  cudaEventRecord(begin);
  apply<<<(n + 255) / 256, 256>>>(in, out, n, Scaled(4));  // launch
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  add_one<<<1, dim3(n / 4)>>>((float4*)out);
  reversed<<<dim3(1), {64, 1, 1}, 64 * sizeof(float)>>>(out);
  cudaMemcpy(found.data(), out, n * sizeof *out, cudaMemcpyDefault);
  printf("%g %g %g %d\n", found[0], found[n - 1], last_of(out, n), milliseconds > 0 && milliseconds < 1);
  half h = __float2half(2.5f);
  printf("%g %g %d\n", __half2float(h), Scaled(2)(make_float4(1, 2, 3, 4).z), max(3, 4));
  auto shared = std::make_shared<int>(3);
  std::thread([shared] { printf("thread %d\n", *shared); }).join();
  cudaEventDestroy(begin), cudaEventDestroy(end);
  cudaFree(in), cudaFree(out);
  return 7;
}

static int variables() {
  float ones[] = {1, 2, 3, 4}, by[] = {1, 10, 100, 1000}, found[4], *in, *out;
  cudaMallocManaged(&in, sizeof ones);
  cudaMallocManaged(&out, sizeof ones);
  memcpy(in, ones, sizeof ones);
  cudaMemcpyToSymbol(weights, by, sizeof by);
  total = 7;
  count<<<1, 4>>>(in, out);
  cudaDeviceSynchronize();
  int counted = 0, *address = nullptr;
  cudaMemcpyFromSymbol(&counted, counter, sizeof counted);
  printf("%g %g %d %d\n", out[0], out[3], counted, total);
  cudaGetSymbolAddress((void**)&address, counter);
  increment<<<1, 1>>>(address);
  count<<<1, 4>>>(in, out);
  cudaMemcpy(&counted, address, sizeof counted, cudaMemcpyDeviceToHost);
  size_t bytes = 0;
  cudaGetSymbolSize(&bytes, weights);
  cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
  printf("%d %zu %g\n", counted, bytes, found[1]);
  printf("%s\n", cudaGetErrorName(cudaMemcpyToSymbol(weights, by, 8, 12)));  // past a variable
  int local = 0;
  printf("%s\n", cudaGetErrorName(cudaMemcpyFromSymbol(&counted, local, 4)));  // no variable
  cudaFree(in), cudaFree(out);
  return 0;
}

static int templates() {
  int *out = numbers(1), found = 0;
  number<6> << <1, 1 >> > (out);
  cudaMemcpy(&found, out, sizeof found, cudaMemcpyDeviceToHost);
  printf("%d ", found);
  number<7><<<1, 1>>>(out);
  cudaMemcpy(&found, out, sizeof found, cudaMemcpyDeviceToHost);
  printf("%d ", found);
  void* arguments[] = {&out};
  cudaLaunchKernel((void*)increment, dim3(1), dim3(1), arguments, 0, 0);
  cudaLaunchKernel(number<7>, 1, 1, arguments);
  cudaLaunchKernel(increment, 1, 1, arguments);
  cudaMemcpy(&found, out, sizeof found, cudaMemcpyDeviceToHost);
  printf("%d\n", found);
  cudaFree(out);
  return 0;
}

static int limits() {
  int* out = numbers(1);
  float* values = (float*)out;
  increment<<<1, 1025>>>(out);  // threads
  printf("%s ", last());
  increment<<<0, 32>>>(out);  // blocks
  printf("%s ", last());
  increment<<<dim3(1, 65536), 1>>>(out);  // rows of blocks
  printf("%s ", last());
  increment<<<1, dim3(1, 1, 65)>>>(out);  // layers
  printf("%s ", last());
  reversed<<<1, 1, 50000>>>(values);  // shared
  printf("%s ", last());
  printf("%s ", cudaGetErrorName(cudaFuncSetAttribute(reversed, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000)));
  reversed<<<1, 1, 50000>>>(values);
  printf("%s %s\n", last(), cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(out);
  return 0;
}

static int facts() {
  cudaDeviceProp of;
  int count = 0, device = -1, sms = 0, blocks = 0, grid = 0, threads = 0;
  cudaGetDeviceCount(&count);
  cudaGetDevice(&device);
  cudaGetDeviceProperties(&of, 0);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 256, 0);
  cudaOccupancyMaxPotentialBlockSize(&grid, &threads, increment, 0, 0);
  printf("%d %d %s\n", count, device, of.name);
  printf("%d.%d %d %d %d %zu %zu %d\n", of.major, of.minor, of.warpSize, of.maxThreadsPerBlock, of.maxGridSize[1],
         of.sharedMemPerBlock, of.sharedMemPerBlockOptin, of.multiProcessorCount == sms);
  printf("%d %d %d\n", blocks, grid, threads);
  printf("%s\n", cudaGetErrorName(cudaSetDevice(1)));  // device
  return 0;
}

static int streams() {
  const int n = 4096;
  int *out = numbers(n), *host;
  cudaStream_t one, other;
  cudaEvent_t event;
  cudaMallocHost(&host, n * sizeof *host);
  cudaStreamCreate(&one), cudaStreamCreate(&other);
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  increment<<<4, 1024>>>(out);           // the default stream
  increment<<<4, 1024, 0, one>>>(out);   // waits for it
  increment<<<4, 1024>>>(out);           // and it for this one
  increment<<<4, 1024, 0, other>>>(out);
  cudaEventRecord(event, other);
  cudaStreamWaitEvent(one, event, 0);
  cudaMemcpyAsync(host, out, n * sizeof *host, cudaMemcpyDeviceToHost, one);
  printf("%d ", host[0]);  // too early
  cudaStreamSynchronize(one);
  printf("%d %d\n", host[0], host[n - 1]);
  cudaFreeHost(host), cudaFree(out);
  cudaStreamDestroy(one), cudaStreamDestroy(other), cudaEventDestroy(event);
  return 0;
}

static int unordered() {
  int* out = numbers(32);
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  increment<<<1, 32, 0, one>>>(out);
  increment<<<1, 32, 0, other>>>(out);  // not ordered
  cudaDeviceSynchronize();
  cudaStreamDestroy(one), cudaStreamDestroy(other), cudaFree(out);
  return 0;
}

static int outside() {
  int *out = numbers(1), *none = nullptr;
  increment<<<1, 1>>>(none);  // null
  printf("%s ", last());
  printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%s ", cudaGetErrorName(cudaMalloc(&none, 4)));
  increment<<<1, 1>>>(out);
  printf("%s ", last());
  cudaDeviceReset();
  printf("%s ", last());
  out = numbers(1);
  asserts<<<1, 1>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

static int bounds() {
  int* out = numbers(64);
  past<<<1, 64>>>(out, 1);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(out);
  return 0;
}

static int memory() {
  int *out = numbers(16), host[32] = {}, *unset;
  cudaMalloc(&unset, 64);  // never freed
  printf("%s ", cudaGetErrorName(cudaMemcpy(out, host, sizeof host, cudaMemcpyHostToDevice)));    // too long
  printf("%s ", cudaGetErrorName(cudaMemcpy(host, out, 64, cudaMemcpyHostToDevice)));             // the wrong way
  printf("%s ", cudaGetErrorName(cudaMemcpy(host, unset, 64, cudaMemcpyDeviceToHost)));           // unset
  cudaFree(out);
  printf("%s ", cudaGetErrorName(cudaFree(out)));                                                 // freed twice
  printf("%s\n", cudaGetErrorName(cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost)));             // freed
  return 0;
}

static int unset() {
  int *set = numbers(32), *part, *none;
  cudaMalloc(&part, 32 * sizeof(int)), cudaMalloc(&none, 32 * sizeof(int));  // set in half
  cudaMemset(part, 0, 16 * sizeof(int));
  moved<<<1, 32>>>(set, none);
  moved<<<1, 32>>>(none, set);
  moved<<<1, 16>>>(part, set);
  moved<<<1, 32>>>(part, set);
  cudaFree(none), cudaMalloc(&none, 32 * sizeof(int));  // never set
  moved<<<1, 32>>>(none, set);
  cudaFree(set), cudaFree(part), cudaFree(none);
  return 0;
}

static int pointer() {
  int* out = numbers(1);
  return *out;  // of the device
}

static int graph() {
  int *out = numbers(32), host[32];
  cudaStream_t stream;
  cudaGraph_t made;
  cudaGraphExec_t instance;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  increment<<<1, 32, 0, stream>>>(out);
  increment<<<1, 32, 0, stream>>>(out);
  cudaStreamEndCapture(stream, &made);
  cudaGraphInstantiate(&instance, made, 0);
  for (int i = 0; i < 3; i++) cudaGraphLaunch(instance, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d\n", host[31]);
  cudaGraphExecDestroy(instance), cudaGraphDestroy(made), cudaStreamDestroy(stream), cudaFree(out);
  return 0;
}

static int refused() {
  cudaGraph_t graph;
  printf("%s\n", cudaGetErrorName(cudaGraphCreate(&graph, 0)));  // by hand
  int* out = numbers(1);
  launches<<<1, 1>>>(out);  // by a kernel
  cudaDeviceSynchronize();
  cudaFree(out);
  return 0;
}

static int errors() {
  int *out = numbers(1), own[4], value = 0;
  size_t bytes = 0;
  void* place = nullptr;
  cudaEvent_t event, other;
  cudaEventCreate(&event), cudaEventCreateWithFlags(&other, cudaEventDisableTiming);
  cudaEventRecord(event), cudaEventRecord(other), cudaDeviceSynchronize();
  float milliseconds;
  const cudaError_t found[] = {  // each on a line of its own, as findings of one line are one
      cudaHostGetDevicePointer(&place, own, 0),
      cudaHostGetDevicePointer(nullptr, own, 0),
      cudaHostRegister(own, sizeof own, cudaHostRegisterMapped),
      cudaMallocPitch(&place, nullptr, 4, 4),
      cudaMalloc3D(nullptr, make_cudaExtent(1, 1, 1)),
      cudaPointerGetAttributes(nullptr, own),
      cudaMemPrefetchAsync(out, 4, 0),
      cudaMemAdvise(out, 4, cudaMemAdviseSetReadMostly, 0),
      cudaGetSymbolAddress(nullptr, counter),
      cudaGetSymbolSize(nullptr, counter),
      cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0),
      cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0),
      cudaDeviceSetLimit((cudaLimit)99, 1),
      cudaDeviceGetLimit(&bytes, (cudaLimit)99),
      cudaStreamAddCallback(nullptr, nullptr, nullptr, 0),
      cudaEventCreateWithFlags(&event, cudaEventInterprocess),
      cudaFuncGetAttributes(nullptr, increment),
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, increment, 1, 0),
      cudaOccupancyMaxPotentialBlockSize(nullptr, &value, increment),
      cudaFuncSetAttribute(increment, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
      cudaLaunchKernel((void*)main, 1, 1, nullptr),
      cudaMemcpy(own, out, 4, (cudaMemcpyKind)7),
      cudaEventElapsedTime(&milliseconds, event, other),
      cudaMalloc(&place, (size_t)1 << 60),
      cudaMalloc(nullptr, 4),
      cudaStreamSynchronize((cudaStream_t)own),
      cudaEventRecord((cudaEvent_t)own),
      cudaGetDeviceProperties(nullptr, 0),
      cudaGetDeviceProperties((cudaDeviceProp*)own, 5),
      cudaMemcpyFromSymbol(&value, counter, 4, 1),
  };
  for (cudaError_t each : found) printf("%s\n", cudaGetErrorName(each));
  cudaFree(out);
  return 0;
}

static int pitched() {
  float rows[3][5], back[3][5], *device;
  size_t pitch = 0;
  for (int i = 0; i < 15; i++) rows[i / 5][i % 5] = i;
  cudaMallocPitch(&device, &pitch, sizeof rows[0], 3);
  cudaMemcpy2D(device, pitch, rows, sizeof rows[0], sizeof rows[0], 3, cudaMemcpyHostToDevice);
  reversed<<<1, 5, 5 * sizeof(float)>>>((float*)((char*)device + 2 * pitch));
  cudaMemcpy2D(back, sizeof back[0], device, pitch, sizeof back[0], 3, cudaMemcpyDeviceToHost);
  printf("%d %g %g %g\n", pitch >= sizeof rows[0] && pitch % 32 == 0, back[0][0], back[2][0], back[2][4]);
  cudaFree(device);
  return 0;
}

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "results") return results();
  if (name == "variables") return variables();
  if (name == "templates") return templates();
  if (name == "limits") return limits();
  if (name == "facts") return facts();
  if (name == "streams") return streams();
  if (name == "unordered") return unordered();
  if (name == "outside") return outside();
  if (name == "bounds") return bounds();
  if (name == "memory") return memory();
  if (name == "unset") return unset();
  if (name == "pointer") return pointer();
  if (name == "graph") return graph();
  if (name == "refused") return refused();
  if (name == "errors") return errors();
  if (name == "pitched") return pitched();
  return 99;
}
