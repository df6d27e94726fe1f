// weft/program.h - a compiled graph: frozen, shared by any number of runs, saved as a .weft file. Made by
// weft_compile (weft/compile.h) or loaded here; run by weft/run.h, which needs neither compiler nor
// importers. Reading a program is safe from any thread. It keeps what it needs of its environment, which must
// outlive it.
#pragma once
#include "weft/graph.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_program weft_program;

// A program is counted: each holder (an exec, a session) retains it; the last release destroys it. NULL
// allowed.
WEFT_API void weft_program_retain(weft_program *p);  // one more holder
WEFT_API void weft_program_release(weft_program *p);  // one holder less; the last one destroys it

// Loads a .weft file; constants stay in the mapped file, or in a copy of it (weft_env_options.files). All of
// the file but the weights is checked before anything of it is used: E_SYNTAX (no program), E_VERSION,
// E_TRUNCATED, E_CORRUPT (with section and byte), E_NOT_FOUND (an operator that the environment does not
// have), E_UNSUPPORTED (made for another target). The weights are not read: damaged ones give wrong numbers,
// nothing worse; weft_program_verify finds them.
WEFT_API WEFT_MUST weft_status weft_program_load(weft_env *e, const char *path, weft_program **out,
                                                 weft_diag *d);
// The same from memory, which must outlive the program (it is 64-byte aligned or copied).
WEFT_API WEFT_MUST weft_status weft_program_load_memory(weft_env *e, const void *data, size_t bytes,
                                                        weft_program **out, weft_diag *d);
// Reads the weights of a loaded program and compares their checksums: E_CORRUPT with the constant and its
// byte in the section WGHT. A compiled program has none to compare.
WEFT_API WEFT_MUST weft_status weft_program_verify(const weft_program *p, weft_diag *d);
// Little-endian, versioned sections with checksums; the same program gives the same bytes.
WEFT_API WEFT_MUST weft_status weft_program_save(const weft_program *p, weft_write_fn write, void *ctx,
                                                 weft_diag *d);
// What execs of the program have packed until it is saved goes into the file, too: a program that is loaded
// with the same instruction set maps it instead of packing. Off, but on for a program that was loaded with
// such constants.
WEFT_API void weft_program_keep_packed(weft_program *p, bool keep);
// The same to a file, which is there whole or not at all. E_IO.
WEFT_API WEFT_MUST weft_status weft_program_save_file(const weft_program *p, const char *path, weft_diag *d);

// The optimised graph, for reading: its values carry the model's names.
WEFT_API const weft_graph *weft_program_graph(const weft_program *p);
WEFT_API const char *weft_program_name(const weft_program *p);  // of the graph it was compiled from
WEFT_API const char *weft_program_target(const weft_program *p);  // "cpu x86-64"
WEFT_API size_t weft_program_n_inputs(const weft_program *p);  // in the model's order
WEFT_API size_t weft_program_n_outputs(const weft_program *p);  // the same
// Of input i: name, dtype, shape and range; false outside. The name lives as long as the program.
WEFT_API bool weft_program_input_sized(const weft_program *p, size_t i, weft_tensor_desc *out,
                                       size_t out_bytes);
// The same of output i.
WEFT_API bool weft_program_output_sized(const weft_program *p, size_t i, weft_tensor_desc *out,
                                        size_t out_bytes);
// with sizeof
static inline bool weft_program_input(const weft_program *p, size_t i, weft_tensor_desc *out) {
  return weft_program_input_sized(p, i, out, sizeof *out);
}
// with sizeof
static inline bool weft_program_output(const weft_program *p, size_t i, weft_tensor_desc *out) {
  return weft_program_output_sized(p, i, out, sizeof *out);
}
WEFT_API int weft_program_find_input(const weft_program *p, const char *name);  // -1: none
WEFT_API int weft_program_find_output(const weft_program *p, const char *name);  // -1: none
WEFT_API weft_symbols *weft_program_symbols(const weft_program *p);  // names of symbolic dims
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
