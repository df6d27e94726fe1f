// schema.c - the tables of a model as plain records. Fields are numbers of the schema; every index is checked
// here, so that nobody behind it needs to.
#include "base/allocated.h"
#include "frontend/tflite/tflite.h"

// ---- numbers of the schema ----
bool tl_dtype(int type, weft_dtype *out) {
  static const weft_dtype types[] = {
      WEFT_FLOAT,  WEFT_FLOAT16,   WEFT_INT32,     WEFT_UINT8,         WEFT_INT64,      WEFT_STRING,
      WEFT_BOOL,   WEFT_INT16,     WEFT_COMPLEX64, WEFT_INT8,          WEFT_DOUBLE,     WEFT_COMPLEX128,
      WEFT_UINT64, WEFT_UNDEFINED, WEFT_UNDEFINED, WEFT_UINT32,        WEFT_UINT16,     WEFT_INT4,
      WEFT_BF16,   WEFT_INT2,      WEFT_UINT4,     WEFT_FLOAT8_E4M3FN, WEFT_FLOAT8_E5M2};
  *out = type >= 0 && (size_t)type < WEFT_COUNT(types) ? types[type] : (weft_dtype)WEFT_UNDEFINED;
  return *out != WEFT_UNDEFINED;
}

const char *tl_type_name(int code) {
  static const char *const names[] = {
#define X(name) #name,
      TL_OPERATORS(X)
#undef X
  };
  return code >= 0 && code < TL_OPERATOR_COUNT ? names[code] : NULL;
}

int tl_activation(int code) {
  switch (code) {
    case TL_ADD:
    case TL_SUB:
    case TL_MUL:
    case TL_DIV:
    case TL_FULLY_CONNECTED:
    case TL_L2_NORMALIZATION:
      return 0;
    case TL_CONCATENATION:
      return 1;
    case TL_CONV_2D:
    case TL_TRANSPOSE_CONV:
      return 3;
    case TL_DEPTHWISE_CONV_2D:
    case TL_CONV_3D:
    case TL_CONV_3D_TRANSPOSE:
      return 4;
    case TL_AVERAGE_POOL_2D:
    case TL_MAX_POOL_2D:
    case TL_L2_POOL_2D:
      return 5;
    default:
      return -1;
  }
}

const char *tl_text(tl_import *m, flat_text t) {
  return weft__arena_strdup(&m->f.arena, t.at, t.n);
}

// ---- tensors ----
static weft_status schema_shape(tl_import *m, const flat_table *table, tl_tensor *t) {
  flat_list shape = flat_items(&m->file, table, 0, 4);
  flat_list signature = flat_items(&m->file, table, 7, 4);
  WEFT_TRY(m->file.failed);
  if (signature.n)
    shape = signature;
  if (shape.n > WEFT_MAX_RANK)
    return weft_fail(m->f.d, WEFT_E_LIMIT, "tensor '%.200s' has rank %zu, the most is %d", t->name, shape.n,
                     (int)WEFT_MAX_RANK);
  t->rank = (int)shape.n;
  for (size_t i = 0; i < shape.n; i++) {
    int32_t size = (int32_t)flat_u32_at(&m->file, &shape, i);
    if (size < -1)
      return weft_fail(m->f.d, WEFT_E_SHAPE, "axis %zu of tensor '%.200s' has size %d", i, t->name,
                       (int)size);
    t->dims[i] = size < 0 ? WEFT_DIM_UNKNOWN : size;
  }
  if (!shape.n && !t->data && !flat_i8(&m->file, table, 8, 0))
    t->rank = -1;
  return WEFT_OK;
}

static weft_status schema_buffer(tl_import *m, const flat_list *buffers, uint32_t index, tl_tensor *t) {
  if (!index)
    return WEFT_OK;
  if (index >= buffers->n)
    return weft_fail(m->f.d, WEFT_E_RANGE, "tensor '%.200s' has buffer %u of %zu", t->name, (unsigned)index,
                     buffers->n);
  flat_table table = flat_item_beside(&m->file, buffers, index);
  flat_list data = flat_items(&m->file, &table, 0, 1);
  uint64_t offset = flat_u64(&m->file, &table, 1, 0);
  uint64_t size = flat_u64(&m->file, &table, 2, 0);
  WEFT_TRY(m->file.failed);
  if (offset > 1) {  // behind the flatbuffer, for files of more than 2 GB
    if (offset > m->file.bytes || size > m->file.bytes - offset)
      return weft_fail(m->f.d, WEFT_E_RANGE,
                       "the data of tensor '%.200s' are bytes %llu to %llu, the file has %zu", t->name,
                       (unsigned long long)offset, (unsigned long long)(offset + size), m->file.bytes);
    data = (flat_list){(size_t)offset, (size_t)size};
  }
  if (data.n) {
    t->data = m->file.data + data.at;
    t->bytes = data.n;
  }
  return WEFT_OK;
}

static weft_status schema_quant(tl_import *m, const flat_table *table, tl_tensor *t) {
  flat_table q = flat_child(&m->file, table, 4);
  tl_quant *to = &t->quant;
  to->scales = flat_items(&m->file, &q, 2, 4);
  to->zero_points = flat_items(&m->file, &q, 3, 8);
  to->axis = flat_i32(&m->file, &q, 6, 0);
  to->n = to->scales.n;
  WEFT_TRY(m->file.failed);
  if (to->n && to->zero_points.n && to->zero_points.n != to->n && to->zero_points.n != 1)
    return weft_fail(m->f.d, WEFT_E_SHAPE, "tensor '%.200s' has %zu scales and %zu zero points", t->name,
                     to->n, to->zero_points.n);
  if (to->n > 1 && (to->axis < 0 || to->axis >= t->rank || t->dims[to->axis] != (weft_dim)to->n))
    return weft_fail(m->f.d, WEFT_E_SHAPE,
                     "tensor '%.200s' has %zu scales along axis %d, which is not as long", t->name, to->n,
                     (int)to->axis);
  for (size_t i = 0; i < to->n; i++) {
    float scale = flat_f32_at(&m->file, &to->scales, i);
    if (!(scale >= 0) || scale > 3.4e38f)
      return weft_fail(m->f.d, WEFT_E_RANGE, "scale %zu of tensor '%.200s' is %g", i, t->name, (double)scale);
  }
  return WEFT_OK;
}

static weft_status schema_tensor(tl_import *m, const flat_table *table, const flat_list *buffers,
                                 tl_tensor *t) {
  t->name = tl_text(m, flat_string(&m->file, table, 3));
  WEFT_TRY(weft__allocated(t->name, m->f.d));
  t->type = flat_i8(&m->file, table, 1, 0);
  (void)tl_dtype(t->type, &t->t);
  t->variable = flat_i8(&m->file, table, 5, 0);
  uint32_t buffer = flat_u32(&m->file, table, 2, 0);
  WEFT_TRY(m->file.failed);
  WEFT_TRY(schema_buffer(m, buffers, buffer, t));
  WEFT_TRY(schema_shape(m, table, t));
  if (flat_has(&m->file, table, 6))
    t->sparsity = flat_child(&m->file, table, 6);
  WEFT_TRY(m->file.failed);
  return schema_quant(m, table, t);
}

// ---- operators ----
// Indices of tensors, -1 where one is left out.
static weft_status schema_ends(tl_import *m, const tl_subgraph *g, const flat_list *l, bool all,
                               const char *of, size_t index) {
  for (size_t i = 0; i < l->n; i++) {
    int32_t k = (int32_t)flat_u32_at(&m->file, l, i);
    if (k < (all ? 0 : -1) || (k >= 0 && (size_t)k >= g->n_tensors))
      return weft_fail(m->f.d, WEFT_E_RANGE, "%s %zu of subgraph %zu names tensor %d of %zu", of, index,
                       g->index, (int)k, g->n_tensors);
  }
  return WEFT_OK;
}

static weft_status schema_code(tl_import *m, const flat_list *codes, uint32_t index, tl_operator *op) {
  if (index >= codes->n)
    return weft_fail(m->f.d, WEFT_E_RANGE, "operator %zu has code %u of %zu", op->index, (unsigned)index,
                     codes->n);
  flat_table code = flat_item(&m->file, codes, index);
  int32_t old = flat_i8(&m->file, &code, 0, 0);
  op->code = WEFT_MAX(flat_i32(&m->file, &code, 3, 0), old);
  op->type = tl_type_name(op->code);
  op->custom = op->code == TL_CUSTOM;
  if (op->custom)
    op->type = tl_text(m, flat_string(&m->file, &code, 1));
  else if (!op->type) {
    char text[40];
    snprintf(text, sizeof text, "operator %d", op->code);
    op->type = weft__arena_strdup(&m->f.arena, text, strlen(text));
  }
  WEFT_TRY(weft__allocated(op->type, m->f.d));
  return m->file.failed;
}

static weft_status schema_operator(tl_import *m, const tl_subgraph *g, const flat_table *table,
                                   const flat_list *codes, tl_operator *op) {
  uint32_t code = flat_u32(&m->file, table, 0, 0);
  WEFT_TRY(m->file.failed);
  WEFT_TRY(schema_code(m, codes, code, op));
  op->in = flat_items(&m->file, table, 1, 4);
  op->out = flat_items(&m->file, table, 2, 4);
  if (flat_i8(&m->file, table, 3, 0))
    op->options = flat_child(&m->file, table, 4);
  if (op->custom)
    op->custom_options = flat_items(&m->file, table, 5, 1);
  WEFT_TRY(m->file.failed);
  WEFT_TRY(schema_ends(m, g, &op->in, false, "an input of operator", op->index));
  return schema_ends(m, g, &op->out, true, "an output of operator", op->index);
}

// ---- subgraphs ----
static weft_status schema_tensors(tl_import *m, tl_subgraph *g, const flat_table *table,
                                  const flat_list *buffers) {
  flat_list list = flat_items(&m->file, table, 0, 4);
  WEFT_TRY(m->file.failed);
  g->tensors = WEFT_NEW_N(&m->f.arena, tl_tensor, list.n + 1);
  WEFT_TRY(weft__allocated(g->tensors, m->f.d));
  g->n_tensors = list.n;
  for (size_t i = 0; i < list.n; i++) {
    flat_table t = flat_item(&m->file, &list, i);
    WEFT_TRY(schema_tensor(m, &t, buffers, &g->tensors[i]));
  }
  return m->file.failed;
}

static weft_status schema_operators(tl_import *m, tl_subgraph *g, const flat_table *table,
                                    const flat_list *codes) {
  flat_list list = flat_items(&m->file, table, 3, 4);
  WEFT_TRY(m->file.failed);
  g->ops = WEFT_NEW_N(&m->f.arena, tl_operator, list.n + 1);
  WEFT_TRY(weft__allocated(g->ops, m->f.d));
  g->n_ops = list.n;
  for (size_t i = 0; i < list.n; i++) {
    flat_table t = flat_item(&m->file, &list, i);
    g->ops[i].index = i;
    WEFT_TRY(schema_operator(m, g, &t, codes, &g->ops[i]));
  }
  return m->file.failed;
}

static weft_status schema_subgraph(tl_import *m, const flat_table *root, const flat_table *table,
                                   tl_subgraph *g) {
  flat_list codes = flat_items(&m->file, root, 1, 4);
  flat_list buffers = flat_items(&m->file, root, 4, 4);
  g->name = tl_text(m, flat_string(&m->file, table, 4));
  WEFT_TRY(m->file.failed);
  WEFT_TRY(weft__allocated(g->name, m->f.d));
  WEFT_TRY(schema_tensors(m, g, table, &buffers));
  WEFT_TRY(schema_operators(m, g, table, &codes));
  g->in = flat_items(&m->file, table, 1, 4);
  g->out = flat_items(&m->file, table, 2, 4);
  WEFT_TRY(m->file.failed);
  WEFT_TRY(schema_ends(m, g, &g->in, true, "the inputs, place", 0));
  return schema_ends(m, g, &g->out, true, "the outputs, place", 0);
}

// ---- signatures ----
static weft_status schema_signatures(tl_import *m, const flat_table *root) {
  flat_list list = flat_items(&m->file, root, 7, 4);
  WEFT_TRY(m->file.failed);
  m->signatures = WEFT_NEW_N(&m->f.arena, tl_signature, list.n + 1);
  WEFT_TRY(weft__allocated(m->signatures, m->f.d));
  m->n_signatures = list.n;
  for (size_t i = 0; i < list.n; i++) {
    flat_table t = flat_item(&m->file, &list, i);
    tl_signature *s = &m->signatures[i];
    s->in = flat_items(&m->file, &t, 0, 4);
    s->out = flat_items(&m->file, &t, 1, 4);
    s->key = tl_text(m, flat_string(&m->file, &t, 2));
    s->subgraph = flat_u32(&m->file, &t, 4, 0);
    WEFT_TRY(m->file.failed);
    WEFT_TRY(weft__allocated(s->key, m->f.d));
    if (s->subgraph >= m->n_subgraphs)
      return weft_fail(m->f.d, WEFT_E_RANGE, "signature '%.100s' is of subgraph %zu of %zu", s->key,
                       s->subgraph, m->n_subgraphs);
  }
  return m->file.failed;
}

weft_status tl_read_model(tl_import *m) {
  flat_table root = flat_root(&m->file, "TFL3");
  uint32_t version = flat_u32(&m->file, &root, 0, 0);
  flat_list list = flat_items(&m->file, &root, 2, 4);
  WEFT_TRY(m->file.failed);
  if (version != 3)
    return weft_fail(m->f.d, WEFT_E_UNSUPPORTED, "the schema has version %u, version 3 is read",
                     (unsigned)version);
  if (!list.n)
    return weft_fail(m->f.d, WEFT_E_INVALID, "the model has no subgraph");
  m->subgraphs = WEFT_NEW_N(&m->f.arena, tl_subgraph, list.n);
  WEFT_TRY(weft__allocated(m->subgraphs, m->f.d));
  m->n_subgraphs = list.n;
  for (size_t i = 0; i < list.n; i++) {
    flat_table t = flat_item(&m->file, &list, i);
    m->subgraphs[i].index = i;
    WEFT_TRY(schema_subgraph(m, &root, &t, &m->subgraphs[i]));
  }
  return schema_signatures(m, &root);
}
// SPDX-License-Identifier: Apache-2.0
