// ops/string/parse_example.c - features of tf.Example messages as tensors.   AscendIR ParseExample,
// ParseSingleExample, as TensorFlow has them. A dense feature has one shape, and a default where a message
// lacks it; a sparse one becomes indices, values and a shape. A message is read where it lies: Example {
// Features features = 1 }, Features { map<string, Feature> feature = 1 }, Feature { BytesList 1, FloatList 2,
// Int64List 3 }, each a list { repeated value = 1 }, packed or not; nothing in it sizes anything before it is
// compared with the bytes that are there.
#include "air_slots.h"
#include "op/air_rows.h"
#include "string_util.h"

// ---- messages ----
typedef struct wire {
  const uint8_t *v;
  size_t n;
} wire;
typedef struct wire_field {
  uint64_t number;
  unsigned type;
  uint64_t value;  // of a varint, or the bits of 32 or 64
  wire bytes;
} wire_field;
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

static bool wire_varint(wire *w, uint64_t *out) {
  *out = 0;
  for (unsigned shift = 0; shift < 64 && w->n; shift += 7) {
    const uint8_t byte = *w->v++;
    w->n--;
    *out |= (uint64_t)(byte & 127) << shift;
    if (byte < 128)
      return true;
  }
  return false;
}

static bool wire_fixed(wire *w, size_t bytes, uint64_t *out) {
  *out = 0;
  if (w->n < bytes)
    return false;
  for (size_t i = 0; i < bytes; i++)
    *out |= (uint64_t)w->v[i] << 8 * i;
  w->v += bytes;
  w->n -= bytes;
  return true;
}

// The next field; false: the message is damaged.
static bool wire_next(wire *w, wire_field *out) {
  uint64_t key;
  *out = (wire_field){0};
  if (!wire_varint(w, &key))
    return false;
  out->number = key >> 3;
  out->type = (unsigned)(key & 7);
  if (out->type == WIRE_VARINT)
    return wire_varint(w, &out->value);
  if (out->type == WIRE_64 || out->type == WIRE_32)
    return wire_fixed(w, out->type == WIRE_64 ? 8 : 4, &out->value);
  if (out->type != WIRE_BYTES || !wire_varint(w, &out->value) || out->value > w->n)
    return false;
  out->bytes = (wire){w->v, (size_t)out->value};
  w->v += out->value;
  w->n -= (size_t)out->value;
  return true;
}

// ---- features ----
typedef struct feature {
  wire list;
  weft_dtype type;  // UNDEFINED: the message has none of this name, or it is empty
} feature;

static weft_status example_damaged(const weft_call *c, size_t i) {
  return weft_fail(c->d, WEFT_E_CORRUPT, "input 'serialized', element %zu is no message Example", i);
}

static bool feature_read(wire f, feature *out) {
  static const weft_dtype types[] = {WEFT_UNDEFINED, WEFT_STRING, WEFT_FLOAT, WEFT_INT64};
  wire_field field;
  *out = (feature){.type = WEFT_UNDEFINED};
  while (f.n) {
    if (!wire_next(&f, &field))
      return false;
    if (field.type == WIRE_BYTES && field.number >= 1 && field.number <= 3)
      *out = (feature){field.bytes, types[field.number]};
  }
  return true;
}

// An entry of the map; is it the one of this name?
static bool feature_entry(wire entry, const char *key, size_t key_bytes, feature *out, bool *out_here) {
  wire name = {NULL, 0};
  wire value = {NULL, 0};
  wire_field field;
  while (entry.n) {
    if (!wire_next(&entry, &field))
      return false;
    if (field.type == WIRE_BYTES && field.number == 1)
      name = field.bytes;
    if (field.type == WIRE_BYTES && field.number == 2)
      value = field.bytes;
  }
  *out_here = name.n == key_bytes && (!key_bytes || !memcmp(name.v, key, key_bytes));
  return !*out_here || feature_read(value, out);
}

// The last of several entries counts.
static bool feature_find(wire example, const char *key, size_t key_bytes, feature *out) {
  wire_field features;
  wire_field entry;
  bool here;
  *out = (feature){.type = WEFT_UNDEFINED};
  while (example.n) {
    if (!wire_next(&example, &features))
      return false;
    wire map = features.bytes;
    while (features.number == 1 && features.type == WIRE_BYTES && map.n) {
      if (!wire_next(&map, &entry))
        return false;
      const bool is_entry = entry.number == 1 && entry.type == WIRE_BYTES;
      if (is_entry && !feature_entry(entry.bytes, key, key_bytes, out, &here))
        return false;
    }
  }
  return true;
}

// Where values go: numbers from element `at` of the tensor on, or strings to the list; neither: only counted.
typedef struct feature_target {
  weft_tensor *t;
  weft_strings *list;
  size_t at;
} feature_target;

static void feature_put(feature_target *to, weft_dtype type, const wire_field *v) {
  const uint32_t bits = (uint32_t)v->value;
  if (type == WEFT_STRING && to->list) {
    weft__strings_add(to->list, (const char *)v->bytes.v, v->bytes.n);
    weft__strings_next(to->list);
  } else if (type == WEFT_FLOAT && to->t) {
    memcpy((float *)to->t->data + to->at, &bits, sizeof bits);
  } else if (type == WEFT_INT64 && to->t) {
    ((int64_t *)to->t->data)[to->at] = (int64_t)v->value;
  }
  to->at++;
}

// Values one after the other; numbers may also stand packed in one field.
static bool feature_values(const feature *f, feature_target *to) {
  const unsigned single = f->type == WEFT_STRING ? WIRE_BYTES : f->type == WEFT_FLOAT ? WIRE_32 : WIRE_VARINT;
  wire list = f->list;
  while (list.n) {
    wire_field v;
    if (!wire_next(&list, &v))
      return false;
    if (v.number != 1)
      continue;
    if (v.type == single) {
      feature_put(to, f->type, &v);
      continue;
    }
    if (v.type != WIRE_BYTES)
      return false;
    wire packed = v.bytes;
    while (packed.n) {
      const bool ok = single == WIRE_32 ? wire_fixed(&packed, 4, &v.value) : wire_varint(&packed, &v.value);
      if (!ok)
        return false;
      feature_put(to, f->type, &v);
    }
  }
  return true;
}

// ---- both operators ----
// ParseExample has its keys as inputs and a batch, ParseSingleExample has them as attributes and one message.
typedef struct example_use {
  bool batch;
  uint32_t sparse_types, dense_types, dense_shapes, sparse_keys, dense_keys;  // slots
  uint32_t sparse_port, dense_port, defaults_port;                            // inputs
} example_use;
enum { EXAMPLE_INDICES, EXAMPLE_VALUES, EXAMPLE_SHAPES, EXAMPLE_DENSE };

static weft_dtype example_type(const weft_op_desc *n, uint32_t slot, uint32_t k) {
  const weft_attr *a = weft_attr_at(n, slot, WEFT_VT_LIST_TYPE);
  return a && k < a->n ? (weft_dtype)a->u.ints[k] : (weft_dtype)WEFT_UNDEFINED;
}

static weft_ints example_shape(const weft_op_desc *n, uint32_t k) {
  const example_use *use = n->op->user;
  const weft_attr *a = weft_attr_at(n, use->dense_shapes, WEFT_VT_LIST_LIST_INT);
  return a && k < a->n ? a->u.int_lists[k] : (weft_ints){NULL, 0};
}

static weft_status example_counts(weft_infer *it) {
  const example_use *use = it->desc->op->user;
  const weft_port_span *out = it->desc->out_port;
  const weft_attr *sparse = weft_attr_at(it->desc, use->sparse_types, WEFT_VT_LIST_TYPE);
  const weft_attr *dense = weft_attr_at(it->desc, use->dense_types, WEFT_VT_LIST_TYPE);
  const weft_attr *shapes = weft_attr_at(it->desc, use->dense_shapes, WEFT_VT_LIST_LIST_INT);
  const size_t n_sparse = sparse ? sparse->n : 0;
  const size_t n_dense = dense ? dense->n : 0;
  bool same = shapes ? shapes->n == n_dense : !n_dense;
  for (uint32_t port = 0; port < EXAMPLE_DENSE; port++)
    same &= out[port].count == n_sparse;
  same &= out[EXAMPLE_DENSE].count == n_dense && it->desc->in_port[use->defaults_port].count == n_dense;
  if (use->batch) {
    same &= it->desc->in_port[use->sparse_port].count == n_sparse;
    same &= it->desc->in_port[use->dense_port].count == n_dense;
  }
  if (same)
    return WEFT_OK;
  return weft_fail(
      it->d, WEFT_E_INVALID,
      "%zu sparse and %zu dense types: keys, defaults, 'dense_shapes' and outputs are not as many", n_sparse,
      n_dense);
}

static weft_status example_dense_infer(weft_infer *it, uint32_t k) {
  const example_use *use = it->desc->op->user;
  const weft_ints shape = example_shape(it->desc, k);
  const uint32_t o = it->desc->out_port[EXAMPLE_DENSE].start + k;
  weft_dim dims[WEFT_MAX_RANK];
  size_t rank = 0;
  if (shape.n >= WEFT_MAX_RANK)
    return weft_fail(it->d, WEFT_E_LIMIT, "attribute 'dense_shapes' %u has %zu sizes", k, shape.n);
  if (use->batch)
    dims[rank++] = weft_shape_is_unknown_rank(it->in[0]) ? -1 : it->in[0]->dim[0];
  for (size_t i = 0; i < shape.n; i++) {
    if (shape.v[i] < 0) {
      return weft_fail(it->d, WEFT_E_UNSUPPORTED, "attribute 'dense_shapes' %u: a size that the data decide",
                       k);
    }
    dims[rank++] = shape.v[i];
  }
  const weft_dtype type = example_type(it->desc, use->dense_types, k);
  const weft_dtype dflt = it->in_dtype[it->desc->in_port[use->defaults_port].start + k];
  if (dflt != type) {
    return weft_fail(it->d, WEFT_E_DTYPE, "input 'dense_defaults' %u is %s, 'Tdense' says %s", k,
                     weft_dtype_name(dflt), weft_dtype_name(type));
  }
  it->out_dtype[o] = type;
  return weft_set_out_shape(it, o, dims, rank);
}

static weft_status example_infer(weft_infer *it) {
  const example_use *use = it->desc->op->user;
  const weft_port_span *out = it->desc->out_port;
  const weft_dim ranks = use->batch ? 2 : 1;
  WEFT_TRY(weft__expect_rank(it, 0, use->batch, use->batch));
  WEFT_TRY(example_counts(it));
  for (uint32_t k = 0; k < out[EXAMPLE_INDICES].count; k++) {
    it->out_dtype[out[EXAMPLE_VALUES].start + k] = example_type(it->desc, use->sparse_types, k);
    WEFT_TRY(weft_set_out_shape(it, out[EXAMPLE_INDICES].start + k, (weft_dim[]){-1, ranks}, 2));
    WEFT_TRY(weft__unknown_dims(it, out[EXAMPLE_VALUES].start + k, 1));
    WEFT_TRY(weft_set_out_shape(it, out[EXAMPLE_SHAPES].start + k, &ranks, 1));
  }
  for (uint32_t k = 0; k < out[EXAMPLE_DENSE].count; k++)
    WEFT_TRY(example_dense_infer(it, k));
  return WEFT_OK;
}

static weft_status example_range(weft_infer *it) {
  const example_use *use = it->desc->op->user;
  WEFT_TRY(example_infer(it));
  for (uint32_t o = 0; o < it->desc->n_out; o++) {
    weft_shape_copy(it->out_min[o], it->out[o]);
    weft_shape_copy(it->out_max[o], it->out[o]);
    if (!it->out[o]->rank || it->out[o]->dim[0] >= 0)
      continue;
    const bool dense = o >= it->desc->out_port[EXAMPLE_DENSE].start && use->batch;
    const bool known = dense && !weft_shape_is_unknown_rank(it->in[0]);
    it->out_min[o]->dim[0] = known ? it->in_min[0]->dim[0] : 0;
    it->out_max[o]->dim[0] = known ? it->in_max[0]->dim[0] : -1;
  }
  return WEFT_OK;
}

typedef struct example_key {
  const char *text;
  size_t bytes;
} example_key;

static weft_status example_key_of(const weft_call *c, uint32_t port, uint32_t slot, uint32_t k,
                                  example_key *out) {
  const example_use *use = c->desc->op->user;
  if (use->batch)
    return weft_tensor_string(c->in[c->desc->in_port[port].start + k], 0, &out->text, &out->bytes, c->d);
  const weft_attr *a = weft_attr_at(c->desc, slot, WEFT_VT_LIST_STRING);
  if (!a || k >= a->n)
    return weft_fail(c->d, WEFT_E_INVALID, "there is no key %u", k);
  *out = (example_key){a->u.strs[k].text, a->u.strs[k].bytes};
  return WEFT_OK;
}

// The feature of a key in message i, of this dtype where it is there.
static weft_status example_feature(const weft_call *c, size_t i, const example_key *key, weft_dtype type,
                                   feature *out) {
  const char *text;
  size_t bytes;
  WEFT_TRY(weft_tensor_string(c->in[0], i, &text, &bytes, c->d));
  if (!feature_find((wire){(const uint8_t *)text, bytes}, key->text, key->bytes, out))
    return example_damaged(c, i);
  if (out->type == WEFT_UNDEFINED || out->type == type)
    return WEFT_OK;
  return weft_fail(c->d, WEFT_E_DTYPE, "feature '%.*s' of element %zu is %s, expected %s",
                   (int)WEFT_MIN(key->bytes, (size_t)100), key->text, i, weft_dtype_name(out->type),
                   weft_dtype_name(type));
}

static weft_status example_alloc(const weft_call *c, uint32_t o, weft_dtype t, const weft_dim *dims,
                                 size_t rank, weft_shape *out_shape) {
  weft_layout layout;
  memset(&layout, 0, sizeof layout);
  WEFT_TRY(weft_shape_init(&layout.origin, dims, rank));
  weft_shape_copy(&layout.storage, &layout.origin);
  *out_shape = layout.origin;
  return c->host->out_alloc(c, o, t, &layout, WEFT_ND);
}

// ---- dense ----
static weft_status example_default(const weft_call *c, uint32_t k, const example_key *key, size_t i,
                                   size_t each, feature_target *to) {
  const example_use *use = c->desc->op->user;
  const weft_tensor *dflt = c->in[c->desc->in_port[use->defaults_port].start + k];
  const size_t n = (size_t)weft_tensor_elems(dflt);
  if (n != each) {
    return weft_fail(c->d, WEFT_E_MISSING,
                     "element %zu has no feature '%.*s', whose default has %zu elements, expected %zu", i,
                     (int)WEFT_MIN(key->bytes, (size_t)100), key->text, n, each);
  }
  for (size_t e = 0; e < each; e++) {
    const char *text;
    size_t bytes;
    if (to->list) {
      WEFT_TRY(weft_tensor_string(dflt, e, &text, &bytes, c->d));
      weft__strings_add(to->list, text, bytes);
      weft__strings_next(to->list);
    } else {
      weft__copy_elem(dflt->dtype, to->t->data, to->at, dflt->data, e);
    }
    to->at++;
  }
  return WEFT_OK;
}

static weft_status example_dense_rows(const weft_call *c, uint32_t k, size_t n, size_t each, weft_dtype type,
                                      feature_target *to) {
  const example_use *use = c->desc->op->user;
  example_key key;
  WEFT_TRY(example_key_of(c, use->dense_port, use->dense_keys, k, &key));
  for (size_t i = 0; i < n; i++) {
    feature f;
    feature_target count = {0};
    WEFT_TRY(weft__call_poll(c));
    WEFT_TRY(example_feature(c, i, &key, type, &f));
    if (f.type == WEFT_UNDEFINED) {
      WEFT_TRY(example_default(c, k, &key, i, each, to));
      continue;
    }
    if (!feature_values(&f, &count))
      return example_damaged(c, i);
    if (count.at != each) {
      return weft_fail(c->d, WEFT_E_SHAPE, "feature '%.*s' of element %zu has %zu values, expected %zu",
                       (int)WEFT_MIN(key.bytes, (size_t)100), key.text, i, count.at, each);
    }
    (void)feature_values(&f, to);
  }
  return WEFT_OK;
}

static weft_status example_dense(const weft_call *c, uint32_t k) {
  const example_use *use = c->desc->op->user;
  const weft_ints shape = example_shape(c->desc, k);
  const uint32_t o = c->desc->out_port[EXAMPLE_DENSE].start + k;
  const weft_dtype type = example_type(c->desc, use->dense_types, k);
  const size_t n = use->batch ? weft__elems(&c->in[0]->layout.origin) : 1;
  weft_dim dims[WEFT_MAX_RANK] = {(weft_dim)n};
  weft_shape out;
  weft_strings list;
  int64_t each = 1;
  for (size_t i = 0; i < shape.n; i++) {
    dims[use->batch + i] = shape.v[i];
    if (!weft__mul_i64(each, shape.v[i], &each))
      return weft_fail(c->d, WEFT_E_OVERFLOW, "the elements of 'dense_shapes' %u overflow", k);
  }
  WEFT_TRY(example_alloc(c, o, type, dims, shape.n + use->batch, &out));
  if (!c->out[o])
    return WEFT_OK;
  feature_target to = {.t = c->out[o]};
  if (type != WEFT_STRING)
    return example_dense_rows(c, k, n, (size_t)each, type, &to);
  weft__strings_init_at(&list, c, o);
  to.list = &list;
  return weft__strings_give(&list, &out, example_dense_rows(c, k, n, (size_t)each, type, &to));
}

// ---- sparse ----
// Counts the values of a feature in all messages and the most in one; then they are written.
static weft_status example_sparse_rows(const weft_call *c, const example_key *key, weft_dtype type, size_t n,
                                       int64_t *indices, feature_target *to, int64_t *out_most) {
  const example_use *use = c->desc->op->user;
  for (size_t i = 0; i < n; i++) {
    feature f;
    const size_t before = to->at;
    WEFT_TRY(weft__call_poll(c));
    WEFT_TRY(example_feature(c, i, key, type, &f));
    if (f.type != WEFT_UNDEFINED && !feature_values(&f, to))
      return example_damaged(c, i);
    *out_most = WEFT_MAX(*out_most, (int64_t)(to->at - before));
    for (size_t e = before; indices && e < to->at; e++) {
      if (use->batch)
        *indices++ = (int64_t)i;
      *indices++ = (int64_t)(e - before);
    }
  }
  return WEFT_OK;
}

static weft_status example_sparse_values(const weft_call *c, uint32_t o, const example_key *key,
                                         weft_dtype type, size_t n, int64_t *indices,
                                         const weft_shape *shape) {
  feature_target to = {.t = c->out[o]};
  weft_strings list;
  int64_t most = 0;
  if (type != WEFT_STRING || !c->out[o])
    return example_sparse_rows(c, key, type, n, indices, &to, &most);
  weft__strings_init_at(&list, c, o);
  to.list = &list;
  return weft__strings_give(&list, shape, example_sparse_rows(c, key, type, n, indices, &to, &most));
}

static weft_status example_sparse(const weft_call *c, uint32_t k) {
  const example_use *use = c->desc->op->user;
  const weft_port_span *out = c->desc->out_port;
  const uint32_t indices = out[EXAMPLE_INDICES].start + k;
  const uint32_t values = out[EXAMPLE_VALUES].start + k;
  const uint32_t shapes = out[EXAMPLE_SHAPES].start + k;
  const weft_dtype type = example_type(c->desc, use->sparse_types, k);
  const size_t n = use->batch ? weft__elems(&c->in[0]->layout.origin) : 1;
  const weft_dim rank = use->batch ? 2 : 1;
  feature_target count = {0};
  int64_t most = 0;
  example_key key;
  weft_shape s;
  WEFT_TRY(example_key_of(c, use->sparse_port, use->sparse_keys, k, &key));
  WEFT_TRY(example_sparse_rows(c, &key, type, n, NULL, &count, &most));
  const weft_dim all = (weft_dim)count.at;
  WEFT_TRY(example_alloc(c, shapes, WEFT_INT64, &rank, 1, &s));
  if (c->out[shapes]) {
    int64_t *v = c->out[shapes]->data;
    v[0] = use->batch ? (int64_t)n : most;
    v[rank - 1] = most;
  }
  WEFT_TRY(example_alloc(c, indices, WEFT_INT64, (weft_dim[]){all, rank}, 2, &s));
  WEFT_TRY(example_alloc(c, values, type, &all, 1, &s));
  return example_sparse_values(c, values, &key, type, n, c->out[indices] ? c->out[indices]->data : NULL, &s);
}

static weft_status example_execute(const weft_call *c) {
  const weft_port_span *out = c->desc->out_port;
  for (uint32_t k = 0; k < out[EXAMPLE_INDICES].count; k++)
    WEFT_TRY(example_sparse(c, k));
  for (uint32_t k = 0; k < out[EXAMPLE_DENSE].count; k++)
    WEFT_TRY(example_dense(c, k));
  return WEFT_OK;
}

// Messages with a: floats 1.5, -2 and s: "x", ""; with s: "yz" and i: -1, 300, not packed; with i: 7.
#define MESSAGE_A                                                             \
  "\\n!\\n\\u0011\\n\\u0001a\\u0012\\u000c\\u0012\\n\\n\\u0008\\0\\0\xc0?\\0\\0\\0" \
  "\xc0\\n\\u000c\\n\\u0001s\\u0012\\u0007\\n\\u0005\\n\\u0001x\\n\\0"
#define MESSAGE_B                                                            \
  "\\n$\\n\\u000b\\n\\u0001s\\u0012\\u0006\\n\\u0004\\n\\u0002yz\\n\\u0015\\n\\u0001i" \
  "\\u0012\\u0010\\u001a\\u000e\\u0008\xff\xff\xff\xff\xff\xff\xff\xff\xff\\u0001\\u0008" \
  "\xac\\u0002"
#define MESSAGE_C "\\n\\u000c\\n\\n\\n\\u0001i\\u0012\\u0005\\u001a\\u0003\\n\\u0001\\u0007"
#define EXAMPLE_ATTRS " Nsparse=1 Ndense=1 sparse_types=[str] Tdense=[f32] dense_shapes=[[2]]"
#define SINGLE_ATTRS \
  " num_sparse=1 sparse_keys=[\"s\"] dense_keys=[\"a\"] sparse_types=[str] Tdense=[f32] dense_shapes=[[2]]"
WEFT_ROWS(parse_example) = {
    {"ParseExample", "features of messages tf.Example", WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
     .infer = example_infer,
     .infer_range = example_range, .execute = example_execute,
     .user = &(const example_use){.batch = true,
                                  .sparse_types = WEFT_SLOT_PARSE_EXAMPLE_SPARSE_TYPES,
                                  .dense_types = WEFT_SLOT_PARSE_EXAMPLE_TDENSE,
                                  .dense_shapes = WEFT_SLOT_PARSE_EXAMPLE_DENSE_SHAPES,
                                  .sparse_port = 2,
                                  .dense_port = 3,
                                  .defaults_port = 4},
     .examples = WEFT_EXAMPLES(
         "str[2]{\"" MESSAGE_A "\",\"" MESSAGE_B "\"}, str[0], [str[]{\"s\"}], [str[]{\"a\"}], [f32[2]{8,9}]"
         EXAMPLE_ATTRS " -> "
         "[i64[3,2]{0,0,0,1,1,0}], [str[3]{\"x\",\"\",\"yz\"}], [i64[2]{2,2}], [f32[2,2]{1.5,-2,8,9}]",
         "str[2]{\"" MESSAGE_B "\",\"" MESSAGE_C "\"}, str[0], [str[]{\"i\"}], [], [] "
         "Nsparse=1 sparse_types=[i64] -> [i64[3,2]{0,0,0,1,1,0}], [i64[3]{-1,300,7}], [i64[2]{2,2}], []",
         "str[1]{\"" MESSAGE_A "\"}, str[0], [], [str[]{\"s\"}], [str[0]] "
         "Ndense=1 Tdense=[str] dense_shapes=[[2,1]] -> [], [], [], [str[1,2,1]{\"x\",\"\"}]",
         "str[-1], str[0], [str[]], [str[]], [f32[2]]" EXAMPLE_ATTRS " -> "
         "[i64[-1,2]], [str[-1]], [i64[2]], [f32[-1,2]]",
         "str[1]{\"" MESSAGE_B "\"}, str[0], [str[]{\"s\"}], [str[]{\"a\"}], [f32[0]]" EXAMPLE_ATTRS
         " -> [_], [_], [_], [_] !! E_MISSING 'a'",
         "str[1]{\"" MESSAGE_A "\"}, str[0], [str[]{\"a\"}], [str[]{\"a\"}], [f32[0]]" EXAMPLE_ATTRS
         " -> [_], [_], [_], [_] !! E_DTYPE feature 'a'",
         "str[1]{\"\\n\\u0005\"}, str[0], [str[]{\"a\"}], [], [] Nsparse=1 sparse_types=[str] -> "
         "[_], [_], [_], [] !! E_CORRUPT element 0")},
    {"ParseSingleExample", "features of one message tf.Example", WEFT_SYMBOLIC | WEFT_DATA_DEPENDENT,
     .infer = example_infer, .infer_range = example_range, .execute = example_execute,
     .user = &(const example_use){.sparse_types = WEFT_SLOT_PARSE_SINGLE_EXAMPLE_SPARSE_TYPES,
                                  .dense_types = WEFT_SLOT_PARSE_SINGLE_EXAMPLE_TDENSE,
                                  .dense_shapes = WEFT_SLOT_PARSE_SINGLE_EXAMPLE_DENSE_SHAPES,
                                  .sparse_keys = WEFT_SLOT_PARSE_SINGLE_EXAMPLE_SPARSE_KEYS,
                                  .dense_keys = WEFT_SLOT_PARSE_SINGLE_EXAMPLE_DENSE_KEYS,
                                  .defaults_port = 1},
     .examples = WEFT_EXAMPLES(
         "str[]{\"" MESSAGE_A "\"}, [f32[0]]" SINGLE_ATTRS " -> "
         "[i64[2,1]{0,1}], [str[2]{\"x\",\"\"}], [i64[1]{2}], [f32[2]{1.5,-2}]",
         "str[]{\"" MESSAGE_C "\"}, [f32[2]{8,9}]" SINGLE_ATTRS " -> "
         "[i64[0,1]], [str[0]], [i64[1]{0}], [f32[2]{8,9}]",
         "str[], [f32[2]]" SINGLE_ATTRS " -> [i64[-1,1]], [str[-1]], [i64[1]], [f32[2]]",
         "str[], [i64[2]]" SINGLE_ATTRS " -> [_], [_], [_], [_] !! E_DTYPE 'Tdense' says f32",
         "str[1], [f32[2]]" SINGLE_ATTRS " -> [_], [_], [_], [_] !! E_SHAPE rank 0")},
    {0},
};
// SPDX-License-Identifier: Apache-2.0
