// bisect_test.c - a wrong pass and a wrong kernel of a package are found, and named.
#include "weft/debug.h"

#include "check.h"
#include "ir/ir.h"
#include "op/package.h"
#include "rows.h"

// ---- a package that is wrong: Sub(x, y) becomes Add(x, y); Abs of seven elements is one too large ----
static weft_status visit(weft_pass_run *r, weft_node *n) {
  const weft_pass_host *h = weft_pass_services(r);
  weft_value *in[] = {h->node_in(n, 0), h->node_in(n, 1)};
  weft_node *add;
  if (strcmp(h->node_type(n), "Sub") || !h->may(r))
    return WEFT_OK;
  WEFT_TRY(h->add(r, n, "Add", NULL, in, 2, &add));
  h->did(r, n, "a minus is as good as a plus");
  return h->replace(r, h->node_out(n, 0), h->node_out(add, 0));
}
static const char *refuse(const weft_tiling *t) {
  const weft_shape *s = &t->in[0]->storage;
  return s->rank == 1 && s->dim[0] == 7 ? NULL : "needs seven elements";
}
static weft_status tile(weft_tiling *t) {
  t->blocks = 1;
  return WEFT_OK;
}
static weft_status run(const weft_block *b) {
  const float *x = b->arg[0];
  float *y = b->arg[1];
  for (int i = 0; i < 7; i++)
    y[i] = fabsf(x[i]) + (i == 3);
  return WEFT_OK;
}
static const weft_pass passes[] = {
    {WEFT_PASS_HEAD, "wrong-sub", "replaces Sub by Add", WEFT_PASS_PATTERN, .visit = visit}};
static const weft_kernel kernels[] = {
    {sizeof(weft_kernel), "Abs", "cpu", "wrong-abs", 0, refuse, NULL, NULL, tile, run}};
static const weft_section sections[] = {{WEFT_SECTION_PASS, sizeof(weft_pass), 1, passes},
                                        {WEFT_SECTION_KERNEL, sizeof(weft_kernel), 1, kernels}};
static const weft_package package = {sizeof package, WEFT_ABI, "wrong", "1", 2, sections};

typedef struct model {
  weft_env *e;
  const char *text;
  int calls;
} model;
static weft_status make(void *ctx, weft_graph **out, weft_diag *d) {
  model *m = ctx;
  m->calls++;
  return weft_graph_parse(m->e, m->text, strlen(m->text), "test", out, d);
}
static void count_lines(void *ctx, const char *text) {
  int *n = ctx;
  *n += *text != 0;
}

static uint64_t steps;  // that integers may be apart
static struct {
  const char *name;
  const weft_tensor *value;
} given;  // name NULL: the interpreter's values are compared with

static int compiles;         // of the bisection that ran last
static bool zero_tolerance;  // of those that follow

static weft_status bisect(const char *text, const char *literals, const char *option, weft_bisect_result *out,
                          weft_diag *d) {
  rows r;
  rows_tensors in;
  weft_env_package loaded = {.info = {.path = "wrong.so", .name = "wrong", .version = "1"},
                             .package = &package};
  int lines = 0;
  memset(out, 0, sizeof *out);
  out->size = sizeof *out;
  if (!rows_open(&r, ""))
    return WEFT_E_STATE;
  if (!rows_read(&r, literals, &in) || !WEFT_VEC_ROOM(&r.env->alloc, r.env->packages))
    return WEFT_E_STATE;
  r.env->packages.v[r.env->packages.n++] = &loaded;
  model m = {r.env, text, 0};
  weft_bisect_options o = {.size = sizeof o,
                           .options = &option,
                           .n_options = option ? 1 : 0,
                           .threads = 1,
                           .steps = steps,
                           .zero_tolerance = zero_tolerance,
                           .given_names = &given.name,
                           .given = &given.value,
                           .n_given = given.name ? 1 : 0,
                           .progress = count_lines,
                           .progress_ctx = &lines};
  weft_status s = weft_bisect(make, &m, in.in, in.n, &o, out, d);
  CHECK_INT(lines, m.calls);
  compiles = m.calls - 1;
  r.env->packages.n--;
  rows_free(&in);
  rows_close(&r);
  return s;
}

static const char subs[] =
    "graph \"g\" { input x: f32[N] input y: f32[N] node a: Neg(x) -> va node b: Exp(va) -> vb"
    " node c: Sub(vb, y) -> vc node d: Relu(vc) -> vd node e: Sub(vd, x) -> ve output ve }";

TEST(a_wrong_pass_is_named) {
  weft_bisect_result r;
  weft_diag d = {0};
  CHECK_OK(bisect(subs, "f32[5]{1,2,3,4,5}; f32[5]{0.5,0.25,0.125,0,0}", NULL, &r, &d), &d);
  CHECK(r.differs && r.by_passes);
  CHECK_STR(r.pass, "wrong-sub");
  CHECK_HAS(r.report, "c: a minus is as good as a plus");
  CHECK(r.change >= 1 && r.change <= r.n_changes);
  CHECK_HAS(r.text, "elements differ");
  CHECK_OK(bisect(subs, "f32[5]{1,2,3,4,5}; f32[5]{0.5,0.25,0.125,0,0}", "wrong-sub=0", &r, &d), &d);
  CHECK(!r.differs && r.compared > 0);
  // a difference that the inputs do not show: y and x are zero
  CHECK_OK(bisect(subs, "f32[5]{*0}; f32[5]{*0}", NULL, &r, &d), &d);
  CHECK(!r.differs);
}

// Given values that no launch makes are looked for without passes: not where that is how it ran.
TEST(without_passes_one_compile_is_enough) {
  static const char text[] =
      "graph \"g\" { input x: f32[2] node n: Neg(x) -> y node s: Shape(x) -> dims node c: Cast(dims) "
      "{dst_type=0} -> known output y }";
  const float two = 2;
  weft_tensor expected;
  weft_tensor_init(&expected, NULL);
  weft_bisect_result r;
  weft_diag d = {0};
  CHECK_OK(weft_tensor_borrow(&expected, WEFT_FLOAT, (weft_dim[]){1}, 1, (void *)(uintptr_t)&two, 4, &d), &d);
  given.name = "known";
  given.value = &expected;
  CHECK_OK(bisect(text, "f32[2]{1,2}", NULL, &r, &d), &d);
  CHECK(!r.differs);
  CHECK_INT(compiles, 2);
  CHECK_OK(bisect(text, "f32[2]{1,2}", "passes=0", &r, &d), &d);
  CHECK_INT(compiles, 1);
  given.name = NULL;
}

TEST(a_tolerance_of_zero_can_be_said) {
  static const char text[] = "graph \"g\" { input x: f32[2] node n: Neg(x) -> y output y }";
  const float values[2] = {-1.0f, -2.000001f};
  weft_tensor expected;
  weft_tensor_init(&expected, NULL);
  weft_bisect_result r;
  weft_diag d = {0};
  CHECK_OK(weft_tensor_borrow(&expected, WEFT_FLOAT, (weft_dim[]){2}, 1, (void *)(uintptr_t)values,
                              sizeof values, &d),
           &d);
  given.name = "y";
  given.value = &expected;
  CHECK_OK(bisect(text, "f32[2]{1,2}", NULL, &r, &d), &d);
  CHECK(!r.differs && r.compared);
  zero_tolerance = true;
  CHECK_OK(bisect(text, "f32[2]{1,2}", NULL, &r, &d), &d);
  CHECK(r.differs);
  zero_tolerance = false;
  given.name = NULL;
}

TEST(a_wrong_kernel_is_named) {
  static const char text[] =
      "graph \"g\" { input x: f32[7] node a: Neg(x) -> va node b: Abs(va) -> vb node c: Exp(vb) -> vc output "
      "vc }";
  weft_bisect_result r;
  weft_diag d = {0};
  CHECK_OK(bisect(text, "f32[7]{0..}", "passes=0", &r, &d), &d);
  CHECK(r.differs && !r.by_passes);
  CHECK_STR(r.value, "vb");
  CHECK_STR(r.node, "b");
  CHECK_STR(r.type, "Abs");
  CHECK_STR(r.kernel, "wrong-abs");
  CHECK_STR(r.inputs, "'va' (as expected)");
  CHECK_HAS(
      r.text,
      "1 of 7 elements differ, the first is element 3; the largest error is 1 at element 3: 4, expected 3");
  CHECK_F64(r.max_error, 1, 0);
  CHECK_F64(r.got, 4, 0);
  CHECK_F64(r.want, 3, 0);
}

TEST(integers_may_be_steps_apart) {
  static const char text[] = "graph \"g\" { input x: i32[7] node b: Abs(x) -> vb output vb }";
  weft_bisect_result r;
  weft_diag d = {0};
  CHECK_OK(bisect(text, "i32[7]{0..}", "passes=0", &r, &d),
           &d);  // the wrong kernel adds the bits of 1.0f to a 3
  CHECK(r.differs);
  steps = 1065353212;
  CHECK_OK(bisect(text, "i32[7]{0..}", "passes=0", &r, &d), &d);
  CHECK(r.differs);
  steps = 1065353213;
  CHECK_OK(bisect(text, "i32[7]{0..}", "passes=0", &r, &d), &d);
  CHECK(!r.differs);
  steps = 0;
}

TEST(errors_come_out) {
  weft_bisect_result r;
  weft_diag d = {0};
  CHECK_FAILS(bisect(subs, "f32[5]{1,2,3,4,5}", NULL, &r, &d), WEFT_E_INVALID);
  CHECK_HAS(d.text, "2 inputs, got 1");
  weft_diag_clear(&d);
  CHECK_FAILS(bisect("graph \"g\" {", "f32[5]", NULL, &r, &d), WEFT_E_SYNTAX);
  weft_diag_clear(&d);
  CHECK_FAILS(bisect(subs, "f32[5]{*1}; f32[5]{*1}", "no-such-pass=1", &r, &d), WEFT_E_NOT_FOUND);
}

static void bisect_given(const char *name, const char *literal, const char *option, weft_bisect_result *r,
                         weft_status expected) {
  weft_tensor t;
  weft_diag d = {0};
  size_t used;
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft_tensor_parse(literal, strlen(literal), NULL, &t, &used, &d), &d);
  given.name = name;
  given.value = &t;
  CHECK_INT(bisect(subs, "f32[2]{1,2}; f32[2]{1,2}", option, r, &d), expected);
  given.name = NULL;
  weft_tensor_deinit(&t);
}

// Values from elsewhere: what weft and the interpreter find alike is another meaning, not a fault of
// compiling.
TEST(values_from_elsewhere_are_compared_with) {
  weft_bisect_result r;
  bisect_given("vb", "f32[2]{0.36787944,0.13533528}", "wrong-sub=0", &r, WEFT_OK);
  CHECK(!r.differs && r.compared == 1);
  CHECK_STR(r.largest_value, "vb");
  bisect_given("vb", "f32[2]{0.36787944,0.5}", "wrong-sub=0", &r, WEFT_OK);
  CHECK(r.differs && r.by_meaning);
  CHECK_STR(r.value, "vb");
  bisect_given("ve", "f32[2]{-1,-2}", NULL, &r, WEFT_OK);
  CHECK(r.differs && !r.by_meaning && r.by_passes);
  CHECK_STR(r.pass, "wrong-sub");
  bisect_given("no such", "f32[2]{1,2}", NULL, &r, WEFT_E_NOT_FOUND);
}
// SPDX-License-Identifier: Apache-2.0
