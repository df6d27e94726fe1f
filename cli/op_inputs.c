// op_inputs.c - the inputs that `weft op run` is given: by place or by the port's name, lists for dynamic
// ports, _ for what is absent.
#include "op_inputs.h"

#include <ctype.h>

// A literal, with or without its data; false: something else, or wrong.
static bool read_shape(const char *text, weft_tensor *t) {
  size_t used = 0;
  weft_tensor_init(t, limits_allocator());
  if (!weft_tensor_parse(text, strlen(text), NULL, t, &used, NULL) && used == strlen(text))
    return true;
  weft_tensor_deinit(t);
  return false;
}

// One tensor more; `text` is not zero-terminated.
static weft_status add_tensor(op_inputs *in, const char *text, size_t bytes, weft_diag *d) {
  char copy[4096];
  char *own = bytes < sizeof copy ? copy : malloc(bytes + 1);
  if (in->n == OP_INPUTS)
    return weft_fail(d, WEFT_E_LIMIT, "more than %d inputs", OP_INPUTS);
  if (!own)
    return weft_fail(d, WEFT_E_NOMEM, "out of memory");
  memcpy(own, text, bytes);
  own[bytes] = 0;
  weft_tensor *t = &in->tensor[in->n];
  in->in[in->n++] = t;
  bool literal = in->shapes && read_shape(own, t);
  weft_status s = literal ? WEFT_OK : read_tensor(own, t, d);
  if (own != copy)
    free(own);
  return s;
}

// Where the value that begins at `text` ends: at a comma outside brackets and strings, or at `end`.
static const char *value_end(const char *text, const char *end) {
  int depth = 0;
  bool quoted = false;
  for (; text < end; text++) {
    if (*text == '"')
      quoted = !quoted;
    if (quoted && *text == '\\' && text + 1 < end)
      text++;
    if (quoted)
      continue;
    depth += strchr("[{(", *text) != NULL;
    depth -= strchr("]})", *text) != NULL;
    if (*text == ',' && depth <= 0)
      break;
  }
  return text;
}

// [a, b, ...]: `text` begins at the bracket.
static weft_status add_list(op_inputs *in, const char *text, uint32_t *count, weft_diag *d) {
  const char *end = text + strlen(text);
  while (end > text + 1 && isspace((unsigned char)end[-1]))
    end--;
  if (end[-1] != ']')
    return weft_fail(d, WEFT_E_SYNTAX, "'%s': a list of inputs ends in ']'", text);
  end--;
  for (const char *at = text + 1; at < end;) {
    while (at < end && isspace((unsigned char)*at))
      at++;
    const char *to = value_end(at, end);
    const char *last = to;
    while (last > at && isspace((unsigned char)last[-1]))
      last--;
    if (last == at) {
      if (to == end && !*count)
        break;  // []
      return weft_fail(d, WEFT_E_SYNTAX, "'%s': input %u of the list is empty", text, *count);
    }
    WEFT_TRY(add_tensor(in, at, (size_t)(last - at), d));
    ++*count;
    at = to < end ? to + 1 : end;
  }
  return WEFT_OK;
}

static weft_status no_port(const weft_proto *p, const char *text, size_t bytes, weft_diag *d) {
  char list[400] = "none";
  size_t at = 0;
  for (uint32_t i = 0; i < weft_proto_n_in(p) && at < 300; i++)
    at += (size_t)snprintf(list + at, sizeof list - at, "%s%.80s", i ? ", " : "", weft_proto_in(p, i)->name);
  return weft_fail(d, WEFT_E_NOT_FOUND, "operator '%s' has no input '%.*s'; its inputs: %s",
                   weft_proto_op(p)->name, (int)bytes, text, list);
}

// The bytes of "name" in "name=value"; 0: it has no name.
static size_t name_bytes(const char *text) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || text[n] == '_')
    n++;
  return n && text[n] == '=' ? n : 0;
}

static weft_status find_port(const weft_proto *p, const char *text, size_t bytes, uint32_t *next, bool *named,
                             uint32_t *out, weft_diag *d) {
  char name[128];
  if (!bytes) {
    if (*named)
      return weft_fail(d, WEFT_E_INVALID, "'%s': after an input with a name all have one", text);
    *out = (*next)++;
    if (*out < weft_proto_n_in(p))
      return WEFT_OK;
    return weft_fail(d, WEFT_E_INVALID, "'%s' is input %u, operator '%s' has %u", text, *out,
                     weft_proto_op(p)->name, weft_proto_n_in(p));
  }
  *named = true;
  if (bytes >= sizeof name)
    return no_port(p, text, bytes, d);
  memcpy(name, text, bytes);
  name[bytes] = 0;
  int port = weft_proto_find_in(p, name);
  if (port < 0)
    return no_port(p, text, bytes, d);
  *out = (uint32_t)port;
  return WEFT_OK;
}

static weft_status add_port(op_inputs *in, const weft_proto *p, uint32_t port, const char *value,
                            weft_diag *d) {
  uint32_t count = 0;
  weft_status s = WEFT_OK;
  if (*value == '[' && weft_proto_in(p, port)->kind != WEFT_DYNAMIC) {
    return weft_fail(d, WEFT_E_INVALID, "input '%s' takes one tensor, not a list",
                     weft_proto_in(p, port)->name);
  }
  if (*value == '[')
    s = add_list(in, value, &count, d);
  else if (strcmp(value, "_")) {
    s = add_tensor(in, value, strlen(value), d);
    count = 1;
  }
  in->count[port] = count;
  if (s)
    weft_note(d, "in input '%s'", weft_proto_in(p, port)->name);
  return s;
}

// Ports may come in any order; tensors are wanted in that of the ports.
static weft_status op_inputs_read_ports(op_inputs *in, const weft_proto *p, const char *const *text, size_t n,
                                        weft_diag *d) {
  const char *value[OP_INPUTS] = {0};
  uint32_t next = 0;
  bool named = false;
  for (size_t i = 0; i < n; i++) {
    uint32_t port;
    size_t name = name_bytes(text[i]);
    WEFT_TRY(find_port(p, text[i], name, &next, &named, &port, d));
    if (port >= OP_INPUTS)
      return weft_fail(d, WEFT_E_LIMIT, "more than %d inputs", OP_INPUTS);
    if (value[port])
      return weft_fail(d, WEFT_E_DUPLICATE, "input '%s' is given twice", weft_proto_in(p, port)->name);
    value[port] = text[i] + (name ? name + 1 : 0);
  }
  for (uint32_t port = 0; port < weft_proto_n_in(p) && port < OP_INPUTS; port++) {
    if (value[port])
      WEFT_TRY(add_port(in, p, port, value[port], d));
  }
  in->counts = in->count;
  return WEFT_OK;
}

weft_status op_inputs_read(op_inputs *in, const weft_proto *p, const char *const *text, size_t n,
                           weft_diag *d) {
  bool by_port = false;
  for (size_t i = 0; i < n; i++)
    by_port |= text[i][0] == '[' || name_bytes(text[i]);
  if (by_port)
    return op_inputs_read_ports(in, p, text, n, d);
  for (size_t i = 0; i < n; i++) {
    if (strcmp(text[i], "_"))
      WEFT_TRY(add_tensor(in, text[i], strlen(text[i]), d));
    else if (in->n < OP_INPUTS)
      in->in[in->n++] = NULL;
  }
  return WEFT_OK;
}

void op_inputs_drop(op_inputs *in) {
  for (size_t i = 0; i < in->n; i++) {
    if (in->in[i])
      weft_tensor_deinit(&in->tensor[i]);
  }
}
// SPDX-License-Identifier: Apache-2.0
