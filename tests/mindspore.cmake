# MindSpore's files: cases made by a script, refusals; the shared cases where they are at hand.
add_test(NAME mindspore_cli COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/mindspore_cli.sh
  ${CMAKE_CURRENT_BINARY_DIR}/mindspore_cli_work $<TARGET_FILE:weft> ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR})
set_tests_properties(mindspore_cli PROPERTIES TIMEOUT 1200)
# SPDX-License-Identifier: Apache-2.0
