// weft/tensor.h - tensor descriptions and tensors; .npy files and one-line text.
// A description is shape, dtype and layout; a tensor adds data. Reentrant; one tensor belongs to one thread
// at a time.
#pragma once
#include "weft/dtype.h"
#include "weft/format.h"
#include "weft/shape.h"
#ifdef __cplusplus
extern "C" {
#endif

// Where data lie.
enum { WEFT_ON_HOST = 0, WEFT_ON_DEVICE = 1 };
// What a value is. Sequences and optionals are immutable values; RESOURCE is an opaque handle.
// An optional sequence is an optional whose item is a sequence.
enum {
  WEFT_KIND_TENSOR,
  WEFT_KIND_SEQUENCE,
  WEFT_KIND_OPTIONAL,
  WEFT_KIND_RESOURCE,
  WEFT_KIND_OPTIONAL_SEQUENCE
};

// The description of a tensor: origin is what the model says, storage is how the bytes lie.
// Defaults (weft_desc_init): scalar, FLOAT, ND, no name, no ranges.
typedef struct weft_tensor_desc {
  uint32_t size;  // sizeof(weft_tensor_desc); weft/base.h, "Structs that grow"
  weft_dtype dtype;
  uint8_t kind, placement, has_range;
  const char *name;  // borrowed, NULL allowed
  weft_format origin_format, format;
  weft_layout layout;    // origin and storage shape
  weft_shape min, max;   // used when has_range: origin dims, max -1 is unbounded
} weft_tensor_desc;
WEFT_API void weft_desc_init_sized(weft_tensor_desc *desc, size_t bytes);  // see weft_desc_init
static inline void weft_desc_init(weft_tensor_desc *desc) {  // sets the defaults above
  weft_desc_init_sized(desc, sizeof *desc);
}
// Sets origin and storage shape and both formats alike.
WEFT_API WEFT_MUST weft_status weft_desc_set(weft_tensor_desc *desc, weft_dtype t, weft_format f,
                                             const weft_dim *dims, size_t rank);
WEFT_API WEFT_MUST weft_status weft_desc_set_range(weft_tensor_desc *desc, const weft_shape *min,
                                                   const weft_shape *max,
                                                   weft_diag *d);  // equal ranks, min <= max or max -1
// Makes shape and range say the same: {-1} with [3,3] becomes {3}; known dims get their own value as range.
WEFT_API void weft_desc_normalise(weft_tensor_desc *desc);
WEFT_API bool weft_range_contains(int64_t min, int64_t max, int64_t value);  // max -1: no upper bound

// Are two descriptions the same bit for bit: dims, dtype, full format words?
WEFT_API bool weft_desc_equal(const weft_tensor_desc *a, const weft_tensor_desc *b);
// weft_desc_compatible: a 0 is not matched by an unknown dim
enum { WEFT_COMPATIBLE_STRICT_POSITIVE = 1 };
// Could they describe one tensor? -1 matches any dim (a 0 only without STRICT_POSITIVE), unknown rank any
// rank, C0 and sub-format are ignored. Not transitive: never a key for hashing. E_INVALID: a dim below -1, no
// symbol.
WEFT_API WEFT_MUST weft_status weft_desc_compatible(const weft_tensor_desc *a, const weft_tensor_desc *b,
                                                    unsigned flags, bool *out);
// Elements of the origin shape: 1 for a scalar; -1 where a dim or the rank is not known, and on overflow.
WEFT_API int64_t weft_desc_elems(const weft_tensor_desc *desc);
// Bytes that the data of such a tensor take as it is stored: packed below a byte, 16 for a string beside its
// text. -1 where weft_desc_elems would say so, for a type without a size, and for what is no tensor.
WEFT_API int64_t weft_desc_bytes(const weft_tensor_desc *desc);
// "TensorDesc(name=x, shape=[1, 3, 224, 224], dtype=DT_FLOAT, format=NCHW)"
WEFT_API const char *weft_desc_text(const weft_tensor_desc *desc, char *buf, size_t cap);

// A versioned blob. Version 1: shape, dtype, primary format (20 + 8*rank bytes). Version 2: everything.
// Little-endian everywhere. save: `*out_bytes` is the size needed; E_LIMIT when cap is smaller, nothing
// written.
WEFT_API WEFT_MUST weft_status weft_desc_save(const weft_tensor_desc *desc, uint32_t version, void *buf,
                                              size_t cap, size_t *out_bytes, weft_diag *d);
// Reads one blob from the front; *out_used tells how much it took. A name points into `buf`. Every length is
// checked: E_TRUNCATED, E_VERSION, E_LIMIT (rank), E_DTYPE, E_FORMAT, E_CORRUPT.
WEFT_API WEFT_MUST weft_status weft_desc_load_sized(const void *buf, size_t bytes, weft_tensor_desc *out,
                                                    size_t out_bytes, size_t *out_used, uint32_t *out_version,
                                                    weft_diag *d);
static inline WEFT_MUST weft_status weft_desc_load(const void *buf, size_t bytes, weft_tensor_desc *out,
                                                   size_t *out_used, uint32_t *out_version,
                                                   weft_diag *d) {  // with sizeof
  return weft_desc_load_sized(buf, bytes, out, sizeof *out, out_used, out_version, d);
}

// A tensor. Packages read it, `weft_tensor_*` makes it. Its size comes first, and yet it never grows: callers
// hold arrays. A string tensor's data are `elems` weft_string entries followed by the bytes; offset counts
// from data.
typedef struct weft_string {
  int64_t offset, bytes;
} weft_string;
typedef struct weft_tensor {
  uint32_t size;
  weft_dtype dtype;
  uint8_t kind, placement, owned;  // owned: destroy frees data
  weft_format origin_format, format;
  void *data;       // NULL: described, not present
  size_t bytes;     // valid bytes
  size_t capacity;  // allocated bytes, >= bytes
  weft_layout layout;
  // sequences and optionals: items (owned), n_items; an optional has 0 or 1
  struct weft_tensor **items;
  size_t n_items;
  weft_dtype item_dtype;
  weft_allocator alloc;
} weft_tensor;

// Prepares an empty tensor in place: FLOAT scalar without data.
WEFT_API void weft_tensor_init(weft_tensor *t, const weft_allocator *a);  // a NULL: the default allocator
WEFT_API void weft_tensor_deinit(weft_tensor *t);  // frees what it owns; t may be init'ed only; NULL allowed
// Gives the tensor dtype, shape and zeroed memory of its own (64-byte aligned). Size 0 gives data non-NULL,
// bytes 0.
WEFT_API WEFT_MUST weft_status weft_tensor_alloc(weft_tensor *t, weft_dtype dtype, const weft_dim *dims,
                                                 size_t rank, weft_diag *d);
// The same without zeroing, with separate storage shape and formats.
WEFT_API WEFT_MUST weft_status weft_tensor_alloc_layout(weft_tensor *t, weft_dtype dtype,
                                                        const weft_layout *layout, weft_format origin_format,
                                                        weft_format format, weft_diag *d);
// Lets the tensor point at memory of the caller's, which must outlive it. E_SHAPE when bytes do not fit the
// shape.
WEFT_API WEFT_MUST weft_status weft_tensor_borrow(weft_tensor *t, weft_dtype dtype, const weft_dim *dims,
                                                  size_t rank, void *data, size_t bytes, weft_diag *d);
// Makes `to`, which was initialised, a deep copy: nothing of `from` is needed afterwards.
WEFT_API WEFT_MUST weft_status weft_tensor_copy(weft_tensor *to, const weft_tensor *from, weft_diag *d);
// The same; a tensor in a packed format comes out in its origin format (NCHW where that is ND).
WEFT_API WEFT_MUST weft_status weft_tensor_copy_plain(weft_tensor *to, const weft_tensor *from, weft_diag *d);
WEFT_API int64_t weft_tensor_elems(const weft_tensor *t);  // of the storage shape; -1 when unknown
// What a tensor says of itself, for weft_exec_prepare and for weft_value_declare: no name, no range. Of a
// sequence or an optional the dtype is that of its items, and the rank is not known.
WEFT_API void weft_tensor_describe_sized(const weft_tensor *t, weft_tensor_desc *out, size_t out_bytes);
static inline void weft_tensor_describe(const weft_tensor *t, weft_tensor_desc *out) {  // with sizeof
  weft_tensor_describe_sized(t, out, sizeof *out);
}
// Typed view; NULL when dtype differs or there are no data.
WEFT_API const int32_t *weft_tensor_i32(const weft_tensor *t);
WEFT_API const int64_t *weft_tensor_i64(const weft_tensor *t);  // the same
WEFT_API const float *weft_tensor_f32(const weft_tensor *t);  // the same
// A string tensor from `n` strings; bytes NULL: zero-terminated.
WEFT_API WEFT_MUST weft_status weft_tensor_set_strings(weft_tensor *t, const weft_dim *dims, size_t rank,
                                                       const char *const *text, const size_t *bytes,
                                                       weft_diag *d);
// Element `i` of a string tensor; its bytes lie inside the tensor. E_CORRUPT when the entry points outside.
WEFT_API WEFT_MUST weft_status weft_tensor_string(const weft_tensor *t, size_t i, const char **out,
                                                  size_t *out_bytes, weft_diag *d);

// Two tensors alike? Dtypes and shapes must be equal; |a-b| <= atol + rtol*|b| for floats, NaN equals NaN,
// infinities equal themselves; everything else bit for bit. E_DIFFERENT names the first difference, how many,
// and the largest.
WEFT_API WEFT_MUST weft_status weft_tensor_compare(const weft_tensor *a, const weft_tensor *b, double rtol,
                                                   double atol, weft_diag *d);

// ---- one-line text: f32[2,3]{1,2,3,4,5,6}   i64[]{7}   bool[0]   str[2]{"a","b"}   f32[3] (no data)
// seq(f32[2]{1,2}) ---- Values: decimal, hexadecimal, nan, inf, -inf, true, false, complex as (re,im). `used`
// tells where the literal ended. `f32[4]{*1}` fills with one value; `f32[4]{0..}` counts up. Dims may be -1,
// ? or a symbol when a pool is given.
WEFT_API WEFT_MUST weft_status weft_tensor_parse(const char *text, size_t bytes, weft_symbols *p,
                                                 weft_tensor *t, size_t *out_used, weft_diag *d);
// Writes the text; more than max_elems elements end in ", ..." (0: all). Floats print so that they read back
// equal.
WEFT_API WEFT_MUST weft_status weft_tensor_print(const weft_tensor *t, size_t max_elems, weft_write_fn write,
                                                 void *ctx);

// ---- .npy (format versions 1, 2 and 3) ----
// Reads from memory; copies the data. Little- and big-endian, C and Fortran order. bf16, float8 and the
// sub-byte types are stored by numpy's void or ml_dtypes' names; E_DTYPE names what is not readable. Bad
// headers give E_SYNTAX with place.
WEFT_API WEFT_MUST weft_status weft_npy_read(const void *file, size_t bytes, weft_tensor *t, weft_diag *d);
// Writes a tensor as a .npy file. E_STATE: no data on the host; E_DTYPE, E_UNSUPPORTED.
WEFT_API WEFT_MUST weft_status weft_npy_write(const weft_tensor *t, weft_write_fn write, void *ctx,
                                              weft_diag *d);
// weft_npy_read from a file. E_NOT_FOUND, E_IO.
WEFT_API WEFT_MUST weft_status weft_npy_load(const char *path, weft_tensor *t, weft_diag *d);
// weft_npy_write to a file. E_IO.
WEFT_API WEFT_MUST weft_status weft_npy_save(const char *path, const weft_tensor *t, weft_diag *d);

// ---- .npz: named .npy files in a zip archive ----
// Reads stored and deflated entries, zip64 too; writes stored ones, equal bytes for equal tensors. An archive
// is opened (its directory is checked) and its tensors are read one by one, each with its checksum. `read` is
// from memory. E_SYNTAX: no zip archive; E_CORRUPT, E_TRUNCATED,
// E_UNSUPPORTED name byte or entry.
typedef struct weft_npz weft_npz;
// Opens a file. E_IO, E_SYNTAX
WEFT_API WEFT_MUST weft_status weft_npz_open(const char *path, weft_npz **out, weft_diag *d);
// Opens an archive in memory, which must outlive it.
WEFT_API WEFT_MUST weft_status weft_npz_read(const void *file, size_t bytes, weft_npz **out, weft_diag *d);
WEFT_API void weft_npz_close(weft_npz *z);  // NULL allowed
WEFT_API size_t weft_npz_count(const weft_npz *z);  // its entries
// as given, without ".npy"; a name may repeat
WEFT_API const char *weft_npz_name(const weft_npz *z, size_t i);
// the first of this name; false: none
WEFT_API bool weft_npz_find(const weft_npz *z, const char *name, size_t *out);
// Reads entry i into a tensor that was initialised; the data are copied and their checksum is compared.
WEFT_API WEFT_MUST weft_status weft_npz_get(const weft_npz *z, size_t i, weft_tensor *t, weft_diag *d);
// Writes an archive of n tensors. Names are without ".npy"; E_DUPLICATE when one is given twice.
WEFT_API WEFT_MUST weft_status weft_npz_write(const char *const *names, const weft_tensor *const *tensors,
                                              size_t n, weft_write_fn write, void *ctx, weft_diag *d);
WEFT_API WEFT_MUST weft_status weft_npz_save(const char *path, const char *const *names,
                                             const weft_tensor *const *tensors, size_t n,
                                             weft_diag *d);  // to a file
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
