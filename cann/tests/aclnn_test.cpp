// The two-phase calls, an operator of each family.
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_concat_v2.h"
#include "aclnnop/aclnn_softmax_v2.h"
#include "check.h"

namespace {
template <typename T>
aclTensor *Tensor(std::vector<T> &data, std::vector<int64_t> dims, aclDataType type) {
  return aclCreateTensor(dims.data(), dims.size(), type, nullptr, 0, ACL_FORMAT_ND, dims.data(), dims.size(),
                         data.data());
}
bool Says(const char *text) {
  return strstr(aclGetRecentErrMsg(), text) != nullptr;
}
template <typename Prepare, typename Run>
int Both(Prepare prepare, Run run) {
  uint64_t bytes = 1;
  aclOpExecutor *executor = nullptr;
  const int code = prepare(&bytes, &executor);
  return code ? code : run(nullptr, bytes, executor, nullptr);
}
}  // namespace

TEST(Elementwise) {
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, y = {10, 20, 30}, z(6);
  aclTensor *a = Tensor(x, {2, 3}, ACL_FLOAT), *b = Tensor(y, {3}, ACL_FLOAT),
            *c = Tensor(z, {2, 3}, ACL_FLOAT);
  CHECK_EQ(Both([&](auto... r) { return aclnnAddGetWorkspaceSize(a, b, c, r...); }, aclnnAdd), 0);
  CHECK_EQ(z == std::vector<float>({11, 22, 33, 14, 25, 36}), true);
  // A view: the transposed matrix, in and out.
  const int64_t dims[] = {3, 2}, strides[] = {1, 3};
  aclTensor *t = aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 2, x.data());
  aclTensor *u = aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 2, z.data());
  CHECK_EQ(Both([&](auto... r) { return aclnnAddGetWorkspaceSize(t, t, u, r...); }, aclnnAdd), 0);
  CHECK_EQ(z == std::vector<float>({2, 4, 6, 8, 10, 12}), true);
  // An executor that is run again sees the new values.
  uint64_t bytes = 0;
  aclOpExecutor *executor = nullptr;
  CHECK_EQ(aclnnAddGetWorkspaceSize(a, b, c, &bytes, &executor), 0);
  CHECK_EQ(aclSetAclOpExecutorRepeatable(executor), 0);
  CHECK_EQ(aclnnAdd(nullptr, bytes, executor, nullptr), 0);
  y[0] = 100;
  CHECK_EQ(aclnnAdd(nullptr, bytes, executor, nullptr), 0);
  CHECK_EQ(z[0], 101.0f);
  CHECK_EQ(aclDestroyAclOpExecutor(executor), 0);
  // What is wrong is found in the first phase.
  CHECK_EQ(aclnnAddGetWorkspaceSize(a, b, b, &bytes, &executor), ACLNN_ERR_PARAM_INVALID);
  CHECK_EQ(Says("output 0 is f32[3], the operator gives f32[2,3]"), true);
  CHECK_EQ(aclnnAddGetWorkspaceSize(a, nullptr, c, &bytes, &executor), ACLNN_ERR_PARAM_INVALID);
  CHECK_EQ(aclnnAddGetWorkspaceSize(a, b, c, &bytes, nullptr), ACLNN_ERR_PARAM_NULLPTR);
  CHECK_EQ(aclnnAdd(nullptr, 0, nullptr, nullptr), ACLNN_ERR_PARAM_NULLPTR);
  for (aclTensor *tensor : {a, b, c, t, u})
    aclDestroyTensor(tensor);
}

TEST(AttributesAndLists) {
  std::vector<float> x = {0, 0, 0, 0}, y(4), w(8);
  std::vector<int32_t> axis = {1};
  const int64_t one[] = {1};
  aclIntArray *axes = aclCreateIntArray(one, 1);
  aclTensor *a = Tensor(x, {2, 2}, ACL_FLOAT), *b = Tensor(y, {2, 2}, ACL_FLOAT);
  CHECK_EQ(Both([&](auto... r) { return aclnnSoftmaxV2GetWorkspaceSize(a, axes, false, b, r...); },
                aclnnSoftmaxV2),
           0);
  CHECK_EQ(y == std::vector<float>({0.5f, 0.5f, 0.5f, 0.5f}), true);
  aclDestroyIntArray(axes);
  const aclTensor *two[] = {a, b};
  aclTensorList *list = aclCreateTensorList(two, 2);
  const int64_t none[] = {0};
  aclTensor *dim = aclCreateTensor(none, 0, ACL_INT32, nullptr, 0, ACL_FORMAT_ND, none, 0, axis.data());
  aclTensor *c = Tensor(w, {2, 4}, ACL_FLOAT);
  CHECK_EQ(
      Both([&](auto... r) { return aclnnConcatV2GetWorkspaceSize(list, dim, 2, c, r...); }, aclnnConcatV2),
      0);
  CHECK_EQ(w == std::vector<float>({0, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f}), true);
  aclDestroyTensorList(list);
  aclDestroyTensor(dim);
  aclDestroyTensor(c);
}
// SPDX-License-Identifier: Apache-2.0
