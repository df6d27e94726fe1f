// show.c - `weft show`: a model as text, picture, JSON or summary; also converts between the forms.
#include <errno.h>

#include "cli.h"

static const char help[] =
    "weft show MODEL [--text | --dot | --json | --dump | --dump-verbose | --metair | --table | --save FILE] "
    "[--infer]\n\n"
    "Without an option prints a summary: what the model says of itself, inputs, outputs, parameters, FLOPs, "
    "operators.\n\n"
    "  --text          weft's text form (docs/text-ir.md); --full includes the data of large constants\n"
    "  --dot           a picture for graphviz:  weft show m.onnx --dot | dot -Tpng > m.png\n"
    "  --json          the graph as JSON\n"
    "  --dump, --dump-verbose, --metair   the dumps of the founding documents\n"
    "  --table         the table of `weft infer`\n"
    "  --save FILE     writes the binary form\n"
    "  --infer         infers first, so that shapes are shown\n";

typedef struct tally {
  const char *type;
  size_t n;
} tally;

static int by_count(const void *a, const void *b) {
  const tally *x = a, *y = b;
  return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->type, y->type);
}

static void print_value(const char *what, const weft_value *v, const weft_symbols *p) {
  weft_tensor_desc desc;
  char shape[256];
  weft_value_desc(v, &desc);
  printf("%s %s: %s%s\n", what, weft_value_name(v), weft_dtype_name(desc.dtype),
         weft_shape_text(&desc.layout.origin, p, shape, sizeof shape));
}

typedef struct totals {
  size_t consts, unknown;  // nodes whose arithmetic is not known
  uint64_t elems, bytes, parameters;
  double flops;  // exact up to 2^53
} totals;

// Integers of 64 bits, bools and strings are shapes, axes and masks; other constants are parameters.
static void add_consts(const weft_graph *g, totals *t) {
  for (size_t i = 0; i < weft_graph_n_consts(g); i++) {
    const weft_tensor *c = weft_value_data(weft_graph_const_at(g, i));
    t->consts++;
    if (!c || c->kind != WEFT_KIND_TENSOR) continue;
    int64_t n = weft_tensor_elems(c);
    t->bytes += c->bytes, t->elems += n > 0 ? (uint64_t)n : 0;
    if (c->dtype != WEFT_INT64 && c->dtype != WEFT_BOOL && c->dtype != WEFT_STRING)
      t->parameters += n > 0 ? (uint64_t)n : 0;
  }
  for (const weft_node *n = weft_graph_first(g); n; n = weft_node_next(n))
    for (uint32_t i = 0; i < weft_node_n_graphs(n); i++) add_consts(weft_node_graph_at(n, i), t);
}

static void add_flops(const weft_graph *g, totals *t) {
  for (const weft_node *n = weft_graph_first(g); n; n = weft_node_next(n)) {
    int64_t f = weft_node_flops(n);
    if (f < 0)
      t->unknown++;
    else
      t->flops += (double)f;
  }
}

// One line of at most 100 bytes, without what a terminal would obey.
static void print_notes(const weft_graph *g) {
  for (size_t i = 0; i < weft_graph_n_meta(g); i++) {
    weft_meta m = weft_graph_meta_at(g, i);
    const char *parts[] = {m.key, m.value};
    for (int k = 0; k < 2; k++) {
      size_t n = strlen(parts[k]), at = 0;
      for (; at < n && (at < 100 || ((unsigned char)parts[k][at] & 0xC0) == 0x80); at++)
        putchar((unsigned char)parts[k][at] < ' ' || parts[k][at] == 127 ? ' ' : parts[k][at]);
      printf("%s%s", at < n ? "..." : "", k ? "\n" : ": ");
    }
  }
}

static void print_flops(const totals *t, weft_status inferred, const weft_diag *d) {
  static const char prefix[] = " kMGTPE";
  double v = t->flops;
  size_t k = 0;
  for (; v >= 1000 && k + 2 < sizeof prefix; k++) v /= 1000;
  if (inferred) {
    printf("FLOPs: not known, inference failed: %.300s\n", d->text);
    return;
  }
  printf("FLOPs: %.0f", t->flops);
  if (k) printf(" (%.3g %c)", v, prefix[k]);
  printf(" in convolutions and matrix products, a multiply-add counts 2");
  if (t->unknown) printf("; %zu more with unknown dims", t->unknown);
  printf("\n");
}

static int summary(weft_graph *g) {
  size_t n = 0, cap = weft_graph_n_nodes(g) + 1;
  tally *t = calloc(cap, sizeof *t);
  if (!t) return EXIT_FAILED;
  for (const weft_node *node = weft_graph_first(g); node; node = weft_node_next(node)) {
    size_t i = 0;
    while (i < n && strcmp(t[i].type, weft_node_type(node))) i++;
    if (i == n) t[n++].type = weft_node_type(node);
    t[i].n++;
  }
  qsort(t, n, sizeof *t, by_count);
  const weft_symbols *p = weft_graph_symbols(g);
  weft_diag d = {0};
  weft_status inferred = weft_graph_infer(g, NULL, NULL, &d);
  printf("graph %s: %zu nodes\n", weft_graph_name(g), weft_graph_n_nodes(g));
  print_notes(g);
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) print_value("input ", weft_graph_input_at(g, i), p);
  for (size_t i = 0; i < weft_graph_n_outputs(g); i++) print_value("output", weft_graph_output_at(g, i), p);
  totals all = {0};
  add_consts(g, &all);
  if (!inferred) add_flops(g, &all);
  printf("constants: %zu, %llu elements, %llu bytes\n", all.consts, (unsigned long long)all.elems,
         (unsigned long long)all.bytes);
  printf("parameters: %llu\n", (unsigned long long)all.parameters);
  print_flops(&all, inferred, &d);
  for (size_t i = 0; i < n; i++) printf("%8zu  %s\n", t[i].n, t[i].type);
  free(t);
  return EXIT_OK;
}

static weft_status save(const weft_graph *g, const char *path, weft_diag *d) {
  FILE *f = fopen(path, "wb");
  if (!f) return weft_fail(d, WEFT_E_IO, "cannot write '%s': %s", path, strerror(errno));
  weft_status s = weft_graph_save(g, to_file, f, d);
  if (fclose(f) && !s) s = WEFT_E_IO;
  if (s) weft_fail(d, s, "cannot write '%s'", path);
  return s;
}

static int run(int argc, char **argv) {
  args a = {argc, 1, argv, help};
  const char *model = NULL, *file = NULL;
  enum { SUMMARY, TEXT, DOT, JSON, DUMP, VERBOSE, METAIR, TABLE, SAVE } form = SUMMARY;
  bool infer = false, full = false;
  while (a.at < a.argc) {
    if (arg_flag(&a, "--text"))
      form = TEXT;
    else if (arg_flag(&a, "--full"))
      full = true;
    else if (arg_flag(&a, "--dot"))
      form = DOT;
    else if (arg_flag(&a, "--json"))
      form = JSON;
    else if (arg_flag(&a, "--dump"))
      form = DUMP;
    else if (arg_flag(&a, "--dump-verbose"))
      form = VERBOSE;
    else if (arg_flag(&a, "--metair"))
      form = METAIR;
    else if (arg_flag(&a, "--table"))
      form = TABLE, infer = true;
    else if (arg_value(&a, "--save", &file))
      form = SAVE;
    else if (arg_flag(&a, "--infer"))
      infer = true;
    else if (model || !arg_positional(&a, &model))
      return usage_error(help, "unexpected argument '%s'", argv[a.at]);
  }
  if (!model) return usage_error(help, "no model given");
  weft_env *e = open_env();
  if (!e) return EXIT_FAILED;
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_status s = load_graph(e, model, &g, &d);
  if (!s && infer) s = weft_graph_infer(g, NULL, NULL, &d);
  if (!s) switch (form) {
      case SUMMARY:
        s = summary(g);
        break;
      case TEXT:
        s = weft_graph_print(g, full ? 0 : WEFT_TEXT_NO_DATA, to_stdout, NULL);
        break;
      case DOT:
        s = weft_graph_print_dot(g, to_stdout, NULL);
        break;
      case JSON:
        s = weft_graph_print_json(g, to_stdout, NULL);
        break;
      case DUMP:
        s = weft_graph_dump(g, WEFT_DUMP_IR, to_stdout, NULL);
        break;
      case VERBOSE:
        s = weft_graph_dump(g, WEFT_DUMP_IR_VERBOSE, to_stdout, NULL);
        break;
      case METAIR:
        s = weft_graph_dump(g, WEFT_DUMP_METAIR, to_stdout, NULL);
        break;
      case TABLE:
        s = weft_graph_print_table(g, to_stdout, NULL);
        break;
      case SAVE:
        s = save(g, file, &d);
        break;
    }
  int status = !s ? EXIT_OK : d.length ? fail_with(&d) : EXIT_FAILED;
  weft_graph_destroy(g);
  weft_env_destroy(e);
  return status;
}

const command cmd_show = {"show", "a model as text, picture, JSON or summary", help, run};
