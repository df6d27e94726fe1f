// infer.c - `weft infer`: dtype, shape, format and range of every tensor of a model.
#include "cli.h"

static const char help[] =
    "weft infer MODEL [--shape NAME=D,D,...] [--json | --onnx-types-json] [--why VALUE] [--keep-going] "
    "[--quiet]\n\n"
    "Finds dtype, shape, format and range of every tensor before anything runs, and prints them as a "
    "table.\n\n"
    "  --shape NAME=1,3,-1,224  sets the shape of a graph input (may be given several times)\n"
    "  --range NAME=1..64,224   bounds of its dims: 8, 1..64 or 1..*; a named dim has them everywhere\n"
    "  --dim batch=4            the size of the dim of this name, in every input\n"
    "  --json                   the whole graph as JSON instead of the table\n"
    "  --onnx-types-json        only the types, in ONNX's terms: {\"types\": {NAME: {\"kind\", "
    "\"elem_type\", \"shape\"}}}\n"
    "  --why VALUE              explains, step by step, why the shape of a value is not fully known\n"
    "  --strict                 a declared shape that inference contradicts is an error, not a warning;\n"
    "                           so is a fault in a branch that never runs\n"
    "  --keep-going             continues after a node that fails, to report every failure\n"
    "  --quiet                  prints the summary only\n";

static void report(void *ctx, weft_status s, const char *text) {
  (void)ctx;
  fprintf(stderr, "weft: %s: %s\n", s == WEFT_E_UNKNOWN ? "note" : "error", text);
}

static weft_status count_text(void *ctx, const char *text, size_t bytes) {
  *(size_t *)ctx += bytes;
  return to_stdout(NULL, text, bytes);
}

static weft_status print_why(const weft_value *v) {
  size_t n = 0;
  WEFT_TRY(weft_value_why(v, count_text, &n));
  if (!n) printf("'%s' is fully known", weft_value_name(v));
  printf("\n");
  return WEFT_OK;
}

static int run(int argc, char **argv) {
  args a = {argc, 1, argv, help};
  const char *model = NULL, *why = NULL;
  shape_options shapes = {.n = 0};
  bool json = false, types = false, keep = false, quiet = false, strict = false;
  while (a.at < a.argc) {
    int status = shape_option(&a, &shapes);
    if (status > 0) return status;
    if (!status) continue;
    if (arg_value(&a, "--why", &why)) {
    } else if (arg_flag(&a, "--json")) {
      json = true;
    } else if (arg_flag(&a, "--onnx-types-json")) {
      types = true;
    } else if (arg_flag(&a, "--keep-going")) {
      keep = true;
    } else if (arg_flag(&a, "--quiet")) {
      quiet = true;
    } else if (arg_flag(&a, "--strict")) {
      strict = true;
    } else if (!model && arg_positional(&a, &model)) {
    } else {
      return unexpected(help, argv[a.at]);
    }
  }
  if (!model) return usage_error(help, "no model given");
  weft_env *e = open_env_with(strict, 0);
  if (!e) return EXIT_FAILED;
  weft_diag d = {0};
  weft_graph *g = NULL;
  weft_infer_summary sum = {0};
  weft_status s = load_to_look(e, model, &g, &d);
  if (!s) s = set_shapes(g, &shapes, &d);
  if (!s) {
    weft_infer_options o = {.size = sizeof o,
                            .keep_going = keep,
                            .report = keep || (!json && !types && !quiet && !why) ? report : NULL};
    s = weft_graph_infer(g, &o, &sum, &d);
    if (s && !keep && o.report) d.length = 0;  // already reported
  }
  if (!s && why) {
    const weft_value *v = weft_graph_find_value(g, why);
    if (!v)
      s = weft_fail(&d, WEFT_E_NOT_FOUND, "the model has no value '%s'", why);
    else
      s = print_why(v);
  } else if (g && (!s || keep) && types) {
    print_onnx_types(g);
  } else if (g && (!s || keep) && json) {
    s = weft_graph_print_json(g, to_stdout, NULL);
  } else if (g && (!s || keep)) {
    weft_status t = quiet ? WEFT_OK : weft_graph_print_table(g, to_stdout, NULL);
    printf("%zu nodes, %zu values: %zu static, %zu dynamic, %zu of unknown rank; %zu values evaluated\n",
           sum.n_nodes, sum.n_values, sum.n_static, sum.n_dynamic, sum.n_unknown, sum.n_known_values);
    s = s ? s : t;
  }
  int status = !s ? EXIT_OK : d.length ? fail_with(&d) : EXIT_FAILED;
  weft_graph_destroy(g);
  weft_env_destroy(e);
  return status;
}

const command cmd_infer = {"infer", "finds dtype, shape, format and range of every tensor of a model", help,
                           run};
