// weft_cann/kernel_records.h - a record of tiling data as its kernel sees it: the same macros, the same
// bytes, plain members. Where the kernel's source is compiled, this stands for tiling_data.h. Records have a
// namespace of their own, so that a kernel finds them and nothing else of their header: its constants may
// have names of the kernel's.
#pragma once
#include <cstdint>

#define BEGIN_TILING_DATA_DEF(class_name) \
  inline namespace weft_records {         \
  struct alignas(8) class_name {
// Tests of kernels fill a record as its tiling function does.
#define TILING_DATA_FIELD_DEF(data_type, field_name) \
  data_type field_name;                              \
  void set_##field_name(data_type value) {           \
    field_name = value;                              \
  }                                                  \
  data_type get_##field_name() const {               \
    return field_name;                               \
  }
#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name) \
  arr_type field_name[arr_size];                                  \
  void set_##field_name(const arr_type *values) {                 \
    for (uint64_t i = 0; i < (arr_size); i++)                     \
      field_name[i] = values[i];                                  \
  }                                                               \
  const arr_type *get_##field_name() const {                      \
    return field_name;                                            \
  }
#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) alignas(8) struct_type field_name;
#define END_TILING_DATA_DEF \
  }                         \
  ;                         \
  }
// GET_TILING_DATA's type, for who compiles the kernel of `op_type`.
#define REGISTER_TILING_DATA_CLASS(op_type, class_name) \
  inline namespace weft_records {                       \
  using WeftRecordOf##op_type = class_name;             \
  }
// What a kernel sees of a header that has been read.
#define WEFT_CANN_SEE_RECORDS      \
  inline namespace weft_records {} \
  namespace optiling {             \
  inline namespace weft_records {} \
  }                                \
  using namespace optiling::weft_records;
// SPDX-License-Identifier: Apache-2.0
