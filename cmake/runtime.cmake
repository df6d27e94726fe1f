# The runtime alone: what a program needs to run, without importers, inference of graphs, passes and compiler.
# Operators that are made of others (compositions/) are primitives in a program, and not in its table of operators.
set(WEFT_RUNTIME_OPS ${WEFT_OP_FILES})
list(FILTER WEFT_RUNTIME_OPS EXCLUDE REGEX "/compositions/")
set(WEFT_RUNTIME_TABLE ${CMAKE_BINARY_DIR}/generated/runtime_ops.c)
add_custom_command(OUTPUT ${WEFT_RUNTIME_TABLE}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_op_table.py -o ${WEFT_RUNTIME_TABLE} ${WEFT_RUNTIME_OPS}
  DEPENDS ${WEFT_RUNTIME_OPS} ${CMAKE_SOURCE_DIR}/tools/gen_op_table.py VERBATIM)
add_custom_target(weft_generated_runtime DEPENDS ${WEFT_RUNTIME_TABLE})
add_dependencies(weft_generated weft_generated_runtime)
add_library(weft_runtime STATIC ${WEFT_RUNTIME_TABLE}
  $<FILTER:$<TARGET_OBJECTS:weft_objects>,INCLUDE,/src/base/|/src/tensor/|/src/op/|/src/ir/|/src/device/|/src/plan/|/src/program/|/src/run/|/ops/|/kernels/|/catalogue/|/kernels_>)
set_target_properties(weft_runtime PROPERTIES LINKER_LANGUAGE C EXPORT_NAME runtime)
target_include_directories(weft_runtime PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(weft_runtime PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(weft_runtime PUBLIC m ${CMAKE_DL_LIBS} Threads::Threads)
if(WEFT_PLUGINS)
  add_dependencies(weft_runtime ${WEFT_PLUGINS})
endif()
if(WEFT_SANITIZE)
  target_link_options(weft_runtime PUBLIC -fsanitize=${WEFT_SANITIZE})
endif()
# SPDX-License-Identifier: Apache-2.0
