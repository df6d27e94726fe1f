// where_like_custom.c - the operator: prototype, inference, and an execute function that decides its own
// output shape.
//
// The output shape depends on the data (class 3): inference says [-1, rank(x)] and an upper bound [elements,
// rank(x)]. Execute allocates that bound, launches the kernel, waits, reads the shape the kernel reported,
// and sets it.
#include "where_like_custom_kernel.h"

static weft_status infer_shape(weft_infer *it) {
  const weft_shape *x = weft_in_shape(it, 0);
  weft_dim dims[2] = {-1, -1};
  if (!weft_unknown_rank(x))
    dims[1] = (weft_dim)x->rank;
  return weft_set_out_shape(it, 0, dims, 2);
}

static weft_status infer_dtype(weft_infer *it) {
  return weft_set_out_dtype(it, 0, WEFT_INT64);
}

// [0, rank] to [elements, rank]; no bound when a dim of x has none.
static weft_status infer_range(weft_infer *it) {
  const weft_shape *max = it->in_max[0];
  weft_dim bound = 1;
  weft_dim rank = -1;
  if (!weft_unknown_rank(max)) {
    rank = (weft_dim)max->rank;
    for (size_t i = 0; i < max->rank; i++) {
      if (max->dim[i] == 0) {
        bound = 0;
        break;
      }
      bound = max->dim[i] < 0 || bound < 0 || bound > INT64_MAX / max->dim[i] ? -1 : bound * max->dim[i];
    }
  } else {
    bound = -1;
  }
  *it->out_min[0] = (weft_shape){.rank = 2, .dim = {0, rank < 0 ? 0 : rank}};
  *it->out_max[0] = (weft_shape){.rank = 2, .dim = {bound, rank}};
  return WEFT_OK;
}

static weft_status execute(const weft_call *c) {
  const weft_host *h = c->host;
  const weft_tensor *x = c->in[0];
  where_tiling t = {.elems = 1, .rank = x->layout.storage.rank};
  for (size_t i = 0; i < t.rank; i++) {
    t.dim[i] = (uint64_t)x->layout.storage.dim[i];
    t.elems *= t.dim[i];
  }
  // The output at its largest.
  weft_layout most = {.origin = {.rank = 2, .dim = {(weft_dim)t.elems, (weft_dim)t.rank}}};
  most.storage = most.origin;
  weft_status s = h->out_alloc(c, 0, WEFT_INT64, &most, WEFT_ND);
  if (s)
    return s;
  if (!c->out[0])
    return WEFT_OK;  // nobody reads it
  // The first workspace is the shape buffer, on the device like the output.
  void *shape_buffer;
  uint64_t shape[WHERE_SHAPE_WORDS];
  if ((s = h->workspace(c, sizeof shape, &shape_buffer)))
    return s;
  if ((s = where_like_custom_launch(c, x->data, c->out[0]->data, shape_buffer, &t)))
    return s;
  if ((s = h->sync(c)))
    return s;
  if ((s = h->copy_to_host(c, shape, shape_buffer, sizeof shape)))
    return s;
  if (shape[0] != 2) {
    return h->fail(c->d, WEFT_E_KERNEL, "invalid output dim num: %llu, expected 2",
                   (unsigned long long)shape[0]);
  }
  weft_shape actual = {.rank = 2, .dim = {(weft_dim)shape[1], (weft_dim)shape[2]}};
  return h->out_set_shape(c, 0, &actual);
}

static const weft_column x_columns[] = {{WEFT_BOOL, WEFT_ND}}, y_columns[] = {{WEFT_INT64, WEFT_ND}};

static const weft_op where_like_custom_op = {
    WEFT_OP_HEAD,
    .name = "WhereLikeCustom",
    .summary = "coordinates of the true elements of x",
    .in = WEFT_PORTS({"x", .columns = x_columns}),
    .out = WEFT_PORTS({"y", .columns = y_columns}),
    .n_columns = 1,
    .traits = WEFT_DATA_DEPENDENT,
    .infer = infer_shape,
    .infer_dtype = infer_dtype,
    .infer_range = infer_range,
    .execute = execute,
    .kernel = "where_like_custom",
    .targets = WEFT_NAMES("cpu", "npusim"),
    .examples = WEFT_NAMES("bool[8]{1,0,1,0,1,0,0,1} -> i64[4,1]{0,2,4,7}",
                           "bool[2,3]{1,0,1,0,1,1} -> i64[4,2]{0,0,0,2,1,1,1,2}",
                           "bool[3]{0,0,0} -> i64[0,1]", "bool[0] -> i64[0,1]", "bool[1]{1} -> i64[1,1]{0}",
                           "bool[8] -> i64[-1,1]", "f32[8] !! E_DTYPE input 'x'"),
};

static const weft_op *const ops[] = {&where_like_custom_op};
static const weft_section sections[] = {{WEFT_SECTION_OP, 0, 1, ops}};
static const weft_package package = {sizeof package, WEFT_ABI, "where_like_custom", "1.0.0", 1, sections};

#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
const weft_package *
weft_package_entry(const weft_host *host);
const weft_package *weft_package_entry(const weft_host *host) {
  return host->abi == WEFT_ABI ? &package : NULL;
}
// SPDX-License-Identifier: Apache-2.0
