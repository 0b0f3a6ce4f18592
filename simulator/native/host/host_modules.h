// Modules: shared libraries that hold images of kernels, as the toolkit's compilers write them.
#pragma once
#include <stddef.h>

extern "C" {
// How a module could not be loaded.
enum mlusim_module_problem { MLUSIM_LOADED, MLUSIM_NO_FILE, MLUSIM_NO_MODULE, MLUSIM_NO_SPACE };
// Load a module from a file, or from memory, where its own head says how long it is, `most` bytes at the most.
// `dlclose` unloads it.
enum mlusim_module_problem mlusim_load_file(const char* path, void** library);
// The same; where there is no such file, the program itself, if it has kernels.
enum mlusim_module_problem mlusim_load_file_or_program(const char* path, void** library);
enum mlusim_module_problem mlusim_load_bytes(const void* bytes, size_t most, void** library);
// What is wrong, for a finding.
const char* mlusim_why_not_loaded(enum mlusim_module_problem problem);
}
