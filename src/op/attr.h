// attr.h - what attr.c and attr_text.c share.
// Layer: op.
#pragma once
#include "base/base.h"
#include "tensor/tensor.h"
#include "weft/attr.h"

// An empty tensor in the arena whose memory comes from there too: it is never deinit'ed. NULL: out of memory.
weft_tensor *weft__attr_tensor_new(weft_arena *arena);
// SPDX-License-Identifier: Apache-2.0
