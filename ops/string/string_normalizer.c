// ops/string/string_normalizer.c - removes stop words, then changes case.   AscendIR StringNormalizer, ONNX
// StringNormalizer-10. Input [C] or [1, C]. When nothing is left, one empty string is. Case maps ASCII,
// Latin, Greek and Cyrillic letters one to one, whatever the locale; without is_case_sensitive words are
// compared in lower case.
#include "string_util.h"

enum { STOPWORDS, IS_CASE_SENSITIVE, CASE_CHANGE_ACTION, LOCALE };

static weft_status string_normalizer_infer(weft_infer *it) {
  const weft_shape *s = it->in[0];
  WEFT_TRY(weft__expect_rank(it, 0, 1, 2));
  if (weft_shape_is_unknown_rank(s))
    return weft__unknown_rank(it, 0);
  if (s->rank == 2 && s->dim[0] >= 0 && s->dim[0] != 1) {
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'input': expected shape [C] or [1,C], got %lld rows",
                     (long long)s->dim[0]);
  }
  WEFT_TRY(weft__unknown_dims(it, 0, s->rank));
  if (s->rank == 2)
    it->out[0]->dim[0] = 1;
  return WEFT_OK;
}
static weft_status string_normalizer_infer_range(weft_infer *it) {
  WEFT_TRY(string_normalizer_infer(it));
  weft_shape_copy(it->out_min[0], it->out[0]);
  weft_shape_copy(it->out_max[0], it->out[0]);
  if (weft_shape_is_unknown_rank(it->out[0]))
    return WEFT_OK;
  size_t last = it->out[0]->rank - 1;
  int64_t most = it->in_max[0]->dim[last];
  it->out_min[0]->dim[last] = 1;
  it->out_max[0]->dim[last] = most < 0 ? -1 : WEFT_MAX(most, 1);
  return WEFT_OK;
}

static bool same_word(const char *a, size_t n, const char *b, size_t m, bool exact) {
  if (exact)
    return n == m && !memcmp(a, b, n);
  size_t i = 0;
  size_t k = 0;
  while (i < n && k < m) {
    int32_t x;
    int32_t y;
    size_t p = weft__utf8_next(a + i, n - i, &x);
    size_t q = weft__utf8_next(b + k, m - k, &y);
    if (x < 0 || y < 0 ? x != y || a[i] != b[k] : weft__case_lower(x) != weft__case_lower(y))
      return false;
    i += p;
    k += q;
  }
  return i == n && k == m;
}

static weft_status is_stopword(const weft_call *c, const char *text, size_t bytes, size_t *work, bool *out) {
  const weft_attr *words = weft_attr_at(c->desc, STOPWORDS, WEFT_VT_LIST_STRING);
  bool exact = weft_node_bool(c->desc, IS_CASE_SENSITIVE);
  *out = false;
  for (size_t i = 0; words && i < words->n && !*out; i++) {
    const weft_str *w = &words->u.strs[i];
    WEFT_TRY(weft__poll_work(c, work, 1 + WEFT_MIN(bytes, w->bytes)));
    *out = same_word(text, bytes, w->text, w->bytes, exact);
  }
  return WEFT_OK;
}

static weft_status string_normalizer_execute(const weft_call *c) {
  const weft_shape *x = &c->in[0]->layout.origin;
  const char *action = weft_node_str(c->desc, CASE_CHANGE_ACTION);
  const char *text;
  bool lower = action && !strcmp(action, "LOWER");
  bool upper = action && !strcmp(action, "UPPER");
  size_t n = weft__elems(x);
  size_t work = 0;
  size_t bytes;
  weft_strings list;
  weft_layout layout = c->in[0]->layout;
  weft_status st = WEFT_OK;
  if (!c->out[0])
    return WEFT_OK;
  weft__strings_init(&list, c);
  for (size_t i = 0; !st && i < n; i++) {
    bool stopword = false;
    st = weft__poll_work(c, &work, 16);
    if (!st)
      st = weft_tensor_string(c->in[0], i, &text, &bytes, c->d);
    if (!st)
      st = is_stopword(c, text, bytes, &work, &stopword);
    if (st || stopword)
      continue;
    if (lower || upper)
      weft__strings_add_case(&list, text, bytes, upper);
    else
      weft__strings_add(&list, text, bytes);
    weft__strings_next(&list);
  }
  if (!st && !list.ends.n)
    weft__strings_next(&list);
  weft_shape *s = &layout.origin;
  s->dim[s->rank - 1] = (weft_dim)list.ends.n;
  if (s->rank == 2)
    s->dim[0] = 1;
  weft_shape_copy(&layout.storage, s);
  if (!st && !list.failed)
    st = c->host->out_alloc(c, 0, WEFT_STRING, &layout, WEFT_ND);
  return weft__strings_give(&list, s, st);
}

WEFT_OP(string_normalizer) = {
    WEFT_OP_HEAD,
    .name = "StringNormalizer",
    .summary = "removes stop words and changes case",
    .in = PORTS({"input", NULL, WEFT_DT(STRING)}),
    .out = PORTS({"output", NULL, WEFT_DT(STRING)}),
    .attrs = ATTRS({"stopwords", "ListString", "{}"}, {"is_case_sensitive", "Bool", "false"},
                   {"case_change_action", "String", "\"NONE\"", "one of NONE|LOWER|UPPER"},
                   {"locale", "String", "\"C\""}),
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
    .infer = string_normalizer_infer,
    .infer_range = string_normalizer_infer_range,
    .execute = string_normalizer_execute,
    .examples = WEFT_EXAMPLES(
        "str[3]{\"Monday\",\"tuesday\",\"x\"} stopwords=[\"monday\"] case_change_action=\"UPPER\" -> "
        "str[2]{\"TUESDAY\",\"X\"}",
        "str[2]{\"Monday\",\"monday\"} stopwords=[\"monday\"] is_case_sensitive=true -> str[1]{\"Monday\"}",
        "str[1,2]{\"a\",\"a\"} stopwords=[\"a\"] -> str[1,1]{\"\"}",
        "str[1]{\"\xc3\x84\xc5\x81\xd0\x96\"} case_change_action=\"LOWER\" "
        "-> str[1]{\"\xc3\xa4\xc5\x82\xd0\xb6\"}",
        "str[0] -> str[1]{\"\"}", "str[3] -> str[-1]", "str[1,-1] -> str[1,-1]",
        "str[2,1]{\"a\",\"b\"} !! E_SHAPE got 2 rows",
        "str[1]{\"a\"} case_change_action=\"TITLE\" !! E_RANGE Invalid case_change_action"),
};
// SPDX-License-Identifier: Apache-2.0
