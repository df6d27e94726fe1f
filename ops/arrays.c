// arrays.c - tensors as arrays of doubles or 64-bit integers. Arrays are workspaces: they are freed when the
// call ends.
#include "arrays.h"

weft_status weft__expect_dtype(const weft_infer *it, uint32_t in, uint32_t like) {
  if (in >= it->n_in || it->in_dtype[in] == it->in_dtype[like])
    return WEFT_OK;
  return weft_fail(it->d, WEFT_E_DTYPE, "input '%s' is %s, input '%s' %s; they must have one dtype",
                   weft__in_name(it->desc, in), weft_dtype_name(it->in_dtype[in]),
                   weft__in_name(it->desc, like), weft_dtype_name(it->in_dtype[like]));
}

static const char *arrays_port_name(const weft_op_desc *n, uint32_t port) {
  const char *first = (const char *)n->op->in;
  return ((const weft_port *)(const void *)(first + (size_t)port * n->op->port_bytes))->name;
}
weft_status weft__expect_together(const weft_infer *it, uint32_t n) {
  const weft_port_span *span = it->desc->in_port;
  if (!span[0].count)
    return weft_fail(it->d, WEFT_E_INVALID, "input '%s' has no instances", arrays_port_name(it->desc, 0));
  for (uint32_t i = 1; i < n; i++) {
    if (span[i].count == span[0].count)
      continue;
    return weft_fail(
        it->d, WEFT_E_INVALID,
        "input '%s' has %u instance%s, input '%s' has %u: they go together, give as many of each",
        arrays_port_name(it->desc, 0), span[0].count, span[0].count == 1 ? "" : "s",
        arrays_port_name(it->desc, i), span[i].count);
  }
  return WEFT_OK;
}

weft_status weft__scratch(const weft_call *c, size_t n, void **out) {
  size_t bytes;
  *out = NULL;
  if (!weft_mul_size(WEFT_MAX(n, 1), 8, &bytes)) {
    return weft_fail(c->d, WEFT_E_OVERFLOW, "scratch memory for %zu elements does not fit the address space",
                     n);
  }
  return c->host->workspace(c, bytes, out);
}

// The usual dtype, without asking for each element what it is. What lies in a file may lie at any address.
static weft_status load_floats(const weft_call *c, const char *data, size_t n, double *out) {
  for (size_t i = 0; i < n; i++) {
    float v;
    WEFT_TRY(weft__poll_at(c, i));
    memcpy(&v, data + i * sizeof v, sizeof v);
    out[i] = (double)v;
  }
  return WEFT_OK;
}

weft_status weft__load_f64s(const weft_call *c, const weft_tensor *t, double **out) {
  size_t n = weft__elems(&t->layout.origin);
  void *p;
  WEFT_TRY(weft__scratch(c, n, &p));
  *out = p;
  if (t->dtype == WEFT_FLOAT)
    return load_floats(c, t->data, n, *out);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    (*out)[i] = weft_load_f64(t->dtype, t->data, i);
  }
  return WEFT_OK;
}

weft_status weft__load_u64s(const weft_call *c, const weft_tensor *t, uint64_t **out) {
  size_t n = weft__elems(&t->layout.origin);
  bool natural = weft__is_unsigned(t->dtype);
  void *p;
  WEFT_TRY(weft__scratch(c, n, &p));
  *out = p;
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    (*out)[i] = natural ? weft_load_u64(t->dtype, t->data, i) : (uint64_t)weft_load_i64(t->dtype, t->data, i);
  }
  return WEFT_OK;
}

void weft__load_complex(weft_dtype t, const void *data, size_t i, double z[2]) {
  if (t == WEFT_COMPLEX128) {
    memcpy(z, (const char *)data + i * 16, 16);
    return;
  }
  weft_dtype part = t == WEFT_COMPLEX64 ? WEFT_FLOAT : WEFT_FLOAT16;
  z[0] = weft_load_f64(part, data, 2 * i);
  z[1] = weft_load_f64(part, data, 2 * i + 1);
}

void weft__store_complex(weft_dtype t, void *data, size_t i, const double z[2]) {
  if (t == WEFT_COMPLEX128) {
    memcpy((char *)data + i * 16, z, 16);
    return;
  }
  weft_dtype part = t == WEFT_COMPLEX64 ? WEFT_FLOAT : WEFT_FLOAT16;
  weft_store_f64(part, data, 2 * i, z[0]);
  weft_store_f64(part, data, 2 * i + 1, z[1]);
}

int weft__order(weft_dtype t, const void *data, size_t i, size_t j, int nan) {
  if (weft_dtype_is_float(t)) {
    double a = weft_load_f64(t, data, i), b = weft_load_f64(t, data, j);
    bool a_nan = a != a;
    bool b_nan = b != b;
    if (a_nan || b_nan)
      return a_nan == b_nan ? 0 : a_nan ? nan : -nan;
    return (a > b) - (a < b);
  }
  if (weft__is_unsigned(t)) {
    uint64_t a = weft_load_u64(t, data, i);
    uint64_t b = weft_load_u64(t, data, j);
    return (a > b) - (a < b);
  }
  int64_t a = weft_load_i64(t, data, i);
  int64_t b = weft_load_i64(t, data, j);
  return (a > b) - (a < b);
}
// SPDX-License-Identifier: Apache-2.0
