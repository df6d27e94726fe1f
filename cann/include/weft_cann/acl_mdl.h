// weft_cann/acl_mdl.h - AscendCL's models: what `weft atc` or `weft compile` wrote, loaded, described and
// run.
//
//   aclmdlLoadFromFile("resnet.om", &id);
//   desc = aclmdlCreateDesc(); aclmdlGetDesc(desc, id);
//   bytes = aclmdlGetInputSizeByIndex(desc, 0);      // a buffer of so many bytes for each input and output
//   aclmdlAddDatasetBuffer(input, aclCreateDataBuffer(memory, bytes)); ...
//   aclmdlExecute(id, input, output);
//   aclmdlDestroyDesc(desc); aclmdlUnload(id);
//
// An input whose dims are open is given its shape before the run: aclmdlSetDatasetTensorDesc,
// aclmdlSetInputDynamicDims, or aclmdlSetDynamicBatchSize and aclmdlSetDynamicHWSize. What a run found for an
// output is in aclmdlGetDatasetTensorDesc. A dim's largest size comes from the ranges that the model was
// compiled with (`weft atc --input_shape="x:1~8,3,224,224"`).
#pragma once
#include "weft_cann/acl_mdl_config.h"
#include "weft_cann/acl_rt.h"
#ifdef __cplusplus
extern "C" {
#endif
#define ACL_MAX_DIM_CNT         128
#define ACL_MAX_TENSOR_NAME_LEN 128
#define ACL_MAX_BATCH_NUM       128
#define ACL_MAX_HW_NUM          128
#define ACL_MAX_SHAPE_COUNT     128
#define ACL_DIM_ENDPOINTS       2
#define ACL_DYNAMIC_TENSOR_NAME "ascend_mbatch_shape_data"
typedef struct aclmdlDesc aclmdlDesc;
typedef struct aclmdlDataset aclmdlDataset;
typedef struct aclmdlIODims {
  char name[ACL_MAX_TENSOR_NAME_LEN];  // a longer one is cut: aclmdlGetInputNameByIndex gives it whole
  size_t dimCount;
  int64_t dims[ACL_MAX_DIM_CNT];
} aclmdlIODims;
typedef struct aclmdlIODimsRange {
  size_t rangeCount;
  int64_t range[ACL_MAX_DIM_CNT][ACL_DIM_ENDPOINTS];
} aclmdlIODimsRange;

// ---- loading ----
// Any file that weft reads: a compiled program, an ONNX model (which is compiled here), weft's text. *modelId
// is what the other calls take. ACL_ERROR_INVALID_FILE: no such file; ACL_ERROR_PARSE_MODEL: the file is
// damaged or of no known kind, or needs what weft lacks.
WEFT_ACL aclError aclmdlLoadFromFile(const char *modelPath, uint32_t *modelId);
// The bytes are copied.
WEFT_ACL aclError aclmdlLoadFromMem(const void *model, size_t modelSize, uint32_t *modelId);
// workPtr and weightPtr are not used: weft keeps its own arena, and maps the weights of a file.
WEFT_ACL aclError aclmdlLoadFromFileWithMem(const char *modelPath, uint32_t *modelId, void *workPtr,
                                            size_t workSize, void *weightPtr, size_t weightSize);
WEFT_ACL aclError aclmdlLoadFromMemWithMem(const void *model, size_t modelSize, uint32_t *modelId,
                                           void *workPtr, size_t workSize, void *weightPtr,
                                           size_t weightSize);
// ACL_ERROR_INVALID_MODEL_ID. Runs that go on end as usual, and descriptions stay.
WEFT_ACL aclError aclmdlUnload(uint32_t modelId);
// Bytes of a run's intermediate tensors, at the largest inputs, and of the weights. Work is 0 where an open
// dim has no upper bound.
WEFT_ACL aclError aclmdlQuerySize(const char *fileName, size_t *workSize, size_t *weightSize);
WEFT_ACL aclError aclmdlQuerySizeFromMem(const void *model, size_t modelSize, size_t *workSize,
                                         size_t *weightSize);

// ---- several models in one file, as ge::aclgrphBundleSaveModel writes it ----
// Its models have numbers of their own, which the calls for models take; they are unloaded with the bundle
// only. ACL_ERROR_INVALID_FILE, ACL_ERROR_PARSE_MODEL: the file, or one of its models, cannot be loaded, and
// none of it is.
WEFT_ACL aclError aclmdlBundleLoadFromFile(const char *modelPath, uint32_t *bundleId);
// ACL_ERROR_INVALID_BUNDLE_MODEL_ID, as in the next two.
WEFT_ACL aclError aclmdlBundleGetModelNum(uint32_t bundleId, size_t *modelNum);
WEFT_ACL aclError aclmdlBundleGetModelId(uint32_t bundleId, size_t index, uint32_t *modelId);
WEFT_ACL aclError aclmdlBundleUnload(uint32_t bundleId);

// ---- what a model takes and gives ----
WEFT_ACL aclmdlDesc *aclmdlCreateDesc(void);
WEFT_ACL aclError aclmdlDestroyDesc(aclmdlDesc *modelDesc);
WEFT_ACL aclError aclmdlGetDesc(aclmdlDesc *modelDesc, uint32_t modelId);
WEFT_ACL aclError aclmdlGetDescFromFile(aclmdlDesc *modelDesc, const char *modelPath);
WEFT_ACL aclError aclmdlGetDescFromMem(aclmdlDesc *modelDesc, const void *model, size_t modelSize);
WEFT_ACL size_t aclmdlGetNumInputs(aclmdlDesc *modelDesc);
WEFT_ACL size_t aclmdlGetNumOutputs(aclmdlDesc *modelDesc);
// Bytes; the largest that ranges allow where dims are open, 0 where nothing bounds them.
WEFT_ACL size_t aclmdlGetInputSizeByIndex(aclmdlDesc *modelDesc, size_t index);
WEFT_ACL size_t aclmdlGetOutputSizeByIndex(aclmdlDesc *modelDesc, size_t index);
// Dims, -1 where they are open; an output's are its largest where ranges bound them.
WEFT_ACL aclError aclmdlGetInputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims);
WEFT_ACL aclError aclmdlGetInputDimsV2(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims);
WEFT_ACL aclError aclmdlGetOutputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims);
// Least and greatest size of each dim; -1: no bound.
WEFT_ACL aclError aclmdlGetInputDimsRange(const aclmdlDesc *modelDesc, size_t index,
                                          aclmdlIODimsRange *dimsRange);
// As the last run of the model found them; as aclmdlGetOutputDims before the first.
WEFT_ACL aclError aclmdlGetCurOutputDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims);
// One past the inputs of a model with open dims stands ACL_DYNAMIC_TENSOR_NAME, as programs expect it. ""
// where there is no such index; lives as long as the description.
WEFT_ACL const char *aclmdlGetInputNameByIndex(const aclmdlDesc *modelDesc, size_t index);
WEFT_ACL const char *aclmdlGetOutputNameByIndex(const aclmdlDesc *modelDesc, size_t index);
WEFT_ACL aclError aclmdlGetInputIndexByName(const aclmdlDesc *modelDesc, const char *name, size_t *index);
WEFT_ACL aclError aclmdlGetOutputIndexByName(const aclmdlDesc *modelDesc, const char *name, size_t *index);
WEFT_ACL aclDataType aclmdlGetInputDataType(const aclmdlDesc *modelDesc, size_t index);
WEFT_ACL aclDataType aclmdlGetOutputDataType(const aclmdlDesc *modelDesc, size_t index);
WEFT_ACL aclFormat aclmdlGetInputFormat(const aclmdlDesc *modelDesc, size_t index);
WEFT_ACL aclFormat aclmdlGetOutputFormat(const aclmdlDesc *modelDesc, size_t index);

// ---- gears: the sizes that a model was compiled for ----
// What `weft atc --dynamic_batch_size`, --dynamic_image_size or --dynamic_dims listed; a count of 0 where it
// listed none. Every size in the range of the gears runs.
typedef struct aclmdlBatch {
  size_t batchCount;
  uint64_t batch[ACL_MAX_BATCH_NUM];
} aclmdlBatch;
typedef struct aclmdlHW {
  size_t hwCount;
  uint64_t hw[ACL_MAX_HW_NUM][2];
} aclmdlHW;
WEFT_ACL aclError aclmdlGetDynamicBatch(const aclmdlDesc *modelDesc, aclmdlBatch *batch);
WEFT_ACL aclError aclmdlGetDynamicHW(const aclmdlDesc *modelDesc, size_t index, aclmdlHW *hw);
// Of --dynamic_dims: how many gears, and for each the dims of all inputs, one after the other.
WEFT_ACL aclError aclmdlGetInputDynamicGearCount(const aclmdlDesc *modelDesc, size_t index,
                                                 size_t *gearCount);
WEFT_ACL aclError aclmdlGetInputDynamicDims(const aclmdlDesc *modelDesc, size_t index, aclmdlIODims *dims,
                                            size_t gearCount);

// ---- running ----
// An ordered list of buffers, which it does not own.
WEFT_ACL aclmdlDataset *aclmdlCreateDataset(void);
WEFT_ACL aclError aclmdlDestroyDataset(const aclmdlDataset *dataset);
WEFT_ACL aclError aclmdlAddDatasetBuffer(aclmdlDataset *dataset, aclDataBuffer *dataBuffer);
WEFT_ACL size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset *dataset);
WEFT_ACL aclDataBuffer *aclmdlGetDatasetBuffer(const aclmdlDataset *dataset, size_t index);
// The shape of input `index` in the next run; the description is copied.
WEFT_ACL aclError aclmdlSetDatasetTensorDesc(aclmdlDataset *dataset, aclTensorDesc *tensorDesc, size_t index);
// What a run gave for output `index`: type and shape; the dataset's own. NULL before the first run.
WEFT_ACL aclTensorDesc *aclmdlGetDatasetTensorDesc(const aclmdlDataset *dataset, size_t index);
// Sizes of open dims. A program finds `index` as the index of ACL_DYNAMIC_TENSOR_NAME, one past the inputs;
// a buffer for it is allowed and not used. Neither is the index: every input whose first dim is open gets the
// batch size, and every input of rank 4 whose dims of height and width are open gets these.
// ACL_ERROR_MODEL_NOT_DYNAMIC.
WEFT_ACL aclError aclmdlSetDynamicBatchSize(uint32_t modelId, aclmdlDataset *dataset, size_t index,
                                            uint64_t batchSize);
WEFT_ACL aclError aclmdlSetDynamicHWSize(uint32_t modelId, aclmdlDataset *dataset, size_t index,
                                         uint64_t height, uint64_t width);
// The dims of all inputs, one after the other.
WEFT_ACL aclError aclmdlSetInputDynamicDims(uint32_t modelId, aclmdlDataset *dataset, size_t index,
                                            const aclmdlIODims *dims);
// Reads the inputs where they lie and writes the outputs where they are wanted; several threads may run one
// model. A buffer larger than its tensor is allowed, a smaller one is ACL_ERROR_MODEL_INPUT_NOT_MATCH or
// ACL_ERROR_MODEL_OUTPUT_NOT_MATCH with both sizes.
WEFT_ACL aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output);
WEFT_ACL aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
                                     aclrtStream stream);
// In the order of a stream; the handle (aclmdlCreateExecConfigHandle, or NULL) changes nothing.
WEFT_ACL aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
                                  aclrtStream stream, const aclmdlExecConfigHandle *handle);
WEFT_ACL aclError aclmdlExecuteAsyncV2(uint32_t modelId, const aclmdlDataset *input, aclmdlDataset *output,
                                       aclrtStream stream, const aclmdlExecConfigHandle *handle);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
