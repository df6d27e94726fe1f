// weft_cann/tiling_key.h - ASCENDC_TPL_*: the template arguments of a kernel folded into a tiling key.
// Arguments lie one after another from bit 0: types and formats as their numbers in 8 bits, booleans in one,
// a UINT as its place in the list of declared values.
#pragma once
#include <cstdint>
#include <cstdio>
#include <vector>

#include "weft_cann/types.h"

#define ASCENDC_TPL_AIV_ONLY        0
#define ASCENDC_TPL_AIC_ONLY        1
#define ASCENDC_TPL_MIX_AIV_1_0     4
#define ASCENDC_TPL_MIX_AIC_1_0     5
#define ASCENDC_TPL_MIX_AIC_1_1     6
#define ASCENDC_TPL_MIX_AIC_1_2     7
#define ASCENDC_TPL_AICORE          8
#define ASCENDC_TPL_VECTORCORE      9
#define ASCENDC_TPL_MIX_AICORE      10
#define ASCENDC_TPL_MIX_VECTOR_CORE 11
#define ASCENDC_TPL_MAX             12
#define ASCENDC_TPL_1_BW            1
#define ASCENDC_TPL_2_BW            2
#define ASCENDC_TPL_4_BW            4
#define ASCENDC_TPL_8_BW            8
#define ASCENDC_TPL_DTYPE           0
#define ASCENDC_TPL_FORMAT          1
#define ASCENDC_TPL_UINT            2
#define ASCENDC_TPL_BOOL            3
#define ASCENDC_TPL_INPUT_BIAS      100000000
#define ASCENDC_TPL_OUTPUT_BIAS     900000000
#define ASCENDC_TPL_UI_RANGE        0
#define ASCENDC_TPL_UI_LIST         1
#define ASCENDC_TPL_UI_MIX          2

namespace weft_cann {
// A declared template argument.
struct TilingKeyField {
  const char *name;
  int bits;
  bool by_place;  // the key holds the place in `values`, not the value
  std::vector<uint64_t> values;
};

constexpr uint64_t kNoTilingKey = 0xFFFFFFFFFFFFFFFF;

// The values that a UINT declaration lists: ranges first (their number, then both ends of each), then single
// ones.
inline std::vector<uint64_t> TilingKeyValues(int kind, const std::vector<uint64_t> &given) {
  if (kind == ASCENDC_TPL_UI_LIST || given.empty())
    return given;
  std::vector<uint64_t> values;
  size_t at = 1;
  for (uint64_t range = 0; range < given[0] && at + 1 < given.size(); range++, at += 2) {
    for (uint64_t value = given[at]; value <= given[at + 1] && values.size() < 65536; value++)
      values.push_back(value);
  }
  if (kind == ASCENDC_TPL_UI_MIX && at < given.size())
    values.insert(values.end(), given.begin() + static_cast<ptrdiff_t>(at), given.end());
  return values;
}

inline TilingKeyField TilingKeyUint(const char *name, int bits, int kind,
                                    const std::vector<uint64_t> &given) {
  return {name, bits, true, TilingKeyValues(kind, given)};
}

// kNoTilingKey and a line on stdout when a value is not declared or the arguments need more than 64 bits.
// Values beyond the declared arguments are ignored.
inline uint64_t TilingKey(const std::vector<TilingKeyField> &fields, const std::vector<uint64_t> &given) {
  uint64_t key = 0;
  int used = 0;
  for (size_t i = 0; i < fields.size() && i < given.size(); i++) {
    const TilingKeyField &field = fields[i];
    uint64_t part = given[i];
    if (field.by_place) {
      size_t place = 0;
      while (place < field.values.size() && field.values[place] != given[i])
        place++;
      if (place == field.values.size()) {
        printf("tiling key: %s = %llu is not among its declared values\n", field.name,
               static_cast<unsigned long long>(given[i]));
        return kNoTilingKey;
      }
      part = place;
    }
    if (used + field.bits > 64) {
      printf("tiling key: %s ends at bit %d, 64 are there\n", field.name, used + field.bits);
      return kNoTilingKey;
    }
    key |= part << used;
    used += field.bits;
  }
  return key;
}

template <typename... Values>
std::vector<uint64_t> TilingKeyArguments(Values... values) {
  return {static_cast<uint64_t>(values)...};
}
}  // namespace weft_cann

#ifdef WEFT_ASC_TPL_TEXT
#define ASCENDC_TPL_INPUT(x)  weft_tpl_in x
#define ASCENDC_TPL_OUTPUT(x) weft_tpl_out x
// As words that `weft op kernels` reads from the preprocessed source (cli/op_templates.c).
#define ASCENDC_TPL_DTYPE_DECL(x, ...)          weft_tpl_type x 8 1 : __VA_ARGS__;
#define ASCENDC_TPL_DATATYPE_DECL(x, ...)       weft_tpl_type x 8 1 : __VA_ARGS__;
#define ASCENDC_TPL_FORMAT_DECL(x, ...)         weft_tpl_plain x 8 1 : __VA_ARGS__;
#define ASCENDC_TPL_UINT_DECL(x, bw, kind, ...) weft_tpl_uint x bw kind : __VA_ARGS__;
#define ASCENDC_TPL_BOOL_DECL(x, ...)           weft_tpl_plain x 1 1 : __VA_ARGS__;
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...)    weft_tpl_plain x 8 1 : __VA_ARGS__;
#define ASCENDC_TPL_ARGS_DECL(x, ...)           __VA_ARGS__
#define ASCENDC_TPL_SEL(...)                    __VA_ARGS__
#define ASCENDC_TPL_ARGS_SEL(...)               weft_tpl_set __VA_ARGS__ weft_tpl_end
#define ASCENDC_TPL_DTYPE_SEL(x, ...)           weft_tpl_pick x 1 : __VA_ARGS__;
#define ASCENDC_TPL_DATATYPE_SEL(x, ...)        weft_tpl_pick x 1 : __VA_ARGS__;
#define ASCENDC_TPL_FORMAT_SEL(x, ...)          weft_tpl_pick x 1 : __VA_ARGS__;
#define ASCENDC_TPL_UINT_SEL(x, kind, ...)      weft_tpl_pick x kind : __VA_ARGS__;
#define ASCENDC_TPL_BOOL_SEL(x, ...)            weft_tpl_pick x 1 : __VA_ARGS__;
#define ASCENDC_TPL_KERNEL_TYPE_SEL(x)          weft_tpl_cores x;
#else
#define ASCENDC_TPL_INPUT(x)  (ASCENDC_TPL_INPUT_BIAS + (x))
#define ASCENDC_TPL_OUTPUT(x) (ASCENDC_TPL_OUTPUT_BIAS + (x))
#define ASCENDC_TPL_DTYPE_DECL(x, ...) \
  ::weft_cann::TilingKeyField {        \
#x, 8, false, {                    \
      __VA_ARGS__                      \
    }                                  \
  }
#define ASCENDC_TPL_DATATYPE_DECL(x, ...)       ASCENDC_TPL_DTYPE_DECL(x, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...)         ASCENDC_TPL_DTYPE_DECL(x, __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, bw, kind, ...) ::weft_cann::TilingKeyUint(#x, bw, kind, {__VA_ARGS__})
#define ASCENDC_TPL_BOOL_DECL(x, ...) \
  ::weft_cann::TilingKeyField {       \
#x, 1, false, {                   \
      __VA_ARGS__                     \
    }                                 \
  }
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) \
  ::weft_cann::TilingKeyField {              \
#x, 8, false, {                          \
      __VA_ARGS__                            \
    }                                        \
  }
#ifdef WEFT_ASC_PACKAGE_KERNEL  // whose key chose it already; its header may come twice
#define ASCENDC_TPL_ARGS_DECL(x, ...)
#else
#define ASCENDC_TPL_ARGS_DECL(x, ...) \
  static const std::vector<weft_cann::TilingKeyField> VAR_UNUSED g_weft_tiling_key_fields = {__VA_ARGS__}
#endif
// Which combinations are compiled is the kernel's matter.
#define ASCENDC_TPL_SEL(...)
#define ASCENDC_TPL_ARGS_SEL(...)
#define ASCENDC_TPL_DTYPE_SEL(x, ...)
#define ASCENDC_TPL_DATATYPE_SEL(x, ...)
#define ASCENDC_TPL_FORMAT_SEL(x, ...)
#define ASCENDC_TPL_UINT_SEL(x, ...)
#define ASCENDC_TPL_BOOL_SEL(x, ...)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...)
#endif
#define ASCENDC_TPL_DETERMINISTIC_SEL(...)
#define ASCENDC_TPL_TILING_STRUCT_SEL(x, ...)
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...)
#define GET_TPL_TILING_KEY(...) \
  ::weft_cann::TilingKey(g_weft_tiling_key_fields, ::weft_cann::TilingKeyArguments(__VA_ARGS__))
#define ASCENDC_TPL_SEL_PARAM(context, ...) (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__))
// SPDX-License-Identifier: Apache-2.0
