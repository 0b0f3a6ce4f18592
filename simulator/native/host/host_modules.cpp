#include "host_modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "host_kernels.h"
#include "host_link.h"

namespace {

// How many bytes a library in memory has, where there are `most`; 0 for what is none.
size_t size_of(const void* binary, size_t most) {
  Elf64_Ehdr header;
  if (most < sizeof header) return 0;
  memcpy(&header, binary, SELFMAG);
  if (memcmp(&header, ELFMAG, SELFMAG) != 0) return 0;
  memcpy(&header, binary, sizeof header);
  if (header.e_type != ET_DYN) return 0;
  size_t end = header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
  if (header.e_phoff > most || most - header.e_phoff < (size_t)header.e_phnum * header.e_phentsize) return 0;
  for (size_t i = 0; i < header.e_phnum; i++) {
    Elf64_Phdr part;
    memcpy(&part, (const char*)binary + header.e_phoff + i * header.e_phentsize, sizeof part);
    end = std::max<size_t>(end, part.p_offset + part.p_filesz);
  }
  return end <= most ? end : 0;
}

// Each load has a file of its own: the loader would give the same library for the same one.
mlusim_module_problem load(const char* bytes, size_t size, void** library) {
  char path[] = "/tmp/mlusim-module-XXXXXX";
  int file = mkstemp(path);
  if (file < 0) return MLUSIM_NO_SPACE;
  bool written = write(file, bytes, size) == (ssize_t)size;
  close(file);
  *library = written ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : nullptr;
  unlink(path);
  if (*library) return MLUSIM_LOADED;
  return written ? MLUSIM_NO_MODULE : MLUSIM_NO_SPACE;
}

}  // namespace

MLUSIM_API mlusim_module_problem mlusim_load_file(const char* path, void** library) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return MLUSIM_NO_FILE;
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return load(bytes.data(), bytes.size(), library);
}

MLUSIM_API mlusim_module_problem mlusim_load_file_or_program(const char* path, void** library) {
  mlusim_module_problem problem = mlusim_load_file(path, library);
  if (problem != MLUSIM_NO_FILE || !mlusim_has_own_kernels()) return problem;
  *library = dlopen(nullptr, RTLD_LAZY);
  return *library ? MLUSIM_LOADED : MLUSIM_NO_FILE;
}

MLUSIM_API mlusim_module_problem mlusim_load_bytes(const void* bytes, size_t most, void** library) {
  size_t size = size_of(bytes, most);
  return size ? load((const char*)bytes, size, library) : MLUSIM_NO_MODULE;
}

MLUSIM_API const char* mlusim_why_not_loaded(mlusim_module_problem problem) {
  if (problem == MLUSIM_NO_FILE) return "the file cannot be read";
  if (problem == MLUSIM_NO_MODULE) return "it is no module that the toolkit's compiler has made";
  return "there is no space in /tmp for the module";
}
