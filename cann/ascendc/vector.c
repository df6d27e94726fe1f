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

// One run of 16-bit floats. dst may be a float where the accumulator is wider (Axpy, MulAddDst).
static void vector_half(const weft_asc_vector *v, asc_loop loop, const asc_run_of *run) {
  float dst[PIECE], a[PIECE], b[PIECE];
  const size_t wide = asc_dtype_bytes(v->dst.dtype);
  const bool two = v->n_sources == 2 && !v->scalar;
  const bool accumulates = asc_op_accumulates(v->op);
  if (v->scalar)
    half_to_floats(v->src[0].dtype, b, &v->value, 1);
  for (uint32_t i = 0; i < run->n; i += PIECE) {
    const uint32_t n = WEFT_MIN(run->n - i, (uint32_t)PIECE);
    uint8_t *out = run->at[0] + (size_t)i * wide;
    if (run->at[1])
      half_to_floats(v->src[0].dtype, a, run->at[1] + (size_t)i * 2, n);
    if (two)
      half_to_floats(v->src[1].dtype, b, run->at[2] + (size_t)i * 2, n);
    if (v->dst.dtype == WEFT_ASC_F32) {
      loop(out, a, b, n);
      continue;
    }
    if (accumulates)
      half_to_floats(v->dst.dtype, dst, out, n);
    loop(dst, a, b, n);
    half_of_floats(v->dst.dtype, out, dst, n);
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
static weft_asc_dtype vector_bits_dtype(const weft_asc_vector *v) {
  const weft_asc_dtype t = v->src[0].dtype;
  const bool of_bits =
      v->op == WEFT_ASC_AND || v->op == WEFT_ASC_OR || v->op == WEFT_ASC_XOR || v->op == WEFT_ASC_NOT;
  if (!of_bits)
    return t;
  return t == WEFT_ASC_F32 ? WEFT_ASC_U32 : dtype_half(t) ? WEFT_ASC_U16 : t;
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
  const bool scaled = v->dst.dtype == WEFT_ASC_F16 && v->src[0].dtype == WEFT_ASC_I32 && core->deq_scale != 1;
  asc_runs_begin(&r, v, core);
  while (asc_runs_next(&r, &run)) {
    if (scaled)
      vector_cast_scaled((float)core->deq_scale, run.at[0], run.at[1], run.n, v->round);
    else
      asc_convert(run.at[0], v->dst.dtype, run.at[1], v->src[0].dtype, v->round, run.n);
  }
}

static void vector_part(const weft_asc_vector *v, weft_asc_dtype t, asc_loop loop, const asc_run_of *run) {
  if (dtype_half(t))
    vector_half(v, loop, run);
  else
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

// Floats of one type in UB one after another, outside of the checked mode: at once. False: not so, and
// nothing was done.
static bool vector_quick(weft_asc_core *core, const weft_asc_vector *v) {
  const uint32_t sources = v->n_sources - (v->scalar ? 1u : 0u);
  const weft_asc_dtype t = v->dst.dtype;
  const uint64_t bytes = (uint64_t)v->count * asc_dtype_bytes(t);
  if (v->in_repeats || v->converts || v->value_first || core->check || (t != WEFT_ASC_F32 && !dtype_half(t)))
    return false;
  const asc_float_loops *loops = asc_floats();
  const asc_loop loop = (v->scalar ? loops->scalar : loops->vector)[v->op];
  if (!loop || !v->count)
    return false;
  const void *from[2] = {v->dst.at, NULL};
  for (uint32_t i = 0; i < sources; i++) {
    from[i] = v->src[i].dtype == t ? asc_ub_source(core, v->src[i].at, bytes, v->dst.at, bytes) : NULL;
    if (!from[i])
      return false;
  }
  if (!asc_in_ub(core, v->dst.at, bytes, !asc_op_accumulates(v->op)))
    return false;
  const asc_run_of run = {{v->dst.at, (uint8_t *)from[0], (uint8_t *)from[1]}, .n = v->count};
  vector_part(v, t, loop, &run);
  return true;
}

void weft_asc_vector_touch(const weft_asc_vector *v, const char *name, weft_asc_at at) {
  weft_asc_core *core = weft_asc_current();
  if (core)
    asc_runs_check(core, v, true, name, at);
  else
    weft_asc_fail(at, "%s works in a kernel's launch only", name);
}

void weft_asc_vector_number(const void *address, uint32_t bytes, weft_asc_at at) {
  weft_asc_core *core = asc_core_for("a scalar of a tensor", at);
  if (core)
    asc_local_read(core, address, bytes, "the scalar's tensor", at);
}

void weft_asc_vector_run(const weft_asc_vector *v, weft_asc_at at) {
  weft_asc_core *core = weft_asc_current();
  if (!core) {
    weft_asc_fail(at, "%s works in a kernel's launch only", op_names[v->op]);
    return;
  }
  if (vector_quick(core, v))
    return;
  asc_runs_check(core, v, true, op_names[v->op], at);
  if (v->op == WEFT_ASC_COPY && v->dst.dtype != v->src[0].dtype) {
    vector_cast(core, v);
    return;
  }
  const weft_asc_dtype t = vector_bits_dtype(v);
  const bool floats = t == WEFT_ASC_F32 || dtype_half(t);
  const asc_float_loops *loops = asc_floats();
  const bool scalar = v->scalar && !v->value_first;
  const asc_loop loop =
      floats ? (scalar ? loops->scalar : loops->vector)[v->op] : asc_integer_loop(v->op, t, scalar);
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
// SPDX-License-Identifier: Apache-2.0
