// save_test.c - graphs as files: round trips, golden bytes, and files that must fail (R42, R188, R200,
// R243-R250). What a file is refused for besides: save_refused_test.c.
#include "check.h"
#include "ir/file.h"

typedef struct bytes {
  uint8_t v[1 << 16];
  size_t n;
} bytes;

static weft_status collect(void *ctx, const char *text, size_t n) {
  bytes *b = ctx;
  if (n > sizeof b->v - b->n)
    return WEFT_E_LIMIT;
  if (n)
    memcpy(b->v + b->n, text, n);
  b->n += n;
  return WEFT_OK;
}

static weft_env *new_env(check_alloc *c) {
  weft_env *e = NULL;
  weft_diag d = {0};
  weft_env_options o = {.package_path = ""};
  if (c)
    o.allocator = check_allocator(c);
  if (weft_env_create(&o, &e, &d))
    check_failed(__FILE__, __LINE__, "environment: %s", d.text);
  return e;
}

// x f32[N,4], constant c; y = Relu(Add(x, c)).
static weft_status make_tiny(weft_env *e, weft_graph **out, weft_diag *d) {
  weft_graph *g;
  weft_tensor t;
  weft_value *in[2];
  weft_value *y;
  WEFT_TRY(weft_graph_create(e, "tiny", &g, d));
  *out = g;
  weft_dim dims[] = {weft_dim_symbol(weft_graph_symbols(g), "N", 1, 1, 64), 4};
  if (!(in[0] = weft_graph_input(g, "x", WEFT_FLOAT, dims, 2, d)))
    return d->status;
  weft_tensor_init(&t, NULL);
  weft_status s = weft_tensor_parse("f32[4]{1,2,3,4}", 15, NULL, &t, NULL, d);
  if (!s)
    s = (in[1] = weft_graph_const(g, "c", &t, WEFT_CONST_COPY, d)) ? WEFT_OK : d->status;
  weft_tensor_deinit(&t);
  if (!s)
    s = weft_graph_op1(g, "Add", "add", in, 2, &y, d);
  if (!s)
    s = weft_graph_op1(g, "Relu", "relu", &y, 1, &y, d);
  return s ? s : weft_graph_output(g, y, d);
}

static weft_status add_const(weft_graph *g, const char *name, const char *text, weft_value **out,
                             weft_diag *d) {
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  weft_status s = weft_tensor_parse(text, strlen(text), NULL, &t, NULL, d);
  if (!s && !(*out = weft_graph_const(g, name, &t, WEFT_CONST_COPY, d)))
    s = d->status;
  weft_tensor_deinit(&t);
  return s;
}

static weft_status add_facts(weft_graph *g, weft_value *v, weft_value *known, weft_diag *d) {
  weft_symbols *p = weft_graph_symbols(g);
  weft_dim n = weft_dim_symbol(p, "N", 1, 1, 64);
  weft_dim m = weft_dim_symbol(p, "seq len", 7, 0, -1);
  weft_dim f = weft_dim_floordiv(p, weft_dim_add(p, n, 1), 2);
  weft_dim dims[] = {weft_dim_add(p, weft_dim_mul(p, f, m), n), weft_dim_max(p, weft_dim_add(p, m, 3), f),
                     -1};
  weft_dim min[] = {0, 3, 1};
  weft_dim max[] = {-1, 70, 64};
  weft_dim elems[] = {n, -5, WEFT_DIM_INVALID};
  weft_dim three = 3;
  weft_fact fact = {.dtype = WEFT_BF16,
                    .set = true,
                    .rank = 3,
                    .origin_format = WEFT_NCHW,
                    .format = WEFT_NHWC,
                    .dims = dims,
                    .min = min,
                    .max = max,
                    .item_dtype = WEFT_UNDEFINED};
  WEFT_TRY(weft__value_set_fact(v, &fact, d));
  weft_fact shape = {.dtype = WEFT_INT64,
                     .set = true,
                     .rank = 1,
                     .origin_format = WEFT_ND,
                     .format = WEFT_ND,
                     .dims = &three,
                     .elems = elems,
                     .n_elems = 3,
                     .item_dtype = WEFT_UNDEFINED};
  (void)known;
  return weft__value_set_fact(known, &shape, d);
}

static weft_status add_branches(weft_node *branch, weft_diag *d) {
  weft_graph *sub;
  for (uint32_t i = 0; i < 2; i++) {
    weft_value *y;
    WEFT_TRY(weft_node_add_graph(branch, i, i ? "else" : "then", &sub, d));
    weft_value *p = weft_graph_input(sub, "p", WEFT_FLOAT16, (weft_dim[]){-1, 2}, 2, d);
    weft_value *q = weft_graph_input(sub, "q", WEFT_FLOAT16, (weft_dim[]){-1, 2}, 2, d);
    if (!p || !q)
      return d->status;
    WEFT_TRY(weft_graph_op1(sub, i ? "Mul" : "Add", "op", (weft_value *[]){p, q}, 2, &y, d));
    WEFT_TRY(weft_graph_output(sub, y, d));
    WEFT_TRY(weft_graph_output(sub, p, d));
  }
  return WEFT_OK;
}

// Everything a file can hold: sub-graphs, all kinds of tensors and attributes, facts, control edges, origins,
// nodes in an order that is not topological.
static weft_status make_rich(weft_env *e, weft_graph **out, weft_diag *d) {
  weft_graph *g;
  weft_node *conv;
  weft_node *branch;
  weft_node *late;
  weft_node *add;
  weft_node *value;
  weft_value *c[8];
  weft_value *x;
  weft_value *cond;
  WEFT_TRY(weft_graph_create(e, "rich", &g, d));
  *out = g;
  weft_tensor_desc desc;
  weft_desc_init(&desc);
  desc.dtype = WEFT_FLOAT16;
  desc.format = WEFT_NC1HWC0 | 5u << 24;
  desc.origin_format = WEFT_NCHW;
  desc.has_range = 1;
  WEFT_TRY(weft_shape_init(&desc.layout.origin, (weft_dim[]){-1, 3, 8, 8}, 4));
  WEFT_TRY(weft_shape_init(&desc.layout.storage, (weft_dim[]){-1, 1, 8, 8, 16}, 5));
  WEFT_TRY(weft_shape_init(&desc.min, (weft_dim[]){1, 3, 8, 8}, 4));
  WEFT_TRY(weft_shape_init(&desc.max, (weft_dim[]){-1, 3, 8, 8}, 4));
  if (!(x = weft_graph_input_desc(g, "x", &desc, d)))
    return d->status;
  if (!(cond = weft_graph_input(g, "cond", WEFT_BOOL, NULL, WEFT_RANK_UNSET, d)))
    return d->status;
  WEFT_TRY(add_const(g, "w", "f16[2,3,1,1]{1,2,3,4,5,6}", &c[0], d));
  WEFT_TRY(add_const(g, "same as w", "f16[2,3,1,1]{1,2,3,4,5,6}", &c[1], d));
  WEFT_TRY(add_const(g, "text", "str[2]{\"a\",\"bcd\"}", &c[2], d));
  WEFT_TRY(add_const(g, "i4", "i4[3]{-1,2,7}", &c[3], d));
  WEFT_TRY(add_const(g, "seq", "seq(f32[2]{1,2},f32[0])", &c[4], d));
  WEFT_TRY(add_const(g, "empty", "i64[0,5]", &c[5], d));
  // `late` reads `add`, which is inserted after it
  WEFT_TRY(weft_graph_add_node(g, "Relu", &(weft_use){.name = "late"}, &late, d));
  WEFT_TRY(weft_graph_add(g, "Add", &(weft_use){.name = "add"}, (weft_value *[]){x, x}, 2, &add, d));
  WEFT_TRY(weft_node_connect(late, 0, weft_node_out(add, 0), d));
  weft_named_attr attrs[] = {{"strides", weft_attr_ints((int64_t[]){1, 1, 2, 2}, 4)},
                             {"pads", weft_attr_ints((int64_t[]){0, 0, 0, 0}, 4)},
                             {"_note", weft_attr_str("kept\0whole", 10)},
                             {"_scale", weft_attr_float(0.1f)},
                             {"_type", weft_attr_dtype(WEFT_UINT4)},
                             {"_names", weft_attr_strs((weft_str[]){{"p", 1}, {"", 0}}, 2)}};
  weft_use use = {.name = "conv", .attrs = attrs, .n_attrs = WEFT_COUNT(attrs)};
  WEFT_TRY(weft_graph_add(g, "Conv2D", &use, (weft_value *[]){x, c[0]}, 2, &conv, d));
  WEFT_TRY(weft_graph_add_control(g, late, conv, d));
  weft_tensor t;
  weft_tensor_init(&t, NULL);
  WEFT_TRY(weft_tensor_parse("i64[3]{7,8,9}", 13, NULL, &t, NULL, d));
  weft_named_attr tensor = {"value", weft_attr_tensor(&t)};
  weft_status s = weft_graph_add(g, "Const", &(weft_use){.name = "k", .attrs = &tensor, .n_attrs = 1}, NULL,
                                 0, &value, d);
  weft_tensor_deinit(&t);
  if (s)
    return s;
  uint32_t in_counts[] = {1, 2};
  uint32_t out_counts[] = {2};
  WEFT_TRY(weft_graph_add(g, "If",
                          &(weft_use){.name = "if", .in_counts = in_counts, .out_counts = out_counts},
                          (weft_value *[]){cond, x, weft_node_out(late, 0)}, 3, &branch, d));
  WEFT_TRY(add_branches(branch, d));
  weft_origin o = {"model.onnx", 4711, "Conv_0", "Conv", attrs, 2};
  WEFT_TRY(weft_node_set_origin(add, &o, d));
  WEFT_TRY(weft_node_set_origin(conv, &o, d));
  WEFT_TRY(add_facts(g, weft_node_out(conv, 0), weft_node_out(value, 0), d));
  WEFT_TRY(weft_value_declare(weft_node_out(branch, 1), &desc, d));
  WEFT_TRY(weft_graph_output(g, weft_node_out(branch, 0), d));
  WEFT_TRY(weft_graph_output(g, c[3], d));
  return weft_graph_output(g, weft_node_out(conv, 0), d);
}

typedef weft_status (*make_fn)(weft_env *e, weft_graph **out, weft_diag *d);

static bool save_made(weft_env *e, make_fn make, bytes *out) {
  weft_graph *g = NULL;
  weft_diag d = {0};
  out->n = 0;
  weft_status s = make(e, &g, &d);
  if (!s)
    s = weft_graph_save(g, collect, out, &d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s: %s", weft_status_name(s), d.text);
  weft_graph_destroy(g);
  return !s;
}

static bytes file, again;  // too large for the stack

static void round_trip(make_fn make) {
  weft_env *e = new_env(NULL);
  weft_env *other = new_env(NULL);
  weft_graph *g = NULL;
  weft_graph *h = NULL;
  weft_diag d = {0};
  file.n = again.n = 0;
  weft_status s = make(e, &g, &d);
  if (!s)
    s = weft_graph_save(g, collect, &file, &d);
  if (!s)
    s = weft_graph_load(other, file.v, file.n, &h, &d);
  if (!s)
    s = weft_graph_save(h, collect, &again, &d);
  if (!s)
    s = weft_graph_compare(g, h, WEFT_EQUAL_STRICT, &d);
  if (!s)
    s = weft_graph_compare(g, h, WEFT_EQUAL_SEMANTIC, &d);
  if (s)
    check_failed(__FILE__, __LINE__, "%s: %s", weft_status_name(s), d.text);
  CHECK_INT(again.n, file.n);
  CHECK(!memcmp(again.v, file.v, file.n));
  if (h && make == make_rich) {
    const weft_origin *o = weft_node_origin(weft_graph_find_node(h, "conv"));
    CHECK(o && o->offset == 4711 && o->n_attrs == 2 && !strcmp(o->name, "Conv_0"));
    const weft_attr *a = weft_node_attr(weft_graph_find_node(h, "conv"), "_note");
    CHECK(a && a->n == 10 && !memcmp(a->u.s, "kept\0whole", 10));
    CHECK_INT(weft_node_n_controls(weft_graph_find_node(h, "conv")), 1);
    CHECK(!weft_node_origin(weft_graph_find_node(h, "late")));
    weft_tensor_desc x;
    weft_value_desc(weft_graph_find_value(h, "x"), &x);
    CHECK_INT(x.layout.storage.dim[4], 16);
    CHECK_INT(x.format, WEFT_NC1HWC0 | 5u << 24);
  }
  weft_graph_destroy(g);
  weft_graph_destroy(h);
  weft_env_destroy(e);
  weft_env_destroy(other);
}

TEST(r248_round_trip_tiny) {
  round_trip(make_tiny);
}
TEST(r248_r243_r250_round_trip_rich) {
  round_trip(make_rich);
}

TEST(r246_golden_bytes) {
  static const uint8_t head[] = {'W', 'E', 'F', 'T', 'G', 'R', 'P', 'H', 1, 0, 0, 0, 7, 0, 0, 0};
  static const uint8_t strings[] = {12,  0,   0,   0,   0, 0, 0, 0, 4, 0,   0, 0,
                                    't', 'i', 'n', 'y', 0, 1, 0, 0, 0, 'x', 0};
  weft_env *e = new_env(NULL);
  if (save_made(e, make_tiny, &file)) {
    CHECK(!memcmp(file.v, head, sizeof head));
    CHECK_INT(file.v[16] | file.v[17] << 8, file.n);
    CHECK(!memcmp(file.v + 48, "STRS", 4));
    CHECK(!memcmp(file.v + 64 + 4, strings + 4, sizeof strings - 4));
    static const char *const tags[] = {"STRS", "ENUM", "SYMB", "PROT", "TENS", "GRPH", "FACT"};
    size_t at = 48;
    for (size_t i = 0; i < 7; i++) {
      size_t n = file.v[at + 8] | (size_t)file.v[at + 9] << 8;
      CHECK(!memcmp(file.v + at, tags[i], 4));
      CHECK_INT((at + 16) % 64, 0);  // data are aligned
      if (i == 4)
        CHECK(!memcmp(file.v + at + 16 + n - 64, "\0\0\x80\x3f\0\0\0\x40", 8));  // 1, 2 as f32
      at += (16 + n + 63) / 64 * 64;
    }
    CHECK_INT(at, file.n);
  }
  weft_env_destroy(e);
}

TEST(r244_every_prefix_fails) {
  weft_env *e = new_env(NULL);
  weft_graph *g;
  if (save_made(e, make_rich, &file)) {
    for (size_t n = 0; n < file.n; n++) {
      uint8_t *exact = malloc(n ? n : 1);  // so that reading past the end is seen
      memcpy(exact, file.v, n);
      weft_status s = weft_graph_load(e, exact, n, &g, NULL);
      if (s != WEFT_E_TRUNCATED)
        check_failed(__FILE__, __LINE__, "prefix %zu gave %s", n, weft_status_name(s));
      free(exact);
    }
  }
  weft_env_destroy(e);
}

TEST(every_flipped_byte_fails) {
  static const uint8_t flips[] = {0x01, 0x20, 0x80, 0xff};
  weft_env *e = new_env(NULL);
  weft_graph *g;
  if (save_made(e, make_rich, &file)) {
    for (size_t i = 0; i < file.n * 4; i++) {
      file.v[i / 4] ^= flips[i % 4];
      weft_status s = weft_graph_load(e, file.v, file.n, &g, NULL);
      if (!s)
        check_failed(__FILE__, __LINE__, "byte %zu ^ %02x was not noticed", i / 4, flips[i % 4]);
      if (!s)
        weft_graph_destroy(g);
      file.v[i / 4] ^= flips[i % 4];
    }
  }
  weft_env_destroy(e);
}

static uint64_t get(const uint8_t *p, int n) {
  return n ? p[0] | get(p + 1, n - 1) << 8 : 0;
}
static void set(uint8_t *p, uint64_t v, int n) {
  for (int i = 0; i < n; i++)
    p[i] = (uint8_t)(v >> (8 * i));
}

// The section's head; NULL when absent.
static uint8_t *find_section(bytes *b, const char *tag) {
  for (size_t at = 48; at + 16 <= b->n; at += (16 + (size_t)get(b->v + at + 8, 8) + 63) / 64 * 64) {
    if (!memcmp(b->v + at, tag, 4))
      return b->v + at;
  }
  return NULL;
}

static void reseal(uint8_t *head) {
  uint32_t crc = weft__crc32(head, 4, 0);
  set(head + 4, weft__crc32(head + 8, (size_t)get(head + 8, 8) + 8, crc), 4);
}

// Behind the checksums nothing may crash either, nor take memory out of proportion.
static void damage(make_fn make, const uint8_t *flips, size_t n_flips) {
  check_alloc c = {0};
  weft_env *e = new_env(&c);
  static const char *const tags[] = {"STRS", "ENUM", "SYMB", "PROT", "TENS", "GRPH", "FACT", "orig"};
  size_t loaded = 0;
  size_t failed = 0;
  bool made = save_made(e, make, &file);
  long blocks = c.live_blocks;
  for (size_t k = 0; made && k < WEFT_COUNT(tags); k++) {
    uint8_t *head = find_section(&file, tags[k]);
    if (!head)
      continue;
    size_t n = (size_t)get(head + 8, 8);
    for (size_t i = 0; i < n * n_flips; i++) {
      uint8_t *p = head + 16 + i / n_flips;
      uint8_t was = *p;
      weft_graph *g = NULL;
      weft_diag d = {0};
      *p ^= flips[i % n_flips];
      reseal(head);
      size_t before = c.live_bytes;
      c.peak_bytes = before;
      weft_status s = weft_graph_load(e, file.v, file.n, &g, &d);
      if (c.peak_bytes - before > 64 * file.n + (1 << 16)) {
        check_failed(__FILE__, __LINE__, "%s byte %zu: %zu bytes", tags[k], i / n_flips,
                     c.peak_bytes - before);
      }
      if (s)
        failed++;
      else
        loaded++;
      if (s && !d.length)
        check_failed(__FILE__, __LINE__, "%s without a message", weft_status_name(s));
      if (!s) {
        again.n = 0;
        weft_status t = weft_graph_save(g, collect, &again, &d);
        if (t)
          check_failed(__FILE__, __LINE__, "loaded but not saved: %s", d.text);
        weft_graph_destroy(g);
      }
      *p = was;
    }
    reseal(head);
  }
  CHECK(loaded > 0 && failed > 0);
  if (c.live_blocks < blocks)
    check_failed(__FILE__, __LINE__, "%ld blocks, before %ld", c.live_blocks, blocks);
  weft_env_destroy(e);
  CHECK_INT(c.live_blocks, 0);
}

TEST(damage_behind_the_checksums) {
  damage(make_rich, (const uint8_t[]){0x01, 0x80, 0xff}, 3);
  damage(make_tiny, (const uint8_t[]){0x02, 0x10, 0x7f}, 3);
}

// Expects a status and a part of the message, and that nothing is left.
static void expect(weft_env *e, weft_status status, const char *part) {
  weft_graph *g = NULL;
  weft_diag d = {0};
  weft_status s = weft_graph_load(e, file.v, file.n, &g, &d);
  if (s != status) {
    check_failed(__FILE__, __LINE__, "%s, expected %s: %s", weft_status_name(s), weft_status_name(status),
                 d.text);
  }
  if (part)
    CHECK_HAS(d.text, part);
  CHECK(!s || !g);
  weft_graph_destroy(g);
}

TEST(r242_versions_and_sections) {
  weft_env *e = new_env(NULL);
  if (save_made(e, make_tiny, &file)) {
    set(file.v + 8, 99, 4);
    expect(e, WEFT_E_VERSION, "version 99, this library reads version 1");
    set(file.v + 8, 0, 4);
    expect(e, WEFT_E_VERSION, "version 0");
    set(file.v + 8, 1, 4);
    file.v[0] = 'X';
    expect(e, WEFT_E_CORRUPT, "WEFTGRPH");
    file.v[0] = 'W';
    file.n++;  // R247
    expect(e, WEFT_E_CORRUPT, "1 bytes follow its end");
    file.n--;
    // one more section, which nobody knows: refused, or skipped when its tag says so
    uint8_t *extra = file.v + file.n;
    memset(extra, 0, 64);
    memcpy(extra, "XTRA", 4);
    set(extra + 8, 5, 8);
    reseal(extra);
    file.n += 64;
    set(file.v + 12, 8, 4);
    set(file.v + 16, file.n, 8);
    expect(e, WEFT_E_VERSION, "section 'XTRA' at byte");
    extra[0] = 'x';
    reseal(extra);
    expect(e, WEFT_OK, NULL);
    extra[20] ^= 1;
    expect(e, WEFT_E_CORRUPT, "checksum");
    memcpy(extra, "FACT", 4);
    extra[20] ^= 1;
    reseal(extra);
    expect(e, WEFT_E_CORRUPT, "appears twice");
  }
  if (save_made(e, make_tiny, &file)) {
    memcpy(find_section(&file, "FACT"), "fact", 4);
    reseal(find_section(&file, "fact"));
    expect(e, WEFT_E_CORRUPT, "section 'FACT' is missing");
  }
  weft_env_destroy(e);
}

static weft_status make_uint4(weft_env *e, weft_graph **out, weft_diag *d) {
  WEFT_TRY(weft_graph_create(e, "g", out, d));
  weft_value *x = weft_graph_input(*out, "x", WEFT_UINT4, NULL, 0, d);
  return x ? weft_graph_output(*out, x, d) : d->status;
}

TEST(r188_r249_dtype_numbers) {
  weft_env *e = new_env(NULL);
  weft_graph *g = NULL;
  weft_diag d = {0};
  if (save_made(e, make_uint4, &file)) {
    uint8_t *enums = find_section(&file, "ENUM");
    uint8_t *facts = find_section(&file, "FACT");
    CHECK_INT(get(facts + 16 + 12, 4), WEFT_UINT4);
    uint8_t *entry = enums + 24;  // { number, string }
    while (get(entry, 4) != WEFT_UINT4)
      entry += 8;
    set(facts + 16 + 12, 77, 4);  // a number without an entry
    reseal(facts);
    expect(e, WEFT_E_DTYPE, "section 'FACT', byte");
    expect(e, WEFT_E_DTYPE, "dtype 77 is unsupported");
    set(entry, 77, 4);  // the table says what 77 was where the file was made
    reseal(enums);
    CHECK_INT(weft_graph_load(e, file.v, file.n, &g, &d), WEFT_OK);
    if (g)
      CHECK_INT(weft_value_dtype(weft_graph_input_at(g, 0)), WEFT_UINT4);
    weft_graph_destroy(g);
    char *name = NULL;
    for (size_t i = 0; i + 8 < file.n && !name; i++) {
      if (!memcmp(file.v + i, "DT_UINT4", 8))
        name = (char *)file.v + i;
    }
    CHECK(name != NULL);
    if (name)
      name[7] = '9';
    reseal(find_section(&file, "STRS"));
    expect(e, WEFT_E_DTYPE, "dtype 'DT_UINT9' (77) is unsupported here");
  }
  weft_env_destroy(e);
}

TEST(r215_cycle_in_a_file) {
  weft_env *e = new_env(NULL);
  if (save_made(e, make_tiny, &file)) {
    uint8_t *graph = find_section(&file, "GRPH");
    // values: x 0, c 1, add 2, relu 3; the add reads 0 and 1 (in this order, side by side): let it read relu
    size_t n = (size_t)get(graph + 8, 8);
    size_t hits = 0;
    for (size_t i = n + 8; i-- > 24;) {
      if (get(graph + i, 4) == 0 && get(graph + i + 4, 4) == 1 && get(graph + i + 8, 4) == 0 && !hits++) {
        set(graph + i, 3, 4);
        reseal(graph);
        expect(e, WEFT_E_CYCLE, "cycle");
        set(graph + i, 0, 4);
        set(graph + i + 4, 4, 4);
        reseal(graph);
        expect(e, WEFT_E_CORRUPT, "value 4, the graph has 4");
      }
    }
    CHECK(hits > 0);
  }
  weft_env_destroy(e);
}

static weft_status refuse(void *ctx, const char *text, size_t n) {
  (void)ctx;
  (void)text;
  (void)n;
  return WEFT_E_IO;
}

TEST(a_writer_that_fails) {
  weft_env *e = new_env(NULL);
  weft_graph *g = NULL;
  weft_diag d = {0};
  CHECK_OK(make_tiny(e, &g, &d), &d);
  CHECK_FAILS(weft_graph_save(g, refuse, NULL, &d), WEFT_E_IO);
  weft_graph_destroy(g);
  weft_env_destroy(e);
}

TEST(every_allocation_failed_once) {
  check_alloc c = {0};
  weft_env *e = new_env(&c);
  weft_graph *g = NULL;
  weft_graph *h = NULL;
  weft_diag d = {0};
  CHECK_OK(make_rich(e, &g, &d), &d);
  bool done = false;
  for (long i = 1; !done && i < 10000; i++) {
    file.n = 0;
    c.fail_at = c.calls + i;
    weft_status s = weft_graph_save(g, collect, &file, NULL);
    done = c.calls < c.fail_at;
    c.fail_at = 0;
    if (done)
      CHECK_INT(s, WEFT_OK);
    else if (s != WEFT_E_NOMEM)
      check_failed(__FILE__, __LINE__, "save, allocation %ld: %s", i, weft_status_name(s));
  }
  CHECK(done);
  weft_graph_destroy(g);
  long blocks = c.live_blocks;
  done = false;
  for (long i = 1; !done && i < 10000; i++) {
    c.fail_at = c.calls + i;
    weft_status s = weft_graph_load(e, file.v, file.n, &h, &d);
    done = c.calls < c.fail_at;
    c.fail_at = 0;
    if (done)
      CHECK_INT(s, WEFT_OK);
    else if (s != WEFT_E_NOMEM)
      check_failed(__FILE__, __LINE__, "load, allocation %ld: %s", i, weft_status_name(s));
    if (!s)
      weft_graph_destroy(h);
    if (c.live_blocks > blocks)
      check_failed(__FILE__, __LINE__, "load, allocation %ld: blocks leak", i);
  }
  CHECK(done);
  weft_env_destroy(e);
  CHECK_INT(c.live_blocks, 0);
}
// SPDX-License-Identifier: Apache-2.0
