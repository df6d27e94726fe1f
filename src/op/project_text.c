// project_text.c - what the files of a project are written with: templates, C names and literals, the list of
// files.
#include "op/project.h"

typedef struct token {
  const char *name, *text;
} token;

void project_put(const project *p, const project_op *op, weft_text *t, const char *text) {
  const token tokens[] = {{"@project@", p->name},
                          {"@version@", p->version},
                          {"@op@", op ? op->type : NULL},
                          {"@snake@", op ? op->snake : NULL},
                          {"@UPPER@", op ? op->upper : NULL}};
  for (const char *at = text; *at;) {
    const char *mark = strchr(at, '@');
    size_t n = mark ? (size_t)(mark - at) : strlen(at);
    size_t k = 0;
    weft__text_add(t, at, n);
    at += n;
    if (!mark)
      break;
    while (k < WEFT_COUNT(tokens) && (!tokens[k].text || strncmp(at, tokens[k].name, strlen(tokens[k].name))))
      k++;
    if (k < WEFT_COUNT(tokens)) {
      weft__text_add(t, tokens[k].text, strlen(tokens[k].text));
      at += strlen(tokens[k].name);
    } else {
      weft__text_add(t, at++, 1);
    }
  }
}

// '?' is escaped, too: there are no trigraphs then. Octal escapes have three digits, so what follows cannot
// join them.
void project_put_c_string(weft_text *t, const char *text) {
  weft__text_add(t, "\"", 1);
  for (const char *c = text; *c; c++) {
    if (*c == '"' || *c == '\\' || *c == '?')
      weft__text_add(t, "\\", 1);
    if ((unsigned char)*c < 0x20 || *c == 0x7F)
      weft__text_addf(t, "\\%03o", (unsigned)(unsigned char)*c);
    else
      weft__text_add(t, c, 1);
  }
  weft__text_add(t, "\"", 1);
}

const char *project_dtype_c(weft_dtype t) {
  switch (t) {
#define WEFT_X(name, number, bits, serial, text) \
  case WEFT_##name:                              \
    return "WEFT_" #name;
    WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
    default:
      return "WEFT_UNDEFINED";
  }
}

const char *project_format_c(weft_format f, char *buf, size_t cap) {
  static const char *const names[] = {
#define WEFT_X(name, number, serial) [number] = "WEFT_" #name,
      WEFT_FORMAT_LIST(WEFT_X)
#undef WEFT_X
  };
  size_t at = 0;
  weft__append(buf, cap, &at, "%s", f < WEFT_COUNT(names) && names[f] ? names[f] : "");
  if (!at)
    weft__append(buf, cap, &at, "0x%Xu", (unsigned)f);  // with a sub-format or C0
  return buf;
}

const char *project_sample(weft_attr_type t) {
  static const struct {
    weft_attr_type type;
    const char *text;
  } samples[] = {{WEFT_VT_BOOL, "false"},        {WEFT_VT_STRING, "\"\""},
                 {WEFT_VT_TYPE, "f32"},          {WEFT_VT_TENSOR, "f32[1]{0}"},
                 {WEFT_VT_LIST_INT, "[0]"},      {WEFT_VT_LIST_FLOAT, "[0]"},
                 {WEFT_VT_LIST_BOOL, "[false]"}, {WEFT_VT_LIST_STRING, "[\"\"]"},
                 {WEFT_VT_LIST_TYPE, "[f32]"},   {WEFT_VT_LIST_LIST_INT, "[[0]]"}};
  for (size_t i = 0; i < WEFT_COUNT(samples); i++) {
    if (samples[i].type == t)
      return samples[i].text;
  }
  return "0";
}

// The dtype function runs first.
const char *project_stub(const project_op *op) {
  return op->dtype_open ? "InferDataType not implemented" : "InferShape not implemented";
}

weft_status project_add(project *p, weft_text *t, bool executable, const char *fmt, ...) {
  char path[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(path, sizeof path, fmt, ap);
  va_end(ap);
  for (size_t i = 0; i < p->files.n; i++) {
    if (!strcmp(p->files.v[i].path, path)) {
      weft__text_deinit(t);
      return weft_fail(p->d, WEFT_E_DUPLICATE,
                       "%s: two operators would have the file '%s': rename one of them", p->file_name, path);
    }
  }
  bool failed = t->failed || !WEFT_VEC_ROOM(&p->arena.alloc, p->files);
  project_file f = {.bytes = t->n, .executable = executable};
  if (!failed) {
    f.path = weft__arena_strdup(&p->arena, path, strlen(path));
    f.text = weft__arena_strdup(&p->arena, t->n ? t->v : "", t->n);
    failed = !f.path || !f.text;
  }
  if (!failed)
    p->files.v[p->files.n++] = f;
  weft_allocator alloc = t->alloc;
  weft__text_deinit(t);
  weft__text_init(t, &alloc);
  return failed ? project_no_memory(p) : WEFT_OK;
}

weft_status project_add_text(project *p, const char *path, const char *text) {
  weft_text t;
  weft__text_init(&t, &p->arena.alloc);
  project_put(p, NULL, &t, text);
  return project_add(p, &t, false, "%s", path);
}

weft_status project_add_cmake(project *p, const char *head, const char *body) {
  weft_text t;
  weft__text_init(&t, &p->arena.alloc);
  project_put(p, NULL, &t, head);
  for (size_t i = 0; i < p->n_ops; i++)
    project_put(p, &p->ops[i], &t, " @snake@");
  project_put(p, NULL, &t, body);
  return project_add(p, &t, false, "CMakeLists.txt");
}

static const char SCRIPT_HEAD[] =
    "#!/bin/sh\n"
    "# Configures, builds, tests and installs package @project@ into output/. Works from any directory.\n"
    "#   CMAKE_PREFIX_PATH or weft_DIR  where weft is installed, when CMake does not find it by itself\n"
    "#   BUILD, OUTPUT                  other folders\n"
    "set -eu\n"
    "here=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd)\n";
static const char SCRIPT_STEPS[] =
    "output=${OUTPUT:-$here/output}\n"
    "if ! cmake -S \"$here\" -B \"$build\" -DCMAKE_INSTALL_PREFIX=\"$output\"; then\n";
static const char SCRIPT_TAIL[] =
    "  exit 1\n"
    "fi\n"
    "cmake --build \"$build\"\n"
    "if ! (cd \"$build\" && ctest --output-on-failure); then\n"
    "  echo \"$(basename \"$0\"): a test failed, so nothing was installed; what tests/ expects may have to "
    "follow "
    "the sources\" >&2\n"
    "  exit 1\n"
    "fi\n"
    "cmake --install \"$build\"\n"
    "echo \"installed; to use it: export "
    "ASCEND_CUSTOM_OPP_PATH=\\\"$output:\\$ASCEND_CUSTOM_OPP_PATH\\\"\"\n";

weft_status project_add_script(project *p, const char *name, const char *folder) {
  weft_text t;
  weft__text_init(&t, &p->arena.alloc);
  project_put(p, NULL, &t, SCRIPT_HEAD);
  weft__text_addf(&t, "build=${BUILD:-$here/%s}\n", folder);
  project_put(p, NULL, &t, SCRIPT_STEPS);
  weft__text_addf(
      &t,
      "  echo \"%s: weft was not found or the compiler is missing; set CMAKE_PREFIX_PATH to weft's "
      "prefix\" >&2\n",
      name);
  project_put(p, NULL, &t, SCRIPT_TAIL);
  return project_add(p, &t, true, "%s", name);
}

const char PROJECT_STEPS[] =
    "\n"
    "It builds and passes its tests as it is: every function that is not written yet fails with a message "
    "that says so.\n"
    "\n"
    "## Next steps\n"
    "\n";
// SPDX-License-Identifier: Apache-2.0
