// ops/losses/ctc_decode.c - the likeliest sequences of labels.   AscendIR CTCBeamSearchDecoder,
// CTCGreedyDecoder, as TensorFlow computes them. inputs [time, sample, class] are logits, the last class is
// the blank. The beam search keeps a tree of prefixes: at each time every prefix in the beam is kept or grown
// by a label, and the beam_width most probable of them stay. Memory grows with the prefixes that were ever in
// the beam. Sequences come as sparse tensors [samples, longest].
#include "op/air_rows.h"
#include "sparse.h"

enum { INPUTS, LENGTHS };
enum { BEAM_WIDTH, TOP_PATHS, MERGE_REPEATED };

typedef struct prefix {
  size_t parent, child, next;  // child: the newest; next: its sibling. NONE ends both
  int64_t label;
  double was_blank, was;              // at the time before: ended by a blank, in all
  double blank, by_label, total;      // now; total -INFINITY: not in the beam
} prefix;
#define NONE SIZE_MAX

typedef struct beam_search {
  const weft_call *c;
  size_t times, batch, classes, sample, width;
  prefix *node;
  size_t n, room;
  size_t *beam, n_beam;    // most probable first
  size_t *before, n_before;
} beam_search;

static double beam_add(double a, double b) {
  const double most = a > b ? a : b;
  return most == -INFINITY ? most : most + log1p(exp((a > b ? b : a) - most));
}

static double beam_logit(const beam_search *s, size_t t, size_t class) {
  const weft_tensor *x = s->c->in[INPUTS];
  return weft_load_f64(x->dtype, x->data, (t * s->batch + s->sample) * s->classes + class);
}

// ---- the tree ----
static weft_status beam_node(beam_search *s, size_t parent, int64_t label, size_t *out) {
  if (s->n == s->room) {
    const size_t room = s->room ? 2 * s->room : 64;
    size_t words;
    void *space;
    if (!weft_mul_size(room, sizeof(prefix) / 8, &words))
      return weft_fail(s->c->d, WEFT_E_OVERFLOW, "%zu prefixes", room);
    WEFT_TRY(weft__scratch(s->c, words, &space));
    if (s->n)
      memcpy(space, s->node, s->n * sizeof(prefix));
    s->node = space;
    s->room = room;
  }
  *out = s->n++;
  prefix *p = &s->node[*out];
  *p = (prefix){parent, NONE, NONE, label, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
  if (parent == NONE)
    return WEFT_OK;
  p->next = s->node[parent].child;
  s->node[parent].child = *out;
  return WEFT_OK;
}

static size_t beam_child(const beam_search *s, size_t parent, int64_t label) {
  size_t at = s->node[parent].child;
  while (at != NONE && s->node[at].label != label)
    at = s->node[at].next;
  return at;
}

static bool beam_takes(const beam_search *s, double total) {
  if (total == -INFINITY)
    return false;
  return s->n_beam < s->width || total > s->node[s->beam[s->n_beam - 1]].total;
}

// Into its place; the least probable one leaves a full beam.
static void beam_push(beam_search *s, size_t node) {
  const double total = s->node[node].total;
  if (s->n_beam == s->width) {
    prefix *last = &s->node[s->beam[--s->n_beam]];
    last->blank = last->by_label = last->total = -INFINITY;
  }
  size_t at = s->n_beam++;
  for (; at && s->node[s->beam[at - 1]].total < total; at--)
    s->beam[at] = s->beam[at - 1];
  s->beam[at] = node;
}

// ---- one time ----
static void beam_keep(beam_search *s, size_t t, double norm) {
  for (size_t i = 0; i < s->n_before; i++) {
    prefix *p = &s->node[s->before[i]];
    p->was_blank = p->blank;
    p->was = p->total;
  }
  for (size_t i = 0; i < s->n_before; i++) {
    prefix *p = &s->node[s->before[i]];
    if (p->parent != NONE) {
      const prefix *up = &s->node[p->parent];
      if (up->total != -INFINITY)
        p->by_label = beam_add(p->by_label, p->label == up->label ? up->was_blank : up->was);
      p->by_label += beam_logit(s, t, (size_t)p->label) - norm;
    }
    p->blank = p->was + beam_logit(s, t, s->classes - 1) - norm;
    p->total = beam_add(p->blank, p->by_label);
    beam_push(s, s->before[i]);
  }
}

static weft_status beam_grow(beam_search *s, size_t from, size_t t, double norm) {
  for (size_t label = 0; label + 1 < s->classes; label++) {
    const prefix *b = &s->node[from];
    const double chance = b->label == (int64_t)label ? b->was_blank : b->was;
    const double total = chance + beam_logit(s, t, label) - norm;
    WEFT_TRY(weft__poll_at(s->c, label));
    if (!beam_takes(s, total))
      continue;
    size_t at = beam_child(s, from, (int64_t)label);
    if (at != NONE && s->node[at].total != -INFINITY)
      continue;
    if (at == NONE)
      WEFT_TRY(beam_node(s, from, (int64_t)label, &at));
    s->node[at].blank = -INFINITY;
    s->node[at].by_label = s->node[at].total = total;
    beam_push(s, at);
  }
  return WEFT_OK;
}

static weft_status beam_step(beam_search *s, size_t t) {
  double norm = -INFINITY;
  size_t *swap = s->before;
  for (size_t k = 0; k < s->classes; k++)
    norm = beam_add(norm, beam_logit(s, t, k));
  s->before = s->beam;
  s->n_before = s->n_beam;
  s->beam = swap;
  s->n_beam = 0;
  beam_keep(s, t, norm);
  for (size_t i = 0; i < s->n_before; i++) {
    WEFT_TRY(weft__call_poll(s->c));
    if (beam_takes(s, s->node[s->before[i]].was))
      WEFT_TRY(beam_grow(s, s->before[i], t, norm));
  }
  return WEFT_OK;
}

static weft_status beam_run(beam_search *s, size_t times) {
  size_t root;
  s->n = s->n_beam = 0;
  WEFT_TRY(beam_node(s, NONE, -1, &root));
  s->node[root].blank = s->node[root].total = 0;
  beam_push(s, root);
  for (size_t t = 0; t < times; t++)
    WEFT_TRY(beam_step(s, t));
  return WEFT_OK;
}

// ---- what is decoded ----
typedef struct decoded {
  int64_t *label;            // behind each other
  size_t n, room;
  size_t *end;               // by sample
} decoded;

static weft_status decoded_add(const weft_call *c, decoded *d, int64_t label) {
  if (d->n == d->room) {
    void *space;
    d->room = d->room ? 2 * d->room : 64;
    WEFT_TRY(weft__scratch(c, d->room, &space));
    if (d->n)
      memcpy(space, d->label, d->n * sizeof *d->label);
    d->label = space;
  }
  d->label[d->n++] = label;
  return WEFT_OK;
}

// From the leaf to the root, then turned round.
static weft_status decoded_path(const beam_search *s, size_t leaf, bool merged, decoded *d) {
  const size_t from = d->n;
  int64_t last = -1;
  for (size_t at = leaf; s->node[at].parent != NONE; at = s->node[at].parent) {
    WEFT_TRY(weft__poll_at(s->c, d->n));
    if (!merged || s->node[at].label != last)
      WEFT_TRY(decoded_add(s->c, d, s->node[at].label));
    last = s->node[at].label;
  }
  for (size_t i = from, j = d->n; i + 1 < j; i++) {
    const int64_t swap = d->label[i];
    d->label[i] = d->label[--j];
    d->label[j] = swap;
  }
  return WEFT_OK;
}

static weft_status decoded_give(const weft_call *c, const decoded *d, size_t batch, const uint32_t out[3]) {
  int64_t longest = 0;
  size_t from = 0;
  WEFT_TRY(weft__found(c, out[0], WEFT_INT64, (int64_t[]){(int64_t)d->n, 2}, 2));
  for (size_t b = 0; b < batch; b++) {
    for (size_t i = from; i < d->end[b]; i++) {
      WEFT_TRY(weft__poll_at(c, i));
      if (!c->out[out[0]])
        continue;
      weft_store_i64(WEFT_INT64, c->out[out[0]]->data, 2 * i, (int64_t)b);
      weft_store_i64(WEFT_INT64, c->out[out[0]]->data, 2 * i + 1, (int64_t)(i - from));
    }
    longest = WEFT_MAX(longest, (int64_t)(d->end[b] - from));
    from = d->end[b];
  }
  WEFT_TRY(weft__found_ints(c, out[1], WEFT_INT64, d->label, d->n));
  return weft__found_ints(c, out[2], WEFT_INT64, (int64_t[]){(int64_t)batch, longest}, 2);
}

static weft_status decode_lengths(const weft_call *c, size_t sample, size_t times, size_t *out) {
  const weft_tensor *t = c->in[LENGTHS];
  const int64_t length = weft_load_i64(t->dtype, t->data, sample);
  if (length < 0 || (uint64_t)length > times)
    return weft_fail(c->d, WEFT_E_RANGE, "input 'sequence_length', element %zu: %lld is outside [0, %zu]",
                     sample, (long long)length, times);
  *out = (size_t)length;
  return WEFT_OK;
}

static weft_status decode_infer_inputs(weft_infer *it, weft_dim *batch) {
  const weft_shape *x = it->in[INPUTS];
  WEFT_TRY(weft__expect_rank(it, INPUTS, 3, 3));
  WEFT_TRY(weft__expect_rank(it, LENGTHS, 1, 1));
  *batch = weft_shape_is_unknown_rank(x) ? -1 : x->dim[1];
  if (!weft_shape_is_unknown_rank(x) && x->dim[2] == 0)
    return weft_fail(it->d, WEFT_E_SHAPE, "input 'inputs' has no classes; the last one is the blank");
  if (weft_shape_is_unknown_rank(it->in[LENGTHS]))
    return WEFT_OK;
  return weft__merge_dim(it, *batch, it->in[LENGTHS]->dim[0], "samples and their lengths", batch);
}

// ---- CTCBeamSearchDecoder ----
static weft_status beam_infer(weft_infer *it) {
  const int64_t paths = weft_node_int(it->desc, TOP_PATHS);
  const int64_t width = weft_node_int(it->desc, BEAM_WIDTH);
  weft_dim batch;
  if (paths < 1 || paths > width || (uint64_t)paths * 3 + 1 != it->n_out)
    return weft_fail(it->d, WEFT_E_INVALID,
                     "attribute 'top_paths' is %lld, for %u outputs and a beam of %lld; expected 1 to "
                     "the beam's "
                     "width, with three outputs each",
                     (long long)paths, it->n_out, (long long)width);
  WEFT_TRY(decode_infer_inputs(it, &batch));
  const uint32_t n = (uint32_t)paths;
  for (uint32_t i = 0; i < n; i++)
    WEFT_TRY(weft__sparse_infer_found(it, i, n + i, 2 * n + i, 2));
  it->out_dtype[3 * n] = it->in_dtype[INPUTS];
  return weft_set_out_shape(it, 3 * n, (weft_dim[]){batch, paths}, 2);
}

static weft_status beam_begin(const weft_call *c, beam_search *s, decoded *found, size_t paths) {
  const weft_shape *x = &c->in[INPUTS]->layout.origin;
  void *space;
  *s = (beam_search){
      .c = c, .times = (size_t)x->dim[0], .batch = (size_t)x->dim[1], .classes = (size_t)x->dim[2]};
  s->width = (size_t)weft_node_int(c->desc, BEAM_WIDTH);
  WEFT_TRY(weft__scratch(c, s->width, &space));
  s->beam = space;
  WEFT_TRY(weft__scratch(c, s->width, &space));
  s->before = space;
  for (size_t i = 0; i < paths; i++) {
    found[i] = (decoded){0};
    WEFT_TRY(weft__scratch(c, s->batch, &space));
    found[i].end = space;
  }
  return WEFT_OK;
}

static weft_status beam_execute(const weft_call *c) {
  const uint32_t paths = (c->n_out - 1) / 3;
  const bool merged = weft_node_bool(c->desc, MERGE_REPEATED);
  beam_search s;
  void *space;
  size_t times;
  size_t words;
  if (!weft_mul_size(paths, sizeof(decoded) / 8, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%u paths", paths);
  WEFT_TRY(weft__scratch(c, words, &space));
  decoded *found = space;
  WEFT_TRY(beam_begin(c, &s, found, paths));
  const uint32_t last = 3 * paths;
  WEFT_TRY(weft__found(c, last, c->in[INPUTS]->dtype, (int64_t[]){(int64_t)s.batch, (int64_t)paths}, 2));
  for (s.sample = 0; s.sample < s.batch; s.sample++) {
    WEFT_TRY(decode_lengths(c, s.sample, s.times, &times));
    WEFT_TRY(beam_run(&s, times));
    if (s.n_beam < paths)
      return weft_fail(c->d, WEFT_E_RANGE, "sample %zu has %zu sequences, attribute 'top_paths' asks for %u",
                       s.sample, s.n_beam, paths);
    for (uint32_t i = 0; i < paths; i++) {
      WEFT_TRY(decoded_path(&s, s.beam[i], merged, &found[i]));
      found[i].end[s.sample] = found[i].n;
      if (c->out[last])
        weft_store_f64(c->out[last]->dtype, c->out[last]->data, s.sample * paths + i,
                       s.node[s.beam[i]].total);
    }
  }
  for (uint32_t i = 0; i < paths; i++)
    WEFT_TRY(decoded_give(c, &found[i], s.batch, (uint32_t[]){i, paths + i, 2 * paths + i}));
  return WEFT_OK;
}

// ---- CTCGreedyDecoder: the likeliest class of each time; the sum of their logits, negated ----
static weft_status greedy_infer(weft_infer *it) {
  weft_dim batch;
  WEFT_TRY(decode_infer_inputs(it, &batch));
  WEFT_TRY(weft__sparse_infer_found(it, 0, 1, 2, 2));
  it->out_dtype[3] = it->in_dtype[INPUTS];
  return weft_set_out_shape(it, 3, (weft_dim[]){batch, 1}, 2);
}

static weft_status greedy_sample(const beam_search *s, size_t times, bool merged, decoded *d, double *sum) {
  size_t last = NONE;
  size_t work = 0;
  *sum = 0;
  for (size_t t = 0; t < times; t++) {
    size_t best = 0;
    WEFT_TRY(weft__poll_work(s->c, &work, s->classes));
    for (size_t k = 1; k < s->classes; k++)
      best = beam_logit(s, t, k) > beam_logit(s, t, best) ? k : best;
    *sum -= beam_logit(s, t, best);
    const bool repeats = merged && best == last;
    if (best + 1 != s->classes && !repeats)
      WEFT_TRY(decoded_add(s->c, d, (int64_t)best));
    last = best;
  }
  return WEFT_OK;
}

static weft_status greedy_execute(const weft_call *c) {
  const weft_shape *x = &c->in[INPUTS]->layout.origin;
  const bool merged = weft_node_bool(c->desc, 0);
  beam_search s = {.c = c, .batch = (size_t)x->dim[1], .classes = (size_t)x->dim[2]};
  decoded d = {0};
  size_t times;
  void *space;
  double sum;
  WEFT_TRY(weft__scratch(c, s.batch, &space));
  d.end = space;
  WEFT_TRY(weft__found(c, 3, c->in[INPUTS]->dtype, (int64_t[]){(int64_t)s.batch, 1}, 2));
  for (s.sample = 0; s.sample < s.batch; s.sample++) {
    WEFT_TRY(decode_lengths(c, s.sample, (size_t)x->dim[0], &times));
    WEFT_TRY(greedy_sample(&s, times, merged, &d, &sum));
    d.end[s.sample] = d.n;
    if (c->out[3])
      weft_store_f64(c->out[3]->dtype, c->out[3]->data, s.sample, sum);
  }
  return decoded_give(c, &d, s.batch, (uint32_t[]){0, 1, 2});
}

WEFT_ROWS(ctc_decode) = {
    {"CTCBeamSearchDecoder", "the most probable sequences of labels, by a beam search",
        WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = beam_infer, .infer_range = weft__found_range,
     .execute = beam_execute,
     .examples = WEFT_EXAMPLES(
         "f32[2,1,2]{0,0,0,0}, i32[1]{2} beam_width=2 top_paths=1 -> [i64[1,2]{0,0}], [i64[1]{0}], "
         "[i64[2]{1,1}], f32[1,1]{-0.28768207} ~1e-5",
         "f32[0,2,2], i32[2]{0,0} beam_width=1 top_paths=1 -> [i64[0,2]], [i64[0]], [i64[2]{2,0}], "
         "f32[2,1]{0,0}",
         "f32[-1,N,4], i32[N] beam_width=3 top_paths=1 -> [i64[-1,2]], [i64[-1]], [i64[2]], f32[N,1]",
         "f32[1,1,2]{0,0}, i32[1]{2} beam_width=2 top_paths=1 -> [_], [_], [_], _ !! E_RANGE 2 is "
         "outside [0, 1]",
         "f32[1,1,2], i32[1] beam_width=1 top_paths=2 -> [_, _], [_, _], [_, _], _ !! E_INVALID "
         "'top_paths' is 2")},
    {"CTCGreedyDecoder", "the most probable label of each time",
        WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = greedy_infer, .infer_range = weft__found_range,
     .execute = greedy_execute,
     .examples = WEFT_EXAMPLES(
         "f32[3,1,3]{1,0,0,2,0,0,0,3,0}, i32[1]{3} merge_repeated=true -> i64[2,2]{0,0,0,1}, i64[2]{0,1}, "
         "i64[2]{1,2}, f32[1,1]{-6}",
         "f64[2,1,2]{1,0,0,5}, i32[1]{2} -> i64[1,2]{0,0}, i64[1]{0}, i64[2]{1,1}, f64[1,1]{-6}",
         "f32[1,1,0], i32[1] -> _, _, _, _ !! E_SHAPE no classes")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
