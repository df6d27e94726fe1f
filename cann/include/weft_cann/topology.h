// weft_cann/topology.h - what the operators that communicate ask about their groups. One table in each shared
// object, which whoever tests such an operator fills.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "weft_cann/base.h"

namespace ge {
constexpr uint32_t COMM_MESH = 1;
constexpr uint32_t COMM_SWITCH = 2;
constexpr uint32_t COMM_RING = 4;
constexpr uint32_t COMM_PAIRWISE = 8;

// A call about a group that nobody described answers GRAPH_FAILED, or nullptr.
class HcomTopoInfo {
 public:
  enum class TopoLevel { L0 = 0, L1 = 1, L2 = 2, MAX = 3 };
  struct TopoLevelDesc {
    uint32_t comm_sets;
    uint32_t rank_size;
  };
  using TopoDescs = TopoLevelDesc[static_cast<int>(TopoLevel::MAX)];
  struct TopoInfo {
    int64_t rank_size;
    void *notify_handle;
    TopoDescs topo_level_descs;
    uint64_t local_window_size = 0;
  };
  WEFT_CANN_OWN static HcomTopoInfo &Instance() {
    static HcomTopoInfo info;
    return info;
  }
  bool TopoInfoHasBeenSet(const char *group) { return Find(group) != nullptr; }
  bool TryGetGroupTopoInfo(const char *group, TopoInfo &info) {
    const TopoInfo *found = Find(group);
    if (found)
      info = *found;
    return found;
  }
  uint32_t SetGroupTopoInfo(const char *group, const TopoInfo &info) {
    if (!group)
      return GRAPH_FAILED;
    std::lock_guard<std::mutex> held(lock_);
    groups_[group] = info;
    return GRAPH_SUCCESS;
  }
  uint32_t GetGroupRankSize(const char *group, int64_t &rank_size) {
    const TopoInfo *found = Find(group);
    if (found)
      rank_size = found->rank_size;
    return found ? GRAPH_SUCCESS : GRAPH_FAILED;
  }
  TopoDescs *GetGroupTopoDesc(const char *group) {
    TopoInfo *found = Find(group);
    return found ? &found->topo_level_descs : nullptr;
  }
  uint32_t GetGroupNotifyHandle(const char *group, void *&notify_handle) {
    const TopoInfo *found = Find(group);
    if (found)
      notify_handle = found->notify_handle;
    return found ? GRAPH_SUCCESS : GRAPH_FAILED;
  }
  uint32_t GetGroupLocalWindowSize(const char *group, uint64_t &local_window_size) {
    const TopoInfo *found = Find(group);
    if (found)
      local_window_size = found->local_window_size;
    return found ? GRAPH_SUCCESS : GRAPH_FAILED;
  }
  void UnsetGroupTopoInfo(const char *group) {
    std::lock_guard<std::mutex> held(lock_);
    groups_.erase(group ? group : "");
  }
  uint32_t SetGroupOrderedStream(const int32_t device_id, const char *group, void *stream) {
    std::lock_guard<std::mutex> held(lock_);
    streams_[{device_id, group ? group : ""}] = stream;
    return GRAPH_SUCCESS;
  }
  uint32_t GetGroupOrderedStream(const int32_t device_id, const char *group, void *&stream) {
    std::lock_guard<std::mutex> held(lock_);
    auto found = streams_.find({device_id, group ? group : ""});
    if (found == streams_.end())
      return GRAPH_FAILED;
    stream = found->second;
    return GRAPH_SUCCESS;
  }
  void UnsetGroupOrderedStream(const int32_t device_id, const char *group) {
    std::lock_guard<std::mutex> held(lock_);
    streams_.erase({device_id, group ? group : ""});
  }

 private:
  HcomTopoInfo() = default;
  TopoInfo *Find(const char *group) {
    std::lock_guard<std::mutex> held(lock_);
    auto found = groups_.find(group ? group : "");
    return found == groups_.end() ? nullptr : &found->second;
  }
  std::mutex lock_;
  std::map<std::string, TopoInfo> groups_;
  std::map<std::pair<int32_t, std::string>, void *> streams_;
};
}  // namespace ge
// SPDX-License-Identifier: Apache-2.0
