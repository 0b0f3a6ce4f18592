// References of test cases: what functions may be called with.
#include <stddef.h>
#include <stdint.h>

enum Way { WAY_UP, WAY_DOWN };

void right(const float* first, int64_t first_count, float factor, float* result) {
  for (int64_t i = 0; i < first_count; i++) result[i] = first[i] * factor;
}

extern "C" int wrong(float* y, const void* x, size_t first_count) {
  for (size_t i = 0; i < first_count; i++) y[i] = ((const float*)x)[i] * 2;
  return 7;
}

// Sums of rows, and whether one of them has a sign: of tensors that are bound in order, by names that they do not have.
void rows(const float* a, const uint16_t* bits, const int* first_dims, uint8_t first_rank, Way way, const double scales[],
          float* sums, uint8_t* negative) {
  for (int row = 0; row < first_dims[0]; row++) {
    for (int at = 0; at < first_dims[first_rank - 1]; at++) {
      int place = row * first_dims[1] + at;
      sums[row] += a[place] * (float)scales[way];
      negative[row] |= bits[place] >> 15;
    }
  }
}

void pairs(const float* z, int z_count, float* conjugate) {
  for (int i = 0; i < z_count; i++) conjugate[2 * i] = z[2 * i], conjugate[2 * i + 1] = -z[2 * i + 1];
}

void minus(const float* a, const float* b, size_t a_count, float* result) {
  for (size_t i = 0; i < a_count; i++) result[i] = a[i] - b[i];
}

void changes(float* first, float* result) {}
void dies(const float* first, float* result) { *(volatile int*)8 = 1; }
void three(const float*, const float*) {}
void wide(const int8_t* first, float* result) {}
static void own(const float*, float*) {}
void (*const used)(const float*, float*) = own;
