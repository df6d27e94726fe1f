// attention_plan.h - how attention.c goes over its queries, keys and values, and how attention_finish.c ends
// a run of rows.
#pragma once
#include "cpu/attention/attention_block.h"
#include "cpu/bf16/bf16_block.h"
#include "cpu/move/move_ops.h"
#include "nn/prompt_flash_attention.rule.h"

enum { WEFT__ATTENTION_B, WEFT__ATTENTION_N, WEFT__ATTENTION_S, WEFT__ATTENTION_D };  // axes
enum { WEFT__ATTENTION_AHEAD = 8 };  // rows that are fetched before they are used

typedef struct weft__attention_operand {
  weft__attention_side s;
  int32_t arg;  // of the launch; -1: absent
} weft__attention_operand;

typedef struct weft__attention_plan {
  const weft__gemm_ops *gemm;
  const weft__bf16_ops *pairs;  // NULL: float
  const weft__attention_ops *ops;
  const weft__move_ops *vec;
  weft__attention_operand in[WEFT__ATTENTION_PORTS];
  weft__attention_operand y;
  size_t batches;
  size_t heads;
  size_t kv_heads;
  size_t group;  // heads that share keys and values
  size_t queries;
  size_t keys;
  size_t size;       // of a query and a key
  size_t width;      // of a value
  size_t most_rows;  // of a tile
  size_t steps;      // of a score: numbers of a head, or pairs of them
  size_t rows;       // of a unit at most
  size_t parts;      // units of a head
  size_t units;
  size_t tile;    // keys of a tile
  size_t padded;  // width in whole panels
  // In the scratch, in floats.
  size_t at_acc;
  size_t at_most;
  size_t at_keys;
  size_t at_values;
  size_t at_p;
  size_t at_pairs;
  size_t at_sums;
  size_t p_row;
  float scale;
  float masked;
  weft__attention_band band;
  bool zero_rows;
  bool few;
} weft__attention_plan;

// Rows of queries that share a head of keys and values. Row i is row first + i of the group.
typedef struct weft__attention_unit {
  const weft__attention_plan *p;
  // In the scratch.
  float *q;
  float *acc;
  float *most;
  float *sum;
  float *keys;
  float *values;
  float *weights;
  float *pairs;  // of weights
  float *sums;
  const float *k;  // of this head
  const float *v;  // of this head
  float *y;
  const float *shift;   // of this batch, or NULL
  const uint8_t *mask;  // of this batch, or NULL
  size_t head;
  size_t first;
  size_t rows;
  enum { WEFT__NOT_ASKED, WEFT__FINITE, WEFT__NOT_FINITE } values_are;  // of this tile
} weft__attention_unit;

static inline size_t weft__attention_head_of(const weft__attention_unit *u, size_t row) {
  return u->head * u->p->group + (u->first + row) / u->p->queries;
}
static inline size_t weft__attention_query_of(const weft__attention_unit *u, size_t row) {
  return (u->first + row) % u->p->queries;
}
static inline uint32_t *weft__attention_as_pairs(float *p) {
  return (uint32_t *)(void *)p;
}
// The unit's rows from their sums: divided by the sum of weights.
void weft__attention_finish(const weft__attention_unit *u);
// SPDX-License-Identifier: Apache-2.0
