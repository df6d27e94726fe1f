// fuzz_tflite.c - any bytes as a TFLite model: the identifier is put where it belongs, so that every input
// gets to the tables. What is read is inferred, printed, and written as ONNX and read again.
#include "fuzz_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  weft_env *e = fuzz_env(&env, &memory);
  if (bytes < 8 || bytes > FUZZ_INPUT_BYTES)
    return 0;
  uint8_t *copy = malloc(bytes);
  if (!copy)
    return 0;
  memcpy(copy, data, bytes);
  memcpy(copy + 4, "TFL3", 4);
  fuzz_read_model(e, copy, bytes, "fuzz.tflite");
  free(copy);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
