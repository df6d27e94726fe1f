// load.c - ONNX models from memory and from files. What a file holds is mapped or copied, and the graph keeps
// it: constants may lie there.
#include "base/allocated.h"
#include "base/told.h"
#include "base/file.h"
#include "frontend/onnx/import.h"
#include "weft/onnx.h"

weft_status weft_onnx_read(weft_env *e, const void *data, size_t bytes, const char *name, weft_graph **out,
                           weft_diag *d) {
  return weft_onnx_read_with(e, data, bytes, name, NULL, out, d);
}

weft_status weft_onnx_read_with(weft_env *e, const void *data, size_t bytes, const char *name,
                                const weft_onnx_options *o, weft_graph **out, weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, e);
  WEFT_NEED_LIST(d, data, bytes);
  const onnx_source from = {.data = data, .bytes = bytes, .name = name};
  return weft__told(weft__onnx_read_files(e, &from, o, out, d), d);
}

typedef struct mapped {
  weft_file file;
  onnx_files *external;
  weft_allocator alloc;
} mapped;

static void drop_mapped(void *ctx) {
  mapped *m = ctx;
  weft_allocator a = m->alloc;
  weft__file_unmap(&m->file);
  onnx_files_destroy(m->external);
  weft__free(&a, m, sizeof *m, _Alignof(mapped));
}

// The graph's constants may lie in the files: it keeps them.
static weft_status mapped_keep(mapped *m, weft_graph *g) {
  if (m->file.fd >= 0)
    WEFT_TRY(weft__graph_mapped(g, m->file.data, m->file.bytes, m->file.fd));
  WEFT_TRY(onnx_files_mapped(m->external, g));
  return weft_graph_keep(g, drop_mapped, m);
}

static weft_status mapped_read(mapped *m, weft_env *e, const char *path, const weft_onnx_options *o,
                               weft_graph **out, weft_diag *d) {
  size_t copied = weft__env_copy_most(e);
  WEFT_TRY(weft__file_take(path, copied, &m->file, d));
  WEFT_TRY(onnx_files_create(&e->alloc, path, copied, &m->external, d));
  const onnx_source from = {.data = m->file.data, .bytes = m->file.bytes, .name = path, .files = m->external};
  weft_status s = weft__onnx_read_files(e, &from, o, out, d);
  onnx_files_settle(m->external);
  weft__file_rest(&m->file);
  return s ? s : mapped_keep(m, *out);
}

weft_status weft_onnx_load(weft_env *e, const char *path, weft_graph **out, weft_diag *d) {
  return weft_onnx_load_with(e, path, NULL, out, d);
}

weft_status weft_onnx_load_with(weft_env *e, const char *path, const weft_onnx_options *o, weft_graph **out,
                                weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, e);
  WEFT_NEED(d, path);
  mapped *m = weft__alloc(&e->alloc, sizeof *m, _Alignof(mapped));
  WEFT_TRY(weft__allocated(m, d));
  memset(m, 0, sizeof *m);
  m->alloc = e->alloc;
  m->file.fd = -1;
  weft_status s = mapped_read(m, e, path, o, out, d);
  if (s == WEFT_E_NOMEM)
    weft_fail(d, s, "out of memory while loading '%s'", path);
  if (s && *out) {
    weft_graph_destroy(*out);
    *out = NULL;
  }
  if (s)
    drop_mapped(m);
  return weft__told(s, d);
}
// SPDX-License-Identifier: Apache-2.0
