// weft_cann/operator_reg.h - REG_OP: prototypes, each a class ge::op::X with members for its ports and
// attributes, and each an operator of the package that the shared object is.
#pragma once
#include "weft_cann/operator.h"

// Everything that says REG_OP is a package of weft's.
#ifndef WEFT_CANN_ENTRY_APART
#include "weft_cann/package.h"
#endif

#define REG_OP(x)                                                                      \
  namespace op {                                                                       \
  class x : public ::ge::Operator {                                                    \
    using WeftThis = x;                                                                \
                                                                                       \
   public:                                                                             \
    x() : Operator(#x) { WeftDeclare(); }                                              \
    explicit x(const char *name) : Operator(name, #x) { WeftDeclare(); }               \
    explicit x(const std::string &name) : Operator(name, #x) { WeftDeclare(); }        \
    explicit x(const ::ge::AscendString &name) : Operator(name, #x) { WeftDeclare(); } \
                                                                                       \
   private:                                                                            \
    void WeftDeclare() {                                                               \
      ::ge::weft_own::Step()

// Each macro ends the function before it, which called what is declared here, and begins its own.
#define WEFT_CANN_INPUT(p, t, kind)                                                   \
  Then();                                                                             \
  WeftInput_##p();                                                                    \
  }                                                                                   \
                                                                                      \
 public:                                                                              \
  static const char *name_in_##p() {                                                  \
    return #p;                                                                        \
  }                                                                                   \
  WeftThis &set_input_##p(const ::ge::Operator &from) {                               \
    Operator::SetInput(#p, from);                                                     \
    return *this;                                                                     \
  }                                                                                   \
  WeftThis &set_input_##p(const ::ge::Operator &from, const char *output) {           \
    Operator::SetInput(#p, from, output);                                             \
    return *this;                                                                     \
  }                                                                                   \
  WeftThis &set_input_##p(const ::ge::Operator &from, uint32_t output) {              \
    Operator::SetInput(#p, from, output);                                             \
    return *this;                                                                     \
  }                                                                                   \
  WeftThis &set_input_##p##_by_name(const ::ge::Operator &from, const char *output) { \
    return set_input_##p(from, output);                                               \
  }                                                                                   \
  ::ge::TensorDesc get_input_desc_##p() const {                                       \
    return Operator::GetInputDescByName(#p);                                          \
  }                                                                                   \
  ::ge::graphStatus update_input_desc_##p(const ::ge::TensorDesc &desc) {             \
    return Operator::UpdateInputDesc(#p, desc);                                       \
  }                                                                                   \
                                                                                      \
 private:                                                                             \
  void WeftInput_##p() {                                                              \
    Operator::DeclareInput(#p, #t, ::ge::weft_own::PortKind::kind);                   \
    ::ge::weft_own::Step()
#define INPUT(p, t)                      WEFT_CANN_INPUT_TEXT(p, kRequired, t)
#define OPTIONAL_INPUT(p, t)             WEFT_CANN_INPUT_TEXT(p, kOptional, t)
#define WEFT_CANN_INPUT_TEXT(p, kind, t) WEFT_CANN_INPUT(p, t, kind)

#define OUTPUT(p, t)                                                       \
  Then();                                                                  \
  WeftOutput_##p();                                                        \
  }                                                                        \
                                                                           \
 public:                                                                   \
  static const char *name_out_##p() {                                      \
    return #p;                                                             \
  }                                                                        \
  ::ge::TensorDesc get_output_desc_##p() const {                           \
    return Operator::GetOutputDescByName(#p);                              \
  }                                                                        \
  ::ge::graphStatus update_output_desc_##p(const ::ge::TensorDesc &desc) { \
    return Operator::UpdateOutputDesc(#p, desc);                           \
  }                                                                        \
                                                                           \
 private:                                                                  \
  void WeftOutput_##p() {                                                  \
    Operator::DeclareOutput(#p, #t, ::ge::weft_own::PortKind::kRequired);  \
    ::ge::weft_own::Step()

#define DYNAMIC_INPUT(p, t)                                                                     \
  Then();                                                                                       \
  WeftInput_##p();                                                                              \
  }                                                                                             \
                                                                                                \
 public:                                                                                        \
  WeftThis &create_dynamic_input_##p(uint32_t count, bool push_back = true) {                   \
    Operator::DynamicInputRegister(#p, count, push_back);                                       \
    return *this;                                                                               \
  }                                                                                             \
  WeftThis &create_dynamic_input_byindex_##p(uint32_t count, size_t) {                          \
    return create_dynamic_input_##p(count);                                                     \
  }                                                                                             \
  WeftThis &set_dynamic_input_##p(uint32_t i, const ::ge::Operator &from) {                     \
    Operator::SetInput(#p, i, from);                                                            \
    return *this;                                                                               \
  }                                                                                             \
  WeftThis &set_dynamic_input_##p(uint32_t i, const ::ge::Operator &from, const char *output) { \
    Operator::SetInput(#p, i, from, output);                                                    \
    return *this;                                                                               \
  }                                                                                             \
  ::ge::TensorDesc get_dynamic_input_desc_##p(uint32_t i) const {                               \
    return Operator::GetDynamicInputDesc(#p, i);                                                \
  }                                                                                             \
  ::ge::graphStatus update_dynamic_input_desc_##p(uint32_t i, const ::ge::TensorDesc &desc) {   \
    return Operator::UpdateDynamicInputDesc(#p, i, desc);                                       \
  }                                                                                             \
                                                                                                \
 private:                                                                                       \
  void WeftInput_##p() {                                                                        \
    Operator::DeclareInput(#p, #t, ::ge::weft_own::PortKind::kDynamic);                         \
    ::ge::weft_own::Step()

#define DYNAMIC_OUTPUT(p, t)                                                                   \
  Then();                                                                                      \
  WeftOutput_##p();                                                                            \
  }                                                                                            \
                                                                                               \
 public:                                                                                       \
  WeftThis &create_dynamic_output_##p(uint32_t count, bool push_back = true) {                 \
    Operator::DynamicOutputRegister(#p, count, push_back);                                     \
    return *this;                                                                              \
  }                                                                                            \
  ::ge::TensorDesc get_dynamic_output_desc_##p(uint32_t i) const {                             \
    return Operator::GetDynamicOutputDesc(#p, i);                                              \
  }                                                                                            \
  ::ge::graphStatus update_dynamic_output_desc_##p(uint32_t i, const ::ge::TensorDesc &desc) { \
    return Operator::UpdateDynamicOutputDesc(#p, i, desc);                                     \
  }                                                                                            \
                                                                                               \
 private:                                                                                      \
  void WeftOutput_##p() {                                                                      \
    Operator::DeclareOutput(#p, #t, ::ge::weft_own::PortKind::kDynamic);                       \
    ::ge::weft_own::Step()

#define WEFT_CANN_ATTR_ACCESS(k, Type)                  \
 public:                                                \
  static const char *name_attr_##k() {                  \
    return #k;                                          \
  }                                                     \
  ::ge::Op##Type get_attr_##k() const {                 \
    ::ge::Op##Type value{};                             \
    (void)Operator::GetAttr(#k, value);                 \
    return value;                                       \
  }                                                     \
  WeftThis &set_attr_##k(const ::ge::Op##Type &value) { \
    Operator::SetAttr(#k, value);                       \
    return *this;                                       \
  }
#define ATTR(k, Type, ...)                    \
  Then();                                     \
  WeftAttr_##k();                             \
  }                                           \
  WEFT_CANN_ATTR_ACCESS(k, Type)              \
 private:                                     \
  void WeftAttr_##k() {                       \
    const ::ge::Op##Type value = __VA_ARGS__; \
    Operator::DeclareAttr(#k, #Type, value);  \
    ::ge::weft_own::Step()
#define REQUIRED_ATTR(k, Type)        \
  Then();                             \
  WeftAttr_##k();                     \
  }                                   \
  WEFT_CANN_ATTR_ACCESS(k, Type)      \
 private:                             \
  void WeftAttr_##k() {               \
    Operator::DeclareAttr(#k, #Type); \
    ::ge::weft_own::Step()

#define DATATYPE(t, ...)                    \
  Then();                                   \
  WeftType_##t();                           \
  }                                         \
                                            \
 private:                                   \
  void WeftType_##t() {                     \
    Operator::DeclareType(#t, __VA_ARGS__); \
    ::ge::weft_own::Step()

#define GRAPH(g)                                                             \
  Then();                                                                    \
  WeftGraph_##g();                                                           \
  }                                                                          \
                                                                             \
 public:                                                                     \
  WeftThis &set_subgraph_builder_##g(const ::ge::SubgraphBuilder &builder) { \
    Operator::SetSubgraphBuilder(#g, 0, builder);                            \
    return *this;                                                            \
  }                                                                          \
                                                                             \
 private:                                                                    \
  void WeftGraph_##g() {                                                     \
    Operator::DeclareGraph(#g);                                              \
    ::ge::weft_own::Step()
#define DYNAMIC_GRAPH(g)                                                                         \
  Then();                                                                                        \
  WeftGraph_##g();                                                                               \
  }                                                                                              \
                                                                                                 \
 public:                                                                                         \
  WeftThis &set_dynamic_subgraph_builder_##g(uint32_t i, const ::ge::SubgraphBuilder &builder) { \
    Operator::SetSubgraphBuilder(#g, i, builder);                                                \
    return *this;                                                                                \
  }                                                                                              \
                                                                                                 \
 private:                                                                                        \
  void WeftGraph_##g() {                                                                         \
    Operator::DeclareGraph("*" #g);                                                              \
    ::ge::weft_own::Step()

#define OP_END_FACTORY_REG(x)                                                                               \
  Then();                                                                                                   \
  }                                                                                                         \
  }                                                                                                         \
  ;                                                                                                         \
  static const bool VAR_UNUSED x##RegisteredInWeft = ::ge::OperatorFactory::Add<x>(#x, __FILE__, __LINE__); \
  }
// SPDX-License-Identifier: Apache-2.0
