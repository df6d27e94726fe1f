# The guards of checked builds without AddressSanitizer (src/run/guard.h), in a build that has it: the two files that know of
# the difference are compiled once more, and stand before those of the archive. So `make test` runs both kinds of guards.
if(WEFT_CHECKED AND WEFT_SANITIZE MATCHES "address")
  add_executable(weft_apart_tests check.c isa_util.c maker.c rows.c run_util.c guard_test.c session_rows_test.c
    ${CMAKE_SOURCE_DIR}/src/run/guard.c ${CMAKE_SOURCE_DIR}/src/op/call_node.c)
  target_include_directories(weft_apart_tests PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR}/ops ${CMAKE_SOURCE_DIR}/kernels)
  target_link_libraries(weft_apart_tests PRIVATE weft_flags weft_static)
  target_compile_definitions(weft_apart_tests PRIVATE WEFT_SOURCE_DIR="${CMAKE_SOURCE_DIR}" WEFT_BINARY_DIR="${CMAKE_BINARY_DIR}" WEFT__APART=1)
  add_test(NAME guard_apart COMMAND weft_apart_tests)
endif()
# SPDX-License-Identifier: Apache-2.0
