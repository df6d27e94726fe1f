// copied_test.c - a program whose file shrinks under it: a copy goes on, and it is a copy where
// weft_env_options.files or the file's size say so. One that maps the file says that it was written to.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "run_util.h"

enum { WEIGHTS = 2 << 20, GOOD = 7, SEEN = 8 };  // floats: more than is copied without being asked for

static bool save(const char *path, uint32_t elems) {
  char text[200];
  rows r;
  weft_graph *g = NULL;
  weft_program *p = NULL;
  if (!rows_open(&r, ""))
    return false;
  snprintf(text, sizeof text,
           "graph \"g\" { input x: f32[%u] const w: f32[%u]{*3} node a: Add(x, w) -> y output y }", elems,
           elems);
  weft_status s = weft_graph_parse(r.env, text, strlen(text), "test", &g, &r.d);
  if (!s)
    s = weft_compile(g, NULL, &p, &r.d);
  if (!s)
    s = weft_program_save_file(p, path, &r.d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s", r.d.text);
  weft_program_release(p);
  rows_close(&r);
  return !s;
}

typedef enum when { BEFORE_PLANNING, BETWEEN_RUNS } when;

// The file, shortened or, where `same` says so, one byte of it written again.
static weft_status spoil(const char *path, bool same) {
  if (!same)
    return truncate(path, 100) ? WEFT_E_KERNEL : WEFT_OK;
  FILE *f = fopen(path, "r+b");
  if (!f)
    return WEFT_E_KERNEL;
  int first = fgetc(f);
  rewind(f);
  bool done = fputc(first, f) == first;
  return fclose(f) || !done ? WEFT_E_KERNEL : WEFT_OK;
}

static weft_status run_once(weft_exec *x, weft_program *p) {
  weft_tensor_desc in_desc;
  weft_tensor in;
  weft_tensor out;
  weft_tensor_init(&in, NULL);
  weft_tensor_init(&out, NULL);
  weft_status s = WEFT_OK;
  if (weft_program_input(p, 0, &in_desc))
    s = weft_tensor_alloc(&in, WEFT_FLOAT, in_desc.layout.origin.dim, 1, NULL);
  if (!s)
    s = weft_exec_run(x, (const weft_tensor *const[]){&in}, 1, (weft_tensor *const[]){&out}, 1, NULL);
  if (!s && weft_tensor_f32(&out)[0] != 3)
    s = WEFT_E_KERNEL;
  weft_tensor_deinit(&in);
  weft_tensor_deinit(&out);
  return s;
}

// Loads the program, spoils its file, and runs: how the process that does so ends.
static int run_spoiled(const char *path, uint32_t files, when at, bool same) {
  fflush(NULL);
  pid_t child = fork();
  if (!child) {
    weft_env_options o = {.size = sizeof o, .package_path = "", .threads = 1, .files = files};
    weft_env *e;
    weft_program *p;
    weft_exec *x;
    weft_status s = weft_env_create(&o, &e, NULL);
    if (!s)
      s = weft_program_load(e, path, &p, NULL);
    if (!s && at == BEFORE_PLANNING)
      s = spoil(path, same);
    if (!s)
      s = weft_exec_create(p, NULL, &x, NULL);
    if (!s && at == BETWEEN_RUNS)
      s = run_once(x, p);
    if (!s && at == BETWEEN_RUNS)
      s = spoil(path, same);
    if (!s)
      s = run_once(x, p);
    _exit(!s ? GOOD : s == WEFT_E_IO ? SEEN : 1);
  }
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(a_mapped_file_that_is_written_to_is_seen) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/weft_spoiled_%ld.weft", (long)getpid());
  for (int i = 0; i < 4; i++) {
    if (save(path, WEIGHTS))
      CHECK_INT(run_spoiled(path, WEFT_FILES_MAP, i & 1 ? BETWEEN_RUNS : BEFORE_PLANNING, i & 2), SEEN);
  }
  unlink(path);
}

TEST(a_copied_program_does_not_need_its_file) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/weft_copied_%ld.weft", (long)getpid());
  if (save(path, WEIGHTS))
    CHECK_INT(run_spoiled(path, WEFT_FILES_COPY, BEFORE_PLANNING, false), GOOD);
  if (save(path, 1000))
    CHECK_INT(run_spoiled(path, WEFT_FILES_AUTO, BETWEEN_RUNS, false), GOOD);
  unlink(path);
}

TEST(files_up_to_a_size_are_copied) {
  char path[64];
  weft_file f;
  weft_diag d = {0};
  snprintf(path, sizeof path, "/tmp/weft_copied_%ld.bin", (long)getpid());
  FILE *to = fopen(path, "wb");
  CHECK(to != NULL);
  if (!to)
    return;
  for (int i = 0; i < 10000; i++)
    fputc(i & 255, to);
  fclose(to);
  const size_t most[] = {0, 9999, 10000, SIZE_MAX};
  for (size_t i = 0; i < WEFT_COUNT(most); i++) {
    CHECK_OK(weft__file_take(path, most[i], &f, &d), &d);
    CHECK_INT(f.fd < 0, most[i] >= 10000);
    CHECK_INT(f.bytes, 10000);
    for (int k = 0; k < 10000; k += 77)
      CHECK_INT(f.data[k], k & 255);
    weft__file_rest(&f);
    CHECK_INT(f.data[9999], 9999 & 255);
    weft__file_unmap(&f);
  }
  unlink(path);
}
// SPDX-License-Identifier: Apache-2.0
