// weft_cann/kernel_files.h - kernels in Ascend C of a package: shared objects below `kernels` beside the
// package's library, one for each operator and combination of types (`weft op kernels`). They are
// opened when an operator is first described, and stay open.
#pragma once
#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "weft_cann/adaptor.h"
#include "weft_cann/kernel_file.h"
#include "weft_cann/kernel_table.h"

namespace weft_cann {
// The folder of this shared object's kernels; "": nobody can say.
inline std::string KernelFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&KernelFolder), &info) || !info.dli_fname)
    return "";
  const std::string file = info.dli_fname;
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? "kernels" : file.substr(0, slash) + "/kernels";
}

// The files of an operator, "Type.0.so" and so on.
inline std::vector<std::string> KernelFilesOf(const std::string &type) {
  std::vector<std::string> files;
  const std::string folder = KernelFolder();
  DIR *dir = folder.empty() ? nullptr : opendir(folder.c_str());
  if (!dir)
    return files;
  closedir(dir);
  for (size_t i = 0; i < 4096; i++) {
    const std::string file = folder + "/" + type + "." + std::to_string(i) + ".so";
    if (access(file.c_str(), R_OK) != 0)
      break;
    files.push_back(file);
  }
  return files;
}

class KernelFiles {
 public:
  explicit KernelFiles(const std::string &type) {
    for (const std::string &file : KernelFilesOf(type))
      Open(file);
  }
  bool Any() const { return !kernels_.empty() || !failed_.empty(); }
  // That tiling functions are asked for.
  const char *Soc() const { return kernels_.empty() ? nullptr : kernels_[0]->soc; }
  // The kernel for the types of a call. NULL: `why` says what is wrong.
  const weft_kernel_file *Find(const weft_call *call, std::string &why) const {
    for (const weft_kernel_file *k : kernels_) {
      if (Takes(k, call))
        return k;
    }
    why = failed_.empty() ? "no kernel was compiled for these types (weft op kernels)" : failed_;
    return nullptr;
  }

 private:
  void Open(const std::string &file) {
    void *object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    const void *entry = object ? dlsym(object, "weft_kernel_file_entry") : nullptr;
    const auto *kernel = static_cast<const weft_kernel_file *>(entry);
    if (kernel && kernel->version == WEFT_KERNEL_FILE_VERSION) {
      kernels_.push_back(kernel);
      return;
    }
    const char *said = kernel ? "it is of another version of weft" : dlerror();
    failed_ = file + ": " + (said ? said : "it is no kernel of weft's");
  }
  // Of a port its first tensor; where there is none, any type will do.
  static bool Takes(const weft_kernel_file *k, const weft_call *call) {
    const weft_op_desc *n = call->desc;
    if (k->n_ports != n->n_in_ports + n->n_out_ports)
      return false;
    for (uint32_t i = 0; i < k->n_ports; i++) {
      const bool out = i >= n->n_in_ports;
      const weft_port_span span = out ? n->out_port[i - n->n_in_ports] : n->in_port[i];
      const weft_tensor *t = !span.count ? nullptr : out ? call->out[span.start] : call->in[span.start];
      if (t && static_cast<int32_t>(t->dtype) != k->dtypes[i])
        return false;
    }
    return true;
  }
  std::vector<const weft_kernel_file *> kernels_;
  std::string failed_;
};

// A dynamic port as a kernel reads it (ListTensorDesc): where the addresses begin, then of each tensor its
// rank, place and dims, then the addresses.
inline void AddTensorList(std::vector<uint64_t> &list, const weft_tensor *const *tensors,
                          weft_port_span span) {
  list.assign(1, 0);
  for (uint32_t i = 0; i < span.count; i++) {
    const weft_shape &shape = tensors[span.start + i]->layout.storage;
    list.push_back(uint64_t{shape.rank} | uint64_t{i} << 32);
    for (size_t d = 0; d < shape.rank; d++)
      list.push_back(static_cast<uint64_t>(shape.dim[d]));
  }
  list[0] = list.size() * sizeof(uint64_t);
  for (uint32_t i = 0; i < span.count; i++)
    list.push_back(reinterpret_cast<uint64_t>(tensors[span.start + i]->data));
}

class KernelArguments {
 public:
  explicit KernelArguments(const weft_call *call) {
    const weft_op_desc *n = call->desc;
    lists_.reserve(size_t{n->n_in_ports} + n->n_out_ports);
    for (uint32_t i = 0; i < n->n_in_ports; i++)
      Port(PortOf(n->op, n->op->in, i), call->in, n->in_port[i]);
    for (uint32_t i = 0; i < n->n_out_ports; i++)
      Port(PortOf(n->op, n->op->out, i), const_cast<const weft_tensor *const *>(call->out), n->out_port[i]);
  }
  void Add(void *address) { args_.push_back(address); }
  void *const *Data() const { return args_.data(); }
  uint32_t Count() const { return static_cast<uint32_t>(args_.size()); }

 private:
  static const weft_port *PortOf(const weft_op *op, const weft_port *list, uint32_t i) {
    return reinterpret_cast<const weft_port *>(reinterpret_cast<const char *>(list) +
                                               size_t{i} * op->port_bytes);
  }
  void Port(const weft_port *port, const weft_tensor *const *tensors, weft_port_span span) {
    if (port->kind != WEFT_DYNAMIC) {
      const weft_tensor *t = span.count ? tensors[span.start] : nullptr;
      args_.push_back(t ? t->data : nullptr);
      return;
    }
    lists_.emplace_back();
    AddTensorList(lists_.back(), tensors, span);
    args_.push_back(lists_.back().data());
  }
  std::vector<void *> args_;
  std::vector<std::vector<uint64_t>> lists_;
};

inline weft_status RunKernelFile(const KernelCall &k) {
  std::string why;
  const weft_kernel_file *kernel = OperatorOf(k.call->desc)->kernel_files->Find(k.call, why);
  if (!kernel)
    return k.call->host->fail(k.call->d, WEFT_E_UNSUPPORTED, "%s", why.c_str());
  KernelArguments args(k.call);
  if (k.found)
    args.Add(k.found);
  args.Add(k.workspace);
  args.Add(const_cast<void *>(k.tiled->data));
  weft_kernel_launch launch = {};
  launch.name = kernel->op;
  launch.blocks = k.tiled->blocks;
  launch.tiling_key = k.tiled->key;
  launch.args = args.Data();
  launch.n_args = args.Count();
  if (!kernel->launch(&launch))
    return WEFT_OK;
  return k.call->host->fail(k.call->d, WEFT_E_INVALID, "%s", kernel->error());
}
}  // namespace weft_cann
// SPDX-License-Identifier: Apache-2.0
