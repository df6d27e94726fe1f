// weft_cann/reflection.h - the fields of a struct by name, to write it as JSON and to read it again:
//
//   namespace tuningtiling {
//   DECLARE_SCHEMA(Key, FIELD(Key, m), FIELD(Key, n))
//   }
//   tuningtiling::DumpObj(key, "key", json);      // json["key"] = {"m": 3, "n": 4}
//   tuningtiling::FromJsonImpl(key, "key", json);
//
// A structure within a structure is declared as well. What the text lacks keeps its value.
#pragma once
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tuningtiling {
template <typename T>
struct StructInfo {
  static std::tuple<> Info() { return std::make_tuple(); }
};

template <typename T>
struct is_optional : std::false_type {};
template <typename T>
struct is_optional<std::unique_ptr<T>> : std::true_type {};
template <typename T>
constexpr bool is_optional_v() {
  return is_optional<typename std::decay<T>::type>::value;
}

// Whether T's fields are declared.
template <typename T>
constexpr bool IsSerializeType() {
  return std::tuple_size<decltype(StructInfo<typename std::decay<T>::type>::Info())>::value > 0;
}

// fn(name, field) for each declared field of value.
template <typename T, typename Fn>
void ForEachField(T &&value, Fn &&fn) {
  std::apply([&](auto &&...field) { (fn(field.first, value.*(field.second)), ...); },
             StructInfo<typename std::decay<T>::type>::Info());
}

template <typename T, typename Js>
void DumpObj(T &&obj, const std::string &field_name, Js &j) {
  if constexpr (is_optional_v<T>()) {
    if (obj)
      DumpObj(*obj, field_name, j);
  } else if constexpr (IsSerializeType<T>()) {
    Js inner;
    ForEachField(obj, [&](const char *name, const auto &field) { DumpObj(field, name, inner); });
    j[field_name] = inner;
  } else {
    j[field_name] = obj;
  }
}

template <typename T, typename Js>
void FromJsonImpl(T &&obj, const std::string &field_name, const Js &j) {
  using Plain = typename std::decay<T>::type;
  if (j.find(field_name) == j.end())
    return;
  if constexpr (is_optional_v<T>()) {
    if (!obj)
      obj.reset(new typename Plain::element_type());
    FromJsonImpl(*obj, field_name, j);
  } else if constexpr (IsSerializeType<T>()) {
    const Js &inner = j[field_name];
    ForEachField(obj, [&](const char *name, auto &field) { FromJsonImpl(field, name, inner); });
  } else {
    obj = j[field_name].template get<Plain>();
  }
}
}  // namespace tuningtiling

#define FIELD(class, FieldName) std::make_pair(#FieldName, &class ::FieldName)
#define DECLARE_SCHEMA(Struct, ...)                             \
  template <>                                                   \
  struct StructInfo<Struct> {                                   \
    static auto Info() { return std::make_tuple(__VA_ARGS__); } \
  };
// SPDX-License-Identifier: Apache-2.0
