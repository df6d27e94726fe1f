// prompt_flash_attention.rule.h - ports, attributes and layouts of PromptFlashAttention. Pure: the operator,
// its kernel and what counts its work read them by this.
#pragma once
#include "op_slots.h"
#include "weft/op.h"

// Ports; those behind them are refused.
enum { WEFT__QUERY, WEFT__KEY, WEFT__VALUE, WEFT__SHIFT, WEFT__MASK, WEFT__ATTENTION_PORTS };
// Attributes.
enum {
  WEFT__HEADS = WEFT_SLOT_PROMPT_FLASH_ATTENTION_NUM_HEADS,
  WEFT__SCALE = WEFT_SLOT_PROMPT_FLASH_ATTENTION_SCALE_VALUE,
  WEFT__PRE_TOKENS = WEFT_SLOT_PROMPT_FLASH_ATTENTION_PRE_TOKENS,
  WEFT__NEXT_TOKENS = WEFT_SLOT_PROMPT_FLASH_ATTENTION_NEXT_TOKENS,
  WEFT__LAYOUT = WEFT_SLOT_PROMPT_FLASH_ATTENTION_INPUT_LAYOUT,
  WEFT__KV_HEADS = WEFT_SLOT_PROMPT_FLASH_ATTENTION_NUM_KEY_VALUE_HEADS,
  WEFT__SPARSE_MODE = WEFT_SLOT_PROMPT_FLASH_ATTENTION_SPARSE_MODE,
  WEFT__INNER_PRECISE = WEFT_SLOT_PROMPT_FLASH_ATTENTION_INNER_PRECISE,
  WEFT__KEY_LAYOUT = WEFT_SLOT_PROMPT_FLASH_ATTENTION_KEY_LAYOUT,
  WEFT__VALUE_LAYOUT = WEFT_SLOT_PROMPT_FLASH_ATTENTION_VALUE_LAYOUT,
  WEFT__OUT_LAYOUT = WEFT_SLOT_PROMPT_FLASH_ATTENTION_OUTPUT_LAYOUT,
  WEFT__MASK_VALUE = WEFT_SLOT_PROMPT_FLASH_ATTENTION_MASK_VALUE,
};

// Dims and strides in the order batch, head, sequence, number (of a mask: key). A dim of 1 has stride 0; the
// last one has it in masks only.
typedef struct weft__attention_side {
  size_t dim[4], step[4];
} weft__attention_side;

// The layout of query, key, value (0 to 2) or the output (3).
static inline const char *weft__attention_layout(const weft_op_desc *n, int which) {
  const char *all = weft_node_str(n, WEFT__LAYOUT);
  const char *own = which ? weft_node_str(n, WEFT__KEY_LAYOUT + (uint32_t)which - 1) : "";
  if (*own)
    return own;
  if (strcmp(all, "BNSD_BSND"))
    return all;
  return which == 3 ? "BSND" : "BNSD";
}

static inline int64_t weft__attention_heads(const weft_op_desc *n, bool kv) {
  int64_t some = weft_node_int(n, WEFT__KV_HEADS);
  return kv && some ? some : weft_node_int(n, WEFT__HEADS);
}

// Of a tensor with known dims and the layout's rank.
static inline void weft__attention_read(weft__attention_side *s, const weft_shape *shape, const char *layout,
                                        size_t heads) {
  const weft_dim *d = shape->dim;
  bool joined = !strcmp(layout, "BSH");
  bool turned = !strcmp(layout, "BNDS");
  bool by_head = layout[1] == 'N';
  size_t batches = (size_t)d[0];
  size_t length = (size_t)d[turned ? 3 : by_head ? 2 : 1];
  size_t size = joined ? (size_t)d[2] / heads : (size_t)d[turned ? 2 : 3];
  *s = (weft__attention_side){.dim = {batches, heads, length, size},
                              .step = {length * heads * size, by_head ? length * size : size,
                                       turned    ? 1
                                       : by_head ? size
                                                 : heads * size,
                                       turned ? length : 1}};
  for (int i = 0; i < 3; i++) {
    if (s->dim[i] == 1)
      s->step[i] = 0;
  }
}

// Of pse_shift or atten_mask.
static inline void weft__attention_read_mask(weft__attention_side *s, const weft_shape *shape) {
  size_t step = 1;
  for (size_t i = 4; i-- > 0;) {
    s->dim[i] = i + shape->rank < 4 ? 1 : (size_t)shape->dim[i + shape->rank - 4];
    s->step[i] = s->dim[i] == 1 ? 0 : step;
    step *= s->dim[i];
  }
}

// The band of keys that a query sees besides what the mask says: [query + offset - pre, query + offset +
// next]. From WEFT__UNLIMITED on: all.
enum { WEFT__UNLIMITED = INT32_MAX / 2 };
typedef struct weft__attention_band {
  int64_t pre, next, offset;
} weft__attention_band;

static inline int64_t weft__attention_tokens(const weft_op_desc *n, uint32_t slot) {
  int64_t v = weft_node_int(n, slot);
  return v < -WEFT__UNLIMITED ? -WEFT__UNLIMITED : v > WEFT__UNLIMITED ? WEFT__UNLIMITED : v;
}
static inline weft__attention_band weft__attention_band_of(const weft_op_desc *n, size_t queries,
                                                           size_t keys) {
  int64_t mode = weft_node_int(n, WEFT__SPARSE_MODE);
  bool taken = mode == 4 || (mode == 0 && weft_port_in(n, WEFT__MASK, 0) >= 0);
  return (weft__attention_band){.pre = taken ? weft__attention_tokens(n, WEFT__PRE_TOKENS) : WEFT__UNLIMITED,
                                .next = taken ? weft__attention_tokens(n, WEFT__NEXT_TOKENS)
                                        : mode == 2 || mode == 3 ? 0
                                                                 : WEFT__UNLIMITED,
                                .offset = mode >= 3 ? (int64_t)keys - (int64_t)queries : 0};
}
static inline bool weft__attention_sees_all(const weft__attention_band *b) {
  return b->pre == WEFT__UNLIMITED && b->next == WEFT__UNLIMITED;
}
// Of the n keys from `first` on, [low, high) are those that the query sees.
static inline void weft__attention_seen(const weft__attention_band *b, size_t query, size_t first, size_t n,
                                        size_t *low, size_t *high) {
  int64_t at = (int64_t)query + b->offset - (int64_t)first;
  int64_t most = (int64_t)n;
  int64_t from = 0;
  int64_t to = most;
  if (b->pre < WEFT__UNLIMITED)
    from = at - b->pre;
  if (b->next < WEFT__UNLIMITED)
    to = at + b->next + 1;
  from = from < 0 ? 0 : from > most ? most : from;
  to = to < from ? from : to > most ? most : to;
  *low = (size_t)from;
  *high = (size_t)to;
}
// SPDX-License-Identifier: Apache-2.0
