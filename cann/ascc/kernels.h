// kernels.h - the kernels that a file defines.
#pragma once
#include "tokens.h"

typedef struct ascc_kernel {
  size_t name;   // its token
  size_t scope;  // of ascc_kernels.scopes: "outer::inner::", with a zero behind it
  bool overloaded;
} ascc_kernel;
typedef struct ascc_kernels {
  ascc_kernel *at;
  size_t count;
  size_t room;
  ascc_text scopes;
} ascc_kernels;

// Definitions behind ASCC_KERNEL_WORD that a name says: no templates, none within classes, and of a name that
// is defined twice (an overload) none. false: no memory.
bool ascc_kernels_find(ascc_kernels *out, const ascc_tokens *t);
void ascc_kernels_free(ascc_kernels *k);
// SPDX-License-Identifier: Apache-2.0
