// flops.c - the arithmetic of convolutions and matrix products, counted from what is known of their shapes: a
// multiplication and an addition are two. Only these families are counted; everything else is small beside
// them and counts 0.
#include "ir/ir.h"
#include "weft/infer.h"

typedef bool (*count_fn)(const weft_node *n, int64_t *out);  // multiply-adds; false: a dim is not known

static bool elems(const weft_value *v, int64_t *out) {
  *out = 1;
  if (!v || !v->fact.set || v->fact.unknown_rank) return false;
  for (uint32_t i = 0; i < v->fact.rank; i++)
    if (v->fact.dims[i] < 0 || !weft__mul_i64(*out, v->fact.dims[i], out)) return false;
  return true;
}

static const weft_value *input(const weft_node *n, uint32_t i) {
  return i < n->desc.pub.n_in ? n->in[i].value : NULL;
}

// `each` elements of a value, each with as many multiply-adds as the filter has elements for one of its
// channels.
static bool per_channel(const weft_value *each, const weft_value *filter, uint32_t channel, int64_t *out) {
  int64_t n, m;
  if (!elems(each, &n) || !elems(filter, &m) || channel >= filter->fact.rank) return false;
  int64_t channels = filter->fact.dims[channel];
  return channels ? weft__mul_i64(n, m / channels, out) : (*out = 0, true);
}

// y * (filter without the output channels); OIHW, or HWIO for NHWC.
static bool conv(const weft_node *n, int64_t *out) {
  const weft_attr *format = weft_node_attr(n, "data_format");
  const weft_value *f = input(n, 1);
  bool last = format && format->type == WEFT_VT_STRING && format->n && format->u.s[format->n - 1] == 'C';
  return f && f->fact.set && per_channel(&n->out[0], f, last && f->fact.rank ? f->fact.rank - 1 : 0, out);
}

// Every input element meets the filter of its channel; the filter is [inputs, outputs / group, ...].
static bool conv_transpose(const weft_node *n, int64_t *out) {
  return input(n, 0) && per_channel(input(n, 0), input(n, 1), 0, out);
}

static bool flag(const weft_node *n, const char *name) {
  const weft_attr *a = weft_node_attr(n, name);
  return a && a->type == WEFT_VT_BOOL && a->u.b;
}

// y * inner dim.
static bool product(const weft_node *n, bool transposed, int64_t *out) {
  const weft_value *a = input(n, 0);
  int64_t m;
  if (!a || !a->fact.set || a->fact.unknown_rank || !a->fact.rank || !elems(&n->out[0], &m)) return false;
  weft_dim inner = a->fact.dims[a->fact.rank - (transposed && a->fact.rank > 1 ? 2 : 1)];
  return inner >= 0 && weft__mul_i64(m, inner, out);
}

static bool mat_mul(const weft_node *n, int64_t *out) {
  return product(n, flag(n, "transpose_x1"), out);
}
static bool batch_mat_mul(const weft_node *n, int64_t *out) {
  return product(n, flag(n, "adj_x1"), out);
}
static bool gemm(const weft_node *n, int64_t *out) {
  return product(n, flag(n, "transpose_a"), out);
}

static const struct {
  const char *type;
  count_fn count;
} counts[] = {{"Conv", conv},
              {"Conv2D", conv},
              {"ConvTranspose", conv_transpose},
              {"MatMulV2", mat_mul},
              {"BatchMatMulV2", batch_mat_mul},
              {"GEMM", gemm},
              {"DeformConv", conv}};

int64_t weft_node_flops(const weft_node *n) {
  int64_t v, total = 0;
  for (size_t i = 0; i < WEFT_COUNT(counts); i++)
    if (!strcmp(counts[i].type, weft__node_type(n)))
      return counts[i].count(n, &v) && weft__mul_i64(v, 2, &v) ? v : -1;
  for (uint32_t i = 0; i < n->n_graphs; i++)  // as deep as graphs are
    for (const weft_node *k = n->graphs[i]->first; k; k = k->next) {
      v = weft_node_flops(k);
      if (v < 0 || !weft__add_i64(total, v, &total)) return -1;
    }
  return total;
}
