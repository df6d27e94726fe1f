// trusted.c - what decides which code is loaded: variables of the environment, and who may change a folder
// (base/file.h).
#define _GNU_SOURCE  // secure_getenv
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"

const char *weft__getenv_trusted(const char *name) {
  return secure_getenv(name);
}

bool weft__getenv_ignored(const char *name) {
  return getenv(name) && !secure_getenv(name);
}

// May everybody change what is in this folder? In one with the sticky bit, as /tmp, others' files stay
// theirs; where libraries are looked for, a file that somebody adds is enough.
static bool folder_is_open(const char *folder, bool of_libraries) {
  struct stat st;
  if (stat(folder, &st))
    return false;
  return (st.st_mode & S_IWOTH) && (of_libraries || !(st.st_mode & S_ISVTX));
}

const char *weft__open_folder(char *path) {
  if (folder_is_open("/", false))
    return "/";
  for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
    *at = 0;
    if (folder_is_open(path, false))
      return path;
    *at = '/';
  }
  return folder_is_open(path, true) ? path : NULL;
}
// SPDX-License-Identifier: Apache-2.0
