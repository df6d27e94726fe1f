// named_test.c - nodes whose outputs bring their names, and graphs that are told how large they will be.
#include "check.h"
#include "ir/ir.h"

static weft_value *input(weft_graph *g, const char *name) {
  const weft_dim dims[1] = {6};
  return weft_graph_input(g, name, WEFT_FLOAT, dims, 1, NULL);
}

static weft_status add_relu(weft_graph *g, const char *name, const char *out_name, weft_value *x,
                            weft_node **out, weft_diag *d) {
  const weft__adding relu = {.type = "Relu",
                             .use = &(weft_use){.name = name},
                             .in = &x,
                             .n_in = 1,
                             .out_names = &out_name,
                             .n_names = 1,
                             .name_is_free = true};
  return weft__graph_add(g, &relu, out, d);
}

TEST(outputs_get_the_names_they_bring) {
  weft_diag d = {0};
  weft_env *e;
  weft_graph *g;
  weft_node *a;
  weft_node *b;
  weft_node *c;
  CHECK_OK(weft_env_create(NULL, &e, &d), &d);
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_value *x = input(g, "x");
  CHECK_OK(add_relu(g, "a", "y", x, &a, &d), &d);
  CHECK_STR(weft_value_name(&a->out[0]), "y");
  CHECK(weft_graph_find_value(g, "y") == &a->out[0] && !weft_graph_find_value(g, "a"));
  CHECK_OK(add_relu(g, "b", NULL, &a->out[0], &b, &d), &d);  // without one it is made
  CHECK(weft_graph_find_value(g, "b") == &b->out[0]);
  CHECK_OK(add_relu(g, "y", NULL, x, &c, &d), &d);
  CHECK_STR(weft_value_name(&c->out[0]), "y:0");
  CHECK_INT(add_relu(g, "z", "y", x, &c, &d), WEFT_E_DUPLICATE);
  CHECK(strstr(d.text, "output 0 of node 'z' (Relu) cannot have the name 'y'") != NULL);
  CHECK(!weft_graph_find_node(g, "z"));  // as it was before
  CHECK_INT(weft_graph_n_nodes(g), 3);
  memset(&d, 0, sizeof d);
  CHECK_OK(add_relu(g, "z", "w", x, &c, &d), &d);
  CHECK_OK(weft_graph_output(g, &c->out[0], &d), &d);
  CHECK_OK(weft_graph_verify(g, NULL, NULL, &d), &d);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(a_hint_of_the_size_changes_nothing_else) {
  static const size_t hints[] = {0, 1, 64, 100, 70000, SIZE_MAX};
  for (size_t k = 0; k < WEFT_COUNT(hints); k++) {
    weft_diag d = {0};
    weft_env *e;
    weft_graph *g;
    CHECK_OK(weft_env_create(NULL, &e, &d), &d);
    CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
    CHECK_OK(weft__graph_expect(g, hints[k], hints[k], &d), &d);
    weft_value *v = input(g, "x");
    for (int i = 0; i < 300; i++) {  // more than some of the hints
      weft_node *n;
      CHECK_OK(weft_graph_add(g, "Relu", NULL, &v, 1, &n, &d), &d);
      v = &n->out[0];
    }
    CHECK_OK(weft_graph_output(g, v, &d), &d);
    CHECK(weft_graph_find_node(g, "Relu_299") == v->node && weft_graph_find_value(g, "x"));
    CHECK_OK(weft_graph_verify(g, NULL, NULL, &d), &d);
    weft_graph_destroy(g);
    weft_env_destroy(e);
  }
}
// SPDX-License-Identifier: Apache-2.0
