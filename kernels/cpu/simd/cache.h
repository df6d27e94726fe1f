// cache.h - how large this machine's caches are, for orders of work that depend on it; results do not.
#pragma once
#include "base/base.h"

// Bytes of a core's first or second data cache; where the system does not tell, those of a large one.
size_t weft__cpu_cache(int level);
// SPDX-License-Identifier: Apache-2.0
