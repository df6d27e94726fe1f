// fuzz_op.c - any bytes as one use of a built-in operator: "Name\n", a dtype, then instances, attributes, and
// inputs with dims and values, in the order of the prototype; bytes that are missing read as 0. An unknown
// name stands for some operator. What infers has sane outputs; when all is known and small it runs, and the
// outputs are as inferred.
#include <math.h>

#include "fuzz.h"
#include "tensor/tensor.h"

enum {
  MOST_INPUTS = 16,
  MOST_OUTPUTS = 16,
  MOST_ATTRS = 32,
  MOST_LIST = 12,
  DATA_ELEMS = 1 << 10,
  RUN_ELEMS = 1 << 13
};

typedef struct reader {
  const uint8_t *at, *end;
} reader;
static uint8_t take(reader *r) {
  return r->at < r->end ? *r->at++ : 0;
}
static uint8_t below(reader *r, uint8_t n) {
  return n ? take(r) % n : 0;
}

// Small numbers are as they are; the last codes are odd ones.
static int64_t number(reader *r) {
  static const int64_t odd[] = {
      INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, INT64_C(1) << 40, -(INT64_C(1) << 33), INT64_MIN + 1,
      -1000000,  65536,     1000,      255,       INT64_C(1) << 62, UINT32_MAX,          64,
      -64,       32};
  uint8_t c = take(r);
  return c < 224 ? (c < 128 ? c % 64 : -((c - 128) % 32) - 1) : odd[c & 15];
}
static double real(reader *r) {
  static const double odd[] = {NAN,  INFINITY, -INFINITY,    -0.0,         1e300,  -1e300,
                               3e38, 1e-40,    65504,        4294967296.0, 9.3e18, -9.3e18,
                               0.1,  1e-3,     2147483648.0, 0x1p-149};
  uint8_t c = take(r);
  return c < 224 ? ((int)c - 96) / 8.0 : odd[c & 15];
}

typedef struct use_state {
  reader r;
  const weft_proto *proto;
  uint8_t dtype_choice;
  weft_use use;
  uint32_t in_counts[MOST_INPUTS], out_counts[MOST_OUTPUTS];
  weft_named_attr attrs[MOST_ATTRS];
  int64_t ints[MOST_ATTRS][MOST_LIST];
  float floats[MOST_ATTRS][MOST_LIST];
  bool bools[MOST_ATTRS][MOST_LIST];
  weft_str strs[MOST_ATTRS][MOST_LIST];
  weft_ints lists[MOST_ATTRS][MOST_LIST];
  weft_tensor in[MOST_INPUTS];
  const weft_tensor *in_at[MOST_INPUTS];
  size_t n_in, n_out;
  bool all_data, affordable;
} use_state;

static const weft_proto *choose(weft_env *e, reader *r) {
  const uint8_t *name = r->at;
  size_t n = 0;
  size_t most = (size_t)(r->end - r->at);
  while (n < most && n < 60 && name[n] != '\n')
    n++;
  char text[64] = {0};
  memcpy(text, name, n);
  r->at += n < most ? n + 1 : n;
  const weft_proto *p = weft_find(e, text);
  if (p && weft_proto_source(p) == WEFT_FROM_BUILTIN)
    return p;
  return weft_proto_at(e, (size_t)(weft__hash(name, n) % weft_proto_count(e, false)), false);
}

// A word of the rule "one of A|B", or of a list.
static weft_str word(use_state *s, const weft_attr_decl *decl) {
  static const char *const words[] = {
      "",       "NCHW",     "NHWC",    "SAME",    "VALID",         "none",     "mean",      "sum",
      "linear", "constant", "reflect", "edge",    "CALCULATED",    "\xff",     "max",       "HWCN",
      "(a+)+$", "[",        "(?R)",    "a{9999}", "\\1(.)",        "(.*)*b",   "ij,jk->ik", "...ij->...ji",
      "ii->i",  "i,i",      "a,b->ab", "->",      "..., ...->...", "\xc3\xa9", ",",         "i->iii"};
  const char *rule = decl->check ? strstr(decl->check, "one of ") : NULL;
  uint8_t c = take(&s->r);
  if (!rule || c & 0x80)
    return (weft_str){words[c & 31], strlen(words[c & 31])};
  rule += 7;
  size_t n = 1;
  size_t all = strcspn(rule, ";");
  for (size_t i = 0; i < all; i++)
    n += rule[i] == '|';
  for (size_t skip = c % n; skip; rule++)
    skip -= *rule == '|';
  return (weft_str){rule, strcspn(rule, "|;")};
}

static weft_attr list(use_state *s, size_t slot, weft_attr_type type, const weft_attr_decl *decl) {
  weft_attr a = {.type = type, .n = below(&s->r, MOST_LIST + 1)};
  for (size_t i = 0; i < a.n; i++) {
    s->ints[slot][i] = type == WEFT_VT_LIST_TYPE ? take(&s->r) % 64 : number(&s->r);
    if (type == WEFT_VT_LIST_FLOAT)
      s->floats[slot][i] = (float)real(&s->r);
    if (type == WEFT_VT_LIST_BOOL)
      s->bools[slot][i] = take(&s->r) & 1;
    if (type == WEFT_VT_LIST_STRING)
      s->strs[slot][i] = word(s, decl);
    s->lists[slot][i] = (weft_ints){s->ints[slot], i};
    s->affordable &= type != WEFT_VT_LIST_INT || (s->ints[slot][i] <= 1000 && s->ints[slot][i] >= -1000);
  }
  if (type == WEFT_VT_LIST_FLOAT)
    a.u.floats = s->floats[slot];
  else if (type == WEFT_VT_LIST_BOOL)
    a.u.bools = s->bools[slot];
  else if (type == WEFT_VT_LIST_STRING)
    a.u.strs = s->strs[slot];
  else if (type == WEFT_VT_LIST_LIST_INT)
    a.u.int_lists = s->lists[slot];
  else
    a.u.ints = s->ints[slot];
  return a;
}

static void attribute(use_state *s, size_t slot) {
  const weft_attr_decl *decl = weft_proto_attr(s->proto, (uint32_t)slot);
  weft_attr_type type = weft_attr_type_parse(decl->type, strlen(decl->type));
  uint8_t what = take(&s->r);
  if (what & 1 && weft_proto_default(s->proto, (uint32_t)slot))
    return;
  weft_attr a;
  weft_str text;
  switch (type) {
    case WEFT_VT_INT:
      a = weft_attr_int(number(&s->r));
      s->affordable &= a.u.i <= 1000 || a.u.i == INT64_MAX;
      break;
    case WEFT_VT_FLOAT:
      a = weft_attr_float((float)real(&s->r));
      break;
    case WEFT_VT_BOOL:
      a = weft_attr_bool(take(&s->r) & 1);
      break;
    case WEFT_VT_TYPE:
      a = weft_attr_dtype(take(&s->r) % 64);
      break;
    case WEFT_VT_STRING:
      text = word(s, decl);
      a = weft_attr_str(text.text, text.bytes);
      break;
    case WEFT_VT_LIST_INT:
    case WEFT_VT_LIST_TYPE:
    case WEFT_VT_LIST_FLOAT:
    case WEFT_VT_LIST_BOOL:
    case WEFT_VT_LIST_STRING:
    case WEFT_VT_LIST_LIST_INT:
      a = list(s, slot, type, decl);
      break;
    default:
      return;
  }
  s->attrs[s->use.n_attrs++] = (weft_named_attr){decl->name, a};
}

static weft_dtype dtype(use_state *s, const weft_port *port) {
  weft_dtype_set set = weft_proto_dtypes(s->proto, port);
  uint8_t c = s->dtype_choice;
  if (c & 0x80)
    c = take(&s->r);  // one for each input
  if ((c & 0x70) == 0x70)
    return (weft_dtype)(take(&s->r) % 64);
  int n = 0;
  int k = 0;
  for (int i = 0; i < 64; i++)
    n += set >> i & 1;
  if (!n)
    return WEFT_FLOAT;
  for (k = 0, c %= n; c || !(set >> k & 1); k++)
    c -= set >> k & 1;
  return (weft_dtype)k;
}

static void fill(use_state *s, weft_tensor *t, size_t n) {
  weft__class class = weft__dtype_class(t->dtype);
  weft_dtype plain = weft__dtype_plain(t->dtype);
  for (size_t i = 0; i < n; i++) {
    if (class == WEFT__CLASS_INT || class == WEFT__CLASS_UINT)
      weft_store_i64(plain, t->data, i, number(&s->r));
    else if (class == WEFT__CLASS_FLOAT)
      weft_store_f64(plain, t->data, i, real(&s->r));
    else if (class == WEFT__CLASS_COMPLEX) {
      weft_store_f64(plain, t->data, 2 * i, real(&s->r));
      weft_store_f64(plain, t->data, 2 * i + 1, real(&s->r));
    } else if (class == WEFT__CLASS_BOOL)
      weft__bits_put(t->dtype, t->data, i, take(&s->r) & 1);
    else if (class == WEFT__CLASS_RAW && weft_dtype_bits(t->dtype) <= 64)
      weft__bits_put(t->dtype, t->data, i, take(&s->r));
  }
}

static void strings(use_state *s, weft_tensor *t, const weft_shape *shape, size_t n) {
  static const char *const words[] = {
      "",         "a",    "abc",         "1.5",     "-7",    "nan",
      "\xc3\xa9", "1e99", "Hello World", "+",       "0x1p3", "9223372036854775808",
      " 1",       "inf",  "true",        "\xff\xfe"};
  const char *text[DATA_ELEMS];
  for (size_t i = 0; i < n; i++)
    text[i] = words[take(&s->r) & 15];
  FUZZ_CHECK(!weft_tensor_set_strings(t, shape->dim, shape->rank, text, NULL, NULL), "strings");
}

static void tensor(use_state *s, weft_dtype type, weft_tensor *t) {
  static const int64_t odd[] = {-1, -1, -2, INT64_MAX, INT64_C(1) << 31, INT64_C(1) << 40, 1000003, 65536};
  uint8_t what = take(&s->r);  // rank, then: no data, odd dims, a large rank, an odd format
  weft_shape shape = {.rank = what & 0x40 ? take(&s->r) % (WEFT_MAX_RANK + 1) : what & 7};
  bool data = !(what & 0x10);
  int64_t n;
  for (size_t k = 0; k < shape.rank; k++) {
    uint8_t c = take(&s->r);
    shape.dim[k] = what & 0x20 && c >= 0x80 ? odd[c & 7] : c % 8;
    if (shape.dim[k] < -1) {
      shape.rank = 1;
      shape.dim[0] = WEFT_DIM_UNKNOWN_RANK;
    }
  }
  if (!data || !weft_shape_is_known(&shape) || weft_shape_elems(&shape, &n) || n > DATA_ELEMS ||
      !weft_dtype_known(type) || weft__dtype_class(type) == WEFT__CLASS_NONE) {
    (void)!weft__tensor_describe(t, weft_dtype_known(type) ? type : (weft_dtype)WEFT_FLOAT, shape.dim,
                                 shape.rank, NULL);
  } else if (weft__dtype_class(type) == WEFT__CLASS_STRING) {
    strings(s, t, &shape, (size_t)n);
  } else {
    FUZZ_CHECK(!weft_tensor_alloc(t, type, shape.dim, shape.rank, NULL), "small tensor");
    fill(s, t, (size_t)n);
  }
  if (what & 0x80)
    t->format = t->origin_format = take(&s->r) % 32;
  s->all_data &= t->data != NULL;
}

// A sequence or an optional of up to 3 items, most of them of one dtype.
static void items(use_state *s, weft_dtype type, weft_tensor *t) {
  static const uint8_t kinds[] = {WEFT_KIND_SEQUENCE, WEFT_KIND_OPTIONAL, WEFT_KIND_OPTIONAL_SEQUENCE};
  uint8_t kind = kinds[below(&s->r, 3)];
  size_t n = below(&s->r, kind == WEFT_KIND_SEQUENCE ? 4 : 2);
  if (!weft_dtype_known(type))
    type = WEFT_FLOAT;
  FUZZ_CHECK(!weft__tensor_set_items(t, kind, type, n, NULL), "items");
  for (size_t i = 0; i < n; i++) {
    if (take(&s->r) >= 240)
      type = WEFT_DOUBLE;  // a sequence cannot hold it
    if (kind == WEFT_KIND_OPTIONAL_SEQUENCE) {
      FUZZ_CHECK(!weft__tensor_set_items(t->items[i], WEFT_KIND_SEQUENCE, type, below(&s->r, 3), NULL),
                 "items");
    }
    weft_tensor *one = t->items[i];
    for (size_t k = 0; k < one->n_items; k++)
      tensor(s, type, one->items[k]);
    if (kind != WEFT_KIND_OPTIONAL_SEQUENCE)
      tensor(s, type, one);
  }
}

static void input(use_state *s, const weft_port *port, const weft_allocator *a) {
  weft_tensor *t = &s->in[s->n_in];
  weft_dtype type = dtype(s, port);
  weft_tensor_init(t, a);
  if (port->kinds && take(&s->r) & 1)
    items(s, type, t);
  else
    tensor(s, type, t);
  s->in_at[s->n_in++] = t;
}

static bool fits(const weft_proto *p) {
  return weft_proto_n_in(p) <= MOST_INPUTS && weft_proto_n_out(p) <= MOST_OUTPUTS &&
         weft_proto_n_attr(p) <= MOST_ATTRS;
}

static uint32_t instances(use_state *s, const weft_port *port, size_t room) {
  uint8_t c = port->kind == WEFT_REQUIRED ? 1 : take(&s->r);
  uint32_t n = port->kind == WEFT_OPTIONAL ? c & 1 : port->kind == WEFT_DYNAMIC ? c % 5u : 1;
  return n > room ? (uint32_t)room : n;
}

static void build(use_state *s, const weft_allocator *a) {
  uint32_t n = 0;
  s->dtype_choice = take(&s->r);
  for (uint32_t i = 0; i < weft_proto_n_in(s->proto); i++)
    n += s->in_counts[i] = instances(s, weft_proto_in(s->proto, i), MOST_INPUTS - n);
  for (uint32_t i = 0; i < weft_proto_n_out(s->proto); i++)
    s->n_out += s->out_counts[i] = instances(s, weft_proto_out(s->proto, i), MOST_OUTPUTS - s->n_out);
  for (uint32_t i = 0; i < weft_proto_n_attr(s->proto); i++)
    attribute(s, i);
  for (uint32_t i = 0; i < weft_proto_n_in(s->proto); i++) {
    for (uint32_t k = 0; k < s->in_counts[i]; k++)
      input(s, weft_proto_in(s->proto, i), a);
  }
  s->use.attrs = s->attrs;
  s->use.in_counts = s->in_counts;
  s->use.out_counts = s->out_counts;
}

// Small enough to run? Outputs of unknown size are bounded by memory only.
static bool small(const use_state *s, const weft_tensor_desc *out) {
  bool open = false;  // an empty tensor with a long axis rightly has many items, or places of distinct rows
  for (size_t i = 0; i < s->n_out; i++) {
    int64_t n = 0;
    if (weft_shape_elems(&out[i].layout.storage, &n) || n > RUN_ELEMS)
      return false;
    open |= n < 0;
  }
  for (uint32_t i = 0; i < weft_proto_n_out(s->proto); i++)
    open |= weft_proto_out(s->proto, i)->kinds != 0;
  for (size_t i = 0; open && i < s->n_in; i++) {
    for (size_t k = 0; k < s->in[i].layout.origin.rank; k++) {
      if (s->in[i].layout.origin.dim[k] > RUN_ELEMS)
        return false;
    }
  }
  return s->all_data && s->affordable;
}

static void run(weft_env *e, const use_state *s, const weft_tensor_desc *inferred) {
  weft_tensor out[MOST_OUTPUTS];
  weft_diag d = {0};
  weft_status st = weft_run_op(e, s->proto, &s->use, s->in_at, s->n_in, out, s->n_out, NULL, &d);
  FUZZ_CHECK_DIAG(st, &d);
  for (size_t i = 0; i < s->n_out; i++) {
    char a[512];
    char b[512];
    weft_tensor_desc got = inferred[i];
    bool fits_inferred = true;
    if (!st && out[i].kind == WEFT_KIND_TENSOR) {
      FUZZ_CHECK(out[i].data, "%s: output %zu has no data", weft_proto_op(s->proto)->name, i);
      got.dtype = out[i].dtype;
      got.layout = out[i].layout;
      got.format = out[i].format;
      got.has_range = 0;
      got.origin_format = out[i].origin_format;
      FUZZ_CHECK(!weft_desc_compatible(&got, &inferred[i], 0, &fits_inferred) && fits_inferred,
                 "%s: output %zu is %s, inferred was %s", weft_proto_op(s->proto)->name, i,
                 weft_desc_text(&got, a, sizeof a), weft_desc_text(&inferred[i], b, sizeof b));
    }
    weft_tensor_deinit(&out[i]);
  }
}

static void infer(weft_env *e, use_state *s) {
  weft_tensor_desc out[MOST_OUTPUTS];
  weft_diag d = {0};
  weft_status st = weft_infer_op(e, s->proto, &s->use, s->in_at, s->n_in, out, s->n_out, &d);
  FUZZ_CHECK_DIAG(st, &d);
  if (st)
    return;
  for (size_t i = 0; i < s->n_out; i++) {
    const weft_shape *shape = &out[i].layout.origin;
    FUZZ_CHECK(shape->rank <= WEFT_MAX_RANK, "%s: rank %zu", weft_proto_op(s->proto)->name, shape->rank);
    for (size_t k = 0; k < shape->rank && !weft_shape_is_unknown_rank(shape); k++) {
      FUZZ_CHECK(shape->dim[k] >= -1, "%s: dim %zu is %lld", weft_proto_op(s->proto)->name, k,
                 (long long)shape->dim[k]);
    }
    FUZZ_CHECK(weft_dtype_known(out[i].dtype), "%s: dtype %d", weft_proto_op(s->proto)->name, out[i].dtype);
  }
  if (small(s, out))
    run(e, s, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  static weft_env *env;
  static fuzz_memory memory;
  static use_state s;
  weft_env *e = fuzz_env(&env, &memory);
  weft_allocator a = {fuzz_alloc, &memory};
  if (bytes > FUZZ_INPUT_BYTES)
    return 0;
  memory.strict = true;
  memset(&s, 0, sizeof s);
  s.r = (reader){data, data + bytes};
  s.all_data = s.affordable = true;
  s.proto = choose(e, &s.r);
  if (!fits(s.proto))
    return 0;
  build(&s, &a);
  infer(e, &s);
  for (size_t i = 0; i < s.n_in; i++)
    weft_tensor_deinit(&s.in[i]);
  return 0;
}
// SPDX-License-Identifier: Apache-2.0
