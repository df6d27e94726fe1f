// kernels_attention_test.c - attention by the CPU's kernel on random shapes (dims of 1 and 0, every layout,
// groups of heads, masks, shifts with rows of -inf, bands, numbers that are none), for each instruction set:
// each element within 2e-5 of the interpreter's (values reach 2), more for long heads; the same bits with one
// thread and with several; and by the kernel, not by the reference.
#include <stdarg.h>

#include "base/base.h"
#include "run_util.h"

enum { TEXT = 4096, INPUTS = 5, ROUNDS = 260 };

typedef struct maker {
  char text[TEXT];
  size_t n;
  uint64_t state;
  weft_shape in[INPUTS];
  bool is_mask[INPUTS], is_shift[INPUTS];
  size_t n_in;
  int64_t size;  // of a head
} maker;

static uint64_t pick(maker *m, uint64_t n) {
  m->state = m->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (m->state >> 33) % n;
}

static void put(maker *m, const char *fmt, ...) {
  va_list v;
  va_start(v, fmt);
  m->n += (size_t)vsnprintf(m->text + m->n, TEXT - m->n, fmt, v);
  va_end(v);
}

static void tensor(maker *m, char name, const char *type, const int64_t *dim, size_t rank) {
  put(m, "input %c: %s[", name, type);
  for (size_t i = 0; i < rank; i++) put(m, "%s%lld", i ? "," : "", (long long)dim[i]);
  put(m, "]\n");
  m->is_mask[m->n_in] = type[0] != 'f', m->is_shift[m->n_in] = name == 's';
  if (weft_shape_init(&m->in[m->n_in], dim, rank)) return;
  m->n_in++;
}

static const char *side(maker *m, char name, int64_t b, int64_t n, int64_t s, int64_t d) {
  static const char *const layouts[] = {"BSH", "BSND", "BNSD", "BNDS"};
  size_t which = pick(m, name == 'k' ? 4 : 3);
  const int64_t dims[4][4] = {{b, s, n * d}, {b, s, n, d}, {b, n, s, d}, {b, n, d, s}};
  tensor(m, name, "f32", dims[which], which ? 4 : 3);
  return layouts[which];
}

static int64_t dim(maker *m, const int64_t *list, uint64_t n) {
  return pick(m, 30) ? list[pick(m, n)] : 0;
}
#define DIM(m, list) dim(m, list, sizeof list / sizeof *list)

static void operand(maker *m, char name, const char *type, int64_t b, int64_t n, int64_t s, int64_t t) {
  bool batched = pick(m, 2);
  const int64_t d[4] = {pick(m, 2) ? b : 1, pick(m, 2) ? n : 1, pick(m, 3) ? s : 1, pick(m, 4) ? t : 1};
  tensor(m, name, type, batched ? d : d + 2, batched ? 4 : 2);
}

static void make(maker *m, uint64_t seed, bool few) {
  static const int64_t batches[] = {1, 1, 2, 3}, heads[] = {1, 1, 2, 3, 4}, groups[] = {1, 1, 1, 2, 3};
  static const int64_t queries[] = {1, 2, 5, 13, 14, 15, 29, 37, 64, 130}, decodes[] = {1, 1, 2, 3};
  static const int64_t keys[] = {1, 2, 3, 7, 16, 31, 32, 33, 65, 128, 255, 257, 300, 520};
  static const int64_t sizes[] = {1, 3, 8, 16, 17, 31, 32, 33, 64, 80}, big[] = {300, 700};
  m->n = 0, m->n_in = 0, m->state = seed * 977 + 5;
  int64_t b = DIM(m, batches), kv = heads[pick(m, 5)], n = kv * groups[pick(m, 5)];
  int64_t s = few ? DIM(m, decodes) : DIM(m, queries), t = DIM(m, keys), d = DIM(m, sizes), v = DIM(m, sizes);
  if (pick(m, 30) == 0) d = big[pick(m, 2)];
  m->size = d;
  put(m, "graph \"g\" {\n");
  const char *lq = side(m, 'q', pick(m, 6) ? b : 1, n, s, d);
  const char *lk = side(m, 'k', pick(m, 6) ? b : 1, kv, t, d), *lv = side(m, 'v', b, kv, t, v);
  bool shift = pick(m, 2), mask = pick(m, 2);
  if (shift) operand(m, 's', "f32", b, n, s, t);
  if (mask) operand(m, 'm', pick(m, 2) ? "bool" : "u8", b, n, s, t);
  put(m, "node y: PromptFlashAttention(q, k, v%s%s) {num_heads=%lld, num_key_value_heads=%lld, ",
      shift  ? ", s"
      : mask ? ", _"
             : "",
      mask ? ", m" : "", (long long)n, (long long)kv);
  static const char *const outs[] = {"BSH", "BSND", "BNSD"};
  put(m,
      "scale_value=%g, input_layout=\"%s\", key_layout=\"%s\", value_layout=\"%s\", output_layout=\"%s\", ",
      pick(m, 4) ? 0.25 : -1.5, lq, lk, lv, outs[pick(m, 3)]);
  put(m, "inner_precise=%d, sparse_mode=%d, next_tokens=%d", (int)pick(m, 4),
      pick(m, 2) ? 0 : (int)pick(m, 5), pick(m, 3) ? 2147483647 : (int)pick(m, 20) - 4);
  if (pick(m, 3) == 0) put(m, ", pre_tokens=%d", (int)pick(m, 20) - 4);
  if (pick(m, 3) == 0) put(m, ", mask_value=-1e9");
  put(m, "} -> y\noutput y\n}\n");
}

// ---- running ----
typedef struct inputs {
  weft_tensor t[INPUTS];
  const weft_tensor *in[INPUTS];
  void *memory[INPUTS];
} inputs;

static void numbers(maker *m, float *p, int64_t n, bool shift, bool odd) {
  for (int64_t k = 0; k < n; k++) p[k] = ((float)pick(m, 2001) - 1000) / 500;
  for (int64_t k = 0; shift && k < n; k++)
    if (pick(m, 3) == 0) p[k] = -INFINITY;
  if (shift && pick(m, 3) == 0)  // whole rows of it
    for (int64_t k = 0; k < n / 2; k++) p[k] = -INFINITY;
  static const float odds[] = {INFINITY, -INFINITY, NAN, 30.0f};
  if (odd && n && pick(m, 2)) p[pick(m, (uint64_t)n)] = odds[pick(m, 4)];
}

static bool fill(maker *m, inputs *o, bool odd) {
  weft_diag d = {0};
  for (size_t i = 0; i < m->n_in; i++) {
    int64_t n;
    if (weft_shape_elems(&m->in[i], &n)) return false;
    size_t each = m->is_mask[i] ? 1 : sizeof(float);
    char *p = o->memory[i] = malloc(((size_t)n + 1) * sizeof(float));
    if (!p) return false;
    uint64_t sparse = 1 + pick(m, 4);
    for (int64_t k = 0; m->is_mask[i] && k < n; k++) p[each + (size_t)k] = pick(m, 5) >= sparse;
    if (!m->is_mask[i]) numbers(m, (float *)(void *)p + 1, n, m->is_shift[i], odd && i != 2);
    weft_tensor_init(&o->t[i], NULL);
    weft_dtype type = !m->is_mask[i] ? WEFT_FLOAT : strstr(m->text, ": u8") ? WEFT_UINT8 : WEFT_BOOL;
    if (weft_tensor_borrow(&o->t[i], type, m->in[i].dim, m->in[i].rank, p + each, (size_t)n * each, &d))
      return false;
    o->in[i] = &o->t[i];
  }
  return true;
}

static void release(maker *m, inputs *o) {
  for (size_t i = 0; i < m->n_in; i++) {
    weft_tensor_deinit(&o->t[i]);
    free(o->memory[i]);
  }
}

static bool near(const weft_tensor *got, const weft_tensor *want, double bound, double *worst) {
  const float *a = got->data, *b = want->data;
  for (size_t i = 0; i < want->bytes / sizeof *b; i++) {
    if (isnan(a[i]) && isnan(b[i])) continue;
    if (isinf(b[i]) && a[i] == b[i]) continue;
    double e = fabs((double)a[i] - (double)b[i]);
    if (!(e <= *worst)) *worst = e;
    if (!(e <= bound)) return false;
  }
  return got->bytes == want->bytes;
}

static bool kernel_only(const weft_exec *x) {
  const weft_launch_record *r;
  size_t n = weft_exec_profile(x, &r);
  for (size_t i = 0; i < n; i++)
    if (strcmp(r[i].kernel, "attention")) return false;
  return true;
}

static bool one_case(run_fixture *f, maker *m, bool odd) {
  weft_exec_options one = {.size = sizeof one, .threads = 1, .profile = true};
  weft_exec_options three = {.size = sizeof three, .threads = 3};
  weft_exec *many = NULL;
  inputs in;
  weft_tensor want, got[2], *out[2] = {&got[0], &got[1]};
  if (!run_load(f, m->text, &one)) return false;
  bool ok = fill(m, &in, odd) && !weft_exec_create(f->p, &three, &many, &f->r.d);
  weft_tensor_init(&got[0], NULL), weft_tensor_init(&got[1], NULL), weft_tensor_init(&want, NULL);
  weft_status s = ok ? weft_interp_run(f->g, NULL, in.in, m->n_in, &want, 1, &f->r.d) : WEFT_E_STATE;
  if (!s) s = weft_exec_run(f->x, in.in, m->n_in, &out[0], 1, &f->r.d);
  if (!s) s = weft_exec_run(many, in.in, m->n_in, &out[1], 1, &f->r.d);
  double worst = 0;
  if (s) {
    check_failed(__FILE__, __LINE__, "%s", f->r.d.text);
  } else if (!(ok = near(&got[0], &want, 1e-5 * (2 + (double)m->size / 20), &worst))) {
    check_failed(__FILE__, __LINE__, "differs by %g", worst);
  } else if (!(ok = got[0].bytes == got[1].bytes && !memcmp(got[0].data, got[1].data, got[0].bytes))) {
    check_failed(__FILE__, __LINE__, "one thread and several give different bits");
  } else if (!(ok = kernel_only(f->x))) {
    check_failed(__FILE__, __LINE__, "not by the kernel");
  }
  ok &= !s;
  if (!ok) printf("%.3000s\n", m->text);
  weft_tensor_deinit(&got[0]), weft_tensor_deinit(&got[1]), weft_tensor_deinit(&want);
  weft_exec_destroy(many);
  release(m, &in);
  run_drop(f);
  return ok;
}

static void all(const char *isa, uint64_t first) {
  static maker m;
  static run_fixture f;
  int bad = 0;
  memset(&f, 0, sizeof f);
  setenv("WEFT_ISA", isa, 1);
  if (!rows_open(&f.r, "")) return;
  for (uint64_t seed = first; seed < first + ROUNDS && bad < 3; seed++) {
    make(&m, seed, seed % 3 == 0);
    if (one_case(&f, &m, seed % 4 == 3)) continue;
    printf("seed %llu, %s\n", (unsigned long long)seed, isa);
    bad++;
  }
  rows_close(&f.r);
  unsetenv("WEFT_ISA");
}

TEST(attention_plain) {
  all("plain", 0);
}
TEST(attention_avx2) {
  all("avx2", 1000);
}
TEST(attention_avx512) {
  all("avx512", 2000);
}
