// nn.c - the two-phase calls: an executor keeps an operator with its attributes and the caller's tensors;
// running it gives views that are not contiguous a copy on the way in and out.
#include <stdlib.h>

#include "state.h"
#include "weft_cann/aclnn.h"

enum { NN_DIMS = 8, NN_ARGUMENTS = 256, NN_TENSORS = 4096 };

struct aclTensor {
  int64_t dims[NN_DIMS], strides[NN_DIMS];
  uint64_t rank;
  weft_dtype dtype;
  weft_format format;
  uint8_t *data;  // of the first element
  bool contiguous;
};
struct aclTensorList {
  const aclTensor **tensors;
  uint64_t size;
};
struct aclScalar {
  uint8_t value[16];
  weft_dtype dtype;
};
struct aclIntArray {
  uint64_t size;
  int64_t values[];
};
struct aclFloatArray {
  uint64_t size;
  float values[];
};
struct aclBoolArray {
  uint64_t size;
  bool values[];
};
struct aclOpExecutor {
  const weft_proto *proto;
  weft_named_attr attrs[NN_ARGUMENTS];
  void *owned[NN_ARGUMENTS];  // what attributes point to
  size_t n_attrs;
  const aclTensor **tensors;  // inputs, then outputs; NULL: left out
  uint32_t n_in, n_out;
  uint32_t counts[NN_ARGUMENTS];  // instances of each input port, then of each output port
  uint32_t n_in_ports, n_out_ports;
  bool repeatable;
};

// ---- tensors and lists ----
static bool nn_dims_good(const int64_t *dims, uint64_t n) {
  bool good = n <= NN_DIMS && (dims || !n);
  for (uint64_t i = 0; good && i < n; i++)
    good = dims[i] >= 0;
  return good;
}

static void nn_strides(aclTensor *t, const int64_t *stride) {
  int64_t next = 1;
  t->contiguous = true;
  for (uint64_t i = t->rank; i-- > 0;) {
    t->strides[i] = stride ? stride[i] : next;
    t->contiguous = t->contiguous && (t->dims[i] <= 1 || t->strides[i] == next);
    next *= WEFT_MAX(t->dims[i], 1);
  }
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                           const int64_t *stride, int64_t offset, aclFormat format,
                           const int64_t *storageDims, uint64_t storageDimsNum, void *tensorData) {
  if (!nn_dims_good(viewDims, viewDimsNum) || !nn_dims_good(storageDims, storageDimsNum)) {
    acl_fail(ACLNN_ERR_PARAM_INVALID, "aclCreateTensor: at most %d dims, none of them negative", NN_DIMS);
    return NULL;
  }
  aclTensor *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->rank = viewDimsNum;
  t->dtype = (weft_dtype)dataType;
  t->format = format < 0 ? WEFT_ND : (weft_format)format;
  for (uint64_t i = 0; i < viewDimsNum; i++)
    t->dims[i] = viewDims[i];
  nn_strides(t, stride);
  t->data = tensorData ? (uint8_t *)tensorData + offset * (int64_t)(weft_dtype_bits(t->dtype) / 8) : NULL;
  return t;
}

static aclnnStatus nn_destroy(const void *object) {
  free((void *)(uintptr_t)object);
  return ACLNN_SUCCESS;
}
aclnnStatus aclDestroyTensor(const aclTensor *tensor) {
  return nn_destroy(tensor);
}
aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size) {
  if (size > NN_TENSORS || (size && !value))
    return NULL;
  aclTensorList *l = calloc(1, sizeof *l);
  const aclTensor **tensors = calloc(WEFT_MAX(size, 1), sizeof *tensors);
  if (!l || !tensors) {
    free(l);
    free(tensors);
    return NULL;
  }
  for (uint64_t i = 0; i < size; i++)
    tensors[i] = value[i];
  *l = (aclTensorList){tensors, size};
  return l;
}
aclnnStatus aclDestroyTensorList(const aclTensorList *array) {
  for (uint64_t i = 0; array && i < array->size; i++)
    aclDestroyTensor(array->tensors[i]);
  if (array)
    free(array->tensors);
  return nn_destroy(array);
}
aclScalar *aclCreateScalar(void *value, aclDataType dataType) {
  const size_t bytes = weft_dtype_bits((weft_dtype)dataType) / 8;
  aclScalar *s = value && bytes && bytes <= sizeof s->value ? calloc(1, sizeof *s) : NULL;
  if (!s)
    return NULL;
  s->dtype = (weft_dtype)dataType;
  memcpy(s->value, value, bytes);
  return s;
}
aclnnStatus aclDestroyScalar(const aclScalar *scalar) {
  return nn_destroy(scalar);
}

#define NN_ARRAY(Name, T)                                                   \
  acl##Name##Array *aclCreate##Name##Array(const T *value, uint64_t size) { \
    if (size > UINT32_MAX || (size && !value))                              \
      return NULL;                                                          \
    acl##Name##Array *a = malloc(sizeof *a + size * sizeof *a->values);     \
    if (!a)                                                                 \
      return NULL;                                                          \
    a->size = size;                                                         \
    if (size)                                                               \
      memcpy(a->values, value, size * sizeof *a->values);                   \
    return a;                                                               \
  }                                                                         \
  aclnnStatus aclDestroy##Name##Array(const acl##Name##Array *array) {      \
    return nn_destroy(array);                                               \
  }
NN_ARRAY(Int, int64_t)
NN_ARRAY(Float, float)
NN_ARRAY(Bool, bool)

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum) {
  if (!tensor || !viewDims || !viewDimsNum)
    return ACLNN_ERR_PARAM_NULLPTR;
  *viewDims = malloc(WEFT_MAX(tensor->rank, 1) * sizeof **viewDims);
  if (!*viewDims)
    return ACLNN_ERR_INNER;
  memcpy(*viewDims, tensor->dims, tensor->rank * sizeof **viewDims);
  *viewDimsNum = tensor->rank;
  return ACLNN_SUCCESS;
}
aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType) {
  if (!tensor || !dataType)
    return ACLNN_ERR_PARAM_NULLPTR;
  *dataType = (aclDataType)tensor->dtype;
  return ACLNN_SUCCESS;
}
aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size) {
  if (!array || !size)
    return ACLNN_ERR_PARAM_NULLPTR;
  *size = array->size;
  return ACLNN_SUCCESS;
}
aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size) {
  if (!tensorList || !size)
    return ACLNN_ERR_PARAM_NULLPTR;
  *size = tensorList->size;
  return ACLNN_SUCCESS;
}

// ---- the first phase ----
static void nn_free(aclOpExecutor *e) {
  for (size_t i = 0; e && i < e->n_attrs; i++)
    free(e->owned[i]);
  if (e)
    free(e->tensors);
  free(e);
}

static void *nn_copy(const void *values, size_t bytes) {
  void *copy = malloc(WEFT_MAX(bytes, 1));
  if (copy && bytes)
    memcpy(copy, values, bytes);
  return copy;
}

// Values of lists and strings are copied: the caller may destroy them after the first phase.
static bool nn_attr(const weft_aclnn_argument *a, weft_attr *out, void **owned) {
  const aclIntArray *ints = a->pointer;
  const aclFloatArray *floats = a->pointer;
  const aclBoolArray *bools = a->pointer;
  void *copy = NULL;
  switch (a->kind) {
    case WEFT_ACLNN_INT:
      *out = weft_attr_int(a->i);
      return true;
    case WEFT_ACLNN_FLOAT:
      *out = weft_attr_float((float)a->f);
      return true;
    case WEFT_ACLNN_BOOL:
      *out = weft_attr_bool(a->i != 0);
      return true;
    case WEFT_ACLNN_TYPE:
      *out = weft_attr_dtype((weft_dtype)a->i);
      return true;
    case WEFT_ACLNN_STRING:
      copy = *owned = a->pointer ? nn_copy(a->pointer, strlen(a->pointer) + 1) : NULL;
      *out = weft_attr_str(copy, copy ? strlen(copy) : 0);
      return copy;
    case WEFT_ACLNN_INTS:
      copy = *owned = ints ? nn_copy(ints->values, ints->size * sizeof *ints->values) : NULL;
      *out = weft_attr_ints(copy, copy ? ints->size : 0);
      return copy;
    case WEFT_ACLNN_FLOATS:
      copy = *owned = floats ? nn_copy(floats->values, floats->size * sizeof *floats->values) : NULL;
      *out = weft_attr_floats(copy, copy ? floats->size : 0);
      return copy;
    case WEFT_ACLNN_BOOLS:
      copy = *owned = bools ? nn_copy(bools->values, bools->size * sizeof *bools->values) : NULL;
      *out = (weft_attr){.type = WEFT_VT_LIST_BOOL, .n = copy ? bools->size : 0};
      out->u.bools = copy;
      return copy;
    default:
      return false;
  }
}

static bool nn_out(weft_aclnn_kind kind) {
  return kind == WEFT_ACLNN_OUT || kind == WEFT_ACLNN_OUT_LIST;
}
static bool nn_list(weft_aclnn_kind kind) {
  return kind == WEFT_ACLNN_IN_LIST || kind == WEFT_ACLNN_OUT_LIST;
}

// An input of NULL is left out; an output of NULL is computed, and nobody gets it.
static size_t nn_tensors_of(const weft_aclnn_argument *a) {
  const aclTensorList *list = a->pointer;
  if (nn_list(a->kind))
    return list ? list->size : 0;
  return a->pointer || a->kind == WEFT_ACLNN_OUT;
}

static void nn_tensors_add(aclOpExecutor *e, const weft_aclnn_argument *a) {
  const aclTensorList *list = a->pointer;
  const uint32_t n = (uint32_t)nn_tensors_of(a);
  for (uint32_t i = 0; i < n; i++)
    e->tensors[e->n_in + e->n_out + i] = nn_list(a->kind) ? list->tensors[i] : a->pointer;
  uint32_t *ports = nn_out(a->kind) ? &e->n_out_ports : &e->n_in_ports;
  e->counts[e->n_in_ports + e->n_out_ports] = n;
  ++*ports;
  *(nn_out(a->kind) ? &e->n_out : &e->n_in) += n;
}

static aclnnStatus nn_arguments(aclOpExecutor *e, const char *type, const weft_aclnn_argument *arguments,
                                size_t n) {
  size_t tensors = 0;
  for (size_t i = 0; i < n; i++)
    tensors += arguments[i].kind <= WEFT_ACLNN_OUT_LIST ? nn_tensors_of(&arguments[i]) : 0;
  e->tensors = calloc(WEFT_MAX(tensors, 1), sizeof *e->tensors);
  if (!e->tensors || n > NN_ARGUMENTS)
    return acl_fail(ACLNN_ERR_INNER, "aclnn%sGetWorkspaceSize: no memory", type);
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < n; i++) {
      if (arguments[i].kind <= WEFT_ACLNN_OUT_LIST && nn_out(arguments[i].kind) == (side == 1))
        nn_tensors_add(e, &arguments[i]);
    }
  }
  for (size_t i = 0; i < n; i++) {
    if (arguments[i].kind <= WEFT_ACLNN_OUT_LIST)
      continue;
    // A list or text of NULL is left to the operator's default.
    weft_named_attr *a = &e->attrs[e->n_attrs];
    a->name = arguments[i].name;
    e->n_attrs += nn_attr(&arguments[i], &a->value, &e->owned[e->n_attrs]);
  }
  return ACLNN_SUCCESS;
}

static void nn_describe(weft_tensor *t, const aclTensor *from) {
  weft_tensor_init(t, NULL);
  t->dtype = from->dtype;
  t->format = t->origin_format = from->format;
  weft_shape *s = &t->layout.origin;
  s->rank = from->rank;
  for (uint64_t i = 0; i < from->rank; i++)
    s->dim[i] = from->dims[i];
  t->layout.storage = *s;
}

static weft_use nn_use(const aclOpExecutor *e) {
  return (weft_use){.attrs = e->attrs,
                    .n_attrs = e->n_attrs,
                    .in_counts = e->counts,
                    .out_counts = e->counts + e->n_in_ports};
}

// What inference says of an output beside what the caller made for it.
static aclnnStatus nn_compare(const char *type, uint32_t i, const weft_tensor_desc *want,
                              const aclTensor *have) {
  char a[300], b[300];
  weft_tensor t;
  if (!have)
    return ACLNN_SUCCESS;
  nn_describe(&t, have);
  const weft_shape *s = &want->layout.origin;
  const bool unknown = s->rank == 1 && s->dim[0] == -2;
  bool same = want->dtype == have->dtype && (unknown || s->rank == t.layout.origin.rank);
  for (size_t d = 0; same && !unknown && d < s->rank; d++)
    same = s->dim[d] < 0 || s->dim[d] == t.layout.origin.dim[d];
  if (same)
    return ACLNN_SUCCESS;
  return acl_fail(ACLNN_ERR_PARAM_INVALID,
                  "aclnn%sGetWorkspaceSize: output %u is %s%s, the operator gives %s%s", type, i,
                  weft_dtype_name(have->dtype), weft_shape_text(&t.layout.origin, NULL, a, sizeof a),
                  weft_dtype_name(want->dtype), weft_shape_text(s, NULL, b, sizeof b));
}

// Values are not looked at: work before this call may still write them.
static aclnnStatus nn_check(const aclOpExecutor *e, const char *type) {
  const weft_use use = nn_use(e);
  weft_diag d = {0};
  weft_tensor *in = calloc(WEFT_MAX(e->n_in, 1), sizeof *in);
  const weft_tensor **given = calloc(WEFT_MAX(e->n_in, 1), sizeof *given);
  weft_tensor_desc *out = calloc(WEFT_MAX(e->n_out, 1), sizeof *out);
  aclnnStatus code =
      in && given && out ? ACLNN_SUCCESS : acl_fail(ACLNN_ERR_INNER, "aclnn%s: no memory", type);
  for (uint32_t i = 0; !code && i < e->n_in; i++) {
    if (!e->tensors[i])
      continue;
    nn_describe(&in[i], e->tensors[i]);
    given[i] = &in[i];
  }
  if (!code && weft_infer_op(acl_env(), e->proto, &use, given, e->n_in, out, e->n_out, &d))
    code = acl_fail(ACLNN_ERR_PARAM_INVALID, "aclnn%sGetWorkspaceSize: %s", type, d.text);
  for (uint32_t i = 0; !code && i < e->n_out; i++)
    code = nn_compare(type, i, &out[i], e->tensors[e->n_in + i]);
  free(in);
  free(given);
  free(out);
  return code;
}

aclnnStatus weft_aclnn_prepare(const char *type, const weft_aclnn_argument *arguments, size_t n,
                               uint64_t *workspaceSize, aclOpExecutor **executor) {
  if (!workspaceSize || !executor)
    return acl_fail(ACLNN_ERR_PARAM_NULLPTR, "aclnn%sGetWorkspaceSize: workspaceSize or executor is NULL",
                    type);
  weft_env *env = acl_env();
  weft_diag d = {0};
  aclOpExecutor *e = calloc(1, sizeof *e);
  if (!e || !env) {
    free(e);
    return acl_fail(ACLNN_ERR_INNER, "aclnn%sGetWorkspaceSize: no memory", type);
  }
  aclnnStatus code = nn_arguments(e, type, arguments, n);
  if (!code && weft_get(env, type, &e->proto, &d))
    code = acl_fail(ACLNN_ERR_PARAM_INVALID, "aclnn%sGetWorkspaceSize: %s", type, d.text);
  if (!code)
    code = nn_check(e, type);
  if (code) {
    nn_free(e);
    return code;
  }
  *workspaceSize = 0;
  *executor = e;
  return ACLNN_SUCCESS;
}

// ---- the second phase ----

// Between a view and bytes one after another.
static void nn_move(const aclTensor *t, uint8_t *flat, bool to_view) {
  const size_t bytes = weft_dtype_bits(t->dtype) / 8;
  int64_t at[NN_DIMS] = {0};
  int64_t n = 1;
  for (uint64_t i = 0; i < t->rank; i++)
    n *= t->dims[i];
  for (int64_t i = 0; i < n; i++) {
    int64_t place = 0;
    for (uint64_t d = 0; d < t->rank; d++)
      place += at[d] * t->strides[d];
    uint8_t *element = t->data + place * (int64_t)bytes;
    if (to_view)
      memcpy(element, flat + (size_t)i * bytes, bytes);
    else
      memcpy(flat + (size_t)i * bytes, element, bytes);
    for (uint64_t d = t->rank; d-- > 0 && ++at[d] == t->dims[d];)
      at[d] = 0;
  }
}

static aclnnStatus nn_input(const char *type, uint32_t i, const aclTensor *from, weft_tensor *t) {
  weft_diag d = {0};
  int64_t n = 1;
  for (uint64_t k = 0; k < from->rank; k++)
    n *= from->dims[k];
  const size_t bytes = (size_t)n * (weft_dtype_bits(from->dtype) / 8);
  if (bytes && !from->data)
    return acl_fail(ACLNN_ERR_PARAM_NULLPTR, "aclnn%s: input %u has no data", type, i);
  const weft_status s =
      from->contiguous ? weft_tensor_borrow(t, from->dtype, from->dims, from->rank, from->data, bytes, &d)
                       : weft_tensor_alloc(t, from->dtype, from->dims, from->rank, &d);
  if (s)
    return acl_fail(ACLNN_ERR_INNER, "aclnn%s: input %u: %s", type, i, d.text);
  if (!from->contiguous)
    nn_move(from, t->data, false);
  t->format = t->origin_format = from->format;
  return ACLNN_SUCCESS;
}

static aclnnStatus nn_output(const char *type, uint32_t i, const weft_tensor *from, const aclTensor *to) {
  int64_t n = 1;
  for (uint64_t d = 0; d < to->rank; d++)
    n *= to->dims[d];
  const size_t room = (size_t)n * (weft_dtype_bits(to->dtype) / 8);
  if (from->dtype != to->dtype || from->bytes > room || (from->bytes && !to->data))
    return acl_fail(
        ACLNN_ERR_PARAM_INVALID, "aclnn%s: output %u has %zu bytes of %s, the tensor given for it %zu of %s",
        type, i, from->bytes, weft_dtype_name(from->dtype), to->data ? room : 0, weft_dtype_name(to->dtype));
  if (to->contiguous || from->bytes != room)
    memcpy(to->data, from->data, from->bytes);
  else
    nn_move(to, from->data, true);
  return ACLNN_SUCCESS;
}

static aclnnStatus nn_run(const aclOpExecutor *e, const char *type, weft_tensor *tensors,
                          const weft_tensor **given) {
  const weft_use use = nn_use(e);
  weft_tensor *out = tensors + e->n_in;
  weft_diag d = {0};
  aclnnStatus code = ACLNN_SUCCESS;
  for (uint32_t i = 0; !code && i < e->n_in; i++) {
    if (!e->tensors[i])
      continue;
    code = nn_input(type, i, e->tensors[i], &tensors[i]);
    given[i] = &tensors[i];
  }
  if (!code && weft_run_op(acl_env(), e->proto, &use, given, e->n_in, out, e->n_out, NULL, &d))
    code = acl_fail(ACLNN_ERR_RUNTIME_ERROR, "aclnn%s: %s", type, d.text);
  for (uint32_t i = 0; !code && i < e->n_out; i++) {
    if (e->tensors[e->n_in + i])
      code = nn_output(type, i, &out[i], e->tensors[e->n_in + i]);
  }
  return code;
}

aclnnStatus weft_aclnn_run(const char *type, void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                           aclrtStream stream) {
  (void)workspace;
  (void)workspaceSize;
  if (!executor)
    return acl_fail(ACLNN_ERR_PARAM_NULLPTR, "aclnn%s: the executor is NULL", type);
  const uint32_t n = executor->n_in + executor->n_out;
  weft_tensor *tensors = calloc(WEFT_MAX(n, 1), sizeof *tensors);
  const weft_tensor **given = calloc(WEFT_MAX(executor->n_in, 1), sizeof *given);
  aclnnStatus code =
      tensors && given ? acl_stream_ready(stream) : acl_fail(ACLNN_ERR_INNER, "aclnn%s: no memory", type);
  for (uint32_t i = 0; tensors && i < n; i++)
    weft_tensor_init(&tensors[i], NULL);
  if (!code)
    code = nn_run(executor, type, tensors, given);
  for (uint32_t i = 0; tensors && i < n; i++)
    weft_tensor_deinit(&tensors[i]);
  free(tensors);
  free(given);
  if (!executor->repeatable)
    nn_free(executor);
  return code;
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor) {
  if (!executor)
    return ACLNN_ERR_PARAM_NULLPTR;
  executor->repeatable = true;
  return ACLNN_SUCCESS;
}
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor) {
  if (!executor)
    return ACLNN_ERR_PARAM_NULLPTR;
  nn_free(executor);
  return ACLNN_SUCCESS;
}
// SPDX-License-Identifier: Apache-2.0
