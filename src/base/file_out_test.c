// file_out_test.c - files that are there whole or not at all: what a failure leaves, links, rights, and what
// is no file.
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"
#include "weft/file.h"

typedef struct folder {
  char dir[64], path[96], other[96];
} folder;

static void make_folder(folder *f) {
  snprintf(f->dir, sizeof f->dir, "/tmp/weft_file_out_%ld_XXXXXX", (long)getpid());
  CHECK(mkdtemp(f->dir) != NULL);
  snprintf(f->path, sizeof f->path, "%s/a.weft", f->dir);
  snprintf(f->other, sizeof f->other, "%s/b.weft", f->dir);
}

// How many files are in it; those that the tests make are removed.
static size_t drop_folder(const folder *f) {
  size_t n = 0;
  DIR *dir = opendir(f->dir);
  for (struct dirent *e; dir && (e = readdir(dir));)
    n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
  if (dir)
    closedir(dir);
  unlink(f->path);
  unlink(f->other);
  CHECK_INT(rmdir(f->dir), 0);
  return n;
}

static weft_status put(const char *path, const char *text, weft_status so_far, weft_diag *d) {
  weft_file_out *f;
  weft_diag_clear(d);
  WEFT_TRY(weft_file_create(path, &f, d));
  weft_status s = weft_file_write(f, text, strlen(text));
  return weft_file_finish(f, so_far ? so_far : s, d);
}

static const char *content(const char *path) {
  static char text[256];
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f)
    fclose(f);
  text[n] = 0;
  return f ? text : "(no file)";
}

TEST(a_file_takes_its_name_when_it_is_whole) {
  folder at;
  weft_diag d = {0};
  weft_file_out *f;
  make_folder(&at);
  CHECK_OK(put(at.path, "old", WEFT_OK, &d), &d);
  CHECK_STR(content(at.path), "old");
  CHECK_OK(weft_file_create(at.path, &f, &d), &d);
  CHECK_OK(weft_file_write(f, "new", 3), &d);
  CHECK_STR(content(at.path), "old");
  CHECK_OK(weft_file_finish(f, WEFT_OK, &d), &d);
  CHECK_STR(content(at.path), "new");
  CHECK_INT(drop_folder(&at), 1);
}

TEST(a_failure_leaves_the_old_file) {
  folder at;
  weft_diag d = {0};
  make_folder(&at);
  CHECK_OK(put(at.path, "old", WEFT_OK, &d), &d);
  CHECK_INT(put(at.path, "new", WEFT_E_SHAPE, &d), WEFT_E_SHAPE);
  CHECK_STR(content(at.path), "old");
  CHECK_INT(put(at.other, "new", WEFT_E_SHAPE, &d), WEFT_E_SHAPE);
  CHECK_STR(content(at.other), "(no file)");
  CHECK_INT(drop_folder(&at), 1);
  CHECK_INT(weft_file_finish(NULL, WEFT_E_SHAPE, &d), WEFT_E_SHAPE);
}

// A limit on the size of files stands for a full disk: writing fails in the same place.
TEST(a_full_disk_leaves_the_old_file) {
  enum { LIMIT = 65536, PIECE = 1000 };
  static char piece[PIECE];
  folder at;
  weft_diag d = {0};
  weft_file_out *f;
  struct rlimit old;
  struct rlimit small;
  make_folder(&at);
  CHECK_OK(put(at.path, "old", WEFT_OK, &d), &d);
  CHECK_INT(getrlimit(RLIMIT_FSIZE, &old), 0);
  small = (struct rlimit){LIMIT, old.rlim_max};
  void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
  CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
  weft_status s = weft_file_create(at.path, &f, &d);
  weft_status written = WEFT_OK;
  for (int i = 0; !s && !written && i < 2 * LIMIT / PIECE; i++)
    written = weft_file_write(f, piece, PIECE);
  if (!s)
    s = weft_file_finish(f, written, &d);
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, before);
  CHECK_INT(written, WEFT_E_IO);
  CHECK_INT(s, WEFT_E_IO);
  CHECK_HAS(d.text, "a.weft': File too large; the file of that name is as it was");
  CHECK_STR(content(at.path), "old");
  CHECK_INT(drop_folder(&at), 1);
}

TEST(links_stay_and_rights_too) {
  folder at;
  weft_diag d = {0};
  struct stat st;
  make_folder(&at);
  CHECK_OK(put(at.path, "old", WEFT_OK, &d), &d);
  CHECK_INT(chmod(at.path, 0640), 0);
  CHECK_INT(symlink("a.weft", at.other), 0);
  CHECK_OK(put(at.other, "new", WEFT_OK, &d), &d);
  CHECK(!lstat(at.other, &st) && S_ISLNK(st.st_mode));
  CHECK_STR(content(at.path), "new");
  CHECK(!lstat(at.path, &st) && (st.st_mode & 07777) == 0640);
  unlink(at.path);  // a link to nothing makes what it names
  CHECK_OK(put(at.other, "first", WEFT_OK, &d), &d);
  CHECK(!lstat(at.other, &st) && S_ISLNK(st.st_mode));
  CHECK_STR(content(at.path), "first");
  mode_t mask = umask(027);
  unlink(at.other);
  CHECK_OK(put(at.other, "x", WEFT_OK, &d), &d);
  umask(mask);
  CHECK(!lstat(at.other, &st) && (st.st_mode & 07777) == 0640);
  CHECK_INT(drop_folder(&at), 2);
}

TEST(a_loop_of_links_and_a_folder_are_refused) {
  folder at;
  weft_diag d = {0};
  make_folder(&at);
  CHECK_INT(symlink("a.weft", at.path), 0);
  CHECK_INT(put(at.path, "x", WEFT_OK, &d), WEFT_E_IO);
  CHECK_HAS(d.text, "symbolic links");
  CHECK_INT(put(at.dir, "x", WEFT_OK, &d), WEFT_E_IO);
  CHECK_HAS(d.text, "Is a directory");
  CHECK_INT(put("/no/such/folder/a", "x", WEFT_OK, &d), WEFT_E_IO);
  CHECK_HAS(d.text, "cannot write '/no/such/folder/a': No such file or directory");
  CHECK_INT(put("", "x", WEFT_OK, &d), WEFT_E_IO);
  CHECK_INT(put(NULL, "x", WEFT_OK, &d), WEFT_E_INVALID);
  CHECK_INT(drop_folder(&at), 1);
}

TEST(what_may_not_be_written_is_refused) {
  folder at;
  weft_diag d = {0};
  make_folder(&at);
  CHECK_OK(put(at.path, "old", WEFT_OK, &d), &d);
  chmod(at.path, 0444);
  if (geteuid()) {  // root may
    CHECK_INT(put(at.path, "x", WEFT_OK, &d), WEFT_E_IO);
    CHECK_HAS(d.text, "Permission denied");
    chmod(at.path, 0644);
    chmod(at.dir, 0555);
    CHECK_INT(put(at.path, "x", WEFT_OK, &d), WEFT_E_IO);
    CHECK_HAS(d.text, "a file is never written over in place");
    chmod(at.dir, 0755);
    CHECK_STR(content(at.path), "old");
  }
  CHECK_INT(drop_folder(&at), 1);
}

TEST(devices_and_descriptors_are_written_directly) {
  folder at;
  weft_diag d = {0};
  char path[32];
  char got[8] = "";
  int ends[2];
  make_folder(&at);
  CHECK_OK(put("/dev/null", "x", WEFT_OK, &d), &d);
  CHECK_INT(put("/dev/full", "x", WEFT_OK, &d), WEFT_E_IO);
  CHECK_STR(d.text, "cannot write '/dev/full': No space left on device");
  CHECK_INT(pipe(ends), 0);
  snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
  CHECK_OK(put(path, "pipe", WEFT_OK, &d), &d);
  CHECK_INT(read(ends[0], got, sizeof got), 4);
  CHECK_STR(got, "pipe");
  CHECK_INT(symlink(path, at.other), 0);  // as /dev/stdout is one to /proc/self/fd/1
  CHECK_OK(put(at.other, "link", WEFT_OK, &d), &d);
  CHECK_INT(read(ends[0], got, sizeof got), 4);
  CHECK_STR(got, "link");
  close(ends[0]);
  close(ends[1]);
  CHECK_INT(put(path, "x", WEFT_OK, &d), WEFT_E_IO);
  CHECK_INT(drop_folder(&at), 1);
}
// SPDX-License-Identifier: Apache-2.0
