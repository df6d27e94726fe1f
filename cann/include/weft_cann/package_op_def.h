// weft_cann/package_op_def.h - OP_ADD's definitions as weft_ops.
#pragma once
#include "weft_cann/op_def_merge.h"
#include "weft_cann/op_def_table.h"
#include "weft_cann/package_entry.h"

namespace weft_cann {
class WEFT_CANN_OWN OpDefReader {
 public:
  static void List(Package &package) {
    for (const auto &entry : ops::detail::OpDefs())
      package.Name(entry.first.c_str());
  }
  static std::string Place(const std::string &type) {
    const ops::detail::AddedOpDef &added = ops::detail::OpDefs()[type];
    const char *slash = strrchr(added.file, '/');
    return " (" + std::string(slash ? slash + 1 : added.file) + ":" + std::to_string(added.line) + ")";
  }
  static bool Has(const std::string &type) { return ops::detail::OpDefs().count(type) != 0; }
  static void Describe(Operator &op, const std::string &type) {
    ops::OpDef def = ops::detail::OpDefs().at(type).make(type.c_str());
    TakeFunctions(op.functions, def);
    const ops::detail::MergedPorts ports = ops::detail::MergePorts(def, nullptr);
    if (!ports.problem.empty())
      op.op.warning = op.Keep("OP_ADD" + Place(type) + ": " + ports.problem);
    size_t columns = 0;
    for (const ops::PortSpec &port : ports.inputs)
      columns = port.types.size();
    if (columns > kMostColumns) {
      op.op.warning = op.Keep("OP_ADD" + Place(type) + ": " + std::to_string(columns) +
                              " combinations of types and formats; weft keeps 64 at most apart, and takes "
                              "each port's types for itself here");
      columns = 0;
    }
    for (size_t i = 0; i < ports.inputs.size(); i++)
      op.in.push_back(Port(op, ports.inputs[i], i, columns));
    for (const ops::PortSpec &port : ports.outputs) {
      op.out.push_back(Port(op, port, kNoInput, columns));
      FollowShape(op, port, ports.inputs);
      op.shapes_are_found = op.shapes_are_found || port.shape_depends_on_compute;
    }
    for (const ops::OpAttrDef &attr : def.Attrs())
      op.attrs.push_back(Attr(op, attr.Spec()));
    op.op.n_columns = static_cast<uint32_t>(columns);
  }

 private:
  static constexpr size_t kNoInput = static_cast<size_t>(-1);
  static constexpr size_t kMostColumns = 64;  // of a weft_op
  static weft_port Port(Operator &op, const ops::PortSpec &spec, size_t input, size_t columns) {
    weft_port port = {};
    port.name = op.Keep(spec.name);
    port.kind = spec.kind == ops::DYNAMIC    ? WEFT_DYNAMIC
                : spec.kind == ops::OPTIONAL ? WEFT_OPTIONAL
                                             : WEFT_REQUIRED;
    if (input != kNoInput)
      port.value = Value(op, spec, input);
    for (ge::DataType type : spec.types)
      port.dtypes |= weft_dtype_set{1} << static_cast<int>(type);
    if (columns && spec.types.size() == columns && spec.formats.size() == columns) {
      op.columns.emplace_back();
      for (size_t k = 0; k < columns; k++)
        op.columns.back().push_back(
            {static_cast<weft_dtype>(spec.types[k]), static_cast<weft_format>(spec.formats[k])});
      port.columns = op.columns.back().data();
      port.dtypes = 0;
    }
    return port;
  }
  // Without InferShape an output that follows an input's shape has it, names of dims included.
  static void FollowShape(Operator &op, const ops::PortSpec &spec, const std::vector<ops::PortSpec> &inputs) {
    const bool shape = spec.follow_type == ops::FollowType::ALL || spec.follow_type == ops::FollowType::SHAPE;
    if (op.functions.infer_shape || op.custom.infers || !shape)
      return;
    for (const ops::PortSpec &input : inputs) {
      if (input.name != spec.follow || input.kind == ops::DYNAMIC)
        continue;
      op.out.back().follow = op.Keep(spec.follow);
      op.out.back().follow_what = WEFT_FOLLOW_SHAPE;
      op.op.traits |= WEFT_SYMBOLIC | WEFT_MONOTONE;
    }
  }
  static uint8_t Value(const Operator &op, const ops::PortSpec &spec, size_t input) {
    unsigned value = OperatorParts::Value(op, input);
    if (!spec.value_depend.empty())
      value |= spec.depend_scope == ops::DependScope::TILING ? WEFT_VALUE_TILING
                                                             : WEFT_VALUE_INFER | WEFT_VALUE_TILING;
    value = OperatorParts::ValueOrKnown(op, static_cast<uint8_t>(value));
    if (spec.value_depend == "optional")
      value |= WEFT_VALUE_OPTIONAL;
    return static_cast<uint8_t>(value);
  }
  static weft_attr_decl Attr(Operator &op, const ops::AttrSpec &spec) {
    weft_attr_decl attr = {};
    attr.name = op.Keep(spec.name);
    attr.type = spec.PrototypeType();
    if (spec.required)
      return attr;
    const bool text = spec.type == ops::AttrDataType::ATTR_DT_STR;
    attr.dflt = op.Keep(text ? OperatorParts::Quoted(spec.value) : spec.value);
    return attr;
  }
};
WEFT_CANN_OWN inline const bool kDefinitionsAreRead =
    (PackageSources()[kFromOpDef] = {"OP_ADD", OpDefReader::Place, OpDefReader::List, OpDefReader::Has,
                                     OpDefReader::Describe},
     true);
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
