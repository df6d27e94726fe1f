// ops/image/box_losses.c - overlaps of boxes that boxes apart still differ in, and their gradients.
// AscendIR GIoU, DIoU, CIoU, GIoUGrad, DIoUGrad, CIoUGrad. Boxes are columns: [4, boxes], as x1, y1, x2, y2,
// or (trans) centre, width, height. is_cross gives [ground truths, boxes], otherwise [1, boxes]. The
// intersection over the union (iof: over the ground truth), less (G) what a box around both has beyond them
// in parts of it, or (D) the centres' distance in parts of its diagonal, squared, and (C) what the ratios of
// sides differ in. Derivatives come with the numbers: a number and its slopes along the eight of two boxes.
#include "arrays.h"
#include "dims_move.h"
#include "op/air_rows.h"
#include "op/named.h"

typedef enum { BOXES_G, BOXES_D, BOXES_C } boxes_what;
typedef struct boxes_op {
  boxes_what what;
  bool back;
} boxes_op;

// ---- numbers with slopes ----
typedef struct slopes {
  double v, d[8];
} slopes;
static slopes slopes_of(double v) {
  return (slopes){.v = v};
}
static slopes slopes_sum(slopes a, double k, slopes b) {  // a + k b
  a.v += k * b.v;
  for (int i = 0; i < 8; i++)
    a.d[i] += k * b.d[i];
  return a;
}
static slopes slopes_times(slopes a, slopes b) {
  slopes r = {.v = a.v * b.v};
  for (int i = 0; i < 8; i++)
    r.d[i] = a.d[i] * b.v + a.v * b.d[i];
  return r;
}
static slopes slopes_over(slopes a, slopes b) {
  slopes r = {.v = a.v / b.v};
  for (int i = 0; i < 8; i++)
    r.d[i] = (a.d[i] - r.v * b.d[i]) / b.v;
  return r;
}
static slopes slopes_least(slopes a, slopes b) {
  return b.v < a.v ? b : a;
}
static slopes slopes_most(slopes a, slopes b) {
  return b.v > a.v ? b : a;
}
static slopes slopes_atan(slopes a) {
  slopes r = {.v = atan(a.v)};
  for (int i = 0; i < 8; i++)
    r.d[i] = a.d[i] / (1 + a.v * a.v);
  return r;
}

// ---- one pair ----
typedef struct boxes_side {
  slopes from[2], to[2], size[2];
} boxes_side;
static boxes_side boxes_side_of(const double b[4], int first, bool centred) {
  boxes_side r;
  for (int i = 0; i < 2; i++) {
    slopes low = {.v = b[i]};
    slopes high = {.v = b[2 + i]};
    low.d[first + i] = 1;
    high.d[first + 2 + i] = 1;
    r.from[i] = centred ? slopes_sum(low, -0.5, high) : low;
    r.to[i] = centred ? slopes_sum(low, 0.5, high) : high;
    r.size[i] = slopes_sum(r.to[i], -1, r.from[i]);
  }
  return r;
}
static slopes boxes_ratio(const boxes_side *a, const boxes_side *b) {
  const double eps = 1e-9;
  slopes own = slopes_atan(slopes_over(a->size[0], slopes_sum(a->size[1], 1, slopes_of(eps))));
  slopes want = slopes_atan(slopes_over(b->size[0], slopes_sum(b->size[1], 1, slopes_of(eps))));
  return slopes_sum(want, -1, own);
}
static slopes boxes_overlap(boxes_what what, bool over_truth, const boxes_side *a, const boxes_side *b,
                            double *ratio) {
  const slopes eps = slopes_of(1e-9);
  const double pi = 3.14159265358979323846;
  slopes both[2];
  slopes around[2];
  slopes apart[2];
  for (int i = 0; i < 2; i++) {
    slopes end = slopes_least(a->to[i], b->to[i]);
    both[i] = slopes_most(slopes_of(0), slopes_sum(end, -1, slopes_most(a->from[i], b->from[i])));
    end = slopes_most(a->to[i], b->to[i]);
    around[i] = slopes_sum(end, -1, slopes_least(a->from[i], b->from[i]));
    apart[i] = slopes_sum(slopes_sum(a->from[i], 1, a->to[i]), -1, slopes_sum(b->from[i], 1, b->to[i]));
  }
  slopes common = slopes_times(both[0], both[1]);
  slopes truth = slopes_times(b->size[0], b->size[1]);
  slopes all = slopes_sum(slopes_sum(slopes_times(a->size[0], a->size[1]), 1, truth), -1, common);
  slopes iou = slopes_over(common, slopes_sum(over_truth ? truth : all, 1, eps));
  if (what == BOXES_G) {
    slopes box = slopes_sum(slopes_times(around[0], around[1]), 1, eps);
    return slopes_sum(iou, -1, slopes_over(slopes_sum(box, -1, all), box));
  }
  slopes far = slopes_sum(slopes_times(apart[0], apart[0]), 1, slopes_times(apart[1], apart[1]));
  slopes diagonal = slopes_sum(slopes_times(around[0], around[0]), 1, slopes_times(around[1], around[1]));
  slopes r = slopes_sum(iou, -0.25, slopes_over(far, slopes_sum(diagonal, 1, eps)));
  if (what == BOXES_D)
    return r;
  slopes gap = boxes_ratio(a, b);
  slopes v = slopes_times(slopes_times(gap, gap), slopes_of(4 / (pi * pi)));
  *ratio = gap.v;
  return slopes_sum(r, -(v.v / (1 - iou.v + v.v + 1e-9)), v);  // its factor counts as a constant
}

// ---- all pairs ----
static weft_status boxes_infer(weft_infer *it) {
  const boxes_op *k = it->desc->op->user;
  const weft_shape *s[2] = {it->in[k->back], it->in[k->back + 1]};
  bool cross = weft__flag_named(it->desc, "is_cross");
  weft_dim n[2] = {-1, -1};
  weft_dim same;
  for (uint32_t i = 0; i < 2; i++) {
    WEFT_TRY(weft__expect_rank(it, i + k->back, 2, 2));
    if (weft_shape_is_unknown_rank(s[i]))
      continue;
    n[i] = s[i]->dim[1];
    WEFT_TRY(weft__merge_dim(it, 4, s[i]->dim[0], "numbers of a box", &same));
  }
  if (!cross) {
    WEFT_TRY(weft__merge_dim(it, n[0], n[1], "boxes and ground truths", &n[0]));
    n[1] = 1;
  }
  if (k->back) {
    weft_shape_copy(it->out[0], s[0]);
    weft_shape_copy(it->out[1], s[1]);
    for (uint32_t i = 0; i < it->n_in; i += 3) {
      WEFT_TRY(weft__expect_rank(it, i, 1, 2));
      const weft_shape *g = it->in[i];
      if (weft_shape_is_unknown_rank(g))
        continue;
      WEFT_TRY(weft__merge_dim(it, n[0], g->dim[g->rank - 1], "boxes and gradients", &same));
      WEFT_TRY(weft__merge_dim(it, n[1], g->rank == 2 ? g->dim[0] : 1, "ground truths and gradients", &same));
    }
    return WEFT_OK;
  }
  for (uint32_t i = 0; i < it->n_out; i++)
    WEFT_TRY(weft_set_out_shape(it, i, (weft_dim[2]){n[1], n[0]}, 2));
  return WEFT_OK;
}

typedef struct boxes_run {
  const weft_call *c;
  boxes_op k;
  size_t n[2];
  const double *b[2], *g;
  double *d[2];
} boxes_run;
static void boxes_pair(boxes_run *r, size_t at, const size_t box[2]) {
  const weft_op_desc *n = r->c->desc;
  boxes_side side[2];
  double ratio = 0;
  for (size_t i = 0; i < 2; i++) {
    double b[4];
    for (size_t j = 0; j < 4; j++)
      b[j] = r->b[i][j * r->n[i] + box[i]];
    side[i] = boxes_side_of(b, 4 * (int)i, weft__flag_named(n, "trans"));
  }
  bool over_truth = !strcmp(weft__text_named(n, "mode"), "iof");
  const slopes v = boxes_overlap(r->k.what, over_truth, &side[0], &side[1], &ratio);
  if (r->k.back) {
    for (size_t j = 0; j < 8; j++)
      r->d[j / 4][j % 4 * r->n[j / 4] + box[j / 4]] += r->g[at] * v.d[j];
    return;
  }
  weft_tensor *const *out = r->c->out;
  if (out[0])
    weft_store_f64(out[0]->dtype, out[0]->data, at, v.v);
  if (r->k.what == BOXES_C && out[1])
    weft_store_f64(out[1]->dtype, out[1]->data, at, ratio);
}
static weft_status boxes_ref(const weft_call *c) {
  boxes_run r = {.c = c, .k = *(const boxes_op *)c->desc->op->user};
  bool cross = weft__flag_named(c->desc, "is_cross");
  double *v;
  for (size_t i = 0; i < 2; i++) {
    const weft_tensor *t = c->in[i + r.k.back];
    void *space;
    WEFT_TRY(weft__load_f64s(c, t, &v));
    r.b[i] = v;
    r.n[i] = (size_t)t->layout.origin.dim[1];
    WEFT_TRY(weft__scratch(c, weft__elems(&t->layout.origin), &space));
    r.d[i] = memset(space, 0, weft__elems(&t->layout.origin) * sizeof(double));
  }
  if (r.k.back) {
    WEFT_TRY(weft__load_f64s(c, c->in[0], &v));
    r.g = v;
  }
  size_t truths = cross ? r.n[1] : 1;
  for (size_t i = 0; i < truths; i++) {
    for (size_t k = 0; k < r.n[0]; k++) {
      WEFT_TRY(weft__poll_at(c, k));
      boxes_pair(&r, i * r.n[0] + k, (const size_t[2]){k, cross ? i : k});
    }
    WEFT_TRY(weft__poll_at(c, i));
  }
  for (size_t i = 0; i < 2 && r.k.back; i++) {
    weft_tensor *y = c->out[i];
    for (size_t k = 0; y && k < 4 * r.n[i]; k++) {
      WEFT_TRY(weft__poll_at(c, k));
      weft_store_f64(y->dtype, y->data, k, r.d[i][k]);
    }
  }
  return WEFT_OK;
}

#define BOXES(op_name, says, what, back, ...)                                                           \
  {                                                                                                     \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = boxes_infer, .ref = boxes_ref,  \
    .like = "bboxes", .user = (&(const boxes_op){what, back}), .examples = WEFT_EXAMPLES(__VA_ARGS__)   \
  }
#define APART "f32[4,1]{0,0,2,2}, f32[4,1]{1,-1,4,3}"
#define PAIR "f32[4,1]{0,0,2,2}, f32[4,1]{0,0,1,2}"

WEFT_ROWS(box_losses) = {
    BOXES("GIoU", "overlaps of boxes, less what is around both", BOXES_G, false, PAIR " -> f32[1,1]{0.5}",
          "f32[4,1]{0,0,1,1}, f32[4,1]{1,1,2,2} -> f32[1,1]{-0.5}",
          "f32[4,1]{1,1,2,2}, f32[4,1]{0.5,1,1,2} trans=true is_cross=false -> f32[1,1]{0.5}",
          "f32[4,N], f32[4,M] -> f32[M,N]", "f32[5,2], f32[4,2] !! E_SHAPE 4 and 5 differ"),
    BOXES("DIoU", "overlaps of boxes, less the distance of centres", BOXES_D, false,
          PAIR " -> f32[1,1]{0.46875}"),
    BOXES("CIoU", "overlaps of boxes, less distance and ratios", BOXES_C, false,
          PAIR " -> f32[1,1]{0.465502}, f32[1,1]{-0.321751} ~1e-4"),
    BOXES("GIoUGrad", "gradients of GIoU", BOXES_G, true,
          "f32[1,1]{1}, " APART " -> f32[4,1]{0.114158,-0.123724,0.142857,0.123724}, "
          "f32[4,1]{-0.247449,0.061862,-0.009566,-0.061862} ~1e-4"),
    BOXES("DIoUGrad", "gradients of DIoU", BOXES_D, true,
          "f32[1,1]{1}, " APART " -> f32[4,1]{0.049705,-0.061224,0.189732,0.061224}, "
          "f32[4,1]{-0.169324,0.013034,-0.070113,-0.013034} ~1e-4",
          "f32[3,5], f32[4,5], f32[4,2] -> _, _ !! E_SHAPE 2 and 3 differ",
          "f32[1,N], f32[4,N], f32[4,N] is_cross=false -> f32[4,N], f32[4,N]"),
    BOXES("CIoUGrad", "gradients of CIoU", BOXES_C, true,
          "f32[1,N], f32[4,N], f32[4,N], f32[1,N] is_cross=false -> f32[4,N], f32[4,N]"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
