// maker.c - see maker.h.
#include "maker.h"

#include <stdarg.h>

#include "base/base.h"

void maker_begin(maker *m, uint64_t seed) {
  m->n = 0;
  m->n_in = 0;
  m->seed = seed;
  m->state = seed * 977 + 5;
  m->text[0] = 0;
}

uint64_t pick(maker *m, uint64_t n) {
  m->state = m->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (m->state >> 33) % n;
}

void put(maker *m, const char *fmt, ...) {
  va_list v;
  va_start(v, fmt);
  int n = vsnprintf(m->text + m->n, MAKER_TEXT - m->n, fmt, v);
  va_end(v);
  if (n < 0 || (size_t)n >= MAKER_TEXT - m->n)
    check_failed(__FILE__, __LINE__, "a case is longer than %d bytes", MAKER_TEXT);
  else
    m->n += (size_t)n;
}

void put_decimal(maker *m, int64_t n, unsigned places) {
  char text[32];
  size_t at = sizeof text;
  uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
  for (unsigned i = 0; i <= places || left; i++) {
    if (i && i == places)
      text[--at] = '.';
    text[--at] = (char)('0' + left % 10);
    left /= 10;
  }
  if (n < 0)
    text[--at] = '-';
  if (sizeof text - at >= MAKER_TEXT - m->n)
    check_failed(__FILE__, __LINE__, "a case is longer than %d bytes", MAKER_TEXT);
  else {
    memcpy(m->text + m->n, text + at, sizeof text - at);
    m->n += sizeof text - at;
    m->text[m->n] = 0;
  }
}

void put_dims(maker *m, const int64_t *dim, size_t rank) {
  for (size_t i = 0; i < rank; i++)
    put(m, "%s%lld", i ? "," : "", (long long)dim[i]);
}

void put_list(maker *m, const char *name, const int64_t *v, size_t n) {
  put(m, "%s=[", name);
  put_dims(m, v, n);
  put(m, "]");
}

static void put_type(maker *m, const char *what, const char *name, weft_dtype t, const int64_t *dim,
                     size_t rank) {
  put(m, "%s %s: %s[", what, name, weft_dtype_name(t));
  put_dims(m, dim, rank);
  put(m, "]");
}

void put_input(maker *m, const char *name, weft_dtype t, const int64_t *dim, size_t rank) {
  put_type(m, "input", name, t, dim, rank);
  put(m, "\n");
  if (m->n_in == MAKER_INPUTS || weft_shape_init(&m->in[m->n_in].shape, dim, rank)) {
    check_failed(__FILE__, __LINE__, "input %s: one too many, or no shape", name);
    return;
  }
  snprintf(m->in[m->n_in].name, sizeof m->in[0].name, "%s", name);
  m->in[m->n_in++].dtype = t;
}

void put_const(maker *m, const char *name, weft_dtype t, const int64_t *dim, size_t rank,
               void (*value)(maker *m, weft_dtype t)) {
  size_t n = 1;
  for (size_t i = 0; i < rank; i++)
    n *= (size_t)dim[i];
  put_type(m, "const", name, t, dim, rank);
  put(m, "{");
  for (size_t i = 0; i < n && m->n + 1 < MAKER_TEXT; i++) {
    if (i)
      m->text[m->n++] = ',';
    value(m, t);
  }
  put(m, "}\n");
}

// ---- running ----
// In the middle of a cache line, and to the end of its memory.
static bool place(const weft_shape *s, weft_dtype type, weft_tensor *out, void **out_memory) {
  int64_t n;
  size_t each = weft_dtype_bits(type) / 8;
  weft_diag d = {0};
  weft_tensor_init(out, NULL);
  return !weft_shape_elems(s, &n) && (*out_memory = malloc(((size_t)n + 1) * each)) != NULL &&
         !weft_tensor_borrow(out, type, s->dim, s->rank, (char *)*out_memory + each, (size_t)n * each, &d);
}

// Rounds to the type of `to`.
static void copy_numbers(const weft_tensor *from, weft_tensor *to) {
  int64_t n = weft_tensor_elems(from);
  for (int64_t i = 0; i < n; i++)
    weft_store_f64(to->dtype, to->data, (size_t)i, weft_load_f64(from->dtype, from->data, (size_t)i));
}

// Input i, filled with floats and then rounded.
static bool narrowed(maker *m, const kernel_law *law, size_t i, maker_inputs *out) {
  weft_tensor wide;
  void *memory = NULL;
  bool ok = place(&m->in[i].shape, WEFT_FLOAT, &wide, &memory) &&
            place(&m->in[i].shape, law->type->dtype, &out->t[i], &out->memory[i]);
  if (ok) {
    law->fill(m, i, &wide);
    copy_numbers(&wide, &out->t[i]);
  }
  weft_tensor_deinit(&wide);
  free(memory);
  return ok;
}

bool maker_fill(maker *m, const kernel_law *law, maker_inputs *out) {
  memset(out, 0, sizeof *out);
  for (size_t i = 0; i < m->n_in; i++) {
    weft_tensor_init(&out->t[i], NULL);
    out->in[i] = &out->t[i];
  }
  for (size_t i = 0; i < m->n_in; i++) {
    weft_dtype type = m->in[i].dtype;
    bool narrow = type == WEFT_FLOAT && law->type && law->type->dtype != type;
    bool ok = narrow ? narrowed(m, law, i, out) : place(&m->in[i].shape, type, &out->t[i], &out->memory[i]);
    if (!ok) {
      check_failed(__FILE__, __LINE__, "input %s: no memory", m->in[i].name);
      return false;
    }
    if (!narrow)
      law->fill(m, i, &out->t[i]);
  }
  return true;
}

void maker_release(maker *m, maker_inputs *in) {
  for (size_t i = 0; i < m->n_in; i++) {
    weft_tensor_deinit(&in->t[i]);
    free(in->memory[i]);
  }
}

double floats_most(const weft_tensor *t) {
  const float *p = t->data;
  double most = 0;
  for (size_t i = 0; i < t->bytes / sizeof *p; i++) {
    if (isfinite(p[i]) && fabs((double)p[i]) > most)
      most = fabs((double)p[i]);
  }
  return most;
}

double floats_off(const weft_tensor *got, const weft_tensor *want, bool relative) {
  const float *a = got->data;
  const float *b = want->data;
  double most = relative ? WEFT_MAX(1, floats_most(want)) : 1, worst = 0;
  if (got->bytes != want->bytes)
    return INFINITY;
  size_t n = want->bytes / sizeof *b;
  for (size_t i = 0; i < n; i++) {
    if ((isnan(a[i]) && isnan(b[i])) || a[i] == b[i])
      continue;
    double e = fabs((double)a[i] - (double)b[i]) / most;
    if (!(e <= worst))
      worst = isnan(e) ? INFINITY : e;
  }
  return worst;
}

// The same bytes; where a float is no number, any such.
static bool same(const weft_tensor *a, const weft_tensor *b) {
  if (a->bytes != b->bytes || a->dtype != b->dtype)
    return false;
  if (a->dtype != WEFT_FLOAT)
    return !a->bytes || !memcmp(a->data, b->data, a->bytes);
  const float *p = a->data;
  const float *q = b->data;
  for (size_t i = 0; i < a->bytes / sizeof *p; i++) {
    if (memcmp(&p[i], &q[i], sizeof *p) && !(isnan(p[i]) && isnan(q[i])))
      return false;
  }
  return true;
}

bool not_reference(const weft_launch_record *launch) {
  return strcmp(launch->kernel, "reference") || !strcmp(launch->type, "Identity");
}

bool is_kernel(const weft_launch_record *launch, const char *name) {
  size_t n = strlen(name);
  return !strncmp(launch->kernel, name, n) && (!launch->kernel[n] || !strcmp(launch->kernel + n, "-half"));
}

static bool kernels_only(const weft_exec *x, const kernel_law *law) {
  const weft_launch_record *r;
  size_t n = weft_exec_profile(x, &r);
  for (size_t i = 0; i < n; i++) {
    if (!law->by_kernel(&r[i])) {
      check_failed(__FILE__, __LINE__, "%s not by a kernel but by %s", r[i].type, r[i].kernel);
      return false;
    }
  }
  return true;
}

// Floats of what is of the law's type, in memory of their own.
static bool widen(weft_tensor *t, const kernel_law *law) {
  weft_tensor wide;
  weft_diag d = {0};
  if (!law->type || t->dtype != law->type->dtype || t->dtype == WEFT_FLOAT)
    return true;
  weft_tensor_init(&wide, NULL);
  if (weft_tensor_alloc(&wide, WEFT_FLOAT, t->layout.origin.dim, t->layout.origin.rank, &d)) {
    check_failed(__FILE__, __LINE__, "%s", d.text);
    return false;
  }
  copy_numbers(t, &wide);
  weft_tensor_deinit(t);
  *t = wide;
  return true;
}

static bool holds(const maker *m, const kernel_law *law, weft_tensor *want, weft_tensor *one,
                  const weft_tensor *many) {
  if (one->bytes != many->bytes || (one->bytes && memcmp(one->data, many->data, one->bytes))) {
    check_failed(__FILE__, __LINE__, "one thread and several give different bits");
    return false;
  }
  if (!widen(want, law) || !widen(one, law))
    return false;
  double bound = 0, off = law->off ? law->off(m, one, want, &bound) : same(one, want) ? 0 : INFINITY;
  if (off <= bound)
    return true;
  check_failed(__FILE__, __LINE__, "differs by %g from the interpreter, allowed are %g", off, bound);
  return false;
}

// The case's text, in the law's type.
static const char *text_of(const maker *m, const kernel_law *law) {
  static char text[MAKER_TEXT];
  if (!law->type || law->type->dtype == WEFT_FLOAT)
    return m->text;
  run_retype(m->text, law->type->name, false, text, sizeof text);
  return text;
}

static bool run_case(run_fixture *f, maker *m, const kernel_law *law) {
  const weft_exec_options one = {.size = sizeof one, .threads = 1, .profile = true};
  const weft_exec_options three = {.size = sizeof three, .threads = 3};
  weft_exec *many = NULL;
  maker_inputs in;
  // of the interpreter, one thread, three
  weft_tensor t[3][MAKER_OUTPUTS];
  weft_tensor *out[3][MAKER_OUTPUTS];
  if (!run_load(f, text_of(m, law), &one))
    return false;
  size_t n = weft_graph_n_outputs(f->g);
  bool ok = maker_fill(m, law, &in);
  bool empty = false;
  for (size_t i = 0; i < 3 * n; i++) {
    weft_tensor_init(&t[i / n][i % n], NULL);
    out[i / n][i % n] = &t[i / n][i % n];
  }
  weft_status s = ok ? weft_exec_create(f->p, &three, &many, &f->r.d) : WEFT_E_NOMEM;
  if (!s)
    s = weft_interp_run(f->g, NULL, in.in, m->n_in, t[0], n, &f->r.d);
  if (!s)
    s = weft_exec_run(f->x, in.in, m->n_in, out[1], n, &f->r.d);
  if (!s)
    s = weft_exec_run(many, in.in, m->n_in, out[2], n, &f->r.d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s", f->r.d.text);
  for (size_t i = 0; i < n && !s; i++) {
    ok &= holds(m, law, &t[0][i], &t[1][i], &t[2][i]);
    empty |= !t[0][i].bytes;
  }
  if (!s && ok && !(empty && law->empty_by_any))
    ok = kernels_only(f->x, law);
  for (size_t i = 0; i < 3 * n; i++)
    weft_tensor_deinit(&t[i / n][i % n]);
  weft_exec_destroy(many);
  maker_release(m, &in);
  run_drop(f);
  return ok && !s;
}

bool kernels_hold(const kernel_law *law, const char *isa, uint64_t first, uint64_t n) {
  static maker m;
  static run_fixture f;
  int bad = 0;
  memset(&f, 0, sizeof f);
  f.passes = law->passes;
  f.option = law->option;
  if (!lower_isa(isa) || !rows_open(&f.r, ""))
    return false;
  for (uint64_t seed = first; seed < first + n && bad < 3; seed++) {
    law->make(&m, seed);
    m.type = law->type ? law->type : &run_f32;
    if (run_case(&f, &m, law))
      continue;
    check_failed(__FILE__, __LINE__, "seed %llu, %s, %s for f32:\n%.1500s\n...\n%s", (unsigned long long)seed,
                 isa, m.type->name, m.text, m.n > 1900 ? m.text + m.n - 400 : "");
    bad++;
  }
  rows_close(&f.r);
  unsetenv("WEFT_ISA");
  return true;
}
// SPDX-License-Identifier: Apache-2.0
