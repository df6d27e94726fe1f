// text.h - the text form's inside: tokens, shared by the printer, the parser and the other writers.
// Grammar: docs/text-ir.md. A lexer is a cursor over bytes that may be hostile; positions are byte offsets,
// which become line and column only in an error. Layer: ir.
#pragma once
#include "ir/ir.h"

typedef struct weft_lexer {
  const char *text;
  size_t at, bytes;
  const char *file;   // for errors; never NULL
  weft_arena *arena;  // where names go
  weft_diag *d;
} weft_lexer;

// Records "file:line:column: ..." for the byte `at`; returns `s`. Columns count characters, both start at 1.
weft_status weft__lex_fail(const weft_lexer *l, size_t at, weft_status s, const char *fmt, ...)
    WEFT_PRINTF(4, 5);
weft_status weft__lex_no_memory(const weft_lexer *l);
// WEFT_TRY(weft__lex_allocated(p, l)); unless everything that was asked for is there, weft__lex_no_memory.
static inline weft_status weft__lex_allocated(bool all, const weft_lexer *l) {
  return all ? WEFT_OK : weft__lex_no_memory(l);
}
// "'}'", "the end of the text": what stands at the cursor, for messages.
const char *weft__lex_here(const weft_lexer *l, char buf[40]);
int weft__lex_peek(weft_lexer *l);           // skips spaces and comments; -1 at the end
bool weft__lex_char(weft_lexer *l, char c);  // takes it if it is there
bool weft__lex_arrow(weft_lexer *l);         // takes "->"
weft_status weft__lex_expect(weft_lexer *l, char c, const char *where);
bool weft__lex_word(weft_lexer *l, const char *word);  // takes an unquoted name that is exactly `word`
// Takes a name, plain or quoted; zero-terminated in the arena. `what` says what it names. UTF-8, no byte 0.
weft_status weft__lex_name(weft_lexer *l, const char *what, const char **out, size_t *out_at);
// The same for a text in quotes, which may be empty.
weft_status weft__lex_quoted(weft_lexer *l, const char *what, const char **out, size_t *out_at);
weft_status weft__lex_int(weft_lexer *l, int64_t *out);

// Bytes of the plain name that the text starts with: [A-Za-z_][A-Za-z0-9_.:/-]*, without "->", "//" and ':'
// at its end.
size_t weft__plain_name(const char *text, size_t bytes);
// Writes a name so that weft__lex_name reads it back.
weft_status weft__write_name(weft_write_fn write, void *ctx, const char *name, size_t bytes);
weft_status weft__write_quoted_name(weft_write_fn write, void *ctx, const char *name,
                                    size_t bytes);  // always quoted
// Writes text for a JSON string (without the quotes) or for markup; bytes that are no UTF-8 become U+FFFD.
enum { WEFT__CLEAN_JSON, WEFT__CLEAN_MARKUP };
weft_status weft__write_clean(weft_write_fn write, void *ctx, const char *text, size_t bytes, int how);

// What the printers say of a value: inferred if it is, otherwise declared. False: nothing is known.
// *out_storage: the storage shape cannot be told from the formats and must be said.
bool weft__value_shown(const weft_value *v, weft_tensor_desc *out, bool *out_storage);

// "f32[N,3] NCHW/NC1HWC0(C0=16) range [1..8,3..3]" -> a description; names of symbols go to `pool`.
weft_status weft__parse_type(weft_lexer *l, weft_symbols *pool, weft_tensor_desc *out);
// "NCHW" or "ND/FRACTAL_NZ(C0=16)"; false: no format stands here. An unknown word in capitals is an error.
weft_status weft__parse_formats(weft_lexer *l, weft_format *origin, weft_format *storage, bool *out_found);
weft_status weft__parse_shape(weft_lexer *l, weft_symbols *pool,
                              weft_shape *out);  // "[N,3]", "[?]": unknown rank
// "N [1,64]" or "(floordiv(N,2))", behind the word `symbol`.
weft_status weft__parse_symbol(weft_lexer *l, weft_symbols *pool);

// ---- what the parser reads before it builds; all in one scratch arena ----
enum { WEFT__ARG_VALUE, WEFT__ARG_ABSENT /* _ */, WEFT__ARG_OPEN /* ? */, WEFT__ARG_LIST /* [a, b] */ };
typedef struct weft_ast_arg {  // an input or an output of a node
  uint8_t kind;
  uint32_t n;  // items of a list
  size_t at;
  const char *name;
  weft_declared *said;  // outputs
  struct weft_ast_arg *items;
  struct weft_ast_arg *next;
} weft_ast_arg;
typedef struct weft_ast_value {  // an input (tensor NULL) or a constant
  const char *name;
  size_t at;
  int64_t index;  // where it stands among the inputs
  weft_declared *said;
  const weft_tensor *tensor;
  bool owned;  // the root graph owns the tensor already
  struct weft_ast_value *next;
} weft_ast_value;
typedef struct weft_ast_sub {
  uint32_t slot;
  size_t at;
  struct weft_ast_graph *graph;
  struct weft_ast_sub *next;
} weft_ast_sub;
typedef struct weft_ast_attr {
  weft_named_attr attr;
  struct weft_ast_attr *next;
} weft_ast_attr;
typedef struct weft_ast_node {
  const char *name, *type;
  size_t at;
  const weft_proto *proto;  // NULL: Data, Const or NetOutput
  weft_ast_arg *in, *out;
  bool says_out;  // "->" was given
  weft_ast_attr *attrs;
  size_t n_attrs;
  weft_ast_sub *graphs;
  weft_node *made;
  struct weft_ast_node *next;
} weft_ast_node;
typedef struct weft_ast_edge {  // a control edge, an output (from), or a note (key, text)
  const char *from;
  const char *to;
  size_t from_at;
  size_t to_at;
  struct weft_ast_edge *next;
} weft_ast_edge;
typedef struct weft_ast_graph {
  const char *name;
  size_t at, n_inputs;
  weft_ast_value *inputs, **inputs_end, *consts, **consts_end;
  weft_ast_node *nodes, **nodes_end;
  weft_ast_edge *controls, **controls_end, *outputs, **outputs_end;
  weft_ast_edge *metas, **metas_end;
} weft_ast_graph;

// Fills the empty graph `g` with what was read. After a failure the root can only be destroyed.
weft_status weft__build_graph(weft_lexer *l, weft_ast_graph *ast, weft_graph *g);
// SPDX-License-Identifier: Apache-2.0
