// place_test.c - where nodes go: with the copies between devices the whole is cheapest, a value is copied to
// a device once, and what the caller knows by name keeps its name.
#include "compile/place.h"

#include "check.h"
#include "ir/ir.h"
#include "weft/weft.h"

typedef struct placed {
  weft_env *env;
  weft_graph *g;
  weft_diag d;
  char text[1024];  // "Relu@npusim copy@cpu ..." in the graph's order
} placed;

static void say_where(placed *p) {
  size_t at = 0;
  p->text[0] = 0;
  for (const weft_node *n = weft_graph_first(p->g); n; n = weft_node_next(n)) {
    const weft_attr *device = weft_node_attr(n, "_device");
    const char *what = weft_node_attr(n, "_copy") ? "copy" : weft_node_type(n);
    weft__append(p->text, sizeof p->text, &at, "%s%s@%s", at ? " " : "", what, device ? device->u.s : "cpu");
  }
}

static weft_status place_graph(placed *p, const char *devices, const char *graph) {
  const weft_env_options o = {.size = sizeof o, .package_path = ""};
  *p = (placed){0};
  if (weft_env_create(&o, &p->env, &p->d) ||
      weft_graph_parse(p->env, graph, strlen(graph), "test", &p->g, &p->d) ||
      weft_graph_infer(p->g, NULL, NULL, &p->d)) {
    check_failed(__FILE__, __LINE__, "%s", p->d.text);
    return WEFT_E_STATE;
  }
  WEFT_TRY(weft__place(p->g, devices, NULL, &p->d));
  say_where(p);
  return weft_graph_verify(p->g, NULL, NULL, &p->d);
}

static void place_close(placed *p) {
  weft_graph_destroy(p->g);
  weft_env_destroy(p->env);
}

#define PRODUCT                                                                                          \
  "graph \"g\" { input x: f32[64,256] const w: f32[256,256]{*0.25} node m: MatMulV2(x, w) -> a node r: " \
  "Relu(a) -> b "

TEST(without_devices_nothing_is_done) {
  placed p;
  CHECK_INT(place_graph(&p, NULL, PRODUCT "output b }"), WEFT_OK);
  CHECK_STR(p.text, "MatMulV2@cpu Relu@cpu");
  place_close(&p);
}

TEST(large_work_goes_to_the_device_and_comes_back) {
  placed p;
  CHECK_INT(place_graph(&p, "npusim,cpu", PRODUCT "output b }"), WEFT_OK);
  CHECK_STR(p.text, "copy@npusim MatMulV2@npusim Relu@npusim copy@cpu");
  place_close(&p);
}

// Copies would cost more than the work.
TEST(small_work_stays) {
  placed p;
  CHECK_INT(place_graph(&p, "npusim,cpu", "graph \"g\" { input x: f32[4] node r: Relu(x) -> y output y }"),
            WEFT_OK);
  CHECK_STR(p.text, "Relu@cpu");
  place_close(&p);
  CHECK_INT(place_graph(&p, "npusim!,cpu", "graph \"g\" { input x: f32[4] node r: Relu(x) -> y output y }"),
            WEFT_OK);
  CHECK_STR(p.text, "copy@npusim Relu@npusim copy@cpu");
  place_close(&p);
}

// The output keeps its name, what the device made gets another.
TEST(an_output_keeps_its_name) {
  placed p;
  CHECK_INT(place_graph(&p, "npusim!,cpu", PRODUCT "output b }"), WEFT_OK);
  CHECK_STR(weft_value_name(weft_graph_output_at(p.g, 0)), "b");
  CHECK(weft_graph_find_value(p.g, "b/npusim") != NULL);
  place_close(&p);
}

// x is read by two nodes of the device and copied once.
TEST(a_value_is_copied_to_a_device_once) {
  placed p;
  CHECK_INT(
      place_graph(&p, "npusim!,cpu",
                  "graph \"g\" { input x: f32[64] node a: Relu(x) -> a node b: Add(x, a) -> b output b }"),
      WEFT_OK);
  CHECK_STR(p.text, "copy@npusim Relu@npusim Add@npusim copy@cpu");
  place_close(&p);
}

TEST(a_device_that_is_not_known_is_named_with_those_that_are) {
  placed p;
  CHECK_INT(place_graph(&p, "tpu,cpu", PRODUCT "output b }"), WEFT_E_NOT_FOUND);
  CHECK_HAS(p.d.text, "device 'tpu' is not known; there are: cpu, npusim");
  place_close(&p);
  CHECK_INT(place_graph(&p, "", PRODUCT "output b }"), WEFT_E_NOT_FOUND);
  place_close(&p);
}
// SPDX-License-Identifier: Apache-2.0
