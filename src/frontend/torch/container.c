// container.c - the zip archive that torch.export.save writes. All paths begin with one folder, which is
// found by the entry archive_format; every entry is stored, so that weights stay where they lie in the file.
// What other files of PyTorch hold is recognised by its entries and refused with what to do instead.
#include "base/allocated.h"
#include "frontend/torch/torch.h"

static bool container_ends(const char *name, const char *with) {
  size_t n = strlen(name);
  size_t m = strlen(with);
  return n >= m && !strcmp(name + n - m, with);
}

// An entry whose path ends so; NULL: none.
static const weft__zip_entry *container_with(const weft__zip *z, const char *end) {
  for (size_t i = 0; i < z->n; i++) {
    if (container_ends(z->entries[i].name, end))
      return &z->entries[i];
  }
  return NULL;
}

// What the archive is, when it is none of torch.export.
static weft_status container_other(const weft__zip *z, weft_diag *d) {
  static const struct {
    const char *entry, *text;
  } others[] = {
      {"serialized_exported_program.json",
       "it was saved by a torch.export before PyTorch 2.8: load it there and save it again with PyTorch 2.9 "
       "or newer"},
      {"/constants.pkl",
       "it is TorchScript, which is not read: export the module with torch.export.export and "
       "torch.export.save, or as ONNX with torch.onnx.export"},
      {"/data.pkl",
       "it holds weights alone (a state_dict, or a pickled module) and no program: export the module with "
       "torch.export.export and torch.export.save, or save weights as .safetensors"},
      {"config.json", "it is a Keras archive: save the model with model.export() as a SavedModel"},
  };
  for (size_t i = 0; i < WEFT_COUNT(others); i++) {
    if (container_with(z, others[i].entry))
      return weft_fail(d, WEFT_E_UNSUPPORTED, "the zip archive is not one of torch.export: %s",
                       others[i].text);
  }
  return weft_fail(d, WEFT_E_UNSUPPORTED,
                   "the zip archive has no entry archive_format, so it is not one of torch.export.save");
}

static weft_status container_entries(pt_archive *a, weft_diag *d) {
  size_t skip = strlen(a->folder);
  for (size_t i = 0; i < a->zip.n; i++) {
    weft__zip_entry *e = &a->zip.entries[i];
    if (strncmp(e->name, a->folder, skip))
      continue;
    const char *path = e->name + skip;
    if (weft__map_find(&a->entries, path, strlen(path)))
      return weft_fail(d, WEFT_E_DUPLICATE, "the archive has two entries '%s'", e->name);
    WEFT_TRY(weft__allocated(!weft__map_set(&a->entries, path, strlen(path), e), d));
  }
  return WEFT_OK;
}

static weft_status container_checked(const pt_archive *a, weft_diag *d) {
  pt_bytes b;
  WEFT_TRY(pt_archive_find(a, "archive_format", &b, d));
  if (b.n != 3 || memcmp(b.data, "pt2", 3))
    return weft_fail(d, WEFT_E_UNSUPPORTED, "entry archive_format says '%.*s', expected 'pt2'",
                     (int)WEFT_MIN(b.n, 40), (const char *)b.data);
  WEFT_TRY(pt_archive_find(a, "archive_version", &b, d));
  if (b.data && (b.n != 1 || *b.data != '0'))
    return weft_fail(d, WEFT_E_VERSION, "entry archive_version says '%.*s', this weft reads 0",
                     (int)WEFT_MIN(b.n, 40), (const char *)b.data);
  WEFT_TRY(pt_archive_find(a, "byteorder", &b, d));
  if (b.data && (b.n != 6 || memcmp(b.data, "little", 6)))
    return weft_fail(d, WEFT_E_UNSUPPORTED, "entry byteorder says '%.*s', only 'little' is read",
                     (int)WEFT_MIN(b.n, 40), (const char *)b.data);
  return WEFT_OK;
}

weft_status pt_archive_open(pt_archive *a, const weft_file *file, weft_arena *arena, weft_diag *d) {
  *a = (pt_archive){.arena = arena};
  a->zip =
      (weft__zip){.what = "archive", .data = file->data, .bytes = file->bytes, .file = file, .arena = arena};
  weft__map_init(&a->entries, &arena->alloc);
  WEFT_TRY(weft__zip_read(&a->zip, d));
  const weft__zip_entry *format = container_with(&a->zip, "archive_format");
  if (!format)
    return container_other(&a->zip, d);
  size_t n = strlen(format->name) - strlen("archive_format");
  if (n && format->name[n - 1] != '/')
    return container_other(&a->zip, d);
  a->folder = weft__arena_strdup(arena, format->name, n);
  WEFT_TRY(weft__allocated(a->folder, d));
  WEFT_TRY(container_entries(a, d));
  return container_checked(a, d);
}

void pt_archive_close(pt_archive *a) {
  weft__map_deinit(&a->entries);
}

weft_status pt_archive_find(const pt_archive *a, const char *path, pt_bytes *out, weft_diag *d) {
  const weft__zip_entry *e = weft__map_find(&a->entries, path, strlen(path));
  *out = (pt_bytes){NULL, 0};
  if (!e)
    return WEFT_OK;
  weft_status s = weft__zip_data(&a->zip, e, &out->data, d);
  if (!s && (e->method != WEFT__ZIP_STORED || e->packed_bytes != e->bytes))
    s = weft_fail(d, WEFT_E_UNSUPPORTED,
                  "it is packed (method %u); torch.export.save stores every entry as it is", e->method);
  out->n = (size_t)e->bytes;
  if (s)
    weft_note(d, "in entry '%s' of the archive", e->name);
  return s;
}

weft_status pt_archive_program(const pt_archive *a, const char **out_name, pt_bytes *out, weft_diag *d) {
  const char *found = NULL;
  for (size_t i = 0; i < a->entries.n; i++) {
    const char *path = a->entries.entries[i].key;
    if (strncmp(path, "models/", 7) || !container_ends(path, ".json"))
      continue;
    if (found) {
      return weft_fail(d, WEFT_E_UNSUPPORTED,
                       "the archive holds several programs, '%s' and '%s' among them: save each in a file of "
                       "its own",
                       found, path);
    }
    found = path;
  }
  if (!found)
    return weft_fail(d, WEFT_E_MISSING, "the archive has no program: there is no entry models/NAME.json");
  size_t n = strlen(found) - 7 - 5;
  *out_name = weft__arena_strdup(a->arena, found + 7, n);
  WEFT_TRY(weft__allocated(*out_name, d));
  return pt_archive_find(a, found, out, d);
}
// SPDX-License-Identifier: Apache-2.0
