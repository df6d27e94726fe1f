// roots_test.c - roots of packages that are refused: relative ones, and those where everybody may put a
// library.
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "rows.h"

typedef struct tree {  // a root of its own with one library
  char root[64];
  char folder[256];
  char file[300];
} tree;

static bool copy_file(const char *from, const char *to) {
  char piece[4096];
  FILE *in = fopen(from, "rb");
  FILE *out = fopen(to, "wb");
  for (size_t n; in && out && (n = fread(piece, 1, sizeof piece, in)) > 0;)
    fwrite(piece, 1, n, out);
  if (in)
    fclose(in);
  return in && out && !fclose(out);
}

static bool make_tree(tree *t) {
  struct utsname u;
  char command[400];
  char from[1024];
  uname(&u);
  snprintf(t->root, sizeof t->root, "/tmp/weft_roots_%ld_XXXXXX", (long)getpid());
  if (!mkdtemp(t->root))
    return false;
  snprintf(t->folder, sizeof t->folder, "%s/op_graph/lib/linux/%.60s", t->root, u.machine);
  snprintf(t->file, sizeof t->file, "%s/libdocuments.so", t->folder);
  snprintf(command, sizeof command, "umask 022 && mkdir -p %s", t->folder);
  if (system(command))
    return false;
  snprintf(from, sizeof from, "%s/op_graph/lib/linux/%s/libdocuments.so", ROWS_DOCUMENTS, u.machine);
  return copy_file(from, t->file) && !chmod(t->file, 0644);
}

static void drop_tree(const tree *t) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", t->root);
  CHECK_INT(system(command), 0);
}

// Refused for `reason` ("": it is not), which log and list name; taken with any_root.
static void try_root(const char *root, const char *reason) {
  rows r;
  weft_env *e = NULL;
  weft_diag d = {0};
  if (!rows_open(&r, root))
    return;
  CHECK_INT(weft_package_count(r.env), 1);
  CHECK_INT(weft_find(r.env, "AddCustom") != NULL, !*reason);
  const char *problem = weft_package_at(r.env, 0).problem;
  if (*reason)
    CHECK_HAS(problem, reason);
  if (*reason)
    CHECK_HAS(r.log, reason);
  if (!*reason)
    CHECK(!problem);
  rows_close(&r);
  weft_env_options o = {.size = sizeof o, .package_path = root, .strict = true};
  CHECK_INT(weft_env_create(&o, &e, &d), *reason ? WEFT_E_INVALID : WEFT_OK);
  if (*reason)
    CHECK_HAS(d.text, reason);
  weft_env_destroy(e);
  o.any_root = true;
  weft_diag_clear(&d);
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  CHECK(weft_find(e, "AddCustom") != NULL);
  weft_env_destroy(e);
}

TEST(relative_roots) {
  char before[4096];
  CHECK(getcwd(before, sizeof before) != NULL);
  CHECK_INT(chdir(ROWS_PACKAGES), 0);
  try_root("documents", "package root 'documents' is refused: it is relative");
  try_root("./documents", "'./documents' is refused: it is relative");
  CHECK_INT(chdir(before), 0);
}

TEST(folders_that_everybody_may_change) {
  tree t;
  char reason[400];
  if (!make_tree(&t)) {
    check_failed(__FILE__, __LINE__, "cannot make a root in /tmp");
    return;
  }
  try_root(t.root, "");
  CHECK_INT(chmod(t.root, 0777), 0);
  snprintf(reason, sizeof reason, "package root '%s' is refused: folder '%s' may be changed by everybody",
           t.root, t.root);
  try_root(t.root, reason);
  CHECK_INT(chmod(t.root, 01777), 0);  // as /tmp: what others put there is theirs, and not looked for
  try_root(t.root, "");
  CHECK_INT(chmod(t.root, 0755), 0);
  CHECK_INT(chmod(t.folder, 01777), 0);
  snprintf(reason, sizeof reason, "folder '%s' may be changed by everybody", t.folder);
  try_root(t.root, reason);
  CHECK_INT(chmod(t.folder, 0755), 0);
  CHECK_INT(chmod(t.file, 0666), 0);
  try_root(t.root, "is refused: everybody may write to it");
  drop_tree(&t);
}

// The link is safe where it lies; what it leads to is not.
TEST(links_to_where_everybody_may_write) {
  tree t;
  tree open;
  char reason[400];
  if (!make_tree(&t) || !make_tree(&open)) {
    check_failed(__FILE__, __LINE__, "cannot make a root in /tmp");
    return;
  }
  CHECK_INT(chmod(open.folder, 0777), 0);
  CHECK_INT(unlink(t.file), 0);
  CHECK_INT(symlink(open.file, t.file), 0);
  snprintf(reason, sizeof reason, "is refused: folder '%s' may be changed by everybody", open.folder);
  try_root(t.root, reason);
  drop_tree(&t);
  drop_tree(&open);
}

// A library that is named by its own path is the caller's choice.
TEST(a_library_by_its_path_is_taken) {
  tree t;
  rows r;
  if (!make_tree(&t) || !rows_open(&r, ""))
    return;
  CHECK_INT(chmod(t.folder, 0777), 0);
  CHECK_OK(weft_load_package(r.env, t.file, &r.d), &r.d);
  CHECK(weft_find(r.env, "AddCustom") != NULL);
  rows_close(&r);
  drop_tree(&t);
}
// SPDX-License-Identifier: Apache-2.0
