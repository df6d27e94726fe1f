// plugin_folder.c - where weft's own plug-ins lie: found from where weft's code lies, never from the working
// directory and never from what the caller of the program chose (argv[0]).
#define _GNU_SOURCE  // dl_iterate_phdr
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/plugins.h"

typedef struct object_search {
  uintptr_t code;  // an address in weft's code
  char *path;      // of the file that holds it; "" when it is not known
} object_search;

static bool object_holds(const struct dl_phdr_info *o, uintptr_t code) {
  for (size_t i = 0; i < o->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &o->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && code - (o->dlpi_addr + p->p_vaddr) < p->p_memsz)
      return true;
  }
  return false;
}

static bool object_is_program(const struct dl_phdr_info *o) {
  return (uintptr_t)o->dlpi_phdr == getauxval(AT_PHDR) || !o->dlpi_name || !*o->dlpi_name;
}

// A library that was loaded by a relative path is not looked for: the working directory may be another by
// now.
static int object_visit(struct dl_phdr_info *o, size_t bytes, void *ctx) {
  object_search *s = ctx;
  (void)bytes;
  if (!object_holds(o, s->code))
    return 0;
  if (object_is_program(o)) {
    ssize_t n = readlink("/proc/self/exe", s->path, WEFT__PLUGIN_PATH - 1);
    s->path[n > 0 ? n : 0] = 0;
  } else if (*o->dlpi_name == '/') {
    snprintf(s->path, WEFT__PLUGIN_PATH, "%s", o->dlpi_name);
  }
  return 1;
}

static void object_of_weft(char path[WEFT__PLUGIN_PATH]) {
  char real[WEFT__PLUGIN_PATH];
  object_search s = {(uintptr_t)object_of_weft, path};
  *path = 0;
  dl_iterate_phdr(object_visit, &s);
  if (*path && realpath(path, real))
    memcpy(path, real, sizeof real);
}

// Tells whether the place exists; if not, it joins the list in `seen`.
static bool place_exists(const char *place, char seen[WEFT__PLUGIN_PATH]) {
  struct stat st;
  size_t n = strlen(seen);
  if (!stat(place, &st) && S_ISDIR(st.st_mode))
    return true;
  snprintf(seen + n, WEFT__PLUGIN_PATH - n, "%s'%s'", n ? ", " : "", place);
  return false;
}

// `relative` seen from the folder of `file`, which is a real path: "../" goes one up.
static bool place_from(const char *file, const char *relative, char out[WEFT__PLUGIN_PATH]) {
  const char *slash = strrchr(file, '/');
  for (; slash && !strncmp(relative, "../", 3); relative += 3) {
    while (slash > file && *--slash != '/')
      continue;
  }
  if (!slash)
    return false;
  return snprintf(out, WEFT__PLUGIN_PATH, "%.*s/%s", (int)(slash - file), file, relative) < WEFT__PLUGIN_PATH;
}

bool weft__plugin_own_folder(char folder[WEFT__PLUGIN_PATH], char owner[WEFT__PLUGIN_PATH]) {
  static const char from_bin[] = WEFT_PLUGINS_FROM_BIN;  // "../lib/weft/plugins"
  const char *const beside[] = {"weft/plugins", from_bin, strncmp(from_bin, "../", 3) ? NULL : from_bin + 3};
  char seen[WEFT__PLUGIN_PATH] = "";
  object_of_weft(owner);
  for (size_t i = 0; i < WEFT_COUNT(beside); i++) {
    if (beside[i] && place_from(owner, beside[i], folder) && place_exists(folder, seen))
      return true;
  }
  snprintf(folder, WEFT__PLUGIN_PATH, "%s", WEFT_PLUGINS_INSTALLED);
  if (place_exists(folder, seen))
    return true;
  memcpy(folder, seen, sizeof seen);
  return false;
}

static int program_visit(struct dl_phdr_info *o, size_t bytes, void *ctx) {
  (void)bytes;
  if (!object_is_program(o))
    return 0;
  for (size_t i = 0; i < o->dlpi_phnum; i++) {
    if (o->dlpi_phdr[i].p_type == PT_INTERP)
      *(bool *)ctx = false;
  }
  return 1;
}

bool weft__plugin_static_program(void) {
  bool is_static = true;
  dl_iterate_phdr(program_visit, &is_static);
  return is_static;
}
// SPDX-License-Identifier: Apache-2.0
