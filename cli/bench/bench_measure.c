// bench_measure.c - `weft bench`: the order of questions. Every start is a process of its own; the processes
// of the last one stay, and take turns in rounds, so that what disturbs the machine disturbs all.
#define _DEFAULT_SOURCE  // madvise
#include <errno.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "bench_side.h"

typedef struct session {  // one case with one number of threads
  const bench_options *o;
  const bench_case *c;
  weft_env *env;
  // absolute paths; the folder of everything written
  char model[4100];
  char work[4000];
  char inputs[BENCH_MOST_SETS][4100];  // input_I.npy of each set
  char out[BENCH_MOST_SIDES][4100];    // output_I.npy of each engine
  char own[BENCH_MOST_SIDES][4100];    // its prepared file
  bool own_plain[BENCH_MOST_SIDES];
  bench_command commands[BENCH_MOST_SIDES];
  bench_side sides[BENCH_MOST_SIDES];
  bool failed[BENCH_MOST_SIDES];
  double ready[BENCH_MOST_SIDES][BENCH_MOST_STARTS];  // of the starts
  double over[BENCH_MOST_SIDES][BENCH_MOST_STARTS];
  double held;  // bytes: the most that a start of this case has held
  bool apart;   // its inputs give dims of one name different sizes: no name makes any equal
  uint32_t threads;
} session;

static bool is_weft(const session *s, size_t i) {
  return !s->o->engines[i].peer;
}

static weft_status folder(char *path, size_t cap, const char *work, const char *what, size_t i,
                          weft_diag *d) {
  snprintf(path, cap, "%s/%s_%zu", work, what, i);
  if (!mkdir(path, 0700) || errno == EEXIST)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_IO, "cannot make the folder '%s': %s", path, strerror(errno));
}

// A peer with an instruction set of its own, and weft with another one or with an option beside weft as it
// is, are there for the times of their runs: they start once.
static bool starts_once(const session *s, size_t i) {
  const bench_engine *e = &s->o->engines[i];
  return is_weft(s, i) ? i && (e->isa || e->variant) : e->isa != NULL;
}

// An engine that fails is told of in its row; the others go on.
static void give_up(session *s, size_t i, bench_row *row, const weft_diag *d) {
  s->failed[i] = true;
  snprintf(row->r[i].error, sizeof row->r[i].error, "%.511s", d->text);
  bench_side_end(&s->sides[i]);
}

// What must end everything: an interruption, no memory.
static bool fatal(weft_status st) {
  return st == WEFT_E_CANCELLED || st == WEFT_E_NOMEM;
}

static weft_status bench_measure_start(session *s, size_t i, weft_diag *d) {
  const bench_engine *e = &s->o->engines[i];
  WEFT_TRY(
      bench_side_start(&s->sides[i], s->commands[i].label, s->commands[i].argv, e->isa, s->o->timeout, d));
  WEFT_TRY(bench_side_ask(&s->sides[i], d, "hello"));
  const char *says = bench_side_text(&s->sides[i], "isa");
  if (is_weft(s, i) || !e->isa || !strcmp(says, e->isa))
    return WEFT_OK;
  return weft_fail(d, WEFT_E_UNSUPPORTED, "%s does not say that it is limited to %s (--peer-isa)",
                   s->commands[i].label, e->isa);
}

static void least(double *to, double v) {
  if (*to < 0 || v < *to)
    *to = v;
}

// Memory that is free may be with the host of a virtual machine, who takes milliseconds to bring 2 MiB of it:
// an engine that starts when nobody has just freed as much would wait for that. What a start needs is taken
// and given back right before it, so that all starts find the same.
static void memory_at_hand(const session *s) {
  enum { PAGE = 4096, AROUND = 16 << 20 };
  struct stat st;
  double available = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  double bytes = fmax(s->held, stat(s->model, &st) ? 0 : 2 * (double)st.st_size) + AROUND;
  size_t n = (size_t)fmax(fmin(bytes, available / 2), PAGE);
  char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return;
#ifdef MADV_HUGEPAGE
  (void)madvise(p, n, MADV_HUGEPAGE);
#endif
  for (size_t i = 0; i < n; i += PAGE)
    p[i] = 1;
  munmap(p, n);
}

// The fields that `open` and `prepare` share, each with the tab before it.
static void options_text(const session *s, size_t i, char *out, size_t cap) {
  size_t n = (size_t)snprintf(out, cap, "\tthreads=%u", s->threads);
  if (s->o->streams && is_weft(s, i))
    n += (size_t)snprintf(out + n, cap - n, "\tstreams=%s", s->o->streams);
  for (size_t k = 0; is_weft(s, i) && k < s->o->n_options && n < cap; k++)
    n += (size_t)snprintf(out + n, cap - n, "\toption=%s", s->o->options[k]);
  const char *own = s->o->engines[i].option;
  if (s->apart && is_weft(s, i) && n < cap)
    n += (size_t)snprintf(out + n, cap - n, "\tapart=1");
  if (own && n < cap)
    snprintf(out + n, cap - n, "\toption=%s", own);
}

static weft_status open_model(session *s, size_t i, const char *model, bool plain, double *load,
                              bench_row *row, weft_diag *d) {
  char options[8000];
  bench_side *side = &s->sides[i];
  options_text(s, i, options, sizeof options);
  memory_at_hand(s);
  WEFT_TRY(bench_side_ask(side, d, "open\t%s\tinputs=%s%s%s", model, s->inputs[0], options,
                          plain ? "\tplain=1" : ""));
  WEFT_TRY(bench_side_need(side, "ns", load, d));
  if (bench_side_number(side, "nodes") > 0)
    row->nodes = bench_side_number(side, "nodes");
  return WEFT_OK;
}

// The first run with these inputs, and what it took beyond the runs right after it. Both are of one process
// and of one moment: the least of all runs is of another, and what the machine did meanwhile would be part of
// the difference.
static weft_status first_run(session *s, size_t i, const char *inputs, double *first, double *over,
                             weft_diag *d) {
  double steady;
  bench_side *side = &s->sides[i];
  WEFT_TRY(bench_side_ask(side, d, "set\t%s", inputs));
  WEFT_TRY(bench_side_need(side, "ns", first, d));
  WEFT_TRY(bench_side_ask(side, d, "run\t%g", s->o->seconds));
  WEFT_TRY(bench_side_need(side, "median", &steady, d));
  *over = *first - steady;
  return WEFT_OK;
}

static weft_status one_start(session *s, size_t k, size_t i, bench_row *row, weft_diag *d) {
  bench_result *r = &row->r[i];
  double *ready = s->ready[i], *over = s->over[i], first;
  WEFT_TRY(bench_measure_start(s, i, d));
  WEFT_TRY(open_model(s, i, s->model, s->o->plain, &ready[k], row, d));
  WEFT_TRY(first_run(s, i, s->inputs[0], &first, &over[k], d));
  least(&r->load_ns, ready[k]);
  least(&r->first_ns, first);
  r->load_median_ns = bench_median(ready, k + 1);
  r->first_over_ns = fmax(bench_median(over, k + 1), 0);
  if (!bench_side_ask(&s->sides[i], d, "memory"))
    s->held = fmax(s->held, bench_side_number(&s->sides[i], "peak"));
  weft_diag_clear(d);  // of an engine that does not tell
  return WEFT_OK;
}

// The starts of every engine, in turn.
static weft_status starts(session *s, bench_row *row, weft_diag *d) {
  for (size_t k = 0; k < s->c->starts; k++) {
    for (size_t i = 0; i < s->o->n_engines; i++) {
      weft_diag own = {0};
      if (s->failed[i] || (k && starts_once(s, i)))
        continue;
      bench_side_end(&s->sides[i]);
      weft_status st = one_start(s, k, i, row, &own);
      if (fatal(st))
        return *d = own, st;
      if (st)
        give_up(s, i, row, &own);
    }
  }
  return WEFT_OK;
}

// The same from the file that the engine prepared for itself: a program, an optimised model.
static weft_status own_starts(session *s, bench_row *row, weft_diag *d) {
  for (size_t k = 0; k <= s->c->starts; k++) {
    for (size_t i = 0; i < s->o->n_engines; i++) {
      char options[8000];
      weft_diag own = {0};
      if (s->failed[i] || starts_once(s, i))
        continue;
      double load;
      options_text(s, i, options, sizeof options);
      snprintf(s->own[i], sizeof s->own[i], "%s/own_%zu%s", s->work, i, is_weft(s, i) ? ".weft" : ".onnx");
      weft_status st = bench_measure_start(s, i, &own);
      if (!st && !k) {
        st = bench_side_ask(&s->sides[i], &own, "prepare\t%s\t%s\tinputs=%s%s", s->model, s->own[i],
                            s->inputs[0], options);
      }
      if (!st && !k)
        s->own_plain[i] = bench_side_number(&s->sides[i], "plain") == 1;
      if (!st && k)
        st = open_model(s, i, s->own[i], s->own_plain[i], &load, row, &own);
      if (!st && k)
        st = bench_side_ask(&s->sides[i], &own, "set\t%s", s->inputs[0]);  // it works
      if (!st && k)
        least(&row->r[i].own_load_ns, load);
      bench_side_end(&s->sides[i]);
      if (fatal(st))
        return *d = own, st;
      if (!st)
        continue;
      fprintf(stderr, "weft: note: no start from an own file: %s\n", own.text);
      row->r[i].own_load_ns = -1;
    }
  }
  return WEFT_OK;
}

static weft_status bench_measure_slice(session *s, size_t i, bench_result *r, double *medians, size_t round,
                                       weft_diag *d) {
  double low, median, runs;
  bench_side *side = &s->sides[i];
  WEFT_TRY(bench_side_ask(side, d, "run\t%g", s->o->seconds));
  WEFT_TRY(bench_side_need(side, "least", &low, d));
  WEFT_TRY(bench_side_need(side, "median", &median, d));
  WEFT_TRY(bench_side_need(side, "runs", &runs, d));
  bench_times_add(&r->run, low, median, (size_t)runs, medians, round);
  r->allocations = bench_side_number(side, "allocations");  // of the last round
  return WEFT_OK;
}

static weft_status rounds(session *s, bench_row *row, weft_diag *d) {
  double *medians = calloc(s->o->repeat * BENCH_MOST_SIDES, sizeof *medians);
  weft_status fault = medians ? WEFT_OK : weft_fail(d, WEFT_E_NOMEM, "out of memory");
  for (size_t k = 0; !fault && k < s->o->repeat; k++) {
    for (size_t i = 0; !fault && i < s->o->n_engines; i++) {
      weft_diag own = {0};
      if (s->failed[i])
        continue;
      weft_status st = bench_measure_slice(s, i, &row->r[i], medians + i * s->o->repeat, k, &own);
      if (fatal(st)) {
        *d = own;
        fault = st;
      }
      if (st)
        give_up(s, i, row, &own);
    }
  }
  free(medians);
  return fault;
}

static void read_profile(bench_side *side, bench_result *r) {
  size_t cursor = 0;
  for (const char *v; (v = bench_side_next(side, "op", &cursor));) {
    bench_op op = {{0}};
    bench_op *more = realloc(r->ops, (r->n_ops + 1) * sizeof *more);
    if (!more)
      return;
    r->ops = more;
    if (sscanf(v, "%47[^:]:%lf:%lf:%lf:%lf", op.type, &op.launches, &op.ns, &op.bytes, &op.flops) == 5)
      r->ops[r->n_ops++] = op;
  }
}

// Memory, results, profile: asked when the times are taken. What an engine does not tell is left out.
static void afterwards(session *s, bench_row *row) {
  for (size_t i = 0; i < s->o->n_engines; i++) {
    weft_diag d = {0};
    bench_result *r = &row->r[i];
    bench_side *side = &s->sides[i];
    if (s->failed[i])
      continue;
    if (!bench_side_ask(side, &d, "memory")) {
      r->peak_bytes = bench_side_number(side, "peak");
      r->base_bytes = bench_side_number(side, "base");
    }
    r->saved = !bench_side_ask(side, &d, "save\t%s", s->out[i]);
    if (!r->saved)
      fprintf(stderr, "weft: note: %s\n", d.text);
    if (s->o->profile && is_weft(s, i) && !bench_side_ask(side, &d, "profile"))
      read_profile(side, r);
  }
}

static bench_row *new_row(bench_report *report, const session *s, size_t set, const char *shapes) {
  bench_row *row = &report->rows[report->n_rows++];
  *row = (bench_row){.c = s->c, .apart = s->apart, .threads = s->threads, .first_set = !set, .nodes = -1};
  snprintf(row->name, sizeof row->name, "%s", s->c->name);
  if (s->c->n_sets > 1)  // the sets of one model are told apart by their first input
    snprintf(row->name, sizeof row->name, "%.50s %.*s", s->c->name, (int)strcspn(shapes, " "), shapes);
  snprintf(row->shapes, sizeof row->shapes, "%s", shapes);
  for (size_t i = 0; i < BENCH_MOST_SIDES; i++) {
    row->r[i] = (bench_result){.load_ns = -1,
                               .load_median_ns = -1,
                               .own_load_ns = -1,
                               .first_ns = -1,
                               .first_over_ns = -1,
                               .run = {-1, -1, 0},
                               .allocations = -1,
                               .peak_bytes = -1,
                               .base_bytes = -1,
                               .error_max = -1,
                               .error_rms = -1};
  }
  return row;
}

// A set after the first one: the session meets new shapes.
static weft_status next_set(session *s, size_t set, bench_row *row, weft_diag *d) {
  for (size_t i = 0; i < s->o->n_engines; i++) {
    weft_diag own = {0};
    if (s->failed[i]) {
      snprintf(row->r[i].error, sizeof row->r[i].error, "it failed with the first data set");
      continue;
    }
    bench_result *r = &row->r[i];
    weft_status st = first_run(s, i, s->inputs[set], &r->first_ns, &r->first_over_ns, &own);
    r->first_over_ns = fmax(r->first_over_ns, 0);
    if (fatal(st))
      return *d = own, st;
    if (st)
      give_up(s, i, row, &own);
  }
  return WEFT_OK;
}

static void show(const session *s, const bench_row *row) {
  if (isatty(2))
    fprintf(stderr, "\r%s, %u thread%s\033[K", row->name, s->threads, s->threads > 1 ? "s" : "");
}

static weft_status measure_threads(session *s, bench_report *report, const bench_told *told, weft_diag *d) {
  size_t n_sets = s->c->n_sets ? s->c->n_sets : 1;
  memset(s->failed, 0, sizeof s->failed);
  for (size_t set = 0; set < n_sets; set++) {
    bench_row *row = new_row(report, s, set, told->shapes[set]);
    show(s, row);
    if (!set && s->o->own_files && s->threads == s->c->threads[0])
      WEFT_TRY(own_starts(s, row, d));
    WEFT_TRY(set ? next_set(s, set, row, d) : starts(s, row, d));
    WEFT_TRY(rounds(s, row, d));
    afterwards(s, row);
    bench_accuracy(s->env, s->o, row, s->inputs[set], s->out);
  }
  return WEFT_OK;
}

static void end_all(session *s) {
  for (size_t i = 0; i < s->o->n_engines; i++)
    bench_side_end(&s->sides[i]);
}

static weft_status measure_case(session *s, bench_report *report, weft_diag *d) {
  static bench_told told;
  size_t n_sets = s->c->n_sets ? s->c->n_sets : 1;
  char *real = realpath(s->c->model, NULL);
  if (!real)
    return weft_fail(d, WEFT_E_NOT_FOUND, "cannot read '%s': %s", s->c->model, strerror(errno));
  snprintf(s->model, sizeof s->model, "%s", real);
  free(real);
  s->held = 0;
  *told.look.broken = 0;
  for (size_t i = 0; i < n_sets; i++) {
    WEFT_TRY(folder(s->inputs[i], sizeof s->inputs[i], s->work, "in", i, d));
    WEFT_TRY(bench_inputs(s->env, s->c, i, s->o->seed, s->inputs[i], &told, d));
  }
  s->apart = *told.look.broken && !s->o->strict;
  if (s->apart)
    dims_warn(&told.look);
  for (size_t i = 0; i < s->o->n_engines; i++)
    WEFT_TRY(folder(s->out[i], sizeof s->out[i], s->work, "out", i, d));
  for (size_t t = 0; t < s->c->n_threads; t++) {
    s->threads = s->c->threads[t];
    weft_status st = measure_threads(s, report, &told, d);
    end_all(s);
    if (st)
      return st;
  }
  return WEFT_OK;
}

// Every engine is there and says who it is, before anything is measured.
static weft_status meet(session *s, bench_options *o, weft_diag *d) {
  for (size_t i = 0; i < o->n_engines; i++) {
    bench_engine *e = &o->engines[i];
    WEFT_TRY(bench_find(e, &s->commands[i], d));
    weft_status st = bench_measure_start(s, i, d);
    if (!st) {
      snprintf(e->name, sizeof e->name, "%.60s", bench_side_text(&s->sides[i], "name"));
      snprintf(e->version, sizeof e->version, "%.60s", bench_side_text(&s->sides[i], "version"));
      const char *more = e->isa ? e->isa : e->variant;
      snprintf(e->label, sizeof e->label, "%.40s%s%.16s",
               *e->name  ? e->name
               : e->peer ? e->peer
                         : "weft",
               more ? " " : "", more ? more : "");
    }
    bench_side_end(&s->sides[i]);
    if (st)
      return st;
  }
  return WEFT_OK;
}

static size_t count_rows(const bench_options *o) {
  size_t n = 0;
  for (size_t i = 0; i < o->n_cases; i++)
    n += o->cases[i].n_threads * (o->cases[i].n_sets ? o->cases[i].n_sets : 1);
  return n;
}

weft_status bench_measure(weft_env *e, bench_options *o, bench_report *r, weft_diag *d) {
  const char *tmp = getenv("TMPDIR");
  char root[3000];
  session *s = calloc(1, sizeof *s);
  r->rows = calloc(count_rows(o) + 1, sizeof *r->rows);
  if (!s || !r->rows)
    return free(s), weft_fail(d, WEFT_E_NOMEM, "out of memory");
  snprintf(root, sizeof root, "%s/weft-bench-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  s->o = o;
  s->env = e;
  bench_side_catch_signals();
  weft_status st = meet(s, o, d);
  if (!st && !mkdtemp(root))
    st = weft_fail(d, WEFT_E_IO, "cannot make a folder '%s': %s", root, strerror(errno));
  for (size_t i = 0; !st && i < o->n_cases; i++) {
    s->c = &o->cases[i];
    snprintf(s->work, sizeof s->work, "%s/case_%zu", root, i);
    if (mkdir(s->work, 0700))
      st = weft_fail(d, WEFT_E_IO, "cannot make the folder '%s': %s", s->work, strerror(errno));
    if (!st)
      st = measure_case(s, r, d);
    if (st)
      weft_note(d, "while measuring '%s'", o->cases[i].model);
    bench_remove(s->work);
  }
  end_all(s);
  if (strstr(root, "XXXXXX") == NULL)
    bench_remove(root);
  if (isatty(2))
    fprintf(stderr, "\r\033[K");
  free(s);
  return st;
}

void bench_report_free(bench_report *r) {
  for (size_t i = 0; i < r->n_rows; i++) {
    for (size_t k = 0; k < BENCH_MOST_SIDES; k++)
      free(r->rows[i].r[k].ops);
  }
  free(r->rows);
}
// SPDX-License-Identifier: Apache-2.0
