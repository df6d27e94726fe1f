// map_models.c - trained models of ai.onnx.ml: linear ones, ensembles of trees,
// and the encoders and scalers around them. Scores are computed by primitives of ops/ml; labels are gathered.
#include "frontend/onnx/map.h"
#include "base/allocated.h"

int64_t onnx_post_transform(onnx_op *o) {
  static const char *const names[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    if (onnx_is(o, "post_transform", "NONE", names[i]))
      return (int64_t)i;
  }
  if (!o->failed) {
    o->failed =
        onnx_fail(o, WEFT_E_UNSUPPORTED,
                  "attribute 'post_transform': expected NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT");
  }
  return 0;
}

// A list of floats, or an empty one, as a constant.
weft_value *onnx_float_table(onnx_op *o, const char *name) {
  const onnx_attr *a = onnx_find_attr(o, name);
  return a ? onnx_table(o, a) : onnx_float_list(o, NULL, 0);
}

weft_value *onnx_needed_table(onnx_op *o, const char *name) {
  const onnx_attr *a = onnx_find_attr(o, name);
  if (!a)
    o->failed = onnx_fail(o, WEFT_E_MISSING, "required attribute '%s' is not given", name);
  return o->failed ? NULL : onnx_table(o, a);
}

// ---- labels ----
const onnx_attr *onnx_class_labels(onnx_op *o, const char *ints, size_t *n) {
  const onnx_attr *i = onnx_find_attr(o, ints);
  const onnx_attr *s = onnx_find_attr(o, "classlabels_strings");
  if (i && s && !i->ints.n)
    i = NULL;
  if (i && s && !s->strings.n)
    s = NULL;
  if (!i == !s) {
    o->failed = onnx_fail(o, i ? WEFT_E_INVALID : WEFT_E_MISSING,
                          "one of the attributes '%s' and 'classlabels_strings' is needed, %s", ints,
                          i ? "both are given" : "none is given");
  }
  *n = o->failed ? 0 : i ? i->ints.n : s->strings.n;
  if (!*n)
    o->failed = onnx_fail(o, WEFT_E_INVALID, "the list of class labels is empty");
  return i ? i : s;
}

// The label of the highest score. A single score: the label from `threshold` on, otherwise 0 or "".
static weft_value *best_label(onnx_op *o, weft_value *scores, const onnx_attr *labels, size_t n,
                              double threshold) {
  weft_value *best;
  weft_value *names;
  if (o->failed)
    return NULL;
  if (n > 1) {
    onnx_set(o, "keep_dims", weft_attr_bool(false));
    best = onnx_do(o, "ArgMaxV2", scores, onnx_index(o, 1), NULL);
    names = onnx_table(o, labels);
  } else {
    int64_t numbers[2] = {0, labels->ints.n ? labels->ints.v[0] : 0};
    onnx_str texts[2] = {{"", 0}, labels->strings.n ? labels->strings.v[0] : (onnx_str){"", 0}};
    weft_value *yes = onnx_do(o, "GreaterEqual", onnx_reshaped(o, scores, (int64_t[]){-1}, 1),
                              onnx_num(o, WEFT_FLOAT, threshold), NULL);
    best = yes ? onnx_as(o, yes, WEFT_INT64) : NULL;
    names = labels->strings.n ? onnx_text_list(o, texts, 2) : onnx_list(o, numbers, 2);
  }
  return onnx_do(o, "GatherV2", names, best, onnx_index(o, 0));
}

weft_status onnx_linear_classifier(onnx_op *o) {
  size_t n = 0;
  const onnx_attr *labels = onnx_class_labels(o, "classlabels_ints", &n);
  int64_t post = onnx_post_transform(o);
  weft_value *x = onnx_arg(o, 0);
  weft_value *w = onnx_needed_table(o, "coefficients");
  weft_value *b = onnx_float_table(o, "intercepts");
  onnx_set(o, "n_targets", weft_attr_int((int64_t)n));
  onnx_set(o, "post_transform", weft_attr_int(post));
  weft_value *z = onnx_do(o, "LinearScores", x, w, b);
  WEFT_TRY(onnx_result(o, 0, best_label(o, z, labels, n, post ? 0.5 : 0)));
  return onnx_wants(o, 1) ? onnx_result(o, 1, z) : WEFT_OK;
}

weft_status onnx_linear_regressor(onnx_op *o) {
  int64_t post = onnx_post_transform(o);
  int64_t n = onnx_int(o, "targets", 1);
  weft_value *x = onnx_arg(o, 0);
  weft_value *w = onnx_needed_table(o, "coefficients");
  weft_value *b = onnx_float_table(o, "intercepts");
  onnx_set(o, "n_targets", weft_attr_int(n));
  onnx_set(o, "post_transform", weft_attr_int(post));
  return onnx_result(o, 0, onnx_do(o, "LinearScores", x, w, b));
}

// ---- ensembles of trees in their first form: nodes with ids, votes at nodes ----
typedef struct forest {
  weft_ints tree, id, feature, yes, no, missing, vote_tree, vote_id, vote_target;
  size_t n;        // nodes
  int64_t *key;    // (tree, id) of each node
  weft_map at;     // key -> node + 1
  int64_t *place;  // of each node: its number among the inner nodes or among the leaves
  uint8_t *mode;   // of each node; 6: a leaf
  size_t n_inner, n_leaves, n_roots;
  int64_t *roots;
  int64_t
      *list[7];    // as the primitive has them: features, true ids and leaves, false ids and leaves, missing
  int64_t *order;  // of the votes: by leaf
  int64_t *targets;     // of the votes, in this order
  const char *weights;  // the attribute with what votes weigh
} forest;
enum { FEATURES, TRUE_IDS, FALSE_IDS, TRUE_LEAVES, FALSE_LEAVES, MISSING, VOTES, LEAF = 6 };

static weft_status read_lists(onnx_op *o, forest *f, const char *vote) {
  char name[3][32];
  static const char *const parts[3] = {"treeids", "nodeids", "ids"};
  for (int i = 0; i < 3; i++)
    snprintf(name[i], sizeof name[i], "%s_%s", vote, parts[i]);
  const struct {
    const char *name;
    weft_ints *to;
  } lists[] = {{"nodes_treeids", &f->tree},       {"nodes_nodeids", &f->id},
               {"nodes_featureids", &f->feature}, {"nodes_truenodeids", &f->yes},
               {"nodes_falsenodeids", &f->no},    {"nodes_missing_value_tracks_true", &f->missing},
               {name[0], &f->vote_tree},          {name[1], &f->vote_id},
               {name[2], &f->vote_target}};
  for (size_t i = 0; i < WEFT_COUNT(lists); i++)
    *lists[i].to = onnx_ints_of(o, lists[i].name);
  WEFT_TRY(o->failed);
  f->n = f->id.n;
  for (size_t i = 0; i < WEFT_COUNT(lists); i++) {
    size_t want = i < 6 ? f->n : f->vote_id.n;
    if (lists[i].to->n != want && !(i == 5 && !lists[i].to->n)) {
      return onnx_fail(o, WEFT_E_INVALID, "attribute '%s' has %zu elements, expected %zu", lists[i].name,
                       lists[i].to->n, want);
    }
  }
  return WEFT_OK;
}

static weft_status read_modes(onnx_op *o, forest *f) {
  static const char *const names[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                      "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
  const onnx_attr *a = onnx_find_attr(o, "nodes_modes");
  size_t n = a ? a->strings.n : 0;
  if (n != f->n)
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'nodes_modes' has %zu elements, expected %zu", n, f->n);
  for (size_t i = 0; i < n; i++) {
    size_t k = 0;
    while (k < WEFT_COUNT(names) && !onnx_str_is(a->strings.v[i], names[k]))
      k++;
    if (k == WEFT_COUNT(names)) {
      return onnx_fail(o, WEFT_E_UNSUPPORTED, "attribute 'nodes_modes': element %zu, '%.*s', is not known", i,
                       (int)WEFT_MIN(a->strings.v[i].bytes, 40),
                       a->strings.v[i].text ? a->strings.v[i].text : "");
    }
    f->mode[i] = (uint8_t)k;
  }
  return WEFT_OK;
}

static int64_t map_models_find(const forest *f, int64_t tree, int64_t id) {  // -1: there is none
  int64_t key[2] = {tree, id};
  const int64_t *at = weft__map_find(&f->at, (const char *)key, sizeof key);
  return at ? (at - f->key) / 2 : -1;
}

static weft_status number_nodes(onnx_op *o, forest *f) {
  for (size_t i = 0; i < f->n; i++) {
    int64_t *key = &f->key[2 * i];
    key[0] = f->tree.v[i];
    key[1] = f->id.v[i];
    if (weft__map_find(&f->at, (const char *)key, 2 * sizeof *key)) {
      return onnx_fail(o, WEFT_E_DUPLICATE, "tree %lld has two nodes %lld", (long long)key[0],
                       (long long)key[1]);
    }
    if (weft__map_set(&f->at, (const char *)key, 2 * sizeof *key, key))
      return onnx_fail(o, WEFT_E_NOMEM, "out of memory");
    f->place[i] = f->mode[i] == LEAF ? (int64_t)f->n_leaves++ : (int64_t)f->n_inner++;
  }
  return WEFT_OK;
}

// The first node of a tree is its root. A root that is a leaf gets a node in front of it that always leads
// there.
static weft_status add_branches(onnx_op *o, forest *f) {
  size_t made = f->n_inner;
  size_t inner = 0;
  for (size_t i = 0; i < f->n; i++) {
    bool root = !i || f->tree.v[i] != f->tree.v[i - 1];
    bool leaf = f->mode[i] == LEAF;
    size_t at = leaf ? made : inner;
    if (leaf && !root)
      continue;
    if (root)
      f->roots[f->n_roots++] = (int64_t)at;
    leaf ? made++ : inner++;
    f->list[FEATURES][at] = leaf ? 0 : f->feature.v[i];
    f->list[MISSING][at] = f->missing.n && !leaf ? f->missing.v[i] : 0;
    for (int k = 0; k < 2; k++) {
      int64_t id = k ? f->no.v[i] : f->yes.v[i];
      int64_t to = leaf ? (int64_t)i : map_models_find(f, f->tree.v[i], id);
      if (to < 0) {
        return onnx_fail(o, WEFT_E_NOT_FOUND, "node %lld of tree %lld leads to node %lld, which is not there",
                         (long long)f->id.v[i], (long long)f->tree.v[i], (long long)id);
      }
      f->list[TRUE_IDS + k][at] = f->place[to];
      f->list[TRUE_LEAVES + k][at] = f->mode[to] == LEAF;
    }
  }
  f->n_inner = made;
  return WEFT_OK;
}

// Votes in the order of their leaves: a counting sort. order[k]: the vote that becomes number k.
static weft_status sort_votes(onnx_op *o, forest *f) {
  int64_t *begin = f->list[VOTES];
  for (size_t pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < f->vote_id.n; i++) {
      int64_t node = map_models_find(f, f->vote_tree.v[i], f->vote_id.v[i]);
      if (node < 0 || f->mode[node] != LEAF) {
        return onnx_fail(o, WEFT_E_NOT_FOUND, "vote %zu is for node %lld of tree %lld, which is not a leaf",
                         i, (long long)f->vote_id.v[i], (long long)f->vote_tree.v[i]);
      }
      if (pass)
        f->order[begin[f->place[node]]++] = (int64_t)i;
      else
        begin[f->place[node] + 1]++;
    }
    for (size_t i = 0; !pass && i < f->n_leaves; i++)
      begin[i + 1] += begin[i];
  }
  for (size_t i = f->n_leaves; i > 0; i--)
    begin[i] = begin[i - 1];
  begin[0] = 0;
  return WEFT_OK;
}

// A list of floats, or the tensor that stands for it, as doubles.
static weft_status read_numbers(onnx_op *o, const char *name, size_t n, double *out) {
  char other[64];
  snprintf(other, sizeof other, "%s_as_tensor", name);
  const onnx_attr *list = onnx_find_attr(o, name);
  const onnx_attr *tensor = onnx_find_attr(o, other);
  weft_tensor t;
  if (!tensor || !tensor->t) {
    size_t given = list ? list->floats.n : 0;
    if (given != n)
      return onnx_fail(o, WEFT_E_INVALID, "attribute '%s' has %zu elements, expected %zu", name, given, n);
    for (size_t i = 0; i < n; i++)
      out[i] = (double)list->floats.v[i];
    return WEFT_OK;
  }
  weft_tensor_init(&t, &o->m->env->alloc);
  weft_status s = weft__onnx_tensor(tensor->t, o->m->data, false, &t, o->m->d);
  if (!s && (!weft_dtype_is_float(t.dtype) || (size_t)weft_tensor_elems(&t) != n)) {
    s = onnx_fail(o, WEFT_E_INVALID, "attribute '%s': expected %zu floating point numbers, got %zu of %s",
                  other, n, (size_t)weft_tensor_elems(&t), weft_dtype_serial(t.dtype));
  }
  for (size_t i = 0; !s && i < n; i++)
    out[i] = weft_load_f64(t.dtype, t.data, i);
  weft_tensor_deinit(&t);
  return s;
}

static weft_value *number_list(onnx_op *o, weft_dtype dtype, const double *v, size_t n) {
  weft_tensor t;
  weft_value *out = NULL;
  weft_dim dim = (weft_dim)n;
  if (o->failed)
    return NULL;
  weft_tensor_init(&t, &o->m->env->alloc);
  weft_status s = weft_tensor_alloc(&t, dtype, &dim, 1, o->m->d);
  for (size_t i = 0; !s && i < n; i++)
    weft_store_f64(dtype, t.data, i, v[i]);
  if (!s)
    s = onnx_const(o, &t, &out);
  weft_tensor_deinit(&t);
  o->failed = s;
  return out;
}

// What the inner nodes compare with and how: splits and modes, f->n_inner of each.
static weft_status forest_splits(onnx_op *o, const forest *f, double *splits, double *modes) {
  double *given = WEFT_NEW_N(o->m->arena, double, f->n + 1);
  WEFT_TRY(weft__allocated(given, o->m->d));
  WEFT_TRY(read_numbers(o, "nodes_values", f->n, given));
  memset(splits, 0, (f->n_inner + 1) * sizeof *splits);
  memset(modes, 0, (f->n_inner + 1) * sizeof *modes);
  size_t k = 0;
  for (size_t i = 0; i < f->n; i++) {
    if (f->mode[i] == LEAF)
      continue;
    splits[k] = given[i];
    modes[k++] = f->mode[i];
  }
  return WEFT_OK;
}

// What the votes weigh, and for which targets they are, in their order.
static weft_status forest_votes(onnx_op *o, const forest *f, double *sorted) {
  double *given = WEFT_NEW_N(o->m->arena, double, f->vote_id.n + 1);
  WEFT_TRY(weft__allocated(given, o->m->d));
  WEFT_TRY(read_numbers(o, f->weights, f->vote_id.n, given));
  for (size_t i = 0; i < f->vote_id.n; i++) {
    sorted[i] = given[f->order[i]];
    f->targets[i] = f->vote_target.v[f->order[i]];
  }
  return WEFT_OK;
}

static weft_status forest_inputs(onnx_op *o, const forest *f, weft_value *x, weft_value **in) {
  double *splits = WEFT_NEW_N(o->m->arena, double, f->n_inner + 1);
  double *modes = WEFT_NEW_N(o->m->arena, double, f->n_inner + 1);
  double *sorted = WEFT_NEW_N(o->m->arena, double, f->vote_id.n + 1);
  WEFT_TRY(weft__allocated(splits && modes && sorted, o->m->d));
  WEFT_TRY(forest_splits(o, f, splits, modes));
  WEFT_TRY(forest_votes(o, f, sorted));
  weft_dtype t = x->fact.dtype == WEFT_FLOAT ? WEFT_FLOAT : WEFT_DOUBLE;
  in[0] = onnx_as(o, x, t);
  in[1] = number_list(o, t, splits, f->n_inner);
  in[2] = number_list(o, WEFT_UINT8, modes, f->n_inner);
  in[3] = number_list(o, t, sorted, f->vote_id.n);
  return o->failed;
}

static weft_value *emit_forest(onnx_op *o, const forest *f, weft_value *x, int64_t n_targets, int64_t how) {
  static const struct {
    const char *name;
    int list;
  } lists[] = {{"nodes_featureids", FEATURES},     {"nodes_truenodeids", TRUE_IDS},
               {"nodes_falsenodeids", FALSE_IDS},  {"nodes_trueleafs", TRUE_LEAVES},
               {"nodes_falseleafs", FALSE_LEAVES}, {"nodes_missing_value_tracks_true", MISSING}};
  weft_value *in[4];
  weft_value *out = NULL;
  o->failed = forest_inputs(o, f, x, in);
  if (o->failed)
    return NULL;
  for (size_t i = 0; i < WEFT_COUNT(lists); i++)
    onnx_set(o, lists[i].name, weft_attr_ints(f->list[lists[i].list], f->n_inner));
  onnx_set(o, "leaf_votes", weft_attr_ints(f->list[VOTES], f->n_leaves + 1));
  onnx_set(o, "leaf_targetids", weft_attr_ints(f->targets, f->vote_id.n));
  onnx_set(o, "tree_roots", weft_attr_ints(f->roots, f->n_roots));
  onnx_set(o, "n_targets", weft_attr_int(n_targets));
  onnx_set(o, "aggregate_function", weft_attr_int(how));
  o->failed = onnx_emit(o, "TreeEnsemble", in, 4, NULL, 0, &out);
  return onnx_as(o, out, WEFT_FLOAT);
}

static weft_status arrange(onnx_op *o, forest *f) {
  WEFT_TRY(read_modes(o, f));
  WEFT_TRY(number_nodes(o, f));
  WEFT_TRY(add_branches(o, f));
  return sort_votes(o, f);
}

// The sums of the votes, [N, n_targets] in float, with the base values.
static weft_value *forest_scores(onnx_op *o, forest *f, const char *vote, int64_t n_targets, int64_t how) {
  weft_arena *a = o->m->arena;
  char weights[32];
  char base_tensor[] = "base_values_as_tensor";
  weft_value *x = onnx_arg(o, 0);
  weft_value *scores = NULL;
  snprintf(weights, sizeof weights, "%s_weights", vote);
  if (!o->failed)
    o->failed = read_lists(o, f, vote);
  if (o->failed)
    return NULL;
  size_t n = 2 * f->n + 2;
  f->key = WEFT_NEW_N(a, int64_t, n);
  f->place = WEFT_NEW_N(a, int64_t, n);
  f->mode = WEFT_NEW_N(a, uint8_t, n);
  f->roots = WEFT_NEW_N(a, int64_t, n);
  f->order = WEFT_NEW_N(a, int64_t, f->vote_id.n + 1);
  f->targets = WEFT_NEW_N(a, int64_t, f->vote_id.n + 1);
  f->weights = weights;
  bool room = f->key && f->place && f->mode && f->roots && f->order && f->targets;
  for (size_t i = 0; i < WEFT_COUNT(f->list); i++) {
    f->list[i] = WEFT_NEW_N(a, int64_t, n);
    if (f->list[i])
      memset(f->list[i], 0, n * sizeof(int64_t));
    room &= f->list[i] != NULL;
  }
  weft__map_init(&f->at, &o->m->env->alloc);
  o->failed = room ? arrange(o, f) : onnx_fail(o, WEFT_E_NOMEM, "out of memory");
  weft__map_deinit(&f->at);
  if (!o->failed)
    scores = emit_forest(o, f, x, n_targets, how);
  const onnx_attr *base = onnx_find_attr(o, base_tensor);
  if (!base)
    base = onnx_find_attr(o, "base_values");
  if (!base || o->failed || (!base->t && !base->floats.n))
    return scores;
  weft_value *more = onnx_table(o, base);
  return o->failed ? NULL : onnx_do(o, "Add", scores, onnx_as(o, more, WEFT_FLOAT), NULL);
}

weft_value *onnx_transformed(onnx_op *o, weft_value *scores, int64_t post) {
  if (!post)
    return scores;
  onnx_set(o, "post_transform", weft_attr_int(post));
  return onnx_do(o, "ScoreTransform", scores, NULL, NULL);
}

weft_status onnx_tree_regressor(onnx_op *o) {
  static const char *const names[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  forest f = {0};
  int64_t post = onnx_post_transform(o);
  int64_t n = onnx_int(o, "n_targets", 1);
  int64_t how = -1;
  for (int i = 0; i < 4; i++) {
    if (onnx_is(o, "aggregate_function", "SUM", names[i]))
      how = i;
  }
  if (how < 0) {
    return onnx_fail(o, WEFT_E_UNSUPPORTED,
                     "attribute 'aggregate_function': expected AVERAGE, SUM, MIN or MAX");
  }
  return onnx_result(o, 0, onnx_transformed(o, forest_scores(o, &f, "target", n, how), post));
}

// Two classes whose votes are all for one of them: its score p, and 1 - p or, where a function follows, -p.
static weft_value *mirrored(onnx_op *o, weft_value *scores, int64_t column, int64_t post) {
  weft_value *p = onnx_picked(o, scores, 1, onnx_list(o, &column, 1));
  weft_value *both[2] = {NULL, p};
  both[0] = post == 0 || post == 4 ? onnx_do(o, "Sub", onnx_num(o, WEFT_FLOAT, 1), p, NULL)
                                   : onnx_do(o, "Neg", p, NULL, NULL);
  return onnx_joined(o, both, 2, 1);
}

weft_status onnx_tree_classifier(onnx_op *o) {
  forest f = {0};
  size_t n = 0;
  const onnx_attr *labels = onnx_class_labels(o, "classlabels_int64s", &n);
  int64_t post = onnx_post_transform(o);
  if (n < 2)
    return onnx_fail(o, WEFT_E_UNSUPPORTED, "attribute 'classlabels_*': a single label is not imported");
  weft_value *scores = forest_scores(o, &f, "class", (int64_t)n, 1);
  bool one = n == 2 && f.vote_target.n;
  for (size_t i = 1; i < f.vote_target.n; i++)
    one &= f.vote_target.v[i] == f.vote_target.v[0];
  if (one && !o->failed)
    scores = mirrored(o, scores, f.vote_target.v[0], post);
  scores = onnx_transformed(o, scores, post);
  WEFT_TRY(onnx_result(o, 0, best_label(o, scores, labels, n, 0)));
  return onnx_wants(o, 1) ? onnx_result(o, 1, scores) : WEFT_OK;
}

// ---- encoders and scalers ----
weft_status onnx_one_hot_encoder(onnx_op *o) {
  const onnx_attr *ints = onnx_find_attr(o, "cats_int64s");
  const onnx_attr *texts = onnx_find_attr(o, "cats_strings");
  if (!ints == !texts) {
    return onnx_fail(o, ints ? WEFT_E_INVALID : WEFT_E_MISSING,
                     "one of the attributes 'cats_int64s' and 'cats_strings' is needed, %s",
                     ints ? "both are given" : "none is given");
  }
  weft_value *x = onnx_arg(o, 0);
  weft_value *in = onnx_table(o, ints ? ints : texts);
  onnx_set(o, "zeros", weft_attr_bool(onnx_int(o, "zeros", 1) != 0));
  return onnx_result(o, 0, onnx_do(o, "OneHotEncoder", x, in, NULL));
}

// From strings to integers or back: the input says which.
weft_status onnx_category_mapper(onnx_op *o) {
  const onnx_attr *ints = onnx_find_attr(o, "cats_int64s");
  const onnx_attr *texts = onnx_find_attr(o, "cats_strings");
  if (!ints || !texts) {
    return onnx_fail(o, WEFT_E_MISSING, "required attribute 'cats_%s' is not given",
                     ints ? "strings" : "int64s");
  }
  if (ints->ints.n != texts->strings.n) {
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'cats_int64s' has %zu elements, 'cats_strings' %zu",
                     (size_t)ints->ints.n, (size_t)texts->strings.n);
  }
  weft_value *in[4] = {onnx_arg(o, 0), NULL, NULL, NULL};
  WEFT_TRY(o->failed);
  bool forward = in[0]->fact.dtype == WEFT_STRING;
  in[1] = onnx_table(o, forward ? texts : ints);
  in[2] = onnx_table(o, forward ? ints : texts);
  weft_str other;
  WEFT_TRY(onnx_str_attr(o, "default_string", "_Unused", &other));
  in[3] = forward ? onnx_index(o, onnx_int(o, "default_int64", -1))
                  : onnx_text_list(o, &(onnx_str){other.text, other.bytes}, 1);
  WEFT_TRY(o->failed);
  return onnx_emit(o, "LabelEncoder", in, 4, NULL, 1, NULL);
}

weft_status onnx_scaler(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *offset = onnx_needed_table(o, "offset");
  weft_value *scale = onnx_needed_table(o, "scale");
  WEFT_TRY(o->failed);
  x = onnx_do(o, "Sub", onnx_as(o, x, WEFT_FLOAT), offset, NULL);
  return onnx_result(o, 0, onnx_do(o, "Mul", x, scale, NULL));
}

weft_status onnx_normalizer(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *by;
  bool most = onnx_is(o, "norm", "MAX", "MAX");
  bool sum = onnx_is(o, "norm", "MAX", "L1");
  bool square = onnx_is(o, "norm", "MAX", "L2");
  WEFT_TRY(o->failed);
  if (!most && !sum && !square)
    return onnx_fail(o, WEFT_E_UNSUPPORTED, "attribute 'norm': expected MAX, L1 or L2");
  x = onnx_as(o, x, WEFT_FLOAT);
  by = most ? x : onnx_do(o, sum ? "Abs" : "Square", x, NULL, NULL);
  by = onnx_reduced(o, most ? "ReduceMax" : "ReduceSum", by, (int64_t[]){-1}, 1, true);
  if (square)
    by = onnx_do(o, "Sqrt", by, NULL, NULL);
  weft_value *none = onnx_do(o, "Equal", by, onnx_num(o, WEFT_FLOAT, 0), NULL);
  by = onnx_do(o, "SelectV2", none, onnx_num(o, WEFT_FLOAT, 1), by);
  return onnx_result(o, 0, onnx_do(o, "Div", x, by, NULL));
}

weft_status onnx_imputer(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *hole;
  WEFT_TRY(o->failed);
  weft_dtype t = x->fact.dtype;
  bool real = weft_dtype_is_float(t);
  weft_value *by = onnx_needed_table(o, real ? "imputed_value_floats" : "imputed_value_int64s");
  float given = onnx_float(o, "replaced_value_float", 0);
  int64_t number = onnx_int(o, "replaced_value_int64", 0);
  WEFT_TRY(o->failed);
  if (real && given != given)
    hole = onnx_do(o, "IsNan", x, NULL, NULL);
  else if (real)
    hole = onnx_do(o, "Equal", x, onnx_num(o, t, (double)given), NULL);
  else
    hole = onnx_do(o, "Equal", onnx_as(o, x, WEFT_INT64), onnx_index(o, number), NULL);
  return onnx_result(o, 0, onnx_do(o, "SelectV2", hole, onnx_as(o, by, t), x));
}

weft_status onnx_feature_vectorizer(onnx_op *o) {
  weft_value *in[15];
  size_t n = o->n->inputs.n;
  if (!n || n > WEFT_COUNT(in))
    return onnx_fail(o, WEFT_E_LIMIT, "%zu inputs, expected 1 to %zu", n, WEFT_COUNT(in));
  for (size_t i = 0; i < n; i++) {
    weft_value *x = onnx_arg(o, i);
    int rank = onnx_rank_needed(o, x);
    WEFT_TRY(o->failed);
    if (rank < 1 || rank > 2)
      return onnx_fail(o, WEFT_E_SHAPE, "input %zu: expected rank 1 or 2, got %d", i, rank);
    in[i] = onnx_as(o, x, WEFT_FLOAT);
    if (rank == 1)
      in[i] = onnx_reshaped(o, in[i], (int64_t[]){1, -1}, 2);
  }
  return onnx_result(o, 0, onnx_joined(o, in, n, 1));
}
// SPDX-License-Identifier: Apache-2.0
