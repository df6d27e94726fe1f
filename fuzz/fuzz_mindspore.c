// fuzz_mindspore.c - any bytes as a MINDIR. What does not begin as one gets such a beginning, so that the
// fuzzer need not find it. What is read is printed, and written as ONNX and read again.
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static const char begin[] =
      "\x0a\x03"
      "1.1\x12\x09"
      "MindSpore";
  static weft_env *env;
  static fuzz_memory memory;
  weft_env *e = fuzz_env(&env, &memory);
  const size_t n = sizeof begin - 1;
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  if (bytes >= n && !memcmp(data, begin, n)) {
    fuzz_read_model(e, data, bytes, "fuzz.mindir");
    return 0;
  }
  weft_text file = fuzz_text();
  weft__text_add(&file, begin, n);
  weft__text_add(&file, (const char *)data, bytes);
  fuzz_read_model(e, file.v, file.n, "fuzz.mindir");
  weft__text_deinit(&file);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
