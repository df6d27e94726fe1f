// op_kernels.c - `weft op kernels`: compiles kernels in Ascend C for the operators of a package: each
// combination of types becomes a source of a few lines around the user's own, and a shared object.
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "op.h"
#include "op_templates.h"
#include "weft/dtype.h"
#include "weft/format.h"

extern char **environ;

const char op_kernels_help[] =
    "weft op kernels FOLDER --out FOLDER [NAME...] [--soc NAME] [--records FILE] [--compiler PROGRAM] "
    "[--flag "
    "FLAG]...\n\n"
    "Compiles the kernels in Ascend C (FOLDER/add_custom.cpp for AddCustom) of the operators that packages "
    "define,\n"
    "once for each combination of types, into --out: the folder `kernels` beside the package's library, "
    "where "
    "it\n"
    "finds them. NAME: these operators only.\n\n"
    "  --soc NAME          the processor that its tiling function is asked for (ascend910b)\n"
    "  --records FILE      the header with BEGIN_TILING_DATA_DEF; otherwise add_custom_tiling.h beside the\n"
    "                      kernel or in ../op_host, or a header below that which registers the operator\n"
    "  --compiler PROGRAM  weft-ascc beside weft, or in PATH\n"
    "  --flag FLAG         for the compiler\n";

enum { KERNEL_FLAGS = 64, KERNEL_NAMES = 256, KERNEL_PATH = 1024, RECORDS_MAX_DEPTH = 4 };

typedef struct kernels_args {
  const char *folder, *out, *soc, *records, *compiler;
  const char *flags[KERNEL_FLAGS];
  size_t n_flags;
  const char *names[KERNEL_NAMES];
  size_t n_names;
} kernels_args;

// One operator with its kernel's source.
typedef struct kernel_job {
  const kernels_args *args;
  const weft_op *op;
  char snake[128];
  char source[KERNEL_PATH], records[KERNEL_PATH];
} kernel_job;

static const char *kernel_type(uint8_t t) {
  switch ((int)t) {
    case WEFT_FLOAT:
      return "float";
    case WEFT_FLOAT16:
      return "half";
    case WEFT_BF16:
      return "bfloat16_t";
    case WEFT_INT8:
      return "int8_t";
    case WEFT_UINT8:
      return "uint8_t";
    case WEFT_BOOL:
      return "bool";
    case WEFT_INT16:
      return "int16_t";
    case WEFT_UINT16:
      return "uint16_t";
    case WEFT_INT32:
      return "int32_t";
    case WEFT_UINT32:
      return "uint32_t";
    case WEFT_INT64:
      return "int64_t";
    case WEFT_UINT64:
      return "uint64_t";
    case WEFT_DOUBLE:
      return "double";
    default:
      return NULL;
  }
}

// AddCustom -> add_custom, TopKV2 -> top_kv2: a capital begins a word unless one stands before it alone.
static void kernel_snake(const char *type, char *out, size_t room) {
  size_t n = 0;
  for (size_t i = 0; type[i] && n + 2 < room; i++) {
    const bool upper = isupper((unsigned char)type[i]);
    const bool after = i && !isupper((unsigned char)type[i - 1]);
    const bool before =
        i && upper && islower((unsigned char)type[i + 1]) && isupper((unsigned char)type[i - 1]);
    if (upper && (after || before) && out[n - 1] != '_')
      out[n++] = '_';
    out[n++] = (char)tolower((unsigned char)type[i]);
  }
  out[n] = 0;
}

static bool file_there(const char *path) {
  return !access(path, R_OK);
}

static bool file_has(const char *path, const char *word) {
  weft_diag d = {0};
  char *text = NULL;
  size_t bytes = 0;
  const bool has = read_file(path, &text, &bytes, &d) == WEFT_OK && memmem(text, bytes, word, strlen(word));
  free(text);
  return has;
}

// Is this word the next one?
static bool word_is(const char *at, const char *end, const char *word) {
  const size_t n = strlen(word);
  while (at < end && isspace((unsigned char)*at))
    at++;
  return (size_t)(end - at) > n && !memcmp(at, word, n) && !isalnum((unsigned char)at[n]) && at[n] != '_';
}

// Does a header say REGISTER_TILING_DATA_CLASS(name, ...)?
static bool records_registered(const char *path, const char *name) {
  static const char word[] = "REGISTER_TILING_DATA_CLASS(";
  const size_t n = sizeof word - 1;
  weft_diag d = {0};
  char *text = NULL;
  size_t bytes = 0;
  bool found = false;
  if (read_file(path, &text, &bytes, &d) == WEFT_OK) {
    const char *end = text + bytes;
    const char *at = memmem(text, bytes, word, n);
    while (at && !found) {
      at += n;
      found = word_is(at, end, name);
      at = memmem(at, (size_t)(end - at), word, n);
    }
  }
  free(text);
  return found;
}

static bool records_below(kernel_job *j, const char *folder, int depth);

// A file or a folder: is the record there?
static bool records_at(kernel_job *j, const char *path, int depth) {
  const size_t length = strlen(path);
  struct stat s;
  if (stat(path, &s))
    return false;
  if (S_ISDIR(s.st_mode))
    return records_below(j, path, depth + 1);
  const bool header = length > 2 && !strcmp(path + length - 2, ".h");
  if (!header || !records_registered(path, j->op->name))
    return false;
  snprintf(j->records, sizeof j->records, "%s", path);
  return true;
}

// The first header below a folder that registers the operator's record, by name.
static bool records_below(kernel_job *j, const char *folder, int depth) {
  struct dirent **list = NULL;
  const int n = depth < RECORDS_MAX_DEPTH ? scandir(folder, &list, NULL, alphasort) : 0;
  bool found = false;
  for (int i = 0; i < n; i++) {
    char path[KERNEL_PATH];
    const char *name = list[i]->d_name;
    const bool fits = snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path;
    if (!found && fits && *name != '.')
      found = records_at(j, path, depth);
    free(list[i]);
  }
  free(list);
  return found;
}

// The header with the operator's record; "": the kernel brings its own.
static void kernel_records(kernel_job *j) {
  static const char *const places[] = {"%s/%s_tiling.h", "%s/../op_host/%s_tiling.h",
                                       "%s/../op_host/%s_tiling_def.h"};
  j->records[0] = 0;
  if (j->args->records) {  // the source that includes it lies in another folder
    char *whole = realpath(j->args->records, NULL);
    snprintf(j->records, sizeof j->records, "%s", whole ? whole : j->args->records);
    free(whole);
    return;
  }
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char path[KERNEL_PATH];
    snprintf(path, sizeof path, places[i], j->args->folder, j->snake);
    if (!file_has(path, "BEGIN_TILING_DATA_DEF"))
      continue;
    snprintf(j->records, sizeof j->records, "%s", path);
    return;
  }
  char host[KERNEL_PATH];
  snprintf(host, sizeof host, "%s/../op_host", j->args->folder);
  records_below(j, host, 0);
}

// ---- the source of a combination ----

static void write_words(FILE *to) {
  static const struct {
    const char *word;
    int number;
  } words[] = {
#define WEFT_X(name, number, bits, serial, text) {"DT_" #name, number},
      WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
#define WEFT_X(name, number, serial) {"FORMAT_" #name, number},
          WEFT_FORMAT_LIST(WEFT_X)
#undef WEFT_X
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    fprintf(to, "#define %s %d\n", words[i].word, words[i].number);
}

static const weft_port *port_at(const weft_op *op, const weft_port *list, uint32_t i) {
  const weft_port *p = (const weft_port *)(const void *)((const char *)list + (size_t)i * op->port_bytes);
  return p->name ? p : NULL;
}

// An operator without combinations, as REG_OP makes them, has one for each type that all its ports take.
static weft_dtype_set common_types(const weft_op *op) {
  weft_dtype_set all = ~(weft_dtype_set)0;
  for (uint32_t i = 0; port_at(op, op->in, i); i++)
    all &= port_at(op, op->in, i)->dtypes;
  for (uint32_t i = 0; port_at(op, op->out, i); i++)
    all &= port_at(op, op->out, i)->dtypes;
  for (unsigned t = 0; t < 64; t++) {
    if (!kernel_type((uint8_t)t))
      all &= ~((weft_dtype_set)1 << t);
  }
  return port_at(op, op->out, 0) ? all : 0;
}
static uint32_t combinations(const weft_op *op) {
  return op->n_columns ? op->n_columns : (uint32_t)__builtin_popcountll(common_types(op));
}
static weft_column combination(const weft_op *op, const weft_port *p, uint32_t i) {
  if (op->n_columns)
    return p->columns[i];
  weft_dtype_set all = common_types(op);
  for (uint32_t k = 0; k < i; k++)
    all &= all - 1;
  return (weft_column){(weft_dtype)__builtin_ctzll(all), WEFT_ND};
}

static bool write_port(FILE *to, const weft_port *p, weft_column c) {
  char name[128];
  size_t n = 0;
  for (; p->name[n] && n + 1 < sizeof name; n++)
    name[n] = (char)toupper((unsigned char)p->name[n]);
  name[n] = 0;
  const char *type = kernel_type(c.dtype);
  if (type)
    fprintf(to, "#define DTYPE_%s %s\n", name, type);
  fprintf(to, "#define ORIG_DTYPE_%s %d\n#define FORMAT_%s %d\n", name, (int)c.dtype, name, (int)c.format);
  return type;
}

static void write_ports(FILE *to, const kernel_job *j, uint32_t column) {
  const weft_port *lists[2] = {j->op->in, j->op->out};
  for (int side = 0; side < 2; side++) {
    for (uint32_t i = 0; port_at(j->op, lists[side], i); i++) {
      const weft_port *p = port_at(j->op, lists[side], i);
      write_port(to, p, combination(j->op, p, column));
    }
  }
}
static void write_entry(FILE *to, const kernel_job *j, uint32_t column, const char *macro,
                        const char *start) {
  const weft_port *lists[2] = {j->op->in, j->op->out};
  fprintf(to, "%s(\"%s\", \"%s\", %s", macro, j->op->name, j->args->soc, start);
  for (int side = 0; side < 2; side++) {
    for (uint32_t i = 0; port_at(j->op, lists[side], i); i++)
      fprintf(to, ", %d", (int)combination(j->op, port_at(j->op, lists[side], i), column).dtype);
  }
  fputs(")\n", to);
}
static void take_ports(const kernel_job *j, const weft_port *list, uint32_t column, int *out) {
  for (uint32_t i = 0; i < TEMPLATE_PORTS; i++)
    out[i] = -1;
  for (uint32_t i = 0; i < TEMPLATE_PORTS && port_at(j->op, list, i); i++)
    out[i] = (int)combination(j->op, port_at(j->op, list, i), column).dtype;
}
// The arguments of a template are the tiling key: a switch over the keys that its header selects.
static bool write_switch(FILE *to, const kernel_job *j, uint32_t column, templates *t) {
  template_kernel k = {.name = j->snake, .type_name = kernel_type};
  take_ports(j, j->op->in, column, k.in);
  take_ports(j, j->op->out, column, k.out);
  fputs("static int weft_kernel_start(const weft_kernel_launch *l) {\n  switch (l->tiling_key) {\n", to);
  if (!templates_write(t, to, &k))
    return false;
  fputs(
      "    default:\n      weft_asc_fail({l->name, 0}, \"the tiling function chose key %llu, which no "
      "combination "
      "of ASCENDC_TPL_SEL has\", (unsigned long long)l->tiling_key);\n      return WEFT_ASC_INVALID;\n  "
      "}\n}\n",
      to);
  write_entry(to, j, column, "WEFT_ASC_KERNEL_ENTRY", "weft_kernel_start");
  return true;
}
// `t`: NULL while nobody knows whether the kernel is a template: the source up to the user's own.
static bool write_source(const kernel_job *j, uint32_t column, const char *path, templates *t) {
  FILE *to = fopen(path, "w");
  bool ok = true;
  if (!to)
    return false;
  fprintf(to, "// The kernel of %s for combination %u of its types. Written by weft op kernels.\n",
          j->op->name, column);
  if (j->records[0])
    fprintf(to,
            "#include <cstddef>\n#include <cstdint>\n#define WEFT_CANN_KERNEL_SIDE 1\n"
            "#include \"weft_cann/kernel_records.h\"\n#include \"%s\"\n",
            j->records);
  fputs("#include \"weft_cann/asc_package.h\"\n", to);
  if (j->records[0])
    fprintf(to, "WEFT_CANN_SEE_RECORDS\nusing WeftAscTilingDefault = WeftRecordOf%s;\n", j->op->name);
  write_words(to);
  write_ports(to, j, column);
  fprintf(to, "#line 1 \"%s\"\n#include \"%s\"\n", path, j->source);
  if (t && t->n_fields)
    ok = write_switch(to, j, column, t);
  else if (t)
    write_entry(to, j, column, "WEFT_ASC_KERNEL_FILE", j->snake);
  return !fclose(to) && ok;
}

// ---- compiling ----

static int spawned(const char *const *argv) {
  pid_t pid;
  int status = 0;
  const int failed = posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)(uintptr_t)argv, environ);
  if (failed) {
    fprintf(stderr, "weft: error: '%s' cannot be started: %s\n", argv[0], strerror(failed));
    return EXIT_FAILED;
  }
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? EXIT_OK : EXIT_FAILED;
}

// `last`: what the compiler is to do besides.
static int compile(const kernel_job *j, const char *source, const char *object, const char *const *last) {
  const char *argv[KERNEL_FLAGS + 20] = {
      j->args->compiler,     "-x", "asc",           "-std=c++17", "-O2", "-fPIC",
      "-fvisibility=hidden", "-I", j->args->folder, "-o",         object};
  size_t n = 11;
  for (size_t i = 0; i < j->args->n_flags; i++)
    argv[n++] = j->args->flags[i];
  for (; *last; last++)
    argv[n++] = *last;
  argv[n] = source;
  return spawned(argv);
}
// What ASCENDC_TPL_* say, in the source as the preprocessor leaves it.
static int read_templates(const kernel_job *j, uint32_t column, const char *source, templates *t,
                          char **text) {
  static const char *const preprocess[] = {"-E", "-P", "-DWEFT_ASC_TPL_TEXT=1", NULL};
  char words[KERNEL_PATH * 2];
  size_t bytes = 0;
  weft_diag d = {0};
  t->n_fields = 0;
  if (!file_has(j->source, "template"))
    return EXIT_OK;
  snprintf(words, sizeof words, "%s/%s.words", j->args->out, j->op->name);
  if (!write_source(j, column, source, NULL) || compile(j, source, words, preprocess) != EXIT_OK)
    return EXIT_FAILED;
  const weft_status s = read_file(words, text, &bytes, &d);
  (void)remove(words);
  if (s)
    return EXIT_FAILED;
  templates_read(t, *text, bytes);
  return EXIT_OK;
}

static int column_run(const kernel_job *j, uint32_t column) {
  static const char *const link[] = {"-shared", NULL};
  char source[KERNEL_PATH * 2], object[KERNEL_PATH * 2];
  char *text = NULL;
  templates *t = calloc(1, sizeof *t);
  snprintf(source, sizeof source, "%s/%s.%u.cpp", j->args->out, j->op->name, column);
  snprintf(object, sizeof object, "%s/%s.%u.so", j->args->out, j->op->name, column);
  int status = t ? read_templates(j, column, source, t, &text) : EXIT_FAILED;
  if (status == EXIT_OK && !write_source(j, column, source, t)) {
    fprintf(stderr, "weft: error: %s: '%s' cannot be written%s%s\n", j->op->name, source,
            *t->problem ? ": " : "", t->problem);
    status = EXIT_FAILED;
  } else if (status == EXIT_OK && compile(j, source, object, link) != EXIT_OK)
    status = EXIT_FAILED;
  if (status != EXIT_OK) {
    fprintf(stderr, "weft: error: the kernel of %s, '%s', does not compile for combination %u of its types\n",
            j->op->name, j->source, column);
  }
  free(text);
  free(t);
  return status;
}
static int job_run(const kernel_job *j) {
  const uint32_t n = combinations(j->op);
  for (uint32_t column = 0; column < n; column++) {
    if (column_run(j, column) != EXIT_OK)
      return EXIT_FAILED;
  }
  printf("%-28s %u combination%s of types\n", j->op->name, n, n == 1 ? "" : "s");
  return EXIT_OK;
}

static bool wanted(const kernels_args *a, const char *name) {
  bool named = !a->n_names;
  for (size_t i = 0; i < a->n_names; i++)
    named = named || !strcmp(a->names[i], name);
  return named;
}

// Operators of packages with a combination of types and a source. -1: one failed; otherwise how many.
static int kernels_run(weft_env *e, const kernels_args *a) {
  int n = 0;
  for (size_t i = 0; i < weft_proto_count(e, false); i++) {
    const weft_proto *p = weft_proto_at(e, i, false);
    kernel_job j = {.args = a, .op = weft_proto_op(p)};
    if (weft_proto_source(p) != WEFT_FROM_PACKAGE || !wanted(a, j.op->name) || !combinations(j.op))
      continue;
    kernel_snake(j.op->name, j.snake, sizeof j.snake);
    snprintf(j.source, sizeof j.source, "%s/%s.cpp", a->folder, j.snake);
    if (!file_there(j.source)) {
      snprintf(j.source, sizeof j.source, "%s/%s.asc", a->folder, j.snake);
      if (!file_there(j.source))
        continue;
    }
    kernel_records(&j);
    if (job_run(&j) != EXIT_OK)
      return -1;
    n++;
  }
  return n;
}

// weft-ascc beside this program.
static const char *compiler_beside(char *path, size_t room) {
  const ssize_t n = readlink("/proc/self/exe", path, room - 16);
  if (n > 0) {
    path[n] = 0;
    char *slash = strrchr(path, '/');
    snprintf(slash + 1, room - (size_t)(slash + 1 - path), "weft-ascc");
    if (!access(path, X_OK))
      return path;
  }
  return "weft-ascc";
}

static int take(int argc, char **argv, kernels_args *k) {
  args a = {argc, 1, argv, op_kernels_help};
  while (a.at < a.argc) {
    const char *flag = NULL;
    const char *word = NULL;
    if (arg_value(&a, "--out", &k->out) || arg_value(&a, "--soc", &k->soc) ||
        arg_value(&a, "--records", &k->records) || arg_value(&a, "--compiler", &k->compiler))
      continue;
    if (arg_value(&a, "--flag", &flag) && k->n_flags < KERNEL_FLAGS)
      k->flags[k->n_flags++] = flag;
    else if (!arg_positional(&a, &word) || k->n_names == KERNEL_NAMES)
      return unexpected(op_kernels_help, argv[a.at]);
    else if (!k->folder)
      k->folder = word;
    else
      k->names[k->n_names++] = word;
  }
  if (!k->folder || !k->out)
    return usage_error(op_kernels_help, "the folder of kernels and --out are needed");
  return EXIT_OK;
}

int op_kernels(int argc, char **argv) {
  char beside[KERNEL_PATH], folder[PATH_MAX];
  kernels_args k = {.soc = "ascend910b", .compiler = compiler_beside(beside, sizeof beside)};
  const int status = take(argc, argv, &k);
  if (status != EXIT_OK)
    return status;
  if (!realpath(k.folder, folder) || (mkdir(k.out, 0777) && errno != EEXIST)) {
    fprintf(stderr, "weft: error: '%s' is no folder, or '%s' cannot be made\n", k.folder, k.out);
    return EXIT_FAILED;
  }
  k.folder = folder;
  weft_env *e = open_env();
  if (!e)
    return EXIT_FAILED;
  const int n = kernels_run(e, &k);
  weft_env_destroy(e);
  if (n == 0)
    fprintf(
        stderr,
        "weft: error: no operator of a package has a kernel in '%s' (ASCEND_CUSTOM_OPP_PATH names packages; "
        "AddCustom's kernel is add_custom.cpp)\n",
        k.folder);
  return n > 0 ? EXIT_OK : EXIT_FAILED;
}
// SPDX-License-Identifier: Apache-2.0
