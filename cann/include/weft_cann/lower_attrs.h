// weft_cann/lower_attrs.h - descriptions, tensors and attribute values of ge as weft has them.
#pragma once
#include "weft_cann/graph_class.h"

namespace ge {
namespace weft_own {
inline bool IsData(const Node &node) {
  return node.type == "Data" || node.type == "RefData" || node.type == "PlaceHolder";
}
inline bool IsConst(const Node &node) {
  return node.type == "Const" || node.type == "Constant";
}

// A shape as ge has it: dims with names are unknown ones.
inline Shape ShapeOf(const weft_shape &shape) {
  if (shape.rank == WEFT_RANK_UNSET || weft_shape_is_unknown_rank(&shape))
    return Shape({UNKNOWN_DIM_NUM});
  std::vector<int64_t> dims(shape.dim, shape.dim + shape.rank);
  for (int64_t &dim : dims)
    dim = dim < 0 ? UNKNOWN_DIM : dim;
  return Shape(dims);
}
// Of any shape.
inline weft_status AnyShape(weft_dtype type, weft_format format, weft_tensor_desc *desc) {
  weft_desc_init(desc);
  WEFT_TRY(weft_desc_set(desc, type, format, nullptr, 0));
  weft_shape_set_unknown_rank(&desc->layout.origin);
  weft_shape_set_unknown_rank(&desc->layout.storage);
  return WEFT_OK;
}
// A description as weft has it. Dims below -1 other than {-2} are refused.
inline weft_status DescOf(const TensorDesc &given, weft_tensor_desc *desc, weft_diag *d) {
  const std::vector<int64_t> dims = given.GetShape().GetDims();
  const auto format = static_cast<weft_format>(given.GetFormat());
  weft_desc_init(desc);
  if (dims.size() == 1 && dims[0] == UNKNOWN_DIM_NUM)
    return AnyShape(static_cast<weft_dtype>(given.GetDataType()), format, desc);
  for (int64_t dim : dims) {
    if (dim < UNKNOWN_DIM)
      return weft_fail(d, WEFT_E_SHAPE, "a shape has the dim %lld: -1 is unknown, {-2} an unknown rank",
                       static_cast<long long>(dim));
  }
  const weft_status status =
      weft_desc_set(desc, static_cast<weft_dtype>(given.GetDataType()), format, dims.data(), dims.size());
  return status ? weft_fail(d, status, "a shape has %zu dims, at most %d are possible", dims.size(),
                            WEFT_MAX_RANK)
                : WEFT_OK;
}
inline weft_status RangeOf(const TensorDesc &given, weft_tensor_desc *desc, weft_diag *d) {
  std::vector<std::pair<int64_t, int64_t>> range;
  (void)given.GetShapeRange(range);
  if (range.empty() || range.size() != desc->layout.origin.rank)
    return WEFT_OK;
  weft_shape low = {};
  weft_shape high = {};
  low.rank = high.rank = range.size();
  for (size_t i = 0; i < range.size(); i++) {
    low.dim[i] = range[i].first;
    high.dim[i] = range[i].second;
  }
  return weft_desc_set_range(desc, &low, &high, d);
}

// Lets `to`, which was initialised, point at the tensor's data.
inline weft_status Borrow(const Tensor &from, weft_tensor *to, weft_diag *d) {
  const TensorDesc desc = from.GetTensorDesc();
  const std::vector<int64_t> dims = desc.GetShape().GetDims();
  void *data = const_cast<uint8_t *>(from.GetData());
  WEFT_TRY(weft_tensor_borrow(to, static_cast<weft_dtype>(desc.GetDataType()), dims.data(), dims.size(), data,
                              from.GetSize(), d));
  if (desc.GetFormat() <= FORMAT_ND)
    to->format = to->origin_format = static_cast<weft_format>(desc.GetFormat());
  return WEFT_OK;
}

// Attribute values in weft's form, with the memory behind them.
class AttrList {
 public:
  // `type` is what the operator declares, "" for nothing: integers and element types stand for each other.
  weft_status Add(const std::string &name, const AttrValue &value, const char *type, weft_diag *d) {
    names_.push_back(name);
    weft_named_attr attr = {};
    attr.name = names_.back().c_str();
    const weft_attr_type wanted = weft_attr_type_parse(type, strlen(type));
    WEFT_TRY(std::visit([&](const auto &held) { return Set(held, &attr.value, d); }, value.Get()));
    if (wanted == WEFT_VT_TYPE && attr.value.type == WEFT_VT_INT)
      attr.value.type = WEFT_VT_TYPE;
    if (wanted == WEFT_VT_INT && attr.value.type == WEFT_VT_TYPE)
      attr.value.type = WEFT_VT_INT;
    if (wanted == WEFT_VT_LIST_TYPE && attr.value.type == WEFT_VT_LIST_INT)
      attr.value.type = WEFT_VT_LIST_TYPE;
    list_.push_back(attr);
    return WEFT_OK;
  }
  const weft_named_attr *List() const { return list_.data(); }
  size_t Count() const { return list_.size(); }

 private:
  weft_status Set(std::monostate, weft_attr *, weft_diag *) { return WEFT_OK; }
  weft_status Set(int64_t value, weft_attr *to, weft_diag *) {
    *to = weft_attr_int(value);
    return WEFT_OK;
  }
  weft_status Set(float value, weft_attr *to, weft_diag *) {
    *to = weft_attr_float(value);
    return WEFT_OK;
  }
  weft_status Set(bool value, weft_attr *to, weft_diag *) {
    *to = weft_attr_bool(value);
    return WEFT_OK;
  }
  weft_status Set(const std::string &value, weft_attr *to, weft_diag *) {
    *to = weft_attr_str(value.data(), value.size());
    return WEFT_OK;
  }
  weft_status Set(DataType value, weft_attr *to, weft_diag *) {
    *to = weft_attr_dtype(static_cast<weft_dtype>(value));
    return WEFT_OK;
  }
  weft_status Set(const Tensor &value, weft_attr *to, weft_diag *d) {
    tensors_.emplace_back();
    weft_tensor_init(&tensors_.back(), nullptr);
    *to = weft_attr_tensor(&tensors_.back());
    return Borrow(value, &tensors_.back(), d);
  }
  weft_status Set(const std::vector<int64_t> &value, weft_attr *to, weft_diag *) {
    *to = weft_attr_ints(value.data(), value.size());
    return WEFT_OK;
  }
  weft_status Set(const std::vector<float> &value, weft_attr *to, weft_diag *) {
    *to = weft_attr_floats(value.data(), value.size());
    return WEFT_OK;
  }
  weft_status Set(const std::vector<bool> &value, weft_attr *to, weft_diag *) {
    bools_.emplace_back(new bool[value.size() + 1]);
    std::copy(value.begin(), value.end(), bools_.back().get());
    to->type = WEFT_VT_LIST_BOOL;
    to->n = value.size();
    to->u.bools = bools_.back().get();
    return WEFT_OK;
  }
  weft_status Set(const std::vector<std::string> &value, weft_attr *to, weft_diag *) {
    texts_.emplace_back();
    for (const std::string &text : value)
      texts_.back().push_back({text.data(), text.size()});
    *to = weft_attr_strs(texts_.back().data(), value.size());
    return WEFT_OK;
  }
  weft_status Set(const std::vector<DataType> &value, weft_attr *to, weft_diag *) {
    ints_.emplace_back(value.begin(), value.end());
    *to = weft_attr_ints(ints_.back().data(), value.size());
    to->type = WEFT_VT_LIST_TYPE;
    return WEFT_OK;
  }
  weft_status Set(const std::vector<std::vector<int64_t>> &value, weft_attr *to, weft_diag *) {
    lists_.emplace_back();
    for (const std::vector<int64_t> &list : value)
      lists_.back().push_back({list.data(), list.size()});
    to->type = WEFT_VT_LIST_LIST_INT;
    to->n = value.size();
    to->u.int_lists = lists_.back().data();
    return WEFT_OK;
  }
  weft_status Set(const std::vector<Tensor> &value, weft_attr *to, weft_diag *d) {
    tensor_lists_.emplace_back();
    for (const Tensor &tensor : value) {
      weft_attr one;
      WEFT_TRY(Set(tensor, &one, d));
      tensor_lists_.back().push_back(one.u.tensor);
    }
    to->type = WEFT_VT_LIST_TENSOR;
    to->n = value.size();
    to->u.tensors = tensor_lists_.back().data();
    return WEFT_OK;
  }
  weft_status Set(const OpBytes &value, weft_attr *to, weft_diag *) {
    *to = weft_attr_str(reinterpret_cast<const char *>(value.data()), value.size());
    to->type = WEFT_VT_BYTES;
    return WEFT_OK;
  }
  std::vector<weft_named_attr> list_;
  std::deque<std::string> names_;
  std::deque<weft_tensor> tensors_;
  std::deque<std::unique_ptr<bool[]>> bools_;
  std::deque<std::vector<weft_str>> texts_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<weft_ints>> lists_;
  std::deque<std::vector<const weft_tensor *>> tensor_lists_;
};
}  // namespace weft_own
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
