// fold_quantised.c - operators between a DequantizeLinear and a QuantizeLinear run on the bytes themselves.
//
// Products: Conv, Conv2D (NCHW), MatMulV2, BatchMatMulV2 and GEMM of a dequantised x (one scale) and
// dequantised constant weights (one scale, or one for each output channel), with a bias (of matrix products
// also as an Add of a constant), a Relu or a clip to constants behind them, become ConvInteger and
// MatMulInteger with scale x_scale * w_scale / y_scale.
//   Not exact. The integer sum is exact and is scaled and rounded in float; the float operators round each
//   operand, the sum, what follows it and the quotient. Both then round halves to even, so that only a
//   quotient close to a tie may go the other way: the results differ by at most one step of y. The pass
//   proves it: with S the largest sum of |x - x_zero| |w - w_zero| and |bias| that a channel can have, in
//   sums, the two numbers before rounding are at most 13 * 2^-24 * S * scale apart (sums in double, as the
//   reference kernel's: four roundings here, five there, each within 2^-24; two more where the scale of the
//   bias is that of the sums but for its last bit; and room for what they do together), and 1/2 * scale more
//   where a bias that is no dequantised int32 is rounded to a sum. Where that is a step or more, the product
//   is left. The result does not depend on threads or instruction sets.
// Moves: MaxPoolV3, Reshape and its like, Transpose and ConcatV2 between equal scales and zero points run on
// bytes; a QuantizeLinear of what was dequantised with its own parameters goes away. Exact: these parameters
// make a byte a number and back without a change, and numbers have the order of their bytes.
//
// Scales and zero points must be constant, and what lies between is read by nobody else and is no output.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "quantised.h"
#include "base/allocated.h"
#include "nn/mat_mul.rule.h"
#include "quant.rule.h"

enum { CHAIN = 4, JOINED = 16 };  // activations behind a product; inputs of a move

static bool fold_quantised_is_byte(weft_dtype t) {
  return t == WEFT_INT8 || t == WEFT_UINT8;
}

// The least number that the bytes hold.
static int32_t lowest(weft_dtype t) {
  return t == WEFT_INT8 ? -128 : 0;
}

// A constant of this dtype with data, or what inference made of some (exporters hand equal biases on by
// Identity): in the next round what is behind a DequantizeLinear would be floats already.
static const weft_tensor *fold_quantised_constant(const weft_value *v, weft_dtype t) {
  const weft_tensor *k = v ? weft__known(v) : NULL;
  return k && k->dtype == t && k->format == k->origin_format ? k : NULL;
}

static bool read_scales(const weft__quantised *q) {
  for (size_t i = 0; i < q->n; i++) {
    float s = (float)weft_load_f64(WEFT_FLOAT, q->scales->data, i);  // as it lies in the file
    if (!(s >= FLT_MIN && s <= FLT_MAX / 512))
      return false;
  }
  return true;
}

bool weft__quantised_read(const weft_pass_run *r, weft_node *n, int kind, weft__quantised *q) {
  if (!n || weft__kind(r, n) != kind || !n->out[0].fact.set)
    return false;
  weft_value *x = weft__arg(n, 0);
  weft_value *y = &n->out[0];
  bool to = kind == WEFT_K_QUANTIZE_LINEAR;
  *q = (weft__quantised){.node = n, .bytes = to ? y : x, .number = to ? x : y};
  q->zero = weft__port_arg(n, 2);
  q->dtype = q->bytes->fact.dtype;
  if (!fold_quantised_is_byte(q->dtype) || q->number->fact.dtype != WEFT_FLOAT ||
      weft_node_int(&n->desc.pub, WEFT_QUANT_BLOCK_SIZE))
    return false;
  if (to && weft_node_int(&n->desc.pub, WEFT_QUANT_PRECISION) != WEFT_QUANT_NO_DTYPE)
    return false;
  q->scales = fold_quantised_constant(weft__arg(n, 1), WEFT_FLOAT);
  q->zeros = q->zero ? fold_quantised_constant(q->zero, q->dtype) : NULL;
  if (!q->scales || (q->zero && !q->zeros) || q->scales->layout.origin.rank > 1)
    return false;
  q->n = (size_t)weft_tensor_elems(q->scales);
  if (!q->n || (q->zeros && (size_t)weft_tensor_elems(q->zeros) != q->n))
    return false;
  q->axis = weft_node_int(&n->desc.pub, WEFT_QUANT_AXIS);
  if (q->n != 1 && q->axis < 0)
    q->axis += x->fact.unknown_rank ? 0 : (int64_t)x->fact.rank;
  return read_scales(q) && (q->n == 1 || q->axis >= 0);
}

bool weft__quantised_equal(const weft__quantised *a, const weft__quantised *b) {
  return a->n == 1 && b->n == 1 && a->dtype == b->dtype &&
         weft__quantised_scale(a, 0) == weft__quantised_scale(b, 0) &&
         weft__quantised_zero(a, 0) == weft__quantised_zero(b, 0);
}

// ---- products ----
typedef struct product {
  weft_node *node;
  int kind;
  weft__quantised x, w, y;
  weft_value *bias;
  bool clip, turned;  // turned: weights lie column by column
  float least, most;
  size_t channels, each;  // output channels; products of a sum
  size_t step, inner;     // of weights: from product to product and from channel to channel
} product;

// The bounds of an activation that only cuts off; false: it is another operator, or they are not known.
static bool read_clip(const weft_node *n, int kind, double *low, double *high) {
  *low = 0;
  *high = kind == WEFT_K_RELU6 ? 6 : (double)INFINITY;
  if (weft__kind_in(kind, WEFT_KINDS_RELU))
    return true;
  if (!weft__kind_in(kind, WEFT_KINDS_CLIP))
    return false;
  return weft__one_number(weft__arg(n, 1), low) && weft__one_number(weft__arg(n, 2), high);
}

// Goes back over activations; what is left makes the numbers.
static weft_value *before_clips(const weft_pass_run *r, weft_value *v, product *p) {
  p->least = -INFINITY;
  p->most = INFINITY;
  for (int i = 0; i < CHAIN && v->node && weft__one_use(v); i++) {
    int kind = weft__kind(r, v->node);
    double low, high;
    if (!read_clip(v->node, kind, &low, &high) || !(low <= high))
      return v;
    // The bounds so far come after this one.
    p->least = p->clip ? fminf(fmaxf((float)low, p->least), p->most) : (float)low;
    p->most = p->clip ? fmaxf(fminf((float)high, p->most), p->least) : (float)high;
    p->clip = true;
    v = weft__arg(v->node, 0);
  }
  return v;
}

static bool is_product(int kind) {
  return weft__kind_in(kind, WEFT_KINDS_PRODUCT);
}

static const char *read_layout(product *p) {
  const weft_op_desc *d = &p->node->desc.pub;
  const weft_fact *w = &p->w.bytes->fact;
  bool conv = weft__kind_in(p->kind, WEFT_KINDS_CONV);
  if (w->unknown_rank || !weft__fact_known(w))
    return "weights whose shape is not known";
  if (p->kind == WEFT_K_CONV2D) {
    const weft_attr *format = weft_node_attr(p->node, "data_format");
    const weft_attr *offset = weft_node_attr(p->node, "offset_x");
    if (!format || strncmp(format->u.s, "NCHW", 4) || (offset && offset->u.i))
      return "another layout than NCHW";
  }
  if (!conv && weft_node_bool(d, WEFT_PRODUCT_TURNS_A))
    return "a left operand that is transposed";
  p->turned = !conv && weft_node_bool(d, WEFT_PRODUCT_TURNS_B);
  if (!conv && w->rank != 2)
    return "weights of another rank than 2";
  if (w->rank < 2)
    return "weights of rank 1";
  bool first = conv || p->turned;  // channels are the first axis
  p->channels = (size_t)w->dims[first ? 0 : 1];
  p->each = first ? 1 : (size_t)w->dims[0];
  for (uint32_t i = 1; first && i < w->rank; i++)
    p->each *= (size_t)w->dims[i];
  p->step = first ? 1 : p->channels;
  p->inner = first ? p->each : 1;
  if (p->w.n != 1 && (p->w.axis != (first ? 0 : 1) || p->w.n != p->channels))
    return "weights with scales along another axis than the output channels";
  return NULL;
}

static const char *read_gemm(const product *p) {
  double alpha, beta;
  if (!weft__one_number(weft__port_arg(p->node, 3), &alpha) || alpha != 1 ||
      !weft__one_number(weft__port_arg(p->node, 4), &beta) || beta != 1)
    return "a GEMM whose alpha or beta is not 1";
  return NULL;
}

// The summand of a matrix product: one a column, or one in all.
static const char *read_summand(const product *p) {
  const weft_fact *c = &p->bias->fact;
  const weft_fact *y = &p->node->out[0].fact;
  bool good = !c->unknown_rank && weft__fact_known(c) && !y->unknown_rank && c->rank <= y->rank;
  for (uint32_t i = 0; good && i + 1 < c->rank; i++)
    good = c->dims[i] == 1;
  return good ? NULL : "a matrix product with another summand than one a column";
}

// The product whose sums an Add makes v from, with a constant for its bias; v itself where it is no such sum.
static weft_value *before_bias(const weft_pass_run *r, weft_value *v, product *p) {
  if (!v->node || weft__kind(r, v->node) != WEFT_K_ADD || !weft__one_use(v))
    return v;
  for (uint32_t i = 0; i < 2; i++) {
    weft_value *sums = weft__arg(v->node, i);
    weft_value *bias = weft__arg(v->node, 1 - i);
    int kind = weft__kind_by(r, sums);
    if (!weft__kind_in(kind, WEFT_KINDS_MATMUL) || weft__port_arg(sums->node, 2))
      continue;
    if (bias->origin != WEFT_VALUE_CONST && !weft__made_by(r, bias, WEFT_K_DEQUANTIZE_LINEAR))
      continue;
    p->bias = bias;
    return sums;
  }
  return v;
}

// The operands and their parameters. Why not; NULL: found. *out_any false: no candidate at all.
static const char *read_product(const weft_pass_run *r, weft_node *n, product *p, bool *out_any) {
  *out_any = false;
  *p = (product){.node = NULL};
  if (!weft__quantised_read(r, n, WEFT_K_QUANTIZE_LINEAR, &p->y) || p->y.n != 1)
    return NULL;
  weft_value *v = before_bias(r, before_clips(r, weft__arg(n, 0), p), p);
  p->node = v->node;
  p->kind = weft__kind_by(r, v);
  if (!is_product(p->kind))
    return NULL;
  weft_value *x = weft__arg(p->node, 0);
  weft_value *w = weft__arg(p->node, 1);
  if (!weft__made_by(r, x, WEFT_K_DEQUANTIZE_LINEAR) || !weft__made_by(r, w, WEFT_K_DEQUANTIZE_LINEAR))
    return NULL;
  *out_any = true;
  if (!weft__one_use(v))
    return "the sums are read elsewhere";
  if (!weft__quantised_read(r, x->node, WEFT_K_DEQUANTIZE_LINEAR, &p->x) || p->x.n != 1)
    return "an input without one constant scale and zero point";
  if (!weft__quantised_read(r, w->node, WEFT_K_DEQUANTIZE_LINEAR, &p->w) ||
      !fold_quantised_constant(p->w.bytes, p->w.dtype))
    return "weights that are not constant bytes with constant scales";
  if (!p->bias)
    p->bias = weft__port_arg(p->node, 2);
  if (weft__port_arg(p->node, 3) && p->kind != WEFT_K_GEMM)
    return "an operand that is reserved";
  const char *no = p->kind == WEFT_K_GEMM ? read_gemm(p) : NULL;
  bool conv = weft__kind_in(p->kind, WEFT_KINDS_CONV);
  if (!no && p->bias && !conv)
    no = read_summand(p);
  return no ? no : read_layout(p);
}

// The bias in sums: *out_exact says whether it is one already. false: it is no constant or too large.
static bool read_bias(const weft_pass_run *r, const product *p, int32_t *out, bool *out_exact) {
  *out_exact = true;
  memset(out, 0, p->channels * sizeof *out);
  if (!p->bias)
    return true;
  weft_node *n = weft__made_by(r, p->bias, WEFT_K_DEQUANTIZE_LINEAR);
  const weft_tensor *sums = n ? fold_quantised_constant(weft__arg(n, 0), WEFT_INT32) : NULL;
  const weft_tensor *scale = n ? fold_quantised_constant(weft__arg(n, 1), WEFT_FLOAT) : NULL;
  const weft_tensor *numbers = n ? NULL : fold_quantised_constant(p->bias, WEFT_FLOAT);
  const weft_value *zero = n ? weft__port_arg(n, 2) : NULL;
  if (zero && !weft__is_number(zero, 0))
    return false;
  size_t count = sums || numbers ? (size_t)weft_tensor_elems(sums ? sums : numbers) : 0;
  size_t scales = scale ? (size_t)weft_tensor_elems(scale) : 0;
  if ((count != p->channels && count != 1) || (sums && scales != 1 && scales != p->channels))
    return false;
  for (size_t i = 0; i < p->channels; i++) {
    double unit = (double)(weft__quantised_scale(&p->x, 0) * weft__quantised_scale(&p->w, i)), v;
    size_t at = count == 1 ? 0 : i;
    if (sums) {
      double s = weft_load_f64(WEFT_FLOAT, scale->data, scales == 1 ? 0 : i);
      v = (double)weft_load_i64(WEFT_INT32, sums->data, at);
      if (fabs(s - unit) > unit * 1.2e-7) {
        v = v * s / unit;
        *out_exact = false;
      }
    } else {
      v = weft_load_f64(WEFT_FLOAT, numbers->data, at) / unit;
      *out_exact = false;
    }
    if (!(fabs(v) < 1 << 30))
      return false;
    out[i] = (int32_t)rint(v);
  }
  return true;
}

// The sums of |w - its zero point| of n <= SOME channels from c on: integers.
enum { SOME = 64, STEPS = 1 << 20 };  // 32 bits hold the sums of so many steps
static void magnitudes(const product *p, size_t c, size_t n, uint64_t *out) {
  const uint8_t *w = weft__known(p->w.bytes)->data;
  const uint8_t flip = p->w.dtype == WEFT_INT8 ? 128 : 0;
  int32_t zero[SOME];
  memset(out, 0, n * sizeof *out);
  for (size_t i = 0; i < n; i++)
    zero[i] = weft__quantised_zero(&p->w, c + i) + flip;
  for (size_t k0 = 0; k0 < p->each; k0 += STEPS) {
    const size_t steps = WEFT_MIN(STEPS, p->each - k0);
    const uint8_t *from = w + c * p->inner + k0 * p->step;
    uint32_t sum[SOME] = {0};
    if (p->step == 1) {
      for (size_t i = 0; i < n; i++, from += p->inner) {
        for (size_t k = 0; k < steps; k++)
          sum[i] += (uint32_t)abs((from[k] ^ flip) - zero[i]);
      }
    } else  // columns: they are read together
      for (size_t k = 0; k < steps; k++, from += p->step) {
        for (size_t i = 0; i < n; i++)
          sum[i] += (uint32_t)abs((from[i * p->inner] ^ flip) - zero[i]);
      }
    for (size_t i = 0; i < n; i++)
      out[i] += sum[i];
  }
}

// How far the two numbers before rounding may be apart, in steps; also that int32 holds the sums.
static double bound(const product *p, const int32_t *bias, bool exact, const float *scale, bool *out_fits) {
  int32_t zero = weft__quantised_zero(&p->x, 0);
  int32_t low = lowest(p->x.dtype);
  double most = WEFT_MAX(low + 255 - zero, zero - low), worst = 0;
  uint64_t of[SOME];
  *out_fits = true;
  for (size_t c = 0; c < p->channels; c++) {
    if (c % SOME == 0)
      magnitudes(p, c, WEFT_MIN(SOME, p->channels - c), of);
    double sum = fabs((double)bias[c]) + most * (double)of[c % SOME];
    if (sum >= 0x1p31)
      *out_fits = false;
    double apart = (13 * 0x1p-24 * sum + (exact ? 0 : 0.5)) * (double)scale[c];  // the file's head has why
    if (!(apart <= worst))
      worst = apart;
  }
  return worst;
}

// A bound of the activation as a byte of y.
static int64_t quantised(const weft__quantised *y, float v) {
  int64_t low = lowest(y->dtype);
  int64_t zero = weft__quantised_zero(y, 0);
  double q = rint((double)(v / weft__quantised_scale(y, 0))) + (double)zero;
  if (q < (double)low)
    return low;
  return q > (double)low + 255 ? low + 255 : (int64_t)q;
}

// Attributes of Conv from those of Conv2D.
typedef struct conv_attrs {
  weft_named_attr list[8];
  size_t n;
  int64_t pair[2][2], pads[4];
} conv_attrs;

static void fold_quantised_put_attr(conv_attrs *a, const char *name, weft_attr v) {
  a->list[a->n++] = (weft_named_attr){name, v};
}

static const char *conv_attributes(const product *p, conv_attrs *a) {
  static const char *const same[] = {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"};
  a->n = 0;
  if (p->kind == WEFT_K_CONV) {
    for (size_t i = 0; i < WEFT_COUNT(same); i++) {
      const weft_attr *v = weft_node_attr(p->node, same[i]);
      if (v)
        fold_quantised_put_attr(a, same[i], *v);
    }
    return NULL;
  }
  if (p->kind != WEFT_K_CONV2D)
    return NULL;
  const weft_attr *pads = weft_node_attr(p->node, "pads");
  const weft_attr *groups = weft_node_attr(p->node, "groups");
  const weft_attr *mode = weft_node_attr(p->node, "pad_mode");
  for (int i = 0; i < 2; i++) {
    const weft_attr *v = weft_node_attr(p->node, i ? "dilations" : "strides");
    if (!v || v->n != 4)
      return "a convolution with other attributes";
    a->pair[i][0] = v->u.ints[2];
    a->pair[i][1] = v->u.ints[3];
    fold_quantised_put_attr(a, i ? "dilations" : "strides", weft_attr_ints(a->pair[i], 2));
  }
  if (groups)
    fold_quantised_put_attr(a, "group", *groups);
  if (mode && strcmp(mode->u.s, "SPECIFIC")) {
    if (strncmp(mode->u.s, "SAME", 4) && strcmp(mode->u.s, "VALID"))
      return "a convolution with other padding";
    const char *text = strcmp(mode->u.s, "SAME") ? mode->u.s : "SAME_UPPER";
    fold_quantised_put_attr(a, "auto_pad", weft_attr_str(text, strlen(text)));
  } else if (pads && pads->n == 4) {
    a->pads[0] = pads->u.ints[0];
    a->pads[1] = pads->u.ints[2];
    a->pads[2] = pads->u.ints[1];
    a->pads[3] = pads->u.ints[3];
    fold_quantised_put_attr(a, "pads", weft_attr_ints(a->pads, 4));
  }
  return NULL;
}

static weft_value *list_const(weft_pass_run *r, weft_node *n, const char *stem, weft_dtype t, const void *v,
                              size_t count) {
  weft_dim dims[1] = {(weft_dim)count};
  weft_tensor *k = weft__graph_tensor(n->graph);
  if (!k || weft_tensor_alloc(k, t, dims, 1, r->d))
    return NULL;
  memcpy(k->data, v, count * 4);
  return weft__pass_const(r, n->graph, stem, k, WEFT_CONST_BORROW);
}

static weft_value *zero_const(weft_pass_run *r, weft_node *n, const weft__quantised *q) {
  return q->zero ? q->zero : weft__pass_filled(r, n->graph, "zero", q->dtype, NULL, 0, 0);
}

// Weights that lie column by column, row by row.
static weft_value *fold_quantised_turn(weft_pass_run *r, weft_node *n, const product *p) {
  weft_dim dims[2] = {(weft_dim)p->each, (weft_dim)p->channels};
  const uint8_t *from = weft__known(p->w.bytes)->data;
  weft_tensor *k = weft__graph_tensor(n->graph);
  if (!k || weft_tensor_alloc(k, p->w.dtype, dims, 2, r->d))
    return NULL;
  for (size_t i = 0; i < p->each; i++) {
    for (size_t j = 0; j < p->channels; j++)
      ((uint8_t *)k->data)[i * p->channels + j] = from[j * p->each + i];
  }
  return weft__pass_const(r, n->graph, p->w.bytes->name, k, WEFT_CONST_BORROW);
}

static weft_status make_product(weft_pass_run *r, weft_node *n, const product *p, const int32_t *bias,
                                const float *scale) {
  bool conv = weft__kind_in(p->kind, WEFT_KINDS_CONV);
  conv_attrs a = {.n = 0};
  const char *no = conv_attributes(p, &a);
  if (no) {
    weft__pass_skipped(r, n, "%s", no);
    return WEFT_OK;
  }
  int64_t range[2] = {0, 0};
  if (p->clip) {
    range[0] = quantised(&p->y, p->least);
    range[1] = quantised(&p->y, p->most);
    fold_quantised_put_attr(&a, "range", weft_attr_ints(range, 2));
  }
  weft_value *made;
  weft_value *in[7] = {p->x.bytes, p->w.bytes, NULL, p->x.zero, p->w.zero, NULL, NULL};
  if (p->bias) {
    in[2] = list_const(r, n, "bias", WEFT_INT32, bias, p->channels);
    WEFT_TRY(weft__pass_made(r, in[2]));
  }
  if (p->turned) {
    in[1] = fold_quantised_turn(r, n, p);
    WEFT_TRY(weft__pass_made(r, in[1]));
  }
  bool one = p->w.n == 1;
  in[5] = list_const(r, n, "scale", WEFT_FLOAT, scale, one ? 1 : p->channels);
  WEFT_TRY(weft__pass_made(r, in[5]));
  in[6] = zero_const(r, n, &p->y);
  WEFT_TRY(weft__pass_made(r, in[6]));
  WEFT_TRY(weft__pass_op(r, n,
                         &(weft__pass_new){.kind = conv ? WEFT_K_CONV_INTEGER : WEFT_K_MAT_MUL_INTEGER,
                                           .attrs = a.list,
                                           .n_attrs = a.n,
                                           .in = in,
                                           .n_in = 7},
                         &made));
  return weft__pass_become(r, n, &n->out[0], made, conv ? "a convolution of bytes" : "a product of bytes",
                           NULL);
}

static weft_status fold_product(weft_pass_run *r, weft_node *n, const product *p) {
  int32_t *bias = WEFT_NEW_N(&r->scratch, int32_t, p->channels + 1);
  float *scale = WEFT_NEW_N(&r->scratch, float, p->channels + 1);
  bool exact;
  bool fits;
  WEFT_TRY(weft__allocated(bias && scale, r->d));
  if (!read_bias(r, p, bias, &exact)) {
    weft__pass_skipped(r, n, "a bias that is not a constant of the size of the output channels");
    return WEFT_OK;
  }
  for (size_t i = 0; i < p->channels; i++) {
    float unit = weft__quantised_scale(&p->x, 0) * weft__quantised_scale(&p->w, i);
    scale[i] = unit / weft__quantised_scale(&p->y, 0);
    if (!(unit >= FLT_MIN) || !(scale[i] >= FLT_MIN && scale[i] < FLT_MAX)) {
      weft__pass_skipped(r, n, "scales whose product is no normal number");
      return WEFT_OK;
    }
  }
  if (bound(p, bias, exact, scale, &fits) >= 1 || !fits) {
    weft__pass_skipped(r, n, "sums so large that the result could differ by more than a step");
    return WEFT_OK;
  }
  return make_product(r, n, p, bias, scale);
}

// ---- moves ----
static bool is_move(const weft_pass_run *r, const weft_node *n) {
  int kind = weft__kind(r, n);
  return kind == WEFT_K_MAX_POOL_V3 || weft__kind_in(kind, WEFT_KINDS_TRANSPOSE) ||
         kind == WEFT_K_CONCAT_V2 || weft__kind_is_view(kind);
}

static weft_status fold_move(weft_pass_run *r, weft_node *n, const weft__quantised *y) {
  weft_node *m = y->number->node;
  weft_node *made;
  weft_value *in[JOINED];
  weft__quantised x;
  uint32_t n_in = m->desc.pub.n_in;
  uint32_t numbers = 0;
  if (n_in > JOINED)
    return WEFT_OK;
  for (uint32_t i = 0; i < n_in; i++) {
    in[i] = weft__arg(m, i);
    if (in[i]->fact.dtype != WEFT_FLOAT)
      continue;
    if (!weft__made_by(r, in[i], WEFT_K_DEQUANTIZE_LINEAR))
      return WEFT_OK;
    if (!weft__quantised_read(r, in[i]->node, WEFT_K_DEQUANTIZE_LINEAR, &x) ||
        !weft__quantised_equal(&x, y)) {
      weft__pass_skipped(r, n, "a move between other scales or zero points");
      return WEFT_OK;
    }
    in[i] = x.bytes;
    numbers++;
  }
  if (!numbers)
    return WEFT_OK;
  if (!weft__one_use(y->number)) {
    weft__pass_skipped(r, n, "what was moved is read elsewhere");
    return WEFT_OK;
  }
  WEFT_TRY(weft__pass_clone(r, n, m, in, &made));
  return weft__pass_become(r, n, &n->out[0], &made->out[0], "moves bytes", NULL);
}

static weft_status fold_quantised_visit(weft_pass_run *r, weft_node *n) {
  product p;
  weft__quantised y;
  weft__quantised x;
  bool any;
  if (weft__kind(r, n) != WEFT_K_QUANTIZE_LINEAR)
    return WEFT_OK;
  const char *no = read_product(r, n, &p, &any);
  if (no)
    weft__pass_skipped(r, n, "%s", no);
  if (any)
    return no ? WEFT_OK : fold_product(r, n, &p);
  if (!weft__quantised_read(r, n, WEFT_K_QUANTIZE_LINEAR, &y) || !y.number->node)
    return WEFT_OK;
  if (weft__quantised_read(r, y.number->node, WEFT_K_DEQUANTIZE_LINEAR, &x) && weft__quantised_equal(&x, &y))
    return weft__pass_become(r, n, &n->out[0], x.bytes, "the bytes that were dequantised", NULL);
  return is_move(r, y.number->node) ? fold_move(r, n, &y) : WEFT_OK;
}

WEFT_PASS(fold_quantised) = {WEFT_PASS_HEAD,
                             "fold-quantised",
                             "operators between DequantizeLinear and QuantizeLinear on bytes",
                             WEFT_PASS_SIMPLIFY,
                             .visit = fold_quantised_visit,
                             .at = WEFT_NAMES("QuantizeLinear")};
// SPDX-License-Identifier: Apache-2.0
