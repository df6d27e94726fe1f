// einsum.c - see einsum.h. The kernel steps through all labels like an odometer, the output's outermost; each
// operand has one stride for each label.
#include "einsum.h"

#include "arrays.h"

// Where term i begins; NULL: there is none. *out_end: its comma, arrow, or the end.
static const char *find_term(const char *equation, size_t i, const char **out_end) {
  const char *at = equation;
  for (;; i--) {
    const char *end = at + strcspn(at, ",-");
    *out_end = end;
    if (!i) return at;
    if (*end != ',') return NULL;
    at = end + 1;
  }
}

static int letter(char c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

// Counts the letters of a term; *out_dots: has it a "..."?
static weft_status scan(weft_diag *d, const char *at, const char *end, size_t *out_letters, bool *out_dots) {
  const char *start = at;
  *out_letters = 0;
  *out_dots = false;
  for (; at < end; at++) {
    if (letter(*at) >= 0) {
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
static weft_status labels(weft_diag *d, const char *at, const char *end, size_t n_dots,
                          weft_einsum_term *out) {
  size_t letters;
  bool dots;
  WEFT_TRY(scan(d, at, end, &letters, &dots));
  if (letters + (dots ? n_dots : 0) > WEFT_MAX_RANK)
    return weft_fail(d, WEFT_E_LIMIT, "attribute 'equation': a term of %zu axes, at most %d are allowed",
                     letters + (dots ? n_dots : 0), WEFT_MAX_RANK);
  out->rank = 0;
  for (; at < end; at++) {
    if (letter(*at) >= 0) out->label[out->rank++] = (uint8_t)letter(*at);
    if (*at != '.') continue;
    for (size_t k = n_dots; k > 0; k--) out->label[out->rank++] = (uint8_t)(WEFT_EINSUM_LABELS - k);
    at += 2;
  }
  return WEFT_OK;
}

int64_t weft__einsum_ellipsis(const char *equation, size_t i, const weft_shape *operand) {
  const char *end, *at = find_term(equation, i, &end);
  size_t letters;
  bool dots;
  if (!at || scan(NULL, at, end, &letters, &dots) || !dots) return 0;
  if (weft_shape_is_unknown_rank(operand)) return -1;
  return operand->rank < letters ? 0 : (int64_t)(operand->rank - letters);
}

weft_status weft__einsum_term(weft_diag *d, const char *equation, size_t i, const weft_shape *operand,
                              weft_einsum_term *out) {
  const char *end, *at = find_term(equation, i, &end);
  size_t letters;
  bool dots;
  if (!at) return weft_fail(d, WEFT_E_SYNTAX, "attribute 'equation' has no term for operand %zu", i);
  WEFT_TRY(scan(d, at, end, &letters, &dots));
  int64_t rest = weft__einsum_ellipsis(equation, i, operand);
  out->open = rest < 0;
  if (rest < 0) {
    out->rank = 0;
    return WEFT_OK;
  }
  if (!weft_shape_is_unknown_rank(operand) && letters + (size_t)rest != operand->rank)
    return weft_fail(d, WEFT_E_SHAPE, "operand %zu has rank %zu, its term '%.*s' names %zu axes", i,
                     operand->rank, (int)WEFT_MIN(end - at, 60), at, letters);
  return labels(d, at, end, (size_t)rest, out);
}

// How often each letter occurs in the terms.
static void census(const char *at, const char *end, size_t count[WEFT_EINSUM_LETTERS]) {
  memset(count, 0, WEFT_EINSUM_LETTERS * sizeof *count);
  for (; at < end; at++)
    if (letter(*at) >= 0) count[letter(*at)]++;
}

weft_status weft__einsum_output(weft_diag *d, const char *equation, size_t n, int64_t n_ellipsis,
                                weft_einsum_term *out) {
  const char *end, *beyond;
  size_t count[WEFT_EINSUM_LETTERS], dots = (size_t)WEFT_MAX(n_ellipsis, 0);
  bool some;
  if (!n || !find_term(equation, n - 1, &end) || *end == ',')
    return weft_fail(d, WEFT_E_SYNTAX,
                     "attribute 'equation': '%.60s' does not have %zu terms, one for each operand", equation,
                     n);
  census(equation, end, count);
  memset(out, 0, sizeof *out);
  if (!*end) {
    out->open = n_ellipsis < 0;
    for (size_t k = dots; k > 0; k--) out->label[out->rank++] = (uint8_t)(WEFT_EINSUM_LABELS - k);
    for (int k = 0; k < WEFT_EINSUM_LETTERS; k++) {
      if (count[k] != 1) continue;
      if (out->rank == WEFT_MAX_RANK)
        return weft_fail(d, WEFT_E_LIMIT, "the output has more than %d axes", WEFT_MAX_RANK);
      out->label[out->rank++] = (uint8_t)k;
    }
    return WEFT_OK;
  }
  if (end[1] != '>') return weft_fail(d, WEFT_E_SYNTAX, "attribute 'equation': '-' without '>'");
  end += 2, beyond = end + strlen(end);
  size_t letters, seen[WEFT_EINSUM_LETTERS];
  WEFT_TRY(scan(d, end, beyond, &letters, &some));
  census(end, beyond, seen);
  for (int k = 0; k < WEFT_EINSUM_LETTERS; k++)
    if (seen[k] > 1 || (seen[k] && !count[k]))
      return weft_fail(d, WEFT_E_SYNTAX, "attribute 'equation': the output has '%c' %s",
                       k < 26 ? 'A' + k : 'a' + k - 26, seen[k] > 1 ? "twice" : "that no operand has");
  out->open = some && n_ellipsis < 0;
  return labels(d, end, beyond, dots, out);
}

typedef struct sum {
  size_t n, n_labels;  // operands; labels in use, the output's first
  size_t dim[WEFT_EINSUM_LABELS];
  size_t *stride;  // n of each label
  size_t *at;      // n
  union {
    double *f;
    uint64_t *u;
  } * data;  // n
} sum;

static weft_status lay_out(const weft_call *c, const char *equation, sum *s) {
  size_t rank_of[WEFT_EINSUM_LABELS], size[WEFT_EINSUM_LABELS];
  weft_einsum_term t;
  int64_t dots = 0;
  for (size_t i = 0; i < s->n; i++)
    dots = WEFT_MAX(dots, weft__einsum_ellipsis(equation, i, &c->in[i]->layout.origin));
  for (size_t k = 0; k < WEFT_EINSUM_LABELS; k++) rank_of[k] = SIZE_MAX, size[k] = 1;
  WEFT_TRY(weft__einsum_output(c->d, equation, s->n, dots, &t));
  for (size_t k = 0; k < t.rank; k++) rank_of[t.label[k]] = s->n_labels++;
  for (size_t i = 0; i < s->n; i++) {
    const weft_shape *shape = &c->in[i]->layout.origin;
    WEFT_TRY(weft__einsum_term(c->d, equation, i, shape, &t));
    for (size_t k = 0; k < t.rank; k++) {
      if (rank_of[t.label[k]] == SIZE_MAX) rank_of[t.label[k]] = s->n_labels++;
      if (shape->dim[k] != 1) size[t.label[k]] = (size_t)shape->dim[k];
    }
  }
  for (size_t k = 0; k < WEFT_EINSUM_LABELS; k++)
    if (rank_of[k] != SIZE_MAX) s->dim[rank_of[k]] = size[k];
  for (size_t i = 0; i < s->n; i++) {
    const weft_shape *shape = &c->in[i]->layout.origin;
    WEFT_TRY(weft__einsum_term(c->d, equation, i, shape, &t));
    for (size_t k = t.rank, stride = 1; k-- > 0; stride *= (size_t)shape->dim[k])
      if (shape->dim[k] != 1) s->stride[rank_of[t.label[k]] * s->n + i] += stride;
  }
  return WEFT_OK;
}

// One step of the labels [from, to), the last one fastest; false when all are back at 0.
static bool step(sum *s, size_t *index, size_t from, size_t to) {
  for (size_t k = to; k-- > from;) {
    size_t *stride = s->stride + k * s->n;
    bool more = ++index[k] < s->dim[k];
    for (size_t i = 0; i < s->n; i++) s->at[i] += more ? stride[i] : stride[i] - stride[i] * s->dim[k];
    if (more) return true;
    index[k] = 0;
  }
  return false;
}

static weft_status arrays(const weft_call *c, sum *s) {
  void *p;
  size_t words;
  if (!weft_mul_size(s->n, WEFT_EINSUM_LABELS, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu operands", s->n);
  WEFT_TRY(weft__scratch(c, words, &p));
  memset(p, 0, words * 8);
  s->stride = p;
  WEFT_TRY(weft__scratch(c, s->n, &p));
  memset(p, 0, s->n * 8);
  s->at = p;
  WEFT_TRY(weft__scratch(c, s->n, &p));
  s->data = p;
  for (size_t i = 0; i < s->n; i++)
    WEFT_TRY(weft_dtype_is_float(c->in[i]->dtype) ? weft__load_f64s(c, c->in[i], &s->data[i].f)
                                                  : weft__load_u64s(c, c->in[i], &s->data[i].u));
  return WEFT_OK;
}

weft_status weft__einsum_run(const weft_call *c, const char *equation) {
  sum s = {.n = c->n_in};
  weft_tensor *y = c->out[0];
  size_t index[WEFT_EINSUM_LABELS] = {0}, outer = y ? y->layout.origin.rank : 0;
  if (!y) return WEFT_OK;
  bool real = weft_dtype_is_float(y->dtype), empty = false;
  WEFT_TRY(arrays(c, &s));
  WEFT_TRY(lay_out(c, equation, &s));
  for (size_t k = outer; k < s.n_labels; k++) empty |= !s.dim[k];
  size_t n = weft__elems(&y->layout.origin);
  for (size_t o = 0; o < n; o++, step(&s, index, 0, outer)) {
    double f = 0;
    uint64_t u = 0;
    bool more = !empty;
    WEFT_TRY(weft__call_poll(c));
    while (more) {
      double p = 1;
      uint64_t q = 1;
      for (size_t i = 0; i < s.n; i++) {
        if (real)
          p *= s.data[i].f[s.at[i]];
        else
          q *= s.data[i].u[s.at[i]];
      }
      f += p, u += q;
      more = step(&s, index, outer, s.n_labels);
    }
    if (real)
      weft_store_f64(y->dtype, y->data, o, f);
    else
      weft_store_u64(y->dtype, y->data, o, u);
  }
  return WEFT_OK;
}
