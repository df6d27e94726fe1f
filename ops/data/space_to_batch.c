// ops/data/space_to_batch.c - blocks of spatial axes moved to the batch axis, and back.   AscendIR
// SpaceToBatch, SpaceToBatchND, BatchToSpace, BatchToSpaceND and their forms with attributes. There: axes 1
// to m are padded with zeros, and of each block_shape[i] elements of axis i one goes to each of as many
// batches. Back: the same the other way round, then `crops` are cut off.
#include "dims_move.h"
#include "op/air_rows.h"

enum { MOST = 6 };
typedef struct blocks {
  bool back;    // batch to space
  bool listed;  // block_shape and pads are attributes
  bool square;  // one block_size, two axes
} blocks;
typedef struct block_plan {
  size_t m;
  int64_t block[MOST], pad[MOST][2];
} block_plan;

static weft_status blocks_check(weft_diag *d, const block_plan *p) {
  for (size_t i = 0; i < p->m; i++) {
    bool small = p->block[i] <= INT32_MAX && p->pad[i][0] <= INT32_MAX && p->pad[i][1] <= INT32_MAX;
    if (!small || p->block[i] < 1 || p->pad[i][0] < 0 || p->pad[i][1] < 0) {
      return weft_fail(d, WEFT_E_RANGE, "axis %zu: a block of %lld with %lld and %lld around it", i + 1,
                       (long long)p->block[i], (long long)p->pad[i][0], (long long)p->pad[i][1]);
    }
  }
  return WEFT_OK;
}

// Blocks and pads from lists of integers.
static weft_status blocks_fill(weft_diag *d, const int64_t *block, size_t m, const int64_t *pads, size_t n,
                               block_plan *p) {
  if (m > MOST || n != 2 * m)
    return weft_fail(d, WEFT_E_SHAPE, "%zu blocks and %zu pads: expected two pads a block, at most %d blocks",
                     m, n, MOST);
  p->m = m;
  for (size_t i = 0; i < m; i++) {
    p->block[i] = block[i];
    p->pad[i][0] = pads[2 * i];
    p->pad[i][1] = pads[2 * i + 1];
  }
  return blocks_check(d, p);
}

static weft_status blocks_listed(const weft_op_desc *n, weft_diag *d, const blocks *b, block_plan *p) {
  const weft_attr *pads = n->attr[1];
  if (!b->square)
    return blocks_fill(d, n->attr[0]->u.ints, n->attr[0]->n, pads->u.ints, pads->n, p);
  int64_t both[2] = {n->attr[0]->u.i, n->attr[0]->u.i};
  return blocks_fill(d, both, 2, pads->u.ints, pads->n, p);
}

// *known false: the contents of an input are not known yet.
static weft_status blocks_inferred(weft_infer *it, const blocks *b, block_plan *p, bool *known) {
  int64_t block[MOST];
  int64_t pads[2 * MOST];
  const uint32_t at = b->square ? 1 : 2;
  *known = true;
  if (b->listed)
    return blocks_listed(it->desc, it->d, b, p);
  const weft_tensor *t[2] = {it->value[1], it->value[at]};
  for (size_t i = b->square; i < 2; i++) {
    if (!t[i]->data)
      return *known = false, WEFT_OK;
    size_t n = weft__elems(&t[i]->layout.origin);
    if (n > (i ? 2 * MOST : MOST))
      return weft_fail(it->d, WEFT_E_LIMIT, "%zu blocks or pads", n);
    for (size_t k = 0; k < n; k++)
      (i ? pads : block)[k] = weft_load_i64(t[i]->dtype, t[i]->data, k);
  }
  block[0] = b->square ? weft_node_int(it->desc, 0) : block[0];
  block[1] = b->square ? block[0] : block[1];
  size_t m = b->square ? 2 : weft__elems(&t[0]->layout.origin);
  return blocks_fill(it->d, block, m, pads, weft__elems(&t[1]->layout.origin), p);
}

static weft_status blocks_infer(weft_infer *it) {
  const blocks *b = it->desc->op->user;
  const weft_shape *x = it->in[0];
  block_plan p;
  bool known;
  WEFT_TRY(blocks_inferred(it, b, &p, &known));
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, 0);
  if (!known)
    return weft__unknown_dims(it, 0, x->rank);
  WEFT_TRY(weft__expect_rank(it, 0, p.m + 1, WEFT_MAX_RANK));
  weft_shape *y = it->out[0];
  weft_shape_copy(y, x);
  int64_t all = 1;
  for (size_t i = 0; i < p.m; i++) {
    if (p.block[i] > INT32_MAX / all)
      return weft_fail(it->d, WEFT_E_RANGE, "blocks of more than 2^31 elements");
    all *= p.block[i];
    weft_dim more = p.pad[i][0] + p.pad[i][1];
    weft_dim *dim = &y->dim[i + 1];
    if (b->back) {
      *dim = weft_dims_sub(it, weft_dims_mul(it, *dim, p.block[i]), more);
      if (*dim < 0 && x->dim[i + 1] >= 0)
        return weft_fail(it->d, WEFT_E_SHAPE, "axis %zu: %lld are cropped of %lld blocks of %lld", i + 1,
                         (long long)more, (long long)x->dim[i + 1], (long long)p.block[i]);
      continue;
    }
    *dim = weft_dims_add(it, *dim, more);
    if (*dim >= 0 && *dim % p.block[i])
      return weft_fail(it->d, WEFT_E_SHAPE, "axis %zu: %lld with its pads is no multiple of the block, %lld",
                       i + 1, (long long)*dim, (long long)p.block[i]);
    *dim = weft__dim_part(it, *dim, p.block[i]);
  }
  if (b->back && x->dim[0] >= 0 && x->dim[0] % all)
    return weft_fail(it->d, WEFT_E_SHAPE, "%lld batches are no multiple of the blocks' %lld elements",
                     (long long)x->dim[0], (long long)all);
  y->dim[0] = b->back ? weft__dim_part(it, x->dim[0], all) : weft_dims_mul(it, x->dim[0], all);
  return WEFT_OK;
}

typedef struct block_map {
  const block_plan *p;
  bool back;
  size_t rank, batches;
  const weft_dim *to, *from;
} block_map;

// Of an element of the spread tensor to that of the packed one, or the other way; -1: a pad.
static int64_t block_source(void *ctx, size_t at) {
  const block_map *m = ctx;
  size_t index[WEFT_MAX_RANK];
  size_t in[WEFT_MAX_RANK];
  for (size_t k = m->rank; k-- > 0;) {
    index[k] = at % (size_t)m->to[k];
    in[k] = index[k];
    at /= (size_t)m->to[k];
  }
  size_t part = index[0] / m->batches;
  size_t rest = 0;
  in[0] = index[0] % m->batches;
  for (size_t i = m->p->m; i-- > 0 && !m->back;) {
    size_t step = part % (size_t)m->p->block[i];
    part /= (size_t)m->p->block[i];
    int64_t place = (int64_t)(index[i + 1] * (size_t)m->p->block[i] + step) - m->p->pad[i][0];
    if (place < 0 || place >= m->from[i + 1])
      return -1;
    in[i + 1] = (size_t)place;
  }
  for (size_t i = 0; i < m->p->m && m->back; i++) {
    size_t place = index[i + 1] + (size_t)m->p->pad[i][0];
    in[i + 1] = place / (size_t)m->p->block[i];
    rest = rest * (size_t)m->p->block[i] + place % (size_t)m->p->block[i];
  }
  if (m->back)
    in[0] = rest * m->batches + index[0];
  size_t out = 0;
  for (size_t k = 0; k < m->rank; k++)
    out = out * (size_t)m->from[k] + in[k];
  return (int64_t)out;
}

static weft_status blocks_ref(const weft_call *c) {
  const blocks *b = c->desc->op->user;
  const weft_shape *x = &c->in[0]->layout.origin;
  const weft_shape *y = &c->out[0]->layout.origin;
  block_plan p;
  int64_t block[MOST];
  int64_t pads[2 * MOST];
  size_t n_block = 2;
  size_t n_pads;
  if (b->listed) {
    WEFT_TRY(blocks_listed(c->desc, c->d, b, &p));
  } else {
    if (b->square)
      block[0] = block[1] = weft_node_int(c->desc, 0);
    else
      WEFT_TRY(weft__read_ints(c, 1, block, MOST, &n_block));
    const weft_tensor *t = c->in[b->square ? 1 : 2];
    n_pads = weft__elems(&t->layout.origin);
    if (n_pads > 2 * MOST)
      return weft_fail(c->d, WEFT_E_LIMIT, "%zu pads", n_pads);
    for (size_t i = 0; i < n_pads; i++)
      pads[i] = weft_load_i64(t->dtype, t->data, i);
    WEFT_TRY(blocks_fill(c->d, block, n_block, pads, n_pads, &p));
  }
  // What follows the axes of blocks moves as one.
  block_map m = {.p = &p, .back = b->back, .rank = p.m + 1, .to = y->dim, .from = x->dim};
  m.batches = (size_t)(b->back ? y->dim[0] : x->dim[0]);
  return weft__move_blocks(c, c->in[0], c->out[0], weft__prod(x, p.m + 1, x->rank), block_source, &m);
}

#define BLOCKS(op_name, is_back, is_listed, is_square, reads, ...)                                 \
  {                                                                                                \
    .name = op_name,                                                                               \
    .summary = is_back ? "batches back into blocks of space" : "blocks of space into batches",     \
    .traits = WEFT_SYMBOLIC, .infer = blocks_infer, .ref = blocks_ref, .values = reads,            \
    .user = &(const blocks){is_back, is_listed, is_square}, .examples = WEFT_EXAMPLES(__VA_ARGS__) \
  }

WEFT_ROWS(space_to_batch) = {
    BLOCKS("SpaceToBatch", false, false, true, "paddings",
           "f32[1,2,2,1]{1,2,3,4}, i32[2,2]{0,0,0,0} block_size=2 -> f32[4,1,1,1]{1,2,3,4}"),
    BLOCKS("SpaceToBatchD", false, true, true, NULL,
           "f32[1,2,2,1]{1,2,3,4} block_size=2 paddings=[0,0,0,0] -> f32[4,1,1,1]{1,2,3,4}"),
    BLOCKS("SpaceToBatchND", false, false, false, "block_shape,paddings",
           "f32[1,3]{1,2,3}, i32[1]{2}, i32[1,2]{1,0} -> f32[2,2]{0,2,1,3}",
           "f32[1,3], i32[1]{2}, i32[1,2]{0,0} !! E_SHAPE no multiple"),
    BLOCKS("SpaceToBatchNDD", false, true, false, NULL,
           "f32[1,3]{1,2,3} block_shape=[2] paddings=[1,0] -> f32[2,2]{0,2,1,3}"),
    BLOCKS("BatchToSpace", true, false, true, "crops",
           "f32[4,1,1,1]{1,2,3,4}, i32[2,2]{0,0,0,0} block_size=2 -> f32[1,2,2,1]{1,2,3,4}",
           "f32[4,4503599627370496,1,0], i32[2,2]{0,0,0,0} block_size=2 !! E_LIMIT over the limit of 2^52"),
    BLOCKS("BatchToSpaceD", true, true, true, NULL,
           "f32[4,1,1,1]{1,2,3,4} block_size=2 crops=[0,0,0,0] -> f32[1,2,2,1]{1,2,3,4}"),
    BLOCKS("BatchToSpaceND", true, false, false, "block_shape,crops",
           "f32[2,2]{0,2,1,3}, i32[1]{2}, i32[1,2]{1,0} -> f32[1,3]{1,2,3}"),
    BLOCKS("BatchToSpaceNDD", true, true, false, NULL,
           "f32[2,2]{0,2,1,3} block_shape=[2] crops=[1,0] -> f32[1,3]{1,2,3}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
