// bench_table.c - `weft bench`: the tables for people, at most 100 columns wide.
#include <math.h>

#include "bench.h"

int bench_peer(const bench_options *o) {
  for (size_t i = 0; i < o->n_engines; i++) {
    if (o->engines[i].peer)
      return (int)i;
  }
  return -1;
}

int bench_base(const bench_options *o, size_t k) {
  if (o->engines[k].peer)
    return (int)k;
  for (size_t i = 0; i < o->n_engines; i++) {
    const char *a = o->engines[i].isa;
    const char *b = o->engines[k].isa;
    if (o->engines[i].peer && (a && b ? !strcmp(a, b) : a == b))
      return (int)i;
  }
  return bench_peer(o);
}

double bench_ratio(double a, double b) {
  return a >= 0 && b > 0 ? a / b : -1;
}

const char *bench_time(double ns, char *buf, size_t cap) {
  static const struct {
    double ns;
    const char *unit;
  } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
  size_t u = 0;
  if (ns < 0)
    return "";
  if (!(ns > 0))
    return "0";
  while (ns < units[u].ns * 0.99995)
    u++;
  double x = units[u].ns > 0 ? ns / units[u].ns : ns;
  snprintf(buf, cap, "%.*f %s", x < 9.995 ? 2 : x < 99.95 ? 1 : 0, x, units[u].unit);
  return buf;
}

const char *bench_bytes(double bytes, char *buf, size_t cap) {
  if (bytes < 0)
    return "";
  double mb = bytes / 1e6;
  snprintf(buf, cap, "%.*f MB", mb < 9.995 ? 2 : mb < 99.95 ? 1 : 0, mb);
  return buf;
}

static const char *ratio_text(double x, char *buf, size_t cap) {
  if (x < 0)
    return "";
  snprintf(buf, cap, x < 0.0995 ? "%.3f" : "%.2f", x);
  return buf;
}

static const char *error_text(double x, char *buf, size_t cap) {
  if (x < 0)
    return "";
  snprintf(buf, cap, x > 0 ? "%.1e" : "%.0f", x);
  return buf;
}

static double grown(const bench_result *r) {
  return r->peak_bytes >= 0 && r->base_bytes >= 0 ? r->peak_bytes - r->base_bytes : -1;
}

// The model stands in the first line of its row.
static void row_name(const bench_row *row, size_t engine, FILE *f) {
  char threads[16];
  snprintf(threads, sizeof threads, "%u", row->threads);
  fprintf(f, "%-25.25s %3s  ", engine ? "" : row->name, engine ? "" : threads);
}

static void bench_table_times(const bench_report *r, FILE *f) {
  int peer = bench_peer(r->o);
  char a[32];
  char b[32];
  char c[32];
  char e[32];
  fprintf(f, "%-25s %3s  %-17s %10s %10s %7s %7s %8s\n", "time of a run", "thr", "", "least", "median",
          peer < 0 ? "" : "least", peer < 0 ? "" : "median", "runs");
  if (peer >= 0)
    fprintf(f, "%-25s %3s  %-17s %10s %10s %15s\n", "", "", "", "", "", "beside the peer");
  for (size_t i = 0; i < r->n_rows; i++) {
    const bench_row *row = &r->rows[i];
    for (size_t k = 0; k < r->o->n_engines; k++) {
      int base = bench_base(r->o, k);
      const bench_result *x = &row->r[k];
      const bench_result *p = base < 0 || base == (int)k ? NULL : &row->r[base];
      row_name(row, k, f);
      fprintf(f, "%-17.17s ", r->o->engines[k].label);
      if (*x->error)
        fprintf(f, "failed: %s\n", x->error);
      else {
        fprintf(f, "%10s %10s %7s %7s %8zu\n", bench_time(x->run.least, a, sizeof a),
                bench_time(x->run.median, b, sizeof b),
                ratio_text(p ? bench_ratio(x->run.least, p->run.least) : -1, c, sizeof c),
                ratio_text(p ? bench_ratio(x->run.median, p->run.median) : -1, e, sizeof e), x->run.runs);
      }
    }
  }
}

static void start_and_memory(const bench_report *r, FILE *f) {
  char a[32];
  char b[32];
  char c[32];
  char e[32];
  char g[32];
  char h[32];
  fprintf(f, "\n%-25s %3s  %-17s %10s %10s %10s %10s %9s %9s\n", "start and memory", "thr", "", "make ready",
          "median", r->o->own_files ? "own file" : "", "first run", "resident", "grown by");
  for (size_t i = 0; i < r->n_rows; i++) {
    const bench_row *row = &r->rows[i];
    for (size_t k = 0; k < r->o->n_engines; k++) {
      const bench_result *x = &row->r[k];
      if (*x->error)
        continue;
      row_name(row, k, f);
      fprintf(f, "%-17.17s %10s %10s %10s %10s %9s %9s\n", r->o->engines[k].label,
              bench_time(x->load_ns, a, sizeof a), bench_time(x->load_median_ns, h, sizeof h),
              bench_time(x->own_load_ns, b, sizeof b), bench_time(x->first_over_ns, c, sizeof c),
              bench_bytes(x->peak_bytes, e, sizeof e), bench_bytes(grown(x), g, sizeof g));
    }
  }
  fprintf(
      f,
      "make ready: load, compile, pack; least and median of %zu starts, each a process. first run: what it "
      "took\nbeyond the median of the runs right after it, the median of the starts.\n"
      "resident: the most the process held; grown by: beyond what it held before it opened the model.\n",
      r->o->starts);
}

// Runs of shapes that were seen should ask the system for nothing.
static void allocations(const bench_report *r, FILE *f) {
  bool told = false;
  bool any = false;
  for (size_t i = 0; i < r->n_rows; i++) {
    for (size_t k = 0; k < r->o->n_engines; k++) {
      const bench_result *x = &r->rows[i].r[k];
      told |= x->allocations >= 0;
      if (x->allocations <= 0)
        continue;
      fprintf(f, "allocations in the last round of %s, %s: %.0f\n", r->rows[i].name, r->o->engines[k].label,
              x->allocations);
      any = true;
    }
  }
  if (told && !any)
    fprintf(f, "weft allocated nothing in the runs that were timed.\n");
}

static void accuracy(const bench_report *r, FILE *f) {
  char a[32];
  char b[32];
  bool any = false;
  for (size_t i = 0; i < r->n_rows; i++)
    any |= r->rows[i].reference != NULL;
  if (!any)
    return;
  fprintf(f, "\n%-25s %3s  %-17s %10s %10s  %s\n", "difference from", "thr", "", "largest", "rms", "from");
  for (size_t i = 0; i < r->n_rows; i++) {
    const bench_row *row = &r->rows[i];
    bool named = false;
    for (size_t k = 0; row->reference && k < r->o->n_engines; k++) {
      const bench_result *x = &row->r[k];
      if (x->error_max < 0)
        continue;
      row_name(row, named, f);
      named = true;
      fprintf(f, "%-17.17s %10s %10s  %s%s\n", r->o->engines[k].label, error_text(x->error_max, a, sizeof a),
              error_text(x->error_rms, b, sizeof b), row->reference,
              x->error_max <= r->o->tolerance ? "" : "  MORE THAN ALLOWED");
    }
  }
  fprintf(f, "beside the largest element (rms: the rms) of the output that is worst; allowed: %g\n",
          r->o->tolerance);
}

static int by_time(const void *a, const void *b) {
  const bench_op *x = a;
  const bench_op *y = b;
  return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : strcmp(x->type, y->type);
}

static void bench_table_profile(const bench_report *r, const bench_row *row, size_t k, FILE *f) {
  bench_result *x = (bench_result *)(uintptr_t)&row->r[k];
  char a[32];
  double all = 0;
  for (size_t i = 0; i < x->n_ops; i++)
    all += x->ops[i].ns;
  if (!(all > 0))
    return;
  qsort(x->ops, x->n_ops, sizeof *x->ops, by_time);
  fprintf(f, "\n%s, %u thread%s, %s\n%-34s %10s %10s %7s %10s %10s\n", row->name, row->threads,
          row->threads > 1 ? "s" : "", r->o->engines[k].label, "operator", "launches", "time", "share",
          "GFLOP/s", "GB/s");
  for (size_t i = 0; i < x->n_ops && i < 12; i++) {
    const bench_op *op = &x->ops[i];
    char flops[32] = "";
    if (op->flops > 0 && op->ns > 0)
      snprintf(flops, sizeof flops, "%.1f", op->flops / op->ns);
    fprintf(f, "%-34.34s %10.0f %10s %6.1f%% %10s %10.1f\n", op->type, op->launches,
            bench_time(op->ns, a, sizeof a), 100 * op->ns / all, flops, op->ns > 0 ? op->bytes / op->ns : 0);
  }
}

// Where nodes are many and small, what one of them costs is the figure.
static void per_node(const bench_report *r, FILE *f) {
  bool any = false;
  for (size_t i = 0; i < r->n_rows; i++) {
    const bench_row *row = &r->rows[i];
    if (row->nodes < 1000)
      continue;
    fprintf(f, "%s%s, %u thread%s: %.0f nodes in the model, ns a node:", any ? "" : "\n", row->name,
            row->threads, row->threads > 1 ? "s" : "", row->nodes);
    for (size_t k = 0; k < r->o->n_engines; k++) {
      if (row->r[k].run.least >= 0)
        fprintf(f, "%s %s %.1f", k ? "," : "", r->o->engines[k].label, row->r[k].run.least / row->nodes);
    }
    fprintf(f, "\n");
    any = true;
  }
}

void bench_table(const bench_report *r, FILE *f) {
  fprintf(f, "%s, %u core%s; %s;", r->machine, r->cores, r->cores > 1 ? "s" : "", r->date);
  for (size_t k = 0, n = 0; k < r->o->n_engines; k++) {
    bool again = false;
    for (size_t i = 0; i < k; i++)
      again |= !strcmp(r->o->engines[i].name, r->o->engines[k].name);
    if (!again)
      fprintf(f, "%s %s %s", n++ ? "," : "", r->o->engines[k].name, r->o->engines[k].version);
  }
  fprintf(f, "%s\nengines in turn, %zu round%s of %g s each\n\n", r->o->plain ? "; nothing optimised" : "",
          r->o->repeat, r->o->repeat > 1 ? "s" : "", r->o->seconds);
  bench_table_times(r, f);
  per_node(r, f);
  start_and_memory(r, f);
  allocations(r, f);
  accuracy(r, f);
  for (size_t i = 0; i < r->n_rows; i++) {
    for (size_t k = 0; k < r->o->n_engines; k++)
      bench_table_profile(r, &r->rows[i], k, f);
  }
}
// SPDX-License-Identifier: Apache-2.0
