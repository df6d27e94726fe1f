// resize.c - Resize of f32 along the last two axes, nearest and linear. Where each output row and column
// comes from is worked out once a run, as the operator's own rule says, into tables in the workspace; then
// planes are made row by row. Linear: rows of the input are spread to the output's width when they are first
// needed.
#include <math.h>

#include "cpu/rows.h"

enum { COLUMNS = 512 };
typedef struct axis {
  size_t in, out;
  double scale, length;
} axis;
typedef struct tap {
  uint32_t a, b;  // b: linear, the next one
  float w;        // of b; 0: a alone
} tap;
typedef struct plan {
  axis h, w;
  size_t planes, per;
  int place, round;
  uint32_t out_arg;
  bool linear;
  const weft__vec *vec;
} plan;
enum { HALF_PIXEL, PYTORCH_HALF_PIXEL, ALIGN_CORNERS, ASYMMETRIC, PLACES };
enum { ROUND_FLOOR, ROUND_CEIL, FLOOR, CEIL, SIMPLE };

static int choice(const char *s, const char *const *names, int n) {
  for (int i = 0; s && i < n; i++)
    if (!strcmp(s, names[i])) return i;
  return n;
}

static const char *make(const weft_tiling *t, plan *p) {
  static const char *const places[] = {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"};
  static const char *const rounds[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"};
  static const char *const modes[] = {"nearest", "linear"};
  const weft_op_desc *n = t->desc;
  const char *why = weft__rows_f32(t, 1), *policy = weft_node_str(n, 8);
  memset(p, 0, sizeof *p);
  if (why) return why;
  const weft_shape *x = &t->in[0]->origin, *y = &t->out[0]->origin;
  int mode = choice(weft_node_str(n, 4), modes, 2);
  p->place = choice(weft_node_str(n, 0), places, PLACES), p->round = choice(weft_node_str(n, 5), rounds, 5);
  if (mode > 1 || p->place == PLACES || p->round > SIMPLE)
    return "the mode is not nearest or linear, or a rarer one";
  if (weft_node_int(n, 2) || weft_node_int(n, 6) || weft_node_ints(n, 7).n ||
      (policy && strcmp(policy, "stretch")))
    return "antialias, axes or another option is set";
  int64_t at = weft_port_in(n, 2, 0);
  const weft_tensor *scales = at >= 0 ? t->value[at] : NULL;
  if (at >= 0 && (!scales || !scales->data)) return "the scales are not known";
  if (x->rank < 2 || x->rank != y->rank || (scales && weft_tensor_elems(scales) != (int64_t)x->rank))
    return "needs two axes and a scale for each";
  p->out_arg = t->n_in, p->linear = mode == 1;
  p->planes = weft__rows_prod(x, 0, x->rank - 2);
  for (size_t k = 0; k < x->rank; k++) {
    axis a = {.in = (size_t)x->dim[k], .out = (size_t)y->dim[k]};
    if (!a.in || a.in > INT32_MAX || a.out > INT32_MAX) return "nothing to resample, or too much";
    a.scale =
        scales ? (double)(float)weft_load_f64(scales->dtype, scales->data, k) : (double)a.out / (double)a.in;
    a.length = scales ? a.scale * (double)a.in : (double)a.out;
    if (k + 2 < x->rank && (a.in != a.out || a.scale != 1)) return "more than the last two axes change";
    if (k + 2 == x->rank) p->h = a;
    if (k + 1 == x->rank) p->w = a;
  }
  p->vec = weft__vec_find();
  return NULL;
}
static const char *refuse_resize(const weft_tiling *t) {
  plan p;
  return make(t, &p);
}
static weft_status tile_resize(weft_tiling *t) {
  plan *p = t->data;
  const char *why = make(t, p);
  if (why) return t->host->fail(t->d, WEFT_E_KERNEL, "%s", why);
  t->blocks = weft__rows_blocks(p->planes, (double)(p->h.out * p->w.out) * 0.6, &p->per);
  t->phases = 2, t->n_workspaces = 1;
  t->workspace_bytes[0] = (p->h.out + p->w.out) * sizeof(tap) + 1;
  t->data_bytes = sizeof *p;
  return WEFT_OK;
}

// Where an output index lies in the input; nearest rounds to float after every step.
static double to(bool narrow, double v) {
  return narrow ? (double)(float)v : v;
}
static double place(const plan *p, const axis *a, size_t index) {
  bool f = !p->linear;
  double x = (double)index, scale = to(f, a->scale);
  double half = to(f, to(f, to(f, x + 0.5) / scale) - 0.5);
  switch (p->place) {
    case PYTORCH_HALF_PIXEL:
      return a->length > 1 ? half : 0;
    case ALIGN_CORNERS:
      return a->length == 1 ? 0 : to(f, x * (double)(a->in - 1) / to(f, a->length - 1));
    case ASYMMETRIC:
      return to(f, x / scale);
    default:
      return half;
  }
}
static uint32_t clamped(double x, size_t n) {
  return x > 0 ? (x < (double)(n - 1) ? (uint32_t)x : (uint32_t)(n - 1)) : 0;
}
static void fill(const plan *p, const axis *a, tap *out) {
  for (size_t i = 0; i < a->out; i++) {
    double x = place(p, a, i), low = floor(x), part = x - low;
    if (p->linear && a->in == a->out && a->scale == 1) low = (double)i, part = 0;  // stays as it is
    out[i] = (tap){clamped(low, a->in), clamped(low + 1, a->in), (float)part};
    if (p->linear) continue;
    double at = p->round == ROUND_FLOOR  ? (part > 0.5 ? low + 1 : low)
                : p->round == ROUND_CEIL ? (part >= 0.5 ? low + 1 : low)
                : p->round == FLOOR      ? low
                : p->round == CEIL       ? ceil(x)
                : a->scale < 1           ? ceil(x)
                                         : low;
    out[i] = (tap){clamped(at, a->in), 0, 0};
  }
}

static void nearest(const plan *p, const tap *rows, const tap *cols, const float *x, float *y) {
  for (size_t r = 0; r < p->h.out; r++, y += p->w.out) {
    if (r && rows[r].a == rows[r - 1].a) {
      memcpy(y, y - p->w.out, p->w.out * sizeof *y);
      continue;
    }
    const float *from = x + rows[r].a * p->w.in;
    for (size_t i = 0; i < p->w.out; i++) y[i] = from[cols[i].a];
  }
}

static void spread(const float *from, const tap *cols, float *to_row, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const float a = from[cols[i].a], b = from[cols[i].b], w = cols[i].w;
    to_row[i] = w == 0 ? a : w == 1 ? b : a * (1 - w) + b * w;
  }
}
static void linear(const plan *p, const tap *rows, const tap *cols, const float *x, float *y) {
  float line[2][COLUMNS];
  for (size_t c = 0; c < p->w.out; c += COLUMNS) {
    size_t n = WEFT_MIN(p->w.out - c, COLUMNS), have[2] = {SIZE_MAX, SIZE_MAX};
    for (size_t r = 0; r < p->h.out; r++) {
      const tap *t = &rows[r];
      size_t want[2] = {t->a, t->b};
      float *out = y + r * p->w.out + c;
      for (int k = 0; k < 2; k++) {  // a row lies in the line of its parity
        size_t slot = want[k] & 1;
        if (have[slot] != want[k])
          spread(x + want[k] * p->w.in, cols + c, line[slot], n), have[slot] = want[k];
      }
      const float *a = line[t->a & 1], *b = line[t->b & 1];
      if (t->w == 0 || t->w == 1)
        memcpy(out, t->w == 0 ? a : b, n * sizeof *out);
      else
        p->vec->mix(a, b, out, n, 1 - t->w, t->w);
    }
  }
}

static weft_status run_resize(const weft_block *b) {
  const plan *p = b->data;
  tap *rows = b->workspace[0], *cols = rows + p->h.out;
  if (b->phase == 0) {
    if (b->block == 0) fill(p, &p->h, rows), fill(p, &p->w, cols);
    return WEFT_OK;
  }
  size_t first = b->block * p->per, last = WEFT_MIN(first + p->per, p->planes);
  for (size_t i = first; i < last; i++) {
    const float *x = (const float *)b->arg[0] + i * p->h.in * p->w.in;
    float *y = (float *)b->arg[p->out_arg] + i * p->h.out * p->w.out;
    (p->linear ? linear : nearest)(p, rows, cols, x, y);
  }
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(resize, "Resize", "rows", 256);
