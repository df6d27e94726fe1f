// attr_list.c - lists of attributes, by one table: what an element is, how large, how it is read and written.
// What walks over attributes (equality, copies, text, files, dumps) sees an element as an attribute of its
// own, so that it says once what it does with an integer, a text, a tensor.
#include "op/attr.h"

static void get_int(const weft_attr *list, size_t i, weft_attr *out) {
  out->u.i = list->u.ints[i];
}
static void get_float(const weft_attr *list, size_t i, weft_attr *out) {
  out->u.f = list->u.floats[i];
}
static void get_bool(const weft_attr *list, size_t i, weft_attr *out) {
  out->u.b = list->u.bools[i];
}
static void get_str(const weft_attr *list, size_t i, weft_attr *out) {
  out->u.s = list->u.strs[i].text;
  out->n = list->u.strs[i].bytes;
}
static void get_ints(const weft_attr *list, size_t i, weft_attr *out) {
  out->u.ints = list->u.int_lists[i].v;
  out->n = list->u.int_lists[i].n;
}
static void get_tensor(const weft_attr *list, size_t i, weft_attr *out) {
  out->u.tensor = list->u.tensors[i];
}

static void set_int(void *to, size_t i, const weft_attr *item) {
  ((int64_t *)to)[i] = item->u.i;
}
static void set_float(void *to, size_t i, const weft_attr *item) {
  ((float *)to)[i] = item->u.f;
}
static void set_bool(void *to, size_t i, const weft_attr *item) {
  ((bool *)to)[i] = item->u.b;
}
static void set_str(void *to, size_t i, const weft_attr *item) {
  ((weft_str *)to)[i] = (weft_str){item->u.s, item->n};
}
static void set_ints(void *to, size_t i, const weft_attr *item) {
  ((weft_ints *)to)[i] = (weft_ints){item->u.ints, item->n};
}
static void set_tensor(void *to, size_t i, const weft_attr *item) {
  ((const weft_tensor **)to)[i] = item->u.tensor;
}

const weft__list_type *weft__list_type_of(weft_attr_type type) {
  static const weft__list_type types[] = {
      {WEFT_VT_LIST_INT, WEFT_VT_INT, true, sizeof(int64_t), _Alignof(int64_t), get_int, set_int},
      {WEFT_VT_LIST_TYPE, WEFT_VT_TYPE, true, sizeof(int64_t), _Alignof(int64_t), get_int, set_int},
      {WEFT_VT_LIST_FLOAT, WEFT_VT_FLOAT, true, sizeof(float), _Alignof(float), get_float, set_float},
      {WEFT_VT_LIST_BOOL, WEFT_VT_BOOL, true, sizeof(bool), _Alignof(bool), get_bool, set_bool},
      {WEFT_VT_LIST_STRING, WEFT_VT_STRING, false, sizeof(weft_str), _Alignof(weft_str), get_str, set_str},
      {WEFT_VT_LIST_LIST_INT, WEFT_VT_LIST_INT, false, sizeof(weft_ints), _Alignof(weft_ints), get_ints,
       set_ints},
      {WEFT_VT_LIST_TENSOR, WEFT_VT_TENSOR, false, sizeof(weft_tensor *), _Alignof(weft_tensor *), get_tensor,
       set_tensor},
  };
  for (size_t i = 0; i < WEFT_COUNT(types); i++) {
    if (types[i].type == type)
      return &types[i];
  }
  return NULL;
}

weft_attr weft__attr_item(const weft_attr *a, size_t i) {
  const weft__list_type *type = weft__list_type_of(a->type);
  weft_attr item;
  memset(&item, 0, sizeof item);
  if (!type)
    return item;
  item.type = type->item;
  type->get(a, i, &item);
  return item;
}
// SPDX-License-Identifier: Apache-2.0
