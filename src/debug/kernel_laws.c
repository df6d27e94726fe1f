// kernel_laws.c - the laws of kernels: for each use, the reference once, then every kernel that takes it, in
// several ways that must not matter. A kernel that breaks a law is reported once and not run again.
#include "debug/kernel_laws.h"
#include "base/allocated.h"

#include <math.h>

#include "tensor/tensor.h"
#include "weft/debug.h"

static const char LAW_AGREE[] = "9 (kernels give what the reference gives)";
static const char LAW_STRAY[] = "10 (kernels write what is theirs)";
static const char LAW_SAME[] = "11 (kernels give the same bits each time)";
enum { KERNELS_MOST = 256, KERNEL_THREADS = 3, GROWN_TRIES = 64 };
// A reference may be quadratic: one that does not end in time is no witness.
static const weft_limits grown_limits = {sizeof grown_limits, WEFT__LAW_BYTES, UINT64_C(2000000000), NULL};

typedef struct kernel_state {
  const weft_kernel *k;
  uint32_t ran;
  uint32_t blocks;   // the most that a run had
  weft_dtype dtype;  // of input 0 of such a run
  bool bad;
  char why[160];  // it refused last
} kernel_state;

typedef struct kernel_session {
  weft__laws l;
  kernel_state *kernel;
  uint32_t n;
  weft_pool *pool;
  uint32_t runs;
  uint32_t grown;         // uses that were tried
  double error, allowed;  // of floats, where they come nearest to each other
  char error_text[320];
} kernel_session;

// ---- comparing with the reference ----

static double kernel_near(weft_dtype t) {
  static const struct {
    weft_dtype_set of;
    double near;
  } bounds[] = {{WEFT_DT(DOUBLE) | WEFT_DT(COMPLEX128), 1e-9},
                {WEFT_DT(FLOAT) | WEFT_DT(COMPLEX64), 1e-4},
                {WEFT_DT(FLOAT16) | WEFT_DT(COMPLEX32), 4e-3},
                {WEFT_DT(BF16), 2e-2},
                {WEFT_DT(FLOAT8_E5M2) | WEFT_DT(FLOAT8_E5M2FNUZ), 0.26}};
  for (size_t i = 0; i < WEFT_COUNT(bounds); i++) {
    if (weft_elem_in(t, bounds[i].of))
      return bounds[i].near;
  }
  return weft_dtype_is_float(t) ? 0.13 : 0;
}

// The largest finite magnitude, up to 10: what is small beside it may come out of a difference.
static double kernel_scale(const weft_tensor *t) {
  double most = 0;
  if (!weft_dtype_is_float(t->dtype))
    return 1;
  for (int64_t i = 0; i < weft_tensor_elems(t); i++) {
    double v = fabs(weft_load_f64(t->dtype, t->data, (size_t)i));
    if (isfinite(v) && v > most)
      most = v;
  }
  return WEFT_MIN(most, 10);
}

// Output i of a run as a tensor like the reference's, for comparing.
static void kernel_output(const weft__kernel_use *u, const weft__kernel_result *r, uint32_t i,
                          weft_tensor *out) {
  weft_tensor_init(out, NULL);
  weft__tensor_like(out, &u->want[i]);
  out->data = r->out[i];
  out->bytes = out->capacity = u->want[i].bytes;
  out->owned = 0;
}

static weft_status kernel_found(const weft__kernel_use *u, const weft__kernel_result *r, uint32_t i,
                                weft_diag *d) {
  const uint64_t *found = r->shape_out + (size_t)WEFT_SHAPE_OUT * i;
  const weft_shape *want = &u->want[i].layout.origin;
  bool same = found[0] == want->rank;
  for (size_t k = 0; same && k < want->rank; k++)
    same = found[k + 1] == (uint64_t)want->dim[k];
  if (same)
    return WEFT_OK;
  char text[256];
  char dims[256] = "";
  size_t at = 0;
  for (uint64_t k = 0; k < found[0] && k + 1 < WEFT_SHAPE_OUT; k++)
    weft__append(dims, sizeof dims, &at, "%s%llu", k ? "," : "", (unsigned long long)found[k + 1]);
  return weft_fail(d, WEFT_E_DIFFERENT, "it found shape [%s] (rank %llu), the reference %s", dims,
                   (unsigned long long)found[0], weft_shape_text(want, NULL, text, sizeof text));
}

// Bit for bit, of two runs of one kernel.
static bool kernel_same(const weft__kernel_use *u, const weft__kernel_result *a, const weft__kernel_result *b,
                        char *text, size_t cap) {
  size_t at = 0;
  for (uint32_t i = 0; i < u->n_out; i++) {
    weft_tensor x;
    weft_tensor y;
    weft_diag d = {0};
    if (u->finds && kernel_found(u, b, i, &d))
      return weft__append(text, cap, &at, "%s", d.text), false;
    if (!u->want[i].bytes || !a->out[i] || !b->out[i])
      continue;
    kernel_output(u, a, i, &x);
    kernel_output(u, b, i, &y);
    if (weft__tensor_same(&y, &x))
      continue;
    if (!weft_tensor_compare(&y, &x, 0, 0, &d))
      weft_fail(&d, WEFT_E_DIFFERENT, "a zero has the other sign");
    weft__append(text, cap, &at, "output %u: %s", i, d.text);
    return false;
  }
  return true;
}

// ---- one kernel on one use ----

typedef struct kernel_judge {
  kernel_session *s;
  kernel_state *state;
  const weft__kernel_use *u;
  weft_arena arena;  // of its runs
} kernel_judge;

// How near an output comes to what is allowed: kept where it is the nearest of the session.
static void kernel_nearest(kernel_judge *j, const weft_tensor *got, const weft_tensor *want, double rtol,
                           double atol) {
  kernel_session *s = j->s;
  weft_difference x = {0};
  weft_difference_add(&x, got, want);
  const double allowed = atol + rtol * fabs(x.want);
  const bool nearer = x.max_abs * s->allowed > s->error * allowed || (x.max_abs > 0 && s->error <= 0);
  if (!nearer || !isfinite(allowed))
    return;
  s->error = x.max_abs;
  s->allowed = allowed;
  snprintf(s->error_text, sizeof s->error_text, "kernel '%.80s' on %.30s with %.180s",
           j->state->k->name ? j->state->k->name : "?", j->state->k->device, j->u->text);
}

static weft_status kernel_compare(kernel_judge *j, const weft__kernel_result *r, weft_diag *d) {
  const weft__kernel_use *u = j->u;
  for (uint32_t i = 0; i < u->n_out; i++) {
    weft_tensor got;
    const weft_tensor *want = &u->want[i];
    if (u->finds)
      WEFT_TRY(kernel_found(u, r, i, d));
    if (!want->bytes || !r->out[i])
      continue;
    kernel_output(u, r, i, &got);
    const double near = WEFT_MAX(kernel_near(want->dtype), u->tolerance);
    const double most = near * kernel_scale(want);
    if (weft_dtype_is_float(want->dtype))
      kernel_nearest(j, &got, want, near, most);
    weft_status s = weft_tensor_compare(&got, want, near, most, d);
    if (s) {
      weft_note(d, "in output %u", i);
      return s;
    }
  }
  return WEFT_OK;
}

static void kernel_law(kernel_judge *j, bool ok, const char *law, const char *what, const char *text) {
  weft__law(&j->s->l, ok, law, "kernel '%s' on %s with %s: %s%s", j->state->k->name ? j->state->k->name : "?",
            j->state->k->device, j->u->text, what, text);
  j->state->bad |= !ok;
}

static bool kernel_once(kernel_judge *j, const weft__kernel_way *way, weft__kernel_result *r) {
  weft__law_begin(&j->s->l, "kernel '%s' on %s with %s", j->state->k->name ? j->state->k->name : "?",
                  j->state->k->device, j->u->text);
  weft_status s = weft__kernel_run(j->u, j->state->k, way, j->s->pool, &j->arena, r);
  if (s)
    j->s->l.out_of_memory = true;
  if (!s && r->what != WEFT__KERNEL_REFUSED)
    j->s->runs++;
  return !s;
}

static const char *kernel_way_text(const weft__kernel_way *w) {
  if (w->over >= 0)
    return "with its output over an input, as it says that it may: ";
  if (w->skipped)
    return "with an output left out, as it says that it may: ";
  if (w->order == WEFT__KERNEL_THREADS)
    return "on several threads and with other memory contents: ";
  return w->aligned
             ? "once more: "
             : "with blocks from the last to the first, tensors at odd places and other memory contents: ";
}

// Another way must end as the first did.
static void kernel_again(kernel_judge *j, const weft__kernel_way *way, const weft__kernel_result *first) {
  weft__kernel_result r;
  char text[900] = "";
  size_t at = 0;
  if (j->state->bad || !kernel_once(j, way, &r))
    return;
  const char *how = kernel_way_text(way);
  if (r.what == WEFT__KERNEL_STRAYED) {
    weft__append(text, sizeof text, &at, "%s%s", how, r.text);
    kernel_law(j, false, LAW_STRAY, text, "");
  } else if (r.what != WEFT__KERNEL_RAN) {
    weft__append(text, sizeof text, &at, "%sfails: %s", how, r.text);
    kernel_law(j, false, LAW_SAME, text, "");
  } else {
    bool same = kernel_same(j->u, first, &r, text, sizeof text);
    kernel_law(j, same, LAW_SAME, how, text);
  }
}

static void kernel_over(kernel_judge *j, const weft__kernel_way *way, const weft__kernel_result *first) {
  const weft__kernel_use *u = j->u;
  for (uint32_t i = 0; i < u->n_in && i < 32 && u->n_out; i++) {
    weft__kernel_way over = *way;
    bool constant = way->constants && i;
    if (!(first->overwrite >> i & 1) || constant || u->finds || u->in[i]->bytes != u->want[0].bytes)
      continue;
    over.over = (int32_t)i;
    over.fill = 0x33;
    kernel_again(j, &over, first);
  }
  for (uint32_t i = 0; i < u->n_out && i < 32; i++) {
    weft__kernel_way less = *way;
    if (!(first->skips >> i & 1))
      continue;
    less.skipped = 1u << i;
    less.fill = 0x33;
    kernel_again(j, &less, first);
  }
}

static void kernel_ways(kernel_judge *j, bool constants) {
  const weft__kernel_use *u = j->u;
  weft__kernel_way way = {.fill = 0xFF, .aligned = true, .constants = constants, .over = -1};
  weft__kernel_result first;
  weft_diag d = {0};
  if (!kernel_once(j, &way, &first))
    return;
  if (first.what == WEFT__KERNEL_REFUSED) {
    snprintf(j->state->why, sizeof j->state->why, "%.150s", first.text);
    return;
  }
  j->state->ran++;
  j->state->blocks = WEFT_MAX(j->state->blocks, first.blocks);
  j->state->dtype = u->n_in ? u->in[0]->dtype : WEFT_UNDEFINED;
  kernel_law(j, first.what != WEFT__KERNEL_STRAYED, LAW_STRAY, first.text, "");
  if (j->state->bad)
    return;
  bool failed = first.what == WEFT__KERNEL_FAILED;
  if (failed || u->status) {
    kernel_law(j, failed && u->status, LAW_AGREE, failed ? "fails where the reference does not: " : "",
               failed ? first.text : "succeeds where the reference refuses the input");
    return;
  }
  kernel_law(j, !kernel_compare(j, &first, &d), LAW_AGREE, d.text, "");
  way.fill = 0x5A;
  way.order = WEFT__KERNEL_BACKWARD;
  way.aligned = false;
  kernel_again(j, &way, &first);
  way.fill = 0;
  way.order = WEFT__KERNEL_THREADS;
  way.aligned = true;
  if (first.blocks > 1)
    kernel_again(j, &way, &first);
  way.order = WEFT__KERNEL_FORWARD;
  kernel_over(j, &way, &first);
}

static void kernel_judge_one(kernel_session *s, kernel_state *k, const weft__kernel_use *u) {
  kernel_judge j = {.s = s, .state = k, .u = u};
  weft__arena_init(&j.arena, &s->l.env->alloc);
  kernel_ways(&j, false);
  if (!k->bad && u->n_in > 1)
    kernel_ways(&j, true);
  weft__arena_deinit(&j.arena);
}

static void kernel_judge_use(kernel_session *s) {
  weft__kernel_use u;
  if (weft__kernel_use_open(&s->l, &u) && weft__kernel_use_want(&s->l, &u, &weft__law_limits)) {
    for (uint32_t i = 0; i < s->n && !s->l.out_of_memory; i++) {
      if (!s->kernel[i].bad)
        kernel_judge_one(s, &s->kernel[i], &u);
    }
  }
  weft__kernel_use_end(&u);
}

// ---- uses of more than one block ----

static bool kernel_is_single(const kernel_state *k) {
  return k->ran && !k->bad && k->blocks < 2;
}

static bool kernel_would_split(kernel_session *s, const kernel_state *k, const weft__kernel_use *u) {
  weft_arena arena;
  uint32_t blocks;
  weft__arena_init(&arena, &s->l.env->alloc);
  if (weft__kernel_blocks(u, k->k, &arena, &blocks))
    s->l.out_of_memory = true;
  weft__arena_deinit(&arena);
  return blocks > 1;
}

// The reference runs only where a kernel splits that never did.
static void kernel_judge_grown(kernel_session *s, weft_tensor *own, const weft_tensor *const *saved) {
  weft__kernel_use u;
  bool open = weft__kernel_use_open(&s->l, &u);
  for (uint32_t i = 0; open && i < s->n && !s->l.out_of_memory; i++) {
    kernel_state *k = &s->kernel[i];
    if (!kernel_is_single(k) || !kernel_would_split(s, k, &u))
      continue;
    if (!u.want) {
      weft__kernel_inputs_fill(&s->l, own, saved);
      open = weft__kernel_use_want(&s->l, &u, &grown_limits);
    }
    if (open)
      kernel_judge_one(s, k, &u);
  }
  weft__kernel_use_end(&u);
}

// Until the kernel split its work once, or there is nothing more to try.
static void kernel_grow(kernel_session *s, const kernel_state *k, weft_tensor *own,
                        const weft_tensor *const *saved) {
  weft__laws *l = &s->l;
  for (uint32_t step = 0; step < WEFT__GROWN_STEPS && kernel_is_single(k) && !l->out_of_memory; step++) {
    if (s->grown == GROWN_TRIES || !weft__kernel_inputs_grown(l, step, k->dtype, own, saved))
      continue;
    s->grown++;
    kernel_judge_grown(s, own, saved);
    weft__kernel_inputs_end(l, own, saved);
  }
}

// ---- the session ----

static void kernel_random_uses(kernel_session *s) {
  weft__laws *l = &s->l;
  uint32_t n = l->trial.n_in;
  weft_tensor *own = WEFT_NEW_N(&l->arena, weft_tensor, (size_t)n + 1);
  const weft_tensor **saved = WEFT_NEW_N(&l->arena, const weft_tensor *, (size_t)n + 1);
  if (!own || !saved) {
    l->out_of_memory = true;
    return;
  }
  memcpy(saved, l->trial.tensor, n * sizeof *saved);
  for (uint32_t round = 0; round < l->rounds && !l->out_of_memory; round++) {
    if (!weft__kernel_inputs(l, round, own, saved))
      continue;
    kernel_judge_use(s);
    weft__kernel_inputs_end(l, own, saved);
  }
  for (uint32_t i = 0; i < s->n; i++)
    kernel_grow(s, &s->kernel[i], own, saved);
}

static void kernel_example(kernel_session *s, const char *text) {
  weft__laws *l = &s->l;
  weft__example ex;
  weft_diag d = {0};
  weft_status st = weft__example_parse(l->env, l->proto, text, &ex, &d);
  if (!st && ex.runs) {
    l->ex = &ex;
    st = weft__trial_begin(&l->trial, l->env, &ex, NULL, 0, &d);
    if (!st)
      kernel_judge_use(s);
    if (!st && !l->out_of_memory)
      kernel_random_uses(s);
    weft__trial_end(&l->trial);
    l->ex = NULL;
  }
  weft__example_deinit(&ex);
  weft__arena_deinit(&l->arena);
  weft__arena_init(&l->arena, &l->env->alloc);
}

static weft_status kernel_collect(kernel_session *s, weft_arena *arena, weft_diag *d) {
  const weft_kernel *list[KERNELS_MOST];
  const weft_device *v;
  s->kernel = WEFT_NEW_N(arena, kernel_state, KERNELS_MOST);
  WEFT_TRY(weft__allocated(s->kernel, d));
  for (size_t i = 0; (v = weft_device_at(s->l.env, i)) != NULL; i++) {
    uint32_t room = KERNELS_MOST - s->n;
    uint32_t n = weft__kernels_find(s->l.env, s->l.proto->name, v->name, list, room);
    if (n > room) {
      return weft_fail(d, WEFT_E_LIMIT, "operator '%s' has more than %d kernels", s->l.proto->name,
                       KERNELS_MOST);
    }
    for (uint32_t k = 0; k < n; k++)
      s->kernel[s->n++].k = list[k];
  }
  return WEFT_OK;
}

static void kernel_sum_up(const kernel_session *s, weft_kernel_laws_result *out) {
  weft_kernel_laws_result r = {
      .kernels = s->n, .runs = s->runs, .checks = s->l.r.checks, .failed = s->l.r.failed};
  size_t at = 0;
  size_t single_at = 0;
  r.error = s->error;
  r.allowed = s->allowed;
  memcpy(r.error_text, s->error_text, sizeof r.error_text);
  for (uint32_t i = 0; i < s->n; i++) {
    const kernel_state *k = &s->kernel[i];
    if (kernel_is_single(k)) {
      weft__append(r.single_text, sizeof r.single_text, &single_at, "%skernel '%s' on %s",
                   r.single++ ? "; " : "", k->k->name ? k->k->name : "?", k->k->device);
    }
    if (k->ran)
      continue;
    weft__append(r.idle_text, sizeof r.idle_text, &at, "%skernel '%s' on %s: %s", r.idle++ ? "; " : "",
                 k->k->name ? k->k->name : "?", k->k->device, k->why[0] ? k->why : "no use that runs");
  }
  WEFT_SIZED_OUT(out, &r, idle_text);
}

static weft_status kernel_all(kernel_session *s, weft_arena *arena, weft_diag *d) {
  weft__laws *l = &s->l;
  WEFT_TRY(kernel_collect(s, arena, d));
  if (!s->n || (l->proto->op->traits & WEFT_RANDOM))
    return WEFT_OK;
  WEFT_TRY(weft__pool_create(&l->env->alloc, KERNEL_THREADS, &s->pool, d));
  for (const char *const *text = l->proto->op->examples; *text && !l->out_of_memory; text++)
    kernel_example(s, *text);
  weft__pool_destroy(s->pool);
  return l->out_of_memory ? weft_fail(d, WEFT_E_NOMEM, "out of memory") : WEFT_OK;
}

weft_status weft_op_kernel_laws(weft_env *e, const weft_proto *p, const weft_laws_options *o,
                                weft_kernel_laws_result *out, weft_diag *d) {
  WEFT_NEED(d, e);
  WEFT_NEED(d, p);
  weft_laws_options options = {0};
  WEFT_SIZED_IN(&options, o, report_ctx);
  if (!p->op->examples || !*p->op->examples)
    return weft_fail(d, WEFT_E_MISSING, "operator '%s' has no examples", p->name);
  kernel_session s = {
      .l = {.env = e, .proto = p, .o = &options, .d = d, .rounds = options.rounds ? options.rounds : 8}};
  uint64_t seed = options.seed ? options.seed : 1;
  s.l.random = seed ^ weft__hash(p->name, strlen(p->name));
  weft_arena arena;
  weft__arena_init(&arena, &e->alloc);
  weft__arena_init(&s.l.arena, &e->alloc);
  atomic_fetch_add(&e->judged, 1);
  weft_status st = kernel_all(&s, &arena, d);
  atomic_fetch_sub(&e->judged, 1);
  kernel_sum_up(&s, out);
  weft__arena_deinit(&s.l.arena);
  weft__arena_deinit(&arena);
  if (st || !s.l.r.failed)
    return st;
  weft_note(d, "%u of the %u kernels of operator '%s' break a law (seed %llu)", s.l.r.failed, s.n, p->name,
            (unsigned long long)seed);
  return WEFT_E_DIFFERENT;
}
// SPDX-License-Identifier: Apache-2.0
