// project.c - the project generator: reads and checks the description, makes every file in memory, and only
// then hands them out, so that a wrong description leaves nothing behind. This file writes what belongs to
// the package as a whole.
#include "op/project.h"

#include "op/proto.h"

// ---- package.h, package.c ----

static weft_status package_sources(project *p) {
  weft_text t;
  weft__text_init(&t, &p->arena.alloc);
  project_put(p, NULL, &t,
              "// package.h - the operators of package @project@.\n#pragma once\n#include \"weft/op.h\"\n\n");
  for (size_t i = 0; i < p->n_ops; i++)
    project_put(p, &p->ops[i], &t, "extern const weft_op @snake@_op;\n");
  WEFT_TRY(project_add(p, &t, false, "package.h"));
  project_put(p, NULL, &t,
              "// package.c - what weft finds when it loads the package: operators and kernels.\n"
              "#include \"package.h\"\n\n");
  for (size_t i = 0; i < p->n_ops; i++)
    project_put(p, &p->ops[i], &t, "#include \"@snake@_kernel.h\"\n#include \"@snake@_tiling.h\"\n");
  weft__text_addf(&t, "\nstatic const weft_op *const ops[] = {");
  for (size_t i = 0; i < p->n_ops; i++)
    project_put(p, &p->ops[i], &t, "\n    &@snake@_op,");
  weft__text_addf(&t, "\n};\nstatic const weft_kernel kernels[] = {");
  for (size_t i = 0; i < p->n_ops; i++) {
    project_put(p, &p->ops[i], &t,
                "\n    {.size = sizeof(weft_kernel),\n     .op = \"@op@\",\n     .device = \"cpu\",\n"
                "     .name = \"@snake@\",\n     .refuse = @snake@_refuse,\n"
                "     .tile = @snake@_tiling,\n     .run = @snake@_block},");
  }
  weft__text_addf(
      &t,
      "\n};\nstatic const weft_section sections[] = {{WEFT_SECTION_OP, 0, %zu, ops},\n"
      "                                        {WEFT_SECTION_KERNEL, sizeof(weft_kernel), %zu, kernels}};\n",
      p->n_ops, p->n_ops);
  project_put(p, NULL, &t,
              "static const weft_package package = {sizeof package, WEFT_ABI, \"@project@\", \"@version@\", "
              "2, sections};\n"
              "\n"
              "#ifdef __GNUC__\n"
              "__attribute__((visibility(\"default\")))\n"
              "#endif\n"
              "const weft_package *weft_package_entry(const weft_host *host);\n"
              "const weft_package *weft_package_entry(const weft_host *host) {\n"
              "  return host->abi == WEFT_ABI ? &package : NULL;\n"
              "}\n");
  return project_add(p, &t, false, "package.c");
}

// ---- building ----

static const char CMAKE_HEAD[] =
    "# Package @project@: one library, which links against nothing, and its tests. Needs an installed weft\n"
    "# (CMAKE_PREFIX_PATH or weft_DIR says where).\n"
    "cmake_minimum_required(VERSION 3.20)\n"
    "project(@project@ C)\n"
    "find_package(weft REQUIRED)\n"
    "set(CMAKE_C_STANDARD 11)\n"
    "if(NOT CMAKE_BUILD_TYPE)\n"
    "  set(CMAKE_BUILD_TYPE RelWithDebInfo)\n"
    "endif()\n"
    "set(OPERATORS";
static const char CMAKE_BODY[] =
    ")\n"
    "\n"
    "add_library(@project@_op MODULE package.c)\n"
    "target_include_directories(@project@_op PRIVATE . op_host op_kernel op_graph\n"
    "  $<TARGET_PROPERTY:weft::static,INTERFACE_INCLUDE_DIRECTORIES>)\n"
    "set_target_properties(@project@_op PROPERTIES C_VISIBILITY_PRESET hidden)\n"
    "install(TARGETS @project@_op LIBRARY DESTINATION op_graph/lib/linux/${CMAKE_SYSTEM_PROCESSOR})\n"
    "\n"
    "enable_testing()\n"
    "foreach(op ${OPERATORS})\n"
    "  target_sources(@project@_op PRIVATE op_host/${op}.c op_host/${op}_tiling.c op_kernel/${op}_kernel.c)\n"
    "  install(FILES op_graph/${op}_index.h op_graph/${op}_proto.h DESTINATION op_graph/include)\n"
    "  add_executable(${op}_test tests/test_${op}.c)\n"
    "  target_include_directories(${op}_test PRIVATE op_graph)\n"
    "  target_link_libraries(${op}_test PRIVATE weft::static)\n"
    "  add_test(NAME test_${op} COMMAND ${op}_test $<TARGET_FILE:@project@_op>)\n"
    "endforeach()\n"
    "\n"
    "# The laws that every operator must keep, over the examples in op_host/.\n"
    "find_program(WEFT_TOOL weft HINTS ${weft_DIR}/../../../bin ${weft_DIR}/../../../../bin)\n"
    "if(WEFT_TOOL)\n"
    "  add_test(NAME laws COMMAND ${WEFT_TOOL} op test $<TARGET_FILE:@project@_op>)\n"
    "else()\n"
    "  message(STATUS \"the tool weft was not found: no test 'laws'\")\n"
    "endif()\n";
static const char MAKEFILE[] =
    "# The same as run.sh, step by step. CMAKE_PREFIX_PATH says where weft is installed.\n"
    "all:\n"
    "\tcmake -S . -B build -DCMAKE_INSTALL_PREFIX=output\n"
    "\tcmake --build build\n"
    "test: all\n"
    "\tcd build && ctest --output-on-failure\n"
    "install: all\n"
    "\tcmake --install build\n"
    "clean:\n"
    "\trm -rf build output\n"
    ".PHONY: all test install clean\n";
static weft_status build_files(project *p) {
  WEFT_TRY(project_add_cmake(p, CMAKE_HEAD, CMAKE_BODY));
  WEFT_TRY(project_add_text(p, "Makefile", MAKEFILE));
  return project_add_script(p, "run.sh", "build");
}

// ---- README.md ----

static const char README_STEPS[] =
    "1. Project: made. `CMAKE_PREFIX_PATH=/where/weft/is/installed ./run.sh` builds, tests and installs it, "
    "now and after\n"
    "   every step.\n"
    "2. Prototype: read `op_host/NAME.c`. Ports, combinations of dtypes and formats, and attributes are "
    "those of the\n"
    "   description; add what it cannot say: value dependence, rules for attributes, traits.\n"
    "3. Kernel: write `NAME_ref` in `op_kernel/NAME_kernel.c`, then `NAME_block`, which must agree with it: "
    "`weft op test`\n"
    "   compares them.\n"
    "4. Tiling: say what the kernel needs in `op_host/NAME_tiling.h` and fill it in `op_host/NAME_tiling.c`; "
    "then let\n"
    "   `NAME_refuse` return NULL. An operator that needs no tiled kernel goes without: take out its entry "
    "in\n"
    "   `package.c` (and count again in `sections`), the trait `WEFT_TILED`, `.kernel`, `.targets` and "
    "`.tile`.\n"
    "5. Graph integration: write `infer_shape`, `infer_dtype` and `infer_range` in `op_host/NAME.c`, and "
    "replace the\n"
    "   expected failures in its `.examples` and in `tests/test_NAME.c` by uses and their results. Graphs "
    "are built with\n"
    "   `op_graph/NAME_proto.h`.\n"
    "\n"
    "`weft op test build/lib@project@_op.so` checks the laws that every operator must keep. Installed, the "
    "package is found\n"
    "through `ASCEND_CUSTOM_OPP_PATH` or `WEFT_OPP_PATH`.\n";

static weft_status readme(project *p) {
  weft_text t;
  weft__text_init(&t, &p->arena.alloc);
  project_put(
      p, NULL, &t,
      "# @project@: an operator package for weft\n\n| operator | NAME | inputs | outputs | attributes |\n"
      "|---|---|---|---|---|\n");
  for (size_t i = 0; i < p->n_ops; i++) {
    const project_op *op = &p->ops[i];
    project_put(p, op, &t, "| @op@ | `@snake@` |");
    for (size_t k = 0; k < op->n_in; k++)
      weft__text_addf(&t, " `%s`", op->in[k].name);
    weft__text_addf(&t, " |");
    for (size_t k = 0; k < op->n_out; k++)
      weft__text_addf(&t, " `%s`", op->out[k].name);
    weft__text_addf(&t, " |");
    for (size_t k = 0; k < op->n_attrs; k++)
      weft__text_addf(&t, " `%s`", op->attrs[k].name);
    weft__text_addf(&t, " |\n");
  }
  weft__text_addf(
      &t,
      "\n| file | what |\n|---|---|\n"
      "| `package.c` | what weft finds when it loads the library |\n"
      "| `op_host/NAME.c` | prototype; inference of shape, dtype and shape range |\n"
      "| `op_host/NAME_tiling.h`, `.c` | what the host tells the kernel |\n"
      "| `op_kernel/NAME_kernel.c` | reference and block of the tiled kernel |\n"
      "| `op_graph/NAME_index.h`, `NAME_proto.h` | IR indexes; the function that adds a node to a graph |\n"
      "| `tests/test_NAME.c` | ports, examples, a graph |\n");
  project_put(p, NULL, &t, PROJECT_STEPS);
  project_put(p, NULL, &t, README_STEPS);
  return project_add(p, &t, false, "README.md");
}

// ---- the public function ----

static weft_status set_names(project *p, const weft_project_options *o) {
  p->name = o->name ? o->name : p->ops[0].snake;
  p->version = o->version ? o->version : "1.0.0";
  if (!project_identifier(p->name, strlen(p->name))) {
    return weft_fail(p->d, WEFT_E_INVALID,
                     "package name '%.80s' is no name: expected a letter, then up to %d letters, "
                     "digits and '_'",
                     p->name, PROJECT_MAX_NAME - 1);
  }
  size_t n = strspn(p->version, "0123456789.");
  if (!n || n > 32 || p->version[n])
    return weft_fail(p->d, WEFT_E_INVALID, "package version '%.40s': expected digits and dots", p->version);
  for (size_t i = 0; i < p->n_ops; i++) {
    const weft_proto *known = weft_find(p->env, p->ops[i].type);
    if (known && weft_proto_source(known) != WEFT_FROM_CATALOGUE) {
      weft_env_log(p->env, WEFT_LOG_WARNING,
                   "operator '%s' is known already (%s): where the package is loaded, it hides it",
                   p->ops[i].type, weft_proto_origin(known));
    }
  }
  return WEFT_OK;
}

static weft_status project_make(project *p, const weft_project_options *o, const char *json, size_t bytes) {
  WEFT_TRY(project_read(p, json, bytes));
  WEFT_TRY(set_names(p, o));
  if (o->cann)
    return project_cann_files(p);
  WEFT_TRY(readme(p));
  WEFT_TRY(build_files(p));
  WEFT_TRY(package_sources(p));
  for (size_t i = 0; i < p->n_ops; i++) {
    WEFT_TRY(project_op_files(p, &p->ops[i]));
    WEFT_TRY(project_graph_files(p, &p->ops[i]));
  }
  return WEFT_OK;
}

weft_status weft_op_project(weft_env *e, const char *json, size_t bytes, const char *file_name,
                            const weft_project_options *o, weft_project_file_fn file, void *ctx,
                            weft_diag *d) {
  WEFT_NEED(d, e);
  WEFT_NEED_LIST(d, json, bytes);
  WEFT_NEED(d, file);
  project p = {.env = e, .d = d, .file_name = file_name ? file_name : "description"};
  weft_project_options own = {0};
  WEFT_SIZED_IN(&own, o, cann);
  weft__arena_init(&p.arena, weft_env_allocator(e));
  weft_status s = project_make(&p, &own, json, bytes);
  for (size_t i = 0; !s && i < p.files.n; i++) {
    const project_file *f = &p.files.v[i];
    s = file(ctx, f->path, f->text, f->bytes, f->executable);
    if (s && d && !d->status)
      weft_fail(d, s, "file '%s' was refused", f->path);
  }
  WEFT_VEC_FREE(&p.arena.alloc, p.files);
  weft__arena_deinit(&p.arena);
  return s;
}
// SPDX-License-Identifier: Apache-2.0
