// weft_cann/bundle_file.h - a file of several models: aclgrphBundleSaveModel writes it, and
// aclmdlBundleLoadFromFile reads it. In it: "WEFTBNDL", a version, how many models there are; of each where
// it begins and how many bytes it has; then the models, each as aclgrphSaveModel would have written it. Its
// numbers have 64 bits and are little-endian. Whoever reads it checks each against the file's size.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WEFT_BUNDLE_MAGIC "WEFTBNDL"
enum {
  WEFT_BUNDLE_VERSION = 1,
  WEFT_BUNDLE_HEAD_BYTES = 24,   // magic, version, models
  WEFT_BUNDLE_ENTRY_BYTES = 16,  // offset, bytes
  WEFT_BUNDLE_MOST_MODELS = 1024,
};

static inline void weft_bundle_put(unsigned char *to, uint64_t number) {
  for (int i = 0; i < 8; i++)
    to[i] = (unsigned char)(number >> (8 * i));
}
static inline uint64_t weft_bundle_get(const unsigned char *from) {
  uint64_t number = 0;
  for (int i = 0; i < 8; i++)
    number |= (uint64_t)from[i] << (8 * i);
  return number;
}
static inline bool weft_bundle_is(const void *bytes, size_t n) {
  return bytes && n >= WEFT_BUNDLE_HEAD_BYTES && !memcmp(bytes, WEFT_BUNDLE_MAGIC, 8);
}
// SPDX-License-Identifier: Apache-2.0
