# `weft run` and `weft show`, from outside: inputs and outputs in every form, several data sets, exit statuses.
add_test(NAME run_cli COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/run_cli.sh ${CMAKE_CURRENT_BINARY_DIR}/run_cli_work
  $<TARGET_FILE:weft> $<TARGET_FILE:make_model>)
set_tests_properties(run_cli PROPERTIES TIMEOUT 1200)
# SPDX-License-Identifier: Apache-2.0
