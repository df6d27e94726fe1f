// dynamic_rnn_v3.c - DynamicRNNV3 with its true prototype of 12 inputs: project is IR input 11 (R107, R114).
// Shape inference only (R350): y is [num_step, batch, state_size], state_size = project[1], or 0 without it
// (R108).
#include "documents.h"

enum { X, W, B, SEQ_LENGTH, INIT_H, INIT_C, WCI, WCF, WCO, MASK, REAL_MASK, PROJECT };

static weft_status infer(weft_infer *it) {
  const weft_shape *x = weft_port_shape(it, X, 0);
  const weft_shape *project = weft_port_shape(it, PROJECT, 0);
  weft_dim y[3] = {-1, -1, 0};
  if (!weft_unknown_rank(x)) {
    if (x->rank < 2)
      return it->host->fail(it->d, WEFT_E_SHAPE, "input 'x': expected rank 2 or more, got %zu", x->rank);
    y[0] = x->dim[0];
    y[1] = x->dim[1];
  }
  if (project && weft_unknown_rank(project)) {
    y[2] = -1;
  } else if (project) {
    if (project->rank < 2) {
      return it->host->fail(it->d, WEFT_E_SHAPE, "input 'project': expected rank 2 or more, got %zu",
                            project->rank);
    }
    y[2] = project->dim[1];
  }
  return weft_set_out_shape(it, 0, y, 3);
}

#define OPTIONAL_T(port) \
  { port, "T", .kind = WEFT_OPTIONAL }

const weft_op documents_dynamic_rnn_v3 = {
    WEFT_OP_HEAD,
    .name = "DynamicRNNV3",
    .summary = "shape rule of an LSTM with projection",
    .in = WEFT_PORTS({"x", "T"}, {"w", "T"}, {"b", "T"},
                     {"seq_length", .dtypes = WEFT_DT(INT32) | WEFT_DT(FLOAT16), .kind = WEFT_OPTIONAL},
                     OPTIONAL_T("init_h"), OPTIONAL_T("init_c"), OPTIONAL_T("wci"), OPTIONAL_T("wcf"),
                     OPTIONAL_T("wco"), {"mask", .dtypes = WEFT_DT(UINT8), .kind = WEFT_OPTIONAL},
                     OPTIONAL_T("real_mask"), OPTIONAL_T("project")),
    .out = WEFT_PORTS({"y", "T"}),
    .types = WEFT_TYPES({"T", WEFT_DT(FLOAT16) | WEFT_DT(FLOAT)}),
    .infer = infer,
    .examples = WEFT_NAMES(
        "f16[7,2,8], f16[16,4], f16[4], _, _, _, _, _, _, _, _, f16[128,64] -> f16[7,2,64]",  // R108
        "f16[7,2,8], f16[16,4], f16[4] -> f16[7,2,0]",
        "f16[7,2,8], f16[16,4], f16[4], i32[2], _, _, _, _, _, u8[3], _, f16[128,64] -> f16[7,2,64]",
        "f16[7,2,8], f16[16,4], f16[4], _, _, _, _, _, _, _, _, f16[64] !! E_SHAPE input 'project': expected "
        "rank 2",
        "f16[7,2,8], f16[16,4], f16[4], _, _, _, _, _, _, _, _, f32[128,64] !! E_DTYPE input 'project'"),
};
// SPDX-License-Identifier: Apache-2.0
