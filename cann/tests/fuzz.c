// fuzz.c - calls every operator of the packages with what nobody would give it: shapes that are unknown,
// scalar, huge or wrong, attributes at random, ports that are missing or too many. It must not crash, and a
// message names the operator. Each operator runs in a process of its own: one that crashes in its own code
// (the sanitizer's summary has OWN in it), or that counts to INT64_MAX, is told of, and no fault. OWN "": all
// are faults.   fuzz SECONDS SEED OWN [OPERATOR]
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "weft/weft.h"

enum { FUZZ_INSTANCES = 64, FUZZ_ATTRS = 16, FUZZ_LIST = 6, FUZZ_ELEMS = 16, FUZZ_RECORD = 4096 };

typedef struct fuzz_attr {
  int64_t ints[FUZZ_LIST];
  float floats[FUZZ_LIST];
  bool bools[FUZZ_LIST];
  weft_str strs[FUZZ_LIST];
  weft_ints lists[FUZZ_LIST];
} fuzz_attr;
// One use of an operator.
typedef struct fuzz_case {
  weft_env *env;
  const weft_proto *p;
  const char *name;
  uint64_t state;
  uint32_t n_in, n_out;
  uint32_t in_counts[FUZZ_INSTANCES], out_counts[FUZZ_INSTANCES];
  weft_tensor in[FUZZ_INSTANCES];
  const weft_tensor *in_at[FUZZ_INSTANCES];
  int64_t data[FUZZ_INSTANCES][FUZZ_ELEMS];
  fuzz_attr store[FUZZ_ATTRS];
  weft_named_attr attrs[FUZZ_ATTRS];
  weft_use use;
  size_t calls, good;
} fuzz_case;

static uint64_t fuzz_next(fuzz_case *c) {
  c->state ^= c->state << 13;
  c->state ^= c->state >> 7;
  c->state ^= c->state << 17;
  return c->state;
}
static uint32_t fuzz_below(fuzz_case *c, uint32_t n) {
  return (uint32_t)((fuzz_next(c) >> 16) % n);
}
static bool fuzz_one_in(fuzz_case *c, uint32_t n) {
  return fuzz_below(c, n) == 0;
}

// ---- attributes ----
// Nothing that an operator would count to for hours.
static int64_t fuzz_int(fuzz_case *c) {
  static const int64_t some[] = {0, 1, 2, 3, -1, -2, -9, 7, 25, 26, 1000, INT32_MIN, INT64_MIN};
  return some[fuzz_below(c, sizeof some / sizeof *some)];
}

static bool fuzz_value(fuzz_case *c, weft_attr_type type, fuzz_attr *s, weft_attr *a) {
  static const char *const texts[] = {"", "none", "SAME", "VALID", "xyz", "NCHW", "%s%n"};
  const size_t n = fuzz_below(c, FUZZ_LIST + 1);
  *a = (weft_attr){.type = type};
  for (size_t i = 0; i < FUZZ_LIST; i++) {
    s->ints[i] = fuzz_int(c);
    s->floats[i] = (float)fuzz_int(c) / 3;
    s->bools[i] = fuzz_one_in(c, 2);
    s->strs[i].text = texts[fuzz_below(c, sizeof texts / sizeof *texts)];
    s->strs[i].bytes = strlen(s->strs[i].text);
    s->lists[i] = (weft_ints){s->ints, fuzz_below(c, FUZZ_LIST)};
  }
  a->n = n;
  switch (type) {
    case WEFT_VT_INT:
      a->u.i = s->ints[0];
      return true;
    case WEFT_VT_TYPE:
      a->u.i = fuzz_below(c, 28);
      return true;
    case WEFT_VT_FLOAT:
      a->u.f = s->floats[0];
      return true;
    case WEFT_VT_BOOL:
      a->u.b = s->bools[0];
      return true;
    case WEFT_VT_STRING:
      a->u.s = s->strs[0].text;
      a->n = s->strs[0].bytes;
      return true;
    case WEFT_VT_LIST_INT:
      a->u.ints = s->ints;
      return true;
    case WEFT_VT_LIST_FLOAT:
      a->u.floats = s->floats;
      return true;
    case WEFT_VT_LIST_BOOL:
      a->u.bools = s->bools;
      return true;
    case WEFT_VT_LIST_STRING:
      a->u.strs = s->strs;
      return true;
    case WEFT_VT_LIST_LIST_INT:
      a->u.int_lists = s->lists;
      return true;
    default:
      return false;
  }
}

static void fuzz_attrs(fuzz_case *c) {
  size_t n = 0;
  for (uint32_t i = 0; i < weft_proto_n_attr(c->p) && n < FUZZ_ATTRS; i++) {
    const weft_attr_decl *decl = weft_proto_attr(c->p, i);
    weft_attr_type type = weft_attr_type_parse(decl->type, strlen(decl->type));
    if (fuzz_one_in(c, 30))
      type = WEFT_VT_LIST_INT;
    if (fuzz_one_in(c, 4) || !fuzz_value(c, type, &c->store[n], &c->attrs[n].value))
      continue;
    c->attrs[n++].name = decl->name;
  }
  if (n < FUZZ_ATTRS && fuzz_one_in(c, 8) && fuzz_value(c, WEFT_VT_INT, &c->store[n], &c->attrs[n].value))
    c->attrs[n++].name = "_private";
  c->use.attrs = c->attrs;
  c->use.n_attrs = n;
}

// ---- ports and tensors ----
static uint32_t fuzz_count(fuzz_case *c, const weft_port *port) {
  if (port->kind == WEFT_DYNAMIC)
    return fuzz_below(c, 5);
  if (fuzz_one_in(c, 25))
    return fuzz_below(c, 3);
  return port->kind == WEFT_REQUIRED || fuzz_one_in(c, 2);
}

static void fuzz_dims(fuzz_case *c, weft_shape *s, bool known) {
  static const weft_dim some[] = {1, 2, 3, 4, 5, 8, 16, 1, 2, 0, -1, -1, -3, (weft_dim)1 << 40, INT64_MAX};
  memset(s, 0, sizeof *s);
  s->rank = fuzz_below(c, 6);
  if (fuzz_one_in(c, 6))
    s->rank = fuzz_below(c, 9);
  if (fuzz_one_in(c, 40))
    s->rank = 20 + fuzz_below(c, 7);
  for (size_t i = 0; i < s->rank && i < WEFT_MAX_RANK; i++)
    s->dim[i] = some[fuzz_below(c, known ? 10 : sizeof some / sizeof *some)];
  if (!known && fuzz_one_in(c, 12)) {
    s->rank = 1;
    s->dim[0] = WEFT_DIM_UNKNOWN_RANK;
  }
}

static weft_dtype fuzz_dtype(fuzz_case *c, const weft_port *port) {
  const weft_dtype_set set = weft_proto_dtypes(c->p, port);
  for (int i = 0; set && !fuzz_one_in(c, 12) && i < 200; i++) {
    const uint32_t t = fuzz_below(c, 43);
    if (set >> t & 1)
      return (weft_dtype)t;
  }
  return (weft_dtype)fuzz_below(c, 13);
}

static void fuzz_tensor(fuzz_case *c, uint32_t i, const weft_port *port, bool known) {
  weft_tensor *t = &c->in[i];
  weft_tensor_init(t, NULL);
  t->dtype = fuzz_dtype(c, port);
  fuzz_dims(c, &t->layout.origin, known);
  t->layout.storage = t->layout.origin;
  if (t->layout.origin.rank == 4 && fuzz_one_in(c, 2))
    t->format = t->origin_format = fuzz_one_in(c, 3) ? WEFT_NHWC : WEFT_NCHW;
  const int64_t elems = weft_elems(&t->layout.origin);
  const uint32_t bits = weft_dtype_bits(t->dtype);
  const bool fits = elems >= 0 && elems <= FUZZ_ELEMS && bits && bits <= 64 && t->dtype != WEFT_STRING;
  if (!fits || (!known && fuzz_one_in(c, 3)))
    return;
  for (int k = 0; k < FUZZ_ELEMS; k++)
    c->data[i][k] = fuzz_one_in(c, 3) ? fuzz_int(c) : fuzz_below(c, 4);
  t->data = c->data[i];
  t->bytes = ((size_t)elems * bits + 7) / 8;
}

static void fuzz_make(fuzz_case *c, bool known) {
  c->use = (weft_use){.name = "n", .in_counts = c->in_counts, .out_counts = c->out_counts};
  fuzz_attrs(c);
  c->n_in = c->n_out = 0;
  for (uint32_t p = 0; p < weft_proto_n_in(c->p); p++) {
    const weft_port *port = weft_proto_in(c->p, p);
    c->in_counts[p] = fuzz_count(c, port);
    for (uint32_t k = 0; k < c->in_counts[p] && c->n_in < FUZZ_INSTANCES; k++) {
      fuzz_tensor(c, c->n_in, port, known);
      c->in_at[c->n_in] = &c->in[c->n_in];
      c->n_in++;
    }
  }
  for (uint32_t p = 0; p < weft_proto_n_out(c->p); p++) {
    const weft_port *port = weft_proto_out(c->p, p);
    c->out_counts[p] = port->kind == WEFT_DYNAMIC ? fuzz_below(c, 4) : 1;
    c->n_out += c->out_counts[p];
  }
}

// ---- calls ----
static void fuzz_say(fuzz_case *c, const char *what, weft_status s, const weft_diag *d) {
  c->calls++;
  c->good += !s;
  if (!s || strstr(d->text, c->name))
    return;
  fprintf(stderr, "fuzz: %s of %s gave %s, and the message does not name it: %s\n", what, c->name,
          weft_status_name(s), d->text);
  exit(1);
}

static void fuzz_infer(fuzz_case *c) {
  weft_tensor_desc out[FUZZ_INSTANCES];
  weft_diag d = {0};
  fuzz_make(c, fuzz_one_in(c, 2));
  if (c->n_out > FUZZ_INSTANCES)
    return;
  weft_status s = weft_infer_op(c->env, c->p, &c->use, c->in_at, c->n_in, out, c->n_out, &d);
  fuzz_say(c, "inference", s, &d);
}

static void fuzz_run(fuzz_case *c) {
  weft_tensor out[FUZZ_INSTANCES];
  weft_diag d = {0};
  fuzz_make(c, true);
  for (uint32_t i = 0; i < c->n_in; i++) {
    if (!c->in[i].data)
      return;
  }
  if (c->n_out > FUZZ_INSTANCES)
    return;
  weft_status s = weft_run_op(c->env, c->p, &c->use, c->in_at, c->n_in, out, c->n_out, NULL, &d);
  fuzz_say(c, "a call", s, &d);
  for (uint32_t i = 0; i < c->n_out; i++)
    weft_tensor_deinit(&out[i]);
}

// A tiling function on layouts that nobody inferred.
static void fuzz_call_tile(fuzz_case *c, const weft_op_desc *desc, weft_diag *d) {
  static uint64_t record[FUZZ_RECORD / 8];
  const weft_layout *layout[2 * FUZZ_INSTANCES];
  static weft_layout outs[FUZZ_INSTANCES];
  weft_dtype dtype[2 * FUZZ_INSTANCES];
  const weft_tensor *value[FUZZ_INSTANCES];
  for (uint32_t i = 0; i < desc->n_in; i++) {
    layout[i] = &c->in[i].layout;
    dtype[i] = c->in[i].dtype;
    value[i] = c->in[i].data ? &c->in[i] : NULL;
  }
  for (uint32_t i = 0; i < desc->n_out; i++) {
    fuzz_dims(c, &outs[i].origin, true);
    outs[i].storage = outs[i].origin;
    layout[desc->n_in + i] = &outs[i];
    dtype[desc->n_in + i] = (weft_dtype)fuzz_below(c, 13);
  }
  weft_tiling t = {.size = sizeof t,
                   .n_in = desc->n_in,
                   .n_out = desc->n_out,
                   .desc = desc,
                   .host = weft_env_host(c->env),
                   .d = d,
                   .in = layout,
                   .out = layout + desc->n_in,
                   .in_dtype = dtype,
                   .out_dtype = dtype + desc->n_in,
                   .value = value,
                   .phases = 1,
                   .data = record,
                   .data_cap = fuzz_one_in(c, 8) ? 8 : sizeof record,
                   .atomic_clean = 1};
  c->calls++;
  c->good += !desc->op->tile(&t);
}

static void fuzz_tile(fuzz_case *c) {
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_node *n = NULL;
  fuzz_make(c, true);
  for (uint32_t i = 0; i < c->n_in; i++) {
    if (c->in[i].layout.origin.rank > WEFT_MAX_RANK)
      return;
  }
  if (weft_graph_create(c->env, "g", &g, &d))
    return;
  weft_status s = weft_graph_add_node(g, c->name, &c->use, &n, &d);
  if (!s && weft_node_desc(n)->n_in == c->n_in && weft_node_desc(n)->n_out <= FUZZ_INSTANCES)
    fuzz_call_tile(c, weft_node_desc(n), &d);
  weft_graph_destroy(g);
}

// Seconds of the processor: a busy machine leaves no operator out and ends none too early.
static double fuzz_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fuzz_operator(fuzz_case *c, const weft_proto *p, uint64_t seed, double seconds) {
  const double until = fuzz_now() + seconds;
  const weft_op *op = weft_proto_op(p);
  c->p = p;
  c->name = op->name;
  c->calls = c->good = 0;
  c->state = seed * 0x9E3779B97F4A7C15u + 1;
  for (int i = 0; i < 16 || fuzz_now() < until; i++) {
    if (op->infer)
      fuzz_infer(c);
    if (op->execute)
      fuzz_run(c);
    if (op->tile)
      fuzz_tile(c);
  }
  printf("%-20s %8zu calls, %8zu succeeded\n", c->name, c->calls, c->good);
}

// What a process said before it ended: all of it goes to stderr unless it is the operator's own fault.
static bool fuzz_own_fault(FILE *said, const char *name, const char *own) {
  char line[1024];
  bool is_own = false;
  rewind(said);
  while (fgets(line, sizeof line, said))
    is_own |= *own && !strncmp(line, "SUMMARY: ", 9) && strstr(line, own);
  if (is_own) {
    printf("%-20s ended by a fault of its own\n", name);
    return true;
  }
  rewind(said);
  while (fgets(line, sizeof line, said))
    fputs(line, stderr);
  return false;
}

// Ends this process when it has taken so many seconds of the processor, or many more of the wall while it
// waits.
static void fuzz_end_after(double seconds) {
  enum { SPARE = 1, WALL = 20 };
  const struct itimerval t = {.it_value = {.tv_sec = (time_t)seconds + SPARE}};
  setitimer(ITIMER_PROF, &t, NULL);
  alarm(((unsigned)seconds + SPARE) * WALL);
}

static bool fuzz_apart(fuzz_case *c, const weft_proto *p, uint64_t seed, double seconds, const char *own) {
  FILE *said = tmpfile();
  int status = 0;
  fflush(stdout);
  const pid_t child = said ? fork() : -1;
  if (!child) {
    dup2(fileno(said), STDERR_FILENO);
    fuzz_end_after(seconds);
    fuzz_operator(c, p, seed, seconds);
    fflush(stdout);
    _exit(0);
  }
  bool ok = child > 0 && waitpid(child, &status, 0) == child && !status;
  const int ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (*own && (ended_by == SIGALRM || ended_by == SIGPROF)) {
    printf("%-20s did not end\n", weft_proto_op(p)->name);
    ok = true;
  }
  if (!ok && said)
    ok = fuzz_own_fault(said, weft_proto_op(p)->name, own);
  if (!ok)
    fprintf(stderr, "fuzz: %s failed, seed %llu\n", weft_proto_op(p)->name, (unsigned long long)seed);
  if (said)
    fclose(said);
  return ok;
}

int main(int argc, char **argv) {
  static fuzz_case c;
  weft_diag d = {0};
  const double seconds = argc > 1 ? atof(argv[1]) : 2;
  const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  const char *own = argc > 3 ? argv[3] : "";
  const char *only = argc > 4 ? argv[4] : NULL;
  size_t n = 0;
  if (weft_env_create(NULL, &c.env, &d)) {
    fprintf(stderr, "fuzz: %s\n", d.text);
    return 1;
  }
  const weft_proto *list[1024];
  for (size_t i = 0; i < weft_proto_count(c.env, false) && n < 1024; i++) {
    const weft_proto *p = weft_proto_at(c.env, i, false);
    const bool wanted = !only || !strcmp(weft_proto_op(p)->name, only);
    if (weft_proto_source(p) == WEFT_FROM_PACKAGE && wanted)
      list[n++] = p;
  }
  printf("%zu operators, seed %llu\n", n, (unsigned long long)seed);
  bool ok = n > 0;
  for (size_t i = 0; i < n; i++)
    ok &= fuzz_apart(&c, list[i], seed, seconds / (double)n, own);
  weft_env_destroy(c.env);
  return ok ? 0 : 1;
}
// SPDX-License-Identifier: Apache-2.0
