// fuzz_torch.c - any bytes as a .pt2 archive. What is no zip is a program: the JSON that stands in an
// archive, which is put around it together with a table of weights and a storage, so that the fuzzer need not
// make a zip. What is read is printed, and written as ONNX and read again.
#include "fuzz_model.h"

typedef struct zip {
  weft_text file, directory;
  size_t n;
} zip;

static void zip_number(weft_text *t, uint64_t v, size_t bytes) {
  char byte;
  for (size_t i = 0; i < bytes; i++) {
    byte = i < 8 ? (char)(v >> (8 * i)) : 0;
    weft__text_add(t, &byte, 1);
  }
}

// Sizes, checksum and name, as both headers have them.
static void zip_head(weft_text *t, const char *name, size_t bytes) {
  zip_number(t, 20, 2);
  zip_number(t, 0, 8);
  zip_number(t, 0, 4);  // nobody looks at the checksum of a stored weight
  zip_number(t, bytes, 4);
  zip_number(t, bytes, 4);
  zip_number(t, strlen(name), 2);
  zip_number(t, 0, 2);
}

static void zip_add(zip *z, const char *name, const void *data, size_t bytes) {
  size_t at = z->file.n;
  zip_number(&z->file, 0x04034B50, 4);
  zip_head(&z->file, name, bytes);
  weft__text_add(&z->file, name, strlen(name));
  weft__text_add(&z->file, data, bytes);
  zip_number(&z->directory, 0x02014B50, 4);
  zip_number(&z->directory, 20, 2);
  zip_head(&z->directory, name, bytes);
  zip_number(&z->directory, 0, 10);
  zip_number(&z->directory, at, 4);
  weft__text_add(&z->directory, name, strlen(name));
  z->n++;
}

static void zip_end(zip *z) {
  size_t at = z->file.n;
  weft__text_add(&z->file, z->directory.v, z->directory.n);
  zip_number(&z->file, 0x06054B50, 4);
  zip_number(&z->file, 0, 4);
  zip_number(&z->file, z->n, 2);
  zip_number(&z->file, z->n, 2);
  zip_number(&z->file, z->directory.n, 4);
  zip_number(&z->file, at, 4);
  zip_number(&z->file, 0, 2);
}

// The table stands behind a line "--weights--", if there is one.
static void around(zip *z, const char *data, size_t bytes) {
  static const char mark[] = "\n--weights--\n";
  static const char none[] = "{\"config\": {}}";
  char storage[256];
  size_t n = bytes;
  for (size_t i = 0; i + sizeof mark - 1 <= bytes && n == bytes; i++) {
    if (!memcmp(data + i, mark, sizeof mark - 1))
      n = i;
  }
  for (size_t i = 0; i < sizeof storage; i++)
    storage[i] = (char)(i % 7);
  zip_add(z, "m/archive_format", "pt2", 3);
  zip_add(z, "m/models/m.json", data, n);
  if (n == bytes)
    zip_add(z, "m/data/weights/m_weights_config.json", none, sizeof none - 1);
  else
    zip_add(z, "m/data/weights/m_weights_config.json", data + n + sizeof mark - 1,
            bytes - n - (sizeof mark - 1));
  zip_add(z, "m/data/weights/weight_0", storage, sizeof storage);
  zip_end(z);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  weft_env *e = fuzz_env(&env, &memory);
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  if (bytes >= 4 && !memcmp(data, "PK\3\4", 4)) {
    fuzz_read_model(e, data, bytes, "fuzz.pt2");
    return 0;
  }
  zip z = {.file = fuzz_text(), .directory = fuzz_text()};
  around(&z, (const char *)data, bytes);
  fuzz_read_model(e, z.file.v, z.file.n, "fuzz.pt2");
  weft__text_deinit(&z.file);
  weft__text_deinit(&z.directory);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
