// ops/string/string_split_dense.c - strings cut at a delimiter: substrings padded with "" along a new last
// axis, and how many each string gave.   ONNX StringSplit-20. (AscendIR's StringSplit gives sparse indices.)
// delimiter "": runs of ASCII white space cut, and none at the ends. maxsplit < 0: no limit; otherwise at
// most maxsplit cuts.
#include "string_util.h"

enum { DELIMITER, MAXSPLIT };

static weft_status string_split_dense_infer(weft_infer *it) {
  const weft_shape *s = it->in[0];
  weft_shape_copy(it->out[1], s);
  if (weft_shape_is_unknown_rank(s))
    return weft__unknown_rank(it, 0);
  WEFT_TRY(weft__unknown_dims(it, 0, s->rank + 1));
  for (size_t i = 0; i < s->rank; i++)
    it->out[0]->dim[i] = s->dim[i];
  return WEFT_OK;
}
static weft_status string_split_dense_infer_range(weft_infer *it) {
  WEFT_TRY(string_split_dense_infer(it));
  for (uint32_t o = 0; o < 2; o++) {
    weft_shape_copy(it->out_min[o], it->out[o]);
    weft_shape_copy(it->out_max[o], it->out[o]);
    if (weft_shape_is_unknown_rank(it->out[o]))
      continue;
    for (size_t i = 0; i < it->in[0]->rank; i++) {
      it->out_min[o]->dim[i] = it->in_min[0]->dim[i];
      it->out_max[o]->dim[i] = it->in_max[0]->dim[i];
    }
    if (!o) {
      it->out_min[0]->dim[it->in[0]->rank] = 0;
      it->out_max[0]->dim[it->in[0]->rank] = -1;
    }
  }
  return WEFT_OK;
}

typedef struct cut {
  const weft_call *c;
  const char *text, *delimiter;
  size_t bytes, delimiter_bytes, at;
  int64_t left;  // cuts
  bool done;
  size_t work;
  weft_status stopped;  // by a limit of the call
} cut;

// Goes on to byte `to`; false: the call is to stop.
static bool cut_step(cut *c, size_t *at, size_t to) {
  *at = to;
  c->stopped = weft__poll_work(c->c, &c->work, 1);
  return !c->stopped;
}

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_cut_at(const cut *c, size_t at) {
  if (!c->delimiter_bytes)
    return is_space(c->text[at]);
  return c->bytes - at >= c->delimiter_bytes && !memcmp(c->text + at, c->delimiter, c->delimiter_bytes);
}

// The next substring; false: no more, or the call is to stop.
static bool next(cut *c, const char **out, size_t *out_bytes) {
  bool spaces = !c->delimiter_bytes;
  bool goes_on = true;
  while (goes_on && spaces && c->at < c->bytes && is_space(c->text[c->at]))
    goes_on = cut_step(c, &c->at, c->at + 1);
  if (!goes_on || c->done || (spaces && c->at == c->bytes))
    return false;
  size_t from = c->at;
  size_t end = c->left ? from : c->bytes;
  while (goes_on && end < c->bytes && !is_cut_at(c, end))
    goes_on = cut_step(c, &end, end + 1);
  if (!goes_on)
    return false;
  c->done = end == c->bytes;
  c->at = c->done ? end : end + c->delimiter_bytes;
  c->left -= c->left > 0;
  *out = c->text + from;
  *out_bytes = end - from;
  return true;
}

static cut cut_of(const weft_call *c, const char *text, size_t bytes) {
  const weft_attr *a = weft_attr_at(c->desc, DELIMITER, WEFT_VT_STRING);
  return (cut){.c = c,
               .text = text,
               .bytes = bytes,
               .delimiter = a ? a->u.s : "",
               .delimiter_bytes = a ? a->n : 0,
               .left = weft_node_int(c->desc, MAXSPLIT)};
}

static weft_status string_split_dense_count(const weft_call *c, int64_t *counts, size_t n,
                                            int64_t *out_most) {
  const char *text;
  const char *piece;
  size_t bytes;
  size_t piece_bytes;
  *out_most = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t found = 0;
    WEFT_TRY(weft__poll_at(c, i));
    WEFT_TRY(weft_tensor_string(c->in[0], i, &text, &bytes, c->d));
    cut at = cut_of(c, text, bytes);
    while (next(&at, &piece, &piece_bytes))
      found++;
    WEFT_TRY(at.stopped);
    if (counts)
      counts[i] = found;
    *out_most = WEFT_MAX(*out_most, found);
  }
  return WEFT_OK;
}

static weft_status string_split_dense_execute(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  size_t n = weft__elems(x);
  size_t bytes;
  size_t piece_bytes;
  weft_layout layout = c->in[0]->layout;
  int64_t most;
  int64_t cells;
  const char *text;
  const char *piece;
  weft_status st = WEFT_OK;
  WEFT_TRY(c->host->out_alloc(c, 1, WEFT_INT64, &layout, WEFT_ND));
  WEFT_TRY(string_split_dense_count(c, c->out[1] ? c->out[1]->data : NULL, n, &most));
  if (!c->out[0])
    return WEFT_OK;
  weft_shape *s = &layout.origin;
  if (s->rank == WEFT_MAX_RANK)
    return weft_fail(c->d, WEFT_E_LIMIT, "the output's rank is over the limit of %d", WEFT_MAX_RANK);
  s->dim[s->rank++] = most;
  weft_shape_copy(&layout.storage, s);
  if (weft_shape_elems(s, &cells))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "the elements of the output overflow");
  WEFT_TRY(c->host->out_alloc(c, 0, WEFT_STRING, &layout, WEFT_ND));
  weft_strings list;
  weft__strings_init(&list, c);
  for (size_t i = 0; !st && i < n; i++) {
    st = weft_tensor_string(c->in[0], i, &text, &bytes, c->d);
    if (st)
      break;
    cut at = cut_of(c, text, bytes);
    int64_t k = 0;
    for (; next(&at, &piece, &piece_bytes); k++) {
      weft__strings_add(&list, piece, piece_bytes);
      weft__strings_next(&list);
    }
    for (; k < most && !at.stopped; k++)
      weft__strings_next(&list);
    st = at.stopped;
  }
  return weft__strings_give(&list, s, st);
}

WEFT_OP(string_split_dense) = {
    WEFT_OP_HEAD,
    .name = "StringSplitDense",
    .summary = "strings cut at a delimiter, padded along a new axis",
    .in = PORTS({"X", NULL, WEFT_DT(STRING)}),
    .out = PORTS({"Y", NULL, WEFT_DT(STRING)}, {"Z", NULL, WEFT_DT(INT64)}),
    .attrs = ATTRS({"delimiter", "String", "\"\""}, {"maxsplit", "Int", "-1"}),
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
    .infer = string_split_dense_infer,
    .infer_range = string_split_dense_infer_range,
    .execute = string_split_dense_execute,
    .examples = WEFT_EXAMPLES(
        "str[2]{\"a.b\",\"c\"} delimiter=\".\" -> str[2,2]{\"a\",\"b\",\"c\",\"\"}, i64[2]{2,1}",
        "str[1]{\"  hello  big world \"} -> str[1,3]{\"hello\",\"big\",\"world\"}, i64[1]{3}",
        "str[1]{\"a-b-c\"} delimiter=\"-\" maxsplit=1 -> str[1,2]{\"a\",\"b-c\"}, i64[1]{2}",
        "str[1]{\" a b  c \"} maxsplit=1 -> str[1,2]{\"a\",\"b  c \"}, i64[1]{2}",
        "str[]{\"a--b\"} delimiter=\"-\" -> str[3]{\"a\",\"\",\"b\"}, i64[]{3}",
        "str[2]{\"\",\"x,\"} delimiter=\",\" -> str[2,2]{\"\",\"\",\"x\",\"\"}, i64[2]{1,2}",
        "str[1]{\" \"} -> str[1,0], i64[1]{0}", "str[0] -> str[0,0], i64[0]",
        "str[-1,2] -> str[-1,2,-1], i64[-1,2]", "i64[1]{1} -> _, _ !! E_DTYPE input 'X'"),
};
// SPDX-License-Identifier: Apache-2.0
