// flops.c - the arithmetic of convolutions, matrix products, attention and recurrent layers, counted from
// what is known of their shapes: a multiplication and an addition are two. Only these families are counted;
// everything else is small beside them and counts 0. Who asks says where shapes come from: inference, or the
// tensors of a run (src/run/count.c).
#include "ir/ir.h"
#include "nn/prompt_flash_attention.rule.h"

typedef struct counting {
  const weft_node *n;
  weft__shape_fn shape;
  void *ctx;
} counting;
typedef bool (*count_fn)(const counting *c, int64_t *out);  // multiply-adds; false: a dim is not known

static bool flops_shape_of(const counting *c, const weft_value *v, weft_shape *out) {
  return v && c->shape(c->ctx, v, out) && !weft_shape_is_unknown_rank(out);
}

static bool elems(const weft_shape *s, int64_t *out) {
  return !weft_shape_elems(s, out) && *out >= 0;
}

static const weft_value *input(const counting *c, uint32_t i) {
  return i < c->n->desc.pub.n_in ? c->n->in[i].value : NULL;
}

// `each` elements of a value, each with as many multiply-adds as the filter has elements for one of its
// channels.
static bool per_channel(const counting *c, const weft_value *each, const weft_value *filter, bool last,
                        int64_t *out) {
  int64_t n;
  int64_t m;
  weft_shape a;
  weft_shape b;
  if (!flops_shape_of(c, each, &a) || !flops_shape_of(c, filter, &b) || !elems(&a, &n) || !elems(&b, &m) ||
      !b.rank)
    return false;
  int64_t channels = b.dim[last ? b.rank - 1 : 0];
  return channels ? weft__mul_i64(n, m / channels, out) : (*out = 0, true);
}

// y * (filter without the output channels); OIHW, or HWIO for NHWC.
static bool conv(const counting *c, int64_t *out) {
  const weft_attr *format = weft_node_attr(c->n, "data_format");
  bool last = format && format->type == WEFT_VT_STRING && format->n && format->u.s[format->n - 1] == 'C';
  return per_channel(c, &c->n->out[0], input(c, 1), last, out);
}

// Every input element meets the filter of its channel; the filter is [inputs, outputs / group, ...].
static bool conv_transpose(const counting *c, int64_t *out) {
  return per_channel(c, input(c, 0), input(c, 1), false, out);
}

static bool flag(const weft_node *n, const char *name) {
  const weft_attr *a = weft_node_attr(n, name);
  return a && a->type == WEFT_VT_BOOL && a->u.b;
}

// y * inner dim.
static bool flops_product(const counting *c, const char *transposed, int64_t *out) {
  weft_shape a;
  weft_shape y;
  int64_t m;
  if (!flops_shape_of(c, input(c, 0), &a) || !a.rank || !flops_shape_of(c, &c->n->out[0], &y) ||
      !elems(&y, &m))
    return false;
  weft_dim inner = a.dim[a.rank - (a.rank > 1 && flag(c->n, transposed) ? 2 : 1)];
  return inner >= 0 && weft__mul_i64(m, inner, out);
}

static bool mat_mul(const counting *c, int64_t *out) {
  return flops_product(c, "transpose_x1", out);
}
static bool batch_mat_mul(const counting *c, int64_t *out) {
  return flops_product(c, "adj_x1", out);
}
static bool gemm(const counting *c, int64_t *out) {
  return flops_product(c, "transpose_a", out);
}

// Every step of every sequence takes the filters of the input and of the state once; x [steps, batch,
// inputs], w and r [directions, gates * hidden, ...].
static bool recurrent(const counting *c, int64_t *out) {
  weft_shape x;
  weft_shape w;
  weft_shape r;
  int64_t n;
  int64_t m;
  return flops_shape_of(c, input(c, 0), &x) && flops_shape_of(c, input(c, 1), &w) &&
         flops_shape_of(c, input(c, 2), &r) && x.rank == 3 && x.dim[0] >= 0 && x.dim[1] >= 0 &&
         elems(&w, &n) && elems(&r, &m) && weft__add_i64(n, m, &n) && weft__mul_i64(x.dim[0], x.dim[1], &m) &&
         weft__mul_i64(n, m, out);
}

// The sum over all queries of query + t, at least 0 and at most `keys`. queries * keys has to fit.
static int64_t sum_up_to(int64_t t, int64_t queries, int64_t keys) {
  int64_t first = t < 0 ? WEFT_MIN(-t, queries) : 0;
  int64_t full = WEFT_MAX(WEFT_MIN(keys - t, queries), first);
  int64_t n = full - first;
  int64_t half = n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);
  return n * (first + t) + half + (queries - full) * keys;
}

// Pairs of a query and a key of its band.
static bool pairs_of(const weft__attention_band *band, int64_t queries, int64_t keys, int64_t *out) {
  if (queries > INT64_MAX / 4 || keys > INT64_MAX / 4 || !weft__mul_i64(queries, keys, out))
    return false;
  if (weft__attention_sees_all(band))
    return true;
  if (band->next < WEFT__UNLIMITED)
    *out = sum_up_to(band->offset + band->next + 1, queries, keys);
  if (band->pre < WEFT__UNLIMITED)
    *out -= sum_up_to(band->offset - band->pre, queries, keys);
  *out = WEFT_MAX(*out, 0);  // a band that ends before it begins
  return true;
}

// Queries meet the keys of their band, whatever the mask says: once for the score, once for the sum of
// values.
static bool attention(const counting *c, int64_t *out) {
  const weft_op_desc *n = &c->n->desc.pub;
  weft__attention_side s[3];
  int64_t pairs;
  int64_t heads;
  int64_t m;
  for (int i = WEFT__QUERY; i <= WEFT__VALUE; i++) {
    weft_shape a;
    const char *layout = weft__attention_layout(n, i);
    int64_t all = weft__attention_heads(n, i != WEFT__QUERY);
    if (all < 1 || !flops_shape_of(c, input(c, (uint32_t)i), &a) || !elems(&a, &m) ||
        a.rank != (strcmp(layout, "BSH") ? 4 : 3))
      return false;
    weft__attention_read(&s[i], &a, layout, (size_t)all);
  }
  size_t queries = s[WEFT__QUERY].dim[2];
  size_t keys = s[WEFT__VALUE].dim[2];
  weft__attention_band band = weft__attention_band_of(n, queries, keys);
  return weft__mul_i64((int64_t)s[WEFT__QUERY].dim[0], (int64_t)s[WEFT__QUERY].dim[1], &heads) &&
         pairs_of(&band, (int64_t)queries, (int64_t)keys, &pairs) && weft__mul_i64(heads, pairs, &m) &&
         weft__mul_i64(m, (int64_t)(s[WEFT__QUERY].dim[3] + s[WEFT__VALUE].dim[3]), out);
}

static const struct {
  const char *type;
  count_fn count;
} counts[] = {{"Conv", conv},
              {"Conv2D", conv},
              {"ConvTranspose", conv_transpose},
              {"ConvInteger", conv},
              {"MatMulV2", mat_mul},
              {"MatMulInteger", mat_mul},
              {"BatchMatMulV2", batch_mat_mul},
              {"GEMM", gemm},
              {"DeformConv", conv},
              {"PromptFlashAttention", attention},
              {"CommonLSTM", recurrent},
              {"CommonGRU", recurrent},
              {"CommonRNN", recurrent}};

int64_t weft__node_flops(const weft_node *n, weft__shape_fn shape, void *ctx) {
  const counting c = {n, shape, ctx};
  int64_t v;
  int64_t total = 0;
  for (size_t i = 0; i < WEFT_COUNT(counts); i++) {
    if (!strcmp(counts[i].type, weft__node_type(n)))
      return counts[i].count(&c, &v) && weft__mul_i64(v, 2, &v) ? v : -1;
  }
  for (uint32_t i = 0; i < n->n_graphs; i++)  // as deep as graphs are
    for (const weft_node *k = n->graphs[i]->first; k; k = k->next) {
      v = weft__node_flops(k, shape, ctx);
      if (v < 0 || !weft__add_i64(total, v, &total))
        return -1;
    }
  return total;
}

bool weft__shape_inferred(void *ctx, const weft_value *v, weft_shape *out) {
  (void)ctx;
  weft_tensor_desc desc;  // bodies of a loaded program are declared, not inferred
  weft__fact_desc(!v->fact.set && v->declared ? &v->declared->fact : &v->fact, v->name, &desc);
  weft_shape_copy(out, &desc.layout.origin);
  return desc.layout.origin.rank != WEFT_RANK_UNSET;
}
// SPDX-License-Identifier: Apache-2.0
