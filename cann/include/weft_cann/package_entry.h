// weft_cann/package_entry.h - the entry that makes a shared object a package of weft's. What it has comes
// from the headers that register prototypes (op_def.h, operator.h): each names a source, which turns its
// registrations into weft_ops. So a file compiles only what it uses.
#pragma once
#include <pthread.h>

#include "weft_cann/adaptor.h"
#include "weft_cann/examples.h"
#include "weft_cann/found_shapes.h"
#include "weft_cann/prototype_compare.h"
#include "weft_cann/tiling_sources.h"

namespace weft_cann {
class Package;
// One kind of registration. Where a type has both kinds the first one counts: OP_ADD's has the combinations
// of types and formats.
struct PackageSource {
  const char *macro;
  std::string (*place)(const std::string &type);  // " (file:line)", or nothing
  void (*list)(Package &package);                 // Name for each type
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
    auto custom = ge::weft_own::CustomOps().find(type);
    if (custom != ge::weft_own::CustomOps().end())
      op.custom = custom->second();
  }
  static void Finish(Operator &op) {
    op.n_declared = static_cast<uint32_t>(op.attrs.size());
    for (const auto &attr : op.functions.private_attrs)
      AddPrivate(op, attr.first.GetString(), attr.second);
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
    auto examples = Examples().find(op.op.name);
    if (examples != Examples().end())
      op.op.examples = examples->second;
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
  // PrivateAttr: behind the declared ones. A node may have any attribute whose name begins with '_'; one of
  // another name must be declared, which takes a default for its type.
  static void AddPrivate(Operator &op, const char *name, const ge::AnyValue &value) {
    if (*name == '_' || value.IsEmpty())
      return;
    for (uint32_t i = 0; i < op.n_declared; i++) {
      if (!strcmp(op.attrs[i].name, name))
        return;
    }
    weft_attr_decl attr = {};
    attr.name = op.Keep(name);
    attr.ext = 1;
    switch (value.GetKind()) {
      case ge::AnyValue::kFloat:
        attr.type = "Float";
        attr.dflt = op.Keep(Text(value.Float()));
        break;
      case ge::AnyValue::kBool:
        attr.type = "Bool";
        attr.dflt = value.Int() ? "true" : "false";
        break;
      case ge::AnyValue::kString:
        attr.type = "String";
        attr.dflt = op.Keep(Quoted(value.Text()));
        break;
      case ge::AnyValue::kInts:
        attr.type = "ListInt";
        attr.dflt = op.Keep(List(value.Ints()));
        break;
      case ge::AnyValue::kFloats:
        attr.type = "ListFloat";
        attr.dflt = op.Keep(List(value.Floats()));
        break;
      default:
        attr.type = "Int";
        attr.dflt = op.Keep(Text(value.Int()));
        break;
    }
    op.attrs.push_back(attr);
  }
  static std::string Text(int64_t value) { return std::to_string(value); }
  static std::string Text(float value) {
    char text[32];
    snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
    return text;
  }
  template <typename T>
  static std::string List(const std::vector<T> &values) {
    std::string text = "[";
    for (const T &value : values)
      text += (text.size() > 1 ? "," : "") + Text(value);
    return text + "]";
  }
  // A function of this shared object, or else kernels in Ascend C beside it.
  static void AttachKernel(Operator &op) {
    auto kernel = Kernels().find(op.op.name);
    if (kernel != Kernels().end()) {
      op.kernel = kernel->second;
      AttachRun(op);
      return;
    }
    auto files = std::make_shared<KernelFiles>(op.op.name);
    if (!files->Any())
      return;
    op.kernel = {RunKernelFile, files->Soc()};
    op.kernel_files = files;
    AttachRun(op);
  }
  // An operator that executes itself, too, does so.
  static void AttachRun(Operator &op) {
    bool finds = op.shapes_are_found;
    for (size_t i = 0; i < op.out.size(); i++)
      finds = finds || op.functions.IsOutputShapeDependOnCompute(i);
    if (!finds)
      op.op.ref = RunKernel;
    else if (!op.op.execute)
      op.op.execute = ExecuteKernel;
  }
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
    if (op.custom.executes || op.custom.annotates)
      op.op.execute = op.custom.execute;
    op.op.save = op.custom.save;
    op.op.load = op.custom.load;
    AttachKernel(op);
  }
};

// The operators of this shared object: their names when weft asks first, each one whole when somebody wants
// it. They stay as long as the object.
class WEFT_CANN_OWN Package {
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
    std::unique_ptr<Operator> op;
    Told first = {};
    for (int i = 0; i < kSources; i++) {
      const PackageSource &source = PackageSources()[i];
      if (!source.has || !source.has(type))
        continue;
      auto told = std::make_unique<Operator>();
      OperatorParts::Begin(*told, type);
      source.describe(*told, type);
      OperatorParts::Finish(*told);
      if (op) {
        Compare(*op, first, {told.get(), source.macro, source.place(type)});
        continue;
      }
      op = std::move(told);
      first = {op.get(), source.macro, source.place(type)};
    }
    return op;
  }
  static void Compare(Operator &op, const Told &first, const Told &second) {
    const std::string warning = PrototypeCompare(first, second).Run();
    if (!warning.empty())
      op.op.warning = op.Keep(warning);
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
