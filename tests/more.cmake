# What the requirement tests need beside the runner: packages, built against the headers alone and laid out as a package
# root is (R315). tests/packages/<root>/op_graph/lib/<os>/<arch>/lib*.so in the build folder.
target_sources(weft_tests PRIVATE rows.c)
set(WEFT_PACKAGE_ROOTS ${CMAKE_CURRENT_BINARY_DIR}/packages)
string(TOLOWER ${CMAKE_SYSTEM_NAME} WEFT_PACKAGE_OS)
set(WEFT_PACKAGE_LIB op_graph/lib/${WEFT_PACKAGE_OS}/${CMAKE_SYSTEM_PROCESSOR})

# weft_test_package(TARGET ROOT NAME SOURCE...): <ROOT>/op_graph/lib/<os>/<arch>/lib<NAME>.so
function(weft_test_package target root name)
  add_library(${target} MODULE ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE weft_flags)
  set_target_properties(${target} PROPERTIES PREFIX lib SUFFIX .so OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${WEFT_PACKAGE_ROOTS}/${root}/${WEFT_PACKAGE_LIB})
  add_dependencies(weft_tests ${target})
endfunction()

file(GLOB WEFT_DOCUMENTS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/package/*.c)
weft_test_package(weft_package_documents documents documents ${WEFT_DOCUMENTS})
weft_test_package(weft_package_fusion fusion fusion package/fusion/join_triple.c)
weft_test_package(weft_package_second second second package/hostile/second.c)
weft_test_package(weft_package_overrides overrides overrides package/hostile/overrides.c)
weft_test_package(weft_package_hides hides hides package/hostile/hides.c)
weft_test_package(weft_package_hangs hangs hangs package/hostile/hangs.c)
weft_test_package(weft_package_links broken_links broken_links package/hostile/links.c)

# One operator in two translation units: as one library, and as two (R12).
weft_test_package(weft_package_joined joined joined package/split/twice.c package/split/twice_kernel.c)
weft_test_package(weft_package_split split split package/split/twice.c)
add_library(weft_package_split_kernel SHARED package/split/twice_kernel.c)
target_include_directories(weft_package_split_kernel PRIVATE ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(weft_package_split_kernel PRIVATE weft_flags)
set_target_properties(weft_package_split_kernel PROPERTIES OUTPUT_NAME twice_kernel
  LIBRARY_OUTPUT_DIRECTORY ${WEFT_PACKAGE_ROOTS}/split/${WEFT_PACKAGE_LIB}/kernel)
target_link_libraries(weft_package_split PRIVATE weft_package_split_kernel)

foreach(kind ABI SIZE COUNT NAME ENTRY NULL DUPLICATE)
  string(TOLOWER ${kind} suffix)
  weft_test_package(weft_package_broken_${suffix} broken_${suffix} broken_${suffix} package/hostile/broken.c)
  target_compile_definitions(weft_package_broken_${suffix} PRIVATE BROKEN_${kind})
endforeach()
file(WRITE ${WEFT_PACKAGE_ROOTS}/broken_text/${WEFT_PACKAGE_LIB}/libbad.so "this is text, not a library\n")
file(WRITE ${WEFT_PACKAGE_ROOTS}/broken_text/${WEFT_PACKAGE_LIB}/readme.txt "ignored\n")
file(WRITE ${WEFT_PACKAGE_ROOTS}/broken_text/${WEFT_PACKAGE_LIB}/other.so "ignored: the name does not begin with lib\n")
file(MAKE_DIRECTORY ${WEFT_PACKAGE_ROOTS}/broken_text/${WEFT_PACKAGE_LIB}/libfolder.so)
file(MAKE_DIRECTORY ${WEFT_PACKAGE_ROOTS}/empty)
# SPDX-License-Identifier: Apache-2.0
