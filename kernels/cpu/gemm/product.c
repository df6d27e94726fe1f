// product.c - reads products, convolutions and the regions that begin with one.
#include "cpu/gemm/product.h"

#include <math.h>

#include "cpu/gemm/regions.h"
#include "op_slots.h"

enum { MOST_OPERATORS = 10 };

typedef struct rule {
  const char *op;
  uint8_t kind;
} rule;
static const rule firsts[] = {{"BatchMatMulV2", WEFT__PRODUCT_MATMUL},
                              {"Conv", WEFT__PRODUCT_CONV},
                              {"Conv2D", WEFT__PRODUCT_CONV2D},
                              {"ConvTranspose", WEFT__PRODUCT_CONV_TRANSPOSE},
                              {"GEMM", WEFT__PRODUCT_GEMM},
                              {"MatMulV2", WEFT__PRODUCT_MATMUL}};
static const rule others[] = {{"Add", WEFT__STEP_ADD},
                              {"BiasAdd", WEFT__STEP_ADD},
                              {"ClipByValue", WEFT__STEP_CLIP},
                              {"ClipByValueV2", WEFT__STEP_CLIP},
                              {"Gelu", WEFT__STEP_GELU},
                              {"HardSigmoid", WEFT__STEP_HARD_SIGMOID},
                              {"HardSwish", WEFT__STEP_HARD_SWISH},
                              {"LeakyRelu", WEFT__STEP_LEAKY},
                              {"Relu", WEFT__STEP_CLIP},
                              {"Relu6", WEFT__STEP_CLIP},
                              {"Sigmoid", WEFT__STEP_SIGMOID},
                              {"Swish", WEFT__STEP_SWISH},
                              {"Tanh", WEFT__STEP_TANH}};

static const rule *find(const rule *list, size_t n, const char *op) {
  for (size_t i = 0; i < n; i++) {
    if (list[i].op[0] == op[0] && !strcmp(list[i].op, op))
      return &list[i];  // it is asked often
  }
  return NULL;
}

const char *weft__product_region_refuse(const weft_region *r) {
  if (r->n_out != 1 || !r->n_nodes || r->n_nodes > MOST_OPERATORS + 1)
    return "needs 1 to 11 operators, one output";
  if (!find(firsts, WEFT_COUNT(firsts), r->node[0].desc->type))
    return "begins with no product or convolution";
  if (r->out[0] != (int32_t)r->n_nodes - 1)
    return "the output is not that of the last operator";
  for (uint32_t k = 0; k < r->n_nodes; k++) {
    const weft_region_node *n = &r->node[k];
    if (k && !find(others, WEFT_COUNT(others), n->desc->type))
      return "has an operator that is no step after a product";
    if (n->dtype != WEFT_FLOAT)
      return "needs float all through";
    uint32_t chained = 0;
    for (uint32_t i = 0; i < n->desc->n_in; i++) {
      if (n->in[i] < 0)
        continue;
      if (n->in[i] != (int32_t)k - 1)
        return "is no chain";
      if (i && strcmp(n->desc->type, "Add"))
        return "is no chain";
      chained++;
    }
    if (chained != (k ? 1 : 0))
      return "is no chain";
  }
  return NULL;
}

static weft__product_family family_of(int kind) {
  if (kind == WEFT__PRODUCT_CONV_TRANSPOSE)
    return WEFT__TRANSPOSED;
  return kind == WEFT__PRODUCT_CONV || kind == WEFT__PRODUCT_CONV2D ? WEFT__CONVOLUTIONS : WEFT__PRODUCTS;
}

const char *weft__product_find(const weft_tiling *t, weft__product_family family, weft__product *out) {
  return weft__product_find_of(t, WEFT_FLOAT, family, out);
}

const char *weft__product_find_of(const weft_tiling *t, weft_dtype type, weft__product_family family,
                                  weft__product *out) {
  static const char *const no[] = {"begins with no product", "begins with no convolution",
                                   "begins with no transposed convolution"};
  const char *other = type == WEFT_FLOAT ? "needs float" : "needs one type all through";
  const weft_region_node *first = NULL;
  memset(out, 0, sizeof *out);
  out->desc = t->desc;
  if (t->region) {
    const char *why = weft__product_region_refuse(t->region);
    if (why)
      return why;
    first = &t->region->node[0];
    out->desc = first->desc;
  }
  const rule *r = find(firsts, WEFT_COUNT(firsts), out->desc->type);
  if (!r)
    return "is no product or convolution";
  out->kind = r->kind;
  if (family_of(out->kind) != family)
    return no[family];
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (t->in_dtype[i] != type)
      return other;
  }
  if (t->n_out != 1 || t->out_dtype[0] != type)
    return other;
  for (uint32_t p = 0; p < WEFT__PRODUCT_IN; p++) {
    int64_t i = weft_port_in(out->desc, p, 0);
    out->arg[p] = i < 0 || !first ? i : -1 - (int64_t)first->in[i];
    if (out->arg[p] >= (int64_t)t->n_in)
      return "has inputs that are not there";
    if (out->arg[p] >= 0)
      out->shape[p] = &t->in[out->arg[p]]->origin;
  }
  if (out->arg[0] < 0 || out->arg[1] < 0)
    return "has no inputs";
  out->y = &t->out[0]->origin;
  return NULL;
}

bool weft__product_known(const weft_tiling *t) {
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (!weft_shape_is_known(&t->in[i]->origin))
      return false;
  }
  return weft_shape_is_known(&t->out[0]->origin);
}

bool weft__product_number(const weft_tiling *t, int64_t arg, float *out) {
  const weft_tensor *v = arg >= 0 && arg < (int64_t)t->n_in ? t->value[arg] : NULL;
  if (!v || !v->data || !(WEFT_NUMBERS & WEFT_BIT(v->dtype)) || weft_tensor_elems(v) != 1)
    return false;
  double x = weft_load_f64(v->dtype, v->data, 0);
  *out = (float)x;
  if (weft_dtype_is_integer(v->dtype))
    return x > -0x1p24 && x < 0x1p24;
  return v->dtype != WEFT_DOUBLE || (double)*out == x || isnan(x);
}

static size_t elems(const weft_shape *s, size_t from, size_t to) {
  size_t n = 1;
  for (size_t i = from; i < to; i++)
    n *= (size_t)s->dim[i];
  return n;
}

// Is the operand, broadcast to y, over dims [from, to) of y all of them (1), one number (0), or neither (-1)?
// A dim that is not known yet may be either; one with a name is what has this name.
static int covers(const weft_shape *s, const weft_shape *y, size_t from, size_t to) {
  bool all = true;
  bool one = true;
  for (size_t i = from; i < to; i++) {
    size_t missing = y->rank - s->rank;
    weft_dim d = i < missing ? 1 : s->dim[i - missing];
    bool open = d == WEFT_DIM_UNKNOWN || y->dim[i] == WEFT_DIM_UNKNOWN;
    all &= open || d == y->dim[i];
    one &= open || d == 1;
  }
  return one ? 0 : all ? 1 : -1;
}

static const char *add(const weft_tiling *t, int64_t arg, float factor, const weft_shape *y, weft__view v,
                       weft__epilogue *e) {
  const weft_shape *s = &t->in[arg]->origin;
  if (s->rank > y->rank)
    return "an addition changes the shape";
  int batch = covers(s, y, 0, v.batch);
  int row = covers(s, y, v.batch, v.batch + v.row);
  int col = covers(s, y, v.batch + v.row, y->rank);
  if (batch < 0 || row < 0 || col < 0)
    return "adds a tensor that is broadcast along a part of the axes";
  size_t cols = col ? elems(y, v.batch + v.row, y->rank) : 1;
  size_t rows = row ? elems(y, v.batch, v.batch + v.row) : 1;
  e->step[e->n++] = (weft__step){.kind = WEFT__STEP_ADD,
                                 .arg = (uint32_t)arg,
                                 .p = factor,
                                 .by_col = (uint8_t)col,
                                 .by_row = row ? cols : 0,
                                 .by_batch = batch ? rows * cols : 0};
  return NULL;
}

// BiasAdd and the bias of a convolution: one number a channel.
static const char *add_channel(const weft_tiling *t, int64_t arg, const weft_shape *y, weft__view v,
                               weft__epilogue *e) {
  const weft_shape *s = &t->in[arg]->origin;
  if (v.batch != 1 || v.row != 1 || s->rank != 1 || s->dim[0] != y->dim[1])
    return "adds no number a channel";
  e->step[e->n++] = (weft__step){.kind = WEFT__STEP_ADD, .arg = (uint32_t)arg, .p = 1, .by_row = 1};
  return NULL;
}

static const char *clip(const weft_tiling *t, const weft_region_node *n, weft__step *s) {
  if (n->desc->n_in == 1) {
    // Relu, Relu6
    s->p = 0;
    s->q = n->desc->type[4] == '6' ? 6.0f : INFINITY;
    return NULL;
  }
  if (!weft__product_number(t, -1 - (int64_t)n->in[1], &s->p) ||
      !weft__product_number(t, -1 - (int64_t)n->in[2], &s->q) || isnan(s->p) || isnan(s->q))
    return "clips to bounds that are no constant numbers";
  return NULL;
}

static const char *one_step(const weft_tiling *t, const weft_region_node *n, const weft_shape *y,
                            weft__view v, weft__epilogue *e) {
  const rule *r = find(others, WEFT_COUNT(others), n->desc->type);
  if (r->kind == WEFT__STEP_ADD) {
    int64_t arg = -1 - (int64_t)(n->in[0] < 0 ? n->in[0] : n->in[1]);
    if (n->desc->type[0] == 'A')
      return add(t, arg, 1, y, v, e);
    const char *format = weft_node_str(n->desc, WEFT_SLOT_BIAS_ADD_DATA_FORMAT);
    return format && !strcmp(format, "NCHW") ? add_channel(t, arg, y, v, e) : "adds a bias to the last axis";
  }
  weft__step s = {.kind = r->kind};
  const char *form;
  switch (r->kind) {
    case WEFT__STEP_CLIP: {
      const char *no = clip(t, n, &s);
      if (no)
        return no;
      break;
    }
    case WEFT__STEP_GELU:
      form = weft_node_str(n->desc, WEFT_SLOT_GELU_APPROXIMATE);
      if (form && form[0] == 't')
        s.kind = WEFT__STEP_GELU_TANH;
      break;
    case WEFT__STEP_HARD_SIGMOID:
      s.q = weft_node_float(n->desc, WEFT_SLOT_HARD_SIGMOID_BETA);
      s.p = weft_node_float(n->desc, WEFT_SLOT_HARD_SIGMOID_ALPHA);
      break;
    case WEFT__STEP_LEAKY:
      s.p = weft_node_float(n->desc, WEFT_SLOT_LEAKY_RELU_NEGATIVE_SLOPE);
      break;
    case WEFT__STEP_SWISH:
      s.p = weft_node_float(n->desc, WEFT_SLOT_SWISH_SCALE);
      break;
    default:  // has no attributes
      break;
  }
  e->step[e->n++] = s;
  return NULL;
}

static const char *own_steps(const weft_tiling *t, const weft__product *p, weft__view v, weft__epilogue *e) {
  if (p->kind == WEFT__PRODUCT_GEMM) {
    float alpha;
    float beta;
    if (!weft__product_number(t, p->arg[3], &alpha) || !weft__product_number(t, p->arg[4], &beta))
      return "needs constant alpha and beta";
    if (alpha != 1)
      e->step[e->n++] = (weft__step){.kind = WEFT__STEP_SCALE, .p = alpha};
    return add(t, p->arg[2], beta, p->y, v, e);
  }
  if (p->arg[2] < 0)
    return NULL;
  return p->kind == WEFT__PRODUCT_MATMUL ? add(t, p->arg[2], 1, p->y, v, e)
                                         : add_channel(t, p->arg[2], p->y, v, e);
}

const char *weft__product_epilogue(const weft_tiling *t, const weft__product *p, weft__view v,
                                   weft__epilogue *out) {
  out->n = out->direct = 0;
  const char *no = own_steps(t, p, v, out);
  for (uint32_t k = 1; t->region && !no && k < t->region->n_nodes; k++)
    no = one_step(t, &t->region->node[k], p->y, v, out);
  while (out->direct < out->n && out->step[out->direct].kind == WEFT__STEP_ADD)
    out->direct++;
  if (out->direct < out->n && out->step[out->direct].kind == WEFT__STEP_CLIP)
    out->direct++;
  return no;
}

bool weft__epilogue_plain(const weft__epilogue *e, int *out_bias, int *out_clip) {
  uint32_t k = 0;
  *out_bias = *out_clip = -1;
  if (k < e->n && e->step[k].kind == WEFT__STEP_ADD && !e->step[k].by_col && !e->step[k].by_batch)
    *out_bias = (int)k++;
  if (k < e->n && e->step[k].kind == WEFT__STEP_CLIP)
    *out_clip = (int)k++;
  return k == e->n;
}

uint32_t weft__product_blocks(double flops, double bytes, size_t units) {
  double want = WEFT_MAX(flops / 7.5e5, bytes / 1e5);
  size_t n = want > 64 ? 64 : want < 1 ? 1 : (size_t)want;
  if (n > 1)
    n = (n + 7) / 8 * 8;  // a number that most numbers of threads divide
  if (n > 1 && units < 4 * n && units <= 64)
    n = units;  // shares of one and of two units are uneven
  return (uint32_t)(n < units ? n : WEFT_MAX(units, 1));
}

// ---- from registers ----
static const float *operand_of(const weft__tile_out *o, const weft__step *s) {
  return (const float *)o->arg[s->arg] + o->batch * s->by_batch + o->row * s->by_row + o->col * s->by_col;
}

weft__rows_out weft__rows_out_of(const weft__tile_out *o, const weft__usual *u) {
  static const float none = 0;
  return (weft__rows_out){.y = o->y,
                          .y_row = o->y_row,
                          .one = u->one ? operand_of(o, u->one) : &none,
                          .all = u->all ? operand_of(o, u->all) : NULL,
                          .one_row = u->one ? u->one->by_row : 0,
                          .all_row = u->all ? u->all->by_row : 0,
                          .low = u->clip ? u->clip->p : -INFINITY,
                          .high = u->clip ? u->clip->q : INFINITY};
}
// SPDX-License-Identifier: Apache-2.0
