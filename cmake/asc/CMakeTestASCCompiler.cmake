# One small launch must compile; else what is missing is said now, not when a project is built.
if(NOT CMAKE_ASC_COMPILER_WORKS)
  set(weft_asc_test "${CMAKE_BINARY_DIR}${CMAKE_FILES_DIRECTORY}/weft_asc_test")
  file(WRITE "${weft_asc_test}.asc"
    "extern \"C\" __global__ void nothing(int) {}\nvoid launch(void *stream) { nothing<<<1, nullptr, stream>>>(0); }\n")
  execute_process(COMMAND "${CMAKE_ASC_COMPILER}" "--host-compiler=${CMAKE_ASC_HOST_COMPILER}" -c "${weft_asc_test}.asc"
    -o "${weft_asc_test}.o" RESULT_VARIABLE weft_asc_status OUTPUT_VARIABLE weft_asc_said ERROR_VARIABLE weft_asc_said)
  if(NOT weft_asc_status EQUAL 0)
    message(FATAL_ERROR "ASC: '${CMAKE_ASC_COMPILER}' cannot compile a launch: ${weft_asc_status}\n${weft_asc_said}")
  endif()
  message(STATUS "The ASC compiler is weft's, over ${CMAKE_ASC_HOST_COMPILER}")
  set(CMAKE_ASC_COMPILER_WORKS 1 CACHE INTERNAL "")
endif()
# SPDX-License-Identifier: Apache-2.0
