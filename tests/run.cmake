# What the tests of the runtime need beside the runner: their helpers, the sample operator as a package, and weft.hpp.
target_sources(weft_tests PRIVATE run_util.c random_graph.c)
set(WEFT_WHERE ${CMAKE_SOURCE_DIR}/examples/where_like_custom/ge)
weft_test_package(weft_package_where where_like_custom where_like_custom_op
  ${WEFT_WHERE}/custom_op/where_like_custom.c ${WEFT_WHERE}/kernel/where_like_custom_kernel.c)
target_include_directories(weft_package_where PRIVATE ${WEFT_WHERE}/kernel)

# The C++ header, with warnings as errors whatever the build says (weft_flags is for C).
add_executable(weft_cxx_test cxx_test.cpp)
target_compile_options(weft_cxx_test PRIVATE -Wall -Wextra -Wshadow -Wpedantic -Werror)
target_link_libraries(weft_cxx_test PRIVATE weft_static)
add_test(NAME cxx COMMAND weft_cxx_test ${CMAKE_CURRENT_BINARY_DIR})
# SPDX-License-Identifier: Apache-2.0
