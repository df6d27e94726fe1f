// op_call.c - `weft op run` and `weft op test`.
#include "op.h"
#include "op_inputs.h"

const char op_run_help[] =
    "weft op run NAME [INPUT...] [--attr NAME=VALUE]... [--outputs N] [--save PREFIX]\n\n"
    "Calls one operator. An input is a .npy or .pb file or a literal, _ for an absent optional input, [a,b] "
    "for a "
    "dynamic one;\n"
    "PORT=INPUT names the port. Attributes of type String need no quotes:\n\n"
    "  weft op run Add 'f32[2]{1,2}' 'f32[2]{3,4}'\n"
    "  weft op run SoftmaxV2 x.npy --attr 'axes=[1]' --save out     writes out0.npy\n"
    "  weft op run ConcatV2 'x=[f32[1]{1},f32[2]{2,3}]' 'concat_dim=i32[]{0}'\n";

typedef struct call_args {
  op_inputs inputs;
  const char *input[OP_INPUTS];
  size_t n_input;
  weft_named_attr attrs[64];
  size_t n_attrs;
  const char *text[64];  // NAME=VALUE of attributes
} call_args;

static weft_status no_attr(const weft_proto *p, const char *name, weft_diag *d) {
  char list[400] = "none";
  size_t at = 0;
  for (uint32_t i = 0; i < weft_proto_n_attr(p) && at < 300; i++) {
    at +=
        (size_t)snprintf(list + at, sizeof list - at, "%s%.80s", i ? ", " : "", weft_proto_attr(p, i)->name);
  }
  return weft_fail(d, WEFT_E_NOT_FOUND, "operator '%s' has no attribute '%s'; its attributes: %s",
                   weft_proto_op(p)->name, name, list);
}

// Words of a list of strings in quotes: [a,"b c"] gives ["a","b c"].
static char *quote_words(const char *text) {
  char *out = malloc(3 * strlen(text) + 1);
  char *to = out;
  bool quoted = false;
  bool word = false;
  for (; out && *text; text++) {
    bool inside = !quoted && !strchr("[]{}, \"", *text);
    if (inside != word)
      *to++ = '"';
    word = inside;
    if (*text == '"')
      quoted = !quoted;
    if (quoted && *text == '\\' && text[1])
      *to++ = *text++;
    *to++ = *text;
  }
  if (out && word)
    *to++ = '"';
  if (out)
    *to = 0;
  return out;
}

// The shell has taken the quotes of a string: what does not begin with one is the string itself.
static weft_status parse_attr(weft_attr_pool *pool, const char *type, const char *text, weft_attr *out,
                              weft_diag *d) {
  if (!strcmp(type, "String") && *text != '"') {
    *out = weft_attr_str(text, strlen(text));
    return WEFT_OK;
  }
  if (strcmp(type, "ListString"))
    return weft_attr_pool_parse(pool, type, text, out, d);
  char *words = quote_words(text);
  if (!words)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  weft_status s = weft_attr_pool_parse(pool, type, words, out, d);
  free(words);
  return s;
}

weft_status op_attrs_read(const char *const *text, size_t n, const weft_proto *p, weft_attr_pool *pool,
                          weft_named_attr *out, weft_diag *d) {
  for (size_t i = 0; i < n; i++) {
    const char *eq = strchr(text[i], '=');
    char name[128];
    if (!eq || (size_t)(eq - text[i]) >= sizeof name)
      return weft_fail(d, WEFT_E_SYNTAX, "--attr '%s': expected NAME=VALUE", text[i]);
    memcpy(name, text[i], (size_t)(eq - text[i]));
    name[eq - text[i]] = 0;
    int slot = weft_proto_find_attr(p, name);
    if (slot < 0)
      return no_attr(p, name, d);
    const weft_attr_decl *decl = weft_proto_attr(p, (uint32_t)slot);
    out[i].name = decl->name;
    weft_status s = parse_attr(pool, decl->type, eq + 1, &out[i].value, d);
    if (s)
      weft_note(d, "while reading --attr '%s'", text[i]);
    if (s)
      return s;
  }
  return WEFT_OK;
}

// `counts`: instances of each output port. An instance of a dynamic port prints as y[0], y[1], ...
static weft_status print_outputs(const weft_tensor *out, size_t n, const weft_proto *p,
                                 const uint32_t *counts, const char *save, weft_diag *d) {
  uint32_t at = 0;
  uint32_t k = 0;
  for (size_t i = 0; i < n; i++, k++) {
    while (k == counts[at]) {
      at++;
      k = 0;
    }
    const weft_port *port = weft_proto_out(p, at);
    if (port->kind == WEFT_DYNAMIC)
      printf("%s[%u] = ", port->name, k);
    else
      printf("%s = ", port->name);
    WEFT_TRY(weft_tensor_print(&out[i], 64, to_stdout, NULL));
    printf("\n");
    char path[4096];
    snprintf(path, sizeof path, "%s%zu.npy", save ? save : "", i);
    if (save)
      WEFT_TRY(write_tensor(path, &out[i], d));
  }
  return WEFT_OK;
}

static weft_status op_call_call(weft_env *e, const char *name, call_args *c, size_t n_out, const char *save,
                                weft_diag *d) {
  const weft_proto *p;
  weft_tensor out[64];
  weft_attr_pool *pool = NULL;
  WEFT_TRY(weft_get(e, name, &p, d));
  bool asked = n_out != 0;
  const char *dynamic = NULL;
  if (!asked)
    n_out = weft_proto_n_out(p);
  if (n_out > 64)
    return weft_fail(d, WEFT_E_LIMIT, "%zu outputs", n_out);
  uint32_t counts[64];
  uint32_t declared = weft_proto_n_out(p) < 64 ? weft_proto_n_out(p) : 64;
  if (n_out + 1 < declared)
    return weft_fail(d, WEFT_E_INVALID, "--outputs %zu: the operator has %u", n_out, declared);
  for (uint32_t i = 0; i < declared; i++) {  // a dynamic output takes what the fixed ones leave
    const weft_port *port = weft_proto_out(p, i);
    counts[i] = port->kind == WEFT_DYNAMIC ? (uint32_t)(n_out - (declared - 1)) : 1;
    if (port->kind == WEFT_DYNAMIC)
      dynamic = port->name;
  }
  if (!dynamic && n_out != declared)
    return weft_fail(d, WEFT_E_INVALID, "--outputs %zu: operator '%s' has %u", n_out, name, declared);
  WEFT_TRY(weft_attr_pool_create(weft_env_allocator(e), &pool));
  weft_status s = op_attrs_read(c->text, c->n_attrs, p, pool, c->attrs, d);
  if (!s)
    s = op_inputs_read(&c->inputs, p, c->input, c->n_input, d);
  weft_use use = {
      .attrs = c->attrs, .n_attrs = c->n_attrs, .in_counts = c->inputs.counts, .out_counts = counts};
  if (!s) {
    s = weft_run_op(e, p, &use, c->inputs.in, c->inputs.n, out, n_out, NULL, d);
    if (!s)
      s = print_outputs(out, n_out, p, counts, save, d);
    else if (dynamic && !asked)
      weft_note(d, "output '%s' is dynamic: --outputs N tells how many outputs there are", dynamic);
    for (size_t i = 0; i < n_out; i++)
      weft_tensor_deinit(&out[i]);
  }
  weft_attr_pool_destroy(pool);
  return s;
}

int op_run(int argc, char **argv) {
  args a = {argc, 1, argv, op_run_help};
  const char *name = NULL;
  const char *v;
  const char *save = NULL;
  static call_args c;
  memset(&c, 0, sizeof c);
  size_t n_out = 0;
  weft_diag d = {0};
  weft_status s = WEFT_OK;
  while (a.at < a.argc && !s) {
    if (arg_value(&a, "--attr", &v)) {
      if (c.n_attrs == 64)
        return usage_error(op_run_help, "more than 64 attributes");
      c.text[c.n_attrs++] = v;
    } else if (arg_value(&a, "--outputs", &v)) {
      char *end;
      n_out = (size_t)strtoul(v, &end, 10);
      if (end == v || *end || *v == '-' || !n_out)
        return usage_error(op_run_help, "--outputs '%s': expected a count", v);
    } else if (arg_value(&a, "--save", &save)) {
    } else if (!arg_positional(&a, &v)) {
      return unexpected(op_run_help, argv[a.at]);
    } else if (!name) {
      name = v;
    } else if (c.n_input == OP_INPUTS) {
      return usage_error(op_run_help, "more than %d inputs", OP_INPUTS);
    } else {
      c.input[c.n_input++] = v;
    }
  }
  weft_env *e = NULL;
  int status = EXIT_OK;
  if (!s && !name)
    status = usage_error(op_run_help, "no operator given");
  else if (!s && !(e = open_env()))
    status = EXIT_FAILED;
  else if (!s)
    s = op_call_call(e, name, &c, n_out, save, &d);
  if (s)
    status = fail_with(&d);
  op_inputs_drop(&c.inputs);
  weft_env_destroy(e);
  return status;
}

const char op_test_help[] =
    "weft op test [PACKAGE.so | NAME]... [--seed N] [--rounds N] [--case-time SECONDS]\n\n"
    "Runs the laws that every operator must keep, over its examples: they hold; inference and kernel agree; "
    "unknown dims\n"
    "never contradict known ones; every failed allocation is survived; random attributes never crash; traits "
    "are true.\n"
    "Every kernel, of every device, gives what the reference gives, on the examples and on random shapes, "
    "between "
    "guards,\n"
    "with its blocks in any order.\n"
    "A PACKAGE.so is loaded alone, without the packages of WEFT_OPP_PATH, and all of its operators are "
    "tested; "
    "without\n"
    "arguments, all built-in ones. An example that needs a plug-in which is not installed is skipped, and "
    "says "
    "so. A case that takes more than --case-time (60 s; 0: no limit) hangs: it is "
    "named, and\n"
    "the test ends there; so it is when an operator's code crashes.\n";

static void print_violation(void *ctx, const char *text) {
  (void)ctx;
  printf("FAIL %s\n", text);
}

static uint32_t op_call_skipped;  // examples, all of them in one thread
static void print_skipped(void *ctx, const char *text) {
  (void)ctx;
  printf("SKIP %s\n", text);
  op_call_skipped++;
}

typedef struct totals {
  uint32_t ops, without, examples, checks, failed, kernels, runs;
  double error, allowed;  // of kernels, where they come nearest to each other
  char error_text[400];
} totals;

static void keep_error(const weft_proto *p, const weft_kernel_laws_result *r, totals *t) {
  const bool nearer = r->error * t->allowed > t->error * r->allowed || t->error <= 0;
  if (r->error <= 0 || !nearer)
    return;
  t->error = r->error;
  t->allowed = r->allowed;
  snprintf(t->error_text, sizeof t->error_text, "%.60s, %s", weft_proto_op(p)->name, r->error_text);
}

static void test_kernels(weft_env *e, const weft_proto *p, const weft_laws_options *o, totals *t) {
  weft_kernel_laws_result r = {.size = sizeof r};
  weft_diag d = {0};
  weft_status s = weft_op_kernel_laws(e, p, o, &r, &d);
  t->checks += r.checks;
  t->failed += r.failed;
  t->kernels += r.kernels - r.idle;
  t->runs += r.runs;
  keep_error(p, &r, t);
  if (s && s != WEFT_E_DIFFERENT) {
    t->failed++;
    printf("FAIL %s: %s\n", weft_proto_op(p)->name, d.text);
  }
  if (r.idle && weft_proto_source(p) != WEFT_FROM_BUILTIN) {
    printf("NOTE %s: not tested, because it took no example that has data: %s\n", weft_proto_op(p)->name,
           r.idle_text);
  }
  if (r.single && weft_proto_source(p) != WEFT_FROM_BUILTIN) {
    printf(
        "NOTE %s: ran in one block however long its inputs were, so that other blocks are not tested: %s\n",
        weft_proto_op(p)->name, r.single_text);
  }
}

static void test_one(weft_env *e, const weft_proto *p, const weft_laws_options *o, totals *t) {
  weft_laws_result r = {0};
  weft_diag d = {0};
  t->ops++;
  weft_status s = weft_op_laws(e, p, o, &r, &d);
  t->examples += r.examples;
  t->checks += r.checks;
  t->failed += r.failed;
  if (s == WEFT_E_MISSING) {
    t->without++;
    printf(
        "SKIP %s: it has no examples (.examples in C, WEFT_CANN_EXAMPLES in C++), or was compiled without "
        "them "
        "(-DWEFT_WITH_EXAMPLES)\n",
        weft_proto_op(p)->name);
    return;
  }
  if (s && s != WEFT_E_DIFFERENT) {
    t->failed++;
    printf("FAIL %s: %s\n", weft_proto_op(p)->name, d.text);
  }
  test_kernels(e, p, o, t);
}

static void test_source(weft_env *e, int source, const char *origin, const weft_laws_options *o, totals *t) {
  for (size_t i = 0; i < weft_proto_count(e, false); i++) {
    const weft_proto *p = weft_proto_at(e, i, false);
    if (weft_proto_source(p) == source && (!origin || !strcmp(weft_proto_origin(p), origin)))
      test_one(e, p, o, t);
  }
}

static bool is_file(const char *name) {
  return strchr(name, '/') || strstr(name, ".so");
}

// A package that is named is tested as it is: an installed one, found through the package path, would hide
// it.
static weft_status test_package(weft_env *e, const char *path, const weft_laws_options *o, totals *t,
                                weft_diag *d) {
  uint32_t before = t->ops;
  WEFT_TRY(weft_load_package(e, path, d));
  test_source(e, WEFT_FROM_PACKAGE, weft_package_at(e, weft_package_count(e) - 1).path, o, t);
  if (t->ops > before)
    return WEFT_OK;
  return weft_fail(d, WEFT_E_MISSING, "package '%s' brings no operator that another package does not hide",
                   path);
}

int op_test(int argc, char **argv) {
  args a = {argc, 1, argv, op_test_help};
  weft_laws_options o = {.size = sizeof o, .report = print_violation, .skipped = print_skipped};
  const char *v;
  const char *names[64];
  size_t n = 0;
  double case_seconds = 60;
  while (a.at < a.argc) {
    if (arg_value(&a, "--seed", &v))
      o.seed = strtoull(v, NULL, 10);
    else if (arg_value(&a, "--case-time", &v)) {
      char *end;
      case_seconds = strtod(v, &end);
      if (end == v || *end || !(case_seconds >= 0 && case_seconds < 1e8))
        return usage_error(op_test_help, "--case-time '%s': expected seconds", v);
    } else if (arg_value(&a, "--rounds", &v))
      o.rounds = (uint32_t)strtoul(v, NULL, 10);
    else if (n == 64 || !arg_positional(&a, &names[n]))
      return unexpected(op_test_help, argv[a.at]);
    else
      n++;
  }
  bool files = false;
  for (size_t i = 0; i < n; i++)
    files |= is_file(names[i]);
  weft_env *e = files ? open_env_alone() : open_env();
  if (!e)
    return EXIT_FAILED;
  weft_diag d = {0};
  weft_status s = WEFT_OK;
  totals t = {0};
  setvbuf(stdout, NULL, _IOLBF, 0);  // what was found stands there when an operator's code crashes
  op_watch_begin(case_seconds);
  o.begin = op_watch_case;
  for (size_t i = 0; i < n && !s; i++) {
    if (is_file(names[i])) {
      s = test_package(e, names[i], &o, &t, &d);
    } else {
      const weft_proto *p;
      s = weft_get(e, names[i], &p, &d);
      if (!s)
        test_one(e, p, &o, &t);
    }
  }
  if (!n)
    test_source(e, WEFT_FROM_BUILTIN, NULL, &o, &t);
  op_watch_end();
  if (t.ops || !s) {
    printf("%u operator%s, %u example%s, %u checks, %u failed; %u kernel%s in %u runs", t.ops,
           t.ops == 1 ? "" : "s", t.examples, t.examples == 1 ? "" : "s", t.checks, t.failed, t.kernels,
           t.kernels == 1 ? "" : "s", t.runs);
  }
  if (t.without)
    printf(", %u without examples", t.without);
  if (op_call_skipped)
    printf(", %u example%s skipped", op_call_skipped, op_call_skipped == 1 ? "" : "s");
  if (t.ops || !s)
    printf("\n");
  if (t.error > 0)
    printf("closest to its tolerance: error %.3g, allowed %.3g, %s\n", t.error, t.allowed, t.error_text);
  else if (t.kernels && !t.failed)
    printf("every kernel that ran gives what its reference gives, bit for bit\n");
  weft_env_destroy(e);
  if (s)
    return fail_with(&d);
  return t.failed ? EXIT_FAILED : EXIT_OK;
}
// SPDX-License-Identifier: Apache-2.0
