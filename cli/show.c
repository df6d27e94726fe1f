// show.c - `weft show`: a model as text, picture, JSON or summary; also converts between the forms.
#include "options.h"
#include "runner.h"
#include "show_html.h"
#include "show_svg.h"

enum show_form {
  SHOW_SUMMARY,
  SHOW_TEXT,
  SHOW_DOT,
  SHOW_JSON,
  SHOW_DUMP,
  SHOW_DUMP_VERBOSE,
  SHOW_METAIR,
  SHOW_TABLE,
  SHOW_SAVE,
  SHOW_PAGE,
  SHOW_PLAN,  // from here on: of programs only
  SHOW_VERIFY,
};

typedef struct show_job {
  const char *model, *file;
  int form;  // enum show_form
  bool infer, full, plan;
  shape_options shapes;
} show_job;

static int show_take_save(void *ctx, const char *usage, const char *value) {
  (void)usage;
  show_job *j = ctx;
  j->form = SHOW_SAVE;
  j->file = value;
  return EXIT_OK;
}

static int show_take_page(void *ctx, const char *usage, const char *value) {
  (void)usage;
  show_job *j = ctx;
  j->form = SHOW_PAGE;
  j->file = value;
  return EXIT_OK;
}

#define AT(field) offsetof(show_job, field)
static const option show_options[] = {
    {"--text", NULL, "weft's text form (docs/text-ir.md); --full includes the data of large constants",
     OPTION_CHOICE, AT(form), SHOW_TEXT},
    {"--full", .kind = OPTION_FLAG, .target = AT(full)},
    {"--dot", NULL, "a picture for graphviz:  weft show m.onnx --dot | dot -Tpng > m.png", OPTION_CHOICE,
     AT(form), SHOW_DOT},
    {"--json", NULL, "the graph as JSON", OPTION_CHOICE, AT(form), SHOW_JSON},
    {"--dump", ", --dump-verbose, --metair   ", "the dump forms of CANN's documents", OPTION_CHOICE, AT(form),
     SHOW_DUMP},
    {"--dump-verbose", .kind = OPTION_CHOICE, .target = AT(form), .is = SHOW_DUMP_VERBOSE},
    {"--metair", .kind = OPTION_CHOICE, .target = AT(form), .is = SHOW_METAIR},
    {"--table", NULL, "the table of `weft infer`", OPTION_CHOICE, AT(form), SHOW_TABLE},
    {"--save", " FILE", "writes the binary form", OPTION_CALL, .take = show_take_save},
    {"-o", " FILE.html",
     "a page for the browser: search, fold and click through the graph, offline. For a program, also its\n"
     "launches and the memory that is live during each; for a model with --plan, which compiles it first",
     OPTION_CALL, .take = show_take_page},
    {"-o", " FILE.svg", "the graph as one picture, without graphviz or fonts", OPTION_NOTE},
    {"--infer", NULL, "infers first, so that shapes are shown", OPTION_FLAG, AT(infer)},
    {.help =
         "\nFor a program (weft compile -o), all forms show the optimised graph; the summary also checks the "
         "weights, which\n"
         "loading does not, and says what a run needs. Only for a program:\n\n"},
    {"--plan", NULL,
     "every launch, its kernel, and where its values lie\n"
     "(with -o FILE.html for a model, too, with --dim n=4, --shape x=1,3 or --range x=1..8,3);\n"
     "--dim n=4 for a dim that the program has left open",
     OPTION_FLAG, AT(plan)},
    {"--verify", NULL, "checks the weights and prints nothing else", OPTION_CHOICE, AT(form), SHOW_VERIFY},
    {"--shape", .kind = OPTION_SHAPE, .target = AT(shapes)},
    {"--range", .kind = OPTION_SHAPE, .target = AT(shapes)},
    {"--dim", .kind = OPTION_SHAPE, .target = AT(shapes)},
};

static const options show_table = {
    .usage =
        "weft show MODEL|FILE.weft [--text | --dot | --json | --dump | --dump-verbose | --metair | --table | "
        "--plan |\n"
        "          --save FILE | -o FILE.html|FILE.svg] [--infer]\n\n"
        "Without an option, prints a summary: metadata, inputs, outputs, parameters, FLOPs, operators.\n\n",
    .ending = "",
    .column = 16,
    .v = show_options,
    .n = sizeof show_options / sizeof *show_options,
    .model = AT(model),
};

typedef struct tally {
  const char *type;
  size_t n;
} tally;

static int by_count(const void *a, const void *b) {
  const tally *x = a;
  const tally *y = b;
  return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->type, y->type);
}

static void print_value(const char *what, const weft_value *v, const weft_symbols *p) {
  weft_tensor_desc desc;
  char shape[256];
  weft_value_expected(v, &desc);
  static const char *const kinds[] = {"", "seq(", "opt(", "resource(", "optseq(", "map(", "maps("};
  const char *kind = desc.kind < sizeof kinds / sizeof *kinds ? kinds[desc.kind] : "?(";
  printf("%s %s: %s%s%s%s\n", what, weft_value_name(v), kind, weft_dtype_name(desc.dtype),
         weft_shape_text(&desc.layout.origin, p, shape, sizeof shape), *kind ? ")" : "");
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
    if (!c || c->kind != WEFT_KIND_TENSOR)
      continue;
    int64_t n = weft_tensor_elems(c);
    t->bytes += c->bytes;
    t->elems += n > 0 ? (uint64_t)n : 0;
    if (c->dtype != WEFT_INT64 && c->dtype != WEFT_BOOL && c->dtype != WEFT_STRING)
      t->parameters += n > 0 ? (uint64_t)n : 0;
  }
  for (const weft_node *n = weft_graph_first(g); n; n = weft_node_next(n)) {
    for (uint32_t i = 0; i < weft_node_n_graphs(n); i++)
      add_consts(weft_node_graph_at(n, i), t);
  }
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
      size_t n = strlen(parts[k]);
      size_t at = 0;
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
  for (; v >= 1000 && k + 2 < sizeof prefix; k++)
    v /= 1000;
  if (inferred) {
    printf("FLOPs: not known, inference failed: %.300s\n", d->text);
    return;
  }
  printf("FLOPs: %.0f", t->flops);
  if (k)
    printf(" (%.3g %c)", v, prefix[k]);
  printf(" in convolutions and matrix products, a multiply-add counts 2");
  if (t->unknown)
    printf("; %zu more with unknown dims", t->unknown);
  printf("\n");
}

// Of a program: it is inferred, and nobody may change it.
typedef struct shown {
  weft_graph *g;  // own
  const weft_graph *graph;
  weft_program *program;  // NULL: a model
} shown;

// Plans for the shapes that the program has, or for the largest that its ranges allow. E_UNKNOWN names the
// input that keeps both from being known.
static weft_status prepare_shown(weft_exec *x, weft_memory_plan *m, bool *out_largest, weft_diag *d) {
  weft_diag open = {0};
  const weft_status s = weft_exec_prepare(x, NULL, 0, m, &open);
  *out_largest = s == WEFT_E_UNKNOWN;
  if (*out_largest)
    return weft_exec_prepare_largest(x, m, d);
  return s ? weft_fail(d, s, "%s", open.text) : WEFT_OK;
}

static weft_status print_memory(weft_program *p, bool plan, weft_diag *d) {
  weft_exec *x;
  weft_memory_plan m = {.size = sizeof m};
  weft_diag why = {0};
  bool largest;
  WEFT_TRY(weft_exec_create(p, NULL, &x, d));
  weft_status s = prepare_shown(x, &m, &largest, &why);
  if (s == WEFT_E_UNKNOWN && !plan) {
    printf("memory of a run: depends on the shapes: %s\n", why.text);
    s = WEFT_OK;
  } else if (s) {
    s = weft_fail(d, s, "%s", why.text);
  } else if (plan) {
    s = weft_exec_print_plan(x, to_stdout, NULL, d);
  } else {
    if (largest)
      printf("with the largest inputs that the ranges allow: ");
    printf(
        "memory of a run: %llu bytes for intermediate tensors (%llu without reuse, %llu at least)%s; inputs "
        "%llu, outputs %llu\nlaunches: %u%s\n",
        (unsigned long long)m.arena_bytes, (unsigned long long)m.sum_bytes, (unsigned long long)m.bound_bytes,
        m.whole ? "" : " up to the first shape that depends on data", (unsigned long long)m.input_bytes,
        (unsigned long long)m.output_bytes, m.n_launches, m.whole ? "" : " up to there");
  }
  weft_exec_destroy(x);
  return s;
}

static int summary(const shown *m) {
  const weft_graph *g = m->graph;
  size_t n = 0;
  size_t cap = weft_graph_n_nodes(g) + 1;
  tally *t = calloc(cap, sizeof *t);
  if (!t)
    return EXIT_FAILED;
  for (const weft_node *node = weft_graph_first(g); node; node = weft_node_next(node)) {
    size_t i = 0;
    while (i < n && strcmp(t[i].type, node_label(node)))
      i++;
    if (i == n)
      t[n++].type = node_label(node);
    t[i].n++;
  }
  qsort(t, n, sizeof *t, by_count);
  const weft_symbols *p = weft_graph_symbols(g);
  weft_diag d = {0};
  weft_status inferred = m->program ? WEFT_OK : weft_graph_infer(m->g, NULL, NULL, &d);
  printf(m->program ? "program %s: %zu nodes" : "graph %s: %zu nodes", weft_graph_name(g),
         weft_graph_n_nodes(g));
  if (m->program)
    printf(", compiled for %s", weft_program_target(m->program));
  printf("\n");
  print_notes(g);
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++)
    print_value("input ", weft_graph_input_at(g, i), p);
  for (size_t i = 0; i < weft_graph_n_outputs(g); i++)
    print_value("output", weft_graph_output_at(g, i), p);
  totals all = {0};
  add_consts(g, &all);
  if (!inferred)
    add_flops(g, &all);
  printf("constants: %zu, %llu elements, %llu bytes\n", all.consts, (unsigned long long)all.elems,
         (unsigned long long)all.bytes);
  printf("parameters: %llu\n", (unsigned long long)all.parameters);
  print_flops(&all, inferred, &d);
  for (size_t i = 0; i < n; i++)
    printf("%8zu  %s\n", t[i].n, t[i].type);
  free(t);
  if (!m->program)
    return EXIT_OK;
  if (!print_memory(m->program, false, &d) && !weft_program_verify(m->program, &d)) {
    printf("weights: as when it was saved\n");
    return EXIT_OK;
  }
  return fail_with(&d);
}

static weft_status show_save(const weft_graph *g, const char *path, weft_diag *d) {
  weft_file_out *f;
  WEFT_TRY(weft_file_create(path, &f, d));
  return weft_file_finish(f, weft_graph_save(g, weft_file_write, f, d), d);
}

typedef struct plan_text {
  char *v;  // malloc'ed, zero-terminated
  size_t n, cap;
} plan_text;

static weft_status plan_add(void *ctx, const char *text, size_t bytes) {
  plan_text *t = ctx;
  if (t->cap - t->n <= bytes) {
    size_t cap = 2 * (t->n + bytes) + 4096;
    char *v = realloc(t->v, cap);
    if (!v)
      return WEFT_E_NOMEM;
    t->v = v;
    t->cap = cap;
  }
  memcpy(t->v + t->n, text, bytes);
  t->n += bytes;
  t->v[t->n] = 0;
  return WEFT_OK;
}

// For the shapes that the program has, or for the largest that it may get.
static weft_status plan_print(weft_program *p, plan_text *out, weft_diag *d) {
  weft_exec *x;
  weft_memory_plan m = {.size = sizeof m};
  bool largest;
  WEFT_TRY(weft_exec_create(p, NULL, &x, d));
  weft_status s = prepare_shown(x, &m, &largest, d);
  if (!s)
    s = weft_exec_print_plan(x, plan_add, out, d);
  weft_exec_destroy(x);
  return s;
}

static bool has_ending(const char *path, const char *with) {
  size_t n = strlen(path);
  size_t m = strlen(with);
  return n > m && !strcmp(path + n - m, with);
}

static bool is_svg(const char *path) {
  return has_ending(path, ".svg");
}

static bool is_page(const char *path) {
  return is_svg(path) || has_ending(path, ".html") || has_ending(path, ".htm") || !strncmp(path, "/dev/", 5);
}

// A model that cannot be inferred, and a program that cannot be planned, are worth a look, too.
static weft_status page(const shown *m, const char *path, weft_diag *d) {
  weft_diag why = {0};
  plan_text plan = {0};
  if (!m->program && weft_graph_infer(m->g, NULL, NULL, &why))
    fprintf(stderr, "weft: warning: the page lacks shapes, inference failed: %s\n", why.text);
  if (is_svg(path))
    return show_svg(m->graph, path, d);
  if (m->program && plan_print(m->program, &plan, &why)) {
    char hint[500];
    fprintf(stderr, "weft: warning: the page lacks launches and memory: %.*s\n", (int)strcspn(why.text, "\n"),
            why.text);
    if (why.status == WEFT_E_UNKNOWN)
      fprintf(stderr, "weft: %s\n", how_to_bound(weft_program_graph(m->program), hint, sizeof hint));
  }
  weft_status s = show_html(m->graph, plan.v, path, d);
  free(plan.v);
  return s;
}

static weft_status compile_shown(shown *m, weft_env *e, const char *path, const shape_options *shapes,
                                 weft_diag *d) {
  weft_graph *g;
  WEFT_TRY(load_graph(e, path, &g, d));
  weft_status s = set_shapes(g, shapes, d);
  if (s)
    weft_graph_destroy(g);
  else
    s = weft_compile(g, NULL, &m->program, d);
  if (!s)
    m->graph = weft_program_graph(m->program);
  return s;
}

static weft_status open_shown(shown *m, weft_env *e, const char *path, bool infer, weft_diag *d) {
  if (is_program(path)) {
    WEFT_TRY(weft_program_load(e, path, &m->program, d));
    m->graph = weft_program_graph(m->program);
    return WEFT_OK;
  }
  WEFT_TRY(load_to_look(e, path, &m->g, d));
  m->graph = m->g;
  return infer ? weft_graph_infer(m->g, NULL, NULL, d) : WEFT_OK;
}

static weft_status show_form_of(const show_job *j, const shown *m, weft_diag *d) {
  const weft_graph *g = m->graph;
  switch ((enum show_form)j->form) {
    case SHOW_SUMMARY:
      return summary(m) ? WEFT_E_STATE : WEFT_OK;  // told
    case SHOW_PLAN:
      return print_memory(m->program, true, d);
    case SHOW_VERIFY:
      return weft_program_verify(m->program, d);
    case SHOW_TEXT:
      return weft_graph_print(g, j->full ? 0 : WEFT_TEXT_NO_DATA, to_stdout, NULL);
    case SHOW_DOT:
      return weft_graph_print_dot(g, to_stdout, NULL);
    case SHOW_JSON:
      return weft_graph_print_json(g, to_stdout, NULL);
    case SHOW_DUMP:
      return weft_graph_dump(g, WEFT_DUMP_IR, to_stdout, NULL);
    case SHOW_DUMP_VERBOSE:
      return weft_graph_dump(g, WEFT_DUMP_IR_VERBOSE, to_stdout, NULL);
    case SHOW_METAIR:
      return weft_graph_dump(g, WEFT_DUMP_METAIR, to_stdout, NULL);
    case SHOW_TABLE:
      return weft_graph_print_table(g, to_stdout, NULL);
    case SHOW_SAVE:
      return show_save(g, j->file, d);
    case SHOW_PAGE:
      return page(m, j->file, d);
  }
  return WEFT_E_STATE;
}

// Gives dims of a program that are still open their sizes.
static weft_status fix_shown(const show_job *j, const shown *m, weft_diag *d) {
  for (size_t i = 0; i < j->shapes.n; i++) {
    if (j->shapes.kind[i] != SHAPE_DIM) {
      return weft_fail(d, WEFT_E_INVALID,
                       "--shape, --range: a program's shapes were fixed by weft compile; --dim gives a dim "
                       "that is still open its size");
    }
    WEFT_TRY(fix_dim(m->graph, j->shapes.text[i], d));
  }
  return WEFT_OK;
}

static weft_status show_model(const show_job *j, weft_env *e, bool compiles, shown *m, weft_diag *d) {
  const bool infer = j->infer || j->form == SHOW_TABLE;
  if (compiles)
    WEFT_TRY(compile_shown(m, e, j->model, &j->shapes, d));
  else
    WEFT_TRY(open_shown(m, e, j->model, infer, d));
  if (!m->program && j->form >= SHOW_PLAN) {
    const bool plan = j->form == SHOW_PLAN;
    return weft_fail(d, WEFT_E_INVALID, "'%s' is a model, and %s shows compiled programs: %s", j->model,
                     plan ? "--plan" : "--verify",
                     plan ? "`weft compile MODEL --plan` shows the launches of a model" : "weft compile -o");
  }
  if (m->program && !compiles)
    WEFT_TRY(fix_shown(j, m, d));
  return show_form_of(j, m, d);
}

static int show_run(int argc, char **argv) {
  static show_job j;
  j = (show_job){0};
  const int wrong = options_parse(&show_table, &j, argc, argv);
  if (wrong)
    return wrong;
  if (!j.model)
    return usage_error(show_table.usage, "no model given");
  if (j.form == SHOW_PAGE && !is_page(j.file)) {
    return usage_error(show_table.usage,
                       "-o '%s': expected FILE.html or FILE.svg; --save FILE writes the binary form, and "
                       "`--dot | dot -Tpng` other pictures",
                       j.file);
  }
  if (j.plan && j.form != SHOW_PAGE)
    j.form = SHOW_PLAN;
  const bool compiles = j.plan && j.form == SHOW_PAGE && !is_program(j.model);
  if (j.shapes.n && !j.plan)
    return usage_error(show_table.usage, "--shape, --range and --dim go with --plan");
  weft_env *e = open_env();
  if (!e)
    return EXIT_FAILED;
  weft_diag d = {0};
  shown m = {0};
  int status = EXIT_OK;
  if (show_model(&j, e, compiles, &m, &d))
    status = d.length ? fail_with(&d) : EXIT_FAILED;
  weft_graph_destroy(m.g);
  weft_program_release(m.program);
  weft_env_destroy(e);
  return status;
}

const command cmd_show = {"show", "shows a model as text, picture, page, JSON or summary", NULL, show_run,
                          &show_table};
// SPDX-License-Identifier: Apache-2.0
