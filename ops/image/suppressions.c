// ops/image/suppressions.c - boxes by falling score, without those that overlap a better one.   AscendIR
// NonMaxSuppression, V2 to V5, NonMaxSuppressionWithOverlaps, SortedNMS, CombinedNonMaxSuppression,
// BatchMultiClassNonMaxSuppression, NMSWithMask. A box is two opposite corners; the overlap of two is their
// intersection over their union, 0 where one is empty. A box goes where that is above the threshold. With
// soft_nms_sigma its score is multiplied by exp(-overlap^2 / (2 sigma)) instead, and it waits for its turn
// again. Equal scores keep their order; scores that are not above score_threshold, and NaN, are left out.
#include "lists.h"

#include "arrays.h"
#include "op/air_rows.h"
#include "op/named.h"

typedef struct candidate {
  double score;
  size_t box, seen;  // so many of the chosen have had their say
} candidate;
typedef struct suppression {
  const weft_call *c;
  const double *boxes, *overlaps, *scores;
  size_t n, box_step, score_step;  // in boxes and scores
  double offset, iou, score, sigma;
  size_t most;
  candidate *heap;
  size_t waiting;
  size_t *chosen;
  double *chosen_score;
  size_t found, work;
} suppression;

// ---- overlaps ----
static double suppression_side(double a, double b, double offset) {
  return fabs(b - a) + offset;
}
static double suppression_meet(double a0, double a1, double b0, double b1, double offset) {
  double from = WEFT_MAX(WEFT_MIN(a0, a1), WEFT_MIN(b0, b1));
  double to = WEFT_MIN(WEFT_MAX(a0, a1), WEFT_MAX(b0, b1));
  return WEFT_MAX(to - from + offset, 0);
}
static double suppression_overlap(const suppression *s, size_t i, size_t j) {
  if (s->overlaps)
    return s->overlaps[i * s->n + j];
  const double *a = s->boxes + i * s->box_step * 4;
  const double *b = s->boxes + j * s->box_step * 4;
  double area = suppression_side(a[0], a[2], s->offset) * suppression_side(a[1], a[3], s->offset);
  double other = suppression_side(b[0], b[2], s->offset) * suppression_side(b[1], b[3], s->offset);
  if (!(area > 0 && other > 0))
    return 0;
  double both = suppression_meet(a[0], a[2], b[0], b[2], s->offset) *
                suppression_meet(a[1], a[3], b[1], b[3], s->offset);
  return both / (area + other - both);
}

// ---- the queue: largest score first, then the first box ----
static bool suppression_before(const candidate *a, const candidate *b) {
  return a->score > b->score || (a->score == b->score && a->box < b->box);
}
static void suppression_push(suppression *s, candidate v) {
  size_t at = s->waiting++;
  while (at && suppression_before(&v, &s->heap[(at - 1) / 2])) {
    s->heap[at] = s->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  s->heap[at] = v;
}
static candidate suppression_pop(suppression *s) {
  candidate top = s->heap[0];
  candidate last = s->heap[--s->waiting];
  size_t at = 0;
  for (;;) {
    size_t next = 2 * at + 1;
    if (next >= s->waiting)
      break;
    if (next + 1 < s->waiting && suppression_before(&s->heap[next + 1], &s->heap[next]))
      next++;
    if (!suppression_before(&s->heap[next], &last))
      break;
    s->heap[at] = s->heap[next];
    at = next;
  }
  s->heap[at] = last;
  return top;
}

// Does the box stay as it was? One that is to wait again is put back.
static bool suppression_stays(suppression *s, candidate *v) {
  const double before = v->score;
  for (size_t k = s->found; k-- > v->seen;) {
    double overlap = suppression_overlap(s, v->box, s->chosen[k]);
    s->work += 4;
    if (s->sigma > 0)
      v->score *= exp(-0.5 / s->sigma * overlap * overlap);
    else if (overlap > s->iou)
      return false;
    if (!(v->score > s->score))
      return false;
  }
  v->seen = s->found;
  if (v->score == before)
    return true;
  suppression_push(s, *v);
  return false;
}

static weft_status suppression_run(suppression *s) {
  s->found = s->waiting = 0;
  for (size_t i = 0; i < s->n; i++) {
    double score = s->scores[i * s->score_step];
    WEFT_TRY(weft__poll_work(s->c, &s->work, 1));
    if (score > s->score)
      suppression_push(s, (candidate){score, i, 0});
  }
  while (s->waiting && s->found < s->most) {
    candidate v = suppression_pop(s);
    WEFT_TRY(weft__poll_work(s->c, &s->work, 1));
    if (!suppression_stays(s, &v))
      continue;
    s->chosen_score[s->found] = v.score;
    s->chosen[s->found++] = v.box;
  }
  return WEFT_OK;
}

static weft_status suppression_begin(const weft_call *c, size_t n, suppression *s) {
  size_t words;
  void *space;
  s->c = c;
  s->n = n;
  s->most = WEFT_MIN(s->most, n);
  s->score_step = s->score_step ? s->score_step : 1;
  s->box_step = s->box_step ? s->box_step : 1;
  if (!weft_mul_size(n, sizeof(candidate) / 8 + 2, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu boxes", n);
  WEFT_TRY(weft__scratch(c, words, &space));
  s->heap = space;
  s->chosen = (size_t *)(s->heap + n);
  s->chosen_score = (double *)(s->chosen + n);
  return WEFT_OK;
}

// ---- what inputs and attributes say ----
static const weft_tensor *suppression_input(const weft_call *c, const char *name) {
  for (uint32_t i = 0; i < c->n_in; i++) {
    if (!strcmp(weft__in_name(c->desc, i), name))
      return c->in[i];
  }
  return NULL;
}
static double suppression_number(const weft_call *c, const char *name, double absent) {
  const weft_tensor *t = suppression_input(c, name);
  if (t)
    return weft__elems(&t->layout.origin) ? weft_load_f64(t->dtype, t->data, 0) : absent;
  uint32_t slot = weft__slot_named(c->desc, name);
  const weft_attr *a = weft_attr_at(c->desc, slot, WEFT_VT_INT);
  return slot == UINT32_MAX ? absent : a ? (double)a->u.i : (double)weft_node_float(c->desc, slot);
}
static size_t suppression_count(const weft_call *c, const char *name) {
  double n = suppression_number(c, name, 0);
  return n > 0 ? (size_t)n : 0;
}
static weft_status suppression_scalars(const weft_infer *it, uint32_t from) {
  for (uint32_t i = from; i < it->n_in; i++) {
    int64_t n;
    if (weft_shape_is_known(it->in[i]) && (weft_shape_elems(it->in[i], &n) || n != 1))
      return weft_fail(it->d, WEFT_E_SHAPE, "input '%s': expected one element", weft__in_name(it->desc, i));
  }
  return WEFT_OK;
}

// ---- the boxes of one class ----
typedef struct single {
  uint32_t numbers;  // inputs from here on are numbers
  bool overlaps;     // instead of boxes
} single;

static bool single_padded(const weft_op_desc *n) {
  return weft__flag_named(n, "pad_to_max_output_size");
}

static weft_status single_infer(weft_infer *it) {
  const single *k = it->desc->op->user;
  const weft_shape *b = it->in[0];
  weft_dim n = -1;
  WEFT_TRY(weft__expect_rank(it, 0, 2, 2));
  WEFT_TRY(suppression_scalars(it, k->numbers));
  if (!weft_shape_is_unknown_rank(b)) {
    n = b->dim[0];
    WEFT_TRY(weft__merge_dim(it, k->overlaps ? n : 4, b->dim[1], "axis 1 of the first input", &n));
    n = b->dim[0];
  }
  for (uint32_t i = 1; i < k->numbers; i++) {
    WEFT_TRY(weft__expect_rank(it, i, 1, 1));
    if (!weft_shape_is_unknown_rank(it->in[i]))
      WEFT_TRY(weft__merge_dim(it, n, it->in[i]->dim[0], "boxes and what is said of them", &n));
  }
  for (uint32_t i = 0; i < it->n_out; i++) {
    bool list = strcmp(it->desc->op->out[i].name, "valid_outputs") != 0;
    WEFT_TRY(weft_set_out_shape(it, i, (weft_dim[1]){-1}, list));
  }
  return WEFT_OK;
}
static weft_status single_range(weft_infer *it) {
  const weft_shape *s = it->in_max[1];
  weft_dim n = weft_shape_is_unknown_rank(s) || single_padded(it->desc) ? -1 : s->dim[0];
  for (uint32_t i = 0; i < it->n_out; i++) {
    bool list = strcmp(it->desc->op->out[i].name, "valid_outputs") != 0;
    it->out_min[i]->rank = it->out_max[i]->rank = list;
    it->out_min[i]->dim[0] = 0;
    it->out_max[i]->dim[0] = n;
  }
  return WEFT_OK;
}

static weft_status single_write(const weft_call *c, const suppression *s, size_t most) {
  const weft_tensor *names = suppression_input(c, "input_indices");
  const weft_shape found = {.rank = 1, .dim = {(weft_dim)most}};
  for (uint32_t i = 0; i < c->n_out; i++) {
    const char *name = c->desc->op->out[i].name;
    bool score = !strcmp(name, "selected_scores");
    if (!c->out[i])
      continue;
    weft_dtype t = score ? c->in[1]->dtype : WEFT_INT32;
    if (!strcmp(name, "valid_outputs")) {
      WEFT_TRY(weft__alloc_found(c, i, t, &(weft_shape){0}, &(weft_shape){0}));
      weft_store_i64(t, c->out[i]->data, 0, (int64_t)s->found);
      continue;
    }
    WEFT_TRY(weft__alloc_found(c, i, t, &found, &found));
    for (size_t k = 0; k < most; k++) {
      size_t box = k < s->found ? s->chosen[k] : 0;
      int64_t id = names && k < s->found ? weft_load_i64(names->dtype, names->data, box) : (int64_t)box;
      WEFT_TRY(weft__poll_at(c, k));
      if (score)
        weft_store_f64(t, c->out[i]->data, k, k < s->found ? s->chosen_score[k] : 0);
      else
        weft_store_i64(t, c->out[i]->data, k, id);
    }
  }
  return WEFT_OK;
}

static weft_status single_execute(const weft_call *c) {
  const single *k = c->desc->op->user;
  size_t n = weft__elems(&c->in[1]->layout.origin);
  size_t most = suppression_count(c, "max_output_size");
  const char *threshold = k->overlaps ? "overlap_threshold" : "iou_threshold";
  double *boxes;
  double *scores;
  suppression s = {.most = most, .offset = suppression_number(c, "offset", 0)};
  if (single_padded(c->desc) && most > INT32_MAX)
    return weft_fail(c->d, WEFT_E_LIMIT, "input 'max_output_size' is %zu", most);
  WEFT_TRY(weft__load_f64s(c, c->in[0], &boxes));
  WEFT_TRY(weft__load_f64s(c, c->in[1], &scores));
  s.boxes = boxes;
  s.overlaps = k->overlaps ? boxes : NULL;
  s.scores = scores;
  s.iou = suppression_number(c, threshold, 0);
  s.score = suppression_number(c, "score_threshold", -INFINITY);
  s.sigma = suppression_number(c, "soft_nms_sigma", 0);
  WEFT_TRY(suppression_begin(c, n, &s));
  WEFT_TRY(suppression_run(&s));
  return single_write(c, &s, single_padded(c->desc) ? most : s.found);
}

// ---- images of several classes ----
typedef struct classes {
  const char *each, *all;  // how many of each class and in all: inputs or attributes
} classes;

static int64_t classes_known(const weft_infer *it, const char *name) {
  for (uint32_t i = 0; i < it->n_in; i++) {
    const weft_tensor *t = it->value[i];
    if (!strcmp(weft__in_name(it->desc, i), name))
      return t && t->data && weft__elems(&t->layout.origin) ? weft_load_i64(t->dtype, t->data, 0) : -1;
  }
  return weft__int_named(it->desc, name);
}
static weft_status classes_infer(weft_infer *it) {
  const classes *k = it->desc->op->user;
  const weft_shape *b = it->in[0];
  const weft_shape *s = it->in[1];
  int64_t total = classes_known(it, k->all);
  int64_t each = classes_known(it, k->each);
  weft_dim images = -1;
  weft_dim ignored;
  WEFT_TRY(weft__expect_rank(it, 0, 4, 4));
  WEFT_TRY(weft__expect_rank(it, 1, 3, 3));
  if (total < -1 || total > INT32_MAX || each > INT32_MAX)
    return weft_fail(it->d, WEFT_E_RANGE, "'%s' is %lld", k->all, (long long)total);
  if (!weft_shape_is_unknown_rank(b)) {
    images = b->dim[0];
    WEFT_TRY(weft__merge_dim(it, 4, b->dim[3], "axis 3 of input 'boxes'", &ignored));
  }
  if (!weft_shape_is_unknown_rank(s))
    WEFT_TRY(weft__merge_dim(it, images, s->dim[0], "images of 'boxes' and 'scores'", &images));
  if (!weft_shape_is_unknown_rank(s) && !weft_shape_is_unknown_rank(b)) {
    WEFT_TRY(weft__merge_dim(it, b->dim[1], s->dim[1], "boxes of 'boxes' and 'scores'", &ignored));
    if (b->dim[2] != 1)
      WEFT_TRY(weft__merge_dim(it, b->dim[2], s->dim[2], "classes of 'boxes' and 'scores'", &ignored));
  }
  if (weft__flag_named(it->desc, "pad_per_class")) {
    weft_dim n = weft_shape_is_unknown_rank(s) ? -1 : s->dim[2];
    total = total < 0 || each < 0 || n < 0 || n > INT32_MAX ? -1 : WEFT_MIN(total, each * n);
  }
  WEFT_TRY(weft_set_out_shape(it, 0, (weft_dim[3]){images, total, 4}, 3));
  WEFT_TRY(weft_set_out_shape(it, 1, (weft_dim[2]){images, total}, 2));
  WEFT_TRY(weft_set_out_shape(it, 2, (weft_dim[2]){images, total}, 2));
  return weft_set_out_shape(it, 3, (weft_dim[1]){images}, 1);
}

typedef struct classes_run {
  const weft_call *c;
  suppression s;
  const double *boxes;
  size_t classes, shared, total, n, each;
  candidate *best;  // of all classes: `box` is box * classes + class
  bool clip;
} classes_run;

// The best of all classes, those of the first class first where scores are equal.
static weft_status classes_merge(classes_run *r, size_t got) {
  suppression *s = &r->s;
  suppression all = {.heap = r->best, .waiting = 0};
  candidate *v = r->best + got;  // in the order in which they were found
  for (size_t i = 0; i < got; i++) {
    WEFT_TRY(weft__poll_work(s->c, &s->work, 4));
    suppression_push(&all, v[i]);
  }
  for (size_t i = 0; i < got && i < r->total; i++)
    v[i] = suppression_pop(&all);
  return WEFT_OK;
}

static weft_status classes_write(classes_run *r, size_t image, const candidate *v, size_t got,
                                 const size_t *which) {
  weft_tensor *const *out = r->c->out;
  for (size_t i = 0; i < r->total; i++) {
    const size_t id = i < got ? which[v[i].box] : 0;
    const size_t by = WEFT_MAX(r->classes, 1);
    size_t row = image * r->total + i;
    size_t box = r->shared == 1 ? id / by : id / by * r->shared + id % by;
    const double *b = r->boxes + (image * r->n * r->shared + box) * 4;
    WEFT_TRY(weft__poll_at(r->c, i));
    for (size_t k = 0; k < 4 && out[0]; k++) {
      double p = i < got ? b[k] : 0;
      p = r->clip ? WEFT_MIN(WEFT_MAX(p, 0), 1) : p;
      weft_store_f64(out[0]->dtype, out[0]->data, row * 4 + k, p);
    }
    if (out[1])
      weft_store_f64(out[1]->dtype, out[1]->data, row, i < got ? v[i].score : 0);
    if (out[2])
      weft_store_f64(out[2]->dtype, out[2]->data, row, i < got ? (double)(id % by) : 0);
  }
  if (out[3])
    weft_store_i64(out[3]->dtype, out[3]->data, image, (int64_t)WEFT_MIN(got, r->total));
  return WEFT_OK;
}

static weft_status classes_image(classes_run *r, const double *scores, size_t image, size_t limit,
                                 size_t *which) {
  suppression *s = &r->s;
  size_t got = 0;
  candidate *v = r->best + limit;
  for (size_t k = 0; k < r->classes && r->n; k++) {
    s->boxes = r->boxes + (image * r->n * r->shared + (r->shared == 1 ? 0 : k)) * 4;
    s->scores = scores + image * r->n * r->classes + k;
    WEFT_TRY(suppression_run(s));
    for (size_t i = 0; i < s->found; i++) {
      which[got] = s->chosen[i] * r->classes + k;
      v[got] = (candidate){s->chosen_score[i], got, 0};
      got++;
    }
  }
  memmove(r->best + got, v, got * sizeof *v);
  WEFT_TRY(classes_merge(r, got));
  return classes_write(r, image, r->best + got, got, which);
}

static weft_status classes_ref(const weft_call *c) {
  const classes *k = c->desc->op->user;
  const weft_shape *b = &c->in[0]->layout.origin;
  const weft_shape *shape = &c->in[1]->layout.origin;
  classes_run r = {.c = c, .classes = (size_t)shape->dim[2], .n = (size_t)shape->dim[1]};
  double *boxes;
  double *scores;
  void *space;
  size_t limit;
  size_t words;
  if (weft__flag_named(c->desc, "change_coordinate_frame") || weft__flag_named(c->desc, "transpose_box") ||
      suppression_input(c, "clip_window") || suppression_input(c, "num_valid_boxes"))
    return weft_fail(
        c->d, WEFT_E_UNSUPPORTED,
        "'clip_window', 'num_valid_boxes', 'change_coordinate_frame' and 'transpose_box' are not "
        "computed");
  WEFT_TRY(weft__load_f64s(c, c->in[0], &boxes));
  WEFT_TRY(weft__load_f64s(c, c->in[1], &scores));
  r.boxes = boxes;
  r.shared = (size_t)b->dim[2];
  r.clip = weft__flag_named(c->desc, "clip_boxes");
  r.each = suppression_count(c, k->each);
  r.total = suppression_count(c, k->all);
  r.s = (suppression){.most = r.each, .box_step = r.shared, .score_step = r.classes};
  r.s.iou = suppression_number(c, "iou_threshold", 0);
  r.s.score = suppression_number(c, "score_threshold", -INFINITY);
  if (!r.classes || !shape->dim[0])
    r.n = 0;  // no room for as many as the shape claims
  WEFT_TRY(suppression_begin(c, r.n, &r.s));
  bool fits = weft_mul_size(r.s.most, r.classes, &limit);
  if (weft__flag_named(c->desc, "pad_per_class")) {
    size_t of_classes;
    if (weft_mul_size(r.each, r.classes, &of_classes))
      r.total = WEFT_MIN(r.total, of_classes);
  }
  if (!fits || !weft_mul_size(limit, 2 * sizeof(candidate) / 8 + 1, &words))
    return weft_fail(c->d, WEFT_E_OVERFLOW, "%zu boxes of %zu classes", r.n, r.classes);
  WEFT_TRY(weft__scratch(c, words, &space));
  r.best = space;
  size_t *which = (size_t *)(r.best + 2 * limit);
  for (size_t i = 0; i < (size_t)shape->dim[0]; i++)
    WEFT_TRY(classes_image(&r, scores, i, limit, which));
  return WEFT_OK;
}

// ---- all boxes by falling score, with a mask ----
static weft_status mask_infer(weft_infer *it) {
  const weft_shape *x = it->in[0];
  weft_dim n = -1;
  weft_dim ignored;
  WEFT_TRY(weft__expect_rank(it, 0, 2, 2));
  if (!weft_shape_is_unknown_rank(x)) {
    n = x->dim[0];
    WEFT_TRY(weft__merge_dim(it, 5, x->dim[1], "axis 1 of input 'box_scores'", &ignored));
  }
  WEFT_TRY(weft_set_out_shape(it, 0, (weft_dim[2]){n, 5}, 2));
  WEFT_TRY(weft_set_out_shape(it, 1, (weft_dim[1]){n}, 1));
  return weft_set_out_shape(it, 2, (weft_dim[1]){n}, 1);
}
static weft_status mask_ref(const weft_call *c) {
  const weft_tensor *x = c->in[0];
  size_t n = (size_t)x->layout.origin.dim[0];
  double *v;
  double *boxes;
  void *space;
  suppression s = {.most = n, .iou = weft__float_named(c->desc, "iou_threshold")};
  WEFT_TRY(weft__load_f64s(c, x, &v));
  WEFT_TRY(weft__scratch(c, n * 4, &space));  // x has more elements
  boxes = space;
  WEFT_TRY(suppression_begin(c, n, &s));
  for (size_t i = 0; i < n; i++) {
    double score = v[5 * i + 4];
    WEFT_TRY(weft__poll_at(c, i));
    memcpy(boxes + 4 * i, v + 5 * i, 4 * sizeof *boxes);
    suppression_push(&s, (candidate){isnan(score) ? -INFINITY : score, i, 0});
  }
  s.boxes = boxes;
  s.score = -INFINITY;
  for (size_t i = 0; i < n; i++) {
    candidate best = suppression_pop(&s);
    WEFT_TRY(weft__poll_work(c, &s.work, 1));
    bool stays = true;
    for (size_t k = 0; k < s.found && stays; k++) {
      WEFT_TRY(weft__poll_work(c, &s.work, 4));
      stays = !(suppression_overlap(&s, best.box, s.chosen[k]) > s.iou);
    }
    if (stays)
      s.chosen[s.found++] = best.box;
    for (size_t k = 0; k < 5 && c->out[0]; k++)
      weft__copy_elem(x->dtype, c->out[0]->data, 5 * i + k, x->data, 5 * best.box + k);
    if (c->out[1])
      weft_store_i64(WEFT_INT32, c->out[1]->data, i, (int64_t)best.box);
    if (c->out[2])
      ((uint8_t *)c->out[2]->data)[i] = stays;
  }
  return WEFT_OK;
}

#define SINGLE(op_name, first_number, of_overlaps, ...)                                       \
  {                                                                                                      \
    .name = op_name, .summary = "the best boxes that do not overlap",                                    \
    .traits = WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT, .infer = single_infer, .infer_range = single_range,   \
    .execute = single_execute, .user = (&(const single){first_number, of_overlaps}),          \
    .examples = WEFT_EXAMPLES(__VA_ARGS__)                                                               \
  }
#define THREE "f32[3,4]{0,0,1,1,0,0,1,1,0,2,1,3}, f32[3]{0.5,0.9,0.7}, i32[]{3}"

WEFT_ROWS(suppressions) = {
    SINGLE("NonMaxSuppression", 2, false, THREE " -> i32[2]{1,2}",
           "f32[3,4], f32[2], i32[] !! E_SHAPE 3 and 2 differ"),
    SINGLE("NonMaxSuppressionV2", 2, false, THREE ", f32[]{0.5} -> i32[2]{1,2}"),
    SINGLE("NonMaxSuppressionV3", 2, false, THREE ", f32[]{0.5}, f32[]{0.8} -> i32[1]{1}"),
    SINGLE("NonMaxSuppressionV4", 2, false, THREE ", f32[]{0.5}, f32[]{0} -> i32[2]{1,2}, i32[]{2}",
           THREE ", f32[]{0.5}, f32[]{0} pad_to_max_output_size=true -> i32[3]{1,2,0}, i32[]{2}"),
    SINGLE("NonMaxSuppressionV5", 2, false,
           THREE ", f32[]{0.5}, f32[]{0}, f32[]{0} T=f32 -> i32[2]{1,2}, f32[2]{0.9,0.7}, i32[]{2}",
           THREE ", f32[]{0.5}, f32[]{0}, f32[]{0.5} T=f32 -> i32[3]{1,2,0}, f32[3]{0.9,0.7,0.18394}, "
                 "i32[]{3} ~1e-4"),
    SINGLE("NonMaxSuppressionWithOverlaps", 2, true,
           "f32[2,2]{1,0.6,0.6,1}, f32[2]{0.5,0.9}, i32[]{2}, f32[]{0.5}, f32[]{0} -> i32[1]{1}",
           "f32[2,3], f32[2], i32[], f32[], f32[] !! E_SHAPE 2 and 3 differ"),
    SINGLE("SortedNMS", 3, false,
           "f32[3,4]{0,0,1,1,0,0,1,1,0,2,1,3}, f32[3]{0.9,0.8,0.7}, i32[3]{7,8,9}, i32[]{3}, f32[]{0.5}, "
           "f32[]{0} -> i32[2]{7,9}",
           "f32[3,4], f32[3], i32[3,0], i32[], f32[], f32[] !! E_SHAPE 'input_indices'"),
    {.name = "CombinedNonMaxSuppression",
     .summary = "the best boxes of all classes of each image",
     .traits = WEFT_SYMBOLIC,
     .infer = classes_infer,
     .ref = classes_ref,
     .values = "max_output_size_per_class,max_total_size",
     .user = (&(const classes){"max_output_size_per_class", "max_total_size"}),
     .examples = WEFT_EXAMPLES(
         "f32[1,2,1,4]{0,0,1,1,0,0,1,1}, f32[1,2,2]{0.5,0.6,0.9,0.1}, i32[]{2}, i32[]{3}, f32[]{0.5}, "
         "f32[]{0} -> f32[1,3,4]{0,0,1,1,0,0,1,1,0,0,0,0}, f32[1,3]{0.9,0.6,0}, f32[1,3]{0,1,0}, i32[1]{2}",
         "f32[1,2,3,4], f32[1,2,2], i32[], i32[], f32[], f32[] -> _, _, _, _ !! E_SHAPE 3 and 2 differ")},
    {.name = "BatchMultiClassNonMaxSuppression",
     .summary = "the best boxes of all classes of each image",
     .traits = WEFT_SYMBOLIC,
     .infer = classes_infer,
     .ref = classes_ref,
     .user = (&(const classes){"max_size_per_class", "max_total_size"}),
     .examples = WEFT_EXAMPLES(
         "f32[1,2,1,4]{0,0,1,1,0,0,1,1}, f32[1,2,2]{0.5,0.6,0.9,0.1} score_threshold=0 iou_threshold=0.5 "
         "max_size_per_class=2 max_total_size=3 -> f32[1,3,4]{0,0,1,1,0,0,1,1,0,0,0,0}, f32[1,3]{0.9,0.6,0}, "
         "f32[1,3]{0,1,0}, i32[1]{2}",
        "f32[1,2,1,4]{0,0,1,1,0,0,1,1}, f32[1,2,0] score_threshold=0 iou_threshold=0.5 max_size_per_class=2 "
        "max_total_size=1 -> f32[1,1,4]{0,0,0,0}, f32[1,1]{0}, f32[1,1]{0}, i32[1]{0}")},
    {.name = "NMSWithMask",
     .summary = "boxes by falling score, and which do not overlap a better one",
     .traits = WEFT_SYMBOLIC,
     .infer = mask_infer,
     .ref = mask_ref,
     .examples = WEFT_EXAMPLES("f32[2,5]{0,0,1,1,0.5,0,0,1,1,0.9} -> f32[2,5]{0,0,1,1,0.9,0,0,1,1,0.5}, "
                               "i32[2]{1,0}, u8[2]{1,0}")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
