// weft_cann/acl_base.h - AscendCL's error codes, types, data buffers and descriptions of tensors. C and C++.
// The calls of acl_base.h, acl_rt.h, acl_mdl.h and acl_op.h are in libweft_acl (weft::acl), which runs on the
// CPU: device memory is the program's own memory, and a stream does its work at once.
// Every call that gives an aclError gives ACL_SUCCESS or says why not: aclGetRecentErrMsg (acl_rt.h).
#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define WEFT_ACL __attribute__((visibility("default")))

typedef int aclError;
typedef uint16_t aclFloat16;  // the bits of an IEEE half
typedef void *aclrtStream;    // NULL: the default stream
typedef void *aclrtEvent;
typedef void *aclrtContext;
typedef void *aclrtNotify;
typedef struct aclDataBuffer aclDataBuffer;
typedef struct aclTensorDesc aclTensorDesc;

enum {
  ACL_ERROR_NONE = 0,
  ACL_SUCCESS = 0,
  ACL_ERROR_INVALID_PARAM = 100000,
  ACL_ERROR_UNINITIALIZE = 100001,
  ACL_ERROR_REPEAT_INITIALIZE = 100002,
  ACL_ERROR_INVALID_FILE = 100003,
  ACL_ERROR_WRITE_FILE = 100004,
  ACL_ERROR_INVALID_FILE_SIZE = 100005,
  ACL_ERROR_PARSE_FILE = 100006,
  ACL_ERROR_FILE_MISSING_ATTR = 100007,
  ACL_ERROR_FILE_ATTR_INVALID = 100008,
  ACL_ERROR_INVALID_DUMP_CONFIG = 100009,
  ACL_ERROR_INVALID_PROFILING_CONFIG = 100010,
  ACL_ERROR_INVALID_MODEL_ID = 100011,
  ACL_ERROR_DESERIALIZE_MODEL = 100012,
  ACL_ERROR_PARSE_MODEL = 100013,
  ACL_ERROR_READ_MODEL_FAILURE = 100014,
  ACL_ERROR_MODEL_SIZE_INVALID = 100015,
  ACL_ERROR_MODEL_MISSING_ATTR = 100016,
  ACL_ERROR_MODEL_INPUT_NOT_MATCH = 100017,
  ACL_ERROR_MODEL_OUTPUT_NOT_MATCH = 100018,
  ACL_ERROR_MODEL_NOT_DYNAMIC = 100019,
  ACL_ERROR_OP_TYPE_NOT_MATCH = 100020,
  ACL_ERROR_OP_INPUT_NOT_MATCH = 100021,
  ACL_ERROR_OP_OUTPUT_NOT_MATCH = 100022,
  ACL_ERROR_OP_ATTR_NOT_MATCH = 100023,
  ACL_ERROR_OP_NOT_FOUND = 100024,
  ACL_ERROR_OP_LOAD_FAILED = 100025,
  ACL_ERROR_UNSUPPORTED_DATA_TYPE = 100026,
  ACL_ERROR_FORMAT_NOT_MATCH = 100027,
  ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED = 100028,
  ACL_ERROR_KERNEL_NOT_FOUND = 100029,
  ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED = 100030,
  ACL_ERROR_KERNEL_ALREADY_REGISTERED = 100031,
  ACL_ERROR_INVALID_QUEUE_ID = 100032,
  ACL_ERROR_REPEAT_SUBSCRIBE = 100033,
  ACL_ERROR_STREAM_NOT_SUBSCRIBE = 100034,
  ACL_ERROR_THREAD_NOT_SUBSCRIBE = 100035,
  ACL_ERROR_WAIT_CALLBACK_TIMEOUT = 100036,
  ACL_ERROR_REPEAT_FINALIZE = 100037,
  ACL_ERROR_NOT_STATIC_AIPP = 100038,
  ACL_ERROR_COMPILING_STUB_MODE = 100039,
  ACL_ERROR_GROUP_NOT_SET = 100040,
  ACL_ERROR_GROUP_NOT_CREATE = 100041,
  ACL_ERROR_PROF_ALREADY_RUN = 100042,
  ACL_ERROR_PROF_NOT_RUN = 100043,
  ACL_ERROR_DUMP_ALREADY_RUN = 100044,
  ACL_ERROR_DUMP_NOT_RUN = 100045,
  ACL_ERROR_PROF_REPEAT_SUBSCRIBE = 148046,
  ACL_ERROR_PROF_API_CONFLICT = 148047,
  ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG = 148048,
  ACL_ERROR_INVALID_OPP_PATH = 148049,
  ACL_ERROR_OP_UNSUPPORTED_DYNAMIC = 148050,
  ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED = 148051,
  ACL_ERROR_UNSUPPORTED_JPEG = 148052,
  ACL_ERROR_INVALID_BUNDLE_MODEL_ID = 148053,
  ACL_ERROR_BAD_ALLOC = 200000,
  ACL_ERROR_API_NOT_SUPPORT = 200001,
  ACL_ERROR_INVALID_DEVICE = 200002,
  ACL_ERROR_MEMORY_ADDRESS_UNALIGNED = 200003,
  ACL_ERROR_RESOURCE_NOT_MATCH = 200004,
  ACL_ERROR_INVALID_RESOURCE_HANDLE = 200005,
  ACL_ERROR_FEATURE_UNSUPPORTED = 200006,
  ACL_ERROR_PROF_MODULES_UNSUPPORTED = 200007,
  ACL_ERROR_STORAGE_OVER_LIMIT = 300000,
  ACL_ERROR_INTERNAL_ERROR = 500000,
  ACL_ERROR_FAILURE = 500001,
  ACL_ERROR_GE_FAILURE = 500002,
  ACL_ERROR_RT_FAILURE = 500003,
  ACL_ERROR_DRV_FAILURE = 500004,
  ACL_ERROR_PROFILING_FAILURE = 500005,
};

// Element types and formats have the numbers of ge::DataType and ge::Format.
typedef enum aclDataType {
  ACL_DT_UNDEFINED = -1,
  ACL_FLOAT,
  ACL_FLOAT16,
  ACL_INT8,
  ACL_INT32,
  ACL_UINT8,
  ACL_INT16 = 6,
  ACL_UINT16,
  ACL_UINT32,
  ACL_INT64,
  ACL_UINT64,
  ACL_DOUBLE,
  ACL_BOOL,
  ACL_STRING,
  ACL_COMPLEX64 = 16,
  ACL_COMPLEX128,
  ACL_BF16 = 27,
  ACL_INT4 = 29,
  ACL_UINT1,
  ACL_COMPLEX32 = 33,
  ACL_HIFLOAT8,
  ACL_FLOAT8_E5M2,
  ACL_FLOAT8_E4M3FN,
  ACL_FLOAT8_E8M0,
  ACL_FLOAT6_E3M2,
  ACL_FLOAT6_E2M3,
  ACL_FLOAT4_E2M1,
  ACL_FLOAT4_E1M2
} aclDataType;
typedef enum aclFormat {
  ACL_FORMAT_UNDEFINED = -1,
  ACL_FORMAT_NCHW,
  ACL_FORMAT_NHWC,
  ACL_FORMAT_ND,
  ACL_FORMAT_NC1HWC0,
  ACL_FORMAT_FRACTAL_Z,
  ACL_FORMAT_NC1HWC0_C04 = 12,
  ACL_FORMAT_HWCN = 16,
  ACL_FORMAT_NDHWC = 27,
  ACL_FORMAT_FRACTAL_NZ = 29,
  ACL_FORMAT_NCDHW,
  ACL_FORMAT_NDC1HWC0 = 32,
  ACL_FRACTAL_Z_3D,
  ACL_FORMAT_NC = 35,
  ACL_FORMAT_NCL = 47,
  ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
  ACL_FORMAT_FRACTAL_NZ_C0_32,
  ACL_FORMAT_FRACTAL_NZ_C0_2,
  ACL_FORMAT_FRACTAL_NZ_C0_4,
  ACL_FORMAT_FRACTAL_NZ_C0_8
} aclFormat;
typedef enum aclMemType {
  ACL_MEMTYPE_DEVICE = 0,
  ACL_MEMTYPE_HOST,
  ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT
} aclMemType;
typedef enum aclCannAttr {
  ACL_CANN_ATTR_UNDEFINED = -1,
  ACL_CANN_ATTR_INF_NAN,
  ACL_CANN_ATTR_BF16,
  ACL_CANN_ATTR_JIT_COMPILE
} aclCannAttr;
typedef enum aclDeviceInfo {
  ACL_DEVICE_INFO_UNDEFINED = -1,
  ACL_DEVICE_INFO_AI_CORE_NUM,
  ACL_DEVICE_INFO_VECTOR_CORE_NUM,
  ACL_DEVICE_INFO_L2_SIZE
} aclDeviceInfo;

// ---- data buffers ----
// Wraps memory of the caller's, which the buffer never frees. NULL: no memory for the wrapper.
WEFT_ACL aclDataBuffer *aclCreateDataBuffer(void *data, size_t size);
WEFT_ACL aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer);
// Gives the wrapper another address and size.
WEFT_ACL aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size);
WEFT_ACL void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer);
WEFT_ACL uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer);  // at most UINT32_MAX
WEFT_ACL size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer);

// ---- types ----
// Bytes of an element; 0 for text, for types below a byte, and for what is no type.
WEFT_ACL size_t aclDataTypeSize(aclDataType dataType);
WEFT_ACL float aclFloat16ToFloat(aclFloat16 value);
WEFT_ACL aclFloat16 aclFloatToFloat16(float value);  // to nearest, ties to even

// ---- descriptions of tensors ----
// Element type, dims (copied), format. NULL: no such rank, or no memory. No dims make a scalar; -1 is a dim
// that is not known, and one dim of -2 a rank that is not known.
WEFT_ACL aclTensorDesc *aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t *dims,
                                            aclFormat format);
WEFT_ACL void aclDestroyTensorDesc(const aclTensorDesc *desc);
WEFT_ACL aclDataType aclGetTensorDescType(const aclTensorDesc *desc);
WEFT_ACL aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc);
WEFT_ACL size_t aclGetTensorDescSize(const aclTensorDesc *desc);          // bytes; 0 where not known
WEFT_ACL size_t aclGetTensorDescElementCount(const aclTensorDesc *desc);  // 0 where not known
// ACL_UNKNOWN_RANK where the rank is not known.
WEFT_ACL size_t aclGetTensorDescNumDims(const aclTensorDesc *desc);
WEFT_ACL int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index);  // -1: no such dim
WEFT_ACL aclError aclGetTensorDescDimV2(const aclTensorDesc *desc, size_t index, int64_t *dimSize);
WEFT_ACL void aclSetTensorDescName(aclTensorDesc *desc, const char *name);
WEFT_ACL const char *aclGetTensorDescName(aclTensorDesc *desc);  // "" without one
WEFT_ACL aclError aclSetTensorFormat(aclTensorDesc *desc, aclFormat format);
WEFT_ACL aclError aclSetTensorShape(aclTensorDesc *desc, int numDims, const int64_t *dims);
WEFT_ACL aclError aclSetTensorOriginFormat(aclTensorDesc *desc, aclFormat format);
WEFT_ACL aclError aclSetTensorOriginShape(aclTensorDesc *desc, int numDims, const int64_t *dims);
// What lies in a storage format of its own is not taken yet: other than the description's own is an error.
WEFT_ACL aclError aclSetTensorStorageFormat(aclTensorDesc *desc, aclFormat format);
WEFT_ACL aclError aclSetTensorStorageShape(aclTensorDesc *desc, int numDims, const int64_t *dims);
// The value of an input that inference of a single operator needs (aclopInferShape): copied.
WEFT_ACL aclError aclSetTensorConst(aclTensorDesc *desc, void *dataBuffer, size_t length);
// Host memory or device memory: one memory here, so that either is right.
WEFT_ACL aclError aclSetTensorPlaceMent(aclTensorDesc *desc, aclMemType memType);
#define ACL_UNKNOWN_RANK 0xFFFFFFFFFFFFFFFE

// "weft CPU", or what the variable WEFT_SOC says; never freed by the caller.
WEFT_ACL const char *aclrtGetSocName(void);
// Infinities, bf16 and just-in-time compiling: 1, 1, 0.
WEFT_ACL aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value);
WEFT_ACL aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num);
WEFT_ACL aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
