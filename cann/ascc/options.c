// options.c - a compiler's command line. What is not known belongs to both steps.
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char ASCC_HERE[] = "";

void ascc_list_add(ascc_list *l, const char *string) {
  if (l->count + 1 >= l->room) {
    const size_t room = l->room ? l->room * 2 : 16;
    const char **at = realloc(l->at, room * sizeof *at);
    if (!at) {
      l->failed = true;
      return;
    }
    l->at = at;
    l->room = room;
  }
  l->at[l->count++] = string;
  l->at[l->count] = NULL;
}
void ascc_list_say(ascc_list *l, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(NULL, 0, format, list);
  va_end(list);
  char **own = realloc(l->own, (l->n_own + 1) * sizeof *own);
  char *string = n < 0 ? NULL : malloc((size_t)n + 1);
  l->own = own ? own : l->own;
  if (!own || !string) {
    l->failed = true;
    free(string);
    return;
  }
  va_start(list, format);
  vsnprintf(string, (size_t)n + 1, format, list);
  va_end(list);
  l->own[l->n_own++] = string;
  ascc_list_add(l, string);
}
void ascc_list_add_all(ascc_list *l, const ascc_list *from) {
  for (size_t i = 0; i < from->count; i++)
    ascc_list_add(l, from->at[i]);
  l->failed |= from->failed;
}
void ascc_list_free(ascc_list *l) {
  for (size_t i = 0; i < l->n_own; i++)
    free(l->own[i]);
  free(l->own);
  free(l->at);
  *l = (ascc_list){0};
}

static bool option_starts(const char *s, const char *with) {
  return !strncmp(s, with, strlen(with));
}
static bool option_in(const char *s, const char *const *list) {
  for (; *list; list++) {
    if (!strcmp(s, *list))
      return true;
  }
  return false;
}
static bool option_starts_any(const char *s, const char *const *list) {
  for (; *list; list++) {
    if (option_starts(s, *list))
      return true;
  }
  return false;
}
// Options whose value is the next word.
static bool option_takes_word(const char *s) {
  static const char *const list[] = {
      "-o",      "-I",         "-D",       "-U",           "-include",  "-imacros",    "-isystem",
      "-iquote", "-idirafter", "-iprefix", "-iwithprefix", "-isysroot", "-L",          "-l",
      "-x",      "-MF",        "-MT",      "-MQ",          "-Xlinker",  "-Xassembler", "-Xpreprocessor",
      "-T",      "-u",         "-z",       "-aux-info",    "--param",   "-target",     "-B",
      "-A",      "-e",         "-mllvm",   "-Xclang",      "-dumpbase", "-dumpdir",    "-wrapper",
      "-specs",  "-arch",      NULL};
  return option_in(s, list);
}
static bool option_for_preprocessor(const char *s) {
  static const char *const list[] = {
      "-I",         "-D",       "-U",           "-include", "-imacros", "-isystem",       "-iquote",
      "-idirafter", "-iprefix", "-iwithprefix", "-M",       "-Wp,",     "-Xpreprocessor", NULL};
  return option_starts_any(s, list);
}
static bool option_for_linker(const char *s) {
  static const char *const words[] = {"-shared", "-static", "-rdynamic", "-s",   "-T",
                                      "-u",      "-z",      "-e",        "-pie", NULL};
  static const char *const starts[] = {"-l", "-L", "-Wl,", "-Xlinker", "-static-", NULL};
  return option_in(s, words) || option_starts_any(s, starts);
}
// Of the closed compiler, without a meaning here; with the next word where its value stands there.
static bool option_ignored(const char *s) {
  static const char *const starts[] = {"--cce-", "--asc-", "--npu-soc=", NULL};
  return option_starts_any(s, starts);
}

static bool option_arch(ascc_options *o, const char *value, ascc_text *error) {
  char *end = NULL;
  const unsigned long n = option_starts(value, "dav-") ? strtoul(value + 4, &end, 10) : 0;
  if (!strcmp(value, "dav-c220"))
    o->arch = 2201;
  else if (n >= 1000 && n <= 9999 && !*end)
    o->arch = (uint32_t)n;
  else
    ascc_text_say(error, "weft-ascc: error: --npu-arch=%s: a chip's number is expected, such as dav-2201\n",
                  value);
  return !error->bytes;
}
static bool option_depends(ascc_options *o, const char *s) {
  o->writes_depends |= !strcmp(s, "-MD") || !strcmp(s, "-MMD");
  o->names_depends |= option_starts(s, "-MF");
  o->names_target |= option_starts(s, "-MT") || option_starts(s, "-MQ");
  if (strcmp(s, "-M") && strcmp(s, "-MM"))
    return false;
  o->mode = ASCC_DEPENDS;
  return true;
}
static bool option_mode(ascc_options *o, const char *s) {
  static const char *const words[] = {"", "-c", "-S", "-E", "-fsyntax-only"};
  for (int m = ASCC_COMPILE; m <= ASCC_CHECK; m++) {
    if (strcmp(s, words[m]))
      continue;
    if (o->mode < (ascc_mode)m)
      o->mode = (ascc_mode)m;
    return true;
  }
  return option_depends(o, s);
}
// A word that is no option, or "-".
static void option_source(ascc_options *o, const char *s, const char *language) {
  const char *dot = strrchr(s, '.');
  const bool named = !language && dot && !strcmp(dot, ".asc");
  const bool asc = named || (language && (!strcmp(language, "asc") || !strcmp(language, "cce")));
  if (asc)
    ascc_list_add(&o->sources, s);
  ascc_list_add(&o->rest, asc ? ASCC_HERE : s);
}
static void option_keep(ascc_options *o, const char *s, const char *word) {
  ascc_list *to = option_for_preprocessor(s) ? &o->preprocess : &o->both;
  if (!option_for_linker(s)) {
    ascc_list_add(to, s);
    if (word)
      ascc_list_add(to, word);
  }
  ascc_list_add(&o->rest, s);
  if (word)
    ascc_list_add(&o->rest, word);
}
static const char *option_language(ascc_options *o, const char *name) {
  const bool asc = !strcmp(name, "asc") || !strcmp(name, "cce");
  if (!asc) {
    ascc_list_add(&o->rest, "-x");
    ascc_list_add(&o->rest, name);
  }
  return strcmp(name, "none") ? name : NULL;
}

bool ascc_options_read(ascc_options *o, const char *const *argv, size_t n, ascc_text *error) {
  const char *language = NULL;
  *o = (ascc_options){0};
  for (size_t i = 0; i < n; i++) {
    const char *s = argv[i];
    const char *word = option_takes_word(s) && i + 1 < n ? argv[++i] : NULL;
    if (s[0] != '-' || !s[1])
      option_source(o, s, language);
    else if (!strcmp(s, "-x") && word)
      language = option_language(o, word);
    else if (option_starts(s, "-x") && s[2])
      language = option_language(o, s + 2);
    else if (option_starts(s, "--npu-arch="))
      option_arch(o, s + strlen("--npu-arch="), error);
    else if (option_starts(s, "--host-compiler="))
      o->host = s + strlen("--host-compiler=");
    else if (option_starts(s, "-o"))
      o->output = word ? word : s + 2;
    else if (option_mode(o, s))
      ascc_list_add(&o->rest, s);
    else if (!option_ignored(s))
      option_keep(o, s, word);
  }
  const bool failed = o->sources.failed || o->preprocess.failed || o->both.failed || o->rest.failed;
  if (failed)
    ascc_text_say(error, "weft-ascc: error: no memory for the options\n");
  return !error->bytes;
}
void ascc_options_free(ascc_options *o) {
  ascc_list_free(&o->sources);
  ascc_list_free(&o->preprocess);
  ascc_list_free(&o->both);
  ascc_list_free(&o->rest);
}
// SPDX-License-Identifier: Apache-2.0
