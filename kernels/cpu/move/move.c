// move.c - operators that only move elements of one to eight bytes: Transpose, slices, splits, concatenation,
// reversing, blocks of pixels to and from channels, broadcasting and repeating. Each is a list of parts, a
// part a copy between two strided views of one shape, merged to as few axes as it has; the innermost one is
// copied in runs, spread, or - where the input's neighbours lie along another axis - turned over eight by
// eight. Axes and counts must be known constants.
#include "cpu/move/move_parts.h"
#include "cpu/rows/rows.h"
#include "cpu/simd/cache.h"
#include "op_slots.h"
#include "space.rule.h"
#include "axis.rule.h"

typedef weft__move_part part;
typedef weft__move_plan plan;

enum {
  AXES = WEFT__MOVE_AXES,
  PARTS = 40,
  MOST_PARTS = 160,
  FEW_COLUMNS = 16,
  STREAMED = 4096,  // bytes of a run that may go past the caches, at least
};

// ---- building ----
typedef struct view {  // of one tensor: dims are the part's
  size_t stride[WEFT_MAX_RANK];
  size_t at;
} view;
typedef struct copy {  // between two views of one shape
  uint32_t in, out;
  size_t rank, dim[WEFT_MAX_RANK];
  view from, to;
} copy;
typedef struct draft {
  plan *p;
  size_t cap;
  const char *why;
} draft;

static void full(const weft_shape *s, view *v) {
  size_t n = 1;
  v->at = 0;
  for (size_t i = s->rank; i-- > 0;) {
    v->stride[i] = n;
    n *= (size_t)s->dim[i];
  }
}

// From where x begins to where y begins, over the dims of `of`.
static void copy_between(const weft_shape *x, const weft_shape *y, const weft_shape *of, copy *c) {
  c->in = c->out = 0;
  c->rank = of->rank;
  for (size_t i = 0; i < of->rank; i++)
    c->dim[i] = (size_t)of->dim[i];
  full(x, &c->from);
  full(y, &c->to);
}

static void move_add(draft *d, const copy *c) {
  const view *from = &c->from;
  const view *to = &c->to;
  const size_t *dim = c->dim;
  plan *p = d->p;
  if (d->why)
    return;
  if (sizeof *p + (p->parts + 1) * sizeof(part) > d->cap) {
    d->why = "too many inputs or outputs";
    return;
  }
  part *q = &p->part[p->parts++];
  *q = (part){.in = c->in, .out = c->out, .from_at = from->at, .to_at = to->at};
  for (size_t i = 0; i < c->rank; i++) {
    uint32_t n = q->axes;
    if (dim[i] == 1)
      continue;
    if (n && q->from[n - 1] == from->stride[i] * dim[i] && q->to[n - 1] == to->stride[i] * dim[i]) {
      q->dim[n - 1] *= dim[i];
      q->from[n - 1] = from->stride[i];
      q->to[n - 1] = to->stride[i];
      continue;
    }
    if (n == AXES) {
      d->why = "more than 8 axes that do not lie side by side";
      return;
    }
    q->dim[n] = dim[i];
    q->from[n] = from->stride[i];
    q->to[n] = to->stride[i];
    q->axes++;
  }
  if (!q->axes) {
    q->axes = 1;
    q->dim[0] = 1;
    q->from[0] = q->to[0] = 1;
  }
}

static bool move_axis_of(int64_t a, size_t rank, size_t *out) {
  const bool inside = weft__axis_inside(&a, rank);
  *out = (size_t)a;
  return inside;
}

static void transpose(draft *d, const weft_tiling *t) {
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  int64_t perm[WEFT_MAX_RANK];
  int n;
  if (!strcmp(t->desc->type, "TransposeD")) {
    weft_ints v = weft_node_ints(t->desc, WEFT_SLOT_TRANSPOSE_D_PERM);
    n = v.n <= WEFT_MAX_RANK ? (int)v.n : -1;
    for (int i = 0; i < n; i++)
      perm[i] = v.v[i];
  } else {
    n = weft__rows_ints(t, 1, perm, WEFT_MAX_RANK);
  }
  if (n < 0 || (size_t)n != x->rank) {
    d->why = "the order of axes is not known";
    return;
  }
  copy c;
  copy_between(x, y, y, &c);
  const view all = c.from;
  for (int i = 0; i < n; i++) {
    size_t a;
    if (!move_axis_of(perm[i], x->rank, &a))
      d->why = "an axis outside the rank";
    if (d->why)
      return;
    c.from.stride[i] = all.stride[a];
  }
  move_add(d, &c);
}

static void move_expand(draft *d, const weft_tiling *t) {
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  copy c;
  copy_between(x, y, y, &c);
  const view all = c.from;
  for (size_t i = 0; i < y->rank; i++) {
    size_t k = i + x->rank - y->rank;
    bool own = i + x->rank >= y->rank && x->dim[k] != 1;
    c.from.stride[i] = own ? all.stride[k] : 0;
  }
  move_add(d, &c);
}

static void tile_op(draft *d, const weft_tiling *t) {
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  view all;
  view out;
  copy c = {.rank = 2 * (size_t)x->rank};
  if (2 * x->rank > WEFT_MAX_RANK || x->rank != y->rank) {
    d->why = "a rank over 12";
    return;
  }
  for (size_t i = 0; i < x->rank; i++) {
    if (!x->dim[i])
      d->why = "nothing to repeat";
  }
  if (d->why)
    return;
  full(x, &all);
  full(y, &out);
  for (size_t i = 0; i < x->rank; i++) {
    c.dim[2 * i] = (size_t)(y->dim[i] / x->dim[i]);
    c.dim[2 * i + 1] = (size_t)x->dim[i];
    c.from.stride[2 * i] = 0;
    c.from.stride[2 * i + 1] = all.stride[i];
    c.to.stride[2 * i] = out.stride[i] * (size_t)x->dim[i];
    c.to.stride[2 * i + 1] = out.stride[i];
  }
  move_add(d, &c);
}

static void concat(draft *d, const weft_tiling *t) {
  int64_t a;
  size_t axis;
  size_t at = 0;
  uint32_t first = 0;
  uint32_t n = t->n_in;
  const weft_shape *y = &t->out[0]->origin;
  if (!strcmp(t->desc->type, "ConcatD")) {
    a = weft_node_int(t->desc, WEFT_SLOT_CONCAT_D_CONCAT_DIM);
  } else {
    bool front = !strcmp(t->desc->type, "Concat");
    first = front;
    n--;
    if (weft__rows_ints(t, front ? 0 : n, &a, 1) != 1) {
      d->why = "the axis is not known";
      return;
    }
  }
  if (!move_axis_of(a, y->rank, &axis))
    d->why = "an axis outside the rank";
  for (uint32_t i = first; i < first + n && !d->why; i++) {
    copy c;
    const weft_shape *x = &t->in[i]->origin;
    if (x->rank != y->rank) {
      d->why = "inputs of another rank";
      return;
    }
    copy_between(x, y, x, &c);
    c.in = i;
    c.to.at = at * c.to.stride[axis];
    at += c.dim[axis];
    move_add(d, &c);
  }
}

static void move_split(draft *d, const weft_tiling *t) {
  int64_t a;
  size_t axis;
  size_t at = 0;
  bool front = !strcmp(t->desc->type, "Split");
  bool own = !strcmp(t->desc->type, "SplitD");
  uint32_t in = front ? 1 : 0;
  const weft_shape *x = &t->in[in]->origin;
  if (own)
    a = weft_node_int(t->desc, WEFT_SLOT_SPLIT_D_SPLIT_DIM);
  else if (weft__rows_ints(t, front ? 0 : 2, &a, 1) != 1)
    d->why = "the axis is not known";
  if (!d->why && !move_axis_of(a, x->rank, &axis))
    d->why = "an axis outside the rank";
  for (uint32_t i = 0; i < t->n_out && !d->why; i++) {
    copy c;
    const weft_shape *y = &t->out[i]->origin;
    copy_between(x, y, y, &c);
    c.in = in;
    c.out = i;
    c.from.at = at * c.from.stride[axis];
    at += c.dim[axis];
    move_add(d, &c);
  }
}

static void move_slice(draft *d, const weft_tiling *t) {
  int64_t begin[WEFT_MAX_RANK];
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  copy c;
  int n = weft__rows_ints(t, 1, begin, WEFT_MAX_RANK);
  if (n < 0 || (size_t)n != x->rank || y->rank != x->rank) {
    d->why = "the offsets are not known";
    return;
  }
  copy_between(x, y, y, &c);
  for (int i = 0; i < n; i++) {
    if (begin[i] < 0 || begin[i] > x->dim[i] - y->dim[i])
      d->why = "an offset outside";
    c.from.at += (size_t)begin[i] * c.from.stride[i];
  }
  move_add(d, &c);
}

// Cuts of StridedSliceV2: where each begins, along which axis, by which step.
typedef struct cuts {
  int n;
  int64_t begin[WEFT_MAX_RANK], axes[WEFT_MAX_RANK], steps[WEFT_MAX_RANK];
} cuts;

static const char *read_cuts(const weft_tiling *t, cuts *c) {
  for (uint32_t mask = WEFT_SLOT_STRIDED_SLICE_V2_BEGIN_MASK;
       mask <= WEFT_SLOT_STRIDED_SLICE_V2_SHRINK_AXIS_MASK; mask++) {
    if (weft_node_int(t->desc, mask))
      return "a mask is set";
  }
  c->n = weft__rows_ints(t, 1, c->begin, WEFT_MAX_RANK);
  if (c->n < 0 || t->in[0]->origin.rank != t->out[0]->origin.rank)
    return "the cuts are not known";
  for (int i = 0; i < c->n; i++) {
    c->axes[i] = i;
    c->steps[i] = 1;
  }
  int64_t *const lists[] = {c->axes, c->steps};  // ports 3 and 4
  for (uint32_t k = 0; k < WEFT_COUNT(lists); k++) {
    const int64_t at = weft_port_in(t->desc, 3 + k, 0);
    if (at >= 0 && weft__rows_ints(t, (uint32_t)at, lists[k], WEFT_MAX_RANK) != c->n)
      return "the cuts are not known";
  }
  return NULL;
}

static const char *cut_axis(const weft_shape *x, int64_t axis, int64_t begin, int64_t step, copy *c) {
  size_t a;
  if (!move_axis_of(axis, x->rank, &a) || !step)
    return "an axis outside the rank, or a step of 0";
  const int64_t have = x->dim[a];
  const int64_t most = step < 0 ? have - 1 : have;
  int64_t b = begin < 0 ? begin + have : begin;
  b = WEFT_MAX(WEFT_MIN(b, most), 0);
  if (!c->dim[a])
    return NULL;
  if (b >= have)
    return "a cut that begins behind the end";
  c->from.at += (size_t)b * c->from.stride[a];
  c->from.stride[a] *= (size_t)step;  // modulo 2^64: backwards works out
  return NULL;
}

static void strided_slice(draft *d, const weft_tiling *t) {
  const weft_shape *x = &t->in[0]->origin;
  const weft_shape *y = &t->out[0]->origin;
  cuts s;
  copy c;
  d->why = read_cuts(t, &s);
  if (d->why)
    return;
  copy_between(x, y, y, &c);
  for (int i = 0; i < s.n && !d->why; i++)
    d->why = cut_axis(x, s.axes[i], s.begin[i], s.steps[i], &c);
  move_add(d, &c);
}

static void reverse(draft *d, const weft_tiling *t) {
  int64_t axes[WEFT_MAX_RANK];
  const weft_shape *x = &t->in[0]->origin;
  copy c;
  int n = weft__rows_ints(t, 1, axes, WEFT_MAX_RANK);
  if (n < 0)
    d->why = "the axes are not known";
  copy_between(x, x, x, &c);
  for (int i = 0; i < n; i++) {
    size_t a;
    if (!move_axis_of(axes[i], x->rank, &a))
      d->why = "an axis outside the rank";
    if (d->why)
      return;
    c.from.at += (c.dim[a] - 1) * c.from.stride[a];  // modulo 2^64, as the strides; nothing is read if empty
    c.from.stride[a] = 0 - c.from.stride[a];
  }
  move_add(d, &c);
}

// Channels become blocks of b x b pixels, or the other way round: on the side of the pixels rows and columns
// are (pixel, place in the block), on the other one channels are (row in the block, column in the block,
// channel), or with mode CRD (channel, row, column).
static void blocks_of_pixels(draft *d, const weft_tiling *t) {
  enum { N, H, W, C, ROW, COLUMN, LOOPS };
  const bool spreads = !strcmp(t->desc->type, "DepthToSpace");
  const char *mode = weft_node_str(
      t->desc, spreads ? (uint32_t)WEFT_SLOT_DEPTH_TO_SPACE_MODE : (uint32_t)WEFT_SLOT_SPACE_TO_DEPTH_MODE);
  const char *format = weft_node_str(t->desc, spreads ? (uint32_t)WEFT_SLOT_DEPTH_TO_SPACE_DATA_FORMAT
                                                      : (uint32_t)WEFT_SLOT_SPACE_TO_DEPTH_DATA_FORMAT);
  _Static_assert((int)WEFT_SLOT_DEPTH_TO_SPACE_BLOCK_SIZE == (int)WEFT_SLOT_SPACE_TO_DEPTH_BLOCK_SIZE,
                 "one slot for both");
  const weft_image image = weft__image_axes(format);
  const bool front = image.c == 1;
  const weft_layout *pixels = spreads ? t->out[0] : t->in[0];
  const weft_layout *packed = spreads ? t->in[0] : t->out[0];
  const size_t b = (size_t)weft_node_int(t->desc, WEFT_SLOT_DEPTH_TO_SPACE_BLOCK_SIZE);
  const size_t place[] = {image.n, image.h, image.w, image.c};
  view fine;
  view coarse;
  copy c = {.rank = LOOPS};
  size_t size[LOOPS] = {[ROW] = b, [COLUMN] = b};
  size_t at[LOOPS];
  size_t far[LOOPS];
  size_t n = 0;
  if (packed->origin.rank != 4 || pixels->origin.rank != 4)
    d->why = "a rank other than 4";
  if (d->why)
    return;
  full(&pixels->origin, &fine);
  full(&packed->origin, &coarse);
  for (int i = N; i <= C; i++) {
    const bool cut = i == H || i == W;
    size[i] = (size_t)(cut ? packed : pixels)->origin.dim[place[i]];
    at[i] = fine.stride[place[i]] * (cut ? b : 1);
    far[i] = coarse.stride[place[i]];
  }
  at[ROW] = fine.stride[place[H]];
  at[COLUMN] = fine.stride[place[W]];
  const weft_block_steps steps = weft__block_steps(b, size[C], weft__block_is_fast(mode));
  far[ROW] = far[C] * steps.row;
  far[COLUMN] = far[C] * steps.column;
  far[C] *= steps.channel;
  static const uint8_t orders[2][2][LOOPS] = {{{N, H, W, ROW, COLUMN, C}, {N, ROW, COLUMN, C, H, W}},
                                              {{N, H, ROW, W, COLUMN, C}, {N, C, H, ROW, W, COLUMN}}};
  for (const uint8_t *k = orders[spreads][front]; n < LOOPS; n++, k++) {
    c.dim[n] = size[*k];
    c.from.stride[n] = (spreads ? far : at)[*k];
    c.to.stride[n] = (spreads ? at : far)[*k];
  }
  move_add(d, &c);
}

typedef void (*build_fn)(draft *d, const weft_tiling *t);
static const char *move_build(const weft_tiling *t, build_fn f, uint32_t data_in, plan *p, size_t cap) {
  if (t->n_in <= data_in || !t->n_out)
    return "inputs or outputs are missing";
  uint32_t bytes;
  const char *no = weft__rows_whole(t, data_in, &bytes);
  if (no)
    return no;
  weft_dtype type = t->in_dtype[data_in];
  for (uint32_t i = 0; i < t->n_out; i++) {
    if (t->out_dtype[i] != type)
      return "another dtype comes out";
  }
  memset(p, 0, sizeof *p);
  p->n_in = t->n_in;
  p->bytes = bytes;
  p->vec = weft__move_find(t->host);
  draft d = {p, cap, NULL};
  f(&d, t);
  return d.why;
}

static bool is_long(const weft_tiling *t, const plan *p, const part *q) {
  const weft_shape *y = &t->out[q->out]->origin;
  const uint32_t last = q->axes - 1;
  if (q->axes > 2 || q->from[last] != 1 || q->to[last] != 1)
    return false;
  return weft__rows_prod(y, 0, y->rank) * p->bytes >= 2 * weft__cpu_cache(2) &&
         q->dim[last] * p->bytes >= STREAMED;
}

// Where are the numbers of a part, and into how many blocks is it cut?
static weft_status move_finish(weft_tiling *t, plan *p) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->parts; i++) {
    part *q = &p->part[i];
    size_t rest = 1;
    if (!weft__move_neighbours(q) && q->dim[0] < FEW_COLUMNS)
      q->cut = q->axes - 1;  // they are turned together
    for (uint32_t k = 0; k < q->axes; k++)
      rest *= k == q->cut ? 1 : q->dim[k];
    q->first_block = n;
    q->streams = is_long(t, p, q);
    q->blocks = weft__rows_blocks(q->dim[q->cut], 5 + (double)rest * p->bytes * 0.06, &q->per);
    n += q->blocks;
  }
  t->blocks = n;
  t->data_bytes = sizeof *p + p->parts * sizeof(part);
  return WEFT_OK;
}

// bytes: room for the parts; a graph has many of these.
#define KERNEL(id, name, f, data_in, room)                                                  \
  static const char *refuse_##id(const weft_tiling *t) {                                    \
    _Alignas(plan) char space[room];                                                        \
    return move_build(t, f, data_in, (plan *)(void *)space, room);                          \
  }                                                                                         \
  static weft_status tile_##id(weft_tiling *t) {                                            \
    const char *why = move_build(t, f, data_in, t->data, room);                             \
    return why ? t->host->fail(t->d, WEFT_E_KERNEL, "%s", why) : move_finish(t, t->data);   \
  }                                                                                         \
  const weft_kernel weft__kernel_##id = {sizeof(weft_kernel), name, "cpu", "move",    room, \
                                         refuse_##id,         NULL, NULL,  tile_##id, weft__move_run}
enum {
  ONE = sizeof(plan) + sizeof(part),
  FEW = sizeof(plan) + 8 * sizeof(part),
  MANY = sizeof(plan) + PARTS * sizeof(part),
  MOST = sizeof(plan) + MOST_PARTS * sizeof(part)  // asked when those of MANY refuse
};
KERNEL(transpose, "Transpose", transpose, 0, ONE);
KERNEL(transpose_d, "TransposeD", transpose, 0, ONE);
KERNEL(move_expand, "Expand", move_expand, 0, ONE);
KERNEL(broadcast_to, "BroadcastTo", move_expand, 0, ONE);
KERNEL(tile_repeat, "Tile", tile_op, 0, ONE);
KERNEL(concat, "Concat", concat, 1, MANY);
KERNEL(concat_d, "ConcatD", concat, 0, MANY);
KERNEL(concat_v2, "ConcatV2", concat, 0, MANY);
KERNEL(concat_wide, "ConcatV2", concat, 0, MOST);
KERNEL(concat_wide_d, "ConcatD", concat, 0, MOST);
KERNEL(move_split, "Split", move_split, 1, FEW);
KERNEL(split_d, "SplitD", move_split, 0, FEW);
KERNEL(split_v, "SplitV", move_split, 0, FEW);
KERNEL(move_slice, "Slice", move_slice, 0, ONE);
KERNEL(strided_slice_v2, "StridedSliceV2", strided_slice, 0, ONE);
KERNEL(reverse, "ReverseV2", reverse, 0, ONE);
KERNEL(depth_to_space, "DepthToSpace", blocks_of_pixels, 0, ONE);
KERNEL(space_to_depth, "SpaceToDepth", blocks_of_pixels, 0, ONE);
// SPDX-License-Identifier: Apache-2.0
