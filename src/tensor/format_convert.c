// format_convert.c - storage shapes of packed layouts, and conversion of data between layouts.
//
// Every rule is written once, as a `layout`: the loops of the target in storage order, each with its step
// through the plain tensor. Two target loops may be the outer and inner part of one plain axis cut into
// blocks; positions past that axis' end are padding. The innermost loop is a "row"; conversion copies rows,
// so it costs O(elements of the target) and no memory.
//
//   plain: named axes (NCHW, NDHWC, ...) permute by name; ND keeps the order of whatever it meets. Where no
//     axis moves the rank is not checked: AscendIR writes NCHW on vectors, too.
//   NC1HWC0: [N, ceil(C/C0), H, W, C0] from any order of NCHW; ND of rank 4 counts as NCHW.
//   FRACTAL_Z: [ceil(C/C0)*H*W, ceil(N/16), 16, C0] likewise; without groups (sub-format 0 or 1).
//   FRACTAL_NZ: [..., ceil(N/C0), ceil(M/16), 16, C0] of [..., M, N], whatever the axes are called; rank 1
//     counts as [1, N]. FRACTAL_NZ_C0_x is the same with its own C0.
//
// C0: the target's word, else what its name says, else default_c0, else 16. Dims: -1 stays -1; a symbol stays
// where it is copied and becomes -1 where it is divided or multiplied.
#include "base/base.h"
#include "weft/format.h"

enum { BLOCK = 16, DEFAULT_C0 = 16, TEXT_BYTES = 64 };

// A plain axis in two loops: position = outer * size of the inner loop + inner, which must stay below limit.
typedef struct split {
  size_t outer, inner;
  weft_dim limit;
} split;

typedef struct layout {
  size_t rank;
  weft_dim dim[WEFT_MAX_RANK];
  size_t step[WEFT_MAX_RANK];  // elements of the plain tensor; meaningful when every dim is known
  split row, block;            // `row` cuts the innermost loop; both only where `packed`
  bool packed;
} layout;

// ---- formats ----

static const char *format_convert_axes_of(weft_format f) {  // NULL: no axis names
  static const struct {
    weft_format format;
    const char *axes;
  } named[] = {{WEFT_NCHW, "NCHW"},   {WEFT_NHWC, "NHWC"},   {WEFT_HWCN, "HWCN"},   {WEFT_CHWN, "CHWN"},
               {WEFT_NCDHW, "NCDHW"}, {WEFT_NDHWC, "NDHWC"}, {WEFT_DHWCN, "DHWCN"}, {WEFT_DHWNC, "DHWNC"}};
  for (size_t i = 0; i < WEFT_COUNT(named); i++) {
    if (named[i].format == weft_format_primary(f))
      return named[i].axes;
  }
  return NULL;
}

static bool format_convert_is_plain(weft_format f) {
  return weft_format_primary(f) == WEFT_ND || format_convert_axes_of(f);
}

static int32_t c0_of_name(weft_format f) {  // 0: the name says nothing
  static const weft_format named[] = {WEFT_FRACTAL_NZ_C0_2, WEFT_FRACTAL_NZ_C0_4, WEFT_FRACTAL_NZ_C0_8,
                                      WEFT_FRACTAL_NZ_C0_16, WEFT_FRACTAL_NZ_C0_32};
  for (int32_t i = 0; i < (int32_t)WEFT_COUNT(named); i++) {
    if (named[i] == weft_format_primary(f))
      return 2 << i;
  }
  return 0;
}

static bool is_fractal_nz(weft_format f) {
  return weft_format_primary(f) == WEFT_FRACTAL_NZ || c0_of_name(f) != 0;
}

static weft_status c0_of(weft_format f, int64_t default_c0, int64_t *out, weft_diag *d) {
  if (default_c0 < 0) {
    return weft_fail(d, WEFT_E_INVALID, "format: default C0 is %lld, expected 0 or more",
                     (long long)default_c0);
  }
  *out = weft_format_has_c0(f) ? weft_format_c0(f) : c0_of_name(f);
  if (*out == 0)
    *out = default_c0 ? default_c0 : DEFAULT_C0;
  return WEFT_OK;
}

static weft_status no_rule(weft_format from, weft_format to, weft_diag *d) {
  char a[TEXT_BYTES];
  char b[TEXT_BYTES];
  return weft_fail(d, WEFT_E_FORMAT, "format: no rule leads from %s to %s",
                   weft_format_text(from, a, sizeof a), weft_format_text(to, b, sizeof b));
}

// Data of one format are data of the other as they are.
static bool same_layout(weft_format a, weft_format b, int64_t default_c0) {
  weft_format pa = weft_format_primary(a);
  weft_format pb = weft_format_primary(b);
  if (format_convert_is_plain(a) && format_convert_is_plain(b))
    return pa == pb || pa == WEFT_ND || pb == WEFT_ND;
  int64_t c0_a;
  int64_t c0_b;
  if (pa != pb || weft_format_sub(a) != weft_format_sub(b))
    return false;
  return !c0_of(a, default_c0, &c0_a, NULL) && !c0_of(b, default_c0, &c0_b, NULL) && c0_a == c0_b;
}

// ---- dims ----

static weft_dim ceil_dim(weft_dim a, int64_t by) {
  return a < 0 ? WEFT_DIM_UNKNOWN : a / by + (a % by != 0);
}

// 0 wins over unknown; -1 when unknown; false on overflow.
static bool mul_dims(const weft_dim *dims, size_t n, weft_dim *out) {
  weft_dim product = 1;
  bool unknown = false;
  for (size_t i = 0; i < n; i++) {
    if (dims[i] == 0) {
      *out = 0;
      return true;
    }
    unknown |= dims[i] < 0;
  }
  for (size_t i = 0; i < n && !unknown; i++) {
    if (!weft__mul_i64(product, dims[i], &product))
      return false;
  }
  *out = unknown ? WEFT_DIM_UNKNOWN : product;
  return true;
}

static weft_status check_origin(const weft_shape *s, weft_diag *d) {
  if (s->rank > WEFT_MAX_RANK) {
    return weft_fail(d, WEFT_E_SHAPE, "format: the origin shape is unset or has a rank above %d",
                     WEFT_MAX_RANK);
  }
  if (weft_shape_is_unknown_rank(s))
    return WEFT_OK;
  for (size_t i = 0; i < s->rank; i++) {
    if (s->dim[i] >= WEFT_DIM_UNKNOWN || weft_dim_is_symbol(s->dim[i]))
      continue;
    return weft_fail(d, WEFT_E_SHAPE, "format: dim %zu of the origin shape is %lld, expected -1 or more", i,
                     (long long)s->dim[i]);
  }
  return WEFT_OK;
}

// Steps of a row-major tensor; zeros when nothing can be copied: a dim is unknown or zero. False on overflow.
static bool plain_steps(const weft_shape *s, size_t *step) {
  size_t at = 1;
  bool any = weft_shape_is_known(s);
  for (size_t i = 0; i < s->rank; i++)
    any = any && s->dim[i] != 0;
  for (size_t i = s->rank; i-- > 0;) {
    step[i] = any ? at : 0;
    if (any && !weft_mul_size(at, (size_t)s->dim[i], &at))
      return false;
  }
  return true;
}

// ---- the rules ----

static void add_loop(layout *l, weft_dim dim, size_t step) {
  l->dim[l->rank] = dim;
  l->step[l->rank++] = step;
}

// Where axis `letter` lies in `axes`; the letter is there.
static size_t axis(const char *axes, char letter) {
  return (size_t)(strchr(axes, letter) - axes);
}

static weft_status lay_permuted(const weft_shape *s, const size_t *step, weft_format from, weft_format to,
                                layout *l, weft_diag *d) {
  const char *a = format_convert_axes_of(from);
  const char *b = format_convert_axes_of(to);
  if (!a || !b || strlen(a) != strlen(b))
    return no_rule(from, to, d);
  if (s->rank != strlen(a)) {
    return weft_fail(d, WEFT_E_SHAPE, "format: %s to %s needs rank %zu, got %zu", a, b, strlen(a), s->rank);
  }
  for (; *b; b++)
    add_loop(l, s->dim[axis(a, *b)], step[axis(a, *b)]);
  return WEFT_OK;
}

static weft_status lay_channels(const weft_shape *s, const size_t *step, weft_format from, weft_format to,
                                int64_t c0, layout *l, weft_diag *d) {
  const char *a = weft_format_primary(from) == WEFT_ND ? "NCHW" : format_convert_axes_of(from);
  if (!a || strlen(a) != 4)
    return no_rule(from, to, d);
  if (s->rank != 4) {
    return weft_fail(d, WEFT_E_SHAPE, "format: %s to %s needs rank 4, got %zu", weft_format_serial(from),
                     weft_format_serial(to), s->rank);
  }
  size_t n = axis(a, 'N');
  size_t c = axis(a, 'C');
  size_t h = axis(a, 'H');
  size_t w = axis(a, 'W');
  weft_dim c1 = ceil_dim(s->dim[c], c0);
  l->packed = true;
  if (weft_format_primary(to) == WEFT_NC1HWC0) {
    add_loop(l, s->dim[n], step[n]);
    l->row = (split){1, 4, s->dim[c]};
  }
  add_loop(l, c1, step[c] * (size_t)c0);
  add_loop(l, s->dim[h], step[h]);
  add_loop(l, s->dim[w], step[w]);
  if (weft_format_primary(to) == WEFT_FRACTAL_Z) {
    add_loop(l, ceil_dim(s->dim[n], BLOCK), step[n] * BLOCK);
    add_loop(l, BLOCK, step[n]);
    l->block = (split){3, 4, s->dim[n]};
    l->row = (split){0, 5, s->dim[c]};
  }
  add_loop(l, c0, step[c]);
  return WEFT_OK;
}

static weft_status lay_fractal_nz(const weft_shape *s, const size_t *step, int64_t c0, layout *l,
                                  weft_diag *d) {
  if (s->rank == 0 || s->rank + 2 > WEFT_MAX_RANK) {
    return weft_fail(d, WEFT_E_SHAPE, "format: FRACTAL_NZ needs a rank from 1 to %d, got %zu",
                     WEFT_MAX_RANK - 2, s->rank);
  }
  size_t n = s->rank - 1;
  size_t batch = s->rank >= 2 ? s->rank - 2 : 0;
  weft_dim m = s->rank >= 2 ? s->dim[n - 1] : 1;
  size_t m_step = s->rank >= 2 ? step[n - 1] : 0;
  for (size_t i = 0; i < batch; i++)
    add_loop(l, s->dim[i], step[i]);
  l->packed = true;
  l->row = (split){batch, batch + 3, s->dim[n]};
  l->block = (split){batch + 1, batch + 2, m};
  add_loop(l, ceil_dim(s->dim[n], c0), step[n] * (size_t)c0);
  add_loop(l, ceil_dim(m, BLOCK), m_step * BLOCK);
  add_loop(l, BLOCK, m_step);
  add_loop(l, c0, step[n]);
  return WEFT_OK;
}

// The loops that lay `s`, in the plain format `from`, out in `to`.
static weft_status lay_out(const weft_shape *s, weft_format from, weft_format to, int64_t default_c0,
                           layout *l, weft_diag *d) {
  size_t step[WEFT_MAX_RANK];
  int64_t c0;
  l->rank = 0;
  l->packed = false;
  l->row = l->block = (split){0};
  if (!format_convert_is_plain(from))
    return no_rule(from, to, d);
  if (!plain_steps(s, step))
    return weft_fail(d, WEFT_E_OVERFLOW, "format: elements of the origin shape overflow");
  if (format_convert_is_plain(to))
    return lay_permuted(s, step, from, to, l, d);
  WEFT_TRY(c0_of(to, default_c0, &c0, d));
  if (is_fractal_nz(to))
    return lay_fractal_nz(s, step, c0, l, d);
  bool fractal_z = weft_format_primary(to) == WEFT_FRACTAL_Z;
  if ((fractal_z && weft_format_sub(to) <= 1) || weft_format_primary(to) == WEFT_NC1HWC0) {
    return lay_channels(s, step, from, to, c0, l, d);
  }
  return no_rule(from, to, d);
}

// ---- shapes ----

weft_status weft_format_storage_shape(const weft_shape *origin, weft_format from, weft_format to,
                                      int64_t default_c0, weft_shape *out, weft_diag *d) {
  WEFT_NEED(d, origin);
  WEFT_NEED(d, out);
  WEFT_TRY(check_origin(origin, d));
  if (same_layout(from, to, default_c0)) {
    if (out != origin)
      weft_shape_copy(out, origin);
    return WEFT_OK;
  }
  layout l;
  weft_shape any = {0};  // of an unknown rank only the rule is looked up
  bool unknown_rank = weft_shape_is_unknown_rank(origin);
  if (unknown_rank) {
    const char *axes = format_convert_axes_of(from);
    any.rank = axes ? strlen(axes) : 4;
  }
  WEFT_TRY(lay_out(unknown_rank ? &any : origin, from, to, default_c0, &l, d));
  if (unknown_rank) {
    weft_shape_set_unknown_rank(out);
    return WEFT_OK;
  }
  if (weft_format_primary(to) == WEFT_FRACTAL_Z) {  // C1, H and W are one dim of the shape
    if (!mul_dims(l.dim, 3, &l.dim[2])) {
      return weft_fail(d, WEFT_E_OVERFLOW, "format: C1*H*W = %lld*%lld*%lld overflows", (long long)l.dim[0],
                       (long long)l.dim[1], (long long)l.dim[2]);
    }
    return weft_shape_init(out, l.dim + 2, l.rank - 2);
  }
  return weft_shape_init(out, l.dim, l.rank);
}

weft_status weft_format_permute_shape(const weft_shape *origin, weft_format from, weft_format to,
                                      weft_shape *out, weft_diag *d) {
  WEFT_NEED(d, origin);
  WEFT_NEED(d, out);
  if (!format_convert_is_plain(from) || !format_convert_is_plain(to))
    return no_rule(from, to, d);
  return weft_format_storage_shape(origin, from, to, 0, out, d);
}

// ---- data ----

// `item` is a constant at each call, so that the copies become plain loads and stores.
static inline void copy_steps(char *dst, size_t dst_step, const char *src, size_t src_step, size_t n,
                              size_t item) {
  for (size_t i = 0; i < n; i++)
    memcpy(dst + i * dst_step * item, src + i * src_step * item, item);
}

static void format_convert_copy_row(char *dst, size_t dst_step, const char *src, size_t src_step, size_t n,
                                    size_t item) {
  if (dst_step == 1 && src_step == 1) {
    memcpy(dst, src, n * item);
    return;
  }
  switch (item) {
    case 1:
      copy_steps(dst, dst_step, src, src_step, n, 1);
      break;
    case 2:
      copy_steps(dst, dst_step, src, src_step, n, 2);
      break;
    case 4:
      copy_steps(dst, dst_step, src, src_step, n, 4);
      break;
    case 8:
      copy_steps(dst, dst_step, src, src_step, n, 8);
      break;
    case 16:
      copy_steps(dst, dst_step, src, src_step, n, 16);
      break;
    default:
      copy_steps(dst, dst_step, src, src_step, n, item);
      break;
  }
}

// How many elements of the row at `index` are no padding.
static size_t row_fill(const layout *l, const size_t *index) {
  size_t n = (size_t)l->dim[l->rank - 1];
  if (!l->packed)
    return n;
  const split *b = &l->block;
  const split *r = &l->row;
  if (b->inner && index[b->outer] * (size_t)l->dim[b->inner] + index[b->inner] >= (size_t)b->limit)
    return 0;
  size_t left = (size_t)r->limit - index[r->outer] * n;
  return WEFT_MIN(n, left);
}

// Moves every row: from the plain tensor to the target of `l`, or back. Neither is empty; the sizes are
// checked.
static void move_rows(const layout *l, size_t item, const char *src, char *dst, bool back) {
  size_t index[WEFT_MAX_RANK] = {0};
  size_t last = l->rank - 1;
  size_t n = (size_t)l->dim[last];
  size_t step = l->step[last];
  // elements into the plain tensor and into the target
  size_t plain = 0;
  size_t row = 0;
  for (;; row += n) {
    size_t fill = row_fill(l, index);
    if (back) {
      if (fill)
        format_convert_copy_row(dst + plain * item, step, src + row * item, 1, fill, item);
    } else {
      if (fill)
        format_convert_copy_row(dst + row * item, 1, src + plain * item, step, fill, item);
      memset(dst + (row + fill) * item, 0, (n - fill) * item);
    }
    size_t k = last;
    for (;;) {
      if (k-- == 0)
        return;
      plain += l->step[k];
      if (++index[k] < (size_t)l->dim[k])
        break;
      plain -= l->step[k] * index[k];
      index[k] = 0;
    }
  }
}

static weft_status check_bytes(const char *what, const weft_dim *dims, size_t rank, size_t item, size_t have,
                               size_t *out_need, weft_diag *d) {
  weft_dim elems;
  size_t need;
  if (!mul_dims(dims, rank, &elems) || elems < 0 || !weft_mul_size((size_t)elems, item, &need)) {
    return weft_fail(d, WEFT_E_OVERFLOW, "format: bytes of the %s buffer overflow", what);
  }
  if (have < need) {
    return weft_fail(d, WEFT_E_INVALID, "format: the %s buffer needs %zu bytes, got %zu", what, need, have);
  }
  *out_need = need;
  return WEFT_OK;
}

// Equal layouts: a copy, of types below a byte too. Strings point into their own buffer and cannot be moved
// so.
static weft_status copy_whole(const weft_shape *s, weft_dtype t, const void *src, size_t src_bytes, void *dst,
                              size_t dst_bytes, weft_diag *d) {
  weft_dim elems;
  int64_t need = mul_dims(s->dim, s->rank, &elems) ? weft_dtype_bytes(elems, t) : -1;
  if (need < 0 || (uint64_t)need > SIZE_MAX) {
    return weft_fail(d, WEFT_E_OVERFLOW, "format: bytes of the %s tensor overflow", weft_dtype_name(t));
  }
  if (src_bytes < (size_t)need || dst_bytes < (size_t)need) {
    return weft_fail(d, WEFT_E_INVALID,
                     "format: the buffers need %lld bytes, got %zu (source) and %zu (target)",
                     (long long)need, src_bytes, dst_bytes);
  }
  if (need)
    memmove(dst, src, (size_t)need);
  return WEFT_OK;
}

static weft_status check_data(const weft_shape *origin, weft_dtype t, weft_diag *d) {
  WEFT_TRY(check_origin(origin, d));
  if (!weft_shape_is_known(origin)) {
    return weft_fail(d, WEFT_E_UNKNOWN,
                     "format: data can be converted only when every dim of the shape is known");
  }
  if (weft_dtype_bits(t) == 0)
    return weft_fail(d, WEFT_E_DTYPE, "format: dtype %s has no size", weft_dtype_serial(t));
  if (t == WEFT_STRING || t == WEFT_STRING_REF) {
    return weft_fail(d, WEFT_E_UNSUPPORTED, "format: strings have no other layout than their own");
  }
  return WEFT_OK;
}

weft_status weft_format_convert(const weft_shape *origin, weft_dtype t, weft_format from, const void *src,
                                size_t src_bytes, weft_format to, void *dst, size_t dst_bytes,
                                int64_t default_c0, weft_diag *d) {
  WEFT_NEED(d, origin);
  WEFT_NEED_LIST(d, src, src_bytes);
  WEFT_NEED_LIST(d, dst, dst_bytes);
  WEFT_TRY(check_data(origin, t, d));
  if (same_layout(from, to, default_c0))
    return copy_whole(origin, t, src, src_bytes, dst, dst_bytes, d);
  if (weft_dtype_bits(t) % 8) {
    return weft_fail(d, WEFT_E_UNSUPPORTED,
                     "format: %s to %s of %s: elements below a byte cannot be moved apart",
                     weft_format_serial(from), weft_format_serial(to), weft_dtype_name(t));
  }
  bool unpack = !format_convert_is_plain(from);
  layout l;
  size_t item = weft_dtype_bits(t) / 8;
  size_t plain_bytes;
  size_t target_bytes;
  WEFT_TRY(lay_out(origin, unpack ? to : from, unpack ? from : to, default_c0, &l, d));
  WEFT_TRY(check_bytes(unpack ? "target" : "source", origin->dim, origin->rank, item,
                       unpack ? dst_bytes : src_bytes, &plain_bytes, d));
  WEFT_TRY(check_bytes(unpack ? "source" : "target", l.dim, l.rank, item, unpack ? src_bytes : dst_bytes,
                       &target_bytes, d));
  if (plain_bytes == 0 || target_bytes == 0)
    return WEFT_OK;
  move_rows(&l, item, src, dst, unpack);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
