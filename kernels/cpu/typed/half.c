// half.c - kernels of float for float16 and bfloat16: what is stored in halves is widened into a workspace
// first, the kernel of float runs on that, and what it made is rounded to nearest even at the end. Sums and
// all that lies between the operators of a region are float: rounded once, where the result is stored.
// Constants are widened once, when they are packed. For kernels whose work is large beside reading and
// writing the numbers: products, convolutions, attention, recurrent layers. Rows of numbers are better
// converted where they are used (rows.h).
//
// One kernel for each that it stands for, named like it with "-half" behind.
#include "cpu/rows/rows.h"

enum { ARGS = 24, NODES = 24, FEW = 4, WIDE_KEY = -1 };
enum { AS_IS, HALF, BFLOAT };  // how an argument is stored; the last two are widened in each run

typedef struct operand {
  size_t at, n;  // bytes into the workspace, numbers
  uint8_t kind;
} operand;
// Before the record of the kernel of float, which begins at the next multiple of 64.
typedef struct half {
  const weft_kernel *kernel;
  const weft__rows_ops *vec;
  uint32_t n_in, n_out, blocks, phases, workspace;
  operand arg[ARGS];
} half;
enum { HEAD = (sizeof(half) + 63) / 64 * 64, ROOM = HEAD + 2816 };

// The same node, in float.
typedef struct wide {
  weft_tiling t;
  weft_dtype dtype[ARGS];
  const weft_tensor *value[ARGS];
  weft_tensor constant[ARGS];
  float number[ARGS][FEW];
  weft_region region;
  weft_region_node node[NODES];
} wide;

static bool is_half(weft_dtype t) {
  return t == WEFT_FLOAT16 || t == WEFT_BF16;
}

// A constant as the kernel of float sees it: with its numbers where they are few, otherwise only that it is
// one.
static const weft_tensor *half_constant(wide *w, uint32_t i, const weft_tensor *v) {
  weft_tensor *t = &w->constant[i];
  int64_t n = weft_tensor_elems(v);
  *t = *v;
  t->dtype = WEFT_FLOAT;
  t->bytes = (size_t)n * sizeof(float);
  t->data = NULL;
  for (int64_t k = 0; v->data && n <= FEW && k < n; k++) {
    w->number[i][k] = (float)weft_load_f64(v->dtype, v->data, (size_t)k);
    t->data = w->number[i];
  }
  return t;
}

static const char *widen(const weft_tiling *t, wide *w) {
  uint32_t n = t->n_in + t->n_out;
  uint32_t halves = 0;
  for (uint32_t i = 0; i < n; i++)
    halves += is_half(i < t->n_in ? t->in_dtype[i] : t->out_dtype[i - t->n_in]);
  if (!halves)
    return "nothing is f16 or bf16";
  if (n > ARGS || (t->region && t->region->n_nodes > NODES))
    return "more than 24 inputs and outputs, or operators";
  w->t = *t;
  for (uint32_t i = 0; i < n; i++) {
    weft_dtype d = i < t->n_in ? t->in_dtype[i] : t->out_dtype[i - t->n_in];
    w->dtype[i] = is_half(d) ? WEFT_FLOAT : d;
    if (i < t->n_in)
      w->value[i] = t->value[i] && is_half(d) ? half_constant(w, i, t->value[i]) : t->value[i];
  }
  w->t.in_dtype = w->dtype;
  w->t.out_dtype = w->dtype + t->n_in;
  w->t.value = w->value;
  if (!t->region)
    return NULL;
  w->region = *t->region;
  w->region.node = w->node;
  w->t.region = &w->region;
  for (uint32_t k = 0; k < t->region->n_nodes; k++) {
    w->node[k] = t->region->node[k];
    if (is_half(w->node[k].dtype))
      w->node[k].dtype = WEFT_FLOAT;
  }
  return NULL;
}

static const char *refuse_as(const weft_kernel *k, const weft_tiling *t) {
  wide w;
  const char *no = widen(t, &w);
  if (!no && (k->tiling_bytes_max ? k->tiling_bytes_max : 2048) > ROOM - HEAD)
    no = "its record is too large";
  return no ? no : k->refuse(&w.t);
}

static const weft_layout *layout_of(const weft_tiling *t, uint32_t i) {
  return i < t->n_in ? t->in[i] : t->out[i - t->n_in];
}

// What converting adds: 2 bytes read and 4 written, or the other way round, and once more by the kernel.
static double cost_as(const weft_kernel *k, const weft_tiling *t) {
  wide w;
  if (widen(t, &w))
    return 1e30;
  double ns = 600 + (k->cost_ns ? k->cost_ns(&w.t) : 0);
  for (uint32_t i = 0; i < t->n_in + t->n_out; i++) {
    int64_t n = 0;
    if (!is_half(i < t->n_in ? t->in_dtype[i] : t->out_dtype[i - t->n_in]))
      continue;
    if (i < t->n_in && t->value[i])
      continue;
    if (weft_shape_elems(&layout_of(t, i)->storage, &n) || n < 0)
      return 1e30;
    ns += (double)n * 0.12;
  }
  return ns;
}

// Room for what is widened in each run; constants are packed instead.
static weft_status half_place(weft_tiling *t, half *h, size_t *out_bytes) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < t->n_in + t->n_out; i++) {
    weft_dtype d = i < t->n_in ? t->in_dtype[i] : t->out_dtype[i - t->n_in];
    int64_t n;
    size_t own;
    if (!is_half(d))
      continue;
    if (weft_shape_elems(&layout_of(t, i)->storage, &n) || n < 0 ||
        !weft_mul_size((size_t)n, sizeof(float), &own))
      return t->host->fail(t->d, WEFT_E_OVERFLOW, "half: argument %u has no size in float", i);
    bool packs = i < WEFT_COUNT(t->pack_bytes) && i < t->n_in && t->value[i] && own;
    if (packs && !t->pack_bytes[i]) {
      t->pack_bytes[i] = own;
      t->pack_key[i] = (uint64_t)WIDE_KEY;
    }
    if (packs)
      continue;
    h->arg[i] = (operand){bytes, (size_t)n, d == WEFT_BF16 ? BFLOAT : HALF};
    if (own > SIZE_MAX / 4 - bytes)
      return t->host->fail(t->d, WEFT_E_OVERFLOW, "half: too much to widen");
    bytes += (own + 63) / 64 * 64;
  }
  return *out_bytes = bytes, WEFT_OK;
}

static uint32_t overwrites(const weft_tiling *t) {
  uint32_t bits = 0;
  if (t->n_out != 1 || !is_half(t->out_dtype[0]))
    return 0;  // it is written when all have been read
  for (uint32_t i = 0; i < t->n_in && i < 32; i++) {
    if (t->in_dtype[i] == t->out_dtype[0] && weft_shape_equal(&t->in[i]->storage, &t->out[0]->storage))
      bits |= 1u << i;
  }
  return bits;
}

static weft_status tile_as(const weft_kernel *k, weft_tiling *t) {
  wide w;
  half *h = t->data;
  const char *no = widen(t, &w);
  if (no)
    return t->host->fail(t->d, WEFT_E_KERNEL, "half: %s", no);
  w.t.data = (char *)t->data + HEAD;
  w.t.data_cap = t->data_cap - HEAD;
  WEFT_TRY(k->tile(&w.t));
  *h = (half){.kernel = k, .vec = weft__rows_find(t->host), .n_in = t->n_in, .n_out = t->n_out};
  t->key = w.t.key;
  t->scratch_bytes = w.t.scratch_bytes;
  t->skips = w.t.skips;
  t->n_workspaces = w.t.n_workspaces;
  memcpy(t->workspace_bytes, w.t.workspace_bytes, sizeof t->workspace_bytes);
  memcpy(t->pack_bytes, w.t.pack_bytes, sizeof t->pack_bytes);
  memcpy(t->pack_key, w.t.pack_key, sizeof t->pack_key);
  if (t->n_workspaces + 2 > WEFT_COUNT(t->workspace_bytes))
    return t->host->fail(t->d, WEFT_E_LIMIT, "half: %u workspaces", t->n_workspaces);
  h->blocks = WEFT_MAX(w.t.blocks, 1);
  h->phases = WEFT_MAX(w.t.phases, 1);
  h->workspace = t->n_workspaces;
  size_t bytes;
  WEFT_TRY(half_place(t, h, &bytes));
  t->workspace_bytes[t->n_workspaces++] = WEFT_MAX(bytes, 64);
  size_t own = WEFT_MIN(bytes / (128 << 10), 64);
  t->blocks = WEFT_MAX(h->blocks, (uint32_t)own);
  t->phases = h->phases + 2;
  t->overwrite = overwrites(t);
  t->data_bytes = HEAD + w.t.data_bytes;
  return WEFT_OK;
}

// The block's share of what is converted before ([0, n_in)) or after the kernel.
static void half_convert(const half *h, const weft_block *b, uint32_t first, uint32_t end, bool back) {
  char *room = b->workspace[h->workspace];
  for (uint32_t i = first; i < end; i++) {
    const operand *a = &h->arg[i];
    if (a->kind == AS_IS || !b->arg[i])
      continue;
    size_t lines = (a->n + 63) / 64;
    size_t from = lines * b->block / b->blocks * 64;
    size_t to = WEFT_MIN(lines * (b->block + 1) / b->blocks * 64, a->n);
    uint16_t *halves = (uint16_t *)b->arg[i] + from;
    float *floats = (float *)(void *)(room + a->at) + from;
    if (from >= to)
      continue;
    if (back)
      h->vec->narrow[a->kind == BFLOAT](floats, halves, to - from);
    else
      h->vec->widen[a->kind == BFLOAT](halves, floats, to - from);
  }
}

static weft_status half_run(const weft_block *b) {
  const half *h = b->data;
  uint32_t n = h->n_in + h->n_out;
  void *arg[ARGS];
  if (b->phase == 0)
    return half_convert(h, b, 0, h->n_in, false), WEFT_OK;
  if (b->phase > h->phases)
    return half_convert(h, b, h->n_in, n, true), WEFT_OK;
  if (b->block >= h->blocks)
    return WEFT_OK;
  weft_block_run of = {.block = *b};
  weft_block *own = &of.block;
  if (b->size >= sizeof of)
    of = *(const weft_block_run *)(const void *)b;
  own->phase = b->phase - 1;
  own->blocks = h->blocks;
  own->data = (const char *)b->data + HEAD;
  own->arg = arg;
  for (uint32_t i = 0; i < n; i++) {
    arg[i] =
        h->arg[i].kind == AS_IS || !b->arg[i] ? b->arg[i] : (char *)b->workspace[h->workspace] + h->arg[i].at;
  }
  return h->kernel->run(own);
}

// The constant comes in float (WEFT_KERNEL_FLOATS).
static weft_status pack_as(const weft_kernel *k, const weft_packing *p) {
  enum { PIECE = 128 << 10 };
  if (p->key != (uint64_t)WIDE_KEY)
    return k->pack(p);
  for (size_t at = 0; at < p->bytes; at += PIECE) {
    size_t n = WEFT_MIN(PIECE, p->bytes - at);
    const void *from = weft_packing_read(p, at, n);
    if (!from)
      return WEFT_E_NOMEM;
    memcpy((char *)p->to + at, from, n);
  }
  return WEFT_OK;
}

#define HALF_KERNEL(half, operator, symbol, kernel, more)               \
  extern const weft_kernel weft__kernel_##symbol;                       \
  static const char *refuse_##symbol(const weft_tiling *t) {            \
    return refuse_as(&weft__kernel_##symbol, t);                        \
  }                                                                     \
  static double cost_##symbol(const weft_tiling *t) {                   \
    return cost_as(&weft__kernel_##symbol, t);                          \
  }                                                                     \
  static weft_status pack_##symbol(const weft_packing *p) {             \
    return pack_as(&weft__kernel_##symbol, p);                          \
  }                                                                     \
  static weft_status tile_##symbol(weft_tiling *t) {                    \
    return tile_as(&weft__kernel_##symbol, t);                          \
  }                                                                     \
  const weft_kernel weft__kernel_##half = {.size = sizeof(weft_kernel), \
                                           .op = operator,              \
                                           .device = "cpu",             \
                                           .name = kernel "-half",      \
                                           .tiling_bytes_max = ROOM,    \
                                           .refuse = refuse_##symbol,   \
                                           .cost_ns = cost_##symbol,    \
                                           .pack = pack_##symbol,       \
                                           .tile = tile_##symbol,       \
                                           .run = half_run,             \
                                           .flags = WEFT_KERNEL_FLOATS | (more)};
// How the kernel that it stands for packs; one that packs nothing has constants widened only.
enum { PIECES = WEFT_KERNEL_PACKS_PIECES, BLOCKED = WEFT_KERNEL_PACKED | PIECES };
// clang-format off
HALF_KERNEL(half_gemm_BatchMatMulV2, "BatchMatMulV2", gemm_BatchMatMulV2, "gemm", PIECES)
HALF_KERNEL(half_gemm_fused, "Fused", gemm_fused, "gemm", PIECES)
HALF_KERNEL(half_gemm_GEMM, "GEMM", gemm_GEMM, "gemm", PIECES)
HALF_KERNEL(half_gemm_MatMulV2, "MatMulV2", gemm_MatMulV2, "gemm", PIECES)
HALF_KERNEL(half_conv_Conv, "Conv", conv_Conv, "conv", PIECES)
HALF_KERNEL(half_conv_Conv2D, "Conv2D", conv_Conv2D, "conv", PIECES)
HALF_KERNEL(half_conv_transpose, "ConvTranspose", conv_transpose, "conv", PIECES)
HALF_KERNEL(half_conv_transpose_fused, "Fused", conv_transpose_fused, "conv-transpose", PIECES)
HALF_KERNEL(half_conv_transpose_planes, "ConvTranspose", conv_transpose_planes, "planes", 0)
HALF_KERNEL(half_conv_transpose_planes_fused, "Fused", conv_transpose_planes_fused, "planes", 0)
HALF_KERNEL(half_conv_fused, "Fused", conv_fused, "conv", PIECES)
HALF_KERNEL(half_conv_small_Conv, "Conv", conv_small_Conv, "conv-small", PIECES)
HALF_KERNEL(half_conv_small_Conv2D, "Conv2D", conv_small_Conv2D, "conv-small", PIECES)
HALF_KERNEL(half_conv_small_fused, "Fused", conv_small_fused, "conv-small", PIECES)
HALF_KERNEL(half_conv_taps_Conv, "Conv", conv_taps_Conv, "conv-taps", PIECES)
HALF_KERNEL(half_conv_taps_Conv2D, "Conv2D", conv_taps_Conv2D, "conv-taps", PIECES)
HALF_KERNEL(half_conv_taps_fused, "Fused", conv_taps_fused, "conv-taps", PIECES)
HALF_KERNEL(half_depthwise_Conv, "Conv", depthwise_Conv, "depthwise", PIECES)
HALF_KERNEL(half_depthwise_Conv2D, "Conv2D", depthwise_Conv2D, "depthwise", PIECES)
HALF_KERNEL(half_depthwise_fused, "Fused", depthwise_fused, "depthwise", PIECES)
HALF_KERNEL(half_blocked_conv_fused, "Fused", blocked_conv_fused, "blocked-conv", BLOCKED)
HALF_KERNEL(half_blocked_winograd_fused, "Fused", blocked_winograd_fused, "blocked-winograd", BLOCKED)
HALF_KERNEL(half_blocked_depthwise_fused, "Fused", blocked_depthwise_fused, "blocked-depthwise", BLOCKED)
HALF_KERNEL(half_blocked_lrn, "Fused", blocked_lrn, "blocked-lrn", BLOCKED)
HALF_KERNEL(half_attention, "PromptFlashAttention", attention, "attention", PIECES)
HALF_KERNEL(half_mat_mul_n_bits, "MatMulNBits", mat_mul_n_bits, "packed-weights", 0)
HALF_KERNEL(half_recurrent_lstm, "CommonLSTM", recurrent_lstm, "recurrent", 0)
HALF_KERNEL(half_recurrent_gru, "CommonGRU", recurrent_gru, "recurrent", 0)
HALF_KERNEL(half_recurrent_rnn, "CommonRNN", recurrent_rnn, "recurrent", 0)
HALF_KERNEL(half_col2im, "Col2Im", col2im, "rows", 0)
HALF_KERNEL(half_grid_sample, "GridSample", grid_sample, "gathered", 0)
HALF_KERNEL(half_roi_align, "RoiAlign", roi_align, "pairs", 0)
HALF_KERNEL(half_resize_axes, "Resize", resize_axes, "axes", 0)
HALF_KERNEL(half_top_k, "TopKV2", top_k, "top_k", PIECES)
HALF_KERNEL(half_arg_max, "ArgMaxV2", arg_max, "arg", PIECES)
HALF_KERNEL(half_arg_min, "ArgMin", arg_min, "arg", PIECES)
HALF_KERNEL(half_cumsum, "Cumsum", cumsum, "scan", 0)
// clang-format on
// SPDX-License-Identifier: Apache-2.0
