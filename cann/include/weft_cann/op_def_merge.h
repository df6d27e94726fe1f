// weft_cann/op_def_merge.h - the ports of a definition for a SoC: follows resolved, overrides merged, lists
// multiplied out.
#pragma once
#include "weft_cann/op_def_class.h"

namespace ops {
namespace detail {
// The ports of an operator for a SoC: follows resolved, overrides merged, lists multiplied out. `problem`
// says why the tables are empty.
struct MergedPorts {
  std::vector<PortSpec> inputs;
  std::vector<PortSpec> outputs;
  std::string problem;
};

class PortMerger {
 public:
  PortMerger(const OpDef &op, const OpAICoreConfig *config) {
    for (const OpParamDef &port : op.Inputs())
      ports_.push_back(Merge(port.Spec(), config ? &config->Inputs() : nullptr));
    n_in_ = ports_.size();
    for (const OpParamDef &port : op.Outputs())
      ports_.push_back(Merge(port.Spec(), config ? &config->Outputs() : nullptr));
  }
  MergedPorts Run() {
    MergedPorts merged;
    for (PortSpec &port : ports_)
      Default(port);
    merged.problem = Columns();
    if (merged.problem.empty())
      Multiply();
    else
      Clear();
    merged.inputs.assign(ports_.begin(), ports_.begin() + static_cast<ptrdiff_t>(n_in_));
    merged.outputs.assign(ports_.begin() + static_cast<ptrdiff_t>(n_in_), ports_.end());
    return merged;
  }

 private:
  // An override restates all but lists that it leaves empty.
  static PortSpec Merge(const PortSpec &port, const std::list<OpParamDef> *overrides) {
    if (!overrides)
      return port;
    for (const OpParamDef &other : *overrides) {
      const PortSpec &given = other.Spec();
      if (given.name != port.name)
        continue;
      PortSpec merged = given;
      if (given.types.empty()) {
        merged.types = port.types;
        merged.types_are_list = port.types_are_list;
      }
      if (given.formats.empty()) {
        merged.formats = port.formats;
        merged.formats_are_list = port.formats_are_list;
      }
      if (given.unknown_shape_formats.empty())
        merged.unknown_shape_formats = port.unknown_shape_formats;
      if (given.value_depend.empty())
        merged.value_depend = port.value_depend;
      return merged;
    }
    return port;
  }
  bool Follows(const PortSpec &port, FollowType what) const {
    if (port.follow.empty())
      return false;
    return port.follow_type == FollowType::ALL || port.follow_type == what;
  }
  static bool IsAnyScalar(const PortSpec &port) { return port.is_scalar || port.is_scalar_list; }
  // Ports without a format, scalars and those whose value counts are plain.
  void Default(PortSpec &port) const {
    const bool plain = IsAnyScalar(port) || !port.value_depend.empty();
    const bool none = port.formats.empty() && !Follows(port, FollowType::FORMAT);
    if (plain || none) {
      port.formats = {ge::FORMAT_ND};
      port.formats_are_list = true;
    }
  }
  bool CountsTypes(const PortSpec &port) const {
    const bool fixed = port.has_to_type || !port.to_name.empty();
    return !port.types_are_list && !fixed && !Follows(port, FollowType::DTYPE);
  }
  bool CountsFormats(const PortSpec &port) const {
    return !port.formats_are_list && !Follows(port, FollowType::FORMAT);
  }
  // Why the columns do not fit together; empty: they do, and there are columns_ of them.
  std::string Columns() {
    columns_ = 0;
    for (const PortSpec &port : ports_) {
      std::string problem;
      if (CountsTypes(port))
        problem = Count(port, "data types", port.types.size());
      if (problem.empty() && CountsFormats(port))
        problem = Count(port, "formats", port.formats.size());
      if (problem.empty() && !port.unknown_shape_formats.empty())
        problem = Count(port, "formats for unknown shapes", port.unknown_shape_formats.size());
      if (!problem.empty())
        return problem;
    }
    columns_ = columns_ ? columns_ : 1;
    return "";
  }
  std::string Count(const PortSpec &port, const char *what, size_t n) {
    if (n == 0)
      return "port '" + port.name + "' has no " + what;
    if (columns_ && n != columns_)
      return "port '" + port.name + "' has " + std::to_string(n) + " " + what + ", ports before it have " +
             std::to_string(columns_);
    columns_ = n;
    return "";
  }
  void Clear() {
    for (PortSpec &port : ports_) {
      if (!port.types_are_list)
        port.types.clear();
      port.formats.clear();
    }
  }
  // One row a combination: columns first, then the lists, the last varying fastest.
  void Multiply() {
    std::vector<PortSpec> rows = ports_;
    for (PortSpec &row : rows) {
      row.types.clear();
      row.formats.clear();
    }
    size_t choices = 1;
    for (const PortSpec &port : ports_) {
      choices *= Choices(port, true);
      choices *= Choices(port, false);
    }
    for (size_t column = 0; column < columns_; column++) {
      for (size_t choice = 0; choice < choices; choice++)
        Row(rows, column, choice, choices);
    }
    for (PortSpec &row : rows)
      Follow(rows, row);
    ports_ = rows;
  }
  size_t Choices(const PortSpec &port, bool types) const {
    if (types)
      return port.types_are_list && !port.has_to_type && !port.types.empty() ? port.types.size() : 1;
    return port.formats_are_list && !port.formats.empty() ? port.formats.size() : 1;
  }
  void Row(std::vector<PortSpec> &rows, size_t column, size_t choice, size_t choices) const {
    size_t left = choices;
    for (size_t i = 0; i < ports_.size(); i++) {
      const PortSpec &port = ports_[i];
      left /= Choices(port, true);
      const size_t type = choice / left % Choices(port, true);
      left /= Choices(port, false);
      const size_t format = choice / left % Choices(port, false);
      if (port.has_to_type)
        rows[i].types.push_back(port.to_type);
      else if (!port.types.empty())
        rows[i].types.push_back(port.types[port.types_are_list ? type : column]);
      if (!port.formats.empty() && !Follows(port, FollowType::FORMAT))
        rows[i].formats.push_back(port.formats[port.formats_are_list ? format : column]);
    }
  }
  void Follow(const std::vector<PortSpec> &rows, PortSpec &port) const {
    if (port.follow.empty())
      return;
    const PortSpec *from = Target(rows, port);
    if (!from)
      return;
    if (Follows(port, FollowType::DTYPE))
      port.types = from->types;
    if (Follows(port, FollowType::FORMAT))
      port.formats = from->formats;
  }
  // The port at the end of a chain of follows; nullptr: there is none.
  const PortSpec *Target(const std::vector<PortSpec> &rows, const PortSpec &port) const {
    const PortSpec *at = &port;
    for (size_t steps = 0; steps <= rows.size(); steps++) {
      const PortSpec *next = nullptr;
      for (size_t i = 0; i < n_in_; i++) {
        if (rows[i].name == at->follow)
          next = &rows[i];
      }
      if (!next || next->follow.empty())
        return next;
      at = next;
    }
    return nullptr;
  }
  std::vector<PortSpec> ports_;
  size_t n_in_ = 0;
  size_t columns_ = 0;
};

// soc: NULL or unknown: without overrides.
inline MergedPorts MergePorts(const OpDef &op, const char *soc) {
  const auto &configs = op.AICoreSpec().Configs();
  auto found = configs.find(soc ? soc : "");
  return PortMerger(op, found == configs.end() ? nullptr : &found->second).Run();
}
}  // namespace detail
}  // namespace ops
// SPDX-License-Identifier: Apache-2.0
