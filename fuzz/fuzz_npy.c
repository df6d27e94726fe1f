// fuzz_npy.c - any bytes as a .npy file, which must write and read back equal, and as an ONNX tensor.
#include "fuzz.h"
#include "tensor/tensor.h"

static void npy(const weft_allocator *a, const uint8_t *data, size_t bytes) {
  weft_tensor t;
  weft_tensor b;
  weft_diag d = {0};
  weft_text file = fuzz_text();
  weft_tensor_init(&t, a);
  weft_tensor_init(&b, a);
  weft_status s = weft_npy_read(data, bytes, &t, &d);
  FUZZ_CHECK_DIAG(s, &d);
  if (!s) {
    FUZZ_CHECK(weft_tensor_elems(&t) >= 0, "unknown shape");
    s = weft_npy_write(&t, weft__text_write, &file, &d);
    FUZZ_CHECK(!s, "%s", d.text);
    s = weft_npy_read(file.v, file.n, &b, &d);
    FUZZ_CHECK(!s || s == WEFT_E_NOMEM, "%s", d.text);
    if (!s)
      FUZZ_CHECK(weft__tensor_same(&t, &b), "not the same when read back");
  }
  weft__text_deinit(&file);
  weft_tensor_deinit(&t);
  weft_tensor_deinit(&b);
}

static void onnx(const weft_allocator *a, const uint8_t *data, size_t bytes) {
  weft_tensor t;
  weft_diag d = {0};
  char sink;
  weft_tensor_init(&t, a);
  weft_status s = weft_onnx_read_tensor(data, bytes, &t, &d);
  FUZZ_CHECK_DIAG(s, &d);
  if (!s)
    (void)!weft_tensor_print(&t, 0, fuzz_drop, &sink);
  weft_tensor_deinit(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static fuzz_memory memory;
  weft_allocator a = fuzz_allocator(&memory);
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  memory.strict = true;
  npy(&a, data, bytes);
  onnx(&a, data, bytes);
  FUZZ_CHECK(!memory.live, "%zu bytes are not freed", memory.live);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
