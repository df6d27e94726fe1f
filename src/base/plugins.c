// plugins.c - loads a plug-in after a look at who could have put it there. dlopen keeps what it loaded, so
// that a second load costs a look at the file and a search among the libraries of the process.
#define _GNU_SOURCE  // RTLD_NODELETE
#include "base/plugins.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/file.h"

const weft__plugin_about weft__plugin_table[WEFT__PLUGIN_COUNT] = {
    [WEFT__PLUGIN_JPEG] = {"weft_jpeg", "reading JPEG pictures", "libjpeg-dev", WEFT_PLUGIN_PICTURE},
    [WEFT__PLUGIN_PNG] = {"weft_png", "reading PNG pictures", "libpng-dev", WEFT_PLUGIN_PICTURE},
    [WEFT__PLUGIN_TIFF] = {"weft_tiff", "reading TIFF pictures", "libtiff-dev", WEFT_PLUGIN_PICTURE},
    [WEFT__PLUGIN_JP2] = {"weft_jp2", "reading JPEG 2000 pictures", "libopenjp2-7-dev", WEFT_PLUGIN_PICTURE},
    [WEFT__PLUGIN_WEBP] = {"weft_webp", "reading WebP pictures", "libwebp-dev", WEFT_PLUGIN_PICTURE},
    [WEFT__PLUGIN_PCRE2] = {"weft_pcre2", "matching regular expressions", "libpcre2-dev", WEFT_PLUGIN_REGEX},
    [WEFT__PLUGIN_ZLIB] = {"weft_zlib", "unpacking deflated data", "zlib1g-dev", WEFT_PLUGIN_INFLATE},
};

// Where a plug-in should be, and why: `owner` is the file that weft's code is in, "" where the folder was
// named.
typedef struct plugin_file {
  const weft__plugin_about *about;
  char path[WEFT__PLUGIN_PATH], owner[WEFT__PLUGIN_PATH];
} plugin_file;

static weft_status no_folder(const weft__plugin_about *a, const char *places, weft_diag *d) {
  return weft_fail(d, WEFT_E_UNSUPPORTED,
                   "%s needs the plug-in %s, and no folder of plug-ins exists (%.1000s): name one in "
                   "WEFT_PLUGIN_FOLDER or plugin_folder, or install %s, then build and install weft again "
                   "(docs/embedding.md, Plug-ins)",
                   a->use, a->name, places, a->package);
}

static weft_status no_file(const plugin_file *f, weft_diag *d) {
  return weft_fail(
      d, WEFT_E_UNSUPPORTED,
      "%s needs the plug-in %s, and there is no '%.1000s': install %s, then build and install weft "
      "again (docs/embedding.md, Plug-ins)",
      f->about->use, f->about->name, f->path, f->about->package);
}

static weft_status find_file(const weft__plugin_place *place, plugin_file *f, weft_diag *d) {
  char folder[WEFT__PLUGIN_PATH];
  struct stat st;
  const char *named = place->folder ? place->folder : weft__getenv_trusted("WEFT_PLUGIN_FOLDER");
  *f->owner = 0;
  if (weft__plugin_static_program()) {
    return weft_fail(d, WEFT_E_UNSUPPORTED,
                     "%s needs the plug-in %s, and a program that is linked with -static loads none: link it "
                     "without, libweft.a may stay (docs/embedding.md, Plug-ins)",
                     f->about->use, f->about->name);
  }
  if (named && !*named) {
    return weft_fail(d, WEFT_E_UNSUPPORTED,
                     "%s needs the plug-in %s, and the folder of plug-ins is set to \"\", which is none "
                     "(WEFT_PLUGIN_FOLDER or plugin_folder)",
                     f->about->use, f->about->name);
  }
  if (named && *named != '/' && !place->any) {
    return weft_fail(
        d, WEFT_E_INVALID,
        "the folder of plug-ins '%.1000s' is refused: it is relative, and what it means depends on the "
        "working directory",
        named);
  }
  if (!named && !weft__plugin_own_folder(folder, f->owner))
    return no_folder(f->about, folder, d);
  const char *at = named ? named : folder;
  int n = snprintf(f->path, sizeof f->path, "%s/%s.so", at, f->about->name);
  if (n >= (int)sizeof f->path)
    return weft_fail(d, WEFT_E_LIMIT, "the folder of plug-ins '%.100s...' has too long a name", at);
  if (stat(f->path, &st))
    return no_file(f, d);
  return WEFT_OK;
}

// ---- who may have put it there ----
static weft_status plugin_refused(const plugin_file *f, const char *why, const char *what, weft_diag *d) {
  return weft_fail(d, WEFT_E_INVALID, "plug-in '%.800s' is refused: %s%.500s", f->path, why, what);
}

// A folder that weft found by itself: others may have made it, as they can in /tmp.
static bool is_ours(const char *path, const plugin_file *f) {
  struct stat st;
  struct stat weft;
  if (!*f->owner || stat(path, &st))
    return true;
  if (st.st_uid == 0 || st.st_uid == geteuid())
    return true;
  return !stat(f->owner, &weft) && weft.st_uid == st.st_uid;
}

static weft_status check_owner(const plugin_file *f, const char *path, weft_diag *d) {
  return is_ours(path, f) ? WEFT_OK
                          : plugin_refused(f, "neither root nor you nor the owner of weft owns ", path, d);
}

// `folder` is an absolute path without links; it is changed.
static weft_status check_folder(const plugin_file *f, char *folder, weft_diag *d) {
  WEFT_TRY(check_owner(f, folder, d));
  const char *open = weft__open_folder(folder);
  return open ? plugin_refused(f, "everybody may change the folder (chmod o-w) ", open, d) : WEFT_OK;
}

// The folder that was looked at, the file, and where links lead, the folder that it is in.
static weft_status check_file(const plugin_file *f, weft_diag *d) {
  char folder[WEFT__PLUGIN_PATH];
  char real[WEFT__PLUGIN_PATH];
  struct stat st;
  snprintf(real, sizeof real, "%s", f->path);
  *strrchr(real, '/') = 0;
  if (!realpath(*real ? real : "/", folder) || !realpath(f->path, real) || stat(real, &st))
    return weft_fail(d, WEFT_E_IO, "plug-in '%.1000s' cannot be looked at", f->path);
  if (!S_ISREG(st.st_mode))
    return plugin_refused(f, "it is not a regular file", "", d);
  if (st.st_mode & S_IWOTH)
    return plugin_refused(f, "everybody may write to it (chmod o-w)", "", d);
  WEFT_TRY(check_owner(f, real, d));
  WEFT_TRY(check_folder(f, folder, d));
  *strrchr(real, '/') = 0;
  return check_folder(f, real, d);
}

// ---- loading ----
static bool has_functions(const weft_plugin *p) {
  switch (p->kind) {
    case WEFT_PLUGIN_PICTURE:
      return p->picture;
    case WEFT_PLUGIN_REGEX:
      return p->regex_compile && p->regex_match && p->regex_search && p->regex_groups && p->regex_free;
    case WEFT_PLUGIN_INFLATE:
      return p->inflate;
    default:
      return false;
  }
}

static weft_status check_plugin(const plugin_file *f, const weft_plugin *p, weft_diag *d) {
  if (!p) {
    return weft_fail(d, WEFT_E_ABI,
                     "'%.1000s' is no plug-in of weft: it does not export 'weft_plugin_exported'", f->path);
  }
  if (p->version != WEFT_PLUGIN_VERSION) {
    return weft_fail(
        d, WEFT_E_ABI,
        "plug-in '%.1000s' has version %u of the interface, this weft has %d: install both from one build",
        f->path, p->version, WEFT_PLUGIN_VERSION);
  }
  if (p->size != sizeof *p || p->kind != f->about->kind || !p->name || strcmp(p->name, f->about->name) ||
      !p->library || !has_functions(p))
    return weft_fail(d, WEFT_E_ABI, "plug-in '%.1000s' is not what its name says: install it again", f->path);
  return WEFT_OK;
}

weft_status weft__plugin_load(weft__plugin_id id, const weft__plugin_place *place, const weft_plugin **out,
                              weft_diag *d) {
  plugin_file f = {.about = &weft__plugin_table[id]};
  *out = NULL;
  WEFT_TRY(find_file(place, &f, d));
  if (!place->any)
    WEFT_TRY(check_file(&f, d));
  void *handle = dlopen(f.path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char *why = dlerror();
    return weft_fail(d, WEFT_E_UNSUPPORTED, "%s needs the plug-in %s, which does not load: %s", f.about->use,
                     f.about->name, why ? why : "for no known reason");
  }
  const weft_plugin *p = dlsym(handle, "weft_plugin_exported");
  weft_status s = check_plugin(&f, p, d);
  dlclose(handle);  // it stays
  if (!s)
    *out = p;
  return s;
}
// SPDX-License-Identifier: Apache-2.0
