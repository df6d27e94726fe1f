// show.c - `weft show`: a model as text, picture, JSON or summary; also converts between the forms.
#include <errno.h>

#include "cli.h"

static const char help[] =
    "weft show MODEL [--text | --dot | --json | --dump | --dump-verbose | --metair | --table | --save FILE] [--infer]\n\n"
    "Without an option prints a summary: operators, inputs, outputs, constants.\n\n"
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

static int summary(const weft_graph *g) {
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
  printf("graph %s: %zu nodes\n", weft_graph_name(g), weft_graph_n_nodes(g));
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) print_value("input ", weft_graph_input_at(g, i), p);
  for (size_t i = 0; i < weft_graph_n_outputs(g); i++) print_value("output", weft_graph_output_at(g, i), p);
  uint64_t bytes = 0, elems = 0;
  for (size_t i = 0; i < weft_graph_n_consts(g); i++) {
    const weft_tensor *c = weft_value_data(weft_graph_const_at(g, i));
    if (c) bytes += c->bytes, elems += (uint64_t)weft_tensor_elems(c);
  }
  printf("constants: %zu, %llu elements, %llu bytes\n", weft_graph_n_consts(g), (unsigned long long)elems,
         (unsigned long long)bytes);
  for (size_t i = 0; i < n; i++) printf("%8zu  %s\n", t[i].n, t[i].type);
  free(t);
  return EXIT_OK;
}

static weft_status to_file(void *ctx, const char *text, size_t bytes) {
  return fwrite(text, 1, bytes, ctx) == bytes ? WEFT_OK : WEFT_E_IO;
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
    if (arg_flag(&a, "--text")) form = TEXT;
    else if (arg_flag(&a, "--full")) full = true;
    else if (arg_flag(&a, "--dot")) form = DOT;
    else if (arg_flag(&a, "--json")) form = JSON;
    else if (arg_flag(&a, "--dump")) form = DUMP;
    else if (arg_flag(&a, "--dump-verbose")) form = VERBOSE;
    else if (arg_flag(&a, "--metair")) form = METAIR;
    else if (arg_flag(&a, "--table")) form = TABLE, infer = true;
    else if (arg_value(&a, "--save", &file)) form = SAVE;
    else if (arg_flag(&a, "--infer")) infer = true;
    else if (model || !arg_positional(&a, &model)) return usage_error(help, "unexpected argument '%s'", argv[a.at]);
  }
  if (!model) return usage_error(help, "no model given");
  weft_env *e = open_env();
  if (!e) return EXIT_FAILED;
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_status s = load_graph(e, model, &g, &d);
  if (!s && infer) s = weft_graph_infer(g, NULL, NULL, &d);
  if (!s) switch (form) {
      case SUMMARY: s = summary(g); break;
      case TEXT: s = weft_graph_print(g, full ? 0 : WEFT_TEXT_NO_DATA, to_stdout, NULL); break;
      case DOT: s = weft_graph_print_dot(g, to_stdout, NULL); break;
      case JSON: s = weft_graph_print_json(g, to_stdout, NULL); break;
      case DUMP: s = weft_graph_dump(g, WEFT_DUMP_IR, to_stdout, NULL); break;
      case VERBOSE: s = weft_graph_dump(g, WEFT_DUMP_IR_VERBOSE, to_stdout, NULL); break;
      case METAIR: s = weft_graph_dump(g, WEFT_DUMP_METAIR, to_stdout, NULL); break;
      case TABLE: s = weft_graph_print_table(g, to_stdout, NULL); break;
      case SAVE: s = save(g, file, &d); break;
    }
  int status = !s ? EXIT_OK : d.length ? fail_with(&d) : EXIT_FAILED;
  weft_graph_destroy(g);
  weft_env_destroy(e);
  return status;
}

const command cmd_show = {"show", "a model as text, picture, JSON or summary", help, run};
