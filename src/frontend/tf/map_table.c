// map_table.c - hash tables that an initialiser fills with constants, and text. A table is found by its node
// in the main graph: a call that takes it and a LookupTableImport in the called function fill it.
#include "base/allocated.h"
#include "frontend/tf/tables.h"

// ---- which function fills a table ----
typedef struct table_fill {
  tf_op *o;
  const tf_node *table;
  weft_value *keys, *values;
  int calls;
} table_fill;

static bool table_imports(const char *op) {
  return !strcmp(op, "LookupTableImportV2") || !strcmp(op, "LookupTableImport") ||
         !strcmp(op, "InitializeTableV2") || !strcmp(op, "InitializeTable");
}
static bool table_calls(const char *op) {
  return !strcmp(op, "StatefulPartitionedCall") || !strcmp(op, "PartitionedCall");
}

// The node or argument that a reference comes from.
static const char *table_source(const tf_body *b, const tf_ref *r) {
  const tf_ref *at = r;
  for (int hops = 0; hops < 16; hops++) {
    const tf_node *n = weft__map_find(&b->by_name, at->node, strlen(at->node));
    if (!n || strcmp(n->op, "Identity") || n->n_in != 1)
      break;
    at = &n->in[0];
  }
  return at->node;
}

// Arguments of a call that are constants of the body around it; the others stay TF_NOTHING.
static weft_status table_arguments(table_fill *t, tf_scope *s, const tf_node *call, tf_value *args) {
  for (size_t i = 0; i < call->n_in; i++) {
    const char *from = table_source(s->body, &call->in[i]);
    const tf_node *n = weft__map_find(&s->body->by_name, from, strlen(from));
    bool constant = n && !strcmp(n->op, "Const");
    bool argument = !n && s->args;
    args[i] = (tf_value){.kind = TF_NOTHING};
    if (constant || argument)
      WEFT_TRY(tf_take(s, &call->in[i], &args[i]));
  }
  (void)t;
  return WEFT_OK;
}

static weft_status table_look(table_fill *t, tf_scope *s, const char *name, uint32_t depth);

static weft_status table_call(table_fill *t, tf_scope *s, const tf_node *call, size_t k, uint32_t depth) {
  tf_import *m = t->o->m;
  tf_body *body;
  tf_scope in;
  tf_op at = tf_op_of(s, call);
  const char *function = tf_func(&at, "f");
  tf_value *args = WEFT_NEW_N(&m->f.arena, tf_value, call->n_in + 1);
  WEFT_TRY(weft__allocated(args != NULL, m->f.d));
  if (!function || depth > TF_DEPTH || ++t->calls > TF_MAX_OUTPUTS)
    return WEFT_OK;
  if (!weft__map_find(&m->functions, function, strlen(function)))
    return WEFT_OK;
  WEFT_TRY(tf_body_of(m, function, &body));
  if (body->n_args != call->n_in)
    return WEFT_OK;
  WEFT_TRY(table_arguments(t, s, call, args));
  WEFT_TRY(tf_scope_begin(&in, m, &s->s, body, args, s->depth + 1));
  return table_look(t, &in, body->args[k], depth + 1);
}

static weft_status table_import(table_fill *t, tf_scope *s, const tf_node *n) {
  tf_value keys;
  tf_value values;
  if (t->keys)
    return weft_fail(t->o->m->f.d, WEFT_E_UNSUPPORTED, "the hash table is filled more than once");
  WEFT_TRY(tf_take(s, &n->in[1], &keys));
  WEFT_TRY(tf_take(s, &n->in[2], &values));
  t->keys = keys.kind == TF_TENSOR ? keys.v : NULL;
  t->values = values.kind == TF_TENSOR ? values.v : NULL;
  return WEFT_OK;
}

static weft_status table_look(table_fill *t, tf_scope *s, const char *name, uint32_t depth) {
  WEFT_TRY(tf_read_all(t->o->m, s->body));
  for (size_t i = 0; i < s->body->n_nodes; i++) {
    const tf_node *n = &s->body->nodes[i];
    bool import = table_imports(n->op) && n->n_in == 3;
    for (size_t k = 0; k < n->n_in && (import || table_calls(n->op)); k++) {
      if (strcmp(table_source(s->body, &n->in[k]), name))
        continue;
      if (import && k == 0)
        WEFT_TRY(table_import(t, s, n));
      else if (!import)
        WEFT_TRY(table_call(t, s, n, k, depth));
    }
  }
  return WEFT_OK;
}

// ---- tables ----
static void table_node(tf_op *o) {
  tf_table *t = WEFT_NEW(&o->m->f.arena, tf_table);
  if (!t) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  t->node = o->node;
  tf_give_value(o, 0, (tf_value){.kind = TF_TABLE, .table = t});
}

// Keys and values, as constants of the graph that o stands in.
static bool table_filled(tf_op *o, const tf_table *table, table_fill *t) {
  tf_scope s;
  tf_import *m = o->m;
  *t = (table_fill){.o = o, .table = table->node};
  weft_status st = tf_scope_begin(&s, m, &o->s->s, &m->main, NULL, o->s->depth + 1);
  if (!st)
    st = table_look(t, &s, table->node->name, 0);
  if (st)
    o->b.failed = st;
  else if (!t->keys || !t->values)
    front_fail(
        &o->b, WEFT_E_UNSUPPORTED,
        "no function fills the hash table '%.200s' with constants; tables that are read from a file, and "
        "those of a frozen graph, are not read: give the signature's function indices instead",
        table->node->name);
  return !o->b.failed;
}

static void table_find(tf_op *o) {
  table_fill t;
  weft_value *x = tf_in(o, 1);
  weft_value *other = tf_in(o, 2);
  if (o->b.failed)
    return;
  if (o->in[0].kind != TF_TABLE) {
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "its hash table is not in the model: a frozen graph has none");
    return;
  }
  if (!table_filled(o, o->in[0].table, &t))
    return;
  weft_value *in[4] = {x, t.keys, t.values, other};
  tf_give(o, 0, front_emit(&o->b, "LabelEncoder", in, 4, NULL));
}

static void table_size(tf_op *o) {
  table_fill t;
  if (o->in[0].kind != TF_TABLE)
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "its hash table is not in the model");
  else if (table_filled(o, o->in[0].table, &t))
    tf_give(o, 0, front_dim_index(&o->b, t.keys, 0));
}

// ---- text ----
static void text_join(tf_op *o) {
  weft_value **in = WEFT_NEW_N(&o->m->f.arena, weft_value *, o->n_in + 1);
  uint32_t counts[1] = {(uint32_t)o->n_in};
  if (!in)
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
  for (size_t i = 0; i < o->n_in && !o->b.failed; i++)
    in[i] = tf_in(o, i);
  front_set_int(&o->b, "N", (int64_t)o->n_in);
  front_set_text(&o->b, "separator", tf_string(o, "separator", ""));
  if (!o->b.failed)
    tf_give(o, 0, front_emit(&o->b, "StringJoin", in, o->n_in, &(weft_use){.in_counts = counts}));
}

// Numbers, or strings one after the other.
static void text_add(tf_op *o) {
  static const uint32_t counts[1] = {2};
  weft_value *in[2] = {tf_in(o, 0), tf_in(o, 1)};
  if (o->b.failed || in[0]->fact.dtype != WEFT_STRING) {
    tf_give(o, 0, front_do(&o->b, "Add", in[0], in[1], NULL));
    return;
  }
  front_set_int(&o->b, "N", 2);
  tf_give(o, 0, front_emit(&o->b, "StringJoin", in, 2, &(weft_use){.in_counts = counts}));
}

// Places count bytes.
static void text_part(tf_op *o) {
  if (!tf_is(o, "unit", "BYTE", "BYTE"))
    front_fail(&o->b, WEFT_E_UNSUPPORTED, "parts of strings that are counted in characters, not bytes");
  tf_give(o, 0, front_do(&o->b, "Substr", tf_in(o, 0), tf_in(o, 1), tf_in(o, 2)));
}

// A template with the text of any number of tensors.
static void text_format(tf_op *o) {
  weft_value *in[TF_MAX_NUMBERS];
  uint32_t counts[1] = {(uint32_t)o->n_in};
  if (o->n_in > TF_MAX_NUMBERS)
    front_fail(&o->b, WEFT_E_LIMIT, "%zu tensors, at most %d are read", o->n_in, TF_MAX_NUMBERS);
  for (size_t i = 0; i < o->n_in && !o->b.failed; i++)
    in[i] = tf_in(o, i);
  tf_set_attrs(o, "StringFormat", "template=%s placeholder=%s summarize=3");
  if (!o->b.failed)
    tf_give(o, 0, front_emit(&o->b, "StringFormat", in, o->n_in, &(weft_use){.in_counts = counts}));
}

// A tensor for each column, of the dtype of its default.
static void text_csv(tf_op *o) {
  weft_value *in[TF_MAX_NUMBERS];
  const uint32_t n = o->n_in ? (uint32_t)o->n_in - 1 : 0;
  uint32_t counts[2] = {1, n};
  if (!n || n >= TF_MAX_NUMBERS) {
    front_fail(&o->b, WEFT_E_LIMIT, "%u columns, expected 1 to %d", n, TF_MAX_NUMBERS - 1);
    return;
  }
  for (size_t i = 0; i <= n && !o->b.failed; i++)
    in[i] = tf_in(o, i);
  tf_set_attrs(o, "DecodeCSV", "field_delim=, use_quote_delim=T na_value select_cols");
  if (!o->b.failed)
    tf_give_all(
        o, front_emit(&o->b, "DecodeCSV", in, n + 1u, &(weft_use){.in_counts = counts, .out_counts = &n}), n);
}

static const tf_row table_rows[] = {
    {"Add", NULL, NULL, text_add},
    {"AddV2", NULL, NULL, text_add},
    {"DecodeBase64", "DecodeBase64", NULL, NULL},
    {"DecodeCSV", NULL, NULL, text_csv},
    {"EncodeBase64", "EncodeBase64", "pad=F", NULL},
    {"HashTable", NULL, NULL, table_node},
    {"HashTableV2", NULL, NULL, table_node},
    {"LookupTableFind", NULL, NULL, table_find},
    {"LookupTableFindV2", NULL, NULL, table_find},
    {"LookupTableSizeV2", NULL, NULL, table_size},
    {"ReduceJoin", "ReduceJoin", "keep_dims=F separator", NULL},
    {"RegexFullMatch", "RegexFullMatch", NULL, NULL},
    {"RegexReplace", "RegexReplace", "replace_global=T", NULL},
    {"StaticRegexFullMatch", "StaticRegexFullMatch", "pattern", NULL},
    {"StaticRegexReplace", "StaticRegexReplace", "pattern rewrite replace_global=T", NULL},
    {"StringFormat", NULL, NULL, text_format},
    {"StringJoin", NULL, NULL, text_join},
    {"StringLength", "StringLength", "unit=BYTE", NULL},
    {"StringLower", "StringLower", "encoding", NULL},
    {"StringNGrams", "StringNGrams",
     "separator ngram_widths left_pad right_pad pad_width preserve_short_sequences", NULL},
    {"StringSplit", "StringSplit", "skip_empty=T", NULL},
    {"StringSplitV2", "StringSplitV2", "maxsplit=-1", NULL},
    {"StringStrip", "StringStrip", NULL, NULL},
    {"StringToHashBucket", "StringToHashBucket", "num_buckets=1", NULL},
    {"StringToHashBucketFast", "StringToHashBucketFast", "num_buckets=1", NULL},
    {"StringToHashBucketStrong", "StringToHashBucketStrong", "num_buckets=1 key", NULL},
    {"StringToNumber", "StringToNumber", "out_type=0", NULL},
    {"StringUpper", "StringUpper", "encoding", NULL},
    {"Substr", NULL, NULL, text_part},
    {"UnicodeDecode", "UnicodeDecode",
     "input_encoding errors=replace replacement_char=65533 replace_control_characters=F Tsplits=9", NULL},
    {"UnicodeDecodeWithOffsets", "UnicodeDecodeWithOffsets",
     "input_encoding errors=replace replacement_char=65533 replace_control_characters=F Tsplits=9", NULL},
    {"UnicodeEncode", "UnicodeEncode", "errors=replace output_encoding replacement_char=65533", NULL},
    {"UnicodeTranscode", "UnicodeTranscode",
     "input_encoding output_encoding errors=replace replacement_char=65533 replace_control_characters=F",
     NULL},
    {"UnsortedSegmentJoin", "UnsortedSegmentJoin", "separator", NULL},
};
const tf_rows tf_tables_text = TF_ROWS(table_rows);
// SPDX-License-Identifier: Apache-2.0
