// Measures on a card what the timing model of mlusim needs, and prints the table that `mlusim calibrate` takes:
//   ./card NAME > card.csv
// NAME is the device as mlusim calls it. A time is the least of LAUNCHES: on a bm1690 between two events of its
// runtime, on a bm1684x, with -DBMLIB, by the clock of the host; where a simulator stands for the card that clock is
// the simulator's.
#include <stdio.h>

#include <chrono>
#include <initializer_list>

struct __attribute__((packed)) Row {
  unsigned long long far;
  int bytes, times, parts;
};

static const size_t APART = 4 << 20;

#ifdef BMLIB
#include <bmlib_runtime.h>
static const char* const CLOCK = "host";
static bm_handle_t handle;
static tpu_kernel_module_t module;

static bm_device_mem_t memory;

static bool begin(unsigned long long* far, int cores, const char* path) {
  if (bm_dev_request(&handle, 0) || bm_malloc_device_byte(handle, &memory, cores * APART)) return false;
  if (bm_memset_device(handle, 0, memory)) return false;
  *far = bm_mem_get_device_addr(memory);
  return (module = tpu_kernel_load_module_file(handle, path));
}

static void end() {
  tpu_kernel_free_module(handle, module);
  bm_free_device(handle, memory);
  bm_dev_free(handle);
}

static double launched(const char* kernel, Row row, int) {
  const auto before = std::chrono::steady_clock::now();
  const auto function = tpu_kernel_get_function(handle, module, kernel);
  if (tpu_kernel_launch_sync(handle, function, &row, sizeof row)) return -1;
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - before).count();
}
#else
#include <tpuv7_rt.h>
static const char* const CLOCK = "device";
static tpuRtStream_t stream;
static tpuRtKernelModule_t module;
static tpuRtEvent_t first, last;

static void* memory;

static bool begin(unsigned long long* far, int cores, const char* path) {
  if (tpuRtInit() || tpuRtSetDevice(0) || tpuRtStreamCreate(&stream)) return false;
  if (tpuRtEventCreate(&first) || tpuRtEventCreate(&last) || tpuRtMalloc(&memory, cores * APART, 0)) return false;
  if (tpuRtMemset(memory, 0, cores * APART)) return false;
  *far = (unsigned long long)memory;
  return (module = tpuRtKernelLoadModuleFile(path, stream));
}

static void end() {
  tpuRtKernelUnloadModule(module, stream);
  tpuRtFree(&memory, 1);
  tpuRtEventFree(first, stream);
  tpuRtEventFree(last, stream);
  tpuRtStreamDestroy(stream);
}

static double launched(const char* kernel, Row row, int cores) {
  float took;
  if (tpuRtEventRecord(first, stream) || tpuRtKernelLaunchAsync(module, kernel, &row, sizeof row, 1, cores, stream) ||
      tpuRtEventRecord(last, stream) || tpuRtStreamSynchronize(stream) || tpuRtEventElapsedTime(&took, first, last))
    return -1;
  return took * 1e3;
}
#endif

static const char* platform;
static unsigned long long far;
static bool failed = false;

static void row(const char* kernel, int cores, int bytes, int times, int parts) {
  double least = launched(kernel, {far, bytes, times, parts}, cores);
  for (int launch = 1; launch < LAUNCHES && least >= 0; launch++) {
    const double us = launched(kernel, {far, bytes, times, parts}, cores);
    if (us < least) least = us;
  }
  if (least < 0) fprintf(stderr, "%s of %d bytes failed\n", kernel, bytes);
  failed |= least < 0;
  printf("%s,%s,float32,bytes=%d times=%d parts=%d,\"CORES dim={%d,1,1}\",%.3f,%s\n", platform, kernel, bytes, times,
         parts, cores, least, CLOCK);
}

int main(int count, char** words) {
  if (count != 2 && count != 3) {
    fprintf(stderr, "pass the name of the device as mlusim calls it, such as bm1690; then perhaps the kernels' file\n");
    return 2;
  }
  platform = words[1];
  if (!begin(&far, CORES, count == 3 ? words[2] : "./kernels.so")) {
    fprintf(stderr, "the device does not answer\n");
    return 1;
  }
  printf("platform,operator,dtype,shape_or_case,task_dim_or_job_type,hw_time_us,clock\n");
  row("launches", 1, 0, 1, 1);
  row("waits", 1, 0, 1024, 1);
  if (CORES > 1) {
    row("launches", CORES, 0, 1, 1);
    row("barriers", CORES, 0, 1024, 1);
  }
  for (int bytes : {64, 8192, 65536}) row("flushes", 1, bytes, 256, 1);
  row("scalars", 1, 0, 65536, 1);
  row("reads", 1, 0, 16384, 1);
  for (int bytes : {64, 1024, 8192}) {
    for (const char* kernel : {"loads", "stores", "loads_waited", "moves"}) row(kernel, 1, bytes, 64, 1);
    if (CORES > 1) row("loads", CORES, bytes, 64, 1);
#ifndef BMLIB
    row("copies_by_sdma", 1, 32 * bytes, 64, 1);
#endif
  }

  // Each class at a length that takes little longer than the processor needs to issue it, and at a longer one.
  row("additions", 1, 256, 1024, 1);
  const struct {
    const char* kernel;
    int bytes, longer, parts;
  } classes[] = {
      {"additions", 8192, 16384, 1},
      {"selections", 8192, 16384, 1},
      {"requantizations", 8192, 16384, 1},
      {"broadcasts", 8192, 16384, 1},
      {"poolings", 2048, 8192, 1},
      {"depthwise", 4096, 16384, 1},
      {"logarithms", 64, 256, 1},
      {"roots", 256, 1024, 1},
      {"gathers", 512, 2048, 1},
      {"transpositions", 128, 512, 1},
      {"convolutions", 128, 512, 64},
      {"convolutions_half", 1024, 4096, 64},
      {"products_half", 1024, 4096, 64},
      {"products_right", 1024, 4096, 64},
      {"products_both", 1024, 4096, 64},
      {"sorts", 1024, 4096, 1},
      {"line_gathers", 1024, 32768, 1},
  };
  for (const auto& each : classes)
    for (int bytes : {each.bytes, each.longer}) row(each.kernel, 1, bytes, TIMES, each.parts);
  for (int bytes : {16384, 32768}) row("gathers_of_lines", 1, bytes, 64, 1);
  for (int rows : {2, 8}) row("products", 1, 4096, TIMES, rows);
  end();
  return failed;
}
