# A program with the runtime alone (cmake/runtime.cmake). The whole archive is linked, so that anything missing fails the
# build; the test runs a program that `weft compile` made.
add_executable(runtime_only runtime_only.c)
target_link_libraries(runtime_only PRIVATE weft_flags -Wl,--whole-archive weft_runtime -Wl,--no-whole-archive)
add_test(NAME runtime_only COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/runtime_only.sh $<TARGET_FILE:weft>
  $<TARGET_FILE:runtime_only> ${CMAKE_CURRENT_BINARY_DIR}/runtime_only_work)
# SPDX-License-Identifier: Apache-2.0
