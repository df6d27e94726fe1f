// map_ragged.c - ragged and sparse tensors, as the lists that they are made of, where an operator takes
// several.
#include "frontend/tf/tables.h"

// Inputs and outputs are those of the operator, of each kind as many as counts say.
static void ragged_emit(tf_op *o, const char *type, const weft_use *counts, size_t n_out) {
  weft_value *in[TF_MAX_NUMBERS];
  if (o->n_in > TF_MAX_NUMBERS) {
    front_fail(&o->b, WEFT_E_LIMIT, "%zu inputs, at most %d are read", o->n_in, TF_MAX_NUMBERS);
    return;
  }
  for (size_t i = 0; i < o->n_in && !o->b.failed; i++)
    in[i] = tf_in(o, i);
  weft_value *y = o->b.failed ? NULL : front_emit(&o->b, type, in, o->n_in, counts);
  tf_give_all(o, y, n_out);
}

static weft_value *ragged_rows_of(tf_op *o, uint32_t had, uint32_t gives, weft_value *numbers) {
  weft_value *in[TF_MAX_NUMBERS];
  uint32_t counts[3] = {had, 1, 1};
  uint32_t out[2] = {gives, 1};
  for (size_t i = 0; i < o->n_in && !o->b.failed; i++)
    in[i] = i == had ? numbers : tf_in(o, i);
  tf_set_attrs(o, "RaggedGather", "Tsplits=9 PARAMS_RAGGED_RANK=1 OUTPUT_RAGGED_RANK=0");
  const weft_use use = {.in_counts = counts, .out_counts = out};
  return o->b.failed ? NULL : front_emit(&o->b, "RaggedGather", in, o->n_in, &use);
}

static uint32_t ragged_count(tf_op *o, const char *name, int64_t dflt) {
  const int64_t n = tf_int(o, name, dflt);
  if (n < 0 || n > (int64_t)o->n_in) {
    front_fail(&o->b, WEFT_E_INVALID, "attribute '%s' is %lld of %zu inputs", name, (long long)n, o->n_in);
    return 0;
  }
  return (uint32_t)n;
}

typedef struct ragged_parts {  // what says how rows are parted
  uint32_t tensors;
  weft_str types[TF_MAX_NUMBERS];
  size_t n;
} ragged_parts;

static void ragged_set_parts(tf_op *o, const ragged_parts *p) {
  front_set_int(&o->b, "num_row_partition_tensors", p->tensors);
  front_set(&o->b, "row_partition_types", weft_attr_strs(p->types, p->n));
}

// The primitive takes no strings: places of the values are spread, and the strings picked by them, the
// default behind the others.
static void ragged_strings(tf_op *o, const ragged_parts *p, const weft_use *counts) {
  front_op *b = &o->b;
  weft_value *in[TF_MAX_NUMBERS];
  weft_value *values = tf_in(o, 1);
  weft_value *other = tf_in(o, 2);
  if (!b->failed && (o->n_in > TF_MAX_NUMBERS || front_rank(values) != 1 || front_rank(other) != 0))
    front_fail(b, WEFT_E_UNSUPPORTED, "strings of rank %d and a default of rank %d, expected 1 and 0",
               front_rank(values), front_rank(other));
  for (size_t i = 0; i < o->n_in && !b->failed; i++)
    in[i] = tf_in(o, i);
  if (b->failed)
    return;
  weft_value *n = front_dim_index(b, values, 0);
  in[1] = front_counting(b, n);
  in[2] = n;
  ragged_set_parts(o, p);
  weft_value *at = b->failed ? NULL : front_emit(b, "RaggedTensorToTensor", in, o->n_in, counts);
  weft_value *parts[2] = {values, front_reshaped(b, other, (const int64_t[]){1}, 1)};
  weft_value *all = b->failed ? NULL : front_joined(b, parts, 2, 0);
  tf_give(o, 0, front_picked(b, all, 0, at));
}

static void ragged_dense(tf_op *o) {
  ragged_parts p = {.tensors = ragged_count(o, "num_row_partition_tensors", 1)};
  wire_field f;
  uint32_t in[4] = {1, 1, 1, p.tensors};
  for (; p.n < TF_MAX_NUMBERS && tf_item(o, "row_partition_types", 2, p.n, &f); p.n++) {
    const char *text = tf_text(o->m, (tf_bytes){f.data, f.bytes});
    if (!text) {
      front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
      return;
    }
    p.types[p.n] = (weft_str){text, f.bytes};
  }
  const weft_value *values = tf_in(o, 1);
  if (values && values->fact.dtype == WEFT_STRING) {
    ragged_strings(o, &p, &(weft_use){.in_counts = in});
    return;
  }
  ragged_set_parts(o, &p);
  ragged_emit(o, "RaggedTensorToTensor", &(weft_use){.in_counts = in}, 1);
}

// The primitive takes whole numbers: for others, those of the rows, which are taken then.
static void ragged_gather(tf_op *o) {
  front_op *b = &o->b;
  const uint32_t had = ragged_count(o, "PARAMS_RAGGED_RANK", 1);
  const uint32_t gives = ragged_count(o, "OUTPUT_RAGGED_RANK", 1);
  if (!b->failed && (o->n_in != (size_t)had + 2 || o->n_in > TF_MAX_NUMBERS))
    front_fail(b, WEFT_E_INVALID, "%zu inputs, expected %zu", o->n_in, (size_t)had + 2);
  weft_value *x = b->failed ? NULL : tf_in(o, had);
  if (b->failed)
    return;
  const bool whole = x->fact.dtype == WEFT_INT32 || x->fact.dtype == WEFT_INT64;
  weft_value *y = ragged_rows_of(o, had, gives, whole ? x : front_counting(b, front_dim_index(b, x, 0)));
  tf_give_all(o, y, (size_t)gives + !!whole);
  if (!whole && !b->failed)
    tf_give(o, gives, front_picked(b, x, 0, y + gives));
}

static void ragged_sparse(tf_op *o) {
  uint32_t in[2] = {ragged_count(o, "RAGGED_RANK", 1), 1};
  tf_set_attrs(o, "RaggedTensorToSparse", "RAGGED_RANK=1 Tsplits=9");
  ragged_emit(o, "RaggedTensorToSparse", &(weft_use){.in_counts = in}, 3);
}

// ---- sparse ones ----
static void ragged_concat(tf_op *o) {
  const uint32_t n = ragged_count(o, "N", 1);
  uint32_t in[3] = {n, n, n};
  tf_set_attrs(o, "SparseConcat", "concat_dim=0 N=1");
  ragged_emit(o, "SparseConcat", &(weft_use){.in_counts = in}, 3);
}

static void ragged_cross(tf_op *o) {
  const uint32_t n = ragged_count(o, "N", 0);
  uint32_t in[4] = {n, n, n, (uint32_t)o->n_in - WEFT_MIN(3 * n, (uint32_t)o->n_in)};
  tf_set_attrs(o, "SparseCross", "N=0 hashed_output num_buckets=0 hash_key out_type internal_type");
  ragged_emit(o, "SparseCross", &(weft_use){.in_counts = in}, 3);
}

static const tf_row ragged_rows[] = {
    {"RaggedGather", NULL, NULL, ragged_gather},        {"RaggedTensorToSparse", NULL, NULL, ragged_sparse},
    {"RaggedTensorToTensor", NULL, NULL, ragged_dense}, {"SparseConcat", NULL, NULL, ragged_concat},
    {"SparseCross", NULL, NULL, ragged_cross},
};
const tf_rows tf_ragged = TF_ROWS(ragged_rows);
// SPDX-License-Identifier: Apache-2.0
