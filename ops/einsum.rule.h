// einsum.rule.h - equations of sums of products: "ij,jk->ik". Letters name axes, "..." any number of axes
// that broadcast from the right, a letter twice in one operand its diagonal. Without "->" the output has the
// axes of "...", then the letters that occur once, capital ones first, in order. Pure: the operator, its
// kernel and the pass that expands it read equations by this.
#pragma once
#include "op.h"

enum { WEFT_EINSUM_LETTERS = 52, WEFT_EINSUM_LABELS = WEFT_EINSUM_LETTERS + WEFT_MAX_RANK };

typedef struct weft_einsum_term {
  size_t rank;  // as far as the operand's rank is known
  bool open;    // it is not: "..." stands for an unknown number of axes
  uint8_t label[WEFT_MAX_RANK];
} weft_einsum_term;

// Where term i begins; NULL: there is none. *out_end: its comma, arrow, or the end.
static inline const char *weft__einsum_find_term(const char *equation, size_t i, const char **out_end) {
  const char *at = equation;
  for (;; i--) {
    const char *end = at + strcspn(at, ",-");
    *out_end = end;
    if (!i)
      return at;
    if (*end != ',')
      return NULL;
    at = end + 1;
  }
}

static inline int weft__einsum_letter(char c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

// Counts the letters of a term; *out_dots: has it a "..."?
static inline weft_status weft__einsum_scan(weft_diag *d, const char *at, const char *end,
                                            size_t *out_letters, bool *out_dots) {
  const char *start = at;
  *out_letters = 0;
  *out_dots = false;
  for (; at < end; at++) {
    if (weft__einsum_letter(*at) >= 0) {
      ++*out_letters;
    } else if (end - at >= 3 && !memcmp(at, "...", 3) && !*out_dots) {
      *out_dots = true;
      at += 2;
    } else if (*at != ' ') {
      return weft_fail(d, WEFT_E_SYNTAX, "attribute 'equation': '%.*s' is not made of letters and one '...'",
                       (int)WEFT_MIN(end - start, 60), start);
    }
  }
  return WEFT_OK;
}

// Labels of a term where "..." is the last n_dots of the axes of all "...".
static inline weft_status weft__einsum_labels(weft_diag *d, const char *at, const char *end, size_t n_dots,
                                              weft_einsum_term *out) {
  size_t letters;
  bool dots;
  WEFT_TRY(weft__einsum_scan(d, at, end, &letters, &dots));
  if (letters + (dots ? n_dots : 0) > WEFT_MAX_RANK) {
    return weft_fail(d, WEFT_E_LIMIT, "attribute 'equation': a term of %zu axes, at most %d are allowed",
                     letters + (dots ? n_dots : 0), WEFT_MAX_RANK);
  }
  out->rank = 0;
  for (; at < end; at++) {
    if (weft__einsum_letter(*at) >= 0)
      out->label[out->rank++] = (uint8_t)weft__einsum_letter(*at);
    if (*at != '.')
      continue;
    for (size_t k = n_dots; k > 0; k--)
      out->label[out->rank++] = (uint8_t)(WEFT_EINSUM_LABELS - k);
    at += 2;
  }
  return WEFT_OK;
}

// Axes of the "..." of operand i: 0 without one, -1 unknown.
static inline int64_t weft__einsum_ellipsis(const char *equation, size_t i, const weft_shape *operand) {
  const char *end;
  const char *at = weft__einsum_find_term(equation, i, &end);
  size_t letters;
  bool dots;
  if (!at || weft__einsum_scan(NULL, at, end, &letters, &dots) || !dots)
    return 0;
  if (weft_shape_is_unknown_rank(operand))
    return -1;
  return operand->rank < letters ? 0 : (int64_t)(operand->rank - letters);
}

// The labels of operand `i` of the equation, whose shape may be of unknown rank. E_SYNTAX, E_SHAPE.
static inline weft_status weft__einsum_term(weft_diag *d, const char *equation, size_t i,
                                            const weft_shape *operand, weft_einsum_term *out) {
  const char *end;
  const char *at = weft__einsum_find_term(equation, i, &end);
  size_t letters;
  bool dots;
  if (!at)
    return weft_fail(d, WEFT_E_SYNTAX, "attribute 'equation' has no term for operand %zu", i);
  WEFT_TRY(weft__einsum_scan(d, at, end, &letters, &dots));
  int64_t rest = weft__einsum_ellipsis(equation, i, operand);
  out->open = rest < 0;
  if (rest < 0) {
    out->rank = 0;
    return WEFT_OK;
  }
  if (!weft_shape_is_unknown_rank(operand) && letters + (size_t)rest != operand->rank) {
    return weft_fail(d, WEFT_E_SHAPE, "operand %zu has rank %zu, its term '%.*s' names %zu axes", i,
                     operand->rank, (int)WEFT_MIN(end - at, 60), at, letters);
  }
  return weft__einsum_labels(d, at, end, (size_t)rest, out);
}

// How often each letter occurs in the terms.
static inline void weft__einsum_census(const char *at, const char *end, size_t count[WEFT_EINSUM_LETTERS]) {
  memset(count, 0, WEFT_EINSUM_LETTERS * sizeof *count);
  for (; at < end; at++) {
    if (weft__einsum_letter(*at) >= 0)
      count[weft__einsum_letter(*at)]++;
  }
}

// The equation must have n terms. The output's labels, where n_ellipsis is the most axes of any "...", -1
// when unknown.
static inline weft_status weft__einsum_output(weft_diag *d, const char *equation, size_t n,
                                              int64_t n_ellipsis, weft_einsum_term *out) {
  const char *end;
  const char *beyond;
  size_t count[WEFT_EINSUM_LETTERS];
  size_t dots = (size_t)WEFT_MAX(n_ellipsis, 0);
  bool some;
  if (!n || !weft__einsum_find_term(equation, n - 1, &end) || *end == ',') {
    return weft_fail(d, WEFT_E_SYNTAX,
                     "attribute 'equation': '%.60s' does not have %zu terms, one for each operand", equation,
                     n);
  }
  weft__einsum_census(equation, end, count);
  memset(out, 0, sizeof *out);
  if (!*end) {
    out->open = n_ellipsis < 0;
    for (size_t k = dots; k > 0; k--)
      out->label[out->rank++] = (uint8_t)(WEFT_EINSUM_LABELS - k);
    for (int k = 0; k < WEFT_EINSUM_LETTERS; k++) {
      if (count[k] != 1)
        continue;
      if (out->rank == WEFT_MAX_RANK)
        return weft_fail(d, WEFT_E_LIMIT, "the output has more than %d axes", WEFT_MAX_RANK);
      out->label[out->rank++] = (uint8_t)k;
    }
    return WEFT_OK;
  }
  if (end[1] != '>')
    return weft_fail(d, WEFT_E_SYNTAX, "attribute 'equation': '-' without '>'");
  end += 2;
  beyond = end + strlen(end);
  size_t letters;
  size_t seen[WEFT_EINSUM_LETTERS];
  WEFT_TRY(weft__einsum_scan(d, end, beyond, &letters, &some));
  weft__einsum_census(end, beyond, seen);
  for (int k = 0; k < WEFT_EINSUM_LETTERS; k++) {
    if (seen[k] > 1 || (seen[k] && !count[k])) {
      return weft_fail(d, WEFT_E_SYNTAX, "attribute 'equation': the output has '%c' %s",
                       k < 26 ? 'A' + k : 'a' + k - 26, seen[k] > 1 ? "twice" : "that no operand has");
    }
  }
  out->open = some && n_ellipsis < 0;
  return weft__einsum_labels(d, end, beyond, dots, out);
}
// SPDX-License-Identifier: Apache-2.0
