// weft_cann/acl_rtc.h - sources in Ascend C compiled while a program runs: the host's C++ compiler does it
// (WEFT_ASC_CXX, c++), started in a folder of its own, for at most two minutes a step. What comes out is a
// shared object that aclrtBinaryLoadFromData takes; the same source and options give the same bytes.
//
//   aclrtcCreateProg(&prog, text, "add_custom", 0, NULL, NULL);
//   aclrtcCompileProg(prog, 1, (const char *[]){"--npu-arch=dav-2201"});
//   aclrtcGetBinDataSize(prog, &bytes); aclrtcGetBinData(prog, data); aclrtcDestroyProg(&prog);
#pragma once
#include "weft_cann/acl_base.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef void *aclrtcProg;

// The texts are copied. `headers` are found by #include as includeNames say. `name`: of the source, in
// messages.
WEFT_ACL aclError aclrtcCreateProg(aclrtcProg *prog, const char *src, const char *name, int numHeaders,
                                   const char *const *headers, const char *const *includeNames);
// Options are those of weft-ascc. What the compiler says is kept, and of a failure aclGetRecentErrMsg gives
// the beginning.
WEFT_ACL aclError aclrtcCompileProg(aclrtcProg prog, int numOptions, const char *const *options);
WEFT_ACL aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t *bytes);
WEFT_ACL aclError aclrtcGetBinData(aclrtcProg prog, char *bin);
// With the zero at its end.
WEFT_ACL aclError aclrtcGetCompileLogSize(aclrtcProg prog, size_t *bytes);
WEFT_ACL aclError aclrtcGetCompileLog(aclrtcProg prog, char *log);
WEFT_ACL aclError aclrtcDestroyProg(aclrtcProg *prog);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
