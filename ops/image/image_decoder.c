// ops/image/image_decoder.c - the picture in a file, [height, width, channels].   ONNX ImageDecoder-20.
// picture.h says which formats are read, most by their usual libraries. Grayscale is (19595 R + 38470 G +
// 7471 B) / 2^16, rounded.
// AscendIR's DecodeImage takes a string. The size is found at run time.
#include "picture.h"

#include "lists.h"

enum { FORMAT };

static weft_dim channels(const weft_op_desc *n) {
  const char *format = weft_node_str(n, FORMAT);
  return format && !strcmp(format, "Grayscale") ? 1 : 3;
}

static weft_status image_decoder_infer(weft_infer *it) {
  WEFT_TRY(weft__expect_rank(it, 0, 1, 1));
  return weft_set_out_shape(it, 0, (weft_dim[3]){-1, -1, channels(it->desc)}, 3);
}

static weft_status image_decoder_infer_range(weft_infer *it) {
  it->out_min[0]->rank = it->out_max[0]->rank = 3;
  for (size_t k = 0; k < 2; k++) {
    it->out_min[0]->dim[k] = 0;
    it->out_max[0]->dim[k] = -1;
  }
  it->out_min[0]->dim[2] = it->out_max[0]->dim[2] = channels(it->desc);
  return WEFT_OK;
}

static weft_status image_decoder_execute(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  weft_picture p;
  if (!c->out[0])
    return WEFT_OK;
  WEFT_TRY(weft__picture_read(c, (weft_bytes){x->data, weft__elems(&x->layout.origin)}, &p));
  weft_shape s = {.rank = 3, .dim = {(weft_dim)p.height, (weft_dim)p.width, channels(c->desc)}};
  WEFT_TRY(weft__alloc_found(c, 0, WEFT_UINT8, &s, &s));
  uint8_t *y = c->out[0]->data;
  bool blue_first = !strcmp(weft_node_str(c->desc, FORMAT), "BGR");
  for (size_t i = 0; i < p.height * p.width; i++) {
    WEFT_TRY(weft__poll_at(c, i));
    const uint8_t *v = p.v + 3 * i;
    if (s.dim[2] == 1)
      y[i] = (uint8_t)((19595u * v[0] + 38470u * v[1] + 7471u * v[2] + 0x8000u) >> 16);
    for (size_t e = 0; e < 3 && s.dim[2] == 3; e++)
      y[3 * i + e] = v[blue_first ? 2 - e : e];
  }
  return WEFT_OK;
}

WEFT_OP(image_decoder) = {
    WEFT_OP_HEAD,
    .name = "ImageDecoder",
    .summary = "the picture in a file",
    .in = PORTS({"encoded_stream", NULL, WEFT_DT(UINT8)}),
    .out = PORTS({"image", NULL, WEFT_DT(UINT8)}),
    .attrs = ATTRS({"pixel_format", "String", "\"RGB\"", "one of RGB|BGR|Grayscale"}),
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
    .infer = image_decoder_infer,
    .infer_range = image_decoder_infer_range,
    .execute = image_decoder_execute,
    .examples = WEFT_EXAMPLES(
        "u8[14]{80,54,10,49,32,49,10,50,53,53,10,1,2,3} -> u8[1,1,3]{1,2,3}",
        "u8[14]{80,54,10,49,32,49,10,50,53,53,10,1,2,3} pixel_format=\"BGR\" -> u8[1,1,3]{3,2,1}",
        "u8[15]{80,54,32,35,10,49,32,49,10,49,53,32,15,0,0} pixel_format=\"Grayscale\" -> u8[1,1,1]{76}",
        "u8[13]{80,53,10,48,32,49,10,50,53,53,10,1,2} -> u8[1,0,3]", "u8[N] -> u8[-1,-1,3]",
        "u8[?] pixel_format=\"Grayscale\" -> u8[-1,-1,1]", "u8[0] !! E_UNSUPPORTED no picture",
        "u8[4]{71,73,70,56} !! E_UNSUPPORTED GIF",
        "u8[11]{80,54,10,49,32,49,10,50,53,53,10} !! E_TRUNCATED PNM",
        "u8[3]{80,54,10} pixel_format=\"YUV\" !! E_RANGE pixel_format", "u8[2,2] !! E_SHAPE expected rank 1"),
};
// SPDX-License-Identifier: Apache-2.0
