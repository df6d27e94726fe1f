// map_math.c - elementwise ONNX operators that are more than renamed attributes.
#include "frontend/onnx/map.h"

// Up to version 6 the second operand broadcasts only when `broadcast` is set, from axis `axis` on (default:
// the last ones).
weft_status onnx_old_broadcast(onnx_op *o) {
  weft_value *in[2] = {onnx_arg(o, 0), onnx_arg(o, 1)};
  int64_t broadcast = onnx_int(o, "broadcast", 0);
  int64_t more[WEFT_MAX_RANK];
  if (broadcast && onnx_find_attr(o, "axis")) {
    int a = onnx_rank_needed(o, in[0]);
    int b = onnx_rank_needed(o, in[1]);
    int64_t axis = onnx_axis(o, "axis", 0, a, a);
    int64_t n = a - axis - b;
    if (n < 0) {
      return onnx_fail(o, WEFT_E_SHAPE, "attribute 'axis': %lld with operands of rank %d and %d",
                       (long long)axis, a, b);
    }
    for (int64_t i = 0; i < n; i++)
      more[i] = b + i;
    if (!o->failed && n) {
      onnx_set(o, "axes", weft_attr_ints(more, (size_t)n));
      in[1] = onnx_do(o, "Unsqueeze", in[1], NULL, NULL);
    }
  }
  WEFT_TRY(o->failed);
  return onnx_emit(o, o->map->primitive, in, 2, NULL, 1, NULL);
}

weft_status onnx_bit_shift(onnx_op *o) {
  weft_value *in[2] = {onnx_arg(o, 0), onnx_arg(o, 1)};
  bool left = onnx_is(o, "direction", "", "LEFT");
  bool right = onnx_is(o, "direction", "", "RIGHT");
  WEFT_TRY(o->failed);
  if (!left && !right)
    return onnx_fail(o, WEFT_E_INVALID, "attribute 'direction': expected LEFT or RIGHT");
  return onnx_emit(o, left ? "LeftShift" : "RightShift", in, 2, NULL, 1, NULL);
}

static bool is_complex(weft_dtype t) {
  return t == WEFT_COMPLEX64 || t == WEFT_COMPLEX128;
}

static weft_status map_math_cast(onnx_op *o, weft_value *x, weft_dtype t) {
  int64_t saturate = onnx_int(o, "saturate", 1);
  WEFT_TRY(o->failed);
  if (is_complex(t) || is_complex(x->fact.dtype)) {
    return onnx_fail(o, WEFT_E_DTYPE, "from %s to %s: complex numbers are not cast",
                     weft_dtype_name(x->fact.dtype), weft_dtype_name(t));
  }
  onnx_set(o, "dst_type", weft_attr_int(t));
  if (!saturate)
    onnx_set(o, "saturate", weft_attr_bool(false));
  if (onnx_find_attr(o, "round_mode")) {
    weft_str mode;
    WEFT_TRY(onnx_str_attr(o, "round_mode", "up", &mode));
    onnx_set(o, "round_mode", weft_attr_str(mode.text, mode.bytes));
  }
  return onnx_emit(o, "Cast", &x, 1, NULL, 1, NULL);
}

// Before version 6 the type is a name: "FLOAT".
static weft_status named_type(onnx_op *o, weft_dtype *out) {
  static const char *const names[] = {"FLOAT",  "UINT8",  "INT8",   "UINT16",    "INT16",
                                      "INT32",  "INT64",  "STRING", "BOOL",      "FLOAT16",
                                      "DOUBLE", "UINT32", "UINT64", "COMPLEX64", "COMPLEX128"};
  weft_str to;
  WEFT_TRY(onnx_str_attr(o, "to", "", &to));
  for (size_t i = 0; i < WEFT_COUNT(names); i++) {
    if (to.bytes == strlen(names[i]) && !memcmp(to.text, names[i], to.bytes))
      return onnx_dtype(o, (int64_t)i + 1, out);
  }
  return onnx_fail(o, WEFT_E_DTYPE, "attribute 'to': '%.*s' is not the name of an element type",
                   (int)WEFT_MIN(to.bytes, 40), to.text);
}

weft_status onnx_cast(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_dtype t;
  int64_t to;
  WEFT_TRY(o->failed);
  if (o->m->version < 6) {
    WEFT_TRY(named_type(o, &t));
  } else {
    WEFT_TRY(onnx_int_attr(o, "to", 0, &to));
    WEFT_TRY(onnx_dtype(o, to, &t));
  }
  return map_math_cast(o, x, t);
}

weft_status onnx_cast_like(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_value *like = onnx_arg(o, 1);
  WEFT_TRY(o->failed);
  return map_math_cast(o, x, like->fact.dtype);
}

weft_status onnx_bit_cast(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  weft_dtype t;
  int64_t to = onnx_int(o, "to", 0);
  WEFT_TRY(o->failed);
  WEFT_TRY(onnx_dtype(o, to, &t));
  if (weft_dtype_bits(t) != weft_dtype_bits(x->fact.dtype)) {
    return onnx_fail(o, WEFT_E_DTYPE, "attribute 'to': %s has %u bits, %s of the input has %u",
                     weft_dtype_name(t), weft_dtype_bits(t), weft_dtype_name(x->fact.dtype),
                     weft_dtype_bits(x->fact.dtype));
  }
  onnx_set(o, "type", weft_attr_dtype(t));
  return onnx_emit(o, "Bitcast", &x, 1, NULL, 1, NULL);
}

weft_status onnx_celu(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  float alpha = onnx_float(o, "alpha", 1);
  WEFT_TRY(o->failed);
  onnx_set(o, "alpha", weft_attr_float(alpha));
  onnx_set(o, "input_scale", weft_attr_float(1 / alpha));
  return onnx_emit(o, "Elu", &x, 1, NULL, 1, NULL);
}

// The limits are attributes up to version 10, optional inputs since.
weft_status onnx_clip(onnx_op *o) {
  weft_value *in[3] = {onnx_arg(o, 0), NULL, NULL};
  static const char *const names[] = {NULL, "min", "max"};
  for (size_t i = 1; i < 3 && !o->failed; i++) {
    if (o->m->version >= 11)
      in[i] = onnx_in(o, i);
    else if (onnx_find_attr(o, names[i]))
      in[i] = onnx_num(o, in[0]->fact.dtype, (double)onnx_float(o, names[i], 0));
  }
  WEFT_TRY(o->failed);
  if (in[1] && in[2])
    return onnx_emit(o, "ClipByValueV2", in, 3, NULL, 1, NULL);
  if (in[1])
    return onnx_emit(o, "Maximum", in, 2, NULL, 1, NULL);
  in[1] = in[2];
  return onnx_emit(o, in[1] ? "Minimum" : "Identity", in, in[1] ? 2 : 1, NULL, 1, NULL);
}

// fmod 0: the sign of the divisor, integers only; 1: C's fmod.
weft_status onnx_mod(onnx_op *o) {
  weft_value *in[2] = {onnx_arg(o, 0), onnx_arg(o, 1)};
  int64_t fmod_too = onnx_int(o, "fmod", 0);
  return onnx_emit(o, fmod_too ? "Mod" : "FloorMod", in, 2, NULL, 1, NULL);
}

// Since version 12 the exponent may have another dtype; the result has that of the base.
weft_status onnx_pow(onnx_op *o) {
  weft_value *in[2] = {onnx_arg(o, 0), onnx_arg(o, 1)};
  WEFT_TRY(o->failed);
  weft_dtype base = in[0]->fact.dtype;
  weft_dtype by = in[1]->fact.dtype;
  // no type holds both: an exponent of 64 bits is then read as what the base allows
  if ((WEFT_SET_INTEGER & WEFT_BIT(by)) && weft_dtype_promote(base, by) == WEFT_UNDEFINED) {
    weft_dtype real = base == WEFT_DOUBLE ? WEFT_DOUBLE : WEFT_FLOAT;
    in[1] = onnx_as(o, in[1], weft_dtype_is_float(base) ? real : WEFT_INT64);
  }
  WEFT_TRY(o->failed);
  if (weft_dtype_promote(base, in[1]->fact.dtype) == base)
    return onnx_emit(o, "Pow", in, 2, NULL, 1, NULL);
  return onnx_result(o, 0, onnx_as(o, onnx_do(o, "Pow", in[0], in[1], NULL), base));
}

weft_status onnx_prelu(onnx_op *o) {
  weft_value *in[2] = {onnx_arg(o, 0), onnx_arg(o, 1)};
  WEFT_TRY(o->failed);
  weft_dtype t = in[0]->fact.dtype;
  if (!(WEFT_FLOATS & WEFT_BIT(t))) {
    weft_value *below = onnx_do(o, "Less", in[0], onnx_num(o, t, 0), NULL);
    return onnx_result(o, 0, onnx_do(o, "SelectV2", below, onnx_do(o, "Mul", in[0], in[1], NULL), in[0]));
  }
  if (o->m->version >= 7)
    onnx_set(o, "weight_axis", weft_attr_int(-1));
  return onnx_emit(o, "PRelu", in, 2, NULL, 1, NULL);
}

// Versions 9 to 12 take integers, too: the result is cut to one.
weft_status onnx_erf(onnx_op *o) {
  weft_value *x = onnx_arg(o, 0);
  WEFT_TRY(o->failed);
  weft_dtype t = x->fact.dtype;
  if (!(WEFT_SET_INTEGER & WEFT_BIT(t)))
    return onnx_emit(o, "Erf", &x, 1, NULL, 1, NULL);
  return onnx_result(o, 0, onnx_as(o, onnx_do(o, "Erf", onnx_as(o, x, WEFT_FLOAT), NULL, NULL), t));
}

// Any number of operands, which all broadcast.
weft_status onnx_variadic(onnx_op *o) {
  size_t n = o->n->inputs.n;
  bool mean = !strcmp(o->map->name, "Mean");
  const char *type = mean ? "Add" : o->map->primitive;
  weft_value *v = onnx_arg(o, 0);
  for (size_t i = 1; i < n && !o->failed; i++)
    v = onnx_do(o, type, v, onnx_arg(o, i), NULL);
  if (mean && n > 1 && !o->failed)
    v = onnx_do(o, "RealDiv", v, onnx_num(o, v->fact.dtype, (double)n), NULL);
  return onnx_result(o, 0, v);
}
// SPDX-License-Identifier: Apache-2.0
