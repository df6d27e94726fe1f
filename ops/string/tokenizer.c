// ops/string/tokenizer.c - the tokens of each string along a new last axis, filled up with pad_value.
// com.microsoft Tokenizer-1, as ONNX Runtime computes it. X is [C] or [N,C]. With separators, regular
// expressions: what stands between matches of the first one, cut by the second and so on; a single
// separator "" makes every character a token. Otherwise tokenexp: what it matches. Of the matches at the
// first place that has one the longest counts; empty ones do not. Tokens of less than mincharnum characters
// are left out. mark: rows begin with the character 2 and end with 3, where any row has a token. The number
// of tokens is found at run time. Without the plug-in weft_pcre2 separators and tokenexp are E_UNSUPPORTED.
#include "regex.h"
#include "string_util.h"

enum { MARK, LEAST, PAD, SEPARATORS, TOKENEXP };
enum { MOST_SEPARATORS = 64 };  // they are applied one inside the other

static weft_status tokenizer_infer(weft_infer *it) {
  const weft_shape *s = it->in[0];
  WEFT_TRY(weft__expect_rank(it, 0, 1, 2));
  if (weft_shape_is_unknown_rank(s))
    return weft__unknown_rank(it, 0);
  WEFT_TRY(weft__unknown_dims(it, 0, s->rank + 1));
  for (size_t i = 0; i < s->rank; i++)
    it->out[0]->dim[i] = s->dim[i];
  return WEFT_OK;
}

static weft_status tokenizer_infer_range(weft_infer *it) {
  WEFT_TRY(tokenizer_infer(it));
  weft_shape_copy(it->out_min[0], it->out[0]);
  weft_shape_copy(it->out_max[0], it->out[0]);
  if (weft_shape_is_unknown_rank(it->out[0]))
    return WEFT_OK;
  size_t rank = it->in[0]->rank;
  for (size_t i = 0; i < rank; i++) {
    it->out_min[0]->dim[i] = it->in_min[0]->dim[i];
    it->out_max[0]->dim[i] = it->in_max[0]->dim[i];
  }
  it->out_min[0]->dim[rank] = 0;
  it->out_max[0]->dim[rank] = -1;
  return WEFT_OK;
}

typedef struct tokenizer {
  const weft_call *c;
  weft_regex by[MOST_SEPARATORS];
  size_t n_by, least, n, work;  // n: tokens of the string at hand
  bool chars, separates;
  weft_strings *list;  // NULL: they are only counted
} tokenizer;

static void put_token(tokenizer *t, const char *text, size_t bytes) {
  size_t chars = 0;
  int32_t code;
  for (size_t i = 0; i < bytes && chars < t->least; chars++)
    i += weft__utf8_next(text + i, bytes - i, &code);
  if (!bytes || chars < t->least)
    return;
  t->n++;
  if (!t->list)
    return;
  weft__strings_add(t->list, text, bytes);
  weft__strings_next(t->list);
}

// The next match from *at on that is not empty.
static weft_status next_match(tokenizer *t, size_t by, const char *text, size_t bytes, size_t *at,
                              size_t *out_end, bool *out) {
  weft_found f;
  int32_t code;
  *out = false;
  while (!*out && *at < bytes) {
    WEFT_TRY(weft__poll_work(t->c, &t->work, 64));
    WEFT_TRY(weft__regex_search(t->c, &t->by[by], text, bytes, *at, &f));
    if (!f.any)
      return WEFT_OK;
    *out = f.end > f.begin;
    size_t step = f.begin < bytes ? weft__utf8_next(text + f.begin, bytes - f.begin, &code) : 1;
    *at = *out ? f.begin : f.begin + step;
    *out_end = f.end;
  }
  return WEFT_OK;
}

static weft_status separate(tokenizer *t, size_t by, const char *text, size_t bytes) {
  size_t from = 0;
  size_t at = 0;
  size_t end = 0;
  bool found = true;
  if (by == t->n_by)
    put_token(t, text, bytes);
  while (by < t->n_by && found) {
    WEFT_TRY(next_match(t, by, text, bytes, &at, &end, &found));
    WEFT_TRY(separate(t, by + 1, text + from, (found ? at : bytes) - from));
    from = at = end;
  }
  return WEFT_OK;
}

static weft_status match_all(tokenizer *t, const char *text, size_t bytes) {
  size_t at = 0;
  size_t end = 0;
  for (;;) {
    bool found;
    WEFT_TRY(next_match(t, 0, text, bytes, &at, &end, &found));
    if (!found)
      return WEFT_OK;
    put_token(t, text + at, end - at);
    at = end;
  }
}

static weft_status tokenize(tokenizer *t, size_t i) {
  const char *text;
  size_t bytes;
  size_t step;
  int32_t code;
  t->n = 0;
  WEFT_TRY(weft__poll_at(t->c, i << 6));
  WEFT_TRY(weft_tensor_string(t->c->in[0], i, &text, &bytes, t->c->d));
  if (!t->chars)
    return t->separates ? separate(t, 0, text, bytes) : match_all(t, text, bytes);
  for (size_t at = 0; at < bytes; at += step) {
    WEFT_TRY(weft__poll_work(t->c, &t->work, 1));
    step = weft__utf8_next(text + at, bytes - at, &code);
    put_token(t, text + at, step);
  }
  return WEFT_OK;
}

static weft_status add_pattern(tokenizer *t, const char *text, size_t bytes, const char *attr) {
  if (!bytes) {
    return weft_fail(t->c->d, WEFT_E_INVALID, "attribute '%s': an empty pattern stands alone or not at all",
                     attr);
  }
  if (t->n_by == MOST_SEPARATORS)
    return weft_fail(t->c->d, WEFT_E_LIMIT, "attribute '%s': more than %d patterns", attr, MOST_SEPARATORS);
  const weft_pattern pattern = {text, bytes, true};
  weft_status s = weft__regex_compile(t->c, &t->c->out[0]->alloc, &pattern, &t->by[t->n_by]);
  if (s)
    weft_note(t->c->d, "attribute '%s'", attr);
  t->n_by += !s;
  return s;
}

static weft_status read_patterns(tokenizer *t) {
  const weft_attr *separators = weft_attr_at(t->c->desc, SEPARATORS, WEFT_VT_LIST_STRING);
  const weft_attr *expression = weft_attr_at(t->c->desc, TOKENEXP, WEFT_VT_STRING);
  t->least = (size_t)weft_node_int(t->c->desc, LEAST);
  t->separates = separators && separators->n;
  t->chars = t->separates && separators->n == 1 && !separators->u.strs[0].bytes;
  for (size_t i = 0; t->separates && !t->chars && i < separators->n; i++)
    WEFT_TRY(add_pattern(t, separators->u.strs[i].text, separators->u.strs[i].bytes, "separators"));
  if (t->separates)
    return WEFT_OK;
  if (!expression || !expression->n)
    return weft_fail(t->c->d, WEFT_E_MISSING, "one of the attributes 'separators' and 'tokenexp' is needed");
  return add_pattern(t, expression->u.s, expression->n, "tokenexp");
}

static void put_piece(weft_strings *list, const char *text, size_t bytes) {
  weft__strings_add(list, text, bytes);
  weft__strings_next(list);
}

// The strings' rows of `width` tokens, marks and padding included.
static weft_status put_rows(tokenizer *t, size_t n, size_t width, weft_strings *list) {
  const weft_attr *pad = weft_attr_at(t->c->desc, PAD, WEFT_VT_STRING);
  bool mark = weft_node_bool(t->c->desc, MARK);
  t->list = list;
  for (size_t i = 0; width && i < n; i++) {
    if (mark)
      put_piece(list, "\x02", 1);
    WEFT_TRY(tokenize(t, i));
    if (mark)
      put_piece(list, "\x03", 1);
    for (size_t k = t->n + (mark ? 2 : 0); k < width; k++)
      put_piece(list, pad ? pad->u.s : "", pad ? pad->n : 0);
  }
  return WEFT_OK;
}

static weft_status make_rows(tokenizer *t) {
  const weft_call *c = t->c;
  size_t n = weft__elems(&c->in[0]->layout.origin);
  size_t most = 0;
  weft_layout layout = c->in[0]->layout;
  weft_shape *s = &layout.origin;
  int64_t cells;
  WEFT_TRY(read_patterns(t));
  for (size_t i = 0; i < n; i++) {
    WEFT_TRY(tokenize(t, i));
    most = WEFT_MAX(most, t->n);
  }
  if (most && weft_node_bool(c->desc, MARK))
    most += 2;
  s->dim[s->rank++] = (weft_dim)most;
  weft_shape_copy(&layout.storage, s);
  if (weft_shape_elems(s, &cells))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "the elements of the output overflow");
  WEFT_TRY(c->host->out_alloc(c, 0, WEFT_STRING, &layout, WEFT_ND));
  weft_strings list;
  weft__strings_init(&list, c);
  weft_status st = put_rows(t, n, most, &list);
  return weft__strings_give(&list, s, st);
}

static weft_status tokenizer_execute(const weft_call *c) {
  tokenizer t = {.c = c};
  if (!c->out[0])
    return WEFT_OK;
  weft_status s = make_rows(&t);
  for (size_t i = 0; i < t.n_by; i++)
    weft__regex_free(&t.by[i]);
  return s;
}

#define CHARS                                                                                             \
  "str[2]{\"ab\xc3\xa4\",\"x\"} separators=[\"\"] -> str[2,3]{\"a\",\"b\",\"\xc3\xa4\",\"x\",\"\",\"\"}", \
      "str[1]{\"\"} separators=[\"\"] mark=true -> str[1,0]", "str[0,2] separators=[\"\"] -> str[0,2,0]", \
      "str[2]{\"\",\"a\"} separators=[\"\"] mark=true pad_value=\"#\" -> "                                \
      "str[2,3]{\"\x02\",\"\x03\",\"#\",\"\x02\",\"a\",\"\x03\"}",                                        \
      "str[N,2] separators=[\"\"] -> str[N,2,-1]",                                                        \
      "str[1,1,1] separators=[\"\"] !! E_SHAPE expected rank 1 to 2",                                     \
      "str[1]{\"a\"} !! E_MISSING one of the attributes", "i32[1]{1} !! E_DTYPE input 'X'"
#ifdef WEFT_WITH_PCRE2
#define EXAMPLES                                                                                       \
  WEFT_EXAMPLES(                                                                                       \
      CHARS,                                                                                           \
      "str[2]{\"a bc  d\",\"xy\"} separators=[\" \"] pad_value=\"#\" -> "                              \
      "str[2,3]{\"a\",\"bc\",\"d\",\"xy\",\"#\",\"#\"}",                                               \
      "str[1]{\"a12b\"} separators=[\"1\",\"12\"] -> str[1,2]{\"a\",\"2b\"}",                          \
      "str[1]{\"xabcy\"} separators=[\"a|ab\"] -> str[1,2]{\"x\",\"cy\"}",                             \
      "str[1]{\"a.b\"} separators=[\".\"] -> str[1,0]",                                                \
      "str[1]{\"a bc12 def!\"} tokenexp=\"[a-zA-Z0-9_]+\" mincharnum=2 -> str[1,2]{\"bc12\",\"def\"}", \
      "str[1]{\"abcd\"} tokenexp=\"a|ab|abc\" -> str[1,1]{\"abc\"}",                                   \
      "str[1]{\"xxax\"} tokenexp=\"a*\" -> str[1,1]{\"a\"}",                                           \
      "str[1]{\"a\"} tokenexp=\"(\" !! E_SYNTAX attribute 'tokenexp'",                                 \
      "str[1]{\"a\"} separators=[\"\",\"b\"] !! E_INVALID an empty pattern")
#else
#define EXAMPLES \
  WEFT_EXAMPLES(CHARS, "str[1]{\"a\"} tokenexp=\"a\" !! E_UNSUPPORTED needs the plug-in weft_pcre2")
#endif
WEFT_OP(tokenizer) = {
    WEFT_OP_HEAD,
    .name = "Tokenizer",
    .summary = "the tokens of strings, padded along a new axis",
    .in = PORTS({"X", NULL, WEFT_DT(STRING)}),
    .out = PORTS({"Y", NULL, WEFT_DT(STRING)}),
    .attrs = ATTRS({"mark", "Bool", "false"}, {"mincharnum", "Int", "1", "min 1"},
                   {"pad_value", "String", "\"\""}, {"separators", "ListString", "{}"},
                   {"tokenexp", "String", "\"\""}),
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
    .infer = tokenizer_infer,
    .infer_range = tokenizer_infer_range,
    .execute = tokenizer_execute,
    .examples = EXAMPLES,
};
// SPDX-License-Identifier: Apache-2.0
