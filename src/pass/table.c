// table.c - the passes there are, in the order they run in. Here and nowhere else; a package's come after
// weft's own of the same stage. An order is a choice about results only where two passes want the same nodes:
// operators that are made of others come first, so that all that follow see primitives;
// quantised operators and weights in blocks come before folding, which would make floats of them; folding
// next because it feeds everything, equations before views and transposes, of which they make some, weights
// before patterns because BatchNorm is not looked at by any of those, products are fused before the operators
// after them are fused with each other.
#include "pass/pass.h"

// clang-format off
#define WEFT_PASS_LIST(X) \
  X(expand_composed) \
  X(channels_first) \
  X(fold_quantised) \
  X(match_nbits) \
  X(fold_constants) \
  X(drop_dead) \
  X(merge_equal) \
  X(simplify_algebra) \
  X(expand_einsum) \
  X(merge_views) \
  X(sink_transposes) \
  X(move_transposes) \
  X(fold_weights) \
  X(simplify_control) \
  X(match_activation) \
  X(match_gelu) \
  X(match_norm) \
  X(match_softmax) \
  X(match_attention) \
  X(match_affine) \
  X(fuse_quantised) \
  X(fuse_fixed) \
  X(fuse_epilogue) \
  X(fuse_elementwise) \
  X(assign_formats)
// clang-format on

#define WEFT_X(symbol) extern const weft_pass weft__pass_##symbol;
WEFT_PASS_LIST(WEFT_X)
#undef WEFT_X

const weft_pass *const weft__builtin_passes[] = {
#define WEFT_X(symbol) &weft__pass_##symbol,
    WEFT_PASS_LIST(WEFT_X)
#undef WEFT_X
        NULL};
// SPDX-License-Identifier: Apache-2.0
