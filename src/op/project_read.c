// project_read.c - reads msOpGen's JSON into a checked description. Everything is checked here: names are
// identifiers, so they are safe as file names and in C; lists have one length; dtypes, formats, types and
// defaults are known. Messages begin with file and line and name the field by its path.
#include "base/chars.h"
#include "op/infer_node.h"
#include "op/project.h"

typedef struct reader {
  project *p;
  char prefix[32];         // "[1]." when there are several operators
  const weft_json *first;  // the list that gives the number of columns
  char first_path[64];
} reader;

enum { SHOWN = 40 };

static weft_status project_read_bad(const reader *r, const weft_json *at, weft_status s, const char *fmt, ...)
    WEFT_PRINTF(4, 5);
static weft_status project_read_bad(const reader *r, const weft_json *at, weft_status s, const char *fmt,
                                    ...) {
  char text[900];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return weft_fail(r->p->d, s, "%s:%u: %s%s", r->p->file_name, at->line, r->prefix, text);
}

// A string of the description in a message: short and on one line.
static const char *shown(const weft_json *v, char buf[SHOWN + 4]) {
  size_t n = v->s_bytes <= SHOWN ? v->s_bytes : weft__utf8_cut(v->s, SHOWN);
  for (size_t i = 0; i < n; i++)
    buf[i] = (unsigned char)v->s[i] < 0x20 || v->s[i] == 0x7F ? '?' : v->s[i];
  memcpy(buf + n, "...", 4);
  if (n == v->s_bytes)
    buf[n] = 0;
  return buf;
}

static const char *kind_text(const weft_json *v) {
  static const char *const names[] = {"null", "true or false", "a number", "a string", "a list", "an object"};
  return v->kind <= WEFT_JSON_OBJECT ? names[v->kind] : "?";
}

// ---- the nearest word ----

static char project_read_small(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}
static char capital(char c) {
  return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

// "; did you mean 'float16'?", or nothing when no word is near.
static const char *suggest(const weft_json *got, const char *const *words, size_t n, char buf[64]) {
  size_t best = WEFT_MIN(4, got->s_bytes / 3 + 2);
  buf[0] = 0;
  for (size_t i = 0; i < n; i++) {
    size_t k = weft_name_distance(got->s, got->s_bytes, words[i], best);
    if (k < best) {
      best = k;
      snprintf(buf, 64, "; did you mean '%s'?", words[i]);
    }
  }
  return buf;
}

static const char *const DTYPE_WORDS[] = {
    "float16",  "fp16",      "float",     "float32",     "fp32",         "double", "bf16",
    "bfloat16", "int4",      "int8",      "int16",       "int32",        "int64",  "uint1",
    "uint4",    "uint8",     "uint16",    "uint32",      "uint64",       "bool",   "string",
    "resource", "complex32", "complex64", "complex128",  "qint8",        "qint16", "qint32",
    "quint8",   "quint16",   "hifloat8",  "float8_e5m2", "float8_e4m3fn"};
static const char *const FORMAT_WORDS[] = {
#define WEFT_X(name, number, serial) serial,
    WEFT_FORMAT_LIST(WEFT_X)
#undef WEFT_X
};
static const struct {
  const char *word;  // without '_'
  const char *shown;
  weft_attr_type type;
} ATTR_TYPES[] = {{"int", "int", WEFT_VT_INT},
                  {"int64", "int", WEFT_VT_INT},
                  {"float", "float", WEFT_VT_FLOAT},
                  {"bool", "bool", WEFT_VT_BOOL},
                  {"string", "string", WEFT_VT_STRING},
                  {"str", "string", WEFT_VT_STRING},
                  {"datatype", "data_type", WEFT_VT_TYPE},
                  {"dtype", "data_type", WEFT_VT_TYPE},
                  {"type", "data_type", WEFT_VT_TYPE},
                  {"tensor", "tensor", WEFT_VT_TENSOR},
                  {"listint", "list_int", WEFT_VT_LIST_INT},
                  {"listfloat", "list_float", WEFT_VT_LIST_FLOAT},
                  {"listbool", "list_bool", WEFT_VT_LIST_BOOL},
                  {"liststring", "list_string", WEFT_VT_LIST_STRING},
                  {"liststr", "list_string", WEFT_VT_LIST_STRING},
                  {"listdatatype", "list_data_type", WEFT_VT_LIST_TYPE},
                  {"listtype", "list_data_type", WEFT_VT_LIST_TYPE},
                  {"listlistint", "list_list_int", WEFT_VT_LIST_LIST_INT}};

// ---- fields ----

static weft_status known_keys(const reader *r, const weft_json *o, const char *path, const char *const *keys,
                              size_t n) {
  char near[64];
  char text[SHOWN + 4];
  if (o->kind != WEFT_JSON_OBJECT) {
    return project_read_bad(r, o, WEFT_E_TYPE, "%s: expected an object, got %s",
                            *path ? path : "the operator", kind_text(o));
  }
  for (size_t i = 0; i < o->n; i++) {
    size_t k = 0;
    while (k < n && strcmp(o->keys[i], keys[k]))
      k++;
    if (k < n)
      continue;
    weft_json key = {.s = o->keys[i], .s_bytes = strlen(o->keys[i])};
    suggest(&key, keys, n, near);
    char all[128] = "";
    size_t at = 0;
    for (k = 0; k < n; k++)
      weft__append(all, sizeof all, &at, "%s%s", k ? ", " : "", keys[k]);
    return project_read_bad(r, &o->items[i], WEFT_E_NOT_FOUND,
                            "%s%s'%s' is not a key here, expected one of %s%s", path, *path ? ": " : "",
                            shown(&key, text), all, near);
  }
  return WEFT_OK;
}

static weft_status field(const reader *r, const weft_json *o, const char *path, const char *key,
                         weft_json_kind kind, bool required, const weft_json **out) {
  const weft_json *v = weft__json_get(o, key);
  const char *dot = *path ? "." : "";
  *out = v;
  if (!v && required)
    return project_read_bad(r, o, WEFT_E_MISSING, "%s%s%s is missing", path, dot, key);
  if (v && v->kind != kind) {
    weft_json expected = {.kind = kind};
    return project_read_bad(r, v, WEFT_E_TYPE, "%s%s%s: expected %s, got %s", path, dot, key,
                            kind_text(&expected), kind_text(v));
  }
  return WEFT_OK;
}

bool project_identifier(const char *text, size_t bytes) {
  if (!bytes || bytes > PROJECT_MAX_NAME)
    return false;
  for (size_t i = 0; i < bytes; i++) {
    char c = project_read_small(text[i]);
    if (!(c >= 'a' && c <= 'z') && (!i || (c != '_' && !(c >= '0' && c <= '9'))))
      return false;
  }
  return true;
}

static weft_status read_name(const reader *r, const weft_json *o, const char *path, const char *key,
                             const char **out) {
  const weft_json *v;
  char text[SHOWN + 4];
  const char *dot = *path ? "." : "";
  WEFT_TRY(field(r, o, path, key, WEFT_JSON_STRING, true, &v));
  if (!v->s_bytes)
    return project_read_bad(r, v, WEFT_E_INVALID, "%s%s%s is empty", path, dot, key);
  if (!project_identifier(v->s, v->s_bytes)) {
    return project_read_bad(
        r, v, WEFT_E_INVALID,
        "%s%s%s '%s' (%u characters) is no name: expected a letter, then up to %d letters, digits and '_'",
        path, dot, key, shown(v, text), (unsigned)v->s_bytes, PROJECT_MAX_NAME - 1);
  }
  *out = v->s;
  return WEFT_OK;
}

static char *mapped(project *p, const char *text, char (*map)(char)) {
  char *to = weft__arena_strdup(&p->arena, text, strlen(text));
  for (char *c = to; c && *c; c++)
    *c = map(*c);
  return to;
}

// AddCustom: add_custom; Conv2D: conv2d; ABCDef: abc_def; Abc2DEf: abc2d_ef.
static char *snake(project *p, const char *type) {
  size_t n = strlen(type);
  size_t at = 0;
  char *to = weft__arena_zalloc(&p->arena, 2 * n + 1, 1);
  for (size_t i = 0; to && i < n; i++) {
    bool big = type[i] != project_read_small(type[i]);
    bool after_small = i && type[i - 1] != capital(type[i - 1]);
    bool after_big = i && type[i - 1] != project_read_small(type[i - 1]);
    bool before_small = type[i + 1] != capital(type[i + 1]);
    if (big && (after_small || (after_big && before_small)))
      to[at++] = '_';
    to[at++] = project_read_small(type[i]);
  }
  return to;
}

// ---- ports ----

static weft_status check_length(reader *r, const weft_json *list, const char *path) {
  if (!r->first) {
    if (!list->n)
      return project_read_bad(r, list, WEFT_E_MISSING, "%s is empty: a port has at least one entry", path);
    if (list->n > PROJECT_MAX_COLUMNS) {
      return project_read_bad(r, list, WEFT_E_LIMIT, "%s has %zu entries, at most %d are allowed", path,
                              list->n, PROJECT_MAX_COLUMNS);
    }
    r->first = list;
    snprintf(r->first_path, sizeof r->first_path, "%s", path);
  }
  if (list->n == r->first->n)
    return WEFT_OK;
  return project_read_bad(r, list, WEFT_E_INVALID, "%s has %zu entries, %s has %zu", path, list->n,
                          r->first_path, r->first->n);
}

static weft_status read_list(reader *r, const weft_json *port, const char *port_path, bool formats,
                             void *out) {
  const weft_json *list;
  char path[64];
  char near[64];
  char text[SHOWN + 4];
  const char *key = formats ? "format" : "type";
  WEFT_TRY(field(r, port, port_path, key, WEFT_JSON_ARRAY, true, &list));
  snprintf(path, sizeof path, "%s.%s", port_path, key);
  WEFT_TRY(check_length(r, list, path));
  for (size_t i = 0; i < list->n; i++) {
    const weft_json *v = &list->items[i];
    if (v->kind != WEFT_JSON_STRING)
      return project_read_bad(r, v, WEFT_E_TYPE, "%s[%zu]: expected a string, got %s", path, i, kind_text(v));
    weft_format f = weft_format_parse(v->s, v->s_bytes);
    weft_dtype t = weft_dtype_parse(v->s, v->s_bytes);
    if (formats && f == WEFT_FORMAT_RESERVED) {
      return project_read_bad(r, v, WEFT_E_FORMAT, "%s[%zu]: '%s' is not a format%s", path, i, shown(v, text),
                              suggest(v, FORMAT_WORDS, WEFT_COUNT(FORMAT_WORDS), near));
    }
    if (!formats && t == WEFT_UNDEFINED) {
      return project_read_bad(r, v, WEFT_E_DTYPE, "%s[%zu]: '%s' is not a dtype%s", path, i, shown(v, text),
                              suggest(v, DTYPE_WORDS, WEFT_COUNT(DTYPE_WORDS), near));
    }
    if (formats)
      ((weft_format *)out)[i] = f;
    else
      ((weft_dtype *)out)[i] = t;
  }
  return WEFT_OK;
}

static weft_status read_kind(const reader *r, const weft_json *o, const char *path, bool attr, int *out) {
  static const char *const kinds[] = {"required", "optional", "dynamic"};
  const weft_json *v;
  char text[SHOWN + 4];
  WEFT_TRY(field(r, o, path, "param_type", WEFT_JSON_STRING, false, &v));
  for (int i = 0; v && i < (attr ? 2 : 3); i++) {
    if (!strcmp(v->s, kinds[i]))
      return *out = i, WEFT_OK;
  }
  if (!v)
    return WEFT_OK;
  return project_read_bad(r, v, WEFT_E_INVALID, "%s.param_type '%s': expected required%s", path,
                          shown(v, text), attr ? " or optional" : ", optional or dynamic");
}

// The names of earlier items; `stride` bytes apart, name and capital name first.
static weft_status project_read_unique(const reader *r, const weft_json *at, const char *list,
                                       const void *items, size_t i, size_t stride) {
  const char *const *me = (const char *const *)((const char *)items + i * stride);
  for (size_t k = 0; k < i; k++) {
    const char *const *other = (const char *const *)((const char *)items + k * stride);
    if (!strcmp(me[0], other[0])) {
      return project_read_bad(r, at, WEFT_E_DUPLICATE, "%s[%zu].name '%s' is that of %s[%zu] already", list,
                              i, me[0], list, k);
    }
    if (!strcmp(me[1], other[1])) {
      return project_read_bad(r, at, WEFT_E_DUPLICATE,
                              "%s[%zu].name '%s' and %s[%zu].name '%s' differ in letter case only: their "
                              "constants would have one name",
                              list, i, me[0], list, k, other[0]);
    }
  }
  return WEFT_OK;
}

static weft_status read_port(reader *r, const weft_json *o, const char *path, project_port *port) {
  static const char *const keys[] = {"name", "param_type", "format", "type"};
  int kind = WEFT_REQUIRED;
  WEFT_TRY(known_keys(r, o, path, keys, WEFT_COUNT(keys)));
  WEFT_TRY(read_name(r, o, path, "name", &port->name));
  WEFT_TRY(read_kind(r, o, path, false, &kind));
  port->kind = (uint8_t)kind;
  port->upper = mapped(r->p, port->name, capital);
  weft_dtype *dtype = WEFT_NEW_N(&r->p->arena, weft_dtype, PROJECT_MAX_COLUMNS);
  weft_format *format = WEFT_NEW_N(&r->p->arena, weft_format, PROJECT_MAX_COLUMNS);
  WEFT_TRY(project_allocated(port->upper && dtype && format, r->p));
  port->dtype = dtype;
  port->format = format;
  WEFT_TRY(read_list(r, o, path, false, dtype));
  return read_list(r, o, path, true, format);
}

static weft_status project_read_read_ports(reader *r, const weft_json *op, const char *key,
                                           project_port **out, size_t *out_n) {
  const weft_json *list;
  char path[32];
  WEFT_TRY(field(r, op, "", key, WEFT_JSON_ARRAY, true, &list));
  if (list->n > PROJECT_MAX_PORTS) {
    return project_read_bad(r, list, WEFT_E_LIMIT, "%s has %zu entries, at most %d are allowed", key, list->n,
                            PROJECT_MAX_PORTS);
  }
  project_port *ports = WEFT_NEW_N(&r->p->arena, project_port, list->n + 1);
  WEFT_TRY(project_allocated(ports, r->p));
  for (size_t i = 0; i < list->n; i++) {
    snprintf(path, sizeof path, "%s[%zu]", key, i);
    WEFT_TRY(read_port(r, &list->items[i], path, &ports[i]));
    WEFT_TRY(project_read_unique(r, &list->items[i], key, ports, i, sizeof *ports));
  }
  *out = ports;
  *out_n = list->n;
  return WEFT_OK;
}

// ---- attributes ----

static weft_status read_attr_type(const reader *r, const weft_json *o, const char *path,
                                  weft_attr_type *out) {
  const weft_json *v;
  const char *words[WEFT_COUNT(ATTR_TYPES)];
  char plain[32];
  char near[64];
  char text[SHOWN + 4];
  size_t n = 0;
  WEFT_TRY(field(r, o, path, "type", WEFT_JSON_STRING, true, &v));
  for (size_t i = 0; i < v->s_bytes && n + 1 < sizeof plain; i++) {
    if (!strchr("_()", v->s[i]))
      plain[n++] = project_read_small(v->s[i]);
  }
  plain[n] = 0;
  for (size_t i = 0; i < WEFT_COUNT(ATTR_TYPES); i++) {
    words[i] = ATTR_TYPES[i].shown;
    if (!strcmp(plain, ATTR_TYPES[i].word))
      return *out = ATTR_TYPES[i].type, WEFT_OK;
  }
  return project_read_bad(r, v, WEFT_E_TYPE, "%s.type: '%s' is not an attribute type%s", path, shown(v, text),
                          suggest(v, words, WEFT_COUNT(words), near));
}

// The text of a default: of JSON values, or the text that a JSON string holds.
static void value_text(const weft_json *v, weft_attr_type type, int depth, weft_text *t) {
  bool quoted = type == WEFT_VT_STRING || (type == WEFT_VT_LIST_STRING && depth > 0);
  if (v->kind == WEFT_JSON_ARRAY && depth < 3) {
    weft__text_add(t, "[", 1);
    for (size_t i = 0; i < v->n; i++) {
      if (i)
        weft__text_add(t, ",", 1);
      value_text(&v->items[i], type, depth + 1, t);
    }
    weft__text_add(t, "]", 1);
  } else if (v->kind == WEFT_JSON_BOOL) {
    weft__text_addf(t, "%s", v->b ? "true" : "false");
  } else if (v->kind == WEFT_JSON_STRING && quoted) {
    (void)weft__write_quoted(weft__text_write, t, v->s, v->s_bytes);  // failure stays in t
  } else if (v->kind == WEFT_JSON_STRING || v->kind == WEFT_JSON_NUMBER) {
    weft__text_add(t, v->s, v->s_bytes);
  } else {
    weft__text_addf(t, "%s", kind_text(v));
  }
}

// Reads the default by its type and keeps it as the text that weft prints for it.
static weft_status read_default(reader *r, const weft_json *v, const char *path, project_attr *a) {
  weft_text given;
  weft_text norm;
  weft_attr value;
  weft_diag why = {0};
  size_t used = 0;
  weft__text_init(&given, &r->p->arena.alloc);
  weft__text_init(&norm, &r->p->arena.alloc);
  value_text(v, a->type, 0, &given);
  weft__text_add(&given, "", 0);
  weft_status s = given.failed
                      ? WEFT_E_NOMEM
                      : weft_attr_parse(a->type, given.v, given.n, &r->p->arena, &value, &used, &why);
  if (!s && used != given.n)
    s = weft_fail(&why, WEFT_E_SYNTAX, "text goes on after the value");
  if (!s)
    s = weft_attr_print(&value, weft__text_write, &norm);
  if (!s && !(a->dflt = weft__arena_strdup(&r->p->arena, norm.v ? norm.v : "", norm.n)))
    s = WEFT_E_NOMEM;
  if (s == WEFT_E_NOMEM)
    s = project_no_memory(r->p);
  else if (s) {
    weft_json text = {.s = given.v, .s_bytes = given.n};
    char buf[SHOWN + 4];
    s = project_read_bad(r, v, WEFT_E_INVALID, "%s.default_value %s is no %s: %.300s", path,
                         shown(&text, buf), weft_attr_type_name(a->type), why.text);
  }
  weft__text_deinit(&given);
  weft__text_deinit(&norm);
  return s;
}

static weft_status read_attr(reader *r, const weft_json *o, const char *path, project_attr *a) {
  static const char *const keys[] = {"name", "param_type", "type", "default_value"};
  WEFT_TRY(known_keys(r, o, path, keys, WEFT_COUNT(keys)));
  WEFT_TRY(read_name(r, o, path, "name", &a->name));
  WEFT_TRY(read_attr_type(r, o, path, &a->type));
  const weft_json *v = weft__json_get(o, "default_value");
  if (v && v->kind == WEFT_JSON_NULL)
    v = NULL;
  int kind = v ? WEFT_OPTIONAL : WEFT_REQUIRED;
  WEFT_TRY(read_kind(r, o, path, true, &kind));
  a->upper = mapped(r->p, a->name, capital);
  WEFT_TRY(project_allocated(a->upper, r->p));
  if (kind == WEFT_REQUIRED) {
    if (!v || (v->kind == WEFT_JSON_STRING && !v->s_bytes))
      return WEFT_OK;
    return project_read_bad(
        r, v, WEFT_E_INVALID,
        "%s.default_value is given, but param_type is required: a required attribute has none", path);
  }
  if (!v)
    return project_read_bad(r, o, WEFT_E_MISSING, "%s.default_value is missing: param_type is optional",
                            path);
  return read_default(r, v, path, a);
}

static weft_status project_read_read_attrs(reader *r, const weft_json *o, project_op *op) {
  const weft_json *list;
  char path[32];
  WEFT_TRY(field(r, o, "", "attr", WEFT_JSON_ARRAY, false, &list));
  size_t n = list ? list->n : 0;
  if (n > PROJECT_MAX_PORTS)
    return project_read_bad(r, list, WEFT_E_LIMIT, "attr has %zu entries, at most %d are allowed", n,
                            PROJECT_MAX_PORTS);
  op->attrs = WEFT_NEW_N(&r->p->arena, project_attr, n + 1);
  WEFT_TRY(project_allocated(op->attrs, r->p));
  for (size_t i = 0; i < n; i++) {
    snprintf(path, sizeof path, "attr[%zu]", i);
    WEFT_TRY(read_attr(r, &list->items[i], path, &op->attrs[i]));
    WEFT_TRY(project_read_unique(r, &list->items[i], "attr", op->attrs, i, sizeof *op->attrs));
  }
  op->n_attrs = n;
  return WEFT_OK;
}

// ---- operators ----

// Do the inputs of columns a and b look the same to the framework, while some output's dtype differs?
static bool same_inputs_other_outputs(const project_op *op, size_t a, size_t b) {
  for (size_t i = 0; i < op->n_in; i++) {
    const project_port *x = &op->in[i];
    bool packed = weft__format_packed(x->format[a]) || weft__format_packed(x->format[b]);
    if (x->dtype[a] != x->dtype[b])
      return false;
    if (packed && weft_format_primary(x->format[a]) != weft_format_primary(x->format[b]))
      return false;
  }
  for (size_t i = 0; i < op->n_out; i++) {
    if (op->out[i].dtype[a] != op->out[i].dtype[b])
      return true;
  }
  return false;
}

static void look_at_columns(project_op *op) {
  for (size_t a = 0; a < op->n_columns; a++) {
    for (size_t b = 0; b < a; b++)
      op->dtype_open |= same_inputs_other_outputs(op, a, b);
  }
  for (op->plain = 0; op->plain < op->n_columns; op->plain++) {
    bool packed = false;
    for (size_t i = 0; i < op->n_in; i++)
      packed |= weft__format_packed(op->in[i].format[op->plain]);
    for (size_t i = 0; i < op->n_out; i++)
      packed |= weft__format_packed(op->out[i].format[op->plain]);
    if (!packed)
      break;
  }
}

static weft_status read_op(reader *r, const weft_json *o, size_t index) {
  static const char *const keys[] = {"op", "language", "input_desc", "output_desc", "attr"};
  project_op *op = &r->p->ops[index];
  const weft_json *language;
  WEFT_TRY(known_keys(r, o, "", keys, WEFT_COUNT(keys)));
  WEFT_TRY(read_name(r, o, "", "op", &op->type));
  WEFT_TRY(field(r, o, "", "language", WEFT_JSON_STRING, false, &language));
  op->snake = snake(r->p, op->type);
  op->upper = op->snake ? mapped(r->p, op->snake, capital) : NULL;
  WEFT_TRY(project_allocated(op->upper, r->p));
  for (size_t k = 0; k < index; k++) {
    const project_op *other = &r->p->ops[k];
    if (!strcmp(op->type, other->type))
      return project_read_bad(r, o, WEFT_E_DUPLICATE, "op '%s' is that of [%zu] already", op->type, k);
    if (!strcmp(op->snake, other->snake)) {
      return project_read_bad(r, o, WEFT_E_DUPLICATE,
                              "op '%s' and [%zu].op '%s' would have the same files, '%s'", op->type, k,
                              other->type, op->snake);
    }
  }
  r->first = NULL;
  WEFT_TRY(project_read_read_ports(r, o, "input_desc", &op->in, &op->n_in));
  WEFT_TRY(project_read_read_ports(r, o, "output_desc", &op->out, &op->n_out));
  if (!r->first)
    return project_read_bad(r, o, WEFT_E_MISSING, "op '%s': input_desc and output_desc are both empty",
                            op->type);
  op->n_columns = r->first->n;
  WEFT_TRY(project_read_read_attrs(r, o, op));
  look_at_columns(op);
  return WEFT_OK;
}

weft_status project_read(project *p, const char *json, size_t bytes) {
  weft_json *root;
  reader r = {.p = p};
  weft_status s = weft__json_parse(json, bytes, &p->arena, &root, p->d);
  if (s) {
    weft_note(p->d, "while reading '%s'", p->file_name);
    return s;
  }
  bool array = root->kind == WEFT_JSON_ARRAY;
  if (!array && root->kind != WEFT_JSON_OBJECT)
    return project_read_bad(&r, root, WEFT_E_TYPE, "expected an operator or a list of operators, got %s",
                            kind_text(root));
  p->n_ops = array ? root->n : 1;
  if (!p->n_ops)
    return project_read_bad(&r, root, WEFT_E_MISSING, "the list of operators is empty");
  if (p->n_ops > PROJECT_MAX_OPS)
    return project_read_bad(&r, root, WEFT_E_LIMIT, "%zu operators, at most %d are allowed", p->n_ops,
                            PROJECT_MAX_OPS);
  p->ops = WEFT_NEW_N(&p->arena, project_op, p->n_ops);
  WEFT_TRY(project_allocated(p->ops, p));
  for (size_t i = 0; i < p->n_ops; i++) {
    if (p->n_ops > 1)
      snprintf(r.prefix, sizeof r.prefix, "[%zu].", i);
    s = read_op(&r, array ? &root->items[i] : root, i);
    if (s && p->ops[i].type)
      weft_note(p->d, "in the description of operator '%s'", p->ops[i].type);
    WEFT_TRY(s);
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
