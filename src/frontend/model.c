// model.c - tells by its first bytes which form a model has, and by its name where they do not tell.
#include "weft/model.h"

#include <sys/stat.h>

#include "base/base.h"
#include "base/file.h"
#include "frontend/mindspore/load.h"
#include "frontend/tf/load.h"
#include "frontend/tflite/load.h"
#include "frontend/torch/load.h"
#include "ir/ir.h"
#include "tensor/zip.h"
#include "weft/onnx.h"
#include "weft/simple.h"

// PYTORCH: a zip archive. TFLITE: a flatbuffer. MINDSPORE: a MINDIR. TENSORFLOW: a GraphDef, or a
// SavedModel's file. GUESS: ONNX, for want of another.
typedef enum form { GRAPH, PROGRAM, JSON, TEXT, PYTORCH, TFLITE, MINDSPORE, TENSORFLOW, ONNX, GUESS } form;

static bool model_ends(const char *name, const char *with) {
  size_t n = strlen(name);
  size_t m = strlen(with);
  return n >= m && !strcmp(name + n - m, with);
}

static bool begins(const char *data, size_t bytes, const char *with) {
  size_t n = strlen(with);
  return bytes >= n && !memcmp(data, with, n);
}

static form form_of(const char *data, size_t bytes, const char *name) {
  if (model_ends(name, ".onnx"))
    return ONNX;
  if (begins(data, bytes, "WEFTGRPH"))
    return GRAPH;
  if (begins(data, bytes, "WEFTPROG"))
    return PROGRAM;
  if (weft__zip_begins(data, bytes))
    return PYTORCH;
  if (weft__tflite_begins(data, bytes))
    return TFLITE;
  if (model_ends(name, ".mindir") || weft__ms_begins(data, bytes))
    return MINDSPORE;
  if (model_ends(name, "saved_model.pb") || weft__tf_begins(data, bytes))
    return TENSORFLOW;
  while (bytes && memchr(" \t\r\n", *data, 4)) {
    data++;
    bytes--;
  }
  if (begins(data, bytes, "{"))
    return JSON;
  if (model_ends(name, ".weft") || model_ends(name, ".txt") || begins(data, bytes, "graph") ||
      begins(data, bytes, "//") || begins(data, bytes, "#"))
    return TEXT;
  return GUESS;
}

static weft_status read_as(weft_env *e, form f, const weft_file *file, const char *name, weft_graph **out,
                           weft_diag *d) {
  const char *data = (const char *)file->data;
  const size_t bytes = file->bytes;
  weft_status s;
  switch (f) {
    case GRAPH:
      s = weft_graph_load(e, data, bytes, out, d);
      if (s)
        weft_note(d, "while loading '%s'", name);
      return s;
    case PROGRAM:
      return weft_fail(d, WEFT_E_INVALID,
                       "'%s' is a program that weft compile made; a model is expected here", name);
    case JSON:
      return weft_simple_read(e, data, bytes, name, out, d);
    case TEXT:
      return weft_graph_parse(e, data, bytes, name, out, d);
    case PYTORCH:
      return weft__torch_read(e, file, name, out, d);
    case MINDSPORE:
      return weft__ms_read(e, data, bytes, name, NULL, out, d);
    case TFLITE:
      return weft__tflite_read(e, file, name, out, d);
    case TENSORFLOW:
      return weft__tf_read(e, data, bytes, name, out, d);
    default:
      return weft_onnx_read(e, data, bytes, name, out, d);
  }
}

const char *weft_model_kind(const void *data, size_t bytes, const char *name) {
  static const char *const kinds[] = {
      [GRAPH] = "graph",     [PROGRAM] = "program",     [JSON] = "json",     [TEXT] = "text",
      [PYTORCH] = "pytorch", [MINDSPORE] = "mindspore", [TFLITE] = "tflite", [TENSORFLOW] = "tensorflow",
      [ONNX] = "onnx",       [GUESS] = "onnx"};
  return kinds[form_of(data ? data : "", data ? bytes : 0, name ? name : "")];
}

static weft_status guessed(weft_status s, form f, weft_diag *d) {
  if (s == WEFT_E_CORRUPT && f == GUESS)
    weft_note(d, "it begins like no kind of file that weft knows, so it was read as ONNX");
  return s;
}

weft_status weft_model_read(weft_env *e, const void *data, size_t bytes, const char *name, weft_graph **out,
                            weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, e);
  WEFT_NEED_LIST(d, data, bytes);
  if (!name)
    name = "model";
  const weft_file memory = {.data = data, .bytes = bytes, .fd = -1};
  form f = form_of(data, bytes, name);
  return guessed(read_as(e, f, &memory, name, out, d), f, d);
}

// ---- files that the graph keeps, because its constants lie there ----
typedef struct kept {
  weft_file file;
  weft_allocator alloc;
} kept;

static void kept_drop(void *ctx) {
  kept *k = ctx;
  weft_allocator a = k->alloc;
  weft__file_unmap(&k->file);
  weft__free(&a, k, sizeof *k, _Alignof(kept));
}

// A small file is copied; another one is the mapping that told its form.
static weft_status kept_take(kept *k, weft_env *e, const char *path, weft_file *seen, weft_diag *d) {
  const size_t most = weft__env_copy_most(e);
  if (seen->bytes > most) {
    k->file = *seen;
    *seen = (weft_file){.fd = -1};
    return WEFT_OK;
  }
  weft__file_unmap(seen);
  return weft__file_take(path, most, &k->file, d);
}

static weft_status kept_read(kept *k, weft_env *e, form f, const char *path, weft_graph **out, weft_diag *d) {
  const char *data = (const char *)k->file.data;
  if (f == MINDSPORE) {
    WEFT_TRY(weft__ms_read(e, data, k->file.bytes, path, path, out, d));
    weft__file_rest(&k->file);  // the others touch no weights: weft__file_peek
  } else
    WEFT_TRY(read_as(e, f, &k->file, path, out, d));
  if (k->file.fd >= 0)
    WEFT_TRY(weft__graph_mapped(*out, k->file.data, k->file.bytes, k->file.fd));
  return weft_graph_keep(*out, kept_drop, k);
}

static weft_status kept_load(weft_env *e, form f, const char *path, weft_file *seen, weft_graph **out,
                             weft_diag *d) {
  kept *k = weft__alloc(&e->alloc, sizeof *k, _Alignof(kept));
  if (!k)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory while loading '%s'", path);
  *k = (kept){.alloc = e->alloc, .file = {.fd = -1}};
  weft_status s = kept_take(k, e, path, seen, d);
  if (!s)
    s = kept_read(k, e, f, path, out, d);
  if (s && *out) {
    weft_graph_destroy(*out);
    *out = NULL;
  }
  if (s)
    kept_drop(k);
  return s;
}

static bool model_is_folder(const char *path) {
  struct stat st;
  return !stat(path, &st) && S_ISDIR(st.st_mode);
}

weft_status weft_model_load(weft_env *e, const char *path, weft_graph **out, weft_diag *d) {
  return weft_model_load_with(e, path, NULL, out, d);
}

weft_status weft_model_load_with(weft_env *e, const char *path, const weft_onnx_options *o, weft_graph **out,
                                 weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, e);
  WEFT_NEED(d, path);
  weft_file file;
  weft_onnx_options given = {0};
  WEFT_SIZED_IN(&given, o, keep_unknown);
  if (model_is_folder(path))
    return weft__tf_load(e, path, given.signature, out, d);
  WEFT_TRY(weft__file_map(path, &file, d));
  form f = form_of((const char *)file.data, file.bytes, path);
  weft_status s = WEFT_OK;
  if (f < PYTORCH)
    s = read_as(e, f, &file, path, out, d);
  const bool stays = !given.signature && (f == PYTORCH || f == TFLITE || f == MINDSPORE);
  if (stays)
    s = kept_load(e, f, path, &file, out, d);
  weft__file_unmap(&file);
  if (stays)
    return s;
  if (f == TENSORFLOW)
    return weft__tf_load(e, path, given.signature, out, d);
  if (given.signature) {
    if (!s)
      s = weft_fail(d, WEFT_E_INVALID,
                    "'%s' has no signatures to choose '%s' from: only TensorFlow's SavedModel has", path,
                    given.signature);
    weft_graph_destroy(*out);
    *out = NULL;
    return s;
  }
  return f < ONNX ? s : guessed(weft_onnx_load_with(e, path, o, out, d), f, d);
}
// SPDX-License-Identifier: Apache-2.0
