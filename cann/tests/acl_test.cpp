// acl_test.cpp - AscendCL over weft: memory and handles are checked, streams keep their order, models run
// with the shapes that were given, operators run by name.
#include <pthread.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

#include "acl/acl.h"
#include "check.h"
#include "weft_cann/bundle_file.h"

static bool Says(const char *part) {
  const char *text = aclGetRecentErrMsg();
  const bool found = text && strstr(text, part);
  if (!found)
    std::cerr << "message: " << (text ? text : "none") << "\n";
  return found;
}

TEST(acl_begins_and_ends) {
  CHECK_EQ(aclFinalize(), int(ACL_ERROR_UNINITIALIZE));
  CHECK_EQ(aclInit("/no/such/file.json"), int(ACL_ERROR_INVALID_FILE));
  CHECK_EQ(aclInit(nullptr), int(ACL_SUCCESS));
  CHECK_EQ(aclInit(nullptr), int(ACL_ERROR_REPEAT_INITIALIZE));
  CHECK_EQ(aclFinalize(), int(ACL_SUCCESS));
  CHECK_EQ(aclFinalize(), int(ACL_ERROR_REPEAT_FINALIZE));
  CHECK(Says("called before"));
  CHECK_EQ(aclGetRecentErrMsg(), static_cast<const char *>(nullptr));
  CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), int(ACL_ERROR_REPEAT_FINALIZE));
  CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), int(ACL_SUCCESS));
}

TEST(acl_devices_and_contexts) {
  uint32_t count = 0;
  int32_t device = 7;
  aclrtContext context;
  aclrtContext current;
  int64_t cores = 0;
  CHECK_EQ(aclrtGetDeviceCount(&count), int(ACL_SUCCESS));
  CHECK_EQ(count, 1u);
  CHECK_EQ(aclrtGetDevice(&device), int(ACL_ERROR_RT_CONTEXT_NULL));
  CHECK_EQ(aclrtSetDevice(3), int(ACL_ERROR_RT_INVALID_DEVICEID));
  CHECK_EQ(aclrtSetDevice(0), int(ACL_SUCCESS));
  CHECK_EQ(aclrtGetDevice(&device), int(ACL_SUCCESS));
  CHECK_EQ(device, 0);
  CHECK_EQ(aclrtCreateContext(&context, 0), int(ACL_SUCCESS));
  CHECK_EQ(aclrtGetCurrentContext(&current), int(ACL_SUCCESS));
  CHECK_EQ(current, context);
  CHECK_EQ(aclrtDestroyContext(context), int(ACL_SUCCESS));
  CHECK_EQ(aclrtSetCurrentContext(context), int(ACL_ERROR_RT_CONTEXT_NULL));
  CHECK_EQ(aclrtGetCurrentContext(&current), int(ACL_SUCCESS));
  CHECK_EQ(aclrtSetCurrentContext(current), int(ACL_SUCCESS));
  CHECK_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &cores), int(ACL_SUCCESS));
  CHECK(cores > 0);
  CHECK_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_WARP_SIZE, &cores), int(ACL_ERROR_RT_FEATURE_NOT_SUPPORT));
  CHECK_EQ(aclrtResetDevice(0), int(ACL_SUCCESS));
}

TEST(acl_memory_is_checked) {
  void *there = nullptr;
  void *host = nullptr;
  char here[8] = "weft";
  char back[8] = {0};
  CHECK_EQ(aclrtMalloc(&there, 0, ACL_MEM_MALLOC_HUGE_FIRST), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtMalloc(nullptr, 8, ACL_MEM_MALLOC_HUGE_FIRST), int(ACL_ERROR_INVALID_PARAM));
  CHECK_EQ(aclrtMalloc(&there, SIZE_MAX - 1, ACL_MEM_MALLOC_HUGE_FIRST), int(ACL_ERROR_RT_MEMORY_ALLOCATION));
  CHECK_EQ(aclrtMalloc(&there, 8, ACL_MEM_MALLOC_HUGE_FIRST), int(ACL_SUCCESS));
  CHECK_EQ(reinterpret_cast<uintptr_t>(there) % 64, 0u);
  CHECK_EQ(aclrtMemcpy(there, 8, here, 8, ACL_MEMCPY_HOST_TO_DEVICE), int(ACL_SUCCESS));
  CHECK_EQ(aclrtMemcpy(back, 8, there, 8, ACL_MEMCPY_DEVICE_TO_HOST), int(ACL_SUCCESS));
  CHECK_EQ(std::string(back), std::string("weft"));
  CHECK_EQ(aclrtMemcpy(there, 4, here, 8, ACL_MEMCPY_HOST_TO_DEVICE), int(ACL_ERROR_RT_PARAM_INVALID));
  // what the caller claims is not what the block has
  CHECK_EQ(aclrtMemcpy(static_cast<char *>(there) + 4, 100, here, 8, ACL_MEMCPY_HOST_TO_DEVICE),
           int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK(Says("pass the end of a block of 8 bytes"));
  CHECK_EQ(aclrtMemset(there, 8, 0, 9), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtMemset(there, 8, 1, 8), int(ACL_SUCCESS));
  CHECK_EQ(static_cast<char *>(there)[7], 1);
  CHECK_EQ(aclrtMallocHost(&host, 16), int(ACL_SUCCESS));
  CHECK_EQ(aclrtFree(host), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtFreeHost(host), int(ACL_SUCCESS));
  // nor does it end in the bytes that kernels may read behind a block
  CHECK_EQ(aclrtMemcpy(static_cast<char *>(there) + 20, 8, here, 8, ACL_MEMCPY_HOST_TO_DEVICE),
           int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtFree(there), int(ACL_SUCCESS));
  CHECK_EQ(aclrtFree(there), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtFree(nullptr), int(ACL_ERROR_INVALID_PARAM));
}

TEST(acl_copies_rows) {
  const char from[] = "ab--cd--";
  char to[7] = "......";
  CHECK_EQ(aclrtMemcpy2d(to, 3, from, 4, 2, 2, ACL_MEMCPY_HOST_TO_HOST), int(ACL_SUCCESS));
  CHECK_EQ(std::string(to), std::string("ab.cd."));
  CHECK_EQ(aclrtMemcpy2d(to, 1, from, 4, 2, 2, ACL_MEMCPY_HOST_TO_HOST), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtMemcpy2d(to, SIZE_MAX, from, SIZE_MAX, 1, SIZE_MAX, ACL_MEMCPY_HOST_TO_HOST),
           int(ACL_ERROR_RT_PARAM_INVALID));
}

TEST(acl_handles_are_checked) {
  aclrtStream stream;
  aclrtStream other;
  aclrtEvent begin;
  aclrtEvent end;
  aclrtEventRecordedStatus status;
  float ms = -1;
  CHECK_EQ(aclrtCreateStream(&stream), int(ACL_SUCCESS));
  CHECK_EQ(aclrtCreateEvent(&begin), int(ACL_SUCCESS));
  CHECK_EQ(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE), int(ACL_SUCCESS));
  CHECK_EQ(aclrtEventElapsedTime(&ms, begin, end), int(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID));
  CHECK_EQ(aclrtQueryEventStatus(begin, &status), int(ACL_SUCCESS));
  CHECK_EQ(int(status), int(ACL_EVENT_RECORDED_STATUS_NOT_READY));
  CHECK_EQ(aclrtRecordEvent(begin, stream), int(ACL_SUCCESS));
  CHECK_EQ(aclrtRecordEvent(end, stream), int(ACL_SUCCESS));
  CHECK_EQ(aclrtEventElapsedTime(&ms, begin, end), int(ACL_SUCCESS));
  CHECK(ms >= 0);
  CHECK_EQ(aclrtEventElapsedTime(&ms, end, begin), ms > 0 ? int(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL) : 0);
  CHECK_EQ(aclrtStreamWaitEvent(stream, stream), int(ACL_ERROR_RT_INVALID_HANDLE));
  CHECK_EQ(aclrtSynchronizeStream(nullptr), int(ACL_SUCCESS));
  CHECK_EQ(aclrtDestroyStream(stream), int(ACL_SUCCESS));
  CHECK_EQ(aclrtSynchronizeStream(stream), int(ACL_ERROR_RT_STREAM_CONTEXT));
  CHECK_EQ(aclrtCreateStream(&other), int(ACL_SUCCESS));
  CHECK(other != stream);
  CHECK_EQ(aclrtDestroyStream(stream), int(ACL_ERROR_RT_STREAM_CONTEXT));
  CHECK_EQ(aclrtDestroyStream(other), int(ACL_SUCCESS));
  CHECK_EQ(aclrtDestroyEvent(begin), int(ACL_SUCCESS));
  CHECK_EQ(aclrtDestroyEvent(begin), int(ACL_ERROR_RT_INVALID_HANDLE));
  CHECK_EQ(aclrtDestroyEvent(end), int(ACL_SUCCESS));
}

TEST(acl_callbacks_are_served_by_their_thread) {
  static std::atomic<int> served;
  static std::atomic<bool> stop;
  aclrtStream stream;
  char a[4] = "abc";
  char b[4] = {0};
  CHECK_EQ(aclrtCreateStream(&stream), int(ACL_SUCCESS));
  const auto serve = [](void *data) { *static_cast<char *>(data) = 'x', served++; };
  CHECK_EQ(aclrtLaunchCallback(serve, a, ACL_CALLBACK_BLOCK, stream), int(ACL_ERROR_STREAM_NOT_SUBSCRIBE));
  CHECK_EQ(aclrtProcessReport(0), int(ACL_ERROR_THREAD_NOT_SUBSCRIBE));
  std::thread server([] {
    while (!stop)
      aclrtProcessReport(10);
  });
  const uint64_t id = static_cast<uint64_t>(server.native_handle());
  CHECK_EQ(aclrtSubscribeReport(id, stream), int(ACL_SUCCESS));
  CHECK_EQ(aclrtSubscribeReport(id, stream), int(ACL_ERROR_REPEAT_SUBSCRIBE));
  CHECK_EQ(aclrtLaunchCallback(serve, a, ACL_CALLBACK_BLOCK, stream), int(ACL_SUCCESS));
  CHECK_EQ(aclrtMemcpyAsync(b, 4, a, 4, ACL_MEMCPY_HOST_TO_HOST, stream), int(ACL_SUCCESS));
  CHECK_EQ(std::string(b), std::string("xbc"));  // the copy came after what blocks the stream
  CHECK_EQ(aclrtLaunchCallback(serve, a, ACL_CALLBACK_NO_BLOCK, stream), int(ACL_SUCCESS));
  CHECK_EQ(aclrtSynchronizeStream(stream), int(ACL_SUCCESS));
  CHECK_EQ(served.load(), 2);
  stop = true;
  server.join();
  // what nobody will serve is an error, not a wait for ever
  CHECK_EQ(aclrtLaunchCallback(serve, a, ACL_CALLBACK_BLOCK, stream), int(ACL_SUCCESS));
  CHECK_EQ(aclrtUnSubscribeReport(id, stream), int(ACL_SUCCESS));
  CHECK_EQ(aclrtSynchronizeStream(stream), int(ACL_ERROR_STREAM_NOT_SUBSCRIBE));
  CHECK_EQ(aclrtMemcpyAsync(b, 4, a, 4, ACL_MEMCPY_HOST_TO_HOST, stream),
           int(ACL_ERROR_STREAM_NOT_SUBSCRIBE));
  CHECK_EQ(aclrtSynchronizeDevice(), int(ACL_SUCCESS));
  CHECK_EQ(aclrtDestroyStream(stream), int(ACL_SUCCESS));
}

TEST(acl_notifies_order_threads) {
  CHECK_EQ(aclInit(nullptr), ACL_SUCCESS);
  CHECK_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  static aclrtNotify notify;
  aclrtStream stream;
  CHECK_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  CHECK_EQ(aclrtCreateNotify(nullptr, 0), ACL_ERROR_INVALID_PARAM);
  CHECK_EQ(aclrtCreateNotify(&notify, 7), ACL_ERROR_RT_PARAM_INVALID);
  CHECK_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), ACL_SUCCESS);
  uint32_t id = 99;
  CHECK_EQ(aclrtGetNotifyId(notify, &id), ACL_SUCCESS);
  CHECK(id < 99);
  CHECK_EQ(aclrtRecordNotify(notify, stream), ACL_SUCCESS);
  CHECK_EQ(aclrtWaitAndResetNotify(notify, stream, 0), ACL_SUCCESS);
  CHECK_EQ(aclrtWaitAndResetNotify(notify, stream, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);  // it was cleared
  CHECK(strstr(aclGetRecentErrMsg(), "nobody recorded the notify within 1 ms"));
  static std::atomic<int> written;
  written = 0;
  std::thread other([] {
    written = 5;
    (void)aclrtRecordNotify(notify, nullptr);
  });
  CHECK_EQ(aclrtWaitAndResetNotify(notify, stream, 0), ACL_SUCCESS);
  CHECK_EQ(written.load(), 5);
  other.join();
  CHECK_EQ(aclrtDestroyNotify(notify), ACL_SUCCESS);
  CHECK_EQ(aclrtDestroyNotify(notify), ACL_ERROR_RT_PARAM_INVALID);
  CHECK_EQ(aclrtRecordNotify(notify, stream), ACL_ERROR_RT_PARAM_INVALID);
  CHECK_EQ(aclrtWaitAndResetNotify(stream, stream, 1), ACL_ERROR_RT_PARAM_INVALID);
  CHECK_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  CHECK_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST(acl_batches_of_copies) {
  CHECK_EQ(aclInit(nullptr), ACL_SUCCESS);
  CHECK_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  int from[3] = {1, 2, 3}, to[3] = {};
  void *dsts[3] = {&to[0], &to[1], &to[2]};
  void *srcs[3] = {&from[2], &from[1], &from[0]};
  size_t rooms[3] = {4, 4, 4}, sizes[3] = {4, 4, 4}, failed = 0;
  aclrtMemcpyBatchAttr attrs[2] = {};
  attrs[1].dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  size_t indexes[2] = {0, 2};
  CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 3, attrs, indexes, 2, &failed), ACL_SUCCESS);
  CHECK_EQ(failed, SIZE_MAX);
  CHECK_EQ(to[0] * 100 + to[1] * 10 + to[2], 321);
  rooms[1] = 3;
  CHECK_EQ(aclrtMemcpyBatchAsync(dsts, rooms, srcs, sizes, 3, attrs, indexes, 2, &failed, nullptr),
           ACL_ERROR_RT_PARAM_INVALID);
  CHECK_EQ(failed, 1u);
  indexes[1] = 3;
  CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 3, attrs, indexes, 2, nullptr),
           ACL_ERROR_RT_PARAM_INVALID);
  CHECK(strstr(aclGetRecentErrMsg(), "attrsIndexes[1] is 3"));
  indexes[1] = 2;
  attrs[0].srcLoc.type = static_cast<aclrtMemLocationType>(5);
  CHECK_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 3, attrs, indexes, 2, nullptr),
           ACL_ERROR_RT_PARAM_INVALID);
  CHECK_EQ(aclrtMemcpyBatch(nullptr, rooms, srcs, sizes, 3, attrs, indexes, 2, nullptr),
           ACL_ERROR_INVALID_PARAM);
  CHECK_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST(acl_types_and_descriptions) {
  const int64_t dims[2] = {3, -1};
  const int64_t bad[1] = {-7};
  int64_t dim = 0;
  CHECK_EQ(aclDataTypeSize(ACL_FLOAT16), 2u);
  CHECK_EQ(aclDataTypeSize(ACL_INT4), 0u);
  CHECK_EQ(aclDataTypeSize(ACL_STRING), 0u);
  CHECK_EQ(aclDataTypeSize(static_cast<aclDataType>(12345)), 0u);
  CHECK_EQ(aclFloat16ToFloat(aclFloatToFloat16(1.5f)), 1.5f);
  aclTensorDesc *open = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
  CHECK_EQ(aclGetTensorDescNumDims(open), 2u);
  CHECK_EQ(aclGetTensorDescSize(open), 0u);
  CHECK_EQ(aclSetTensorShape(open, 1, dims), int(ACL_SUCCESS));
  CHECK_EQ(aclGetTensorDescSize(open), 12u);
  CHECK_EQ(aclGetTensorDescDimV2(open, 1, &dim), int(ACL_ERROR_INVALID_PARAM));
  aclSetTensorDescName(open, "x");
  CHECK_EQ(std::string(aclGetTensorDescName(open)), std::string("x"));
  CHECK(!aclCreateTensorDesc(ACL_FLOAT, 1, bad, ACL_FORMAT_ND));
  CHECK(!aclCreateTensorDesc(ACL_FLOAT, 1000, bad, ACL_FORMAT_ND));
  aclTensorDesc *scalar = aclCreateTensorDesc(ACL_INT64, 0, nullptr, ACL_FORMAT_ND);
  CHECK_EQ(aclGetTensorDescElementCount(scalar), 1u);
  aclDestroyTensorDesc(open);
  aclDestroyTensorDesc(scalar);
}

static const char kModel[] =
    "graph \"g\" { input x: f32[n,3] range[1..4,3] const two: f32[]{2} node y: Mul(x, two) -> y output y }";

struct Buffers {
  explicit Buffers(size_t bytes) : list(aclmdlCreateDataset()) { Add(bytes); }
  ~Buffers() {
    for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(list); i++) {
      aclrtFree(aclGetDataBufferAddr(aclmdlGetDatasetBuffer(list, i)));
      aclDestroyDataBuffer(aclmdlGetDatasetBuffer(list, i));
    }
    aclmdlDestroyDataset(list);
  }
  void Add(size_t bytes) {
    void *memory = nullptr;
    aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclmdlAddDatasetBuffer(list, aclCreateDataBuffer(memory, bytes));
  }
  float *Values() { return static_cast<float *>(aclGetDataBufferAddr(aclmdlGetDatasetBuffer(list, 0))); }
  aclmdlDataset *list;
};

TEST(acl_models_run) {
  uint32_t id = 0;
  aclmdlIODims dims;
  size_t index = 9;
  CHECK_EQ(aclmdlLoadFromMem(kModel, sizeof kModel - 1, &id), int(ACL_SUCCESS));
  aclmdlDesc *desc = aclmdlCreateDesc();
  CHECK_EQ(aclmdlGetDesc(desc, id), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlGetNumInputs(desc), 1u);
  CHECK_EQ(std::string(aclmdlGetInputNameByIndex(desc, 0)), std::string("x"));
  CHECK_EQ(aclmdlGetInputIndexByName(desc, "x", &index), int(ACL_SUCCESS));
  CHECK_EQ(index, 0u);
  CHECK_EQ(aclmdlGetInputSizeByIndex(desc, 0), 48u);  // at its largest
  CHECK_EQ(aclmdlGetOutputSizeByIndex(desc, 0), 48u);
  CHECK_EQ(aclmdlGetInputIndexByName(desc, ACL_DYNAMIC_TENSOR_NAME, &index), int(ACL_SUCCESS));
  CHECK_EQ(index, 1u);
  CHECK_EQ(aclmdlGetInputSizeByIndex(desc, 1), 8u);
  CHECK_EQ(aclmdlGetInputIndexByName(desc, "z", &index), int(ACL_ERROR_INVALID_PARAM));
  CHECK_EQ(aclmdlGetInputDims(desc, 0, &dims), int(ACL_SUCCESS));
  CHECK_EQ(dims.dimCount, 2u);
  CHECK_EQ(dims.dims[0], -1);
  CHECK_EQ(int(aclmdlGetOutputDataType(desc, 0)), int(ACL_FLOAT));
  Buffers in(48);
  Buffers out(48);
  for (int i = 0; i < 12; i++)
    in.Values()[i] = static_cast<float>(i);
  CHECK_EQ(aclmdlExecute(id, in.list, out.list), int(ACL_ERROR_MODEL_INPUT_NOT_MATCH));
  CHECK(Says("aclmdlSetDynamicBatchSize"));
  CHECK_EQ(aclmdlSetDynamicHWSize(id, in.list, 0, 2, 2), int(ACL_ERROR_MODEL_NOT_DYNAMIC));
  CHECK_EQ(aclmdlSetDynamicBatchSize(id, in.list, 0, 2), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlExecute(id, in.list, out.list), int(ACL_SUCCESS));
  CHECK_EQ(out.Values()[5], 10.0f);
  CHECK_EQ(aclGetTensorDescDim(aclmdlGetDatasetTensorDesc(out.list, 0), 0), 2);
  CHECK_EQ(aclmdlGetCurOutputDims(desc, 0, &dims), int(ACL_SUCCESS));
  CHECK_EQ(dims.dims[0], 2);
  CHECK_EQ(aclmdlSetDynamicBatchSize(id, in.list, 0, 5), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlExecute(id, in.list, out.list), int(ACL_ERROR_MODEL_INPUT_NOT_MATCH));
  CHECK(Says("takes 60 bytes, its buffer has 48"));
  const int64_t four[2] = {4, 3};
  aclTensorDesc *shape = aclCreateTensorDesc(ACL_FLOAT, 2, four, ACL_FORMAT_ND);
  CHECK_EQ(aclmdlSetDatasetTensorDesc(in.list, shape, 0), int(ACL_SUCCESS));
  aclDestroyTensorDesc(shape);
  CHECK_EQ(aclmdlExecuteAsync(id, in.list, out.list, nullptr), int(ACL_SUCCESS));
  CHECK_EQ(out.Values()[11], 22.0f);
  dims = {};
  dims.dimCount = 3;
  CHECK_EQ(aclmdlSetInputDynamicDims(id, in.list, 0, &dims), int(ACL_ERROR_INVALID_PARAM));
  CHECK(Says("3 dims are given, the model's inputs have 2"));
  dims.dimCount = 2;
  dims.dims[0] = 1;
  dims.dims[1] = 3;
  CHECK_EQ(aclmdlSetInputDynamicDims(id, in.list, 0, &dims), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlExecute(id, in.list, out.list), int(ACL_SUCCESS));
  Buffers small(8);
  CHECK(aclmdlExecute(id, in.list, small.list) != ACL_SUCCESS);
  CHECK_EQ(aclmdlUnload(id), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlUnload(id), int(ACL_ERROR_INVALID_MODEL_ID));
  CHECK_EQ(std::string(aclmdlGetInputNameByIndex(desc, 0)), std::string("x"));  // the description holds it
  CHECK_EQ(aclmdlDestroyDesc(desc), int(ACL_SUCCESS));
}

TEST(acl_models_tell_their_gears) {
  const char model[] =
      "graph \"g\" { meta \"acl.dynamic_batch_size\" \"1,2,4\" meta \"acl.dynamic_image_size\" \"8,9;10,11\" "
      "meta \"acl.dynamic_dims\" \"1,8;2,9\" input x: f32[n,3,h] node y: Relu(x) -> y output y }";
  aclmdlBatch batch;
  aclmdlHW hw;
  aclmdlIODims dims[2];
  size_t count = 0;
  aclmdlDesc *desc = aclmdlCreateDesc();
  CHECK_EQ(aclmdlGetDescFromMem(desc, model, sizeof model - 1), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlGetDynamicBatch(desc, &batch), int(ACL_SUCCESS));
  CHECK_EQ(batch.batchCount, 3u);
  CHECK_EQ(batch.batch[2], 4u);
  CHECK_EQ(aclmdlGetDynamicHW(desc, 0, &hw), int(ACL_SUCCESS));
  CHECK_EQ(hw.hwCount, 2u);
  CHECK_EQ(hw.hw[1][1], 11u);
  CHECK_EQ(aclmdlGetInputDynamicGearCount(desc, 0, &count), int(ACL_SUCCESS));
  CHECK_EQ(count, 2u);
  CHECK_EQ(aclmdlGetInputDynamicDims(desc, 0, dims, 1), int(ACL_ERROR_INVALID_PARAM));
  CHECK_EQ(aclmdlGetInputDynamicDims(desc, 0, dims, 2), int(ACL_SUCCESS));
  CHECK_EQ(dims[1].dimCount, 3u);
  CHECK_EQ(dims[1].dims[0], 2);
  CHECK_EQ(dims[1].dims[1], 3);
  CHECK_EQ(dims[1].dims[2], 9);
  CHECK_EQ(aclmdlDestroyDesc(desc), int(ACL_SUCCESS));
}

TEST(acl_models_tell_sizes_and_faults) {
  const char fixed[] = "graph \"g\" { input x: f32[8] node y: Relu(x) -> y node z: Exp(y) -> z output z }";
  size_t work = 0;
  size_t weights = 7;
  uint32_t id = 0;
  CHECK_EQ(aclmdlQuerySizeFromMem(fixed, sizeof fixed - 1, &work, &weights), int(ACL_SUCCESS));
  CHECK_EQ(weights, 0u);
  CHECK_EQ(aclmdlLoadFromFile("/no/such/model.om", &id), int(ACL_ERROR_INVALID_FILE));
  CHECK(Says("/no/such/model.om"));
  CHECK_EQ(aclmdlLoadFromMem("not a model", 11, &id), int(ACL_ERROR_PARSE_MODEL));
  CHECK_EQ(aclmdlLoadFromMem(nullptr, 11, &id), int(ACL_ERROR_INVALID_PARAM));
  CHECK_EQ(aclmdlExecute(999, nullptr, nullptr), int(ACL_ERROR_INVALID_PARAM));
  Buffers none(4);
  CHECK_EQ(aclmdlExecute(999, none.list, none.list), int(ACL_ERROR_INVALID_MODEL_ID));
}

// A bundle of these models, written to `path`; `place` of its bytes, where it is not negative, becomes
// `wrong`.
static void WriteBundle(const char *path, const std::vector<std::string> &models, int place = -1,
                        uint64_t wrong = 0) {
  std::string bytes(WEFT_BUNDLE_HEAD_BYTES + models.size() * WEFT_BUNDLE_ENTRY_BYTES, 0);
  const auto put = [&bytes](size_t at, uint64_t number) {
    weft_bundle_put(reinterpret_cast<unsigned char *>(&bytes[at]), number);
  };
  memcpy(&bytes[0], WEFT_BUNDLE_MAGIC, 8);
  put(8, WEFT_BUNDLE_VERSION);
  put(16, models.size());
  for (size_t i = 0; i < models.size(); i++) {
    put(WEFT_BUNDLE_HEAD_BYTES + 16 * i, bytes.size());
    put(WEFT_BUNDLE_HEAD_BYTES + 16 * i + 8, models[i].size());
    bytes += models[i];
  }
  if (place >= 0)
    put(static_cast<size_t>(place), wrong);
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size());
  if (file)
    fclose(file);
}
static const char *const kBundle = "acl_test_bundle.om";
static const std::vector<std::string> kTwoModels = {
    "graph \"a\" { input x: f32[4] node y: Add(x, x) -> y output y }",
    "graph \"m\" { input x: f32[4] node y: Mul(x, x) -> y output y }"};

TEST(acl_bundles_of_models) {
  uint32_t bundle = 0;
  uint32_t models[3] = {};
  size_t n = 0;
  WriteBundle(kBundle, kTwoModels);
  CHECK_EQ(aclmdlBundleLoadFromFile(kBundle, &bundle), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlBundleGetModelNum(bundle, &n), int(ACL_SUCCESS));
  CHECK_EQ(n, 2u);
  for (size_t i = 0; i < 2; i++)
    CHECK_EQ(aclmdlBundleGetModelId(bundle, i, &models[i]), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlBundleGetModelId(bundle, 2, &models[2]), int(ACL_ERROR_INVALID_PARAM));
  CHECK(Says("model 2 of a bundle of 2"));
  Buffers in(16);
  Buffers out(16);
  for (int i = 0; i < 4; i++)
    in.Values()[i] = static_cast<float>(i);
  CHECK_EQ(aclmdlExecute(models[0], in.list, out.list), int(ACL_SUCCESS));
  CHECK_EQ(out.Values()[3], 6.0f);
  CHECK_EQ(aclmdlExecute(models[1], in.list, out.list), int(ACL_SUCCESS));
  CHECK_EQ(out.Values()[3], 9.0f);
  CHECK_EQ(aclmdlUnload(models[0]), int(ACL_ERROR_INVALID_MODEL_ID));
  CHECK(Says("aclmdlBundleUnload"));
  CHECK_EQ(aclmdlBundleUnload(bundle), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlBundleUnload(bundle), int(ACL_ERROR_INVALID_BUNDLE_MODEL_ID));
  CHECK_EQ(aclmdlExecute(models[1], in.list, out.list), int(ACL_ERROR_INVALID_MODEL_ID));
  CHECK_EQ(aclmdlBundleGetModelNum(bundle, &n), int(ACL_ERROR_INVALID_BUNDLE_MODEL_ID));
  remove(kBundle);
}

TEST(acl_bundles_that_are_damaged) {
  uint32_t id = 0;
  CHECK_EQ(aclmdlBundleLoadFromFile("/no/such/bundle.om", &id), int(ACL_ERROR_INVALID_FILE));
  CHECK(Says("/no/such/bundle.om"));
  CHECK_EQ(aclmdlBundleLoadFromFile(nullptr, &id), int(ACL_ERROR_INVALID_PARAM));
  const struct {
    int place;
    uint64_t wrong;
    const char *says;
  } cases[] = {{0, 1, "no bundle of models"},
               {8, 2, "version"},
               {16, 0, "no models"},
               {16, 1025, "more than 1024"},
               {16, 500, "behind the end"},
               {24, 1 << 20, "behind the end"},
               {32, ~uint64_t{0}, "behind the end"},
               {48, 3, "model"}};
  for (const auto &c : cases) {
    WriteBundle(kBundle, kTwoModels, c.place, c.wrong);
    CHECK_EQ(aclmdlBundleLoadFromFile(kBundle, &id), int(ACL_ERROR_PARSE_MODEL));
    CHECK(Says(c.says));
  }
  // a single model, and a bundle where a single one is expected
  WriteBundle(kBundle, kTwoModels);
  CHECK_EQ(aclmdlLoadFromFile(kBundle, &id), int(ACL_ERROR_PARSE_MODEL));
  CHECK(Says("aclmdlBundleLoadFromFile"));
  FILE *file = fopen(kBundle, "wb");
  fputs(kTwoModels[0].c_str(), file);
  fclose(file);
  CHECK_EQ(aclmdlBundleLoadFromFile(kBundle, &id), int(ACL_ERROR_PARSE_MODEL));
  CHECK(Says("aclmdlLoadFromFile"));
  remove(kBundle);
}

TEST(acl_one_model_from_many_threads) {
  uint32_t id = 0;
  std::vector<std::thread> threads;
  std::atomic<int> wrong(0);
  CHECK_EQ(aclmdlLoadFromMem(kModel, sizeof kModel - 1, &id), int(ACL_SUCCESS));
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&wrong, id, t] {
      Buffers in(12);
      Buffers out(12);
      aclmdlSetDynamicBatchSize(id, in.list, 0, 1);
      for (int k = 0; k < 50; k++) {
        in.Values()[0] = static_cast<float>(100 * t + k);
        const bool ran = !aclmdlExecute(id, in.list, out.list);
        wrong += !ran || out.Values()[0] != 2 * in.Values()[0];
      }
    });
  }
  for (auto &t : threads)
    t.join();
  CHECK_EQ(wrong.load(), 0);
  CHECK_EQ(aclmdlUnload(id), int(ACL_SUCCESS));
}

TEST(acl_operators_by_name) {
  float x[4] = {1, 2, 4, 3};
  int32_t axis[1] = {1};
  float y[2] = {0, 0};
  const int64_t in_dims[2] = {2, 2};
  const int64_t one[1] = {1};
  const int64_t open[1] = {-1};
  aclTensorDesc *in[2] = {aclCreateTensorDesc(ACL_FLOAT, 2, in_dims, ACL_FORMAT_ND),
                          aclCreateTensorDesc(ACL_INT32, 1, one, ACL_FORMAT_ND)};
  aclTensorDesc *out[1] = {aclCreateTensorDesc(ACL_FLOAT, 1, open, ACL_FORMAT_ND)};
  aclDataBuffer *from[2] = {aclCreateDataBuffer(x, sizeof x), aclCreateDataBuffer(axis, sizeof axis)};
  aclDataBuffer *to[1] = {aclCreateDataBuffer(y, sizeof y)};
  aclopAttr *attr = aclopCreateAttr();
  CHECK_EQ(aclopSetAttrBool(attr, "keep_dims", 0), int(ACL_SUCCESS));
  CHECK_EQ(aclopExecuteV2("ReduceMax", 2, in, from, 1, out, to, attr, nullptr), int(ACL_SUCCESS));
  CHECK_EQ(y[0], 2.0f);
  CHECK_EQ(y[1], 4.0f);
  CHECK_EQ(aclGetTensorDescDim(out[0], 0), 2);
  CHECK_EQ(aclopExecuteV2("ReduceMaxx", 2, in, from, 1, out, to, attr, nullptr), int(ACL_ERROR_OP_NOT_FOUND));
  CHECK(Says("ReduceMax"));
  CHECK_EQ(aclUpdateDataBuffer(from[0], x, 8), int(ACL_SUCCESS));
  CHECK_EQ(aclopExecuteV2("ReduceMax", 2, in, from, 1, out, to, attr, nullptr),
           int(ACL_ERROR_OP_INPUT_NOT_MATCH));
  CHECK(Says("takes 16 bytes; 8 are given"));
  CHECK_EQ(aclopInferShape("Relu", 1, in, nullptr, 1, out, nullptr), int(ACL_SUCCESS));
  CHECK_EQ(aclGetTensorDescNumDims(out[0]), 2u);
  aclDataBuffer *partly[2] = {nullptr, nullptr};  // inference takes values where there are some
  CHECK_EQ(aclopInferShape("Relu", 1, in, partly, 1, out, nullptr), int(ACL_SUCCESS));
  CHECK_EQ(aclopSetAttrInt(attr, "no_such", 1), int(ACL_SUCCESS));
  CHECK_EQ(aclopExecuteV2("ReduceMax", 2, in, from, 1, out, to, attr, nullptr),
           int(ACL_ERROR_OP_INPUT_NOT_MATCH));
  aclopDestroyAttr(attr);
  for (int i = 0; i < 2; i++) {
    aclDestroyDataBuffer(from[i]);
    aclDestroyTensorDesc(in[i]);
  }
  aclDestroyDataBuffer(to[0]);
  aclDestroyTensorDesc(out[0]);
}

// The last test, by its place: frees what the others left.
TEST(acl_finalize_frees) {
  uint32_t id = 0;
  void *left = nullptr;
  CHECK_EQ(aclInit(nullptr), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlLoadFromMem(kModel, sizeof kModel - 1, &id), int(ACL_SUCCESS));
  CHECK_EQ(aclrtMalloc(&left, 100, ACL_MEM_MALLOC_HUGE_FIRST), int(ACL_SUCCESS));
  void *host = nullptr;
  CHECK_EQ(aclrtMallocHost(&host, 16), int(ACL_SUCCESS));
  memset(host, 7, 16);
  aclmdlDesc *desc = aclmdlCreateDesc();
  CHECK_EQ(aclmdlGetDesc(desc, id), int(ACL_SUCCESS));
  CHECK_EQ(aclFinalize(), int(ACL_SUCCESS));
  // what the program still holds stays whole
  CHECK_EQ(static_cast<char *>(host)[15], 7);
  CHECK_EQ(aclrtFreeHost(host), int(ACL_SUCCESS));
  CHECK_EQ(std::string(aclmdlGetInputNameByIndex(desc, 0)), std::string("x"));
  CHECK_EQ(aclmdlDestroyDesc(desc), int(ACL_SUCCESS));
}
// SPDX-License-Identifier: Apache-2.0
