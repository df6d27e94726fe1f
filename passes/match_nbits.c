// match_nbits.c - a product with weights that a DequantizeLinear makes of 4 or 8 bits in blocks becomes
// MatMulNBits, which reads them packed: they stay in memory as small as they are, where folding would make
// floats of them. Both compute (q - zero) * scale in float and the product within rounding: not bit for bit,
// because the sums are added up in another order.
//
// Weights, scales and zero points must be constant, of two axes, and read by this product alone; a Transpose
// between may turn them. Many rows, where their number is known, are faster in float. Blocks lie along the
// axis that the product sums over and have a power of two of numbers.
#include "pass/match.h"
#include "base/allocated.h"
#include "nn/mat_mul.rule.h"
#include "quant.rule.h"

enum { LEAST = 16, MOST = 65536 };  // numbers of a block

// The kernel unpacks the weights in every run. Four products of 2048 x 2048 with 4 bits, one thread, the
// least of 8 rounds (from 8 rows on 5) in turn with float, on a machine that was busy besides; 3 rows not
// measured:
//   rows      1     2     4     8     16    32    64
//   packed    1.88  2.37  4.28  7.84  17.5  27.7  43.1 ms
//   float     2.17  2.31  2.40  2.90  4.93  9.95  28.0 ms
// Unknown rows are taken for decoding, which has one.
enum { MOST_ROWS = 2 };

typedef struct nbits {
  const weft_tensor *q, *scales, *zeros;  // zeros NULL: none
  const weft_value *from;                 // the weights
  size_t k, n, block, blocks, bits;
  int64_t least;   // of the type of q: stored numbers begin at 0
  bool by_column;  // a column's numbers lie side by side
} nbits;

static const weft_tensor *nbits_constant(const weft_value *v) {
  const weft_tensor *t = v && v->origin == WEFT_VALUE_CONST ? weft__known(v) : NULL;
  return t && t->format == t->origin_format ? t : NULL;
}

static bool nbits_dtype(weft_dtype t, nbits *b) {
  bool four = t == WEFT_INT4 || t == WEFT_UINT4;
  b->bits = four ? 4 : 8;
  b->least = t == WEFT_INT4 ? -8 : t == WEFT_INT8 ? -128 : 0;
  return four || t == WEFT_INT8 || t == WEFT_UINT8;
}

static bool nbits_power(int64_t block) {
  return block >= LEAST && block <= MOST && !(block & (block - 1));
}

static bool nbits_turning(const weft_pass_run *r, const weft_node *n) {
  uint8_t perm[WEFT_MAX_RANK];
  size_t rank;
  return weft__perm(r, n, perm, &rank) && rank == 2 && perm[0] == 1;
}

// The shapes of the parameters. Turned: the product sums over the second axis.
static bool nbits_sizes(nbits *b, const weft_node *dq, bool turned) {
  const weft_shape *s = &b->q->layout.origin;
  int64_t block = weft_node_int(&dq->desc.pub, WEFT_QUANT_BLOCK_SIZE);
  int64_t axis = weft_node_int(&dq->desc.pub, WEFT_QUANT_AXIS);
  if (s->rank != 2 || s->dim[0] < 1 || s->dim[1] < 1 || !nbits_power(block))
    return false;
  if (axis < 0)
    axis += 2;
  b->by_column = turned;
  b->k = (size_t)s->dim[turned];
  b->n = (size_t)s->dim[!turned];
  b->block = (size_t)block;
  b->blocks = (b->k + b->block - 1) / b->block;
  const weft_shape *p = &b->scales->layout.origin;
  bool fits = p->rank == 2 && (size_t)p->dim[turned] == b->blocks && (size_t)p->dim[!turned] == b->n;
  if (b->zeros)
    fits = fits && weft_tensor_elems(b->zeros) == weft_tensor_elems(b->scales);
  return fits && axis == turned && b->k <= INT32_MAX && b->n <= INT32_MAX;
}

// The weights of product n, when they are of this kind.
static bool nbits_read(const weft_pass_run *r, const weft_node *n, nbits *b) {
  weft_value *w = weft__arg(n, 1);
  bool turned = weft_node_bool(&n->desc.pub, WEFT_PRODUCT_TURNS_B);
  if (!w || !weft__one_use(w))
    return false;
  if (w->node && nbits_turning(r, w->node)) {
    w = weft__arg(w->node, 0);
    turned = !turned;
  }
  const weft_node *dq = w && weft__one_use(w) ? weft__made_by(r, w, WEFT_K_DEQUANTIZE_LINEAR) : NULL;
  if (!dq || w->fact.dtype != WEFT_FLOAT || !weft_node_int(&dq->desc.pub, WEFT_QUANT_BLOCK_SIZE))
    return false;
  b->from = weft__arg(dq, 0);
  b->q = nbits_constant(b->from);
  b->scales = nbits_constant(weft__arg(dq, 1));
  const weft_value *zero = weft__port_arg(dq, 2);
  b->zeros = nbits_constant(zero);
  bool known = b->q && b->scales && (!zero || b->zeros) && b->scales->dtype == WEFT_FLOAT;
  return known && nbits_dtype(b->q->dtype, b) && nbits_sizes(b, dq, turned);
}

static bool nbits_product(const weft_pass_run *r, const weft_node *n, const nbits *b) {
  const weft_value *x = weft__arg(n, 0);
  const weft_value *bias = weft__port_arg(n, 2);
  int kind = weft__kind(r, n);
  bool is_product = weft__kind_in(kind, WEFT_KINDS_MATMUL);
  if (!is_product || bias || weft_node_bool(&n->desc.pub, WEFT_PRODUCT_TURNS_A) || !x ||
      x->fact.dtype != WEFT_FLOAT)
    return false;
  return !x->fact.unknown_rank && x->fact.rank >= 2 && x->fact.dims[x->fact.rank - 1] == (weft_dim)b->k;
}

static int64_t nbits_rows(const weft_value *x) {  // 0: unknown
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < x->fact.rank; i++) {
    const weft_dim dim = x->fact.dims[i];
    if (dim < 0)
      return 0;
    rows = WEFT_MIN(rows * WEFT_MIN(dim, (weft_dim)MOST_ROWS + 1), (int64_t)MOST_ROWS + 1);
  }
  return rows;
}

// ---- the packed form: blocks of a column side by side, the first number in the lowest bits ----

static size_t nbits_at(const nbits *b, size_t i, size_t column, size_t rows) {
  return b->by_column ? column * rows + i : i * b->n + column;
}

static void nbits_put(uint8_t *row, size_t i, size_t bits, int64_t v) {
  row[i * bits / 8] |= (uint8_t)(v << (i * bits % 8));
}

static weft_tensor *nbits_alloc(weft_pass_run *r, const weft_node *n, weft_dtype t, const weft_dim *dims,
                                size_t rank) {
  weft_tensor *made = weft__graph_tensor(n->graph);
  if (!made || weft_tensor_alloc(made, t, dims, rank, r->d))
    return NULL;
  memset(made->data, 0, made->bytes);
  return made;
}

static weft_tensor *nbits_weights(weft_pass_run *r, const weft_node *n, const nbits *b) {
  size_t blob = b->block * b->bits / 8;
  const weft_dim dims[] = {(weft_dim)b->n, (weft_dim)b->blocks, (weft_dim)blob};
  weft_tensor *t = nbits_alloc(r, n, WEFT_UINT8, dims, 3);
  for (size_t c = 0; t && c < b->n; c++) {
    for (size_t i = 0; i < b->k; i++) {
      int64_t v = weft_load_i64(b->q->dtype, b->q->data, nbits_at(b, i, c, b->k));
      nbits_put((uint8_t *)t->data + c * b->blocks * blob, i, b->bits, v - b->least);
    }
  }
  return t;
}

static weft_tensor *nbits_scales(weft_pass_run *r, const weft_node *n, const nbits *b) {
  const weft_dim dims[] = {(weft_dim)b->n, (weft_dim)b->blocks};
  weft_tensor *t = nbits_alloc(r, n, WEFT_FLOAT, dims, 2);
  for (size_t c = 0; t && c < b->n; c++) {
    for (size_t i = 0; i < b->blocks; i++) {
      double v = weft_load_f64(WEFT_FLOAT, b->scales->data, nbits_at(b, i, c, b->blocks));
      weft_store_f64(WEFT_FLOAT, t->data, c * b->blocks + i, v);
    }
  }
  return t;
}

// Always there: without any an unsigned number stands for itself, a signed one is `least` higher.
static weft_tensor *nbits_zeros(weft_pass_run *r, const weft_node *n, const nbits *b) {
  size_t row = (b->blocks * b->bits + 7) / 8;
  const weft_dim dims[] = {(weft_dim)b->n, (weft_dim)row};
  weft_tensor *t = nbits_alloc(r, n, WEFT_UINT8, dims, 2);
  for (size_t c = 0; t && c < b->n; c++) {
    for (size_t i = 0; i < b->blocks; i++) {
      int64_t v = b->zeros ? weft_load_i64(b->zeros->dtype, b->zeros->data, nbits_at(b, i, c, b->blocks)) : 0;
      nbits_put((uint8_t *)t->data + c * row, i, b->bits, v - b->least);
    }
  }
  return t;
}

static weft_status match_nbits_visit(weft_pass_run *r, weft_node *n) {
  nbits b = {0};
  if (!nbits_read(r, n, &b))
    return WEFT_OK;
  if (!nbits_product(r, n, &b)) {
    weft__pass_skipped(
        r, n, "weights in blocks, but of a product with a bias, of another shape or of another type");
    return WEFT_OK;
  }
  if (nbits_rows(weft__arg(n, 0)) > MOST_ROWS) {
    weft__pass_skipped(r, n, "weights in blocks, but more than %d rows, which float takes faster", MOST_ROWS);
    return WEFT_OK;
  }
  const weft_tensor *made[] = {nbits_weights(r, n, &b), nbits_scales(r, n, &b), nbits_zeros(r, n, &b)};
  weft_value *in[4] = {weft__arg(n, 0)};
  for (size_t i = 0; i < WEFT_COUNT(made); i++) {
    WEFT_TRY(weft__allocated(made[i], r->d));
    in[i + 1] = weft__pass_const(r, n->graph, b.from->name, made[i], WEFT_CONST_BORROW);
    if (!in[i + 1])
      return r->d->status;
  }
  const weft_named_attr attrs[] = {{"K", weft_attr_int((int64_t)b.k)},
                                   {"N", weft_attr_int((int64_t)b.n)},
                                   {"bits", weft_attr_int((int64_t)b.bits)},
                                   {"block_size", weft_attr_int((int64_t)b.block)}};
  const weft_use use = {.attrs = attrs, .n_attrs = WEFT_COUNT(attrs)};
  weft_node *product;
  WEFT_TRY(weft__pass_add(r, n, "MatMulNBits", &use, in, WEFT_COUNT(in), &product));
  return weft__pass_become(r, n, &n->out[0], &product->out[0], "weights stay packed", NULL);
}

WEFT_PASS(match_nbits) = {WEFT_PASS_HEAD,
                          "match-nbits",
                          "products with weights of few bits in blocks keep them packed",
                          WEFT_PASS_SIMPLIFY,
                          .visit = match_nbits_visit,
                          .at = WEFT_NAMES("MatMulV2", "BatchMatMulV2"),
                          .needs = WEFT_NAMES("DequantizeLinear")};
// SPDX-License-Identifier: Apache-2.0
