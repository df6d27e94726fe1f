// main.cpp - runs every test, or those whose name begins with the first argument.
#include <cstring>

#include "check.h"

int main(int argc, char **argv) {
  for (const check::Test &test : check::Tests()) {
    if (argc > 1 && strncmp(test.name, argv[1], strlen(argv[1])) != 0)
      continue;
    std::cout << test.name << std::endl;
    test.run();
  }
  std::cout << check::Failures() << " failures\n";
  return check::Failures() != 0;
}
// SPDX-License-Identifier: Apache-2.0
