// plan_test.c - offsets, bound, what is live; several streams; hostile input (R5, R283, R286; P2).
#include "check.h"
#include "plan/plan.h"

enum { MOST = 400 };

static weft_span span_of(uint64_t bytes, uint32_t first, uint32_t last) {
  return (weft_span){.bytes = bytes, .first = first, .last = last, .into = WEFT_NO_SPAN, .fixed = -1};
}

static weft_plan_input input_of(weft_span *s, uint32_t n, uint32_t steps) {
  return (weft_plan_input){.span = s, .n_spans = n, .n_steps = steps};
}

static uint64_t state = 1;
static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(((state >> 33) * below) >> 31);
}

// Plans, proves by the library and by itself (one timeline), gives the peak.
static uint64_t plan(weft_plan_input *in, weft_plan_result *r) {
  weft_diag d = {0};
  if (weft__plan_memory(in, NULL, r, &d) || weft__plan_check(in, r, NULL, &d)) {
    check_failed(__FILE__, __LINE__, "%s", d.text);
    return 0;
  }
  for (uint32_t i = 0; i < in->n_spans && !in->clock; i++) {
    const weft_span *a = &in->span[i];
    CHECK(a->offset + a->bytes <= r->peak_bytes);
    if (a->into != WEFT_NO_SPAN)
      continue;
    CHECK(a->fixed >= 0 || a->offset % (in->align ? in->align : 64) == 0);
    for (uint32_t j = 0; j < i; j++) {
      const weft_span *b = &in->span[j];
      bool live =
          a->first <= b->last && b->first <= a->last && b->into == WEFT_NO_SPAN && a->bytes && b->bytes;
      CHECK(!live || a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset);
    }
  }
  CHECK(r->bound_bytes <= r->peak_bytes);
  return r->peak_bytes;
}

static void fails(weft_plan_input in, weft_status status, const char *part) {
  weft_diag d = {0};
  weft_plan_result r = {7, 7, 7, 7, 7};
  CHECK_FAILS(weft__plan_memory(&in, NULL, &r, &d), status);
  CHECK_HAS(d.text, part);
  CHECK_INT(r.peak_bytes, 7);
}

// ---- what the requirements say ----

TEST(r283_conv_relu_pool) {
  weft_span s[3] = {span_of(3211264, 0, 1), span_of(3211264, 1, 2), span_of(802816, 2, 3)};
  weft_plan_input in = input_of(s, 3, 4);
  weft_plan_result r;
  CHECK_INT(plan(&in, &r), 6422528);
  CHECK_INT(r.sum_bytes, 7225344);
  CHECK_INT(r.bound_bytes, 6422528);
  CHECK_INT(r.peak_step, 1);
  s[1].into = 0;  // Relu in place
  CHECK_INT(plan(&in, &r), 4014080);
  CHECK_INT(s[1].offset, s[0].offset);
  CHECK_INT(r.sum_bytes, 4014080);
}

TEST(r283_chain_of_100) {
  weft_span s[100];
  for (uint32_t i = 0; i < 100; i++)
    s[i] = span_of(4 << 20, i, i + 1);
  weft_plan_input in = input_of(s, 100, 101);
  weft_plan_result r;
  CHECK_INT(plan(&in, &r), 8 << 20);
  CHECK_INT(r.sum_bytes, 400 << 20);
  for (uint32_t i = 1; i < 100; i++)
    s[i].into = i - 1;
  CHECK_INT(plan(&in, &r), 4 << 20);
}

TEST(chains_reach_the_bound) {
  weft_span s[MOST];
  for (uint32_t i = 0; i < MOST; i++)
    s[i] = span_of(64 * (uint64_t)(1 + draw(1 << (1 + draw(16)))), i, i + 1);
  weft_plan_input in = input_of(s, MOST, MOST + 1);
  weft_plan_result r;
  CHECK_INT(plan(&in, &r), r.bound_bytes);
}

// ---- small things ----

TEST(nothing_and_no_bytes) {
  weft_span s[2] = {span_of(0, 0, 3), span_of(0, 1, 1)};
  weft_plan_input in = input_of(NULL, 0, 0);
  weft_plan_result r;
  CHECK_INT(plan(&in, &r), 0);
  in = input_of(s, 2, 4);
  s[0].offset = s[1].offset = 9;
  s[1].into = 0;
  CHECK_INT(plan(&in, &r), 0);
  CHECK_INT(s[0].offset, 0);
  CHECK_INT(s[1].offset, 0);
}

TEST(alignment) {
  weft_span s[3] = {span_of(1, 0, 1), span_of(65, 0, 1), span_of(3, 0, 1)};
  weft_plan_input in = input_of(s, 3, 2);
  weft_plan_result r;
  CHECK(plan(&in, &r) <= 256);
  CHECK_INT(r.bound_bytes, 69);
  in.align = 1;
  CHECK_INT(plan(&in, &r), 69);
  in.align = 1u << 31;
  CHECK(plan(&in, &r) > UINT64_C(1) << 32);
}

TEST(parts_keep_the_whole_live) {  // two parts of a Concat are written before the whole is: it lives from the
                                   // first on
  weft_span s[5] = {span_of(256, 4, 5), span_of(64, 0, 1), span_of(128, 2, 3), span_of(512, 3, 3),
                    span_of(64, 5, 6)};
  weft_plan_input in = input_of(s, 5, 7);
  weft_plan_result r;
  s[1].into = 0;
  s[1].into_offset = 64;
  s[2].into = 0;
  s[2].into_offset = 128;
  s[4].into = 2;  // a view of a part: its last use is the last of all
  s[4].into_offset = 64;
  CHECK_INT(plan(&in, &r), 768);
  CHECK_INT(s[1].offset, s[0].offset + 64);
  CHECK_INT(s[2].offset, s[0].offset + 128);
  CHECK_INT(s[4].offset, s[0].offset + 192);
  CHECK_INT(r.bound_bytes, 768);
  CHECK_INT(r.peak_step, 3);
  uint32_t live[2];
  CHECK_INT(weft__plan_live_at(&in, 1, live, 2), 1);  // between its parts
  CHECK_INT(live[0], 0);
  CHECK_INT(weft__plan_live_at(&in, 3, live, 2), 2);
  CHECK_INT(live[0], 3);
  CHECK_INT(live[1], 0);
  CHECK_INT(weft__plan_live_at(&in, 6, live, 2), 1);
}

TEST(fixed_spans_stay) {
  weft_span s[4] = {span_of(100, 0, 9), span_of(128, 0, 4), span_of(256, 5, 9), span_of(64, 3, 6)};
  weft_plan_input in = input_of(s, 4, 10);
  weft_plan_result r;
  s[0].fixed = 30;  // not a multiple of 64
  s[2].fixed = 192;
  plan(&in, &r);
  CHECK_INT(s[0].offset, 30);
  CHECK_INT(s[2].offset, 192);
  CHECK_INT(r.peak_bytes, 512);
  s[2].fixed = 1 << 20;  // far away: the arena reaches there
  CHECK_INT(plan(&in, &r), (1 << 20) + 256);
  s[2].fixed = 100;
  fails(in, WEFT_E_INVALID, "live together and overlap");
  s[2].first = 9;
  s[0].last = 8;  // one after the other
  plan(&in, &r);
}

TEST(live_at_names_the_largest) {
  weft_span s[MOST];
  uint32_t live[MOST];
  weft_plan_result r;
  for (uint32_t i = 0; i < MOST; i++) {
    uint32_t first = draw(100);
    s[i] = span_of(draw(3) ? 64 * (uint64_t)draw(50) : 0, first, first + draw(100 - first));
  }
  weft_plan_input in = input_of(s, MOST, 100);
  plan(&in, &r);
  uint32_t n = weft__plan_live_at(&in, r.peak_step, live, MOST);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    sum += s[live[i]].bytes;
    CHECK(!i || s[live[i - 1]].bytes > s[live[i]].bytes ||
          (s[live[i - 1]].bytes == s[live[i]].bytes && live[i - 1] < live[i]));
  }
  CHECK_INT(sum, r.bound_bytes);
  uint32_t five[5];
  CHECK_INT(weft__plan_live_at(&in, r.peak_step, five, 5), n);
  for (int i = 0; i < 5; i++)
    CHECK_INT(five[i], live[i]);
  CHECK_INT(weft__plan_live_at(&in, r.peak_step, NULL, 0), n);
  CHECK_INT(weft__plan_live_at(&in, 100, live, MOST), 0);
}

// ---- several streams ----

TEST(streams_share_by_the_clock_only) {
  // stream 0 runs steps 0 and 1, stream 1 runs step 2; step 1 waits for nothing or for step 2
  weft_span s[2] = {span_of(1024, 1, 0), span_of(1024, 2, 0)};
  uint32_t clock[6] = {0, 0, 1, 0, 0, 0};
  uint32_t uses[4] = {2, 0, 0, 1};
  weft_plan_input in = input_of(s, 2, 3);
  weft_plan_result r;
  in.n_streams = 2;
  in.clock = clock;
  in.uses = uses;
  CHECK_INT(plan(&in, &r), 2048);
  clock[3] = 1;  // step 1 begins when step 2 has finished
  CHECK_INT(plan(&in, &r), 1024);
  CHECK_INT(r.bound_bytes, 1024);
  uses[2] = 2;  // the second is read on stream 0 after that
  CHECK_INT(plan(&in, &r), 2048);
  weft_diag d = {0};
  s[1].offset = s[0].offset + 512;
  s[1].name = "right";
  in.align = 1;
  CHECK_FAILS(weft__plan_check(&in, &r, NULL, &d), WEFT_E_STATE);
  CHECK_HAS(d.text, "'right'");
  uses[0] = 0;
  fails(in, WEFT_E_INVALID, "span 0 is used on none of 2 streams");
  in.uses = NULL;
  fails(in, WEFT_E_INVALID, "no table of uses");
}

enum { STREAMS = 3, STEPS = 120 };
typedef struct run {  // a random program on several streams
  uint32_t stream[STEPS];
  uint32_t position[STEPS];
  uint32_t clock[STEPS * STREAMS];
  uint32_t uses[STEPS * STREAMS];
  weft_span span[STEPS];
} run;

static void make_run(run *x) {
  uint32_t done[STREAMS] = {0};
  uint32_t at[STREAMS][STREAMS] = {{0}};
  memset(x, 0, sizeof *x);
  for (uint32_t t = 0; t < STEPS; t++) {
    uint32_t k = draw(STREAMS);
    if (t && !draw(3)) {  // waits for an earlier step
      uint32_t other = draw(t);
      for (uint32_t j = 0; j < STREAMS; j++) {
        at[k][j] = WEFT_MAX(at[k][j], x->clock[other * STREAMS + j]);
      }
      at[k][x->stream[other]] = WEFT_MAX(at[k][x->stream[other]], x->position[other]);
    }
    x->stream[t] = k;
    memcpy(x->clock + t * STREAMS, at[k], sizeof at[k]);
    x->position[t] = at[k][k] = ++done[k];
    x->span[t] = span_of(64 * (uint64_t)(1 + draw(64)), t, 0);
    x->uses[t * STREAMS + k] = x->position[t];
    for (uint32_t i = 0; i < 3 && t; i++) {  // reads what is surely there
      uint32_t from = draw(t);
      if (at[k][x->stream[from]] < x->position[from])
        continue;
      uint32_t *use = &x->uses[from * STREAMS + k];
      *use = WEFT_MAX(*use, x->position[t]);
    }
  }
}

static bool done_before(const run *x, uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k < STREAMS; k++) {
    if (x->uses[a * STREAMS + k] > x->clock[b * STREAMS + k])
      return false;
  }
  return true;
}

TEST(r285_streams_never_race) {
  run *x = malloc(sizeof *x);
  for (int round = 0; round < 8; round++) {
    make_run(x);
    weft_plan_input in = input_of(x->span, STEPS, STEPS);
    weft_plan_result r;
    in.n_streams = STREAMS;
    in.clock = x->clock;
    in.uses = x->uses;
    plan(&in, &r);
    CHECK(r.peak_bytes < r.sum_bytes);
    uint32_t overlaps = 0;
    uint32_t live[STEPS];
    uint64_t sum = 0;
    for (uint32_t a = 0; a < STEPS; a++) {
      for (uint32_t b = 0; b < a; b++) {
        const weft_span *p = &x->span[a];
        const weft_span *q = &x->span[b];
        bool apart = p->offset + p->bytes <= q->offset || q->offset + q->bytes <= p->offset;
        overlaps += !apart && !done_before(x, a, b) && !done_before(x, b, a);
      }
    }
    CHECK_INT(overlaps, 0);
    uint32_t n = weft__plan_live_at(&in, r.peak_step, live, STEPS);
    for (uint32_t i = 0; i < n; i++)
      sum += x->span[live[i]].bytes;
    CHECK_INT(sum, r.bound_bytes);
  }
  free(x);
}

// ---- random, hostile ----

static void random_input(weft_span *s, uint32_t n, uint32_t steps) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t first = draw(steps);
    uint32_t length = draw(8) ? draw(6) : draw(steps);
    s[i] = span_of(draw(10) ? (uint64_t)1 + draw(1 << (1 + draw(20))) : 0, first,
                   WEFT_MIN(first + length, steps - 1));
    if (!i || draw(6))
      continue;
    uint32_t whole = draw(i);
    if (s[whole].bytes < s[i].bytes)
      s[i].bytes = s[whole].bytes;
    s[i].into = whole;
    s[i].into_offset = draw((uint32_t)(s[whole].bytes - s[i].bytes) + 1);
  }
}

TEST(r5_random_plans_hold) {
  weft_span s[MOST];
  weft_span again[MOST];
  double sum = 0;
  for (int round = 0; round < 30; round++) {
    uint32_t n = 20 + draw(200);
    random_input(s, n, n);
    uint64_t at = 0;
    for (uint32_t i = 0; i < n && round % 3 == 0; i++) {  // some are fixed, side by side
      if (s[i].into == WEFT_NO_SPAN && s[i].bytes < 5000 && !draw(6)) {
        s[i].fixed = (int64_t)at;
        at += s[i].bytes + draw(3000);
      }
    }
    weft_plan_input in = input_of(s, n, n);
    weft_plan_result r;
    weft_plan_result r2;
    plan(&in, &r);
    sum += (double)r.peak_bytes / (double)r.bound_bytes;
    memcpy(again, s, sizeof s);
    in.span = again;
    plan(&in, &r2);
    CHECK(!memcmp(again, s, n * sizeof *s) && r.peak_bytes == r2.peak_bytes);  // deterministic
  }
  CHECK(sum / 30 < 1.1);  // with fixed ones among them
}

TEST(r286_p2_random_graphs_near_the_bound) {
  weft_span s[MOST];
  double sum = 0;
  for (int round = 0; round < 40; round++) {
    uint32_t n = 20 + draw(180);
    for (uint32_t i = 0; i < n; i++) {
      s[i] = span_of(UINT64_C(64) << draw(14), i, i);
      s[i].bytes += draw((uint32_t)s[i].bytes) & ~63u;
      for (int k = 0; k < 2 && i; k++)
        s[i - 1 - draw(i < 12 ? i : 12)].last = i;
    }
    weft_plan_input in = input_of(s, n, n);
    weft_plan_result r;
    plan(&in, &r);
    sum += (double)r.peak_bytes / (double)r.bound_bytes;
  }
  CHECK(sum / 40 <= 1.02);
}

TEST(many_spans) {
  enum { N = 100000 };
  weft_span *s = malloc(N * sizeof *s);
  weft_diag d = {0};
  weft_plan_result r;
  for (uint32_t i = 0; i < N; i++)
    s[i] = span_of(1 + (uint64_t)i, 0, UINT32_MAX - 2);  // all at once, many steps
  weft_plan_input in = input_of(s, N, UINT32_MAX - 1);
  CHECK_INT(weft__plan_memory(&in, NULL, &r, &d), WEFT_OK);
  CHECK_INT(weft__plan_check(&in, &r, NULL, &d), WEFT_OK);
  CHECK(r.peak_bytes < r.bound_bytes + 64 * (uint64_t)N);
  for (uint32_t i = 0; i < N; i++) {  // in place, all the way
    s[i] = span_of(64, i, i + 1);
    s[i].into = i ? i - 1 : WEFT_NO_SPAN;
  }
  in.n_steps = N + 1;
  CHECK_INT(weft__plan_memory(&in, NULL, &r, &d), WEFT_OK);
  CHECK_INT(r.peak_bytes, 64);
  uint32_t live;
  CHECK_INT(weft__plan_live_at(&in, N / 2, &live, 1), 1);
  s[0].into = N - 1;  // a ring
  CHECK_INT(weft__plan_live_at(&in, N / 2, &live, 1), 0);
  fails(in, WEFT_E_INVALID, "lies inside itself");
  free(s);
}

// As many spans live at a time, more of them: each takes the same work. Where the first strategies reach the
// bound; others are given up after a fixed amount of work.
TEST(work_is_linear_where_few_are_live) {
  enum { LARGEST = 16384 };
  weft_span *s = malloc(LARGEST * sizeof *s);
  for (uint32_t lives = 1; s && lives <= 16; lives *= 4) {
    uint64_t before = 0;
    for (uint32_t n = LARGEST / 16; n <= LARGEST; n *= 4) {
      weft_diag d = {0};
      weft_plan_result r;
      state = 5;
      for (uint32_t i = 0; i < n; i++)
        s[i] = span_of(lives == 1 ? 64 * (1 + draw(4)) : 64, i, i + 1 + draw(lives));
      weft_plan_input in = input_of(s, n, n + lives + 1);
      CHECK_OK(weft__plan_memory(&in, NULL, &r, &d), &d);
      if (before && r.work / n > before + before / 20 + 1) {
        check_failed(__FILE__, __LINE__, "%u spans, %u steps long: %llu looked at for each, %llu before", n,
                     lives, (unsigned long long)(r.work / n), (unsigned long long)before);
      }
      before = r.work / n;
    }
  }
  free(s);
}

TEST(bad_input_is_named) {
  weft_span s[3];
  weft_plan_input in = input_of(s, 3, 10);
#define RESET() \
  (s[0] = span_of(64, 0, 3), s[1] = span_of(64, 1, 4), s[2] = span_of(32, 2, 5), s[1].name = "conv")
  RESET(), s[1].first = 5, fails(in, WEFT_E_INVALID, "span 1 'conv' is used last at step 4, expected 5 to 9");
  RESET();
  s[1].last = 10;
  fails(in, WEFT_E_INVALID, "span 1 'conv' is used last at step 10, expected 1 to 9");
  RESET();
  s[2].first = s[2].last = 10;
  fails(in, WEFT_E_INVALID, "span 2 is first written at step 10");
  RESET();
  s[1].into = 3;
  fails(in, WEFT_E_INVALID, "span 1 'conv' lies inside span 3, there are 3 spans");
  RESET();
  s[1].into = 1;
  fails(in, WEFT_E_INVALID, "span 1 'conv' lies inside itself");
  RESET();
  s[0].into = 1;
  s[1].into = 0;
  fails(in, WEFT_E_INVALID, "lies inside itself");
  RESET();
  s[1].into = 2;
  fails(in, WEFT_E_INVALID, "(64 bytes at 0) does not fit into span 2 of 32 bytes");
  RESET();
  s[2].into = 1;
  s[2].into_offset = 33;
  fails(in, WEFT_E_INVALID, "does not fit into span 1 'conv'");
  RESET();
  s[2].into = 1;
  s[2].into_offset = UINT64_MAX;
  fails(in, WEFT_E_INVALID, "does not fit");
  RESET();
  s[2].into = 1;
  s[2].fixed = 0;
  fails(in, WEFT_E_INVALID, "fixed offset 0 as well");
  RESET();
  s[2].fixed = -2;
  fails(in, WEFT_E_INVALID, "fixed offset -2, expected -1 or more");
  RESET();
  s[0].fixed = s[1].fixed = 0;
  fails(in, WEFT_E_INVALID, "span 1 'conv' (64 bytes at 0)");
  RESET();
  s[1].bytes = UINT64_MAX;
  fails(in, WEFT_E_OVERFLOW, "span 1 'conv' of 18446744073709551615 bytes");
  RESET();
  s[0].bytes = s[1].bytes = INT64_MAX / 4 - 64;
  fails(in, WEFT_E_OVERFLOW, "sizes overflow");
  RESET();
  s[2].fixed = INT64_MAX;
  fails(in, WEFT_E_OVERFLOW, "span 2");
  RESET();
  in.align = 48;
  fails(in, WEFT_E_INVALID, "alignment 48 is not a power of two");
  in.align = 0;
  in.n_steps = 0;
  fails(in, WEFT_E_INVALID, "there are 0 steps");
  in.span = NULL;
  fails(in, WEFT_E_INVALID, "array NULL");
}

TEST(check_finds_bad_plans) {
  weft_span s[4] = {span_of(64, 0, 3), span_of(64, 1, 4), span_of(32, 2, 5), span_of(0, 0, 1)};
  weft_span good[4];
  weft_plan_input in = input_of(s, 4, 10);
  weft_plan_result r;
  s[2].into = 1;
  s[2].into_offset = 32;
  plan(&in, &r);
  memcpy(good, s, sizeof s);
#define BAD(change, part)                                           \
  do {                                                              \
    weft_diag d = {0};                                              \
    memcpy(s, good, sizeof s);                                      \
    change;                                                         \
    CHECK_FAILS(weft__plan_check(&in, &r, NULL, &d), WEFT_E_STATE); \
    CHECK_HAS(d.text, part);                                        \
  } while (0)
  BAD(s[0].offset += 1, "span 0 lies at 1");
  BAD(s[2].offset += 1, "span 2 lies inside span 1");
  BAD(s[3].offset = 64, "span 3 takes no memory");
  BAD(s[1].offset = s[0].offset; s[2].offset = s[1].offset + 32, "live together and overlap");
  BAD(s[0].offset = 128, "ends behind the arena of 128 bytes");
  BAD(s[0].offset = UINT64_MAX - 63, "ends behind the arena");
  BAD(s[0].fixed = 4096, "span 0 is fixed at 4096");
}

TEST(every_allocation_fails_once) {
  weft_span s[60];
  random_input(s, 60, 60);
  weft_plan_input in = input_of(s, 60, 60);
  for (long at = 1;; at++) {
    check_alloc c = {.fail_at = at};
    weft_allocator a = check_allocator(&c);
    weft_plan_result r;
    weft_diag d = {0};
    weft_status got = weft__plan_memory(&in, &a, &r, &d);
    if (!got)
      got = weft__plan_check(&in, &r, &a, &d);
    CHECK_INT(c.live_blocks, 0);
    if (!got)
      break;
    CHECK_INT(got, WEFT_E_NOMEM);
    CHECK_HAS(d.text, "no memory");
  }
}
// SPDX-License-Identifier: Apache-2.0
