// tile_program.c - from a region of operators to instructions. Operators are evaluated at the shape of the
// output, whatever their own: broadcasting commutes with them. What depends on single numbers alone is
// computed once a tile. Linear in the region.
#include "cpu/elementwise/tile_builder.h"
#include "cpu/rows/rows.h"
#include "op_slots.h"
#include "axis.rule.h"

bool weft__tile_no(weft__tile_builder *b, const char *why) {
  if (!b->why)
    b->why = why;
  return false;
}

static bool kind_of(weft__tile_builder *b, weft_dtype t, uint8_t *out) {
  static const uint8_t after[] = {// the kind and 1; 0: none
                                  [WEFT_FLOAT] = WEFT__TILE_F32 + 1,  [WEFT_FLOAT16] = WEFT__TILE_F32 + 1,
                                  [WEFT_BF16] = WEFT__TILE_F32 + 1,   [WEFT_DOUBLE] = WEFT__TILE_F64 + 1,
                                  [WEFT_BOOL] = WEFT__TILE_BOOL + 1,  [WEFT_INT8] = WEFT__TILE_I8 + 1,
                                  [WEFT_UINT8] = WEFT__TILE_U8 + 1,   [WEFT_INT16] = WEFT__TILE_I16 + 1,
                                  [WEFT_UINT16] = WEFT__TILE_U16 + 1, [WEFT_INT32] = WEFT__TILE_I32 + 1,
                                  [WEFT_UINT32] = WEFT__TILE_U32 + 1, [WEFT_INT64] = WEFT__TILE_I64 + 1,
                                  [WEFT_UINT64] = WEFT__TILE_U64 + 1};
  const uint8_t found = (size_t)t < WEFT_COUNT(after) ? after[t] : 0;
  if (!found)
    return weft__tile_no(b, "dtypes are f32, f64, f16, bf16, bool and integers");
  *out = (uint8_t)(found - 1);
  return true;
}

// ---- slots ----
static bool new_slot(weft__tile_builder *b, uint16_t *out) {
  uint32_t k = 0;
  while (k < b->n_slots && !(b->free_slots >> k & 1))
    k++;
  if (k == WEFT__TILE_SLOTS)
    return weft__tile_no(b, "more than 24 values at a time");
  if (k == b->n_slots)
    b->n_slots++;
  b->free_slots &= ~(1u << k);
  *out = (uint16_t)k;
  return true;
}
static uint16_t first_slot(const weft__tile_builder *b) {
  return (uint16_t)(b->tiling->n_in + b->tiling->n_out);
}
static void tile_program_release(weft__tile_builder *b, const weft__tile_value *v, int32_t op) {
  const bool in_slot = v->at >= first_slot(b);
  if (in_slot && v->last <= op)
    b->free_slots |= 1u << (v->at - first_slot(b));
}
static bool slot_at(weft__tile_builder *b, uint16_t *out) {
  uint16_t k;
  if (!new_slot(b, &k))
    return false;
  *out = (uint16_t)(first_slot(b) + k);
  return true;
}

static weft__tile_ins *emit(weft__tile_builder *b, uint8_t kind, uint8_t code, uint16_t y, bool one) {
  if (b->n_ins == WEFT_COUNT(b->ins)) {
    weft__tile_no(b, "too many steps");
    return NULL;
  }
  weft__tile_ins *s = &b->ins[b->n_ins++];
  *s = (weft__tile_ins){.fn = (*b->operations)[kind][code], .y = y, .one = one};
  if (s->fn)
    return s;
  weft__tile_no(b, "an operator that has no loop for its dtype");
  return NULL;
}
static bool emit1(weft__tile_builder *b, uint8_t kind, uint8_t code, uint16_t y, uint16_t x, bool one) {
  weft__tile_ins *s = emit(b, kind, code, y, one);
  if (s)
    s->in[0] = s->in[1] = s->in[2] = x;
  return s != NULL;
}

// ---- operators ----
static weft__tile_value *tile_program_find(weft__tile_builder *b, int32_t i) {
  return i >= 0 ? &b->op[i] : &b->in[-1 - i];
}

static bool use_view(weft__tile_builder *b, int32_t i, uint8_t form, uint8_t axis) {
  if (i >= 0)
    return form == WEFT__VIEW_NONE || weft__tile_no(b, "a bias that is computed");
  weft__tile_view *v = &b->view[-1 - i];
  const bool same = v->form == form && v->axis == axis;
  if (v->used && !same)
    return weft__tile_no(b, "an input that is a bias and something else");
  *v = (weft__tile_view){true, form, axis};
  return true;
}

// An empty format is the default, NHWC.
static bool is_channels_last(const char *format) {
  const size_t bytes = format ? strlen(format) : 0;
  return !bytes || format[bytes - 1] == 'C';
}

// The axis of input 0 that the vector of a BiasAdd lies along.
static bool bias_axis(weft__tile_builder *b, const weft_op_desc *n, size_t rank, uint8_t *out) {
  if (rank < 2)
    return weft__tile_no(b, "a bias of a vector");
  const bool last = is_channels_last(weft_node_str(n, WEFT_SLOT_BIAS_ADD_DATA_FORMAT));
  *out = (uint8_t)(last ? rank - 1 : 1);
  return true;
}

// The same of the weights of a PRelu.
static bool weight_axis(weft__tile_builder *b, const weft_op_desc *n, size_t rank, uint8_t *out) {
  int64_t axis = weft_node_int(n, WEFT_SLOT_P_RELU_WEIGHT_AXIS);
  if (!weft__axis_inside(&axis, rank))
    return weft__tile_no(b, "an axis outside the rank");
  *out = (uint8_t)axis;
  return true;
}

// How the operator's second input lies along its first one.
static bool views(weft__tile_builder *b, const weft_region_node *n) {
  const size_t rank = tile_program_find(b, n->in[0])->rank;
  const uint32_t n_in = n->desc->n_in;
  const bool vector = n_in > 1 && tile_program_find(b, n->in[1])->rank == 1;
  const bool bias = n_in > 1 && !strcmp(n->desc->type, "BiasAdd");
  const bool weight = vector && rank >= 2 && !strcmp(n->desc->type, "PRelu");
  uint8_t axis = 0;

  if (!use_view(b, n->in[0], WEFT__VIEW_NONE, 0))
    return false;
  if (bias && !bias_axis(b, n->desc, rank, &axis))
    return false;
  if (weight && !weight_axis(b, n->desc, rank, &axis))
    return false;
  const bool channel = bias || weight;
  if (channel && rank != b->tiling->out[0]->origin.rank)
    return weft__tile_no(b, "a bias below the rank of the output");

  for (uint32_t i = 1; i < n_in; i++) {
    const bool along_axis = i == 1 && channel;
    if (!use_view(b, n->in[i], along_axis ? WEFT__VIEW_CHANNEL : WEFT__VIEW_NONE, along_axis ? axis : 0))
      return false;
  }
  return true;
}

// Has the output the dtype that the rule makes of inputs of dtype t?
static bool gives_dtype(const weft__tile_rule *r, weft_dtype t, weft_dtype out) {
  if (r->kind == WEFT__RULE_TEST)
    return out == WEFT_BOOL;
  return r->kind == WEFT__RULE_CAST || out == t;
}

static bool check_types(weft__tile_builder *b, const weft__tile_rule *r, const weft_region_node *n) {
  const bool chooses = r->kind == WEFT__RULE_CHOOSE;
  const uint32_t first = chooses ? 1 : 0;
  const bool any_number = r->n_in == 0;
  const bool complete = any_number ? n->desc->n_in >= 1 : n->desc->n_in == r->n_in;
  if (!complete)
    return weft__tile_no(b, "an optional input");

  const weft_dtype t = tile_program_find(b, n->in[first])->dtype;
  for (uint32_t i = first; i < n->desc->n_in; i++) {
    if (tile_program_find(b, n->in[i])->dtype != t)
      return weft__tile_no(b, "inputs of different dtypes");
  }
  const bool wide_unsigned = t == WEFT_UINT32 || t == WEFT_UINT64;
  if (wide_unsigned && weft__tile_is_half(n->dtype))
    return weft__tile_no(b, "unsigned integers that would be rounded twice");
  if (chooses && tile_program_find(b, n->in[0])->dtype != WEFT_BOOL)
    return weft__tile_no(b, "a condition that is not bool");
  if (!gives_dtype(r, t, n->dtype))
    return weft__tile_no(b, "an output of another dtype than the inputs");
  return true;
}

static uint8_t cast_code(uint8_t to) {
  static const uint8_t codes[WEFT__TILE_KINDS] = {
      WEFT__T_TO_F32, WEFT__T_TO_F64, WEFT__T_TO_BOOL, WEFT__T_TO_I8,  WEFT__T_TO_U8, WEFT__T_TO_I16,
      WEFT__T_TO_U16, WEFT__T_TO_I32, WEFT__T_TO_U32,  WEFT__T_TO_I64, WEFT__T_TO_U64};
  return codes[to];
}

// The value's place: an output of the fused node that is stored as it is computed, or a slot.
static bool tile_program_place(weft__tile_builder *b, int32_t k, weft__tile_value *v, int32_t *out_store) {
  const weft_region *r = b->region;
  const bool narrow = v->one && b->known && b->n != 1;
  *out_store = -1;
  for (uint32_t i = 0; i < r->n_out; i++) {
    if (r->out[i] != k)
      continue;
    if (*out_store >= 0)
      return weft__tile_no(b, "a value that is given out twice");
    if (narrow)
      return weft__tile_no(b, "an output that is narrower than the others");
    *out_store = (int32_t)i;
  }
  const bool stored = *out_store >= 0 && !weft__tile_is_half(v->dtype);
  if (!stored)
    return slot_at(b, &v->at);
  v->at = (uint16_t)(b->tiling->n_in + (uint32_t)*out_store);
  return true;
}

static bool divides(uint8_t code) {
  static const uint8_t codes[] = {WEFT__T_DIV, WEFT__T_FMOD, WEFT__T_FLOOR_DIV, WEFT__T_FLOOR_MOD};
  return memchr(codes, code, sizeof codes) != NULL;
}

// Integers are not divided by 0.
static bool check_divisor(weft__tile_builder *b, uint8_t code, const weft_region_node *n) {
  const weft__tile_value *x = tile_program_find(b, n->in[0]);
  const weft__tile_value *z = n->desc->n_in > 1 ? tile_program_find(b, n->in[1]) : x;
  const bool integers = x->kind >= WEFT__TILE_I8;
  if (!integers || !divides(code))
    return true;
  const bool empty = b->known && !b->n;
  if (empty && b->region->n_nodes > 1)
    return weft__tile_no(b, "divisors of nothing");
  b->cost += x->kind >= WEFT__TILE_U32 ? 3 : 1;
  return emit1(b, z->kind, WEFT__T_ANY_ZERO, (uint16_t)(first_slot(b) + WEFT__TILE_SLOTS), z->at, z->one);
}

// The operator as one instruction.
static bool tile_program_one_step(weft__tile_builder *b, const weft__tile_rule *r, const weft_region_node *n,
                                  uint8_t code, const weft__tile_value *v) {
  const weft__tile_value *x = tile_program_find(b, n->in[r->kind == WEFT__RULE_CHOOSE ? 1 : 0]);
  weft__tile_ins *s = emit(b, x->kind, code, v->at, v->one);
  if (!s)
    return false;
  for (uint32_t i = 0; i < WEFT_COUNT(s->in); i++) {
    const weft__tile_value *a = tile_program_find(b, n->in[WEFT_MIN(i, n->desc->n_in - 1)]);
    const bool single = i < n->desc->n_in && a->one && !v->one;
    s->in[i] = a->at;
    s->scalar |= (uint8_t)(single << i);
  }
  for (uint32_t i = 0; i < r->n_params; i++)
    s->p[i] = (double)weft_node_float(n->desc, i);
  return true;
}

// A sum of several inputs: the first two, and what follows on top of that.
static bool sum_steps(weft__tile_builder *b, const weft_region_node *n, uint8_t code,
                      const weft__tile_value *v) {
  const weft__tile_value *first = tile_program_find(b, n->in[0]);
  for (uint32_t k = 1; k < n->desc->n_in; k++) {
    const weft__tile_value *next = tile_program_find(b, n->in[k]);
    const bool starts = k == 1;
    weft__tile_ins *s = emit(b, first->kind, code, v->at, v->one);
    if (!s)
      return false;
    s->in[0] = starts ? first->at : v->at;
    s->in[1] = s->in[2] = next->at;
    if (!v->one)
      s->scalar = (uint8_t)((starts && first->one) | next->one << 1);
  }
  return true;
}

static bool tile_program_steps(weft__tile_builder *b, const weft__tile_rule *r, const weft_region_node *n,
                               uint8_t code, const weft__tile_value *v) {
  const weft__tile_value *x = tile_program_find(b, n->in[0]);
  const bool sums = r->kind == WEFT__RULE_SUM;
  const bool copies = r->kind == WEFT__RULE_CAST || r->kind == WEFT__RULE_NAME;
  if (copies || (sums && n->desc->n_in == 1))
    return emit1(b, x->kind, cast_code(v->kind), v->at, x->at, v->one);
  return sums ? sum_steps(b, n, code, v) : tile_program_one_step(b, r, n, code, v);
}

static bool reads(const weft_region_node *n, int32_t k) {
  for (uint32_t j = 0; j < n->desc->n_in; j++) {
    if (n->in[j] == k)
      return true;
  }
  return false;
}

// Do operators of the region read what operator k gives?
static bool read_on(const weft_region *r, int32_t k) {
  for (uint32_t i = (uint32_t)k + 1; i < r->n_nodes; i++) {
    if (reads(&r->node[i], k))
      return true;
  }
  return false;
}

// A half is rounded where others read it, and stored.
static bool halves(weft__tile_builder *b, const weft__tile_rule *r, int32_t store, int32_t k) {
  const weft_region_node *n = &b->region->node[k];
  const weft__tile_value *v = &b->op[k];
  const bool bf = v->dtype == WEFT_BF16;
  const bool copied = r->kind == WEFT__RULE_CAST && tile_program_find(b, n->in[0])->dtype == v->dtype;
  const bool exact = r->exact || copied;
  b->cost += 0.1;
  if (!exact && read_on(b->region, k)) {
    const uint8_t round = bf ? WEFT__T_ROUND_BF16 : WEFT__T_ROUND_HALF;
    if (!emit1(b, WEFT__TILE_F32, round, v->at, v->at, v->one))
      return false;
  }
  if (store < 0)
    return true;
  const uint16_t y = (uint16_t)(b->tiling->n_in + (uint32_t)store);
  return emit1(b, WEFT__TILE_F32, bf ? WEFT__T_STORE_BF16 : WEFT__T_STORE_HALF, y, v->at, false);
}

static double tile_program_cost_of(const weft__tile_rule *r, const weft__tile_value *v) {
  const bool cheap = r->cost <= 0.1F;
  if (v->one)
    return (double)r->cost * 0.01;
  return v->kind == WEFT__TILE_F64 && !cheap ? (double)r->cost * 40 : (double)r->cost;
}

// What is known of the operator's value before its place.
static bool tile_program_describe(weft__tile_builder *b, const weft_region_node *n, weft__tile_value *v) {
  if (!kind_of(b, n->dtype, &v->kind))
    return false;
  v->dtype = n->dtype;
  v->one = true;
  v->rank = 0;
  for (uint32_t i = 0; i < n->desc->n_in; i++) {
    const weft__tile_value *x = tile_program_find(b, n->in[i]);
    v->one &= x->one;
    v->rank = WEFT_MAX(v->rank, x->rank);
  }
  return true;
}

// A sum whose first step gives one number, but the whole does not.
static bool begins_with_numbers(weft__tile_builder *b, const weft__tile_rule *r, const weft_region_node *n) {
  if (r->kind != WEFT__RULE_SUM || n->desc->n_in < 2)
    return false;
  return tile_program_find(b, n->in[0])->one && tile_program_find(b, n->in[1])->one;
}

static bool add_op(weft__tile_builder *b, int32_t k) {
  const weft_region_node *n = &b->region->node[k];
  const weft__tile_rule *r = weft__tile_rule_of(n->desc->type);
  weft__tile_value *v = &b->op[k];
  int32_t store;
  if (!r)
    return weft__tile_no(b, "an operator that is not elementwise or has no loop");
  if (!check_types(b, r, n) || !views(b, n))
    return false;
  const uint8_t code = weft__tile_code(r, n->desc, &b->why);
  if (!code || !tile_program_describe(b, n, v))
    return false;
  if (!v->one && begins_with_numbers(b, r, n))
    return weft__tile_no(b, "a sum that begins with numbers");

  if (!tile_program_place(b, k, v, &store))
    return false;
  if (!check_divisor(b, code, n) || !tile_program_steps(b, r, n, code, v))
    return false;
  if (weft__tile_is_half(v->dtype) && !halves(b, r, store, k))
    return false;
  b->cost += tile_program_cost_of(r, v);
  for (uint32_t i = 0; i < n->desc->n_in; i++)
    tile_program_release(b, tile_program_find(b, n->in[i]), k);
  return true;
}

// ---- the whole ----
// An operator by itself is a region of one.
static bool set_up_region(weft__tile_builder *b) {
  const weft_tiling *t = b->tiling;
  b->region = t->region;
  if (b->region)
    return true;
  if (t->n_out != 1 || t->n_in > WEFT__TILE_INPUTS)
    return weft__tile_no(b, "more than one output, or too many inputs");
  for (uint32_t i = 0; i < t->n_in; i++)
    b->alone_in[i] = -1 - (int32_t)i;
  b->alone_node = (weft_region_node){t->desc, b->alone_in, t->out_dtype[0]};
  b->alone = (weft_region){sizeof b->alone, 1, t->n_in, 1, &b->alone_node, b->alone_out};
  b->region = &b->alone;
  return true;
}

static bool check_counts(weft__tile_builder *b) {
  const weft_tiling *t = b->tiling;
  const uint32_t nodes = b->region->n_nodes;
  const bool few_in = t->n_in >= 1 && t->n_in <= WEFT__TILE_INPUTS;
  const bool few_out = t->n_out >= 1 && t->n_out <= WEFT__TILE_OUTPUTS;
  if (nodes < 1 || nodes > WEFT__TILE_OPS)
    return weft__tile_no(b, "regions have 1 to 64 operators");
  if (!few_in || !few_out)
    return weft__tile_no(b, "regions have 1 to 32 inputs and 1 to 8 outputs");
  return true;
}

static bool shapes_known(const weft_tiling *t) {
  bool known = true;
  for (uint32_t i = 0; i < t->n_in; i++)
    known &= weft_shape_is_known(&t->in[i]->origin);
  for (uint32_t i = 0; i < t->n_out; i++)
    known &= weft_shape_is_known(&t->out[i]->origin);
  return known;
}

// Known shapes lie plain, and outputs are of one shape.
static bool check_layouts(weft__tile_builder *b) {
  const weft_tiling *t = b->tiling;
  if (!weft__rows_plain(t))
    return weft__tile_no(b, "a packed layout");
  for (uint32_t i = 1; i < t->n_out; i++) {
    if (!weft_shape_equal(&t->out[i]->origin, &t->out[0]->origin))
      return weft__tile_no(b, "outputs of different shapes");
  }
  return true;
}

static bool tile_program_set_up(weft__tile_builder *b) {
  const weft_tiling *t = b->tiling;
  if (!set_up_region(b) || !check_counts(b))
    return false;
  b->known = shapes_known(t);
  if (b->known && !check_layouts(b))
    return false;
  for (uint32_t i = 0; i < t->n_in; i++) {
    weft__tile_value *v = &b->in[i];
    if (!kind_of(b, t->in_dtype[i], &v->kind))
      return false;
    v->at = (uint16_t)i;
    v->dtype = t->in_dtype[i];
    v->last = -1;
    v->rank = (uint8_t)WEFT_MIN(t->in[i]->origin.rank, WEFT_MAX_RANK);
    b->input[i].bytes = weft__tile_is_half(v->dtype) ? 2 : weft__tile_kind_bytes(v->kind);
  }
  return true;
}

static bool uses(weft__tile_builder *b) {
  const weft_region *r = b->region;
  for (uint32_t k = 0; k < r->n_nodes; k++) {
    b->op[k].last = -1;
    for (uint32_t i = 0; i < r->node[k].desc->n_in; i++)
      tile_program_find(b, r->node[k].in[i])->last = (int32_t)k;
  }
  for (uint32_t i = 0; i < r->n_out; i++) {
    if (r->out[i] < 0)
      return weft__tile_no(b, "an output that is an input");
    b->op[r->out[i]].last = INT32_MAX;
  }
  return true;
}

// Views of inputs depend on operators; they are found before shapes are merged.
static bool look_ahead(weft__tile_builder *b) {
  const weft_region *r = b->region;
  for (uint32_t k = 0; k < r->n_nodes; k++) {
    const weft_region_node *n = &r->node[k];
    b->op[k].rank = 0;
    for (uint32_t i = 0; i < n->desc->n_in; i++)
      b->op[k].rank = WEFT_MAX(b->op[k].rank, tile_program_find(b, n->in[i])->rank);
    if (n->desc->n_in && !views(b, n))
      return false;
  }
  return true;
}

// Rows that are put together have the input spread over a slot.
static bool fill_input(weft__tile_builder *b, uint32_t i, uint16_t *out_slot) {
  weft__tile_value *v = &b->in[i];
  weft__tile_input *in = &b->input[i];
  if (!slot_at(b, out_slot))
    return false;
  in->slot = (uint16_t)(*out_slot - first_slot(b));
  if (!weft__tile_is_half(v->dtype))
    v->at = *out_slot;
  const uint32_t outer = b->axes - 2;  // of no meaning where there is one axis
  const bool stays = b->axes > 1 && !in->stride[outer] && b->dim[outer] >= WEFT__TILE_ROW;
  if (stays)
    v->last = INT32_MAX;  // the slot is filled once for many tiles: tile.c, still_filled
  b->cost += stays ? 0.08 : 0.5;
  return true;
}

// Halves are widened into a slot of their own.
static bool widen_input(weft__tile_builder *b, weft__tile_value *v, uint16_t from) {
  const uint8_t load = v->dtype == WEFT_BF16 ? WEFT__T_LOAD_BF16 : WEFT__T_LOAD_HALF;
  if (!slot_at(b, &v->at))
    return false;
  b->cost += 0.1;
  return emit1(b, WEFT__TILE_F32, load, v->at, from, v->one);
}

static bool load_inputs(weft__tile_builder *b) {
  for (uint32_t i = 0; i < b->tiling->n_in; i++) {
    weft__tile_value *v = &b->in[i];
    uint16_t from = v->at;
    const bool fills = b->known && b->input[i].mode == WEFT__TILE_FILL;
    if (fills && !fill_input(b, i, &from))
      return false;
    if (weft__tile_is_half(v->dtype) && !widen_input(b, v, from))
      return false;
  }
  return true;
}

static void tile_program_start(weft__tile_builder *b, const weft_tiling *t) {
  memset(b, 0, offsetof(weft__tile_builder, ins));
  b->tiling = t;
  b->operations = weft__tile_find(t->host);
  b->n = 1;
  b->axes = 1;
  b->dim[0] = 1;
}

static bool tile_program_build(weft__tile_builder *b) {
  if (!tile_program_set_up(b) || !uses(b) || !look_ahead(b))
    return false;
  if (b->known && !weft__tile_find_axes(b))
    return false;
  if (!load_inputs(b))
    return false;
  for (uint32_t k = 0; k < b->region->n_nodes; k++) {
    if (!add_op(b, (int32_t)k))
      return false;
  }
  return true;
}

const char *weft__tile_build(const weft_tiling *tiling, weft__tile *t, size_t cap, size_t *out_bytes,
                             uint32_t *out_overwrite, double *out_ns) {
  weft__tile_builder b;
  tile_program_start(&b, tiling);
  if (!tile_program_build(&b))
    return b.why;
  size_t bytes = sizeof *t + tiling->n_in * sizeof(weft__tile_input) + b.n_ins * sizeof(weft__tile_ins);
  if (bytes > cap)
    return "too many inputs and steps for a record";
  if (out_ns)
    *out_ns = weft__tile_ns(&b);
  if (!t)
    return NULL;
  *out_overwrite = weft__tile_overwrites(&b);
  *out_bytes = bytes;
  weft__tile_write(&b, t);
  return NULL;
}
// SPDX-License-Identifier: Apache-2.0
