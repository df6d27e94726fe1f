// weft_cann/asc_core.h - what kernel_operator.h stands on: libweft_ascendc, in C. A kernel's blocks run as
// fibres of few threads; each has the memory of one core of the chosen chip; an instruction is a record that
// the library carries out at once, in the order of the program. Kernel authors include kernel_operator.h.
//
// Nothing here can be undone by hand: a block that breaks a rule (a queue without a free buffer, an address
// outside its memory) ends, the launch fails, and weft_asc_error() says which block, line and rule.
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#define WEFT_ASC __attribute__((visibility("default")))

// A place in the user's source.
typedef struct weft_asc_at {
  const char *file;
  int line;
} weft_asc_at;

// ---- launches ----

// A failure of weft_asc_run.
enum { WEFT_ASC_OK = 0, WEFT_ASC_INVALID = 1, WEFT_ASC_MEMORY = 2, WEFT_ASC_KERNEL = 3 };
// Who calls block(arg, 0 .. n - 1), in any order or at once: weft_env's own form.
typedef void (*weft_asc_parallel_fn)(void *ctx, void (*block)(void *arg, uint32_t i), void *arg, uint32_t n);

// A 2201 whose UB has 512 KB, but in checked mode: for unit tests.
#define WEFT_ASC_ARCH_TWIN 1u
typedef struct weft_asc_launch {
  const char *name;               // of the kernel, for messages
  weft_asc_at at;                 // of the launch
  void (*body)(void *args);       // the kernel with its arguments, called once in each block
  void *args;                     // lives until weft_asc_run returns
  uint32_t blocks;                // 1 .. 65535
  uint32_t threads;               // that run blocks; 0: one for each processor, or WEFT_THREADS
  uint64_t tiling_key;            // that TILING_KEY_IS sees
  uint32_t arch;                  // of --npu-arch: 2201, 3510, ...; 0: 2201. It says how large memories are
  int task;                       // WEFT_ASC_TASK_*: which cores take part, unless the kernel says it
  weft_asc_parallel_fn parallel;  // NULL: the library's own threads
  void *parallel_ctx;
} weft_asc_launch;

// All blocks have ended when it returns. Results do not depend on `threads`: atomic adds are made in the
// order of blocks. A kernel that runs for ever is not stopped.
WEFT_ASC int weft_asc_run(const weft_asc_launch *launch);
// What the last failing weft_asc_run of this thread has to say; "" before the first.
WEFT_ASC const char *weft_asc_error(void);

// Who runs a launch that goes to a stream: libweft_acl says it when it is there. Otherwise, and for a stream
// of nullptr where nobody said anything, the launch is run at once.
typedef int (*weft_asc_stream_fn)(void *stream, const weft_asc_launch *launch);
WEFT_ASC void weft_asc_set_streams(weft_asc_stream_fn run);
// weft_asc_run, in the order of the stream. A failure is the stream's, too.
WEFT_ASC int weft_asc_run_on(void *stream, const weft_asc_launch *launch);

// ---- the core that a block runs on ----

enum { WEFT_ASC_TASK_AIV = 0, WEFT_ASC_TASK_AIC = 1, WEFT_ASC_TASK_MIX_1_1 = 2, WEFT_ASC_TASK_MIX_1_2 = 3 };
enum { WEFT_ASC_AIC = 1, WEFT_ASC_AIV = 2 };

// On-chip memories.
typedef enum weft_asc_region {
  WEFT_ASC_UB,
  WEFT_ASC_L1,
  WEFT_ASC_L0A,
  WEFT_ASC_L0B,
  WEFT_ASC_L0C,
  WEFT_ASC_BIAS,
  WEFT_ASC_FIXBUF,
  WEFT_ASC_REGIONS,
} weft_asc_region;

// Units that work at once on the chip. A flag from X to Y orders what they do.
typedef enum weft_asc_pipe {
  WEFT_ASC_PIPE_S,
  WEFT_ASC_PIPE_V,
  WEFT_ASC_PIPE_M,
  WEFT_ASC_PIPE_MTE1,
  WEFT_ASC_PIPE_MTE2,
  WEFT_ASC_PIPE_MTE3,
  WEFT_ASC_PIPE_ALL,
  WEFT_ASC_PIPE_FIX = 10,
  WEFT_ASC_PIPES,
} weft_asc_pipe;

typedef enum weft_asc_atomic {
  WEFT_ASC_STORE,  // copies out replace what is there
  WEFT_ASC_ATOMIC_ADD,
  WEFT_ASC_ATOMIC_MAX,
  WEFT_ASC_ATOMIC_MIN,
} weft_asc_atomic;

typedef enum weft_asc_dtype {
  WEFT_ASC_F32,
  WEFT_ASC_F16,
  WEFT_ASC_BF16,
  WEFT_ASC_I8,
  WEFT_ASC_U8,
  WEFT_ASC_I16,
  WEFT_ASC_U16,
  WEFT_ASC_I32,
  WEFT_ASC_U32,
  WEFT_ASC_I64,
  WEFT_ASC_U64,
  WEFT_ASC_F64,
  WEFT_ASC_DTYPES,
} weft_asc_dtype;

// A part of an on-chip memory that a queue or a buffer owns.
typedef enum weft_asc_state { WEFT_ASC_FREE, WEFT_ASC_TAKEN, WEFT_ASC_QUEUED, WEFT_ASC_OUT } weft_asc_state;
typedef struct weft_asc_buffer {
  uint8_t *at;
  uint32_t bytes;
  uint8_t region;
  uint8_t state;  // weft_asc_state
  uint8_t source, target;
} weft_asc_buffer;

typedef struct weft_asc_core {
  uint32_t block, blocks;          // GetBlockIdx, GetBlockNum
  uint32_t sub_block, sub_blocks;  // of the vector cores of a group
  int kind;                        // WEFT_ASC_AIC, WEFT_ASC_AIV
  uint64_t tiling_key;
  uint8_t *memory[WEFT_ASC_REGIONS];
  uint32_t capacity[WEFT_ASC_REGIONS];
  uint32_t used[WEFT_ASC_REGIONS];   // by the pipe that lives
  uint32_t dirty[WEFT_ASC_REGIONS];  // bytes that may differ from zero; of UB the library knows it by pages
  weft_asc_buffer buffers[64];
  uint32_t n_buffers;
  uint32_t events[WEFT_ASC_PIPES][WEFT_ASC_PIPES];  // bits of ids that are taken
  weft_asc_atomic atomic;
  weft_asc_dtype atomic_dtype;
  uint64_t mask[2];      // SetVectorMask
  bool mask_counts;      // SetMaskCount
  double accumulated;    // GetAccVal
  uint64_t reduced[2];   // value and place of the last reduction
  uint64_t compared[4];  // the compare register
  uint32_t merged[4];    // how many of each list the last merge took
  double deq_scale;      // SetDeqScale
  uint64_t gathered;     // elements that the last GatherMask took
  void *pipe;            // the TPipe that lives
  void *check;           // checked mode; NULL: off
  void *fibre;
  uint32_t mutexes;        // a bit for each that is taken
  uint8_t mutex_pipe[32];  // who unlocked it last: a pipe and 1; 0: nobody yet
} weft_asc_core;

// Of the block that calls. NULL outside of launches.
WEFT_ASC weft_asc_core *weft_asc_current(void);
// A copy of the bytes that lives until the block ends. It is shared with one of the last few that were kept,
// where that is equal, so a loop that says the same again and again takes no memory. NULL outside of
// launches.
WEFT_ASC const void *weft_asc_keep(const void *from, uint32_t bytes);
// Whether the launch runs in checked mode.
static inline bool weft_asc_checked(void) {
  const weft_asc_core *core = weft_asc_current();
  return core && core->check;
}
// The block ends and the launch fails. It does not return within a launch.
WEFT_ASC void weft_asc_fail(weft_asc_at at, const char *format, ...) __attribute__((format(printf, 2, 3)));
WEFT_ASC void weft_asc_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Which cores take part, said by the kernel itself in its first line.
WEFT_ASC void weft_asc_task(int task);
// A name for an on-chip address: of the memory and the offset in it. NULL: no on-chip memory holds it.
WEFT_ASC const char *weft_asc_region_name(int region);
// `offset` bytes into a memory; the launch fails where fewer than `bytes` follow.
WEFT_ASC uint8_t *weft_asc_region_at(int region, uint64_t offset, uint64_t bytes, weft_asc_at at);

// The kernel is about to use addresses of UB by itself: what blocks before it left there is cleared now.
WEFT_ASC void weft_asc_pointers(void);

// ---- queues ----

typedef struct weft_asc_queue {
  uint8_t region, source, target;  // pipes that fill and empty a buffer
  uint8_t first, count;            // its buffers in weft_asc_core.buffers
  uint8_t next;                    // that AllocTensor looks at first
  uint8_t head, waiting;           // the ring of those put in
  uint8_t ring[64];
} weft_asc_queue;
WEFT_ASC void weft_asc_queue_init(weft_asc_queue *q, uint32_t buffers, uint32_t bytes, weft_asc_at at);
WEFT_ASC weft_asc_buffer *weft_asc_queue_alloc(weft_asc_queue *q, weft_asc_at at);
WEFT_ASC void weft_asc_queue_put(weft_asc_queue *q, const void *address, weft_asc_at at);
WEFT_ASC weft_asc_buffer *weft_asc_queue_take(weft_asc_queue *q, weft_asc_at at);
WEFT_ASC void weft_asc_queue_free(weft_asc_queue *q, const void *address, weft_asc_at at);
// Memory without a queue, and the end of a pipe: all of it is free again.
WEFT_ASC weft_asc_buffer *weft_asc_buffer_init(int region, uint32_t bytes, weft_asc_at at);
WEFT_ASC void weft_asc_pipe_reset(bool destroy, weft_asc_at at);

// ---- order ----

WEFT_ASC int32_t weft_asc_event_alloc(int source, int target, bool keep, weft_asc_at at);
WEFT_ASC void weft_asc_event_release(int source, int target, int32_t id, weft_asc_at at);
WEFT_ASC void weft_asc_flag_set(int source, int target, int32_t id, weft_asc_at at);
WEFT_ASC void weft_asc_flag_wait(int source, int target, int32_t id, weft_asc_at at);
// What `target` does next comes after what `source` has done.
WEFT_ASC void weft_asc_flag_pass(int source, int target, weft_asc_at at);
WEFT_ASC void weft_asc_barrier(int pipe, weft_asc_at at);
// Between cores. SyncAll: until all blocks of a kind called it.
WEFT_ASC void weft_asc_sync_all(bool vectors_only, weft_asc_at at);
WEFT_ASC void weft_asc_cross_set(int mode, int pipe, uint32_t flag, weft_asc_at at);
WEFT_ASC void weft_asc_cross_wait(int mode, int pipe, uint32_t flag, weft_asc_at at);
// Waits until `ready(arg)`: another block has to make it so.
WEFT_ASC void weft_asc_wait_for(bool (*ready)(void *arg), void *arg, const char *what, weft_asc_at at);
// Blocks before this one have ended or wait: what they add comes first.
WEFT_ASC void weft_asc_turn(weft_asc_at at);

// ---- instructions ----

// An operand: elements from `at`; in repeats, 32-byte blocks `block` apart, repeats `repeat` blocks apart.
typedef struct weft_asc_operand {
  void *at;
  uint32_t block, repeat;
  weft_asc_dtype dtype;
} weft_asc_operand;

#define WEFT_ASC_VECTOR_OPS(X) \
  X(ADD)                       \
  X(SUB)                       \
  X(MUL)                       \
  X(DIV)                       \
  X(MAX)                       \
  X(MIN)                       \
  X(AND)                       \
  X(OR)                        \
  X(XOR)                       \
  X(ADD_RELU)                  \
  X(SUB_RELU)                  \
  X(MUL_ADD)                   \
  X(FUSED_MUL_ADD)             \
  X(FUSED_MUL_ADD_RELU)        \
  X(ABS_SUB)                   \
  X(EXP_SUB)                   \
  X(SHIFT_LEFT)                \
  X(SHIFT_RIGHT)               \
  X(PRELU)                     \
  X(POW)                       \
  X(MOD)                       \
  X(ATAN2)                     \
  X(COPY)                      \
  X(ABS)                       \
  X(EXP)                       \
  X(LN)                        \
  X(LOG2)                      \
  X(LOG10)                     \
  X(SQRT)                      \
  X(RSQRT)                     \
  X(RECIPROCAL)                \
  X(RELU)                      \
  X(NOT)                       \
  X(NEG)                       \
  X(SIGN)                      \
  X(FLOOR)                     \
  X(CEIL)                      \
  X(ROUND)                     \
  X(RINT)                      \
  X(TRUNC)                     \
  X(FRAC)                      \
  X(SIN)                       \
  X(COS)                       \
  X(TAN)                       \
  X(ASIN)                      \
  X(ACOS)                      \
  X(ATAN)                      \
  X(SINH)                      \
  X(COSH)                      \
  X(TANH)                      \
  X(ASINH)                     \
  X(ACOSH)                     \
  X(ATANH)                     \
  X(ERF)                       \
  X(ERFC)                      \
  X(LGAMMA)                    \
  X(SIGMOID)                   \
  X(SWISH)                     \
  X(SILU)                      \
  X(GELU)                      \
  X(GELU_FAST)                 \
  X(DUPLICATE)                 \
  X(INDEX)                     \
  X(LEAKY_RELU)                \
  X(AXPY)                      \
  X(SHIFT_RIGHT_ROUND)
typedef enum weft_asc_vector_op {
#define WEFT_ASC_OP(name) WEFT_ASC_##name,
  WEFT_ASC_VECTOR_OPS(WEFT_ASC_OP)
#undef WEFT_ASC_OP
      WEFT_ASC_VECTOR_OP_COUNT,
} weft_asc_vector_op;

// dst = op(src0[, src1 or the scalar]) element by element. Either `count` elements one after another, or
// `repeats` times 256 bytes of the widest operand, of which the bits of `mask` say the elements.
typedef struct weft_asc_vector {
  weft_asc_vector_op op;
  uint8_t n_sources;
  bool scalar;  // the last source is `value`, in the dtype of src0
  bool in_repeats;
  bool mask_register;  // the mask is what SetVectorMask said
  uint32_t count;
  uint32_t repeats;
  uint64_t mask[2];
  uint64_t value;    // its bits
  int round;         // of COPY between dtypes, and of `converts`: AscendC::RoundMode
  bool converts;     // the result has the dtype of src0, and is converted to that of dst
  bool value_first;  // with `scalar`: dst = op(value, src0)
  weft_asc_operand dst, src[2];
} weft_asc_vector;
WEFT_ASC void weft_asc_vector_run(const weft_asc_vector *v, weft_asc_at at);
// What most calls are, without a record: `count` elements one after another, all operands of one dtype.
WEFT_ASC void weft_asc_unary(weft_asc_vector_op op, weft_asc_dtype dtype, void *dst, const void *src,
                             uint32_t count, weft_asc_at at);
WEFT_ASC void weft_asc_binary(weft_asc_vector_op op, weft_asc_dtype dtype, void *dst, const void *src0,
                              const void *src1, uint32_t count, weft_asc_at at);
// `value`: the bits of the last source, in the dtype.
WEFT_ASC void weft_asc_with_number(weft_asc_vector_op op, weft_asc_dtype dtype, void *dst, const void *src,
                                   uint64_t value, uint32_t count, weft_asc_at at);
// From one dtype into another. `round`: AscendC::RoundMode.
WEFT_ASC void weft_asc_cast(weft_asc_dtype to, weft_asc_dtype from, int round, void *dst, const void *src,
                            uint32_t count, weft_asc_at at);
// The vector unit takes its scalar from on-chip memory.
WEFT_ASC void weft_asc_vector_number(const void *address, uint32_t bytes, weft_asc_at at);
// Looks at the operands as weft_asc_vector_run does, and leaves the arithmetic to who calls.
WEFT_ASC void weft_asc_vector_touch(const weft_asc_vector *v, const char *name, weft_asc_at at);
// At the sources alone. What does more than one look reads all of its sources before it touches dst, which
// may be one of them: the bytes of dst count as written then, and what was to come there is not brought.
WEFT_ASC void weft_asc_vector_read(const weft_asc_vector *v, const char *name, weft_asc_at at);

typedef enum weft_asc_compare {
  WEFT_ASC_LT,
  WEFT_ASC_GT,
  WEFT_ASC_EQ,
  WEFT_ASC_LE,
  WEFT_ASC_GE,
  WEFT_ASC_NE
} weft_asc_compare;
// Bits of src0 cmp src1 into dst (or the compare register, where dst.at is NULL).
WEFT_ASC void weft_asc_compare_run(const weft_asc_vector *v, weft_asc_compare cmp, weft_asc_at at);
// The compare register from 16 bytes of UB, or to them.
WEFT_ASC void weft_asc_compare_register(void *bits, bool load, weft_asc_at at);
// dst = bit ? src0 : src1. mode 0: the same bits in each repeat; 1: src1 is the scalar; 2: bits go on.
WEFT_ASC void weft_asc_select_run(const weft_asc_vector *v, const void *bits, int mode, weft_asc_at at);

// What becomes one number: all elements, those of each repeat, of each block of 32 bytes, or two neighbours.
typedef enum weft_asc_reduce_part {
  WEFT_ASC_REDUCE_ALL,
  WEFT_ASC_REDUCE_REPEAT,
  WEFT_ASC_REDUCE_BLOCK,
  WEFT_ASC_REDUCE_PAIR,
} weft_asc_reduce_part;
typedef enum weft_asc_reduce_order {
  WEFT_ASC_ORDER_VALUE,
  WEFT_ASC_ORDER_VALUE_INDEX,
  WEFT_ASC_ORDER_INDEX_VALUE,
  WEFT_ASC_ORDER_INDEX,
} weft_asc_reduce_order;
typedef struct weft_asc_reduce {
  weft_asc_vector_op op;  // ADD, MAX or MIN
  weft_asc_reduce_part part;
  weft_asc_reduce_order order;  // of MAX and MIN of repeats: values with places, which are 32 bits for float
  bool index_behind;            // of all: the place behind the value
  bool in_repeats, mask_register;
  uint32_t count, repeats;
  uint64_t mask[2];
  weft_asc_dtype to;
  void *dst;
  uint32_t dst_stride;  // between the results of repeats, in what a repeat gives
  weft_asc_operand src;
} weft_asc_reduce;
WEFT_ASC void weft_asc_reduce_run(const weft_asc_reduce *r, weft_asc_at at);
// Of `count` elements one after another, without a record.
WEFT_ASC void weft_asc_reduce_plain(weft_asc_vector_op op, weft_asc_dtype dtype, void *dst, const void *src,
                                    uint32_t count, bool index_behind, weft_asc_at at);
// Of a matrix its rows, or its columns; rows are `pitch` elements apart.
typedef struct weft_asc_reduce_matrix {
  weft_asc_vector_op op;
  weft_asc_dtype dtype;
  void *dst;
  const void *src;
  uint32_t rows, columns, pitch;
  bool of_rows;
} weft_asc_reduce_matrix;
WEFT_ASC void weft_asc_reduce_matrix_run(const weft_asc_reduce_matrix *m, weft_asc_at at);

// Rows of `columns` numbers, `pitch` apart: softmax of each. sum and max: 8 floats a row, or NULL.
typedef struct weft_asc_softmax {
  weft_asc_dtype dtype;
  void *dst;
  const void *src;
  float *sum, *max;
  uint32_t rows, columns, pitch;
} weft_asc_softmax;
WEFT_ASC void weft_asc_softmax_run(const weft_asc_softmax *s, weft_asc_at at);
// Rows less their mean (unless it is no_mean: RmsNorm), over their deviation, times gamma, plus beta. NULL:
// there is none. mean and spread get a number a row: the variance, or with rstd 1 / sqrt(variance + epsilon).
// given_mean, given_variance: those of the rows, which are not computed then.
typedef struct weft_asc_norm {
  weft_asc_dtype dtype, gamma_dtype, beside_dtype;
  void *dst;
  const void *src, *gamma, *beta;
  void *mean, *spread;
  const float *given_mean, *given_variance;
  uint32_t rows, columns, pitch;
  float epsilon;
  bool no_mean, rstd;
} weft_asc_norm;
WEFT_ASC void weft_asc_norm_run(const weft_asc_norm *n, weft_asc_at at);

// Mean and squared deviations that are counted on, number after number: the mean moves by a part `weight` of
// what x is away from it, and the deviations grow by x less the old mean times x less the new one. Numbers
// behind `n`, up to `whole`, keep what they were. mean and deviations may be where they were.
typedef struct weft_asc_welford {
  float *mean, *deviations;
  const float *old_mean, *old_deviations;
  const void *x;
  weft_asc_dtype dtype;  // of x
  uint32_t n, whole;
  float weight;
} weft_asc_welford;
WEFT_ASC void weft_asc_welford_run(const weft_asc_welford *w, weft_asc_at at);
// n such means become one, and their deviations one variance. counts[i] numbers made mean i; without counts
// the first n_head of them had `head`, the others `tail`. of_all: 1 over all of the numbers, or what the
// kernel has for it; of_mean: the same for the mean.
typedef struct weft_asc_welford_end {
  float *mean, *variance;  // of one element
  const float *means, *deviations;
  const int32_t *counts;
  uint32_t n, n_head;
  float head, tail, of_mean, of_all;
} weft_asc_welford_end;
WEFT_ASC void weft_asc_welford_end_run(const weft_asc_welford_end *w, weft_asc_at at);

// Sums of all numbers up to each one, in rows or down columns; in float, each rounded once. last: the last
// row of dst besides; NULL: not wanted.
typedef struct weft_asc_cumsum {
  void *dst, *last;
  const void *src;
  weft_asc_dtype dtype;
  uint32_t rows, columns;
  bool down;
} weft_asc_cumsum;
WEFT_ASC void weft_asc_cumsum_run(const weft_asc_cumsum *c, weft_asc_at at);

// src * scale + offset, or with offset_first (src + offset) * scale, in float; where `half` is set, rounded
// to half on the way to whole numbers. A factor is an element of a tensor, at (row / rows) * row_step +
// column / columns * column_step, or without a tensor its value. Of a dtype of 64 bits the low half is a
// float.
typedef struct weft_asc_factor {
  const void *at;
  weft_asc_dtype dtype;
  float value;
  uint32_t rows, columns, row_step, column_step;  // the first two: 1 or more
} weft_asc_factor;
typedef struct weft_asc_quant {
  void *dst;
  const void *src;
  weft_asc_dtype to, from;
  weft_asc_factor scale, offset;
  uint32_t rows, columns, dst_pitch, src_pitch;  // of elements
  bool offset_first, half;
} weft_asc_quant;
WEFT_ASC void weft_asc_quant_run(const weft_asc_quant *q, weft_asc_at at);

// ---- elements by place: `element` is the bytes of one ----
typedef struct weft_asc_brcb {
  void *dst;
  const void *src;
  uint32_t element, repeats, block, repeat;
} weft_asc_brcb;
WEFT_ASC void weft_asc_brcb_run(const weft_asc_brcb *b, weft_asc_at at);
// `count` elements, or `repeats` of 256 bytes under a mask. scatter: dst at offsets, src one after another.
typedef struct weft_asc_gather {
  void *dst;
  const void *src;
  const uint32_t *offset;
  uint32_t element, base, repeats, stride, count;
  uint64_t mask[2];
  bool scatter;
} weft_asc_gather;
WEFT_ASC void weft_asc_gather_run(const weft_asc_gather *g, weft_asc_at at);
// Blocks of 32 bytes, eight a repeat, from where a byte's place for each says. Strides count in blocks.
typedef struct weft_asc_gather_blocks {
  void *dst;
  const void *src;
  const uint32_t *offset;
  uint32_t repeats, block, repeat;
} weft_asc_gather_blocks;
WEFT_ASC void weft_asc_gather_blocks_run(const weft_asc_gather_blocks *g, weft_asc_at at);
// Those whose bit is set, one after another; gives how many. count: elements of a repeat; 0: 256 bytes.
typedef struct weft_asc_gather_mask {
  void *dst;
  const void *src, *bits;
  uint32_t element, pattern, count;
  uint32_t block, repeats, repeat, bits_repeat;
} weft_asc_gather_mask;
WEFT_ASC uint64_t weft_asc_gather_mask_run(const weft_asc_gather_mask *g, weft_asc_at at);
// dst0 and dst1 together are src0[0], src1[0], src0[1], ...; apart: the other way.
typedef struct weft_asc_interleave {
  void *dst0, *dst1;
  const void *src0, *src1;
  uint32_t element, count;
  bool apart;
} weft_asc_interleave;
WEFT_ASC void weft_asc_interleave_run(const weft_asc_interleave *i, weft_asc_at at);
typedef struct weft_asc_rows16 {
  const uint64_t *dst, *src;
  uint32_t element;
  bool dst_high, src_high;
  uint32_t repeats, dst_repeat, src_repeat;
} weft_asc_rows16;
WEFT_ASC void weft_asc_rows16_run(const weft_asc_rows16 *r, weft_asc_at at);
// `count` pieces of `piece` bytes, at both sides a step apart.
typedef struct weft_asc_strided {
  const char *name;
  void *dst;
  const void *src;
  uint32_t piece, count, dst_step, src_step;
} weft_asc_strided;
WEFT_ASC void weft_asc_strided_run(const weft_asc_strided *s, weft_asc_at at);

// ---- order by value: larger ones first unless `smallest`; of equal values the first stays first; NaN is the
// largest ----
// Lists of `count` items of `item` bytes, each by the value at `key` in it.
typedef struct weft_asc_sort {
  weft_asc_dtype dtype;
  void *dst;
  const void *src;
  uint32_t item, key, count, lists;
} weft_asc_sort;
WEFT_ASC void weft_asc_sort_run(const weft_asc_sort *s, weft_asc_at at);
// Ordered lists become one, those that `lists` has a bit for. stop: as soon as one of them is used up.
// taken: how many items of each came. repeats: of four lists of equal length, one behind the other.
typedef struct weft_asc_merge {
  weft_asc_dtype dtype;
  void *dst;
  const void *src[4];
  uint16_t lengths[4];
  uint32_t item, key, lists, repeats;
  bool stop;
  uint32_t *taken;
} weft_asc_merge;
WEFT_ASC void weft_asc_merge_run(const weft_asc_merge *m, weft_asc_at at);
// The first k of n values and their numbers, which are 0, 1, ... where none are given.
typedef struct weft_asc_top {
  weft_asc_dtype dtype;
  void *dst, *dst_numbers;
  const void *src, *numbers;
  uint32_t number_bytes, n, k;
  bool smallest;
} weft_asc_top;
WEFT_ASC void weft_asc_top_run(const weft_asc_top *t, weft_asc_at at);

// A copy of rows. Gaps lie between the end of a row and the start of the next.
typedef struct weft_asc_copy {
  void *to;
  const void *from;
  bool to_global, from_global;
  weft_asc_dtype dtype;  // of atomic modes
  uint32_t rows;
  uint64_t row_bytes;
  int64_t from_gap, to_gap;  // in bytes
  uint32_t left, right;      // bytes of padding around each row at `to`
  uint32_t round;            // row at `to` is filled up to this many bytes; 0: not
  uint64_t pad;              // the bits of an element of padding
  uint32_t element;          // its bytes
  bool in_blocks;            // rows are whole blocks of 32 bytes, as DataCopy asks for
  int pipe;
  uint64_t global_bytes;  // that a GlobalTensor has from here on; UINT64_MAX: not known
} weft_asc_copy;
WEFT_ASC void weft_asc_copy_run(const weft_asc_copy *c, weft_asc_at at);
// One row as it is between global memory and the chip, without a record.
enum { WEFT_ASC_COPY_OUT = 1, WEFT_ASC_COPY_IN_BLOCKS = 2 };  // else into the chip; else of any bytes
WEFT_ASC void weft_asc_copy_row(void *to, const void *from, uint64_t bytes, uint64_t global_bytes, int pipe,
                                uint32_t how, weft_asc_at at);

// A scalar access by the program itself.
WEFT_ASC void weft_asc_scalar(const void *address, uint32_t bytes, bool write, bool global, weft_asc_at at);

#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
