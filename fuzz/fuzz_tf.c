// fuzz_tf.c - any bytes as a model of TensorFlow. Bytes that begin with "SM" are a SavedModel: two 32-bit
// lengths, saved_model.pb, variables.index and the rest as the one shard of variables, which are put into a
// folder. Others are a frozen graph. What is read is printed, and written as ONNX and read again.
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/tf/load.h"
#include "fuzz_model.h"

static void put_file(const char *folder, const char *name, const uint8_t *data, size_t bytes) {
  char path[512];
  snprintf(path, sizeof path, "%.200s/%.200s", folder, name);
  FILE *f = fopen(path, "wb");
  FUZZ_CHECK(f, "%s", path);
  FUZZ_CHECK(fwrite(data, 1, bytes, f) == bytes, "%s", path);
  FUZZ_CHECK(!fclose(f), "%s", path);
}

static const char *folder_of_process(void) {
  static char folder[64];
  char variables[96];
  if (*folder)
    return folder;
  snprintf(folder, sizeof folder, "/tmp/weft_fuzz_tf_XXXXXX");
  FUZZ_CHECK(mkdtemp(folder), "%s", folder);
  snprintf(variables, sizeof variables, "%s/variables", folder);
  FUZZ_CHECK(!mkdir(variables, 0700), "%s", variables);
  return folder;
}

static size_t part_of(const uint8_t *at, size_t most) {
  size_t n = (size_t)at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
  return n < most ? n : most;
}

static weft_status read_folder(weft_env *e, const uint8_t *data, size_t bytes, weft_graph **g, weft_diag *d) {
  const char *folder = folder_of_process();
  const uint8_t *at = data + 8;
  size_t left = bytes - 8;
  const size_t model = part_of(data, left);
  const size_t index = part_of(data + 4, left - model);
  put_file(folder, "saved_model.pb", at, model);
  put_file(folder, "variables/variables.index", at + model, index);
  put_file(folder, "variables/variables.data-00000-of-00001", at + model + index, left - model - index);
  return weft__tf_load(e, folder, NULL, g, d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  weft_env *e = fuzz_env(&env, &memory);
  weft_diag d = {0};
  weft_graph *g = NULL;
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  fuzz_register(e);
  bool saved = bytes >= 10 && !memcmp(data, "SM", 2);
  weft_status s =
      saved ? read_folder(e, data + 2, bytes - 2, &g, &d) : weft__tf_read(e, data, bytes, "fuzz.pb", &g, &d);
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(!s == !!g, "%s", d.text);
  if (g)
    fuzz_look_at(e, g);
  weft_graph_destroy(g);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
