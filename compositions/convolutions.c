// compositions/convolutions.c - convolutions of other forms, transposed ones, and gradients: Conv and
// ConvTranspose with the axes in their order around them. Pads are pairs of begin and end. With NCHW and
// NCDHW filters are (out, in, ...); with NHWC and NDHWC (..., in, out); a depthwise filter is (height, width,
// in, multiplier).
#include "compose/compose.h"
#include "op/named.h"

typedef struct conv_plan {
  front_op *o;
  int nd;     // spatial axes
  bool last;  // channels come last
  int64_t stride[3], dilation[3], pad[6], groups;
} conv_plan;

// Spatial entries of a list with one for each axis, or for the spatial axes alone.
static weft_status conv_spatial(weft__composing *c, const conv_plan *p, const char *name, int64_t *out) {
  const weft_attr *a = weft__attr_named(c->desc, name);
  for (int i = 0; i < p->nd; i++)
    out[i] = 1;
  if (!a || !a->n)
    return WEFT_OK;
  bool all = a->n == (size_t)p->nd + 2;
  if (!all && a->n != (size_t)p->nd)
    return front_fail(c->o, WEFT_E_SHAPE, "attribute '%s' has %llu elements, expected %d", name,
                      (unsigned long long)a->n, p->nd + 2);
  for (int i = 0; i < p->nd; i++) {
    out[i] = a->u.ints[all ? i + (p->last ? 1 : 2) : i];
    if (out[i] < 1 || out[i] > INT32_MAX)
      return front_fail(c->o, WEFT_E_RANGE, "attribute '%s': %lld, expected 1 to 2^31 - 1", name,
                        (long long)out[i]);
  }
  return WEFT_OK;
}

static weft_status conv_plan_of(weft__composing *c, int nd, conv_plan *p) {
  const weft_attr *format = weft__attr_named(c->desc, "data_format");
  const weft_attr *pads = weft__attr_named(c->desc, "pads");
  const weft_attr *groups = weft__attr_named(c->desc, "groups");
  const weft_attr *mode = weft__attr_named(c->desc, "pad_mode");
  *p = (conv_plan){.o = c->o, .nd = nd, .groups = groups ? groups->u.i : 1};
  p->last = format && format->n && format->u.s[format->n - 1] == 'C';
  if (mode && (mode->n != 8 || memcmp(mode->u.s, "SPECIFIC", 8)))
    return front_fail(c->o, WEFT_E_UNSUPPORTED,
                      "attribute 'pad_mode': only SPECIFIC is read, with explicit pads");
  WEFT_TRY(conv_spatial(c, p, "strides", p->stride));
  WEFT_TRY(conv_spatial(c, p, "dilations", p->dilation));
  if (pads && pads->n && pads->n != (size_t)(2 * nd))
    return front_fail(c->o, WEFT_E_SHAPE, "attribute 'pads' has %llu elements, expected %d",
                      (unsigned long long)pads->n, 2 * nd);
  for (int i = 0; pads && pads->n && i < nd; i++) {
    p->pad[i] = pads->u.ints[2 * i];
    p->pad[nd + i] = pads->u.ints[2 * i + 1];
    if (p->pad[i] > INT32_MAX || p->pad[nd + i] > INT32_MAX)
      return front_fail(c->o, WEFT_E_RANGE, "attribute 'pads': more than 2^31 - 1");
    if (p->pad[i] < 0 || p->pad[nd + i] < 0)
      return front_fail(c->o, WEFT_E_UNSUPPORTED,
                        "attribute 'pads': negative pads (SAME) are not computed; give numbers");
  }
  return WEFT_OK;
}

// Channels first, and back.
static weft_value *conv_first(const conv_plan *p, weft_value *v, bool back) {
  int64_t order[5] = {0};
  if (!p->last)
    return v;
  for (int i = 1; i < p->nd + 2; i++)
    order[i] = back ? (i == p->nd + 1 ? 1 : i + 1) : i == 1 ? p->nd + 1 : i - 1;
  return front_permuted(p->o, v, order, (size_t)p->nd + 2);
}
// (..., in, out) as (out, in, ...), and back.
static weft_value *conv_filter(const conv_plan *p, weft_value *w, bool back) {
  int64_t order[5];
  if (!p->last)
    return w;
  for (int i = 0; i < p->nd + 2; i++)
    order[i] = back ? (i < p->nd ? i + 2 : p->nd + 1 - i) : i < 2 ? p->nd + 1 - i : i - 2;
  return front_permuted(p->o, w, order, (size_t)p->nd + 2);
}

static void conv_set(const conv_plan *p, const int64_t *stride, const int64_t *dilation, int64_t groups) {
  front_set_ints(p->o, "strides", stride, (size_t)p->nd);
  front_set_ints(p->o, "dilations", dilation, (size_t)p->nd);
  front_set_ints(p->o, "pads", p->pad, (size_t)(2 * p->nd));
  front_set_int(p->o, "group", groups);
}

static weft_value *conv_wide(weft__composing *c, weft_value *v) {  // products of bytes are not Conv's
  return v && weft_dtype_is_integer(v->fact.dtype)
             ? front_none(c->o, WEFT_E_DTYPE, "only floats are computed here, not %s",
                          weft_dtype_serial(v->fact.dtype))
             : v;
}

// ---- forward ----
static weft_status conv_3d_build(weft__composing *c) {
  conv_plan p;
  WEFT_TRY(conv_plan_of(c, 3, &p));
  weft_value *x = conv_first(&p, conv_wide(c, weft__composed(c, "x")), false);
  weft_value *w = conv_filter(&p, weft__composed(c, "filter"), false);
  conv_set(&p, p.stride, p.dilation, p.groups);
  weft_value *y = front_do(c->o, "Conv", x, w, weft__composed(c, "bias"));
  weft__compose_name(c, "y", conv_first(&p, y, true));
  return c->o->failed;
}

// ---- transposed ----
// What is missing behind the last window for the output to have `size`.
static weft_status conv_output_padding(weft__composing *c, const conv_plan *p, weft_value *x, weft_value *w,
                                       const int64_t *size, int64_t *out) {
  for (int i = 0; i < p->nd; i++) {
    weft_dim in = front_dim(x, 2 + i);
    weft_dim k = front_dim(w, 2 + i);
    if (in < 0 || k < 0)
      return front_fail(c->o, WEFT_E_UNKNOWN, "the sizes are not known");
    if (in > INT32_MAX || k > INT32_MAX || size[i] < 0 || size[i] > INT32_MAX)
      return front_fail(c->o, WEFT_E_LIMIT, "axis %d: more than 2^31 - 1 elements", i);
    out[i] =
        size[i] - ((in - 1) * p->stride[i] + (k - 1) * p->dilation[i] + 1 - p->pad[i] - p->pad[p->nd + i]);
    if (out[i] < 0 || out[i] >= WEFT_MAX(p->stride[i], p->dilation[i]))
      return front_fail(c->o, WEFT_E_SHAPE, "axis %d: an input of size %lld does not make this output", i,
                        (long long)size[i]);
  }
  return WEFT_OK;
}

// The spatial part of input_size, an attribute or a known input.
static weft_status conv_size(weft__composing *c, const conv_plan *p, int64_t *out) {
  const weft_attr *a = weft__attr_named(c->desc, "input_size");
  int64_t all[5];
  size_t n;
  if (a) {
    n = a->n;
    memcpy(all, a->u.ints, WEFT_MIN(n, 5) * sizeof *all);
  } else if (!front_known_ints(weft__composed(c, "input_size"), all, 5, &n))
    return front_fail(c->o, WEFT_E_UNKNOWN, "input 'input_size' is not known");
  if (n != (size_t)p->nd + 2)
    return front_fail(c->o, WEFT_E_SHAPE, "'input_size' has %zu elements, expected %d", n, p->nd + 2);
  memcpy(out, all + (p->last ? 1 : 2), (size_t)p->nd * sizeof *out);
  return WEFT_OK;
}

static weft_status conv_transposed(weft__composing *c, int nd, const char *in, const char *out) {
  conv_plan p;
  int64_t size[3];
  int64_t more[3];
  WEFT_TRY(conv_plan_of(c, nd, &p));
  WEFT_TRY(conv_size(c, &p, size));
  weft_value *x = conv_first(&p, conv_wide(c, weft__composed(c, in)), false);
  weft_value *w = conv_filter(&p, weft__composed(c, "filter"), false);
  WEFT_TRY(conv_output_padding(c, &p, x, w, size, more));
  conv_set(&p, p.stride, p.dilation, p.groups);
  front_set_ints(c->o, "output_padding", more, (size_t)nd);
  weft_value *y = front_do(c->o, "ConvTranspose", x, w, weft__composed(c, "bias"));
  weft__compose_name(c, out, conv_first(&p, y, true));
  return c->o->failed;
}
static weft_status conv_2d_transpose_build(weft__composing *c) {
  return conv_transposed(c, 2, "x", "y");
}
static weft_status conv_3d_transpose_build(weft__composing *c) {
  return conv_transposed(c, 3, "x", "y");
}
static weft_status conv_2d_input_build(weft__composing *c) {
  return conv_transposed(c, 2, "out_backprop", "y");
}
static weft_status conv_3d_input_build(weft__composing *c) {
  return conv_transposed(c, 3, "out_backprop", "y");
}
static weft_status deconvolution_build(weft__composing *c) {
  conv_plan p;
  WEFT_TRY(conv_plan_of(c, 2, &p));
  weft_value *x = conv_first(&p, conv_wide(c, weft__composed(c, "x")), false);
  conv_set(&p, p.stride, p.dilation, p.groups);
  weft_value *y = front_do(c->o, "ConvTranspose", x, conv_filter(&p, weft__composed(c, "filter"), false),
                           weft__composed(c, "bias"));
  weft__compose_name(c, "y", conv_first(&p, y, true));
  return c->o->failed;
}

// ---- with respect to the filter: a convolution whose windows are the gradients, with batches for channels
// ---- x: (batch, groups in each, ...), g: (batch, groups out each, ...); gives (groups out each, in each,
// kernel...).
static weft_value *conv_filter_gradient(weft__composing *c, const conv_plan *p, weft_value *x, weft_value *g,
                                        const int64_t *kernel) {
  front_op *o = c->o;
  int64_t split[6] = {0, p->groups, 0, 0, 0, 0};
  int64_t join[5] = {0};
  int64_t swap[5] = {1, 0, 2, 3, 4};
  int64_t order[6] = {2, 1, 0, 3, 4, 5};
  for (int i = 0; i < p->nd + 2 && !o->failed; i++) {
    if (front_dim(x, i) < 0)
      return front_none(o, WEFT_E_UNKNOWN, "the sizes are not known");
    if (front_dim(x, i) > INT32_MAX)
      return front_none(o, WEFT_E_LIMIT, "axis %d: more than 2^31 - 1 elements", i);
  }
  if (o->failed || p->groups < 1 || p->groups > INT32_MAX || front_dim(x, 1) % p->groups)
    return front_none(o, WEFT_E_SHAPE, "%lld groups of %lld channels", (long long)p->groups,
                      (long long)front_dim(x, 1));
  split[0] = front_dim(x, 0);
  split[2] = front_dim(x, 1) / p->groups;
  join[0] = split[2];
  join[1] = p->groups * split[0];
  for (int i = 0; i < p->nd; i++)
    split[3 + i] = join[2 + i] = front_dim(x, 2 + i);
  x = front_reshaped(
      o, front_permuted(o, front_reshaped(o, x, split, (size_t)p->nd + 3), order, (size_t)p->nd + 3), join,
      (size_t)p->nd + 2);
  g = front_permuted(o, g, swap, (size_t)p->nd + 2);
  conv_set(p, p->dilation, p->stride, p->groups);
  weft_value *y = front_permuted(o, front_do(o, "Conv", x, g, NULL), swap, (size_t)p->nd + 2);
  for (int i = 0; i < p->nd; i++) {  // windows that the strides left out
    y = front_part(o, y, 2 + i, 0, kernel[i]);
  }
  return y;
}

static weft_status conv_filter_size(weft__composing *c, const conv_plan *p, int64_t *out) {
  const weft_attr *a = weft__attr_named(c->desc, "filter_size");
  int64_t all[5];
  size_t n;
  if (a) {
    n = a->n;
    memcpy(all, a->u.ints, WEFT_MIN(n, 5) * sizeof *all);
  } else if (!front_known_ints(weft__composed(c, "filter_size"), all, 5, &n))
    return front_fail(c->o, WEFT_E_UNKNOWN, "input 'filter_size' is not known");
  if (n != (size_t)p->nd + 2)
    return front_fail(c->o, WEFT_E_SHAPE, "'filter_size' has %zu elements, expected %d", n, p->nd + 2);
  memcpy(out, all + (p->last ? 0 : 2), (size_t)p->nd * sizeof *out);
  return WEFT_OK;
}

static weft_status conv_filter_build(weft__composing *c, int nd) {
  conv_plan p;
  int64_t kernel[3];
  WEFT_TRY(conv_plan_of(c, nd, &p));
  WEFT_TRY(conv_filter_size(c, &p, kernel));
  weft_value *x = conv_wide(c, conv_first(&p, weft__composed(c, "x"), false));
  weft_value *g = conv_first(&p, weft__composed(c, "out_backprop"), false);
  weft__compose_name(c, "y", conv_filter(&p, conv_filter_gradient(c, &p, x, g, kernel), true));
  return c->o->failed;
}
static weft_status conv_2d_filter_build(weft__composing *c) {
  return conv_filter_build(c, 2);
}
static weft_status conv_3d_filter_build(weft__composing *c) {
  return conv_filter_build(c, 3);
}

// ---- depthwise ----
// (height, width, in, multiplier) as (in multiplier, 1, height, width)
static weft_value *depthwise_filter(const conv_plan *p, weft_value *w) {
  static const int64_t order[4] = {2, 3, 0, 1};
  bool known = true;
  for (int i = 0; i < 4; i++)
    known &= front_dim(w, i) >= 0 && front_dim(w, i) <= INT32_MAX;
  if (p->o->failed)
    return NULL;
  if (!known || front_rank(w) != 4)
    return front_none(p->o, front_rank(w) == 4 || front_rank(w) < 0 ? WEFT_E_UNKNOWN : WEFT_E_SHAPE,
                      "the filter's four sizes are not known");
  const int64_t dims[4] = {front_dim(w, 2) * front_dim(w, 3), 1, front_dim(w, 0), front_dim(w, 1)};
  return front_reshaped(p->o, front_permuted(p->o, w, order, 4), dims, 4);
}
static weft_status depthwise_plan(weft__composing *c, weft_value *w, conv_plan *p) {
  WEFT_TRY(conv_plan_of(c, 2, p));
  if (!p->last)
    return front_fail(c->o, WEFT_E_UNSUPPORTED, "attribute 'data_format': only NHWC is computed");
  p->groups = w ? front_dim(w, 2) : 0;
  return WEFT_OK;
}
static weft_status depthwise_build(weft__composing *c) {
  conv_plan p;
  weft_value *w = weft__composed(c, "filter");
  WEFT_TRY(depthwise_plan(c, w, &p));
  weft_value *x = conv_first(&p, conv_wide(c, weft__composed(c, "x")), false);
  w = depthwise_filter(&p, w);
  conv_set(&p, p.stride, p.dilation, p.groups);
  weft__compose_name(c, "y", conv_first(&p, front_do(c->o, "Conv", x, w, weft__composed(c, "bias")), true));
  return c->o->failed;
}
static weft_status depthwise_input_build(weft__composing *c) {
  conv_plan p;
  int64_t size[3];
  int64_t more[3];
  weft_value *w = weft__composed(c, "filter");
  WEFT_TRY(depthwise_plan(c, w, &p));
  WEFT_TRY(conv_size(c, &p, size));
  weft_value *g = conv_first(&p, weft__composed(c, "out_backprop"), false);
  w = depthwise_filter(&p, w);
  WEFT_TRY(conv_output_padding(c, &p, g, w, size, more));
  conv_set(&p, p.stride, p.dilation, p.groups);
  front_set_ints(c->o, "output_padding", more, 2);
  weft__compose_name(c, "input_grad", conv_first(&p, front_do(c->o, "ConvTranspose", g, w, NULL), true));
  return c->o->failed;
}
static weft_status depthwise_filter_build(weft__composing *c) {
  static const int64_t back[4] = {2, 3, 0, 1};
  conv_plan p;
  int64_t kernel[3];
  weft_value *x = weft__composed(c, "input");
  WEFT_TRY(depthwise_plan(c, NULL, &p));
  WEFT_TRY(conv_filter_size(c, &p, kernel));
  x = conv_first(&p, x, false);
  weft_value *g = conv_first(&p, weft__composed(c, "out_backprop"), false);
  p.groups = front_dim(x, 1);
  if (!c->o->failed && (p.groups < 1 || front_dim(g, 1) < 0))
    return front_fail(c->o, WEFT_E_UNKNOWN, "the channels are not known");
  weft_value *y = conv_filter_gradient(c, &p, x, g, kernel);
  const int64_t dims[4] = {p.groups, front_dim(g, 1) / WEFT_MAX(p.groups, 1), kernel[0], kernel[1]};
  weft__compose_name(c, "filter_grad", front_permuted(c->o, front_reshaped(c->o, y, dims, 4), back, 4));
  return c->o->failed;
}

#define BY(name, says, function, ...) COMPOSED_WIDE_BY(name, says, function, __VA_ARGS__)
#define READS(op_name, says, reads, function, ...)                                            \
  {                                                                                           \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer, \
    .ref = weft__composed_ref, .values = reads, .like = "out_backprop",                       \
    .user = (&(const weft__composition){.build = function, .wide = true}),                    \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                    \
  }
#define LIKE_X(op_name, says, reads, function, ...)                                           \
  {                                                                                           \
    .name = op_name, .summary = says, .traits = WEFT_SYMBOLIC, .infer = weft__composed_infer, \
    .ref = weft__composed_ref, .values = reads, .like = "filter",                             \
    .user = (&(const weft__composition){.build = function, .wide = true}),                    \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                    \
  }

WEFT_ROWS(convolutions) = {
    BY("Conv3D", "a convolution over three axes", conv_3d_build,
       "f32[1,1,1,1,2]{1,2}, f32[1,1,1,1,1]{3} strides=[1,1,1,1,1] pads=[0,0,0,0,0,0] data_format=\"NCDHW\" "
       "-> f32[1,1,1,1,2]{3,6}"),
    BY("Conv3DV2", "a convolution over three axes", conv_3d_build,
       "f32[1,1,1,1,2]{1,2}, f32[1,1,1,1,1]{3} strides=[1,1,1,1,1] -> f32[1,1,1,1,2]{3,6}"),
    LIKE_X("Conv2DTranspose", "a transposed convolution", "input_size", conv_2d_transpose_build,
           "i32[4]{1,1,1,3}, f16[1,1,1,2]{1,2}, f16[1,1,1,2]{1,1} strides=[1,1,1,1] pads=[0,0,0,0] "
           "data_format=\"NCHW\" -> f16[1,1,1,3]{1,3,2}"),
    LIKE_X("Conv2DTransposeD", "a transposed convolution", NULL, conv_2d_transpose_build,
           "f32[1,1,1,2]{1,2}, f32[1,1,1,2]{1,1} input_size=[1,1,1,3] strides=[1,1,1,1] pads=[0,0,0,0] "
           "data_format=\"NCHW\" -> f32[1,1,1,3]{1,3,2}"),
    LIKE_X("Conv3DTranspose", "a transposed convolution over three axes", "input_size",
           conv_3d_transpose_build,
           "i32[5]{1,1,1,1,3}, f16[1,1,1,1,2]{1,2}, f16[1,1,1,1,2]{1,1} strides=[1,1,1,1,1] "
           "pads=[0,0,0,0,0,0] data_format=\"NCDHW\" -> f16[1,1,1,1,3]{1,3,2}"),
    LIKE_X("Conv3DTransposeV2", "a transposed convolution over three axes", "input_size",
           conv_3d_transpose_build,
           "i32[5]{1,1,1,1,3}, f16[1,1,1,1,2]{1,2}, f16[1,1,1,1,2]{1,1} strides=[1,1,1,1,1] "
           "pads=[0,0,0,0,0,0] data_format=\"NCDHW\" -> f16[1,1,1,1,3]{1,3,2}"),
    LIKE_X("Conv2DBackpropInput", "the gradient of a convolution with respect to its input", "input_size",
           conv_2d_input_build,
           "i32[4]{1,1,1,3}, f32[1,1,1,2]{1,1}, f32[1,1,1,2]{1,2} strides=[1,1,1,1] pads=[0,0,0,0] "
           "data_format=\"NCHW\" -> f32[1,1,1,3]{1,3,2}"),
    LIKE_X("Conv2DBackpropInputD", "the gradient of a convolution with respect to its input", NULL,
           conv_2d_input_build,
           "f16[1,1,1,2]{1,1}, f16[1,1,1,2]{1,2} input_size=[1,1,1,3] strides=[1,1,1,1] pads=[0,0,0,0] "
           "data_format=\"NCHW\" -> f16[1,1,1,3]{1,3,2}"),
    LIKE_X("Conv3DBackpropInput", "the gradient of a convolution with respect to its input", "input_size",
           conv_3d_input_build,
           "i32[5]{1,1,1,1,3}, f32[1,1,1,1,2]{1,1}, f32[1,1,1,1,2]{1,2} strides=[1,1,1,1,1] "
           "pads=[0,0,0,0,0,0] data_format=\"NCDHW\" -> f32[1,1,1,1,3]{1,3,2}"),
    LIKE_X("Conv3DBackpropInputV2", "the gradient of a convolution with respect to its input", "input_size",
           conv_3d_input_build,
           "i32[5]{1,1,1,1,3}, f32[1,1,1,1,2]{1,1}, f32[1,1,1,1,2]{1,2} strides=[1,1,1,1,1] "
           "pads=[0,0,0,0,0,0] data_format=\"NCDHW\" -> f32[1,1,1,1,3]{1,3,2}"),
    LIKE_X("Conv3DBackpropInputD", "the gradient of a convolution with respect to its input", NULL,
           conv_3d_input_build,
           "f16[1,1,1,1,2]{1,1}, f16[1,1,1,1,2]{1,2} input_size=[1,1,1,1,3] strides=[1,1,1,1,1] "
           "pads=[0,0,0,0,0,0] data_format=\"NCDHW\" -> f16[1,1,1,1,3]{1,3,2}"),
    READS("Conv2DBackpropFilter", "the gradient of a convolution with respect to its filter", "filter_size",
          conv_2d_filter_build,
          "f32[1,1,1,3]{1,2,3}, i32[4]{1,1,1,2}, f32[1,1,1,2]{1,1} strides=[1,1,1,1] pads=[0,0,0,0] "
          "data_format=\"NCHW\" -> f32[1,1,1,2]{3,5}"),
    READS("Conv2DBackpropFilterD", "the gradient of a convolution with respect to its filter", NULL,
          conv_2d_filter_build,
          "f16[1,1,1,3]{1,2,3}, f16[1,1,1,2]{1,1} filter_size=[1,1,1,2] strides=[1,1,1,1] pads=[0,0,0,0] "
          "data_format=\"NCHW\" -> f32[1,1,1,2]{3,5}"),
    READS("Conv3DBackpropFilterD", "the gradient of a convolution with respect to its filter", NULL,
          conv_3d_filter_build,
          "f16[1,1,1,1,3]{1,2,3}, f16[1,1,1,1,2]{1,1} filter_size=[1,1,1,1,2] strides=[1,1,1,1,1] "
          "pads=[0,0,0,0,0,0] data_format=\"NCDHW\" -> f32[1,1,1,1,2]{3,5}"),
    LIKE_X("Conv3DTransposeD", "a transposed convolution over three axes", NULL, conv_3d_transpose_build,
           "f16[1,1,1,1,2]{1,2}, f16[1,1,1,1,2]{1,1} input_size=[1,1,1,1,3] strides=[1,1,1,1,1] "
           "pads=[0,0,0,0,0,0] data_format=\"NCDHW\" -> f16[1,1,1,1,3]{1,3,2}"),
    READS("Conv3DBackpropFilter", "the gradient of a convolution with respect to its filter", "filter_size",
          conv_3d_filter_build,
          "f32[1,1,1,1,3]{1,2,3}, i32[5]{1,1,1,1,2}, f32[1,1,1,1,2]{1,1} strides=[1,1,1,1,1] "
          "pads=[0,0,0,0,0,0] data_format=\"NCDHW\" -> f32[1,1,1,1,2]{3,5}"),
    READS("Conv3DBackpropFilterV2", "the gradient of a convolution with respect to its filter", "filter_size",
          conv_3d_filter_build,
          "f32[1,1,1,1,3]{1,2,3}, i32[5]{1,1,1,1,2}, f32[1,1,1,1,2]{1,1} strides=[1,1,1,1,1] "
          "pads=[0,0,0,0,0,0] data_format=\"NCDHW\" -> f32[1,1,1,1,2]{3,5}"),
    BY("Deconvolution", "Caffe's transposed convolution", deconvolution_build,
       "f16[1,1,1,2]{1,2}, f16[1,1,1,2]{1,1} -> f16[1,1,1,3]{1,3,2}"),
    LIKE_X("DepthwiseConv2D", "each channel by filters of its own", NULL, depthwise_build,
           "f16[1,1,2,1]{1,2}, f16[1,1,1,2]{3,4} strides=[1,1,1,1] pads=[0,0,0,0] -> f16[1,1,2,2]{3,4,6,8}"),
    LIKE_X("DepthwiseConv2DBackpropInput",
           "the gradient of a depthwise convolution with respect to its input", "input_size",
           depthwise_input_build,
           "i32[4]{1,1,2,1}, f16[1,1,1,1]{3}, f16[1,1,2,1]{1,2} strides=[1,1,1,1] pads=[0,0,0,0] -> "
           "f16[1,1,2,1]{3,6}"),
    LIKE_X("DepthwiseConv2DBackpropInputD",
           "the gradient of a depthwise convolution with respect to its input", NULL, depthwise_input_build,
           "f16[1,1,1,1]{3}, f16[1,1,2,1]{1,2} input_size=[1,1,2,1] strides=[1,1,1,1] pads=[0,0,0,0] -> "
           "f16[1,1,2,1]{3,6}"),
    READS("DepthwiseConv2DBackpropFilter",
          "the gradient of a depthwise convolution with respect to its filter", "filter_size",
          depthwise_filter_build,
          "f16[1,1,2,1]{1,2}, i32[4]{1,1,1,1}, f16[1,1,2,1]{3,4} strides=[1,1,1,1] pads=[0,0,0,0] -> "
          "f32[1,1,1,1]{11}"),
    READS("DepthwiseConv2DBackpropFilterD",
          "the gradient of a depthwise convolution with respect to its filter", NULL, depthwise_filter_build,
          "f16[1,1,2,1]{1,2}, f16[1,1,2,1]{3,4} filter_size=[1,1,1,1] strides=[1,1,1,1] pads=[0,0,0,0] -> "
          "f32[1,1,1,1]{11}"),
    {0},
};
// SPDX-License-Identifier: Apache-2.0
