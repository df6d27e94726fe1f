// infer.c - `weft infer`: dtype, shape, format and range of every tensor of a model.
#include "options.h"

typedef struct infer_job {
  const char *model, *why;
  shape_options shapes;
  bool json, types, keep_going, quiet, strict;
} infer_job;

#define AT(field) offsetof(infer_job, field)
static const option infer_options[] = {
    {"--shape", " NAME=1,3,-1,224", "sets the shape of a graph input (may be given several times)",
     OPTION_SHAPE, AT(shapes)},
    {"--range", " NAME=1..64,224",
     "bounds of its dims: 8, 1..64 or 1..*; a named dim has them\n"
     "everywhere, and may be named itself: batch=1..8",
     OPTION_SHAPE, AT(shapes)},
    {"--dim", " batch=4", "the size of the dim of this name, in every input", OPTION_SHAPE, AT(shapes)},
    {"--json", NULL, "the whole graph as JSON instead of the table", OPTION_FLAG, AT(json)},
    {"--onnx-types-json", NULL,
     "only the types, in ONNX's terms: {\"types\": {NAME: {\"kind\", \"elem_type\", \"shape\"}}}",
     OPTION_FLAG, AT(types)},
    {"--why", " VALUE", "explains, step by step, why the shape of a value is not fully known", OPTION_TEXT,
     AT(why)},
    {"--strict", NULL,
     "a declared shape that inference contradicts is an error, not a warning;\n"
     "so is a fault in a branch that never runs",
     OPTION_FLAG, AT(strict)},
    {"--keep-going", NULL, "continues after a node that fails, to report every failure", OPTION_FLAG,
     AT(keep_going)},
    {"--quiet", NULL, "prints the summary only", OPTION_FLAG, AT(quiet)},
};

static const options infer_table = {
    .usage =
        "weft infer MODEL [--shape NAME=D,D,...] [--json | --onnx-types-json] [--why VALUE] [--keep-going] "
        "[--quiet]\n\n"
        "Finds dtype, shape, format and range of every tensor before anything runs, and prints them as a "
        "table.\n\n",
    .ending = "",
    .column = 25,
    .v = infer_options,
    .n = sizeof infer_options / sizeof *infer_options,
    .model = AT(model),
};

static void infer_report(void *ctx, weft_status s, const char *text) {
  (void)ctx;
  if (s == WEFT_E_UNKNOWN)
    fprintf(stderr, "weft: note: %s\n", text);
  else
    fprintf(stderr, "weft: error: %s [%s]\n", text, weft_status_name(s));
}

static weft_status count_text(void *ctx, const char *text, size_t bytes) {
  *(size_t *)ctx += bytes;
  return to_stdout(NULL, text, bytes);
}

static weft_status print_why(const weft_value *v) {
  size_t n = 0;
  WEFT_TRY(weft_value_why(v, count_text, &n));
  if (!n)
    printf("'%s' is fully known", weft_value_name(v));
  printf("\n");
  return WEFT_OK;
}

static weft_status infer_why(const weft_graph *g, const char *name, weft_diag *d) {
  const weft_value *v;
  WEFT_TRY(find_value(g, "--why", name, &v, d));
  return print_why(v);
}

static weft_status infer_table_and_summary(const weft_graph *g, const infer_job *j,
                                           const weft_infer_summary *sum) {
  const weft_status s = j->quiet ? WEFT_OK : weft_graph_print_table(g, to_stdout, NULL);
  printf("%zu node%s, %zu value%s: %zu static, %zu dynamic, %zu of unknown rank; %zu value%s evaluated\n",
         sum->n_nodes, sum->n_nodes == 1 ? "" : "s", sum->n_values, sum->n_values == 1 ? "" : "s",
         sum->n_static, sum->n_dynamic, sum->n_unknown, sum->n_known_values,
         sum->n_known_values == 1 ? "" : "s");
  return s;
}

static weft_status infer_print(const weft_graph *g, const infer_job *j, const weft_infer_summary *sum) {
  if (j->types) {
    print_onnx_types(g);
    return WEFT_OK;
  }
  if (j->json)
    return weft_graph_print_json(g, to_stdout, NULL);
  return infer_table_and_summary(g, j, sum);
}

static weft_status infer_facts(weft_graph *g, const infer_job *j, weft_infer_summary *sum, weft_diag *d) {
  const bool prints_a_table = !j->json && !j->types && !j->quiet && !j->why;
  const bool reports = j->keep_going || prints_a_table;
  const weft_infer_options o = {
      .size = sizeof o, .keep_going = j->keep_going, .report = reports ? infer_report : NULL};
  const weft_status s = weft_graph_infer(g, &o, sum, d);
  if (s && prints_a_table && !j->keep_going)
    d->length = 0;  // already reported
  return s;
}

// After a node that failed, --keep-going prints what was found all the same.
static weft_status infer_model(weft_env *e, const infer_job *j, weft_graph **out, weft_diag *d) {
  weft_infer_summary sum = {0};
  weft_status s = load_to_look(e, j->model, out, d);
  if (!s)
    s = set_shapes(*out, &j->shapes, d);
  if (!s)
    s = infer_facts(*out, j, &sum, d);
  if (!s && j->why)
    return infer_why(*out, j->why, d);
  if (!*out || (s && !j->keep_going))
    return s;
  const weft_status printed = infer_print(*out, j, &sum);
  return s ? s : printed;
}

static int infer_run(int argc, char **argv) {
  static infer_job j;
  j = (infer_job){0};
  const int wrong = options_parse(&infer_table, &j, argc, argv);
  if (wrong)
    return wrong;
  if (!j.model)
    return usage_error(infer_table.usage, "no model given");
  weft_env *e = open_env_with(j.strict, 0);
  if (!e)
    return EXIT_FAILED;
  weft_diag d = {0};
  weft_graph *g = NULL;
  int status = EXIT_OK;
  if (infer_model(e, &j, &g, &d))
    status = d.length ? fail_with(&d) : EXIT_FAILED;
  weft_graph_destroy(g);
  weft_env_destroy(e);
  return status;
}

const command cmd_infer = {"infer", "finds dtype, shape, format and range of every tensor of a model", NULL,
                           infer_run, &infer_table};
// SPDX-License-Identifier: Apache-2.0
