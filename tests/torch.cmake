# PyTorch's archives: cases made by a script, refusals, safetensors; the shared cases where they are at hand.
add_test(NAME torch_cli COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/torch_cli.sh ${CMAKE_CURRENT_BINARY_DIR}/torch_cli_work
  $<TARGET_FILE:weft> ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR})
set_tests_properties(torch_cli PROPERTIES TIMEOUT 1200)
# SPDX-License-Identifier: Apache-2.0
