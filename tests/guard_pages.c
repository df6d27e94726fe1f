// guard_pages.c - see guard_pages.h. Memory is mapped anew for each run, and kernels run in the caller's
// thread: what a kernel touches outside is a signal, from which the run is left.
#define _GNU_SOURCE
#include "guard_pages.h"
#include "guard_buffers.h"
#include "guard_results.h"
#include "device/node_tiling.h"
#include "isa_util.h"

#include <setjmp.h>
#include <signal.h>

#include "base/base.h"
#include "check.h"
#include "cpu/quant/quant_block.h"
#include "op/infer_node.h"
#include "run/run.h"

enum { BUFFERS = 128, LAUNCHES = 512, CANDIDATES = 64, LARGEST = 1 << 26 };
enum { GUARD_OVER = GUARD_AT_START + 1 };  // at the end, with output 0 over an input

// ---- what one kernel is given ----
typedef struct armed {
  const void *data;  // of the launch's blocks
  weft_exec *x;
  const weft__seg *s;
  weft__launch *l;
} armed;
static armed list[LAUNCHES];
static size_t n_list;

typedef struct trial {
  const armed *a;
  const weft_kernel *k;
  int how;
  uint32_t over;  // GUARD_OVER: which input
  weft_tiling t;
  weft_tensor value[BUFFERS];
  const weft_tensor *values[BUFFERS];
  const weft_layout *layout[BUFFERS];
  weft_dtype dtype[BUFFERS];
  weft_format format[BUFFERS];
  void *arg[BUFFERS], *workspace[16];
  void *scratch;
  uint64_t *shape_out;  // of a kernel that finds shapes
  weft_diag d;
} trial;
static trial now;
static sigjmp_buf leave;
static volatile sig_atomic_t armed_now;
static void *volatile touched;
static size_t runs, *runs_of;

static void on_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  if (!armed_now) {
    signal(number, SIG_DFL);
    return;
  }
  touched = info->si_addr;
  siglongjmp(leave, 1);
}

static size_t align_of(weft_dtype t) {
  size_t bits = weft_dtype_bits(t);
  return bits == 128 ? 8 : bits > 8 ? bits / 8 : 1;
}

static bool known(const armed *a, uint32_t v) {
  const weft__fn *f = a->x->fn;
  const weft__seg *s = a->s;
  if (v < f->n_in)
    return false;
  if (v < f->n_in + f->n_const)
    return true;
  while (v < s->v0)
    s = s->parent;
  return s->place[v - s->v0].kind == WEFT__AT_CONST;
}

static const char *hows[] = {"at the end", "at the start", "over an input"};
static void say(const char *what) {
  const weft_call *c = &now.a->l->call;
  char text[2048];
  size_t at = 0;
  for (uint32_t i = 0; i < c->n_in + c->n_out; i++) {
    const weft_tensor *t = i < c->n_in ? c->in[i] : c->out[i - c->n_in];
    char shape[256];
    weft__append(text, sizeof text, &at, "%s%s%s%s",
                 i == c->n_in ? " -> "
                 : i          ? ", "
                              : "",
                 i < c->n_in && now.values[i] ? "const " : "", weft_dtype_name(t->dtype),
                 weft_shape_text(&t->layout.storage, NULL, shape, sizeof shape));
  }
  const char *isa = getenv("WEFT_ISA");
  check_failed(__FILE__, __LINE__, "%s, %s, memory %s: %s: %s(%s)", now.k->name, isa ? isa : "native",
               hows[now.how], what, c->desc->type, text);
}

static void say_touched(void) {
  char text[256];
  size_t at = 0;
  const char *p = touched;
  size_t i = 0;
  const guard_buffer *b = guard_buffers_find(p, &i);
  weft__append(text, sizeof text, &at, "touches what is not its own");
  if (b) {
    weft__append(text, sizeof text, &at, ", %lld bytes from buffer %zu of %zu bytes", (long long)(p - b->at),
                 i, b->bytes);
    for (uint32_t k = 0; k < now.t.n_in + now.t.n_out; k++) {
      if (now.arg[k] == b->at)
        weft__append(text, sizeof text, &at, " (argument %u)", k);
    }
    if (now.scratch == b->at)
      weft__append(text, sizeof text, &at, " (scratch)");
  }
  say(text);
}

static void describe(const armed *a) {
  const weft_call *c = &a->l->call;
  for (uint32_t i = 0; i < c->n_in + c->n_out; i++) {
    const weft_tensor *t = i < c->n_in ? c->in[i] : c->out[i - c->n_in];
    now.layout[i] = &t->layout;
    now.dtype[i] = t->dtype;
    now.format[i] = t->format;
  }
  const weft__node_args args = {now.layout, now.dtype, now.values, now.format};
  now.t = weft__tiling_of_node(c->desc, &a->x->env->host, &args);
  now.t.d = &now.d;
  now.t.region = a->x->fn->region[a->l->node];
  now.t.precision = a->x->program->precision;
}

// Constants, then the record, then arguments and the rest. False: no memory.
static bool constants(const armed *a, int how) {
  const weft_call *c = &a->l->call;
  for (uint32_t i = 0; i < c->n_in; i++) {
    const weft_node *n = a->x->fn->node[a->l->node];
    now.values[i] = NULL;
    if (!known(a, weft__local(a->x->program, n->in[i].value)))
      continue;
    if (weft__is_asleep(c->in[i]) && weft__remake_wake(a->x->program->graph, c->in[i], true, &now.d))
      return false;
    now.value[i] = *c->in[i];
    now.values[i] = &now.value[i];
    char *p = guard_buffers_add(c->in[i]->bytes, align_of(c->in[i]->dtype), how, 0);
    if (!p)
      return false;
    if (c->in[i]->bytes)
      memcpy(p, c->in[i]->data, c->in[i]->bytes);
    now.value[i].data = p;
  }
  return true;
}

static bool arguments(const armed *a, void *const *arg, int how) {
  const weft_call *c = &a->l->call;
  const int first = how == GUARD_AT_START ? 0x5A : 0xFF;  // NaN
  for (uint32_t i = 0; i < c->n_in; i++) {
    size_t packed = i < WEFT_COUNT(now.t.pack_bytes) ? now.t.pack_bytes[i] : 0;
    size_t bytes = packed ? packed : c->in[i]->bytes;
    if (now.values[i] && !packed) {
      now.arg[i] = now.value[i].data;
      continue;
    }
    if (!(now.arg[i] = guard_buffers_add(bytes, packed ? 64 : align_of(c->in[i]->dtype), how, first)))
      return false;
    if (!packed && bytes)
      memcpy(now.arg[i], arg[i], bytes);
  }
  for (uint32_t i = 0; i < c->n_out; i++) {
    void **to = &now.arg[c->n_in + i];
    if (!arg[c->n_in + i] && c->out[i]->bytes && (now.t.skips >> i & 1))
      *to = NULL;  // nobody reads it
    else if (!i && how == GUARD_OVER)
      *to = now.arg[now.over];
    else if (!(*to = guard_buffers_add(c->out[i]->bytes, align_of(c->out[i]->dtype), how, first)))
      return false;
  }
  for (uint32_t i = 0; i < now.t.n_workspaces; i++) {
    if (!(now.workspace[i] = guard_buffers_add(now.t.workspace_bytes[i], 64, how, first)))
      return false;
  }
  now.scratch = NULL;
  now.shape_out = NULL;
  if (a->l->most && !(now.shape_out = (uint64_t *)(void *)guard_buffers_add(
                          c->n_out * WEFT_SHAPE_OUT * sizeof(uint64_t), 8, how, first)))
    return false;
  return !now.t.scratch_bytes || (now.scratch = guard_buffers_add(now.t.scratch_bytes, 64, how, first));
}

// A constant of halves for a kernel that packs floats, in memory of its own; false: it comes as it is.
static bool widened(uint32_t i, weft_tensor *out) {
  const weft_tensor *t = now.values[i];
  if (!(now.k->flags & WEFT_KERNEL_FLOATS) || (t->dtype != WEFT_FLOAT16 && t->dtype != WEFT_BF16))
    return false;
  size_t n = t->bytes / 2;
  float *p = (float *)(void *)guard_buffers_add(n * sizeof *p, sizeof *p, now.how, 0);
  if (!p)
    return false;
  for (size_t k = 0; k < n; k++)
    p[k] = (float)weft_load_f64(t->dtype, t->data, k);
  *out = *t;
  out->dtype = WEFT_FLOAT;
  out->data = p;
  out->bytes = n * sizeof *p;
  return true;
}

static weft_status pack(const armed *a) {
  for (uint32_t i = 0; i < WEFT_COUNT(now.t.pack_bytes) && i < now.t.n_in; i++) {
    if (!now.t.pack_bytes[i])
      continue;
    weft_packing p = {.size = sizeof p,
                      .index = i,
                      .desc = now.t.desc,
                      .host = &a->x->env->host,
                      .d = &now.d,
                      .in = now.values[i],
                      .to = now.arg[i],
                      .bytes = now.t.pack_bytes[i],
                      .key = now.t.pack_key[i]};
    if (!now.values[i])
      return weft_fail(&now.d, WEFT_E_KERNEL, "packs input %u, which is not a constant", i);
    weft_tensor floats;
    if (widened(i, &floats))
      p.in = &floats;
    WEFT_TRY(now.k->pack(&p));
  }
  return WEFT_OK;
}

static weft_status blocks(void) {
  weft_block b = {.size = sizeof b,
                  .blocks = now.t.blocks ? now.t.blocks : 1,
                  .key = now.t.key,
                  .data = now.t.data,
                  .arg = now.arg,
                  .workspace = now.workspace,
                  .shape_out = now.shape_out,
                  .scratch = now.scratch,
                  .given = UINT32_MAX};
  for (; b.phase < (now.t.phases ? now.t.phases : 1); b.phase++) {
    for (b.block = 0; b.block < b.blocks; b.block++)
      WEFT_TRY(now.k->run(&b));
  }
  return WEFT_OK;
}

static bool takes(const armed *a, const weft_kernel *k) {
  bool packed = false;
  for (uint32_t i = 0; i < now.t.n_in + now.t.n_out; i++)
    packed |= weft__format_packed(now.format[i]);
  (void)a;
  if (packed && !(k->flags & WEFT_KERNEL_PACKED))
    return false;
  return k->run && k->tile && (!k->refuse || !k->refuse(&now.t));
}

static weft_status tile(void) {
  now.t.data_cap = now.k->tiling_bytes_max ? now.k->tiling_bytes_max : 2048;
  if (!(now.t.data = guard_buffers_add(now.t.data_cap, 64, now.how, 0)))
    return WEFT_E_NOMEM;
  WEFT_TRY(now.k->tile(&now.t));
  return now.t.data_bytes > now.t.data_cap ? WEFT_E_LIMIT : WEFT_OK;
}

enum { RAN, REFUSED, FAILED };
static int run_once(const armed *a, const weft_kernel *k, void *const *arg, int how, uint32_t over,
                    weft_status *status) {
  guard_buffers_drop();
  now.a = a;
  now.k = k;
  now.how = how;
  now.over = over;
  now.scratch = NULL;
  weft_diag_clear(&now.d);
  if (!constants(a, how))
    return say("no memory"), FAILED;
  describe(a);
  *status = WEFT_OK;
  armed_now = 1;
  if (sigsetjmp(leave, 1)) {
    armed_now = 0;
    say_touched();
    return FAILED;
  }
  bool ok = takes(a, k);
  if (ok && !(*status = tile())) {
    if (!arguments(a, arg, how))
      *status = WEFT_E_NOMEM;
    if (!*status)
      *status = pack(a);
    if (!*status)
      *status = blocks();
  }
  armed_now = 0;
  if (!ok)
    return REFUSED;
  const guard_buffer *b = guard_buffers_spoiled();
  if (b)
    return say("writes beside a buffer"), FAILED;
  return RAN;
}

// ---- comparing ----
static bool unchanged(const armed *a, void *const *arg) {
  const weft_call *c = &a->l->call;
  for (uint32_t i = 0; i < c->n_in; i++) {
    bool packed = i < WEFT_COUNT(now.t.pack_bytes) && now.t.pack_bytes[i];
    if ((packed && !now.values[i]) || (now.how == GUARD_OVER && i == now.over) || !c->in[i]->bytes)
      continue;
    const void *before = now.values[i] ? c->in[i]->data : arg[i];
    if (memcmp(now.values[i] ? now.value[i].data : now.arg[i], before, c->in[i]->bytes))
      return false;
  }
  return true;
}

// Does one of the two kernels round its operands? Then they differ where sums cancel or overflow; how far,
// the tests of these kernels say.
static bool rounds_operands(const weft_kernel *k) {
  return strstr(k->name, "bf16") || strstr(k->name, "amx");
}

// Of one output, as near as the two kernels may be expected to come.
static bool alike(const weft_tensor *t, const void *a, const void *b) {
  bool apart = rounds_operands(now.k) != rounds_operands(now.a->l->kernel);
  if (apart && weft_dtype_is_float(t->dtype))
    return true;
  return guard_results_alike(t, a, b, now.t.precision != 0);
}

// Of output i of the run that is just over: as much as a kernel that finds shapes has found.
static size_t found_bytes(const armed *a, uint32_t i) {
  const weft_tensor *t = a->l->call.out[i];
  const uint64_t *shape = now.shape_out + (size_t)i * WEFT_SHAPE_OUT;
  size_t elems = 1;
  if (!a->l->most)
    return t->bytes;
  for (uint64_t k = 0; k < WEFT_MIN(shape[0], WEFT_SHAPE_OUT - 1); k++)
    elems *= (size_t)shape[k + 1];
  return WEFT_MIN(t->bytes, elems * weft_dtype_bits(t->dtype) / 8);
}

// The results of the run that is just over, into `to`, or against what is there.
static bool results(const armed *a, char *const *to, bool first, bool exact) {
  const weft_call *c = &a->l->call;
  for (uint32_t i = 0; i < c->n_out; i++) {
    const void *y = now.arg[c->n_in + i];
    size_t bytes = found_bytes(a, i);
    if (!bytes || !y || (!first && !now.a->l->block.arg[c->n_in + i]))
      continue;
    if (!guard_lanes_empty(c->out[i], y))
      say("lanes of no channel are not zero");
    if (first) {
      memcpy(to[i], y, bytes);
    } else if (exact ? memcmp(to[i], y, bytes) != 0 : !alike(c->out[i], y, to[i])) {
      say(exact ? "not the bits of the run before" : "not what the chosen kernel gives");
      return false;
    }
  }
  return true;
}

static void count(const weft_kernel *k) {
  if (!runs_of)
    runs_of = calloc(weft__cpu_kernel_count, sizeof *runs_of);
  for (unsigned i = 0; runs_of && i < weft__cpu_kernel_count; i++)
    runs_of[i] += weft__cpu_kernels[i] == k;
  runs++;
}

// One kernel in every way. `to`: results of the chosen one, when `first` is false. RAN or not.
static int every_way(const armed *a, const weft_kernel *k, void *const *arg, char *const *to, bool first,
                     weft_status *out) {
  const weft_call *c = &a->l->call;
  char *own[BUFFERS] = {0};
  weft_status s;
  int did = run_once(a, k, arg, GUARD_AT_END, 0, out);
  if (did != RAN)
    return did;
  count(k);
  if (*out)
    return RAN;
  uint32_t over = now.t.overwrite;
  for (uint32_t i = 0; i < c->n_out; i++)
    own[i] = malloc(c->out[i]->bytes + 1);
  bool good = unchanged(a, arg) || (say("an input is changed"), false);
  results(a, own, true, true);
  if (good && !first)
    good = results(a, to, false, false);
  if (good && (did = run_once(a, k, arg, GUARD_AT_START, 0, &s)) == RAN)
    good = s ? (say("fails now"), false) : results(a, own, false, true);
  for (uint32_t i = 0; good && did == RAN && i < c->n_in && i < 32; i++) {
    if (!(over >> i & 1) || c->in[i]->bytes < c->out[0]->bytes ||
        known(a, weft__local(a->x->program, a->x->fn->node[a->l->node]->in[i].value)))
      continue;
    did = run_once(a, k, arg, GUARD_OVER, i, &s);
    if (did == RAN)
      good = s ? (say("fails now"), false) : results(a, own, false, true);
  }
  if (first) {
    for (uint32_t i = 0; i < c->n_out; i++)
      memcpy(to[i], own[i], c->out[i]->bytes);
  }
  for (uint32_t i = 0; i < c->n_out; i++)
    free(own[i]);
  return RAN;
}

static weft_status hook(const weft_block *b) {
  const armed *a = NULL;
  if (b->block || b->phase)
    return WEFT_OK;
  for (size_t i = 0; i < n_list && !a; i++) {
    if (list[i].data == b->data)
      a = &list[i];
  }
  if (!a)
    return WEFT_E_STATE;
  const weft_call *c = &a->l->call;
  const weft_kernel *all[CANDIDATES];
  const weft_kernel *chosen = a->l->kernel;
  char *to[BUFFERS];
  void *arg[BUFFERS];
  uint64_t found[BUFFERS * WEFT_SHAPE_OUT];
  weft_status s = WEFT_OK;
  weft_status other;
  for (uint32_t i = 0; i < c->n_in + c->n_out; i++)
    arg[i] = b->arg[i];
  for (uint32_t i = 0; i < c->n_out; i++)
    to[i] = malloc(c->out[i]->bytes + 1);
  if (every_way(a, chosen, arg, to, true, &s) == RAN && !s) {
    if (a->l->most)
      memcpy(found, now.shape_out, c->n_out * WEFT_SHAPE_OUT * sizeof *found);
    uint32_t n = weft__kernels_find(a->x->env, c->desc->type, "cpu", all, CANDIDATES);
    for (uint32_t k = 0; k < WEFT_MIN(n, CANDIDATES); k++) {
      if (all[k] != chosen)
        every_way(a, all[k], arg, to, false, &other);
    }
    for (uint32_t i = 0; i < c->n_out; i++) {
      if (c->out[i]->bytes && b->arg[c->n_in + i])
        memcpy(b->arg[c->n_in + i], to[i], c->out[i]->bytes);
    }
    if (a->l->most)
      memcpy(b->shape_out, found, c->n_out * WEFT_SHAPE_OUT * sizeof *found);
  }
  guard_buffers_drop();
  for (uint32_t i = 0; i < c->n_out; i++)
    free(to[i]);
  return s;
}

// ---- the exec ----
static bool fits(const weft__launch *l) {
  size_t sum = 0;
  if (l->call.n_in + l->call.n_out > 40)
    return false;
  for (uint32_t i = 0; i < l->call.n_in; i++)
    sum += l->call.in[i]->bytes;
  for (uint32_t i = 0; i < l->call.n_out; i++)
    sum += l->call.out[i]->bytes;
  return sum < LARGEST;
}

static void arm(weft_exec *x, bool on) {
  n_list = 0;
  for (const weft__seg *s = x->hot; s; s = s->parent) {
    for (uint32_t i = 0; i < s->n_launches; i++) {
      weft__launch *l = &s->launch[i];
      bool finds = l->kind == WEFT__RUN_CALL && l->kernel;
      if ((l->kind != WEFT__RUN_KERNEL && !finds) || l->device || !fits(l))
        continue;
      l->run = l->kernel->run;
      if (!on || n_list == LAUNCHES)
        continue;
      list[n_list++] = (armed){l->block.data, x, s, l};
      l->run = hook;
    }
  }
}

weft_status __real_weft_exec_run(weft_exec *x, const weft_tensor *const *in, size_t n_in,
                                 weft_tensor *const *out, size_t n_out, weft_diag *d);
weft_status __wrap_weft_exec_run(weft_exec *x, const weft_tensor *const *in, size_t n_in,
                                 weft_tensor *const *out, size_t n_out, weft_diag *d);
weft_status __wrap_weft_exec_run(weft_exec *x, const weft_tensor *const *in, size_t n_in,
                                 weft_tensor *const *out, size_t n_out, weft_diag *d) {
  struct sigaction mine = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NODEFER};
  struct sigaction before[2];
  weft_tensor_desc desc[16];
  weft_diag e = {0};
  bool on = (x->o.threads == 1 || x->o.profile) && n_in == x->fn->n_in && n_in <= WEFT_COUNT(desc);
  for (size_t i = 0; on && i < n_in; i++) {
    weft_value_desc(x->fn->value[i], &desc[i]);
    weft_shape_copy(&desc[i].layout.origin, &in[i]->layout.origin);
    weft_shape_copy(&desc[i].layout.storage, &in[i]->layout.storage);
  }
  if (!on || weft_exec_prepare(x, desc, n_in, NULL, &e))
    return __real_weft_exec_run(x, in, n_in, out, n_out, d);
  arm(x, true);
  sigaction(SIGSEGV, &mine, &before[0]);
  sigaction(SIGBUS, &mine, &before[1]);
  weft_status s = __real_weft_exec_run(x, in, n_in, out, n_out, d);
  sigaction(SIGSEGV, &before[0], NULL);
  sigaction(SIGBUS, &before[1], NULL);
  arm(x, false);
  return s;
}

size_t guard_pages_runs(void) {
  return runs;
}

size_t guard_pages_missing(char *text, size_t cap) {
  size_t n = 0;
  size_t at = 0;
  text[0] = 0;
  for (unsigned i = 0; i < weft__cpu_kernel_count; i++) {
    const char *name = weft__cpu_kernels[i]->name;
    bool known_name = strstr(name, "-bf16") != NULL;  // of a precision mode; or run, or told already
    known_name |= !weft__quant_find(asked_host())->pairs && !strcmp(name, "blocked-winograd-bytes");
    for (unsigned k = 0; k < weft__cpu_kernel_count; k++)
      known_name |= !strcmp(weft__cpu_kernels[k]->name, name) && (k < i || (runs_of && runs_of[k]));
    if (!known_name)
      weft__append(text, cap, &at, "%s%s", n++ ? ", " : "", name);
  }
  return n;
}
// SPDX-License-Identifier: Apache-2.0
