// rows.c - helpers of the requirement tests.
#include "rows.h"

static void keep_line(void *ctx, int level, const char *text) {
  rows *r = ctx;
  (void)level;
  int n = snprintf(r->log + r->log_bytes, sizeof r->log - r->log_bytes, "%s\n", text);
  if (n > 0 && (size_t)n < sizeof r->log - r->log_bytes)
    r->log_bytes += (size_t)n;
}

bool rows_open(rows *r, const char *roots) {
  return rows_open_with(r, roots, (weft_env_options){0});
}

bool rows_open_with(rows *r, const char *roots, weft_env_options o) {
  memset(r, 0, sizeof *r);
  o.package_path = roots;
  o.log = keep_line;
  o.log_ctx = r;
  o.size = sizeof o;
  weft_status s = weft_env_create(&o, &r->env, &r->d);
  if (s)
    check_failed(__FILE__, __LINE__, "no environment: %s", r->d.text);
  return !s;
}

void rows_close(rows *r) {
  weft_env_destroy(r->env);
}

const weft_proto *rows_find(rows *r, const char *op) {
  const weft_proto *p;
  weft_diag_clear(&r->d);
  if (!weft_get(r->env, op, &p, &r->d))
    return p;
  check_failed(__FILE__, __LINE__, "%s", r->d.text);
  return NULL;
}

void rows_example(rows *r, const char *op, const char *line, const char *file, int at) {
  const weft_proto *p;
  weft_diag_clear(&r->d);
  weft_status s = weft_get(r->env, op, &p, &r->d);
  if (!s)
    s = weft_op_example(r->env, p, line, &r->d);
  if (s)
    check_failed(file, at, "%s: %s\n  %s", op, line, r->d.text);
}

bool rows_read(rows *r, const char *literals, rows_tensors *out) {
  memset(out, 0, sizeof *out);
  for (const char *at = literals; *at;) {
    while (*at == ' ')
      at++;
    size_t n = strcspn(at, ";");
    size_t used;
    weft_tensor *t = &out->t[out->n];
    weft_tensor_init(t, weft_env_allocator(r->env));
    if (out->n == ROWS_MAX)
      return false;
    if (*at != '_') {
      weft_diag_clear(&r->d);
      if (weft_tensor_parse(at, n, NULL, t, &used, &r->d)) {
        check_failed(__FILE__, __LINE__, "'%s': %s", literals, r->d.text);
        return false;
      }
      out->in[out->n] = t;
    }
    out->n++;
    at += n + (at[n] == ';');
  }
  return true;
}

void rows_free(rows_tensors *t) {
  for (size_t i = 0; i < t->n; i++)
    weft_tensor_deinit(&t->t[i]);
}

const char *rows_desc_text(const weft_tensor_desc *desc, char *buf, size_t cap) {
  char shape[256];
  char format[64];
  char min[256];
  char max[256];
  snprintf(buf, cap, "%s %s %s", weft_dtype_serial(desc->dtype),
           weft_shape_text(&desc->layout.origin, NULL, shape, sizeof shape),
           weft_format_text(desc->format, format, sizeof format));
  size_t n = strlen(buf);
  if (desc->has_range) {
    snprintf(buf + n, cap - n, " range %s..%s", weft_shape_text(&desc->min, NULL, min, sizeof min),
             weft_shape_text(&desc->max, NULL, max, sizeof max));
  }
  return buf;
}

const char *rows_value_text(const weft_value *v, char *buf, size_t cap) {
  weft_tensor_desc desc;
  weft_value_desc(v, &desc);
  return rows_desc_text(&desc, buf, cap);
}

static const char *failure(rows *r, weft_status s) {
  snprintf(r->text, sizeof r->text, "%s: %.1800s", weft_status_name(s), r->d.text);
  return r->text;
}

static weft_status append(void *ctx, const char *text, size_t bytes) {
  rows *r = ctx;
  size_t at = strlen(r->text);
  size_t n = bytes < sizeof r->text - 1 - at ? bytes : sizeof r->text - 1 - at;
  memcpy(r->text + at, text, n);
  r->text[at + n] = 0;
  return WEFT_OK;
}

const char *rows_infer(rows *r, const char *op, const weft_use *use, const char *literals, size_t n_out) {
  rows_tensors t;
  weft_tensor_desc out[ROWS_MAX];
  const weft_proto *p = rows_find(r, op);
  if (!p || !rows_read(r, literals, &t))
    return "";
  weft_status s = weft_infer_op(r->env, p, use, t.in, t.n, out, n_out, &r->d);
  r->text[0] = 0;
  for (size_t i = 0; !s && i < n_out; i++) {
    char one[1024];
    if (i)
      append(r, "; ", 2);
    rows_desc_text(&out[i], one, sizeof one);
    append(r, one, strlen(one));
  }
  rows_free(&t);
  return s ? failure(r, s) : r->text;
}

static const char *print_tensors(rows *r, const weft_tensor *out, size_t n_out) {
  r->text[0] = 0;
  for (size_t i = 0; i < n_out; i++) {
    if (i)
      append(r, "; ", 2);
    if (weft_tensor_print(&out[i], 0, append, r))
      return "cannot print";
  }
  return r->text;
}

const char *rows_run(rows *r, const char *op, const weft_use *use, const char *literals, size_t n_out) {
  rows_tensors t;
  weft_tensor out[ROWS_MAX];
  const weft_proto *p = rows_find(r, op);
  if (!p || !rows_read(r, literals, &t))
    return "";
  weft_status s = weft_run_op(r->env, p, use, t.in, t.n, out, n_out, NULL, &r->d);
  const char *text = s ? failure(r, s) : print_tensors(r, out, n_out);
  for (size_t i = 0; i < n_out; i++)
    weft_tensor_deinit(&out[i]);
  rows_free(&t);
  return text;
}

weft_graph *rows_graph(rows *r, const char *name) {
  weft_graph *g = NULL;
  weft_diag_clear(&r->d);
  if (weft_graph_create(r->env, name, &g, &r->d))
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  return g;
}

weft_value *rows_input(rows *r, weft_graph *g, const char *name, const char *literal) {
  rows_tensors t;
  if (!rows_read(r, literal, &t) || t.n != 1)
    return NULL;
  const weft_shape *s = &t.t[0].layout.origin;
  size_t rank = weft_shape_is_unknown_rank(s) ? WEFT_RANK_UNSET : s->rank;
  weft_value *v = weft_graph_input(g, name, t.t[0].dtype, s->dim, rank, &r->d);
  if (!v)
    check_failed(__FILE__, __LINE__, "%s", r->d.text);
  rows_free(&t);
  return v;
}

weft_value *rows_node(rows *r, weft_graph *g, const char *type, const char *name,
                      const weft_named_attr *attrs, size_t n_attrs, ...) {
  weft_value *in[ROWS_MAX];
  size_t n = 0;
  va_list ap;
  va_start(ap, n_attrs);
  for (weft_value *v; n < ROWS_MAX && (v = va_arg(ap, weft_value *));)
    in[n++] = v;
  va_end(ap);
  weft_node *node;
  weft_use use = {.name = name, .attrs = attrs, .n_attrs = n_attrs};
  weft_diag_clear(&r->d);
  if (weft_graph_add(g, type, &use, in, n, &node, &r->d))
    return NULL;
  return weft_node_out(node, 0);
}

weft_status rows_finish(rows *r, weft_graph *g, weft_value *v) {
  if (!v) {
    check_failed(__FILE__, __LINE__, "the graph was not built: %s", r->d.text);
    return WEFT_E_STATE;
  }
  weft_diag_clear(&r->d);
  WEFT_TRY(weft_graph_output(g, v, &r->d));
  return weft_graph_infer(g, NULL, NULL, &r->d);
}

const char *rows_run_graph(rows *r, weft_graph *g, const char *literals) {
  rows_tensors t;
  weft_tensor out[ROWS_MAX];
  size_t n_out = weft_graph_n_outputs(g);
  weft_diag_clear(&r->d);
  if (!rows_read(r, literals, &t))
    return "";
  weft_status s = weft_interp_run(g, NULL, t.in, t.n, out, n_out, &r->d);
  const char *text = s ? failure(r, s) : print_tensors(r, out, n_out);
  for (size_t i = 0; i < n_out; i++)
    weft_tensor_deinit(&out[i]);
  rows_free(&t);
  return text;
}
// SPDX-License-Identifier: Apache-2.0
