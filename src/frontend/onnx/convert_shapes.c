// convert_shapes.c - new dims for graph inputs. A dim name that gets a number gets it in every input and
// output; what the model says of inner values is dropped, outputs keep only what is certain; inference fills
// them in afterwards.
#include "frontend/onnx/edit.h"

typedef struct shapes {
  onnx_edit *e;
  WEFT_VEC(edit_binding) bind;
} shapes;

typedef struct new_dims {
  size_t rank;
  edit_binding dim[WEFT_MAX_RANK];  // `from` unused
} new_dims;

static const onnx_shape *convert_shapes_shape_of(const edit_info *in) {
  const onnx_tensor_type *t = in->v ? onnx_value_tensor(in->v) : NULL;
  return t ? t->shape : NULL;
}

static weft_status convert_shapes_bad(const onnx_edit *e, const char *text, const char *why) {
  return weft_fail(e->d, WEFT_E_SYNTAX,
                   "--shape '%.200s': %s; expected NAME=DIM,DIM,... with numbers, names or ?", text, why);
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static weft_status parse_dim(const onnx_edit *e, const char *text, const char *at, size_t n,
                             edit_binding *out) {
  *out = (edit_binding){.value = -1};
  if (!n)
    return convert_shapes_bad(e, text, "a dim is empty");
  const onnx_str dim = {at, n};
  if (onnx_str_is(dim, "?") || onnx_str_is(dim, "-1"))
    return WEFT_OK;
  if (*at != '-' && !is_digit(*at)) {
    out->name = dim;
    return WEFT_OK;
  }
  int64_t v = 0;
  for (size_t i = 0; i < n; i++) {
    bool fits = is_digit(at[i]) && weft__mul_i64(v, 10, &v) && weft__add_i64(v, at[i] - '0', &v);
    if (!fits)
      return convert_shapes_bad(e, text, "a dim is no number");
  }
  out->value = v;
  return WEFT_OK;
}

static weft_status parse(const onnx_edit *e, const char *text, onnx_str *name, new_dims *out) {
  const char *eq = strrchr(text, '=');
  out->rank = 0;
  if (!eq || eq == text)
    return convert_shapes_bad(e, text, "no name");
  *name = (onnx_str){text, (size_t)(eq - text)};
  for (const char *at = eq + 1; *at;) {
    size_t n = strcspn(at, ",");
    if (out->rank == WEFT_MAX_RANK)
      return convert_shapes_bad(e, text, "too many dims");
    WEFT_TRY(parse_dim(e, text, at, n, &out->dim[out->rank++]));
    at += n;
    if (*at == ',' && !*++at)
      return convert_shapes_bad(e, text, "a dim is empty");
  }
  return WEFT_OK;
}

static weft_status convert_shapes_bind(shapes *c, const edit_binding *b) {
  onnx_edit *e = c->e;
  for (size_t i = 0; i < c->bind.n; i++) {
    const edit_binding *o = &c->bind.v[i];
    if (!onnx_str_same(o->from, b->from))
      continue;
    if (o->value == b->value && onnx_str_same(o->name, b->name))
      return WEFT_OK;
    return weft_fail(e->d, WEFT_E_SHAPE, "dim '%.*s' gets two values, %lld and %lld",
                     (int)WEFT_MIN(b->from.bytes, 100), b->from.text, (long long)o->value,
                     (long long)b->value);
  }
  WEFT_TRY(weft__edit_allocated(WEFT_VEC_ROOM(&e->env->alloc, c->bind), e));
  c->bind.v[c->bind.n++] = *b;
  return WEFT_OK;
}

static void put_new_dim(onnxw *w, const edit_binding *b, const onnx_dim *old) {
  onnxw_open(w, 1);
  if (b->value >= 0)
    onnxw_int(w, 1, b->value);
  else if (b->name.bytes)
    onnxw_bytes(w, 2, b->name.text, b->name.bytes);
  if (old && old->denotation.bytes)
    onnxw_bytes(w, 3, old->denotation.text, old->denotation.bytes);
  onnxw_close(w);
}

// The input's ValueInfoProto with other dims.
static weft_status set_dims(onnx_edit *e, edit_info *in, const new_dims *dims) {
  const onnx_shape *had = convert_shapes_shape_of(in);
  const onnx_type *type = in->v->type;
  weft_text t;
  onnxw w;
  edit_fields it;
  weft_status s = WEFT_OK;
  weft__text_init(&t, &e->env->alloc);
  onnxw_init(&w, &t);
  onnxw_bytes(&w, 1, in->value->text, in->value->name.bytes);
  onnxw_open(&w, 2);
  onnxw_open(&w, 1);
  onnxw_int(&w, 1, type->tensor->elem_type);
  onnxw_open(&w, 2);
  for (size_t i = 0; i < dims->rank; i++)
    put_new_dim(&w, &dims->dim[i], had ? &had->dims.v[i] : NULL);
  onnxw_close(&w);
  onnxw_close(&w);
  if (type->denotation.bytes)
    onnxw_bytes(&w, 6, type->denotation.text, type->denotation.bytes);
  onnxw_close(&w);
  weft__edit_fields(&it, in->raw, e->d);
  while (weft__edit_next(&it, &s)) {
    if (it.f.number > 2)
      weft__edit_put(&w, it.whole);
  }
  weft_status taken = weft__edit_take(e, &w, &t, &in->payload);
  WEFT_TRY(s);
  return taken;
}

static edit_info *find_input(const onnx_edit *e, onnx_str name) {
  const edit_value *v = weft__edit_find(e, name.text, name.bytes);
  return v && v->input && !v->init ? v->input : NULL;
}

static weft_status no_input(const onnx_edit *e, onnx_str name) {
  char list[400] = "";
  size_t at = 0;
  for (size_t i = 0; i < e->n_inputs; i++) {
    if (!e->inputs[i].value->init)
      weft__append(list, sizeof list, &at, "%s%.80s", at ? ", " : "", e->inputs[i].value->text);
  }
  return weft_fail(e->d, WEFT_E_NOT_FOUND, "--shape: the model has no input '%.*s'; its inputs: %s",
                   (int)WEFT_MIN(name.bytes, 200), name.text, at ? list : "none");
}

static weft_status convert_shapes_set_shape(shapes *c, const char *text) {
  onnx_edit *e = c->e;
  onnx_str name;
  new_dims dims;
  WEFT_TRY(parse(e, text, &name, &dims));
  edit_info *in = find_input(e, name);
  if (!in)
    return no_input(e, name);
  if (!onnx_value_tensor(in->v))
    return weft_fail(e->d, WEFT_E_TYPE, "--shape '%.200s': the input is not a tensor", text);
  const onnx_shape *had = convert_shapes_shape_of(in);
  if (had && had->dims.n != dims.rank) {
    return weft_fail(e->d, WEFT_E_SHAPE, "--shape '%.200s': the input has rank %zu, got %zu dims", text,
                     (size_t)had->dims.n, dims.rank);
  }
  for (size_t i = 0; had && i < dims.rank; i++) {
    if (had->dims.v[i].which != ONNX_DIM_PARAM || !had->dims.v[i].param.bytes)
      continue;
    if (dims.dim[i].value < 0 && !dims.dim[i].name.bytes)
      continue;  // ? says nothing of the other inputs
    edit_binding b = dims.dim[i];
    b.from = had->dims.v[i].param;
    WEFT_TRY(convert_shapes_bind(c, &b));
  }
  return set_dims(e, in, &dims);
}

// The same first dim as the first input's: the same name, the same number, or both unknown.
static bool shares(const onnx_dim *a, const onnx_dim *b) {
  bool pa = a->which == ONNX_DIM_PARAM && a->param.bytes;
  bool pb = b->which == ONNX_DIM_PARAM && b->param.bytes;
  if (pa || pb)
    return pa && pb && onnx_str_same(a->param, b->param);
  bool va = a->which == ONNX_DIM_VALUE && a->value >= 0;
  bool vb = b->which == ONNX_DIM_VALUE && b->value >= 0;
  return va == vb && (!va || a->value == b->value);
}

static int64_t first_number(const onnx_edit *e) {  // 0: the first input has none
  for (size_t i = 0; i < e->n_inputs; i++) {
    const onnx_shape *had = convert_shapes_shape_of(&e->inputs[i]);
    if (e->inputs[i].value->init || !had || !had->dims.n)
      continue;
    const onnx_dim *dim = &had->dims.v[0];
    return dim->which == ONNX_DIM_VALUE && dim->value > 0 ? dim->value : 0;
  }
  return 0;
}

static edit_binding new_batch(const onnx_edit *e) {
  edit_binding b = {.value = e->o->batch ? e->o->batch : -1};
  const char *name = e->o->batch_name;
  if (!e->o->batch && strcmp(name, "?") != 0)
    b.name = (onnx_str){name, strlen(name)};
  return b;
}

static weft_status set_batch(shapes *c) {
  const edit_binding batch = new_batch(c->e);
  onnx_edit *e = c->e;
  const onnx_dim *first = NULL;
  size_t n = 0;
  for (size_t i = 0; i < e->n_inputs; i++) {
    edit_info *in = &e->inputs[i];
    const onnx_shape *had = convert_shapes_shape_of(in);
    if (in->value->init || !had || !had->dims.n || in->payload.text)
      continue;
    if (!first)
      first = &had->dims.v[0];
    if (!shares(first, &had->dims.v[0])) {
      weft__edit_say(e, "note: input '%s' has another first dim and keeps it", in->value->text);
      continue;
    }
    new_dims dims = {.rank = had->dims.n};
    if (dims.rank > WEFT_MAX_RANK)
      return weft_fail(e->d, WEFT_E_LIMIT, "input '%s': rank %zu", in->value->text, dims.rank);
    for (size_t k = 0; k < dims.rank; k++) {
      const onnx_dim *dim = &had->dims.v[k];
      bool number = dim->which == ONNX_DIM_VALUE;
      bool is_batch = !k || (first->which == ONNX_DIM_PARAM && shares(first, dim));
      dims.dim[k] = is_batch ? batch : (edit_binding){.value = number ? dim->value : -1};
      if (is_batch || number || dim->which != ONNX_DIM_PARAM)
        continue;
      dims.dim[k].name = dim->param;
      for (size_t b = 0; b < c->bind.n; b++) {
        if (onnx_str_same(c->bind.v[b].from, dim->param))
          dims.dim[k] = c->bind.v[b];
      }
    }
    WEFT_TRY(set_dims(e, in, &dims));
    n++;
  }
  if (!n)
    return weft_fail(e->d, WEFT_E_NOT_FOUND, "--batch: no input has a first dim");
  if (first->which == ONNX_DIM_PARAM && first->param.bytes && (batch.value >= 0 || batch.name.bytes))
    WEFT_TRY(convert_shapes_bind(
        c, &(edit_binding){.from = first->param, .value = batch.value, .name = batch.name}));
  if (batch.value >= 0)
    weft__edit_say(e, "first dim of %zu input%s set to %lld", n, n == 1 ? "" : "s", (long long)batch.value);
  else
    weft__edit_say(e, "first dim of %zu input%s set to %s", n, n == 1 ? "" : "s", e->o->batch_name);
  return WEFT_OK;
}

// The new dims of all inputs, and what has to be done to every message for them.
static weft_status bind_shapes(shapes *c, edit_deep **out) {
  onnx_edit *e = c->e;
  bool batch = e->o->batch || e->o->batch_name;
  int64_t before = batch ? first_number(e) : 0;
  if (before)
    WEFT_TRY(weft__convert_free_reshapes(e, before));
  for (size_t i = 0; i < e->o->n_shapes; i++)
    WEFT_TRY(convert_shapes_set_shape(c, e->o->shapes[i]));
  if (batch)
    WEFT_TRY(set_batch(c));
  edit_binding *kept = WEFT_NEW_N(&e->arena, edit_binding, c->bind.n + 1);
  *out = WEFT_NEW(&e->arena, edit_deep);
  WEFT_TRY(weft__edit_allocated(kept && *out, e));
  for (size_t i = 0; i < c->bind.n; i++)
    kept[i] = c->bind.v[i];
  **out = (edit_deep){.drop_shapes = true, .bind = kept, .n_bind = c->bind.n};
  return WEFT_OK;
}

weft_status weft__convert_shapes(onnx_edit *e) {
  shapes c = {.e = e};
  edit_deep *deep = NULL;
  weft_status s = bind_shapes(&c, &deep);
  WEFT_VEC_FREE(&e->env->alloc, c.bind);
  WEFT_TRY(s);
  e->deep = deep;
  for (size_t i = 0; i < e->n_infos; i++)
    e->infos[i].gone = true;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
