// deadline_test.c - a deadline ends every operator: its examples with a dim (and integers that are equal to
// it) blown up to thousands or millions, interpreted and compiled, with 50 ms to run. What goes on for half a
// second of processor time after that fails; no operator is excepted.
//
// `make test` takes every sixtieth operator and a few blown-up examples of it (CHECK_SEED=1 to 59: the other
// ones), CHECK_LONG=1 all; CHECK_OP=Name one operator, CHECK_VERBOSE=1 says how many runs the deadline ended.
#include "base/base.h"
#include "check.h"
#include "op/example.h"
#include "weft/weft.h"

enum {
  SLOW_IN = 16,
  SLOW_OUT = 16,
  SLOW_DIMS = 8,
  SLOW_VALUES = 64,
  SLOW_STRINGS = 1 << 14,
  SLOW_FEW = 2,
  SLOW_SHARE = 60,
  SLOW_TRIES = 3
};
static const uint64_t slow_limit_ns = 50000000;
static const double slow_most_seconds = 0.5;
static const size_t slow_memory = (size_t)384 << 20;
static const int64_t slow_elems = 1 << 22;

// The dim that is blown up.
typedef struct slow_growth {
  int64_t from;
  size_t in, axis;  // SIZE_MAX: wherever it stands
} slow_growth;

typedef struct slow {
  weft_env *env;
  const weft__example *ex;
  weft_diag d;
  slow_growth grown;
  int64_t to;
  bool constants;  // small integers that inference reads are constants
  weft_tensor in[SLOW_IN];
  bool made[SLOW_IN];
  const weft_tensor *given[SLOW_IN];
  size_t n_given, n_out;
  size_t ended, runs;
} slow;

// ---- inputs ----
static bool slow_is_value(const slow *s, size_t i) {
  const weft_tensor *t = s->ex->in_ptr[i];
  bool integers = t && t->kind == WEFT_KIND_TENSOR && weft_dtype_is_integer(t->dtype);
  if (!integers || weft_tensor_elems(t) > SLOW_VALUES)
    return false;
  for (uint32_t k = 0; k < s->ex->proto->n_in && k <= i; k++) {
    if (s->ex->proto->in[k].value && k == i)
      return true;
  }
  return false;
}

static weft_status slow_strings(const weft_tensor *from, const weft_dim *dims, size_t rank, size_t n,
                                weft_tensor *to, weft_diag *d) {
  const char **text = calloc(n, sizeof *text);
  size_t *bytes = calloc(n, sizeof *bytes);
  size_t have = (size_t)weft_tensor_elems(from);
  weft_status s = text && bytes ? WEFT_OK : WEFT_E_NOMEM;
  for (size_t i = 0; !s && i < n; i++)
    s = weft_tensor_string(from, i % have, &text[i], &bytes[i], d);
  if (!s)
    s = weft_tensor_set_strings(to, dims, rank, text, bytes, d);
  free(text);
  free(bytes);
  return s;
}

// The example's elements over and over; integers that are equal to the dim grow with it.
static weft_status slow_fill(const slow *s, const weft_tensor *from, weft_tensor *to, bool value) {
  size_t n = to->bytes;
  size_t have = from->bytes;
  if (!n || !have)
    return WEFT_OK;
  memcpy(to->data, from->data, WEFT_MIN(have, n));
  for (size_t at = have; at < n; at *= 2)  // what is there once more
    memcpy((char *)to->data + at, to->data, WEFT_MIN(at, n - at));
  for (int64_t i = 0; value && i < weft_tensor_elems(to); i++) {
    if (weft_load_i64(to->dtype, to->data, (size_t)i) == s->grown.from)
      weft_store_i64(to->dtype, to->data, (size_t)i, s->to);
  }
  return WEFT_OK;
}

// Input i, blown up. E_LIMIT: too large to be of use.
static weft_status slow_input(slow *s, size_t i) {
  const weft_tensor *from = s->ex->in_ptr[i];
  const weft_shape *shape = &from->layout.origin;
  weft_dim dims[WEFT_MAX_RANK];
  int64_t n = 1;
  if (from->kind != WEFT_KIND_TENSOR || from->format != WEFT_ND)
    return WEFT_E_UNSUPPORTED;
  for (size_t k = 0; k < shape->rank; k++) {
    bool here = s->grown.in == SIZE_MAX || (s->grown.in == i && s->grown.axis == k);
    dims[k] = here && shape->dim[k] == s->grown.from ? s->to : shape->dim[k];
    if (dims[k] && n > slow_elems / dims[k])
      return WEFT_E_LIMIT;
    n *= dims[k];
  }
  if (n && !weft_tensor_elems(from))
    return WEFT_E_LIMIT;
  weft_tensor_init(&s->in[i], NULL);
  s->made[i] = true;
  if (from->dtype == WEFT_STRING) {
    return n > SLOW_STRINGS || !n ? WEFT_E_LIMIT
                                  : slow_strings(from, dims, shape->rank, (size_t)n, &s->in[i], &s->d);
  }
  WEFT_TRY(weft_tensor_alloc(&s->in[i], from->dtype, dims, shape->rank, &s->d));
  return slow_fill(s, from, &s->in[i], slow_is_value(s, i));
}

static void slow_drop(slow *s) {
  for (size_t i = 0; i < SLOW_IN; i++) {
    if (s->made[i]) {
      weft_tensor_deinit(&s->in[i]);
      s->made[i] = false;
    }
  }
}

// ---- graphs ----
static weft_graph *slow_graph(slow *s) {
  const weft__example *ex = s->ex;
  weft_graph *g = NULL;
  weft_node *n = NULL;
  weft_value *in[SLOW_IN] = {NULL};
  weft_use use = weft__example_use(ex);
  weft_status st = weft_graph_create(s->env, "slow", &g, &s->d);
  s->n_given = 0;
  for (size_t i = 0; !st && i < ex->n_in; i++) {
    char name[16];
    if (!ex->in_ptr[i])
      continue;
    snprintf(name, sizeof name, "x%zu", i);
    const weft_tensor *t = &s->in[i];
    if (s->constants && slow_is_value(s, i)) {
      in[i] = weft_graph_const(g, name, t, WEFT_CONST_COPY, &s->d);
    } else {
      in[i] = weft_graph_input(g, name, t->dtype, t->layout.origin.dim, t->layout.origin.rank, &s->d);
      s->given[s->n_given++] = t;
    }
    if (!in[i])
      st = s->d.status;
  }
  if (!st)
    st = weft_graph_add(g, ex->proto->name, &use, in, ex->n_in, &n, &s->d);
  for (uint32_t i = 0; !st && weft_node_out(n, i); i++)
    st = weft_graph_output(g, weft_node_out(n, i), &s->d);
  if (!st && weft_graph_n_outputs(g) <= SLOW_OUT)
    return g;
  weft_graph_destroy(g);
  return NULL;
}

// ---- runs ----
// A loaded machine makes a run look longer, never shorter: one that took too long is tried again.
static bool slow_too_long(double seconds) {
  return check_too_long(seconds, slow_most_seconds + (double)slow_limit_ns * 1e-9);
}

static void slow_judge(slow *s, weft_status st, double seconds, const char *how) {
  s->runs++;
  if (st == WEFT_E_LIMIT && strstr(s->d.text, "time limit"))
    s->ended++;
  if (!slow_too_long(seconds))
    return;
  check_failed(__FILE__, __LINE__, "%s, %s: %.2f s with %lld for %lld (%s): %.200s", s->ex->proto->name, how,
               seconds, (long long)s->to, (long long)s->grown.from, weft_status_name(st), s->ex->text);
}

static void slow_interpret(slow *s) {
  const weft_limits l = {sizeof l, slow_memory, slow_limit_ns, NULL};
  const weft_interp_options o = {.size = sizeof o, .limits = &l};
  weft_tensor out[SLOW_OUT];
  weft_graph *g = slow_graph(s);
  if (!g)
    return;
  size_t n_out = weft_graph_n_outputs(g);
  weft_status st = weft_graph_infer(g, NULL, NULL, &s->d);
  if (!st) {
    double seconds = INFINITY;
    for (size_t tries = 0; slow_too_long(seconds) && tries < SLOW_TRIES; tries++) {
      double begin = check_seconds();
      st = weft_interp_run(g, &o, s->given, s->n_given, out, n_out, &s->d);
      seconds = check_seconds() - begin;
      for (size_t i = 0; i < n_out; i++)
        weft_tensor_deinit(&out[i]);
    }
    slow_judge(s, st, seconds, "interpreted");
  }
  weft_graph_destroy(g);
}

static void slow_compile(slow *s) {
  const weft_exec_options o = {
      .size = sizeof o, .memory_limit_bytes = slow_memory, .time_limit_ns = slow_limit_ns, .threads = 1};
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_tensor out[SLOW_OUT];
  weft_tensor *outs[SLOW_OUT];
  weft_graph *g = slow_graph(s);
  if (!g)
    return;
  size_t n_out = weft_graph_n_outputs(g);
  for (size_t i = 0; i < n_out; i++) {
    weft_tensor_init(&out[i], NULL);
    outs[i] = &out[i];
  }
  weft_status st = weft_compile(g, NULL, &p, &s->d);
  if (!st)
    st = weft_exec_create(p, &o, &x, &s->d);
  if (!st) {
    double seconds = INFINITY;
    for (size_t tries = 0; slow_too_long(seconds) && tries < SLOW_TRIES; tries++) {
      double begin = check_seconds();
      st = weft_exec_run(x, s->given, s->n_given, outs, n_out, &s->d);
      seconds = check_seconds() - begin;
    }
    slow_judge(s, st, seconds, "compiled");
  }
  for (size_t i = 0; i < n_out; i++)
    weft_tensor_deinit(&out[i]);
  weft_exec_destroy(x);
  weft_program_release(p);
}

static void slow_run(slow *s) {
  weft_status st = WEFT_OK;
  weft_diag_clear(&s->d);
  for (size_t i = 0; !st && i < s->ex->n_in; i++) {
    if (s->ex->in_ptr[i])
      st = slow_input(s, i);
  }
  if (!st)
    slow_interpret(s);
  weft_diag_clear(&s->d);
  if (!st)
    slow_compile(s);
  slow_drop(s);
}

// ---- every example, every dim ----
// All dims that are equal grow together, as products and convolutions need it; then each of them alone, where
// there are several.
static size_t slow_growths(const weft__example *ex, slow_growth *out) {
  size_t n = 0;
  size_t alone = 0;
  slow_growth one[SLOW_DIMS];
  for (size_t i = 0; i < ex->n_in; i++) {
    const weft_tensor *t = ex->in_ptr[i];
    for (size_t k = 0; t && t->kind == WEFT_KIND_TENSOR && k < t->layout.origin.rank; k++) {
      int64_t d = t->layout.origin.dim[k];
      bool seen = d <= 0 || n == SLOW_DIMS;
      for (size_t j = 0; j < n; j++)
        seen |= out[j].from == d;
      if (!seen)
        out[n++] = (slow_growth){d, SIZE_MAX, SIZE_MAX};
      if (d > 0 && alone < SLOW_DIMS)
        one[alone++] = (slow_growth){d, i, k};
    }
  }
  if (!n)
    out[n++] = (slow_growth){4, SIZE_MAX, SIZE_MAX};  // integers alone
  for (size_t j = 0; j < alone && alone > 1; j++)
    out[n++] = one[j];
  return n;
}

static void slow_example(weft_env *e, const weft_proto *p, const char *text, size_t *ended) {
  static const int64_t sizes[] = {1 << 22, 1 << 16, 1 << 11};
  weft_diag d = {0};
  weft__example ex;
  slow_growth growth[2 * SLOW_DIMS + 1];
  weft_status st = weft__example_parse(e, p, text, &ex, &d);
  size_t n = !st && ex.runs && !ex.fails && ex.n_in <= SLOW_IN ? slow_growths(&ex, growth) : 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < WEFT_COUNT(sizes); k++) {
      slow s = {.env = e, .ex = &ex, .grown = growth[i], .to = sizes[k]};
      s.constants = ex.n_in > 1;
      if (*ended < SLOW_FEW || check_long())
        slow_run(&s);
      *ended += s.ended;
    }
  }
  weft__example_deinit(&ex);
}

TEST(a_deadline_ends_every_operator) {
  weft_env *e = NULL;
  weft_diag d = {0};
  const char *one = getenv("CHECK_OP");
  weft_env_options o = {.package_path = "", .threads = 1};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  for (size_t i = 0; i < weft_proto_count(e, false); i++) {
    const weft_proto *p = weft_proto_at(e, i, false);
    size_t ended = 0;
    bool mine = one ? !strcmp(one, p->name) : check_long() || i % SLOW_SHARE == check_seed() % SLOW_SHARE;
    if (weft_proto_source(p) != WEFT_FROM_BUILTIN || !mine)
      continue;
    double begin = check_seconds();
    for (const char *const *line = weft_proto_op(p)->examples; line && *line; line++)
      slow_example(e, p, *line, &ended);
    if (getenv("CHECK_VERBOSE"))
      printf("%s: %zu ended, %.1f s\n", p->name, ended, check_seconds() - begin);
  }
  weft_env_destroy(e);
}

// ---- what attributes ask for ----
// Little memory, and work that attributes multiply.
static const char *const slow_graphs[] = {
    "input x: f32[1,1,1500,1500] node y: MaxPoolV3(x) {ksize=[1,1,700,700], strides=[1,1,1,1], "
    "padding_mode=\"CALCULATED\", pads=[0,0,0,0], data_format=\"NCHW\"} -> y output y",
    "input x: f16[1,1,1500,1500] node y: MaxPoolV3(x) {ksize=[1,1,700,700], strides=[1,1,1,1], "
    "padding_mode=\"CALCULATED\", pads=[0,0,0,0], data_format=\"NCHW\"} -> y output y",
    "input x: f32[1,1,1500,1500] node y: AvgPoolV2(x) {ksize=[700,700], strides=[1,1], pads=[0,0,0,0]} -> y "
    "output y",
    "input x: f32[1,1,1500,1500] node y: MaxPoolWithArgmaxV3(x) {ksize=[700,700], strides=[1,1], "
    "pads=[0,0,0,0], "
    "dilation=[1,1]} -> y, i output y output i",
    "input x: f32[1,65536,8] node y: LRN(x) {size=60001, data_format=\"NCHW\"} -> y output y",
    // four million channels of five elements
    "input x: f32[1,1,3] const w: f32[1,4194304,1]{0..} node y: ConvTranspose(x, w) {strides=[2], "
    "auto_pad=\"SAME_UPPER\"} -> y output y",
    // windows of half a million taps
    "input x: f32[1,1,1500,1500] const w: f32[1,1,700,700]{0..} node y: Conv2D(x, w) {strides=[1,1,1,1], "
    "pads=[0,0,0,0], data_format=\"NCHW\"} -> y output y",
    "input x: f32[1,2,1500,1500] const w: f32[2,1,700,700]{0..} node y: Conv(x, w) {group=2} -> y output y",
    "input x: f32[1,1,900,900] const w: f32[1,1,700,700]{0..} node y: ConvTranspose(x, w) {} -> y output y",
    "input x: f32[1,2,900,900] const w: f32[2,1,700,700]{0..} node y: ConvTranspose(x, w) {group=2} -> y "
    "output y",
    "input x: u8[1,1,1500,1500] const v: i32[1,1,700,700]{0..} node w: Cast(v) {dst_type=4} -> w "
    "node y: ConvInteger(x, w) {} -> y output y",
    "input x: f64[1,1,1500,1500] const w: f64[1,1,700,700]{0..} node y: Conv(x, w) {} -> y output y",
    "input x: f16[1,1,1500,1500] const w: f16[1,1,700,700]{0..} node y: Conv(x, w) {} -> y output y",
    // regions of many samples an output
    "input x: f32[1,1,8,8] const r: f32[1,4]{0,0,8,8} const i: i64[1]{0} node y: RoiAlign(x, r, i) "
    "{output_height=64, output_width=64, sampling_ratio=4000} -> y output y",
    "input x: f64[1,1,8,8] const r: f64[1,4]{0,0,8,8} const i: i64[1]{0} node y: RoiAlign(x, r, i) "
    "{output_height=64, output_width=64, spatial_scale=30000.0} -> y output y",
    "input q: f32[1,16384,64] node y: PromptFlashAttention(q, q, q) {num_heads=1} -> y output y",
};

static void slow_graph_run(weft_env *e, const char *body, bool interpreted) {
  const weft_limits l = {sizeof l, slow_memory, slow_limit_ns, NULL};
  const weft_interp_options io = {.size = sizeof io, .limits = &l};
  const weft_exec_options xo = {
      .size = sizeof xo, .memory_limit_bytes = slow_memory, .time_limit_ns = slow_limit_ns, .threads = 1};
  char text[600];
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_tensor in;
  weft_tensor out[2];
  weft_tensor *outs[2] = {&out[0], &out[1]};
  weft_tensor_desc desc;
  snprintf(text, sizeof text, "graph \"g\" { %s }", body);
  weft_status st = weft_graph_parse(e, text, strlen(text), "slow", &g, &d);
  if (!st)
    st = weft_graph_infer(g, NULL, NULL, &d);
  if (st) {
    check_failed(__FILE__, __LINE__, "%s: %s", body, d.text);
    weft_graph_destroy(g);
    return;
  }
  size_t n_out = weft_graph_n_outputs(g);
  weft_value_desc(weft_graph_input_at(g, 0), &desc);
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out[0], NULL);
  weft_tensor_init(&out[1], NULL);
  st = weft_tensor_alloc(&in, desc.dtype, desc.layout.origin.dim, desc.layout.origin.rank, &d);
  const weft_tensor *ins[1] = {&in};
  if (!st && !interpreted)
    st = weft_compile(g, NULL, &p, &d);
  if (!st && !interpreted)
    st = weft_exec_create(p, &xo, &x, &d);
  double seconds = st ? 0 : INFINITY;
  for (size_t tries = 0; slow_too_long(seconds) && tries < SLOW_TRIES; tries++) {
    double begin = check_seconds();
    for (size_t i = 0; interpreted && i < n_out; i++)
      weft_tensor_deinit(&out[i]);
    st = interpreted ? weft_interp_run(g, &io, ins, 1, out, n_out, &d)
                     : weft_exec_run(x, ins, 1, outs, n_out, &d);
    seconds = check_seconds() - begin;
  }
  if (getenv("CHECK_VERBOSE"))
    printf("%.2f s, %s: %.80s\n", seconds, interpreted ? "interpreted" : "compiled", body);
  if (slow_too_long(seconds) || (st && st != WEFT_E_LIMIT)) {
    check_failed(__FILE__, __LINE__, "%s, %s: %.2f s: %s", interpreted ? "interpreted" : "compiled", body,
                 seconds, d.text);
  }
  weft_tensor_deinit(&in);
  weft_tensor_deinit(&out[0]);
  weft_tensor_deinit(&out[1]);
  weft_exec_destroy(x);
  weft_program_release(p);
  if (interpreted)
    weft_graph_destroy(g);
}

TEST(a_deadline_ends_what_attributes_multiply) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.package_path = "", .threads = 1};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  for (size_t i = 0; i < WEFT_COUNT(slow_graphs); i++) {
    slow_graph_run(e, slow_graphs[i], true);
    slow_graph_run(e, slow_graphs[i], false);
  }
  weft_env_destroy(e);
}

// ---- one long row ----
// One block, however long it is; the kernel asks within it.
extern const weft_kernel weft__kernel_pad_v3;
static size_t slow_asked;
static size_t slow_stop_at;

static bool slow_stopped(void *of) {
  (void)of;
  return ++slow_asked == slow_stop_at;
}
static weft_status slow_run_counted(const weft_block *b) {
  weft_block_run r = {*b, slow_stopped, NULL};
  r.block.size = sizeof r;
  return weft__kernel_pad_v3.run(&r.block);
}
static double slow_cheapest(const weft_tiling *t) {
  (void)t;
  return 0;
}

TEST(a_long_row_of_pad_asks_within_it) {
  static const char text[] =
      "graph \"g\" { input x: f32[4] const p: i64[2]{2000000,2000000} "
      "node y: PadV3(x, p) {mode=\"constant\"} -> y output y }";
  const weft_env_options eo = {.package_path = "", .threads = 1};
  weft_kernel counted = weft__kernel_pad_v3;
  weft_tensor from;
  weft_tensor to;
  const weft_tensor *in[1] = {&from};
  weft_tensor *out[1] = {&to};
  weft_env *e = NULL;
  weft_graph *g = NULL;
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_diag d = {0};
  counted.name = "counted";
  counted.run = slow_run_counted;
  counted.cost_ns = slow_cheapest;
  weft_tensor_init(&from, NULL);
  weft_tensor_init(&to, NULL);
  CHECK_OK(weft_env_create(&eo, &e, &d), &d);
  CHECK_OK(weft_register_kernel(e, &counted, &d), &d);
  CHECK_OK(weft_graph_parse(e, text, strlen(text), "row", &g, &d), &d);
  CHECK_OK(weft_compile(g, NULL, &p, &d), &d);
  CHECK_OK(weft_exec_create(p, NULL, &x, &d), &d);
  CHECK_OK(weft_tensor_alloc(&from, WEFT_FLOAT, (const weft_dim[]){4}, 1, &d), &d);
  slow_asked = slow_stop_at = 0;
  CHECK_OK(weft_exec_run(x, in, 1, out, 1, &d), &d);
  CHECK(slow_asked >= 14);  // 16 MB
  slow_asked = 0;
  slow_stop_at = 3;
  CHECK_FAILS(weft_exec_run(x, in, 1, out, 1, &d), WEFT_E_CANCELLED);
  CHECK_INT(slow_asked, 3);
  weft_tensor_deinit(&from);
  weft_tensor_deinit(&to);
  weft_exec_destroy(x);
  weft_program_release(p);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
