// Messages as simulator/frames.py has them: a head, fields one after another, bytes, and a descriptor with a reply.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <string>
#include <vector>

namespace mlusim {

// The bytes that a message may end with.
struct Body {
  const void* start = nullptr;
  size_t size = 0;
};

// Writes the fields of a message: `each` of its structure hands them over.
class Packer {
 public:
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void put(uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put(int64_t value) { put(static_cast<uint64_t>(value)); }
  void put(bool value) { put(static_cast<uint64_t>(value)); }
  void put(const std::string& value) {
    put(static_cast<uint64_t>(value.size()));
    bytes_ += value;
  }
  template <class Item>
  void put(const std::vector<Item>& values) {
    put(static_cast<uint64_t>(values.size()));
    for (const Item& value : values) put(value);
  }
  template <class Part>
  void put(const Part& part) {
    Part::each(part, *this);
  }

  std::string bytes_;
};

// Reads the fields of a message; what does not fit leaves it broken.
class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : at_(bytes.data()), left_(bytes.size()) {}
  template <class... Values>
  void operator()(Values&... values) {
    (take(values), ...);
  }
  // Whether every field was there, and nothing more.
  bool whole() const { return !broken_ && !left_; }

 private:
  void take(uint64_t& value) {
    if (const char* from = skip(sizeof value)) memcpy(&value, from, sizeof value);
  }
  void take(int64_t& value) {
    uint64_t bits = 0;
    take(bits);
    value = static_cast<int64_t>(bits);
  }
  void take(bool& value) {
    uint64_t bits = 0;
    take(bits);
    value = bits != 0;
  }
  void take(std::string& value) {
    uint64_t size = 0;
    take(size);
    if (const char* from = skip(size)) value.assign(from, size);
  }
  template <class Item>
  void take(std::vector<Item>& values) {
    uint64_t count = 0;
    take(count);
    if (count > left_) broken_ = true;
    for (uint64_t i = 0; i < count && !broken_; i++) take(values.emplace_back());
  }
  template <class Part>
  void take(Part& part) {
    Part::each(part, *this);
  }
  const char* skip(uint64_t count) {
    if (broken_ || count > left_) {
      broken_ = true;
      return nullptr;
    }
    const char* from = at_;
    at_ += count, left_ -= count;
    return from;
  }

  const char* at_;
  uint64_t left_;
  bool broken_ = false;
};

// Send a message; false when the other side is gone. Takes no memory.
bool send_frame(int socket, uint16_t kind, Body fields, Body body);
// Receive a message of a kind that has no body; false for another one, and when the other side is gone.
bool receive_frame(int socket, uint16_t kind, std::string& fields, int& descriptor);

}  // namespace mlusim
