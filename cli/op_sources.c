// op_sources.c - `weft op doctor FOLDER`: why the sources of a CANN project do not build. Reads lines as grep
// does: an #include that is no name of weft's headers, no file of the folder and no header of the system's is
// missing; so is a macro of CANN's families that begins a line and that neither weft nor the folder defines.
#include <ctype.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cann_names.h"
#include "op.h"

enum { SOURCES_MAX_FILES = 20000, SOURCES_MAX_DEPTH = 32, SOURCES_MAX_PATH = 4096, SOURCES_MAX_NAME = 256 };

typedef struct names {
  char **v;
  size_t n, cap;
} names;

typedef struct sources {
  names files, macros, told;
  size_t n_missing;
  bool failed;  // no memory
} sources;

static void names_add(sources *s, names *list, const char *text, size_t bytes) {
  if (list->n == list->cap) {
    size_t cap = list->cap ? 2 * list->cap : 64;
    char **v = realloc(list->v, cap * sizeof *v);
    s->failed |= !v;
    if (!v)
      return;
    list->v = v;
    list->cap = cap;
  }
  char *copy = malloc(bytes + 1);
  s->failed |= !copy;
  if (!copy)
    return;
  memcpy(copy, text, bytes);
  copy[bytes] = 0;
  list->v[list->n++] = copy;
}

static bool names_have(const names *list, const char *text) {
  for (size_t i = 0; i < list->n; i++) {
    if (!strcmp(list->v[i], text))
      return true;
  }
  return false;
}

static void names_free(names *list) {
  for (size_t i = 0; i < list->n; i++)
    free(list->v[i]);
  free(list->v);
}

static bool listed(const char *const *list, const char *text) {
  for (; *list; list++) {
    if (!strcmp(*list, text))
      return true;
  }
  return false;
}

// ---- the folder ----

static bool is_source(const char *name) {
  static const char *const endings[] = {".h", ".hpp", ".cpp", ".cc", ".cxx", ".inc"};
  const char *dot = strrchr(name, '.');
  for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++) {
    if (!strcmp(dot, endings[i]))
      return true;
  }
  return false;
}

static void collect(sources *s, const char *folder, int depth) {
  DIR *dir = depth < SOURCES_MAX_DEPTH ? opendir(folder) : NULL;
  const struct dirent *entry;
  while (dir && (entry = readdir(dir)) && s->files.n < SOURCES_MAX_FILES) {
    char path[SOURCES_MAX_PATH];
    struct stat st;
    int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (*entry->d_name == '.' || n < 0 || (size_t)n >= sizeof path || lstat(path, &st))
      continue;
    if (S_ISDIR(st.st_mode))
      collect(s, path, depth + 1);
    else if (S_ISREG(st.st_mode) && is_source(entry->d_name))
      names_add(s, &s->files, path, (size_t)n);
  }
  if (dir)
    closedir(dir);
}

// Is `name` the end of a path of the folder, as #include "a/b.h" means with some include path?
static bool in_folder(const sources *s, const char *name) {
  while (!strncmp(name, "../", 3) || !strncmp(name, "./", 2))
    name = strchr(name, '/') + 1;
  size_t bytes = strlen(name);
  for (size_t i = 0; i < s->files.n; i++) {
    size_t n = strlen(s->files.v[i]);
    if (n > bytes && s->files.v[i][n - bytes - 1] == '/' && !strcmp(s->files.v[i] + n - bytes, name))
      return true;
  }
  return false;
}

// ---- lines ----

static const char *after_blanks(const char *at) {
  return at + strspn(at, " \t");
}

// The word of a directive: "include" of "#  include <x>"; NULL for other lines.
static const char *after_directive(const char *line, const char *word) {
  const char *at = after_blanks(line);
  if (*at != '#')
    return NULL;
  at = after_blanks(at + 1);
  size_t n = strlen(word);
  return strncmp(at, word, n) || isalnum((unsigned char)at[n]) ? NULL : after_blanks(at + n);
}

static size_t word_bytes(const char *at) {
  size_t n = 0;
  while (isalnum((unsigned char)at[n]) || at[n] == '_')
    n++;
  return n;
}

static void tell(sources *s, const char *path, size_t line, const char *what, const char *name,
                 const char *todo) {
  s->n_missing++;
  if (names_have(&s->told, name))
    return;
  names_add(s, &s->told, name, strlen(name));
  printf("FAIL  %-8s %s (%s:%zu): %s\n", what, name, path, line, todo);
}

// <vector> and <sys/stat.h> are the system's; <graph/x.h> is looked for like "graph/x.h".
static bool of_the_system(const char *name) {
  const char *slash = strchr(name, '/');
  size_t n = slash ? (size_t)(slash - name) + 1 : 0;
  for (const char *const *known = cann_spellings; n && *known; known++) {
    if (!strncmp(*known, name, n))
      return false;
  }
  return true;
}

static const char *header_todo(const char *name) {
  if (!strncmp(name, "gtest/", 6))
    return "needs googletest, or weft_cann/test.h, which has TEST and CHECK_EQ";
  if (!strncmp(name, "acl/", 4) || !strncmp(name, "aclnn", 5))
    return "weft's AscendCL (libweft_acl) does not have this part: leave this file out of the build";
  return "no header of weft's and no file of the folder: leave it out where nothing of it is used, "
         "or put it into the project";
}

static void check_include(sources *s, const char *path, size_t line, const char *at) {
  char name[SOURCES_MAX_NAME];
  const char close = *at == '<' ? '>' : '"';
  const char *end = *at == '<' || *at == '"' ? strchr(at + 1, close) : NULL;
  if (!end || (size_t)(end - at) > sizeof name)
    return;
  snprintf(name, sizeof name, "%.*s", (int)(end - at - 1), at + 1);
  bool there = *name == '/' && !access(name, R_OK);
  bool known = there || listed(cann_spellings, name) || in_folder(s, name) || !strncmp(name, "weft", 4) ||
               !strncmp(name, "aclnnop/", 8);
  if (known || (close == '>' && of_the_system(name)))
    return;
  tell(s, path, line, "header", name, header_todo(name));
}

static void check_macro(sources *s, const char *path, size_t line, const char *text) {
  static const char *const families[] = {"OP_",      "IMPL_OP",        "REG_",    "REGISTER_",
                                         "ASCENDC_", "TILING_",        "BEGIN_",  "INFER_",
                                         "IMPLEMT_", "DECLARE_ERRMSG", "ADD_TO_", "GE_"};
  char name[SOURCES_MAX_NAME];
  const char *at = after_blanks(text);
  size_t n = word_bytes(at);
  if (!n || n >= sizeof name || *after_blanks(at + n) != '(')
    return;
  snprintf(name, sizeof name, "%.*s", (int)n, at);
  bool capitals = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == n;
  bool family = false;
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    family |= !strncmp(name, families[i], strlen(families[i]));
  if (!capitals || !family || listed(cann_macros, name) || names_have(&s->macros, name))
    return;
  tell(s, path, line, "macro", name,
       "weft has no macro of this name: define it in the project, or use what it stands for");
}

typedef void (*line_fn)(sources *s, const char *path, size_t line, const char *text);

static void find_define(sources *s, const char *path, size_t line, const char *text) {
  (void)path;
  (void)line;
  const char *name = after_directive(text, "define");
  if (name)
    names_add(s, &s->macros, name, word_bytes(name));
}

static void check_line(sources *s, const char *path, size_t line, const char *text) {
  const char *included = after_directive(text, "include");
  if (included)
    check_include(s, path, line, included);
  else
    check_macro(s, path, line, text);
}

// A file that cannot be read is no cause: the compiler says so itself.
static void each_line(sources *s, const char *path, line_fn each) {
  weft_diag d = {0};
  char *text;
  size_t bytes;
  if (read_file(path, &text, &bytes, &d))
    return;
  size_t line = 0;
  for (size_t from = 0; from < bytes;) {
    const char *end = memchr(text + from, '\n', bytes - from);
    size_t to = end ? (size_t)(end - text) : bytes;
    char copy[1024];
    snprintf(copy, sizeof copy, "%.*s", (int)(to - from < 1000 ? to - from : 1000), text + from);
    each(s, path, ++line, copy);
    from = to + 1;
  }
  free(text);
}

static bool collect_all(sources *s, char *const *folders, size_t n) {
  for (size_t i = 0; i < n; i++) {
    struct stat st;
    if (stat(folders[i], &st) || !S_ISDIR(st.st_mode)) {
      fprintf(stderr, "weft op doctor: '%s' is no folder\n", folders[i]);
      return false;
    }
    collect(s, folders[i], 0);
  }
  return true;
}

int op_sources(char *const *folders, size_t n) {
  sources s = {0};
  if (!collect_all(&s, folders, n)) {
    names_free(&s.files);
    return EXIT_FAILED;
  }
  for (size_t i = 0; i < s.files.n; i++)
    each_line(&s, s.files.v[i], find_define);
  for (size_t i = 0; i < s.files.n; i++)
    each_line(&s, s.files.v[i], check_line);
  size_t n_files = s.files.n, n_missing = s.n_missing, n_told = s.told.n;
  bool failed = s.failed || !n_files;
  if (s.failed)
    fprintf(stderr, "weft op doctor: out of memory\n");
  else if (!n_files)
    fprintf(stderr, "weft op doctor: '%s' has no C++ sources\n", folders[0]);
  else
    printf("%zu files read: %zu names are missing, in %zu places\n", n_files, n_told, n_missing);
  names_free(&s.files);
  names_free(&s.macros);
  names_free(&s.told);
  return failed || n_missing ? EXIT_FAILED : EXIT_OK;
}
// SPDX-License-Identifier: Apache-2.0
