// blocked_sizes.h - C0 of NC1HWC0: channels of a block, of numbers and of bytes.
#pragma once

enum { WEFT__C0 = 16, WEFT__BYTES_C0 = 32 };
// SPDX-License-Identifier: Apache-2.0
