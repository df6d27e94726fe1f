// fuzz_desc.c - any bytes as the blob of a tensor description (R240-R250). What loads saves to as many
// bytes (a format's number may differ: its name decides), they load to the same description, and it may be
// printed, compared, normalised and laid out.
#include "fuzz.h"

static void use(weft_tensor_desc *desc) {
  char text[1024];
  bool compatible;
  int64_t elems;
  weft_shape storage;
  FUZZ_CHECK(weft_desc_equal(desc, desc), "%s", weft_desc_text(desc, text, sizeof text));
  (void)!weft_desc_compatible(desc, desc, 0, &compatible);
  (void)!weft_shape_elems(&desc->layout.storage, &elems);
  (void)!weft_format_storage_shape(&desc->layout.origin, desc->origin_format, desc->format, 0, &storage,
                                   NULL);
  weft_desc_normalise(desc);
  weft_desc_text(desc, text, 7);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  weft_tensor_desc desc;
  weft_diag d = {0};
  size_t used = 0;
  size_t need = 0;
  uint32_t version = 0;
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  weft_desc_init(&desc);
  weft_status s = weft_desc_load(data, bytes, &desc, &used, &version, &d);
  FUZZ_CHECK_DIAG(s, &d);
  if (s)
    return 0;
  FUZZ_CHECK(used && used <= bytes, "%zu of %zu bytes", used, bytes);
  uint8_t *copy = malloc(used);
  FUZZ_CHECK(copy, "no memory");
  s = weft_desc_save(&desc, version, copy, used, &need, &d);
  FUZZ_CHECK(!s && need == used, "%zu of %zu bytes: %s", need, used, d.text);
  weft_tensor_desc again;
  weft_desc_init(&again);
  s = weft_desc_load(copy, used, &again, &need, &version, &d);
  FUZZ_CHECK(!s && need == used && weft_desc_equal(&desc, &again), "%zu of %zu bytes: %s", need, used,
             d.text);
  free(copy);
  use(&desc);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
