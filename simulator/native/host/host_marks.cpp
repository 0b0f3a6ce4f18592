#include "host_marks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace mlusim {
namespace {

constexpr const char* NAME = "mlusim-notifier";
// How long a wait sleeps before it looks whether the other process is still there.
constexpr timespec NAP = {0, 20'000'000};

bool has_ended(int process) {
  int file = (int)syscall(SYS_pidfd_open, process, 0);
  if (file < 0) return errno == ESRCH;  // an older system cannot say it
  pollfd ended = {file, POLLIN, 0};
  bool has = poll(&ended, 1, 0) > 0;
  close(file);
  return has;
}

}  // namespace

std::shared_ptr<SharedMark> SharedMark::map(int file) {
  void* words = mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (words != MAP_FAILED) return std::shared_ptr<SharedMark>(new SharedMark(file, static_cast<Words*>(words)));
  close(file);
  return nullptr;
}

std::shared_ptr<SharedMark> SharedMark::make() {
  int file = memfd_create(NAME, MFD_CLOEXEC);
  if (file < 0) return nullptr;
  if (!ftruncate(file, sizeof(Words))) return map(file);
  close(file);
  return nullptr;
}

std::shared_ptr<SharedMark> SharedMark::open(uint64_t handle, std::string& why) {
  std::string path = "/proc/" + std::to_string(handle >> 32) + "/fd/" + std::to_string(handle & UINT32_MAX);
  char target[64] = {};
  std::shared_ptr<SharedMark> found;
  int file = -1;
  if (readlink(path.c_str(), target, sizeof target - 1) > 0 &&
      !std::string(target).rfind(std::string("/memfd:") + NAME, 0))
    file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file >= 0) found = map(file);
  if (!found) why = "no notifier has this handle: it has been destroyed, or its program has ended";
  return found;
}

SharedMark::~SharedMark() {
  munmap(words_, sizeof *words_);
  close(file_);
}

uint64_t SharedMark::handle() const { return (uint64_t)getpid() << 32 | (uint32_t)file_; }

uint32_t SharedMark::place() {
  words_->process = getpid();
  return ++words_->placed;
}

void SharedMark::reach(uint32_t place) {
  words_->reached = place;
  syscall(SYS_futex, &words_->reached, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool SharedMark::wait(uint32_t place) const {
  while (!is_reached(place)) {
    syscall(SYS_futex, &words_->reached, FUTEX_WAIT, words_->reached.load(), &NAP, nullptr, 0);
    if (!is_reached(place) && has_ended(words_->process)) return is_reached(place);
  }
  return true;
}

}  // namespace mlusim
