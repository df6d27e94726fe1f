// einsum.h - sums of products by an equation (einsum.rule.h). Layer: ops.
#pragma once
#include "einsum.rule.h"

// Sums of products of c->in into c->out[0]: floats in double, integers wrap.
weft_status weft__einsum_run(const weft_call *c, const char *equation);
// SPDX-License-Identifier: Apache-2.0
