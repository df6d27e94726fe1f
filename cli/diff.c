// diff.c - `weft diff`: are two models the same?
#include "cli.h"

static const char help[] =
    "weft diff A B [--strict] [--no-infer]\n\n"
    "Compares two models: same operators, attributes and structure, compatible descriptions. Names and "
    "origins do not\n"
    "matter, nor do C0 and whether a dim is unknown or has a range. Prints the first difference.\n\n"
    "  --strict     names and descriptions must be equal bit for bit\n"
    "  --no-infer   compares as read, without inferring first\n"
    "Exit status: 0 the same, 3 different, 1 a model could not be read.\n";

static int diff_run(int argc, char **argv) {
  args a = {argc, 1, argv, help};
  const char *path[2] = {NULL, NULL};
  size_t n = 0;
  bool strict = false;
  bool infer = true;
  while (a.at < a.argc) {
    if (arg_flag(&a, "--strict"))
      strict = true;
    else if (arg_flag(&a, "--no-infer"))
      infer = false;
    else if (n == 2 || !arg_positional(&a, &path[n]))
      return unexpected(help, argv[a.at]);
    else
      n++;
  }
  if (n < 2)
    return usage_error(help, "expected two models");
  weft_env *e = open_env();
  if (!e)
    return EXIT_FAILED;
  weft_diag d = {0};
  weft_graph *g[2] = {NULL, NULL};
  weft_status s = WEFT_OK;
  for (int i = 0; i < 2 && !s; i++) {
    s = load_graph(e, path[i], &g[i], &d);
    if (!s && infer)
      s = weft_graph_infer(g[i], NULL, NULL, &d);
    if (s)
      weft_note(&d, "in '%s'", path[i]);
  }
  int status = EXIT_OK;
  if (s) {
    status = fail_with(&d);
  } else if ((s = weft_graph_compare(g[0], g[1], strict ? WEFT_EQUAL_STRICT : WEFT_EQUAL_SEMANTIC, &d))) {
    if (s == WEFT_E_DIFFERENT)
      printf("%s\n", d.text);
    status = s == WEFT_E_DIFFERENT ? EXIT_DIFFERENT : fail_with(&d);
  } else {
    printf("the same (%s)\n", strict ? "strictly" : "semantically");
  }
  weft_graph_destroy(g[0]);
  weft_graph_destroy(g[1]);
  weft_env_destroy(e);
  return status;
}

const command cmd_diff = {"diff", "tells whether two models are the same", help, diff_run};
// SPDX-License-Identifier: Apache-2.0
