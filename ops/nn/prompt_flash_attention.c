// ops/nn/prompt_flash_attention.c - y = softmax(scale_value * q k' + pse_shift) v for each batch and head.
// AscendIR PromptFlashAttention; the pattern of exporters and what ONNX Attention-23 computes. A group of
// query heads shares a head of key and value. Keys that atten_mask or the band excludes have the score
// mask_value; a query that may see none gives NaN, or 0 when inner_precise is 2 or 3. Values of keys that it
// may not see count with the weight 0, as in the pattern: one that is infinite or NaN makes y NaN. Without
// any keys the sum is 0. Layouts: BSH, BSND, BNSD; keys, values and output may have others than the query
// (key_layout, value_layout, output_layout; "BNSD_BSND" is the query's and the output's; BNDS are keys turned
// over). Bands: sparse_mode 0 with a mask and 4 take pre_tokens and next_tokens, 2 is causal from the first
// key on, 3 up to the last; 1 takes the mask alone. Dims of batch, query and mask are broadcast. Sums in
// double, rounded once.
#include "arrays.h"
#include "nn/prompt_flash_attention.rule.h"

enum { B, N, S, D };
enum { LAST_UNUSED = 11 };

static bool is_joined(const char *layout) {
  return !strcmp(layout, "BSH");
}
// Dims of input `port` in the order B, N, S, D; false: unknown rank.
static weft_status prompt_flash_attention_dims_of(const weft_infer *it, uint32_t port, weft_dim dim[4],
                                                  bool *known) {
  char what[64];
  const char *layout = weft__attention_layout(it->desc, (int)port);
  const char *name = weft__in_name(it->desc, port);
  const weft_shape *s = it->in[port];
  int64_t heads = weft__attention_heads(it->desc, port != WEFT__QUERY);
  bool joined = is_joined(layout);
  WEFT_TRY(weft__expect_rank(it, port, joined ? 3 : 4, joined ? 3 : 4));
  *known = !weft_shape_is_unknown_rank(s);
  if (!*known)
    return WEFT_OK;
  dim[B] = s->dim[0];
  dim[N] = heads;
  if (joined) {
    dim[S] = s->dim[1];
    dim[D] = weft__dim_part(it, s->dim[2], heads);
    if (s->dim[2] >= 0 && s->dim[2] % heads) {
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': dim 2 is %lld, which %lld heads do not divide", name,
                       (long long)s->dim[2], (long long)heads);
    }
    return WEFT_OK;
  }
  size_t n = layout[1] == 'N' ? 1 : 2;
  size_t last = layout[3] == 'S' ? 2 : 3;
  dim[S] = s->dim[last == 2 ? 3 : 3 - n];
  dim[D] = s->dim[last];
  snprintf(what, sizeof what, "the number of heads and dim %zu of input '%s'", n, name);
  return weft__merge_dim(it, heads, s->dim[n], what, &heads);
}

static weft_status prompt_flash_attention_check(const weft_infer *it) {
  uint32_t in;
  int64_t q = weft__attention_heads(it->desc, false);
  int64_t kv = weft__attention_heads(it->desc, true);
  for (uint32_t port = WEFT__ATTENTION_PORTS; port <= LAST_UNUSED; port++) {
    if (weft__has_in(it->desc, port, &in)) {
      return weft_fail(it->d, WEFT_E_UNSUPPORTED,
                       "input '%s': lengths and quantised attention are not supported",
                       weft__in_name(it->desc, in));
    }
  }
  if (it->in_dtype[WEFT__QUERY] == WEFT_INT8)
    return weft_fail(it->d, WEFT_E_UNSUPPORTED, "input 'query': quantised attention is not supported");
  if (q % kv) {
    return weft_fail(it->d, WEFT_E_INVALID,
                     "attribute 'num_heads': %lld is not a multiple of num_key_value_heads %lld",
                     (long long)q, (long long)kv);
  }
  return WEFT_OK;
}

// One more operand of the scores: shape [batch, query, key] of its dims.
static weft_status prompt_flash_attention_join(weft_infer *it, weft_dim b, weft_dim s, weft_dim t,
                                               weft_shape *all) {
  const weft_shape more = {.rank = 3, .dim = {b, s, t}};
  return weft__broadcast(it, all, &more, all);
}
// pse_shift and atten_mask: [S, T] or [B, N, S, T].
static weft_status join_port(weft_infer *it, uint32_t port, weft_shape *all) {
  uint32_t in;
  char what[64];
  weft_dim heads = weft__attention_heads(it->desc, false);
  if (!weft__has_in(it->desc, port, &in) || weft_shape_is_unknown_rank(it->in[in]))
    return WEFT_OK;
  const weft_shape *s = it->in[in];
  const char *name = weft__in_name(it->desc, in);
  if (s->rank != 2 && s->rank != 4)
    return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected rank 2 or 4, got %zu", name, s->rank);
  bool batched = s->rank == 4;
  snprintf(what, sizeof what, "the number of heads and dim 1 of input '%s'", name);
  if (batched && s->dim[1] != 1)
    WEFT_TRY(weft__merge_dim(it, heads, s->dim[1], what, &heads));
  return prompt_flash_attention_join(it, batched ? s->dim[0] : 1, s->dim[s->rank - 2], s->dim[s->rank - 1],
                                     all);
}

static weft_status prompt_flash_attention_infer(weft_infer *it) {
  weft_dim q[4];
  weft_dim k[4];
  weft_dim v[4];
  bool has_q;
  bool has_k;
  bool has_v;
  weft_shape all = {.rank = 3, .dim = {1, 1, 1}};
  WEFT_TRY(prompt_flash_attention_check(it));
  WEFT_TRY(prompt_flash_attention_dims_of(it, WEFT__QUERY, q, &has_q));
  WEFT_TRY(prompt_flash_attention_dims_of(it, WEFT__KEY, k, &has_k));
  WEFT_TRY(prompt_flash_attention_dims_of(it, WEFT__VALUE, v, &has_v));
  const char *layout = weft__attention_layout(it->desc, 3);
  if (!has_q || !has_k || !has_v)
    return weft__unknown_dims(it, 0, is_joined(layout) ? 3 : 4);
  WEFT_TRY(weft__merge_dim(it, q[D], k[D], "head sizes of query and key", &q[D]));
  WEFT_TRY(prompt_flash_attention_join(it, q[B], q[S], 1, &all));
  WEFT_TRY(prompt_flash_attention_join(it, k[B], 1, k[S], &all));
  WEFT_TRY(join_port(it, WEFT__SHIFT, &all));
  WEFT_TRY(join_port(it, WEFT__MASK, &all));
  WEFT_TRY(weft__merge_dim(it, all.dim[2], v[S], "the number of keys and that of values", &v[S]));
  WEFT_TRY(prompt_flash_attention_join(it, v[B], 1, 1, &all));
  int64_t heads = weft__attention_heads(it->desc, false);
  if (is_joined(layout)) {
    return weft_set_out_shape(
        it, 0, (weft_dim[]){all.dim[0], all.dim[1], weft_dim_mul(it->symbols, v[D], heads)}, 3);
  }
  bool by_head = layout[1] == 'N';
  return weft_set_out_shape(
      it, 0, (weft_dim[]){all.dim[0], by_head ? heads : all.dim[1], by_head ? all.dim[1] : heads, v[D]}, 4);
}

// ---- reference ----
typedef struct side {
  weft__attention_side s;
  const double *x;
} side;

typedef struct run {
  const weft_op_desc *desc;
  side q, k, v, y, shift, mask;
  size_t batches, heads, group, queries, keys;
  weft__attention_band band;
  double scale, masked, *p;
  weft_tensor *out;
} run;

// The score of a key; *out_seen: band, mask and shift let it be seen.
static double score(const run *r, size_t b, size_t h, size_t s, size_t t, bool in_band, bool *out_seen) {
  size_t at =
      b * r->shift.s.step[B] + h * r->shift.s.step[N] + s * r->shift.s.step[S] + t * r->shift.s.step[D];
  double shift = r->shift.x ? r->shift.x[at] : 0, sum = 0;
  at = b * r->mask.s.step[B] + h * r->mask.s.step[N] + s * r->mask.s.step[S] + t * r->mask.s.step[D];
  if (!in_band || (r->mask.x && r->mask.x[at] != 0)) {
    *out_seen = in_band && r->masked != -INFINITY;
    return in_band ? r->masked : -INFINITY;
  }
  *out_seen = shift != -INFINITY;
  const double *q = r->q.x + b * r->q.s.step[B] + h * r->q.s.step[N] + s * r->q.s.step[S];
  const double *k = r->k.x + b * r->k.s.step[B] + h / r->group * r->k.s.step[N] + t * r->k.s.step[S];
  for (size_t i = 0; i < r->q.s.dim[D]; i++)
    sum += q[i] * k[i * r->k.s.step[D]];
  return sum * r->scale + shift;
}

static void one_row(const run *r, size_t b, size_t h, size_t s) {
  size_t first;
  size_t end;
  size_t to = b * r->y.s.step[B] + h * r->y.s.step[N] + s * r->y.s.step[S];
  double most = -INFINITY, all = 0;
  bool any = false;
  bool nan = false;
  bool fix = weft_node_int(r->desc, WEFT__INNER_PRECISE) & 2;
  weft__attention_seen(&r->band, s, 0, r->keys, &first, &end);
  for (size_t t = 0; t < r->keys; t++) {
    bool seen;
    double x = r->p[t] = score(r, b, h, s, t, t >= first && t < end, &seen);
    any |= seen;
    nan |= isnan(x);
    most = x > most ? x : most;
  }
  for (size_t t = 0; t < r->keys; t++)
    all += r->p[t] = nan ? NAN : exp(r->p[t] - most);
  for (size_t i = 0; i < r->v.s.dim[D]; i++) {
    double sum = 0;
    const double *v = r->v.x + b * r->v.s.step[B] + h / r->group * r->v.s.step[N] + i;
    for (size_t t = 0; t < r->keys && (any || !fix); t++)
      sum += r->p[t] / all * v[t * r->v.s.step[S]];
    weft_store_f64(r->out->dtype, r->out->data, to + i, sum);
  }
}

static weft_status prompt_flash_attention_load(const weft_call *c, uint32_t port, side *s, bool mask) {
  uint32_t in;
  double *x;
  if (!weft__has_in(c->desc, port, &in))
    return WEFT_OK;
  WEFT_TRY(weft__load_f64s(c, c->in[in], &x));
  s->x = x;
  if (mask)
    weft__attention_read_mask(&s->s, &c->in[in]->layout.origin);
  else {
    weft__attention_read(&s->s, &c->in[in]->layout.origin, weft__attention_layout(c->desc, (int)port),
                         (size_t)weft__attention_heads(c->desc, port != WEFT__QUERY));
  }
  return WEFT_OK;
}

static weft_status prompt_flash_attention_ref(const weft_call *c) {
  run r = {.desc = c->desc, .out = c->out[0]};
  size_t work = 0;
  void *space;
  if (weft__call_gives_nothing(c))  // as many queries of nothing as the input claims
    return WEFT_OK;
  WEFT_TRY(prompt_flash_attention_load(c, WEFT__QUERY, &r.q, false));
  WEFT_TRY(prompt_flash_attention_load(c, WEFT__KEY, &r.k, false));
  WEFT_TRY(prompt_flash_attention_load(c, WEFT__VALUE, &r.v, false));
  WEFT_TRY(prompt_flash_attention_load(c, WEFT__SHIFT, &r.shift, true));
  WEFT_TRY(prompt_flash_attention_load(c, WEFT__MASK, &r.mask, true));
  r.heads = (size_t)weft__attention_heads(c->desc, false);
  r.group = r.heads / (size_t)weft__attention_heads(c->desc, true);
  weft__attention_read(&r.y.s, &r.out->layout.origin, weft__attention_layout(c->desc, 3), r.heads);
  r.batches = r.y.s.dim[B];
  r.queries = r.y.s.dim[S];
  r.keys = r.v.s.dim[S];
  r.band = weft__attention_band_of(c->desc, r.queries, r.keys);
  r.scale = (double)weft_node_float(c->desc, WEFT__SCALE);
  r.masked = (double)weft_node_float(c->desc, WEFT__MASK_VALUE);
  WEFT_TRY(weft__scratch(c, r.keys + 1, &space));
  r.p = space;
  for (size_t b = 0; b < r.batches; b++) {
    for (size_t h = 0; h < r.heads; h++) {
      for (size_t s = 0; s < r.queries; s++) {
        WEFT_TRY(weft__poll_work(c, &work, r.keys * (r.q.s.dim[D] + r.v.s.dim[D] + 4)));
        one_row(&r, b, h, s);
      }
    }
  }
  return WEFT_OK;
}

#define FLOATS (WEFT_DT(FLOAT) | WEFT_DT(FLOAT16) | WEFT_DT(BF16))
#define UNUSED(name, set) \
  { name, NULL, set, .kind = WEFT_OPTIONAL }
#define LAYOUT_RULE "one of |BSH|BSND|BNSD"
WEFT_OP(prompt_flash_attention) = {
    WEFT_OP_HEAD,
    .name = "PromptFlashAttention",
    .summary = "attention: softmax of scaled products with keys, masked, times values",
    .in = PORTS({"query", "T"}, {"key", "T"}, {"value", "T"}, UNUSED("pse_shift", FLOATS),
                UNUSED("atten_mask", WEFT_DT(FLOAT16) | WEFT_DT(INT8) | WEFT_DT(UINT8) | WEFT_DT(BOOL)),
                UNUSED("actual_seq_lengths", WEFT_DT(INT64)), UNUSED("actual_seq_lengths_kv", WEFT_DT(INT64)),
                UNUSED("deq_scale1", WEFT_DT(FLOAT) | WEFT_DT(UINT64)),
                UNUSED("quant_scale1", WEFT_DT(FLOAT)),
                UNUSED("deq_scale2", WEFT_DT(FLOAT) | WEFT_DT(UINT64)),
                UNUSED("quant_scale2", WEFT_DT(FLOAT) | WEFT_DT(BF16)),
                UNUSED("quant_offset2", WEFT_DT(FLOAT) | WEFT_DT(BF16))),
    .out = PORTS({"attention_out", "T"}),
    .types = TYPES({"T", FLOATS | WEFT_DT(INT8)}),
    .attrs = ATTRS({"num_heads", "Int", NULL, "min 1;max 1048576"}, {"scale_value", "Float", "1.0"},
                   {"pre_tokens", "Int", "214748647"}, {"next_tokens", "Int", "0"},
                   {"input_layout", "String", "\"BSH\"", "one of BSH|BSND|BNSD|BNSD_BSND"},
                   {"num_key_value_heads", "Int", "0", "min 0;max 1048576"},
                   {"sparse_mode", "Int", "0", "min 0;max 4"}, {"inner_precise", "Int", "1", "min 0;max 3"},
                   {"key_layout", "String", "\"\"", LAYOUT_RULE "|BNDS", .ext = 1},
                   {"value_layout", "String", "\"\"", LAYOUT_RULE, .ext = 1},
                   {"output_layout", "String", "\"\"", LAYOUT_RULE, .ext = 1},
                   {"mask_value", "Float", "-inf", .ext = 1}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = prompt_flash_attention_infer,
    .ref = prompt_flash_attention_ref,
    .examples = WEFT_EXAMPLES(
        // scores 0 and 0: the mean of the values
        "f32[1,1,2]{1,0}, f32[1,2,2]{0,5,0,7}, f32[1,2,2]{1,2,3,6} num_heads=1 -> f32[1,1,2]{2,4}",
        // two heads; the second sees 3 times ln 2 more of the first key: 8/9 and 1/9
        "f32[1,1,2]{0,3}, f32[1,2,2]{1,0.6931472,1,0}, f32[1,2,2]{1,9,3,18} num_heads=2 "
        "-> f32[1,1,2]{2,10} ~1e-6",
        // shared keys and values, by head; scale 0
        "f32[1,2,1,1]{4,5}, f32[1,1,2,1]{7,8}, f32[1,1,2,1]{2,4} num_heads=2 num_key_value_heads=1 "
        "scale_value=0 input_layout=\"BNSD\" -> f32[1,2,1,1]{3,3}",
        // a mask and a shift
        "f32[1,1,1]{1}, f32[1,3,1]{0,0,0}, f32[1,3,1]{1,2,4}, f32[1,3]{0,-inf,0}, bool[1,3]{1,0,0} "
        "num_heads=1 "
        "next_tokens=9 -> f32[1,1,1]{4}",
        "f32[1,1,1]{1}, f32[1,2,1]{0,0}, f32[1,2,1]{1,3}, _, bool[1,2]{1,1} num_heads=1 next_tokens=9 "
        "-> f32[1,1,1]{nan}",
        "f32[1,1,1]{1}, f32[1,2,1]{0,0}, f32[1,2,1]{1,3}, _, bool[1,2]{1,1} num_heads=1 next_tokens=9 "
        "mask_value=-9 -> f32[1,1,1]{2}",
        "f32[1,1,1]{1}, f32[1,2,1]{0,0}, f32[1,2,1]{1,3}, _, bool[1,2]{1,1} num_heads=1 inner_precise=2 "
        "-> f32[1,1,1]{0}",
        // a NaN behind a mask
        "f32[1,1,1]{1}, f32[1,2,1]{0,0}, f32[1,2,1]{1,nan}, _, bool[1,2]{0,1} num_heads=1 next_tokens=9 "
        "-> f32[1,1,1]{nan}",
        // causal: up to the key of the same number, up to the last key, a band
        "f32[1,2,1]{1,1}, f32[1,3,1]{0,0,0}, f32[1,3,1]{2,4,6} num_heads=1 sparse_mode=2 -> f32[1,2,1]{2,3}",
        "f32[1,2,1]{1,1}, f32[1,3,1]{0,0,0}, f32[1,3,1]{2,4,6} num_heads=1 sparse_mode=3 -> f32[1,2,1]{3,4}",
        "f32[1,2,1]{1,1}, f32[1,3,1]{0,0,0}, f32[1,3,1]{2,4,6} num_heads=1 sparse_mode=4 pre_tokens=0 "
        "-> f32[1,2,1]{4,6}",
        // no keys; layouts; unknown dims
        "f16[1,1,2]{1,2}, f16[1,0,2]{}, f16[1,0,2]{} num_heads=1 -> f16[1,1,2]{0,0}",
        "f32[2,3,4,8], f32[2,4,7,8], f32[2,7,4,5], f32[1,1,3,7] num_heads=4 input_layout=\"BSND\" "
        "key_layout=\"BNSD\" -> f32[2,3,4,5]",
        "f32[2,4,3,8], f32[2,4,7,8], f32[2,4,7,5] num_heads=4 input_layout=\"BNSD_BSND\" -> f32[2,3,4,5]",
        "f32[1,1,1,2]{1,2}, f32[1,1,2,2]{0,0.6931472,0,0}, f32[1,1,2,1]{3,6} num_heads=1 "
        "input_layout=\"BNSD\" "
        "key_layout=\"BNDS\" -> f32[1,1,1,1]{5} ~1e-6",
        "f32[-1,4,-1,8], f32[-1,4,9,8], f32[-1,4,9,8] num_heads=4 input_layout=\"BNSD\" "
        "output_layout=\"BSH\" "
        "-> f32[-1,-1,32]",
        "f32[1,1,4], f32[1,2,6], f32[1,2,4] num_heads=2 !! E_SHAPE head sizes",
        "f32[1,1,4], f32[1,2,4], f32[1,3,4] num_heads=2 !! E_SHAPE the number of keys",
        "f32[1,1,3], f32[1,2,4], f32[1,2,4] num_heads=2 !! E_SHAPE which 2 heads do not divide",
        "f32[1,3,1,4], f32[1,2,1,4], f32[1,2,1,4] num_heads=2 input_layout=\"BNSD\" !! E_SHAPE number of "
        "heads",
        "i8[1,1,4], i8[1,2,4], i8[1,2,4] num_heads=2 !! E_UNSUPPORTED quantised"),
};
// SPDX-License-Identifier: Apache-2.0
