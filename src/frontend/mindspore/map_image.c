// map_image.c - regions of pictures, columns of windows, blocks of space as batches, runs of equal elements.
#include "frontend/mindspore/tables.h"

static void image_crop(ms_op *o) {
  front_op *b = &o->b;
  weft_value *in[4] = {ms_tensor(o, "x"), ms_tensor(o, "boxes"), ms_operand(o, "index", WEFT_INT32),
                       front_as(b, ms_numbers(o, "size"), WEFT_INT32)};
  front_set_text(b, "method", ms_string(o, "method", "bilinear"));
  front_set_float(b, "extrapolation_value", ms_float(o, "extrapolation_value", 0));
  ms_give(o, b->failed ? NULL : front_emit(b, "CropAndResize", in, 4, NULL));
}

// Blocks of the last axes. borders: pairs, before and after each of them.
static void image_blocks(ms_op *o, const char *borders, bool to_batch) {
  front_op *b = &o->b;
  int64_t block[MS_MAX_NUMBERS];
  int64_t order[WEFT_MAX_RANK];
  int64_t back[WEFT_MAX_RANK];
  front_blocks s = {.n = 0};
  ms_value pairs;
  weft_value *x = ms_tensor(o, "x");
  int rank = front_rank_of(b, x);
  size_t n = ms_ints(o, "block_shape", block);
  bool found = ms_find(o, borders, &pairs) && pairs.kind == MS_TUPLE;
  if (!b->failed && (n < 1 || n > FRONT_BLOCKS || (int)n >= rank || !found || pairs.n != n))
    front_fail(b, WEFT_E_UNSUPPORTED, "%zu block sizes and %zu pairs in '%s' for rank %d", n,
               found ? pairs.n : 0, borders, rank);
  for (size_t i = 0; i < n && !b->failed; i++) {
    const ms_value *pair = &pairs.items[i];
    const bool numbers = pair->kind == MS_TUPLE && pair->n == 2 && pair->items[0].kind == MS_INT &&
                         pair->items[1].kind == MS_INT;
    if (!numbers) {
      front_fail(b, WEFT_E_INVALID, "item %zu of '%s' is no pair of whole numbers", i, borders);
      return;
    }
    s.before[i] = pair->items[0].i;
    s.after[i] = pair->items[1].i;
    s.block[i] = block[i];
  }
  if (b->failed)
    return;
  s.n = n;
  for (int i = 0; i < rank; i++) {
    int lead = rank - (int)n;
    order[i] = !i ? 0 : i <= (int)n ? lead + i - 1 : i - (int)n;
    back[order[i]] = i;
  }
  x = front_permuted(b, x, order, (size_t)rank);
  x = to_batch ? front_space_to_batch(b, x, &s) : front_batch_to_space(b, x, &s);
  ms_give(o, front_permuted(b, x, back, (size_t)rank));
}
static void image_to_batch(ms_op *o) {
  image_blocks(o, "paddings", true);
}
static void image_to_space(ms_op *o) {
  image_blocks(o, "crops", false);
}

static void image_runs(ms_op *o) {
  front_op *b = &o->b;
  weft_value *x = ms_tensor(o, "x");
  front_set_bool(b, "return_idx", ms_bool(o, "inverse", false));
  front_set_bool(b, "return_counts", ms_bool(o, "counts", false));
  if (ms_has(o, "axis"))
    front_set_int(b, "axis", front_axis(b, ms_int(o, "axis", 0), front_rank_of(b, x)));
  ms_give_outputs(o, front_do(b, "UniqueConsecutive", x, NULL, NULL), 3);
}

// [N, C, kh kw, L]; the primitive has channels and places in windows as one axis.
static void image_col2im(ms_op *o) {
  front_op *b = &o->b;
  int64_t kernel[2];
  int64_t dilation[2];
  int64_t stride[2];
  int64_t pad[2];
  weft_value *x = ms_tensor(o, "x");
  weft_value *size = ms_numbers(o, "size");
  ms_sizes(o, "kernel_size", 2, 1, kernel);
  ms_sizes(o, "dilation", 2, 1, dilation);
  ms_sizes(o, "stride", 2, 1, stride);
  ms_sizes(o, "padding", 2, 0, pad);
  const int rank = front_rank_of(b, x);
  if (!b->failed && rank != 4)
    front_fail(b, WEFT_E_SHAPE, "columns of rank %d, expected 4", rank);
  if (b->failed)
    return;
  weft_value *parts[3] = {front_dim_list(b, x, 0), front_span(b, x, 1, 3), front_dim_list(b, x, 3)};
  x = b->failed ? NULL : front_reshape(b, x, front_size_list(b, parts, 3));
  const int64_t pads[4] = {pad[0], pad[1], pad[0], pad[1]};
  weft_value *block = front_list(b, kernel, 2);
  front_set_ints(b, "dilations", dilation, 2);
  front_set_ints(b, "pads", pads, 4);
  front_set_ints(b, "strides", stride, 2);
  ms_give(o, front_do(b, "Col2Im", x, size, block));
}
// The windows of each channel: [N, C, kh kw, L].
static void image_im2col(ms_op *o) {
  front_op *b = &o->b;
  int64_t v[4][2];
  weft_value *x = ms_tensor(o, "x");
  const int rank = front_rank_of(b, x);
  ms_sizes(o, "ksizes", 2, 1, v[0]);
  ms_sizes(o, "dilations", 2, 1, v[1]);
  ms_sizes(o, "pads", 2, 0, v[2]);
  ms_sizes(o, "strides", 2, 1, v[3]);
  if (!b->failed && (rank != 4 || !ms_is(o, "padding_mode", "CALCULATED", "CALCULATED")))
    front_fail(b, WEFT_E_UNSUPPORTED, "windows of rank %d, padding_mode '%.40s': expected 4 and CALCULATED",
               rank, ms_string(o, "padding_mode", "CALCULATED"));
  front_axis_columns c[2];
  for (int i = 0; i < 2; i++)
    c[i] = (front_axis_columns){v[0][i], v[1][i], v[2][i], v[3][i]};
  weft_value *y = front_columns(b, x, c);
  if (b->failed)
    return;
  const int64_t places = c[0].kernel * c[1].kernel;
  weft_value *parts[4] = {front_dim_list(b, y, 0), front_dim_list(b, x, 1), front_list(b, &places, 1),
                          front_dim_list(b, y, 2)};
  ms_give(o, b->failed ? NULL : front_reshape(b, y, front_size_list(b, parts, 4)));
}

// Do boxes lie in a picture? sizes: height, width, and what both are multiplied with.
static void image_valid(ms_op *o) {
  front_op *b = &o->b;
  weft_value *boxes = ms_tensor(o, "boxes");
  weft_value *sizes = ms_tensor(o, "sizes");
  const int64_t axis = 1;
  if (b->failed)
    return;
  const weft_dtype t = boxes->fact.dtype;
  weft_value *side[2];  // width, height
  for (int i = 0; i < 2; i++) {
    weft_value *n =
        front_do(b, "Mul", front_part(b, sizes, 0, 1 - i, 2 - i), front_part(b, sizes, 0, 2, 3), NULL);
    side[i] = front_do(b, "Sub", front_as(b, n, t), front_num(b, t, 1), NULL);
  }
  weft_value *most = b->failed ? NULL : front_joined(b, side, 2, 0);
  weft_value *first = front_do(b, "GreaterEqual", front_part(b, boxes, 1, 0, 2), front_num(b, t, 0), NULL);
  weft_value *last = front_do(b, "LessEqual", front_part(b, boxes, 1, 2, 4), most, NULL);
  ms_give(o, front_reduced(b, "ReduceAll", front_do(b, "LogicalAnd", first, last, NULL), &axis, 1, false));
}

static void image_histogram(ms_op *o) {
  weft_value *v = ms_tensor(o, "x");
  const int64_t bins = ms_int(o, "bins", 100);
  weft_value *y = front_histogram(&o->b, v, bins, ms_float(o, "min", 0), ms_float(o, "max", 0));
  ms_give(o, front_as(&o->b, y, ms_out_type(o, 0)));
}

static void image_shuffle(ms_op *o) {
  ms_give(o, front_channel_shuffle(&o->b, ms_tensor(o, "x"), ms_int(o, "group", 1)));
}

static const ms_row image_rows[] = {
    {"BatchToSpaceND", "x", NULL, 0, image_to_space},
    {"ChannelShuffle", "x", NULL, 0, image_shuffle},
    {"CheckValid", "boxes sizes", NULL, 0, image_valid},
    {"Col2Im", "x size", NULL, 0, image_col2im},
    {"CropAndResize", "x boxes index size", NULL, 0, image_crop},
    {"Histogram", "x", NULL, 0, image_histogram},
    {"Im2Col", "x", NULL, 0, image_im2col},
    {"SpaceToBatchND", "x", NULL, 0, image_to_batch},
    {"UniqueConsecutive", "x inverse counts axis", NULL, 0, image_runs},
};
const ms_rows ms_image = MS_ROWS(image_rows);
// SPDX-License-Identifier: Apache-2.0
