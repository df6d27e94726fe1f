// weft/attr.h - attribute values: native, typed, immutable once attached to a node.
// A value is a tagged union; lists and strings point at memory of whoever made the value (a node's values
// belong to its graph). Type codes are AscendIR's. Reentrant.
#pragma once
#include <string.h>

#include "weft/tensor.h"
#ifdef __cplusplus
extern "C" {
#endif

// X(name, code, prototype token)
#define WEFT_ATTR_TYPE_LIST(X)              \
  X(NONE, 0, "None")                        \
  X(STRING, 1, "String")                    \
  X(FLOAT, 2, "Float")                      \
  X(BOOL, 3, "Bool")                        \
  X(INT, 4, "Int")                          \
  X(TENSOR, 6, "Tensor")                    \
  X(BYTES, 7, "Bytes")                      \
  X(LIST_LIST_INT, 10, "ListListInt")       \
  X(TYPE, 11, "Type")                       \
  X(LIST_LIST_FLOAT, 12, "ListListFloat")   \
  X(LIST_STRING, 1001, "ListString")        \
  X(LIST_FLOAT, 1002, "ListFloat")          \
  X(LIST_BOOL, 1003, "ListBool")            \
  X(LIST_INT, 1004, "ListInt")              \
  X(LIST_TENSOR, 1006, "ListTensor")        \
  X(LIST_TYPE, 1011, "ListType")
typedef uint16_t weft_attr_type;
enum {
#define WEFT_X(name, code, token) WEFT_VT_##name = code,
  WEFT_ATTR_TYPE_LIST(WEFT_X)
#undef WEFT_X
};

// UTF-8, not necessarily zero-terminated when it comes from outside; always when a node owns it
typedef struct weft_str {
  const char *text;
  size_t bytes;
} weft_str;
typedef struct weft_ints {
  const int64_t *v;
  size_t n;
} weft_ints;
typedef struct weft_attr {
  weft_attr_type type;
  uint8_t is_default;  // filled from the prototype, not given by the model
  size_t n;            // elements of a list; bytes of a string or of Bytes
  union {
    int64_t i;    // INT, TYPE
    float f;      // FLOAT
    bool b;       // BOOL
    const char *s;  // STRING, BYTES
    const int64_t *ints;            // LIST_INT, LIST_TYPE
    const float *floats;            // LIST_FLOAT
    const bool *bools;              // LIST_BOOL
    const weft_str *strs;           // LIST_STRING
    const weft_ints *int_lists;     // LIST_LIST_INT
    const weft_tensor *tensor;      // TENSOR
    const weft_tensor *const *tensors;  // LIST_TENSOR
  } u;
} weft_attr;
typedef struct weft_named_attr {
  const char *name;
  weft_attr value;
} weft_named_attr;

// Values without copying: lists and strings stay the caller's. Nodes copy what they are given.
static inline weft_attr weft_attr_int(int64_t v) {
  weft_attr a;
  memset(&a, 0, sizeof a);
  a.type = WEFT_VT_INT, a.u.i = v;
  return a;
}
static inline weft_attr weft_attr_float(float v) {  // FLOAT
  weft_attr a;
  memset(&a, 0, sizeof a);
  a.type = WEFT_VT_FLOAT, a.u.f = v;
  return a;
}
static inline weft_attr weft_attr_bool(bool v) {  // BOOL
  weft_attr a;
  memset(&a, 0, sizeof a);
  a.type = WEFT_VT_BOOL, a.u.b = v;
  return a;
}
static inline weft_attr weft_attr_dtype(weft_dtype v) {  // TYPE: a dtype
  weft_attr a;
  memset(&a, 0, sizeof a);
  a.type = WEFT_VT_TYPE, a.u.i = v;
  return a;
}
static inline weft_attr weft_attr_str(const char *text, size_t bytes) {  // STRING; need not end in zero
  weft_attr a;
  memset(&a, 0, sizeof a);
  a.type = WEFT_VT_STRING, a.u.s = text, a.n = bytes;
  return a;
}
static inline weft_attr weft_attr_ints(const int64_t *v, size_t n) {  // LIST_INT
  weft_attr a;
  memset(&a, 0, sizeof a);
  a.type = WEFT_VT_LIST_INT, a.u.ints = v, a.n = n;
  return a;
}
static inline weft_attr weft_attr_floats(const float *v, size_t n) {  // LIST_FLOAT
  weft_attr a;
  memset(&a, 0, sizeof a);
  a.type = WEFT_VT_LIST_FLOAT, a.u.floats = v, a.n = n;
  return a;
}
static inline weft_attr weft_attr_strs(const weft_str *v, size_t n) {  // LIST_STRING
  weft_attr a;
  memset(&a, 0, sizeof a);
  a.type = WEFT_VT_LIST_STRING, a.u.strs = v, a.n = n;
  return a;
}
static inline weft_attr weft_attr_tensor(const weft_tensor *t) {  // TENSOR
  weft_attr a;
  memset(&a, 0, sizeof a);
  a.type = WEFT_VT_TENSOR, a.u.tensor = t;
  return a;
}

// "ListInt"; "None" for unknown codes
WEFT_API const char *weft_attr_type_name(weft_attr_type t);
// WEFT_VT_NONE for unknown tokens
WEFT_API weft_attr_type weft_attr_type_parse(const char *token, size_t bytes);
WEFT_API bool weft_attr_equal(const weft_attr *a, const weft_attr *b);    // type and value; NaN equals NaN

// Typed reading: never converts. E_TYPE names both types, *out untouched.
WEFT_API WEFT_MUST weft_status weft_attr_get_int(const weft_attr *a, int64_t *out, weft_diag *d);
WEFT_API WEFT_MUST weft_status weft_attr_get_float(const weft_attr *a, float *out, weft_diag *d);  // of FLOAT
WEFT_API WEFT_MUST weft_status weft_attr_get_bool(const weft_attr *a, bool *out, weft_diag *d);  // of BOOL
// Of STRING; the text stays whose it is.
WEFT_API WEFT_MUST weft_status weft_attr_get_str(const weft_attr *a, weft_str *out, weft_diag *d);
// Of LIST_INT; the same.
WEFT_API WEFT_MUST weft_status weft_attr_get_ints(const weft_attr *a, weft_ints *out, weft_diag *d);

struct weft_arena;
// Reads a value from text; *out_used tells where it ended. E_SYNTAX, E_TYPE, E_NOMEM.
// Text: 3  3.14  true  "NCHW"  [1,2]  [[1],[2,3]]  f16 (a dtype)  f32[2]{1,2} (a tensor). C++ literals of
// AscendIR prototypes read too: {1, 1}, 1e-5f, DT_FLOAT. `type` says what is expected; memory comes from
// `arena`.
WEFT_API WEFT_MUST weft_status weft_attr_parse(weft_attr_type type, const char *text, size_t bytes,
                                               struct weft_arena *arena, weft_attr *out, size_t *out_used,
                                               weft_diag *d);
// Writes the text that weft_attr_parse reads back as an equal value.
WEFT_API WEFT_MUST weft_status weft_attr_print(const weft_attr *a, weft_write_fn write, void *ctx);
// A deep copy into the arena; strings get a terminating zero.
WEFT_API WEFT_MUST weft_status weft_attr_copy(const weft_attr *a, struct weft_arena *arena, weft_attr *out);
// The same for callers that have no arena: values live until the pool is destroyed. `type` is a prototype
// token.
typedef struct weft_attr_pool weft_attr_pool;
// E_NOMEM
WEFT_API WEFT_MUST weft_status weft_attr_pool_create(const weft_allocator *a, weft_attr_pool **out);
WEFT_API void weft_attr_pool_destroy(weft_attr_pool *p);  // NULL allowed
WEFT_API WEFT_MUST weft_status weft_attr_pool_parse(weft_attr_pool *p, const char *type, const char *text,
                                                    weft_attr *out,
                                                    weft_diag *d);  // E_SYNTAX, E_TYPE
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
