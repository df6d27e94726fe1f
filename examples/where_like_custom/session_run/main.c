// main.c - builds Data -> WhereLikeCustom in the process, infers it, runs it, prints the actual shape and
// values.
#include <stdio.h>

#include "weft/interp.h"
#include "where_like_custom.h"

static int failed(const weft_diag *d) {
  fprintf(stderr, "error: %s\n", d->text);
  return 1;
}

static void print_range(const weft_value *v) {
  weft_tensor_desc desc;
  char shape[64], max[64];
  weft_value_desc(v, &desc);
  fprintf(stderr, "inferred y: %s %s, range up to %s\n", weft_dtype_serial(desc.dtype),
          weft_shape_text(&desc.layout.origin, NULL, shape, sizeof shape),
          desc.has_range ? weft_shape_text(&desc.max, NULL, max, sizeof max) : "(none)");
}

static int run(weft_env *env, weft_graph *g, weft_diag *d) {
  bool mask[8] = {1, 0, 1, 0, 1, 0, 0, 1};
  weft_value *x = weft_graph_input(g, "x", WEFT_BOOL, (weft_dim[]){8}, 1, d), *y;
  if (!x || where_like_custom(g, "where", x, &y, d) || weft_graph_output(g, y, d)) return failed(d);
  if (weft_graph_infer(g, NULL, NULL, d)) return failed(d);
  print_range(y);
  weft_tensor in, out;
  const weft_tensor *inputs[] = {&in};
  weft_tensor_init(&in, weft_env_allocator(env));
  if (weft_tensor_borrow(&in, WEFT_BOOL, (weft_dim[]){8}, 1, mask, sizeof mask, d)) return failed(d);
  if (weft_interp_run(g, NULL, inputs, 1, &out, 1, d)) return failed(d);
  char shape[64];
  const int64_t *values = weft_tensor_i64(&out);
  // The documents print a shape with ", " between the dims.
  snprintf(shape, sizeof shape, "[%lld, %lld]", (long long)out.layout.origin.dim[0],
           (long long)out.layout.origin.dim[1]);
  printf("output shape: %s\noutput values:", shape);
  for (int64_t i = 0; i < weft_tensor_elems(&out); i++) printf(" %lld", (long long)values[i]);
  printf("\n");
  weft_tensor_deinit(&out);
  return 0;
}

int main(void) {
  weft_diag d = {0};
  weft_env *env;
  weft_graph *g;
  if (weft_env_create(NULL, &env, &d)) return failed(&d);
  if (!weft_find(env, "WhereLikeCustom")) {
    fprintf(stderr,
            "error: WhereLikeCustom was not found: put the package's root into WEFT_OPP_PATH or "
            "ASCEND_CUSTOM_OPP_PATH\n");
    weft_env_destroy(env);
    return 1;
  }
  int status = weft_graph_create(env, "where_like_custom", &g, &d) ? failed(&d) : run(env, g, &d);
  weft_graph_destroy(g);
  weft_env_destroy(env);
  return status;
}
