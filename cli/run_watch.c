// run_watch.c - what `weft run` writes of a run: intermediate tensors, times.
#include "run.h"

weft_status dump_value(const char *dir, const weft_value *v, const weft_tensor *t) {
  char path[4096];
  weft_diag d = {0};
  if (t->kind != WEFT_KIND_TENSOR)
    return WEFT_OK;  // sequences have no .npy
  size_t n = (size_t)snprintf(path, sizeof path - 8, "%s/", dir);
  for (const char *c = weft_value_name(v); *c && n < sizeof path - 8; c++)
    path[n++] = *c == '/' ? '_' : *c;
  strcpy(path + n, ".npy");
  weft_status s = weft_npy_save(path, t, &d);
  if (s == WEFT_E_DTYPE || s == WEFT_E_UNSUPPORTED)
    return WEFT_OK;  // strings
  if (s)
    fprintf(stderr, "weft: %s\n", d.text);
  return s;
}

static const char *node_type(const weft_node *n, const char *type, char *buf, size_t cap) {
  size_t at = (size_t)snprintf(buf, cap, "%s", type);
  const weft_graph *body =
      n && weft_node_n_graphs(n) && !strcmp(type, "Fused") ? weft_node_graph_at(n, 0) : NULL;
  const weft_node *k = body ? weft_graph_first(body) : NULL;
  for (char mark = ' '; k && at < cap; k = weft_node_next(k), mark = '+')
    at += (size_t)snprintf(buf + at, cap - at, "%c%s", mark, weft_node_type(k));
  return buf;
}

const char *node_text(const weft_node *n, char *buf, size_t cap) {
  return node_type(n, weft_node_type(n), buf, cap);
}

typedef struct line {
  char type[128];
  size_t n;
  uint64_t ns, bytes;
  double flops;
} line;

static int by_time(const void *a, const void *b) {
  const line *x = a;
  const line *y = b;
  return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : strcmp(x->type, y->type);
}

static int launches_by_time(const void *a, const void *b) {
  const weft_launch_record *x = *(const weft_launch_record *const *)a;
  const weft_launch_record *y = *(const weft_launch_record *const *)b;
  uint64_t p = x->end_ns - x->begin_ns;
  uint64_t q = y->end_ns - y->begin_ns;
  return p != q ? (p < q ? 1 : -1) : (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static void print_rates(double ns, double bytes, double flops) {
  char text[32] = "";
  if (flops > 0 && ns > 0)
    snprintf(text, sizeof text, "%.1f", flops / ns);
  printf(" %10.1f %9s %9.2f", ns / 1e3, text, ns > 0 ? bytes / ns : 0);
}

static void print_types(const weft_graph *g, const weft_launch_record *r, size_t n) {
  line *l = calloc(n + 1, sizeof *l);
  size_t types = 0;
  double all = 0;
  for (size_t i = 0; l && i < n; i++) {
    size_t k = 0;
    if (r[i].depth)
      continue;  // counted by the node that runs the sub-graph
    node_type(weft_graph_find_node(g, r[i].node), r[i].type, l[types].type, sizeof l->type);
    while (strcmp(l[k].type, l[types].type))
      k++;
    types += k == types;
    l[k].n++;
    l[k].ns += r[i].end_ns - r[i].begin_ns;
    l[k].bytes += r[i].bytes;
    l[k].flops += r[i].flops > 0 ? (double)r[i].flops : 0;
    all += (double)(r[i].end_ns - r[i].begin_ns);
  }
  if (l && types)
    qsort(l, types, sizeof *l, by_time);
  printf("%-40s %8s %6s %10s %9s %9s\n", "operator", "launches", "%", "us", "GFLOP/s", "GB/s");
  for (size_t k = 0; l && k < types; k++) {
    printf("%-40.40s %8zu %5.1f%%", l[k].type, l[k].n, all > 0 ? 100 * (double)l[k].ns / all : 0);
    print_rates((double)l[k].ns, (double)l[k].bytes, l[k].flops);
    printf("\n");
  }
  printf("%-40s %8zu %6s %10.1f\n", "all", n, "", all / 1e3);
  free(l);
}

// Names of nodes are paths, and tell each other apart at their ends.
static void name_end(const char *name, char *out, size_t cap) {
  size_t n = strlen(name);
  size_t at = n < cap ? 0 : n - (cap - 1) + 2;
  while (at && ((unsigned char)name[at] & 0xC0) == 0x80)
    at++;  // no half letters
  snprintf(out, cap, "%s%s", at ? ".." : "", name + at);
}

void print_profile(const weft_exec *x, const weft_graph *g) {
  const weft_launch_record *r;
  size_t n = weft_exec_profile(x, &r);
  const weft_launch_record **order = calloc(n + 1, sizeof *order);
  for (size_t i = 0; order && i < n; i++)
    order[i] = &r[i];
  if (order && n)
    qsort(order, n, sizeof *order, launches_by_time);
  printf("%-28s %-26s %-22s %10s %9s %9s\n", "slowest nodes", "operator", "kernel", "us", "GFLOP/s", "GB/s");
  for (size_t i = 0; order && i < n && i < 10; i++) {
    char type[128];
    const weft_launch_record *k = order[i];
    node_type(k->depth ? NULL : weft_graph_find_node(g, k->node), k->type, type, sizeof type);
    char name[29];
    name_end(k->source && *k->source ? k->source : k->node, name, sizeof name);
    printf("%-28s %-26.26s %-22s", name, type, k->kernel);
    print_rates((double)(k->end_ns - k->begin_ns), (double)k->bytes, (double)k->flops);
    printf("\n");
  }
  free(order);
  printf("\n");
  print_types(g, r, n);
}

weft_status write_trace(const weft_exec *x, const char *path, weft_diag *d) {
  weft_file_out *f;
  WEFT_TRY(weft_file_create(path, &f, d));
  return weft_file_finish(f, weft_exec_write_trace(x, weft_file_write, f), d);
}
// SPDX-License-Identifier: Apache-2.0
