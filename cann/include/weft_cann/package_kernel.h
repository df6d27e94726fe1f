// weft_cann/package_kernel.h - a kernel of kernel_table.h as weft_op.ref: tiling, workspaces, launch.
#pragma once
#include "weft_cann/adaptor.h"
#include "weft_cann/kernel_files.h"
#include "weft_cann/kernel_table.h"

namespace weft_cann {
// Sizes are rounded up, so that each workspace begins aligned.
inline weft_status KernelWorkspace(const weft_call *call, const weft_tiled &tiled, void **out) {
  constexpr size_t kAlign = 512;
  size_t all = 0;
  for (uint32_t i = 0; i < tiled.n_workspaces; i++) {
    const size_t bytes = tiled.workspace_bytes[i];
    if (bytes > SIZE_MAX / 2 - kAlign - all) {
      return call->host->fail(call->d, WEFT_E_LIMIT, "workspace %u of %zu bytes, behind %zu: too many", i,
                              bytes, all);
    }
    all += (bytes + kAlign - 1) / kAlign * kAlign;
  }
  *out = nullptr;
  return all ? call->host->workspace(call, all, out) : WEFT_OK;
}
inline void ClearOutputs(const weft_call *call) {
  for (uint32_t i = 0; i < call->n_out; i++) {
    if (call->out[i]->bytes)
      memset(call->out[i]->data, 0, call->out[i]->bytes);
  }
}
// `found`: where the kernel writes the shapes of outputs; NULL: they are known.
inline weft_status RunTiledKernel(const weft_call *call, uint64_t *found) {
  const Operator *op = OperatorOf(call->desc);
  weft_tiled tiled = {};
  tiled.size = sizeof tiled;
  tiled.blocks = 1;
  if (call->desc->op->tile) {
    WEFT_TRY(weft_tile_call(call, op->kernel.soc, &tiled));
    if (tiled.atomic_clean)
      ClearOutputs(call);
  }
  std::vector<void *> args;
  for (uint32_t i = 0; i < call->n_in; i++)
    args.push_back(call->in[i]->data);
  for (uint32_t i = 0; i < call->n_out; i++)
    args.push_back(call->out[i]->data);
  void *workspace = nullptr;
  WEFT_TRY(KernelWorkspace(call, tiled, &workspace));
  ErrorLog log(call->host, call->d);
  const weft_status s = op->kernel.run({call, &tiled, args.data(), workspace, found});
  return log.Status(s ? ge::GRAPH_FAILED : ge::GRAPH_SUCCESS, s, call->desc, "the kernel");
}
inline weft_status RunKernel(const weft_call *call) {
  return Guarded(call->host, call->d, call->desc, "the kernel",
                 [call]() -> weft_status { return RunTiledKernel(call, nullptr); });
}
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
