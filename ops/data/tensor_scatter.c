// ops/data/tensor_scatter.c - a cache with new entries written along an axis.   ONNX TensorScatter-24.
// past_cache [B, ..., S, ...] and update [B, ..., s, ...] differ in `axis` only, which is not that of the batch; the
// update of batch b begins at write_indices[b] (absent: 0). mode linear: it must end inside the cache; circular: places
// wrap around.
#include "dims_move.h"

enum { AXIS, MODE };

static weft_status infer(weft_infer *it) {
  const weft_shape *past = it->in[0], *update = it->in[1];
  size_t axis;
  uint32_t in;
  weft_dim ignored;
  weft_shape_copy(it->out[0], past);
  if (weft__has_in(it->desc, 2, &in)) WEFT_TRY(weft__expect_rank(it, in, 1, 1));
  if (weft_shape_is_unknown_rank(past)) return WEFT_OK;
  if (!past->rank) return weft_fail(it->d, WEFT_E_SHAPE, "input 'past_cache': expected rank 2 or more, got 0");
  WEFT_TRY(weft__axis(it->d, "attribute 'axis'", weft_node_int(it->desc, AXIS), past->rank, &axis));
  if (!axis) return weft_fail(it->d, WEFT_E_RANGE, "attribute 'axis': 0 is the axis of the batch");
  if (weft__has_in(it->desc, 2, &in) && !weft_shape_is_unknown_rank(it->in[in]))
    WEFT_TRY(weft__merge_dim(it, past->dim[0], it->in[in]->dim[0], "batches of 'past_cache' and 'write_indices'",
                             &it->out[0]->dim[0]));
  if (weft_shape_is_unknown_rank(update)) return WEFT_OK;
  if (update->rank != past->rank)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'update': expected rank %zu as 'past_cache', got %zu", past->rank, update->rank);
  for (size_t k = 0; k < past->rank; k++)
    if (k != axis) {
      char what[64];
      snprintf(what, sizeof what, "axis %zu of 'past_cache' and 'update'", k);
      WEFT_TRY(weft__merge_dim(it, it->out[0]->dim[k], update->dim[k], what, &ignored));
      it->out[0]->dim[k] = ignored;
    }
  if (past->dim[axis] >= 0 && update->dim[axis] > past->dim[axis])
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'update': %lld entries along axis %zu, the cache has %lld",
                     (long long)update->dim[axis], axis, (long long)past->dim[axis]);
  return WEFT_OK;
}

typedef struct write {
  const weft_call *c;
  size_t inner, outer, size, n;  // elements below the axis; above it in one batch; along it in the cache and the update
  const weft_tensor *first;
} write;

static const weft_tensor *pick(void *ctx, size_t i, size_t *out_index) {
  const write *w = ctx;
  size_t place = i / w->inner % w->size, row = i / w->inner / w->size;
  int64_t first = w->first ? weft_load_i64(w->first->dtype, w->first->data, row / w->outer) : 0, size = (int64_t)w->size;
  size_t begin = (size_t)((first % size + size) % size), at = (place + w->size - begin) % w->size;
  *out_index = at < w->n ? (row * w->n + at) * w->inner + i % w->inner : i;
  return w->c->in[at < w->n ? 1 : 0];
}

static weft_status ref(const weft_call *c) {
  const weft_shape *s = &c->in[0]->layout.origin;
  size_t axis;
  uint32_t in;
  bool circular = !strcmp(weft_node_str(c->desc, MODE), "circular");
  if (!c->out[0] || !weft__elems(s)) return WEFT_OK;
  WEFT_TRY(weft__axis(c->d, "attribute 'axis'", weft_node_int(c->desc, AXIS), s->rank, &axis));
  write w = {.c = c, .inner = weft__prod(s, axis + 1, s->rank), .outer = weft__prod(s, 1, axis), .size = (size_t)s->dim[axis],
             .n = (size_t)c->in[1]->layout.origin.dim[axis]};
  if (weft__has_in(c->desc, 2, &in)) w.first = c->in[in];
  for (size_t b = 0; w.first && b < (size_t)s->dim[0]; b++) {
    int64_t first = weft_load_i64(w.first->dtype, w.first->data, b), most = circular ? INT64_MAX : (int64_t)(w.size - w.n);
    if (first < 0 || first > most)
      return weft_fail(c->d, WEFT_E_RANGE, "input 'write_indices': element %zu is %lld, outside [0, %lld]", b, (long long)first,
                       (long long)most);
  }
  return weft__pick(c, c->out[0], pick, &w);
}

WEFT_OP(tensor_scatter) = {
    WEFT_OP_HEAD,
    .name = "TensorScatter",
    .summary = "a cache with new entries written along an axis",
    .in = PORTS({"past_cache", "T"}, {"update", "T"}, {"write_indices", NULL, WEFT_SET_INDEX, .kind = WEFT_OPTIONAL}),
    .out = PORTS({"present_cache", "T"}),
    .types = TYPES({"T", WEFT_STORABLE}),
    .attrs = ATTRS({"axis", "Int", "-2"}, {"mode", "String", "\"linear\"", "one of linear|circular"}),
    .traits = WEFT_SYMBOLIC,
    .infer = infer,
    .ref = ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,3,1]{1,2,3,4,5,6}, f32[2,1,1]{8,9}, i64[2]{0,2} -> f32[2,3,1]{8,2,3,4,5,9}",
        "i8[1,3]{1,2,3}, i8[1,2]{8,9}, i64[1]{2} axis=1 mode=\"circular\" -> i8[1,3]{9,2,8}",
        "str[1,2]{\"a\",\"b\"}, str[1,1]{\"c\"} axis=-1 -> str[1,2]{\"c\",\"b\"}", "f16[0,4,2], f16[0,1,2], i64[0] -> f16[0,4,2]",
        "f32[N,-1,8], f32[N,1,8], i64[N] -> f32[N,-1,8]", "f32[-1,4,8], f32[2,1,-1] -> f32[2,4,8]",
        "f32[1,3]{1,2,3}, f32[1,2]{8,9}, i64[1]{2} axis=1 !! E_RANGE element 0 is 2, outside [0, 1]",
        "f32[2,3], f32[2,1] !! E_RANGE axis of the batch", "f32[2,3,1], f32[2,1,2] !! E_SHAPE 1 and 2 differ",
        "f32[2,3,1], f32[2,4,1] !! E_SHAPE 4 entries", "f32[2,3,1], f32[2,1] !! E_SHAPE expected rank 3"),
};
