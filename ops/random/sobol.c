// ops/random/sobol.c - points that fill a cube evenly.   AscendIR SobolSample, as TensorFlow computes it:
// Sobol's sequence in Gray code order without its first point, the origin, by the direction numbers that
// Joe and Kuo published ("new-joe-kuo-6"). The first 21 dimensions are here.
#include "air_slots.h"
#include "dims_move.h"
#include "op/air_rows.h"

enum { DIM, NUM_RESULTS, SKIP };
enum { SOBOL_DIMS = 21, SOBOL_BITS = 32 };

// A primitive polynomial over GF(2), its inner coefficients as bits, and the first numbers, by dimension from
// the second one on.
static const struct sobol_start {
  uint8_t degree, inner, first[7];
} sobol_starts[SOBOL_DIMS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

static weft_status sobol_size(const weft_infer *it, uint32_t in, int64_t least, int64_t most, weft_dim *out) {
  bool known;
  int64_t v;
  *out = -1;
  WEFT_TRY(weft__expect_rank(it, in, 0, 0));
  WEFT_TRY(weft__in_int(it, in, &v, &known));
  if (!known)
    return WEFT_OK;
  if (v < least || v > most)
    return weft_fail(it->d, WEFT_E_RANGE, "input '%s' is %lld, expected %lld to %lld",
                     weft__in_name(it->desc, in), (long long)v, (long long)least, (long long)most);
  *out = v;
  return WEFT_OK;
}

static weft_status sobol_infer(weft_infer *it) {
  weft_dim dims[2];
  weft_dim skip;
  it->out_dtype[0] = weft_node_dtype(it->desc, WEFT_SLOT_SOBOL_SAMPLE_DTYPE);
  WEFT_TRY(sobol_size(it, DIM, 1, SOBOL_DIMS, &dims[1]));
  WEFT_TRY(sobol_size(it, NUM_RESULTS, 1, INT32_MAX, &dims[0]));
  WEFT_TRY(sobol_size(it, SKIP, 0, INT32_MAX, &skip));
  return weft_set_out_shape(it, 0, dims, 2);
}

// Number k of a dimension, its bits from the highest one on, out of those before it.
static void sobol_directions(size_t dim, uint32_t v[SOBOL_BITS]) {
  if (!dim) {
    for (uint32_t k = 0; k < SOBOL_BITS; k++)
      v[k] = UINT32_C(1) << (31 - k);
    return;
  }
  const struct sobol_start *s = &sobol_starts[dim - 1];
  for (uint32_t k = 0; k < SOBOL_BITS; k++) {
    if (k < s->degree) {
      v[k] = (uint32_t)s->first[k] << (31 - k);
      continue;
    }
    v[k] = v[k - s->degree] ^ v[k - s->degree] >> s->degree;
    for (uint32_t i = 1; i < s->degree; i++)
      v[k] ^= (s->inner >> (s->degree - 1 - i) & 1) * v[k - i];
  }
}

static weft_status sobol_ref(const weft_call *c) {
  weft_tensor *y = c->out[0];
  int64_t skip;
  uint32_t v[SOBOL_BITS];
  size_t done = 0;
  if (!y)
    return WEFT_OK;
  const size_t n = (size_t)y->layout.origin.dim[0];
  const size_t dims = (size_t)y->layout.origin.dim[1];
  WEFT_TRY(weft__read_int(c, SKIP, &skip));
  for (size_t d = 0; d < dims; d++) {
    sobol_directions(d, v);
    for (size_t i = 0; i < n; i++) {
      const uint64_t at = (uint64_t)skip + i + 1;  // below 2^32: both are int32
      const uint64_t gray = at ^ at >> 1;
      uint32_t x = 0;
      WEFT_TRY(weft__poll_at(c, done++));
      for (uint32_t k = 0; k < SOBOL_BITS; k++)
        x ^= gray >> k & 1 ? v[k] : 0;
      weft_store_f64(y->dtype, y->data, i * dims + d, ldexp(x, -32));
    }
  }
  return WEFT_OK;
}

WEFT_ROWS(sobol) = {
    {"SobolSample", "points that fill a cube evenly",
     WEFT_SYMBOLIC, .infer = sobol_infer, .ref = sobol_ref, .values = "dim,num_results,skip",
     .examples = WEFT_EXAMPLES(
         "i32[]{2}, i32[]{4}, i32[]{1} -> f32[4,2]{0.75,0.25,0.25,0.75,0.375,0.375,0.875,0.875}",
         "i32[]{5}, i32[]{2}, i32[]{2} dtype=f64 -> "
         "f64[2,5]{0.25,0.75,0.75,0.75,0.25,0.375,0.375,0.625,0.875,0.375}",
         "i32[], i32[]{4}, i32[] -> f32[4,-1]", "i32[]{22}, i32[]{4}, i32[]{1} !! E_RANGE is 22, "
         "expected 1 to 21",
         "i32[]{2}, i32[]{0}, i32[]{1} !! E_RANGE is 0", "i32[]{2}, i32[]{1}, i32[]{-1} !! E_RANGE is -1")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
