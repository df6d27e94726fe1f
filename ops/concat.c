// concat.c - see concat.h. A joined tensor is `outer` rows; each holds one run of every input.
#include "concat.h"

weft_status weft__concat_infer(weft_infer *it, uint32_t first, uint32_t n, const char *what, int64_t axis,
                               bool axis_known) {
  const weft_shape *model = NULL;  // the first of known rank
  bool all_ranked = true;
  if (!n)
    return weft_fail(it->d, WEFT_E_MISSING, "input 'x': at least one is needed");
  for (uint32_t i = first; i < first + n; i++) {
    if (weft_shape_is_unknown_rank(it->in[i]))
      all_ranked = false;
    else if (!model)
      model = it->in[i];
    else if (model->rank != it->in[i]->rank) {
      return weft_fail(it->d, WEFT_E_SHAPE, "inputs 'x': number 0 has rank %zu, number %u has rank %zu",
                       model->rank, i - first, it->in[i]->rank);
    }
  }
  if (!model)
    return weft__unknown_rank(it, 0);
  if (!axis_known)
    return weft__unknown_dims(it, 0, model->rank);
  size_t a;
  WEFT_TRY(weft__axis(it->d, what, axis, model->rank, &a));
  weft_shape y;
  weft_shape_copy(&y, model);
  y.dim[a] = all_ranked ? 0 : -1;
  for (uint32_t i = first; i < first + n; i++) {
    if (weft_shape_is_unknown_rank(it->in[i]))
      continue;
    for (size_t k = 0; k < y.rank; k++) {
      char place[64];
      if (k == a) {
        weft_dim more = it->in[i]->dim[a];
        if (y.dim[a] >= 0 && more >= 0 && more > INT64_MAX - y.dim[a]) {
          return weft_fail(it->d, WEFT_E_OVERFLOW,
                           "inputs 'x': dim %zu of the result, %lld + %lld, is over 2^63 - 1", k,
                           (long long)y.dim[a], (long long)more);
        }
        y.dim[a] = weft_dim_add(it->symbols, y.dim[a], more);
        continue;
      }
      snprintf(place, sizeof place, "inputs 'x': dim %zu of number %u", k, i - first);
      WEFT_TRY(weft__merge_dim(it, y.dim[k], it->in[i]->dim[k], place, &y.dim[k]));
    }
  }
  weft_shape_copy(it->out[0], &y);
  return WEFT_OK;
}

// Which input, and where in it, element i of the joined tensor comes from.
typedef struct joined {
  const weft_shape *const *in;  // of the inputs; sizes along a row are run * the dim at `axis`
  const weft_tensor *const *tensor;
  uint32_t n;
  size_t axis, run, row;  // run: elements below the axis; row: elements of one joined row
  bool stack;             // every input has one step along the new axis
} joined;

static size_t run_of(const joined *j, uint32_t k) {
  return j->stack ? j->run : j->run * (size_t)j->in[k]->dim[j->axis];
}

static uint32_t locate(const joined *j, size_t i, size_t *out_at) {
  size_t outer = i / j->row;
  size_t at = i % j->row;
  uint32_t k = 0;
  while (at >= run_of(j, k))
    at -= run_of(j, k++);
  *out_at = outer * run_of(j, k) + at;
  return k;
}

static const weft_tensor *concat_pick(void *ctx, size_t i, size_t *out_at) {
  const joined *j = ctx;
  return j->tensor[locate(j, i, out_at)];
}

static void concat_prepare(joined *j) {
  j->row = 0;
  j->run = weft__prod(j->in[0], j->axis + !j->stack, j->in[0]->rank);
  for (uint32_t k = 0; k < j->n; k++)
    j->row += run_of(j, k);
}

static weft_status concat_join(const weft_call *c, joined *j) {
  weft_tensor *y = c->out[0];
  size_t n = weft__elems(&y->layout.origin);
  size_t at = 0;
  size_t work = 0;
  concat_prepare(j);
  if (y->dtype == WEFT_STRING)
    return weft__pick(c, y, concat_pick, j);
  if (!weft_dtype_bits(y->dtype))
    return weft__no_kernel(c, y->dtype);
  for (size_t outer = 0; n && outer < n / j->row; outer++) {
    for (uint32_t k = 0; k < j->n; k++) {
      size_t run = run_of(j, k);
      WEFT_TRY(weft__poll_work(c, &work, run + 4));
      weft__copy_run(y->dtype, y->data, at, j->tensor[k]->data, outer * run, run);
      at += run;
    }
  }
  return WEFT_OK;
}

static weft_status join_inputs(const weft_call *c, uint32_t first, uint32_t n, size_t axis, bool stack) {
  void *space;
  size_t bytes;
  if (!weft_mul_size(n, sizeof(weft_shape *), &bytes))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%u inputs", n);
  WEFT_TRY(c->host->workspace(c, bytes, &space));
  const weft_shape **in = space;
  for (uint32_t k = 0; k < n; k++)
    in[k] = &c->in[first + k]->layout.origin;
  joined j = {.in = in, .tensor = c->in + first, .n = n, .axis = axis, .stack = stack};
  return concat_join(c, &j);
}

weft_status weft__concat_ref(const weft_call *c, uint32_t first, uint32_t n, const char *what, int64_t axis) {
  size_t a;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__axis(c->d, what, axis, c->in[first]->layout.origin.rank, &a));
  return join_inputs(c, first, n, a, false);
}

weft_status weft__stack_ref(const weft_call *c, uint32_t n, size_t axis) {
  return c->out[0] ? join_inputs(c, 0, n, axis, true) : WEFT_OK;
}

static void join_elems(weft_infer *it, uint32_t first, uint32_t n, size_t axis, bool stack) {
  int64_t total;
  joined j = {.in = it->in + first, .n = n, .axis = axis, .stack = stack};
  if (weft_shape_elems(it->out[0], &total) || total < 0 || total > it->out_dims_cap)
    return;
  for (uint32_t k = 0; k < n; k++) {
    int64_t elems;
    if (!weft_shape_is_known(it->in[first + k]))
      return;
    if (weft_shape_elems(it->in[first + k], &elems))
      return;
    if (it->in_dims[first + k].v && it->in_dims[first + k].n != (size_t)elems)
      return;
  }
  concat_prepare(&j);
  bool any = total == 0;
  for (size_t i = 0; i < (size_t)total; i++) {
    size_t at;
    weft_ints v = it->in_dims[first + locate(&j, i, &at)];
    it->out_dims[0][i] = v.v ? v.v[at] : WEFT_DIM_INVALID;
    any |= v.v != NULL;
  }
  if (any)
    it->out_dims_n[0] = total;
}

void weft__concat_elems(weft_infer *it, uint32_t first, uint32_t n, int64_t axis) {
  size_t rank = it->out[0]->rank;
  if (!n || weft_shape_is_unknown_rank(it->out[0]) || axis < -(int64_t)rank || axis >= (int64_t)rank)
    return;
  join_elems(it, first, n, (size_t)(axis < 0 ? axis + (int64_t)rank : axis), false);
}

void weft__stack_elems(weft_infer *it, uint32_t n, size_t axis) {
  if (n)
    join_elems(it, 0, n, axis, true);
}
// SPDX-License-Identifier: Apache-2.0
