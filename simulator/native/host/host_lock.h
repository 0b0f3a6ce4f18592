// Locks that a forked child finds open: the thread that had taken one is not in the child.
#pragma once
#include <pthread.h>

#include <mutex>
#include <new>
#include <vector>

namespace mlusim {

class Lock : public std::recursive_mutex {
 public:
  Lock() { all().push_back(this); }

 private:
  // Never destroyed, as are the locks; each is made before a thread can meet it.
  static std::vector<Lock*>& all() {
    static std::vector<Lock*>& made = *watched();
    return made;
  }
  static std::vector<Lock*>* watched() {
    pthread_atfork(nullptr, nullptr, [] {
      for (Lock* lock : all()) new (static_cast<std::recursive_mutex*>(lock)) std::recursive_mutex;
    });
    return new std::vector<Lock*>;
  }
};
using Locked = std::lock_guard<Lock>;

}  // namespace mlusim
