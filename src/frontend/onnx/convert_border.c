// convert_border.c - before the float type changes: inputs and outputs that are to keep their type are set
// apart by Casts to the type that they have. Such a Cast does nothing yet. The change of type then gives the
// inner side the other type and leaves the border alone (keep_border in convert_floats.c), so that it needs
// no other rule. Inputs and outputs keep their names; what reads them, in bodies, too, reads the inner names.
#include "frontend/onnx/edit.h"

typedef struct border {
  onnx_edit *e;
  int32_t type;  // that changes inside
  size_t n_casts;
} border;

static bool border_takes(const border *b, const edit_value *v) {
  weft_tensor_desc desc;
  return !v->alias && weft__edit_desc(b->e, v, &desc) && desc.kind == WEFT_KIND_TENSOR &&
         weft__edit_elem_type(desc.dtype) == b->type;
}

static edit_value *border_inner(border *b, edit_value *v) {
  const char *suffix = b->type != ONNX_FLOAT                      ? "_f32"
                       : weft__edit_narrow(b->e) == ONNX_BFLOAT16 ? "_bf16"
                                                                  : "_f16";
  b->n_casts++;
  return v->alias = weft__edit_fresh(b->e, v, suffix);
}

// An input, or a constant that is an output, too: read through a Cast in front of all nodes.
static weft_status border_given(border *b, edit_value *v) {
  if (!v->n_uses || !border_takes(b, v))
    return WEFT_OK;
  edit_value *inner = border_inner(b, v);
  WEFT_TRY(weft__edit_allocated(inner, b->e));
  return weft__edit_cast(b->e, &b->e->nodes[0].before, v, inner, b->type);
}

// A Cast that only gives an output stays as it is and needs no other one behind it.
static weft_status border_made(border *b, edit_value *v) {
  edit_node *n = v->producer;
  bool has_cast = weft__edit_builtin(b->e, n, "Cast") && !v->n_uses;
  if (has_cast || !border_takes(b, v))
    return WEFT_OK;
  edit_value *inner = border_inner(b, v);
  WEFT_TRY(weft__edit_allocated(inner, b->e));
  for (uint32_t i = 0; i < n->n_out; i++) {
    if (n->out[i] == v)
      n->out[i] = inner;
  }
  n->changed = true;
  return weft__edit_cast(b->e, &n->after, inner, v, b->type);
}

weft_status weft__convert_border(onnx_edit *e) {
  border b = {.e = e, .type = e->o->floats == WEFT_CONVERT_F32 ? ONNX_FLOAT16 : ONNX_FLOAT};
  edit_deep *deep = WEFT_NEW(&e->arena, edit_deep);
  WEFT_TRY(weft__edit_allocated(deep, e));
  WEFT_TRY(weft__edit_infer(e, 1024));
  for (size_t i = 0; i < e->n_inputs; i++) {
    if (!e->inputs[i].value->init)
      WEFT_TRY(border_given(&b, e->inputs[i].value));
  }
  for (size_t i = 0; i < e->n_outputs; i++) {
    edit_value *v = e->outputs[i].value;
    if (v->producer)
      WEFT_TRY(border_made(&b, v));
    else if (v->init)
      WEFT_TRY(border_given(&b, v));
  }
  weft__edit_count_uses(e);
  *deep = (edit_deep){.rename = true};
  e->deep = deep;
  if (b.n_casts) {
    weft__edit_say(e, "%zu Cast%s at inputs and outputs, which stay %s", b.n_casts, b.n_casts == 1 ? "" : "s",
                   b.type == ONNX_FLOAT ? "f32" : "f16");
  }
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
