// catalogue.c - reads AscendIR's prototypes out of the generated table (air_table.h).
// Entries have ports, attributes, dtype symbols and graphs; no functions, columns, formats, value dependence
// or traits: what the prototypes do not say is not invented. Strings are those of the table, arrays lie in
// the caller's arena. Nothing is cached. An entry costs five allocations in the arena (0.3 us in all), a name
// search eleven comparisons.
// `Data` declares a required input 'x' that graphs leave unconnected: whoever enforces R16 exempts it by
// name.
#include "air_table.h"
#include "op/proto.h"

size_t weft__catalogue_count(void) {
  return weft__air_count;
}

const char *weft__catalogue_name(size_t i) {
  return i < weft__air_count ? weft__air_text + weft__air_words[weft__air_start[i]] : NULL;
}

int64_t weft__catalogue_find(const char *name) {
  size_t low = 0;
  size_t high = weft__air_count;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    int order = strcmp(name, weft__catalogue_name(mid));
    if (!order)
      return (int64_t)mid;
    if (order < 0)
      high = mid;
    else
      low = mid + 1;
  }
  return -1;
}

static const char *text_or_null(uint16_t at) {
  return at ? weft__air_text + at : NULL;
}

// Reads `n` ports; the symbols are read already. Dynamic ports have minimum 0 (min_count stays zero).
static const uint16_t *catalogue_read_ports(const uint16_t *w, weft_port *ports, size_t n,
                                            const weft_symbol *types) {
  for (size_t i = 0; i < n; i++, w += 2) {
    unsigned index = w[1] & 0x1fff;
    ports[i].name = weft__air_text + w[0];
    ports[i].kind = (uint8_t)(w[1] >> 14);
    if (w[1] >> 13 & 1)
      ports[i].type = types[index].name;
    else
      ports[i].dtypes = weft__air_sets[index];
  }
  return w;
}

// An output named like an input is that input's buffer.
static void tie_refs(const weft_port *in, size_t n_in, weft_port *out, size_t n_out) {
  for (size_t i = 0; i < n_out; i++) {
    for (size_t k = 0; k < n_in; k++) {
      if (out[i].name == in[k].name)
        out[i].ref = (uint8_t)(k + 1);  // equal strings have one offset
    }
  }
}

weft_status weft__catalogue_op(size_t i, weft_arena *arena, const weft_op **out) {
  if (i >= weft__air_count)
    return WEFT_E_RANGE;
  const uint16_t *w = &weft__air_words[weft__air_start[i]];
  size_t n_in = w[1] >> 8;
  size_t n_out = w[1] & 255;
  size_t n_attr = w[2] >> 8;
  size_t n_types = w[2] >> 4 & 15;
  size_t n_graphs = w[2] & 15;
  weft_op *op = WEFT_NEW(arena, weft_op);
  weft_port *ports = WEFT_NEW_N(arena, weft_port, n_in + n_out + 2);
  weft_attr_decl *attrs = WEFT_NEW_N(arena, weft_attr_decl, n_attr + 1);
  weft_symbol *types = WEFT_NEW_N(arena, weft_symbol, n_types + 1);
  const char **graphs = WEFT_NEW_N(arena, const char *, n_graphs + 1);
  if (!op || !ports || !attrs || !types || !graphs)
    return WEFT_E_NOMEM;
  weft_port *outputs = ports + n_in + 1;

  const uint16_t *at_attr = w + 3 + 2 * (n_in + n_out);
  const uint16_t *at_type = at_attr + n_attr;
  const uint16_t *at_graph = at_type + 3 * n_types;
  for (size_t k = 0; k < n_attr; k++) {
    const uint16_t *a = weft__air_attrs[at_attr[k]];
    attrs[k] = (weft_attr_decl){weft__air_text + a[0], weft__air_text + a[1], text_or_null(a[2])};
  }
  for (size_t k = 0; k < n_types; k++, at_type += 3) {
    types[k] =
        (weft_symbol){weft__air_text + at_type[0], weft__air_sets[at_type[1]], text_or_null(at_type[2])};
  }
  for (size_t k = 0; k < n_graphs; k++)
    graphs[k] = weft__air_text + at_graph[k];
  catalogue_read_ports(catalogue_read_ports(w + 3, ports, n_in, types), outputs, n_out, types);
  tie_refs(ports, n_in, outputs, n_out);

  *op = (weft_op){WEFT_OP_HEAD,
                  .name = weft__air_text + w[0],
                  .in = ports,
                  .out = outputs,
                  .attrs = attrs,
                  .types = n_types ? types : NULL,
                  .graphs = n_graphs ? graphs : NULL};
  *out = op;
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
