// bmlib, by which host programs use Sophgo's chips.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  BM_SUCCESS = 0,
  BM_ERR_DEVNOTREADY = 1,
  BM_ERR_FAILURE = 2,
  BM_ERR_TIMEOUT = 3,
  BM_ERR_PARAM = 4,
  BM_ERR_NOMEM = 5,
  BM_ERR_DATA = 6,
  BM_ERR_BUSY = 7,
  BM_ERR_NOFEATURE = 8,
  BM_NOT_SUPPORTED = 9
} bm_status_t;

typedef enum {
  BM_MEM_TYPE_DEVICE = 0,
  BM_MEM_TYPE_HOST = 1,
  BM_MEM_TYPE_SYSTEM = 2,
  BM_MEM_TYPE_INT8_DEVICE = 3,
  BM_MEM_TYPE_INVALID = 4
} bm_mem_type_t;

typedef union {
  struct {
    bm_mem_type_t mem_type : 3;
    unsigned int gmem_heapid : 3;
    unsigned int reserved : 26;
  } u;
  unsigned int rawflags;
} bm_mem_flags_t;

// Memory of the device, or of the host: where it lies, and its bytes. It is passed by value.
typedef struct bm_mem_desc {
  union {
    struct {
      unsigned long device_addr;
      unsigned int reserved;
      int dmabuf_fd;
    } device;
    struct {
      void* system_addr;
      unsigned int reserved0;
      int reserved1;
    } system;
  } u;
  bm_mem_flags_t flags;
  unsigned int size;
} bm_mem_desc_t;
typedef bm_mem_desc_t bm_device_mem_t, bm_system_mem_t;

#define BM_MEM_ADDR_NULL (0xfffffffff)
#define BM_MEM_NULL (bm_mem_null())

typedef struct bm_context* bm_handle_t;

bm_status_t bm_dev_getcount(int* count);
bm_status_t bm_dev_query(int device);
bm_status_t bm_dev_request(bm_handle_t* handle, int device);
int bm_get_devid(bm_handle_t handle);
void bm_dev_free(bm_handle_t handle);

bm_mem_type_t bm_mem_get_type(bm_mem_desc_t memory);
unsigned long long bm_mem_get_device_addr(bm_mem_desc_t memory);
void bm_mem_set_device_addr(bm_mem_desc_t* memory, unsigned long long address);
unsigned int bm_mem_get_device_size(bm_mem_desc_t memory);
void bm_mem_set_device_size(bm_mem_desc_t* memory, unsigned int bytes);
void bm_set_device_mem(bm_device_mem_t* memory, unsigned int bytes, unsigned long long address);
bm_device_mem_t bm_mem_from_device(unsigned long long address, unsigned int bytes);
void* bm_mem_get_system_addr(bm_mem_desc_t memory);
void bm_mem_set_system_addr(bm_mem_desc_t* memory, void* address);
bm_system_mem_t bm_mem_from_system(void* address);
bm_device_mem_t bm_mem_null(void);

bm_status_t bm_malloc_neuron_device(bm_handle_t handle, bm_device_mem_t* memory, int n, int c, int h, int w);
bm_status_t bm_malloc_device_dword(bm_handle_t handle, bm_device_mem_t* memory, int count);
bm_status_t bm_malloc_device_byte(bm_handle_t handle, bm_device_mem_t* memory, unsigned int bytes);
void bm_free_device(bm_handle_t handle, bm_device_mem_t memory);

bm_status_t bm_memcpy_s2d(bm_handle_t handle, bm_device_mem_t to, void* from);
bm_status_t bm_memcpy_s2d_partial(bm_handle_t handle, bm_device_mem_t to, void* from, unsigned int bytes);
bm_status_t bm_memcpy_s2d_partial_offset(bm_handle_t handle, bm_device_mem_t to, void* from, unsigned int bytes,
                                         unsigned int offset);
bm_status_t bm_memcpy_d2s(bm_handle_t handle, void* to, bm_device_mem_t from);
bm_status_t bm_memcpy_d2s_partial(bm_handle_t handle, void* to, bm_device_mem_t from, unsigned int bytes);
bm_status_t bm_memcpy_d2s_partial_offset(bm_handle_t handle, void* to, bm_device_mem_t from, unsigned int bytes,
                                         unsigned int offset);
bm_status_t bm_memcpy_d2d_byte(bm_handle_t handle, bm_device_mem_t to, size_t to_offset, bm_device_mem_t from,
                               size_t from_offset, size_t bytes);
bm_status_t bm_memset_device(bm_handle_t handle, const int value, bm_device_mem_t memory);

bm_status_t bm_device_sync(bm_handle_t handle);
bm_status_t bm_handle_sync(bm_handle_t handle);
bm_status_t bm_thread_sync(bm_handle_t handle);

// Kernels that are linked with the program. They are there without firmware: loading it does nothing.
bm_status_t okkernel_load_firmware(bm_handle_t handle, const char* tcm, const char* ddr);
bm_status_t okkernel_launch_sync(bm_handle_t handle, const char* kernel, const void* arguments, unsigned int bytes);
bm_status_t okkernel_launch_async(bm_handle_t handle, const char* kernel, const void* arguments, unsigned int bytes);
bm_status_t okkernel_sync(bm_handle_t handle);

// Kernels of modules: shared libraries that the toolkit's compiler has made.
typedef struct bm_module* tpu_kernel_module_t;
typedef int tpu_kernel_function_t;
tpu_kernel_module_t tpu_kernel_load_module_file(bm_handle_t handle, const char* path);
tpu_kernel_module_t tpu_kernel_load_module(bm_handle_t handle, const char* content, size_t bytes);
bm_status_t tpu_kernel_free_module(bm_handle_t handle, tpu_kernel_module_t module);
bm_status_t tpu_kernel_unload_module(bm_handle_t handle, tpu_kernel_module_t module);
tpu_kernel_function_t tpu_kernel_get_function(bm_handle_t handle, tpu_kernel_module_t module, const char* name);
bm_status_t tpu_kernel_launch(bm_handle_t handle, tpu_kernel_function_t function, void* arguments, size_t bytes);
bm_status_t tpu_kernel_launch_sync(bm_handle_t handle, tpu_kernel_function_t function, void* arguments, size_t bytes);
bm_status_t tpu_kernel_launch_async(bm_handle_t handle, tpu_kernel_function_t function, void* arguments, size_t bytes);
bm_status_t tpu_kernel_sync(bm_handle_t handle);

#ifdef __cplusplus
}
#endif
