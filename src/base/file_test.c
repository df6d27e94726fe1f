// file_test.c - mapping files, and what is refused.
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "check.h"

// A path in a fresh directory; the caller removes both.
static void make_dir(char dir[64]) {
  snprintf(dir, 64, "/tmp/weft_file_test_%ld_XXXXXX", (long)getpid());
  CHECK(mkdtemp(dir) != NULL);
}

TEST(maps_a_whole_file) {
  char dir[64];
  char path[96];
  weft_diag d = {0};
  weft_file f;
  make_dir(dir);
  snprintf(path, sizeof path, "%s/算子", dir);
  FILE *out = fopen(path, "wb");
  CHECK(out != NULL);
  if (!out)
    return;
  for (int i = 0; i < 10000; i++)
    fputc(i & 255, out);
  fclose(out);
  CHECK_OK(weft__file_map(path, &f, &d), &d);
  CHECK_INT(f.bytes, 10000);
  for (int i = 0; i < 10000; i++)
    CHECK_INT(f.data[i], i & 255);
  weft__file_rest(&f);
  for (int i = 0; i < 10000; i++)
    CHECK_INT(f.data[i], i & 255);  // it comes back
  uint8_t part[300];
  CHECK(weft__file_read_at(f.fd, 777, part, sizeof part) && !memcmp(part, f.data + 777, sizeof part));
  CHECK(!weft__file_read_at(f.fd, 9900, part, 101) && weft__file_read_at(f.fd, 9900, part, 100));
  CHECK(!weft__file_read_at(-1, 0, part, 1));
  const weft_file memory = {.data = f.data, .bytes = f.bytes, .fd = -1};
  for (int i = 0; i < 2; i++) {
    memset(part, 0, sizeof part);
    weft__file_peek(i ? &memory : &f, 9950, part, 50);
    CHECK(!memcmp(part, f.data + 9950, 50) && !part[50]);
  }
  weft__file_unmap(&f);
  weft__file_rest(&f);
  CHECK(!f.data && !f.bytes && !f.map);
  weft__file_unmap(&f);
  out = fopen(path, "wb");
  fclose(out);
  CHECK_OK(weft__file_map(path, &f, &d), &d);
  CHECK_INT(f.bytes, 0);
  CHECK(f.data != NULL);
  weft__file_unmap(&f);
  unlink(path);
  rmdir(dir);
}

TEST(refusals_name_path_and_reason) {
  char dir[64];
  char path[96];
  char wanted[200];
  weft_diag d = {0};
  weft_file f;
  make_dir(dir);
  CHECK_FAILS(weft__file_map(dir, &f, &d), WEFT_E_IO);
  snprintf(wanted, sizeof wanted, "cannot read file '%s': it is a directory", dir);
  CHECK_STR(d.text, wanted);
  CHECK(!f.data);
  snprintf(path, sizeof path, "%s/absent", dir);
  weft_diag_clear(&d);
  CHECK_FAILS(weft__file_map(path, &f, &d), WEFT_E_NOT_FOUND);
  snprintf(wanted, sizeof wanted, "cannot open file '%s': No such file or directory", path);
  CHECK_STR(d.text, wanted);
  weft_diag_clear(&d);
  CHECK_INT(mkfifo(path, 0600), 0);  // nobody writes to it: opening must not wait
  CHECK_FAILS(weft__file_map(path, &f, &d), WEFT_E_IO);
  CHECK_HAS(d.text, "it is not a regular file");
  unlink(path);
  weft_diag_clear(&d);
  CHECK_INT(symlink("absent", path), 0);
  CHECK_FAILS(weft__file_map(path, &f, &d), WEFT_E_IO);
  CHECK_HAS(d.text, "symbolic links");
  unlink(path);
  rmdir(dir);
  weft_diag_clear(&d);
  CHECK_FAILS(weft__file_map("/dev/null", &f, &d), WEFT_E_IO);
  CHECK_HAS(d.text, "'/dev/null': it is not a regular file");
  CHECK_FAILS(weft__file_map(NULL, &f, NULL), WEFT_E_INVALID);
  CHECK_FAILS(weft__file_map("", &f, NULL), WEFT_E_NOT_FOUND);
}
// SPDX-License-Identifier: Apache-2.0
