# What the tool writes and where it cannot: full disks, programs in use.
add_test(NAME files_cli COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/files_cli.sh $<TARGET_FILE:weft> ${CMAKE_SOURCE_DIR})
set_tests_properties(files_cli PROPERTIES TIMEOUT 1200)
add_test(NAME onnx_test_cli COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/onnx_test_cli.sh $<TARGET_FILE:weft>)
# Memory that is promised before the run, over the networks that are at hand; tools/promise.sh goes over any folder.
if(EXISTS ${CMAKE_SOURCE_DIR}/../shared/data/nets)
  file(GLOB nets ${CMAKE_SOURCE_DIR}/../shared/data/nets/*/model.onnx)
  add_test(NAME promise_models COMMAND promise_models ${nets})
  set_tests_properties(promise_models PROPERTIES TIMEOUT 1200)
endif()
# SPDX-License-Identifier: Apache-2.0
