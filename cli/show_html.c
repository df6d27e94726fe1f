// show_html.c - `weft show MODEL -o FILE.html`: show_page.html, with the graph as JSON in it.
// Names come from the model. In JSON '<' stands only in strings, so that it can be written as an escape
// everywhere; no name ends the script element that way, and the page itself handles names as texts.
#include "show_html.h"

static weft_status write_escaped(weft_file_out *f, const char *text, size_t bytes,
                                 const char *(*escape)(char)) {
  size_t from = 0;
  for (size_t i = 0; i < bytes; i++) {
    const char *as = escape(text[i]);
    if (!as)
      continue;
    WEFT_TRY(weft_file_write(f, text + from, i - from));
    WEFT_TRY(weft_file_write(f, as, strlen(as)));
    from = i + 1;
  }
  return weft_file_write(f, text + from, bytes - from);
}

static const char *json_escape(char c) {
  return c == '<' ? "\\u003c" : NULL;
}

static weft_status write_json(void *file, const char *text, size_t bytes) {
  return write_escaped(file, text, bytes, json_escape);
}

// A tensor's text: strings in it may hold anything.
static const char *string_escape(char c) {
  if (c == '"')
    return "\\\"";
  if (c == '\\')
    return "\\\\";
  return (unsigned char)c < ' ' ? " " : json_escape(c);
}

static weft_status write_string(void *file, const char *text, size_t bytes) {
  return write_escaped(file, text, bytes, string_escape);
}

// One text each, in the graph's order; "" where a box has no room for it.
static weft_status write_constants(const weft_graph *g, weft_file_out *f) {
  enum { SMALL = 8, SHORT = 64 };
  for (size_t i = 0; i < weft_graph_n_consts(g); i++) {
    const weft_tensor *t = weft_value_data(weft_graph_const_at(g, i));
    int64_t n = t && t->kind == WEFT_KIND_TENSOR ? weft_tensor_elems(t) : -1;
    WEFT_TRY(weft_file_write(f, i ? ",\n\"" : "\"", i ? 3 : 1));
    if (n >= 0 && n <= SMALL && (t->dtype != WEFT_STRING || t->bytes <= SHORT))
      WEFT_TRY(weft_tensor_print(t, SMALL, write_string, f));
    WEFT_TRY(weft_file_write(f, "\"", 1));
  }
  return WEFT_OK;
}

// Lines stay lines.
static const char *plan_escape(char c) {
  return c == '\n' ? "\\n" : string_escape(c);
}

static weft_status write_plan(const char *plan, weft_file_out *f) {
  WEFT_TRY(weft_file_write(f, "\"", 1));
  if (plan)
    WEFT_TRY(write_escaped(f, plan, strlen(plan), plan_escape));
  return weft_file_write(f, "\"", 1);
}

static weft_status write_page(const weft_graph *g, const char *plan, weft_file_out *f) {
  WEFT_TRY(weft_file_write(f, show_page[0].text, show_page[0].bytes));
  WEFT_TRY(weft_graph_print_json(g, write_json, f));
  WEFT_TRY(weft_file_write(f, show_page[1].text, show_page[1].bytes));
  WEFT_TRY(weft_file_write(f, "[", 1));
  WEFT_TRY(write_constants(g, f));
  WEFT_TRY(weft_file_write(f, "]", 1));
  WEFT_TRY(weft_file_write(f, show_page[2].text, show_page[2].bytes));
  WEFT_TRY(write_plan(plan, f));
  return weft_file_write(f, show_page[3].text, show_page[3].bytes);
}

weft_status show_html(const weft_graph *g, const char *plan, const char *path, weft_diag *d) {
  weft_file_out *f;
  WEFT_TRY(weft_file_create(path, &f, d));
  return weft_file_finish(f, write_page(g, plan, f), d);
}
// SPDX-License-Identifier: Apache-2.0
