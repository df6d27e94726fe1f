// liars_test.c - models that lie: each operator's examples become graphs whose outputs are declared smaller,
// larger, of another rank or dtype, and whose axes, shapes and counts come when they run, right ones and
// wrong ones. A compiled run must end with the interpreter's status, and give its bits (floats: within what
// kernels round).
//
// `make test` runs one case in SHARE, always the same ones, about 20,000; CHECK_LONG=1 (make check-long) all.
#include "base/base.h"
#include "check.h"
#include "op/example.h"
#include "rows.h"
#include "weft/weft.h"

enum {
  SHARE = 27,  // odd: the hash has the low bits of the case's number
  LIAR_IN = 16,
  LIAR_OUT = 8,
  LIAR_ELEMS = 16
};
static const size_t liar_limit = (size_t)64 << 20;

typedef enum liar_claim {
  CLAIM_NONE,
  CLAIM_ONES,
  CLAIM_LARGER,
  CLAIM_RANK_UP,
  CLAIM_RANK_DOWN,
  CLAIM_DTYPE,
  CLAIMS
} liar_claim;
// What is done to the contents of an input that inference reads.
typedef enum liar_twist {
  TWIST_NONE,
  TWIST_UP,
  TWIST_DOWN,
  TWIST_ZERO,
  TWIST_LARGE,
  TWIST_NEGATIVE,
  TWISTS
} liar_twist;

typedef struct liar {
  rows r;
  const weft__example *example;
  liar_claim claim;
  bool open_dims, consumer, passes;
  const weft_tensor *in[LIAR_IN];  // as they are given
  size_t n_in, n_out, runs;
} liar;

// ---- graphs ----
static bool liar_shape(const weft_tensor_desc *is, liar_claim claim, weft_tensor_desc *out) {
  weft_dim dims[WEFT_MAX_RANK];
  const weft_shape *s = &is->layout.origin;
  weft_dtype dtype = is->dtype;
  size_t rank = s->rank;
  if (weft_shape_is_unknown_rank(s) || rank + 1 > WEFT_MAX_RANK)
    return false;
  for (size_t i = 0; i < rank; i++)
    dims[i] = claim == CLAIM_ONES ? 1 : s->dim[i] < 0 ? 2 : s->dim[i];
  if (claim == CLAIM_LARGER) {
    for (size_t i = 0; i < rank; i++)
      dims[i] = dims[i] * 3 + 100;
  }
  if (claim == CLAIM_RANK_UP)
    dims[rank++] = 3;
  if (claim == CLAIM_RANK_DOWN && rank)
    rank--;
  if (claim == CLAIM_DTYPE)
    dtype = dtype == WEFT_INT8 ? WEFT_FLOAT : WEFT_INT8;
  weft_desc_init(out);
  return !weft_desc_set(out, dtype, WEFT_ND, dims, rank);
}

static weft_value *liar_input(liar *l, weft_graph *g, size_t i) {
  const weft_tensor *t = l->example->in_ptr[i];
  weft_tensor_desc desc;
  char name[16];
  snprintf(name, sizeof name, "x%zu", i);
  weft_desc_init(&desc);
  desc.dtype = t->dtype;
  desc.kind = t->kind;
  desc.format = t->format;
  desc.origin_format = t->origin_format;
  desc.layout = t->layout;
  if (t->kind != WEFT_KIND_TENSOR)
    desc.dtype = t->item_dtype;
  if (l->open_dims && t->format == WEFT_ND && t->kind == WEFT_KIND_TENSOR) {
    for (size_t k = 0; k < desc.layout.origin.rank; k++)
      desc.layout.origin.dim[k] = desc.layout.storage.dim[k] = -1;
  }
  return weft_graph_input_desc(g, name, &desc, &l->r.d);
}

// The example as a graph whose inputs all come when it runs. NULL: it cannot be one.
static weft_graph *liar_graph(liar *l) {
  const weft__example *ex = l->example;
  weft_graph *g = NULL;
  weft_node *n = NULL;
  weft_value *in[LIAR_IN];
  weft_diag *d = &l->r.d;
  weft_diag_clear(d);
  weft_use use = weft__example_use(ex);
  weft_status s = weft_graph_create(l->r.env, "g", &g, d);
  for (size_t i = 0; !s && i < ex->n_in; i++) {
    in[i] = ex->in_ptr[i] ? liar_input(l, g, i) : NULL;
    if (ex->in_ptr[i] && !in[i])
      s = d->status;
  }
  if (!s)
    s = weft_graph_add(g, ex->proto->name, &use, in, ex->n_in, &n, d);
  for (uint32_t i = 0; !s && i < weft_node_desc(n)->n_out; i++) {
    weft_value *y = weft_node_out(n, i);
    weft_tensor_desc is = {0};
    weft_tensor_desc said;
    if (i < ex->n_out) {
      is.dtype = ex->out[i].dtype;
      is.layout = ex->out[i].layout;
    }
    bool tensor = i < ex->n_out && ex->out[i].kind == WEFT_KIND_TENSOR;
    if (l->claim && tensor && liar_shape(&is, l->claim, &said))
      s = weft_value_declare(y, &said, d);
    bool number = tensor && (is.dtype == WEFT_FLOAT || is.dtype == WEFT_INT32);
    if (!s && l->consumer && number)
      s = weft_graph_op1(g, "Neg", NULL, &y, 1, &y, d);
    if (!s)
      s = weft_graph_output(g, y, d);
  }
  if (!s)
    return g;
  weft_graph_destroy(g);
  return NULL;
}

// ---- running ----
static weft_status liar_interpret(liar *l, weft_tensor *out, weft_diag *d) {
  weft_interp_options o = {.size = sizeof o, .memory_limit_bytes = liar_limit};
  weft_graph *g = liar_graph(l);
  if (!g)
    return WEFT_E_STATE;
  l->n_out = weft_graph_n_outputs(g);
  weft_status s = l->n_out > LIAR_OUT ? WEFT_E_LIMIT : weft_graph_infer(g, NULL, NULL, d);
  if (!s)
    s = weft_interp_run(g, &o, l->in, weft_graph_n_inputs(g), out, l->n_out, d);
  weft_graph_destroy(g);
  return s;
}

static weft_status liar_compiled(liar *l, weft_tensor *const *out, weft_diag *d) {
  weft_exec_options o = {.size = sizeof o, .memory_limit_bytes = liar_limit};
  static const char *const plain[] = {"passes=0"};
  weft_compile_options c = {.size = sizeof c, .options = plain, .n_options = l->passes ? 0 : 1};
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_graph *g = liar_graph(l);
  if (!g)
    return WEFT_E_STATE;
  size_t n_in = weft_graph_n_inputs(g);
  weft_status s = weft_compile(g, &c, &p, d);
  if (!s)
    s = weft_exec_create(p, &o, &x, d);
  if (!s)
    s = weft_exec_run(x, l->in, n_in, out, l->n_out, d);
  weft_exec_destroy(x);
  weft_program_release(p);
  return s;
}

static bool liar_bounded(weft_status s) {
  return s == WEFT_E_LIMIT || s == WEFT_E_NOMEM;
}

static void liar_tell(const liar *l, const char *what, const char *a, const char *b) {
  check_failed(__FILE__, __LINE__, "%s %s (claim %d%s%s%s): %s: %s | interpreter: %s",
               l->example->proto->name, l->example->text, l->claim, l->open_dims ? ", open dims" : "",
               l->consumer ? ", consumer" : "", l->passes ? ", passes" : "", what, a, b);
}

static void liar_compare(liar *l) {
  weft_tensor want[LIAR_OUT];
  weft_tensor got[LIAR_OUT];
  weft_tensor *list[LIAR_OUT];
  weft_diag d = {0};
  weft_diag e = {0};
  for (size_t i = 0; i < LIAR_OUT; i++) {
    weft_tensor_init(&want[i], NULL);
    weft_tensor_init(&got[i], NULL);
    list[i] = &got[i];
  }
  weft_status expected = liar_interpret(l, want, &d);
  bool known = expected != WEFT_E_STATE && l->n_out <= LIAR_OUT;
  weft_status s = known ? liar_compiled(l, list, &e) : expected;
  l->runs++;
  if (s != expected && !liar_bounded(s) && !liar_bounded(expected))
    liar_tell(l, weft_status_name(s), e.text, expected ? d.text : "OK");
  for (size_t i = 0; known && !s && !expected && i < l->n_out; i++) {
    weft_diag_clear(&e);
    double bound = got[i].dtype == WEFT_FLOAT16 || got[i].dtype == WEFT_BF16 ? 0.02 : 1e-4;
    if (weft_tensor_compare(&got[i], &want[i], bound, bound, &e))
      liar_tell(l, "outputs differ", e.text, "");
  }
  for (size_t i = 0; i < LIAR_OUT; i++) {
    weft_tensor_deinit(&want[i]);
    weft_tensor_deinit(&got[i]);
  }
}

// ---- cases ----
static bool liar_chosen(uint64_t number) {
  return check_long() || (number + check_seed()) * UINT64_C(0x9E3779B97F4A7C15) % SHARE == 0;
}

static void liar_claims(liar *l, uint64_t *number) {
  for (int claim = CLAIM_NONE; claim < CLAIMS; claim++) {
    for (int how = 0; how < 8; how++) {
      if (!liar_chosen(++*number))
        continue;
      l->claim = (liar_claim)claim;
      l->open_dims = how & 1;
      l->consumer = how & 2;
      l->passes = how & 4;
      liar_compare(l);
    }
  }
}

static bool liar_twisted(const weft_tensor *t, liar_twist how, weft_tensor *out, weft_diag *d) {
  static const int64_t by[TWISTS] = {[TWIST_UP] = 1, [TWIST_DOWN] = -1};
  static const int64_t is[TWISTS] = {[TWIST_ZERO] = 0, [TWIST_LARGE] = 100, [TWIST_NEGATIVE] = -7};
  int64_t n = weft_tensor_elems(t);
  if (t->kind != WEFT_KIND_TENSOR || !weft_dtype_is_integer(t->dtype) || n < 1 || n > LIAR_ELEMS)
    return false;
  weft_tensor_init(out, NULL);
  if (weft_tensor_copy(out, t, d))
    return false;
  for (size_t i = 0; i < (size_t)n; i++) {
    int64_t was = weft_load_i64(t->dtype, t->data, i);
    weft_store_i64(t->dtype, out->data, i, by[how] ? (int64_t)((uint64_t)was + (uint64_t)by[how]) : is[how]);
  }
  return true;
}

static void liar_example(liar *l, uint64_t *number) {
  const weft__example *ex = l->example;
  size_t given[LIAR_IN];
  l->n_in = 0;
  for (size_t i = 0; i < ex->n_in; i++) {
    if (ex->in_ptr[i]) {
      given[l->n_in] = i;
      l->in[l->n_in++] = ex->in_ptr[i];
    }
  }
  liar_claims(l, number);
  for (size_t k = 0; k < l->n_in; k++) {
    for (int how = TWIST_UP; how < TWISTS; how++) {
      weft_tensor t;
      if (!liar_twisted(ex->in_ptr[given[k]], (liar_twist)how, &t, &l->r.d))
        continue;
      l->in[k] = &t;
      liar_claims(l, number);
      l->in[k] = ex->in_ptr[given[k]];
      weft_tensor_deinit(&t);
    }
  }
}

TEST(compiled_runs_of_liars_end_as_the_interpreter_does) {
  static liar l;
  uint64_t number = 0;
  if (!rows_open(&l.r, ""))
    return;
  for (size_t i = 0; i < weft_proto_count(l.r.env, false); i++) {
    const weft_proto *p = weft_proto_at(l.r.env, i, false);
    const weft_op *op = weft_proto_op(p);
    if (weft_proto_source(p) != WEFT_FROM_BUILTIN || op->graphs || (op->traits & WEFT_RANDOM))
      continue;
    // compiled, a state begins with a constant, never with an input, and a graph has an output
    if (!strcmp(p->name, "Variable") || !p->n_out)
      continue;
    for (const char *const *line = op->examples; line && *line; line++) {
      weft__example ex;
      weft_diag_clear(&l.r.d);
      weft_status s = weft__example_parse(l.r.env, p, *line, &ex, &l.r.d);
      l.example = &ex;
      if (!s && ex.runs && ex.n_in <= LIAR_IN)
        liar_example(&l, &number);
      weft__example_deinit(&ex);
    }
    l.r.log_bytes = 0;
  }
  printf("%zu runs of %llu\n", l.runs, (unsigned long long)number);
  rows_close(&l.r);
}
// SPDX-License-Identifier: Apache-2.0
