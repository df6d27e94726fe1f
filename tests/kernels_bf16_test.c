// kernels_bf16_test.c - products with precision_mode=allow_fp32_to_bf16: each element within the bound of
// docs/precision.md of a sum in double, on random data and on data made to be rounded badly, for each
// instruction set, with dot products of bf16 and without; the same bits with 1, 2 and 7 threads; by the
// kernels of bf16. Without the option no such kernel runs. The same for AMX's tiles, in plain C, in every
// mode: three, two parts or one of bf16. Convolutions and attention: kernels_bf16_conv_test.c,
// kernels_bf16_attention_test.c.
#include "base/base.h"
#include "bf16_case.h"

static float *const a = bf16.a;
static float *const b = bf16.b;
static float *const c = bf16.c;

static bool one_product(rows *r, int kind) {
  static const size_t sizes[] = {1, 1, 2, 3, 4, 5, 7, 12, 14, 15, 17, 31, 32, 33, 65, 130};
  static const size_t inners[] = {0, 1, 2, 3, 7, 16, 17, 31, 33, 63, 64, 65, 257, 512, 1030, 2100};
  size_t rows_ = sizes[bf16_pick(16)];
  size_t cols = sizes[bf16_pick(16)];
  size_t k = inners[bf16_pick(16)];
  size_t batch = bf16_pick(4) ? 1 : 1 + bf16_pick(3);
  while (batch * (rows_ + cols) * k > 60000)
    k /= 2;
  bool turn_a = bf16_pick(4) == 0;
  bool turn_b = bf16_pick(2);
  bool constant = bf16_pick(3);
  bool shared = bf16_pick(2);
  bool bias = bf16_pick(2);
  size_t nb = shared ? 1 : batch;
  weft_dim da[3] = {(weft_dim)batch, (weft_dim)(turn_a ? k : rows_), (weft_dim)(turn_a ? rows_ : k)};
  weft_dim db[3] = {(weft_dim)nb, (weft_dim)(turn_b ? cols : k), (weft_dim)(turn_b ? k : cols)};
  char shape[64];
  bf16_fill(a, batch * rows_ * k, kind);
  bf16_fill(b, nb * k * cols, bf16_beside(kind));
  bf16_fill(c, cols, RANDOM);
  bf16.n = 0;
  bf16_put("graph \"g\" {\ninput a: f32[%d,%d,%d]\n", (int)da[0], (int)da[1], (int)da[2]);
  snprintf(shape, sizeof shape, "%d,%d,%d", (int)db[0], (int)db[1], (int)db[2]);
  if (constant)
    bf16_put_const('b', shape, b, nb * k * cols);
  else
    bf16_put("input b: f32[%s]\n", shape);
  snprintf(shape, sizeof shape, "%d", (int)cols);
  if (bias)
    bf16_put_const('c', shape, c, cols);
  bf16_put("node y: BatchMatMulV2(a, b%s) {adj_x1=%s, adj_x2=%s} -> y\noutput y\n}\n", bias ? ", c" : "",
           turn_a ? "true" : "false", turn_b ? "true" : "false");
  bf16_graph g;
  weft_tensor ta;
  weft_tensor tb;
  weft_tensor y;
  const weft_tensor *in[2] = {&ta, &tb};
  bool ok =
      bf16_borrow(&ta, a, da, 3) && bf16_borrow(&tb, b, db, 3) && bf16_open(r, bf16.way.option, false, &g);
  if (!ok)
    return false;
  ok = bf16_run(r, &g, in, constant ? 1 : 2, &y);
  for (size_t z = 0; ok && z < batch; z++) {
    for (size_t i = 0; ok && i < rows_; i++) {
      for (size_t j = 0; ok && j < cols; j++) {
        bf16_sum o = {0};
        const float *x = a + z * rows_ * k + (turn_a ? i : i * k);
        const float *w = b + (shared ? 0 : z) * k * cols + (turn_b ? j * k : j);
        bf16_add(&o, x, turn_a ? rows_ : 1, w, turn_b ? 1 : cols, k);
        float got = ((const float *)y.data)[(z * rows_ + i) * cols + j];
        ok = bf16_within(&o, bias ? (double)c[j] : 0, bf16.way.parts, got);
        if (!ok) {
          check_failed(__FILE__, __LINE__,
                       "%zu x (%zux%zu by %zux%zu), [%zu,%zu,%zu]: %.9g, exact %.9g, of %.9g", batch, rows_,
                       k, k, cols, z, i, j, (double)got, o.sum, o.size);
        }
      }
    }
  }
  if (ok && !(ok = bf16_runs_of(g.one, bf16.way.gemm) == 1))
    check_failed(__FILE__, __LINE__, "not by %s", bf16.way.gemm);
  weft_tensor_deinit(&y);
  bf16_close(&g);
  return ok;
}

BF16_EACH_VECTOR(products, one_product, 0)
BF16_EACH_TILE(products, one_product)

// ---- modes ----
static const char two_products[] =
    "graph \"g\" {\ninput a: f32[3,64]\nconst b: f32[64,4]{%s}\n"
    "node h: MatMulV2(a, b) -> h\nnode y: Relu(h) -> y\noutput y\n}\n";

static bool make_two(void) {
  bf16.n = 0;
  bf16.state = 5;
  static char numbers[8192];
  size_t n = 0;
  for (int i = 0; i < 256; i++)
    n += (size_t)snprintf(numbers + n, sizeof numbers - n, "%s%.9g", i ? "," : "", (double)bf16_unit());
  bf16.n = (size_t)snprintf(bf16.text, BF16_TEXT, two_products, numbers);
  return bf16.n < BF16_TEXT;
}

TEST(only_the_modes_that_allow_it_round) {
  static const struct {
    const char *option;
    size_t rounds;
  } modes[] = {{NULL, 0},
               {"precision_mode=must_keep_origin_dtype", 0},
               {"precision_mode=force_fp32", 0},
               {"precision_mode=allow_hf32", 0},
               {"precision_mode=allow_fp32_to_bf16", 1},
               {"precision_mode=allow_mix_precision", 1},
               {"precision_mode=allow_mix_precision_bf16", 1}};
  rows r;
  weft_tensor first;
  weft_tensor y;
  weft_tensor ta;
  weft_dim dim[2] = {3, 64};
  setenv("WEFT_BF16", "1!", 1);
  if (!rows_open(&r, "") || !make_two())
    return;
  bf16_fill(a, 192, RANDOM);
  const weft_tensor *in[1] = {&ta};
  CHECK(bf16_borrow(&ta, a, dim, 2));
  weft_tensor_init(&first, NULL);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    bf16_graph g;
    if (!bf16_open(&r, modes[i].option, false, &g))
      break;
    CHECK(bf16_run(&r, &g, in, 1, i ? &y : &first));
    CHECK_INT(bf16_runs_of(g.one, "bf16"), modes[i].rounds);
    if (i) {
      CHECK_INT(!memcmp(y.data, first.data, y.bytes), !modes[i].rounds);
      weft_tensor_deinit(&y);
    }
    bf16_close(&g);
  }
  weft_tensor_deinit(&first);
  rows_close(&r);
  unsetenv("WEFT_BF16");
}

TEST(other_modes_are_refused_by_name) {
  static const char *const modes[] = {
      "force_fp16", "allow_fp32_to_fp16", "allow_mix_precision_fp16", "cube_fp16in_fp32out",
      "",           "ALLOW_FP32_TO_BF16"};
  rows r;
  if (!rows_open(&r, ""))
    return;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    char option[64];
    const char *list[1] = {option};
    weft_compile_options o = {.size = sizeof o, .options = list, .n_options = 1};
    weft_graph *g;
    weft_program *p;
    snprintf(option, sizeof option, "precision_mode=%s", modes[i]);
    if (!make_two() || weft_graph_parse(r.env, bf16.text, bf16.n, "test", &g, &r.d))
      break;
    CHECK_INT(weft_compile(g, &o, &p, &r.d), WEFT_E_INVALID);
    CHECK(strstr(r.d.text, "must_keep_origin_dtype") != NULL);
    CHECK(strstr(r.d.text, modes[i]) != NULL);
    weft_diag_clear(&r.d);
  }
  rows_close(&r);
}

// A program that was saved is run as it was compiled; compiling without the option forgets what the model
// says.
TEST(a_program_keeps_its_mode) {
  rows r;
  bf16_graph g;
  weft_program *back;
  weft_exec *x;
  weft_exec_options o = {.size = sizeof o, .threads = 1, .profile = true};
  weft_tensor y;
  weft_tensor ta;
  weft_tensor *out[1] = {&y};
  const weft_tensor *in[1] = {&ta};
  weft_dim dim[2] = {3, 64};
  weft_text text;
  setenv("WEFT_BF16", "1!", 1);
  if (!rows_open(&r, "") || !make_two() || !bf16_open(&r, bf16_mode, false, &g))
    return;
  bf16_fill(a, 192, RANDOM);
  CHECK(bf16_borrow(&ta, a, dim, 2));
  weft__text_init(&text, weft_env_allocator(r.env));
  CHECK_OK(weft_program_save(g.p, weft__text_write, &text, &r.d), &r.d);
  CHECK_OK(weft_program_load_memory(r.env, text.v, text.n, &back, &r.d), &r.d);
  CHECK_OK(weft_exec_create(back, &o, &x, &r.d), &r.d);
  weft_tensor_init(&y, NULL);
  CHECK_OK(weft_exec_run(x, in, 1, out, 1, &r.d), &r.d);
  CHECK_INT(bf16_runs_of(x, "gemm-bf16"), 1);
  weft_tensor_deinit(&y);
  weft_exec_destroy(x);
  weft_program_release(back);
  bf16_close(&g);
  weft__text_deinit(&text);
  rows_close(&r);
  unsetenv("WEFT_BF16");
}
// SPDX-License-Identifier: Apache-2.0
