# What plugins_test.c loads besides the plug-ins of this build, and what the built libraries may link.
set(WEFT_FALSE_PLUGINS ${CMAKE_CURRENT_BINARY_DIR}/false_plugins)
target_compile_definitions(weft_tests PRIVATE WEFT_PLUGINS_BUILT="${WEFT_PLUGINS_BUILT}" WEFT_FALSE_PLUGINS="${WEFT_FALSE_PLUGINS}")
foreach(pair next_version:VERSION no_function:FUNCTION nothing:NOTHING)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 fault)
  add_library(weft_false_${name} MODULE false_plugin.c)
  target_include_directories(weft_false_${name} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(weft_false_${name} PRIVATE FALSE_${fault})
  set_target_properties(weft_false_${name} PROPERTIES PREFIX "" SUFFIX .so OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${WEFT_FALSE_PLUGINS})
  add_dependencies(weft_tests weft_false_${name})
endforeach()
add_test(NAME linked COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/linked.sh ${CMAKE_BINARY_DIR} ${WEFT_PLUGINS_BUILT} ${CMAKE_SOURCE_DIR})
# SPDX-License-Identifier: Apache-2.0
