// text_hash.h - the hashes of bytes that operators on strings are defined by. Each is a public algorithm,
// equal on every machine; none of them is for secrets but the keyed one. Layer: ops.
#pragma once
#include "op.h"

// FarmHash's Fingerprint64.
uint64_t weft__hash_farm(const void *bytes, size_t n);
// MurmurHash64A from the seed that TensorFlow's older buckets have.
uint64_t weft__hash_murmur(const void *bytes, size_t n);
// SipHash-2-4 under a key of 128 bits.
uint64_t weft__hash_sip(const uint64_t key[2], const void *bytes, size_t n);
// SPDX-License-Identifier: Apache-2.0
