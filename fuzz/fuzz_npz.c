// fuzz_npz.c - any bytes as a .npz archive: open, find and read every tensor. What reads writes to an archive
// that holds the same. The bytes are tried as a deflated stream, too, so that no zip around it needs to be
// right.
#include "fuzz.h"
#include "tensor/inflate.h"
#include "tensor/tensor.h"

enum { MOST_TENSORS = 8 };

static void write_and_read(const char *const *names, const weft_tensor *const *tensors, size_t n) {
  weft_text file = fuzz_text();
  weft_diag d = {0};
  weft_npz *z = NULL;
  weft_status s = weft_npz_write(names, tensors, n, weft__text_write, &file, &d);
  FUZZ_CHECK(!s || d.length, "%s", weft_status_name(s));  // names may repeat, and a name may hold a zero
  if (!s) {
    FUZZ_CHECK(!weft_npz_read(file.v, file.n, &z, &d), "%s", d.text);
    FUZZ_CHECK(weft_npz_count(z) == n, "%zu of %zu tensors", weft_npz_count(z), n);
  }
  for (size_t i = 0; !s && i < n; i++) {
    weft_tensor t;
    weft_tensor_init(&t, NULL);
    FUZZ_CHECK(!weft_npz_get(z, i, &t, &d), "%s", d.text);
    FUZZ_CHECK(weft__tensor_same(&t, tensors[i]), "tensor %zu is another one", i);
    weft_tensor_deinit(&t);
  }
  weft_npz_close(z);
  weft__text_deinit(&file);
}

static void archive(const weft_allocator *a, const uint8_t *data, size_t bytes) {
  weft_tensor t[MOST_TENSORS];
  const weft_tensor *tensors[MOST_TENSORS];
  const char *names[MOST_TENSORS];
  size_t n = 0;
  weft_diag d = {0};
  weft_npz *z = NULL;
  weft_status s = weft_npz_read(data, bytes, &z, &d);
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(!s == !!z, "%s", d.text);
  for (size_t i = 0; z && i < weft_npz_count(z) && n < MOST_TENSORS; i++) {
    size_t first;
    weft_diag_clear(&d);
    FUZZ_CHECK(weft_npz_find(z, weft_npz_name(z, i), &first) && first <= i, "name %zu", i);
    weft_tensor_init(&t[n], a);
    s = weft_npz_get(z, i, &t[n], &d);
    FUZZ_CHECK_DIAG(s, &d);
    if (s) {
      weft_tensor_deinit(&t[n]);
      continue;
    }
    names[n] = weft_npz_name(z, i);
    tensors[n] = &t[n];
    n++;
  }
  write_and_read(names, tensors, n);
  for (size_t i = 0; i < n; i++)
    weft_tensor_deinit(&t[i]);
  weft_npz_close(z);
}

// The first two bytes say how much should come out.
static void raw(const uint8_t *data, size_t bytes) {
  weft_diag d = {0};
  if (bytes < 2)
    return;
  size_t room = data[0] | (size_t)data[1] << 8;
  uint8_t *out = malloc(room ? room : 1);
  FUZZ_CHECK(out, "no memory");
  const weft__plugin_place place = {0};
  weft_status s = weft__inflate(&place, (weft_bytes){data + 2, bytes - 2}, out, room, &d);
  FUZZ_CHECK_DIAG(s, &d);
  free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static fuzz_memory memory;
  weft_allocator a = fuzz_allocator(&memory);
  fuzz_plugins();
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  memory.strict = true;
  archive(&a, data, bytes);
  raw(data, bytes);
  FUZZ_CHECK(!memory.live, "%zu bytes are not freed", memory.live);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
