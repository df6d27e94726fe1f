# TFLite: quantised models of one operator with what the interpreter gave (tflite_cases.py), bit for bit, and the
# shared cases where they are at hand.
add_test(NAME tflite_cases COMMAND weft cases --only model.tflite ${CMAKE_CURRENT_SOURCE_DIR}/data/tflite)
set(WEFT_TFLITE_SHARED ${CMAKE_CURRENT_SOURCE_DIR}/../../shared/data/frontends/tf)
if(EXISTS ${WEFT_TFLITE_SHARED})
  add_test(NAME tflite_shared COMMAND weft cases --only model.tflite ${WEFT_TFLITE_SHARED})
endif()
# SPDX-License-Identifier: Apache-2.0
