// save_refused_test.c - what stands between a graph and its file: prototypes that changed since, bounds that
// come late, graphs that cannot be saved (R42).
#include "check.h"
#include "ir/file.h"

typedef struct bytes {
  uint8_t v[1 << 16];
  size_t n;
} bytes;

static weft_status collect(void *ctx, const char *text, size_t n) {
  bytes *b = ctx;
  if (n > sizeof b->v - b->n)
    return WEFT_E_LIMIT;
  if (n)
    memcpy(b->v + b->n, text, n);
  b->n += n;
  return WEFT_OK;
}

static weft_env *new_env(check_alloc *c) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.package_path = ""};
  if (c)
    o.allocator = check_allocator(c);
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "environment: %s", d.text);
  return e;
}

typedef weft_status (*make_fn)(weft_env *e, weft_graph **out, weft_diag *d);

static bool save_made(weft_env *e, make_fn make, bytes *out) {
  weft_graph *g = NULL;
  weft_diag d = {0};
  out->n = 0;
  weft_status s = make(e, &g, &d);
  if (!s)
    s = weft_graph_save(g, collect, out, &d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s: %s", weft_status_name(s), d.text);
  weft_graph_destroy(g);
  return !s;
}

// Expects a status and a part of the message, and that nothing is left.
static bytes file, again;  // large

static void expect(weft_env *e, weft_status status, const char *part) {
  weft_graph *g = NULL;
  weft_diag d = {0};
  weft_status s = weft_graph_load(e, file.v, file.n, &g, &d);
  if (s != status) {
    check_failed(__FILE__, __LINE__, "%s, expected %s: %s", weft_status_name(s), weft_status_name(status),
                 d.text);
  }
  if (part)
    CHECK_HAS(d.text, part);
  CHECK(!s || !g);
  weft_graph_destroy(g);
}

static weft_env *env_with(const char *second_in, const char *attr, const char *dflt) {
  weft_env *e = new_env(NULL);
  weft_op_builder *b = weft_builder_create(e, "Mine");
  weft_diag d = {0};
  weft_builder_input(weft_builder_input(b, "x", WEFT_REQUIRED), second_in, WEFT_REQUIRED);
  weft_builder_output(b, "y", WEFT_REQUIRED);
  weft_builder_attr(b, "k", "Int", "1", NULL);
  if (attr)
    weft_builder_attr(b, attr, "Int", dflt, NULL);
  if (weft_builder_register(b, 0, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  weft_builder_destroy(b);
  return e;
}

static weft_status make_mine(weft_env *e, weft_graph **out, weft_diag *d) {
  weft_value *x;
  weft_value *y;
  WEFT_TRY(weft_graph_create(e, "g", out, d));
  if (!(x = weft_graph_input(*out, "x", WEFT_FLOAT, NULL, 0, d)))
    return d->status;
  WEFT_TRY(weft_graph_op1(*out, "Mine", "m", (weft_value *[]){x, x}, 2, &y, d));
  return weft_graph_output(*out, y, d);
}

TEST(r42_prototypes_that_changed) {
  weft_env *same = env_with("b", NULL, NULL);
  weft_env *renamed = env_with("c", NULL, NULL);
  weft_env *more = env_with("b", "l", "7");
  weft_env *required = env_with("b", "l", NULL);
  weft_env *without = new_env(NULL);
  if (save_made(same, make_mine, &file)) {
    expect(same, WEFT_OK, NULL);
    expect(more, WEFT_OK, NULL);  // an attribute was appended: its default
    expect(renamed, WEFT_E_VERSION,
           "operator 'Mine': input 1 is 'b' (kind 0) in the file, 'c' (kind 0) here");
    expect(required, WEFT_E_VERSION, "attribute 'l' is required here");
    expect(without, WEFT_E_NOT_FOUND, "Mine");
  }
  if (save_made(more, make_mine, &file))
    expect(same, WEFT_E_VERSION, "2 attributes");
  weft_env_destroy(same);
  weft_env_destroy(renamed);
  weft_env_destroy(more);
  weft_env_destroy(required);
  weft_env_destroy(without);
}

// Symbols whose bounds became known after an expression was made keep their expressions.
TEST(late_bounds) {
  weft_env *e = new_env(NULL);
  weft_graph *g = NULL;
  weft_graph *h = NULL;
  weft_diag d = {0};
  char text[64];
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_symbols *p = weft_graph_symbols(g);
  weft_dim n = weft_dim_symbol(p, "N", 1, 0, -1);
  weft_dim dims[] = {weft_dim_max(p, n, 8), n};
  (void)weft_dim_symbol(p, "N", 1, 8, 99);
  weft_value *x = weft_graph_input(g, "x", WEFT_FLOAT, dims, 2, &d);
  CHECK(x && !weft_graph_output(g, x, &d));
  file.n = again.n = 0;
  CHECK_OK(weft_graph_save(g, collect, &file, &d), &d);
  CHECK_OK(weft_graph_load(e, file.v, file.n, &h, &d), &d);
  CHECK_OK(weft_graph_save(h, collect, &again, &d), &d);
  CHECK(again.n == file.n && !memcmp(again.v, file.v, file.n));
  weft_tensor_desc desc;
  weft_value_desc(weft_graph_input_at(h, 0), &desc);
  CHECK_STR(weft_dim_text(weft_graph_symbols(h), desc.layout.origin.dim[0], text, sizeof text), "max(N,8)");
  int64_t lo;
  int64_t hi;
  weft_dim_bounds(weft_graph_symbols(h), desc.layout.origin.dim[1], &lo, &hi);
  CHECK(lo == 8 && hi == 99);
  weft_graph_destroy(g);
  weft_graph_destroy(h);
  weft_env_destroy(e);
}

TEST(what_cannot_be_saved) {
  weft_env *e = new_env(NULL);
  weft_graph *g = NULL;
  weft_diag d = {0};
  int64_t handle = 1;
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  CHECK_OK(weft_tensor_borrow(&t, WEFT_RESOURCE, NULL, 0, &handle, 8, &d), &d);
  CHECK(weft_graph_const(g, "h", &t, WEFT_CONST_BORROW, &d) != NULL);
  file.n = 0;
  CHECK_FAILS(weft_graph_save(g, collect, &file, &d), WEFT_E_UNSUPPORTED);
  CHECK_HAS(d.text, "handles in constant 'h'");
  CHECK_INT(file.n, 0);
  weft_graph_destroy(g);
  weft_tensor_deinit(&t);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
