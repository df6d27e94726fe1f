// fuzz_run.c - any bytes as an ONNX model, all the way: read, compiled, planned, and run on small inputs with
// limits of memory and time. The first byte chooses passes and what the inputs hold; the model lies behind
// it.
#include "fuzz.h"

int fuzz_came_to = FUZZ_REFUSED;  // the last input, for mutate.c

enum { FUZZ_INPUTS = 16, FUZZ_OUTPUTS = 16, FUZZ_DIM = 3, FUZZ_ELEMS = 1 << 16 };

// A tensor for an input: open dims get a small size, elements are small numbers. False: not a tensor, or a
// large one.
static bool fuzz_input(const weft_value *v, uint8_t how, weft_tensor *t) {
  weft_tensor_desc desc;
  weft_dim dims[WEFT_MAX_RANK];
  int64_t elems = 1;
  weft_value_desc(v, &desc);
  const weft_shape *s = &desc.layout.origin;
  if (desc.kind != WEFT_KIND_TENSOR || desc.dtype == WEFT_STRING)
    return false;
  size_t rank = weft_shape_is_unknown_rank(s) ? 1 : s->rank;
  for (size_t i = 0; i < rank; i++) {
    dims[i] = weft_shape_is_unknown_rank(s) || s->dim[i] < 0 ? FUZZ_DIM : s->dim[i];
    if (dims[i] > FUZZ_ELEMS || (elems *= dims[i]) > FUZZ_ELEMS)
      return false;
  }
  if (weft_tensor_alloc(t, desc.dtype, dims, rank, NULL))
    return false;
  if (t->bytes)
    memset(t->data, 0, t->bytes);
  for (int64_t i = 0; i < elems && weft_dtype_is_integer(desc.dtype); i++)
    weft_store_i64(desc.dtype, t->data, (size_t)i, (int8_t)(how * 37 + i * (how & 3)) % 5);
  return true;
}

static void fuzz_execute(const weft_env *e, weft_program *p, uint8_t how) {
  weft_exec_options o = {.size = sizeof o, .memory_limit_bytes = 8 << 20, .time_limit_ns = 1000000000};
  const weft_graph *g = weft_program_graph(p);
  weft_tensor in[FUZZ_INPUTS];
  weft_tensor out[FUZZ_OUTPUTS];
  weft_tensor *outs[FUZZ_OUTPUTS];
  const weft_tensor *ins[FUZZ_INPUTS];
  weft_exec *x = NULL;
  weft_diag d = {0};
  size_t n_in = weft_graph_n_inputs(g);
  size_t n_out = weft_graph_n_outputs(g);
  size_t made = 0;
  if (n_in > FUZZ_INPUTS || n_out > FUZZ_OUTPUTS || weft_exec_create(p, &o, &x, &d))
    return;
  for (size_t i = 0; i < n_out; i++) {
    weft_tensor_init(&out[i], weft_env_allocator(e));
    outs[i] = &out[i];
  }
  for (; made < n_in; made++) {
    weft_tensor_init(&in[made], NULL);
    ins[made] = &in[made];
    if (!fuzz_input(weft_graph_input_at(g, made), how, &in[made]))
      break;
  }
  for (int round = 0; made == n_in && round < 2; round++) {  // once with new shapes, once with those seen
    weft_diag_clear(&d);
    weft_status s = weft_exec_run(x, ins, n_in, outs, n_out, &d);
    FUZZ_CHECK_DIAG(s, &d);
    if (!s)
      fuzz_came_to = FUZZ_RAN;
  }
  for (size_t i = 0; i < WEFT_MIN(made + 1, n_in); i++)
    weft_tensor_deinit(&in[i]);
  for (size_t i = 0; i < n_out; i++)
    weft_tensor_deinit(&out[i]);
  weft_exec_destroy(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  static const char *const plain[] = {"passes=0"};
  weft_env *e = fuzz_env(&env, &memory);
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_program *p = NULL;
  fuzz_came_to = FUZZ_REFUSED;
  if (!bytes || bytes > FUZZ_INPUT_BYTES)
    return 0;
  weft_compile_options c = {.size = sizeof c, .options = plain, .n_options = data[0] & 1};
  weft_status s = weft_onnx_read(e, data + 1, bytes - 1, "fuzz.onnx", &g, &d);
  if (s)
    return 0;
  fuzz_came_to = FUZZ_READ;
  s = weft_compile(g, &c, &p, &d);
  FUZZ_CHECK_DIAG(s, &d);
  if (!s)
    fuzz_came_to = FUZZ_COMPILED;
  if (!s)
    fuzz_execute(e, p, data[0] >> 1);
  weft_program_release(p);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
