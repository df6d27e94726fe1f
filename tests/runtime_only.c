// runtime_only.c - runs a program file with inputs counting up by a quarter, with nothing linked but the
// runtime, and prints what comes out as one-line text.
#include <stdio.h>
#include <stdlib.h>

#include "weft/run.h"

static weft_status to_stdout(void *ctx, const char *text, size_t bytes) {
  (void)ctx;
  return fwrite(text, 1, bytes, stdout) == bytes ? WEFT_OK : WEFT_E_IO;
}

static weft_status fill(const weft_program *p, size_t i, weft_tensor *t, weft_diag *d) {
  weft_tensor_desc desc;
  weft_dim dims[WEFT_MAX_RANK];
  weft_program_input(p, i, &desc);
  for (size_t k = 0; k < desc.layout.origin.rank; k++)
    dims[k] = desc.layout.origin.dim[k] < 0 ? 2 : desc.layout.origin.dim[k];
  WEFT_TRY(weft_tensor_alloc(t, desc.dtype, dims, desc.layout.origin.rank, d));
  for (int64_t k = 0; desc.dtype == WEFT_FLOAT && k < weft_tensor_elems(t); k++)
    ((float *)t->data)[k] = 0.25f * (float)k;
  return WEFT_OK;
}

static weft_status work(weft_env *e, const char *path, weft_diag *d) {
  enum { MOST = 8 };
  weft_program *p;
  weft_exec *x = NULL;
  weft_tensor in[MOST];
  weft_tensor out[MOST];
  weft_tensor *outs[MOST];
  const weft_tensor *ins[MOST];
  WEFT_TRY(weft_program_load(e, path, &p, d));
  size_t n_in = weft_program_n_inputs(p);
  size_t n_out = weft_program_n_outputs(p);
  weft_status s = weft_program_verify(p, d);
  if (!s && (n_in > MOST || n_out > MOST))
    s = weft_fail(d, WEFT_E_LIMIT, "more than %d inputs or outputs", MOST);
  for (size_t i = 0; i < MOST; i++) {
    weft_tensor_init(&in[i], NULL);
    weft_tensor_init(&out[i], NULL);
    ins[i] = &in[i];
    outs[i] = &out[i];
  }
  for (size_t i = 0; !s && i < n_in; i++)
    s = fill(p, i, &in[i], d);
  if (!s)
    s = weft_exec_create(p, NULL, &x, d);
  if (!s)
    s = weft_exec_run(x, ins, n_in, outs, n_out, d);
  for (size_t i = 0; !s && i < n_out; i++) {
    s = weft_tensor_print(&out[i], 16, to_stdout, NULL);
    printf("\n");
  }
  for (size_t i = 0; i < MOST; i++) {
    weft_tensor_deinit(&in[i]);
    weft_tensor_deinit(&out[i]);
  }
  weft_exec_destroy(x);
  weft_program_release(p);
  return s;
}

int main(int argc, char **argv) {
  weft_env *e;
  weft_diag d = {0};
  weft_env_options o = {.package_path = ""};
  if (argc != 2)
    return 2;
  weft_status s = weft_env_create(&o, &e, &d);
  if (!s) {
    s = work(e, argv[1], &d);
    weft_env_destroy(e);
  }
  if (s)
    fprintf(stderr, "runtime_only: %s\n", d.text);
  return s != WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
