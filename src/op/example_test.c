// Tests of example lines (op/example.h): what they can say, what does not hold, what cannot be read. Refusals
// of the framework show through an example: R2 (an operator alone), R45, R48, R51, R54, R58-R60 (what
// inference may not do).
#include <check.h>  // the tests'; src/op has a check.h of its own

#include "op/example.h"
#include "weft/laws.h"

static weft_env *make_env(void) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.no_builtin = true, .package_path = ""};
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "no environment: %s", d.text);
  return e;
}

static const weft_proto *add(weft_env *e, const weft_op *op) {
  weft_diag d = {0};
  if (weft_register(e, op, 0, &d))
    check_failed(__FILE__, __LINE__, "not registered: %s", d.text);
  return weft_find(e, op->name);
}

// y = x * factor
static weft_status same_infer(weft_infer *it) {
  weft_shape_copy(it->out[0], it->in[0]);
  return WEFT_OK;
}

static weft_status scale_ref(const weft_call *c) {
  float factor = weft_node_float(c->desc, 1);
  int64_t n = weft_tensor_elems(c->out[0]);
  for (int64_t i = 0; i < n; i++) {
    weft_store_f64(c->out[0]->dtype, c->out[0]->data, (size_t)i,
                   weft_load_f64(c->in[0]->dtype, c->in[0]->data, (size_t)i) * (double)factor);
  }
  return WEFT_OK;
}

static const weft_op scale = {WEFT_OP_HEAD,
                              .name = "Scale",
                              .in = WEFT_PORTS({"x", "T"}),
                              .out = WEFT_PORTS({"y", "T"}),
                              .types = WEFT_TYPES({"T", WEFT_FLOATS}),
                              .attrs = WEFT_ATTRS({"axis", "Int", "0"}, {"factor", "Float", "2", "max 100"},
                                                  {"names", "ListInt", "[]"}),
                              .traits = WEFT_SYMBOLIC | WEFT_ELEMENTWISE,
                              .infer = same_infer,
                              .ref = scale_ref};

#define LINES(...) .examples = ((const char *const[]){__VA_ARGS__, NULL})
#define F32_PORTS \
  WEFT_OP_HEAD, .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}), .out = WEFT_PORTS({"y", NULL, WEFT_DT(FLOAT)})

// ---- examples that do not hold, or cannot be read ----

static void example_fails(const weft_op *op, const char *line, weft_status status, const char *part) {
  weft_env *e = make_env();
  const weft_proto *p = add(e, op);
  weft_diag d = {0};
  CHECK_FAILS(weft_op_example(e, p, line, &d), status);
  CHECK_HAS(d.text, part);
  CHECK_HAS(d.text, line);
  weft_env_destroy(e);
}

TEST(examples_that_do_not_hold) {
  example_fails(&scale, "f32[2]{1,2} -> f32[2]{2,5}", WEFT_E_DIFFERENT, "element [1] is 4, expected 5");
  example_fails(&scale, "f32[2]{1,2} -> f32[2]{2,5} ~0.1", WEFT_E_DIFFERENT, "element [1] is 4, expected 5");
  example_fails(&scale, "f32[2]{1,2} -> f32[2]{2,5}", WEFT_E_DIFFERENT, "got f32[2]{2,4}");
  example_fails(&scale, "f32[1]{-0} -> f32[1]{0}", WEFT_E_DIFFERENT, "a zero has the other sign");
  example_fails(&scale, "f32[2] -> f32[3]", WEFT_E_DIFFERENT, "described as f32[2], expected f32[3]");
  example_fails(&scale, "f32[N] -> f32[M]", WEFT_E_DIFFERENT, "described as f32[N], expected f32[M]");
  example_fails(&scale, "f32[2]{1,2} -> f16[2]", WEFT_E_DIFFERENT, "described as f32[2], expected f16[2]");
  example_fails(&scale, "f32[2]{1,2} !! E_SHAPE", WEFT_E_DIFFERENT, "it succeeds, expected E_SHAPE");
  example_fails(&scale, "i32[2]{1,2} !! E_SHAPE", WEFT_E_DIFFERENT, "got E_DTYPE");
  example_fails(&scale, "i32[2]{1,2} !! E_DTYPE nonsense", WEFT_E_DIFFERENT,
                "expected E_DTYPE 'nonsense', got E_DTYPE");
  example_fails(&scale, "f32[2]{1,2}, f32[1]{2} -> f32[2]", WEFT_E_DIFFERENT, "too many inputs");
  example_fails(&scale, "f32[2]{1,2}@NHWC -> f32[2]@NCHW", WEFT_E_DIFFERENT, "format NHWC, expected NCHW");
}

TEST(examples_that_cannot_be_read) {
  static const char *const lines[] = {"f32[2]{1,2}",
                                      "f32[2]{1,2} -> f32[2] rest",
                                      "f32[2] !! NOTHING",
                                      "f32[2] !! E_",
                                      "f32[2] !! OK",
                                      "f32[2] -> f32[2] ~",
                                      "f32[2] -> f32[2] ~x",
                                      "f32[2] -> f32[2] ~-1",
                                      "x -> y",
                                      "f32[2]@FOO -> f32[2]",
                                      "[f32[2] -> f32[2]",
                                      "f32[2], -> f32[2]",
                                      "f32[2] axis= -> f32[2]",
                                      "f32[2] axis=1x -> f32[2]",
                                      "= -> f32[2]",
                                      "~",
                                      "!!",
                                      ""};
  for (size_t i = 0; i < WEFT_COUNT(lines); i++) {
    weft_env *e = make_env();
    const weft_proto *p = add(e, &scale);
    weft_diag d = {0};
    weft_status s = weft_op_example(e, p, lines[i], &d);
    if (s == WEFT_OK || s == WEFT_E_DIFFERENT)
      check_failed(__FILE__, __LINE__, "'%s' gave %s", lines[i], weft_status_name(s));
    CHECK_HAS(d.text, "in the example");
    weft_env_destroy(e);
  }
}

TEST(every_prefix_is_read_or_refused) {
  static const char line[] =
      "[f32[2]{1,2}, f32[N,3]@NCHW], _, str[1]{\"a\"} axis=1, names=[1,2] -> [f32[2]], _ ~1e-3 !! E_X y";
  weft_env *e = make_env();
  const weft_proto *p = add(e, &scale);
  for (size_t n = 0; n <= strlen(line); n++) {
    char text[sizeof line];
    weft_diag d = {0};
    memcpy(text, line, n);
    text[n] = 0;
    CHECK(weft_op_example(e, p, text, &d) != WEFT_OK);
    CHECK(d.length > 0);
  }
  weft_env_destroy(e);
}

// ---- ports: optional, dynamic, several outputs ----

static weft_status parts_infer(weft_infer *it) {
  for (uint32_t i = 0; i < it->n_out; i++) {
    const weft_shape *s =
        weft_port_shape(it, 1, i % (weft_port_in_count(it->desc, 1) + !weft_port_in_count(it->desc, 1)));
    weft_shape_copy(it->out[i], s ? s : it->in[0]);
    it->out_dtype[i] = it->in_dtype[0];
  }
  return WEFT_OK;
}
static weft_status parts_ref(const weft_call *c) {
  for (uint32_t i = 0; i < c->n_out; i++)
    memset(c->out[i]->data, (int)(c->n_in * 16 + c->n_out), c->out[i]->bytes);
  return WEFT_OK;
}
static const weft_op parts = {
    WEFT_OP_HEAD,
    .name = "Parts",
    .in = WEFT_PORTS({"x", "T"}, {"list", "T", .kind = WEFT_DYNAMIC}, {"bias", "T", .kind = WEFT_OPTIONAL}),
    .out = WEFT_PORTS({"y", "T"}, {"parts", "T", .kind = WEFT_DYNAMIC}),
    .types = WEFT_TYPES({"T", WEFT_SET_INTEGER}),
    .infer = parts_infer,
    .ref = parts_ref,
    .traits = WEFT_SYMBOLIC,
    LINES("i8[1]{0}, [i8[1]{0}, i8[1]{0}], i8[1]{0} -> i8[1]{66}, [i8[1]{66}]",  // 4 in, 2 out
          "i8[1]{0}, [i8[1]{0}, i8[1]{0}] -> i8[1]{51}, i8[1]{51}, i8[1]{51}", "i8[1]{0}, [], _ -> i8[1]{17}",
          "i8[1]{0}, [], i8[1]{0} -> i8[1]{33}, []", "i8[1]{0}, i8[1]{0}, i8[1]{0} -> i8[1]{50}, i8[1]{50}",
          "i8[1], [i8[2]] -> i8[2], [i8[2], i8[2], i8[2]]", "_ !! E_MISSING required input 'x'",
          "i8[1], [i8[2], i16[1]] -> _, [_] !! E_DTYPE input 'list'")};

TEST(ports_of_every_kind) {
  weft_env *e = make_env();
  const weft_proto *p = add(e, &parts);
  for (const char *const *line = parts.examples; *line; line++) {
    weft_diag d = {0};
    if (weft_op_example(e, p, *line, &d))
      check_failed(__FILE__, __LINE__, "%s", d.text);
  }
  weft_env_destroy(e);
}

// ---- what the framework itself refuses, seen through an example ----

static weft_status none_infer(weft_infer *it) {
  return (void)it, WEFT_OK;
}
static weft_status five_infer(weft_infer *it) {
  return (void)it, 5;
}
static weft_status writes_infer(weft_infer *it) {
  ((weft_shape *)it->in[0])->dim[0] = 9;
  return same_infer(it);
}
static weft_status append_infer(weft_infer *it) {
  if (weft_shape_append(it->out[0], 1))
    return weft_fail(it->d, WEFT_E_STATE, "append to an unset shape");
  return WEFT_OK;
}
static weft_status foreign_dtype(weft_infer *it) {
  it->out_dtype[0] = WEFT_INT8;
  return same_infer(it);
}
static weft_status first_only(weft_infer *it) {
  return same_infer(it);
}

TEST(r45_r48_r51_r54_r58_r59_r60_refusals) {
  const weft_op two = {WEFT_OP_HEAD, .name = "Two", .in = WEFT_PORTS({"x", NULL, WEFT_DT(FLOAT)}),
                       .out = WEFT_PORTS({"a", NULL, WEFT_DT(FLOAT)}, {"b", NULL, WEFT_DT(FLOAT)}),
                       .infer = first_only};
  const weft_op no_dtype = {WEFT_OP_HEAD, .name = "NoDtype", .in = WEFT_PORTS({"x", NULL, WEFT_ANY}),
                            .out = WEFT_PORTS({"y", NULL, WEFT_FLOATS}), .infer = same_infer};
  const weft_op foreign = {WEFT_OP_HEAD, .name = "Foreign", .in = WEFT_PORTS({"x", NULL, WEFT_ANY}),
                           .out = WEFT_PORTS({"y", NULL, WEFT_FLOATS}), .infer = foreign_dtype};
  const weft_op unset = {F32_PORTS, .infer = none_infer, .name = "Unset"};
  const weft_op five = {F32_PORTS, .infer = five_infer, .name = "Five"};
  const weft_op writes = {F32_PORTS, .infer = writes_infer, .name = "Writes"};
  const weft_op appends = {F32_PORTS, .infer = append_infer, .name = "Appends"};
  const struct {
    const weft_op *op;
    const char *line;
  } rows[] = {{&no_dtype, "f32[1] !! E_UNSET output 0 dtype not inferred"},               // R45
              {&foreign, "f32[1] !! E_DTYPE output 'y': inferred DT_INT8"},               // R48
              {&five, "f32[1] !! E_FORMAT returned 5"},                                   // R51
              {&writes, "f32[1] !! E_STATE changed an input shape, which is read-only"},  // R54
              {&unset, "f32[1] !! E_UNSET output 0 shape not set"},                       // R58
              {&appends, "f32[1] !! E_STATE append to an unset shape"},                   // R59
              {&two, "f32[1] !! E_UNSET output 1 shape not set"}};                        // R60
  weft_env *e = make_env();
  for (size_t i = 0; i < WEFT_COUNT(rows); i++) {
    weft_diag d = {0};
    const weft_proto *p = add(e, rows[i].op);
    if (weft_op_example(e, p, rows[i].line, &d))
      check_failed(__FILE__, __LINE__, "%s", d.text);
  }
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
