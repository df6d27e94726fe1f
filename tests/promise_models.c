// promise_models.c - is the memory that is promised for the largest inputs kept, model by model?
//   promise_models [--threads N] FILE...
// Each open dim of the inputs gets a range: up to twice the size that it has in the recorded inputs beside
// the model (NAME.npz; without them: up to 8), less where that size does not run. Then the model runs at the
// largest size, the smallest and some between: no run may take more than was promised, the largest at least
// 10/11 of it.
//
// One line a model: holds | static | broken | loose | open (the plan ends before the program does, and why) |
// left (the largest size does not run, and why). Exit status 1 if one is broken or loose.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weft/weft.h"

enum { MAX_IN = 64, MAX_DIMS = 64, SAMPLES = 6 };
static const double slack = 1.1;
static const uint64_t rounding_bytes = 64;

// One open size: of a name, or of the one dim that has none.
typedef struct open_dim {
  char name[128];  // "": none
  size_t input, axis;
  int64_t seen;  // in the recorded inputs; -1: none there
  int64_t lo, hi, now;
} open_dim;

typedef struct model_case {
  weft_env *env;
  const char *path;
  weft_npz *recorded;
  open_dim dim[MAX_DIMS];
  size_t n_dims;
  weft_program *program;
  weft_exec *planned;  // holds the name of the promise's open value
  weft_memory_plan promise;
  uint64_t largest_peak;
  size_t runs, refused;
  char why[512];  // of what was not shown
} model_case;

typedef enum verdict { HOLDS, STATIC, BROKEN, LOOSE, OPEN, LEFT, VERDICTS } verdict;
static const char *const verdict_names[] = {"holds", "static", "broken", "loose", "open", "left"};

// ---- open dims and what was recorded ----
// A name, without the quotes of one that is no word; false: arithmetic.
static bool read_name(char *text) {
  size_t n = strlen(text);
  if (n > 1 && text[0] == '"' && text[n - 1] == '"' && !strchr(text + 1, '\\')) {
    memmove(text, text + 1, n - 2);
    text[n - 2] = 0;
    return true;
  }
  return n && !strpbrk(text, "+-*/(), ?");
}

static int64_t recorded_dim(const model_case *m, const char *input, size_t axis) {
  weft_diag d = {0};
  weft_tensor t;
  size_t at;
  int64_t size = -1;
  if (!m->recorded || !weft_npz_find(m->recorded, input, &at))
    return -1;
  weft_tensor_init(&t, NULL);
  if (!weft_npz_get(m->recorded, at, &t, &d) && axis < t.layout.origin.rank)
    size = t.layout.origin.dim[axis];
  weft_tensor_deinit(&t);
  return size;
}

static bool add_open_dim(model_case *m, const char *name, const char *input, size_t i, size_t axis) {
  for (size_t k = 0; *name && k < m->n_dims; k++) {
    if (!strcmp(m->dim[k].name, name))
      return true;
  }
  if (m->n_dims == MAX_DIMS)
    return false;
  open_dim *o = &m->dim[m->n_dims++];
  *o = (open_dim){.input = i, .axis = axis, .seen = recorded_dim(m, input, axis)};
  snprintf(o->name, sizeof o->name, "%s", name);
  return true;
}

static bool find_open_dims(model_case *m, weft_graph *g) {
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    weft_tensor_desc desc;
    weft_value *v = weft_graph_input_at(g, i);
    weft_value_desc(v, &desc);
    const weft_shape *s = &desc.layout.origin;
    if (desc.kind != WEFT_KIND_TENSOR || weft_shape_is_unknown_rank(s))
      return false;
    for (size_t k = 0; k < s->rank; k++) {
      char text[128];
      if (s->dim[k] >= 0)
        continue;
      weft_dim_text(weft_graph_symbols(g), s->dim[k], text, sizeof text);
      bool name = weft_dim_is_symbol(s->dim[k]) && read_name(text);
      if (weft_dim_is_symbol(s->dim[k]) && !name)
        continue;  // arithmetic on names that stand elsewhere
      if (!add_open_dim(m, name ? text : "", weft_value_name(v), i, k))
        return false;
    }
  }
  return true;
}

// ---- graphs with these sizes ----
static weft_status bound_unnamed(const model_case *m, weft_graph *g, bool now, weft_diag *d) {
  weft_status s = WEFT_OK;
  for (size_t i = 0; !s && i < weft_graph_n_inputs(g); i++) {
    weft_tensor_desc desc;
    weft_value *v = weft_graph_input_at(g, i);
    weft_value_desc(v, &desc);
    desc.min = desc.max = desc.layout.origin;
    bool any = false;
    for (size_t k = 0; k < desc.min.rank; k++) {
      if (desc.min.dim[k] < 0)
        weft_dim_bounds(weft_graph_symbols(g), desc.layout.origin.dim[k], &desc.min.dim[k], &desc.max.dim[k]);
    }
    for (size_t k = 0; k < m->n_dims; k++) {
      const open_dim *o = &m->dim[k];
      if (*o->name || o->input != i)
        continue;
      any = true;
      desc.min.dim[o->axis] = now ? o->now : o->lo;
      desc.max.dim[o->axis] = now ? o->now : o->hi;
    }
    desc.has_range = any;
    if (any)
      s = weft_graph_input_reshape(v, &desc, d);
  }
  return s;
}

// The model with every open dim in its range, or with the size that it has now.
static weft_status load_bounded(const model_case *m, bool now, weft_graph **out, weft_diag *d) {
  weft_status s = weft_model_load(m->env, m->path, out, d);
  if (s)
    return s;
  for (size_t k = 0; k < m->n_dims; k++) {
    const open_dim *o = &m->dim[k];
    if (*o->name) {
      (void)weft_dim_symbol(weft_graph_symbols(*out), o->name, strlen(o->name), now ? o->now : o->lo,
                            now ? o->now : o->hi);
    }
  }
  s = bound_unnamed(m, *out, now, d);
  if (s)
    weft_graph_destroy(*out);
  return s;
}

// ---- runs ----
static void fill(const model_case *m, const char *name, weft_tensor *t) {
  weft_diag d = {0};
  weft_tensor from;
  size_t at;
  int64_t n = weft_tensor_elems(t);
  int64_t have = 0;
  weft_tensor_init(&from, NULL);
  if (m->recorded && weft_npz_find(m->recorded, name, &at) && !weft_npz_get(m->recorded, at, &from, &d) &&
      from.dtype == t->dtype)
    have = weft_tensor_elems(&from);
  for (int64_t i = 0; i < n && t->dtype != WEFT_STRING; i++) {
    if (weft_dtype_is_integer(t->dtype) || t->dtype == WEFT_BOOL) {
      weft_store_i64(t->dtype, t->data, (size_t)i,
                     have > 0 ? weft_load_i64(t->dtype, from.data, (size_t)(i % have)) : 1);
    } else {
      weft_store_f64(
          t->dtype, t->data, (size_t)i,
          have > 0 ? weft_load_f64(t->dtype, from.data, (size_t)(i % have)) : 1.0 / (double)(i % 7 + 1));
    }
  }
  weft_tensor_deinit(&from);
}

// The inputs at the sizes of now. Their dims are those of a graph that was loaded with them, arithmetic and
// all.
static weft_status make_inputs(const model_case *m, weft_tensor *in, size_t *n_in, weft_diag *d) {
  weft_graph *g = NULL;
  weft_status s = load_bounded(m, true, &g, d);
  if (s)
    return s;
  for (size_t i = 0; !s && i < weft_graph_n_inputs(g); i++) {
    weft_tensor_desc desc;
    weft_value *v = weft_graph_input_at(g, i);
    weft_value_desc(v, &desc);
    weft_shape *shape = &desc.layout.origin;
    for (size_t k = 0; k < shape->rank; k++) {
      int64_t lo = shape->dim[k];
      int64_t hi;
      if (lo < 0)
        weft_dim_bounds(weft_graph_symbols(g), shape->dim[k], &lo, &hi);
      if (shape->dim[k] == -1 && desc.has_range)
        lo = desc.min.dim[k];
      shape->dim[k] = lo;
    }
    weft_tensor_init(&in[*n_in], NULL);
    s = weft_tensor_alloc(&in[*n_in], desc.dtype, shape->dim, shape->rank, d);
    if (!s)
      fill(m, weft_value_name(v), &in[*n_in]);
    *n_in += 1;
  }
  weft_graph_destroy(g);
  return s;
}

// Bytes of intermediate tensors at the peak of one run in an exec of its own.
static weft_status run_peak(const model_case *m, uint64_t *peak, weft_diag *d) {
  static weft_tensor in[MAX_IN];
  static weft_tensor out[MAX_IN];
  const weft_tensor *ins[MAX_IN];
  weft_tensor *outs[MAX_IN];
  weft_exec *x = NULL;
  weft_exec_stats stats = {.size = sizeof stats};
  size_t n_in = 0;
  size_t n_out = weft_graph_n_outputs(weft_program_graph(m->program));
  weft_status s = n_out > MAX_IN ? WEFT_E_LIMIT : make_inputs(m, in, &n_in, d);
  for (size_t i = 0; i < n_in; i++)
    ins[i] = &in[i];
  for (size_t i = 0; i < n_out; i++) {
    weft_tensor_init(&out[i], NULL);
    outs[i] = &out[i];
  }
  if (!s)
    s = weft_exec_create(m->program, NULL, &x, d);
  if (!s)
    s = weft_exec_run(x, ins, n_in, outs, n_out, d);
  if (!s)
    weft_exec_get_stats(x, &stats);
  *peak = stats.peak_bytes;
  for (size_t i = 0; i < n_in; i++)
    weft_tensor_deinit(&in[i]);
  for (size_t i = 0; i < n_out; i++)
    weft_tensor_deinit(&out[i]);
  weft_exec_destroy(x);
  return s;
}

// ---- one model ----
static void forget(model_case *m) {
  weft_exec_destroy(m->planned);
  weft_program_release(m->program);
  m->planned = NULL;
  m->program = NULL;
}

static int note_rest(void *ctx, const char *data, size_t bytes) {
  model_case *m = ctx;
  size_t used = strlen(m->why);
  size_t room = sizeof m->why - 1 - used;
  memcpy(m->why + used, data, bytes < room ? bytes : room);
  m->why[used + (bytes < room ? bytes : room)] = 0;
  const char *line = strrchr(m->why, '\n');
  if (line && line[1])
    memmove(m->why, line + 1, strlen(line));
  return 0;
}

// Promise and a run at the largest size. False: this model with these ranges has none, m->why says the
// reason.
static bool promised(model_case *m) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  m->promise = (weft_memory_plan){.size = sizeof m->promise};
  m->runs = m->refused = 0;
  weft_status s = load_bounded(m, false, &g, &d);
  if (!s)
    s = weft_compile(g, NULL, &m->program, &d);
  if (!s)
    s = weft_exec_create(m->program, NULL, &m->planned, &d);
  if (!s)
    s = weft_exec_prepare_largest(m->planned, &m->promise, &d);
  for (size_t k = 0; k < m->n_dims; k++)
    m->dim[k].now = m->dim[k].hi;
  if (!s)
    s = run_peak(m, &m->largest_peak, &d);
  if (s)
    snprintf(m->why, sizeof m->why, "%s", d.text);
  for (char *c = m->why; *c; c++) {
    if (*c == '\n')
      *c = ' ';
  }
  if (s)
    forget(m);
  return !s;
}

static void set_ranges(model_case *m, int way) {
  int64_t first = m->dim[0].seen < 0 ? 4 : m->dim[0].seen;  // of inputs that are not recorded: texts
  for (size_t k = 0; k < m->n_dims; k++) {
    open_dim *o = &m->dim[k];
    int64_t seen = o->seen < 0 ? first : o->seen;
    o->lo = way < 2 ? 1 : seen;
    o->hi = way == 0 ? seen * 2 + (seen == 1 ? 2 : 0) : seen;
  }
}

static void next_sample(model_case *m, uint64_t *state, int sample) {
  for (size_t k = 0; k < m->n_dims; k++) {
    open_dim *o = &m->dim[k];
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    uint64_t width = (uint64_t)(o->hi - o->lo) + 1;
    o->now = sample == 0 ? o->lo : o->lo + (int64_t)((*state >> 33) % width);
  }
}

static verdict judge(model_case *m) {
  uint64_t all = m->promise.arena_bytes + m->promise.open_bytes;
  uint64_t state = 1;
  if (!m->promise.whole) {
    weft_diag d = {0};
    m->why[0] = 0;
    if (weft_exec_print_plan(m->planned, note_rest, m, &d))
      snprintf(m->why, sizeof m->why, "%s", d.text);
    return OPEN;
  }
  uint64_t peak = m->largest_peak;
  for (int i = 0; i < SAMPLES && peak <= all; i++) {
    weft_diag d = {0};
    next_sample(m, &state, i);
    if (run_peak(m, &peak, &d)) {
      m->refused++;
      peak = 0;
    } else
      m->runs++;
  }
  if (peak > all) {
    size_t n = (size_t)snprintf(m->why, sizeof m->why, "a run takes %llu bytes, promised are %llu; sizes",
                                (unsigned long long)peak, (unsigned long long)all);
    for (size_t k = 0; k < m->n_dims && n < sizeof m->why; k++)
      n += (size_t)snprintf(m->why + n, sizeof m->why - n, " %lld", (long long)m->dim[k].now);
    return BROKEN;
  }
  if (m->promise.open_value || (double)all <= slack * (double)m->largest_peak + (double)rounding_bytes)
    return HOLDS;
  snprintf(m->why, sizeof m->why, "promised are %llu bytes, the largest run takes %llu",
           (unsigned long long)all, (unsigned long long)m->largest_peak);
  return LOOSE;
}

static bool open_model(model_case *m) {
  char npz[4096];
  weft_diag d = {0};
  weft_graph *g = NULL;
  size_t n = strlen(m->path);
  snprintf(npz, sizeof npz, "%.*s.npz", (int)(n > 5 ? n - 5 : n), m->path);
  if (weft_npz_open(npz, &m->recorded, &d))
    m->recorded = NULL;
  weft_diag_clear(&d);
  if (weft_model_load(m->env, m->path, &g, &d)) {
    snprintf(m->why, sizeof m->why, "%s", d.text);
    return false;
  }
  bool known = weft_graph_n_inputs(g) <= MAX_IN && find_open_dims(m, g);
  if (!known)
    snprintf(m->why, sizeof m->why, "inputs of unknown rank, no tensors, or too many");
  weft_graph_destroy(g);
  return known;
}

static verdict check_model(model_case *m) {
  if (!open_model(m))
    return LEFT;
  if (!m->n_dims)
    return STATIC;
  bool ready = false;
  for (int way = 0; !ready && way < 3; way++) {
    set_ranges(m, way);
    ready = promised(m);
  }
  return ready ? judge(m) : LEFT;
}

int main(int argc, char **argv) {
  size_t count[VERDICTS] = {0};
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--threads") && i + 1 < argc) {
      o.threads = (uint32_t)strtoul(argv[++i], NULL, 10);
      continue;
    }
    static model_case m;
    m = (model_case){.path = argv[i]};
    if (weft_env_create(&o, &m.env, &d))
      return 2;
    verdict v = check_model(&m);
    count[v]++;
    if (v != STATIC) {
      printf("%-6s %s", verdict_names[v], m.path);
      if (v == HOLDS && m.promise.open_value) {
        printf(": at most %llu bytes beside the arena, '%s' first", (unsigned long long)m.promise.open_bytes,
               m.promise.open_value);
      }
      printf("%s%s\n", v == HOLDS ? "" : ": ", v == HOLDS ? "" : m.why);
    }
    fflush(stdout);
    forget(&m);
    weft_npz_close(m.recorded);
    weft_env_destroy(m.env);
  }
  for (int v = 0; v < VERDICTS; v++)
    printf("%s%zu %s", v ? ", " : "", count[v], verdict_names[v]);
  printf("\n");
  return count[BROKEN] || count[LOOSE];
}
// SPDX-License-Identifier: Apache-2.0
