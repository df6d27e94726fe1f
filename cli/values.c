// values.c - a value of the model by the name that the user gives it; for a name that it does not have, the
// one that was meant.
#include "cli.h"

const char *node_label(const weft_node *n) {
  const weft_attr *type = weft_node_attr(n, "type");
  const bool stands_in = !strcmp(weft_node_type(n), "Unknown") && type && type->type == WEFT_VT_STRING;
  return stands_in ? type->u.s : weft_node_type(n);
}

typedef struct value_search {
  const char *name;
  const weft_value *found;
  nearest near;
  char holding[400];  // names that hold the given one
  size_t holding_bytes, n_holding;
} value_search;

enum { HOLDING_SHOWN = 3 };

static void value_try(value_search *s, const weft_value *v) {
  const char *name = weft_value_name(v);
  if (!strcmp(name, s->name) && !s->found)
    s->found = v;
  nearest_try(&s->near, name, strlen(name));
  if (!strstr(name, s->name) || s->n_holding++ >= HOLDING_SHOWN)
    return;
  char *to = s->holding + s->holding_bytes;
  s->holding_bytes += (size_t)snprintf(to, sizeof s->holding - s->holding_bytes, "%s'%.120s'",
                                       s->holding_bytes ? ", " : "", name);
}

// Those of bodies, too, behind those of the graph around them.
static void value_try_all(value_search *s, const weft_graph *g) {
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++)
    value_try(s, weft_graph_input_at(g, i));
  for (size_t i = 0; i < weft_graph_n_consts(g); i++)
    value_try(s, weft_graph_const_at(g, i));
  for (const weft_node *n = weft_graph_first(g); n; n = weft_node_next(n)) {
    for (uint32_t i = 0; i < weft_node_desc(n)->n_out; i++)
      value_try(s, weft_node_out(n, i));
  }
  for (const weft_node *n = weft_graph_first(g); n && !s->found; n = weft_node_next(n)) {
    for (uint32_t i = 0; i < weft_node_n_graphs(n); i++)
      value_try_all(s, weft_node_graph_at(n, i));
  }
}

// A node has the name: the user sees it in pictures and in messages, and means what it makes.
static weft_status value_of_node(const char *option, const weft_node *n, weft_diag *d) {
  char list[400] = "";
  size_t at = 0;
  for (uint32_t i = 0; i < weft_node_desc(n)->n_out && at < 300; i++) {
    at += (size_t)snprintf(list + at, sizeof list - at, "%s'%.80s'", at ? ", " : "",
                           weft_value_name(weft_node_out(n, i)));
  }
  return weft_fail(d, WEFT_E_NOT_FOUND, "%s: '%.200s' is a node; its outputs are the values: %s", option,
                   weft_node_name(n), at ? list : "none");
}

weft_status find_value(const weft_graph *g, const char *option, const char *name, const weft_value **out,
                       weft_diag *d) {
  value_search s = {.name = name, .near = nearest_to(name, strlen(name))};
  *out = weft_graph_find_value(g, name);
  if (*out)
    return WEFT_OK;
  value_try_all(&s, g);
  *out = s.found;
  if (s.found)
    return WEFT_OK;

  const weft_node *n = weft_graph_find_node(g, name);
  if (n)
    return value_of_node(option, n, d);
  weft_fail(d, WEFT_E_NOT_FOUND, "%s: the model has no value '%.200s'", option, name);
  if (*s.near.word)
    weft_note(d, "did you mean '%s'?", s.near.word);
  else if (*name && s.n_holding)
    weft_note(d, "%zu %s '%.80s' in the name: %s%s", s.n_holding,
              s.n_holding > 1 ? "values have" : "value has", name, s.holding,
              s.n_holding > HOLDING_SHOWN ? ", ..." : "");
  else
    weft_note(d, "`weft infer MODEL` lists the values of the model");
  return WEFT_E_NOT_FOUND;
}
// SPDX-License-Identifier: Apache-2.0
