// move_run.c - copies between strided views: the innermost axis in runs, spread, or - where the input's
// neighbours lie along another axis - turned over eight by eight.
#include "cpu/move/move_parts.h"
#include "cpu/move/lines.h"

typedef weft__move_part part;
typedef weft__move_plan plan;

enum { AXES = WEFT__MOVE_AXES };

uint32_t weft__move_neighbours(const part *q) {
  uint32_t last = q->axes - 1;
  const bool spread = q->from[last] > 2 && q->from[last] <= SIZE_MAX / 2;
  if (!spread || q->to[last] != 1)
    return q->axes;
  for (uint32_t k = 0; k < last; k++) {
    if (q->from[k] == 1 && q->dim[k] > 1)
      return k;
  }
  return q->axes;
}

// An address: strides may go backwards, modulo 2^64.
static inline const char *move_run_at(const char *p, size_t bytes) {
  return (const char *)((uintptr_t)p + bytes);
}

// Which of vec->turn: elements of 1, 2, 4, 8 bytes.
static size_t turn_of(const plan *p) {
  size_t log = 0;
  while ((size_t)1 << log < p->bytes)
    log++;
  return log;
}

// A square of whole cache lines, read and written as such.
static void turn_square(const plan *p, char *to, const char *from, size_t from_line, size_t to_line) {
  _Alignas(64) char in[64 * 64], out[64 * 64];
  const size_t n = 64 / p->bytes;
  for (size_t r = 0; r < n; r++)
    memcpy(in + r * 64, from + r * from_line * p->bytes, 64);
  p->vec->turn[turn_of(p)](in, n, out, n, n, n);
  for (size_t c = 0; c < n; c++)
    memcpy(to + c * to_line * p->bytes, out + c * 64, 64);
}

static void move_run_turn(const plan *p, char *to, const char *from, size_t rows, size_t cols,
                          size_t from_line, size_t to_line) {
  const size_t log = turn_of(p);
  const size_t wide = 64 / p->bytes;  // columns of a cache line
  // Lines a multiple of 1 KiB apart share few places in the first cache: fewer than there are columns in one.
  const bool meet = (from_line * p->bytes | to_line * p->bytes) % 1024 == 0;
  const size_t done = meet && p->bytes <= 2 ? rows / wide * wide : 0;
  const size_t some = meet ? wide : 64;
  for (size_t c = 0; done && c + wide <= cols; c += wide) {
    for (size_t r = 0; r < done; r += wide) {
      turn_square(p, to + (c * to_line + r) * p->bytes, from + (r * from_line + c) * p->bytes, from_line,
                  to_line);
    }
  }
  if (done) {  // what is left of the columns
    size_t c = cols / wide * wide;
    p->vec->turn[log](from + c * p->bytes, from_line, to + c * to_line * p->bytes, to_line, done, cols - c);
    from += done * from_line * p->bytes;
    to += done * p->bytes;
    rows -= done;
  }
  for (size_t c = 0; c < cols; c += some) {
    p->vec->turn[log](from + c * p->bytes, from_line, to + c * to_line * p->bytes, to_line, rows,
                      WEFT_MIN(cols - c, some));
  }
}

static void run_part(const plan *p, const part *q, char *to, const char *from, size_t first, size_t end) {
  uint32_t last = q->axes - 1;
  uint32_t other = weft__move_neighbours(q);
  const bool turns = other < q->axes;
  const bool lines = !turns && last && q->to[last] == 1 && q->from[last] == 1;
  size_t index[AXES] = {0};
  size_t dim[AXES];
  size_t rows = 1;
  memcpy(dim, q->dim, sizeof dim);
  to += (q->to_at + first * q->to[q->cut]) * p->bytes;
  from = move_run_at(from, (q->from_at + first * q->from[q->cut]) * p->bytes);
  dim[q->cut] = end - first;
  size_t n = dim[last];
  dim[last] = 1;
  if (lines)
    other = last - 1;
  const size_t cols = turns || lines ? dim[other] : 1;
  if (turns || lines)
    dim[other] = 1;
  for (uint32_t k = 0; k < q->axes; k++)
    rows *= dim[k];
  for (size_t i = 0; i < rows; i++) {
    if (turns)
      move_run_turn(p, to, from, n, cols, q->from[last], q->to[other]);
    else if (lines)
      p->vec->lines(to, q->to[other] * p->bytes, from, q->from[other] * p->bytes, n * p->bytes, cols);
    else
      weft__line(p->bytes, to, from, n, q->to[last], q->from[last]);
    for (uint32_t k = q->axes; k-- > 0;) {
      if (dim[k] == 1)
        continue;
      to += q->to[k] * p->bytes;
      from = move_run_at(from, q->from[k] * p->bytes);
      if (++index[k] < dim[k])
        break;
      to -= q->to[k] * dim[k] * p->bytes;
      from = move_run_at(from, 0 - q->from[k] * dim[k] * p->bytes);
      index[k] = 0;
    }
  }
}

// One or two axes, the inner one without gaps.
static void stream_part(const plan *p, const part *q, char *to, const char *from, size_t first, size_t end) {
  const bool one = q->axes == 1;
  const size_t rows = one ? 1 : end - first;
  const size_t n = one ? end - first : q->dim[1];
  to += (q->to_at + first * q->to[0]) * p->bytes;
  from = move_run_at(from, (q->from_at + first * q->from[0]) * p->bytes);
  for (size_t i = 0; i < rows; i++)
    p->vec->stream(to + i * q->to[0] * p->bytes, move_run_at(from, i * q->from[0] * p->bytes), n * p->bytes);
}

static bool is_empty(const part *q) {
  for (uint32_t k = 0; k < q->axes; k++) {
    if (!q->dim[k])
      return true;
  }
  return false;
}

// A block's share of a part.
static void run_share(const weft_block *b, const plan *p, const part *q) {
  const size_t first = (b->block - q->first_block) * q->per;
  const size_t end = WEFT_MIN(first + q->per, q->dim[q->cut]);
  const bool callers = q->out < 32 && b->given >> q->out & 1;
  char *to = b->arg[p->n_in + q->out];
  const char *from = b->arg[q->in];
  if (first >= end || is_empty(q))
    return;
  if (callers && q->streams)
    stream_part(p, q, to, from, first, end);
  else
    run_part(p, q, to, from, first, end);
}

weft_status weft__move_run(const weft_block *b) {
  const plan *p = b->data;
  for (uint32_t i = 0; i < p->parts; i++) {
    const part *q = &p->part[i];
    const bool shares = b->block >= q->first_block && b->block < q->first_block + q->blocks;
    if (shares)
      run_share(b, p, q);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
