// gemm_shape.c - see gemm_shape.h.
#include "cpu/gemm_shape.h"

typedef struct sides {
  const weft_shape *a, *b;
  bool turn_a, turn_b;
  size_t batch_rank;
} sides;

static const char *read_sides(const weft__product *p, sides *s) {
  s->a = p->shape[0], s->b = p->shape[1];
  if (!s->a->rank || !s->b->rank) return "needs operands of rank 1 or more";
  s->turn_a = s->a->rank > 1 && weft_node_bool(p->desc, 0);  // transpose_x1, adj_x1, transpose_a
  s->turn_b = s->b->rank > 1 && weft_node_bool(p->desc, 1);
  size_t cut = (s->a->rank > 1) + (s->b->rank > 1);
  if (p->y->rank < cut) return "changes the shape";
  s->batch_rank = p->y->rank - cut;
  return NULL;
}

static void read_sizes(const sides *s, weft__gemm_shape *g) {
  g->m = s->a->rank > 1 ? weft__gemm_dim(s->a, s->turn_a ? 1 : 2) : 1;
  g->k = s->a->rank > 1 ? weft__gemm_dim(s->a, s->turn_a ? 2 : 1) : weft__gemm_dim(s->a, 1);
  g->n = s->b->rank > 1 ? weft__gemm_dim(s->b, s->turn_b ? 2 : 1) : 1;
  g->a_row = s->turn_a ? 1 : g->k, g->a_k = s->turn_a ? g->m : 1;
  g->b_k = s->turn_b ? 1 : g->n, g->b_n = s->turn_b ? g->k : 1, g->turned = s->turn_b;
}

// Batch dims of y with the steps of both operands; false: y is not what the operands give.
static bool read_batches(const weft__product *p, const sides *s, weft__gemm_shape *g) {
  size_t ra = s->a->rank > 1 ? s->a->rank - 2 : 0, rb = s->b->rank > 1 ? s->b->rank - 2 : 0,
         r = s->batch_rank;
  size_t step_a = g->m * g->k, step_b = g->k * g->n;
  if (r != WEFT_MAX(ra, rb)) return false;
  g->batch_rank = r, g->batches = g->a_count = g->b_count = 1;
  for (size_t i = r; i-- > 0;) {
    size_t da = i + ra < r ? 1 : (size_t)s->a->dim[i + ra - r],
           db = i + rb < r ? 1 : (size_t)s->b->dim[i + rb - r];
    size_t d = da == 1 ? db : da;
    if ((db != d && db != 1) || d != (size_t)p->y->dim[i]) return false;
    g->dim[i] = d, g->a_step[i] = da == 1 ? 0 : step_a, g->b_step[i] = db == 1 ? 0 : step_b;
    step_a *= da, step_b *= db, g->batches *= d, g->a_count *= da, g->b_count *= db;
  }
  if (s->a->rank > 1 && (size_t)p->y->dim[r] != g->m) return false;
  return s->b->rank == 1 || (size_t)weft__gemm_dim(p->y, 1) == g->n;
}

// One right operand for all: the rows of all left ones are those of one product.
static void merge_batches(const sides *s, weft__gemm_shape *g) {
  if (g->b_count != 1 || g->batches == 1 || s->turn_a) return;
  for (uint32_t i = 0; i < g->e.n; i++) {
    const weft__step *p = &g->e.step[i];
    if (p->kind == WEFT__STEP_ADD && p->by_batch != p->by_row * g->m) return;
  }
  g->m *= g->batches, g->batches = g->a_count = 1, g->batch_rank = 0;
}

const char *weft__gemm_read(const weft_tiling *t, weft__product *p, weft__gemm_shape *g) {
  sides s;
  memset(g, 0, sizeof *g);
  const char *no = weft__product_find(t, false, p);
  if (no || !weft__product_known(t)) return no;
  no = read_sides(p, &s);
  if (no) return no;
  read_sizes(&s, g);
  if (!read_batches(p, &s, g)) return "an operator after the product changes the shape";
  no = weft__product_epilogue(t, p, (weft__view){s.batch_rank, s.a->rank > 1}, &g->e);
  if (!no) merge_batches(&s, g);
  return no;
}
