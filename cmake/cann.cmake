# CANN's C++ interface: headers alone. weft::cann is for operator libraries, which link nothing; the headers under
# generated/cann are the names that users include, a line each (cann/spellings.txt).
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cann/spellings.txt)
set(WEFT_CANN_SPELLINGS ${CMAKE_BINARY_DIR}/generated/cann)
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_cann_spellings.py ${WEFT_CANN_SPELLINGS}
  COMMAND_ERROR_IS_FATAL ANY)
# The same names, and the macros of the headers, for `weft op doctor`.
file(GLOB WEFT_CANN_HEADERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cann/include/weft_cann/*.h)
set(WEFT_CANN_NAMES ${CMAKE_BINARY_DIR}/generated/cann_names.c)
add_custom_command(OUTPUT ${WEFT_CANN_NAMES}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_cann_spellings.py --table ${WEFT_CANN_NAMES}
  DEPENDS ${CMAKE_SOURCE_DIR}/cann/spellings.txt ${CMAKE_SOURCE_DIR}/tools/gen_cann_spellings.py ${WEFT_CANN_HEADERS} VERBATIM)
add_custom_target(weft_generated_cann DEPENDS ${WEFT_CANN_NAMES})
add_dependencies(weft_generated weft_generated_cann)
add_library(weft_cann INTERFACE)
set_target_properties(weft_cann PROPERTIES EXPORT_NAME cann)
# Operators read values at addresses that are not aligned, and one object through several types (docs/cann.md).
# Statics of inline functions stay a library's own, and with them it can be unloaded.
target_compile_options(weft_cann INTERFACE -fno-strict-aliasing $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
target_compile_features(weft_cann INTERFACE cxx_std_17)
target_include_directories(weft_cann INTERFACE
  $<BUILD_INTERFACE:${WEFT_CANN_SPELLINGS}> $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/cann/include>
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/weft-cann> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(DIRECTORY cann/include/ ${WEFT_CANN_SPELLINGS}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft-cann)
install(TARGETS weft_cann EXPORT weft-targets)
# SPDX-License-Identifier: Apache-2.0
