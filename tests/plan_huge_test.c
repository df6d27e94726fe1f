// Planning is bounded by what a file holds, not by the numbers in it: every example of every built-in
// operator is compiled and planned with a dim, an element of a constant of integers or an integer attribute
// that is 2^31 and 2^40. Whether that is a plan or an error is all the same here; what counts is that it
// comes at once. A case that does not end is named by an alarm.
#include <signal.h>
#include <unistd.h>

#include "check.h"
#include "op/example.h"
#include "weft/compile.h"

enum { ELEMENTS = 8, MOST_SECONDS = 2, ALARM_SECONDS = 60 };

static char running[512];  // the case at hand, for the alarm

static void say_running(int signal) {
  (void)signal;
  if (write(STDERR_FILENO, running, strlen(running)) < 0)
    _exit(3);
  _exit(2);
}

typedef struct place {  // which number of the example is huge
  int64_t huge;
  uint32_t left;  // of the numbers in front of it; counted down while the graph is made
  bool used;
} place;

static void pass(place *p, int64_t *number) {
  if (p->used)
    return;
  if (p->left) {
    p->left--;
    return;
  }
  *number = p->huge;
  p->used = true;
}

static bool is_value(const weft__example *ex, const weft_tensor *t, size_t i) {
  bool integers = t->data && weft_dtype_is_integer(t->dtype) && weft_dtype_bits(t->dtype) >= 32;
  for (uint32_t k = 0; k < ex->proto->n_in && integers; k++) {
    if (ex->proto->in[k].value && i >= k)
      return true;
  }
  return false;
}

static weft_value *constant(weft_graph *g, weft_tensor *t, const char *name, place *p, weft_diag *d) {
  int64_t n = weft_tensor_elems(t);
  for (int64_t k = 0; k < n && k < ELEMENTS; k++) {
    int64_t v = weft_load_i64(t->dtype, t->data, (size_t)k);
    int64_t was = v;
    pass(p, &v);
    if (v == was)
      continue;
    weft_store_i64(t->dtype, t->data, (size_t)k, v);
    weft_value *made = weft_graph_const(g, name, t, WEFT_CONST_COPY, d);
    weft_store_i64(t->dtype, t->data, (size_t)k, was);
    return made;
  }
  return weft_graph_const(g, name, t, WEFT_CONST_COPY, d);
}

static weft_value *input(weft_graph *g, const weft_tensor *t, const char *name, place *p, weft_diag *d) {
  weft_tensor_desc desc;
  weft_desc_init(&desc);
  desc.dtype = t->dtype;
  desc.kind = t->kind;
  desc.format = t->format;
  desc.origin_format = t->origin_format;
  desc.layout = t->layout;
  weft_shape *s = &desc.layout.origin;
  for (size_t k = 0; k < s->rank; k++)
    pass(p, &s->dim[k]);
  weft_shape_copy(&desc.layout.storage, s);
  return weft_graph_input_desc(g, name, &desc, d);
}

static void change_attrs(const weft__example *ex, weft_named_attr *to, int64_t (*lists)[ELEMENTS], place *p) {
  for (size_t i = 0; i < ex->n_attrs; i++) {
    weft_attr *a = &to[i].value;
    to[i] = ex->attrs[i];
    if (a->type == WEFT_VT_INT)
      pass(p, &a->u.i);
    if (a->type != WEFT_VT_LIST_INT || a->n > ELEMENTS)
      continue;
    memcpy(lists[i], a->u.ints, a->n * sizeof *lists[i]);
    for (size_t k = 0; k < a->n; k++)
      pass(p, &lists[i][k]);
    a->u.ints = lists[i];
  }
}

static weft_status make_graph(weft_env *e, const weft__example *ex, place *p, weft_graph **out,
                              weft_diag *d) {
  weft_value *in[32];
  size_t n_in = 0;
  weft_named_attr attrs[32];
  int64_t lists[32][ELEMENTS];
  if (ex->n_in > 32 || ex->n_attrs > 32)
    return WEFT_E_LIMIT;
  WEFT_TRY(weft_graph_create(e, "huge", out, d));
  for (size_t i = 0; i < ex->n_in; i++) {
    char name[16];
    snprintf(name, sizeof name, "x%zu", i);
    weft_tensor *t = (weft_tensor *)(uintptr_t)ex->in_ptr[i];
    if (!t && ex->in_counts)
      continue;
    in[n_in] = NULL;
    if (t)
      in[n_in] = is_value(ex, t, i) ? constant(*out, t, name, p, d) : input(*out, t, name, p, d);
    if (t && !in[n_in])
      return d->status ? d->status : WEFT_E_INVALID;
    n_in++;
  }
  change_attrs(ex, attrs, lists, p);
  weft_use use = weft__example_use(ex);
  use.attrs = attrs;
  weft_node *n;
  WEFT_TRY(weft_graph_add(*out, ex->proto->name, &use, in, n_in, &n, d));
  for (uint32_t i = 0; weft_node_out(n, i); i++)
    WEFT_TRY(weft_graph_output(*out, weft_node_out(n, i), d));
  return WEFT_OK;
}

// false: the example has no number at this place.
static bool plan(weft_env *e, const weft__example *ex, place p) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_program *program = NULL;
  weft_exec *x = NULL;
  weft_memory_plan m = {.size = sizeof m};
  weft_status s = make_graph(e, ex, &p, &g, &d);
  if (s)
    weft_graph_destroy(g);
  else
    s = weft_compile(g, NULL, &program, &d);
  if (!s)
    s = weft_exec_create(program, NULL, &x, &d);
  if (!s)
    s = weft_exec_prepare(x, NULL, 0, &m, &d);
  weft_exec_destroy(x);
  weft_program_release(program);
  return p.used;
}

static void plan_example(weft_env *e, const weft_proto *proto, const char *text, int64_t huge) {
  weft_diag d = {0};
  weft__example ex;
  weft_status s = weft__example_parse(e, proto, text, &ex, &d);
  for (uint32_t k = 0; !s && !ex.fails; k++) {
    snprintf(running, sizeof running, "no end: %s, number %u is %lld: %.300s\n", proto->name, k,
             (long long)huge, text);
    alarm(ALARM_SECONDS);
    double begin = check_seconds();
    bool more = plan(e, &ex, (place){.huge = huge, .left = k});
    double seconds = check_seconds() - begin;
    if (check_too_long(seconds, MOST_SECONDS))
      check_failed(__FILE__, __LINE__, "%.1f s: %s", seconds, running);
    if (!more)
      break;
  }
  alarm(0);
  weft__example_deinit(&ex);
}

// Half of the examples, the even or the odd ones; CHECK_LONG=1 (make check-long): all.
static void plan_all(int64_t huge, size_t half) {
  size_t n = 0;
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.package_path = "", .threads = 1};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  signal(SIGALRM, say_running);
  for (size_t i = 0; i < weft_proto_count(e, false); i++) {
    const weft_proto *p = weft_proto_at(e, i, false);
    if (weft_proto_source(p) != WEFT_FROM_BUILTIN)
      continue;
    for (const char *const *line = weft_proto_op(p)->examples; line && *line; line++) {
      if (check_long() || n++ % 2 == half)
        plan_example(e, p, *line, huge);
    }
  }
  signal(SIGALRM, SIG_DFL);
  weft_env_destroy(e);
}

TEST(numbers_of_2_to_the_31_take_no_time_to_plan) {
  plan_all(INT64_C(1) << 31, 0);
}

TEST(numbers_of_2_to_the_40_take_no_time_to_plan) {
  plan_all(INT64_C(1) << 40, 1);
}

// ---- nodes with many inputs ----
static void plan_wide(weft_env *e, const char *op, size_t n, const char *kind) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_program *program = NULL;
  weft_exec *x = NULL;
  weft_text t;
  weft__text_init(&t, NULL);
  weft__text_addf(&t, "graph \"g\" { ");
  for (size_t i = 0; i < n; i++)
    weft__text_addf(&t, "%s x%zu: f32[1]%s ", kind, i, *kind == 'c' ? "{1}" : "");
  weft__text_addf(&t, "input z: f32[1] const axis: i32[]{0} node wide: %s([z", op);
  for (size_t i = 0; i < n; i++)
    weft__text_addf(&t, ", x%zu", i);
  if (strcmp(op, "AddN"))
    weft__text_addf(&t, "], axis) -> y output y }");
  else
    weft__text_addf(&t, "]) {N=%zu} -> y output y }", n + 1);
  CHECK_OK(weft_graph_parse(e, t.v, t.n, "wide", &g, &d), &d);
  snprintf(running, sizeof running, "no end: %s of %zu inputs, %s\n", op, n, kind);
  alarm(ALARM_SECONDS);
  double begin = check_seconds();
  CHECK_OK(weft_compile(g, NULL, &program, &d), &d);
  CHECK_OK(weft_exec_create(program, NULL, &x, &d), &d);
  CHECK_OK(weft_exec_prepare(x, NULL, 0, NULL, &d), &d);
  double seconds = check_seconds() - begin;
  if (check_too_long(seconds, 5 * MOST_SECONDS))
    check_failed(__FILE__, __LINE__, "%.1f s: %s", seconds, running);
  alarm(0);
  weft_exec_destroy(x);
  weft_program_release(program);
  weft__text_deinit(&t);
}

TEST(a_node_of_50000_inputs_takes_no_time_to_plan) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.package_path = "", .threads = 1};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  signal(SIGALRM, say_running);
  plan_wide(e, "ConcatV2", 50000, "const");
  plan_wide(e, "ConcatV2", 50000, "input");
  plan_wide(e, "AddN", 50000, "const");
  plan_wide(e, "AddN", 50000, "input");
  signal(SIGALRM, SIG_DFL);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
