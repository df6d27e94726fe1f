// kept_test.c - what an operator keeps with a node (weft_op.drop), its own pointer (weft_op.user), the
// private attributes that it sees, and descriptions that come later (weft_op.describe).
#include "op/proto.h"
#include "rows.h"

#include <pthread.h>
#include <stdlib.h>

// How often things happened; the operator finds it at weft_op.user.
typedef struct kept_counts {
  int made, dropped, taken;
} kept_counts;
typedef struct kept_axis {
  kept_counts *counts;
  int64_t axis;
  int64_t private_number;
} kept_axis;

static void kept_drop(void *kept) {
  kept_axis *a = kept;
  __atomic_add_fetch(&a->counts->dropped, 1, __ATOMIC_RELAXED);
  free(a);
}

static weft_status kept_infer(weft_infer *it) {
  const weft_op_desc *n = it->desc;
  kept_counts *counts = *(kept_counts *const *)n->op->user;
  kept_axis *a = weft_kept_take(n);
  __atomic_add_fetch(a ? &counts->taken : &counts->made, 1, __ATOMIC_RELAXED);
  if (!a) {
    a = malloc(sizeof *a);
    *a = (kept_axis){.counts = counts, .axis = weft_node_int(n, 0), .private_number = -1};
    for (uint32_t i = 0; i < n->n_private; i++) {
      if (!strcmp(n->private_attr[i].name, "_number"))
        a->private_number = n->private_attr[i].value.u.i;
    }
  }
  const weft_dim dims[] = {a->axis, a->private_number};
  weft_status s = weft_set_out_shape(it, 0, dims, 2);
  if (!weft_kept_give(n, a))
    kept_drop(a);
  return s;
}
static weft_status kept_dtype(weft_infer *it) {
  return weft_set_out_dtype(it, 0, weft_in_dtype(it, 0));
}

static kept_counts counts;
static kept_counts *const counts_at = &counts;
static const weft_op keeper = {WEFT_OP_HEAD,
                               .version = 1,
                               .name = "Keeper",
                               .in = WEFT_PORTS({.name = "x", .dtypes = (weft_dtype_set)1 << WEFT_FLOAT}),
                               .out = WEFT_PORTS({.name = "y", .dtypes = (weft_dtype_set)1 << WEFT_FLOAT}),
                               .attrs = WEFT_ATTRS({"axis", "Int", "3"}),
                               .infer = kept_infer,
                               .infer_dtype = kept_dtype,
                               .user = &counts_at,
                               .drop = kept_drop};

static weft_graph *kept_graph(rows *r, weft_node **out) {
  counts = (kept_counts){0};
  weft_graph *g = rows_graph(r, "g");
  weft_value *x = rows_input(r, g, "x", "f32[2]");
  const weft_named_attr number = {"_number", {.type = WEFT_VT_INT, .u = {.i = 5}}};
  const weft_use use = {.name = "k", .attrs = &number, .n_attrs = 1};
  weft_status s = weft_graph_add(g, "Keeper", &use, &x, 1, out, &r->d);
  if (!s)
    s = weft_graph_output(g, weft_node_out(*out, 0), &r->d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  return g;
}
static const char *kept_shape(rows *r, weft_graph *g, weft_node *n, char *text, size_t cap) {
  if (weft_graph_infer(g, NULL, NULL, &r->d))
    return r->d.text;
  return rows_value_text(weft_node_out(n, 0), text, cap);
}

TEST(what_is_kept_dies_with_a_change_of_attributes_and_with_the_node) {
  rows r;
  char text[256];
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_register(r.env, &keeper, 0, &r.d), &r.d);
  weft_node *n = NULL;
  weft_graph *g = kept_graph(&r, &n);
  CHECK_STR(kept_shape(&r, g, n, text, sizeof text), "DT_FLOAT [3,5] ND");
  CHECK_STR(kept_shape(&r, g, n, text, sizeof text), "DT_FLOAT [3,5] ND");
  CHECK_INT(counts.made, 1);
  CHECK_INT(counts.dropped, 0);
  const weft_attr seven = {.type = WEFT_VT_INT, .u = {.i = 7}};
  CHECK_OK(weft_node_set_attr(n, "axis", &seven, &r.d), &r.d);
  CHECK_INT(counts.dropped, 1);
  CHECK_STR(kept_shape(&r, g, n, text, sizeof text), "DT_FLOAT [7,5] ND");
  CHECK_OK(weft_node_set_attr(n, "_number", &seven, &r.d), &r.d);
  CHECK_INT(counts.dropped, 2);
  CHECK_STR(kept_shape(&r, g, n, text, sizeof text), "DT_FLOAT [7,7] ND");
  CHECK_OK(weft_node_set_attr(n, "_other", &seven, &r.d), &r.d);
  CHECK_STR(kept_shape(&r, g, n, text, sizeof text), "DT_FLOAT [7,7] ND");
  weft_graph_destroy(g);
  CHECK_INT(counts.made, counts.dropped);
  rows_close(&r);
}

TEST(a_removed_node_and_one_that_was_read_have_their_own) {
  rows r;
  char text[256];
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_register(r.env, &keeper, 0, &r.d), &r.d);
  weft_node *n = NULL;
  weft_graph *g = kept_graph(&r, &n);
  CHECK_STR(kept_shape(&r, g, n, text, sizeof text), "DT_FLOAT [3,5] ND");
  static const char same[] = "graph \"g\" { input x: f32[2] node k: Keeper(x) -> y output y }";
  weft_graph *copy = NULL;
  CHECK_OK(weft_graph_parse(r.env, same, strlen(same), "test", &copy, &r.d), &r.d);
  if (copy) {
    CHECK_OK(weft_graph_infer(copy, NULL, NULL, &r.d), &r.d);
    CHECK_INT(counts.made, 2);
    weft_graph_destroy(copy);
    CHECK_INT(counts.dropped, 1);
  }
  weft_node *alone = NULL;
  CHECK_OK(weft_graph_add_node(g, "Keeper", NULL, &alone, &r.d), &r.d);
  CHECK_OK(weft_node_remove(alone, &r.d), &r.d);
  weft_graph_destroy(g);
  CHECK_INT(counts.made, counts.dropped);
  rows_close(&r);
}

// One call of an operator without a graph drops what it made, too.
TEST(a_single_call_leaves_nothing) {
  rows r;
  rows_tensors in;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_register(r.env, &keeper, 0, &r.d), &r.d);
  counts = (kept_counts){0};
  if (rows_read(&r, "f32[2]{1,2}", &in)) {
    weft_tensor_desc out;
    CHECK_OK(weft_infer_op(r.env, weft_find(r.env, "Keeper"), NULL, in.in, 1, &out, 1, &r.d), &r.d);
    CHECK_INT(counts.made, 1);
    CHECK_INT(counts.dropped, 1);
    rows_free(&in);
  }
  rows_close(&r);
}

typedef struct kept_thread {
  const weft_op_desc *desc;
  kept_counts *counts;
} kept_thread;
enum { KEPT_THREADS = 4, KEPT_ROUNDS = 2000 };

static void *kept_calls(void *of) {
  const kept_thread *t = of;
  for (int i = 0; i < KEPT_ROUNDS; i++) {
    kept_axis *a = weft_kept_take(t->desc);
    if (!a) {
      a = calloc(1, sizeof *a);
      a->counts = t->counts;
      __atomic_add_fetch(&t->counts->made, 1, __ATOMIC_RELAXED);
    }
    a->axis++;  // nobody else has it: ThreadSanitizer looks
    if (!weft_kept_give(t->desc, a))
      kept_drop(a);
  }
  return NULL;
}

TEST(two_threads_never_have_it_at_once) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_register(r.env, &keeper, 0, &r.d), &r.d);
  weft_node *n = NULL;
  weft_graph *g = kept_graph(&r, &n);
  pthread_t thread[KEPT_THREADS];
  kept_thread t = {weft_node_desc(n), &counts};
  for (int i = 0; i < KEPT_THREADS; i++)
    pthread_create(&thread[i], NULL, kept_calls, &t);
  for (int i = 0; i < KEPT_THREADS; i++)
    pthread_join(thread[i], NULL);
  weft_graph_destroy(g);
  CHECK_INT(counts.made, counts.dropped);
  rows_close(&r);
}

// ---- what a function says is checked ----
static uint32_t wrong_dtype, wrong_format;
static weft_status wrong_infer(weft_infer *it) {
  it->out_dtype[0] = (weft_dtype)wrong_dtype;
  it->out_format[0] = wrong_format;
  return weft_set_out_shape(it, 0, NULL, 0);
}
static const weft_op wrong = {WEFT_OP_HEAD,
                              .version = 1,
                              .name = "Wrong",
                              .in = WEFT_PORTS({.name = "x", .dtypes = (weft_dtype_set)1 << WEFT_FLOAT}),
                              .out = WEFT_PORTS({.name = "y", .dtypes = (weft_dtype_set)1 << WEFT_FLOAT}),
                              .infer = wrong_infer};

TEST(a_dtype_or_format_that_no_list_has_is_refused) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_register(r.env, &wrong, 0, &r.d), &r.d);
  wrong_dtype = 255;  // a shift by it is undefined
  wrong_format = WEFT_ND;
  CHECK_HAS(rows_infer(&r, "Wrong", NULL, "f32[2]{1,2}", 1), "output 'y': inferred dtype 255");
  wrong_dtype = WEFT_FLOAT;
  wrong_format = 200;
  CHECK_HAS(rows_infer(&r, "Wrong", NULL, "f32[2]{1,2}", 1), "inferred formats 200 and");
  rows_close(&r);
}

// ---- weft_op.describe ----
static int described;
static const weft_op *later_describe(const weft_op *op, const weft_host *host, weft_diag *d) {
  described++;
  if (!strcmp(op->name, "Keeper"))
    return &keeper;
  host->fail(d, WEFT_E_INVALID, "operator '%s' cannot be described today", op->name);
  return NULL;
}
static const weft_op later = {WEFT_OP_HEAD, .version = 1, .name = "Keeper", .describe = later_describe};
static const weft_op never = {WEFT_OP_HEAD, .version = 1, .name = "Never", .describe = later_describe};
static const weft_op liar = {WEFT_OP_HEAD, .version = 1, .name = "Liar", .describe = later_describe};

TEST(a_description_is_asked_for_once_and_when_it_is_wanted) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  described = 0;
  CHECK_OK(weft_register(r.env, &later, 0, &r.d), &r.d);
  CHECK_INT(described, 0);
  const weft_proto *p = weft_find(r.env, "Keeper");
  CHECK(p && weft_find(r.env, "Keeper") == p);
  CHECK_INT(described, 1);
  if (p)
    CHECK_STR(weft_proto_attr(p, 0)->name, "axis");
  weft_node *n = NULL;
  weft_graph_destroy(kept_graph(&r, &n));
  CHECK_INT(weft_register(r.env, &later, 0, &r.d), WEFT_E_EXISTS);
  rows_close(&r);
}

TEST(a_description_that_fails_says_why_wherever_it_is_wanted) {
  rows r;
  if (!rows_open(&r, ""))
    return;
  CHECK_OK(weft_register(r.env, &never, 0, &r.d), &r.d);
  const size_t all = weft_proto_count(r.env, false);
  CHECK(!weft_find(r.env, "Never"));
  const weft_proto *p = NULL;
  CHECK_INT(weft_get(r.env, "Never", &p, &r.d), WEFT_E_INVALID);
  CHECK(strstr(r.d.text, "operator 'Never' cannot be described today (of program)") != NULL);
  bool listed = false;
  for (size_t i = 0; i < all; i++) {
    p = weft_proto_at(r.env, i, false);
    listed |= p && !strcmp(p->name, "Never");
  }
  CHECK(listed);
  weft_diag_clear(&r.d);
  CHECK_INT(weft_register(r.env, &liar, WEFT_REGISTER_STRICT, &r.d), WEFT_E_INVALID);
  CHECK(strstr(r.d.text, "cannot be described today") != NULL);
  rows_close(&r);
}
// SPDX-License-Identifier: Apache-2.0
