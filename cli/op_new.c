// op_new.c - `weft op new`: writes the project that weft_op_project makes.
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "op.h"

const char op_new_help[] =
    "weft op new [--cann] SPEC.json [-o DIR] [--name NAME]\n\n"
    "Makes the source project of an operator package from a description in msOpGen's JSON: op, input_desc, "
    "output_desc,\n"
    "attr; a list describes several operators. The project builds and passes its tests as it is; inference, "
    "tiling and\n"
    "kernel are stubs that say so.\n\n"
    "  --cann             in CANN's C++, laid out as msOpGen does it: OpDef, InferShape, a CPU function\n"
    "  -o, --output DIR   where; must be new or empty (default: the package's name)\n"
    "  --name NAME        of the package (default: the first operator's name in small letters)\n";

typedef struct new_project {
  const char *dir;  // "": the package's name
  char root[1024];
  const char *steps;  // of README.md, to be printed
  char *readme;
  size_t n_files;
  weft_diag *d;
} new_project;

static weft_status make_dir(const char *path, weft_diag *d) {
  struct stat st;
  if (!mkdir(path, 0777) || (errno == EEXIST && !stat(path, &st) && S_ISDIR(st.st_mode)))
    return WEFT_OK;
  return weft_fail(d, WEFT_E_IO, "cannot make directory '%s': %s", path, strerror(errno));
}

// The folders of `path` that come after its first `from` bytes.
static weft_status make_parents(char *path, size_t from, weft_diag *d) {
  for (char *at = path + from; (at = strchr(at, '/')); at++) {
    if (at == path)
      continue;
    *at = 0;
    weft_status s = make_dir(path, d);
    *at = '/';
    if (s)
      return s;
  }
  return WEFT_OK;
}

static weft_status check_new(const char *dir, weft_diag *d) {
  DIR *open = opendir(dir);
  if (!open && errno == ENOENT)
    return WEFT_OK;
  if (!open)
    return weft_fail(d, WEFT_E_IO, "cannot use '%s': %s", dir, strerror(errno));
  const struct dirent *f;
  while ((f = readdir(open))) {
    if (strcmp(f->d_name, ".") && strcmp(f->d_name, ".."))
      break;
  }
  weft_status s =
      f ? weft_fail(d, WEFT_E_EXISTS, "'%s' is not empty: it has '%s'; give another --output", dir, f->d_name)
        : WEFT_OK;
  closedir(open);
  return s;
}

// README.md comes first. Its title names the package, and its last part is what the tool prints.
static weft_status keep_readme(new_project *n, const char *text, size_t bytes) {
  n->readme = malloc(bytes + 1);
  if (!n->readme)
    return weft_fail(n->d, WEFT_E_NOMEM, "out of memory");
  memcpy(n->readme, text, bytes);
  n->readme[bytes] = 0;
  n->steps = strstr(n->readme, "## Next steps\n");
  if (*n->dir)
    return WEFT_OK;
  int name = (int)strcspn(n->readme + 2, ":");
  snprintf(n->root, sizeof n->root, "%.*s", name, n->readme + 2);
  return WEFT_OK;
}

static weft_status write_one(void *ctx, const char *path, const char *text, size_t bytes, bool executable) {
  new_project *n = ctx;
  char full[2048];
  if (!n->n_files++) {
    WEFT_TRY(keep_readme(n, text, bytes));
    WEFT_TRY(check_new(n->root, n->d));
  }
  size_t at = n->n_files == 1 ? 0 : strlen(n->root) + 1;
  int length = snprintf(full, sizeof full, "%s/%s", n->root, path);
  if (length < 0 || (size_t)length >= sizeof full)
    return weft_fail(n->d, WEFT_E_LIMIT, "path '%.100s...' is too long", full);
  WEFT_TRY(make_parents(full, at, n->d));
  FILE *f = fopen(full, "wbx");
  if (!f)
    return weft_fail(n->d, WEFT_E_IO, "cannot write '%s': %s", full, strerror(errno));
  bool ok = fwrite(text, 1, bytes, f) == bytes;
  ok = !fclose(f) && ok;
  if (ok && executable) {
    struct stat st;
    ok = !stat(full, &st) && !chmod(full, (st.st_mode & 0777) | ((st.st_mode & 0444) >> 2));
  }
  if (!ok) {
    int error = errno;
    remove(full);
    return weft_fail(n->d, WEFT_E_IO, "cannot write '%s': %s", full, strerror(error));
  }
  printf("%s\n", full);
  return WEFT_OK;
}

int op_new(int argc, char **argv) {
  args a = {argc, 1, argv, op_new_help};
  const char *spec = NULL;
  weft_diag d = {0};
  new_project n = {.dir = "", .d = &d};
  weft_project_options o = {.size = sizeof o};
  while (a.at < a.argc) {
    if (arg_flag(&a, "--cann")) {
      o.cann = true;
      continue;
    }
    if (arg_value(&a, "-o", &n.dir) || arg_value(&a, "--output", &n.dir) || arg_value(&a, "--name", &o.name))
      continue;
    if (spec || !arg_positional(&a, &spec))
      return unexpected(op_new_help, argv[a.at]);
  }
  if (!spec)
    return usage_error(op_new_help, "no description given");
  if (strlen(n.dir) >= sizeof n.root)
    return usage_error(op_new_help, "--output is longer than %zu bytes", sizeof n.root - 1);
  snprintf(n.root, sizeof n.root, "%s", n.dir);
  weft_env *e = open_env();
  if (!e)
    return EXIT_FAILED;
  char *json;
  size_t bytes;
  weft_status s = read_file(spec, &json, &bytes, &d);
  if (!s) {
    s = weft_op_project(e, json, bytes, spec, &o, write_one, &n, &d);
    free(json);
  } else if (s == WEFT_E_NOT_FOUND) {
    weft_note(&d,
              "expected a file that describes the operator in JSON, not its name (docs/add-an-operator.md)");
  }
  if (!s && n.steps)
    printf("\n%s", n.steps);
  free(n.readme);
  weft_env_destroy(e);
  return s ? fail_with(&d) : EXIT_OK;
}
// SPDX-License-Identifier: Apache-2.0
