// streams_test.c - streams and waits over random launches: clocks are what reachability says, no wait follows
// from the others, nothing races, and memory planned by the clocks is proved.
#include "plan/streams.h"

#include "check.h"
#include "plan/plan.h"

enum { STEPS = 60, SPACES = 24, MORE = 6 };

typedef struct sample {
  weft_arena arena;
  weft_stream_input in;
  weft_stream_plan out;
  weft_access access[STEPS * 4];
  uint64_t cost[STEPS];
  uint8_t lane[STEPS], barrier[STEPS];
  uint32_t lane_streams[3];
  weft_diag d;
} sample;

static uint64_t state;
static uint32_t pick(uint32_t n) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % n;
}

static void make(sample *s, uint64_t seed) {
  memset(s, 0, sizeof *s);
  state = seed * 2654435761u + 1;
  weft__arena_init(&s->arena, NULL);
  uint32_t n = 2 + pick(STEPS - 2);
  uint32_t a = 0;
  s->in = (weft_stream_input){.n_steps = n,
                              .n_lanes = 1 + pick(3),
                              .cost_ns = s->cost,
                              .lane = s->lane,
                              .barrier = s->barrier,
                              .lane_streams = s->lane_streams,
                              .access = s->access,
                              .sync_ns = pick(3) * 500};
  for (uint32_t i = 0; i < 3; i++)
    s->lane_streams[i] = 1 + pick(4);
  for (uint32_t i = 0; i < n; i++) {
    s->cost[i] = 100 + pick(5000);
    s->lane[i] = (uint8_t)pick(s->in.n_lanes);
    s->barrier[i] = !s->lane[i] && !pick(20);
    for (uint32_t k = 1 + pick(3), w = 0; k--; w++) {
      uint64_t from = pick(4) * 16;
      uint64_t size = 16 * (1 + pick(4));
      s->access[a++] =
          (weft_access){.step = i, .space = pick(SPACES), .begin = from, .end = from + size, .write = !w};
    }
  }
  s->in.n_accesses = a;
}

// Has a finished before b begins? From streams, waits, and what stream 0 hands over.
static bool reaches(const sample *s, uint32_t a, uint32_t b, uint32_t without, bool *seen) {
  const weft_stream_plan *o = &s->out;
  if (seen[b])
    return false;
  seen[b] = true;
  for (uint32_t k = 0; k < b; k++) {
    bool before = o->stream[k] == o->stream[b] || (o->lane_of[o->stream[b]] && o->stream[k] == 0);
    for (uint32_t w = o->first_wait[b]; w < o->first_wait[b + 1]; w++)
      before |= w != without && o->wait[w].stream == o->stream[k] && o->position[k] <= o->wait[w].count;
    if (before && (k == a || reaches(s, a, k, without, seen)))
      return true;
  }
  return false;
}

static bool ordered(const sample *s, uint32_t a, uint32_t b, uint32_t without) {
  bool seen[STEPS] = {false};
  return reaches(s, a, b, without, seen);
}

static void check_clocks(const sample *s) {
  const weft_stream_plan *o = &s->out;
  for (uint32_t b = 0; b < s->in.n_steps; b++) {
    for (uint32_t a = 0; a < b; a++) {
      bool says = o->clock[b * o->n_streams + o->stream[a]] >= o->position[a];
      if (says != ordered(s, a, b, UINT32_MAX))
        check_failed(__FILE__, __LINE__, "step %u before %u: the clock says %d", a, b, says);
    }
  }
}

static void check_waits(const sample *s) {
  const weft_stream_plan *o = &s->out;
  for (uint32_t b = 0; b < s->in.n_steps; b++) {
    for (uint32_t w = o->first_wait[b]; w < o->first_wait[b + 1]; w++) {
      for (uint32_t a = 0; a < b; a++) {
        if (o->stream[a] == o->wait[w].stream && o->position[a] == o->wait[w].count && ordered(s, a, b, w))
          check_failed(__FILE__, __LINE__, "step %u waits for %u, which the other waits say already", b, a);
      }
    }
  }
}

// The order that the memory asks for, found by looking at all pairs.
static void check_order(const sample *s) {
  for (uint32_t i = 0; i < s->in.n_accesses; i++) {
    for (uint32_t k = 0; k < i; k++) {
      const weft_access *a = &s->access[k];
      const weft_access *b = &s->access[i];
      if (a->step == b->step || a->space != b->space || a->begin >= b->end || b->begin >= a->end)
        continue;
      if ((a->write || b->write) && !ordered(s, a->step, b->step, UINT32_MAX))
        check_failed(__FILE__, __LINE__, "steps %u and %u are not ordered", a->step, b->step);
    }
  }
  for (uint32_t b = 0; b < s->in.n_steps; b++) {
    for (uint32_t a = 0; a < b; a++) {
      if ((s->barrier[a] || s->barrier[b]) && !ordered(s, a, b, UINT32_MAX))
        check_failed(__FILE__, __LINE__, "barrier: steps %u and %u are not ordered", a, b);
    }
  }
}

TEST(r285_clocks_waits_and_order_of_random_launches) {
  static sample s;
  for (uint64_t seed = 0; seed < 150; seed++) {
    make(&s, seed);
    CHECK_OK(weft__plan_streams(&s.in, &s.arena, &s.out, &s.d), &s.d);
    check_clocks(&s);
    check_waits(&s);
    check_order(&s);
    CHECK_OK(weft__plan_races(s.access, s.in.n_accesses, &s.out, &s.arena, &s.d), &s.d);
    for (uint32_t i = 0; i < s.in.n_steps; i++)
      CHECK_INT(s.out.lane_of[s.out.stream[i]], s.lane[i]);
    weft__arena_deinit(&s.arena);
  }
}

TEST(r285_every_wait_that_is_left_out_is_a_race) {
  static sample s;
  uint32_t waits = 0;
  uint32_t found = 0;
  for (uint64_t seed = 200; seed < 260; seed++) {
    make(&s, seed);
    memset(s.barrier, 0, sizeof s.barrier);
    CHECK_OK(weft__plan_streams(&s.in, &s.arena, &s.out, &s.d), &s.d);
    for (uint32_t w = 0; w < s.out.n_waits; w++) {
      uint32_t old = s.out.wait[w].count;
      uint32_t b = 0;
      while (s.out.first_wait[b + 1] <= w)
        b++;
      uint32_t *clock = WEFT_NEW_N(&s.arena, uint32_t, (size_t)s.in.n_steps * s.out.n_streams);
      uint32_t *was = s.out.clock;
      for (uint32_t i = 0; i < s.in.n_steps; i++) {
        for (uint32_t k = 0; k < i; k++) {
          if (ordered(&s, k, i, w)) {
            uint32_t *c = &clock[i * s.out.n_streams + s.out.stream[k]];
            *c = WEFT_MAX(*c, s.out.position[k]);
          }
        }
      }
      s.out.clock = clock;
      waits++;
      found += weft__plan_races(s.access, s.in.n_accesses, &s.out, &s.arena, &s.d) == WEFT_E_STATE;
      s.out.clock = was;
      s.out.wait[w].count = old;
      weft_diag_clear(&s.d);
    }
    weft__arena_deinit(&s.arena);
  }
  CHECK(waits > 500);
  CHECK_INT(found, waits);
}

// Values as spans: written by one step, read by later ones; memory shared only behind a wait.
TEST(memory_planned_by_the_clocks_has_no_race) {
  static sample s;
  for (uint64_t seed = 300; seed < 360; seed++) {
    make(&s, seed);
    uint32_t n = s.in.n_steps;
    uint32_t a = 0;
    s.lane_streams[0]++;
    static weft_span span[STEPS];
    static uint32_t uses[STEPS * 16];
    memset(uses, 0, sizeof uses);
    for (uint32_t i = 0; i < n; i++) {  // step i writes space i and reads up to two before it
      s.access[a++] = (weft_access){.step = i, .space = i, .end = 64, .write = true};
      for (uint32_t k = 0; i && k < 2; k++)
        s.access[a++] = (weft_access){.step = i, .space = pick(i), .end = 64};
      span[i] = (weft_span){.bytes = 64 * (1 + pick(8)), .first = i, .into = WEFT_NO_SPAN, .fixed = -1};
    }
    s.in.n_accesses = a;
    CHECK_OK(weft__plan_streams(&s.in, &s.arena, &s.out, &s.d), &s.d);
    uint32_t streams = s.out.n_streams;
    for (uint32_t i = 0; i < a; i++) {
      uint32_t *u = &uses[s.access[i].space * streams + s.out.stream[s.access[i].step]];
      *u = WEFT_MAX(*u, s.out.position[s.access[i].step]);
    }
    weft_plan_input in = {
        .span = span, .n_spans = n, .n_steps = n, .n_streams = streams, .clock = s.out.clock, .uses = uses};
    weft_plan_result r;
    CHECK_OK(weft__plan_memory(&in, NULL, &r, &s.d), &s.d);
    CHECK_OK(weft__plan_check(&in, &r, NULL, &s.d), &s.d);
    for (uint32_t i = 0; i < a; i++) {
      const weft_span *v = &span[s.access[i].space];
      s.access[i].begin = v->offset;
      s.access[i].end = v->offset + v->bytes;
      s.access[i].space = 0;
    }
    CHECK_OK(weft__plan_races(s.access, a, &s.out, &s.arena, &s.d), &s.d);
    weft__arena_deinit(&s.arena);
  }
}

TEST(a_diamond_with_two_long_branches_takes_two_streams_and_two_waits) {
  sample s;
  memset(&s, 0, sizeof s);
  weft__arena_init(&s.arena, NULL);
  uint32_t a = 0;
  uint32_t n = 0;
  const uint32_t length = 5;
  s.access[a++] = (weft_access){.step = n, .space = 0, .end = 4, .write = true};
  s.cost[n++] = 1000;
  for (uint32_t b = 0; b < 2; b++) {
    for (uint32_t i = 0; i < length; i++, n++) {
      s.access[a++] = (weft_access){.step = n, .space = i ? n - 1 : 0, .end = 4};
      s.access[a++] = (weft_access){.step = n, .space = n, .end = 4, .write = true};
      s.cost[n] = 10000;
    }
  }
  s.access[a++] = (weft_access){.step = n, .space = length, .end = 4};
  s.access[a++] = (weft_access){.step = n, .space = 2 * length, .end = 4};
  s.cost[n++] = 1000;
  s.lane_streams[0] = 2;
  s.in = (weft_stream_input){.n_steps = n,
                             .n_lanes = 1,
                             .cost_ns = s.cost,
                             .lane_streams = s.lane_streams,
                             .access = s.access,
                             .n_accesses = a,
                             .sync_ns = 100};
  CHECK_OK(weft__plan_streams(&s.in, &s.arena, &s.out, &s.d), &s.d);
  CHECK_INT(s.out.n_waits, 2);
  CHECK_INT(s.out.finish_ns, 1000 + 100 + 5 * 10000 + 1000);
  CHECK(s.out.stream[1] != s.out.stream[1 + length]);
  for (uint32_t i = 1; i < length; i++)
    CHECK_INT(s.out.stream[1 + i], s.out.stream[1]);
  weft__arena_deinit(&s.arena);
}

TEST(parts_of_rows_do_not_meet) {
  weft_access a = {.begin = 0, .end = 100, .row = 4, .pitch = 10, .write = true};
  weft_access b = a;
  weft_access c = a;
  b.begin = 4;
  c.begin = 3;
  CHECK(!weft__accesses_overlap(&a, &b));
  CHECK(weft__accesses_overlap(&a, &c));
  b.pitch = 0;
  CHECK(weft__accesses_overlap(&a, &b));
}

TEST(broken_inputs_are_refused) {
  sample s;
  make(&s, 1);
  s.access[0].step = 40;
  s.access[1].step = 3;
  CHECK_FAILS(weft__plan_streams(&s.in, &s.arena, &s.out, &s.d), WEFT_E_INVALID);
  make(&s, 2);
  s.lane_streams[0] = 0;
  weft_diag_clear(&s.d);
  CHECK_FAILS(weft__plan_streams(&s.in, &s.arena, &s.out, &s.d), WEFT_E_INVALID);
  CHECK_HAS(s.d.text, "lane 0 has 0 streams");
}
// SPDX-License-Identifier: Apache-2.0
