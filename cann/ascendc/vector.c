// vector.c - instructions of the vector unit that go element by element: floats by the loops of the machine's
// instruction set; half and bfloat16 through floats, a piece at a time, each result rounded once; integers.
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "check.h"
#include "loops.h"
#include "spans.h"

enum { PIECE = 512 };  // elements on the stack while they are floats

static const char *const op_names[WEFT_ASC_VECTOR_OP_COUNT] = {
#define VECTOR_OP_NAME(name) #name,
    WEFT_ASC_VECTOR_OPS(VECTOR_OP_NAME)
#undef VECTOR_OP_NAME
};
const char *asc_op_name(weft_asc_vector_op op) {
  return op_names[op];
}

const char *asc_dtype_name(weft_asc_dtype t) {
  static const char *const names[WEFT_ASC_DTYPES] = {"float",    "half",    "bfloat16", "int8_t",
                                                     "uint8_t",  "int16_t", "uint16_t", "int32_t",
                                                     "uint32_t", "int64_t", "uint64_t", "double"};
  return names[t];
}

#if defined(__x86_64__)
// Not every compiler's __builtin_cpu_supports knows it by name.
static bool vector_f16c(void) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
}
#endif

const asc_float_loops *asc_floats(void) {
#if defined(__x86_64__)
  static _Atomic(const asc_float_loops *) chosen;
  const asc_float_loops *loops = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (!loops) {
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    const bool eight = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && vector_f16c();
    loops = wide ? &asc_float_loops_avx512 : eight ? &asc_float_loops_avx2 : &asc_float_loops_plain;
    atomic_store_explicit(&chosen, loops, memory_order_relaxed);
  }
  return loops;
#else
  return &asc_float_loops_plain;
#endif
}

static void half_to_floats(weft_asc_dtype t, float *dst, const void *src, size_t n) {
  const asc_float_loops *loops = asc_floats();
  if (t == WEFT_ASC_F16)
    loops->of_half(dst, src, n);
  else
    loops->of_bf16(dst, src, n);
}

static void half_of_floats(weft_asc_dtype t, void *dst, const float *src, size_t n) {
  const asc_float_loops *loops = asc_floats();
  if (t == WEFT_ASC_F16)
    loops->to_half(dst, src, n);
  else
    loops->to_bf16(dst, src, n);
}

// A loop over floats as one over 16-bit floats, a piece at a time.
typedef struct half_work {
  asc_loop loop;
  weft_asc_dtype from, to;  // `to` may be float where the accumulator is wider (Axpy, MulAddDst)
  bool accumulates;
  const void *number;  // the last source's bits; NULL: it is a tensor
} half_work;

// a, b: NULL where there is none.
static void half_run(const half_work *w, void *to, const void *a, const void *b, uint32_t n) {
  float dst[PIECE], first[PIECE], second[PIECE];
  const size_t wide = asc_dtype_bytes(w->to);
  if (w->number)
    half_to_floats(w->from, second, w->number, 1);
  for (uint32_t i = 0; i < n; i += PIECE) {
    const uint32_t part = WEFT_MIN(n - i, (uint32_t)PIECE);
    uint8_t *out = (uint8_t *)to + (size_t)i * wide;
    if (a)
      half_to_floats(w->from, first, (const uint8_t *)a + (size_t)i * 2, part);
    if (b)
      half_to_floats(w->from, second, (const uint8_t *)b + (size_t)i * 2, part);
    if (w->to == WEFT_ASC_F32) {
      w->loop(out, first, second, part);
      continue;
    }
    if (w->accumulates)
      half_to_floats(w->to, dst, out, part);
    w->loop(dst, first, second, part);
    half_of_floats(w->to, out, dst, part);
  }
}

static bool dtype_half(weft_asc_dtype t) {
  return t == WEFT_ASC_F16 || t == WEFT_ASC_BF16;
}

static void vector_refuse(const weft_asc_vector *v, weft_asc_at at) {
  weft_asc_fail(at, "%s of %s is not there%s", op_names[v->op], asc_dtype_name(v->src[0].dtype),
                v->scalar ? " with a scalar" : "");
}

// Element types whose work is that of integers as wide: the sign does not matter.
static weft_asc_dtype vector_bits_dtype(weft_asc_vector_op op, weft_asc_dtype t) {
  const bool of_bits = op == WEFT_ASC_AND || op == WEFT_ASC_OR || op == WEFT_ASC_XOR || op == WEFT_ASC_NOT;
  if (!of_bits)
    return t;
  return t == WEFT_ASC_F32 ? WEFT_ASC_U32 : dtype_half(t) ? WEFT_ASC_U16 : t;
}

// For half and bfloat16 the loop over floats.
static asc_loop vector_loop(weft_asc_vector_op op, weft_asc_dtype t, bool scalar) {
  const asc_float_loops *loops = asc_floats();
  if (t == WEFT_ASC_F32 || dtype_half(t))
    return (scalar ? loops->scalar : loops->vector)[op];
  return asc_integer_loop(op, t, scalar);
}

static bool cast_scaled(const weft_asc_core *core, weft_asc_dtype to, weft_asc_dtype from) {
  return to == WEFT_ASC_F16 && from == WEFT_ASC_I32 && core->deq_scale != 1;
}

// int32_t to half by SetDeqScale's factor.
static void vector_cast_scaled(float scale, uint8_t *to, const uint8_t *from, uint32_t n, int round) {
  float piece[PIECE];
  for (uint32_t i = 0; i < n; i += PIECE) {
    const uint32_t part = n - i < PIECE ? n - i : PIECE;
    asc_convert(piece, WEFT_ASC_F32, from + (size_t)i * 4, WEFT_ASC_I32, 0, part);
    asc_floats()->scalar[WEFT_ASC_MUL](piece, piece, &scale, part);
    asc_convert(to + (size_t)i * 2, WEFT_ASC_F16, piece, WEFT_ASC_F32, round, part);
  }
}

static void vector_cast(weft_asc_core *core, const weft_asc_vector *v) {
  asc_runs r;
  asc_run_of run;
  const bool scaled = cast_scaled(core, v->dst.dtype, v->src[0].dtype);
  asc_runs_begin(&r, v, core);
  while (asc_runs_next(&r, &run)) {
    if (scaled)
      vector_cast_scaled((float)core->deq_scale, run.at[0], run.at[1], run.n, v->round);
    else
      asc_convert(run.at[0], v->dst.dtype, run.at[1], v->src[0].dtype, v->round, run.n);
  }
}

static void vector_part(const weft_asc_vector *v, weft_asc_dtype t, asc_loop loop, const asc_run_of *run) {
  if (dtype_half(t)) {
    const half_work work = {loop, v->src[0].dtype, v->dst.dtype, asc_op_accumulates(v->op),
                            v->scalar ? &v->value : NULL};
    const bool two = v->n_sources == 2 && !v->scalar;
    half_run(&work, run->at[0], run->at[1], two ? run->at[2] : NULL, run->n);
  } else
    loop(run->at[0], run->at[1] ? run->at[1] : run->at[0],
         v->scalar ? (const void *)&v->value : (const void *)run->at[2], run->n);
}

// The result in the sources' type, each one converted: what instructions with two names do.
static void vector_converted(weft_asc_core *core, const weft_asc_vector *v, weft_asc_dtype t, asc_loop loop) {
  uint64_t result[PIECE];
  const size_t wide = asc_dtype_bytes(t);
  const size_t narrow = asc_dtype_bytes(v->dst.dtype);
  const bool scaled = v->dst.dtype == WEFT_ASC_F16 && t == WEFT_ASC_I32;
  weft_asc_vector inner = *v;
  asc_runs r;
  asc_run_of run;
  inner.dst.dtype = t;
  asc_runs_begin(&r, v, core);
  while (asc_runs_next(&r, &run)) {
    for (uint32_t i = 0; i < run.n; i += PIECE) {
      const uint32_t n = WEFT_MIN(run.n - i, (uint32_t)PIECE);
      uint8_t *to = run.at[0] + i * narrow;
      uint8_t *second = run.at[2] ? run.at[2] + i * wide : NULL;
      const asc_run_of part = {{(uint8_t *)result, run.at[1] + i * wide, second}, .n = n};
      vector_part(&inner, t, loop, &part);
      if (scaled)
        vector_cast_scaled((float)core->deq_scale, to, (const uint8_t *)result, n, v->round);
      else
        asc_convert(to, v->dst.dtype, result, t, v->round, n);
    }
  }
}

// dst = op(number, src): the loop of two vectors, one of which holds the number.
static void vector_number_first(weft_asc_core *core, const weft_asc_vector *v, weft_asc_dtype t,
                                asc_loop loop) {
  uint64_t numbers[PIECE];
  const size_t wide = asc_dtype_bytes(t);
  weft_asc_vector inner = *v;
  asc_runs r;
  asc_run_of run;
  inner.scalar = false;
  inner.src[1] = inner.src[0];
  for (uint32_t i = 0; i < PIECE; i++)
    memcpy((uint8_t *)numbers + i * wide, &v->value, wide);

  asc_runs_begin(&r, v, core);
  while (asc_runs_next(&r, &run)) {
    for (uint32_t i = 0; i < run.n; i += PIECE) {
      const uint32_t n = WEFT_MIN(run.n - i, (uint32_t)PIECE);
      const asc_run_of part = {{run.at[0] + i * wide, (uint8_t *)numbers, run.at[1] + i * wide}, .n = n};
      vector_part(&inner, t, loop, &part);
    }
  }
}

void weft_asc_vector_touch(const weft_asc_vector *v, const char *name, weft_asc_at at) {
  weft_asc_core *core = asc_core_for(name, at);
  if (core)
    asc_runs_check(core, v, true, name, at);
}

void weft_asc_vector_read(const weft_asc_vector *v, const char *name, weft_asc_at at) {
  weft_asc_core *core = asc_core_for(name, at);
  if (core)
    asc_runs_check(core, v, false, name, at);
}

void weft_asc_vector_number(const void *address, uint32_t bytes, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("a scalar of a tensor", at);
  if (core)
    asc_local_read(core, address, bytes, "the scalar's tensor", at);
}

void weft_asc_vector_run(const weft_asc_vector *v, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  if (!core) {
    weft_asc_fail(at, "%s works in a kernel's launch only", op_names[v->op]);
    return;
  }
  asc_runs_check(core, v, true, op_names[v->op], at);
  if (v->op == WEFT_ASC_COPY && v->dst.dtype != v->src[0].dtype) {
    vector_cast(core, v);
    return;
  }
  const weft_asc_dtype t = vector_bits_dtype(v->op, v->src[0].dtype);
  const asc_loop loop = vector_loop(v->op, t, v->scalar && !v->value_first);
  if (!loop) {
    vector_refuse(v, at);
    return;
  }
  if (v->value_first) {
    vector_number_first(core, v, t, loop);
    return;
  }
  if (v->converts) {
    vector_converted(core, v, t, loop);
    return;
  }
  asc_runs r;
  asc_run_of run = {{v->dst.at, v->src[0].at, v->src[1].at}, .n = v->count};
  if (!v->in_repeats) {
    if (v->count)
      vector_part(v, t, loop, &run);
    return;
  }
  asc_runs_begin(&r, v, core);
  while (asc_runs_next(&r, &run))
    vector_part(v, t, loop, &run);
}

// ---- plain calls: elements one after another, all of one dtype ----

typedef struct plain_call {
  weft_asc_vector_op op;
  weft_asc_dtype dtype;
  const void *number;  // the bits of the last source; NULL: it is a tensor
} plain_call;

static void plain_half(asc_loop loop, const plain_call *c, void *dst, const void *a, const void *b,
                       uint32_t n) {
  const half_work work = {loop, c->dtype, c->dtype, asc_op_accumulates(c->op), c->number};
  half_run(&work, dst, a, b, n);
}

// Of operands inside UB, outside of the checked mode. False: not so, and nothing was done. Inlined: which
// operands there are its callers know.
static inline __attribute__((always_inline)) bool plain_run(const plain_call *c, const asc_run_of *run) {
  weft_asc_core *core = asc_core_now();
  const weft_asc_dtype t = vector_bits_dtype(c->op, c->dtype);
  const uint64_t bytes = (uint64_t)run->n * asc_dtype_bytes(t);
  uint8_t *dst = run->at[0];
  if (!core || core->check || !run->n)
    return false;
  const asc_loop loop = vector_loop(c->op, t, c->number);
  const void *a = asc_ub_source(core, run->at[1], bytes, dst, bytes);
  const void *b = NULL;
  if (run->at[2])
    b = asc_ub_source(core, run->at[2], bytes, dst, bytes);
  if (!loop || !a || (run->at[2] && !b) || !asc_in_ub(core, dst, bytes, !asc_op_accumulates(c->op)))
    return false;
  if (dtype_half(t))
    plain_half(loop, c, dst, a, b, run->n);
  else
    loop(dst, a, c->number ? c->number : b, run->n);
  return true;
}

// As any other call: what is wrong with it is said there.
static void plain_record(const plain_call *c, const asc_run_of *run, uint8_t n_sources, weft_asc_at at) {
  weft_asc_vector v = {.op = c->op, .n_sources = n_sources, .count = run->n};
  if (c->number) {
    v.scalar = true;
    memcpy(&v.value, c->number, sizeof v.value);
  }
  v.dst = (weft_asc_operand){run->at[0], 1, 8, c->dtype};
  v.src[0] = (weft_asc_operand){run->at[1], 1, 8, c->dtype};
  v.src[1] = (weft_asc_operand){run->at[2], 1, 8, c->dtype};
  weft_asc_vector_run(&v, at);
}

void weft_asc_unary(weft_asc_vector_op op, weft_asc_dtype dtype, void *dst, const void *src, uint32_t count,
                    weft_asc_at at) {
  const plain_call c = {op, dtype, NULL};
  const asc_run_of run = {{dst, (uint8_t *)(uintptr_t)src}, .n = count};
  if (!plain_run(&c, &run))
    plain_record(&c, &run, 1, at);
}

void weft_asc_binary(weft_asc_vector_op op, weft_asc_dtype dtype, void *dst, const void *src0,
                     const void *src1, uint32_t count, weft_asc_at at) {
  const plain_call c = {op, dtype, NULL};
  const asc_run_of run = {{dst, (uint8_t *)(uintptr_t)src0, (uint8_t *)(uintptr_t)src1}, .n = count};
  if (!src1 || !plain_run(&c, &run))
    plain_record(&c, &run, 2, at);
}

void weft_asc_with_number(weft_asc_vector_op op, weft_asc_dtype dtype, void *dst, const void *src,
                          uint64_t value, uint32_t count, weft_asc_at at) {
  const plain_call c = {op, dtype, &value};
  const asc_run_of run = {{dst, (uint8_t *)(uintptr_t)src}, .n = count};
  if (!plain_run(&c, &run))
    plain_record(&c, &run, 2, at);
}

void weft_asc_cast(weft_asc_dtype to, weft_asc_dtype from, int round, void *dst, const void *src,
                   uint32_t count, weft_asc_at at) {
  weft_asc_core *core = asc_core_now();
  const uint64_t wide = (uint64_t)count * asc_dtype_bytes(to);
  const uint64_t narrow = (uint64_t)count * asc_dtype_bytes(from);
  if (core && !core->check && count && !cast_scaled(core, to, from)) {
    const void *there = asc_ub_source(core, src, narrow, dst, wide);
    if (there && asc_in_ub(core, dst, wide, true)) {
      asc_convert(dst, to, there, from, round, count);
      return;
    }
  }
  weft_asc_vector v = {.op = WEFT_ASC_COPY, .n_sources = 1, .count = count, .round = round};
  v.dst = (weft_asc_operand){dst, 1, 8, to};
  v.src[0] = (weft_asc_operand){(void *)(uintptr_t)src, 1, 8, from};
  weft_asc_vector_run(&v, at);
}
// SPDX-License-Identifier: Apache-2.0
