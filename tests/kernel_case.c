// kernel_case.c - see kernel_case.h.
#include "kernel_case.h"
#include "base/base.h"
#include "check.h"
#include "run_util.h"

static const char *const isas[] = {"plain", "avx2", "avx512"};

static uint64_t next(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return *state >> 33;
}

static void fill(weft_tensor *t, uint64_t *state, bool special) {
  static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1.0, -1.0, 100};
  for (int64_t i = 0; i < weft_tensor_elems(t); i++) {
    double v = (double)next(state) / (double)(UINT64_C(1) << 31) * 8 - 4;
    uint64_t z = next(state);
    if (special && z % 5 == 0)
      v = odd[z / 5 % 8];
    if (t->dtype == WEFT_BOOL)
      ((uint8_t *)t->data)[i] = z & 1;
    else if (weft_dtype_is_float(t->dtype))
      weft_store_f64(t->dtype, t->data, (size_t)i, v);
    else
      weft_store_i64(t->dtype, t->data, (size_t)i, (int64_t)(z % 1000) - 300);
    if (!special && !weft_dtype_is_float(t->dtype) && t->dtype != WEFT_BOOL &&
        !weft_load_i64(t->dtype, t->data, (size_t)i))
      weft_store_i64(t->dtype, t->data, (size_t)i, 7);  // something to divide by
  }
}

static bool alike(const weft_tensor *a, const weft_tensor *b, double rtol, weft_diag *d) {
  double most = 0;
  if (!rtol || !weft_dtype_is_float(b->dtype))
    return weft_tensor_compare(a, b, 0, 0, d) == 0;
  for (int64_t i = 0; i < weft_tensor_elems(b); i++) {
    double v = fabs(weft_load_f64(b->dtype, b->data, (size_t)i));
    if (isfinite(v) && v > most)
      most = v;
  }
  return weft_tensor_compare(a, b, rtol, rtol * WEFT_MIN(most, 10), d) == 0;
}

enum { MAX_IN = 8, MAX_OUT = 8 };
// Compiles the graph as it stands (g is given away) and runs it beside the interpreter (h).
static bool run_case(weft_graph *g, weft_graph *h, const one_case *c, const char *isa, uint64_t seed,
                     weft_diag *d) {
  const weft_compile_options plain = {
      .size = sizeof plain, .options = (const char *const[]){"passes=0"}, .n_options = 1};
  const weft_exec_options profile = {.size = sizeof profile, .profile = true};
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_tensor in[MAX_IN];
  weft_tensor want[MAX_OUT];
  weft_tensor got[MAX_OUT];
  weft_tensor *out[MAX_OUT];
  const weft_tensor *ins[MAX_IN];
  size_t n_in = weft_graph_n_inputs(h);
  size_t n_out = weft_graph_n_outputs(h);
  weft_status s = weft_compile(g, &plain, &p, d);
  if (!s)
    s = weft_exec_create(p, &profile, &x, d);
  bool ok = !s;
  for (uint64_t round = 0; ok && round < 2; round++) {
    uint64_t state = seed * 31 + round;
    for (size_t i = 0; i < n_in && !s; i++) {
      weft_tensor_desc desc;
      weft_value_desc(weft_graph_input_at(h, i), &desc);
      weft_tensor_init(&in[i], NULL);
      ins[i] = &in[i];
      s = weft_tensor_alloc(&in[i], desc.dtype, desc.layout.origin.dim, desc.layout.origin.rank, d);
      in[i].format = desc.format;
      in[i].origin_format = desc.origin_format;
      if (!s)
        fill(&in[i], &state, round == 1 && !c->finite);
    }
    weft_diag e = {0};
    weft_status expected = weft_interp_run(h, NULL, ins, n_in, want, n_out, &e);
    for (size_t i = 0; i < n_out; i++) {
      weft_tensor_init(&got[i], NULL);
      out[i] = &got[i];
    }
    s = weft_exec_run(x, ins, n_in, out, n_out, d);
    ok = s == expected;
    if (!ok) {
      check_failed(__FILE__, __LINE__, "%s: gave %d, the interpreter %d (%s)", isa, (int)s, (int)expected,
                   e.text);
    }
    for (size_t i = 0; i < n_out && ok && !s; i++)
      ok = alike(&got[i], &want[i], c->rtol, d);
    const weft_launch_record *r;
    size_t n = weft_exec_profile(x, &r);
    size_t by_kernel = 0;
    for (size_t i = 0; i < n; i++)
      by_kernel += strcmp(r[i].kernel, "reference") != 0;
    if (ok && !s && n && !c->reference != (by_kernel == n)) {
      ok = false;
      weft_fail(d, WEFT_E_STATE, "%zu of %zu launches by kernels", by_kernel, n);
    }
    for (size_t i = 0; i < n_in; i++)
      weft_tensor_deinit(&in[i]);
    for (size_t i = 0; i < n_out; i++) {
      weft_tensor_deinit(&want[i]);
      weft_tensor_deinit(&got[i]);
    }
  }
  weft_exec_destroy(x);
  weft_program_release(p);
  return ok;
}

weft_status case_hold(weft_env *e, const one_case *c, uint64_t seed) {
  weft_status s = WEFT_OK;
  for (size_t k = 0; k < WEFT_COUNT(isas) && !s; k++) {
    weft_diag d = {0};
    weft_graph *g = NULL;
    weft_graph *h = NULL;
    if (!lower_isa(isas[k]))
      continue;
    isa_again(e);
    s = weft_graph_parse(e, c->text, strlen(c->text), "case", &g, &d);
    if (!s)
      s = weft_graph_parse(e, c->text, strlen(c->text), "case", &h, &d);
    if (!s)
      s = weft_graph_infer(h, NULL, NULL, &d);
    if (s) {
      weft_graph_destroy(g);
      if (s != WEFT_E_DTYPE)
        check_failed(__FILE__, __LINE__, "%s\n%s", d.text, c->text);
    } else if (!run_case(g, h, c, isas[k], seed, &d)) {
      check_failed(__FILE__, __LINE__, "%s: %s\n%s", isas[k], d.text, c->text);
      s = WEFT_E_DIFFERENT;
    }
    weft_graph_destroy(h);
  }
  unsetenv("WEFT_ISA");
  isa_again(e);
  return s;
}

weft_env *case_env(void) {
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  weft_env *e = NULL;
  weft_diag d = {0};
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

void cases_hold(const one_case *cases, size_t n) {
  weft_env *e = case_env();
  for (size_t i = 0; e && i < n; i++)
    CHECK_INT(case_hold(e, &cases[i], i), 0);
  weft_env_destroy(e);
}

// Operators that hand numbers on as they are.
static bool only_moves(const char *text) {
  static const char *const names[] = {"GatherV2", "Transpose", "Concat",   "Split", "Slice",
                                      "Pad(",     "PadV3",     "Expand",   "Broad", "Tile(",
                                      "MaxPool",  "ReduceM",   "SelectV2", "Resize"};
  if (strstr(text, "ReduceMean") || strstr(text, "linear") || strstr(text, "cubic"))
    return false;
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    if (strstr(text, names[i]))
      return true;
  }
  return false;
}

// The scales of Resize, constants, stay f32; those of other operators are of the dtype of the inputs.
void cases_hold_in_other_dtypes(const one_case *cases, size_t n, int floats, int moved) {
  static const char *const types[] = {"f16", "bf16", "f64", "bool", "i8", "u8", "i16", "i32", "i64"};
  weft_env *e = case_env();
  int bad = 0;
  int ran[WEFT_COUNT(types)] = {0};
  char text[1024];
  for (size_t i = 0; e && i < n && bad < 5; i++) {
    for (size_t t = 0; t < WEFT_COUNT(types); t++) {
      one_case c = cases[i];
      bool moves = only_moves(c.text);
      if (!strstr(c.text, "f32[") ||
          (t > 1 && (!moves || c.reference || strstr(c.text, "Pool") || strstr(c.text, "ReduceM") ||
                     strstr(c.text, "PadV3") || strstr(c.text, "Select"))))
        continue;
      c.text = text;
      c.rtol = moves ? 0 : WEFT_MAX(c.rtol, t ? 1.6e-2 : 2e-3);
      weft_status got = WEFT_E_DTYPE;
      for (int only = strstr(cases[i].text, "Resize") != NULL; only < 2 && got == WEFT_E_DTYPE; only++) {
        run_retype(cases[i].text, types[t], only, text, sizeof text);
        got = case_hold(e, &c, i * 10 + t);
      }
      bad += got && got != WEFT_E_DTYPE;
      ran[t] += !got;
    }
  }
  for (size_t t = 0; t < WEFT_COUNT(types); t++) {
    if (ran[t] < (t < 2 ? floats : moved))
      check_failed(__FILE__, __LINE__, "%d cases of %s", ran[t], types[t]);
  }
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
