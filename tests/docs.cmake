# The C snippets of docs/*.md that have an #include are compiled; the example operator joins the tests (docs_test.c).
file(GLOB WEFT_DOC_PAGES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${WEFT_DOC_PAGES} ${CMAKE_SOURCE_DIR}/tools/doc_snippets.py)
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/doc_snippets.py ${CMAKE_BINARY_DIR}/generated/docs
  ${WEFT_DOC_PAGES} OUTPUT_VARIABLE WEFT_DOC_SNIPPETS OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" WEFT_DOC_SNIPPETS "${WEFT_DOC_SNIPPETS}")
add_library(weft_doc_snippets OBJECT ${WEFT_DOC_SNIPPETS})  # some have a main(): compiled only
target_include_directories(weft_doc_snippets PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/ops)
target_link_libraries(weft_doc_snippets PRIVATE weft_flags)
add_dependencies(weft_tests weft_doc_snippets)
target_sources(weft_tests PRIVATE ${CMAKE_BINARY_DIR}/generated/docs/add_an_operator_0.c)
target_compile_definitions(weft_tests PRIVATE WEFT_DOC_OPERATOR=weft__op_smoothstep)
# What pages and public headers name is there: identifiers, files, commands and their options.
add_test(NAME docs_names COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/check_names.py $<TARGET_FILE:weft>)
# The operator and the kernel of the pages, in a copy of the tree: two new files, no edited one.
set(WEFT_TWO_FILES_LINK -lm -pthread)
foreach(library ${CMAKE_DL_LIBS})
  list(APPEND WEFT_TWO_FILES_LINK -l${library})
endforeach()
if(WEFT_SANITIZE)
  list(PREPEND WEFT_TWO_FILES_LINK -fsanitize=${WEFT_SANITIZE})
endif()
add_test(NAME r336_two_new_files COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/two_files.py ${CMAKE_SOURCE_DIR}
  ${CMAKE_BINARY_DIR} ${CMAKE_C_COMPILER} $<TARGET_FILE:weft_static> -G ${CMAKE_GENERATOR}
  -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
  -DCMAKE_C_FLAGS=${CMAKE_C_FLAGS} -DCMAKE_C_FLAGS_DEBUG=${CMAKE_C_FLAGS_DEBUG} -DWEFT_SANITIZE=${WEFT_SANITIZE}
  -DWEFT_CHECKED=${WEFT_CHECKED} -DWEFT_EXAMPLES_IN_OPS=${WEFT_EXAMPLES_IN_OPS} -DWEFT_AVX512_EMULATED=${WEFT_AVX512_EMULATED}
  -- ${WEFT_TWO_FILES_LINK} -- $<TARGET_OBJECTS:weft> COMMAND_EXPAND_LISTS)
set_tests_properties(r336_two_new_files PROPERTIES TIMEOUT 1200)
add_test(NAME switches COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/switches.sh ${CMAKE_SOURCE_DIR})
# SPDX-License-Identifier: Apache-2.0
