// pool_cpu.h - the cgroup part of weft__cpu_count, by itself for tests. Layer: base.
#pragma once
#include "base/base.h"

// CPUs that the quotas of this process's cgroups (v1 and v2, all levels up to the mount) come to, rounded up;
// 0: no limit. root: put before every path that is read: "" for the system's own files.
uint32_t weft__cgroup_cpus(const char *root);
// SPDX-License-Identifier: Apache-2.0
