// load.c - reads a file made by weft_graph_save: sections and tables. load_graph.c makes the graph from them.
// The file is not trusted: every length, index, count and checksum is checked before use, memory is bounded
// by the size of the file (a string longer than WEFT__FILE_SHARED_STRING and a tensor of an attribute can be
// used once only, counts must have their items behind them), and depth is bounded. What is wrong with the
// file as a whole is E_TRUNCATED, E_VERSION or E_CORRUPT; messages name section and byte.
#include "base/told.h"
#include "ir/file.h"

// ---- reading ----

weft_status weft__reader_fail(weft__reader *r, weft_status s, const char *fmt, ...) {
  char text[512];
  va_list ap;
  WEFT_TRY(r->status);
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  r->status = weft_fail(r->d, s, "graph file, section '%s', byte %zu: %s", r->tag, r->offset + r->at, text);
  return r->status;
}

weft_status weft__reader_note(const weft__reader *r, weft_status s) {
  weft_note(r->d, "in a graph file, section '%s', before byte %zu", r->tag, r->offset + r->at);
  return s;
}

static uint64_t read_le(const uint8_t *p, size_t bytes) {
  uint64_t v = 0;
  for (size_t i = 0; i < bytes; i++)
    v |= (uint64_t)p[i] << (8 * i);
  return v;
}

static uint64_t load_read(weft__reader *r, size_t bytes) {
  if (r->status)
    return 0;
  if (bytes > r->bytes - r->at) {
    weft__reader_fail(r, WEFT_E_CORRUPT, "%zu bytes are expected, %zu are left", bytes, r->bytes - r->at);
    return 0;
  }
  r->at += bytes;
  return read_le(r->v + r->at - bytes, bytes);
}
uint32_t weft__read_u32(weft__reader *r) {
  return (uint32_t)load_read(r, 4);
}
uint64_t weft__read_u64(weft__reader *r) {
  return load_read(r, 8);
}

uint32_t weft__read_count(weft__reader *r, size_t item_bytes, const char *what) {
  uint32_t n = weft__read_u32(r);
  if (r->status || n <= (r->bytes - r->at) / item_bytes)
    return n;
  weft__reader_fail(r, WEFT_E_CORRUPT, "%u %s do not fit into the %zu bytes that are left", n, what,
                    r->bytes - r->at);
  return 0;
}

static weft_status load_no_memory(weft__loader *l) {
  return weft_fail(l->d, WEFT_E_NOMEM, "graph file: out of memory");
}
// WEFT_TRY(load_allocated(p, ..)): unless everything that was asked for is there, no_memory.
static weft_status load_allocated(bool all, weft__loader *l) {
  return all ? WEFT_OK : load_no_memory(l);
}

// ---- the file ----

static bool all_zero(const uint8_t *p, size_t bytes) {
  while (bytes && !*p) {
    p++;
    bytes--;
  }
  return !bytes;
}

static weft_status read_head(weft__loader *l, const uint8_t *p, size_t bytes, uint32_t *out_sections) {
  size_t magic = WEFT_MIN(bytes, 8);
  if (memcmp(p, WEFT__FILE_MAGIC, magic))
    return weft_fail(l->d, WEFT_E_CORRUPT, "not a graph file: it does not start with WEFTGRPH");
  if (bytes < WEFT__FILE_HEAD_BYTES) {
    return weft_fail(l->d, WEFT_E_TRUNCATED, "graph file: the head has %d bytes, the file has %zu",
                     WEFT__FILE_HEAD_BYTES, bytes);
  }
  uint32_t version = (uint32_t)read_le(p + 8, 4);
  if (version != WEFT__FILE_VERSION) {
    return weft_fail(l->d, WEFT_E_VERSION, "graph file: version %u, this library reads version %d", version,
                     WEFT__FILE_VERSION);
  }
  uint64_t total = read_le(p + 16, 8);
  if (total > bytes) {
    return weft_fail(l->d, WEFT_E_TRUNCATED, "graph file: expected %llu bytes, got %zu",
                     (unsigned long long)total, bytes);
  }
  if (total < bytes) {
    return weft_fail(l->d, WEFT_E_CORRUPT, "graph file: %llu bytes follow its end",
                     (unsigned long long)(bytes - total));
  }
  *out_sections = (uint32_t)read_le(p + 12, 4);
  if (*out_sections > WEFT__FILE_SECTIONS_MAX || !all_zero(p + 24, 24)) {
    return weft_fail(l->d, WEFT_E_CORRUPT, "graph file: the head says %u sections, at most %d, or is damaged",
                     *out_sections, WEFT__FILE_SECTIONS_MAX);
  }
  return WEFT_OK;
}

// A tag as text; bytes that do not print become '?'.
static void tag_text(const uint8_t *p, char out[5]) {
  for (int i = 0; i < 4; i++)
    out[i] = p[i] > 32 && p[i] < 127 ? (char)p[i] : '?';
  out[4] = 0;
}

static weft_status take_section(weft__loader *l, const uint8_t *p, size_t at, uint64_t bytes) {
  char tag[5];
  size_t k = 0;
  tag_text(p, tag);
  while (k < WEFT__FILE_N_SECTIONS && memcmp(p, weft__file_tag(k), 4))
    k++;
  if (k == WEFT__FILE_N_SECTIONS && (p[0] & WEFT__FILE_OPTIONAL))
    return WEFT_OK;
  if (k == WEFT__FILE_N_SECTIONS) {
    return weft_fail(l->d, WEFT_E_VERSION,
                     "graph file: section '%s' at byte %zu is not known and not optional", tag, at);
  }
  weft__reader *r = &l->section[k];
  if (r->v)
    return weft_fail(l->d, WEFT_E_CORRUPT, "graph file: section '%s' at byte %zu appears twice", tag, at);
  *r = (weft__reader){.v = p + WEFT__FILE_SECTION_BYTES,
                      .bytes = (size_t)bytes,
                      .offset = at + WEFT__FILE_SECTION_BYTES,
                      .tag = weft__file_tag(k),
                      .d = l->d};
  r->count = weft__read_u32(r);
  if (weft__read_u32(r))
    weft__reader_fail(r, WEFT_E_CORRUPT, "the section's reserved bytes are not zero");
  return r->status;
}

static weft_status read_sections(weft__loader *l, const uint8_t *p, size_t bytes, uint32_t n) {
  size_t at = WEFT__FILE_HEAD_BYTES;
  for (uint32_t i = 0; i < n; i++) {
    if (bytes - at < WEFT__FILE_SECTION_BYTES)
      return weft_fail(l->d, WEFT_E_TRUNCATED, "graph file, byte %zu: section %u of %u is missing", at, i, n);
    char tag[5];
    uint32_t crc = weft__crc32(p + at, 4, 0);
    uint64_t size = read_le(p + at + 8, 8);
    uint64_t room = bytes - at - WEFT__FILE_SECTION_BYTES;
    tag_text(p + at, tag);
    if (size > room) {
      return weft_fail(l->d, WEFT_E_TRUNCATED,
                       "graph file, section '%s' at byte %zu: has %llu bytes, %llu are left", tag, at,
                       (unsigned long long)size, (unsigned long long)room);
    }
    size_t end = at + WEFT__FILE_SECTION_BYTES + (size_t)size;
    size_t padded =
        end + (WEFT__FILE_ALIGN + WEFT__FILE_HEAD_BYTES - end % WEFT__FILE_ALIGN) % WEFT__FILE_ALIGN;
    crc = weft__crc32(p + at + 8, (size_t)size + 8, crc);
    if (crc != (uint32_t)read_le(p + at + 4, 4)) {
      return weft_fail(l->d, WEFT_E_CORRUPT,
                       "graph file, section '%s' at byte %zu: checksum %08x, expected %08x", tag, at, crc,
                       (uint32_t)read_le(p + at + 4, 4));
    }
    if (padded > bytes || !all_zero(p + end, padded - end)) {
      return weft_fail(l->d, padded > bytes ? WEFT_E_TRUNCATED : WEFT_E_CORRUPT,
                       "graph file, section '%s' at byte %zu: its end is not filled with zeros", tag, at);
    }
    WEFT_TRY(take_section(l, p + at, at, size));
    at = padded;
  }
  if (at != bytes)
    return weft_fail(l->d, WEFT_E_CORRUPT, "graph file: %zu bytes follow the last section", bytes - at);
  for (size_t k = 0; k < WEFT__FILE_N_SECTIONS; k++) {
    if (!l->section[k].v && !(weft__file_tag(k)[0] & WEFT__FILE_OPTIONAL))
      return weft_fail(l->d, WEFT_E_CORRUPT, "graph file: section '%s' is missing", weft__file_tag(k));
  }
  return WEFT_OK;
}

weft_status weft__reader_check_count(weft__reader *r, size_t item_bytes, const char *what) {
  if (r->count <= (r->bytes - r->at) / item_bytes)
    return WEFT_OK;
  return weft__reader_fail(r, WEFT_E_CORRUPT, "%u %s do not fit into %zu bytes", r->count, what,
                           r->bytes - r->at);
}

static weft_status check_end(weft__reader *r) {
  if (!r->status && r->at != r->bytes)
    weft__reader_fail(r, WEFT_E_CORRUPT, "%zu bytes are left over", r->bytes - r->at);
  return r->status;
}

// ---- strings ----

static weft_status load_strings(weft__loader *l) {
  weft__reader *r = &l->section[WEFT__FILE_STRINGS];
  WEFT_TRY(weft__reader_check_count(r, 5, "strings"));
  l->strings = WEFT_NEW_N(&l->scratch, weft__file_string, (size_t)r->count + 1);
  WEFT_TRY(load_allocated(l->strings, l));
  for (; l->n_strings < r->count; l->n_strings++) {
    uint32_t n = weft__read_count(r, 1, "bytes of text");
    WEFT_TRY(r->status);
    const char *text = (const char *)r->v + r->at;
    if (n == r->bytes - r->at || text[n])
      return weft__reader_fail(r, WEFT_E_CORRUPT, "a string of %u bytes does not end in a zero", n);
    l->strings[l->n_strings] = (weft__file_string){text, n, false};
    r->at += (size_t)n + 1;
  }
  return check_end(r);
}

const weft__file_string *weft__load_string(weft__loader *l, weft__reader *r) {
  uint32_t i = weft__read_u32(r);
  if (r->status || i == WEFT__FILE_NONE)
    return NULL;
  if (i >= l->n_strings) {
    weft__reader_fail(r, WEFT_E_CORRUPT, "string %u, the file has %u", i, l->n_strings);
    return NULL;
  }
  weft__file_string *s = &l->strings[i];
  if (s->used && s->bytes > WEFT__FILE_SHARED_STRING) {
    weft__reader_fail(r, WEFT_E_CORRUPT, "string %u of %u bytes is used twice", i, s->bytes);
    return NULL;
  }
  s->used = true;
  return s;
}

const char *weft__load_name(weft__loader *l, weft__reader *r) {
  const weft__file_string *s = weft__load_string(l, r);
  if (!r->status && (!s || strlen(s->text) != s->bytes))
    weft__reader_fail(r, WEFT_E_CORRUPT, s ? "a name has a zero inside" : "a name is missing");
  return r->status ? "" : s->text;
}

// ---- dtypes and formats: the name decides, so that numbers may drift (R249) ----

static int find_dtype(const char *name) {
#define WEFT_X(id, number, bits, serial, text) \
  if (!strcmp(name, serial))                   \
    return number;
  WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
  return -1;
}

static int find_format(const char *name) {
#define WEFT_X(id, number, serial) \
  if (!strcmp(name, serial))       \
    return number;
  WEFT_FORMAT_LIST(WEFT_X)
#undef WEFT_X
  return -1;
}

static weft_status load_names(weft__loader *l, weft__reader *r, uint32_t n, bool dtypes) {
  int16_t *table = dtypes ? l->dtypes : l->formats;
  const char *what = dtypes ? "dtype" : "format";
  for (uint32_t i = 0; i < n; i++) {
    uint32_t number = weft__read_u32(r);
    const char *name = weft__load_name(l, r);
    WEFT_TRY(r->status);
    if (number > 255 || table[number] >= 0) {
      return weft__reader_fail(r, WEFT_E_CORRUPT,
                               "%s '%.64s' has number %u, which is over 255 or used already", what, name,
                               number);
    }
    int ours = dtypes ? find_dtype(name) : find_format(name);
    if (ours < 0) {
      return weft__reader_fail(r, dtypes ? WEFT_E_DTYPE : WEFT_E_FORMAT,
                               "%s '%.64s' (%u) is unsupported here", what, name, number);
    }
    table[number] = (int16_t)ours;
  }
  return WEFT_OK;
}

static weft_status load_enums(weft__loader *l) {
  weft__reader *r = &l->section[WEFT__FILE_ENUMS];
  for (size_t i = 0; i < 256; i++)
    l->dtypes[i] = l->formats[i] = -1;
  WEFT_TRY(weft__reader_check_count(r, 8, "dtypes"));
  WEFT_TRY(load_names(l, r, r->count, true));
  uint32_t n = weft__read_count(r, 8, "formats");
  WEFT_TRY(load_names(l, r, n, false));
  return check_end(r);
}

weft_dtype weft__load_dtype(weft__loader *l, weft__reader *r) {
  uint32_t v = weft__read_u32(r);
  if (r->status)
    return WEFT_UNDEFINED;
  if (v < 256 && l->dtypes[v] >= 0)
    return (weft_dtype)l->dtypes[v];
  weft__reader_fail(r, WEFT_E_DTYPE, "dtype %u is unsupported: it is not in the file's table", v);
  return WEFT_UNDEFINED;
}

weft_format weft__load_format(weft__loader *l, weft__reader *r) {
  uint32_t v = weft__read_u32(r);
  if (r->status)
    return WEFT_ND;
  if (l->formats[v & 255] >= 0)
    return (v & ~UINT32_C(255)) | (weft_format)l->formats[v & 255];
  weft__reader_fail(r, WEFT_E_FORMAT, "format %u (word 0x%x) is unsupported: it is not in the file's table",
                    v & 255, v);
  return WEFT_ND;
}

// ---- symbols ----

typedef struct symbol_entry {
  weft__file_string text;
  bool is_name;
  int64_t min, max;
  weft_dim dim;
} symbol_entry;

static weft_status read_entry(weft__loader *l, weft__reader *r, symbol_entry *e) {
  uint32_t kind = weft__read_u32(r);
  const weft__file_string *s = weft__load_string(l, r);
  e->is_name = kind == WEFT__FILE_ENTRY_NAME;
  e->max = -1;
  if (e->is_name) {
    e->min = weft__read_i64(r);
    e->max = weft__read_i64(r);
  }
  WEFT_TRY(r->status);
  if (kind > WEFT__FILE_ENTRY_TEXT || !s || !s->bytes || (e->is_name && s->bytes > WEFT__SYMBOL_NAME)) {
    return weft__reader_fail(r, WEFT_E_CORRUPT,
                             "a symbol of kind %u without a name, or with one that is too long", kind);
  }
  if (e->min < 0 || e->max < -1 || (e->max >= 0 && e->max < e->min)) {
    return weft__reader_fail(r, WEFT_E_CORRUPT, "symbol '%.64s' lies between %lld and %lld", s->text,
                             (long long)e->min, (long long)e->max);
  }
  e->text = *s;
  return WEFT_OK;
}

static bool prints_as(const weft_symbols *p, const symbol_entry *e) {
  char buf[512];
  if (e->text.bytes + 16 > sizeof buf)
    return true;  // not looked at
  weft_dim_text(p, e->dim, buf, sizeof buf);
  return strlen(buf) == e->text.bytes && !memcmp(buf, e->text.text, e->text.bytes);
}

// Makes all symbols in the graph's pool. Bounds may simplify an expression that was made before they were
// known; then *out_same is false.
static weft_status make_symbols(weft__loader *l, weft__reader *r, symbol_entry *e, size_t n, bool bounds,
                                bool *out_same) {
  weft_symbols *p = l->graph->root->symbols;
  *out_same = true;
  for (size_t i = 0; i < n; i++) {
    const weft__file_string *t = &e[i].text;
    if (e[i].is_name) {
      e[i].dim = weft_dim_symbol(p, t->text, t->bytes, bounds ? e[i].min : 0, bounds ? e[i].max : -1);
    } else {
      weft_status s = weft_dim_parse(p, t->text, t->bytes, &e[i].dim, l->d);
      if (s)
        return weft__reader_note(r, s);
    }
    if (e[i].dim == WEFT_DIM_UNKNOWN) {
      return weft_fail(l->d, WEFT_E_NOMEM,
                       "graph file: dim '%.64s' cannot be kept: out of memory or over a limit", t->text);
    }
    *out_same &= e[i].is_name || prints_as(p, &e[i]);
  }
  return WEFT_OK;
}

static weft_status load_symbols(weft__loader *l) {
  weft__reader *r = &l->section[WEFT__FILE_SYMBOLS];
  weft_root *root = l->graph->root;
  bool same;
  WEFT_TRY(weft__reader_check_count(r, 8, "symbols"));
  uint32_t n = r->count;
  symbol_entry *e = WEFT_NEW_N(&l->scratch, symbol_entry, (size_t)n + 1);
  WEFT_TRY(load_allocated(e, l));
  for (uint32_t i = 0; i < n; i++)
    WEFT_TRY(read_entry(l, r, &e[i]));
  uint32_t n_dims = weft__read_count(r, 4, "dims");
  l->dims = WEFT_NEW_N(&l->scratch, weft_dim, (size_t)n_dims + 1);
  WEFT_TRY(load_allocated(l->dims, l));
  WEFT_TRY(make_symbols(l, r, e, n, true, &same));
  if (!same) {  // again, bounds last: every expression as it was, with looser bounds
    weft_symbols *fresh;
    if (weft_symbols_create(&root->alloc, &fresh))
      return load_no_memory(l);
    weft_symbols_destroy(root->symbols);
    root->symbols = fresh;
    WEFT_TRY(make_symbols(l, r, e, n, false, &same));
    for (uint32_t i = 0; i < n; i++) {
      if (e[i].is_name)
        (void)weft_dim_symbol(fresh, e[i].text.text, e[i].text.bytes, e[i].min, e[i].max);
    }
  }
  for (; l->n_dims < n_dims; l->n_dims++) {
    uint32_t i = weft__read_u32(r);
    WEFT_TRY(r->status);
    if (i >= n)
      return weft__reader_fail(r, WEFT_E_CORRUPT, "symbol %u, the file has %u", i, n);
    l->dims[l->n_dims] = e[i].dim;
  }
  return check_end(r);
}

weft_dim weft__load_dim(weft__loader *l, weft__reader *r) {
  int64_t v = weft__read_i64(r);
  if (v >= WEFT_DIM_SYMBOL_LIMIT || v == WEFT_DIM_INVALID || r->status)
    return v;
  uint64_t i = (uint64_t)(WEFT_DIM_SYMBOL_LIMIT - 1) - (uint64_t)v;
  if (i < l->n_dims)
    return l->dims[i];
  weft__reader_fail(r, WEFT_E_CORRUPT, "symbolic dim %llu, the file has %u", (unsigned long long)i,
                    l->n_dims);
  return 0;
}

void weft__load_shape(weft__loader *l, weft__reader *r, weft_shape *out) {
  uint32_t rank = weft__read_u32(r);
  weft_shape_set_scalar(out);
  if (rank == WEFT__FILE_RANK_UNSET)
    out->rank = WEFT_RANK_UNSET;
  else if (rank == WEFT__FILE_RANK_UNKNOWN)
    weft_shape_set_unknown_rank(out);
  else if (rank > WEFT_MAX_RANK)
    weft__reader_fail(r, WEFT_E_CORRUPT, "rank %u is over the limit of %d", rank, WEFT_MAX_RANK);
  else
    out->rank = rank;
  for (uint32_t i = 0; i < rank && rank <= WEFT_MAX_RANK; i++) {
    weft_dim d = weft__load_dim(l, r);
    if (d < WEFT_DIM_UNKNOWN && !weft_dim_is_symbol(d)) {
      weft__reader_fail(r, WEFT_E_CORRUPT, "dim %u is %lld: expected a size, -1 or a symbol", i,
                        (long long)d);
    }
    out->dim[i] = r->status ? 0 : d;
  }
}

// ---- prototypes ----

static weft_status same_names(weft__loader *l, weft__reader *r, const char *op, const char *what, uint32_t i,
                              const char *ours, uint32_t our_kind) {
  const char *name = weft__load_name(l, r);
  uint32_t kind = weft__read_u32(r);
  if (!r->status && ours && (strcmp(name, ours) || kind != our_kind)) {
    weft__reader_fail(r, WEFT_E_VERSION,
                      "operator '%.64s': %s %u is '%.64s' (kind %u) in the file, '%.64s' (kind %u) here", op,
                      what, i, name, kind, ours, our_kind);
  }
  return r->status;
}

static weft_status extra_parts(weft__reader *r, const weft__file_proto *f) {
  const weft_proto *p = f->p;
  for (uint32_t i = f->n_in; i < p->n_in; i++) {
    if (p->in[i].kind == WEFT_REQUIRED || (p->in[i].kind == WEFT_DYNAMIC && p->in[i].min_count)) {
      return weft__reader_fail(r, WEFT_E_VERSION,
                               "operator '%.64s': input '%.64s' is required here, the file lacks it", p->name,
                               p->in[i].name);
    }
  }
  for (uint32_t i = f->n_attr; i < p->n_attr; i++) {
    if (!p->defaults[i]) {
      return weft__reader_fail(r, WEFT_E_VERSION,
                               "operator '%.64s': attribute '%.64s' is required here, the file lacks it",
                               p->name, p->attrs[i].name);
    }
  }
  return WEFT_OK;
}

// What stood in the prototype when the graph was saved must stand there still; more inputs and attributes may
// follow.
static weft_status load_proto(weft__loader *l, weft__reader *r, weft__file_proto *f) {
  const char *name = weft__load_name(l, r);
  uint32_t version = weft__read_u32(r);
  uint32_t n_graphs;
  f->n_in = weft__read_u32(r);
  f->n_out = weft__read_u32(r);
  f->n_attr = weft__read_u32(r);
  n_graphs = weft__read_u32(r);
  WEFT_TRY(r->status);
  weft_status s = weft_get(l->env, name, &f->p, l->d);
  if (s)
    return weft__reader_note(r, s);
  const weft_proto *p = f->p;
  if (version != p->op->version) {
    return weft__reader_fail(r, WEFT_E_VERSION, "operator '%.64s': version %u in the file, version %u here",
                             name, version, p->op->version);
  }
  if (f->n_in > p->n_in || f->n_out != p->n_out || f->n_attr > p->n_attr || n_graphs != p->n_graphs) {
    return weft__reader_fail(
        r, WEFT_E_VERSION,
        "operator '%.64s': %u inputs, %u outputs, %u attributes, %u sub-graphs in the file; "
        "%u, %u, %u, %u here",
        name, f->n_in, f->n_out, f->n_attr, n_graphs, p->n_in, p->n_out, p->n_attr, p->n_graphs);
  }
  for (uint32_t i = 0; i < f->n_in; i++)
    WEFT_TRY(same_names(l, r, name, "input", i, p->in[i].name, p->in[i].kind));
  for (uint32_t i = 0; i < f->n_out; i++)
    WEFT_TRY(same_names(l, r, name, "output", i, p->out[i].name, p->out[i].kind));
  for (uint32_t i = 0; i < f->n_attr; i++)
    WEFT_TRY(same_names(l, r, name, "attribute", i, p->attrs[i].name, p->attr_types[i]));
  for (uint32_t i = 0; i < n_graphs; i++) {
    const char *slot = weft__load_name(l, r);
    if (!r->status && strcmp(slot, p->op->graphs[i])) {
      weft__reader_fail(r, WEFT_E_VERSION,
                        "operator '%.64s': sub-graph %u is '%.64s' in the file, '%.64s' here", name, i, slot,
                        p->op->graphs[i]);
    }
  }
  return r->status ? r->status : extra_parts(r, f);
}

static weft_status load_protos(weft__loader *l) {
  weft__reader *r = &l->section[WEFT__FILE_PROTOS];
  WEFT_TRY(weft__reader_check_count(r, 24, "prototypes"));
  l->protos = WEFT_NEW_N(&l->scratch, weft__file_proto, (size_t)r->count + 1);
  WEFT_TRY(load_allocated(l->protos, l));
  for (; l->n_protos < r->count; l->n_protos++)
    WEFT_TRY(load_proto(l, r, &l->protos[l->n_protos]));
  return check_end(r);
}

// ---- all of it ----

static weft_status load(weft__loader *l, const uint8_t *p, size_t bytes) {
  static const uint16_t one = 1;
  uint32_t n_sections;
  if (!*(const uint8_t *)&one)
    return weft_fail(l->d, WEFT_E_UNSUPPORTED, "graph file: cannot be read on a big-endian machine");
  if (!bytes)
    return weft_fail(l->d, WEFT_E_TRUNCATED, "graph file: it is empty");
  WEFT_TRY(read_head(l, p, bytes, &n_sections));
  WEFT_TRY(read_sections(l, p, bytes, n_sections));
  WEFT_TRY(load_strings(l));
  WEFT_TRY(load_enums(l));
  WEFT_TRY(load_symbols(l));
  WEFT_TRY(load_protos(l));
  WEFT_TRY(weft__load_tensors(l));
  WEFT_TRY(weft__load_graph(l));
  for (size_t k = WEFT__FILE_GRAPH; k < WEFT__FILE_N_SECTIONS; k++) {
    if (l->section[k].v)
      WEFT_TRY(check_end(&l->section[k]));
  }
  return WEFT_OK;
}

weft_status weft__graph_load_borrow(weft_env *e, const weft__graph_bytes *from, weft__weight_list *out_list,
                                    weft_graph **out, weft_diag *d) {
  weft_diag own = {0};  // functions that return NULL say why here
  weft__loader l = {
      .env = e, .d = &own, .weights = from->weights, .weights_bytes = from->weights_bytes, .apart = out_list};
  *out = NULL;
  WEFT_TRY(weft_graph_create(e, NULL, &l.graph, d));  // it has what the file is read with counted
  weft__budget *budget = &l.graph->root->budget;
  weft__allowance before = weft__budget_begin(budget, NULL, &e->limits);
  weft__arena_init(&l.scratch, &l.graph->root->alloc);
  weft_status s = load(&l, from->data, from->bytes);
  WEFT_VEC_FREE(&l.scratch.alloc, l.nodes);
  WEFT_VEC_FREE(&l.scratch.alloc, l.graphs);
  weft__arena_deinit(&l.scratch);
  s = weft__graph_budget_end(l.graph, &before, s, &own);
  if (!s)
    return *out = l.graph, WEFT_OK;
  weft_graph_destroy(l.graph);
  return weft_fail(d, s, "%s", own.text);
}

weft_status weft_graph_load(weft_env *e, const void *data, size_t bytes, weft_graph **out, weft_diag *d) {
  WEFT_NEED(d, out);
  *out = NULL;
  WEFT_NEED(d, e);
  WEFT_NEED_LIST(d, data, bytes);
  const weft__graph_bytes from = {.data = data, .bytes = bytes};
  return weft__told(weft__graph_load_borrow(e, &from, NULL, out, d), d);
}
// SPDX-License-Identifier: Apache-2.0
