// ops/ml/svm_kernel.c - K[n,v] = the kernel of row n of X and vector v, as support vector machines weigh
// their support vectors.   ONNX (ai.onnx.ml) SVMClassifier-1 and SVMRegressor-1, the first half. linear: x.v;
// poly: (gamma x.v + coef0)^degree; rbf: exp(-gamma |x - v|^2); sigmoid: tanh(gamma x.v + coef0). In double,
// not rounded: what follows asks for the sign of sums.
#include "op.h"

enum { X, VECTORS };
enum { KERNEL, GAMMA, COEF0, DEGREE };

static weft_status svm_kernel_infer(weft_infer *it) {
  const weft_shape *x = it->in[X];
  const weft_shape *v = it->in[VECTORS];
  weft_dim features;
  WEFT_TRY(weft__expect_rank(it, X, 2, 2));
  WEFT_TRY(weft__expect_rank(it, VECTORS, 2, 2));
  bool rows = !weft_shape_is_unknown_rank(x);
  bool columns = !weft_shape_is_unknown_rank(v);
  if (rows && columns) {
    WEFT_TRY(
        weft__merge_dim(it, x->dim[1], v->dim[1], "features of a row and of a support vector", &features));
  }
  return weft_set_out_shape(it, 0, (weft_dim[2]){rows ? x->dim[0] : -1, columns ? v->dim[0] : -1}, 2);
}

static double dot(const float *x, const float *v, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += (double)x[i] * (double)v[i];
  return sum;
}

static double distance(const float *x, const float *v, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double apart = (double)x[i] - (double)v[i];
    sum += apart * apart;
  }
  return sum;
}

static weft_status svm_kernel_ref(const weft_call *c) {
  const weft_shape *x = &c->in[X]->layout.origin;
  const weft_shape *v = &c->in[VECTORS]->layout.origin;
  const size_t rows = (size_t)x->dim[0];
  const size_t vectors = (size_t)v->dim[0];
  const size_t n = (size_t)x->dim[1];
  const double gamma = (double)weft_node_float(c->desc, GAMMA);
  const double coef0 = (double)weft_node_float(c->desc, COEF0);
  const double degree = (double)weft_node_float(c->desc, DEGREE);
  const char kind = weft_node_str(c->desc, KERNEL)[0];
  if (!c->out[0])
    return WEFT_OK;
  double *out = c->out[0]->data;
  size_t work = 0;
  for (size_t i = 0; i < rows * vectors; i++) {
    WEFT_TRY(weft__poll_work(c, &work, n + 4));
    const float *a = (const float *)c->in[X]->data + i / vectors * n;
    const float *b = (const float *)c->in[VECTORS]->data + i % vectors * n;
    if (kind == 'r')
      out[i] = exp(-gamma * distance(a, b, n));
    else
      out[i] = dot(a, b, n);
    if (kind == 'p')
      out[i] = pow(gamma * out[i] + coef0, degree);
    if (kind == 's')
      out[i] = tanh(gamma * out[i] + coef0);
  }
  return WEFT_OK;
}

WEFT_OP(svm_kernel) = {
    WEFT_OP_HEAD,
    .name = "SvmKernel",
    .summary = "kernels of rows and support vectors",
    .in = PORTS({"X", NULL, WEFT_DT(FLOAT)}, {"vectors", NULL, WEFT_DT(FLOAT)}),
    .out = PORTS({"K", NULL, WEFT_DT(DOUBLE)}),
    .attrs = ATTRS({"kernel", "String", "\"linear\"", "one of linear|poly|rbf|sigmoid"},
                   {"gamma", "Float", "0.0f"}, {"coef0", "Float", "0.0f"}, {"degree", "Float", "0.0f"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE,
    .infer = svm_kernel_infer,
    .ref = svm_kernel_ref,
    .examples = WEFT_EXAMPLES(
        "f32[2,2]{1,2,0,1}, f32[2,2]{1,1,2,0} -> f64[2,2]{3,2,1,0}",
        "f32[1,2]{1,2}, f32[2,2]{1,1,2,0} kernel=\"poly\" gamma=0.5 coef0=1.0 degree=2.0 -> f64[1,2]{6.25,4}",
        "f32[1,2]{1,2}, f32[2,2]{1,2,2,0} kernel=\"rbf\" gamma=0.5 -> f64[1,2]{1,0.0820849986} ~1e-9",
        "f32[1,1]{2}, f32[1,1]{1} kernel=\"sigmoid\" gamma=0.5 coef0=-1.0 -> f64[1,1]{0}",
        "f32[0,2], f32[3,2]{1,1,1,1,1,1} -> f64[0,3]", "f32[2,0], f32[1,0] -> f64[2,1]{0,0}",
        "f32[N,4], f32[-1,4] -> f64[N,-1]", "f32[?], f32[3,4] -> f64[-1,3]",
        "f32[1,2]{1,2}, f32[1,3]{1,2,3} !! E_SHAPE features of a row and of a support vector: 2 and 3",
        "f32[2]{1,2}, f32[1,2]{1,2} !! E_SHAPE expected rank 2"),
};
// SPDX-License-Identifier: Apache-2.0
