// fold_weights.c - what follows a convolution or matrix product channel by channel goes into its weights and
// bias: BatchNorm and BNInference (not training), Mul, Div, Add, Sub and BiasAdd with constants that vary
// along the channels only; zeros padded around the input of a convolution become its pads. y = s (w x + b) +
// t = (s w) x + (s b + t). Not exact: a weight is computed in double and rounded once, which in f16 and bf16
// costs about what rounding the convolution's result would have: a channel whose weights would lose more,
// denormals in f16 for example, stays. The product must be read by nobody else, its weights constant, and no
// finite weight may become infinite: weights are looked at, which for large models is reading them once more,
// where |s| is above 1. What is infinite or NaN before does the same in both forms.
#include "affine.h"
#include "base/allocated.h"

#include <math.h>

#include "tensor/tensor.h"
#include "nn/mat_mul.rule.h"
#include "op_slots.h"

typedef struct product {
  weft_node *node;
  int kind;
  weft_value *w, *bias;  // bias NULL: none
  uint32_t bias_port;
  size_t w_axis;  // of the output channels in w; ConvTranspose: of those of one group
  size_t y_axis;  // in the result
  size_t channels, groups;
} product;

// ---- the product ----

static int64_t group_of(const weft_node *n, const char *name) {
  const weft_attr *a = weft_node_attr(n, name);
  return a ? a->u.i : 1;
}

// Geometry of the node that makes v; false: none that takes part.
static bool find_product(const weft_pass_run *r, const weft_value *v, product *p) {
  weft_node *n = v->node;
  if (!n || !weft__fact_ranked(&v->fact))
    return false;
  *p = (product){.node = n, .kind = weft__kind(r, n), .bias_port = 2, .groups = 1};
  p->w = weft__arg(n, 1);
  size_t rank = p->w ? p->w->fact.rank : 0;
  size_t y_rank = v->fact.rank;
  switch (p->kind) {
    case WEFT_K_CONV:
      p->w_axis = 0;
      p->y_axis = 1;
      break;
    case WEFT_K_CONV2D:
      p->w_axis = weft__is_nhwc(n) ? 3 : 0;
      p->y_axis = weft__is_nhwc(n) ? 3 : 1;
      break;
    case WEFT_K_CONV_TRANSPOSE:
      p->w_axis = 1;
      p->y_axis = 1;
      p->groups = (size_t)group_of(n, "group");
      break;
    case WEFT_K_MAT_MUL:
    case WEFT_K_BATCH_MAT_MUL:
      if (rank < 2 || !y_rank)
        return false;
      p->w_axis = weft_node_bool(&n->desc.pub, WEFT_PRODUCT_TURNS_B) ? rank - 2 : rank - 1;
      p->y_axis = y_rank - 1;
      break;
    default:
      return false;
  }
  if (!weft__fact_known(&p->w->fact) || p->w_axis >= rank || p->y_axis >= y_rank)
    return false;
  p->channels = (size_t)p->w->fact.dims[p->w_axis] * p->groups;
  p->bias = weft__port_arg(n, p->bias_port);
  return true;
}

// ---- new weights ----

// As a number of that dtype.
static double fold_weights_rounded(weft_dtype t, double v) {
  double out;
  weft_store_f64(t, &out, 0, v);
  return weft_load_f64(t, &out, 0);
}
static bool fold_weights_holds(weft_dtype t, double v) {
  return isfinite(fold_weights_rounded(t, v));
}

// What new weights are made of: the ones of the model, and all that was folded into them.
typedef struct recipe {
  const weft_tensor *from;
  double *scale, *largest;  // by channel; the largest magnitude of its old weights, infinite when one is not
                            // finite, -1 when nobody has looked
  size_t inner, dim, groups, per_group, each;  // each: bytes of an element
} recipe;

static size_t fold_weights_channel_of(const recipe *c, size_t row) {
  return row % c->dim + (c->groups > 1 ? row / c->dim / c->per_group * c->dim : 0);
}

// Every weight is rounded once.
static void scale_run(weft_dtype t, const void *from, size_t at, size_t n, double by, void *to) {
  if (t == WEFT_FLOAT) {
    const float *x = (const float *)from + at;
    float *y = (float *)to + at;
    for (size_t i = 0; i < n; i++)
      y[i] = (float)((double)x[i] * by);
  } else {
    for (size_t i = at; i < at + n; i++)
      weft_store_f64(t, to, i, weft_load_f64(t, from, i) * by);
  }
}

static void scale_again(const void *ctx, const void *source, size_t at, size_t bytes, void *to) {
  const recipe *c = ctx;
  size_t first = at / c->each;
  size_t all = bytes / c->each;
  size_t n;
  for (size_t i = 0; i < all; i += n) {
    size_t row = (first + i) / c->inner;
    n = WEFT_MIN(all - i, (row + 1) * c->inner - (first + i));
    scale_run(c->from->dtype, source, i, n, c->scale[fold_weights_channel_of(c, row)], to);
  }
}

static bool same_recipe(const void *a, const void *b) {
  const recipe *x = a;
  const recipe *y = b;
  return x->inner == y->inner && x->dim == y->dim && x->groups == y->groups && x->per_group == y->per_group &&
         !memcmp(x->scale, y->scale, x->dim * x->groups * sizeof *x->scale);
}

// The largest magnitude, infinite when one is not finite. Of floats that are all below BOUND and need not be
// known exactly, that.
#define BOUND      0x1p100
#define BOUND_BITS 0x71800000

static double largest_of(weft_dtype t, const void *from, size_t at, size_t n, bool exactly) {
  const int32_t *bits = from;
  int32_t over = 0;  // negative: one is larger
  double most = 0;
  for (size_t i = at; i < at + n && t == WEFT_FLOAT && !exactly; i++)
    over |= BOUND_BITS - (bits[i] & 0x7FFFFFFF);
  if (t == WEFT_FLOAT && !exactly && over >= 0)
    return BOUND;
  for (size_t i = at; i < at + n; i++) {
    double x = fabs(weft_load_f64(t, from, i));
    if (!(x <= most))
      most = isnan(x) ? INFINITY : x;
  }
  return most;
}

// The next elements to read, from `at` on and up to `most`: they begin and end with rows of channels that are
// looked at. Of others between them fewer than GAP bytes at a time are read, too.
static size_t next_run(const recipe *c, const bool *look, size_t at, size_t elems, size_t most, size_t *end) {
  enum { GAP = 4096 };
  size_t row = at / c->inner;
  while (at < elems && !look[fold_weights_channel_of(c, row)])
    at = ++row * c->inner;
  at = *end = WEFT_MIN(at, elems);
  for (; row * c->inner < WEFT_MIN(elems, at + most); row++) {
    if (look[fold_weights_channel_of(c, row)])
      *end = WEFT_MIN(at + most, (row + 1) * c->inner);
    else if ((row * c->inner - *end) * c->each >= GAP)
      break;
  }
  return at;
}

// Weights of the channels to look at, a piece at a time; of one number, only that.
static void find_largest(const weft_graph *g, recipe *c, size_t channels, const bool *look, bool exactly) {
  _Alignas(64) char piece[32 << 10];
  const weft_tensor *one = weft__data_number(g, c->from);
  size_t run;
  size_t end;
  size_t elems = one ? 0 : (size_t)weft_tensor_elems(c->from);
  for (size_t k = 0; k < channels; k++) {
    if (look[k])
      c->largest[k] = one ? largest_of(one->dtype, one->data, 0, 1, true) : 0;
  }
  for (size_t first = 0; first < elems; first = end) {
    first = next_run(c, look, first, elems, sizeof piece / c->each, &end);
    const char *from =
        first < end ? weft__data_read(g, c->from, first * c->each, (end - first) * c->each, piece) : NULL;
    for (size_t i = first; i < end; i += run) {
      size_t row = i / c->inner;
      size_t k = fold_weights_channel_of(c, row);
      run = WEFT_MIN(end - i, (row + 1) * c->inner - i);
      if (!look[k])
        continue;
      c->largest[k] = WEFT_MAX(c->largest[k], largest_of(c->from->dtype, from, i - first, run, exactly));
    }
  }
}

static bool still_finite(const recipe *c, size_t k) {
  return c->largest[k] < 0 || fold_weights_holds(c->from->dtype, c->largest[k] * c->scale[k]);
}

// Does no finite weight become infinite? Those of a channel are looked at when its scale is above 1; exactly
// when they are very large.
static bool all_finite(const weft_graph *g, recipe *c, size_t channels, bool *look) {
  for (int exactly = 0; exactly < 2; exactly++) {
    bool any = false;
    for (size_t k = 0; k < channels; k++) {
      look[k] = exactly ? !still_finite(c, k) : c->largest[k] < 0 && !(fabs(c->scale[k]) <= 1);
      any |= look[k];
    }
    if (any)
      find_largest(g, c, channels, look, exactly);
  }
  for (size_t k = 0; k < channels; k++) {
    if (!still_finite(c, k))
      return false;
  }
  return true;
}

// In f16 and bf16: weights that lie together and are scaled alike lose more than rounding costs.
static bool loses_much(const weft_graph *g, const recipe *c) {
  _Alignas(64) char piece[16 << 10];
  weft_dtype t = c->from->dtype;
  if (t != WEFT_FLOAT16 && t != WEFT_BF16)
    return false;
  double all = 0, lost = 0, unit = t == WEFT_BF16 ? 0x1p-8 : 0x1p-11;
  size_t n;
  size_t run;
  size_t elems = (size_t)weft_tensor_elems(c->from);
  bool much = false;
  for (size_t first = 0; first < elems && !much; first += n) {
    n = WEFT_MIN(sizeof piece / c->each, elems - first);
    const void *from = weft__data_read(g, c->from, first * c->each, n * c->each, piece);
    for (size_t i = 0; i < n; i += run) {
      size_t row = (first + i) / c->inner;
      size_t at = (first + i) % c->inner;
      run = WEFT_MIN(n - i, c->inner - at);
      if (!at)
        all = lost = 0;
      for (size_t j = i; j < i + run; j++) {
        double v = weft_load_f64(t, from, j) * c->scale[fold_weights_channel_of(c, row)],
               by = v - fold_weights_rounded(t, v);
        all += v * v;
        lost += by * by;
      }
      much |= at + run == c->inner && !(lost <= unit * unit * all);
    }
  }
  return much;
}

// Of weights that were scaled before, what was done to them goes on. NULL: out of memory.
static recipe *recipe_of(const weft_graph *g, const product *p, const weft_tensor *from) {
  weft_arena *arena = &g->root->arena;
  recipe *c = WEFT_NEW(arena, recipe);
  double *numbers = WEFT_NEW_N(arena, double, 2 * p->channels + 1);
  if (!c || !numbers)
    return NULL;
  const recipe *before = weft__remake_ctx(g, from, scale_again);
  *c = (recipe){.from = before ? before->from : from,
                .scale = numbers,
                .largest = numbers + p->channels,
                .inner = 1,
                .dim = (size_t)p->w->fact.dims[p->w_axis],
                .groups = p->groups,
                .per_group = p->groups > 1 ? (size_t)p->w->fact.dims[0] / p->groups : 1,
                .each = weft_dtype_bits(from->dtype) / 8};
  for (size_t i = p->w_axis + 1; i < p->w->fact.rank; i++)
    c->inner *= (size_t)p->w->fact.dims[i];
  if (before && (before->inner != c->inner || before->dim != c->dim || before->groups != c->groups)) {
    // along another axis
    before = NULL;
    c->from = from;
  }
  if (before)
    memcpy(numbers, before->scale, 2 * p->channels * sizeof *numbers);
  for (size_t k = 0; k < p->channels && !before; k++) {
    c->scale[k] = 1;
    c->largest[k] = -1;
  }
  return c;
}

// Small ones are made here and now; large ones when they are wanted.
static weft_status make_scaled(weft_pass_run *r, weft_graph *g, weft_tensor *t, const recipe *c) {
  enum { LARGE = 64 << 10 };
  const weft_tensor *from = c->from;
  weft__tensor_like(t, from);
  if (from->bytes >= LARGE) {
    const weft__recipe how = {
        .fn = scale_again, .same = same_recipe, .ctx = c, .from = from, .bytes = from->bytes};
    return weft__remake_const(g, t, &how, r->d);
  }
  WEFT_TRY(weft_tensor_alloc_layout(t, from->dtype, &from->layout, from->origin_format, from->format, r->d));
  scale_again(c, weft__data_read(g, from, 0, from->bytes, t->data), 0, from->bytes, t->data);
  return WEFT_OK;
}

// NULL with *out_why: a number is not finite.
static weft_value *fold_weights_scaled(weft_pass_run *r, weft_node *n, const product *p,
                                       const weft__affine *a, const char **out_why) {
  weft_tensor *t = weft__graph_tensor(n->graph);
  recipe *c = recipe_of(n->graph, p, p->w->fact.value);
  bool *look = WEFT_NEW_N(&r->scratch, bool, p->channels + 1);
  if (!t || !c || !look)
    return NULL;
  for (size_t k = 0; k < p->channels; k++)
    c->scale[k] *= a->scale[k];
  if (!all_finite(n->graph, c, p->channels, look))
    return *out_why = "a weight would not be finite", NULL;
  bool much = loses_much(n->graph, c);
  if (c->from->data)
    weft__data_rest(n->graph, c->from->data, c->from->bytes);
  if (much)
    return *out_why = "the weights of a channel would lose too much", NULL;
  if (make_scaled(r, n->graph, t, c))
    return NULL;
  return weft__pass_const(r, n->graph, p->w->name, t, WEFT_CONST_BORROW);
}

static weft_value *new_bias(weft_pass_run *r, weft_node *n, const product *p, const weft__affine *a,
                            const double *old, const char **out_why) {
  weft_dim dims[1] = {(weft_dim)p->channels};
  weft_dtype type = p->w->fact.dtype;
  weft_tensor *t = weft__graph_tensor(n->graph);
  if (!t || weft_tensor_alloc(t, type, dims, 1, r->d))
    return NULL;
  for (size_t i = 0; i < p->channels; i++) {
    double v = (p->bias ? a->scale[i] * old[i] : 0) + a->shift[i];
    if (!fold_weights_holds(type, v))
      return *out_why = "a bias would not be finite", NULL;
    weft_store_f64(type, t->data, i, v);
  }
  return weft__pass_const(r, n->graph, p->bias ? p->bias->name : "bias", t, WEFT_CONST_BORROW);
}

static weft_status fold_weights_failed(weft_pass_run *r, weft_node *n, const char *why) {
  if (!why)
    return r->d->status ? r->d->status : weft_fail(r->d, WEFT_E_NOMEM, "out of memory");
  weft__pass_skipped(r, n, "%s", why);
  return WEFT_OK;
}

static weft_status fold_weights_rebuild(weft_pass_run *r, weft_node *n, const product *p,
                                        const weft__affine *a, const double *old) {
  const char *why = NULL;
  weft_value *in[3] = {weft__arg(p->node, 0), p->w, NULL};
  bool shifts = p->bias != NULL;
  for (size_t i = 0; i < p->channels && !shifts; i++)
    shifts = a->shift[i] != 0;
  if (shifts && !(in[2] = new_bias(r, n, p, a, old, &why)))
    return fold_weights_failed(r, n, why);
  if (a->scales && !(in[1] = fold_weights_scaled(r, n, p, a, &why)))
    return fold_weights_failed(r, n, why);
  weft_node *made;
  WEFT_TRY(weft__pass_remake(r, n, p->node, NULL, in, shifts ? 3 : 2, &made));
  return weft__pass_become(r, n, &n->out[0], &made->out[0], "went into the weights before it", NULL);
}

// ---- zeros around the input of a convolution ----

static weft_status pad_into(weft_pass_run *r, weft_node *n, int kind) {
  weft_value *x = weft__arg(n, 0);
  weft_value *w = weft__arg(n, 1);
  weft_value *zero = NULL;
  weft_node *pad = weft__made_by(r, x, WEFT_K_PAD_V3);
  bool pairs = true;
  if (!pad && !(pad = weft__made_by(r, x, WEFT_K_PAD)))
    return WEFT_OK;
  if (weft__kind(r, pad) == WEFT_K_PAD_V3) {
    const char *mode = weft_node_str(&pad->desc.pub, WEFT_SLOT_PAD_V3_MODE);
    zero = weft__port_arg(pad, 2);
    pairs = weft_node_bool(&pad->desc.pub, WEFT_SLOT_PAD_V3_PADDINGS_CONTIGUOUS);
    if (mode && strcmp(mode, "constant"))
      return WEFT_OK;
  }
  const char *how = weft_node_attr(n, kind == WEFT_K_CONV ? "auto_pad" : "pad_mode")->u.s;
  if (strcmp(how, "NOTSET") && strcmp(how, "SPECIFIC"))
    return WEFT_OK;
  int64_t more[2 * WEFT_MAX_RANK];
  int64_t pads[8] = {0};
  int64_t count = weft__ints(weft__arg(pad, 1), more, WEFT_COUNT(more));
  size_t rank = x->fact.rank;
  size_t first = kind == WEFT_K_CONV2D && weft__is_nhwc(n) ? 1 : 2;
  if (count != 2 * (int64_t)rank || rank < 3 || rank > 5)
    return WEFT_OK;
  if (zero && !weft__is_number(zero, 0))
    return WEFT_OK;
  const weft_tensor *t = weft__known(w);
  for (int64_t i = 0; t && i < weft_tensor_elems(t); i++) {
    if (!isfinite(weft_load_f64(t->dtype, t->data, (size_t)i)))
      t = NULL;
  }
  if (!t) {
    weft__pass_skipped(r, n, "zeros are padded around its input, but its weights are not known to be finite");
    return WEFT_OK;
  }
  const weft_attr *had = weft_node_attr(n, "pads");
  weft_ints old = {had->u.ints, had->n};
  size_t space = rank - 2;
  for (size_t axis = 0; axis < rank; axis++) {
    for (size_t side = 0; side < 2; side++) {
      int64_t by = more[pairs ? 2 * axis + side : side * rank + axis];
      bool spatial = axis >= first && axis < first + space;
      if (by < 0 || by > INT32_MAX || (by && !spatial))
        return WEFT_OK;
      if (!spatial)
        continue;
      size_t k = kind == WEFT_K_CONV ? side * space + axis - first : 2 * (axis - first) + side;
      pads[k] = by + (old.n > k ? old.v[k] : 0);
    }
  }
  weft_named_attr change = {"pads", weft_attr_ints(pads, 2 * space)};
  weft_value *in[3] = {weft__arg(pad, 0), w, weft__port_arg(n, 2)};
  weft_node *made;
  WEFT_TRY(weft__pass_remake(r, n, n, &change, in, in[2] ? 3 : 2, &made));
  return weft__pass_become(r, n, &n->out[0], &made->out[0], "pads by itself", NULL);
}

// The bias of a product, a number a channel; 0 without one. false: it is something else.
static bool read_old_bias(const product *p, size_t x_rank, double *out) {
  if (!p->bias)
    return true;
  bool matmul = weft__kind_in(p->kind, WEFT_KINDS_MATMUL);
  return weft__per_channel(p->bias, matmul ? x_rank : 1, matmul ? p->y_axis : 0, p->channels, out);
}

// What keeps x, the product, from taking up the n behind it; NULL: nothing, and `old` is its bias.
static const char *fold_refused(const weft_node *n, const weft_value *x, const product *p, bool scales,
                                double *old) {
  if (!(WEFT_FLOATS & WEFT_BIT(p->w->fact.dtype)))
    return ": weights of its dtype would lose too much";
  if (!weft__one_use(x))
    return ", which others read, too";
  if (scales && !weft__is_known(p->w))
    return ", whose weights are no constant";
  if (!read_old_bias(p, x->fact.rank, old))
    return ", whose bias is not a constant of one number a channel";
  return p->node->controls || n->controls ? ": one has control edges" : NULL;
}

static weft_status fold(weft_pass_run *r, weft_node *n, int kind, uint32_t main) {
  weft_value *x = weft__arg(n, main);
  product p;
  if (!find_product(r, x, &p) || p.channels > WEFT__AFFINE_MOST)
    return WEFT_OK;
  double *space = WEFT_NEW_N(&r->scratch, double, 4 * p.channels + 4);
  WEFT_TRY(weft__allocated(space, r->d));
  weft__affine a = {space, space + p.channels, false};
  double *old = space + 2 * p.channels;
  if (!weft__affine_read(n, kind, main, p.channels, p.y_axis, &a, space + 3 * p.channels))
    return WEFT_OK;
  const char *no = fold_refused(n, x, &p, a.scales, old);
  if (!no)
    return fold_weights_rebuild(r, n, &p, &a, old);
  weft__pass_skipped(r, n, "after '%s'%s", weft__node_name(p.node), no);
  return WEFT_OK;
}

static weft_status fold_weights_visit(weft_pass_run *r, weft_node *n) {
  int kind = weft__kind(r, n);
  if (!kind || !n->desc.pub.n_out || !weft__value_read(&n->out[0]))
    return WEFT_OK;
  if (weft__kind_in(kind, WEFT_KINDS_CONV))
    return pad_into(r, n, kind);
  if (!weft__is_affine(kind))
    return WEFT_OK;
  uint32_t sides = weft__kind_in(kind, WEFT_KINDS_SWAPS | WEFT_KINDS_SUB) ? 2 : 1;
  for (uint32_t main = 0; main < sides && n->graph; main++)
    WEFT_TRY(fold(r, n, kind, main));
  return WEFT_OK;
}

WEFT_PASS(fold_weights) = {WEFT_PASS_HEAD,
                           "fold-weights",
                           "puts what follows a product by channel into its weights",
                           WEFT_PASS_SIMPLIFY,
                           .visit = fold_weights_visit,
                           .at = WEFT_NAMES("Conv", "Conv2D", "Mul", "Div", "RealDiv", "Add", "Sub",
                                            "BiasAdd", "BatchNorm", "BNInference")};
// SPDX-License-Identifier: Apache-2.0
