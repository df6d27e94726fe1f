// resize.c - Resize along the last two axes: nearest of any elements of 1, 2, 4 or 8 bytes, linear of f32,
// f16 and bf16. Where each output row and column comes from is worked out once a run, as the operator's own
// rule says, into tables in the workspace; then planes are made row by row. Linear: rows of the input are
// spread to the output's width when they are first needed.
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
  uint32_t out_arg, bytes;  // bytes: of an element
  bool linear;
  uint8_t store;  // WEFT__STORE_*
  const weft__vec *vec;
} plan;
enum { HALF_PIXEL, PYTORCH_HALF_PIXEL, ALIGN_CORNERS, ASYMMETRIC, PLACES };
enum { ROUND_FLOOR, ROUND_CEIL, FLOOR, CEIL, SIMPLE };

static int choice(const char *s, const char *const *names, int n) {
  for (int i = 0; s && i < n; i++)
    if (!strcmp(s, names[i])) return i;
  return n;
}

static const char *elements(const weft_tiling *t) {
  if (!t->n_in || t->n_out != 1 || t->in_dtype[0] != t->out_dtype[0]) return "another dtype comes out";
  uint32_t bits = weft_dtype_bits(t->in_dtype[0]);
  weft_dtype type = t->in_dtype[0];
  if (type == WEFT_STRING || type == WEFT_RESOURCE || type == WEFT_VARIANT ||
      (bits != 8 && bits != 16 && bits != 32 && bits != 64))
    return "needs elements of 1, 2, 4 or 8 bytes";
  return weft__rows_plain(t) ? NULL : "needs known shapes in plain layouts";
}

static const char *make(const weft_tiling *t, plan *p) {
  static const char *const places[] = {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"};
  static const char *const rounds[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"};
  static const char *const modes[] = {"nearest", "linear"};
  const weft_op_desc *n = t->desc;
  const char *why = elements(t), *policy = weft_node_str(n, 8);
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
  p->out_arg = t->n_in, p->linear = mode == 1, p->bytes = weft_dtype_bits(t->in_dtype[0]) / 8;
  p->store = weft__store_of(t->in_dtype[0]);
  if (p->linear && p->store == WEFT__STORE_NONE) return "needs f32, f16 or bf16";
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
  if (p->linear && p->store) t->scratch_bytes = (p->w.in + COLUMNS) * sizeof(float);
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

#define PICKED(T) \
  for (size_t i = 0; i < p->w.out; i++) memcpy(y + i * sizeof(T), from + cols[i].a * sizeof(T), sizeof(T))
static void nearest(const plan *p, const tap *rows, const tap *cols, const char *x, char *y) {
  const size_t line = p->w.out * p->bytes;
  for (size_t r = 0; r < p->h.out; r++, y += line) {
    if (r && rows[r].a == rows[r - 1].a) {
      memcpy(y, y - line, line);
      continue;
    }
    const char *from = x + rows[r].a * p->w.in * p->bytes;
    switch (p->bytes) {
      case 1:
        PICKED(uint8_t);
        break;
      case 2:
        PICKED(uint16_t);
        break;
      case 4:
        PICKED(uint32_t);
        break;
      default:
        PICKED(uint64_t);
    }
  }
}

static void spread(const float *from, const tap *cols, float *to_row, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const float a = from[cols[i].a], b = from[cols[i].b], w = cols[i].w;
    to_row[i] = w == 0 ? a : w == 1 ? b : a * (1 - w) + b * w;
  }
}
// One plane. Of halves, a row of x is widened and a piece of a row of y made in the scratch.
static void linear(const plan *p, const tap *rows, const tap *cols, const weft_block *b, size_t plane) {
  float line[2][COLUMNS], *room = b->scratch;
  void *y = b->arg[p->out_arg];
  const size_t x_at = plane * p->h.in * p->w.in, y_at = plane * p->h.out * p->w.out;
  for (size_t c = 0; c < p->w.out; c += COLUMNS) {
    size_t n = WEFT_MIN(p->w.out - c, COLUMNS), have[2] = {SIZE_MAX, SIZE_MAX};
    for (size_t r = 0; r < p->h.out; r++) {
      const tap *t = &rows[r];
      const size_t want[2] = {t->a, t->b}, at = y_at + r * p->w.out + c;
      float *out = weft__rows_room(p->store, y, at, p->store ? room + p->w.in : NULL);
      for (int k = 0; k < 2; k++) {  // a row lies in the line of its parity
        size_t slot = want[k] & 1;
        if (have[slot] == want[k]) continue;
        spread(weft__rows_load(p->vec, p->store, b->arg[0], x_at + want[k] * p->w.in, p->w.in, room),
               cols + c, line[slot], n);
        have[slot] = want[k];
      }
      const float *above = line[t->a & 1], *below = line[t->b & 1];
      if (t->w == 0 || t->w == 1)
        memcpy(out, t->w == 0 ? above : below, n * sizeof *out);
      else
        p->vec->mix(above, below, out, n, 1 - t->w, t->w);
      weft__rows_store(p->vec, p->store, y, at, n, out);
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
  size_t in = p->h.in * p->w.in * p->bytes, out = p->h.out * p->w.out * p->bytes;
  for (size_t i = first; i < last; i++)
    if (p->linear)
      linear(p, rows, cols, b, i);
    else
      nearest(p, rows, cols, (const char *)b->arg[0] + i * in, (char *)b->arg[p->out_arg] + i * out);
  return WEFT_OK;
}

WEFT_ROWS_KERNEL(resize, "Resize", "rows", 256);
