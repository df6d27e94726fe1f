// convert.c - ONNX to ONNX: a chain of steps, each from the bytes of a model to the bytes of the next. A step
// opens the bytes, marks what is to change, and writes. At the end the result is read and inferred once more.
#include "base/told.h"
#include "weft/convert.h"

#include "frontend/onnx/edit.h"

typedef weft_status (*step_fn)(onnx_edit *e);

static weft_status annotate_all(onnx_edit *e) {
  WEFT_TRY(weft__edit_infer(e, 1024));
  return weft__convert_annotate(e, true);
}

static weft_status annotate_outputs(onnx_edit *e) {
  WEFT_TRY(weft__edit_infer(e, 1024));
  return weft__convert_annotate(e, false);
}

static weft_status convert_nothing(onnx_edit *e) {
  (void)e;
  return WEFT_OK;
}

static void convert_count(const onnx_edit *e, size_t *nodes, size_t *tensors) {
  *nodes = e->n_nodes;
  *tensors = e->n_tensors;
}

typedef struct chain {
  weft_env *env;
  const weft_convert_options *o;
  const char *name;
  weft_diag *d;
  onnx_str at;     // the model now
  weft_text text;  // its bytes, once a step was done
  edit_external external;
} chain;

enum { MOST_TURNS = 64 };  // of one step; each but the last makes the model smaller

static onnx_edit convert_begin(chain *c) {
  return (onnx_edit){.env = c->env, .o = c->o, .name = c->name, .d = c->d, .external = &c->external};
}

static void note_floats(const onnx_edit *e) {
  const edit_deep *p = e->deep;
  if (!p || !p->from)
    return;
  const char *to = p->to == ONNX_FLOAT ? "f32" : weft__edit_narrow_name(e);
  const char *most = p->to == ONNX_BFLOAT16 ? "3.39e38" : "65504";
  weft__edit_say(e, "%zu tensors converted to %s", *p->n_tensors, to);
  if (*p->n_clamped)
    weft__edit_say(e, "note: %zu numbers beyond %s became %s or -%s", *p->n_clamped, to, most, most);
  if (*p->n_lost)
    weft__edit_say(e, "note: %zu numbers too small for %s became 0", *p->n_lost, to);
}

static weft_status apply_step(onnx_edit *e, const chain *c, step_fn fn, weft_text *out) {
  WEFT_TRY(weft__edit_open(e, c->at));
  WEFT_TRY(fn(e));
  WEFT_TRY(weft__edit_write(e, out));
  note_floats(e);
  return WEFT_OK;
}

static weft_status do_step(chain *c, step_fn fn, const char *what, bool last, bool *again) {
  onnx_edit e = convert_begin(c);
  weft_text out;
  weft__text_init(&out, &c->env->alloc);
  e.set_producer = last && !c->o->keep_metadata;
  weft_status s = apply_step(&e, c, fn, &out);
  *again = e.again;
  weft__edit_close(&e);
  if (s) {
    if (what)
      weft_note(c->d, "while converting '%s': %s", c->name, what);
    weft__text_deinit(&out);
    return s;
  }
  weft__text_deinit(&c->text);
  c->text = out;
  c->at = (onnx_str){out.v, out.n};
  return WEFT_OK;
}

// The first edit counts and sorts, so that every step finds nodes behind what they read.
static weft_status count_and_sort(chain *c, weft_convert_summary *sum, bool *infos) {
  onnx_edit e = convert_begin(c);
  weft_status s = weft__edit_open(&e, c->at);
  if (!s)
    s = weft__edit_sort(&e, &c->text);
  convert_count(&e, &sum->nodes_before, &sum->initializers_before);
  *infos = e.n_infos > 0;
  weft__edit_close(&e);
  if (c->text.n)
    c->at = (onnx_str){c->text.v, c->text.n};
  return s;
}

static weft_status look_into(onnx_edit *e, const chain *c, bool infer, weft_convert_summary *sum) {
  WEFT_TRY(weft__edit_open(e, c->at));
  weft_status s = infer ? weft__edit_infer(e, 1024) : WEFT_OK;
  if (s) {
    weft_note(c->d, "the converted model cannot be inferred; nothing was written");
    return s;
  }
  convert_count(e, &sum->nodes_after, &sum->initializers_after);
  return WEFT_OK;
}

static size_t count_external(const onnx_edit *e) {
  size_t n = 0;
  for (size_t i = 0; i < e->n_tensors; i++)
    n += weft__edit_external(e->tensors[i].t);
  return n;
}

// Nodes that only weft reads: ONNX has no operator for what they compute.
static void note_own(const onnx_edit *e) {
  const onnx_node *first = NULL;
  size_t n = 0;
  for (size_t i = 0; i < e->n_nodes; i++) {
    const onnx_node *node = e->nodes[i].n;
    if (!node || !onnx_str_is(node->domain, "weft"))
      continue;
    first = first ? first : node;
    n++;
  }
  if (!n)
    return;
  weft__edit_say(e, "note: %zu node%s of the domain weft, which other programs do not read, first %.*s", n,
                 n == 1 ? "" : "s", (int)WEFT_MIN(first->op_type.bytes, 100), first->op_type.text);
}

// The last edit proves that the result reads.
static weft_status convert_look(chain *c, bool infer, weft_convert_summary *sum) {
  onnx_edit e = convert_begin(c);
  weft_status s = look_into(&e, c, infer, sum);
  size_t external = s || !infer ? 0 : count_external(&e);
  if (external) {
    weft__edit_say(
        &e,
        "note: the data of %zu initializers stay in external files: the result belongs into the same folder",
        external);
  }
  if (!s)
    note_own(&e);
  weft__edit_close(&e);
  return s;
}

typedef struct step {
  step_fn fn;
  const char *what;
} step;

static size_t convert_plan(const weft_convert_options *o, bool infos, step *v) {
  size_t n = 0;
  bool shapes = o->n_shapes || o->batch || o->batch_name;
  if (o->n_weights)
    v[n++] = (step){weft__convert_weights, "replacing weights"};
  if (o->n_from || o->n_to)
    v[n++] = (step){weft__convert_cut, "cutting"};
  if (shapes)
    v[n++] = (step){weft__convert_shapes, "setting shapes"};
  if (o->simplify)
    v[n++] = (step){weft__convert_simplify, "simplifying"};
  if (o->floats && o->keep_io)
    v[n++] = (step){weft__convert_border, "setting inputs and outputs apart"};
  if (o->floats)
    v[n++] = (step){weft__convert_floats, "changing the float type"};
  if (o->annotate || (shapes && infos))
    v[n++] = (step){annotate_all, "writing types"};
  else if (shapes)
    v[n++] = (step){annotate_outputs, "writing types"};
  if (!n)
    v[n++] = (step){convert_nothing, NULL};
  return n;
}

static void say_sizes(const weft_convert_options *o, const weft_convert_summary *s) {
  char text[160];
  snprintf(text, sizeof text, "nodes: %zu -> %zu, initializers: %zu -> %zu", s->nodes_before, s->nodes_after,
           s->initializers_before, s->initializers_after);
  o->report(o->report_ctx, text);
}

static weft_status check_options(const weft_convert_options *o, weft_diag *d) {
  if (o->floats > WEFT_CONVERT_BF16) {
    return weft_fail(d, WEFT_E_INVALID, "options: floats is %u, expected 0 to %d", o->floats,
                     WEFT_CONVERT_BF16);
  }
  if (o->batch < 0)
    return weft_fail(d, WEFT_E_INVALID, "options: batch is %lld, expected at least 1", (long long)o->batch);
  if (o->batch && o->batch_name) {
    return weft_fail(d, WEFT_E_INVALID,
                     "options: batch is %lld and batch_name '%.100s', expected one of them",
                     (long long)o->batch, o->batch_name);
  }
  if (o->batch_name && (!*o->batch_name || strlen(o->batch_name) > 200)) {
    return weft_fail(d, WEFT_E_INVALID, "options: batch_name has %zu characters, expected 1 to 200",
                     strlen(o->batch_name));
  }
  return WEFT_OK;
}

static weft_status convert_give(const chain *c, weft_write_fn write, void *ctx) {
  for (size_t at = 0; at < c->at.bytes;) {
    size_t n = WEFT_MIN(c->at.bytes - at, (size_t)1 << 20);
    WEFT_TRY(write(ctx, c->at.text + at, n));
    at += n;
  }
  return WEFT_OK;
}

// One step again and again, as long as it makes the model smaller.
static weft_status do_turns(chain *c, step *at, bool last) {
  bool again = true;
  for (int turn = 0; again && turn < MOST_TURNS; turn++) {
    WEFT_TRY(do_step(c, at->fn, at->what, last, &again));
    if (at->fn == weft__convert_cut)
      *at = (step){annotate_outputs, "finding the types of the outputs"};
  }
  return WEFT_OK;
}

static weft_status convert_all(chain *c, weft_write_fn write, void *ctx, weft_convert_summary *sum) {
  const weft_convert_options *o = c->o;
  step steps[8];
  bool infos = false;
  if (o->path)
    WEFT_TRY(
        onnx_files_create(&c->env->alloc, o->path, weft__env_copy_most(c->env), &c->external.files, c->d));
  WEFT_TRY(count_and_sort(c, sum, &infos));
  size_t n = convert_plan(o, infos, steps);
  for (size_t i = 0; i < n; i++)
    WEFT_TRY(do_turns(c, &steps[i], i + 1 == n));
  const bool cut = o->n_from || o->n_to;
  const bool uninferred = n == 1 && (cut || o->n_weights);  // it may hold operators that weft does not import
  WEFT_TRY(convert_look(c, !uninferred && steps[0].fn != convert_nothing, sum));
  WEFT_TRY(convert_give(c, write, ctx));
  if (o->report)
    say_sizes(o, sum);
  return WEFT_OK;
}

weft_status weft_onnx_convert(weft_env *env, const void *data, size_t bytes, const char *name,
                              const weft_convert_options *given, weft_write_fn write, void *ctx,
                              weft_diag *d) {
  WEFT_NEED(d, env);
  WEFT_NEED_LIST(d, data, bytes);
  WEFT_NEED(d, write);
  weft_diag own = {0};
  weft_convert_options o = {0};
  weft_convert_summary sum = {0};
  WEFT_SIZED_IN(&o, given, path);
  chain c = {.env = env, .o = &o, .name = name, .d = d ? d : &own, .at = {data, bytes}};
  WEFT_TRY(check_options(&o, c.d));
  weft__text_init(&c.text, &env->alloc);
  weft_status s = convert_all(&c, write, ctx, &sum);
  weft__text_deinit(&c.text);
  onnx_files_destroy(c.external.files);
  if (!s && o.summary)
    *o.summary = sum;
  return weft__told(s, d);
}
// SPDX-License-Identifier: Apache-2.0
