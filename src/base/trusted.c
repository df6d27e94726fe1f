// trusted.c - variables of the environment that decide what is loaded (base/file.h).
#define _GNU_SOURCE  // secure_getenv
#include <stdlib.h>

#include "base/file.h"

const char *weft__getenv_trusted(const char *name) {
  return secure_getenv(name);
}

bool weft__getenv_ignored(const char *name) {
  return getenv(name) && !secure_getenv(name);
}
