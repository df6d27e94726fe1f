# The example of an operator of one's own in models of five frameworks.
add_test(NAME custom_operator COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/custom_operator.sh ${CMAKE_CURRENT_BINARY_DIR}/custom_operator_work
  $<TARGET_FILE:weft> ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER})
set_tests_properties(custom_operator PROPERTIES TIMEOUT 1200)
# SPDX-License-Identifier: Apache-2.0
