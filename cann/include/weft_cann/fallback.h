// weft_cann/fallback.h - fallbacks: an operator that calls a function of the aclnn family instead of a
// kernel. The functions, and those that make acl tensors, are looked up among the libraries that the program
// has loaded; one that is not there is an error that names it.
#pragma once
#include <dlfcn.h>

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft_cann/acl_base.h"
#include "weft_cann/execute_context.h"
#include "weft_cann/log.h"
#include "weft_cann/registry.h"

namespace fallback {
struct aclOpExecutor;
struct aclTensor;
struct aclScalar;
struct aclTensorList;
using _aclCreateTensor = aclTensor *(*)(const int64_t *, uint64_t, aclDataType, const int64_t *, int64_t,
                                        aclFormat, const int64_t *, uint64_t, void *);
using _aclCreateScalar = aclScalar *(*)(void *, aclDataType);
using _aclCreateTensorList = aclTensorList *(*)(const aclTensor *const *, uint64_t);
using _aclDestroyTensor = int (*)(const aclTensor *);
using _aclDestroyScalar = int (*)(const aclScalar *);
using _aclDestroyTensorList = int (*)(const aclTensorList *);
using OpApiFunc = int (*)(void *, uint64_t, aclOpExecutor *, void *);

inline const char *GetOpApiLibName() {
  return "libopapi.so";
}
inline const char *GetCustOpApiLibName() {
  return "libcust_opapi.so";
}
inline void *GetOpApiLibHandler(const char *lib) {
  return lib ? dlopen(lib, RTLD_LAZY) : nullptr;
}
inline void *GetOpApiFuncAddrInLib(void *handler, const char *, const char *name) {
  return handler && name ? dlsym(handler, name) : nullptr;
}
// Of the program and its libraries; then of the users' library and the toolkit's.
inline void *GetOpApiFuncAddr(const char *name) {
  void *found = name ? dlsym(RTLD_DEFAULT, name) : nullptr;
  for (const char *lib : {GetCustOpApiLibName(), GetOpApiLibName()})
    found = found ? found : GetOpApiFuncAddrInLib(GetOpApiLibHandler(lib), lib, name);
  return found;
}
inline void *GetAclnnArrdByApiName(const char *name) {
  return GetOpApiFuncAddr(name);
}
#define GET_OP_API_FUNC(apiName) reinterpret_cast<_##apiName>(::fallback::GetOpApiFuncAddr(#apiName))

// ---- arguments: tensors and lists of them become acl's, all else stays ----

// acl's numbers of types and formats are ge's.
inline aclDataType GetConvertType(const gert::Tensor *tensor) {
  return static_cast<aclDataType>(tensor->GetDataType());
}
inline aclTensor *ConvertType(const gert::Tensor *tensor) {
  static const auto create = GET_OP_API_FUNC(aclCreateTensor);
  if (!tensor || !create)
    return nullptr;
  const gert::Shape &dims = tensor->GetOriginShape();
  const gert::Shape &stored = tensor->GetStorageShape();
  std::vector<int64_t> view(dims.GetDimNum());
  std::vector<int64_t> strides(view.size(), 1);
  std::vector<int64_t> storage(stored.GetDimNum());
  for (size_t i = 0; i < view.size(); i++)
    view[i] = dims.GetDim(i);
  for (size_t i = view.size(); i-- > 1;)
    strides[i - 1] = strides[i] * view[i];
  for (size_t i = 0; i < storage.size(); i++)
    storage[i] = stored.GetDim(i);
  return create(view.data(), view.size(), GetConvertType(tensor), strides.data(), 0,
                static_cast<aclFormat>(tensor->GetStorageFormat()), storage.data(), storage.size(),
                const_cast<void *>(tensor->GetAddr()));
}
inline aclTensor *ConvertType(gert::Tensor *tensor) {
  return ConvertType(static_cast<const gert::Tensor *>(tensor));
}
inline aclTensorList *ConvertType(std::vector<const gert::Tensor *> &tensors) {
  static const auto create = GET_OP_API_FUNC(aclCreateTensorList);
  if (!create)
    return nullptr;
  std::vector<const aclTensor *> made;
  for (const gert::Tensor *tensor : tensors)
    made.push_back(ConvertType(tensor));
  return create(made.data(), made.size());
}
template <typename T>
T ConvertType(T value) {
  return value;
}
template <typename T>
aclScalar *ConvertScalarType(T value) {
  static const auto create = GET_OP_API_FUNC(aclCreateScalar);
  const ge::DataType type = std::is_same<T, bool>::value ? ge::DT_BOOL
                            : std::is_floating_point<T>::value
                                ? (sizeof(T) == 4 ? ge::DT_FLOAT : ge::DT_DOUBLE)
                            : sizeof(T) == 8 && std::is_signed<T>::value ? ge::DT_INT64
                            : sizeof(T) == 8                             ? ge::DT_UINT64
                            : std::is_signed<T>::value                   ? ge::DT_INT32
                                                                         : ge::DT_UINT32;
  return create ? create(&value, static_cast<aclDataType>(type)) : nullptr;
}
template <typename... Ts>
auto ConvertTypes(Ts &...args) -> decltype(std::make_tuple(ConvertType(args)...)) {
  return std::make_tuple(ConvertType(args)...);
}

inline void Release(aclTensor *tensor) {
  static const auto destroy = GET_OP_API_FUNC(aclDestroyTensor);
  if (tensor && destroy)
    destroy(tensor);
}
inline void Release(aclScalar *scalar) {
  static const auto destroy = GET_OP_API_FUNC(aclDestroyScalar);
  if (scalar && destroy)
    destroy(scalar);
}
inline void Release(aclTensorList *list) {
  static const auto destroy = GET_OP_API_FUNC(aclDestroyTensorList);
  if (list && destroy)
    destroy(list);
}
template <typename T>
void Release(T) {}
template <typename... Ts>
void ReleaseConvertTypes(std::tuple<Ts...> &made) {
  std::apply([](auto... each) { (Release(each), ...); }, made);
}
template <typename Function, typename Tuple>
int call(Function function, Tuple arguments) {
  return std::apply(function, arguments);
}
template <typename... Ts>
auto ConvertToOpApiFunc(const std::tuple<Ts...> &, void *address) -> int (*)(std::decay_t<Ts>...) {
  return reinterpret_cast<int (*)(std::decay_t<Ts>...)>(address);
}

// ---- calls ----

// What the first stage leaves to the second: the function, its plan, and the tensors, which the second
// releases.
struct OpApiAnyValue {
  void *pointer;
  void (*deleter)(void *);
};
struct OpApiParams {
  OpApiFunc op_api_func = nullptr;
  aclOpExecutor *executor = nullptr;
  std::vector<OpApiAnyValue> converted_params;
};

namespace detail {
template <typename T>
void Keep(std::vector<OpApiAnyValue> &kept, T *made) {
  if constexpr (std::is_same<T, aclTensor>::value || std::is_same<T, aclScalar>::value ||
                std::is_same<T, aclTensorList>::value)
    kept.push_back({made, [](void *pointer) { Release(static_cast<T *>(pointer)); }});
}
template <typename T>
void Keep(std::vector<OpApiAnyValue> &, T) {}

// The plan of a call: GRAPH_FAILED, with a message, when there is no such function or it refuses.
template <typename Context, typename... Ts>
ge::graphStatus Plan(Context *context, const char *name, OpApiParams &params, uint64_t &bytes, Ts &&...args) {
  params.op_api_func = reinterpret_cast<OpApiFunc>(GetOpApiFuncAddr(name));
  void *plan = GetOpApiFuncAddr((std::string(name) + "GetWorkspaceSize").c_str());
  if (!params.op_api_func || !plan) {
    OP_LOGE(context, "%s or %sGetWorkspaceSize is in no library that is loaded", name, name);
    return ge::GRAPH_FAILED;
  }
  auto made = ConvertTypes(args...);
  auto all = std::tuple_cat(made, std::make_tuple(&bytes, &params.executor));
  std::apply([&](auto... each) { (Keep(params.converted_params, each), ...); }, made);
  const int status = call(ConvertToOpApiFunc(all, plan), all);
  if (status != 0) {
    OP_LOGE(context, "%sGetWorkspaceSize answers %d", name, status);
    return ge::GRAPH_FAILED;
  }
  return ge::GRAPH_SUCCESS;
}
inline void ReleaseAll(OpApiParams &params) {
  for (OpApiAnyValue &value : params.converted_params)
    value.deleter(value.pointer);
  params.converted_params.clear();
}
inline ge::graphStatus Run(gert::OpExecuteContext *context, const char *name, OpApiParams &params,
                           uint64_t bytes) {
  void *workspace = bytes ? context->MallocWorkspace(bytes) : nullptr;
  if (bytes && !workspace) {
    OP_LOGE(context, "%s: no memory for a workspace of %llu bytes", name,
            static_cast<unsigned long long>(bytes));
    return ge::GRAPH_FAILED;
  }
  const int status = params.op_api_func(workspace, bytes, params.executor, context->GetStream());
  if (workspace)
    context->FreeWorkspace();
  if (status != 0)
    OP_LOGE(context, "%s answers %d", name, status);
  return status == 0 ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}
}  // namespace detail

template <typename... Ts>
ge::graphStatus CallOpApi(gert::OpExecuteContext *context, const char *name, Ts &&...args) {
  OpApiParams params;
  uint64_t bytes = 0;
  ge::graphStatus status = context ? detail::Plan(context, name, params, bytes, args...)
                                   : static_cast<ge::graphStatus>(ge::GRAPH_FAILED);
  if (status == ge::GRAPH_SUCCESS)
    status = detail::Run(context, name, params, bytes);
  detail::ReleaseAll(params);
  return status;
}
template <typename... Ts>
ge::graphStatus PrepareOpApi(gert::OpExecutePrepareContext *context, const char *name, Ts &&...args) {
  std::unique_ptr<OpApiParams> params(new OpApiParams());
  uint64_t bytes = 0;
  ge::graphStatus status = context ? detail::Plan(context, name, *params, bytes, args...)
                                   : static_cast<ge::graphStatus>(ge::GRAPH_FAILED);
  if (status == ge::GRAPH_SUCCESS)
    status = context->SetWorkspaceSizes({bytes});
  if (status == ge::GRAPH_SUCCESS)
    status = context->SetOpApiParamsWithDefaultDeleter(params.get());
  if (status == ge::GRAPH_SUCCESS)
    (void)params.release();
  else
    detail::ReleaseAll(*params);
  return status;
}
}  // namespace fallback

#define CANN_OPS_OPB_SYN_EXEC_ACLNN(context, aclnn_api, ...) \
  ::fallback::CallOpApi(context, #aclnn_api, ##__VA_ARGS__)
#define CANN_OPS_OPB_ASYN_EXEC_ACLNN(context, aclnn_api, ...) \
  ::fallback::PrepareOpApi(context, #aclnn_api, ##__VA_ARGS__)
// In a function whose context is named host_api_ctx.
#define EXEC_OPAPI_CMD(aclnn_api, ...) ::fallback::CallOpApi(host_api_ctx, #aclnn_api, ##__VA_ARGS__)
// SPDX-License-Identifier: Apache-2.0
