// weft_cann/entry.cpp - the entry that makes a shared object a package, for all kinds of registrations:
// weft::cann adds this file to modules, shared libraries and object libraries, and defines
// WEFT_CANN_ENTRY_APART there, so that no other file of theirs compiles it. Without that definition the
// headers do the same in each file.
#include "weft_cann/package.h"
#include "weft_cann/package_op_def.h"
#include "weft_cann/package_tiling.h"
// SPDX-License-Identifier: Apache-2.0
