// ops/special/orthogonal_polynomial.c - the polynomial of degree n of a family, at x.   weft's own.
// By its recurrence of three terms (DLMF 18.9), in double: p[k+1] = (a x + b) p[k] - c p[k-1] from p[0] = 1.
// n is cut to a whole number; below 0 the value is 0, beyond 65,536 it is refused. NaN stays,
// except below degree 1, where the value is the same for every x.
#include "numeric.h"

enum { KIND };
enum { MOST_DEGREE = 65536 };

typedef struct polynomial_step {
  double a, b, c;
} polynomial_step;
typedef struct polynomial {
  const char *kind;
  double slope, start;  // p[1] = slope x + start
  polynomial_step (*step)(double k);
} polynomial;

static polynomial_step polynomial_chebyshev(double k) {
  (void)k;
  return (polynomial_step){2, 0, 1};
}
static polynomial_step polynomial_hermite_h(double k) {
  return (polynomial_step){2, 0, 2 * k};
}
static polynomial_step polynomial_hermite_he(double k) {
  return (polynomial_step){1, 0, k};
}
static polynomial_step polynomial_laguerre(double k) {
  return (polynomial_step){-1 / (k + 1), (2 * k + 1) / (k + 1), k / (k + 1)};
}
static polynomial_step polynomial_legendre(double k) {
  return (polynomial_step){(2 * k + 1) / (k + 1), 0, k / (k + 1)};
}

static const polynomial polynomials[] = {
    {"chebyshev_t", 1, 0, polynomial_chebyshev}, {"chebyshev_u", 2, 0, polynomial_chebyshev},
    {"chebyshev_v", 2, -1, polynomial_chebyshev}, {"chebyshev_w", 2, 1, polynomial_chebyshev},
    {"hermite_h", 2, 0, polynomial_hermite_h},    {"hermite_he", 1, 0, polynomial_hermite_he},
    {"laguerre_l", -1, 1, polynomial_laguerre},   {"legendre_p", 1, 0, polynomial_legendre},
};

static double polynomial_at(const polynomial *p, double x, int n) {
  double before = 1;
  double y = p->slope * x + p->start;
  if (n <= 0)
    return n < 0 ? 0 : 1;
  for (int k = 1; k < n && !isnan(y); k++) {
    polynomial_step s = p->step(k);
    double next = (s.a * x + s.b) * y - s.c * before;
    before = y;
    y = next;
  }
  return y;
}

static weft_status polynomial_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  const weft_tensor *degree = c->in[1];
  const char *kind = weft_node_str(c->desc, KIND);
  const polynomial *p = polynomials;
  size_t work = 0;
  weft_walk w;
  while (strcmp(p->kind, kind))
    p++;
  weft__walk_init(&w, &c->out[0]->layout.origin);
  weft__walk_operand(&w, 0, &x->layout.origin);
  weft__walk_operand(&w, 1, &degree->layout.origin);
  for (; w.i < w.n; weft__walk_next(&w)) {
    double at = weft_load_f64(x->dtype, x->data, w.at[0]);
    double n = weft_load_f64(degree->dtype, degree->data, w.at[1]);
    if (n > MOST_DEGREE)
      return weft_fail(c->d, WEFT_E_LIMIT, "input 'n': element [%zu] is %g, at most %d is taken", w.at[1], n,
                       MOST_DEGREE);
    double y = isnan(n) ? NAN : polynomial_at(p, at, n <= -1 ? -1 : (int)n);
    WEFT_TRY(weft__poll_work(c, &work, n > 0 ? (size_t)n : 1));
    weft_store_f64(c->out[0]->dtype, c->out[0]->data, w.i, y);
  }
  return WEFT_OK;
}

WEFT_OP(orthogonal_polynomial) = {
    WEFT_OP_HEAD,
    .name = "OrthogonalPolynomial",
    .summary = "the polynomial of degree n of Chebyshev, Hermite, Laguerre or Legendre, at x",
    .in = PORTS({"x", "T"}, {"n", "T"}),
    .out = PORTS({"y", "T"}),
    .types = TYPES({"T", WEFT_FLOATS}),
    .attrs = ATTRS({"kind", "String", NULL,
                    "one of chebyshev_t|chebyshev_u|chebyshev_v|chebyshev_w|hermite_h|hermite_he|"
                    "laguerre_l|legendre_p"}),
    .traits = WEFT_SYMBOLIC | WEFT_MONOTONE | WEFT_ELEMENTWISE,
    .infer = weft__infer_broadcast,
    .ref = polynomial_ref,
    .examples = WEFT_EXAMPLES(
        "f32[3]{nan,nan,1}, f32[3]{-1,0,nan} kind=\"chebyshev_t\" -> f32[3]{0,1,nan}",
        "f32[5]{0.5,0.5,0.5,0.5,nan}, f32[5]{-1,0,1,3.9,2} kind=\"chebyshev_t\" -> f32[5]{0,1,0.5,-1,nan}",
        "f32[2]{0.5,3}, f32[]{3} kind=\"chebyshev_u\" -> f32[2]{-1,204}",
        "f32[2]{0.5,3}, f32[]{2} kind=\"chebyshev_v\" -> f32[2]{-1,29}",
        "f32[2]{0.5,3}, f32[]{2} kind=\"chebyshev_w\" -> f32[2]{1,41}",
        "f32[2]{0.5,-1}, f32[]{3} kind=\"hermite_h\" -> f32[2]{-5,4}",
        "f32[2]{0.5,-1}, f32[]{3} kind=\"hermite_he\" -> f32[2]{-1.375,2}",
        "f64[2]{0.5,-1}, f64[2,1]{2,3} kind=\"laguerre_l\" -> f64[2,2]{0.125,3.5,-0.14583333333333333,"
        "5.666666666666667} ~1e-12",
        "f64[2]{0.5,-1}, f64[]{4} kind=\"legendre_p\" -> f64[2]{-0.2890625,1} ~1e-12",
        "f16[N,1], f16[3] kind=\"legendre_p\" -> f16[N,3]",
        "f32[1]{1}, f32[1]{65537} kind=\"legendre_p\" !! E_LIMIT input 'n'",
        "f32[1]{1}, f32[1]{1} kind=\"jacobi\" !! E_RANGE kind",
        "f32[2], f32[3] kind=\"laguerre_l\" !! E_SHAPE"),
};
// SPDX-License-Identifier: Apache-2.0
