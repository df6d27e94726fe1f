// op_expect.c - see op_expect.h.
#include "op_expect.h"

static char *expect_word(char **at) {
  char *word = *at + strspn(*at, " \t");
  char *end = word + strcspn(word, " \t");
  *at = end + (*end != 0);
  *end = 0;
  return word;
}

static weft_status expect_add(op_expect *x, char *line, size_t number, weft_diag *d) {
  struct op_expect_line *more = realloc(x->lines, (x->n + 1) * sizeof *more);
  if (!more)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  x->lines = more;
  char *at = line;
  const char *op = expect_word(&at);
  const char *which = expect_word(&at);
  const char *reason = at + strspn(at, " \t");
  char *end = NULL;
  const bool all = !strcmp(which, "*");
  const long n = all ? -1 : strtol(which, &end, 10);
  if (!*reason || (!all && (end == which || *end || n < 0)))
    return weft_fail(d, WEFT_E_SYNTAX, "line %zu: expected OPERATOR CASE REASON, CASE a number or *", number);
  x->lines[x->n++] = (struct op_expect_line){op, reason, n};
  return WEFT_OK;
}

weft_status op_expect_read(op_expect *x, const char *path, weft_diag *d) {
  size_t bytes;
  char *text;
  if (x->text)
    return weft_fail(d, WEFT_E_DUPLICATE, "one list can be given, '%s' is a second", path);
  WEFT_TRY(read_file(path, &text, &bytes, d));
  x->text = realloc(text, bytes + 1);
  if (!x->text) {
    free(text);
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  }
  x->text[bytes] = 0;
  size_t number = 0;
  for (char *line = x->text; *line;) {
    char *end = line + strcspn(line, "\n");
    char *next = end + (*end != 0);
    *end = 0;
    number++;
    line += strspn(line, " \t\r");
    weft_status s = *line && *line != '#' ? expect_add(x, line, number, d) : WEFT_OK;
    if (s)
      weft_note(d, "in '%s'", path);
    WEFT_TRY(s);
    line = next;
  }
  return WEFT_OK;
}

const char *op_expect_find(const op_expect *x, const char *op, size_t number, bool *out_all) {
  for (size_t i = 0; i < x->n; i++) {
    const struct op_expect_line *l = &x->lines[i];
    *out_all = l->number < 0;
    if (!strcmp(l->op, op) && (*out_all || (size_t)l->number == number))
      return l->reason;
  }
  return NULL;
}

void op_expect_free(op_expect *x) {
  free(x->lines);
  free(x->text);
  memset(x, 0, sizeof *x);
}
// SPDX-License-Identifier: Apache-2.0
