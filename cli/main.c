// main.c - `weft COMMAND ...`.
#include <sys/stat.h>

#include "cli.h"

static const command *const commands[] = {&cmd_infer,  &cmd_show,      &cmd_run,     &cmd_diff,
                                          &cmd_op,     &cmd_onnx_test, &cmd_convert, &cmd_compile,
                                          &cmd_bisect, &cmd_bench};

static void help(FILE *to) {
  fprintf(to,
          "weft %s - operators and graphs: describe, infer, run\n\n"
          "  weft COMMAND [options] ...\n\n",
          weft_version());
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->line);
  fprintf(to,
          "\n`weft COMMAND --help` explains one command. A model is an ONNX file, weft's text form "
          "(docs/text-ir.md), its\n"
          "binary form, or the simple JSON model of the documents.\n\n"
          "Environment: WEFT_OPP_PATH, ASCEND_CUSTOM_OPP_PATH  roots of operator packages, separated by ':'\n"
          "             WEFT_VERBOSE=1                         notes about packages and operators, too\n"
          "Exit status: 0 success, 1 the work failed, 2 wrong usage, 3 the compared things differ\n");
}

int main(int argc, char **argv) {
  if (argc < 2) {
    help(stderr);
    return EXIT_USAGE;
  }
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
    help(stdout);
    return EXIT_OK;
  }
  if (!strcmp(argv[1], "--version")) {
    printf("weft %s\n", weft_version());
    return EXIT_OK;
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    if (strcmp(argv[1], commands[i]->name)) continue;
    for (int k = 2; k < argc && commands[i] != &cmd_op; k++)
      if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "-h")) {
        fputs(commands[i]->help, stdout);
        return EXIT_OK;
      }
    int status = commands[i]->run(argc - 1, argv + 1);
    if (fflush(stdout) && !status) return EXIT_FAILED;
    return status;
  }
  nearest near = nearest_to(argv[1], strlen(argv[1]));
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    nearest_try(&near, commands[i]->name, strlen(commands[i]->name));
  struct stat file;
  if (*near.word || stat(argv[1], &file) || !S_ISREG(file.st_mode)) return no_command("weft", &near);
  fprintf(stderr, "weft: no command '%s', which is a file: weft show %s, weft run %s\n", argv[1], argv[1],
          argv[1]);
  return EXIT_USAGE;
}
