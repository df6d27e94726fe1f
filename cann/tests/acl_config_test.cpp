// acl_config_test.cpp - AscendCL over weft: models loaded and run by options, virtual memory, profiles.
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "check.h"

static bool Says(const char *part) {
  const char *text = aclGetRecentErrMsg();
  const bool found = text && strstr(text, part);
  if (!found)
    std::cerr << "message: " << (text ? text : "none") << "\n";
  return found;
}

static const char kAdd[] = "graph \"g\" { input x: f32[2,3] node a: Add(x, x) -> y output y }";

// One buffer in a dataset.
struct Floats {
  explicit Floats(size_t n) : values(n), list(aclmdlCreateDataset()) {
    buffer = aclCreateDataBuffer(values.data(), n * sizeof(float));
    aclmdlAddDatasetBuffer(list, buffer);
  }
  ~Floats() {
    aclDestroyDataBuffer(buffer);
    aclmdlDestroyDataset(list);
  }
  std::vector<float> values;
  aclDataBuffer *buffer;
  aclmdlDataset *list;
};

template <typename T>
static int Set(aclmdlConfigHandle *handle, aclmdlConfigAttr attr, T value) {
  return int(aclmdlSetConfigOpt(handle, attr, &value, sizeof value));
}

// A folder of its own, with its files taken away again.
struct Folder {
  Folder() {
    char name[] = "/tmp/weft_acl_XXXXXX";
    path = mkdtemp(name) ? name : "";
  }
  ~Folder() {
    for (const std::string &file : Files())
      remove(file.c_str());
    rmdir(path.c_str());
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    DIR *dir = opendir(path.c_str());
    while (dirent *entry = dir ? readdir(dir) : nullptr) {
      if (entry->d_name[0] != '.')
        files.push_back(path + "/" + entry->d_name);
    }
    if (dir)
      closedir(dir);
    return files;
  }
  std::string path;
};

TEST(acl_models_load_by_options) {
  uint32_t id = 0;
  uint32_t again = 0;
  aclmdlConfigHandle *handle = aclmdlCreateConfigHandle();
  CHECK(handle != nullptr);
  CHECK_EQ(aclmdlLoadWithConfig(handle, &id), int(ACL_ERROR_INVALID_PARAM));
  CHECK(Says("ACL_MDL_LOAD_TYPE_SIZET was not set"));
  CHECK_EQ(Set(handle, ACL_MDL_LOAD_TYPE_SIZET, int32_t(1)), int(ACL_ERROR_INVALID_PARAM));
  CHECK(Says("ACL_MDL_LOAD_TYPE_SIZET has 8 bytes, 4 are given"));
  CHECK_EQ(Set(handle, ACL_MDL_LOAD_TYPE_SIZET, size_t(9)), int(ACL_ERROR_INVALID_PARAM));
  CHECK_EQ(Set(handle, ACL_MDL_LOAD_TYPE_SIZET, size_t(ACL_MDL_LOAD_FROM_MEM_WITH_Q)),
           int(ACL_ERROR_FEATURE_UNSUPPORTED));
  CHECK(Says("queues"));
  CHECK_EQ(Set(handle, ACL_MDL_KERNEL_PTR, &id), int(ACL_ERROR_FEATURE_UNSUPPORTED));
  CHECK_EQ(Set(handle, static_cast<aclmdlConfigAttr>(999), id), int(ACL_ERROR_INVALID_PARAM));
  CHECK_EQ(Set(handle, ACL_MDL_LOAD_TYPE_SIZET, size_t(ACL_MDL_LOAD_FROM_MEM)), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlLoadWithConfig(handle, &id), int(ACL_ERROR_INVALID_PARAM));
  CHECK_EQ(Set(handle, ACL_MDL_MEM_ADDR_PTR, static_cast<const void *>(kAdd)), int(ACL_SUCCESS));
  CHECK_EQ(Set(handle, ACL_MDL_MEM_SIZET, sizeof kAdd - 1), int(ACL_SUCCESS));
  CHECK_EQ(Set(handle, ACL_MDL_PRIORITY_INT32, int32_t(3)), int(ACL_SUCCESS));
  CHECK_EQ(Set(handle, ACL_MDL_WORKSPACE_MEM_OPTIMIZE, size_t(1)), int(ACL_SUCCESS));
  CHECK_EQ(Set(handle, ACL_MDL_WORKSPACE_SIZET, size_t(1 << 20)), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlSetExternalWeightAddress(handle, "w.bin", nullptr, 0), int(ACL_ERROR_FEATURE_UNSUPPORTED));
  CHECK_EQ(aclmdlLoadWithConfig(handle, &id), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlLoadWithConfig(handle, &again), int(ACL_SUCCESS));
  CHECK(id != again);
  CHECK_EQ(aclmdlUnload(again), int(ACL_SUCCESS));

  Floats in(6);
  Floats out(6);
  for (size_t i = 0; i < 6; i++)
    in.values[i] = static_cast<float>(i);
  aclmdlExecConfigHandle *how = aclmdlCreateExecConfigHandle();
  const int32_t timeout = 1000;
  CHECK_EQ(aclmdlSetExecConfigOpt(how, ACL_MDL_STREAM_SYNC_TIMEOUT, &timeout, sizeof timeout),
           int(ACL_SUCCESS));
  CHECK_EQ(aclmdlSetExecConfigOpt(how, ACL_MDL_WORK_SIZET, &timeout, sizeof timeout),
           int(ACL_ERROR_INVALID_PARAM));
  CHECK_EQ(aclmdlExecuteV2(id, in.list, out.list, nullptr, how), int(ACL_SUCCESS));
  CHECK_EQ(out.values[5], 10.0f);
  in.values[5] = 7;
  CHECK_EQ(aclmdlExecuteAsyncV2(id, in.list, out.list, nullptr, nullptr), int(ACL_SUCCESS));
  CHECK_EQ(out.values[5], 14.0f);
  CHECK_EQ(aclmdlDestroyExecConfigHandle(how), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlUnload(id), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlExecuteV2(id, in.list, out.list, nullptr, nullptr), int(ACL_ERROR_INVALID_MODEL_ID));
  CHECK_EQ(aclmdlDestroyConfigHandle(handle), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlDestroyConfigHandle(nullptr), int(ACL_ERROR_INVALID_PARAM));
}

TEST(acl_models_load_from_a_path_that_is_copied) {
  Folder folder;
  uint32_t id = 0;
  const std::string file = folder.path + "/add.txt";
  std::ofstream(file) << kAdd;
  aclmdlConfigHandle *handle = aclmdlCreateConfigHandle();
  CHECK_EQ(Set(handle, ACL_MDL_LOAD_TYPE_SIZET, size_t(ACL_MDL_LOAD_FROM_FILE)), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlLoadWithConfig(handle, &id), int(ACL_ERROR_INVALID_PARAM));
  {
    std::string name = folder.path + "/none.om";
    CHECK_EQ(Set(handle, ACL_MDL_PATH_PTR, name.c_str()), int(ACL_SUCCESS));
  }
  CHECK_EQ(aclmdlLoadWithConfig(handle, &id), int(ACL_ERROR_INVALID_FILE));
  CHECK(Says("none.om"));
  CHECK_EQ(Set(handle, ACL_MDL_PATH_PTR, file.c_str()), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlLoadWithConfig(handle, &id), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlUnload(id), int(ACL_SUCCESS));
  aclmdlDestroyConfigHandle(handle);
}

static aclrtPhysicalMemProp DeviceMemory() {
  aclrtPhysicalMemProp prop = {};
  prop.memAttr = ACL_HBM_MEM_NORMAL;
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  return prop;
}

TEST(acl_memory_is_mapped) {
  aclrtPhysicalMemProp prop = DeviceMemory();
  aclrtDrvMemHandle memory = nullptr;
  size_t unit = 0;
  void *at = nullptr;
  int number = 41;
  int back = 0;
  CHECK_EQ(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &unit),
           int(ACL_SUCCESS));
  CHECK(unit >= 4096);
  CHECK_EQ(aclrtReserveMemAddress(&at, unit + 1, 0, nullptr, 0), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtReserveMemAddress(&at, 4 * unit, 3, nullptr, 0), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtReserveMemAddress(&at, 4 * unit, 1 << 21, nullptr, 0), int(ACL_SUCCESS));
  CHECK_EQ(reinterpret_cast<uintptr_t>(at) % (1 << 21), 0u);
  char *base = static_cast<char *>(at);
  // Reserved, and nothing mapped: an error with words, and no crash.
  CHECK_EQ(aclrtMemcpy(base, 4, &number, 4, ACL_MEMCPY_HOST_TO_DEVICE), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK(Says("not all of them are mapped to write"));
  prop.location.id = 5;
  CHECK_EQ(aclrtMallocPhysical(&memory, 2 * unit, &prop, 0), int(ACL_ERROR_RT_PARAM_INVALID));
  prop.location.id = 0;
  CHECK_EQ(aclrtMallocPhysical(&memory, 2 * unit - 8, &prop, 0), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtMallocPhysical(&memory, 2 * unit, &prop, 0), int(ACL_SUCCESS));
  CHECK_EQ(aclrtMapMem(base, 3 * unit, 0, memory, 0), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK(Says("more than the memory has"));
  CHECK_EQ(aclrtMapMem(base + 3 * unit, 2 * unit, 0, memory, 0), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtMapMem(base, 2 * unit, 0, memory, 0), int(ACL_SUCCESS));
  CHECK_EQ(aclrtMapMem(base + unit, unit, 0, memory, 0), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK(Says("mapped there already"));
  // The second page once more, behind the first two.
  CHECK_EQ(aclrtMapMem(base + 2 * unit, unit, unit, memory, 0), int(ACL_SUCCESS));
  CHECK_EQ(aclrtMemcpy(base + unit, 4, &number, 4, ACL_MEMCPY_HOST_TO_DEVICE), int(ACL_SUCCESS));
  CHECK_EQ(aclrtMemcpy(&back, 4, base + 2 * unit, 4, ACL_MEMCPY_DEVICE_TO_HOST), int(ACL_SUCCESS));
  CHECK_EQ(back, 41);
  CHECK_EQ(aclrtMemset(base, 4 * unit, 0, 3 * unit), int(ACL_SUCCESS));
  CHECK_EQ(aclrtMemset(base, 4 * unit, 0, 4 * unit), int(ACL_ERROR_RT_PARAM_INVALID));

  aclrtMemAccessDesc access = {};
  uint64_t flag = 0;
  access.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
  CHECK_EQ(aclrtMemSetAccess(base, unit, &access, 1), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtMemSetAccess(base, 2 * unit, &access, 1), int(ACL_SUCCESS));
  CHECK_EQ(aclrtMemGetAccess(base + unit, &access.location, &flag), int(ACL_SUCCESS));
  CHECK_EQ(flag, 1u);
  CHECK_EQ(aclrtMemcpy(base, 4, &number, 4, ACL_MEMCPY_HOST_TO_DEVICE), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtMemcpy(&back, 4, base, 4, ACL_MEMCPY_DEVICE_TO_HOST), int(ACL_SUCCESS));

  // Memory that is freed stays where it is mapped.
  CHECK_EQ(aclrtFreePhysical(memory), int(ACL_SUCCESS));
  CHECK_EQ(aclrtFreePhysical(memory), int(ACL_ERROR_RT_INVALID_HANDLE));
  CHECK_EQ(aclrtMapMem(base + 3 * unit, unit, 0, memory, 0), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtMemcpy(&back, 4, base + 2 * unit, 4, ACL_MEMCPY_DEVICE_TO_HOST), int(ACL_SUCCESS));
  CHECK_EQ(aclrtReleaseMemAddress(base), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK(Says("aclrtUnmapMem comes first"));
  CHECK_EQ(aclrtUnmapMem(base + unit), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtUnmapMem(base), int(ACL_SUCCESS));
  CHECK_EQ(aclrtUnmapMem(base + 2 * unit), int(ACL_SUCCESS));
  CHECK_EQ(aclrtMemcpy(&back, 4, base, 4, ACL_MEMCPY_DEVICE_TO_HOST), int(ACL_ERROR_RT_PARAM_INVALID));
  CHECK_EQ(aclrtReleaseMemAddress(base), int(ACL_SUCCESS));
  CHECK_EQ(aclrtReleaseMemAddress(base), int(ACL_ERROR_RT_PARAM_INVALID));
  uint64_t shared = 0;
  CHECK_EQ(aclrtMemExportToShareableHandle(memory, ACL_MEM_HANDLE_TYPE_NONE, 0, &shared),
           int(ACL_ERROR_RT_FEATURE_NOT_SUPPORT));
}

// Lines of the one file of a folder, without the first.
static std::vector<std::string> ProfileOf(const Folder &folder) {
  std::vector<std::string> lines;
  const std::vector<std::string> files = folder.Files();
  CHECK_EQ(files.size(), 1u);
  std::ifstream from(files.empty() ? "" : files[0]);
  for (std::string line; std::getline(from, line);)
    lines.push_back(line);
  CHECK(!lines.empty() && lines[0] == "what,name,number,begin_us,duration_us,thread");
  if (!lines.empty())
    lines.erase(lines.begin());
  return lines;
}
static bool Begins(const std::vector<std::string> &lines, size_t i, const std::string &with) {
  const bool same = i < lines.size() && lines[i].compare(0, with.size(), with) == 0;
  if (!same)
    std::cerr << "line " << i << ": " << (i < lines.size() ? lines[i] : "none") << ", not " << with << "\n";
  return same;
}

TEST(acl_profiles_of_runs) {
  Folder folder;
  uint32_t id = 0;
  uint32_t device = 0;
  uint32_t range = 0;
  Floats in(6);
  Floats out(6);
  CHECK_EQ(aclmdlLoadFromMem(kAdd, sizeof kAdd - 1, &id), int(ACL_SUCCESS));
  CHECK_EQ(aclprofFinalize(), int(ACL_ERROR_PROF_NOT_RUN));
  CHECK_EQ(aclprofInit("/no/such/folder", 15), int(ACL_ERROR_INVALID_FILE));
  CHECK_EQ(aclprofInit(folder.path.c_str(), 3), int(ACL_ERROR_INVALID_PARAM));
  CHECK_EQ(aclprofInit(folder.path.c_str(), folder.path.size()), int(ACL_SUCCESS));
  CHECK_EQ(aclprofInit(folder.path.c_str(), folder.path.size()), int(ACL_ERROR_PROF_ALREADY_RUN));
  uint32_t other = 4;
  CHECK(!aclprofCreateConfig(&other, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_TASK_TIME));
  CHECK(Says("one device"));
  aclprofConfig *config =
      aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX);
  CHECK_EQ(aclprofStop(config), int(ACL_ERROR_PROF_NOT_RUN));
  void *stamp = aclprofCreateStamp();
  CHECK_EQ(aclprofSetStampTraceMessage(stamp, "my \"step\", one", 14), int(ACL_SUCCESS));
  CHECK_EQ(aclprofPush(stamp), int(ACL_SUCCESS));  // before the profile: it has no line
  CHECK_EQ(aclprofStart(config), int(ACL_SUCCESS));
  CHECK_EQ(aclprofStart(config), int(ACL_ERROR_PROF_ALREADY_RUN));
  CHECK_EQ(aclprofDestroyConfig(config), int(ACL_ERROR_PROF_ALREADY_RUN));
  CHECK_EQ(aclprofPop(), int(ACL_SUCCESS));
  CHECK_EQ(aclprofPop(), int(ACL_ERROR_INVALID_PARAM));
  CHECK_EQ(aclprofRangeStart(stamp, &range), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlExecute(id, in.list, out.list), int(ACL_SUCCESS));
  CHECK_EQ(aclprofMark(stamp), int(ACL_SUCCESS));
  CHECK_EQ(aclprofRangeStop(range), int(ACL_SUCCESS));
  CHECK_EQ(aclprofRangeStop(range), int(ACL_ERROR_INVALID_PARAM));
  CHECK_EQ(aclprofRangeStop(70000), int(ACL_ERROR_INVALID_PARAM));
  const int64_t six = 6;
  aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 1, &six, ACL_FORMAT_ND);
  aclTensorDesc *descs[2] = {desc, desc};
  aclDataBuffer *buffers[2] = {in.buffer, in.buffer};
  CHECK_EQ(aclopExecuteV2("Add", 2, descs, buffers, 1, &desc, &out.buffer, nullptr, nullptr),
           int(ACL_SUCCESS));
  aclprofStepInfo *step = aclprofCreateStepInfo();
  CHECK_EQ(aclprofGetStepTimestamp(step, ACL_STEP_END, nullptr), int(ACL_ERROR_INVALID_PARAM));
  CHECK_EQ(aclprofGetStepTimestamp(step, ACL_STEP_START, nullptr), int(ACL_SUCCESS));
  CHECK_EQ(aclprofGetStepTimestamp(step, ACL_STEP_END, nullptr), int(ACL_SUCCESS));
  CHECK_EQ(aclprofStop(config), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlExecute(id, in.list, out.list), int(ACL_SUCCESS));  // not recorded
  const std::vector<std::string> lines = ProfileOf(folder);
  CHECK_EQ(lines.size(), 5u);
  CHECK(Begins(lines, 0, "model,\"\"," + std::to_string(id) + ","));
  CHECK(Begins(lines, 1, "mark,\"my \"\"step\"\", one\",0,"));
  CHECK(Begins(lines, 2, "range,\"my \"\"step\"\", one\"," + std::to_string(range) + ","));
  CHECK(Begins(lines, 3, "operator,\"Add\",0,"));
  CHECK(Begins(lines, 4, "step,\"\",0,"));
  CHECK(!aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, nullptr));
  CHECK_EQ(aclprofModelSubscribe(id, nullptr), int(ACL_ERROR_FEATURE_UNSUPPORTED));
  CHECK_EQ(aclprofSetConfig(ACL_PROF_LLC_MODE, "read", 4), int(ACL_SUCCESS));
  CHECK_EQ(aclprofSetConfig(ACL_PROF_ARGS_MAX, "read", 4), int(ACL_ERROR_INVALID_PROFILING_CONFIG));
  aclprofDestroyStepInfo(step);
  aclprofDestroyStamp(stamp);
  aclDestroyTensorDesc(desc);
  CHECK_EQ(aclprofDestroyConfig(config), int(ACL_SUCCESS));
  CHECK_EQ(aclprofFinalize(), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlUnload(id), int(ACL_SUCCESS));
}

// Runs of several threads are all there; what is recorded still is written by aclprofFinalize.
TEST(acl_profiles_of_threads) {
  Folder folder;
  uint32_t id = 0;
  uint32_t device = 0;
  CHECK_EQ(aclmdlLoadFromMem(kAdd, sizeof kAdd - 1, &id), int(ACL_SUCCESS));
  CHECK_EQ(aclprofInit(folder.path.c_str(), folder.path.size()), int(ACL_SUCCESS));
  aclprofConfig *config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_TASK_TIME);
  CHECK_EQ(aclprofStart(config), int(ACL_SUCCESS));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([id] {
      Floats in(6);
      Floats out(6);
      for (int i = 0; i < 50; i++)
        CHECK_EQ(aclmdlExecute(id, in.list, out.list), int(ACL_SUCCESS));
    });
  }
  for (std::thread &t : threads)
    t.join();
  CHECK_EQ(aclprofFinalize(), int(ACL_SUCCESS));
  CHECK_EQ(ProfileOf(folder).size(), 200u);
  CHECK_EQ(aclprofDestroyConfig(config), int(ACL_SUCCESS));
  CHECK_EQ(aclmdlUnload(id), int(ACL_SUCCESS));
}
// SPDX-License-Identifier: Apache-2.0
