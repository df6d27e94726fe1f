// weft_cann/package_entry.h - the entry that makes a shared object a package of weft's. What it has comes
// from the headers that register prototypes (op_def.h, operator.h): each names a source, which turns its
// registrations into weft_ops. So a file compiles only what it uses.
#pragma once
#include <pthread.h>

#include "weft_cann/adaptor.h"
#include "weft_cann/tiling_sources.h"

namespace weft_cann {
class Package;
// One kind of registration. Where a type has both kinds the first one counts: OP_ADD's has the combinations
// of types and formats.
struct PackageSource {
  const char *macro;
  void (*list)(Package &package);  // Name for each type
  bool (*has)(const std::string &type);
  void (*describe)(Operator &op, const std::string &type);
};
enum { kFromOpDef, kFromPrototype, kSources };
WEFT_CANN_OWN inline PackageSource *PackageSources() {
  static PackageSource sources[kSources] = {};
  return sources;
}
// What every source does alike.
class OperatorParts {
 public:
  // With what IMPL_OP and REG_AUTO_MAPPING_OP say of the type.
  static void Begin(Operator &op, const std::string &type) {
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
  }
  static void Finish(Operator &op) {
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
};

// The operators of this shared object: their names when weft asks first, each one whole when somebody wants
// it. They stay as long as the object.
class Package {
 public:
  Package() {
    for (int i = 0; i < kSources; i++) {
      if (PackageSources()[i].list)
        PackageSources()[i].list(*this);
    }
    list_.reserve(entries_.size());
    for (Entry &entry : entries_) {
      entry.op.user = &entry;
      list_.push_back(&entry.op);
    }
    section_ = {WEFT_SECTION_OP, 0, static_cast<uint32_t>(list_.size()), list_.data()};
    package_ = {sizeof(weft_package), WEFT_ABI, "cann", "0", 1, &section_};
  }
  const weft_package *Get() const { return &package_; }
  // `name` lives as long as the shared object.
  void Name(const char *name) {
    Entry entry;
    entry.op.size = sizeof(weft_op);
    entry.op.port_bytes = sizeof(weft_port);
    entry.op.attr_bytes = sizeof(weft_attr_decl);
    entry.op.symbol_bytes = sizeof(weft_symbol);
    entry.op.version = 1;
    entry.op.name = name;
    entry.op.describe = Describe;
    entries_.push_back(std::move(entry));
  }

 private:
  struct Entry {
    weft_op op = {};
    std::unique_ptr<Operator> whole;
  };
  static const weft_op *Describe(const weft_op *named, const weft_host *host, weft_diag *d) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // of all environments
    auto *entry = const_cast<Entry *>(static_cast<const Entry *>(named->user));
    const weft_op_desc desc = Called(named);
    pthread_mutex_lock(&lock);
    const weft_status s = Guarded(host, d, &desc, "the description", [entry]() -> weft_status {
      if (!entry->whole)
        entry->whole = Whole(entry->op.name);
      return WEFT_OK;
    });
    pthread_mutex_unlock(&lock);
    return s ? nullptr : &entry->whole->op;
  }
  // What a message about the operator needs.
  static weft_op_desc Called(const weft_op *op) {
    weft_op_desc desc = {};
    desc.size = sizeof desc;
    desc.type = op->name;
    return desc;
  }
  static std::unique_ptr<Operator> Whole(const std::string &type) {
    auto op = std::make_unique<Operator>();
    for (int i = 0; i < kSources; i++) {
      const PackageSource &source = PackageSources()[i];
      if (!source.has || !source.has(type))
        continue;
      OperatorParts::Begin(*op, type);
      source.describe(*op, type);
      OperatorParts::Finish(*op);
      break;
    }
    return op;
  }
  std::vector<Entry> entries_;
  std::vector<const weft_op *> list_;
  weft_section section_ = {};
  weft_package package_ = {};
};
}  // namespace weft_cann

// The package of this shared object; one that a library defines itself takes its place.
extern "C" __attribute__((weak, visibility("default"))) const weft_package *weft_package_entry(
    const weft_host *host) {
  static weft_cann::Package package;
  return host ? package.Get() : nullptr;
}
// SPDX-License-Identifier: Apache-2.0
