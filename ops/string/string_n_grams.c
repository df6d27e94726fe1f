// ops/string/string_n_grams.c - runs of words of ragged rows, joined.   AscendIR StringNGrams, as TensorFlow
// has it. A row begins and ends with as many pads as pad_width says, at most one fewer than a run has words;
// below 0 means as many. A row that is too short for every width gives one run of all of it, where
// preserve_short_sequences is set.
#include "air_slots.h"
#include "op/air_rows.h"
#include "string_util.h"

enum { GRAMS, GRAM_SPLITS };

static weft_status n_grams_infer(weft_infer *it) {
  const weft_shape *splits = it->in[1];
  WEFT_TRY(weft__expect_rank(it, 0, 1, 1));
  WEFT_TRY(weft__expect_rank(it, 1, 1, 1));
  WEFT_TRY(weft__unknown_dims(it, GRAMS, 1));
  it->out_dtype[GRAM_SPLITS] = it->in_dtype[1];
  if (weft_shape_is_unknown_rank(splits))
    return weft__unknown_dims(it, GRAM_SPLITS, 1);
  weft_shape_copy(it->out[GRAM_SPLITS], splits);
  return WEFT_OK;
}

static weft_status n_grams_infer_range(weft_infer *it) {
  WEFT_TRY(n_grams_infer(it));
  for (uint32_t o = 0; o < 2; o++) {
    weft_shape_copy(it->out_min[o], it->out[o]);
    weft_shape_copy(it->out_max[o], it->out[o]);
  }
  it->out_min[GRAMS]->dim[0] = 0;
  it->out_min[GRAM_SPLITS]->dim[0] = weft_shape_is_unknown_rank(it->in[1]) ? 0 : it->in_min[1]->dim[0];
  it->out_max[GRAM_SPLITS]->dim[0] = weft_shape_is_unknown_rank(it->in[1]) ? -1 : it->in_max[1]->dim[0];
  return WEFT_OK;
}

typedef struct n_grams {
  const weft_call *c;
  weft_ints widths;
  int64_t pad;  // below 0: one fewer than the width
  bool keeps_short;
  weft_strings *list;  // NULL: only counting
  size_t work;
} n_grams;

static void n_grams_add(n_grams *g, uint32_t slot) {
  const weft_attr *a = weft_attr_at(g->c->desc, slot, WEFT_VT_STRING);
  if (a)
    weft__strings_add(g->list, a->u.s, a->n);
}

static void n_grams_separator(n_grams *g, bool *first) {
  if (!*first)
    n_grams_add(g, WEFT_SLOT_STRING_N_GRAMS_SEPARATOR);
  *first = false;
}

// Words [from, to) of the tensor with pads around them.
static weft_status n_grams_one(n_grams *g, int64_t left, int64_t from, int64_t to, int64_t right) {
  bool first = true;
  for (int64_t i = 0; i < left; i++) {
    n_grams_separator(g, &first);
    n_grams_add(g, WEFT_SLOT_STRING_N_GRAMS_LEFT_PAD);
  }
  for (int64_t i = from; i < to; i++) {
    const char *text;
    size_t bytes;
    n_grams_separator(g, &first);
    WEFT_TRY(weft_tensor_string(g->c->in[0], (size_t)i, &text, &bytes, g->c->d));
    weft__strings_add(g->list, text, bytes);
  }
  for (int64_t i = 0; i < right; i++) {
    n_grams_separator(g, &first);
    n_grams_add(g, WEFT_SLOT_STRING_N_GRAMS_RIGHT_PAD);
  }
  weft__strings_next(g->list);
  return g->list->stopped;
}

// Runs of `width` in the row [from, to) with `pad` words before and behind it; *out_n grows by their number.
static weft_status n_grams_width(n_grams *g, int64_t from, int64_t to, int64_t width, int64_t pad,
                                 int64_t *out_n) {
  const int64_t all = to - from + 2 * pad - width + 1;
  for (int64_t i = 0; i < all; i++) {
    const int64_t left = WEFT_MAX(pad - i, (int64_t)0);
    const int64_t right = WEFT_MAX(pad - (all - (i + 1)), (int64_t)0);
    const int64_t begin = from + WEFT_MAX(i - pad, (int64_t)0);
    WEFT_TRY(weft__poll_work(g->c, &g->work, 1));
    if (g->list)
      WEFT_TRY(n_grams_one(g, left, begin, begin + WEFT_MAX(width - left - right, (int64_t)0), right));
  }
  *out_n += WEFT_MAX(all, (int64_t)0);
  return WEFT_OK;
}

static weft_status n_grams_row(n_grams *g, int64_t from, int64_t to, int64_t *out_n) {
  const int64_t before = *out_n;
  for (size_t k = 0; k < g->widths.n; k++) {
    const int64_t width = g->widths.v[k];
    const int64_t pad = g->pad < 0 ? width - 1 : WEFT_MIN(g->pad, width - 1);
    WEFT_TRY(n_grams_width(g, from, to, width, pad, out_n));
  }
  const bool too_short = g->keeps_short && *out_n == before && to > from;
  const int64_t pad = WEFT_MAX(g->pad, (int64_t)0);
  return too_short ? n_grams_width(g, from, to, to - from + 2 * pad, pad, out_n) : WEFT_OK;
}

// All rows; the ends of their runs go to output 1 where that is wanted.
static weft_status n_grams_rows(n_grams *g, int64_t *out_n) {
  const weft_tensor *splits = g->c->in[1];
  weft_tensor *ends = g->c->out[GRAM_SPLITS];
  const int64_t words = (int64_t)weft__elems(&g->c->in[0]->layout.origin);
  const size_t n = weft__elems(&splits->layout.origin);
  int64_t from = 0;
  *out_n = 0;
  for (size_t i = 0; i < n; i++) {
    const int64_t to = weft_load_i64(splits->dtype, splits->data, i);
    if (to < from || to > words || (!i && to)) {
      return weft_fail(g->c->d, WEFT_E_RANGE, "input 'data_splits', element %zu: %lld, expected %lld to %lld",
                       i, (long long)to, (long long)from, (long long)(i ? words : 0));
    }
    if (i)
      WEFT_TRY(n_grams_row(g, from, to, out_n));
    if (ends)
      weft_store_i64(ends->dtype, ends->data, i, *out_n);
    from = to;
  }
  return WEFT_OK;
}

static weft_status n_grams_read(const weft_call *c, n_grams *g) {
  enum { PAD_MOST = 1 << 20 };
  *g = (n_grams){.c = c,
                 .widths = weft_node_ints(c->desc, WEFT_SLOT_STRING_N_GRAMS_NGRAM_WIDTHS),
                 .pad = weft_node_int(c->desc, WEFT_SLOT_STRING_N_GRAMS_PAD_WIDTH),
                 .keeps_short = weft_node_bool(c->desc, WEFT_SLOT_STRING_N_GRAMS_PRESERVE_SHORT_SEQUENCES)};
  for (size_t k = 0; k < g->widths.n; k++) {
    if (g->widths.v[k] < 1 || g->widths.v[k] > PAD_MOST)
      return weft_fail(c->d, WEFT_E_RANGE, "attribute 'ngram_widths': %lld is outside [1, %d]",
                       (long long)g->widths.v[k], PAD_MOST);
  }
  if (g->pad > PAD_MOST)
    return weft_fail(c->d, WEFT_E_RANGE, "attribute 'pad_width': %lld is over %d", (long long)g->pad,
                     PAD_MOST);
  return WEFT_OK;
}

static weft_status n_grams_execute(const weft_call *c) {
  n_grams g;
  int64_t n;
  weft_layout layout = c->in[1]->layout;
  weft_strings list;
  WEFT_TRY(n_grams_read(c, &g));
  WEFT_TRY(c->host->out_alloc(c, GRAM_SPLITS, c->in[1]->dtype, &layout, WEFT_ND));
  WEFT_TRY(n_grams_rows(&g, &n));
  WEFT_TRY(weft_shape_init(&layout.origin, &n, 1));
  weft_shape_copy(&layout.storage, &layout.origin);
  WEFT_TRY(c->host->out_alloc(c, GRAMS, WEFT_STRING, &layout, WEFT_ND));
  if (!c->out[GRAMS])
    return WEFT_OK;
  weft__strings_init_at(&list, c, GRAMS);
  g.list = &list;
  return weft__strings_give(&list, &layout.origin, n_grams_rows(&g, &n));
}

#define GRAM_ATTRS " left_pad=\"<\" right_pad=\">\" separator=\"|\" preserve_short_sequences="
WEFT_ROWS(string_n_grams) = {
    {"StringNGrams", "runs of words of ragged rows", WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
     .infer = n_grams_infer, .infer_range = n_grams_infer_range, .execute = n_grams_execute,
     .examples = WEFT_EXAMPLES(
         "str[4]{\"a\",\"b\",\"c\",\"d\"}, i64[3]{0,3,4} ngram_widths=[2] pad_width=0" GRAM_ATTRS "false -> "
         "str[2]{\"a|b\",\"b|c\"}, i64[3]{0,2,2}",
         "str[4]{\"a\",\"b\",\"c\",\"d\"}, i32[3]{0,3,4} ngram_widths=[2] pad_width=0" GRAM_ATTRS "true -> "
         "str[3]{\"a|b\",\"b|c\",\"d\"}, i32[3]{0,2,3}",
         "str[2]{\"a\",\"b\"}, i64[2]{0,2} ngram_widths=[3,1] pad_width=-1" GRAM_ATTRS "false -> "
         "str[6]{\"<|<|a\",\"<|a|b\",\"a|b|>\",\"b|>|>\",\"a\",\"b\"}, i64[2]{0,6}",
         "str[1]{\"a\"}, i64[2]{0,1} ngram_widths=[4] pad_width=1" GRAM_ATTRS "true -> "
         "str[1]{\"<|a|>\"}, i64[2]{0,1}",
         "str[0], i64[1]{0} ngram_widths=[2] pad_width=0" GRAM_ATTRS "true -> str[0], i64[1]{0}",
         "str[-1], i64[5] ngram_widths=[2] pad_width=0" GRAM_ATTRS "true -> str[-1], i64[5]",
         "str[1]{\"a\"}, i64[2]{0,2} ngram_widths=[2] pad_width=0" GRAM_ATTRS "true !! E_RANGE element 1: 2",
         "str[1]{\"a\"}, i64[2]{0,1} ngram_widths=[0] pad_width=0" GRAM_ATTRS
         "true !! E_RANGE 'ngram_widths'")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
