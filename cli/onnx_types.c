// onnx_types.c - the inferred types in ONNX's words, for comparison with ONNX's own inference.
#include "cli.h"

static void onnx_types_put_string(const char *s) {
  putchar('"');
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      printf("\\%c", *s);
    else if ((unsigned char)*s < 0x20)
      printf("\\u%04x", (unsigned)*s);
    else
      putchar(*s);
  }
  putchar('"');
}

// A dim that is one symbol whose name is no identifier comes in quotes, "Batch Size": the name alone is
// ONNX's word.
static const char *plain_symbol(char *text) {
  size_t n = strlen(text);
  size_t out = 0;
  if (n < 2 || text[0] != '"')
    return text;
  for (size_t i = 1; i < n - 1; i++) {
    if (text[i] == '"')
      return text;  // an expression with quoted names, or a quote inside: as it is
  }
  if (text[n - 1] != '"')
    return text;
  for (size_t i = 1; i < n - 1; i++) {
    if (text[i] == '\\' && i + 2 < n)
      i++;
    text[out++] = text[i];
  }
  text[out] = 0;
  return text;
}

static const char *elem_type(weft_dtype t) {
  const char *s = weft_dtype_serial(t);
  if (t == WEFT_BF16)
    return "BFLOAT16";
  if (t == WEFT_FLOAT4_E2M1)
    return "FLOAT4E2M1";
  static char text[32];
  if (strncmp(s, "DT_", 3))
    return "UNDEFINED";
  size_t n = 0;
  for (const char *p = s + 3; *p && n + 1 < sizeof text; p++) {
    if (*p != '_')
      text[n++] = *p;  // DT_FLOAT8_E4M3FN -> FLOAT8E4M3FN
  }
  text[n] = 0;
  return text;
}

static void onnx_types_put_tensor(const weft_tensor_desc *desc, const weft_symbols *symbols) {
  const weft_shape *s = &desc->layout.origin;
  char text[512];
  printf("{\"kind\": \"tensor\", \"elem_type\": \"%s\"", elem_type(desc->dtype));
  if (s->rank != WEFT_RANK_UNSET && !weft_shape_is_unknown_rank(s)) {
    printf(", \"shape\": [");
    for (size_t i = 0; i < s->rank; i++) {
      if (i)
        printf(", ");
      if (s->dim[i] >= 0)
        printf("%lld", (long long)s->dim[i]);
      else if (!weft_dim_is_symbol(s->dim[i]))
        printf("null");
      else {
        (void)weft_dim_text(symbols, s->dim[i], text, sizeof text);
        onnx_types_put_string(plain_symbol(text));
      }
    }
    printf("]");
  }
  printf("}");
}

// Of a map the keys are not described: ZipMap has them as its second input.
static const char *onnx_types_key(const weft_value *v) {
  const weft_node *n = weft_value_node(v, NULL);
  weft_tensor_desc keys;
  if (!n || weft_node_desc(n)->n_in < 2)
    return "UNDEFINED";
  weft_value_desc(weft_node_in(n, 1), &keys);
  return elem_type(keys.dtype);
}

static void onnx_types_put_value(const weft_value *v, const weft_symbols *symbols, bool *first) {
  weft_tensor_desc desc;
  weft_value_expected(v, &desc);
  if (desc.dtype == WEFT_UNDEFINED)
    return;
  printf("%s", *first ? "" : ", ");
  *first = false;
  onnx_types_put_string(weft_value_name(v));
  printf(": ");
  if (desc.kind > WEFT_KIND_OPTIONAL_SEQUENCE) {
    bool map = desc.kind == WEFT_KIND_MAP;
    printf("%s{\"kind\": \"map\", \"key\": \"%s\"",
           map ? "" : "{\"kind\": \"sequence\", \"elem\": ", onnx_types_key(v));
    printf(", \"value\": {\"kind\": \"tensor\", \"elem_type\": \"%s\", \"shape\": []}}%s",
           elem_type(desc.dtype), map ? "" : "}");
    return;
  }
  const char *open = desc.kind == WEFT_KIND_SEQUENCE ? "{\"kind\": \"sequence\", \"elem\": "
                     : desc.kind == WEFT_KIND_TENSOR ? ""
                                                     : "{\"kind\": \"optional\", \"elem\": ";
  bool both = desc.kind == WEFT_KIND_OPTIONAL_SEQUENCE;
  printf("%s%s", open, both ? "{\"kind\": \"sequence\", \"elem\": " : "");
  onnx_types_put_tensor(&desc, symbols);
  printf("%s%s", *open ? "}" : "", both ? "}" : "");
}

void print_onnx_types(const weft_graph *g) {
  const weft_symbols *symbols = weft_graph_symbols(g);
  bool first = true;
  printf("{\"types\": {");
  for (size_t i = 0; i < weft_graph_n_inputs(g); i++)
    onnx_types_put_value(weft_graph_input_at(g, i), symbols, &first);
  for (size_t i = 0; i < weft_graph_n_consts(g); i++)
    onnx_types_put_value(weft_graph_const_at(g, i), symbols, &first);
  for (const weft_node *n = weft_graph_first(g); n; n = weft_node_next(n)) {
    for (uint32_t i = 0; i < weft_node_desc(n)->n_out; i++)
      onnx_types_put_value(weft_node_out(n, i), symbols, &first);
  }
  printf("}}\n");
}
// SPDX-License-Identifier: Apache-2.0
