// main.cpp - runs every test, or those whose name begins with the first argument.
#include "check.h"

int main(int argc, char **argv) {
  return check::RunTests(argc, argv);
}
// SPDX-License-Identifier: Apache-2.0
