// changes.c - buffers that a program changes are states (weft/state.h). Which may be is found before anything
// is made, so that no value of theirs is taken for a constant: every result counts as a view of its first
// argument, which is too many; what turns out not to be changed is a constant again at the end.
#include "base/allocated.h"
#include "frontend/front.h"
#include "frontend/torch/torch.h"

typedef struct changes_scan {
  pt_scope *s;
  weft_map roots;  // name -> the buffer that it may show
} changes_scan;

// The names of the tensors in an argument or output: one, or a list.
typedef weft_status (*changes_fn)(changes_scan *c, const char *name, void *ctx);
static weft_status changes_names(changes_scan *c, const weft_json *object, changes_fn fn, void *ctx) {
  const char *key;
  const weft_json *inner = pt_only(object, &key);
  const char *name = pt_text(inner, "name");
  if (name)
    return fn(c, name, ctx);
  for (size_t i = 0; i < weft__json_count(inner); i++) {
    name = pt_text(&inner->items[i], "name");
    if (name)
      WEFT_TRY(fn(c, name, ctx));
  }
  return WEFT_OK;
}

static weft_status changes_first(changes_scan *c, const char *name, void *ctx) {
  pt_value **root = ctx;
  if (!*root)
    *root = weft__map_find(&c->roots, name, strlen(name));
  return WEFT_OK;
}

static weft_status changes_root(changes_scan *c, const char *name, void *ctx) {
  bool set = !weft__map_set(&c->roots, name, strlen(name), ctx);
  return weft__allocated(set, c->s->m->f.d);
}

// The name of an argument, "" where it has none, and what it is.
static const char *changes_argument(const weft_json *input, const weft_json **out) {
  const char *key;
  const char *name = pt_text(input, "name");
  *out = pt_only(weft__json_get(input, "arg"), &key);
  return name ? name : "";
}

static bool changes_trains(const weft_json *inputs) {
  for (size_t i = 0; i < weft__json_count(inputs); i++) {
    const weft_json *v;
    const char *name = changes_argument(&inputs->items[i], &v);
    bool mode = !strcmp(name, "training") || !strcmp(name, "use_input_stats");
    if (mode && v && v->b)
      return true;
  }
  return false;
}

// Norms that are exported in training mode move their running statistics, which no signature says.
static void changes_statistics(changes_scan *c, const char *target, const weft_json *inputs) {
  bool norm = strstr(target, "batch_norm") || strstr(target, "instance_norm");
  if (!norm || (!strstr(target, "_with_update") && !changes_trains(inputs)))
    return;
  for (size_t i = 0; i < weft__json_count(inputs); i++) {
    const weft_json *v;
    const char *name = changes_argument(&inputs->items[i], &v);
    const char *of = strncmp(name, "running_", 8) ? NULL : pt_text(v, "name");
    pt_value *root = of ? weft__map_find(&c->roots, of, strlen(of)) : NULL;
    if (root)
      root->may_change = true;
  }
}

static weft_status changes_node(changes_scan *c, const weft_json *node) {
  pt_value *root = NULL;
  bool in_place = false;
  const char *target = pt_text(node, "target");
  const weft_json *inputs = weft__json_get(node, "inputs");
  const weft_json *outputs = weft__json_get(node, "outputs");
  changes_statistics(c, target ? target : "", inputs);
  if (weft__json_count(inputs))
    WEFT_TRY(changes_names(c, weft__json_get(&inputs->items[0], "arg"), changes_first, &root));
  if (!root)
    return WEFT_OK;
  (void)pt_row_of(c->s->m, target ? target : "", &in_place);
  root->may_change |= in_place;
  for (size_t i = 0; i < weft__json_count(outputs); i++)
    WEFT_TRY(changes_names(c, &outputs->items[i], changes_root, root));
  return WEFT_OK;
}

// What the signature says: buffers that are changed, and the values that they have then.
static weft_status changes_said(pt_scope *s, const weft_json *specs) {
  weft_status st = WEFT_OK;
  weft_map buffers;  // by the names that the signature uses
  weft__map_init(&buffers, &s->m->f.arena.alloc);
  for (pt_value *v = s->m->buffers; v && !st; v = v->next_buffer)
    st = weft__map_add(&buffers, v->fqn, strlen(v->fqn), v) == WEFT_E_NOMEM ? WEFT_E_NOMEM : WEFT_OK;
  for (size_t i = 0; i < weft__json_count(specs) && !st; i++) {
    const char *kind;
    const weft_json *spec = pt_only(&specs->items[i], &kind);
    const char *fqn = strcmp(kind, "buffer_mutation") ? NULL : pt_text(spec, "buffer_name");
    pt_value *v = fqn ? weft__map_find(&buffers, fqn, strlen(fqn)) : NULL;
    if (!v)
      continue;
    v->may_change = true;
    if (!v->becomes)
      v->becomes = pt_text(weft__json_get(spec, "arg"), "name");
  }
  weft__map_deinit(&buffers);
  return weft__allocated(!st, s->m->f.d);
}

weft_status pt_find_changes(pt_scope *s, const weft_json *signature) {
  changes_scan c = {.s = s};
  const weft_json *nodes = weft__json_get(s->graph, "nodes");
  WEFT_TRY(changes_said(s, weft__json_get(signature, "output_specs")));
  weft__map_init(&c.roots, &s->m->f.arena.alloc);
  weft_status st = WEFT_OK;
  for (pt_value *v = s->m->buffers; v && !st; v = v->next_buffer)
    st = changes_root(&c, v->name, v);
  for (size_t i = 0; !st && s->m->buffers && i < weft__json_count(nodes); i++)
    st = changes_node(&c, &nodes->items[i]);
  weft__map_deinit(&c.roots);
  return st;
}

weft_status pt_state_of(pt_scope *s, pt_value *v) {
  front_op b = front_op_of(&s->m->f, &s->s, v->fqn, "buffer", 0);
  if (!v->may_change || v->v->origin != WEFT_VALUE_CONST || v->v->graph != s->m->f.g)
    return WEFT_OK;
  const weft_value *holder = weft_graph_find_value(s->m->f.g, v->fqn);
  bool taken = holder && holder->origin == WEFT_VALUE_INPUT;  // a state stands beside the inputs
  v->state = front_state(&b, taken ? v->name : v->fqn, v->v);
  if (v->state)
    v->v = v->state;
  return b.failed;
}

weft_status pt_keep_changes(pt_scope *s) {
  for (pt_value *v = s->m->buffers; v; v = v->next_buffer) {
    front_op b = front_op_of(&s->m->f, &s->s, v->fqn, "buffer", 0);
    pt_value *named = v->becomes ? pt_name(s, v->becomes) : NULL;
    weft_value *now = v->state ? pt_read(&b, s, named ? named : v) : NULL;
    if (!v->state)
      continue;
    if (now && now != v->state)
      front_state_set(&b, v->state, now);
    WEFT_TRY(b.failed);
    if (now == v->state)
      WEFT_TRY(front_state_drop(v->state, s->m->f.d));
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
