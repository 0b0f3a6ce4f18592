// What several processes know of a notifier: how often it has been placed, and which of these places has been reached.
#pragma once
#include <stdint.h>

#include <atomic>
#include <memory>
#include <string>

namespace mlusim {

class SharedMark {
 public:
  // Null where the system has no memory for it.
  static std::shared_ptr<SharedMark> make();
  // That of a handle; null, and why, where there is none.
  static std::shared_ptr<SharedMark> open(uint64_t handle, std::string& why);
  ~SharedMark();
  SharedMark(const SharedMark&) = delete;
  SharedMark& operator=(const SharedMark&) = delete;

  // By which other processes open it: this process, and the descriptor of the memory here.
  uint64_t handle() const;
  // It is placed: the number of the place, which is reached later.
  uint32_t place();
  void reach(uint32_t place);
  uint32_t placed() const { return words_->placed; }
  bool is_reached(uint32_t place) const { return (int32_t)(words_->reached - place) >= 0; }
  // Wait until a place is reached; false if the process that has placed it last ends before.
  bool wait(uint32_t place) const;

 private:
  struct Words {
    std::atomic<uint32_t> placed, reached;
    std::atomic<int> process;  // that has placed it last
  };
  SharedMark(int file, Words* words) : file_(file), words_(words) {}
  static std::shared_ptr<SharedMark> map(int file);

  int file_;
  Words* words_;
};

}  // namespace mlusim
