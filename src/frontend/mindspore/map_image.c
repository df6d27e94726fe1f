// map_image.c - regions of pictures, blocks of space as batches, runs of equal elements.
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

static const ms_row image_rows[] = {
    {"BatchToSpaceND", "x", NULL, 0, image_to_space},
    {"CropAndResize", "x boxes index size", NULL, 0, image_crop},
    {"SpaceToBatchND", "x", NULL, 0, image_to_batch},
    {"UniqueConsecutive", "x inverse counts axis", NULL, 0, image_runs},
};
const ms_rows ms_image = MS_ROWS(image_rows);
// SPDX-License-Identifier: Apache-2.0
