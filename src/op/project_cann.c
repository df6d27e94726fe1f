// project_cann.c - `weft op new --cann`: the files of a project in CANN's C++ that belong to it as a whole.
// Names and folders are msOpGen's, so that its users find their way; project_cann_op.c writes the operators.
#include "op/project_cann.h"

static const char CMAKE_HEAD[] =
    "# Package @project@: one library, which links nothing, and its tests. Needs an installed weft\n"
    "# (CMAKE_PREFIX_PATH or weft_DIR says where).\n"
    "cmake_minimum_required(VERSION 3.20)\n"
    "project(@project@ CXX)\n"
    "find_package(weft REQUIRED COMPONENTS cann)\n"
    "if(NOT CMAKE_BUILD_TYPE)\n"
    "  set(CMAKE_BUILD_TYPE RelWithDebInfo)\n"
    "endif()\n"
    "set(OPERATORS";
static const char CMAKE_BODY[] =
    ")\n"
    "set(SOURCES)\n"
    "foreach(op ${OPERATORS})\n"
    "  list(APPEND SOURCES op_host/${op}.cpp op_kernel/${op}_cpu.cpp)\n"
    "endforeach()\n"
    "\n"
    "add_library(@project@_objects OBJECT ${SOURCES})\n"
    "target_link_libraries(@project@_objects PRIVATE weft::cann)\n"
    "target_include_directories(@project@_objects PRIVATE op_host)\n"
    "set_target_properties(@project@_objects PROPERTIES CXX_VISIBILITY_PRESET hidden "
    "POSITION_INDEPENDENT_CODE ON)\n"
    "add_library(@project@_op MODULE $<TARGET_OBJECTS:@project@_objects>)\n"
    "set_target_properties(@project@_op PROPERTIES LINKER_LANGUAGE CXX)\n"
    "install(TARGETS @project@_op LIBRARY DESTINATION op_graph/lib/linux/${CMAKE_SYSTEM_PROCESSOR})\n"
    "\n"
    "# Cases of inference call the functions directly: the same objects in one program.\n"
    "enable_testing()\n"
    "add_executable(@project@_test $<TARGET_OBJECTS:@project@_objects> tests/main.cpp)\n"
    "foreach(op ${OPERATORS})\n"
    "  target_sources(@project@_test PRIVATE tests/test_${op}.cpp)\n"
    "endforeach()\n"
    "target_link_libraries(@project@_test PRIVATE weft::cann)\n"
    "add_test(NAME cases COMMAND @project@_test)\n"
    "\n"
    "# The laws that every operator must keep.\n"
    "find_program(WEFT_TOOL weft HINTS ${weft_DIR}/../../../bin ${weft_DIR}/../../../../bin)\n"
    "if(WEFT_TOOL)\n"
    "  add_test(NAME laws COMMAND ${WEFT_TOOL} op test $<TARGET_FILE:@project@_op>)\n"
    "else()\n"
    "  message(STATUS \"the tool weft was not found: no test 'laws'\")\n"
    "endif()\n";
static const char PRESETS[] =
    "{\n"
    "  \"version\": 2,\n"
    "  \"cmakeMinimumRequired\": {\"major\": 3, \"minor\": 20, \"patch\": 0},\n"
    "  \"configurePresets\": [\n"
    "    {\n"
    "      \"name\": \"default\",\n"
    "      \"displayName\": \"Default Config\",\n"
    "      \"generator\": \"Unix Makefiles\",\n"
    "      \"binaryDir\": \"${sourceDir}/build_out\",\n"
    "      \"cacheVariables\": {\n"
    "        \"CMAKE_BUILD_TYPE\": \"RelWithDebInfo\",\n"
    "        \"CMAKE_INSTALL_PREFIX\": \"${sourceDir}/output\"\n"
    "      }\n"
    "    }\n"
    "  ]\n"
    "}\n";
static const char TEST_MAIN[] =
    "// main.cpp - runs every test, or those whose name begins with the first argument.\n"
    "#include \"weft_cann/check.h\"\n"
    "\n"
    "int main(int argc, char **argv) {\n"
    "  return check::RunTests(argc, argv);\n"
    "}\n";
static const char KERNEL_README[] =
    "# Kernels\n"
    "\n"
    "`NAME_cpu.cpp` is the operator as a function of the CPU (`ge::EagerExecuteOp`): while it is there, it "
    "is "
    "what weft runs.\n"
    "A kernel in Ascend C takes its place: write `NAME.cpp`, delete `NAME_cpu.cpp` and its mention in "
    "`CMakeLists.txt`, build,\n"
    "and compile the kernel into the folder `kernels` beside the library:\n"
    "\n"
    "    weft op kernels op_kernel --out output/op_graph/lib/linux/$(uname -m)/kernels\n";
static const char README_STEPS[] =
    "1. Project: made. `CMAKE_PREFIX_PATH=/where/weft/is/installed ./build.sh` builds, tests and installs "
    "it, now and\n"
    "   after every step; `cmake --preset default` configures the same in `build_out/`.\n"
    "2. Prototype: read the class in `op_host/NAME.cpp`; add what the description cannot say, such as "
    "`ValueDepend`.\n"
    "3. Graph integration: write `InferShape` (and `InferDataType` where it is a stub), then replace the "
    "expected failures\n"
    "   in `tests/test_NAME.cpp` by shapes.\n"
    "4. Kernel: write `Execute` in `op_kernel/NAME_cpu.cpp`; `weft op run` calls it. Or a kernel in Ascend "
    "C:\n"
    "   `op_kernel/README.md`.\n"
    "5. Tiling: say what a kernel in Ascend C needs in `op_host/NAME_tiling.h` and fill it in `TilingFunc`; "
    "`weft op tile`\n"
    "   shows what it gives, and a kernel that `WEFT_CANN_KERNEL` names gets it.\n"
    "\n"
    "`weft op test build_out/lib@project@_op.so` checks the laws that every operator must keep. Installed, "
    "the package is\n"
    "found through `ASCEND_CUSTOM_OPP_PATH` or `WEFT_OPP_PATH`. When sources of yours do not build, "
    "`weft op doctor FOLDER`\n"
    "names the headers and macros that this version lacks.\n";

static weft_status cann_readme(project *p) {
  weft_text t;
  weft__text_init(&t, &p->arena.alloc);
  project_put(p, NULL, &t,
              "# @project@: an operator package in CANN's C++\n\n| operator | NAME |\n|---|---|\n");
  for (size_t i = 0; i < p->n_ops; i++)
    project_put(p, &p->ops[i], &t, "| @op@ | `@snake@` |\n");
  weft__text_addf(&t,
                  "\n| file | what |\n|---|---|\n"
                  "| `op_host/NAME.cpp` | definition, inference of shape and dtype, tiling function |\n"
                  "| `op_host/NAME_tiling.h` | what the host tells a kernel |\n"
                  "| `op_kernel/NAME_cpu.cpp` | the operator on the CPU |\n"
                  "| `tests/test_NAME.cpp` | cases of inference |\n");
  project_put(p, NULL, &t, PROJECT_STEPS);
  project_put(p, NULL, &t, README_STEPS);
  return project_add(p, &t, false, "README.md");
}

weft_status project_cann_files(project *p) {
  for (size_t i = 0; i < p->n_ops; i++)
    WEFT_TRY(project_cann_check(p, &p->ops[i]));
  WEFT_TRY(cann_readme(p));
  WEFT_TRY(project_add_cmake(p, CMAKE_HEAD, CMAKE_BODY));
  WEFT_TRY(project_add_text(p, "CMakePresets.json", PRESETS));
  WEFT_TRY(project_add_script(p, "build.sh", "build_out"));
  WEFT_TRY(project_add_text(p, "op_kernel/README.md", KERNEL_README));
  WEFT_TRY(project_add_text(p, "tests/main.cpp", TEST_MAIN));
  for (size_t i = 0; i < p->n_ops; i++)
    WEFT_TRY(project_cann_op_files(p, &p->ops[i]));
  return WEFT_OK;
}
// SPDX-License-Identifier: Apache-2.0
