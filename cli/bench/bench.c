// bench.c - `weft bench`: how fast a model runs, beside another engine.
#include <time.h>

#include "bench.h"

static const char help[] =
    "weft bench MODEL... [--peer onnxruntime] [--threads 1,2] [--json FILE] [--svg FILE]\n"
    "       weft bench --cases FILE ... | weft bench --machine [--json FILE]\n\n"
    "Measures runs, starts, memory and accuracy. Each engine runs in a process of its own; they take turns, "
    "so\n"
    "that what disturbs the machine disturbs all.\n\n"
    "  --peer NAME           beside this engine: onnxruntime, which needs `pip install onnxruntime`\n"
    "  --threads 1,2         thread counts, each measured separately (default 1)\n"
    "  --isa native,avx2     weft with these instruction sets, each a column: plain, avx2, avx512, amx\n"
    "  --peer-isa native,avx2  the peer with these, each a column; avx2: as on a machine without AVX-512.\n"
    "                        Ratios compare weft with the peer of the same instruction set. A limited peer,\n"
    "                        and weft columns after the first, start once, and not from their own file\n"
    "  --variant NAME:OPTION=VALUE  weft with this option of its compiler, a column of its own:\n"
    "                        bf16:precision_mode=allow_fp32_to_bf16\n"
    "  --shape x=1,3,224,224 sizes of an input; the model is compiled as it is written\n"
    "  --dim batch=4         the size of every dim of this name; sizes that are not given are 1\n"
    "  --data-set DIR        inputs from DIR/input_0.pb (or .npy), ...; of several, one session runs each in "
    "turn\n"
    "  --seed N              of the random inputs (default 1)\n"
    "  --repeat N            rounds (default 5)\n"
    "  --seconds S           seconds for each engine in a round (default 0.2)\n"
    "  --starts N            starts of each engine, each in a new process (default 3)\n"
    "  --own-files           with the first thread count, also starts from what each engine has prepared:\n"
    "                        a program, the peer's optimised model\n"
    "  --option NAME=VALUE   of weft's compiler (see weft compile --help); --streams N: of its runs\n"
    "  --strict              fails where inputs give dims of one name different sizes; otherwise a warning\n"
    "  --plain               no engine optimises anything: shows what a launch costs\n"
    "  --profile             where weft's time goes, by operator\n"
    "  --no-reference        results are compared with the peer's, not with the reference interpreter's\n"
    "  --tolerance X         the largest difference allowed, relative to the largest element (default 1e-3)\n"
    "  --timeout S           how long an engine may take to answer (default 600)\n"
    "  --json FILE           all figures;  --svg FILE  a chart;  --quiet  no tables\n"
    "  --cases FILE          lines NAME MODEL [--threads, --shape, --dim, --data-set, --starts, "
    "--no-reference ...]\n"
    "  --machine             the most that this machine can do: multiply-adds, bytes from each level of "
    "memory\n\n"
    "Exit status: 1 when an engine failed, 3 when results differ by more than the tolerance.\n"
    "Environment: WEFT_PEER   the peer's program or script (otherwise peer_NAME.py of the installation)\n"
    "             WEFT_PYTHON runs scripts (default python3)\n";

typedef struct isa_words {  // what --isa or --peer-isa names; NULL: native
  char text[256];
  const char *isa[BENCH_MOST_SIDES];
  size_t n;
} isa_words;

typedef struct command_line {
  bench_options o;
  bench_case given;  // options of a case, for the models of the command line
  const char *models[256], *cases, *peer;
  isa_words isas, peer_isas;
  const char *variants[BENCH_MOST_SIDES], *variant_options[BENCH_MOST_SIDES];
  size_t n_models, n_variants;
  bool machine, serve;
} command_line;

static bool bench_number(const char *text, double low, double high, double *out) {
  char *end;
  *out = strtod(text, &end);
  return *text && !*end && *out >= low && *out <= high;
}

static bool bench_count(const char *text, size_t low, size_t high, size_t *out) {
  double x;
  if (!bench_number(text, (double)low, (double)high, &x) || x != (double)(size_t)x)
    return false;
  *out = (size_t)x;
  return true;
}

static int isa_list(const char *option, const char *text, const char *known, isa_words *out) {
  snprintf(out->text, sizeof out->text, "%s", text);
  out->n = 0;
  for (char *at = out->text, *w; *at && (w = strtok_r(at, ",", &at));) {
    char listed[40];  // `known` has a blank on both sides of each
    snprintf(listed, sizeof listed, " %.30s ", w);
    if (!strstr(known, listed))
      return usage_error(help, "%s '%s': expected one of%.*s", option, w, (int)strlen(known) - 1, known);
    bool native = !strcmp(w, "native");
    const char *why = native ? NULL : bench_isa_missing(w);
    if (why)
      return usage_error(help, "%s %s: %s", option, w, why);
    if (out->n == BENCH_MOST_SIDES - 1)
      return usage_error(help, "%s: more than %d", option, BENCH_MOST_SIDES - 1);
    out->isa[out->n++] = native ? NULL : w;
  }
  return out->n ? 0 : usage_error(help, "%s '%s': expected a list such as native,avx2", option, text);
}

// NAME:OPTION=VALUE
static int variant(command_line *c, const char *text) {
  static char words[256];
  static size_t used;
  const char *colon = strchr(text, ':');
  size_t n = strlen(text) + 1;
  if (!colon || colon == text || !strchr(colon, '='))
    return usage_error(help, "--variant '%s': expected NAME:OPTION=VALUE", text);
  if (c->n_variants == BENCH_MOST_SIDES - 1 || n > sizeof words - used)
    return usage_error(help, "--variant '%s': too many", text);
  char *name = memcpy(words + used, text, n);
  used += n;
  name[colon - text] = 0;
  c->variants[c->n_variants] = name;
  c->variant_options[c->n_variants++] = name + (colon - text) + 1;
  return 0;
}

// Options with numbers; -1: not one of these.
static int number_option(args *a, command_line *c) {
  bench_options *o = &c->o;
  const char *v;
  size_t seed;
  if (arg_value(a, "--repeat", &v)) {
    return bench_count(v, 1, 10000, &o->repeat)
               ? 0
               : usage_error(help, "--repeat '%s': expected 1 to 10000 rounds", v);
  }
  if (arg_value(a, "--seconds", &v))
    return bench_number(v, 0, 3600, &o->seconds) ? 0
                                                 : usage_error(help, "--seconds '%s': expected 0 to 3600", v);
  if (arg_value(a, "--tolerance", &v))
    return bench_number(v, 0, 1e9, &o->tolerance)
               ? 0
               : usage_error(help, "--tolerance '%s': expected a number", v);
  if (arg_value(a, "--timeout", &v))
    return bench_number(v, 0.001, 1e6, &o->timeout)
               ? 0
               : usage_error(help, "--timeout '%s': expected seconds", v);
  if (arg_value(a, "--seed", &v)) {
    if (!bench_count(v, 0, (size_t)1 << 53, &seed))
      return usage_error(help, "--seed '%s': expected a number", v);
    return o->seed = seed, 0;
  }
  if (!arg_value(a, "--streams", &v))
    return -1;
  if (!bench_count(v, 1, 16, &seed))
    return usage_error(help, "--streams '%s': expected 1 to 16", v);
  return o->streams = v, 0;
}

static int bench_option(args *a, command_line *c) {
  bench_options *o = &c->o;
  const char *v;
  const char *problem;
  const char *word = a->argv[a->at];
  if (bench_case_word(a, &c->given, &problem))
    return problem ? usage_error(help, "%s: %s", word, problem) : 0;
  if (arg_value(a, "--isa", &v))
    return isa_list("--isa", v, " native plain avx2 avx512 amx amx-emulated ", &c->isas);
  if (arg_value(a, "--peer-isa", &v))
    return isa_list("--peer-isa", v, " native avx2 ", &c->peer_isas);
  if (arg_value(a, "--variant", &v))
    return variant(c, v);
  if (arg_value(a, "--option", &v)) {
    if (o->n_options == BENCH_MOST_WORDS || !strchr(v, '='))
      return usage_error(help, "--option '%s': expected NAME=VALUE", v);
    return o->options[o->n_options++] = v, 0;
  }
  if (arg_value(a, "--peer", &c->peer) || arg_value(a, "--cases", &c->cases) ||
      arg_value(a, "--json", &o->json) || arg_value(a, "--svg", &o->svg))
    return 0;
  const struct {
    const char *name;
    bool *to;
  } flags[] = {{"--machine", &c->machine}, {"--serve", &c->serve}, {"--plain", &o->plain},
               {"--profile", &o->profile}, {"--quiet", &o->quiet}, {"--own-files", &o->own_files},
               {"--strict", &o->strict}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (arg_flag(a, flags[i].name))
      return *flags[i].to = true, 0;
  }
  if (c->n_models == 256)
    return usage_error(help, "more than 256 models");
  if (arg_positional(a, &c->models[c->n_models]))
    return c->n_models++, 0;
  return unexpected(help, a->argv[a->at]);
}

static void engines(command_line *c) {
  bench_options *o = &c->o;
  for (size_t i = 0; i < c->isas.n; i++)
    o->engines[o->n_engines++].isa = c->isas.isa[i];
  for (size_t i = 0; i < c->n_variants; i++) {
    bench_engine *e = &o->engines[o->n_engines++];
    e->variant = c->variants[i];
    e->option = c->variant_options[i];
  }
  for (size_t i = 0; c->peer && i < c->peer_isas.n; i++) {
    bench_engine *e = &o->engines[o->n_engines++];
    e->peer = c->peer;
    e->isa = c->peer_isas.isa[i];
  }
}

static weft_status cases(command_line *c, weft_diag *d) {
  bench_options *o = &c->o;
  memcpy(o->threads, c->given.threads, sizeof o->threads);
  o->n_threads = c->given.n_threads;
  o->starts = c->given.starts;
  o->no_reference = c->given.no_reference;
  if (c->cases)
    WEFT_TRY(bench_cases_read(c->cases, o, d));
  bench_case *more = realloc(o->cases, (o->n_cases + c->n_models + 1) * sizeof *more);
  if (!more)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  o->cases = more;
  for (size_t i = 0; i < c->n_models; i++) {
    bench_case *to = &o->cases[o->n_cases++];
    bench_case named;
    bench_case_init(&named, o, c->models[i]);
    *to = c->given;
    to->model = c->models[i];
    memcpy(to->name, named.name, sizeof to->name);
  }
  return WEFT_OK;
}

static weft_status write_file(const char *path, void (*write)(const bench_report *, FILE *),
                              const bench_report *r, weft_diag *d) {
  if (!path)
    return WEFT_OK;
  char *text = NULL;
  size_t bytes = 0;
  FILE *f = open_memstream(&text, &bytes);
  if (f)
    write(r, f);
  bool whole = f && !ferror(f);
  whole = f && !fclose(f) && whole;
  weft_status s =
      whole ? save_text(path, text, bytes, d) : weft_fail(d, WEFT_E_NOMEM, "no memory for '%s'", path);
  free(text);
  return s;
}

static int verdict(const bench_report *r) {
  bool failed = false;
  bool different = false;
  for (size_t i = 0; i < r->n_rows; i++) {
    for (size_t k = 0; k < r->o->n_engines; k++) {
      const bench_result *x = &r->rows[i].r[k];
      if (*x->error)
        fprintf(stderr, "weft: error: %s: %s\n", r->rows[i].name, x->error);
      if (*x->unread) {
        fprintf(stderr, "weft: error: %s: results of %s cannot be compared: %s\n", r->rows[i].name,
                r->o->engines[k].label, x->unread);
      }
      failed |= *x->error || *x->unread;
      different |= !r->o->engines[k].peer && x->error_max > r->o->tolerance;
    }
  }
  return failed ? EXIT_FAILED : different ? EXIT_DIFFERENT : EXIT_OK;
}

static weft_status measure_and_write(command_line *c, weft_env *e, bench_report *r, weft_diag *d) {
  WEFT_TRY(cases(c, d));
  WEFT_TRY(bench_measure(e, &c->o, r, d));
  if (!c->o.quiet)
    bench_table(r, stdout);
  WEFT_TRY(write_file(c->o.json, bench_json, r, d));
  return write_file(c->o.svg, bench_svg, r, d);
}

static int bench_measured(command_line *c) {
  weft_diag d = {0};
  bench_report r = {.o = &c->o, .cores = bench_cores()};
  time_t now = time(NULL);
  struct tm day;
  weft_env *e = open_env();
  if (!e)
    return EXIT_FAILED;
  bench_machine_name(r.machine, sizeof r.machine);
  if (gmtime_r(&now, &day))
    strftime(r.date, sizeof r.date, "%Y-%m-%d", &day);
  engines(c);
  weft_status s = measure_and_write(c, e, &r, &d);
  int status = s ? fail_with(&d) : verdict(&r);
  bench_report_free(&r);
  weft_env_destroy(e);
  free(c->o.cases);
  free(c->o.cases_text);
  return status;
}

static int bench_run(int argc, char **argv) {
  args a = {argc, 1, argv, help};
  static command_line c;
  c.o = (bench_options){.repeat = 5, .seconds = 0.2, .tolerance = 1e-3, .timeout = 600, .seed = 1};
  c.given = (bench_case){.threads = {1}, .n_threads = 1, .starts = 3};
  while (a.at < a.argc) {
    int status = number_option(&a, &c);
    if (status < 0)
      status = bench_option(&a, &c);
    if (status)
      return status;
  }
  if (c.serve)
    return bench_serve();
  if (c.machine)
    return bench_machine(c.o.json);
  if (c.peer_isas.n && !c.peer)
    return usage_error(help, "--peer-isa: without --peer there is no peer");
  if (!c.isas.n)
    c.isas.n = 1;  // native
  if (!c.peer_isas.n)
    c.peer_isas.n = 1;
  if (c.isas.n + c.n_variants + (c.peer ? c.peer_isas.n : 0) > BENCH_MOST_SIDES)
    return usage_error(help, "--isa, --variant, --peer-isa: more than %d in all", BENCH_MOST_SIDES);
  if (!c.n_models && !c.cases)
    return usage_error(help, "no model given");
  return bench_measured(&c);
}

const command cmd_bench = {"bench", "measures a model beside another engine; --machine: this machine", help,
                           bench_run};
// SPDX-License-Identifier: Apache-2.0
