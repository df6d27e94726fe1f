// node_tiling_test.c - what a kernel finds when it is asked about a node.
#include "device/node_tiling.h"

#include "check.h"

typedef struct asked {
  weft_arena arena;
  weft__node_args args;
  weft_layout layout[3];
} asked;

// Two inputs of float, the second known, and an output of half.
static bool asked_make(asked *q, const weft_tensor *known) {
  weft__arena_init(&q->arena, NULL);
  if (!weft__node_args_make(&q->arena, 2, 1, &q->args))
    return false;
  for (uint32_t i = 0; i < 3; i++) {
    q->args.layout[i] = &q->layout[i];
    q->args.dtype[i] = i < 2 ? WEFT_FLOAT : WEFT_FLOAT16;
  }
  q->args.value[1] = known;
  return true;
}

static const weft_op_desc TWO_TO_ONE = {.size = sizeof(weft_op_desc), .n_in = 2, .n_out = 1};

TEST(a_node_is_told_in_order) {
  asked q;
  const weft_tensor known = {.dtype = WEFT_FLOAT};
  const weft_host host = {.size = sizeof host};
  CHECK(asked_make(&q, &known));
  const weft_tiling t = weft__tiling_of_node(&TWO_TO_ONE, &host, &q.args);
  CHECK_INT(t.size, sizeof t);
  CHECK_INT(t.n_in, 2);
  CHECK_INT(t.n_out, 1);
  CHECK(t.desc == &TWO_TO_ONE && t.host == &host);
  CHECK(t.in[0] == &q.layout[0] && t.in[1] == &q.layout[1] && t.out[0] == &q.layout[2]);
  CHECK_INT(t.in_dtype[1], WEFT_FLOAT);
  CHECK_INT(t.out_dtype[0], WEFT_FLOAT16);
  CHECK(!t.value[0] && t.value[1] == &known);
  weft__arena_deinit(&q.arena);
}

TEST(a_tiling_begins_with_one_phase_and_no_record) {
  asked q;
  CHECK(asked_make(&q, NULL));
  const weft_tiling t = weft__tiling_of_node(&TWO_TO_ONE, NULL, &q.args);
  CHECK_INT(t.phases, 1);
  CHECK_INT(t.atomic_clean, 1);
  CHECK_INT(t.blocks, 0);
  CHECK_INT(t.n_workspaces, 0);
  CHECK(!t.data && !t.region && !t.d);
  weft__arena_deinit(&q.arena);
}

TEST(formats_are_the_callers_choice) {
  asked q;
  const weft_format stored[3] = {WEFT_NC1HWC0, WEFT_ND, WEFT_NCHW};
  CHECK(asked_make(&q, NULL));
  weft_tiling t = weft__tiling_of_node(&TWO_TO_ONE, NULL, &q.args);
  CHECK(!t.in_format && !t.out_format);
  q.args.format = stored;
  t = weft__tiling_of_node(&TWO_TO_ONE, NULL, &q.args);
  CHECK_INT(t.in_format[0], WEFT_NC1HWC0);
  CHECK_INT(t.out_format[0], WEFT_NCHW);
  weft__arena_deinit(&q.arena);
}
// SPDX-License-Identifier: Apache-2.0
