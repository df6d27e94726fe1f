// replay.c - runs files, or all files of directories, through one target, without libFuzzer: the ordinary
// tests replay what fuzzing found. Each file is read into a block of exactly its size.
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static int replay_file(const char *path, const struct stat *st) {
  size_t bytes = (size_t)st->st_size;
  uint8_t *data = malloc(bytes ? bytes : 1);
  FILE *f = data ? fopen(path, "rb") : NULL;
  if (!f || fread(data, 1, bytes, f) != bytes) {
    fprintf(stderr, "replay: cannot read '%s': %s\n", path, strerror(errno));
    if (f)
      fclose(f);
    free(data);
    return -1;
  }
  fclose(f);
  if (getenv("REPLAY_VERBOSE"))
    fprintf(stderr, "replay: %s\n", path);
  LLVMFuzzerTestOneInput(data, bytes);
  free(data);
  return 1;
}

// Files replayed; -1 and a message on failure.
static int replay(const char *path) {
  struct stat st;
  char name[4096];
  int n = 0;
  if (stat(path, &st)) {
    fprintf(stderr, "replay: cannot find '%s': %s\n", path, strerror(errno));
    return -1;
  }
  if (!S_ISDIR(st.st_mode))
    return replay_file(path, &st);
  DIR *dir = opendir(path);
  for (struct dirent *entry; dir && n >= 0 && (entry = readdir(dir));) {
    if (entry->d_name[0] == '.')
      continue;
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    if (stat(name, &st) || !S_ISREG(st.st_mode))
      continue;
    int k = replay_file(name, &st);
    n = k < 0 ? -1 : n + k;
  }
  if (dir)
    closedir(dir);
  return dir ? n : -1;
}

int main(int argc, char **argv) {
  int n = 0;
  for (int i = 1; i < argc; i++) {
    int k = replay(argv[i]);
    if (k < 0)
      return 1;
    n += k;
  }
  printf("%d files replayed\n", n);
  return n == 0;  // nothing to replay: a wrong path
}
// SPDX-License-Identifier: Apache-2.0
