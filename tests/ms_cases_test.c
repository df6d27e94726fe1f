// ms_cases_test.c - operators of Microsoft's domains beside ONNX Runtime's results: tests/data/ms/*.txt,
// which tools/ms_cases.py wrote where the peer is installed. A case is one node, run by the interpreter and
// compiled, with the dims of its inputs and with none of them known:
//   case QLinearAdd com.microsoft axis=1 mode=edge pads=[0,1] betas=[0.5,1.0] activations=[Sigmoid,Tanh]
//   in f32[2]{1,2}      an input
//   const i8[2]{1,2}    an initializer
//   none                an input that is absent
//   out f32[2]{1,2} ~1e-5      what the peer gave, and how far it may be off, as a part of
//                              the larger of 1 and the number
//   out i8[2]{1,2} +-1         the same of integers, in steps
//   out none                   nobody asks for it
//   error TEXT                 in place of outputs: it is refused with this text
// In place of a node, "model FILE.onnx" beside the text is a model that the peer's tools wrote.
#include <dirent.h>

#include "base/base.h"
#include "check.h"
#include "frontend/onnx/import.h"
#include "frontend/onnx/writer.h"
#include "weft/compile.h"
#include "weft/interp.h"
#include "weft/onnx.h"
#include "weft/run.h"

enum { MAX_IN = 24, MAX_OUT = 8, MAX_LIST = 64 };

typedef struct peer_case {
  char op[64];
  weft_text model[2];  // with the dims known, and unknown
  onnxw w[2];
  weft_tensor in[MAX_IN], want[MAX_OUT];
  double rtol[MAX_OUT], atol[MAX_OUT];
  size_t n_in, n_names, n_out, n_out_names;
  char in_name[MAX_IN][8], out_name[MAX_OUT][8];
  const char *attrs;
  size_t attrs_bytes;
  char domain[64];
  bool whole;  // op is a file
  char error[200];
  int line;
  weft_diag d;
} peer_case;

static int type_number(weft_dtype t) {
  for (int i = 1; i < 29; i++) {
    weft_dtype known;
    if (weft__onnx_dtype(i, &known) && known == t)
      return i;
  }
  return 0;
}

// ---- attributes ----
static bool is_whole(const char *s) {
  return strspn(s, "-0123456789") == strlen(s);
}
static bool is_real(const char *s) {
  return strspn(s, "-+0123456789.einfa") == strlen(s) && strpbrk(s, "0123456789");
}

static size_t split_list(char *text, char **item) {
  size_t n = 0;
  for (char *at = strtok(text, ","); at && n < MAX_LIST; at = strtok(NULL, ","))
    item[n++] = at;
  return n;
}

static void write_list(onnxw *w, const char *name, char *text) {
  char *item[MAX_LIST];
  int64_t ints[MAX_LIST];
  float floats[MAX_LIST];
  size_t n = split_list(text, item);
  bool whole = true;
  bool real = true;
  for (size_t i = 0; i < n; i++) {
    whole &= is_whole(item[i]);
    real &= is_real(item[i]);
    ints[i] = strtoll(item[i], NULL, 10);
    floats[i] = strtof(item[i], NULL);
  }
  if (whole)
    onnxw_attr_ints(w, name, ints, n);
  else if (real)
    onnxw_attr_floats(w, name, floats, n);
  else
    onnxw_attr_strs(w, name, (const char *const *)item, n);
}

static void write_attr(onnxw *w, char *text) {
  char *value = strchr(text, '=');
  if (!value)
    return;
  *value++ = 0;
  size_t n = strlen(value);
  if (*value == '[' && value[n - 1] == ']') {
    value[n - 1] = 0;
    write_list(w, text, value + 1);
  } else if (is_whole(value)) {
    onnxw_attr_int(w, text, strtoll(value, NULL, 10));
  } else if (is_real(value)) {
    onnxw_attr_float(w, text, strtof(value, NULL));
  } else {
    onnxw_attr_str(w, text, value);
  }
}

// ---- a case, line by line ----
static void begin_case(peer_case *c, const char *line, size_t n, int number, bool whole) {
  int used = 0;
  *c = (peer_case){.line = number, .whole = whole};
  char head[200];
  snprintf(head, sizeof head, "%.*s", (int)n, line);
  if (whole)
    snprintf(c->op, sizeof c->op, "%s", head);
  else if (sscanf(head, "%63s %63s %n", c->op, c->domain, &used) < 2)
    check_failed(__FILE__, __LINE__, "line %d is no case", number);
  c->attrs = line + used;
  c->attrs_bytes = n - (size_t)used;
  for (int i = 0; i < MAX_IN; i++)
    weft_tensor_init(&c->in[i], NULL);
  for (int i = 0; i < MAX_OUT; i++)
    weft_tensor_init(&c->want[i], NULL);
  for (int k = 0; k < 2; k++) {
    weft__text_init(&c->model[k], NULL);
    onnxw_begin(&c->w[k], &c->model[k], 10, 21);
    onnxw_opset(&c->w[k], "com.microsoft", 1);
    onnxw_graph(&c->w[k], "g");
  }
}

static void add_in(peer_case *c, const char *text, size_t n, bool constant) {
  weft_tensor *t = &c->in[c->n_in];
  char *name = c->in_name[c->n_names++];
  CHECK_OK(weft_tensor_parse(text, n, NULL, t, NULL, &c->d), &c->d);
  const weft_shape *s = &t->layout.origin;
  snprintf(name, sizeof c->in_name[0], "x%zu", c->n_names - 1);
  if (!constant) {
    static const int64_t open[WEFT_MAX_RANK] = {-1, -1, -1, -1, -1, -1, -1, -1};
    onnxw_input(&c->w[0], name, type_number(t->dtype), (int)s->rank, s->dim, NULL);
    onnxw_input(&c->w[1], name, type_number(t->dtype), (int)s->rank, open, NULL);
    c->n_in++;
    return;
  }
  for (int k = 0; k < 2; k++)
    onnxw_init_raw(&c->w[k], name, type_number(t->dtype), (int)s->rank, s->dim, t->data, t->bytes);
  weft_tensor_deinit(t);
  weft_tensor_init(t, NULL);
}

static void add_out(peer_case *c, const char *text, size_t n) {
  char *name = c->out_name[c->n_out_names++];
  if (n == 4 && !memcmp(text, "none", 4))
    return;
  snprintf(name, sizeof c->out_name[0], "y%zu", c->n_out_names - 1);
  const char *end = memchr(text, '}', n);
  const char *off = end ? memchr(end, '~', n - (size_t)(end - text)) : NULL;
  const char *steps = end ? memchr(end, '+', n - (size_t)(end - text)) : NULL;
  c->rtol[c->n_out] = c->atol[c->n_out] = off ? strtod(off + 1, NULL) : 0;
  if (steps)
    c->atol[c->n_out] = strtod(steps + 2, NULL);
  if (end)
    n = (size_t)(end - text) + 1;
  while (n && text[n - 1] == ' ')
    n--;
  CHECK_OK(weft_tensor_parse(text, n, NULL, &c->want[c->n_out], NULL, &c->d), &c->d);
  c->n_out++;
}

static weft_status finish_model(peer_case *c, onnxw *w) {
  const char *in[MAX_IN];
  const char *out[MAX_OUT];
  for (size_t i = 0; i < c->n_names; i++)
    in[i] = c->in_name[i];
  for (size_t i = 0; i < c->n_out_names; i++)
    out[i] = c->out_name[i];
  onnxw_node(w, c->op, "node", in, c->n_names, out, c->n_out_names);
  onnxw_domain(w, c->domain);
  char attrs[2048];
  char *item[MAX_LIST];
  size_t n = 0;
  snprintf(attrs, sizeof attrs, "%.*s", (int)c->attrs_bytes, c->attrs);
  for (char *at = strtok(attrs, " "); at && n < MAX_LIST; at = strtok(NULL, " "))
    item[n++] = at;
  for (size_t i = 0; i < n; i++)
    write_attr(w, item[i]);
  for (size_t i = 0; i < c->n_out_names; i++) {
    if (*out[i])
      onnxw_output(w, out[i], 0, -1, NULL, NULL);
  }
  return onnxw_finish(w, &c->d);
}

// ---- running one ----
static weft_status run_compiled(weft_graph *g, const weft_tensor *const *in, size_t n_in, weft_tensor *out,
                                size_t n_out, weft_diag *d) {
  weft_program *p = NULL;
  weft_exec *x = NULL;
  weft_tensor *outs[MAX_OUT];
  for (size_t i = 0; i < n_out; i++)
    outs[i] = &out[i];
  WEFT_TRY(weft_compile(g, NULL, &p, d));
  weft_status s = weft_exec_create(p, NULL, &x, d);
  weft_program_release(p);
  if (!s)
    s = weft_exec_run(x, in, n_in, outs, n_out, d);
  weft_exec_destroy(x);
  return s;
}

static weft_status read_model(weft_env *e, peer_case *c, bool open, weft_graph **out) {
  char path[1024];
  if (!c->whole)
    return weft_onnx_read(e, c->model[open].v, c->model[open].n, c->op, out, &c->d);
  snprintf(path, sizeof path, "%s/tests/data/ms/%s", WEFT_SOURCE_DIR, c->op);
  return weft_onnx_load(e, path, out, &c->d);
}

static weft_status run_one(weft_env *e, peer_case *c, bool open, bool compiled) {
  const weft_tensor *in[MAX_IN];
  weft_tensor out[MAX_OUT];
  weft_graph *g = NULL;
  weft_diag *d = &c->d;
  for (size_t i = 0; i < c->n_in; i++)
    in[i] = &c->in[i];
  for (size_t i = 0; i < MAX_OUT; i++)
    weft_tensor_init(&out[i], NULL);
  WEFT_TRY(read_model(e, c, open, &g));
  weft_status s = weft_graph_infer(g, NULL, NULL, d);
  if (!s && compiled) {
    s = run_compiled(g, in, c->n_in, out, c->n_out, d);
    g = NULL;
  } else if (!s) {
    s = weft_interp_run(g, NULL, in, c->n_in, out, c->n_out, d);
  }
  for (size_t i = 0; !s && i < c->n_out; i++)
    s = weft_tensor_compare(&out[i], &c->want[i], c->rtol[i], c->atol[i], d);
  for (size_t i = 0; i < MAX_OUT; i++)
    weft_tensor_deinit(&out[i]);
  weft_graph_destroy(g);
  return s;
}

// What is wrong in run k, if anything; s is its status.
static void judge(const peer_case *c, const char *file, int k, weft_status s) {
  bool open = k / 2;
  bool compiled = k % 2;
  bool refused = s && (open || strstr(c->d.text, c->error));
  if (c->error[0] ? refused : s == WEFT_OK)
    return;
  check_failed(__FILE__, __LINE__, "%s:%d: %s%s%s: %s", file, c->line, c->op, open ? ", dims unknown" : "",
               compiled ? ", compiled" : "", c->d.text);
}

static void end_case(weft_env *e, peer_case *c, const char *file) {
  if (!c->op[0])
    return;
  for (int k = 0; k < (c->whole ? 2 : 4); k++) {
    bool open = k / 2;
    bool compiled = k % 2;
    c->d = (weft_diag){0};
    weft_status s = compiled || c->whole ? WEFT_OK : finish_model(c, &c->w[open]);
    if (!s)
      s = run_one(e, c, open, compiled);
    judge(c, file, k, s);
  }
  for (int i = 0; i < MAX_IN; i++)
    weft_tensor_deinit(&c->in[i]);
  for (int i = 0; i < MAX_OUT; i++)
    weft_tensor_deinit(&c->want[i]);
  for (int i = 0; i < 2; i++)
    weft__text_deinit(&c->model[i]);
  c->op[0] = 0;
}

static void take_line(weft_env *e, peer_case *c, const char *at, size_t n, const char *file, int number) {
  size_t word = 0;
  while (word < n && at[word] != ' ')
    word++;
  const char *rest = at + WEFT_MIN(word + 1, n);
  size_t left = n - (size_t)(rest - at);
  if (word == 4 && !memcmp(at, "case", 4)) {
    end_case(e, c, file);
    begin_case(c, rest, left, number, false);
  } else if (word == 5 && !memcmp(at, "model", 5)) {
    end_case(e, c, file);
    begin_case(c, rest, left, number, true);
  } else if (word == 2 && !memcmp(at, "in", 2)) {
    add_in(c, rest, left, false);
  } else if (word == 5 && !memcmp(at, "const", 5)) {
    add_in(c, rest, left, true);
  } else if (word == 4 && !memcmp(at, "none", 4)) {
    c->in_name[c->n_names++][0] = 0;
  } else if (word == 3 && !memcmp(at, "out", 3)) {
    add_out(c, rest, left);
  } else if (word == 5 && !memcmp(at, "error", 5)) {
    snprintf(c->error, sizeof c->error, "%.*s", (int)left, rest);
    snprintf(c->out_name[c->n_out_names++], sizeof c->out_name[0], "y");
  } else if (n && *at != '#') {
    check_failed(__FILE__, __LINE__, "%s:%d: not read: %.*s", file, number, (int)WEFT_MIN(n, 60), at);
  }
}

static void run_file(weft_env *e, const char *file) {
  char path[1024];
  weft_diag d = {0};
  weft_file f;
  peer_case *c = calloc(1, sizeof *c);
  snprintf(path, sizeof path, "%s/tests/data/ms/%s", WEFT_SOURCE_DIR, file);
  CHECK_OK(weft__file_map(path, &f, &d), &d);
  const char *text = (const char *)f.data;
  int number = 1;
  for (size_t at = 0; at < f.bytes; number++) {
    const char *end = memchr(text + at, '\n', f.bytes - at);
    size_t n = end ? (size_t)(end - text) - at : f.bytes - at;
    take_line(e, c, text + at, n, file, number);
    at += n + 1;
  }
  end_case(e, c, file);
  weft__file_unmap(&f);
  free(c);
}

TEST(as_the_peer_computes_them) {
  weft_env *e;
  weft_diag d = {0};
  weft_env_options o = {.size = sizeof o, .package_path = ""};
  CHECK_OK(weft_env_create(&o, &e, &d), &d);
  const struct dirent *entry;
  DIR *dir = opendir(WEFT_SOURCE_DIR "/tests/data/ms");
  size_t n = 0;
  while (dir && (entry = readdir(dir))) {
    size_t bytes = strlen(entry->d_name);
    if (bytes < 4 || strcmp(entry->d_name + bytes - 4, ".txt"))
      continue;
    run_file(e, entry->d_name);
    n++;
  }
  if (dir)
    closedir(dir);
  CHECK(n > 0);
  weft_env_destroy(e);
}
// SPDX-License-Identifier: Apache-2.0
