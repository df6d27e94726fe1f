// weft_cann/package_entry.h - the entry that makes a shared object a package of weft's. What it has comes from
// the headers that register prototypes (op_def.h, operator.h): each names a source, which turns its
// registrations into weft_ops. So a file compiles only what it uses.
#pragma once
#include "weft_cann/adaptor.h"

namespace weft_cann {
class PackageBuilder;
using PackageSource = void (*)(PackageBuilder &builder);
// Where a type has prototypes of both kinds the first one counts: OP_ADD's has the combinations of types and
// formats.
enum { kFromOpDef, kFromPrototype, kSources };
WEFT_CANN_OWN inline PackageSource *PackageSources() {
  static PackageSource sources[kSources] = {};
  return sources;
}
// package_tiling.h, where a file of the shared object has it.
struct TilingSource {
  weft_tile_fn tile;
  std::shared_ptr<Tilings> (*make)(const char *type);
};
WEFT_CANN_OWN inline TilingSource &PackageTiling() {
  static TilingSource source = {nullptr, nullptr};
  return source;
}

// Collects operators: New, what they have, Finish.
class PackageBuilder {
 public:
  void Build() {
    for (int i = 0; i < kSources; i++) {
      if (PackageSources()[i])
        PackageSources()[i](*this);
    }
  }
  const std::vector<const weft_op *> &Ops() const { return list_; }

  // With what IMPL_OP and REG_AUTO_MAPPING_OP say of the type.
  Operator &New(const std::string &type) {
    operators_.emplace_back();
    Operator &op = operators_.back();
    op.op.size = sizeof(weft_op);
    op.op.port_bytes = sizeof(weft_port);
    op.op.attr_bytes = sizeof(weft_attr_decl);
    op.op.symbol_bytes = sizeof(weft_symbol);
    op.op.version = 1;
    op.op.name = op.Keep(type);
    op.op.user = &op;
    op.op.drop = DropNode;
    auto functions = gert::detail::Ops().find(type);
    if (functions != gert::detail::Ops().end()) {
      op.functions = functions->second;
      op.infer_format = functions->second.infer_format_func;
    }
    auto custom = ge::weft_cann::CustomOps().find(type);
    if (custom != ge::weft_cann::CustomOps().end())
      op.custom = custom->second();
    return op;
  }
  // nullptr: nobody added the type.
  const Operator *Find(const std::string &type) const {
    for (const Operator &op : operators_) {
      if (type == op.op.name)
        return &op;
    }
    return nullptr;
  }
  void Finish(Operator &op) {
    op.in.push_back({});
    op.out.push_back({});
    op.attrs.push_back({});
    op.op.in = op.in.data();
    op.op.out = op.out.data();
    op.op.attrs = op.attrs.data();
    if (!op.symbols.empty()) {
      op.symbols.push_back({});
      op.op.types = op.symbols.data();
    }
    Attach(op);
    list_.push_back(&op.op);
  }
  // Which stages see the values of an input. Operators read values that they did not declare: they get what
  // is known.
  static uint8_t Value(const Operator &op, size_t input) {
    unsigned value = 0;
    if (op.functions.IsInputDataDependency(input))
      value |= WEFT_VALUE_INFER;
    if (op.functions.IsTilingInputDataDependency(input))
      value |= WEFT_VALUE_TILING;
    return static_cast<uint8_t>(value);
  }
  static uint8_t ValueOrKnown(const Operator &op, uint8_t value) {
    if (!value && op.functions.infer_shape)
      return WEFT_VALUE_INFER | WEFT_VALUE_OPTIONAL;
    return value;
  }
  static std::string Quoted(const std::string &text) {
    std::string quoted = "\"";
    for (char c : text) {
      if (c == '"' || c == '\\')
        quoted += '\\';
      quoted += c;
    }
    return quoted + "\"";
  }

 private:
  static void Attach(Operator &op) {
    if (op.functions.infer_shape || op.custom.infers)
      op.op.infer = InferShape;
    if (op.functions.infer_datatype || op.custom.infers)
      op.op.infer_dtype = InferDataType;
    if (op.functions.infer_shape_range)
      op.op.infer_range = InferShapeRange;
    if (op.functions.tiling && PackageTiling().tile) {
      op.op.tile = PackageTiling().tile;
      op.tilings = PackageTiling().make(op.op.name);
    }
    if (op.custom.executes)
      op.op.execute = op.custom.execute;
  }
  std::deque<Operator> operators_;
  std::vector<const weft_op *> list_;
};

// A package; it is made when weft asks first, and stays.
struct Package {
  PackageBuilder builder;
  weft_section section = {};
  weft_package package = {};
  Package() {
    builder.Build();
    section = {WEFT_SECTION_OP, 0, static_cast<uint32_t>(builder.Ops().size()), builder.Ops().data()};
    package = {sizeof(weft_package), WEFT_ABI, "cann", "0", 1, &section};
  }
};
}  // namespace weft_cann

// The package of this shared object; one that a library defines itself takes its place.
extern "C" __attribute__((weak, visibility("default"))) const weft_package *weft_package_entry(
    const weft_host *host) {
  static weft_cann::Package made;
  return host ? &made.package : nullptr;
}
// SPDX-License-Identifier: Apache-2.0
