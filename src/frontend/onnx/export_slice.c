// export_slice.c - StridedSlice, whose masks are TensorFlow's, as ONNX's Slice with axes, and then Squeeze
// and Unsqueeze: x[begin:end:step], a number for an axis that goes, None for one that comes, and an ellipsis.
#include "frontend/onnx/export.h"

typedef struct slice_spec {  // of each axis that is cut: what Slice wants of it
  int64_t start[WEFT_MAX_RANK], end[WEFT_MAX_RANK], axis[WEFT_MAX_RANK], step[WEFT_MAX_RANK];
  int64_t gone[WEFT_MAX_RANK], come[WEFT_MAX_RANK];  // axes of the input, and of the output
  size_t n, n_gone, n_come;
} slice_spec;

typedef struct slice_words {  // the node's own
  int64_t begin[WEFT_MAX_RANK], end[WEFT_MAX_RANK], step[WEFT_MAX_RANK];
  size_t n;
  uint64_t begins, ends, ellipsis, comes, gone;  // masks
} slice_words;

static bool slice_read(const export *x, slice_words *w) {
  size_t n_end;
  size_t n_step;
  w->begins = (uint64_t)export_attr_int(x, "begin_mask", 0);
  w->ends = (uint64_t)export_attr_int(x, "end_mask", 0);
  w->ellipsis = (uint64_t)export_attr_int(x, "ellipsis_mask", 0);
  w->comes = (uint64_t)export_attr_int(x, "new_axis_mask", 0) & ~w->ellipsis;
  w->gone = (uint64_t)export_attr_int(x, "shrink_axis_mask", 0) & ~w->ellipsis & ~w->comes;
  return export_known(export_in_value(x, 1), w->begin, WEFT_MAX_RANK, &w->n) &&
         export_known(export_in_value(x, 2), w->end, WEFT_MAX_RANK, &n_end) &&
         export_known(export_in_value(x, 3), w->step, WEFT_MAX_RANK, &n_step) && n_end == w->n &&
         n_step == w->n;
}

static void slice_cut(const slice_words *w, size_t i, int64_t axis, slice_spec *s) {
  const uint64_t bit = UINT64_C(1) << i;
  const bool one = (w->gone & bit) != 0;
  const int64_t step = one ? 1 : w->step[i];
  const bool all = !one && step == 1 && (w->begins & bit) && (w->ends & bit);
  if (one)
    s->gone[s->n_gone++] = axis;
  if (all)
    return;
  s->axis[s->n] = axis;
  s->step[s->n] = step;
  s->start[s->n] = w->begin[i];
  s->end[s->n] = w->end[i];
  if (one)
    s->end[s->n] = w->begin[i] == -1 || w->begin[i] == INT64_MAX ? INT64_MAX : w->begin[i] + 1;
  else if (w->ends & bit)
    s->end[s->n] = step > 0 ? INT64_MAX : -INT64_MAX;
  if (!one && (w->begins & bit))
    s->start[s->n] = step > 0 ? 0 : INT64_MAX;
  s->n++;
}

// false: more axes than x has.
static bool slice_spec_of(const slice_words *w, int rank, slice_spec *s) {
  size_t named = 0;
  int64_t axis = 0;
  int64_t out = 0;
  for (size_t i = 0; i < w->n; i++)
    named += !((w->ellipsis | w->comes) >> i & 1);
  if (named > (size_t)rank)
    return false;
  for (size_t i = 0; i < w->n; i++) {
    if (w->ellipsis >> i & 1) {
      axis += rank - (int64_t)named;
      out += rank - (int64_t)named;
    } else if (w->comes >> i & 1) {
      s->come[s->n_come++] = out++;
    } else {
      slice_cut(w, i, axis++, s);
      out += !(w->gone >> i & 1);
    }
  }
  return true;
}

bool export_strided_slice(export *x) {
  const weft_value *data = export_in_value(x, 0);
  slice_words w = {.n = 0};
  slice_spec s = {.n = 0};
  if (!data || !weft__fact_ranked(&data->fact) || !slice_read(x, &w) ||
      !slice_spec_of(&w, data->fact.rank, &s))
    return false;
  const char *now = export_in(x, 0);
  const char *out = export_out(x, 0);
  const char *last = s.n_come ? "Unsqueeze" : s.n_gone ? "Squeeze" : s.n ? "Slice" : "Identity";
  if (s.n) {
    const char *in[5] = {now, export_ints(x, s.start, s.n, false), export_ints(x, s.end, s.n, false),
                         export_ints(x, s.axis, s.n, false), export_ints(x, s.step, s.n, false)};
    now = export_op(x, "Slice", in, 5, &out, !strcmp(last, "Slice"));
  }
  if (s.n_gone)
    now = export_op1(x, "Squeeze", now, export_ints(x, s.gone, s.n_gone, false), NULL, s.n_come ? NULL : out);
  if (s.n_come)
    now = export_op1(x, "Unsqueeze", now, export_ints(x, s.come, s.n_come, false), NULL, out);
  if (!strcmp(last, "Identity"))
    now = export_op1(x, "Identity", now, NULL, NULL, out);
  return now != NULL;
}
// SPDX-License-Identifier: Apache-2.0
