// show_svg.c - `weft show MODEL -o FILE.svg`: boxes for inputs, nodes and outputs, edges with shapes;
// constants are lines in the boxes that read them. Bodies of control flow stand below, one after another,
// each under its name. Names come from the model: they are cut to fit, and written as XML text.
#include "show_svg.h"

#include <stdarg.h>
#include <stdint.h>

#include "show_layout.h"

enum { ROW = 16, WIDEST = 44, LINES = 6, TEXT = 256, VALUES = 4, GAP = 70 };
static const double letter_w = 6.6, bold_w = 1.1;

typedef struct svg_box {
  const weft_node *node;    // NULL: an input or output
  const weft_value *value;  // of that
  char line[LINES][TEXT];
  int n_lines, n_labels;
} svg_box;

typedef struct svg_made {  // by which box
  const weft_value *value;
  uint32_t box;
  bool labelled;
} svg_made;

typedef struct svg {
  const weft_graph *g;
  const weft_node *owner;  // whose body it is; NULL: the outermost graph
  uint32_t slot;           // of that
  svg_box *box;
  svg_made *made;
  const weft_value **edge_value;
  size_t n_made;
  layout at;
} svg;

// ---- texts ----

// Bytes of the UTF-8 character at `s`; 0: none that XML allows.
static size_t svg_letter(const unsigned char *s) {
  size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3 : 0;
  if (s[0] >= 0xF0 && s[0] < 0xF5)
    n = 4;
  if (s[0] < ' ' || s[0] == 0x7F)
    return 0;
  for (size_t i = 1; i < n; i++) {
    if ((s[i] & 0xC0) != 0x80)
      return 0;
  }
  bool surrogate = s[0] == 0xED && s[1] >= 0xA0;
  bool none = s[0] == 0xEF && s[1] == 0xBF && s[2] >= 0xBE;
  bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
  bool beyond = s[0] == 0xF4 && s[1] >= 0x90;
  return surrogate || none || overlong || beyond ? 0 : n;
}

// Letters that fit, with dots in the middle of what is longer.
static void svg_cut(char out[TEXT], const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  size_t letters = 0;
  size_t n = 0;
  size_t at = 0;
  size_t skip_from = SIZE_MAX;
  size_t skip_to = 0;
  for (size_t i = 0; s[i]; letters++)
    i += svg_letter(s + i) ? svg_letter(s + i) : 1;
  if (letters > WIDEST) {
    skip_from = WIDEST / 2 - 1;
    skip_to = letters - WIDEST / 2 + 1;
  }
  for (size_t i = 0; s[i] && n + 5 < TEXT; at++) {
    size_t bytes = svg_letter(s + i);
    if (at == skip_from) {
      memcpy(out + n, "\xE2\x80\xA6", 3);
      n += 3;
    }
    if (at < skip_from || at >= skip_to) {
      if (bytes)
        memcpy(out + n, s + i, bytes);
      else
        out[n] = '?';
      n += bytes ? bytes : 1;
    }
    i += bytes ? bytes : 1;
  }
  out[n] = 0;
}

static double svg_width(const char *text) {
  size_t letters = 0;
  for (; *text; text++)
    letters += ((unsigned char)*text & 0xC0) != 0x80;
  return (double)letters * letter_w;
}

static void svg_shape(const svg *p, const weft_value *v, char *out, size_t cap) {
  weft_tensor_desc desc;
  char shape[128];
  weft_value_expected(v, &desc);
  bool known = desc.dtype != WEFT_UNDEFINED;
  snprintf(out, cap, "%s%s", known ? weft_dtype_name(desc.dtype) : "",
           known ? weft_shape_text(&desc.layout.origin, weft_graph_symbols(p->g), shape, sizeof shape) : "");
}

typedef struct svg_short {
  char *text;
  size_t n, cap;
} svg_short;

static weft_status svg_short_add(void *ctx, const char *text, size_t bytes) {
  svg_short *o = ctx;
  for (size_t i = 0; i < bytes && o->n + 1 < o->cap; i++)
    o->text[o->n++] = text[i];
  o->text[o->n] = 0;
  return WEFT_OK;
}

// The shape, and the values of a constant that has few.
static void svg_constant(const svg *p, const weft_value *v, char *out, size_t cap) {
  const weft_tensor *t = weft_value_data(v);
  int64_t n = t && t->kind == WEFT_KIND_TENSOR ? weft_tensor_elems(t) : 0;
  svg_short o = {out, 0, cap};
  if (n < 1 || n > VALUES || weft_tensor_print(t, VALUES, svg_short_add, &o))
    svg_shape(p, v, out, cap);
}

static bool svg_is_constant(const weft_value *v) {
  return !weft_value_node(v, NULL) && weft_value_data(v);
}

// ---- boxes ----

static void svg_line(svg_box *b, const char *text) {
  if (b->n_lines < LINES)
    svg_cut(b->line[b->n_lines++], text);
}

// What a fused node holds: "Conv2D + Relu".
static void svg_title(const weft_node *n, char *out, size_t cap) {
  const weft_graph *body = !strcmp(weft_node_type(n), "Fused") ? weft_node_graph_at(n, 0) : NULL;
  size_t at = 0;
  snprintf(out, cap, "%s", node_label(n));
  for (const weft_node *k = body ? weft_graph_first(body) : NULL; k && at + 2 < cap; k = weft_node_next(k)) {
    int more = snprintf(out + at, cap - at, "%s%s", at ? " + " : "", node_label(k));
    at += more > 0 ? (size_t)more : cap;
  }
}

static void svg_fill(svg *p, svg_box *b, layout_box *at) {
  char text[2 * TEXT];
  char shape[TEXT];
  if (b->node) {
    svg_title(b->node, text, sizeof text);
    svg_line(b, text);
    svg_line(b, weft_node_name(b->node));
    uint32_t n = weft_node_desc(b->node)->n_in;
    for (uint32_t i = 0; i < n; i++) {
      const weft_value *v = weft_node_in(b->node, i);
      if (!v || !svg_is_constant(v))
        continue;
      const char *slash = strrchr(weft_value_name(v), '/');
      svg_constant(p, v, shape, sizeof shape);
      snprintf(text, sizeof text, "%s = %s", slash ? slash + 1 : weft_value_name(v), shape);
      svg_line(b, text);
    }
  } else {
    svg_line(b, weft_value_name(b->value));
  }
  double widest = 60;
  for (int i = 0; i < b->n_lines; i++) {
    double w = svg_width(b->line[i]) * (i ? 1 : bold_w) + 20;
    widest = w > widest ? w : widest;
  }
  uint32_t n_out = b->node ? weft_node_desc(b->node)->n_out : 1;
  for (uint32_t i = 0; i < n_out; i++) {  // the labels below have no more room than the box
    const weft_value *v = b->node ? weft_node_out(b->node, i) : b->value;
    if (v)
      svg_shape(p, v, text, sizeof text);
    if (v)
      svg_cut(shape, text);
    if (v && svg_width(shape) > widest)
      widest = svg_width(shape);
  }
  at->w = widest;
  at->h = 10 + ROW * b->n_lines;
}

static int svg_by_value(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const svg_made *)a)->value;
  uintptr_t y = (uintptr_t)((const svg_made *)b)->value;
  return x < y ? -1 : x > y;
}

// NULL: a constant, or no value.
static svg_made *svg_maker(const svg *p, const weft_value *v) {
  svg_made key = {.value = v};
  return v ? bsearch(&key, p->made, p->n_made, sizeof *p->made, svg_by_value) : NULL;
}

static void svg_edge(svg *p, const weft_value *v, size_t to) {
  const svg_made *made = svg_maker(p, v);
  if (!made)
    return;
  p->edge_value[p->at.n_edges] = v;
  p->at.edge[p->at.n_edges++] = (layout_edge){.from = made->box, .to = (uint32_t)to};
}

// Boxes in the graph's order: inputs, nodes, outputs.
static bool svg_collect(svg *p) {
  const weft_graph *g = p->g;
  size_t n_in = weft_graph_n_inputs(g);
  size_t n_out = weft_graph_n_outputs(g);
  size_t made = n_in;
  size_t edges = n_out;
  size_t n = 0;
  for (const weft_node *k = weft_graph_first(g); k; k = weft_node_next(k)) {
    made += weft_node_desc(k)->n_out;
    edges += weft_node_desc(k)->n_in;
  }
  size_t boxes = n_in + weft_graph_n_nodes(g) + n_out;
  p->box = calloc(boxes + 1, sizeof *p->box);
  p->made = calloc(made + 1, sizeof *p->made);
  p->edge_value = calloc(edges + 1, sizeof *p->edge_value);
  p->at.box = calloc(boxes + 1, sizeof *p->at.box);
  p->at.edge = calloc(edges + 1, sizeof *p->at.edge);
  if (!p->box || !p->made || !p->edge_value || !p->at.box || !p->at.edge)
    return false;
  for (size_t i = 0; i < n_in; i++, n++) {
    p->box[n].value = weft_graph_input_at(g, i);
    p->made[p->n_made++] = (svg_made){p->box[n].value, (uint32_t)n, false};
  }
  for (const weft_node *k = weft_graph_first(g); k; k = weft_node_next(k), n++) {
    p->box[n].node = k;
    for (uint32_t i = 0; i < weft_node_desc(k)->n_out; i++) {
      if (weft_node_out(k, i))
        p->made[p->n_made++] = (svg_made){weft_node_out(k, i), (uint32_t)n, false};
    }
  }
  for (size_t i = 0; i < n_out; i++, n++)
    p->box[n].value = weft_graph_output_at(g, i);
  qsort(p->made, p->n_made, sizeof *p->made, svg_by_value);
  p->at.n_given = n;
  return true;
}

static bool svg_lay_out(svg *p) {
  for (size_t i = 0; i < p->at.n_given; i++) {
    svg_box *b = &p->box[i];
    uint32_t n = b->node ? weft_node_desc(b->node)->n_in : 0;
    svg_fill(p, b, &p->at.box[i]);
    size_t before = p->at.n_edges;
    for (uint32_t k = 0; k < n; k++)
      svg_edge(p, weft_node_in(b->node, k), i);
    if (!b->node && i >= weft_graph_n_inputs(p->g))
      svg_edge(p, b->value, i);
    p->at.box[i].floats = p->at.n_edges == before;
  }
  return layout_run(&p->at);
}

// ---- writing ----

typedef struct svg_out {
  weft_file_out *f;
  weft_status s;  // the first failure
} svg_out;

static void svg_put(svg_out *o, const char *fmt, ...) WEFT_PRINTF(2, 3);
static void svg_put(svg_out *o, const char *fmt, ...) {
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  if (!o->s && n > 0)
    o->s = weft_file_write(o->f, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void svg_put_text(svg_out *o, const char *text) {
  for (; *text; text++) {
    const char *as = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : NULL;
    if (as)
      svg_put(o, "%s", as);
    else if (!o->s)
      o->s = weft_file_write(o->f, text, 1);
  }
}

static double svg_middle(const layout_box *b) {
  return b->x + b->w / 2;
}

static void svg_put_edge(const svg *p, svg_out *o, size_t i) {
  const layout_edge *e = &p->at.edge[i];
  const layout_box *box = p->at.box;
  double x = svg_middle(&box[e->from]), y = box[e->from].y + box[e->from].h;
  svg_put(o, "<path d=\"M%.1f %.1f", x, y);
  for (uint32_t k = 0; k <= e->n_bends; k++) {
    const layout_box *b = &box[k < e->n_bends ? e->first_bend + k : e->to];
    double to = svg_middle(b), bend = (b->y - y) / 2;
    svg_put(o, "C%.1f %.1f %.1f %.1f %.1f %.1f", x, y + bend, to, b->y - bend, to, b->y);
    x = to;
    y = b->y;
  }
  svg_put(o, "\"/>\n");
}

// Below the box that makes the value, once a value: no two boxes share that room.
static void svg_put_label(const svg *p, svg_out *o, size_t i) {
  char text[TEXT];
  char shape[TEXT];
  const layout_edge *e = &p->at.edge[i];
  svg_made *made = svg_maker(p, p->edge_value[i]);
  if (!made || made->labelled)
    return;
  made->labelled = true;
  svg_shape(p, p->edge_value[i], text, sizeof text);
  svg_cut(shape, text);
  const layout_box *from = &p->at.box[e->from];
  double x = svg_middle(from), y = from->y + from->h + 15 + 12 * p->box[e->from].n_labels++;
  for (int k = 0; k < 2; k++) {  // the paper around the letters first: not every program knows paint-order
    svg_put(o, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", k ? "e" : "e h", x, y);
    svg_put_text(o, shape);
    svg_put(o, "</text>\n");
  }
}

static void svg_put_box(const svg *p, svg_out *o, size_t i) {
  static const char *const tones[] = {"#dce9f9", "#dff2e1", "#fbeed3", "#f4e0ef", "#dff1f3", "#ece6fa"};
  const svg_box *b = &p->box[i];
  const layout_box *at = &p->at.box[i];
  uint32_t hash = 7;
  for (const char *c = b->line[0]; *c; c++)
    hash = hash * 31 + (unsigned char)*c;
  svg_put(o, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%d\" fill=\"%s\"/>\n", at->x,
          at->y, at->w, at->h, b->node ? 4 : 13,
          b->node ? tones[hash % (sizeof tones / sizeof *tones)] : "#fff");
  for (int k = 0; k < b->n_lines; k++) {
    svg_put(o, "<text%s x=\"%.1f\" y=\"%.1f\">", k ? "" : " class=\"t\"", at->x + 10, at->y + 17 + ROW * k);
    svg_put_text(o, b->line[k]);
    svg_put(o, "</text>\n");
  }
}

static void svg_put_graph(const svg *p, svg_out *o) {
  for (size_t i = 0; i < p->at.n_edges; i++)
    svg_put_edge(p, o, i);
  for (size_t i = 0; i < p->at.n_given; i++)
    svg_put_box(p, o, i);
  for (size_t i = 0; i < p->at.n_edges; i++)
    svg_put_label(p, o, i);
}

// A line across, and whose body stands below it.
static void svg_put_heading(const svg *p, svg_out *o, double width) {
  char text[2 * TEXT];
  char cut[TEXT];
  snprintf(text, sizeof text, "%s of %s", weft_node_graph_slot(p->owner, p->slot), weft_node_name(p->owner));
  svg_cut(cut, text);
  svg_put(o, "<path style=\"marker-end:none\" d=\"M-20 -50H%.0f\"/>\n<text class=\"t\" y=\"-28\">",
          width - 20);
  svg_put_text(o, cut);
  svg_put(o, "</text>\n");
}

// ---- the graph and its bodies ----
typedef struct svg_all {
  svg *v;  // each behind the one that it is a body of
  size_t n, cap;
} svg_all;

static bool svg_add(svg_all *all, const svg *p) {
  if (all->n == all->cap) {
    size_t cap = 2 * all->cap + 4;
    svg *v = realloc(all->v, cap * sizeof *v);
    if (!v)
      return false;
    all->v = v;
    all->cap = cap;
  }
  all->v[all->n++] = *p;
  return true;
}

// What is in a fused node says its title.
static bool svg_add_bodies(svg_all *all, const weft_graph *g) {
  for (const weft_node *k = weft_graph_first(g); k; k = weft_node_next(k)) {
    uint32_t n = strcmp(weft_node_type(k), "Fused") ? weft_node_n_graphs(k) : 0;
    for (uint32_t i = 0; i < n; i++) {
      const weft_graph *body = weft_node_graph_at(k, i);
      if (!svg_add(all, &(svg){.g = body, .owner = k, .slot = i}) || !svg_add_bodies(all, body))
        return false;
    }
  }
  return true;
}

static weft_status svg_write(const svg_all *all, weft_file_out *f) {
  svg_out o = {.f = f};
  double w = 0, h = 40;
  for (size_t i = 0; i < all->n; i++) {
    double title = all->v[i].owner ? WIDEST * letter_w : 0;
    double wide = title > all->v[i].at.width ? title : all->v[i].at.width;
    w = wide + 40 > w ? wide + 40 : w;
    h += all->v[i].at.height + (i ? GAP : 0);
  }
  svg_put(&o,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"-20 -20 %.0f "
          "%.0f\">\n",
          w, h, w, h);
  svg_put(&o,
          "<style>text{font:12px sans-serif;fill:#4a5461}.t{font-weight:600;fill:#1d2530}"
          ".e{font-size:11px;text-anchor:middle}.h{stroke:#f6f7f9;stroke-width:4px}"
          "rect{stroke:#7d8896}path{fill:none;stroke:#98a2af;marker-end:url(#a)}</style>\n");
  svg_put(&o,
          "<marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
          "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
          "style=\"fill:#98a2af;stroke:none;marker-end:none\"/></marker>\n");
  svg_put(&o,
          "<rect x=\"-20\" y=\"-20\" width=\"%.0f\" height=\"%.0f\" style=\"fill:#f6f7f9;stroke:none\"/>\n",
          w, h);
  double y = 0;
  for (size_t i = 0; i < all->n; i++) {
    const svg *p = &all->v[i];
    y += i ? GAP : 0;
    svg_put(&o, "<g transform=\"translate(0 %.1f)\">\n", y);
    if (p->owner)
      svg_put_heading(p, &o, w);
    svg_put_graph(p, &o);
    svg_put(&o, "</g>\n");
    y += p->at.height;
  }
  svg_put(&o, "</svg>\n");
  return o.s;
}

static void svg_free(svg *p) {
  free(p->box);
  free(p->made);
  free(p->edge_value);
  free(p->at.box);
  free(p->at.edge);
}

weft_status show_svg(const weft_graph *g, const char *path, weft_diag *d) {
  svg_all all = {0};
  weft_file_out *f = NULL;
  bool ok = svg_add(&all, &(svg){.g = g}) && svg_add_bodies(&all, g);
  for (size_t i = 0; ok && i < all.n; i++)
    ok = svg_collect(&all.v[i]) && svg_lay_out(&all.v[i]);
  weft_status s = ok ? weft_file_create(path, &f, d) : weft_fail(d, WEFT_E_NOMEM, "out of memory");
  if (!s)
    s = weft_file_finish(f, svg_write(&all, f), d);
  for (size_t i = 0; i < all.n; i++)
    svg_free(&all.v[i]);
  free(all.v);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
