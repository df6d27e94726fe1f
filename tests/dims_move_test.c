// What one-line examples cannot say about operators that move data: ranges of data-dependent outputs, values
// that flow through chains of shape arithmetic, and packed formats, whose plain shape no literal has.
#include "dims_move.h"

#include "check.h"
#include "weft/env.h"

typedef struct bench {
  weft_env *e;
  weft_symbols *p;
  weft_arena arena;
  weft_frame frame;
  weft_diag d;
} bench;

static bool begin(bench *b) {
  weft_env_options o = {.package_path = ""};
  memset(b, 0, sizeof *b);
  weft_allocator a = weft_allocator_default();
  weft__arena_init(&b->arena, &a);
  if (weft_env_create(&o, &b->e, &b->d) || weft_symbols_create(NULL, &b->p))
    return false;
  weft__frame_init(&b->frame, b->e, b->p);
  return true;
}

static void end(bench *b) {
  weft__frame_deinit(&b->frame);
  weft_symbols_destroy(b->p);
  weft_env_destroy(b->e);
  weft__arena_deinit(&b->arena);
}

// Infers one use of an operator; the outputs lie in b->frame.facts.
static weft_status infer(bench *b, const char *name, const weft_named_attr *attrs, size_t n_attrs,
                         const weft_fact *const *in, uint32_t n_in) {
  const weft_proto *p = weft_find(b->e, name);
  weft_desc_full desc;
  bool present[8] = {true, true, true, true, true, true, true, true};
  uint32_t counts[8] = {0};
  weft_use use = {.attrs = attrs, .n_attrs = n_attrs, .in_counts = counts};
  weft_diag_clear(&b->d);
  if (!p)
    return weft_fail(&b->d, WEFT_E_NOT_FOUND, "operator '%s'", name);
  WEFT_TRY(weft__bind_inputs(p, present, n_in, counts, &b->d));
  WEFT_TRY(weft__desc_make(&b->arena, p, &use, n_in, &desc, &b->d));
  return weft__infer_node(&b->frame, p, &desc.pub, in, WEFT_STAGE_BUILD, &b->d);
}

static weft_fact fact(weft_dtype t, const weft_dim *dims, size_t rank) {
  return (weft_fact){.dtype = t,
                     .set = true,
                     .rank = (uint8_t)rank,
                     .dims = dims,
                     .origin_format = WEFT_ND,
                     .format = WEFT_ND};
}

static weft_fact ranged(const weft_dim *dims, const weft_dim *min, const weft_dim *max, size_t rank) {
  weft_fact f = fact(WEFT_FLOAT, dims, rank);
  f.min = min;
  f.max = max;
  return f;
}

// The first output of an operator with one ranged input: its range along axis 0.
static void check_range(const char *op, weft_fact x, size_t axis, int64_t min, int64_t max) {
  bench b;
  const weft_fact *in[1] = {&x};
  CHECK(begin(&b));
  weft_status s = infer(&b, op, NULL, 0, in, 1);
  const weft_fact *y = &b.frame.facts[0];
  if (s) {
    check_failed(__FILE__, __LINE__, "%s: %s", op, b.d.text);
  } else if (min == 0 && max == -1 && !y->min) {
    CHECK_INT(y->dims[axis], -1);
  } else if (!y->min) {
    check_failed(__FILE__, __LINE__, "%s: no range, expected [%lld,%lld]", op, (long long)min,
                 (long long)max);
  } else {
    CHECK_INT(y->min[axis], min);
    CHECK_INT(y->max[axis], max);
  }
  end(&b);
}

#define DIMS(...) ((const weft_dim[]){__VA_ARGS__})

TEST(r126_r127_r128_range_of_unique) {
  check_range("Unique", ranged(DIMS(-1), DIMS(2), DIMS(10), 1), 0, 1, 10);
  check_range("Unique", ranged(DIMS(-1), DIMS(0), DIMS(10), 1), 0, 0, 10);
  check_range("Unique", fact(WEFT_FLOAT, DIMS(8), 1), 0, 1, 8);
}

TEST(r129_idx_of_unique_has_the_range_of_x) {
  bench b;
  weft_fact x = ranged(DIMS(-1), DIMS(2), DIMS(10), 1);
  const weft_fact *in[1] = {&x};
  CHECK(begin(&b));
  CHECK(infer(&b, "Unique", NULL, 0, in, 1) == WEFT_OK);
  const weft_fact *idx = &b.frame.facts[1];
  CHECK(idx->min && idx->min[0] == 2 && idx->max[0] == 10);
  CHECK_INT(idx->dtype, WEFT_INT32);
  end(&b);
}

TEST(r130_range_of_unique_of_several_dims) {
  check_range("Unique", ranged(DIMS(-1, -1), DIMS(1, 2), DIMS(3, 4), 2), 0, 1, 12);
  check_range("Unique", ranged(DIMS(-1, -1), DIMS(1, 2), DIMS(-1, 4), 2), 0, 1, -1);
  check_range("Unique", ranged(DIMS(-1, -1), DIMS(0, 2), DIMS(3, 4), 2), 0, 0, 12);
}

TEST(r145_range_of_where) {
  check_range("Where", fact(WEFT_FLOAT, DIMS(2, 3), 2), 0, 0, 6);
  check_range("Where", ranged(DIMS(-1), DIMS(1), DIMS(8), 1), 0, 0, 8);
  check_range("Where", ranged(DIMS(-1), DIMS(1), DIMS(-1), 1), 0, 0, -1);
}

TEST(r93_range_of_a_resolved_dim) {
  bench b;
  weft_fact x = ranged(DIMS(-1, 4), DIMS(2, 4), DIMS(6, 4), 2);
  weft_fact shape = fact(WEFT_INT64, DIMS(2), 1);
  shape.elems = DIMS(-1, 8);
  shape.n_elems = 2;
  const weft_fact *in[2] = {&x, &shape};
  CHECK(begin(&b));
  CHECK(infer(&b, "Reshape", NULL, 0, in, 2) == WEFT_OK);
  const weft_fact *y = &b.frame.facts[0];
  CHECK_INT(y->dims[0], -1);
  CHECK_INT(y->dims[1], 8);
  CHECK(y->min && y->min[0] == 1 && y->max[0] == 3);
  end(&b);
}

// Shape -> Gather -> Pack with 8 -> Reshape: [N, 8, 2] becomes [N, 16], with N known by name only.
TEST(symbols_flow_through_shape_arithmetic) {
  bench b;
  CHECK(begin(&b));
  weft_dim n = weft_dim_symbol(b.p, "N", 1, 1, -1);
  weft_dim taken[2];
  weft_dim packed[2];
  weft_dim x_dims[3] = {n, 8, 2};
  weft_fact x = fact(WEFT_FLOAT, x_dims, 3);
  weft_fact dims = fact(WEFT_INT32, DIMS(3), 1);
  const weft_fact *in[3] = {&x};
  CHECK(infer(&b, "Shape", NULL, 0, in, 1) == WEFT_OK);
  CHECK_INT(b.frame.facts[0].n_elems, 3);
  weft_dim copy[3] = {b.frame.facts[0].elems[0], b.frame.facts[0].elems[1], b.frame.facts[0].elems[2]};
  CHECK(copy[0] == n && copy[1] == 8 && copy[2] == 2);
  dims.elems = copy;
  dims.n_elems = 3;
  weft_fact index = fact(WEFT_INT32, NULL, 0);
  weft_fact axis = index;
  index.elems = DIMS(0);
  index.n_elems = 1;
  axis.elems = DIMS(0);
  axis.n_elems = 1;
  in[0] = &dims;
  in[1] = &index;
  in[2] = &axis;
  CHECK(infer(&b, "GatherV2", NULL, 0, in, 3) == WEFT_OK);
  CHECK(b.frame.facts[0].n_elems == 1 && b.frame.facts[0].elems[0] == n);
  taken[0] = n;
  weft_fact first = fact(WEFT_INT32, NULL, 0);
  weft_fact second = first;
  first.elems = taken;
  first.n_elems = 1;
  second.elems = DIMS(-1);
  second.n_elems = 1;
  in[0] = &first;
  in[1] = &second;
  CHECK(infer(&b, "Pack", NULL, 0, in, 2) == WEFT_OK);
  CHECK(b.frame.facts[0].n_elems == 2 && b.frame.facts[0].elems[0] == n && b.frame.facts[0].elems[1] == -1);
  memcpy(packed, b.frame.facts[0].elems, sizeof packed);
  weft_fact shape = fact(WEFT_INT32, DIMS(2), 1);
  shape.elems = packed;
  shape.n_elems = 2;
  in[0] = &x;
  in[1] = &shape;
  CHECK(infer(&b, "Reshape", NULL, 0, in, 2) == WEFT_OK);
  CHECK(b.frame.facts[0].dims[0] == n);
  CHECK_INT(b.frame.facts[0].dims[1], 16);
  end(&b);
}

// Elements that are unknown one by one: the others still count.
TEST(unknown_elements_pass_through_slices_and_joins) {
  bench b;
  CHECK(begin(&b));
  weft_fact a = fact(WEFT_INT64, DIMS(2), 1);
  weft_fact c = fact(WEFT_INT64, DIMS(1), 1);
  weft_fact axis = fact(WEFT_INT32, NULL, 0);
  a.elems = DIMS(5, WEFT_DIM_INVALID);
  a.n_elems = 2;
  axis.elems = DIMS(0);
  axis.n_elems = 1;
  const weft_fact *in[4] = {&a, &c, &axis};  // nothing is known of c
  uint32_t counts[2] = {2, 1};
  weft_desc_full desc;
  const weft_proto *p = weft_find(b.e, "ConcatV2");
  weft_use use = {.in_counts = counts};
  CHECK(weft__desc_make(&b.arena, p, &use, 3, &desc, &b.d) == WEFT_OK);
  CHECK(weft__infer_node(&b.frame, p, &desc.pub, in, WEFT_STAGE_BUILD, &b.d) == WEFT_OK);
  const weft_fact *y = &b.frame.facts[0];
  CHECK_INT(y->n_elems, 3);
  CHECK(y->n_elems == 3 && y->elems[0] == 5 && y->elems[1] == WEFT_DIM_INVALID &&
        y->elems[2] == WEFT_DIM_INVALID);
  weft_fact begins = fact(WEFT_INT64, DIMS(1), 1);
  weft_fact ends = begins;
  begins.elems = DIMS(0);
  begins.n_elems = 1;
  ends.elems = DIMS(1);
  ends.n_elems = 1;
  in[0] = &a;
  in[1] = &begins;
  in[2] = &ends;
  CHECK(infer(&b, "StridedSliceV2", NULL, 0, in, 3) == WEFT_OK);
  CHECK(b.frame.facts[0].n_elems == 1 && b.frame.facts[0].elems[0] == 5);
  end(&b);
}

static weft_status convert(bench *b, const char *from, const char *to, const weft_tensor *x, weft_tensor *y) {
  weft_named_attr attrs[2] = {{"src_format", weft_attr_str(from, strlen(from))},
                              {"dst_format", weft_attr_str(to, strlen(to))}};
  weft_use use = {.attrs = attrs, .n_attrs = 2};
  const weft_tensor *in[1] = {x};
  return weft_run_op(b->e, weft_find(b->e, "TransData"), &use, in, 1, y, 1, NULL, &b->d);
}

// NCHW to a packed format and back gives the same bits, and the padding is zero.
static void round_trip(const char *packed, const weft_dim *storage, size_t rank) {
  bench b;
  weft_tensor x;
  weft_tensor y;
  weft_tensor z;
  CHECK(begin(&b));
  weft_tensor_init(&x, NULL);
  weft_tensor_init(&y, NULL);
  weft_tensor_init(&z, NULL);
  CHECK(weft_tensor_alloc(&x, WEFT_FLOAT, DIMS(1, 3, 4, 4), 4, &b.d) == WEFT_OK);
  x.origin_format = x.format = WEFT_NCHW;
  for (size_t i = 0; i < 48; i++)
    ((float *)x.data)[i] = (float)(i + 1);
  CHECK_OK(convert(&b, "NCHW", packed, &x, &y), &b.d);
  CHECK_INT(y.layout.storage.rank, rank);
  for (size_t i = 0; i < rank; i++)
    CHECK_INT(y.layout.storage.dim[i], storage[i]);
  CHECK_INT(y.layout.origin.rank, 4);
  CHECK_INT(y.origin_format, WEFT_NCHW);
  size_t zeros = 0;
  size_t n = y.bytes / sizeof(float);
  for (size_t i = 0; i < n; i++)
    zeros += ((const float *)y.data)[i] == 0;
  CHECK_INT(zeros, n - 48);
  CHECK_OK(convert(&b, packed, "NCHW", &y, &z), &b.d);
  CHECK_INT(z.format, WEFT_NCHW);
  CHECK_OK(weft_tensor_compare(&z, &x, 0, 0, &b.d), &b.d);
  weft_tensor_deinit(&z);
  CHECK_OK(convert(&b, packed, "NHWC", &y, &z), &b.d);
  CHECK_INT(z.layout.origin.dim[3], 3);
  for (size_t c = 0; c < 3; c++) {
    for (size_t i = 0; i < 16; i++)
      CHECK_F64(((const float *)z.data)[i * 3 + c], ((const float *)x.data)[c * 16 + i], 0);
  }
  weft_tensor_deinit(&x);
  weft_tensor_deinit(&y);
  weft_tensor_deinit(&z);
  end(&b);
}

TEST(r104_packed_and_back) {
  round_trip("NC1HWC0", DIMS(1, 1, 4, 4, 16), 5);
  round_trip("NC1HWC0(C0=2)", DIMS(1, 2, 4, 4, 2), 5);
  round_trip("FRACTAL_Z", DIMS(16, 1, 16, 16), 4);
}

// R93: accepted when x is unknown, checked when it is known.
TEST(r93_element_count_is_checked_when_it_runs) {
  bench b;
  weft_fact x = fact(WEFT_FLOAT, DIMS(5, 4), 2);
  weft_fact shape = fact(WEFT_INT64, DIMS(2), 1);
  shape.elems = DIMS(4, 6);
  shape.n_elems = 2;
  const weft_fact *in[2] = {&x, &shape};
  CHECK(begin(&b));
  CHECK(infer(&b, "Reshape", NULL, 0, in, 2) == WEFT_E_SHAPE);
  CHECK_HAS(b.d.text, "x of shape [5,4] has 20 elements, the target [4,6] has 24");
  x.dims = DIMS(-1, 4);
  CHECK(infer(&b, "Reshape", NULL, 0, in, 2) == WEFT_OK);
  x.dims = DIMS(6, 4);
  CHECK(infer(&b, "Reshape", NULL, 0, in, 2) == WEFT_OK);
  end(&b);
}
// SPDX-License-Identifier: Apache-2.0
