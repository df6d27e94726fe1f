// weft_cann/package.h - what makes a shared object with prototypes of REG_OP a package of weft's; nothing is
// to be written for it.
#pragma once
#include <cctype>

#include "weft_cann/operator.h"
#include "weft_cann/package_entry.h"
#include "weft_cann/package_tiling.h"

namespace weft_cann {
class WEFT_CANN_OWN PrototypeReader {
 public:
  static void List(Package &package) {
    static std::vector<std::string> prototypes;  // the names live here
    prototypes.clear();
    (void)ge::OperatorFactory::GetOpsTypeList(prototypes);
    const PackageSource &other = PackageSources()[kFromOpDef];
    for (const std::string &type : prototypes) {
      if (!other.has || !other.has(type))
        package.Name(type.c_str());
    }
  }
  static std::string Place(const std::string &type) { return ge::OperatorFactory::WeftPlace(type); }
  static bool Has(const std::string &type) { return ge::OperatorFactory::IsExistOp(type); }
  static void Describe(Operator &op, const std::string &type) {
    Take(op, *ge::OperatorFactory::CreateOperator(type, type).WeftNode());
  }

 private:
  // A prototype of REG_OP: types as texts, some of them symbols.
  static void Take(Operator &op, const ge::weft_own::Node &node) {
    for (size_t i = 0; i < node.in.size(); i++) {
      op.in.push_back(Port(op, node.in[i]));
      op.in.back().value = OperatorParts::ValueOrKnown(op, OperatorParts::Value(op, i));
    }
    for (const ge::weft_own::DeclaredPort &port : node.out)
      op.out.push_back(Port(op, port));
    for (const ge::weft_own::DeclaredAttr &declared : node.attrs) {
      weft_attr_decl attr = {};
      attr.name = op.Keep(declared.name);
      attr.type = op.Keep(declared.type);
      attr.dflt = declared.required ? nullptr : op.Keep(DefaultText(declared.value));
      op.attrs.push_back(attr);
    }
    for (const ge::weft_own::DeclaredType &type : node.symbols)
      op.symbols.push_back(Symbol(op, type));
  }
  static weft_port Port(Operator &op, const ge::weft_own::DeclaredPort &declared) {
    weft_port port = {};
    port.name = op.Keep(declared.name);
    const bool dynamic = declared.kind == ge::weft_own::PortKind::kDynamic;
    const bool optional = declared.kind == ge::weft_own::PortKind::kOptional;
    port.kind = dynamic ? WEFT_DYNAMIC : optional ? WEFT_OPTIONAL : WEFT_REQUIRED;
    const std::string &types = declared.types;
    if (types.size() > 2 && types[0] == '"')
      port.type = op.Keep(types.substr(1, types.size() - 2));
    else
      port.dtypes = TypesOf(types);
    return port;
  }
  static weft_symbol Symbol(Operator &op, const ge::weft_own::DeclaredType &declared) {
    weft_symbol symbol = {};
    symbol.name = op.Keep(declared.name);
    symbol.each = declared.each;
    for (ge::DataType type : declared.types)
      symbol.set |= weft_dtype_set{1} << static_cast<int>(type);
    std::string names;
    for (const std::string &name : declared.promote)
      names += (names.empty() ? "" : ",") + name;
    if (!names.empty())
      symbol.promote = op.Keep(names);
    return symbol;
  }
  // "TensorType({DT_FLOAT, DT_INT8})", "TensorType::NumberType()", "BasicType()": which types a text names.
  static weft_dtype_set TypesOf(const std::string &text) {
    static const struct {
      const char *name;
      ge::TensorType (*types)();
    } sets[] = {{"ALL()", ge::TensorType::ALL},
                {"QuantifiedType()", ge::TensorType::QuantifiedType},
                {"OrdinaryType()", ge::TensorType::OrdinaryType},
                {"BasicType()", ge::TensorType::BasicType},
                {"RealNumberType()", ge::TensorType::RealNumberType},
                {"IndexNumberType()", ge::TensorType::IndexNumberType},
                {"NumberType()", ge::TensorType::NumberType},
                {"ComplexDataType()", ge::TensorType::ComplexDataType},
                {"IntegerDataType()", ge::TensorType::IntegerDataType},
                {"UnsignedDataType()", ge::TensorType::UnsignedDataType},
                {"SignedDataType()", ge::TensorType::SignedDataType},
                {"FloatingDataType()", ge::TensorType::FloatingDataType},
                {"UnaryDataType()", ge::TensorType::UnaryDataType},
                {"FLOAT()", ge::TensorType::FLOAT}};
    weft_dtype_set all = 0;
    for (const auto &set : sets) {
      const size_t at = text.find(set.name);
      const bool word =
          at != std::string::npos && (at == 0 || !isalnum(static_cast<unsigned char>(text[at - 1])));
      if (!word)
        continue;
      const ge::TensorType named = set.types();  // a temporary would end before the loop
      for (ge::DataType type : named.tensor_type_impl_->dt_vec_)
        all |= weft_dtype_set{1} << static_cast<int>(type);
    }
    for (size_t at = text.find("DT_"); at != std::string::npos; at = text.find("DT_", at + 1)) {
      size_t end = at;
      while (end < text.size() && (isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        end++;
      all |= TypeOf(text.substr(at, end - at));
    }
    return all;
  }
  static weft_dtype_set TypeOf(const std::string &name) {
    static const std::map<std::string, int> types = {
#define WEFT_X(name, number, bits, serial, text) {"DT_" #name, number},
        WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
            {"DT_FLOAT32", 0},
        {"DT_BFLOAT16", 27}};
    auto found = types.find(name);
    return found == types.end() ? 0 : weft_dtype_set{1} << found->second;
  }
  static std::string DefaultText(const ge::AttrValue &value) {
    return std::visit([](const auto &held) { return Text(held); }, value.Get());
  }
  static std::string Text(int64_t value) {
    return std::to_string(value);
  }
  static std::string Text(float value) {
    char text[32];
    snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
    return text;
  }
  static std::string Text(bool value) {
    return value ? "true" : "false";
  }
  static std::string Text(const std::string &value) {
    return OperatorParts::Quoted(value);
  }
  static std::string Text(ge::DataType value) {
    return ge::TypeUtils::DataTypeToSerialString(value);
  }
  template <typename T>
  static std::string Text(const std::vector<T> &values) {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); i++) {
      text += i ? "," : "";
      text += Text(static_cast<T>(values[i]));
    }
    return text + "]";
  }
  static std::string Text(const ge::Tensor &) {
    return "f32[0]";
  }
  static std::string Text(const ge::OpBytes &) {
    return "\"\"";
  }
  static std::string Text(std::monostate) {
    return "";
  }
};
WEFT_CANN_OWN inline const bool kPrototypesAreRead =
    (PackageSources()[kFromPrototype] = {"REG_OP", PrototypeReader::Place, PrototypeReader::List,
                                         PrototypeReader::Has, PrototypeReader::Describe},
     true);
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
