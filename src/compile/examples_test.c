// examples_test.c - the example that costs are estimated with: one value a name, none that a dim of the graph
// has, and no example where a shape depends on data.
#include "compile/examples.h"

#include "check.h"
#include "weft/weft.h"

typedef struct examples_fixture {
  weft_env *env;
  weft_graph *g;
  weft_arena mem;
  weft__examples e;
  weft_diag d;
} examples_fixture;

static bool examples_open(examples_fixture *f, const char *graph) {
  const weft_env_options o = {.size = sizeof o, .package_path = ""};
  const weft_allocator heap = weft_allocator_default();
  *f = (examples_fixture){0};
  weft__arena_init(&f->mem, &heap);
  if (!weft_env_create(&o, &f->env, &f->d) &&
      !weft_graph_parse(f->env, graph, strlen(graph), "test", &f->g, &f->d) &&
      !weft_graph_infer(f->g, NULL, NULL, &f->d) && !weft__examples_init(&f->e, f->g, &f->mem, &f->d))
    return true;
  check_failed(__FILE__, __LINE__, "%s", f->d.text);
  return false;
}

static void examples_close(examples_fixture *f) {
  weft__arena_deinit(&f->mem);
  weft_graph_destroy(f->g);
  weft_env_destroy(f->env);
}

static const char *example_of(examples_fixture *f, const weft_value *v, char text[256]) {
  weft_layout l;
  if (!weft__example_layout(&f->e, &v->fact, &l))
    return "none";
  return weft_shape_text(&l.origin, NULL, text, 256);
}

static weft_value *input_of(examples_fixture *f, size_t i) {
  return f->g->inputs.v[i];
}

TEST(known_shapes_are_their_own_example) {
  examples_fixture f;
  char text[256];
  if (examples_open(&f, "graph \"g\" { input x: f16[2,3] node a: Neg(x) -> y output y }")) {
    CHECK_STR(example_of(&f, input_of(&f, 0), text), "[2,3]");
    CHECK_INT(weft__example_bytes(&f.e, &input_of(&f, 0)->fact), 12);
  }
  examples_close(&f);
}

// N is 64 wherever it stands, M is another number, and an expression of N goes with it.
TEST(a_name_has_one_value) {
  examples_fixture f;
  char text[256];
  if (examples_open(&f,
                    "graph \"g\" { input x: f32[N,4] input z: f32[M,N] const s: i64[2]{-1,2} "
                    "node r: Reshape(x, s) -> y output y output z }")) {
    CHECK_STR(example_of(&f, input_of(&f, 0), text), "[64,4]");
    CHECK_STR(example_of(&f, input_of(&f, 1), text), "[65,64]");
    weft_value *y = weft_node_out(weft_graph_find_node(f.g, "r"), 0);
    CHECK_STR(example_of(&f, y, text), "[128,2]");
    CHECK_INT(weft__example_bytes(&f.e, &y->fact), 128 * 2 * 4);
  }
  examples_close(&f);
}

// Two dims are equal in the example only where they always are: 64 and 65 are taken.
TEST(a_name_is_no_dim_of_the_graph) {
  examples_fixture f;
  char text[256];
  if (examples_open(&f, "graph \"g\" { input x: f32[N,4] input z: f32[64,65] output x output z }"))
    CHECK_STR(example_of(&f, input_of(&f, 0), text), "[66,4]");
  examples_close(&f);
}

TEST(what_depends_on_data_has_no_example) {
  examples_fixture f;
  char text[256];
  if (examples_open(&f, "graph \"g\" { input x: f32[?] node a: Neg(x) -> y output y }")) {
    CHECK_STR(example_of(&f, input_of(&f, 0), text), "none");
    CHECK_INT(weft__example_bytes(&f.e, &input_of(&f, 0)->fact), 0);
  }
  examples_close(&f);
}
// SPDX-License-Identifier: Apache-2.0
