# The runtime alone: what a program needs to run, without importers, inference of graphs, passes and compiler.
add_library(weft_runtime STATIC
  $<FILTER:$<TARGET_OBJECTS:weft_objects>,INCLUDE,/src/base/|/src/tensor/|/src/op/|/src/ir/|/src/device/|/src/plan/|/src/program/|/src/run/|/ops/|/kernels/|/catalogue/|op_table|/kernels_>)
set_target_properties(weft_runtime PROPERTIES LINKER_LANGUAGE C EXPORT_NAME runtime)
target_include_directories(weft_runtime PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(weft_runtime PUBLIC m ${CMAKE_DL_LIBS} Threads::Threads)
if(WEFT_PLUGINS)
  add_dependencies(weft_runtime ${WEFT_PLUGINS})
endif()
if(WEFT_SANITIZE)
  target_link_options(weft_runtime PUBLIC -fsanitize=${WEFT_SANITIZE})
endif()
# SPDX-License-Identifier: Apache-2.0
