// weft_cann/known_op.h - what the generated classes of weft's own operators are made of (all_ops.h and its
// kin, tools/gen_cann_ops.py). They stand in a namespace of their own that ge::op uses, so that a class that
// a program declares by REG_OP under the same name comes first; and they are no registrations: the operator
// that a graph uses is the one that its environment has under the type.
#pragma once
#include "weft_cann/operator.h"

namespace ge {
namespace weft_own {
// An operator whose ports and attributes a text tells, a line each: "in x", "in? bias", "in* x", "out y",
// "attr axis Int = 0", "graph body".
class KnownOp : public Operator {
 public:
  KnownOp(const std::string &name, const char *type, const char *parts) : Operator(name, type) {
    for (const char *line = parts; *line;) {
      const char *end = strchr(line, '\n');
      Part(std::string(line, end));
      line = end + 1;
    }
  }

 protected:
  template <typename This, typename... Output>
  static This &Link(This *self, const char *input, const Operator &from, Output... output) {
    self->SetInput(input, from, As(output)...);
    return *self;
  }
  template <typename This, typename... Output>
  static This &LinkTo(This *self, const char *port, uint32_t i, const Operator &from, Output... output) {
    self->SetInput(port, i, from, output...);
    return *self;
  }
  template <typename This>
  static This &More(This *self, const char *port, uint32_t count) {
    self->DynamicInputRegister(port, count);
    return *self;
  }
  template <typename This>
  static This &MoreOut(This *self, const char *port, uint32_t count) {
    self->DynamicOutputRegister(port, count);
    return *self;
  }
  template <typename This, typename T>
  static This &Put(This *self, const char *attr, const T &value) {
    self->SetAttr(attr, value);
    return *self;
  }
  template <typename T>
  T Attr(const char *attr) const {
    T value{};
    (void)GetAttr(attr, value);
    return value;
  }
  template <typename This>
  static This &Body(This *self, const char *slot, uint32_t i, const SubgraphBuilder &builder) {
    self->SetSubgraphBuilder(slot, i, builder);
    return *self;
  }

 private:
  static uint32_t As(uint32_t output) { return output; }
  static uint32_t As(int output) { return static_cast<uint32_t>(output); }
  static const char *As(const char *output) { return output; }
  void Part(const std::string &line) {
    const size_t space = line.find(' ');
    const std::string what = line.substr(0, space);
    const std::string rest = line.substr(space + 1);
    const PortKind kind = what.back() == '*'   ? PortKind::kDynamic
                          : what.back() == '?' ? PortKind::kOptional
                                               : PortKind::kRequired;
    if (what.compare(0, 2, "in") == 0)
      DeclareInput(rest.c_str(), "", kind);
    else if (what.compare(0, 3, "out") == 0)
      DeclareOutput(rest.c_str(), "", kind);
    else if (what == "graph")
      DeclareGraph(rest.c_str());
    else
      Attribute(rest);
  }
  void Attribute(const std::string &line) {
    const size_t space = line.find(' ');
    const size_t equals = line.find(" = ");
    const std::string name = line.substr(0, space);
    const std::string type = line.substr(space + 1, equals - space - 1);
    if (equals == std::string::npos)
      DeclareAttr(name.c_str(), type.c_str());
    else
      Default(name.c_str(), type, line.substr(equals + 3));
  }
  void Default(const char *name, const std::string &type, const std::string &text) {
    if (type == "Int")
      DeclareAttr(name, type.c_str(), static_cast<int64_t>(strtoll(text.c_str(), nullptr, 10)));
    else if (type == "Float")
      DeclareAttr(name, type.c_str(), strtof(text.c_str(), nullptr));
    else if (type == "Bool")
      DeclareAttr(name, type.c_str(), text == "true");
    else if (type == "String")
      DeclareAttr(name, type.c_str(), text.substr(1, text.size() - 2));
    else if (type == "Type")
      DeclareAttr(name, type.c_str(), TypeOf(text));
    else if (type == "Tensor")
      DeclareAttr(name, type.c_str(), AttrValue());
    else
      List(name, type, text);
  }
  void List(const char *name, const std::string &type, const std::string &text) {
    std::vector<std::string> items;
    std::string item;
    for (size_t i = 1; i + 1 < text.size(); i++) {
      if (text[i] != ',')
        item += text[i];
      if (text[i] == ',' || i + 2 == text.size())
        items.push_back(std::move(item));
    }
    OpListInt ints;
    OpListFloat floats;
    OpListBool bools;
    for (const std::string &one : items) {
      ints.push_back(strtoll(one.c_str(), nullptr, 10));
      floats.push_back(strtof(one.c_str(), nullptr));
      bools.push_back(one == "true");
    }
    if (type == "ListInt")
      DeclareAttr(name, type.c_str(), ints);
    else if (type == "ListFloat")
      DeclareAttr(name, type.c_str(), floats);
    else if (type == "ListBool")
      DeclareAttr(name, type.c_str(), bools);
    else
      DeclareAttr(name, type.c_str(), AttrValue());
  }
  static DataType TypeOf(const std::string &text) {
#define WEFT_X(name, number, bits, serial, short_name) \
  if (text == short_name || text == serial)            \
    return static_cast<DataType>(number);
    WEFT_DTYPE_LIST(WEFT_X)
#undef WEFT_X
    return DT_UNDEFINED;
  }
};
}  // namespace weft_own
}  // namespace ge

// Templates, whose members cost a compiler half as much as long as nobody calls them.
#define WEFT_OP_CLASS(Name, parts)              \
  template <int = 0>                            \
  struct Name##_ : ::ge::weft_own::KnownOp {    \
    using This = Name##_;                       \
    Name##_() : KnownOp(#Name, #Name, parts) {} \
    template <typename T>                       \
    explicit Name##_(const T &name) : KnownOp(::ge::weft_own::NameOf(name), #Name, parts) {}
#define WEFT_I(p)                                            \
  static const char *name_in_##p() {                         \
    return #p;                                               \
  }                                                          \
  template <typename... O>                                   \
  This &set_input_##p(const Operator &f, O... o) {           \
    return Link(this, #p, f, o...);                          \
  }                                                          \
  template <typename... O>                                   \
  This &set_input_##p##_by_name(const Operator &f, O... o) { \
    return Link(this, #p, f, o...);                          \
  }                                                          \
  TensorDesc get_input_desc_##p() const {                    \
    return GetInputDescByName(#p);                           \
  }                                                          \
  graphStatus update_input_desc_##p(const TensorDesc &d) {   \
    return UpdateInputDesc(#p, d);                           \
  }
#define WEFT_DI(p)                                                             \
  This &create_dynamic_input_##p(uint32_t n, bool = true) {                    \
    return More(this, #p, n);                                                  \
  }                                                                            \
  This &create_dynamic_input_byindex_##p(uint32_t n, size_t) {                 \
    return More(this, #p, n);                                                  \
  }                                                                            \
  template <typename... O>                                                     \
  This &set_dynamic_input_##p(uint32_t i, const Operator &f, O... o) {         \
    return LinkTo(this, #p, i, f, o...);                                       \
  }                                                                            \
  TensorDesc get_dynamic_input_desc_##p(uint32_t i) const {                    \
    return GetDynamicInputDesc(#p, i);                                         \
  }                                                                            \
  graphStatus update_dynamic_input_desc_##p(uint32_t i, const TensorDesc &d) { \
    return UpdateDynamicInputDesc(#p, i, d);                                   \
  }
#define WEFT_O(p)                                           \
  static const char *name_out_##p() {                       \
    return #p;                                              \
  }                                                         \
  TensorDesc get_output_desc_##p() const {                  \
    return GetOutputDescByName(#p);                         \
  }                                                         \
  graphStatus update_output_desc_##p(const TensorDesc &d) { \
    return UpdateOutputDesc(#p, d);                         \
  }
#define WEFT_DO(p)                                                              \
  This &create_dynamic_output_##p(uint32_t n, bool = true) {                    \
    return MoreOut(this, #p, n);                                                \
  }                                                                             \
  TensorDesc get_dynamic_output_desc_##p(uint32_t i) const {                    \
    return GetDynamicOutputDesc(#p, i);                                         \
  }                                                                             \
  graphStatus update_dynamic_output_desc_##p(uint32_t i, const TensorDesc &d) { \
    return UpdateDynamicOutputDesc(#p, i, d);                                   \
  }
#define WEFT_A(k, T)                   \
  static const char *name_attr_##k() { \
    return #k;                         \
  }                                    \
  Op##T get_attr_##k() const {         \
    return Attr<Op##T>(#k);            \
  }                                    \
  This &set_attr_##k(const Op##T &v) { \
    return Put(this, #k, v);           \
  }
#define WEFT_G(g)                                            \
  This &set_subgraph_builder_##g(const SubgraphBuilder &b) { \
    return Body(this, #g, 0, b);                             \
  }
#define WEFT_DG(g)                                                               \
  This &create_dynamic_subgraph_##g(uint32_t) {                                  \
    return *this;                                                                \
  }                                                                              \
  This &set_dynamic_subgraph_builder_##g(uint32_t i, const SubgraphBuilder &b) { \
    return Body(this, #g, i, b);                                                 \
  }
// SPDX-License-Identifier: Apache-2.0
