// shared_test.c - constants that are found by their content.
#include "check.h"
#include "ir/ir.h"

static weft_value *make(weft_graph *g, const int64_t *v, size_t n, bool scalar) {
  weft_diag d = {0};
  weft_tensor t;
  weft_dim dim = (weft_dim)n;
  weft_tensor_init(&t, NULL);
  CHECK(!weft_tensor_borrow(&t, WEFT_INT64, &dim, !scalar, (void *)(uintptr_t)v, n * sizeof *v, &d));
  weft_value *found = weft__const_find(g, &t);
  if (!found) {
    found = weft_graph_const(g, NULL, &t, WEFT_CONST_COPY, &d);
    CHECK(found != NULL);
    if (found)
      CHECK(!weft__const_share(found, &d));
  }
  weft_tensor_deinit(&t);
  return found;
}

TEST(equal_constants_are_one) {
  weft_diag d = {0};
  weft_env *e;
  weft_graph *g;
  static const int64_t v[9] = {1, 0, 1, 0};
  CHECK_OK(weft_env_create(NULL, &e, &d), &d);
  CHECK_OK(weft_graph_create(e, "g", &g, &d), &d);
  weft_value *a = make(g, v, 2, false);
  CHECK(make(g, v + 2, 2, false) == a);
  CHECK(make(g, v + 1, 2, false) != a);  // other bytes
  weft_value *one = make(g, v, 1, false);
  CHECK(one != a && make(g, v, 1, true) != one);  // [1] and a scalar
  CHECK(make(g, v, 0, false) == make(g, v, 0, false));
  CHECK(make(g, v, 9, false) != make(g, v, 9, false));  // 72 bytes: not small
  CHECK_OK(weft__const_remove(a, &d), &d);
  weft_value *again = make(g, v, 2, false);
  CHECK(again != a && make(g, v, 2, false) == again);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
