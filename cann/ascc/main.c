// main.c - weft-ascc: a C++ compiler that knows sources in Ascend C. It takes the options of the host's
// compiler, which it calls, and --npu-arch=.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "process.h"

static const char usage[] =
    "weft-ascc [--npu-arch=dav-2201] OPTION... FILE...\n"
    "Compiles C++; files named .asc, and those behind -x asc, may hold kernels of Ascend C, and launches,\n"
    "kernel<<<blocks, nullptr, stream>>>(arguments), which run on the processor. Options are those of the "
    "host's\n"
    "compiler: --host-compiler=PATH, the environment's WEFT_ASC_CXX, or c++. -E shows what it gets.\n";

// What a run of the program has at hand.
typedef struct tool {
  ascc_options options;
  ascc_home home;
  ascc_text error;
  char folder[256];  // of objects that are linked at once; "": none was made
} tool;

static int tool_write(tool *t, const ascc_text *text) {
  FILE *to = t->options.output ? fopen(t->options.output, "wb") : stdout;
  bool ok = to && fwrite(text->at, 1, text->bytes, to) == text->bytes;
  if (to && to != stdout)
    ok = !fclose(to) && ok;
  if (!ok)
    ascc_text_say(&t->error, "weft-ascc: error: '%s' cannot be written\n",
                  t->options.output ? t->options.output : "stdout");
  return !ok;
}
static int tool_source(tool *t, const char *source, const char *output) {
  const ascc_options *o = &t->options;
  const ascc_job job = {
      .options = o, .home = &t->home, .source = source, .output = output, .error = &t->error};
  if (o->mode != ASCC_PREPROCESS && o->mode != ASCC_DEPENDS)
    return ascc_compile(&job);
  ascc_text text = {0};
  int status = ascc_preprocess(&job, &text);
  if (!status)
    status = tool_write(t, &text);
  ascc_text_free(&text);
  return status;
}
// Everything that is not in Ascend C, by the host's compiler; `objects` stand where sources in Ascend C
// stood.
static int tool_rest(tool *t, const ascc_list *objects) {
  const ascc_options *o = &t->options;
  ascc_list argv = {0};
  size_t object = 0;
  bool inputs = false;
  ascc_list_add(&argv, ascc_host(o));
  for (size_t i = 0; i < o->rest.count; i++) {
    const char *s = o->rest.at[i];
    const bool here = s == ASCC_HERE;
    inputs |= here || s[0] != '-';
    if (!here)
      ascc_list_add(&argv, s);
    else if (objects && object < objects->count)
      ascc_list_add(&argv, objects->at[object++]);
  }
  if (o->output) {
    ascc_list_add(&argv, "-o");
    ascc_list_add(&argv, o->output);
  }
  if (inputs)
    ascc_list_add_all(&argv, &t->home.includes);
  if (inputs && o->mode == ASCC_LINK)
    ascc_list_add_all(&argv, &t->home.libraries);
  const ascc_process p = {.argv = argv.at};
  const int status = ascc_status(ascc_process_run(&p), argv.at[0], 0, &t->error);
  ascc_list_free(&argv);
  return status;
}

// ---- sources that are linked at once ----

static bool tool_folder(tool *t) {
  const char *temporary = getenv("TMPDIR");
  const int n = snprintf(t->folder, sizeof t->folder, "%s/weft-ascc-XXXXXX",
                         temporary && *temporary ? temporary : "/tmp");
  if (n > 0 && (size_t)n < sizeof t->folder && mkdtemp(t->folder))
    return true;
  t->folder[0] = 0;
  ascc_text_say(&t->error, "weft-ascc: error: no folder for objects: TMPDIR or /tmp cannot be written\n");
  return false;
}
static int tool_link(tool *t) {
  const ascc_list *sources = &t->options.sources;
  ascc_list objects = {0};
  int status = !tool_folder(t);
  t->options.mode = ASCC_COMPILE;
  for (size_t i = 0; i < sources->count && !status; i++) {
    ascc_list_say(&objects, "%s/%zu.o", t->folder, i);
    status = objects.failed || tool_source(t, sources->at[i], objects.at[i]);
  }
  t->options.mode = ASCC_LINK;
  if (!status)
    status = tool_rest(t, &objects);
  for (size_t i = 0; i < objects.count; i++)
    unlink(objects.at[i]);
  if (t->folder[0])
    rmdir(t->folder);
  ascc_list_free(&objects);
  return status;
}

static bool tool_has_others(const ascc_list *rest) {
  for (size_t i = 0; i < rest->count; i++) {
    if (rest->at[i] != ASCC_HERE && rest->at[i][0] != '-')
      return true;
  }
  return false;
}
static int tool_run(tool *t) {
  const ascc_options *o = &t->options;
  int status = 0;
  if (o->sources.count > 1 && o->mode != ASCC_LINK && o->output) {
    ascc_text_say(&t->error, "weft-ascc: error: -o names one file, and %zu are to be made\n",
                  o->sources.count);
    return 1;
  }
  if (!o->sources.count)
    return tool_rest(t, NULL);
  if (o->mode == ASCC_LINK)
    return tool_link(t);
  for (size_t i = 0; i < o->sources.count && !status; i++)
    status = tool_source(t, o->sources.at[i], o->output);
  if (!status && tool_has_others(&o->rest) && !o->output)
    status = tool_rest(t, NULL);
  return status;
}
static void tool_own_path(char *path, size_t room, const char *name) {
  const ssize_t n = readlink("/proc/self/exe", path, room - 1);
  if (n > 0)
    path[n] = 0;
  else
    snprintf(path, room, "%s", name);
}

int main(int argc, char **argv) {
  tool t = {0};
  char own[4096];
  if (argc < 2 || !strcmp(argv[1], "--help")) {
    fputs(usage, argc < 2 ? stderr : stdout);
    return argc < 2;
  }
  tool_own_path(own, sizeof own, argv[0]);
  ascc_home_find(&t.home, own);
  const bool read = ascc_options_read(&t.options, (const char *const *)argv + 1, (size_t)argc - 1, &t.error);
  const int status = read ? tool_run(&t) : 1;
  fputs(ascc_text_string(&t.error), stderr);
  ascc_options_free(&t.options);
  ascc_home_free(&t.home);
  ascc_text_free(&t.error);
  return status;
}
// SPDX-License-Identifier: Apache-2.0
