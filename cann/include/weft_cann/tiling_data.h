// weft_cann/tiling_data.h - BEGIN_TILING_DATA_DEF: a record that host and kernel share, declared field by
// field. A scalar or array is aligned to its element, a nested record to 8 bytes, the whole is rounded up
// to 8. Setters write into the record at once; nested records are windows into their parent's.
#pragma once
#ifdef WEFT_CANN_KERNEL_SIDE
#include "weft_cann/kernel_records.h"
#else
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "weft_cann/base.h"

namespace optiling {
// A field, for generators of the kernel's struct: "0" plain, "1" an array, "2" a nested record.
class FieldInfo {
 public:
  FieldInfo(const char *dtype, const char *name) : FieldInfo("0", dtype, name, 0, "", 0) {}
  FieldInfo(const char *dtype, const char *name, size_t elements)
      : FieldInfo("1", dtype, name, elements, "", 0) {}
  FieldInfo(const char *dtype, const char *name, const char *type, size_t bytes)
      : FieldInfo("2", dtype, name, 0, type, bytes) {}
  const char *dtype_;
  const char *name_;
  size_t arrSize_;
  const char *structType_;
  size_t structSize_;
  const char *classType_;

 private:
  FieldInfo(const char *kind, const char *dtype, const char *name, size_t elements, const char *type,
            size_t bytes)
      : dtype_(dtype),
        name_(name),
        arrSize_(elements),
        structType_(type),
        structSize_(bytes),
        classType_(kind) {}
};

// Where a field lies and what its elements are, for people who read records. A nested record's fields have
// its name before theirs, and a dot.
struct FieldPlace {
  std::string name;
  char kind;     // 'i' signed, 'u' unsigned, 'f' floating, 'b' bool
  size_t bytes;  // of an element
  size_t at;
  size_t elements;
};

// What BEGIN_TILING_DATA_DEF's classes derive from.
class TilingDef {
 public:
  TilingDef() : TilingDef("") {}
  explicit TilingDef(const char *class_name) : class_name_(class_name) {}
  TilingDef(const TilingDef &other) { *this = other; }
  TilingDef &operator=(const TilingDef &other) {
    if (this == &other)
      return *this;
    const bool window = IsWindow();  // of a parent: takes over the values and stays where it is
    class_name_ = other.class_name_;
    fields_ = other.fields_;
    nested_ = other.nested_;
    places_ = other.places_;
    size_ = other.size_;
    if (other.IsWindow()) {  // one more window of the same parent: what is set here is set there
      SetDataPtr(other.data_);
      return *this;
    }
    if (!window) {
      own_.assign(size_ / 8, 0);
      data_ = reinterpret_cast<uint8_t *>(own_.data());
    }
    if (other.data_ && size_)
      memmove(data_, other.data_, size_);
    return *this;
  }
  ~TilingDef() noexcept = default;

  // Copies the record; nothing happens when it does not fit.
  void SaveToBuffer(void *to, size_t capacity) const {
    if (to && size_ && size_ <= capacity)
      memcpy(to, data_, size_);
  }
  std::vector<FieldInfo> GetFieldInfo() const { return fields_; }
  const char *GetTilingClassName() const { return class_name_; }
  // Every scalar and array, in order.
  std::vector<FieldPlace> Places() const {
    std::vector<FieldPlace> all = places_;
    for (const Window &window : nested_) {
      const auto *record =
          reinterpret_cast<const TilingDef *>(reinterpret_cast<const char *>(this) + window.record);
      for (FieldPlace place : record->Places()) {
        place.name = window.name + ("." + place.name);
        place.at += window.at;
        all.push_back(place);
      }
    }
    std::sort(all.begin(), all.end(), [](const FieldPlace &a, const FieldPlace &b) { return a.at < b.at; });
    return all;
  }
  size_t GetDataSize() const { return size_; }
  // From now on the record lies there, as it stands there; the caller owns it.
  void SetDataPtr(void *at) {
    data_ = static_cast<uint8_t *>(at);
    own_.clear();
    Bind();
  }

 protected:
  // Each returns the offset of a new field.
  template <typename T>
  size_t Field(const char *type, const char *name) {
    fields_.emplace_back(type, name);
    return Noted<T>(name, Room(sizeof(T), sizeof(T)), 1);
  }
  template <typename T>
  size_t Array(const char *type, const char *name, size_t elements) {
    fields_.emplace_back(type, name, elements);
    return Noted<T>(name, Room(sizeof(T), elements * sizeof(T)), elements);
  }
  size_t Nested(TilingDef &record, const char *type, const char *name) {
    fields_.emplace_back("struct", name, type, record.size_);
    const size_t at = Room(8, record.size_);
    nested_.push_back({reinterpret_cast<char *>(&record) - reinterpret_cast<char *>(this), at, name});
    return at;
  }
  template <typename T>
  void Put(size_t at, const T *values, size_t n) {
    memcpy(data_ + at, values, n * sizeof(T));
  }
  template <typename T>
  T Get(size_t at) const {
    T value;
    memcpy(&value, data_ + at, sizeof value);
    return value;
  }
  template <typename T>
  T *Place(size_t at) const {
    return reinterpret_cast<T *>(data_ + at);
  }

  // The last member of a record: when it is made or copied everything before it is there, and nested records
  // become windows of this one.
  class Complete {
   public:
    explicit Complete(TilingDef *record)
        : distance_(reinterpret_cast<char *>(this) - reinterpret_cast<char *>(record)) {
      record->Finish();
    }
    Complete(const Complete &other) : distance_(other.distance_) { Record()->Bind(); }
    Complete &operator=(const Complete &) {
      Record()->Bind();
      return *this;
    }

   private:
    TilingDef *Record() { return reinterpret_cast<TilingDef *>(reinterpret_cast<char *>(this) - distance_); }
    ptrdiff_t distance_;
  };

 private:
  struct Window {
    ptrdiff_t record;  // from this object to the nested one
    size_t at;         // in the data
    const char *name;
  };
  template <typename T>
  size_t Noted(const char *name, size_t at, size_t elements) {
    const char kind = std::is_same<T, bool>::value       ? 'b'
                      : std::is_floating_point<T>::value ? 'f'
                      : std::is_signed<T>::value         ? 'i'
                                                         : 'u';
    places_.push_back({name, kind, sizeof(T), at, elements});
    return at;
  }
  size_t Room(size_t align, size_t bytes) {
    const size_t at = (size_ + align - 1) / align * align;
    size_ = at + bytes;
    return at;
  }
  bool IsWindow() const { return data_ && own_.empty(); }
  void Finish() {
    size_ = (size_ + 7) / 8 * 8;
    own_.assign(size_ / 8, 0);
    data_ = reinterpret_cast<uint8_t *>(own_.data());
    Bind();
  }
  void Bind() {
    for (const Window &window : nested_) {
      auto *record = reinterpret_cast<TilingDef *>(reinterpret_cast<char *>(this) + window.record);
      record->SetDataPtr(data_ + window.at);
    }
  }
  const char *class_name_ = "";
  std::vector<FieldInfo> fields_;
  std::vector<Window> nested_;
  std::vector<FieldPlace> places_;
  size_t size_ = 0;
  std::vector<uint64_t> own_;  // empty: a window
  uint8_t *data_ = nullptr;
};

struct CharPtrCmp {
  bool operator()(const char *left, const char *right) const { return strcmp(left, right) < 0; }
};

using TilingDataConstructor = std::shared_ptr<TilingDef> (*)();

// The records of this shared object by operator type (nested ones by their own name).
class CTilingDataClassFactory {
 public:
  WEFT_CANN_OWN static CTilingDataClassFactory &GetInstance() {
    static CTilingDataClassFactory factory;
    return factory;
  }
  void RegisterTilingData(const char *op_type, const TilingDataConstructor constructor) {
    constructors_[op_type] = constructor;
  }
  // nullptr: no record is registered for the type.
  std::shared_ptr<TilingDef> CreateTilingDataInstance(const char *op_type) {
    auto found = constructors_.find(op_type);
    return found == constructors_.end() ? nullptr : found->second();
  }

 private:
  std::map<const char *, TilingDataConstructor, CharPtrCmp> constructors_;
};
}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)           \
  class class_name : public ::optiling::TilingDef { \
   public:                                          \
    class_name() : TilingDef(#class_name) {}

#define TILING_DATA_FIELD_DEF(data_type, field_name)                   \
 public:                                                               \
  void set_##field_name(data_type value) {                             \
    Put<data_type>(field_name##_at_, &value, 1);                       \
  }                                                                    \
  data_type get_##field_name() const {                                 \
    return Get<data_type>(field_name##_at_);                           \
  }                                                                    \
                                                                       \
 private:                                                              \
  size_t field_name##_at_ = Field<data_type>(#data_type, #field_name); \
                                                                       \
 public:

#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)              \
 public:                                                                       \
  void set_##field_name(const arr_type *values) {                              \
    Put<arr_type>(field_name##_at_, values, arr_size);                         \
  }                                                                            \
  arr_type *get_##field_name() const {                                         \
    return Place<arr_type>(field_name##_at_);                                  \
  }                                                                            \
                                                                               \
 private:                                                                      \
  size_t field_name##_at_ = Array<arr_type>(#arr_type, #field_name, arr_size); \
                                                                               \
 public:

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name)              \
 public:                                                                   \
  struct_type field_name;                                                  \
                                                                           \
 private:                                                                  \
  size_t field_name##_at_ = Nested(field_name, #struct_type, #field_name); \
                                                                           \
 public:

#define END_TILING_DATA_DEF \
 private:                   \
  Complete complete_{this}; \
  }

#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                             \
  static const bool VAR_UNUSED class_name##op_type##Registered = [] {                               \
    ::optiling::CTilingDataClassFactory::GetInstance().RegisterTilingData(                          \
        #op_type,                                                                                   \
        []() -> std::shared_ptr<::optiling::TilingDef> { return std::make_shared<class_name>(); }); \
    return true;                                                                                    \
  }();
   // What tells weft of it.
#include "weft_cann/tiling_data_source.h"
#endif  // WEFT_CANN_KERNEL_SIDE
// SPDX-License-Identifier: Apache-2.0
