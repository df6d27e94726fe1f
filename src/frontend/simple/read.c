// read.c - JSON into records: names, types and mentions of tensors, each checked, each error with its path.
#include "frontend/simple/simple.h"

const char *const simple_framework_names[SIMPLE_FRAMEWORKS] = {"simple", "pytorch", "tensorflow",
                                                               "mindspore"};

weft_status simple_fail(const simple_op *o, weft_status s, const char *fmt, ...) {
  char text[768];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return weft_fail(o->m->d, s, "ops[%zu]%s", o->index, text);
}

weft_status simple_no_memory(const simple_model *m) {
  return weft_fail(m->d, WEFT_E_NOMEM, "out of memory for the model");
}

const char *simple_kind(const weft_json *j) {
  static const char *const names[] = {"null", "a bool", "a number", "a string", "a list", "an object"};
  return names[j->kind];
}

uint64_t simple_offset(simple_model *m, const weft_json *j) {
  while (m->at_byte < m->bytes &&
         (m->at_line < j->line || (m->at_line == j->line && m->at_column < j->column))) {
    char c = m->text[m->at_byte++];
    if (c == '\n') {
      m->at_line++;
      m->at_column = 1;
    } else if (m->at_byte >= m->bytes || ((unsigned char)m->text[m->at_byte] & 0xC0) != 0x80) {
      m->at_column++;
    }
  }
  return m->at_byte;
}

// ---- values with a path ----
// `path` begins with "ops[1]" or "" for the model itself.
static weft_status get_text(const simple_model *m, const weft_json *j, const char *path, const char **out) {
  if (j->kind != WEFT_JSON_STRING)
    return weft_fail(m->d, WEFT_E_TYPE, "%s: expected a string, got %s", path, simple_kind(j));
  if (!j->s_bytes)
    return weft_fail(m->d, WEFT_E_INVALID, "%s is empty", path);
  if (memchr(j->s, 0, j->s_bytes))
    return weft_fail(m->d, WEFT_E_INVALID, "%s contains a zero byte", path);
  *out = j->s;
  return WEFT_OK;
}

static weft_status check_keys(const simple_model *m, const weft_json *j, const char *path,
                              const char *words) {
  for (size_t i = 0; i < j->n; i++) {
    if (!simple_has_word(words, j->keys[i])) {
      return weft_fail(m->d, WEFT_E_INVALID, "%s%s%.80s: unknown key; known are: %s", path, *path ? "." : "",
                       j->keys[i], words);
    }
  }
  return WEFT_OK;
}

static weft_status read_need(const simple_model *m, const weft_json *object, const char *path,
                             const char *key, const char **out) {
  char full[128];
  snprintf(full, sizeof full, "%s%s%s", path, *path ? "." : "", key);
  const weft_json *j = weft__json_get(object, key);
  if (!j)
    return weft_fail(m->d, WEFT_E_MISSING, "%s missing", full);
  return get_text(m, j, full, out);
}

// ---- tensors ----
static weft_status read_shape(simple_model *m, const weft_json *j, const char *path, const weft_shape **out) {
  if (j->kind != WEFT_JSON_ARRAY)
    return weft_fail(m->d, WEFT_E_TYPE, "%s.shape: expected a list, got %s", path, simple_kind(j));
  if (j->n > WEFT_MAX_RANK) {
    return weft_fail(m->d, WEFT_E_LIMIT, "%s.shape: rank %zu is over the limit of %d", path, j->n,
                     WEFT_MAX_RANK);
  }
  weft_shape *s = WEFT_NEW(&m->arena, weft_shape);
  WEFT_TRY(simple_allocated(s, m));
  s->rank = j->n;
  for (size_t i = 0; i < j->n; i++) {
    const weft_json *v = &j->items[i];
    bool unknown_rank = v->is_int && v->i == WEFT_DIM_UNKNOWN_RANK && j->n == 1;
    if (v->kind == WEFT_JSON_STRING) {
      weft_status st = weft_dim_parse(weft_graph_symbols(m->g), v->s, v->s_bytes, &s->dim[i], m->d);
      if (st)
        weft_note(m->d, "in %s.shape[%zu]", path, i);
      WEFT_TRY(st);
    } else if (v->kind != WEFT_JSON_NUMBER || !v->is_int) {
      return weft_fail(m->d, WEFT_E_TYPE, "%s.shape[%zu]: expected a whole number or a string, got %s", path,
                       i, v->kind == WEFT_JSON_NUMBER ? v->s : simple_kind(v));
    } else if (v->i < -1 && !unknown_rank) {
      return weft_fail(m->d, WEFT_E_SHAPE, "%s.shape[%zu]: expected -1 or more, got %lld", path, i,
                       (long long)v->i);
    } else {
      s->dim[i] = v->i;
    }
  }
  *out = s;
  return WEFT_OK;
}

static weft_status read_words(simple_model *m, const weft_json *j, const char *path, simple_tensor *t) {
  const weft_json *dtype = weft__json_get(j, "dtype");
  const weft_json *fmt = weft__json_get(j, "fmt");
  const char *text;
  char full[128];
  if (dtype) {
    snprintf(full, sizeof full, "%s.dtype", path);
    WEFT_TRY(get_text(m, dtype, full, &text));
    t->dtype = weft_dtype_parse(text, strlen(text));
    if (t->dtype == WEFT_UNDEFINED)
      return weft_fail(m->d, WEFT_E_DTYPE, "%s: '%.80s' is not a dtype", full, text);
  }
  if (fmt) {
    snprintf(full, sizeof full, "%s.fmt", path);
    WEFT_TRY(get_text(m, fmt, full, &text));
    t->format = weft_format_parse(text, strlen(text));
    if (t->format == WEFT_FORMAT_RESERVED)
      return weft_fail(m->d, WEFT_E_FORMAT, "%s: '%.80s' is not a format", full, text);
    t->says_format = true;
  }
  return WEFT_OK;
}

static weft_status read_tensor(simple_model *m, const weft_json *j, const char *path, simple_tensor *t) {
  if (j->kind == WEFT_JSON_NULL && !t->is_output)
    return WEFT_OK;
  if (j->kind == WEFT_JSON_STRING)
    return get_text(m, j, path, &t->name);
  if (j->kind != WEFT_JSON_OBJECT)
    return weft_fail(m->d, WEFT_E_TYPE, "%s: expected an object, got %s", path, simple_kind(j));
  WEFT_TRY(check_keys(m, j, path, "name shape dtype fmt comment"));
  WEFT_TRY(read_need(m, j, path, "name", &t->name));
  WEFT_TRY(read_words(m, j, path, t));
  const weft_json *shape = weft__json_get(j, "shape");
  return shape ? read_shape(m, shape, path, &t->shape) : WEFT_OK;
}

static weft_status read_tensors(simple_op *o, const char *key, simple_tensor **out, size_t *out_n) {
  simple_model *m = o->m;
  const weft_json *j = weft__json_get(o->json, key);
  if (!j)
    return simple_fail(o, WEFT_E_MISSING, ".%s missing", key);
  if (j->kind != WEFT_JSON_ARRAY)
    return simple_fail(o, WEFT_E_TYPE, ".%s: expected a list, got %s", key, simple_kind(j));
  simple_tensor *t = WEFT_NEW_N(&m->arena, simple_tensor, j->n + 1);
  WEFT_TRY(simple_allocated(t, m));
  for (size_t i = 0; i < j->n; i++) {
    char path[96];
    snprintf(path, sizeof path, "ops[%zu].%s[%zu]", o->index, key, i);
    t[i] = (simple_tensor){.op = o,
                           .index = (uint32_t)i,
                           .is_output = key[0] == 'o',
                           .from = &t[i],
                           .dtype = WEFT_UNDEFINED,
                           .format = WEFT_FORMAT_RESERVED};
    WEFT_TRY(read_tensor(m, &j->items[i], path, &t[i]));
  }
  *out = t;
  *out_n = j->n;
  return WEFT_OK;
}

// ---- the model ----
static weft_status read_op(simple_op *o) {
  simple_model *m = o->m;
  char path[48];
  snprintf(path, sizeof path, "ops[%zu]", o->index);
  if (o->json->kind != WEFT_JSON_OBJECT)
    return weft_fail(m->d, WEFT_E_TYPE, "%s: expected an object, got %s", path, simple_kind(o->json));
  WEFT_TRY(check_keys(m, o->json, path, "name type inputs outputs attrs args comment"));
  WEFT_TRY(read_need(m, o->json, path, "name", &o->name));
  WEFT_TRY(read_need(m, o->json, path, "type", &o->type));
  WEFT_TRY(read_tensors(o, "inputs", &o->in, &o->n_in));
  return read_tensors(o, "outputs", &o->out, &o->n_out);
}

static weft_status read_choice(simple_model *m, const char *key, const char *const *words, int n, int *out) {
  const weft_json *j = weft__json_get(m->root, key);
  const char *text;
  if (!j)
    return WEFT_OK;
  WEFT_TRY(get_text(m, j, key, &text));
  for (int i = 0; i < n; i++) {
    if (words[i] && !strcmp(text, words[i])) {
      *out = i;
      return WEFT_OK;
    }
  }
  char list[128] = "";
  size_t at = 0;
  for (int i = 0; i < n; i++) {
    if (words[i])
      weft__append(list, sizeof list, &at, "%s%s", at ? ", " : "", words[i]);
  }
  return weft_fail(m->d, WEFT_E_INVALID, "%s: expected one of %s, got '%.80s'", key, list, text);
}

weft_status simple_read_model(simple_model *m) {
  static const char *const ways[] = {NULL, "name", "order"};
  const char *name = "converted_model";
  int way = SIMPLE_BY_ANY;
  if (m->root->kind != WEFT_JSON_OBJECT)
    return weft_fail(m->d, WEFT_E_TYPE, "the model: expected an object, got %s", simple_kind(m->root));
  if (weft__json_get(m->root, "nodes") && weft__json_get(m->root, "values") &&
      !weft__json_get(m->root, "ops"))
    return weft_fail(m->d, WEFT_E_INVALID,
                     "this JSON is what weft prints of a graph for other programs, and does not read back: "
                     "save the graph as text (.txt) or as ONNX (.onnx)");
  WEFT_TRY(check_keys(m, m->root, "", "name framework connect ops comment"));
  if (weft__json_get(m->root, "name"))
    WEFT_TRY(read_need(m, m->root, "", "name", &name));
  WEFT_TRY(read_choice(m, "framework", simple_framework_names, SIMPLE_FRAMEWORKS, &m->framework));
  WEFT_TRY(read_choice(m, "connect", ways, (int)WEFT_COUNT(ways), &way));
  m->connect = way;
  const weft_json *ops = weft__json_get(m->root, "ops");
  if (!ops)
    return weft_fail(m->d, WEFT_E_MISSING, "ops missing");
  if (ops->kind != WEFT_JSON_ARRAY)
    return weft_fail(m->d, WEFT_E_TYPE, "ops: expected a list, got %s", simple_kind(ops));
  m->g->name = weft__arena_strdup(&m->g->root->arena, name, strlen(name));
  WEFT_TRY(simple_allocated(m->g->name, m));
  m->n_ops = ops->n;
  m->ops = WEFT_NEW_N(&m->arena, simple_op, ops->n + 1);
  WEFT_TRY(simple_allocated(m->ops, m));
  for (size_t i = 0; i < ops->n; i++) {
    m->ops[i] = (simple_op){.m = m, .index = i, .json = &ops->items[i]};
    WEFT_TRY(read_op(&m->ops[i]));
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
