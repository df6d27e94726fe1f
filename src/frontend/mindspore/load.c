// load.c - a MINDIR becomes a graph: its inputs, and what its graph gives, a tuple written out. Behind the
// outputs stand the parameters that the model changes, as NAME.new.
#include "frontend/mindspore/load.h"

#include "base/allocated.h"
#include "base/told.h"
#include "frontend/mindspore/mindspore.h"

static weft_status load_rows(ms_import *m) {
  for (size_t k = 0; k < ms_table_count; k++) {
    for (size_t i = 0; i < ms_tables[k]->n; i++) {
      const ms_row *r = &ms_tables[k]->v[i];
      bool set = !weft__map_set(&m->rows, r->op, strlen(r->op), (void *)(uintptr_t)r);
      WEFT_TRY(weft__allocated(set, m->f.d));
    }
  }
  return WEFT_OK;
}

// ---- inputs ----
// "17_main_construct:x" is x, where nothing else has that name.
static const char *load_name(const ms_import *m, const char *name) {
  const char *last = strrchr(name, ':');
  bool shorter = last && last[1] && !weft_graph_find_value(m->f.g, last + 1);
  return shorter ? last + 1 : name;
}

static weft_status load_input(ms_import *m, const ms_end *e, ms_value *out) {
  weft_tensor_desc desc;
  weft_dim dims[WEFT_MAX_RANK];
  weft_dtype t;
  int rank;
  if (!e->tensor.at)
    return weft_fail(m->f.d, WEFT_E_UNSUPPORTED, "input '%.200s' is not a tensor", e->name);
  WEFT_TRY(ms_tensor_type(m, e->tensor, &t, dims, &rank));
  weft_desc_init(&desc);
  desc.dtype = t;
  if (rank >= 0)
    WEFT_TRY(weft_desc_set(&desc, t, WEFT_ND, dims, (size_t)rank));
  else {
    weft_shape_set_unknown_rank(&desc.layout.origin);
    weft_shape_set_unknown_rank(&desc.layout.storage);
  }
  *out =
      (ms_value){.kind = MS_TENSOR, .v = weft_graph_input_desc(m->f.g, load_name(m, e->name), &desc, m->f.d)};
  return out->v ? WEFT_OK : m->f.d->status;
}

// ---- outputs ----
static weft_status load_state(ms_import *m, ms_scope *s, ms_param *p) {
  front_op b = front_op_of(&m->f, &s->s, p->name, "Parameter", 0);
  if (!p->state)
    return WEFT_OK;
  if (!p->changed)
    return front_state_drop(p->state, m->f.d);
  front_state_set(&b, p->state, p->v);
  return b.failed;
}

static weft_status load_outputs(ms_import *m, ms_scope *s) {
  ms_list all = {0};
  char name[300];
  front_op o = front_op_of(&m->f, &s->s, "output", "output", 0);
  for (size_t i = 0; i < m->main->n_out; i++) {
    ms_value v;
    WEFT_TRY(ms_take(s, m->main->out[i].name, &v));
    ms_flatten(&o, &v, true, &all);
  }
  WEFT_TRY(o.failed);
  if (!all.n)
    return weft_fail(m->f.d, WEFT_E_MISSING, "the model has no outputs");
  for (size_t i = 0; i < all.n; i++) {
    snprintf(name, sizeof name, "output_%zu", i);
    WEFT_TRY(front_output(&m->f, &s->s, all.v[i], name));
  }
  for (size_t i = 0; i < m->n_params; i++) {
    snprintf(name, sizeof name, "%.250s.new", m->params[i]->name);
    if (m->params[i]->changed)
      WEFT_TRY(front_output(&m->f, &s->s, m->params[i]->v, name));
    WEFT_TRY(load_state(m, s, m->params[i]));
  }
  return WEFT_OK;
}

static weft_status load_graph(ms_import *m, ms_bytes file) {
  ms_scope s = {.m = m};
  WEFT_TRY(ms_read_model(m, file));
  WEFT_TRY(load_rows(m));
  WEFT_TRY(ms_scan(m));
  ms_value *args = WEFT_NEW_N(&m->f.arena, ms_value, m->main->n_in + 1);
  WEFT_TRY(weft__allocated(args, m->f.d));
  for (size_t i = 0; i < m->main->n_in; i++)
    WEFT_TRY(load_input(m, &m->main->in[i], &args[i]));
  WEFT_TRY(weft__name_dims(m->f.g, m->f.d));
  WEFT_TRY(ms_scope_begin(&s, NULL, m->main, args, m->main->n_in));
  weft_status st = front_scope_begin(&m->f, &s.s, m->f.g, 0);
  if (!st)
    st = load_outputs(m, &s);
  front_scope_end(&s.s);
  return st;
}

// ---- what else may be given as one ----
enum { LOAD_PRODUCER = 2 };

static bool load_is_mindir(const uint8_t *p, size_t bytes) {
  static const char producer[] = "MindSpore";
  size_t at = 0;
  for (int fields = 0; fields < 4 && at + 2 < bytes && (p[at] & 7) == WIRE_BYTES && p[at + 1] < 0x80;
       fields++) {
    size_t n = p[at + 1];
    if (p[at] >> 3 == LOAD_PRODUCER)
      return n == sizeof producer - 1 && at + 2 + n <= bytes && !memcmp(p + at + 2, producer, n);
    at += 2 + n;
  }
  return false;
}

static bool load_is_lite(const uint8_t *p, size_t bytes) {
  return bytes >= 8 && !memcmp(p + 4, "MSL", 3);
}

bool weft__ms_begins(const void *data, size_t bytes) {
  return load_is_mindir(data, bytes) || load_is_lite(data, bytes);
}

static weft_status load_refused(ms_import *m, ms_bytes file) {
  if (load_is_lite(file.at, file.n))
    return weft_fail(m->f.d, WEFT_E_UNSUPPORTED,
                     "the file is a model of MindSpore Lite; give the MINDIR that it was converted from "
                     "(mindspore.export(net, inputs, file_format='MINDIR'))");
  if (!load_is_mindir(file.at, file.n))
    return weft_fail(m->f.d, WEFT_E_UNSUPPORTED,
                     "the file is not a MINDIR, or it is encrypted: load it in MindSpore with its key "
                     "(mindspore.load(name, dec_key=..)) and export it without enc_key");
  return WEFT_OK;
}

// ---- all of it ----
static weft_status load_begin(ms_import *m, weft_env *e, const char *name, weft_diag *d) {
  memset(m, 0, sizeof *m);
  WEFT_TRY(front_begin(&m->f, e, "MindSpore", name, d));
  weft_map *maps[] = {&m->prims, &m->names, &m->graphs, &m->rows, &m->files};
  for (size_t i = 0; i < WEFT_COUNT(maps); i++)
    weft__map_init(maps[i], &m->f.arena.alloc);
  return WEFT_OK;
}

static weft_status load_end(ms_import *m, weft_status s, weft_graph **out) {
  weft_map *maps[] = {&m->prims, &m->names, &m->graphs, &m->rows, &m->files};
  for (size_t i = 0; i < WEFT_COUNT(maps); i++)
    weft__map_deinit(maps[i]);
  return front_end(&m->f, s, out);
}

weft_status weft__ms_read(weft_env *e, const void *data, size_t bytes, const char *name, const char *path,
                          weft_graph **out, weft_diag *d) {
  ms_import m;
  const ms_bytes file = {data, bytes};
  *out = NULL;
  WEFT_TRY(load_begin(&m, e, name, d));
  m.path = path;
  m.source = (wire_source){.data = data, .bytes = bytes, .root = "ModelProto", .d = m.f.d};
  m.source.budget = &m.f.g->root->budget;
  weft_status s = weft__wire_step(&(wire_message){.src = &m.source});
  if (!s)
    s = load_refused(&m, file);
  if (!s)
    s = load_graph(&m, file);
  return weft__told(load_end(&m, s, out), d);
}
// SPDX-License-Identifier: Apache-2.0
