// run_watch.c - what `weft run` looks at: intermediate tensors, the first NaN, times.
#include <math.h>

#include "run.h"

weft_status dump_value(const char *dir, const weft_value *v, const weft_tensor *t) {
  char path[4096];
  weft_diag d = {0};
  if (t->kind != WEFT_KIND_TENSOR) return WEFT_OK;  // sequences have no .npy
  size_t n = (size_t)snprintf(path, sizeof path - 8, "%s/", dir);
  for (const char *c = weft_value_name(v); *c && n < sizeof path - 8; c++) path[n++] = *c == '/' ? '_' : *c;
  strcpy(path + n, ".npy");
  weft_status s = weft_npy_save(path, t, &d);
  if (s == WEFT_E_DTYPE || s == WEFT_E_UNSUPPORTED) return WEFT_OK;  // strings
  if (s) fprintf(stderr, "weft: %s\n", d.text);
  return s;
}

weft_status watch_nan(const weft_value *v, const weft_tensor *t) {
  weft_dtype_set floats = WEFT_FLOATS | WEFT_FLOAT8S;
  int64_t n = weft_tensor_elems(t);
  if (t->kind != WEFT_KIND_TENSOR || !(floats & WEFT_BIT(t->dtype))) return WEFT_OK;
  for (int64_t i = 0; i < n; i++) {
    double x = weft_load_f64(t->dtype, t->data, (size_t)i);
    if (isfinite(x)) continue;
    uint32_t index;
    const weft_node *node = weft_value_node(v, &index);
    fprintf(stderr, "weft: element %lld of '%s' is %g; made by node '%s' (%s)\n", (long long)i,
            weft_value_name(v), x, node ? weft_node_name(node) : "", node ? weft_node_type(node) : "");
    return WEFT_E_RANGE;
  }
  return WEFT_OK;
}

typedef struct line {
  const char *type;
  size_t n;
  uint64_t ns, bytes;
} line;

static int by_time(const void *a, const void *b) {
  const line *x = a, *y = b;
  return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : strcmp(x->type, y->type);
}

static int launches_by_time(const void *a, const void *b) {
  const weft_launch_record *x = *(const weft_launch_record *const *)a,
                           *y = *(const weft_launch_record *const *)b;
  uint64_t p = x->end_ns - x->begin_ns, q = y->end_ns - y->begin_ns;
  return p != q ? (p < q ? 1 : -1) : (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static void print_types(const weft_launch_record *r, size_t n) {
  line *l = calloc(n + 1, sizeof *l);
  size_t types = 0;
  uint64_t all = 0;
  for (size_t i = 0; l && i < n; i++) {
    size_t k = 0;
    if (r[i].depth) continue;  // counted by the node that runs the sub-graph
    while (k < types && strcmp(l[k].type, r[i].type)) k++;
    if (k == types) l[types++].type = r[i].type;
    l[k].n++, l[k].ns += r[i].end_ns - r[i].begin_ns, l[k].bytes += r[i].bytes;
    all += r[i].end_ns - r[i].begin_ns;
  }
  if (l && types) qsort(l, types, sizeof *l, by_time);
  printf("%-24s %8s %12s %7s %10s\n", "operator", "launches", "us", "%", "GB/s");
  for (size_t k = 0; l && k < types; k++)
    printf("%-24.24s %8zu %12.1f %6.1f%% %10.2f\n", l[k].type, l[k].n, (double)l[k].ns / 1e3,
           all ? 100 * (double)l[k].ns / (double)all : 0, l[k].ns ? (double)l[k].bytes / (double)l[k].ns : 0);
  printf("%-24s %8zu %12.1f\n", "all", n, (double)all / 1e3);
  free(l);
}

void print_profile(const weft_exec *x) {
  const weft_launch_record *r;
  size_t n = weft_exec_profile(x, &r);
  const weft_launch_record **order = calloc(n + 1, sizeof *order);
  for (size_t i = 0; order && i < n; i++) order[i] = &r[i];
  if (order && n) qsort(order, n, sizeof *order, launches_by_time);
  printf("%-32s %-20s %-16s %10s %10s\n", "slowest nodes", "operator", "kernel", "us", "GB/s");
  for (size_t i = 0; order && i < n && i < 10; i++) {
    double ns = (double)(order[i]->end_ns - order[i]->begin_ns);
    printf("%-32.32s %-20.20s %-16.16s %10.1f %10.2f\n",
           order[i]->source && *order[i]->source ? order[i]->source : order[i]->node, order[i]->type,
           order[i]->kernel, ns / 1e3, ns > 0 ? (double)order[i]->bytes / ns : 0);
  }
  free(order);
  printf("\n");
  print_types(r, n);
}

weft_status write_trace(const weft_exec *x, const char *path, weft_diag *d) {
  FILE *f = fopen(path, "w");
  if (!f) return weft_fail(d, WEFT_E_IO, "cannot write '%s'", path);
  weft_status s = weft_exec_write_trace(x, to_file, f);
  if (fclose(f) && !s) s = WEFT_E_IO;
  return s ? weft_fail(d, s, "cannot write '%s'", path) : WEFT_OK;
}
