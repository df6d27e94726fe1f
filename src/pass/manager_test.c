// manager_test.c - running passes: options, limits, reports, numbers, passes of a package, what may be
// replaced, and every allocation failed once.
#include "pass/pass.h"

#include "check.h"
#include "op/package.h"
#include "passes_util.h"

#define G(...) "graph \"g\" {\n" __VA_ARGS__ "\n}\n"
static const char two[] =
    G("input x: f32[4] const c: f32[]{1} node a: Mul(x, c) -> a node b: Neg(a) -> b node d: Neg(b) -> d node "
      "n: Abs(d) -> y"
      " output y");

TEST(options_are_checked) {
  static const struct {
    const char *option;
    weft_status status;
    const char *text;
  } bad[] = {{"fold-constant=0", WEFT_E_NOT_FOUND, "did you mean 'fold-constants'?"},
             {"pases=0", WEFT_E_NOT_FOUND, "did you mean 'passes'?"},
             {"fold-constants", WEFT_E_SYNTAX, "expected NAME=VALUE"},
             {"fold-constants=2", WEFT_E_INVALID, "expected a number from 0 to 1, got '2'"},
             {"fold-constants=", WEFT_E_INVALID, "got ''"},
             {"passes-limit=-1", WEFT_E_INVALID, "got '-1'"},
             {"passes-seed=99999999999999999999999", WEFT_E_INVALID, "expected a number"}};
  passes_fixture f;
  CHECK_OK(passes_open(&f, two), &f.d);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    weft_diag_clear(&f.d);
    CHECK_FAILS(passes_optimize(&f, &bad[i].option, 1), bad[i].status);
    CHECK_HAS(f.d.text, bad[i].text);
  }
  weft_diag_clear(&f.d);
  CHECK_OK(
      passes_optimize(&f, (const char *const[]){"fold-weights.anything=7", "passes=1", "merge-equal=0"}, 3),
      &f.d);
  passes_close(&f);
}

// R289: a limit stops in the middle, with a whole graph.
TEST(r289_the_number_of_changes_is_limited) {
  static const char *const left[] = {"Mul,Neg,Neg,Abs", "Neg,Neg,Abs", "Abs"};
  passes_fixture f;
  char got[512];
  CHECK_OK(passes_open(&f, two), &f.d);
  for (unsigned i = 0; i < 3; i++) {
    char text[32];
    const char *option = text;
    snprintf(text, sizeof text, "passes-limit=%u", i);
    CHECK_OK(passes_optimize(&f, &option, 1), &f.d);
    passes_types(f.g, got);
    CHECK_STR(got, left[i]);
    CHECK_INT(f.sum.changes, i);
    CHECK_OK(passes_same_results(&f, 0, 2), &f.d);
  }
  CHECK_INT(f.sum.nodes_before, 4);
  CHECK_INT(f.sum.nodes_after, 1);
  passes_close(&f);
}

static weft_status after(void *ctx, unsigned number, const char *pass, const weft_graph *g) {
  char *text = ctx;
  size_t n = strlen(text);
  snprintf(text + n, 256 - n, "%u %s %zu;", number, pass, weft_graph_n_nodes(g));
  return number == 2 ? WEFT_E_IO : WEFT_OK;
}

// R291, R288: the order is that of the table, each pass that changed something is told, and a failure there
// stops.
TEST(r291_passes_run_in_the_order_of_the_table) {
  passes_fixture f;
  char text[256] = "";
  CHECK_OK(passes_open(&f, G("input x: f32[2,3] node d: Exp(x) -> d node i: Identity(x) -> i"
                             " const s: i64[2]{3,2} node r: Reshape(i, s) -> r const k: i64[1]{6} node q: "
                             "Reshape(r, k) -> y output y")),
           &f.d);
  weft_optimize_options o = {.size = sizeof o, .after = after, .after_ctx = text};
  CHECK_FAILS(weft_graph_optimize(f.g, 0, &o, NULL, &f.d), WEFT_E_IO);
  CHECK_STR(text, "1 drop-dead 3;2 simplify-algebra 2;");
  passes_close(&f);
  static const char *const order[] = {
      "expand-composed", "channels-first",  "fold-quantised",   "match-nbits",     "fold-constants",
      "drop-dead",       "merge-equal",     "simplify-algebra", "expand-einsum",   "merge-views",
      "sink-transposes", "move-transposes", "fold-weights",     "simplify-control"};
  weft_env_options eo = {.size = sizeof eo, .package_path = ""};
  weft_env *e;
  CHECK_OK(weft_env_create(&eo, &e, &f.d), &f.d);
  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    CHECK_STR(weft_pass_at(e, i)->name, order[i]);
  CHECK(weft_pass_at(e, 1000) == NULL);
  weft_env_destroy(e);
}

TEST(only_the_stages_asked_for_run) {
  passes_fixture f;
  char got[512];
  CHECK_OK(passes_open(&f, G("input x: f32[4] node i: Identity(x) -> i node s: Sigmoid(i) -> s node m: "
                             "Mul(s, i) -> y output y")),
           &f.d);
  CHECK_OK(weft_graph_optimize(f.g, 1u << WEFT_PASS_PATTERN, NULL, NULL, &f.d), &f.d);
  passes_types(f.g, got);
  CHECK_STR(got, "Identity,Swish");
  CHECK_OK(weft_graph_optimize(f.g, 1u << WEFT_PASS_SIMPLIFY, NULL, NULL, &f.d), &f.d);
  passes_types(f.g, got);
  CHECK_STR(got, "Swish");
  passes_close(&f);
}

// R290: a candidate is told once, however often it is looked at.
TEST(r290_a_reason_is_told_once) {
  passes_fixture f;
  CHECK_OK(passes_open(&f, G("input x: f32[4] node i: Identity(x) -> y node a: Neg(x) -> a node b: Neg(a) -> "
                             "b node n: Abs(b) -> z output y output z")),
           &f.d);
  CHECK_OK(passes_optimize(&f, NULL, 0), &f.d);
  CHECK_INT(f.sum.skipped, 1);
  const char *first = strstr(f.log, "stays a value of its own");
  CHECK(first && !strstr(first + 1, "stays a value of its own"));
  passes_close(&f);
}

// ---- a pass of a package ----

static weft_status swap_tanh(weft_pass_run *r, weft_node *n) {
  const weft_pass_host *h = weft_pass_services(r);
  weft_value *x = h->node_in(n, 0);
  if (strcmp(h->node_type(n), "Tanh") || !h->may(r))
    return WEFT_OK;
  if (h->option(r, "swap-tanh.keep"))
    return h->skipped(r, n, "asked to keep it"), WEFT_OK;
  weft_node *made;
  WEFT_TRY(h->add(r, n, "Erf", NULL, &x, 1, &made));
  const char *why = h->refuse(r, h->node_out(n, 0), h->node_out(made, 0));
  if (why)
    return h->skipped(r, n, "%s", why), WEFT_OK;
  h->did(r, n, "nearly the same");
  return h->replace(r, h->node_out(n, 0), h->node_out(made, 0));
}
static const weft_pass package_passes[] = {
    {WEFT_PASS_HEAD, "swap-tanh", "erf for tanh", WEFT_PASS_PATTERN, .visit = swap_tanh},
    {WEFT_PASS_HEAD, "fold-constants", "a name that is taken", WEFT_PASS_PATTERN, .visit = swap_tanh}};
static const weft_section sections[] = {{WEFT_SECTION_PASS, sizeof(weft_pass), 2, package_passes}};
static const weft_package package = {sizeof package, WEFT_ABI, "test", "1", 1, sections};

TEST(passes_of_a_package_run_after_wefts_own) {
  passes_fixture f;
  char got[512];
  CHECK_OK(passes_open(&f, G("input x: f32[4] node t: Tanh(x) -> t node m: Neg(t) -> y output y")), &f.d);
  weft_env_package loaded = {.info = {.path = "test.so", .name = "test", .version = "1"},
                             .package = &package};
  CHECK(WEFT_VEC_ROOM(&f.env->alloc, f.env->packages));
  f.env->packages.v[f.env->packages.n++] = &loaded;
  CHECK_OK(passes_optimize(&f, (const char *const[]){"fuse-elementwise=0"}, 1), &f.d);
  passes_types(f.g, got);
  CHECK_STR(got, "Erf,Neg");
  CHECK_STR(weft_value_name(weft_node_out(weft_graph_first(f.g), 0)),
            "t");  // the made value takes over the name
  CHECK_HAS(f.log, "swap-tanh t: nearly the same");
  CHECK_OK(passes_optimize(&f, (const char *const[]){"swap-tanh.keep=1", "fuse-elementwise=0"}, 2), &f.d);
  CHECK_HAS(f.log, "left: asked to keep it");
  CHECK_OK(passes_optimize(&f, (const char *const[]){"swap-tanh=0", "fuse-elementwise=0"}, 2), &f.d);
  CHECK_INT(f.sum.changes, 0);
  size_t n = 0;
  bool found = false;
  for (const weft_pass *p; (p = weft_pass_at(f.env, n)) != NULL; n++)
    found |= !strcmp(p->name, "swap-tanh");
  CHECK(found);
  f.env->packages.n--;
  passes_close(&f);
}

TEST(a_damaged_section_of_passes_is_refused) {
  static const weft_pass bad[] = {{WEFT_PASS_HEAD, "both", "has two functions", 99, .visit = swap_tanh}};
  const weft_section section[] = {{WEFT_SECTION_PASS, sizeof(weft_pass), 1, bad}};
  const weft_package broken = {sizeof broken, WEFT_ABI, "test", "1", 1, section};
  passes_fixture f;
  CHECK_OK(passes_open(&f, two), &f.d);
  weft_env_package loaded = {.info = {.path = "test.so"}, .package = &broken};
  CHECK(WEFT_VEC_ROOM(&f.env->alloc, f.env->packages));
  f.env->packages.v[f.env->packages.n++] = &loaded;
  CHECK_FAILS(passes_optimize(&f, NULL, 0), WEFT_E_CORRUPT);
  CHECK_HAS(f.d.text, "package 'test.so': item 0");
  f.env->packages.n--;
  passes_close(&f);
}

// Every allocation failed once: an error or success, never a damaged graph or a leak.
TEST(out_of_memory) {
  static const char text[] =
      G("input x: f32[2,3] const c: f32[]{1} const k: f32[3]{1,2,3} const w: f32[3,4]{0..} node a: Mul(x, c) "
        "-> a node b: MatMulV2(a, w) -> b"
        " node s: Sigmoid(b) -> s node m: Mul(b, s) -> m const p: bool[]{1} node i: If(p, [m]) "
        "{then_branch=graph \"t\" { input q: f32[2,4]"
        " node n: TransposeD(q) {perm=[1,0]} -> n node o: TransposeD(n) {perm=[1,0]} -> o node r: Neg(o) -> "
        "y output y }, else_branch=graph \"e\""
        " { input q: f32[2,4] output q }} -> [y] node z: Add(x, k) -> z node z2: Add(k, x) -> z2 output y "
        "output z output z2");
  for (long fail = 1;; fail++) {
    check_alloc counter = {0};
    weft_env_options o = {.size = sizeof o, .package_path = "", .allocator = check_allocator(&counter)};
    weft_env *e;
    weft_graph *g = NULL;
    weft_diag d = {0};
    CHECK_OK(weft_env_create(&o, &e, &d), &d);
    CHECK_OK(weft_graph_parse(e, text, strlen(text), "test", &g, &d), &d);
    CHECK_OK(weft_graph_infer(g, NULL, NULL, &d), &d);
    long before = counter.calls;
    counter.fail_at = before + fail;
    weft_status s = weft_graph_optimize(g, 0, NULL, NULL, &d);
    bool reached = counter.calls >= before + fail;
    if (s && s != WEFT_E_NOMEM)
      check_failed(__FILE__, __LINE__, "allocation %ld: %s: %s", fail, weft_status_name(s), d.text);
    weft_graph_destroy(g);
    weft_env_destroy(e);
    CHECK_INT(counter.live_blocks, 0);
    if (!reached)
      break;
  }
}
// SPDX-License-Identifier: Apache-2.0
