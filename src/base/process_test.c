// process_test.c - a child has another number than its parent, and each keeps its own.
#include "base/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

TEST(process_of_a_child) {
  const unsigned here = weft__process();
  CHECK(here == weft__process());
  const pid_t child = fork();
  CHECK(child >= 0);
  if (!child)
    _exit(weft__process() != here && weft__process() == weft__process() ? 0 : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(here == weft__process());
}
// SPDX-License-Identifier: Apache-2.0
