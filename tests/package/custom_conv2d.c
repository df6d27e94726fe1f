// custom_conv2d.c - CustomConv2d of the article: input [N,C,H,W], weight [K,C/group,R,S] (R30, R65-R67).
// The corrected rule: both sides of the padding, dilation and group count. pad is [top,bottom,left,right].
#include "documents.h"

enum { STRIDE, PAD, DILATION, GROUP };

// Output size of one spatial axis; -1 when a size is unknown, or a failure when nothing is left.
static weft_status spatial(const weft_infer *it, const char *what, weft_dim size, weft_dim kernel,
                           size_t axis, weft_dim *out) {
  weft_ints stride = weft_node_ints(it->desc, STRIDE);
  weft_ints pad = weft_node_ints(it->desc, PAD);
  weft_ints dilation = weft_node_ints(it->desc, DILATION);
  *out = -1;
  if (size < 0 || kernel < 0)
    return WEFT_OK;
  int64_t limit = INT64_C(1) << 31;
  int64_t before = pad.v[2 * axis];
  int64_t after = pad.v[2 * axis + 1];
  if (size > limit || kernel > limit || kernel < 1 || before > limit || after > limit ||
      dilation.v[axis] > limit) {
    return it->host->fail(it->d, WEFT_E_RANGE, "%s: size %lld, kernel %lld, pads %lld and %lld", what,
                          (long long)size, (long long)kernel, (long long)before, (long long)after);
  }
  int64_t field = dilation.v[axis] * (kernel - 1) + 1;
  int64_t room = size + before + after - field;
  if (room < 0) {
    return it->host->fail(it->d, WEFT_E_SHAPE,
                          "%s: the kernel covers %lld, the padded input has %lld: no output", what,
                          (long long)field, (long long)(size + before + after));
  }
  *out = room / stride.v[axis] + 1;
  return WEFT_OK;
}

static weft_status check_channels(const weft_infer *it, weft_dim c, weft_dim wc, weft_dim k) {
  int64_t group = weft_node_int(it->desc, GROUP);
  if (c >= 0 && wc >= 0 && (c % group || c / group != wc)) {
    return it->host->fail(it->d, WEFT_E_SHAPE, "input has %lld channels, weight takes %lld in %lld groups",
                          (long long)c, (long long)wc, (long long)group);
  }
  if (k >= 0 && k % group) {
    return it->host->fail(it->d, WEFT_E_SHAPE, "%lld output channels do not divide into %lld groups",
                          (long long)k, (long long)group);
  }
  return WEFT_OK;
}

static weft_status infer(weft_infer *it) {
  weft_dim x[4] = {-1, -1, -1, -1};
  weft_dim w[4] = {-1, -1, -1, -1};
  weft_dim y[4];
  for (uint32_t i = 0; i < 2; i++) {
    const weft_shape *s = it->in[i];
    if (weft_unknown_rank(s))
      continue;
    if (s->rank != 4) {
      return it->host->fail(it->d, WEFT_E_SHAPE, "input '%s': Expected 4D input, got %zuD",
                            i ? "weight" : "input", s->rank);
    }
    memcpy(i ? w : x, s->dim, sizeof x);
  }
  WEFT_TRY(check_channels(it, x[1], w[1], w[0]));
  y[0] = x[0];
  y[1] = w[0];
  WEFT_TRY(spatial(it, "height", x[2], w[2], 0, &y[2]));
  WEFT_TRY(spatial(it, "width", x[3], w[3], 1, &y[3]));
  return weft_set_out_shape(it, 0, y, 4);
}

typedef struct conv {
  const weft_tensor *x, *w;
  int64_t stride[2], pad[2], dilation[2], per_group, outputs_per_group;
} conv;

static float point(const conv *v, int64_t n, int64_t k, int64_t oy, int64_t ox) {
  const weft_dim *x = v->x->layout.origin.dim;
  const weft_dim *w = v->w->layout.origin.dim;
  double sum = 0;
  for (int64_t c = 0; c < v->per_group; c++) {
    for (int64_t r = 0; r < w[2]; r++) {
      for (int64_t s = 0; s < w[3]; s++) {
        int64_t iy = oy * v->stride[0] - v->pad[0] + r * v->dilation[0];
        int64_t ix = ox * v->stride[1] - v->pad[1] + s * v->dilation[1];
        if (iy < 0 || ix < 0 || iy >= x[2] || ix >= x[3])
          continue;
        int64_t channel = k / v->outputs_per_group * v->per_group + c;
        sum +=
            (double)documents_load(v->x->dtype, v->x->data,
                                   (size_t)(((n * x[1] + channel) * x[2] + iy) * x[3] + ix)) *
            (double)documents_load(v->w->dtype, v->w->data, (size_t)(((k * w[1] + c) * w[2] + r) * w[3] + s));
      }
    }
  }
  return (float)sum;
}

static weft_status ref(const weft_call *c) {
  weft_ints stride = weft_node_ints(c->desc, STRIDE);
  weft_ints pad = weft_node_ints(c->desc, PAD);
  weft_ints dilation = weft_node_ints(c->desc, DILATION);
  conv v = {
      c->in[0], c->in[1], {stride.v[0], stride.v[1]}, {pad.v[0], pad.v[2]}, {dilation.v[0], dilation.v[1]},
      0,        0};
  const weft_dim *y = c->out[0]->layout.origin.dim;
  v.per_group = v.w->layout.origin.dim[1];
  v.outputs_per_group = y[1] / weft_node_int(c->desc, GROUP);
  size_t at = 0;
  for (int64_t n = 0; n < y[0]; n++) {
    for (int64_t k = 0; k < y[1]; k++) {
      for (int64_t oy = 0; oy < y[2]; oy++) {
        for (int64_t ox = 0; ox < y[3]; ox++)
          documents_store(c->out[0]->dtype, c->out[0]->data, at++, point(&v, n, k, oy, ox));
      }
    }
  }
  return WEFT_OK;
}

static const weft_column columns[] = {{WEFT_FLOAT16, WEFT_ND}, {WEFT_FLOAT, WEFT_ND}};

const weft_op documents_custom_conv2d = {
    WEFT_OP_HEAD,
    .name = "CustomConv2d",
    .summary = "2-D convolution",
    .in = WEFT_PORTS({"input", .columns = columns}, {"weight", .columns = columns}),
    .out = WEFT_PORTS({"output", .columns = columns}),
    .attrs =
        WEFT_ATTRS({"stride", "ListInt", "[1,1]", "count 2;each min 1"},
                   {"pad", "ListInt", "[0,0,0,0]", "count 4;each min 0"},
                   {"dilation", "ListInt", "[1,1]", "count 2;each min 1"}, {"group", "Int", "1", "min 1"}),
    .n_columns = 2,
    .infer = infer,
    .ref = ref,
    .examples = WEFT_NAMES(
        "f32[1,3,224,224], f32[64,3,3,3] stride=[2,2] pad=[1,1,1,1] -> f32[1,64,112,112]",  // R65
        "f32[1,3,224,224], f32[64,3,3,3] pad=[1,1,1,1] -> f32[1,64,224,224]",
        "f32[1,3,224,224], f32[64,3,3,3] dilation=[2,2] pad=[1,1,1,1] -> f32[1,64,222,222]",
        "f32[1,1,8,8], f32[1,1,3,3] pad=[0,1,2,3] -> f32[1,1,7,11]",
        "f32[1,3,8,8], f32[4,4,3,3] !! E_SHAPE input has 3 channels, weight takes 4",  // R66
        "f32[1,3,8,8], f32[4,3,3,3] stride=[0,1] !! E_RANGE stride values must be >= 1, got 0",
        "f32[1,1,1,8], f32[1,1,3,3] !! E_SHAPE height: the kernel covers 3, the padded input has 1",
        "f32[0,3,8,8], f32[4,3,3,3] -> f32[0,4,6,6]",
        "f32[3,8,8], f32[4,3,3,3] !! E_SHAPE Expected 4D input, got 3D",
        "f32[1,4,2,2], f32[4,2,1,1] group=2 -> f32[1,4,2,2]",
        "f32[1,4,2,2], f32[3,2,1,1] group=2 !! E_SHAPE 2 groups",
        "f32[-1,3,-1,224], f32[64,3,3,3] stride=[2,2] pad=[1,1,1,1] -> f32[-1,64,-1,112]",  // R67
        "f32[?], f32[64,3,3,3] -> f32[-1,64,-1,-1]",
        "f32[1,1,3,3]{1,2,3,4,5,6,7,8,9}, f32[1,1,2,2]{1,0,0,1} -> f32[1,1,2,2]{6,8,12,14}",
        "f16[1,2,1,2]{1,2,3,4}, f16[2,1,1,1]{10,100} group=2 -> f16[1,2,1,2]{10,20,300,400}",
        "f32[1,1,2,2]{1,2,3,4}, f32[1,1,1,1]{2} pad=[1,0,0,1] -> f32[1,1,3,3]{0,0,0,2,4,0,6,8,0}",
        "f32[1,3,8,8], f32[4,3,3,3] group=0 !! E_RANGE group must >= 1, got 0",             // R206
        "f32[1,3,8,8], f32[4,3,3,3] pad=[0,0,0] !! E_RANGE pad must have 4 values, got 3",  // R207
        "f32[1,3,8,8], f32[4,3,3,3] pad=[0,-1,0,0] !! E_RANGE pad values must be non-negative, got -1",
        "f32[1,3,8,8], f32[4,3,3,3] dilation=[0,1] !! E_RANGE dilation values must be >= 1, got 0",  // R211
        "f16[1,3,8,8], f32[4,3,3,3] !! E_DTYPE input 'weight': got DT_FLOAT"),
};
// SPDX-License-Identifier: Apache-2.0
