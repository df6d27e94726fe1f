// link.c - which mentions are one tensor, and what is known of it: facts of all mentions are merged into one,
// and two that contradict each other are an error that names both places.
#include "frontend/simple/simple.h"

static const char *link_place(const simple_tensor *t, char buf[64]) {
  snprintf(buf, 64, "ops[%zu].%s[%u]", t->op->index, t->is_output ? "outputs" : "inputs", t->index);
  return buf;
}

static weft_status contradict(const simple_tensor *t, weft_status s, const char *what, const char *got,
                              const char *old) {
  char here[64];
  char there[64];
  return weft_fail(t->op->m->d, s, "%s.%s: '%.80s' is %s here, and %s in %s", link_place(t, here), what,
                   t->name, got, old, link_place(t->from, there));
}

// Both are known and differ; unknown and symbolic dims agree with everything here, inference is stricter.
static bool shapes_differ(const weft_shape *a, const weft_shape *b) {
  if (weft_shape_is_unknown_rank(a) || weft_shape_is_unknown_rank(b))
    return false;
  if (a->rank != b->rank)
    return true;
  for (size_t i = 0; i < a->rank; i++) {
    if (a->dim[i] >= 0 && b->dim[i] >= 0 && a->dim[i] != b->dim[i])
      return true;
  }
  return false;
}

static weft_status merge_shape(simple_tensor *t) {
  simple_tensor *f = t->from;
  simple_model *m = t->op->m;
  if (!t->shape)
    return WEFT_OK;
  if (!f->shape || weft_shape_is_unknown_rank(f->shape)) {
    f->shape = t->shape;
    return WEFT_OK;
  }
  if (shapes_differ(t->shape, f->shape)) {
    char a[256];
    char b[256];
    return contradict(t, WEFT_E_SHAPE, "shape",
                      weft_shape_text(t->shape, weft_graph_symbols(m->g), a, sizeof a),
                      weft_shape_text(f->shape, weft_graph_symbols(m->g), b, sizeof b));
  }
  if (weft_shape_is_unknown_rank(t->shape))
    return WEFT_OK;
  weft_shape *s = NULL;
  for (size_t i = 0; i < t->shape->rank; i++) {
    weft_dim d = t->shape->dim[i];
    weft_dim old = f->shape->dim[i];
    if (!(d >= 0 && old < 0) && !(old == WEFT_DIM_UNKNOWN && d != old))
      continue;
    if (!s) {
      s = WEFT_NEW(&m->arena, weft_shape);
      WEFT_TRY(simple_allocated(s, m));
      weft_shape_copy(s, f->shape);
    }
    s->dim[i] = d;
  }
  if (s)
    f->shape = s;
  return WEFT_OK;
}

static weft_status link_merge(simple_tensor *t) {
  simple_tensor *f = t->from;
  if (f == t)
    return WEFT_OK;
  if (t->dtype != WEFT_UNDEFINED && f->dtype != WEFT_UNDEFINED && t->dtype != f->dtype)
    return contradict(t, WEFT_E_DTYPE, "dtype", weft_dtype_name(t->dtype), weft_dtype_name(f->dtype));
  if (t->format != WEFT_FORMAT_RESERVED && f->format != WEFT_FORMAT_RESERVED &&
      !weft_format_compatible(t->format, f->format))
    return contradict(t, WEFT_E_FORMAT, "fmt", weft_format_serial(t->format), weft_format_serial(f->format));
  if (f->dtype == WEFT_UNDEFINED)
    f->dtype = t->dtype;
  if (f->format == WEFT_FORMAT_RESERVED) {
    f->format = t->format;
    f->says_format = t->says_format;
  }
  return merge_shape(t);
}

// ---- by name ----
static weft_status map_outputs(simple_model *m, weft_map *names, const simple_tensor **out_twice) {
  for (size_t i = 0; i < m->n_ops; i++) {
    for (size_t k = 0; k < m->ops[i].n_out; k++) {
      simple_tensor *t = &m->ops[i].out[k];
      simple_tensor *old = weft__map_find(names, t->name, strlen(t->name));
      if (old && !*out_twice)
        *out_twice = t;
      if (!old && weft__map_set(names, t->name, strlen(t->name), t))
        return simple_no_memory(m);
    }
  }
  return WEFT_OK;
}

static bool some_input_is_output(const simple_model *m, const weft_map *names) {
  for (size_t i = 0; i < m->n_ops; i++) {
    for (size_t k = 0; k < m->ops[i].n_in; k++) {
      const char *name = m->ops[i].in[k].name;
      if (name && weft__map_find(names, name, strlen(name)))
        return true;
    }
  }
  return false;
}

static weft_status link_by_name(simple_model *m, weft_map *names) {
  for (size_t i = 0; i < m->n_ops; i++) {
    for (size_t k = 0; k < m->ops[i].n_in; k++) {
      simple_tensor *t = &m->ops[i].in[k];
      if (!t->name)
        continue;
      simple_tensor *from = weft__map_find(names, t->name, strlen(t->name));
      if (from)
        t->from = from;
      else if (weft__map_set(names, t->name, strlen(t->name), t))
        return simple_no_memory(m);
      t->from->is_read = true;
      WEFT_TRY(link_merge(t));
    }
  }
  return WEFT_OK;
}

// ---- by order ----
// Output k of an op is input k of the next, where both exist (R273, R274). Other inputs are the graph's, each
// its own. Names of tensors that the graph has already get the op's name in front.
static weft_status own_name(simple_tensor *t, weft_map *names) {
  simple_model *m = t->op->m;
  if (t->is_output || weft__map_find(names, t->name, strlen(t->name))) {
    size_t room = strlen(t->op->name) + strlen(t->name) + 2;
    size_t at = 0;
    char *text = weft__arena_alloc(&m->arena, room, 1);
    WEFT_TRY(simple_allocated(text, m));
    weft__append(text, room, &at, "%s.%s", t->op->name, t->name);
    t->name = text;
  }
  return weft__map_set(names, t->name, strlen(t->name), t) ? simple_no_memory(m) : WEFT_OK;
}

static weft_status link_by_order(simple_model *m, weft_map *names) {
  for (size_t i = 0; i < m->n_ops; i++) {
    simple_op *o = &m->ops[i];
    simple_op *before = i ? o - 1 : NULL;
    for (size_t k = 0; k < o->n_in; k++) {
      simple_tensor *t = &o->in[k];
      if (!t->name)
        continue;
      if (before && k < before->n_out)
        t->from = &before->out[k];
      else
        WEFT_TRY(own_name(t, names));
      t->from->is_read = true;
      WEFT_TRY(link_merge(t));
    }
    for (size_t k = 0; k < o->n_out; k++)
      WEFT_TRY(own_name(&o->out[k], names));
  }
  return WEFT_OK;
}

static weft_status link_with(simple_model *m, weft_map *names, weft_map *inputs) {
  const simple_tensor *twice = NULL;
  WEFT_TRY(map_outputs(m, names, &twice));
  if (m->connect == SIMPLE_BY_ANY)
    m->connect = twice && !some_input_is_output(m, names) ? SIMPLE_BY_ORDER : SIMPLE_BY_NAME;
  if (m->connect == SIMPLE_BY_ORDER)
    return link_by_order(m, inputs);
  if (twice) {
    char here[64];
    char there[64];
    const simple_tensor *old = weft__map_find(names, twice->name, strlen(twice->name));
    return weft_fail(m->d, WEFT_E_DUPLICATE, "%s.name: '%.80s' is the name of %s already",
                     link_place(twice, here), twice->name, link_place(old, there));
  }
  return link_by_name(m, names);
}

weft_status simple_link(simple_model *m) {
  weft_map names;
  weft_map inputs;
  weft__map_init(&names, &m->env->alloc);
  weft__map_init(&inputs, &m->env->alloc);
  weft_status s = link_with(m, &names, &inputs);
  weft__map_deinit(&names);
  weft__map_deinit(&inputs);
  return s;
}

// ---- formats ----
static weft_status read_layout(simple_op *o) {
  const simple_param *p;
  const char *text = NULL;
  WEFT_TRY(simple_take(o, "data_format", &p));
  weft_format first = o->n_in && o->in[0].name ? o->in[0].from->format : WEFT_FORMAT_RESERVED;
  bool plain = first == WEFT_NCHW || first == WEFT_NHWC;
  o->layout = plain ? first : o->framework == SIMPLE_TENSORFLOW ? WEFT_NHWC : WEFT_NCHW;
  if (!p)
    return WEFT_OK;
  if (p->json->kind != WEFT_JSON_STRING)
    return simple_where(p, o, WEFT_E_TYPE, "expected a string, got %s", simple_kind(p->json));
  text = p->json->s;
  bool keras = o->framework == SIMPLE_TENSORFLOW;
  if (!strcmp(text, "NCHW") || (keras && !strcmp(text, "channels_first")))
    o->layout = WEFT_NCHW;
  else if (!strcmp(text, "NHWC") || (keras && !strcmp(text, "channels_last")))
    o->layout = WEFT_NHWC;
  else if (!o->row || !o->row->translate) {  // such as NCDHW: the operator knows
    o->params[p - o->params].used = false;
    return WEFT_OK;
  } else
    return simple_where(p, o, WEFT_E_FORMAT, "expected NCHW or NHWC, got '%.80s'", text);
  if (plain && first != o->layout) {
    return simple_where(p, o, WEFT_E_FORMAT, "it is '%.20s', and '%.80s' is %s", text, o->in[0].from->name,
                        weft_format_serial(first));
  }
  return WEFT_OK;
}

static void give_format(const simple_op *o, simple_tensor *t) {
  simple_tensor *f = t->from;
  if (!t->name || f->format != WEFT_FORMAT_RESERVED)
    return;
  bool rank4 = f->shape && f->shape->rank == 4;
  bool filter = !t->is_output && t->index == 1 && o->row && o->row->translate == simple_conv;
  if (rank4 && filter)
    f->format = o->framework == SIMPLE_TENSORFLOW ? WEFT_HWCN : WEFT_NCHW;
  else if (rank4)
    f->format = o->layout;
  else
    f->format = o->framework == SIMPLE_PLAIN && f->shape ? WEFT_NCHW : WEFT_ND;
}

weft_status simple_formats(simple_op *o) {
  WEFT_TRY(read_layout(o));
  for (size_t i = 0; i < o->n_in; i++)
    give_format(o, &o->in[i]);
  for (size_t i = 0; i < o->n_out; i++)
    give_format(o, &o->out[i]);
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
