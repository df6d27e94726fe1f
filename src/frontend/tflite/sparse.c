// sparse.c - constants that are stored sparsely: a tree of which each level is an axis, or a block's part of
// one, and either lists all of its places or those that hold something. What a level lists is strictly
// rising, so that no element is written twice, and the tree has no more leaves than the tensor elements.
#include "base/allocated.h"
#include "frontend/tflite/tflite.h"

enum {
  SPARSE_LEVELS = 2 * 8,  // axes and blocks
  SPARSE_MOST = 4096      // elements for each that is stored: a small file makes no large tensor
};

typedef struct sparse_numbers {  // of 1, 2 or 4 bytes
  flat_list list;
  size_t width;
} sparse_numbers;

typedef struct sparse_level {
  bool listed;
  int64_t size, step;  // step: elements of the tensor from one place to the next
  sparse_numbers from, places;
} sparse_level;

typedef struct sparse {
  tl_op *o;
  const tl_tensor *t;
  size_t n, bytes;  // levels; of an element
  sparse_level level[SPARSE_LEVELS];
  size_t n_data;
  uint8_t *to;
} sparse;

static void sparse_bad(sparse *s, const char *what) {
  front_fail(&s->o->b, WEFT_E_CORRUPT, "constant '%.100s', stored sparsely: %s", s->t->name, what);
}

static int64_t sparse_number(const sparse *s, const sparse_numbers *v, size_t i) {
  const uint8_t *at = s->o->m->file.data + v->list.at + i * v->width;
  uint32_t n = 0;
  for (size_t k = v->width; k-- > 0;)
    n = n << 8 | at[k];
  return v->width == 4 ? (int64_t)(int32_t)n : (int64_t)n;
}

// SparseIndexVector: Int32Vector, Uint16Vector or Uint8Vector, each with one list.
static sparse_numbers sparse_vector(flat *f, const flat_table *level, uint32_t type_field) {
  static const size_t widths[] = {0, 4, 2, 1};
  const int8_t type = flat_i8(f, level, type_field, 0);
  sparse_numbers v = {.width = type >= 1 && type <= 3 ? widths[type] : 0};
  const flat_table list = flat_child(f, level, type_field + 1);
  if (v.width && list.size)
    v.list = flat_items(f, &list, 0, v.width);
  return v;
}

// ---- levels ----
// Which axis each level walks along, and in steps of how many elements: levels behind the axes are blocks.
static void sparse_axes(sparse *s, const flat_list *order, const flat_list *blocks) {
  flat *f = &s->o->m->file;
  const int rank = s->t->rank;
  int64_t inner[SPARSE_LEVELS];  // elements from one place of an axis to the next
  int64_t block[SPARSE_LEVELS];  // places of an axis that stand in one block
  uint64_t seen = 0;
  int64_t step = 1;
  for (int i = rank; i-- > 0;) {
    inner[i] = step;
    block[i] = 1;
    step *= s->t->dims[i];
  }
  for (size_t i = 0; i < s->n; i++) {
    const uint32_t k = flat_u32_at(f, order, i);
    if (k >= s->n || (seen >> k & 1) || (i < (size_t)rank) != (k < (uint32_t)rank)) {
      sparse_bad(s, "its order of axes is none");
      return;
    }
    seen |= UINT64_C(1) << k;
    if (k < (uint32_t)rank)
      continue;
    const uint32_t axis = flat_u32_at(f, blocks, k - (uint32_t)rank);
    const int64_t size = s->level[i].size;
    if (axis >= (uint32_t)rank || block[axis] != 1 || size < 1 || s->t->dims[axis] % size) {
      sparse_bad(s, "a block does not divide its axis");
      return;
    }
    block[axis] = size;
    s->level[i].step = inner[axis];
  }
  for (size_t i = 0; i < (size_t)rank; i++) {
    const uint32_t k = flat_u32_at(f, order, i);
    const int64_t size = s->t->dims[k] / block[k];
    if (!s->level[i].listed && s->level[i].size != size)
      sparse_bad(s, "a level has another size than its axis");
    s->level[i].size = size;
    s->level[i].step = inner[k] * block[k];
  }
}

static void sparse_levels(sparse *s) {
  flat *f = &s->o->m->file;
  const flat_table *table = &s->t->sparsity;
  const flat_list order = flat_items(f, table, 0, 4);
  const flat_list blocks = flat_items(f, table, 1, 4);
  const flat_list levels = flat_items(f, table, 2, 4);
  const size_t rank = (size_t)s->t->rank;
  s->o->b.failed = f->failed;
  if (f->failed)
    return;
  if (levels.n > SPARSE_LEVELS || levels.n != order.n || levels.n != rank + blocks.n) {
    sparse_bad(s, "its axes and blocks do not fit each other, or are more than 16");
    return;
  }
  s->n = levels.n;
  for (size_t i = 0; i < s->n && !f->failed; i++) {
    const flat_table level = flat_item(f, &levels, i);
    sparse_level *l = &s->level[i];
    l->listed = flat_i8(f, &level, 0, 0) != 0;
    l->size = flat_i32(f, &level, 1, 0);
    if (l->listed) {
      l->from = sparse_vector(f, &level, 2);
      l->places = sparse_vector(f, &level, 4);
    }
    if (l->listed && i >= rank)
      l->size = 0;  // a block whose size nothing says
  }
  if (f->failed)
    s->o->b.failed = f->failed;
  else
    sparse_axes(s, &order, &blocks);
}

// ---- elements ----
static void sparse_walk(sparse *s, size_t depth, size_t at, int64_t place);

static void sparse_listed(sparse *s, size_t depth, size_t at, int64_t place) {
  const sparse_level *l = &s->level[depth];
  if (at + 1 >= l->from.list.n) {
    sparse_bad(s, "a list of places has no end");
    return;
  }
  const int64_t from = sparse_number(s, &l->from, at);
  const int64_t to = sparse_number(s, &l->from, at + 1);
  int64_t last = -1;
  if (from < 0 || to < from || (uint64_t)to > l->places.list.n) {
    sparse_bad(s, "a list of places ends outside of them");
    return;
  }
  for (int64_t i = from; i < to && !s->o->b.failed; i++) {
    const int64_t k = sparse_number(s, &l->places, (size_t)i);
    if (k <= last || k >= l->size)
      sparse_bad(s, "its places do not rise, or lie outside their axis");
    else
      sparse_walk(s, depth + 1, (size_t)i, place + k * l->step);
    last = k;
  }
}

// at: which node of its level; place: the element that its part of the tensor begins with.
static void sparse_walk(sparse *s, size_t depth, size_t at, int64_t place) {
  const sparse_level *l = &s->level[depth];
  if (depth == s->n) {
    if (at < s->n_data)
      memcpy(s->to + (size_t)place * s->bytes, s->t->data + at * s->bytes, s->bytes);
    else
      sparse_bad(s, "it has more places than data");
    return;
  }
  if (depth + 1 == s->n && !s->o->b.failed)
    s->o->b.failed = weft__budget_poll(&s->o->m->f.g->root->budget, s->o->m->f.d);
  if (l->listed) {
    sparse_listed(s, depth, at, place);
    return;
  }
  for (int64_t i = 0; i < l->size && !s->o->b.failed; i++)
    sparse_walk(s, depth + 1, at * (size_t)l->size + (size_t)i, place + i * l->step);
}

weft_status tl_sparse(tl_op *o, const tl_tensor *t, weft_tensor *out) {
  const size_t bits = weft_dtype_bits(t->t);
  sparse s = {.o = o, .t = t, .bytes = bits / 8};
  if (bits % 8 || !t->rank || t->rank > SPARSE_LEVELS)
    return front_fail(&o->b, WEFT_E_UNSUPPORTED,
                      "constant '%.100s' is stored sparsely, and has rank 0 or elements of less than a byte",
                      t->name);
  s.n_data = t->bytes / s.bytes;
  uint64_t elements = 1;  // op_constant_fits: no product overflows
  for (int i = 0; i < t->rank; i++)
    elements *= (uint64_t)t->dims[i];
  if (elements / SPARSE_MOST > s.n_data)
    return front_fail(&o->b, WEFT_E_RANGE,
                      "constant '%.100s' stores %zu of %llu elements: at most 4096 times as many are read",
                      t->name, s.n_data, (unsigned long long)elements);
  o->b.failed = weft_tensor_alloc(out, t->t, t->dims, (size_t)t->rank, o->m->f.d);
  if (o->b.failed)
    return o->b.failed;
  s.to = out->data;
  o->b.failed = weft__budget_zero(&o->m->f.g->root->budget, out->data, out->bytes, o->m->f.d);
  if (!o->b.failed)
    sparse_levels(&s);
  if (!o->b.failed && weft_tensor_elems(out))
    sparse_walk(&s, 0, 0, 0);
  return o->b.failed;
}
// SPDX-License-Identifier: Apache-2.0
