// package.h - packages and the host table.
#pragma once
#include "op/proto.h"

struct weft_env_package {
  weft_package_info info;
  void *handle;  // dlopen; NULL: not loaded
  const weft_package *package;
};
void weft__host_fill(weft_host *h);
void weft__packages_close(weft_env *e);
weft_status weft__register_as(weft_env *e, const weft_op *op, int source, const char *origin, unsigned flags,
                              weft_diag *d);
// The sections of every loaded package that src/op does not read itself (kernels, passes, devices).
const weft_section *weft__package_section(const weft_env *e, size_t package, uint32_t kind, size_t *out_n);
// SPDX-License-Identifier: Apache-2.0
