// Uses of operators that are a little wrong: every example of every built-in operator with one to four
// changes: other dims (of one tensor, or of a size everywhere), ranks and element types, odd values, odd
// attributes, an input left out. Whether that runs is all the same here; what counts is that nothing outside
// is touched (inputs lie in memory of exactly their size), that it ends, that a failure says why, and that
// reference and compiled node agree on whether it runs.
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"
#include "op/example.h"
#include "weft/compile.h"
#include "weft/run.h"

enum {
  MOST_BYTES = 64 << 20,
  MOST_ELEMS = 1 << 12,
  MOST_IN = 32,
  MOST_OUT = 32,
  MOST_LIST = 16,
  MOST_SECONDS = 2,
  ALARM_SECONDS = 60
};

static check_alloc memory = {.most_bytes = MOST_BYTES};
static char running[1024];  // the case at hand, for the alarm

static void say_running(int signal) {
  (void)signal;
  if (write(STDERR_FILENO, running, strlen(running)) < 0)
    _exit(3);
  _exit(2);
}

static uint64_t state;
static size_t below(size_t n) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return n ? (size_t)(state >> 33) % n : 0;
}

static const double REALS[] = {NAN,  INFINITY, -INFINITY, -1, 0,     1,   0.5,
                               1e30, 1e300,    -1e18,     2,  1e-40, 255, -0.0};
static const int64_t INTS[] = {-1, 0,         1, 2, 3,   INT64_MIN,           INT64_MAX, INT64_C(1) << 31,
                               7,  INT32_MIN, 8, 4, 255, -(INT64_C(1) << 33), -2,        16};

typedef struct use_case {
  const weft__example *ex;
  weft_tensor in[MOST_IN];
  const weft_tensor *in_at[MOST_IN];
  void *room[MOST_IN];  // of exactly the bytes of the input; NULL: it is the example's own
  weft_named_attr attrs[MOST_IN];
  int64_t ints[MOST_IN][MOST_LIST];
  float floats[MOST_IN][MOST_LIST];
} use_case;

static bool is_plain(const use_case *u, size_t i) {
  const weft_tensor *t = u->in_at[i];
  return t && t->kind == WEFT_KIND_TENSOR && t->data && t->format == t->origin_format &&
         t->dtype != WEFT_STRING && weft_dtype_bits(t->dtype) >= 8 && !weft_dtype_is_complex(t->dtype);
}

static double element_of(const weft_tensor *t, size_t i) {
  return weft_dtype_is_float(t->dtype) ? weft_load_f64(t->dtype, t->data, i)
                                       : (double)weft_load_i64(t->dtype, t->data, i);
}
static void put(weft_tensor *t, size_t i, double real, int64_t whole) {
  if (weft_dtype_is_float(t->dtype))
    weft_store_f64(t->dtype, t->data, i, real);
  else if (t->dtype == WEFT_BOOL)
    ((uint8_t *)t->data)[i] = whole & 1;
  else
    weft_store_i64(t->dtype, t->data, i, whole);
}

// Memory for what input i has now, and the example's elements in it, again and again.
static bool renew(use_case *u, size_t i) {
  weft_tensor *t = &u->in[i];
  const weft_tensor *was = u->ex->in_ptr[i];
  int64_t n;
  int64_t have = weft_tensor_elems(was);
  if (weft_shape_elems(&t->layout.origin, &n) || n < 0 || n > MOST_ELEMS)
    return false;
  free(u->room[i]);
  t->bytes = (size_t)n * weft_dtype_bits(t->dtype) / 8;
  t->data = u->room[i] = malloc(WEFT_MAX(t->bytes, 1));
  t->capacity = t->bytes;
  t->owned = 0;
  weft_shape_copy(&t->layout.storage, &t->layout.origin);
  for (int64_t k = 0; k < n; k++) {
    double v = have ? element_of(was, (size_t)(k % have)) : 1;
    put(t, (size_t)k, v, fabs(v) < 1e18 ? (int64_t)v : 0);
  }
  if (t->dtype == was->dtype && have && n == have)
    memcpy(t->data, was->data, t->bytes);
  return true;
}

static void begin(const weft__example *ex, use_case *u) {
  memset(u, 0, sizeof *u);
  u->ex = ex;
  for (size_t i = 0; i < ex->n_in; i++) {
    if (!ex->in_ptr[i])
      continue;
    u->in[i] = *ex->in_ptr[i];
    u->in_at[i] = &u->in[i];
    if (is_plain(u, i))
      renew(u, i);
  }
  for (size_t i = 0; i < ex->n_attrs; i++)
    u->attrs[i] = ex->attrs[i];
}
static void end(use_case *u) {
  for (size_t i = 0; i < MOST_IN; i++)
    free(u->room[i]);
}

// ---- changes: false where one cannot be made ----
static int64_t other_size(const use_case *u, int64_t was) {
  const int64_t sizes[] = {0, 1, was - 1, was + 1, 2 * was, 3, was + 7};
  size_t k = below(WEFT_COUNT(sizes) + 2);
  if (k < WEFT_COUNT(sizes))
    return WEFT_MAX(sizes[k], 0);
  size_t i = below(u->ex->n_in);  // one that stands somewhere else
  if (!u->in_at[i] || !u->in[i].layout.origin.rank)
    return was;
  return WEFT_MAX(u->in[i].layout.origin.dim[below(u->in[i].layout.origin.rank)], 0);
}

static bool change_dim(use_case *u, size_t i) {
  weft_shape *s = &u->in[i].layout.origin;
  if (!s->rank)
    return false;
  size_t k = below(s->rank);
  s->dim[k] = other_size(u, s->dim[k]);
  return renew(u, i);
}

static bool change_size(use_case *u, size_t i) {
  const weft_shape *s = &u->in[i].layout.origin;
  bool good = true;
  if (!s->rank)
    return false;
  int64_t from = s->dim[below(s->rank)];
  int64_t to = other_size(u, from);
  for (size_t j = 0; j < u->ex->n_in; j++) {
    weft_shape *o = &u->in[j].layout.origin;
    if (!is_plain(u, j))
      continue;
    for (size_t k = 0; k < o->rank; k++)
      o->dim[k] = o->dim[k] == from ? to : o->dim[k];
    good &= renew(u, j);
  }
  return good;
}

static bool change_rank(use_case *u, size_t i) {
  weft_shape *s = &u->in[i].layout.origin;
  size_t k = below(s->rank + 1);
  if (below(2) && s->rank) {
    for (k = WEFT_MIN(k, s->rank - 1); k + 1 < s->rank; k++)
      s->dim[k] = s->dim[k + 1];
    s->rank--;
    return renew(u, i);
  }
  if (s->rank == WEFT_MAX_RANK)
    return false;
  for (size_t j = s->rank++; j > k; j--)
    s->dim[j] = s->dim[j - 1];
  s->dim[k] = 1 + (int64_t)below(2);
  return renew(u, i);
}

static bool change_value(use_case *u, size_t i) {
  weft_tensor *t = &u->in[i];
  size_t n = (size_t)weft_tensor_elems(t);
  if (!n || !u->room[i])
    return false;
  double real = REALS[below(WEFT_COUNT(REALS))];
  int64_t whole = INTS[below(WEFT_COUNT(INTS))];
  size_t how = below(3);
  size_t at = below(n);
  for (size_t k = how ? 0 : at; k < (how ? n : at + 1); k++) {
    if (how == 2)
      whole = (int64_t)below(9) - 3;
    put(t, k, how == 2 ? (double)whole / 2 : real, whole);
  }
  return true;
}

// Every input of its type becomes one of another that its port takes.
static bool change_dtype(use_case *u, size_t i) {
  weft_dtype from = u->in[i].dtype;
  weft_dtype_set all = 0;
  bool good = true;
  for (uint32_t p = 0; p < weft_proto_n_in(u->ex->proto); p++)
    all |= weft_proto_dtypes(u->ex->proto, weft_proto_in(u->ex->proto, p));
  weft_dtype to = (weft_dtype)below(64);
  if (!(all >> to & 1) || !weft_dtype_known(to) || to == WEFT_STRING || weft_dtype_is_complex(to) ||
      weft_dtype_bits(to) < 8)
    return false;
  for (size_t j = 0; j < u->ex->n_in; j++) {
    if (!is_plain(u, j) || u->in[j].dtype != from)
      continue;
    u->in[j].dtype = to;
    good &= renew(u, j);
  }
  return good;
}

static bool change_list(use_case *u, size_t a) {
  weft_attr *x = &u->attrs[a].value;
  size_t n = x->n;
  if (n + 1 > MOST_LIST)
    return false;
  if (x->type == WEFT_VT_LIST_INT) {
    memmove(u->ints[a], x->u.ints, n * sizeof u->ints[a][0]);
    u->ints[a][below(n + 1)] = below(2) ? INTS[below(WEFT_COUNT(INTS))] : (int64_t)below(9) - 3;
    x->u.ints = u->ints[a];
  } else {
    memmove(u->floats[a], x->u.floats, n * sizeof u->floats[a][0]);
    u->floats[a][below(n + 1)] = (float)REALS[below(WEFT_COUNT(REALS))];
    x->u.floats = u->floats[a];
  }
  size_t how = below(6);
  x->n = how == 0 ? n - (n > 0) : how == 1 ? n + 1 : n;
  if (how == 1) {
    u->ints[a][n] = 1;
    u->floats[a][n] = 1;
  }
  return true;
}

static bool change_attr(use_case *u) {
  if (!u->ex->n_attrs)
    return false;
  size_t a = below(u->ex->n_attrs);
  weft_attr *x = &u->attrs[a].value;
  switch (x->type) {
    case WEFT_VT_INT:
      x->u.i = below(2) ? INTS[below(WEFT_COUNT(INTS))] : (int64_t)below(9) - 3;
      return true;
    case WEFT_VT_FLOAT:
      x->u.f = (float)REALS[below(WEFT_COUNT(REALS))];
      return true;
    case WEFT_VT_BOOL:
      x->u.b = !x->u.b;
      return true;
    case WEFT_VT_LIST_INT:
    case WEFT_VT_LIST_FLOAT:
      return change_list(u, a);
    default:
      return false;
  }
}

static bool change(use_case *u) {
  size_t i = below(u->ex->n_in);
  size_t what = below(12);
  if (what < 3)
    return change_attr(u);
  if (!u->ex->n_in || !is_plain(u, i))
    return false;
  switch (what) {
    case 3:
    case 4:
      return change_dim(u, i);
    case 5:
    case 6:
      return change_size(u, i);
    case 7:
      return change_rank(u, i);
    case 8:
      return change_dtype(u, i);
    case 9:
      u->in_at[i] = below(4) ? u->in_at[i] : NULL;
      return true;
    default:
      return change_value(u, i);
  }
}

// ---- running ----
static weft_use use_of(const use_case *u) {
  weft_use use = weft__example_use(u->ex);
  use.attrs = u->attrs;
  return use;
}

// Outputs with many elements take their time.
static bool gives_little(weft_env *e, const use_case *u) {
  weft_diag d = {0};
  weft_tensor_desc out[MOST_OUT];
  weft_use use = use_of(u);
  if (weft_infer_op(e, u->ex->proto, &use, u->in_at, u->ex->n_in, out, u->ex->n_out, &d))
    return true;
  for (size_t i = 0; i < u->ex->n_out; i++) {
    int64_t n = 0;
    if (weft_shape_elems(&out[i].layout.storage, &n) || n > MOST_ELEMS)
      return false;
  }
  return true;
}

static weft_status run_reference(weft_env *e, const use_case *u, weft_diag *d) {
  weft_tensor out[MOST_OUT];
  weft_use use = use_of(u);
  weft_status s = weft_run_op(e, u->ex->proto, &use, u->in_at, u->ex->n_in, out, u->ex->n_out, NULL, d);
  for (size_t i = 0; i < u->ex->n_out; i++)
    weft_tensor_deinit(&out[i]);
  return s;
}

typedef struct model {  // one node
  weft_graph *graph;
  const weft_tensor *given[MOST_IN];  // what comes at run time
  size_t n_given, n_out;
} model;

static weft_value *add_input(model *m, const weft_tensor *t, size_t i, weft_diag *d) {
  char name[16];
  snprintf(name, sizeof name, "x%zu", i);
  if (weft_dtype_is_integer(t->dtype) && t->layout.origin.rank < 2 && t->kind == WEFT_KIND_TENSOR)
    return weft_graph_const(m->graph, name, t, WEFT_CONST_COPY, d);
  weft_tensor_desc desc;
  weft_desc_init(&desc);
  desc.dtype = t->dtype;
  desc.kind = t->kind;
  desc.format = t->format;
  desc.origin_format = t->origin_format;
  desc.layout = t->layout;
  m->given[m->n_given++] = t;
  return weft_graph_input_desc(m->graph, name, &desc, d);
}

static weft_status make_model(weft_env *e, const use_case *u, model *m, weft_diag *d) {
  weft_value *in[MOST_IN];
  size_t n = 0;
  WEFT_TRY(weft_graph_create(e, "wrong", &m->graph, d));
  for (size_t i = 0; i < u->ex->n_in; i++) {
    if (!u->in_at[i] && u->ex->in_counts)
      continue;
    in[n] = u->in_at[i] ? add_input(m, u->in_at[i], i, d) : NULL;
    if (d->status)
      return d->status;
    n++;
  }
  weft_use use = use_of(u);
  weft_node *node;
  WEFT_TRY(weft_graph_add(m->graph, u->ex->proto->name, &use, in, n, &node, d));
  for (; m->n_out < MOST_OUT && weft_node_out(node, (uint32_t)m->n_out); m->n_out++)
    WEFT_TRY(weft_graph_output(m->graph, weft_node_out(node, (uint32_t)m->n_out), d));
  return WEFT_OK;
}

static weft_status run_compiled(weft_env *e, const use_case *u, weft_diag *d) {
  model m = {.n_out = 0};
  weft_program *program = NULL;
  weft_exec *x = NULL;
  weft_tensor out[MOST_OUT];
  weft_tensor *out_at[MOST_OUT];
  weft_exec_options o = {.size = sizeof o, .threads = 1, .memory_limit_bytes = MOST_BYTES};
  weft_status s = make_model(e, u, &m, d);
  if (s)
    weft_graph_destroy(m.graph);
  else
    s = weft_compile(m.graph, NULL, &program, d);
  if (!s)
    s = weft_exec_create(program, &o, &x, d);
  for (size_t i = 0; i < m.n_out; i++) {
    weft_tensor_init(&out[i], NULL);
    out_at[i] = &out[i];
  }
  if (!s)
    s = weft_exec_run(x, m.given, m.n_given, out_at, m.n_out, d);
  for (size_t i = 0; i < m.n_out; i++)
    weft_tensor_deinit(&out[i]);
  weft_exec_destroy(x);
  weft_program_release(program);
  return s;
}

typedef struct short_text {
  char *to;
  size_t n, cap;
} short_text;
static weft_status short_add(void *ctx, const char *text, size_t bytes) {
  short_text *s = ctx;
  bytes = WEFT_MIN(bytes, s->cap - 1 - s->n);
  memcpy(s->to + s->n, text, bytes);
  s->n += bytes;
  s->to[s->n] = 0;
  return WEFT_OK;
}
static void print_short(const weft_tensor *t, char *to, size_t cap) {
  short_text s = {to, 0, cap};
  if (weft_tensor_print(t, 8, short_add, &s))  // dims that are not known
    weft_shape_text(&t->layout.origin, NULL, to, cap);
}

static void describe(const use_case *u) {
  weft_text t;
  weft__text_init(&t, NULL);
  weft__text_addf(&t, "%s:", u->ex->proto->name);
  for (size_t i = 0; i < u->ex->n_in; i++) {
    char text[256] = "_";
    if (u->in_at[i] && u->in_at[i]->kind == WEFT_KIND_TENSOR && u->room[i])
      print_short(u->in_at[i], text, sizeof text);
    weft__text_addf(&t, " %.100s", text);
  }
  for (size_t i = 0; i < u->ex->n_attrs; i++) {
    const weft_attr *a = &u->attrs[i].value;
    weft__text_addf(&t, " %s=", u->attrs[i].name);
    if (a->type == WEFT_VT_INT)
      weft__text_addf(&t, "%lld", (long long)a->u.i);
    else if (a->type == WEFT_VT_FLOAT)
      weft__text_addf(&t, "%g", (double)a->u.f);
    else if (a->type == WEFT_VT_BOOL)
      weft__text_addf(&t, "%d", a->u.b);
    for (size_t k = 0; a->type == WEFT_VT_LIST_INT && k < a->n; k++)
      weft__text_addf(&t, "%lld,", (long long)a->u.ints[k]);
  }
  snprintf(running, sizeof running, "%.600s of %.300s\n", t.v, u->ex->text);
  weft__text_deinit(&t);
}

static bool is_limit(weft_status s) {
  return s == WEFT_E_LIMIT || s == WEFT_E_NOMEM || s == WEFT_E_OVERFLOW || s == WEFT_E_UNKNOWN;
}

static void run(weft_env *e, const use_case *u) {
  weft_diag d = {0};
  weft_diag dc = {0};
  describe(u);
  alarm(ALARM_SECONDS);
  double since = check_seconds();
  if (!gives_little(e, u))
    return;
  weft_status reference = run_reference(e, u, &d);
  weft_status compiled = run_compiled(e, u, &dc);
  double seconds = check_seconds() - since;
  if (reference ? !d.length : d.length != 0)
    check_failed(__FILE__, __LINE__, "%s, '%s': %s", weft_status_name(reference), d.text, running);
  if (compiled && !dc.length)
    check_failed(__FILE__, __LINE__, "%s without a word: %s", weft_status_name(compiled), running);
  // What is updated in place is a state in a graph, and sequences have other descriptions there.
  bool alike = u->ex->n_out && strcmp(u->ex->proto->name, "Variable") && strcmp(u->ex->proto->name, "SGD");
  for (size_t i = 0; i < u->ex->n_in; i++)
    alike &= !u->in_at[i] || u->in_at[i]->kind == WEFT_KIND_TENSOR;
  if (alike && !reference != !compiled && !is_limit(reference) && !is_limit(compiled)) {
    check_failed(__FILE__, __LINE__, "reference %s '%s', compiled %s '%s': %s", weft_status_name(reference),
                 d.text, weft_status_name(compiled), dc.text, running);
  }
  if (check_too_long(seconds, MOST_SECONDS))
    check_failed(__FILE__, __LINE__, "%.1f s: %s", seconds, running);
}

static void run_line(weft_env *e, const weft_proto *p, const char *line, int rounds) {
  weft__example ex;
  weft_diag d = {0};
  weft_status s = weft__example_parse(e, p, line, &ex, &d);
  bool fits = !s && ex.n_in <= MOST_IN && ex.n_out <= MOST_OUT && ex.n_attrs <= MOST_IN;
  for (int r = 0; fits && r < rounds; r++) {
    use_case u;
    bool good = true;
    begin(&ex, &u);
    for (size_t n = 1 + below(4); n && good; n--)
      good = change(&u) || below(2);
    for (size_t i = 0; i < ex.n_in; i++) {  // a change that could not be made may have left a part of itself
      int64_t n;
      if (u.in_at[i] && (weft_shape_elems(&u.in[i].layout.origin, &n) || n != weft_tensor_elems(&u.in[i])))
        good = false;
      if (u.room[i] && !weft_shape_elems(&u.in[i].layout.origin, &n))
        good &= (size_t)n * weft_dtype_bits(u.in[i].dtype) / 8 == u.in[i].bytes;
    }
    if (good)
      run(e, &u);
    end(&u);
  }
  weft__example_deinit(&ex);
}

// `make test`: three uses of each example; CHECK_LONG=1 (make check-long): 60.
TEST(wrong_uses_do_no_harm) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.package_path = "", .threads = 1, .allocator = check_allocator(&memory)};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  signal(SIGALRM, say_running);
  for (size_t i = 0; i < weft_proto_count(e, false); i++) {
    const weft_proto *p = weft_proto_at(e, i, false);
    if (weft_proto_source(p) != WEFT_FROM_BUILTIN)
      continue;
    for (const char *const *line = weft_proto_op(p)->examples; line && *line; line++) {
      state = 20261129 + check_seed() + (uint64_t)i * 1000 + (uint64_t)(line - weft_proto_op(p)->examples);
      run_line(e, p, *line, check_long() ? 60 : 3);
    }
  }
  alarm(0);
  signal(SIGALRM, SIG_DFL);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
