// bisect.c - the interpreter's values are kept by name; a compiled run is watched, and stops at the first
// value that is not what the interpreter found. Then the number of changes that passes may make is halved
// until one is left. Values of sub-graphs are not compared: their names repeat from turn to turn; what they
// give is. Cost: about 2 + log2(changes) compiles and runs.
#include "base/told.h"
#include "base/allocated.h"
#include "weft/debug.h"

#include <math.h>

#include "ir/ir.h"
#include "tensor/tensor.h"

typedef struct bisect {
  weft_bisect_model_fn model;
  void *model_ctx;
  const weft_tensor *const *in;
  size_t n_in;
  weft_bisect_options o;
  weft_allocator alloc;
  weft_graph *reference;     // keeps the names of `values`
  weft_map values;           // name -> weft_tensor, of the interpreter
  weft_map given;            // name -> const weft_tensor, made elsewhere
  const weft_graph *g;       // of the program that runs
  weft_bisect_result *r;     // of this run
  const weft_node *node;     // that differs
  weft_map seen;             // names of values that agree
  uint64_t counted, wanted;  // lines of the report
  weft_diag *d;
} bisect;

static void bisect_say(const bisect *b, const char *fmt, ...) WEFT_PRINTF(2, 3);
static void bisect_say(const bisect *b, const char *fmt, ...) {
  char text[256];
  va_list ap;
  if (!b->o.progress)
    return;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  b->o.progress(b->o.progress_ctx, text);
}

// ---- the reference ----
static weft_status bisect_keep(void *ctx, const weft_value *v, const weft_tensor *t) {
  bisect *b = ctx;
  if (v->graph != b->reference)
    return WEFT_OK;
  weft_tensor *copy = weft__alloc(&b->alloc, sizeof *copy, _Alignof(weft_tensor));
  if (!copy)
    return WEFT_E_NOMEM;
  weft_tensor_init(copy, &b->alloc);
  weft_status s = weft_tensor_copy(copy, t, b->d);
  if (!s && weft__map_set(&b->values, v->name, strlen(v->name), copy))
    s = weft_fail(b->d, WEFT_E_NOMEM, "out of memory");
  if (!s)
    return WEFT_OK;
  weft_tensor_deinit(copy);
  weft__free(&b->alloc, copy, sizeof *copy, _Alignof(weft_tensor));
  return s;
}

static weft_tensor *tensors(const bisect *b, size_t n) {
  weft_tensor *t = weft__alloc(&b->alloc, (n + 1) * sizeof *t, 16);
  for (size_t i = 0; t && i < n; i++)
    weft_tensor_init(&t[i], &b->alloc);
  if (!t)
    (void)weft_fail(b->d, WEFT_E_NOMEM, "out of memory");
  return t;
}
static void free_tensors(const bisect *b, weft_tensor *t, size_t n) {
  for (size_t i = 0; t && i < n; i++)
    weft_tensor_deinit(&t[i]);
  weft__free(&b->alloc, t, (n + 1) * sizeof *t, 16);
}

// Values from elsewhere that have the name of one of the model, in its order or not.
static weft_status take_given(bisect *b) {
  for (size_t i = 0; i < b->o.n_given; i++) {
    const char *name = b->o.given_names[i];
    const weft_value *v = weft_graph_find_value(b->reference, name);
    if (!v || v->origin != WEFT_VALUE_NODE)
      continue;
    WEFT_TRY(weft__allocated(!weft__map_set(&b->given, name, strlen(name), (void *)(uintptr_t)b->o.given[i]),
                             b->d));
  }
  if (!b->o.n_given || b->given.n)
    return WEFT_OK;
  return weft_fail(b->d, WEFT_E_NOT_FOUND,
                   "none of the %zu given values has the name of a value of the model, as '%s'", b->o.n_given,
                   weft_graph_n_outputs(b->reference) ? weft_graph_output_at(b->reference, 0)->name : "");
}

static weft_status run_reference(bisect *b) {
  bisect_say(b, "running the model with the reference kernels");
  WEFT_TRY(b->model(b->model_ctx, &b->reference, b->d));
  b->alloc = b->reference->root->alloc;
  weft__map_init(&b->values, &b->alloc);
  weft__map_init(&b->given, &b->alloc);
  weft__map_init(&b->seen, &b->alloc);
  WEFT_TRY(weft_graph_states_out(b->reference, b->d));
  WEFT_TRY(weft_graph_infer(b->reference, NULL, NULL, b->d));
  WEFT_TRY(take_given(b));
  weft_interp_options o = {.size = sizeof o, .watch = bisect_keep, .watch_ctx = b};
  size_t n = weft_graph_n_outputs(b->reference);
  weft_tensor *out = tensors(b, n);
  if (!out)
    return WEFT_E_NOMEM;
  weft_status s = weft_interp_run(b->reference, &o, b->in, b->n_in, out, n, b->d);
  free_tensors(b, out, n);
  return s;
}

// ---- comparing ----
static bool same_number(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static weft_status compare_floats(bisect *b, const weft_tensor *got, const weft_tensor *want, weft_diag *d) {
  int64_t n = weft_tensor_elems(want);
  int64_t bad = 0;
  int64_t first = -1;
  int64_t worst = -1;
  int64_t finite = 0;
  double square = 0, most = 0;
  for (int64_t i = 0; i < n; i++) {
    double x = weft_load_f64(want->dtype, want->data, (size_t)i);
    if (isfinite(x)) {
      square += x * x;
      finite++;
    }
  }
  double scale = finite ? sqrt(square / (double)finite) : 0;
  for (int64_t i = 0; i < n; i++) {
    double x = weft_load_f64(got->dtype, got->data, (size_t)i),
           y = weft_load_f64(want->dtype, want->data, (size_t)i);
    double error = fabs(x - y);
    if (same_number(x, y) || error <= b->o.atol + b->o.rtol * fmax(fabs(y), scale))
      continue;
    if (!bad++)
      first = i;
    if (worst < 0 || !(error <= most)) {
      // NaN is the largest
      worst = i;
      most = error;
    }
  }
  if (!bad)
    return WEFT_OK;
  b->r->max_error = most;
  b->r->got = weft_load_f64(got->dtype, got->data, (size_t)worst);
  b->r->want = weft_load_f64(want->dtype, want->data, (size_t)worst);
  return weft_fail(
      d, WEFT_E_DIFFERENT,
      "%lld of %lld elements differ, the first is element %lld; the largest error is %.6g at element "
      "%lld: %.9g, expected %.9g",
      (long long)bad, (long long)n, (long long)first, most, (long long)worst, b->r->got, b->r->want);
}

// Integers may be `steps` apart; what is further is told as of floats.
static bool bisect_near(const bisect *b, const weft_tensor *got, const weft_tensor *want) {
  const int64_t n = weft_tensor_elems(want);
  for (int64_t i = 0; i < n; i++) {
    const int64_t x = weft_load_i64(got->dtype, got->data, (size_t)i);
    const int64_t y = weft_load_i64(want->dtype, want->data, (size_t)i);
    const uint64_t apart = x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
    if (apart > b->o.steps)
      return false;
  }
  return true;
}

// Types may differ among `dtypes` where values were given: who made them may compute in another float.
static bool bisect_alike(const bisect *b, const weft_tensor *got, const weft_tensor *want,
                         weft_dtype_set dtypes) {
  const bool types = (dtypes & WEFT_BIT(got->dtype)) && (dtypes & WEFT_BIT(want->dtype)) &&
                     (got->dtype == want->dtype || b->o.n_given);
  return got->kind == WEFT_KIND_TENSOR && want->kind == WEFT_KIND_TENSOR && types &&
         got->format == want->format && weft_shape_equal(&got->layout.origin, &want->layout.origin) &&
         weft_shape_equal(&got->layout.storage, &want->layout.storage);
}

static void copy_text(char *to, size_t cap, const char *text) {
  snprintf(to, cap, "%s", text ? text : "");
}

// The largest error of the run, whether it is allowed or not.
static void keep_largest(bisect *b, const char *name, const weft_tensor *got, const weft_tensor *want) {
  weft_bisect_result *r = b->r;
  weft_difference x = {0};
  weft_difference_add(&x, got, want);
  const bool larger = x.compared && (x.max_abs > r->largest.max_abs || !r->largest.compared);
  if (!larger)
    return;
  r->largest = x;
  copy_text(r->largest_value, sizeof r->largest_value, name);
}

static weft_status bisect_compare(bisect *b, const weft_tensor *got, const weft_tensor *want, weft_diag *d) {
  b->r->max_error = b->r->got = b->r->want = (double)NAN;
  if (bisect_alike(b, got, want, WEFT_FLOATS | WEFT_FLOAT8S))
    return compare_floats(b, got, want, d);
  if (b->o.steps && bisect_alike(b, got, want, WEFT_SET_INTEGER) && bisect_near(b, got, want))
    return WEFT_OK;
  return weft_tensor_compare(got, want, b->o.rtol, b->o.atol, d);
}

static void tell_inputs(const bisect *b, const weft_node *n, char *to, size_t cap) {
  size_t at = 0;
  for (uint32_t i = 0; i < n->desc.pub.n_in; i++) {
    const weft_value *v = n->in[i].value;
    const char *how = "not compared";
    if (!v)
      continue;
    if (!v->node)
      how = v->origin == WEFT_VALUE_CONST ? "constant" : "graph input";
    else if (weft__map_find(&b->seen, v->name, strlen(v->name)))
      how = "as expected";
    weft__append(to, cap, &at, "%s'%.80s' (%s)", at ? ", " : "", v->name, how);
  }
}

static void bisect_tell(bisect *b, const weft_value *v, const char *text) {
  weft_bisect_result *r = b->r;
  r->differs = true;
  copy_text(r->value, sizeof r->value, v->name);
  copy_text(r->text, sizeof r->text, text);
  b->node = v->node;
  if (!v->node)
    return;
  const weft_origin *o = weft_node_origin(v->node);
  copy_text(r->node, sizeof r->node, weft__node_name(v->node));
  copy_text(r->type, sizeof r->type, weft__node_type(v->node));
  copy_text(r->source, sizeof r->source, o ? o->name : NULL);
  tell_inputs(b, v->node, r->inputs, sizeof r->inputs);
}

// What value `v` should be; false: nobody says. Given ones know no formats: they get those of `t`.
static bool wanted(const bisect *b, const weft_value *v, const weft_tensor *t, weft_tensor *out) {
  const weft_map *from = b->o.n_given ? &b->given : &b->values;
  const weft_tensor *want = weft__map_find(from, v->name, strlen(v->name));
  if (!want)
    return false;
  *out = *want;
  if (b->o.n_given) {
    out->format = t->format;
    out->origin_format = t->origin_format;
  }
  return true;
}

// Is the interpreter's value another than the given one, too?
static bool meant_otherwise(bisect *b, const weft_value *v, const weft_tensor *want) {
  weft_diag why = {0};
  const weft_tensor *found = b->o.n_given ? weft__map_find(&b->values, v->name, strlen(v->name)) : NULL;
  if (!found)
    return false;
  weft_tensor given = *want;
  given.format = found->format;
  given.origin_format = found->origin_format;
  const weft_bisect_result keep = *b->r;
  const bool otherwise = bisect_compare(b, found, &given, &why) != WEFT_OK;
  *b->r = keep;
  return otherwise;
}

static weft_status bisect_look(void *ctx, const weft_value *v, const weft_tensor *t) {
  bisect *b = ctx;
  weft_diag why = {0};
  weft_tensor own;
  weft_tensor *want = &own;
  if (v->graph != b->g || !wanted(b, v, t, want))
    return WEFT_OK;
  b->r->compared++;
  keep_largest(b, v->name, t, want);
  weft_status s = bisect_compare(b, t, want, &why);
  if (!s)
    return weft__map_set(&b->seen, v->name, strlen(v->name), b) ? WEFT_E_NOMEM : WEFT_OK;
  bisect_tell(b, v, why.text);
  b->r->by_meaning = meant_otherwise(b, v, want);
  return weft_fail(b->d, WEFT_E_DIFFERENT, "value '%s' differs", v->name);
}

// ---- one compile and run ----
static void bisect_count(void *ctx, const weft_pass_report *line) {
  bisect *b = ctx;
  if (line->skipped || ++b->counted != b->wanted)
    return;
  copy_text(b->r->pass, sizeof b->r->pass, line->pass);
  snprintf(b->r->report, sizeof b->r->report, "%s%s%s", line->node, *line->node ? ": " : "", line->text);
}

static weft_status compile(bisect *b, const char *extra, weft_program **out) {
  const char **list = weft__alloc(&b->alloc, (b->o.n_options + 1) * sizeof *list, 16);
  WEFT_TRY(weft__allocated(list, b->d));
  for (size_t i = 0; i < b->o.n_options; i++)
    list[i] = b->o.options[i];
  list[b->o.n_options] = extra;
  weft_optimize_options passes = {.size = sizeof passes, .report = bisect_count, .report_ctx = b};
  weft_compile_options c = {
      .size = sizeof c, .options = list, .n_options = b->o.n_options + (extra ? 1 : 0), .passes = &passes};
  b->counted = 0;
  weft_graph *g = NULL;
  weft_status s = b->model(b->model_ctx, &g, b->d);
  if (!s)
    s = weft_compile(g, &c, out, b->d);
  weft__free(&b->alloc, list, (b->o.n_options + 1) * sizeof *list, 16);
  return s;
}

static void find_kernel(bisect *b, const weft_exec *x) {
  const weft_launch_record *r;
  size_t n = weft_exec_profile(x, &r);
  for (size_t i = 0; b->node && i < n; i++) {
    if (r[i].node == weft__node_name(b->node))
      copy_text(b->r->kernel, sizeof b->r->kernel, r[i].kernel);
  }
}

// Outputs that no launch produced: constants, views.
static weft_status look_at_outputs(bisect *b, weft_tensor *const *out, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const weft_value *v = weft_graph_output_at(b->g, i);
    if (weft__map_find(&b->seen, v->name, strlen(v->name)))
      continue;
    WEFT_TRY(bisect_look(b, v, out[i]));
  }
  return WEFT_OK;
}

static weft_status run_and_look(bisect *b, weft_exec *x, weft_tensor *out, weft_tensor **list, size_t n) {
  for (size_t i = 0; i < n; i++)
    list[i] = &out[i];
  WEFT_TRY(weft_exec_run(x, b->in, b->n_in, list, n, b->d));
  return look_at_outputs(b, list, n);
}

static weft_status run_program(bisect *b, weft_program *p, weft_exec *x) {
  size_t n = weft_program_n_outputs(p);
  weft_tensor *out = tensors(b, n);
  weft_tensor **list = weft__alloc(&b->alloc, (n + 1) * sizeof *list, 16);
  weft_status s = out && list ? WEFT_OK : weft_fail(b->d, WEFT_E_NOMEM, "out of memory");
  if (!s)
    s = run_and_look(b, x, out, list, n);
  if (b->r->differs)
    find_kernel(b, x);
  weft__free(&b->alloc, list, (n + 1) * sizeof *list, 16);
  free_tensors(b, out, n);
  return s;
}

// Compiles with one more option, runs and compares; what it found is in *r.
static weft_status try_one(bisect *b, const char *extra, weft_bisect_result *r) {
  weft_program *p = NULL;
  weft_exec *x = NULL;
  bisect_say(b, "compiling and running%s%s", extra ? " with " : "", extra ? extra : "");
  memset(r, 0, sizeof *r);
  b->r = r;
  b->node = NULL;
  weft__map_deinit(&b->seen);
  weft__map_init(&b->seen, &b->alloc);
  WEFT_TRY(compile(b, extra, &p));
  b->g = weft_program_graph(p);
  weft_exec_options o = {
      .size = sizeof o, .threads = b->o.threads, .watch = bisect_look, .watch_ctx = b, .profile = true};
  weft_status s = weft_exec_create(p, &o, &x, b->d);
  if (!s)
    s = run_program(b, p, x);
  if (s && r->differs) {
    weft_diag_clear(b->d);
    s = WEFT_OK;
  }
  weft_exec_destroy(x);
  weft_program_release(p);
  return s;
}

// ---- the search ----
static weft_status search(bisect *b, uint64_t changes, weft_bisect_result *found) {
  // passes-limit
  uint64_t good = 0;
  uint64_t bad = changes;
  weft_bisect_result *r = weft__alloc(&b->alloc, sizeof *r, 16);
  WEFT_TRY(weft__allocated(r, b->d));
  weft_status s = WEFT_OK;
  while (!s && good < bad) {
    uint64_t middle = bad - good > 1 ? good + (bad - good) / 2 : bad;
    char option[64];
    snprintf(option, sizeof option, "passes-limit=%llu", (unsigned long long)middle);
    b->wanted = middle;
    s = try_one(b, option, r);
    if (s)
      break;
    if (!r->differs && middle == bad) {
      s = weft_fail(b->d, WEFT_E_STATE,
                    "with %llu changes of the passes the model differs, and another time it does not",
                    (unsigned long long)bad);
      break;
    }
    if (!r->differs) {
      good = middle;
      continue;
    }
    *found = *r;
    bad = middle;
    if (good + 1 == bad)
      break;
  }
  found->by_passes = true;
  found->change = bad;
  found->n_changes = changes;
  weft__free(&b->alloc, r, sizeof *r, 16);
  return s;
}

// Do the caller's options leave no pass on? Then "passes=0" once more finds the same again.
static bool bisect_is_plain(const bisect *b) {
  static const char precision[] = "precision_mode=";
  bool plain = false;
  for (size_t i = 0; i < b->o.n_options; i++) {
    const char *o = b->o.options[i];
    const size_t n = strlen(o);
    const bool is_off = n > 2 && !strcmp(o + n - 2, "=0");
    if (!strcmp(o, "passes=0"))
      plain = true;
    else if (!is_off && strncmp(o, precision, sizeof precision - 1))
      plain = false;
  }
  return plain;
}

static weft_status bisect_work(bisect *b, weft_bisect_result *out) {
  weft_bisect_result plain;
  WEFT_TRY(run_reference(b));
  WEFT_TRY(try_one(b, NULL, out));
  uint64_t changes = b->counted;
  if (bisect_is_plain(b))
    return WEFT_OK;
  const bool hidden = b->o.n_given && !out->differs && out->compared < b->given.n;
  if (hidden)
    return try_one(b, "passes=0", out);  // given values that passes leave nothing of are there without
  if (!out->differs || !changes)
    return WEFT_OK;
  WEFT_TRY(try_one(b, "passes=0", &plain));
  if (plain.differs) {  // the fault is a kernel's or the runtime's: shown on the model's own nodes
    *out = plain;
    return WEFT_OK;
  }
  return search(b, changes, out);
}

weft_status weft_bisect(weft_bisect_model_fn model, void *model_ctx, const weft_tensor *const *in,
                        size_t n_in, const weft_bisect_options *o, weft_bisect_result *out, weft_diag *d) {
  WEFT_NEED(d, model);
  WEFT_NEED_LIST(d, in, n_in);
  WEFT_NEED(d, out);
  weft_diag own = {0};
  bisect b = {.model = model, .model_ctx = model_ctx, .in = in, .n_in = n_in, .d = &own};
  weft_bisect_result r = {0};
  WEFT_SIZED_IN(&b.o, o, progress_ctx);
  if (b.o.rtol <= 0)
    b.o.rtol = b.o.zero_tolerance ? 0 : 1e-3;
  if (b.o.atol <= 0)
    b.o.atol = b.o.zero_tolerance ? 0 : 1e-6;
  weft_status s = bisect_work(&b, &r);
  WEFT_SIZED_OUT(out, &r, report);
  if (b.reference) {
    for (size_t i = 0; i < b.values.n; i++) {
      weft_tensor *t = b.values.entries[i].value;
      weft_tensor_deinit(t);
      weft__free(&b.alloc, t, sizeof *t, _Alignof(weft_tensor));
    }
    weft__map_deinit(&b.values);
    weft__map_deinit(&b.given);
    weft__map_deinit(&b.seen);
  }
  weft_graph_destroy(b.reference);
  return s ? weft_fail(d, s, "%s", own.text) : WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
