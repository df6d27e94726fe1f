// shapes.c - `--shape NAME=D,D`, `--range NAME=D,A..B` and `--dim NAME=D`: what a user says of a graph's
// inputs before it is inferred.
#include <errno.h>

#include "cli.h"

int shape_option(args *a, shape_options *o) {
  static const char *const names[] = {
      [SHAPE_IS] = "--shape", [SHAPE_RANGE] = "--range", [SHAPE_DIM] = "--dim"};
  const char *v;
  shape_kind kind = SHAPE_IS;
  while (!arg_value(a, names[kind], &v)) {
    if (kind++ == SHAPE_DIM)
      return -1;
  }
  if (o->n == sizeof o->text / sizeof *o->text)
    return usage_error(a->help, "more than %zu --shape, --range and --dim options", o->n);
  o->kind[o->n] = kind;
  o->text[o->n++] = v;
  return 0;
}

// The input that is named before '=', and where its dims begin.
static weft_status open_option(const weft_graph *g, const char *option, const char *text, weft_value **v,
                               const char **dims, weft_diag *d) {
  const char *eq = strchr(text, '=');
  char name[256];
  if (!eq || eq == text || (size_t)(eq - text) >= sizeof name)
    return weft_fail(d, WEFT_E_SYNTAX, "%s '%s': expected NAME=DIM,DIM,...", option, text);
  memcpy(name, text, (size_t)(eq - text));
  name[eq - text] = 0;
  *dims = eq + 1;
  const weft_status s = find_input(g, option, name, v, d);
  if (s)
    weft_note(d,
              "%s names an input and all of its dims, as %s; --dim gives a dim one size by its name, as n=4",
              option, strcmp(option, "--range") ? "x=1,4" : "x=1..8,4, or a dim, as n=1..8");
  return s;
}

static weft_status shapes_set_shape(weft_graph *g, const char *text, weft_diag *d) {
  weft_value *v;
  const char *at;
  WEFT_TRY(open_option(g, "--shape", text, &v, &at, d));
  weft_tensor_desc desc;
  weft_value_desc(v, &desc);
  weft_dim dims[WEFT_MAX_RANK];
  size_t rank = 0;
  while (*at) {
    size_t n = strcspn(at, ",");
    if (rank == WEFT_MAX_RANK)
      return weft_fail(d, WEFT_E_LIMIT, "--shape '%s': more than %d dims", text, WEFT_MAX_RANK);
    weft_status s = weft_dim_parse(weft_graph_symbols(g), at, n, &dims[rank++], d);
    if (s)
      weft_note(d, "while reading --shape '%s'", text);
    if (s)
      return s;
    at += n + (at[n] == ',');
  }
  WEFT_TRY(weft_desc_set(&desc, desc.dtype, desc.format, dims, rank));
  return weft_graph_input_reshape(v, &desc, d);
}

// "8", "1..64" or "1..*" (max -1: no bound).
static bool read_range(const char *text, size_t n, int64_t *min, int64_t *max) {
  char copy[64];
  char *end;
  if (!n || n >= sizeof copy)
    return false;
  memcpy(copy, text, n);
  copy[n] = 0;
  errno = 0;
  *min = *max = strtoll(copy, &end, 10);
  if (end == copy || *min < 0 || errno)
    return false;
  if (!*end)
    return true;
  if (strncmp(end, "..", 2))
    return false;
  const char *second = end + 2;
  if (!strcmp(second, "*"))
    return *max = -1, true;
  *max = strtoll(second, &end, 10);
  return end != second && !*end && *max >= *min && !errno;
}

// Is it one name? weft_dim_text quotes those that are no words ("a.b"): the quotes go.
static bool one_name(char *text) {
  size_t n = strlen(text);
  if (n < 3 || text[0] != '"' || text[n - 1] != '"')
    return !strpbrk(text, "+-*/(), ");
  if (strpbrk(text, "\\") || strchr(text + 1, '"') != text + n - 1)
    return false;
  memmove(text, text + 1, n - 2);
  text[n - 2] = 0;
  return true;
}

// A dim that is one name keeps it: the name gets the bounds, in every input. Others get them in the input's
// description.
static weft_status set_range_of(weft_symbols *p, weft_tensor_desc *desc, size_t i, int64_t min, int64_t max,
                                weft_diag *d) {
  char name[256];
  int64_t lo;
  int64_t hi;
  weft_dim was = desc->layout.origin.dim[i];
  weft_dim_text(p, was, name, sizeof name);
  weft_dim_bounds(p, was, &lo, &hi);
  if (weft_dim_is_known(was))
    lo = hi = was;
  int64_t both = lo > min ? lo : min;
  int64_t least = hi < 0 ? max : max < 0 || hi < max ? hi : max;
  if (least >= 0 && both > least) {
    return weft_fail(d, WEFT_E_RANGE, "dim %zu of input '%s' is %s in the model, never in %lld..%lld", i,
                     desc->name, name, (long long)min, (long long)max);
  }
  if (weft_dim_is_symbol(was) && one_name(name))
    (void)weft_dim_symbol(p, name, strlen(name), both, least);
  desc->min.dim[i] = both;
  desc->max.dim[i] = least;
  if (both == least)
    desc->layout.origin.dim[i] = both;
  return WEFT_OK;
}

static weft_status set_range(weft_graph *g, const char *text, weft_diag *d) {
  weft_value *v;
  const char *at;
  WEFT_TRY(open_option(g, "--range", text, &v, &at, d));
  weft_tensor_desc desc;
  weft_value_desc(v, &desc);
  desc.name = weft_value_name(v);
  weft_shape min = {0};
  weft_shape max = {0};
  size_t rank = 0;
  for (; *at; rank++) {
    size_t n = strcspn(at, ",");
    if (rank == WEFT_MAX_RANK)
      return weft_fail(d, WEFT_E_LIMIT, "--range '%s': more than %d dims", text, WEFT_MAX_RANK);
    if (!read_range(at, n, &min.dim[rank], &max.dim[rank])) {
      return weft_fail(d, WEFT_E_SYNTAX, "--range '%s': dim %zu is '%.*s', expected 8, 1..64 or 1..*", text,
                       rank, (int)n, at);
    }
    at += n + (at[n] == ',');
  }
  if (weft_shape_is_unknown_rank(&desc.layout.origin)) {
    weft_dim dims[WEFT_MAX_RANK];
    for (size_t i = 0; i < rank; i++)
      dims[i] = -1;
    WEFT_TRY(weft_desc_set(&desc, desc.dtype, desc.format, dims, rank));
  }
  if (desc.layout.origin.rank != rank) {
    return weft_fail(d, WEFT_E_SHAPE, "--range '%s': the input has rank %zu, got %zu dims", text,
                     desc.layout.origin.rank, rank);
  }
  desc.min.rank = desc.max.rank = rank;
  for (size_t i = 0; i < rank; i++)
    WEFT_TRY(set_range_of(weft_graph_symbols(g), &desc, i, min.dim[i], max.dim[i], d));
  desc.has_range = true;
  desc.layout.storage = desc.layout.origin;
  return weft_graph_input_reshape(v, &desc, d);
}

// ---- dims by name ----
// Is the name one of the words of this dim, as in "past + 1"?
static bool names_dim(const char *dim, const char *name, size_t bytes) {
  static const char operators[] = "+-*/(), ";
  for (size_t n; *dim; dim += n) {
    dim += strspn(dim, operators);
    n = strcspn(dim, operators);
    if (n == bytes && !memcmp(dim, name, bytes))
      return true;
  }
  return false;
}

static const char *symbol_at(const weft_graph *g, const weft_tensor_desc *desc, size_t i, char *text,
                             size_t room) {
  const weft_dim dim = desc->layout.origin.dim[i];
  return weft_dim_is_symbol(dim) ? weft_dim_text(weft_graph_symbols(g), dim, text, room) : "";
}

static size_t shapes_dims_of(const weft_graph *g, size_t input, weft_tensor_desc *desc) {
  weft_value_desc(weft_graph_input_at(g, input), desc);
  return weft_shape_is_unknown_rank(&desc->layout.origin) ? 0 : desc->layout.origin.rank;
}

// Is the name in a list with ", " between them?
static bool shapes_listed(const char *list, const char *name) {
  const size_t bytes = strlen(name);
  for (const char *at = list; (at = strstr(at, name)) != NULL; at += bytes) {
    if ((at == list || at[-1] == ' ') && (!at[bytes] || at[bytes] == ','))
      return true;
  }
  return false;
}

static weft_status no_dim(const weft_graph *g, const char *name, size_t bytes, weft_diag *d) {
  char list[400] = "";
  char text[128];
  weft_tensor_desc desc;
  size_t at = 0;
  nearest near = nearest_to(name, bytes);
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    for (size_t k = 0, n = shapes_dims_of(g, i, &desc); k < n; k++) {
      const char *symbol = symbol_at(g, &desc, k, text, sizeof text);
      if (!*symbol || shapes_listed(list, symbol))
        continue;
      nearest_try(&near, symbol, strlen(symbol));
      if (at + sizeof text + 2 < sizeof list)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", symbol);
    }
  }
  char meant[300] = "";
  if (*near.word)
    snprintf(meant, sizeof meant, " did you mean '%s'?", near.word);
  return weft_fail(d, WEFT_E_NOT_FOUND, "--dim %.*s: the inputs have no dim of this name;%s theirs: %s",
                   (int)bytes, name, meant, *list ? list : "none");
}

int64_t fixed_dim(const weft_graph *g, weft_dim dim) {
  int64_t low;
  int64_t high;
  weft_dim_bounds(weft_graph_symbols(g), dim, &low, &high);
  return low == high ? low : -1;
}

// Is it a dim of an input, or a word of one? The name may hold operators: batch-size.
static bool inputs_have_dim(const weft_graph *g, const char *text, size_t bytes) {
  char word[128];
  bool found = false;
  weft_tensor_desc desc;
  const weft_dim named = weft_dim_symbol(weft_graph_symbols(g), text, bytes, 0, -1);
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    for (size_t k = 0, rank = shapes_dims_of(g, i, &desc); k < rank; k++) {
      found |= weft_dim_same(desc.layout.origin.dim[k], named) ||
               names_dim(symbol_at(g, &desc, k, word, sizeof word), text, bytes);
    }
  }
  return found;
}

weft_status fix_dim(const weft_graph *g, const char *text, weft_diag *d) {
  const size_t bytes = strcspn(text, "=");
  char *end;
  errno = 0;
  const long long n = text[bytes] ? strtoll(text + bytes + 1, &end, 10) : -1;
  if (!bytes || n < 0 || errno || end == text + bytes + 1 || *end)
    return weft_fail(d, WEFT_E_SYNTAX, "--dim '%s': expected NAME=NUMBER", text);
  weft_symbols *p = weft_graph_symbols(g);
  if (!inputs_have_dim(g, text, bytes))
    return no_dim(g, text, bytes, d);
  int64_t low;
  int64_t high;
  weft_dim_bounds(p, weft_dim_symbol(p, text, bytes, n, n), &low, &high);
  if (low != n || high != n) {
    return weft_fail(d, WEFT_E_RANGE, "--dim '%s': the dim is %lld..%lld", text, (long long)low,
                     (long long)high);
  }
  return WEFT_OK;
}

void tell_made_up(const weft_graph *g, const weft_value *v, const weft_dim *dims, size_t rank) {
  weft_tensor_desc desc;
  char open[256];
  char made[256] = "";
  weft_value_desc(v, &desc);
  weft_shape_text(&desc.layout.origin, weft_graph_symbols(g), open, sizeof open);
  for (size_t i = 0, at = 0; i < rank && at + 24 < sizeof made; i++)
    at += (size_t)snprintf(made + at, sizeof made - at, "%s%lld", i ? "," : "", (long long)dims[i]);
  fprintf(stderr,
          "weft: warning: input '%s' is %s in the model; [%s] was made up: give sizes by --dim or --shape\n",
          weft_value_name(v), open, made);
}

// Of dim k: the least size to propose, and the largest it may have, -1: any.
static void dim_bounds(const weft_graph *g, const weft_tensor_desc *desc, size_t k, int64_t *low,
                       int64_t *high) {
  const weft_dim dim = desc->layout.origin.dim[k];
  *low = *high = dim;
  if (dim >= 0)
    return;
  *low = 1;
  *high = -1;
  if (weft_dim_is_symbol(dim))
    weft_dim_bounds(weft_graph_symbols(g), dim, low, high);
  if (*low < 1)
    *low = 1;
  if (!desc->has_range)
    return;
  if (desc->min.dim[k] > *low)
    *low = desc->min.dim[k];
  if (*high < 0 || (desc->max.dim[k] >= 0 && desc->max.dim[k] < *high))
    *high = desc->max.dim[k];
}

const char *how_to_bound(const weft_graph *g, char *text, size_t cap) {
  weft_tensor_desc desc;
  char dims[256] = "";
  char symbol[128];
  const char *named = "";
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    size_t at = 0;
    bool open = false;
    for (size_t k = 0, rank = shapes_dims_of(g, i, &desc); k < rank && at + 48 < sizeof dims; k++) {
      int64_t low;
      int64_t high;
      dim_bounds(g, &desc, k, &low, &high);
      at += (size_t)snprintf(dims + at, sizeof dims - at, "%s%lld", k ? "," : "", (long long)low);
      if (high < 0)
        at += (size_t)snprintf(dims + at, sizeof dims - at, "..MAX");
      else if (high > low)
        at += (size_t)snprintf(dims + at, sizeof dims - at, "..%lld", (long long)high);
      if (high < 0 && !*named)
        named = symbol_at(g, &desc, k, symbol, sizeof symbol);
      open |= high < 0;
    }
    if (!open)
      continue;
    const char *input = weft_value_name(weft_graph_input_at(g, i));
    if (*named)
      snprintf(text, cap, "--range '%.100s=%s' bounds it; --dim '%.100s=SIZE' or --shape sets sizes", input,
               dims, named);
    else
      snprintf(text, cap, "--range '%.100s=%s' bounds it; --shape sets sizes", input, dims);
    return text;
  }
  snprintf(text, cap, "--range bounds sizes, --dim and --shape set them");
  return text;
}

static weft_status set_dim(weft_graph *g, const char *text, weft_diag *d) {
  weft_tensor_desc desc;
  WEFT_TRY(fix_dim(g, text, d));
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    bool changed = false;
    for (size_t k = 0, rank = shapes_dims_of(g, i, &desc); k < rank; k++) {
      weft_dim *dim = &desc.layout.origin.dim[k];
      const int64_t only = fixed_dim(g, *dim);
      if (weft_dim_is_symbol(*dim) && only >= 0) {
        *dim = only;
        changed = true;
      }
    }
    desc.layout.storage = desc.layout.origin;
    if (changed)
      WEFT_TRY(weft_graph_input_reshape(weft_graph_input_at(g, i), &desc, d));
  }
  return WEFT_OK;
}

// `--range batch=1..8`: a dim by its name, in every input.
static weft_status set_range_of_dim(weft_graph *g, const char *text, size_t bytes, weft_diag *d) {
  int64_t min;
  int64_t max;
  weft_tensor_desc desc;
  if (!read_range(text + bytes + 1, strlen(text + bytes + 1), &min, &max))
    return weft_fail(d, WEFT_E_SYNTAX, "--range '%s': a dim's name has one range, 8, 1..64 or 1..*", text);
  weft_symbols *p = weft_graph_symbols(g);
  const weft_dim named = weft_dim_symbol(p, text, bytes, 0, -1);
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    const size_t rank = shapes_dims_of(g, i, &desc);
    bool has = false;
    desc.name = weft_value_name(weft_graph_input_at(g, i));
    desc.min.rank = desc.max.rank = rank;
    for (size_t k = 0; k < rank; k++) {
      const bool it = weft_dim_same(desc.layout.origin.dim[k], named);
      WEFT_TRY(set_range_of(p, &desc, k, it ? min : 0, it ? max : -1, d));
      has |= it;
    }
    if (!has)
      continue;
    desc.has_range = true;
    desc.layout.storage = desc.layout.origin;
    WEFT_TRY(weft_graph_input_reshape(weft_graph_input_at(g, i), &desc, d));
  }
  return WEFT_OK;
}

// An input's name comes first.
static weft_status set_range_named(weft_graph *g, const char *text, weft_diag *d) {
  const size_t bytes = strcspn(text, "=");
  bool input = !text[bytes];
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++) {
    const char *name = weft_value_name(weft_graph_input_at(g, i));
    input |= strlen(name) == bytes && !memcmp(name, text, bytes);
  }
  if (!input && bytes && inputs_have_dim(g, text, bytes))
    return set_range_of_dim(g, text, bytes, d);
  return set_range(g, text, d);
}

// Shapes come first, whatever the order of the options: a size that a range rules out is refused.
weft_status set_shapes(weft_graph *g, const shape_options *o, weft_diag *d) {
  for (size_t i = 0; i < o->n; i++) {
    if (o->kind[i] == SHAPE_IS)
      WEFT_TRY(shapes_set_shape(g, o->text[i], d));
  }
  for (size_t i = 0; i < o->n; i++) {
    if (o->kind[i] == SHAPE_IS)
      continue;
    WEFT_TRY((o->kind[i] == SHAPE_DIM ? set_dim : set_range_named)(g, o->text[i], d));
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
