// save.c - writes a graph as a file (file.h, docs/graph-file.md): symbols, enums, and sections with their
// checksums. The bytes depend on the graph alone: strings, tensors and dims are numbered by first use,
// symbols by age. The data of tensors are read twice (checksum, writing) and never copied. O(nodes + edges +
// bytes) time.
#include "base/told.h"
#include "ir/file.h"

// ---- symbols: names and functions by age, each behind what it is made of; then the other expressions ----

typedef struct symbol_walk {
  bool *exprs, *atoms;                // in use
  uint32_t *expr_entry, *atom_entry;  // 1 + entry in the file
  uint32_t next_expr;
} symbol_walk;

static void mark_expr(const weft_symbols *p, symbol_walk *w, uint32_t e) {  // as deep as WEFT__SYMBOL_DEPTH
  if (w->exprs[e])
    return;
  w->exprs[e] = true;
  const weft__expr *x = p->exprs.v[e];
  for (uint32_t i = 0; i < x->n; i++) {
    for (uint32_t k = 0; k < x->term[i].degree; k++) {
      const weft__atom *a = p->atoms.v[x->term[i].atom[k]];
      if (w->atoms[a->id])
        continue;
      w->atoms[a->id] = true;
      for (size_t j = 0; j < a->n_args; j++)
        mark_expr(p, w, a->args[j]);
    }
  }
}

static void add_expr_text(weft__saver *s, weft_text *t, uint32_t e) {
  enum { SLACK = 16, MOST = 1 << 22 };
  for (size_t cap = 256; cap <= MOST; cap *= 4) {
    char *buf = weft__arena_alloc(&s->arena, cap, 1);
    if (!buf) {
      weft__save_no_memory(s);
      return;
    }
    size_t n = strlen(weft_dim_text(s->symbols, WEFT_DIM_SYMBOL_LIMIT - 1 - (weft_dim)e, buf, cap));
    if (n + SLACK >= cap)
      continue;  // cut
    weft__text_add(t, buf, n);
    return;
  }
  weft__save_fail(s, WEFT_E_LIMIT, "the text of a symbolic dim is over 4 MiB", NULL);
}

static uint32_t put_symbol_text(weft__saver *s, weft_text *text) {
  weft_text *t = &s->section[WEFT__FILE_SYMBOLS];
  if (text->failed)
    weft__save_no_memory(s);
  weft__save_u32(t, WEFT__FILE_ENTRY_TEXT);
  if (!s->status)
    weft__save_bytes(s, t, text->v, text->n);
  weft__text_deinit(text);
  return ++s->count[WEFT__FILE_SYMBOLS];
}

static void put_exprs(weft__saver *s, symbol_walk *w, uint32_t end) {
  for (; w->next_expr < end && !s->status; w->next_expr++) {
    const weft__expr *x = s->symbols->exprs.v[w->next_expr];
    if (!w->exprs[w->next_expr] || !x->n)
      continue;
    bool alone = x->n == 1 && !x->constant && x->term[0].coef == 1 && x->term[0].degree == 1;
    uint32_t entry = alone ? w->atom_entry[x->term[0].atom[0]] : 0;
    if (!entry) {
      weft_text text;
      weft__text_init(&text, &s->alloc);
      add_expr_text(s, &text, w->next_expr);
      entry = put_symbol_text(s, &text);
    }
    w->expr_entry[w->next_expr] = entry;
  }
}

static void put_atom(weft__saver *s, symbol_walk *w, const weft__atom *a) {
  static const char *const function[] = {"", "floordiv(", "max(", "min("};
  weft_text *t = &s->section[WEFT__FILE_SYMBOLS];
  weft_text text;
  uint32_t end = 0;
  if (a->kind == WEFT__ATOM_NAME) {
    weft__save_u32(t, WEFT__FILE_ENTRY_NAME);
    weft__save_bytes(s, t, a->name, a->name_bytes);
    weft__save_i64(t, a->lo);
    weft__save_i64(t, a->hi == WEFT__PLUS_INF ? -1 : a->hi);
    w->atom_entry[a->id] = ++s->count[WEFT__FILE_SYMBOLS];
    return;
  }
  for (size_t i = 0; i < a->n_args; i++)
    end = WEFT_MAX(end, a->args[i] + 1);
  put_exprs(s, w, end);
  weft__text_init(&text, &s->alloc);
  weft__text_addf(&text, "%s", function[a->kind]);
  for (size_t i = 0; i < a->n_args; i++) {
    if (i)
      weft__text_add(&text, ",", 1);
    add_expr_text(s, &text, a->args[i]);
  }
  if (a->kind == WEFT__ATOM_FLOORDIV)
    weft__text_addf(&text, ",%lld", (long long)a->by);
  weft__text_add(&text, ")", 1);
  w->atom_entry[a->id] = put_symbol_text(s, &text);
}

static void put_symbols(weft__saver *s) {
  const weft_symbols *p = s->symbols;
  weft_text *t = &s->section[WEFT__FILE_SYMBOLS];
  symbol_walk w = {WEFT_NEW_N(&s->arena, bool, p->exprs.n + 1), WEFT_NEW_N(&s->arena, bool, p->atoms.n + 1),
                   WEFT_NEW_N(&s->arena, uint32_t, p->exprs.n + 1),
                   WEFT_NEW_N(&s->arena, uint32_t, p->atoms.n + 1), 0};
  if (!w.exprs || !w.atoms || !w.expr_entry || !w.atom_entry) {
    weft__save_no_memory(s);
    return;
  }
  for (size_t i = 0; i < s->dims.n; i++)
    mark_expr(p, &w, s->dims.v[i]);
  for (size_t i = 0; i < p->atoms.n && !s->status; i++) {
    if (w.atoms[i])
      put_atom(s, &w, p->atoms.v[i]);
  }
  put_exprs(s, &w, (uint32_t)p->exprs.n);
  weft__save_count(s, t, s->dims.n);
  for (size_t i = 0; i < s->dims.n; i++)
    weft__save_u32(t, w.expr_entry[s->dims.v[i]] - 1);
}

static void save_put_name(weft__saver *s, weft_text *t, const char *name) {
  weft__save_bytes(s, t, name, strlen(name));
}

static void put_enums(weft__saver *s) {
  weft_text *t = &s->section[WEFT__FILE_ENUMS];
  for (uint32_t i = 0; i < 64; i++) {
    if (!(s->dtypes >> i & 1))
      continue;
    weft__save_u32(t, i);
    save_put_name(s, t, weft_dtype_serial((weft_dtype)i));
    s->count[WEFT__FILE_ENUMS]++;
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < 64; i++)
    n += s->formats >> i & 1;
  weft__save_u32(t, n);
  for (uint32_t i = 0; i < 64; i++) {
    if (!(s->formats >> i & 1))
      continue;
    weft__save_u32(t, i);
    save_put_name(s, t, weft_format_serial(i));
  }
}

// ---- the file ----

static size_t save_aligned(size_t bytes) {
  return (bytes + WEFT__FILE_ALIGN - 1) / WEFT__FILE_ALIGN * WEFT__FILE_ALIGN;
}

static size_t payload_bytes(const weft__saver *s, size_t k) {
  size_t n = s->section[k].n + 8;
  if (k != WEFT__FILE_TENSORS)
    return n;
  n = save_aligned(n + 8);
  for (size_t i = 0; i < s->data.n; i++)
    n += save_aligned(weft__file_data_bytes(s->data.v[i]));
  return n;
}

static weft_status write_zeros(weft_write_fn write, void *ctx, size_t n) {
  static const char zeros[WEFT__FILE_ALIGN];
  return n ? write(ctx, zeros, n) : WEFT_OK;
}

static void le(char *to, uint64_t v, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    to[i] = (char)(unsigned char)(v >> (8 * i));
}

static weft_status write_payload(const weft__saver *s, size_t k, weft_write_fn write, void *ctx) {
  const weft_text *t = &s->section[k];
  bool tensors = k == WEFT__FILE_TENSORS;
  size_t head_bytes = tensors ? 16 : 8;
  size_t end = head_bytes + t->n;
  char head[16] = {0};
  le(head, s->count[k], 4);
  le(head + 8, save_aligned(end), 8);  // of tensors: where the data begin
  WEFT_TRY(write(ctx, head, head_bytes));
  if (t->n)
    WEFT_TRY(write(ctx, t->v, t->n));
  if (!tensors)
    return WEFT_OK;
  WEFT_TRY(write_zeros(write, ctx, save_aligned(end) - end));
  for (size_t i = 0; i < s->data.n; i++) {
    size_t bytes = weft__file_data_bytes(s->data.v[i]);
    WEFT_TRY(write(ctx, s->data.v[i]->data, bytes));
    WEFT_TRY(write_zeros(write, ctx, save_aligned(bytes) - bytes));
  }
  return WEFT_OK;
}

static weft_status write_crc(void *ctx, const char *text, size_t bytes) {
  uint32_t *crc = ctx;
  *crc = weft__crc32(text, bytes, *crc);
  return WEFT_OK;
}

static weft_status write_section(const weft__saver *s, size_t k, weft_write_fn write, void *ctx) {
  size_t bytes = payload_bytes(s, k);
  size_t end = bytes + WEFT__FILE_SECTION_BYTES;
  char head[WEFT__FILE_SECTION_BYTES];
  memcpy(head, weft__file_tag(k), 4);
  le(head + 8, bytes, 8);
  uint32_t crc = weft__crc32(head, 4, 0);
  crc = weft__crc32(head + 8, 8, crc);
  WEFT_TRY(write_payload(s, k, write_crc, &crc));
  le(head + 4, crc, 4);
  WEFT_TRY(write(ctx, head, sizeof head));
  WEFT_TRY(write_payload(s, k, write, ctx));
  return write_zeros(write, ctx, save_aligned(end) - end);
}

static bool present(const weft__saver *s, size_t k) {
  return (k != WEFT__FILE_ORIGINS && k != WEFT__FILE_META) || s->count[k];
}

static weft_status write_file(const weft__saver *s, weft_write_fn write, void *ctx) {
  char head[WEFT__FILE_HEAD_BYTES] = WEFT__FILE_MAGIC;
  size_t total = sizeof head;
  uint32_t n = 0;
  for (size_t k = 0; k < WEFT__FILE_N_SECTIONS; k++) {
    if (!present(s, k))
      continue;
    total += save_aligned(payload_bytes(s, k) + WEFT__FILE_SECTION_BYTES);
    n++;
  }
  le(head + 8, WEFT__FILE_VERSION, 4);
  le(head + 12, n, 4);
  le(head + 16, total, 8);
  WEFT_TRY(write(ctx, head, sizeof head));
  for (size_t k = 0; k < WEFT__FILE_N_SECTIONS; k++) {
    if (present(s, k))
      WEFT_TRY(write_section(s, k, write, ctx));
  }
  return WEFT_OK;
}

static void save_fill(weft__saver *s) {
  const weft_root *r = s->graph->root;
  s->value_number = WEFT_NEW_N(&s->arena, uint32_t, (size_t)r->n_value_ids + 1);
  s->node_number = WEFT_NEW_N(&s->arena, uint32_t, (size_t)r->n_node_ids + 1);
  s->dim_number = WEFT_NEW_N(&s->arena, uint32_t, s->symbols->exprs.n + 1);
  if (!s->value_number || !s->node_number || !s->dim_number) {
    weft__save_no_memory(s);
    return;
  }
  weft__save_graph(s, s->graph);
  if (!s->status)
    put_symbols(s);
  if (!s->status)
    put_enums(s);
  for (size_t k = 0; k < WEFT__FILE_N_SECTIONS; k++) {
    if (s->section[k].failed)
      weft__save_no_memory(s);
  }
}

static weft_status save(const weft_graph *g, weft_write_fn write, void *ctx, weft__weight_list *apart,
                        weft_diag *d) {
  const weft_allocator *a = weft_env_allocator(g->root->env);  // the list apart outlives the call
  static const uint16_t one = 1;
  weft__saver s = {.graph = g, .symbols = g->root->symbols, .alloc = *a, .d = d, .apart = apart};
  if (!*(const uint8_t *)&one) {
    return weft_fail(d, WEFT_E_UNSUPPORTED, "graph '%s' cannot be saved: not on a big-endian machine",
                     g->name);
  }
  weft__arena_init(&s.arena, a);
  for (size_t k = 0; k < WEFT__FILE_N_SECTIONS; k++)
    weft__text_init(&s.section[k], a);
  weft__map_init(&s.strings, a);
  weft__map_init(&s.protos, a);
  weft__map_init(&s.tensors, a);
  save_fill(&s);
  if (!s.status) {
    s.status = write_file(&s, write, ctx);
    if (s.status)
      (void)weft_fail(d, s.status, "graph '%s' cannot be saved: writing failed", g->name);
  }
  for (size_t k = 0; k < WEFT__FILE_N_SECTIONS; k++)
    weft__text_deinit(&s.section[k]);
  weft__map_deinit(&s.strings);
  weft__map_deinit(&s.protos);
  weft__map_deinit(&s.tensors);
  WEFT_VEC_FREE(a, s.dims);
  WEFT_VEC_FREE(a, s.data);
  weft__arena_deinit(&s.arena);
  return s.status;
}

weft_status weft_graph_save(const weft_graph *g, weft_write_fn write, void *ctx, weft_diag *d) {
  WEFT_NEED(d, g);
  WEFT_NEED(d, write);
  WEFT_TRY(weft__remake_wake_all(g, d));
  return weft__told(save(g, write, ctx, NULL, d), d);
}
weft_status weft__graph_save_apart(const weft_graph *g, weft_write_fn write, void *ctx,
                                   weft__weight_list *out, weft_diag *d) {
  WEFT_TRY(weft__remake_wake_all(g, d));
  return save(g, write, ctx, out, d);
}
// SPDX-License-Identifier: Apache-2.0
