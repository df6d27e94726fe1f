// match_attention.c - softmax(scale * q k' + shift) v becomes PromptFlashAttention: the products of exporters
// with the scale before, between or behind them, a shift that is added or a Where with a number for a mask,
// keys turned over by a Transpose, by the product or as they come, and heads that a Transpose brings to the
// front and another one takes back: those are read and written in place. Within rounding. f32, f16 or bf16 of
// rank 4, [batch, heads, ..], or 3, [batch, ..]; heads must be known. Heads of keys and values that are only
// repeated (Unsqueeze, Expand, Reshape) are read once. Scores that others read, too, are left alone.
#include <math.h>

#include "pass/match.h"
#include "nn/mat_mul.rule.h"
#include "op_slots.h"

static bool match_attention_is_float(weft_dtype t) {
  const weft_dtype_set floats = WEFT_DT(FLOAT) | WEFT_DT(FLOAT16) | WEFT_DT(BF16);
  return (floats & WEFT_BIT(t)) != 0;
}

typedef struct side {  // of a product, with what was found before it
  weft_value *v;
  bool by_head;  // [batch, heads, sequence, size]; otherwise [batch, sequence, heads, size]
  bool turned;   // its last two axes are the other way round
  int64_t heads;
} side;

typedef struct attention {
  side q, k, v;
  weft_value *shift, *mask;  // NULL: none
  bool keeps;                // the mask says what stays
  bool zero_rows;            // what sees nothing gives 0
  double scale, masked;
  const char *why;  // not NULL: a candidate that is left
} attention;

// v = number * *out or *out / number, of the same rank
static bool match_attention_scaled(const weft_pass_run *r, const weft_value *v, double *scale,
                                   weft_value **out) {
  int kind = weft__kind_by(r, v);
  double x;
  if (kind != WEFT_K_MUL && !weft__kind_in(kind, WEFT_KINDS_DIV))
    return false;
  uint32_t sides = kind == WEFT_K_MUL ? 2 : 1;
  for (uint32_t i = 0; i < sides; i++) {
    weft_value *from = weft__arg(v->node, i);
    if (from->fact.rank != v->fact.rank || !weft__one_number(weft__arg(v->node, 1 - i), &x))
      continue;
    *scale *= kind == WEFT_K_MUL ? x : 1 / x;
    *out = from;
    return true;
  }
  return false;
}

static bool same_dim(weft_dim a, weft_dim b) {
  return a != -1 && a == b;
}

// Repeated heads: Reshape(Expand(Unsqueeze(v))) of [b, heads, t, d] to [b, heads * group, t, d].
static weft_value *unrepeated(const weft_pass_run *r, weft_value *v) {
  weft_node *joined = weft__made_by(r, v, WEFT_K_RESHAPE);
  weft_value *wide = joined ? weft__arg(joined, 0) : NULL;
  int by = weft__kind_by(r, wide);
  if (!weft__kind_in(by, WEFT_KINDS_EXPAND))
    return v;
  weft_value *one = weft__arg(wide->node, 0);
  int kind = weft__kind_by(r, one);
  if (!weft__kind_is_view(kind))
    return v;
  weft_value *from = weft__arg(one->node, 0);
  const weft_fact *f = &from->fact;
  const weft_fact *o = &one->fact;
  const weft_fact *w = &wide->fact;
  const weft_fact *y = &v->fact;
  bool outer = f->rank == 4 && y->rank == 4;
  bool inner = o->rank == 5 && w->rank == 5;
  if (!outer || !inner || o->dims[2] != 1)
    return v;
  static const uint8_t of_one[4] = {0, 1, 3, 4};
  for (size_t i = 0; i < 4; i++) {
    if (!same_dim(f->dims[i], o->dims[of_one[i]]) || !same_dim(f->dims[i], w->dims[of_one[i]]))
      return v;
  }
  bool known = f->dims[1] >= 0 && w->dims[2] > 0 && f->dims[3] >= 0 && y->dims[1] == f->dims[1] * w->dims[2];
  return known && same_dim(y->dims[0], f->dims[0]) && y->dims[3] == f->dims[3] ? from : v;
}

static bool is_order(const uint8_t *perm, size_t rank, const char *order) {
  if (rank != strlen(order))
    return false;
  for (size_t i = 0; i < rank; i++) {
    if (perm[i] != order[i] - '0')
      return false;
  }
  return true;
}

// Walks from an operand of a product to what it is made of: back over scales, repeated heads, and Transposes
// whose order the attention can take over. With axes [batch, heads, sequence, size] 0213 exchanges heads and
// sequence, 0132 (021 without heads) the last two, and 0231 does both.
static void walk(const weft_pass_run *r, side *s, double *scale) {
  for (int steps = 0; steps < 8; steps++) {
    uint8_t perm[WEFT_MAX_RANK];
    size_t rank;
    weft_value *from;
    if (scale && match_attention_scaled(r, s->v, scale, &from)) {
      s->v = from;
      continue;
    }
    if (s->by_head && !s->turned && s->v->fact.rank == 4 && (from = unrepeated(r, s->v)) != s->v) {
      s->v = from;
      continue;
    }
    if (!s->v->node || !weft__perm(r, s->v->node, perm, &rank))
      return;
    if (rank == 4 && !s->turned && is_order(perm, rank, "0213"))
      s->by_head = !s->by_head;
    else if (s->by_head && (is_order(perm, rank, "0132") || is_order(perm, rank, "021")))
      s->turned = !s->turned;
    else if (s->by_head && s->turned && is_order(perm, rank, "0231")) {
      s->turned = false;
      s->by_head = false;
    } else
      return;
    s->v = weft__arg(s->v->node, 0);
  }
}

// Is v read by the attention alone, so that it need not be made?
static bool match_attention_inside(attention *a, const weft_value *v) {
  if (!weft__one_use(v))
    a->why = "others read its scores or probabilities, too";
  return !a->why;
}

// Where with a number on one side.
static bool masked(const weft_pass_run *r, weft_value **v, attention *a) {
  weft_node *n = weft__made_by(r, *v, WEFT_K_SELECT_V2);
  for (uint32_t i = 1; n && i < 3; i++) {
    weft_value *number = weft__arg(n, i);
    weft_value *scores = weft__arg(n, 3 - i);
    if (!weft__one_number(number, &a->masked) || !weft__is_tensor(scores) || !scores->node)
      continue;
    a->mask = weft__arg(n, 0);
    a->keeps = i == 2;
    *v = scores;
    return true;
  }
  return false;
}

// The product of the scores below v, through a scale.
static weft_node *product_of(const weft_pass_run *r, weft_value *v, double *scale, attention *a) {
  weft_value *from = v;
  *scale = 1;
  for (int i = 0; i < 4 && match_attention_scaled(r, v, scale, &from); i++) {
    if (a && !match_attention_inside(a, v))
      return NULL;
    v = from;
  }
  if (a && weft__kind_by(r, v) == WEFT_K_BATCH_MAT_MUL && !match_attention_inside(a, v))
    return NULL;
  return weft__made_by(r, v, WEFT_K_BATCH_MAT_MUL);
}

// From the softmax's input to the product of query and keys.
static weft_node *scores(const weft_pass_run *r, weft_value *v, attention *a) {
  double scale;
  if (masked(r, &v, a) && !match_attention_inside(a, v))
    return NULL;
  weft_node *add = weft__made_by(r, v, WEFT_K_ADD);
  weft_node *n;
  for (uint32_t i = 0; add && i < 2; i++) {
    if (!product_of(r, weft__arg(add, i), &scale, NULL))
      continue;
    a->shift = weft__arg(add, 1 - i);
    v = weft__arg(add, i);
    if (weft__kind_by(r, a->shift) == WEFT_K_BATCH_MAT_MUL && !weft__one_use(v))
      continue;
    break;
  }
  if (add && !a->shift) {
    a->why = "what is added to its scores is not the last but the scale";
    return NULL;
  }
  n = product_of(r, v, &a->scale, a);
  if (!n && !a->why)
    a->why = "its scores are no product, shifted or masked";
  return n;
}

// probabilities, with rows of nothing but -inf made 0
static weft_value *without_nobody(const weft_pass_run *r, weft_value *v, attention *a, weft_value **shift) {
  weft_node *n = weft__made_by(r, v, WEFT_K_SELECT_V2);
  weft_node *eq = n ? weft__made_by(r, weft__arg(n, 0), WEFT_K_EQUAL) : NULL;
  uint32_t axes;
  *shift = NULL;
  if (!eq || !weft__is_number(weft__arg(n, 1), 0))
    return v;
  for (uint32_t i = 0; i < 2; i++) {
    weft_node *max = weft__made_by(r, weft__arg(eq, i), WEFT_K_REDUCE_MAX);
    if (!max || !weft__is_number(weft__arg(eq, 1 - i), -INFINITY) || !weft__reduce_axes(max, &axes))
      continue;
    *shift = weft__arg(max, 0);
    if (axes != UINT32_C(1) << ((*shift)->fact.rank - 1))
      continue;
    a->zero_rows = true;
    return weft__arg(n, 2);
  }
  return v;
}

static bool last_axis(const weft_node *softmax) {
  weft_ints axes = weft_node_ints(&softmax->desc.pub, WEFT_SLOT_SOFTMAX_V2_AXES);
  int64_t rank = (int64_t)softmax->out[0].fact.rank;
  return axes.n == 1 && (axes.v[0] == -1 || axes.v[0] == rank - 1);
}

// Heads of a side; false: not known.
static bool heads_of(side *s) {
  const weft_fact *f = &s->v->fact;
  s->heads = f->rank == 3 ? 1 : f->dims[s->by_head ? 1 : 2];
  return s->heads > 0;
}

// A mask or shift must not make more heads than there are.
static const char *bad_operand(const weft_value *v, int64_t heads, size_t rank) {
  if (!v)
    return NULL;
  const weft_fact *f = &v->fact;
  if (!weft__is_tensor(v) || f->rank > rank)
    return "its mask has an unknown or a higher rank than the scores";
  weft_dim d = rank == 4 && f->rank >= 3 ? f->dims[f->rank - 3] : 1;
  return d == 1 || d == heads ? NULL : "the number of heads of its mask is not known";
}

static const char *bad_sides(attention *a, size_t rank) {
  const side *all[3] = {&a->q, &a->k, &a->v};
  if (rank != 3 && rank != 4)
    return "its operands have another rank than 3 or 4";
  for (size_t i = 0; i < 3; i++) {
    if (!weft__is_tensor(all[i]->v) || all[i]->v->fact.rank != rank ||
        !match_attention_is_float(all[i]->v->fact.dtype))
      return "its operands are not float tensors of one rank";
  }
  if (!heads_of(&a->q) || !heads_of(&a->k) || !heads_of(&a->v))
    return "the number of heads is not known";
  if (a->k.heads != a->v.heads || a->q.heads % a->k.heads)
    return "its heads are broadcast";
  if (a->q.turned || a->v.turned || (a->k.turned && rank == 3))
    return "an operand lies turned over";
  const char *why = bad_operand(a->shift, a->q.heads, rank);
  return why ? why : bad_operand(a->mask, a->q.heads, rank);
}

// The operand with rank 2 or 4.
static weft_status fitted(weft_pass_run *r, weft_node *n, weft_value *v, size_t rank, weft_value **out) {
  int64_t axes[4];
  size_t have = v->fact.rank;
  size_t extra = have == 2 || have == 4 ? 0 : have < 2 ? 2 - have : 1;
  for (size_t i = 0; i < extra; i++)
    axes[i] = rank == 3 && have == 3 ? 1 : (int64_t)i;
  weft_named_attr how = {"axes", weft_attr_ints(axes, extra)};
  *out = v;
  return extra
             ? weft__pass_op(r, n,
                             &(weft__pass_new){
                                 .kind = WEFT_K_UNSQUEEZE, .attrs = &how, .n_attrs = 1, .in = &v, .n_in = 1},
                             out)
             : WEFT_OK;
}

static weft_attr layout(const side *s, size_t rank) {
  static const char *const by_head[] = {"BSND", "BNSD"};
  if (rank == 3)
    return weft_attr_str("BSH", 3);
  return weft_attr_str(s->turned ? "BNDS" : by_head[s->by_head], 4);
}

// How many inputs there are up to the last one that is not NULL.
static size_t count_in(weft_value *const in[5]) {
  size_t n = 5;
  while (!in[n - 1])
    n--;
  return n;
}

static weft_status match_attention_make(weft_pass_run *r, weft_node *n, const attention *a, size_t rank) {
  static const side plain = {.by_head = true};
  weft_named_attr attrs[] = {{"num_heads", weft_attr_int(a->q.heads)},
                             {"scale_value", weft_attr_float((float)a->scale)},
                             {"pre_tokens", weft_attr_int(INT32_MAX)},
                             {"next_tokens", weft_attr_int(INT32_MAX)},
                             {"input_layout", layout(&a->q, rank)},
                             {"num_key_value_heads", weft_attr_int(a->k.heads)},
                             {"inner_precise", weft_attr_int(a->zero_rows ? 2 : 0)},
                             {"key_layout", layout(&a->k, rank)},
                             {"value_layout", layout(&a->v, rank)},
                             {"output_layout", layout(&plain, rank)},
                             {"mask_value", weft_attr_float((float)a->masked)}};
  weft_value *in[5] = {a->q.v, a->k.v, a->v.v, NULL, NULL};
  weft_value *made;
  if (a->shift)
    WEFT_TRY(fitted(r, n, a->shift, rank, &in[3]));
  if (a->mask)
    WEFT_TRY(fitted(r, n, a->mask, rank, &in[4]));
  if (a->mask && a->keeps)
    WEFT_TRY(
        weft__pass_op(r, n, &(weft__pass_new){.kind = WEFT_K_LOGICAL_NOT, .in = &in[4], .n_in = 1}, &in[4]));
  WEFT_TRY(weft__pass_op(r, n,
                         &(weft__pass_new){.kind = WEFT_K_PROMPT_FLASH_ATTENTION,
                                           .attrs = attrs,
                                           .n_attrs = WEFT_COUNT(attrs),
                                           .in = in,
                                           .n_in = count_in(in)},
                         &made));
  return weft__pass_become(r, n, &n->out[0], made, "attention from products and a softmax", NULL);
}

// What keeps the product of probabilities and values from being attention; NULL: nothing.
static const char *bad_product(const weft_node *n, const weft_node *soft) {
  if (weft_node_bool(&n->desc.pub, WEFT_PRODUCT_TURNS_A))
    return "its probabilities are turned over";
  if (n->desc.pub.n_in > 2)
    return "something is added to its output";
  if (!match_attention_is_float(n->out[0].fact.dtype))
    return "attention of another type than float";
  return last_axis(soft) ? NULL : "its softmax is not over the keys";
}

// The same of the product of its scores.
static const char *bad_scores(const weft_node *qk, const attention *a, const weft_value *shift) {
  if (a->zero_rows && (a->mask || shift != a->shift))
    return "rows are made 0 for another reason than its mask";
  if (weft_node_bool(&qk->desc.pub, WEFT_PRODUCT_TURNS_A))
    return "its query is turned over";
  return qk->desc.pub.n_in > 2 ? "something is added to the product of its scores" : NULL;
}

// What the products of scores and values are made of.
static const char *match_attention_read_sides(const weft_pass_run *r, const weft_node *n, const weft_node *qk,
                                              attention *a) {
  a->q = (side){weft__arg(qk, 0), .by_head = true};
  a->k = (side){weft__arg(qk, 1), .by_head = true,
                .turned = !weft_node_bool(&qk->desc.pub, WEFT_PRODUCT_TURNS_B)};
  a->v =
      (side){weft__arg(n, 1), .by_head = true, .turned = weft_node_bool(&n->desc.pub, WEFT_PRODUCT_TURNS_B)};
  walk(r, &a->q, &a->scale);
  walk(r, &a->k, &a->scale);
  walk(r, &a->v, NULL);
  const char *why = bad_sides(a, n->out[0].fact.rank);
  if (!why && !isfinite((float)a->scale))
    return "its scale is no number";
  return why;
}

// Are the probabilities `p`, from `soft_of`, and the scores read by nobody else?
static bool all_inside(attention *a, const weft_value *p, const weft_value *soft_of, const weft_node *soft) {
  if (!match_attention_inside(a, p) || !match_attention_inside(a, weft__arg(soft, 0)))
    return false;
  return p == soft_of || match_attention_inside(a, soft_of);
}

static weft_status match_attention_product(weft_pass_run *r, weft_node *n) {
  attention a = {.scale = 1, .masked = -INFINITY};
  weft_value *shift;
  weft_value *p = weft__arg(n, 0);
  weft_value *soft_of = without_nobody(r, p, &a, &shift);
  weft_node *soft = weft__made_by(r, soft_of, WEFT_K_SOFTMAX_V2);
  if (!soft)
    return WEFT_OK;
  weft_node *qk = NULL;
  a.why = bad_product(n, soft);
  if (!a.why && all_inside(&a, p, soft_of, soft))
    qk = scores(r, weft__arg(soft, 0), &a);
  const char *bad = qk ? bad_scores(qk, &a, shift) : NULL;
  if (bad)
    a.why = bad;
  if (qk && !a.why)
    a.why = match_attention_read_sides(r, n, qk, &a);
  if (!a.why)
    return match_attention_make(r, n, &a, n->out[0].fact.rank);
  weft__pass_skipped(r, n, "attention: %s", a.why);
  return WEFT_OK;
}

// The Transpose that takes the heads back behind the sequence.
static weft_status output(weft_pass_run *r, weft_node *n) {
  weft_value *y = weft__arg(n, 0);
  weft_node *from = weft__made_by(r, y, WEFT_K_PROMPT_FLASH_ATTENTION);
  weft_node *made;
  uint8_t perm[WEFT_MAX_RANK];
  size_t rank;
  if (!from || !weft__perm(r, n, perm, &rank) || !is_order(perm, rank, "0213"))
    return WEFT_OK;
  if (!weft__one_use(y)) {
    weft__pass_skipped(r, n, "attention: others read its output with the heads in front, too");
    return WEFT_OK;
  }
  const weft_op_desc *d = &from->desc.pub;
  int out = weft_op_find_attr(from->desc.proto->op, "output_layout");
  const char *now = out < 0 ? NULL : weft_node_str(d, (uint32_t)out);
  if (!now || strcmp(now, "BNSD"))
    return WEFT_OK;
  weft_value *in[5];
  for (uint32_t i = 0; i < WEFT_COUNT(in); i++)
    in[i] = weft__port_arg(from, i);
  weft_named_attr change = {"output_layout", weft_attr_str("BSND", 4)};
  WEFT_TRY(weft__pass_remake(r, n, from, &change, in, count_in(in), &made));
  return weft__pass_become(r, n, &n->out[0], &made->out[0], "attention writes its heads in place", NULL);
}

static weft_status match_attention_visit(weft_pass_run *r, weft_node *n) {
  int kind = weft__kind(r, n);
  if (!weft__value_read(&n->out[0]))
    return WEFT_OK;
  if (kind == WEFT_K_BATCH_MAT_MUL && n->desc.pub.n_in >= 2)
    return match_attention_product(r, n);
  return weft__kind_in(kind, WEFT_KINDS_TRANSPOSE) ? output(r, n) : WEFT_OK;
}

WEFT_PASS(match_attention) = {WEFT_PASS_HEAD,
                              "match-attention",
                              "attention from products and a softmax",
                              WEFT_PASS_PATTERN,
                              .visit = match_attention_visit,
                              .at = WEFT_NAMES("BatchMatMulV2", "Transpose", "TransposeD")};
// SPDX-License-Identifier: Apache-2.0
