// weft_cann/prototype_compare.h - where an operator has two prototypes (OP_ADD and REG_OP): what they say
// differently. The first one counts.
#pragma once
#include "weft_cann/adaptor.h"

namespace weft_cann {
// A prototype, what it is made with, and where: "OP_ADD", " (add_def.cpp:12)".
struct Told {
  const Operator *op;
  const char *macro;
  std::string place;
};

class PrototypeCompare {
 public:
  PrototypeCompare(const Told &a, const Told &b) : a_(a), b_(b) {}
  // Empty: they agree.
  std::string Run() {
    Ports("input", a_.op->in, b_.op->in);
    Ports("output", a_.op->out, b_.op->out);
    Attrs();
    if (text_.empty())
      return text_;
    return a_.macro + a_.place + " and " + b_.macro + b_.place +
           " contradict each other, and the first one counts: " + text_;
  }

 private:
  void Add(const std::string &what) { text_ += (text_.empty() ? "" : "; ") + what; }
  void Alone(const std::string &what, const Told &in) { Add(what + " stands in " + in.macro + " alone"); }
  void Differ(const std::string &what, const char *verb, const std::string &a, const std::string &b) {
    if (a != b)
      Add(what + verb + a + " in " + a_.macro + ", " + b + " in " + b_.macro);
  }
  // Lists end where a name is missing.
  template <typename T>
  static size_t Count(const std::vector<T> &list) {
    size_t n = 0;
    while (n < list.size() && list[n].name)
      n++;
    return n;
  }
  template <typename T>
  static const T *Find(const std::vector<T> &list, const char *name) {
    for (size_t i = 0; i < Count(list); i++) {
      if (!strcmp(list[i].name, name))
        return &list[i];
    }
    return nullptr;
  }
  static std::string Named(const char *what, const char *name) {
    return std::string(what) + " '" + name + "'";
  }
  void Ports(const char *what, const std::vector<weft_port> &a, const std::vector<weft_port> &b) {
    size_t shared = 0;
    for (size_t i = 0; i < Count(a); i++) {
      const weft_port *other = Find(b, a[i].name);
      if (!other) {
        Alone(Named(what, a[i].name), a_);
        continue;
      }
      shared++;
      Port(Named(what, a[i].name), a[i], *other);
    }
    for (size_t i = 0; i < Count(b); i++) {
      if (!Find(a, b[i].name))
        Alone(Named(what, b[i].name), b_);
    }
    const bool same_names = shared == Count(a) && shared == Count(b);
    for (size_t i = 0; same_names && i < shared; i++) {
      if (strcmp(a[i].name, b[i].name)) {
        Differ(std::string(what) + " " + std::to_string(i), " is", Named("", a[i].name),
               Named("", b[i].name));
        break;
      }
    }
  }
  void Port(const std::string &what, const weft_port &a, const weft_port &b) {
    static const char *const kinds[] = {"required", "optional", "dynamic"};
    Differ(what, " is ", kinds[a.kind % 3], kinds[b.kind % 3]);
    const weft_dtype_set of_a = Types(*a_.op, a);
    const weft_dtype_set of_b = Types(*b_.op, b);
    if (of_a && of_b)
      Differ(what, " takes ", TypeNames(of_a), TypeNames(of_b));
  }
  static weft_dtype_set Types(const Operator &op, const weft_port &port) {
    weft_dtype_set set = port.dtypes;
    for (uint32_t i = 0; port.columns && i < op.op.n_columns; i++)
      set |= weft_dtype_set{1} << port.columns[i].dtype;
    const weft_symbol *symbol = port.type ? Find(op.symbols, port.type) : nullptr;
    return symbol ? symbol->set : set;
  }
  static std::string TypeNames(weft_dtype_set set) {
    std::string names;
    for (int i = 0; i < 64; i++) {
      if (set >> i & 1)
        names += (names.empty() ? "" : ", ") +
                 std::string(ge::weft_own::DataTypeName(static_cast<ge::DataType>(i)));
    }
    return names;
  }
  void Attrs() {
    const std::vector<weft_attr_decl> &a = a_.op->attrs;
    const std::vector<weft_attr_decl> &b = b_.op->attrs;
    for (size_t i = 0; i < Count(a); i++) {
      const weft_attr_decl *other = Find(b, a[i].name);
      if (!other)
        Alone(Named("attribute", a[i].name), a_);
      else
        Differ(Named("attribute", a[i].name), " is ", a[i].type, other->type);
    }
    for (size_t i = 0; i < Count(b); i++) {
      if (!Find(a, b[i].name))
        Alone(Named("attribute", b[i].name), b_);
    }
  }
  const Told &a_;
  const Told &b_;
  std::string text_;
};
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
