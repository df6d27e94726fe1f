// fuzz_picture.c - any bytes as a picture file for ImageDecoder, once as they are and once with the checksums
// of PNG's chunks put right. Memory of weft is bounded by a multiple of the file; what the image libraries
// take for themselves is bounded by -malloc_limit_mb and -rss_limit_mb of tools/fuzz.sh.
#include "fuzz.h"

enum { MOST_BYTES = 1000 };  // of DEFLATE make 8 million pixels; TIFF has 10 bytes for each of 4 million

static void put_right(uint8_t *p, size_t bytes) {
  if (bytes < 20 || memcmp(p, "\x89PNG\r\n\x1a\n", 8))
    return;
  for (size_t at = 8; bytes - at >= 12;) {
    size_t n = (size_t)p[at] << 24 | (size_t)p[at + 1] << 16 | (size_t)p[at + 2] << 8 | p[at + 3];
    if (n > bytes - at - 12)
      return;
    uint32_t crc = weft__crc32(p + at + 4, n + 4, 0);
    for (int i = 0; i < 4; i++)
      p[at + 8 + n + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
    at += 12 + n;
  }
}

static void decode(weft_env *e, const weft_allocator *a, uint8_t *data, size_t bytes, const char *pixels) {
  weft_tensor file;
  weft_tensor out;
  weft_diag d = {0};
  const weft_tensor *in[1] = {&file};
  weft_dim dim = (weft_dim)bytes;
  weft_named_attr attr = {"pixel_format", weft_attr_str(pixels, strlen(pixels))};
  weft_use use = {.attrs = &attr, .n_attrs = 1};
  weft_tensor_init(&file, a);
  FUZZ_CHECK(!weft_tensor_borrow(&file, WEFT_UINT8, &dim, 1, data, bytes, &d), "%s", d.text);
  weft_status s = weft_run_op(e, weft_find(e, "ImageDecoder"), &use, in, 1, &out, 1, NULL, &d);
  FUZZ_CHECK_DIAG(s, &d);
  if (!s)
    FUZZ_CHECK(out.layout.origin.rank == 3 && weft_tensor_elems(&out) == (int64_t)out.bytes, "rank or size");
  weft_tensor_deinit(&out);
  weft_tensor_deinit(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  static const char *const pixels[] = {"RGB", "BGR", "Grayscale"};
  weft_env *e = fuzz_env(&env, &memory);
  weft_allocator a = {fuzz_alloc, &memory};
  fuzz_plugins();
  if (bytes > MOST_BYTES)
    return 0;
  uint8_t *copy = malloc(bytes ? bytes : 1);
  FUZZ_CHECK(copy, "no memory");
  if (bytes)
    memcpy(copy, data, bytes);
  memory.strict = true;
  decode(e, &a, copy, bytes, pixels[bytes % 3]);
  put_right(copy, bytes);
  if (bytes && memcmp(copy, data, bytes))
    decode(e, &a, copy, bytes, pixels[bytes % 3]);
  free(copy);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
