// ops/linear/factors.c - orthogonal factors of stacks of matrices.   AscendIR Qr, Svd, SelfAdjointEig,
// Pinverse, as TensorFlow has them. Qr by Householder's reflections, with the signs that LAPACK gives;
// singular values by one-sided Jacobi rotations, largest first; eigenvalues of a Hermitian matrix, of which
// the lower half is read, by those of the matrix moved until it is positive, smallest first. Vectors are
// defined up to a sign, or a phase. In double, rounded once.
#include "air_slots.h"
#include "linear.h"
#include "op/air_rows.h"

typedef struct factors_stack {
  size_t n, rows, columns, least;
} factors_stack;

static factors_stack factors_of(const weft_tensor *t) {
  const weft_shape *s = &t->layout.origin;
  const size_t rows = (size_t)s->dim[s->rank - 2];
  const size_t columns = (size_t)s->dim[s->rank - 1];
  return (factors_stack){weft__prod(s, 0, s->rank - 2), rows, columns, WEFT_MIN(rows, columns)};
}

static weft_dim factors_least(weft_dim rows, weft_dim columns) {
  if (rows == 0 || columns == 0)
    return 0;
  return rows < 0 || columns < 0 ? (rows == columns ? rows : -1) : WEFT_MIN(rows, columns);
}

// Output o: the stack of input 0, then up to two sizes; -2: none.
static weft_status factors_shape(weft_infer *it, uint32_t o, weft_dim a, weft_dim b) {
  const weft_shape *x = it->in[0];
  if (weft_shape_is_unknown_rank(x))
    return weft__unknown_rank(it, o);
  WEFT_TRY(weft__linear_stack(it, o, x, 2));
  if (a != -2)
    it->out[o]->dim[it->out[o]->rank++] = a;
  if (b != -2)
    it->out[o]->dim[it->out[o]->rank++] = b;
  return WEFT_OK;
}

static weft_status factors_sizes(weft_infer *it, weft_dim *rows, weft_dim *columns, weft_dim *least) {
  const weft_shape *x = it->in[0];
  *rows = *columns = *least = -1;
  WEFT_TRY(weft__expect_rank(it, 0, 2, WEFT_MAX_RANK));
  for (uint32_t o = 0; o < it->desc->n_out; o++)
    it->out_dtype[o] = it->in_dtype[0];
  if (weft_shape_is_unknown_rank(x))
    return WEFT_OK;
  *rows = x->dim[x->rank - 2];
  *columns = x->dim[x->rank - 1];
  *least = factors_least(*rows, *columns);
  return WEFT_OK;
}

// ---- Qr ----
static weft_status factors_qr_infer(weft_infer *it) {
  const bool full = weft_node_bool(it->desc, WEFT_SLOT_QR_FULL_MATRICES);
  weft_dim rows;
  weft_dim columns;
  weft_dim least;
  WEFT_TRY(factors_sizes(it, &rows, &columns, &least));
  WEFT_TRY(factors_shape(it, 0, rows, full ? rows : least));
  return factors_shape(it, 1, full ? rows : least, columns);
}

// Column k of a, from row k on, becomes a multiple of the first unit vector; the reflection's vector, whose
// first
// element is 1, takes the place of what is 0 then. Its factor.
static weft_number factors_reflection(weft_number *a, size_t rows, size_t columns, size_t k) {
  const weft_number first = a[k * columns + k];
  double tail = 0;
  for (size_t i = k + 1; i < rows; i++)
    tail += creal(a[i * columns + k] * conj(a[i * columns + k]));
  if (tail <= 0 && cimag(first) == 0)
    return 0;
  const double size = sqrt(cabs(first) * cabs(first) + tail);
  const double beta = creal(first) >= 0 ? -size : size;
  for (size_t i = k + 1; i < rows; i++)
    a[i * columns + k] /= first - beta;
  a[k * columns + k] = beta;
  return conj((beta - first) / beta);
}

// A reflection 1 - tau v v^H, where v stands in column k of a below the diagonal.
typedef struct factors_mirror {
  const weft_number *a;
  size_t rows, columns, k;
  weft_number tau;
} factors_mirror;

// Reflects columns [from, n) of b, row after row; sums: n numbers of space.
static weft_status factors_reflect(const weft_call *c, const factors_mirror *m, weft_number *b, size_t n,
                                   size_t from, weft_number *sums) {
  const size_t k = m->k;
  const size_t width = n - from;
  size_t work = 0;
  for (size_t j = 0; j < width; j++)
    sums[j] = -b[k * n + from + j];
  for (size_t i = k + 1; i < m->rows; i++) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + width));
    weft__linear_subtract(sums, conj(m->a[i * m->columns + k]), b + i * n + from, width);
  }
  for (size_t j = 0; j < width; j++)
    sums[j] *= m->tau;
  weft__linear_subtract(b + k * n + from, -1, sums, width);
  for (size_t i = k + 1; i < m->rows; i++) {
    WEFT_TRY(weft__poll_work(c, &work, 1 + width));
    weft__linear_subtract(b + i * n + from, -m->a[i * m->columns + k], sums, width);
  }
  return WEFT_OK;
}

// a, rows x columns, becomes R with the reflections below its diagonal, q the first n columns of Q. space:
// one for each reflection, and the longer of n and columns.
static weft_status factors_qr(const weft_call *c, weft_number *a, const factors_stack *s, weft_number *q,
                              size_t n, weft_number *space) {
  weft_number *tau = space;
  weft_number *sums = space + s->least;
  for (size_t k = 0; k < s->least; k++) {
    tau[k] = factors_reflection(a, s->rows, s->columns, k);
    const factors_mirror m = {a, s->rows, s->columns, k, tau[k]};
    WEFT_TRY(factors_reflect(c, &m, a, s->columns, k + 1, sums));
  }
  for (size_t i = 0; i < s->rows * n; i++)
    q[i] = i / n == i % n;
  for (size_t k = s->least; k-- > 0;) {  // columns before k are 0 from row k on
    const factors_mirror m = {a, s->rows, s->columns, k, conj(tau[k])};
    WEFT_TRY(factors_reflect(c, &m, q, n, k, sums));
  }
  return WEFT_OK;
}

static weft_status factors_qr_ref(const weft_call *c) {
  const factors_stack s = factors_of(c->in[0]);
  const size_t n = weft_node_bool(c->desc, WEFT_SLOT_QR_FULL_MATRICES) ? s.rows : s.least;
  const size_t all = s.rows * s.columns;
  weft_number *a;
  if (!s.n || !s.rows)
    return WEFT_OK;
  if (n > SIZE_MAX / 64 / s.rows)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "a matrix of %zu rows", s.rows);
  WEFT_TRY(weft__linear_space(c, all + s.rows * n + s.least + WEFT_MAX(n, s.columns), &a));
  weft_number *q = a + all;
  weft_number *space = q + s.rows * n;
  if (weft__call_gives_nothing(c))  // as many matrices of none as the input claims
    return WEFT_OK;
  for (size_t i = 0; i < s.n; i++) {
    weft__linear_load(c->in[0], i * all, all, a);
    WEFT_TRY(factors_qr(c, a, &s, q, n, space));
    for (size_t k = 0; k < all; k++)
      a[k] = k / s.columns > k % s.columns ? 0 : a[k];
    if (c->out[0])
      weft__linear_store(c->out[0], i * s.rows * n, s.rows * n, q);
    if (c->out[1])
      weft__linear_store(c->out[1], i * n * s.columns, n * s.columns, a);
  }
  return WEFT_OK;
}

// A scalar 0 stands where vectors are not asked for.
static void factors_none(weft_tensor *t) {
  const weft_number none = 0;
  if (t)
    weft__linear_store(t, 0, 1, &none);
}

// ---- singular values ----
// Two columns turned by an angle and a phase so that they are orthogonal.
static void factors_turn(weft_number *x, weft_number *y, size_t n, double cosine, weft_number sine) {
  double *a = (double *)(void *)x;
  double *b = (double *)(void *)y;
  const double re = creal(sine);
  const double im = cimag(sine);
  if (im == 0) {
    for (size_t i = 0; i < 2 * n; i++) {
      const double before = a[i];
      a[i] = cosine * before - re * b[i];
      b[i] = re * before + cosine * b[i];
    }
    return;
  }
  for (size_t i = 0; i < 2 * n; i += 2) {
    const double p = a[i];
    const double q = a[i + 1];
    a[i] = cosine * p - (re * b[i] + im * b[i + 1]);
    a[i + 1] = cosine * q - (re * b[i + 1] - im * b[i]);
    b[i] = re * p - im * q + cosine * b[i];
    b[i + 1] = re * q + im * p + cosine * b[i + 1];
  }
}

// The sum of conj(x) y, in four parts that do not wait for each other.
static weft_number factors_product(const weft_number *x, const weft_number *y, size_t n) {
  const double *a = (const double *)(const void *)x;
  const double *b = (const double *)(const void *)y;
  double re[4] = {0};
  double im[4] = {0};
  for (size_t i = 0; i < n; i++) {
    re[i % 4] += a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
    im[i % 4] += a[2 * i] * b[2 * i + 1] - a[2 * i + 1] * b[2 * i];
  }
  const double sums[2] = {re[0] + re[1] + (re[2] + re[3]), im[0] + im[1] + (im[2] + im[3])};
  weft_number sum;
  memcpy(&sum, sums, sizeof sum);
  return sum;
}

// Columns that Jacobi's method turns, one after the other in memory: u, `n` of `rows` numbers, and v, n of n,
// which turn along. square: the lengths of u's columns, squared.
typedef struct jacobi {
  weft_number *u, *v;
  size_t rows, n;
  double *square;
} jacobi;

// false: the columns are as orthogonal as a sum of so many products can tell.
static bool jacobi_pair(const jacobi *m, size_t p, size_t q) {
  weft_number *x = m->u + p * m->rows;
  weft_number *y = m->u + q * m->rows;
  const double alpha = m->square[p];
  const double beta = m->square[q];
  const weft_number product = factors_product(x, y, m->rows);
  const double size = cabs(product);
  const bool turns = size > 0 && size > 1.2e-16 * sqrt((double)m->rows) * sqrt(alpha) * sqrt(beta);
  if (!turns)
    return false;
  const double zeta = (beta - alpha) / (2 * size);
  const double tangent = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  const double cosine = 1 / sqrt(1 + tangent * tangent);
  const weft_number sine = cosine * tangent * (product / size);
  factors_turn(x, y, m->rows, cosine, sine);
  factors_turn(m->v + p * m->n, m->v + q * m->n, m->n, cosine, sine);
  // What is left of a length that shrank much is not known from what it was.
  const double change = tangent * size;
  m->square[p] = alpha - change > alpha / 2 ? alpha - change : creal(factors_product(x, x, m->rows));
  m->square[q] = beta + change > beta / 2 ? beta + change : creal(factors_product(y, y, m->rows));
  return true;
}

// A matrix with an infinity or NaN has no factors: all of them are NaN.
static bool jacobi_none(const jacobi *m) {
  bool finite = true;
  for (size_t i = 0; i < m->rows * m->n && finite; i++)
    finite = isfinite(creal(m->u[i])) && isfinite(cimag(m->u[i]));
  for (size_t i = 0; i < m->rows * m->n && !finite; i++)
    m->u[i] = NAN;
  for (size_t i = 0; i < m->n * m->n && !finite; i++)
    m->v[i] = NAN;
  for (size_t i = 0; i < m->n && !finite; i++)
    m->square[i] = NAN;
  return !finite;
}

// u becomes U S with v what it was times; square, at first of no value, in the end the lengths of u's
// columns, the singular values.
static weft_status factors_jacobi(const weft_call *c, const jacobi *m) {
  enum { SWEEPS = 60 };
  size_t work = 0;
  bool turned = true;
  if (jacobi_none(m))
    return WEFT_OK;
  for (size_t i = 0; i < m->n * m->n; i++)
    m->v[i] = i / m->n == i % m->n;
  for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
    turned = false;
    for (size_t k = 0; k < m->n; k++)
      m->square[k] = creal(factors_product(m->u + k * m->rows, m->u + k * m->rows, m->rows));
    for (size_t p = 0; p + 1 < m->n; p++) {
      for (size_t q = p + 1; q < m->n; q++) {
        WEFT_TRY(weft__poll_work(c, &work, 4 * m->rows));
        turned |= jacobi_pair(m, p, q);
      }
    }
  }
  for (size_t k = 0; k < m->n; k++)
    m->square[k] = sqrt(creal(factors_product(m->u + k * m->rows, m->u + k * m->rows, m->rows)));
  return WEFT_OK;
}

// The order of the columns by sigma, largest first.
static void factors_sort(const double *sigma, size_t n, size_t *order) {
  for (size_t i = 0; i < n; i++) {
    size_t at = i;
    for (; at && sigma[order[at - 1]] < sigma[i]; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
}

// The `n` columns that follow each other in `from`, in this order, divided by their lengths, become those of
// a matrix; NULL sigma: as they are.
static void factors_columns(const weft_number *from, size_t rows, size_t n, const size_t *order,
                            const double *sigma, weft_number *to, size_t to_columns) {
  memset(to, 0, rows * to_columns * sizeof *to);
  for (size_t k = 0; k < n && k < to_columns; k++) {
    const double by = sigma ? sigma[order[k]] : 1;
    for (size_t i = 0; i < rows && by != 0; i++)
      to[i * to_columns + k] = from[order[k] * rows + i] / by;
  }
}

// Columns of zeros become unit vectors that are orthogonal to all columns before.
static weft_status factors_complete(const weft_call *c, weft_number *a, size_t rows, size_t columns) {
  size_t work = 0;
  size_t unit = 0;
  for (size_t k = 0; k < columns; k++) {
    double size = 0;
    for (size_t i = 0; i < rows; i++)
      size += cabs(a[i * columns + k]);
    while (size < 1e-6 && unit < rows) {
      for (size_t i = 0; i < rows; i++)
        a[i * columns + k] = i == unit;
      unit++;
      for (size_t m = 0; m < 2 * columns; m++) {  // twice, for the rounding of the first time
        const size_t other = m % columns;
        weft_number product = 0;
        WEFT_TRY(weft__poll_work(c, &work, 2 * rows));
        for (size_t i = 0; i < rows && other != k; i++)
          product += conj(a[i * columns + other]) * a[i * columns + k];
        for (size_t i = 0; i < rows && other != k; i++)
          a[i * columns + k] -= product * a[i * columns + other];
      }
      double square = 0;
      for (size_t i = 0; i < rows; i++)
        square += creal(a[i * columns + k] * conj(a[i * columns + k]));
      size = sqrt(square);
      for (size_t i = 0; i < rows && size >= 1e-6; i++)
        a[i * columns + k] /= size;
      if (size >= 1e-6)
        break;
    }
  }
  return WEFT_OK;
}

// One decomposition a = U S V^H, worked out on whichever of a and a^H has more rows.
typedef struct svd {
  size_t rows, columns, tall, least;  // tall: the longer side
  bool turned;                        // a^H is decomposed
  weft_number *a;                     // least columns of tall numbers, afterwards of U S
  weft_number *v;                     // least columns of least numbers
  weft_number *left, *right;          // rows x left_columns, columns x right_columns
  weft_number *line;                  // tall numbers of space
  size_t left_columns, right_columns;
  double *sigma;
  size_t *order;
} svd;

static weft_status svd_begin(const weft_call *c, const factors_stack *s, bool full, svd *out) {
  const size_t tall = WEFT_MAX(s->rows, s->columns);
  *out = (svd){.rows = s->rows, .columns = s->columns, .tall = tall, .least = s->least};
  out->turned = s->rows < s->columns;
  out->left_columns = full ? s->rows : s->least;
  out->right_columns = full ? s->columns : s->least;
  if (tall && tall > SIZE_MAX / 256 / tall)
    return weft_fail(c->d, WEFT_E_OVERFLOW, "a matrix of %zu x %zu", s->rows, s->columns);
  const size_t sides = s->rows * out->left_columns + s->columns * out->right_columns;
  const size_t rest = tall + 2 * s->least;
  WEFT_TRY(weft__linear_space(c, tall * s->least + s->least * s->least + sides + rest, &out->a));
  out->v = out->a + tall * s->least;
  out->left = out->v + s->least * s->least;
  out->right = out->left + s->rows * out->left_columns;
  out->line = out->right + s->columns * out->right_columns;
  out->sigma = (double *)(void *)(out->line + tall);
  out->order = (size_t *)(void *)(out->sigma + s->least);
  return WEFT_OK;
}

static weft_status svd_of(const weft_call *c, svd *d, size_t i) {
  const size_t all = d->rows * d->columns;
  const jacobi m = {d->a, d->v, d->tall, d->least, d->sigma};
  for (size_t row = 0; row < d->rows; row++) {
    weft_number *line = d->turned ? d->a + row * d->tall : d->line;
    weft__linear_load(c->in[0], i * all + row * d->columns, d->columns, line);
    for (size_t k = 0; k < d->columns; k++) {
      if (d->turned)
        line[k] = conj(line[k]);
      else
        d->a[k * d->tall + row] = line[k];
    }
  }
  WEFT_TRY(factors_jacobi(c, &m));
  factors_sort(d->sigma, d->least, d->order);
  return WEFT_OK;
}

static weft_status svd_vectors(const weft_call *c, svd *d) {
  weft_number *of_a = d->turned ? d->right : d->left;
  weft_number *of_v = d->turned ? d->left : d->right;
  const size_t n_a = d->turned ? d->right_columns : d->left_columns;
  const size_t n_v = d->turned ? d->left_columns : d->right_columns;
  factors_columns(d->a, d->tall, d->least, d->order, d->sigma, of_a, n_a);
  WEFT_TRY(factors_complete(c, of_a, d->tall, n_a));
  factors_columns(d->v, d->least, d->least, d->order, NULL, of_v, n_v);
  return factors_complete(c, of_v, d->least, n_v);
}

static weft_status factors_svd_infer(weft_infer *it) {
  const bool full = weft_node_bool(it->desc, WEFT_SLOT_SVD_FULL_MATRICES);
  weft_dim rows;
  weft_dim columns;
  weft_dim least;
  WEFT_TRY(factors_sizes(it, &rows, &columns, &least));
  WEFT_TRY(factors_shape(it, 0, least, -2));
  if (!weft_node_bool(it->desc, WEFT_SLOT_SVD_COMPUTE_UV)) {
    WEFT_TRY(weft__scalar(it, 1));
    return weft__scalar(it, 2);
  }
  WEFT_TRY(factors_shape(it, 1, rows, full ? rows : least));
  return factors_shape(it, 2, columns, full ? columns : least);
}

static weft_status factors_svd_ref(const weft_call *c) {
  const factors_stack s = factors_of(c->in[0]);
  const bool vectors = weft_node_bool(c->desc, WEFT_SLOT_SVD_COMPUTE_UV);
  svd d;
  if (!vectors) {
    factors_none(c->out[1]);
    factors_none(c->out[2]);
  }
  if (!s.n)
    return WEFT_OK;
  WEFT_TRY(svd_begin(c, &s, weft_node_bool(c->desc, WEFT_SLOT_SVD_FULL_MATRICES), &d));
  if (!s.least && (!vectors || weft__call_gives_nothing(c)))  // as many matrices of none as the input claims
    return WEFT_OK;
  for (size_t i = 0; i < s.n; i++) {
    WEFT_TRY(svd_of(c, &d, i));
    for (size_t k = 0; k < s.least && c->out[0]; k++) {
      const weft_number sigma = d.sigma[d.order[k]];
      weft__linear_store(c->out[0], i * s.least + k, 1, &sigma);
    }
    if (!vectors)
      continue;
    WEFT_TRY(svd_vectors(c, &d));
    if (c->out[1])
      weft__linear_store(c->out[1], i * s.rows * d.left_columns, s.rows * d.left_columns, d.left);
    if (c->out[2])
      weft__linear_store(c->out[2], i * s.columns * d.right_columns, s.columns * d.right_columns, d.right);
  }
  return WEFT_OK;
}

// ---- Pinverse ----
static weft_status factors_pinverse_infer(weft_infer *it) {
  weft_dim rows;
  weft_dim columns;
  weft_dim least;
  WEFT_TRY(factors_sizes(it, &rows, &columns, &least));
  return factors_shape(it, 0, columns, rows);
}

// out = V S^-1 U^H, of singular values above `least`; a row at a time.
static weft_status pinverse_store(const weft_call *c, svd *d, size_t i, double least) {
  weft_number *adjoint = d->a;  // U^H
  size_t work = 0;
  for (size_t at = 0; at < d->rows * d->least; at++)
    adjoint[at % d->least * d->rows + at / d->least] = conj(d->left[at]);
  for (size_t row = 0; row < d->columns; row++) {
    memset(d->line, 0, d->rows * sizeof *d->line);
    for (size_t k = 0; k < d->least && !(d->sigma[d->order[k]] <= least); k++) {
      const weft_number factor = d->right[row * d->least + k] / d->sigma[d->order[k]];
      WEFT_TRY(weft__poll_work(c, &work, 1 + d->rows));
      weft__linear_subtract(d->line, -factor, adjoint + k * d->rows, d->rows);
    }
    weft__linear_store(c->out[0], (i * d->columns + row) * d->rows, d->rows, d->line);
  }
  return WEFT_OK;
}

static weft_status factors_pinverse_ref(const weft_call *c) {
  const factors_stack s = factors_of(c->in[0]);
  const double rcond = (double)weft_node_float(c->desc, WEFT_SLOT_PINVERSE_RCOND);
  svd d;
  if (!c->out[0] || !s.n || !s.rows || !s.columns)
    return WEFT_OK;
  WEFT_TRY(svd_begin(c, &s, false, &d));
  if (weft__call_gives_nothing(c))  // as many matrices of none as the input claims
    return WEFT_OK;
  for (size_t i = 0; i < s.n; i++) {
    WEFT_TRY(svd_of(c, &d, i));
    WEFT_TRY(svd_vectors(c, &d));
    WEFT_TRY(pinverse_store(c, &d, i, rcond * d.sigma[d.order[0]]));
  }
  return WEFT_OK;
}

// ---- SelfAdjointEig ----
static weft_status factors_eig_infer(weft_infer *it) {
  weft_dim rows;
  weft_dim columns;
  weft_dim least;
  weft_dim side;
  WEFT_TRY(weft__linear_square(it, 0, &side));
  WEFT_TRY(factors_sizes(it, &rows, &columns, &least));
  WEFT_TRY(factors_shape(it, 0, side, -2));
  if (!weft_node_bool(it->desc, WEFT_SLOT_SELF_ADJOINT_EIG_COMPUTE_V))
    return weft__scalar(it, 1);
  return factors_shape(it, 1, side, side);
}

// The lower half and its mirror; how far it was moved along its diagonal, so that no eigenvalue is below 0.
static double factors_hermitian(weft_number *a, size_t n) {
  double square = 0;
  for (size_t i = 0; i < n; i++) {
    a[i * n + i] = creal(a[i * n + i]);
    for (size_t j = i + 1; j < n; j++)
      a[i * n + j] = conj(a[j * n + i]);
  }
  for (size_t i = 0; i < n * n; i++)
    square += creal(a[i] * conj(a[i]));
  const double moved = sqrt(square);
  for (size_t i = 0; i < n; i++)
    a[i * n + i] += moved;
  return moved;
}

static weft_status factors_eig_ref(const weft_call *c) {
  const factors_stack s = factors_of(c->in[0]);
  const bool vectors = weft_node_bool(c->desc, WEFT_SLOT_SELF_ADJOINT_EIG_COMPUTE_V);
  const size_t n = s.rows;
  svd d;
  if (!vectors)
    factors_none(c->out[1]);
  if (!s.n || !n)
    return WEFT_OK;
  WEFT_TRY(svd_begin(c, &s, false, &d));
  if (weft__call_gives_nothing(c))  // as many matrices of none as the input claims
    return WEFT_OK;
  for (size_t i = 0; i < s.n; i++) {
    weft__linear_load(c->in[0], i * n * n, n * n, d.a);
    const double moved = factors_hermitian(d.a, n);
    for (size_t k = 0; k < n * n; k++)
      d.a[k] = conj(d.a[k]);  // its columns, one after the other
    WEFT_TRY(factors_jacobi(c, &(jacobi){d.a, d.v, n, n, d.sigma}));
    factors_sort(d.sigma, n, d.order);
    for (size_t k = 0; k < n / 2; k++) {  // smallest first
      const size_t t = d.order[k];
      d.order[k] = d.order[n - 1 - k];
      d.order[n - 1 - k] = t;
    }
    for (size_t k = 0; k < n && c->out[0]; k++) {
      const weft_number value = d.sigma[d.order[k]] - moved;
      weft__linear_store(c->out[0], i * n + k, 1, &value);
    }
    if (!c->out[1] || !vectors)
      continue;
    factors_columns(d.v, n, n, d.order, NULL, d.left, n);
    weft__linear_store(c->out[1], i * n * n, n * n, d.left);
  }
  return WEFT_OK;
}

WEFT_ROWS(factors) = {
    {"Qr", "an orthogonal and a triangular factor", WEFT_SYMBOLIC, .infer = factors_qr_infer,
     .ref = factors_qr_ref,
     .examples = WEFT_EXAMPLES("f32[2,2]{3,1,4,2} -> "
                               "f32[2,2]{-0.6,-0.8,-0.8,0.6}, f32[2,2]{-5,-2.2,0,0.4} ~1e-6",
                               "f32[2,1]{3,4} full_matrices=true -> f32[2,2]{-0.6,-0.8,-0.8,0.6}, "
                               "f32[2,1]{-5,0} ~1e-6",
                               "f32[1,2]{3,4} -> f32[1,1]{1}, f32[1,2]{3,4}",
                               "c64[2,1]{(0,3),(4,0)} -> c64[2,1]{(0,-0.6),(-0.8,0)}, c64[1,1]{(-5,0)} ~1e-6",
                               "f32[0,2,3] -> f32[0,2,2], f32[0,2,3]", "f32[2,0] -> f32[2,0], f32[0,0]",
                               "f32[-1,4,3] -> f32[-1,4,3], f32[-1,3,3]", "f32[?] -> f32[?], f32[?]",
                               "f32[2]{1,2} -> _, _ !! E_SHAPE expected rank 2")},
    {"Svd", "singular values and vectors", WEFT_SYMBOLIC, .infer = factors_svd_infer, .ref = factors_svd_ref,
     .examples = WEFT_EXAMPLES(
         "f32[2,2]{0,2,3,0} -> f32[2]{3,2}, f32[2,2]{0,1,1,0}, f32[2,2]{1,0,0,1} ~1e-6",
         "f32[1,2]{3,4} compute_uv=false -> f32[1]{5}, f32[]{0}, f32[]{0} ~1e-6",
         "f32[2,1]{3,4} full_matrices=true -> f32[1]{5}, f32[2,2]{0.6,0.8,0.8,-0.6}, f32[1,1]{1} ~1e-6",
         "f32[2,2]{0,0,0,0} -> f32[2]{0,0}, f32[2,2]{1,0,0,1}, f32[2,2]{1,0,0,1}",
         "f32[2,1]{inf,1} full_matrices=true -> f32[1]{nan}, f32[2,2]{nan,nan,nan,nan}, f32[1,1]{nan}",
         "f32[1,2]{nan,1} -> f32[1]{nan}, f32[1,1]{nan}, f32[2,1]{nan,nan}",
         "f32[-1,4,3] -> f32[-1,3], f32[-1,4,3], f32[-1,3,3]", "f32[?] -> f32[?], f32[?], f32[?]")},
    {"SelfAdjointEig", "eigenvalues and eigenvectors of Hermitian matrices", WEFT_SYMBOLIC,
     .infer = factors_eig_infer, .ref = factors_eig_ref,
     .examples = WEFT_EXAMPLES("f32[2,2]{2,9,0,-1} -> f32[2]{-1,2}, f32[2,2]{0,1,1,0} ~1e-6",
                               "f64[2,2]{2,0,1,2} compute_v=false -> f64[2]{1,3}, f64[]{0} ~1e-12",
                               "c64[1,2,2]{(1,0),(0,0),(0,1),(1,0)} compute_v=false -> "
                               "c64[1,2]{(0,0),(2,0)}, c64[]{(0,0)} ~1e-6",
                               "f32[-1,3,-1] -> f32[-1,3], f32[-1,3,3]",
                               "f32[2,2]{2,9,-inf,-1} -> f32[2]{nan,nan}, f32[2,2]{nan,nan,nan,nan}",
                               "f32[2,3] -> _, _ !! E_SHAPE rows and columns")},
    {"Pinverse", "the pseudo-inverse", WEFT_SYMBOLIC, .infer = factors_pinverse_infer,
     .ref = factors_pinverse_ref,
     .examples = WEFT_EXAMPLES("f32[2,1]{3,4} -> f32[1,2]{0.12,0.16} ~1e-6",
                               "f32[2,2]{2,0,0,0} -> "
                               "f32[2,2]{0.5,0,0,0} ~1e-6",
                               "f32[2,1]{3,nan} -> f32[1,2]{nan,nan}", "f32[-1,2,3] -> f32[-1,3,2]")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
