// weft_cann/platform_source.h - the platform of a processor for tiling functions (package_tiling.h). A shared
// object has it when one of its files includes platform.h: without that nobody can look at a platform.
#pragma once
#include "weft_cann/platform.h"
#include "weft_cann/tiling_sources.h"

namespace weft_cann {
inline void *MakePlatform(const char *soc, std::string &known) {
  const Soc *found = FindSoc(soc);
  if (found)
    return new fe::PlatFormInfos(PlatformOf(*found));
  for (const Soc &one : Socs())
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  return nullptr;
}
inline void DropPlatform(void *platform) {
  delete static_cast<fe::PlatFormInfos *>(platform);
}
WEFT_CANN_OWN inline const bool kPlatformsAreMade = (PlatformSource() = {MakePlatform, DropPlatform}, true);
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
