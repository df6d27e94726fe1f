// serve.c - `weft serve`: the server of the Python package (docs/python.md), in the place of this process.
// It is no part of the tool, which needs no Python: where the package is not there, a sentence says how to
// get it.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "options.h"

static const char SERVE_SCRIPT[] =
    "import sys\n"
    "try:\n"
    "    from weft.serve import main\n"
    "except ImportError as e:\n"
    "    if {'-h', '--help'} & set(sys.argv):\n"
    "        print('weft serve [NAME=]MODEL... [--host HOST] [--port PORT] ...\\n\\n'\n"
    "              'Serves models over HTTP by the Open Inference Protocol (docs/python.md, A server).\\n'\n"
    "              'Its options are listed where it is installed.\\n', flush=True)\n"
    "    sys.exit(f'weft serve: {e}: the server is part of the Python package, which `pip install ./python "
    "aiohttp` makes in a checkout; WEFT_PYTHON names the Python that has it')\n"
    "main(sys.argv[1:])\n";

static int serve_run(int argc, char **argv) {
  const char *given = getenv("WEFT_PYTHON");
  const char *python = given && *given ? given : "python3";
  char **list = calloc((size_t)argc + 3, sizeof *list);
  if (!list) {
    fprintf(stderr, "weft serve: out of memory\n");
    return EXIT_FAILED;
  }
  list[0] = (char *)(uintptr_t)python;
  list[1] = (char *)(uintptr_t) "-c";
  list[2] = (char *)(uintptr_t)SERVE_SCRIPT;
  for (int i = 1; i < argc; i++)
    list[2 + i] = argv[i];
  execvp(python, list);
  fprintf(stderr,
          "weft serve: cannot start '%s': %s; WEFT_PYTHON names the Python that has the package weft\n",
          python, strerror(errno));
  free(list);
  return EXIT_FAILED;
}

const command cmd_serve = {"serve", "answers requests over HTTP with models (the Python package's server)",
                           NULL, serve_run};
// SPDX-License-Identifier: Apache-2.0
