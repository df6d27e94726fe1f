// compare_test.c - equality of graphs: what counts and what does not (R200, R229-R231, R237, R239), and what
// messages say.
#include "check.h"
#include "ir/ir.h"

typedef struct pair {
  weft_env *env;
  weft_graph *g[2];
  weft_diag d;
} pair;

static bool start(pair *p) {
  weft_env_options o = {.package_path = ""};
  memset(p, 0, sizeof *p);
  bool ok = !weft_env_create(&o, &p->env, &p->d) && !weft_graph_create(p->env, "g", &p->g[0], &p->d) &&
            !weft_graph_create(p->env, "g", &p->g[1], &p->d);
  if (!ok)
    check_failed(__FILE__, __LINE__, "%s", p->d.text);
  return ok;
}

static void end(pair *p) {
  weft_graph_destroy(p->g[0]);
  weft_graph_destroy(p->g[1]);
  weft_env_destroy(p->env);
}

static weft_value *input(weft_graph *g, const char *name, weft_dtype t, const weft_dim *dims, size_t rank) {
  weft_diag d = {0};
  weft_value *v = weft_graph_input(g, name, t, dims, rank, &d);
  if (!v)
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return v;
}

static weft_value *op(weft_graph *g, const char *type, const char *name, weft_value *a, weft_value *b) {
  weft_diag d = {0};
  weft_value *v = NULL;
  if (weft_graph_op1(g, type, name, (weft_value *[]){a, b}, b ? 2 : 1, &v, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return v;
}

static weft_value *constant(weft_graph *g, const char *name, const char *text) {
  weft_diag d = {0};
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  weft_value *v = NULL;
  if (weft_tensor_parse(text, strlen(text), NULL, &t, NULL, &d) ||
      !(v = weft_graph_const(g, name, &t, WEFT_CONST_COPY, &d)))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  weft_tensor_deinit(&t);
  return v;
}

static void output(weft_graph *g, weft_value *v) {
  CHECK_INT(weft_graph_output(g, v, NULL), WEFT_OK);
}

static void same(pair *p, int how) {
  weft_diag d = {0};
  weft_status s = weft_graph_compare(p->g[0], p->g[1], how, &d);
  if (!s)
    s = weft_graph_compare(p->g[1], p->g[0], how, &d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s: %s", weft_status_name(s), d.text);
}

// Both ways; the message of the first says `part`.
static void differ(pair *p, int how, const char *part) {
  weft_diag d = {0};
  CHECK_INT(weft_graph_compare(p->g[1], p->g[0], how, NULL), WEFT_E_DIFFERENT);
  CHECK_INT(weft_graph_compare(p->g[0], p->g[1], how, &d), WEFT_E_DIFFERENT);
  CHECK_HAS(d.text, part);
}

static void set_range(weft_tensor_desc *desc, int64_t min, int64_t max) {
  desc->has_range = 1;
  desc->min.rank = desc->max.rank = 2;
  desc->min.dim[0] = min;
  desc->max.dim[0] = max;
  desc->min.dim[1] = desc->max.dim[1] = 3;
}

TEST(r237_range_and_c0_do_not_matter) {
  pair p;
  if (!start(&p))
    return;
  for (int i = 0; i < 2; i++) {
    weft_tensor_desc desc;
    weft_desc_init(&desc);
    CHECK_OK(weft_desc_set(&desc, WEFT_FLOAT, WEFT_NC1HWC0 | (i ? 6u : 5u) << 24, (weft_dim[]){-1, 3}, 2),
             &p.d);
    if (i)
      set_range(&desc, 1, 64);
    weft_value *x = weft_graph_input_desc(p.g[i], i ? "other" : "x", &desc, &p.d);
    output(p.g[i], op(p.g[i], "Relu", i ? "r" : "relu", x, NULL));
  }
  same(&p, WEFT_EQUAL_SEMANTIC);
  differ(&p, WEFT_EQUAL_STRICT, "the name is x in the first graph, other in the second");
  end(&p);
}

TEST(r229_strict_descriptions) {
  static const char *const parts[] = {"the shape is [-1,3] in the first graph, [1,3] in the second",
                                      "a range is absent in the first graph, given in the second",
                                      "the format is ND in the first graph, NC1HWC0(C0=16) in the second",
                                      "the dtype is f32 in the first graph, f16 in the second"};
  for (int k = 0; k < 4; k++) {
    pair p;
    if (!start(&p))
      return;
    for (int i = 0; i < 2; i++) {
      weft_tensor_desc desc;
      weft_desc_init(&desc);
      weft_dtype t = k == 3 && i ? WEFT_FLOAT16 : WEFT_FLOAT;
      CHECK_OK(weft_desc_set(&desc, t, WEFT_ND, (weft_dim[]){k == 0 && i ? 1 : -1, 3}, 2), &p.d);
      if (k == 1 && i)
        set_range(&desc, 1, 64);
      if (k == 2 && i)
        desc.format = WEFT_NC1HWC0 | 5u << 24;
      output(p.g[i], weft_graph_input_desc(p.g[i], "x", &desc, &p.d));
    }
    differ(&p, WEFT_EQUAL_STRICT, parts[k]);
    if (k < 2)
      same(&p, WEFT_EQUAL_SEMANTIC);
    else {
      differ(&p, WEFT_EQUAL_SEMANTIC,
             "graph 'g', input 'x': the description is TensorDesc(name=x, shape=[-1, 3]");
    }
    end(&p);
  }
}

TEST(r239_a_range_of_one_is_a_size) {
  pair p;
  if (!start(&p))
    return;
  for (int i = 0; i < 2; i++) {
    weft_tensor_desc desc;
    weft_desc_init(&desc);
    CHECK_OK(weft_desc_set(&desc, WEFT_FLOAT, WEFT_ND, (weft_dim[]){i ? 5 : -1, 3}, 2), &p.d);
    if (!i)
      set_range(&desc, 4, 4);
    output(p.g[i], weft_graph_input_desc(p.g[i], "x", &desc, &p.d));
  }
  differ(&p, WEFT_EQUAL_SEMANTIC, "shape=[4, 3]");
  end(&p);
}

// Nodes in another order, under other names, shared or repeated constants.
TEST(structure_is_what_counts) {
  pair p;
  if (!start(&p))
    return;
  const weft_dim dims[] = {2};
  weft_value *x = input(p.g[0], "x", WEFT_FLOAT, dims, 1);
  weft_value *c = constant(p.g[0], "c", "f32[2]{1,2}");
  weft_value *a = op(p.g[0], "Add", "a", x, c);
  weft_value *r = op(p.g[0], "Relu", "r", x, NULL);
  output(p.g[0], op(p.g[0], "Add", "s", a, r));
  output(p.g[0], op(p.g[0], "Add", "t", r, c));
  x = input(p.g[1], "in", WEFT_FLOAT, dims, 1);
  weft_value *e = constant(p.g[1], "e", "f32[2]{1,2}");
  constant(p.g[1], "nobody reads it", "f32[]{9}");
  c = constant(p.g[1], "d", "f32[2]{1,2}");
  r = op(p.g[1], "Relu", "n1", x, NULL);
  weft_value *t = op(p.g[1], "Add", "n2", r, e);
  a = op(p.g[1], "Add", "n3", x, c);
  output(p.g[1], op(p.g[1], "Add", "n4", a, r));
  output(p.g[1], t);
  same(&p, WEFT_EQUAL_SEMANTIC);
  differ(&p, WEFT_EQUAL_STRICT, "1 constants in the first graph, 3 in the second");
  end(&p);
}

TEST(semantic_differences) {
  static const char *const parts[] = {
      "the operator is Relu in the first graph, Abs in the second",
      "the data differ",
      "input 'x2' is graph 'g', input 'y' in the first graph, graph 'g', input 'x' in the second",
      "graph 'g': 2 nodes in the first graph, 3 in the second",
      "its counterpart is",
  };
  for (int k = 0; k < 5; k++) {
    pair p;
    if (!start(&p))
      return;
    for (int i = 0; i < 2; i++) {
      weft_graph *g = p.g[i];
      weft_value *x = input(g, "x", WEFT_FLOAT, NULL, 0);
      weft_value *y = input(g, "y", WEFT_FLOAT, NULL, 0);
      weft_value *v;
      if (k == 0)
        v = op(g, i ? "Abs" : "Relu", "r", x, NULL);
      else if (k == 1)
        v = op(g, "Add", "a", x, constant(g, "c", i ? "f32[]{2}" : "f32[]{1}"));
      else if (k == 2)
        v = op(g, "Add", "a", x, i ? x : y);
      else if (k == 3)
        v = op(g, "Relu", "r", op(g, "Relu", "q", x, NULL), NULL);
      else {
        v = op(g, "Relu", "q", x, NULL);
        v = op(g, "Add", "a", v, i ? op(g, "Relu", "q2", x, NULL) : v);
        if (!i)
          op(g, "Relu", "unused", x, NULL);
      }
      if (k == 3 && i)
        op(g, "Relu", "unused", y, NULL);
      output(g, v);
    }
    differ(&p, WEFT_EQUAL_SEMANTIC, parts[k]);
    end(&p);
  }
}

// Nodes that no output needs are matched from their ends, whatever the order of insertion.
TEST(unused_nodes_are_matched) {
  pair p;
  if (!start(&p))
    return;
  for (int i = 0; i < 2; i++) {
    weft_graph *g = p.g[i];
    weft_value *x = input(g, "x", WEFT_FLOAT, NULL, 0);
    weft_value *y = input(g, "y", WEFT_FLOAT, NULL, 0);
    for (int k = 0; k < 2; k++)
      op(g, "Relu", k ? "k" : "l", op(g, "Abs", k ? "m" : "n", i == k ? x : y, NULL), NULL);
    output(g, x);
  }
  same(&p, WEFT_EQUAL_SEMANTIC);
  op(p.g[0], "Relu", "r", weft_graph_input_at(p.g[0], 0), NULL);
  op(p.g[1], "Neg", "r", weft_graph_input_at(p.g[1], 0), NULL);
  differ(&p, WEFT_EQUAL_SEMANTIC, "node 'r' (Relu)");
  end(&p);
}

TEST(attributes_and_controls) {
  static const char *const parts[] = {
      "attribute 'pads' is [0,0,0,0] in the first graph, [0,0,1,1] in the second",
      "attribute '_k' is 1 in the first graph, absent in the second",
      "node 'conv' (Conv2D): 1 control edges in the first graph, 0 in the second", NULL};
  for (int k = 0; k < 4; k++) {
    pair p;
    if (!start(&p))
      return;
    for (int i = 0; i < 2; i++) {
      weft_graph *g = p.g[i];
      weft_value *x = input(g, "x", WEFT_FLOAT, NULL, WEFT_RANK_UNSET);
      weft_value *w = input(g, "w", WEFT_FLOAT, NULL, WEFT_RANK_UNSET);
      int64_t pad = k == 0 && i;
      weft_named_attr attrs[] = {{"strides", weft_attr_ints((int64_t[]){1, 1, 1, 1}, 4)},
                                 {"pads", weft_attr_ints((int64_t[]){0, 0, pad, pad}, 4)},
                                 {"_k", weft_attr_int(1)}};
      weft_use use = {.name = "conv", .attrs = attrs, .n_attrs = k == 1 && i ? 2 : 3};
      weft_node *conv = NULL;
      weft_node *other;
      CHECK_OK(weft_graph_add_node(g, "Relu", &(weft_use){.name = "relu"}, &other, &p.d), &p.d);
      CHECK_OK(weft_node_connect(other, 0, x, &p.d), &p.d);
      CHECK_OK(weft_graph_add(g, "Conv2D", &use, (weft_value *[]){x, w}, 2, &conv, &p.d), &p.d);
      if (k == 3 && i) {  // R200: where a node came from is not compared
        weft_origin o = {"model.onnx", 7, "Conv_0", "Conv", NULL, 0};
        CHECK_OK(weft_node_set_origin(conv, &o, &p.d), &p.d);
      }
      if (k != 2 || !i)
        CHECK_OK(weft_graph_add_control(g, other, conv, &p.d), &p.d);
      output(g, weft_node_out(conv, 0));
    }
    for (int how = WEFT_EQUAL_SEMANTIC; how <= WEFT_EQUAL_STRICT; how++) {
      if (parts[k])
        differ(&p, how, parts[k]);
      else
        same(&p, how);
    }
    end(&p);
  }
}

TEST(sub_graphs) {
  for (int k = 0; k < 2; k++) {
    pair p;
    if (!start(&p))
      return;
    for (int i = 0; i < 2; i++) {
      weft_graph *g = p.g[i];
      weft_graph *sub;
      weft_node *n;
      weft_value *c = input(g, "c", WEFT_BOOL, NULL, 0);
      weft_value *x = input(g, "x", WEFT_FLOAT, NULL, 0);
      uint32_t in[] = {1, 1};
      uint32_t out[] = {1};
      weft_use use = {.name = "if", .in_counts = in, .out_counts = out};
      CHECK_OK(weft_graph_add(g, "If", &use, (weft_value *[]){c, x}, 2, &n, &p.d), &p.d);
      for (uint32_t s = 0; s < 2; s++) {
        CHECK_OK(weft_node_add_graph(n, s, k ? NULL : i ? "a" : "b", &sub, &p.d), &p.d);
        weft_value *v = input(sub, "v", WEFT_FLOAT, NULL, 0);
        output(sub, op(sub, k && s && i ? "Abs" : "Relu", "r", v, NULL));
      }
      output(g, weft_node_out(n, 0));
    }
    if (k)
      differ(&p, WEFT_EQUAL_SEMANTIC, "graph 'else_branch', node 'r' (Relu): the operator is Relu");
    else {
      same(&p, WEFT_EQUAL_SEMANTIC);
      differ(&p, WEFT_EQUAL_STRICT, "the name is b in the first graph, a in the second");
    }
    end(&p);
  }
}

TEST(symbols_of_two_pools) {
  for (int k = 0; k < 3; k++) {
    pair p;
    if (!start(&p))
      return;
    for (int i = 0; i < 2; i++) {
      weft_symbols *s = weft_graph_symbols(p.g[i]);
      if (i)
        (void)weft_dim_symbol(s, "M", 1, 0, -1);  // another age, so another order of terms
      weft_dim n = weft_dim_symbol(s, "N", 1, 0, k == 2 && i ? 9 : -1);
      weft_dim m = weft_dim_symbol(s, "M", 1, 0, -1);
      weft_dim d = weft_dim_add(s, k == 1 && i ? weft_dim_mul(s, n, 2) : n, m);
      output(p.g[i], input(p.g[i], "x", WEFT_FLOAT, &d, 1));
    }
    same(&p, WEFT_EQUAL_SEMANTIC);
    if (!k)
      same(&p, WEFT_EQUAL_STRICT);
    else
      differ(&p, WEFT_EQUAL_STRICT, "the shape is [");
    end(&p);
  }
}

TEST(long_chains) {  // no recursion over nodes
  pair p;
  if (!start(&p))
    return;
  for (int i = 0; i < 2; i++) {
    weft_value *v = input(p.g[i], "x", WEFT_FLOAT, NULL, 0);
    for (int k = 0; k < 50000; k++)
      v = op(p.g[i], "Relu", NULL, v, NULL);
    output(p.g[i], v);
  }
  same(&p, WEFT_EQUAL_SEMANTIC);
  same(&p, WEFT_EQUAL_STRICT);
  end(&p);
}

TEST(every_allocation_failed_once) {
  check_alloc c = {0};
  weft_env_options o = {.allocator = check_allocator(&c), .package_path = "", .no_catalogue = true};
  pair p;
  memset(&p, 0, sizeof p);
  CHECK_OK(weft_env_create(&o, &p.env, &p.d), &p.d);
  for (int i = 0; i < 2; i++) {
    CHECK_OK(weft_graph_create(p.env, "g", &p.g[i], &p.d), &p.d);
    weft_value *x = input(p.g[i], "x", WEFT_FLOAT, NULL, 0);
    op(p.g[i], "Relu", "unused", x, NULL);
    output(p.g[i], op(p.g[i], "Add", "a", x, op(p.g[i], "Relu", "r", x, NULL)));
  }
  for (int how = WEFT_EQUAL_SEMANTIC; how <= WEFT_EQUAL_STRICT; how++) {
    bool done = false;
    for (long i = 1; !done && i < 1000; i++) {
      long blocks = c.live_blocks;
      c.fail_at = c.calls + i;
      weft_status s = weft_graph_compare(p.g[0], p.g[1], how, NULL);
      done = c.calls < c.fail_at;
      c.fail_at = 0;
      CHECK_INT(s, done ? WEFT_OK : WEFT_E_NOMEM);
      CHECK_INT(c.live_blocks, blocks);
    }
    CHECK(done);
  }
  CHECK_FAILS(weft_graph_compare(p.g[0], p.g[1], 7, &p.d), WEFT_E_INVALID);
  end(&p);
}
// SPDX-License-Identifier: Apache-2.0
