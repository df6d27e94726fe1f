// weft_cann/types.h - element types and formats, their sizes and names, and the sets of types that prototypes
// name.
#pragma once
#include <initializer_list>
#include <limits>
#include <map>
#include <vector>

#include "weft/dtype.h"
#include "weft/format.h"
#include "weft_cann/base.h"

// The C spelling: C_DT_FLOAT, C_FORMAT_ND.
typedef enum C_DataType {
#define WEFT_X(name, number, bits, serial, text) C_DT_##name = number,
  WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
      C_DT_MAX = 43
} C_DataType;

namespace ge {
enum DataType {
#define WEFT_X(name, number, bits, serial, text) DT_##name = number,
  WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
  // one past CANN's own; weft's further types lie above
  DT_MAX = 43
};

// A storage format carries more in its upper bytes: bits 0-7 the format, 8-23 the sub-format (groups), 24-31
// C0.
enum Format {
#define WEFT_X(name, number, serial) FORMAT_##name = number,
#define FORMAT_FORMAT_RESERVED       FORMAT_RESERVED
#define FORMAT_FORMAT_ALL            FORMAT_ALL
#define FORMAT_FORMAT_NULL           FORMAT_NULL
  WEFT_FORMAT_LIST(WEFT_X)
#undef FORMAT_FORMAT_RESERVED
#undef FORMAT_FORMAT_ALL
#undef FORMAT_FORMAT_NULL
#undef WEFT_X
      FORMAT_END = 55,
  FORMAT_MAX = 0xff
};

enum Placement { kPlacementHost = 0, kPlacementDevice = 1, kPlacementEnd = 2 };
enum DeviceType { NPU = 0, CPU = 1 };
enum UnknowShapeOpType {
  DEPEND_IN_SHAPE = 1,
  DEPEND_CONST_VALUE = 2,
  DEPEND_SHAPE_RANGE = 3,
  DEPEND_COMPUTE = 4
};

const int64_t UNKNOWN_DIM = -1;
const int64_t UNKNOWN_DIM_NUM = -2;
const std::vector<int64_t> UNKNOWN_SHAPE = {-1};
const std::vector<int64_t> UNKNOWN_RANK = {-2};
const std::vector<int64_t> DUMMY_SHAPE = {-3};
const int64_t SHAPE_RANGE_LOWER_LIMIT = 0;
const int32_t kDataTypeSizeBitOffset = 1000;
const int64_t kWeftStringHeadBytes = 16;  // an address and a length

namespace weft_own {
// Bits of an element, 0 for types without a size.
inline int DataTypeBits(DataType type) {
  switch (static_cast<int>(type)) {
#define WEFT_X(name, number, bits, serial, text) \
  case number:                                   \
    return bits;
    WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
    default:
      return 0;
  }
}

inline const char *DataTypeName(DataType type) {
  switch (static_cast<int>(type)) {
#define WEFT_X(name, number, bits, serial, text) \
  case number:                                   \
    return serial;
    WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
    default:
      return "UNDEFINED";
  }
}
}  // namespace weft_own

// Bytes of an element; 1000 + bits where elements share bytes; -1 for strings and types without a size.
inline int GetSizeByDataType(DataType type) {
  const int bits = weft_own::DataTypeBits(type);
  const bool text = type == DT_STRING || type == DT_STRING_REF;
  if (!bits || text || static_cast<int>(type) >= DT_MAX)
    return -1;
  return bits % 8 ? kDataTypeSizeBitOffset + bits : bits / 8;
}

// Bytes of so many elements: the last byte of packed ones is filled up. -1: a negative count, a type without
// a size, or more than fits. A string counts as its head.
inline int64_t GetSizeInBytes(int64_t count, DataType type) {
  const bool text = type == DT_STRING || type == DT_STRING_REF;
  const int64_t bits = text ? kWeftStringHeadBytes * 8 : weft_own::DataTypeBits(type);
  if (count < 0 || !bits || static_cast<int>(type) >= DT_MAX)
    return -1;
  if (bits % 8 == 0) {
    const int64_t bytes = bits / 8;
    return count > std::numeric_limits<int64_t>::max() / bytes ? -1 : count * bytes;
  }
  if (count > (std::numeric_limits<int64_t>::max() - 7) / bits)
    return -1;
  return (count * bits + 7) / 8;
}

inline int32_t GetPrimaryFormat(int32_t format) {
  return format & 0xff;
}
inline int32_t GetSubFormat(int32_t format) {
  return (format & 0xffff00) >> 8;
}
inline bool HasSubFormat(int32_t format) {
  return GetSubFormat(format) > 0;
}
inline int32_t GetFormatFromSub(int32_t format, int32_t sub) {
  return (format & 0xff) | ((sub & 0xffff) << 8);
}
inline int32_t GetC0Value(int32_t format) {
  const int32_t c0 = (format >> 24) & 0xf;
  return c0 ? 1 << (c0 - 1) : 0;
}
inline bool HasC0Format(int32_t format) {
  return ((format >> 24) & 0xf) != 0;
}
inline int32_t GetFormatFromC0(int32_t format, int32_t c0) {
  return (format & 0xffffff) | ((c0 & 0xf) << 24);
}

inline const char_t *GetFormatName(Format format) {
  switch (GetPrimaryFormat(static_cast<int32_t>(format))) {
#define WEFT_X(name, number, serial) \
  case number:                       \
    return serial;
    WEFT_FORMAT_LIST(WEFT_X)
#undef WEFT_X
    default:
      return "UNKNOWN";
  }
}

struct TensorTypeImpl {
  std::vector<DataType> dt_vec_;
};

// A set of element types, as REG_OP's ports and symbols name it.
struct TensorType {
  explicit TensorType(DataType type) : TensorType({type}) {}
  TensorType(const std::initializer_list<DataType> &types)
      : tensor_type_impl_(std::make_shared<TensorTypeImpl>()) {
    tensor_type_impl_->dt_vec_ = types;
  }
  static TensorType ALL() { return Of(WEFT_SET_ALL); }
  static TensorType QuantifiedType() { return Of(WEFT_SET_QUANTIFIED); }
  static TensorType OrdinaryType() { return Of(WEFT_SET_ORDINARY); }
  static TensorType BasicType() { return Of(WEFT_SET_BASIC); }
  static TensorType NumberType() { return Of(WEFT_SET_NUMBER); }
  static TensorType RealNumberType() { return Of(WEFT_SET_REAL); }
  static TensorType ComplexDataType() { return Of(WEFT_SET_COMPLEX); }
  static TensorType IntegerDataType() { return Of(WEFT_SET_INTEGER); }
  static TensorType SignedDataType() { return {DT_INT16, DT_INT32, DT_INT64, DT_INT8}; }
  static TensorType UnsignedDataType() { return {DT_UINT16, DT_UINT32, DT_UINT64, DT_UINT8}; }
  static TensorType FloatingDataType() {
    return {DT_DOUBLE, DT_FLOAT, DT_FLOAT16};
  }  // bf16 is none, as in CANN
  static TensorType IndexNumberType() { return {DT_INT32, DT_INT64}; }
  static TensorType UnaryDataType() { return Of(WEFT_SET_UNARY); }
  static TensorType FLOAT() { return {DT_FLOAT, DT_FLOAT16, DT_BF16}; }

  std::shared_ptr<TensorTypeImpl> tensor_type_impl_;

 private:
  static TensorType Of(uint64_t set) {
    TensorType type{};
    for (int i = 0; i < 64; i++) {
      if (set >> i & 1)
        type.tensor_type_impl_->dt_vec_.push_back(static_cast<DataType>(i));
    }
    return type;
  }
  TensorType() : TensorType(std::initializer_list<DataType>{}) {}
};

struct ListTensorType {
  explicit ListTensorType(const TensorType &type) : tensor_type(type) {}
  TensorType tensor_type;
};

// The type that several symbols promote to: DATATYPE(T3, Promote({"T1", "T2"})).
class Promote {
 public:
  Promote(const std::initializer_list<const char *> &symbols)
      : names_(std::make_shared<std::vector<const char *>>(symbols)) {}
  Promote(const Promote &) = delete;
  Promote &operator=(const Promote &) = delete;
  Promote(Promote &&) noexcept = default;
  Promote &operator=(Promote &&) noexcept = default;
  std::vector<const char *> Syms() const { return names_ ? *names_ : std::vector<const char *>(); }

 private:
  std::shared_ptr<std::vector<const char *>> names_;
};

class TypeUtils {
 public:
  static std::string DataTypeToSerialString(DataType type) { return weft_own::DataTypeName(type); }
  // DT_UNDEFINED for an unknown word.
  static DataType SerialStringToDataType(const std::string &word) {
    if (word == "DT_FLOAT32")
      return DT_FLOAT;
    for (int i = 0; i < DT_MAX; i++) {
      if (word == weft_own::DataTypeName(static_cast<DataType>(i)))
        return static_cast<DataType>(i);
    }
    return DT_UNDEFINED;
  }
  static std::string FormatToSerialString(Format format) { return GetFormatName(format); }
  // FORMAT_RESERVED for an unknown word.
  static Format SerialStringToFormat(const std::string &word) {
    for (int i = 0; i < FORMAT_END; i++) {
      if (word == GetFormatName(static_cast<Format>(i)))
        return static_cast<Format>(i);
    }
    return FORMAT_RESERVED;
  }
  static Format DataFormatToFormat(const std::string &word) { return SerialStringToFormat(word); }
  static bool GetDataTypeLength(DataType type, uint32_t &length) {
    const int bytes = type == DT_STRING || type == DT_STRING_REF ? 16 : GetSizeByDataType(type);
    if (bytes <= 0)
      return false;
    length = static_cast<uint32_t>(bytes);
    return true;
  }
  static AscendString DataTypeToAscendString(const DataType &type) { return weft_own::DataTypeName(type); }
  static DataType AscendStringToDataType(const AscendString &word) {
    return SerialStringToDataType(word.GetString());
  }
  static AscendString FormatToAscendString(const Format &format) { return GetFormatName(format); }
  static Format AscendStringToFormat(const AscendString &word) {
    return SerialStringToFormat(word.GetString());
  }
  static Format DataFormatToFormat(const AscendString &word) {
    return SerialStringToFormat(word.GetString());
  }
};

template <typename Left, typename Right, typename Result>
bool AddOverflow(Left left, Right right, Result &result) {
  return __builtin_add_overflow(left, right, &result);
}
template <typename Left, typename Right, typename Result>
bool MulOverflow(Left left, Right right, Result &result) {
  return __builtin_mul_overflow(left, right, &result);
}
// Whether a value of one integer type fits into another.
template <typename T>
class IntegerChecker {
 public:
  template <typename T1>
  static bool Compat(const T1 value) {
    T same;
    return !__builtin_add_overflow(value, static_cast<T1>(0), &same);
  }
};
}  // namespace ge

namespace domi {
enum class ImplyType : unsigned int {
  BUILTIN = 0,
  BUILDIN = 0,
  TVM = 1,
  CUSTOM = 2,
  AI_CPU = 3,
  CCE = 4,
  GELOCAL = 5,
  HCCL = 6,
  INVALID = 0xFFFFFFFF
};
using char_t = ge::char_t;
using float32_t = ge::float32_t;
}  // namespace domi
// For headers that a kernel's source brings: there DT_INT32 and its kin are macros, which `#if` compares.
namespace weft_cann {
constexpr ge::DataType kTypeUndefined = ge::DT_UNDEFINED;
constexpr ge::DataType kTypeInt32 = ge::DT_INT32;
constexpr ge::DataType kTypeInt64 = ge::DT_INT64;
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
