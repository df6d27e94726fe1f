// A run is bounded by the elements there are, not by the dims: every example of every built-in operator runs
// with tensors of no element, one dim of which is 0 and others 2^33 or 2^52, and with attributes and values
// that large; its kernels, too. Whether that gives outputs or an error is all the same here; what counts is
// that it comes at once: a loop over rows of nothing would go on for minutes. A case that does not end is
// named by an alarm. Ranks are as large as they may be, too: what adds an axis must look first.
#include <signal.h>
#include <unistd.h>

#include "check.h"
#include "op/example.h"
#include "weft/compile.h"
#include "weft/run.h"

enum {
  MOST_BYTES = 256 << 20,
  MOST_ELEMS = 1 << 20,
  MOST_IN = 32,
  MOST_OUT = 32,
  MOST_SIZES = 24,
  MOST_PLACES = 24,
  MOST_LIST = 8,
  MOST_SECONDS = 2,
  ALARM_SECONDS = 60
};
enum { HUGE_DIM = -3 };  // stands for `huge`
static int64_t huge;

static const struct {
  size_t rank;
  int64_t dim[5];
} SHAPES[] = {
    {0, {0}},
    {1, {0}},
    {2, {HUGE_DIM, 0}},
    {2, {0, HUGE_DIM}},
    {3, {HUGE_DIM, 0, 2}},
    {3, {2, HUGE_DIM, 0}},
    {3, {0, 2, HUGE_DIM}},
    {3, {2, 0, HUGE_DIM}},
    {3, {HUGE_DIM, HUGE_DIM, 0}},
    {3, {0, HUGE_DIM, HUGE_DIM}},
    {4, {HUGE_DIM, 0, 2, 2}},
    {4, {2, 2, HUGE_DIM, 0}},
    {4, {0, HUGE_DIM, 2, 2}},
    {4, {1, 1, HUGE_DIM, 0}},
    {4, {1, HUGE_DIM, HUGE_DIM, 0}},
    {4, {HUGE_DIM, HUGE_DIM, 0, 1}},
    {4, {HUGE_DIM, 0, HUGE_DIM, HUGE_DIM}},
    {5, {1, 2, 0, HUGE_DIM, 1}},
    {4, {0, 1 << 20, 1 << 20, 1 << 22}},
    {5, {0, 7, 1 << 20, 1 << 20, 1 << 22}},
    {WEFT_MAX_RANK, {0, 1, 1, 1, 1}},  // and so on
};

static check_alloc memory = {.most_bytes = MOST_BYTES};  // what is asked for beyond is refused
static char running[768];                                // the case at hand, for the alarm

static void say_running(int signal) {
  (void)signal;
  if (write(STDERR_FILENO, running, strlen(running)) < 0)
    _exit(3);
  _exit(2);
}

// An example's inputs with other dims and values, and its attributes with another number.
typedef struct variant {
  const weft__example *ex;
  weft_tensor in[MOST_IN];
  const weft_tensor *in_at[MOST_IN];
  weft_named_attr attrs[MOST_IN];
  int64_t list[MOST_LIST];  // of the attribute or the tensor that has another number
} variant;

static void begin(const weft__example *ex, variant *v) {
  v->ex = ex;
  for (size_t i = 0; i < ex->n_in; i++) {
    v->in_at[i] = NULL;
    if (!ex->in_ptr[i])
      continue;
    v->in[i] = *ex->in_ptr[i];
    v->in_at[i] = &v->in[i];
  }
  for (size_t i = 0; i < ex->n_attrs; i++)
    v->attrs[i] = ex->attrs[i];
}

// A tensor whose dims may change; an input with another number keeps its own.
static bool is_plain(const variant *v, size_t in) {
  const weft_tensor *t = v->in_at[in];
  return t && t->kind == WEFT_KIND_TENSOR && t->data && t->data != v->list && t->format == t->origin_format;
}

static void set_dim(variant *v, size_t in, size_t axis, int64_t size) {
  size = size == HUGE_DIM ? huge : size;
  if (is_plain(v, in))
    v->in[in].layout.origin.dim[axis] = v->in[in].layout.storage.dim[axis] = size;
}

// Everywhere where the example has this size.
static void set_size(variant *v, int64_t from, int64_t to) {
  for (size_t i = 0; i < v->ex->n_in; i++) {
    for (size_t k = 0; is_plain(v, i) && k < v->in[i].layout.origin.rank; k++) {
      if (v->ex->in_ptr[i]->layout.origin.dim[k] == from)
        set_dim(v, i, k, to);
    }
  }
}

static void set_shape(variant *v, size_t in, size_t shape) {
  if (!is_plain(v, in))
    return;
  weft_layout *l = &v->in[in].layout;
  l->origin.rank = l->storage.rank = SHAPES[shape].rank;
  for (size_t k = 0; k < SHAPES[shape].rank; k++)
    set_dim(v, in, k, k < WEFT_COUNT(SHAPES[shape].dim) ? SHAPES[shape].dim[k] : 1);
}

// The n-th number among the attributes becomes huge; false: there are fewer.
static bool set_number(variant *v, size_t n) {
  for (size_t i = 0; i < v->ex->n_attrs; i++) {
    weft_attr *a = &v->attrs[i].value;
    size_t have = a->type == WEFT_VT_INT ? 1 : a->type == WEFT_VT_LIST_INT && a->n <= MOST_LIST ? a->n : 0;
    if (n >= have) {
      n -= have;
      continue;
    }
    if (a->type == WEFT_VT_INT) {
      a->u.i = huge;
      return true;
    }
    memcpy(v->list, a->u.ints, a->n * sizeof *v->list);
    v->list[n] = huge;
    a->u.ints = v->list;
    return true;
  }
  return false;
}

// The same for the elements of inputs of integers.
static bool set_value(variant *v, size_t n) {
  for (size_t i = 0; i < v->ex->n_in; i++) {
    weft_tensor *t = &v->in[i];
    bool integers = is_plain(v, i) && (t->dtype == WEFT_INT32 || t->dtype == WEFT_INT64);
    size_t have = integers ? (size_t)weft_tensor_elems(t) : 0;
    have = have > MOST_LIST ? 0 : have;
    if (n >= have) {
      n -= have;
      continue;
    }
    memcpy(v->list, t->data, have * weft_dtype_bits(t->dtype) / 8);
    weft_store_i64(t->dtype, v->list, n, t->dtype == WEFT_INT64 ? huge : INT32_MAX);
    t->data = v->list;
    return true;
  }
  return false;
}

// Has each input as many elements as the example's, or none? A scalar takes the first one.
static bool is_sound(variant *v) {
  for (size_t i = 0; i < v->ex->n_in; i++) {
    weft_tensor *t = &v->in[i];
    const weft_tensor *was = v->ex->in_ptr[i];
    if (!v->in_at[i])
      continue;
    if (!t->data)
      return false;
    if (weft_shape_equal(&t->layout.origin, &was->layout.origin))
      continue;
    bool empty = false;
    for (size_t k = 0; k < t->layout.origin.rank; k++)
      empty |= t->layout.origin.dim[k] == 0;
    bool first = !t->layout.origin.rank && weft_tensor_elems(was) && weft_dtype_bits(t->dtype) >= 8;
    if (!empty && !first)
      return false;
    t->bytes = empty ? 0 : weft_dtype_bits(t->dtype) / 8;
  }
  return true;
}

static weft_use use_of(const variant *v) {
  weft_use use = weft__example_use(v->ex);
  use.attrs = v->attrs;
  return use;
}

// Outputs with elements are written, however many that are; only what is small comes at once.
static bool gives_little(weft_env *e, const variant *v) {
  weft_diag d = {0};
  weft_tensor_desc out[MOST_OUT];
  weft_use use = use_of(v);
  if (weft_infer_op(e, v->ex->proto, &use, v->in_at, v->ex->n_in, out, v->ex->n_out, &d))
    return false;
  for (size_t i = 0; i < v->ex->n_out; i++) {
    int64_t n = 0;
    if (!weft_shape_elems(&out[i].layout.storage, &n) && n > MOST_ELEMS)
      return false;
  }
  return true;
}

static void run_reference(weft_env *e, const variant *v) {
  weft_diag d = {0};
  weft_tensor out[MOST_OUT];
  weft_use use = use_of(v);
  if (!gives_little(e, v))
    return;
  weft_status s = weft_run_op(e, v->ex->proto, &use, v->in_at, v->ex->n_in, out, v->ex->n_out, NULL, &d);
  CHECK(!s || d.length);
  for (size_t i = 0; i < v->ex->n_out; i++)
    weft_tensor_deinit(&out[i]);
}

typedef struct model {  // one node
  weft_graph *graph;
  const weft_tensor *given[MOST_IN];  // what comes at run time
  size_t n_given, n_out;
} model;

static weft_value *add_input(model *m, const weft_tensor *t, size_t i, weft_diag *d) {
  char name[16];
  snprintf(name, sizeof name, "x%zu", i);
  if (weft_dtype_is_integer(t->dtype) && t->layout.origin.rank < 2)
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

static weft_status make_model(weft_env *e, const variant *v, model *m, weft_diag *d) {
  weft_value *in[MOST_IN];
  size_t n = 0;
  WEFT_TRY(weft_graph_create(e, "huge", &m->graph, d));
  for (size_t i = 0; i < v->ex->n_in; i++) {
    if (!v->in_at[i] && v->ex->in_counts)
      continue;
    in[n] = v->in_at[i] ? add_input(m, v->in_at[i], i, d) : NULL;
    if (d->status)
      return d->status;
    n++;
  }
  weft_use use = use_of(v);
  weft_node *node;
  WEFT_TRY(weft_graph_add(m->graph, v->ex->proto->name, &use, in, n, &node, d));
  for (; m->n_out < MOST_OUT && weft_node_out(node, (uint32_t)m->n_out); m->n_out++)
    WEFT_TRY(weft_graph_output(m->graph, weft_node_out(node, (uint32_t)m->n_out), d));
  return WEFT_OK;
}

static void run_compiled(weft_env *e, const variant *v) {
  weft_diag d = {0};
  model m = {.n_out = 0};
  weft_program *program = NULL;
  weft_exec *x = NULL;
  weft_tensor out[MOST_OUT];
  weft_tensor *out_at[MOST_OUT];
  weft_exec_options o = {.size = sizeof o, .threads = 1, .memory_limit_bytes = MOST_ELEMS};
  weft_status s = make_model(e, v, &m, &d);
  if (s)
    weft_graph_destroy(m.graph);
  else
    s = weft_compile(m.graph, NULL, &program, &d);
  if (!s)
    s = weft_exec_create(program, &o, &x, &d);
  for (size_t i = 0; i < m.n_out; i++) {
    weft_tensor_init(&out[i], NULL);
    out_at[i] = &out[i];
  }
  if (!s)
    s = weft_exec_run(x, m.given, m.n_given, out_at, m.n_out, &d);
  CHECK(!s || d.length);
  for (size_t i = 0; i < m.n_out; i++)
    weft_tensor_deinit(&out[i]);
  weft_exec_destroy(x);
  weft_program_release(program);
}

static void run(weft_env *e, variant *v) {
  if (!is_sound(v))
    return;
  size_t n = (size_t)snprintf(running, sizeof running, "no end: %s:", v->ex->proto->name);
  for (size_t i = 0; i < v->ex->n_in && n < sizeof running / 2; i++) {
    char text[256] = "-";
    if (v->in_at[i])
      weft_shape_text(&v->in[i].layout.origin, NULL, text, sizeof text);
    n += (size_t)snprintf(running + n, sizeof running - n, " %.64s", text);
  }
  n = WEFT_MIN(n, sizeof running - 1);
  snprintf(running + n, sizeof running - n, " of %.300s\n", v->ex->text);
  alarm(ALARM_SECONDS);
  double since = check_seconds();
  run_reference(e, v);
  run_compiled(e, v);
  double seconds = check_seconds() - since;
  if (check_too_long(seconds, MOST_SECONDS))
    check_failed(__FILE__, __LINE__, "%.1f s: %s", seconds, running);
}

// The dims that an example's inputs have: each size once, and each place.
typedef struct sizes {
  int64_t size[MOST_SIZES];
  struct sizes_place {
    size_t in, axis;
  } place[MOST_PLACES];
  size_t n, n_places;
} sizes;

static void find_sizes(const weft__example *ex, sizes *d) {
  d->n = d->n_places = 0;
  for (size_t i = 0; i < ex->n_in; i++) {
    const weft_tensor *t = ex->in_ptr[i];
    for (size_t k = 0; t && k < t->layout.origin.rank; k++) {
      int64_t size = t->layout.origin.dim[k];
      size_t s = 0;
      while (s < d->n && d->size[s] != size)
        s++;
      if (s == d->n && s < MOST_SIZES)
        d->size[d->n++] = size;
      if (d->n_places < MOST_PLACES)
        d->place[d->n_places++] = (struct sizes_place){i, k};
    }
  }
}

// One size is 0, another one huge, wherever they stand.
static void run_sizes(weft_env *e, const weft__example *ex, const sizes *d, variant *v) {
  for (size_t a = 0; a < d->n; a++) {
    for (size_t b = 0; b < d->n; b++) {
      if (a == b)
        continue;
      begin(ex, v);
      set_size(v, d->size[a], 0);
      set_size(v, d->size[b], HUGE_DIM);
      run(e, v);
    }
  }
}

// The same in one place of one tensor.
static void run_places(weft_env *e, const weft__example *ex, const sizes *d, variant *v) {
  for (size_t a = 0; a < d->n_places; a++) {
    for (size_t b = 0; b < d->n_places; b++) {
      if (a == b || d->place[a].in != d->place[b].in)
        continue;
      begin(ex, v);
      set_dim(v, d->place[a].in, d->place[a].axis, 0);
      set_dim(v, d->place[b].in, d->place[b].axis, HUGE_DIM);
      run(e, v);
    }
  }
}

// One size is 0, and a number of an attribute or of an input is huge.
static void run_numbers(weft_env *e, const weft__example *ex, const sizes *d, variant *v) {
  for (size_t a = 0; a < d->n; a++) {
    begin(ex, v);
    for (size_t k = 0; set_number(v, k); k++) {
      set_size(v, d->size[a], 0);
      run(e, v);
      begin(ex, v);
    }
    for (size_t k = 0; set_value(v, k); k++) {
      set_size(v, d->size[a], 0);
      run(e, v);
      begin(ex, v);
    }
  }
}

// One of SHAPES for one input, the others as they are or scalars, or for all of them.
static void run_shapes(weft_env *e, const weft__example *ex, variant *v) {
  for (size_t s = 0; s < WEFT_COUNT(SHAPES); s++) {
    for (size_t i = 0; i < 2 * ex->n_in + 1; i++) {
      begin(ex, v);
      for (size_t k = 0; k < ex->n_in; k++) {
        if (i == 2 * ex->n_in || i % ex->n_in == k)
          set_shape(v, k, s);
        else if (i >= ex->n_in)
          set_shape(v, k, 0);
      }
      run(e, v);
    }
  }
}

static void run_line(weft_env *e, const weft_proto *p, const char *line) {
  weft__example ex;
  sizes known;
  variant v;
  weft_diag d = {0};
  weft_status s = weft__example_parse(e, p, line, &ex, &d);
  if (!s && !ex.fails && ex.n_in <= MOST_IN && ex.n_out <= MOST_OUT && ex.n_attrs <= MOST_IN) {
    find_sizes(&ex, &known);
    run_sizes(e, &ex, &known, &v);
    run_places(e, &ex, &known, &v);
    run_numbers(e, &ex, &known, &v);
    run_shapes(e, &ex, &v);
  }
  weft__example_deinit(&ex);
}

// `make test`: of every 40th example, so that it stays short; CHECK_LONG=1 (make check-long): of all.
static void run_all(int64_t dim, size_t from) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.package_path = "", .threads = 1, .allocator = check_allocator(&memory)};
  size_t n = 0;
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  huge = dim;
  signal(SIGALRM, say_running);
  for (size_t i = 0; i < weft_proto_count(e, false); i++) {
    const weft_proto *p = weft_proto_at(e, i, false);
    if (weft_proto_source(p) != WEFT_FROM_BUILTIN)
      continue;
    for (const char *const *line = weft_proto_op(p)->examples; line && *line; line++) {
      if (n++ % 40 == from || check_long())
        run_line(e, p, *line);
    }
  }
  alarm(0);
  signal(SIGALRM, SIG_DFL);
  weft_env_destroy(e);
}

TEST(rows_of_nothing_of_2_to_the_33_take_no_time) {
  run_all(INT64_C(1) << 33, 0);
}

TEST(rows_of_nothing_of_2_to_the_52_take_no_time) {
  run_all(WEFT_DIM_MOST, 10);
}

// Outputs that have elements are small enough here: what was given no room, since nothing is looked at, is
// not written either.
TEST(rows_of_nothing_of_50_stay_inside) {
  run_all(50, 20);
}
// SPDX-License-Identifier: Apache-2.0
