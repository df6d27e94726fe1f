// scatter.c - ScatterElements, TensorScatterUpdate (ONNX's ScatterND) and ScatterNd: updates written at
// places that an index tensor names, or combined with what is there, in the order of the updates. All indices
// are checked before anything is written over. Every place belongs to one block: blocks share the axes that
// the indices do not go along, or the columns of slices, so that any number of threads gives the same bits;
// indices along the only axis are one thread's.
// Combining is done in the dtype, but of halves, and of floats where elements get four updates or more on
// average, in doubles, which are rounded once.
#include "cpu/move/places.h"
#include "cpu/simd/vector_math.h"
#include "op_slots.h"

enum { WRITE, ADD, MUL, MAX, MIN, WAYS };
enum { COLUMNS = 64, MANY = 4 };  // a block has a multiple of columns; updates of an element
// Places at[0] ... at[n - 1] of y, slices of which columns [first, last) meet those of u.
typedef void (*combine_fn)(void *y, const void *u, const size_t *at, size_t n, size_t slice, size_t first,
                           size_t last);
typedef struct plan {
  weft__places places;
  combine_fn combine;
  uint8_t store;                 // of floats that are summed in doubles; WEFT__STORE_NONE: they are not
  int8_t data, index, update;    // arguments; data -1: zeros
  size_t bytes, elems, slice;    // of an element; of y; of a place
  size_t copy_per, check_per;    // bytes of y, or elements to widen; places
  size_t outer, along, columns;  // places are (outer, along the axis, column); of slices, columns are theirs
  size_t outer_per, columns_per;
  const weft_undo *undo;  // NULL: nobody wants to know what was there
} plan;

// ---- combining ----
#define COMBINE(name, Y, U, load, e)                                                                 \
  static void name(void *y_, const void *u_, const size_t *at, size_t n, size_t slice, size_t first, \
                   size_t last) {                                                                    \
    Y *y = y_;                                                                                       \
    const U *u = u_;                                                                                 \
    for (size_t j = 0; slice == 1 && j < n; j++) {                                                   \
      const Y a = y[at[j]], b = load(u[j]);                                                          \
      y[at[j]] = (Y)(e);                                                                             \
    }                                                                                                \
    for (size_t j = 0; slice != 1 && j < n; j++) {                                                   \
      Y *to = y + at[j] * slice;                                                                     \
      const U *from = u + j * slice;                                                                 \
      WEFT_LOOP(size_t i = first; i < last; i++) {                                                   \
        const Y a = to[i], b = load(from[i]);                                                        \
        to[i] = (Y)(e);                                                                              \
      }                                                                                              \
    }                                                                                                \
  }
#define SAME(v)   (v)
#define DOUBLE(v) ((double)(v))
#define HALF(v)   ((double)weft__of_half(v))
#define BF16(v)   ((double)weft__of_bf16(v))
// NaN wins, and of equal ones the update.
#define LARGEST a != a ? a : a > b ? a : b
#define LEAST   a != a ? a : a < b ? a : b
#define INTEGERS(id, U, S)                        \
  COMBINE(write_##id, U, U, SAME, ((void)a, b))   \
  COMBINE(add_u##id, U, U, SAME, (uint64_t)a + b) \
  COMBINE(mul_u##id, U, U, SAME, (uint64_t)a *b)  \
  COMBINE(max_u##id, U, U, SAME, a > b ? a : b)   \
  COMBINE(min_u##id, U, U, SAME, a < b ? a : b)   \
  COMBINE(max_i##id, S, S, SAME, a > b ? a : b)   \
  COMBINE(min_i##id, S, S, SAME, a < b ? a : b)
#define FLOATS(id, Y, U, load)           \
  COMBINE(add_##id, Y, U, load, a + b)   \
  COMBINE(mul_##id, Y, U, load, a *b)    \
  COMBINE(max_##id, Y, U, load, LARGEST) \
  COMBINE(min_##id, Y, U, load, LEAST)
INTEGERS(8, uint8_t, int8_t)
INTEGERS(16, uint16_t, int16_t)
INTEGERS(32, uint32_t, int32_t)
INTEGERS(64, uint64_t, int64_t)
FLOATS(f32, float, float, SAME)
FLOATS(f64, double, double, SAME)
FLOATS(wide_f32, double, float, DOUBLE)
FLOATS(wide_half, double, uint16_t, HALF)
FLOATS(wide_bf16, double, uint16_t, BF16)

enum { U8, I8, U16, I16, U32, I32, U64, I64, F32, F64, WIDE_F32, WIDE_HALF, WIDE_BF16, TYPES };
#define ROW(way, i8, i16, i32, i64)                                                                     \
  {                                                                                                     \
    way##_u8, i8, way##_u16, i16, way##_u32, i32, way##_u64, i64, way##_f32, way##_f64, way##_wide_f32, \
        way##_wide_half, way##_wide_bf16                                                                \
  }
static const combine_fn table[WAYS][TYPES] = {
    {write_8, write_8, write_16, write_16, write_32, write_32, write_64, write_64, write_32, write_64, NULL,
     write_16, write_16},
    ROW(add, add_u8, add_u16, add_u32, add_u64),
    ROW(mul, mul_u8, mul_u16, mul_u32, mul_u64),
    ROW(max, max_i8, max_i16, max_i32, max_i64),
    ROW(min, min_i8, min_i16, min_i32, min_i64),
};

// By size alone where nothing is combined; TYPES: there is none.
static int scatter_type_of(weft_dtype t, int way) {
  static const struct {
    weft_dtype dtype;
    int type;
  } all[] = {{WEFT_UINT8, U8},   {WEFT_INT8, I8},    {WEFT_UINT16, U16},        {WEFT_INT16, I16},
             {WEFT_UINT32, U32}, {WEFT_INT32, I32},  {WEFT_UINT64, U64},        {WEFT_INT64, I64},
             {WEFT_FLOAT, F32},  {WEFT_DOUBLE, F64}, {WEFT_FLOAT16, WIDE_HALF}, {WEFT_BF16, WIDE_BF16}};
  static const int by_size[] = {[1] = U8, [2] = U16, [4] = U32, [8] = U64};
  if (way == WRITE)
    return weft__rows_elem_bytes(t) ? by_size[weft__rows_elem_bytes(t)] : TYPES;
  for (size_t i = 0; i < WEFT_COUNT(all); i++) {
    if (all[i].dtype == t)
      return all[i].type;
  }
  return TYPES;
}

// ---- host side ----
static int way_of(const weft_tiling *t) {
  static const char *const names[] = {"none", "add", "mul", "max", "min"};
  if (!strcmp(t->desc->type, "ScatterNd"))
    return ADD;
  const bool elements = !strcmp(t->desc->type, "ScatterElements");
  const char *s = weft_node_str(t->desc, elements ? (uint32_t)WEFT_SLOT_SCATTER_ELEMENTS_REDUCTION
                                                  : (uint32_t)WEFT_SLOT_TENSOR_SCATTER_UPDATE_REDUCTION);
  for (int i = 0; s && i < WAYS; i++) {
    if (!strcmp(s, names[i]))
      return i;
  }
  return s ? WAYS : WRITE;
}

static const char *scatter_find_places(const weft_tiling *t, plan *p) {
  const weft_shape *y = &t->out[0]->origin;
  const weft_shape *index = &t->in[p->index]->origin;
  weft__places *a = &p->places;
  p->outer = p->along = p->columns = p->slice = 1;
  if (strcmp(t->desc->type, "ScatterElements")) {
    const weft__tuples of = {
        .data = y, .index = index, .negative = p->data >= 0, .type = t->in_dtype[p->index]};
    const char *why = weft__places_tuples(t->host, a, &of, &p->slice);
    p->along = a->n;
    p->columns = p->slice;
    return why;
  }
  const char *why = weft__places_elements(
      t->host, a, y, index, weft_node_int(t->desc, WEFT_SLOT_SCATTER_ELEMENTS_AXIS), t->in_dtype[1]);
  for (uint32_t k = 0; k < a->axes; k++) {
    if (k < a->at)  // all of them where there is no axis of their own
      p->outer *= a->size[k];
    else if (k == a->at)
      p->along *= a->size[k];
    else
      p->columns *= a->size[k];
  }
  return why;
}

// Are numbers kept in a wider type while others join them?
static bool is_summed_wide(const plan *p, int way, int type) {
  if (type == WIDE_HALF || type == WIDE_BF16)
    return true;
  const bool sums = way == ADD || way == MUL;
  return type == F32 && sums && p->places.n * p->slice / MANY >= p->elems;
}

static const char *scatter_make(const weft_tiling *t, plan *p) {
  memset(p, 0, sizeof *p);
  if (t->n_in != 3 || t->n_out != 1)
    return "inputs or outputs are missing";
  if (!weft__rows_plain(t))
    return "needs known shapes in plain layouts";
  const bool zeros = !strcmp(t->desc->type, "ScatterNd");
  p->data = zeros ? -1 : 0;
  p->index = zeros ? 0 : 1;
  p->update = zeros ? 1 : 2;
  const weft_dtype dtype = t->out_dtype[0];
  int way = way_of(t);
  if (dtype == WEFT_BOOL && way != WRITE && way < WAYS)  // a sum of truths is or, a product and
    way = way == ADD || way == MAX ? MAX : MIN;
  const int type = way >= WAYS ? TYPES : dtype == WEFT_BOOL ? U8 : scatter_type_of(dtype, way);
  if (type == TYPES || t->in_dtype[p->update] != dtype)
    return "a dtype or a reduction without a loop";
  const char *why = scatter_find_places(t, p);
  if (why)
    return why;
  p->bytes = weft_dtype_bits(dtype) / 8;
  p->elems = weft__rows_prod(&t->out[0]->origin, 0, t->out[0]->origin.rank);
  const bool wide = is_summed_wide(p, way, type);
  p->store = wide ? weft__store_of(dtype) : WEFT__STORE_NONE;
  p->combine = table[way][type == F32 && wide ? WIDE_F32 : type];
  return NULL;
}
static const char *refuse_scatter(const weft_tiling *t) {
  plan p;
  return scatter_make(t, &p);
}
static weft_status tile_scatter(weft_tiling *t) {
  plan *p = t->data;
  const char *why = scatter_make(t, p);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  const bool wide = p->store != WEFT__STORE_NONE;
  const size_t places = p->places.n;
  const size_t whole = (p->columns + COLUMNS - 1) / COLUMNS;
  const double each = 1 + (double)p->slice * (0.2 + 0.1 * (double)p->bytes);
  const double all = (double)places * each;
  uint32_t copies = weft__rows_blocks(p->elems, (double)p->bytes * 0.06 + wide, &p->copy_per);
  uint32_t checks = weft__rows_blocks(places, 0.4 * p->places.each, &p->check_per);
  uint32_t parts;
  p->outer_per = p->outer;
  p->columns_per = p->columns;
  if (p->outer > 1) {
    parts = weft__rows_blocks(p->outer, all / (double)p->outer, &p->outer_per);
  } else {
    parts = weft__rows_blocks(whole, all / (double)WEFT_MAX(whole, 1u), &p->columns_per);
    p->columns_per *= COLUMNS;
  }
  if (wide && !weft_mul_size(p->elems, sizeof(double), &t->workspace_bytes[0]))
    return t->host->fail(t->d, WEFT_E_OVERFLOW, "%zu elements", p->elems);
  t->n_workspaces = wide;
  t->phases = wide ? 3 : 2;
  t->overwrite = p->data == 0;
  if (p->data == 0 && !wide) {
    t->undo_pieces = places;
    t->undo_piece_bytes = p->slice * p->bytes;
    t->undo_at = offsetof(plan, undo);
  }
  t->blocks = WEFT_MAX(WEFT_MAX(copies, checks), parts);
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

// ---- device side ----
static void widen(uint8_t store, const void *x, double *y, size_t first, size_t last) {
  const float *f = x;
  const uint16_t *h = x;
  if (store == WEFT__STORE_F32) {
    WEFT_LOOP(size_t i = first; i < last; i++)
      y[i] = (double)f[i];
  } else if (store == WEFT__STORE_HALF) {
    WEFT_LOOP(size_t i = first; i < last; i++)
      y[i] = HALF(h[i]);
  } else {
    WEFT_LOOP(size_t i = first; i < last; i++)
      y[i] = BF16(h[i]);
  }
}

static void narrow(uint8_t store, const double *x, void *y, size_t first, size_t last) {
  float *f = y;
  uint16_t *h = y;
  if (store == WEFT__STORE_F32) {
    WEFT_LOOP(size_t i = first; i < last; i++)
      f[i] = (float)x[i];
  } else if (store == WEFT__STORE_HALF) {
    WEFT_LOOP(size_t i = first; i < last; i++)
      h[i] = weft__to_half(weft__odd_float(x[i]));
  } else {
    WEFT_LOOP(size_t i = first; i < last; i++)
      h[i] = weft__to_bf16(weft__odd_float(x[i]));
  }
}

// Of n places from the i-th on: what the data have there.
static void scatter_note(const plan *p, const void *data, size_t i, const size_t *at, size_t n) {
  const size_t piece = p->slice * p->bytes;
  char *was = p->undo->was;
  for (size_t j = 0; j < n; j++) {
    p->undo->at[i + j] = (uint64_t)at[j] * piece;
    memcpy(was + (i + j) * piece, (const char *)data + at[j] * piece, piece);
  }
}

// A block's part of the indices is checked, and its part of y, or of the doubles, is what the data are.
static weft_status scatter_prepare(const plan *p, const weft_block *b) {
  size_t at[WEFT__PLACES_PIECE];
  const void *x = p->data < 0 ? NULL : b->arg[p->data];
  const size_t first = b->block * p->copy_per;
  const size_t last = WEFT_MIN(first + p->copy_per, p->elems);
  const size_t from = b->block * p->check_per;
  const size_t to = WEFT_MIN(from + p->check_per, p->places.n);
  for (size_t i = from, n; i < to; i += n) {
    n = WEFT_MIN(to - i, (size_t)WEFT__PLACES_PIECE);
    if (!weft__places_find(&p->places, b->arg[p->index], i, n, at))
      return WEFT_E_RANGE;
    if (p->undo)
      scatter_note(p, x, i, at, n);
  }
  if (first >= last)
    return WEFT_OK;
  const bool wide = p->store != WEFT__STORE_NONE;
  char *y = wide ? b->workspace[0] : b->arg[3];
  const size_t bytes = wide ? sizeof(double) : p->bytes;
  if (!x)
    memset(y + first * bytes, 0, (last - first) * bytes);
  else if (wide)
    widen(p->store, x, b->workspace[0], first, last);
  else if (x != y)
    memcpy(y + first * bytes, (const char *)x + first * bytes, (last - first) * bytes);
  return WEFT_OK;
}

// Places [i, last), columns [first, end) of slices.
static void combine(const plan *p, const weft_block *b, size_t i, size_t last, size_t first, size_t end) {
  size_t at[WEFT__PLACES_PIECE];
  void *y = p->store != WEFT__STORE_NONE ? b->workspace[0] : b->arg[3];
  const char *u = b->arg[p->update];
  for (size_t n; i < last; i += n) {
    n = WEFT_MIN(last - i, (size_t)WEFT__PLACES_PIECE);
    weft__places_find(&p->places, b->arg[p->index], i, n, at);
    p->combine(y, u + i * p->slice * p->bytes, at, n, p->slice, first, end);
  }
}

static weft_status run_scatter(const weft_block *b) {
  const plan *p = b->data;
  if (b->phase == 0)
    return scatter_prepare(p, b);
  if (b->phase == 2) {
    const size_t first = b->block * p->copy_per;
    const size_t last = WEFT_MIN(first + p->copy_per, p->elems);
    if (first < last)
      narrow(p->store, b->workspace[0], b->arg[3], first, last);
    return WEFT_OK;
  }
  const bool whole = p->outer > 1;
  const size_t part = whole ? p->outer_per : p->columns_per;
  const size_t all = whole ? p->outer : p->columns;
  const size_t first = b->block * part;
  const size_t last = WEFT_MIN(first + part, all);
  const size_t each = p->along * p->columns;
  if (first >= last)
    return WEFT_OK;
  if (whole)
    combine(p, b, first * each, last * each, 0, 1);
  else if (p->slice > 1)
    combine(p, b, 0, p->places.n, first, last);
  else if (last - first == p->columns)
    combine(p, b, 0, p->places.n, 0, 1);
  else {
    for (size_t k = 0; k < p->along; k++)
      combine(p, b, k * p->columns + first, k * p->columns + last, 0, 1);
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL_OF(scatter_elements, "ScatterElements", "scatter", sizeof(plan), scatter);
WEFT_ROWS_KERNEL_OF(scatter_nd, "ScatterNd", "scatter", sizeof(plan), scatter);
WEFT_ROWS_KERNEL_OF(tensor_scatter_update, "TensorScatterUpdate", "scatter", sizeof(plan), scatter);
// SPDX-License-Identifier: Apache-2.0
