// Matrix products of 32-bit floats on the BM1684.
#define OKK
#include "float_product.h"

void matmul(const void *arguments) {
  okk_initialize();
  multiply_all_floats((const product_args_t *)arguments);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(matmul);
