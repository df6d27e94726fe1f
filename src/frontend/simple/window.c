// window.c - convolution and pooling of the frameworks as AscendIR's: lists of 4 in layout order, padding as
// numbers of elements wherever the shapes tell them, so that padding=1 and "SAME" give one graph where they
// mean the same (R266).
#include "frontend/simple/simple.h"

typedef enum { EXPLICIT, SAME, VALID } pad_mode;
typedef struct window {
  int64_t kernel[2], stride[2], dilation[2];  // height, width; kernel -1: not known
  int64_t pads[4];                            // top, bottom, left, right
  pad_mode mode;
} window;

// The first of the two axes, in the order of the layout.
static size_t height_axis(weft_format layout) {
  return layout == WEFT_NHWC ? 1 : 2;
}
static size_t channel_axis(weft_format layout) {
  return layout == WEFT_NHWC ? 3 : 1;
}

static bool all_are(const int64_t *v, size_t n, int64_t want) {
  for (size_t i = 0; i < n; i++) {
    if (v[i] != want)
      return false;
  }
  return true;
}

void simple_widen(weft_format layout, const int64_t hw[2], int64_t out[4]) {
  size_t at = height_axis(layout);
  out[0] = out[1] = out[2] = out[3] = 1;
  out[at] = hw[0];
  out[at + 1] = hw[1];
}

static weft_status ints_of(const simple_op *o, const simple_param *p, int64_t *out, size_t cap,
                           size_t *out_n) {
  const weft_json *j = p->json;
  bool list = j->kind == WEFT_JSON_ARRAY;
  *out_n = list ? j->n : 1;
  if (list && (!j->n || j->n > cap))
    return simple_where(p, o, WEFT_E_INVALID, "expected 1 to %zu numbers, got %zu", cap, j->n);
  for (size_t i = 0; i < *out_n; i++) {
    const weft_json *v = list ? &j->items[i] : j;
    if (v->kind != WEFT_JSON_NUMBER || !v->is_int) {
      return simple_where(p, o, WEFT_E_TYPE, "expected %s, got %.40s",
                          list ? "a list of whole numbers" : "whole numbers",
                          v->kind == WEFT_JSON_NUMBER ? v->s : simple_kind(v));
    }
    out[i] = v->i;
  }
  return WEFT_OK;
}

weft_status simple_pair(const simple_op *o, const simple_param *p, int64_t out[2]) {
  int64_t v[4];
  size_t n;
  size_t at = height_axis(o->layout);
  size_t channel = channel_axis(o->layout);
  WEFT_TRY(ints_of(o, p, v, 4, &n));
  if (n == 3)
    return simple_where(p, o, WEFT_E_INVALID, "expected 1, 2 or 4 numbers, got 3");
  if (n == 4 && (v[0] != 1 || v[channel] != 1)) {
    return simple_where(p, o, WEFT_E_UNSUPPORTED,
                        "the values of batch and channel are %lld and %lld, both must be 1", (long long)v[0],
                        (long long)v[channel]);
  }
  size_t first = n == 4 ? at : 0;
  out[0] = v[first];
  out[1] = v[n == 1 ? 0 : first + 1];
  return WEFT_OK;
}

static weft_status take_pair(simple_op *o, const char *names, int64_t out[2], bool *out_given) {
  const simple_param *p;
  WEFT_TRY(simple_take(o, names, &p));
  *out_given = p != NULL;
  return p ? simple_pair(o, p, out) : WEFT_OK;
}

// ---- padding ----
// The words of each framework; Keras writes TensorFlow's in small letters.
static weft_status padding_word(const simple_op *o, const simple_param *p, pad_mode *out) {
  static const struct {
    unsigned frameworks;
    const char *word;
    pad_mode mode;
  } words[] = {{9, "same", SAME},          {9, "valid", VALID},     {2, "same", SAME},
               {2, "valid", VALID},        {5, "SAME", SAME},       {5, "VALID", VALID},
               {4, "EXPLICIT", EXPLICIT},  {8, "pad", EXPLICIT},    {16, "same", SAME},
               {16, "valid", VALID},       {1, "SAME_UPPER", SAME}, {1, "SPECIFIC", EXPLICIT},
               {1, "CALCULATED", EXPLICIT}};
  unsigned mine = o->keras ? 16u : 1u << o->framework;
  char list[128] = "";
  size_t at = 0;
  for (size_t i = 0; i < WEFT_COUNT(words); i++) {
    if (!(words[i].frameworks & mine))
      continue;
    if (!strcmp(words[i].word, p->json->s)) {
      *out = words[i].mode;
      return WEFT_OK;
    }
    weft__append(list, sizeof list, &at, "%s%s", at ? ", " : "", words[i].word);
  }
  return simple_where(p, o, WEFT_E_RANGE, "'%.80s' is no padding of %s: expected one of %s", p->json->s,
                      o->keras ? "keras" : simple_framework_names[o->framework], list);
}

// TensorFlow: a pair for each axis in layout order, flat or nested.
static weft_status tensorflow_pads(const simple_op *o, const simple_param *p, int64_t out[4]) {
  const weft_json *j = p->json;
  int64_t v[8];
  size_t at = height_axis(o->layout);
  size_t n = 0;
  size_t channel = channel_axis(o->layout);
  bool nested = j->kind == WEFT_JSON_ARRAY && j->n == 4 && j->items[0].kind == WEFT_JSON_ARRAY;
  if (nested) {
    for (size_t i = 0; i < 4; i++) {
      simple_param item = {p->name, &j->items[i], p->arg, true};
      size_t two;
      WEFT_TRY(ints_of(o, &item, v + 2 * i, 2, &two));
      n += two;
    }
  } else {
    WEFT_TRY(ints_of(o, p, v, 8, &n));
  }
  if (n != 8)
    return simple_where(p, o, WEFT_E_INVALID, "expected 4 pairs of numbers, got %zu numbers", n);
  if (!all_are(v, 2, 0) || !all_are(v + 2 * channel, 2, 0))
    return simple_where(p, o, WEFT_E_UNSUPPORTED, "batch or channel are padded, both must have 0 and 0");
  memcpy(out, v + 2 * at, 4 * sizeof *out);
  return WEFT_OK;
}

static weft_status explicit_pads(const simple_op *o, const simple_param *p, int64_t out[4]) {
  size_t n;
  if (o->framework == SIMPLE_TENSORFLOW)
    return tensorflow_pads(o, p, out);
  WEFT_TRY(ints_of(o, p, out, o->framework == SIMPLE_PYTORCH ? 2 : 4, &n));
  if (n == 3)
    return simple_where(p, o, WEFT_E_INVALID, "expected 1, 2 or 4 numbers, got 3");
  if (n == 1)
    out[1] = out[2] = out[3] = out[0];
  if (n == 2) {
    out[3] = out[2] = out[1];
    out[1] = out[0];
  }
  for (size_t i = 0; i < 4; i++) {
    if (out[i] < 0)
      return simple_where(p, o, WEFT_E_RANGE, "padding must not be negative, got %lld", (long long)out[i]);
  }
  return WEFT_OK;
}

static weft_status read_padding(simple_op *o, window *w, pad_mode dflt) {
  bool mind = o->framework == SIMPLE_MINDSPORE;
  bool tf = o->framework == SIMPLE_TENSORFLOW;
  const simple_param *mode = NULL;
  const simple_param *pads = NULL;
  w->mode = dflt;
  if (mind || o->framework == SIMPLE_PLAIN)
    WEFT_TRY(simple_take(o, "pad_mode padding_mode", &mode));
  WEFT_TRY(simple_take(o, tf || o->framework == SIMPLE_PYTORCH ? "padding" : "pads pad padding", &pads));
  if (pads && pads->json->kind == WEFT_JSON_STRING && !mind) {
    if (mode)
      return simple_where(pads, o, WEFT_E_DUPLICATE, "'%s' says the padding already", mode->name);
    mode = pads;
    pads = NULL;
  }
  if (tf && !pads)
    WEFT_TRY(simple_take(o, "explicit_paddings", &pads));
  if (tf && !mode && !pads && !o->keras)
    return simple_fail(o, WEFT_E_MISSING, ".attrs.padding missing");
  if (mode && mode->json->kind != WEFT_JSON_STRING)
    return simple_where(mode, o, WEFT_E_TYPE, "expected a string, got %s", simple_kind(mode->json));
  if (mode)
    WEFT_TRY(padding_word(o, mode, &w->mode));
  bool word = tf && mode && w->mode != EXPLICIT;
  bool empty = pads && pads->json->kind == WEFT_JSON_ARRAY && !pads->json->n;
  if (!pads || (word && empty)) {
    if (tf && mode && w->mode == EXPLICIT)
      return simple_fail(o, WEFT_E_MISSING, ".attrs.explicit_paddings missing");
    return WEFT_OK;
  }
  WEFT_TRY(explicit_pads(o, pads, w->pads));
  bool zero = all_are(w->pads, 4, 0);
  if (!mode && (!mind || !zero)) {
    if (mind)
      return simple_where(pads, o, WEFT_E_INVALID, "padding needs pad_mode 'pad'");
    w->mode = EXPLICIT;
  }
  if (mode && w->mode != EXPLICIT && !zero) {
    return simple_where(pads, o, WEFT_E_INVALID, "%s is '%.40s', which leaves no room for numbers",
                        mode->name, mode->json->s);
  }
  return WEFT_OK;
}

static const weft_shape *window_shape_of(const simple_op *o, size_t i) {  // NULL unless of known rank 4
  const weft_shape *s = i < o->n_in && o->in[i].name ? o->in[i].from->shape : NULL;
  return s && !weft_shape_is_unknown_rank(s) && s->rank == 4 ? s : NULL;
}

// SAME in numbers: total = (out - 1) * stride + span - in with out = ceil(in / stride), the odd element at
// the end. With stride 1 that is span - 1, whatever the input. Left as it is where something is not known.
static weft_status resolve_same(const simple_op *o, window *w) {
  const weft_shape *x = window_shape_of(o, 0);
  int64_t pads[4];
  for (size_t i = 0; i < 2; i++) {
    int64_t in = x ? x->dim[height_axis(o->layout) + i] : -1;
    int64_t stride = w->stride[i];
    int64_t span;
    int64_t total;
    if (w->kernel[i] < 1 || stride < 1 || w->dilation[i] < 1 || (stride > 1 && in < 0))
      return WEFT_OK;
    if (!weft__mul_i64(w->kernel[i] - 1, w->dilation[i], &span) || !weft__add_i64(span, 1, &span)) {
      return simple_fail(o, WEFT_E_OVERFLOW, ": kernel %lld times dilation %lld overflows",
                         (long long)w->kernel[i], (long long)w->dilation[i]);
    }
    if (stride > 1 && !in)
      return WEFT_OK;
    int64_t rest = stride > 1 ? in % stride : 0;
    total = WEFT_MAX(span - (rest ? rest : stride), 0);
    pads[2 * i] = total / 2;
    pads[2 * i + 1] = total - total / 2;
  }
  memcpy(w->pads, pads, sizeof pads);
  w->mode = EXPLICIT;
  return WEFT_OK;
}

// ---- convolution ----
const char *simple_filter_axes(const simple_op *o) {
  const simple_tensor *t = o->in[1].from;
  if (t->says_format && t->format == WEFT_NCHW)
    return "OIHW";
  if (t->says_format && t->format == WEFT_NHWC)
    return "OHWI";
  return o->framework == SIMPLE_TENSORFLOW || (t->says_format && t->format == WEFT_HWCN) ? "HWIO" : "OIHW";
}

static weft_status filter_size(const simple_op *o, window *w, bool given) {
  const weft_shape *f = window_shape_of(o, 1);
  if (!f)
    return WEFT_OK;
  const char *axes = simple_filter_axes(o);
  size_t at = (size_t)(strchr(axes, 'H') - axes);
  for (size_t i = 0; i < 2; i++) {
    if (f->dim[at + i] < 0)
      continue;
    if (given && w->kernel[i] != f->dim[at + i]) {
      return simple_fail(o, WEFT_E_SHAPE,
                         ".attrs: kernel size %lld, and the filter '%.80s' (%s) has %lld in dim %zu",
                         (long long)w->kernel[i], o->in[1].name, axes, (long long)f->dim[at + i], at + i);
    }
    w->kernel[i] = f->dim[at + i];
  }
  return WEFT_OK;
}

static weft_status only_zeros(simple_op *o) {  // PyTorch's padding_mode
  const simple_param *p;
  if (o->framework != SIMPLE_PYTORCH)
    return WEFT_OK;
  WEFT_TRY(simple_take(o, "padding_mode", &p));
  if (!p || (p->json->kind == WEFT_JSON_STRING && !strcmp(p->json->s, "zeros")))
    return WEFT_OK;
  return simple_where(p, o, WEFT_E_UNSUPPORTED, "only 'zeros' is supported, got %.40s",
                      p->json->kind == WEFT_JSON_STRING ? p->json->s : simple_kind(p->json));
}

weft_status simple_conv(simple_op *o) {
  window w = {.kernel = {-1, -1}, .stride = {1, 1}, .dilation = {1, 1}};
  int64_t groups;
  int64_t v[4];
  bool kernel;
  bool given;
  bool nn = o->framework == SIMPLE_MINDSPORE && !strcmp(o->row->name, "Conv2d");
  WEFT_TRY(take_pair(o, "kernel_size ksize kernel", w.kernel, &kernel));
  WEFT_TRY(take_pair(o, "stride strides", w.stride, &given));
  WEFT_TRY(take_pair(o, "dilation dilations dilation_rate", w.dilation, &given));
  WEFT_TRY(simple_take_int(o, "group groups", 1, &groups));
  WEFT_TRY(only_zeros(o));
  WEFT_TRY(read_padding(o, &w, nn ? SAME : VALID));
  WEFT_TRY(filter_size(o, &w, kernel));
  bool strided = !all_are(w.stride, 2, 1);
  if (w.mode == SAME && o->framework == SIMPLE_PYTORCH && strided) {
    return simple_fail(o, WEFT_E_UNSUPPORTED,
                       ".attrs.padding: PyTorch's 'same' needs stride 1, got [%lld,%lld]",
                       (long long)w.stride[0], (long long)w.stride[1]);
  }
  if (w.mode == SAME)
    WEFT_TRY(resolve_same(o, &w));
  if (w.mode == SAME)
    WEFT_TRY(simple_set(o, "pad_mode", weft_attr_str("SAME_UPPER", 10)));
  simple_widen(o->layout, w.stride, v);
  WEFT_TRY(simple_set_ints(o, "strides", v, 4));
  WEFT_TRY(simple_set_ints(o, "pads", w.pads, 4));
  simple_widen(o->layout, w.dilation, v);
  WEFT_TRY(simple_set_ints(o, "dilations", v, 4));
  return simple_set(o, "groups", weft_attr_int(groups));
}

// ---- pooling ----
static weft_status read_pool(simple_op *o, window *w, bool *out_ceil) {
  bool kernel;
  bool stride;
  bool given;
  bool indices;
  bool mind = o->framework == SIMPLE_MINDSPORE;
  *w = (window){.kernel = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}};
  WEFT_TRY(take_pair(o, "kernel_size ksize pool_size kernel", w->kernel, &kernel));
  WEFT_TRY(take_pair(o, "stride strides", w->stride, &stride));
  WEFT_TRY(take_pair(o, "dilation dilations", w->dilation, &given));
  WEFT_TRY(simple_take_bool(o, "ceil_mode", false, out_ceil));
  WEFT_TRY(simple_take_bool(o, "return_indices", false, &indices));
  if (!kernel && o->keras)
    w->kernel[0] = w->kernel[1] = 2;
  else if (!kernel && !mind)
    return simple_fail(o, WEFT_E_MISSING, ".attrs.kernel_size missing");
  if (!stride && !mind) {
    w->stride[0] = w->kernel[0];
    w->stride[1] = w->kernel[1];
  }
  if (indices)
    return simple_fail(o, WEFT_E_UNSUPPORTED, ".attrs.return_indices: only false is supported, got true");
  return read_padding(o, w, VALID);
}

static weft_status set_pool(simple_op *o, const window *w) {
  int64_t v[4];
  simple_widen(o->layout, w->kernel, v);
  WEFT_TRY(simple_set_ints(o, "ksize", v, 4));
  simple_widen(o->layout, w->stride, v);
  return simple_set_ints(o, "strides", v, 4);
}

static weft_status set_text(simple_op *o, const char *name, const char *text) {
  return simple_set(o, name, weft_attr_str(text, strlen(text)));
}

// The attributes that MaxPoolV3 and AvgPoolV2 share.
static weft_status set_pool_v2(simple_op *o, const window *w, bool ceil) {
  bool dilated = !all_are(w->dilation, 2, 1);
  WEFT_TRY(set_pool(o, w));
  WEFT_TRY(set_text(o, "padding_mode",
                    w->mode == SAME             ? "SAME"
                    : w->mode == VALID && !ceil ? "VALID"
                                                : "CALCULATED"));
  if (w->mode == EXPLICIT)
    WEFT_TRY(simple_set_ints(o, "pads", w->pads, 4));
  if (ceil)
    WEFT_TRY(simple_set(o, "ceil_mode", weft_attr_bool(true)));
  int64_t v[4];
  simple_widen(o->layout, w->dilation, v);
  return dilated ? simple_set_ints(o, "dilations", v, 4) : WEFT_OK;
}

// Zero padding is VALID, and MaxPool says SAME and VALID; numbers, dilation and ceil_mode need MaxPoolV3.
static void drop_zero_pads(window *w) {
  if (w->mode == EXPLICIT && !(w->pads[0] || w->pads[1] || w->pads[2] || w->pads[3]))
    w->mode = VALID;
}

weft_status simple_max_pool(simple_op *o) {
  window w;
  bool ceil;
  WEFT_TRY(read_pool(o, &w, &ceil));
  drop_zero_pads(&w);
  if (w.mode != EXPLICIT && !ceil && w.dilation[0] == 1 && w.dilation[1] == 1) {
    WEFT_TRY(set_pool(o, &w));
    return set_text(o, "padding", w.mode == SAME ? "SAME" : "VALID");
  }
  WEFT_TRY(simple_primitive(o, "MaxPoolV3"));
  return set_pool_v2(o, &w, ceil);
}

weft_status simple_avg_pool(simple_op *o) {
  window w;
  bool ceil;
  bool pad_counts;
  bool pad_default = o->framework == SIMPLE_PYTORCH || o->framework == SIMPLE_MINDSPORE;
  int64_t divisor;
  WEFT_TRY(read_pool(o, &w, &ceil));
  WEFT_TRY(simple_take_bool(o, "count_include_pad", pad_default, &pad_counts));
  WEFT_TRY(simple_take_int(o, "divisor_override", 0, &divisor));
  drop_zero_pads(&w);
  WEFT_TRY(set_pool_v2(o, &w, ceil));
  if (divisor)
    WEFT_TRY(simple_set(o, "divisor_override", weft_attr_int(divisor)));
  bool matters = w.mode == EXPLICIT && pad_counts;
  return matters ? simple_set(o, "exclusive", weft_attr_bool(false)) : WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
