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

static const rule *product_rule(const rule *list, size_t n, const char *op) {
  for (size_t i = 0; i < n; i++) {
    if (list[i].op[0] == op[0] && !strcmp(list[i].op, op))
      return &list[i];  // it is asked often
  }
  return NULL;
}

// Does operator k of the region take what the one before it gives, once, and nothing else of the region?
static bool continues_chain(const weft_region_node *n, uint32_t k) {
  const bool any_order = !strcmp(n->desc->type, "Add");
  uint32_t chained = 0;
  for (uint32_t i = 0; i < n->desc->n_in; i++) {
    const bool given_in = n->in[i] < 0;
    if (given_in)
      continue;
    const bool from_last = n->in[i] == (int32_t)k - 1;
    const bool place_fits = i == 0 || any_order;
    if (!from_last || !place_fits)
      return false;
    chained++;
  }
  return chained == (k ? 1 : 0);
}

const char *weft__product_region_refuse(const weft_region *r) {
  const bool right_size = r->n_nodes >= 1 && r->n_nodes <= MOST_OPERATORS + 1;
  if (r->n_out != 1 || !right_size)
    return "needs 1 to 11 operators, one output";
  if (!product_rule(firsts, WEFT_COUNT(firsts), r->node[0].desc->type))
    return "begins with no product or convolution";
  if (r->out[0] != (int32_t)r->n_nodes - 1)
    return "the output is not that of the last operator";
  for (uint32_t k = 0; k < r->n_nodes; k++) {
    const weft_region_node *n = &r->node[k];
    if (k && !product_rule(others, WEFT_COUNT(others), n->desc->type))
      return "has an operator that is no step after a product";
    if (n->dtype != WEFT_FLOAT)
      return "needs float all through";
    if (!continues_chain(n, k))
      return "is no chain";
  }
  return NULL;
}

static weft__product_family family_of(int kind) {
  static const weft__product_family families[] = {[WEFT__PRODUCT_MATMUL] = WEFT__PRODUCTS,
                                                  [WEFT__PRODUCT_GEMM] = WEFT__PRODUCTS,
                                                  [WEFT__PRODUCT_CONV] = WEFT__CONVOLUTIONS,
                                                  [WEFT__PRODUCT_CONV2D] = WEFT__CONVOLUTIONS,
                                                  [WEFT__PRODUCT_CONV_TRANSPOSE] = WEFT__TRANSPOSED};
  return families[kind];
}

const char *weft__product_find(const weft_tiling *t, weft__product_family family, weft__product *out) {
  return weft__product_find_of(t, WEFT_FLOAT, family, out);
}

static bool all_of_type(const weft_tiling *t, weft_dtype type) {
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (t->in_dtype[i] != type)
      return false;
  }
  return t->n_out == 1 && t->out_dtype[0] == type;
}

// Where the launch has the operands of the operator in front. `first`: its node; NULL: it is alone.
static const char *find_operands(const weft_tiling *t, const weft_region_node *first, weft__product *out) {
  for (uint32_t p = 0; p < WEFT__PRODUCT_IN; p++) {
    const int64_t i = weft_port_in(out->desc, p, 0);
    const bool renamed = first && i >= 0;
    out->arg[p] = renamed ? -1 - (int64_t)first->in[i] : i;
    if (out->arg[p] >= (int64_t)t->n_in)
      return "has inputs that are not there";
    if (out->arg[p] >= 0)
      out->shape[p] = &t->in[out->arg[p]]->origin;
  }
  return out->arg[0] < 0 || out->arg[1] < 0 ? "has no inputs" : NULL;
}

const char *weft__product_find_of(const weft_tiling *t, weft_dtype type, weft__product_family family,
                                  weft__product *out) {
  static const char *const no[] = {"begins with no product", "begins with no convolution",
                                   "begins with no transposed convolution"};
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
  const rule *r = product_rule(firsts, WEFT_COUNT(firsts), out->desc->type);
  if (!r)
    return "is no product or convolution";
  out->kind = r->kind;
  if (family_of(out->kind) != family)
    return no[family];
  if (!all_of_type(t, type))
    return type == WEFT_FLOAT ? "needs float" : "needs one type all through";
  out->y = &t->out[0]->origin;
  return find_operands(t, first, out);
}

bool weft__product_known(const weft_tiling *t) {
  for (uint32_t i = 0; i < t->n_in; i++) {
    if (!weft_shape_is_known(&t->in[i]->origin))
      return false;
  }
  return weft_shape_is_known(&t->out[0]->origin);
}

// The value of argument `arg` when it is one number that does not change; NULL: it is not.
static const weft_tensor *single_number(const weft_tiling *t, int64_t arg) {
  const bool there = arg >= 0 && arg < (int64_t)t->n_in;
  const weft_tensor *v = there ? t->value[arg] : NULL;
  if (!v || !v->data)
    return NULL;
  const bool number = (WEFT_NUMBERS & WEFT_BIT(v->dtype)) != 0;
  return number && weft_tensor_elems(v) == 1 ? v : NULL;
}

bool weft__product_number(const weft_tiling *t, int64_t arg, float *out) {
  const weft_tensor *v = single_number(t, arg);
  if (!v)
    return false;
  const double x = weft_load_f64(v->dtype, v->data, 0);
  *out = (float)x;
  if (weft_dtype_is_integer(v->dtype))
    return x > -0x1p24 && x < 0x1p24;
  const bool exact = (double)*out == x || isnan(x);
  return exact || v->dtype != WEFT_DOUBLE;
}

static size_t elems(const weft_shape *s, size_t from, size_t to) {
  size_t n = 1;
  for (size_t i = from; i < to; i++)
    n *= (size_t)s->dim[i];
  return n;
}

// How an operand, broadcast to y, lies over some dims of y.
typedef enum { COVERS_ONE, COVERS_ALL, COVERS_PART } cover;

// Over dims [from, to). A dim that is not known yet may be either; one with a name is what has this name.
static cover covers(const weft_shape *s, const weft_shape *y, size_t from, size_t to) {
  bool all = true;
  bool one = true;
  for (size_t i = from; i < to; i++) {
    size_t missing = y->rank - s->rank;
    weft_dim d = i < missing ? 1 : s->dim[i - missing];
    bool open = d == WEFT_DIM_UNKNOWN || y->dim[i] == WEFT_DIM_UNKNOWN;
    all &= open || d == y->dim[i];
    one &= open || d == 1;
  }
  if (one)
    return COVERS_ONE;
  return all ? COVERS_ALL : COVERS_PART;
}

static const char *product_add(const weft_tiling *t, int64_t arg, float factor, const weft_shape *y,
                               weft__view v, weft__epilogue *e) {
  const weft_shape *s = &t->in[arg]->origin;
  if (s->rank > y->rank)
    return "an addition changes the shape";
  const size_t inner = v.batch + v.row;
  const cover batch = covers(s, y, 0, v.batch);
  const cover row = covers(s, y, v.batch, inner);
  const cover col = covers(s, y, inner, y->rank);
  const bool part_of_outer = batch == COVERS_PART || row == COVERS_PART;
  if (part_of_outer || col == COVERS_PART)
    return "adds a tensor that is broadcast along a part of the axes";
  const size_t cols = col == COVERS_ALL ? elems(y, inner, y->rank) : 1;
  const size_t rows = row == COVERS_ALL ? elems(y, v.batch, inner) : 1;
  e->step[e->n++] = (weft__step){.kind = WEFT__STEP_ADD,
                                 .arg = (uint32_t)arg,
                                 .p = factor,
                                 .by_col = col == COVERS_ALL,
                                 .by_row = row == COVERS_ALL ? cols : 0,
                                 .by_batch = batch == COVERS_ALL ? rows * cols : 0};
  return NULL;
}

// BiasAdd and the bias of a convolution: one number a channel.
static const char *add_channel(const weft_tiling *t, int64_t arg, const weft_shape *y, weft__view v,
                               weft__epilogue *e) {
  const weft_shape *s = &t->in[arg]->origin;
  const bool channels_second = v.batch == 1 && v.row == 1;
  const bool one_each = s->rank == 1 && s->dim[0] == y->dim[1];
  if (!channels_second || !one_each)
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
  const bool constant = weft__product_number(t, -1 - (int64_t)n->in[1], &s->p) &&
                        weft__product_number(t, -1 - (int64_t)n->in[2], &s->q);
  const bool numbers = constant && !isnan(s->p) && !isnan(s->q);
  return numbers ? NULL : "clips to bounds that are no constant numbers";
}

static const char *add_step(const weft_tiling *t, const weft_region_node *n, const weft_shape *y,
                            weft__view v, weft__epilogue *e) {
  const int64_t arg = -1 - (int64_t)(n->in[0] < 0 ? n->in[0] : n->in[1]);
  if (!strcmp(n->desc->type, "Add"))
    return product_add(t, arg, 1, y, v, e);
  const char *format = weft_node_str(n->desc, WEFT_SLOT_BIAS_ADD_DATA_FORMAT);
  if (!format || strcmp(format, "NCHW") != 0)
    return "adds a bias to the last axis";
  return add_channel(t, arg, y, v, e);
}

static bool is_tanh_form(const weft_op_desc *gelu) {
  const char *form = weft_node_str(gelu, WEFT_SLOT_GELU_APPROXIMATE);
  return form && form[0] == 't';
}

// What attributes make of a step.
static void read_attributes(const weft_op_desc *n, weft__step *s) {
  switch (s->kind) {
    case WEFT__STEP_GELU:
      s->kind = is_tanh_form(n) ? WEFT__STEP_GELU_TANH : WEFT__STEP_GELU;
      break;
    case WEFT__STEP_HARD_SIGMOID:
      s->q = weft_node_float(n, WEFT_SLOT_HARD_SIGMOID_BETA);
      s->p = weft_node_float(n, WEFT_SLOT_HARD_SIGMOID_ALPHA);
      break;
    case WEFT__STEP_LEAKY:
      s->p = weft_node_float(n, WEFT_SLOT_LEAKY_RELU_NEGATIVE_SLOPE);
      break;
    case WEFT__STEP_SWISH:
      s->p = weft_node_float(n, WEFT_SLOT_SWISH_SCALE);
      break;
    default:  // has no attributes
      break;
  }
}

static const char *product_one_step(const weft_tiling *t, const weft_region_node *n, const weft_shape *y,
                                    weft__view v, weft__epilogue *e) {
  const rule *r = product_rule(others, WEFT_COUNT(others), n->desc->type);
  weft__step s = {.kind = r->kind};
  if (r->kind == WEFT__STEP_ADD)
    return add_step(t, n, y, v, e);
  if (r->kind == WEFT__STEP_CLIP) {
    const char *no = clip(t, n, &s);
    if (no)
      return no;
  }
  read_attributes(n->desc, &s);
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
    return product_add(t, p->arg[2], beta, p->y, v, e);
  }
  if (p->arg[2] < 0)
    return NULL;
  if (p->kind == WEFT__PRODUCT_MATMUL)
    return product_add(t, p->arg[2], 1, p->y, v, e);
  return add_channel(t, p->arg[2], p->y, v, e);
}

// Is step k there, and of this kind?
static bool is_step(const weft__epilogue *e, uint32_t k, uint8_t kind) {
  return k < e->n && e->step[k].kind == kind;
}

const char *weft__product_epilogue(const weft_tiling *t, const weft__product *p, weft__view v,
                                   weft__epilogue *out) {
  out->n = out->direct = 0;
  const char *no = own_steps(t, p, v, out);
  for (uint32_t k = 1; t->region && !no && k < t->region->n_nodes; k++)
    no = product_one_step(t, &t->region->node[k], p->y, v, out);
  while (is_step(out, out->direct, WEFT__STEP_ADD))
    out->direct++;
  if (is_step(out, out->direct, WEFT__STEP_CLIP))
    out->direct++;
  return no;
}

bool weft__epilogue_plain(const weft__epilogue *e, int *out_bias, int *out_clip) {
  uint32_t k = 0;
  *out_bias = *out_clip = -1;
  if (is_step(e, k, WEFT__STEP_ADD)) {
    const bool a_number_a_channel = !e->step[k].by_col && !e->step[k].by_batch;
    if (!a_number_a_channel)
      return false;
    *out_bias = (int)k++;
  }
  if (is_step(e, k, WEFT__STEP_CLIP))
    *out_clip = (int)k++;
  return k == e->n;
}

uint32_t weft__product_blocks(double flops, double bytes, size_t units) {
  const double want = WEFT_MAX(flops / 7.5e5, bytes / 1e5);
  const double least = WEFT_MAX(want, 1);
  size_t n = (size_t)WEFT_MIN(least, 64);
  if (n > 1)
    n = (n + 7) / 8 * 8;  // a number that most numbers of threads divide
  const bool few_units = units <= 64 && units < 4 * n;
  if (n > 1 && few_units)
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
