// ops/data/trans_data.c - the same tensor in another format.   AscendIR TransData.
// One of the two formats is a plain one (ND, NCHW, NHWC, ...). Lanes that only a packed format has are 0.
// groups above 1 makes the grouped FRACTAL_Z, which is not supported yet. C0 may stand in a format's text:
// "NC1HWC0(C0=32)".
#include "dims_move.h"

enum { SRC_FORMAT, DST_FORMAT, SRC_SUBFORMAT, DST_SUBFORMAT, GROUPS };

static weft_status format_of(weft_diag *d, const weft_op_desc *n, uint32_t slot, uint32_t sub_slot,
                             weft_format *out) {
  const char *text = weft_node_str(n, slot);
  weft_format f = text ? weft_format_parse(text, strlen(text)) : (weft_format)WEFT_FORMAT_RESERVED;
  int64_t sub = weft_node_int(n, sub_slot);
  int64_t groups = weft_node_int(n, GROUPS);
  if (weft_format_primary(f) == WEFT_FORMAT_RESERVED) {
    return weft_fail(d, WEFT_E_FORMAT, "attribute '%s': '%s' is not a format", weft__attr_name(n, slot),
                     text ? text : "");
  }
  if (sub < 0 || sub > 0xffff || groups > 0xffff) {
    return weft_fail(d, WEFT_E_RANGE, "attribute '%s': %lld does not fit 16 bits",
                     weft__attr_name(n, sub < 0 || sub > 0xffff ? sub_slot : GROUPS),
                     (long long)(sub < 0 || sub > 0xffff ? sub : groups));
  }
  if (!sub && groups > 1 && weft_format_primary(f) == WEFT_FRACTAL_Z)
    sub = groups;
  *out = sub ? (f & ~UINT32_C(0xffff00)) | (weft_format)sub << 8 : f;
  return WEFT_OK;
}

// The format the data really have: that of the input, or src_format where the input only says ND.
static weft_status source_of(weft_diag *d, const weft_op_desc *n, weft_format in, weft_format *out) {
  char a[48];
  WEFT_TRY(format_of(d, n, SRC_FORMAT, SRC_SUBFORMAT, out));
  if (weft_format_primary(in) == weft_format_primary(*out)) {
    *out = in;
    return WEFT_OK;
  }
  if (weft__format_packed(in) || weft__format_packed(*out) || !weft_format_compatible(in, *out)) {
    return weft_fail(d, WEFT_E_FORMAT, "input 'src' has format %s, attribute 'src_format' says %s",
                     weft_format_text(in, a, sizeof a), weft_node_str(n, SRC_FORMAT));
  }
  return WEFT_OK;
}

static weft_status trans_data_infer(weft_infer *it) {
  weft_format from;
  weft_format to;
  weft_format origin = it->value[0]->origin_format;
  weft_shape storage;
  WEFT_TRY(source_of(it->d, it->desc, it->in_format[0], &from));
  WEFT_TRY(format_of(it->d, it->desc, DST_FORMAT, DST_SUBFORMAT, &to));
  bool unpack = weft__format_packed(from);
  bool pack = weft__format_packed(to);
  it->out_format[0] = to;
  if (unpack && pack) {
    if (from != to) {
      return weft_fail(it->d, WEFT_E_FORMAT,
                       "attributes 'src_format' and 'dst_format': %s and %s are both packed, one is plain",
                       weft_format_serial(from), weft_format_serial(to));
    }
    it->out_origin_format[0] = origin;
    return weft__same(it, 0, 0);
  }
  if (pack) {
    WEFT_TRY(weft_format_storage_shape(it->in[0], from, to, 0, &storage, it->d));
    it->out_origin_format[0] = from;
    return weft__same(it, 0, 0);
  }
  if (unpack && weft__format_packed(origin)) {
    return weft_fail(it->d, WEFT_E_FORMAT, "input 'src': its plain shape is not known (origin format %s)",
                     weft_format_serial(origin));
  }
  it->out_origin_format[0] = to;
  return weft_format_permute_shape(it->in[0], unpack ? origin : from, to, it->out[0], it->d);
}

static weft_status trans_data_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  weft_tensor *y = c->out[0];
  weft_format from;
  if (!y)
    return WEFT_OK;
  WEFT_TRY(source_of(c->d, c->desc, x->format, &from));
  if (from == y->format)
    return weft__copy_all(c);
  const weft_shape *origin = weft__format_packed(from) ? &y->layout.origin : &x->layout.origin;
  return weft_format_convert(origin, x->dtype, from, x->data, x->bytes, y->format, y->data, y->bytes, 0,
                             c->d);
}

WEFT_OP(trans_data) = {
    WEFT_OP_HEAD,
    .name = "TransData",
    .summary = "the same tensor in another format",
    .in = PORTS({"src", "T"}),
    .out = PORTS({"dst", "T"}),
    .types = TYPES({"T", (WEFT_STORABLE | WEFT_SET_BASIC) & ~WEFT_DT(STRING)}),
    .attrs = ATTRS({"src_format", "String", NULL}, {"dst_format", "String", NULL},
                   {"src_subformat", "Int", "0"}, {"dst_subformat", "Int", "0"},
                   {"groups", "Int", "1", "min 1"}),
    .traits = WEFT_SYMBOLIC | WEFT_ANY_FORMAT,
    .infer = trans_data_infer,
    .ref = trans_data_ref,
    .examples = WEFT_EXAMPLES(
        "f32[1,2,3,4]{0..}@NHWC src_format=\"NHWC\" dst_format=\"NCHW\" -> "
        "f32[1,4,2,3]{0,4,8,12,16,20,1,5,9,13,17,21,2,6,10,14,18,22,3,7,11,15,19,23}@NCHW",  // R263
        "f32[1,2,2,3]{0..}@HWCN src_format=\"HWCN\" dst_format=\"NCHW\" -> "
        "f32[3,2,1,2]{0,6,3,9,1,7,4,10,2,8,5,11}@NCHW",
        "f16[1,3,1,2]{1,2,3,4,5,6}@NCHW src_format=\"NCHW\" dst_format=\"NC1HWC0\" -> f16[1,1,1,2,16]"
        "{1,3,5,0,0,0,0,0,0,0,0,0,0,0,0,0,2,4,6,0,0,0,0,0,0,0,0,0,0,0,0,0}@NC1HWC0",  // R104
        "f32[1,3,4,4]@NCHW src_format=\"NCHW\" dst_format=\"NC1HWC0\" -> f32[1,1,4,4,16]@NC1HWC0",
        "f32[2]{1,2} src_format=\"ND\" dst_format=\"ND\" -> f32[2]{1,2}",
        "f32[0,2,2,3]@NHWC src_format=\"NHWC\" dst_format=\"NCHW\" -> f32[0,3,2,2]@NCHW",
        "f32[-1,4,4,N]@NHWC src_format=\"NHWC\" dst_format=\"NCHW\" -> f32[-1,N,4,4]@NCHW",
        "f32[1,2,2,3]@NHWC src_format=\"NCHW\" dst_format=\"NHWC\" !! E_FORMAT input 'src' has format NHWC",
        "f32[1,2,2,3]@NCHW src_format=\"NCHW\" dst_format=\"NCWH\" !! E_FORMAT 'NCWH' is not a format",
        "f32[1,1,2,2,16]@NC1HWC0 src_format=\"NC1HWC0\" dst_format=\"FRACTAL_Z\" !! E_FORMAT both packed",
        "f32[2,3]@NCHW src_format=\"NCHW\" dst_format=\"NC1HWC0\" !! E_SHAPE rank 4",
        "f32[32,4,1,1]@NCHW src_format=\"NCHW\" dst_format=\"FRACTAL_Z\" groups=2 !! E_FORMAT no rule"),
};
// SPDX-License-Identifier: Apache-2.0
