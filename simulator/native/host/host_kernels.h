// What the compiler of `.mlu` files puts into a program: images of kernels, and calls that launch them.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "cnrt.h"

#ifdef __cplusplus
extern "C" {
#endif

// A kernel: the address by which host code names it, and where the function lies that has its name. They differ where a
// program names a kernel of a library, and are null where host code has no function for it.
struct mlusim_kernel {
  const void *address, *body;
  const char* name;
};

// An image as the assembler lays it down. What describes it is text, see host/image.py.
struct mlusim_image {
  const char* digest;
  const char* about;
  const void* bytes;
  uint64_t size, kernels;
  const struct mlusim_kernel* table;
};

struct mlusim_argument {
  const void* value;
  uint64_t bytes;
};

void mlusim_register_image(const struct mlusim_image* image);
void mlusim_forget_image(const struct mlusim_image* image);
// What `<<<dim, type, queue>>>` says, for the call of a kernel that follows.
void mlusim_configure(cnrtDim3_t dim, int type, cnrtQueue_t queue);
// Launch a kernel by its name: one of a library that `dlopen` has given, or, for null, of the whole program. It takes a
// structure of these bytes; on as many cores at once as are asked for.
cnrtRet_t mlusim_launch_named(void* library, const char* name, uint64_t cores, const void* arguments, size_t bytes,
                              cnrtQueue_t queue);
// Whether there is such a kernel; a finding says so where there is none.
bool mlusim_has_kernel(void* library, const char* name);
// Whether kernels are linked with the program itself.
bool mlusim_has_own_kernels();
// The same for a grid of blocks of threads, each block with so many bytes of shared memory besides its own.
void mlusim_configure_blocks(cnrtDim3_t grid, cnrtDim3_t block, uint64_t shared, cnrtQueue_t queue);
// Launch such a kernel by its address, with a list of pointers to its arguments.
cnrtRet_t mlusim_launch_blocks(const void* function, cnrtDim3_t grid, cnrtDim3_t block, void** arguments,
                               uint64_t shared, cnrtQueue_t queue);
// Let blocks of a kernel have so many bytes of shared memory besides their own.
cnrtRet_t mlusim_allow_shared(const void* function, uint64_t bytes);
// The body of a kernel in host code.
void mlusim_enter_kernel(const struct mlusim_argument* arguments, uint64_t count);

#ifdef __cplusplus
}
#endif
