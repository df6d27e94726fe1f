// compile.c - the steps of a source in Ascend C.
#include "compile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"
#include "translate.h"

enum { TEXT_MOST = 1 << 30 };

// ---- weft's own files ----

static const char home_header[] = "include/weft-cann/weft_cann/asc_entry.h";

// The folder that `file` lies in, or one or two above, has weft's headers; 0: none has. Its length.
static size_t home_prefix(const char *file) {
  ascc_text path = {0};
  size_t n = strlen(file);
  size_t found = 0;
  for (int up = 0; up < 4 && n && !found; up++) {
    while (n && file[n - 1] != '/')
      n--;
    path.bytes = 0;
    ascc_text_add(&path, file, n);
    ascc_text_add(&path, home_header, sizeof home_header - 1);
    if (!access(ascc_text_string(&path), R_OK))
      found = n;
    while (n && file[n - 1] == '/')
      n--;
  }
  ascc_text_free(&path);
  return found;
}
static void home_add(ascc_home *home, const char *folder, size_t n, const char *in) {
  ascc_list_add(&home->includes, "-idirafter");
  ascc_list_say(&home->includes, "%.*s%s", (int)n, folder, in);
}
static void home_libraries(ascc_home *home, const char *folder, size_t n, const char *in) {
  ascc_list_say(&home->libraries, "-L%.*s%s", (int)n, folder, in);
  ascc_list_say(&home->libraries, "-Wl,-rpath,%.*s%s", (int)n, folder, in);
  ascc_list_add(&home->libraries, "-lweft_acl");
  ascc_list_add(&home->libraries, "-lweft_ascendc");
}
void ascc_home_find(ascc_home *home, const char *file) {
  const size_t n = home_prefix(file);
  *home = (ascc_home){0};
  if (n) {
    home_add(home, file, n, "include/weft-cann");
    home_add(home, file, n, "include");
    home_libraries(home, file, n, ASCC_LIBRARY_FOLDER);
    return;
  }
  home_add(home, ASCC_BINARY_TREE, strlen(ASCC_BINARY_TREE), "/generated/cann");
  home_add(home, ASCC_SOURCE_TREE, strlen(ASCC_SOURCE_TREE), "/cann/include");
  home_add(home, ASCC_SOURCE_TREE, strlen(ASCC_SOURCE_TREE), "/include");
  home_libraries(home, ASCC_BINARY_TREE, strlen(ASCC_BINARY_TREE), "");
}
void ascc_home_free(ascc_home *home) {
  ascc_list_free(&home->includes);
  ascc_list_free(&home->libraries);
}

const char *ascc_host(const ascc_options *o) {
  const char *named = getenv("WEFT_ASC_CXX");
  if (o->host)
    return o->host;
  return named && *named ? named : "c++";
}

int ascc_status(int status, const char *program, uint32_t seconds, ascc_text *error) {
  if (status >= 0)
    return status;
  if (status == ASCC_NOT_STARTED)
    ascc_text_say(error,
                  "weft-ascc: error: the host's compiler '%s' cannot be started: install it, or name another "
                  "in WEFT_ASC_CXX\n",
                  program);
  else if (status == ASCC_TOO_SLOW)
    ascc_text_say(error, "weft-ascc: error: '%s' was stopped after %u seconds\n", program, seconds);
  else if (status == ASCC_TOO_MUCH)
    ascc_text_say(error, "weft-ascc: error: '%s' gave more text than %d bytes\n", program, TEXT_MOST);
  else
    ascc_text_say(error, "weft-ascc: error: '%s' was ended by a signal\n", program);
  return 1;
}

// ---- the first step ----

static bool compile_standard(const ascc_list *both) {
  for (size_t i = 0; i < both->count; i++) {
    if (!strncmp(both->at[i], "-std=", 5) || !strncmp(both->at[i], "--std", 5))
      return true;
  }
  return false;
}
static void compile_common(const ascc_job *job, ascc_list *argv) {
  ascc_list_add(argv, ascc_host(job->options));
  if (!compile_standard(&job->options->both))
    ascc_list_add(argv, "-std=gnu++17");
  ascc_list_add(argv, "-fno-strict-aliasing");
  ascc_list_add_all(argv, &job->options->both);
}
static const char *compile_ending(ascc_mode mode) {
  return mode == ASCC_ASSEMBLE ? ".s" : ".o";
}
// The source's name without its folder, with another ending.
static void compile_named(ascc_list *to, const char *before, const char *source, const char *ending) {
  const char *slash = strrchr(source, '/');
  const char *base = slash ? slash + 1 : source;
  const char *dot = strrchr(base, '.');
  const size_t n = dot && dot > base ? (size_t)(dot - base) : strlen(base);
  ascc_list_say(to, "%s%.*s%s", before, (int)n, base, ending);
}
// -MD says where dependencies go, and for which target, by the name of the output, which the first step has
// not.
static void compile_depends(const ascc_job *job, ascc_list *argv) {
  const ascc_options *o = job->options;
  if (!o->writes_depends)
    return;
  const char *output = job->output;
  const char *dot = output ? strrchr(output, '.') : NULL;
  if (!o->names_depends && output)
    ascc_list_say(argv, "-MF%.*s.d", (int)(dot ? (size_t)(dot - output) : strlen(output)), output);
  else if (!o->names_depends)
    compile_named(argv, "-MF", job->source, ".d");
  if (!o->names_target && output)
    ascc_list_say(argv, "-MT%s", output);
  else if (!o->names_target)
    compile_named(argv, "-MT", job->source, compile_ending(o->mode));
}
static void compile_first(const ascc_job *job, ascc_list *argv) {
  compile_common(job, argv);
  ascc_list_add(argv, "-DWEFT_ASCC=1");
  ascc_list_add(argv, "-D__global__=" ASCC_KERNEL_WORD);
  if (job->options->arch) {
    ascc_list_say(argv, "-DWEFT_ASC_ARCH=%u", job->options->arch);
    ascc_list_say(argv, "-D__NPU_ARCH__=%u", job->options->arch);
  }
  ascc_list_add_all(argv, &job->options->preprocess);
  ascc_list_add_all(argv, &job->home->includes);
  ascc_list_add(argv, "-include");
  ascc_list_add(argv, "weft_cann/asc_entry.h");
  compile_depends(job, argv);
  ascc_list_add(argv, job->options->mode == ASCC_DEPENDS ? "-M" : "-E");
  ascc_list_add(argv, "-x");
  ascc_list_add(argv, "c++");
  ascc_list_add(argv, job->source);
}
static int compile_run(const ascc_job *job, const ascc_list *argv, const ascc_text *in, ascc_text *out) {
  const ascc_process p = {.argv = argv->at,
                          .in = in ? in->at : NULL,
                          .in_bytes = in ? in->bytes : 0,
                          .out = out,
                          .error = job->messages,
                          .seconds = job->seconds,
                          .file_bytes = job->file_bytes};
  if (!argv->failed)
    return ascc_status(ascc_process_run(&p), argv->at[0], job->seconds, job->error);
  ascc_text_say(job->error, "weft-ascc: error: no memory\n");
  return 1;
}
int ascc_preprocess(const ascc_job *job, ascc_text *out) {
  ascc_list argv = {0};
  ascc_text text = {.most = TEXT_MOST};
  compile_first(job, &argv);
  int status = compile_run(job, &argv, NULL, &text);
  if (!status && job->options->mode == ASCC_DEPENDS)
    ascc_text_add(out, ascc_text_string(&text), text.bytes);
  else if (!status)
    status = !ascc_translate(ascc_text_string(&text), text.bytes, job->source, out, job->error);
  ascc_text_free(&text);
  ascc_list_free(&argv);
  return status;
}

// ---- the second step ----

static void compile_second(const ascc_job *job, ascc_list *argv) {
  static const char *const words[] = {"-c", "-c", "-S", "-E", "-fsyntax-only"};
  compile_common(job, argv);
  if (job->options->mode != ASCC_LINK)
    ascc_list_add(argv, words[job->options->mode]);
  ascc_list_add(argv, "-x");
  ascc_list_add(argv, "c++-cpp-output");
  ascc_list_add(argv, "-");
  if (job->last)
    ascc_list_add_all(argv, job->last);
  if (job->options->mode == ASCC_CHECK)
    return;
  ascc_list_add(argv, "-o");
  if (job->output)
    ascc_list_add(argv, job->output);
  else
    compile_named(argv, "", job->source, compile_ending(job->options->mode));
}
int ascc_compile(const ascc_job *job) {
  ascc_text text = {.most = TEXT_MOST};
  ascc_list argv = {0};
  int status = ascc_preprocess(job, &text);
  if (!status) {
    compile_second(job, &argv);
    status = compile_run(job, &argv, &text, NULL);
  }
  ascc_list_free(&argv);
  ascc_text_free(&text);
  return status;
}
// SPDX-License-Identifier: Apache-2.0
