// map_svm.c - support vector machines of ai.onnx.ml. Kernels with the support vectors are one primitive,
// votes, scores and probabilities of a classifier another; without support vectors the coefficients are those
// of linear functions.
#include "frontend/onnx/map.h"

// The rows of input 0 as floats, [N, F].
static weft_value *svm_rows(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  int rank = onnx_rank_needed(o, x);
  if (o->failed)
    return NULL;
  if (rank != 1 && rank != 2) {
    o->failed = onnx_fail(o, WEFT_E_SHAPE, "input 0: expected rank 1 or 2, got %d", rank);
    return NULL;
  }
  if (rank == 1)
    x = onnx_reshaped(o, x, (int64_t[]){1, -1}, 2);
  return onnx_as(o, x, WEFT_FLOAT);
}

// Kernels of the rows with n support vectors, [N, n] in double.
static weft_value *svm_kernel(onnx_op *o, weft_value *x, int64_t n) {
  static const char *const given[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
  static const char *const names[] = {"linear", "poly", "rbf", "sigmoid"};
  static const char *const params[] = {"gamma", "coef0", "degree"};
  size_t kind = 0;
  while (kind < WEFT_COUNT(given) && !onnx_is(o, "kernel_type", "LINEAR", given[kind]))
    kind++;
  if (kind == WEFT_COUNT(given))
    return onnx_unsupported(o, "attribute 'kernel_type': expected LINEAR, POLY, RBF or SIGMOID");
  const onnx_attr *p = onnx_find_attr(o, "kernel_params");
  size_t n_params = p ? p->floats.n : 0;
  if (n_params && n_params < WEFT_COUNT(params)) {
    o->failed =
        onnx_fail(o, WEFT_E_INVALID,
                  "attribute 'kernel_params' has %zu elements, expected gamma, coef0 and degree", n_params);
  }
  weft_value *vectors = onnx_reshaped(o, onnx_needed_table(o, "support_vectors"), (int64_t[]){n, -1}, 2);
  onnx_set(o, "kernel", weft_attr_str(names[kind], strlen(names[kind])));
  for (size_t i = 0; i < n_params && i < WEFT_COUNT(params); i++)
    onnx_set(o, params[i], weft_attr_float(p->floats.v[i]));
  return onnx_do(o, "SvmKernel", x, vectors, NULL);
}

// ---- SVMRegressor ----
weft_status onnx_svm_regressor(onnx_op *o) {
  int64_t n = onnx_int(o, "n_supports", 0);
  int64_t one = onnx_int(o, "one_class", 0);
  int64_t post = onnx_post_transform(o);
  weft_value *w = onnx_needed_table(o, "coefficients");
  weft_value *rho = onnx_needed_table(o, "rho");
  weft_value *x = svm_rows(o);
  WEFT_TRY(o->failed);
  weft_value *k = n > 0 ? svm_kernel(o, x, n) : onnx_as(o, x, WEFT_DOUBLE);
  w = onnx_reshaped(o, onnx_as(o, w, WEFT_DOUBLE), (int64_t[]){-1, 1}, 2);
  weft_value *y = onnx_do(o, "BatchMatMulV2", k, w, NULL);
  y = onnx_do(o, "Add", y, onnx_as(o, onnx_picked(o, rho, 0, onnx_index(o, 0)), WEFT_DOUBLE), NULL);
  y = onnx_as(o, y, WEFT_FLOAT);
  if (one) {  // inside 1, outside -1
    weft_value *inside = onnx_do(o, "Greater", y, onnx_num(o, WEFT_FLOAT, 0), NULL);
    y = onnx_do(o, "SelectV2", inside, onnx_num(o, WEFT_FLOAT, 1), onnx_num(o, WEFT_FLOAT, -1));
  }
  return onnx_result(o, 0, onnx_transformed(o, y, post));
}

// ---- SVMClassifier ----
// Class k scores x.coefficients[k] + rho[0]. Of two classes without probabilities ONNX Runtime takes the
// second already where any of the two scores says so.
static weft_status svm_linear(onnx_op *o, const onnx_attr *labels, size_t n, bool probable) {
  const onnx_attr *w = onnx_find_attr(o, "coefficients");
  int64_t post = onnx_post_transform(o);
  bool positive = true;
  for (size_t i = 0; w && i < w->floats.n; i++)
    positive &= w->floats.v[i] >= 0;
  weft_value *coefficients = onnx_needed_table(o, "coefficients");
  weft_value *rho = onnx_needed_table(o, "rho");
  weft_value *x = svm_rows(o);
  rho = onnx_picked(o, rho, 0, onnx_list(o, (int64_t[]){0}, 1));
  onnx_set(o, "n_targets", weft_attr_int((int64_t)n));
  weft_value *z = onnx_do(o, "LinearScores", x, coefficients, onnx_float_list(o, NULL, 0));
  z = onnx_do(o, "Add", z, rho, NULL);
  onnx_set(o, "keep_dims", weft_attr_bool(false));
  weft_value *best = onnx_do(o, "ArgMaxV2", z, onnx_index(o, 1), NULL);
  if (n == 2 && !probable) {
    weft_value *most = onnx_reduced(o, "ReduceMax", z, (int64_t[]){1}, 1, false);
    weft_value *yes = onnx_do(o, positive ? "GreaterEqual" : "Greater", most,
                              onnx_num(o, WEFT_FLOAT, positive ? 0.5 : 0), NULL);
    best = o->failed ? NULL
                     : onnx_do(o, "Maximum", onnx_as(o, best, WEFT_INT64), onnx_as(o, yes, WEFT_INT64), NULL);
  }
  WEFT_TRY(onnx_result(o, 0, onnx_do(o, "GatherV2", onnx_table(o, labels), best, onnx_index(o, 0))));
  return onnx_wants(o, 1) ? onnx_result(o, 1, onnx_transformed(o, z, post)) : WEFT_OK;
}

static weft_status svm_voting(onnx_op *o, const onnx_attr *labels, weft_ints per_class, bool probable) {
  int64_t vectors = 0;
  int64_t post = onnx_post_transform(o);
  for (size_t i = 0; i < per_class.n; i++) {
    if (per_class.v[i] < 0 || per_class.v[i] > INT32_MAX) {
      return onnx_fail(o, WEFT_E_RANGE, "attribute 'vectors_per_class': element %zu is %lld", i,
                       (long long)per_class.v[i]);
    }
    vectors += per_class.v[i];
  }
  weft_value *in[5] = {svm_kernel(o, svm_rows(o), vectors), onnx_needed_table(o, "coefficients"),
                       onnx_needed_table(o, "rho"), NULL, NULL};
  weft_value *out = NULL;
  if (probable) {
    in[3] = onnx_float_table(o, "prob_a");
    in[4] = onnx_float_table(o, "prob_b");
  }
  WEFT_TRY(o->failed);
  onnx_set(o, "vectors_per_class", weft_attr_ints(per_class.v, per_class.n));
  onnx_set(o, "post_transform", weft_attr_int(post));
  WEFT_TRY(onnx_emit(o, "SvmVotes", in, probable ? 5 : 3, NULL, 0, &out));
  WEFT_TRY(onnx_result(o, 0, onnx_do(o, "GatherV2", onnx_table(o, labels), out, onnx_index(o, 0))));
  return onnx_wants(o, 1) ? onnx_result(o, 1, out + 1) : WEFT_OK;
}

weft_status onnx_svm_classifier(onnx_op *o) {
  size_t n = 0;
  const onnx_attr *labels = onnx_class_labels(o, "classlabels_ints", &n);
  const onnx_attr *a = onnx_find_attr(o, "prob_a");
  const onnx_attr *b = onnx_find_attr(o, "prob_b");
  size_t n_a = a ? a->floats.n : 0;
  size_t n_b = b ? b->floats.n : 0;
  weft_ints per_class = onnx_ints_of(o, "vectors_per_class");
  int64_t vectors = 0;
  for (size_t i = 0; i < per_class.n; i++)
    vectors |= per_class.v[i];
  WEFT_TRY(o->failed);
  if (n < 2)
    return onnx_fail(o, WEFT_E_UNSUPPORTED, "attribute 'classlabels_*': a single label is not imported");
  if (n_a != n_b)
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'prob_a' has %zu elements, 'prob_b' %zu", n_a, n_b);
  if (!vectors)
    return svm_linear(o, labels, n, n_a > 0);
  if (per_class.n != n) {
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'vectors_per_class' has %zu elements for %zu class labels",
                     per_class.n, n);
  }
  return svm_voting(o, labels, per_class, n_a > 0);
}
// SPDX-License-Identifier: Apache-2.0
