// maps.h - what operators on maps share. Layer: ops.
#pragma once
#include "items.h"
#include "weft/maps.h"

enum { WEFT_KINDS_MAP = 1 << WEFT_KIND_MAP, WEFT_KINDS_MAPS = 1 << WEFT_KIND_MAPS };

// The keys of a map in rising order: place i of the order is key out_order[i]. Equal keys keep their order.
// The memory lives until the call ends.
weft_status weft__map_order(const weft_call *c, const weft_tensor *keys, size_t **out_order);
// Key i of `a` against key k of `b`, of one dtype: -1, 0, 1; texts byte by byte.
weft_status weft__map_key_order(const weft_tensor *a, size_t i, const weft_tensor *b, size_t k, weft_diag *d,
                                int *out);
// SPDX-License-Identifier: Apache-2.0
