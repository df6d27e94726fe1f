// weft/env.h - the environment: allocator, log, options and the registry of operators. Everything hangs from
// one; two live side by side in a process. Creating and changing it belongs to one thread; finding and
// querying operators is safe from any number of threads once set-up is done.
#pragma once
#include "weft/limits.h"
#include "weft/op.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_env weft_env;
typedef struct weft_proto weft_proto;  // a registered operator: checked, its defaults read, its origin known

// Runs block(arg, 0..blocks-1), in any order, on any threads, and returns when all are done. May be called
// from several threads at once.
typedef void (*weft_parallel_fn)(void *ctx, void (*block)(void *arg, uint32_t i), void *arg, uint32_t blocks);

enum {              // how files of models and programs are read
  // copied up to 4 MiB, which costs less than a millisecond (docs/embedding.md); larger ones are mapped
  WEFT_FILES_AUTO,
  // always mapped: read when needed, shared by processes; a file that shrinks ends the process (SIGBUS)
  WEFT_FILES_MAP,
  WEFT_FILES_COPY,  // always copied: what happens to the file afterwards does not matter
};
typedef struct weft_env_options {  // all zero is the default
  uint32_t size;  // sizeof(weft_env_options); 0: of weft 0.1, whose last field is any_root
  weft_allocator allocator;        // fn NULL: malloc. Called from any thread that uses the environment
  weft_log_fn log;                 // NULL: silent. The same
  void *log_ctx;
  // colon-separated roots; NULL: WEFT_OPP_PATH, then ASCEND_CUSTOM_OPP_PATH, which are not believed where the
  // process has more rights than its user (setuid); "": none
  const char *package_path;
  bool strict;               // incomplete operators and broken packages are errors
  bool no_builtin;           // start without weft's own operators
  bool no_catalogue;         // start without AscendIR's prototypes
  // that run kernels, the caller's included; 0: what affinity and cgroup allow. One pool for all runs of the
  // environment, made at the first launch that can use it
  uint32_t threads;
  weft_parallel_fn parallel;  // the caller's own pool instead; NULL: weft's
  void *parallel_ctx;
  // branches of an If that a known condition rules out must be right, too: ONNX's own rule
  bool dead_branches;
  // a declared shape of a node's output that inference or the run contradicts is an error; otherwise the log
  // gets a warning and what was found stands
  bool strict_shapes;
  uint32_t files;            // WEFT_FILES_*; docs/embedding.md
  // roots of packages and a plugin_folder may be relative, and lie where everybody may write
  bool any_root;
  const weft_limits *limits;  // of every call that works on a model, copied; NULL: none. docs/limits.md
  // what kernels use of the machine at most, read once: "plain", "neon", "avx2", "avx512", with ",vnni=0"
  // or ",bf16=0" for what is left out of it; NULL: the variable WEFT_ISA, or all that there is
  const char *isa;
  // weft's plug-ins (weft/plugin.h), copied; NULL: WEFT_PLUGIN_FOLDER, believed as the variables above are,
  // else the one that belongs to the library; "": none
  const char *plugin_folder;
  // what the operator documents refuse and weft and ONNX take is an error: an empty target of Reshape, which
  // makes one element a scalar
  bool strict_document;
} weft_env_options;
// Registers the built-in operators and loads the packages of the path. A broken package is logged and kept in
// the list of packages with its reason; it fails the call only with `strict`.
WEFT_API WEFT_MUST weft_status weft_env_create(const weft_env_options *o, weft_env **out, weft_diag *d);
// Graphs made with the environment must be destroyed before. Unloads its packages. NULL allowed.
WEFT_API void weft_env_destroy(weft_env *e);
WEFT_API const weft_allocator *weft_env_allocator(const weft_env *e);  // the one it was made with
// Writes one line to the log, of a level WEFT_LOG_*; nothing where there is no log.
WEFT_API void weft_env_log(const weft_env *e, int level, const char *fmt, ...) WEFT_PRINTF(3, 4);
// the services that packages get, for calls by hand
WEFT_API const weft_host *weft_env_host(const weft_env *e);

// ---- registering. weft_register, weft_find, weft_get name no noun: an operator is what an environment is
// about ----
enum { WEFT_REGISTER_STRICT = 1 };  // refuse incomplete operators
// Checks the descriptor (names unique, symbols and follows resolve, columns aligned, defaults readable) and
// adds it; it must outlive the environment. E_EXISTS when the name is registered already: the first stays.
// Built-in operators and catalogue entries are overridden with a note to the log.
WEFT_API WEFT_MUST weft_status weft_register(weft_env *e, const weft_op *op, unsigned flags, weft_diag *d);
// Adds a kernel of an operator for a device; it must outlive the environment. Kernels of the program come
// before those of packages, and those before weft's own; the cheapest that does not refuse wins. E_INVALID:
// without operator, device, name or function; E_EXISTS: this name is registered for the operator and device.
// Not while programs of the environment run.
WEFT_API WEFT_MUST weft_status weft_register_kernel(weft_env *e, const weft_kernel *k, weft_diag *d);
// Removes what weft_register added (not while a graph uses it).
WEFT_API WEFT_MUST weft_status weft_unregister(weft_env *e, const char *name, weft_diag *d);

// ---- finding and querying ----
// NULL when unknown. Order: registered, packages, built-in, catalogue.
WEFT_API const weft_proto *weft_find(const weft_env *e, const char *name);
// The same with a message, which for an unknown name has the nearest known names.
WEFT_API WEFT_MUST weft_status weft_get(const weft_env *e, const char *name, const weft_proto **out,
                                        weft_diag *d);
WEFT_API const weft_op *weft_proto_op(const weft_proto *p);  // its descriptor
enum { WEFT_FROM_CATALOGUE, WEFT_FROM_BUILTIN, WEFT_FROM_PACKAGE, WEFT_FROM_PROGRAM };
WEFT_API int weft_proto_source(const weft_proto *p);  // one of WEFT_FROM_*
// "built-in", "catalogue", "program", the package's path
WEFT_API const char *weft_proto_origin(const weft_proto *p);
WEFT_API uint32_t weft_proto_n_in(const weft_proto *p);       // declared ports
WEFT_API uint32_t weft_proto_n_out(const weft_proto *p);  // declared outputs
WEFT_API uint32_t weft_proto_n_attr(const weft_proto *p);  // declared attributes
WEFT_API const weft_port *weft_proto_in(const weft_proto *p, uint32_t i);   // NULL outside
WEFT_API const weft_port *weft_proto_out(const weft_proto *p, uint32_t i);  // NULL outside
WEFT_API const weft_attr_decl *weft_proto_attr(const weft_proto *p, uint32_t i);  // NULL outside
WEFT_API const weft_attr *weft_proto_default(const weft_proto *p, uint32_t i);  // NULL: required
// all that the port allows
WEFT_API weft_dtype_set weft_proto_dtypes(const weft_proto *p, const weft_port *port);
WEFT_API int weft_proto_find_in(const weft_proto *p, const char *name);   // IR index; -1 when unknown
WEFT_API int weft_proto_find_out(const weft_proto *p, const char *name);  // the same of an output
// slot of an attribute; -1 when unknown
WEFT_API int weft_proto_find_attr(const weft_proto *p, const char *name);
// What graph mode still needs: "InferShape, InferDataType"; "" when complete. `warnings` adds what is only
// advisable.
WEFT_API const char *weft_proto_missing(const weft_proto *p);
WEFT_API const char *weft_proto_warnings(const weft_proto *p);  // in the same form
WEFT_API bool weft_proto_equal(const weft_proto *a, const weft_proto *b);  // same prototype
// All operators in name order, by index; NULL at the end. `catalogue` includes what only the catalogue has.
WEFT_API const weft_proto *weft_proto_at(const weft_env *e, size_t i, bool catalogue);
WEFT_API size_t weft_proto_count(const weft_env *e, bool catalogue);  // how many weft_proto_at gives

// ---- packages ----
typedef struct weft_package_info {
  uint32_t size;
  uint32_t n_ops;
  const char *path, *name, *version;
  const char *problem;  // NULL: loaded
} weft_package_info;
// Loads one shared library. E_ABI, E_CORRUPT, E_IO, ... name path and reason.
WEFT_API WEFT_MUST weft_status weft_load_package(weft_env *e, const char *path, weft_diag *d);
// Loads <root>/op_graph/lib/<os>/<arch>/lib*.so of every root; the leftmost root wins a whole operator. A
// relative root, and one where everybody may put or change files, is refused like a broken package: logged,
// kept in the list with its reason, an error (E_INVALID) with `strict`; weft_env_options.any_root takes it.
WEFT_API WEFT_MUST weft_status weft_load_packages(weft_env *e, const char *roots, weft_diag *d);
WEFT_API size_t weft_package_count(const weft_env *e);  // loaded and refused ones
// Describes package i, counted as weft_package_count counts; i outside: `problem` says so.
WEFT_API void weft_package_at_sized(const weft_env *e, size_t i, weft_package_info *out, size_t out_bytes);
// with sizeof
static inline weft_package_info weft_package_at(const weft_env *e, size_t i) {
  weft_package_info info;
  weft_package_at_sized(e, i, &info, sizeof info);
  return info;
}

// ---- building an operator at run time (C++, scripts, tests) ----
// Calls chain on the last port, so they give no status; weft_builder_register gives the first mistake. The
// environment owns the result. Dtypes and formats are columns; a port without formats is ND, flagged as
// incomplete.
typedef struct weft_op_builder weft_op_builder;
WEFT_API weft_op_builder *weft_builder_create(weft_env *e, const char *name);  // NULL: out of memory
// after register, too; NULL allowed
WEFT_API void weft_builder_destroy(weft_op_builder *b);
// WEFT_OPTIONAL
WEFT_API weft_op_builder *weft_builder_input(weft_op_builder *b, const char *name, int kind);
WEFT_API weft_op_builder *weft_builder_output(weft_op_builder *b, const char *name, int kind);  // the same
// one a column
WEFT_API weft_op_builder *weft_builder_dtypes(weft_op_builder *b, size_t n, const weft_dtype *dtypes);
// as many
WEFT_API weft_op_builder *weft_builder_formats(weft_op_builder *b, size_t n, const weft_format *formats);
WEFT_API weft_op_builder *weft_builder_value_depend(weft_op_builder *b, unsigned what);  // WEFT_VALUE_*
// WEFT_FOLLOW_*
WEFT_API weft_op_builder *weft_builder_follow(weft_op_builder *b, const char *port, unsigned what);
WEFT_API weft_op_builder *weft_builder_attr(weft_op_builder *b, const char *name, const char *type,
                                            const char *dflt,
                                            const char *check);  // dflt NULL: required
WEFT_API weft_op_builder *weft_builder_infer_shape(weft_op_builder *b, weft_infer_fn f);  // weft_op.infer
// weft_op.infer_dtype
WEFT_API weft_op_builder *weft_builder_infer_dtype(weft_op_builder *b, weft_infer_fn f);
WEFT_API weft_op_builder *weft_builder_infer_range(weft_op_builder *b, weft_infer_fn f);  // infer_range
WEFT_API weft_op_builder *weft_builder_ref(weft_op_builder *b, weft_call_fn f);  // weft_op.ref
WEFT_API weft_op_builder *weft_builder_execute(weft_op_builder *b, weft_call_fn f);  // weft_op.execute
WEFT_API weft_op_builder *weft_builder_tiling(weft_op_builder *b, weft_tile_fn f);  // weft_op.tile
WEFT_API weft_op_builder *weft_builder_target(weft_op_builder *b, const char *device);  // AddConfig
// the kernel it needs by name
WEFT_API weft_op_builder *weft_builder_kernel(weft_op_builder *b, const char *kernel);
WEFT_API weft_op_builder *weft_builder_traits(weft_op_builder *b, uint64_t traits);  // weft_op.traits
// Checks what was built as weft_register does, and adds it. The first mistake of the calls before comes out
// here.
WEFT_API WEFT_MUST weft_status weft_builder_register(weft_op_builder *b, unsigned flags, weft_diag *d);

// ---- one operator, without a graph ----
typedef struct weft_use {  // how an operator is used: attributes, and instances per declared port
  const char *name;        // of the node; NULL: the operator's
  const weft_named_attr *attrs;
  size_t n_attrs;
  const uint32_t *in_counts, *out_counts;  // per port; NULL: see below
} weft_use;
// Inputs in port order, NULL for an absent optional one. Without counts: one instance for each required port,
// optional ports take one while inputs remain, one dynamic port takes the rest; a dynamic output has one
// instance.
//
// Infers the outputs. in[i]->data may be NULL except where a value is needed. Caller provides n_out
// descriptions, each in out_bytes.
WEFT_API WEFT_MUST weft_status weft_infer_op_sized(weft_env *e, const weft_proto *p, const weft_use *use,
                                                   const weft_tensor *const *in, size_t n_in,
                                                   weft_tensor_desc *out, size_t out_bytes, size_t n_out,
                                                   weft_diag *d);
static inline WEFT_MUST weft_status weft_infer_op(weft_env *e, const weft_proto *p, const weft_use *use,
                                                  const weft_tensor *const *in, size_t n_in,
                                                  weft_tensor_desc *out, size_t n_out,
                                                  weft_diag *d) {  // with sizeof
  return weft_infer_op_sized(e, p, use, in, n_in, out, sizeof *out, n_out, d);
}
// Infers and runs the reference kernel (or the execute function). out[i] are initialised by the callee and
// owned by the caller afterwards (weft_tensor_deinit), also on failure. An operator without inference takes
// dtype and shape from `out_desc`; NULL: infer. An operator of AscendIR that updates inputs in place
// (ApplyAdam: m and v) writes to those tensors, although they are const here.
WEFT_API WEFT_MUST weft_status weft_run_op(weft_env *e, const weft_proto *p, const weft_use *use,
                                           const weft_tensor *const *in, size_t n_in, weft_tensor *out,
                                           size_t n_out, const weft_tensor_desc *out_desc, weft_diag *d);
#ifdef __cplusplus
}
#endif
// SPDX-License-Identifier: Apache-2.0
