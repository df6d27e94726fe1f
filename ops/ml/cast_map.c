// ops/ml/cast_map.c - the values of a map as a row.   ONNX (ai.onnx.ml) CastMap-1 without its cast but of
// numbers to text, which `fill` decides: six decimals, as ONNX Runtime writes them. max_map -1: [1,n], the
// values in the order of their keys (map_form DENSE); otherwise [1,max_map] where the value of key k stands
// at place k and `fill` elsewhere (SPARSE); values of keys from max_map on are left out, a negative key is
// E_RANGE. Of equal keys the first one counts.
#include "cast_text.h"
#include "maps.h"

enum { X, FILL };
enum { MAX_MAP };

static weft_status cast_map_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  int64_t width = weft_node_int(it->desc, MAX_MAP);
  bool sparse = width >= 0;
  bool known = !weft_shape_is_unknown_rank(x) && x->rank == 1;
  if (it->in_dtype[X] == WEFT_STRING && it->in_dtype[FILL] != WEFT_STRING) {
    return weft_fail(it->d, WEFT_E_DTYPE, "input 'fill': expected str, as the values of the map are, got %s",
                     weft_dtype_serial(it->in_dtype[FILL]));
  }
  return weft_set_out_shape(it, 0, (weft_dim[2]){1, sparse ? width : known ? x->dim[0] : -1}, 2);
}

static int64_t cast_map_found_at(void *ctx, size_t i) {
  return ((const int64_t *)ctx)[i];
}

static weft_status place_values(const weft_call *c, const weft_tensor *keys, const size_t *order,
                                int64_t *found) {
  size_t n = weft__elems(&keys->layout.origin);
  int64_t width = weft_node_int(c->desc, MAX_MAP);
  for (int64_t k = 0; k < width; k++)
    found[k] = -1;
  for (size_t i = n; i-- > 0;) {
    int64_t key = width < 0 ? (int64_t)i : weft_load_i64(keys->dtype, keys->data, order[i]);
    if (key < 0)
      return weft_fail(c->d, WEFT_E_RANGE, "input 'X': key %lld is negative", (long long)key);
    if (width < 0 || key < width)
      found[key] = (int64_t)order[i];
  }
  return WEFT_OK;
}

// Numbers as texts: `found` says which one stands where.
static weft_status put_fixed(const weft_call *c, const int64_t *found) {
  const weft_tensor *values = weft_map_values(c->in[X]);
  size_t n = weft__elems(&c->out[0]->layout.origin);
  size_t bytes;
  void *space;
  if (!weft_mul_size(n, sizeof(char *) + sizeof(size_t) + WEFT_FIXED_TEXT, &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu values", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  const char **text = space;
  size_t *lengths = (size_t *)(text + n);
  char(*store)[WEFT_FIXED_TEXT] = (char(*)[WEFT_FIXED_TEXT])(lengths + n);
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    if (found[i] < 0) {
      WEFT_TRY(weft_tensor_string(c->in[FILL], 0, &text[i], &lengths[i], c->d));
      continue;
    }
    weft__fixed_text(((const float *)values->data)[found[i]], store[i]);
    text[i] = store[i];
    lengths[i] = strlen(store[i]);
  }
  return weft__call_set_strings(c, c->out[0], &c->out[0]->layout.origin, text, lengths);
}

static weft_status cast_map_ref(const weft_call *c) {
  const weft_tensor *keys = weft_map_keys(c->in[X]);
  if (!c->out[0])
    return WEFT_OK;
  if (!keys)
    return weft_fail(c->d, WEFT_E_MISSING, "input 'X': the map has no keys");
  if (keys->dtype != WEFT_INT64) {
    return weft_fail(c->d, WEFT_E_DTYPE, "input 'X' has keys of %s, expected i64",
                     weft_dtype_name(keys->dtype));
  }
  if (weft__elems(&c->in[FILL]->layout.origin) != 1) {
    return weft_fail(c->d, WEFT_E_SHAPE, "input 'fill': expected one element, got %zu",
                     weft__elems(&c->in[FILL]->layout.origin));
  }
  size_t n = weft__elems(&c->out[0]->layout.origin);
  size_t bytes;
  size_t *order;
  void *space;
  if (!weft_mul_size(n, sizeof(int64_t), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu values", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  WEFT_TRY(weft__map_order(c, keys, &order));
  WEFT_TRY(place_values(c, keys, order, space));
  if (weft_map_values(c->in[X])->dtype != c->out[0]->dtype)
    return put_fixed(c, space);
  return weft__move(c, weft_map_values(c->in[X]), c->out[0], cast_map_found_at, space, c->in[FILL]);
}

WEFT_OP(cast_map) = {
    WEFT_OP_HEAD,
    .name = "CastMap",
    .summary = "the values of a map as a row",
    .in = PORTS({"X", "T", .kinds = WEFT_KINDS_MAP}, {"fill", "F"}),
    .out = PORTS({"Y", "F"}),
    .types = TYPES({"T", WEFT_DT(FLOAT) | WEFT_DT(STRING)}, {"F", WEFT_DT(FLOAT) | WEFT_DT(STRING)}),
    .attrs = ATTRS({"max_map", "Int", "-1", "min -1"}),
    .traits = WEFT_SYMBOLIC,
    .infer = cast_map_infer,
    .ref = cast_map_ref,
    .examples =
        WEFT_EXAMPLES("map(i64[3]{3,1,7},f32[3]{1.5,2,-3}), f32[]{0} -> f32[1,3]{2,1.5,-3}",
                      "map(i64[3]{3,1,7},f32[3]{1.5,2,-3}), f32[]{0} max_map=5 -> f32[1,5]{0,2,0,1.5,0}",
                      "map(i64[1]{1},str[1]{\"a\"}), str[]{\"-\"} max_map=2 -> str[1,2]{\"-\",\"a\"}",
                      "map(i64[2]{1,1},f32[2]{5,6}), f32[]{0} max_map=2 -> f32[1,2]{0,5}",
                      "map(i64[4]{0,1,2,4},f32[4]{1.5,-2,1e-7,inf}), str[]{\"0.f\"} max_map=5 -> "
                      "str[1,5]{\"1.500000\",\"-2.000000\",\"0.000000\",\"0.f\",\"inf\"}",
                      "map(i64[1]{3},f32[1]{3.4e38}), str[]{\"\"} -> "
                      "str[1,1]{\"339999995214436424907732413799364296704.000000\"}",
                      "map(i64[1]{1},str[1]{\"a\"}), f32[]{0} !! E_DTYPE input 'fill': expected str",
                      "map(i64[0],f32[0]), f32[]{0} -> f32[1,0]",
                      "map(i64[1]{1},f32[1]{5}), f32[]{0} max_map=0 -> f32[1,0]",
                      "map(i64[1]{-1},f32[1]{2}), f32[]{0} max_map=2 !! E_RANGE key -1 is negative",
                      "map(str[1]{\"a\"},f32[1]{2}), f32[]{0} !! E_DTYPE keys of str"),
};
// SPDX-License-Identifier: Apache-2.0
