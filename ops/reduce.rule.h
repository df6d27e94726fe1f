// reduce.rule.h - attribute slots of the reductions (WEFT_REDUCE_PROTO).
#pragma once

enum { WEFT_REDUCE_KEEP_DIMS, WEFT_REDUCE_NOOP };
// SPDX-License-Identifier: Apache-2.0
