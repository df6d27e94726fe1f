// weft_cann/registry.h - IMPL_OP and its kin: which functions an operator type has. They fill a table of the
// shared object that they are compiled into, before main() or while it is loaded; several statements about
// one type add up.
#pragma once
#include <map>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "weft_cann/tiling.h"

struct rtExceptionInfo;
using aclrtExceptionInfo = struct rtExceptionInfo;

namespace ge {
// A value of one of the types that private attributes have.
class AnyValue {
 public:
  enum Kind { kNone, kInt, kFloat, kBool, kString, kInts, kFloats };
  AnyValue() = default;
  static AnyValue Of(int64_t value) { return AnyValue(kInt, value, 0); }
  static AnyValue Of(float value) { return AnyValue(kFloat, 0, value); }
  static AnyValue Of(bool value) { return AnyValue(kBool, value, 0); }
  static AnyValue Of(const char *value) {
    AnyValue v(kString, 0, 0);
    v.text_ = value ? value : "";
    return v;
  }
  static AnyValue Of(const std::vector<int64_t> &value) {
    AnyValue v(kInts, 0, 0);
    v.ints_ = value;
    return v;
  }
  static AnyValue Of(const std::vector<float> &value) {
    AnyValue v(kFloats, 0, 0);
    v.floats_ = value;
    return v;
  }
  bool IsEmpty() const { return kind_ == kNone; }
  Kind GetKind() const { return kind_; }
  int64_t Int() const { return int_; }
  float Float() const { return float_; }
  const std::string &Text() const { return text_; }
  const std::vector<int64_t> &Ints() const { return ints_; }
  const std::vector<float> &Floats() const { return floats_; }

 private:
  AnyValue(Kind kind, int64_t i, float f) : kind_(kind), int_(i), float_(f) {}
  Kind kind_ = kNone;
  int64_t int_ = 0;
  float float_ = 0;
  std::string text_;
  std::vector<int64_t> ints_;
  std::vector<float> floats_;
};
class OpCheckContext;
}  // namespace ge

namespace gert {
class OpExecuteContext;
class OpExecutePrepareContext;
class OpExecuteLaunchContext;
class InferSymbolShapeContext;
class ExeResGenerationContext;
class OpCheckContext;

enum TilingPlacement { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };

struct OpImplKernelRegistry;

// The object behind IMPL_OP: its setters write through to the table.
class OpImplRegisterV2 {
 public:
  using InferShapeKernelFunc = UINT32 (*)(InferShapeContext *);
  using InferShapeRangeKernelFunc = UINT32 (*)(InferShapeRangeContext *);
  using TilingKernelFunc = UINT32 (*)(TilingContext *);
  using InferDataTypeKernelFunc = UINT32 (*)(InferDataTypeContext *);
  using GenSimplifiedKeyKernelFunc = UINT32 (*)(TilingContext *, ge::char_t *);
  using OpExecFunc = UINT32 (*)(OpExecuteContext *);
  using OpExecPrepareFunc = UINT32 (*)(OpExecutePrepareContext *);
  using OpExecLaunchFunc = UINT32 (*)(OpExecuteLaunchContext *);
  using OpType = ge::AscendString;
  using PrivateAttrList = std::vector<std::pair<ge::AscendString, ge::AnyValue>>;
  using PrivateAttrSet = std::unordered_set<ge::AscendString>;
  using CompileInfoCreatorFunc = void *(*)();
  using CompileInfoDeleterFunc = void (*)(void *);
  using KernelFunc = UINT32 (*)(KernelContext *);
  using TilingParseFunc = UINT32 (*)(TilingParseContext *);
  using InferFormatFunc = UINT32 (*)(InferFormatContext *);
  using OpCalcParamKernelFunc = UINT32 (*)(ExeResGenerationContext *);
  using OpGenTaskKernelFunc = UINT32 (*)(const ExeResGenerationContext *,
                                         std::vector<std::vector<uint8_t>> &);
  using OP_CHECK_FUNC_V2 = ge::graphStatus (*)(const OpCheckContext *, ge::AscendString &);
  using ExceptionDumpFunc = void (*)(aclrtExceptionInfo *, void *);

  explicit inline OpImplRegisterV2(const ge::char_t *op_type);
  OpImplRegisterV2(OpImplRegisterV2 &&other) noexcept = default;
  OpImplRegisterV2(const OpImplRegisterV2 &other) = default;
  OpImplRegisterV2 &operator=(const OpImplRegisterV2 &) = delete;
  OpImplRegisterV2 &operator=(OpImplRegisterV2 &&) = delete;
  ~OpImplRegisterV2() = default;

  inline OpImplRegisterV2 &InferShape(InferShapeKernelFunc function);
  inline OpImplRegisterV2 &InferShapeRange(InferShapeRangeKernelFunc function);
  inline OpImplRegisterV2 &InferDataType(InferDataTypeKernelFunc function);
  inline OpImplRegisterV2 &InferOutDataTypeSameWithFirstInput();
  inline OpImplRegisterV2 &Tiling(TilingKernelFunc function, size_t max_tiling_data_size = 2048);
  inline OpImplRegisterV2 &GenSimplifiedKey(GenSimplifiedKeyKernelFunc function);
  // Attributes behind the declared ones; without a value a node must have it.
  inline OpImplRegisterV2 &PrivateAttr(const ge::char_t *name);
  inline OpImplRegisterV2 &PrivateAttr(const ge::char_t *name, int64_t value);
  inline OpImplRegisterV2 &PrivateAttr(const ge::char_t *name, const std::vector<int64_t> &value);
  inline OpImplRegisterV2 &PrivateAttr(const ge::char_t *name, const ge::char_t *value);
  inline OpImplRegisterV2 &PrivateAttr(const ge::char_t *name, ge::float32_t value);
  inline OpImplRegisterV2 &PrivateAttr(const ge::char_t *name, bool value);
  inline OpImplRegisterV2 &PrivateAttr(const ge::char_t *name, const std::vector<ge::float32_t> &value);
  template <typename T>
  OpImplRegisterV2 &TilingParse(const KernelFunc function) {
    return CompileInfo(function, Create<T>, Delete<T>);
  }
  template <typename T>
  OpImplRegisterV2 &TilingParse(const TilingParseFunc function) {
    return CompileInfo(reinterpret_cast<KernelFunc>(function), Create<T>, Delete<T>);
  }
  // Declared ports whose values decide the output shapes, or the tiling.
  inline OpImplRegisterV2 &InputsDataDependency(std::initializer_list<int32_t> inputs);
  inline OpImplRegisterV2 &TilingInputsDataDependency(std::initializer_list<int32_t> inputs);
  inline OpImplRegisterV2 &TilingInputsDataDependency(std::initializer_list<int32_t> inputs,
                                                      std::initializer_list<TilingPlacement> placements);
  inline OpImplRegisterV2 &OutputShapeDependOnCompute(std::initializer_list<int32_t> outputs);
  inline OpImplRegisterV2 &HostInputs(std::initializer_list<int32_t> inputs);
  inline OpImplRegisterV2 &NullableOutputs(std::initializer_list<int32_t> outputs);
  inline OpImplRegisterV2 &OpExecuteFunc(OpExecFunc function);
  inline OpImplRegisterV2 &Op2StageExecuteFuncs(OpExecPrepareFunc prepare, OpExecLaunchFunc launch);
  inline OpImplRegisterV2 &InferFormat(InferFormatFunc function);
  inline OpImplRegisterV2 &CalcOpParam(OpCalcParamKernelFunc function);
  inline OpImplRegisterV2 &GenerateTask(OpGenTaskKernelFunc function);
  inline OpImplRegisterV2 &CheckSupport(OP_CHECK_FUNC_V2 function);
  inline OpImplRegisterV2 &OpSelectFormat(OP_CHECK_FUNC_V2 function);
  inline OpImplRegisterV2 &ExceptionDumpParseFunc(ExceptionDumpFunc function);

 private:
  template <typename T>
  static void *Create() {
    return new T();
  }
  template <typename T>
  static void Delete(void *info) {
    delete static_cast<T *>(info);
  }
  inline OpImplRegisterV2 &CompileInfo(KernelFunc parse, CompileInfoCreatorFunc create,
                                       CompileInfoDeleterFunc destroy);
  inline OpImplRegisterV2 &Private(const ge::char_t *name, ge::AnyValue value);
  void *functions_;  // an OpImplFunctionsV2 of the table; NULL: the type has no name
};

// What is registered for a type.
struct OpImplKernelRegistry {
  using InferShapeKernelFunc = OpImplRegisterV2::InferShapeKernelFunc;
  using InferShapeRangeKernelFunc = OpImplRegisterV2::InferShapeRangeKernelFunc;
  using TilingKernelFunc = OpImplRegisterV2::TilingKernelFunc;
  using InferDataTypeKernelFunc = OpImplRegisterV2::InferDataTypeKernelFunc;
  using GenSimplifiedKeyKernelFunc = OpImplRegisterV2::GenSimplifiedKeyKernelFunc;
  using OpExecuteFunc = OpImplRegisterV2::OpExecFunc;
  using OpType = OpImplRegisterV2::OpType;
  using PrivateAttrList = OpImplRegisterV2::PrivateAttrList;
  using PrivateAttrSet = OpImplRegisterV2::PrivateAttrSet;
  using CompileInfoCreatorFunc = OpImplRegisterV2::CompileInfoCreatorFunc;
  using CompileInfoDeleterFunc = OpImplRegisterV2::CompileInfoDeleterFunc;
  using KernelFunc = OpImplRegisterV2::KernelFunc;
  using TilingParseFunc = OpImplRegisterV2::TilingParseFunc;
  using InferSymbolShapeKernelFunc = UINT32 (*)(InferSymbolShapeContext *);

  struct OpImplFunctions {
    static constexpr size_t kByteBitCount = 8;
    bool HasDataDependency() const { return inputs_dependency != 0; }
    bool IsInputDataDependency(const size_t i) const { return Has(inputs_dependency, i); }
    ge::graphStatus SetInputDataDependency(const size_t i) { return Put(inputs_dependency, i); }
    bool HasHostInput() const { return host_inputs != 0; }
    bool IsHostInput(const size_t i) const { return Has(host_inputs, i); }
    ge::graphStatus SetHostInputs(const size_t i) { return Put(host_inputs, i); }
    bool HasTilingInputDataDependency() const { return tiling_dependency != 0; }
    bool IsTilingInputDataDependency(const size_t i) const { return Has(tiling_dependency, i); }
    ge::graphStatus SetTilingInputDataDependency(const size_t i) { return Put(tiling_dependency, i); }
    bool IsSupportTilingDependencyPlacement(const uint32_t placement) const {
      return placement < kByteBitCount && (tiling_dependency_placements >> placement & 1);
    }
    ge::graphStatus SetTilingDependencyPlacement(const uint32_t placement) {
      if (placement >= kByteBitCount)
        return ge::GRAPH_FAILED;
      tiling_dependency_placements = static_cast<uint8_t>(tiling_dependency_placements | 1u << placement);
      return ge::GRAPH_SUCCESS;
    }
    bool IsOutputShapeDependOnCompute() const { return output_shape_depend_compute != 0; }
    bool IsOutputShapeDependOnCompute(const size_t i) const { return Has(output_shape_depend_compute, i); }
    ge::graphStatus SetOutputShapeDependOnCompute(const size_t i) {
      return Put(output_shape_depend_compute, i);
    }

    InferShapeKernelFunc infer_shape = nullptr;
    InferShapeRangeKernelFunc infer_shape_range = nullptr;
    InferDataTypeKernelFunc infer_datatype = nullptr;
    TilingKernelFunc tiling = nullptr;
    KernelFunc tiling_parse = nullptr;
    CompileInfoCreatorFunc compile_info_creator = nullptr;
    CompileInfoDeleterFunc compile_info_deleter = nullptr;
    size_t max_tiling_data_size = 0;
    uint64_t inputs_dependency = 0;
    PrivateAttrList private_attrs;
    PrivateAttrSet unique_private_attrs;
    uint64_t host_inputs = 0;
    OpExecuteFunc op_execute_func = nullptr;
    uint64_t tiling_dependency = 0;
    GenSimplifiedKeyKernelFunc gen_simplifiedkey = nullptr;
    uint8_t tiling_dependency_placements = 0;
    uint64_t output_shape_depend_compute = 0;

   protected:
    static bool Has(uint64_t set, size_t i) { return i < 64 && (set >> i & 1); }
    static ge::graphStatus Put(uint64_t &set, size_t i) {
      if (i >= 64)
        return ge::GRAPH_FAILED;
      set |= uint64_t{1} << i;
      return ge::GRAPH_SUCCESS;
    }
  };

  struct OpImplFunctionsV2 : OpImplFunctions {
    OpImplFunctionsV2() = default;
    OpImplFunctionsV2(const OpImplFunctions &functions) : OpImplFunctions(functions) {}
    bool IsNullableOutput(const size_t i) const { return Has(nullable_outputs_, i); }
    ge::graphStatus NullableOutput(const size_t i) { return Put(nullable_outputs_, i); }

    InferSymbolShapeKernelFunc infer_symbol_shape = nullptr;
    OpImplRegisterV2::InferFormatFunc infer_format_func = nullptr;
    uint32_t st_size = sizeof(OpImplFunctionsV2);
    uint32_t version = 1;
    OpImplRegisterV2::OpCalcParamKernelFunc calc_op_param = nullptr;
    OpImplRegisterV2::OpGenTaskKernelFunc gen_task = nullptr;
    OpImplRegisterV2::OP_CHECK_FUNC_V2 check_support = nullptr;
    OpImplRegisterV2::OP_CHECK_FUNC_V2 op_select_format = nullptr;
    OpImplRegisterV2::OP_CHECK_FUNC_V2 get_op_support_info = nullptr;
    OpImplRegisterV2::OP_CHECK_FUNC_V2 get_op_specific_info = nullptr;
    OpImplRegisterV2::OpExecPrepareFunc op_execute_prepare_func = nullptr;
    OpImplRegisterV2::OpExecLaunchFunc op_execute_launch_func = nullptr;
    OpImplRegisterV2::ExceptionDumpFunc exception_func = nullptr;
    uint64_t nullable_outputs_ = 0;
    uint64_t reserved_[500] = {};
  };
};

namespace detail {
using OpTable = std::map<std::string, OpImplKernelRegistry::OpImplFunctionsV2>;
// The registrations of this shared object.
WEFT_CANN_OWN inline OpTable &Ops() {
  static OpTable table;
  return table;
}
inline OpImplKernelRegistry::OpImplFunctionsV2 *At(void *functions) {
  // A registration without a name has a place to write to, which nobody finds.
  static OpImplKernelRegistry::OpImplFunctionsV2 nameless;
  return functions ? static_cast<OpImplKernelRegistry::OpImplFunctionsV2 *>(functions) : &nameless;
}
// Every output has the type of the first input.
inline UINT32 SameAsFirstInput(InferDataTypeContext *context) {
  const ge::DataType type = context->GetInputDataType(0);
  if (type == ::weft_cann::kTypeUndefined)
    return ge::GRAPH_FAILED;
  for (size_t i = 0; i < context->GetComputeNodeOutputNum(); i++) {
    if (context->SetOutputDataType(i, type) != ge::GRAPH_SUCCESS)
      return ge::GRAPH_FAILED;
  }
  return ge::GRAPH_SUCCESS;
}
}  // namespace detail

inline OpImplRegisterV2::OpImplRegisterV2(const ge::char_t *op_type)
    : functions_(op_type && *op_type ? &detail::Ops()[op_type] : nullptr) {}

inline OpImplRegisterV2 &OpImplRegisterV2::InferShape(InferShapeKernelFunc function) {
  detail::At(functions_)->infer_shape = function;
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::InferShapeRange(InferShapeRangeKernelFunc function) {
  detail::At(functions_)->infer_shape_range = function;
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::InferDataType(InferDataTypeKernelFunc function) {
  detail::At(functions_)->infer_datatype = function;
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::InferOutDataTypeSameWithFirstInput() {
  return InferDataType(detail::SameAsFirstInput);
}
inline OpImplRegisterV2 &OpImplRegisterV2::Tiling(TilingKernelFunc function, size_t max_tiling_data_size) {
  detail::At(functions_)->tiling = function;
  detail::At(functions_)->max_tiling_data_size = max_tiling_data_size;
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::GenSimplifiedKey(GenSimplifiedKeyKernelFunc function) {
  detail::At(functions_)->gen_simplifiedkey = function;
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::Private(const ge::char_t *name, ge::AnyValue value) {
  auto *functions = detail::At(functions_);
  const bool is_new = name && *name && functions->unique_private_attrs.insert(name).second;
  if (is_new)
    functions->private_attrs.emplace_back(name, std::move(value));
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const ge::char_t *name) {
  return Private(name, ge::AnyValue());
}
inline OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const ge::char_t *name, int64_t value) {
  return Private(name, ge::AnyValue::Of(value));
}
inline OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const ge::char_t *name,
                                                       const std::vector<int64_t> &value) {
  return Private(name, ge::AnyValue::Of(value));
}
inline OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const ge::char_t *name, const ge::char_t *value) {
  return Private(name, ge::AnyValue::Of(value));
}
inline OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const ge::char_t *name, ge::float32_t value) {
  return Private(name, ge::AnyValue::Of(value));
}
inline OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const ge::char_t *name, bool value) {
  return Private(name, ge::AnyValue::Of(value));
}
inline OpImplRegisterV2 &OpImplRegisterV2::PrivateAttr(const ge::char_t *name,
                                                       const std::vector<ge::float32_t> &value) {
  return Private(name, ge::AnyValue::Of(value));
}
inline OpImplRegisterV2 &OpImplRegisterV2::CompileInfo(KernelFunc parse, CompileInfoCreatorFunc create,
                                                       CompileInfoDeleterFunc destroy) {
  auto *functions = detail::At(functions_);
  functions->tiling_parse = parse;
  functions->compile_info_creator = create;
  functions->compile_info_deleter = destroy;
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t> inputs) {
  for (int32_t i : inputs)
    (void)detail::At(functions_)->SetInputDataDependency(static_cast<size_t>(i));
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t> inputs) {
  return TilingInputsDataDependency(inputs, {TILING_ON_HOST});
}
inline OpImplRegisterV2 &OpImplRegisterV2::TilingInputsDataDependency(
    std::initializer_list<int32_t> inputs, std::initializer_list<TilingPlacement> placements) {
  for (int32_t i : inputs)
    (void)detail::At(functions_)->SetTilingInputDataDependency(static_cast<size_t>(i));
  for (TilingPlacement placement : placements)
    (void)detail::At(functions_)->SetTilingDependencyPlacement(static_cast<uint32_t>(placement));
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::OutputShapeDependOnCompute(
    std::initializer_list<int32_t> outputs) {
  for (int32_t i : outputs)
    (void)detail::At(functions_)->SetOutputShapeDependOnCompute(static_cast<size_t>(i));
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::HostInputs(std::initializer_list<int32_t> inputs) {
  detail::At(functions_)->host_inputs = 0;
  for (int32_t i : inputs)
    (void)detail::At(functions_)->SetHostInputs(static_cast<size_t>(i));
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::NullableOutputs(std::initializer_list<int32_t> outputs) {
  detail::At(functions_)->nullable_outputs_ = 0;
  for (int32_t i : outputs)
    (void)detail::At(functions_)->NullableOutput(static_cast<size_t>(i));
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::OpExecuteFunc(OpExecFunc function) {
  detail::At(functions_)->op_execute_func = function;
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::Op2StageExecuteFuncs(OpExecPrepareFunc prepare,
                                                                OpExecLaunchFunc launch) {
  if (prepare && launch) {
    detail::At(functions_)->op_execute_prepare_func = prepare;
    detail::At(functions_)->op_execute_launch_func = launch;
  }
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::InferFormat(InferFormatFunc function) {
  detail::At(functions_)->infer_format_func = function;
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::CalcOpParam(OpCalcParamKernelFunc function) {
  detail::At(functions_)->calc_op_param = function;
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::GenerateTask(OpGenTaskKernelFunc function) {
  detail::At(functions_)->gen_task = function;
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::CheckSupport(OP_CHECK_FUNC_V2 function) {
  detail::At(functions_)->check_support = function;
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::OpSelectFormat(OP_CHECK_FUNC_V2 function) {
  detail::At(functions_)->op_select_format = function;
  return *this;
}
inline OpImplRegisterV2 &OpImplRegisterV2::ExceptionDumpParseFunc(ExceptionDumpFunc function) {
  detail::At(functions_)->exception_func = function;
  return *this;
}

enum class OppImplVersionTag { kOpp = 0, kOppKernel, kVersionEnd = 20 };

// The shared objects of a package.
class OppSoDesc {
 public:
  explicit OppSoDesc(const std::vector<ge::AscendString> &so_paths, const ge::AscendString &package_name)
      : so_(std::make_shared<std::pair<std::vector<ge::AscendString>, ge::AscendString>>(so_paths,
                                                                                         package_name)) {}
  std::vector<ge::AscendString> GetSoPaths() const { return so_->first; }
  ge::AscendString GetPackageName() const { return so_->second; }

 private:
  std::shared_ptr<std::pair<std::vector<ge::AscendString>, ge::AscendString>> so_;
};

// A view of what is registered. Types of the program that asks are always found.
class OpImplSpaceRegistryV2 {
 public:
  // Loads the shared objects; what they register is found by weft's package loader, not here.
  ge::graphStatus AddSoToRegistry(const OppSoDesc &) { return ge::GRAPH_SUCCESS; }
  // nullptr: nothing is registered for the type.
  const OpImplKernelRegistry::OpImplFunctionsV2 *GetOpImpl(const char *op_type) const {
    if (!op_type)
      return nullptr;
    auto found = detail::Ops().find(op_type);
    return found == detail::Ops().end() ? nullptr : &found->second;
  }
};

class DefaultOpImplSpaceRegistryV2 {
 public:
  DefaultOpImplSpaceRegistryV2(const DefaultOpImplSpaceRegistryV2 &) = delete;
  DefaultOpImplSpaceRegistryV2 &operator=(const DefaultOpImplSpaceRegistryV2 &) = delete;
  WEFT_CANN_OWN static DefaultOpImplSpaceRegistryV2 &GetInstance() {
    static DefaultOpImplSpaceRegistryV2 instance;
    return instance;
  }
  // nullptr until SetSpaceRegistry was called.
  const std::shared_ptr<OpImplSpaceRegistryV2> GetSpaceRegistry(
      OppImplVersionTag version = OppImplVersionTag::kOpp) const {
    auto found = spaces_.find(version);
    return found == spaces_.end() ? nullptr : found->second;
  }
  ge::graphStatus SetSpaceRegistry(const std::shared_ptr<OpImplSpaceRegistryV2> &space,
                                   OppImplVersionTag version = OppImplVersionTag::kOpp) {
    spaces_[version] = space;
    return ge::GRAPH_SUCCESS;
  }
  void ClearSpaceRegistry() { spaces_.clear(); }

 private:
  DefaultOpImplSpaceRegistryV2() = default;
  std::map<OppImplVersionTag, std::shared_ptr<OpImplSpaceRegistryV2>> spaces_;
};

static_assert(sizeof(OpImplRegisterV2) == 8, "layouts");
static_assert(sizeof(OpImplKernelRegistry::OpImplFunctions) == 200, "layouts");
static_assert(sizeof(OpImplKernelRegistry::OpImplFunctionsV2) == 4304, "layouts");
}  // namespace gert

#define WEFT_CANN_JOIN2(a, b) a##b
#define WEFT_CANN_JOIN(a, b)  WEFT_CANN_JOIN2(a, b)
#define IMPL_OP(op_type)                                                                               \
  static ::gert::OpImplRegisterV2 VAR_UNUSED WEFT_CANN_JOIN(op_impl_register_##op_type, __COUNTER__) = \
      ::gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_INFERSHAPE(op_type)                                           \
  ::gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_infershape_##op_type = \
      ::gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_OPTILING(op_type) \
  ::gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_optiling_##op_type = ::gert::OpImplRegisterV2(#op_type)
// SPDX-License-Identifier: Apache-2.0
