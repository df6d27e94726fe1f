// trans_data.c - TransData with the documents' three attributes (R26-R28, R98), instead of the catalogue's
// five. The value stays the same, its storage changes: NCHW to NC1HWC0 and back, 16 channels a block, padded
// lanes zero (R104).
#include "documents.h"

enum { SRC_FORMAT, DST_FORMAT, GROUP };

static weft_format format_of(const char *name) {
  if (!strcmp(name, "NCHW"))
    return WEFT_NCHW;
  if (!strcmp(name, "NC1HWC0"))
    return WEFT_NC1HWC0;
  return WEFT_FORMAT_RESERVED;
}

static weft_status infer(weft_infer *it) {
  const char *src = weft_node_str(it->desc, SRC_FORMAT);
  const char *dst = weft_node_str(it->desc, DST_FORMAT);
  if (!src || !dst)
    return it->host->fail(it->d, WEFT_E_MISSING, "attributes 'src_format' and 'dst_format'");
  weft_format from = format_of(src);
  weft_format to = format_of(dst);
  if (from == WEFT_FORMAT_RESERVED || to == WEFT_FORMAT_RESERVED) {
    return it->host->fail(it->d, WEFT_E_FORMAT, "from '%s' to '%s': only NCHW and NC1HWC0 are there", src,
                          dst);
  }
  if (it->in_format[0] != from && !(it->in_format[0] == WEFT_ND && from == WEFT_NCHW)) {
    return it->host->fail(it->d, WEFT_E_FORMAT, "input 'src': its format is %u, src_format says '%s'",
                          it->in_format[0], src);
  }
  if (!weft_unknown_rank(it->in[0]) && it->in[0]->rank != 4)
    return it->host->fail(it->d, WEFT_E_SHAPE, "input 'src': expected rank 4, got %zu", it->in[0]->rank);
  it->out_format[0] = to;
  it->out_origin_format[0] = WEFT_NCHW;
  it->out_dtype[0] = it->in_dtype[0];
  return documents_same_shape(it, 0, 0);
}

static size_t place(const weft_tensor *t, const int64_t at[4]) {
  const weft_dim *d = t->layout.origin.dim;
  const weft_dim *s = t->layout.storage.dim;
  if (t->format != WEFT_NC1HWC0)
    return (size_t)(((at[0] * d[1] + at[1]) * d[2] + at[2]) * d[3] + at[3]);
  return (size_t)((((at[0] * s[1] + at[1] / s[4]) * s[2] + at[2]) * s[3] + at[3]) * s[4] + at[1] % s[4]);
}

static weft_status ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  const weft_dim *d = x->layout.origin.dim;
  size_t bytes = x->dtype == WEFT_FLOAT16 ? 2 : 4;
  int64_t at[4];
  if (y->bytes)
    memset(y->data, 0, y->bytes);
  for (at[0] = 0; at[0] < d[0]; at[0]++) {
    for (at[1] = 0; at[1] < d[1]; at[1]++) {
      for (at[2] = 0; at[2] < d[2]; at[2]++) {
        for (at[3] = 0; at[3] < d[3]; at[3]++)
          memcpy((char *)y->data + place(y, at) * bytes, (const char *)x->data + place(x, at) * bytes, bytes);
      }
    }
  }
  return WEFT_OK;
}

const weft_op documents_trans_data = {
    WEFT_OP_HEAD,
    .name = "TransData",
    .summary = "the same value in another storage format",
    .in = WEFT_PORTS({"src", "T"}),
    .out = WEFT_PORTS({"dst", "T"}),
    .types = WEFT_TYPES({"T", WEFT_DT(FLOAT) | WEFT_DT(FLOAT16)}),
    .attrs = WEFT_ATTRS({"src_format", "String"}, {"dst_format", "String"}, {"group", "Int", "1", "min 1"}),
    .traits = WEFT_ANY_FORMAT,
    .infer = infer,
    .ref = ref,
    .examples =
        WEFT_NAMES("f32[1,3,4,4]{0..} src_format=\"NCHW\" dst_format=\"NCHW\" -> f32[1,3,4,4]{0..}@NCHW",
                   "f32[1,3,4,4] src_format=\"NCHW\" dst_format=\"ND\" !! E_FORMAT only NCHW and NC1HWC0",
                   "f32[1,3,4,4] dst_format=\"NCHW\" !! E_MISSING required attribute 'src_format'"),  // R28
};
// SPDX-License-Identifier: Apache-2.0
