// Conversions of numbers in host memory.
#include <math.h>
#include <string.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "host_link.h"
#include "host_status.h"
#include "mlusim_half.h"

struct cnrtQuantizedParam {
  int position;
  float scale;
  int offset;
};

namespace mlusim {
namespace {

enum Type { NONE, F16, BF16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, BOOLEAN };

size_t width(Type type) {
  static const size_t bytes[] = {0, 2, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1};
  return bytes[type];
}

template <class T>
T get(const void* from, size_t at) {
  T value;
  memcpy(&value, (const char*)from + at * sizeof(T), sizeof(T));
  return value;
}

double load(const void* from, Type type, size_t at) {
  switch (type) {
    case F16:
      return Binary16::widen(get<uint16_t>(from, at));
    case BF16:
      return Bfloat16::widen(get<uint16_t>(from, at));
    case F32:
      return get<float>(from, at);
    case F64:
      return get<double>(from, at);
    case I8:
      return get<int8_t>(from, at);
    case I16:
      return get<int16_t>(from, at);
    case I32:
      return get<int32_t>(from, at);
    case I64:
      return (double)get<int64_t>(from, at);
    case U8:
      return get<uint8_t>(from, at);
    case U16:
      return get<uint16_t>(from, at);
    case U32:
      return get<uint32_t>(from, at);
    case U64:
      return (double)get<uint64_t>(from, at);
    case BOOLEAN:
      return get<uint8_t>(from, at) != 0;
    default:
      return 0;
  }
}

double rounded(double x, cnrtRoundingMode_t mode) {
  double low = floor(x);
  switch (mode) {
    case cnrtRounding_rz:
      return trunc(x);
    case cnrtRounding_rd:
      return low;
    case cnrtRounding_ru:
      return ceil(x);
    case cnrtRounding_ro:
      return x < 0 ? low : ceil(x);
    case cnrtRounding_rm:
      return x - low >= 0.5 ? low + 1 : low;
    default:
      return nearbyint(x);
  }
}

// Whole numbers saturate, and NaN becomes 0.
template <class T>
void put_whole(void* to, size_t at, double x, cnrtRoundingMode_t mode) {
  double value = x != x ? 0 : rounded(x, mode);
  T result = value <= (double)std::numeric_limits<T>::min()   ? std::numeric_limits<T>::min()
             : value >= (double)std::numeric_limits<T>::max() ? std::numeric_limits<T>::max()
                                                              : (T)value;
  memcpy((char*)to + at * sizeof(T), &result, sizeof(T));
}

void store(void* to, Type type, size_t at, double x, cnrtRoundingMode_t mode) {
  uint16_t narrow;
  float single = (float)x;
  switch (type) {
    case F16:
      narrow = Binary16::narrow(single);
      memcpy((char*)to + 2 * at, &narrow, 2);
      break;
    case BF16:
      narrow = Bfloat16::narrow(single);
      memcpy((char*)to + 2 * at, &narrow, 2);
      break;
    case F32:
      memcpy((char*)to + 4 * at, &single, 4);
      break;
    case F64:
      memcpy((char*)to + 8 * at, &x, 8);
      break;
    case I8:
      put_whole<int8_t>(to, at, x, mode);
      break;
    case I16:
      put_whole<int16_t>(to, at, x, mode);
      break;
    case I32:
      put_whole<int32_t>(to, at, x, mode);
      break;
    case I64:
      put_whole<int64_t>(to, at, x, mode);
      break;
    case U8:
      put_whole<uint8_t>(to, at, x, mode);
      break;
    case U16:
      put_whole<uint16_t>(to, at, x, mode);
      break;
    case U32:
      put_whole<uint32_t>(to, at, x, mode);
      break;
    case U64:
      put_whole<uint64_t>(to, at, x, mode);
      break;
    case BOOLEAN:
      ((uint8_t*)to)[at] = x != 0;
      break;
    default:
      break;
  }
}

Type type_of(cnrtDataType_t type) {
  switch (type) {
    case CNRT_FLOAT16:
      return F16;
    case CNRT_FLOAT32:
      return F32;
    case CNRT_FLOAT64:
      return F64;
    case CNRT_INT8:
      return I8;
    case CNRT_INT16:
      return I16;
    case CNRT_INT32:
      return I32;
    case CNRT_INT64:
      return I64;
    case CNRT_UINT8:
      return U8;
    case CNRT_UINT16:
      return U16;
    case CNRT_UINT32:
      return U32;
    case CNRT_BOOL:
      return BOOLEAN;
    default:
      return NONE;
  }
}

Type type_of(cnrtDataType_V2_t type) {
  switch (type) {
    case cnrtHalf:
      return F16;
    case cnrtBfloat:
      return BF16;
    case cnrtFloat:
      return F32;
    case cnrtDouble:
      return F64;
    case cnrtChar:
      return I8;
    case cnrtShort:
      return I16;
    case cnrtInt:
      return I32;
    case cnrtLonglong:
      return I64;
    case cnrtUchar:
      return U8;
    case cnrtUshort:
      return U16;
    case cnrtUint:
      return U32;
    case cnrtUlonglong:
      return U64;
    case cnrtBoolean:
      return BOOLEAN;
    default:
      return NONE;
  }
}

bool whole(Type type) { return type >= I8 && type <= U64; }

cnrtRet_t cast(const void* from, Type from_type, void* to, Type to_type, int count, cnrtQuantizedParam_t param,
               cnrtRoundingMode_t mode, const char* function) {
  if (!from || !to || count < 0)
    return failed(cnrtErrorArgsInvalid, "an array to convert is null, or its length negative");
  if (!from_type || !to_type) return not_modelled((std::string(function) + " of one of these types").c_str());
  double factor = param ? (double)param->scale / ldexp(1, param->position) : 1;
  double offset = param ? param->offset : 0;
  bool narrows = width(to_type) > width(from_type);  // in place, the last comes first
  for (int i = 0; i < count; i++) {
    size_t at = (size_t)(narrows ? count - 1 - i : i);
    double x = load(from, from_type, at);
    if (param && whole(to_type) && !whole(from_type)) x = x * factor + offset;
    if (param && whole(from_type) && !whole(to_type)) x = (x - offset) / factor;
    store(to, to_type, at, x, mode);
  }
  return cnrtSuccess;
}

// Puts each element where the order of the axes wants it.
cnrtRet_t put_in_order(const char* from, char* to, size_t bytes, const std::vector<int>& sizes, const int* order) {
  std::vector<size_t> strides(sizes.size(), bytes);  // of the source, in the order of the result's axes
  std::vector<bool> seen(sizes.size());
  size_t count = 1;
  for (size_t axis = 0; axis < sizes.size(); axis++) {
    if (order[axis] < 0 || order[axis] >= (int)sizes.size() || seen[order[axis]] || sizes[axis] < 0)
      return failed(cnrtErrorArgsInvalid, "an axis has a negative size, or the order does not name each axis once");
    seen[order[axis]] = true;
    for (size_t inner = order[axis] + 1; inner < sizes.size(); inner++) strides[axis] *= (size_t)sizes[inner];
    count *= (size_t)sizes[axis];
  }
  for (size_t at = 0; at < count; at++) {
    size_t rest = at, place = 0;
    for (size_t axis = sizes.size(); axis--;) {
      size_t size = (size_t)sizes[order[axis]];
      place += rest % size * strides[axis];
      rest /= size;
    }
    memcpy(to + at * bytes, from + place, bytes);
  }
  return cnrtSuccess;
}

cnrtRet_t reordered(void* from, cnrtDataType_t type, void* to, int axes, const int* sizes, const int* order) {
  if (!from || !to || !sizes || !order || axes < 1 || from == to)
    return failed(cnrtErrorArgsInvalid, "an array is null, or source and result are the same");
  if (!type_of(type)) return not_modelled("cnrtTransDataOrder of this type");
  return put_in_order((const char*)from, (char*)to, width(type_of(type)), std::vector<int>(sizes, sizes + axes), order);
}

}  // namespace
}  // namespace mlusim

using namespace mlusim;

MLUSIM_API cnrtRet_t cnrtConvertFloatToHalf(uint16_t* to, float from) {
  if (!to) return failed(cnrtErrorArgsInvalid, "the pointer to the result is null");
  *to = Binary16::narrow(from);
  return cnrtSuccess;
}
MLUSIM_API cnrtRet_t cnrtConvertHalfToFloat(float* to, uint16_t from) {
  if (!to) return failed(cnrtErrorArgsInvalid, "the pointer to the result is null");
  *to = Binary16::widen(from);
  return cnrtSuccess;
}
MLUSIM_API cnrtRet_t cnrtConvertDoubleToHalf(uint16_t* to, double from) {
  return cnrtConvertFloatToHalf(to, (float)from);
}
MLUSIM_API cnrtRet_t cnrtConvertHalfToDouble(double* to, uint16_t from) {
  if (!to) return failed(cnrtErrorArgsInvalid, "the pointer to the result is null");
  *to = Binary16::widen(from);
  return cnrtSuccess;
}
MLUSIM_API int cnrtDataTypeSize(cnrtDataType_t type) { return (int)width(type_of(type)); }
MLUSIM_API cnrtRet_t cnrtTransDataOrder(void* from, cnrtDataType_t type, void* to, int axes, int sizes[], int order[]) {
  return reordered(from, type, to, axes, sizes, order);
}
MLUSIM_API cnrtRet_t cnrtTransOrderAndCast(void* from, cnrtDataType_t from_type, void* to, cnrtDataType_t to_type,
                                           cnrtQuantizedParam_t param, int axes, int sizes[], int order[]) {
  size_t count = 1;
  for (int axis = 0; sizes && axis < axes; axis++) count *= (size_t)std::max(sizes[axis], 0);
  std::vector<char> cast_first(count * width(type_of(to_type)) + 1);
  cnrtRet_t status = cnrtCastDataType(from, from_type, cast_first.data(), to_type, (int)count, param);
  return status == cnrtSuccess ? reordered(cast_first.data(), to_type, to, axes, sizes, order) : status;
}
MLUSIM_API cnrtRet_t cnrtReshapeNCHWToNHWC(void* to, void* from, int n, int h, int w, int c, cnrtDataType_t type) {
  const int sizes[] = {n, c, h, w}, order[] = {0, 2, 3, 1};
  return reordered(from, type, to, 4, sizes, order);
}
MLUSIM_API cnrtRet_t cnrtReshapeNHWCToNCHW(void* to, void* from, int n, int h, int w, int c, cnrtDataType_t type) {
  const int sizes[] = {n, h, w, c}, order[] = {0, 3, 1, 2};
  return reordered(from, type, to, 4, sizes, order);
}
MLUSIM_API cnrtRet_t cnrtCreateQuantizedParam(cnrtQuantizedParam_t* param, int position, float scale, int offset) {
  if (!param) return failed(cnrtErrorArgsInvalid, "the pointer to the result is null");
  *param = new cnrtQuantizedParam{position, scale, offset};
  return cnrtSuccess;
}
MLUSIM_API cnrtRet_t cnrtDestroyQuantizedParam(cnrtQuantizedParam_t param) {
  if (!param) return failed(cnrtErrorArgsInvalid, "the parameter is null");
  delete param;
  return cnrtSuccess;
}
MLUSIM_API cnrtRet_t cnrtCastDataType(const void* from, cnrtDataType_t from_type, void* to, cnrtDataType_t to_type,
                                      int count, cnrtQuantizedParam_t param) {
  return cast(from, type_of(from_type), to, type_of(to_type), count, param, cnrtRounding_rn, "cnrtCastDataType");
}
MLUSIM_API cnrtRet_t cnrtCastDataType_V2(const void* from, cnrtDataType_V2_t from_type, void* to,
                                         cnrtDataType_V2_t to_type, int count, cnrtQuantizedParam_t param,
                                         cnrtRoundingMode_t mode) {
  return cast(from, type_of(from_type), to, type_of(to_type), count, param, mode, "cnrtCastDataType_V2");
}
// The layout of filters in the weight memory is not documented.
