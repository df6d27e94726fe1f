// ops/string/string_splits.c - strings cut into pieces, as a sparse tensor; runs of words.   AscendIR
// StringSplit, StringSplitV2, StringNGrams. StringSplit cuts at each byte that the delimiter has (without one
// between all bytes), StringSplitV2 where the whole separator stands (without one at runs of white space),
// both as TensorFlow does.
#include "air_slots.h"
#include "op/air_rows.h"
#include "string_util.h"

enum { SPLIT_INDICES, SPLIT_VALUES, SPLIT_SHAPE };

// ---- cutting ----
typedef struct splitter {
  bool whole;  // the separator as a whole, not its bytes
  const char *by;
  size_t by_bytes;
  bool skip_empty;
  int64_t most;  // cuts; below 0: any number
} splitter;

typedef struct pieces {  // of one string
  const splitter *how;
  const char *at, *end;
  int64_t left;
  bool done;
} pieces;

static bool splits_is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static pieces splits_begin(const splitter *how, const char *text, size_t bytes) {
  pieces p = {how, text, text + bytes, how->most, false};
  p.done = !how->whole && !bytes;
  return p;
}

// How many bytes are cut out here; 0: none.
static size_t splits_cut_at(const pieces *p, const char *at) {
  const splitter *how = p->how;
  if (how->whole) {
    const bool here = (size_t)(p->end - at) >= how->by_bytes && !memcmp(at, how->by, how->by_bytes);
    return here ? how->by_bytes : 0;
  }
  return memchr(how->by, *at, how->by_bytes) != NULL;
}

static void splits_skip_spaces(pieces *p) {
  while (p->at < p->end && splits_is_space(*p->at))
    p->at++;
}

// Words between runs of white space. When all cuts are made, the rest is a piece, even an empty one.
static bool splits_word(pieces *p, const char **out, size_t *out_bytes) {
  const bool last = p->how->most >= 0 && !p->left;
  if (p->how->most != 0)
    splits_skip_spaces(p);
  if (p->done || (!last && p->at == p->end))
    return false;
  *out = p->at;
  while (p->at < p->end && (last || !splits_is_space(*p->at)))
    p->at++;
  *out_bytes = (size_t)(p->at - *out);
  p->done = last;
  p->left -= p->how->most >= 0;
  return true;
}

static bool splits_piece(pieces *p, const char **out, size_t *out_bytes) {
  const bool last = p->how->most >= 0 && !p->left;
  if (p->done)
    return false;
  *out = p->at;
  size_t cut = 0;
  while (p->at < p->end && (last || !(cut = splits_cut_at(p, p->at))))
    p->at++;
  *out_bytes = (size_t)(p->at - *out);
  p->done = p->at == p->end;
  p->at += p->done ? 0 : cut;
  p->left -= p->how->most >= 0;
  return true;
}

static bool splits_byte(pieces *p, const char **out, size_t *out_bytes) {
  *out = p->at;
  *out_bytes = 1;
  return p->at < p->end && p->at++;
}

static bool splits_next(pieces *p, const char **out, size_t *out_bytes) {
  bool found;
  do {
    if (p->how->by_bytes)
      found = splits_piece(p, out, out_bytes);
    else
      found = p->how->whole ? splits_word(p, out, out_bytes) : splits_byte(p, out, out_bytes);
  } while (found && p->how->skip_empty && !*out_bytes);
  return found;
}

// ---- StringSplit, StringSplitV2 ----
static weft_status splits_infer(weft_infer *it) {
  const weft_dim pairs[2] = {-1, 2};
  const weft_dim two[1] = {2};
  WEFT_TRY(weft__expect_rank(it, 0, 1, 1));
  WEFT_TRY(weft__expect_rank(it, 1, 0, 0));
  WEFT_TRY(weft_set_out_shape(it, SPLIT_INDICES, pairs, 2));
  WEFT_TRY(weft__unknown_dims(it, SPLIT_VALUES, 1));
  return weft_set_out_shape(it, SPLIT_SHAPE, two, 1);
}

// How many pieces there are is up to the data.
static weft_status splits_infer_range(weft_infer *it) {
  WEFT_TRY(splits_infer(it));
  for (uint32_t o = 0; o < 3; o++) {
    weft_shape_copy(it->out_min[o], it->out[o]);
    weft_shape_copy(it->out_max[o], it->out[o]);
    it->out_min[o]->dim[0] = o == SPLIT_SHAPE ? 2 : 0;
  }
  return WEFT_OK;
}

static weft_status splits_count(const weft_call *c, const splitter *how, size_t n, int64_t *out_all,
                                int64_t *out_most) {
  size_t work = 0;
  *out_all = *out_most = 0;
  for (size_t i = 0; i < n; i++) {
    const char *text;
    size_t bytes;
    int64_t found = 0;
    WEFT_TRY(weft_tensor_string(c->in[0], i, &text, &bytes, c->d));
    pieces p = splits_begin(how, text, bytes);
    while (splits_next(&p, &text, &bytes)) {
      found++;
      WEFT_TRY(weft__poll_work(c, &work, 1 + bytes / 4));
    }
    *out_all += found;
    *out_most = WEFT_MAX(*out_most, found);
  }
  return WEFT_OK;
}

static weft_status splits_alloc(const weft_call *c, uint32_t out, weft_dtype t, const weft_dim *dims,
                                size_t rank) {
  weft_layout layout;
  memset(&layout, 0, sizeof layout);
  WEFT_TRY(weft_shape_init(&layout.origin, dims, rank));
  weft_shape_copy(&layout.storage, &layout.origin);
  return c->host->out_alloc(c, out, t, &layout, WEFT_ND);
}

static weft_status splits_indices(const weft_call *c, const splitter *how, size_t n, int64_t all) {
  WEFT_TRY(splits_alloc(c, SPLIT_INDICES, WEFT_INT64, (weft_dim[]){all, 2}, 2));
  if (!c->out[SPLIT_INDICES])
    return WEFT_OK;
  int64_t *to = c->out[SPLIT_INDICES]->data;
  size_t work = 0;
  for (size_t i = 0; i < n; i++) {
    const char *text;
    size_t bytes;
    WEFT_TRY(weft_tensor_string(c->in[0], i, &text, &bytes, c->d));
    pieces p = splits_begin(how, text, bytes);
    for (int64_t k = 0; splits_next(&p, &text, &bytes); k++, to += 2) {
      to[0] = (int64_t)i;
      to[1] = k;
      WEFT_TRY(weft__poll_work(c, &work, 1 + bytes / 4));
    }
  }
  return WEFT_OK;
}

static weft_status splits_values(const weft_call *c, const splitter *how, size_t n, int64_t all) {
  weft_strings list;
  weft_shape shape;
  weft_status st = WEFT_OK;
  WEFT_TRY(weft_shape_init(&shape, &all, 1));
  WEFT_TRY(splits_alloc(c, SPLIT_VALUES, WEFT_STRING, &all, 1));
  if (!c->out[SPLIT_VALUES])
    return WEFT_OK;
  weft__strings_init_at(&list, c, SPLIT_VALUES);
  for (size_t i = 0; !st && i < n; i++) {
    const char *text;
    size_t bytes;
    st = weft_tensor_string(c->in[0], i, &text, &bytes, c->d);
    pieces p = splits_begin(how, st ? "" : text, st ? 0 : bytes);
    while (!list.stopped && splits_next(&p, &text, &bytes)) {
      weft__strings_add(&list, text, bytes);
      weft__strings_next(&list);
    }
  }
  return weft__strings_give(&list, &shape, st);
}

static weft_status splits_execute(const weft_call *c, const splitter *how) {
  const size_t n = weft__elems(&c->in[0]->layout.origin);
  int64_t all;
  int64_t most;
  WEFT_TRY(splits_count(c, how, n, &all, &most));
  WEFT_TRY(splits_alloc(c, SPLIT_SHAPE, WEFT_INT64, (weft_dim[]){2}, 1));
  if (c->out[SPLIT_SHAPE]) {
    int64_t *shape = c->out[SPLIT_SHAPE]->data;
    shape[0] = (int64_t)n;
    shape[1] = most;
  }
  WEFT_TRY(splits_indices(c, how, n, all));
  return splits_values(c, how, n, all);
}

static weft_status splits_old_execute(const weft_call *c) {
  splitter how = {.most = -1, .skip_empty = weft_node_bool(c->desc, WEFT_SLOT_STRING_SPLIT_SKIP_EMPTY)};
  WEFT_TRY(weft_tensor_string(c->in[1], 0, &how.by, &how.by_bytes, c->d));
  return splits_execute(c, &how);
}

static weft_status splits_v2_execute(const weft_call *c) {
  splitter how = {.whole = true, .most = weft_node_int(c->desc, WEFT_SLOT_STRING_SPLIT_V2_MAXSPLIT)};
  WEFT_TRY(weft_tensor_string(c->in[1], 0, &how.by, &how.by_bytes, c->d));
  return splits_execute(c, &how);
}

#define STRING_SPLIT(op_name, says, executes, ...)                                                          \
  {                                                                                                         \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = splits_infer, \
    .infer_range = splits_infer_range, .execute = executes, .examples = WEFT_EXAMPLES(__VA_ARGS__)          \
  }
WEFT_ROWS(string_splits) = {
    STRING_SPLIT("StringSplit", "strings cut at each of some bytes, sparse", splits_old_execute,
                 "str[2]{\"hello world\",\"a b  c\"}, str[]{\" \"} -> i64[5,2]{0,0,0,1,1,0,1,1,1,2}, "
                 "str[5]{\"hello\",\"world\",\"a\",\"b\",\"c\"}, i64[2]{2,3}",
                 "str[1]{\"a,;b\"}, str[]{\";,\"} skip_empty=false -> i64[3,2]{0,0,0,1,0,2}, "
                 "str[3]{\"a\",\"\",\"b\"}, i64[2]{1,3}",
                 "str[1]{\"ab\"}, str[]{\"\"} -> i64[2,2]{0,0,0,1}, str[2]{\"a\",\"b\"}, i64[2]{1,2}",
                 "str[2]{\"\",\",\"}, str[]{\",\"} skip_empty=false -> i64[2,2]{1,0,1,1}, str[2]{\"\",\"\"}, "
                 "i64[2]{2,2}",
                 "str[0], str[]{\",\"} -> i64[0,2], str[0], i64[2]{0,0}",
                 "str[-1], str[] -> i64[-1,2], str[-1], i64[2]",
                 "str[1,1]{\"a\"}, str[]{\",\"} !! E_SHAPE expected rank 1"),
    STRING_SPLIT("StringSplitV2", "strings cut at a separator, sparse", splits_v2_execute,
                 "str[2]{\"1<>2<>3\",\"<>\"}, str[]{\"<>\"} -> i64[5,2]{0,0,0,1,0,2,1,0,1,1}, "
                 "str[5]{\"1\",\"2\",\"3\",\"\",\"\"}, i64[2]{2,3}",
                 "str[2]{\" 1  2 3\",\" \"}, str[]{\"\"} -> i64[3,2]{0,0,0,1,0,2}, "
                 "str[3]{\"1\",\"2\",\"3\"}, i64[2]{2,3}",
                 "str[1]{\"a-b-c\"}, str[]{\"-\"} maxsplit=1 -> i64[2,2]{0,0,0,1}, str[2]{\"a\",\"b-c\"}, "
                 "i64[2]{1,2}",
                 "str[1]{\" a b c\"}, str[]{\"\"} maxsplit=1 -> i64[2,2]{0,0,0,1}, str[2]{\"a\",\"b c\"}, "
                 "i64[2]{1,2}",
                 "str[1]{\" a-\"}, str[]{\"\"} maxsplit=0 -> i64[1,2]{0,0}, str[1]{\" a-\"}, i64[2]{1,1}",
                 "str[1]{\"\"}, str[]{\"-\"} -> i64[1,2]{0,0}, str[1]{\"\"}, i64[2]{1,1}",
                 "str[N], str[] -> i64[-1,2], str[-1], i64[2]"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
