// control.h - what If, Loop, Scan and SequenceMap share: descriptions of values that go into bodies and come
// out, and the lists of tensors that a run carries.
#pragma once
#include "op.h"

#define WEFT_ALL_KINDS 0xff  // ports that take sequences and optionals, too

// Descriptions from the scratch allocator; freed with the same count. NULL: out of memory, with a message.
weft_described *weft__described_new(const weft_infer *it, size_t n);
void weft__described_free(const weft_infer *it, weft_described *v, size_t n);
// with its known value
void weft__describe_input(const weft_infer *it, uint32_t in, weft_described *out);
void weft__describe_scalar(weft_dtype t, weft_described *out);
weft_status weft__give_output(weft_infer *it, uint32_t out, const weft_described *v);
// What is true of both: dims and ranks that differ become unknown. E_DTYPE, E_TYPE when dtypes or kinds
// differ.
// *changed is set when `into` became less known.
weft_status weft__describe_merge(const weft_infer *it, weft_described *into, const weft_described *v,
                                 const char *what, bool *changed);
// Infers sub-graph 0 until the states that go in are those that come out; each round can only lose knowledge.
// States come first in both; `in` holds what is true in every turn, `out` what the last round gave. E_LIMIT:
// they do not settle.
weft_status weft__settle_states(weft_infer *it, uint32_t n_state, weft_described *in, uint32_t n_in,
                                weft_described *out, uint32_t n_out);

// A list with an entry for each of `n` scan inputs or outputs, or an empty one. E_INVALID: another count.
// E_RANGE: a direction that is neither 0 (forwards) nor 1.
weft_status weft__scan_list(const weft_infer *it, uint32_t slot, uint32_t n, bool directions);

// Tensors of a run: an array of initialised tensors from the environment's allocator.
weft_tensor *weft__tensors_new(const weft_call *c, size_t n);
void weft__tensors_free(const weft_call *c, weft_tensor *v, size_t n);
// A growing list of tensors; taken over from the caller.
typedef struct weft_tensor_list {
  weft_tensor *v;
  size_t n, cap;
} weft_tensor_list;
weft_status weft__list_take(const weft_call *c, weft_tensor_list *l, weft_tensor *t);
void weft__list_free(const weft_call *c, weft_tensor_list *l);
// Output `out` = the tensors of the list stacked along a new axis; `reversed` puts the last first. With an
// empty list the other dims are those inference found, 0 where it found none.
weft_status weft__stack(const weft_call *c, uint32_t out, const weft_tensor_list *l, int64_t axis,
                        bool reversed);
// SPDX-License-Identifier: Apache-2.0
