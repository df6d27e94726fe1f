# The tests of the CPU's kernels once more, with every kernel in memory that is exactly its own (guard_pages.h), and more
# cases of that kind (kernels_guard_test.c).
file(GLOB WEFT_GUARDED CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/kernels_*_test.c)
add_executable(weft_guard_tests check.c guard_buffers.c guard_pages.c guard_results.c isa_util.c kernel_case.c maker.c rows.c run_util.c bf16_case.c
  bf16_oracle.c ${WEFT_GUARDED})
target_include_directories(weft_guard_tests PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR}/kernels)
target_link_libraries(weft_guard_tests PRIVATE weft_flags weft_static)
target_compile_definitions(weft_guard_tests PRIVATE WEFT_SOURCE_DIR="${CMAKE_SOURCE_DIR}" WEFT_BINARY_DIR="${CMAKE_BINARY_DIR}" WEFT_GUARDED=1)
target_link_options(weft_guard_tests PRIVATE -Wl,--wrap=weft_exec_run)
foreach(file ${WEFT_GUARDED})
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "_test$" "" name ${name})
  if(name STREQUAL "kernels_guard")
    add_test(NAME ${name} COMMAND weft_guard_tests ${name}/)
  else()
    add_test(NAME ${name}_guarded COMMAND weft_guard_tests ${name}/)
  endif()
endforeach()
# SPDX-License-Identifier: Apache-2.0
