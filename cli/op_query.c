// op_query.c - `weft op list`, `weft op show` and `weft op doctor`.
#include <strings.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "op.h"

const char op_list_help[] =
    "weft op list [--all] [--packages] [TEXT]\n"
    "weft op list --missing MODEL\n\n"
    "Operators with inference and kernels, one a line; TEXT keeps those whose name contains it, in any "
    "case.\n\n"
    "  --all        also AscendIR's operators of which weft knows only the prototype\n"
    "  --packages   only those from packages\n"
    "  --missing M  instead: the operators of model M that weft does not infer or run, the most frequent "
    "first\n";

// Where an operator comes from: of a package its name.
static void source_text(const weft_env *e, const weft_proto *p, char *out, size_t cap) {
  static const char *const names[] = {"catalogue", "built-in", "package", "program"};
  const char *name = "";
  for (size_t i = 0; weft_proto_source(p) == WEFT_FROM_PACKAGE && i < weft_package_count(e); i++) {
    if (!strcmp(weft_package_at(e, i).path, weft_proto_origin(p)))
      name = weft_package_at(e, i).name;
  }
  snprintf(out, cap, "%s%s%s", names[weft_proto_source(p)], *name ? " " : "", name);
}

static bool contains(const char *name, const char *text) {
  size_t n = strlen(text);
  for (; *name; name++) {
    if (!strncasecmp(name, text, n))
      return true;
  }
  return !n;
}

int op_list(int argc, char **argv) {
  args a = {argc, 1, argv, op_list_help};
  const char *text = NULL;
  const char *missing = NULL;
  bool all = false;
  bool packages = false;
  while (a.at < a.argc) {
    if (arg_flag(&a, "--all"))
      all = true;
    else if (arg_flag(&a, "--packages"))
      packages = true;
    else if (arg_value(&a, "--missing", &missing))
      continue;
    else if (text || !arg_positional(&a, &text))
      return unexpected(op_list_help, argv[a.at]);
  }
  if (missing && (text || all || packages))
    return usage_error(op_list_help, "--missing goes with a model alone");
  if (missing)
    return op_missing(missing);
  weft_env *e = open_env();
  if (!e)
    return EXIT_FAILED;
  size_t n = 0;
  size_t count = weft_proto_count(e, all);
  for (size_t i = 0; i < count; i++) {
    const weft_proto *p = weft_proto_at(e, i, all);
    const weft_op *op = weft_proto_op(p);
    if ((text && !contains(op->name, text)) || (packages && weft_proto_source(p) != WEFT_FROM_PACKAGE))
      continue;
    n++;
    char source[80];
    source_text(e, p, source, sizeof source);
    printf("%-28s %-9s %-6s %s\n", op->name, source,
           op->ref || op->execute ? "kernel"
           : op->infer            ? "infer"
                                  : "-",
           op->summary ? op->summary : "");
  }
  printf("%zu operator%s\n", n, n == 1 ? "" : "s");
  weft_env_destroy(e);
  return EXIT_OK;
}

const char op_show_help[] =
    "weft op show NAME\n\n"
    "Inputs, outputs, dtypes, formats, attributes with defaults, where the operator comes from, its kernels, "
    "and what it\n"
    "lacks. Which kernel a node gets is decided by its shapes and dtypes: `weft run MODEL --profile`.\n";

// A kernel has one line for each device that it is for.
static void show_kernels(const weft_env *e, const weft_proto *p) {
  const char *op = weft_proto_op(p)->name;
  const weft_kernel *k;
  for (size_t i = 0; (k = weft_kernel_at(e, op, NULL, i)) != NULL; i++)
    printf("  kernel      %-18s %-9s %s\n", k->name, k->device, weft_kernel_origin(e, k));
  if (!weft_kernel_at(e, op, NULL, 0) && weft_proto_op(p)->ref) {
    printf("  kernel      none, so that the reference runs every use%s\n",
           weft_proto_source(p) == WEFT_FROM_PACKAGE
               ? ": its package's own function, which may launch a kernel in Ascend C"
               : "");
  }
}

static void show_port(const weft_proto *p, const char *what, uint32_t i, const weft_port *port) {
  static const char *const kinds[] = {"", "optional", "dynamic"};
  char set[512];
  char format[48];
  weft_dtype_set s = weft_proto_dtypes(p, port);
  printf("  %-7s %2u  %-18s %-9s", what, i, port->name, kinds[port->kind]);
  if (port->type)
    printf(" %s:", port->type);
  if (port->columns) {
    for (uint32_t k = 0; k < weft_proto_op(p)->n_columns; k++) {
      printf(" %s/%s", weft_dtype_name(port->columns[k].dtype),
             weft_format_text(port->columns[k].format, format, sizeof format));
    }
  } else {
    printf(" %s", s == WEFT_ANY ? "any" : weft_dtype_set_text(s, set, sizeof set));
  }
  if (port->value)
    printf("  (value used by %s)", port->value & WEFT_VALUE_INFER ? "inference" : "tiling");
  if (port->ref) {
    printf("  (the buffer of input '%s')",
           weft_proto_in(p, port->ref - 1u) ? weft_proto_in(p, port->ref - 1u)->name : "?");
  }
  if (port->follow)
    printf("  (follows '%s')", port->follow);
  printf("\n");
}

static bool op_follows(const weft_proto *p) {
  bool all = weft_proto_n_out(p) > 0;
  for (uint32_t i = 0; i < weft_proto_n_out(p); i++)
    all &= weft_proto_out(p, i)->follow != NULL;
  return all;
}

static void show(const weft_env *e, const weft_proto *p) {
  const weft_op *op = weft_proto_op(p);
  printf("%s%s%s\n", op->name, op->summary ? ": " : "", op->summary ? op->summary : "");
  printf("  from     %s\n", weft_proto_origin(p));
  for (uint32_t i = 0; i < weft_proto_n_in(p); i++)
    show_port(p, "input", i, weft_proto_in(p, i));
  for (uint32_t i = 0; i < weft_proto_n_out(p); i++)
    show_port(p, "output", i, weft_proto_out(p, i));
  for (uint32_t i = 0; i < weft_proto_n_attr(p); i++) {
    const weft_attr_decl *d = weft_proto_attr(p, i);
    const weft_attr *v = weft_proto_default(p, i);
    printf("  attr    %2u  %-18s %s", i, d->name, d->type);
    if (v) {
      printf(" = ");
      if (weft_attr_print(v, to_stdout, NULL))
        return;
    } else {
      printf("  required");
    }
    if (d->check)
      printf("  (%s)", d->check);
    if (d->ext)
      printf("  (weft's own)");
    printf("\n");
  }
  for (const char *const *g = op->graphs; g && *g; g++)
    printf("  graph       %s%s\n", **g == '*' ? *g + 1 : *g, **g == '*' ? "  dynamic" : "");
  printf("  infers   %s\n", op->infer ? "shape and dtype"
                            : weft_proto_source(p) == WEFT_FROM_CATALOGUE
                                ? "no inference function: only the prototype is known"
                            : op_follows(p) ? "by the ports that its outputs follow"
                                            : "no inference function");
  printf("  runs     %s\n", op->execute ? "execute function (decides its own output shape)"
                            : op->ref   ? "reference kernel, or a faster one that takes the use"
                                        : "no kernel");
  show_kernels(e, p);
  if (*weft_proto_missing(p))
    printf("  missing  %s\n", weft_proto_missing(p));
  if (*weft_proto_warnings(p))
    printf("  note     %s\n", weft_proto_warnings(p));
}

int op_show(int argc, char **argv) {
  args a = {argc, 1, argv, op_show_help};
  const char *name;
  if (!arg_positional(&a, &name) || a.at < argc)
    return usage_error(op_show_help, "expected one operator name");
  weft_env *e = open_env();
  if (!e)
    return EXIT_FAILED;
  weft_diag d = {0};
  const weft_proto *p;
  weft_status s = weft_get(e, name, &p, &d);
  if (!s)
    show(e, p);
  weft_env_destroy(e);
  return s ? fail_with(&d) : EXIT_OK;
}

const char op_doctor_help[] =
    "weft op doctor [FOLDER...]\n\n"
    "Checks what building and loading operator packages needs: home path, package roots, packages, device "
    "and\ncompiler. Lists weft's own plug-ins, too: for pictures, regular expressions, deflated data. None\n"
    "of them has to be there.\n"
    "With FOLDERs: reads the C++ sources of a CANN project below them, those of its headers that lie "
    "elsewhere\nincluded, and names headers and macros that weft does not have, with what to do.\n"
    "Exit status 1 when a check fails.\n";

static bool op_query_check(bool ok, const char *what, const char *text) {
  printf("%-4s  %-10s %s\n", ok ? "ok" : "FAIL", what, text);
  return ok;
}

static bool is_dir(const char *path, size_t n) {
  char copy[4096];
  struct stat st;
  if (n >= sizeof copy)
    return false;
  memcpy(copy, path, n);
  copy[n] = 0;
  return !stat(copy, &st) && S_ISDIR(st.st_mode);
}

static bool check_roots(const char *variable) {
  const char *roots = getenv(variable);
  char line[4400];
  bool ok = true;
  if (!roots) {
    snprintf(line, sizeof line, "%s is not set", variable);
    return op_query_check(true, "opp path", line);
  }
  for (const char *at = roots; *at;) {
    size_t n = strcspn(at, ":");
    if (n) {
      bool found = is_dir(at, n);
      snprintf(line, sizeof line, "%s: %.*s%s", variable, (int)(n > 4000 ? 4000 : n), at,
               found ? "" : " is not a directory");
      ok &= op_query_check(found, "opp path", line);
    }
    at += n + (at[n] == ':');
  }
  return ok;
}

// One that is not there is no fault, one that is refused or does not fit is.
static bool check_plugin(weft_env *e, size_t i) {
  weft_diag d = {0};
  const char *library;
  char line[4400];
  weft_status s = weft_plugin_load(e, i, &library, &d);
  if (!s)
    snprintf(line, sizeof line, "%s: %s, by %s", weft_plugin_name(i), weft_plugin_use(i), library);
  return op_query_check(!s || s == WEFT_E_UNSUPPORTED, "plug-in", s ? d.text : line);
}

// Packages describe operators when somebody wants them: here all of them are wanted.
static bool check_operators(weft_env *e) {
  bool ok = true;
  char line[4400];
  for (size_t i = 0; i < weft_proto_count(e, false); i++) {
    const weft_proto *p = weft_proto_at(e, i, false);
    if (!p || weft_proto_source(p) != WEFT_FROM_PACKAGE)
      continue;
    const weft_op *op = weft_proto_op(p);
    const bool described = weft_find(e, op->name) != NULL;
    snprintf(line, sizeof line, "%s: %s", op->name,
             !described    ? weft_proto_missing(p)
             : op->warning ? op->warning
                           : "");
    if (!described)
      ok &= op_query_check(false, "operator", line);
    else if (op->warning)
      printf("warn  %-10s %s\n", "operator", line);
  }
  return ok;
}

static bool compiler_runs(void) {
  return system("cc --version > /dev/null 2>&1") == 0;
}

int op_doctor(int argc, char **argv) {
  args a = {argc, 1, argv, op_doctor_help};
  char **folders = argv + 1;
  size_t n = 0;
  while (a.at < a.argc) {
    const char *folder;
    if (!arg_positional(&a, &folder))
      return unexpected(op_doctor_help, argv[a.at]);
    folders[n++] = argv[a.at - 1];
  }
  if (n)
    return op_sources(folders, n);
  char line[4400];
  struct utsname u;
  const char *home = getenv("WEFT_HOME_PATH") ? getenv("WEFT_HOME_PATH") : getenv("ASCEND_HOME_PATH");
  snprintf(line, sizeof line, "%s",
           home && *home ? home : "no WEFT_HOME_PATH or ASCEND_HOME_PATH: not needed by weft itself");
  bool ok = op_query_check(!home || !*home || is_dir(home, strlen(home)), "home path", line);
  ok &= check_roots("WEFT_OPP_PATH");
  ok &= check_roots("ASCEND_CUSTOM_OPP_PATH");
  weft_env *e = open_env();
  if (!e)
    return EXIT_FAILED;
  for (size_t i = 0; i < weft_package_count(e); i++) {
    weft_package_info k = weft_package_at(e, i);
    if (k.problem)
      snprintf(line, sizeof line, "%s", k.problem);
    else
      snprintf(line, sizeof line, "%s: %s %s, %u operator%s", k.path, k.name, k.version, k.n_ops,
               k.n_ops == 1 ? "" : "s");
    ok &= op_query_check(!k.problem, "package", line);
  }
  if (!weft_package_count(e))
    op_query_check(true, "package", "none found");
  ok &= check_operators(e);
  for (size_t i = 0; i < weft_plugin_count(); i++)
    ok &= check_plugin(e, i);
  weft_env_destroy(e);
  if (uname(&u))
    snprintf(u.machine, sizeof u.machine, "unknown");
  snprintf(line, sizeof line, "cpu (packages are looked for in op_graph/lib/linux/%s)", u.machine);
  op_query_check(true, "device", line);
  ok &= op_query_check(compiler_runs(), "compiler", "cc");
  return ok ? EXIT_OK : EXIT_FAILED;
}
// SPDX-License-Identifier: Apache-2.0
