// weft_cann/portable.h - PortableOp: what a class keeps in a program's file (weft_op.save). Before it is
// asked, its kernels are compiled for the shapes that the program knows; a class that was given its bytes
// back compiles nothing more.
#pragma once
#include "weft_cann/execute.h"

namespace weft_cann {
inline weft_status CompileForNode(const weft_saving *saving, const weft_saved_node &node) {
  NodeUse use(node.desc);
  if (!use.Get())
    return TooOld(saving->host, saving->d, node.desc);
  std::string text;
  weft_tensor none = {};
  for (uint32_t i = 0; i < node.desc->n_in; i++) {
    weft_shape shape = node.in[i].shape;
    for (uint32_t k = 0; k < shape.rank && shape.rank <= WEFT_MAX_RANK; k++)
      shape.dim[k] = shape.dim[k] < 0 ? -1 : shape.dim[k];
    none.origin_format = node.in[i].format;
    use->SetInput(i, shape, shape, none, node.in[i].dtype, node.in[i].format);
    AddInputText(text, node.in[i].dtype, shape);
  }
  return CompileOnce(OperatorOf(node.desc), node.desc, text, use->CallRow(), saving->host, saving->d);
}
inline weft_status SavePortable(const weft_saving *saving) {
  const weft_op_desc *desc = saving->node[0].desc;
  return Guarded(saving->host, saving->d, desc, "Serialize", [saving, desc]() -> weft_status {
    const Operator *op = OperatorOf(desc);
    for (uint32_t i = 0; op->custom.compiles && i < saving->n_nodes; i++)
      WEFT_TRY(CompileForNode(saving, saving->node[i]));
    std::vector<uint8_t> bytes;
    ErrorLog log(saving->host, saving->d);
    const UINT32 status = op->custom.carries->Serialize(bytes);
    WEFT_TRY(log.Status(status, WEFT_E_INVALID, desc, "Serialize"));
    const auto *text = reinterpret_cast<const char *>(bytes.data());
    return bytes.empty() ? WEFT_OK : saving->write(saving->ctx, text, bytes.size());
  });
}
inline weft_status LoadPortable(const weft_carried *carried) {
  weft_op_desc desc = {};
  desc.size = sizeof desc;
  desc.type = carried->op->name;
  desc.op = carried->op;
  return Guarded(carried->host, carried->d, &desc, "Deserialize", [carried, &desc]() -> weft_status {
    const auto *op = static_cast<const Operator *>(carried->op->user);
    const auto *from = static_cast<const uint8_t *>(carried->data);
    std::lock_guard<std::mutex> held(op->custom.compiled->lock);
    ErrorLog log(carried->host, carried->d);
    const UINT32 status = op->custom.carries->Deserialize(std::vector<uint8_t>(from, from + carried->bytes));
    WEFT_TRY(log.Status(status, WEFT_E_INVALID, &desc, "Deserialize"));
    op->custom.compiled->loaded = true;
    return WEFT_OK;
  });
}
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
