// The host's part of a CUDA source: launches, and variables of the device. Functions for the device are gone when it is
// compiled, and the body of a kernel is what launches it; see host/programs/source.py.
#pragma once

extern "C" {
struct mlusim_argument {
  const void* value;
  uint64_t bytes;
};
void mlusim_register_image(const void* image);
void mlusim_forget_image(const void* image);
void mlusim_configure_grid(const dim3* grid, const dim3* block, size_t shared, cudaStream_t stream);
void mlusim_enter_kernel(const struct mlusim_argument* arguments, uint64_t count);
void* mlusim_device_variable(const char* name, const char* space, const char* file, int line, size_t bytes,
                             const void* initial, bool functions);
}

namespace mlusim {

// `kernel<<<grid, block, shared, stream>>>(...)`; the call of the kernel picks up what is said here.
template <class F>
__attribute__((always_inline)) inline void launch(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, F&& call) {
  mlusim_configure_grid(&grid, &block, shared, stream);
  call();
}
template <class F>
__attribute__((always_inline)) inline void launch(dim3 grid, dim3 block, size_t shared, F&& call) {
  launch(grid, block, shared, nullptr, call);
}
template <class F>
__attribute__((always_inline)) inline void launch(dim3 grid, dim3 block, F&& call) {
  launch(grid, block, 0, nullptr, call);
}

// A variable of the device at file scope, as the host names it.
struct Slot {
  const char *name, *space;
  int line;
  const char* file;
  const void* initial = nullptr;
  template <class U>
  operator U&() const {
    using E = std::remove_pointer_t<std::remove_all_extents_t<U>>;
    return *static_cast<U*>(
        mlusim_device_variable(name, space, file, line, sizeof(U), initial, std::is_function_v<E>));
  }
};

}  // namespace mlusim
