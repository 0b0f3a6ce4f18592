// What the compiler of `.mlu` files puts into a program: images of kernels, and calls that launch them.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "cnrt.h"

#ifdef __cplusplus
extern "C" {
#endif

// A kernel: the address by which host code names it, and where the function lies that has its name. They differ where a
// program names a kernel of a library.
struct mlusim_kernel {
  const void *address, *body;
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
// The body of a kernel in host code.
void mlusim_enter_kernel(const struct mlusim_argument* arguments, uint64_t count);

#ifdef __cplusplus
}
#endif
