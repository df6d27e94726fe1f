// builder.c - makes a descriptor at run time. Calls collect into growing lists; the first mistake is kept and
// comes out at registration, where the lists are copied into the environment.
#include "op/proto.h"
#include "base/allocated.h"

typedef struct build_port {
  weft_port port;
  WEFT_VEC(weft_dtype) dtypes;
  WEFT_VEC(weft_format) formats;
} build_port;

typedef struct build_columns {  // every port with dtypes has as many
  uint32_t n;
  const char *first;  // the port that n is from; NULL: none has any
} build_columns;

struct weft_op_builder {
  weft_env *env;
  weft_arena arena;  // names and texts until registration
  weft_op op;
  WEFT_VEC(build_port) in;
  WEFT_VEC(build_port) out;
  WEFT_VEC(weft_attr_decl) attrs;
  WEFT_VEC(const char *) targets;
  build_port *last;
  weft_diag first;  // first mistake
};

static const char *builder_keep(weft_op_builder *b, const char *text) {
  if (!text)
    return NULL;
  const char *copy = weft__arena_strdup(&b->env->arena, text, strlen(text));
  if (!copy)
    weft_fail(&b->first, WEFT_E_NOMEM, "out of memory");
  return copy;
}

weft_op_builder *weft_builder_create(weft_env *e, const char *name) {
  if (!e || !name)
    return NULL;
  weft_op_builder *b = weft__alloc(&e->alloc, sizeof *b, _Alignof(weft_op_builder));
  if (!b)
    return NULL;
  memset(b, 0, sizeof *b);
  b->env = e;
  weft__arena_init(&b->arena, &e->alloc);
  b->op = (weft_op){WEFT_OP_HEAD};
  b->op.name = builder_keep(b, name ? name : "");
  return b;
}

static void free_ports(weft_op_builder *b, build_port *p, size_t n) {
  for (size_t i = 0; i < n; i++) {
    WEFT_VEC_FREE(&b->env->alloc, p[i].dtypes);
    WEFT_VEC_FREE(&b->env->alloc, p[i].formats);
  }
}

void weft_builder_destroy(weft_op_builder *b) {
  if (!b)
    return;
  const weft_allocator a = b->env->alloc;
  free_ports(b, b->in.v, b->in.n);
  free_ports(b, b->out.v, b->out.n);
  WEFT_VEC_FREE(&a, b->in);
  WEFT_VEC_FREE(&a, b->out);
  WEFT_VEC_FREE(&a, b->attrs);
  WEFT_VEC_FREE(&a, b->targets);
  weft__arena_deinit(&b->arena);
  weft__free(&a, b, sizeof *b, _Alignof(weft_op_builder));
}

static void add_port(weft_op_builder *b, build_port **v, size_t *n, const char *what, const char *name,
                     int kind) {
  build_port *p = &(*v)[(*n)++];
  memset(p, 0, sizeof *p);
  p->port.name = builder_keep(b, name ? name : "");
  p->port.kind = (uint8_t)kind;
  p->port.min_count = kind == WEFT_DYNAMIC;
  b->last = p;
  if (!name || !*name)
    weft_fail(&b->first, WEFT_E_INVALID, "%s %zu has no name", what, *n - 1);
  if (kind < WEFT_REQUIRED || kind > WEFT_DYNAMIC)
    weft_fail(&b->first, WEFT_E_INVALID, "%s '%s': %d is not a port kind", what, name ? name : "", kind);
}

weft_op_builder *weft_builder_input(weft_op_builder *b, const char *name, int kind) {
  if (!b)
    return NULL;
  if (!WEFT_VEC_ROOM(&b->env->alloc, b->in))
    weft_fail(&b->first, WEFT_E_NOMEM, "out of memory");
  else
    add_port(b, &b->in.v, &b->in.n, "input", name, kind);
  return b;
}

weft_op_builder *weft_builder_output(weft_op_builder *b, const char *name, int kind) {
  if (!b)
    return NULL;
  if (!WEFT_VEC_ROOM(&b->env->alloc, b->out))
    weft_fail(&b->first, WEFT_E_NOMEM, "out of memory");
  else
    add_port(b, &b->out.v, &b->out.n, "output", name, kind);
  return b;
}

static bool has_port(weft_op_builder *b, const char *what) {
  if (!b->last)
    weft_fail(&b->first, WEFT_E_STATE, "%s comes before the first port", what);
  return b->last != NULL;
}

weft_op_builder *weft_builder_dtypes(weft_op_builder *b, size_t n, const weft_dtype *dtypes) {
  if (!b)
    return NULL;
  if (n && !dtypes) {
    weft__null_argument(&b->first, __func__, "dtypes");
    return b;
  }
  for (size_t i = 0; has_port(b, "a dtype list") && i < n; i++) {
    if (!WEFT_VEC_ROOM(&b->env->alloc, b->last->dtypes)) {
      weft_fail(&b->first, WEFT_E_NOMEM, "out of memory");
      break;
    }
    b->last->dtypes.v[b->last->dtypes.n++] = dtypes[i];
  }
  return b;
}

weft_op_builder *weft_builder_formats(weft_op_builder *b, size_t n, const weft_format *formats) {
  if (!b)
    return NULL;
  if (n && !formats) {
    weft__null_argument(&b->first, __func__, "formats");
    return b;
  }
  for (size_t i = 0; has_port(b, "a format list") && i < n; i++) {
    if (!WEFT_VEC_ROOM(&b->env->alloc, b->last->formats)) {
      weft_fail(&b->first, WEFT_E_NOMEM, "out of memory");
      break;
    }
    b->last->formats.v[b->last->formats.n++] = formats[i];
  }
  return b;
}

weft_op_builder *weft_builder_value_depend(weft_op_builder *b, unsigned what) {
  if (!b)
    return NULL;
  if (what & ~(unsigned)(WEFT_VALUE_INFER | WEFT_VALUE_TILING |
                         WEFT_VALUE_OPTIONAL)) {  // R122: not declared, a warning
    weft_env_log(b->env, WEFT_LOG_WARNING, "operator '%s': value dependence 0x%x is not known and is ignored",
                 b->op.name, what);
    return b;
  }
  if (has_port(b, "a value dependence"))
    b->last->port.value = (uint8_t)what;
  return b;
}

weft_op_builder *weft_builder_follow(weft_op_builder *b, const char *port, unsigned what) {
  if (!b)
    return NULL;
  if (!has_port(b, "Follow"))
    return b;
  if (!what || what > WEFT_FOLLOW_ALL)
    weft_fail(&b->first, WEFT_E_INVALID, "Follow mode %u is not known", what);
  b->last->port.follow = builder_keep(b, port);
  b->last->port.follow_what = (uint8_t)what;
  return b;
}

weft_op_builder *weft_builder_attr(weft_op_builder *b, const char *name, const char *type, const char *dflt,
                                   const char *check) {
  if (!b)
    return NULL;
  if (!WEFT_VEC_ROOM(&b->env->alloc, b->attrs)) {
    weft_fail(&b->first, WEFT_E_NOMEM, "out of memory");
    return b;
  }
  b->attrs.v[b->attrs.n++] = (weft_attr_decl){builder_keep(b, name), builder_keep(b, type),
                                              builder_keep(b, dflt), builder_keep(b, check), 0};
  return b;
}

#define SETTER(name, type, field)                                    \
  weft_op_builder *weft_builder_##name(weft_op_builder *b, type v) { \
    if (b)                                                           \
      b->op.field = v;                                               \
    return b;                                                        \
  }
SETTER(infer_shape, weft_infer_fn, infer)
SETTER(infer_dtype, weft_infer_fn, infer_dtype)
SETTER(infer_range, weft_infer_fn, infer_range)
SETTER(ref, weft_call_fn, ref)
SETTER(execute, weft_call_fn, execute)
SETTER(tiling, weft_tile_fn, tile)
SETTER(traits, uint64_t, traits)
#undef SETTER

weft_op_builder *weft_builder_kernel(weft_op_builder *b, const char *kernel) {
  if (!b)
    return NULL;
  b->op.kernel = builder_keep(b, kernel);
  return b;
}

weft_op_builder *weft_builder_target(weft_op_builder *b, const char *device) {
  if (!b)
    return NULL;
  if (!WEFT_VEC_ROOM(&b->env->alloc, b->targets))
    weft_fail(&b->first, WEFT_E_NOMEM, "out of memory");
  else
    b->targets.v[b->targets.n++] = builder_keep(b, device);
  return b;
}

// Column lists become weft_columns; every list of the operator has one length (R20).
static weft_status make_columns(weft_op_builder *b, build_port *p, const char *what, build_columns *all,
                                weft_diag *d) {
  if (!p->formats.n)
    p->port.incomplete_format = 1;
  if (!p->dtypes.n) {
    if (p->formats.n) {
      return weft_fail(d, WEFT_E_INVALID, "%s '%s' lists %zu formats and no dtype", what, p->port.name,
                       p->formats.n);
    }
    return WEFT_OK;
  }
  if (p->formats.n && p->formats.n != p->dtypes.n) {
    return weft_fail(d, WEFT_E_INVALID,
                     "%s '%s': element num of DataType (%zu) and Format (%zu) is not aligned", what,
                     p->port.name, p->dtypes.n, p->formats.n);
  }
  if (all->first && all->n != p->dtypes.n) {
    return weft_fail(d, WEFT_E_INVALID,
                     "%s '%s': element num of DataType is %zu, that of '%s' is %u: not aligned", what,
                     p->port.name, p->dtypes.n, all->first, all->n);
  }
  all->n = (uint32_t)p->dtypes.n;
  all->first = p->port.name;
  weft_column *c = WEFT_NEW_N(&b->env->arena, weft_column, p->dtypes.n);
  WEFT_TRY(weft__allocated(c, d));
  for (size_t i = 0; i < p->dtypes.n; i++)
    c[i] = (weft_column){p->dtypes.v[i], p->formats.n ? p->formats.v[i] : (weft_format)WEFT_ND};
  p->port.columns = c;
  return WEFT_OK;
}

static weft_status copy_ports(weft_op_builder *b, build_port *v, size_t n, const char *what,
                              build_columns *all, const weft_port **out, weft_diag *d) {
  weft_port *ports = WEFT_NEW_N(&b->env->arena, weft_port, n + 1);
  WEFT_TRY(weft__allocated(ports, d));
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(make_columns(b, &v[i], what, all, d));
    ports[i] = v[i].port;
  }
  *out = ports;
  return WEFT_OK;
}

static weft_status builder_finish(weft_op_builder *b, weft_op *op, weft_diag *d) {
  build_columns all = {0};
  WEFT_TRY(copy_ports(b, b->in.v, b->in.n, "input", &all, &op->in, d));
  WEFT_TRY(copy_ports(b, b->out.v, b->out.n, "output", &all, &op->out, d));
  op->n_columns = all.n;
  weft_attr_decl *attrs = WEFT_NEW_N(&b->env->arena, weft_attr_decl, b->attrs.n + 1);
  const char **targets = WEFT_NEW_N(&b->env->arena, const char *, b->targets.n + 1);
  WEFT_TRY(weft__allocated(attrs && targets, d));
  if (b->attrs.n)
    memcpy(attrs, b->attrs.v, b->attrs.n * sizeof *attrs);
  if (b->targets.n)
    memcpy(targets, b->targets.v, b->targets.n * sizeof *targets);
  op->attrs = attrs;
  op->targets = b->targets.n ? targets : NULL;
  return WEFT_OK;
}

weft_status weft_builder_register(weft_op_builder *b, unsigned flags, weft_diag *d) {
  WEFT_NEED(d, b);
  weft_op *op = WEFT_NEW(&b->env->arena, weft_op);
  WEFT_TRY(weft__allocated(op, d));
  *op = b->op;
  if (op->infer)
    op->traits |= WEFT__SHAPE_ONLY;
  weft_status s =
      b->first.status ? weft_fail(d, b->first.status, "%s", b->first.text) : builder_finish(b, op, d);
  if (s) {
    weft_note(d, "while registering operator '%s'", b->op.name ? b->op.name : "");
    return s;
  }
  return weft_register(b->env, op, flags, d);
}
// SPDX-License-Identifier: Apache-2.0
