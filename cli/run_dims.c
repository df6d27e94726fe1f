// run_dims.c - `weft run`: a model whose dims by name are given different sizes. Compiling relies on equal
// names being equal sizes, so the inputs are looked at first, and where they break a name the model is loaded
// again with a symbol for every dim of its inputs.
#include "run.h"

typedef struct dims_seen {
  weft_dim dim;
  int64_t size;
  const char *input;
} dims_seen;

enum { DIMS_MOST = 256 };
typedef struct dims_look {
  const weft_graph *g;
  dims_seen seen[DIMS_MOST];
  size_t n;
  char broken[512];  // what the inputs say of one name; "": nothing is wrong
} dims_look;

// Does any symbol stand in two dims of inputs?
static bool dims_shared(const weft_graph *g) {
  weft_dim all[DIMS_MOST];
  weft_tensor_desc desc;
  size_t n = 0;
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    weft_value_desc(weft_graph_input_at(g, i), &desc);
    const weft_shape *s = &desc.layout.origin;
    const size_t rank = weft_shape_is_unknown_rank(s) ? 0 : s->rank;
    for (size_t k = 0; k < rank && n < DIMS_MOST; k++) {
      if (!weft_dim_is_symbol(s->dim[k])) continue;
      for (size_t m = 0; m < n; m++)
        if (weft_dim_same(all[m], s->dim[k])) return true;
      all[n++] = s->dim[k];
    }
  }
  return false;
}

static void dims_note(dims_look *l, const dims_seen *was, const char *input, int64_t size) {
  char name[128];
  weft_dim_text(weft_graph_symbols(l->g), was->dim, name, sizeof name);
  snprintf(l->broken, sizeof l->broken, "dim '%s' is %lld in input '%.100s' and %lld in input '%.100s'", name,
           (long long)was->size, was->input, (long long)size, input);
}

static void dims_look_at(dims_look *l, const weft_value *v, const weft_tensor *t) {
  weft_tensor_desc desc;
  weft_value_desc(v, &desc);
  const weft_shape *s = &desc.layout.origin, *got = &t->layout.origin;
  if (weft_shape_is_unknown_rank(s) || t->kind != WEFT_KIND_TENSOR || got->rank != s->rank) return;
  for (size_t k = 0; k < s->rank; k++) {
    const dims_seen *was = NULL;
    if (!weft_dim_is_symbol(s->dim[k])) continue;
    for (size_t m = 0; m < l->n && !was; m++)
      if (weft_dim_same(l->seen[m].dim, s->dim[k])) was = &l->seen[m];
    if (was && was->size != got->dim[k] && !*l->broken) dims_note(l, was, weft_value_name(v), got->dim[k]);
    if (!was && l->n < DIMS_MOST) l->seen[l->n++] = (dims_seen){s->dim[k], got->dim[k], weft_value_name(v)};
  }
}

// The inputs of one run. What is wrong with them is said when they are read to be run.
static void dims_look_at_set(const job *j, size_t number, dims_look *l) {
  static data_set set;
  const size_t n = weft_graph_n_inputs(l->g);
  weft_tensor *in = calloc(n + 1, sizeof *in);
  weft_diag quiet = {0};
  for (size_t i = 0; in && i < n; i++) weft_tensor_init(&in[i], NULL);
  l->n = 0;
  set_init(&set, j, number);
  weft_status s = in ? set_open(&set, j, l->g, &quiet) : WEFT_E_NOMEM;
  if (!s) s = read_inputs(j, &set, l->g, in, &quiet);
  for (size_t i = 0; !s && i < n; i++) dims_look_at(l, weft_graph_input_at(l->g, i), &in[i]);
  set_deinit(&set, j);
  for (size_t i = 0; in && i < n; i++) weft_tensor_deinit(&in[i]);
  free(in);
}

static weft_status dims_load(const job *j, weft_env *e, const weft_onnx_options *o, weft_graph **out,
                             weft_diag *d) {
  WEFT_TRY(load_graph_with(e, j->model, o, out, d));
  weft_status s = set_shapes(*out, &j->shapes, d);
  if (!s) return WEFT_OK;
  weft_graph_destroy(*out);
  *out = NULL;
  return s;
}

weft_status load_for_inputs(const job *j, weft_env *e, weft_graph **out, weft_diag *d) {
  static dims_look look;
  job looking = *j;
  looking.looking = true;
  WEFT_TRY(dims_load(j, e, NULL, out, d));
  if (!dims_shared(*out)) return WEFT_OK;
  look = (dims_look){.g = *out};
  for (size_t i = 0; i < (j->n_sets ? j->n_sets : 1) && !*look.broken; i++)
    dims_look_at_set(&looking, i, &look);
  if (!*look.broken || j->strict) return WEFT_OK;
  weft_graph_destroy(*out);
  const weft_onnx_options apart = {.size = sizeof apart, .separate_dims = true};
  WEFT_TRY(dims_load(j, e, &apart, out, d));
  if (!dims_shared(*out))
    fprintf(stderr, "weft: warning: %s: nothing relies on names of dims in this run (--strict refuses it)\n",
            look.broken);
  return WEFT_OK;
}
