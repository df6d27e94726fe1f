// proto_equal_test.c - two descriptors that differ in one member are two prototypes, whichever member it is.
#include "op/proto.h"

#include "check.h"
#include "rows.h"

static weft_status nothing(weft_infer *it) {
  (void)it;
  return WEFT_OK;
}
static weft_status other(weft_infer *it) {
  (void)it;
  return WEFT_E_SHAPE;
}
static weft_status call(const weft_call *c) {
  (void)c;
  return WEFT_OK;
}
static weft_status tile(weft_tiling *t) {
  (void)t;
  return WEFT_OK;
}

// A descriptor in memory that a test may change.
typedef struct made_op {
  weft_column columns[2], others[2];
  weft_port in[3], out[2];
  weft_attr_decl attrs[2];
  weft_symbol types[3];
  const char *graphs[2], *targets[2], *examples[2];
  weft_op op;
} made_op;

static void make_op(made_op *m) {
  memset(m, 0, sizeof *m);
  m->columns[0] = m->others[0] = (weft_column){WEFT_FLOAT, WEFT_ND};
  m->columns[1] = m->others[1] = (weft_column){WEFT_INT32, WEFT_ND};
  m->types[0] = (weft_symbol){.name = "T", .set = WEFT_FLOATS};
  m->types[1] = (weft_symbol){.name = "U", .set = WEFT_FLOATS};
  m->in[0] = (weft_port){.name = "x", .columns = m->columns};
  m->in[1] = (weft_port){.name = "more", .dtypes = WEFT_FLOATS, .kind = WEFT_DYNAMIC, .min_count = 1};
  m->out[0] = (weft_port){.name = "y", .columns = m->columns};
  m->attrs[0] = (weft_attr_decl){"axis", "Int", "0", "min 0", 0};
  m->graphs[0] = "body";
  m->targets[0] = "cpu";
  m->examples[0] = "f32[2] -> f32[2]";
  m->op =
      (weft_op){WEFT_OP_HEAD,           .name = "EqualTest", .summary = "nothing",   .in = m->in,
                .out = m->out,          .attrs = m->attrs,   .types = m->types,      .graphs = m->graphs,
                .n_columns = 2,         .infer = nothing,    .infer_dtype = nothing, .infer_range = nothing,
                .infer_value = nothing, .kernel = "k",       .targets = m->targets,  .examples = m->examples};
}

typedef struct flip {
  const char *member;
  void (*change)(made_op *m);
} flip;
#define FLIP(id, ...)                 \
  static void flip_##id(made_op *m) { \
    __VA_ARGS__;                      \
  }
FLIP(name, m->op.name = "EqualTesu")
FLIP(summary, m->op.summary = "something")
FLIP(version, m->op.version = 2)
FLIP(traits, m->op.traits = WEFT_SYMBOLIC)
FLIP(infer, m->op.infer = other)
FLIP(infer_dtype, m->op.infer_dtype = other)
FLIP(infer_range, m->op.infer_range = other)
FLIP(infer_value, m->op.infer_value = other)
FLIP(ref, m->op.ref = call)
FLIP(execute, m->op.execute = call)
FLIP(tile, m->op.tile = tile)
FLIP(kernel, m->op.kernel = "l")
FLIP(no_kernel, m->op.kernel = NULL)
FLIP(targets, m->targets[0] = "npusim")
FLIP(no_targets, m->op.targets = NULL)
FLIP(graphs, m->graphs[0] = "other")
FLIP(no_graphs, m->op.graphs = NULL)
FLIP(examples, m->examples[0] = "f32[3] -> f32[3]")
FLIP(no_in, m->in[1] = (weft_port){0})
FLIP(port_name, m->in[0].name = "z")
FLIP(port_type, (m->in[1].type = "T", m->in[1].dtypes = 0))
FLIP(port_dtypes, m->in[1].dtypes = WEFT_SET_INTEGER)
FLIP(port_kind, m->in[1].kind = WEFT_OPTIONAL)
FLIP(port_min_count, m->in[1].min_count = 2)
FLIP(port_kinds, m->in[1].kinds = 1 << WEFT_KIND_SEQUENCE)
FLIP(port_value, m->in[0].value = WEFT_VALUE_INFER)
FLIP(port_follow, (m->out[0].follow = "x", m->out[0].follow_what = WEFT_FOLLOW_SHAPE))
FLIP(port_ref, m->out[0].ref = 1)
FLIP(port_format, m->in[1].incomplete_format = 1)
FLIP(column_dtype, (m->others[1].dtype = WEFT_INT64, m->out[0].columns = m->others))
FLIP(column_format, (m->others[1].format = WEFT_NCHW, m->out[0].columns = m->others))
FLIP(no_columns, (m->out[0].columns = NULL, m->out[0].dtypes = WEFT_FLOATS))
FLIP(symbol_name, m->types[1].name = "V")
FLIP(symbol_set, m->types[1].set = WEFT_SET_INTEGER)
FLIP(symbol_each, m->types[1].each = 1)
FLIP(symbol_promote, m->types[1].promote = "T,T")
FLIP(no_symbol, m->types[1] = (weft_symbol){0})
FLIP(attr_name, m->attrs[0].name = "axes")
FLIP(attr_type, m->attrs[0] = (weft_attr_decl){"axis", "Float", "0", "min 0", 0})
FLIP(attr_default, m->attrs[0].dflt = "1")
FLIP(attr_required, m->attrs[0].dflt = NULL)
FLIP(attr_check, m->attrs[0].check = "min -1")
FLIP(attr_ext, m->attrs[0].ext = 1)

#define ROW(id) \
  { #id, flip_##id }
static const flip flips[] = {
    ROW(name),          ROW(summary),      ROW(version),       ROW(traits),
    ROW(infer),         ROW(infer_dtype),  ROW(infer_range),   ROW(infer_value),
    ROW(ref),           ROW(execute),      ROW(tile),          ROW(kernel),
    ROW(no_kernel),     ROW(targets),      ROW(no_targets),    ROW(graphs),
    ROW(no_graphs),     ROW(examples),     ROW(no_in),         ROW(port_name),
    ROW(port_type),     ROW(port_dtypes),  ROW(port_kind),     ROW(port_min_count),
    ROW(port_kinds),    ROW(port_value),   ROW(port_follow),   ROW(port_ref),
    ROW(port_format),   ROW(column_dtype), ROW(column_format), ROW(no_columns),
    ROW(symbol_name),   ROW(symbol_set),   ROW(symbol_each),   ROW(symbol_promote),
    ROW(no_symbol),     ROW(attr_name),    ROW(attr_type),     ROW(attr_default),
    ROW(attr_required), ROW(attr_check),   ROW(attr_ext),
};

static const weft_proto *register_in(rows *r, made_op *m) {
  weft_diag_clear(&r->d);
  if (weft_register(r->env, &m->op, 0, &r->d))
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  return weft_find(r->env, m->op.name);
}

TEST(every_member_counts) {
  static made_op a;
  static made_op b;
  static rows r;
  static rows s;
  if (!rows_open(&r, "") || !rows_open(&s, ""))
    return;
  make_op(&a);
  const weft_proto *p = register_in(&r, &a);
  for (size_t i = 0; i < WEFT_COUNT(flips); i++) {
    make_op(&b);
    const weft_proto *same = register_in(&s, &b);
    CHECK(p && same && weft_proto_equal(p, same) && weft_proto_equal(same, p));
    CHECK(!weft_unregister(s.env, b.op.name, &s.d));
    make_op(&b);
    flips[i].change(&b);
    const weft_proto *q = register_in(&s, &b);
    if (!p || !q || weft_proto_equal(p, q) || weft_proto_equal(q, p))
      check_failed(__FILE__, __LINE__, "a change of %s is not seen", flips[i].member);
    if (q)
      CHECK(!weft_unregister(s.env, b.op.name, &s.d));
  }
  rows_close(&r);
  rows_close(&s);
}
// SPDX-License-Identifier: Apache-2.0
