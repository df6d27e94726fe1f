// fuzz_program.c - any bytes as a program file: loaded, saved and loaded again, planned, printed and run with
// zeros. Lengths and checksums are put right first, so that what lies behind them is reached; the bytes as
// they are, are tried too. What a file says may be wrong in any way, the weights included: errors are fine,
// memory and time are bounded.
#include "graph_file.h"

enum { HEAD = 64, ENTRY = 24, ALIGN = 64, RUN_BYTES = 4 << 20, RUN_NS = 200000000, DIM = 3 };

static void put_right(uint8_t *p, size_t bytes) {
  if (bytes < HEAD)
    return;
  memcpy(p, "WEFTPROG", 8);
  fuzz_put(p + 16, 8, bytes);
  uint64_t n = fuzz_get(p + 12, 4);
  uint64_t at = HEAD;
  if (n > (bytes - HEAD) / ENTRY)
    return;
  at += n * ENTRY;
  for (uint64_t i = 0; i < n; i++) {
    uint8_t *e = p + HEAD + i * ENTRY;
    uint64_t size = fuzz_get(e + 16, 8);
    for (; at % ALIGN && at < bytes; at++)
      p[at] = 0;
    if (size > bytes - at)
      size = bytes - at;
    if (i + 1 == n && bytes - at - size >= ALIGN)
      size = bytes - at;
    fuzz_put(e + 8, 8, at);
    fuzz_put(e + 16, 8, size);
    bool graph = !memcmp(e, "GRPH", 4);
    bool weights = !memcmp(e, "WGHT", 4) || !memcmp(e, "PDAT", 4);
    if (graph)
      fuzz_graph_file(p + at, (size_t)size);
    fuzz_put(e + 4, 4, graph || weights ? 0 : weft__crc32(p + at, (size_t)size, 0));
    at += size;
  }
  for (; at < bytes; at++)
    p[at] = 0;
  memset(p + 28, 0, HEAD - 28);
  fuzz_put(p + 24, 4, weft__crc32(p + HEAD, (size_t)n * ENTRY, 0));
}

// Saved, loaded and saved again: equal bytes.
static void round_trip(weft_env *e, const weft_program *p) {
  weft_diag d = {0};
  weft_program *b = NULL;
  weft_text file = fuzz_text();
  weft_text file_b = fuzz_text();
  weft_status s = weft_program_save(p, weft__text_write, &file, &d);
  FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s", d.text);
  if (!s)
    s = weft_program_load_memory(e, file.v, file.n, &b, &d);
  FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s", d.text);
  if (!s)
    s = weft_program_verify(b, &d);
  if (!s)
    s = weft_program_save(b, weft__text_write, &file_b, &d);
  FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s", d.text);
  FUZZ_CHECK(s || (file.n == file_b.n && !memcmp(file.v, file_b.v, file.n)), "the files differ");
  weft_program_release(b);
  weft__text_deinit(&file);
  weft__text_deinit(&file_b);
}

// Zeros of a shape that fits the description, dims that are not known small. False: there is none.
static bool zeros(const weft_program *p, size_t i, weft_tensor *t) {
  weft_tensor_desc desc;
  weft_dim dims[WEFT_MAX_RANK];
  weft_diag d = {0};
  int64_t n = 1;
  weft_program_input(p, i, &desc);
  const weft_shape *s = &desc.layout.origin;
  size_t rank = weft_shape_is_unknown_rank(s) ? 1 : s->rank;
  if (desc.kind != WEFT_KIND_TENSOR || rank > WEFT_MAX_RANK)
    return false;
  for (size_t k = 0; k < rank; k++) {
    dims[k] = weft_shape_is_unknown_rank(s) || s->dim[k] < 0 ? DIM : s->dim[k];
    if (desc.has_range && s->dim[k] < 0)
      dims[k] = desc.min.dim[k];
    if (dims[k] > RUN_BYTES || (n *= dims[k]) > RUN_BYTES / 16)
      return false;
  }
  return !weft_tensor_alloc(t, desc.dtype, dims, rank, &d);
}

static void run(weft_program *p, weft_exec *x) {
  enum { MOST = 16 };
  size_t n_in = weft_program_n_inputs(p);
  size_t n_out = weft_program_n_outputs(p);
  weft_tensor in[MOST];
  weft_tensor out[MOST];
  weft_tensor *outs[MOST];
  const weft_tensor *ins[MOST];
  if (n_in > MOST || n_out > MOST)
    return;
  bool good = true;
  const weft_allocator *a = weft_env_allocator(weft_graph_env(weft_program_graph(p)));
  for (size_t i = 0; i < MOST; i++) {
    weft_tensor_init(&in[i], a);
    weft_tensor_init(&out[i], a);
    ins[i] = &in[i];
    outs[i] = &out[i];
  }
  for (size_t i = 0; i < n_in && good; i++)
    good = zeros(p, i, &in[i]);
  for (int k = 0; k < 2 && good; k++) {
    weft_diag d = {0};
    weft_status s = weft_exec_run(x, ins, n_in, outs, n_out, &d);
    FUZZ_CHECK_DIAG(s, &d);
  }
  for (size_t i = 0; i < MOST; i++) {
    weft_tensor_deinit(&in[i]);
    weft_tensor_deinit(&out[i]);
  }
}

static void load(weft_env *e, fuzz_memory *memory, const uint8_t *data, size_t bytes) {
  weft_diag d = {0};
  weft_program *p = NULL;
  weft_exec *x = NULL;
  char sink;
  memory->strict = true;
  weft_status s = weft_program_load_memory(e, data, bytes, &p, &d);
  memory->strict = false;
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(!s == !!p, "%s", d.text);
  if (!p)
    return;
  weft_diag_clear(&d);
  s = weft_program_verify(p, &d);
  FUZZ_CHECK_DIAG(s, &d);
  round_trip(e, p);
  weft_exec_options o = {
      .size = sizeof o, .threads = 1, .memory_limit_bytes = RUN_BYTES, .time_limit_ns = RUN_NS};
  weft_diag_clear(&d);
  s = weft_exec_create(p, &o, &x, &d);
  FUZZ_CHECK_DIAG(s, &d);
  if (x) {
    weft_memory_plan m = {.size = sizeof m};
    weft_diag_clear(&d);
    s = weft_exec_prepare(x, NULL, 0, &m, &d);
    FUZZ_CHECK_DIAG(s, &d);
    weft_diag_clear(&d);
    (void)!weft_exec_print_plan(x, fuzz_drop, &sink, &d);
    run(p, x);
  }
  weft_exec_destroy(x);
  weft_program_release(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  weft_env *e = fuzz_env(&env, &memory);
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  uint8_t *copy = malloc(bytes ? bytes : 1);
  FUZZ_CHECK(copy, "no memory");
  load(e, &memory, data, bytes);
  if (bytes)
    memcpy(copy, data, bytes);
  put_right(copy, bytes);
  if (bytes && memcmp(copy, data, bytes))
    load(e, &memory, copy, bytes);
  free(copy);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
