// main.cpp - classifies a picture with AscendCL, as programs for an NPU do it: initialise, load the model,
// describe it, copy the picture to the device, run, copy the result back, print the best classes.
//   classify MODEL.om PICTURE.bin RESULT.bin
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "acl/acl.h"

namespace {
bool Failed(const char *what, aclError code) {
  if (code == ACL_SUCCESS)
    return false;
  const char *text = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s failed with %d: %s\n", what, code, text ? text : "");
  return true;
}

// A buffer on the device, in a dataset of one.
class DeviceBuffer {
 public:
  bool Make(size_t bytes) {
    bytes_ = bytes;
    if (Failed("aclrtMalloc", aclrtMalloc(&memory_, bytes, ACL_MEM_MALLOC_HUGE_FIRST)))
      return false;
    dataset_ = aclmdlCreateDataset();
    buffer_ = aclCreateDataBuffer(memory_, bytes);
    return dataset_ && buffer_ &&
           !Failed("aclmdlAddDatasetBuffer", aclmdlAddDatasetBuffer(dataset_, buffer_));
  }
  ~DeviceBuffer() {
    if (dataset_)
      aclmdlDestroyDataset(dataset_);
    if (buffer_)
      aclDestroyDataBuffer(buffer_);
    if (memory_)
      aclrtFree(memory_);
  }
  aclmdlDataset *Dataset() const { return dataset_; }
  bool From(const void *host, size_t bytes) {
    return !Failed("aclrtMemcpy", aclrtMemcpy(memory_, bytes_, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
  }
  bool To(void *host, size_t bytes) const {
    return !Failed("aclrtMemcpy", aclrtMemcpy(host, bytes, memory_, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  }

 private:
  void *memory_ = nullptr;
  size_t bytes_ = 0;
  aclDataBuffer *buffer_ = nullptr;
  aclmdlDataset *dataset_ = nullptr;
};

std::vector<char> ReadFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void PrintBest(const std::vector<float> &probability) {
  std::vector<size_t> order(probability.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&probability](size_t a, size_t b) { return probability[a] > probability[b]; });
  for (size_t i = 0; i < std::min<size_t>(3, order.size()); i++)
    std::printf("class %zu: %.4f\n", order[i], static_cast<double>(probability[order[i]]));
}

bool Classify(uint32_t model, aclmdlDesc *desc, const std::string &picture_path,
              const std::string &result_path) {
  const std::vector<char> picture = ReadFile(picture_path);
  DeviceBuffer input;
  DeviceBuffer output;
  std::vector<float> probability(aclmdlGetOutputSizeByIndex(desc, 0) / sizeof(float));
  const size_t result_bytes = probability.size() * sizeof(float);
  if (picture.size() != aclmdlGetInputSizeByIndex(desc, 0)) {
    std::fprintf(stderr, "%s has %zu bytes, the model takes %zu\n", picture_path.c_str(), picture.size(),
                 aclmdlGetInputSizeByIndex(desc, 0));
    return false;
  }
  if (!input.Make(picture.size()) || !output.Make(result_bytes) ||
      !input.From(picture.data(), picture.size()))
    return false;
  if (Failed("aclmdlExecute", aclmdlExecute(model, input.Dataset(), output.Dataset())))
    return false;
  if (!output.To(probability.data(), result_bytes))
    return false;
  PrintBest(probability);
  std::ofstream result(result_path, std::ios::binary);
  result.write(reinterpret_cast<const char *>(probability.data()),
               static_cast<std::streamsize>(result_bytes));
  return result.good();
}

bool Run(char **argv) {
  uint32_t model = 0;
  if (Failed("aclmdlLoadFromFile", aclmdlLoadFromFile(argv[1], &model)))
    return false;
  aclmdlDesc *desc = aclmdlCreateDesc();
  const bool ok =
      !Failed("aclmdlGetDesc", aclmdlGetDesc(desc, model)) && Classify(model, desc, argv[2], argv[3]);
  aclmdlDestroyDesc(desc);
  return !Failed("aclmdlUnload", aclmdlUnload(model)) && ok;
}
}  // namespace

int main(int argc, char **argv) {
  aclrtStream stream = nullptr;
  if (argc != 4) {
    std::fprintf(stderr, "usage: classify MODEL.om PICTURE.bin RESULT.bin\n");
    return 2;
  }
  if (Failed("aclInit", aclInit(nullptr)) || Failed("aclrtSetDevice", aclrtSetDevice(0)) ||
      Failed("aclrtCreateStream", aclrtCreateStream(&stream)))
    return 1;
  const bool ok = Run(argv);
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return ok ? 0 : 1;
}
// SPDX-License-Identifier: Apache-2.0
