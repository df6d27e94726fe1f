// typed_block_body.h - the source of typed_block.h's tables. The including file says TABLE, BYTES of a vector
// and ROWS of a tile.
#include "cpu/typed/typed_block.h"
#include "cpu/simd/unroll.h"
#include "cpu/simd/vector_math.h"

#define T       double
#define NAME(x) f64_##x
#include "cpu/typed/typed_block_one.h"
#define T       uint32_t
#define NAME(x) u32_##x
#include "cpu/typed/typed_block_one.h"
#define T       uint64_t
#define NAME(x) u64_##x
#include "cpu/typed/typed_block_one.h"

const weft__typed_ops TABLE[WEFT__TYPED_COUNT] = {
    [WEFT__TYPED_F64] = {ROWS, f64_COLS, f64_tile, f64_add_rows, f64_dots},
    [WEFT__TYPED_I32] = {ROWS, u32_COLS, u32_tile, u32_add_rows, u32_dots},
    [WEFT__TYPED_I64] = {ROWS, u64_COLS, u64_tile, u64_add_rows, u64_dots}};
// SPDX-License-Identifier: Apache-2.0
