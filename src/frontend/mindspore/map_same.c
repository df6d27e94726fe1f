// map_same.c - operators that AscendIR has under MindSpore's name, or nearly so, with its attributes: the
// arguments of a row are the primitive's inputs, in order, and its attributes are looked for by name.
#include "base/allocated.h"
#include "frontend/mindspore/tables.h"

// A list of numbers as floats.
static void same_floats(ms_op *o, const char *name, const ms_value *v) {
  const size_t n = v->kind == MS_TUPLE ? v->n : 1;
  float *list = WEFT_NEW_N(&o->m->f.arena, float, n + 1);
  if (!list) {
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
    return;
  }
  for (size_t i = 0; i < n; i++) {
    const ms_value *item = v->kind == MS_TUPLE ? &v->items[i] : v;
    if (!ms_is_number(item)) {
      front_fail(&o->b, WEFT_E_TYPE, "item %zu of attribute '%s' is no number", i, name);
      return;
    }
    list[i] = (float)(item->kind == MS_FLOAT ? item->f : (double)item->i);
  }
  front_set(&o->b, name, weft_attr_floats(list, n));
}

static void same_ints(ms_op *o, const char *name) {
  int64_t *list = WEFT_NEW_N(&o->m->f.arena, int64_t, MS_MAX_NUMBERS);
  if (list)
    front_set_ints(&o->b, name, list, ms_ints(o, name, list));
  else
    front_fail(&o->b, WEFT_E_NOMEM, "out of memory");
}

static void same_attribute(ms_op *o, const weft_attr_decl *decl) {
  front_op *b = &o->b;
  const char *name = decl->name;
  ms_value v;
  const weft_attr_type type = weft_attr_type_parse(decl->type, strlen(decl->type));
  if (type == WEFT_VT_TYPE) {
    const weft_dtype t = ms_out_type(o, !strcmp(name, "out_idx"));
    front_set(b, name, weft_attr_dtype(t == WEFT_INT64 ? WEFT_INT64 : WEFT_INT32));
    return;
  }
  if (!ms_find(o, name, &v))
    return;
  switch (type) {
    case WEFT_VT_INT:
      front_set_int(b, name, ms_int(o, name, 0));
      break;
    case WEFT_VT_FLOAT:
      front_set_float(b, name, ms_float(o, name, 0));
      break;
    case WEFT_VT_BOOL:
      front_set_bool(b, name, ms_bool(o, name, false));
      break;
    case WEFT_VT_STRING:
      front_set_text(b, name, ms_string(o, name, ""));
      break;
    case WEFT_VT_LIST_INT:
      same_ints(o, name);
      break;
    case WEFT_VT_LIST_FLOAT:
      same_floats(o, name, &v);
      break;
    default:
      front_fail(b, WEFT_E_UNSUPPORTED, "attribute '%s' is of a kind that is not read", name);
  }
}

// What the port allows: indices may be of either size.
static weft_value *same_input(ms_op *o, const weft_proto *p, uint32_t port, const char *name) {
  const weft_dtype_set allowed = weft_proto_dtypes(p, weft_proto_in(p, port));
  ms_value given;
  weft_value *v =
      ms_find(o, name, &given) && given.kind == MS_TUPLE ? ms_numbers(o, name) : ms_tensor(o, name);
  if (!v || (allowed & WEFT_BIT(v->fact.dtype)))
    return v;
  const bool whole = weft_dtype_is_integer(v->fact.dtype);
  if (whole && (allowed & WEFT_BIT(WEFT_INT32)))
    return front_as(&o->b, v, WEFT_INT32);
  return v;
}

static void same(ms_op *o) {
  front_op *b = &o->b;
  const char *type = o->row->rule ? o->row->rule : o->row->op;
  const weft_proto *p = weft_find(b->f->env, type);
  weft_value *in[MS_MAX_NUMBERS] = {NULL};
  char name[64];
  size_t n = 0;
  if (!p) {
    front_fail(b, WEFT_E_STATE, "there is no operator %s", type);
    return;
  }
  for (const char *at = o->row->args; *at && n < weft_proto_n_in(p) && n < MS_MAX_NUMBERS;) {
    const size_t bytes = strcspn(at, " ");
    snprintf(name, sizeof name, "%.*s", (int)bytes, at);
    at += bytes + strspn(at + bytes, " ");
    in[n] = ms_has(o, name) ? same_input(o, p, (uint32_t)n, name) : NULL;
    n++;
  }
  for (uint32_t i = 0; i < weft_proto_n_attr(p); i++)
    same_attribute(o, weft_proto_attr(p, i));
  weft_value *y = b->failed ? NULL : front_emit(b, type, in, n, NULL);
  const uint32_t outs = weft_proto_n_out(p);
  weft_value *out[8];
  for (uint32_t i = 0; i < outs && i < WEFT_COUNT(out); i++) {
    const weft_dtype t = ms_out_type(o, i);
    const bool whole = weft_dtype_is_integer(t) || t == WEFT_BOOL;
    out[i] = y && whole ? front_as(b, y + i, t) : y ? y + i : NULL;
  }
  if (outs == 1)
    ms_give(o, out[0]);
  else
    ms_give_many(o, out, WEFT_MIN(outs, WEFT_COUNT(out)));
}

// MindSpore gives where an axis of the target stands in the source.
static void same_dim_map(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  front_set_text(&o->b, "src_format", ms_string(o, "dst_format", "NCHW"));
  front_set_text(&o->b, "dst_format", ms_string(o, "src_format", "NHWC"));
  ms_give(o, front_do(&o->b, "DataFormatDimMap", x, NULL, NULL));
}

// Slices along axis 0 of which the attribute says which.
static void same_inplace(ms_op *o) {
  const char *type = o->row->rule;
  weft_value *x = ms_tensor(o, "x");
  weft_value *at = front_as(&o->b, ms_numbers(o, "indices"), WEFT_INT32);
  ms_give(o, front_do(&o->b, type, x, at, ms_tensor(o, "v")));
}

static void same_least_squares(ms_op *o) {
  weft_value *x = ms_tensor(o, "x");
  weft_value *a = ms_tensor(o, "a");
  const int rank = front_rank_of(&o->b, a);
  front_set_bool(&o->b, "fast", ms_bool(o, "fast", true));
  weft_value *l2 = front_num(&o->b, WEFT_DOUBLE, ms_float(o, "l2_regularizer", 0));
  if (rank == 1)
    a = front_unsqueezed(&o->b, a, 1);
  ms_give(o, front_do(&o->b, "MatrixSolveLs", x, a, l2));
}

// Zeros where no value stands.
static void same_to_dense(ms_op *o) {
  front_op *b = &o->b;
  weft_value *at = front_as(b, ms_tensor(o, "indices"), WEFT_INT64);
  weft_value *shape = ms_numbers(o, "shape");
  weft_value *values = ms_tensor(o, "values");
  weft_value *in[4] = {at, shape, values, values ? front_num(b, values->fact.dtype, 0) : NULL};
  front_set_bool(b, "validate_indices", false);
  ms_give(o, b->failed ? NULL : front_emit(b, "SparseToDense", in, 4, NULL));
}

#define SAME(name, args) \
  { name, args, NULL, 0, same }
#define SAME_AS(name, args, type) \
  { name, args, type, 0, same }
static const ms_row same_rows[] = {
    SAME("AdjustHue", "images delta"),
    SAME("AdjustSaturation", "images scale"),
    {"ApproximateEqual", "x1 x2", "ApproximateEqual(x1, x2, tolerance=@tolerance|0.00001)", 'P', NULL},
    SAME("Bincount", "array size weights"),
    SAME("BoundingBoxDecode", "rois deltas"),
    SAME("BoundingBoxEncode", "anchor_box groundtruth_box"),
    SAME("Bucketize", "x"),
    SAME("CTCGreedyDecoder", "inputs sequence_length"),
    SAME("CombinedNonMaxSuppression",
         "boxes scores max_output_size_per_class max_total_size iou_threshold score_threshold"),
    SAME("CompareAndBitpack", "x threshold"),
    SAME("ConjugateTranspose", "x perm"),
    {"DataFormatDimMap", "x", NULL, 0, same_dim_map},
    SAME("DataFormatVecPermute", "x"),
    SAME("DiagPart", "x"),
    SAME("FillDiagonal", "x"),
    SAME("HSVToRGB", "images"),
    SAME_AS("IOU", "bboxes gtboxes", "Iou"),
    {"InplaceAdd", "x v", "InplaceAdd", 0, same_inplace},
    {"InplaceSub", "x v", "InplaceSub", 0, same_inplace},
    {"InplaceUpdate", "x v", "InplaceUpdate", 0, same_inplace},
    {"InplaceUpdateV2", "x indices v", "InplaceUpdate", 0, same_inplace},
    SAME("InvertPermutation", "x"),
    SAME("ListDiff", "x y"),
    {"Lstsq", "x a", NULL, 0, same_least_squares},
    SAME("LowerBound", "sorted_x values"),
    SAME("MaskedScatter", "x mask updates"),
    SAME("MatrixSolveLs", "matrix rhs l2"),
    SAME("MatrixTriangularSolve", "matrix rhs"),
    SAME("MultilabelMarginLoss", "x target"),
    SAME("NMSWithMask", "box_scores"),
    SAME("NonMaxSuppressionV3", "boxes scores max_output_size iou_threshold score_threshold"),
    SAME("NonMaxSuppressionWithOverlaps",
         "overlaps scores max_output_size overlap_threshold score_threshold"),
    SAME("NthElement", "x n"),
    SAME("Pdist", "x"),
    SAME("RGBToHSV", "images"),
    SAME("ROIAlign", "features rois"),
    SAME("Renorm", "x"),
    SAME("ResizeArea", "images size"),
    SAME("ScaleAndTranslate", "images size scale translation"),
    SAME("SegmentMax", "x segment_ids"),
    SAME("SegmentSum", "x segment_ids"),
    SAME("STFT", "x window"),
    SAME("SigmoidCrossEntropyWithLogits", "predict target"),
    SAME("SoftMarginLoss", "input_x input_y"),
    {"SparseToDense", "indices values shape", NULL, 0, same_to_dense},
    SAME_AS("SparseToDenseV2", "indices output_shape values default_value", "SparseToDense"),
    SAME_AS("SparseTensorDenseMatmul", "indices values shape dense", "SparseTensorDenseMatMul"),
    SAME("UnravelIndex", "indices dims"),
    SAME("UpperBound", "sorted_x values"),
};
const ms_rows ms_same = MS_ROWS(same_rows);
// SPDX-License-Identifier: Apache-2.0
