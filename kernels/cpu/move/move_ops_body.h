// move_ops_body.h - all inner loops of move_ops.h, as table OPS, for the instruction set that the including
// file is compiled for.
#include "cpu/move/move_ops.h"
#include "cpu/move/move_rows.h"
#include "cpu/move/place_rows.h"

const weft__move_ops OPS = {.transpose = transpose,
                            .turn = {turn_bytes, turn_shorts, turn_words, turn_longs},
                            .weave = weave,
                            .stream = stream,
                            .lines = lines,
                            .twice = twice,
                            .places = {places_32, places_64}};
// SPDX-License-Identifier: Apache-2.0
