// main.c - ten lines of an embedder: a graph, its shapes, its result.
#include <stdio.h>
#include <weft/weft.h>

int main(void) {
  weft_diag d = {0};
  weft_env *env;
  weft_graph *g;
  weft_value *y;
  weft_tensor in;
  weft_tensor out;
  float data[3] = {-1, 0, 2};
  const weft_tensor *inputs[] = {&in};
  if (weft_env_create(NULL, &env, &d) || weft_graph_create(env, "g", &g, &d))
    return 1;
  weft_value *x = weft_graph_input(g, "x", WEFT_FLOAT, (weft_dim[]){-1}, 1, &d);
  weft_tensor_init(&in, NULL);
  if (!x || weft_graph_op1(g, "Relu", "relu", &x, 1, &y, &d) || weft_graph_output(g, y, &d) ||
      weft_graph_infer(g, NULL, NULL, &d) ||
      weft_tensor_borrow(&in, WEFT_FLOAT, (weft_dim[]){3}, 1, data, sizeof data, &d) ||
      weft_interp_run(g, NULL, inputs, 1, &out, 1, &d)) {
    fprintf(stderr, "%s\n", d.text);
    return 1;
  }
  const float *v = weft_tensor_f32(&out);
  printf("weft %s: relu(-1, 0, 2) = %g, %g, %g\n", weft_version(), v[0], v[1], v[2]);
  weft_tensor_deinit(&out);
  weft_graph_destroy(g);
  weft_env_destroy(env);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
