// review_package_test.c - packages as a review saw them: built with older and newer headers they load, and
// one that fails takes nothing away.
#include "base/base.h"
#include "rows.h"
#include "weft/weft.h"

static weft_status first_shape(weft_infer *it) {
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static weft_status same_bytes(const weft_call *c) {
  memcpy(c->out[0]->data, c->in[0]->data, c->out[0]->bytes);
  return WEFT_OK;
}

// A package that replaces a built-in operator and then fails leaves the built-in one.
TEST(a_failed_package_takes_nothing_away) {
  rows r;
  if (!rows_open(&r, ROWS_PACKAGES "/overrides"))
    return;
  CHECK_INT(weft_package_count(r.env), 1);
  CHECK(weft_package_at(r.env, 0).problem != NULL);
  const weft_proto *p = weft_find(r.env, "Relu");
  CHECK(p != NULL);
  if (p)
    CHECK_INT(weft_proto_source(p), WEFT_FROM_BUILTIN);
  CHECK_STR(rows_run(&r, "Relu", NULL, "f32[2]{-1,2}", 1), "f32[2]{0,2}");
  rows_close(&r);
}

// ---- descriptors of other versions: "old packages load in new engines and new in old" ----
typedef struct old_port {  // a port that ends before incomplete_format, with the alignment of pointers
  const char *name;
  const char *type;
  weft_dtype_set dtypes;
  const weft_column *columns;
  const char *follow;
  uint8_t follow_what;
  uint8_t kind;
  uint8_t min_count;
  uint8_t value;
  uint8_t ref;
} old_port;
typedef struct new_port {
  weft_port ours;
  const char *more;
} new_port;
typedef struct new_attr {
  weft_attr_decl ours;
  const char *more;
} new_attr;
typedef struct new_symbol {
  weft_symbol ours;
  int64_t more[2];
} new_symbol;
typedef struct new_op {
  weft_op ours;
  const char *more[3];
} new_op;
static const new_port wide_in[] = {{{"x", "T"}, "more"}, {{"y", "T"}, "more"}, {{0}, NULL}};
static const new_port wide_out[] = {{{"z", "T"}, "more"}, {{0}, NULL}};
static const new_attr wide_attrs[] = {
    {{"axis", "Int", "1"}, "more"}, {{"name", "String", "\"q\""}, "more"}, {{0}, NULL}};
static const new_symbol wide_types[] = {
    {{"U", WEFT_DT(INT8)}, {1, 2}}, {{"T", WEFT_DT(FLOAT)}, {1, 2}}, {{0}, {0}}};

static weft_status wide_infer(weft_infer *it) {
  CHECK_INT(weft_op_find_port(it->desc->op, it->desc->op->in, "y"), 1);
  CHECK_INT(weft_op_find_attr(it->desc->op, "name"), 1);
  CHECK_STR(weft_node_str(it->desc, 1), "q");
  return weft_set_out_shape(it, 0, it->in[0]->dim, it->in[0]->rank);
}
static const new_op newer = {{.size = sizeof(new_op),
                              .port_bytes = sizeof(new_port),
                              .attr_bytes = sizeof(new_attr),
                              .symbol_bytes = sizeof(new_symbol),
                              .name = "ReviewNewer",
                              .in = &wide_in[0].ours,
                              .out = &wide_out[0].ours,
                              .attrs = &wide_attrs[0].ours,
                              .types = &wide_types[0].ours,
                              .infer = wide_infer,
                              .ref = same_bytes},
                             {"a", "b", "c"}};

TEST(newer_descriptors_load) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_register(r.env, &newer.ours, WEFT_REGISTER_STRICT, &r.d), &r.d);
  CHECK_STR(rows_run(&r, "ReviewNewer", NULL, "f32[2]{1,2};f32[2]{3,4}", 1), "f32[2]{1,2}");
  CHECK_STR(rows_infer(&r, "ReviewNewer", NULL, "f32[2];i8[2]", 1) ? r.text : "", r.text);
  CHECK_HAS(r.text, "input 'y'");
  rows_close(&r);
}

// Only the first bytes of the descriptor are there: behind them is a fence that ASan sees.
TEST(older_descriptors_load) {
  static const old_port in[] = {{.name = "x", .type = "T"}, {0}};
  static const old_port out[] = {{.name = "y", .type = "T"}, {0}};
  rows r;
  if (!rows_open(&r, ""))
    return;
  weft_op full = {WEFT_OP_HEAD, .name = "ReviewOlder", .types = WEFT_TYPES({"T", WEFT_DT(FLOAT)}),
                  .infer = first_shape};
  full.in = (const weft_port *)(const void *)in;
  full.out = (const weft_port *)(const void *)out;
  full.port_bytes = sizeof(old_port);
  size_t sizes[] = {offsetof(weft_op, infer), offsetof(weft_op, infer_dtype), offsetof(weft_op, ref),
                    offsetof(weft_op, tile), offsetof(weft_op, examples)};
  for (size_t i = 0; i < WEFT_COUNT(sizes); i++) {
    weft_op *op = malloc(sizes[i]);
    char name[32];
    snprintf(name, sizeof name, "ReviewOlder%zu", i);
    full.name = name;
    full.size = (uint32_t)sizes[i];
    memcpy((void *)op, &full, sizes[i]);
    weft_diag_clear(&r.d);
    weft_status s = weft_register(r.env, op, 0, &r.d);
    if (s)
      check_failed(__FILE__, __LINE__, "%zu bytes: %s", sizes[i], r.d.text);
    else if (i)
      CHECK_HAS(rows_infer(&r, name, NULL, "f32[2,3]", 1), "DT_FLOAT [2,3]");
    else
      CHECK_HAS(rows_infer(&r, name, NULL, "f32[2,3]", 1), "E_INCOMPLETE");
    if (!s)
      CHECK_OK(weft_unregister(r.env, name, &r.d), &r.d);
    free((void *)op);
  }
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
