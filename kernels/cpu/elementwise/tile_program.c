// tile_program.c - from a region of operators to instructions. Operators are evaluated at the shape of the
// output, whatever their own: broadcasting commutes with them. What depends on single numbers alone is
// computed once a tile. Axes that all inputs run through alike are merged first; inputs then are full, or
// numbers or lines of the inner axis, and where that axis is short they are spread out in a slot. Linear in
// the region.
#include "cpu/elementwise/tile_program.h"
#include "op_slots.h"
#include "axis.rule.h"

typedef struct value {
  uint16_t at;   // in the table of pointers
  uint8_t kind;  // WEFT__TILE_*
  weft_dtype dtype;
  bool one;
  uint8_t rank;
  int32_t last;  // operator that reads it last; INT32_MAX: an output
} value;

typedef struct builder {
  const weft_tiling *tiling;
  weft__tile *t;
  const weft__tile_table *operations;
  const weft_region *region;
  weft_region alone;
  weft_region_node alone_node;
  int32_t alone_in[WEFT__TILE_INPUTS], alone_out[1];
  value in[WEFT__TILE_INPUTS], op[WEFT__TILE_OPS];
  uint8_t view[WEFT__TILE_INPUTS];  // WEFT__VIEW_*, 0x80: used
  uint8_t view_axis[WEFT__TILE_INPUTS];
  weft__tile_input input[WEFT__TILE_INPUTS];
  weft__tile_ins ins[3 * WEFT__TILE_OPS + WEFT__TILE_INPUTS];
  uint32_t n_ins, n_slots, free_slots;  // bits of slots that are free
  uint32_t axes;
  size_t dim[WEFT__TILE_AXES], n;
  bool known, rows;
  double cost;  // ns an element
  const char *why;
} builder;

static bool no(builder *b, const char *why) {
  if (!b->why)
    b->why = why;
  return false;
}

// ---- dtypes ----
static bool kind_of(builder *b, weft_dtype t, uint8_t *out) {
  switch (t) {
    case WEFT_FLOAT:
    case WEFT_FLOAT16:
    case WEFT_BF16:
      return *out = WEFT__TILE_F32, true;
    case WEFT_DOUBLE:
      return *out = WEFT__TILE_F64, true;
    case WEFT_BOOL:
      return *out = WEFT__TILE_BOOL, true;
    case WEFT_INT8:
      return *out = WEFT__TILE_I8, true;
    case WEFT_UINT8:
      return *out = WEFT__TILE_U8, true;
    case WEFT_INT16:
      return *out = WEFT__TILE_I16, true;
    case WEFT_UINT16:
      return *out = WEFT__TILE_U16, true;
    case WEFT_INT32:
      return *out = WEFT__TILE_I32, true;
    case WEFT_UINT32:
      return *out = WEFT__TILE_U32, true;
    case WEFT_INT64:
      return *out = WEFT__TILE_I64, true;
    case WEFT_UINT64:
      return *out = WEFT__TILE_U64, true;
    default:
      return no(b, "dtypes are f32, f64, f16, bf16, bool and integers");
  }
}
static bool is_half(weft_dtype t) {
  return t == WEFT_FLOAT16 || t == WEFT_BF16;
}
static uint8_t kind_bytes(uint8_t kind) {
  static const uint8_t bytes[WEFT__TILE_KINDS] = {4, 8, 1, 1, 1, 2, 2, 4, 4, 8, 8};
  return bytes[kind];
}

// ---- shapes ----
static bool plain(const weft_layout *l) {
  return weft_shape_equal(&l->origin, &l->storage);
}

// The dims of input i as the output sees them, right-aligned but for biases.
static bool view_dims(builder *b, uint32_t i, size_t rank, weft_dim *out) {
  const weft_shape *s = &b->tiling->in[i]->origin;
  const weft_shape *y = &b->tiling->out[0]->origin;
  for (size_t k = 0; k < rank; k++)
    out[k] = 1;
  if ((b->view[i] & 0x7F) != WEFT__VIEW_NONE) {
    if (s->rank != 1 || b->view_axis[i] >= rank)
      return no(b, "a bias that is no vector");
    out[b->view_axis[i]] = s->dim[0];
  } else {
    if (s->rank > rank)
      return no(b, "an input of higher rank than the output");
    for (size_t k = 0; k < s->rank; k++)
      out[rank - s->rank + k] = s->dim[k];
  }
  for (size_t k = 0; k < rank; k++) {
    if (out[k] != 1 && out[k] != y->dim[k])
      return no(b, "an input that does not broadcast to the output");
  }
  return true;
}

// Merges the axes that all inputs run through alike.
static bool merge_axes(builder *b) {
  const weft_shape *y = &b->tiling->out[0]->origin;
  uint32_t n_in = b->tiling->n_in;
  uint32_t varies[WEFT_MAX_RANK];  // by axis: bits of inputs that are not broadcast along it
  weft_dim dims[WEFT_MAX_RANK];
  for (size_t k = 0; k < y->rank; k++)
    varies[k] = 0;
  for (uint32_t i = 0; i < n_in; i++) {
    if (!view_dims(b, i, y->rank, dims))
      return false;
    for (size_t k = 0; k < y->rank; k++)
      varies[k] |= (uint32_t)(dims[k] != 1) << i;
  }
  uint32_t bits[WEFT__TILE_AXES];
  b->axes = 0;
  b->n = 1;
  for (size_t k = 0; k < y->rank; k++) {
    b->n *= (size_t)y->dim[k];
    if (y->dim[k] == 1)
      continue;
    if (b->axes && bits[b->axes - 1] == varies[k]) {
      b->dim[b->axes - 1] *= (size_t)y->dim[k];
      continue;
    }
    if (b->axes == WEFT__TILE_AXES)
      return no(b, "more than 8 axes that are broadcast in turn");
    bits[b->axes] = varies[k];
    b->dim[b->axes++] = (size_t)y->dim[k];
  }
  if (!b->axes) {
    bits[0] = 0xFFFFFFFFu;
    b->dim[0] = 1;
    b->axes = 1;
  }
  for (uint32_t i = 0; i < n_in; i++) {
    size_t stride = 1;
    for (uint32_t k = b->axes; k-- > 0;) {
      bool runs = bits[k] >> i & 1;
      b->input[i].stride[k] = runs ? stride : 0;
      if (runs)
        stride *= b->dim[k];
    }
  }
  return true;
}

static void input_modes(builder *b) {
  uint32_t n_in = b->tiling->n_in;
  uint32_t all = (1u << b->axes) - 1;
  size_t inner = b->dim[b->axes - 1];
  b->rows = b->axes > 1 && inner >= WEFT__TILE_ROW;
  for (uint32_t i = 0; i < n_in; i++) {
    uint32_t runs = 0;
    for (uint32_t k = 0; k < b->axes; k++)
      runs |= (uint32_t)(b->input[i].stride[k] != 0) << k;
    uint8_t mode = runs == all                       ? WEFT__TILE_FULL
                   : !runs                           ? WEFT__TILE_POINT
                   : !b->rows                        ? WEFT__TILE_FILL
                   : b->input[i].stride[b->axes - 1] ? WEFT__TILE_LINE
                                                     : WEFT__TILE_POINT;
    b->input[i].mode = mode;
    b->in[i].one = mode == WEFT__TILE_POINT;
  }
}

// ---- slots ----
static bool new_slot(builder *b, uint16_t *out) {
  for (uint32_t k = 0; k < b->n_slots; k++) {
    if (b->free_slots >> k & 1) {
      b->free_slots &= ~(1u << k);
      return *out = (uint16_t)k, true;
    }
  }
  if (b->n_slots == WEFT__TILE_SLOTS)
    return no(b, "more than 24 values at a time");
  return *out = (uint16_t)b->n_slots++, true;
}
static uint16_t first_slot(const builder *b) {
  return (uint16_t)(b->tiling->n_in + b->tiling->n_out);
}
static void release(builder *b, const value *v, int32_t op) {
  if (v->last <= op && v->at >= first_slot(b))
    b->free_slots |= 1u << (v->at - first_slot(b));
}
static bool slot_at(builder *b, uint16_t *out) {
  uint16_t k;
  if (!new_slot(b, &k))
    return false;
  return *out = (uint16_t)(first_slot(b) + k), true;
}

static weft__tile_ins *emit(builder *b, uint8_t kind, uint8_t code, uint16_t y, bool one) {
  if (b->n_ins == WEFT_COUNT(b->ins))
    return no(b, "too many steps"), NULL;
  weft__tile_ins *s = &b->ins[b->n_ins++];
  *s = (weft__tile_ins){.fn = (*b->operations)[kind][code], .y = y, .one = one};
  if (!s->fn)
    return no(b, "an operator that has no loop for its dtype"), NULL;
  return s;
}
static bool emit1(builder *b, uint8_t kind, uint8_t code, uint16_t y, uint16_t x, bool one) {
  weft__tile_ins *s = emit(b, kind, code, y, one);
  if (s)
    s->in[0] = s->in[1] = s->in[2] = x;
  return s != NULL;
}

// ---- operators ----
static value *find(builder *b, int32_t i) {
  return i >= 0 ? &b->op[i] : &b->in[-1 - i];
}

static bool use_view(builder *b, int32_t i, uint8_t view, uint8_t axis) {
  if (i >= 0)
    return view == WEFT__VIEW_NONE ? true : no(b, "a bias that is computed");
  uint32_t k = (uint32_t)(-1 - i);
  if ((b->view[k] & 0x80) && (b->view[k] != (view | 0x80) || b->view_axis[k] != axis))
    return no(b, "an input that is a bias and something else");
  b->view[k] = view | 0x80;
  b->view_axis[k] = axis;
  return true;
}

// How the operator's second input lies along its first one.
static bool views(builder *b, const weft_region_node *n) {
  size_t rank = find(b, n->in[0])->rank;
  bool bias = !strcmp(n->desc->type, "BiasAdd");
  bool weight = !strcmp(n->desc->type, "PRelu");
  for (uint32_t i = 0; i < n->desc->n_in; i++) {
    uint8_t view = WEFT__VIEW_NONE;
    uint8_t axis = 0;
    if (i == 1 && bias) {
      const char *f = weft_node_str(n->desc, WEFT_SLOT_BIAS_ADD_DATA_FORMAT);
      size_t bytes = f ? strlen(f) : 0;
      bool last = !bytes || f[bytes - 1] == 'C';
      if (rank < 2)
        return no(b, "a bias of a vector");
      view = WEFT__VIEW_CHANNEL;
      axis = (uint8_t)(last ? rank - 1 : 1);
    }
    if (i == 1 && weight && rank >= 2 && find(b, n->in[1])->rank == 1) {
      int64_t at = weft_node_int(n->desc, WEFT_SLOT_P_RELU_WEIGHT_AXIS);
      if (!weft__axis_inside(&at, rank))
        return no(b, "an axis outside the rank");
      view = WEFT__VIEW_CHANNEL;
      axis = (uint8_t)at;
    }
    if (view && rank != b->tiling->out[0]->origin.rank)
      return no(b, "a bias below the rank of the output");
    if (!use_view(b, n->in[i], view, axis))
      return false;
  }
  return true;
}

static bool check_types(builder *b, const weft__tile_rule *r, const weft_region_node *n) {
  uint32_t first = r->kind == WEFT__RULE_CHOOSE ? 1 : 0;
  if (n->desc->n_in < 1 || (r->n_in && n->desc->n_in != r->n_in))
    return no(b, "an optional input");
  weft_dtype t = find(b, n->in[first])->dtype;
  for (uint32_t i = first; i < n->desc->n_in; i++) {
    if (find(b, n->in[i])->dtype != t)
      return no(b, "inputs of different dtypes");
  }
  if (is_half(n->dtype) && (WEFT_BIT(t) & (WEFT_DT(UINT32) | WEFT_DT(UINT64))))
    return no(b, "unsigned integers that would be rounded twice");
  if (first && find(b, n->in[0])->dtype != WEFT_BOOL)
    return no(b, "a condition that is not bool");
  if (r->kind == WEFT__RULE_TEST ? n->dtype != WEFT_BOOL : r->kind != WEFT__RULE_CAST && n->dtype != t)
    return no(b, "an output of another dtype than the inputs");
  return true;
}

static uint8_t cast_code(uint8_t to) {
  static const uint8_t codes[WEFT__TILE_KINDS] = {
      WEFT__T_TO_F32, WEFT__T_TO_F64, WEFT__T_TO_BOOL, WEFT__T_TO_I8,  WEFT__T_TO_U8, WEFT__T_TO_I16,
      WEFT__T_TO_U16, WEFT__T_TO_I32, WEFT__T_TO_U32,  WEFT__T_TO_I64, WEFT__T_TO_U64};
  return codes[to];
}

// The value's place: an output of the fused node that is stored as it is computed, or a slot.
static bool place(builder *b, int32_t k, value *v, int32_t *out_store) {
  const weft_region *r = b->region;
  *out_store = -1;
  for (uint32_t i = 0; i < r->n_out; i++) {
    if (r->out[i] != k)
      continue;
    if (*out_store >= 0)
      return no(b, "a value that is given out twice");
    if (v->one && b->known && b->n != 1)
      return no(b, "an output that is narrower than the others");
    *out_store = (int32_t)i;
  }
  if (*out_store >= 0 && !is_half(v->dtype)) {
    v->at = (uint16_t)(b->tiling->n_in + (uint32_t)*out_store);
    return true;
  }
  return slot_at(b, &v->at);
}

// Integers are not divided by 0.
static bool check_divisor(builder *b, uint8_t code, const weft_region_node *n) {
  const value *x = find(b, n->in[0]);
  const value *z = n->desc->n_in > 1 ? find(b, n->in[1]) : x;
  const bool divides =
      code == WEFT__T_DIV || code == WEFT__T_FMOD || code == WEFT__T_FLOOR_DIV || code == WEFT__T_FLOOR_MOD;
  if (!divides || x->kind < WEFT__TILE_I8)
    return true;
  if (b->known && !b->n && b->region->n_nodes > 1)
    return no(b, "divisors of nothing");
  b->cost += x->kind >= WEFT__TILE_U32 ? 3 : 1;
  return emit1(b, z->kind, WEFT__T_ANY_ZERO, (uint16_t)(first_slot(b) + WEFT__TILE_SLOTS), z->at, z->one);
}

static bool steps(builder *b, const weft__tile_rule *r, const weft_region_node *n, uint8_t code, value *v) {
  const value *x = find(b, n->in[r->kind == WEFT__RULE_CHOOSE ? 1 : 0]);
  uint32_t count = r->kind == WEFT__RULE_SUM ? n->desc->n_in : 2;
  if (r->kind == WEFT__RULE_CAST || r->kind == WEFT__RULE_NAME || (r->kind == WEFT__RULE_SUM && count == 1))
    return emit1(b, x->kind, cast_code(v->kind), v->at, x->at, v->one);
  for (uint32_t k = 1; k < count; k++) {
    weft__tile_ins *s = emit(b, x->kind, code, v->at, v->one);
    if (!s)
      return false;
    for (uint32_t i = 0; i < 3; i++) {
      uint32_t at = r->kind == WEFT__RULE_SUM ? (i ? k : 0) : WEFT_MIN(i, n->desc->n_in - 1);
      const value *a = find(b, n->in[at]);
      bool operand = r->kind == WEFT__RULE_SUM ? i < 2 : i < n->desc->n_in;
      s->in[i] = a->at;
      if (operand && a->one && !v->one)
        s->scalar |= (uint8_t)(1u << i);
    }
    if (k > 1) {
      s->in[0] = v->at;
      s->scalar &= 2;
    }
    for (uint32_t i = 0; i < r->n_params; i++)
      s->p[i] = (double)weft_node_float(n->desc, i);
  }
  return true;
}

// A half is rounded where others read it, and stored.
static bool halves(builder *b, const weft__tile_rule *r, const weft_region_node *n, const value *v,
                   int32_t store, int32_t k) {
  bool bf = v->dtype == WEFT_BF16;
  bool read_on = false;
  bool same = r->kind == WEFT__RULE_CAST && find(b, n->in[0])->dtype == v->dtype;
  for (uint32_t i = (uint32_t)k + 1; i < b->region->n_nodes && !read_on; i++) {
    for (uint32_t j = 0; j < b->region->node[i].desc->n_in; j++)
      read_on |= b->region->node[i].in[j] == k;
  }
  b->cost += 0.1;
  if (!r->exact && !same && read_on &&
      !emit1(b, WEFT__TILE_F32, bf ? WEFT__T_ROUND_BF16 : WEFT__T_ROUND_HALF, v->at, v->at, v->one))
    return false;
  return store < 0 || emit1(b, WEFT__TILE_F32, bf ? WEFT__T_STORE_BF16 : WEFT__T_STORE_HALF,
                            (uint16_t)(b->tiling->n_in + (uint32_t)store), v->at, false);
}

static bool add_op(builder *b, int32_t k) {
  const weft_region_node *n = &b->region->node[k];
  const weft__tile_rule *r = weft__tile_rule_of(n->desc->type);
  value *v = &b->op[k];
  int32_t store;
  uint8_t code = 0;
  if (!r)
    return no(b, "an operator that is not elementwise or has no loop");
  if (!check_types(b, r, n) || !views(b, n))
    return false;
  if ((code = weft__tile_code(r, n->desc, &b->why)) == 0)
    return false;
  if (!kind_of(b, n->dtype, &v->kind))
    return false;
  v->dtype = n->dtype;
  v->one = true;
  v->rank = 0;
  for (uint32_t i = 0; i < n->desc->n_in; i++) {
    const value *x = find(b, n->in[i]);
    v->one &= x->one;
    v->rank = WEFT_MAX(v->rank, x->rank);
  }
  if (r->kind == WEFT__RULE_SUM && !v->one && n->desc->n_in > 1 && find(b, n->in[0])->one &&
      find(b, n->in[1])->one)
    return no(b, "a sum that begins with numbers");
  if (!place(b, k, v, &store))
    return false;
  if (!check_divisor(b, code, n) || !steps(b, r, n, code, v))
    return false;
  if (is_half(v->dtype) && !halves(b, r, n, v, store, k))
    return false;
  b->cost += (double)r->cost * (v->one ? 0.01 : v->kind == WEFT__TILE_F64 && r->cost > 0.1F ? 40 : 1);
  for (uint32_t i = 0; i < n->desc->n_in; i++)
    release(b, find(b, n->in[i]), k);
  return true;
}

// ---- the whole ----
static bool set_up(builder *b) {
  const weft_tiling *t = b->tiling;
  b->region = t->region;
  if (!b->region) {
    if (t->n_out != 1 || t->n_in > WEFT__TILE_INPUTS)
      return no(b, "more than one output, or too many inputs");
    for (uint32_t i = 0; i < t->n_in; i++)
      b->alone_in[i] = -1 - (int32_t)i;
    b->alone_node = (weft_region_node){t->desc, b->alone_in, t->out_dtype[0]};
    b->alone = (weft_region){sizeof b->alone, 1, t->n_in, 1, &b->alone_node, b->alone_out};
    b->region = &b->alone;
  }
  const weft_region *r = b->region;
  if (!r->n_nodes || r->n_nodes > WEFT__TILE_OPS)
    return no(b, "regions have 1 to 64 operators");
  if (t->n_in > WEFT__TILE_INPUTS || t->n_out > WEFT__TILE_OUTPUTS || !t->n_out || !t->n_in)
    return no(b, "regions have 1 to 32 inputs and 1 to 8 outputs");
  b->known = true;
  for (uint32_t i = 0; i < t->n_in; i++)
    b->known &= weft_shape_is_known(&t->in[i]->origin);
  for (uint32_t i = 0; i < t->n_out; i++)
    b->known &= weft_shape_is_known(&t->out[i]->origin);
  for (uint32_t i = 0; i < t->n_in + t->n_out && b->known; i++) {
    if (!plain(i < t->n_in ? t->in[i] : t->out[i - t->n_in]))
      return no(b, "a packed layout");
  }
  for (uint32_t i = 1; i < t->n_out && b->known; i++) {
    if (!weft_shape_equal(&t->out[i]->origin, &t->out[0]->origin))
      return no(b, "outputs of different shapes");
  }
  for (uint32_t i = 0; i < t->n_in; i++) {
    value *v = &b->in[i];
    if (!kind_of(b, t->in_dtype[i], &v->kind))
      return false;
    v->at = (uint16_t)i;
    v->dtype = t->in_dtype[i];
    v->last = -1;
    v->rank = (uint8_t)WEFT_MIN(t->in[i]->origin.rank, WEFT_MAX_RANK);
    b->input[i].bytes = is_half(v->dtype) ? 2 : kind_bytes(v->kind);
  }
  return true;
}

static bool uses(builder *b) {
  const weft_region *r = b->region;
  for (uint32_t k = 0; k < r->n_nodes; k++) {
    b->op[k].last = -1;
    for (uint32_t i = 0; i < r->node[k].desc->n_in; i++)
      find(b, r->node[k].in[i])->last = (int32_t)k;
  }
  for (uint32_t i = 0; i < r->n_out; i++) {
    if (r->out[i] < 0)
      return no(b, "an output that is an input");
    b->op[r->out[i]].last = INT32_MAX;
  }
  return true;
}

// Views of inputs depend on operators; they are found before shapes are merged.
static bool look_ahead(builder *b) {
  const weft_region *r = b->region;
  for (uint32_t k = 0; k < r->n_nodes; k++) {
    const weft_region_node *n = &r->node[k];
    b->op[k].rank = 0;
    for (uint32_t i = 0; i < n->desc->n_in; i++)
      b->op[k].rank = WEFT_MAX(b->op[k].rank, find(b, n->in[i])->rank);
    if (n->desc->n_in && !views(b, n))
      return false;
  }
  return true;
}

static bool load_inputs(builder *b) {
  for (uint32_t i = 0; i < b->tiling->n_in; i++) {
    value *v = &b->in[i];
    uint16_t slot = 0;
    if (b->known && b->input[i].mode == WEFT__TILE_FILL) {
      if (!slot_at(b, &slot))
        return false;
      b->input[i].slot = (uint16_t)(slot - first_slot(b));
      if (!is_half(v->dtype))
        v->at = slot;
      bool stays = b->axes > 1 && !b->input[i].stride[b->axes - 2] && b->dim[b->axes - 2] >= WEFT__TILE_ROW;
      if (stays)
        v->last = INT32_MAX;  // the slot is filled once for many tiles: tile.c, still_filled
      b->cost += stays ? 0.08 : 0.5;
    }
    if (!is_half(v->dtype))
      continue;
    uint16_t from = slot ? slot : v->at;
    if (!slot_at(b, &v->at))
      return false;
    if (!emit1(b, WEFT__TILE_F32, v->dtype == WEFT_BF16 ? WEFT__T_LOAD_BF16 : WEFT__T_LOAD_HALF, v->at, from,
               v->one))
      return false;
    b->cost += 0.1;
  }
  return true;
}

static bool simple(const builder *b) {
  if (b->n_ins != 1 || b->n_slots)
    return false;
  for (uint32_t i = 0; i < b->tiling->n_in; i++) {
    for (uint32_t k = 0; k < b->axes; k++) {
      if (b->input[i].mode != WEFT__TILE_FULL && b->input[i].stride[k])
        return false;
    }
  }
  return true;
}

static double total_ns(const builder *b) {
  double bytes = 0;
  for (uint32_t i = 0; i < b->tiling->n_in; i++)
    bytes += b->input[i].mode == WEFT__TILE_FULL ? b->input[i].bytes : 0;
  for (uint32_t i = 0; i < b->tiling->n_out; i++)
    bytes += kind_bytes(b->op[b->region->out[i]].kind);
  double memory = (double)b->n * bytes * (b->n > 65536 ? 0.04 : 0.01);
  return memory + (double)b->n * b->cost;
}

static void write(const builder *b, weft__tile *t) {
  const weft_tiling *g = b->tiling;
  *t = (weft__tile){.n_in = (uint16_t)g->n_in,
                    .n_out = (uint16_t)g->n_out,
                    .n_ins = (uint16_t)b->n_ins,
                    .n_slots = (uint16_t)b->n_slots,
                    .axes = (uint16_t)b->axes,
                    .rows = b->rows,
                    .simple = simple(b),
                    .n = b->n};
  for (uint32_t i = 0; i < g->n_out; i++) {
    const value *v = &b->op[b->region->out[i]];
    t->out_bytes[i] = is_half(v->dtype) ? 2 : kind_bytes(v->kind);
  }
  bool wide = false;
  for (uint32_t k = 0; k < b->region->n_nodes; k++)
    wide |= kind_bytes(b->op[k].kind) == 8;
  for (uint32_t i = 0; i < g->n_in; i++)
    wide |= b->input[i].bytes == 8;
  size_t room = WEFT__TILE_STACK / (b->n_slots ? b->n_slots : 1) / (wide ? 8 : 4);
  t->tile = room > 1024 ? 1024 : room & ~(size_t)63;
  if (t->tile < 64)
    t->tile = 64;
  t->slot_bytes = t->tile * (wide ? 8 : 4);
  double ns = total_ns(b);
  size_t blocks = ns < 30000 ? 1 : ns / 15000 > 64 ? 64 : (size_t)(ns / 15000);
  size_t per = (b->n + blocks - 1) / blocks;
  t->per_block = (per + t->tile - 1) / t->tile * t->tile;
  if (!t->per_block)
    t->per_block = t->tile;
  t->blocks = (uint32_t)((b->n + t->per_block - 1) / t->per_block);
  if (!t->blocks)
    t->blocks = 1;
  memcpy(t->dim, b->dim, sizeof t->dim);
  memcpy(weft__tile_inputs(t), b->input, g->n_in * sizeof(weft__tile_input));
  memcpy(weft__tile_instructions(t), b->ins, b->n_ins * sizeof(weft__tile_ins));
}

// Output 0 may lie over inputs of its shape: a tile is read before it is written, as the output comes last.
static uint32_t overwrites(const builder *b) {
  uint32_t bits = 0;
  if (b->tiling->n_out != 1 || b->region->out[0] != (int32_t)b->region->n_nodes - 1)
    return 0;
  for (uint32_t i = 0; i < b->tiling->n_in; i++)
    bits |= (uint32_t)(b->input[i].mode == WEFT__TILE_FULL) << i;
  const weft_region_node *n = &b->region->node[b->region->n_nodes - 1];
  if (!strcmp(n->desc->type, "AddN"))  // its later inputs are read after the first are summed up there
    for (uint32_t i = 2; i < n->desc->n_in; i++) {
      if (n->in[i] < 0)
        bits &= ~(1u << (-1 - n->in[i]));
    }
  return bits;
}

const char *weft__tile_build(const weft_tiling *tiling, weft__tile *t, size_t cap, size_t *out_bytes,
                             uint32_t *out_overwrite, double *out_ns) {
  builder b;
  memset(&b, 0, offsetof(builder, ins));
  b.tiling = tiling;
  b.operations = weft__tile_find(tiling->host);
  b.n_ins = b.n_slots = b.free_slots = 0;
  b.n = 1;
  b.axes = 1;
  b.cost = 0;
  b.why = NULL;
  b.rows = false;
  b.dim[0] = 1;
  if (!set_up(&b) || !uses(&b) || !look_ahead(&b))
    return b.why;
  if (b.known) {
    if (!merge_axes(&b))
      return b.why;
    input_modes(&b);
  }
  if (!load_inputs(&b))
    return b.why;
  for (uint32_t k = 0; k < b.region->n_nodes; k++) {
    if (!add_op(&b, (int32_t)k))
      return b.why;
  }
  size_t bytes = sizeof *t + tiling->n_in * sizeof(weft__tile_input) + b.n_ins * sizeof(weft__tile_ins);
  if (bytes > cap)
    return "too many inputs and steps for a record";
  if (out_ns)
    *out_ns = total_ns(&b);
  if (!t)
    return NULL;
  *out_overwrite = overwrites(&b);
  *out_bytes = bytes;
  write(&b, t);
  return NULL;
}
// SPDX-License-Identifier: Apache-2.0
