// model_run.c - datasets, the shapes of open inputs, and runs.
#include <stdlib.h>

#include "model.h"

struct aclmdlDataset {
  aclDataBuffer **buffers;
  aclTensorDesc **descs;  // NULL: the model's own shape. Of outputs: what the last run gave
  size_t n;
};

// ---- datasets ----
aclmdlDataset *aclmdlCreateDataset(void) {
  return calloc(1, sizeof(aclmdlDataset));
}
aclError aclmdlDestroyDataset(const aclmdlDataset *dataset) {
  if (!dataset)
    return acl_missing("aclmdlDestroyDataset: dataset");
  for (size_t i = 0; i < dataset->n; i++)
    aclDestroyTensorDesc(dataset->descs[i]);
  free(dataset->buffers);
  free(dataset->descs);
  free((void *)(uintptr_t)dataset);
  return ACL_SUCCESS;
}
aclError aclmdlAddDatasetBuffer(aclmdlDataset *dataset, aclDataBuffer *dataBuffer) {
  if (!dataset || !dataBuffer)
    return acl_missing("aclmdlAddDatasetBuffer: the dataset or the buffer");
  aclDataBuffer **buffers = realloc(dataset->buffers, (dataset->n + 1) * sizeof *buffers);
  if (buffers)
    dataset->buffers = buffers;
  aclTensorDesc **descs = realloc(dataset->descs, (dataset->n + 1) * sizeof *descs);
  if (descs)
    dataset->descs = descs;
  if (!buffers || !descs)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "aclmdlAddDatasetBuffer: no memory");
  dataset->buffers[dataset->n] = dataBuffer;
  dataset->descs[dataset->n] = NULL;
  dataset->n++;
  return ACL_SUCCESS;
}
size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset *dataset) {
  return dataset ? dataset->n : 0;
}
aclDataBuffer *aclmdlGetDatasetBuffer(const aclmdlDataset *dataset, size_t index) {
  return dataset && index < dataset->n ? dataset->buffers[index] : NULL;
}
aclTensorDesc *aclmdlGetDatasetTensorDesc(const aclmdlDataset *dataset, size_t index) {
  return dataset && index < dataset->n ? dataset->descs[index] : NULL;
}

static aclError dataset_set(const char *call, aclmdlDataset *dataset, size_t index,
                            const weft_tensor_desc *t) {
  if (index >= dataset->n) {
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: tensor %zu of a dataset of %zu buffers", call, index,
                    dataset->n);
  }
  aclTensorDesc *copy = acl_desc_from(t);
  if (!copy)
    return acl_fail(ACL_ERROR_BAD_ALLOC, "%s: no memory", call);
  aclDestroyTensorDesc(dataset->descs[index]);
  dataset->descs[index] = copy;
  return ACL_SUCCESS;
}
aclError aclmdlSetDatasetTensorDesc(aclmdlDataset *dataset, aclTensorDesc *tensorDesc, size_t index) {
  if (!dataset || !tensorDesc)
    return acl_missing("aclmdlSetDatasetTensorDesc: the dataset or the description");
  return dataset_set("aclmdlSetDatasetTensorDesc", dataset, index, &tensorDesc->desc);
}

// ---- open dims ----
// Takes the description that input i has so far, or the model's.
static weft_tensor_desc input_now(const acl_model *m, const aclmdlDataset *dataset, size_t i) {
  weft_tensor_desc t;
  weft_program_input(m->program, i, &t);
  if (i < dataset->n && dataset->descs[i])
    t.layout = dataset->descs[i]->desc.layout;
  return t;
}
typedef bool (*input_change)(weft_shape *s, const weft_shape *model, size_t i, const void *with);
// Changes the shapes of the inputs; ACL_ERROR_MODEL_NOT_DYNAMIC where none changed.
static aclError inputs_change(const char *call, uint32_t id, aclmdlDataset *dataset, input_change change,
                              const void *with) {
  if (!dataset)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: the dataset is NULL", call);
  acl_model *m = acl_model_use(call, id);
  if (!m)
    return ACL_ERROR_INVALID_MODEL_ID;
  aclError code = ACL_SUCCESS;
  bool any = false;
  for (size_t i = 0; !code && i < weft_program_n_inputs(m->program) && i < dataset->n; i++) {
    weft_tensor_desc of_model;
    weft_program_input(m->program, i, &of_model);
    weft_tensor_desc t = input_now(m, dataset, i);
    if (!change(&t.layout.origin, &of_model.layout.origin, i, with))
      continue;
    any = true;
    t.layout.storage = t.layout.origin;
    code = dataset_set(call, dataset, i, &t);
  }
  acl_model_leave(m);
  if (code || any)
    return code;
  return acl_fail(ACL_ERROR_MODEL_NOT_DYNAMIC,
                  "%s: no input of the model has such an open dim; `weft infer` shows its inputs", call);
}

static bool change_batch(weft_shape *s, const weft_shape *model, size_t i, const void *with) {
  (void)i;
  if (weft_shape_is_unknown_rank(model) || !model->rank || model->dim[0] >= 0)
    return false;
  s->dim[0] = *(const int64_t *)with;
  return true;
}
aclError aclmdlSetDynamicBatchSize(uint32_t modelId, aclmdlDataset *dataset, size_t index,
                                   uint64_t batchSize) {
  (void)index;
  if (!batchSize || batchSize > INT64_MAX)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclmdlSetDynamicBatchSize: a batch of 0");
  const int64_t batch = (int64_t)batchSize;
  return inputs_change("aclmdlSetDynamicBatchSize", modelId, dataset, change_batch, &batch);
}

// The two open dims of four are height and width, in NCHW and NHWC.
static bool change_size(weft_shape *s, const weft_shape *model, size_t i, const void *with) {
  const int64_t *size = with;
  (void)i;
  if (model->rank != 4)
    return false;
  const size_t first = model->dim[3] < 0 ? 2 : 1;
  if (model->dim[first] >= 0 || model->dim[first + 1] >= 0)
    return false;
  s->dim[first] = size[0];
  s->dim[first + 1] = size[1];
  return true;
}
aclError aclmdlSetDynamicHWSize(uint32_t modelId, aclmdlDataset *dataset, size_t index, uint64_t height,
                                uint64_t width) {
  (void)index;
  if (!height || !width || height > INT64_MAX || width > INT64_MAX)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclmdlSetDynamicHWSize: a picture without pixels");
  const int64_t size[2] = {(int64_t)height, (int64_t)width};
  return inputs_change("aclmdlSetDynamicHWSize", modelId, dataset, change_size, size);
}

typedef struct all_dims {
  const aclmdlIODims *given;
  size_t at;
} all_dims;
static bool change_all(weft_shape *s, const weft_shape *model, size_t i, const void *with) {
  all_dims *all = (all_dims *)(uintptr_t)with;
  (void)i;
  if (weft_shape_is_unknown_rank(model) || all->at + (size_t)model->rank > all->given->dimCount)
    return false;
  for (size_t k = 0; k < (size_t)model->rank; k++)
    s->dim[k] = all->given->dims[all->at + k];
  all->at += (size_t)model->rank;
  return true;
}
// Are there as many dims as the inputs have together?
static aclError inputs_sum(const char *call, uint32_t id, size_t given) {
  acl_model *m = acl_model_use(call, id);
  size_t sum = 0;
  if (!m)
    return ACL_ERROR_INVALID_MODEL_ID;
  for (size_t i = 0; i < weft_program_n_inputs(m->program); i++) {
    weft_tensor_desc t;
    weft_program_input(m->program, i, &t);
    sum += (size_t)t.layout.origin.rank;
  }
  acl_model_leave(m);
  if (sum == given)
    return ACL_SUCCESS;
  return acl_fail(ACL_ERROR_INVALID_PARAM, "%s: %zu dims are given, the model's inputs have %zu together",
                  call, given, sum);
}
aclError aclmdlSetInputDynamicDims(uint32_t modelId, aclmdlDataset *dataset, size_t index,
                                   const aclmdlIODims *dims) {
  (void)index;
  if (!dims || dims->dimCount > ACL_MAX_DIM_CNT)
    return acl_fail(ACL_ERROR_INVALID_PARAM, "aclmdlSetInputDynamicDims: no dims, or more than %d",
                    ACL_MAX_DIM_CNT);
  all_dims all = {.given = dims};
  const aclError code = inputs_sum("aclmdlSetInputDynamicDims", modelId, dims->dimCount);
  return code ? code : inputs_change("aclmdlSetInputDynamicDims", modelId, dataset, change_all, &all);
}

// ---- runs ----
typedef struct run {
  weft_tensor *tensors;  // inputs, then outputs
  const weft_tensor **in;
  weft_tensor **out;
  size_t n_in, n_out;
} run;

static bool run_make(run *r, size_t n_in, size_t n_out) {
  const size_t n = WEFT_MAX(n_in + n_out, 1);
  *r = (run){.tensors = calloc(n, sizeof *r->tensors),
             .in = calloc(n, sizeof *r->in),
             .out = calloc(n, sizeof *r->out),
             .n_in = n_in,
             .n_out = n_out};
  if (!r->tensors || !r->in || !r->out)
    return false;
  for (size_t i = 0; i < n_in + n_out; i++)
    weft_tensor_init(&r->tensors[i], NULL);
  for (size_t i = 0; i < n_in; i++)
    r->in[i] = &r->tensors[i];
  for (size_t i = 0; i < n_out; i++)
    r->out[i] = &r->tensors[n_in + i];
  return true;
}
static void run_free(run *r) {
  for (size_t i = 0; r->tensors && i < r->n_in + r->n_out; i++)
    weft_tensor_deinit(&r->tensors[i]);
  free(r->tensors);
  free(r->in);
  free(r->out);
}

static aclError run_input(const acl_model *m, const aclmdlDataset *dataset, size_t i, weft_tensor *t) {
  weft_tensor_desc want = input_now(m, dataset, i);
  const aclDataBuffer *b = dataset->buffers[i];
  weft_diag d = {0};
  char text[300];
  weft_shape *s = &want.layout.origin;
  const int64_t bytes = weft_desc_bytes(&want);
  if (bytes < 0) {
    return acl_fail(ACL_ERROR_MODEL_INPUT_NOT_MATCH,
                    "aclmdlExecute: input %zu '%s' is %s %s: give its shape by aclmdlSetDatasetTensorDesc, "
                    "aclmdlSetInputDynamicDims or aclmdlSetDynamicBatchSize first",
                    i, want.name ? want.name : "", weft_dtype_name(want.dtype),
                    weft_shape_text(s, weft_program_symbols(m->program), text, sizeof text));
  }
  if (!b->data || b->size < (uint64_t)bytes) {
    return acl_fail(ACL_ERROR_MODEL_INPUT_NOT_MATCH,
                    "aclmdlExecute: input %zu '%s' %s%s takes %lld bytes, its buffer has %zu", i,
                    want.name ? want.name : "", weft_dtype_name(want.dtype),
                    weft_shape_text(s, NULL, text, sizeof text), (long long)bytes, b->data ? b->size : 0);
  }
  if (weft_tensor_borrow(t, want.dtype, s->dim, (size_t)s->rank, b->data, (size_t)bytes, &d))
    return acl_fail(ACL_ERROR_MODEL_INPUT_NOT_MATCH, "aclmdlExecute: input %zu: %s", i, d.text);
  return ACL_SUCCESS;
}
// The buffer as it is; the run says what it became.
static aclError run_output(const aclmdlDataset *dataset, size_t i, weft_tensor *t) {
  const aclDataBuffer *b = dataset->buffers[i];
  weft_diag d = {0};
  static char none[64];  // of a tensor without elements
  const int64_t size = (int64_t)b->size;
  void *data = b->data ? b->data : none;
  if (weft_tensor_borrow(t, WEFT_UINT8, &size, 1, data, b->data ? b->size : 0, &d))
    return acl_fail(ACL_ERROR_MODEL_OUTPUT_NOT_MATCH, "aclmdlExecute: output %zu: %s", i, d.text);
  return ACL_SUCCESS;
}

// Shapes that came out: for the dataset, and for aclmdlGetCurOutputDims.
static aclError run_tell(acl_model *m, const run *r, aclmdlDataset *output) {
  weft_shape *last = calloc(WEFT_MAX(r->n_out, 1), sizeof *last);
  aclError code = last ? ACL_SUCCESS : acl_fail(ACL_ERROR_BAD_ALLOC, "aclmdlExecute: no memory");
  for (size_t i = 0; !code && i < r->n_out; i++) {
    weft_tensor_desc t;
    weft_tensor_desc of_model;
    weft_tensor_describe(r->out[i], &t);
    weft_program_output(m->program, i, &of_model);
    t.name = of_model.name;
    last[i] = t.layout.origin;
    code = dataset_set("aclmdlExecute", output, i, &t);
  }
  pthread_mutex_lock(&acl_lock);
  weft_shape *before = m->last;
  m->last = last;
  pthread_mutex_unlock(&acl_lock);
  free(before);
  return code;
}

static aclError run_model(acl_model *m, uint32_t id, const aclmdlDataset *input, aclmdlDataset *output,
                          run *r) {
  weft_diag d = {0};
  aclError code = ACL_SUCCESS;
  for (size_t i = 0; !code && i < r->n_in; i++)
    code = run_input(m, input, i, &r->tensors[i]);
  for (size_t i = 0; !code && i < r->n_out; i++)
    code = run_output(output, i, r->out[i]);
  weft_session *s = code ? NULL : acl_model_session();
  if (!s)
    return code ? code : ACL_ERROR_INTERNAL_ERROR;
  const uint64_t begin = acl_prof_begin();
  const weft_status status = weft_session_run(s, id, r->in, r->n_in, r->out, r->n_out, &d);
  acl_prof_end(begin, "model", "", id);
  if (!status)
    return run_tell(m, r, output);
  return acl_fail(status == WEFT_E_NOMEM ? ACL_ERROR_BAD_ALLOC : ACL_ERROR_GE_FAILURE, "aclmdlExecute: %s",
                  d.text);
}

aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output) {
  if (!input || !output)
    return acl_missing("aclmdlExecute: the dataset of inputs or of outputs");
  acl_model *m = acl_model_use("aclmdlExecute", modelId);
  if (!m)
    return ACL_ERROR_INVALID_MODEL_ID;
  const size_t n_in = weft_program_n_inputs(m->program);
  const size_t n_out = weft_program_n_outputs(m->program);
  aclError code;
  run r = {0};
  if (input->n != n_in && input->n != n_in + 1) {  // one more: that of ACL_DYNAMIC_TENSOR_NAME
    code = acl_fail(ACL_ERROR_MODEL_INPUT_NOT_MATCH, "aclmdlExecute: %zu buffers for %zu inputs", input->n,
                    n_in);
  } else if (output->n != n_out) {
    code = acl_fail(ACL_ERROR_MODEL_OUTPUT_NOT_MATCH, "aclmdlExecute: %zu buffers for %zu outputs", output->n,
                    n_out);
  } else if (!run_make(&r, n_in, n_out)) {
    code = acl_fail(ACL_ERROR_BAD_ALLOC, "aclmdlExecute: no memory");
  } else {
    code = run_model(m, modelId, input, output, &r);
  }
  run_free(&r);
  acl_model_leave(m);
  return code;
}
aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
                            aclrtStream stream) {
  const aclError code = acl_stream_ready(stream);
  return code ? code : aclmdlExecute(modelId, input, output);
}
// SPDX-License-Identifier: Apache-2.0
