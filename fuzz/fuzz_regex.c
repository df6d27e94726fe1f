// fuzz_regex.c - any bytes as a regular expression and a text for the operators that have one: full matches,
// tokens, and what stands between separators. The first byte chooses, the second is the length of the
// pattern, the text is the rest. Short, as one step of a match costs what the pattern asks for.
#include "fuzz.h"

enum { MOST_PATTERN = 128, MOST_TEXT = 64 };

static void run(weft_env *e, const char *op, const weft_named_attr *attrs, uint32_t n,
                const weft_tensor *text) {
  weft_tensor out;
  weft_diag d = {0};
  const weft_use use = {.attrs = attrs, .n_attrs = n};
  weft_status s = weft_run_op(e, weft_find(e, op), &use, &text, 1, &out, 1, NULL, &d);
  FUZZ_CHECK_DIAG(s, &d);
  FUZZ_CHECK(s != WEFT_E_UNSUPPORTED || !FUZZ_PLUGINS, "%s", d.text);
  if (!s) {
    FUZZ_CHECK(out.layout.origin.dim[0] == 1, "%s: 1 text gives %lld", op,
               (long long)out.layout.origin.dim[0]);
  }
  weft_tensor_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  weft_env *e = fuzz_env(&env, &memory);
  fuzz_plugins();
  if (bytes < 2 || data[1] > MOST_PATTERN || data[1] > bytes - 2 || bytes - 2 - data[1] > MOST_TEXT)
    return 0;
  const size_t n = data[1];
  const size_t text_bytes = bytes - 2 - n;
  const char *pattern = (const char *)data + 2;
  const char *text = pattern + n;
  const weft_str separators[] = {{pattern, n / 2}, {pattern + n / 2, n - n / 2}};
  const weft_named_attr mark = {"mark", weft_attr_bool(data[0] & 4)};
  const weft_attr list = {.type = WEFT_VT_LIST_STRING, .n = 2, .u.strs = separators};
  const weft_dim one = 1;
  weft_tensor in;
  weft_diag d = {0};
  weft_tensor_init(&in, NULL);
  FUZZ_CHECK(!weft_tensor_set_strings(&in, &one, 1, &text, &text_bytes, &d), "%s", d.text);
  const size_t before = memory.live;
  if ((data[0] & 3) == 0)
    run(e, "StaticRegexFullMatch", &(weft_named_attr){"pattern", weft_attr_str(pattern, n)}, 1, &in);
  else if ((data[0] & 3) == 1)
    run(e, "Tokenizer", (weft_named_attr[]){mark, {"separators", list}}, 2, &in);
  else
    run(e, "Tokenizer", (weft_named_attr[]){mark, {"tokenexp", weft_attr_str(pattern, n)}}, 2, &in);
  FUZZ_CHECK(memory.live == before, "%zu bytes stay", memory.live - before);
  weft_tensor_deinit(&in);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
