// weft_cann/tuning.h - tilings that a tuner found, and the keys under which a bank holds them. weft has no
// bank: the classes and the functions that operators name are kept in tables of the shared object, for
// whoever brings one.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "weft_cann/tiling.h"

#ifndef WEFT_CANN_JSON  // 0: as where nlohmann's header is not installed
#if __has_include(<nlohmann/json.hpp>)
#define WEFT_CANN_JSON 1
#else
#define WEFT_CANN_JSON 0
#endif
#endif
#if WEFT_CANN_JSON
#include <nlohmann/json.hpp>
#endif

namespace tuningtiling {
#if WEFT_CANN_JSON
using Json = nlohmann::json;
#else
// Without nlohmann's header records cannot be read or written as text.
class Json;
#endif
struct TilingItem {
  ge::AscendString dtype_;
  ge::AscendString name_;
};

class TuningTilingDef {
 public:
  virtual void FromJson(const Json &j) = 0;
  virtual void ToJson(Json &j) = 0;
  ge::AscendString GetClassName() const { return class_name_; }
  virtual std::vector<TilingItem> GetItemInfo() const = 0;

 protected:
  TuningTilingDef() = default;
  virtual ~TuningTilingDef() = default;
  ge::AscendString class_name_;
  std::vector<TilingItem> field_info_;
};
using TuningTilingDefPtr = std::shared_ptr<TuningTilingDef>;
using TuningTilingDefConstructor = std::shared_ptr<TuningTilingDef> (*)();

class TuningTilingClassFactory {
 public:
  WEFT_CANN_OWN static std::map<ge::AscendString, TuningTilingDefConstructor> &RegisterInfo() {
    static std::map<ge::AscendString, TuningTilingDefConstructor> table;
    return table;
  }
  static void RegisterTilingData(const ge::AscendString &optype,
                                 const TuningTilingDefConstructor constructor) {
    RegisterInfo()[optype] = constructor;
  }
  // nullptr: no class is registered for the type.
  static std::shared_ptr<TuningTilingDef> CreateTilingDataInstance(const ge::AscendString &optype) {
    const auto found = RegisterInfo().find(optype);
    return found == RegisterInfo().end() ? nullptr : found->second();
  }
};

using OpBankKeyConvertFun =
    std::function<bool(const gert::TilingContext *, std::shared_ptr<void> &, size_t &)>;
using OpBankParseFun = std::function<bool(const std::shared_ptr<void> &, size_t, ge::AscendString &)>;
using OpBankLoadFun = std::function<bool(std::shared_ptr<void> &, size_t &, const ge::AscendString &)>;
using OpBankKeyConvertFunV2 = OpBankKeyConvertFun;
using OpBankParseFunV2 = OpBankParseFun;
using OpBankLoadFunV2 = OpBankLoadFun;

class OpBankKeyFuncInfo {
 public:
  OpBankKeyFuncInfo() = default;
  explicit OpBankKeyFuncInfo(const ge::AscendString &optype) : type_(optype) {}
  ~OpBankKeyFuncInfo() = default;
  void SetOpConvertFunc(const OpBankKeyConvertFun &convert_func) { convert_ = convert_func; }
  void SetOpParseFunc(const OpBankParseFun &parse_func) { parse_ = parse_func; }
  void SetOpLoadFunc(const OpBankLoadFun &load_func) { load_ = load_func; }
  const OpBankKeyConvertFun &GetBankKeyConvertFunc() const { return convert_; }
  const OpBankParseFun &GetBankKeyParseFunc() const { return parse_; }
  const OpBankLoadFun &GetBankKeyLoadFunc() const { return load_; }
  const ge::AscendString &GetOpType() const { return type_; }

 protected:
  ge::AscendString type_;
  OpBankKeyConvertFun convert_;
  OpBankParseFun parse_;
  OpBankLoadFun load_;
};
class OpBankKeyFuncInfoV2 : private OpBankKeyFuncInfo {
 public:
  OpBankKeyFuncInfoV2() = default;
  explicit OpBankKeyFuncInfoV2(const ge::AscendString &optypeV2) : OpBankKeyFuncInfo(optypeV2) {}
  ~OpBankKeyFuncInfoV2() = default;
  void SetOpConvertFuncV2(const OpBankKeyConvertFunV2 &convert_funcV2) { convert_ = convert_funcV2; }
  void SetOpParseFuncV2(const OpBankParseFunV2 &parse_funcV2) { parse_ = parse_funcV2; }
  void SetOpLoadFuncV2(const OpBankLoadFunV2 &load_funcV2) { load_ = load_funcV2; }
  const OpBankKeyConvertFunV2 &GetBankKeyConvertFuncV2() const { return convert_; }
  const OpBankParseFunV2 &GetBankKeyParseFuncV2() const { return parse_; }
  const OpBankLoadFunV2 &GetBankKeyLoadFuncV2() const { return load_; }
  const ge::AscendString &GetOpTypeV2() const { return type_; }
};

// What is said about one type in several statements adds up.
class OpBankKeyFuncRegistry {
 public:
  OpBankKeyFuncRegistry(const ge::AscendString &optype, const OpBankKeyConvertFun &convert_func) {
    Of(optype).SetOpConvertFunc(convert_func);
  }
  OpBankKeyFuncRegistry(const ge::AscendString &optype, const OpBankParseFun &parse_func,
                        const OpBankLoadFun &load_func) {
    Of(optype).SetOpParseFunc(parse_func);
    Of(optype).SetOpLoadFunc(load_func);
  }
  ~OpBankKeyFuncRegistry() = default;
  WEFT_CANN_OWN static std::unordered_map<ge::AscendString, OpBankKeyFuncInfo> &RegisteredOpFuncInfo() {
    static std::unordered_map<ge::AscendString, OpBankKeyFuncInfo> table;
    return table;
  }

 private:
  static OpBankKeyFuncInfo &Of(const ge::AscendString &type) {
    return RegisteredOpFuncInfo().emplace(type, OpBankKeyFuncInfo(type)).first->second;
  }
};
class OpBankKeyFuncRegistryV2 {
 public:
  OpBankKeyFuncRegistryV2(const ge::AscendString &optype, const OpBankKeyConvertFunV2 &convert_funcV2) {
    Of(optype).SetOpConvertFuncV2(convert_funcV2);
  }
  OpBankKeyFuncRegistryV2(const ge::AscendString &optype, const OpBankParseFunV2 &parse_funcV2,
                          const OpBankLoadFunV2 &load_funcV2) {
    Of(optype).SetOpParseFuncV2(parse_funcV2);
    Of(optype).SetOpLoadFuncV2(load_funcV2);
  }
  ~OpBankKeyFuncRegistryV2() = default;
  WEFT_CANN_OWN static std::unordered_map<ge::AscendString, OpBankKeyFuncInfoV2> &RegisteredOpFuncInfoV2() {
    static std::unordered_map<ge::AscendString, OpBankKeyFuncInfoV2> table;
    return table;
  }

 private:
  static OpBankKeyFuncInfoV2 &Of(const ge::AscendString &type) {
    return RegisteredOpFuncInfoV2().emplace(type, OpBankKeyFuncInfoV2(type)).first->second;
  }
};

// Fields of a tuned record and of a bank's key, by name; a field that the text lacks keeps its value.
#if WEFT_CANN_JSON
template <typename T>
void ReadField(const Json &j, const char *name, T &to) {
  const auto found = j.find(name);
  if (found != j.end())
    found->get_to(to);
}
template <typename T>
void WriteField(Json &j, const char *name, const T &from) {
  j[name] = from;
}
#else  // never called: there is no Json to call them with
template <typename T>
void ReadField(const Json &, const char *, T &) {}
template <typename T>
void WriteField(Json &, const char *, const T &) {}
#endif
}  // namespace tuningtiling

#define BEGIN_TUNING_TILING_DEF(class_name)                                                      \
  class class_name : public ::tuningtiling::TuningTilingDef {                                    \
   public:                                                                                       \
    class_name() { class_name_ = #class_name; }                                                  \
    void FromJson(const ::tuningtiling::Json &j) override {                                      \
      for (const auto &read : readers_)                                                          \
        read(*this, j);                                                                          \
    }                                                                                            \
    void ToJson(::tuningtiling::Json &j) override {                                              \
      for (const auto &write : writers_)                                                         \
        write(*this, j);                                                                         \
    }                                                                                            \
    std::vector<::tuningtiling::TilingItem> GetItemInfo() const override { return field_info_; } \
                                                                                                 \
   private:                                                                                      \
    using WeftSelf = class_name;                                                                 \
    std::vector<std::function<void(WeftSelf &, const ::tuningtiling::Json &)>> readers_;         \
    std::vector<std::function<void(WeftSelf &, ::tuningtiling::Json &)>> writers_;               \
                                                                                                 \
   public:
#define TUNING_TILING_DATA_FIELD_DEF(data_type, field_name)                \
  data_type field_name = Noted_##field_name();                             \
  data_type Noted_##field_name() {                                         \
    field_info_.push_back({#data_type, #field_name});                      \
    readers_.push_back([](WeftSelf &self, const ::tuningtiling::Json &j) { \
      ::tuningtiling::ReadField(j, #field_name, self.field_name);          \
    });                                                                    \
    writers_.push_back([](WeftSelf &self, ::tuningtiling::Json &j) {       \
      ::tuningtiling::WriteField(j, #field_name, self.field_name);         \
    });                                                                    \
    return data_type();                                                    \
  }
#define END_TUNING_TILING_DEF \
  }                           \
  ;
#define WEFT_CANN_TUNING_JOIN2(a, b) a##b
#define WEFT_CANN_TUNING_JOIN(a, b)  WEFT_CANN_TUNING_JOIN2(a, b)
#define REGISTER_TUNING_TILING_CLASS(optype, class_name)                                     \
  static const bool VAR_UNUSED WEFT_CANN_TUNING_JOIN(weft_tuning_class_, __COUNTER__) = [] { \
    ::tuningtiling::TuningTilingClassFactory::RegisterTilingData(                            \
        #optype, []() -> std::shared_ptr<::tuningtiling::TuningTilingDef> {                  \
          return std::make_shared<class_name>();                                             \
        });                                                                                  \
    return true;                                                                             \
  }();
#define REGISTER_OP_BANK_KEY_CONVERT_FUN(op, opfunc) \
  static ::tuningtiling::OpBankKeyFuncRegistry VAR_UNUSED g_##op##BankKeyRegistry(#op, opfunc);
#define REGISTER_OP_BANK_KEY_PARSE_FUN(op, parse_func, load_func)                                    \
  static ::tuningtiling::OpBankKeyFuncRegistry VAR_UNUSED g_##op##BankParseRegistry(#op, parse_func, \
                                                                                    load_func);
#define REGISTER_OP_BANK_KEY_CONVERT_FUN_V2(op, opfunc) \
  static ::tuningtiling::OpBankKeyFuncRegistryV2 VAR_UNUSED g_##op##BankKeyRegistryV2(#op, opfunc);
#define REGISTER_OP_BANK_KEY_PARSE_FUN_V2(op, parse_func, load_func)                                     \
  static ::tuningtiling::OpBankKeyFuncRegistryV2 VAR_UNUSED g_##op##BankParseRegistryV2(#op, parse_func, \
                                                                                        load_func);

#if WEFT_CANN_JSON
namespace tuningtiling {
// false: what `run` does with a text of somebody else's did not go through.
template <typename Run>
bool Tried(Run run) {
#if defined(__cpp_exceptions)
  try {
    run();
  } catch (...) {
    return false;
  }
#else
  run();
#endif
  return true;
}
template <typename Key>
bool KeyToText(const std::shared_ptr<void> &key, size_t size, ge::AscendString &text) {
  if (!key || size != sizeof(Key))
    return false;
  return Tried([&] {
    const Json j = *static_cast<const Key *>(key.get());
    text = ge::AscendString(j.dump().c_str());
  });
}
template <typename Key>
bool KeyFromText(std::shared_ptr<void> &key, size_t &size, const ge::AscendString &text) {
  const Json j = Json::parse(text.GetString() ? text.GetString() : "", nullptr, false);
  std::shared_ptr<Key> made = std::make_shared<Key>();
  if (!j.is_object() || !Tried([&] { j.get_to(*made); }))
    return false;
  key = made;
  size = sizeof(Key);
  return true;
}
}  // namespace tuningtiling

// How the key's fields stand as text, and the functions that read and write them.
#define DECLARE_STRUCT_RELATE_WITH_OP(op, bank_key, ...)                  \
  NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(bank_key, __VA_ARGS__)               \
  REGISTER_OP_BANK_KEY_PARSE_FUN(op, ::tuningtiling::KeyToText<bank_key>, \
                                 ::tuningtiling::KeyFromText<bank_key>)
#define DECLARE_STRUCT_RELATE_WITH_OP_V2(op, bank_key, ...)                  \
  NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(bank_key, __VA_ARGS__)                  \
  REGISTER_OP_BANK_KEY_PARSE_FUN_V2(op, ::tuningtiling::KeyToText<bank_key>, \
                                    ::tuningtiling::KeyFromText<bank_key>)
#else
#define DECLARE_STRUCT_RELATE_WITH_OP(op, bank_key, ...)
#define DECLARE_STRUCT_RELATE_WITH_OP_V2(op, bank_key, ...)
#endif
#define TUNING_TILING_MAKE_SHARED(exec_expr0, exec_expr1) \
  do {                                                    \
    try {                                                 \
      exec_expr0;                                         \
    } catch (...) {                                       \
      exec_expr1;                                         \
    }                                                     \
  } while (0)
// SPDX-License-Identifier: Apache-2.0
