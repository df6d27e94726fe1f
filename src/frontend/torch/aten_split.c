// aten_split.c - tensors cut along an axis: into parts of one size or of given ones, which may be known only
// when the model runs.
#include "frontend/torch/tables.h"

static void split_pieces(pt_op *o, weft_value *v, int64_t axis, const int64_t *sizes, size_t n) {
  if (n != o->n_out)
    front_fail(&o->b, WEFT_E_INVALID, "it is cut into %zu parts, the node names %zu", n, o->n_out);
  if (n == 1) {
    pt_result(o, 0, v);
    return;
  }
  weft_value *first = front_cut(&o->b, v, axis, sizes, n);
  for (size_t i = 0; first && i < n; i++)
    pt_result(o, i, first + i);
}

// Parts of `part` elements, the last one smaller.
static void split_by_size(pt_op *o, weft_value *v, int64_t axis, int64_t part) {
  int64_t sizes[PT_MAX_OUTPUTS];
  weft_dim all = front_dim(v, (int)axis);
  size_t n = 0;
  if (o->b.failed)
    return;
  if (all < 0 || part < 1) {
    if (part < 1 || o->n_out < 1) {
      front_fail(&o->b, WEFT_E_RANGE, "parts of %lld elements", (long long)part);
      return;
    }
    for (size_t i = 0; i < o->n_out; i++) {  // an axis that is known when the model runs
      bool last = i + 1 == o->n_out;
      int64_t from = (int64_t)i * part;
      pt_result(o, i, front_part(&o->b, v, axis, from, last ? INT64_MAX : from + part));
    }
    return;
  }
  for (int64_t at = 0; at < all && n < PT_MAX_OUTPUTS; at += part)
    sizes[n++] = WEFT_MIN(part, all - at);
  if (!all)
    sizes[n++] = 0;
  split_pieces(o, v, axis, sizes, n);
}

// The same where the run knows how many elements a part has.
static void split_value_parts(pt_op *o, weft_value *v, int64_t axis, weft_value *part) {
  front_op *b = &o->b;
  weft_value *all = front_dim_list(b, v, axis);
  weft_value *from = front_list(b, &(int64_t){0}, 1);
  for (size_t i = 0; i < o->n_out && !b->failed; i++) {
    weft_value *to = front_do(b, "Minimum", front_do(b, "Add", from, part, NULL), all, NULL);
    pt_result(o, i, front_sliced(b, v, axis, from, to, NULL));
    from = to;
  }
}

static void split_equal(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int64_t axis = pt_axis(o, "dim", 0, front_rank_of(&o->b, v));
  weft_value *part = pt_size_list(o, "split_size", 1);
  int64_t known;
  size_t n;
  if (!o->b.failed && front_known_ints(part, &known, 1, &n))
    split_by_size(o, v, axis, known);
  else if (!o->b.failed)
    split_value_parts(o, v, axis, part);
}

// Cuts at given places, of which one may lie in front of that before it.
static void split_at_places(pt_op *o, weft_value *v, int64_t axis) {
  int64_t at[PT_MAX_NUMBERS];
  size_t n = pt_ints(o, "indices", at);
  if (!o->b.failed && n + 1 != o->n_out)
    front_fail(&o->b, WEFT_E_INVALID, "it is cut into %zu parts, the node names %zu", n + 1, o->n_out);
  for (size_t i = 0; i < o->n_out && !o->b.failed; i++)
    pt_result(o, i, front_part(&o->b, v, axis, i ? at[i - 1] : 0, i < n ? at[i] : INT64_MAX));
}

// Parts of an axis that is known when the model runs: part i begins at i q + min(i, r), of q n + r elements.
static void split_value_sections(pt_op *o, weft_value *v, int64_t axis, int64_t n) {
  front_op *b = &o->b;
  if (!b->failed && (size_t)n != o->n_out)
    front_fail(b, WEFT_E_INVALID, "it is cut into %zu parts, the node names %zu", (size_t)n, o->n_out);
  weft_value *all = front_dim_list(b, v, axis);
  weft_value *parts = front_list(b, &n, 1);
  weft_value *each = front_do(b, "FloorDiv", all, parts, NULL);
  weft_value *more = front_do(b, "FloorMod", all, parts, NULL);
  weft_value *from = front_list(b, &(int64_t){0}, 1);
  for (size_t i = 0; i < o->n_out && !b->failed; i++) {
    weft_value *place = front_list(b, &(int64_t){(int64_t)i + 1}, 1);
    weft_value *to = front_do(b, "Mul", each, place, NULL);
    to = front_do(b, "Add", to, front_do(b, "Minimum", place, more, NULL), NULL);
    pt_result(o, i, front_sliced(b, v, axis, from, to, NULL));
    from = to;
  }
}

// n parts, the first ones larger by one; or cuts at given places.
static void split_along(pt_op *o, weft_value *v, int64_t axis) {
  int64_t sizes[PT_MAX_NUMBERS + 1];
  weft_dim all = front_dim(v, (int)axis);
  if (pt_find(o, "indices")) {
    split_at_places(o, v, axis);
    return;
  }
  int64_t sections = pt_int(o, "sections", 1);
  if (!o->b.failed && (sections < 1 || sections > PT_MAX_NUMBERS))
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "%lld parts of an axis of %lld", (long long)sections,
               front_shown(all));
  if (o->b.failed)
    return;
  if (all < 0) {
    split_value_sections(o, v, axis, sections);
    return;
  }
  for (int64_t i = 0; i < sections; i++)
    sizes[i] = all / sections + (i < all % sections);
  split_pieces(o, v, axis, sizes, (size_t)sections);
}

static void split_tensor_split(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  split_along(o, v, pt_axis(o, "dim", 0, front_rank_of(&o->b, v)));
}
static void split_hsplit(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  split_along(o, v, front_rank_of(&o->b, v) > 1);
}
static void split_vsplit(pt_op *o) {
  split_along(o, pt_tensor(o, "self"), 0);
}
static void split_dsplit(pt_op *o) {
  split_along(o, pt_tensor(o, "self"), 2);
}

// Chunks of an axis whose size is known when the model runs.
static void split_value_chunks(pt_op *o, weft_value *v, int64_t axis, int64_t chunks) {
  front_op *b = &o->b;
  weft_value *part = front_size_by(b, "Add", front_dim_list(b, v, axis), chunks - 1);
  split_value_parts(o, v, axis, front_size_by(b, "FloorDiv", part, chunks));
}

static void split_chunk(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int64_t axis = pt_axis(o, "dim", 0, front_rank_of(&o->b, v));
  int64_t chunks = pt_int(o, "chunks", 1);
  weft_dim all = front_dim(v, (int)axis);
  if (!o->b.failed && chunks < 1)
    front_fail(&o->b, WEFT_E_RANGE, "%lld chunks", (long long)chunks);
  if (!o->b.failed && all < 0)
    split_value_chunks(o, v, axis, chunks);
  else if (!o->b.failed)
    split_by_size(o, v, axis, WEFT_MAX(1, (all + chunks - 1) / chunks));
}

// Pieces whose sizes, INT64 [as many as there are outputs], are known when the model runs.
static void split_value_pieces(pt_op *o, weft_value *v, int64_t axis, weft_value *sizes) {
  front_op *b = &o->b;
  if (!b->failed && front_dim(sizes, 0) != (weft_dim)o->n_out)
    front_fail(b, WEFT_E_INVALID, "%lld sizes for %zu pieces", front_shown(front_dim(sizes, 0)), o->n_out);
  weft_value *ends = front_do(b, "Cumsum", sizes, front_index(b, 0), NULL);
  weft_value *begins = front_do(b, "Sub", ends, sizes, NULL);
  for (size_t i = 0; i < o->n_out && !b->failed; i++) {
    const int64_t at = (int64_t)i;
    weft_value *from = front_part(b, begins, 0, at, at + 1);
    if (o->out[i])
      pt_result(o, i, front_sliced(b, v, axis, from, front_part(b, ends, 0, at, at + 1), NULL));
  }
}

static void split_sizes(pt_op *o) {
  weft_value *v = pt_tensor(o, "self");
  int64_t sizes[PT_MAX_NUMBERS];
  const char *name = pt_has(o, "split_sizes") ? "split_sizes" : "split_size";
  const char *key;
  const weft_json *list = pt_only(pt_find(o, name), &key);
  int64_t axis = pt_axis(o, "dim", 0, front_rank_of(&o->b, v));
  bool names = false;
  for (size_t i = 0; i < weft__json_count(list); i++)
    names |= weft__json_get(&list->items[i], "as_name") != NULL;
  if (names) {
    split_value_pieces(o, v, axis, pt_shape(o, name));
    return;
  }
  size_t n = pt_ints(o, name, sizes);
  if (!o->b.failed)
    split_pieces(o, v, axis, sizes, n);
}

static void split_unbind(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int64_t axis = pt_axis(o, "dim", 0, front_rank_of(b, v));
  for (size_t i = 0; i < o->n_out && !b->failed; i++) {
    if (o->out[i])
      pt_result(o, i, front_picked(b, v, axis, front_index(b, (int64_t)i)));
  }
}

static const pt_row split_rows[] = {
    {"split.Tensor", NULL, 0, split_equal, 'V'},
    {"split.default", NULL, 0, split_sizes, 'V'},
    {"split.sizes", NULL, 0, split_sizes, 'V'},
    {"split_with_sizes", NULL, 0, split_sizes, 'V'},
    {"split_with_sizes_copy", NULL, 0, split_sizes, 0},
    {"chunk", NULL, 0, split_chunk, 'V'},
    {"unsafe_split", NULL, 0, split_equal, 0},
    {"unsafe_split_with_sizes", NULL, 0, split_sizes, 0},
    {"unsafe_chunk", NULL, 0, split_chunk, 0},
    {"tensor_split", NULL, 0, split_tensor_split, 'V'},
    {"hsplit", NULL, 0, split_hsplit, 'V'},
    {"vsplit", NULL, 0, split_vsplit, 'V'},
    {"dsplit", NULL, 0, split_dsplit, 'V'},
    {"unbind", NULL, 0, split_unbind, 'V'},
    {"unbind_copy", NULL, 0, split_unbind, 0},
};
const pt_rows pt_split = PT_ROWS(split_rows);
// SPDX-License-Identifier: Apache-2.0
