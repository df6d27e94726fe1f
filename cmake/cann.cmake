# CANN's C++ interface: headers alone. weft::cann is for operator libraries, which link nothing; the headers under
# generated/cann are the names that users include, a line each (cann/spellings.txt).
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cann/spellings.txt)
set(WEFT_CANN_SPELLINGS ${CMAKE_BINARY_DIR}/generated/cann)
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_cann_spellings.py ${WEFT_CANN_SPELLINGS}
  COMMAND_ERROR_IS_FATAL ANY)
# Classes of all operators of the catalogue.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/catalogue/air_ops.txt
  ${CMAKE_SOURCE_DIR}/tools/gen_cann_ops.py)
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_cann_ops.py ${WEFT_CANN_SPELLINGS}/weft_cann/ops.h
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
# The entry of a package is compiled once, not in each file (weft_cann/entry.cpp). Programs need none, and of a static
# library's files it might be left out: their headers have it.
set(WEFT_CANN_HOLDS_ENTRY "$<AND:$<IN_LIST:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY;SHARED_LIBRARY;OBJECT_LIBRARY>,$<NOT:$<BOOL:$<TARGET_PROPERTY:WEFT_CANN_NO_PACKAGE>>>>")
target_compile_definitions(weft_cann INTERFACE $<${WEFT_CANN_HOLDS_ENTRY}:WEFT_CANN_ENTRY_APART>)
target_sources(weft_cann INTERFACE
  "$<BUILD_INTERFACE:$<${WEFT_CANN_HOLDS_ENTRY}:${CMAKE_SOURCE_DIR}/cann/include/weft_cann/entry.cpp>>"
  "$<INSTALL_INTERFACE:$<${WEFT_CANN_HOLDS_ENTRY}:$<INSTALL_PREFIX>/${CMAKE_INSTALL_INCLUDEDIR}/weft-cann/weft_cann/entry.cpp>>")
# weft-ascc, the compiler of sources in Ascend C, and its parts, which AscendCL's aclrtc* use, too.
file(GLOB WEFT_ASCC_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cann/ascc/*.c)
list(FILTER WEFT_ASCC_SOURCES EXCLUDE REGEX "_test\\.c$|/main\\.c$")
add_library(weft_ascc_parts STATIC ${WEFT_ASCC_SOURCES})
set_target_properties(weft_ascc_parts PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_definitions(weft_ascc_parts PRIVATE ASCC_LIBRARY_FOLDER="${CMAKE_INSTALL_LIBDIR}"
  ASCC_SOURCE_TREE="${CMAKE_SOURCE_DIR}" ASCC_BINARY_TREE="${CMAKE_BINARY_DIR}")
target_include_directories(weft_ascc_parts PUBLIC ${CMAKE_SOURCE_DIR}/cann)
target_link_libraries(weft_ascc_parts PRIVATE weft_flags)
add_executable(weft-ascc cann/ascc/main.c)
target_link_libraries(weft-ascc PRIVATE weft_ascc_parts weft_flags)
# AscendCL over weft, for programs: `weft::acl`. Operator libraries that copy memory link it, too.
file(GLOB WEFT_ACL_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cann/acl/*.c)
add_library(weft_acl SHARED ${WEFT_ACL_SOURCES})
set_target_properties(weft_acl PROPERTIES WEFT_CANN_NO_PACKAGE ON VERSION ${PROJECT_VERSION} SOVERSION 0 EXPORT_NAME acl C_VISIBILITY_PRESET hidden
  INSTALL_RPATH "$ORIGIN")
target_include_directories(weft_acl PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/cann/acl PUBLIC
  $<BUILD_INTERFACE:${WEFT_CANN_SPELLINGS}> $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/cann/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/weft-cann>)
target_link_libraries(weft_acl PUBLIC weft_shared PRIVATE weft_flags weft_ascendc_shared weft_ascc_parts ${CMAKE_DL_LIBS})
weft_install(weft_acl EXPORT weft-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The two-phase calls of all operators, aclnnX: `weft::opapi`.
set(WEFT_OPAPI ${CMAKE_BINARY_DIR}/generated/aclnn_ops.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/gen_aclnn.py)
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_aclnn.py ${WEFT_CANN_SPELLINGS} ${WEFT_OPAPI}
  COMMAND_ERROR_IS_FATAL ANY)
add_library(weft_opapi SHARED ${WEFT_OPAPI})
# 3,000 functions that fill a table and call: nothing to optimise, and nothing that a sanitizer would find in them.
set_source_files_properties(${WEFT_OPAPI} PROPERTIES COMPILE_OPTIONS "$<IF:$<CONFIG:Debug>,-O0,-O1>;-g1;-fno-sanitize=all")
set_target_properties(weft_opapi PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 EXPORT_NAME opapi C_VISIBILITY_PRESET hidden
  INSTALL_RPATH "$ORIGIN")
target_link_libraries(weft_opapi PUBLIC weft_acl PRIVATE weft_flags)
weft_install(weft_opapi EXPORT weft-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY cann/include/ ${WEFT_CANN_SPELLINGS}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft-cann)
weft_install(weft_cann EXPORT weft-targets)
# What graphs and sessions stand on, for programs (operator libraries go on linking nothing): C, over libweft.
file(GLOB WEFT_CANN_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cann/src/*.c)
add_library(weft_cann_objects OBJECT ${WEFT_CANN_SOURCES})
set_target_properties(weft_cann_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(weft_cann_objects PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/cann/include
  ${CMAKE_SOURCE_DIR}/cann/src)
target_link_libraries(weft_cann_objects PRIVATE weft_flags)
foreach(kind SHARED STATIC)
  string(TOLOWER ${kind} suffix)
  add_library(weft_cann_${suffix} ${kind} $<TARGET_OBJECTS:weft_cann_objects>)
  set_target_properties(weft_cann_${suffix} PROPERTIES OUTPUT_NAME weft_cann VERSION ${PROJECT_VERSION} SOVERSION 0
    EXPORT_NAME cann_${suffix})
  target_link_libraries(weft_cann_${suffix} INTERFACE weft_cann PUBLIC weft_${suffix})
endforeach()
weft_install(weft_cann_shared weft_cann_static EXPORT weft-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# SPDX-License-Identifier: Apache-2.0
