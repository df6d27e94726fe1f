// weft_cann/acl.h - AscendCL, whole: acl_base.h, acl_rt.h, acl_mdl.h, acl_op.h.
#pragma once
#include "weft_cann/acl_mdl.h"
#include "weft_cann/acl_op.h"
#include "weft_cann/acl_rt.h"
// SPDX-License-Identifier: Apache-2.0
