// pool_ops_body.h - the source of pool_ops.h's tables. The including file says OPS and includes a vector_*.h.
#include "cpu/pool/pool_ops.h"
#include "cpu/gemm/block_vec.h"
#include "cpu/conv/planes.h"
#include "cpu/pool/pool_places.h"
#include "cpu/pool/pool_planes.h"

const weft__pool_ops OPS = {.pool = pool, .places = places};
// SPDX-License-Identifier: Apache-2.0
