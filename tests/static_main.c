// static_main.c - linked with -static and without: which of the two this is, as src/base/plugin_folder.c sees
// it.
#include <stdio.h>

#include "base/plugins.h"

int main(void) {
  puts(weft__plugin_static_program() ? "static" : "dynamic");
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
