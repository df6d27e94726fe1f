// weft/format.h - data layouts: AscendIR's numbers and bit packing, storage shapes, and conversion of data.
// A format word is | 31..28 reserved | 27..24 C0 code | 23..8 sub-format | 7..0 primary |. Pure; reentrant.
#pragma once
#include "weft/dtype.h"
#include "weft/shape.h"
#ifdef __cplusplus
extern "C" {
#endif

// X(name, number, serial string)
#define WEFT_FORMAT_LIST(X)                                                            \
  X(NCHW, 0, "NCHW")                                                                   \
  X(NHWC, 1, "NHWC")                                                                   \
  X(ND, 2, "ND")                                                                       \
  X(NC1HWC0, 3, "NC1HWC0")                                                             \
  X(FRACTAL_Z, 4, "FRACTAL_Z")                                                         \
  X(NC1C0HWPAD, 5, "NC1C0HWPAD")                                                       \
  X(NHWC1C0, 6, "NHWC1C0")                                                             \
  X(FSR_NCHW, 7, "FSR_NCHW")                                                           \
  X(FRACTAL_DECONV, 8, "FRACTAL_DECONV")                                               \
  X(C1HWNC0, 9, "C1HWNC0")                                                             \
  X(FRACTAL_DECONV_TRANSPOSE, 10, "FRACTAL_DECONV_TRANSPOSE")                          \
  X(FRACTAL_DECONV_SP_STRIDE_TRANS, 11, "FRACTAL_DECONV_SP_STRIDE_TRANS")              \
  X(NC1HWC0_C04, 12, "NC1HWC0_C04")                                                    \
  X(FRACTAL_Z_C04, 13, "FRACTAL_Z_C04")                                                \
  X(CHWN, 14, "CHWN")                                                                  \
  X(FRACTAL_DECONV_SP_STRIDE8_TRANS, 15, "DECONV_SP_STRIDE8_TRANS")                    \
  X(HWCN, 16, "HWCN")                                                                  \
  X(NC1KHKWHWC0, 17, "NC1KHKWHWC0")                                                    \
  X(BN_WEIGHT, 18, "BN_WEIGHT")                                                        \
  X(FILTER_HWCK, 19, "FILTER_HWCK")                                                    \
  X(HASHTABLE_LOOKUP_LOOKUPS, 20, "LOOKUP_LOOKUPS")                                    \
  X(HASHTABLE_LOOKUP_KEYS, 21, "LOOKUP_KEYS")                                          \
  X(HASHTABLE_LOOKUP_VALUE, 22, "LOOKUP_VALUE")                                        \
  X(HASHTABLE_LOOKUP_OUTPUT, 23, "LOOKUP_OUTPUT")                                      \
  X(HASHTABLE_LOOKUP_HITS, 24, "LOOKUP_HITS")                                          \
  X(C1HWNCoC0, 25, "C1HWNCoC0")                                                        \
  X(MD, 26, "MD")                                                                      \
  X(NDHWC, 27, "NDHWC")                                                                \
  X(FRACTAL_ZZ, 28, "FRACTAL_ZZ")                                                      \
  X(FRACTAL_NZ, 29, "FRACTAL_NZ")                                                      \
  X(NCDHW, 30, "NCDHW")                                                                \
  X(DHWCN, 31, "DHWCN")                                                                \
  X(NDC1HWC0, 32, "NDC1HWC0")                                                          \
  X(FRACTAL_Z_3D, 33, "FRACTAL_Z_3D")                                                  \
  X(CN, 34, "CN")                                                                      \
  X(NC, 35, "NC")                                                                      \
  X(DHWNC, 36, "DHWNC")                                                                \
  X(FRACTAL_Z_3D_TRANSPOSE, 37, "FRACTAL_Z_3D_TRANSPOSE")                              \
  X(FRACTAL_ZN_LSTM, 38, "FRACTAL_ZN_LSTM")                                            \
  X(FRACTAL_Z_G, 39, "FRACTAL_Z_G")                                                    \
  X(FORMAT_RESERVED, 40, "FORMAT_RESERVED")                                            \
  X(FORMAT_ALL, 41, "ALL")                                                             \
  X(FORMAT_NULL, 42, "NULL")                                                           \
  X(ND_RNN_BIAS, 43, "ND_RNN_BIAS")                                                    \
  X(FRACTAL_ZN_RNN, 44, "FRACTAL_ZN_RNN")                                              \
  X(NYUV, 45, "NYUV")                                                                  \
  X(NYUV_A, 46, "NYUV_A")                                                              \
  X(NCL, 47, "NCL")                                                                    \
  X(FRACTAL_Z_WINO, 48, "FRACTAL_Z_WINO")                                              \
  X(C1HWC0, 49, "C1HWC0")                                                              \
  X(FRACTAL_NZ_C0_16, 50, "FRACTAL_NZ_C0_16")                                          \
  X(FRACTAL_NZ_C0_32, 51, "FRACTAL_NZ_C0_32")                                          \
  X(FRACTAL_NZ_C0_2, 52, "FRACTAL_NZ_C0_2")                                            \
  X(FRACTAL_NZ_C0_4, 53, "FRACTAL_NZ_C0_4")                                            \
  X(FRACTAL_NZ_C0_8, 54, "FRACTAL_NZ_C0_8")
typedef uint32_t weft_format;
enum {
#define WEFT_X(name, number, serial) WEFT_##name = number,
  WEFT_FORMAT_LIST(WEFT_X)
#undef WEFT_X
};

WEFT_API bool weft_format_known(weft_format f);        // is the primary format one of the list?
// name of the primary format; unknown gives "RESERVED"
WEFT_API const char *weft_format_serial(weft_format f);
// "FRACTAL_Z:240", C0 as "NC1HWC0(C0=16)"
WEFT_API const char *weft_format_text(weft_format f, char *buf, size_t cap);
// Reads "NCHW", "FORMAT_NCHW", "FRACTAL_Z:240", "NC1HWC0(C0=16)"; unknown text gives WEFT_FORMAT_RESERVED.
WEFT_API weft_format weft_format_parse(const char *text, size_t bytes);
WEFT_API weft_format weft_format_make(weft_format primary, uint32_t sub, uint32_t c0_code);  // 0, 0: none
WEFT_API weft_format weft_format_primary(weft_format f);  // without sub-format and C0
WEFT_API uint32_t weft_format_sub(weft_format f);  // 0: none
WEFT_API bool weft_format_has_c0(weft_format f);  // does the word say C0?
WEFT_API int32_t weft_format_c0(weft_format f);  // 2^(code-1); -1 when the word has none
// Do two formats say the same of a value of origin layout? Equal primaries, or one is ND (ND matches any
// origin format).
WEFT_API bool weft_format_compatible(weft_format a, weft_format b);

// The storage shape of `origin` (in `from`, a plain format) laid out in `to`. Unknown dims stay unknown.
// C0 is that of `to`'s word, otherwise `default_c0` (0: 16). E_FORMAT when the pair has no rule, E_SHAPE for
// a wrong rank. Supported: ND/NCHW/NHWC/HWCN/CHWN <-> each other and -> NC1HWC0, FRACTAL_Z, FRACTAL_NZ.
WEFT_API WEFT_MUST weft_status weft_format_storage_shape(const weft_shape *origin, weft_format from,
                                                         weft_format to, int64_t default_c0, weft_shape *out,
                                                         weft_diag *d);
// The shape `origin` (in `from`) has when its axes are named in `to`'s order, for plain formats.
WEFT_API WEFT_MUST weft_status weft_format_permute_shape(const weft_shape *origin, weft_format from,
                                                         weft_format to, weft_shape *out, weft_diag *d);
// Converts data. `origin` is the shape of the tensor in its plain format: `from` when `to` is a packed
// format, `to` when `from` is. Lanes that exist only in the packed form are zero. Sizes are checked against
// the two buffers.
WEFT_API WEFT_MUST weft_status weft_format_convert(const weft_shape *origin, weft_dtype t, weft_format from,
                                                   const void *src, size_t src_bytes, weft_format to,
                                                   void *dst, size_t dst_bytes, int64_t default_c0,
                                                   weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
