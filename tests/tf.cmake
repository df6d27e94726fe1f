# TensorFlow's operators one by one: what tools/record_tf_ops.py recorded of TensorFlow, read as frozen graphs, and
# written back as ONNX (of two dynamic inputs ONNX's form does not say how many there are of each).
add_test(NAME tf_ops COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/tf_ops.sh ${CMAKE_CURRENT_BINARY_DIR}/tf_ops_work
  $<TARGET_FILE:weft> ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR})
# SPDX-License-Identifier: Apache-2.0
