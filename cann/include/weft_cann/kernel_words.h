// weft_cann/kernel_words.h - the words of kernel sources that headers shared with the host contain. Here they
// mean nothing: the host compiles such a header for its types.
#pragma once
#ifndef __aicore__
#define __aicore__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef __gm__
#define __gm__
#endif
#ifndef __ubuf__
#define __ubuf__
#endif
#ifndef __local_mem__
#define __local_mem__
#endif

// Kernels and the size helpers of tiling_api.h fill it.
namespace AscendC {}
// SPDX-License-Identifier: Apache-2.0
