// A small harness: `TEST(name) { CHECK(...); }`, and `main` runs them all.
#pragma once
#include <cstdio>
#include <vector>

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

inline int& failures() {
  static int count = 0;
  return count;
}

struct Registered {
  Registered(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

#define TEST(name)                                        \
  static void name();                                     \
  static const Registered registered_##name(#name, name); \
  static void name()

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      ++failures();                                                             \
    }                                                                           \
  } while (0)

inline int run_all() {
  for (const Test& test : tests()) test.run();
  std::printf("%zu tests, %d failures\n", tests().size(), failures());
  return failures() != 0;
}
