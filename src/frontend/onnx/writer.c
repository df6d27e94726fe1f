// writer.c - protobuf writing, and ONNX messages on top of it.
// `open` holds the messages begun and not closed; the model itself, the outermost message, is not among them.
// Invariant: while nothing is wrong, every open[i].start <= out->n. After a failure all calls do nothing.
#include "frontend/onnx/writer.h"

enum { PLAIN, GRAPH, FUNCTION, NODE, ATTR };  // kinds of open messages

// ---- protobuf ----

static bool stopped(const onnxw *w) {
  return w->wrong || w->out->failed;
}

static size_t put_varint(uint8_t buf[10], uint64_t v) {
  size_t n = 0;
  for (; v >= 0x80; v >>= 7)
    buf[n++] = (uint8_t)(v | 0x80);
  buf[n++] = (uint8_t)v;
  return n;
}

static void writer_put(onnxw *w, const void *data, size_t bytes) {
  if (!stopped(w) && bytes)
    weft__text_add(w->out, data, bytes);
}

static void varint(onnxw *w, uint64_t v) {
  uint8_t buf[10];
  writer_put(w, buf, put_varint(buf, v));
}

static void fixed(onnxw *w, uint64_t bits, size_t bytes) {
  uint8_t buf[8];
  for (size_t i = 0; i < bytes; i++)
    buf[i] = (uint8_t)(bits >> (8 * i));
  writer_put(w, buf, bytes);
}

static void tag(onnxw *w, uint32_t field, uint32_t type) {
  varint(w, (uint64_t)field << 3 | type);
}

void onnxw_init(onnxw *w, weft_text *out) {
  w->out = out;
  w->wrong = NULL;
  w->depth = 0;
}

void onnxw_int(onnxw *w, uint32_t field, int64_t v) {
  tag(w, field, WIRE_VARINT);
  varint(w, (uint64_t)v);
}

static void float_bits(onnxw *w, float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  fixed(w, bits, 4);
}

void onnxw_float(onnxw *w, uint32_t field, float v) {
  tag(w, field, WIRE_FIXED32);
  float_bits(w, v);
}

void onnxw_double(onnxw *w, uint32_t field, double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  tag(w, field, WIRE_FIXED64);
  fixed(w, bits, 8);
}

void onnxw_bytes(onnxw *w, uint32_t field, const void *data, size_t bytes) {
  tag(w, field, WIRE_BYTES);
  varint(w, bytes);
  writer_put(w, data, bytes);
}

void onnxw_str(onnxw *w, uint32_t field, const char *text) {
  if (text)
    onnxw_bytes(w, field, text, strlen(text));
}

static void open_as(onnxw *w, uint32_t field, uint8_t kind) {
  if (stopped(w))
    return;
  if (w->depth == ONNXW_DEPTH) {
    w->wrong = "messages nested too deeply";
    return;
  }
  tag(w, field, WIRE_BYTES);
  varint(w, 0);  // one byte for the length; close makes room for more
  w->open[w->depth].kind = kind;
  w->open[w->depth++].start = w->out->n;
}

void onnxw_open(onnxw *w, uint32_t field) {
  open_as(w, field, PLAIN);
}

void onnxw_close(onnxw *w) {
  if (stopped(w))
    return;
  if (!w->depth) {
    w->wrong = "close without open message";
    return;
  }
  size_t start = w->open[--w->depth].start;
  size_t bytes = w->out->n - start;
  uint8_t length[10] = {0};
  size_t n = put_varint(length, bytes);
  weft__text_add(w->out, (const char *)length, n - 1);  // room
  if (stopped(w))
    return;
  memmove(w->out->v + start + n - 1, w->out->v + start, bytes);
  memcpy(w->out->v + start - 1, length, n);
}

void onnxw_ints(onnxw *w, uint32_t field, const int64_t *v, size_t n) {
  if (!n)
    return;
  onnxw_open(w, field);
  for (size_t i = 0; i < n; i++)
    varint(w, (uint64_t)v[i]);
  onnxw_close(w);
}

void onnxw_floats(onnxw *w, uint32_t field, const float *v, size_t n) {
  if (!n)
    return;
  onnxw_open(w, field);
  for (size_t i = 0; i < n; i++)
    float_bits(w, v[i]);
  onnxw_close(w);
}

// ---- what is open ----

static uint8_t top(const onnxw *w) {
  return w->depth ? w->open[w->depth - 1].kind : PLAIN;
}

static void close_node(onnxw *w) {
  if (top(w) == NODE)
    onnxw_close(w);
}

// After a node, if any, is closed: is a message of this kind open? Otherwise `wrong` is set.
static bool writer_inside(onnxw *w, uint8_t kind, const char *wrong) {
  if (kind != NODE)
    close_node(w);
  if (!w->wrong && top(w) != kind)
    w->wrong = wrong;
  return !stopped(w);
}

// Each part of "a,b,,c" as one string field; NULL and "" have no parts.
static void writer_split(onnxw *w, uint32_t field, const char *names) {
  if (!names || !*names)
    return;
  for (;;) {
    size_t n = strcspn(names, ",");
    onnxw_bytes(w, field, names, n);
    if (!names[n])
      return;
    names += n + 1;
  }
}

// ---- model ----

static void pair(onnxw *w, uint32_t field, const char *key, const char *text) {
  onnxw_open(w, field);
  onnxw_str(w, 1, key);
  onnxw_str(w, 2, text);
  onnxw_close(w);
}

void onnxw_begin(onnxw *w, weft_text *out, int64_t ir_version, int64_t opset) {
  onnxw_init(w, out);
  onnxw_int(w, 1, ir_version);
  onnxw_str(w, 2, "weft");
  if (opset)
    onnxw_opset(w, "", opset);
}

void onnxw_opset(onnxw *w, const char *domain, int64_t version) {
  close_node(w);
  if (top(w) == GRAPH)
    w->wrong = "opset import inside a graph";
  onnxw_open(w, top(w) == FUNCTION ? 9 : 8);
  onnxw_str(w, 1, domain);
  onnxw_int(w, 2, version);
  onnxw_close(w);
}

void onnxw_metadata(onnxw *w, const char *key, const char *text) {
  static const uint8_t fields[] = {[PLAIN] = 14, [GRAPH] = 16, [FUNCTION] = 14, [NODE] = 9, [ATTR] = 0};
  if (top(w) == ATTR && !w->wrong)
    w->wrong = "metadata of an attribute";
  pair(w, fields[top(w)], key, text);
}

void onnxw_graph(onnxw *w, const char *name) {
  if (w->depth && !w->wrong)
    w->wrong = "graph inside another message";
  open_as(w, 7, GRAPH);
  onnxw_str(w, 2, name);
}

void onnxw_function(onnxw *w, const char *domain, const char *name, const char *inputs, const char *outputs,
                    const char *attributes) {
  close_node(w);
  if (w->depth == 1 && top(w) == GRAPH)
    onnxw_close(w);
  if (w->depth && !w->wrong)
    w->wrong = "function inside another message";
  open_as(w, 25, FUNCTION);
  onnxw_str(w, 1, name);
  writer_split(w, 4, inputs);
  writer_split(w, 5, outputs);
  writer_split(w, 6, attributes);
  onnxw_str(w, 10, domain);
}

void onnxw_function_end(onnxw *w) {
  if (writer_inside(w, FUNCTION, "end of a function that is not open"))
    onnxw_close(w);
}

weft_status onnxw_finish(onnxw *w, weft_diag *d) {
  while (w->depth && !stopped(w))
    onnxw_close(w);
  if (w->out->failed)
    return weft_fail(d, WEFT_E_NOMEM, "writing ONNX: out of memory behind %zu bytes", w->out->n);
  if (w->wrong)
    return weft_fail(d, WEFT_E_STATE, "writing ONNX: %s", w->wrong);
  return WEFT_OK;
}

// ---- graph ----

static void tensor_type(onnxw *w, int32_t data_type, int rank, const int64_t *dims,
                        const char *const *params) {
  onnxw_open(w, 2);  // TypeProto
  onnxw_open(w, 1);  // tensor_type
  onnxw_int(w, 1, data_type);
  if (rank >= 0)
    onnxw_open(w, 2);
  for (int i = 0; i < rank; i++) {
    onnxw_open(w, 1);
    if (dims[i] >= 0)
      onnxw_int(w, 1, dims[i]);
    else if (params && params[i])
      onnxw_str(w, 2, params[i]);
    onnxw_close(w);
  }
  if (rank >= 0)
    onnxw_close(w);
  onnxw_close(w);
  onnxw_close(w);
}

static void writer_value(onnxw *w, uint32_t field, const char *name, int32_t data_type, int rank,
                         const int64_t *dims, const char *const *params) {
  if (!writer_inside(w, GRAPH, "input, output or value outside a graph"))
    return;
  onnxw_open(w, field);
  onnxw_str(w, 1, name);
  tensor_type(w, data_type, rank, dims, params);
  onnxw_close(w);
}

void onnxw_input(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                 const char *const *params) {
  writer_value(w, 11, name, data_type, rank, dims, params);
}

void onnxw_output(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                  const char *const *params) {
  writer_value(w, 12, name, data_type, rank, dims, params);
}

void onnxw_value_info(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                      const char *const *params) {
  writer_value(w, 13, name, data_type, rank, dims, params);
}

static void tensor_head(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims) {
  onnxw_ints(w, 1, dims, rank > 0 ? (size_t)rank : 0);
  onnxw_int(w, 2, data_type);
  onnxw_str(w, 8, name);
}

// Bytes of rank dims of elements of this size; false and `wrong` set when negative or too many.
static bool tensor_bytes(onnxw *w, int rank, const int64_t *dims, size_t size, size_t *out) {
  int64_t n = (int64_t)size;
  for (int i = 0; i < rank; i++) {
    if ((dims[i] < 0 || !weft__mul_i64(n, dims[i], &n)) && !w->wrong)
      w->wrong = "a dim of an initializer is negative or too large";
  }
  *out = (size_t)n;
  return !w->wrong;
}

void onnxw_init_raw(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                    const void *data, size_t bytes) {
  if (!writer_inside(w, GRAPH, "initializer outside a graph"))
    return;
  onnxw_open(w, 5);
  tensor_head(w, name, data_type, rank, dims);
  onnxw_bytes(w, 9, data, bytes);
  onnxw_close(w);
}

void onnxw_init_message(onnxw *w, const void *tensor, size_t bytes) {
  if (writer_inside(w, GRAPH, "initializer outside a graph"))
    onnxw_bytes(w, 5, tensor, bytes);
}

void onnxw_init_f32(onnxw *w, const char *name, int rank, const int64_t *dims, const float *data) {
  size_t bytes;
  if (!writer_inside(w, GRAPH, "initializer outside a graph") || !tensor_bytes(w, rank, dims, 4, &bytes))
    return;
  onnxw_open(w, 5);
  tensor_head(w, name, ONNX_FLOAT, rank, dims);
  tag(w, 9, WIRE_BYTES);
  varint(w, bytes);
  for (size_t i = 0; i < bytes / 4; i++)
    float_bits(w, data[i]);
  onnxw_close(w);
}

void onnxw_init_i64(onnxw *w, const char *name, int rank, const int64_t *dims, const int64_t *data) {
  size_t bytes;
  if (!writer_inside(w, GRAPH, "initializer outside a graph") || !tensor_bytes(w, rank, dims, 8, &bytes))
    return;
  onnxw_open(w, 5);
  tensor_head(w, name, ONNX_INT64, rank, dims);
  tag(w, 9, WIRE_BYTES);
  varint(w, bytes);
  for (size_t i = 0; i < bytes / 8; i++)
    fixed(w, (uint64_t)data[i], 8);
  onnxw_close(w);
}

void onnxw_init_external(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                         const onnxw_external *data) {
  char text[24];
  if (!writer_inside(w, GRAPH, "initializer outside a graph"))
    return;
  onnxw_open(w, 5);
  tensor_head(w, name, data_type, rank, dims);
  pair(w, 13, "location", data->location);
  snprintf(text, sizeof text, "%lld", (long long)data->offset);
  pair(w, 13, "offset", text);
  snprintf(text, sizeof text, "%lld", (long long)data->bytes);
  pair(w, 13, "length", text);
  onnxw_int(w, 14, ONNX_LOCATION_EXTERNAL);
  onnxw_close(w);
}

// ---- node ----

// Opens a node where nodes may be: in a graph or a function.
static bool begin_node(onnxw *w) {
  close_node(w);
  uint8_t kind = top(w);
  if (kind != GRAPH && kind != FUNCTION && !w->wrong)
    w->wrong = "node outside a graph or function";
  open_as(w, kind == FUNCTION ? 7 : 1, NODE);
  return !stopped(w);
}

void onnxw_node(onnxw *w, const char *op_type, const char *name, const char *const *inputs, size_t n_inputs,
                const char *const *outputs, size_t n_outputs) {
  if (!begin_node(w))
    return;
  for (size_t i = 0; i < n_inputs; i++)
    onnxw_str(w, 1, inputs[i] ? inputs[i] : "");
  for (size_t i = 0; i < n_outputs; i++)
    onnxw_str(w, 2, outputs[i] ? outputs[i] : "");
  onnxw_str(w, 3, name);
  onnxw_str(w, 4, op_type);
}

void onnxw_op(onnxw *w, const char *op_type, const char *name, const char *inputs, const char *outputs) {
  if (!begin_node(w))
    return;
  writer_split(w, 1, inputs);
  writer_split(w, 2, outputs);
  onnxw_str(w, 3, name);
  onnxw_str(w, 4, op_type);
}

void onnxw_domain(onnxw *w, const char *domain) {
  if (writer_inside(w, NODE, "domain without open node"))
    onnxw_str(w, 7, domain);
}

static bool begin_attr(onnxw *w, const char *name, int32_t type) {
  if (!writer_inside(w, NODE, "attribute without open node"))
    return false;
  open_as(w, 5, ATTR);
  onnxw_str(w, 1, name);
  onnxw_int(w, 20, type);
  return true;
}

void onnxw_attr_int(onnxw *w, const char *name, int64_t v) {
  if (!begin_attr(w, name, ONNX_ATTR_INT))
    return;
  onnxw_int(w, 3, v);
  onnxw_close(w);
}

void onnxw_attr_float(onnxw *w, const char *name, float v) {
  if (!begin_attr(w, name, ONNX_ATTR_FLOAT))
    return;
  onnxw_float(w, 2, v);
  onnxw_close(w);
}

void onnxw_attr_str(onnxw *w, const char *name, const char *v) {
  onnxw_attr_bytes(w, name, v, strlen(v));
}

void onnxw_attr_bytes(onnxw *w, const char *name, const void *v, size_t bytes) {
  if (!begin_attr(w, name, ONNX_ATTR_STRING))
    return;
  onnxw_bytes(w, 4, v, bytes);
  onnxw_close(w);
}

// Lists of attributes are not packed in the proto: one field an element.
void onnxw_attr_ints(onnxw *w, const char *name, const int64_t *v, size_t n) {
  if (!begin_attr(w, name, ONNX_ATTR_INTS))
    return;
  for (size_t i = 0; i < n; i++)
    onnxw_int(w, 8, v[i]);
  onnxw_close(w);
}

void onnxw_attr_floats(onnxw *w, const char *name, const float *v, size_t n) {
  if (!begin_attr(w, name, ONNX_ATTR_FLOATS))
    return;
  for (size_t i = 0; i < n; i++)
    onnxw_float(w, 7, v[i]);
  onnxw_close(w);
}

void onnxw_attr_strs(onnxw *w, const char *name, const char *const *v, size_t n) {
  if (!begin_attr(w, name, ONNX_ATTR_STRINGS))
    return;
  for (size_t i = 0; i < n; i++)
    onnxw_str(w, 9, v[i]);
  onnxw_close(w);
}

void onnxw_attr_tensor(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                       const void *data, size_t bytes) {
  if (!begin_attr(w, name, ONNX_ATTR_TENSOR))
    return;
  onnxw_open(w, 5);
  tensor_head(w, NULL, data_type, rank, dims);
  onnxw_bytes(w, 9, data, bytes);
  onnxw_close(w);
  onnxw_close(w);
}

void onnxw_attr_ref(onnxw *w, const char *name, int32_t type, const char *outer_name) {
  if (!begin_attr(w, name, type))
    return;
  onnxw_str(w, 21, outer_name);
  onnxw_close(w);
}

void onnxw_attr_graph(onnxw *w, const char *name, const char *graph_name) {
  if (!begin_attr(w, name, ONNX_ATTR_GRAPH))
    return;
  open_as(w, 6, GRAPH);
  onnxw_str(w, 2, graph_name);
}

void onnxw_attr_graph_end(onnxw *w) {
  if (!writer_inside(w, GRAPH, "end of a sub-graph that is not open"))
    return;
  if (w->depth < 2 || w->open[w->depth - 2].kind != ATTR) {
    w->wrong = "end of a sub-graph that is not open";
    return;
  }
  onnxw_close(w);
  onnxw_close(w);
}

void onnxw_tensor_file(onnxw *w, const char *name, int32_t data_type, int rank, const int64_t *dims,
                       const void *data, size_t bytes) {
  tensor_head(w, name, data_type, rank, dims);
  onnxw_bytes(w, 9, data, bytes);
}
// SPDX-License-Identifier: Apache-2.0
