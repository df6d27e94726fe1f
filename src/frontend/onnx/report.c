// report.c - the problems of one import: see report.h. Lines are kept up to ONNX_MAX_SHOWN and told in the
// order of the file; a weft_diag holds the first of them, the log all. One problem alone is told as it
// happened.
#include "frontend/onnx/report.h"
#include "base/allocated.h"

enum { LINE_BYTES = 400, ROOM_FOR_NOTES = 500 };

void onnx_problems_init(onnx_problems *p, const weft_allocator *a) {
  memset(p, 0, sizeof *p);
  weft__map_init(&p->told, a);
  weft__map_init(&p->doubtful, a);
  weft__map_init(&p->warned, a);
}

void onnx_problems_deinit(onnx_problems *p) {
  weft__map_deinit(&p->told);
  weft__map_deinit(&p->doubtful);
  weft__map_deinit(&p->warned);
}

// A set of addresses: the map borrows its keys.
static bool report_holds(const weft_map *set, const void *what) {
  return weft__map_find(set, (const char *)&what, sizeof what) != NULL;
}

static weft_status report_put(onnx_import *m, weft_map *set, const void *what) {
  static const char yes = 1;
  if (report_holds(set, what))
    return WEFT_OK;
  const void **key = WEFT_NEW_N(m->arena, const void *, 1);
  WEFT_TRY(weft__allocated(key, m->d));
  *key = what;
  WEFT_TRY(
      weft__allocated(!weft__map_set(set, (const char *)key, sizeof what, (void *)(uintptr_t)&yes), m->d));
  return WEFT_OK;
}

void onnx_warn(onnx_import *m, const void *what, const char *fmt, ...) {
  char text[1024];
  va_list ap;
  if (report_holds(&m->problems->warned, what))
    return;
  weft_diag none = {0};
  weft_diag *d = m->d;
  m->d = &none;
  (void)report_put(m, &m->problems->warned, what);  // without memory it is told again
  m->d = d;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  weft_env_log(m->env, WEFT_LOG_WARNING, "%s", text);
}

bool onnx_doubted(const onnx_import *m, const weft_value *v) {
  return v && report_holds(&m->problems->doubtful, v);
}

weft_status onnx_doubt(onnx_import *m, const weft_value *v) {
  return report_put(m, &m->problems->doubtful, v);
}

static weft_status keep_line(onnx_import *m, uint64_t offset, const char *line) {
  onnx_problems *p = m->problems;
  p->n++;
  if (p->n_shown == ONNX_MAX_SHOWN)
    return WEFT_OK;
  const char *text = weft__arena_strdup(m->arena, line, strlen(line));
  WEFT_TRY(weft__allocated(text, m->d));
  size_t at = p->n_shown++;
  for (; at && p->shown[at - 1].offset > offset; at--)
    p->shown[at] = p->shown[at - 1];
  p->shown[at] = (onnx_problem){offset, text};
  return WEFT_OK;
}

// "node 'conv1' (Conv) at byte 1234: " and the first line of the message.
static weft_status add_line(onnx_import *m, const onnx_node *n, uint64_t offset, const char *message) {
  char line[LINE_BYTES];
  int cut = (int)WEFT_MIN(strcspn(message, "\n"), 240);
  if (n) {
    snprintf(line, sizeof line, "node '%.*s' (%.*s) at byte %llu: %.*s", (int)WEFT_MIN(n->name.bytes, 60),
             onnx_str_text(n->name), (int)WEFT_MIN(n->op_type.bytes, 60), onnx_str_text(n->op_type),
             (unsigned long long)offset, cut, message);
  } else if (offset && offset != UINT64_MAX)
    snprintf(line, sizeof line, "at byte %llu: %.*s", (unsigned long long)offset, cut, message);
  else
    snprintf(line, sizeof line, "%.*s", cut, message);
  return keep_line(m, offset, line);
}

// What is wrong with the model, and not with the machine: the import goes on to find more of it.
static bool ends_the_import(weft_status s) {
  static const weft_status told[] = {WEFT_E_INVALID,     WEFT_E_SHAPE,   WEFT_E_DTYPE,     WEFT_E_FORMAT,
                                     WEFT_E_TYPE,        WEFT_E_RANGE,   WEFT_E_NOT_FOUND, WEFT_E_MISSING,
                                     WEFT_E_UNSUPPORTED, WEFT_E_VERSION, WEFT_E_UNKNOWN};
  for (size_t i = 0; i < WEFT_COUNT(told); i++) {
    if (told[i] == s)
      return false;
  }
  return true;
}

weft_status onnx_set_aside(onnx_import *m, const void *what, const onnx_node *node, uint64_t offset,
                           weft_status s) {
  onnx_problems *p = m->problems;
  if (ends_the_import(s))
    return s;
  weft_diag found = *m->d;
  weft_diag_clear(m->d);
  if (!what || report_holds(&p->told, what))
    return WEFT_OK;
  if (!p->n)
    p->first = found;
  WEFT_TRY(report_put(m, &p->told, what));
  return add_line(m, node, offset, found.text);
}

weft_status onnx_stand_in(onnx_import *m, onnx_str name, uint64_t offset) {
  weft_tensor_desc desc;
  onnx_name *record = onnx_name_make(m, name);
  if (!record)
    return m->d->status;
  const onnx_value_info *info = record->info;
  char text[64];
  if (!info || !info->type || onnx_describe_value(m, info->type, &desc, "stand-in")) {
    weft_diag_clear(m->d);
    weft_desc_init(&desc);
    weft_shape_set_unknown_rank(&desc.layout.origin);
    weft_shape_set_unknown_rank(&desc.layout.storage);
  }
  do
    snprintf(text, sizeof text, "weft/unknown_%u", onnx_fresh(m));
  while (weft_graph_find_value(m->g, text));
  weft_value *v = weft_graph_input_desc(m->g, text, &desc, m->d);
  if (!v)
    return m->d->status;
  if (!record->value)
    WEFT_TRY(onnx_bind(m, name, v, offset));
  record->value = v;
  return onnx_doubt(m, v);
}

// As many lines as a weft_diag takes; how many these are.
static size_t list_lines(const onnx_problems *p, size_t room, weft_text *t) {
  for (size_t i = 0; i < p->n_shown; i++) {
    if (t->n + strlen(p->shown[i].text) + 3 > room) {
      weft__text_addf(t, "\n  and %zu more", p->n - i);
      return i;
    }
    weft__text_addf(t, "\n  %s", p->shown[i].text);
  }
  if (p->n > p->n_shown)
    weft__text_addf(t, "\n  and %zu more", p->n - p->n_shown);
  return p->n_shown;
}

weft_status onnx_report(onnx_import *m, weft_status s) {
  onnx_problems *p = m->problems;
  if (!p->n || s == WEFT_E_NOMEM)
    return s;
  if (s) {  // what ended it is the last one
    weft_diag last = *m->d;
    weft_diag_clear(m->d);
    if (add_line(m, NULL, UINT64_MAX, last.text))
      return WEFT_E_NOMEM;
  }
  if (p->n == 1 && !p->n_operators) {
    *m->d = p->first;
    return p->first.status;
  }
  weft_text t;
  weft__text_init(&t, &m->env->alloc);
  if (p->n == p->n_operators) {
    weft__text_addf(&t, "%zu node%s with operators that weft does not import:", p->operator_nodes,
                    p->operator_nodes == 1 ? "" : "s");
  } else
    weft__text_addf(&t, "%zu problems in the model:", p->n);
  for (size_t i = list_lines(p, WEFT_DIAG_BYTES - ROOM_FOR_NOTES, &t); i < p->n_shown; i++)
    weft_env_log(m->env, WEFT_LOG_WARNING, "%s", p->shown[i].text);
  s = t.failed ? WEFT_E_NOMEM : p->first.status;
  weft_diag_clear(m->d);
  (void)weft_fail(m->d, s, "%s", t.failed ? "out of memory" : t.v);
  if (p->n_operators) {
    weft_note(m->d,
              "a package can bring an operator under the name 'domain::Type' or 'Type' (weft op new, "
              "WEFT_OPP_PATH; in Python weft.op); "
              "weft show and weft infer read the model without it");
  }
  weft__text_deinit(&t);
  return s;
}

// ---- what the file alone shows ----
typedef struct missing {  // an operator that is not imported
  const onnx_node *node[8];
  const onnx_function *function;
  int64_t version;
  size_t n;
} missing;

typedef struct scan {
  onnx_import *m;
  const onnx_function *function;
  int64_t version;  // of ai.onnx
  missing found[24];
  size_t n_found, more;
} scan;

static weft_status problem(scan *c, const void *what, const onnx_node *n, uint64_t offset, weft_status s) {
  if (n) {
    weft_note(c->m->d, "in node '%.*s' (%.*s) of %s, at byte %llu", (int)WEFT_MIN(n->name.bytes, 200),
              onnx_str_text(n->name), (int)WEFT_MIN(n->op_type.bytes, 100), onnx_str_text(n->op_type),
              c->m->file, (unsigned long long)n->offset);
  }
  return onnx_set_aside(c->m, what, n, offset, s);
}

static weft_status check_elem_type(scan *c, const void *what, const onnx_node *n, onnx_str name,
                                   uint64_t offset, int32_t type) {
  weft_dtype t;
  if (!type || weft__onnx_dtype(type, &t))
    return WEFT_OK;
  weft_status s = weft_fail(c->m->d, WEFT_E_DTYPE, "%.*s: element type %d is not known",
                            (int)WEFT_MIN(name.bytes, 100), onnx_str_text(name), type);
  return problem(c, what, n, offset, s);
}

static weft_status check_infos(scan *c, const onnx_value_infos *v) {
  for (size_t i = 0; i < v->n; i++) {
    const onnx_type *type = v->v[i].type;
    for (int depth = 0; type && type->nested && depth < ONNX_MAX_TYPE_DEPTH; depth++)
      type = type->nested->elem;
    if (type && type->tensor)
      WEFT_TRY(check_elem_type(c, &v->v[i], NULL, v->v[i].name, v->v[i].offset, type->tensor->elem_type));
  }
  return WEFT_OK;
}

const char *onnx_kind_name(int kind) {
  static const char *const names[] = {
      "none",    "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
      "STRINGS", "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
  return kind >= 0 && kind < (int)WEFT_COUNT(names) ? names[kind] : "another type";
}

static weft_status check_attrs(scan *c, const onnx_node *n, const char *attrs) {
  int64_t version = onnx_domain_version(c->m, c->function, n->domain, c->version);
  for (size_t i = 0; attrs && i < n->attributes.n; i++) {
    const onnx_attr *a = &n->attributes.v[i];
    int want = weft__onnx_attribute_kind(attrs, a->name);
    int got = onnx_attr_kind(a);
    int bytes = (int)WEFT_MIN(a->name.bytes, 60);
    const char *text = onnx_str_text(a->name);
    if (want == ONNX_ATTR_UNDEFINED && a->name.bytes > 1 && !memcmp(text, "__", 2))
      continue;  // a program's own
    weft_status s = WEFT_OK;
    if (want == ONNX_ATTR_UNDEFINED) {
      s = weft_fail(
          c->m->d, WEFT_E_UNSUPPORTED,
          "attribute '%.*s' at byte %llu: the operator has no such attribute in version %lld of its "
          "operator set",
          bytes, text, (unsigned long long)a->offset, (long long)version);
    } else if (got && got != want) {
      s = weft_fail(c->m->d, WEFT_E_TYPE, "attribute '%.*s' at byte %llu: expected %s, got %s", bytes, text,
                    (unsigned long long)a->offset, onnx_kind_name(want), onnx_kind_name(got));
    }
    if (s)
      WEFT_TRY(problem(c, a, n, n->offset, s));
    if (a->t)
      WEFT_TRY(check_elem_type(c, a, n, a->name, n->offset, a->t->data_type));
    if (report_holds(&c->m->problems->told, a))
      WEFT_TRY(report_put(c->m, &c->m->problems->told, n));
  }
  return WEFT_OK;
}

static weft_status add_missing(scan *c, const onnx_node *n) {
  size_t k = 0;
  WEFT_TRY(report_put(c->m, &c->m->problems->told, n));
  while (k < c->n_found &&
         !(onnx_str_same(c->found[k].node[0]->op_type, n->op_type) &&
           onnx_str_same(c->found[k].node[0]->domain, n->domain) && c->found[k].version == c->version))
    k++;
  if (k == WEFT_COUNT(c->found)) {
    c->more++;
    return WEFT_OK;
  }
  if (k == c->n_found)
    c->found[c->n_found++] = (missing){.function = c->function, .version = c->version};
  missing *f = &c->found[k];
  if (f->n < WEFT_COUNT(f->node))
    f->node[f->n] = n;
  f->n++;
  return WEFT_OK;
}

static weft_status scan_graph(scan *c, const onnx_graph *g, int depth);

static weft_status scan_nodes(scan *c, const onnx_node *v, size_t count, int depth) {
  for (size_t i = 0; i < count; i++) {
    const onnx_node *n = &v[i];
    for (size_t a = 0; a < n->attributes.n; a++) {
      if (n->attributes.v[a].g)
        WEFT_TRY(scan_graph(c, n->attributes.v[a].g, depth + 1));
    }
    if (onnx_find_function(c->m, n))
      continue;
    const onnx_kind *kind = onnx_node_kind(c->m, c->function, n, c->version);
    if (!kind->map && !onnx_custom(c->m, n))
      WEFT_TRY(add_missing(c, n));
    else if (kind->map && n->attributes.n)
      WEFT_TRY(check_attrs(c, n, kind->attributes));
  }
  return WEFT_OK;
}

static weft_status scan_graph(scan *c, const onnx_graph *g, int depth) {
  if (depth >= ONNX_MAX_GRAPH_DEPTH)
    return WEFT_OK;
  for (size_t i = 0; i < g->initializers.n; i++) {
    const onnx_tensor *t = &g->initializers.v[i];
    WEFT_TRY(check_elem_type(c, t, NULL, t->name, t->offset, t->data_type));
  }
  WEFT_TRY(check_infos(c, &g->inputs));
  WEFT_TRY(check_infos(c, &g->outputs));
  WEFT_TRY(check_infos(c, &g->value_infos));
  return scan_nodes(c, g->nodes.v, g->nodes.n, depth);
}

static weft_status tell_missing(scan *c, const missing *f) {
  const onnx_node *n = f->node[0];
  onnx_import *m = c->m;
  char text[1024];
  bool ours = !n->domain.bytes || onnx_str_is(n->domain, "ai.onnx");
  int64_t version = onnx_domain_version(m, f->function, n->domain, f->version);
  int at = snprintf(text, sizeof text, "%.*s (%.*s", (int)WEFT_MIN(n->op_type.bytes, 60),
                    onnx_str_text(n->op_type), ours ? 7 : (int)WEFT_MIN(n->domain.bytes, 60),
                    ours ? "ai.onnx" : n->domain.text);
  if (ours || version)
    at += snprintf(text + at, sizeof text - (size_t)at, " %lld", (long long)version);
  at += snprintf(text + at, sizeof text - (size_t)at, "): %zu node%s, first", f->n, f->n == 1 ? "" : "s");
  for (size_t i = 0; i < WEFT_MIN(f->n, WEFT_COUNT(f->node)) && at < 200; i++) {
    at += snprintf(text + at, sizeof text - (size_t)at, "%s '%.*s' at byte %llu", i ? "," : "",
                   (int)WEFT_MIN(f->node[i]->name.bytes, 60), onnx_str_text(f->node[i]->name),
                   (unsigned long long)f->node[i]->offset);
  }
  if (m->options->keep_unknown) {
    onnx_warn(m, n, "%s: weft has no operator %s: what it makes is not known", m->file, text);
    return WEFT_OK;
  }
  c->m->problems->n_operators++;
  if (!m->problems->n)
    m->problems->first.status = WEFT_E_UNSUPPORTED;
  return keep_line(m, n->offset, text);
}

// ai.onnx in a version that is not read: told, and taken for the nearest that is.
static weft_status check_version(scan *c, const void *what, uint64_t offset, const char *whose,
                                 int64_t *version) {
  if (*version >= 1 && *version <= ONNX_LAST_VERSION)
    return WEFT_OK;
  weft_status s =
      weft_fail(c->m->d, WEFT_E_VERSION, "operator-set version %lld of ai.onnx%s: this weft reads 1 to %d",
                (long long)*version, whose, ONNX_LAST_VERSION);
  *version = *version < 1 ? 1 : ONNX_LAST_VERSION;
  return problem(c, what, NULL, offset, s);
}

weft_status onnx_check_model(onnx_import *m) {
  scan c = {.m = m};
  if (m->version)
    WEFT_TRY(check_version(&c, m->model, 0, "", &m->version));
  c.version = m->version;
  WEFT_TRY(scan_graph(&c, m->model->graph, 0));
  for (size_t i = 0; i < m->model->functions.n; i++) {
    const onnx_function *f = c.function = &m->model->functions.v[i];
    c.version = onnx_version_of(f->opset_imports.v, f->opset_imports.n, m->version);
    if (c.version != m->version)
      WEFT_TRY(check_version(&c, f, f->offset, ", of a function", &c.version));
    WEFT_TRY(check_infos(&c, &f->value_infos));
    WEFT_TRY(scan_nodes(&c, f->nodes.v, f->nodes.n, 0));
  }
  for (size_t i = 0; i < c.n_found; i++) {
    m->problems->operator_nodes += c.found[i].n;
    WEFT_TRY(tell_missing(&c, &c.found[i]));
  }
  if (m->options->keep_unknown)
    return WEFT_OK;
  m->problems->n += c.more;
  m->problems->n_operators += c.more;
  m->problems->operator_nodes += c.more;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
