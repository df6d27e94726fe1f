// npy.c - numpy's .npy files, from memory and to a writer.
// A file is magic, version, length, a Python dict {'descr', 'fortran_order', 'shape'}, then elements back to
// back. bfloat16, float8 and the types below a byte are written under ml_dtypes' names ('bfloat16',
// 'float8_e4m3fn', 'int4'): numpy.load reads them back typed once ml_dtypes is imported. ml_dtypes itself
// saves the void types '<V2' and '<V1' and '<f1': 'V2' reads as bf16, 'f1' as float8_e5m2, 'V1' is refused
// because nine types share it. Types below a byte take one byte an element in the file. Strings: 'S' and 'U'
// read into string tensors without their trailing zeros and are written as 'S'. Nothing is allocated before
// the file is known to hold it; string entries cost at most 16 bytes for each byte of the file.

#include "base/file.h"
#include "tensor/scan.h"
#include "tensor/tensor.h"
#include "weft/file.h"

static const uint8_t magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
enum { PLAIN, ONE_BYTE_EACH, BYTES, CODE_POINTS };

typedef struct header {
  weft_dtype dtype;
  uint8_t how;
  bool swap, fortran;
  bool has_descr, has_order, has_shape;
  size_t item_bytes, unit_bytes;  // of an element in the file; of what a byte swap turns round
  weft_shape shape;
} header;

static const struct {
  const char *descr;  // without the byte order
  weft_dtype dtype;
} kinds[] = {{"b1", WEFT_BOOL},      {"i1", WEFT_INT8},        {"i2", WEFT_INT16},  {"i4", WEFT_INT32},
             {"i8", WEFT_INT64},     {"u1", WEFT_UINT8},       {"u2", WEFT_UINT16}, {"u4", WEFT_UINT32},
             {"u8", WEFT_UINT64},    {"f2", WEFT_FLOAT16},     {"f4", WEFT_FLOAT},  {"f8", WEFT_DOUBLE},
             {"c8", WEFT_COMPLEX64}, {"c16", WEFT_COMPLEX128}, {"V2", WEFT_BF16},   {"f1", WEFT_FLOAT8_E5M2}};

static const struct {
  const char *name;
  weft_dtype dtype;
} names[] = {{"bfloat16", WEFT_BF16},
             {"float8_e5m2", WEFT_FLOAT8_E5M2},
             {"float8_e4m3fn", WEFT_FLOAT8_E4M3FN},
             {"float8_e5m2fnuz", WEFT_FLOAT8_E5M2FNUZ},
             {"float8_e4m3fnuz", WEFT_FLOAT8_E4M3FNUZ},
             {"float8_e8m0fnu", WEFT_FLOAT8_E8M0},
             {"float6_e3m2fn", WEFT_FLOAT6_E3M2},
             {"float6_e2m3fn", WEFT_FLOAT6_E2M3},
             {"float4_e2m1fn", WEFT_FLOAT4_E2M1},
             {"int4", WEFT_INT4},
             {"uint4", WEFT_UINT4},
             {"int2", WEFT_INT2},
             {"uint2", WEFT_UINT2},
             {"uint1", WEFT_UINT1}};

static bool host_is_little(void) {
  const uint16_t one = 1;
  uint8_t first;
  memcpy(&first, &one, 1);
  return first == 1;
}

// ---- reading the header ----

static weft_status take_quoted(weft_scan *s, const char **out, size_t *out_bytes) {
  weft__scan_space(s);
  int quote = weft__scan_peek(s);
  if (quote != '\'' && quote != '"')
    return weft__scan_fail(s, WEFT_E_SYNTAX, "expected a quoted text");
  size_t from = ++s->at;
  while (s->at < s->bytes && s->text[s->at] != quote && s->text[s->at] != '\\')
    s->at++;
  if (weft__scan_peek(s) != quote)
    return weft__scan_fail(s, WEFT_E_SYNTAX, "a text without closing quote");
  *out = s->text + from;
  *out_bytes = s->at++ - from;
  return WEFT_OK;
}

static void set_dtype(header *h, weft_dtype t, bool swap) {
  uint32_t bits = weft_dtype_bits(t);
  h->dtype = t;
  h->how = bits < 8 ? ONE_BYTE_EACH : PLAIN;
  h->item_bytes = bits < 8 ? 1 : bits / 8;
  h->unit_bytes = weft_dtype_is_complex(t) ? h->item_bytes / 2 : h->item_bytes;
  h->swap = swap && h->unit_bytes > 1;
}

static weft_status set_descr(weft_scan *s, header *h, const char *text, size_t n) {
  bool little = host_is_little();
  bool swap = n && (text[0] == (little ? '>' : '<'));
  int64_t width;
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    if (n == strlen(names[i].name) && !memcmp(text, names[i].name, n))
      return set_dtype(h, names[i].dtype, !little), WEFT_OK;
  }
  size_t order = n && strchr("<>|=", text[0]) && text[0] ? 1 : 0;
  for (size_t i = 0; i < WEFT_COUNT(kinds); i++) {
    if (n - order == strlen(kinds[i].descr) && !memcmp(text + order, kinds[i].descr, n - order))
      return set_dtype(h, kinds[i].dtype, swap), WEFT_OK;
  }
  if (n > order + 1 && (text[order] == 'S' || text[order] == 'U') && weft__is_digit(text[order + 1]) &&
      weft__token_i64(text + order + 1, n - order - 1, &width) && width <= INT32_MAX) {
    h->dtype = WEFT_STRING;
    h->how = text[order] == 'S' ? BYTES : CODE_POINTS;
    h->item_bytes = (size_t)width * (h->how == BYTES ? 1 : 4);
    h->unit_bytes = h->how == BYTES ? 1 : 4;
    h->swap = swap && h->how == CODE_POINTS;
    return WEFT_OK;
  }
  const char *why = n - order == 2 && !memcmp(text + order, "V1", 2)
                        ? "does not say which of ml_dtypes' one-byte types it is"
                        : "is not a dtype that can be read";
  return weft__scan_fail(s, WEFT_E_DTYPE, "descr '%.*s' %s", (int)WEFT_MIN(n, 60), text, why);
}

static weft_status take_descr(weft_scan *s, header *h) {
  const char *text;
  size_t n;
  weft__scan_space(s);
  if (weft__scan_peek(s) == '[' || weft__scan_peek(s) == '(')
    return weft__scan_fail(s, WEFT_E_DTYPE, "structured dtypes cannot be read");
  WEFT_TRY(take_quoted(s, &text, &n));
  return set_descr(s, h, text, n);
}

static weft_status take_order(weft_scan *s, header *h) {
  const char *word;
  size_t n = weft__scan_ident(s, &word);
  h->fortran = n == 4 && !memcmp(word, "True", 4);
  if (!h->fortran && !(n == 5 && !memcmp(word, "False", 5)))
    return weft__scan_fail(s, WEFT_E_SYNTAX, "fortran_order must be True or False");
  return WEFT_OK;
}

static weft_status npy_take_shape(weft_scan *s, header *h) {
  const char *text;
  int64_t v;
  bool comma = false;
  weft_shape_set_scalar(&h->shape);
  if (!weft__scan_char(s, '('))
    return weft__scan_fail(s, WEFT_E_SYNTAX, "expected the shape's '('");
  while (!weft__scan_char(s, ')')) {
    if (h->shape.rank && !comma)
      return weft__scan_fail(s, WEFT_E_SYNTAX, "expected ',' or ')' in the shape");
    size_t n = weft__scan_number(s, &text);
    if (n > 1 && text[n - 1] == 'L')
      n--;  // Python 2's long
    if (!weft__token_i64(text, n, &v) || v < 0) {
      return weft__scan_fail(s, WEFT_E_SYNTAX, "dim %zu is not a size: '%.*s'", h->shape.rank,
                             (int)WEFT_MIN(n, 40), text);
    }
    if (weft_shape_append(&h->shape, v))
      return weft__scan_fail(s, WEFT_E_LIMIT, "more than %d dims", WEFT_MAX_RANK);
    comma = weft__scan_char(s, ',');
  }
  if (h->shape.rank == 1 && !comma)
    return weft__scan_fail(s, WEFT_E_SYNTAX, "a shape of one dim ends in ',)'");
  return WEFT_OK;
}

static weft_status take_entry(weft_scan *s, header *h) {
  const char *key;
  size_t n;
  WEFT_TRY(take_quoted(s, &key, &n));
  bool descr = n == 5 && !memcmp(key, "descr", 5);
  bool shape = n == 5 && !memcmp(key, "shape", 5);
  bool order = n == 13 && !memcmp(key, "fortran_order", 13);
  if (!descr && !shape && !order)
    return weft__scan_fail(s, WEFT_E_SYNTAX, "unknown key '%.*s'", (int)WEFT_MIN(n, 40), key);
  bool *seen = descr ? &h->has_descr : shape ? &h->has_shape : &h->has_order;
  if (*seen)
    return weft__scan_fail(s, WEFT_E_SYNTAX, "key '%.*s' stands twice", (int)n, key);
  *seen = true;
  if (!weft__scan_char(s, ':'))
    return weft__scan_fail(s, WEFT_E_SYNTAX, "expected ':'");
  return descr ? take_descr(s, h) : shape ? npy_take_shape(s, h) : take_order(s, h);
}

static weft_status read_dict(weft_scan *s, header *h) {
  bool comma = true;
  if (!weft__scan_char(s, '{'))
    return weft__scan_fail(s, WEFT_E_SYNTAX, "expected '{'");
  while (!weft__scan_char(s, '}')) {
    if (!comma)
      return weft__scan_fail(s, WEFT_E_SYNTAX, "expected ',' or '}'");
    WEFT_TRY(take_entry(s, h));
    comma = weft__scan_char(s, ',');
  }
  weft__scan_space(s);
  if (s->at != s->bytes)
    return weft__scan_fail(s, WEFT_E_SYNTAX, "text behind the header's '}'");
  if (!h->has_descr || !h->has_order || !h->has_shape) {
    return weft__scan_fail(s, WEFT_E_SYNTAX, "key '%s' is missing",
                           !h->has_descr   ? "descr"
                           : !h->has_order ? "fortran_order"
                                           : "shape");
  }
  return WEFT_OK;
}

// Everything before the data; *out_at is where they begin.
static weft_status read_header(const uint8_t *file, size_t bytes, header *h, size_t *out_at, weft_diag *d) {
  size_t prefix = 10;
  size_t length;
  if (bytes < 8 && (bytes < 6 || !memcmp(file, magic, 6)))
    return weft_fail(d, WEFT_E_TRUNCATED, ".npy: %zu bytes are no file", bytes);
  if (memcmp(file, magic, 6))
    return weft_fail(d, WEFT_E_SYNTAX, ".npy, byte 0: the magic is missing");
  int major = file[6];
  int minor = file[7];
  if (major < 1 || major > 3 || minor != 0)
    return weft_fail(d, WEFT_E_VERSION, ".npy, byte 6: version %d.%d, known are 1.0 to 3.0", major, minor);
  if (major > 1)
    prefix = 12;
  if (bytes < prefix)
    return weft_fail(d, WEFT_E_TRUNCATED, ".npy: %zu bytes, the header starts at %zu", bytes, prefix);
  length = file[8] | (size_t)file[9] << 8;
  if (major > 1)
    length |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
  if (length > bytes - prefix) {
    return weft_fail(d, WEFT_E_TRUNCATED, ".npy: a header of %zu bytes, %zu are left", length,
                     bytes - prefix);
  }
  weft_scan s = {.text = (const char *)file + prefix, .bytes = length, .what = ".npy header", .d = d};
  *out_at = prefix + length;
  return read_dict(&s, h);
}

// ---- reading the data ----

// Walks the elements in C order and says where each lies in the file.
typedef struct walk {
  size_t rank, at;
  size_t dim[WEFT_MAX_RANK], stride[WEFT_MAX_RANK], index[WEFT_MAX_RANK];
} walk;

static void walk_start(walk *w, const header *h) {
  size_t stride = 1;
  memset(w, 0, sizeof *w);
  w->rank = h->shape.rank;
  for (size_t i = 0; i < w->rank; i++) {
    size_t axis = h->fortran ? i : w->rank - 1 - i;
    w->dim[axis] = (size_t)h->shape.dim[axis];
    w->stride[axis] = stride;
    stride *= w->dim[axis];
  }
}

static void walk_next(walk *w) {
  for (size_t i = w->rank; i-- > 0;) {
    w->at += w->stride[i];
    if (++w->index[i] < w->dim[i])
      return;
    w->at -= w->stride[i] * w->dim[i];
    w->index[i] = 0;
  }
}

static void swap_units(uint8_t *p, size_t bytes, size_t unit) {
  for (; bytes >= unit; bytes -= unit, p += unit) {
    for (size_t i = 0; i < unit / 2; i++) {
      uint8_t v = p[i];
      p[i] = p[unit - 1 - i];
      p[unit - 1 - i] = v;
    }
  }
}

static void read_numbers(const header *h, const uint8_t *data, size_t elems, weft_tensor *t) {
  walk w;
  uint8_t *to = t->data;
  walk_start(&w, h);
  if (h->how == PLAIN && !h->fortran) {
    if (t->bytes)
      memcpy(to, data, t->bytes);
  } else {
    for (size_t i = 0; i < elems; i++, walk_next(&w)) {
      if (h->how == PLAIN)
        memcpy(to + i * h->item_bytes, data + w.at * h->item_bytes, h->item_bytes);
      else
        weft__bits_put(h->dtype, to, i, data[w.at]);
    }
  }
  if (h->swap)
    swap_units(to, t->bytes, h->unit_bytes);
  if (h->dtype == WEFT_BOOL) {
    for (size_t i = 0; i < elems; i++)
      to[i] = to[i] != 0;
  }
}

static uint32_t code_point(const header *h, const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return h->swap ? v >> 24 | (v >> 8 & 0xFF00) | (v << 8 & 0xFF0000) | v << 24 : v;
}

// Appends one element of the file at `to`; the number of bytes. E_CORRUPT for what is no Unicode.
static weft_status read_text(const header *h, const uint8_t *p, char *to, size_t *out_bytes, weft_diag *d) {
  size_t n = h->item_bytes;
  size_t at = 0;
  if (h->how == BYTES) {
    while (n && !p[n - 1])
      n--;
    memcpy(to, p, n);
    *out_bytes = n;
    return WEFT_OK;
  }
  while (n && !code_point(h, p + n - 4))
    n -= 4;
  for (size_t i = 0; i < n; i += 4) {
    uint32_t c = code_point(h, p + i);
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
      return weft_fail(d, WEFT_E_CORRUPT, ".npy: %#x is not a code point of Unicode", (unsigned)c);
    at += weft__utf8_put(c, to + at);
  }
  *out_bytes = at;
  return WEFT_OK;
}

static weft_status read_strings(const header *h, const uint8_t *data, size_t elems, weft_tensor *t,
                                weft_diag *d) {
  size_t payload;
  size_t at = elems * sizeof(weft_string);
  walk w;
  if (!weft_mul_size(elems, h->item_bytes + 1, &payload))
    return weft_fail(d, WEFT_E_OVERFLOW, ".npy: the bytes of %zu strings overflow", elems);
  WEFT_TRY(weft__tensor_alloc_strings(t, h->shape.dim, h->shape.rank, payload, d));
  char *to = t->data;
  walk_start(&w, h);
  for (size_t i = 0; i < elems; i++, walk_next(&w)) {
    size_t n;
    WEFT_TRY(read_text(h, data + w.at * h->item_bytes, to + at, &n, d));
    weft_string entry = {(int64_t)at, (int64_t)n};
    memcpy(to + i * sizeof entry, &entry, sizeof entry);
    at += n;
    to[at++] = 0;
  }
  t->bytes = at;
  return WEFT_OK;
}

weft_status weft_npy_read(const void *file, size_t bytes, weft_tensor *t, weft_diag *d) {
  WEFT_NEED_LIST(d, file, bytes);
  WEFT_NEED(d, t);
  header h = {0};
  size_t at;
  size_t need;
  int64_t elems;
  char text[256];
  WEFT_TRY(read_header(file, bytes, &h, &at, d));
  weft_status st = weft_shape_elems(&h.shape, &elems);
  weft_shape_text(&h.shape, NULL, text, sizeof text);
  if (st || !weft_mul_size((size_t)elems, h.item_bytes, &need))
    return weft_fail(d, WEFT_E_OVERFLOW, ".npy: the elements of shape %s overflow", text);
  if (need > bytes - at) {
    return weft_fail(d, WEFT_E_TRUNCATED, ".npy: shape %s needs %zu bytes of data, %zu are there", text, need,
                     bytes - at);
  }
  if (!h.item_bytes && (size_t)elems > bytes)  // strings of no bytes would let any shape in
    return weft_fail(d, WEFT_E_LIMIT, ".npy: %lld empty strings in a file of %zu bytes", (long long)elems,
                     bytes);
  weft_tensor fresh;
  weft_tensor_init(&fresh, &t->alloc);
  const uint8_t *data = (const uint8_t *)file + at;
  if (h.dtype == WEFT_STRING) {
    st = read_strings(&h, data, (size_t)elems, &fresh, d);
  } else {
    st = weft_tensor_alloc(&fresh, h.dtype, h.shape.dim, h.shape.rank, d);
    if (!st)
      read_numbers(&h, data, (size_t)elems, &fresh);
  }
  if (st) {
    weft_tensor_deinit(&fresh);
    return st;
  }
  weft_tensor_deinit(t);
  *t = fresh;
  return WEFT_OK;
}

// ---- writing ----

// The width of 'S' that holds every element; E_DTYPE when one ends in a zero, which numpy would drop.
static weft_status string_width(const weft_tensor *t, size_t elems, size_t *out, weft_diag *d) {
  const char *text;
  size_t n;
  size_t width = 1;
  for (size_t i = 0; i < elems; i++) {
    WEFT_TRY(weft_tensor_string(t, i, &text, &n, d));
    if (n && !text[n - 1])
      return weft_fail(d, WEFT_E_DTYPE, ".npy: string %zu ends in a zero byte, which is not kept", i);
    width = WEFT_MAX(width, n);
  }
  *out = width;
  return WEFT_OK;
}

static weft_status npy_describe(const weft_tensor *t, size_t elems, char descr[40], size_t *out_item_bytes,
                                weft_diag *d) {
  uint32_t bits = weft_dtype_bits(t->dtype);
  *out_item_bytes = bits < 8 ? 1 : bits / 8;
  if (weft__dtype_class(t->dtype) == WEFT__CLASS_STRING) {
    WEFT_TRY(string_width(t, elems, out_item_bytes, d));
    snprintf(descr, 40, "|S%zu", *out_item_bytes);
    return WEFT_OK;
  }
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    if (names[i].dtype == t->dtype)
      return snprintf(descr, 40, "%s", names[i].name), WEFT_OK;
  }
  for (size_t i = 0; i < WEFT_COUNT(kinds); i++) {
    if (kinds[i].dtype != t->dtype)
      continue;
    snprintf(descr, 40, "%c%s", bits <= 8 ? '|' : host_is_little() ? '<' : '>', kinds[i].descr);
    return WEFT_OK;
  }
  return weft_fail(d, WEFT_E_DTYPE, ".npy: numpy has no dtype for %s", weft_dtype_name(t->dtype));
}

static weft_status write_header(const weft_tensor *t, const char *descr, weft_write_fn write, void *ctx) {
  char text[1024];
  size_t at = 10;
  const weft_shape *s = &t->layout.storage;
  memset(text, 0, 10);
  weft__append(text, sizeof text, &at, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (size_t i = 0; i < s->rank; i++)
    weft__append(text, sizeof text, &at, i ? ", %lld" : "%lld", (long long)s->dim[i]);
  weft__append(text, sizeof text, &at, s->rank == 1 ? ",), }" : "), }");
  while ((at + 1) % 64)
    weft__append(text, sizeof text, &at, " ");
  weft__append(text, sizeof text, &at, "\n");
  memcpy(text, magic, 6);
  text[6] = 1;
  text[8] = (char)((at - 10) & 0xFF);
  text[9] = (char)((at - 10) >> 8);
  return write(ctx, text, at);
}

static weft_status write_zeros(weft_write_fn write, void *ctx, size_t n) {
  static const char zeros[256];
  for (; n; n -= WEFT_MIN(n, sizeof zeros))
    WEFT_TRY(write(ctx, zeros, WEFT_MIN(n, sizeof zeros)));
  return WEFT_OK;
}

static weft_status write_data(const weft_tensor *t, size_t elems, size_t item_bytes, weft_write_fn write,
                              void *ctx) {
  uint8_t part[512];
  bool strings = weft__dtype_class(t->dtype) == WEFT__CLASS_STRING;
  if (!strings && weft_dtype_bits(t->dtype) >= 8)
    return elems ? write(ctx, t->data, elems * item_bytes) : WEFT_OK;
  for (size_t i = 0; i < elems && strings; i++) {
    const char *text;
    size_t n;
    WEFT_TRY(weft_tensor_string(t, i, &text, &n, NULL));
    if (n)
      WEFT_TRY(write(ctx, text, n));
    WEFT_TRY(write_zeros(write, ctx, item_bytes - n));
  }
  for (size_t i = 0; i < elems && !strings;) {
    size_t n = WEFT_MIN(sizeof part, elems - i);
    for (size_t k = 0; k < n; k++)
      part[k] = (uint8_t)weft__bits_get(t->dtype, t->data, i + k);
    WEFT_TRY(write(ctx, (const char *)part, n));
    i += n;
  }
  return WEFT_OK;
}

weft_status weft_npy_write(const weft_tensor *t, weft_write_fn write, void *ctx, weft_diag *d) {
  WEFT_NEED(d, t);
  WEFT_NEED(d, write);
  char descr[40];
  size_t item_bytes;
  if (t->kind != WEFT_KIND_TENSOR)
    return weft_fail(d, WEFT_E_UNSUPPORTED, ".npy: holds tensors only");
  int64_t elems = weft_tensor_elems(t);
  int64_t need = elems < 0 ? -1 : weft_dtype_bytes(elems, t->dtype);
  if (!t->data || t->placement != WEFT_ON_HOST)
    return weft_fail(d, WEFT_E_STATE, ".npy: the tensor has no data on the host");
  if (need < 0 || (uint64_t)need > t->bytes) {
    return weft_fail(d, WEFT_E_SHAPE, ".npy: the shape needs %lld bytes, the tensor has %zu", (long long)need,
                     t->bytes);
  }
  WEFT_TRY(npy_describe(t, (size_t)elems, descr, &item_bytes, d));
  weft_status st = write_header(t, descr, write, ctx);
  if (!st)
    st = write_data(t, (size_t)elems, item_bytes, write, ctx);
  return st ? weft_fail(d, st, ".npy: writing failed: %s", weft_status_text(st)) : WEFT_OK;
}

// ---- files ----

weft_status weft_npy_load(const char *path, weft_tensor *t, weft_diag *d) {
  WEFT_NEED(d, path);
  WEFT_NEED(d, t);
  weft_file file;
  WEFT_TRY(weft__file_take(path, WEFT__FILE_SMALL, &file, d));
  weft_status st = weft_npy_read(file.data, file.bytes, t, d);
  weft__file_unmap(&file);
  if (st)
    weft_note(d, "while reading '%s'", path);
  return st;
}

weft_status weft_npy_save(const char *path, const weft_tensor *t, weft_diag *d) {
  WEFT_NEED(d, path);
  WEFT_NEED(d, t);
  weft_file_out *f;
  WEFT_TRY(weft_file_create(path, &f, d));
  return weft_file_finish(f, weft_npy_write(t, weft_file_write, f, d), d);
}
// SPDX-License-Identifier: Apache-2.0
