// options.c - options from a table: parsed and printed.
#include "options.h"

enum { NOT_TAKEN = -1, INDENT = 2 };

static int take_flag(const option *p, bool *target, args *a) {
  if (!arg_flag(a, p->name))
    return NOT_TAKEN;
  *target = true;
  return EXIT_OK;
}

static int take_choice(const option *p, int *target, args *a) {
  if (!arg_flag(a, p->name))
    return NOT_TAKEN;
  *target = p->is;
  return EXIT_OK;
}

static int take_text(const option *p, const char **target, args *a) {
  return arg_value(a, p->name, target) ? EXIT_OK : NOT_TAKEN;
}

static int take_call(const option *p, void *job, args *a) {
  const char *value;
  if (!arg_value(a, p->name, &value))
    return NOT_TAKEN;
  return p->take(job, a->help, value);
}

static int option_take(const option *p, void *job, args *a) {
  void *target = (char *)job + p->target;
  switch (p->kind) {
    case OPTION_NOTE:
      return NOT_TAKEN;
    case OPTION_FLAG:
      return take_flag(p, target, a);
    case OPTION_CHOICE:
      return take_choice(p, target, a);
    case OPTION_TEXT:
      return take_text(p, target, a);
    case OPTION_SHAPE:
      return shape_option(a, target);
    case OPTION_RUNNER:
      return runner_option(a, target, a->help);
    case OPTION_CALL:
      return take_call(p, job, a);
  }
  return NOT_TAKEN;
}

static int options_unexpected(const options *o, const char *given) {
  nearest near = nearest_to(given, strcspn(given, "="));
  const bool is_long = near.bytes > 2 && !strncmp(given, "--", 2);
  for (size_t i = 0; is_long && i < o->n; i++) {
    if (o->v[i].name)
      nearest_try(&near, o->v[i].name, strlen(o->v[i].name));
  }
  if (!*near.word)
    return usage_error(o->usage, "unexpected argument '%s'", given);
  return usage_error(o->usage, "unexpected argument '%s'; did you mean '%s'?", given, near.word);
}

static int options_take_one(const options *o, void *job, args *a) {
  for (size_t i = 0; i < o->n; i++) {
    const int status = option_take(&o->v[i], job, a);
    if (status != NOT_TAKEN)
      return status;
  }
  void *target = (char *)job + o->model;
  const char **model = target;
  if (!*model && arg_positional(a, model))
    return EXIT_OK;
  return options_unexpected(o, a->argv[a->at]);
}

int options_parse(const options *o, void *job, int argc, char **argv) {
  args a = {argc, 1, argv, o->usage};
  int status = EXIT_OK;
  while (!status && a.at < a.argc)
    status = options_take_one(o, job, &a);
  return status;
}

// The lines of a help text after the first begin where the first does.
static void print_lines(const char *text, int column, FILE *to) {
  for (;;) {
    const size_t bytes = strcspn(text, "\n");
    fprintf(to, "%.*s\n", (int)bytes, text);
    if (!text[bytes])
      return;
    text += bytes + 1;
    fprintf(to, "%*s", column, "");
  }
}

static void option_print(const option *p, int column, FILE *to) {
  const char *after = p->after ? p->after : "";
  const int width = column - (int)strlen(p->name);
  fprintf(to, "%*s%s%-*s", INDENT, "", p->name, width, after);
  if ((int)strlen(after) >= width)  // no room beside it
    fprintf(to, "\n%*s", INDENT + column, "");
  print_lines(p->help, INDENT + column, to);
}

void options_print(const options *o, FILE *to) {
  fputs(o->usage, to);
  for (size_t i = 0; i < o->n; i++) {
    const option *p = &o->v[i];
    if (!p->help)
      continue;
    if (p->name)
      option_print(p, o->column, to);
    else
      fputs(p->help, to);
  }
  fputs(o->ending, to);
}
// SPDX-License-Identifier: Apache-2.0
