// aten_image.c - operators on planes of pixels: padding, resampling, grids, blocks that become channels,
// windows that become columns.
#include "base/allocated.h"
#include "frontend/torch/tables.h"

// ---- padding ----
// PyTorch counts pairs from the last axis on; PadV3 takes all begins, then all ends.
static weft_value *image_pads(pt_op *o, int rank) {
  front_op *b = &o->b;
  weft_value *given = pt_shape(o, pt_has(o, "pad") ? "pad" : "padding");
  int64_t v[2 * WEFT_MAX_RANK];
  size_t n = b->failed ? 0 : (size_t)front_dim(given, 0);
  size_t n_known;
  if (!b->failed && (n % 2 || n > 2 * (size_t)rank))
    front_fail(b, WEFT_E_INVALID, "%zu paddings for rank %d", n, rank);
  if (b->failed)
    return NULL;
  if (front_known_ints(given, v, WEFT_COUNT(v), &n_known)) {
    int64_t all[2 * WEFT_MAX_RANK] = {0};
    for (size_t i = 0; i < n / 2; i++) {
      all[(size_t)rank - 1 - i] = v[2 * i];
      all[2 * (size_t)rank - 1 - i] = v[2 * i + 1];
    }
    return front_list(b, all, 2 * (size_t)rank);
  }
  // a zero stands behind the given ones, for axes that stay
  int64_t places[2 * WEFT_MAX_RANK];
  for (int i = 0; i < 2 * rank; i++) {
    size_t from_end = (size_t)(rank - 1 - i % rank);
    places[i] = 2 * from_end < n ? (int64_t)(2 * from_end) + (i >= rank) : (int64_t)n;
  }
  weft_value *parts[2] = {given, front_list(b, &(int64_t){0}, 1)};
  return front_picked(b, front_joined(b, parts, 2, 0), 0, front_list(b, places, 2 * (size_t)rank));
}

// Edges go on from what stood at the end, also where a negative padding cuts it off.
static weft_value *image_edges(front_op *b, weft_value *v, const int64_t *pads) {
  const int rank = front_rank_of(b, v);
  for (int i = 0; i < rank && !b->failed; i++) {
    const int64_t before = pads[i];
    const int64_t after = pads[rank + i];
    int64_t more;
    if (!before && !after)
      continue;
    if (before == INT64_MIN || !weft__add_i64(before, after, &more))
      return front_none(b, WEFT_E_RANGE, "paddings of %lld and %lld", (long long)before, (long long)after);
    weft_value *size = front_dim_index(b, v, i);
    weft_value *last = front_do(b, "Sub", size, front_index(b, 1), NULL);
    weft_value *n = front_do(b, "Add", size, front_index(b, more), NULL);
    weft_value *at = front_do(b, "Sub", front_counting(b, n), front_index(b, before), NULL);
    at = front_do(b, "Maximum", front_do(b, "Minimum", at, last, NULL), front_index(b, 0), NULL);
    v = front_picked(b, v, i, at);
  }
  return v;
}
static bool image_cuts_edges(const char *mode, weft_value *list, int64_t *pads) {
  size_t n;
  bool cut = false;
  if (strcmp(mode, "edge") || !front_known_ints(list, pads, 2 * WEFT_MAX_RANK, &n))
    return false;
  for (size_t i = 0; i < n; i++)
    cut |= pads[i] < 0;
  return cut;
}

static void image_pad_with(pt_op *o, const char *mode) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int rank = front_rank_of(b, v);
  weft_value *pads = image_pads(o, rank);
  if (b->failed)
    return;
  int64_t known[2 * WEFT_MAX_RANK];
  if (image_cuts_edges(mode, pads, known)) {
    pt_result(o, 0, image_edges(b, v, known));
    return;
  }
  bool constant = !strcmp(mode, "constant");
  weft_value *number = constant ? front_num(b, v->fact.dtype, pt_float(o, "value", 0)) : NULL;
  front_set_text(b, "mode", mode);
  front_set_bool(b, "paddings_contiguous", false);
  pt_result(o, 0, front_do(b, "PadV3", v, pads, number));
}
static void image_pad(pt_op *o) {
  static const char *const modes[][2] = {
      {"constant", "constant"}, {"reflect", "reflect"}, {"replicate", "edge"}, {"circular", "circular"}};
  for (size_t i = 0; i < WEFT_COUNT(modes); i++) {
    if (pt_is(o, "mode", "constant", modes[i][0])) {
      image_pad_with(o, modes[i][1]);
      return;
    }
  }
  front_fail(&o->b, WEFT_E_UNSUPPORTED,
             "argument 'mode' is not one of constant, reflect, replicate, circular");
}
static void image_pad_constant(pt_op *o) {
  image_pad_with(o, "constant");
}
static void image_pad_reflect(pt_op *o) {
  image_pad_with(o, "reflect");
}
static void image_pad_edge(pt_op *o) {
  image_pad_with(o, "edge");
}

// ---- resampling ----
static size_t image_floats(pt_op *o, const char *name, float *out, size_t most) {
  const char *key;
  const weft_json *v = pt_only(pt_find(o, name), &key);
  size_t n = 0;
  if (!v || v->kind != WEFT_JSON_ARRAY || v->n > most)
    return 0;
  for (; n < v->n; n++) {
    const weft_json *item = &v->items[n];
    const weft_json *inner = weft__json_get(item, "as_float");
    out[n] = (float)(inner ? inner->f : item->f);
  }
  return n;
}

// The factors, from a list or from an argument for each axis; 0: there are none.
static size_t image_scales(pt_op *o, size_t n, float *out) {
  static const char *const names[3][3] = {
      {"scales", "", ""}, {"scales_h", "scales_w", ""}, {"scales_d", "scales_h", "scales_w"}};
  if (image_floats(o, "scale_factors", out, 3) == n)
    return n;
  for (size_t i = 0; i < n; i++) {
    if (!pt_find(o, names[n - 1][i]))
      return 0;
    out[i] = (float)pt_float(o, names[n - 1][i], 1);
  }
  return n;
}

// Made by factors, and as large as the sizes that the program gives besides.
static weft_value *image_cut_to(pt_op *o, weft_value *v, size_t n) {
  int64_t want[3] = {0};
  const char *key;
  const weft_json *sizes = pt_only(pt_find(o, "output_size"), &key);
  if (!sizes || strcmp(key, "as_ints"))  // sizes that follow from the factors
    return v;
  pt_sizes(o, "output_size", n, 1, want);
  for (size_t i = 0; i < n && !o->b.failed; i++) {
    weft_dim have = front_dim(v, 2 + (int)i);
    if (have >= 0 && have < want[i])
      return front_none(&o->b, WEFT_E_UNSUPPORTED,
                        "%lld places by the factor along axis %zu, %lld are wanted", front_shown(have), i + 2,
                        (long long)want[i]);
    if (have != want[i])
      v = front_part(&o->b, v, 2 + (int64_t)i, 0, want[i]);
  }
  return v;
}

typedef struct resizing {
  const char *mode, *places, *nearest;
  bool smooth;
} resizing;

// Along n axes from `first` on, by factors or to sizes; the other of these is NULL.
static weft_value *image_resized(front_op *b, weft_value *v, const resizing *r, int64_t first, size_t n,
                                 weft_value *const by[2]) {
  const int64_t axes[3] = {first, first + 1, first + 2};
  weft_value *in[4] = {v, NULL, by[0], by[1]};
  front_set_text(b, "mode", r->mode);
  front_set_text(b, "coordinate_transformation_mode", r->places);
  if (r->nearest)
    front_set_text(b, "nearest_mode", r->nearest);
  if (r->smooth) {  // weights of what lies outside are none, and cubic ones are Keys' own
    front_set_int(b, "antialias", 1);
    front_set_int(b, "exclude_outside", 1);
    if (!strcmp(r->mode, "cubic"))
      front_set_float(b, "cubic_coeff_a", -0.5);
  }
  front_set_ints(b, "axes", axes, n);
  return front_emit(b, "Resize", in, by[1] ? 4 : 3, NULL);
}

// Bytes axis by axis, from the last one on, each time to the nearest of what a byte holds.
static weft_value *image_resized_bytes(front_op *b, weft_value *v, const resizing *r, size_t n,
                                       const float *scales, weft_value *sizes) {
  v = front_as(b, v, WEFT_FLOAT);
  for (size_t i = n; i-- > 0 && !b->failed;) {
    const int64_t at = (int64_t)i;
    weft_value *by[2] = {scales ? front_floats(b, scales + i, 1) : NULL,
                         scales ? NULL : front_part(b, sizes, 0, at, at + 1)};
    v = image_resized(b, v, r, 2 + at, 1, by);
    v = front_do(b, "Floor", front_do(b, "Add", v, front_num(b, WEFT_FLOAT, 0.5), NULL), NULL, NULL);
    v = front_do(b, "ClipByValueV2", v, front_num(b, WEFT_FLOAT, 0), front_num(b, WEFT_FLOAT, 255));
  }
  return front_as(b, v, WEFT_UINT8);
}

static void image_resize(pt_op *o, size_t n, const char *mode, const char *places, const char *nearest) {
  front_op *b = &o->b;
  float scales[3];
  weft_value *v = pt_tensor(o, pt_has(o, "input") ? "input" : "self");
  bool factors = image_scales(o, n, scales) == n;
  resizing r = {mode, places, nearest, strstr(o->target ? o->target : "", "_aa.") != NULL};
  bool corners = pt_bool(o, "align_corners", false);
  bool given = pt_find(o, "output_size") != NULL;
  weft_value *sizes = NULL;
  if (r.smooth && corners)
    front_fail(b, WEFT_E_UNSUPPORTED, "antialias together with align_corners is not read");
  if (corners)
    r.places = "align_corners";
  if (factors && corners && !given)
    sizes = front_scaled_sizes(b, v, scales, n);
  else if (!factors || corners)
    sizes = pt_shape(o, "output_size");
  if (b->failed)
    return;
  weft_value *y;
  if (v->fact.dtype == WEFT_UINT8 && strcmp(mode, "nearest")) {
    y = image_resized_bytes(b, v, &r, n, sizes ? NULL : scales, sizes);
  } else {
    weft_value *by[2] = {sizes ? NULL : front_floats(b, scales, n), sizes};
    y = image_resized(b, v, &r, 2, n, by);
  }
  pt_result(o, 0, !sizes && given ? image_cut_to(o, y, n) : y);
}

static void image_nearest1(pt_op *o) {
  image_resize(o, 1, "nearest", "asymmetric", "floor");
}
static void image_nearest2(pt_op *o) {
  image_resize(o, 2, "nearest", "asymmetric", "floor");
}
static void image_nearest3(pt_op *o) {
  image_resize(o, 3, "nearest", "asymmetric", "floor");
}
static void image_exact1(pt_op *o) {
  image_resize(o, 1, "nearest", "half_pixel", "round_prefer_ceil");
}
static void image_exact2(pt_op *o) {
  image_resize(o, 2, "nearest", "half_pixel", "round_prefer_ceil");
}
static void image_exact3(pt_op *o) {
  image_resize(o, 3, "nearest", "half_pixel", "round_prefer_ceil");
}
static void image_linear1(pt_op *o) {
  image_resize(o, 1, "linear", "half_pixel", NULL);
}
static void image_linear2(pt_op *o) {
  image_resize(o, 2, "linear", "half_pixel", NULL);
}
static void image_linear3(pt_op *o) {
  image_resize(o, 3, "linear", "half_pixel", NULL);
}
static void image_cubic2(pt_op *o) {
  image_resize(o, 2, "cubic", "half_pixel", NULL);
}

static void image_grid(pt_op *o) {
  static const char *const modes[] = {"bilinear", "nearest", "bicubic"};
  static const char *const pads[] = {"zeros", "border", "reflection"};
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "input");
  weft_value *grid = pt_tensor(o, "grid");
  int64_t mode = pt_int(o, "interpolation_mode", 0);
  int64_t pad = pt_int(o, "padding_mode", 0);
  if (mode < 0 || mode > 2 || pad < 0 || pad > 2) {
    front_fail(b, WEFT_E_RANGE, "interpolation_mode %lld, padding_mode %lld", (long long)mode,
               (long long)pad);
    return;
  }
  front_set_text(b, "interpolation_mode", modes[mode]);
  front_set_text(b, "padding_mode", pads[pad]);
  if (mode == 2 && pad)
    front_set_bool(b, "pad_taps", true);
  front_set_bool(b, "align_corners", pt_bool(o, "align_corners", false));
  pt_result(o, 0, front_do(b, "GridSample", v, grid, NULL));
}

static void image_affine(pt_op *o) {
  front_op *b = &o->b;
  weft_value *theta = pt_tensor(o, "theta");
  weft_value *size = pt_shape(o, "size");
  front_set_bool(b, "align_corners", pt_bool(o, "align_corners", false));
  pt_result(o, 0, front_do(b, "AffineGrid", theta, size, NULL));
}

// ---- channels and blocks ----
// Dims of the last three axes; false: not all are known.
static bool image_last(front_op *b, weft_value *v, int64_t dims[3]) {
  int rank = front_rank_of(b, v);
  bool known = true;
  if (!b->failed && rank < 3)
    front_fail(b, WEFT_E_SHAPE, "rank %d, channels, height and width are expected", rank);
  for (int i = 0; i < 3 && !b->failed; i++) {
    dims[i] = front_dim_bounded(b, v, rank - 3 + i);
    known &= dims[i] >= 0;
  }
  return known && !b->failed;
}

// The shape of v with other last axes.
static weft_value *image_shaped(front_op *b, weft_value *v, weft_value *of, const int64_t *last, size_t n) {
  int rank = front_rank(of);
  weft_value *parts[2];
  size_t k = 0;
  if (b->failed)
    return NULL;
  if (rank > 3) {
    front_set_int(b, "dtype", WEFT_INT64);
    front_set_int(b, "end", rank - 3);
    parts[k++] = front_do(b, "Shape", of, NULL, NULL);
  }
  parts[k++] = front_list(b, last, n);
  return front_reshape(b, v, front_joined(b, parts, k, 0));
}

static bool image_is_empty(const weft_value *v) {
  bool empty = false;
  for (int i = 0; i < front_rank(v); i++)
    empty |= front_dim(v, i) == 0;
  return empty;
}

// Part [from, to) of a shape.
static weft_value *image_sizes(front_op *b, weft_value *v, int64_t from, int64_t to) {
  front_set_int(b, "dtype", WEFT_INT64);
  front_set_int(b, "start", from);
  front_set_int(b, "end", to);
  return front_do(b, "Shape", v, NULL, NULL);
}

// Blocks of pixels that become channels, or back, where sizes are found when the model runs: [N, C, H, W].
static weft_value *image_blocks(front_op *b, weft_value *v, int64_t r, bool back) {
  const int rank = front_rank_of(b, v);
  weft_value *y = v;
  if (rank == 3)
    y = front_unsqueezed(b, v, 0);
  if (rank > 4) {
    weft_value *parts[2] = {front_elems(b, v, 0, rank - 3), image_sizes(b, v, rank - 3, rank)};
    y = front_reshape(b, v, front_size_list(b, parts, 2));
  }
  front_set_int(b, "block_size", r);
  front_set_text(b, "data_format", "NCHW");
  front_set_text(b, "mode", "CRD");
  y = front_do(b, back ? "SpaceToDepth" : "DepthToSpace", y, NULL, NULL);
  if (rank == 3)
    return front_squeezed(b, y, 0);
  if (rank == 4 || b->failed)
    return y;
  weft_value *parts[2] = {image_sizes(b, v, 0, rank - 3), image_sizes(b, y, 1, 4)};
  return front_reshape(b, y, front_joined(b, parts, 2, 0));
}

// [.., C r r, H, W] to [.., C, H r, W r], or back.
static void image_shuffle(pt_op *o, bool back) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  int64_t r = pt_int(o, back ? "downscale_factor" : "upscale_factor", 1);
  int64_t d[3];
  static const int64_t forth_order[] = {0, 1, 4, 2, 5, 3};
  static const int64_t back_order[] = {0, 1, 3, 5, 2, 4};
  if (!b->failed && (r < 1 || r > 1 << 15))
    front_fail(b, WEFT_E_RANGE, "a factor of %lld", (long long)r);
  if (!image_last(b, v, d)) {
    pt_result(o, 0, b->failed ? NULL : image_blocks(b, v, r, back));
    return;
  }
  const int64_t six[6] = {-1, back ? d[0] : d[0] / (r * r), back ? d[1] / r : r,
                          r,  back ? d[2] / r : d[1],       back ? r : d[2]};
  const int64_t apart[6] = {-1, six[1], six[2], six[3], six[4], six[5]};
  weft_value *y = v;  // of no elements, as it is
  if (!image_is_empty(v))
    y = front_permuted(b, front_reshaped(b, v, apart, 6), back ? back_order : forth_order, 6);
  const int64_t last[3] = {back ? d[0] * r * r : d[0] / (r * r), back ? d[1] / r : d[1] * r,
                           back ? d[2] / r : d[2] * r};
  pt_result(o, 0, image_shaped(b, y, v, last, 3));
}
static void image_pixel_shuffle(pt_op *o) {
  image_shuffle(o, false);
}
static void image_pixel_unshuffle(pt_op *o) {
  image_shuffle(o, true);
}

static void image_channel_shuffle(pt_op *o) {
  pt_result(o, 0, front_channel_shuffle(&o->b, pt_tensor(o, "self"), pt_int(o, "groups", 1)));
}

// ---- windows ----
// The places of windows along an axis, [windows, size].
static weft_value *image_windows(front_op *b, weft_value *v, int64_t axis, int64_t size, int64_t step) {
  weft_value *room = front_do(b, "Sub", front_dim_index(b, v, axis), front_index(b, size), NULL);
  weft_value *n = front_do(b, "FloorDiv", room, front_index(b, step), NULL);
  weft_value *first = front_counting(b, front_do(b, "Add", n, front_index(b, 1), NULL));
  if (step != 1)
    first = front_do(b, "Mul", first, front_index(b, step), NULL);
  return front_do(b, "Add", front_unsqueezed(b, first, 1), front_counting(b, front_index(b, size)), NULL);
}

// Windows of an axis as a new last axis. Of a number there is one, without the axis of windows.
static void image_unfold(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  const bool number = front_rank_of(b, v) == 0;
  v = number ? front_flat(b, v) : v;
  int rank = front_rank(v);
  int64_t axis = pt_axis(o, "dimension", 0, rank);
  int64_t size = pt_int(o, "size", 1);
  int64_t step = pt_int(o, "step", 1);
  weft_dim in = front_dim(v, (int)axis);
  if (!b->failed && (size < 0 || step < 1 || (in >= 0 && in < size)))
    front_fail(b, WEFT_E_SHAPE, "windows of %lld at steps of %lld along an axis of %lld", (long long)size,
               (long long)step, front_shown(in));
  if (b->failed)
    return;
  weft_value *y = front_picked(b, v, axis, image_windows(b, v, axis, size, step));
  int64_t order[WEFT_MAX_RANK + 1];
  int k = 0;
  for (int i = 0; i <= rank; i++) {
    if (i != axis + 1)
      order[k++] = i;
  }
  order[k] = axis + 1;
  y = b->failed ? NULL : front_permuted(b, y, order, (size_t)rank + 1);
  pt_result(o, 0, number ? front_picked(b, y, 0, front_index(b, 0)) : y);
}

typedef struct columns {
  int64_t kernel[2], dilation[2], pad[2], stride[2];
  bool single;
} columns;

static columns image_columns(pt_op *o) {
  columns c = {.single = false};
  pt_sizes(o, "kernel_size", 2, 1, c.kernel);
  pt_sizes(o, "dilation", 2, 1, c.dilation);
  pt_sizes(o, "padding", 2, 0, c.pad);
  pt_sizes(o, "stride", 2, 1, c.stride);
  return c;
}

static void image_im2col(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  columns c = image_columns(o);
  front_axis_columns axes[2];
  for (int k = 0; k < 2; k++)
    axes[k] = (front_axis_columns){c.kernel[k], c.dilation[k], c.pad[k], c.stride[k]};
  c.single = front_rank_of(b, v) == 3;
  if (c.single)
    v = front_unsqueezed(b, v, 0);
  v = front_columns(b, v, axes);
  pt_result(o, 0, c.single ? front_squeezed(b, v, 0) : v);
}

static void image_col2im(pt_op *o) {
  front_op *b = &o->b;
  weft_value *v = pt_tensor(o, "self");
  columns c = image_columns(o);
  c.single = front_rank_of(b, v) == 2;
  if (c.single)
    v = front_unsqueezed(b, v, 0);
  weft_value *size = pt_shape(o, "output_size");
  weft_value *block = front_list(b, c.kernel, 2);
  const int64_t pads[4] = {c.pad[0], c.pad[1], c.pad[0], c.pad[1]};
  front_set_ints(b, "dilations", c.dilation, 2);
  front_set_ints(b, "pads", pads, 4);
  front_set_ints(b, "strides", c.stride, 2);
  weft_value *y = front_do(b, "Col2Im", v, size, block);
  pt_result(o, 0, c.single ? front_squeezed(b, y, 0) : y);
}

static const pt_row image_rows[] = {
    {"pad", NULL, 0, image_pad, 0},
    {"constant_pad_nd", NULL, 0, image_pad_constant, 0},
    {"reflection_pad1d", NULL, 0, image_pad_reflect, 0},
    {"reflection_pad2d", NULL, 0, image_pad_reflect, 0},
    {"reflection_pad3d", NULL, 0, image_pad_reflect, 0},
    {"replication_pad1d", NULL, 0, image_pad_edge, 0},
    {"replication_pad2d", NULL, 0, image_pad_edge, 0},
    {"replication_pad3d", NULL, 0, image_pad_edge, 0},
    {"upsample_nearest1d", NULL, 0, image_nearest1, 0},
    {"upsample_nearest2d", NULL, 0, image_nearest2, 0},
    {"upsample_nearest3d", NULL, 0, image_nearest3, 0},
    {"_upsample_nearest_exact1d", NULL, 0, image_exact1, 0},
    {"_upsample_nearest_exact2d", NULL, 0, image_exact2, 0},
    {"_upsample_nearest_exact3d", NULL, 0, image_exact3, 0},
    {"upsample_linear1d", NULL, 0, image_linear1, 0},
    {"upsample_bilinear2d", NULL, 0, image_linear2, 0},
    {"_upsample_bilinear2d_aa", NULL, 0, image_linear2, 0},
    {"upsample_trilinear3d", NULL, 0, image_linear3, 0},
    {"upsample_bicubic2d", NULL, 0, image_cubic2, 0},
    {"_upsample_bicubic2d_aa", NULL, 0, image_cubic2, 0},
    {"grid_sampler", NULL, 0, image_grid, 0},
    {"grid_sampler_2d", NULL, 0, image_grid, 0},
    {"grid_sampler_3d", NULL, 0, image_grid, 0},
    {"affine_grid_generator", NULL, 0, image_affine, 0},
    {"pixel_shuffle", NULL, 0, image_pixel_shuffle, 0},
    {"pixel_unshuffle", NULL, 0, image_pixel_unshuffle, 0},
    {"channel_shuffle", NULL, 0, image_channel_shuffle, 0},
    {"native_channel_shuffle", NULL, 0, image_channel_shuffle, 0},
    {"unfold", NULL, 0, image_unfold, 'V'},
    {"unfold_copy", NULL, 0, image_unfold, 0},
    {"im2col", NULL, 0, image_im2col, 0},
    {"col2im", NULL, 0, image_col2im, 0},
};
const pt_rows pt_image = PT_ROWS(image_rows);
// SPDX-License-Identifier: Apache-2.0
