// main.c - `weft COMMAND ...`.
#include <errno.h>
#include <sys/stat.h>

#include "options.h"

static const command *const commands[] = {&cmd_infer,     &cmd_show,    &cmd_run,     &cmd_diff,   &cmd_op,
                                          &cmd_onnx_test, &cmd_convert, &cmd_compile, &cmd_bisect, &cmd_bench,
                                          &cmd_atc,       &cmd_cases,   &cmd_serve};

static void help(FILE *to) {
  fprintf(to,
          "weft %s - operators and graphs: describe, infer, run\n\n"
          "  weft COMMAND [options] ...\n\n",
          weft_version());
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->line);
  fprintf(
      to,
      "\n`weft COMMAND --help` explains one command. A model is a file of ONNX, of PyTorch (.pt2 of "
      "torch.export),\n"
      "TensorFlow (SavedModel folder, frozen .pb), TFLite or MindSpore (.mindir), weft's text form "
      "(docs/text-ir.md),\n"
      "its binary form, or the simple JSON model of the documents; what it holds decides, not its name.\n\n"
      "Every command takes these:\n"
      "  --copy           reads files into memory instead of mapping them, so that it does no harm when "
      "another\n"
      "                   process changes them meanwhile\n"
      "  --memory BYTES   memory that reading, inferring, compiling and running a model may each use\n"
      "                   (500000000, 512M, 2G; default: three quarters of the machine's memory; 0: no "
      "limit)\n"
      "  --time SECONDS   time that each of these may take (default: 600; 0: no limit)\n"
      "  --signature NAME of TensorFlow's SavedModel (default: serving_default)\n\n"
      "Environment: WEFT_OPP_PATH, ASCEND_CUSTOM_OPP_PATH  where operator packages are, separated by ':'\n"
      "             WEFT_ANY_ROOT=1                        also accepts relative roots and world-writable "
      "folders\n"
      "             WEFT_VERBOSE=1                         also prints notes about packages and operators\n"
      "             WEFT_ISA=avx2                          kernels of that instruction set (--isa)\n"
      "             WEFT_PYTHON=/venv/bin/python           the Python of `weft serve` and of peers in `weft "
      "bench`\n"
      "             WEFT_PLUGIN_FOLDER                     where codecs, PCRE2 and zlib are looked for\n"
      "Exit status: 0 success, 1 failure, 2 wrong usage, 3 a comparison found a difference\n");
}

// --copy is of every command: it is taken out before the command sees its arguments.
static int take_copy(int argc, char **argv) {
  int n = 0;
  for (int i = 0; i < argc; i++) {
    if (i && !strcmp(argv[i], "--copy"))
      copy_files();
    else
      argv[n++] = argv[i];
  }
  argv[n] = NULL;
  return n;
}

static int run_command(const command *c, int argc, char **argv) {
  if (c == &cmd_serve)  // whose options, --help and --memory among them, are the server's
    return c->run(argc, argv);
  for (int k = 1; k < argc && c != &cmd_op; k++) {
    if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "-h")) {
      if (c->help)
        fputs(c->help, stdout);
      else
        options_print(c->options, stdout);
      fputs("\n  --memory BYTES, --time SECONDS   limits on what a model may use; see weft --help\n", stdout);
      return EXIT_OK;
    }
  }
  int status = limits_take(&argc, argv);
  return status ? status : c->run(argc, argv);
}

static int dispatch(int argc, char **argv) {
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
    if (!strcmp(argv[1], commands[i]->name))
      return run_command(commands[i], argc - 1, argv + 1);
  }
  nearest near = nearest_to(argv[1], strlen(argv[1]));
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    nearest_try(&near, commands[i]->name, strlen(commands[i]->name));
  struct stat file;
  if (*near.word || stat(argv[1], &file) || !S_ISREG(file.st_mode))
    return no_command("weft", &near);
  fprintf(stderr, "weft: no command '%s', which is a file: weft show %s, weft run %s\n", argv[1], argv[1],
          argv[1]);
  return EXIT_USAGE;
}

// What was printed has left this process, whatever command printed it: a full disk, or a closed pipe, is a
// failure. Nobody printed anything to a stdout that is closed from the beginning.
static int end_output(int status) {
  bool bad = ferror(stdout);
  errno = 0;
  if (fflush(stdout))
    bad = true;
  if (!bad && fclose(stdout) && errno != EBADF)
    bad = true;
  if (!bad)
    return status;
  fprintf(stderr, "weft: error: cannot write to the standard output%s%s\n", errno ? ": " : "",
          errno ? strerror(errno) : "");
  return status ? status : EXIT_FAILED;
}

int main(int argc, char **argv) {
  return end_output(dispatch(take_copy(argc, argv), argv));
}
// SPDX-License-Identifier: Apache-2.0
