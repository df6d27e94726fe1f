// resample_ops_body.h - all inner loops of resample_ops.h, as table OPS, for the instruction set that the
// including file is compiled for.
#include "cpu/resample/resample_ops.h"
#include "cpu/resample/resample_rows.h"

const weft__resample_ops OPS = {.mix = mix,
                                .resample = resample,
                                .gathered = gathered,
                                .paired = paired,
                                .paired_most = paired_most,
                                .linear = linear};
// SPDX-License-Identifier: Apache-2.0
