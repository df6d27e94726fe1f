# The example of an operator of one's own in an ONNX model.
add_test(NAME onnx_custom COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/onnx_custom.sh ${CMAKE_CURRENT_BINARY_DIR}/onnx_custom_work
  $<TARGET_FILE:weft> ${CMAKE_SOURCE_DIR} ${CMAKE_C_COMPILER})
set_tests_properties(onnx_custom PROPERTIES TIMEOUT 1200)
# SPDX-License-Identifier: Apache-2.0
