// op.c - `weft op ...`: operators and packages.
#include "op.h"

typedef struct sub {
  const char *name, *line, *help;
  int (*run)(int argc, char **argv);
} sub;
static const sub subs[] = {
    {"list", "operators that weft knows", op_list_help, op_list},
    {"show", "ports, dtypes, attributes and completeness of one operator", op_show_help, op_show},
    {"doctor", "checks paths, packages and the compiler", op_doctor_help, op_doctor},
    {"new", "makes an operator project from a JSON description", op_new_help, op_new},
    {"test", "runs the laws over the operators of a package, or over named ones", op_test_help, op_test},
    {"run", "calls one operator on tensors", op_run_help, op_run},
    {"cases", "calls operators with inputs and outputs of frameworks, and compares", op_cases_help, op_cases},
    {"tile", "how an operator is cut for a processor: blocks, workspaces, the record", op_tile_help, op_tile},
    {"kernels", "compiles the kernels in Ascend C of a package's operators", op_kernels_help, op_kernels},
};

static void help_to(FILE *to) {
  fprintf(to, "weft op COMMAND ...\n\n");
  for (size_t i = 0; i < sizeof subs / sizeof *subs; i++)
    fprintf(to, "  %-8s %s\n", subs[i].name, subs[i].line);
  fprintf(to, "\n`weft op COMMAND --help` explains one.\n");
}

static int op_command_run(int argc, char **argv) {
  if (argc < 2)
    return usage_error("weft op",
                       "no command given: list, show, doctor, new, test, run, cases, tile or kernels");
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
    help_to(stdout);
    return EXIT_OK;
  }
  for (size_t i = 0; i < sizeof subs / sizeof *subs; i++) {
    if (strcmp(argv[1], subs[i].name))
      continue;
    for (int k = 2; k < argc; k++) {
      if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "-h")) {
        fputs(subs[i].help, stdout);
        return EXIT_OK;
      }
    }
    return subs[i].run(argc - 1, argv + 1);
  }
  nearest near = nearest_to(argv[1], strlen(argv[1]));
  for (size_t i = 0; i < sizeof subs / sizeof *subs; i++)
    nearest_try(&near, subs[i].name, strlen(subs[i].name));
  return no_command("weft op", &near);
}

const command cmd_op = {"op",
                        "operators and packages: list, show, doctor, new, test, run, cases, tile, kernels",
                        "", op_command_run};
// SPDX-License-Identifier: Apache-2.0
