// tile.c - kernels of the tile machine: of op "Fused" for regions of elementwise operators, and of each of
// these operators by itself. A block is a range of output elements, fixed by the shapes; within it tiles of
// at most 1024 elements go through all instructions. A single operator without broadcasting runs its loop
// over the whole block.
#include "cpu/elementwise/tile_program.h"

// Bytes of the slots of one run. On the stack: blocks run on any thread, and a tile has to stay in L1.
typedef struct slots {
  _Alignas(64) char bytes[WEFT__TILE_STACK + 24 * 64 * 8];
} slots;

static void spread(char *to, const char *from, size_t n, bool runs, size_t bytes) {
  if (runs) {
    memcpy(to, from, n * bytes);
    return;
  }
  switch (bytes) {
    case 1:
      memset(to, *from, n);
      break;
    case 2: {
      uint16_t v;
      memcpy(&v, from, 2);
      for (size_t i = 0; i < n; i++)
        memcpy(to + 2 * i, &v, 2);
      break;
    }
    case 4: {
      uint32_t v;
      memcpy(&v, from, 4);
      for (size_t i = 0; i < n; i++)
        memcpy(to + 4 * i, &v, 4);
      break;
    }
    default: {
      uint64_t v;
      memcpy(&v, from, 8);
      for (size_t i = 0; i < n; i++)
        memcpy(to + 8 * i, &v, 8);
    }
  }
}

// Elements [e, e + n) of the output as input `in` sees them.
static void tile_fill(const weft__tile *t, const weft__tile_input *in, const char *from, char *to, size_t e,
                      size_t n) {
  size_t index[WEFT__TILE_AXES];
  size_t off = 0;
  size_t last = t->axes - 1u;
  for (size_t k = t->axes; k-- > 0;) {
    index[k] = e % t->dim[k];
    e /= t->dim[k];
    off += index[k] * in->stride[k];
  }
  bool runs = in->stride[last] != 0;
  while (n) {
    size_t m = WEFT_MIN(t->dim[last] - index[last], n);
    spread(to, from + off * in->bytes, m, runs, in->bytes);
    to += m * in->bytes;
    n -= m;
    off -= index[last] * in->stride[last];
    index[last] = 0;
    for (size_t k = last; k-- > 0;) {
      off += in->stride[k];
      if (++index[k] < t->dim[k])
        break;
      off -= in->stride[k] * t->dim[k];
      index[k] = 0;
    }
  }
}

// Of an input that is the same along the axis before the inner one: the part of the output, that axis long,
// which its slot was filled for, and how far.
typedef struct filled {
  size_t part, n;
} filled;

// Is the slot of `in` as it has to be for elements [e, e + n) already?
static bool still_filled(const weft__tile *t, const weft__tile_input *in, filled *f, size_t e, size_t n) {
  if (t->axes < 2 || in->stride[t->axes - 2u] || t->dim[t->axes - 2u] < WEFT__TILE_ROW)
    return false;
  size_t inner = t->dim[t->axes - 1u];
  size_t part = inner * t->dim[t->axes - 2u];
  if (e % inner || e / part != (e + n - 1) / part)
    return f->n = 0, false;
  bool same = f->n >= n && f->part == e / part;
  if (!same)
    *f = (filled){e / part, n};
  return same;
}

typedef struct place {  // where a block is
  // element; column in its row
  size_t e;
  size_t row_at;
  size_t index[WEFT__TILE_AXES];
  size_t off[WEFT__TILE_INPUTS];  // of the row's first element, in elements
} place;

static void tile_begin(const weft__tile *t, place *p, size_t e) {
  const weft__tile_input *in = weft__tile_inputs(t);
  size_t rest = e;
  size_t last = t->axes - 1u;
  p->e = e;
  p->row_at = rest % t->dim[last];
  for (size_t k = t->axes; k-- > 0;) {
    p->index[k] = rest % t->dim[k];
    rest /= t->dim[k];
  }
  for (size_t i = 0; i < t->n_in; i++) {
    p->off[i] = 0;
    for (size_t k = 0; k < last; k++)
      p->off[i] += p->index[k] * in[i].stride[k];
  }
}

static void next_row(const weft__tile *t, place *p) {
  const weft__tile_input *in = weft__tile_inputs(t);
  p->row_at = 0;
  for (size_t k = t->axes - 1u; k-- > 0;) {
    bool turn = ++p->index[k] == t->dim[k];
    for (size_t i = 0; i < t->n_in; i++)
      p->off[i] += in[i].stride[k] - (turn ? in[i].stride[k] * t->dim[k] : 0);
    if (!turn)
      return;
    p->index[k] = 0;
  }
}

static void run_tile(const weft__tile *t, size_t n, char *const *ptr) {
  const weft__tile_ins *s = weft__tile_instructions(t);
  const weft__tile_ins *end = s + t->n_ins;
  for (; s < end; s++)
    s->fn(s, s->one ? 1 : n, ptr[s->y], ptr[s->in[0]], ptr[s->in[1]], ptr[s->in[2]]);
}

static weft_status run_range(const weft__tile *t, void *const *arg, size_t first, size_t last) {
  slots space;
  filled done[WEFT__TILE_INPUTS];
  uint8_t zero = 0;  // among divisors
  char *ptr[WEFT__TILE_POINTERS];
  const weft__tile_input *in = weft__tile_inputs(t);
  size_t inner = t->dim[t->axes - 1u];
  place p;
  for (size_t k = 0; k < t->n_slots; k++)
    ptr[t->n_in + t->n_out + k] = space.bytes + k * t->slot_bytes;
  for (size_t i = 0; i < t->n_in; i++)
    done[i].n = 0;
  ptr[t->n_in + t->n_out + WEFT__TILE_SLOTS] = (char *)&zero;
  tile_begin(t, &p, first);
  for (size_t e = first; e < last;) {
    size_t n = WEFT_MIN(t->tile, last - e);
    if (t->rows)
      n = WEFT_MIN(n, inner - p.row_at);
    for (size_t i = 0; i < t->n_in; i++) {
      char *base = arg[i];
      switch (in[i].mode) {
        case WEFT__TILE_FULL:
          ptr[i] = base + e * in[i].bytes;
          break;
        case WEFT__TILE_FILL:
          ptr[i] = ptr[t->n_in + t->n_out + in[i].slot];
          if (!still_filled(t, &in[i], &done[i], e, n))
            tile_fill(t, &in[i], base, ptr[i], e, n);
          break;
        default:
          ptr[i] = base;
          if (t->rows)
            ptr[i] += (p.off[i] + (in[i].mode == WEFT__TILE_LINE ? p.row_at : 0)) * in[i].bytes;
      }
    }
    for (size_t i = 0; i < t->n_out; i++)
      ptr[t->n_in + i] = (char *)arg[t->n_in + i] + e * t->out_bytes[i];
    run_tile(t, n, ptr);
    e += n;
    if (t->rows && (p.row_at += n) == inner)
      next_row(t, &p);
  }
  return zero ? WEFT_E_RANGE : WEFT_OK;
}

weft_status weft__tile_run(const weft_block *b) {
  const weft__tile *t = b->data;
  size_t first = b->block * t->per_block;
  size_t last = WEFT_MIN(first + t->per_block, t->n);
  if (first >= last)
    return WEFT_OK;
  if (!t->simple)
    return run_range(t, b->arg, first, last);
  const weft__tile_ins *s = weft__tile_instructions(t);
  const weft__tile_input *in = weft__tile_inputs(t);
  const char *a[3];
  for (size_t i = 0; i < 3; i++) {
    const weft__tile_input *from = &in[s->in[i]];
    a[i] = (const char *)b->arg[s->in[i]] + (from->mode == WEFT__TILE_FULL ? first * from->bytes : 0);
  }
  s->fn(s, s->one ? 1 : last - first, (char *)b->arg[t->n_in] + first * t->out_bytes[0], a[0], a[1], a[2]);
  return WEFT_OK;
}

static const char *tile_refuse(const weft_tiling *t) {
  return weft__tile_build(t, NULL, WEFT__TILE_BYTES_ONE, NULL, NULL, NULL);
}
const char *weft__tile_refuse(const weft_tiling *t) {
  if (!t->region)
    return "the body is no plain region";
  return weft__tile_build(t, NULL, WEFT__TILE_BYTES, NULL, NULL, NULL);
}
double weft__tile_cost(const weft_tiling *t) {
  double ns = 0;
  weft__tile_build(t, NULL, WEFT__TILE_BYTES, NULL, NULL, &ns);
  return ns;
}
weft_status weft__tile_plan(weft_tiling *t) {
  const char *why = weft__tile_build(t, t->data, t->data_cap, &t->data_bytes, &t->overwrite, NULL);
  if (why)
    return t->host->fail(t->d, WEFT_E_KERNEL, "elementwise tiles: %s", why);
  t->blocks = ((const weft__tile *)t->data)->blocks;
  return WEFT_OK;
}

#define TILE_KERNEL(symbol, operator)                                                              \
  const weft_kernel                                                                                \
      weft__kernel_##symbol = {sizeof(weft_kernel), operator, "cpu", "tile", WEFT__TILE_BYTES_ONE, \
                               tile_refuse,         weft__tile_cost, NULL,   weft__tile_plan,      \
                               weft__tile_run}
TILE_KERNEL(tile_Abs, "Abs");
TILE_KERNEL(tile_Acos, "Acos");
TILE_KERNEL(tile_Acosh, "Acosh");
TILE_KERNEL(tile_Add, "Add");
TILE_KERNEL(tile_AddN, "AddN");
TILE_KERNEL(tile_Adds, "Adds");
TILE_KERNEL(tile_Asin, "Asin");
TILE_KERNEL(tile_Asinh, "Asinh");
TILE_KERNEL(tile_Atan, "Atan");
TILE_KERNEL(tile_Atanh, "Atanh");
TILE_KERNEL(tile_Axpy, "Axpy");
TILE_KERNEL(tile_BiasAdd, "BiasAdd");
TILE_KERNEL(tile_BitwiseAnd, "BitwiseAnd");
TILE_KERNEL(tile_BitwiseNot, "BitwiseNot");
TILE_KERNEL(tile_BitwiseOr, "BitwiseOr");
TILE_KERNEL(tile_BitwiseXor, "BitwiseXor");
TILE_KERNEL(tile_Cast, "Cast");
TILE_KERNEL(tile_Ceil, "Ceil");
TILE_KERNEL(tile_ClipByValue, "ClipByValue");
TILE_KERNEL(tile_ClipByValueV2, "ClipByValueV2");
TILE_KERNEL(tile_Cos, "Cos");
TILE_KERNEL(tile_Cosh, "Cosh");
TILE_KERNEL(tile_Div, "Div");
TILE_KERNEL(tile_DivNoNan, "DivNoNan");
TILE_KERNEL(tile_Elu, "Elu");
TILE_KERNEL(tile_Equal, "Equal");
TILE_KERNEL(tile_Erf, "Erf");
TILE_KERNEL(tile_Exp, "Exp");
TILE_KERNEL(tile_Expm1, "Expm1");
TILE_KERNEL(tile_Floor, "Floor");
TILE_KERNEL(tile_FloorDiv, "FloorDiv");
TILE_KERNEL(tile_FloorMod, "FloorMod");
TILE_KERNEL(tile_Gelu, "Gelu");
TILE_KERNEL(tile_Greater, "Greater");
TILE_KERNEL(tile_GreaterEqual, "GreaterEqual");
TILE_KERNEL(tile_HardSigmoid, "HardSigmoid");
TILE_KERNEL(tile_HardSwish, "HardSwish");
TILE_KERNEL(tile_Identity, "Identity");
TILE_KERNEL(tile_Invert, "Invert");
TILE_KERNEL(tile_IsInf, "IsInf");
TILE_KERNEL(tile_IsNan, "IsNan");
TILE_KERNEL(tile_LeakyRelu, "LeakyRelu");
TILE_KERNEL(tile_LeftShift, "LeftShift");
TILE_KERNEL(tile_Less, "Less");
TILE_KERNEL(tile_LessEqual, "LessEqual");
TILE_KERNEL(tile_Log, "Log");
TILE_KERNEL(tile_Log1p, "Log1p");
TILE_KERNEL(tile_LogicalAnd, "LogicalAnd");
TILE_KERNEL(tile_LogicalNot, "LogicalNot");
TILE_KERNEL(tile_LogicalOr, "LogicalOr");
TILE_KERNEL(tile_Maximum, "Maximum");
TILE_KERNEL(tile_Minimum, "Minimum");
TILE_KERNEL(tile_Mish, "Mish");
TILE_KERNEL(tile_Mod, "Mod");
TILE_KERNEL(tile_Mul, "Mul");
TILE_KERNEL(tile_Muls, "Muls");
TILE_KERNEL(tile_Neg, "Neg");
TILE_KERNEL(tile_NotEqual, "NotEqual");
TILE_KERNEL(tile_PRelu, "PRelu");
TILE_KERNEL(tile_Pow, "Pow");
TILE_KERNEL(tile_RealDiv, "RealDiv");
TILE_KERNEL(tile_Reciprocal, "Reciprocal");
TILE_KERNEL(tile_Relu, "Relu");
TILE_KERNEL(tile_Relu6, "Relu6");
TILE_KERNEL(tile_RightShift, "RightShift");
TILE_KERNEL(tile_Rint, "Rint");
TILE_KERNEL(tile_Round, "Round");
TILE_KERNEL(tile_Rsqrt, "Rsqrt");
TILE_KERNEL(tile_SelectV2, "SelectV2");
TILE_KERNEL(tile_Selu, "Selu");
TILE_KERNEL(tile_Shrink, "Shrink");
TILE_KERNEL(tile_Sigmoid, "Sigmoid");
TILE_KERNEL(tile_Sign, "Sign");
TILE_KERNEL(tile_Sin, "Sin");
TILE_KERNEL(tile_Sinh, "Sinh");
TILE_KERNEL(tile_Softplus, "Softplus");
TILE_KERNEL(tile_Softsign, "Softsign");
TILE_KERNEL(tile_Sqrt, "Sqrt");
TILE_KERNEL(tile_Square, "Square");
TILE_KERNEL(tile_SquaredDifference, "SquaredDifference");
TILE_KERNEL(tile_Sub, "Sub");
TILE_KERNEL(tile_Swish, "Swish");
TILE_KERNEL(tile_Tan, "Tan");
TILE_KERNEL(tile_Tanh, "Tanh");
TILE_KERNEL(tile_ThresholdedRelu, "ThresholdedRelu");
TILE_KERNEL(tile_TruncateMod, "TruncateMod");
const weft_kernel weft__kernel_tile_fused = {sizeof(weft_kernel), "Fused",           "cpu",           "tile",
                                             WEFT__TILE_BYTES,    weft__tile_refuse, weft__tile_cost, NULL,
                                             weft__tile_plan,     weft__tile_run};
// SPDX-License-Identifier: Apache-2.0
