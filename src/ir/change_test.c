// change_test.c - rewriting graphs: inputs, replacing, removing, sorting, attributes, cycles, failing
// allocations.
#include "check.h"
#include "ir/ir.h"

typedef struct fixture {
  weft_diag d;
  weft_env *e;
  weft_graph *g;
  weft_value *x;
} fixture;

static bool start(fixture *f, const weft_allocator *a) {
  weft_env_options o = {.package_path = ""};
  memset(f, 0, sizeof *f);
  if (a)
    o.allocator = *a;
  if (weft_env_create(&o, &f->e, &f->d) || weft_graph_create(f->e, "g", &f->g, &f->d)) {
    check_failed(__FILE__, __LINE__, "no graph: %s", f->d.text);
    return false;
  }
  f->x = weft_graph_input(f->g, "x", WEFT_FLOAT, (weft_dim[]){4}, 1, &f->d);
  return f->x != NULL;
}

static void finish(fixture *f) {
  weft_graph_destroy(f->g);
  weft_env_destroy(f->e);
}

static weft_node *add(fixture *f, const char *name, weft_value *a, weft_value *b) {
  weft_node *n = NULL;
  weft_value *in[2] = {a, b};
  uint32_t counts[2] = {1, 1};
  weft_use use = {.name = name, .in_counts = counts};
  if (weft_graph_add(f->g, "Add", &use, in, 2, &n, &f->d))
    check_failed(__FILE__, __LINE__, "%s", f->d.text);
  return n;
}

static weft_value *out(const weft_node *n) {
  return weft_node_out(n, 0);
}

static const char *order_text(const weft_graph *g, char *buf, size_t cap) {
  size_t at = 0;
  buf[0] = '\0';
  for (const weft_node *n = weft_graph_first(g); n; n = weft_node_next(n))
    weft__append(buf, cap, &at, "%s%s", at ? " " : "", weft_node_name(n));
  return buf;
}

TEST(r218_replace_and_remove) {
  fixture f;
  if (!start(&f, NULL))
    return;
  weft_node *a = add(&f, "a", f.x, f.x);
  weft_node *b = add(&f, "b", out(a), out(a));
  weft_node *c = add(&f, "c", out(b), out(a));
  CHECK_OK(weft_graph_output(f.g, out(c), &f.d), &f.d);
  CHECK_OK(weft_graph_output(f.g, out(b), &f.d), &f.d);
  CHECK_FAILS(weft_node_remove(b, &f.d), WEFT_E_STATE);
  CHECK_HAS(f.d.text, "node 'b' (Add): output 0 ('b') still has 1 uses, one by node 'c' (Add)");
  weft_diag_clear(&f.d);
  CHECK_OK(weft_value_replace(out(b), out(a), &f.d), &f.d);
  CHECK_INT(weft_value_n_uses(out(b)), 0);
  CHECK_INT(weft_value_n_uses(out(a)), 5);  // b twice, c twice, an output
  CHECK(weft_node_in(c, 0) == out(a) && weft_graph_output_at(f.g, 1) == out(a));
  CHECK_OK(weft_node_remove(b, &f.d), &f.d);
  CHECK_INT(weft_graph_n_nodes(f.g), 2);
  CHECK_INT(weft_value_n_uses(out(a)), 3);
  CHECK(!weft_graph_find_node(f.g, "b") && !weft_graph_find_value(f.g, "b"));
  CHECK_OK(weft_graph_verify(f.g, NULL, NULL, &f.d), &f.d);
  CHECK_FAILS(weft_node_remove(c, &f.d), WEFT_E_STATE);
  CHECK_HAS(f.d.text, "is an output of graph 'g'");
  // Dead handles are refused, and the name is free again.
  weft_diag_clear(&f.d);
  CHECK_FAILS(weft_node_remove(b, NULL), WEFT_E_STATE);
  CHECK_FAILS(weft_node_set_in(c, 0, out(b), NULL), WEFT_E_STATE);
  CHECK_FAILS(weft_value_replace(out(a), out(b), NULL), WEFT_E_STATE);
  CHECK_FAILS(weft_node_set_in(b, 0, out(a), NULL), WEFT_E_STATE);
  CHECK_FAILS(weft_graph_output(f.g, out(b), NULL), WEFT_E_STATE);
  CHECK(add(&f, "b", f.x, f.x) != NULL);
  finish(&f);
}

TEST(replace_by_a_user_of_the_value_is_a_cycle) {
  fixture f;
  if (!start(&f, NULL))
    return;
  weft_node *a = add(&f, "a", f.x, f.x);
  weft_node *b = add(&f, "b", out(a), f.x);
  weft_node *c = add(&f, "c", out(a), out(a));
  CHECK_OK(weft_graph_output(f.g, out(a), &f.d), &f.d);
  CHECK_FAILS(weft_value_replace(out(a), out(b), &f.d), WEFT_E_CYCLE);
  CHECK_HAS(f.d.text, "while replacing value 'a' by 'b'");
  CHECK_INT(weft_value_n_uses(out(a)), 4);  // all back
  CHECK_INT(weft_value_n_uses(out(b)), 0);
  CHECK(weft_node_in(b, 0) == out(a) && weft_node_in(c, 1) == out(a) &&
        weft_graph_output_at(f.g, 0) == out(a));
  // How a node is put behind a value: connect it last.
  weft_diag_clear(&f.d);
  weft_node *n = add(&f, "n", NULL, f.x);
  CHECK_OK(weft_value_replace(out(a), out(n), &f.d), &f.d);
  CHECK_OK(weft_node_set_in(n, 0, out(a), &f.d), &f.d);
  CHECK_FAILS(weft_graph_verify(f.g, NULL, NULL, &f.d), WEFT_E_STATE);
  CHECK_HAS(f.d.text, "the graph is not sorted");
  weft_diag_clear(&f.d);
  char text[64];
  CHECK_OK(weft_graph_sort(f.g, &f.d), &f.d);
  CHECK_STR(order_text(f.g, text, sizeof text), "a n b c");
  CHECK_OK(weft_graph_verify(f.g, NULL, NULL, &f.d), &f.d);
  CHECK_OK(weft_value_replace(f.x, f.x, &f.d), &f.d);
  finish(&f);
}

TEST(set_in_disconnects_and_reconnects) {
  fixture f;
  if (!start(&f, NULL))
    return;
  weft_node *a = add(&f, "a", f.x, f.x);
  weft_node *b = add(&f, "b", out(a), f.x);
  CHECK_OK(weft_node_set_in(b, 0, NULL, &f.d), &f.d);
  CHECK(!weft_node_in(b, 0) && weft_value_n_uses(out(a)) == 0);
  CHECK_OK(weft_node_set_in(b, 0, NULL, &f.d), &f.d);
  CHECK_OK(weft_node_set_in(b, 0, f.x, &f.d), &f.d);
  CHECK_INT(weft_value_n_uses(f.x), 4);
  CHECK_FAILS(weft_node_set_in(b, 2, f.x, &f.d), WEFT_E_RANGE);
  CHECK_OK(weft_node_set_in(a, 1, out(b), NULL), &f.d);  // the other way round now
  CHECK_FAILS(weft_node_set_in(b, 1, out(a), NULL), WEFT_E_CYCLE);
  finish(&f);
}

// Edges against the order of creation: random ones, checked against a plain search for a path.
TEST(r215_cycles_random) {
  enum { NODES = 24 };
  fixture f;
  uint32_t seed = 12345;
  uint32_t cycles = 0;
  if (!start(&f, NULL))
    return;
  bool path[NODES][NODES] = {{0}};
  weft_node *n[NODES];
  for (int i = 0; i < NODES; i++)
    n[i] = add(&f, NULL, NULL, NULL);
  for (int k = 0; k < 400; k++) {
    uint32_t r[4];
    for (int i = 0; i < 4; i++) {
      seed = seed * 1664525u + 1013904223u;
      r[i] = seed >> 16;
    }
    uint32_t from = r[0] % NODES;
    uint32_t to = r[1] % NODES;
    uint32_t in = r[2] & 1;
    bool control = r[3] % 3 == 0;
    if (!control && weft_node_in(n[to], in))
      continue;
    bool cycle = from == to || path[to][from];
    weft_status s = control ? weft_graph_add_control(f.g, n[from], n[to], NULL)
                            : weft_node_connect(n[to], in, out(n[from]), NULL);
    CHECK_INT(s, cycle ? WEFT_E_CYCLE : WEFT_OK);
    cycles += cycle;
    for (int i = 0; i < NODES && !cycle; i++) {
      for (int j = 0; j < NODES; j++) {
        if ((i == (int)from || path[i][from]) && (j == (int)to || path[to][j]))
          path[i][j] = true;
      }
    }
    for (int i = 0; i < NODES; i++) {
      for (int j = 0; j < NODES; j++) {
        if (path[i][j] && n[i]->order >= n[j]->order)
          check_failed(__FILE__, __LINE__, "order of %d and %d", i, j);
      }
    }
  }
  CHECK(cycles > 20);
  CHECK_OK(weft_graph_sort(f.g, &f.d), &f.d);
  for (int i = 0; i < NODES; i++) {
    for (int j = 0; j < NODES; j++)
      CHECK(!path[i][j] || n[i]->pos < n[j]->pos);
  }
  finish(&f);
}

TEST(sort_is_stable) {
  fixture f;
  char text[64];
  if (!start(&f, NULL))
    return;
  weft_node *a = add(&f, "a", f.x, f.x);
  weft_node *b = add(&f, "b", f.x, f.x);
  weft_node *c = add(&f, "c", f.x, f.x);
  CHECK_OK(weft_graph_sort(f.g, &f.d), &f.d);
  CHECK_STR(order_text(f.g, text, sizeof text), "a b c");
  CHECK_OK(weft_node_set_in(a, 0, out(c), &f.d), &f.d);
  CHECK_OK(weft_graph_sort(f.g, &f.d), &f.d);
  CHECK_STR(order_text(f.g, text, sizeof text), "c a b");
  CHECK_OK(weft_graph_add_control(f.g, b, c, &f.d), &f.d);
  CHECK_OK(weft_graph_sort(f.g, &f.d), &f.d);
  CHECK_STR(order_text(f.g, text, sizeof text), "b c a");
  CHECK(f.g->first == b && f.g->last == a && !b->prev && c->prev == b && !a->next);
  finish(&f);
}

TEST(deferred_cycles_are_found_and_named) {
  fixture f;
  if (!start(&f, NULL))
    return;
  weft_node *a = add(&f, "a", NULL, f.x);
  weft_node *b = add(&f, "b", out(a), f.x);
  weft_node *c = add(&f, "c", out(b), f.x);
  weft__graph_defer(f.g);
  CHECK_OK(weft_node_connect(a, 0, out(c), &f.d), &f.d);
  CHECK_FAILS(weft__graph_settle(f.g, &f.d), WEFT_E_CYCLE);
  CHECK_HAS(f.d.text, "graph 'g' has a cycle of 3 nodes: 'a' -> 'b' -> 'c' -> 'a'");
  CHECK_FAILS(weft_graph_sort(f.g, NULL), WEFT_E_CYCLE);
  finish(&f);
}

// A chain whose nodes come in backward order: linear when checks are deferred, and nothing recurses.
TEST(deep_chain_backwards) {
  enum { NODES = 20000 };
  fixture f;
  if (!start(&f, NULL))
    return;
  weft__graph_defer(f.g);
  weft_node *later = add(&f, NULL, NULL, f.x);
  weft_node *last = later;
  for (int i = 1; i < NODES; i++) {
    weft_node *n = add(&f, NULL, NULL, f.x);
    CHECK_OK(weft_node_connect(later, 0, out(n), &f.d), &f.d);
    later = n;
  }
  CHECK_OK(weft_node_connect(later, 0, f.x, &f.d), &f.d);
  CHECK_OK(weft__graph_settle(f.g, &f.d), &f.d);
  CHECK(weft_graph_first(f.g) == last && last->order == NODES);
  CHECK_FAILS(weft_node_set_in(later, 0, out(last), NULL), WEFT_E_CYCLE);
  CHECK_OK(weft_graph_output(f.g, out(last), &f.d), &f.d);
  CHECK_OK(weft_graph_sort(f.g, &f.d), &f.d);
  CHECK(weft_graph_first(f.g) == later);
  CHECK_OK(weft_graph_verify(f.g, NULL, NULL, &f.d), &f.d);
  finish(&f);
}

TEST(r221_removing_keeps_control_order) {
  fixture f;
  if (!start(&f, NULL))
    return;
  weft_node *a = add(&f, "a", f.x, f.x);
  weft_node *b = add(&f, "b", f.x, f.x);
  weft_node *c = add(&f, "c", f.x, f.x);
  weft_node *e = add(&f, "e", f.x, f.x);
  CHECK_OK(weft_graph_add_control(f.g, a, b, &f.d), &f.d);
  CHECK_OK(weft_graph_add_control(f.g, b, c, &f.d), &f.d);
  CHECK_OK(weft_graph_add_control(f.g, a, e, &f.d), &f.d);
  CHECK_OK(weft_graph_add_control(f.g, b, e, &f.d), &f.d);
  CHECK_OK(weft_node_remove(b, &f.d), &f.d);
  CHECK(weft_node_n_controls(c) == 1 && weft_node_control_at(c, 0) == a);
  CHECK(weft_node_n_controls(e) == 1 && weft_node_control_at(e, 0) == a);
  CHECK_INT(a->controls->after.n, 2);
  CHECK_FAILS(weft_graph_add_control(f.g, c, a, NULL), WEFT_E_CYCLE);
  finish(&f);
}

TEST(attributes_change) {
  fixture f;
  weft_node *n;
  if (!start(&f, NULL))
    return;
  CHECK_OK(weft_graph_add(f.g, "Concat",
                          &(weft_use){.name = "c",
                                      .attrs = (weft_named_attr[]){{"N", weft_attr_int(2)}},
                                      .n_attrs = 1,
                                      .in_counts = (uint32_t[]){1, 2}},
                          (weft_value *[]){f.x, f.x, f.x}, 3, &n, &f.d),
           &f.d);
  weft_attr a = weft_attr_int(5);
  weft_attr text = weft_attr_str("hello", 5);
  CHECK_OK(weft_node_set_attr(n, "N", &a, &f.d), &f.d);
  CHECK_INT(weft_node_attr(n, "N")->u.i, 5);
  CHECK_INT(weft_proto_default(weft_node_proto(n), 0)->u.i, 1);
  CHECK_FAILS(weft_node_set_attr(n, "N", &text, &f.d), WEFT_E_TYPE);
  CHECK_HAS(f.d.text, "node 'c' (Concat)");
  CHECK_INT(weft_node_attr(n, "N")->u.i, 5);
  weft_diag_clear(&f.d);
  CHECK_FAILS(weft_node_set_attr(n, "nope", &a, &f.d), WEFT_E_NOT_FOUND);
  weft_diag_clear(&f.d);
  CHECK_OK(weft_node_set_attr(n, "_note", &text, &f.d), &f.d);
  CHECK_OK(weft_node_set_attr(n, "_other", &a, &f.d), &f.d);
  CHECK_OK(weft_node_set_attr(n, "_note", &text, &f.d), &f.d);
  CHECK_INT(n->desc.n_private, 2);
  CHECK_STR(weft_node_attr(n, "_note")->u.s, "hello");
  CHECK(weft_node_attr(n, "_note")->u.s != text.u.s);
  finish(&f);
}

// Declared ones first, then private ones in the order they were set; by name and by number they are the same.
TEST(attributes_are_counted_and_read_by_number) {
  fixture f;
  weft_node *n;
  const char *name;
  if (!start(&f, NULL))
    return;
  CHECK_OK(weft_graph_add(f.g, "Concat",
                          &(weft_use){.name = "c",
                                      .attrs = (weft_named_attr[]){{"N", weft_attr_int(2)}},
                                      .n_attrs = 1,
                                      .in_counts = (uint32_t[]){1, 2}},
                          (weft_value *[]){f.x, f.x, f.x}, 3, &n, &f.d),
           &f.d);
  weft_attr a = weft_attr_int(5);
  CHECK_OK(weft_node_set_attr(n, "_b", &a, &f.d), &f.d);
  CHECK_OK(weft_node_set_attr(n, "_a", &a, &f.d), &f.d);
  const size_t declared = weft_proto_n_attr(weft_node_proto(n));
  CHECK_INT(weft_node_n_attrs(n), declared + 2);
  for (size_t i = 0; i < weft_node_n_attrs(n); i++) {
    const weft_attr *v = weft_node_attr_at(n, i, &name);
    CHECK(v && name && v == weft_node_attr(n, name));
    CHECK(weft_node_attr_at(n, i, NULL) == v);
  }
  CHECK(weft_node_attr_at(n, 0, &name) && !strcmp(name, "N"));
  CHECK(weft_node_attr_at(n, declared, &name) && !strcmp(name, "_b"));
  CHECK(weft_node_attr_at(n, declared + 1, &name) && !strcmp(name, "_a"));
  CHECK(!weft_node_attr_at(n, declared + 2, &name) && !name);
  CHECK(!weft_node_attr_at(n, SIZE_MAX, &name) && !name);
  finish(&f);
}

TEST(inputs_and_outputs_are_found_by_name) {
  fixture f;
  weft_value *y;
  const weft_dim dims[] = {4};
  if (!start(&f, NULL))
    return;
  CHECK(weft_graph_input(f.g, "second", WEFT_FLOAT, dims, 1, &f.d) != NULL);
  CHECK_OK(weft_graph_op1(f.g, "Relu", "r", &f.x, 1, &y, &f.d), &f.d);
  CHECK_OK(weft_graph_output(f.g, f.x, &f.d), &f.d);
  CHECK_OK(weft_graph_output(f.g, y, &f.d), &f.d);
  CHECK_OK(weft_graph_output(f.g, y, &f.d), &f.d);
  CHECK_INT(weft_graph_find_input(f.g, weft_value_name(f.x)), 0);
  CHECK_INT(weft_graph_find_input(f.g, "second"), 1);
  CHECK_INT(weft_graph_find_input(f.g, weft_value_name(y)), -1);
  CHECK_INT(weft_graph_find_input(f.g, ""), -1);
  CHECK_INT(weft_graph_find_output(f.g, weft_value_name(y)), 1);  // the first of two
  CHECK_INT(weft_graph_find_output(f.g, "second"), -1);
  finish(&f);
}

// ---- every allocation failed once ----

typedef struct script {
  fixture f;
  weft_node *a, *b, *c, *branch;
  weft_graph *sub;
  weft_tensor t;
} script;

static weft_status value_status(const weft_value *v) {
  return v ? WEFT_OK : WEFT_E_NOMEM;
}

static weft_status step_create(script *s) {
  return weft_graph_create(s->f.e, "g", &s->f.g, NULL);
}
static weft_status step_input(script *s) {
  s->f.x = weft_graph_input(s->f.g, "x", WEFT_FLOAT, (weft_dim[]){4, -1}, 2, NULL);
  return value_status(s->f.x);
}
static weft_status step_made_input(script *s) {
  return value_status(weft_graph_input(s->f.g, NULL, WEFT_FLOAT, NULL, 0, NULL));
}
static weft_status step_const(script *s) {
  return value_status(weft_graph_const(s->f.g, "k", &s->t, WEFT_CONST_COPY, NULL));
}
static weft_status step_a(script *s) {
  return weft_graph_add(s->f.g, "Add", &(weft_use){.name = "a"}, (weft_value *[]){s->f.x, s->f.x}, 2, &s->a,
                        NULL);
}
static weft_status step_b(script *s) {
  return weft_graph_add_node(s->f.g, "Add", NULL, &s->b, NULL);
}
static weft_status step_c(script *s) {
  return weft_graph_add_node(s->f.g, "Add", NULL, &s->c, NULL);
}
static weft_status step_split(script *s) {
  weft_named_attr n = {"num_split", weft_attr_int(5)};
  weft_use use = {.attrs = &n, .n_attrs = 1, .out_counts = (uint32_t[]){5}};
  weft_node *split;
  return weft_graph_add(s->f.g, "Split", &use, (weft_value *[]){s->f.x, s->f.x}, 2, &split, NULL);
}
static weft_status step_backwards(script *s) {
  return weft_graph_add_edge(s->f.g, s->c, 0, s->b, 0, NULL);
}
static weft_status step_replace(script *s) {
  return weft_value_replace(s->f.x, out(s->c), NULL);
}
static weft_status step_control(script *s) {
  return weft_graph_add_control(s->f.g, s->c, s->a, NULL);
}
static weft_status step_control2(script *s) {
  return weft_graph_add_control(s->f.g, s->b, s->c, NULL);
}
static weft_status step_disconnect(script *s) {
  return weft_node_set_in(s->b, 0, NULL, NULL);
}
static weft_status step_output(script *s) {
  return weft_graph_output(s->f.g, out(s->b), NULL);
}
static weft_status step_rename(script *s) {
  return weft__value_rename(out(s->b), "result", NULL);
}
static weft_status step_attr(script *s) {
  weft_attr v = weft_attr_str("text", 4);
  return weft_node_set_attr(s->b, "_kept", &v, NULL);
}
static weft_status step_origin(script *s) {
  weft_named_attr v = {"alpha", weft_attr_str("text", 4)};
  return weft_node_set_origin(s->b, &(weft_origin){"f", 1, "n", "t", &v, 1}, NULL);
}
static weft_status step_declare(script *s) {
  weft_tensor_desc desc;
  weft_desc_init(&desc);
  return weft_value_declare(out(s->b), &desc, NULL);
}
static weft_status step_if(script *s) {
  return weft_graph_add_node(s->f.g, "If", NULL, &s->branch, NULL);
}
static weft_status step_sub(script *s) {
  return weft_node_add_graph(s->branch, 0, "sub", &s->sub, NULL);
}
static weft_status step_sub_input(script *s) {
  return value_status(weft_graph_input(s->sub, "x", WEFT_FLOAT, NULL, 0, NULL));
}
static void nothing(void *ctx) {
  (void)ctx;
}
static weft_status step_keep(script *s) {
  return weft_graph_keep(s->f.g, nothing, NULL);
}
static weft_status step_fact(script *s) {
  weft_fact f = {.set = true, .rank = 2, .dims = (weft_dim[]){1, 2}, .dtype = WEFT_FLOAT};
  return weft__value_set_fact(out(s->b), &f, NULL);
}
static weft_status step_sort(script *s) {
  return weft_graph_sort(s->f.g, NULL);
}
static weft_status step_remove(script *s) {
  return weft_node_remove(s->c, NULL);
}

static weft_status (*const steps[])(script *) = {
    step_create, step_input,     step_made_input, step_const,   step_a,       step_b,
    step_c,      step_split,     step_backwards,  step_replace, step_control, step_disconnect,
    step_output, step_rename,    step_attr,       step_origin,  step_declare, step_if,
    step_sub,    step_sub_input, step_keep,       step_fact,    step_sort};

static void count_damage(void *ctx, weft_status s, const char *text) {
  bool arity = strstr(text, "sub-graph") != NULL;  // the script's branch is not complete
  *(int *)ctx += s == WEFT_E_CORRUPT || s == WEFT_E_DUPLICATE || (s == WEFT_E_INVALID && !arity);
}

static int damage(const weft_graph *g) {
  int n = 0;
  weft_status s = weft_graph_verify(g, count_damage, &n, NULL);
  for (const weft_node *k = g->first; k; k = k->next)
    n += k->mark != 0;
  return s ? n : 0;
}

typedef struct plan {
  long fail_at;    // of all allocations; 0: none
  size_t step;     // SIZE_MAX, or: the first allocation in this step fails
  ptrdiff_t left;  // bytes left in the arena before that step
} plan;

// Runs all steps. The step that meets the failing allocation must leave the graph whole and succeed when
// tried again. False when the run did not meet it.
static bool run_failing(script *s, check_alloc *c, plan p) {
  bool met = false;
  s->f.g = NULL;
  c->calls = 0;
  c->fail_at = p.fail_at;
  for (size_t i = 0; i < WEFT_COUNT(steps); i++) {
    if (i == p.step) {
      weft_arena *a = s->f.g ? &s->f.g->root->arena : NULL;
      if (a && a->end - a->at > p.left)
        a->at = a->end - p.left;
      c->fail_at = c->calls + 1;
    }
    weft_status st = steps[i](s);
    if (i == p.step && !st)
      c->fail_at = 0;
    if (!st)
      continue;
    CHECK_INT(st, WEFT_E_NOMEM);
    CHECK(!met && c->calls >= c->fail_at);
    met = true;
    if (s->f.g)
      CHECK_INT(damage(s->f.g), 0);
    st = steps[i](s);
    if (st) {
      check_failed(__FILE__, __LINE__, "step %zu again: %s", i, weft_status_name(st));
      break;
    }
  }
  CHECK_INT(damage(s->f.g), 0);
  CHECK(weft_graph_n_nodes(s->f.g) == 5 && weft_graph_n_inputs(s->f.g) == 2 &&
        weft_graph_n_consts(s->f.g) == 1);
  CHECK(weft_graph_n_outputs(s->f.g) == 1 && !strcmp(weft_graph_output_at(s->f.g, 0)->name, "result"));
  CHECK(weft_graph_find_value(s->f.g, "a") == out(s->a) && weft_graph_find_node(s->f.g, "Split_3"));
  weft_graph_destroy(s->f.g);
  return met;
}

TEST(every_allocation_fails_once) {
  check_alloc c = {0};
  weft_allocator alloc = check_allocator(&c);
  weft_env_options o = {.package_path = "", .allocator = alloc};
  script s = {0};
  float one = 1;
  weft_tensor_init(&s.t, NULL);
  CHECK_OK(weft_tensor_borrow(&s.t, WEFT_FLOAT, NULL, 0, &one, sizeof one, &s.f.d), &s.f.d);
  CHECK_OK(weft_env_create(&o, &s.f.e, &s.f.d), &s.f.d);
  plan p = {0, SIZE_MAX, 0};
  CHECK(!run_failing(&s, &c, p));  // catalogue entries are made now
  CHECK(!run_failing(&s, &c, p));
  long live = c.live_blocks;
  long all = c.calls;
  long met = 0;
  CHECK(all > 10);
  for (p.fail_at = 1; p.fail_at <= all; p.fail_at++) {
    CHECK(run_failing(&s, &c, p));
    CHECK_INT(c.live_blocks, live);
  }
  // The arena asks for memory in blocks; leaving it too little lets each of its requests fail.
  p.fail_at = 0;
  for (p.step = 0; p.step < WEFT_COUNT(steps); p.step++) {
    for (p.left = 0; p.left < 1600; p.left += 8)
      met += run_failing(&s, &c, p);
  }
  CHECK(met > 1000);
  c.fail_at = 0;
  CHECK_INT(c.live_blocks, live);
  weft_env_destroy(s.f.e);
  CHECK_INT(c.live_blocks, 0);
}

// Nodes that waited for a removed one inherit its control edges, which needs memory.
TEST(removal_fails_cleanly) {
  check_alloc c = {0};
  weft_allocator alloc = check_allocator(&c);
  script s = {0};
  if (!start(&s.f, &alloc))
    return;
  s.a = add(&s.f, "a", s.f.x, s.f.x);
  s.b = add(&s.f, "b", s.f.x, s.f.x);
  s.c = add(&s.f, "c", s.f.x, s.f.x);
  CHECK_INT(step_control2(&s), WEFT_OK);
  CHECK_INT(step_control(&s), WEFT_OK);
  while (s.f.g->root->arena.end - s.f.g->root->arena.at >= 8)
    CHECK(weft__arena_alloc(&s.f.g->root->arena, 8, 8) != NULL);
  s.b->controls->after.cap = s.b->controls->after.n;  // full: inheriting needs memory
  c.fail_at = c.calls + 1;
  CHECK_INT(step_remove(&s), WEFT_E_NOMEM);
  CHECK_INT(damage(s.f.g), 0);
  CHECK(weft_graph_find_node(s.f.g, "c") == s.c && weft_node_n_controls(s.a) == 1);
  c.fail_at = 0;
  CHECK_INT(step_remove(&s), WEFT_OK);
  CHECK(weft_node_n_controls(s.a) == 1 && weft_node_control_at(s.a, 0) == s.b);
  finish(&s.f);
  CHECK_INT(c.live_blocks, 0);
}
// SPDX-License-Identifier: Apache-2.0
