// compile.c - `weft compile`: a model into a program, with what the passes did and what a run will need.
#include <sys/stat.h>

#include "options.h"

typedef struct job {
  const char *model, *output, *dump;
  shape_options shapes;
  bool report, plan, peak, pack, strict, passes;
  runner_options o;
} job;

#define AT(field) offsetof(job, field)
static const option compile_options[] = {
    {"-o", ", --output FILE", "writes the program; run it with `weft run FILE`", OPTION_TEXT, AT(output)},
    {"--output", .kind = OPTION_TEXT, .target = AT(output)},
    {"--pack", NULL, "with -o: weights in the layouts of this machine's kernels go into the file, too",
     OPTION_FLAG, AT(pack)},
    {"--shape", " x=1,3", "sets the shape of a graph input", OPTION_SHAPE, AT(shapes)},
    {"--range", " x=1..8,3",
     "what its dims may be: 8, 1..64 or 1..*; then memory is known before the run; or a\n"
     "dim's name, batch=1..8",
     OPTION_SHAPE, AT(shapes)},
    {"--dim", " batch=4", "the size of the dim of this name, in every input", OPTION_SHAPE, AT(shapes)},
    {"--option", " NAME=VALUE", "switches off a pass (PASS=0) or all of them (passes=0), ...", OPTION_RUNNER,
     AT(o)},
    {"--device", " LIST", "where nodes may run, in order of preference: npusim,cpu", OPTION_RUNNER, AT(o)},
    {"--isa", " SET", "the most of the machine that kernels use: plain, avx2, avx512 (--pack, --plan)",
     OPTION_RUNNER, AT(o)},
    {"--streams", " N", "plans for N streams (shown by --plan)", OPTION_RUNNER, AT(o)},
    {"--threads", .kind = OPTION_RUNNER, .target = AT(o)},
    {"--interp", .kind = OPTION_RUNNER, .target = AT(o)},
    {"--passes", NULL, "lists the passes in order", OPTION_FLAG, AT(passes)},
    {"--report", NULL, "what each pass changed, and what it left alone and why", OPTION_FLAG, AT(report)},
    {"--dump", " DIR", "the graph after each pass that changed something, DIR/NN-PASS.txt", OPTION_TEXT,
     AT(dump)},
    {"--plan", NULL, "every launch, its kernel, and where its values lie", OPTION_FLAG, AT(plan)},
    {"--peak", NULL,
     "what lies in memory where a run needs most of it, largest first: bytes, from which step\n"
     "to which, type, name",
     OPTION_FLAG, AT(peak)},
    {"--strict", NULL, "a declared shape that inference contradicts is an error, not a warning", OPTION_FLAG,
     AT(strict)},
};

static const options compile_table = {
    .usage =
        "weft compile MODEL [-o FILE.weft [--pack]] [--shape x=1,3,224,224] [--range x=1..8,3] [--option "
        "NAME=VALUE]\n"
        "             [--report] [--plan] [--peak]\n\n"
        "Compiles a model and prints nodes before and after, and the memory of a run.\n\n",
    .ending = "",
    .column = 20,
    .v = compile_options,
    .n = sizeof compile_options / sizeof *compile_options,
    .model = AT(model),
};

static void compile_report(void *ctx, const weft_pass_report *r) {
  (void)ctx;
  printf("%s: %s%s%s%s\n", r->pass, r->skipped ? "left " : "", r->node, *r->node ? ": " : "", r->text);
}

static weft_status dump(void *ctx, unsigned number, const char *pass, const weft_graph *g) {
  const job *j = ctx;
  char path[4096];
  snprintf(path, sizeof path, "%s/%02u-%s.txt", j->dump, number, pass);
  weft_file_out *f;
  weft_diag d = {0};
  weft_status s = weft_file_create(path, &f, &d);
  if (!s)
    s = weft_file_finish(f, weft_graph_print(g, WEFT_TEXT_NO_DATA, weft_file_write, f), &d);
  if (s)
    fprintf(stderr, "weft: %s\n", d.text);
  return s;
}

static void print_memory(const weft_memory_plan *m) {
  printf("memory of a run: %llu bytes for intermediate tensors (%llu without reuse, %llu at least)",
         (unsigned long long)m->arena_bytes, (unsigned long long)m->sum_bytes,
         (unsigned long long)m->bound_bytes);
  if (!m->whole)
    printf(" up to the first shape that depends on data");
  if (m->open_value) {
    printf(
        "; beside them at most %llu bytes of tensors that come and go, '%s' first: their shapes depend on "
        "data, or they belong to a sub-graph",
        (unsigned long long)m->open_bytes, m->open_value);
  }
  if (m->device_bytes)
    printf("; on devices %llu", (unsigned long long)m->device_bytes);
  printf("; inputs %llu, outputs %llu; shared constants %llu\n", (unsigned long long)m->input_bytes,
         (unsigned long long)m->output_bytes, (unsigned long long)m->constant_bytes);
}

// What was planned last, as far as it was asked for.
static weft_status print_planned(const job *j, const weft_exec *x, weft_diag *d) {
  if (j->plan)
    WEFT_TRY(weft_exec_print_plan(x, to_stdout, NULL, d));
  return j->peak ? weft_exec_print_peak(x, to_stdout, NULL, d) : WEFT_OK;
}

// The program's own shapes are open: the largest that the ranges allow.
static weft_status tell_largest(const job *j, const weft_program *p, weft_exec *x, weft_diag *d) {
  weft_memory_plan m = {.size = sizeof m};
  weft_diag bound = {0};
  char hint[500];
  const weft_status s = weft_exec_prepare_largest(x, &m, &bound);
  if (s == WEFT_E_UNKNOWN) {
    const int first = (int)strcspn(bound.text, "\n");  // behind it: what a program calls
    printf("memory of a run: depends on the shapes: %.*s\n", first, bound.text);
    if (j->plan || j->peak)
      printf("no plan before the shapes are known or bounded\n");
    printf("%s\n", how_to_bound(weft_program_graph(p), hint, sizeof hint));
    return WEFT_OK;
  }
  if (s)
    return weft_fail(d, s, "%s", bound.text);
  printf("with the largest inputs that the ranges allow: ");
  print_memory(&m);
  return print_planned(j, x, d);
}

// The same shapes, and what the bodies of control flow take.
static weft_status tell_planned(const job *j, weft_exec *x, weft_diag *d) {
  weft_memory_plan m = {.size = sizeof m};
  WEFT_TRY(weft_exec_prepare_largest(x, &m, d));
  print_memory(&m);
  return print_planned(j, x, d);
}

static weft_status compile_tell(const job *j, weft_program *p, weft_diag *d) {
  weft_exec *x;
  weft_memory_plan m = {.size = sizeof m};
  weft_diag why = {0};
  WEFT_TRY(weft_exec_create(p, &j->o.exec, &x, d));
  weft_status s = weft_exec_prepare(x, NULL, 0, &m, &why);
  if (s == WEFT_E_UNKNOWN)
    s = tell_largest(j, p, x, d);
  else if (s)
    s = weft_fail(d, s, "%s", why.text);
  else
    s = tell_planned(j, x, d);
  weft_exec_destroy(x);
  return s;
}

static weft_status compile_work(const job *j, weft_env *e, weft_diag *d) {
  weft_graph *g;
  weft_program *p = NULL;
  WEFT_TRY(load_graph(e, j->model, &g, d));
  weft_status s = set_shapes(g, &j->shapes, d);
  if (s) {
    weft_graph_destroy(g);
    return s;
  }
  size_t before = weft_graph_n_nodes(g);
  weft_optimize_options passes = {.size = sizeof passes};
  weft_compile_options c = {.size = sizeof c,
                            .device = j->o.device,
                            .options = j->o.options,
                            .n_options = j->o.n_options,
                            .passes = &passes};
  if (j->report)
    passes.report = compile_report;
  if (j->dump)
    mkdir(j->dump, 0777);  // what is wrong with it is said when the first file is written
  if (j->dump) {
    passes.after = dump;
    passes.after_ctx = (void *)(uintptr_t)j;
  }
  WEFT_TRY(weft_compile(g, &c, &p, d));
  const size_t nodes = weft_graph_n_nodes(weft_program_graph(p));
  printf("program %s: %zu node%s, %zu before compiling\n", weft_program_name(p), nodes, nodes == 1 ? "" : "s",
         before);
  s = compile_tell(j, p, d);
  weft_program_keep_packed(p, j->pack);
  if (!s && j->output)
    s = weft_program_save_file(p, j->output, d);
  weft_program_release(p);
  return s;
}

static int list_passes(void) {
  weft_env *e = open_env();
  if (!e)
    return EXIT_FAILED;
  const weft_pass *p;
  for (size_t i = 0; (p = weft_pass_at(e, i)) != NULL; i++)
    printf("%-20s %s\n", p->name, p->summary);
  weft_env_destroy(e);
  return EXIT_OK;
}

static int compile_run(int argc, char **argv) {
  static job j;
  j = (job){0};
  const int wrong = options_parse(&compile_table, &j, argc, argv);
  if (wrong)
    return wrong;
  if (j.passes)
    return list_passes();
  if (!j.model)
    return usage_error(compile_table.usage, "no model given");
  weft_env *e = open_env_with(j.strict, 0);
  if (!e)
    return EXIT_FAILED;
  weft_diag d = {0};
  weft_status s = compile_work(&j, e, &d);
  weft_env_destroy(e);
  return s ? fail_with(&d) : EXIT_OK;
}

const command cmd_compile = {"compile", "compiles a model into a program; shows its passes and memory plan",
                             NULL, compile_run, &compile_table};
// SPDX-License-Identifier: Apache-2.0
