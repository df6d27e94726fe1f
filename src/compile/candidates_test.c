// candidates_test.c - what each device says to each node, as the report tells it: a cost, or why not.
#include "check.h"
#include "compile/place.h"
#include "weft/weft.h"

typedef struct told {
  char text[4096];  // "node: what the devices said", one a line
  size_t n;
} told;

static void tell_line(void *ctx, const weft_pass_report *line) {
  told *t = ctx;
  int n = snprintf(t->text + t->n, sizeof t->text - t->n, "%s: %s\n", line->node, line->text);
  if (n > 0 && (size_t)n < sizeof t->text - t->n)
    t->n += (size_t)n;
}

// Places a graph; what was told stands in `out`, behind the error's text where it fails.
static weft_status ask_devices(const char *devices, const char *graph, told *out) {
  const weft_env_options o = {.size = sizeof o, .package_path = ""};
  const weft_optimize_options report = {.size = sizeof report, .report = tell_line, .report_ctx = out};
  weft_diag d = {0};
  weft_env *e = NULL;
  weft_graph *g = NULL;
  out->n = 0;
  out->text[0] = 0;
  weft_status s = weft_env_create(&o, &e, &d);
  if (!s)
    s = weft_graph_parse(e, graph, strlen(graph), "test", &g, &d);
  if (!s)
    s = weft_graph_infer(g, NULL, NULL, &d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s", d.text);
  else
    s = weft__place(g, devices, &report, &d);
  if (s)
    snprintf(out->text + out->n, sizeof out->text - out->n, "%s", d.text);
  weft_graph_destroy(g);
  weft_env_destroy(e);
  return s;
}

TEST(every_device_says_its_cost_or_its_reason) {
  told t;
  CHECK_INT(
      ask_devices("npusim,cpu",
                  "graph \"g\" { input x: f32[64,64] node r: Relu(x) -> a node s: Square(a) -> y output y }",
                  &t),
      WEFT_OK);
  CHECK_HAS(t.text, "r: npusim: ");
  CHECK_HAS(t.text, " ns; cpu: ");
  CHECK_HAS(t.text, "s: npusim: no kernel; cpu: ");
}

TEST(views_and_known_values_cost_nothing) {
  told t;
  CHECK_INT(
      ask_devices("npusim,cpu",
                  "graph \"g\" { input x: f32[4,4] const s: i64[1]{16} const c: f32[4]{1,2,3,4} node v: "
                  "Reshape(x, s) -> a node k: Neg(c) -> b output a output b }",
                  &t),
      WEFT_OK);
  CHECK_HAS(t.text, "v: npusim: 0 ns; cpu: 0 ns");
  CHECK_HAS(t.text, "k: npusim: 0 ns; cpu: 0 ns");
}

TEST(what_other_devices_do_not_take_is_told) {
  told t;
  CHECK_INT(ask_devices(
                "npusim,cpu",
                "graph \"g\" { input x: str[4] input y: f32[?] input s: i64[2] input z: f32[4,4] node a: "
                "Identity(x) -> a node b: Relu(y) -> b node c: Reshape(z, s) -> c output a output b output c "
                "}",
                &t),
            WEFT_OK);
  CHECK_HAS(t.text, "a: npusim: takes plain tensors and no sub-graphs only; cpu: ");
  CHECK_HAS(t.text, "b: npusim: needs shapes that follow from those of inputs whose dims have names; cpu: ");
  CHECK_HAS(t.text, "c: npusim: ");
}

TEST(a_node_may_ask_for_a_device) {
  told t;
  CHECK_INT(
      ask_devices("npusim,cpu",
                  "graph \"g\" { input x: f32[8,8] node r: Relu(x) {_device=\"cpu\"} -> y output y }", &t),
      WEFT_OK);
  CHECK_HAS(t.text, "r: npusim: the node asks for another device; cpu: ");
}

// Without the CPU in the list nobody may take it: all such nodes are named with every reason.
TEST(nodes_that_no_device_takes_are_all_named) {
  told t;
  CHECK_INT(
      ask_devices("npusim",
                  "graph \"g\" { input x: f32[8,8] node s: Square(x) -> a node t: Square(a) -> b node r: "
                  "Relu(b) -> y output y }",
                  &t),
      WEFT_E_UNSUPPORTED);
  CHECK_HAS(t.text, "no kernel found for op Square (node 's'): npusim: no kernel");
  CHECK_HAS(t.text, "no kernel found for op Square (node 't'): npusim: no kernel");
}
// SPDX-License-Identifier: Apache-2.0
