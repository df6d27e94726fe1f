// file.h - the layout of a saved graph, shared by save*.c and load*.c. docs/graph-file.md describes it.
//
// A file is a head of 48 bytes and sections; each section is a head of 16 bytes and a payload that starts at
// a multiple of 64 in the file, so that the data of tensors, aligned inside their section, are aligned in a
// mapped file too.
//   file head:    "WEFTGRPH", u32 version, u32 sections, u64 bytes of the file, 24 zero bytes
//   section head: u32 tag, u32 crc32 of (tag, bytes, payload), u64 bytes of the payload; zeros up to the next
//   head
// Everything is little-endian. A tag is four letters; a small first letter: loaders that do not know it skip
// it.
#pragma once
#include "ir/ir.h"
#include "tensor/symbols.h"
#include "tensor/tensor.h"

#define WEFT__FILE_MAGIC "WEFTGRPH"
enum {
  WEFT__FILE_VERSION = 1,
  WEFT__FILE_HEAD_BYTES = 48,
  WEFT__FILE_SECTION_BYTES = 16,
  WEFT__FILE_ALIGN = 64,
  WEFT__FILE_OPTIONAL = 0x20,      // in the first letter of a tag
  WEFT__FILE_SHARED_STRING = 128,  // longer strings are used once: what a file makes is bounded by its size
  WEFT__FILE_SECTIONS_MAX = 64
};
#define WEFT__FILE_NONE         UINT32_MAX        // no string, no value
#define WEFT__FILE_SAME         (UINT32_MAX - 1)  // an origin's file: that of the node before
#define WEFT__FILE_RANK_UNSET   UINT32_MAX
#define WEFT__FILE_RANK_UNKNOWN (UINT32_MAX - 1)

// In the order of the file. Each payload starts with u32 count, u32 0.
#define WEFT__FILE_SECTIONS(X) \
  X(STRINGS, "STRS")           \
  X(ENUMS, "ENUM")             \
  X(SYMBOLS, "SYMB")           \
  X(PROTOS, "PROT")            \
  X(TENSORS, "TENS")           \
  X(GRAPH, "GRPH")             \
  X(FACTS, "FACT")             \
  X(ORIGINS, "orig")           \
  X(META, "meta")
enum {
#define WEFT_X(name, tag) WEFT__FILE_##name,
  WEFT__FILE_SECTIONS(WEFT_X)
#undef WEFT_X
      WEFT__FILE_N_SECTIONS
};
static inline const char *weft__file_tag(size_t section) {
  static const char *const tags[] = {
#define WEFT_X(name, tag) tag,
      WEFT__FILE_SECTIONS(WEFT_X)
#undef WEFT_X
  };
  return tags[section];
}

enum {  // flags of a fact
  WEFT__FILE_SET = 1,
  WEFT__FILE_RANGE = 2,
  WEFT__FILE_VALUE = 4,
  WEFT__FILE_ELEMS = 8,
  WEFT__FILE_DECLARED = 16
};
enum { WEFT__FILE_ENTRY_NAME, WEFT__FILE_ENTRY_TEXT };  // entries of the symbols
#define WEFT__FILE_DEFAULT (UINT32_C(1) << 31)          // beside an attribute's type: the prototype's default

// Is `t` what fact `f` describes, and are there as many partly known elements as the shape has? Checked when
// saving (what does not fit is left out, it can be inferred again) and when loading (an error).
bool weft__file_value_fits(const weft_fact *f, const weft_tensor *t);
bool weft__file_elems_fit(const weft_fact *f);
// May this tensor be stored: data on the host, no handles, sequences not deeper than WEFT__TENSOR_DEPTH?
size_t weft__file_data_bytes(const weft_tensor *t);
// May data lie like this: both shapes known, and the storage shape the origin shape or, in another format,
// not smaller?
bool weft__file_layout_fits(const weft_layout *layout, weft_format origin_format, weft_format format);
bool weft__file_storable(const weft_tensor *t, int depth);

// ---- weights apart: a program keeps the data of large constants in a section of its own ----
// Their records in TENS have WEFT__FILE_APART and, behind the items, the crc32 of the data; the data lie in
// the order of the records, each at a multiple of WEFT__FILE_ALIGN, in a block that the caller keeps.
enum {
  WEFT__FILE_APART = 512,
  WEFT__FILE_APART_BYTES = 1024
};  // flag of a record; the least that is put apart
typedef struct weft__weight {
  const weft_tensor *t;
  uint32_t crc;
} weft__weight;
typedef WEFT_VEC(weft__weight) weft__weight_list;
// The list is the caller's, freed by the graph's allocator, also on failure.
weft_status weft__graph_save_apart(const weft_graph *g, weft_write_fn write, void *ctx,
                                   weft__weight_list *out, weft_diag *d);
// The weights are pointed at, never read: they must outlive the graph. The list as above, by the
// environment's allocator.
typedef struct weft__graph_bytes {
  const void *data;
  size_t bytes;
  const void *weights;  // of weft__graph_save_apart; NULL: they are in the data
  size_t weights_bytes;
} weft__graph_bytes;
weft_status weft__graph_load_borrow(weft_env *e, const weft__graph_bytes *from, weft__weight_list *out_list,
                                    weft_graph **out, weft_diag *d);

// ---- saving ----

typedef struct weft__saver {
  const weft_graph *graph;
  const weft_symbols *symbols;
  weft_allocator alloc;
  weft_arena arena;
  weft_diag *d;
  weft_status status;  // the first failure
  weft_text section[WEFT__FILE_N_SECTIONS];
  uint32_t count[WEFT__FILE_N_SECTIONS];
  weft_map strings, protos, tensors;
  uint64_t dtypes, formats;  // sets of those used
  uint32_t *dim_number;      // by expression: 1 + its number in the file
  WEFT_VEC(uint32_t) dims;   // expressions in use
  WEFT_VEC(const weft_tensor *) data;
  weft__weight_list *apart;              // NULL: all data lie in TENS
  uint32_t *value_number, *node_number;  // by id: the number in its graph
  uint32_t n_nodes;
} weft__saver;
void weft__save_fail(weft__saver *s, weft_status status, const char *what, const char *name);
void weft__save_no_memory(weft__saver *s);
void weft__save_u32(weft_text *t, uint32_t v);
void weft__save_i64(weft_text *t, int64_t v);
void weft__save_count(weft__saver *s, weft_text *t, size_t n);
void weft__save_bytes(weft__saver *s, weft_text *t, const char *text, size_t bytes);
void weft__save_graph(weft__saver *s, const weft_graph *g);  // everything but symbols and enums

// ---- loading ----

// Reads one section. After the first failure everything reads as 0, and `status` says what happened.
typedef struct weft__reader {
  const uint8_t *v;  // NULL: the section is absent
  size_t at, bytes;
  size_t offset;  // of the payload in the file
  const char *tag;
  uint32_t count;
  weft_status status;
  weft_diag *d;
} weft__reader;
weft_status weft__reader_fail(weft__reader *r, weft_status s, const char *fmt, ...) WEFT_PRINTF(3, 4);
weft_status weft__reader_note(const weft__reader *r,
                              weft_status s);  // adds where it was to somebody else's message
uint32_t weft__read_u32(weft__reader *r);
uint64_t weft__read_u64(weft__reader *r);
static inline int64_t weft__read_i64(weft__reader *r) {
  return (int64_t)weft__read_u64(r);
}
// A number of items of at least `item_bytes` each, which must lie in the rest of the section; otherwise 0.
uint32_t weft__read_count(weft__reader *r, size_t item_bytes, const char *what);
weft_status weft__reader_check_count(weft__reader *r, size_t item_bytes,
                                     const char *what);  // the section's own count

typedef struct weft__file_string {
  const char *text;
  uint32_t bytes;
  bool used;  // of long strings
} weft__file_string;
typedef struct weft__file_proto {
  const weft_proto *p;
  uint32_t n_in, n_out, n_attr;  // as the file knows them: a prefix of the prototype's
} weft__file_proto;
typedef struct weft__file_tensor {
  weft_tensor *t;  // owned by the graph
  uint8_t use;     // 0: none; 1: constants and facts; 2: one attribute
} weft__file_tensor;

typedef struct weft__loader {
  weft_env *env;
  weft_diag *d;
  weft_graph *graph;
  weft_arena scratch;
  weft__reader section[WEFT__FILE_N_SECTIONS];
  weft__file_string *strings;
  int16_t dtypes[256], formats[256];  // the file's number -> ours; -1: not in its table
  weft_dim *dims;
  uint32_t n_strings, n_dims, n_protos, n_tensors;
  weft__file_proto *protos;
  weft__file_tensor *tensors;
  const uint8_t *weights;  // data that lie apart
  size_t weights_bytes, weights_at;
  weft__weight_list *apart;       // NULL: there are none
  WEFT_VEC(weft_node *) nodes;    // all, in the file's order
  WEFT_VEC(weft_graph *) graphs;  // all, sub-graphs before the graph they are in
} weft__loader;
const weft__file_string *weft__load_string(weft__loader *l, weft__reader *r);  // NULL: none, or failed
const char *weft__load_name(weft__loader *l, weft__reader *r);                 // never NULL; "" when failed
weft_dtype weft__load_dtype(weft__loader *l, weft__reader *r);
weft_format weft__load_format(weft__loader *l, weft__reader *r);
weft_dim weft__load_dim(weft__loader *l, weft__reader *r);  // as it stands, symbols translated
void weft__load_shape(weft__loader *l, weft__reader *r, weft_shape *out);
weft_tensor *weft__load_tensor(weft__loader *l, weft__reader *r, uint8_t use);  // NULL: failed
weft_status weft__load_tensors(weft__loader *l);  // the section; in load_tensor.c
// The graph, its sub-graphs, facts and origins, into l->graph. In load_graph.c.
weft_status weft__load_graph(weft__loader *l);
// SPDX-License-Identifier: Apache-2.0
