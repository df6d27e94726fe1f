// main.c - builds Data -> WhereLikeCustom in the process, puts it into a session, runs it, prints the actual
// shape and values.
#include <stdio.h>

#include "weft/compile.h"
#include "where_like_custom.h"

static int failed(const weft_diag *d) {
  fprintf(stderr, "error: %s\n", d->text);
  return 1;
}

// Data -> WhereLikeCustom: [8] in, [-1, 1] out, which makes it a dynamic graph.
static weft_status build(weft_env *env, weft_graph **g, weft_diag *d) {
  WEFT_TRY(weft_graph_create(env, "where_like_custom", g, d));
  weft_value *x = weft_graph_input(*g, "x", WEFT_BOOL, (weft_dim[]){8}, 1, d);
  weft_value *y;
  weft_status s = x ? where_like_custom(*g, "where", x, &y, d) : d->status;
  if (!s)
    s = weft_graph_output(*g, y, d);
  if (s)
    weft_graph_destroy(*g);
  return s;
}

static weft_status run(weft_session *session, weft_tensor *out, weft_diag *d) {
  bool mask[8] = {1, 0, 1, 0, 1, 0, 0, 1};
  weft_tensor in;
  weft_tensor_init(&in, NULL);
  WEFT_TRY(weft_tensor_borrow(&in, WEFT_BOOL, (weft_dim[]){8}, 1, mask, sizeof mask, d));
  return weft_session_run(session, 0, (const weft_tensor *[]){&in}, 1, (weft_tensor *[]){out}, 1, d);
}

static void print(const weft_tensor *out) {
  const int64_t *values = weft_tensor_i64(out);
  const weft_dim *dims = out->layout.origin.dim;  // the documents print a shape with ", " between the dims
  printf("output shape: [%lld, %lld]\noutput values:", (long long)dims[0], (long long)dims[1]);
  for (int64_t i = 0; i < weft_tensor_elems(out); i++)
    printf(" %lld", (long long)values[i]);
  printf("\n");
}

static int session_run(weft_env *env, weft_diag *d) {
  weft_session *session;
  weft_graph *g;
  weft_tensor out;
  weft_tensor_init(&out, NULL);
  if (weft_session_create(env, NULL, &session, d))
    return failed(d);
  weft_status s = build(env, &g, d);
  if (!s)
    s = weft_session_add_graph(session, 0, g, NULL, d);
  if (!s)
    s = run(session, &out, d);
  weft_session_destroy(session);
  if (s)
    return failed(d);
  print(&out);  // the output is ours: it outlives the session
  weft_tensor_deinit(&out);
  return 0;
}

int main(void) {
  weft_diag d = {0};
  weft_env *env;
  if (weft_env_create(NULL, &env, &d))
    return failed(&d);
  if (!weft_find(env, "WhereLikeCustom")) {
    fprintf(stderr,
            "error: WhereLikeCustom was not found: put the package's root into WEFT_OPP_PATH or "
            "ASCEND_CUSTOM_OPP_PATH\n");
    weft_env_destroy(env);
    return 1;
  }
  int status = session_run(env, &d);
  weft_env_destroy(env);
  return status;
}
// SPDX-License-Identifier: Apache-2.0
