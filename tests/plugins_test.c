// plugins_test.c - weft's own plug-ins: found from where the build lies, named where they are missing,
// refused where others could have put them, and told apart from what only looks like one.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/plugins.h"
#include "rows.h"
#include "weft/laws.h"
#include "weft/plugin.h"

static weft_env *open_plugins(const char *folder, bool any) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = "", .plugin_folder = folder, .any_root = any};
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "%s", d.text);
  return e;
}

// Loads one with a folder of its own.
static weft_status load_from(const char *folder, bool any, weft__plugin_id id, weft_diag *d) {
  weft_env *e = open_plugins(folder, any);
  const char *library = NULL;
  weft_diag_clear(d);
  weft_status s = weft_plugin_load(e, id, &library, d);
  if (!s)
    CHECK(library && *library);
  weft_env_destroy(e);
  return s;
}

static bool was_built(size_t i) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s.so", WEFT_PLUGINS_BUILT, weft_plugin_name(i));
  return !access(path, F_OK);
}

// A folder in /tmp that only the user may change.
static bool make_folder(char out[64]) {
  snprintf(out, 64, "/tmp/weft_plugins_%ld_XXXXXX", (long)getpid());
  if (mkdtemp(out))
    return true;
  check_failed(__FILE__, __LINE__, "cannot make a folder in /tmp");
  return false;
}

static void drop_folder(const char *folder) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK_INT(system(command), 0);
}

// Puts a file there under the name of a plug-in.
static void put_file(const char *folder, weft__plugin_id id, const char *from) {
  char command[2048];
  snprintf(command, sizeof command, "cp %s %s/%s.so && chmod 755 %s/%s.so", from, folder,
           weft_plugin_name(id), folder, weft_plugin_name(id));
  CHECK_INT(system(command), 0);
}

TEST(those_of_the_build_are_found) {
  weft_diag d = {0};
  CHECK_INT(weft_plugin_count(), WEFT__PLUGIN_COUNT);
  for (size_t i = 0; i < weft_plugin_count(); i++) {
    weft_status s = load_from(NULL, false, (weft__plugin_id)i, &d);
    if (was_built(i))
      CHECK_STR(d.text, "");
    CHECK_INT(s, was_built(i) ? WEFT_OK : WEFT_E_UNSUPPORTED);
    if (!was_built(i))
      check_skip("%s was not built", weft_plugin_name(i));
  }
  weft_env *e = open_plugins(NULL, false);
  CHECK_FAILS(weft_plugin_load(e, weft_plugin_count(), NULL, &d), WEFT_E_INVALID);
  CHECK_STR(weft_plugin_name(weft_plugin_count()), "");
  CHECK_STR(weft_plugin_use(weft_plugin_count()), "");
  weft_env_destroy(e);
}

// ---- what is missing is named ----
typedef struct missing_case {
  weft__plugin_id id;
  const char *op, *input, *use, *package;
} missing_case;
static const missing_case missing[] = {
    {WEFT__PLUGIN_JPEG, "ImageDecoder", "u8[4]{255,216,255,0}", "reading JPEG pictures", "libjpeg-dev"},
    {WEFT__PLUGIN_PNG, "ImageDecoder", "u8[8]{137,80,78,71,13,10,26,10}", "reading PNG pictures",
     "libpng-dev"},
    {WEFT__PLUGIN_TIFF, "ImageDecoder", "u8[4]{73,73,42,0}", "reading TIFF pictures", "libtiff-dev"},
    {WEFT__PLUGIN_JP2, "ImageDecoder", "u8[4]{255,79,255,81}", "reading JPEG 2000 pictures",
     "libopenjp2-7-dev"},
    {WEFT__PLUGIN_WEBP, "ImageDecoder", "u8[4]{82,73,70,70}", "reading WebP pictures", "libwebp-dev"},
    {WEFT__PLUGIN_PCRE2, "StaticRegexFullMatch", "str[1]{\"a\"}", "matching regular expressions",
     "libpcre2-dev"},
};

static void check_missing(rows *r, const missing_case *m, const char *where) {
  char expected[512];
  const char *got = rows_run(r, m->op, NULL, m->input, 1);
  snprintf(expected, sizeof expected, "%s needs the plug-in %s, and %s", m->use, weft_plugin_name(m->id),
           where);
  CHECK_HAS(got, "E_UNSUPPORTED");
  CHECK_HAS(got, expected);
  snprintf(expected, sizeof expected, "install %s, then build and install weft again", m->package);
  CHECK_HAS(got, expected);
  CHECK_HAS(r->d.text, m->op);  // the operator that needed it
}

TEST(an_empty_folder_is_named) {
  static rows r;
  char folder[64];
  char where[256];
  if (!make_folder(folder))
    return;
  r.env = open_plugins(folder, false);
  for (size_t i = 0; i < WEFT_COUNT(missing); i++) {
    snprintf(where, sizeof where, "there is no '%s/%s.so': ", folder, weft_plugin_name(missing[i].id));
    check_missing(&r, &missing[i], where);
  }
  weft_env_destroy(r.env);
  drop_folder(folder);
}

// Examples that need one are neither checked nor failed.
static void count_skipped(void *ctx, const char *text) {
  CHECK_HAS(text, "matching regular expressions needs the plug-in weft_pcre2");
  ++*(int *)ctx;
}
static void report_none(void *ctx, const char *text) {
  (void)ctx;
  check_failed(__FILE__, __LINE__, "%s", text);
}
TEST(laws_skip_what_needs_one) {
  if (!was_built(WEFT__PLUGIN_PCRE2)) {
    check_skip("weft_pcre2 was not built");
    return;
  }
  weft_env *e = open_plugins("", false);
  const weft_proto *p = NULL;
  weft_diag d = {0};
  weft_laws_result r;
  int skipped = 0;
  const weft_laws_options o = {
      .size = sizeof o, .rounds = 1, .report = report_none, .report_ctx = &skipped, .skipped = count_skipped};
  CHECK_OK(weft_get(e, "RegexFullMatch", &p, &d), &d);
  CHECK_OK(weft_op_laws(e, p, &o, &r, &d), &d);
  CHECK_INT(r.failed, 0);
  CHECK(skipped > 0 && (uint32_t)skipped < r.examples);
  weft_env_destroy(e);
}

// What is not there now may be there later: nothing is kept of a failure.
TEST(a_plugin_that_comes_later) {
  weft_diag d = {0};
  char folder[64];
  if (!was_built(WEFT__PLUGIN_ZLIB)) {
    check_skip("weft_zlib was not built");
    return;
  }
  if (!make_folder(folder))
    return;
  weft_env *e = open_plugins(folder, false);
  CHECK_FAILS(weft_plugin_load(e, WEFT__PLUGIN_ZLIB, NULL, &d), WEFT_E_UNSUPPORTED);
  put_file(folder, WEFT__PLUGIN_ZLIB, WEFT_PLUGINS_BUILT "/weft_zlib.so");
  weft_diag_clear(&d);
  CHECK_OK(weft_plugin_load(e, WEFT__PLUGIN_ZLIB, NULL, &d), &d);
  weft_env_destroy(e);
  drop_folder(folder);
}

TEST(no_folder_by_choice) {
  weft_diag d = {0};
  CHECK_FAILS(load_from("", false, WEFT__PLUGIN_PNG, &d), WEFT_E_UNSUPPORTED);
  CHECK_HAS(d.text, "the folder of plug-ins is set to \"\", which is none");
}

TEST(the_variable_is_the_default) {
  weft_diag d = {0};
  CHECK_INT(setenv("WEFT_PLUGIN_FOLDER", "/nowhere/at/all", 1), 0);
  CHECK_FAILS(load_from(NULL, false, WEFT__PLUGIN_PNG, &d), WEFT_E_UNSUPPORTED);
  CHECK_HAS(d.text, "there is no '/nowhere/at/all/weft_png.so'");
  CHECK_INT(load_from(WEFT_PLUGINS_BUILT, false, WEFT__PLUGIN_PNG, &d),
            was_built(WEFT__PLUGIN_PNG) ? WEFT_OK : WEFT_E_UNSUPPORTED);
  CHECK_INT(unsetenv("WEFT_PLUGIN_FOLDER"), 0);
}

// ---- what others could have put there ----
TEST(a_relative_folder) {
  weft_diag d = {0};
  char before[4096];
  CHECK(getcwd(before, sizeof before) != NULL);
  CHECK_INT(chdir(WEFT_PLUGINS_BUILT), 0);
  CHECK_FAILS(load_from(".", false, WEFT__PLUGIN_ZLIB, &d), WEFT_E_INVALID);
  CHECK_HAS(d.text, "the folder of plug-ins '.' is refused: it is relative");
  if (was_built(WEFT__PLUGIN_ZLIB))
    CHECK_OK(load_from(".", true, WEFT__PLUGIN_ZLIB, &d), &d);
  CHECK_INT(chdir(before), 0);
}

TEST(where_everybody_may_write) {
  weft_diag d = {0};
  char folder[64];
  char file[128];
  if (!was_built(WEFT__PLUGIN_ZLIB)) {
    check_skip("weft_zlib was not built");
    return;
  }
  if (!make_folder(folder))
    return;
  put_file(folder, WEFT__PLUGIN_ZLIB, WEFT_PLUGINS_BUILT "/weft_zlib.so");
  CHECK_OK(load_from(folder, false, WEFT__PLUGIN_ZLIB, &d), &d);
  CHECK_INT(chmod(folder, 01777), 0);
  CHECK_FAILS(load_from(folder, false, WEFT__PLUGIN_ZLIB, &d), WEFT_E_INVALID);
  CHECK_HAS(d.text, "is refused: everybody may change the folder (chmod o-w) /tmp/weft_plugins_");
  CHECK_OK(load_from(folder, true, WEFT__PLUGIN_ZLIB, &d), &d);
  CHECK_INT(chmod(folder, 0755), 0);
  snprintf(file, sizeof file, "%s/weft_zlib.so", folder);
  CHECK_INT(chmod(file, 0777), 0);
  CHECK_FAILS(load_from(folder, false, WEFT__PLUGIN_ZLIB, &d), WEFT_E_INVALID);
  CHECK_HAS(d.text, "everybody may write to it");
  drop_folder(folder);
}

// The folder is safe; what the link in it leads to is not.
TEST(a_link_to_where_everybody_may_write) {
  weft_diag d = {0};
  char folder[64];
  char open[64];
  char file[128];
  char link[128];
  if (!was_built(WEFT__PLUGIN_ZLIB)) {
    check_skip("weft_zlib was not built");
    return;
  }
  if (!make_folder(folder) || !make_folder(open))
    return;
  put_file(open, WEFT__PLUGIN_ZLIB, WEFT_PLUGINS_BUILT "/weft_zlib.so");
  snprintf(file, sizeof file, "%s/weft_zlib.so", open);
  snprintf(link, sizeof link, "%s/weft_zlib.so", folder);
  CHECK_INT(symlink(file, link), 0);
  CHECK_OK(load_from(folder, false, WEFT__PLUGIN_ZLIB, &d), &d);
  CHECK_INT(chmod(open, 0777), 0);
  CHECK_FAILS(load_from(folder, false, WEFT__PLUGIN_ZLIB, &d), WEFT_E_INVALID);
  CHECK_HAS(d.text, "everybody may change the folder");
  drop_folder(folder);
  drop_folder(open);
}

// ---- what only looks like one ----
static void try_false(const char *from, weft__plugin_id id, weft_status expected, const char *message) {
  weft_diag d = {0};
  char folder[64];
  if (!make_folder(folder))
    return;
  put_file(folder, id, from);
  CHECK_FAILS(load_from(folder, false, id, &d), expected);
  CHECK_HAS(d.text, message);
  drop_folder(folder);
}

TEST(false_plugins) {
  try_false(WEFT_SOURCE_DIR "/README.md", WEFT__PLUGIN_PNG, WEFT_E_UNSUPPORTED,
            "reading PNG pictures needs the plug-in weft_png, which does not load: ");
  try_false(WEFT_FALSE_PLUGINS "/next_version.so", WEFT__PLUGIN_ZLIB, WEFT_E_ABI,
            "has version 4 of the interface, this weft has 3: install both from one build");
  try_false(WEFT_FALSE_PLUGINS "/no_function.so", WEFT__PLUGIN_ZLIB, WEFT_E_ABI, "is not what its name says");
  try_false(WEFT_FALSE_PLUGINS "/nothing.so", WEFT__PLUGIN_ZLIB, WEFT_E_ABI,
            "is no plug-in of weft: it does not export 'weft_plugin_exported'");
  if (was_built(WEFT__PLUGIN_JPEG))
    try_false(WEFT_PLUGINS_BUILT "/weft_jpeg.so", WEFT__PLUGIN_PNG, WEFT_E_ABI, "is not what its name says");
}
// SPDX-License-Identifier: Apache-2.0
