# `weft op new`, from outside: an installed weft makes a project, which builds and passes its tests without edits (R310).
add_test(NAME op_new_build COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/op_new.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}
  $<TARGET_FILE:weft>)
set_tests_properties(op_new_build PROPERTIES ENVIRONMENT "CC=${CMAKE_C_COMPILER};CXX=${CMAKE_CXX_COMPILER};${WEFT_TEST_LAUNCHERS}"
  TIMEOUT 1200)
# The same in CANN's C++: `weft op new --cann`.
add_test(NAME op_new_cann COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/op_new_cann.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}
  $<TARGET_FILE:weft>)
set_tests_properties(op_new_cann PROPERTIES ENVIRONMENT "CC=${CMAKE_C_COMPILER};CXX=${CMAKE_CXX_COMPILER};${WEFT_TEST_LAUNCHERS}"
  TIMEOUT 1200)
# `weft op`, from outside: inputs by place, by port and in lists, attributes, packages that hide what is built in, kernels
# that break laws.
add_test(NAME op_cli COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/op_cli.sh ${CMAKE_CURRENT_BINARY_DIR}/op_cli_work
  $<TARGET_FILE:weft> ${WEFT_PACKAGE_ROOTS})
set_tests_properties(op_cli PROPERTIES TIMEOUT 1200)
# `weft op cases`: operators against what frameworks computed.
add_test(NAME op_cases_cli COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/op_cases_cli.sh ${CMAKE_SOURCE_DIR}
  ${CMAKE_CURRENT_BINARY_DIR}/op_cases_work $<TARGET_FILE:weft>)
set_tests_properties(op_cases_cli PROPERTIES TIMEOUT 1200)
# SPDX-License-Identifier: Apache-2.0
